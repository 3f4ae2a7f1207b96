"""Can it be found: the primary keyword where a search shows it, not more often than a person would say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from signoff.workflows.content.rules.lexicon import compiled
from signoff.workflows.content.rules.piece import POST, WEBSITE, Found, Piece, Rule, count, quoted
from signoff.workflows.wording import content

MOST_PERCENT: Final = 3
FEW: Final = 5
TITLE: Final = (15, 60)
DESCRIPTION: Final = (70, 155)

# Two wordings, so that the two can be told apart when their texts begin alike.
_OUTSIDE: Final = {
    "title": "The title that a search result shows in its first line has {}",
    "description": "Under the result stands a meta description of {}",
}


def keyword_of(piece: Piece) -> str:
    """The keyword of a piece: the primary one of a page; of another text the one that is nearest to its headline."""
    named = content(piece.headline)
    near = piece.foundation.keywords[:1] if piece.kind == WEBSITE else piece.foundation.keywords
    return max(near, key=lambda keyword: len(content(keyword) & named), default="")


def has_keyword(piece: Piece, text: str) -> bool:
    """A page carries the primary keyword, any other text one of them, in the singular or the plural."""
    wanted = piece.foundation.keywords[:1] if piece.kind == WEBSITE else piece.foundation.keywords
    return bool(compiled({form: "" for keyword in wanted for form in (keyword, f"{keyword}s")}).found(text))


def keyword_headline(piece: Piece) -> list[Found]:
    keyword = keyword_of(piece)
    if has_keyword(piece, piece.headline):
        return []
    problem = f"The headline lacks the keyword “{keyword}”, for which people search: {quoted(piece.headline)}"
    return [Found("keyword-headline", "medium", problem, f"Say “{keyword}” in the headline.")]


def keyword_opening(piece: Piece) -> list[Found]:
    keyword = keyword_of(piece)
    if has_keyword(piece, piece.opening):
        return []
    problem = (
        f"A search result would show an opening without “{keyword}” in the first paragraph: {quoted(piece.opening)}"
    )
    return [Found("keyword-opening", "medium", problem, "Use the keyword once where the text begins.")]


def keyword_density(piece: Piece) -> list[Found]:
    keyword, total = keyword_of(piece), max(1, piece.words)
    used = sum(len(compiled({keyword: ""}).found(said.text)) for said in piece.said)
    share = 100 * used * max(1, count(keyword)) / total
    if used < FEW or share <= MOST_PERCENT * max(1, count(keyword)):
        return []
    problem = (
        f"“{keyword}” is stuffed into the text, {used} times in {total} words, which reads as written for a machine"
    )
    return [Found("keyword-density", "medium", problem, "Call it by a shorter name after the first mention.")]


def meta(piece: Piece) -> list[Found]:
    """Title and description as long as a result page shows them; the SEO strategy may set another most."""
    return [found for name in ("title", "description") for found in _meta(piece, name)]


def meta_limits(piece: Piece, name: str) -> tuple[int, int]:
    least, most = TITLE if name == "title" else DESCRIPTION
    given = piece.foundation.limit("seo-strategy", name) or most
    return min(least, given), given


def _meta(piece: Piece, name: str) -> Iterator[Found]:
    text, (least, most) = piece.meta.get(name, ""), meta_limits(piece, name)
    if not text:
        problem = f"No meta {name} is given, so a search engine makes one up"
        yield Found("meta", "medium", problem, f"Add one of {least} to {most} characters.")
    elif not least <= len(text) <= most:
        problem = _OUTSIDE[name].format(f"{len(text)} characters, {least} to {most} are shown: {quoted(text)}")
        yield Found("meta", "medium", problem, f"Bring it to {least} to {most} characters.")


def _has_keywords(piece: Piece) -> bool:
    return piece.kind != POST and bool(piece.foundation.keywords)


_WORDS: Final = "search seo keyword optimisation ranking query intent"
RULES: Final = (
    Rule("keyword-headline", "keyword in the headline", f"{_WORDS} headline", keyword_headline, _has_keywords),
    Rule("keyword-opening", "keyword in the opening", f"{_WORDS} opening", keyword_opening, _has_keywords),
    Rule("keyword-density", "keyword not stuffed", _WORDS, keyword_density, _has_keywords),
    Rule(
        "meta",
        "meta title and description",
        "search seo meta description snippet result",
        meta,
        lambda p: p.kind == WEBSITE,
    ),
)
