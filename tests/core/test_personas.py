"""Personas as data and pure functions: what comes next, what is asked again and again, what a workflow may declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_kit import Kit

from signoff.core.declarations import Question
from signoff.core.errors import DefinitionError
from signoff.core.personas import Artifact, Interview, Persona, Said, Scene, rounds, upcoming
from signoff.core.workflow import People

pytestmark = pytest.mark.req("OR-1")


def question(key: str, said: Said, verdict: str = "") -> Question:
    return Question(key=key, title=key, text="", answer=said.get(key, ""), verdict=verdict)


def questions(said: Said, _scene: Scene | None = None) -> Iterator[Question]:
    yield question("name", said, "too short" if said.get("name") == "x" else "")
    for key in rounds(said, "part"):
        yield question(key, said)
        if said.get(key):
            yield question(f"{key}.why", said)


INTERVIEW = Interview(questions=questions, output=lambda said, _scene: repr(dict(said)))


# --- one question at a time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({}, "name"),
        ({"name": "x"}, "name"),
        ({"name": "lamp"}, "part-1"),
        ({"name": "lamp", "part-1": "foot"}, "part-1.why"),
        ({"name": "lamp", "part-1": "foot", "part-1.why": ""}, "part-2"),
        ({"name": "lamp", "part-1": ""}, None),
        ({"name": "lamp", "part-1": "foot", "part-1.why": "it stands", "part-2": ""}, None),
        ({"name": "x", "part-1": ""}, "name"),
    ],
)
def test_the_next_question_is_the_first_without_an_answer_that_does(said: Said, key: str | None) -> None:
    found = upcoming(questions(said), said)
    assert (found.key if found else None) == key


def test_where_nothing_was_said_the_questions_are_how_each_topic_opens() -> None:
    assert [one.key for one in questions({})] == ["name", "part-1"]


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ({}, ["part-1"]),
        ({"part-1": ""}, ["part-1"]),
        ({"part-1": "a"}, ["part-1", "part-2"]),
        ({"part-1": "a", "part-2": ""}, ["part-1", "part-2"]),
        ({"part-1": "", "part-2": "b"}, ["part-2", "part-3"]),
        ({"part-1": "a", "part-2": " ", "part-3": "c", "part-4": ""}, ["part-1", "part-3", "part-4"]),
        ({"part-1.why": "a", "part-x": "b", "parts-7": "c", "part-²": "d"}, ["part-1"]),
    ],
)
def test_what_is_asked_again_and_again_ends_with_an_empty_answer_and_not_with_one_that_was_taken_out(
    said: Said, keys: list[str]
) -> None:
    assert list(rounds(said, "part")) == keys


@given(st.dictionaries(st.sampled_from(["part-1", "part-2", "part-3", "part-4"]), st.sampled_from(["", "x"])))
def test_no_answer_is_lost_between_rounds_whatever_was_taken_out(said: dict[str, str]) -> None:
    keys = list(rounds(said, "part"))
    assert [key for key in keys if said.get(key)] == sorted(key for key, text in said.items() if text)
    assert list(takewhile(lambda key: said.get(key), keys)) == keys[:-1]
    assert not said.get(keys[-1])


@given(st.lists(st.sampled_from(["", "x", "lamp"]), max_size=12))
def test_whoever_answers_gets_another_question_each_time_or_none(answers: list[str]) -> None:
    said: dict[str, str] = {}
    for answer in answers:
        found = upcoming(questions(said), said)
        if found is None:
            break
        assert found.key not in said or found.verdict
        said[found.key] = answer


# --- declaring them ---------------------------------------------------------------------------------------------------

SKETCH = Persona(name="sketch", about="Draws.", interview=INTERVIEW, agent="writer")


def test_a_workflow_declares_personas_that_fit_it() -> None:
    first = replace(SKETCH, next="other")
    declared = replace(
        Kit().workflow, people=People(personas={"sketch": first, "other": Persona(name="other", about="Looks.")})
    )
    assert declared.people.personas["sketch"].next == "other"


@pytest.mark.parametrize(
    ("persona", "said"),
    [
        (replace(SKETCH, name="scratch"), "calls itself 'scratch'"),
        (replace(SKETCH, agent="nobody"), "takes the turns of an unknown agent 'nobody'"),
        (replace(SKETCH, next="nobody"), "is followed by an unknown persona 'nobody'"),
        (replace(SKETCH, interview=None), "makes something without asking"),
        (
            replace(SKETCH, agent="", artifact=Artifact(contract="x", path="{task}", render=str, task=str)),
            "makes something under an unknown contract 'x'",
        ),
        (
            replace(SKETCH, artifact=Artifact(contract="page", path="{task}", render=str, task=str)),
            "makes a file and has a part in a run",
        ),
    ],
)
def test_a_persona_that_contradicts_itself_is_refused_when_the_workflow_is_built(persona: Persona, said: str) -> None:
    with pytest.raises(DefinitionError, match=said):
        replace(Kit().workflow, people=People(personas={"sketch": persona}))
