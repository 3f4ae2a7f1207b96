"""Where a claim came from and what depends on it: turn, evidence, verdicts, drafts, approvals."""

from __future__ import annotations

from typing import Any

import small_page as small
from page_play import ANN, LATER, Play, at, good, passed
from small_page import C1, C2, CN, EN, RESERVED, SPEC

from signoff.testing.explorer import AT
from signoff.workflows.solution_page.state import release
from signoff.workflows.solution_page.trace import trace

BOTH = small.config(strategy=True, final=True)


def traced(page: Play, what: str) -> dict[str, Any]:
    found = trace(what, page.state, page.events, page.shelf)
    assert found is not None
    return dict(found)


def line_of(text: str, what: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), start=1) if what in line)


def test_an_unknown_claim_has_no_trace() -> None:
    page = at("draft_en")
    assert trace("C-AB-999", page.state, page.events, page.shelf) is None
    assert trace(C1, Play().state, [], page.shelf) is None


def test_a_claim_is_traced_from_its_turn_and_evidence_to_drafts_and_approvals() -> None:
    page = at("approve_final", BOTH).answer("approve")
    found = traced(page, C1)
    assert (found["id"], found["text"], found["text_cn"]) == (C1, "6-hour battery life", "续航6小时")
    assert (found["status"], found["risk_level"], found["category"]) == ("verified", "high", "performance-metric")
    assert found["evidence"] == [
        {"kind": "internal", "path": SPEC, "line": 3, "described": f"{SPEC}#L3", "sha256": page.state.docs[SPEC]}
    ]
    assert found["verified"] == page.own.verified[C1]
    assert found["history"] == [
        {"turn": "0001-strategist", "at": AT, "agent": "strategist", "act": "gave it as unverified"},
        {"turn": "0003-editor-qa", "at": AT, "agent": "editor-qa", "act": "judged it verified", "reason": "judged"},
        {"turn": "0005-editor-qa", "at": AT, "agent": "editor-qa", "act": "judged it verified", "reason": "judged"},
    ]
    line = {path: line_of(page.text(path), C1) for path in (EN, CN)}
    spans = [(use["file"], use["line"], use["span"]) for use in found["used_in"]]
    assert [span[:2] for span in spans] == [
        (EN, line[EN]),
        (release(small.SLUG, "en"), None),
        (CN, line[CN]),
        (release(small.SLUG, "cn"), None),
    ]
    assert small.HOURS["en"].rstrip(".") in spans[0][2]
    assert spans[1][2] == "released, markers stripped"
    assert found["approved_in"][1] == {"gate": "final", "by": ANN, "at": LATER}
    assert [yes["gate"] for yes in found["approved_in"]] == ["strategy", "final"]


def test_a_claim_that_nobody_used_or_judged_says_so() -> None:
    found = traced(at("review_cn").give(passed()), C2)
    assert (found["used_in"], found["verified"], found["evidence"]) == ([], None, [])
    assert [entry["act"] for entry in found["history"]] == ["gave it as unverified"]


def test_a_proposal_is_traced_to_the_copywriter_and_to_its_verdict() -> None:
    page = at("draft_en").give(small.copywriter("en", small.pages("en")["proposal"], claims=[small.proposal()]))
    page.give(small.editor("needs_revision", verdicts=[small.verdict(RESERVED, "removed", reason="no proof")]))
    acts = [(entry["agent"], entry["act"], entry.get("reason")) for entry in traced(page, RESERVED)["history"]]
    assert acts == [
        ("strategist", "gave it as reserved", None),
        ("copywriter", "gave it as proposed", None),
        ("editor-qa", "judged it removed", "no proof"),
    ]


def test_an_output_that_could_not_be_read_says_nothing_of_a_claim() -> None:
    page = Play().give("status: [complete", small.strategist()).edit(SPEC, "# Spec\n\nBattery life: 6 hours!\n")
    assert [entry["act"] for entry in traced(page, C1)["history"]] == ["gave it as unverified"]


def test_a_draft_that_is_not_released_is_named_alone() -> None:
    page = at("draft_en").give(good("en"))
    assert [use["file"] for use in traced(page, C1)["used_in"]] == [EN]


def test_evidence_on_the_web_has_no_file_of_its_own() -> None:
    claims = small.strategist().replace(f'"{SPEC}#L3"', '"https://example.com/x, 2026-01-05, \\"six hours\\""')
    (place,) = traced(Play().give(claims), C1)["evidence"]
    assert (place["kind"], place["sha256"]) == ("url", None)
    assert place["described"] == "https://example.com/x, 2026-01-05"
