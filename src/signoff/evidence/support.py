"""Does a source say what a claim says? `unsupported` is the whole question in one function.

The claim is taken sentence by sentence. For each, the pieces of the source that speak of the same thing are found by
their words; then one of them must state every number, date, code and name of the sentence, on the same side of its
bounds and with the same polarity. Words choose the piece and numbers must then agree with it, never the other way
round: that is what tells another row's value from the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.canonical import disguises, visible
from signoff.evidence.documents import Document, Piece, number_keys, read, statements
from signoff.evidence.matching.matches import REPAIR, Match, finding
from signoff.evidence.matching.number_matching import numbers
from signoff.evidence.matching.polarity import polarity
from signoff.evidence.matching.proper_names import names
from signoff.evidence.matching.proper_names import unknown_names as unknown_names
from signoff.evidence.matching.word_changes import across_languages, frequencies, promises, word_changes
from signoff.evidence.quotations import altered, without_verbatim
from signoff.evidence.words import is_chinese, stems


def unsupported(claim: str, source: str, lang: str | None = None) -> list[Finding]:
    """What of the claim the source does not state or contradicts; empty if the source bears it out."""
    del lang  # the languages are read off the texts
    findings = list(disguises(claim))
    document = read(source)
    findings += altered(claim, source)
    for sentence in statements(visible(without_verbatim(claim, source))):
        findings += _check(Piece(sentence), document)
    return findings


def unsupported_by(claim: str, document: Document) -> list[Finding]:
    """The same for a source that is read already, or for the pieces of it that a claim may rest on."""
    findings: list[Finding] = []
    for sentence in statements(visible(claim)):
        findings += _check(Piece(sentence), document)
    return findings


def _check(claim: Piece, document: Document) -> list[Finding]:
    best: list[Finding] | None = None
    matches = candidates(claim, document)
    for match in matches:
        found = list(compare(claim, match, document))
        if not found:
            return []
        if best is None or len(found) < len(best):
            best = found
    if _borne_by_table(claim, matches, document):
        return []
    if best is not None:
        scattered = all(each.rule in _SCATTERED for each in best)
        beside = scattered and (_borne_by_neighbours(claim, matches, document) or _borne_in_parts(claim, document))
        return [] if beside else best
    said = [one for one in claim.quantities if not one.weak and one.kind != "url"]
    promised = [] if said else promises(claim.text)
    if promised:
        return [finding("absolute.unsupported", f"the source does not speak of what is {promised[0]!r}", REPAIR)]
    if said:
        return [finding("number.unsupported", f"the source does not state {said[0].text!r}", REPAIR)]
    return []


def _borne_by_neighbours(claim: Piece, matches: list[Match], document: Document) -> bool:
    """Whether the best sentence states it together with the one before or behind it in its paragraph."""
    for match in matches[:2]:
        piece = match.piece
        if piece.kind not in ("sentence", "item"):
            continue
        for other in document.neighbours(piece):
            apart = other is piece or other.line != piece.line or other.kind != piece.kind
            if apart or not (claim.stems & other.stems) - piece.stems:
                continue
            first, second = (piece, other) if document.before(piece, other) else (other, piece)
            both = Piece(f"{first.text} {second.text}", piece.line, piece.context, piece.kind)
            if next(compare(claim, Match(both, match.score, match.across), document), None) is None:
                return True
    return False


MOST_TABLES: Final = 20


def _borne_by_table(claim: Piece, matches: list[Match], document: Document) -> bool:
    """Whether a table as a whole states the claim: it may compare rows and columns."""
    if not document.tables or not any(not one.weak for one in claim.quantities):
        return False
    across = is_chinese(claim.text) != document.chinese
    prose = max((match.score for match in matches if not match.piece.table), default=0.0)
    whole = sum(document.weight(stem) for stem in claim.stems) or 1.0
    for table in document.tables[:MOST_TABLES]:
        shared = sum(document.weight(stem) for stem in claim.stems & table.whole.around) / whole
        if not across and (shared == 0 or shared < prose):
            continue
        if next(compare(claim, Match(table.whole, shared, across), document), None) is None:
            return True
    return False


_PART_END: Final = re.compile(r"[;；，。]|,(?!\d)|\b(?:and|but|while|whereas|so|then)\b")
_SCATTERED: Final = frozenset(("number.unsupported", "code.unsupported"))
LEAST_SHARED: Final = 0.4


def _borne_in_parts(claim: Piece, document: Document) -> bool:
    """Whether each clause of a longer claim is stated somewhere."""
    parts = [part.strip() for part in _PART_END.split(claim.text)]
    told = [Piece(part) for part in parts if len(stems(part)) > 1]
    if len(told) < 2 or sum(len(one.quantities) for one in told) < len(claim.quantities):
        return False
    for part in told:
        matches = candidates(part, document)
        near = [match for match in matches if match.score >= LEAST_SHARED]
        stated = any(next(compare(part, match, document), None) is None for match in near)
        if not (stated or _borne_by_table(part, matches, document)):
            return False
    return True


def candidates(claim: Piece, document: Document) -> list[Match]:
    """The pieces that may be meant, best first: the better the best one fits, the fewer others come into question."""
    across = is_chinese(claim.text) != document.chinese
    numbered = any(not one.weak and one.kind not in ("code", "url") for one in claim.quantities)
    ranked = [
        each
        for each in document.likely(claim.stems, 14)
        if not numbered or each[1].kind not in ("heading", "headers") or each[1].quantities
    ]
    if across or not ranked or ranked[0][0] < 0.15:
        return _by_numbers(claim, document, ranked, across)
    top, best = ranked[0]
    margin = 0.08 if not numbered else 0.12 if top >= 0.85 else 0.25 if top >= 0.6 else 0.4
    return [
        Match(piece, score, False)
        for score, piece in ranked
        if score >= max(top - margin, 0.6 * top) and not _sibling(piece, best, claim)
    ]


def _sibling(piece: Piece, best: Piece, claim: Piece) -> bool:
    """Another row or column of the best one's table that lacks what the claim and the best one share."""
    if piece is best or not (piece.cells and best.cells):
        return False
    return bool((claim.stems & best.around) - piece.around)


def _by_numbers(claim: Piece, document: Document, ranked: list[tuple[float, Piece]], across: bool) -> list[Match]:
    """Across languages words say little: pieces are chosen by the numbers, codes and Latin names they share."""
    wanted = [(number_keys(one), 1.0 if one.kind == "code" else 2.0) for one in claim.quantities if not one.weak]
    by_words = {id(piece): score for score, piece in ranked}
    subjects = claim.subjects if across else frozenset()

    def share(piece: Piece) -> float:
        own, near = piece.found_by, piece.near_by
        numbers = sum(weight if keys & own else weight / 3 if keys & near else 0.0 for keys, weight in wanted)
        shared = subjects & piece.subjects if across else frozenset()
        return (
            numbers + by_words.get(id(piece), 0.0) + 0.5 * len(shared) / max(1, len(subjects)) * min(3, len(subjects))
        )

    scored = sorted(
        ((share(piece), number) for number, piece in enumerate(document.pieces)), key=lambda each: (-each[0], each[1])
    )[:5]
    if not scored or (scored[0][0] == 0 and len(document.pieces) > 1 and not wanted):
        return []  # another language, and nothing to hold on to
    return [Match(document.pieces[number], 0.5, across) for score, number in scored if score >= scored[0][0] - 0.5]


def compare(claim: Piece, match: Match, document: Document) -> Iterator[Finding]:
    """What the claim says and this piece does not."""
    piece = match.piece
    yield from numbers(claim, piece, match, document)
    yield from polarity(claim, piece, match, document)
    yield from frequencies(claim, piece)
    if match.across:
        yield from across_languages(claim, piece)
    else:
        yield from word_changes(claim, piece)
        yield from names(claim, piece, document)
