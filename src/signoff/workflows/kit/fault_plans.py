"""Agents that misbehave on purpose, so that every way of refusing an output is walked end to end.

A plan names faults as `agent:kind@turn`; `turn` counts the attempts of that agent, from 1 (the default). Each fault
happens once, or with a plus behind the turn from then on. Where turns of one role are about different people's work, as
a doer's are, `role/name:kind` means the turns about one of them, and counts those alone: what happens side by side has
no order. The same attempt played again, after a crash of the machine, misbehaves the same way. Two kinds are the same
everywhere, `crash` and `malformed`; a workflow says what else its agents may do wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.artifacts import agent_output, yamlio
from signoff.core.declarations import Assignment, Misbehaviour, Tools
from signoff.core.errors import DocumentError, OperatorError, SignoffError, UsageError

Output = dict[str, Any]
Spoil = Callable[[Output, Assignment, Tools], None]
"""Puts one fault into an honest output."""

CRASH, MALFORMED, OFF_SCHEMA = "crash", "malformed", "off-schema"
ANY_AGENT = (MALFORMED, OFF_SCHEMA, CRASH)
"""What every agent can do wrong."""


def sets(**fields: Any) -> Spoil:
    """Sets fields of an output."""
    return lambda output, _assignment, _tools: output.update(fields)


def edits(*names: str, by: Callable[[str], str]) -> Spoil:
    """Edits the texts that an output has under these names."""

    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        output.update({name: by(str(output[name])) for name in names if name in output})

    return spoil


class CrashedError(OperatorError):
    """What an agent raises that is planned to crash: the runner sees a turn that failed, not a broken run."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One misbehaviour of one agent, in one of its attempts, or `onward` in all from that one on.

    `agent` is a role, or a role and whose work its turn is about, as in `doer/api_agent`.
    """

    agent: str
    kind: str
    turn: int = 1
    onward: bool = False

    def __str__(self) -> str:
        return f"{self.agent}:{self.kind}@{self.turn}{'+' if self.onward else ''}"

    def happens(self, agent: str, turn: int) -> bool:
        return self.agent == agent and (self.turn == turn or (self.onward and self.turn < turn))


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """The faults of a run; at most one for each attempt of an agent."""

    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.faults))

    def fault(self, agent: str, turn: int) -> Fault | None:
        return next((fault for fault in self.faults if fault.happens(agent, turn)), None)


@dataclass
class _Count:
    """Numbers the attempts of each agent; one that is played again keeps its number."""

    seen: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def of(self, agent: str, assignment: Assignment) -> int:
        start = assignment.start
        attempts = self.seen.setdefault(agent, [])
        this = (start.turn or start.key, start.attempt)
        if this not in attempts:
            attempts.append(this)
        return attempts.index(this) + 1


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults that the agents of one workflow can commit: `kinds` by agent, and how each spoils an output."""

    kinds: Mapping[str, tuple[str, ...]]
    spoil: Mapping[str, Spoil]

    # --- plans ---

    def parse(self, text: str) -> FaultPlan:
        """From `strategist:malformed@1, editor-qa:gate-lie`; anything else is refused."""
        faults = [self._fault(part.strip()) for part in text.split(",") if part.strip()]
        taken = [(fault.agent, fault.turn) for fault in faults]
        twice = next((fault for fault in faults if taken.count((fault.agent, fault.turn)) > 1), None)
        if twice is not None:
            problem = f"two faults for attempt {twice.turn} of {twice.agent}"
            raise UsageError(problem, repair=f"give one of them another turn, as in {twice.agent}:{twice.kind}@2")
        return FaultPlan(tuple(faults))

    def seeded(self, seed: int, *, most: int = 4, turns: int = 3) -> FaultPlan:
        """One to `most` faults, the same for the same seed."""
        chance = random.Random(seed)
        places = [(agent, turn) for agent in self.kinds for turn in range(1, turns + 1)]
        chosen = chance.sample(places, chance.randint(1, most))
        return FaultPlan(tuple(sorted(Fault(agent, chance.choice(self.kinds[agent]), turn) for agent, turn in chosen)))

    def _fault(self, text: str) -> Fault:
        agent, _, rest = text.partition(":")
        kind, _, turn = rest.partition("@")
        role, first = agent.partition("/")[0], turn.removesuffix("+")
        if role not in self.kinds:
            valid = ", ".join(self.kinds)
            raise UsageError(f"no agent {role!r} in the fault {text!r}", valid=valid, repair="name one of them")
        if kind not in self.kinds[role]:
            repair = "choose a fault that this agent can commit"
            raise UsageError(f"{role} has no fault {kind!r}", valid=", ".join(self.kinds[role]), repair=repair)
        if turn and (not first.isdecimal() or int(first) < 1):
            repair = f"write {agent}:{kind}@1, or {agent}:{kind}@1+ for every turn from then on"
            raise UsageError(f"the turn {turn!r} in {text!r}", valid="a number from 1 up", repair=repair)
        return Fault(agent, kind, int(first or 1), turn.endswith("+"))

    def every(self) -> Sequence[Fault]:
        """Each kind for each agent that can commit it, in its first attempt: the least a test of refusals must walk."""
        return [Fault(agent, kind) for agent, kinds in self.kinds.items() for kind in kinds]

    # --- outputs that follow a plan ---

    def planned(self, plan: str) -> Misbehaviour:
        """What a plan does to outputs, written as text: named faults, or `seed:7` for some that the seed picks."""
        seed = plan.strip().removeprefix("seed:")
        seeded = seed != plan.strip() and seed.isdigit()
        return self.followed(self.seeded(int(seed)) if seeded else self.parse(plan))

    def followed(self, plan: FaultPlan) -> Misbehaviour:
        """Spoils the outputs that the plan names and leaves all others as they are."""
        count = _Count()

        def misbehave(assignment: Assignment) -> Callable[[str, Tools], str] | None:
            role = assignment.start.agent
            about = f"{role}/{assignment.start.notes.get('agent', '')}"
            found = [plan.fault(agent, count.of(agent, assignment)) for agent in (about, role)]
            fault = next(filter(None, found), None)
            if fault is None:
                return None
            if fault.kind == CRASH:
                raise CrashedError(f"seeded fault: {fault}", repair="nothing to do: the turn is tried again")
            return lambda raw, tools: self.spoilt(raw, fault.kind, assignment, tools)

        return misbehave

    def spoilt(self, raw: str, kind: str, assignment: Assignment, tools: Tools) -> str:
        """An output, YAML or JSON, fenced or not, with one fault in it; one that cannot be read is left as it is."""
        if kind == MALFORMED:
            return f"{raw.rstrip()}\nblockers: [unclosed\n  - 'quote\n"
        try:
            output = agent_output.mapping(raw.encode("utf-8", "surrogatepass"), "")
        except DocumentError:
            return raw
        try:
            self.spoil[kind](output, assignment, tools)
        except SignoffError:
            self.spoil[OFF_SCHEMA](output, assignment, tools)
        return yamlio.dump(output)
