"""The rules of `signoff check`, with their pages, from `evidence/rules/checks.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from signoff.evidence.rules import table

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: `code` is stable, `needs` names the option without which it does not run."""

    code: str
    name: str
    severity: Severity
    summary: str
    why: str
    repair: str
    on: bool = True
    needs: str = ""

    def page(self) -> str:
        """The section on this rule in the guide, and what `--explain` prints."""
        standing = self.severity if self.on else f"{self.severity}, off by default"
        needs = f" It runs with {_OPTIONS[self.needs]}." if self.needs else ""
        told = (f"{self.summary}{needs}", f"Why: {self.why}", f"Repair: {self.repair}", f"Severity: {standing}.")
        return "\n\n".join((f"### {self.code} {self.name}", *told)) + "\n"


_OPTIONS: Mapping[str, str] = {
    "pair": "`--pair`",
    "sources": "`--sources`",
    "registry": "`--registry`",
    "claims": "`--require-claims`",
}


@cache
def rules() -> Mapping[str, Rule]:
    """All rules by code."""
    return {row["code"]: _rule(row) for row in table("checks")}


def _rule(row: Mapping[Any, Any]) -> Rule:
    named = {key: row[key] for key in ("code", "name", "severity", "summary", "why", "repair")}
    # YAML 1.1 reads the key `on` as true
    return Rule(**named, on=bool(row.get("on", row.get(True, True))), needs=row.get("when", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One place that breaks a rule. `near` is the place of a source or of the other text of a pair, as FILE:LINE."""

    code: str
    line: int
    problem: str
    repair: str = ""
    about: str = ""
    near: str = ""
