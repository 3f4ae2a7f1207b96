"""The agent files and skills of clarify: they parse, they fit together, and what they teach is what the code takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from signoff.artifacts import agent_files
from signoff.artifacts.agent_files import AgentFile, parse_agent
from signoff.core.findings import failing
from signoff.workflows.clarify import outputs
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.decision_layout import FIELDS
from signoff.workflows.clarify.documents.decisions import STATUSES
from signoff.workflows.clarify.workflow import WORKFLOW

HOME = Path(str(resources.files("signoff.workflows.clarify")))
READ: dict[str, Callable[[bytes, str], Any]] = {
    "dimension-researcher": outputs.parse_researcher,
    "consolidate-research": outputs.parse_consolidator,
    "detailed-research": outputs.parse_analyst,
    "section-refiner": outputs.parse_refiner,
    "confirm-decisions": outputs.parse_confirm,
}
SKILLS = {
    "dimension-researcher": ("asking-well",),
    "consolidate-research": ("clarifications-format", "asking-well"),
    "detailed-research": ("clarifications-format",),
    "section-refiner": ("asking-well", "clarifications-format"),
    "confirm-decisions": ("decision-merge", "clarifications-format"),
}
each_agent = pytest.mark.parametrize("name", READ)
each_skill = pytest.mark.parametrize("skill", sorted({skill for named in SKILLS.values() for skill in named}))


def agent(name: str) -> AgentFile:
    return parse_agent((HOME / "agents" / f"{name}.md").read_text(encoding="utf-8"), f"agents/{name}.md")


def written(name: str) -> str:
    """The body of an agent file without its generated contract."""
    return agent(name).body.partition(agent_files.BEGIN)[0]


def skill_text(name: str) -> str:
    return (HOME / "skills" / f"{name}.md").read_text(encoding="utf-8")


def fence(text: str, language: str) -> str:
    """The last fence of a language; an example that went missing fails here."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[-1]


def example(name: str) -> Any:
    return READ[name](fence(written(name), "yaml").encode(), "example")


def test_there_is_one_agent_file_for_each_agent_and_every_skill_is_used() -> None:
    assert {file.stem for file in (HOME / "agents").glob("*.md")} == set(READ) == set(WORKFLOW.agent_names)
    assert {file.stem for file in (HOME / "skills").glob("*.md")} == {s for named in SKILLS.values() for s in named}


@each_agent
def test_an_agent_calls_itself_by_its_name_and_names_skills_that_ship(name: str) -> None:
    parsed = agent(name)
    assert (parsed.name, parsed.skills) == (name, SKILLS[name])
    assert str(parsed.model).startswith("anthropic:")


@each_agent
def test_an_agent_is_told_what_it_may_not_do_and_that_material_is_data(name: str) -> None:
    body = " ".join(written(name).split())
    assert "## Material is data" in body
    assert "approve this" in body
    assert "## What you may and may not do" in body
    assert "never" in body
    assert "## When the brief says what was wrong with your last output" in body
    assert 80 <= len(written(name).splitlines()) <= 180


@each_skill
def test_a_skill_is_long_enough_to_teach_and_short_enough_to_be_read(skill: str) -> None:
    assert 50 <= len(skill_text(skill).splitlines()) <= 120


@each_agent
def test_the_example_output_of_an_agent_is_accepted(name: str) -> None:
    assert example(name)


@pytest.mark.req("CL-2")
def test_the_file_in_the_consolidators_example_is_canonical_with_its_counts_right() -> None:
    output = example("consolidate-research")
    doc = cl.parse(output.clarifications)
    assert doc.problems == ()
    assert {key: doc.front[key] for key in cl.counts(doc)} == cl.counts(doc)
    assert [item.answer for item in doc.items] == [""]
    assert doc.questions[0].origins == ("Metrics Q3", "Business Rules Q1")


@pytest.mark.req("CL-9")
def test_the_file_in_the_example_of_confirm_decisions_has_no_problem_and_right_counts() -> None:
    made = de.parse(example("confirm-decisions").decisions)
    assert not failing(made.problems)
    assert [entry.status for entry in made.entries] == ["resolved", "conflict-resolved"]
    assert {key: made.front[key] for key in de.counts(made.entries)} == de.counts(made.entries)


@pytest.mark.req("CL-4")
def test_the_file_in_the_format_skill_is_canonical_and_judged_as_the_skill_says() -> None:
    doc = cl.parse(fence(skill_text("clarifications-format"), "markdown"))
    assert doc.problems == ()
    assert {key: doc.front[key] for key in cl.counts(doc)} == cl.counts(doc)
    assert [key for key, _ in evaluate(doc).per_question] == ["Q1", "R1.1", "Q2"]
    assert [verdict for _, verdict in evaluate(doc).per_question][1:] == ["not_answered", "clear"]


@pytest.mark.req("CL-9", "CL-10")
def test_the_merge_skill_shows_a_readable_entry_and_knows_the_fields_and_statuses() -> None:
    text = " ".join(skill_text("decision-merge").split())
    (entry,) = de.parse(fence(skill_text("decision-merge"), "markdown")).entries
    assert (entry.status, entry.sources) == ("resolved", ("Q1", "R1.1"))
    assert f"The fields stand in this order: {', '.join(FIELDS)}." in text
    assert all(f"`{status}`" in text for status in STATUSES)
