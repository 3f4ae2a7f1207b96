"""Orchestration: a plan becomes a verified design and, once a person approves it, verified work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from signoff.artifacts.yaml_forms import Form
from signoff.core.declarations import Agent, Contract, Now, Parameter, Questionnaire, Reader
from signoff.core.errors import DocumentError
from signoff.core.events import Started
from signoff.core.findings import Finding
from signoff.core.permissions import RUN_COMMAND, WRITE_FILE, followed
from signoff.core.refs import Look
from signoff.core.state import State, replace
from signoff.core.table import Edge, Stage, stage_table
from signoff.core.workflow import ByCode, Documents, Limits, People, Setup, Views, Workflow
from signoff.workflows.orchestration import config, ids, places
from signoff.workflows.orchestration.commands import COMMANDS
from signoff.workflows.orchestration.design import (
    approvals,
    architecture,
    contracts,
    file_edits,
    instructions,
    risks,
    roster,
    verification,
)
from signoff.workflows.orchestration.design.turns import Handler
from signoff.workflows.orchestration.documents import plan_summary, review_questions, technology_stack
from signoff.workflows.orchestration.documents.parsers import parser
from signoff.workflows.orchestration.faults import FAULTS
from signoff.workflows.orchestration.outputs import FORMS, reader
from signoff.workflows.orchestration.personas import PERSONAS
from signoff.workflows.orchestration.state import SOURCES, Design, Shelf, own_of
from signoff.workflows.orchestration.trace import trace
from signoff.workflows.orchestration.views import request_pages, status
from signoff.workflows.orchestration.work import completion, execution, output_checks, replanning

# --- stages -----------------------------------------------------------------------------------------------------------

BACK: Final = tuple(f"to_{step}" for step in (*file_edits.JUMPS, "replaced"))
AGAIN: Final = tuple(dict.fromkeys((*(f"to_{step}" for step in approvals.AGAIN), *BACK)))
NEVER: Final = ("to_review", "to_replaced")
"""Steps to which no edit of an approved design leads, or which are listed already."""
STOPS: Final = ("blocked", "unverified", "at_limit")
"""The outcomes that may need a person."""


def _stage(name: str, enter: Handler, on: Handler, *outcomes: str) -> Stage:
    """A stage with its outcomes. An edit can interrupt every stage: it leads back, or the stage is done again."""
    return Stage(name=name, outcomes=(*outcomes, "redo", *BACK), enter=enter, on=on)


MENDING: Final = tuple(dict.fromkeys(f"mend_{step}" for step in verification.FIXED_BY.values()))
MENDED: Final = tuple(way for way in MENDING if way != "mend_sequence")
"""The areas that verification sends back; a person who rejects a design can also have it sequenced again."""
DESIGN = (
    _stage("architecture", architecture.enter_architecture, architecture.on_architecture, "done", "blocked"),
    _stage("review", architecture.enter_review, architecture.on_review, "done", "blocked"),
    _stage("questions", architecture.enter_questions, architecture.on_questions, "none", "done"),
    _stage("tactical", architecture.enter_tactical, architecture.on_tactical, "done", "blocked"),
    _stage("approve_architecture", *approvals.approval("architecture"), "approved", "rejected"),
    _stage("roster", roster.enter_roster, roster.on_roster, "done", "blocked"),
    _stage("approve_roster", *approvals.approval("roster"), "approved", "rejected"),
    _stage("create_agents", roster.enter_creation, roster.on_creation, "done", "created", "dropped"),
    _stage("contracts", contracts.enter_contracts, contracts.on_contracts, "done", "blocked"),
    _stage("sequence", contracts.enter_sequence, contracts.on_sequence, "done", "missing", "unverified", "again"),
    _stage("instructions", instructions.enter_instructions, instructions.on_instructions, "risks", "done", "blocked"),
    _stage("research", risks.enter_research, risks.on_research, "done", "blocked"),
    _stage("checklists", risks.enter_checklists, risks.on_checklists, "done", "blocked"),
    _stage("consultations", risks.enter_consultations, risks.on_consultations, "done", "blocked"),
    _stage("pocs", risks.enter_pocs, risks.on_pocs, "done", "blocked"),
    _stage("integration", risks.enter_integration, risks.on_integration, "done", "blocked", "unfit"),
    _stage(
        "verify", verification.enter_verify, verification.on_verify,
        "done", "adapted", "blocked", "at_limit", *MENDED,
    ),
    _stage("approve_design", *approvals.approval("design"), "approved", *MENDING),
)  # fmt: skip
STAGES = (
    *DESIGN,
    Stage(
        name="execute", outcomes=("done", "adapt", "redo", "to_replaced", *(way for way in AGAIN if way not in NEVER)),
        enter=execution.enter_execute, on=execution.on_execute,
    ),
    Stage(
        name="adapt", outcomes=("applied", "back", "redo", "to_replaced"),
        enter=replanning.enter_adapt, on=replanning.on_adapt,
    ),
    Stage(
        name="done", outcomes=("to_replaced", *(f"to_{step}" for step in completion.LEADS)),
        enter=completion.enter_done, on=completion.on_done,
    ),
    Stage(
        name="escalated",
        outcomes=tuple(
            dict.fromkeys((*(f"to_{stage.name}" for stage in DESIGN if {*STOPS} & {*stage.outcomes}), *AGAIN))
        ),
        enter=approvals.enter_escalated, on=approvals.on_escalated,
    ),
    Stage(name="replaced", outcomes=(), enter=approvals.enter_replaced, on=approvals.on_replaced),
)  # fmt: skip


# --- routing ----------------------------------------------------------------------------------------------------------


def _go(source: str, outcome: str, target: str) -> Edge:
    return Edge(source=source, outcome=outcome, target=target)


def _escalate(source: str, outcome: str, reason: str) -> Edge:
    def then(now: Now) -> Design:
        return replace(own_of(now.state), escalation_reason=reason, resume_to=source)

    return Edge(source=source, outcome=outcome, target="escalated", then=then)


def _unverified(now: Now) -> Design:
    """Why no agent is asked to fix the design: the rounds are used up, or code made what is wrong."""
    own = own_of(now.state)
    over = own.rounds.get("verify", 0) >= config.config_of(now.state, now.look).verification_rounds
    return replace(own, escalation_reason="verification_limit" if over else "made_by_code", resume_to="verify")


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
    Edge(source="verify", outcome="adapted", target="execute",
         then=lambda now: replace(own_of(now.state), digest=approvals.design_digest(now))),
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
    assert isinstance(now.event, Started)  # narrows the type: only a start makes a state
    run, created = str(now.event.params["slug"]), ids.epoch(now.event.at)
    task = ids.task_of(run)
    return Design(step="architecture", run=run, task=task, task_id=ids.task_id(task, created), created=created)


TABLE = stage_table(STAGES, EDGES, first=_first, edited=file_edits.edited)


# --- declaration ------------------------------------------------------------------------------------------------------

Checking = Callable[[Now, Any], Iterable[Finding]]
CHECKED: Final[Mapping[str, Checking]] = {
    "architecture": architecture.check_architecture,
    "tsa": architecture.check_tactical,
    "roster": roster.check_roster,
    "file-contracts": contracts.check_contracts,
    "checkpoints": contracts.check_checkpoints,
    "instructions": instructions.check_instructions,
    "research": risks.check_research,
    "checklist": risks.check_checklist,
    "consultation": risks.check_consultation,
    "pocs": risks.check_pocs,
    "poc-integration": risks.check_integration,
    "practices": risks.check_practices,
    "work": output_checks.check_work,
    "tactical": output_checks.check_tactical,
    "verdict": output_checks.check_verdict,
    "resolution": output_checks.check_resolution,
    "loop": output_checks.check_loop,
    "assessment": output_checks.check_assessment,
    "poc-decision": output_checks.check_decision,
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
"""The contract of each agent's output; the tactical architect has a second one, `tactical`."""

DOING: Final[Mapping[str, tuple[str, ...]]] = {
    "doer": (WRITE_FILE, RUN_COMMAND),
    "tactical-solution-architect": (WRITE_FILE, RUN_COMMAND),
    "verifier": (RUN_COMMAND,),
    "poc-evidence-reviewer": (RUN_COMMAND,),
}
"""The tools of agents that do more than give an output; each turn says which of them it allows."""


def _contract(name: str, form: type[Form]) -> Contract:
    def check(now: Now, value: Any) -> Sequence[Finding]:
        return tuple(CHECKED[name](now, value)) if name in CHECKED else ()

    return Contract(name=name, parse=reader(form), schema=cache(form.model_json_schema), check=check)


CONTRACTS: Final = {name: _contract(name, form) for name, form in FORMS.items()}


def _tracked(params: Mapping[str, Any]) -> Sequence[str]:
    run = str(params["slug"])
    return [config.PATH, f"{places.HOME}/", SOURCES, places.borrowed(run), places.answers(ids.task_of(run))]


def _follows(state: State, look: Look) -> Sequence[str]:
    """The files of the project that contracts name: agents read and write them, and people may edit them."""
    if places.CONTRACTS not in state.docs or own_of(state).step == "replaced":
        return ()
    return sorted(path for path in Shelf(state, look).contracts.paths if not path.startswith(f"{places.HOME}/"))


def _rests_on(state: State, look: Look) -> Sequence[str]:
    """The sources, the documents of the design, and the files that agents made; of a replaced run, nothing."""
    if own_of(state).step == "replaced":
        return ()
    made = _follows(state, look)
    design = (path for path in state.docs if path.startswith(f"{places.HOME}/") and path.endswith((".md", ".json")))
    return [SOURCES, *design, *(path for path in state.docs if followed(path, made))]


def _accepts(path: str, data: bytes) -> Sequence[Finding]:
    """What is wrong with a document that a person wrote; the run takes it in only if it can be read."""
    parse = parser(path)
    try:
        if parse:
            parse(data, path)
    except DocumentError as error:
        return error.findings
    return ()


def _ready(params: Mapping[str, Any], read: Reader) -> Sequence[Finding]:
    """A run begins with a plan that can be read, and does not overwrite the design of another run."""
    task = ids.task_of(str(params["slug"]))
    path = places.summary(task)
    data = read(path)
    if data is None:
        problem = f"there is no plan for {task}"
        repair = f"develop one with `signoff chat plan-developer`, or write {path}"
        return (Finding(rule="plan.missing", problem=problem, repair=repair, file=path),)
    try:
        plan_summary.parse(data, path)
    except DocumentError as error:
        return error.findings
    there = [path for path in (places.STACK, places.ROSTER, places.SEQUENCE) if read(path) is not None]
    if there and not params.get("replace"):
        problem = f"{places.HOME}/ holds a design already ({', '.join(there)})"
        repair = "continue its run, move the files away, or give it up with --replace; a project has one plan"
        if _is_of(task, read) and ids.run_of(task) != str(params["slug"]):
            repair = f"continue its run: `signoff run orchestration {ids.run_of(task)}`"
        return (Finding(rule="design.there", problem=problem, repair=repair, file=there[0]),)
    return ()


def _is_of(task: str, read: Reader) -> bool:
    """Whether the design in the folder is that of this task."""
    try:
        return ids.slug(technology_stack.parse(read(places.STACK) or b"", places.STACK).task_id) == task
    except DocumentError:
        return False


WORKFLOW = Workflow(
    name="orchestration",
    about="A plan becomes a verified design that a person approves, and then work, every piece of it verified.",
    package="signoff.workflows.orchestration",
    steps=TABLE,
    agents=tuple(
        Agent(name=name, contract=CONTRACTS[contract], tools=DOING.get(name, ())) for name, contract in AGENTS.items()
    ),
    contracts=tuple(CONTRACTS.values()),
    parameters=(
        Parameter(
            name="replace",
            about="give up the design in orchestration/; the run that made it keeps its files",
            kind=bool,
            flag=True,
        ),
    ),
    documents=Documents(
        tracked=_tracked,
        follows=_follows,
        made=request_pages.project,
        accepts=_accepts,
        rests_on=_rests_on,
        borrows=places.borrows,
        lends=lambda state, _look: risks.lends(own_of(state)),
    ),
    limits=Limits(budget=config.budget_of, models=config.models_of),
    setup=Setup(
        ready=_ready,
        scaffold=config.scaffold,
        starter={"0-sources/notes.md": "starter/notes.md"},
        opening="signoff chat plan-developer",
        example="signoff run orchestration user-management",
        slash="orchestrate",
    ),
    views=Views(
        status=status.status,
        summary=status.summary,
        trace=trace,
        picture=lambda: replace(TABLE, edges=MAIN).picture(),
    ),
    people=People(
        commands=COMMANDS,
        personas=PERSONAS,
        questionnaire=Questionnaire(
            path=lambda state: places.QUESTIONS if places.QUESTIONS in state.docs else None,
            read=review_questions.read,
            write=review_questions.write,
        ),
    ),
    by_code=ByCode(faults=FAULTS.planned),
)
