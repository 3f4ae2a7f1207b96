"""Atelier: an order from a conversation, a carving from another, one tool to be made, and a signature."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.core.commands import Ask, Command, Finish, StartTurn, Write
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now, Question, Tools
from signoff.core.errors import DocumentError, UsageError
from signoff.core.events import Answered, Started, TurnReturned
from signoff.core.findings import Finding
from signoff.core.personas import NAMED, Artifact, Given, Interview, Need, Persona, Said, Scene, Settling, Way, rounds
from signoff.core.workflow import ByCode, Documents, People, Setup, Workflow

ORDER, PIECE, LEDGER = "orders/{task}.md", "pieces/{task}.md", "ledger/*.md"


# --- outputs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """What an order or a carving is made of."""

    task: str
    parts: tuple[str, ...]


def _parse(data: bytes, path: str) -> Parts:
    try:
        plain = json.loads(data)
        found = Parts(str(plain["task"]), tuple(map(str, plain["parts"])))
    except (ValueError, LookupError, TypeError) as error:
        found, problem = Parts("", ()), f"it is no output: {error!r}"
    else:
        problem = "" if found.parts else "it has no parts"
    if problem:
        raise DocumentError([Finding(rule="atelier.output", problem=problem, repair="give parts", file=path)])
    return found


def _render(parts: Parts) -> str:
    return f"# {parts.task}\n\n" + "".join(f"- {part}\n" for part in parts.parts)


def _contract(name: str) -> Contract:
    return Contract(name=name, parse=_parse, schema=lambda: {"type": "object", "title": name})


# --- the run ----------------------------------------------------------------------------------------------------------


def step(now: Now) -> Effects:
    commands: tuple[Command, ...] = ()
    task = str(now.state.params["slug"])
    match now.event:
        case Started():
            commands = (_turn("carver", ORDER.format(task=task)),)
        case TurnReturned(by="agent:carver") if now.output is not None:
            text = _render(now.output)
            about = {"create": "Makes it.", "drop": "Does without it."}
            ask = Ask(
                key="tool-chisel",
                kind="choice",
                options=("create", "drop"),
                question="There is no chisel.",
                notes={"about": about},
            )
            commands = (Write(path=PIECE.format(task=task), text=text), ask)
        case Answered(act="create" | "drop"):
            made = now.event.payload.get("steel")
            commands = (_turn("polisher", PIECE.format(task=task)),)
            commands += (Write(path="tools/chisel.md", text=f"{made}\n"),) if made else ()
        case TurnReturned():
            of = {PIECE.format(task=task): now.state.docs[PIECE.format(task=task)]}
            commands = (
                Ask(key="final", kind="approval", options=("approve", "reject"), question="May it go out?", of=of),
            )
        case Answered(act="approve"):
            commands = (Finish(reason="complete"),)
        case Answered(act="reject"):
            commands = (_turn("carver", ORDER.format(task=task)),)
    return Effects(now.state.own, commands)


def _turn(agent: str, reads: str) -> StartTurn:
    return StartTurn(key=agent, agent=agent, contract="parts", task=f"Be the {agent}.", reads=(reads,))


def _player(assignment: Assignment, _tools: Tools) -> str:
    return json.dumps({"task": assignment.params["slug"], "parts": ["a plain one"]})


# --- personas ---------------------------------------------------------------------------------------------------------


def _task(typed: str) -> str:
    if not typed.isascii() or not typed.isalpha() or not typed.islower():
        raise UsageError(f"{typed!r} is no name for a piece", valid="small letters", repair="name it otherwise")
    return typed


def _order_questions(said: Said, scene: Scene) -> Iterator[Question]:
    yield _asked(said, "wish", "What is wanted?", verdict="Say what is wanted." if said.get("wish") == "" else "")
    if not scene.task:
        short = said.get("wish", "").split(" ")[-1].casefold()
        wrong = "" if NAMED not in said or said[NAMED].isalpha() else "A name has small letters."
        yield _asked(said, NAMED, "What is it called?", recommendation=short, verdict=wrong)
    for key in rounds(said, "part"):
        yield _asked(said, key, "A part of it?", section="Parts")


def _asked(said: Said, key: str, title: str, **more: str) -> Question:
    return Question(key=key, title=title, text="", answer=said.get(key, ""), **more)


def _order(said: Said, scene: Scene) -> str:
    parts = [said[key] for key in rounds(said, "part") if said.get(key)]
    return json.dumps({"task": scene.task or said.get(NAMED, ""), "parts": [said.get("wish", ""), *parts]})


def _carving_questions(said: Said, scene: Scene) -> Iterator[Question]:
    order = scene.read(ORDER.format(task=scene.task)) or b""
    yield Question(
        key="wood", title="Which wood?", text=order.decode(), answer=said.get("wood", ""), choices=(("A", "oak"),)
    )


def _carving(said: Said, scene: Scene) -> str:
    parts = [said["wood"]] if said.get("wood") else []
    return json.dumps({"task": scene.task, "parts": parts})


def _settle(ask: Ask, scene: Scene) -> Settling | None:
    if ask.key.startswith("tool-"):
        create = Way(word="make", about="Makes the tool.", act="create", questions=_steel, payload=dict, takes=TOOL)
        return Settling("A **chisel** is missing.", (create, Way(word="drop", about="Does without it.", act="drop")))
    if ask.key == "final":
        piece = scene.read(PIECE.format(task=scene.task)) or b""
        no = Way(word="back", about="Back to the bench.", act="reject", questions=_why, payload=dict)
        return Settling(piece.decode(), (Way(word="ship", about="It goes out.", act="approve"), no))
    return None


def _steel(said: Said) -> Iterator[Question]:
    yield _asked(said, "steel", "Which steel?", recommendation="tool steel")


def _why(said: Said) -> Iterator[Question]:
    yield _asked(said, "reason", "Why?")


def _wrong_tool(payload: Mapping[str, Any]) -> Sequence[Finding]:
    wrong = [] if payload.get("steel") else ["it has no steel"]
    return [Finding(rule="atelier.tool", problem=one, repair="name one", file="payload") for one in wrong]


TOOL = Given(schema=lambda: {"type": "object", "required": ["steel"]}, check=_wrong_tool)
PERSONAS = {
    one.name: one
    for one in (
        Persona(
            name="order-taker",
            about="Takes down what somebody wants.",
            interview=Interview(questions=_order_questions, output=_order),
            artifact=Artifact(contract="parts", path=ORDER, render=_render, task=lambda value: value.task),
            task=_task,
            next="master-carver",
        ),
        Persona(
            name="master-carver",
            about="Carves with the person.",
            needs=lambda task: (Need(ORDER.format(task=task), "order-taker"),),
            interview=Interview(questions=_carving_questions, output=_carving),
            agent="carver",
            begins=True,
            task=_task,
            next="foreman",
        ),
        Persona(
            name="foreman",
            about="Sees to tools and signatures.",
            needs=lambda task: (Need(PIECE.format(task=task), "master-carver"),),
            settle=_settle,
            report=lambda scene: f"{scene.task} is done.",
            task=_task,
            next="dispatcher",
        ),
        Persona(
            name="dispatcher",
            about="Sends pieces out.",
            needs=lambda task: (Need(PIECE.format(task=task), "master-carver"), Need(LEDGER, "the office")),
            task=_task,
        ),
    )
}

WORKFLOW = Workflow(
    name="atelier",
    about="A piece of wood for somebody.",
    package="signoff.workflows.atelier",
    steps=step,
    agents=tuple(Agent(name=name, contract=_contract("parts")) for name in ("carver", "polisher")),
    documents=Documents(
        tracked=lambda params: [
            ORDER.format(task=params["slug"]),
            PIECE.format(task=params["slug"]),
            "tools/chisel.md",
        ],
    ),
    setup=Setup(
        example="signoff run atelier bowl",
    ),
    people=People(
        personas=PERSONAS,
    ),
    by_code=ByCode(
        players={"carver": _player, "polisher": _player},
    ),
)
