"""How an article ends: released by code, put to a person, or begun again after an edit."""

from __future__ import annotations

from dataclasses import replace

from signoff.core.commands import Ask, Finish, Write
from signoff.core.decide import RESUME
from signoff.core.events import Answered, Checked
from signoff.core.findings import failing
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document, release
from signoff.workflows.article.article import own_of
from signoff.workflows.article.checking import checks, gate_findings, noted_findings

AGAIN = ("config", "plan_1", "thesis", "plan_2", "synthesis", "outline", "draft", "proofread")
"""Where a person may have an article begin again, earliest first."""


def enter_release(now: Now) -> Move:
    """Nothing is released that its checks have not passed as it is now."""
    return Move(replace(own_of(now.state), results={}), checks(now))


def on_release(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Checked):
        return Move(own)
    own = noted_findings(now, own)
    if now.state.checks:
        return Move(own)
    if found := failing(gate_findings(own)):
        return Move(replace(own, required=found), (), "revise")
    texts = release.rendered(document.release_input(now))
    writes = tuple(Write(path=path, text=text) for path, text in texts.items())
    return Move(replace(own, blockers=(), required=(), stale="", revisions=0), writes, "released")


def enter_complete(now: Now) -> Move:
    return Move(own_of(now.state), (Finish(reason="complete"),))


def on_complete(now: Now) -> Move:
    """A person who edited after completion asks for the rest to be done again."""
    own = own_of(now.state)
    step = now.begins_at(own.stale or "proofread")
    own = replace(own, stale="", edited_since=(), revisions=0, required=(), warnings=(), returned={})
    return Move(own, (), f"again_{step}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    why = "; ".join(own.blockers) or "; ".join(one.problem for one in own.required) or own.escalation_reason
    question = f"{own.topic} needs a decision ({own.escalation_reason}): {why}"
    notes = {"from": list(AGAIN), "default": own.resume_to}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


def on_escalated(now: Now) -> Move:
    """Resumed by a person: a fresh allowance."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    step = now.begins_at(own.resume_to)
    own = own.choosing(now.event)
    own = replace(own, revisions=0, blockers=(), escalation_reason=None, edited_since=(), returned={})
    return Move(own, (), f"to_{step}")
