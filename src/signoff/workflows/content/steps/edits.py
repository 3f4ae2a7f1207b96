"""What people edit: a draft of theirs is judged again, and after the end an edit waits until they resume."""

from __future__ import annotations

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import Ask, CancelTurn, Command, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Effects, Now
from signoff.core.events import DocsChanged
from signoff.core.refs import Look, digest
from signoff.core.state import State, replace
from signoff.workflows.content.shelf import ADVISORS, IDEAS, RECIPES, Recipe, document, limits, of_run
from signoff.workflows.content.state import Piece, Round, content_path, draft_path
from signoff.workflows.content.steps import author, critics
from signoff.workflows.content.steps.conductor import conducted, done

STALE = "stale"
CRITIQUES, DRAFT = "critiques", "draft"


def edited(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """A person's words win: a draft that they changed is judged again, and what was decided before is void."""
    assert isinstance(now.event, DocsChanged)  # narrows the type: the caller matched it
    if piece.saved:
        return _noticed(now, piece, recipe)
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
        return done(now, fresh, recipe, {"draft": "a person removed it"}, *_cancelled(now.state, critics.PREFIX))
    fresh, more = critics.begun(now, replace(fresh, queue=(*piece.queue, *again)), recipe)
    return Effects(fresh, more)


def _brought(now: Now, piece: Piece, recipe: Recipe, sha: str | None) -> Effects:
    """A person wrote the draft that the author was asked for, or was going to be."""
    if sha is None:
        return Effects(piece)
    number = piece.round.number if piece.round else len(piece.rounds) + 1
    first = Round(number=number, of=sha)
    piece = piece.in_round(first) if piece.round else replace(piece, rounds=(*piece.rounds, first))
    return done(now, piece, recipe, {"draft": "a person wrote it"}, *_cancelled(now.state, author.KEY))


def _cancelled(state: State, key: str) -> tuple[CancelTurn, ...]:
    """What was started under this key is no longer wanted, out or parked."""
    turns = (*state.turns.values(), *state.parked)
    return tuple(CancelTurn(turn=one.start.turn) for one in turns if one.start.key.startswith(key))


# --- after the end ----------------------------------------------------------------------------------------------------


def _noticed(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """What a saved piece rests on has changed: that is shown, and a person may have it looked at again."""
    assert isinstance(now.event, DocsChanged)  # narrows the type: the caller matched it
    rests_on = {content_path(piece.name), draft_path(piece.name), *_sources(now.state, now.look, piece, recipe)}
    changed = [path for path in now.event.docs if path in rests_on]
    if not changed:
        return Effects(piece)
    piece = replace(piece, edited_since=tuple(dict.fromkeys((*piece.edited_since, *changed))))
    return Effects(piece, () if now.state.request_of(STALE) else (_ask(piece),))


def rests_on(state: State, look: Look) -> list[str]:
    """What the piece of a run is, and what it was made from."""
    piece = state.own
    recipe = of_run(state, look).recipe(piece.kind)
    return [content_path(piece.name), draft_path(piece.name), *_sources(state, look, piece, recipe)]


def _sources(state: State, look: Look, piece: Piece, recipe: Recipe) -> list[str]:
    """The files that the text and its judgement were made from."""
    shelf = of_run(state, look)
    critics = [one for name in piece.critics if (one := shelf.advisor(name))]
    documents = {*recipe.author_context_docs, *(kind for one in critics for kind in one.docs)}
    return [
        f"{IDEAS}{piece.idea['id']}.md",
        f"{RECIPES}{piece.kind}.yaml",
        f"{ADVISORS}{recipe.author_advisor}.md",
        *(one.path for one in critics),
        *(shelf.framework(recipe.author_framework) if recipe.author_framework else ()),
        *map(document, documents),
    ]


def _ask(piece: Piece) -> Ask:
    question = (
        f"{', '.join(piece.edited_since)} changed after the content was saved. Resume to have the text judged again as "
        f"it is now; with --from {DRAFT} the author writes it again."
    )
    return Ask(key=STALE, kind=STALE, options=(RESUME,), question=question, notes={"from": (CRITIQUES, DRAFT)})


def _begun_again(now: Now, piece: Piece) -> tuple[Piece, tuple[Command, ...]]:
    """The piece at the beginning of a new go: on the text as it is now, or before there is one."""
    path = content_path(piece.name) if content_path(piece.name) in piece.edited_since else draft_path(piece.name)
    ref = now.state.ref(path)
    fresh = replace(piece, before=len(piece.rounds), revisions=0, saved="", edited_since=(), retried=False, note="")
    if ref is None or now.begins_at(CRITIQUES) == DRAFT:
        gone = now.state.ref(draft_path(piece.name)) is not None
        return fresh, (Write(path=draft_path(piece.name), text=None),) if gone else ()
    words = now.look(ref, decode)
    first = Round(number=len(piece.rounds) + 1, of=digest(words))
    return replace(fresh, rounds=(*piece.rounds, first)), (Write(path=draft_path(piece.name), text=words),)


def reopened(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """A new go, with a fresh allowance, on what a person edited after the end."""
    piece, commands = _begun_again(now, piece)
    return conducted(now, replace(piece, **limits(recipe, piece.before)), recipe, *commands)
