"""The gates as the orchestrator runs them (SP-10): documents by role, parameters, and what must be probed first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from signoff.core.declarations import GateInput, Probe
from signoff.core.errors import DefinitionError, UsageError
from signoff.core.refs import Parse, Ref, digest
from signoff.workflows.solution_page.gates import GATES

DRAFT, CN, REGISTRY = "3-drafts/x/content-en.md", "3-drafts/x/content-cn.md", "_shared/claims-registry.yaml"
SNAPSHOT = "0-sources/web/a.md"
ENTRY = """claims:
  C-AB-001:
    text: runs for 6 hours
    status: verified
    risk_level: high
    evidence: 0-sources/spec.txt#L1
  C-AB-002:
    text: runs for 6 hours
    status: verified
    risk_level: high
    evidence: 'https://a.example/x, 2026-01-05, "runs for 6 hours"'
"""
MARK = "<!-- claim_id: C-AB-001 -->"
LINKS = "[a](https://b.example/#f) [b](missing.md) [c](content-cn.md) [d](/0-sources)"
FILES = {
    DRAFT: f"# T\n\nIt runs for 6 hours. {MARK} {LINKS}\n",
    CN: f"# T\n\n续航7小时。{MARK}\n",
    REGISTRY: ENTRY,
    "0-sources/spec.txt": "Battery: 6 hours\n",
    SNAPSHOT: "---\nurl: https://a.example/x\naccessed_date: 2026-01-05\n---\nIt runs for 6 hours.\n",
}
ROLES = {"draft": DRAFT, "en": DRAFT, "cn": CN, "registry": REGISTRY}


def given(
    files: Mapping[str, str | bytes] = FILES, probes: Mapping[str, Probe] | None = None, **params: Any
) -> GateInput:
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    refs = {path: Ref(path, digest(content)) for path, content in data.items()}
    of = {role: refs[path] for role, path in ROLES.items() if path in refs}
    of |= {path: ref for path, ref in refs.items() if path.startswith("0-sources/")}
    of |= {"template": refs["own.yaml"]} if "own.yaml" in refs else {}
    parsed: dict[object, Any] = {}

    def look(ref: Ref, parse: Parse[Any]) -> Any:
        key = (ref, parse)
        parsed[key] = parsed[key] if key in parsed else parse(data[ref.path], ref.path)
        return parsed[key]

    defaults = {"lang": "en", "template": "hardware", "strip": True, "link_mode": "format", "files": sorted(files)}
    return GateInput(of=of, params={**defaults, **params}, look=look, probes=probes or {})


def rules(gate: str, given_: GateInput) -> set[str]:
    return {finding.rule for finding in GATES[gate].run(given_)}


@pytest.mark.req("SP-10")
def test_there_are_the_six_gates_and_the_evidence_check_each_under_its_name() -> None:
    assert list(GATES) == ["structure", "word-count", "links", "markers", "parity", "claims", "evidence"]
    assert all(gate.name == name and gate.about for name, gate in GATES.items())


@pytest.mark.req("SP-10")
@pytest.mark.parametrize(
    ("gate", "found"),
    [
        ("structure", {"structure.section-missing"}),
        ("word-count", {"word-count.page", "word-count.value-proposition"}),
        ("links", {"links.file"}),
        ("markers", set()),
        ("parity", {"parity.numbers"}),
        ("claims", set()),
        ("evidence", set()),
    ],
)
def test_each_gate_reads_its_documents_and_names_files_and_rules(gate: str, found: set[str]) -> None:
    findings = GATES[gate].run(given())
    assert {finding.rule for finding in findings} == found
    assert all(finding.file in FILES and finding.line and finding.repair for finding in findings)


def test_known_files_and_their_folders_are_there_and_nothing_else() -> None:
    assert [finding.problem.split("'")[1] for finding in GATES["links"].run(given())] == ["missing.md"]
    known = given()
    assert len(GATES["links"].run(replace(known, params={**known.params, "files": []}))) == 3


@pytest.mark.req("SP-14")
def test_markers_are_looked_for_in_the_stripped_copy_only_when_asked() -> None:
    assert rules("markers", given(strip=False)) == {"markers.claim-comment"}
    unset = given()
    without = GateInput(of=unset.of, params={"lang": "en"}, look=unset.look)
    assert rules("markers", without) == {"markers.claim-comment"}


def test_the_language_decides_the_names_and_limits() -> None:
    english, chinese = GATES["structure"].run(given()), GATES["structure"].run(given(lang="cn"))
    assert "Challenges" in english[1].problem
    assert "行业挑战" in chinese[1].problem
    assert "characters" in GATES["word-count"].run(given(lang="cn"))[1].problem


def test_a_projects_own_template_wins_over_the_built_in_one() -> None:
    own = """schema: signoff/page-template@1
name: own
page_type: hardware
value_proposition: value
features: {section: features, level: 4, min: 0, max: 1}
limits: {value_proposition: {en: [0, 9], cn: [0, 9]}, page: {en: [0, 99], cn: [0, 99]}}
sections:
  - {id: value, level: 2, mandatory: false, kind: value, en: Why, cn: 为何}
  - {id: features, level: 2, mandatory: false, kind: features, en: What, cn: 何物}
"""
    assert rules("structure", given({**FILES, "own.yaml": own})) == set()
    assert rules("word-count", given({**FILES, "own.yaml": own})) == {"word-count.value-proposition"}
    with pytest.raises(UsageError):
        GATES["structure"].run(given(template="nowhere"))


def test_evidence_is_opened_among_the_sources_and_nowhere_else() -> None:
    for path in ("draft", DRAFT, "registry", "0-sources/other.txt"):
        files = {**FILES, REGISTRY: ENTRY.replace("0-sources/spec.txt#L1", f"{path}#L3")}
        assert rules("claims", given(files)) == {"claims.evidence"}, path
        assert rules("evidence", given(files)) == {"evidence.file"}, path


def test_a_snapshot_that_cannot_be_read_is_none() -> None:
    files: dict[str, str | bytes] = {**FILES, "0-sources/web/0.md": b"\xff\xff broken"}
    assert rules("evidence", given(files)) == set()
    assert rules("evidence", given({**FILES, SNAPSHOT: b"\xff\xff"})) == {"evidence.snapshot"}


# --- http mode ---


@pytest.mark.req("SP-13")
def test_only_http_mode_asks_for_addresses() -> None:
    assert all(not gate.urls(given()) for gate in GATES.values())
    http = given(link_mode="http")
    assert list(GATES["links"].urls(http)) == ["https://b.example/"]
    assert {name: list(gate.urls(http)) for name, gate in GATES.items() if name != "links"} == {
        name: [] for name in GATES if name != "links"
    }


@pytest.mark.req("SP-9")
def test_evidence_without_a_snapshot_is_asked_for_by_those_who_need_it() -> None:
    files = {path: text for path, text in FILES.items() if path != SNAPSHOT}
    http = given(files, link_mode="http")
    assert list(GATES["evidence"].urls(http)) == ["https://a.example/x"]
    assert list(GATES["claims"].urls(http)) == []
    used = given({**files, DRAFT: "It runs for 6 hours. <!-- claim_id: C-AB-002 -->"}, link_mode="http")
    assert list(GATES["claims"].urls(used)) == ["https://a.example/x"]


@pytest.mark.req("SP-13")
def test_probes_are_judged_in_http_mode_only() -> None:
    probes = {"https://b.example/": Probe(url="https://b.example/", status=500)}
    assert rules("links", given(probes=probes, link_mode="http")) == {"links.file", "links.http"}
    assert rules("links", given(probes=probes)) == {"links.file"}
    fine = {"https://b.example/": Probe(url="https://b.example/", status=200)}
    assert rules("links", given(probes=fine, link_mode="http")) == {"links.file"}


@pytest.mark.req("SP-9")
def test_an_answer_is_evidence_in_http_mode_only() -> None:
    files = {path: text for path, text in FILES.items() if path != SNAPSHOT}
    probes = {"https://a.example/x": Probe(url="https://a.example/x", status=200, text="It runs for 6 hours.")}
    assert rules("evidence", given(files, probes, link_mode="http")) == set()
    assert rules("evidence", given(files, probes)) == {"evidence.snapshot"}


@pytest.mark.parametrize("gate", ["links", "claims"])
def test_a_draft_that_cannot_be_read_names_no_address(gate: str) -> None:
    assert list(GATES[gate].urls(given({**FILES, DRAFT: b"\xff\xff"}, link_mode="http"))) == []


def test_a_missing_document_is_a_mistake_in_the_workflow() -> None:
    with pytest.raises(DefinitionError, match="'draft'"):
        GATES["structure"].run(given({REGISTRY: ENTRY}))
