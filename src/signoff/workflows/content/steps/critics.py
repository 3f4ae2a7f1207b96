"""Critics side by side: as many at once as the config allows; one that fails is left out, all failing is no round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signoff.core.commands import Command, StartTurn
from signoff.core.declarations import Now
from signoff.core.state import State, replace
from signoff.workflows.content.config import config_of
from signoff.workflows.content.outputs import CriticOutput
from signoff.workflows.content.shelf import Recipe, of_run, there
from signoff.workflows.content.state import Critique, Piece, Said, draft_path

PREFIX = "critic:"
TASK = """\
Judge this draft within your discipline, by the method of your guide. Say what is wrong with words of the draft in
quotation marks, what to do about it, and which aspects are good as they are. Judge the draft alone, not its history.
"""


def flying(state: State) -> tuple[str, ...]:
    """The critics whose turns are out, or wait for a larger budget."""
    turns = (*state.turns.values(), *state.parked)
    return tuple(one.start.key.removeprefix(PREFIX) for one in turns if one.start.key.startswith(PREFIX))


def begun(now: Now, piece: Piece, recipe: Recipe) -> tuple[Piece, tuple[Command, ...]]:
    """As many turns of the queue as there is room for."""
    out = flying(now.state)
    room = max(0, config_of(now.state, now.look).critics_at_once - len(out))
    first, rest = piece.queue[:room], piece.queue[room:]
    return replace(piece, queue=rest), tuple(_turn(now, piece, recipe, name) for name in first)


def _turn(now: Now, piece: Piece, recipe: Recipe, name: str) -> StartTurn:
    advisor = of_run(now.state, now.look).advisor(name)
    current = piece.round
    earlier = [one.summary for one in piece.rounds[piece.before :] if one.summary]
    notes: dict[str, Any] = {
        "round": current.number if current else 1,
        "limit": piece.most_rounds,
        "type": piece.kind,
        "advisor": {
            "id": name,
            "name": advisor.name if advisor else name,
            "expertise": advisor.expertise if advisor else "",
            "doesNotEvaluate": advisor.blind_to if advisor else "",
        },
        "emphasis": recipe.evaluation_emphasis or "",
        "minimum": recipe.min_aggregate_score,
        "doNotRegress": list(earlier[-1].keep if earlier else ()),
        "idea": piece.idea,
        "draft": draft_path(piece.name),
        "docs": list(advisor.docs if advisor else ()),
    }
    docs = there(advisor.docs if advisor else (), now.state)
    return StartTurn(
        key=f"{PREFIX}{name}",
        agent="critic",
        contract="critic",
        task=TASK,
        reads=(draft_path(piece.name), *docs),
        guides=(advisor.path,) if advisor else (),
        notes=notes,
    )


def heard(now: Now, piece: Piece) -> Piece:
    """The piece with what one critic said, or that it could say nothing."""
    assert now.turn is not None  # narrows the types: a critic judges a draft
    assert piece.round is not None
    notes = now.turn.start.notes["advisor"]
    number = piece.round.number
    if isinstance(now.output, CriticOutput):
        said = tuple(Said(one.severity, one.description, one.suggestion) for one in now.output.issues)
        critique = Critique(
            advisor=notes["id"],
            name=notes["name"],
            round=number,
            score=now.output.score,
            issues=said,
            clean=tuple(now.output.clean),
        )
    else:
        error = now.refused[0].problem if now.refused else "it gave nothing back"
        critique = Critique(advisor=notes["id"], name=notes["name"], round=number, error=error)
    return piece.in_round(piece.round.with_critique(critique))


def failed(piece: Piece) -> bool:
    """Whether nobody who was asked in this round could say anything."""
    ran: Sequence[Critique] = piece.round.ran if piece.round else ()
    return all(one.error for one in ran)
