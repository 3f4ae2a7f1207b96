"""The way of a page, move by move: what each step asks for, and where what comes back leads."""

from __future__ import annotations

from typing import Any

import pytest
import small_page as small
from page_play import ANN, LATER, Play, at, good, passed, revise
from small_page import C1, C2, CN, EN, RESERVED, SPEC

from signoff.core.commands import CancelTurn, Check, Finish, StartTurn, Write
from signoff.core.refs import Ref
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.state import (
    CONTENT_BRIEF,
    MESSAGE_HOUSE,
    PHASE,
    PLANNING,
    Approval,
    Attempt,
    draft,
    rejection,
    release,
)
from signoff.workflows.solution_page.workflow import TABLE, WORKFLOW

BOTH = small.config(strategy=True, final=True)
BAD = small.copywriter("en", small.pages("en")["two titles"])
BAD_CN = small.copywriter("cn", small.pages("cn")["other number"])
CALM = small.pages("en")["good"].replace("quiet", "calm")
RELEASED = (release(small.SLUG, "en"), release(small.SLUG, "cn"))
SINGLE = ["structure", "word-count", "links", "markers", "claims"]


def gates_run(page: Play) -> list[str]:
    return [command.key for command in page.commands if isinstance(command, Check)]


# --- strategy ---------------------------------------------------------------------------------------------------------


def test_the_strategist_reads_the_sources_and_writes_the_planning_documents() -> None:
    page = Play()
    turn = page.turn
    assert (turn.agent, turn.contract, turn.key) == ("strategist", "strategist", "strategy")
    assert turn.reads == (SPEC, *PLANNING, reg.PATH)
    assert turn.writes == PLANNING
    assert turn.notes["code"] == "AB"
    assert (turn.notes["slug"], turn.notes["pool"], turn.notes["rejected"]) == (small.SLUG, 10, None)
    assert turn.notes["page_type"] == "hardware"
    assert turn.notes["template"]["name"] == "tiny"


@pytest.mark.req("SP-6")
def test_the_code_of_claims_stays_the_same_for_the_project() -> None:
    known = "claims:\n  C-OLD-001: {status: removed, text: x}\n"
    assert Play().own.code == "AB"
    kept = Play(**{reg.PATH: known})
    assert kept.own.code == "OLD"
    assert kept.turn.notes["code"] == "OLD"


def test_a_strategy_writes_its_documents_and_the_registry() -> None:
    page = at("draft_en")
    assert (page.text(MESSAGE_HOUSE), page.text(CONTENT_BRIEF)) == ("# House\n", "# Brief\n")
    assert page.claim(C1).risk_level == "high"
    assert [page.claim(f"C-AB-{n:03d}").status for n in range(10, 20)] == ["reserved"] * 10
    assert page.own.last_agent == "strategist"


@pytest.mark.req("SP-7")
def test_what_was_removed_or_downgraded_stays_so_when_the_strategy_is_made_again() -> None:
    page = at("approve_strategy", BOTH)
    text = page.text(reg.PATH).replace("status: unverified", "status: removed", 1)
    page.edit(reg.PATH, text)
    page.answer("reject", reason="more").give(small.strategist())
    assert page.claim(C1).status == "removed"
    assert page.claim(C2).status == "unverified"


# --- where outputs lead -----------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2")
def test_a_page_without_trouble_goes_through_the_phases_in_order_and_is_released() -> None:
    page, phases = Play(), []
    for raw in (small.strategist(), good("en"), passed(), good("cn"), passed()):
        phases.append(page.own.phase)
        page.give(raw)
    assert phases == ["strategy", "draft_en", "review_en", "draft_cn", "review_cn"]
    assert (page.own.phase, page.state.stop) == ("complete", "complete")
    assert page.own.counts == {"en": 0, "cn": 0}
    assert Finish(reason="complete") in page.commands
    for lang, path in zip(("en", "cn"), RELEASED, strict=True):
        assert page.text(path) == small.pages(lang)["good"].replace(f" {small.mark(C1)}", "")
        assert "claim_id" not in page.text(path)


@pytest.mark.req("SP-2")
def test_nothing_is_released_before_completion() -> None:
    page = at("approve_final", BOTH)
    assert not set(RELEASED) & page.state.docs.keys()
    assert set(RELEASED) <= page.answer("approve").state.docs.keys()


BLOCKED: dict[str, str] = {
    "strategy": small.strategist(status="blocked", blockers=["no sources"]),
    "draft_en": small.copywriter("en", "", status="escalate", blockers=["no sources"]),
    "review_en": small.editor("blocked", blockers=["no sources"]),
    "draft_cn": small.copywriter("cn", "", status="blocked", blockers=["no sources"]),
    "review_cn": small.editor("escalate", blockers=["no sources"]),
}


@pytest.mark.req("SP-2", "SP-5")
@pytest.mark.parametrize("step", BLOCKED)
def test_blocked_or_escalate_from_any_agent_escalates_and_resume_goes_on_there(step: str) -> None:
    page = at(step)
    agent = page.turn.agent
    page.give(BLOCKED[step])
    own = page.own
    assert (own.step, own.escalation_reason, own.resume_to) == ("escalated", "unresolvable_blocker", step)
    assert own.blockers == ("no sources",)
    assert own.last_agent == agent
    word = "escalate" if "escalate" in BLOCKED[step] else "blocked"
    assert own.attempts[-1] == Attempt(iteration=0, agent=agent, issue=f"{word}: no sources", fix="none")
    assert page.state.stop == "escalated"
    assert (page.ask.key, page.ask.kind, page.ask.options) == ("escalation", "escalation", ("resume",))
    assert page.ask.question.startswith(f"{small.SLUG} needs a decision (unresolvable_blocker)")
    page.answer("resume")
    assert (page.own.step, page.own.blockers, page.own.escalation_reason) == (step, (), None)
    assert page.own.attempts[-1] == Attempt(iteration=0, agent=ANN, issue="resumed", fix=f"from {step}")
    assert (page.turn.agent, page.state.stop) == (agent, None)


@pytest.mark.req("SP-1")
@pytest.mark.parametrize("step", BLOCKED)
def test_a_second_malformed_output_escalates_and_the_page_stays_as_it_was(step: str) -> None:
    page = at(step)
    agent, docs = page.turn.agent, page.state.docs
    page.give("status: [complete")
    assert (page.own.step, page.turn.attempt) == (step, 2)
    assert page.turn.told == page.refused
    page.give("status: [complete")
    assert (page.own.step, page.own.resume_to) == ("escalated", step)
    assert page.own.blockers == tuple(str(finding) for finding in page.refused)
    last = page.own.attempts[-1]
    assert (last.agent, last.issue, last.fix) == (agent, f"output refused: {page.own.blockers[0]}", "none")
    assert page.state.docs == docs


@pytest.mark.req("SP-2")
def test_crashes_escalate_after_three_tries_and_at_once_when_calls_are_uncertain() -> None:
    page = at("draft_en").crash().crash()
    assert (page.own.step, page.turn.attempt) == ("draft_en", 3)
    assert page.crash().own.step == "escalated"
    assert at("draft_en").crash("call-1").own.step == "escalated"


@pytest.mark.req("SP-1")
def test_dispatch_intent_never_routes() -> None:
    page = Play().give(small.strategist(dispatch_intent="complete"))
    assert page.own.step == "draft_en"


# --- drafting ---------------------------------------------------------------------------------------------------------


def test_the_copywriter_is_told_its_file_its_language_and_what_to_read() -> None:
    turn = at("draft_en").turn
    assert (turn.agent, turn.writes) == ("copywriter", (EN,))
    assert turn.reads == (SPEC, *PLANNING, reg.PATH, EN)
    assert turn.task == f"Write the English draft {EN}."
    notes = {name: turn.notes[name] for name in ("slug", "language", "file", "required", "mode")}
    assert notes == {"slug": small.SLUG, "language": "en", "file": EN, "required": [], "mode": "draft"}
    assert (turn.notes["revision"], turn.notes["round"], turn.notes["limit"]) == (0, 1, 2)
    assert turn.notes["template"]["name"] == "tiny"
    chinese = at("draft_cn").turn
    assert chinese.task == f"Write the Simplified Chinese draft {CN}."
    assert chinese.reads == (SPEC, *PLANNING, reg.PATH, EN, CN)
    assert (chinese.writes, chinese.notes["language"]) == ((CN,), "cn")


def test_a_revision_is_told_what_failed() -> None:
    page = at("draft_en").give(BAD, passed())
    turn = page.turn
    assert (turn.agent, turn.notes["mode"], turn.notes["revision"]) == ("copywriter", "revise", 1)
    assert (turn.notes["round"], turn.notes["limit"]) == (2, 2)
    assert turn.task == f"Revise the English draft {EN}."
    assert [found["rule"] for found in turn.notes["required"]] == [f.rule for f in page.own.required]
    assert turn.notes["required"]
    assert {"rule", "problem", "repair", "file", "line", "about", "severity"} == turn.notes["required"][0].keys()


# --- review -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-10")
def test_the_gates_run_before_editor_qa_and_again_after_its_verdicts() -> None:
    page = at("draft_en").give(good("en"))
    assert gates_run(page) == [*(f"{gate}-en" for gate in SINGLE), "evidence"]
    notes = page.turn.notes
    assert notes["gates"]["structure"] == {"status": "pass", "findings": []}
    assert notes["gates"]["claims"]["status"] == "fail"
    assert notes["gates"]["bilingual_parity"] == {"status": "n/a", "findings": []}
    assert notes["evidence"][C1] == []
    assert notes["evidence"][C2]
    assert RESERVED not in notes["evidence"]
    assert (notes["round"], notes["limit"], notes["file"], notes["language"]) == (1, 2, EN, "en")
    assert page.turn.writes == ()
    assert page.turn.reads == (SPEC, *PLANNING, reg.PATH, EN)
    assert page.turn.task == f"Review {EN}: judge the claims, give fixes, decide."
    page.give(passed())
    assert gates_run(page) == [*(f"{gate}-en" for gate in SINGLE), "evidence"]


@pytest.mark.req("SP-10")
def test_in_review_cn_both_languages_and_parity_are_checked() -> None:
    page = at("review_cn")
    assert gates_run(page) == [*(f"{gate}-{lang}" for lang in ("en", "cn") for gate in SINGLE), "parity", "evidence"]
    assert page.turn.reads == (SPEC, *PLANNING, reg.PATH, EN, CN)
    assert page.turn.notes["gates"]["bilingual_parity"]["status"] == "pass"


@pytest.mark.req("SP-10")
def test_a_differing_report_of_a_gate_is_overruled_and_kept() -> None:
    page = at("draft_en").give(BAD)
    lie = {"structure": {"status": "pass"}, "links": {"status": "pass"}}
    page.give(passed(gates=lie))
    assert page.own.step == "draft_en"
    assert page.own.counts["en"] == 1
    held = at("review_en", small.config())
    held.give(passed(gates={"structure": {"status": "fail"}}))
    assert held.own.step == "draft_cn", "the gate stands, whatever is said of it"


@pytest.mark.req("SP-10")
def test_pass_with_a_failing_gate_becomes_needs_revision_with_the_findings_as_required_fixes() -> None:
    page = at("draft_en").give(BAD, passed())
    assert page.own.step == "draft_en"
    assert page.own.required
    assert all(finding.rule.startswith(("structure.", "word-count.", "claims.")) for finding in page.own.required)
    assert page.own.blockers == tuple(str(finding) for finding in page.own.required)
    last = page.own.attempts[-1]
    assert (last.agent, last.iteration, last.fix) == ("editor-qa", 0, "sent back to the copywriter")
    assert page.own.required[0].problem in last.issue


@pytest.mark.req("SP-2")
@pytest.mark.parametrize(("lang", "limit"), [("en", 3), ("cn", 2), ("en", 0), ("cn", 0)])
def test_a_review_sends_back_until_the_limit_and_then_escalates(lang: str, limit: int) -> None:
    page = at(f"review_{lang}", small.config(en=limit if lang == "en" else 1, cn=limit if lang == "cn" else 1))
    for revision in range(limit):
        page.give(revise(blockers=["rewrite"]))
        assert (page.own.step, page.own.counts[lang]) == (f"draft_{lang}", revision + 1)
        page.give(good(lang))
    page.give(revise(blockers=["rewrite"]))
    assert (page.own.step, page.own.counts[lang]) == ("escalated", limit)
    assert page.own.attempts[-1].fix == "none: the limit is reached"
    assert (page.own.escalation_reason, page.own.resume_to) == ("iteration_limit", f"review_{lang}")
    history = page.own.attempts
    page.answer("resume")
    assert (page.own.step, page.own.counts[lang], page.own.blockers) == (f"review_{lang}", 0, ())
    assert page.own.attempts[: len(history)] == history
    assert page.turn.agent == "editor-qa"


@pytest.mark.req("SP-2")
def test_a_revision_without_a_word_still_costs_an_iteration() -> None:
    page = at("review_en").give(revise(verdicts=[small.verdict(C1, "verified")]))
    assert (page.own.step, page.own.counts) == ("draft_en", {"en": 1, "cn": 0})
    assert page.own.blockers == ("needs revision",)


@pytest.mark.req("SP-2", "SP-10")
def test_english_that_no_longer_passes_in_review_cn_goes_back_to_draft_en() -> None:
    page = at("review_cn")
    weaker = small.verdict(C1, "downgraded", text="a battery", text_cn="电池")
    page.give(small.editor("complete", verdicts=[weaker]))
    assert (page.own.step, page.own.counts) == ("draft_en", {"en": 1, "cn": 0})
    assert page.own.attempts[-1].issue == "the English page no longer passes"
    assert page.own.required
    stuck = at("review_cn", small.config(en=0))
    stuck.give(small.editor("complete", verdicts=[weaker]))
    assert (stuck.own.step, stuck.own.resume_to) == ("escalated", "review_en")


# --- fixes ------------------------------------------------------------------------------------------------------------

HOURS = small.HOURS["en"]
FIX = small.fix("quiet desk", "calm desk")


@pytest.mark.req("SP-17")
def test_a_revision_of_applicable_fixes_needs_no_agent_and_still_costs_an_iteration() -> None:
    page = at("review_en").give(revise(verdicts=[small.verdict(C1, "verified")], fixes=[FIX]))
    assert page.text(EN) == small.pages("en")["good"].replace("quiet", "calm")
    assert [c.agent for c in page.commands if isinstance(c, StartTurn)] == ["editor-qa"]
    assert (page.own.step, page.own.counts["en"], page.own.fixes) == ("review_en", 1, ())
    assert page.own.attempts[-2:] == (
        Attempt(iteration=0, agent="editor-qa", issue="better", fix="1 fixes"),
        Attempt(iteration=1, agent="orchestrator", issue="1 fixes of editor-qa", fix="applied by code"),
    )


@pytest.mark.req("SP-17")
def test_fixes_that_leave_a_gate_failing_bring_the_copywriter() -> None:
    marked = small.fix(HOURS, f"{HOURS} [TODO]")
    page = at("review_en").give(revise(verdicts=[small.verdict(C1, "verified")], fixes=[marked]))
    assert (page.own.step, page.turn.agent, page.turn.notes["mode"]) == ("draft_en", "copywriter", "revise")
    assert any("TODO" in found["problem"] for found in page.turn.notes["required"])
    assert "[TODO]" in page.text(EN)


@pytest.mark.req("SP-17")
def test_fixes_beside_a_blocker_are_applied_and_the_copywriter_resolves_the_blocker() -> None:
    page = at("review_en").give(revise(blockers=["too dry"], fixes=[FIX]))
    assert page.turn.agent == "copywriter"
    assert "calm desk" in page.text(EN)
    assert [found["problem"] for found in page.turn.notes["required"]][-1] == "too dry"
    assert page.turn.notes["required"][-1]["rule"] == "editor.blocker"
    assert page.turn.pinned[-1] == Ref(EN, page.state.docs[EN]), "it reads the draft with the fixes in"


@pytest.mark.req("SP-17")
@pytest.mark.parametrize(("severity", "step"), [("S0", "review_en"), ("S1", "draft_cn"), ("S2", "draft_cn")])
def test_there_is_no_pass_with_an_open_s0(severity: str, step: str) -> None:
    page = at("review_en").give(passed(fixes=[{**FIX, "severity": severity}]))
    assert page.own.step == step
    assert page.own.counts["en"] == (1 if severity == "S0" else 0)


@pytest.mark.req("SP-17")
def test_fixes_beside_a_pass_are_not_applied() -> None:
    page = at("review_en")
    before = page.state.docs[EN]
    page.give(passed(fixes=[FIX]))
    assert (page.own.step, page.state.docs[EN], page.own.fixes) == ("draft_cn", before, ())


@pytest.mark.req("SP-2")
def test_at_the_limit_fixes_are_not_applied_either() -> None:
    page = at("review_en", small.config(en=0))
    before = page.state.docs[EN]
    page.give(revise(fixes=[FIX]))
    assert (page.own.step, page.state.docs[EN]) == ("escalated", before)


# --- approvals --------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-3")
@pytest.mark.parametrize(
    ("config", "params", "strategy", "final"),
    [
        (small.config(), {}, False, False),
        (small.config(strategy=True), {}, True, False),
        (small.config(final=True), {}, False, True),
        (small.config(), {"require_strategy_approval": True}, True, False),
        (small.config(), {"require_final_approval": True}, False, True),
    ],
)
def test_approval_is_asked_for_only_where_it_is_wanted(
    config: str, params: dict[str, Any], strategy: bool, final: bool
) -> None:
    page = Play(config, params).give(small.strategist())
    assert (page.own.step == "approve_strategy") is strategy
    assert page.own.strategy_approved == ("false" if strategy else "skipped")
    if strategy:
        page.answer("approve")
        assert page.own.strategy_approved == "true"
    page.give(good("en"), passed(), good("cn"), passed())
    assert (page.own.step == "approve_final") is final
    assert page.own.final_approved == ("false" if final else "skipped")
    if final:
        page.answer("approve")
        assert page.own.final_approved == "true"
    assert page.state.stop == "complete"


@pytest.mark.req("SP-4")
def test_an_approval_records_who_when_and_the_digests() -> None:
    page = at("approve_final", BOTH)
    docs = page.state.docs
    assert page.ask.of == {path: docs[path] for path in (EN, CN, reg.PATH)}
    assert page.ask.options == ("approve", "reject")
    assert page.ask.question == f"Approve the final of {small.SLUG}?"
    page.answer("approve")
    first, second = page.own.approvals
    assert (first.gate, tuple(first.digests)) == ("strategy", (*PLANNING, reg.PATH))
    digests = {path: docs[path] for path in (EN, CN, reg.PATH)}
    assert second == Approval(gate="final", by=ANN, at=LATER, digests=digests)


@pytest.mark.req("SP-4")
def test_an_edit_after_the_request_refuses_the_approval_until_it_is_accepted() -> None:
    page = at("approve_final", BOTH)
    page.edit(EN, CALM)
    before = page.state
    page.answer("approve")
    assert page.rules == ["request.changed"]
    assert page.state is before
    page.answer("approve", accept_changes=True)
    assert page.own.approvals[-1].digests[EN] == page.state.docs[EN]
    assert page.text(RELEASED[0]) == CALM.replace(f" {small.mark(C1)}", "")


@pytest.mark.req("SP-3")
def test_a_rejected_strategy_goes_back_with_the_reason_in_the_brief() -> None:
    page = at("approve_strategy", BOTH).answer("reject", reason="too loud")
    assert (page.own.step, page.turn.agent, page.turn.notes["rejected"]) == ("strategy", "strategist", "too loud")
    assert page.turn.reads == (SPEC, *PLANNING, reg.PATH)
    page.give(small.strategist(documents={MESSAGE_HOUSE: "# Quiet\n", CONTENT_BRIEF: "# Brief\n"}))
    assert (page.own.step, page.own.rejected) == ("approve_strategy", "")
    assert page.own.rejections == (f"strategy, {ANN}: too loud",)


@pytest.mark.req("SP-3")
@pytest.mark.parametrize(("step", "again"), [("approve_strategy", small.strategist()), ("approve_final", good("en"))])
def test_the_same_bytes_after_a_rejection_are_put_to_a_person(step: str, again: str) -> None:
    page = at(step, BOTH).answer("reject", reason="too loud")
    agent, back = page.turn.agent, page.own.step
    page.give(again)
    assert (page.own.step, page.own.resume_to, page.own.last_agent) == ("escalated", back, agent)
    (blocker,) = page.own.blockers
    assert blocker.startswith(f"the {agent} gave back the same bytes after: ")
    assert "too loud" in blocker


@pytest.mark.req("SP-3")
@pytest.mark.parametrize(("payload", "lang"), [({}, "en"), ({"lang": "en"}, "en"), ({"lang": "cn"}, "cn")])
def test_a_final_rejection_costs_an_iteration_and_the_reason_is_a_required_fix(
    payload: dict[str, str], lang: str
) -> None:
    page = at("approve_final", BOTH).answer("reject", reason="too loud", **payload)
    own = page.own
    assert (own.step, own.counts[lang], own.final_approved) == (f"draft_{lang}", 1, "false")
    assert own.required == (rejection("too loud"),)
    assert own.blockers == (f"rejected by {ANN}: too loud",)
    assert page.turn.notes["required"][0]["problem"] == "a person rejected this: too loud"
    assert own.attempts[-1] == Attempt(iteration=0, agent=ANN, issue="rejected: too loud", fix=f"back to draft_{lang}")


@pytest.mark.req("SP-3")
def test_a_rejection_of_en_runs_draft_en_to_review_cn_again() -> None:
    page = at("approve_final", BOTH).answer("reject", reason="too loud")
    steps = []
    for raw in (small.copywriter("en", CALM), passed(), good("cn"), passed()):
        steps.append(page.own.step)
        page.give(raw)
    assert steps == ["draft_en", "review_en", "draft_cn", "review_cn"]
    assert (page.own.step, page.own.final_approved) == ("approve_final", "false")


@pytest.mark.req("SP-3")
@pytest.mark.parametrize("lang", ["en", "cn"])
def test_a_final_rejection_at_the_limit_escalates(lang: str) -> None:
    page = at("approve_final", small.config(final=True, en=0, cn=0)).answer("reject", reason="no", lang=lang)
    assert (page.own.step, page.own.escalation_reason) == ("escalated", "iteration_limit")
    assert page.own.resume_to == f"review_{lang}"


# --- release and edits ------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-10")
def test_the_gates_run_once_more_at_release_and_a_failure_goes_back() -> None:
    page = at("approve_final", BOTH).edit(EN, small.pages("en")["two titles"])
    page.answer("approve", accept_changes=True)
    assert (page.own.step, page.own.counts["en"], page.own.final_approved) == ("draft_en", 1, "false")
    assert page.own.attempts[-1].issue == "the en page does not pass at release"
    assert not set(RELEASED) & page.state.docs.keys()
    other = at("approve_final", BOTH).edit(CN, small.pages("cn")["other number"])
    other.answer("approve", accept_changes=True)
    assert (other.own.step, other.own.counts["cn"]) == ("draft_cn", 1)


@pytest.mark.req("SP-2", "SP-4")
@pytest.mark.parametrize(
    ("path", "text", "step"),
    [
        (EN, CALM, "review_en"),
        (CN, small.pages("cn")["good"].replace("安静", "宁静"), "review_cn"),
        (MESSAGE_HOUSE, "# Other\n", "review_en"),
        (SPEC, "# Spec\n\nBattery life: 6 hours!\n", "strategy"),
    ],
    ids=["en", "cn", "house", "source"],
)
def test_an_edit_after_completion_voids_the_approval_and_waits_for_resume(path: str, text: str, step: str) -> None:
    page = at("approve_final", BOTH).answer("approve")
    page.edit(path, text)
    assert (page.own.step, page.own.stale, page.own.final_approved) == ("complete", step, "false")
    assert page.ask.kind == "stale"
    assert page.ask.options == ("resume",)
    assert path in page.ask.question
    page.answer("resume")
    assert (page.own.step, page.own.stale, page.own.counts) == (step, "", {"en": 0, "cn": 0})


@pytest.mark.req("SP-2")
@pytest.mark.parametrize(
    ("step", "path", "lang", "leads"),
    [
        ("draft_en", EN, "en", "review_en"),
        ("draft_cn", CN, "cn", "review_cn"),
        ("draft_cn", EN, "en", "review_en"),
        ("review_cn", EN, "en", "review_en"),
        ("review_en", EN, "en", "review_en"),
        ("review_cn", CN, "cn", "review_cn"),
    ],
)
def test_an_edited_draft_goes_to_the_review_of_its_language_and_costs_nothing(
    step: str, path: str, lang: str, leads: str
) -> None:
    page = at(step)
    open_turn = page.turn.turn
    page.edit(path, small.pages(lang)["good"].replace("desk", "table").replace("办公桌", "书桌"))
    assert page.own.step == leads
    assert page.own.counts == {"en": 0, "cn": 0}
    assert CancelTurn(turn=open_turn) in page.commands
    assert page.turn.agent == "editor-qa"


@pytest.mark.req("SP-2")
def test_a_registry_that_a_person_removed_is_said_and_nothing_is_reviewed_without_it() -> None:
    page = at("review_en").edit(reg.PATH, None)
    assert (page.own.step, page.own.resume_to) == ("escalated", "review_en")
    assert page.own.blockers == (f"{reg.PATH}: document.gone: the file was removed. Repair: put it back, then resume",)


@pytest.mark.req("SP-2")
@pytest.mark.parametrize("order", [(CN, EN), (EN, CN)], ids=["the-earliest-last", "the-earliest-first"])
def test_several_edits_after_completion_begin_again_at_the_earliest_with_one_request(order: tuple[str, str]) -> None:
    page = at("review_cn").give(passed())
    texts = {CN: small.pages("cn")["good"].replace("安静", "宁静"), EN: CALM}
    for path in order:
        page.edit(path, texts[path])
    assert page.own.stale == "review_en"
    assert {EN, CN} <= set(page.own.edited_since)
    assert f"{EN}" in page.ask.question


@pytest.mark.req("SP-5")
@pytest.mark.parametrize(
    ("wanted", "step"), [("strategy", "strategy"), ("draft_en", "draft_en"), ("moon", "review_en")]
)
def test_a_person_may_resume_from_a_step_they_were_offered(wanted: str, step: str) -> None:
    page = at("review_en").give(small.editor("blocked", blockers=["x"]))
    page.answer("resume", **{"from": wanted})
    assert page.own.step == step


@pytest.mark.req("SP-5")
def test_what_was_asked_for_in_vain_is_not_asked_for_again_after_resume() -> None:
    page = at("review_en", small.config(en=0)).give(revise(blockers=["rewrite"], fixes=[small.fix("quiet", "calm")]))
    assert (page.own.step, [fix.after for fix in page.own.fixes]) == ("escalated", ["calm"])
    before = page.text(EN)
    page.answer("resume", **{"from": "draft_en"})
    assert (page.turn.agent, page.turn.notes["mode"], page.turn.notes["required"]) == ("copywriter", "draft", [])
    assert page.text(EN) == before, "fixes of the review that failed are not applied"


@pytest.mark.req("SP-3", "SP-5")
def test_a_rejection_that_led_to_an_escalation_does_not_bind_the_strategist_after_resume() -> None:
    page = at("approve_strategy", small.config(strategy=True)).answer("reject", reason="too dull")
    assert page.turn.notes["rejected"] == "too dull"
    page.give(small.strategist())
    assert page.own.step == "escalated", "the same bytes again"
    page.answer("resume")
    assert (page.own.step, page.turn.notes["rejected"]) == ("strategy", None)
    page.give(small.strategist())
    assert page.own.step == "approve_strategy", "a person who resumed may be shown the same strategy again"


@pytest.mark.req("SP-2")
def test_a_draft_that_a_person_wrote_is_reviewed_and_not_written_over() -> None:
    page = at("draft_cn").edit(CN, small.pages("cn")["good"]).give(passed())
    assert page.state.stop == "complete"
    back = at("review_en").edit(EN, CALM)
    assert back.own.by_hand == {"en"}
    back.give(revise(blockers=["rewrite"])).give(good("en"))
    assert (back.own.by_hand, [found.rule for found in back.own.warnings]) == (frozenset(), ["draft.taken-over"])


@pytest.mark.req("SP-7")
def test_a_claim_that_editor_qa_removed_and_what_agents_note_is_told_to_people() -> None:
    page = at("review_en").give(passed(verdicts=[small.verdict(C2, "removed")], notes=["look twice"]))
    assert [found.rule for found in page.own.warnings] == ["claims.taken-out", "agent.note"]
    assert page.own.warnings[1].problem == "editor-qa: look twice"
    assert {found.severity for found in page.own.warnings} == {"warning"}


@pytest.mark.req("SP-9")
def test_a_source_edited_while_an_agent_works_starts_the_work_anew() -> None:
    page = at("draft_en")
    first = page.turn
    page.edit(SPEC, "# Spec\n\nBattery life: 7 hours.\n")
    assert (page.own.step, page.turn.turn != first.turn) == ("draft_en", True)
    assert page.turn.pinned[0] == Ref(SPEC, page.state.docs[SPEC])


# --- the definition ---------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2")
def test_every_step_has_one_of_the_specs_phases() -> None:
    assert set(PHASE) == set(TABLE.stages)
    phases = {"strategy", "draft_en", "review_en", "draft_cn", "review_cn", "complete", "escalated"}
    assert set(PHASE.values()) == phases


def test_the_picture_has_every_step() -> None:
    picture = WORKFLOW.picture()
    assert all(step in picture for step in TABLE.stages)
    assert "review_en --> draft_en: revise, en below limit" in picture
    assert "review_en --> escalated: revise, en at limit" in picture


@pytest.mark.parametrize(
    ("path", "data", "rules"),
    [
        ("_workflow/config.yaml", b"colour: red\n", ["config.form"]),
        ("_workflow/config.yaml", b"", []),
        (reg.PATH, b"claims: 5\n", ["registry.claims"]),
        (reg.PATH, b"claims: {}\n", []),
        (EN, b"\xff\xfe", ["text.encoding"]),
        (EN, b"# fine\n", []),
        (".promptpack/templates/tiny.yaml", small.TEMPLATE.encode(), []),
        ("0-sources/notes.md", b"\xff\xfe", []),
        ("0-sources/report.pdf", b"\xff\xfe", []),
    ],
)
def test_what_a_person_writes_is_judged_before_it_is_taken_in(path: str, data: bytes, rules: list[str]) -> None:
    assert [finding.rule for finding in WORKFLOW.documents.accepts(path, data)] == rules


def test_a_template_that_is_none_is_refused() -> None:
    assert WORKFLOW.documents.accepts(".promptpack/templates/mine.yaml", b"name: x\n")


def test_what_is_followed_and_where_sources_are() -> None:
    followed = WORKFLOW.tracked({"slug": small.SLUG})
    assert {EN, CN, reg.PATH, *PLANNING, *RELEASED, "_workflow/config.yaml", ".promptpack/templates/"} == set(followed)
    assert WORKFLOW.documents.sources == ("0-sources/",)
    assert draft("x", "cn") == "3-drafts/x/content-cn.md"


@pytest.mark.req("SP-2")
def test_when_the_budget_is_used_up_the_run_stops_and_resume_goes_on_after_it_was_raised() -> None:
    page = Play(small.config(turns=2)).give(small.strategist(), good("en"))
    assert (page.state.stop, page.own.step, page.ask.kind) == ("budget", "review_en", "budget")
    docs = page.state.docs
    page.edit("_workflow/config.yaml", small.config(turns=9)).answer("resume")
    assert (page.state.stop, page.turn.agent) == (None, "editor-qa")
    assert {path: page.state.docs[path] for path in docs if path in (EN, reg.PATH)} == {
        path: docs[path] for path in (EN, reg.PATH)
    }


def test_a_release_writes_both_pages_and_nothing_else() -> None:
    page = at("review_cn").give(passed())
    written = [command.path for command in page.commands if isinstance(command, Write)]
    assert written == list(RELEASED)
    assert (page.own.required, page.own.blockers) == ((), ())
