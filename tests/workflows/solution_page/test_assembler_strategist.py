"""The strategist: claims from facts, evidence that is really there, and no page out of nothing."""

from __future__ import annotations

from typing import Any

import pytest
from generated import product
from stage import AT, SHEET, Stage, example

from signoff.artifacts import yamlio
from signoff.core.findings import failing
from signoff.workflows.solution_page.assembler import fact_search
from signoff.workflows.solution_page.documents import claims_registry as reg


@pytest.fixture
def stage() -> Stage:
    return example("algorithm")


def source_of(stage: Stage, fact_id: str, value: dict[str, Any] | None) -> None:
    def change(sheet: dict[str, Any]) -> None:
        fact = next(fact for fact in sheet["facts"] if fact["id"] == fact_id)
        fact.pop("source", None)
        fact |= {"source": value} if value else {}

    stage.edit_sheet(change)


@pytest.mark.req("SP-6")
def test_facts_become_unverified_claims_in_order_and_exactly_ten_ids_follow(stage: Stage) -> None:
    output = stage.strategy()
    facts = yamlio.load(stage.text(SHEET), SHEET)["facts"]
    assert output.status == "complete"
    assert output.timestamp == AT
    assert [claim.id for claim in output.claims] == [f"C-AP-{n:03}" for n in range(1, len(facts) + 11)]
    assert [claim.text for claim in output.claims[: len(facts)]] == [fact["text"]["en"] for fact in facts]
    assert [claim.status for claim in output.claims] == ["unverified"] * len(facts) + ["reserved"] * 10


@pytest.mark.req("SP-9")
@pytest.mark.parametrize("name", ["hardware", "algorithm"])
def test_every_claim_of_the_complete_examples_has_evidence_that_holds(name: str) -> None:
    stage = example(name)
    stage.strategy()
    assert not failing(stage.evidence())


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("fact", "path"),
    [
        ("detection-rate", "0-sources/reports/benchmark.md"),
        ("false-alarms", "0-sources/reports/field-trial.pdf"),
        ("memory", "0-sources/prd/release-notes.md"),
        ("signed-updates", "0-sources/prd/release-notes.md"),
    ],
)
def test_a_source_that_names_only_a_file_is_completed_with_the_place(stage: Stage, fact: str, path: str) -> None:
    source_of(stage, fact, {"path": path})
    place = yamlio.load(stage.text(SHEET), SHEET)["facts"]
    index = [one["id"] for one in place].index(fact)
    claim = stage.strategy().claims[index]
    (locator,) = list(claim.evidence)
    assert isinstance(locator, dict)
    assert locator["path"] == path
    assert locator.get("page") or locator.get("line") or locator.get("section")
    assert not [found for found in failing(stage.evidence()) if found.about == claim.id]


@pytest.mark.req("SP-9")
def test_a_fact_without_a_source_has_no_evidence_and_says_what_is_needed(stage: Stage) -> None:
    source_of(stage, "oxbow-machines", None)
    claim = next(claim for claim in stage.strategy().claims if claim.text.startswith("Oxbow"))
    assert not claim.evidence
    assert "212 machines" in claim.evidence_suggested
    assert claim.id in stage.text("1-planning/message-house.md").split("## Open evidence")[1]


OXBOW = {"url": "https://engineering.oxbow-water.example/notes/listening-to-pumps", "accessed_date": "2026-03-16"}


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"path": "0-sources/brief.md"}, "no place in 0-sources/brief.md states it"),
        ({"path": "0-sources/nowhere.md"}, "'0-sources/nowhere.md' is not there"),
        ({"path": "0-sources/nowhere.md", "line": 3}, "'0-sources/nowhere.md' is not there"),
        ({"path": "0-sources/reports/benchmark.md", "line": 999}, "has no line 999"),
        ({"path": "0-sources/reports/benchmark.md", "section": "Detection"}, "has no section 'Detection'"),
        ({"path": "0-sources/reports/field-trial.pdf", "page": 99, "excerpt": "x"}, "has no page 99"),
        ({"path": "0-sources/reports/benchmark.md", "section": "Detection rate"}, "'212 machines' is not stated"),
        ({**OXBOW, "excerpt": "we listen to 213 machines"}, "does not stand at"),
        ({**OXBOW, "accessed_date": "2026-03-17", "excerpt": "we listen"}, "no snapshot of"),
    ],
)
def test_a_source_that_does_not_hold_blocks_with_line_fact_problem_and_repair(
    stage: Stage, source: dict[str, Any], said: str
) -> None:
    source_of(stage, "oxbow-machines", source)
    output = stage.strategy()
    (blocker,) = output.blockers
    lines = stage.text(SHEET).split("\n")
    number = int(blocker.split(":")[1])
    assert output.status == "blocked"
    assert not output.claims
    assert blocker.startswith(
        f"{SHEET}:{number}: product.source: the source of the fact 'oxbow-machines' does not hold"
    )
    assert "source" in lines[number - 1] or "source" in lines[number - 2]
    assert said in blocker
    assert "Repair: " in blocker


@pytest.mark.req("SP-9")
def test_a_fact_whose_code_its_source_does_not_state_blocks() -> None:
    stage = example("escalating")
    stage.put(SHEET, stage.text(SHEET).replace("IP67", "IP68"))
    output = stage.strategy()
    assert output.status == "blocked"
    assert "'ingress' does not hold: 'IP68' is not stated" in output.blockers[0]


def test_a_page_that_only_the_network_has_does_not_block_in_http_mode(stage: Stage) -> None:
    source_of(stage, "oxbow-machines", {**OXBOW, "accessed_date": "2026-03-17", "excerpt": "listen to 212 machines"})
    assert stage.strategy(link_check_mode="http").status == "complete"


@pytest.mark.req("SP-13")
@pytest.mark.parametrize(
    "url", ["www.larkfen.example/heron", "htp://larkfen.example", "https://", "https:/larkfen.example"]
)
def test_a_call_to_action_that_is_no_address_blocks_with_its_line(stage: Stage, url: str) -> None:
    stage.edit_sheet(lambda sheet: sheet["cta"].update(url=url))
    output = stage.strategy()
    assert output.status == "blocked"
    assert any(f"'{url}'" in blocker and "product.link" in blocker for blocker in output.blockers)
    assert all(blocker.split(":")[1].isdigit() for blocker in output.blockers)


@pytest.mark.req("SP-13")
def test_a_malformed_link_in_the_prose_blocks_once(stage: Stage) -> None:
    def change(sheet: dict[str, Any]) -> None:
        for lang in ("en", "cn"):
            sheet["sections"]["applications"][lang] += "\n\n[x](https://a b.example/%zz)[y](https://a.example/%zz)"

    stage.edit_sheet(change)
    output = stage.strategy()
    assert [("'https://a.example/%zz'" in one) for one in output.blockers].count(True) == 1


@pytest.mark.req("SP-9")
def test_a_place_is_not_taken_for_evidence_by_its_numbers_alone() -> None:
    assert fact_search._rating("the lift plays 6 hours of music", ["6 hours of battery life on one charge"]) is None
    assert fact_search._rating("meetings may last 6 hours", ["6-hour battery run on one full charge"]) is None
    assert fact_search._rating("6-hour battery run on one full charge", ["6-hour battery run on one full charge"]) == 1


@pytest.mark.req("SP-8")
def test_a_claim_has_the_higher_risk_of_its_two_languages(stage: Stage) -> None:
    def change(sheet: dict[str, Any]) -> None:
        sheet["facts"][-1]["text"] = {"en": "Evaluation licence of 90 days", "cn": "业界唯一的90天评估许可"}

    stage.edit_sheet(change)
    claim = next(claim for claim in stage.strategy().claims if claim.text.startswith("Evaluation"))
    assert (claim.risk_level, claim.category) == ("high", "superlative-comparison")


def test_the_planning_documents_name_readers_pillars_proof_search_words_and_assets(stage: Stage) -> None:
    documents = stage.strategy().documents
    house, brief = documents["1-planning/message-house.md"], documents["1-planning/content-brief.md"]
    for wanted in ("Makers of vibration and sound sensors", "声音传感器厂商", "Alarms worth the walk", "C-AP-004"):
        assert wanted in house
    for wanted in ("acoustic anomaly detection", "声学异常检测", "pipeline:", "How It Works / 工作原理", "800 to 1500"):
        assert wanted in brief


def test_the_reason_of_a_rejection_is_kept_in_the_brief(stage: Stage) -> None:
    assert (
        "Speak to buyers first"
        in stage.strategy(rejected="Speak to buyers first").documents["1-planning/content-brief.md"]
    )


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda sheet: sheet["sections"].pop("challenges"), "sections.challenges"),
        (lambda sheet: sheet["features"].__delitem__(slice(1, None)), "features"),
        (lambda sheet: sheet["value_proposition"].update(en="Too short.", cn="太短。"), "value_proposition.cn"),
        (
            lambda sheet: sheet["sections"]["how-it-works"].update(cn="很短。", en="Short.") or sheet.pop("faq"),
            "sections",
        ),
    ],
    ids=["section", "features", "value", "length"],
)
def test_a_sheet_that_cannot_fill_the_page_blocks_and_says_what_to_add_where(
    stage: Stage, change: Any, wanted: str
) -> None:
    stage.edit_sheet(change)
    output = stage.strategy()
    assert output.status == "blocked"
    assert not output.documents
    assert any(wanted in blocker and SHEET in blocker and "Repair" in blocker for blocker in output.blockers)


@pytest.mark.parametrize("text", [None, "schema: [", "schema: signoff/product@1\nkind: boat\n"])
@pytest.mark.parametrize("agent", ["strategist", "copywriter"])
def test_a_missing_or_unreadable_sheet_blocks_with_file_problem_and_repair(
    stage: Stage, text: str | None, agent: str
) -> None:
    stage.strategy()
    if text is None:
        del stage.files[SHEET]
    else:
        stage.put(SHEET, text)
    output = stage.strategy() if agent == "strategist" else stage.write("en")
    assert output.status == "blocked"
    assert all(SHEET in blocker and "Repair: " in blocker for blocker in output.blockers)


def test_the_same_assignment_gives_the_same_bytes() -> None:
    assert product(7).play("strategist", {"code": "FR"}) == product(7).play("strategist", {"code": "FR"})


def test_a_turn_reads_nothing_that_it_does_not_name(stage: Stage) -> None:
    stage.strategy()
    asked: list[str] = []
    files = stage.files

    def read(path: str) -> bytes:
        asked.append(path)
        return files[path]

    stage.read = read  # type: ignore[method-assign]
    stage.write("en")
    assert asked
    assert set(asked) <= set(files)
    assert reg.PATH in asked
