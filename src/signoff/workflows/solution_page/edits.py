"""What people edit while a page is in work or after it was released: their bytes win, and what that undoes is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from signoff.core.commands import Ask, CancelTurn, Command, Write
from signoff.core.decide import RESUME
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.solution_page import config
from signoff.workflows.solution_page import registry as reg
from signoff.workflows.solution_page.authority import registry_of, registry_write
from signoff.workflows.solution_page.page import PLANNING, SOURCES, TEMPLATES, PageState, draft, own_of


def edited(now: Now) -> Move:
    """A person's edit wins. What was earned on other bytes is earned again; work that read the old ones is redone."""
    own = own_of(now.state)
    changed = set(getattr(now.event, "docs", {}))
    own, writes = _unearn(now, own, changed)
    changed |= {write.path for write in writes}
    if own.step == "complete":
        return _edited_after(now, own, changed, writes)
    cancel = tuple(CancelTurn(turn=turn) for turn in now.state.turns)
    if outcome := _edited_outcome(now, own, changed):
        return Move(replace(own, review=None, results={}), (*writes, *cancel), outcome)
    return Move(own, writes)


def _edited_outcome(now: Now, own: PageState, changed: set[str]) -> str | None:
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


def _edited_after(now: Now, own: PageState, changed: set[str], writes: tuple[Command, ...]) -> Move:
    """After completion an edit voids what was signed off, visibly, and waits for the person to say `resume`."""
    relevant = {path for path in changed if path.startswith(SOURCES) or path in _followed(own)}
    if not relevant:
        return Move(own, writes)
    lang = "cn" if relevant == {draft(own.slug, "cn")} else "en"
    voided: Any = "false" if own.final_approved == "true" else own.final_approved
    asked = now.state.request_of("stale") is not None
    lang = "en" if own.stale == "en" else lang
    own = replace(own, stale=lang, final_approved=voided)
    question = f"{', '.join(sorted(relevant))} changed after {own.slug} was released. Resume to review it again."
    ask = () if asked else (Ask(key="stale", kind="stale", options=(RESUME,), question=question),)
    return Move(own, (*writes, *ask))


def _followed(own: PageState) -> tuple[str, ...]:
    return (*PLANNING, reg.PATH, draft(own.slug, "en"), draft(own.slug, "cn"))


def _unearn(now: Now, own: PageState, changed: set[str]) -> tuple[PageState, tuple[Write, ...]]:
    """An edit never earns `verified`, and an edited source loses it."""
    if reg.PATH not in now.state.docs or not any(path == reg.PATH or path.startswith(SOURCES) for path in changed):
        return own, ()
    return registry_write(now, own, registry_of(now.state, now.look))
