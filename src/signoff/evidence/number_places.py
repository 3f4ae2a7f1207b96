"""To which words of a source a number belongs: the labels of its table cell, or its clause."""

from __future__ import annotations

from signoff.evidence.documents import Piece
from signoff.evidence.matches import CLAUSE_END, key
from signoff.evidence.quantities import Quantity, quantities
from signoff.evidence.words import stems, words


def belongs_elsewhere(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece) -> Quantity | None:
    """In a sentence or row with several numbers of one kind: the one that other words belong to than those of the claim."""
    rivals = [
        one
        for one in piece.quantities
        if one.kind == said.kind and one.value != said.value and one.unit == stated[0].unit
    ]
    own = [one for one in stated if one in piece.quantities]
    if not rivals or not own or (len(own) > 1 and not piece.cells):
        return None
    wanted = _window(said, claim) | (
        claim.stems | {key(one) for one in claim.quantities if one is not said} if piece.cells else frozenset()
    )
    best = max(own, key=lambda one: len(wanted & _window(one, piece)))
    mine = _window(best, piece)
    for rival in rivals:
        theirs = _window(rival, piece)
        distinct = (wanted & theirs) - mine
        if not mine or (rival.start < best.start and not piece.cells and not _has_label(best, piece, claim)):
            continue  # nothing of its own, or the subject of the first clause holds on
        strong = len(distinct) > 1 or len(wanted) < 4 or bool(piece.cells)
        if (
            distinct
            and strong
            and not (wanted & mine) - theirs
            and not any(key(rival) == key(one) for one in claim.quantities)
        ):
            return rival
    return None


def _has_label(one: Quantity, piece: Piece, claim: Piece) -> bool:
    """Whether the clause of a number names a product or somebody of its own, which the claim does not."""
    left = max((found.end() for found in CLAUSE_END.finditer(piece.text) if found.end() <= one.start), default=0)
    said = claim.text.casefold()
    return any(word.text[0].isupper() and word.lower not in said for word in words(piece.text[left : one.start]))


def _window(one: Quantity, piece: Piece) -> frozenset[object]:
    """What a number belongs to: the words and other numbers of its cell with its header, or of its clause."""
    for header, text, start in piece.cells:
        if start <= one.start < start + max(1, len(text)):
            return (
                stems(f"{header} {text}")
                | _others(one, piece, start, start + len(text))
                | {key(each) for each in quantities(header)}
            )
    left = max((found.end() for found in CLAUSE_END.finditer(piece.text) if found.end() <= one.start), default=0)
    right = min(
        (found.start() for found in CLAUSE_END.finditer(piece.text) if found.start() >= one.end),
        default=len(piece.text),
    )
    return stems(piece.text[left:right]) | _others(one, piece, left, right)


def _others(one: Quantity, piece: Piece, left: int, right: int) -> frozenset[object]:
    return frozenset(key(each) for each in piece.quantities if each is not one and left <= each.start < right)
