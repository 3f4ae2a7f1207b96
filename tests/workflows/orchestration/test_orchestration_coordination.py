"""The plan document: five sections from the actual design, and who decides what in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from orchestration_team import AT, checkpoints, contracts, roster
from orchestration_texts import NASTY, TEXTS

from signoff.artifacts import markdown_headings
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoints
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.risks import PocSpecs
from signoff.workflows.orchestration.sequence.sequencer import sequence
from signoff.workflows.orchestration.views import coordination_plan
from signoff.workflows.orchestration.views.coordination_plan import HEADINGS
from signoff.workflows.orchestration.work.notes import CATEGORIES

PLAN = Plan.model_validate(
    {
        "task": "user_management", "goal": "People can register.\n\nAnd leave.", "constraints": ["No new servers"],
        "open_items": ["Who may delete?"],
    }
)  # fmt: skip
SPEC = {
    "poc_id": "poc_001", "agent": "api_agent", "assumption": "The limit is enough", "pass": ["yes"], "fail": ["no"],
    "evidence": ["a table"], "gates": ["api_agent"],
}  # fmt: skip
SPECS = PocSpecs.model_validate({"pocs": [SPEC]})
AGENTS: dict[str, Any] = {
    "database_agent": {"role": "Builds | tables"},
    "api_agent": {"role": "Builds endpoints", "dependencies": "database_agent"},
    "web_agent": {"role": "Builds pages", "dependencies": "database_agent"},
    "poc_limit": {"role": "Tries it", "kind": "poc", "poc_id": "poc_001", "gates": ["api_agent"]},
}


def made(
    team: Roster | None = None, points: Checkpoints | None = None, plan: Plan = PLAN, specs: PocSpecs = SPECS
) -> str:
    team = team or roster(AGENTS)
    points = points or checkpoints(team.of_kind("doer"))
    order = sequence(team, contracts({name: {} for name in team.agents}), points)
    return coordination_plan.render(plan, team, order, points, specs)


def part(text: str, title: str) -> str:
    found = markdown_headings.named(markdown_headings.split(text), title)
    assert found
    return found.whole


# --- what it says -----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-12")
def test_the_plan_has_its_five_sections_and_the_same_design_gives_the_same_bytes() -> None:
    text = made()
    assert [one.title for one in markdown_headings.split(text) if one.level == 2] == list(HEADINGS)
    assert not [*coordination_plan.undecided(text, "plan.md")]
    assert made() == text
    assert f"`user_management_{AT}`" in text


@pytest.mark.req("OR-12")
def test_the_overview_has_goal_size_longest_way_and_everybody() -> None:
    overview = part(made(), "Overview")
    assert "People can register.\n\nAnd leave." in overview
    assert "3 doers, 3 verifiers, 1 PoC in 4 phases, at most 2 at once." in overview
    assert "`database_agent` -> `database_verifier` -> `api_agent` -> `api_verifier`" in overview
    assert "| `database_agent` | doer | Builds \\| tables | nobody |" in overview
    assert "- No new servers" in overview


@pytest.mark.req("OR-12")
def test_phases_name_who_works_side_by_side_and_whom_each_waits_for() -> None:
    phases = part(made(), "Phases")
    assert "### Phase 1: PoC Limit; Database\n\nSide by side:" in phases
    assert "- `poc_limit` (poc): tries `poc_001`: The limit is enough" in phases
    assert "- `database_verifier` (verifier): looks at the work of `database_agent`" in phases
    assert "- `api_agent` (doer): Builds endpoints; waits for `database_verifier`, `poc_limit`" in phases


def test_orders_that_were_forced_are_told() -> None:
    team = roster({"a_agent": "", "b_agent": ""})
    points = checkpoints(team.of_kind("doer"))
    order = sequence(team, contracts({"a_agent": {"writes": ["x"]}, "b_agent": {"writes": ["x"]}}), points)
    text = coordination_plan.render(PLAN, team, order, points, PocSpecs())
    assert order.notes
    assert f"Orders that were forced:\n\n- {order.notes[0]}" in text


@pytest.mark.req("OR-12")
def test_checkpoints_name_who_looks_at_what_and_how_it_is_shown() -> None:
    shown = part(made(), "Checkpoints")
    assert "### check_api_agent: api_agent\n\nWork of `api_agent`, looked at by `api_verifier`:" in shown
    assert "- `c1`: The tests pass; shown by: the output of the tests" in shown
    assert "- A test fails. Then: mend it and run all of them again" in shown


@pytest.mark.req("OR-12")
def test_the_escalation_says_who_decides_each_category_and_whom_it_holds_up() -> None:
    escalation = part(made(), "Escalation")
    rows = [line for line in escalation.splitlines() if line.startswith("|")]
    for category in CATEGORIES:
        assert sum(f"`{category}`" in row for row in rows) == 1
    tactical = "`technology`, `architecture`, `security` | `tactical_solution_architect_agent`, within the approved"
    assert any(tactical in row for row in rows)
    assert "| `requirement` | a person |" in rows
    assert "| `conflict` | escalation-resolution |" in rows
    assert "`database_agent` holds up `api_agent`, `web_agent`" in escalation
    assert "tasks of `api_agent`, `database_agent`, `web_agent`" in escalation
    assert "questions about it are to be expected:\n\n- Who may delete?" in escalation
    assert "failed 5 verifications, with all their lists: `api_agent`, `database_agent`, `web_agent`" in escalation


@pytest.mark.req("OR-12")
def test_intervention_points_are_those_of_this_design() -> None:
    points = part(made(), "User Intervention Points")
    for gate in ("architecture", "roster", "design"):
        assert f"gate `{gate}`" in points
    assert "- phase 1, `poc_limit` tries “The limit is enough”: when it does not pass, say how `api_agent`" in points
    assert "- phase 4, `web_agent`: after 5 failed verifications" in points
    assert "poc" not in part(made(roster({"api_agent": ""}), specs=PocSpecs()), "User Intervention Points")


def test_a_verifier_of_several_doers_is_told_by_the_phase_of_each() -> None:
    team = roster({"a_agent": "", "b_agent": "a_agent"})
    points = checkpoints(team.of_kind("doer"), a_agent="one_verifier", b_agent="one_verifier")
    text = part(made(team, points, specs=PocSpecs()), "User Intervention Points")
    assert "- phase 2, `a_agent`:" in text
    assert "- phase 4, `b_agent`:" in text


def test_a_plan_of_one_doer_reads_well() -> None:
    text = made(roster({"api_agent": ""}), specs=PocSpecs(), plan=PLAN.model_copy(update={"open_items": ()}))
    assert "1 doer, 1 verifier in 2 phases, one at a time." in text
    assert "In this design nobody waits for another." in text
    assert "The plan left nothing open." in text


# --- what people say is text ------------------------------------------------------------------------------------------


def everywhere(text: str) -> str:
    """A plan in which everybody says the same."""
    plan = {"task": "x", "goal": text, "constraints": [text], "open_items": [text]}
    criterion = {"id": "c1", "text": text, "evidence": text, "command": text}
    modes = [{"mode": text, "remediation": text}]
    point = {"id": "check", "doer": "api_agent", "criteria": [criterion], "failure_modes": modes}
    points = Checkpoints.model_validate({"task_id": f"x_{AT}", "created": AT, "checkpoints": [point]})
    agents = {"api_agent": {"role": text}, "poc_limit": {**AGENTS["poc_limit"], "role": text}}
    specs = PocSpecs.model_validate({"pocs": [{**SPEC, "assumption": text}]})
    return made(roster(agents), points, Plan.model_validate(plan), specs)


def headings(text: str) -> list[tuple[int, str]]:
    return [(one.level, one.title) for one in markdown_headings.split(text) if one.level]


def drawn(text: str) -> list[tuple[int, str]]:
    """The headings as anybody who shows the page draws them."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        (int(token.tag[1]), tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and not token.level
    ]


def _no_more_than_its_own(text: str) -> None:
    wanted = headings(everywhere("plain words"))
    filled = everywhere(text)
    assert headings(filled) == wanted
    assert drawn(filled) == wanted
    assert not [*coordination_plan.undecided(filled, "plan.md")]


@pytest.mark.parametrize("text", [text for text in NASTY if text.strip()])
def test_no_text_gives_the_plan_another_heading(text: str) -> None:
    _no_more_than_its_own(text)


@given(TEXTS)
def test_whatever_people_say_the_plan_has_its_own_headings(text: str) -> None:
    _no_more_than_its_own(text)


# --- checking ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-15")
@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_that_nobody_decides_is_found_out(category: str) -> None:
    [finding] = coordination_plan.undecided(made().replace(f"`{category}`", "`other`"), "plan.md")
    assert (finding.rule, category in finding.problem) == ("coordination.escalation", True)
