"""The kernel: `decide(workflow, state, event, look) -> Decision(state, commands)`.

A guard that is the same for all workflows comes first: is this open, is it the attempt that is out, are its inputs
still current, does the output keep its contract, may the run spend more. Then the workflow's own step decides, and its
commands are numbered and entered into the state. Nothing here touches the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

from signoff.core.budget import refusal
from signoff.core.commands import (
    Ask,
    CancelTurn,
    Check,
    Command,
    Finish,
    Gather,
    Place,
    Reply,
    StartTurn,
    Wake,
    Withdraw,
    Write,
)
from signoff.core.declarations import Contract, Now
from signoff.core.errors import DefinitionError, DocumentError
from signoff.core.events import (
    Answered,
    Called,
    Checked,
    DocsChanged,
    Event,
    Gathered,
    Limited,
    Overruled,
    Started,
    Ticked,
    TurnFailed,
    TurnHeld,
    TurnReturned,
)
from signoff.core.findings import Finding
from signoff.core.overrules import judged, overruled
from signoff.core.permissions import CONFINED, RUN_COMMAND, WRITE_FILE, may_write
from signoff.core.refs import Look, Ref, digest
from signoff.core.state import Ceiling, OpenTurn, State, replace
from signoff.core.workflow import Workflow

V = TypeVar("V")

BUDGET = "budget"
RESUME = "resume"
APPROVE = "approve"
NAMED, SEVERAL = 200, 20
"""How many characters of a refused name are shown, and how many names."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of an event. If it is not `applied`, `refused` says why, and there is nothing to commit."""

    state: State
    commands: tuple[Command, ...] = ()
    refused: tuple[Finding, ...] = ()
    applied: bool = True


def decide(workflow: Workflow, state: State, event: Event, look: Look) -> Decision:
    """One event in, the next state and what must be done out."""
    moved = replace(state, rev=state.rev + 1, at=event.at)
    match event:
        case Started():
            if state.rev:
                return _refuse(state, "run.started", "the run has begun already", "resume it instead")
            fresh = replace(moved, params=dict(event.params), docs=dict(event.docs))
            return _step(workflow, Now(state=fresh, event=event, look=look))
        case TurnReturned() | TurnFailed():
            return _turn(workflow, state, moved, event, look)
        case TurnHeld():
            return _held(state, moved, event)
        case Limited():
            return _limited(state, moved, event)
        case Overruled():
            after = overruled(workflow, moved, event, look)
            return Decision(state, refused=(after,), applied=False) if isinstance(after, Finding) else Decision(after)
        case Called():
            return _called(workflow, state, moved, event, look)
        case Checked():
            return _checked(workflow, state, moved, event, look)
        case Gathered():
            return _gathered(workflow, state, moved, event, look)
        case Answered():
            return _answered(workflow, state, moved, event, look)
        case DocsChanged():
            return _docs(workflow, state, moved, event, look)
        case Ticked():
            if event.timer not in state.timers:
                return _refuse(state, "timer.closed", f"no timer {event.timer!r} is set", "nothing to do")
            moved = replace(moved, timers=_without(state.timers, event.timer))
            return _step(workflow, Now(state=moved, event=event, look=look))


# --- the guard --------------------------------------------------------------------------------------------------------


def _turn(workflow: Workflow, state: State, moved: State, event: TurnReturned | TurnFailed, look: Look) -> Decision:
    if isinstance(turn := _open(state, event), Decision):
        return turn
    spent = replace(moved, spend=state.spend.plus(event.usage))
    if isinstance(event, TurnFailed):
        return _failed(workflow, spent, turn, event, look)
    if changed := _changed(turn.start.pinned, state):
        return _restart(workflow, spent, turn, (_stale(changed),), look)
    closed = replace(spent, turns=_without(spent.turns, event.turn))
    wrote = replace(closed, docs={**closed.docs, **event.files})
    now = Now(state=wrote, event=event, look=look, turn=turn)
    output, findings = _read(workflow.contract(turn.start.contract), turn.start, now)
    if findings:
        return _invalid(workflow, spent, replace(turn, invalid=turn.invalid + 1), findings, replace(now, state=closed))
    return _placing(event.files, closed, _step(workflow, replace(now, output=output)))


def _placing(files: Mapping[str, str], before: State, decision: Decision) -> Decision:
    """Puts the files from outside in their places, before what the workflow writes itself."""
    places = tuple(
        Place(path=path, sha256=sha, expect=before.docs.get(path))
        for path, sha in files.items()
        if before.docs.get(path) != sha
    )
    return replace(decision, commands=(*places, *decision.commands))


def _open(state: State, event: TurnReturned | TurnFailed | TurnHeld) -> OpenTurn | Decision:
    """The turn that is out at this attempt, or why there is none."""
    turn = state.turns.get(event.turn)
    if turn is None:
        return _refuse(
            state, "turn.closed", f"turn {event.turn} is not open", "nothing to do: it was settled or cancelled"
        )
    if event.attempt != turn.start.attempt:
        problem = f"turn {event.turn} is at attempt {turn.start.attempt}, this is attempt {event.attempt}"
        return _refuse(state, "turn.attempt", problem, "submit the attempt that is open")
    return turn


def _held(state: State, moved: State, event: TurnHeld) -> Decision:
    """Parks a turn that was not begun. It is not counted until it goes out again."""
    if isinstance(turn := _open(state, event), Decision):
        return turn
    spend = replace(state.spend, turns=state.spend.turns - 1)
    return Decision(*_park(replace(moved, turns=_without(state.turns, event.turn), spend=spend), turn, event.why))


def _limited(state: State, moved: State, event: Limited) -> Decision:
    ceiling = Ceiling(tokens=event.tokens, cost=event.cost)
    if not state.rev:
        return _refuse(state, "run.unknown", "the run has not begun", "begin it first")
    if ceiling == state.ceiling:
        return _refuse(state, "limit.same", "the run has these limits already", "nothing to do")
    return Decision(replace(moved, ceiling=ceiling))


def _read(contract: Contract, start: StartTurn, now: Now) -> tuple[Any, tuple[Finding, ...]]:
    assert isinstance(now.event, TurnReturned)  # narrows the type: only a return has an output to read
    try:
        output = now.look(now.event.output, contract.parse)
        written = (*contract.documents(output), *now.event.files)
        if outside := tuple(_outside(path, start) for path in written if not may_write(path, start.writes)):
            return None, outside
        return output, tuple(contract.check(now, output))
    except DocumentError as error:
        return None, error.findings


def _invalid(workflow: Workflow, spent: State, turn: OpenTurn, findings: tuple[Finding, ...], now: Now) -> Decision:
    if turn.invalid < turn.start.limits.invalid:
        return _restart(workflow, spent, turn, findings, now.look)
    return replace(_step(workflow, replace(now, refused=findings)), refused=findings)


def _failed(workflow: Workflow, spent: State, turn: OpenTurn, event: TurnFailed, look: Look) -> Decision:
    turn = replace(turn, crashed=turn.crashed + 1)
    finding = _failure(event)
    if turn.crashed < turn.start.limits.crashed and not event.uncertain_calls:
        return _restart(workflow, spent, turn, (finding,), look)
    closed = replace(spent, turns=_without(spent.turns, event.turn))
    now = Now(state=closed, event=event, look=look, turn=turn, refused=(finding,))
    return replace(_step(workflow, now), refused=(finding,))


def _restart(workflow: Workflow, state: State, turn: OpenTurn, told: tuple[Finding, ...], look: Look) -> Decision:
    """Issues the turn again, on the documents as they are now, and tells it what was wrong."""
    again = replace(turn.start, attempt=turn.start.attempt + 1, told=told)
    state = replace(state, turns=_without(state.turns, again.turn))
    state, commands = _issue(workflow, state, again, look, replace(turn, calls={}))
    return Decision(state, commands, refused=told)


def _called(workflow: Workflow, state: State, moved: State, event: Called, look: Look) -> Decision:
    turn = state.turns.get(event.turn)
    if turn is None:
        return _refuse(state, "call.closed", f"turn {event.turn} is not open", "end the conversation")
    if event.call_id in turn.calls:
        reply = turn.calls[event.call_id][1]
        return Decision(state, (reply,) if reply else (), applied=False)
    if event.tool not in turn.start.tools or event.tool in CONFINED:
        illegal = _illegal(event, turn.start)
        return Decision(_enter(_calling(moved, turn, event), illegal), (illegal,))
    opened = _calling(moved, turn, event)
    return _step(workflow, Now(state=opened, event=event, look=look, turn=opened.turns[event.turn]))


def _illegal(event: Called, start: StartTurn) -> Reply:
    confined = {WRITE_FILE: start.writes if WRITE_FILE in start.tools else (), RUN_COMMAND: start.runs}
    if legal := confined.get(event.tool, ()):
        why = f"{event.tool} went beyond the contract of the turn"
    else:
        why, legal = f"{event.tool} is not a tool here", start.tools
    named = _named(event.args) if event.tool in CONFINED else ""
    return Reply(turn=event.turn, call_id=event.call_id, illegal=f"{why}: {named}" if named else why, legal=legal)


def _named(args: Mapping[str, Any]) -> str:
    """The paths or the command of a refused call, quoted, because an agent may have written anything there."""
    paths = args.get("paths")
    several = paths if isinstance(paths, list | tuple) else ()
    said = [one for one in (args.get("path"), args.get("command"), *several) if isinstance(one, str)]
    quoted = ", ".join(repr(one if len(one) <= NAMED else f"{one[:NAMED]}…") for one in said[:SEVERAL])
    named = args.get("in all")
    left = max(len(said), named if isinstance(named, int) else 0) - len(said[:SEVERAL])
    return f"{quoted} and {left} more" if quoted and left > 0 else quoted


def _calling(state: State, turn: OpenTurn, event: Called) -> State:
    calls = {**turn.calls, event.call_id: (event.tool, None)}
    return replace(state, turns={**state.turns, event.turn: replace(turn, calls=calls)})


def _checked(workflow: Workflow, state: State, moved: State, event: Checked, look: Look) -> Decision:
    check = state.checks.get(event.check)
    if check is None:
        return _refuse(state, "check.closed", f"check {event.check} is not open", "nothing to do")
    if dict(event.of) != dict(check.of):
        return _refuse(state, "check.other", f"check {event.check} asked about other documents", "run it again")
    closed = replace(moved, checks=_without(state.checks, event.check))
    if _changed(tuple(check.of.values()), state):
        return Decision(*_enter_all(workflow, closed, (check,), look))
    closed, event = judged(workflow, closed, check, event, look)
    return _step(workflow, Now(state=closed, event=event, look=look, check=check))


def _gathered(workflow: Workflow, state: State, moved: State, event: Gathered, look: Look) -> Decision:
    gather = state.gathers.get(event.gather)
    if gather is None:
        return _refuse(state, "gather.closed", f"gather {event.gather} is not open", "nothing to do")
    if wrong := _not_asked_for(gather, event):
        return _refuse(state, "gather.other", f"gather {event.gather} {wrong}", "give what was asked for, all of it")
    pages = {page.path: page.sha256 for page in event.pages.values() if not page.problem}
    if outside := [path for path in pages if not may_write(path, (f"{gather.into}*",))]:
        problem = f"gather {event.gather} gives {outside[0]!r}, which is not in {gather.into!r}"
        return _refuse(state, "gather.outside", problem, f"put pages into {gather.into!r}")
    closed = replace(moved, gathers=_without(state.gathers, event.gather))
    found = replace(closed, docs={**closed.docs, **pages})
    return _placing(pages, closed, _step(workflow, Now(state=found, event=event, look=look, gather=gather)))


def _not_asked_for(gather: Gather, event: Gathered) -> str:
    """How the result differs from the request: each query must have hits or a problem, each url a page."""
    if set(event.pages) != set(gather.urls):
        return "asked for other pages"
    if event.hits.keys() & event.problems.keys() or event.hits.keys() | event.problems.keys() != set(gather.queries):
        return "asked for other queries"
    return ""


def _answered(workflow: Workflow, state: State, moved: State, event: Answered, look: Look) -> Decision:
    ask = state.requests.get(event.request)
    if ask is None:
        waiting = ", ".join(state.requests) or "none"
        return _refuse(state, "request.closed", f"request {event.request!r} is not open", f"open requests: {waiting}")
    if event.act not in ask.options:
        return _refuse(
            state, "request.option", f"{event.act!r} is no answer to it", f"use one of {', '.join(ask.options)}"
        )
    if event.act == APPROVE and (changed := _unseen(ask, event, state)):
        problem = f"{', '.join(changed)} changed after the request was written"
        return _refuse(state, "request.changed", problem, "look at the change, then approve with --accept-changes")
    closed = replace(moved, requests=_without(state.requests, event.request))
    if ask.kind == BUDGET:
        return Decision(*_unpark(workflow, replace(closed, stop=None, parked=()), state.parked, look))
    if state.stop != BUDGET:
        closed = replace(closed, stop=None)
    return _step(workflow, Now(state=closed, event=event, look=look, request=ask))


def _unseen(ask: Ask, event: Answered, state: State) -> tuple[str, ...]:
    """What a person would approve without having seen it: what changed since the request, or since they last looked."""
    if not event.payload.get("accept_changes"):
        return approved_changes(ask, state)
    return tuple(path for path in ask.of if event.seen.get(path) != state.docs.get(path, ""))


def approved_changes(ask: Ask, state: State) -> tuple[str, ...]:
    """The documents of a request that changed since the person was asked."""
    return tuple(path for path, sha in ask.of.items() if state.docs.get(path) != sha)


def _docs(workflow: Workflow, state: State, moved: State, event: DocsChanged, look: Look) -> Decision:
    docs = {**state.docs, **event.docs}
    kept = {path: sha for path, sha in docs.items() if sha is not None}
    if kept == state.docs:
        return _refuse(state, "docs.same", "nothing differs from what the run knows", "nothing to do")
    was = {path: sha for path, sha in state.docs.items() if path in event.docs}
    return _step(workflow, Now(state=replace(moved, docs=kept), event=event, look=look, was=was))


# --- the workflow's step, and its commands entered into the state -----------------------------------------------------


def _step(workflow: Workflow, now: Now) -> Decision:
    effects = workflow.steps(now)
    return Decision(*_enter_all(workflow, replace(now.state, own=effects.own), effects.commands, now.look))


def _enter_all(
    workflow: Workflow, state: State, commands: tuple[Command, ...], look: Look
) -> tuple[State, tuple[Command, ...]]:
    done: list[Command] = []
    for command in commands:
        if isinstance(command, StartTurn):
            state, issued = _issue(workflow, state, command, look, OpenTurn(start=command))
        else:
            issued = _numbered(state, command)
            state = reduce(_enter, issued, state)
        done += issued
    return state, tuple(done)


def _issue(
    workflow: Workflow, state: State, start: StartTurn, look: Look, turn: OpenTurn
) -> tuple[State, tuple[Command, ...]]:
    """Issues a turn if the budget allows it; otherwise parks it and asks a person."""
    if not start.turn:
        start = replace(start, turn=f"{state.issued + 1:04d}-{start.agent}")
        state = replace(state, issued=state.issued + 1)
    if why := refusal(workflow.budgets(state, look), state.spend):
        return _park(state, replace(turn, start=start), why)
    named = dict.fromkeys((*start.guides, *start.reads))
    start = replace(start, pinned=tuple(ref for path in named if (ref := state.ref(path))))
    opened = {**state.turns, start.turn: replace(turn, start=start)}
    return replace(state, turns=opened, spend=replace(state.spend, turns=state.spend.turns + 1)), (start,)


def _unpark(
    workflow: Workflow, state: State, parked: tuple[OpenTurn, ...], look: Look
) -> tuple[State, tuple[Command, ...]]:
    """Issues the parked turns again; their tries so far still count."""
    done: list[Command] = []
    for turn in parked:
        state, issued = _issue(workflow, state, turn.start, look, turn)
        done += issued
    return state, tuple(done)


def _park(state: State, turn: OpenTurn, why: str) -> tuple[State, tuple[Command, ...]]:
    """Parks a turn. A person is asked once for all parked turns."""
    state = replace(state, parked=(*state.parked, turn))
    if state.stop == BUDGET:
        return state, ()
    ask = Ask(key=BUDGET, kind=BUDGET, options=(RESUME,), question=f"The budget is used up: {why}.")
    commands = (*_numbered(state, ask), Finish(reason=BUDGET))
    return reduce(_enter, commands, state), commands


def _numbered(state: State, command: Command) -> tuple[Command, ...]:
    """The command with its id, which is derived from state; nothing for a write of the same bytes."""
    match command:
        case Ask():
            return (replace(command, request=f"{command.key}-{state.asked + 1}"),)
        case Check():
            of = {role: ref for role, path in command.reads.items() if (ref := state.ref(path))}
            return (replace(command, of=of, check=f"{command.key}-{state.checked + 1}"),)
        case Gather():
            queries, urls = _sayable(command.queries), _sayable(command.urls)
            return (replace(command, queries=queries, urls=urls, gather=f"{command.key}-{state.gathered + 1}"),)
        case Write():
            now = state.docs.get(command.path)
            same = now == (None if command.text is None else digest(command.text))
            return () if same else (replace(command, expect=now),)
        case Finish():
            return (*(CancelTurn(turn=turn) for turn in state.turns), command)
        case CancelTurn() if [turn.start.turn for turn in state.parked] == [command.turn]:
            asked = state.request_of(BUDGET)  # no other turn is parked
            return (command, Withdraw(request=asked.request)) if asked else (command,)
        case _:
            return (command,)


def _enter(state: State, command: Command) -> State:
    match command:
        case CancelTurn():
            parked = tuple(turn for turn in state.parked if turn.start.turn != command.turn)
            stop = None if state.parked and not parked else state.stop
            return replace(state, turns=_without(state.turns, command.turn), parked=parked, stop=stop)
        case Reply():
            return _replied(state, command)
        case Check():
            others = {name: check for name, check in state.checks.items() if check.key != command.key}
            return replace(state, checks={**others, command.check: command}, checked=state.checked + 1)
        case Gather():
            _require_folder(command)
            apart = {name: gather for name, gather in state.gathers.items() if gather.key != command.key}
            return replace(state, gathers={**apart, command.gather: command}, gathered=state.gathered + 1)
        case Ask():
            return replace(state, requests={**state.requests, command.request: command}, asked=state.asked + 1)
        case Withdraw():
            return replace(state, requests=_without(state.requests, command.request))
        case Write(text=None):
            return replace(state, docs=_without(state.docs, command.path))
        case Write():
            return replace(state, docs={**state.docs, command.path: digest(command.text or "")})
        case Wake():
            return replace(state, timers={**state.timers, command.timer: command.at})
        case Finish(reason="budget"):  # a pause: work that is under way goes on
            return replace(state, stop=command.reason)
        case Finish():
            return replace(state, stop=command.reason, checks={}, gathers={}, timers={})
        case Place():
            raise DefinitionError("a workflow places no files", repair="give them as documents, with Write")
        case StartTurn():
            raise DefinitionError("a turn is issued, not entered", repair="pass it through _issue")


def _require_folder(gather: Gather) -> None:
    """Pages are written into a folder of their own and nowhere else."""
    if gather.urls and not (gather.into.endswith("/") and may_write(f"{gather.into}page.md", (f"{gather.into}*",))):
        raise DefinitionError(
            f"gather {gather.key!r} puts pages into {gather.into!r}",
            repair="name a folder of the project, with a slash",
        )


def _sayable(said: tuple[str, ...]) -> tuple[str, ...]:
    """Each text once, in valid Unicode, as a journal needs it: an agent may search for anything."""
    return tuple(dict.fromkeys(text.encode("utf-8", "replace").decode() for text in said))


def _replied(state: State, reply: Reply) -> State:
    turn = state.turns.get(reply.turn)
    if turn is None or reply.call_id not in turn.calls:
        raise DefinitionError(f"there is no call {reply.call_id} of turn {reply.turn} to reply to")
    calls = {**turn.calls, reply.call_id: (turn.calls[reply.call_id][0], reply)}
    return replace(state, turns={**state.turns, reply.turn: replace(turn, calls=calls)})


# --- small things -----------------------------------------------------------------------------------------------------


def _refuse(state: State, rule: str, problem: str, repair: str) -> Decision:
    return Decision(state, refused=(Finding(rule=rule, problem=problem, repair=repair),), applied=False)


def _without(mapping: Mapping[str, V], key: str) -> dict[str, V]:
    return {name: value for name, value in mapping.items() if name != key}


def _changed(refs: tuple[Ref, ...], state: State) -> tuple[str, ...]:
    return tuple(ref.path for ref in refs if state.docs.get(ref.path) != ref.sha256)


def _outside(path: str, start: StartTurn) -> Finding:
    return Finding(
        rule="output.contract",
        problem=f"{start.agent} may not write {path!r}",
        repair=f"write only {', '.join(start.writes) or 'nothing'}",
        file=path,
    )


def _stale(paths: tuple[str, ...]) -> Finding:
    problem = f"{', '.join(paths)} changed while the turn was out"
    return Finding(rule="turn.stale", problem=problem, repair="do the work again on the documents as they are now")


def _failure(event: TurnFailed) -> Finding:
    if event.uncertain_calls:
        calls = ", ".join(event.uncertain_calls)
        problem = f"the turn ended ({event.kind}) with calls that may have had their effect: {calls}"
        return Finding(
            rule="turn.uncertain", problem=problem, repair="find out what happened, then decide how to go on"
        )
    return Finding(rule="turn.failed", problem=f"the turn failed ({event.kind}): {event.detail}", repair="try it again")
