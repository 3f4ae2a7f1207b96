"""The risk steps: research, checklists, consultation of the doers, PoCs, and practices in the instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import risk_checks
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.roster import recompleted
from signoff.workflows.orchestration.design.turns import after_turn, fan, output_of, required, turn, written
from signoff.workflows.orchestration.documents import agent_instructions, agent_roster, contracts, risks
from signoff.workflows.orchestration.documents.risks import Checklist, Consultation, Findings, PocSpecs, Research
from signoff.workflows.orchestration.documents.technology_stack import Technology, technologies
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput
from signoff.workflows.orchestration.state import Design, Shelf, own_of, sources
from signoff.workflows.orchestration.views import risk_report

INTEGRATION, PRACTICES = "integration", "practices"
UNPLACEABLE = ("poc.gate", "poc.agent", "poc.twice")
"""Rules about PoCs that cannot be placed before any agent."""


# --- research, from the library if possible --------------------------------------------------------------------------


def _known(shelf: Shelf, one: Technology) -> str | None:
    """The path of research on exactly this technology: in the project, or in the copy of the person's library."""

    def of_it(path: str) -> bool:
        ref = shelf.state.ref(path)
        try:
            return ref is not None and risks.is_of(one, shelf.look(ref, risks.parse_research))
        except DocumentError:  # a person's unreadable file stays; the technology is researched again
            return False

    in_library = places.home(own_of(shelf.state).run, f"{places.LIBRARY}{one.slug}.json")
    return next((path for path in (places.research(one.slug), in_library) if of_it(path)), None)


def _wanted_research(now: Now) -> Iterator[StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    for one in technologies(shelf.stack):
        if _known(shelf, one) is None:
            key, agent = f"research-{one.slug}", "best-practices-researcher"
            task = f"Find out what people who know {one.name} do, and how it fails."
            notes = {"task": own.task, "technology": one.name, "version": one.version, "layer": one.layer}
            yield turn(key, agent, "research", task, notes=notes, reads=sources(now.state))


def _researched(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    texts: dict[str, str | None] = {}
    for one in technologies(shelf.stack):
        path, key = places.research(one.slug), f"research-{one.slug}"
        if key in own.returned:
            found = output_of(now, own, key, Findings)
            known = Research(researched=epoch(now.event.at), **found.model_dump())
            texts[path] = risks.render(known)
            own = replace(own, researched=tuple(dict.fromkeys((*own.researched, path))))
        elif (source := _known(shelf, one)) and source != path:
            texts[path] = shelf.text(source)
    return Move(own, written(texts), "done")


enter_research, on_research = fan(_wanted_research, _researched)


def check_research(now: Now, output: Findings) -> Iterable[Finding]:
    notes = now.turn.start.notes if now.turn else {}
    return risk_checks.research_findings(output, str(notes.get("technology", "")), str(notes.get("version", "")))


def lends(own: Design) -> Mapping[str, str]:
    """The research of this run, for the person's library; research that the project already had is not copied."""
    return {f"{places.LIBRARY}{path.removeprefix(places.RESEARCH)}": path for path in own.researched}


# --- checklists per agent type, and consultation of the doers ---------------------------------------------------------


def _wanted_checklists(now: Now) -> Iterator[StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    types: dict[str, list[str]] = {}
    for name in shelf.roster.of_kind("doer"):
        types.setdefault(shelf.roster.type_of(name), []).append(name)
    reads = (own.summary, places.STACK, places.ROSTER, *shelf.research)
    for kind, names in types.items():
        if places.checklist(kind) not in now.state.docs:
            task = f"Say what a {kind} must be asked before it begins, in all six categories."
            notes = {"task": own.task, "agent_type": kind, "agents": names}
            yield turn(f"checklist-{kind}", "risk-checklist", "checklist", task, notes=notes, reads=reads)


def _listed(now: Now) -> Move:
    own = own_of(now.state)
    found = [output_of(now, own, key, Checklist) for key in own.returned]
    return Move(own, written({places.checklist(one.agent_type): risks.render(one) for one in found}), "done")


enter_checklists, on_checklists = fan(_wanted_checklists, _listed)


def check_checklist(now: Now, output: Checklist) -> Iterable[Finding]:
    wanted = str(now.turn.start.notes["agent_type"]) if now.turn else output.agent_type
    return risk_checks.checklist_findings(output, wanted)


def _wanted_consultations(now: Now) -> Iterator[StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    base = (own.summary, places.STACK, places.DECISIONS, places.CONTRACTS)
    for name in shelf.roster.of_kind("doer"):
        if places.consultation(name) not in now.state.docs:
            task = f"Go through the checklist as {name}, and say what may go wrong in its task."
            notes = {"task": own.task, "agent": name}
            reads = (*base, places.instructions(name), places.checklist(shelf.roster.type_of(name)))
            yield turn(f"consultation-{name}", "doer-consultation", "consultation", task, notes=notes, reads=reads)


def _consulted(now: Now) -> Move:
    own = own_of(now.state)
    found = [output_of(now, own, key, Consultation) for key in own.returned]
    texts: dict[str, str | None] = {places.consultation(one.agent): risks.render(one) for one in found}
    if found and places.POC_SPECS in now.state.docs:  # the PoCs are decided on what doers say now
        texts[places.POC_SPECS] = None
    return Move(own, written(texts), "done")


enter_consultations, on_consultations = fan(_wanted_consultations, _consulted)


def check_consultation(now: Now, output: Consultation) -> Iterable[Finding]:
    wanted = str(now.turn.start.notes["agent"]) if now.turn else output.agent
    ref = now.state.ref(places.checklist(Shelf(now.state, now.look).roster.type_of(wanted)))
    assert ref is not None  # narrows the type: the step before wrote it, and what is removed is put back
    return risk_checks.consultation_findings(output, wanted, now.look(ref, risks.parse_checklist))


# --- PoCs -------------------------------------------------------------------------------------------------------------


def _consultations(shelf: Shelf) -> tuple[Consultation, ...]:
    """The consultations of the doers in the roster; those of removed agents do not count."""
    doers = set(shelf.roster.of_kind("doer"))
    return tuple(one for one in shelf.consultations.values() if one.agent in doers)


def enter_pocs(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    if places.POC_SPECS in now.state.docs and not own.required.get("risk"):
        return Move(own, (), "done")
    notes = {"task": own.task, "doers": list(shelf.roster.of_kind("doer")), "required": required(own, "risk")}
    reads = (own.summary, places.STACK, places.ROSTER, *shelf.consultations, *shelf.research, places.POC_SPECS)
    task = "Say which assumptions are tried before the work that rests on them, and why the other risks are borne."
    return Move(own, (turn("pocs", "poc-recommendation", "pocs", task, notes=notes, reads=reads),))


@after_turn
def on_pocs(now: Now) -> Move:
    output: PocsOutput = now.output
    text = risks.render(PocSpecs(pocs=output.pocs, borne=output.borne))
    return Move(own_of(now.state).mended("risk"), (Write(path=places.POC_SPECS, text=text),), "done")


def check_pocs(now: Now, output: PocsOutput) -> Iterable[Finding]:
    shelf = Shelf(now.state, now.look)
    return risk_checks.pocs_findings(output, _consultations(shelf), shelf.roster)


# --- places for the PoCs, practices for the instructions -----------------------------------------------


def _wanted_integration(now: Now) -> Iterator[StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    agent, task = "best-practices-integration", "Say which practices of the research belong into whose instructions."
    doers = {name: shelf.roster.agents[name].role for name in shelf.roster.of_kind("doer")}
    notes = {"task": own.task, "agents": doers}
    yield turn(PRACTICES, agent, "practices", task, notes=notes, reads=(places.ROSTER, *shelf.research))
    if shelf.specs.pocs:
        agent, task = "poc-integration", "Give every PoC its place before what it gates."
        reads = (places.ROSTER, places.SEQUENCE, places.POC_SPECS)
        yield turn(INTEGRATION, agent, "poc-integration", task, notes={"task": own.task}, reads=reads)


def _integrated(now: Now) -> Move:
    """The roster gets its PoCs by named edits, and the instructions their practices; later parts are computed again."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    edits = output_of(now, own, INTEGRATION, IntegrationOutput).edits if INTEGRATION in own.returned else ()
    bare = shelf.roster.without_pocs()  # the new PoCs replace those of an earlier round
    others = {name: one for name, one in shelf.contracts.agents.items() if name not in shelf.roster.of_kind("poc")}
    agreed = shelf.contracts.model_copy(update={"agents": others})
    roster, agreed = plan_edits.apply(bare, agreed, edits, shelf.specs, created=own.created)
    practices = output_of(now, own, PRACTICES, PracticesOutput).practices
    own = replace(own, integrated=True, practices=dict(practices))
    report = risk_report.report(_consultations(shelf), shelf.specs, tuple(shelf.research.values()), practices)
    texts: dict[str, str | None] = {
        places.ROSTER: agent_roster.render(recompleted(now, own, roster)),
        places.CONTRACTS: contracts.render(agreed),
        places.RISK_REPORT: report,
    }
    for name in shelf.roster.of_kind("doer"):
        if text := shelf.text(places.instructions(name)):
            texts[places.instructions(name)] = agent_instructions.with_practices(text, practices.get(name, ()))
    return Move(own, written(texts), "done")


_enter_integration, on_integration = fan(_wanted_integration, _integrated)


def enter_integration(now: Now) -> Move:
    """PoCs that a person wrote may gate unknown agents: then PoCs are asked for again, with the findings."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    given = PocsOutput(pocs=shelf.specs.pocs, borne=shelf.specs.borne)
    found = risk_checks.pocs_findings(given, _consultations(shelf), shelf.roster)
    if wrong := tuple(one for one in found if one.rule in UNPLACEABLE):
        return Move(replace(own, required={**own.required, "risk": wrong}), (), "unfit")
    return _enter_integration(now)


def check_integration(now: Now, output: IntegrationOutput) -> Iterable[Finding]:
    shelf = Shelf(now.state, now.look)
    return risk_checks.integration_findings(output, shelf.specs, shelf.roster.without_pocs())


def check_practices(now: Now, output: PracticesOutput) -> Iterable[Finding]:
    shelf = Shelf(now.state, now.look)
    return risk_checks.practices_findings(output, shelf.roster, shelf.research.values())
