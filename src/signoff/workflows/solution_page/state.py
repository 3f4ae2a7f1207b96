"""The workflow's own value: where a page stands. Everything in it was decided by code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from signoff import Finding, State, replace

Lang = Literal["en", "cn"]
GateAnswer = Literal["false", "true", "skipped"]

MESSAGE_HOUSE = "1-planning/message-house.md"
CONTENT_BRIEF = "1-planning/content-brief.md"
PLANNING = (MESSAGE_HOUSE, CONTENT_BRIEF)
SOURCES = "0-sources/"
TEMPLATES = ".promptpack/templates/"

PHASE = {
    "strategy": "strategy",
    "approve_strategy": "strategy",
    "draft_en": "draft_en",
    "review_en": "review_en",
    "draft_cn": "draft_cn",
    "review_cn": "review_cn",
    "approve_final": "review_cn",
    "release": "review_cn",
    "complete": "complete",
    "escalated": "escalated",
}


def draft(slug: str, lang: str) -> str:
    """Where the draft of a language is."""
    return f"3-drafts/{slug}/content-{lang}.md"


def release(slug: str, lang: str) -> str:
    """Where the released page of a language is."""
    return f"4-release/{slug}/content-{lang}.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One row of the escalation report: what was wrong in which round, and what was tried."""

    iteration: int
    agent: str
    issue: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A person's yes: who, when, and the exact bytes."""

    gate: str
    by: str
    at: str
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What editor-qa gave back, kept until the gates have run again on it."""

    status: str
    fixes: tuple[Any, ...] = ()
    blockers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PageState:
    """The own value. `results` are the findings of the gates that ran last, by check key.

    `by_hand` are the languages whose draft is a person's own text, `stale` is where a finished page has to begin again,
    `edited_since` is what people changed while the page was escalated.
    """

    step: str
    slug: str
    code: str
    counts: Mapping[str, int] = field(default_factory=lambda: {"en": 0, "cn": 0})
    strategy_approved: GateAnswer = "false"
    final_approved: GateAnswer = "false"
    last_agent: str = ""
    blockers: tuple[str, ...] = ()
    escalation_reason: str | None = None
    resume_to: str = ""
    results: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    review: Review | None = None
    fixes: tuple[Any, ...] = ()
    required: tuple[Finding, ...] = ()
    rejected: str = ""
    verified: Mapping[str, str] = field(default_factory=dict)
    approvals: tuple[Approval, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[Finding, ...] = ()
    stale: str = ""
    by_hand: frozenset[str] = frozenset()
    edited_since: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()

    @property
    def lang(self) -> Lang:
        """The language the page is at."""
        return "cn" if self.step.endswith("_cn") else "en"

    @property
    def phase(self) -> str:
        return PHASE[self.step]

    def counting(self, lang: str) -> PageState:
        """One more revision of this language."""
        return replace(self, counts={**self.counts, lang: self.counts[lang] + 1})

    def warned(self, *findings: Finding) -> PageState:
        """Something a person should know before they say yes; said once."""
        new = tuple(finding for finding in findings if finding not in self.warnings)
        return replace(self, warnings=(*self.warnings, *new))

    def giving_up(self, reason: str) -> PageState:
        """The last attempt was the last: nothing was tried after it."""
        if not self.attempts:
            return self
        last = replace(self.attempts[-1], fix=_said(reason))
        return replace(self, attempts=(*self.attempts[:-1], last))

    def noting(self, agent: str, issue: str, fix: str = "") -> PageState:
        """One more row in the history of attempts."""
        row = Attempt(iteration=self.counts[self.lang], agent=agent, issue=issue, fix=fix)
        return replace(self, attempts=(*self.attempts, row))


def _said(reason: str) -> str:
    return "none: the limit is reached" if reason == "iteration_limit" else "none"


def own_of(state: State) -> PageState:
    """The own value, typed."""
    own = state.own
    assert isinstance(own, PageState)  # narrows the type: the kernel hands a workflow its own value back
    return own


def noted(rule: str, problem: str, repair: str, about: str = "") -> Finding:
    """A warning: it fails nothing, and people get to see it."""
    return Finding(rule=rule, problem=problem, repair=repair, about=about, severity="warning")


def rejection(reason: str) -> Finding:
    """A person's rejection as a required fix."""
    return Finding(
        rule="person.rejected", problem=f"a person rejected this: {reason}", repair="do what the reason asks for"
    )
