"""What an MCP host can do with a project: take turns, call their tools, submit outputs, pass on answers and choices.

Everything comes in and goes out as plain data. Approving, rejecting and resuming are a person's, and are not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.core.commands import Ask, Reply, StartTurn
from signoff.core.declarations import Parameter
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import DocsChanged
from signoff.core.permissions import CONFINED, WRITE_FILE
from signoff.core.refs import Ref, digest
from signoff.core.state import OpenTurn, State
from signoff.core.terms import language_of
from signoff.core.workflow import Workflow
from signoff.service import catalog, conversations, people, questionnaires, run_control, runs, status_overview
from signoff.service.hosts import turn_leases
from signoff.service.hosts.host_reads import CHARS, brief_path, finding, json_data
from signoff.service.project import Project
from signoff.shell import telemetry
from signoff.shell.run import attempts
from signoff.shell.run.journal import sayable
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes import host_workspace
from signoff.shell.runtimes.runtime import Host

HOST = "host"
MOST_OUTPUT = 2_000_000
TAKE = "Take a turn with next_turn, do what its brief says, and give the output to submit_turn."
ONLY_A_PERSON = "Only a person can settle this. Tell them so, show them the command, and wait."
PASS_ON = "Ask the person, then pass on what they say with the tools choose_option or answer_question."


# --- runs -------------------------------------------------------------------------------------------------------------


def listed(project: Project) -> list[dict[str, Any]]:
    """Every run of the project in a line: where it stands and how much waits."""
    return [
        {"run": status["run"], "problem": status["problem"]}
        if "problem" in status
        else {
            "run": status["run"],
            "workflow": status.get("workflow"),
            "stop": status.get("stop"),
            "open_turns": [turn["turn"] for turn in status.get("turns", ())],
            "waits_for_person": [request["key"] for request in status["requests"]],
        }
        for status in status_overview.statuses(project.root, depth=0)
    ]


async def start(project: Project, name: str, run: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Begins a run, or opens it if it has begun."""
    workflow = catalog.workflow(name)
    params = checked_params(workflow, given)
    live = await run_control.begin_or_go_on(project, workflow, run, params, by=HOST)
    return await after(live)


def checked_params(workflow: Workflow, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is told, checked against what the workflow declares; what counts as not told is left out."""
    known = {parameter.name: parameter for parameter in workflow.parameters}
    if wrong := [name for name in given if name not in known]:
        raise UsageError(
            f"{workflow.name} has no parameter {', '.join(map(repr, wrong))}",
            valid="; ".join(f"{one.name}: {one.about}" for one in known.values()) or "it has none",
            repair="leave it out",
        )
    values: dict[str, Any] = {}
    language = language_of(given)
    for name, value in given.items():
        if value is not None and known[name].repeat:
            if not isinstance(value, list):
                raise UsageError(f"{name} is {value!r}", valid="a list", repair="put it in a list")
            values[name] = tuple(_one(known[name], item, language) for item in value)
        elif value is not None:
            values[name] = _one(known[name], value, language)
    return {name: value for name, value in values.items() if value not in (False, ())}


def _one(parameter: Parameter, value: Any, language: str) -> Any:
    kind = bool if parameter.flag else parameter.kind
    whole = kind is float and type(value) is int
    if type(value) is not kind and not whole:
        words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
        raise UsageError(f"{parameter.name} is {value!r}", valid=words.get(kind, kind.__name__))
    return parameter.chosen(value, language) if isinstance(value, str) else value


async def status(project: Project, run: str) -> dict[str, Any]:
    """Where a run stands, with what people edited taken in."""
    live = await settled(project, run)
    return json_data(run_control.described(live))


async def settled(project: Project, run: str) -> LiveRun:
    """The run, after everything that needs neither an agent nor a person."""
    live = await project.open(run)
    await runs.drive(live, Host())
    return live


# --- turns ------------------------------------------------------------------------------------------------------------


async def upcoming(
    project: Project, run: str, turn: str | None = None, taker: turn_leases.Taker | None = None
) -> dict[str, Any]:
    """The open turns with their briefs, and what waits for a person; notes who takes them, if that is known."""
    live = await settled(project, run)
    found = await runs.next_open(live)
    mine = runs.for_agents(live)
    if turn is not None and turn not in mine:
        raise UsageError(
            f"{run} has no open turn {turn!r}",
            valid=", ".join(mine) or "none is open",
            repair="ask without a turn for what is open now",
        )
    wanted = [(mine[start.turn], brief) for start, brief in found.turns if turn in (None, start.turn)]
    room = CHARS // max(1, len(wanted))
    turns = [{**_turn(live, one), **_last(one), **_brief(live, one.start, brief, room)} for one, brief in wanted]
    if taker:
        for one, _ in wanted:
            place = f"{live.folder}/turns/{one.start.turn}/{turn_leases.FILE}"
            live.store.jot(place, turn_leases.note(taker, one.start.attempt))
    return {**_open(live), "turns": turns}


def _turn(live: LiveRun, turn: OpenTurn) -> dict[str, Any]:
    start = turn.start
    plain = {"turn": start.turn, "attempt": start.attempt, "agent": start.agent, "contract": start.contract}
    tools = [*host_workspace.tools(start), *(name for name in start.tools if name not in CONFINED)]
    if not tools:
        return plain
    waits = [{"call_id": name, "tool": tool} for name, (tool, reply) in turn.calls.items() if reply is None]
    return {**plain, "tools": tools, "waits_for": waits, **_given(live, start)}


def _given(live: LiveRun, start: StartTurn) -> dict[str, Any]:
    """What a turn that writes or runs may do, and what of it was done at this attempt by whichever host."""
    if not host_workspace.tools(start):
        return {}
    own = attempts.Attempt(live, start)
    hosted = own.log.begun_by() == HOST
    return {
        "may_write": list(start.writes) if WRITE_FILE in start.tools else [],
        "may_run": list(start.runs),
        "given": sorted(host_workspace.so_far(own).files),
        "ran": [{"command": one.command, "code": one.code} for one in own.log.ran()] if hosted else [],
    }


def _last(turn: OpenTurn) -> dict[str, Any]:
    """What the newest answered call of a turn said: where its work stands."""
    said = [(name, tool, reply) for name, (tool, reply) in turn.calls.items() if reply]
    return {"last_call": _replied(*said[-1])} if said else {}


def _replied(call_id: str, tool: str, reply: Reply) -> dict[str, Any]:
    said = {"refused": reply.illegal, "legal": list(reply.legal)} if reply.illegal else {"result": reply.result}
    return {"call_id": call_id, "tool": tool, **json_data(said)}


def _brief(live: LiveRun, start: StartTurn, brief: str, room: int) -> dict[str, Any]:
    """The brief, on disk before it is given out; of a long one the beginning, and where the rest is."""
    path = brief_path(live, start)
    if live.store.read(path) != brief.encode():
        live.store.jot(path, brief.encode())
    if len(brief) <= room:
        return {"brief": brief}
    rest = {"path": path, "offset": room, "how": "read the rest with read_document before you begin"}
    return {"brief": brief[:room], "brief_goes_on": rest}


async def submit(project: Project, run: str, turn: str, attempt: int, output: str) -> dict[str, Any]:
    """Takes an output in, and everything that follows without an agent; the same one again changes nothing."""
    if len(output) > MOST_OUTPUT:
        raise UsageError(
            f"the output has {len(output)} characters",
            valid=f"up to {MOST_OUTPUT}",
            repair="give the one document that the contract asks for; nothing was written",
        )
    live = await project.open(run)
    mine = runs.for_agents(live)
    if turn in live.state.turns and turn not in mine:
        raise RefusedError(
            f"code takes the turn {turn} of {live.run}: the run was begun so",
            valid=", ".join(mine) or "no turn is open for an agent",
            repair="take the turns that next_turn shows",
        )
    waiting = [(one, name) for one, open_ in mine.items() for name, (_, reply) in open_.calls.items() if reply is None]
    with telemetry.run(live.workflow.name, run, HOST, live.watcher.notice) as span:
        found = await runs.submit(live, turn, attempt, output)
        if not found and (again := live.state.turns.get(turn)) and again.start.attempt == attempt + 1:
            found = again.start.told  # it was submitted before, and refused then
        then = await after(live)
        span.stands(live.state)
    said = [_replied(name, *call) for name, call in _answered(runs.for_agents(live), waiting)]
    brought = {"results": said} if said else {}
    return {"accepted": not found, "findings": [finding(one) for one in found], **brought, **then}


def _answered(
    turns: Mapping[str, OpenTurn], waiting: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, tuple[str, Reply]]]:
    """Those of these calls that have a reply now."""
    for turn, name in waiting:
        tool, reply = turns[turn].calls.get(name, ("", None)) if turn in turns else ("", None)
        if reply is not None:
            yield name, (tool, reply)


def waits(turn: OpenTurn) -> bool:
    return any(reply is None for _, reply in turn.calls.values())


async def after(live: LiveRun) -> dict[str, Any]:
    await runs.drive(live, Host())
    return _open(live)


def _open(live: LiveRun) -> dict[str, Any]:
    """What is open in a run, and what to do about it."""
    state = live.state
    return {
        "run": live.run,
        "workflow": live.workflow.name,
        "turns": [_turn(live, turn) for turn in runs.for_agents(live).values()],
        "requests": [_request(live, ask) for ask in state.requests.values()],
        "stop": state.stop,
        "how_to_go_on": how_to_go_on(live, state),
    }


def how_to_go_on(live: LiveRun, state: State) -> str:
    if any(not waits(turn) for turn in runs.for_agents(live, state).values()):
        return TAKE
    if not all(map(_passes_on, state.requests.values())):
        return ONLY_A_PERSON
    if state.requests:
        return PASS_ON
    return f"The run has ended: {state.stop}." if state.stop else "Nothing is open now; ask again with next_turn."


def _passes_on(ask: Ask) -> bool:
    """Whether a host may pass on what a person said to a request."""
    return any(_may(ask, option) for option in ask.options)


def _may(ask: Ask, option: str) -> bool:
    return people.HOST.via in people.MAY[people.act_of(ask, option)]


def _request(live: LiveRun, ask: Ask) -> dict[str, Any]:
    terms, language = live.workflow.views.terms, language_of(live.state.params)
    about = dict(ask.notes.get("about") or {})
    takes = {option: way.takes for option in ask.options if (way := conversations.way(live, ask, option)) and way.takes}
    return {
        "request": ask.request,
        "key": ask.key,
        "kind": ask.kind,
        "question": terms.shown(ask.question, language),
        "options": {
            terms.name(option, language): terms.shown(about.get(option, ""), language) for option in ask.options
        },
        "who": PASS_ON if _passes_on(ask) else ONLY_A_PERSON,
        "commands": [
            people.command(people.HOST, live.run, ask.key, option) for option in ask.options if not _may(ask, option)
        ],
        **({"payloads": {option: dict(given.schema()) for option, given in takes.items()}} if takes else {}),
    }


# --- answers and choices ----------------------------------------------------------------------------------------------


async def answer(project: Project, run: str, key: str, text: str) -> dict[str, Any]:
    """Puts an answer that a host passes on into the run's document; what is settled there, a person changes."""
    live = await settled(project, run)
    if not any(map(_passes_on, live.state.requests.values())):
        asks = live.state.requests.values()
        raise RefusedError(
            f"{live.run} waits for no answers",
            valid=", ".join(f"{ask.key} ({ask.kind})" for ask in asks) or "nothing waits in this run",
            repair="ask what is open with next_turn; nothing was written",
        )
    kept: list[questionnaires.Sheet] = []

    def edited(state: State, at: str) -> DocsChanged | None:
        sheet, data = questionnaires.put(live, {key: text}, people.HOST)
        kept.append(sheet)
        if state.docs.get(sheet.path) == (sha := digest(data)):
            return None
        live.library.keep(Ref(sheet.path, sha), data)
        return DocsChanged(id=f"docs-{state.rev + 1}", at=at, by=HOST, docs={sheet.path: sha})

    await live.apply(edited)
    question = kept[-1].of(key)
    judged = questionnaires.question_json(question) if question else {}
    return {"question": judged, "progress": questionnaires.counts(kept[-1].questions), **await after(live)}


async def choose(
    project: Project,
    run: str,
    option: str,
    note: str = "",
    request: str | None = None,
    payload: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Settles a request of kind choice as a host passes it on; what goes with the option is checked."""
    live = await settled(project, run)
    option = run_control.act(live, option)
    ask = run_control.choice(live, option, people.HOST, request)
    given = sayable({**(payload or {}), **({"note": note.strip()} if note.strip() else {})})
    conversations.refuse_payload(conversations.way(live, ask, option), option, given)
    await runs.answer(live, ask.request, option, people.HOST, given)
    return {"chosen": {"request": ask.request, "option": option, "by": HOST}, **await after(live)}
