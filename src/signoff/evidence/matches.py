"""What a claim is compared with: a piece of the source, and how findings about the two are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.documents import Piece
from signoff.evidence.quantities import Quantity

_NEAR: Final = 0.72
"""From here on two sentences are nearly word for word the same, and each changed word counts."""
CLAUSE_END: Final = re.compile(r"[,;:，；：、()（）](?!\d{3})|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|和|而")


@dataclass(frozen=True, slots=True)
class Match:
    piece: Piece
    score: float
    across: bool


def key(one: Quantity) -> tuple[str, Decimal, str]:
    return one.kind, one.value, one.unit if one.measured or one.kind == "code" else ""


def finding(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair or "correct it, or point to the place that states it")


def near(claim: Piece, piece: Piece) -> bool:
    if not claim.stems:
        return False
    return len(claim.stems & piece.stems) >= _NEAR * max(len(claim.stems), 1)


def alike(claim: Piece, piece: Piece) -> bool:
    return len(claim.stems & piece.stems) >= 0.45 * max(len(claim.stems), 1)


def clauses_with_numbers(claim: Piece, piece: Piece) -> str:
    """The clauses of a piece that hold a number of the claim; without one, all of it."""
    keys = {key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if key(one) in keys]
    if piece.cells or not held:
        return "" if piece.cells else piece.text
    edges = [0, *(found.end() for found in re.finditer("[，,;；。()（）]", piece.text)), len(piece.text)]
    return " ".join(
        piece.text[left:right]
        for left, right in zip(edges, edges[1:], strict=False)
        if any(left <= one.start < right for one in held)
    )


def quoted(piece: Piece) -> str:
    short = piece.text if len(piece.text) <= 160 else piece.text[:159] + "…"
    return f"line {piece.line}: {short!r}"
