"""The workflow's own value: where an inquiry stands. Everything in it was decided by code, or is a recorded choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from signoff.core.findings import Finding
from signoff.core.refs import Look, Ref
from signoff.core.state import State, replace
from signoff.workflows.clarify.checks.answer_quality import Evaluation, evaluate
from signoff.workflows.clarify.config import config_of
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Clarifications
from signoff.workflows.clarify.documents.decisions import Decision, Decisions
from signoff.workflows.kit.table_steps import StepState

SOURCES = "0-sources/"

PHASE = {
    "research": "1 research",
    "consolidate": "1 research",
    "scope": "1 research",
    "answers": "2 answers",
    "detail": "3 detailed research",
    "refine": "3 detailed research",
    "refinements": "4 refinements",
    "deepen": "4 refinements",
    "confirm": "5 decisions",
    "unsettled": "5 decisions",
    "complete": "complete",
    "escalated": "escalated",
}


def clarifications(name: str) -> str:
    """Where the questions and answers are."""
    return f"{name}/context/clarifications.md"


def evaluation_file(name: str) -> str:
    """Where the evaluation is."""
    return f"{name}/context/answer-evaluation.json"


def decisions(name: str) -> str:
    """Where the decisions are."""
    return f"{name}/context/decisions.md"


def research(name: str, dimension: str = "", number: int = 1) -> str:
    """Where the research notes are, or those of one dimension; a later pass has files of its own."""
    later = f"-{number}" if number > 1 else ""
    return f"{name}/context/research/" + (f"{dimension}{later}.md" if dimension else "")


@dataclass(frozen=True, kw_only=True)
class Inquiry(StepState):
    """The own value.

    `returned` are the outputs of the fan-out that is under way, by dimension or section, `basis` the digests of what
    they were made from, and `skipped` those that failed; `analysis` is the analyst's output of this pass. `origins` are
    the research questions of this pass by name, `musts` those that must be answered, `retired` those of passes before
    the scope was narrowed. `shown` is every id that people have seen, with its title, and `given` the ids of decisions.
    `by_hand` are the decisions that people edited, `in_file` what is odd in the file as they left it, `review` the
    decisions that need one.
    """

    name: str
    topic: str
    scope: str = ""
    scope_reason: str = ""
    scope_settled: bool = False
    returned: Mapping[str, Ref] = field(default_factory=dict)
    basis: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    analysis: Ref | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    musts: frozenset[str] = frozenset()
    retired: Mapping[str, str] = field(default_factory=dict)
    passes: int = 1
    shown: Mapping[str, str] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    evaluation: Evaluation | None = None
    deepened: bool = False
    round: int = 0
    stale: Mapping[str, str] = field(default_factory=dict)
    by_hand: frozenset[str] = frozenset()
    in_file: tuple[Finding, ...] = ()
    review: tuple[str, ...] = ()

    @property
    def clarifications(self) -> str:
        """Where its questions and answers are."""
        return clarifications(self.name)

    @property
    def decisions(self) -> str:
        """Where its decisions are."""
        return decisions(self.name)

    @property
    def phase(self) -> str:
        return PHASE[self.step]

    def showing(self, doc: Clarifications) -> Inquiry:
        """What people see from now on: ids are never given to anything else."""
        seen = {item.key: item.title for item in (*doc.questions, *doc.refinements)}
        return replace(self, shown={**self.shown, **seen})

    def giving(self, entries: Iterable[Decision]) -> Inquiry:
        """The ids of these decisions are theirs for good."""
        return replace(self, given=self.given | {entry.id for entry in entries})


def own_of(state: State) -> Inquiry:
    """The own value, typed."""
    own = state.own
    assert isinstance(own, Inquiry)  # narrows the type: the kernel hands a workflow its own value back
    return own


def clarifications_of(state: State, look: Look) -> Clarifications | None:
    """The questions as they are now."""
    ref = state.ref(clarifications(own_of(state).name))
    return look(ref, cl.parse_doc) if ref else None


def decisions_of(state: State, look: Look) -> Decisions | None:
    """The decisions as they are now."""
    ref = state.ref(decisions(own_of(state).name))
    return look(ref, de.parse_doc) if ref else None


def judged(state: State, look: Look) -> Inquiry:
    """The own value with the evaluation of the answers as they are now."""
    own, doc, config = own_of(state), clarifications_of(state, look), config_of(state, look)
    fresh = None if doc is None else evaluate(doc, frozenset(config.known_terms), config.limits)
    return replace(own, evaluation=fresh)
