"""What can happen to a run. Time and ids arrive as data, so a recorded history decides the same way again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from signoff.core.findings import Finding
from signoff.core.refs import Ref

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a turn cost. An unknown price is None, never zero. Impossible numbers are refused."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name in COUNTS:
            if not _count(found := getattr(self, name)):
                raise ValueError(f"{name} cannot be {found!r}")
        if not (self.cost is None or _sum(self.cost)):
            raise ValueError(f"cost cannot be {self.cost!r}")
        if not _sum(self.seconds):
            raise ValueError(f"seconds cannot be {self.seconds!r}")

    @staticmethod
    def reported(said: Mapping[str, Any]) -> Usage:
        """The cost as a host or program reports it. Impossible numbers are left out, and the price is then unknown."""
        counts = {name: said.get(name, 0) for name in COUNTS}
        cost, seconds = _price(said.get("cost")), said.get("seconds", 0.0)
        sound = all(map(_count, counts.values())) and _sum(seconds)
        return Usage(
            **{name: count for name, count in counts.items() if _count(count)},
            cost=cost if sound else None,
            seconds=float(seconds) if _sum(seconds) else 0.0,
        )


COUNTS = ("input_tokens", "output_tokens", "cached_tokens")
MOST = 10**15
"""No turn uses more of anything; a larger number is a mistake or an attack."""


def _count(found: object) -> bool:
    return type(found) is int and 0 <= found < MOST


def _sum(found: object) -> bool:
    """Whether it is a finite amount, which can be added up and compared."""
    return isinstance(found, (int, float, Decimal)) and Decimal(found).is_finite() and 0 <= found < MOST


def _price(found: object) -> Decimal | None:
    try:
        price = None if found is None else Decimal(str(found))
    except (ArithmeticError, ValueError):
        return None
    return price if _sum(price) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    id: str
    at: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(_Event):
    """A run begins, with its parameters and the documents it finds."""

    type: Literal["started"] = "started"
    workflow: str
    version: int
    run: str
    params: Mapping[str, Any]
    docs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that a turn ran, as the shell saw it, and the end of its output.

    `code` is None if the command could not begin, or if it is unknown how it ended.
    """

    command: str
    code: int | None
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReturned(_Event):
    """A turn's raw output is on disk; `files` are those that the agent wrote itself, under its contract.

    `ran` are the commands that it ran on the way to this output, in the order in which they began.
    """

    type: Literal["turn_returned"] = "turn_returned"
    turn: str
    attempt: int
    output: Ref
    files: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = Usage()
    ran: tuple[Ran, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(_Event):
    """A turn ended without an output. `uncertain_calls` may or may not have had their effect."""

    type: Literal["turn_failed"] = "turn_failed"
    turn: str
    attempt: int
    kind: str
    detail: str = ""
    uncertain_calls: tuple[str, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHeld(_Event):
    """An issued turn is not begun, because no budget is left for it. `why` is told to the person."""

    type: Literal["turn_held"] = "turn_held"
    turn: str
    attempt: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited(_Event):
    """A person sets what the run may use at most from now on, beside its config; None is no ceiling."""

    type: Literal["limited"] = "limited"
    tokens: int | None
    cost: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(_Event):
    """The agent of an open turn asks for a tool of the workflow."""

    type: Literal["called"] = "called"
    turn: str
    call_id: str
    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(_Event):
    """A gate has run on exactly these documents."""

    type: Literal["checked"] = "checked"
    check: str
    findings: tuple[Finding, ...]
    of: Mapping[str, Ref]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that a search found. Its url is an address of the web, or a path in the project."""

    url: str
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The result of fetching a url: a document of the project, or the problem."""

    path: str = ""
    sha256: str = ""
    title: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered(_Event):
    """What a gather found: hits by query, pages by url, and problems by query if a search failed."""

    type: Literal["gathered"] = "gathered"
    gather: str
    hits: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    pages: Mapping[str, Page] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_Event):
    """A person settles a request; `seen` are the digests of what they were shown."""

    type: Literal["answered"] = "answered"
    request: str
    act: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsChanged(_Event):
    """A person edited documents; None means the file is gone."""

    type: Literal["docs_changed"] = "docs_changed"
    docs: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked(_Event):
    """A timer that was set has come due."""

    type: Literal["ticked"] = "ticked"
    timer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overruled(_Event):
    """A person overrules a finding of a gate, or with `undo` takes that back.

    `of` are the digests of the texts that the finding is about, as the person saw them.
    """

    type: Literal["overruled"] = "overruled"
    finding: Finding
    of: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    undo: bool = False


Event = (
    Started
    | TurnReturned
    | TurnFailed
    | TurnHeld
    | Limited
    | Called
    | Checked
    | Gathered
    | Answered
    | DocsChanged
    | Ticked
    | Overruled
)


@cache
def _codec() -> TypeAdapter[Event]:
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="type")])


def to_plain(event: Event) -> dict[str, Any]:
    """The event as JSON data."""
    plain: dict[str, Any] = _codec().dump_python(event, mode="json")
    return plain


def from_plain(data: Mapping[str, Any]) -> Event:
    """The event that `to_plain` gave."""
    return _codec().validate_python(data)
