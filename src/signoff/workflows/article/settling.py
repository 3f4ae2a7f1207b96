"""How an article ends: released by code, put to a person, or begun again after an edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from signoff.core.commands import Ask, Finish, Write
from signoff.core.decide import RESUME
from signoff.core.events import Answered
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document, places, release
from signoff.workflows.article.article import ArticleState, own_of

_NEEDS: Mapping[str, Callable[[Now], bool]] = {
    "config": lambda _now: True,
    "plan_1": lambda now: _has(now, places.config),
    "thesis": lambda now: _has(now, places.config) and document.config_of(now).research.innovationSpace is not None,
    "plan_2": lambda now: _has(now, places.config) and _settled(now),
    "synthesis": lambda now: _has(now, places.config) and _settled(now) and _has(now, places.sources),
    "outline": lambda now: _has(now, places.config) and not document.not_ready(now),
    "draft": lambda now: _has(now, places.config) and not document.not_ready(now) and _has(now, places.outline),
    "proofread": lambda now: _has(now, places.draft) and _has(now, places.outline),
}
"""Where a person may have an article begin again, earliest first, and what has to be there for it."""

AGAIN = tuple(_NEEDS)


def _has(now: Now, place: Callable[[str], str]) -> bool:
    return now.state.ref(place(own_of(now.state).topic)) is not None


def _settled(now: Now) -> bool:
    config = document.config_of(now)
    return config.research.innovationSpace is not None and not config.writingAngle.pending


def begins(now: Now, wanted: str) -> tuple[list[str], str]:
    """Where the article can begin again as it is now, and the last such place that is not after the one wanted."""
    offered = [step for step, needs in _NEEDS.items() if needs(now)]
    before = [step for step in offered if AGAIN.index(step) <= AGAIN.index(wanted)]
    return offered, before[-1]


def enter_release(now: Now) -> Move:
    """What proofreading leads here has just passed its checks, as it is now: the same commit puts it in its places."""
    own, texts = own_of(now.state), release.rendered(document.release_input(now))
    writes = tuple(Write(path=path, text=text) for path, text in texts.items())
    return Move(replace(own, blockers=(), required=(), stale="", revisions=0), writes, "released")


def enter_complete(now: Now) -> Move:
    return Move(own_of(now.state), (Finish(reason="complete"),))


def on_complete(now: Now) -> Move:
    """A person who edited after completion asks for the rest to be done again."""
    own = own_of(now.state)
    step = now.begins_at(begins(now, own.stale or "proofread")[1])
    own = replace(own, stale="", edited_since=(), revisions=0, required=(), warnings=(), returned={})
    return Move(own, (), f"again_{step}")


def _wanted(own: ArticleState) -> str:
    """Where to go on: documents that came since are looked for first."""
    fresh = any(path.startswith(places.SOURCES) for path in own.edited_since)
    searches = "plan_2" if AGAIN.index(own.resume_to) > AGAIN.index("plan_2") else own.resume_to
    return searches if fresh else own.resume_to


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    why = "; ".join(own.blockers) or "; ".join(one.problem for one in own.required) or own.escalation_reason
    question = f"{own.topic} needs a decision ({own.escalation_reason}): {why}"
    offered, default = begins(now, own.resume_to)
    notes = {"from": offered, "default": default}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


def on_escalated(now: Now) -> Move:
    """Resumed by a person: a fresh allowance."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    step = now.begins_at(begins(now, _wanted(own))[1])
    own = own.choosing(now.event)
    by_hand = places.draft(own.topic) in own.by_hand  # their own text is checked before anything is asked of an agent
    mends = step == "draft" and not by_hand  # what begins before the draft ends in a new one, with nothing to mend
    own = replace(own, required=own.required if mends else ())
    own = replace(own, revisions=0, blockers=(), escalation_reason=None, edited_since=(), returned={})
    return Move(own, (), f"to_{step}")
