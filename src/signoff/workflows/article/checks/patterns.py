"""Phrases that no person of the trade would write, found by code in lists that are data (`patterns/*.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import Field, TypeAdapter

from signoff.artifacts import yamlio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.core.findings import Finding
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.outputs import Level

GAP = "..."
_GAP = r"(?:[^\s.,;:!?]+\s+){1,3}"
_WORDS = re.compile(r"[\s'’.]+")


class Pattern(Form):
    """One list: how much its phrases weigh, why they are unwanted, and what they are."""

    level: Level
    why: Text
    phrases: Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase where it stands."""

    name: str
    level: Level
    why: str
    text: str
    sentence: str
    place: str
    line: int


@cache
def lists(language: str) -> Mapping[str, Pattern]:
    """The lists of a language."""
    file = resources.files("signoff.workflows.article") / "patterns" / f"{language}.yaml"
    plain = yamlio.load_mapping(file.read_text("utf-8"), file.name)
    return TypeAdapter(dict[str, Pattern]).validate_python(plain)


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase as it is looked for. `word` is its longest word: where that is not, the phrase is not."""

    name: str
    word: str
    expression: re.Pattern[str]


@cache
def _phrases(language: str) -> tuple[_Phrase, ...]:
    return tuple(
        _Phrase(name, max(_WORDS.split(phrase.lower()), key=len), re.compile(_expression(phrase), re.IGNORECASE))
        for name, pattern in lists(language).items()
        for phrase in pattern.phrases
    )


def _expression(phrase: str) -> str:
    words = [re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in phrase.split(GAP)]
    body = (r"\s+" + _GAP).join(word.removesuffix(r"\s+").removeprefix(r"\s+") for word in words)
    begins, ends = (r"(?<!\w)" if phrase[0].isascii() else "", r"(?!\w)" if phrase[-1].isascii() else "")
    return f"{begins}{body}{ends}"


def hits(given: Given) -> Iterator[Hit]:
    """Every phrase that is found, where it stands; of two in one place, the longer one."""
    known, whole = lists(given.config.language), given.article.page.visible().lower()
    wanted = [phrase for phrase in _phrases(given.config.language) if phrase.word in whole]
    for part in given.article.parts:
        for sentence in part.sentences if wanted else ():
            for name, text in _found(wanted, sentence.text):
                yield Hit(name, known[name].level, known[name].why, text, sentence.text, part.place, sentence.line)


def _found(wanted: Sequence[_Phrase], sentence: str) -> list[tuple[str, str]]:
    spans = [(*found.span(), one.name) for one in wanted for found in one.expression.finditer(sentence)]
    longest = [
        (start, end, name)
        for start, end, name in spans
        if not any(a <= start and end <= b and b - a > end - start for a, b, _ in spans)
    ]
    return [(name, sentence[start:end]) for start, end, name in sorted(set(longest))]


def patterns(given: Given) -> Iterator[Finding]:
    """All of them are reported; those of level P0 stop the article."""
    for hit in hits(given):
        yield Finding(
            rule=f"article.pattern.{hit.name}",
            problem=f"{hit.level}: {hit.text!r} in {hit.sentence[:80]!r}",
            repair=f"write it without; {hit.why}",
            file=given.file,
            line=hit.line,
            about=hit.place,
            severity="error" if hit.level == "P0" else "warning",
        )
