"""Drawing: the turns and requests that are the personas', one after the other; what else a design needs is given."""

from __future__ import annotations

import json
from typing import Any

from signoff.core.commands import Ask, Command, Finish, StartTurn, Write
from signoff.core.events import Answered, Started, TurnReturned
from signoff.core.findings import Finding
from signoff.core.workflow import Agent, Contract, Effects, Now, Workflow
from signoff.workflows.orchestration import ids, outputs, places
from signoff.workflows.orchestration.personas import PERSONAS

AGENTS = {"solution-architect": "architecture", "design-verifier": "design-reading"}
CREATED = "data_migration_agent"
SIGNED = ("approve", "reject")


def step(now: Now) -> Effects:
    task = ids.task_of(str(now.state.params["slug"]))
    return Effects(None, tuple(_wanted(now, task)))


def _wanted(now: Now, task: str) -> list[Command]:
    match now.event:
        case Started():
            return [_turn("solution-architect", places.summary(task), task=task)]
        case TurnReturned(by="agent:solution-architect") if now.refused:
            return [Finish(reason="escalated")]
        case TurnReturned(by="agent:solution-architect"):
            stack = Write(path=places.STACK, text=now.output.stack.model_dump_json())
            chosen = Write(path=places.DECISIONS, text=f"# {now.output.architecture.executive_summary}\n")
            return [stack, chosen, _approval(now, "architecture", places.STACK)]
        case TurnReturned():
            read = json.dumps([one.problem for one in now.output.findings])
            return [Write(path="read.json", text=read), _approval(now, "design", places.STATUS)]
        case Answered(act=act, payload=payload):
            return _answered(now, task, str(now.request and now.request.key), act, payload)
    return []


def _answered(now: Now, task: str, key: str, act: str, payload: Any) -> list[Command]:
    if key == "architecture":
        again = _turn("solution-architect", places.summary(task), task=task, rejected=payload.get("reason"))
        return [_approval(now, "roster", places.ROSTER) if act == "approve" else again]
    if key == "roster":
        about = {"create": "Makes it.", "drop": "Goes on without it."}
        missing = Ask(
            key=f"agent-{CREATED}",
            kind="choice",
            options=("create", "drop"),
            question=f"Nobody knows {CREATED}.",
            notes={"about": about},
        )
        return [missing if act == "approve" else _approval(now, "roster", places.ROSTER)]
    if key.startswith("agent-"):
        entry, template = payload.get("entry"), payload.get("template")
        made = [Write(path=places.REGISTRY, text=json.dumps(entry))] if entry else []
        made += [Write(path=entry["template"], text=template)] if entry and template else []
        return [*made, _turn("design-verifier", places.ROSTER, task=task, checks={"plan-current": "pass"})]
    return [Finish(reason="complete")]


def _turn(agent: str, reads: str, **notes: Any) -> StartTurn:
    contract = AGENTS[agent]
    return StartTurn(key=agent, agent=agent, contract=contract, task=f"Be the {agent}.", reads=(reads,), notes=notes)


def _approval(now: Now, key: str, path: str) -> Ask:
    of = {path: now.state.docs[path]} if path in now.state.docs else {}
    return Ask(key=key, kind="approval", options=SIGNED, question=f"May the {key} stand?", of=of)


def _contract(name: str) -> Contract:
    form = outputs.FORMS[name]
    return Contract(name=name, parse=outputs.reader(form), schema=form.model_json_schema)


def _ready(params: Any, read: Any) -> list[Finding]:
    path = places.summary(ids.task_of(str(params["slug"])))
    return [] if read(path) else [Finding(rule="plan.missing", problem="no plan", repair="talk one over", file=path)]


WORKFLOW = Workflow(
    name="drawing",
    version=1,
    about="What personas settle.",
    package="signoff.workflows.orchestration",
    folder=lambda run: f"_workflow/drawing/{run}",
    step=step,
    agents={name: Agent(name=name, contract=contract) for name, contract in AGENTS.items()},
    contracts={name: _contract(name) for name in ("plan", *AGENTS.values())},
    gates={},
    tracked=lambda _params: [f"{places.HOME}/", "read.json"],
    sources=lambda _params: [],
    ready=_ready,
    personas=PERSONAS,
    example="signoff run drawing user-management",
)
