"""Personas: conversations in which a person makes something with a workflow, one question at a time.

A definition is data and pure functions, so it works on every surface: the command line asks the questions, and the
model of a host is told them. What a conversation makes is checked like any output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.findings import Finding

Said = Mapping[str, str]
"""The answers so far, by the keys of questions; an empty answer means that there is nothing (more) to say."""

NAMED = "task"
"""The question for the name of the task, in the interview of a persona that makes a file."""

DIGITS = 3
"""The most digits that the number of a round has, so that a made-up number cannot make a loop endless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a conversation is about, and a reader of the files that it may look at.

    If it is about a turn, `files` are the inputs of the turn, and `notes` what the orchestrator gives with it.
    """

    task: str = ""
    read: Callable[[str], bytes | None] = lambda _path: None
    files: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Need:
    """A file that a persona needs before it begins (`*` stands for any name), and the persona that makes it."""

    path: str
    maker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """The questions, and the output that is made of the answers; without `output`, a model makes it.

    `questions` gives them in their order, as far as they follow from the answers so far, each with its answer; of a
    question that repeats, the next one. A question whose answer has a verdict is asked again. Without any answer, it
    gives the first question of each topic.
    """

    questions: Callable[[Said, Scene], Iterator[Question]]
    output: Callable[[Said, Scene], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file that a persona makes before any run: an output under a contract, rendered; `path` has `{task}` in it.

    `task` reads from an output which task it is for.
    """

    contract: str
    path: str
    render: Callable[[Any], str]
    task: Callable[[Any], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A payload of an act that is more than a note: its JSON Schema, and a check of it.

    If it `must` be given, the act is refused without it; a note in its place is checked as well.
    """

    schema: Callable[[], Mapping[str, Any]]
    check: Callable[[Mapping[str, Any]], Sequence[Finding]]
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to settle a request: the word for it, what it does, the act, and the questions for its payload.

    `takes` is what the payload must be; if it is None, only a note can be given.
    """

    word: str
    about: str
    act: str
    questions: Callable[[Said], Iterator[Question]] = lambda _said: iter(())
    payload: Callable[[Said], Mapping[str, Any]] = lambda _said: {}
    takes: Given | None = None


@dataclass(frozen=True, slots=True)
class Settling:
    """How a request is put to a person: what they should read first (Markdown), and the ways to settle it."""

    shown: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A role in a conversation. It makes a file before any run, or has a part in one.

    `artifact` is the file. In a run, the persona takes the turns of `agent`, and puts those requests to a person that
    `settle` has ways for; `begins` says that it begins the run if there is none. `report` says what came of its part.
    `task` reads the name of a task as a person typed it, or raises UsageError; `run` names the task's run. `next` is
    the persona that follows.
    """

    name: str
    about: str
    needs: Callable[[str], Sequence[Need]] = lambda _task: ()
    interview: Interview | None = None
    artifact: Artifact | None = None
    agent: str = ""
    settle: Callable[[Ask, Scene], Settling | None] = lambda _ask, _scene: None
    begins: bool = False
    report: Callable[[Scene], str] = lambda _scene: ""
    task: Callable[[str], str] = lambda typed: typed
    run: Callable[[str], str] = lambda task: task
    next: str = ""


def upcoming(questions: Iterable[Question], said: Said) -> Question | None:
    """The next question: the first without an answer, or with an answer that has a verdict."""
    return next((one for one in questions if one.key not in said or one.verdict), None)


def rounds(said: Said, key: str) -> Iterator[str]:
    """The keys of a question that repeats: all that were answered, and the next, unless the last answer was empty.

    An empty answer with others behind it was removed later: it is passed over.
    """
    last = max((_number(key, name) for name in said), default=0)
    for number in count(1):
        name = f"{key}-{number}"
        if said.get(name, "").strip() or number >= last:
            yield name
        if number >= last and not said.get(name, "").strip():
            return


def _number(key: str, name: str) -> int:
    """Which round of this key a name is, 0 for none."""
    tail = name.removeprefix(f"{key}-")
    known = tail != name and tail.isascii() and tail.isdecimal() and len(tail) <= DIGITS
    return int(tail) if known else 0
