"""Progress as values: what happened goes in, the next board and the lines to say come out. Nothing is printed here."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from signoff import (
    Answered,
    Called,
    Checked,
    DocsChanged,
    Event,
    Gathered,
    Started,
    StartTurn,
    State,
    TurnFailed,
    TurnReturned,
)
from signoff.service import overrules, request_names
from signoff.service.types import Ceiling, Limited, Overruled, Spend, TurnHeld
from signoff.surfaces.cli.terminal.formatting import QUESTION, answers, clean, counted, usd, used

LOG = 6
IDS = 5
"""How many lines the log keeps, and how many findings of a gate are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What a person wants to see of a run that is being worked on."""

    run: str
    workflow: str
    runtime: str
    project: str | None = None
    phase: str = ""
    round: int | None = None
    rounds: int | None = None
    working: str = ""
    heard: int = 0
    findings: int = 0
    spend: Spend = field(default_factory=Spend)
    limits: Ceiling = field(default_factory=Ceiling)
    asked: frozenset[str] = frozenset()
    stop: str | None = None
    log: tuple[str, ...] = ()


Told = tuple[Board, list[str]]


def opening(board: Board) -> str:
    """The first line: which run, and whose work is shown."""
    return f"{clean(board.run)} ({board.workflow}): the work is done by {board.runtime}"


def working(board: Board, start: StartTurn) -> Told:
    """A turn goes out."""
    revision = start.notes.get("revision")
    number = start.notes.get("round") or (revision + 1 if isinstance(revision, int) else None)
    board = replace(
        board, working=f"{start.agent} ({start.turn})", heard=0, round=number, rounds=start.notes.get("limit")
    )
    again = f", attempt {start.attempt}" if start.attempt > 1 else ""
    phase = board.phase or start.key
    key = "" if start.key in (start.agent, phase) else clean(start.key, 60)
    beside = ", ".join(part for part in (key, round_of(board).replace("Round", "round")) if part)
    return _say(board, [f"{phase}: {start.agent} starts {start.turn}{again}{f' ({beside})' if beside else ''}"])


def heard(board: Board, turn: str, characters: int) -> Board:
    """So much of an answer has arrived; with several turns at once, the one on the board is shown."""
    return replace(board, heard=characters) if f"({turn})" in board.working else board


def round_of(board: Board) -> str:
    """`Round 2 of 4`, as far as it is known."""
    if board.round is None:
        return ""
    return f"Round {board.round}" + (f" of {board.rounds}" if board.rounds else "")


def applied(
    board: Board,
    event: Event,
    state: State,
    facts: Mapping[str, Any],
    limits: Ceiling | None = None,
    shown: Callable[[str], str] = str,
) -> Told:
    """An event was committed; `facts` are the workflow's own part of the status, `limits` what the run may use.

    `shown` gives a question the names of the run's language.
    """
    before = board.phase
    board = replace(
        board,
        phase=str(facts.get("phase", before)),
        findings=int(facts.get("findings", 0)),
        spend=state.spend,
        limits=limits or state.ceiling,
    )
    lines = _event(before or board.phase, event, state)
    if isinstance(event, (TurnReturned, TurnFailed, TurnHeld)):
        board = replace(board, working="")
    new = [ask for name, ask in state.requests.items() if name not in board.asked]
    lines += [f"waits for a person ({ask.kind}): {clean(shown(ask.question))}" for ask in new]
    if state.stop and state.stop != board.stop:
        lines.append(f"finished: {state.stop}")
    return _say(replace(board, asked=frozenset(state.requests), stop=state.stop), lines)


def _event(phase: str, event: Event, state: State) -> list[str]:
    match event:
        case Started():
            return [f"begun with {counted(len(event.docs), 'document')}"]
        case TurnReturned():
            return [f"{phase}: {_agent(event.turn)} returned {event.turn}{_refused(event.turn, event.attempt, state)}"]
        case TurnFailed():
            return [f"{phase}: {_agent(event.turn)} failed in {event.turn}: {event.kind}: {clean(event.detail)}"]
        case Called():
            return [f"{phase}: {_agent(event.turn)} calls {clean(event.tool, 60)}"]
        case TurnHeld():
            return [f"{phase}: {_agent(event.turn)} does not begin {event.turn}: nothing is left for it"]
        case Limited():
            return [f"{clean(event.by)}: {_ceiling(event)}"]
        case Checked():
            name = event.check.rsplit("-", 1)[0]
            found = overrules.failed(event, state.judged.get(name))
            named = list(dict.fromkeys(finding.id for finding in found))
            ids = ", ".join(named[:IDS]) + (", …" if len(named) > IDS else "")
            return [f"{phase}: gate {name} failed with {counted(len(found), 'finding')} ({ids})"] if found else []
        case Overruled():
            return [f"{clean(event.by)}: {'takes back' if event.undo else 'overrules'} {event.finding.id}"]
        case Gathered():
            return [f"{phase}: {_found(event)}"]
        case Answered():
            return [f"{clean(event.by)}: {event.act} {event.request}"]
        case DocsChanged():
            what = "edited by a person" if event.by.startswith("person") else "found"
            return [f"{what}: {clean(', '.join(event.docs))}"]
    return []


def _found(event: Gathered) -> str:
    """What looking outside gave, and how much of it gave nothing."""
    pages = [page for page in event.pages.values() if not page.problem]
    hits = {hit.url for found in event.hits.values() for hit in found}
    said = [f"{counted(len(hits), 'hit')} found"] if event.hits or event.problems else []
    said += [f"{len(pages)} of {counted(len(event.pages), 'page')} fetched"] if event.pages else []
    failed = len(event.problems) + len(event.pages) - len(pages)
    said += [counted(failed, "problem")] if failed else []
    return f"looked outside: {', '.join(said) or 'nothing was wanted'}"


def _ceiling(event: Limited) -> str:
    said = [f"{usd(event.cost)} USD"] if event.cost is not None else []
    said += [f"{event.tokens} tokens"] if event.tokens is not None else []
    return f"at most {' and '.join(said)} for this run" if said else "no limit for this run but the config's"


def _agent(turn: str) -> str:
    return turn.split("-", 1)[-1]


def _refused(turn: str, attempt: int, state: State) -> str:
    """Why the same turn is out again."""
    again = state.turns.get(turn)
    if again is None or again.start.attempt == attempt:
        return ""
    return f", refused with {counted(len(again.start.told), 'finding')}: {clean(again.start.told[0])}"


def noticed(board: Board, text: str) -> Told:
    """Something a person should know."""
    return _say(board, [f"note: {clean(text, 400)}"])


def _say(board: Board, lines: list[str]) -> Told:
    return replace(board, log=(*board.log, *lines)[-LOG:]), lines


# --- the board, as rows -----------------------------------------------------------------------------------------------


def rows(board: Board, seconds: float) -> list[tuple[str, str]]:
    """What a live view shows, as labels and values."""
    arrived = f", {board.heard} characters so far" if board.heard else ""
    return [
        ("run", f"{board.run} ({board.workflow})"),
        ("phase", board.phase or "beginning"),
        ("round", round_of(board) or "-"),
        ("working", f"{board.working}, {board.runtime}{arrived}" if board.working else "the orchestrator"),
        ("findings", str(board.findings)),
        ("spend", spent(board.spend, board.limits)),
        ("elapsed", f"{seconds:.0f} s"),
    ]


def spent(spend: Spend, limits: Ceiling) -> str:
    """Turns, tokens and money, against the limits that there are."""
    plain = {"tokens": spend.tokens, "cost": None if spend.unpriced else spend.cost}
    return ", ".join([counted(spend.turns, "turn"), *used(plain, {"tokens": limits.tokens, "cost": limits.cost})])


# --- the end ----------------------------------------------------------------------------------------------------------


def ending(status: Mapping[str, Any], project: str | None, language: str) -> list[str]:
    """How a run stopped, where to look, and what to do next."""
    run, stop = str(status["run"]), status.get("stop")
    turns = status.get("turns") or ()
    waits = "waits for a person" if status["requests"] else "waits for a host" if turns else "not finished"
    lines = [f"{run}: {stop or waits}"]
    if status.get("escalation_reason"):
        lines[0] += f" ({status['escalation_reason']})"
    spend = used(status.get("spend") or {"cost": "0"}, status.get("limits") or {})
    lines += [f"  used: {', '.join(spend)}"] if spend else []
    lines += [f"  blocker: {clean(text, 400)}" for text in status.get("blockers", ())]
    lines += [f"  released: {clean(path)}" for path in status.get("outputs", ())]
    lines += [f"  note: {clean(text, 400)}" for text in status.get("warnings", ())]
    if status.get("edited_since"):
        files = clean(", ".join(status["edited_since"]), 400)
        lines.append(f"  edited since: {files}; what is said above is from before, resume to check again")
    requests = request_names.named(status, language)
    for request in requests:
        lines.append(f"  {request['kind']}: {clean(request['question'], QUESTION)}")
        lines += [f"  $ {line}" for line in answers(run, request, project, requests)]
    lines += [f"  open turn: {turn['turn']}, attempt {turn['attempt']}" for turn in turns]
    if turns:
        where = f" --project {shlex.quote(project)}" if project else ""
        lines.append(f"  an MCP host takes it with the tool next_turn of `signoff mcp{where}`")
    if not stop and not status["requests"] and not turns:
        lines.append(f"  another process may be at work; go on with: signoff resume {run}")
    return lines
