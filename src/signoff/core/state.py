"""Where a run stands: everything that the kernel needs to decide, and no document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from signoff.core.commands import Ask, Check, Command, Finish, Gather, Reply, StartTurn, Wake
from signoff.core.events import Usage
from signoff.core.findings import Finding
from signoff.core.refs import Ref

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """The frozen value with other fields."""
        # `dataclasses.replace` sets every field one by one: a third of the kernel's time. A value without `slots`
        # keeps its fields in a dictionary, which is copied as a whole.
        fields = getattr(value, "__dict__", None)
        if fields is None:
            return dataclasses.replace(value, **changes)
        if unknown := changes.keys() - fields.keys():
            raise TypeError(f"{type(value).__name__} has no field {', '.join(sorted(unknown))}")
        made = object.__new__(type(value))
        made.__dict__.update(fields)
        made.__dict__.update(changes)
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A turn that is out. `start` is the command that issued it, pinned and numbered."""

    start: StartTurn
    invalid: int = 0
    crashed: int = 0
    calls: Mapping[str, tuple[str, Reply | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What the run has used. `unpriced` counts attempts of unknown price."""

    turns: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    seconds: float = 0.0

    def plus(self, usage: Usage) -> Spend:
        """The sum after one more attempt has reported."""
        return Spend(
            turns=self.turns,
            tokens=self.tokens + usage.input_tokens + usage.output_tokens,
            cost=self.cost + (usage.cost or Decimal(0)),
            unpriced=self.unpriced + (usage.cost is None),
            seconds=self.seconds + usage.seconds,
        )

    def together(self, other: Spend) -> Spend:
        """What two runs have used together, without turns and time, which each run counts for itself."""
        return Spend(
            tokens=self.tokens + other.tokens, cost=self.cost + other.cost, unpriced=self.unpriced + other.unpriced
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What a person lets the run use at most, beside its config; None is no ceiling."""

    tokens: int | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a gate said last under a check's key, with what people overruled of it."""

    check: Check
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrule:
    """A person's word against a finding. It counts as long as the texts `of` which it speaks are the same."""

    finding: Finding
    of: Mapping[str, str]
    by: str
    at: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """It as people and programs read it."""
        found = self.finding
        return {
            "id": found.id, "rule": found.rule, "about": found.about, "file": found.file, "line": found.line,
            "problem": found.problem, "by": self.by, "at": self.at, "reason": self.reason, "of": dict(self.of),
        }  # fmt: skip

    def __str__(self) -> str:
        place = f" in {self.finding.file}" if self.finding.file else ""
        said = f"{self.finding.id} ({self.finding.rule}{place}): {self.finding.problem.rstrip('.')}"
        return f"{said}. {self.by}, {self.at}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class State:
    """The whole state of a run. `rev` counts applied events; `own` is the workflow's frozen value.

    `judged` has, by the key of their check, the gates whose last findings fail or were overruled.
    """

    rev: int = 0
    at: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    docs: Mapping[str, str] = field(default_factory=dict)
    turns: Mapping[str, OpenTurn] = field(default_factory=dict)
    requests: Mapping[str, Ask] = field(default_factory=dict)
    checks: Mapping[str, Check] = field(default_factory=dict)
    gathers: Mapping[str, Gather] = field(default_factory=dict)
    timers: Mapping[str, str] = field(default_factory=dict)
    issued: int = 0
    asked: int = 0
    checked: int = 0
    gathered: int = 0
    spend: Spend = Spend()
    ceiling: Ceiling = Ceiling()
    judged: Mapping[str, Judged] = field(default_factory=dict)
    overrules: tuple[Overrule, ...] = ()
    parked: tuple[OpenTurn, ...] = ()
    stop: str | None = None
    own: Any = None

    def ref(self, path: str) -> Ref | None:
        """The document as the run knows it, or None."""
        sha = self.docs.get(path)
        return None if sha is None else Ref(path, sha)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The turns that are out, and those that wait for a larger budget."""
        return (*self.turns, *(turn.start.turn for turn in self.parked))

    @property
    def in_force(self) -> tuple[Overrule, ...]:
        """The overrules that count in what the gates said last, on documents that are still the same."""
        judged = self.judged.values()
        return tuple(one for one in self.overrules if any(self._counts(one, known) for known in judged))

    def _counts(self, one: Overrule, known: Judged) -> bool:
        mine = any(finding.severity == "overruled" and finding.words == one.finding.words for finding in known.findings)
        read = {ref.path for ref in known.check.of.values()}  # what else it is bound to is a part of a document
        return mine and all(self.docs.get(path) == sha for path, sha in one.of.items() if path in read)

    def turn_of(self, key: str) -> OpenTurn | None:
        """The open turn that a workflow started under this key."""
        return next((turn for turn in self.turns.values() if turn.start.key == key), None)

    def request_of(self, key: str) -> Ask | None:
        """The open request that was asked under this key."""
        return next((ask for ask in self.requests.values() if ask.key == key), None)


def outstanding(state: State) -> tuple[Command, ...]:
    """Everything that is open: exactly what a recovery issues again."""
    replies = (reply for turn in state.turns.values() for _, reply in turn.calls.values() if reply)
    return (
        *(turn.start for turn in state.turns.values()),
        *replies,
        *state.checks.values(),
        *state.gathers.values(),
        *state.requests.values(),
        *(Wake(timer=timer, at=at) for timer, at in state.timers.items()),
        *((Finish(reason=state.stop),) if state.stop else ()),
    )
