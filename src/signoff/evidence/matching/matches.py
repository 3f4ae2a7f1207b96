"""What a claim is compared with: a piece of the source, and how findings about the two are written."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.documents import Piece
from signoff.evidence.quantities.reading import Quantity
from signoff.evidence.words import stems

_NEAR: Final = 0.72
"""From here on two sentences are nearly word for word the same, and each changed word counts."""
CLAUSE_END: Final = re.compile(r"[,;:，；：、()（）](?!\d{3})|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|和|而")


REPAIR: Final = "correct it, or point to the place that states it"


@dataclass(frozen=True, slots=True)
class Match:
    piece: Piece
    score: float
    across: bool


def key(one: Quantity) -> tuple[str, Decimal, str]:
    return one.kind, one.value, one.unit if one.measured or one.kind == "code" else ""


def finding(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair)


def near(claim: Piece, piece: Piece) -> bool:
    if not claim.stems:
        return False
    return len(claim.stems & piece.stems) >= _NEAR * max(len(claim.stems), 1)


def alike(claim: Piece, piece: Piece) -> bool:
    return len(claim.stems & piece.stems) >= 0.45 * max(len(claim.stems), 1)


def clauses_with_numbers(claim: Piece, piece: Piece) -> str:
    """The clauses of a piece that hold a number of the claim; without one, those with most of its words."""
    if piece.cells:
        return ""
    keys = {key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if key(one) in keys]
    edges = [0, *(found.end() for found in _CLAUSE_MARK.finditer(piece.text)), len(piece.text)]
    spans = list(itertools.pairwise(edges))
    if held:
        kept = [span for span in spans if any(span[0] <= one.start < span[1] for one in held)]
    else:
        shared = [len(claim.stems & stems(piece.text[left:right])) for left, right in spans]
        most = max(shared)
        kept = [span for span, many in zip(spans, shared, strict=True) if many == most]
    return " ".join(piece.text[left:right] for left, right in kept)


_CLAUSE_MARK: Final = re.compile("[，,;；。()（）]")


def quoted(piece: Piece) -> str:
    short = piece.text if len(piece.text) <= 160 else piece.text[:159] + "…"
    return f"line {piece.line}: {short!r}"
