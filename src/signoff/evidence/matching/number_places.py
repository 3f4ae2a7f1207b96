"""To which words of a source a number belongs: the labels of its table cell, or its clause."""

from __future__ import annotations

import re
from typing import Final

from signoff.evidence.documents import Piece
from signoff.evidence.matching.glossary import subjects
from signoff.evidence.matching.matches import CLAUSE_END, key
from signoff.evidence.quantities.reading import Quantity, quantities
from signoff.evidence.words import HAN, stems, words


def belongs_elsewhere(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece) -> Quantity | None:
    """Of several numbers of one kind in a sentence or row: the one that the words of the claim belong to instead."""
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
    heads = _heads(said, claim)
    subject = stems(piece.text[: piece.quantities[0].start]) | subjects(piece.text[: piece.quantities[0].start])
    for rival in rivals:
        theirs = _window(rival, piece)
        if any(key(rival) == key(one) for one in claim.quantities) or not mine or _ends_of_range(rival, best, piece):
            continue
        others = _heads(best, piece)
        kept = bool((_all_words(claim, said) & mine) - theirs)
        alone = not (_all_words(claim, said) & mine) - theirs - subject
        if others and heads & _heads(rival, piece) and not heads & others and theirs != mine and alone:
            return rival
        behind = rival.start < best.start and not piece.cells and not _has_label(best, piece, claim)
        if behind and (kept or not _own_words(best, rival, piece, _all_words(claim, said))):
            continue  # the subject of the first clause holds on
        distinct = (wanted & theirs) - mine
        numbered = any(not isinstance(each, str) for each in distinct)
        strong = len(distinct) > 1 or len(wanted) < 4 or bool(piece.cells) or numbered
        if distinct and strong and not (wanted & mine) - theirs:
            return rival
    return None


def _has_label(one: Quantity, piece: Piece, claim: Piece) -> bool:
    """Whether the clause of a number names a product or somebody of its own, which the claim does not."""
    left = max((found.end() for found in CLAUSE_END.finditer(piece.text) if found.end() <= one.start), default=0)
    said = claim.text.casefold()
    return any(word.text[0].isupper() and word.lower not in said for word in words(piece.text[left : one.start]))


_RANGE_BETWEEN: Final = re.compile(
    r"\s?(?:-|~|to|and|至|到|起至|and to|from|down to|up to|缩小到|[^\w]{1,3})\s?(?:[€$£¥±]\s?)?|.{0,12}(?:\bto|到"
    r"|至)\s?(?:[€$£¥±]\s?)?"
)


def _ends_of_range(first: Quantity, second: Quantity, piece: Piece) -> bool:
    """22 to 61: two ends of one range or change, which share all that is said of them."""
    left, right = sorted((first, second), key=lambda one: one.start)
    return left.end <= right.start and _RANGE_BETWEEN.fullmatch(piece.text[left.end : right.start]) is not None


def _all_words(claim: Piece, said: Quantity) -> frozenset[object]:
    return claim.stems | claim.subjects | {key(one) for one in claim.quantities if one is not said}


def _heads(one: Quantity, piece: Piece) -> frozenset[str]:
    """The last words before a number that say something: what it is the value of."""
    left = max((found.end() for found in CLAUSE_END.finditer(piece.text) if found.end() <= one.start), default=0)
    before = [word.stem for word in words(piece.text[left : one.start]) if word.stem]
    return frozenset(before[-2:] if before and HAN.match(before[-1]) else before[-1:])


def _own_words(best: Quantity, rival: Quantity, piece: Piece, named: frozenset[object]) -> bool:
    """Whether the clause of a number says of it what the claim does not, and that of the rival does not say it."""
    mine, theirs = _window(best, piece), _window(rival, piece)
    return bool(mine - theirs - named) and bool((theirs - mine) & named)


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
    return stems(piece.text[left:right]) | subjects(piece.text[left:right]) | _others(one, piece, left, right)


def _others(one: Quantity, piece: Piece, left: int, right: int) -> frozenset[object]:
    return frozenset(key(each) for each in piece.quantities if each is not one and left <= each.start < right)
