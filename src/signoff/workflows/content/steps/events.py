"""What happens in a run: events in, the next value of the piece and commands out.

A selector settles the critics, then one agent conducts: it calls tools in a conversation of its own order, code rules
which are legal and what comes of them. The agent may end its turn when the content is saved, or while a person must
act; whenever there is work and nobody conducts, a new turn begins where the piece stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.commands import Ask, CancelTurn, Command, Finish, Reply, StartTurn, TurnLimits, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Effects, Now
from signoff.core.events import Answered, Called, DocsChanged, Started, TurnFailed, TurnReturned
from signoff.core.refs import digest
from signoff.core.state import State, replace
from signoff.workflows.content.conductor_prompt import goal
from signoff.workflows.content.outputs import AuthorOutput
from signoff.workflows.content.shelf import IDEAS, Idea, Recipe, of_run, parse_idea, stem
from signoff.workflows.content.state import APPROVED, Call, Piece, Round, draft_path, own_of
from signoff.workflows.content.steps import author, blocked, critic_selection, critics, reopening, tool_calls
from signoff.workflows.content.steps.toolbox import TOOLS, standing

CONDUCT = "conduct"
ESCALATION = "escalation"
REQUESTS = 12
"""How often a model may be asked per round: twice what a round takes that asks its critics in two parts."""


def step(now: Now) -> Effects:
    """The workflow's own part of a decision."""
    if isinstance(now.event, Started):
        return _first(now)
    piece = own_of(now.state)
    recipe = of_run(now.state, now.look).recipe(piece.kind)
    piece = replace(piece, **_limits(recipe, piece.before))
    match now.event:
        case Called():
            return tool_calls.answered(now, piece, recipe)
        case TurnReturned() | TurnFailed() if now.turn is not None:
            return _returned(now, piece, recipe, now.turn.start.key)
        case Answered():
            return _settled(now, piece, recipe)
        case DocsChanged():
            return _edited(now, piece, recipe)
    return Effects(piece)


def _first(now: Now) -> Effects:
    params = now.state.params
    idea, name = now.state.ref(f"{IDEAS}{idea_id(params)}.md"), str(params["slug"])
    kind = kind_of(params, now.look(idea, parse_idea) if idea else None)
    ref = now.state.ref(draft_path(name))  # a draft that a person brought is judged before anything is written
    rounds = (Round(number=1, of=ref.sha256),) if ref else ()
    recipe = of_run(now.state, now.look).recipe(kind)
    piece = Piece(name=name, kind=kind, idea=_idea(now), rounds=rounds, **_limits(recipe))
    return Effects(piece, (critic_selection.ask(now, piece, recipe),))


def _limits(recipe: Recipe, before: int = 0) -> dict[str, Any]:
    return {"minimum": recipe.min_aggregate_score, "most_rounds": before + recipe.max_revision_rounds + 1}


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
    if key == critic_selection.KEY:
        return conducted(now, critic_selection.settled(now, piece, recipe), recipe)
    if key == author.KEY:
        return _wrote(now, piece, recipe)
    if key.startswith(critics.PREFIX):
        return _judged(now, critics.heard(now, piece), recipe)
    return _ended(now, piece, recipe)


def _wrote(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    if not isinstance(now.output, AuthorOutput):
        said = now.refused[0].problem if now.refused else "it gave nothing back"
        return _blocked(now, piece, recipe, f"the author could not write: {said}")
    text = now.output.content.rstrip() + "\n"
    piece, commands = author.written(piece, now.output, digest(text))
    return _done(now, replace(piece, note=""), recipe, {"draft": text, "words": len(text.split())}, *commands)


def _judged(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    piece, more = critics.begun(now, piece, recipe)
    if more or critics.flying(now.state):
        return Effects(piece, more)
    if critics.failed(piece):
        return _failed(now, piece, recipe)
    return _done(now, replace(piece, retried=False), recipe, tool_calls.critiques(piece, recipe))


def _failed(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """Every critic failed: once more by itself, then a person is asked. It is never an approval, and never a zero."""
    if piece.round is not None and not piece.retried:
        again = tuple(one.advisor for one in piece.round.ran)
        piece, commands = critics.begun(now, replace(piece, retried=True, queue=again, doing="critique"), recipe)
        return Effects(piece, commands)
    said = "; ".join(f"{one.name}: {one.error}" for one in (piece.round.ran if piece.round else ()))
    return _blocked(now, piece, recipe, f"every critic failed twice: {said}")


def _done(now: Now, piece: Piece, recipe: Recipe, result: dict[str, object], *commands: Command) -> Effects:
    """What further turns were started for has come: the call that asked for it is answered."""
    waiting, piece = piece.calls, replace(piece, calls=(), doing="")
    said = {**result, "now": standing(piece, recipe, drafted=_drafted(now.state, piece, commands))}
    replies = (Reply(turn=one.turn, call_id=one.call_id, result=said) for one in waiting if _listens(now.state, one))
    return conducted(now, piece, recipe, *commands, *replies)


def _listens(state: State, call: Call) -> bool:
    """Whether the conversation that asked still goes on."""
    turn = state.turns.get(call.turn)
    return turn is not None and turn.start.attempt == call.attempt and call.call_id in turn.calls


def _drafted(state: State, piece: Piece, commands: Sequence[Command]) -> bool:
    written = [command for command in commands if isinstance(command, Write)]
    return written[-1].text is not None if written else state.ref(draft_path(piece.name)) is not None


def _blocked(now: Now, piece: Piece, recipe: Recipe, why: str) -> Effects:
    piece = replace(piece, blocked=why, retried=False, queue=())
    return _done(now, piece, recipe, tool_calls.critiques(piece, recipe), blocked.ask(why))


# --- the conducting agent ---------------------------------------------------------------------------------------------


def conducted(now: Now, piece: Piece, recipe: Recipe, *commands: Command) -> Effects:
    """Whoever conducts goes on; where nobody does and there is work, a turn begins."""
    open_turns = (*now.state.turns.values(), *now.state.parked)
    waits = piece.blocked or piece.stopped or piece.saved or piece.doing
    if waits or any(one.start.key == CONDUCT for one in open_turns):
        return Effects(piece, commands)
    notes = {"now": standing(piece, recipe, drafted=_drafted(now.state, piece, commands)), "idea": piece.idea}
    shelf = of_run(now.state, now.look)
    start = StartTurn(
        key=CONDUCT,
        agent="orchestrator",
        contract="orchestrator",
        task=goal(piece, recipe, [one for name in piece.critics if (one := shelf.advisor(name))]),
        tools=tuple(TOOLS),
        notes=notes,
        limits=TurnLimits(
            requests=REQUESTS * (recipe.max_revision_rounds + 2)
        ),  # the first draft and the output, as one round more
    )
    return Effects(piece, (*commands, start))


def _ended(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """The conversation is over. Saved is saved, whatever its last word was."""
    if piece.saved:
        return Effects(piece, (Finish(reason="complete" if piece.saved == APPROVED else piece.saved),))
    if not now.refused or piece.blocked:  # it may end while a person must act, and fail where one is asked already
        return conducted(now, piece, recipe)
    why = f"nobody could bring the content to its end: {now.refused[0].problem}"
    ask = Ask(key=ESCALATION, kind=ESCALATION, options=(RESUME,), question=f"{why}. Resume to try again from here.")
    return Effects(replace(piece, stopped=why), (ask, Finish(reason="escalated")))


# --- people -----------------------------------------------------------------------------------------------------------


def _settled(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    assert isinstance(now.event, Answered)  # narrows the type: the caller matched it
    if now.request is not None and now.request.key == reopening.KEY:
        return _reopened(now, piece, recipe)
    if now.event.act == blocked.STOP:
        return Effects(replace(piece, stopped=piece.blocked), (Finish(reason="error"),))
    piece = replace(piece, blocked="", stopped="", queue=(), doing="", calls=())
    if piece.round is not None and piece.round.decision is None:
        piece = piece.in_round(piece.round.without_failures())
    if not piece.critics:  # what was wrong with the names may be mended: they are looked up again
        piece = critic_selection.settled(replace(now, output=None, refused=()), piece, recipe)
    return conducted(now, piece, recipe)


def _edited(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """A person's words win: a draft that they changed is judged anew, and what was decided before is gone."""
    assert isinstance(now.event, DocsChanged)  # narrows the type: the caller matched it
    if piece.saved:
        return reopening.edited(now, piece, recipe)
    path = draft_path(piece.name)
    if path not in now.event.docs or piece.doing == "revise":  # a revision begins again on what is there now
        return Effects(piece)
    sha = now.state.docs.get(path)
    if piece.doing == "draft" or piece.round is None:
        return _brought(now, piece, recipe, sha)
    again = tuple(one.advisor for one in piece.round.ran if one.advisor not in piece.queue)
    fresh = piece.in_round(Round(number=piece.round.number, of=sha or ""))
    if piece.doing != "critique":
        return Effects(fresh)
    if sha is None:  # there is nothing left to judge
        fresh = replace(fresh, queue=())
        return _done(now, fresh, recipe, {"draft": "a person removed it"}, *_cancelled(now.state, critics.PREFIX))
    fresh, more = critics.begun(now, replace(fresh, queue=(*piece.queue, *again)), recipe)
    return Effects(fresh, more)


def _reopened(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """A new go, with a fresh allowance, on what a person edited after the end."""
    piece, commands = reopening.reopened(now, piece)
    return conducted(now, replace(piece, **_limits(recipe, piece.before)), recipe, *commands)


def _brought(now: Now, piece: Piece, recipe: Recipe, sha: str | None) -> Effects:
    """A person wrote the draft that the author was asked for, or was going to be."""
    if sha is None:
        return Effects(piece)
    number = piece.round.number if piece.round else len(piece.rounds) + 1
    first = Round(number=number, of=sha)
    piece = piece.in_round(first) if piece.round else replace(piece, rounds=(*piece.rounds, first))
    return _done(now, piece, recipe, {"draft": "a person wrote it"}, *_cancelled(now.state, author.KEY))


def _cancelled(state: State, key: str) -> tuple[CancelTurn, ...]:
    """What was started under this key is no longer wanted, out or parked."""
    turns = (*state.turns.values(), *state.parked)
    return tuple(CancelTurn(turn=one.start.turn) for one in turns if one.start.key.startswith(key))
