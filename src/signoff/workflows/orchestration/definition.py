"""Orchestration: a plan becomes a verified design, and after a yes the work, each piece of it verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE
from signoff.core.questions import Questionnaire
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.table import Edge, Move, Stage, mermaid, table
from signoff.core.workflow import Agent, Contract, Now, Parameter, Reader, Workflow
from signoff.workflows.orchestration import (
    amending,
    approving,
    architecting,
    concluding,
    config,
    designing,
    edits,
    escalating,
    executing,
    ids,
    judging,
    places,
    plan,
    questions,
    reopening,
    risking,
    stack,
    staffing,
    trying,
    views,
    working,
)
from signoff.workflows.orchestration.commands import COMMANDS
from signoff.workflows.orchestration.design import SOURCES, Design, Shelf, own_of
from signoff.workflows.orchestration.documents import parser
from signoff.workflows.orchestration.faults import FAULTS
from signoff.workflows.orchestration.outputs import FORMS, reader
from signoff.workflows.orchestration.personas import PERSONAS
from signoff.workflows.orchestration.trace import trace

# --- stages -----------------------------------------------------------------------------------------------------------

BACK: Final = tuple(f"to_{step}" for step in (*edits.JUMPS, "replaced"))
AGAIN: Final = tuple(dict.fromkeys((*(f"to_{step}" for step in approving.AGAIN), *BACK)))
NEVER: Final = ("to_review", "to_replaced")
"""Where no edit of an approved design leads, and what is named already."""
STOPS: Final = ("blocked", "unverified", "at_limit")
"""The outcomes that may need a person."""


def _stage(name: str, enter: Callable[[Now], Move], on: Callable[[Now], Move], *outcomes: str) -> Stage:
    """A stage with its outcomes; every stage can be interrupted by an edit, which leads back or does it again."""
    return Stage(name=name, outcomes=(*outcomes, "redo", *BACK), enter=enter, on=on)


def _approval(gate: str, *outcomes: str) -> Stage:
    return _stage(f"approve_{gate}", approving.enter_approval(gate), approving.on_approval(gate), "approved", *outcomes)


MENDING: Final = tuple(dict.fromkeys(f"mend_{step}" for step in judging.MENDS.values()))
MENDED: Final = tuple(way for way in MENDING if way != "mend_sequence")
"""What a verification can have mended; of a design, a person can also have the plan drawn again."""
WORK = (
    _stage("architecture", architecting.enter_architecture, architecting.on_architecture, "done", "blocked"),
    _stage("review", architecting.enter_review, architecting.on_review, "done", "blocked"),
    _stage("questions", architecting.enter_questions, architecting.on_questions, "none", "done"),
    _stage("tactical", architecting.enter_tactical, architecting.on_tactical, "done", "blocked"),
    _approval("architecture", "rejected"),
    _stage("roster", staffing.enter_roster, staffing.on_roster, "done", "blocked"),
    _approval("roster", "rejected"),
    _stage("create_agents", staffing.enter_creation, staffing.on_creation, "done", "created", "dropped"),
    _stage("contracts", designing.enter_contracts, designing.on_contracts, "done", "blocked"),
    _stage("sequence", designing.enter_sequence, designing.on_sequence, "done", "missing", "unverified", "again"),
    _stage("instructions", designing.enter_instructions, designing.on_instructions, "risks", "done", "blocked"),
    _stage("research", risking.enter_research, risking.on_research, "done", "blocked"),
    _stage("checklists", risking.enter_checklists, risking.on_checklists, "done", "blocked"),
    _stage("consultations", risking.enter_consultations, risking.on_consultations, "done", "blocked"),
    _stage("pocs", risking.enter_pocs, risking.on_pocs, "done", "blocked"),
    _stage("integration", risking.enter_integration, risking.on_integration, "done", "blocked", "unfit"),
    _stage("verify", judging.enter_verify, judging.on_verify, "done", "adapted", "blocked", "at_limit", *MENDED),
    _approval("design", *MENDING),
)
STAGES = (
    *WORK,
    Stage(
        name="execute", outcomes=("done", "adapt", "redo", "to_replaced", *(way for way in AGAIN if way not in NEVER)),
        enter=executing.enter_execute, on=executing.on_execute,
    ),
    Stage(
        name="adapt", outcomes=("applied", "back", "redo", "to_replaced"),
        enter=amending.enter_adapt, on=amending.on_adapt,
    ),
    Stage(
        name="done", outcomes=("to_replaced", *(f"to_{step}" for step in reopening.LEADS)),
        enter=concluding.enter_done, on=reopening.on_done,
    ),
    Stage(
        name="escalated",
        outcomes=tuple(
            dict.fromkeys((*(f"to_{stage.name}" for stage in WORK if {*STOPS} & {*stage.outcomes}), *AGAIN))
        ),
        enter=approving.enter_escalated, on=approving.on_escalated,
    ),
    Stage(name="replaced", outcomes=(), enter=approving.enter_replaced, on=approving.on_replaced),
)  # fmt: skip


# --- routing ----------------------------------------------------------------------------------------------------------


def _go(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


def _escalate(source: str, outcome: str, reason: str) -> Edge:
    def then(now: Now) -> Design:
        return replace(own_of(now.state), escalation_reason=reason, resume_to=source)

    return Edge(source=source, outcome=outcome, target="escalated", then=then)


def _unverified(now: Now) -> Design:
    """Why no agent is asked to mend the design: there were rounds enough, or only code could."""
    own = own_of(now.state)
    over = own.rounds.get("verify", 0) >= config.config_of(now.state, now.look).verification_rounds
    return replace(own, escalation_reason="verification_limit" if over else "made_by_code", resume_to="verify")


def _adapted(now: Now) -> Design:
    """An approved adaptation records the digest of the design as it is now."""
    return replace(own_of(now.state), digest=approving.design_digest(now))


MAIN = (
    _go("architecture", "done", "review"),
    _go("review", "done", "questions"),
    _go("questions", "none", "tactical"),
    _go("questions", "done", "tactical"),
    _go("tactical", "done", "approve_architecture"),
    _go("approve_architecture", "approved", "roster"),
    _go("approve_architecture", "rejected", "architecture"),
    _go("roster", "done", "approve_roster"),
    _go("approve_roster", "approved", "create_agents"),
    _go("approve_roster", "rejected", "roster"),
    _go("create_agents", "created", "create_agents"),
    _go("create_agents", "dropped", "roster"),
    _go("create_agents", "done", "contracts"),
    _go("contracts", "done", "sequence"),
    _go("sequence", "missing", "roster"),
    Edge(source="sequence", outcome="unverified", target="contracts",
         when=lambda now: own_of(now.state).rounds.get("unverified", 0) < 1,
         then=lambda now: own_of(now.state).counting("unverified")),
    _escalate("sequence", "unverified", "unverified_doer"),
    _go("sequence", "again", "sequence"),
    _go("sequence", "done", "instructions"),
    _go("instructions", "risks", "research"),
    _go("instructions", "done", "verify"),
    _go("research", "done", "checklists"),
    _go("checklists", "done", "consultations"),
    _go("consultations", "done", "pocs"),
    _go("pocs", "done", "integration"),
    _go("integration", "done", "sequence"),
    _go("integration", "unfit", "pocs"),
    _go("verify", "done", "approve_design"),
    *(_go("verify", way, way.removeprefix("mend_")) for way in MENDED),
    Edge(source="verify", outcome="at_limit", target="escalated", then=_unverified),
    _go("approve_design", "approved", "execute"),
    Edge(source="verify", outcome="adapted", target="execute", then=_adapted),
    _go("execute", "adapt", "adapt"),
    _go("execute", "done", "done"),
    _go("adapt", "applied", "sequence"),
    _go("adapt", "back", "execute"),
    *(_go("approve_design", way, way.removeprefix("mend_")) for way in MENDING),
    *(_escalate(stage.name, "blocked", "unusable_output") for stage in STAGES if "blocked" in stage.outcomes),
)  # fmt: skip

EDGES = (
    *MAIN,
    *(
        _go(stage.name, "redo", "execute" if stage.name == "adapt" else stage.name)
        for stage in STAGES
        if "redo" in stage.outcomes
    ),
    *(
        _go(stage.name, outcome, outcome.removeprefix("to_"))
        for stage in STAGES
        for outcome in stage.outcomes
        if outcome.startswith("to_")
    ),
)


def _first(now: Now) -> Design:
    assert isinstance(now.event, Started)  # narrows the type: only a start makes an own value
    run, created = str(now.event.params["slug"]), ids.epoch(now.event.at)
    task = ids.task_of(run)
    return Design(step="architecture", run=run, task=task, task_id=ids.task_id(task, created), created=created)


TABLE = table(STAGES, EDGES, first=_first, edited=edits.edited)


# --- declaration ------------------------------------------------------------------------------------------------------

Checking = Callable[[Now, Any], Sequence[Finding]]
CHECKED: Final[Mapping[str, Checking]] = {
    "architecture": architecting.check_architecture,
    "tsa": architecting.check_tactical,
    "roster": staffing.check_roster,
    "file-contracts": designing.check_contracts,
    "checkpoints": designing.check_checkpoints,
    "instructions": designing.check_instructions,
    "research": risking.check_research,
    "checklist": risking.check_checklist,
    "consultation": risking.check_consultation,
    "pocs": risking.check_pocs,
    "poc-integration": risking.check_integration,
    "practices": risking.check_practices,
    "work": working.check_work,
    "tactical": working.check_tactical,
    "verdict": working.check_verdict,
    "resolution": escalating.check_resolution,
    "loop": escalating.check_loop,
    "assessment": trying.check_assessment,
    "poc-decision": trying.check_decision,
}

AGENTS: Final = {
    "solution-architect": "architecture",
    "security-reviewer": "review",
    "database-reviewer": "review",
    "api-reviewer": "review",
    "frontend-reviewer": "review",
    "tactical-solution-architect": "tsa",
    "roster-designer": "roster",
    "file-structure-designer": "file-contracts",
    "checkpoint-designer": "checkpoints",
    "instruction-writer": "instructions",
    "best-practices-researcher": "research",
    "risk-checklist": "checklist",
    "doer-consultation": "consultation",
    "poc-recommendation": "pocs",
    "poc-integration": "poc-integration",
    "best-practices-integration": "practices",
    "design-verifier": "design-reading",
    "doer": "work",
    "verifier": "verdict",
    "escalation-resolution": "resolution",
    "loop-resolution": "loop",
    "poc-evidence-reviewer": "assessment",
    "poc-decision": "poc-decision",
}
"""The agents, and the contract under which each answers; the tactical architect has a second one, `tactical`."""

DOING: Final[Mapping[str, tuple[str, ...]]] = {
    "doer": (WRITE_FILE, RUN_COMMAND),
    "tactical-solution-architect": (WRITE_FILE, RUN_COMMAND),
    "verifier": (RUN_COMMAND,),
    "poc-evidence-reviewer": (RUN_COMMAND,),
}
"""What agents may do besides giving their output, in turns that let them."""


def _unchecked(_now: Now, _value: Any) -> Sequence[Finding]:
    return ()


CONTRACTS = {
    name: Contract(
        name=name, parse=reader(form), schema=cache(form.model_json_schema), check=CHECKED.get(name, _unchecked)
    )
    for name, form in FORMS.items()
}


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    run = str(params["slug"])
    return [config.PATH, f"{places.HOME}/", SOURCES, places.borrowed(run), places.answers(ids.task_of(run))]


def _follows(state: State, look: Look) -> Sequence[str]:
    """The files of the project that contracts name: agents read and write them, and people edit them meanwhile."""
    if places.CONTRACTS not in state.docs or own_of(state).step == "replaced":
        return ()
    contracts = Shelf(state, look).contracts.agents.values()
    named = {one.path for contract in contracts for one in contract.reads}
    named |= {one.path for contract in contracts for one in contract.writes}
    return sorted(path for path in named if not path.startswith(f"{places.HOME}/"))


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person wrote: it is said before anything is taken in."""
    parse = parser(path)
    try:
        if parse:
            parse(data, path)
    except DocumentError as error:
        return error.findings
    return ()


def _ready(params: Mapping[str, Any], read: Reader) -> Sequence[Finding]:
    """A run begins with a plan that can be read, and does not write over the design of another."""
    task = ids.task_of(str(params["slug"]))
    path = places.summary(task)
    data = read(path)
    if data is None:
        problem = f"there is no plan for {task}"
        repair = f"talk it over with `signoff chat plan-developer`, or write {path}"
        return (Finding(rule="plan.missing", problem=problem, repair=repair, file=path),)
    try:
        plan.parse(data, path)
    except DocumentError as error:
        return error.findings
    there = [path for path in (places.STACK, places.ROSTER, places.SEQUENCE) if read(path) is not None]
    if there and not params.get("replace"):
        problem = f"{places.HOME}/ holds a design already ({', '.join(there)})"
        repair = "go on with its run, move the files away, or give it up with --replace; a project carries one plan"
        if _is_of(task, read) and ids.run_of(task) != str(params["slug"]):
            repair = f"go on with it by `signoff run orchestration {ids.run_of(task)}`: that is its run"
        return (Finding(rule="design.there", problem=problem, repair=repair, file=there[0]),)
    return ()


def _is_of(task: str, read: Reader) -> bool:
    """Whether the design that lies there is of this task."""
    data = read(places.STACK)
    try:
        return data is not None and ids.slug(stack.parse(data, places.STACK).task_id) == task
    except DocumentError:
        return False


def _asked(state: State) -> str | None:
    return places.QUESTIONS if places.QUESTIONS in state.docs else None


def _lends(state: State, _look: Look) -> Mapping[str, str]:
    return risking.lends(own_of(state))


WORKFLOW = Workflow(
    name="orchestration",
    version=1,
    about="A plan becomes a verified design that a person approves, and then work, every piece of it verified.",
    package="signoff.workflows.orchestration",
    folder=lambda run: f"_workflow/orchestration/{run}",
    step=TABLE.step,
    agents={name: Agent(name=name, contract=contract, tools=DOING.get(name, ())) for name, contract in AGENTS.items()},
    contracts=CONTRACTS,
    gates={},
    tracked=_tracked,
    follows=_follows,
    sources=lambda _params: [],
    budget=config.budget_of,
    models=config.models_of,
    project=views.project,
    status=views.status,
    accepts=_accepts,
    ready=_ready,
    borrows=places.borrows,
    lends=_lends,
    scaffold=config.scaffold,
    starter={"0-sources/notes.md": "starter/notes.md"},
    opening="signoff chat plan-developer",
    summary=views.summary,
    parameters=(
        Parameter(
            name="replace",
            about="give up the design that lies in orchestration/; its bytes stay in the run that made it",
            kind=bool,
            flag=True,
        ),
    ),
    faults=FAULTS.planned,
    trace=trace,
    commands=COMMANDS,
    personas=PERSONAS,
    questionnaire=Questionnaire(path=_asked, read=questions.read, write=questions.write),
    example="signoff run orchestration user-management",
    slash="orchestrate",
    picture=lambda: mermaid(replace(TABLE, edges=MAIN)),
)
