"""The sections of a landing page: there, in order, with three to six features and every objection answered."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown import Block
from signoff.workflows.content.rules.foundation import Pair, Part
from signoff.workflows.content.rules.piece import POST, WEBSITE, Found, Piece, Rule, Severity, quoted
from signoff.workflows.wording import content

FEATURES: Final = range(3, 7)
ANSWERED: Final = 0.5
MOST_BLOCKS: Final = 2_000

SECTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(rf"\b(?:{spelled})\b", re.IGNORECASE)
    for name, spelled in {
        "problem": r"problem|trouble|today|costs you|pain|status quo|without",
        "features": r"features?|what (?:it does|you get|changes)|benefits?|capabilities",
        "how-it-works": r"how (?:it|this|we|\w+) works?|how to (?:begin|start)|steps?",
        "audience": r"who (?:it is|it's|this is|is it|uses)|for whom|made for|built for|audience",
        "objections": r"objections?|doubts?|but|worr(?:y|ies|ied)|before you (?:ask|decide)|what (?:people|others) ask",
        "final-cta": r"start|begin|try|ready|next step|call to action|book|order|get",
        "faq": r"faq|questions?|frequently asked",
    }.items()
}
"""The sections below the hero in order, with what a heading of level 2 says where no comment names the section."""


@dataclass(frozen=True, slots=True)
class Room:
    """A section of a landing page: where it begins, and what stands in it."""

    line: int
    blocks: tuple[Block, ...]

    @property
    def last_line(self) -> int:
        return max((block.last_line for block in self.blocks), default=self.line)


def sections_of(piece: Piece) -> dict[str, Room]:
    """The sections by name: by their comments `<!-- section: faq -->` where there are any, else by their headings."""
    named = _by_comment(piece) if piece.marks else _by_heading(piece)
    lines = [line for _, line in named] + [piece.meta_line]
    blocks = [block for part in piece.body for block in _with_heading(part)]
    starts = [block.line for block in blocks]
    found = dict[str, Room]()
    for (name, line), after in zip(named, lines[1:], strict=True):
        found[name] = Room(line, tuple(blocks[bisect_left(starts, line) : bisect_left(starts, after)]))
    return found


def _with_heading(part: Part) -> Iterator[Block]:
    if part.heading:
        yield Block("heading", part.title, part.heading.line, part.heading.last_line, None)
    yield from part.blocks


def _by_comment(piece: Piece) -> list[tuple[str, int]]:
    known = ((name, line) for name, line in piece.marks.items() if name in SECTIONS and line < piece.meta_line)
    return sorted(known, key=lambda named: named[1])


def _by_heading(piece: Piece) -> list[tuple[str, int]]:
    """The first name that fits a heading and was not there before."""
    found = dict[str, int]()
    for part in piece.body:
        named = (name for name, spelled in SECTIONS.items() if name not in found and spelled.search(part.title))
        name = next(named, None) if part.heading else None
        if name and part.heading:
            found[name] = part.heading.line
    return list(found.items())


def sections(piece: Piece) -> list[Found]:
    order = list(sections_of(piece))
    missing = [name for name in SECTIONS if name not in order]
    found = list[Found]()
    if missing:
        problem = f"{len(missing)} of the {len(SECTIONS)} sections below the hero are not there: {', '.join(missing)}"
        severity: Severity = "high" if len(missing) > 3 else "medium"
        found.append(Found("sections", severity, problem, "Add them, each under its comment and its heading."))
    wanted = [name for name in SECTIONS if name in order]
    if order != wanted:
        first = next(name for name, other in zip(order, wanted, strict=True) if name != other)
        problem = (
            f"The order breaks the chain of the argument: {first} comes too early; the page runs {', '.join(order)}"
        )
        found.append(Found("sections", "medium", problem, f"Bring them into this order: {', '.join(wanted)}."))
    return found


def features(room: Room) -> int:
    """Lower headings or, without any, list items."""
    titles = sum(block.kind == "heading" for block in room.blocks) - 1
    return max(titles, 0) or sum(block.kind == "item" for block in room.blocks)


def feature_count(piece: Piece) -> list[Found]:
    room = sections_of(piece).get("features")
    if room is None or features(room) in FEATURES:
        return []
    number = features(room)
    problem = f"The features section makes {number} points; {FEATURES[0]} to {FEATURES[-1]} can be compared at a glance"
    mend = (
        "Group them under fewer headings." if number > FEATURES[-1] else "Name at least three, each with its benefit."
    )
    return [Found("feature-count", "medium", problem, mend)]


def unanswered(piece: Piece) -> list[Pair]:
    """The objections of the positioning that no paragraph answers; of an article only the strongest is asked for."""
    asked = piece.foundation.objections if piece.kind == WEBSITE else piece.foundation.objections[:1]
    texts = [content(block.visible) for block in piece.prose[:MOST_BLOCKS]]
    return [pair for pair in asked if (told := content(pair.text)) and not any(_answers(told, text) for text in texts)]


def _answers(told: frozenset[str], text: frozenset[str]) -> bool:
    return len(told & text) >= ANSWERED * len(told)


def objections(piece: Piece) -> list[Found]:
    return [
        Found(
            "objections",
            "medium",
            f"A doubt that readers have is left unanswered and stops them: {quoted(pair.name)}",
            f"Answer it before the last call to action: {quoted(pair.text)}",
        )
        for pair in unanswered(piece)
    ]


def _page(piece: Piece) -> bool:
    return piece.kind == WEBSITE


RULES: Final = (
    Rule("sections", "sections in order", "structure sections order page landing flow", sections, _page),
    Rule("feature-count", "number of features", "features structure choices page compare", feature_count, _page),
    Rule(
        "objections",
        "objections answered",
        "objections doubts hesitation risk uncertainty questions answer",
        objections,
        lambda p: p.kind != POST and bool(p.foundation.objections),
    ),
)
