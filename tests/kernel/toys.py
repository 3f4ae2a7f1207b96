"""Two small workflows that are nothing like a table, to prove that the kernel carries them without bending.

`fanout` runs a plan of tasks that a person may edit while it runs: doers in parallel, a verifier after each, joins.
`talk` is one agent that chooses among tools in one conversation; one of its tools starts further turns.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from signoff.core.commands import CancelTurn, Command, Finish, Reply, StartTurn, Write
from signoff.core.declarations import Agent, Contract, Effects, Now, Tool
from signoff.core.errors import DocumentError
from signoff.core.events import Called, DocsChanged, Started, TurnReturned
from signoff.core.findings import Finding
from signoff.core.workflow import Documents, Workflow

PLAN = "plan.json"


def read_json(data: bytes, path: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise DocumentError([Finding(rule="json", problem=str(error), repair="write JSON", file=path)]) from error


def contract(name: str) -> Contract:
    return Contract(name=name, parse=read_json, schema=dict, documents=lambda value: value.get("documents", {}))


# --- fanout -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Board:
    verified: frozenset[str] = frozenset()


def fanout_step(now: Now) -> Effects:
    board: Board = now.state.own or Board()
    plan: dict[str, list[str]] = now.look(now.state.ref(PLAN), read_json)
    commands: list[Command] = []
    running = {turn.start.key.split(":")[1] for turn in now.state.turns.values()}
    match now.event:
        case TurnReturned():
            assert now.turn is not None
            role, task = now.turn.start.key.split(":")
            if now.refused:
                return Effects(board, (Finish(reason=f"failed: {task}"),))
            if task in plan and role == "do":
                commands += [Write(path=path, text=text) for path, text in now.output["documents"].items()]
                commands.append(_turn("verify", task))
                running.add(task)
            elif task in plan and now.output["ok"]:
                board = replace(board, verified=board.verified | {task})
            elif task in plan:
                commands.append(_turn("do", task))
                running.add(task)
        case DocsChanged():
            gone = [t for t in now.state.turns.values() if t.start.key.split(":")[1] not in plan]
            commands += [CancelTurn(turn=turn.start.turn) for turn in gone]
            board = replace(board, verified=board.verified & plan.keys())
    ready = [
        t for t, needs in sorted(plan.items()) if t not in running | board.verified and set(needs) <= board.verified
    ]
    commands += [_turn("do", task) for task in ready]
    if board.verified >= plan.keys():
        commands.append(Finish(reason="complete"))
    return Effects(board, tuple(commands))


def _turn(role: str, task: str) -> StartTurn:
    writes = (f"out/{task}.txt",) if role == "do" else ()
    reads = () if role == "do" else (f"out/{task}.txt",)
    agent = "doer" if role == "do" else "verifier"
    return StartTurn(key=f"{role}:{task}", agent=agent, contract=agent, task=task, reads=reads, writes=writes)


FANOUT = Workflow(
    name="fanout",
    about="a plan of tasks, each verified",
    package="tests.kernel",
    steps=fanout_step,
    agents=tuple(Agent(name=name, contract=contract(name)) for name in ("doer", "verifier")),
    documents=Documents(
        tracked=lambda _: [PLAN],
    ),
)


# --- talk -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Talk:
    drafted: bool = False
    waiting: str = ""
    scores: tuple[int, ...] = ()
    judged: bool = False


CRITICS = ("reader", "editor")
TOOLS = ("draft", "critique", "save")


def talk_step(now: Now) -> Effects:
    talk: Talk = now.state.own or Talk()
    match now.event:
        case Started():
            start = StartTurn(
                key="talk", agent="author", contract="author", task="write", tools=TOOLS, writes=("text.md",)
            )
            return Effects(talk, (start,))
        case Called():
            return _call(now.event, talk)
        case TurnReturned() if now.turn is not None and now.turn.start.key.startswith("critic:"):
            return _critic(now, talk)
        case TurnReturned():
            return Effects(talk, (Finish(reason="complete" if talk.judged and not now.refused else "failed"),))
    return Effects(talk)


def legal(talk: Talk) -> tuple[str, ...]:
    if talk.waiting:
        return ()
    return ("draft", *(("critique",) if talk.drafted else ()), *(("save",) if talk.judged else ()))


def _call(call: Called, talk: Talk) -> Effects:
    def reply(result: Any) -> Reply:
        return Reply(turn=call.turn, call_id=call.call_id, result=result)

    if call.tool not in legal(talk):
        problem = f"{call.tool} is not legal now"
        return Effects(talk, (Reply(turn=call.turn, call_id=call.call_id, illegal=problem, legal=legal(talk)),))
    if call.tool == "draft":
        text = str(call.args["text"])
        return Effects(replace(talk, drafted=True, judged=False), (Write(path="text.md", text=text), reply(len(text))))
    if call.tool == "save":
        return Effects(talk, (reply("saved"),))
    turns = tuple(
        StartTurn(key=f"critic:{name}", agent="critic", contract="critic", task=name, reads=("text.md",))
        for name in CRITICS
    )
    return Effects(replace(talk, waiting=f"{call.turn}/{call.call_id}", scores=()), turns)


def _critic(now: Now, talk: Talk) -> Effects:
    talk = replace(talk, scores=(*talk.scores, 0 if now.refused else int(now.output["score"])))
    if len(talk.scores) < len(CRITICS):
        return Effects(talk)
    turn, call_id = talk.waiting.split("/")
    done = Reply(turn=turn, call_id=call_id, result=sorted(talk.scores))
    return Effects(replace(talk, waiting="", judged=True), (done,))


TALK = Workflow(
    name="talk",
    about="one agent, many tools",
    package="tests.kernel",
    steps=talk_step,
    agents=tuple(Agent(name=name, contract=contract(name)) for name in ("author", "critic")),
    tools=tuple(({name: Tool(name=name, about=name, takes={"type": "object"}) for name in TOOLS}).values()),
    documents=Documents(
        tracked=lambda _: ["text.md"],
    ),
)
