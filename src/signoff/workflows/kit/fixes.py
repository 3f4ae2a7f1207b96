"""Fixes as before/after pairs, applied by code: the text to replace must occur in the document exactly once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from signoff.core.findings import Finding


class Fix(Protocol):
    """A replacement with an id."""

    @property
    def id(self) -> str: ...
    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...


def apply(text: str, fixes: Iterable[Fix], file: str) -> tuple[str, tuple[Finding, ...]]:
    """The text with the fixes applied in order, and a finding for each that does not apply."""
    findings = []
    for fix in fixes:
        before, after = fix.before.rstrip("\n"), fix.after.rstrip("\n")
        times = text.count(before) if before else 0
        if times == 1:
            text = text.replace(before, after)
        else:
            findings.append(_misses(fix, before, times, file))
    return text, tuple(findings)


def _misses(fix: Fix, before: str, times: int, file: str) -> Finding:
    shown = before if len(before) <= 80 else before[:77] + "..."
    found = "is empty" if not before else "does not occur" if not times else f"occurs {times} times"
    return Finding(
        rule="fix.before",
        problem=f"fix {fix.id}: its before-text {found}: {shown!r}",
        repair="quote text that occurs exactly once in the file as it is after the fixes before this one",
        file=file,
        about=fix.id,
    )
