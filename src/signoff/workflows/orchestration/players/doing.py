"""The doer: it builds what its craft knows how to build, runs the tests of it, and hands over what they printed.

A turn of work writes files and says what it took for true; a review of its own looks at the notes, runs the tests once
more on what is there, and settles what is its own. Nothing is handed over as evidence that did not happen in the turn.
What no craft can build is built by nobody here and described by nobody: a person is asked, item by item.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from signoff.core.permissions import may_run
from signoff.core.workflow import Ended
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.authority import DECIDES
from signoff.workflows.orchestration.checkpoints import Criterion
from signoff.workflows.orchestration.players import (
    craft_api,
    craft_database,
    craft_import,
    craft_poc,
    craft_tests,
    domains,
)
from signoff.workflows.orchestration.players.crafting import Craft, Made, Task, cases_in
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.layout import QUIET
from signoff.workflows.orchestration.players.openings import edited, openings
from signoff.workflows.orchestration.players.unbuilt import asked, unbuilt

CRAFTS: Final[Mapping[str, Craft]] = {
    domains.DATABASE.agent: craft_database.craft,
    domains.API.agent: craft_api.craft,
    domains.DATA_MIGRATION.agent: craft_import.craft,
    domains.TEST.agent: craft_tests.craft,
}
"""What offline doers can really build, by the kind of work."""
_PASSED: Final = re.compile(r"\d+ (?:passed|failed|skipped|error)[^\n]*")
_TOOK: Final = re.compile(r" in \d+\.\d+s\b")
_TYPE: Final = re.compile(r"You are of the type `(\w+)`")
_LABEL: Final = "Made offline by a role player, with no model:"
"""So everybody knows whose work it is, wherever it is shown."""
_NOTHING: Final = Made({}, (), (), "nothing, for no craft of its kind fits the task")


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ran in this turn."""

    command: str
    code: int
    output: str

    @classmethod
    def of(cls, command: str, ended: Ended) -> Ran:
        """What a command gave; how long it took is nobody's evidence, and would differ each time."""
        return cls(command, ended.code, _TOOK.sub("", ended.output))

    @property
    def ended(self) -> str:
        """How it ended, in the words of the command."""
        counted = _PASSED.findall(self.output)
        return f"exit code {self.code}" + (f", {counted[-1].strip(' =')}" if counted else "")


def _work(desk: Desk) -> Payload:
    task = Task(desk)
    made = craft_of(task)(task) or _NOTHING
    return _reviewed(task, made) if desk.note("mode") == "review" else _worked(task, made)


def craft_of(task: Task) -> Craft:
    """The craft of a task: a trial is one by its words; else it is the kind of work that its agent is for."""
    if "Find out whether this holds: " in task.told:
        return craft_poc.craft
    said = _TYPE.search(task.told)
    kind = domains.of_agent(task.agent, said[1] if said else None)
    return CRAFTS.get(kind.agent, lambda _task: None)


def _is_trial(task: Task) -> bool:
    return craft_of(task) is craft_poc.craft


# --- a turn of work ---------------------------------------------------------------------------------------------------


def _worked(task: Task, made: Made) -> Payload:
    for path, text in _files(task, made).items():
        task.desk.tools.write(path, text)
    left = {} if _is_trial(task) else unbuilt(task, made)
    ran = tuple(_run(task, made, left))
    failing = [one for one in ran if one.code != 0 and not _is_trial(task)]
    raised = openings(task, made) if made is not _NOTHING else ()  # nobody needs to know how nothing is built
    escalated = [*raised, *edited(task, [one.command for one in failing]), *asked(task, left)]
    fresh = (one for one in made.assumed if one.what not in {str(note.get("description")) for note in task.notes})
    assumed = [
        {"description": one.what, "context": one.where, "category": "implementation", "status": "open"} for one in fresh
    ]
    _write_result(task, ran)
    return {
        "status": "blocked" if escalated else "working" if failing else "completion_drive_review",
        "summary": _summary(made, ran, left),
        "notes": [*escalated, *assumed],
        "evidence": list(_evidence(task, made, ran, left)),
    }


def _summary(made: Made, ran: Iterable[Ran], left: Collection[str]) -> str:
    """What there is, how its commands ended, and what there is not."""
    without = f" Not built: {', '.join(left)}." if left else ""
    return f"{_LABEL} {made.summary}.{without} {_how(ran)}"


def _files(task: Task, made: Made) -> dict[str, str]:
    """What is written: what the contract lets it write, what differs from what is there, and nothing a person wrote."""
    every = {**made.files, **{suite.path: suite.text(task) for suite in made.suites}}
    mine = {path: text for path, text in every.items() if task.may_write(path) and not task.is_theirs(path)}
    return {path: text for path, text in mine.items() if task.desk.text(path) != text}


def _write_result(task: Task, ran: Iterable[Ran]) -> None:
    """A trial leaves what its commands printed, so that it can be looked at without running them."""
    if not _is_trial(task):
        return
    parts = [f"`{one.command}`: {one.ended}\n\n```\n{one.output.strip()}\n```" for one in ran]
    path = f"{places.output(task.agent)}result.md"
    if parts and task.may_write(path):
        task.desk.tools.write(path, "\n\n".join((f"# {task.agent}", *parts)) + "\n")


def _run(task: Task, made: Made, left: Collection[str]) -> Iterator[Ran]:
    """Every command of the criteria, and the tests that none of them runs; what may not be run is not."""
    for command in dict.fromkeys(_commands(task, made, left)):
        if may_run(shlex.split(command), task.desk.assignment.start.runs):
            ended = task.desk.tools.run(command)
            yield Ran.of(command, ended)


def _commands(task: Task, made: Made, left: Collection[str]) -> Iterator[str]:
    built = [one.command for one in task.criteria if one.command and one.id not in left]
    listed = [command for command in built if command.startswith("python -m pytest")]
    yield from listed
    for suite in made.suites:
        if not any(suite.path.startswith(place) for command in listed for place in shlex.split(command)[3:]):
            yield f"python -m pytest {suite.path} -q -s {QUIET}"


def _how(ran: Iterable[Ran]) -> str:
    listed = [f"`{one.command}` ended with {one.ended}." for one in ran]
    return " ".join(listed) or "No command was run."


# --- evidence ---------------------------------------------------------------------------------------------------------


def _evidence(task: Task, made: Made, ran: tuple[Ran, ...], left: Collection[str]) -> Iterator[dict[str, Any]]:
    """For each criterion what shows it; for what is not built, and for what was not run, nothing."""
    shown = (_shown(one, task, made, ran) for one in task.criteria if one.id not in left)
    return (one for one in shown if one)


def _shown(criterion: Criterion, task: Task, made: Made, ran: tuple[Ran, ...]) -> dict[str, Any] | None:
    """What shows a criterion: the tests that speak of it and how they ended, or the file that it names."""
    named = next((path for path in made.files if f"`{path}`" in criterion.text), "")
    if named and criterion.command is None:
        return {"criterion": criterion.id, "shows": f"`{named}` beside the files that it describes", "path": named}
    command = next((one for one in ran if _runs(one, criterion)), None)
    tests = [
        (one.name, suite.path)
        for suite in made.suites
        for one in suite.chosen(task)
        if one.shows.search(criterion.text)
    ]
    if command is None or not tests:
        return None
    names = ", ".join(f"`{name}`" for name, _ in tests)
    shows = f"{names}: {command.ended}"
    if _is_trial(task):
        printed = [line for line in command.output.splitlines() if re.match(r"(?:values|lines): ", line.lstrip("."))]
        shows = f"{shows}; {'; '.join(line.lstrip('.') for line in printed)}"
    return {"criterion": criterion.id, "shows": shows, "command": command.command, "path": tests[0][1]}


def _runs(ran: Ran, criterion: Criterion) -> bool:
    """Whether a command is the criterion's own; where it has none, any will do that ran."""
    return criterion.command is None or ran.command == criterion.command


# --- a review of its own ----------------------------------------------------------------------------------------------


def _reviewed(task: Task, made: Made) -> Payload:
    """Settles what is its own and escalates the rest; what fails now is worked on again."""
    left = {} if _is_trial(task) else unbuilt(task, made)
    ran = tuple(_run(task, made, left))
    failing = [one for one in ran if one.code != 0 and not _is_trial(task)]
    missing = [suite.path for suite in made.suites if not cases_in(task.desk.text(suite.path))]
    if failing or missing or any(asked(task, left)):
        return {
            "status": "working",
            "summary": f"Looking again showed that it is not done. {_summary(made, failing, left)}",
            "evidence": list(_evidence(task, made, ran, left)),
        }
    notes = [_settled(note, made) for note in task.notes if note.get("status") == "open"]
    escalated = any(note["status"] == "escalated" for note in notes)
    return {
        "status": "blocked" if escalated else "ready_for_verification",
        "summary": _summary(made, ran, left),
        "notes": notes,
        "evidence": list(_evidence(task, made, ran, left)),
    }


def _settled(note: Mapping[str, Any], made: Made) -> dict[str, Any]:
    """A note as it is settled, or why it is not: what is another's goes to them, and so does what is unclear."""
    said = {name: note[name] for name in ("note_id", "description", "context", "category") if note.get(name)}
    why = next((one.why for one in made.assumed if one.what == note.get("description")), "")
    if why and DECIDES.get(note.get("category") or "conflict") == "agent_self":
        return {**said, "status": "resolved", "resolution": why}
    return {**said, "status": "escalated", "escalation_reason": "It is not mine to settle, or I do not know how."}


doer = player(_work)
