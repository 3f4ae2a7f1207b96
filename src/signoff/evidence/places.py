"""A claim against chosen places: some pieces of a source, or several places that each show a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from signoff.core.findings import Finding
from signoff.evidence import support
from signoff.evidence.canonical import disguises, visible
from signoff.evidence.documents import Document, Piece
from signoff.evidence.matching.matches import key
from signoff.evidence.quantities.agreement import agrees
from signoff.evidence.quantities.reading import Quantity
from signoff.evidence.shared_words import sentences
from signoff.evidence.wording import negations
from signoff.evidence.words import is_chinese, stems


def unsupported_at(claim: str, place: Document) -> list[Finding]:
    """What of the claim these pieces do not state, or contradict."""
    findings = list(disguises(claim))
    for sentence in sentences(visible(claim)):
        lacking = support.unsupported_by(sentence, place)
        findings += [each for each in lacking if not _negated_next_to(each, sentence, place)]
    return findings


def _negated_next_to(found: Finding, sentence: str, place: Document) -> bool:
    """The claim negates something, and so does another sentence of the same place."""
    if found.rule != "polarity.changed" or not negations(sentence).cues:
        return False
    across = is_chinese(sentence) != any(is_chinese(piece.text) for piece in place.pieces)
    scope = frozenset[str]().union(*(scope for _, scope in negations(sentence).cues))
    return any(
        across or scope & (cue_scope | stems(piece.text))
        for piece in place.pieces
        for _, cue_scope in negations(piece.text).cues
    )


def unsupported_at_all(claim: str, places: Sequence[Document]) -> list[Finding]:
    """What none of several places bears out: each may show a part of the claim."""
    first, *others = [unsupported_at(claim, place) for place in places] or [[]]
    if not all((first, *others)):
        return []  # one of them shows all of it
    known = [{_same(each) for each in other} for other in others]
    return [each for each in first if all(_same(each) in there for there in known)]


def _same(found: Finding) -> tuple[str, str]:
    """What a finding is about: its rule and the words that it quotes first."""
    quoted = re.search(r"'([^']*)'", found.problem)
    return found.rule, quoted[1] if quoted else ""


def unstated(text: str, by: Iterable[str]) -> list[Quantity]:
    """The numbers, dates and codes of a text that none of these texts states, each once; words play no part."""
    claim = Piece(visible(text))
    there = [Piece(visible(other)) for other in by]
    across = any(is_chinese(piece.text) != is_chinese(claim.text) for piece in there)
    lost: dict[object, Quantity] = {}
    for one in claim.quantities:
        idle = one.weak or one.kind == "url"
        if not idle and not any(
            agrees(one, each, claim, piece, across) for piece in there for each in piece.quantities
        ):
            lost.setdefault(key(one), one)
    return list(lost.values())
