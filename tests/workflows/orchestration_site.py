"""A small building site for the players of the work: real folders, real commands, the real forms and the note rules.

`Site` gives each turn what the workflow gives it and takes what the workflow takes, and nothing more: no schedule, no
status, no journal. A turn has a folder of its own; what it wrote counts when its output has been read.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestration_sitting import Sitting, holds, plain

from signoff.core.commands import StartTurn, TurnLimits
from signoff.core.errors import UsageError
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Assignment, RolePlayer
from signoff.shell.commands import Ran
from signoff.shell.folder import FolderStore
from signoff.shell.workspace import CallLog, Workspace
from signoff.workflows.orchestration import instructions, noting, patterns, places, verdicts
from signoff.workflows.orchestration.config import Config
from signoff.workflows.orchestration.file_contracts import FileContract
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.notes import Note
from signoff.workflows.orchestration.outputs import reader
from signoff.workflows.orchestration.players import PLAYERS

FORMS: Mapping[str, tuple[str, type[Any]]] = {
    "work": ("doer", verdicts.WorkOutput),
    "tactical": ("tactical-solution-architect", verdicts.TacticalOutput),
    "verdict": ("verifier", verdicts.VerdictOutput),
    "assessment": ("poc-evidence-reviewer", verdicts.AssessmentOutput),
    "poc-decision": ("poc-decision", verdicts.PocDecisionOutput),
    "resolution": ("escalation-resolution", verdicts.ResolutionOutput),
    "loop": ("loop-resolution", verdicts.LoopOutput),
}
BY_PRODUCTS = ("__pycache__/", ".pytest_cache/")
CONFIG = Config()


@dataclass
class Tools:
    """What a turn may do, in its own folder."""

    space: Workspace
    files: Mapping[str, bytes]
    ran: list[Ran] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes:
        own = self.space.own(path)
        if own is None and path not in {ref.path for ref in self.space.start.pinned}:
            raise UsageError(f"{path!r} is no input of this turn")
        return own if own is not None else self.files[path]

    def write(self, path: str, text: str) -> None:
        with self._noted(path):
            self.space.write(path, text.encode())

    def run(self, command: str) -> Ran:
        with self._noted(command):
            self.ran.append(self.space.run(command))
        return self.ran[-1]

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        try:
            yield
        except UsageError:
            self.refused.append(what)
            raise


@dataclass
class Worker:
    """What is known of one doer between its turns."""

    notes: tuple[Note, ...] = ()
    missing: tuple[str, ...] = ()
    guidance: tuple[str, ...] = ()
    summary: str = ""
    evidence: tuple[Any, ...] = ()
    ran: tuple[Ran, ...] = ()
    rulings: tuple[Any, ...] = ()


@dataclass
class Site:
    """A project whose design is made, and the work on it."""

    sitting: Sitting
    folder: Path
    players: Mapping[str, RolePlayer] = field(default_factory=lambda: PLAYERS)
    commands: Sequence[str] = CONFIG.commands
    workers: dict[str, Worker] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    turns: int = 0

    @property
    def files(self) -> dict[str, bytes]:
        return self.sitting.files

    # --- turns ---

    def raw(
        self, contract: str, reads: Iterable[str], notes: Mapping[str, Any], **more: Any
    ) -> tuple[str, Tools, dict[str, bytes]]:
        """One turn: what it said, what it ran, and the files that count when its output does."""
        self.turns += 1
        there = [path for path in dict.fromkeys(reads) if path in self.files]
        writes, runs = more.get("writes", ()), more.get("runs", ())
        given = {"task": self.sitting.task, **notes}
        given = {name: value for name, value in given.items() if value not in (None, [], {}, "")}
        start = StartTurn(
            key=contract, agent=FORMS[contract][0], contract=contract, task="", turn=f"{self.turns:04}",
            reads=tuple(there), pinned=tuple(Ref(path, digest(self.files[path])) for path in there),
            notes=json.loads(json.dumps(given)),
            writes=writes, runs=runs, limits=TurnLimits(command=CONFIG.command_seconds),
            tools=(*((WRITE_FILE,) if writes else ()), *((RUN_COMMAND,) if runs else ())),
        )  # fmt: skip
        log = CallLog(FolderStore(self.folder), f"calls-{self.turns}.jsonl")
        with Workspace(start, self.files.__getitem__, log) as space:
            tools = Tools(space, self.files)
            said = self.players[start.agent](Assignment(start=start, brief="", params={}, at=""), tools)
            assert isinstance(said, str)
            strays = [path for path in space.strays() if not any(part in path for part in BY_PRODUCTS)]
            assert strays == [], f"written outside of the contract: {strays}"
            changes = {
                path: data for path, data in space.changes().items() if not any(part in path for part in BY_PRODUCTS)
            }
        return said, tools, changes

    def play(self, contract: str, reads: Iterable[str], notes: Mapping[str, Any], **more: Any) -> tuple[Any, Tools]:
        """One turn, read under its contract; what it wrote is in the project then."""
        said, tools, changes = self.raw(contract, reads, notes, **more)
        self.refused += tools.refused
        output = reader(FORMS[contract][1])(said.encode(), "output.yaml")
        self.files.update(changes)
        return output, tools

    # --- what the workflow gives ---

    def contract(self, name: str) -> FileContract:
        return self.sitting.contracts.agents[name]

    def there(self, wanted: Iterable[str]) -> list[str]:
        listed = tuple(wanted)
        return sorted(path for path in self.files if any(patterns.overlap(path, one) for one in listed))

    def inputs(self, name: str) -> list[str]:
        return self.there(one.path for one in self.contract(name).reads)

    def outputs(self, name: str) -> list[str]:
        return self.there((f"{places.output(name)}**", *(one.path for one in self.contract(name).writes)))

    def criteria(self, name: str) -> list[dict[str, Any]]:
        poc_id = self.sitting.roster.agents[name].poc_id
        poc = self.sitting.specs.of(poc_id) if poc_id else None
        proofs = [instructions.trial(poc)] if poc else [self.sitting.checkpoints.of(name)]
        return [plain(one) for one in proofs if one]

    def told(self, name: str) -> dict[str, Any]:
        worker = self.workers.setdefault(name, Worker())
        return {
            "agent": name, "task_id": self.sitting.roster.agents[name].task_id,
            "notes": [plain(one) for one in worker.notes], "guidance": list(worker.guidance),
            "missing_evidence": list(worker.missing),
        }  # fmt: skip

    def do(self, name: str, mode: str = "work") -> Any:
        """A doer's turn; its notes are kept by the real rules."""
        worker = self.workers.setdefault(name, Worker())
        writes = (f"{places.output(name)}*", *(one.path for one in self.contract(name).writes))
        reads = [places.instructions(name), *self.inputs(name), *self.outputs(name)]
        notes = {**self.told(name), "mode": mode, "criteria": self.criteria(name)}
        output, tools = self.play("work", reads, notes, writes=writes, runs=tuple(self.commands))
        holds(noting.findings(worker.notes, output.notes, CONFIG.escalate))
        if self.players is PLAYERS:  # who misbehaves on purpose is judged by the test
            self._founded(output.evidence, (*tools.ran, *worker.ran))
        worker.notes = noting.merged(worker.notes, output.notes, 1)
        worker.summary, worker.evidence, worker.ran = output.summary, output.evidence, tuple(tools.ran)
        return output

    def _founded(self, evidence: Iterable[Any], ran: Iterable[Ran]) -> None:
        """What evidence names is there, and what it says was run did run: the workflow refuses everything else."""
        commands = {one.command for one in ran}
        for one in evidence:
            assert not one.path or one.path in self.files, f"evidence in {one.path}, where nothing is"
            assert not one.command or one.command in commands, f"evidence by {one.command}, which did not run"

    def review(self, name: str) -> Any:
        return self.do(name, "review")

    def verify(self, name: str, **changed: Any) -> Any:
        """The verification of a doer's work; `changed` is what the brief says otherwise."""
        worker = self.workers[name]
        notes = {
            **self.told(name), "missing_evidence": [], "verifier": default_verifier(name),
            "criteria": self.criteria(name), "summary": worker.summary,
            "evidence": [plain(one) for one in worker.evidence], "ran": told(worker.ran), "round": 1, **changed,
        }  # fmt: skip
        reads = [places.instructions(name), places.instructions(default_verifier(name))]
        output, _ = self.play(
            "verdict", [*reads, *self.inputs(name), *self.outputs(name)], notes, runs=tuple(self.commands)
        )
        worker.missing = output.missing_evidence if output.result == "fail" else ()
        return output

    @property
    def papers(self) -> list[str]:
        every = [places.instructions(name) for name in self.sitting.roster.agents]
        return [self.sitting.summary, places.DECISIONS, places.STACK, places.ROSTER, places.CONTRACTS, *every]

    def settle(self, name: str, answers: Mapping[str, str]) -> None:
        """What was escalated is settled, by whoever has the say."""
        worker = self.workers[name]
        worker.notes = tuple(
            noting.resolved(note, answers[note.note_id], "user", 2) if note.note_id in answers else note
            for note in worker.notes
        )

    def escalated(self, name: str) -> list[Note]:
        return [note for note in self.workers[name].notes if note.status == "escalated"]

    def finish(self, name: str, answer: Callable[[Note], str] = lambda _note: "Yes, as you would do it.") -> list[str]:
        """Work, answers, review and verification until it passes; what happened, in order."""
        happened = list[str]()
        for _ in range(6):
            if self.do(name).status == "blocked":
                happened.append("blocked")
                self.settle(name, {note.note_id: answer(note) for note in self.escalated(name)})
                continue
            happened.append(self.review(name).status)
            verdict = self.verify(name)
            happened.append(verdict.result)
            if verdict.result == "pass":
                return happened
        return happened

    def laid_out(self, to: Path) -> Path:
        """The project in a folder."""
        shutil.rmtree(to, ignore_errors=True)
        for path, data in self.files.items():
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            (to / path).write_bytes(data)
        return to


def told(ran: Sequence[Ran]) -> list[dict[str, Any]]:
    """Commands as a brief has them."""
    return [{"command": one.command, "code": one.code, "output": one.output} for one in ran]
