"""What people edit while a page is in work or after it was released: their bytes win, and what that undoes is said."""

from __future__ import annotations

from typing import Any

from signoff import RESUME, Ask, CancelTurn, Command, Move, Now, Withdraw, Write, replace
from signoff.workflows.solution_page import config
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.state import PLANNING, SOURCES, TEMPLATES, PageState, draft, release
from signoff.workflows.solution_page.steps.authority import registry_of, registry_write

AGAIN = ("strategy", "draft_en", "review_en", "draft_cn", "review_cn", "release")
"""Where a person may have a page begin again, earliest first."""


def edited(now: Now[PageState]) -> Move:
    """A person's edit wins. What was earned on other bytes is earned again; work that read the old ones is redone."""
    changed = set(getattr(now.event, "docs", {}))
    own = _whose(now.own, changed, now)
    own, writes = _unearn(now, own, changed)
    changed |= {write.path for write in writes}
    if own.step == "complete":
        return _edited_after(now, own, changed, writes)
    cancel = tuple(CancelTurn(turn=turn) for turn in now.state.wanted)
    if outcome := _edited_outcome(now, own, changed):
        return Move(replace(own, review=None, results={}), (*writes, *cancel), outcome)
    return Move(own, writes)


def _whose(own: PageState, changed: set[str], now: Now[PageState]) -> PageState:
    """Which drafts are a person's own text now."""
    touched = {lang for lang in ("en", "cn") if draft(own.slug, lang) in changed}
    there = {lang for lang in touched if draft(own.slug, lang) in now.state.docs}
    own = replace(own, by_hand=(own.by_hand - touched) | there)
    if own.step == "escalated":
        return replace(own, edited_since=tuple(sorted({*own.edited_since, *changed})))
    return own


def _edited_outcome(now: Now[PageState], own: PageState, changed: set[str]) -> str | None:
    """Where an edit leads: a draft to its review, anything an open turn reads to the same work again."""
    en, cn = draft(own.slug, "en"), draft(own.slug, "cn")
    if draft(own.slug, own.lang) in changed - now.state.docs.keys() and own.step.startswith("draft_"):
        return "redo"
    if en in changed and own.step in ("draft_en", "draft_cn", "review_cn"):
        return "edited_en"
    if cn in changed and own.step == "draft_cn":
        return "edited_cn"
    read = {ref.path for turn in now.state.turns.values() for ref in turn.start.pinned}
    if now.state.checks:  # gates that are through have judged the old bytes: all of them run again
        read |= {path for path in changed if _matters(path, own)}
    return "redo" if changed & read else None


def _matters(path: str, own: PageState) -> bool:
    """Whether any gate or review looks at this document."""
    return path in (*_followed(own), config.PATH) or path.startswith((SOURCES, TEMPLATES))


def _edited_after(now: Now[PageState], own: PageState, changed: set[str], writes: tuple[Command, ...]) -> Move:
    """After completion an edit voids what was signed off, visibly, and waits for the person to say `resume`."""
    found = [step for path in changed if (step := _begins_again(path, own))]
    if not found:
        return Move(own, writes)
    step = min([*found, *([own.stale] if own.stale else [])], key=AGAIN.index)
    voided: Any = "false" if own.final_approved == "true" else own.final_approved
    since = {*own.edited_since, *getattr(now.event, "docs", {})}
    own = replace(own, stale=step, final_approved=voided, edited_since=tuple(sorted(since)))
    files = ", ".join(path for path in own.edited_since if _begins_again(path, own))
    question = f"{files} changed after {own.slug} was released. Resume to begin again at {step}."
    old = now.state.request_of("stale")
    withdraw = (Withdraw(request=old.request),) if old else ()
    ask = Ask(key="stale", kind="stale", options=(RESUME,), question=question, notes={"from": list(AGAIN[:-1])})
    return Move(own, (*writes, *withdraw, ask))


def _begins_again(path: str, own: PageState) -> str | None:
    """Where a finished page has to begin again when this document was changed."""
    if path.startswith(SOURCES):
        return "strategy"
    if path in (*PLANNING, reg.PATH, draft(own.slug, "en")):
        return "review_en"
    if path == draft(own.slug, "cn"):
        return "review_cn"
    return "release" if path in (release(own.slug, "en"), release(own.slug, "cn")) else None


def _followed(own: PageState) -> tuple[str, ...]:
    return (*PLANNING, reg.PATH, draft(own.slug, "en"), draft(own.slug, "cn"))


def _unearn(now: Now[PageState], own: PageState, changed: set[str]) -> tuple[PageState, tuple[Write, ...]]:
    """An edit never earns `verified`, and an edited source loses it."""
    if reg.PATH not in now.state.docs or not any(path == reg.PATH or path.startswith(SOURCES) for path in changed):
        return own, ()
    return registry_write(now, own, registry_of(now.state, now.look))
