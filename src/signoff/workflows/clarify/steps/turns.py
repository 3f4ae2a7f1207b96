"""How agents of an inquiry are asked, and what is made of a turn that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.commands import StartTurn, TurnLimits
from signoff.core.declarations import Now
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify.state import Inquiry, clarifications_of, noted, own_of

TWICE = TurnLimits(invalid=2, crashed=2)
"""An agent that fails is asked once more; then it is reported, and skipped where the others can go on without it."""


def turn(
    now: Now, key: str, agent: str, task: str, notes: Mapping[str, Any], reads: Sequence[str]
) -> StartTurn:  # fmt: skip
    there = tuple(path for path in reads if path in now.state.docs)
    return StartTurn(key=key, agent=agent, contract=agent, task=task, reads=there, notes=notes, limits=TWICE)


def ended(now: Now) -> str | None:
    """Why a turn came to nothing, once it will not be tried again."""
    return "; ".join(str(finding) for finding in now.refused) if now.refused else None


def gathered(now: Now, key: str) -> Inquiry:
    """One more of a fan-out is in: an output, or a failure that is reported and skipped."""
    own = own_of(now.state)
    if why := ended(now):
        agent = now.turn.start.agent if now.turn else "an agent"
        problem = f"{agent} gave nothing usable for {key} and was skipped: {why}"
        own = own.warned(noted("clarify.skipped", problem, "look at its turn, or answer without it", key))
        return replace(own, skipped={**own.skipped, key: why})
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn without refusal has an output
    return replace(own, returned={**own.returned, key: now.event.output})


def is_end_of_turn(now: Now) -> bool:
    return isinstance(now.event, (TurnReturned, TurnFailed)) and now.turn is not None


def blocked(now: Now, agent: str) -> Move | None:
    why = ended(now)
    if why is None:
        return None
    return Move(replace(own_of(now.state), blockers=(f"{agent}: {why}",)), (), "blocked")


NO = (None, False, "", 0, "false", "no", "off", "False", "No", "Off", "FALSE", "NO", "OFF")
"""What does not recommend a narrower scope; anything else that a person writes there does."""


def stopped_by_scope(now: Now, own: Inquiry) -> bool:
    """Whether the file recommends a narrower scope and nobody has decided about that yet (CL-11)."""
    doc = clarifications_of(now.state, now.look)
    return doc is not None and doc.front.get("scope_recommendation") not in NO and not own.scope_settled
