"""Is the headline short enough to be taken in, and does it say what this is and for whom?"""

from __future__ import annotations

from typing import Final

from signoff.workflows.content.rules.piece import POST, WEBSITE, Found, Piece, Rule, count, quoted
from signoff.workflows.wording import content

MOST_WORDS: Final = 12
FAR_TOO_MANY: Final = 18


def length(piece: Piece) -> list[Found]:
    """A headline has at most twelve words."""
    number = count(piece.headline)
    if not piece.headline:
        problem = "There is no headline: no heading of level 1 tells a visitor where they are"
        return [Found("headline-length", "high", problem, "Begin with one heading of level 1.")]
    if number <= MOST_WORDS:
        return []
    return [
        Found(
            "headline-length",
            "high" if number >= FAR_TOO_MANY else "medium",
            f"The headline has {number} words; a reader takes in about {MOST_WORDS}: {quoted(piece.headline)}",
            f"Keep the promise in at most {MOST_WORDS} words and move the rest to the line under it.",
        )
    ]


def says(piece: Piece) -> list[Found]:
    """The headline shares a word with what is sold; the headline or the line under it names the audience."""
    base = piece.foundation
    offered = " ".join([*base.keywords, *base.said("Why us"), *(f"{pair.name} {pair.text}" for pair in base.features)])
    named = content(piece.headline)
    found = list[Found]()
    if content(offered) and not named & content(offered):
        problem = f"From the headline alone nobody can tell what is offered: {quoted(piece.headline)}"
        found.append(Found("headline-says", "high", problem, "Name the product or what it does in the headline."))
    reader = content(" ".join(base.said("For whom")))
    if reader and not (named | content(piece.opening)) & reader:
        found.append(
            Found(
                "headline-says",
                "medium",
                f"Neither headline nor opening names whom the page is for ({quoted(base.said('For whom')[0])})",
                "Name the audience in the headline or in the line under it.",
            )
        )
    return found


RULES: Final = (
    Rule(
        "headline-length", "headline length", "headline title hook promise attention", length, lambda p: p.kind != POST
    ),
    Rule(
        "headline-says",
        "headline says what and for whom",
        "headline promise reader audience awareness positioning clarity specific",
        says,
        lambda p: p.kind == WEBSITE and p.foundation.has("positioning") and bool(p.headline),
    ),
)
