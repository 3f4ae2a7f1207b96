"""The turns that are due: those of the first phase that has not ended, for every agent that can go on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.sequence.work_sequence import Phase, Placed, Sequence
from signoff.workflows.orchestration.work.progress import DONE, Case, Work

Kind = Literal["do", "drive", "verify", "assess", "decide", "clear", "resolve", "loop"]
"""Work, its completion review, its verification; the two turns after a PoC; and those that settle an escalation."""

SETTLES: Final[dict[str, Kind]] = {"looping": "loop", "resolving": "resolve", "clearing": "clear"}
"""The turn that a case at this stage waits for."""


@dataclass(frozen=True, slots=True)
class Task:
    """One turn that is due. `by` names the verifier that takes it, if it is not the agent's own."""

    kind: Kind
    agent: str
    by: str = ""

    @property
    def key(self) -> str:
        """The key of the turn."""
        return f"{self.kind}-{self.agent}"


def current(work: Work, sequence: Sequence) -> Phase | None:
    """The first phase that has not ended; None if everything is verified and decided."""
    return next((phase for phase in sequence.execution_phases if not ended(phase, work)), None)


def ended(phase: Phase, work: Work) -> bool:
    """Whether its doers are ready, the work of its verifiers is verified, and its PoCs are decided.

    A doer that failed its verification works again within the verifier's phase.
    """
    return all(_is_done(placed, work) for placed in phase.agents)


def _is_done(placed: Placed, work: Work) -> bool:
    if placed.agent_type == "verifier":
        return all(work.workers[doer].status in DONE for doer in placed.verifies or ())
    worker = work.workers[placed.agent_name]
    if placed.agent_type == "poc":
        return placed.agent_name in work.decided and worker.status in DONE
    return worker.status in ("ready_for_verification", *DONE) or (worker.failing and worker.status != "pending")


def due(work: Work, sequence: Sequence) -> tuple[Task, ...]:
    """Every turn that may run now, also those that already do; escalations first.

    Nothing is due for an agent about which a person is asked.
    """
    phase = current(work, sequence)
    return _possible(work, sequence, (phase,) if phase else ())


def wanted(work: Work, sequence: Sequence) -> frozenset[str]:
    """The keys of all turns that are still useful, of whatever phase. Any other turn became pointless while it ran."""
    return frozenset(task.key for task in _possible(work, sequence, sequence.execution_phases))


def _possible(work: Work, sequence: Sequence, phases: tuple[Phase, ...]) -> tuple[Task, ...]:
    waits = sequence.waits_for
    free = {name for name in work.workers if all(work.workers[one].status in DONE for one in waits.get(name, ()))}
    mine = (task for phase in phases for placed in phase.agents for task in _of(placed, work, free))
    settling = (task for case in sorted(work.cases, key=first_come) for task in _settling(case, work))
    return tuple(task for task in (*settling, *mine) if task.agent not in work.broken)


def first_come(case: Case) -> tuple[int, str]:
    """The sort key of cases: oldest first."""
    return case.since, case.agent


def _settling(case: Case, work: Work) -> Iterator[Task]:
    """The turn that a case waits for; one that waits for a person needs none."""
    if kind := SETTLES.get(case.stage):
        yield Task(kind, case.agent)
    elif case.stage == "tactical":
        worker = work.workers[case.tactical]
        if worker.status == "ready_for_verification":
            yield Task("verify", case.tactical, default_verifier(case.tactical))
        elif work.case_of(case.tactical) is None:
            yield from _working(case.tactical, work)


def _of(placed: Placed, work: Work, free: Collection[str]) -> Iterator[Task]:
    """The turns that are due for an agent in a phase: none if it still waits for others, and so is not `free`."""
    if placed.agent_type == "verifier":
        for doer in placed.verifies or ():
            if doer in free and work.workers[doer].status == "ready_for_verification":
                yield Task("verify", doer, placed.agent_name)
            elif doer in free:
                yield from _working(doer, work)
        return
    name = placed.agent_name
    if placed.agent_type == "poc" and work.workers[name].status == "ready_for_verification":
        if name not in work.decided:
            yield Task("decide" if name in work.assessed else "assess", name)
        return
    if name in free:
        yield from _working(name, work)


def _working(name: str, work: Work) -> Iterator[Task]:
    status = work.workers[name].status
    if status in ("pending", "working"):
        yield Task("do", name)
    elif status == "completion_drive_review":
        yield Task("drive", name)


def stale(work: Work) -> tuple[str, ...]:
    """The agents whose finished work was built on an outdated version of another agent's output."""
    return tuple(
        name
        for name, worker in sorted(work.workers.items())
        if worker.status in ("ready_for_verification", *DONE)
        and any(other in work.workers and work.workers[other].version != seen for other, seen in worker.read.items())
    )
