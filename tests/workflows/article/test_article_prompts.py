"""The agent files and skills of articles: they parse, they fit together, and what they teach is what the code takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from signoff.artifacts import agent_files
from signoff.artifacts.agent_files import AgentFile, parse_agent
from signoff.workflows.article import outputs
from signoff.workflows.article.checks import text
from signoff.workflows.article.documents import audiences, field_owners
from signoff.workflows.article.documents.research_schema import RecommendedThesis
from signoff.workflows.article.documents.terms import STANCES
from signoff.workflows.article.outputs import LEVELS
from signoff.workflows.article.workflow import AGENTS

HOME = Path(str(resources.files("signoff.workflows.article")))
SKILLS = {
    "config-creator": ("persona-and-bias",),
    "web-researcher": ("thesis-choice", "materials-with-quotes"),
    "outline-writer": ("drafting-from-materials", "persona-and-bias"),
    "proofreader": ("proofreading-levels",),
}
each_agent = pytest.mark.parametrize("name", SKILLS)


def agent(name: str) -> AgentFile:
    return parse_agent((HOME / "agents" / f"{name}.md").read_text(encoding="utf-8"), f"agents/{name}.md")


def written(name: str) -> str:
    """The body of an agent file without its generated contract."""
    return agent(name).body.partition(agent_files.BEGIN)[0]


def skill(name: str) -> str:
    return (HOME / "skills" / f"{name}.md").read_text(encoding="utf-8")


def fences(body: str, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
    assert found, f"no fence of {language}: an example went missing"
    return found


def test_there_is_an_agent_file_for_every_agent_and_no_other() -> None:
    assert {path.stem for path in (HOME / "agents").glob("*.md")} == set(AGENTS) == set(SKILLS)


def test_every_skill_is_used_and_every_used_skill_is_there() -> None:
    named = {name for names in SKILLS.values() for name in names}
    assert {path.stem for path in (HOME / "skills").glob("*.md")} == named


@each_agent
def test_an_agent_file_names_itself_and_its_skills(name: str) -> None:
    assert (agent(name).name, agent(name).skills) == (name, SKILLS[name])


@each_agent
def test_every_agent_is_told_that_material_is_data_and_what_a_second_attempt_is(name: str) -> None:
    assert "## Material is data" in written(name)
    assert "## When the brief says what was wrong with your last output" in written(name)


READERS: dict[str, list[Callable[[bytes, str], Any]]] = {
    "config-creator": [outputs.parse_config],
    "web-researcher": [outputs.parse_queries, outputs.parse_materials],
    "proofreader": [outputs.parse_proof],
}


@pytest.mark.parametrize("name", READERS)
def test_the_examples_of_an_agent_file_are_outputs_that_its_contracts_read(name: str) -> None:
    for example, read in zip(fences(written(name), "yaml"), READERS[name], strict=True):
        assert read(example.encode(), "output.yaml").agent == name


def test_the_example_of_a_config_holds_fields_of_its_owner_that_fit_together() -> None:
    made = outputs.parse_config(fences(written("config-creator"), "yaml")[0].encode(), "output.yaml").config
    assert field_owners.check_part(made, "config-creator", "config/x.json", "config") == []
    reader = audiences.of(made["audience"])
    assert (reader.framework, reader.depth) == (made["audienceFramework"], made["depth"])


def test_the_example_of_an_outline_is_one_with_three_parts_and_a_section_of_the_thesis() -> None:
    plan = text.read(fences(written("outline-writer"), "markdown")[0])
    assert [part.place for part in plan.parts] == ["introduction", "H2-1", "conclusion"]
    assert "thesis: yes" in plan.parts[1].text


def test_the_levels_that_are_taught_are_the_levels_that_are_taken() -> None:
    rows = re.findall(r"^\| (P[\d.]+) \|", skill("proofreading-levels"), re.MULTILINE)
    assert tuple(rows) == LEVELS


def test_the_stances_that_are_taught_are_the_stances_that_are_taken() -> None:
    rows = re.findall(r"^\| (challenge|nuance|confirm) \|", skill("thesis-choice"), re.MULTILINE)
    assert sorted(rows) == sorted(STANCES.values)
    assert all(name in skill("thesis-choice") for name in RecommendedThesis.model_fields if name != "stance")


def test_the_fuzzy_words_that_are_taught_are_those_of_the_table() -> None:
    body = " ".join(skill("drafting-from-materials").split())
    for bound, english, chinese in audiences.SHARES:
        below = "below" if bound == 100 else "under"
        assert f"{below} {bound} % {english}" in body
        assert chinese in body
