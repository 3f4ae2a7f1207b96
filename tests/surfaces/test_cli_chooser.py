"""Who acts at a command line, and options that need words."""

from __future__ import annotations

import io

import pytest

from signoff.core.commands import WORDS, Ask
from signoff.core.errors import UsageError
from signoff.service import people, runs
from signoff.service.people import Actor, Via
from signoff.surfaces.cli.terminal import signing


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in (people.PERSON, *people.AGENTS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return monkeypatch


@pytest.mark.req("OR-22")
@pytest.mark.parametrize(
    ("env", "actor"),
    [
        ({}, Actor(Via.SCRIPT)),
        ({people.PERSON: " "}, Actor(Via.SCRIPT)),
        ({people.PERSON: "Ada"}, Actor(Via.NAMED, "Ada")),
        ({people.PERSON: "Ada\x1b[2K"}, Actor(Via.NAMED, "Ada�[2K")),
        ({people.PERSON: "Ada", "CLAUDECODE": "1"}, Actor(Via.AGENT, "CLAUDECODE")),
        ({"AI_AGENT": "x"}, Actor(Via.AGENT, "AI_AGENT")),
    ],
)
def test_the_command_line_says_who_is_there(shell: pytest.MonkeyPatch, env: dict[str, str], actor: Actor) -> None:
    for name, value in env.items():
        shell.setenv(name, value)
    assert signing.here() == actor


@pytest.mark.parametrize(("payload", "taken"), [({}, False), ({"note": " "}, False), ({"note": "Like this"}, True)])
def test_an_option_that_needs_words_is_not_taken_without(payload: dict[str, str], taken: bool) -> None:
    ask = Ask(key="failed-a", kind="choice", options=("guide", "retry"), question="?", notes={WORDS: ["guide"]})
    runs.refuse_wordless(ask, "retry", payload)
    if taken:
        runs.refuse_wordless(ask, "guide", payload)
    else:
        with pytest.raises(UsageError, match="'guide' needs a text"):
            runs.refuse_wordless(ask, "guide", payload)
