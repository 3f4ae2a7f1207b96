"""Do a claim and a piece of a source negate the same things?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Document, Piece
from signoff.evidence.matches import CLAUSE_END, Match, alike, finding, key, quoted
from signoff.evidence.words import stems


def polarity(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    ours, theirs = wording.negations(claim.text), wording.negations(piece.text)
    if not ours.cues and not theirs.cues:
        return
    if (theirs.cues and not ours.cues or match.across) and (part := _part(claim, piece, match)) is not piece.text:
        if match.across and not part and len(document.pieces) > 1:
            return
        if part or not match.across:
            theirs = wording.negations(part)
    if len(ours.cues) > len(theirs.cues) and not theirs.softened(ours):
        new = [phrase for phrase, scope in ours.cues if not any(scope & other for _, other in theirs.cues)] or [
            ours.cues[-1][0]
        ]
        if not theirs.cues or alike(claim, piece):
            yield _turned(f"the claim says {new[0]!r}; the source says it without a negation ({quoted(piece)})")
    elif len(theirs.cues) > len(ours.cues) and not ours.softened(theirs):
        for phrase, scope in theirs.cues:
            least = 0.6 if CLAUSE_END.search(piece.text.rstrip(".。")) else 0.3
            covered = bool(scope) and len(scope & claim.stems) >= least * len(scope)
            if (not ours.cues and (match.across or covered)) or (alike(claim, piece) and covered):
                yield _turned(f"the source says {phrase!r} ({quoted(piece)}); the claim does not")
                return
    elif ours.cues and len(ours.cues) == len(theirs.cues) and not match.across:
        said, stated = (frozenset().union(*(scope for _, scope in each.cues)) for each in (ours, theirs))
        for phrase, scope in ours.cues:
            if len(scope) > 1 and scope <= piece.stems and not scope & stated and not theirs.softened(ours):
                yield _turned(f"the claim says {phrase!r}; the source negates something else ({quoted(piece)})")
                return


def _part(claim: Piece, piece: Piece, match: Match) -> str:
    """The cells or clauses of a piece that the claim speaks of, found by its numbers; else the whole piece."""
    keys = {key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if key(one) in keys]
    if piece.cells:
        return " | ".join(
            text for _, text, start in piece.cells if any(start <= one.start <= start + len(text) for one in held)
        )
    if not match.across:
        return piece.text
    ends = [found.end() for found in re.finditer("[，,;；。:：]", piece.text) if found.end() < len(piece.text)]
    if not ends:
        return piece.text
    latin = {stem for stem in claim.stems if stem.isascii()}
    edges = [0, *ends, len(piece.text)]
    parts = [(piece.text[left:right], left, right) for left, right in zip(edges, edges[1:], strict=False)]
    return "".join(
        text for text, left, right in parts if any(left <= one.start < right for one in held) or latin & stems(text)
    )


def _turned(problem: str) -> Finding:
    return finding("polarity.changed", problem, "say it as the source does")
