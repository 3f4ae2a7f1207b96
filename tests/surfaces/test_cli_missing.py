"""The short interview before a run: what was not said and would be worth knowing."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.workflow import Parameter
from signoff.surfaces.cli.missing import missing

KIND = Parameter(name="kind", about="what it is", choices=("short", "long"), asked="Which kind?")
WHY = Parameter(name="why", about="the reason", asked="Why?")
QUIET = Parameter(name="quiet", about="nobody asks for it")
ALL = (KIND, QUIET, WHY)


@dataclass
class Person:
    """Somebody who types these lines, and what they were shown."""

    typed: list[str]
    said: list[str] = field(default_factory=list)

    def read(self, _prompt: str) -> str | None:
        return self.typed.pop(0) if self.typed else None

    def say(self, line: str) -> None:
        self.said.append(line)

    def edit(self, text: str) -> str | None:
        raise AssertionError(f"nobody wanted to edit {text!r}")


@pytest.mark.parametrize(
    ("before", "typed", "said"),
    [
        ({}, ["short", "because"], {"kind": "short", "why": "because"}),
        ({}, ["2", " well, why not "], {"kind": "long", "why": "well, why not"}),
        ({}, ["", ""], {}),
        ({}, ["", "why not"], {"why": "why not"}),
        ({}, ["1"], {"kind": "short"}),
        ({}, [], {}),
        ({}, ["0", "3", "²", "Long", "long", "1"], {"kind": "long", "why": "1"}),
        ({"kind": "long"}, ["because"], {"why": "because"}),
        ({"kind": "long", "why": "because"}, ["never read"], {}),
    ],
)
def test_what_was_not_said_is_asked_for_by_word_or_number_and_may_be_left_open(
    before: dict[str, str], typed: list[str], said: dict[str, str]
) -> None:
    assert missing(ALL, before, Person(typed)) == said


def test_choices_are_shown_with_their_numbers_and_a_wrong_one_is_quoted_with_what_is_valid() -> None:
    person = Person(["lo\x1bng", "long", "", "unused"])
    missing(ALL, {}, person)
    assert person.said == [
        "A few questions first; an empty line leaves the answer to the agents.",
        "Which kind?",
        "  1  short",
        "  2  long",
        "  'lo�ng' is none of them: type a number, a word of the list, or nothing",
        "Why?",
    ]
    assert person.typed == ["unused"]


def test_nobody_is_asked_where_nothing_is_missing() -> None:
    person = Person(["short"])
    assert missing((QUIET,), {}, person) == {}
    assert (person.said, person.typed) == ([], ["short"])


@given(st.lists(st.text()))
def test_whatever_is_typed_what_comes_of_it_is_valid(typed: list[str]) -> None:
    said = missing(ALL, {}, Person(typed))
    assert said.keys() <= {"kind", "why"}
    assert said.get("kind") in (None, *KIND.choices)
    assert said.get("why") != ""
