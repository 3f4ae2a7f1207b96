"""What an MCP host can do with a project: take turns, submit outputs, look, pass on answers and choices.

Everything comes in and goes out as plain data. Approving, rejecting and resuming are a person's, and are not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.artifacts.agentfile import AgentFile
from signoff.core.commands import Ask, StartTurn
from signoff.core.decide import APPROVE, RESUME
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import DocsChanged
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Parameter, Workflow
from signoff.service import answering, catalog, driving, overview, runs, taken
from signoff.service.driving import PERSONAL, REJECT
from signoff.service.looking import CHARS, brief_path, finding, plain
from signoff.service.project import Project
from signoff.shell import briefs, telemetry
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Host

HOST = "host"
KINDS = ("choice", "answers")
"""The requests in which a host may pass on what a person said."""

MOST_OUTPUT = 2_000_000
ONLY_A_PERSON = "Nobody but a person can settle this. Tell them so, show them the command, and wait."
PASS_ON = "Ask the person, then pass on what they say with the tools choose_option or answer_question."


# --- runs -------------------------------------------------------------------------------------------------------------


def listed(project: Project) -> list[dict[str, Any]]:
    """Every run of the project in a line: where it stands and how much waits."""
    return [_line(status) for status in overview.statuses(project.root, depth=0)]


def _line(status: Mapping[str, Any]) -> dict[str, Any]:
    if "problem" in status:
        return {"run": status["run"], "problem": status["problem"]}
    return {
        "run": status["run"],
        "workflow": status.get("workflow"),
        "stop": status.get("stop"),
        "open_turns": [turn["turn"] for turn in status.get("turns", ())],
        "waits_for_person": [request["key"] for request in status["requests"]],
    }


async def start(project: Project, name: str, run: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Begins a run, or finds it where it has begun."""
    workflow = catalog.workflow(name)
    params = told(workflow, given)
    live = await driving.begin_or_go_on(project, workflow, run, params, by=HOST)
    return await _after(live)


def told(workflow: Workflow, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is told, checked against what the workflow declares; what counts as not told is left out."""
    known = {parameter.name: parameter for parameter in workflow.parameters}
    if wrong := [name for name in given if name not in known]:
        raise UsageError(
            f"{workflow.name} has no parameter {', '.join(map(repr, wrong))}",
            valid="; ".join(f"{one.name}: {one.about}" for one in known.values()) or "it has none",
            repair="leave it out",
        )
    values = {name: _value(known[name], value) for name, value in given.items()}
    return {name: value for name, value in values.items() if value not in (None, False, ())}


def _value(parameter: Parameter, value: Any) -> Any:
    if value is None:
        return None
    if parameter.repeat:
        if not isinstance(value, list):
            raise UsageError(f"{parameter.name} is {value!r}", valid="a list", repair="put it in a list")
        return tuple(_one(parameter, item) for item in value)
    return _one(parameter, value)


def _one(parameter: Parameter, value: Any) -> Any:
    kind = bool if parameter.flag else parameter.kind
    whole = kind is float and type(value) is int
    if type(value) is not kind and not whole:
        words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
        raise UsageError(f"{parameter.name} is {value!r}", valid=words.get(kind, kind.__name__))
    if parameter.choices and value not in parameter.choices:
        raise UsageError(f"{parameter.name} is {value!r}", valid=", ".join(parameter.choices))
    return value


async def status(project: Project, run: str) -> dict[str, Any]:
    """Where a run stands, with what people edited taken in."""
    live = await _settled(project, run)
    return plain(driving.described(live))


async def _settled(project: Project, run: str) -> LiveRun:
    """The run, after everything that needs neither an agent nor a person."""
    live = await project.open(run)
    await runs.drive(live, Host())
    return live


# --- turns ------------------------------------------------------------------------------------------------------------


async def upcoming(
    project: Project, run: str, turn: str | None = None, taker: taken.Taker | None = None
) -> dict[str, Any]:
    """The open turns with their briefs, and what waits for a person; who takes them is noted, where that is known."""
    live = await _settled(project, run)
    found = await runs.next_open(live)
    if turn is not None and turn not in live.state.turns:
        raise UsageError(
            f"{run} has no open turn {turn!r}",
            valid=", ".join(live.state.turns) or "none is open",
            repair="ask without a turn for what is open now",
        )
    wanted = [(start, brief) for start, brief in found.turns if turn in (None, start.turn)]
    room = CHARS // max(1, len(wanted))
    turns = [{**_turn(start), **_brief(live, start, brief, room)} for start, brief in wanted]
    if taker:
        for start, _ in wanted:
            live.store.jot(f"{live.folder}/turns/{start.turn}/{taken.FILE}", taken.note(taker, start.attempt))
    return {**_open(live), "turns": turns}


def _turn(start: StartTurn) -> dict[str, Any]:
    return {"turn": start.turn, "attempt": start.attempt, "agent": start.agent, "contract": start.contract}


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
    with telemetry.run(live.workflow.name, run, HOST, live.watcher.notice) as span:
        found = await runs.submit(live, turn, attempt, output)
        if not found and (again := live.state.turns.get(turn)) and again.start.attempt == attempt + 1:
            found = again.start.told  # it was submitted before, and refused then
        after = await _after(live)
        span.stands(live.state)
    return {"accepted": not found, "findings": [finding(one) for one in found], **after}


async def _after(live: LiveRun) -> dict[str, Any]:
    await runs.drive(live, Host())
    return _open(live)


def _open(live: LiveRun) -> dict[str, Any]:
    """What is open in a run, and what to do about it."""
    state = live.state
    return {
        "run": live.run,
        "workflow": live.workflow.name,
        "turns": [_turn(turn.start) for turn in state.turns.values()],
        "requests": [_request(live, ask) for ask in state.requests.values()],
        "stop": state.stop,
        "how_to_go_on": _how(state),
    }


def _how(state: State) -> str:
    if state.turns:
        return "Take a turn with next_turn, do what its brief says, and give the output to submit_turn."
    if any(ask.kind not in KINDS for ask in state.requests.values()):
        return ONLY_A_PERSON
    if state.requests:
        return PASS_ON
    return f"The run has ended: {state.stop}." if state.stop else "Nothing is open now; ask again with next_turn."


def _request(live: LiveRun, ask: Ask) -> dict[str, Any]:
    mine = ask.kind in KINDS
    about = dict(ask.notes.get("about") or {})
    return {
        "request": ask.request,
        "key": ask.key,
        "kind": ask.kind,
        "question": ask.question,
        "options": {option: about.get(option, "") for option in ask.options},
        "who": PASS_ON if mine else ONLY_A_PERSON,
        "commands": [command(live.run, ask.key, option) for option in ask.options if option in PERSONAL],
    }


def command(run: str, key: str, act: str) -> str:
    """What a person types to do what no host can; the turns that follow are left to the host."""
    commands = {
        APPROVE: f"signoff approve {run} --gate {key} --runtime {HOST}",
        REJECT: f'signoff reject {run} --gate {key} --reason "…" --runtime {HOST}',
        RESUME: f"signoff resume {run} --runtime {HOST}",
    }
    return commands[act]


# --- answers and choices ----------------------------------------------------------------------------------------------


async def answer(project: Project, run: str, key: str, text: str) -> dict[str, Any]:
    """Puts an answer that a host passes on into the run's document; what is settled there, a person changes."""
    live = await _settled(project, run)
    _refuse_unasked(live)
    kept: list[answering.Sheet] = []

    def edited(state: State, at: str) -> DocsChanged | None:
        _refuse_settled(live, key, text)
        sheet, data = answering.put(live, {key: text})
        kept.append(sheet)
        if state.docs.get(sheet.path) == (sha := digest(data)):
            return None
        live.library.keep(Ref(sheet.path, sha), data)
        return DocsChanged(id=f"docs-{state.rev + 1}", at=at, by=HOST, docs={sheet.path: sha})

    await live.apply(edited)
    question = kept[-1].of(key)
    judged = answering.plain(question) if question else {}
    return {"question": judged, "progress": answering.counts(kept[-1].questions), **await _after(live)}


def _refuse_unasked(live: LiveRun) -> None:
    if not any(ask.kind in KINDS for ask in live.state.requests.values()):
        raise RefusedError(
            f"{live.run} waits for no answers",
            valid=_waiting(live.state),
            repair="ask what is open with next_turn; nothing was written",
        )


def _refuse_settled(live: LiveRun, key: str, text: str) -> None:
    question = answering.read(live).of(key)
    if question is None or not answering.settled(question) or answering.told(text) == question.answer:
        return
    raise RefusedError(
        f"{key} has a clear answer already: {question.answer!r}",
        valid="questions without an answer, or with a vague one",
        repair=f"a person changes it with `signoff answer {live.run}`; nothing was written",
    )


def _waiting(state: State) -> str:
    return ", ".join(f"{ask.key} ({ask.kind})" for ask in state.requests.values()) or "nothing waits in this run"


async def choose(project: Project, run: str, option: str, note: str = "", request: str | None = None) -> dict[str, Any]:
    """Settles a request of kind choice with one of its options, as a host passes it on."""
    live = await _settled(project, run)
    if option in PERSONAL:
        raise personal(option, live)
    ask = driving.choice(live, option, request)
    if ask.kind not in KINDS:
        raise RefusedError(
            f"{ask.key} is of kind {ask.kind}, and nobody but a person can settle it",
            repair=f"tell them to run `signoff choose {run} {option}`",
        )
    await runs.answer(live, ask.request, option, HOST, {"note": note.strip()} if note.strip() else {})
    return {"chosen": {"request": ask.request, "option": option, "by": HOST}, **await _after(live)}


def personal(act: str, live: LiveRun) -> RefusedError:
    """Why a host cannot do this, and the command with which a person does."""
    waiting = [ask.key for ask in live.state.requests.values() if act in ask.options]
    commands = [f"`{command(live.run, key, act)}`" for key in waiting]
    return RefusedError(
        f"{act!r} is a person's act, and no tool does it",
        valid=f"what waits in {live.run}: {_waiting(live.state)}",
        repair=f"tell the person to run {' or '.join(commands)}" if commands else "nothing waits for that now",
    )


# --- personas ---------------------------------------------------------------------------------------------------------


def persona(root: Path, name: str, agent: str) -> str:
    """An agent as a brief begins: its file, the contract it answers under, its skills; a project's own files win."""
    workflow = catalog.workflow(name)
    team = briefs.crew(workflow, Project(root).store)
    parts = briefs.persona(workflow, team, agent, workflow.agents[agent].contract)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def role(root: Path, name: str, agent: str) -> AgentFile:
    """The agent file of a role; a project's own wins."""
    return briefs.crew(catalog.workflow(name), Project(root).store).agents[agent]
