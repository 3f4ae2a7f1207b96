"""The short interview before a run: what was not said and would be worth knowing."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.declarations import Parameter
from signoff.core.terms import Term, Terms
from signoff.surfaces.cli.terminal.interview import Desk
from signoff.surfaces.cli.terminal.question_prompts import missing

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


LANGUAGE = Parameter(name="language", about="x", choices=(Term("en", zh="英文"), Term("zh", zh="中文")), asked="Which?")
DEPTH = Parameter(name="depth", about="x", choices=(Term("概述", "overview"), Term("deep", zh="深")), asked="How deep?")


@pytest.mark.req("LB-10")
@pytest.mark.parametrize(
    ("typed", "shown", "said"),
    [
        (["en", "overview"], ["  1  overview", "  2  deep"], {"language": "en", "depth": "概述"}),
        (["zh", "deep"], ["  1  概述", "  2  深"], {"language": "zh", "depth": "deep"}),
        (["中文", "深"], ["  1  概述", "  2  深"], {"language": "zh", "depth": "deep"}),
        (["", "概述"], ["  1  overview / 概述", "  2  deep / 深"], {"depth": "概述"}),
    ],
)
def test_choices_are_shown_in_the_language_of_the_run_and_in_both_before_it_is_known(
    typed: list[str], shown: list[str], said: dict[str, str]
) -> None:
    person = Person(typed)
    assert missing((LANGUAGE, DEPTH), {}, person) == said
    assert person.said[1:] == ["Which?", "  1  en / 英文", "  2  zh / 中文", "How deep?", *shown]


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


@pytest.mark.req("LB-9", "LB-10")
@pytest.mark.parametrize(("language", "shown"), [("en", "  challenge: the hard way"), ("zh", "  挑战: the hard way")])
@pytest.mark.parametrize("typed", ["challenge", "挑战", "Challenge"])
def test_a_way_to_settle_a_request_is_shown_in_the_language_of_the_run_and_typed_in_either(
    language: str, shown: str, typed: str
) -> None:
    person = Person(["unknown", typed])
    desk = Desk(person, terms=Terms(Term("challenge", zh="挑战")), language=language)
    assert desk.pick({"challenge": "the hard way", "later": "leave it open"}) == "challenge"
    assert person.said.count(shown) == 2
