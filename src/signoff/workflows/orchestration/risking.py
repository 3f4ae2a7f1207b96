"""Risks at design time: research, checklists, consultation of the doers, trials of what may not hold, practices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.core.commands import Command, StartTurn, Write
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import adapting, instructions, places, reporting, risk_checks, risks
from signoff.workflows.orchestration import file_contracts as fc
from signoff.workflows.orchestration import roster as ro
from signoff.workflows.orchestration.design import Design, Shelf, own_of, sources
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import IntegrationOutput, PocsOutput, PracticesOutput
from signoff.workflows.orchestration.risks import Checklist, Consultation, Findings, Research, Technology
from signoff.workflows.orchestration.staffing import recompleted
from signoff.workflows.orchestration.turns import blocked, ended, fan, required, said, turn

INTEGRATION, PRACTICES = "integration", "practices"
UNPLACEABLE = ("poc.gate", "poc.agent", "poc.twice")
"""What keeps a PoC from getting a place before anybody."""


# --- research, from the library where it has it -----------------------------------------------------------------------


def _technologies(shelf: Shelf) -> tuple[Technology, ...]:
    return risks.technologies(shelf.stack)


def _in_library(shelf: Shelf, slug: str) -> str:
    """The copy of what the person's library has of a technology."""
    return places.home(own_of(shelf.state).run, f"{places.LIBRARY}{slug}.json")


def _known(shelf: Shelf, one: Technology) -> str | None:
    """Where there is research of a technology: in the project or in the library, and about nothing else."""

    def of_it(path: str) -> bool:
        ref = shelf.state.ref(path)
        try:
            return ref is not None and risks.is_of(one, shelf.look(ref, risks.parse_research))
        except DocumentError:  # somebody keeps it so; it is found out again
            return False

    return next((path for path in (places.research(one.slug), _in_library(shelf, one.slug)) if of_it(path)), None)


def _wanted_research(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    unknown = [one for one in _technologies(shelf) if _known(shelf, one) is None]
    return {
        f"research-{one.slug}": turn(
            f"research-{one.slug}",
            "best-practices-researcher",
            "research",
            f"Find out what people who know {one.name} do, and how it fails.",
            notes={"task": own.task, "technology": one.name, "version": one.version, "layer": one.layer},
            reads=sources(now.state),
        )
        for one in unknown
    }


def _researched(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    writes: list[Command] = []
    for one in _technologies(shelf):
        path, key = places.research(one.slug), f"research-{one.slug}"
        if key in own.returned:
            found = said(now, own, key, Findings)
            known = Research(researched=epoch(now.event.at), **found.model_dump())
            writes.append(Write(path=path, text=risks.render(known)))
            own = replace(own, researched=tuple(dict.fromkeys((*own.researched, path))))
        elif (source := _known(shelf, one)) and source != path:
            writes.append(Write(path=path, text=shelf.text(source)))
    return Move(own, tuple(writes), "done")


enter_research, on_research = fan(_wanted_research, _researched)


def check_research(now: Now, output: Findings) -> Sequence[Finding]:
    notes = now.turn.start.notes if now.turn else {}
    return risk_checks.research_findings(output, str(notes.get("technology", "")), str(notes.get("version", "")))


# --- checklists per agent type ----------------------------------------------------------------------------------------


def _types(shelf: Shelf) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in shelf.roster.of_kind("doer"):
        found.setdefault(shelf.roster.type_of(name), []).append(name)
    return found


def _wanted_checklists(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    return {
        f"checklist-{kind}": turn(
            f"checklist-{kind}",
            "risk-checklist",
            "checklist",
            f"Say what a {kind} must be asked before it begins, in all six categories.",
            notes={"task": own.task, "agent_type": kind, "agents": names},
            reads=(own.summary, places.STACK, places.ROSTER, *shelf.research),
        )
        for kind, names in _types(shelf).items()
        if places.checklist(kind) not in now.state.docs
    }


def _listed(now: Now) -> Move:
    own = own_of(now.state)
    found = [said(now, own, key, Checklist) for key in own.returned]
    writes = tuple(Write(path=places.checklist(one.agent_type), text=risks.render(one)) for one in found)
    return Move(own, writes, "done")


enter_checklists, on_checklists = fan(_wanted_checklists, _listed)


def check_checklist(now: Now, output: Checklist) -> Sequence[Finding]:
    wanted = str(now.turn.start.notes["agent_type"]) if now.turn else output.agent_type
    return risk_checks.checklist_findings(output, wanted)


# --- consultation of the doers ----------------------------------------------------------------------------------------


def _wanted_consultations(now: Now) -> Mapping[str, StartTurn]:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    base = (own.summary, places.STACK, places.DECISIONS, places.CONTRACTS)
    return {
        f"consultation-{name}": turn(
            f"consultation-{name}",
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
    writes: list[Command] = [Write(path=places.consultation(one.agent), text=risks.render(one)) for one in found]
    if found and places.POC_SPECS in now.state.docs:  # what is tried is decided on what doers say now
        writes.append(Write(path=places.POC_SPECS, text=None))
    return Move(own, tuple(writes), "done")


enter_consultations, on_consultations = fan(_wanted_consultations, _consulted)


def check_consultation(now: Now, output: Consultation) -> Sequence[Finding]:
    shelf = Shelf(now.state, now.look)
    wanted = str(now.turn.start.notes["agent"]) if now.turn else output.agent
    ref = now.state.ref(places.checklist(shelf.roster.type_of(wanted)))
    assert ref is not None  # narrows the type: the step before wrote it, and what is removed is put back
    return risk_checks.consultation_findings(output, wanted, now.look(ref, risks.parse_checklist))


# --- what is tried before the work that rests on it -------------------------------------------------------------------


def _consultations(shelf: Shelf) -> tuple[Consultation, ...]:
    """What the doers of the roster said; an agent that is no more has no say."""
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


def on_pocs(now: Now) -> Move:
    own = own_of(now.state)
    if not ended(now):
        return Move(own)
    if stop := blocked(now):
        return stop
    output: PocsOutput = now.output
    write = Write(path=places.POC_SPECS, text=risks.render(risks.PocSpecs(pocs=output.pocs, borne=output.borne)))
    return Move(own.mended("risk"), (write,), "done")


def check_pocs(now: Now, output: PocsOutput) -> Sequence[Finding]:
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
    """The roster gets its PoCs by named edits, the instructions their practices; what follows is computed again."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    edits = said(now, own, INTEGRATION, IntegrationOutput).edits if INTEGRATION in own.returned else ()
    bare, contracts = before_pocs(shelf)
    mended, agreed = adapting.apply(bare, contracts, edits, shelf.specs, created=own.created)
    practices = said(now, own, PRACTICES, PracticesOutput).practices
    own = replace(own, integrated=True, practices=dict(practices))
    report = reporting.report(_consultations(shelf), shelf.specs, tuple(shelf.research.values()), practices)
    texts = {
        places.ROSTER: ro.render(recompleted(now, own, mended)),
        places.CONTRACTS: fc.render(agreed),
        places.RISK_REPORT: report,
        **dict(_practising(shelf, practices)),
    }
    return Move(own, tuple(Write(path=path, text=text) for path, text in texts.items()), "done")


def before_pocs(shelf: Shelf) -> tuple[ro.Roster, fc.FileContracts]:
    """Roster and contracts without PoCs, so that those of now take the place of those of an earlier round."""
    pocs = set(shelf.roster.of_kind("poc"))
    agents = {name: one for name, one in shelf.roster.agents.items() if name not in pocs}
    agreed = {name: one for name, one in shelf.contracts.agents.items() if name not in pocs}
    return (
        shelf.roster.model_copy(update={"agents": agents}),
        shelf.contracts.model_copy(update={"agents": agreed}),
    )


def _practising(shelf: Shelf, practices: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    texts = ((name, shelf.text(places.instructions(name))) for name in shelf.roster.of_kind("doer"))
    return [
        (places.instructions(name), instructions.practising(text, tuple(practices.get(name, ()))))
        for name, text in texts
        if text
    ]


_enter_integration, on_integration = fan(_wanted_integration, _integrated)


def enter_integration(now: Now) -> Move:
    """PoCs that a person wrote may gate nobody who is there: then they are asked for again, with what is wrong."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    given = PocsOutput(pocs=shelf.specs.pocs, borne=shelf.specs.borne)
    found = risk_checks.pocs_findings(given, _consultations(shelf), shelf.roster)
    if wrong := tuple(one for one in found if one.rule in UNPLACEABLE):
        return Move(replace(own, required={**own.required, "risk": wrong}), (), "unfit")
    return _enter_integration(now)


def check_integration(now: Now, output: IntegrationOutput) -> Sequence[Finding]:
    shelf = Shelf(now.state, now.look)
    bare, _ = before_pocs(shelf)
    return risk_checks.integration_findings(output, shelf.specs, bare)


def check_practices(now: Now, output: PracticesOutput) -> Sequence[Finding]:
    shelf = Shelf(now.state, now.look)
    return risk_checks.practices_findings(output, shelf.roster, shelf.research.values())


def lends(own: Design) -> Mapping[str, str]:
    """What this run found out is kept for other tasks, in the person's library; what the project came with is not."""
    return {f"{places.LIBRARY}{path.removeprefix(places.RESEARCH)}": path for path in own.researched}
