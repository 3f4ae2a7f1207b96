"""Where a piece of content stands: its rounds, its critiques, its issues. Everything else follows from this value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from signoff.core.state import State, replace

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
Verdict = Literal["approve", "revise"]
APPROVED, AT_LIMIT = "approved", "max-rounds-reached"
TRIES = 2
Doing = Literal["", "draft", "revise", "critique"]


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that a critic finds wrong, in its own words."""

    severity: Severity
    description: str
    suggestion: str

    def plain(self) -> dict[str, Any]:
        return {"severity": self.severity, "description": self.description, "suggestion": self.suggestion}


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """What one critic says of one draft; `error` says why it could not judge, and then there is no score.

    `tries` is how often it was asked about this draft.
    """

    advisor: str
    name: str
    round: int
    score: int | None = None
    issues: tuple[Said, ...] = ()
    clean: tuple[str, ...] = ()
    error: str = ""
    tries: int = 1

    def passes(self, minimum: float) -> bool:
        """Whether this critic alone would let it go: computed, whatever the critic says of it."""
        return self.score is not None and self.score >= minimum and not self.high

    @property
    def high(self) -> bool:
        return any(issue.severity == "high" for issue in self.issues)

    def plain(self, minimum: float) -> dict[str, Any]:
        """As tools and files have it."""
        error = {"error": self.error} if self.error else {}
        return {
            "advisorId": self.advisor,
            "name": self.name,
            "round": self.round,
            "score": self.score,
            "pass": self.passes(minimum),
            "issues": [issue.plain() for issue in self.issues],
            "clean": list(self.clean),
            **error,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the rubric says, why, and what the author is told."""

    verdict: Verdict
    reason: str
    average: float | None
    brief: str = ""

    def plain(self) -> dict[str, Any]:
        return {"decision": self.verdict, "reason": self.reason, "average": self.average, "brief": self.brief}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue through its life: open, fixed when its critic no longer finds it, regressed when it comes back."""

    id: str
    advisor: str
    name: str
    severity: Severity
    description: str
    suggestion: str
    status: Literal["open", "fixed", "regressed"]
    since: int
    seen: int

    @property
    def is_open(self) -> bool:
        return self.status != "fixed"

    def plain(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a round changed: which issues are open, which were fixed or came back, what must stay as it is."""

    open: tuple[str, ...]
    fixed: tuple[str, ...]
    regressed: tuple[str, ...]
    keep: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        return {
            "open": list(self.open),
            "fixed": list(self.fixed),
            "regressed": list(self.regressed),
            "doNotRegress": list(self.keep),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One cycle of critiques and a decision, over one draft. `ran` has every critic that was asked afresh in it.

    What the round changed is known with the decision; `recorded` says that the agent has had it summarized.
    """

    number: int
    of: str
    ran: tuple[Critique, ...] = ()
    decision: Decision | None = None
    summary: Summary | None = None
    recorded: bool = False

    def by(self, advisor: str) -> Critique | None:
        return next((one for one in self.ran if one.advisor == advisor), None)

    def with_critique(self, critique: Critique) -> Round:
        """The round with one more critique; a second one of the same critic takes the place of the first."""
        first = self.by(critique.advisor)
        others = tuple(one for one in self.ran if one.advisor != critique.advisor)
        return replace(self, ran=(*others, replace(critique, tries=first.tries + 1 if first else 1)))

    def without_failures(self) -> Round:
        """The round as if those who could not say anything had not been asked."""
        return replace(self, ran=tuple(one for one in self.ran if not one.error))


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that waits for further turns; its reply goes to this attempt of that turn, or is dropped."""

    turn: str
    attempt: int
    call_id: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The own value of a run.

    `minimum` and `most_rounds` are the recipe's, as of the last event. A person's edit after the end begins a new go:
    `before` counts the rounds of earlier ones, and what was said in those is not carried forward. `doing` is what
    further turns are at work on, for the open `calls`; `queue` are critics that wait for a place. `retried` says that a
    round in which every critic failed was tried once more; `blocked` is why a person is asked, `stopped` why the run
    ended early.
    """

    name: str
    kind: str
    minimum: float = 1.0
    most_rounds: int = 1
    idea: dict[str, Any] = field(default_factory=dict, hash=False)
    chosen: bool = False
    critics: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    before: int = 0
    revisions: int = 0
    issues: tuple[Issue, ...] = ()
    calls: tuple[Call, ...] = ()
    doing: Doing = ""
    queue: tuple[str, ...] = ()
    retried: bool = False
    blocked: str = ""
    saved: str = ""
    note: str = ""
    stopped: str = ""
    warnings: tuple[str, ...] = ()
    edited_since: tuple[str, ...] = ()

    @property
    def round(self) -> Round | None:
        """The round that is under way."""
        return self.rounds[-1] if len(self.rounds) > self.before else None

    @property
    def last(self) -> Round | None:
        """The round before the one that is under way, of this go."""
        return self.rounds[-2] if len(self.rounds) > self.before + 1 else None

    def in_round(self, changed: Round) -> Piece:
        """The piece with its last round changed."""
        return replace(self, rounds=(*self.rounds[:-1], changed))

    def warned(self, *said: str) -> Piece:
        """The piece with warnings that it did not have yet."""
        return replace(self, warnings=tuple(dict.fromkeys((*self.warnings, *said))))


def own_of(state: State) -> Piece:
    """The workflow's own value; there is one from the first event on."""
    assert isinstance(state.own, Piece)  # narrows the type: the first step made it
    return state.own


def draft_path(name: str) -> str:
    """The state document `draft`."""
    return f"{home(name)}/draft.md"


def home(name: str) -> str:
    """The folder of a run."""
    return f"_workflow/content/{name}"


def content_path(name: str) -> str:
    return f"content/{name}/content.md"


# --- critiques that count ---------------------------------------------------------------------------------------------


def latest(piece: Piece) -> dict[str, Critique]:
    """The newest critique of every assigned critic, whichever round of this go it is from.

    One that could not say anything now is left out of every average, but what it said before still stands: it counts
    if there is nothing newer. Critics that were never asked are left out.
    """
    found: dict[str, Critique] = {}
    for one in piece.rounds[piece.before :]:
        found |= {
            critique.advisor: critique for critique in one.ran if not critique.error or critique.advisor not in found
        }
    return {advisor: found[advisor] for advisor in piece.critics if advisor in found}


def to_run(piece: Piece) -> tuple[str, ...]:
    """The critics that must be asked before a decision: those never asked, and those with an open high issue."""
    known, now = latest(piece), piece.round
    open_high = {issue.advisor for issue in piece.issues if issue.is_open and issue.severity == "high"}
    return tuple(
        advisor
        for advisor in piece.critics
        if advisor not in known or (advisor in open_high and (now is None or now.by(advisor) is None))
    )


def may_run(piece: Piece) -> tuple[str, ...]:
    """The critics that may still be asked about this draft: once each, and once more if a critic could not judge."""
    now = piece.round
    if now is None:
        return ()
    return tuple(one for one in piece.critics if (said := now.by(one)) is None or (said.error and said.tries < TRIES))
