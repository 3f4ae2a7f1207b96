"""A design small enough to enumerate: one or two doers, one technology, and everything that agents may say of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from signoff.artifacts.yaml_forms import Form
from signoff.core.commands import Ask, StartTurn
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.orchestration import config as settings
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import agent_registry, architecture_decisions, plan_summary
from signoff.workflows.orchestration.documents import agent_roster as rosters
from signoff.workflows.orchestration.documents import technology_stack as stacks
from signoff.workflows.orchestration.documents.agent_roster import CreationGuidance, Member, Proposed, RegistryEntry
from signoff.workflows.orchestration.documents.architecture_decisions import Architecture, Decision
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoint,
    Criterion,
    FailureMode,
    FileContract,
    Read,
    Written,
)
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.reviews import Domain, Order, Review
from signoff.workflows.orchestration.documents.risks import (
    CATEGORIES,
    Checklist,
    Consultation,
    Failure,
    Findings,
    Item,
    Practice,
    Risk,
    parse_research,
)
from signoff.workflows.orchestration.documents.technology_stack import Choices, Layer, Stack
from signoff.workflows.orchestration.documents.tsa_changelog import Change, NotTaken
from signoff.workflows.orchestration.outputs import (
    ArchitectOutput,
    CheckpointsOutput,
    ContractsOutput,
    InstructionsOutput,
    IntegrationOutput,
    PocsOutput,
    PracticesOutput,
    ReadingOutput,
    RosterOutput,
    Seen,
    TsaOutput,
    Use,
)
from signoff.workflows.orchestration.state import Shelf, own_of

RUN = TASK = "small"
SUMMARY = places.summary(TASK)
ONE, TWO, THREE = "database_agent", "api_agent", "frontend_agent"
"""The doers; the registry knows all of them."""
NEW = "cache_agent"
"""A doer that nobody knows yet."""
POC = "index_poc"
ACTIONS = {
    ONE: ("Design the table", "Write the migration", "Add the index"),
    TWO: ("Write the endpoint", "Check what comes in", "Describe it in OpenAPI"),
    THREE: ("Build the form", "Build the page", "Show what is refused"),
    NEW: ("Choose what is cached", "Write the cache", "Drop what is old"),
}
QUESTION = "Who may see the table?"
ASSUMPTION = "The index can be added while people work"
PRACTICE = "Create indexes concurrently"
AREAS: Final = ("roster", "contracts", "checkpoints", "instructions", "risk", "plan")
MALFORMED = "- not\n- a mapping\n"

Said = Iterable[tuple[str, str]]
Answers = Iterable[tuple[str, str, Mapping[str, Any]]]
Edits = Iterable[tuple[str, Mapping[str, str | None]]]
Editor = Callable[[Shelf], Edits]
"""What a person may do to the files of a design, as they are."""


def config(*, at_once: int = 5, rounds: int = 1, turns: int = 100_000) -> str:
    return json.dumps({"agents_at_once": at_once, "verification_rounds": rounds, "budget": {"turns": turns}})


def summary(goal: str = "There is a table.") -> str:
    said = tuple(action for actions in ACTIONS.values() for action in actions)
    return plan_summary.render(Plan(task=TASK, goal=goal, constraints=said))


def documents(config_text: str) -> dict[str, str]:
    return {settings.PATH: config_text, SUMMARY: summary()}


def raw(value: Form) -> str:
    """What an agent gives back."""
    return json.dumps(value.model_dump(mode="json", by_alias=True, exclude_none=True))


def adding(value: Form, **more: Any) -> str:
    """The same with fields that nobody asked for."""
    return json.dumps({**json.loads(raw(value)), **more})


@dataclass(frozen=True)
class Turn:
    """One turn, with what its agent sees of the design.

    The shape of this small world are its doers, the order in which the architecture is reviewed, and who comes after
    whom.
    """

    state: State
    start: StartTurn
    look: Look
    doers: tuple[str, ...] = (ONE,)
    order: tuple[Domain, ...] = ("security",)
    after: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> Mapping[str, Any]:
        return self.start.notes

    @cached_property
    def shelf(self) -> Shelf:
        return Shelf(self.state, self.look)

    @cached_property
    def there(self) -> tuple[str, ...]:
        """The doers of the roster; where there is none, somebody whom it does not have."""
        return self.shelf.roster.of_kind("doer") or ("nobody_agent",)


# --- the architecture -------------------------------------------------------------------------------------------------


def architecture() -> Architecture:
    decision = Decision(title="One table", context="Data", decision="One table", rationale=("It is enough",))
    return Architecture(
        executive_summary="A table.", overview="PostgreSQL.", decisions=(decision,), integration="None.",
        security="Roles.", deployment="As before.",
    )  # fmt: skip


def choices(**more: Any) -> Choices:
    return Choices(technology_stack={"database": Layer(primary="PostgreSQL 15", rationale="The team runs it")}, **more)


def architect(turn: Turn) -> Said:
    why = dict.fromkeys(turn.order, "It is what matters")
    order = Order(project_type="Data", pattern="custom", order=turn.order, rationale="It is small", why=why)
    good = ArchitectOutput(stack=choices(), architecture=architecture(), review=order)
    yield "good", raw(good)
    yield "pattern not kept", raw(good.model_copy(update={"review": order.model_copy(update={"pattern": "A"})}))
    twice = order.model_copy(update={"order": (*turn.order, turn.order[0])})
    yield "domain twice", raw(good.model_copy(update={"review": twice}))
    yield "no reason", raw(good.model_copy(update={"review": order.model_copy(update={"why": {}})}))
    yield "starts a turn", adding(good, start_turn={"agent": "security-reviewer"})
    yield "malformed", MALFORMED


def reviewer(_turn: Turn) -> Said:
    good = Review(context_awareness="It is the first.", concerns=("Nobody said who reads it",))
    yield "good", raw(good)
    yield "question", raw(good.model_copy(update={"questions": (QUESTION,)}))
    yield "changes the drafts", adding(good, technology_stack=json.loads(raw(choices())))
    yield "malformed", MALFORMED


def tactical(turn: Turn) -> Said:
    """What is changed grows with every turn, so that each change is one that was not there before."""
    number = turn.notes["number"]
    before = turn.shelf.stack.performance_targets
    after = choices(performance_targets={**before, f"p{number}": "20 ms"})
    place = f"performance_targets.p{number}"
    change = Change(document="technology_stack.json", place=place, to="20 ms", reason="Reviewed")
    if f"p{number}" in before:  # the same review again: there is nothing to be added
        left = NotTaken(suggestion="Say how fast", reason="It is said")
        yield "good", raw(TsaOutput(not_taken=(left,)))
        return
    good = TsaOutput(technology_stack=after, changes=(change,))
    yield "good", raw(good)
    yield "nothing", raw(TsaOutput())
    yield "not in the log", raw(good.model_copy(update={"changes": ()}))
    yield "not made", raw(TsaOutput(changes=(change,)))
    yield "other words", raw(good.model_copy(update={"changes": (change.model_copy(update={"after": "9 ms"}),)}))
    text = turn.shelf.text(places.DECISIONS)
    heading = f"\n## {architecture_decisions.SECURITY}\n"
    secretly = text.replace("Roles.", "Roles, and a log.")
    yield "heading not in the log", raw(TsaOutput(architecture_decisions=secretly))
    yield "section lost", raw(TsaOutput(architecture_decisions=text.replace(heading, "\n")))
    late = text.replace(
        f"## {architecture_decisions.EVOLUTION}\n", f"## {architecture_decisions.EVOLUTION}\n\nIt was me.\n"
    )
    yield "evolution notes", raw(TsaOutput(architecture_decisions=late))
    yield "malformed", MALFORMED


# --- the roster -------------------------------------------------------------------------------------------------------


def proposed(name: str, *after: str, **more: Any) -> Proposed:
    actions = ACTIONS[name]
    return Proposed(
        role=f"Do the work of {name}", dependencies=after, plan_actions=actions, plan_action_sources=actions, **more
    )


def guidance(name: str) -> CreationGuidance:
    entry = RegistryEntry(
        agent_type=name, template="orchestration_doer_agent_template.md", capabilities=("caching",),
        description="Keeps what is asked for often",
    )  # fmt: skip
    return CreationGuidance(reason="Nobody caches", base_template=entry.template, registry_entry=entry)


def team(turn: Turn) -> dict[str, Proposed]:
    """The doers that nobody objected to."""
    objection = f"{turn.notes.get('rejected')} {turn.notes.get('required')}"
    wanted = [name for name in turn.doers if f"Remove: {name}" not in objection] or [ONE]
    after = {name: tuple(one for one in [turn.after.get(name)] if one in wanted) for name in wanted}
    made = {NEW: guidance(NEW)}
    return {name: proposed(name, *after[name], creation_guidance=made.get(name)) for name in wanted}


def roster(turn: Turn) -> Said:
    good = team(turn)
    (name, first), *_ = good.items()

    def changed(**fields: Any) -> str:
        return raw(RosterOutput(agents={**good, name: first.model_copy(update=fields)}))

    yield "good", raw(RosterOutput(agents=good))
    yield "missing agent", raw(RosterOutput(agents={**good, NEW: proposed(NEW, creation_guidance=guidance(NEW))}))
    yield "missing, no guidance", raw(RosterOutput(agents={**good, NEW: proposed(NEW)}))
    of_type = proposed(TWO, agent_type=NEW, creation_guidance=guidance(NEW))
    yield "missing type", raw(RosterOutput(agents={**good, TWO: of_type}))
    nowhere = guidance(NEW).registry_entry.model_copy(update={"template": "orchestration/templates/none.md"})
    lost = guidance(NEW).model_copy(update={"registry_entry": nowhere})
    yield "missing, no template", raw(RosterOutput(agents={**good, NEW: proposed(NEW, creation_guidance=lost)}))
    circle = {ONE: proposed(ONE, TWO), TWO: proposed(TWO, ONE)}
    yield "cycle", raw(RosterOutput(agents=circle))
    poc = Proposed(role="Try it", kind="poc", agent_type=ONE, poc_id="poc_009", gates=(name,))
    yield "poc", raw(RosterOutput(agents={**good, "early_poc": poc}))
    yield "forged quote", changed(plan_action_sources=("Never said", *first.plan_action_sources[1:]))
    yield "unknown dependency", changed(dependencies=("nobody_agent",))
    yield "two actions", changed(plan_actions=first.plan_actions[:2], plan_action_sources=first.plan_actions[:2])
    tsa = first.model_copy(update={"agent_type": "tactical_solution_architect_agent"})
    yield "tactical architect", raw(RosterOutput(agents={**good, name: tsa}))
    yield "says that it exists", adding(RosterOutput(agents=good), missing_agents=[])
    yield "malformed", MALFORMED


# --- contracts, checkpoints, instructions -----------------------------------------------------------------------------


def output(name: str) -> str:
    return f"{places.output(name)}work.md"


def contracts(turn: Turn) -> Said:
    members = turn.shelf.roster.agents

    def contract(name: str) -> FileContract:
        after = [one for one in members[name].dependencies if one in turn.there] if name in members else []
        reads = tuple(Read(path=output(one), **{"from": one}, format="markdown") for one in after)
        return FileContract(reads=reads, writes=(Written(path=output(name), format="markdown"),))

    good = ContractsOutput(agents={name: contract(name) for name in turn.there})
    first, last = turn.there[0], turn.there[-1]
    yield "good", raw(good)
    more = good.agents[first].model_copy(update={"writes": (*good.agents[first].writes, Written(path="docs/more.md"))})
    yield "more", raw(ContractsOutput(agents={**good.agents, first: more}))
    shared = FileContract(writes=(Written(path=places.ROSTER),))
    yield "code's own file", raw(ContractsOutput(agents={**good.agents, first: shared}))
    yield "stranger", raw(ContractsOutput(agents={**good.agents, "nobody_agent": good.agents[first]}))
    yield "one left out", raw(ContractsOutput(agents={"nobody_agent": good.agents[first]}))
    if first != last:
        circle = {
            one: good.agents[one].model_copy(update={"reads": (Read(path=output(other), **{"from": other}),)})
            for one, other in ((first, last), (last, first))
        }
        yield "cycle", raw(ContractsOutput(agents={**good.agents, **circle}))
    yield "malformed", MALFORMED


def checkpoint(name: str, **fields: Any) -> Checkpoint:
    criterion = Criterion(id=f"c_{name}", text="The tests pass", evidence="The output of the tests")
    failure = FailureMode(mode="A test fails", remediation="Mend it")
    plain = Checkpoint(id=f"check_{name}", doer=name, criteria=(criterion,), failure_modes=(failure,))
    return plain.model_copy(update=fields)


def checkpoints(turn: Turn) -> Said:
    good = tuple(checkpoint(name) for name in turn.there)
    first, last = turn.there[0], turn.there[-1]
    yield "good", raw(CheckpointsOutput(checkpoints=good))
    if first != last:
        shared = tuple(checkpoint(name, verifier=f"{first.removesuffix('_agent')}_verifier") for name in turn.there)
        yield "one verifier", raw(CheckpointsOutput(checkpoints=shared))
        yield "doer without", raw(CheckpointsOutput(checkpoints=good[1:]))
    yield "for a stranger", raw(CheckpointsOutput(checkpoints=(*good, checkpoint("nobody_agent"))))
    vague = Criterion(id="c", text="It is good", evidence="tbd")
    yield "no evidence", raw(CheckpointsOutput(checkpoints=(checkpoint(first, criteria=(vague,)), *good[1:])))
    yield "verified by itself", raw(CheckpointsOutput(checkpoints=(checkpoint(first, verifier=first), *good[1:])))
    yield "malformed", MALFORMED


def instructions(turn: Turn) -> Said:
    given, name = turn.notes["contract"], turn.notes["agent"]
    member = turn.shelf.roster.agents.get(name)
    good = InstructionsOutput(
        agent=name,
        task=f"Do it. {member.role if member else 'Look at the work'}.",
        inputs=tuple(Use(path=one["path"], purpose="To build on") for one in given["reads"]),
        outputs=tuple(Use(path=one["path"], purpose="To hand on") for one in given["writes"]),
        evidence=("What the tests print",),
    )
    yield "good", raw(good)
    yield "for another", raw(good.model_copy(update={"agent": "nobody_agent"}))
    more = Use(path="docs/secret.md", purpose="To read")
    yield "more files", raw(good.model_copy(update={"inputs": (*good.inputs, more)}))
    yield "malformed", MALFORMED


# --- risks ------------------------------------------------------------------------------------------------------------


def research(turn: Turn) -> Said:
    good = Findings(
        technology=turn.notes["technology"],
        version=turn.notes.get("version", ""),
        best_practices=(Practice(practice=PRACTICE, why="A plain one locks", source="Manual, 11.2"),),
        failure_patterns=(
            Failure(pattern="It locks", consequence="People wait", category="availability", source="Manual, 11.3"),
        ),
    )
    yield "good", raw(good)
    yield "of another", raw(good.model_copy(update={"technology": "Redis"}))
    hearsay = Practice(practice=PRACTICE, why="So they say", source="general knowledge")
    yield "hearsay", raw(good.model_copy(update={"best_practices": (hearsay,)}))
    yield "empty", raw(good.model_copy(update={"best_practices": (), "failure_patterns": ()}))
    yield "malformed", MALFORMED


def checklist(turn: Turn) -> Said:
    items = tuple(
        Item(id=f"i_{one}", category=one, question=f"What of {one}?", why="It happened") for one in CATEGORIES
    )
    good = Checklist(agent_type=turn.notes["agent_type"], prompt="What may go wrong?", items=items)
    yield "good", raw(good)
    yield "one category less", raw(good.model_copy(update={"items": items[1:]}))
    yield "for another", raw(good.model_copy(update={"agent_type": "nobody_agent"}))
    yield "malformed", MALFORMED


def consultation(turn: Turn) -> Said:
    name = turn.notes["agent"]
    risk = Risk(
        id=f"r_{name}", category="availability", description="The index locks", assumption=ASSUMPTION,
        likelihood="medium", impact="high", evidence="Many rows", checklist_item="i_availability",
    )  # fmt: skip
    good = Consultation(agent=name, risks=(risk,))
    yield "good", raw(good)
    yield "no risks", raw(Consultation(agent=name))
    yield "of another", raw(good.model_copy(update={"agent": "nobody_agent"}))
    stray = risk.model_copy(update={"checklist_item": "i_beauty"})
    yield "unknown item", raw(good.model_copy(update={"risks": (stray,)}))
    yield "malformed", MALFORMED


def poc(turn: Turn, **fields: Any) -> dict[str, Any]:
    first = turn.there[0]
    return {
        "poc_id": "poc_001", "agent": first, "assumption": ASSUMPTION, "pass": ["Nobody waits"], "fail": ["One waits"],
        "evidence": ["The log"], "gates": [first], **fields,
    }  # fmt: skip


def pocs(turn: Turn) -> Said:
    said = [risk.id for one in turn.shelf.consultations.values() for risk in one.risks if one.agent in turn.there]
    borne = raw(PocsOutput(borne=dict.fromkeys(said, "It is quick to undo")))
    yield "good", json.dumps({"pocs": [poc(turn)]}) if said else borne
    yield "borne", borne
    yield "nothing", json.dumps({})
    yield "unknown risk borne", json.dumps({"borne": {"r_nobody": "It is nobody's"}})
    yield "gates nobody", json.dumps({"pocs": [poc(turn, gates=[])]})
    yield "gates a stranger", json.dumps({"pocs": [poc(turn, gates=["nobody_agent"])]})
    yield "another assumption", json.dumps({"pocs": [poc(turn, assumption="It rains")]})
    yield "malformed", MALFORMED


def integration(turn: Turn) -> Said:
    def edit(name: str = POC, poc_id: str = "poc_001") -> dict[str, str]:
        return {"edit": "add_poc", "poc_id": poc_id, "name": name, "reason": "It is tried before"}

    named = {"poc_001": POC}
    wanted = [edit(named.get(one.poc_id, f"{one.poc_id}_agent"), one.poc_id) for one in turn.shelf.specs.pocs]
    yield "good", json.dumps({"edits": wanted})
    yield "not placed", raw(IntegrationOutput())
    yield "unknown", json.dumps({"edits": [*wanted, edit("other_poc", "poc_009")]})
    yield "name taken", json.dumps({"edits": [edit(turn.there[0], wanted[0]["poc_id"])]})
    yield "another edit", json.dumps({"edits": [{"edit": "remove_agent", "name": turn.there[0], "reason": "So"}]})
    yield "malformed", MALFORMED


def practices(turn: Turn) -> Said:
    refs = [ref for path in turn.shelf.under(places.RESEARCH) if (ref := turn.state.ref(path))]
    known = [one.practice for ref in refs for one in turn.look(ref, parse_research).best_practices]
    yield "good", raw(PracticesOutput(practices=dict.fromkeys(turn.there, tuple(known))))
    yield "invented", raw(PracticesOutput(practices=dict.fromkeys(turn.there, ("Hope for the best",))))
    yield "none", raw(PracticesOutput(practices={}))
    yield "for a stranger", raw(PracticesOutput(practices=dict.fromkeys((*turn.there, "nobody_agent"), tuple(known))))
    yield "malformed", MALFORMED


# --- the reader -------------------------------------------------------------------------------------------------------


def reading(turn: Turn) -> Said:
    yield "good", raw(ReadingOutput())
    seen = Seen(severity="warning", area="plan", problem="It is long", repair="Be brief")
    yield "warning and gap", raw(ReadingOutput(findings=(seen,), gaps=("Nobody said when",)))
    for area in AREAS:
        file = places.instructions(turn.there[0]) if area == "instructions" else ""
        error = Seen(severity="error", area=area, file=file, problem=f"The {area} does not hold", repair="Mend it")
        yield f"error in {area}", raw(ReadingOutput(findings=(error,)))
    yield "approves", adding(ReadingOutput(), result="pass")
    yield "malformed", MALFORMED


SPEAKERS: Final[Mapping[str, Callable[[Turn], Said]]] = {
    "solution-architect": architect,
    **dict.fromkeys(("security-reviewer", "database-reviewer", "api-reviewer", "frontend-reviewer"), reviewer),
    "tactical-solution-architect": tactical,
    "roster-designer": roster,
    "file-structure-designer": contracts,
    "checkpoint-designer": checkpoints,
    "instruction-writer": instructions,
    "best-practices-researcher": research,
    "risk-checklist": checklist,
    "doer-consultation": consultation,
    "poc-recommendation": pocs,
    "poc-integration": integration,
    "best-practices-integration": practices,
    "design-verifier": reading,
}


def said(turn: Turn) -> dict[str, str]:
    """Everything that the agent of a turn may say, by its label."""
    return dict(SPEAKERS[turn.start.agent](turn))


# --- what people may answer -------------------------------------------------------------------------------------------

REASONS: Final = {
    "architecture": ("Say how fast",),
    "roster": (f"Remove: {TWO}",),
    "design": ("Begin anew", *(f"{area}: It does not do" for area in AREAS)),
}


def answers(state: State, ask: Ask) -> Answers:
    """Everything that can be said to a request, and what was not asked for."""
    del state
    yield "something else", "launch", {}
    if ask.kind == "approval":
        yield "approve", "approve", {}
        yield "approve, changes accepted", "approve", {"accept_changes": True}
        yield from ((f"reject, {reason}", "reject", {"reason": reason}) for reason in REASONS[ask.key])
    elif "from" in ask.notes or ask.kind == "budget":
        yield "resume", "resume", {}
        yield from (
            (f"resume from {step}", "resume", {"from": step}) for step in (*ask.notes.get("from", ()), "nowhere")
        )
    else:
        told = ask.notes.get("proposal", "told")  # who is to be made and nobody says how needs an entry
        yield from ((option, option, {}) for option in ask.options if told or option != "create")
        if "create" in ask.options:
            entry = {"template": "orchestration_doer_agent_template.md", "capabilities": ["x"], "description": "Mine"}
            yield "create, by hand", "create", {"entry": entry}


def answering(*labels: str) -> Callable[[State, Ask], Answers]:
    """A person who says nothing else."""
    return lambda state, ask: [one for one in answers(state, ask) if one[0] in labels]


# --- what people may edit ---------------------------------------------------------------------------------------------


def during(steps: str, *editors: Editor) -> Editor:
    """Edits in these steps alone."""

    def edits(shelf: Shelf) -> Edits:
        if own_of(shelf.state).step in steps.split():
            for editor in editors:
                yield from editor(shelf)

    return edits


def toggled(path: str, one: str, other: str) -> Editor:
    """A word of a document, there and back."""

    def edits(shelf: Shelf) -> Edits:
        text, name = shelf.text(path), path.rpartition("/")[2]
        if one in text:
            yield f"{name}: {other}", {path: text.replace(one, other)}
        elif other in text:
            yield f"{name}: {one}", {path: text.replace(other, one)}

    return edits


def removed(*paths: str) -> Editor:
    def edits(shelf: Shelf) -> Edits:
        for path in paths:
            if path in shelf.state.docs:
                yield f"{path.rpartition('/')[2]} removed", {path: None}

    return edits


def written(path: str, text: str, label: str) -> Editor:
    """A file that a person puts there, whatever it was."""
    return lambda _shelf: [(label, {path: text})]


def staffed(label: str, agents: Mapping[str, Proposed]) -> Editor:
    """A roster by hand: these agents, and all of them said to exist."""

    def edits(shelf: Shelf) -> Edits:
        if places.ROSTER in shelf.state.docs:
            known = shelf.roster
            said = {
                name: Member(**dict(one), task_id=f"{name}_{known.created}", exists=True)
                for name, one in agents.items()
            }
            yield label, {places.ROSTER: rosters.render(known.model_copy(update={"agents": said}))}

    return edits


OTHER_ROLE = staffed("another role", {ONE: proposed(ONE).model_copy(update={"role": "By hand"})})
ONE_MORE = staffed("one more agent", {ONE: proposed(ONE), TWO: proposed(TWO)})
NOBODY_HAS = staffed("an agent that nobody has", {ONE: proposed(ONE), NEW: proposed(NEW)})
CAN_BE_MADE = staffed(
    "an agent that can be made", {ONE: proposed(ONE), NEW: proposed(NEW, creation_guidance=guidance(NEW))}
)
IN_A_CIRCLE = staffed("each after the other", {ONE: proposed(ONE, TWO), TWO: proposed(TWO, ONE)})
AFTER_NOBODY = staffed("after a stranger", {ONE: proposed(ONE, "nobody_agent")})
NEVER = staffed(
    "the tactical architect",
    {ONE: proposed(ONE), "helper_agent": proposed(TWO, agent_type="tactical_solution_architect_agent")},
)
WITH_A_POC = staffed(
    "a PoC that is not specified",
    {ONE: proposed(ONE), "early_poc": Proposed(role="Try it", kind="poc", poc_id="poc_009", gates=(ONE,))},
)
EMPTY = staffed("nobody left", {})
AS_PROPOSED = staffed("as it was proposed", {ONE: proposed(ONE)})


def known_here(name: str = NEW) -> str:
    """A registry of the project's own."""
    return agent_registry.render(agent_registry.with_entry(None, guidance(name).registry_entry, 0))


def by_hand(path: str) -> Editor:
    """A document that a person writes before anybody else does: the drafts as they could be, or what says nothing."""

    def edits(shelf: Shelf) -> Edits:
        own = own_of(shelf.state)
        head = {"task_id": own.task_id, "created": own.created}
        texts = {
            places.STACK: stacks.render(Stack(**head, **dict(choices()))),
            places.CONTRACTS: json.dumps({**head, "agents": {}}),
            places.CHECKPOINTS: json.dumps({**head, "checkpoints": []}),
        }
        yield f"{path.rpartition('/')[2]} by hand", {path: texts[path]}

    return edits


def forged(*paths: str) -> Editor:
    """Something else in the place of what code makes."""
    return lambda _shelf: [(f"{path.rpartition('/')[2]} forged", {path: "# Forged\n"}) for path in paths]


def no_pocs(shelf: Shelf) -> Edits:
    if places.POC_SPECS in shelf.state.docs:
        yield "no PoCs", {places.POC_SPECS: json.dumps({"pocs": [], "borne": {}})}


def more_turns(shelf: Shelf) -> Edits:
    """A person raises the budget once it has stopped the run."""
    if shelf.state.stop == "budget":
        yield "budget raised", {settings.PATH: config()}


def taken_over(shelf: Shelf) -> Edits:
    """Another run begins in the same folder: it clears it, and puts drafts of its own there."""
    if not {places.STACK, places.DECISIONS} <= shelf.state.docs.keys():
        return
    mine = [path for path in shelf.state.docs if path.startswith(f"{places.HOME}/") and not places.is_common(path)]
    cleared = dict.fromkeys(mine)
    yield "cleared for another run", cleared
    stack = stacks.render(Stack(task_id="other_1767225601", created=1767225601, **dict(choices())))
    decided = architecture_decisions.render(architecture(), task_id="other_1767225601", created=1767225601)
    yield "another run's drafts", {**cleared, places.STACK: stack, places.DECISIONS: decided}
