"""What a gate or check has to say: where, which rule, what is wrong and how to repair it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem. `about` names the id it concerns (a claim, a question), when there is one."""

    rule: str
    problem: str
    repair: str
    file: str = ""
    line: int | None = None
    about: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        head = f"{place}: " if place else ""
        return f"{head}{self.rule}: {self.problem.rstrip('.')}. Repair: {self.repair}"


def failing(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that fail a gate; a warning is shown and fails nothing."""
    return tuple(finding for finding in findings if finding.severity == "error")
