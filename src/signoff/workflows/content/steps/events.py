"""What happens in a run: events in, the next value of the piece and commands out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.commands import Finish
from signoff.core.declarations import Effects, Now
from signoff.core.events import Answered, Called, DocsChanged, Started, TurnFailed, TurnReturned
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.workflows.content.outputs import AuthorOutput
from signoff.workflows.content.shelf import IDEAS, Idea, Recipe, limits, of_run, parse_idea, stem
from signoff.workflows.content.state import Piece, Round, draft_path, own_of
from signoff.workflows.content.steps import author, critics, edits, tool_calls
from signoff.workflows.content.steps.conductor import STOP, blocked, conducted, done, ended
from signoff.workflows.content.steps.toolbox import critiques


def step(now: Now) -> Effects:
    """The workflow's own part of a decision."""
    if isinstance(now.event, Started):
        return _first(now)
    piece = own_of(now.state)
    recipe = of_run(now.state, now.look).recipe(piece.kind)
    piece = replace(piece, **limits(recipe, piece.before))
    match now.event:
        case Called():
            return tool_calls.answered(now, piece, recipe)
        case TurnReturned() | TurnFailed() if now.turn is not None:
            return _returned(now, piece, recipe, now.turn.start.key)
        case Answered():
            return _settled(now, piece, recipe)
        case DocsChanged():
            return edits.edited(now, piece, recipe)
    return Effects(piece)


def _first(now: Now) -> Effects:
    params = now.state.params
    idea, name = now.state.ref(f"{IDEAS}{idea_id(params)}.md"), str(params["slug"])
    kind = kind_of(params, now.look(idea, parse_idea) if idea else None)
    ref = now.state.ref(draft_path(name))  # a draft that a person brought is judged before anything is written
    rounds = (Round(number=1, of=ref.sha256),) if ref else ()
    recipe = of_run(now.state, now.look).recipe(kind)
    piece = Piece(name=name, kind=kind, idea=_idea(now), rounds=rounds, **limits(recipe))
    return Effects(piece, (critics.selection(now, piece, recipe),))


def _idea(now: Now) -> dict[str, Any]:
    """What is to be written about: the file of the idea, and what was told besides."""
    params = now.state.params
    name = idea_id(params)
    ref = now.state.ref(f"{IDEAS}{name}.md")
    found = now.look(ref, parse_idea) if ref else Idea(id=name, title=name.replace("-", " ").capitalize())
    return {
        "id": name,
        "title": params.get("title") or found.title,
        "audience": params.get("audience") or found.audience,
        "facts": [*found.facts, *(params.get("fact") or ())],
        "body": found.body,
    }


def kind_of(params: Mapping[str, Any], idea: Idea | None) -> str:
    """The type of content: as it was told, else as the idea says."""
    return str(params.get("type") or (idea.type if idea else ""))


def idea_id(params: Mapping[str, Any]) -> str:
    """The idea that a run is about: as it was named, by id or by its file, or else the run's own name."""
    return stem(str(params.get("idea") or params["slug"]))


# --- turns that come back ---------------------------------------------------------------------------------------------


def _returned(now: Now, piece: Piece, recipe: Recipe, key: str) -> Effects:
    if key == critics.SELECT:
        return conducted(now, critics.selected(now, piece, recipe), recipe)
    if key == author.KEY:
        return _wrote(now, piece, recipe)
    if key.startswith(critics.PREFIX):
        return _judged(now, critics.heard(now, piece), recipe)
    return ended(now, piece, recipe)


def _wrote(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    if not isinstance(now.output, AuthorOutput):
        said = now.refused[0].problem if now.refused else "it gave nothing back"
        return blocked(now, piece, recipe, f"the author could not write: {said}")
    text = now.output.content.rstrip() + "\n"
    piece, commands = author.written(piece, now.output, digest(text))
    return done(now, replace(piece, note=""), recipe, {"draft": text, "words": len(text.split())}, *commands)


def _judged(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    piece, more = critics.begun(now, piece, recipe)
    if more or critics.flying(now.state):
        return Effects(piece, more)
    if critics.failed(piece):
        return _failed(now, piece, recipe)
    return done(now, replace(piece, retried=False), recipe, critiques(piece, recipe))


def _failed(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """Every critic failed: once more by itself, then a person is asked. It is never an approval, and never a zero."""
    if piece.round is not None and not piece.retried:
        again = tuple(one.advisor for one in piece.round.ran)
        piece, commands = critics.begun(now, replace(piece, retried=True, queue=again, doing="critique"), recipe)
        return Effects(piece, commands)
    said = "; ".join(f"{one.name}: {one.error}" for one in (piece.round.ran if piece.round else ()))
    return blocked(now, piece, recipe, f"every critic failed twice: {said}")


# --- people -----------------------------------------------------------------------------------------------------------


def _settled(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    assert isinstance(now.event, Answered)  # narrows the type: the caller matched it
    if now.request is not None and now.request.key == edits.STALE:
        return edits.reopened(now, piece, recipe)
    if now.event.act == STOP:
        return Effects(replace(piece, stopped=piece.blocked), (Finish(reason="error"),))
    piece = replace(piece, blocked="", stopped="", queue=(), doing="", calls=())
    if piece.round is not None and piece.round.decision is None:
        piece = piece.in_round(piece.round.without_failures())
    if not piece.critics:  # what was wrong with the names may be fixed: they are looked up again
        piece = critics.selected(replace(now, output=None, refused=()), piece, recipe)
    return conducted(now, piece, recipe)
