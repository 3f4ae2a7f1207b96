"""The role players of orchestration: they design the example and quite other plans, and code accepts all they give."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from orchestration_plans import BARE, DASHBOARD, LONG, TINY, example, files
from orchestration_sitting import CREATED, Sitting

from signoff.workflows.orchestration import changelog, decisions, places, reviews
from signoff.workflows.orchestration import plan as plans
from signoff.workflows.orchestration.plan import Made, Plan, Resolved
from signoff.workflows.orchestration.players import PLAYERS, architect

EXAMPLE = "user_management"
PLANS = {
    EXAMPLE: example(),
    "ward_dashboard": files("ward_dashboard", DASHBOARD),
    "tide_table": files("tide_table", TINY),
    "garden": files("garden", BARE),
    "long_list": files("long_list", LONG),
}


def begun(task: str, **more: str) -> Sitting:
    notes = {f"0-sources/{name}.md": text.encode() for name, text in more.items()}
    return Sitting({**PLANS[task], **notes}, task)


@pytest.fixture(scope="module")
def made() -> Sitting:
    """The example, designed whole."""
    return begun(EXAMPLE).whole()


def again(sitting: Sitting) -> Sitting:
    """The same project, to be changed."""
    return Sitting(dict(sitting.files), sitting.task, known=sitting.known, practices=sitting.practices)


# --- all of it --------------------------------------------------------------------------------------------------------


def test_there_is_a_player_for_each_agent() -> None:
    assert len(PLAYERS) == 23
    assert set(reviews.REVIEWERS.values()) < set(PLAYERS)


@pytest.mark.req("OR-2", "OR-15")
@pytest.mark.parametrize("task", PLANS)
def test_a_plan_is_designed_to_its_end_and_every_check_passes(task: str) -> None:
    sitting = begun(task).whole()
    verified = sitting.verify()
    assert verified.result == "pass"
    assert {one.result for one in verified.checks} == {"pass"}
    assert verified.reading is not None


@pytest.mark.parametrize("task", PLANS)
def test_the_same_plan_gives_the_same_bytes(task: str) -> None:
    one, other = begun(task).whole(), begun(task).whole()
    assert one.files == other.files


def test_what_a_turn_is_not_given_changes_nothing(made: Sitting) -> None:
    """A player that looked beyond its turn would see the rest of the project."""
    alone = begun(EXAMPLE)
    alone.architecture()
    crowded = again(made)
    crowded.architecture()
    assert alone.files[places.STACK] == crowded.files[places.STACK]
    assert alone.files[places.DECISIONS] == crowded.files[places.DECISIONS]


# --- the example ------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-6", "OR-7")
def test_the_example_chooses_what_its_summary_names_with_the_summarys_reasons(made: Sitting) -> None:
    layers = made.stack.technology_stack
    assert layers["database"].chosen == {"primary": "SQLite 3"}
    assert layers["backend"].chosen == {"language": "Python 3.11", "framework": "WSGI 1.0"}
    assert layers["testing"].chosen == {"framework": "pytest 8"}
    assert layers["database"].rationale.startswith("Sixty readers and two callers need no database server")
    assert "PostgreSQL, because it is a server" in layers["database"].alternatives_considered[0]
    assert made.order.pattern == "B"
    assert made.order.order == ("security", "api_dataflow", "database_storage")


@pytest.mark.req("OR-8")
def test_each_reviewer_of_the_example_sees_the_ones_before_and_asks_what_is_open() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    found = sitting.review()
    assert "first review" in found["security"].context_awareness
    assert "Security" in found["database_storage"].context_awareness
    assert "API/Data Flow" in found["database_storage"].context_awareness
    assert [len(one.questions) for one in found.values()] == [1, 0, 1]
    assert "personal data" in found["security"].questions[0]


@pytest.mark.req("OR-9")
def test_the_example_logs_its_changes_and_says_what_it_did_not_take() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.review()
    turns = sitting.tactical()
    assert sum(len(turn.changes) for turn in turns) >= 6
    left = [one for turn in turns for one in turn.not_taken]
    assert "pytest is the only package beside it" in left[0].reason
    assert "PostgreSQL, because it is a server" in left[1].reason
    log = changelog.parse(sitting.files[places.CHANGELOG], places.CHANGELOG)
    assert [entry.domain for entry in log] == ["security", "api_dataflow", "database_storage"]


@pytest.mark.req("OR-8", "OR-9")
def test_an_answer_becomes_a_decision_and_the_question_is_no_longer_open() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.review()
    sitting.answer("Thirty days, then it is deleted.", "No; an address stays with its user for good.")
    first, *_, last = sitting.tactical()
    assert any("Thirty days" in one.reason for one in first.changes)
    assert any("stays with its user" in one.reason for one in last.changes)
    decided = decisions.parse(sitting.files[places.DECISIONS], places.DECISIONS)
    assert decided.open_questions == ()
    assert {"Thirty days, then it is deleted.", "No; an address stays with its user for good."} < {
        one.decision for one in decided.decisions
    }


def test_what_was_settled_since_the_summary_is_told_to_whom_it_concerns_and_is_no_gap() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.review()
    sitting.answer("Thirty days, then it is deleted.", "")
    sitting.tactical()
    sitting.rest()
    told = {name: sitting.files[places.instructions(name)].decode() for name in sitting.roster.of_kind("doer")}
    assert "is settled: Thirty days, then it is deleted." in told["data_migration_agent"]
    assert "Thirty days" not in told["api_agent"]
    assert "Keys of callers are kept as digests" in told["api_agent"]
    assert "Every connection switches foreign keys on" in told["database_agent"]
    assert "Whether the e-mail address of an inactive user" in told["database_agent"]
    reading = sitting.verify().reading
    assert reading is not None
    assert [gap[:64] for gap in reading.gaps] == ["The summary leaves open: Whether the e-mail address of an inacti"]


@pytest.mark.req("OR-10", "OR-11")
def test_the_example_lacks_one_agent_and_says_how_it_is_made() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster()
    roster = sitting.roster
    assert roster.missing_agents == ("data_migration_agent",)
    guidance = roster.agents["data_migration_agent"].creation_guidance
    assert guidance is not None
    assert guidance.registry_entry.agent_type == "data_migration_agent"
    assert "rollback" in guidance.registry_entry.capabilities
    assert roster.of_kind("doer") == ("api_agent", "data_migration_agent", "database_agent", "test_agent")


@pytest.mark.req("OR-13")
def test_two_agents_of_the_example_write_one_file_and_are_put_in_an_order(made: Sitting) -> None:
    both = [
        name for name, one in made.contracts.agents.items() for file in one.writes if file.path == "app/registry.py"
    ]
    assert both == ["data_migration_agent", "api_agent"]
    assert made.sequence.notes == ("data_migration_agent waits for api_agent: both write app/__main__.py",)


@pytest.mark.req("OR-14")
def test_the_assumption_of_the_example_is_tried_before_the_work_that_rests_on_it(made: Sitting) -> None:
    (poc,) = made.specs.pocs
    assert poc.assumption == "The e-mail addresses of the legacy file are unique once case is ignored"
    assert poc.gates == ("data_migration_agent",)
    assert "`legacy/users.csv`" in poc.passes[0]
    name = "poc_001_uniqueness_agent"
    assert made.roster.agents[name].kind == "poc"
    first = made.sequence.execution_phases[0]
    assert name in [one.agent_name for one in first.agents]


@pytest.mark.req("OR-14")
def test_the_house_notes_of_the_example_reach_the_instructions_word_for_word(made: Sitting) -> None:
    told = made.files[places.instructions("database_agent")].decode()
    assert "Compare e-mail addresses with `COLLATE NOCASE` in the unique index itself." in told
    sources = {one.source for found in made.found_out for one in found.best_practices}
    assert {source.split(",")[0] for source in sources} == {
        f"0-sources/{name}.md" for name in ("sqlite", "python", "wsgi", "pytest")
    }


def test_grave_risks_of_the_example_that_are_known_are_borne_with_a_reason(made: Sitting) -> None:
    assert set(made.specs.borne) == {"api.1", "database.1", "test.1"}


def test_the_legacy_file_of_the_example_is_as_its_summary_says() -> None:
    rows = [line.split(";") for line in example()["legacy/users.csv"].decode().splitlines()]
    assert {len(row) for row in rows} == {7}
    mails = [row[2].strip().casefold() for row in rows[1:] if row[2].strip()]
    assert len(rows) == 61
    assert len(mails) == len(set(mails)) == 58


# --- other plans ------------------------------------------------------------------------------------------------------


def test_a_plan_with_pages_is_reviewed_from_the_user_on_and_takes_the_technologies_it_names() -> None:
    sitting = begun("ward_dashboard").whole()
    assert sitting.order.pattern == "C"
    layers = sitting.stack.technology_stack
    assert layers["database"].chosen == {"primary": "PostgreSQL 15"}
    assert layers["backend"].chosen["framework"] == "Flask 3"
    assert "React" not in str(layers["frontend"].chosen)
    assert "frontend_agent" in sitting.roster.agents
    assert "data_migration_agent" not in sitting.roster.agents


def test_a_plan_of_one_sentence_gives_one_doer_and_its_verifier() -> None:
    sitting = begun("tide_table").whole()
    assert list(sitting.roster.agents) == ["implementation_agent", "implementation_verifier"]
    actions = sitting.roster.agents["implementation_agent"].plan_actions
    assert len(actions) == len(set(actions)) == 3


@pytest.mark.req("OR-10")
def test_more_than_seven_statements_of_one_kind_become_two_agents_one_after_the_other() -> None:
    sitting = begun("long_list").whole()
    first, second = (sitting.roster.agents[name] for name in ("database_agent", "database_part_2_agent"))
    assert (len(first.plan_actions), len(second.plan_actions)) == (4, 5)
    assert second.agent_type == "database_agent"
    assert second.dependencies == ("database_agent",)
    assert second.exists


def test_a_technology_without_a_house_note_is_researched_with_what_can_be_looked_up_and_else_said_so() -> None:
    sitting = begun("ward_dashboard").whole()
    sources = {found.technology: [one.source for one in found.best_practices] for found in sitting.found_out}
    assert sources["PostgreSQL"][0].startswith("PostgreSQL documentation")
    assert "nothing was searched" in sources["Flask"][0]


# --- what people say --------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-6")
def test_answers_to_the_architects_questions_go_where_they_belong() -> None:
    answers = {
        "scale": "At most 20 requests a second.",
        "team": "Two people who know Python.",
        "security": "Only librarians may change a user.",
        "deployment": "On the library's server, with systemd.",
        "Who pays?": "The town.",
    }
    made = architect.compose(example(), answers)
    stack, text = made["stack"], made["architecture"]
    assert "At most 20 requests a second." in stack["performance_targets"].values()
    assert "Two people who know Python." in stack["technology_stack"]["backend"]["constraints"]
    assert stack["security_requirements"][0] == "Only librarians may change a user."
    assert stack["technology_stack"]["infrastructure"]["deployment"] == "systemd"
    assert text["deployment"].startswith("On the library's server, with systemd.")
    assert "Asked: Who pays? Answer: The town." in text["overview"]


def test_an_answer_that_names_a_technology_wins_over_the_summary() -> None:
    made = architect.compose(example(), {"team": "We have PostgreSQL 15 now, so no SQLite."})
    assert made["stack"]["technology_stack"]["database"]["primary"] == "PostgreSQL 15"
    set_aside = next(one for one in made["architecture"]["decisions"] if "kept in SQLite" in one["title"])
    assert set_aside["decision"].startswith("Set aside by what was said since")


def test_an_architecture_that_was_sent_back_for_a_technology_has_another() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture(rejected="Use PostgreSQL instead of SQLite.")
    assert sitting.stack.technology_stack["database"].chosen == {"primary": "PostgreSQL 16"}
    assert "SQLite" not in str(sitting.review()["database_storage"].recommendations)


def test_an_architecture_that_was_sent_back_for_what_nobody_understands_says_so() -> None:
    sitting = begun(EXAMPLE)
    made = sitting.architecture(rejected="It is not elegant.")
    assert "not followed offline: “It is not elegant.”" in made.architecture.open_questions[-1]


@pytest.mark.req("OR-10")
def test_a_roster_that_was_sent_back_is_changed_as_the_reason_says() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster(rejected="Remove: test_agent\nAdd: documentation_agent: a guide to the import")
    agents = sitting.roster.agents
    assert "test_agent" not in agents
    assert "test_verifier" not in agents
    assert "a guide to the import" in agents["documentation_agent"].role
    assert "import" in agents["documentation_agent"].plan_action_sources[0]


@pytest.mark.req("OR-10")
def test_what_a_person_changed_in_a_roster_stays_when_it_is_sent_back_again() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster()
    sitting.design_roster(rejected="Remove: test_agent")
    sitting.design_roster(rejected="Add: documentation_agent")
    assert sitting.roster.of_kind("doer") == (
        "api_agent",
        "data_migration_agent",
        "database_agent",
        "documentation_agent",
    )


@pytest.mark.req("OR-15")
def test_a_roster_that_has_to_be_mended_keeps_who_is_in_it() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster()
    sitting.design_roster(rejected="Remove: test_agent; Add: messaging_agent")
    before = sitting.files[places.ROSTER]
    sitting.design_roster(required=["design.read: it does not convince. Repair: do it again"])
    assert sitting.files[places.ROSTER] == before


@pytest.mark.req("OR-13")
def test_a_roster_whose_agents_wait_for_each_other_is_drawn_up_anew() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster()
    honest = sitting.files[places.ROSTER]
    waiting = honest.replace(b'"dependencies": []', b'"dependencies": ["api_agent"]', 1)
    sitting.files[places.ROSTER] = waiting
    sitting.design_roster(rejected="api_agent -> database_agent -> api_agent: each waits for the next")
    assert sitting.files[places.ROSTER] == honest != waiting


@pytest.mark.req("OR-15")
def test_work_of_an_agent_that_a_person_did_without_is_named_as_a_gap() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.review()
    sitting.tactical()
    sitting.design_roster()
    sitting.rest(rejected="Remove: data_migration_agent")
    verified = sitting.verify()
    assert verified.result == "pass"
    assert verified.reading is not None
    assert any(gap.endswith("can be run again without making a user twice") for gap in verified.reading.gaps)


def test_a_roster_that_was_sent_back_for_what_nobody_understands_says_so_where_a_person_sees_it() -> None:
    sitting = begun("tide_table")
    sitting.architecture()
    sitting.design_roster(rejected="Make it nicer; remove implementation_agent; add archival agent")
    role = sitting.roster.agents["implementation_agent"].role
    assert "not followed offline: “Make it nicer; remove implementation_agent; add archival_agent”" in role


@pytest.mark.req("OR-13")
def test_an_agent_that_sequencing_missed_is_added_to_the_roster() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.design_roster(lacking=["messaging_agent"])
    assert "messaging_agent" in sitting.roster.missing_agents


def test_a_recommendation_that_nobody_can_follow_offline_is_not_taken_and_the_log_says_so() -> None:
    sitting = begun(EXAMPLE)
    sitting.architecture()
    sitting.review()
    review = reviews.Review(
        context_awareness="A model wrote this.",
        recommendations=("Think about caching.", "Set the performance target list_time: below 1 s"),
    )
    sitting.put(places.review("security"), reviews.render_review("security", review))
    made = sitting.tactical_one(1, "security")
    assert [one.suggestion for one in made.not_taken] == ["Think about caching."]
    assert sitting.stack.performance_targets["list_time"] == "below 1 s"


def test_an_assumption_that_nobody_owns_is_raised_by_the_first_agent() -> None:
    summary = TINY.replace(
        "## Constraints & Assumptions\n",
        "## Constraints & Assumptions\n- We assume that tides are regular; nobody has checked.\n",
    )
    sitting = Sitting(files("tide_table", summary), "tide_table").whole()
    assert [risk.assumption for risk in sitting.consulted[0].risks] == ["Tides are regular"]


# --- plans from words -------------------------------------------------------------------------------------------------

VOCABULARY = """
the a users orders table schema REST API endpoint import legacy file page dashboard test docs deploy script both
`app/x.py` `data/in.csv` reads writes registers 200 ms unique assume that; and, is: not SQLite Ω “quoted” *bold*
<b> # - 1. _x_ [a](b) \\ | ~~~ ``` Decision: Q: A:
"""
WORDS = st.sampled_from(VOCABULARY.split())
SENTENCES = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=3).map(". ".join)
GENERATED = st.builds(
    Plan,
    task=st.just("drawn"),
    goal=st.lists(TEXTS, min_size=1, max_size=4).map("\n\n".join),
    decisions=st.lists(st.builds(Made, decision=TEXTS, rationale=TEXTS, alternatives=TEXTS), max_size=6).map(tuple),
    constraints=st.lists(TEXTS, max_size=6).map(tuple),
    resolved=st.lists(st.builds(Resolved, question=TEXTS, answer=TEXTS), max_size=3).map(tuple),
    open_items=st.lists(TEXTS, max_size=3).map(tuple),
    dependencies=st.lists(TEXTS, max_size=4).map(tuple),
)


@pytest.mark.req("OR-10")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GENERATED)
def test_every_action_of_any_roster_has_an_exact_quote_and_there_are_three_to_seven(plan: Plan) -> None:
    summary = plans.render(plan)
    sitting = Sitting(files("drawn", summary), "drawn")
    sitting.architecture()
    given_roster = sitting.design_roster()
    for one in given_roster.agents.values():
        assert one.kind == "verifier" or 3 <= len(one.plan_actions) <= 7
        assert all(plans.quoted(summary, quote) for quote in one.plan_action_sources)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GENERATED)
def test_any_plan_is_designed_to_its_end(plan: Plan) -> None:
    sitting = Sitting(files("drawn", plans.render(plan)), "drawn").whole()
    missing = {"gap.handoff"}  # a file that the words name and no project has
    found = [one.rule for check in sitting.verify().checks for one in check.findings if one.severity == "error"]
    assert set(found) <= missing
    assert sitting.roster.created == CREATED
