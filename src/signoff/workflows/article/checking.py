"""The checks of a draft in a run: asked for as gates, and tried beforehand on a text that is not written yet."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.core.commands import Check
from signoff.core.events import Checked
from signoff.core.findings import Finding, failing
from signoff.core.frozen import replace
from signoff.core.workflow import Now
from signoff.workflows.article import document, places, siblings
from signoff.workflows.article.article import ArticleState, own_of
from signoff.workflows.article.checks import CHECKS, PAGE, run, run_all
from signoff.workflows.article.config import config_of


def checks(now: Now) -> tuple[Check, ...]:
    """All of them, on the documents as they are now."""
    topic, settings = own_of(now.state).topic, config_of(now.state, now.look)
    reads = {
        "config": places.config(topic),
        "outline": places.outline(topic),
        "draft": places.draft(topic),
        "sources": places.sources(topic),
        **{f"{PAGE}{url}": page.path for url, page in own_of(now.state).pages.items()},
    }
    params = {"characters": settings.characters, "avoid": siblings.avoid(now, settings.blocked)}
    return tuple(Check(key=name, gate=name, reads=reads, params=params) for name in CHECKS)


def noted_findings(now: Now, own: ArticleState) -> ArticleState:
    """What one more check found."""
    assert isinstance(now.event, Checked)  # narrows the type: only a check has findings
    assert now.check is not None
    return replace(own, results={**own.results, now.check.key: now.event.findings})


def gate_findings(own: ArticleState) -> tuple[Finding, ...]:
    """What the checks found that ran last."""
    return tuple(finding for name in CHECKS for finding in own.results.get(name, ()))


def patterns(now: Now) -> list[Finding]:
    """The phrases that proofreaders are told of."""
    return run("patterns", document.given(now))


def found_in(now: Now, draft: str) -> list[Finding]:
    """What all checks find in a draft as it would be."""
    return run_all(document.given(now, draft))


def broken_by(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """What a change of the draft would turn red that was not red before."""
    known = {(one.rule, one.problem) for one in before}
    return tuple(one for one in failing(after) if (one.rule, one.problem) not in known)
