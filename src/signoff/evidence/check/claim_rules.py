"""A claim behind every statement: what has neither a marker nor an exemption (SC701, SC702)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from signoff.evidence.check.directives import NoClaim
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.rules import Violation
from signoff.evidence.check.settings import Settings
from signoff.evidence.check.statements import Statement, place, statements


@dataclass
class Exemptions:
    """How often a statement was exempted: by which rule, by which entry of the project's list, and inline."""

    by_rule: Counter[str] = field(default_factory=Counter)
    by_list: Counter[str] = field(default_factory=Counter)
    inline: int = 0


def claim_violations(page: PageText, inline: list[NoClaim], settings: Settings) -> tuple[list[Violation], Exemptions]:
    """The statements without a claim, the idle exemptions, and how often each exemption was used."""
    found = statements(page.text, settings.product)
    used = Exemptions(found.exempted)
    lines = page.text.split("\n")
    violations: list[Violation] = []
    busy: set[int] = set()
    for statement in found.listed:
        line = place(lines, statement.line, statement.parts[0].text)
        covering = [
            number
            for number, each in enumerate(inline)
            if each.first <= statement.line <= each.last or each.first <= line <= each.last
        ]
        if statement.exempt:
            covering += [number for number, each in enumerate(inline) if statement.line <= each.line <= line + 40]
        if statement.claims:
            continue
        if statement.exempt or covering:
            used.inline += 1
            busy.update(covering)
        elif entry := _listed(statement, settings.no_claims):
            used.by_list[entry] += 1
        else:
            violations.append(_unclaimed(statement, line))
    violations += _idle(inline, busy)
    return violations, used


def _listed(statement: Statement, listed: tuple[str, ...]) -> str:
    """The entry of the project's list that covers a statement: a text that it holds, or a pattern with `*`."""
    for entry in listed:
        if entry in statement.text or ("*" in entry and fnmatchcase(statement.text, entry)):
            return entry
    return ""


def _unclaimed(statement: Statement, line: int) -> Violation:
    kinds = ", ".join(dict.fromkeys(f"{part.kind} {part.text!r}" for part in statement.parts[:3]))
    short = statement.text if len(statement.text) <= 100 else f"{statement.text[:99]}…"
    return Violation(
        code="SC701", line=line, problem=f"'{short}' states {kinds} and has no claim", about=statement.parts[0].text
    )


def _idle(inline: list[NoClaim], busy: set[int]) -> Iterator[Violation]:
    for number, each in enumerate(inline):
        if number not in busy:
            yield Violation(
                code="SC702", line=each.line, problem=f"the no-claim comment ({each.reason}) exempts nothing"
            )
