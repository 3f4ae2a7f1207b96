"""How the agents of an article are asked, and what is made of a turn that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.events import TurnFailed, TurnReturned
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import places
from signoff.workflows.article.article import ArticleState, noted, own_of


def turn(
    now: Now,
    agent: str,
    contract: str,
    task: str,
    notes: Mapping[str, Any],
    reads: Sequence[str] = (),
    writes: tuple[str, ...] = (),
    key: str = "",
) -> StartTurn:
    """One piece of work. Every agent has the config; of what else it reads, what is there."""
    own = own_of(now.state)
    named = dict.fromkeys((places.config(own.topic), *reads))
    there = tuple(path for path in named if path in now.state.docs)
    return StartTurn(
        key=key or own.step, agent=agent, contract=contract, task=task, reads=there, writes=writes, notes=notes
    )


def is_end_of_turn(now: Now) -> bool:
    return isinstance(now.event, TurnReturned | TurnFailed) and now.turn is not None


def blocked(now: Now) -> Move | None:
    """A turn that gave nothing usable, or that says itself that it cannot go on, is put to a person."""
    own, agent = own_of(now.state), now.turn.start.agent if now.turn else "an agent"
    if now.refused:
        why: tuple[str, ...] = tuple(str(finding) for finding in now.refused)
    elif now.output.status == "blocked":
        why = tuple(now.output.blockers)
    else:
        return None
    return Move(replace(own, blockers=tuple(f"{agent}: {one}" for one in why)), (), "blocked")


def said(now: Now, own: ArticleState) -> ArticleState:
    """What an agent wants people to know."""
    agent = now.turn.start.agent if now.turn else "an agent"
    found = (noted("agent.note", f"{agent} notes: {note}", "nothing to do") for note in now.output.notes)
    return own.warned(*found)
