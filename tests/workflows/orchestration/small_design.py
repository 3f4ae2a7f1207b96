"""One small sound design: three doers, their verifiers and a PoC, as values and as the files that hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import ids, places
from signoff.workflows.orchestration.checks import design_files
from signoff.workflows.orchestration.checks.design_files import DesignFiles
from signoff.workflows.orchestration.documents import (
    agent_instructions,
    architecture_decisions,
    plan_summary,
    risks,
    shared_status,
)
from signoff.workflows.orchestration.documents import agent_roster as who
from signoff.workflows.orchestration.documents import contracts as file_contracts
from signoff.workflows.orchestration.documents import technology_stack as chosen
from signoff.workflows.orchestration.documents.agent_roster import Member, Roster
from signoff.workflows.orchestration.documents.architecture_decisions import Architecture, Decision
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoint,
    Checkpoints,
    Criterion,
    FailureMode,
    FileContract,
    FileContracts,
    Read,
    Written,
)
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.risks import (
    CATEGORIES,
    Checklist,
    Consultation,
    Failure,
    Findings,
    Item,
    Poc,
    PocSpecs,
    Practice,
    Risk,
)
from signoff.workflows.orchestration.documents.technology_stack import Layer, Stack
from signoff.workflows.orchestration.outputs import InstructionsOutput, Use
from signoff.workflows.orchestration.sequence import sequencer, waits, work_sequence
from signoff.workflows.orchestration.views import coordination_plan, risk_report

TASK, CREATED = "user_management", 1727539200
TASK_ID = ids.task_id(TASK, CREATED)
TEMPLATE = f"{places.PROTOCOLS}orchestration_doer_agent_template.md"
VERIFIER_TEMPLATE = f"{places.PROTOCOLS}orchestration_verifier_agent_template.md"
SCHEMA = f"{places.output('database_agent')}schema.sql"
OPENAPI = f"{places.output('api_agent')}openapi.json"
ASSUMPTION = "A unique index on email can be added while people sign up"
PRACTICE = "Create indexes concurrently on tables that are written to"

ACTIONS = {
    "database_agent": ("Design the users table", "Write the migration", "Add the unique index on email"),
    "api_agent": ("Write the endpoint for sign-up", "Write the endpoint for profiles", "Describe both in OpenAPI"),
    "frontend_agent": ("Build the form for sign-up", "Build the profile page", "Show what the API refuses"),
}


def stack() -> Stack:
    return Stack(
        task_id=TASK_ID,
        created=CREATED,
        technology_stack={
            "database": Layer(primary="PostgreSQL 15", rationale="The team runs it"),
            "backend": Layer(language="Python 3.11", framework="FastAPI", rationale="The team knows it"),
        },
    )


# --- who, with which files, proven by what ----------------------------------------------------------------------------


def doer(name: str, role: str, *after: str) -> Member:
    actions = ACTIONS[name]
    return Member(
        role=role, template=TEMPLATE, dependencies=after, plan_actions=actions, plan_action_sources=actions,
        task_id=ids.task_id(name, CREATED), exists=True,
    )  # fmt: skip


def roster() -> Roster:
    """The verifiers of database and api are their own; that of the frontend is named in the checkpoints."""
    return Roster(
        task_id=TASK_ID,
        created=CREATED,
        agents={
            "database_agent": doer("database_agent", "Make the users table"),
            "api_agent": doer("api_agent", "Serve users over HTTP", "database_agent"),
            "frontend_agent": doer("frontend_agent", "Let people sign up", "api_agent"),
            "usability_verifier": Member(
                role="Try the pages as a person would", kind="verifier", agent_type=ids.VERIFIER_TYPE,
                template=VERIFIER_TEMPLATE, task_id=ids.task_id("usability_verifier", CREATED), exists=True,
            ),
            "index_poc": Member(
                role=f"Try: {ASSUMPTION}", kind="poc", agent_type="database_agent",
                template=TEMPLATE, poc_id="poc_001", gates=("database_agent",),
                task_id=ids.task_id("index_poc", CREATED), exists=True,
            ),
        },
    )  # fmt: skip


def read(path: str, source: str | None = None, form: str = "") -> Read:
    return Read.model_validate({"path": path, "from": source, "format": form})


def contracts() -> FileContracts:
    return FileContracts(
        task_id=TASK_ID,
        created=CREATED,
        agents={
            "database_agent": FileContract(
                reads=(read("README.md", None, "markdown"),),
                writes=(Written(path=SCHEMA, format="sql"), Written(path="db/migrations/**", format="sql")),
                resources=("the test database",),
            ),
            "api_agent": FileContract(
                reads=(read(SCHEMA, "database_agent", "sql"),),
                writes=(Written(path=OPENAPI, format="json"), Written(path="src/api/users.py", format="python")),
            ),
            "frontend_agent": FileContract(
                reads=(read(OPENAPI, "api_agent", "json"),),
                writes=(Written(path="web/users.tsx", format="tsx"),),
            ),
            "index_poc": FileContract(
                writes=(Written(path=f"{places.output('index_poc')}**", description="the evidence of the PoC"),)
            ),
        },
    )


def checkpoint(number: int, name: str, text: str, evidence: str, verifier: str | None = None) -> Checkpoint:
    return Checkpoint(
        id=f"CP-{number}",
        doer=name,
        verifier=verifier,
        criteria=(Criterion(id=f"C-{number}", text=text, evidence=evidence, command="pytest -q"),),
        failure_modes=(FailureMode(mode="A test fails", remediation="Mend what it shows and run all of them again"),),
    )


def checkpoints() -> Checkpoints:
    return Checkpoints(
        task_id=TASK_ID,
        created=CREATED,
        checkpoints=(
            checkpoint(1, "database_agent", "The migration runs up and down", "The log of both runs"),
            checkpoint(2, "api_agent", "Both endpoints answer as OpenAPI says", "The report of the contract tests"),
            checkpoint(
                3, "frontend_agent", "A person can sign up", "A recording of the browser test", "usability_verifier"
            ),
        ),
    )


# --- risks ------------------------------------------------------------------------------------------------------------


def risk(name: str = "R1", **fields: str) -> Risk:
    plain = {
        "id": name, "category": "availability", "description": "Building the index locks the table",
        "assumption": ASSUMPTION, "likelihood": "medium", "impact": "high", "evidence": "The table has 40 million rows",
        "checklist_item": "I-availability",
    }  # fmt: skip
    return Risk.model_validate(plain | fields)


def checklist() -> Checklist:
    items = (
        Item(id=f"I-{category}", category=category, question=f"What of {category}?", why="It has happened")
        for category in CATEGORIES
    )
    return Checklist(agent_type="database_agent", prompt="What could go wrong?", items=tuple(items))


def consultations() -> tuple[Consultation, ...]:
    bearable = risk(
        "R2", category="dependencies", impact="high", likelihood="high", assumption="The theme stays as it is"
    )
    return (
        Consultation(agent="database_agent", risks=(risk(),)),
        Consultation(
            agent="api_agent", risks=(risk("R3", category="security", impact="low", assumption="HTTPS is on"),)
        ),
        Consultation(agent="frontend_agent", risks=(bearable,)),
    )


def research() -> tuple[Findings, ...]:
    return (
        Findings(
            technology="PostgreSQL",
            version="15",
            best_practices=(Practice(practice=PRACTICE, why="A plain one locks", source="PostgreSQL 15 manual, 11.2"),),
            failure_patterns=(
                Failure(
                    pattern="A concurrent build that fails leaves an invalid index", consequence="It slows writes",
                    category="availability", source="PostgreSQL 15 manual, CREATE INDEX",
                ),
            ),
        ),
    )  # fmt: skip


def poc(**fields: object) -> Poc:
    plain = {
        "poc_id": "poc_001", "agent": "database_agent", "assumption": ASSUMPTION,
        "pass": ["No insert waits longer than a second"], "fail": ["An insert waits longer than a second"],
        "evidence": ["The log of inserts while the index is built"], "gates": ["database_agent"],
    }  # fmt: skip
    return Poc.model_validate(plain | fields)


def specs() -> PocSpecs:
    return PocSpecs(pocs=(poc(),), borne={"R2": "The theme is ours"})


# --- the files --------------------------------------------------------------------------------------------------------


def summary() -> Plan:
    return Plan(
        task=TASK,
        goal="People can sign up and see their profile.",
        constraints=tuple(action for actions in ACTIONS.values() for action in actions),
        open_items=("How long a session lasts",),
    )


def architecture() -> Architecture:
    decision = Decision(title="One table", context="Users", decision="One table", rationale=("It is enough",))
    return Architecture(
        executive_summary="A table, an API and two pages.", overview="PostgreSQL, FastAPI.", decisions=(decision,),
        integration="None.", security="Passwords are hashed.", deployment="As before.",
    )  # fmt: skip


@dataclass
class Small:
    """The design as values; `files` are what code and agents make of them."""

    plan: Plan = field(default_factory=summary)
    stack: Stack = field(default_factory=stack)
    roster: Roster = field(default_factory=roster)
    contracts: FileContracts = field(default_factory=contracts)
    checkpoints: Checkpoints = field(default_factory=checkpoints)
    specs: PocSpecs = field(default_factory=specs)

    def order(self) -> work_sequence.Sequence:
        """The sequence; of a design that has none, that of the sound one."""
        try:
            return sequencer.sequence(self.roster, self.contracts, self.checkpoints)
        except DocumentError:
            return sequencer.sequence(roster(), contracts(), checkpoints())

    def told(self, name: str) -> str:
        """The instructions of one agent."""
        contract = self.contracts.agents.get(name, FileContract())
        given = InstructionsOutput(
            agent=name[: ids.LONGEST],
            task="Do what the plan says.",
            inputs=tuple(Use(path=one.path, purpose="To build on") for one in contract.reads),
            outputs=tuple(Use(path=one.path, purpose="To hand on") for one in contract.writes),
            evidence=("What the command printed",),
        )
        team, _ = waits.crew(self.roster, self.checkpoints)
        kind = "verifier" if name in team.verified else "doer"
        template = agent_instructions.TEMPLATES[f"orchestration_{kind}_agent_template.md"]
        return agent_instructions.render(name, given, template, contract, self.proof(name), [PRACTICE])

    def proof(self, name: str) -> list[Checkpoint]:
        team, _ = waits.crew(self.roster, self.checkpoints)
        if name in team.pocs:
            return [
                agent_instructions.poc_checkpoint(one)
                for one in self.specs.pocs
                if one.poc_id == self.roster.agents[name].poc_id
            ]
        return [one for one in self.checkpoints.checkpoints if one.doer in team.verified.get(name, [name])]

    def texts(self) -> dict[str, str]:
        """Every file, by its path."""
        order = self.order()
        team, _ = waits.crew(self.roster, self.checkpoints)
        return {
            places.summary(TASK): plan_summary.render(self.plan),
            places.STACK: chosen.render(self.stack),
            places.DECISIONS: architecture_decisions.render(architecture(), task_id=TASK_ID, created=CREATED),
            places.ROSTER: who.render(self.roster),
            places.CONTRACTS: file_contracts.render(self.contracts),
            places.CHECKPOINTS: file_contracts.render(self.checkpoints),
            places.SEQUENCE: work_sequence.render(order),
            places.STATUS: shared_status.render(shared_status.initial(self.roster, order, CREATED)),
            places.COORDINATION: coordination_plan.render(self.plan, self.roster, order, self.checkpoints, self.specs),
            places.POC_SPECS: risks.render(self.specs),
            places.RISK_REPORT: risk_report.report(consultations(), self.specs, research(), {}),
            **{places.instructions(name): self.told(name) for name in sorted({*team.units, *team.verified})},
        }

    def files(self) -> DesignFiles:
        """The design as it is verified; the project has a README."""
        return design_files.read(self.texts(), TASK)
