"""The eight personas of orchestration: what they ask, what comes of it under its contract, and who comes next."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.agent_files import parse_agent
from signoff.core.commands import Ask
from signoff.core.errors import UsageError
from signoff.core.personas import Persona, Said, Scene, Settling, Way, upcoming
from signoff.workflows.orchestration import ids, outputs, places
from signoff.workflows.orchestration.documents import agent_roster, contracts, design_verification, plan_summary
from signoff.workflows.orchestration.documents.agent_instructions import TEMPLATES, template_findings
from signoff.workflows.orchestration.documents.agent_roster import CreationGuidance, Member, RegistryEntry, Roster
from signoff.workflows.orchestration.documents.contracts import FileContracts
from signoff.workflows.orchestration.documents.design_verification import Verification
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.personas import PERSONAS
from signoff.workflows.orchestration.personas.plan_developer import inferred
from signoff.workflows.orchestration.personas.questions import bare, task_of, unsure
from signoff.workflows.orchestration.personas.solution_architect import QUESTIONS
from signoff.workflows.orchestration.personas.workflow_adaptation import KINDS
from signoff.workflows.orchestration.personas.workflow_designer import own_template

TASK = "user_management"
PLANNING, ARCHITECT = PERSONAS["plan-developer"], PERSONAS["solution-architect"]
DESIGNER, VERIFIER = PERSONAS["workflow-designer"], PERSONAS["design-verifier"]
GOAL = "We want user management for the portal."


def scene(files: Mapping[str, str] | None = None, *, task: str = TASK, **notes: Any) -> Scene:
    held = {path: text.encode() for path, text in (files or {}).items()}
    return Scene(task=task, read=held.get, files=tuple(held), notes=notes)


def talked(persona: Persona, answers: Iterator[str], where: Scene) -> dict[str, str]:
    """What was said when somebody gives these answers, and where they run out nothing, or what does where one must."""
    said: dict[str, str] = {}
    assert persona.interview is not None
    for _ in range(200):
        question = upcoming(persona.interview.questions(said, where), said)
        if question is None:
            return said
        said[question.key] = next(answers, "because" if question.must else "")
    raise AssertionError("it goes on asking")


def made(persona: Persona, said: Said, where: Scene) -> Any:
    """What comes of it, as its contract reads it."""
    assert persona.interview is not None
    raw = persona.interview.output(said, where).encode()
    contract = persona.artifact.contract if persona.artifact else "design-reading"
    return outputs.reader(outputs.FORMS[contract])(raw, "output")


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-1")
def test_there_are_eight_and_each_names_the_next() -> None:
    assert list(PERSONAS) == [
        "plan-developer", "solution-architect", "workflow-designer", "risk-assessment", "design-verifier",
        "workflow-executor", "escalation-resolution", "workflow-adaptation",
    ]  # fmt: skip
    assert [persona.next for persona in PERSONAS.values()] == [*list(PERSONAS)[1:6], "", *["workflow-executor"] * 2]


@pytest.mark.req("OR-1")
@pytest.mark.parametrize("name", PERSONAS)
def test_each_has_a_guide_and_needs_files_that_a_persona_before_it_makes(name: str) -> None:
    file = importlib.resources.files("signoff.workflows.orchestration") / "personas" / f"{name}.md"
    assert parse_agent(file.read_text("utf-8"), f"{name}.md").name == name
    makers = {need.maker for need in PERSONAS[name].needs(TASK)}
    assert makers <= set(list(PERSONAS)[: min(list(PERSONAS).index(name), 6)])
    assert bool(makers) is (name != "plan-developer")


@pytest.mark.req("OR-1")
def test_what_is_for_execution_needs_what_only_execution_makes() -> None:
    for name in ("escalation-resolution", "workflow-adaptation"):
        [last] = [need for need in PERSONAS[name].needs(TASK) if need.maker == "workflow-executor"]
        assert last.path == "orchestration/agents/*/completion_drive/session_current.json"


@pytest.mark.parametrize("typed", ["user_management", "user-management", " user_management "])
def test_a_task_is_named_by_itself_or_by_its_run(typed: str) -> None:
    assert task_of(typed) == TASK
    assert ids.run_of(task_of(typed)) == "user-management"


@pytest.mark.parametrize("typed", ["", "User", "a__b", "_a", "1a", "../a", "a b", "a" * 81, "ä"])
def test_what_is_no_name_is_refused_with_what_is_one(typed: str) -> None:
    with pytest.raises(UsageError, match=r"is not a name for a task\. Valid: small letters"):
        task_of(typed)


# --- plan-developer ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
@pytest.mark.parametrize(
    ("goal", "name"),
    [
        (GOAL, "user_management"),
        ("Members forget to bring tools back. We want reminders.", "reminders"),
        ("Reminders for loans", "reminders_loans"),
        ("I need to replace our old billing system with a new one", "old_billing_system"),
        ("Let’s set up a data warehouse in Berlin", "data_warehouse"),
        ("Build a REST API so that the app can book", "rest_api"),
        ("Für die Bücherei", "fur_die_bucherei"),
        ("3 new reports", "reports"),
        ("给用户提醒", ""),
        ("We want to", ""),
    ],
)
def test_a_name_for_the_task_is_inferred_from_the_goal(goal: str, name: str) -> None:
    assert inferred(goal) == name


@pytest.mark.req("OR-5")
@given(st.text())
def test_an_inferred_name_is_a_name_or_none(goal: str) -> None:
    name = inferred(goal)
    assert not name or task_of(name[:80].rstrip("_")) or len(name) > 80


@pytest.mark.req("OR-5")
def test_the_inferred_name_is_put_to_the_person_and_not_taken_for_granted() -> None:
    said = {"goal": GOAL}
    assert PLANNING.interview is not None
    question = upcoming(PLANNING.interview.questions(said, scene(task="")), said)
    assert question is not None
    assert (question.key, question.recommendation, question.answer) == ("task", "user_management", "")
    there = scene({places.summary(TASK): "old"}, task="")
    question = upcoming(PLANNING.interview.questions(said, there), said)
    assert question is not None
    assert "There is already a summary of user_management" in question.text


@pytest.mark.parametrize(("name", "wrong"), [("User Management", True), ("", True), ("user_management", False)])
def test_a_name_that_is_none_is_asked_for_again(name: str, wrong: bool) -> None:
    said = {"goal": GOAL, "task": name}
    assert PLANNING.interview is not None
    question = upcoming(PLANNING.interview.questions(said, scene(task="")), said)
    assert question is not None
    assert (question.key == "task") is wrong


ANSWERS = (
    GOAL, "user_management", "Sixty readers have their account.",
    "Accounts are in SQLite", "A backup is one file.", "PostgreSQL,\nbecause somebody has to look after it",
    "Nobody is deleted", "Loans point to users.", "", "",
    "Python 3.11 only", "", "Addresses are unique", "",
    "Are passwords taken over?", "No.", "",
    "How long reports are kept", "",
    "The portal calls it", "",
)  # fmt: skip


@pytest.mark.req("OR-5")
def test_what_was_said_becomes_the_plan_and_the_summary_says_it_again() -> None:
    said = talked(PLANNING, iter(ANSWERS), scene(task=""))
    found = made(PLANNING, said, scene(task=""))
    assert isinstance(found, Plan)
    assert found.model_dump(mode="json") == {
        "task": TASK,
        "goal": f"{GOAL}\n\nIt is done when this is so: Sixty readers have their account.",
        "decisions": [
            {
                "decision": "Accounts are in SQLite",
                "rationale": "A backup is one file.",
                "alternatives": "PostgreSQL, because somebody has to look after it",
            },
            {"decision": "Nobody is deleted", "rationale": "Loans point to users.", "alternatives": ""},
        ],
        "constraints": ["Python 3.11 only", "Assumption: Addresses are unique"],
        "resolved": [{"question": "Are passwords taken over?", "answer": "No."}],
        "open_items": ["How long reports are kept"],
        "dependencies": ["The portal calls it"],
    }
    assert PLANNING.artifact is not None
    text = PLANNING.artifact.render(found)
    assert plan_summary.parse(text.encode(), PLANNING.artifact.path.format(task=TASK)) == found


@pytest.mark.parametrize(
    ("text", "doubt", "all_of_it"),
    [
        ("not sure", True, True),
        ("Not sure yet.", True, True),
        ("I'm not sure whether mails may leave the town", True, False),
        ("we don’t know", True, True),
        ("TBD", True, True),
        ("??", True, True),
        ("to be decided by Anna", True, False),
        ("Nothing is sure", False, False),
        ("A sure thing", False, False),
        ("knowledge base", False, False),
        ("tbdata", False, False),
        ("", False, False),
    ],
)
def test_whoever_is_not_sure_is_heard(text: str, doubt: bool, all_of_it: bool) -> None:
    assert (unsure(text), bare(text)) == (doubt, all_of_it)


@pytest.mark.req("OR-5")
def test_what_somebody_is_not_sure_of_becomes_an_open_item_with_who_could_settle_it() -> None:
    answers = (
        GOAL, "=", "tbd", "the librarians",
        "not sure which database", "Anna",
        "Nobody is deleted", "no idea", "the auditors", "", "",
        "?", "", "", "I am not sure that addresses are unique", "", "",
        "Are passwords taken over?", "not sure", "the portal team", "",
        "", "unclear", "not sure", "",
    )  # fmt: skip
    where = scene()
    said = talked(PLANNING, iter((answers[0], *answers[2:])), where)
    found = made(PLANNING, said, where)
    assert found.open_items == (
        "How one would see that it is done. To be settled by: the librarians",
        "What is to be decided: not sure which database. To be settled by: Anna",
        "Why “Nobody is deleted”? To be settled by: the auditors",
        "What limits it.",
        "What is taken for granted: I am not sure that addresses are unique.",
        "Are passwords taken over? To be settled by: the portal team",
        "What it depends on, or connects to.",
    )
    assert [one.decision for one in found.decisions] == ["Nobody is deleted"]
    assert found.decisions[0].rationale == "Not said yet: see the open items."
    assert (found.constraints, found.resolved, found.dependencies) == ((), (), ())


@pytest.mark.req("OR-5")
@pytest.mark.parametrize("goal", ["", "  ", "not sure"])
def test_there_is_no_plan_without_a_goal(goal: str) -> None:
    said = {"goal": goal}
    assert PLANNING.interview is not None
    question = upcoming(PLANNING.interview.questions(said, scene()), said)
    assert question is not None
    assert (question.key, question.verdict[:24]) == ("goal", "Every later document ref")


@pytest.mark.req("OR-5")
@given(st.lists(st.sampled_from(["", "not sure", "yes", "- x\n# y", "a: b", "Q: c"]), max_size=60))
def test_whatever_is_said_ends_in_a_plan_whose_summary_reads_back(answers: list[str]) -> None:
    where = scene()
    found = made(PLANNING, talked(PLANNING, iter(["A goal", *answers]), where), where)
    assert PLANNING.artifact is not None
    assert plan_summary.parse(PLANNING.artifact.render(found).encode(), places.summary(TASK)) == found


# --- solution-architect -----------------------------------------------------------------------------------------------

SUMMARY = plan_summary.render(
    Plan.model_validate(
        {
            "task": TASK,
            "goal": "A REST API for the users of the portal, with their accounts in a database.",
            "decisions": [{"decision": "Accounts are kept in SQLite", "rationale": "A backup is one file."}],
        }
    )
)


def test_the_architect_asks_about_scale_team_integration_security_and_deployment() -> None:
    assert list(QUESTIONS) == ["scale", "team", "integration", "security", "deployment"]
    assert ARCHITECT.interview is not None
    assert [one.key for one in ARCHITECT.interview.questions({}, scene())] == list(QUESTIONS)


@pytest.mark.req("OR-1")
def test_the_architect_asks_and_composes_nothing_itself() -> None:
    where = scene({places.summary(TASK): SUMMARY})
    said = talked(ARCHITECT, iter(["60 users", "not sure", "", "", "On one Debian box"]), where)
    assert list(said) == ["scale", "team", "integration", "security", "deployment"]
    assert ARCHITECT.interview is not None
    assert ARCHITECT.interview.output is None


def test_an_architecture_that_was_sent_back_is_asked_about_first() -> None:
    where = scene({places.summary(TASK): SUMMARY}, rejected="No SQLite, please.")
    assert ARCHITECT.interview is not None
    first = next(ARCHITECT.interview.questions({}, where))
    assert (first.title, first.text) == (
        "What should be different this time?",
        "It was sent back: No SQLite, please.",
    )
    said = talked(ARCHITECT, iter(["PostgreSQL 15 instead"]), where)
    again = scene({places.summary(TASK): SUMMARY}, rejected="MySQL, please.")
    assert upcoming(ARCHITECT.interview.questions(said, again), said) is not None, "each rejection is asked about"


# --- requests ---------------------------------------------------------------------------------------------------------

ENTRY = RegistryEntry(
    agent_type="data_migration_agent",
    template=f"{places.PROTOCOLS}orchestration_doer_agent_template.md",
    capabilities=("data_migration", "rollback"),
    description="Moves data",
)


def member(**changes: Any) -> Member:
    base: dict[str, Any] = {"role": "Does it", "task_id": "do_it_1727539200", "exists": True}
    return Member.model_validate({**base, **changes})


ROSTER = agent_roster.render(
    Roster(
        task_id="user_management_1727539200",
        created=1727539200,
        agents={
            "api_agent": member(
                dependencies=("data_migration_agent",), plan_actions=("Serve it",), plan_action_sources=("the portal",)
            ),
            "data_migration_agent": member(
                exists=False,
                creation_guidance=CreationGuidance(
                    reason="Nobody can roll back", base_template=ENTRY.template, registry_entry=ENTRY
                ),
            ),
        },
        missing_agents=("data_migration_agent",),
        requires_user_action=True,
    )
)
HERE = scene({places.ROSTER: ROSTER})


def ask(key: str, kind: str = "approval", options: tuple[str, ...] = ("approve", "reject"), **notes: Any) -> Ask:
    return Ask(key=key, kind=kind, options=options, question="?", notes=notes)


CREATE = ask("agent-data_migration_agent", "choice", ("create", "drop"))
REQUESTS = {
    "architecture": (ask("architecture"), "solution-architect"),
    "questions": (ask("questions", "answers", ("continue",)), "solution-architect"),
    "roster": (ask("roster"), "workflow-designer"),
    "agent": (CREATE, "workflow-designer"),
    "cycle": (ask("cycle", "choice", ("redesign", "again")), "workflow-designer"),
    "verifier": (ask("verifier", "choice", ("separate", "serialise")), "workflow-designer"),
    "design": (ask("design"), "design-verifier"),
    "failed": (ask("failed-api_agent", "choice", ("retry", "guide", "adapt", "abandon")), "workflow-executor"),
    "verification": (
        ask("verification-api_agent", "choice", ("modify", "guide", "adapt", "abandon")), "workflow-executor",
    ),
    "poc": (ask("poc-poc_001_agent", "choice", ("proceed", "retry", "adapt", "abandon")), "workflow-executor"),
    "abandoned": (ask("abandoned-api_agent", "choice", ("remove", "adapt", "retry", "end")), "workflow-executor"),
    "escalation": (ask("escalation-api_agent", "choice", ("answer", "adapt")), "escalation-resolution"),
    "adaptation": (ask("adaptation"), "workflow-adaptation"),
    "edits": (ask("edits", "choice", ("drop",)), "workflow-adaptation"),
    "budget": (ask("budget", "budget", ("resume",)), None),
}  # fmt: skip


def settling(persona: Persona, request: Ask) -> Settling:
    found = persona.settle(request, HERE)
    assert found is not None
    return found


def way(persona: Persona, request: Ask, word: str) -> Way:
    [found] = [way for way in settling(persona, request).ways if way.word == word]
    return found


@pytest.mark.req("OR-1")
@pytest.mark.parametrize("name", REQUESTS)
def test_each_request_is_one_personas_and_every_option_has_a_way(name: str) -> None:
    request, owner = REQUESTS[name]
    found = {persona.name: persona.settle(request, HERE) for persona in PERSONAS.values()}
    owners = [owner, *(["workflow-adaptation"] if "adapt" in request.options else [])] if owner else []
    assert [one for one, put in found.items() if put] == owners
    acts = [{one.act for one in put.ways} for put in found.values() if put]
    assert set().union(*acts) == (set(request.options) if owner else set())
    assert sum(map(len, acts)) == len(set().union(*acts)), "no option is two personas'"


@pytest.mark.req("OR-10")
def test_the_roster_is_shown_with_actions_sources_and_who_is_missing_and_goes_four_ways() -> None:
    put = settling(DESIGNER, ask("roster"))
    for line in (
        "## api_agent: Does it",
        "waits for: data_migration_agent",
        "1. Serve it  <- “the portal”",
        "## data_migration_agent (missing): Does it",
        "why it is needed: Nobody can roll back",
    ):
        assert line in put.shown.splitlines()
    assert {one.word: one.act for one in put.ways} == {
        "proceed": "approve", "modify": "reject", "add": "reject", "remove": "reject",
    }  # fmt: skip
    said = {"reason": " a documentation agent "}
    reasons = {one.word: one.payload(said)["reason"] for one in put.ways if one.act == "reject"}
    assert reasons == {
        "modify": "a documentation agent",
        "add": "Add: a documentation agent",
        "remove": "Remove: a documentation agent",
    }


def test_a_roster_that_cannot_be_read_is_said_to_be_and_not_made_up() -> None:
    put = DESIGNER.settle(ask("roster"), scene({places.ROSTER: "{"}))
    assert put is not None
    assert put.shown == "orchestration/agent_roster.json cannot be read; look at it before you decide."


def answered(create: Way, *answers: str) -> dict[str, str]:
    said: dict[str, str] = {}
    given = iter(answers)
    while (question := upcoming(create.questions(said), said)) is not None:
        said[question.key] = question.recommendation if (answer := next(given, "")) == "=" else answer
    return said


@pytest.mark.req("OR-11")
def test_a_missing_agent_is_made_from_what_was_proposed_and_what_was_said() -> None:
    create = way(DESIGNER, CREATE, "create")
    plain = create.payload(answered(create, "=", "="))
    assert plain == {"entry": ENTRY.model_dump(mode="json"), "template": None}
    said = answered(
        create, "Moves accounts", "sql, rollback", "The legacy file", "never write to {{task}}", "", "a dump"
    )
    own = create.payload(said)
    assert own["entry"] == {
        **ENTRY.model_dump(mode="json"),
        "description": "Moves accounts",
        "capabilities": ["sql", "rollback"],
        "template": "orchestration/templates/data_migration_agent_template.md",
    }
    told = "- Data: The legacy file\n- Limits: never write to { {task} }\n- Way back: a dump\n\n{{task}}"
    assert own["template"] == TEMPLATES["orchestration_doer_agent_template.md"].replace("{{task}}", told)
    assert tuple(template_findings(own["template"], "t")) == ()
    assert create.takes is not None
    assert not create.takes.check(plain)
    assert not create.takes.check(own)


@pytest.mark.req("OR-11")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"entry": None}, "`entry`: "),
        ({"entry": {**ENTRY.model_dump(mode="json"), "description": ""}}, "`entry.description`: "),
        ({"entry": {**ENTRY.model_dump(mode="json"), "agent_type": "api_agent"}}, "the entry is for 'api_agent'"),
        ({"template": 7}, "the template is not a text"),
        ({"template": "# x"}, "; valid: orchestration/templates/data_migration_agent_template.md"),
        ({"path": "x"}, "`path` is not a field here; valid: entry, template"),
    ],
)
def test_what_goes_with_a_creation_is_checked_wherever_it_was_made(changes: dict[str, Any], said: str) -> None:
    create = way(DESIGNER, CREATE, "create")
    assert create.takes is not None
    found = create.takes.check({"entry": ENTRY.model_dump(mode="json"), "template": None, **changes})
    assert any(said in one.problem for one in found), found
    assert set(create.takes.schema()["properties"]) == {"entry", "template"}


@pytest.mark.req("OR-11")
def test_a_template_that_could_not_be_filled_is_refused() -> None:
    create = way(DESIGNER, CREATE, "create")
    assert create.takes is not None
    entry = {**ENTRY.model_dump(mode="json"), "template": own_template("data_migration_agent")}
    found = create.takes.check({"entry": entry, "template": "# No headings\n"})
    assert {one.rule for one in found} >= {"template.placeholder"}


def test_a_note_goes_along_with_a_choice_only_where_there_is_one() -> None:
    drop = way(DESIGNER, CREATE, "drop")
    assert [drop.payload({"note": text}) for text in ("", " not now ")] == [{}, {"note": "not now"}]


# --- design-verifier --------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-15")
def test_what_a_person_finds_in_the_design_becomes_a_reading() -> None:
    where = scene(checks={"contracts": "pass", "handoffs": "fail"})
    answers = ("No way back", "A", "C", "", "add a dump", "", "addresses of minors", "")
    said = talked(VERIFIER, iter(answers), where)
    found = made(VERIFIER, said, where).model_dump(mode="json")
    assert found == {
        "findings": [
            {"severity": "error", "area": "checkpoints", "file": "", "problem": "No way back", "repair": "add a dump"}
        ],
        "gaps": ["addresses of minors"],
    }
    assert VERIFIER.interview is not None
    assert "These checks of code failed: handoffs." in next(VERIFIER.interview.questions({}, where)).text


def test_a_design_in_which_nothing_is_found_is_read_all_the_same() -> None:
    assert made(VERIFIER, talked(VERIFIER, iter([]), scene()), scene()).findings == ()


def test_a_severity_that_is_none_is_asked_for_again() -> None:
    said = {"finding-1": "x", "finding-1.severity": "grave"}
    assert VERIFIER.interview is not None
    question = upcoming(VERIFIER.interview.questions(said, scene()), said)
    assert question is not None
    assert (question.key, question.verdict) == ("finding-1.severity", "Take one of A, B.")


FOUND = Verification.model_validate(
    {
        "task_id": "user_management_1727539200",
        "created": 1727539200,
        "result": "fail",
        "checks": [
            {"check": "task-ids-unique", "result": "pass"},
            {
                "check": "plan-current",
                "result": "fail",
                "findings": [
                    {
                        "rule": "r",
                        "severity": "error",
                        "area": "plan",
                        "file": "f.md",
                        "problem": "old.",
                        "repair": "again",
                    }
                ],
            },
        ],
        "reading": {
            "findings": [{"severity": "warning", "area": "risk", "problem": "thin", "repair": "say more"}],
            "gaps": ["minors"],
        },
    }
)


@pytest.mark.req("OR-15")
def test_the_design_is_put_with_the_plan_and_what_was_found() -> None:
    files = {places.COORDINATION: "# Plan\n", places.VERIFICATION: design_verification.render(FOUND)}
    put = VERIFIER.settle(ask("design"), scene(files))
    assert put is not None
    assert put.shown.splitlines() == [
        "# Plan",
        "",
        "# Verification: fail",
        "",
        "- task-ids-unique: pass",
        "- plan-current: fail",
        "  - error: f.md: old. again",
        "- the reader: warning: thin. say more",
        "- a gap: minors",
    ]
    assert [one.act for one in put.ways] == ["approve", "reject"]


def test_a_verification_that_cannot_be_read_is_said_to_be() -> None:
    put = VERIFIER.settle(ask("design"), scene({places.VERIFICATION: "{"}))
    assert put is not None
    assert put.shown.startswith("orchestration/design_verification.json cannot be read")


# --- the three that accompany the work --------------------------------------------------------------------------------

EXECUTOR, RESOLUTION = PERSONAS["workflow-executor"], PERSONAS["escalation-resolution"]
ADAPTATION = PERSONAS["workflow-adaptation"]
STANDING = {
    "task_id": "user_management_1727539200",
    "status": "in_progress",
    "session_start": 1727539200,
    "agents": {
        "api_agent": {"status": "blocked", "completion_drive_notes_count": 3, "unresolved_notes": 2},
        "data_migration_agent": {"status": "verified", "completion_drive_notes_count": 1},
        "api_tactical": {"status": "working"},
    },
    "verification": {"data_migration_verifier": {"status": "verified", "assigned_agents": ["data_migration_agent"]}},
    "overall_completion_drive_gate": "blocked",
}
ORDER = {
    "task_id": "user_management_1727539200",
    "created": 1727539200,
    "execution_phases": [
        {
            "phase_id": number,
            "phase_name": name,
            "parallel": False,
            "agents": [
                {
                    "agent_name": name,
                    "agent_type": kind,
                    "dependencies_satisfied_by_phase": None,
                    "estimated_duration": "unknown",
                    **({"verifies": ["data_migration_agent"]} if kind == "verifier" else {}),
                }
            ],
        }
        for number, (name, kind) in enumerate(
            [("data_migration_agent", "doer"), ("data_migration_verifier", "verifier"), ("api_agent", "doer")], 1
        )
    ],
    "total_phases": 3,
    "parallelization_summary": {
        "total_agents": 3, "max_parallel_agents": 1, "sequential_phases": 3, "parallel_phases": 0,
    },
    "critical_path": ["data_migration_agent"],
    "dependency_graph": {},
}  # fmt: skip


@pytest.mark.req("OR-1", "OR-17")
def test_the_executor_shows_the_board_phase_by_phase() -> None:
    where = scene({places.STATUS: json.dumps(STANDING), places.SEQUENCE: json.dumps(ORDER)})
    assert EXECUTOR.report(where).splitlines() == [
        "user_management: in_progress; notes: blocked",
        "phase 1: data_migration_agent verified",
        "phase 2: data_migration_verifier verified",
        "phase 3: api_agent blocked (2 notes are not settled)",
        "beside: api_tactical working",
    ]


def test_the_executor_shows_the_board_before_it_puts_what_holds_the_work_up() -> None:
    where = scene({places.STATUS: json.dumps(STANDING), places.SEQUENCE: json.dumps(ORDER)})
    put = EXECUTOR.settle(ask("failed-api_agent", "choice", ("retry",)), where)
    assert put is not None
    assert put.shown.splitlines()[0] == "user_management: in_progress; notes: blocked"


def test_a_board_that_cannot_be_read_is_said_to_be_and_not_made_up() -> None:
    said = EXECUTOR.report(scene({places.STATUS: "{"}))
    assert said.startswith("orchestration/shared_status.json or orchestration/workflow_sequence.json cannot be read")


@pytest.mark.req("OR-20")
def test_repeated_failures_are_put_with_their_whole_history_and_guidance_needs_words() -> None:
    history = [{"at": 1, "missing": ["a count"]}, {"at": 2, "missing": ["a count", "a dump"]}]
    request = ask("verification-api_agent", "choice", ("modify", "guide", "adapt", "abandon"), history=history)
    put = settling(EXECUTOR, request)
    assert put.shown.splitlines() == [
        "attempt 1: a count",
        "attempt 2: a count; a dump",
        "To change the plan instead: `signoff chat workflow-adaptation`.",
    ]
    guide = way(EXECUTOR, request, "guide")
    [question] = guide.questions({"note": " "})
    assert question.verdict.startswith("Say it: the agent is given these words")
    assert guide.payload({"note": " count them "}) == {"note": "count them"}
    assert way(EXECUTOR, request, "abandon").payload({"note": ""}) == {}


@pytest.mark.req("OR-25")
def test_a_poc_that_did_not_pass_is_put_with_what_was_found_and_concluded() -> None:
    review = {"assessment": "fail", "decision": "escalate", "rationale": "6 of 212 lie in the future"}
    request = ask("poc-poc_001_agent", "choice", ("proceed", "retry", "abandon"), review=review)
    assert settling(EXECUTOR, request).shown.splitlines() == [
        "assessed: fail; proposed: escalate",
        "6 of 212 lie in the future",
    ]


QUESTIONED = ask(
    "escalation-api_agent",
    "choice",
    ("answer", "adapt"),
    asked={
        "note_002": {"question": "Are members under 16 reminded?", "context": "the job", "why": "a requirement"},
        "note_003": {"question": "Which day counts?", "context": "the job", "why": "it is not said", "conflict": "api"},
    },
    asks=["Which of two instructions holds?"],
)


@pytest.mark.req("OR-23")
def test_what_an_agent_asks_is_put_one_question_at_a_time_with_its_ground() -> None:
    answer = way(RESOLUTION, QUESTIONED, "answer")
    first, second = answer.questions({})
    assert (first.key, first.title) == ("note_002", "Are members under 16 reminded?")
    assert first.text == "(where: the job) (why it asks: a requirement)"
    assert "(your last answer would break: api)" in second.text
    shown = settling(RESOLUTION, QUESTIONED).shown
    assert "api_agent has stopped, with 2 questions." in shown
    assert "- answer this too: Which of two instructions holds?" in shown


@pytest.mark.req("OR-23")
def test_answers_go_by_the_ids_of_notes_and_what_somebody_does_not_know_stays_open() -> None:
    answer = way(RESOLUTION, QUESTIONED, "answer")
    said = answered(answer, "No, and the desk is not told.", "not sure")
    payload = answer.payload(said)
    assert payload == {"answers": {"note_002": "No, and the desk is not told."}}
    assert answer.takes is not None
    assert not answer.takes.check(payload)
    assert set(answer.takes.schema()["properties"]["answers"]["properties"]) == {"note_002", "note_003"}


@pytest.mark.req("OR-23")
@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({}, "no question is answered"),
        ({"answers": {}}, "no question is answered"),
        ({"answers": ["yes"]}, "no question is answered"),
        ({"answers": {"note_009": "yes"}}, "note_009 was not asked; valid: note_002, note_003"),
        ({"answers": {"note_002": " "}}, "the answer to note_002 is not a text"),
        ({"note": "note_999: yes"}, "note_999 is not open; valid: note_002, note_003"),
        ({"note": "yes"}, "2 notes are open: note_002, note_003"),
        ({"answers": {"note_002": "yes"}, "status": "verified"}, "`status` is not a field here; valid: answers, note"),
    ],
)
def test_answers_that_are_none_are_refused_wherever_they_were_made(payload: dict[str, Any], problem: str) -> None:
    answer = way(RESOLUTION, QUESTIONED, "answer")
    assert answer.takes is not None
    assert [one.problem for one in answer.takes.check(payload)] == [problem]


CONTRACTED = contracts.render(
    FileContracts.model_validate(
        {
            "task_id": "user_management_1727539200",
            "created": 1727539200,
            "agents": {
                "api_agent": {"writes": [{"path": "src/api.py"}]},
                "data_migration_agent": {"writes": [{"path": "src/move.py"}]},
            },
        }
    )
)
PLANNED = scene({places.ROSTER: ROSTER, places.CONTRACTS: CONTRACTED})
FAILED = ask("failed-api_agent", "choice", ("retry", "guide", "adapt", "abandon"))


def adapt(request: Ask = FAILED) -> Way:
    put = ADAPTATION.settle(request, PLANNED)
    assert put is not None
    return put.ways[0]


DROPPED = {"edit": "drop_dependency", "agent": "api_agent", "on": "data_migration_agent", "reason": "It waits in vain"}
EDITS: dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]] = {
    "drop_dependency": (("E", "api_agent", "data_migration_agent", "="), [DROPPED]),
    "two of them": (
        ("E", "api_agent", "data_migration_agent", "=", "B", "data_migration_agent", "Nobody needs it"),
        [DROPPED, {"edit": "remove_agent", "name": "data_migration_agent", "reason": "Nobody needs it"}],
    ),
    "rescope": (
        ("F", "api_agent", "Serves it", "Serve less", "=", "", "="),
        [
            {
                "edit": "rescope",
                "agent": "api_agent",
                "role": "Serves it",
                "plan_actions": ["Serve less"],
                "plan_action_sources": ["the portal"],
                "reason": "It waits in vain",
            }
        ],
    ),
    "add_agent": (
        (
            "A", "import_agent", "database_agent", "api_agent", "Imports it", "Read the file", "a file", "",
            "src/api.py, in.csv", "src/imp.py", "All rows are there", "a count", "python -m pytest tests/test_imp.py",
            "", "=",
        ),
        [
            {
                "edit": "add_agent",
                "name": "import_agent",
                "agent": {
                    "role": "Imports it",
                    "agent_type": "database_agent",
                    "dependencies": ["api_agent"],
                    "plan_actions": ["Read the file"],
                    "plan_action_sources": ["a file"],
                },
                "contract": {
                    "reads": [{"path": "src/api.py", "from": "api_agent"}, {"path": "in.csv"}],
                    "writes": [{"path": "src/imp.py"}],
                },
                "checkpoint": {
                    "id": "cp_import_agent",
                    "doer": "import_agent",
                    "criteria": [
                        {
                            "id": "cp_import_agent.1",
                            "text": "All rows are there",
                            "evidence": "a count",
                            "command": "python -m pytest tests/test_imp.py",
                        }
                    ],
                    "failure_modes": [
                        {"mode": "a criterion is not met", "remediation": "fix it, and show it again"}
                    ],
                },
                "reason": "It waits in vain",
            }
        ],
    ),
    "replace_agent": (
        ("C", "api_agent", "serving_agent", "api_agent", "", "=", "=", "=", "", "", "=", "", "="),
        [
            {
                "edit": "replace_agent",
                "name": "api_agent",
                "by": "serving_agent",
                "agent": {
                    "role": "Does it",
                    "agent_type": "api_agent",
                    "dependencies": [],
                    "plan_actions": ["Serve it"],
                    "plan_action_sources": ["the portal"],
                },
                "contract": {"reads": [], "writes": [{"path": "src/api.py"}]},
                "reason": "It waits in vain",
            }
        ],
    ),
}  # fmt: skip


@pytest.mark.req("OR-26")
@pytest.mark.parametrize("name", EDITS)
def test_edits_are_talked_over_one_by_one_and_each_has_its_reason(name: str) -> None:
    answers, wanted = EDITS[name]
    said = answered(adapt(), "It waits in vain", *answers)
    payload = adapt().payload(said)
    assert payload == {"edits": wanted, "note": "It waits in vain"}
    takes = adapt().takes
    assert takes is not None
    assert takes.check(payload) == ()


@pytest.mark.req("OR-26")
@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({"edits": []}, "there are no edits"),
        ({"edits": [{"edit": "approve"}]}, "`edits[0]`"),
        ({"edits": [DROPPED], "status": "verified"}, "`status` is not a field here; valid: edits, note"),
        ({"edits": [{**DROPPED, "on": "frontend_agent"}]}, "api_agent does not depend on frontend_agent"),
        (
            {"edits": [{"edit": "remove_agent", "name": "data_migration_agent", "reason": "x"}]},
            "api_agent depends on data_migration_agent",
        ),
    ],
)
def test_edits_that_cannot_be_made_are_refused_before_they_are_handed_in(payload: dict[str, Any], problem: str) -> None:
    takes = adapt().takes
    assert takes is not None
    assert any(problem in one.problem for one in takes.check(payload)), takes.check(payload)


@pytest.mark.req("OR-26")
def test_a_name_that_is_nobodys_is_asked_for_again_and_one_edit_is_needed() -> None:
    said = {"why": "x", "edit-1": "D", "edit-1.agent": "nobody"}
    question = upcoming(adapt().questions(said), said)
    assert question is not None
    assert question.verdict == "There is no nobody; valid: api_agent, data_migration_agent."
    said = {"why": "x", "edit-1": ""}
    question = upcoming(adapt().questions(said), said)
    assert question is not None
    assert question.verdict == "Take at least one, or leave with /exit."


@pytest.mark.req("OR-26")
def test_an_edit_of_another_kind_keeps_nothing_of_what_was_said_before() -> None:
    said = {
        "why": "x", "edit-1": "E", "edit-1.name": "api_agent", "edit-1.agent": "api_agent",
        "edit-1.on": "data_migration_agent", "edit-1.reason": "y", "edit-2": "",
    }  # fmt: skip
    [edit] = adapt().payload(said)["edits"]
    assert edit == {**DROPPED, "reason": "y"}


@pytest.mark.req("OR-26")
def test_the_only_edit_can_be_taken_out_and_another_is_asked_for() -> None:
    said = {"why": "x", "edit-1": "", "edit-1.name": "api_agent", "edit-1.reason": "y", "edit-2": ""}
    question = upcoming(adapt().questions(said), said)
    assert question is not None
    assert (question.key, question.verdict) == ("edit-2", "Take at least one, or leave with /exit.")


@pytest.mark.req("OR-26")
def test_a_verifier_that_was_named_by_hand_is_offered_and_a_doers_own_is_not() -> None:
    planned = json.loads(ROSTER)
    one = {**planned["agents"]["api_agent"], "kind": "verifier", "dependencies": []}
    planned["agents"] |= {"api_verifier": one, "second_look": {**one, "task_id": "second_look_1767225600"}}
    put = ADAPTATION.settle(FAILED, scene({places.ROSTER: json.dumps(planned), places.CONTRACTS: CONTRACTED}))
    assert put is not None
    said = {"why": "x", "edit-1": "B"}
    question = upcoming(put.ways[0].questions(said), said)
    assert question is not None
    assert question.text == "One of api_agent, data_migration_agent, second_look."


@pytest.mark.req("OR-26")
def test_what_a_host_gives_as_edits_is_what_the_form_of_edits_says() -> None:
    takes = adapt().takes
    assert takes is not None
    schema = takes.schema()
    assert list(schema["properties"]) == ["edits"]
    kinds = {one["properties"]["edit"]["const"] for one in schema["$defs"].values() if "edit" in one["properties"]}
    assert kinds == {kind for kind, _ in KINDS.values()}


@pytest.mark.req("OR-26")
def test_another_plan_is_approved_with_the_difference_the_phases_and_what_is_kept() -> None:
    request = ask("adaptation", difference=["+ agent x"], phases=[["a", "b"], ["c"]], kept=["a"])
    put = settling(ADAPTATION, request)
    assert put.shown.splitlines() == [
        "# What changes", "", "+ agent x", "", "# Phases then", "", "1. a, b", "2. c", "", "Verified, and kept: a",
    ]  # fmt: skip
    assert [one.act for one in put.ways] == ["approve", "reject"]
