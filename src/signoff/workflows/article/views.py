"""What people read about an article: its status and a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.declarations import Now
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.article import places
from signoff.workflows.article.documents import values
from signoff.workflows.article.state import own_of
from signoff.workflows.article.steps import release

_WORKER = {
    "config": "config-creator",
    **dict.fromkeys(("plan_1", "research_1", "plan_2", "rounds", "synthesis"), "web-researcher"),
    **dict.fromkeys(("outline", "draft"), "outline-writer"),
    "proofread": "proofreader",
}


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    reported = [finding for found in own.results.values() for finding in found if finding.severity == "warning"]
    return {
        "phase": own.phase,
        "step": own.step,
        "rounds": {"revisions": own.revisions} if own.revisions else {},
        "next_agent": "human" if state.requests else _WORKER.get(own.step, "code"),
        "pages": len(own.pages),
        "skipped": [{"url": one.url, "why": one.why} for one in own.skipped],
        "choices": [one.plain() for one in own.choices],
        "blockers": list(own.blockers),
        "warnings": [str(finding) for finding in (*own.warnings, *reported)],
        "escalation_reason": own.escalation_reason,
        "stale": {own.stale: ", ".join(own.edited_since)} if own.stale else {},
        "edited_since": list(own.edited_since),
        "outputs": list(places.released(own.topic)) if state.stop == "complete" else [],
    }


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """A few lines about the article so far, the mix of its materials as bars, and a command to try next."""
    own = own_of(state)
    if places.output(own.topic) not in state.docs:
        return {"lines": [f"{own.phase}: {len(own.pages)} pages read"], "next": []}
    given = values.given(Now(state=state, event=None, look=look))  # type: ignore[arg-type]
    found = given.article.length(given.config.language)
    used = next(iter(given.article.ids), "")
    lines = [
        f"article: {places.output(own.topic)}, {found} {given.unit} (budget {given.least} to {given.most})",
        *release.mix_lines(given),
        f"differentiators: {release.coverage_lines(given)[0]}",
        f"report: {places.released(own.topic)[-1]}",
    ]
    return {"lines": lines, "next": [f"signoff trace {used}"] if used else []}
