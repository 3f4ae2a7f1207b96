"""Words that change what a claim says beside its numbers: opposites, plans, absolutes, quantifiers, bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Piece
from signoff.evidence.matches import alike, clauses_with_numbers, finding, near, quoted


def word_changes(claim: Piece, piece: Piece) -> Iterator[Finding]:
    if opposite := wording.opposed(claim.text, f"{piece.context} {piece.text}"):
        yield finding(
            "wording.opposite",
            f"the claim says {opposite[0]!r}, the source {opposite[1]!r} ({quoted(piece)})",
            "use the word of the source",
        )
    planned = wording.modality(clauses_with_numbers(claim, piece)) - wording.modality(claim.text)
    if _TO_COME.search(claim.text) or wording.negations(claim.text).cues:
        planned -= {"planned"}
    if planned:
        problem = (
            "the source speaks of a plan or target" if "planned" in planned else "the source speaks of another product"
        )
        yield finding(
            "wording.condition", f"{problem} ({quoted(piece)}); the claim does not say so", "say it as the source does"
        )
    yield from _absolutes(claim, piece)
    if not alike(claim, piece):
        return
    ours, theirs = ({cue[0]: cue[1] for cue in wording.quantifiers(each.text)} for each in (claim, piece))
    for group in sorted(ours.keys() - theirs.keys()):
        others = sorted(theirs.keys() - ours.keys())
        if others:
            yield finding(
                "wording.quantifier",
                f"the claim says {ours[group]!r}, the source {theirs[others[0]]!r} ({quoted(piece)})",
                "use the word of the source",
            )
            return
    if not near(claim, piece):
        return
    for group in ("all", "only"):
        if group in ours and not theirs and not _excepts(claim, piece):
            yield finding(
                "wording.quantifier",
                f"the claim says {ours[group]!r}, the source does not ({quoted(piece)})",
                "use the words of the source",
            )
            return
    yield from _bounds(claim, piece)


def _excepts(claim: Piece, piece: Piece) -> bool:
    """Whether a negation or exception may say what `all` or `only` says: nothing but, except, not any."""
    negated = wording.negations(claim.text).cues or wording.negations(piece.text).cues
    return bool(negated) or _EXCEPTING.search(piece.text) is not None


_EXCEPTING: Final = re.compile(r"\b(?:except|but|just|whole|sole|rest|one of)\b|除", re.IGNORECASE)
_TO_COME: Final = re.compile(
    r"\b(?:will|due|to (?:follow|come|be)|expected|next|owner|owned|responsible|not yet)\b|将|待|负责", re.IGNORECASE
)


def frequencies(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """Daily is not hourly: in any two languages."""
    ours = wording.frequencies(claim.text)
    theirs = wording.frequencies(f"{piece.context} {piece.text}") if ours and not piece.table else {}
    if ours and theirs and ours.keys().isdisjoint(theirs):
        (said, *_), (stated, *_) = ours.values(), theirs.values()
        problem = f"the claim says {said!r}, the source {stated!r} ({quoted(piece)})"
        yield finding("wording.frequency", problem, "say how often as the source does")


def _absolutes(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """A promise without exception needs a source that makes it."""
    said = wording.absolutes(claim.text)
    weak = ("all", "any", "所有", "任何", "全部", "zero", "impossible")
    new = [word for word in said if word.lower() not in weak]
    if (
        new
        and not wording.absolutes(f"{piece.context} {piece.text}")
        and not wording.negations(piece.text).cues
        and not _hundred(piece)
    ):
        yield finding(
            "absolute.unsupported",
            f"the claim says {new[0]!r}, the source does not ({quoted(piece)})",
            "say what the source says, with its conditions",
        )


def _hundred(piece: Piece) -> bool:
    return any(one.unit == "%" and one.value == 100 for one in piece.quantities)


_STRONG: Final = frozenset(
    (
        "at least",
        "at most",
        "up to",
        "maximum",
        "minimum",
        "max",
        "min",
        "no more than",
        "no less than",
        "average",
        "最大",
        "最小",
        "最多",
        "最少",
        "至少",
        "至多",
        "平均",
    )
)


def _bounds(claim: Piece, piece: Piece) -> Iterator[Finding]:
    ours, theirs = (
        [cue for cue in wording.bounds(claim.text) if cue[1].lower() in _STRONG],
        wording.bounds(f"{piece.context} {piece.text}"),
    )
    counts = {
        group: (sum(cue[0] == group for cue in ours), sum(cue[0] == group for cue in theirs))
        for group in ("upper", "lower", "average")
    }
    every = [[cue[0] for cue in wording.bounds(each.text)] for each in (claim, piece)]
    for group, opposite in (("upper", "lower"), ("lower", "upper")):
        more = every[0].count(group) > every[1].count(group)
        if more and every[0].count(opposite) < every[1].count(opposite):
            phrases = [
                next(cue[1] for cue in wording.bounds(each.text) if cue[0] == side)
                for each, side in ((claim, group), (piece, opposite))
            ]
            problem = f"the claim says {phrases[0]!r}, the source {phrases[1]!r} ({quoted(piece)})"
            yield finding("bound.changed", problem, "say the bound that the source states")
            return
    for group, (said, stated) in counts.items():
        if said > stated and (not stated or any(more > less for less, more in counts.values())):
            phrase = next(cue[1] for cue in ours if cue[0] == group)
            yield finding(
                "bound.changed",
                f"the claim says {phrase!r} where {quoted(piece)} does not",
                "say the bound that the source states",
            )
            return
