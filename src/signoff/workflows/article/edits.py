"""What people edit while an article is in work or after it was released: their bytes win, what that undoes is said."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.artifacts.textio import decode
from signoff.core.commands import Ask, CancelTurn, Command, Withdraw, Write
from signoff.core.decide import RESUME
from signoff.core.frozen import replace
from signoff.core.refs import Ref, digest
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import config, document, following, places
from signoff.workflows.article.article import ArticleState, noted, own_of
from signoff.workflows.article.settling import AGAIN, begins

WRITTEN = ("draft", "proofread")
"""Steps in which a draft is there already."""


def edited(now: Now) -> Move:
    """A person's edit wins. What is computed is computed again; work that read the old bytes is done again."""
    now, back = _put_back(now)
    changed = {path for path in getattr(now.event, "docs", {}) if now.was.get(path) != now.state.docs.get(path)}
    own = _whose(own_of(now.state), changed, now)
    again = _recomputed(now, own, changed)
    changed -= {write.path for write in again if digest(write.text or "") == now.was.get(write.path)}
    writes = (*back, *again)
    if own.step == "complete":
        move = _edited_after(now, own, changed)
        return replace(move, commands=(*writes, *move.commands))
    if own.step == "escalated":
        own = replace(own, edited_since=tuple(sorted({*own.edited_since, *changed})))
        return Move(own, writes)
    outcome = _outcome(now, own, changed)
    if not outcome:
        return Move(own, writes)
    return Move(replace(own, returned={}, results={}), (*writes, *_dropped(now)), outcome)


def _dropped(now: Now) -> Iterator[Command]:
    """What was asked for on the old bytes: it is asked for again on the new ones."""
    yield from (CancelTurn(turn=turn) for turn in now.state.wanted)
    yield from (Withdraw(request=name) for name, ask in now.state.requests.items() if ask.kind == "choice")


def _put_back(now: Now) -> tuple[Now, tuple[Command, ...]]:
    """What other documents rest on is put back when it was removed: nobody could go on without it."""
    own = own_of(now.state)
    kept = (places.config(own.topic), places.sources(own.topic), places.outline(own.topic))
    gone = [
        path
        for path in now.was
        if path not in now.state.docs and (path in kept or path.startswith(places.pages(own.topic)))
    ]
    if not gone:
        return now, ()
    writes = tuple(Write(path=path, text=now.look(Ref(path, now.was[path]), decode)) for path in gone)
    problem = f"{', '.join(gone)} was removed and has been put back as it was"
    own = own.warned(noted("article.removed", problem, "to begin anew, start a run of another name"))
    docs = {**now.state.docs, **{path: now.was[path] for path in gone}}
    return replace(now, state=replace(now.state, docs=docs, own=own)), writes


def _whose(own: ArticleState, changed: set[str], now: Now) -> ArticleState:
    """Which documents are a person's own text now."""
    theirs = {path for path in (places.outline(own.topic), places.draft(own.topic)) if path in changed}
    there = {path for path in theirs if path in now.state.docs}
    return replace(own, by_hand=(own.by_hand - theirs) | there)


def _recomputed(now: Now, own: ArticleState, changed: set[str]) -> tuple[Write, ...]:
    """An edit of the config sets no count, no mix and no coverage: they are what they are."""
    path = places.config(own.topic)
    if path not in changed or path not in now.state.docs:
        return ()
    document.refuse_other_topic(document.config_of(now), own.topic)
    items, draft = document.items_of(now), document.draft_of(now)
    outline, urls = document.outline_of(now), list(own.pages)
    return (document.with_patches(now, {}, lambda found: following.again(found, urls, items, outline, draft)),)


def _outcome(now: Now, own: ArticleState, changed: set[str]) -> str | None:
    """Where an edit leads: a draft to its checks, an outline to a new draft, what is read to the same again.

    A config that a person wrote while an agent was asked for one is taken as it is.
    """
    if own.step == "config" and places.config(own.topic) in changed:
        return "redo"
    if own.step in WRITTEN and places.draft(own.topic) in changed:
        return "edited"
    if own.step in WRITTEN and places.outline(own.topic) in changed:
        return "replanned"
    if own.step in ("gather_1", "gather_2") and config.PATH in changed:
        return "redo"  # where it is looked for is said there
    read = {ref.path for turn in now.state.turns.values() for ref in turn.start.pinned}
    read |= {path for path in changed if now.state.requests and path in (places.config(own.topic), config.PATH)}
    return "redo" if changed & read else None


# --- after the end ----------------------------------------------------------------------------------------------------


def _edited_after(now: Now, own: ArticleState, changed: set[str]) -> Move:
    """What became stale is said, and nothing is done before the person says so."""
    found = [step for path in changed if (step := _begins_again(path, own))]
    if not found:
        return Move(own)
    step = min([*found, *([own.stale] if own.stale else [])], key=AGAIN.index)
    own = replace(own, stale=step, edited_since=tuple(sorted({*own.edited_since, *changed})))
    files = ", ".join(path for path in own.edited_since if _begins_again(path, own))
    offered, step = begins(now, step)
    question = f"{files} changed after {own.topic} was finished. Resume to begin again at {step}."
    if changed & {*places.released(own.topic)}:
        question += f" What is in {places.OUTPUTS} is then made anew of {places.draft(own.topic)}: edit that to last."
    old = now.state.request_of("stale")
    withdraw: tuple[Command, ...] = (Withdraw(request=old.request),) if old else ()
    ask = Ask(key="stale", kind="stale", options=(RESUME,), question=question, notes={"from": offered, "default": step})
    return Move(own, (*withdraw, ask))


def _begins_again(path: str, own: ArticleState) -> str | None:
    """Where a finished article has to begin again when this document was changed."""
    begins = {
        places.config(own.topic): "outline",
        places.sources(own.topic): "synthesis",
        places.outline(own.topic): "draft",
        places.draft(own.topic): "draft",
        **dict.fromkeys(places.released(own.topic), "proofread"),
    }
    if path.startswith(places.pages(own.topic)):
        return "synthesis"
    return begins.get(path)
