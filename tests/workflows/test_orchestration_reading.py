"""How the role players of orchestration read what people wrote: plans, house notes, technologies, reasons, wishes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_plans import DASHBOARD, TINY, example

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration import plan as plans
from signoff.workflows.orchestration.players import domains, house, technologies
from signoff.workflows.orchestration.players.advice import RULES, understood
from signoff.workflows.orchestration.players.consultation import assumption
from signoff.workflows.orchestration.players.desk import reading_of
from signoff.workflows.orchestration.players.statements import Reading, Statement, halves, in_parts, is_overview
from signoff.workflows.orchestration.players.wishes import Wishes, wishes


def read(summary: str) -> Reading:
    return reading_of(summary.encode(), places.summary("some_task"))


def goal(text: str) -> Reading:
    return read(TINY.replace("A command-line script that reads the tides", text + "\n\nA command-line script"))


# --- statements -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("The orders table has a foreign key to customers", "database_agent"),
        ("`GET /orders` answers 200 with JSON", "api_agent"),
        ("The import reads the orders of the legacy system", "data_migration_agent"),
        ("The dashboard page shows the orders in a table", "frontend_agent"),
        ("Tests cover the schema and the REST API", "test_agent"),
        ("A README describes the endpoints", "documentation_agent"),
        ("It is deployed in a container", "devops_agent"),
        ("A migration script creates the orders table", "database_agent"),
        ("A script prints the orders of a day", "implementation_agent"),
    ],
)
def test_a_statement_belongs_to_the_work_that_it_says_most_of(text: str, agent: str) -> None:
    found = domains.called_for(text)
    assert found is not None
    assert found.agent == agent


def test_what_calls_for_no_kind_of_work_is_nobodys() -> None:
    assert domains.called_for("Water the beans at dawn") is None


def test_a_hint_alone_calls_for_no_agent() -> None:
    assert domains.called_for("Every request is answered") is None
    assert domains.best("Every request is answered", ["api_agent"]) is domains.API


def test_a_sentence_about_the_whole_is_nobodys_task_unless_it_alone_calls_for_it() -> None:
    text = "A service with a database, a REST API and an import of the legacy orders"
    assert is_overview(text)
    alone = read(TINY.replace("A command-line script that reads the tides of a day from a text file", text))
    assert alone.active == ("database_agent", "data_migration_agent", "api_agent")
    assert alone.owners(alone.statements[0]) == alone.active
    reading = reading_of(example()[places.summary("user_management")], places.summary("user_management"))
    whole = next(one for one in reading.statements if one.text.startswith("We want a user-management service"))
    assert reading.owners(whole) == ()


def test_what_two_do_together_is_a_task_of_both() -> None:
    reading = reading_of(example()[places.summary("user_management")], places.summary("user_management"))
    both = next(one for one in reading.statements if "both register" in one.text)
    assert reading.owners(both) == ("data_migration_agent", "api_agent")


def test_an_assumption_is_told_from_a_constraint() -> None:
    reading = read(DASHBOARD)
    assert [one.text[:20] for one in reading.of_kind("assumption")] == ["It is assumed that t"]
    assert all("assumed" not in one.text for one in reading.of_kind("constraint"))


def test_every_statement_of_a_plan_is_a_quote_of_it() -> None:
    for summary in (DASHBOARD, example()[places.summary("user_management")].decode()):
        reading = read(summary)
        assert len(reading.statements) > 10
        assert all(plans.quoted(summary, one.text) for one in reading.statements)


def test_a_plan_that_has_nothing_to_quote_is_read_line_by_line() -> None:
    summary = TINY.replace("A command-line script", "\\# A command-line script")
    reading = read(summary)
    assert all(plans.quoted(summary, one.text) for one in reading.statements)
    assert reading.statements


def test_halves_of_a_statement_are_its_clauses_word_for_word() -> None:
    whole = Statement("A report is written once a day; whoever reads it signs it, and the sheet is kept", "goal")
    parts = halves(whole)
    assert [one.text for one in parts] == [
        "A report is written once a day",
        "whoever reads it signs it",
        "the sheet is kept",
    ]
    assert halves(Statement("One clause; no", "goal")) == [Statement("One clause; no", "goal")]


@given(st.integers(0, 60), st.integers(1, 9))
def test_parts_are_few_nearly_equal_and_lose_nothing(count: int, most: int) -> None:
    every = [Statement(str(number), "goal") for number in range(count)]
    parts = in_parts(every, most)
    assert [one for part in parts for one in part] == every
    assert max(map(len, parts)) <= most
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


# --- house notes ------------------------------------------------------------------------------------------------------

NOTE = """\
# Redis 7

A cache in front of everything.

## Practices

- Set a time to live on every key. Why: memory ends.
- Name keys by what they hold

## Known failures

- (data loss) The snapshot was off. Consequence: a restart lost the day.
- Keys without a limit filled the memory.
"""


def test_a_house_note_gives_practices_with_their_reasons_and_failures_with_their_categories() -> None:
    (note,) = house.notes({"0-sources/redis.md": NOTE})
    assert (note.technology, note.version) == ("Redis", "7")
    assert [(one.text, one.because) for one in note.practices] == [
        ("Set a time to live on every key.", "memory ends."),
        ("Name keys by what they hold", "the house note gives no reason"),
    ]
    assert [(one.text, one.category) for one in note.failures] == [
        ("The snapshot was off.", "data_loss"),
        ("Keys without a limit filled the memory.", "performance"),
    ]
    assert note.failures[0].source == "0-sources/redis.md, “Known failures”"


def test_a_note_is_found_by_the_name_of_its_technology() -> None:
    notes = house.notes({"0-sources/redis.md": NOTE, "0-sources/prose.md": "Nothing is titled here.\n"})
    assert house.about("redis", notes) == notes
    assert house.about("MySQL", notes) == ()


# --- technologies -----------------------------------------------------------------------------------------------------


def test_technologies_are_named_with_the_version_that_a_text_gives() -> None:
    found = technologies.named("PostgreSQL 15 and Python 3.12, tested with pytest")
    assert [one.said for one in found] == ["PostgreSQL 15", "Python 3.12", "pytest 8"]


@pytest.mark.parametrize(
    ("text", "wanted", "refused"),
    [
        ("Use PostgreSQL instead of SQLite", {"PostgreSQL"}, {"SQLite"}),
        ("No Docker, please", set(), {"Docker"}),
        ("SQLite rather than PostgreSQL", {"SQLite"}, {"PostgreSQL"}),
        ("We go from here; react to errors", set(), set()),
    ],
)
def test_what_a_text_is_for_is_told_from_what_it_is_against(text: str, wanted: set[str], refused: set[str]) -> None:
    assert {one.name for one in technologies.named(text)} == wanted
    assert technologies.against(text) == refused


# --- what reviewers recommend -----------------------------------------------------------------------------------------


def test_every_recommendation_of_the_reviewers_is_said_in_a_form_that_can_be_followed() -> None:
    for rules in RULES.values():
        for rule in rules:
            assert understood(rule.recommendation) is not None, rule.recommendation


def test_a_recommendation_in_other_words_is_not_understood() -> None:
    assert understood("It would be nice to have a cache") is None


def test_what_a_rule_recommends_meets_it() -> None:
    """Otherwise a second reviewer would raise it again."""
    for rules in RULES.values():
        for rule in rules:
            wanted = understood(rule.recommendation)
            assert wanted is not None
            if wanted.part != "consider":
                assert rule.unless.search(wanted.text), rule.recommendation


# --- assumptions and wishes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("We assume that names are unique; nobody has counted", "Names are unique"),
        ("It is assumed that the page loads within 2 seconds, not yet measured", "The page loads within 2 seconds"),
        ("Presumably the file is UTF-8", "The file is UTF-8"),
        ("The cable should be enough", "The cable should be enough"),
    ],
)
def test_an_assumption_becomes_a_statement_of_its_own(text: str, held: str) -> None:
    assert assumption(text) == held


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("Remove: test_agent", Wishes(remove=("test_agent",))),
        ("Add: docs_agent: write the guide", Wishes(add=(("docs_agent", "write the guide"),))),
        ("Please add a documentation agent", Wishes(add=(("documentation_agent", ""),))),
        ("Remove: a_agent, b agent\nAdd: c", Wishes(add=(("c_agent", ""),), remove=("a_agent", "b_agent"))),
        ("It is all wrong", Wishes(rest="It is all wrong")),
        ("Remove: test_agent. Too slow!", Wishes(remove=("test_agent",), rest="Too slow!")),
        ("Add more tests to what the api agent does", Wishes(rest="Add more tests to what the api agent does")),
    ],
)
def test_a_reason_is_understood_in_a_few_forms_and_the_rest_is_kept(reason: str, found: Wishes) -> None:
    assert wishes(reason) == found
