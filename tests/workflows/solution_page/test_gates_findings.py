"""Every finding of every gate says where, which rule, what is wrong and how to repair it (SP-10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import small_page as small
from small_page import C1, EN, SPEC

from signoff.artifacts import markdown
from signoff.core.declarations import Probe
from signoff.core.findings import Finding
from signoff.evidence.sources.files import parse_source
from signoff.evidence.sources.locators import Internal, Url
from signoff.workflows.solution_page import gates
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents import page_template
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry

TINY = page_template.parse(small.TEMPLATE, "tiny.yaml")
NO_SHELF = gates.Shelf(lambda _path: None, {})
BAD_PAGES = {
    "empty": "",
    "no title": "## Value\n\nA box for your quiet desk.\n",
    "two titles": small.pages("en")["two titles"],
    "no features": "# Box\n\n## Value\n\nA box for your desk.\n\n## Technical Features\n",
    "many features": small.page("en") + "\n#### Two\n\ntext\n\n#### Three\n\ntext\n",
    "wrong order": "# Box\n\n## Technical Features\n\n#### One\n\n## Value\n\nA box for your quiet desk.\n",
    "long": small.page("en") + "word " * 60,
    "bad links": small.page("en", "[a]() [b](nowhere.md) [c](#nothing) [d](%zz) [e](mailto:x) [f](a\\b.md) [g][h]"),
    "markers": small.page("en", "[TODO] [ TBD ] ［placeholder］"),
    "bad claims": small.page("en", "It is 9 kg. <!-- claim_id: C-AB-777 --> <!-- claim_id: nonsense --> It is best."),
}
CLAIM = Claim(id=C1, status="unverified", text="6-hour battery life", risk_level="high")


def found(text: str) -> Iterator[tuple[str, Finding]]:
    page = markdown.parse(text)
    registry = Registry({C1: CLAIM}, {C1: 2})
    english = markdown.parse(small.page("en"))
    checks: dict[str, Any] = {
        "structure": gates.structure(page, TINY, "en", EN),
        "word-count": gates.word_count(page, TINY, "en", EN),
        "links": gates.links(page, EN, lambda _path: False, None),
        "markers": gates.markers(text, EN),
        "parity": gates.parity(page, english, EN, small.CN, TINY),
        "claims": gates.claims(page, registry, NO_SHELF, TINY, lang="en", file=EN, registry_file=reg.PATH),
    }
    for gate, findings in checks.items():
        for finding in findings:
            yield gate, finding


@pytest.mark.req("SP-10")
@pytest.mark.parametrize("name", BAD_PAGES)
def test_a_finding_carries_file_line_rule_and_repair(name: str) -> None:
    findings = list(found(BAD_PAGES[name]))
    assert findings
    for gate, finding in findings:
        assert finding.rule.startswith(("evidence.", f"{gate}.")), finding
        assert finding.file in (EN, small.CN, reg.PATH), finding
        assert finding.line, finding
        assert finding.problem, finding
        assert finding.repair, finding


@pytest.mark.req("SP-10")
def test_every_gate_has_its_findings_here() -> None:
    seen = {gate for text in BAD_PAGES.values() for gate, _ in found(text)}
    assert seen == {"structure", "word-count", "links", "markers", "parity", "claims"}


@pytest.mark.req("SP-14")
def test_every_claim_comment_is_found_with_its_line() -> None:
    text = (
        "a <!-- claim_id: C-AB-001 -->\n\nb <!-- a note --> c <!-- claim_id: C-AB-002 -->\n\nd <!-- claim_id: C-AB-003"
    )
    assert [finding.line for finding in gates.markers(text, EN)] == [1, 3, 5]


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(("status", "sound"), [(200, True), (201, False), (404, False), (None, False)])
def test_a_page_without_a_snapshot_counts_only_when_the_network_answers_200(status: int | None, sound: bool) -> None:
    url = "https://example.com/x"
    claim = Claim(id=C1, status="unverified", text="6 hours", evidence=(Url(url, "2026-01-05", "runs 6 hours"),))
    probe = Probe(url=url, status=status, problem="" if status else "no answer", text="it runs 6 hours")
    shelf = gates.Shelf(lambda _path: None, {}, {url: probe})
    findings = gates.evidence(Registry({C1: claim}, {C1: 2}), shelf, reg.PATH)
    assert (not findings) is sound
    if not sound:
        told = f"; {url}: " + (f"the server answers {status}" if status else "no answer")
        assert [finding.problem.endswith(told) for finding in findings] == [True]
        assert (findings[0].file, findings[0].line, findings[0].about) == (reg.PATH, 2, C1)


@pytest.mark.req("SP-9")
def test_evidence_in_a_source_is_opened_and_read() -> None:
    source = parse_source(b"# Spec\n\nBattery life: 6 hours.\n", SPEC)
    shelf = gates.Shelf(lambda path: source if path == SPEC else None, {})
    for line, sound in ((3, True), (1, False)):
        claim = Claim(id=C1, status="unverified", text="6 hours", evidence=(Internal(SPEC, line=line),))
        assert (not gates.evidence(Registry({C1: claim}, {C1: 2}), shelf, reg.PATH)) is sound
