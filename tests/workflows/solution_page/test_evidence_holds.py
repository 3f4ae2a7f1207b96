"""What reaches a reader is shown: wrong numbers and statements without a claim fail, and correct prose does not.

Each row is a sentence that was released as verified, or doubted although true, when the program was tried on documents
that nobody here wrote.
"""

from __future__ import annotations

import pytest

from signoff.artifacts.markdown import parse
from signoff.evidence.sources import locators
from signoff.evidence.sources.files import parse_source
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.documents.page_template import load_builtin
from signoff.workflows.solution_page.gates import Shelf, claims, parity

SHEET = b"""# Harrier gateway

## Performance

| Tags | Average response | Maximum response | Memory |
|---|---|---|---|
| 1,000 | 12 ms | 19 ms | 256M |
| 10,000 | 31 ms | 48 ms | 512M |

The gateway does not support automatic copying of projects. 61 of 480 plants use the new version.

Runs on x86 and 64-bit ARM; at least 128M memory. It speaks IEC 61850 and USB 2.0.

A session ends after 30 minutes. <!-- 90 minutes --> ~~Sessions last 60 minutes.~~
"""
HARDWARE = load_builtin("hardware")
SECTION = "sheet.md#Performance"


def registered(text: str, place: str = SECTION, **fields: str) -> Registry:
    evidence = (locators.parse(place),)
    return Registry({"C-AB-001": Claim(id="C-AB-001", status="verified", text=text, evidence=evidence, **fields)})


def findings(page: str, known: Registry, lang: str = "en") -> list[str]:
    shelf = Shelf({"sheet.md": parse_source(SHEET, "sheet.md")}.get)
    found = claims(parse(page), known, shelf, HARDWARE, lang=lang, file="draft.md", registry_file="registry.yaml")  # type: ignore[arg-type]
    return [one.rule for one in found if one.severity == "error"]


NOTHING = Registry()


@pytest.mark.req("EV-2", "EV-3")
@pytest.mark.parametrize(
    "sentence",
    [
        "It carries 100 million concurrent voice streams.",
        "There are more than 260 built-in functions.",
        "It never fails.",
        "It cuts costs in half.",
        "It is trusted by thousands of customers.",
        "One gateway reads 500,000 tags.",
        "It runs in 300 plants.",
        "No data is lost during the switch.",
        "Updates come with zero downtime.",
        "We are a leading provider of gateways.",
        "升级零风险。",
        "切换期间不会丢失任何数据。",
    ],
)
def test_a_statement_without_a_claim_is_not_released(sentence: str) -> None:
    lang = "cn" if sentence[0] > "\u4e00" else "en"
    assert findings(sentence, NOTHING, lang) != []


@pytest.mark.req("EV-4", "EV-5", "EV-8", "SP-9")
@pytest.mark.parametrize(
    "claim",
    [
        "10,000 tags need 256M of memory",  # the other row
        "With 1,000 tags the average response is 19 ms",  # the column beside it
        "Projects are copied automatically",
        "480 of 480 plants use the new version",
        "It handles 20,000 QPS",  # a unit that no table knows
        "It needs 900,000 instances",
        "Needs at most 128M of memory",
        "Supports USB 3.2",
        "A session ends after 90 minutes",  # a comment, which no reader sees
        "A session ends after 60 minutes",  # struck out
        "A session ends after 3\u200b0 minutes",
    ],
)
def test_a_claim_that_its_evidence_does_not_bear_out_blocks_whatever_its_risk(claim: str) -> None:
    for level in ("low", "medium", "high"):
        known = registered(claim, risk_level=level)
        assert "claims.evidence" in findings(f"{claim} <!-- claim_id: C-AB-001 -->.", known), level


@pytest.mark.req("EV-4", "EV-7", "SP-9")
@pytest.mark.parametrize(
    "claim",
    [
        "10,000 tags need 512 MB of memory",
        "With 1,000 tags the average response is 12 ms",
        "61 of 480 plants use the new version",
        "Runs on x86 and 64-bit ARM",
        "At least 128 MB of memory",
        "It speaks IEC 61850",
        "A session ends after half an hour",
    ],
)
def test_a_claim_that_its_evidence_states_is_not_doubted(claim: str) -> None:
    known = registered(claim, risk_level="medium")
    assert findings(f"{claim} <!-- claim_id: C-AB-001 -->.", known) == []


@pytest.mark.req("EV-7", "SP-8")
@pytest.mark.parametrize("text", ["the step that raises the most questions", "最小内存建议", "It speaks IEC 61850."])
def test_everyday_words_are_no_superlative_and_an_interface_standard_no_safety_claim(text: str) -> None:
    assert risk.assess(text).level != "high"


@pytest.mark.req("EV-13", "SP-15")
def test_parity_compares_released_pages_that_carry_no_markers() -> None:
    english = parse("# Page\n\n## Value\n\nIt answers in 12 ms.\n\n- one cable\n- two ports\n")
    same = parse("# 页面\n\n## 价值\n\n12毫秒内响应。\n\n- 一根线缆\n- 两个端口\n")
    other = parse("# 页面\n\n## 价值\n\n21毫秒内响应。\n\n- 一根线缆\n")
    assert parity(english, same, "en.md", "cn.md", HARDWARE) == []
    assert {one.rule for one in parity(english, other, "en.md", "cn.md", HARDWARE)} == {"parity.drift"}


@pytest.mark.req("EV-5", "SP-16")
@pytest.mark.parametrize(
    ("draft", "claim"),
    [
        ("Existing connections are affected by an upgrade", "Existing connections are not affected by an upgrade"),
        ("The rule engine is slower than a relay", "The rule engine is faster than a relay"),
        ("Uploads of at least 256 MB are allowed", "Uploads of at most 256 MB are allowed"),
        ("With WebSocket a client resumes in 1 round trip", "With QUIC a client resumes in 1 round trip"),
    ],
)
def test_the_words_at_a_marker_may_not_turn_what_their_claim_says(draft: str, claim: str) -> None:
    assert "claims.numbers" in findings(f"{draft} <!-- claim_id: C-AB-001 -->.", registered(claim))


@pytest.mark.req("SP-16")
def test_the_words_at_a_marker_may_say_more_than_their_claim() -> None:
    known = registered("Runs on x86 and 64-bit ARM")
    assert findings("Without a new server, it runs on x86 and 64-bit ARM <!-- claim_id: C-AB-001 -->.", known) == []


@pytest.mark.req("EV-3")
def test_the_products_own_name_in_the_title_states_nothing() -> None:
    assert findings("# Kestrel 5: a broker\n\nWith Kestrel 5 you connect devices.", NOTHING) == []
    assert findings("# Kestrel 5: a broker\n\nWith Kestrel 6 you connect devices.", NOTHING) != []
