"""Personas: conversations in which a person makes something with a workflow, one question at a time.

A definition is data and pure functions, so that one serves every surface: the command line asks its questions, and the
model of a host is told them. What it makes is checked as any output is, wherever the words came from.
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
"""What was said so far, by the keys of questions; an empty text says that there is nothing (more) to say."""

NAMED = "task"
"""The question whose answer names the task, in the interview of a persona that makes a file."""

DIGITS = 3
"""Of the number of a round: nobody says more than so many things, and a file that says so is not gone through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a conversation is about, and a reader of the files that it may look at.

    Where it is about a turn, `files` are the inputs of the turn, and `notes` what the orchestrator gives with it.
    """

    task: str = ""
    read: Callable[[str], bytes | None] = lambda _path: None
    files: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Need:
    """A file without which a persona does not begin (`*` stands for any name), and who makes it."""

    path: str
    maker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """What is asked, and the output that is made of what was said; without `output`, a model makes it of the answers.

    `questions` gives them in their order, as far as they follow from what was said, each with its answer; of what is
    asked again and again, the next one. A question whose answer has a verdict is asked again. Where nothing was said,
    it gives how each topic opens.
    """

    questions: Callable[[Said, Scene], Iterator[Question]]
    output: Callable[[Said, Scene], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file that a persona makes before any run: an output under a contract, rendered; `path` has `{task}` in it.

    `task` is the one that an output says it is for.
    """

    contract: str
    path: str
    render: Callable[[Any], str]
    task: Callable[[Any], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What goes with an act and is more than a note: its JSON Schema, and what is wrong with one.

    An act that `must` have it is refused without; a note that came instead is checked as well.
    """

    schema: Callable[[], Mapping[str, Any]]
    check: Callable[[Mapping[str, Any]], Sequence[Finding]]
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to settle a request: the word for it, what it does, the act, and what is asked for what goes with it.

    `takes` is what the payload must be, wherever it was made; where it is None, nothing but a word on it is given.
    """

    word: str
    about: str
    act: str
    questions: Callable[[Said], Iterator[Question]] = lambda _said: iter(())
    payload: Callable[[Said], Mapping[str, Any]] = lambda _said: {}
    takes: Given | None = None


@dataclass(frozen=True, slots=True)
class Settling:
    """How a request is put to a person: what they should see first (Markdown), and the ways they can go."""

    shown: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A role in a conversation. It makes a file before any run, or has a part in one.

    `artifact` is the file. In a run it is the persona who takes the turns of `agent`, and who puts the requests to a
    person that `settle` has ways for; `begins` says that it begins the run where there is none. `report` says what came
    of its part. `task` reads the name of a task as somebody typed it, or raises UsageError; `run` names the task's run.
    `next` is the persona that follows.
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
    """The question that comes next: the first without an answer, or with one that does not do."""
    return next((one for one in questions if one.key not in said or one.verdict), None)


def rounds(said: Said, key: str) -> Iterator[str]:
    """The keys of what is asked for again and again: all that were said, and the next, unless nothing more was to say.

    One that was emptied later, with others behind it, is passed over and ends nothing.
    """
    last = max((number for number in map(_number(key), said) if number), default=0)
    for number in count(1):
        name = f"{key}-{number}"
        if said.get(name, "").strip() or number >= last:
            yield name
        if number >= last and not said.get(name, "").strip():
            return


def _number(key: str) -> Callable[[str], int]:
    """Which round of this key a name is, 0 for none."""

    def number(name: str) -> int:
        tail = name.removeprefix(f"{key}-")
        known = tail != name and tail.isascii() and tail.isdecimal() and len(tail) <= DIGITS
        return int(tail) if known else 0

    return number
