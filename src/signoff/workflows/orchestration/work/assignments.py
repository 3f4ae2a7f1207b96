"""The turns of the work: what each is told, and what it may read, write and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from signoff.artifacts.yaml_forms import Form
from signoff.core.commands import StartTurn, TurnLimits
from signoff.core.declarations import Now
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.config import Config, config_of
from signoff.workflows.orchestration.design.instructions import template_for, works_under
from signoff.workflows.orchestration.documents import agent_instructions
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract, Read
from signoff.workflows.orchestration.ids import TSA
from signoff.workflows.orchestration.outputs import InstructionsOutput
from signoff.workflows.orchestration.sequence import path_patterns
from signoff.workflows.orchestration.state import Design, Shelf, own_of
from signoff.workflows.orchestration.work.escalations import RULED, TACTICAL
from signoff.workflows.orchestration.work.progress import Case, Work, Worker
from signoff.workflows.orchestration.work.schedule import Task

CRASHES: Final = 3
"""How often a turn that crashes is tried in all (OR-21)."""
LEAVES: Final = (
    "*__pycache__/*", "*.pytest_cache/*", "*.pyc", "*.ruff_cache/*", "*.mypy_cache/*", "*.coverage", "*.hypothesis/*",
    "*node_modules/*",
)  # fmt: skip
"""By-products of commands: they stay in the workspace, and are neither taken in nor reported."""


def start(now: Now, work: Work, task: Task, stands: Mapping[str, Any]) -> StartTurn:
    """The turn of a task that is due; `stands` is the status of all agents."""
    return _STARTS[task.kind](_Desk(now, work, task, stands))


@dataclass(frozen=True)
class _Desk:
    """Everything that a turn is made from."""

    now: Now
    work: Work
    task: Task
    stands: Mapping[str, Any]

    @cached_property
    def own(self) -> Design:
        return own_of(self.now.state)

    @cached_property
    def shelf(self) -> Shelf:
        return Shelf(self.now.state, self.now.look)

    @cached_property
    def config(self) -> Config:
        return config_of(self.now.state, self.now.look)

    @property
    def worker(self) -> Worker:
        return self.work.workers[self.task.agent]

    @cached_property
    def given(self) -> tuple[FileContract, tuple[Checkpoint, ...]]:
        """The agent's file contract, and the checkpoints that prove its work."""
        if self.worker.serves:
            return tactical_contract(self.own), (RULED,)
        return works_under(self.shelf, self.task.agent)

    def there(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The documents of the project that match one of these patterns."""
        listed = tuple(wanted)
        exact = {path for path in listed if not path_patterns.wild(path)} & self.now.state.docs.keys()
        wild = [path for path in listed if path_patterns.wild(path)]
        meant = (path for path in self.now.state.docs if any(path_patterns.overlap(path, one) for one in wild))
        return tuple(sorted({*exact, *meant}))

    def made(self) -> tuple[str, ...]:
        """The files that the agent has written under its contract."""
        name = self.task.agent
        found = self.there([f"{places.output(name)}**", *(written.path for written in self.given[0].writes)])
        return tuple(path for path in found if path != places.manifest(name))

    def inputs(self) -> tuple[str, ...]:
        return self.there(read.path for read in self.given[0].reads)

    def told(self) -> dict[str, Any]:
        """What every turn about an agent's work is told: the status of all, its notes, and what it was told."""
        worker = self.worker
        return {
            "task": self.own.task,
            "agent": self.task.agent,
            "task_id": worker.task_id,
            "status": self.stands,
            "notes": _plain(worker.notes),
            "guidance": list(worker.told),
            "missing_evidence": list(worker.failures[-1].missing) if worker.failing else [],
        }

    def questions(self) -> list[dict[str, Any]]:
        """What a tactical task has to decide."""
        case = self.work.case_of(self.worker.serves) if self.worker.serves else None
        return _escalated(case, self.work, TACTICAL) if case else []

    def shown(self) -> dict[str, Any]:
        """What the agent says about its work, and the commands that code saw."""
        worker = self.worker
        return {
            "summary": worker.summary,
            "evidence": _plain(worker.evidence),
            "ran": [asdict(one) for one in worker.ran],
            "rulings": _plain(worker.rulings),
        }

    def turn(
        self, agent: str, contract: str, what: str, *, notes: Mapping[str, Any], reads: Iterable[str],
        guides: tuple[str, ...] = (), writes: tuple[str, ...] = (), runs: bool = False,
    ) -> StartTurn:  # fmt: skip
        given = {name: value for name, value in notes.items() if value not in (None, (), [], {}, "")}
        commands = self.config.commands if runs else ()
        tools = (*((WRITE_FILE,) if writes else ()), *((RUN_COMMAND,) if commands else ()))
        limits = TurnLimits(crashed=CRASHES, seconds=self.config.turn_seconds, command=self.config.command_seconds)
        return StartTurn(
            key=self.task.key, agent=agent, contract=contract, task=what, notes=given,
            reads=tuple(dict.fromkeys(reads)), guides=guides, writes=writes, runs=commands,
            leaves=LEAVES if runs else (), tools=tools, limits=limits,
        )  # fmt: skip


def _plain(forms: Iterable[Form]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json", exclude_none=True) for one in forms]


def _written(contract: FileContract, name: str) -> tuple[str, ...]:
    """The patterns of the paths that an agent may write; a folder stands for everything in it."""
    paths = (one.path + "*" if one.path.endswith("/") else one.path for one in contract.writes)
    return tuple(dict.fromkeys((f"{places.output(name)}*", *(path.replace("**", "*") for path in paths))))


# --- work -------------------------------------------------------------------------------------------------------------

_WHAT = {
    "do": "Do the work of {agent} as its instructions say, and say every assumption as a note.",
    "drive": "Review what {agent} has made before it counts as done: settle every note, or escalate it.",
}


def _do(desk: _Desk) -> StartTurn:
    name = desk.task.agent
    contract, _ = desk.given
    serves = desk.worker.serves
    notes = {
        **desk.told(),
        "mode": "review" if desk.task.kind == "drive" else "work",
        "criteria": _plain(desk.given[1]),
        "reviews": desk.worker.reviews,
        "serves": serves,
        "escalated": desk.questions(),
        "rulings": _plain(desk.worker.rulings),
    }
    agent, form = ("tactical-solution-architect", "tactical") if serves else ("doer", "work")
    return desk.turn(
        agent, form, _WHAT[desk.task.kind].format(agent=name), notes=notes,
        reads=(*desk.inputs(), *desk.made()), guides=(places.instructions(name),),
        writes=_written(contract, name), runs=True,
    )  # fmt: skip


def _verify(desk: _Desk) -> StartTurn:
    doer, verifier = desk.task.agent, desk.task.by
    notes = {
        **desk.told(),
        **desk.shown(),
        "verifier": verifier,
        "criteria": _plain(desk.given[1]),
        "round": len(desk.worker.failures) + 1,
        "escalated": desk.questions(),
    }
    reads = (places.instructions(doer), *desk.inputs(), *desk.made())
    guide = places.instructions(verifier)
    what = f"Verify the work of {doer}: look at its outputs and notes, and run what shows that the criteria are met."
    return desk.turn(
        "verifier", "verdict", what, notes=notes, reads=reads,
        guides=(guide,) if guide in desk.now.state.docs else (), runs=True,
    )  # fmt: skip


def _assess(desk: _Desk) -> StartTurn:
    name = desk.task.agent
    poc = desk.shelf.specs.of(desk.shelf.roster.agents[name].poc_id or "")
    notes = {
        **desk.told(),
        **desk.shown(),
        "poc": poc.model_dump(mode="json", by_alias=True) if poc else None,
        "criteria": _plain(desk.given[1]),
        "assessment": desk.work.assessed.get(name),
    }
    reads = (places.POC_SPECS, *desk.made(), *desk.inputs())
    if desk.task.kind == "assess":
        what = f"Hold the evidence of {name} against its criteria."
        return desk.turn("poc-evidence-reviewer", "assessment", what, notes=notes, reads=reads, runs=True)
    what = f"Decide what follows from {name}: proceed, adapt or escalate."
    reads = (*reads, places.ROSTER, places.CONTRACTS, places.SEQUENCE)
    return desk.turn("poc-decision", "poc-decision", what, notes=notes, reads=reads)


# --- escalations ------------------------------------------------------------------------------------------------------

_SETTLING: Final = {
    "clear": ("escalation-resolution", "resolution", "See whether the answers to {agent} break another agent's task."),
    "resolve": ("escalation-resolution", "resolution", "Settle what contradicts itself in the task of {agent}."),
    "loop": ("loop-resolution", "loop", "Find out why {agent} asks the same again and again, and end it."),
}


def _settle(desk: _Desk) -> StartTurn:
    name, kind = desk.task.agent, desk.task.kind
    case = desk.work.case_of(name)
    assert case is not None  # narrows the type: the task is due because of it
    agent, contract, what = _SETTLING[kind]
    route = {"clear": "person", "resolve": "escalation_resolution"}.get(kind)
    notes = {
        **desk.told(),
        "escalated": _escalated(case, desk.work, route),
        "answers": dict(case.answers) if kind == "clear" else {},
        "question": case.loop if kind == "loop" else "",
        "history": [asdict(one) for one in desk.worker.asked] if kind == "loop" else [],
    }
    reads = (
        desk.own.summary, places.DECISIONS, places.STACK, places.ROSTER, places.CONTRACTS,
        *(places.instructions(member) for member in desk.own.members), *desk.made(),
    )  # fmt: skip
    return desk.turn(agent, contract, what.format(agent=name), notes=notes, reads=reads)


def _escalated(case: Case, work: Work, route: str | None) -> list[dict[str, Any]]:
    """The notes of a case that are not settled, of one route if it is given."""
    listed = {note for note, way in case.routes.items() if note not in case.settled and route in (None, way)}
    return _plain(note for note in work.workers[case.agent].notes if note.note_id in listed)


_STARTS: Final[dict[str, Callable[[_Desk], StartTurn]]] = {
    "do": _do, "drive": _do, "verify": _verify, "assess": _assess, "decide": _assess,
    "clear": _settle, "resolve": _settle, "loop": _settle,
}  # fmt: skip


# --- tactical tasks ---------------------------------------------------------------------------------------------------


def tactical_contract(own: Design) -> FileContract:
    """The file contract of a tactical task: it reads what was approved, and writes no file of the project."""
    paths = (own.summary, places.STACK, places.DECISIONS, places.ROSTER, places.CONTRACTS)
    return FileContract(reads=tuple(Read(path=path) for path in paths))


def tactical_instructions(own: Design, shelf: Shelf, name: str, work: Work) -> str:
    """The instructions of a tactical task: the template and the questions."""
    worker = work.workers[name]
    case = work.case_of(worker.serves)
    asked = _escalated(case, work, TACTICAL) if case else []
    lines = [f"- {note['note_id']} ({note.get('category', 'none')}): {note['description']}" for note in asked]
    task = "\n".join([f"{worker.serves} asks, and may not decide itself:", "", *lines])
    given = InstructionsOutput(agent=name, task=task, evidence=(RULED.criteria[0].evidence,))
    return agent_instructions.render(name, given, template_for(shelf, TSA), tactical_contract(own), (RULED,))
