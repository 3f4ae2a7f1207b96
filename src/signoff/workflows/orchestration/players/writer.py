"""The instruction-writer: an agent's actions in order, with the words they come from, its files and its proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places, risks
from signoff.workflows.orchestration.decisions import Decision
from signoff.workflows.orchestration.file_contracts import FileContract, Read
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.layout import Layout
from signoff.workflows.orchestration.players.reviewer import item_of
from signoff.workflows.orchestration.players.statements import WORK, Statement
from signoff.workflows.orchestration.risks import Poc
from signoff.workflows.orchestration.roster import Member

_STATUS: Final = re.compile(r"\bstatus\b", re.IGNORECASE)
SETTLED: Final = "“{item}” is settled"
"""What agents are told of an open item that a person has answered."""


def _work(desk: Desk) -> Payload:
    name, kind = desk.note("agent"), desk.note("kind")
    contract = FileContract.model_validate(desk.notes.get("contract") or {})
    if kind == "verifier":
        task, evidence = _verification(desk)
    elif kind == "poc":
        task, evidence = _trial(Poc.model_validate(desk.notes["poc"]))
    else:
        task, evidence = _doing(name, desk)
    return {
        "agent": name,
        "task": task,
        "inputs": [{"path": one.path, "purpose": _read_for(one, kind)} for one in contract.reads],
        "outputs": [
            {"path": one.path, "purpose": one.description or "what the task asks for"} for one in contract.writes
        ],
        "evidence": evidence,
    }


# --- doers ------------------------------------------------------------------------------------------------------------


def _doing(name: str, desk: Desk) -> tuple[str, list[str]]:
    member = desk.roster.agents[name]
    task = _text(
        f"{member.role.rstrip('.')}.",
        _list("Do this, in this order:", _steps(member), number=True),
        _list("Mind what holds besides:", _minded(name, desk)),
        _list(
            "This is tried before you begin; what came of it is among your files or is to be asked for:",
            _tried(name, desk),
        ),
        _list("This is not decided; if your work needs it, escalate and do not guess:", _open(desk)),
        f"Technologies are settled ({_stack(desk)}); another one is not yours to choose.",
    )
    return task, _proof(desk)


def _steps(member: Member) -> Iterator[str]:
    sources = member.plan_action_sources or member.plan_actions
    for action, source in zip(member.plan_actions, sources, strict=False):
        yield action if source in action else f"{action} (the plan says: “{source}”)"


def _minded(name: str, desk: Desk) -> list[str]:
    """What the plan says to everybody and of what the agent's work connects to, and what was decided since."""
    kind = Layout(desk.reading, desk.roster).domain(name).agent
    said = (*desk.reading.unowned(), *desk.reading.of(kind, "dependency"), *_of_statuses(kind, desk))
    own = desk.roster.agents[name].plan_action_sources
    since = (text for text in _since(desk) if _concerns(text, kind, desk))
    return list(dict.fromkeys((*(one.whole for one in said if one.text not in own), *since)))


def _of_statuses(kind: str, desk: Desk) -> list[Statement]:
    """What others are told of a status: who makes the column for it has to know which there are."""
    if kind != domains.DATABASE.agent:
        return []
    return [one for one in desk.reading.of_kind(*WORK) if _STATUS.search(one.text)]


def _since(desk: Desk) -> Iterator[str]:
    """What the architecture settles and the summary does not: from reviews, and from a person's answers."""
    summary, stack = squeeze(desk.reading.text), desk.stack
    for one in desk.decided.decisions[1:]:  # the first names the technologies
        if squeeze(one.decision) not in summary:
            yield _decided(one)
    bound = (text for layer in stack.technology_stack.values() for text in layer.constraints)
    for text in (*stack.security_requirements, *stack.integration_requirements, *bound):
        if squeeze(text).split("? ")[-1].rstrip(".") not in summary:  # an answer stands there with its question
            yield squeeze(text)


def _concerns(text: str, kind: str, desk: Desk) -> bool:
    best = domains.best(text, desk.reading.active)
    return best is None or best.agent == kind


def _decided(one: Decision) -> str:
    """A decision in a line; an answer with what was open before."""
    item = item_of(squeeze(one.context))
    about = SETTLED.format(item=item) if item != squeeze(one.context) else one.title
    return f"{about}: {squeeze(one.decision)}"


def _tried(name: str, desk: Desk) -> list[str]:
    data = desk.data(places.POC_SPECS)
    specs = risks.parse_specs(data, places.POC_SPECS) if data else risks.PocSpecs()
    return [f"{poc.poc_id}: {poc.assumption}" for poc in specs.pocs if name in poc.gates]


def _open(desk: Desk) -> list[str]:
    """What nobody has settled yet."""
    return [squeeze(text) for text in desk.decided.open_questions]


def _proof(desk: Desk) -> list[str]:
    checkpoint = desk.checkpoints.of(desk.note("agent"))
    if checkpoint is None:
        return ["the output of the tests of your part, in full"]
    return [f"{one.id}: {one.evidence}" for one in checkpoint.criteria]


def _stack(desk: Desk) -> str:
    layers = desk.stack.technology_stack.values()
    return ", ".join(dict.fromkeys(text for layer in layers for text in layer.chosen.values()))


# --- verifiers and PoCs -----------------------------------------------------------------------------------------------


def _verification(desk: Desk) -> tuple[str, list[str]]:
    doers = [name for name in map(str, desk.notes.get("doers") or ()) if name in desk.roster.agents]
    points = [point for doer in doers if (point := desk.checkpoints.of(doer))]
    criteria = [one for point in points for one in point.criteria]
    modes = [f"{one.mode}. Then: {one.remediation}" for point in points for one in point.failure_modes]
    asked = (
        _list(f"{doer} was asked to do this:", desk.roster.agents[doer].plan_actions, number=True) for doer in doers
    )
    task = _text(
        f"Look at the work of {' and '.join(doers) or 'the doer'} as somebody who was not there, and say of each "
        "criterion whether it is met.",
        *asked,
        _list("Run again what can be run, and compare:", dict.fromkeys(one.command for one in criteria if one.command)),
        _list("This is how such work goes wrong; look for it first:", modes),
        "Change nothing. What has no evidence is not done, and you name what is missing.",
    )
    return task, [f"for {one.id}, met or not, and the place where it is seen" for one in criteria] or ["a verdict"]


def _trial(poc: Poc) -> tuple[str, list[str]]:
    task = _text(
        f"Find out whether this holds: {poc.assumption}",
        _list("It holds if:", poc.passes),
        _list("It does not hold if:", poc.fails),
        f"{' and '.join(poc.gates)} begin only when this is known. Try it in the smallest way that decides it, "
        "build nothing that stays, "
        "and change no file of the project.",
    )
    return task, list(poc.evidence)


# --- in common --------------------------------------------------------------------------------------------------------


def _read_for(read: Read, kind: str) -> str:
    if read.source is None:
        said = "it is there already; read it, and do not change it"
    else:
        said = f"what {read.source} made, and {'you look at' if kind == 'verifier' else 'your work builds on'}"
    return said if read.required else f"{said}, where it is there"


def _text(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _list(lead: str, points: Iterable[Any], *, number: bool = False) -> str:
    lines = [f"{f'{at}.' if number else '-'} {point}" for at, point in enumerate(points, 1)]
    return "\n".join((lead, "", *lines)) if lines else ""


instruction_writer = player(_work)
