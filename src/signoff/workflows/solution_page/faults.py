"""Agents that misbehave on purpose, so that every way of refusing an output is walked end to end.

A plan names faults as `agent:kind@turn`; `turn` counts the attempts of that agent, from 1 (the default). Each fault
happens once. The same attempt played again, after a crash of the machine, misbehaves the same way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.artifacts import yamlio
from signoff.artifacts.textio import decode
from signoff.core.errors import OperatorError, SignoffError, UsageError
from signoff.core.workflow import Assignment, RolePlayer, Tools
from signoff.workflows.solution_page import registry as reg

Output = dict[str, Any]
Spoil = Callable[[Output, Assignment, Tools], None]


class CrashedError(OperatorError):
    """What a player raises that is told to crash: the runner sees a turn that failed, not a broken run."""


# --- the kinds --------------------------------------------------------------------------------------------------------


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for, and a status that is none."""
    output |= {"confidence": "high", "status": "approved"}


def _forged_verified(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A claim called verified by somebody who cannot verify."""
    if assignment.start.agent == "strategist":
        output.get("claims", [{}])[0]["status"] = "verified"
    else:
        claim = _proposal(assignment, tools) | {"status": "verified"}
        output["claims"] = [*output.get("claims", []), claim]


def _lowered_risk(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A risky claim called harmless."""
    if assignment.start.agent == "strategist":
        risky = [claim for claim in output.get("claims", []) if claim.get("risk_level") == "high"]
        for claim in risky[:1]:
            claim["risk_level"] = "low"
    else:
        claim = _proposal(assignment, tools) | {"risk_level": "low"}
        output["claims"] = [*output.get("claims", []), claim]


def _gate_lie(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Every gate passed, every claim verified, nothing to fix."""
    for report in output.get("gates", {}).values():
        report["status"] = "n/a" if report["status"] == "n/a" else "pass"
    for verdict in output.get("verdicts", []):
        verdict["verdict"] = "verified"
    output |= {"status": "complete", "decision": "PASS", "fixes": [], "blockers": []}


def _missing_file(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A document that was promised and is not there."""
    output["documents"] = dict(list(output.get("documents", {}).items())[1:])


def _wrong_path(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A document where this agent may not write."""
    output["documents"] = {**output.get("documents", {}), "_workflow/state.yaml": "phase: complete\n"}


def _repeated_before(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A fix for text that occurs many times, and one for text that does not occur."""
    text = decode(tools.read(assignment.start.notes["file"]), "")
    often = next((word for word in ("## ", " ", *text) if text.count(word) > 1), "x")
    fixes = [("F-often", often), ("F-never", "these words stand nowhere in the draft")]
    given = {"severity": "S1", "type": "style", "after": "", "reason": "seeded fault"}
    output["fixes"] = [{"id": name, "before": before, **given} for name, before in fixes]
    output |= {"status": "needs_revision", "decision": "BLOCKED"}


def _pool(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One reserved id too few."""
    output["claims"] = output.get("claims", [])[:-1]


def _stops(status: str) -> Spoil:
    def stop(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        kept = ("agent", "timestamp", "language", "file")
        wanted = {name: output[name] for name in kept if name in output}
        output.clear()
        output |= {**wanted, "status": status, "blockers": [f"seeded fault: {wanted['agent']} says {status}"]}

    return stop


def _proposal(assignment: Assignment, tools: Tools) -> Output:
    """A claim on a reserved id, correct but for what the fault then changes."""
    known = reg.parse_doc(tools.read(reg.PATH), reg.PATH)
    reserved = [claim.id for claim in known.claims.values() if claim.status == "reserved"]
    name = str(assignment.params.get("slug", "this product"))
    return {
        "id": (reserved or ["C-XX-999"])[-1],
        "status": "proposed",
        "text": f"{name} is the best of its class",
        "text_cn": f"{name}是同类中最好的",
        "risk_level": "high",
        "evidence_suggested": "none, this is a seeded fault",
        "added_by": "copywriter",
    }


SPOIL: Final[Mapping[str, Spoil]] = {
    "off-schema": _off_schema,
    "forged-verified": _forged_verified,
    "lowered-risk": _lowered_risk,
    "gate-lie": _gate_lie,
    "missing-file": _missing_file,
    "wrong-path": _wrong_path,
    "repeated-before": _repeated_before,
    "pool": _pool,
    "blocked": _stops("blocked"),
    "escalate": _stops("escalate"),
}
_ANYONE: Final = ("malformed", "off-schema", "crash", "blocked", "escalate")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "strategist": (*_ANYONE, "forged-verified", "lowered-risk", "missing-file", "wrong-path", "pool"),
    "copywriter": (*_ANYONE, "forged-verified", "lowered-risk", "missing-file", "wrong-path"),
    "editor-qa": (*_ANYONE, "gate-lie", "repeated-before"),
}
"""Which agent can go wrong in which way."""


# --- the plan ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One misbehaviour of one agent, in one of its attempts."""

    agent: str
    kind: str
    turn: int = 1

    def __str__(self) -> str:
        return f"{self.agent}:{self.kind}@{self.turn}"


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """The faults of a run; at most one for each attempt of an agent."""

    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.faults))

    @classmethod
    def parse(cls, text: str) -> FaultPlan:
        """From `strategist:malformed@1, editor-qa:gate-lie`; what is not understood is refused."""
        faults = [_fault(part.strip()) for part in text.split(",") if part.strip()]
        taken = [(fault.agent, fault.turn) for fault in faults]
        twice = next((fault for fault in faults if taken.count((fault.agent, fault.turn)) > 1), None)
        if twice is not None:
            problem = f"two faults for attempt {twice.turn} of {twice.agent}"
            raise UsageError(problem, repair=f"give one of them another turn, as in {twice.agent}:{twice.kind}@2")
        return cls(tuple(faults))

    @classmethod
    def seeded(cls, seed: int, *, most: int = 4, turns: int = 3) -> FaultPlan:
        """One to `most` faults, the same for the same seed."""
        chance = random.Random(seed)
        places = [(agent, turn) for agent in KINDS for turn in range(1, turns + 1)]
        chosen = chance.sample(places, chance.randint(1, most))
        return cls(tuple(sorted(Fault(agent, chance.choice(KINDS[agent]), turn) for agent, turn in chosen)))

    def fault(self, agent: str, turn: int) -> Fault | None:
        return next((fault for fault in self.faults if (fault.agent, fault.turn) == (agent, turn)), None)


def _fault(text: str) -> Fault:
    agent, _, rest = text.partition(":")
    kind, _, turn = rest.partition("@")
    if agent not in KINDS:
        raise UsageError(f"no agent {agent!r} in the fault {text!r}", valid=", ".join(KINDS), repair="name one of them")
    if kind not in KINDS[agent]:
        repair = "choose a fault that this agent can commit"
        raise UsageError(f"{agent} has no fault {kind!r}", valid=", ".join(KINDS[agent]), repair=repair)
    if turn and (not turn.isdecimal() or int(turn) < 1):
        raise UsageError(f"the turn {turn!r} in {text!r}", valid="a number from 1 up", repair=f"write {agent}:{kind}@1")
    return Fault(agent, kind, int(turn or 1))


# --- players that follow a plan ---------------------------------------------------------------------------------------


@dataclass
class _Count:
    """Numbers the attempts of each agent; one that is played again keeps its number."""

    seen: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def of(self, assignment: Assignment) -> int:
        start = assignment.start
        attempts = self.seen.setdefault(start.agent, [])
        this = (start.turn or start.key, start.attempt)
        if this not in attempts:
            attempts.append(this)
        return attempts.index(this) + 1


def faulty(players: Mapping[str, RolePlayer], plan: FaultPlan) -> dict[str, RolePlayer]:
    """The players, misbehaving where the plan says so and honest everywhere else."""
    count = _Count()
    return {agent: _faulty(player, plan, count) for agent, player in players.items()}


def misbehaving(players: Mapping[str, RolePlayer], plan: str) -> dict[str, RolePlayer]:
    """The players under a plan written as text: named faults, or `seed:7` for some that the seed picks."""
    seed = plan.strip().removeprefix("seed:")
    seeded = seed != plan.strip() and seed.isdigit()
    return faulty(players, FaultPlan.seeded(int(seed)) if seeded else FaultPlan.parse(plan))


def _faulty(player: RolePlayer, plan: FaultPlan, count: _Count) -> RolePlayer:
    def play(assignment: Assignment, tools: Tools) -> str:
        fault = plan.fault(assignment.start.agent, count.of(assignment))
        if fault is None:
            return player(assignment, tools)
        if fault.kind == "crash":
            raise CrashedError(f"seeded fault: {fault}", repair="nothing to do: the turn is tried again")
        return spoilt(player(assignment, tools), fault.kind, assignment, tools)

    return play


def spoilt(raw: str, kind: str, assignment: Assignment, tools: Tools) -> str:
    """An honest output with one fault in it."""
    if kind == "malformed":
        return f"{raw.rstrip()}\nblockers: [unclosed\n  - 'quote\n"
    output = yamlio.load_mapping(raw, "")
    try:
        SPOIL[kind](output, assignment, tools)
    except SignoffError:
        SPOIL["off-schema"](output, assignment, tools)
    return yamlio.dump(output)


def every_fault() -> Sequence[Fault]:
    """Each kind for each agent that can commit it, in its first attempt: the least a test of refusals must walk."""
    return [Fault(agent, kind) for agent, kinds in KINDS.items() for kind in kinds]
