"""A report as text, JSON, SARIF 2.1.0, JUnit XML and annotations of GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

import signoff
from signoff.evidence.check.rules import Rule, rules
from signoff.service.check.report import Found, Report

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069\u200b-\u200f]"
)
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def shown(text: str) -> str:
    """On one line, with escapes in the place of what a terminal or a parser would act on."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\n", " ").replace("\r", " "))


def as_text(report: Report) -> str:
    lines = [f"{shown(each.file)}:{each.line}: {_named(each)}: {_told(each)}" for each in report.findings]
    if lines:
        files = len({each.file for each in report.findings})
        lines.append(
            f"\n{_counted(len(report.findings), 'finding')} in {files} of {_counted(len(report.files), 'file')}"
        )
    if report.exempted or report.ignored:
        told = [f"{name} {count}" for name, count in sorted(report.exempted.items())]
        told += [f"signoff-ignore {report.ignored}"] if report.ignored else []
        lines.append(f"exempted: {', '.join(told)}")
    return "\n".join(lines)


def _named(each: Found) -> str:
    return f"{each.rule.code} {each.rule.name}"


def _told(each: Found) -> str:
    return f"{shown(each.problem).rstrip('.')}. {shown(each.repair)}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def as_json(report: Report) -> str:
    return json.dumps(report.to_json(), ensure_ascii=True, indent=1)


# --- SARIF --------------------------------------------------------------------------------------------------------


def as_sarif(report: Report) -> str:
    used = list(dict.fromkeys(each.rule.code for each in report.findings))
    run = {
        "tool": {
            "driver": {
                "name": "signoff",
                "version": signoff.__version__,
                "semanticVersion": signoff.__version__,
                "informationUri": "https://github.com/signoff/signoff",
                "rules": [_sarif_rule(rules()[code]) for code in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(each, used.index(each.rule.code)) for each in report.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=True, indent=1)


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name.title().replace("-", ""),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.repair, "markdown": rule.page()},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(each: Found, index: int) -> dict[str, Any]:
    mark = blake2b(
        f"{each.rule.code}\0{Path(each.file).as_posix()}\0{each.about or each.problem}".encode(
            "utf-8", "surrogatepass"
        ),
        digest_size=16,
    )
    result: dict[str, Any] = {
        "ruleId": each.rule.code,
        "ruleIndex": index,
        "level": each.severity,
        "message": {"text": _told(each)},
        "locations": [_sarif_place(each.file, each.line)],
        "partialFingerprints": {"signoffFinding/v1": mark.hexdigest()},
    }
    if near := re.fullmatch(r"(.+):(\d+)", each.near):
        result["relatedLocations"] = [
            {**_sarif_place(near[1], int(near[2])), "id": 1, "message": {"text": "the nearest place"}}
        ]
    return result


def _sarif_place(file: str, line: int) -> dict[str, Any]:
    uri = quote(Path(file).as_posix().encode("utf-8", "surrogateescape"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}}


# --- JUnit, GitHub ------------------------------------------------------------------------------------------------


def as_junit(report: Report) -> str:
    by_file: dict[str, list[Found]] = {file: [] for file in report.files}
    for each in report.findings:
        by_file.setdefault(each.file, []).append(each)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    cases = sum(max(1, len(listed)) for listed in by_file.values())
    lines.append(f'<testsuites name="signoff check" tests="{cases}" failures="{len(report.findings)}">')
    for file, listed in by_file.items():
        name = quoteattr(shown(file))
        lines.append(f'<testsuite name={name} tests="{max(1, len(listed))}" failures="{len(listed)}">')
        lines += [_junit_case(each, name) for each in listed] or [f'<testcase classname={name} name="no findings"/>']
        lines.append("</testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def _junit_case(each: Found, name: str) -> str:
    title, message = quoteattr(f"{_named(each)}, line {each.line}"), quoteattr(shown(each.problem))
    case = f'<testcase classname={name} name={title} line="{each.line}">'
    told = escape(f"{shown(each.file)}:{each.line}: {_told(each)}")
    return f'{case}<failure type="{each.rule.code}" message={message}>{told}</failure></testcase>'


def as_github(report: Report) -> str:
    return "\n".join(
        f"::{each.severity} file={_property(each.file)},line={each.line},title={_property(_named(each))}"
        f"::{_message(_told(each))}"
        for each in report.findings
    )


def _message(text: str) -> str:
    return shown(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


FORMATS: Final[Mapping[str, Callable[[Report], str]]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "junit": as_junit,
    "github": as_github,
}
