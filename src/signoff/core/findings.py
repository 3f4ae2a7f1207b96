"""What a gate or check has to say: where, which rule, what is wrong and how to repair it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from signoff.core.refs import digest

Severity = Literal["error", "warning"]
Weight = Literal["error", "warning", "overruled"]
"""How a finding counts: as the gate gave it, or not any more, because a person overruled it."""

ID = 8
"""How many hex digits of its digest name a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem. `about` names the id it concerns (a claim, a question), when there is one.

    The severity `overruled` is never a gate's own: the kernel gives it to an error that a person has overruled.
    """

    rule: str
    problem: str
    repair: str
    file: str = ""
    line: int | None = None
    about: str = ""
    severity: Weight = "error"

    @property
    def id(self) -> str:
        """The short name by which a person overrules it: the same for the same rule, file, subject and words."""
        return digest(json.dumps(self.words, ensure_ascii=True))[:ID]

    @property
    def words(self) -> tuple[str, str, str, str]:
        """What it says and of what, wherever it stands: two findings with the same words are one to a person."""
        return (self.rule, self.file, self.about, self.problem)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        head = f"{place}: " if place else ""
        return f"{head}{self.rule}: {self.problem.rstrip('.')}. Repair: {self.repair}"


def failing(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that fail a gate; a warning is shown and fails nothing, and neither does an overruled one."""
    return tuple(finding for finding in findings if finding.severity == "error")
