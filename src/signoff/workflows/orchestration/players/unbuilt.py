"""What no craft of the offline doer can build: found by holding what it made against each criterion, and asked about.

Nothing is written in its place. A person takes a model for the role, writes the thing and its test by hand, changes the
plan, or says that it is left out; what they say otherwise is followed as far as a craft goes, and asked about again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from signoff.workflows.orchestration.checkpoints import Criterion
from signoff.workflows.orchestration.players.crafting import Made, Task
from signoff.workflows.orchestration.players.proving import Proof, alone, asked_for, lacking, proofs
from signoff.workflows.wording import clipped

CANNOT: Final = "This is not built, for no offline craft fits it:"
_HELPS: Final = (
    "What helps: a model for this work (`--runtime model` or `--runtime claude-code` with your answer), the thing and "
    "its test written by hand, a change of the plan, or the answer “Leave it out”, for all of it or by the ids of some."
)
_LEFT_OUT: Final = re.compile(r"\s*(?:please\s+)?leave\b(?:[^.;]|\.(?=\w))*\bout\b", re.IGNORECASE)
_ID: Final = re.compile(r"(?<![\w.])[a-z]\w*\.\w+(?![\w.]*\w)")
_SHORT: Final = 240


def unbuilt(task: Task, made: Made) -> dict[str, str]:
    """The criteria that nothing of what was made shows, by their ids, each with what it asks for."""
    there = _there(task, made)
    known = proofs(there)
    return {one.id: said for one in task.criteria if (said := _missing(one, task, made, there, known))}


def _there(task: Task, made: Made) -> dict[str, str]:
    """The files as they are after the turn: what is made, but for what a person edited, among what was given."""
    suites = {suite.path: suite.text(task) for suite in made.suites}
    given = {path: task.desk.text(path) for path in task.desk.files}
    return {**given, **{path: task.standing(path, text) for path, text in {**made.files, **suites}.items()}}


def _missing(criterion: Criterion, task: Task, made: Made, there: Mapping[str, str], known: Iterable[Proof]) -> str:
    """What a criterion asks for, where it is not there; "" where it is."""
    if named := re.match(r"`([^`]+)` has ", criterion.text):
        return "" if there.get(named[1], "").strip() else clipped(criterion.text, _SHORT)
    said = asked_for(criterion.text)
    parts = next((parts for action, parts in made.unread.items() if action.rstrip(".") in criterion.text), ())
    names = {one.name for suite in made.suites for one in suite.chosen(task) if one.shows.search(criterion.text)}
    given = [one for one in known if one.reaches]
    own = [one for one in given if one.name in names]
    if (own and not parts and not lacking(criterion.text, own)) or alone(criterion.text, given):
        return ""
    return clipped(said, _SHORT) + (f" (of it: {', '.join(parts)})" if parts else "")


def asked(task: Task, left: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """What is not built and nobody has left out, as a question to a person; after a word that does not help, again."""
    open_ones = {name: text for name, text in left.items() if name not in left_out(task.notes)}
    if not open_ones:
        return
    listed = "; ".join(f"{name}: {text.rstrip('.')}" for name, text in open_ones.items())
    said = f"{CANNOT} {listed}. {_HELPS}"
    if answer := task.resolution(said):
        said = f"“{clipped(answer, _SHORT)}” does not build it. {said}"
    yield {
        "description": said, "context": "the criteria of the task", "category": "requirement", "status": "escalated",
        "escalation_reason": "Only who wants it can do without it, or say who builds it.",
    }  # fmt: skip


def left_out(notes: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The criteria that a person who was asked has left out, by their ids, each with their word."""
    found = dict[str, str]()
    for note in notes:
        said, answer = str(note.get("description") or ""), str(note.get("resolution") or "")
        if CANNOT in said and note.get("resolved_by") == "user" and _LEFT_OUT.match(answer):
            meant = _ID.findall(said.partition(CANNOT)[2])
            found.update(dict.fromkeys([one for one in _ID.findall(answer) if one in meant] or meant, answer))
    return found
