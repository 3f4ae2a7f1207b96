"""Keepsake: finds out about a thing unless the person has notes of it at home, and lends what it found out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.commands import Command, Finish, StartTurn, Write
from signoff.core.declarations import Agent, Assignment, Contract, Effects, Now, Tools
from signoff.core.errors import DocumentError
from signoff.core.events import DocsChanged, Started, TurnReturned
from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import ByCode, Documents, Workflow


def home(run: str) -> str:
    """Where a run has its copies."""
    return f"_workflow/keepsake/{run}/home/"


def read_json(data: bytes, path: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise DocumentError([Finding(rule="json", problem=str(error), repair="write JSON", file=path)]) from error


def step(now: Now) -> Effects:
    """The own value counts the edits; a thing of which there are notes is not asked about."""
    commands: tuple[Command, ...] = ()
    edits: int = now.state.own or 0
    match now.event:
        case Started(run=run):
            known = f"{home(run)}{run}.json" in now.state.docs
            ask = StartTurn(key="find", agent="finder", contract="finder", task=f"Find out about {run}.")
            commands = (Finish(reason="known"),) if known else (ask,)
        case TurnReturned():
            text = json.dumps(now.output) + "\n"
            commands = (Write(path=f"found/{now.state.params['slug']}.json", text=text), Finish(reason="complete"))
        case DocsChanged():
            edits += 1
    return Effects(edits, commands)


def accepts(path: str, data: bytes) -> Sequence[Finding]:
    if "/home/" not in path:
        return ()
    try:
        read_json(data, path)
    except DocumentError as error:
        return error.findings
    return ()


def lends(state: State, _look: Look) -> Mapping[str, str]:
    run = state.params["slug"]
    return {f"~/.keepsake/{run}.json": f"found/{run}.json"}


def find(assignment: Assignment, _tools: Tools) -> str:
    return json.dumps({"of": assignment.start.task, "found": "out"})


WORKFLOW = Workflow(
    name="keepsake",
    about="Finds out about a thing, once for all projects.",
    package="signoff.workflows.keepsake",
    steps=step,
    agents=(Agent(name="finder", contract=Contract(name="finder", parse=read_json, schema=dict)),),
    documents=Documents(
        tracked=lambda params: [f"found/{params['slug']}.json", home(params["slug"])],
        accepts=accepts,
        borrows=lambda run: {"~/.keepsake/*.json": home(run)},
        lends=lends,
    ),
    by_code=ByCode(
        players={"finder": find},
    ),
)
