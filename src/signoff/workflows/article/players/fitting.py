"""Making an article as long as it has to be: what is wanted most is taken first, and nothing is padded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from signoff.workflows.article.players.composing import Piece
from signoff.workflows.article.players.judging import length
from signoff.workflows.article.players.manuscript import bare
from signoff.workflows.article.players.synthesis import kind_of

Sections = Mapping[str, Sequence[Piece]]
_INTRODUCED: Final = {"en": 9, "zh": 12}
"""About what it takes to say who is speaking."""


def fitted(sections: Sections, language: str, fixed: int, least: int, most: int) -> dict[str, list[Piece]]:
    """The pieces of each section that bring the whole between `least` and `most`, as near to the middle as they can.

    `fixed` is what stands in the article besides. Pieces of rank 0 stay out only where there is no room for them.
    """
    aim = least + (most - least) // 2
    total = fixed
    kept: dict[str, list[Piece]] = {place: [] for place in sections}
    for place, piece in _wanted(sections):
        size = length(bare(piece.text), language) + (_INTRODUCED[language] if piece.by else 0)
        if total + size <= most and (piece.rank == 0 or total < aim):
            kept[place].append(piece)
            total += size
    return kept


def _page(piece: Piece) -> int:
    """Of what belongs to the article, the first page of each section comes first, and a voice with it."""
    return 0 if piece.rank or kind_of(piece.by) == "VOICE" else piece.order[0]


def _wanted(sections: Sections) -> list[tuple[str, Piece]]:
    """By rank, and then one section after the other, so that all of them grow alike."""
    places = list(sections)
    ranked = [(piece.rank, piece.order, place, piece) for place, pieces in sections.items() for piece in pieces]
    ranked.sort(key=lambda one: (one[0], _page(one[3]), places.index(one[2]), one[1]))
    return [(place, piece) for _, _, place, piece in ranked]
