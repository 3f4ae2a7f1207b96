"""One action, named by what the reader gets, where a reader looks for it, with its price said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.artifacts.markdown import Link
from signoff.workflows.content.rules.lexicon import fold, vague, verbs
from signoff.workflows.content.rules.piece import POST, WEBSITE, Found, Piece, Rule, Severity, count, listed, quoted
from signoff.workflows.wording import covered

MOST_LABEL_WORDS: Final = 7
ENOUGH: Final = 0.5

_MONEY: Final = re.compile(
    r"[€$£¥]\s?\d[\d,.]*|\d[\d,.]*\s?(?:[€$£¥]|(?:EUR|USD|GBP|euros?|dollars?|pounds?)\b)", re.IGNORECASE
)


def is_vague(label: str) -> bool:
    return fold(label.strip(" .!?>→»›…")) in vague()


def begins_with_verb(label: str) -> bool:
    first = label.casefold().split()
    return bool(first) and first[0].strip(".,!→") in verbs()


def side_roads(piece: Piece) -> list[Link]:
    """Links inside the text that lead off the page, and not to where the action leads."""
    offered = {offer.line for offer in piece.offers}
    goals = {offer.action.url for offer in piece.offers}
    links = (link for link in piece.page.links if link.kind != "image" and not link.url.startswith("#"))
    return [
        link for link in links if link.line not in offered and link.url not in goals and link.line < piece.meta_line
    ]


def one_action(piece: Piece) -> list[Found]:
    """One action under one name; a link off the page is a second thing to do."""
    labels = list(dict.fromkeys(fold(offer.label) for offer in piece.offers))
    roads = side_roads(piece)
    ways = len(labels) + len({link.url for link in roads})
    found = list[Found]()
    if len(labels) > 1:
        shown = listed(offer.label for offer in piece.offers)
        problem = f"{len(labels)} calls to action compete for one visitor, an attention ratio of {ways} to 1: {shown}"
        severity: Severity = "high" if len(labels) > 2 else "medium"
        found.append(Found("one-action", severity, problem, "Keep one action and give it the same name each time."))
    if roads and piece.kind == WEBSITE:
        where = listed(link.text or link.url for link in roads)
        problem = f"Side roads lead away before the visitor has acted, {len(roads)} in all: {where}"
        found.append(Found("one-action", "medium", problem, "Say it on the page, or take the link out."))
    return found


def clear(piece: Piece) -> list[Found]:
    """A label begins with a verb and names the outcome."""
    return list(_unclear(piece))


def _unclear(piece: Piece) -> Iterator[Found]:
    for label in dict.fromkeys(offer.label for offer in piece.offers):
        if is_vague(label):
            problem = f"The button {quoted(label)} says what to press and not what the reader gets for it"
            yield Found("action-clear", "high", problem, "Name the outcome after a verb: “See my first plan”.")
        elif not begins_with_verb(label):
            problem = f"The call to action {quoted(label)} does not begin with something the reader can do"
            yield Found("action-clear", "medium", problem, "Begin the label with a verb.")
        elif count(label) > MOST_LABEL_WORDS:
            problem = f"The label {quoted(label)} is {count(label)} words long, too much to be read as one step"
            yield Found("action-clear", "low", problem, f"Shorten it to at most {MOST_LABEL_WORDS} words.")


def placed(piece: Piece) -> list[Found]:
    """A page asks at its top and at its end; an article at its end; a post once."""
    lines = [offer.line for offer in piece.offers]
    if not lines:
        problem = f"A reader who is convinced finds nothing to do: this {piece.kind} has no call to action at all"
        return [Found("action-placed", "high", problem, "Add the one action, as a paragraph of its own.")]
    if piece.kind == POST:
        return []
    found = list[Found]()
    second = next((part.heading.line for part in piece.parts if part.heading), piece.page.line_count + 1)
    if piece.kind == WEBSITE and min(lines) > second:
        problem = "The first screen leaves a visitor who is ready without a button: the hero has no action in it"
        found.append(Found("action-placed", "high", problem, "Repeat the action under the opening."))
    if not any(line >= _ending(piece) for line in lines):
        problem = "The text ends without asking for anything, the last call to action stands far above its close"
        found.append(Found("action-placed", "medium", problem, "Close with the same action."))
    return found


def _ending(piece: Piece) -> int:
    """Where the end begins: the last two sections, so that questions may follow the last call."""
    begins = [part.heading.line for part in piece.body if part.heading]
    return begins[-2] if len(begins) > 1 else 1


def price(piece: Piece) -> list[Found]:
    """What it costs stands on the page when the positioning has a price."""
    lines = piece.foundation.said("Price")
    amounts = {amount for line in lines for amount in _amounts(line)}
    there = {amount for block in piece.prose for amount in _amounts(block.visible)}
    if amounts & there or (not amounts and covered(lines[0], piece.all_words) >= ENOUGH):
        return []
    problem = f"What it costs stays hidden until after the click, although the price is known: {quoted(lines[0])}"
    return [Found("price", "medium", problem, "State the price where the reader decides, in the questions at least.")]


def _amounts(text: str) -> set[str]:
    return {re.sub(r"\D", "", found) for found in _MONEY.findall(text)}


def _offers(piece: Piece) -> bool:
    return bool(piece.offers)


RULES: Final = (
    Rule(
        "one-action", "one action under one name", "attention ratio action links choices offers goal focus", one_action
    ),
    Rule(
        "action-clear", "calls to action name what one gets", "call action button value outcome click", clear, _offers
    ),
    Rule("action-placed", "action at the top and at the end", "call action hero ending structure order", placed),
    Rule(
        "price",
        "price stated",
        "price cost pricing plan fee budget packaging uncertainty",
        price,
        lambda p: p.kind == WEBSITE and bool(p.foundation.said("Price")),
    ),
)
