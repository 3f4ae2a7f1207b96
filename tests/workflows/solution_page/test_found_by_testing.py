"""Found by testing, each once: what a repeated output or a fence may not do, and what a trace may not claim."""

from __future__ import annotations

import json

import pytest
import small_page as small
from page_play import Play, at, passed
from small_page import C1, CN, EN, RESERVED

from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.outputs import PARSE
from signoff.workflows.solution_page.trace import trace

BOLD = small.proposal(text="the best", text_cn="")


@pytest.mark.req("SP-7")
def test_a_proposal_given_again_keeps_the_risk_that_a_person_lowered() -> None:
    draft = small.copywriter("en", small.pages("en")["proposal"], claims=[BOLD])
    page = at("draft_en").give(draft)
    before, after = page.text(reg.PATH).split(RESERVED)
    page.edit(reg.PATH, before + RESERVED + after.replace("risk_level: high", "risk_level: low", 1))
    page.give(small.editor("needs_revision", blockers=["x"])).give(draft)
    assert page.claim(RESERVED).risk_level == "low"


@pytest.mark.req("SP-7")
def test_a_strategy_made_again_keeps_the_risk_that_a_person_lowered() -> None:
    page = at("approve_strategy", small.config(strategy=True))
    page.edit(reg.PATH, page.text(reg.PATH).replace("risk_level: high", "risk_level: low", 1))
    page.answer("reject", reason="x").give(small.strategist(documents=_other_documents()))
    assert page.claim(C1).risk_level == "low"


def _other_documents() -> dict[str, str]:
    return {path: f"{text}Again.\n" for path, text in json.loads(small.strategist())["documents"].items()}


@pytest.mark.req("SP-3")
def test_a_strategy_that_answers_a_rejection_with_other_claims_goes_to_the_person_again() -> None:
    page = at("approve_strategy", small.config(strategy=True)).answer("reject", reason="claim 2 is too bold")
    claims = json.loads(small.strategist())["claims"]
    claims[1] |= {"text": "a good box", "text_cn": ""}
    page.give(small.strategist(claims=claims))
    assert page.own.step == "approve_strategy"


@pytest.mark.req("SP-3")
def test_the_same_bytes_after_a_rejection_are_put_to_a_person() -> None:
    page = (
        at("approve_strategy", small.config(strategy=True)).answer("reject", reason="bolder").give(small.strategist())
    )
    assert (page.own.step, page.state.stop) == ("escalated", "escalated")
    assert "the same bytes" in page.own.blockers[0]


@pytest.mark.req("SP-4")
def test_changes_cannot_be_accepted_unseen() -> None:
    page = at("approve_final", small.config(final=True))
    seen = dict(page.state.docs)
    page.edit(EN, small.pages("en")["good"].replace("quiet", "calm"))
    page.answer("approve", accept_changes=True, seen=seen)
    assert page.rules == ["request.changed"]


def test_a_claim_that_one_page_carries_is_not_shown_as_released_in_the_other() -> None:
    page = at("review_cn").give(passed())
    page.edit(CN, "# x\n")
    used = [use["file"] for use in trace(C1, page.state, [], page.shelf)["used_in"]]
    assert "4-release/acme-box/content-en.md" in used
    assert "4-release/acme-box/content-cn.md" not in used


def test_a_trace_leaves_out_what_was_refused() -> None:
    refused = small.strategist(claims=[{"id": C1, "text": "x", "status": "proposed"}])
    page = Play().give(refused, small.strategist())
    acts = [entry["act"] for entry in trace(C1, page.state, page.events, page.shelf)["history"]]
    assert acts == ["gave it as unverified"]


@pytest.mark.req("SP-1")
@pytest.mark.parametrize(("opening", "end"), [("```yaml\r\n", "\r\n"), ("```YAML\n", "\n"), ("```\n", "\n")])
def test_an_output_in_a_fence_is_read(opening: str, end: str) -> None:
    fields = ("agent: editor-qa", "timestamp: '2026-01-01T00:00:00+00:00'", "status: complete", "decision: PASS")
    raw = opening + end.join(fields) + f"{end}```{end}"
    assert PARSE["editor-qa"](raw.encode(), "raw").decision == "PASS"


@pytest.mark.req("SP-10")
def test_a_gate_that_editor_qa_reports_otherwise_stands_and_the_difference_is_shown() -> None:
    page = at("review_en").give(small.editor("complete", gates=small.ALL_GREEN))
    said = [finding.problem for finding in page.own.warnings if finding.rule == "gates.misreported"]
    assert said == ["editor-qa called claims of en pass, the gate said fail"]
    assert page.own.step == "draft_en"
