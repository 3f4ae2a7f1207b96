"""The tools of the conducting agent: what each is for, what it takes, and which are legal where a piece stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from signoff.core.declarations import Tool
from signoff.core.state import replace
from signoff.workflows.content.shelf import DOC_TYPES, Recipe
from signoff.workflows.content.state import (
    APPROVED,
    AT_LIMIT,
    Critique,
    Decision,
    Piece,
    Round,
    Verdict,
    latest,
    may_run,
    to_run,
)

DRAFT, CRITIQUE, DECIDE, REVISE, SUMMARIZE, SAVE, LOAD = (
    "generate_draft", "run_critiques", "editor_decision", "revise_draft", "summarize_round", "save_content",
    "load_foundation_docs",
)  # fmt: skip


def _takes(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_CRITIQUES = {
    "type": "array",
    "items": {"type": "object"},
    "description": "as run_critiques gave them; may be left out",
}
_ROUND = {"type": "integer", "description": "the round under way; may be left out"}

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool(
            name=DRAFT,
            about="Have the author write the first draft from the idea and the foundation documents.",
            takes=_takes(ideaId={"type": "string", "description": "the idea of this run; may be left out"}),
        ),
        Tool(
            name=CRITIQUE,
            about="Have critics judge the draft side by side: all that may still be asked, or those that you name.",
            takes=_takes(advisorIds={"type": "array", "items": {"type": "string"}}),
        ),
        Tool(
            name=DECIDE,
            about="Apply the editor's rubric to the critiques: approve, or revise with a brief.",
            takes=_takes(critiques=_CRITIQUES),
        ),
        Tool(
            name=REVISE,
            about="Have the author revise the draft. It is given the editor's brief; your words are added to it.",
            takes=_takes(brief={"type": "string"}),
        ),
        Tool(
            name=SUMMARIZE,
            about="Record the round: what is open, what was fixed, what came back, what must not regress.",
            takes=_takes(
                round=_ROUND,
                critiques=_CRITIQUES,
                decision={"type": "string", "description": "as editor_decision gave it; may be left out"},
            ),
        ),
        Tool(
            name=SAVE,
            about=f"Save the content: {APPROVED} after an approval, {AT_LIMIT} when no revision is left.",
            takes=_takes(quality={"type": "string", "enum": [APPROVED, AT_LIMIT]}),
        ),
        Tool(
            name=LOAD,
            about="Read foundation documents of the project: those of the author, or those that you name.",
            takes=_takes(docTypes={"type": "array", "items": {"type": "string", "enum": list(DOC_TYPES)}}),
        ),
    )
}


def legal(piece: Piece, recipe: Recipe, *, drafted: bool) -> tuple[str, ...]:
    """The tools that may be called now; `drafted` says that there is a draft."""
    if piece.saved:
        return ()
    if piece.blocked:
        return (DECIDE, LOAD)
    return (*_next(piece, recipe, drafted=drafted), LOAD)


def _next(piece: Piece, recipe: Recipe, *, drafted: bool) -> tuple[str, ...]:
    now = piece.round
    if piece.doing:
        return ({"draft": DRAFT, "revise": REVISE, "critique": CRITIQUE}[piece.doing],)
    if now is None or not drafted:
        return (DRAFT,)
    if now.decision is None:
        asks = (CRITIQUE,) if may_run(piece) or not piece.critics else ()
        heard = any(not one.error for one in now.ran)  # if every critic failed, there is nothing to decide on
        return (*asks, *((DECIDE,) if heard and not to_run(piece) else ()))
    if not now.recorded:
        return (SUMMARIZE,)
    if now.decision.verdict == "approve" or piece.revisions >= recipe.max_revision_rounds:
        return (SAVE,)
    return (REVISE,)


def quality(piece: Piece) -> str:
    """What the content can be saved as, once its last round is decided."""
    decided = piece.round.decision if piece.round else None
    return APPROVED if decided is not None and decided.verdict == "approve" else AT_LIMIT


def standing(piece: Piece, recipe: Recipe, *, drafted: bool) -> dict[str, Any]:
    """Where the piece stands, as every reply says it: an agent that knows nothing else can go on from here."""
    now = piece.round
    decided = now.decision if now else None
    can = legal(piece, recipe, drafted=drafted)
    return {
        "round": now.number if now else len(piece.rounds) + 1,
        "maxRounds": piece.most_rounds,
        "revisionsLeft": max(0, recipe.max_revision_rounds - piece.revisions),
        "legal": list(can),
        "critics": list(piece.critics),
        "mustRun": list(to_run(piece)) if CRITIQUE in can else [],
        "mayRun": list(may_run(piece)) if CRITIQUE in can else [],
        "withOpenIssues": sorted({issue.advisor for issue in piece.issues if issue.is_open}),
        "decision": decided.verdict if decided else None,
        **({"quality": quality(piece)} if SAVE in can else {}),
        **({"blocked": piece.blocked} if piece.blocked else {}),
    }


def critiques(piece: Piece, recipe: Recipe) -> dict[str, Any]:
    """The newest critique of every critic, as `run_critiques` gives them and other tools take them."""
    said = [one.plain(recipe.min_aggregate_score) for one in latest(piece).values()]
    return {"critiques": said, **({"blocked": piece.blocked} if piece.blocked else {})}


# --- the picture ------------------------------------------------------------------------------------------------------

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
