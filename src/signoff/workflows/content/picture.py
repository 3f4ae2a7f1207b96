"""The picture of a piece on its way: after each tool those that are legal next, asked of the toolbox itself."""

from __future__ import annotations

from signoff.core.state import replace
from signoff.workflows.content.shelf import Recipe
from signoff.workflows.content.state import APPROVED, Critique, Decision, Piece, Round, Verdict
from signoff.workflows.content.steps.toolbox import CRITIQUE, DECIDE, DRAFT, LOAD, REVISE, SAVE, SUMMARIZE, legal

_RECIPE = Recipe.model_validate(
    {
        "contentType": "any", "authorAdvisor": "any", "authorContextDocs": [], "evaluationNeeds": "any",
        "minAggregateScore": 4, "maxRevisionRounds": 1,
    }
)  # fmt: skip
_BOTH = tuple(Critique(advisor=name, name=name, round=1, score=5) for name in ("one", "other"))
_NEW = Piece(name="any", kind="any", chosen=True, critics=("one", "other"))


def _at(ran: int = 0, verdict: Verdict | None = None, *, recorded: bool = False, revisions: int = 0) -> Piece:
    decision = Decision(verdict=verdict, reason="", average=5) if verdict else None
    now = Round(number=1, of="", ran=_BOTH[:ran], decision=decision, recorded=recorded)
    return replace(_NEW, rounds=(now,), revisions=revisions)


_AFTER = (
    ("start", "", _NEW),
    (DRAFT, "", _at()),
    (CRITIQUE, "some asked", _at(1)),
    (CRITIQUE, "all asked", _at(2)),
    (DECIDE, "", _at(2, "revise")),
    (SUMMARIZE, "approve", _at(2, "approve", recorded=True)),
    (SUMMARIZE, "revise", _at(2, "revise", recorded=True)),
    (SUMMARIZE, "revise, none left", _at(2, "revise", recorded=True, revisions=1)),
    (REVISE, "", _at(revisions=1)),
    (SAVE, "", replace(_at(2, "approve", recorded=True), saved=APPROVED)),
)
"""The tool that was called last, what came of it, and where the piece stands then."""


def picture() -> str:
    """The order that the rules leave; within it the conducting agent decides."""
    lines = ["flowchart LR"]
    for source, label, piece in _AFTER:
        can = legal(piece, _RECIPE, drafted=piece.round is not None)
        arrow = f"-->|{label}|" if label else "-->"
        lines += [f"    {source} {arrow} {tool}" for tool in can if tool != LOAD] or [f"    {source} {arrow} done"]
    return "\n".join(lines) + "\n"
