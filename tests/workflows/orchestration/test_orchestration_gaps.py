"""What a plan has decided and a design leaves out is named before anybody approves it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import small_design as small
from small_design import Small

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks.design_checklist import verified
from signoff.workflows.orchestration.checks.design_files import DesignFiles
from signoff.workflows.orchestration.documents import review_questions
from signoff.workflows.orchestration.documents.plan_summary import Made

REPORT = "The report is a command in `app/report.py` and writes `low_stock.csv`"


def decided(text: str, *quoted: str, writes: str = "") -> DesignFiles:
    """The small design with one more decision, whom it is quoted by, and what one more contract writes."""
    files = Small().files()
    made = files.plan.model_copy(
        update={"decisions": (*files.plan.decisions, Made(decision=text, rationale="So", alternatives="None"))}
    )
    agents = dict(files.roster.agents)
    for name in quoted:
        sources = (*agents[name].plan_action_sources, text)
        agents[name] = agents[name].model_copy(update={"plan_action_sources": sources})
    contracts = dict(files.contracts.agents)
    if writes:
        one = contracts["api_agent"]
        contracts["api_agent"] = one.model_copy(
            update={"writes": (*one.writes, one.writes[0].model_copy(update={"path": writes}))}
        )
    return replace(
        files,
        plan=made,
        roster=files.roster.model_copy(update={"agents": agents}),
        contracts=files.contracts.model_copy(update={"agents": contracts}),
    )


def gaps(files: DesignFiles) -> list[tuple[str, str, str]]:
    found = [one for check in verified(files, None, small.CREATED).checks for one in check.findings]
    return [(one.rule, one.severity, one.area) for one in found if one.rule.startswith("gap.")]


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(
    ("files", "found"),
    [
        (decided(REPORT), [("gap.nobody", "error", "roster")]),
        (decided(REPORT, "api_agent"), [("gap.unbuilt", "error", "contracts")]),
        (decided(REPORT, "api_agent", writes="app/report.py"), []),
        (decided(REPORT, "api_agent", writes="app/**"), []),
        (decided("A line that cannot be read is reported"), [("gap.unquoted", "warning", "roster")]),
        (decided("A line that cannot be read is reported", "api_agent"), []),
        (decided("It writes `low_stock.csv` and calls `GET /items`", "api_agent"), []),
    ],
)
def test_what_was_decided_and_nobody_builds_is_a_named_gap(
    files: DesignFiles, found: list[tuple[str, str, str]]
) -> None:
    assert gaps(files) == found


@pytest.mark.req("OR-15")
@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("The teacher alone; anybody else is answered 401.", [("gap.answer", "warning", "checkpoints")]),
        ("", []),
    ],
)
def test_what_a_person_answered_and_no_criterion_mentions_is_a_named_gap(
    answer: str, found: list[tuple[str, str, str]]
) -> None:
    files = Small().files()
    asked = review_questions.render([("security", "Who may change an item?")])
    text = review_questions.write(asked.encode(), places.QUESTIONS, {"Q1": answer}) if answer else asked
    assert gaps(replace(files, texts={**files.texts, places.QUESTIONS: text})) == found


@pytest.mark.req("OR-15")
def test_an_answer_that_a_criterion_has_in_it_is_no_gap() -> None:
    files = Small().files()
    told = files.checkpoints.checkpoints[0].criteria[0].text
    asked = review_questions.render([("security", "What holds?")])
    text = review_questions.write(asked.encode(), places.QUESTIONS, {"Q1": told})
    assert gaps(replace(files, texts={**files.texts, places.QUESTIONS: text})) == []
