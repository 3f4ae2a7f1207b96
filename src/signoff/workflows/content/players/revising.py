"""A revision: each item of the brief that a rule stands behind is mended, and nothing that was right is lost.

An item is known by its description, which a rule made; one in other words belongs to the rule that finds something in
this draft and shares most words with it. A mend is kept only if the fault is gone and no other rule finds more, or
worse, than before; what a mend brings in (a long answer, a word that the voice avoids) is tidied first. So what the
author says it has addressed is gone, and what was clean stays clean. What cannot be mended so is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from signoff.workflows.content.players import mends_shape as shape
from signoff.workflows.content.players import mends_words as words
from signoff.workflows.content.players.compose import Subject
from signoff.workflows.content.players.judging import COST, LINE
from signoff.workflows.content.players.mends_words import Mended
from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.piece import Found, Piece
from signoff.workflows.wording import clipped, content

Mend = Callable[[Piece, Subject], Iterator[Mended]]

MENDS: Final[Mapping[str, Mend]] = {
    "sections": shape.sections,
    "feature-count": shape.feature_count,
    "objections": shape.objections,
    "price": shape.price,
    "headline-length": shape.headline,
    "headline-says": shape.headline,
    "keyword-headline": shape.headline,
    "keyword-opening": shape.keyword_opening,
    "keyword-density": shape.keyword_density,
    "one-action": shape.one_action,
    "action-clear": shape.action_clear,
    "action-placed": shape.action_placed,
    "unknown-numbers": words.unknown_numbers,
    "superlatives": words.superlatives,
    "proof-beside": words.proof_beside,
    "avoided-words": words.avoided_words,
    "jargon": words.jargon,
    "filler": words.filler,
    "reader-first": words.reader_first,
    "long-sentences": words.long_sentences,
    "paragraphs": words.paragraphs,
    "reading-ease": words.reading_ease,
    "meta": shape.meta,
    "post-length": shape.post_length,
    "hashtags": shape.hashtags,
    "heading-order": shape.heading_order,
}
TIDIES: Final = (
    "avoided-words",
    "jargon",
    "filler",
    "superlatives",
    "proof-beside",
    "long-sentences",
    "paragraphs",
    "post-length",
)
MOST_CHARS: Final = 60_000
"""A draft beyond this is left as it is: every change is checked by every rule."""
REPEATS: Final = 6
SHARED: Final = 3

State = Mapping[str, list[Found]]


@dataclass(frozen=True)
class Item:
    """An item of the brief, and the rule behind it."""

    id: str
    description: str
    rule: str
    exact: bool


def looked(piece: Piece) -> State:
    """What every rule finds."""
    return {name: rule(piece) for name, rule in RULES.items()}


def cost(found: Sequence[Found]) -> float:
    return sum(COST[each.severity] for each in found)


def revised(piece: Piece, brief: Sequence[Mapping[str, Any]], subject: Subject) -> tuple[str, list[dict[str, str]]]:
    """The new text, and what was done about each item that is gone."""
    if len(piece.text) > MOST_CHARS:
        return piece.text, []
    state = looked(piece)
    items = [item for given in brief if (item := _item(given, state))]
    done = dict[str, list[str]]()
    for name in dict.fromkeys(item.rule for item in items):
        piece, state, how = _mended(piece, state, name, subject)
        done[name] = how
    return piece.text, list(_addressed(items, state, done))


def _item(given: Mapping[str, Any], state: State) -> Item | None:
    said = str(given.get("description", ""))
    for name, found in state.items():
        if any(clipped(each.description, LINE) == said for each in found):
            return Item(str(given.get("id", "")), said, name, exact=True)
    about = content(f"{said} {given.get('suggestion', '')}")
    shared = {name: len(about & _words(name, found)) for name, found in state.items() if found and name in MENDS}
    best = max(shared, key=lambda name: shared[name], default=None)
    if best is None or shared[best] < SHARED:
        return None
    return Item(str(given.get("id", "")), said, best, exact=False)


def _words(name: str, found: Sequence[Found]) -> frozenset[str]:
    told = " ".join(f"{each.description} {each.suggestion}" for each in found[:3])
    return content(f"{RULES[name].topics} {RULES[name].aspect} {told}")


def _mended(piece: Piece, state: State, name: str, subject: Subject) -> tuple[Piece, State, list[str]]:
    """The best of the texts that are better; again, while one fault after the other goes."""
    how = list[str]()
    for _ in range(REPEATS if name in MENDS and state[name] else 0):
        better = [
            (cost([each for found in after.values() for each in found]), new, after, mended.how)
            for mended in MENDS[name](piece, subject)
            if (made := _tried(piece, state, name, mended, subject))
            for new, after in (made,)
        ]
        if not better:
            break
        _, piece, state, told = min(better, key=lambda each: each[0])
        how.append(told)
        if not state[name]:
            break
    return piece, state, list(dict.fromkeys(how))


def _tried(piece: Piece, state: State, name: str, mended: Mended, subject: Subject) -> tuple[Piece, State] | None:
    """The text with what it brought in tidied; None where it is no better."""
    if not mended.text.strip() or mended.text == piece.text:
        return None
    new = replace(piece, text=mended.text)
    after = looked(new)
    for tidy in TIDIES:
        if tidy != name and cost(after[tidy]) > cost(state[tidy]):
            neat = next(MENDS[tidy](new, subject), None)
            if neat and neat.text.strip():
                new = replace(piece, text=neat.text)
                after = looked(new)
    worse = any(cost(after[other]) > cost(state[other]) for other in RULES if other != name)
    return None if worse or cost(after[name]) >= cost(state[name]) else (new, after)


def _addressed(items: Sequence[Item], state: State, done: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    for item in items:
        left = {clipped(each.description, LINE) for each in state[item.rule]}
        gone = item.description not in left if item.exact else not state[item.rule]
        if gone:
            how = " ".join(done[item.rule]) or "Gone with the other changes."
            yield {"issue": item.id, "how": how}
