"""The outputs: text, JSON, SARIF 2.1.0, JUnit XML, annotations of GitHub."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from signoff.evidence.check.rules import rules
from signoff.service.check.formats import FORMATS
from signoff.service.check.report import Found, Report

NASTY = 'a\u202eb\x1b[2J <x> & "q" %0A,:\n\ud800'


def found(code: str, file: str = "docs/ä b.md", **fields: str) -> Found:
    rule = rules()[code]
    said = {"problem": "'14 hours' is wrong", "repair": "Say 12.", **fields}
    return Found(file=file, line=3, rule=rule, severity=rule.severity, **said)


REPORT = Report(
    [found("SC601", near="specs/a.md:7"), found("SC003"), found("SC101", problem=NASTY)], ["docs/ä b.md", "fine.md"]
)
EMPTY = Report([], ["fine.md"])


@pytest.mark.req("EV-14")
def test_text_has_a_line_for_each_finding_and_is_silent_without() -> None:
    lines = FORMATS["text"](REPORT).splitlines()
    assert lines[0] == "docs/ä b.md:3: SC601 contradicted-number: '14 hours' is wrong. Say 12."
    assert lines[-1] == "3 findings in 1 of 2 files"
    assert FORMATS["text"](EMPTY) == ""


@pytest.mark.parametrize("name", FORMATS)
def test_no_output_carries_what_a_terminal_acts_on(name: str) -> None:
    written = FORMATS[name](REPORT)
    written.encode()
    assert not {"\x1b", "\u202e", "\ud800"} & set(written)


@pytest.mark.req("EV-14")
def test_json_has_every_field() -> None:
    data = json.loads(FORMATS["json"](REPORT))
    assert data["counts"] == {"SC003": 1, "SC101": 1, "SC601": 1}
    assert data["findings"][0]["near"] == "specs/a.md:7"
    assert data["findings"][2]["problem"] == NASTY


@pytest.mark.req("EV-14")
def test_sarif_has_rules_places_and_fingerprints() -> None:
    data = json.loads(FORMATS["sarif"](REPORT))
    assert data["version"] == "2.1.0"
    (run,) = data["runs"]
    listed = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in listed] == ["SC601", "SC003", "SC101"]
    for result in run["results"]:
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        place = result["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": "docs/%C3%A4%20b.md"}, "region": {"startLine": 3}}
        assert result["partialFingerprints"]
    assert run["results"][0]["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert json.loads(FORMATS["sarif"](EMPTY))["runs"][0]["results"] == []


@pytest.mark.req("EV-14")
def test_junit_is_xml_with_a_failure_for_each_finding_and_a_pass_for_each_good_file() -> None:
    root = ElementTree.fromstring(FORMATS["junit"](REPORT))
    assert root.attrib["failures"] == "3"
    assert len(root.findall(".//failure")) == 3
    assert [suite.attrib["name"] for suite in root] == ["docs/ä b.md", "fine.md"]


@pytest.mark.req("EV-14")
def test_annotations_escape_what_would_end_them() -> None:
    lines = FORMATS["github"](REPORT).splitlines()
    assert lines[0] == "::error file=docs/ä b.md,line=3,title=SC601 contradicted-number::'14 hours' is wrong. Say 12."
    assert lines[1].startswith("::warning ")
    assert "%250A" in lines[2]
    assert len(lines) == 3
    assert "file=a%2Cb%3A.md," in FORMATS["github"](Report([found("SC101", file="a,b:.md")], []))
