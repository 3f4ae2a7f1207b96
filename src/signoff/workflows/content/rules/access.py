"""Can everybody get at it: headings step down one level at a time, images are described, links say where they go."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from signoff.workflows.content.rules.action import is_vague
from signoff.workflows.content.rules.piece import POST, Found, Piece, Rule, quoted


def heading_order(piece: Piece) -> list[Found]:
    headings = piece.page.headings
    found = list[Found]()
    firsts = sum(heading.level == 1 for heading in headings)
    if firsts > 1:
        problem = f"{firsts} headings of level 1 leave a screen reader without one title"
        found.append(Found("heading-order", "medium", problem, "Keep the first and lower the others."))
    jump = next(((a, b) for a, b in pairwise(headings) if b.level > a.level + 1), None)
    if jump:
        problem = f"The outline jumps from level {jump[0].level} to level {jump[1].level} at {quoted(jump[1].text)}"
        found.append(Found("heading-order", "low", problem, "Step down one level at a time."))
    return found


def alt_texts(piece: Piece) -> list[Found]:
    return [
        Found(
            "alt-texts",
            "medium",
            f"An image has no description for those who cannot see it: {quoted(link.url)}",
            "Describe it.",
        )
        for link in piece.page.links
        if link.kind == "image" and not link.text
    ]


def link_texts(piece: Piece) -> list[Found]:
    offered = {offer.line for offer in piece.offers}
    return [
        Found(
            "link-texts",
            "medium",
            f"Read aloud, the link {quoted(link.text)} does not say where it leads ({link.url[:60]})",
            "Let the linked words name the target.",
        )
        for link in piece.page.links
        if link.kind == "link" and link.line not in offered and (is_vague(link.text) or not link.text)
    ]


def _headed(piece: Piece) -> bool:
    return piece.kind != POST


RULES: Final = (
    Rule("heading-order", "heading order", "accessibility headings outline structure", heading_order, _headed),
    Rule("alt-texts", "images described", "accessibility images alt text", alt_texts),
    Rule("link-texts", "links say where they lead", "accessibility links text", link_texts),
)
