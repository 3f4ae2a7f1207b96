"""How an article ends: released by code, put to a person, or begun again after an edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from signoff.core.commands import Ask, Finish, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.article import places
from signoff.workflows.article.documents import sibling_articles, values
from signoff.workflows.article.state import own_of
from signoff.workflows.article.steps import release
from signoff.workflows.kit.table_steps import on_answer

_NEEDS: Mapping[str, Callable[[Now], bool]] = {
    "config": lambda _now: True,
    "plan_1": lambda now: _has(now, places.config),
    "thesis": lambda now: _has(now, places.config) and values.config_of(now).research.innovationSpace is not None,
    "plan_2": lambda now: _has(now, places.config) and _settled(now),
    "synthesis": lambda now: _has(now, places.config) and _settled(now) and _has(now, places.sources),
    "outline": lambda now: _has(now, places.config) and not values.not_ready(now),
    "draft": lambda now: _has(now, places.config) and not values.not_ready(now) and _has(now, places.outline),
    "proofread": lambda now: _has(now, places.draft) and _has(now, places.outline),
}
"""The steps where an article can begin again, earliest first, and what each needs."""

AGAIN = tuple(_NEEDS)


def _has(now: Now, place: Callable[[str], str]) -> bool:
    return now.state.ref(place(own_of(now.state).topic)) is not None


def _settled(now: Now) -> bool:
    config = values.config_of(now)
    return config.research.innovationSpace is not None and not config.writingAngle.pending


def begins(now: Now, wanted: str) -> tuple[list[str], str]:
    """The steps where the article can begin again now, and the last of them that is not after the wanted one."""
    offered = [step for step, needs in _NEEDS.items() if needs(now)]
    before = [step for step in offered if AGAIN.index(step) <= AGAIN.index(wanted)]
    return offered, before[-1]


def enter_release(now: Now) -> Move:
    """Writes the outputs in the commit in which the draft passed its checks."""
    own = own_of(now.state)
    made = release.Release(
        topic=own.topic,
        given=values.given(now),
        warnings=[finding for found in own.results.values() for finding in found],
        issues=own.left,
        fixed=own.fixed,
        revisions=own.revisions,
        backlinks=sibling_articles.backlinks(now.state, now.look, own.topic),
        pages=len(own.pages),
    )
    writes = tuple(Write(path=path, text=text) for path, text in release.rendered(made).items())
    return Move(replace(own, blockers=(), required=(), stale="", revisions=0), writes, "released")


def enter_complete(now: Now) -> Move:
    return Move(own_of(now.state), (Finish(reason="complete"),))


def on_complete(now: Now) -> Move:
    """The person asks for the rest to be done again after an edit."""
    own = own_of(now.state)
    step = now.begins_at(begins(now, own.stale or "proofread")[1])
    own = replace(own, stale="", edited_since=(), revisions=0, required=(), warnings=(), returned={})
    return Move(own, (), f"again_{step}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    why = "; ".join(own.blockers) or "; ".join(one.problem for one in own.required) or own.escalation_reason
    question = f"{own.topic} needs a decision ({own.escalation_reason}): {why}"
    offered, default = begins(now, own.resume_to)
    notes = {"from": offered, "default": default}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


@on_answer
def on_escalated(now: Now, event: Answered) -> Move:
    """The person resumes: the run has its revisions again, and new sources are searched first."""
    own = own_of(now.state).choosing(event)
    wanted = own.resume_to
    if any(path.startswith(places.SOURCES) for path in own.edited_since):
        wanted = min(wanted, "plan_2", key=AGAIN.index)
    step = now.begins_at(begins(now, wanted)[1])
    by_hand = places.draft(own.topic) in own.by_hand  # their own text is checked before anything is asked of an agent
    mends = step == "draft" and not by_hand  # a step before the draft ends in a new draft, with nothing to fix
    own = replace(own, required=own.required if mends else (), revisions=0, blockers=(), returned={})
    return Move(replace(own, escalation_reason=None, edited_since=()), (), f"to_{step}")
