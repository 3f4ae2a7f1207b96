"""The workflow's own value: where an article stands. Everything in it was decided by code, or is a recorded choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.workflows.choices import Chosen, chosen

PHASE = {
    "config": "1 config",
    "plan_1": "2 research",
    "gather_1": "2 research",
    "research_1": "2 research",
    "thesis": "3 thesis",
    "depth": "3 thesis",
    "plan_2": "4 materials",
    "gather_2": "4 materials",
    "rounds": "4 materials",
    "synthesis": "4 materials",
    "adjustment": "4 materials",
    "outline": "5 writing",
    "draft": "5 writing",
    "proofread": "6 proofreading",
    "release": "6 proofreading",
    "complete": "complete",
    "escalated": "escalated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page that was read: where it came from, where it is, and in which rounds it was looked for."""

    url: str
    path: str
    title: str
    rounds: tuple[str, ...]

    def plain(self) -> dict[str, str]:
        """As a brief has it."""
        return {"url": self.url, "path": self.path, "title": self.title}


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A page that was found and not read, and why."""

    url: str
    why: str


@dataclass(frozen=True, kw_only=True)
class ArticleState:
    """The own value.

    `queries` and `wanted` are what the agent proposed to look for and to fetch, each with its rounds; `pages` what was
    read, by address. `returned` are the outputs of the fan-out that is under way. `chosen` is the thesis that waits for
    a word on its depth. `required` is what the next draft has to mend, `revisions` how often one was sent back, and
    `by_hand` the documents that are a person's own text. `stale` is where a finished article has to begin again.
    """

    step: str
    topic: str
    queries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pages: Mapping[str, Fetched] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    returned: Mapping[str, Ref] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    required: tuple[Finding, ...] = ()
    revisions: int = 0
    fixed: int = 0
    left: tuple[Mapping[str, Any], ...] = ()
    by_hand: frozenset[str] = frozenset()
    choices: tuple[Chosen, ...] = ()
    warnings: tuple[Finding, ...] = ()
    blockers: tuple[str, ...] = ()
    escalation_reason: str | None = None
    resume_to: str = ""
    stale: str = ""
    edited_since: tuple[str, ...] = ()

    @property
    def phase(self) -> str:
        return PHASE[self.step]

    def warned(self, *findings: Finding) -> ArticleState:
        """Something a person should know; said once."""
        new = tuple(finding for finding in findings if finding not in self.warnings)
        return replace(self, warnings=(*self.warnings, *dict.fromkeys(new)))

    def choosing(self, event: Answered) -> ArticleState:
        """One more choice on record."""
        return replace(self, choices=(*self.choices, chosen(event)))

    def of_round(self, name: str) -> list[Fetched]:
        """The pages that were looked for in a round."""
        return [page for page in self.pages.values() if name in page.rounds]


def own_of(state: State) -> ArticleState:
    """The own value, typed."""
    own = state.own
    assert isinstance(own, ArticleState)  # narrows the type: the kernel hands a workflow its own value back
    return own


def noted(rule: str, problem: str, repair: str, about: str = "", file: str = "") -> Finding:
    """A warning: it fails nothing, and people get to see it."""
    return Finding(rule=rule, problem=problem, repair=repair, about=about, file=file, severity="warning")
