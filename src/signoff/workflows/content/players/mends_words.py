"""How the author mends words and sentences: each function gives texts that may be better, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from signoff.artifacts import numbers
from signoff.workflows.content.players.compose import Subject
from signoff.workflows.content.players.edits import capitalised, in_blocks, in_prose, reworded
from signoff.workflows.content.rules.claims import unsourced
from signoff.workflows.content.rules.lexicon import Lexicon, compiled, lexicon
from signoff.workflows.content.rules.load import MOST_IN_PARAGRAPH
from signoff.workflows.content.rules.piece import Piece, count, listed
from signoff.workflows.content.rules.reading import LONG
from signoff.workflows.content.rules.wording import avoided_of, jargon_of
from signoff.workflows.wording import sentences

LEAST: Final = 5
"""The fewest words that a sentence keeps when a longer one is cut."""
EASY_LENGTH: Final = 16

_JOINT: Final = re.compile(r"; (?:and |but |so )?|, (?:and|but|or|so|then|yet) | — (?:and |but |so )?|: ")
_HANGING: Final = re.compile(r"(?:that|which|who|whose|whom|to|of|with|by|than|nor)\b", re.IGNORECASE)
_SELF: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(rf"\b{found}\b"), instead)
    for found, instead in (
        (r"We (?:offer|provide|give) (?:you )?(?=a|the|every|all|\w+s\b)", "You get "),
        (r"we (?:offer|provide|give) (?:you )?(?=a|the|every|all|\w+s\b)", "you get "),
        (r"Our (?:customers|users|clients)", "You"),
        (r"our (?:customers|users|clients)", "you"),
        (r"We (?:believe|think|know) that (?=\w)", ""),
        (r"Our(?= [a-z])", "The"),
        (r"our(?= [a-z])", "the"),
    )
)
_ALTERNATIVE: Final = re.compile(r"\s*(?:,|;|/|\bor\b|\()")


@dataclass(frozen=True, slots=True)
class Mended:
    """A text, and what was done to it."""

    text: str
    how: str


def _said_otherwise(piece: Piece, words: Lexicon, what: str) -> Iterator[Mended]:
    found = words.found(" ".join([piece.headline, piece.all_words, *(heading.text for heading in piece.page.headings)]))
    named = listed(word.casefold() for word in found)
    yield Mended(in_prose(piece, lambda line: reworded(line, words)), what.format(named or "the words"))


def jargon(piece: Piece, _: Subject) -> Iterator[Mended]:
    yield from _said_otherwise(piece, jargon_of(piece.foundation), "Said plainly what was jargon: {}.")


def avoided_words(piece: Piece, _: Subject) -> Iterator[Mended]:
    """A word with its replacement; an advice that is longer than a few words is no replacement."""
    rows = {
        word: _ALTERNATIVE.split(instead)[0].strip("\"'“”")
        for word, instead in avoided_of(piece.foundation).instead.items()
    }
    usable = compiled({word: instead for word, instead in rows.items() if instead and count(instead) <= 4})
    yield from _said_otherwise(piece, usable, "Replaced what the brand voice avoids: {}.")


def filler(piece: Piece, _: Subject) -> Iterator[Mended]:
    yield from _said_otherwise(piece, lexicon("filler"), "Took padding out: {}.")


def superlatives(piece: Piece, _: Subject) -> Iterator[Mended]:
    yield from _said_otherwise(piece, lexicon("superlative"), "Took out praise that nothing here proves: {}.")


# --- sentences --------------------------------------------------------------------------------------------------------


def long_sentences(piece: Piece, _: Subject) -> Iterator[Mended]:
    yield Mended(_cut(piece, LONG), f"Cut sentences of more than {LONG} words where a new thought begins.")


def _cut(piece: Piece, most: int) -> str:
    return in_blocks(piece.text, piece.prose, lambda source: _shortened(source, most))


def _shortened(source: str, most: int) -> str:
    return " ".join(short for long in sentences(source) for short in _halves(long, most))


def _halves(long: str, most: int) -> list[str]:
    """The sentence in as many as it takes, cut at the joint nearest to its middle."""
    if count(long) <= most:
        return [long]
    joints = [found for found in _JOINT.finditer(long) if _fits(long, found)]
    if not joints:
        return [long]
    best = min(joints, key=lambda found: abs(found.start() * 2 - len(long)))
    word = best.group().strip(" ,;—:")
    opening = f"{capitalised(word)} " if word in ("but", "or", "so", "then", "yet") else ""
    rest = long[best.end() :]
    second = opening + rest if opening else capitalised(rest)
    return [*_halves(f"{long[: best.start()].rstrip()}.", most), *_halves(second, most)]


def _fits(long: str, joint: re.Match[str]) -> bool:
    """Whether both sides can stand alone; nothing is cut inside brackets or quotation marks."""
    before, after = long[: joint.start()], long[joint.end() :]
    closed = (
        before.count("(") == before.count(")") and before.count("“") == before.count("”") and before.count('"') % 2 == 0
    )
    alone = not _HANGING.match(after) and min(count(before), count(after)) >= LEAST
    return closed and before.count("[") == before.count("]") and alone


def paragraphs(piece: Piece, _: Subject) -> Iterator[Mended]:
    heavy = [block for block in piece.prose if block.kind == "paragraph" and count(block.visible) > MOST_IN_PARAGRAPH]
    yield Mended(in_blocks(piece.text, heavy, _broken), f"Broke {len(heavy)} heavy paragraphs where the thought turns.")


def _broken(source: str) -> str:
    """The paragraph in pieces of whole sentences, each as full as allowed and about equally so."""
    said = sentences(source)
    pieces = -(-count(source) // MOST_IN_PARAGRAPH)
    most = max(count(source) / pieces, max(map(count, said), default=0))
    groups = list[list[str]]([[]])
    for one in said:
        if groups[-1] and count(" ".join([*groups[-1], one])) > most:
            groups.append([])
        groups[-1].append(one)
    return "\n\n".join(" ".join(group) for group in groups if group)


def reading_ease(piece: Piece, _: Subject) -> Iterator[Mended]:
    """Plainer words, then shorter sentences too."""
    plainer = in_prose(piece, lambda line: reworded(reworded(line, jargon_of(piece.foundation)), lexicon("filler")))
    yield Mended(plainer, "Used plainer words.")
    simple = Piece(plainer, piece.kind, piece.docs)
    yield Mended(_cut(simple, EASY_LENGTH), "Used plainer words and cut long sentences.")


def reader_first(piece: Piece, _: Subject) -> Iterator[Mended]:
    yield Mended(in_prose(piece, _turned), "Turned sentences about us into sentences about the reader.")


def _turned(line: str) -> str:
    for found, instead in _SELF:
        line = found.sub(instead, line)
    return line


# --- claims -----------------------------------------------------------------------------------------------------------


def proof_beside(piece: Piece, _: Subject) -> Iterator[Mended]:
    """Each figure with its source in brackets."""
    wanted = unsourced(piece)

    def sourced(source: str) -> str:
        for said, proof in wanted:
            source = source.replace(said.text, f"{said.text.rstrip(' .')} ({proof.source}).", 1)
        return source

    lines = {said.line for said, _ in wanted}
    text = in_blocks(piece.text, [block for block in piece.prose if block.line in lines], sourced)
    yield Mended(text, f"Said beside the figures where they come from: {listed(proof.source for _, proof in wanted)}.")


def unknown_numbers(piece: Piece, _: Subject) -> Iterator[Mended]:
    """Sentences with a figure that the material does not have go."""
    wrong = {said.text for said in piece.said if numbers.missing(said.text, piece.foundation.evidence)}
    lines = {said.line for said in piece.said if said.text in wrong}

    def kept(source: str) -> str:
        return " ".join(said for said in sentences(source) if said not in wrong)

    text = in_blocks(piece.text, [block for block in piece.prose if block.line in lines], kept)
    yield Mended(text, "Took out figures that the material does not have.")
