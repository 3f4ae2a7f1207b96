"""What code asks of the risk agents' outputs: about what was asked, whole, and leading back to what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from signoff.artifacts.forms import repeated
from signoff.artifacts.markdown_spans import squeeze
from signoff.core.findings import Finding
from signoff.workflows.orchestration.adapting import taken
from signoff.workflows.orchestration.nearest import nearest
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput
from signoff.workflows.orchestration.risks import (
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
from signoff.workflows.orchestration.roster import Roster

_NO_SOURCE: Final = frozenset(
    {
        "unknown", "none", "n/a", "na", "-", "?", "tbd", "internet", "the internet", "web", "various", "experience",
        "general knowledge", "common knowledge", "best practice", "best practices", "model", "training data",
    }
)  # fmt: skip


# --- research and checklists ------------------------------------------------------------------------------------------


def research_findings(given: Findings, technology: str, version: str) -> tuple[Finding, ...]:
    """Research is about the technology and version that was asked for, says something, and says where it is from."""
    asked, found = f"{technology} {version}".strip(), f"{given.technology} {given.version}".strip()
    every = [("best_practices", n, one.source) for n, one in enumerate(given.best_practices)]
    every += [("failure_patterns", n, one.source) for n, one in enumerate(given.failure_patterns)]
    findings = [
        Finding(
            rule="research.source",
            problem=f"`{field}[{place}].source` is {source!r}, which nobody can look up",
            repair="name the page, document or file with the place in it, or leave the point out",
            about=f"{field}[{place}]",
        )
        for field, place, source in every
        if squeeze(source).rstrip(".").casefold() in _NO_SOURCE
    ]
    if squeeze(found).casefold() != squeeze(asked).casefold():
        findings.insert(0, _about_another("research", found, asked, "technology and version as the task has them"))
    if not every:
        findings.append(
            Finding(
                rule="research.empty",
                problem=f"there is neither a practice nor a failure pattern of {asked}",
                repair="give at least one of them, with its source",
                about=asked,
            )
        )
    return tuple(findings)


def checklist_findings(given: Checklist, agent_type: str) -> tuple[Finding, ...]:
    """A checklist is for the type that was asked for and has a question in each of the six categories."""
    asked = {item.category for item in given.items}
    findings = [*_twice("checklist", [item.id for item in given.items], "items")]
    if given.agent_type != agent_type:
        findings.insert(0, _about_another("checklist", given.agent_type, agent_type, "`agent_type` as the task has it"))
    findings += (
        Finding(
            rule="checklist.category",
            problem=f"no item is about {category}; valid: at least one for each of {', '.join(CATEGORIES)}",
            repair=f"ask what could go wrong with {category} in this type's work",
            about=category,
        )
        for category in CATEGORIES
        if category not in asked
    )
    return tuple(findings)


# --- consultations ----------------------------------------------------------------------------------------------------


def consultation_findings(given: Consultation, agent: str, checklist: Checklist) -> tuple[Finding, ...]:
    """A consultation is the doer's own, its risks can be told apart and lead back to the checklist that was asked."""
    known = [item.id for item in checklist.items]
    findings = [*_twice("consultation", [risk.id for risk in given.risks], "risks")]
    if given.agent != agent:
        findings.insert(0, _about_another("consultation", given.agent, agent, "`agent` as the task has it"))
    findings += (
        Finding(
            rule="consultation.item",
            problem=f"risk {risk.id} names the checklist item {risk.checklist_item!r}; valid: {_listed(known)}",
            repair=_instead(risk.checklist_item, known, "name the item that it answers, or none"),
            about=risk.id,
        )
        for risk in given.risks
        if risk.checklist_item and risk.checklist_item not in known
    )
    return tuple(findings)


# --- PoCs -------------------------------------------------------------------------------------------------------------


def pocs_findings(given: PocsOutput, consultations: Sequence[Consultation], roster: Roster) -> tuple[Finding, ...]:
    """Every grave risk is tried or borne, and every PoC tries what a doer assumes, before work that there is."""
    risks = named(consultations)
    return (
        *_unanswered(given, risks),
        *_strange_borne(given.borne, risks),
        *_twice("poc", [poc.poc_id for poc in given.pocs], "pocs"),
        *(
            finding
            for poc in given.pocs
            for finding in _poc_findings(poc, [risk for _, risk in risks.values()], roster)
        ),
    )


def _unanswered(given: PocsOutput, risks: Mapping[str, tuple[str, Risk]]) -> Iterator[Finding]:
    for name, (agent, risk) in risks.items():
        if is_grave(risk) and name not in given.borne and not poc_for(risk, given.pocs):
            yield Finding(
                rule="poc.risk",
                problem=f"risk {name} of {agent} has impact high and likelihood {risk.likelihood}, and nothing is done "
                f"about its assumption {squeeze(risk.assumption)!r}",
                repair=f"add a PoC with exactly that assumption, or say under `borne` why {name} needs none",
                about=name,
            )


def _strange_borne(borne: Mapping[str, str], risks: Mapping[str, object]) -> Iterator[Finding]:
    for name in borne:
        if name not in risks:
            yield Finding(
                rule="poc.borne",
                problem=f"`borne` names the risk {name!r}; valid: {_listed(risks)}",
                repair=_instead(name, risks, "name a risk of the consultations, or take it out"),
                about=name,
            )


def _poc_findings(poc: Poc, risks: Sequence[Risk], roster: Roster) -> Iterator[Finding]:
    doers = roster.of_kind("doer")
    if not any(poc_for(risk, [poc]) for risk in risks):
        yield Finding(
            rule="poc.assumption",
            problem=f"{poc.poc_id} tries {squeeze(poc.assumption)!r}, which no consultation assumes",
            repair="take over the `assumption` of a risk word for word",
            about=poc.poc_id,
        )
    member = roster.agents.get(poc.agent)
    if poc.agent in taken(roster) and poc.agent not in doers and (member is None or member.poc_id != poc.poc_id):
        yield Finding(
            rule="poc.agent",
            problem=f"{poc.agent}, which is to do {poc.poc_id}, is no doer; valid: {_listed(doers)}, or a new name",
            repair="name the doer that knows the technology, or an agent of its own for the PoC",
            about=poc.poc_id,
        )
    yield from _twice("poc", poc.gates, f"gates of {poc.poc_id}")
    for gate in poc.gates:
        if gate not in doers:
            yield Finding(
                rule="poc.gate",
                problem=f"{poc.poc_id} gates {gate}, which is no doer of the roster; valid: {_listed(doers)}",
                repair=_instead(gate, doers, "name the doers whose work rests on the assumption"),
                about=poc.poc_id,
            )


def integration_findings(given: IntegrationOutput, specs: PocSpecs, roster: Roster) -> tuple[Finding, ...]:
    """Every PoC comes in once, under a name that nobody has."""
    wanted = [poc.poc_id for poc in specs.pocs]
    placed = [edit.poc_id for edit in given.edits]
    findings = [*_twice("integration", placed, "PoCs"), *_twice("integration", [e.name for e in given.edits], "names")]
    findings += (
        Finding(
            rule="integration.missing",
            problem=f"{poc_id} is given no place",
            repair=f"add an `add_poc` edit for {poc_id}",
            about=poc_id,
        )
        for poc_id in wanted
        if poc_id not in placed
    )
    findings += (
        Finding(
            rule="integration.unknown",
            problem=f"the edit of {edit.name} places {edit.poc_id}; valid: {_listed(wanted)}",
            repair=_instead(edit.poc_id, wanted, "place PoCs of `poc_specs.json` only"),
            about=edit.poc_id,
        )
        for edit in given.edits
        if edit.poc_id not in wanted
    )
    findings += (
        Finding(
            rule="integration.name",
            problem=f"{edit.poc_id} is to be called {edit.name}, and there is such an agent already",
            repair=f"give it a name of its own, as in {edit.poc_id}_agent",
            about=edit.poc_id,
        )
        for edit in given.edits
        if edit.name in taken(roster)
    )
    return tuple(findings)


# --- practices --------------------------------------------------------------------------------------------------------


def practices_findings(given: PracticesOutput, roster: Roster, research: Iterable[Findings]) -> tuple[Finding, ...]:
    """Practices stand word for word in the research, and every doer gets some where there are any."""
    known = {squeeze(practice.practice) for one in research for practice in one.best_practices}
    findings = [
        Finding(
            rule="practices.agent",
            problem=f"practices are given to {name}; valid: {_listed(roster.agents)}",
            repair=_instead(name, roster.agents, "give them to agents of the roster only"),
            about=name,
        )
        for name in given.practices
        if name not in roster.agents
    ]
    for name, practices in given.practices.items():
        findings += _twice("practices", [squeeze(text) for text in practices], f"practices of {name}")
        findings += (
            Finding(
                rule="practices.words",
                problem=f"{name} is given {squeeze(text)!r}, which is no practice of the research",
                repair=_instead(squeeze(text), known, "take over a `practice` word for word"),
                about=name,
            )
            for text in practices
            if squeeze(text) not in known
        )
    findings += (
        Finding(
            rule="practices.none",
            problem=f"{name} is given no practice, and the research has {len(known)}",
            repair=f"choose at least one that concerns the work of {name}",
            about=name,
        )
        for name in roster.of_kind("doer")
        if known and not given.practices.get(name)
    )
    return tuple(findings)


# --- in common --------------------------------------------------------------------------------------------------------


def _about_another(what: str, found: str, asked: str, repair: str) -> Finding:
    return Finding(
        rule=f"{what}.about",
        problem=f"it is about {squeeze(found)!r}, asked was {asked!r}",
        repair=f"give {repair}",
        about=asked,
    )


def _twice(what: str, values: Sequence[str], where: str) -> Iterator[Finding]:
    for value in dict.fromkeys(value for _, value in repeated(values)):
        yield Finding(
            rule=f"{what}.twice",
            problem=f"{value!r} is twice among the {where}",
            repair="name each of them once",
            about=value,
        )


def _listed(known: Iterable[str]) -> str:
    return ", ".join(known) or "none, for there are none"


def _instead(given: str, known: Collection[str], otherwise: str) -> str:
    near = nearest(given, known)
    return f"write {near!r}" if near else otherwise
