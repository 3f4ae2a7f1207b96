"""Editor-QA: verdicts follow the evidence, fixes apply, and PASS is said only when nothing is left."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from stage import Stage, example

from signoff.evidence.sources.locators import Release
from signoff.workflows.kit import fixes
from signoff.workflows.solution_page.assembler.editor import unique
from signoff.workflows.solution_page.documents.page_template import Lang
from signoff.workflows.solution_page.outputs import Fix


@pytest.fixture
def stage() -> Stage:
    stage = example("algorithm")
    stage.strategy()
    stage.write("en")
    return stage


def change(stage: Stage, old: str, new: str, lang: Lang = "en") -> None:
    text = stage.text(stage.path(lang))
    assert text.count(old) == 1
    stage.put(stage.path(lang), text.replace(old, new))


@pytest.mark.req("SP-9", "SP-10")
def test_sound_claims_are_verified_and_the_page_passes(stage: Stage) -> None:
    output = stage.review("en")
    assert (output.status, output.decision, output.fixes) == ("complete", "PASS", [])
    assert {verdict.verdict for verdict in output.verdicts} == {"verified"}
    assert stage.findings("en") == []


@pytest.mark.req("SP-10")
def test_the_gates_are_reported_as_they_were_given(stage: Stage) -> None:
    change(stage, "# Heron Acoustic Anomaly Detection", "Heron")
    gates = stage.review("en").gates
    assert gates.structure is not None
    assert gates.structure.status == "fail"
    assert "structure.h1" in gates.structure.details
    assert gates.links is not None
    assert gates.links.status == "pass"


@pytest.mark.req("SP-9")
def test_a_claim_whose_evidence_does_not_hold_is_unverified_with_the_reason() -> None:
    stage = example("escalating")
    stage.strategy()
    stage.write("en")
    output = stage.review("en")
    claim = stage.claim("The industry's most")
    verdict = next(verdict for verdict in output.verdicts if verdict.claim_id == claim.id)
    assert (verdict.verdict, output.status, output.decision) == ("unverified", "needs_revision", "BLOCKED")
    assert "no evidence" in verdict.reason
    assert sum(verdict.verdict == "verified" for verdict in output.verdicts) == len(output.verdicts) - 1


@pytest.mark.req("SP-7", "SP-17")
def test_after_a_person_removed_the_claim_its_sentence_is_fixed_away_and_both_pages_pass() -> None:
    stage = example("escalating")
    stage.strategy()
    stage.write("en")
    assert not stage.settle("en")
    stage.set_claim(stage.claim("The industry's most").id, status="removed")
    output = stage.review("en")
    assert [(fix.severity, fix.type) for fix in output.fixes] == [("S0", "claim")]
    stage.mend("en", output)
    assert stage.settle("en", rounds=1)
    stage.write("cn")
    assert stage.settle("cn", rounds=1)
    assert "It is the industry" not in stage.text(stage.path("en"))
    assert "最可靠" not in stage.text(stage.path("cn"))


@pytest.mark.req("SP-7")
def test_a_proposal_without_evidence_is_removed_with_its_sentence_in_both_languages(stage: Stage) -> None:
    def more(sheet: dict[str, Any]) -> None:
        sheet["sections"]["applications"]["en"] += "\n\nIt is calm. The cable is 17 m long. It is grey."
        sheet["sections"]["applications"]["cn"] += "\n\n它很安静。线缆长17米。它是灰色的。"

    stage.edit_sheet(more)
    (claim,) = stage.write("en").claims
    output = stage.review("en")
    assert {verdict.claim_id: verdict.verdict for verdict in output.verdicts}[claim.id] == "removed"
    stage.mend("en", output)
    assert "It is calm. It is grey." in stage.text(stage.path("en"))
    assert stage.settle("en", rounds=1)
    stage.write("cn")
    assert "它很安静。它是灰色的。" in stage.text(stage.path("cn"))
    assert stage.settle("cn", rounds=1)


def test_a_proposal_with_evidence_that_holds_is_verified(stage: Stage) -> None:
    def more(sheet: dict[str, Any]) -> None:
        sheet["sections"]["applications"]["en"] += "\n\nThe sensor cable is 17 m long."
        sheet["sections"]["applications"]["cn"] += "\n\n传感器线缆长17米。"

    stage.put("0-sources/specs/cable.md", "# Cable\n\nThe sensor cable is 17 m long and shielded.\n")
    stage.edit_sheet(more)
    (claim,) = stage.write("en").claims
    assert stage.settle("en", rounds=1)
    assert stage.registry.claims[claim.id].status == "verified"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Heron still detected 93.5%", "Heron still detected 99.5%", "accuracy"),
        ("93.5% of the seeded faults. <!-- claim_id: C-AP-003 -->", "93.5% of the seeded faults.", "claim"),
        ("Pumps stand beside compressors, and", "Pumps stand [TODO] beside compressors, and", "style"),
    ],
    ids=["number", "marker", "todo"],
)
@pytest.mark.req("SP-17")
def test_what_code_can_mend_is_given_as_a_fix_after_which_the_page_passes(
    stage: Stage, old: str, new: str, kind: str
) -> None:
    stage.settle("en")
    change(stage, old, new)
    output = stage.review("en")
    assert output.decision == "BLOCKED"
    assert [fix.type for fix in output.fixes] == [kind]
    stage.mend("en", output)
    assert stage.review("en").decision == "PASS"
    assert stage.findings("en") == []


def test_a_number_that_differs_from_the_english_is_mended_in_the_chinese_page(stage: Stage) -> None:
    stage.settle("en")
    stage.write("cn")
    change(stage, "苍鹭仍检出了93.5%的植入故障", "苍鹭仍检出了39.5%的植入故障", "cn")
    output = stage.review("cn")
    stage.mend("cn", output)
    assert stage.review("cn").decision == "PASS"


@pytest.mark.req("SP-10")
def test_a_failing_gate_that_no_fix_mends_blocks_without_fixes(stage: Stage) -> None:
    change(stage, "## Applications", "## Uses")
    output = stage.review("en")
    assert (output.status, output.decision, output.fixes) == ("needs_revision", "BLOCKED", [])


UPDATES = "Model updates are signed"


def reason(stage: Stage, text: str) -> tuple[str, str]:
    claim_id = stage.claim(text).id
    verdict = next(one for one in stage.review("en").verdicts if one.claim_id == claim_id)
    return verdict.verdict, verdict.reason


@pytest.mark.req("SP-9")
def test_a_verified_verdict_says_what_was_looked_at(stage: Stage) -> None:
    assert reason(stage, UPDATES) == ("verified", "file and place found; 7 of 7 words of the claim occur there")
    verdict, why = reason(stage, "False alarms")
    assert verdict == "verified"
    assert why.startswith(
        "file, place and excerpt found; every number and code of the claim occurs there; 4 of 6 words"
    )


@pytest.mark.req("SP-9")
def test_a_place_that_is_there_and_says_something_else_does_not_verify_words(stage: Stage) -> None:
    claim = stage.claim(UPDATES)
    elsewhere = Release("0-sources/prd/release-notes.md", "2.4.0", "Evaluation licence")
    stage.set_claim(claim.id, evidence=(elsewhere,))
    verdict, why = reason(stage, UPDATES)
    assert verdict == "unverified"
    assert why == (
        "the place is there, but only 0 of 7 words of the claim occur in it; "
        "a person or a model must judge whether it says this"
    )
    assert stage.review("en").notes == [f"{claim.id}: {why}"]


@pytest.mark.req("SP-9")
def test_a_number_without_a_unit_that_the_place_does_not_state_does_not_verify() -> None:
    stage = example("escalating")
    stage.strategy()
    stage.write("en")
    claim = stage.claim("Polls 12,000")
    stage.set_claim(claim.id, text="Polls 13,000 data points per second", text_cn="每秒采集1.3万个数据点")
    verdict, why = reason(stage, "Polls 13,000")
    assert (verdict, "13,000" in why) == ("unverified", True)


@pytest.mark.req("SP-9")
def test_a_claim_whose_evidence_nobody_checked_is_not_verified(stage: Stage) -> None:
    notes = {"language": "en", "file": stage.path("en"), "gates": {}, "evidence": {}, "round": 1, "limit": 4}
    raw = stage.play("editor-qa", notes)
    assert "verdict: verified" not in raw


@pytest.mark.parametrize(
    ("text", "part", "new"),
    [
        ("A b. A b. C.", (5, 9), ""),
        ("one\n\none\n\none\n", (5, 8), "two"),
        ("x" * 60, (20, 21), "y"),
        ("- a\n- a\n- b\n", (3, 7), ""),
    ],
)
@pytest.mark.req("SP-17")
def test_a_before_text_grows_until_it_occurs_once(text: str, part: tuple[int, int], new: str) -> None:
    before, after = unique(text, *part, new)
    fix = Fix(id="F", severity="S1", type="style", before=before, after=after, reason="r")
    mended, misses = fixes.apply(text, [fix], "f")
    assert not misses
    assert mended == text[: part[0]] + new + text[part[1] :]


@given(st.text("ab \n", min_size=3, max_size=60), st.data())
def test_any_place_can_be_changed_by_a_before_text_that_occurs_once(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assume(text[start:end].strip() and not text[:end].endswith("\n"))
    before, after = unique(text, start, end, "c")
    fix = Fix(id="F", severity="S1", type="style", before=before, after=after, reason="r")
    mended, misses = fixes.apply(text, [fix], "f")
    assert not misses
    assert mended.rstrip("\n") == (text[:start] + "c" + text[end:]).rstrip("\n")


def test_a_proposal_that_the_page_does_not_use_is_settled_by_removing_it(stage: Stage) -> None:
    stage.set_claim("C-AP-014", status="proposed", text="The best of pumps", added_by="copywriter", risk_level="high")
    output = stage.review("en")
    assert (output.decision, output.fixes) == ("PASS", [])
    assert stage.registry.claims["C-AP-014"].status == "removed"
    assert stage.findings("en") == []


def test_a_downgraded_claim_of_lower_risk_keeps_its_status(stage: Stage) -> None:
    claim = stage.claim("Occupies 310 KB")
    stage.set_claim(claim.id, status="downgraded", risk_level="medium")
    assert stage.review("en").decision == "PASS"
    assert stage.registry.claims[claim.id].status == "downgraded"


def test_a_missing_draft_blocks(stage: Stage) -> None:
    del stage.files[stage.path("en")]
    raw = stage.play("editor-qa", {"language": "en", "file": stage.path("en")})
    assert "status: blocked" in raw
    assert stage.path("en") in raw
