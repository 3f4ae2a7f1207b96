"""What is kept of conversations, and how what they make gets into the project."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from signoff.core.declarations import Question
from signoff.core.errors import DocumentError, RefusedError
from signoff.core.personas import Persona, rounds
from signoff.service import conversations
from signoff.service.conversations import Draft, Talk
from signoff.service.people import Actor, Via
from signoff.service.project import Project

pytestmark = pytest.mark.req("OR-1")

PERSON = Actor(Via.NAMED, "ada")
ASKER = Persona(name="asker", about="Asks.")
WISH = Question(key="wish", title="What?", text="")
NEW, NAMED = Talk(persona="asker", topic=()), Talk(persona="asker", topic=("bowl",))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_what_was_said_is_read_back_as_it_was(project: Project) -> None:
    talk = NEW.plus(WISH, "line one\nline “two” 红\n---").plus(Question(key="b", title="", text=""), "")
    conversations.keep(project, talk, NEW)
    assert conversations.recall(project, ASKER) == talk
    assert conversations.recall(project, ASKER, "bowl") == NAMED
    assert talk.without_last().render() == NEW.plus(WISH, talk.said["wish"]).render()


def test_an_answer_that_is_changed_keeps_its_place(project: Project) -> None:
    talk = NEW.plus(WISH, "a").plus(Question(key="b", title="", text=""), "c").plus(WISH, "d")
    assert list(conversations.keep(project, talk, NEW).said.items()) == [("wish", "d"), ("b", "c")]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"said": 7}', b'{"persona": "asker", "said": [{}]}', b"\xff"])
def test_a_file_that_is_no_conversation_is_named_and_not_taken_for_one(project: Project, data: bytes) -> None:
    project.store.write(NEW.path, data, durable=False)
    with pytest.raises(DocumentError, match=r"_workflow/conversations/asker\.json"):
        conversations.recall(project, ASKER)


@pytest.mark.parametrize(
    "changed",
    [{"persona": "../../package"}, {"persona": 7}, {"topic": ["sub/other"]}, {"said": [{"answer": "\ud800"}]}],
)
def test_a_conversation_that_says_it_is_another_is_not_gone_on_with(project: Project, changed: dict[str, Any]) -> None:
    """A project that was cloned brings its own: what is said next would be written where that one says."""
    plain = json.loads(NEW.plus(WISH, "a").render()) | changed
    plain["said"] = [{"key": "wish", "question": "What?", **one} for one in plain["said"]]
    project.store.write(NEW.path, json.dumps(plain).encode(), durable=False)
    with pytest.raises(DocumentError, match=r"_workflow/conversations/asker\.json"):
        conversations.recall(project, ASKER)


@pytest.mark.parametrize("number", ["999999999", "9" * 5000])
def test_a_round_that_nobody_came_to_is_not_counted_up_to(number: str) -> None:
    assert list(rounds({f"wish-{number}": "x", "wish-1": "y"}, "wish")) == ["wish-1", "wish-2"]


def test_what_somebody_else_said_meanwhile_is_not_written_over(project: Project) -> None:
    mine, theirs = NEW.plus(WISH, "mine"), NEW.plus(WISH, "theirs")
    conversations.keep(project, theirs, NEW)
    with pytest.raises(RefusedError, match="another process goes on with this conversation"):
        conversations.keep(project, mine, NEW)
    assert conversations.recall(project, ASKER) == theirs


def test_what_came_of_a_conversation_is_under_its_task_from_then_on(project: Project) -> None:
    talk = conversations.keep(project, NEW.plus(WISH, "a bowl"), NEW)
    ended = conversations.end(project, talk, "bowl")
    assert (ended.ended, conversations.recall(project, ASKER, "bowl")) == (True, ended)
    assert conversations.recall(project, ASKER) == NEW
    assert conversations.under_way(project, ASKER) == []


def test_a_conversation_about_the_task_that_is_under_way_is_not_lost_to_one_that_ended(project: Project) -> None:
    other = conversations.keep(project, NAMED.plus(WISH, "another bowl"), NAMED)
    talk = conversations.keep(project, NEW.plus(WISH, "a bowl"), NEW)
    ended = conversations.end(project, talk, "bowl")
    assert conversations.recall(project, ASKER, "bowl") == other
    assert conversations.recall(project, ASKER) == ended
    assert conversations.under_way(project, ASKER) == ["bowl"]


def test_a_draft_is_written_only_on_what_it_was_compared_with(project: Project) -> None:
    draft = Draft("asker", "a.md", "new\n", None)
    project.store.write("a.md", b"by hand\n", durable=False)
    with pytest.raises(RefusedError, match="changed meanwhile"):
        asyncio.run(conversations.put(project, draft, PERSON, replace=True))
    assert project.store.read("a.md") == b"by hand\n"
    asyncio.run(conversations.put(project, Draft("asker", "a.md", "new\n", b"by hand\n"), PERSON, replace=True))
    assert project.store.read("a.md") == b"new\n"
    asyncio.run(conversations.put(project, draft, PERSON))
