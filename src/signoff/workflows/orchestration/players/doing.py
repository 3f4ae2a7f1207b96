"""The doer: it builds what its craft knows how to build, runs the tests of it, and hands over what they printed.

A turn of work writes files and says what it took for true; a review of its own looks at the notes, runs the tests once
more on what is there, and settles what is its own. Nothing is handed over as evidence that did not happen in the turn.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
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
    craft_plain,
    craft_poc,
    craft_tests,
    domains,
)
from signoff.workflows.orchestration.players.crafting import Craft, Made, Task, cases_in
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.layout import QUIET
from signoff.workflows.orchestration.players.openings import edited, is_theirs, openings
from signoff.workflows.wording import clipped

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
_SHOWN: Final = 200


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
    made = craft_plain.with_described(task, craft_of(task)(task) or craft_plain.craft(task))
    return _reviewed(task, made) if desk.note("mode") == "review" else _worked(task, made)


def craft_of(task: Task) -> Craft:
    """The craft of a task: a trial is one by its words; else it is the kind of work that its agent is for."""
    if "Find out whether this holds: " in task.told:
        return craft_poc.craft
    said = _TYPE.search(task.told)
    kind = domains.of_agent(task.agent, said[1] if said else None)
    return CRAFTS.get(kind.agent, craft_plain.craft)


# --- a turn of work ---------------------------------------------------------------------------------------------------


def _worked(task: Task, made: Made) -> Payload:
    for path, text in _files(task, made).items():
        task.desk.tools.write(path, text)
    ran = tuple(_run(task, made))
    failing = [one for one in ran if one.code != 0] if craft_of(task) is not craft_poc.craft else []
    escalated = [*openings(task, made), *edited(task, [one.command for one in failing])]
    fresh = (one for one in made.assumed if one.what not in {str(note.get("description")) for note in task.notes})
    assumed = [
        {"description": one.what, "context": one.where, "category": "implementation", "status": "open"} for one in fresh
    ]
    _write_result(task, ran)
    return {
        "status": "blocked" if escalated else "working" if failing else "completion_drive_review",
        "summary": f"{task.agent} made {made.summary}. {_how(ran)}",
        "notes": [*escalated, *assumed],
        "evidence": list(_evidence(task, made, ran)),
    }


def _files(task: Task, made: Made) -> dict[str, str]:
    """What is written: what the contract lets it write, what differs from what is there, and nothing a person wrote."""
    every = {**made.files, **{suite.path: suite.text(task) for suite in made.suites}}
    mine = {path: text for path, text in every.items() if task.may_write(path) and not is_theirs(task, path)}
    return {path: text for path, text in mine.items() if task.desk.text(path) != text}


def _write_result(task: Task, ran: Iterable[Ran]) -> None:
    """A trial leaves what its commands printed, so that it can be looked at without running them."""
    if craft_of(task) is not craft_poc.craft:
        return
    parts = [f"`{one.command}`: {one.ended}\n\n```\n{one.output.strip()}\n```" for one in ran]
    path = f"{places.output(task.agent)}result.md"
    if parts and task.may_write(path):
        task.desk.tools.write(path, "\n\n".join((f"# {task.agent}", *parts)) + "\n")


def _run(task: Task, made: Made) -> Iterator[Ran]:
    """Every command of the criteria, and the tests that none of them runs; what may not be run is not."""
    for command in dict.fromkeys(_commands(task, made)):
        if may_run(shlex.split(command), task.desk.assignment.start.runs):
            ended = task.desk.tools.run(command)
            yield Ran.of(command, ended)


def _commands(task: Task, made: Made) -> Iterator[str]:
    listed = [one.command for one in task.criteria if one.command and one.command.startswith("python -m pytest")]
    yield from listed
    for suite in made.suites:
        if not any(suite.path.startswith(place) for command in listed for place in shlex.split(command)[3:]):
            yield f"python -m pytest {suite.path} -q -s {QUIET}"


def _how(ran: Iterable[Ran]) -> str:
    listed = [f"`{one.command}` ended with {one.ended}." for one in ran]
    return " ".join(listed) or "No command was run."


# --- evidence ---------------------------------------------------------------------------------------------------------


def _evidence(task: Task, made: Made, ran: tuple[Ran, ...]) -> Iterator[dict[str, Any]]:
    for criterion in task.criteria:
        yield _shown(criterion, task, made, ran)


def _shown(criterion: Criterion, task: Task, made: Made, ran: tuple[Ran, ...]) -> dict[str, Any]:
    """What shows a criterion: the tests that speak of it and how they ended, or the file that says it."""
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
        path = _described_in(task, made) if not made.suites or criterion.command is None else made.suites[0].path
        return {"criterion": criterion.id, "shows": f"`{path}`: {clipped(criterion.text, _SHOWN)}", "path": path}
    names = ", ".join(f"`{name}`" for name, _ in tests)
    shows = f"{names}: {command.ended}"
    if craft_of(task) is craft_poc.craft:
        printed = [line for line in command.output.splitlines() if re.match(r"(?:values|lines): ", line.lstrip("."))]
        shows = f"{shows}; {'; '.join(line.lstrip('.') for line in printed)}"
    return {"criterion": criterion.id, "shows": shows, "command": command.command, "path": tests[0][1]}


def _described_in(task: Task, made: Made) -> str:
    """The file that says what was done: what is left for the others, or the first that there is."""
    written = (*made.files, *(suite.path for suite in made.suites))
    return next((path for path in written if path == task.handover), written[0])


def _runs(ran: Ran, criterion: Criterion) -> bool:
    """Whether a command is the criterion's own; where it has none, any will do that ran."""
    return criterion.command is None or ran.command == criterion.command


# --- a review of its own ----------------------------------------------------------------------------------------------


def _reviewed(task: Task, made: Made) -> Payload:
    """Settles what is its own and escalates the rest; what fails now is worked on again."""
    ran = tuple(_run(task, made))
    failing = [one for one in ran if one.code != 0] if craft_of(task) is not craft_poc.craft else []
    missing = [suite.path for suite in made.suites if not cases_in(task.desk.text(suite.path))]
    if failing or missing:
        return {
            "status": "working",
            "summary": f"Looking again showed that it is not done. {_how(failing)}".strip(),
            "evidence": list(_evidence(task, made, ran)),
        }
    notes = [_settled(note, made) for note in task.notes if note.get("status") == "open"]
    escalated = any(note["status"] == "escalated" for note in notes)
    return {
        "status": "blocked" if escalated else "ready_for_verification",
        "summary": f"{task.agent} made {made.summary}. {_how(ran)}",
        "notes": notes,
        "evidence": list(_evidence(task, made, ran)),
    }


def _settled(note: Mapping[str, Any], made: Made) -> dict[str, Any]:
    """A note as it is settled, or why it is not: what is another's goes to them, and so does what is unclear."""
    said = {name: note[name] for name in ("note_id", "description", "context", "category") if note.get(name)}
    why = next((one.why for one in made.assumed if one.what == note.get("description")), "")
    if why and DECIDES.get(note.get("category") or "conflict") == "agent_self":
        return {**said, "status": "resolved", "resolution": why}
    return {**said, "status": "escalated", "escalation_reason": "It is not mine to settle, or I do not know how."}


doer = player(_work)
