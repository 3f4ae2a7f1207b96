"""Drift between the two texts of a pair, as violations of the one in which the block stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.rules import Violation
from signoff.evidence.drift import blocks, drift

_CODES: Final = {
    "bound": "SC402", "polarity": "SC406", "wording": "SC406", "quantifier": "SC406", "absolute": "SC406",
    "heading": "SC403", "item": "SC403", "row": "SC403", "table": "SC403", "list": "SC403",
    "name": "SC404",
}  # fmt: skip
_PLACE: Final = re.compile(r" \(line \d+: .*\)$", re.DOTALL)
_IN_WORDS: Final = re.compile(
    r"'(?:[一二两三四五六七八九十半单双]+|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ff]irst|[Ss]econd|[Tt]hird|half|twice|once|both)'"
)
MAX_PAIR: Final = 2_000_000
"""How many characters a text of a pair may have; longer ones are not compared."""


def drift_violations(first: str, second: str) -> Iterator[tuple[int, Violation]]:
    """What differs, each with the number of the text, 0 or 1, on whose line it stands."""
    if max(len(first), len(second)) > MAX_PAIR:
        return
    first, second = PageText(first).fenced, PageText(second).fenced
    found = [finding for finding in drift(first, second) if not _counts_in_words(finding)]
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


def _counts_in_words(finding: Finding) -> bool:
    """`两种` and `both`: small counts in words come and go in a translation."""
    return _IN_WORDS.match(finding.problem) is not None
