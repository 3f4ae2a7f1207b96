"""What people read about a page, made from the state: `state.yaml`, the approval request, the escalation report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import small_page as small
from page_play import ANN, LATER, Play, at, good, passed, revise
from small_page import C1, C2, CN, EN, SPEC

from signoff.artifacts import yamlio
from signoff.core.findings import Finding
from signoff.core.state import State
from signoff.testing.explorer import AT
from signoff.workflows.solution_page import views
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.state import PLANNING, Attempt, release

BOTH = small.config(strategy=True, final=True)
SPECIFIED = [
    "slug",
    "phase",
    "iteration_count",
    "human_gates",
    "last_agent",
    "last_action_time",
    "next_agent",
    "blockers",
    "escalation_reason",
]


def state_file(page: Play) -> dict[str, Any]:
    return yamlio.load_mapping(views.project(page.state)[views.STATE] or "", views.STATE)


def with_own(state: State, **changes: Any) -> State:
    return replace(state, own=replace(state.own, **changes))


# --- state.yaml -------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2", "SP-20")
def test_state_yaml_has_the_fields_of_the_spec_under_their_names() -> None:
    found = state_file(at("draft_en"))
    assert list(found)[: len(SPECIFIED)] == SPECIFIED
    assert {name: found[name] for name in SPECIFIED} == {
        "slug": small.SLUG,
        "phase": "draft_en",
        "iteration_count": {"en": 0, "cn": 0},
        "human_gates": {"strategy_approved": "skipped", "final_approved": False},
        "last_agent": "strategist",
        "last_action_time": AT,
        "next_agent": "copywriter",
        "blockers": [],
        "escalation_reason": None,
    }


def test_state_yaml_says_more_without_renaming_anything() -> None:
    page = at("draft_en")
    found = state_file(page)
    more = {name: value for name, value in found.items() if name not in SPECIFIED}
    assert more == {
        "step": "draft_en",
        "stop_reason": None,
        "revision": page.state.rev,
        "stale": False,
        "approvals": [],
    }


def test_a_run_that_has_just_begun_has_no_last_agent() -> None:
    assert state_file(Play())["last_agent"] is None


@pytest.mark.req("SP-3", "SP-4")
def test_a_gate_reads_false_true_or_skipped() -> None:
    asked = at("approve_strategy", BOTH)
    assert state_file(asked)["human_gates"] == {"strategy_approved": False, "final_approved": False}
    asked.answer("approve")
    assert state_file(asked)["human_gates"] == {"strategy_approved": True, "final_approved": False}
    assert state_file(at("review_cn").give(passed()))["human_gates"] == {
        "strategy_approved": "skipped",
        "final_approved": "skipped",
    }


@pytest.mark.req("SP-5")
def test_an_escalated_run_says_why_and_what_blocks_it() -> None:
    page = at("draft_en").give(small.copywriter("en", "", status="blocked", blockers=["no sources"]))
    found = state_file(page)
    assert (found["phase"], found["escalation_reason"], found["blockers"]) == (
        "escalated",
        "unresolvable_blocker",
        ["no sources"],
    )
    assert (found["stop_reason"], found["next_agent"], found["last_agent"]) == ("escalated", "human", "copywriter")


NEXT = {
    "strategy": "strategist",
    "draft_en": "copywriter",
    "review_en": "editor-qa",
    "draft_cn": "copywriter",
    "review_cn": "editor-qa",
    "approve_strategy": "human",
    "approve_final": "human",
}


@pytest.mark.req("SP-2")
@pytest.mark.parametrize("step", NEXT)
def test_who_acts_next_follows_from_the_step(step: str) -> None:
    config = BOTH if step.startswith("approve") else ""
    assert views.next_agent(at(step, config).state) == NEXT[step]


@pytest.mark.req("SP-2", "SP-5")
def test_who_acts_next_when_the_work_has_ended() -> None:
    done = at("review_cn").give(passed())
    assert views.next_agent(done.state) == "complete"
    assert views.next_agent(done.edit(EN, "# x\n").state) == "human"
    stuck = at("review_en").give(small.editor("blocked", blockers=["x"]))
    assert views.next_agent(stuck.state) == "human"


@pytest.mark.req("SP-4")
def test_an_approval_is_shown_with_its_digests_and_whether_it_still_holds() -> None:
    page = at("approve_final", BOTH).answer("approve")
    first, last = state_file(page)["approvals"]
    digests = dict(page.own.approvals[-1].digests)
    assert last == {"gate": "final", "by": ANN, "at": LATER, "digests": digests, "holds": True}
    assert (first["gate"], first["holds"]) == ("strategy", True)
    page.edit(CN, small.pages("cn")["good"].replace("安静", "宁静"))
    after = state_file(page)
    assert [yes["holds"] for yes in after["approvals"]] == [True, False]
    assert (after["stale"], after["human_gates"]["final_approved"]) == (True, False)


@pytest.mark.req("SP-4")
@pytest.mark.parametrize(
    ("digests", "path", "holds"),
    [
        ({EN: "1", CN: "2", reg.PATH: "3"}, EN, False),
        ({EN: "1", CN: "2", reg.PATH: "3"}, CN, False),
        ({EN: "1", CN: "2", reg.PATH: "3"}, reg.PATH, True),
        ({PLANNING[0]: "1", PLANNING[1]: "2", reg.PATH: "3"}, PLANNING[0], False),
        ({PLANNING[0]: "1", PLANNING[1]: "2", reg.PATH: "3"}, PLANNING[1], False),
        ({PLANNING[0]: "1", PLANNING[1]: "2", reg.PATH: "3"}, reg.PATH, True),
        ({PLANNING[0]: "1", PLANNING[1]: "2", reg.PATH: "3"}, EN, True),
    ],
)
def test_an_approval_holds_while_the_texts_are_those_approved(digests: dict[str, str], path: str, holds: bool) -> None:
    page = at("draft_en")
    assert views.holds(page.own, digests, replace(page.state, docs=digests))
    assert views.holds(page.own, digests, replace(page.state, docs={**digests, path: "other"})) is holds


# --- which files there are --------------------------------------------------------------------------------------------


@pytest.mark.req("SP-4", "SP-5")
@pytest.mark.parametrize(
    ("page", "present"),
    [
        (lambda: at("draft_en"), set()),
        (lambda: at("approve_strategy", BOTH), {views.APPROVAL}),
        (lambda: at("approve_final", BOTH), {views.APPROVAL}),
        (lambda: at("review_en").give(small.editor("blocked", blockers=["x"])), {views.ESCALATION}),
        (lambda: at("review_cn").give(passed()), set()),
        (lambda: at("review_cn").give(passed()).edit(EN, "# x\n"), set()),
    ],
)
def test_a_paper_is_there_exactly_while_it_waits_for_a_person(page: Any, present: set[str]) -> None:
    files = views.project(page().state)
    assert set(files) == {views.STATE, views.APPROVAL, views.ESCALATION}
    assert {path for path, text in files.items() if text is not None} == {views.STATE, *present}


# --- the approval request ---------------------------------------------------------------------------------------------


def request(page: Play) -> str:
    return views.project(page.state)[views.APPROVAL] or ""


@pytest.mark.req("SP-4")
def test_the_final_approval_request_says_everything_a_person_signs() -> None:
    page = at("approve_final", BOTH)
    docs = page.state.docs
    assert (
        request(page)
        == f"""\
# Approval request: acme-box, final

- Asked: {AT}
- Phase: review_cn
- Request: final-2

## Summary

Both drafts of `acme-box` passed everything that code can check, and a person has to say yes or no.
The page rests on 2 claims, 2 of them high risk.
Revisions so far: 0 English, 0 Chinese.

## Key decision points

- Is the page right in both languages?
- May it be published as it is? Releasing strips the claim markers only.

## Risks

- high risk: {C1} (verified): 6-hour battery life
- high risk: {C2} (unverified): the best box
- no evidence: {C2}: the best box

## Rejected before

Never.

## Artifacts to review

- `{EN}` sha256 `{docs[EN]}`
- `{CN}` sha256 `{docs[CN]}`
- `{reg.PATH}` sha256 `{docs[reg.PATH]}`

## What to do

- Approve: `signoff approve acme-box --gate final`
- Reject: `signoff reject acme-box --gate final --reason "…"` (add `--lang cn` to send the Chinese draft back)
- Modify: edit the files above, then `signoff approve acme-box --gate final --accept-changes`
"""
    )


@pytest.mark.req("SP-4")
def test_the_strategy_approval_request_is_about_message_and_claims() -> None:
    page = at("approve_strategy", BOTH)
    text = request(page)
    assert text.startswith("# Approval request: acme-box, strategy\n")
    assert "The strategy of `acme-box` passed everything that code can check" in text
    points = ["- Is this the message, for these readers?", "- May every claim below be made in public?"]
    assert "\n".join(points) in text
    for path in (*PLANNING, reg.PATH):
        assert f"- `{path}` sha256 `{page.state.docs[path]}`\n" in text
    assert "- Approve: `signoff approve acme-box --gate strategy`\n" in text
    assert '- Reject: `signoff reject acme-box --gate strategy --reason "…"`\n' in text
    assert "`signoff approve acme-box --gate strategy --accept-changes`\n" in text
    assert "--lang" not in text


@pytest.mark.req("SP-4", "SP-7")
def test_what_an_agent_did_not_earn_is_among_the_risks() -> None:
    forged = small.strategist().replace(f'"id": "{C1}"', f'"id": "{C1}", "status": "verified"', 1)
    page = Play(BOTH).give(forged)
    assert f"- claims.unearned: {C1} was called verified by an agent and is kept as unverified" in request(page)


@pytest.mark.req("SP-4")
def test_without_a_risk_the_request_says_so() -> None:
    page = at("approve_final", BOTH)
    ask = replace(page.ask, notes={**page.ask.notes, "high": [], "bare": []})
    text = views.approval_request(page.own, ask, page.state)
    assert "## Risks\n\nNo claim is without evidence.\n" in text
    assert "The page rests on 2 claims, 0 of them high risk.\n" in text


@pytest.mark.req("SP-4")
def test_the_request_counts_the_revisions_and_folds_lines_of_claims() -> None:
    page = at("approve_final", BOTH)
    told = {"rounds": {"en": 2, "cn": 1}, "high": ["C-AB-001 (verified): a\nb"], "rejections": ["final, ann: no"]}
    notes = {**page.ask.notes, **told}
    text = views.approval_request(page.own, replace(page.ask, notes=notes), page.state)
    assert "Revisions so far: 2 English, 1 Chinese.\n" in text
    assert "- high risk: C-AB-001 (verified): a b\n" in text
    assert "## Rejected before\n\n- final, ann: no\n" in text


# --- the escalation report --------------------------------------------------------------------------------------------


def options(text: str) -> list[str]:
    lines = text.splitlines()
    return [line.split(". ", 1)[1] for line in lines[lines.index("## Options") + 2 : lines.index("## To resume") - 1]]


@pytest.mark.req("SP-5")
def test_a_blocker_about_a_claim_brings_what_can_be_done_about_claims() -> None:
    page = at("review_en", small.config(en=0)).give(small.editor("complete"))
    text = views.project(page.state)[views.ESCALATION] or ""
    assert [option.split(":")[0] for option in options(text)][:3] == [
        "Remove the claim",
        "Downgrade the claim",
        "Provide evidence",
    ]
    assert f"`{reg.PATH}`" in options(text)[0]
    early = Play().give(small.strategist(status="blocked", blockers=["C-AB-001 is odd"]))
    assert len(options(views.project(early.state)[views.ESCALATION] or "")) == 2


@pytest.mark.req("SP-5")
def test_the_escalation_report_says_what_was_tried_what_is_left_and_how_to_resume() -> None:
    page = at("review_en").give(
        revise(verdicts=[small.verdict(C1, "verified")], blockers=["too | dry"]),
        good("en"),
        revise(blockers=["still\ntoo dry"]),
    )
    text = views.project(page.state)[views.ESCALATION] or ""
    lines = text.splitlines()
    assert lines[:5] == [
        "# Escalation report: acme-box",
        "",
        f"- Created: {AT}",
        "- Escalation reason: iteration_limit",
        "- Phase that escalated: review_en",
    ]
    start = lines.index("| iteration | agent | issue | fix tried |")
    assert lines[start + 1] == "|---|---|---|---|"
    assert lines[start + 2 : start + 4] == [
        "| 0 | editor-qa | too \\| dry | sent back to the copywriter |",
        "| 1 | editor-qa | still too dry | none: the limit is reached |",
    ]
    left = lines[lines.index("## Remaining blockers") + 2]
    assert left.startswith("- editor.blocker: still too dry. Repair: ")
    assert options(text) == [
        "Mend the sources in `0-sources/` and resume with `--from strategy`.",
        "Mend the draft in `3-drafts/` by hand.",
        "Leave it: the run stays escalated and nothing is released.",
    ]
    assert "run `signoff resume acme-box`. The run goes on from `review_en`" in text
    assert text.endswith("\n")


@pytest.mark.req("SP-5")
def test_earlier_attempts_stay_in_the_report_after_a_resume() -> None:
    page = at("review_en", small.config(en=0))
    sound = [small.verdict(C1, "verified")]
    page.give(revise(blockers=["first"], verdicts=sound)).answer("resume").give(revise(blockers=["second"]))
    text = views.project(page.state)[views.ESCALATION] or ""
    rows = [line for line in text.splitlines() if line.startswith("| 0 ")]
    assert [row.split(" | ")[2] for row in rows] == ["first", "resumed", "second"]


def test_a_report_without_blockers_says_so() -> None:
    page = at("review_en").give(small.editor("blocked", blockers=["x"]))
    state = with_own(page.state, blockers=(), attempts=(Attempt(iteration=1, agent="a", issue="b", fix="c"),))
    text = views.escalation_report(state.own, state)
    assert "## Remaining blockers\n\nNone named.\n" in text
    assert "| 1 | a | b | c |\n" in text


# --- status and summary -----------------------------------------------------------------------------------------------


def test_status_is_the_run_at_a_glance() -> None:
    page = at("review_en")
    assert views.status(page.state) == {
        "phase": "review_en",
        "step": "review_en",
        "rounds": {"en": 0, "cn": 0},
        "next_agent": "editor-qa",
        "findings": sum(finding.severity == "error" for findings in page.own.results.values() for finding in findings),
        "blockers": [],
        "warnings": [],
        "escalation_reason": None,
        "stale": False,
        "edited_since": [],
        "outputs": [],
    }
    assert views.status(page.state)["findings"] > 0


def test_status_names_the_outputs_once_they_are_there() -> None:
    page = at("review_cn").give(passed())
    found = views.status(page.state)
    assert found["outputs"] == [release(small.SLUG, "en"), release(small.SLUG, "cn")]
    warned = with_own(page.state, warnings=(Finding(rule="a", problem="b", repair="c"),))
    assert views.status(warned)["warnings"] == ["a: b. Repair: c"]


def test_a_summary_counts_the_claims_in_use_and_names_the_documents() -> None:
    page = at("review_cn").give(passed())
    found = views.summary(page.state, page.shelf)
    assert found["claims"] == {"used": 1, "verified": 1}
    assert found["example_claim"] == C1
    assert (found["registry"], found["drafts"]) == (reg.PATH, [EN, CN])
    assert set(found["gates"]) == set(page.own.results)
    assert found["gates"] == {name: "fail" if name == "evidence" else "pass" for name in page.own.results}


def test_a_summary_of_a_run_that_has_nothing_yet() -> None:
    page = Play()
    assert views.summary(page.state, page.shelf) == {
        "gates": {},
        "claims": {"used": 0, "verified": 0},
        "example_claim": None,
        "registry": None,
        "drafts": [],
        "lines": [
            "gates: 0 green",
            "claims in use: 0/0 verified against their evidence",
            "files: 0 drafts and the claims (None) in {project}",
        ],
        "next": [],
    }


def test_a_summary_says_in_lines_what_came_of_the_run_and_what_to_try() -> None:
    found = views.summary((page := at("review_cn").give(passed())).state, page.shelf)
    assert found["lines"] == [
        f"gates: {len(found['gates']) - 1} green, 1 red: evidence",
        "claims in use: 1/1 verified against their evidence",
        f"files: 2 drafts and the claims ({reg.PATH}) in {{project}}",
    ]
    assert found["next"] == [f"signoff trace {C1}", f"signoff gate claims {EN}"]
    one = at("draft_cn")
    assert "files: 1 draft and" in views.summary(one.state, one.shelf)["lines"][2]


def test_a_summary_knows_a_claim_that_is_used_and_not_verified() -> None:
    page = at("draft_cn").edit(SPEC, "# Spec\n\nBattery life: 7 hours.\n")
    assert views.summary(page.state, page.shelf)["claims"] == {"used": 1, "verified": 0}
