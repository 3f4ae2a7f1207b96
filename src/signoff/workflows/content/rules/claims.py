"""Is there a reason to believe it: praise with a figure beside it, figures that the material has, with their source.

Whether a figure is true is not judged; only whether it stands in the documents, or the idea, that the critic was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from signoff.artifacts import numbers
from signoff.workflows.content.rules.foundation import Proof
from signoff.workflows.content.rules.lexicon import fold, lexicon
from signoff.workflows.content.rules.piece import Found, Piece, Rule, Said, listed, quoted, visible
from signoff.workflows.wording import covered

ENOUGH: Final = 0.5
"""How much of a source's words must stand beside its number."""
MOST_SENTENCES: Final = 2_000

_CITED: Final = re.compile(
    r"\b(?:according to|source|survey|study|report|measured|median|benchmark|audit)\b|\(\s?[^()]{6,120}\)",
    re.IGNORECASE,
)


def superlatives(piece: Piece) -> list[Found]:
    """Praise needs a figure in the same sentence."""
    return [
        Found(
            "superlatives",
            severity,
            f"Praise without any proof, {listed(map(fold, found))}, asks to be believed: {quoted(text)}",
            "Put the figure that carries it beside it, or take the praise out.",
        )
        for text, severity in visible(piece)
        if (found := lexicon("superlative").found(text)) and not numbers.with_units(text)
    ]


def unknown_numbers(piece: Piece) -> list[Found]:
    """A number with a unit stands in the material. Without the idea nobody knows all of it: then it weighs little."""
    return list(_unknown(piece))


def _unknown(piece: Piece) -> Iterator[Found]:
    knows_all = piece.foundation.has("idea")
    for text in _statements(piece):
        lost = numbers.missing(text, piece.foundation.evidence)
        if lost and (knows_all or not _CITED.search(text)):
            yield Found(
                "unknown-numbers",
                "high" if knows_all else "low",
                f"Figures from nowhere, {listed(each.text for each in lost)}, are in no document: {quoted(text)}",
                "Use a figure of the positioning or of the idea, with its condition, or none.",
            )


def _statements(piece: Piece) -> list[str]:
    return list(dict.fromkeys([piece.headline, *(said.text for said in piece.said)]))[:MOST_SENTENCES]


def proof_beside(piece: Piece) -> list[Found]:
    """Where a sentence states a proven number, the source of that number stands in the same paragraph."""
    return [
        Found(
            "proof-beside",
            "medium",
            f"A figure stands without the source that the material names for it: {quoted(said.text)}",
            f"Say beside it where it comes from: {proof.source}.",
        )
        for said, proof in unsourced(piece)
    ]


def unsourced(piece: Piece) -> list[tuple[Said, Proof]]:
    """The sentences that state a number of a proof and not its source, with that proof."""
    proofs = [(proof, _values(proof.claim)) for proof in piece.foundation.proof if proof.source]
    found = list[tuple[Said, Proof]]()
    for said in piece.said[:MOST_SENTENCES]:
        stated = _values(said.text) if proofs else frozenset()
        of = next((proof for proof, values in proofs if values & stated and _same_matter(proof, said.text)), None)
        if of and covered(of.source, said.block) < ENOUGH:
            found.append((said, of))
    return found


def _same_matter(proof: Proof, text: str) -> bool:
    return covered(proof.claim, text) >= ENOUGH or covered(text, proof.claim) >= ENOUGH


def _values(text: str) -> frozenset[Decimal]:
    return frozenset(found.value for found in numbers.quantities(text))


RULES: Final = (
    Rule(
        "superlatives",
        "no praise without proof",
        "claims superlatives proof generic believe evidence breathless",
        superlatives,
        lambda p: p.is_english,
    ),
    Rule(
        "unknown-numbers",
        "figures from the material",
        "facts figures numbers truth evidence sources claims proof",
        unknown_numbers,
        lambda p: p.foundation.has("positioning") or p.foundation.has("idea"),
    ),
    Rule(
        "proof-beside",
        "proof beside its claim",
        "proof evidence trust reason believe sources claims figures",
        proof_beside,
        lambda p: any(proof.source for proof in p.foundation.proof),
    ),
)
