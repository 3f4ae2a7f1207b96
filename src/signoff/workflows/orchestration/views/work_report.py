"""`report.md`: what was built, the evidence for it, who settled what, and the cost.

It is made from an `Account`, which does not depend on how the work is carried out. The words of agents and people are
escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, Literal

from signoff.artifacts import escape, markdown_blocks, markdown_headings
from signoff.artifacts.escape import literal
from signoff.core.state import Spend
from signoff.evidence import shared_words
from signoff.workflows.orchestration import ids
from signoff.workflows.orchestration.documents.shared_status import AgentStatus
from signoff.workflows.orchestration.outputs import Judged
from signoff.workflows.orchestration.work import escalations
from signoff.workflows.orchestration.work.notes import Note, Resolver
from signoff.workflows.orchestration.work.work_files import Entry

SHORT: Final = 12
"""How many digits of a digest the report shows."""
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
    """A command that ran, according to the record; one that never ended has no code."""

    command: str
    code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The outcome of one agent's task.

    `rounds` counts its verifications, `failures` has the missing evidence of each that failed, and `criteria` the
    results of the last; `why` is the reason if the agent failed or was given up. `by_hand` are its files that a person
    changed afterwards, and `ruled` maps its notes to the tactical tasks that settled them.
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
    """A PoC: the assumption, the findings, the decision, and the person's answer if one was asked."""

    poc_id: str
    agent: str
    assumption: str
    assessment: str
    decision: str
    rationale: str
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptation:
    """A change of the plan: when, why, and each edit in a sentence."""

    at: int
    reason: str
    edits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What is known at the end, agents in the order of the plan; `stopped` says why a run ended early."""

    task_id: str
    begun: int
    ended: int
    agents: tuple[Agent, ...]
    spend: Spend
    stopped: str = ""
    rulings: tuple[escalations.Ruled, ...] = ()
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
        _listed(map(escalations.item, account.rulings), "None: no agent asked for one."),
        _listed(_trials(account.trials), "None: nothing had to be tried before the work began."),
        _listed(_adaptations(account.adaptations), "None: the plan was carried out as it was approved."),
        _listed(_failed(account.agents), "Nobody, at the end."),
        _listed((f"- {literal(one)}" for one in account.decided), "Nothing."),
        _listed((f"- {literal(one)}" for one in account.open), "Nothing was noticed."),
        _listed(_cost(account.spend), ""),
    )
    return markdown_blocks.document(_top(account), zip(HEADINGS, parts, strict=True))


def marked(report: str, edited: Sequence[str]) -> str:
    """The report with a mark at its top that names the files changed since; without one if there are none."""
    first, *rest = (part for part in report.split("\n\n") if not part.startswith(_MARK))
    if not edited:
        return "\n\n".join((first, *rest))
    files = ", ".join(map(_code, edited))
    again = "What stands below is from before; `signoff resume` has it looked at again."
    return "\n\n".join((first, f"{_MARK}: {files} changed since.** {again}", *rest))


def _listed(items: Iterable[str], none: str) -> str:
    return "\n".join(items) or none


def _top(account: Account) -> str:
    columns = ("Agent", "Kind", "Status", "Verifications", "Turns", "Files", "Notes")
    rows = [
        (literal(one.name), one.kind, one.status, *map(str, (one.rounds, one.turns, len(one.files), len(one.notes))))
        for one in account.agents
    ]
    return "\n\n".join(
        [
            markdown_headings.heading(1, f"Report: {ids.slug(account.task_id)}"),
            _verdict(account),
            f"Task {escape.code(account.task_id)}, from {_moment(account.begun)} to {_moment(account.ended)}.",
            markdown_blocks.table(columns, rows),
        ]
    )


def _verdict(account: Account) -> str:
    """How the work ended: unverified work is not done, whatever an agent says."""
    done, all_of = sum(one.done for one in account.agents), len(account.agents)
    counted = f"{done} of {all_of} agents are verified"
    unsettled = sum(note.status != "resolved" for one in account.agents for note in one.notes)
    left = [f"{unsettled} note{'s are' if unsettled > 1 else ' is'} not settled"] if unsettled else []
    without = [one.id for agent in account.agents for one in agent.criteria if one.left_out]
    if account.stopped or done < all_of or left:
        why = f": {literal(account.stopped).rstrip('.')}" if account.stopped else ""
        return f"> **This run ended early{why}.** {'; '.join([counted, *left])}."
    if without:
        return f"> **Not all of the plan was built.** {counted}; a person left out: {', '.join(map(literal, without))}."
    return f"The work is done: {counted}."


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _agent(one: Agent) -> str:
    files, rounds = [], []
    for entry in one.files:
        told = f"- {_code(entry.path)}, version {entry.version}, sha256 {escape.code(entry.sha256[:SHORT])}"
        files.append(f"{told}, as a person changed it" if entry.path in one.by_hand else told)
    for number, missing in enumerate(one.failures, 1):
        said = [f"- {literal(text)}" for text in missing] or ["- nothing was named"]
        rounds.append("\n".join([f"Round {number} failed. Missing:", "", *said]))
    criteria = []
    for each in one.criteria:
        found = "**left out**" if each.left_out else "met" if each.met else "**not met**"
        criteria.append(f"- {literal(each.id)}: {found}. {literal(each.evidence)}")
    commands = []
    for ran in one.ran:
        ended = "it did not end" if ran.code is None else f"exit code {ran.code}"
        commands.append(f"- {_code(ran.command)}: {ended}")
    verified = f"**Not verified.** Its status is {one.status}."
    if one.done:
        by = f"Verified by {escape.code(one.verifier)}, in round {one.rounds}."
        verified = by if one.verifier else "Decided as a proof of concept."
    parts = (
        markdown_headings.heading(3, literal(one.name)),
        literal(one.role),
        f"In its own words: {literal(one.summary)}" if one.summary.strip() else "",
        "\n".join(["It has written:", "", *files]) if files else "It has written no file.",
        verified,
        *rounds,
        "\n".join(["Criteria, as the verifier found them:", "", *criteria]) if criteria else "",
        "\n".join(["Commands that ran:", "", *commands]) if commands else "No command was run.",
    )
    return "\n\n".join(part for part in parts if part)


def _code(text: str) -> str:
    """A path or a command, without control characters that reorder text."""
    return escape.code(shared_words.folded(text))


def _notes(agents: Sequence[Agent]) -> str:
    rows = []
    for one in agents:
        for note in one.notes:
            what, how = literal(note.description), literal(note.resolution or "")
            rows.append((literal(one.name), note.note_id, note.category or "–", what, _settler(note, one), how))
    columns = ("Agent", "Note", "Category", "What", "Settled by", "How")
    return markdown_blocks.table(columns, rows) if rows else "Nobody had any."


def _settler(note: Note, one: Agent) -> str:
    if note.note_id in one.ruled and note.resolved_by == "escalation_resolution":
        return f"the tactical architect ({escape.code(one.ruled[note.note_id])})"
    return _WHO[note.resolved_by] if note.resolved_by else f"**nobody: {note.status}**"


def _escalations(agents: Iterable[Agent]) -> Iterator[str]:
    for one in agents:
        for note in one.notes:
            if note.escalation_reason:
                yield f"- {escape.code(one.name)}, {note.note_id}: {literal(note.description)}"
                yield f"    - Why: {literal(note.escalation_reason)}"
                who = _settler(note, one)
                yield f"    - Settled by {f'{who}. {literal(note.resolution)}' if note.resolution else who}"


def _trials(trials: Iterable[Trial]) -> Iterator[str]:
    for one in trials:
        yield f"- {escape.code(one.poc_id)} by {escape.code(one.agent)}: {literal(one.assumption)}"
        found = f"{literal(one.assessment)}; decided: {literal(one.decision)}. {literal(one.rationale)}"
        yield f"    - Found: {found}"
        if one.answer.strip():
            yield f"    - A person said: {literal(one.answer)}"


def _adaptations(adaptations: Iterable[Adaptation]) -> Iterator[str]:
    for one in adaptations:
        yield f"- {_moment(one.at)}: {literal(one.reason)}"
        yield from (f"    - {literal(edit)}" for edit in one.edits)


def _failed(agents: Iterable[Agent]) -> Iterator[str]:
    for one in agents:
        if one.given_up or one.status == "failed":
            what = "given up" if one.given_up else "failed"
            why = literal(one.why) if one.why.strip() else "No reason is known."
            yield f"- {escape.code(one.name)}: {what}. {why}"


def _cost(spend: Spend) -> Iterator[str]:
    yield f"- Turns: {spend.turns:,}"
    yield f"- Tokens: {spend.tokens:,}"
    yield f"- Money: {_money(spend)}"
    yield f"- Time of all turns together: {spend.seconds:,.0f} s"


def _money(spend: Spend) -> str:
    """The cost: an unknown price is called unknown, and less than a cent is not rounded to nothing."""
    cost = spend.cost
    usd = f"{cost:.2f}" if not cost or cost >= Decimal("0.01") else f"{cost:.6f}".rstrip("0")
    if not spend.unpriced:
        return f"{usd} USD"
    attempts = f"the price of {spend.unpriced} attempt{'s' if spend.unpriced > 1 else ''} is unknown"
    return f"at least {usd} USD; {attempts}" if cost else f"unknown; {attempts}"
