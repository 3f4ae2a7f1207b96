"""What a check found, as data for every output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff.evidence.check.rules import Rule, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One finding, with its file and its rule."""

    file: str
    line: int
    rule: Rule
    severity: Severity
    problem: str
    repair: str
    about: str = ""
    near: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.rule.code, "name": self.rule.name, "severity": self.severity, "file": self.file,
            "line": self.line, "problem": self.problem, "repair": self.repair, "about": self.about, "near": self.near,
        }  # fmt: skip


@dataclass(slots=True)
class Report:
    """All findings, sorted by file and line; how many files were looked at; how often what was exempted."""

    findings: list[Found]
    files: list[str]
    exempted: Counter[str] = field(default_factory=Counter)
    ignored: int = 0
    cached: int = 0
    sources: int = 0

    @property
    def counts(self) -> Mapping[str, int]:
        return dict(sorted(Counter(each.rule.code for each in self.findings).items()))

    def to_json(self) -> dict[str, Any]:
        return {
            "findings": [each.to_json() for each in self.findings],
            "files": len(self.files),
            "sources": self.sources,
            "counts": dict(self.counts),
            "exempted": dict(sorted(self.exempted.items())),
            "ignored": self.ignored,
        }
