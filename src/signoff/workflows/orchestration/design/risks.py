"""The risk steps: research, checklists, consultation of the doers, PoCs, and practices in the instructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
from signoff.workflows.orchestration.design.turns import after_turn, fan, required, said, turn, written
from signoff.workflows.orchestration.documents import agent_instructions, agent_roster, contracts, risks
from signoff.workflows.orchestration.documents.risks import Checklist, Consultation, Findings, PocSpecs, Research
from signoff.workflows.orchestration.documents.technology_stack import Technology, technologies
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput
from signoff.workflows.orchestration.state import Design, Shelf, own_of, sources
from signoff.workflows.orchestration.views import risk_report

INTEGRATION, PRACTICES = "integration", "practices"
UNPLACEABLE = ("poc.gate", "poc.agent", "poc.twice")
"""What keeps a PoC from getting a place before any agent."""


# --- research, from the library if it has it --------------------------------------------------------------------------


def _known(shelf: Shelf, one: Technology) -> str | None:
    """Where there is research of exactly this technology: in the project, or in the copy of the person's library."""

    def of_it(path: str) -> bool:
        ref = shelf.state.ref(path)
        try:
            return ref is not None and risks.is_of(one, shelf.look(ref, risks.parse_research))
        except DocumentError:  # a person keeps it so; it is researched again
            return False

    in_library = places.home(own_of(shelf.state).run, f"{places.LIBRARY}{one.slug}.json")
    return next((path for path in (places.research(one.slug), in_library) if of_it(path)), None)


def _wanted_research(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    return {
        (key := f"research-{one.slug}"): turn(
            key,
            "best-practices-researcher",
            "research",
            f"Find out what people who know {one.name} do, and how it fails.",
            notes={"task": own.task, "technology": one.name, "version": one.version, "layer": one.layer},
            reads=sources(now.state),
        )
        for one in technologies(shelf.stack)
        if _known(shelf, one) is None
    }


def _researched(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    texts: dict[str, str | None] = {}
    for one in technologies(shelf.stack):
        path, key = places.research(one.slug), f"research-{one.slug}"
        if key in own.returned:
            found = said(now, own, key, Findings)
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
    """The research of this run goes into the person's library for other tasks; what the project came with does not."""
    return {f"{places.LIBRARY}{path.removeprefix(places.RESEARCH)}": path for path in own.researched}


# --- checklists per agent type, and consultation of the doers ---------------------------------------------------------


def _wanted_checklists(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    types: dict[str, list[str]] = {}
    for name in shelf.roster.of_kind("doer"):
        types.setdefault(shelf.roster.type_of(name), []).append(name)
    return {
        (key := f"checklist-{kind}"): turn(
            key,
            "risk-checklist",
            "checklist",
            f"Say what a {kind} must be asked before it begins, in all six categories.",
            notes={"task": own.task, "agent_type": kind, "agents": names},
            reads=(own.summary, places.STACK, places.ROSTER, *shelf.research),
        )
        for kind, names in types.items()
        if places.checklist(kind) not in now.state.docs
    }


def _listed(now: Now) -> Move:
    own = own_of(now.state)
    found = [said(now, own, key, Checklist) for key in own.returned]
    return Move(own, written({places.checklist(one.agent_type): risks.render(one) for one in found}), "done")


enter_checklists, on_checklists = fan(_wanted_checklists, _listed)


def check_checklist(now: Now, output: Checklist) -> Iterable[Finding]:
    wanted = str(now.turn.start.notes["agent_type"]) if now.turn else output.agent_type
    return risk_checks.checklist_findings(output, wanted)


def _wanted_consultations(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    base = (own.summary, places.STACK, places.DECISIONS, places.CONTRACTS)
    return {
        (key := f"consultation-{name}"): turn(
            key,
            "doer-consultation",
            "consultation",
            f"Go through the checklist as {name}, and say what may go wrong in its task.",
            notes={"task": own.task, "agent": name},
            reads=(*base, places.instructions(name), places.checklist(shelf.roster.type_of(name))),
        )
        for name in shelf.roster.of_kind("doer")
        if places.consultation(name) not in now.state.docs
    }


def _consulted(now: Now) -> Move:
    own = own_of(now.state)
    found = [said(now, own, key, Consultation) for key in own.returned]
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
    """What the doers of the roster said; an agent that was taken out has no say."""
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


# --- the PoCs get their places, the practices get into the instructions -----------------------------------------------


def _wanted_integration(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    doers = {name: shelf.roster.agents[name].role for name in shelf.roster.of_kind("doer")}
    turns = {
        PRACTICES: turn(
            PRACTICES, "best-practices-integration", "practices",
            "Say which practices of the research belong into whose instructions.",
            notes={"task": own.task, "agents": doers}, reads=(places.ROSTER, *shelf.research),
        ),
    }  # fmt: skip
    if shelf.specs.pocs:
        turns[INTEGRATION] = turn(
            INTEGRATION, "poc-integration", "poc-integration", "Give every PoC its place before what it gates.",
            notes={"task": own.task}, reads=(places.ROSTER, places.SEQUENCE, places.POC_SPECS),
        )  # fmt: skip
    return turns


def _integrated(now: Now) -> Move:
    """The roster gets its PoCs by named edits, the instructions get their practices; what follows is computed again."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    edits = said(now, own, INTEGRATION, IntegrationOutput).edits if INTEGRATION in own.returned else ()
    bare = shelf.roster.without_pocs()  # the PoCs of now take the place of those of an earlier round
    others = {name: one for name, one in shelf.contracts.agents.items() if name not in shelf.roster.of_kind("poc")}
    agreed = shelf.contracts.model_copy(update={"agents": others})
    roster, agreed = plan_edits.apply(bare, agreed, edits, shelf.specs, created=own.created)
    practices = said(now, own, PRACTICES, PracticesOutput).practices
    own = replace(own, integrated=True, practices=dict(practices))
    report = risk_report.report(_consultations(shelf), shelf.specs, tuple(shelf.research.values()), practices)
    texts: dict[str, str | None] = {
        places.ROSTER: agent_roster.render(recompleted(now, own, roster)),
        places.CONTRACTS: contracts.render(agreed),
        places.RISK_REPORT: report,
    }
    for name in shelf.roster.of_kind("doer"):
        if text := shelf.text(places.instructions(name)):
            texts[places.instructions(name)] = agent_instructions.practising(text, practices.get(name, ()))
    return Move(own, written(texts), "done")


_enter_integration, on_integration = fan(_wanted_integration, _integrated)


def enter_integration(now: Now) -> Move:
    """PoCs that a person wrote may gate no agent that there is: then they are asked for again, with what is wrong."""
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
