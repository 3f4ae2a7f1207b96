"""Who may do what to claims and drafts (SP-7): each rule both ways, on its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import small_page as small
from page_play import Play, at, good, passed, revise
from small_page import C1, C2, CN, EN, RESERVED, SPEC

from signoff.core.declarations import Now
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.evidence.sources.locators import Internal, Url
from signoff.testing.explorer import AT
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.outputs import PARSE, ClaimIn, StrategistOutput, Verdict
from signoff.workflows.solution_page.risk import Risk, assess
from signoff.workflows.solution_page.state import CONTENT_BRIEF, MESSAGE_HOUSE
from signoff.workflows.solution_page.steps import authority

CLAIMS: list[dict[str, Any]] = json.loads(small.strategist())["claims"]
FIRST, POOL = CLAIMS[0], CLAIMS[2:]
RULE = assess(FIRST["text"])


def said(found: tuple[Finding, ...]) -> list[tuple[str, str, str, str]]:
    return [(f.rule, f.about, f.problem, f.repair) for f in found]


# --- the strategist ---------------------------------------------------------------------------------------------------


def strategist(first: dict[str, Any] | None = None, *more: dict[str, Any], pool: int = 10) -> str:
    return small.strategist(claims=[{**FIRST, **(first or {})}, CLAIMS[1], *more, *POOL[:pool]])


STRATEGIST = [
    (
        strategist({"id": "C-ZZ-001"}),
        ("claims.code", "C-ZZ-001", "C-ZZ-001 does not carry this project's code", "number it C-AB-NNN"),
    ),
    (
        strategist({"status": "proposed"}),
        ("claims.status", C1, f"{C1} is proposed", "a strategist's claim is unverified or reserved"),
    ),
    (
        strategist({"text": ""}),
        ("claims.text", C1, f"{C1} has no text", "write what it claims, or reserve the id"),
    ),
    (
        strategist({"risk_level": "low"}),
        (
            "claims.risk",
            C1,
            f"{C1}: risk low is below the rule's high (performance-metric: {RULE.matched!r})",
            "only a person lowers a risk; leave it out to get the rule's",
        ),
    ),
    (strategist(None, CLAIMS[1]), ("claims.twice", C2, f"{C2} is given twice", "give each id once")),
    (strategist(pool=9), ("claims.pool", "", "9 ids are reserved", "reserve exactly 10 for the copywriter")),
    (
        strategist(None, {"id": "C-AB-090", "status": "reserved"}),
        ("claims.pool", "", "11 ids are reserved", "reserve exactly 10 for the copywriter"),
    ),
    (
        small.strategist(claims=POOL),
        ("claims.none", "", "there is no claim", "build claims from the sources, or be blocked and say why"),
    ),
    (
        small.strategist(documents={MESSAGE_HOUSE: "# House\n"}),
        (
            "output.documents",
            CONTENT_BRIEF,
            f"the document {CONTENT_BRIEF} is missing or empty",
            "give its whole text in `documents`",
        ),
    ),
    (
        small.strategist(documents={MESSAGE_HOUSE: " \n", CONTENT_BRIEF: "# Brief\n"}),
        (
            "output.documents",
            MESSAGE_HOUSE,
            f"the document {MESSAGE_HOUSE} is missing or empty",
            "give its whole text in `documents`",
        ),
    ),
    (
        small.strategist(status="blocked"),
        ("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),
    ),
    (
        small.strategist(status="escalate", blockers=["  "]),
        ("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),
    ),
]


@pytest.mark.req("SP-1", "SP-6", "SP-7")
@pytest.mark.parametrize(("output", "finding"), STRATEGIST)
def test_what_a_strategist_may_not_do_fails_the_turn_with_the_reason(
    output: str, finding: tuple[str, str, str, str]
) -> None:
    page = Play().give(output)
    assert said(page.refused) == [finding]
    assert page.own.step == "strategy"
    assert reg.PATH not in page.state.docs


@pytest.mark.req("SP-7")
@pytest.mark.parametrize(
    "output",
    [
        strategist(),
        strategist({"risk_level": "high"}),
        strategist({"text_cn": ""}),
        strategist({"evidence": []}),
        small.strategist(claims=[*CLAIMS[:2], *POOL[:9], {**POOL[9], "risk_level": "low"}]),
    ],
)
def test_what_a_strategist_may_do_is_taken(output: str) -> None:
    page = Play().give(output)
    assert page.refused == ()
    assert page.own.step == "draft_en"


@pytest.mark.req("SP-7", "SP-9")
def test_evidence_that_cannot_be_read_fails_the_turn() -> None:
    page = Play().give(strategist({"evidence": [f"{SPEC}#L3", "marketing says so"]}))
    (finding,) = page.refused
    assert (finding.rule, finding.about) == ("evidence.not-evidence", C1)


@pytest.mark.req("SP-1")
@pytest.mark.parametrize(("text", "rule"), [("a\0b", "text.nul"), ("a\ud800b", "text.encoding")])
def test_a_document_that_is_no_text_fails_the_turn(text: str, rule: str) -> None:
    output = StrategistOutput(
        agent="strategist",
        timestamp=AT,
        status="complete",
        documents={MESSAGE_HOUSE: text, CONTENT_BRIEF: "# Brief\n"},
    )
    (finding,) = authority._wanting(output.documents, output.documents)
    assert (finding.rule, finding.file) == (rule, MESSAGE_HOUSE)


@pytest.mark.req("SP-1")
def test_every_missing_document_is_named() -> None:
    page = Play().give(small.strategist(documents={}))
    assert [finding.about for finding in page.refused] == [MESSAGE_HOUSE, CONTENT_BRIEF]


@pytest.mark.req("SP-7")
def test_every_finding_is_told_at_once() -> None:
    page = Play().give(strategist({"status": "proposed", "risk_level": "low", "id": "C-ZZ-001"}, pool=8))
    assert page.rules == ["claims.code", "claims.status", "claims.risk", "claims.pool"]


@pytest.mark.req("SP-7")
def test_verified_from_a_strategist_is_stored_as_unverified_with_a_finding() -> None:
    kept, _ = authority.stored(ClaimIn(id=C1, status="verified", text="a"))
    assert kept.status == "unverified"
    page = Play().give(strategist({"status": "verified"}))
    assert page.claim(C1).status == "unverified"
    assert page.own.warnings == (
        Finding(
            rule="claims.unearned",
            problem=f"{C1} was called verified by an agent and is kept as unverified",
            repair="nothing to do: verification checks the evidence and asks editor-qa",
            about=C1,
            severity="warning",
        ),
    )
    assert page.own.verified == {}


# --- the copywriter ---------------------------------------------------------------------------------------------------


def proposing(**changes: Any) -> str:
    return small.copywriter("en", small.pages("en")["proposal"], claims=[small.proposal(**changes)])


RESERVED_IDS = ", ".join(f"C-AB-{n:03d}" for n in range(10, 20))
COPYWRITER = [
    (
        proposing(id=C1),
        ("claims.pool", C1, f"{C1} is unverified, not reserved", f"use a reserved id: {RESERVED_IDS}"),
    ),
    (
        proposing(id="C-AB-099"),
        ("claims.pool", "C-AB-099", "C-AB-099 is unknown, not reserved", f"use a reserved id: {RESERVED_IDS}"),
    ),
    (
        proposing(status="unverified"),
        ("claims.status", RESERVED, f"{RESERVED} is unverified", "a copywriter's claim is proposed"),
    ),
    (
        proposing(status="verified"),
        ("claims.status", RESERVED, f"{RESERVED} is verified", "a copywriter's claim is proposed"),
    ),
    (
        proposing(added_by="strategist"),
        ("claims.added-by", RESERVED, f"{RESERVED}: added_by is 'strategist'", "write added_by: copywriter"),
    ),
    (proposing(text=""), ("claims.text", RESERVED, f"{RESERVED} has no text", "write what it claims")),
    (
        proposing(text_cn="最佳", risk_level="medium"),
        (
            "claims.risk",
            RESERVED,
            f"{RESERVED}: risk medium is below the rule's high (superlative-comparison: '最佳')",
            "only a person lowers a risk; leave it out to get the rule's",
        ),
    ),
    (
        small.copywriter("en", "# x", language="cn"),
        ("draft.file", "", f"this turn is for {EN}, the output says language cn, file {EN}", f"name en and {EN}"),
    ),
    (
        small.copywriter("en", "# x", file=CN),
        ("draft.file", "", f"this turn is for {EN}, the output says language en, file {CN}", f"name en and {EN}"),
    ),
    (
        small.copywriter("en", " "),
        ("output.documents", EN, f"the document {EN} is missing or empty", "give its whole text in `documents`"),
    ),
    (
        small.copywriter("en", "# x", claims=[small.proposal(), small.proposal()]),
        ("claims.twice", RESERVED, f"{RESERVED} is given twice", "give each id once"),
    ),
    (
        small.copywriter("en", "# x", status="blocked"),
        ("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),
    ),
]


@pytest.mark.req("SP-1", "SP-6", "SP-7")
@pytest.mark.parametrize(("output", "finding"), COPYWRITER)
def test_what_a_copywriter_may_not_do_fails_the_turn_with_the_reason(
    output: str, finding: tuple[str, str, str, str]
) -> None:
    page = at("draft_en")
    before = page.state.docs
    page.give(output)
    assert said(page.refused) == [finding]
    assert page.own.step == "draft_en"
    assert page.state.docs == before


@pytest.mark.req("SP-7", "SP-9")
def test_a_proposal_with_unreadable_evidence_fails_the_turn() -> None:
    page = at("draft_en").give(proposing(evidence="trust me"))
    assert page.rules == ["evidence.not-evidence"]


@pytest.mark.req("SP-7")
def test_a_copywriter_turns_a_reserved_id_into_a_proposed_claim() -> None:
    page = at("draft_en").give(proposing(evidence_suggested="ask the lab"))
    assert page.refused == ()
    assert page.claim(RESERVED) == Claim(
        id=RESERVED,
        status="proposed",
        text="easy to use",
        text_cn="易于使用",
        risk_level="low",
        category="descriptive",
        evidence_suggested="ask the lab",
        added_by="copywriter",
    )


@pytest.mark.req("SP-7")
def test_a_revision_may_give_its_proposal_again_and_no_other_in_its_place() -> None:
    page = at("draft_en").give(proposing(text_cn=""), revise(verdicts=[], blockers=["rewrite"]))
    assert page.own.step == "draft_en"
    twisted = page.give(proposing(text="the best"))
    assert twisted.rules == ["claims.pool"]
    left = RESERVED_IDS.removeprefix(f"{RESERVED}, ")
    assert said(twisted.refused)[0][2:] == (f"{RESERVED} is proposed, not reserved", f"use a reserved id: {left}")
    again = page.give(proposing())
    assert again.refused == ()
    assert again.claim(RESERVED).text_cn == "易于使用"


def test_an_empty_pool_is_said() -> None:
    (finding,) = authority._proposal(ClaimIn(**small.proposal()), Registry())
    assert finding.repair == "use a reserved id: none left"


# --- editor-qa --------------------------------------------------------------------------------------------------------

EDITOR = [
    (
        passed(verdicts=[small.verdict("C-AB-999", "verified")]),
        ("verdict.claim", "C-AB-999", "there is no claim C-AB-999", "judge claims of the registry"),
    ),
    (
        passed(verdicts=[small.verdict(RESERVED, "removed")]),
        ("verdict.claim", RESERVED, f"{RESERVED} is reserved", "judge claims that a draft may carry"),
    ),
    (
        passed(verdicts=[small.verdict(C1, "downgraded", text="a battery")]),
        (
            "verdict.text-cn",
            C1,
            f"{C1} has a Chinese text, its downgrade has none",
            "give the weaker text in both languages",
        ),
    ),
    (
        passed(verdicts=[small.verdict(C1, "verified"), small.verdict(C1, "verified")]),
        ("verdict.twice", C1, f"{C1} has two verdicts", "give one"),
    ),
    (
        revise(fixes=[small.fix("Acme Box", "Acme"), small.fix("Power", "Energy")]),
        ("fix.id", "F-1", "two fixes are called F-1", "give each fix its own id"),
    ),
    (
        revise(fixes=[small.fix("nowhere", "x")]),
        (
            "fix.before",
            "F-1",
            "fix F-1: its before-text does not occur: 'nowhere'",
            "quote text that occurs exactly once in the file as it is after the fixes before this one",
        ),
    ),
    (
        small.editor("blocked"),
        ("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),
    ),
    (
        small.editor("escalate", blockers=[""]),
        ("output.blockers", "", "no blocker is named", "say in `blockers` what stands in the way"),
    ),
]


@pytest.mark.req("SP-7", "SP-17")
@pytest.mark.parametrize(("output", "finding"), EDITOR)
def test_what_editor_qa_may_not_do_fails_the_turn_with_the_reason(
    output: str, finding: tuple[str, str, str, str]
) -> None:
    page = at("review_en")
    before = page.state.docs
    page.give(output)
    assert said(page.refused) == [finding]
    assert page.own.step == "review_en"
    assert page.state.docs == before


@pytest.mark.req("SP-17")
@pytest.mark.parametrize(
    ("fixes", "fine"),
    [
        ([small.fix("Acme Box", "Acme Cube"), small.fix("Acme Cube", "Acme Box", id="F-2")], True),
        ([small.fix("Acme Box", "Acme"), small.fix("Acme Box", "Acme", id="F-2")], False),
        ([small.fix("Acme Box", "Power Power"), small.fix("Power Power", "x", id="F-2")], True),
        ([small.fix("Acme Box", "Power"), small.fix("Power", "x", id="F-2")], False),
    ],
)
def test_each_fix_must_apply_once_to_the_file_as_the_earlier_ones_left_it(
    fixes: list[dict[str, Any]], fine: bool
) -> None:
    page = at("review_en").give(revise(fixes=fixes))
    assert page.rules == ([] if fine else ["fix.before"])


@pytest.mark.req("SP-17")
def test_a_fix_that_misses_names_the_file_and_without_a_draft_every_fix_misses() -> None:
    page = at("review_en").give(revise(fixes=[small.fix("nowhere", "x")]))
    assert page.refused[0].file == EN
    bare = replace(page.state, docs={path: sha for path, sha in page.state.docs.items() if path != EN})
    output = PARSE["editor-qa"](revise(fixes=[small.fix("XXXX", "x")]).encode(), "")
    now = Now(state=bare, event=page.events[-1], look=page.shelf)
    assert [finding.rule for finding in authority.check_editor(now, output)] == ["fix.before"]


@pytest.mark.req("SP-17")
def test_a_second_miss_is_a_blocker_that_names_the_fix() -> None:
    miss = revise(fixes=[small.fix("nowhere", "x", id="F-7")])
    page = at("review_en").give(miss, miss)
    assert page.own.step == "escalated"
    assert page.own.escalation_reason == "unresolvable_blocker"
    assert "fix F-7: its before-text does not occur: 'nowhere'" in page.own.blockers[0]


@pytest.mark.req("SP-7")
def test_a_claim_without_chinese_may_be_downgraded_in_english_alone() -> None:
    verdict = Verdict(claim_id=C1, verdict="downgraded", text="a battery", reason="weak")
    known = Registry({C1: Claim(id=C1, status="unverified", text="the best battery")})
    assert list(authority._verdicts([verdict], known)) == []


# --- what verdicts do -------------------------------------------------------------------------------------------------

OLD = Claim(
    id=C1,
    status="proposed",
    text="the best box",
    text_cn="最佳的盒子",
    risk_level="high",
    category="superlative-comparison",
    evidence=(Internal(SPEC, line=3),),
    added_by="copywriter",
)


def judge(claim: Claim, what: str, *, sound: bool, **more: Any) -> tuple[Claim, bool]:
    verdict = Verdict(claim_id=C1, verdict=what, reason="because", **more)  # type: ignore[arg-type]
    after, earned = authority.judged(Registry({C1: claim}), [verdict], {C1: sound})
    return after.claims[C1], C1 in earned


@pytest.mark.req("SP-7", "SP-9")
@pytest.mark.parametrize(
    ("status", "what", "sound", "becomes", "earned"),
    [
        ("unverified", "verified", True, "verified", True),
        ("proposed", "verified", True, "verified", True),
        ("unverified", "verified", False, "unverified", False),
        ("proposed", "verified", False, "proposed", False),
        ("verified", "unverified", True, "unverified", False),
        ("proposed", "unverified", True, "proposed", False),
        ("downgraded", "unverified", True, "downgraded", False),
        ("proposed", "removed", True, "removed", False),
    ],
)
def test_a_verdict_counts_as_verified_only_with_the_evidence_check_behind_it(
    status: str, what: str, sound: bool, becomes: str, earned: bool
) -> None:
    claim = replace(OLD, status=status)  # type: ignore[arg-type]
    assert judge(claim, what, sound=sound) == (replace(claim, status=becomes), earned)  # type: ignore[arg-type]


@pytest.mark.req("SP-7")
def test_a_claim_that_no_check_spoke_for_is_not_sound() -> None:
    verdict = Verdict(claim_id=C1, verdict="verified", reason="because")
    after, earned = authority.judged(Registry({C1: OLD}), [verdict], {})
    assert (after.claims[C1], earned) == (OLD, frozenset())


@pytest.mark.req("SP-7", "SP-8")
@pytest.mark.parametrize(
    ("text", "text_cn", "level", "category"),
    [
        ("designed for desks", "专为办公桌设计", "low", "descriptive"),
        ("supports USB", "", "medium", "general-feature"),
        ("designed for desks", "最佳", "high", "superlative-comparison"),
        ("the best box", "易于使用", "high", "superlative-comparison"),
    ],
)
def test_a_downgrade_takes_the_new_text_and_its_risk_is_computed_anew(
    text: str, text_cn: str, level: Any, category: str
) -> None:
    after, earned = judge(OLD, "downgraded", sound=True, text=text, text_cn=text_cn)
    expected = replace(OLD, status="downgraded", text=text, text_cn=text_cn, risk_level=level, category=category)
    assert (after, earned) == (expected, False)


# --- default risk -----------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-8")
@pytest.mark.parametrize(
    ("texts", "level", "category"),
    [
        (("easy to use", "最佳"), "high", "superlative-comparison"),
        (("the best", "易于使用"), "high", "superlative-comparison"),
        (("supports USB", "专为办公桌设计"), "medium", "general-feature"),
        (("easy to use", ""), "low", "descriptive"),
        (("", "易于使用"), "low", "descriptive"),
    ],
)
def test_the_risk_of_a_claim_is_the_highest_over_its_languages(
    texts: tuple[str, str], level: str, category: str
) -> None:
    found = authority.default_risk(*texts)
    assert (found.level, found.category) == (level, category)


@pytest.mark.req("SP-8")
def test_no_text_has_the_risk_of_no_match() -> None:
    assert authority.default_risk("", "") == Risk("medium", "general-feature", "")


# --- what enters the registry -----------------------------------------------------------------------------------------


@pytest.mark.req("SP-6", "SP-8")
@pytest.mark.parametrize(
    ("given", "level", "category"),
    [
        ({"text": "the best"}, "high", "superlative-comparison"),
        ({"text": "easy to use", "text_cn": "最佳"}, "high", "superlative-comparison"),
        ({"text": "easy to use", "risk_level": "high"}, "high", "descriptive"),
        ({"text": "easy to use", "category": "tone"}, "low", "tone"),
        ({"status": "reserved"}, None, ""),
        ({"status": "reserved", "risk_level": "high", "category": "x"}, None, ""),
    ],
)
def test_a_claim_enters_with_its_own_risk_or_the_rules(given: dict[str, Any], level: Any, category: str) -> None:
    kept, findings = authority.stored(ClaimIn(id=C1, **given))
    assert (kept.risk_level, kept.category, findings) == (level, category, ())


def test_a_claim_enters_whole_with_structured_evidence() -> None:
    kept, _ = authority.stored(
        ClaimIn(
            id=C1, text="a", text_cn="b", evidence=f"{SPEC}#L3", evidence_suggested="c", added_by="d", status="proposed"
        )
    )
    assert kept == Claim(
        id=C1,
        status="proposed",
        text="a",
        text_cn="b",
        risk_level="medium",
        category="general-feature",
        evidence=(Internal(SPEC, line=3),),
        evidence_suggested="c",
        added_by="d",
    )


# --- what `verified` rests on -----------------------------------------------------------------------------------------

WEB = Url("https://example.com/x", "2026-01-05", "six hours")
DOCS = {SPEC: "1", "0-sources/other.md": "2", "0-sources/web/a.md": "3", "0-sources/website.md": "4"}


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("evidence", "changed", "breaks"),
    [
        ((Internal(SPEC, line=3),), SPEC, True),
        ((Internal(SPEC, line=3),), "0-sources/other.md", False),
        ((Internal(SPEC, line=3),), "0-sources/web/a.md", False),
        ((WEB,), "0-sources/web/a.md", True),
        ((WEB,), "0-sources/website.md", False),
        ((WEB,), SPEC, False),
        ((WEB, Internal(SPEC, line=3)), SPEC, True),
    ],
)
def test_a_verification_is_bound_to_the_files_behind_its_evidence(
    evidence: tuple[Any, ...], changed: str, breaks: bool
) -> None:
    claim = replace(OLD, evidence=evidence)
    before = authority.binding(claim, DOCS)
    assert (authority.binding(claim, {**DOCS, changed: "new"}) != before) is breaks
    without = {path: sha for path, sha in DOCS.items() if path != changed}
    assert (authority.binding(claim, without) != before) is breaks


@pytest.mark.req("SP-9")
@pytest.mark.parametrize("change", [{"text": "other"}, {"text_cn": "其他"}, {"evidence": (Internal(SPEC, line=4),)}])
def test_a_verification_is_bound_to_texts_and_places(change: dict[str, Any]) -> None:
    assert authority.binding(replace(OLD, **change), DOCS) != authority.binding(OLD, DOCS)


def test_a_verification_does_not_depend_on_what_else_a_claim_says() -> None:
    other = replace(OLD, status="verified", risk_level="low", category="x", added_by="y", evidence_suggested="z")
    assert authority.binding(other, DOCS) == authority.binding(OLD, DOCS)


@pytest.mark.req("SP-7", "SP-9")
def test_only_a_verified_that_was_earned_on_these_bytes_stays() -> None:
    claim = replace(OLD, status="verified")
    bound = authority.binding(claim, DOCS)
    known = Registry({C1: claim})
    assert authority.settled(known, {C1: bound}, DOCS) == (known, {C1: bound})
    fallen = Registry({C1: replace(claim, status="unverified")})
    for verified, docs in (({}, DOCS), ({C1: "else"}, DOCS), ({C1: bound}, {**DOCS, SPEC: "new"})):
        assert authority.settled(known, verified, docs) == (fallen, {})
    for status in ("unverified", "removed", "downgraded"):
        other = Registry({C1: replace(claim, status=status)})  # type: ignore[arg-type]
        assert authority.settled(other, {C1: bound}, DOCS) == (other, {})
    assert authority.settled(Registry(), {C1: bound}, DOCS) == (Registry(), {})


# --- a person and the registry ----------------------------------------------------------------------------------------


def replaced(page: Play, before: str, after: str) -> str:
    text = page.text(reg.PATH)
    assert before in text
    return text.replace(before, after, 1)


@pytest.mark.req("SP-7", "SP-9")
def test_verified_written_by_hand_is_not_earned() -> None:
    page = at("draft_en")
    page.edit(reg.PATH, replaced(page, "status: unverified", "status: verified"))
    assert page.claim(C1).status == "unverified"


@pytest.mark.req("SP-9")
def test_a_changed_source_makes_the_claim_unverified_again() -> None:
    page = at("draft_cn")
    assert page.claim(C1).status == "verified"
    page.edit(SPEC, "# Spec\n\nBattery life: 7 hours.\n")
    assert page.claim(C1).status == "unverified"
    assert page.own.verified == {}


@pytest.mark.req("SP-7")
def test_a_person_lowers_a_risk_and_it_stays() -> None:
    page = at("draft_en")
    page.edit(reg.PATH, replaced(page, "risk_level: high", "risk_level: low"))
    page.give(good("en"))
    assert page.claim(C1).risk_level == "low"


@pytest.mark.req("SP-7")
def test_a_person_removes_a_claim_and_a_draft_that_carries_it_has_a_finding() -> None:
    page = at("review_en")
    page.edit(reg.PATH, replaced(page, "status: unverified", "status: removed"))
    assert page.claim(C1).status == "removed"
    found = [finding for finding in page.own.results["claims-en"] if finding.about == C1]
    assert found
    assert "removed" in found[0].problem


@pytest.mark.req("SP-7")
def test_only_the_changed_part_of_the_registry_file_is_written() -> None:
    page = at("review_en")
    page.edit(reg.PATH, "# mine\n" + page.text(reg.PATH))
    before = page.text(reg.PATH)
    assert before.startswith("# mine\n")
    page.give(passed())
    assert page.text(reg.PATH) == before.replace("status: unverified", "status: verified", 1)
    assert page.state.docs[reg.PATH] == digest(page.text(reg.PATH))
