"""What people read of an article: where it stands and what came of it. All follows from the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Now
from signoff.workflows.article import document, places, release
from signoff.workflows.article.article import ArticleState, own_of

_WORKER = {
    "config": "config-creator",
    "plan_1": "web-researcher",
    "research_1": "web-researcher",
    "plan_2": "web-researcher",
    "rounds": "web-researcher",
    "synthesis": "web-researcher",
    "outline": "outline-writer",
    "draft": "outline-writer",
    "proofread": "proofreader",
}


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    own = own_of(state)
    return {
        "phase": own.phase,
        "step": own.step,
        "rounds": {"revisions": own.revisions} if own.revisions else {},
        "next_agent": "human" if state.requests else _WORKER.get(own.step, "code"),
        "pages": len(own.pages),
        "skipped": [{"url": one.url, "why": one.why} for one in own.skipped],
        "choices": [one.plain() for one in own.choices],
        "blockers": list(own.blockers),
        "warnings": [str(finding) for finding in (*own.warnings, *_reported(own))],
        "escalation_reason": own.escalation_reason,
        "stale": {own.stale: ", ".join(own.edited_since)} if own.stale else {},
        "edited_since": list(own.edited_since),
        "outputs": list(places.released(own.topic)) if state.stop == "complete" else [],
    }


def _reported(own: ArticleState) -> list[Finding]:
    return [finding for found in own.results.values() for finding in found if finding.severity == "warning"]


def summary(state: State, look: Look) -> Mapping[str, Any]:
    """What came of it so far, in a few lines with its bars, and what to try next."""
    own = own_of(state)
    if places.output(own.topic) not in state.docs:
        return {"lines": [f"{own.phase}: {len(own.pages)} pages read"], "next": []}
    given = document.given(Now(state=state, event=None, look=look))  # type: ignore[arg-type]
    found = given.article.length(given.config.language)
    used = next(iter(given.article.ids), "")
    lines = [
        f"article: {places.output(own.topic)}, {found} {given.unit} (budget {given.least} to {given.most})",
        *release.mix_lines(given),
        f"differentiators: {release.coverage_lines(given)[0]}",
        f"report: {places.report(own.topic)}",
    ]
    return {"lines": lines, "next": [f"signoff trace {used}"] if used else []}
