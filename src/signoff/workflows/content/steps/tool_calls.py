"""What a tool call leads to: a reply at once, or turns whose outcome is the reply.

An illegal call changes nothing, and its reply says what is legal. What an agent gives back to a tool (critiques, a
round, a decision) must equal what is stored; if it leaves that out, what is stored counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import Command, Reply, Write
from signoff.core.declarations import Effects, Now
from signoff.core.events import Called
from signoff.core.state import replace
from signoff.workflows.content import issues as life
from signoff.workflows.content import rubric
from signoff.workflows.content.shelf import DOC_TYPES, Recipe, document
from signoff.workflows.content.state import Call, Doing, Piece, Round, content_path, draft_path, latest, may_run, to_run
from signoff.workflows.content.steps import author, conductor, critics
from signoff.workflows.content.steps.toolbox import (
    CRITIQUE,
    DECIDE,
    DRAFT,
    LOAD,
    REVISE,
    SAVE,
    SUMMARIZE,
    TOOLS,
    critiques,
    legal,
    quality,
    standing,
)

TYPES: Mapping[str, type] = {"string": str, "integer": int, "array": list}
DOING: Mapping[str, Doing] = {DRAFT: "draft", REVISE: "revise", CRITIQUE: "critique"}


class IllegalError(Exception):
    """A call that cannot be carried out as it was made; the agent is told, and nothing changes."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a call leads to: the piece, commands, and a result if there is one already."""

    piece: Piece
    commands: tuple[Command, ...] = ()
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One call, and all that is known when it is made."""

    now: Now
    call: Called
    piece: Piece
    recipe: Recipe

    @property
    def drafted(self) -> bool:
        return self.now.state.ref(draft_path(self.piece.name)) is not None

    @property
    def round(self) -> Round:
        assert self.piece.round is not None  # narrows the type: the tools that ask are legal only in a round
        return self.piece.round


def answered(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """One call of the conducting agent."""
    assert isinstance(now.event, Called)  # narrows the type: the caller matched it
    asked = Asked(now, now.event, piece, recipe)
    can = legal(piece, recipe, drafted=asked.drafted)
    try:
        if now.event.tool not in can:
            raise IllegalError(_why(asked))
        _refuse_mistyped(now.event)
        _same(asked, "ideaId", piece.idea["id"])
        # what is under way for a conversation that was broken off answers this one too
        under_way = piece.doing and now.event.tool in DOING
        made = _waits(asked, piece) if under_way else _CALLS[now.event.tool](asked)
    except IllegalError as error:
        return Effects(piece, (_reply(now.event, illegal=str(error), legal=can),))
    if made.result is None:
        return Effects(made.piece, made.commands)
    result = {**made.result, "now": standing(made.piece, recipe, drafted=asked.drafted)}
    return Effects(made.piece, (*made.commands, _reply(now.event, result)))


def _reply(call: Called, result: Any = None, *, illegal: str = "", legal: tuple[str, ...] = ()) -> Reply:
    return Reply(turn=call.turn, call_id=call.call_id, result=result, illegal=illegal, legal=legal)


def _why(asked: Asked) -> str:
    """Why a tool is not legal now, in words that help."""
    piece, tool = asked.piece, asked.call.tool
    if piece.saved:
        return f"{tool} is not legal: the content is saved as {piece.saved}, end your turn"
    if piece.blocked:
        return f"{tool} is not legal: a person is asked ({piece.blocked}), end your turn"
    if piece.doing:
        return f"{tool} is not legal while {piece.doing} is under way"
    if tool == DECIDE and piece.round and piece.round.decision is None:
        lacking = ", ".join(to_run(piece) or may_run(piece))
        return f"{tool} is not legal before these critics have judged this draft: {lacking}"
    if tool == CRITIQUE and piece.round and piece.round.decision is None:
        return f"{tool} is not legal: every critic has judged this draft"
    if tool in (REVISE, SAVE) and piece.round and piece.round.decision and not piece.round.recorded:
        return f"{tool} is not legal before the round is summarized"
    if tool == REVISE and piece.revisions >= asked.recipe.max_revision_rounds:
        return f"{tool} is not legal: all {asked.recipe.max_revision_rounds} revisions are used"
    return f"{tool} is not legal now"


def _refuse_mistyped(call: Called) -> None:
    """Nobody else looks at arguments before a tool does: what is given must be what the tool takes."""
    known = TOOLS[call.tool].takes["properties"]
    if wrong := [name for name in call.args if name not in known]:
        raise IllegalError(f"{call.tool} takes no {', '.join(wrong)}; it takes {', '.join(known)}")
    for name, value in call.args.items():
        if value is not None and type(value) is not TYPES[known[name]["type"]]:
            raise IllegalError(f"{name} is {json.dumps(value)[:80]}, and not of type {known[name]['type']}")


# --- what must equal what is stored -----------------------------------------------------------------------------------


def _same(asked: Asked, name: str, stored: Any) -> None:
    given = asked.call.args.get(name)
    if given is not None and json.dumps(given, sort_keys=True) != json.dumps(stored, sort_keys=True):
        shown = json.dumps(stored, ensure_ascii=False)
        raise IllegalError(f"{name} is not what is stored; leave it out, or give {shown[:400]}")


# --- the tools --------------------------------------------------------------------------------------------------------


def _waits(asked: Asked, piece: Piece, commands: tuple[Command, ...] = ()) -> Made:
    """The call is answered when the turns that it started have come back."""
    turn = asked.now.turn
    assert turn is not None  # narrows the type: a call comes from a turn
    call = Call(asked.call.turn, turn.start.attempt, asked.call.call_id)
    return Made(replace(piece, calls=(*piece.calls, call), doing=DOING[asked.call.tool]), commands)


def _draft(asked: Asked) -> Made:
    piece, start = author.start(asked.now, asked.piece, asked.recipe, "draft")
    return _waits(asked, piece, (start,))


def _revise(asked: Asked) -> Made:
    decided = asked.round.decision
    words = str(asked.call.args.get("brief") or "").strip()
    note = "" if decided is not None and words == decided.brief.strip() else words
    piece, start = author.start(asked.now, replace(asked.piece, note=note), asked.recipe, "revise")
    return _waits(asked, piece, (start,))


def _critique(asked: Asked) -> Made:
    wanted = _wanted(asked)
    if not wanted:
        piece = replace(asked.piece, blocked=conductor.NO_CRITICS)
        return Made(piece, (conductor.ask_person(conductor.NO_CRITICS),), critiques(piece, asked.recipe))
    piece, turns = critics.begun(asked.now, replace(asked.piece, queue=wanted), asked.recipe)
    return _waits(asked, piece, turns)


def _wanted(asked: Asked) -> tuple[str, ...]:
    can, named = may_run(asked.piece), asked.call.args.get("advisorIds")
    if named is None:
        return can
    wanted = tuple(one for one in asked.piece.critics if one in named)
    if not wanted:
        raise IllegalError(f"advisorIds names no assigned critic; assigned are {', '.join(asked.piece.critics)}")
    if again := [one for one in wanted if one not in can]:
        raise IllegalError(f"{', '.join(again)} judged this draft already; a draft is judged once by each")
    return wanted


def _decide(asked: Asked) -> Made:
    piece, recipe = asked.piece, asked.recipe
    _same(asked, "critiques", critiques(piece, recipe)["critiques"])
    if piece.blocked:
        return Made(piece, result={"decision": "blocked", "reason": piece.blocked, "average": None, "brief": ""})
    now, before = asked.round, piece.last.ran if piece.last else ()
    counted = tuple(latest(piece).values())
    issues = life.after(piece.issues, now.ran, now.number)
    decision = rubric.decide(
        counted,
        life.opened(issues),
        {one.advisor: one for one in now.ran},
        {one.advisor: one for one in before},
        piece.critics,
        recipe.min_aggregate_score,
    )
    changed = life.summary(piece.issues, issues, counted)
    decided = replace(piece, issues=issues).in_round(replace(now, decision=decision, summary=changed))
    return Made(decided, result=decision.plain())


def _summarize(asked: Asked) -> Made:
    now = asked.round
    assert now.decision is not None  # narrows the types: the tool is legal only once it is decided
    assert now.summary is not None
    _same(asked, "round", now.number)
    _same(asked, "critiques", critiques(asked.piece, asked.recipe)["critiques"])
    _same(asked, "decision", now.decision.verdict)
    piece = asked.piece.in_round(replace(now, recorded=True))
    return Made(piece, result={"round": now.number, **now.summary.plain()})


def _save(asked: Asked) -> Made:
    wanted = quality(asked.piece)
    given = asked.call.args.get("quality")
    if given != wanted:
        raise IllegalError(f"the content cannot be saved as {given!r}; it is {wanted!r}")
    ref = asked.now.state.ref(draft_path(asked.piece.name))
    assert ref is not None  # narrows the type: saving is legal only with a draft
    content = asked.now.look(ref, decode)
    path = content_path(asked.piece.name)
    result = {"saved": path, "quality": wanted, "round": asked.round.number}
    piece = replace(asked.piece, saved=wanted)
    if (was := asked.now.state.ref(path)) and was.sha256 != ref.sha256 and not piece.before:
        piece = piece.warned(f"{path} was there already; its bytes are kept in the run's objects/{was.sha256}.md")
    return Made(piece, (Write(path=path, text=content),), result)


def _load(asked: Asked) -> Made:
    named: Sequence[str] = asked.call.args.get("docTypes") or asked.recipe.author_context_docs
    if wrong := [one for one in named if one not in DOC_TYPES]:
        raise IllegalError(
            f"{', '.join(map(str, wrong))} is not a foundation document; there are {', '.join(DOC_TYPES)}"
        )
    state = asked.now.state
    found = {kind: asked.now.look(ref, decode) for kind in named if (ref := state.ref(document(kind)))}
    return Made(asked.piece, result={"documents": found, "missing": [kind for kind in named if kind not in found]})


_CALLS: Mapping[str, Callable[[Asked], Made]] = {
    DRAFT: _draft,
    CRITIQUE: _critique,
    DECIDE: _decide,
    REVISE: _revise,
    SUMMARIZE: _summarize,
    SAVE: _save,
    LOAD: _load,
}
