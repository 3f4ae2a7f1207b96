"""How the agents of an inquiry are asked, and how their outputs and failures are taken in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from signoff.core.commands import StartTurn, TurnLimits
from signoff.core.declarations import Now
from signoff.core.events import TurnReturned
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify.state import Inquiry, clarifications_of, own_of
from signoff.workflows.kit.table_steps import is_end_of_turn, noted

T = TypeVar("T")

TWICE = TurnLimits(invalid=2, crashed=2)
"""An agent that fails is asked once more; then it is reported, and skipped if the others can go on without it."""


def turn(
    now: Now, key: str, agent: str, task: str, notes: Mapping[str, Any], reads: Sequence[str]
) -> StartTurn:  # fmt: skip
    there = tuple(path for path in reads if path in now.state.docs)
    return StartTurn(key=key, agent=agent, contract=agent, task=task, reads=there, notes=notes, limits=TWICE)


def gathered(now: Now, key: str) -> Inquiry:
    """Takes in one of the turns that run side by side: an output, or a failure that is reported and skipped."""
    own = own_of(now.state)
    if now.refused:
        agent = now.turn.start.agent if now.turn else "an agent"
        why = "; ".join(map(str, now.refused))
        problem = f"{agent} gave nothing usable for {key} and was skipped: {why}"
        own = own.warned(noted("clarify.skipped", problem, "look at its turn, or answer without it", key))
        return replace(own, skipped={**own.skipped, key: why})
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn without refusal has an output
    return replace(own, returned={**own.returned, key: now.event.output})


def on_output(output: type[T], work: Callable[[Now, Inquiry, T], Move]) -> Callable[[Now], Move]:
    """Takes in what an agent gives back in a step of one turn; if it failed for good, the step is blocked."""

    def on(now: Now) -> Move:
        own = own_of(now.state)
        if not is_end_of_turn(now) or now.turn is None:
            return Move(own)
        if now.refused:
            return own.blocked(f"{now.turn.start.agent}: {'; '.join(map(str, now.refused))}")
        assert isinstance(now.output, output)  # narrows the type: the contract read it
        return work(now, own, now.output)

    return on


NO = (None, False, "", 0, "false", "no", "off", "False", "No", "Off", "FALSE", "NO", "OFF")
"""What does not recommend a narrower scope; anything else that a person writes there does."""


def stopped_by_scope(now: Now, own: Inquiry) -> bool:
    """Whether the file recommends a narrower scope and no person has decided about that yet (CL-11)."""
    doc = clarifications_of(now.state, now.look)
    return doc is not None and doc.front.get("scope_recommendation") not in NO and not own.scope_settled
