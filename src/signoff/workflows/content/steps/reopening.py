"""What a person edits after the end: it is said to be stale, and whoever resumes has it judged, or written, anew."""

from __future__ import annotations

from signoff.core.commands import Ask, Command, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Effects, Now
from signoff.core.events import DocsChanged
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.workflows.content.shelf import ADVISORS, IDEAS, RECIPES, Recipe, document, of_run, text
from signoff.workflows.content.state import Piece, Round, content_path, draft_path

KEY = "stale"
CRITIQUES, DRAFT = "critiques", "draft"


def edited(now: Now, piece: Piece, recipe: Recipe) -> Effects:
    """What a saved piece rests on has changed: that is shown, and a person may have it looked at again."""
    assert isinstance(now.event, DocsChanged)  # narrows the type: the caller matched it
    rests_on = {content_path(piece.name), draft_path(piece.name), *_sources(now, piece, recipe)}
    changed = [path for path in now.event.docs if path in rests_on]
    if not changed:
        return Effects(piece)
    piece = replace(piece, edited_since=tuple(dict.fromkeys((*piece.edited_since, *changed))))
    return Effects(piece, () if now.state.request_of(KEY) else (_ask(piece),))


def _sources(now: Now, piece: Piece, recipe: Recipe) -> list[str]:
    """The files that the text and its judgement were made from."""
    shelf = of_run(now.state, now.look)
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
        f"it is now; with --from {DRAFT} the author writes it anew."
    )
    return Ask(key=KEY, kind=KEY, options=(RESUME,), question=question, notes={"from": (CRITIQUES, DRAFT)})


def reopened(now: Now, piece: Piece) -> tuple[Piece, tuple[Command, ...]]:
    """The piece at the beginning of a new go: on the text as it is now, or before there is one."""
    path = content_path(piece.name) if content_path(piece.name) in piece.edited_since else draft_path(piece.name)
    ref = now.state.ref(path)
    fresh = replace(piece, before=len(piece.rounds), revisions=0, saved="", edited_since=(), retried=False, note="")
    if ref is None or now.begins_at(CRITIQUES) == DRAFT:
        gone = now.state.ref(draft_path(piece.name)) is not None
        return fresh, (Write(path=draft_path(piece.name), text=None),) if gone else ()
    words = now.look(ref, text)
    first = Round(number=len(piece.rounds) + 1, of=digest(words))
    return replace(fresh, rounds=(*piece.rounds, first)), (Write(path=draft_path(piece.name), text=words),)
