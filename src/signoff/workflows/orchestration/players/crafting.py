"""What every craft of the offline doer works with: the task it was given, the files it makes, and the tests of them.

A craft is code that builds one kind of thing. It knows a number of tests by heart; which of them it writes depends on
what is asked for: by the criteria, by a verifier who missed something, by a person who said something.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.permissions import may_write
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checkpoints import Checkpoint, Criterion, FailureMode
from signoff.workflows.orchestration.players.desk import Desk

_STEP: Final = re.compile(r"(?m)^\d+\. (.+)$")
_POINT: Final = re.compile(r"(?m)^- (.+)$")
_SETTLED: Final = re.compile(r"“(?P<item>[^”]+)” is settled: (?P<answer>.+)")
_UNDECIDED: Final = "This is not decided; if your work needs it, escalate and do not guess:"
_EDITED: Final = re.compile(r"A person edited (?P<paths>.+)\.$")
_KEPT: Final = re.compile(r"\s*keep\b", re.IGNORECASE)
_STACK: Final = re.compile(r"Technologies are settled \((?P<stack>[^)]*)\)")


@dataclass(frozen=True)
class Task:
    """What a doer was given: its instructions, its contract, its inputs, and what was said of its work so far."""

    desk: Desk

    @property
    def agent(self) -> str:
        return self.desk.note("agent")

    @property
    def stem(self) -> str:
        return self.agent.removesuffix("_agent")

    @cached_property
    def instructions(self) -> str:
        return self.desk.text(places.instructions(self.agent))

    @cached_property
    def told(self) -> str:
        """What stands under Task in the instructions: everything that is about this work and not about how to work."""
        return self.instructions.partition("\n## Task\n")[2].partition("\n## Inputs\n")[0]

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions of the plan, in their order; what the plan was quoted with is left to the plan."""
        return tuple(squeeze(text.partition(" (the plan says: “")[0]) for text in _STEP.findall(self.told))

    @cached_property
    def minded(self) -> tuple[str, ...]:
        """What holds besides, and the practices."""
        return tuple(map(squeeze, _POINT.findall(self.told.partition(_UNDECIDED)[0])))

    @cached_property
    def undecided(self) -> tuple[str, ...]:
        """What nobody has settled, and nobody may guess."""
        block = self.told.partition(_UNDECIDED)[2].partition("Technologies are settled")[0]
        return tuple(map(squeeze, _POINT.findall(block)))

    def settled(self, words: re.Pattern[str]) -> str:
        """The answer that a person gave to what was open, found by its words; "" where there is none."""
        found = (hit for hit in map(_SETTLED.search, self.minded) if hit and words.search(hit["item"]))
        return next((hit["answer"] for hit in found), "")

    @property
    def stack(self) -> str:
        found = _STACK.search(self.told)
        return found["stack"] if found else ""

    # --- the contract ---

    @property
    def writes(self) -> tuple[str, ...]:
        return self.desk.assignment.start.writes

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The paths and patterns that the contract has it write, besides its own folder."""
        own = f"{places.output(self.agent)}*"
        return tuple(path for path in self.writes if path != own)

    @cached_property
    def test(self) -> str:
        """Where its tests lie; a pattern becomes one file below it. "" for who writes none."""
        return next((self.file(path) for path in self.named if path.startswith("tests/")), "")

    @cached_property
    def module(self) -> str:
        """Its part of the program; "" for who writes none."""
        own = (path for path in self.named if path.endswith(f"/{self.stem}.py") and not path.startswith("tests/"))
        return next(own, "")

    @cached_property
    def handover(self) -> str:
        """What it leaves for the others to read."""
        folder = places.output(self.agent)
        left = (path for path in self.named if path.startswith(folder))
        return next((self.file(path) for path in left), f"{folder}notes.md")

    def file(self, path: str) -> str:
        """A path of the contract as one file: what a pattern leaves open gets the agent's name."""
        if "*" not in path:
            return path
        folder, _, last = path.rpartition("/")
        ending = last.rpartition(".")[2] if "." in last else "md"
        if path.startswith("tests/"):
            return f"{folder}/test_{folder.rpartition('/')[2] if self.stem == 'test' else self.stem}.py"
        return f"{folder}/{self.stem}.{ending}"

    def standing(self, path: str, text: str) -> str:
        """A file as it will be: the one that a person edited where that stays, else what is made of it."""
        return self.desk.text(path) if self.is_theirs(path) else text

    @cached_property
    def edited(self) -> tuple[str, ...]:
        """The files that a person has edited."""
        found = filter(None, map(_EDITED.match, self.guidance))
        return tuple(path for hit in found for path in hit["paths"].split(", "))

    def is_theirs(self, path: str) -> bool:
        """Whether a person has edited a file: it stays as it is, unless they were asked and did not say to keep it."""
        if path not in self.edited:
            return False
        asked = [str(one.get("resolution") or "") for one in self.notes if path in str(one.get("description") or "")]
        return not any(asked) or any(map(_KEPT.match, asked))

    def may_write(self, path: str) -> bool:
        return may_write(path, self.writes)

    # --- the proof ---

    @cached_property
    def points(self) -> tuple[Checkpoint, ...]:
        """Its checkpoints, as the brief has them."""
        given: Sequence[Mapping[str, Any]] = self.desk.notes.get("criteria") or ()
        return tuple(Checkpoint.model_validate(one) for one in given)

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        return tuple(one for point in self.points for one in point.criteria)

    @property
    def modes(self) -> tuple[FailureMode, ...]:
        return tuple(one for point in self.points for one in point.failure_modes)

    @property
    def missing(self) -> tuple[str, ...]:
        """What the last verification did not see."""
        return tuple(map(str, self.desk.notes.get("missing_evidence") or ()))

    @property
    def guidance(self) -> tuple[str, ...]:
        return tuple(map(str, self.desk.notes.get("guidance") or ()))

    @cached_property
    def notes(self) -> tuple[Mapping[str, Any], ...]:
        """Its own notes so far."""
        return tuple(self.desk.notes.get("notes") or ())

    def resolution(self, description: str) -> str:
        """What became of a note that it made before; "" where it is open, or there is none."""
        found = (str(one.get("resolution") or "") for one in self.notes if one.get("description") == description)
        return next(found, "")

    def inputs(self, ending: str) -> dict[str, str]:
        """The inputs with this ending that others made or that were there before, as text."""
        found = (path for path in sorted(self.desk.files) if path.endswith(ending) and not self._is_own(path))
        return {path: self.desk.text(path) for path in found}

    def _is_own(self, path: str) -> bool:
        return path.startswith(places.agent(self.agent)) or path in (self.module, self.test)


@dataclass(frozen=True, slots=True)
class Case:
    """One test that a craft knows by heart: `shows` are the words of a criterion that it answers."""

    shows: re.Pattern[str]
    code: str

    @property
    def name(self) -> str:
        found = re.search(r"(?m)^def (test_\w+)", self.code)
        return found[1] if found else ""


def case(shows: str, code: str) -> Case:
    return Case(re.compile(shows, re.IGNORECASE), code.strip("\n"))


@dataclass(frozen=True, slots=True)
class Suite:
    """A file of tests: its beginning, and the tests to choose from."""

    path: str
    head: str
    cases: tuple[Case, ...]

    def chosen(self, task: Task) -> tuple[Case, ...]:
        """The tests that are asked for, and those that were there before: what was accepted is left as it is."""
        wanted = (*(one.text for one in task.criteria), *task.missing, *task.guidance)
        before = cases_in(task.desk.text(self.path))
        return tuple(one for one in self.cases if one.name in before or any(one.shows.search(text) for text in wanted))

    def text(self, task: Task) -> str:
        return "\n\n\n".join((self.head.strip("\n"), *(one.code for one in self.chosen(task)))) + "\n"


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a craft took for true, where, and why that is its own to settle."""

    what: str
    where: str
    why: str


@dataclass(frozen=True)
class Made:
    """What a craft makes: files by path, suites of tests, what it took for true, and a few words for it.

    `unread` has, by action, the parts of it that the craft could not read and has not built.
    """

    files: Mapping[str, str]
    suites: tuple[Suite, ...]
    assumed: tuple[Assumed, ...]
    summary: str
    unread: Mapping[str, Sequence[str]] = field(default_factory=dict)


Craft = Callable[[Task], Made | None]
"""Builds what it knows how to build; None where the task is not of its kind, or its inputs are not there."""


def cases_in(text: str) -> dict[str, str]:
    """The tests of a file by their names, each with the words that say what it shows."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    defined = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {
        node.name: f"{node.name.replace('_', ' ')}. {ast.get_docstring(node) or ''}"
        for node in defined
        if node.name.startswith("test_")
    }
