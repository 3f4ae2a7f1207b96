"""Edits of people, before or after the release of an article: the edit is kept, and what depends on it is redone."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.core.commands import Ask, CancelTurn, Command, Withdraw, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.refs import digest
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.article import config, places
from signoff.workflows.article.documents import computed_fields, values
from signoff.workflows.article.state import ArticleState, own_of
from signoff.workflows.article.steps.release import AGAIN, begins
from signoff.workflows.kit.table_steps import changed_paths, put_back


def edited(now: Now) -> Move:
    """Takes an edit: computes what follows from it, and repeats work that read the old bytes."""
    topic = own_of(now.state).topic
    needed = (places.config(topic), places.sources(topic), places.outline(topic))
    now, back = put_back(
        now, own_of(now.state), "article.removed", lambda path: path in needed or path.startswith(places.pages(topic))
    )
    changed, own = changed_paths(now), own_of(now.state)
    theirs = {path for path in (places.outline(topic), places.draft(topic)) if path in changed}
    own = replace(own, by_hand=(own.by_hand - theirs) | {path for path in theirs if path in now.state.docs})
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
    """Cancels the turns and requests that were made from the old bytes."""
    yield from (CancelTurn(turn=turn) for turn in now.state.wanted)
    yield from (Withdraw(request=name) for name, ask in now.state.requests.items() if ask.kind == "choice")


def _recomputed(now: Now, own: ArticleState, changed: set[str]) -> tuple[Write, ...]:
    """Computes the fields of an edited config again: a person cannot set a count, a mix or a coverage."""
    path = places.config(own.topic)
    if path not in changed or path not in now.state.docs:
        return ()
    values.refuse_other_topic(values.config_of(now), own.topic)
    items, draft = values.items_of(now), values.draft_of(now)
    outline, urls = values.outline_of(now), list(own.pages)
    return (values.with_patches(now, {}, lambda found: computed_fields.again(found, urls, items, outline, draft)),)


def _outcome(now: Now, own: ArticleState, changed: set[str]) -> str | None:
    """Where an edit leads: a draft to its checks, an outline to a new draft, an input to its step again."""
    written = own.step in ("draft", "proofread")
    if own.step == "config" and places.config(own.topic) in changed:
        return "redo"
    if written and places.draft(own.topic) in changed:
        return "edited"
    if written and places.outline(own.topic) in changed:
        return "replanned"
    if own.step in ("gather_1", "gather_2") and config.PATH in changed:
        return "redo"  # it says where to search
    read = {ref.path for turn in now.state.turns.values() for ref in turn.start.pinned}
    read |= {path for path in changed if now.state.requests and path in (places.config(own.topic), config.PATH)}
    return "redo" if changed & read else None


def _edited_after(now: Now, own: ArticleState, changed: set[str]) -> Move:
    """Asks whether to redo what an edit of a finished article makes stale."""
    found = [step for path in changed if (step := _begins_again(path, own))]
    if not found:
        return Move(own)
    step = min([*found, *([own.stale] if own.stale else [])], key=AGAIN.index)
    own = replace(own, stale=step, edited_since=tuple(sorted({*own.edited_since, *changed})))
    files = ", ".join(path for path in own.edited_since if _begins_again(path, own))
    offered, step = begins(now, step)
    question = f"{files} changed after {own.topic} was finished. Resume to begin again at {step}."
    if changed & {*places.released(own.topic)}:
        question += f" The files in {places.OUTPUTS} are then made again from {places.draft(own.topic)}."
    old = now.state.request_of("stale")
    withdraw: tuple[Command, ...] = (Withdraw(request=old.request),) if old else ()
    ask = Ask(key="stale", kind="stale", options=(RESUME,), question=question, notes={"from": offered, "default": step})
    return Move(own, (*withdraw, ask))


def _begins_again(path: str, own: ArticleState) -> str | None:
    """The step where a finished article begins again after an edit of this document."""
    if path.startswith(places.pages(own.topic)):
        return "synthesis"
    return {
        places.config(own.topic): "outline",
        places.sources(own.topic): "synthesis",
        places.outline(own.topic): "draft",
        places.draft(own.topic): "draft",
        **dict.fromkeys(places.released(own.topic), "proofread"),
    }.get(path)
