"""Outputs as agents really write them: JSON with its own escapes, YAML, fenced or not."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ConfigDict

from signoff.artifacts.agent_output import TOLD, read
from signoff.core.errors import DocumentError


class Note(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    size: float = 0


@pytest.mark.parametrize(
    ("raw", "text", "size"),
    [
        ("text: plain\nsize: 2", "plain", 2),
        ('{"text": "plain"}', "plain", 0),
        ('```json\n{"text": "fenced"}\n```', "fenced", 0),
        (r'{"text": "\ud83d\ude00 \/ \u4e2d"}', "😀 / 中", 0),
        ('{"text": "big", "size": 1e5}', "big", 100_000),
        ("{text: flow style, size: 3}", "flow style", 3),
    ],
)
def test_json_is_read_as_json_and_everything_else_as_yaml(raw: str, text: str, size: float) -> None:
    assert read(Note, raw.encode(), "raw.txt") == Note(text=text, size=size)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"text": "a", "text": "b"}', "yaml.duplicate"),
        ('{"text": "cut', "yaml.syntax"),
        (r'{"text": "\ud83d alone"}', "yaml.syntax"),
        ('["text"]', "a list where keys and values are wanted"),
        ("[" * 100_000, "yaml"),
        ('{"a":' * 100_000, "yaml"),
    ],
)
def test_what_is_doubtful_is_refused_with_what_is_wrong(raw: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        read(Note, raw.encode(), "raw.txt")


def test_of_an_output_that_is_wrong_everywhere_only_so_much_is_told_as_somebody_reads() -> None:
    with pytest.raises(DocumentError) as caught:
        read(Note, json.dumps({f"field_{number}": 1 for number in range(5_000)}).encode(), "raw.txt")
    *told, last = caught.value.findings
    assert len(told) == TOLD
    assert last.problem == f"{5_001 - TOLD} more things do not fit the output contract"
