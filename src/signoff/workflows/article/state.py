"""Where an article stands: what code decided and what people chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.workflows.kit.table_steps import StepState

PHASE = {
    **dict.fromkeys(("config",), "1 config"),
    **dict.fromkeys(("plan_1", "gather_1", "research_1"), "2 research"),
    **dict.fromkeys(("thesis", "depth"), "3 thesis"),
    **dict.fromkeys(("plan_2", "gather_2", "rounds", "synthesis", "adjustment"), "4 materials"),
    **dict.fromkeys(("outline", "draft"), "5 writing"),
    **dict.fromkeys(("proofread", "release"), "6 proofreading"),
    "complete": "complete",
    "escalated": "escalated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page that was fetched, with the rounds of research that asked for it."""

    url: str
    path: str
    title: str
    rounds: tuple[str, ...]

    def plain(self) -> dict[str, str]:
        return {"url": self.url, "path": self.path, "title": self.title}


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A page that was found and not fetched, and why."""

    url: str
    why: str


@dataclass(frozen=True, kw_only=True)
class ArticleState(StepState):
    """The article's own value.

    `queries` and `wanted` are what the agent proposed to search for and to fetch, each with its rounds; `pages` are
    the fetched pages, by address. `returned` are the outputs of turns that run in parallel. `chosen` is a thesis whose
    depth is not settled yet. `required` is what the next draft has to fix, `revisions` counts the drafts that were sent
    back, and `by_hand` are the documents that a person wrote. `stale` is the step where a finished article begins
    again.
    """

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
    stale: str = ""

    @property
    def phase(self) -> str:
        return PHASE[self.step]

    def of_round(self, name: str) -> list[Fetched]:
        """The pages that a round asked for."""
        return [page for page in self.pages.values() if name in page.rounds]


def own_of(state: State) -> ArticleState:
    own = state.own
    assert isinstance(own, ArticleState)  # narrows the type: the kernel hands a workflow its own value back
    return own
