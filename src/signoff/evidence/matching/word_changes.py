"""Words that change what a claim says beside its numbers: opposites, plans, absolutes, quantifiers, bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Piece
from signoff.evidence.matching.matches import alike, clauses_with_numbers, finding, near, quoted
from signoff.evidence.words import stems


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
    if _share_denies(ours, claim, piece):
        said = ours.get("all") or ours["most"]
        problem = f"the claim says {said!r}, the source gives another share ({quoted(piece)})"
        yield finding("wording.quantifier", problem, "give the share that the source gives")
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


_SHARES: Final = frozenset(["all", "most", "majority", "both", "whole", "全部", "所有", "大多数", "大部分", "多数"])


def _share_denies(said: dict[str, str], claim: Piece, piece: Piece) -> bool:
    """All or most, of what the source gives a smaller share of, or takes something out of."""
    if "all" in said and wording.negations(piece.text).exceptions and not wording.negations(claim.text).exceptions:
        return not wording.quantifiers(piece.text)
    word = next((said[group].lower() for group in ("all", "most") if group in said), "")
    if word not in _SHARES or {"all", "most"} & {cue[0] for cue in wording.quantifiers(piece.text)}:
        return False
    if any(one.unit == "%" for one in claim.quantities):
        return False
    least = 100 if "all" in said else 50
    shares = [one.value for one in piece.quantities if one.unit == "%" and not one.weak]
    return bool(shares) and all(share < least for share in shares)


def _excepts(claim: Piece, piece: Piece) -> bool:
    """Whether a negation or exception may say what `all` or `only` says: nothing but, except, not any."""
    negated = wording.negations(claim.text).cues or wording.negations(piece.text).cues
    return bool(negated) or _EXCEPTING.search(piece.text) is not None


_EXCEPTING: Final = re.compile(r"\b(?:except|but|just|whole|sole|rest|one of)\b|除", re.IGNORECASE)
_TO_COME: Final = re.compile(
    r"\b(?:will|due|to (?:follow|come|be)|expected|next|owner|owned|responsible|not yet)\b|将|待|负责", re.IGNORECASE
)


def across_languages(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """What can be compared between two languages: absolutes, and all against most or some."""
    yield from _absolutes(claim, piece)
    ours, theirs = ({cue[0]: cue[1] for cue in wording.quantifiers(each.text)} for each in (claim, piece))
    for group, others in (("all", ("most", "some", "few")), ("most", ("all",)), ("some", ("all",))):
        other = next((each for each in others if each in theirs), None)
        if group in ours and group not in theirs and other and other not in ours:
            problem = f"the claim says {ours[group]!r}, the source {theirs[other]!r} ({quoted(piece)})"
            yield finding("wording.quantifier", problem, "say how many as the source does")
            return


def frequencies(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """Daily is not hourly: in any two languages."""
    ours = wording.frequencies(claim.text)
    theirs = wording.frequencies(f"{piece.context} {piece.text}") if ours and not piece.table else {}
    if ours and theirs and ours.keys().isdisjoint(theirs):
        (said, *_), (stated, *_) = ours.values(), theirs.values()
        problem = f"the claim says {said!r}, the source {stated!r} ({quoted(piece)})"
        yield finding("wording.frequency", problem, "say how often as the source does")


_WEAK: Final = frozenset(("all", "any", "所有", "任何", "全部", "zero"))
_NEGATIVE: Final = frozenset(
    ("never", "without exception", "impossible", "绝不", "决不", "永不", "从不", "zero", "任何")
)


def promises(text: str) -> list[str]:
    """The words of a text that promise something without exception."""
    return [word for word in wording.absolutes(text) if word.lower() not in _WEAK]


def _absolutes(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """A promise without exception needs a source that makes it."""
    said = promises(claim.text)
    if not said or _hundred(piece):
        return
    promised = promises(f"{piece.context} {piece.text}")
    denied = bool(wording.negations(piece.text).cues or wording.negations(piece.text).soft)
    new = [word for word in said if not (denied and word.lower() in _NEGATIVE and _told_of(word, claim, piece))]
    if new and not promised:
        yield finding(
            "absolute.unsupported",
            f"the claim says {new[0]!r}, the source does not ({quoted(piece)})",
            "say what the source says, with its conditions",
        )


def _told_of(word: str, claim: Piece, piece: Piece) -> bool:
    """Whether the source speaks of what the claim says never happens."""
    behind = claim.text[claim.text.find(word) + len(word) :]
    scope = stems(re.split("[,;，；。]", behind)[0])
    return not scope or bool(scope & piece.stems)


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


_RANGE: Final = re.compile(r"\d\D{0,8}?\s?(?:~|-|\bto\b|至|到)\s?\d")


def _bounds(claim: Piece, piece: Piece) -> Iterator[Finding]:
    ours, theirs = (
        [cue for cue in wording.bounds(claim.text) if cue[1].lower() in _STRONG],
        wording.bounds(f"{piece.context} {piece.text}"),
    )
    counts = {
        group: (sum(cue[0] == group for cue in ours), sum(cue[0] == group for cue in theirs))
        for group in ("upper", "lower", "average")
    }
    if _RANGE.search(piece.text):
        return
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
