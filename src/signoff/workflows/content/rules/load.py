"""How much a reader must hold in mind: paragraphs, lists, posts, and the length of the whole."""

from __future__ import annotations

import re
from typing import Final

from signoff.artifacts.markdown import MAX_CHARS
from signoff.workflows.content.rules.foundation import Part
from signoff.workflows.content.rules.piece import POST, Found, Piece, Rule, count, listed, quoted

MOST_IN_PARAGRAPH: Final = 75
MOST_ITEMS: Final = 7
MOST_TAGS: Final = 3
POST_CHARS: Final = 280

_TAG: Final = re.compile(r"(?<![\w&/])#[^\W\d_]\w*")


def size(piece: Piece) -> list[Found]:
    """A text beyond what is read as Markdown is judged by its beginning."""
    if len(piece.text) <= MAX_CHARS:
        return []
    problem = f"The draft has {len(piece.text):,} characters; only the first {MAX_CHARS:,} were read and judged"
    return [Found("size", "high", problem, "Split it into several pieces.")]


def paragraphs(piece: Piece) -> list[Found]:
    return [
        Found(
            "paragraphs",
            "medium",
            f"One heavy paragraph has {number} words, the most is {MOST_IN_PARAGRAPH}: {quoted(block.visible)}",
            "Break it where the thought turns.",
        )
        for block in piece.prose
        if block.kind == "paragraph" and (number := count(block.visible)) > MOST_IN_PARAGRAPH
    ]


def lists(piece: Piece) -> list[Found]:
    return [
        Found(
            "lists",
            "low",
            f"{items} list items are more than can be held in mind, {MOST_ITEMS} at most: {quoted(part.title)}",
            "Group them, or keep those that decide.",
        )
        for part in piece.body
        if (items := _items(part)) > MOST_ITEMS
    ]


def _items(part: Part) -> int:
    return sum(block.kind == "item" for block in part.blocks)


def limit(piece: Piece) -> int:
    return piece.foundation.limit("social-media-strategy", "post") or POST_CHARS


def post_length(piece: Piece) -> list[Found]:
    """A post within the limit of the social-media strategy, its links and tags counted."""
    size, most = len(piece.text.strip()), limit(piece)
    if size <= most:
        return []
    problem = f"The post has {size} characters and is cut off after {most}"
    return [Found("post-length", "high", problem, f"Bring it to {most} characters, links and tags counted.")]


def hashtags(piece: Piece) -> list[Found]:
    tags = _TAG.findall(piece.text[:20_000])
    most = piece.foundation.limit("social-media-strategy", "tag") or MOST_TAGS
    if len(tags) <= most:
        return []
    problem = f"{len(tags)} hashtags make a post look like bait, {most} are plenty: {listed(tags, 3)}"
    return [Found("hashtags", "low", problem, "Keep those that people follow.")]


def _post(piece: Piece) -> bool:
    return piece.kind == POST


RULES: Final = (
    Rule("size", "length of the whole", "", size),
    Rule("paragraphs", "paragraph length", "load effort heavy passages mind readability paragraphs", paragraphs),
    Rule("lists", "list length", "load choices options mind compare", lists),
    Rule("post-length", "length of the post", "social post length platform community limits", post_length, _post),
    Rule("hashtags", "hashtags", "social post hashtags platform community", hashtags, _post),
)
