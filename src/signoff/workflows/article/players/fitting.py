"""Making an article as long as it has to be: what is wanted most is taken first, and nothing is added that is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.workflows.article.players.composing import Para
from signoff.workflows.article.players.judging import length
from signoff.workflows.article.players.manuscript import bare

Sections = Mapping[str, Sequence[Para]]


def fitted(sections: Sections, language: str, fixed: int, least: int, most: int) -> dict[str, list[Para]]:
    """The paragraphs of each section, in their order, that bring the whole between `least` and `most`.

    `fixed` is what stands in the article besides. Paragraphs of rank 0 go out only if nothing else helps.
    """
    aim = least + (most - least) // 2
    total = fixed
    kept: dict[str, list[Para]] = {place: [] for place in sections}
    for place, para in _wanted(sections):
        size = length(bare(para.text), language)
        if total + size <= most and (para.rank == 0 or total < aim):
            kept[place].append(para)
            total += size
    return {place: sorted(paras) for place, paras in kept.items()}


def _wanted(sections: Sections) -> list[tuple[str, Para]]:
    """By rank, and then one section after the other, so that all of them grow alike."""
    ranked = [(para.rank, para.order, place, para) for place, paras in sections.items() for para in paras]
    places = list(sections)
    ranked.sort(key=lambda one: (one[0], one[1][0] if one[0] == 0 else 0, places.index(one[2]), one[1]))
    return [(place, para) for _, _, place, para in ranked]
