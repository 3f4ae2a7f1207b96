"""The claims registry (SP-6): every problem is found with its line, and writing touches only what changed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.evidence.sources.locators import Internal, Pdf, Release, Url
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents.claims_registry import FIELDS, LEVELS, STATUSES, Claim, Registry, code_of

SEED = """\
# claims-registry.yaml
claims:
  C-WSP-001:
    text: "6-hour battery life"
    status: verified
    risk_level: high   # measured
    evidence: "specs/wireless-speakerphone.yaml#L42"

  C-WSP-002:           # the lab's
    text: "8 m pickup range"
    text_cn: 拾音距离8米
    status: unverified
    risk_level: high
    category: performance-metric
    evidence:
      - 'reports/test.pdf#page3, "measured 8 m"'
      - https://example.com/x, 2026-01-05, "eight metres"
      - prd/v2.3.md#performance
    evidence_suggested: "the lab knows"
    added_by: strategist
  C-WSP-010: {status: reserved}
"""
FILE = "claims.yaml"

CODES = [
    ("wireless-speakerphone", "WS"),
    ("acme-box", "AB"),
    ("a-b-c-d-e-f", "ABCD"),
    ("one-two-three", "OTT"),
    ("rondo", "RON"),
    ("ab", "ABX"),
    ("x", "XXX"),
    ("a", "AXX"),
    ("2026", "XX"),
    ("", "XX"),
    ("tarn-2", "TAR"),
    ("Field Recorder_v2", "FRV"),
    ("a1b", "AB"),
    ("会议-box", "BOX"),
]


@pytest.mark.req("SP-6")
@pytest.mark.parametrize(("slug", "code"), CODES)
def test_the_code_is_two_to_four_initials_of_the_slug(slug: str, code: str) -> None:
    assert code_of(slug) == code


@pytest.mark.req("SP-6")
@given(st.text(max_size=30))
def test_whatever_the_slug_its_code_makes_claim_ids(slug: str) -> None:
    assert reg.CLAIM_ID.fullmatch(f"C-{code_of(slug)}-001")
    assert re.fullmatch("[A-Z]{2,4}", code_of(slug))


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-6")
def test_string_locators_are_read_and_every_field_is_kept() -> None:
    found = reg.parse(SEED, FILE)
    first = Claim(
        id="C-WSP-001",
        status="verified",
        text="6-hour battery life",
        risk_level="high",
        evidence=(Internal("specs/wireless-speakerphone.yaml", line=42),),
    )
    second = Claim(
        id="C-WSP-002",
        status="unverified",
        text="8 m pickup range",
        text_cn="拾音距离8米",
        risk_level="high",
        category="performance-metric",
        evidence=(
            Pdf("reports/test.pdf", 3, "measured 8 m"),
            Url("https://example.com/x", "2026-01-05", "eight metres"),
            Release("prd/v2.3.md", "v2.3", "performance"),
        ),
        evidence_suggested="the lab knows",
        added_by="strategist",
    )
    assert list(found.claims.values()) == [first, second, Claim(id="C-WSP-010", status="reserved")]
    assert found.lines == {"C-WSP-001": 3, "C-WSP-002": 9, "C-WSP-010": 21}


def test_a_claim_has_its_texts_and_says_whether_a_draft_may_carry_it() -> None:
    claim = Claim(id="C-AB-001", status="proposed", text="a", text_cn="b")
    assert (claim.texts, replace(claim, text_cn="").texts, replace(claim, text="").texts) == (
        ("a", "b"),
        ("a",),
        ("b",),
    )
    usable = {status for status in STATUSES if replace(claim, status=status).usable}  # type: ignore[arg-type]
    assert usable == {"verified", "unverified", "proposed", "downgraded"}


def entry(*lines: str, claim_id: str = "C-AB-001") -> str:
    return "claims:\n" + f"  {claim_id}:\n" + "".join(f"    {line}\n" for line in lines)


WRONG: list[tuple[str, list[tuple[str, int | None, str, str]]]] = [
    (
        "claims: []\n",
        [
            (
                "registry.claims",
                1,
                "`claims` is list, not a mapping of claim ids",
                "write `claims:` with one entry per id",
            )
        ],
    ),
    (
        "other: 1\n",
        [
            (
                "registry.claims",
                1,
                "`claims` is NoneType, not a mapping of claim ids",
                "write `claims:` with one entry per id",
            )
        ],
    ),
    (
        entry("status: reserved", claim_id="C-A-1"),
        [
            (
                "registry.id",
                2,
                "C-A-1: this is no claim id",
                "write C-, two to four capitals, -, three digits: C-WSP-001",
            )
        ],
    ),
    (
        "claims:\n  C-AB-001: yes please\n",
        [("registry.entry", 2, "C-AB-001: the entry is 'yes please', not a mapping", "give it at least a status")],
    ),
    (
        entry("status: reserved", "colour: red"),
        [("registry.field", 4, "C-AB-001: unknown field 'colour'", f"use {', '.join(FIELDS)}")],
    ),
    (
        entry("text: a", "status: good"),
        [("registry.status", 4, "C-AB-001: status is 'good'", f"use one of {', '.join(STATUSES)}")],
    ),
    (
        entry("text: a"),
        [("registry.status", None, "C-AB-001: status is None", f"use one of {', '.join(STATUSES)}")],
    ),
    (
        entry("text: a", "status: verified", "risk_level: enormous"),
        [("registry.risk_level", 5, "C-AB-001: risk_level is 'enormous'", f"use one of {', '.join(LEVELS)}")],
    ),
    (
        entry("status: verified"),
        [
            (
                "registry.text",
                2,
                "C-AB-001: the claim has no text",
                "write what it claims, or set `status: reserved`",
            )
        ],
    ),
    (
        entry("status: verified", "text: '  '"),
        [
            (
                "registry.text",
                2,
                "C-AB-001: the claim has no text",
                "write what it claims, or set `status: reserved`",
            )
        ],
    ),
]


@pytest.mark.req("SP-6")
@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_said_with_its_line(text: str, expected: list[tuple[Any, ...]]) -> None:
    with pytest.raises(DocumentError) as error:
        reg.parse(text, FILE)
    assert [(f.rule, f.line, f.problem, f.repair) for f in error.value.findings] == expected
    assert {f.file for f in error.value.findings} == {FILE}


@pytest.mark.req("SP-6", "SP-9")
def test_evidence_that_cannot_be_read_is_said_with_its_line_and_claim() -> None:
    text = entry("text: a", "status: unverified", "evidence:", "  - marketing says so", "  - a.md#L1", "  - 7")
    with pytest.raises(DocumentError) as error:
        reg.parse(text, FILE)
    first, second = error.value.findings
    assert (first.rule, first.line, first.about) == ("registry.evidence", 5, "C-AB-001")
    assert first.problem.startswith("C-AB-001: 'marketing says so' is not evidence")
    assert second.problem == "C-AB-001: 7 is not a locator"


@pytest.mark.req("SP-6")
def test_all_problems_of_all_entries_are_told_at_once() -> None:
    text = entry("status: good", "text: a") + "  C-AB-002: 5\n  c-1: {status: reserved}\n"
    with pytest.raises(DocumentError) as error:
        reg.parse_doc(text.encode(), FILE)
    assert [(f.rule, f.about) for f in error.value.findings] == [
        ("registry.status", "C-AB-001"),
        ("registry.entry", "C-AB-002"),
        ("registry.id", "c-1"),
    ]


@pytest.mark.parametrize("evidence", ["", "evidence: ''", "evidence: []", "evidence:"])
def test_no_evidence_may_be_written_in_several_ways(evidence: str) -> None:
    text = entry("text: a", "status: unverified", evidence)
    assert reg.parse(text, FILE).claims["C-AB-001"].evidence == ()


def test_an_empty_registry_has_no_claims() -> None:
    assert reg.parse("claims: {}\n", FILE) == Registry()


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-6")
def test_structured_lists_are_written_and_read_as_the_same_claims() -> None:
    known = reg.parse(SEED, FILE)
    text = reg.render(known)
    assert reg.parse(text, FILE) == known
    assert reg.render(reg.parse(text, FILE)) == text
    assert "- kind: internal\n" in text
    assert "evidence: " not in text


@pytest.mark.req("SP-6")
def test_a_claim_is_written_in_a_fixed_order_without_empty_fields() -> None:
    full = Claim(
        id="C-AB-001",
        status="proposed",
        text="a",
        text_cn="b",
        risk_level="low",
        category="c",
        evidence=(Internal("d.md", line=1),),
        evidence_suggested="e",
        added_by="f",
    )
    assert list(reg.render_claim(full)) == list(FIELDS)
    assert reg.render_claim(full) == {
        "text": "a",
        "text_cn": "b",
        "status": "proposed",
        "risk_level": "low",
        "category": "c",
        "evidence": [{"kind": "internal", "path": "d.md", "line": 1}],
        "evidence_suggested": "e",
        "added_by": "f",
    }
    assert reg.render_claim(Claim(id="C-AB-001", status="reserved")) == {"status": "reserved"}


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


CHANGES: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    ("C-WSP-001", {"status": "unverified"}, ["    status: verified"], []),
    (
        "C-WSP-001",
        {"risk_level": "low"},
        ["    risk_level: high   # measured"],
        ["    risk_level: low   # measured"],
    ),
    ("C-WSP-001", {"text": "long"}, ['    text: "6-hour battery life"'], ['    text: "long"']),
    ("C-WSP-002", {"evidence_suggested": ""}, ['    evidence_suggested: "the lab knows"'], []),
    ("C-WSP-001", {"text_cn": "续航"}, [], ["    text_cn: 续航"]),
]


@pytest.mark.req("SP-6")
@pytest.mark.parametrize(("claim_id", "change", "gone", "new"), CHANGES)
def test_only_the_changed_fields_lines_change(
    claim_id: str, change: dict[str, Any], gone: list[str], new: list[str]
) -> None:
    before = reg.parse(SEED, FILE)
    after = before.with_claims(replace(before.claims[claim_id], **change))
    text = reg.update(SEED, before, after)
    assert changed_lines(SEED, text) == (gone, new)
    assert reg.parse(text, FILE) == after
    assert text.count("\n") - SEED.count("\n") == (len(new) - len(gone) if change.keys() != {"status"} else 0)


@pytest.mark.req("SP-6")
def test_evidence_that_changed_is_written_structured_and_the_rest_stays_as_it_was() -> None:
    before = reg.parse(SEED, FILE)
    claim = replace(before.claims["C-WSP-001"], evidence=(Internal("specs/new.yaml", section="power"),))
    text = reg.update(SEED, before, before.with_claims(claim))
    gone, new = changed_lines(SEED, text)
    assert gone == ['    evidence: "specs/wireless-speakerphone.yaml#L42"']
    assert [line.strip() for line in new] == ["- kind: internal", "path: specs/new.yaml", "section: power"]
    assert "https://example.com/x, 2026-01-05" in text


@pytest.mark.req("SP-6")
def test_a_new_claim_is_added_at_the_end_and_a_gone_one_taken_out() -> None:
    before = reg.parse(SEED, FILE)
    fresh = Claim(id="C-WSP-099", status="proposed", text="new", added_by="copywriter")
    added = reg.update(SEED, before, before.with_claims(fresh))
    assert added.startswith(SEED)
    assert list(reg.parse(added, FILE).claims) == ["C-WSP-001", "C-WSP-002", "C-WSP-010", "C-WSP-099"]
    kept = Registry({claim_id: claim for claim_id, claim in before.claims.items() if claim_id != "C-WSP-002"})
    removed = reg.update(SEED, before, kept)
    assert changed_lines(SEED, removed)[1] == []
    assert reg.parse(removed, FILE) == kept


@pytest.mark.req("SP-6")
def test_nothing_changed_is_nothing_written() -> None:
    before = reg.parse(SEED, FILE)
    assert reg.update(SEED, before, before) == SEED


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20)
CLAIM = st.builds(
    Claim,
    id=st.just("C-WSP-001"),
    status=st.sampled_from(STATUSES),
    text=TEXT.filter(str.strip),
    text_cn=TEXT,
    risk_level=st.none() | st.sampled_from(LEVELS),
    category=TEXT,
    evidence=st.lists(
        st.builds(Internal, st.just("a.md"), line=st.integers(1, 99), excerpt=TEXT.map(str.strip)), max_size=2
    ).map(tuple),
    evidence_suggested=TEXT,
    added_by=TEXT,
)


@pytest.mark.req("SP-6")
@given(CLAIM)
def test_whatever_a_claim_becomes_the_file_says_it_and_keeps_the_other_claims_lines(claim: Claim) -> None:
    before = reg.parse(SEED, FILE)
    after = before.with_claims(claim)
    text = reg.update(SEED, before, after)
    assert reg.parse(text, FILE) == after
    assert text.endswith(SEED[SEED.index("  C-WSP-002") :])
    assert text.startswith("# claims-registry.yaml\nclaims:\n  C-WSP-001:\n")
