"""Do a claim and a piece of a source negate the same things?

Each negation has a scope: the words that it negates, up to the end of its clause. A claim that says those words without
a negation contradicts it. Across languages words cannot be compared; there the clause that holds the numbers and Latin
names of the claim is found, and only whether it is negated counts.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Document, Piece
from signoff.evidence.matching.matches import CLAUSE_END, Match, alike, finding, key, quoted
from signoff.evidence.words import HAN

_ACROSS_CLAUSE: Final = re.compile(
    r"[，;；。]|,(?!\d{3})|[:：](?=.{12})|\b(?:and|but)\b(?= (?:do|does|did|no|not|never|can|cannot|is|are|was|were"
    r"|has|have|will|must|may)\b)"
)


def polarity(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    """A negation that only one of the two has."""
    ours, theirs = wording.negations(claim.text), wording.negations(piece.text)
    if not ours.cues and not theirs.cues and not theirs.exceptions:
        return
    if match.across:
        yield from _across(claim, piece, document)
        return
    if piece.cells and theirs.cues and not ours.cues and (part := cells_of(claim, piece)):
        theirs = wording.negations(part)
    if len(ours.cues) > len(theirs.cues) and _negated_beside(claim, piece, ours, document):
        return
    yield from _same_language(claim, piece, ours, theirs)


def _negated_beside(claim: Piece, piece: Piece, ours: wording.Negations, document: Document) -> bool:
    """Whether what stands over the piece, or the sentence beside it, has the negation; or it is a plan, not yet so."""
    if _UNLESS.search(claim.text) or "planned" in wording.modality(piece.text) or wording.negations(piece.context).cues:
        return True
    said = frozenset().union(*(scope for _, scope in ours.cues))
    several = CLAUSE_END.search(claim.text.rstrip(".。")) is not None
    for other in document.neighbours(piece):
        if other is not piece and other.line == piece.line:
            cues = wording.negations(other.text).cues
            if cues and (several or any(scope & said for _, scope in cues)):
                return True
    return False


_UNLESS: Final = re.compile(r"\b(?:unless|until)\b|除非|之前")


def _same_language(claim: Piece, piece: Piece, ours: wording.Negations, theirs: wording.Negations) -> Iterator[Finding]:
    if len(ours.cues) > len(theirs.cues) and not theirs.softened(ours):
        new = [phrase for phrase, scope in ours.cues if not any(scope & other for _, other in theirs.cues)]
        if not theirs.cues or alike(claim, piece):
            phrase = (new or [ours.cues[-1][0]])[0]
            yield _turned(f"the claim says {phrase!r}; the source says it without a negation ({quoted(piece)})")
    elif len(theirs.cues) > len(ours.cues) and not ours.softened(theirs):
        for phrase, scope in theirs.cues:
            if any(scope & other for _, other in ours.cues):
                continue
            if _says(claim, piece, phrase, scope) and (not ours.cues or alike(claim, piece)):
                yield _turned(f"the source says {phrase!r} ({quoted(piece)}); the claim does not")
                return
    elif ours.cues and len(ours.cues) == len(theirs.cues):
        stated = frozenset().union(*(scope for _, scope in theirs.cues))
        for phrase, scope in ours.cues:
            if (
                len(scope) > 1
                and scope <= piece.stems
                and not (scope | claim.stems) & stated
                and not theirs.softened(ours)
            ):
                yield _turned(f"the claim says {phrase!r}; the source negates something else ({quoted(piece)})")
                return
    if not ours.cues and not ours.exceptions and not ours.soft:
        for phrase, scope in theirs.exceptions:
            if scope and scope <= claim.stems:
                yield _turned(f"the source says {phrase!r} ({quoted(piece)}); the claim does not")
                return


_NO: Final = re.compile(r"\b(?:no|without|neither|nor)\b", re.IGNORECASE)


def _says(claim: Piece, piece: Piece, phrase: str, scope: frozenset[str]) -> bool:
    """Whether the claim speaks of what this negation of the piece is about."""
    if not scope:
        return False
    said = len(scope & claim.stems)
    if said >= 0.6 * len(scope):
        return True
    if not CLAUSE_END.search(piece.text.rstrip(".。")):
        return said >= 0.3 * len(scope)
    if HAN.search(phrase):
        return False
    known = len(claim.stems & piece.around) >= 0.7 * len(claim.stems)
    return known and said * 2 >= len(scope)


def _across(claim: Piece, piece: Piece, document: Document) -> Iterator[Finding]:
    """In two languages: whether the clause with the claim's numbers and Latin names is negated as the claim is."""
    ours = wording.negations(claim.text)
    part, sure = _clause_across(claim, piece, document)
    if not part:
        return
    theirs = wording.negations(part)
    if ours.cues and not theirs.cues and not theirs.softened(ours) and not theirs.exceptions:
        whole = wording.negations(piece.text)
        if sure and not whole.cues and not whole.exceptions and not wording.modality(piece.text):
            phrase = ours.cues[0][0]
            yield _turned(f"the claim says {phrase!r}; the source says it without a negation ({quoted(piece)})")
    elif not ours.cues and not ours.softened(theirs) and not ours.exceptions:
        cue = next((phrase for phrase, _ in theirs.cues if phrase not in _LEXICAL), None)
        if cue:
            yield _turned(f"the source says {cue!r} ({quoted(piece)}); the claim does not")


_LEXICAL: Final = frozenset("无 不")
"""Alone they are often part of a word (无症状, 不友好), for which the other language has a word without a negation."""


def _clause_across(claim: Piece, piece: Piece, document: Document) -> tuple[str, bool]:
    """The clauses of a piece that hold a number of the claim, else a Latin name; and whether they are surely meant."""
    if piece.cells:
        return cells_of(claim, piece), True
    parts = _parts(piece.text)
    wanted = _anchors(claim)
    numbers = {each for each in wanted if not isinstance(each, str)}
    known = [(part, _anchors(Piece(part))) for part in parts]
    held = [part for part, anchors in known if anchors & numbers] or [
        part for part, anchors in known if anchors & wanted
    ]
    sure = len(document.pieces) < 3 or bool(numbers) or len(wanted) > 1
    if len(parts) == 1 or _as_long(claim.text, piece.text):
        return (piece.text, sure) if held or len(document.pieces) < 3 else ("", False)
    return "".join(held), sure


def _parts(text: str) -> list[str]:
    ends = [found.end() for found in _ACROSS_CLAUSE.finditer(text) if found.end() < len(text)]
    edges = [0, *ends, len(text)]
    return [text[left:right] for left, right in itertools.pairwise(edges)]


def _anchors(piece: Piece) -> frozenset[object]:
    numbers = {key(one) for one in piece.quantities if not one.weak}
    return frozenset(numbers | {stem for stem in piece.stems if stem.isascii()} | piece.subjects)


def _as_long(claim: str, text: str) -> bool:
    """Whether a claim says about as much as a text in the other language: six English words for ten characters."""
    sizes = [len(HAN.findall(each)) * 0.6 + len(_LATIN.findall(each)) for each in (claim, text)]
    return sizes[0] >= 0.8 * sizes[1]


_LATIN: Final = re.compile(r"[A-Za-z]+")


def cells_of(claim: Piece, piece: Piece) -> str:
    """The cells of a row that hold a number of the claim."""
    keys = {key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if key(one) in keys]
    return " | ".join(
        text for _, text, start in piece.cells if any(start <= one.start <= start + len(text) for one in held)
    )


def _turned(problem: str) -> Finding:
    return finding("polarity.changed", problem, "say it as the source does")
