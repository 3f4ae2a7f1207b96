"""`report.md`: what came of the work, for people: what was built, what shows that it holds, who settled what, the cost.

It is made of an `Account`, which holds what is known and nothing of how the work is carried out. Whatever agents and
people said in it is text and never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, Literal

from signoff.core.state import Spend
from signoff.workflows import wording
from signoff.workflows.orchestration import evolution, ids, inert, places, prose, sections
from signoff.workflows.orchestration.evolution import Ruled
from signoff.workflows.orchestration.manifests import Entry
from signoff.workflows.orchestration.notes import Note, Resolver
from signoff.workflows.orchestration.reporting import plain
from signoff.workflows.orchestration.status import AgentStatus
from signoff.workflows.orchestration.verdicts import Judged

REPORT: Final = f"{places.HOME}/report.md"
SHORT: Final = 12
"""So many digits of a digest tell one version of a file from another."""
HEADINGS: Final = (
    "What was built, and what shows that it holds", "Notes", "Escalations", "Decisions within the architecture",
    "Proofs of concept", "Adaptations", "Failed or given up", "What people decided", "Known and left open", "Cost",
)  # fmt: skip
_MARK: Final = "> **Not as it was verified"
_DONE: Final[tuple[AgentStatus, ...]] = ("verified", "session_complete")
_WHO: Final[dict[Resolver, str]] = {
    "agent_self": "the agent itself",
    "workflow_executor": "the workflow",
    "user": "a person",
    "escalation_resolution": "escalation-resolution",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that really ran, by the record; one that never ended has no code."""

    command: str
    code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """What came of one agent's task.

    `rounds` counts its verifications, `failures` has the missing evidence of each that failed, `criteria` what the last
    one found; `why` is the reason where the agent failed or was given up. `by_hand` are files that a person changed
    after it, and `ruled` says which tactical task settled which of its notes.
    """

    name: str
    role: str
    kind: Literal["doer", "poc", "tactical"]
    status: AgentStatus
    turns: int
    summary: str = ""
    files: tuple[Entry, ...] = ()
    verifier: str = ""
    criteria: tuple[Judged, ...] = ()
    ran: tuple[Command, ...] = ()
    failures: tuple[tuple[str, ...], ...] = ()
    notes: tuple[Note, ...] = ()
    given_up: bool = False
    why: str = ""
    rounds: int = 0
    by_hand: frozenset[str] = frozenset()
    ruled: Mapping[str, str] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return self.status in _DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A PoC: what was assumed, what was found, what follows from it, and what a person said where one was asked."""

    poc_id: str
    agent: str
    assumption: str
    assessment: str
    decision: str
    rationale: str
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptation:
    """The plan was changed: when, why, and by which edits, each in words."""

    at: int
    reason: str
    edits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What is known at the end, agents in the order of the plan. `stopped` is why the run ended before its time."""

    task_id: str
    begun: int
    ended: int
    agents: tuple[Agent, ...]
    spend: Spend
    stopped: str = ""
    rulings: tuple[Ruled, ...] = ()
    trials: tuple[Trial, ...] = ()
    adaptations: tuple[Adaptation, ...] = ()
    decided: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def render(account: Account) -> str:
    """The report; the same account gives the same bytes."""
    parts = (
        "\n\n".join(_agent(one) for one in account.agents) or "Nobody had a task.",
        _notes(account.agents),
        _listed(_escalations(account.agents), "Nothing was escalated."),
        _listed(map(evolution.item, account.rulings), "None: no agent asked for one."),
        _listed(map(_trial, account.trials), "None: nothing had to be tried before the work began."),
        _listed(map(_adaptation, account.adaptations), "None: the plan was carried out as it was approved."),
        _listed(map(_failed, filter(_has_failed, account.agents)), "Nobody, at the end."),
        _listed((f"- {plain(one)}" for one in account.decided), "Nothing."),
        _listed((f"- {plain(one)}" for one in account.open), "Nothing was noticed."),
        _listed(_cost(account.spend), ""),
    )
    return prose.document(_top(account), zip(HEADINGS, parts, strict=True))


def marked(report: str, edited: Sequence[str]) -> str:
    """The report with what changed since, before all that it says; without the mark once nothing differs any more."""
    first, *rest = (part for part in report.split("\n\n") if not part.startswith(_MARK))
    if not edited:
        return "\n\n".join((first, *rest))
    files = ", ".join(map(_code, edited))
    again = "What stands below is from before; `signoff resume` has it looked at again."
    return "\n\n".join((first, f"{_MARK}: {files} changed since.** {again}", *rest))


def _listed(items: Iterable[str], none: str) -> str:
    return "\n".join(items) or none


# --- the top ----------------------------------------------------------------------------------------------------------


def _top(account: Account) -> str:
    return "\n\n".join(
        [
            sections.heading(1, f"Report: {ids.slug(account.task_id)}"),
            _verdict(account),
            f"Task {inert.code(account.task_id)}, from {_moment(account.begun)} to {_moment(account.ended)}.",
            _overview(account.agents),
        ]
    )


def _verdict(account: Account) -> str:
    """How it ended, first of all: what is not verified is not done, whatever anybody says."""
    done, all_of = sum(one.done for one in account.agents), len(account.agents)
    counted = f"{done} of {all_of} agents are verified"
    unsettled = sum(note.status != "resolved" for one in account.agents for note in one.notes)
    left = [f"{unsettled} note{'s are' if unsettled > 1 else ' is'} not settled"] if unsettled else []
    without = [one.id for agent in account.agents for one in agent.criteria if one.left_out]
    if not account.stopped and done == all_of and not left and not without:
        return f"The work is done: {counted}."
    if not account.stopped and done == all_of and not left:
        return f"> **Not all of the plan was built.** {counted}; a person left out: {', '.join(map(plain, without))}."
    why = f": {plain(account.stopped).rstrip('.')}" if account.stopped else ""
    return f"> **This run ended early{why}.** {'; '.join([counted, *left])}."


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _overview(agents: Sequence[Agent]) -> str:
    columns = ("Agent", "Kind", "Status", "Verifications", "Turns", "Files", "Notes")
    rows = [
        (
            plain(one.name),
            one.kind,
            one.status,
            str(one.rounds),
            str(one.turns),
            str(len(one.files)),
            str(len(one.notes)),
        )
        for one in agents
    ]
    return _table(columns, rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows))


# --- what was built ---------------------------------------------------------------------------------------------------


def _agent(one: Agent) -> str:
    files = [_file(entry, by_hand=entry.path in one.by_hand) for entry in one.files]
    parts = (
        sections.heading(3, plain(one.name)),
        plain(one.role),
        f"In its own words: {plain(one.summary)}" if one.summary.strip() else "",
        "\n".join(["It has written:", "", *files]) if files else "It has written no file.",
        _verified(one),
        *(_round(number, missing) for number, missing in enumerate(one.failures, 1)),
        _criteria(one.criteria),
        _commands(one.ran),
    )
    return "\n\n".join(part for part in parts if part)


def _file(entry: Entry, *, by_hand: bool) -> str:
    told = f"- {_code(entry.path)}, version {entry.version}, sha256 {inert.code(entry.sha256[:SHORT])}"
    return f"{told}, as a person changed it" if by_hand else told


def _verified(one: Agent) -> str:
    by = f" by {inert.code(one.verifier)}" if one.verifier else ""
    if one.done:
        return f"Verified{by}, in round {one.rounds}." if by else "Decided as a proof of concept."
    return f"**Not verified.** Its status is {one.status}."


def _round(number: int, missing: Sequence[str]) -> str:
    said = [f"- {plain(text)}" for text in missing] or ["- nothing was named"]
    return "\n".join([f"Round {number} failed. Missing:", "", *said])


def _criteria(criteria: Sequence[Judged]) -> str:
    rows = [f"- {plain(one.id)}: {_found(one)}. {plain(one.evidence)}" for one in criteria]
    return "\n".join(["Criteria, as the verifier found them:", "", *rows]) if rows else ""


def _found(one: Judged) -> str:
    return "**left out**" if one.left_out else "met" if one.met else "**not met**"


def _commands(ran: Sequence[Command]) -> str:
    rows = [f"- {_code(one.command)}: {_ended(one.code)}" for one in ran]
    return "\n".join(["Commands that ran:", "", *rows]) if rows else "No command was run."


def _code(text: str) -> str:
    """A path or a command, without what shows text in another order."""
    return inert.code(wording.folded(text))


def _ended(code: int | None) -> str:
    return "it did not end" if code is None else f"exit code {code}"


# --- notes and escalations --------------------------------------------------------------------------------------------


def _notes(agents: Sequence[Agent]) -> str:
    rows = [
        (
            plain(one.name),
            note.note_id,
            note.category or "–",
            plain(note.description),
            _settler(note, one),
            plain(note.resolution or ""),
        )
        for one in agents
        for note in one.notes
    ]
    return _table(("Agent", "Note", "Category", "What", "Settled by", "How"), rows) if rows else "Nobody had any."


def _settler(note: Note, one: Agent) -> str:
    if note.note_id in one.ruled and note.resolved_by == "escalation_resolution":
        return f"the tactical architect ({inert.code(one.ruled[note.note_id])})"
    return _WHO[note.resolved_by] if note.resolved_by else f"**nobody: {note.status}**"


def _escalations(agents: Iterable[Agent]) -> Iterator[str]:
    for one in agents:
        for note in one.notes:
            if note.escalation_reason:
                yield f"- {inert.code(one.name)}, {note.note_id}: {plain(note.description)}"
                yield f"    - Why: {plain(note.escalation_reason)}"
                who = _settler(note, one)
                settled = f"{who}. {plain(note.resolution)}" if note.resolution else who
                yield f"    - Settled by {settled}"


# --- PoCs, adaptations, failures --------------------------------------------------------------------------------------


def _trial(one: Trial) -> str:
    lines = [
        f"- {inert.code(one.poc_id)} by {inert.code(one.agent)}: {plain(one.assumption)}",
        f"    - Found: {plain(one.assessment)}; decided: {plain(one.decision)}. {plain(one.rationale)}",
    ]
    return "\n".join([*lines, *([f"    - A person said: {plain(one.answer)}"] if one.answer.strip() else [])])


def _adaptation(one: Adaptation) -> str:
    return "\n".join([f"- {_moment(one.at)}: {plain(one.reason)}", *(f"    - {plain(edit)}" for edit in one.edits)])


def _has_failed(one: Agent) -> bool:
    return one.given_up or one.status == "failed"


def _failed(one: Agent) -> str:
    what = "given up" if one.given_up else "failed"
    return f"- {inert.code(one.name)}: {what}. {plain(one.why) if one.why.strip() else 'No reason is known.'}"


# --- cost -------------------------------------------------------------------------------------------------------------


def _cost(spend: Spend) -> Iterator[str]:
    yield f"- Turns: {spend.turns:,}"
    yield f"- Tokens: {spend.tokens:,}"
    yield f"- Money: {_money(spend)}"
    yield f"- Time of all turns together: {spend.seconds:,.0f} s"


def _money(spend: Spend) -> str:
    """A price that nobody knows is unknown, and never nothing."""
    attempts = f"the price of {spend.unpriced} attempt{'s' if spend.unpriced > 1 else ''} is unknown"
    if not spend.unpriced:
        return f"{_usd(spend.cost)} USD"
    return f"at least {_usd(spend.cost)} USD; {attempts}" if spend.cost else f"unknown; {attempts}"


def _usd(cost: Decimal) -> str:
    """With its cents, and what is less than a cent not as nothing."""
    return f"{cost:.2f}" if not cost or cost >= Decimal("0.01") else f"{cost:.6f}".rstrip("0")
