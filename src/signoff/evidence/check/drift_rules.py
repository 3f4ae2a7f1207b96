"""Drift between the two texts of a pair, as violations of the one in which the block stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.evidence.check.rules import Violation
from signoff.evidence.drift import blocks, drift

_CODES: Final = {
    "bound": "SC402", "polarity": "SC402", "wording": "SC402", "quantifier": "SC402", "absolute": "SC402",
    "heading": "SC403", "item": "SC403", "row": "SC403", "table": "SC403", "list": "SC403",
    "name": "SC404",
}  # fmt: skip
_PLACE: Final = re.compile(r" \(line \d+: .*\)$", re.DOTALL)
MAX_PAIR: Final = 2_000_000
"""How many characters a text of a pair may have; longer ones are not compared."""


def drift_violations(first: str, second: str) -> Iterator[tuple[int, Violation]]:
    """What differs, each with the number of the text, 0 or 1, on whose line it stands."""
    if max(len(first), len(second)) > MAX_PAIR:
        return
    found = drift(first, second)
    if not found:
        return
    places = [{(block.piece.line, block.piece.text[:120]) for block in blocks(text)} for text in (first, second)]
    for finding in found:
        shown = {text for line, text in places[0] if line == finding.line}
        side = 0 if any(repr(text) in finding.problem for text in shown) else 1
        code = _CODES.get(finding.rule.rpartition(".")[2], "SC401")
        said = _PLACE.search(finding.problem)
        problem = f"{_PLACE.sub('', finding.problem)}: {said[0].partition(': ')[2][:-1]}" if said else finding.problem
        yield side, Violation(code=code, line=finding.line or 1, problem=problem, repair=finding.repair)
