"""What code requires of the risk agents' outputs: they answer what was asked, are complete, and name their grounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.yaml_forms import repeated
from signoff.core.findings import Finding
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration.design.plan_edits import taken
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.risks import (
    CATEGORIES,
    Checklist,
    Consultation,
    Findings,
    Poc,
    PocSpecs,
    Risk,
    is_grave,
    named,
    poc_for,
)
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput

_NO_SOURCE: Final = frozenset(
    {
        "unknown", "none", "n/a", "na", "-", "?", "tbd", "internet", "the internet", "web", "various", "experience",
        "general knowledge", "common knowledge", "best practice", "best practices", "model", "training data",
    }
)  # fmt: skip


def research_findings(given: Findings, technology: str, version: str) -> Iterator[Finding]:
    """Research is about the technology and version that were asked for, is not empty, and names its sources."""
    asked, found = f"{technology} {version}".strip(), f"{given.technology} {given.version}".strip()
    if squeeze(found).casefold() != squeeze(asked).casefold():
        yield _about_another("research", found, asked, "technology and version as the task has them")
    every = [(f"best_practices[{at}]", one.source) for at, one in enumerate(given.best_practices)]
    every += [(f"failure_patterns[{at}]", one.source) for at, one in enumerate(given.failure_patterns)]
    for place, source in every:
        if squeeze(source).rstrip(".").casefold() in _NO_SOURCE:
            problem = f"`{place}.source` is {source!r}, which cannot be looked up"
            repair = "name the page, document or file with the place in it, or leave the point out"
            yield _finding("research.source", place, problem, repair)
    if not every:
        problem = f"there is neither a practice nor a failure pattern of {asked}"
        yield _finding("research.empty", asked, problem, "give at least one of them, with its source")


def checklist_findings(given: Checklist, agent_type: str) -> Iterator[Finding]:
    """A checklist is for the type that was asked for, with a question in each of the six categories."""
    if given.agent_type != agent_type:
        yield _about_another("checklist", given.agent_type, agent_type, "`agent_type` as the task has it")
    yield from _twice("checklist", [item.id for item in given.items], "items")
    asked = {item.category for item in given.items}
    for category in CATEGORIES:
        if category not in asked:
            problem = f"no item is about {category}; valid: at least one for each of {', '.join(CATEGORIES)}"
            repair = f"ask what could go wrong with {category} in this type's work"
            yield _finding("checklist.category", category, problem, repair)


def consultation_findings(given: Consultation, agent: str, checklist: Checklist) -> Iterator[Finding]:
    """A consultation is the doer's own; its risks have their own ids and lead back to the checklist."""
    if given.agent != agent:
        yield _about_another("consultation", given.agent, agent, "`agent` as the task has it")
    yield from _twice("consultation", [risk.id for risk in given.risks], "risks")
    known = [item.id for item in checklist.items]
    for risk in given.risks:
        if risk.checklist_item and risk.checklist_item not in known:
            problem = f"risk {risk.id} names the checklist item {risk.checklist_item!r}; valid: {_listed(known)}"
            repair = _instead(risk.checklist_item, known, "name the item that it answers, or none")
            yield _finding("consultation.item", risk.id, problem, repair)


def pocs_findings(given: PocsOutput, consultations: Sequence[Consultation], roster: Roster) -> Iterator[Finding]:
    """Every grave risk is tried or borne; every PoC tries an assumption of a doer and gates doers of the roster."""
    risks = named(consultations)
    for name, (agent, risk) in risks.items():
        if is_grave(risk) and name not in given.borne and not poc_for(risk, given.pocs):
            problem = (
                f"risk {name} of {agent} has impact high and likelihood {risk.likelihood}, and its assumption "
                f"{squeeze(risk.assumption)!r} is neither tried nor borne"
            )
            repair = f"add a PoC with exactly that assumption, or say under `borne` why {name} needs none"
            yield _finding("poc.risk", name, problem, repair)
    for name in given.borne:
        if name not in risks:
            problem = f"`borne` names the risk {name!r}; valid: {_listed(risks)}"
            repair = _instead(name, risks, "name a risk of the consultations, or remove it")
            yield _finding("poc.borne", name, problem, repair)
    yield from _twice("poc", [poc.poc_id for poc in given.pocs], "pocs")
    for poc in given.pocs:
        yield from _poc_findings(poc, [risk for _, risk in risks.values()], roster)


def _poc_findings(poc: Poc, risks: Sequence[Risk], roster: Roster) -> Iterator[Finding]:
    doers = roster.of_kind("doer")
    if not any(poc_for(risk, [poc]) for risk in risks):
        problem = f"{poc.poc_id} tries {squeeze(poc.assumption)!r}, which no consultation assumes"
        yield _finding("poc.assumption", poc.poc_id, problem, "copy the `assumption` of a risk word for word")
    member = roster.agents.get(poc.agent)
    if poc.agent in taken(roster) and poc.agent not in doers and (member is None or member.poc_id != poc.poc_id):
        problem = f"{poc.agent}, which is to do {poc.poc_id}, is not a doer; valid: {_listed(doers)}, or a new name"
        repair = "name the doer that knows the technology, or an agent of its own for the PoC"
        yield _finding("poc.agent", poc.poc_id, problem, repair)
    yield from _twice("poc", poc.gates, f"gates of {poc.poc_id}")
    for gate in poc.gates:
        if gate not in doers:
            problem = f"{poc.poc_id} gates {gate}, which is not a doer of the roster; valid: {_listed(doers)}"
            repair = _instead(gate, doers, "name the doers whose work rests on the assumption")
            yield _finding("poc.gate", poc.poc_id, problem, repair)


def integration_findings(given: IntegrationOutput, specs: PocSpecs, roster: Roster) -> Iterator[Finding]:
    """Every PoC is placed once, under a name that no agent has."""
    wanted = [poc.poc_id for poc in specs.pocs]
    placed = [edit.poc_id for edit in given.edits]
    yield from _twice("integration", placed, "PoCs")
    yield from _twice("integration", [edit.name for edit in given.edits], "names")
    for poc_id in wanted:
        if poc_id not in placed:
            repair = f"add an `add_poc` edit for {poc_id}"
            yield _finding("integration.missing", poc_id, f"{poc_id} is not placed", repair)
    for edit in given.edits:
        if edit.poc_id not in wanted:
            problem = f"the edit of {edit.name} places {edit.poc_id}; valid: {_listed(wanted)}"
            repair = _instead(edit.poc_id, wanted, "place PoCs of `poc_specs.json` only")
            yield _finding("integration.unknown", edit.poc_id, problem, repair)
    for edit in given.edits:
        if edit.name in taken(roster):
            problem = f"{edit.poc_id} is to be called {edit.name}, which is the name of an agent already"
            repair = f"give it a new name, as in {edit.poc_id}_agent"
            yield _finding("integration.name", edit.poc_id, problem, repair)


def practices_findings(given: PracticesOutput, roster: Roster, research: Iterable[Findings]) -> Iterator[Finding]:
    """Practices are copied word for word from the research, and every doer gets at least one if there are any."""
    known = {squeeze(practice.practice) for one in research for practice in one.best_practices}
    for name in given.practices:
        if name not in roster.agents:
            problem = f"practices are given to {name}; valid: {_listed(roster.agents)}"
            repair = _instead(name, roster.agents, "give them to agents of the roster only")
            yield _finding("practices.agent", name, problem, repair)
    for name, practices in given.practices.items():
        texts = [squeeze(text) for text in practices]
        yield from _twice("practices", texts, f"practices of {name}")
        for text in texts:
            if text not in known:
                problem = f"{name} is given {text!r}, which is not a practice of the research"
                repair = _instead(text, known, "copy a `practice` word for word")
                yield _finding("practices.words", name, problem, repair)
    for name in roster.of_kind("doer"):
        if known and not given.practices.get(name):
            problem = f"{name} is given no practice; the research has {len(known)}"
            yield _finding("practices.none", name, problem, f"choose at least one that concerns the work of {name}")


def _finding(rule: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair, about=about)


def _about_another(what: str, found: str, asked: str, repair: str) -> Finding:
    problem = f"it is about {squeeze(found)!r}; asked for was {asked!r}"
    return _finding(f"{what}.about", asked, problem, f"give {repair}")


def _twice(what: str, values: Sequence[str], where: str) -> Iterator[Finding]:
    for value in dict.fromkeys(value for _, value in repeated(values)):
        yield _finding(f"{what}.twice", value, f"{value!r} is twice among the {where}", "name each of them once")


def _listed(known: Iterable[str]) -> str:
    return ", ".join(known) or "none"


def _instead(given: str, known: Collection[str], otherwise: str) -> str:
    near = nearest(given, known)
    return f"write {near!r}" if near else otherwise
