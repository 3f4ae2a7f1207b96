"""The state of the work: where every agent stands, what is escalated, and the valid changes of status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from signoff.core.errors import DefinitionError
from signoff.core.events import Ran
from signoff.core.state import replace
from signoff.workflows.orchestration.design.named_edits import Edit
from signoff.workflows.orchestration.documents.shared_status import AgentStatus, VerifierStatus
from signoff.workflows.orchestration.outputs import Evidence, Judged, PocReview, Ruling
from signoff.workflows.orchestration.work.notes import Decider, Note, Resolver

ACTIVE: Final[tuple[AgentStatus, ...]] = (
    "pending", "working", "completion_drive_review", "ready_for_verification", "blocked",
)  # fmt: skip
ALLOWED: Final[frozenset[tuple[AgentStatus, AgentStatus]]] = frozenset(
    {
        ("pending", "working"),
        ("working", "blocked"),
        ("working", "completion_drive_review"),
        ("completion_drive_review", "ready_for_verification"),
        ("completion_drive_review", "blocked"),
        ("ready_for_verification", "verified"),
        ("verified", "session_complete"),
        ("blocked", "working"),
        ("failed", "working"),
        ("ready_for_verification", "working"),
        ("completion_drive_review", "working"),
        ("verified", "pending"),
        ("session_complete", "pending"),
        *((status, "failed") for status in ACTIVE),
    }
)  # fmt: skip
"""The valid changes of status (OR-16), all others are refused. A complete agent begins again by OR-29 alone."""

DONE: Final = ("verified", "session_complete")
REVIEWS: Final = 3
FAILURES: Final = 5
IDLE: Final = 5
"""A person is asked after so many reviews with open notes, failed verifications, or turns that end nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed verification."""

    at: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question or an assumption of an agent, and the number of its turn."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A doer, a PoC, or a tactical task, which `serves` the agent that asked.

    `turns` counts all turns that returned, `idle` those that ended nothing since the agent was last ready or heard from
    a person, `reviews` the completion reviews since it last worked. `failing` says that its last verification failed;
    `forgiven` counts the failures before a person's last answer; `told` is what it was told. `files` are its outputs at
    `version`, and `read` the versions of others that it built on. `asked` are its questions, in which a loop may show.
    `judged` is the result of its last verification, `proof` the digest of the criteria, `rounds` the number of
    verifications. `by_hand` are the files that people changed after it wrote them.
    """

    task_id: str
    serves: str = ""
    status: AgentStatus = "pending"
    since: int | None = None
    session_start: int | None = None
    notes: tuple[Note, ...] = ()
    turns: int = 0
    idle: int = 0
    reviews: int = 0
    failures: tuple[Failure, ...] = ()
    failing: bool = False
    forgiven: int = 0
    told: tuple[str, ...] = ()
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()
    ran: tuple[Ran, ...] = ()
    judged: tuple[Judged, ...] = ()
    proof: str = ""
    rounds: int = 0
    by_hand: frozenset[str] = frozenset()
    rulings: tuple[Ruling, ...] = ()
    version: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    read: Mapping[str, int] = field(default_factory=dict)
    asked: tuple[Question, ...] = ()

    @property
    def unresolved(self) -> tuple[Note, ...]:
        """The notes that keep the agent from being ready."""
        return tuple(note for note in self.notes if note.status != "resolved")

    @property
    def is_at_limit(self) -> bool:
        """Whether its work failed verification so often that a person must decide how to go on."""
        return len(self.failures) - self.forgiven >= FAILURES

    def moved(self, to: AgentStatus, at: int) -> Worker:
        """The worker in another status. A change that is not in the table is a mistake of the calling code."""
        if (self.status, to) not in ALLOWED:
            ways = ", ".join(sorted(way for source, way in ALLOWED if source == self.status)) or "nowhere"
            raise DefinitionError(f"an agent cannot go from {self.status} to {to}", valid=ways)
        return replace(self, status=to, since=at)

    def with_files(self, files: Mapping[str, str], at: int) -> Worker:
        """The worker with these outputs. If any of them differs, there is a new version."""
        changed = {path: sha for path, sha in files.items() if self.files.get(path) != sha}
        if not changed:
            return self
        version = self.version + 1
        written = {**self.written, **dict.fromkeys(changed, (version, at))}
        return replace(self, version=version, files={**self.files, **changed}, written=written)


Stage = Literal["queued", "looping", "tactical", "resolving", "asked", "clearing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that one agent escalated in one turn.

    `routes` says which role settles each note; `settled` has the resolutions so far, with the role that gave them.
    `answers` are a person's, until they are checked; `conflicts` say why one was not accepted. `tactical` is the task
    that decides; `loop` is the repeated question; `why` and `asks` are the explanation of the loop, and its questions.
    """

    agent: str
    since: int
    routes: Mapping[str, Decider]
    stage: Stage = "queued"
    settled: Mapping[str, tuple[str, Resolver]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    conflicts: Mapping[str, str] = field(default_factory=dict)
    tactical: str = ""
    loop: str = ""
    why: str = ""
    asks: tuple[str, ...] = ()

    def left(self, route: Decider) -> tuple[str, ...]:
        """The notes of this route that are not settled yet."""
        return tuple(note for note, wanted in self.routes.items() if wanted == route and note not in self.settled)

    def to_person(self, notes: tuple[str, ...]) -> Case:
        """The case with these notes for a person to settle."""
        routes: dict[str, Decider] = {**self.routes, **dict.fromkeys(notes, "person")}
        return replace(self, routes=routes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A turn that failed all its attempts, or was `cut` off in a command. A person is asked about it."""

    kind: str
    who: str
    why: str
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Proposed edits of the plan, before a person has seen what they do."""

    by: str
    why: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A change of status that an agent proposed and that is not in the table."""

    agent: str
    at: int
    source: str
    to: str


@dataclass(frozen=True, kw_only=True)
class Work:
    """Where the work stands. `broken` has the agents about which a person is asked, `given_up` those they gave up.

    `proposal` waits until no agent is at work, `later` has the ones that came after it; `adapted` has those that were
    carried out, and when. `refused` has every invalid change of status that was proposed. `noted` are the tactical
    tasks whose rulings are in the architecture decisions. `over` is the person who ended the work early; `ended` is
    when everything was archived.
    """

    begun: int
    workers: Mapping[str, Worker] = field(default_factory=dict)
    verifiers: Mapping[str, VerifierStatus] = field(default_factory=dict)
    decided: Mapping[str, PocReview] = field(default_factory=dict)
    assessed: Mapping[str, str] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    closed: tuple[Case, ...] = ()
    broken: Mapping[str, Broken] = field(default_factory=dict)
    proposal: Proposal | None = None
    later: tuple[Proposal, ...] = ()
    adapted: tuple[tuple[int, Proposal], ...] = ()
    refused: tuple[Refusal, ...] = ()
    given_up: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    over: str = ""
    ended: int = 0

    def with_worker(self, name: str, worker: Worker) -> Work:
        return replace(self, workers={**self.workers, name: worker})

    def case_of(self, agent: str) -> Case | None:
        return next((case for case in self.cases if case.agent == agent), None)

    def with_case(self, case: Case) -> Work:
        """With a case in its place, or at the end of the queue."""
        others = [case if one.agent == case.agent else one for one in self.cases]
        known = any(one.agent == case.agent for one in self.cases)
        return replace(self, cases=tuple(others if known else [*others, case]))

    def without_case(self, agent: str) -> Work:
        """With the case of an agent among the closed ones."""
        left = tuple(case for case in self.cases if case.agent != agent)
        return replace(self, cases=left, closed=(*self.closed, *(one for one in self.cases if one.agent == agent)))

    def proposing(self, proposal: Proposal) -> Work:
        """With another proposal, behind those that wait already."""
        if self.proposal is None:
            return replace(self, proposal=proposal)
        return replace(self, later=(*self.later, proposal))

    def heard(self) -> Work:
        """With the next proposal, because the first one is settled."""
        return replace(self, proposal=next(iter(self.later), None), later=self.later[1:])

    def unjudged(self, agent: str) -> Work:
        """Without the assessment and the decision of a PoC."""
        decided = {name: one for name, one in self.decided.items() if name != agent}
        assessed = {name: one for name, one in self.assessed.items() if name != agent}
        return replace(self, decided=decided, assessed=assessed)

    def mended(self, agent: str) -> Work:
        """Without a question to a person about this agent."""
        return replace(self, broken={name: one for name, one in self.broken.items() if name != agent})

    @property
    def clear(self) -> bool:
        """Whether every note of every agent is resolved: the overall gate."""
        return not any(worker.unresolved for worker in self.workers.values())
