"""The workflow's own state, and the documents of a design as values.

Everything in the state was decided by code, or is a recorded choice of a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from signoff.artifacts.text_decoding import decode
from signoff.core.findings import Finding
from signoff.core.refs import Look, Ref
from signoff.core.state import State, replace
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import (
    agent_registry,
    agent_roster,
    plan_summary,
    risks,
    technology_stack,
)
from signoff.workflows.orchestration.documents import contracts as fc
from signoff.workflows.orchestration.documents.agent_registry import Registry
from signoff.workflows.orchestration.documents.reviews import Domain
from signoff.workflows.orchestration.sequence import work_sequence
from signoff.workflows.orchestration.work.progress import Work

SOURCES = "0-sources/"
STEPS = (
    "architecture", "review", "questions", "tactical", "approve_architecture",
    "roster", "approve_roster", "create_agents",
    "contracts", "sequence", "instructions",
    "research", "checklists", "consultations", "pocs", "integration",
    "verify", "approve_design",
    "execute", "adapt", "done",
)  # fmt: skip
"""The steps of a task in order. Two more stand beside them: `escalated`, and `replaced` by another run."""

PHASE = {
    **dict.fromkeys(STEPS[:5], "1 architecture"),
    **dict.fromkeys(STEPS[5:8], "2 roster"),
    **dict.fromkeys(STEPS[8:11], "3 workflow"),
    **dict.fromkeys(STEPS[11:16], "4 risk"),
    **dict.fromkeys(STEPS[16:18], "5 verification"),
    **dict.fromkeys(STEPS[18:20], "6 execution"),
    "done": "done",
    "escalated": "escalated",
    "replaced": "replaced",
}

ADAPTATION = "adaptation"
"""The gate at which a person approves a change of the plan during the work."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A person's approval of these exact bytes."""

    gate: str
    by: str
    at: str
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The output of one of several parallel turns, with the digests of the documents that it was made from."""

    output: Ref
    read: Mapping[str, str]

    def is_of(self, docs: Mapping[str, str]) -> bool:
        """Whether it was made from the documents as they are here."""
        return all(docs.get(path, "") == sha for path, sha in self.read.items())


@dataclass(frozen=True, kw_only=True)
class Design:
    """Where a design stands.

    `order`, `reviewed` and `decided` belong to the two-stage review. `returned` has the outputs of parallel turns while
    others are still out; `kept` says which of contracts and checkpoints need not be made again, `written` the digest of
    what each agent's instructions were written from, and `by_hand` the instructions that people edited since.
    `required` is what the next turn in an area must fix, `rejected` what a person said at a gate. `integrated` says
    that the PoCs are in the plan; `practices` go into the instructions of each agent. `researched` is the research that
    this run did. `digest` is that of the approved design.
    """

    step: str
    run: str
    task: str
    task_id: str
    created: int
    order: tuple[Domain, ...] = ()
    reviewed: int = 0
    decided: int = 0
    returned: Mapping[str, Given] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    written: Mapping[str, str] = field(default_factory=dict)
    by_hand: frozenset[str] = frozenset()
    required: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    integrated: bool = False
    practices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    researched: tuple[str, ...] = ()
    rounds: Mapping[str, int] = field(default_factory=dict)
    approvals: tuple[Approval, ...] = ()
    rejections: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    digest: str = ""
    work: Work | None = None
    adapting: bool = False
    blockers: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    escalation_reason: str | None = None
    resume_to: str = ""
    stale: str = ""
    edited_since: tuple[str, ...] = ()

    @property
    def phase(self) -> str:
        """The phase, as people are shown it."""
        return PHASE[self.step]

    @property
    def summary(self) -> str:
        """The path of the plan."""
        return places.summary(self.task)

    @property
    def tactical_tasks(self) -> set[str]:
        """The tasks that came up during the work. No design has them, and their files stay."""
        return {name for name, worker in self.work.workers.items() if worker.serves} if self.work else set()

    def warned(self, *findings: Finding) -> Design:
        """With more warnings for people, each once."""
        fresh = tuple(one for one in findings if one not in self.warnings)
        return replace(self, warnings=(*self.warnings, *fresh))

    def unwarned(self, *rules: str) -> Design:
        """Without the warnings of these rules, because they are checked again."""
        return replace(self, warnings=tuple(one for one in self.warnings if one.rule not in rules))

    def counting(self, what: str) -> Design:
        """With one round more."""
        return replace(self, rounds={**self.rounds, what: self.rounds.get(what, 0) + 1})

    def mended(self, *areas: str) -> Design:
        """Without what was required in these areas, because an agent has been told."""
        left = {area: found for area, found in self.required.items() if area not in areas}
        heard = {gate: said for gate, said in self.rejected.items() if gate not in areas}
        return replace(self, required=left, rejected=heard)


def own_of(state: State) -> Design:
    """The design of a run."""
    own: Design = state.own
    return own


def noted(rule: str, problem: str, repair: str, about: str = "", file: str = "") -> Finding:
    """A warning: people see it, and nothing fails."""
    return Finding(rule=rule, problem=problem, repair=repair, about=about, file=file, severity="warning")


@dataclass(frozen=True, slots=True)
class Shelf:
    """The documents of a design as values. Each is looked up when it is used."""

    state: State
    look: Look

    def _maybe(self, path: str, parse: Callable[[bytes, str], V]) -> V | None:
        ref = self.state.ref(path)
        return self.look(ref, parse) if ref else None

    def _there(self, path: str, parse: Callable[[bytes, str], V]) -> V:
        found = self._maybe(path, parse)
        assert found is not None, path  # narrows the type: an earlier stage wrote it, and a removed file is restored
        return found

    def text(self, path: str) -> str:
        """A document's text, or an empty one."""
        return self._maybe(path, decode) or ""

    @property
    def plan(self) -> plan_summary.Plan:
        return self._there(own_of(self.state).summary, plan_summary.parse)

    @property
    def stack(self) -> technology_stack.Stack:
        return self._there(places.STACK, technology_stack.parse)

    @property
    def roster(self) -> agent_roster.Roster:
        return self._there(places.ROSTER, agent_roster.parse)

    @property
    def contracts(self) -> fc.FileContracts:
        return self._there(places.CONTRACTS, fc.parse_contracts)

    @property
    def checkpoints(self) -> fc.Checkpoints:
        return self._there(places.CHECKPOINTS, fc.parse_checkpoints)

    @property
    def sequence(self) -> work_sequence.Sequence:
        return self._there(places.SEQUENCE, work_sequence.parse)

    @property
    def specs(self) -> risks.PocSpecs:
        return self._maybe(places.POC_SPECS, risks.parse_specs) or risks.PocSpecs()

    @property
    def research(self) -> dict[str, risks.Research]:
        """The research on the technologies of the stack, by path. Research on others belongs to other tasks."""
        wanted = {places.research(one.slug) for one in technology_stack.technologies(self.stack)}
        return {path: self._there(path, risks.parse_research) for path in sorted(wanted & self.state.docs.keys())}

    @property
    def consultations(self) -> dict[str, risks.Consultation]:
        """The risks that doers expect, by path."""
        paths = self.under(places.consultation("").removesuffix(".json"))
        return {path: self._there(path, risks.parse_consultation) for path in paths}

    @property
    def registry(self) -> Registry:
        """The built-in registry, then the person's, then the project's: the last one wins."""
        mine = self._maybe(places.home(own_of(self.state).run, places.USER_REGISTRY), agent_registry.parse)
        return agent_registry.merged(agent_registry.BUILT_IN, *(level for level in (mine, self.own_registry) if level))

    @property
    def own_registry(self) -> Registry | None:
        """The project's own registry, if it has one."""
        return self._maybe(places.REGISTRY, agent_registry.parse)

    def poc(self, name: str) -> risks.Poc | None:
        """The spec of the PoC that an agent of the roster carries out."""
        known = self.roster.agents.get(name)
        return self.specs.of(known.poc_id) if known and known.poc_id else None

    def under(self, folder: str) -> tuple[str, ...]:
        """The documents in a folder."""
        return tuple(sorted(path for path in self.state.docs if path.startswith(folder)))

    def has(self, path: str) -> bool:
        """Whether a file exists, in the project or in the person's home."""
        return places.home(own_of(self.state).run, path) in self.state.docs or path in self.state.docs


def sources(state: State) -> tuple[str, ...]:
    """The source material of the project."""
    return tuple(sorted(path for path in state.docs if path.startswith(SOURCES)))
