"""Do two versions of a text say the same? Two languages of a page, or a page before and after.

Blocks (headings, paragraphs, list items, table rows) are paired in order, by their kind and by the numbers and Latin
names that they share. In each pair numbers, bounds and polarity are compared; a block without a partner is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence import wording
from signoff.evidence.documents import Piece, read
from signoff.evidence.matching.matches import key
from signoff.evidence.quantities.agreement import agrees
from signoff.evidence.quantities.reading import Quantity
from signoff.evidence.shared_words import sentences
from signoff.evidence.words import is_chinese, words

MAX_PAIRS: Final = 4_000_000
"""How many pairs of blocks are weighed at most; longer texts are paired within their sections."""


@dataclass(eq=False)
class Block:
    """A heading, a paragraph, a list item, a table row: what a translator takes as one."""

    kind: str
    piece: Piece

    @cached_property
    def keys(self) -> frozenset[object]:
        return frozenset(key(one) for one in self.piece.quantities if not one.weak)

    @cached_property
    def latin(self) -> frozenset[str]:
        return frozenset(word.lower for word in words(self.piece.text) if len(word.text) > 1 and word.text[0].isupper())


def drift(a: str, b: str) -> list[Finding]:
    """What one text says and the other does not; empty if they agree. Lines are those of `b`, else of `a`."""
    first, second = blocks(a), blocks(b)
    across = _chinese(first) != _chinese(second)
    findings: list[Finding] = []
    pairs = paired(first, second)
    spare = _Spare(pairs, across)
    for left, right in pairs:
        if left and right:
            findings += _differences(left.piece, right.piece, across, spare)
        else:
            findings += _missing(left, right, spare)
    return findings


def blocks(text: str) -> list[Block]:
    """The blocks of a text in order; headings keep their level, sentences of one paragraph stay together."""
    found: list[Block] = []
    for (line, kind, context), pieces in groupby(
        read(text).pieces, key=lambda piece: (piece.line, piece.kind, piece.context)
    ):
        listed = list(pieces)
        if kind == "column":
            continue
        joined = listed[0].text if len(listed) == 1 else " ".join(piece.text for piece in listed)
        found.append(Block(kind, Piece(joined, line, context, kind, listed[0].cells)))
    return found


def _chinese(listed: Sequence[Block]) -> bool:
    return sum(is_chinese(block.piece.text) for block in listed) * 2 > len(listed)


# --- pairing ------------------------------------------------------------------------------------------------------

_GAP: Final = -0.6


def paired(first: Sequence[Block], second: Sequence[Block]) -> list[tuple[Block | None, Block | None]]:
    """The best pairing in order: blocks of one kind with the same numbers and names belong together."""
    if len(first) * len(second) > MAX_PAIRS or len(first) + len(second) > 400:
        return _by_section(first, second)
    rows, columns = len(first), len(second)
    score = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        score[row][columns] = score[row + 1][columns] + _GAP
    for column in range(columns - 1, -1, -1):
        score[rows][column] = score[rows][column + 1] + _GAP
    likeness = [[_likeness(one, other) for other in second] for one in first]
    for row in range(rows - 1, -1, -1):
        below, here = score[row + 1], score[row]
        for column in range(columns - 1, -1, -1):
            here[column] = max(likeness[row][column] + below[column + 1], below[column] + _GAP, here[column + 1] + _GAP)
    return list(_path(first, second, score, likeness))


def _path(
    first: Sequence[Block], second: Sequence[Block], score: list[list[float]], likeness: list[list[float]]
) -> Iterator[tuple[Block | None, Block | None]]:
    row = column = 0
    while row < len(first) or column < len(second):
        both = row < len(first) and column < len(second)
        if both and score[row][column] == likeness[row][column] + score[row + 1][column + 1]:
            yield first[row], second[column]
            row, column = row + 1, column + 1
        elif row < len(first) and score[row][column] == score[row + 1][column] + _GAP:
            yield first[row], None
            row += 1
        else:
            yield None, second[column]
            column += 1


def _likeness(one: Block, other: Block) -> float:
    if (one.kind == "heading") != (other.kind == "heading") or (one.kind in ("row", "headers")) != (
        other.kind in ("row", "headers")
    ):
        return -5.0
    alike = 1.0 if one.kind == other.kind else 0.1
    union = one.keys | other.keys
    if union:
        alike += 2.0 * len(one.keys & other.keys) / len(union) - 0.6
    names = one.latin | other.latin
    if names:
        alike += len(one.latin & other.latin) / len(names)
    longer, shorter = max(len(one.piece.text), len(other.piece.text)), min(len(one.piece.text), len(other.piece.text))
    return alike - (0.4 if longer > 8 * max(1, shorter) else 0.0)


def _by_section(first: Sequence[Block], second: Sequence[Block]) -> list[tuple[Block | None, Block | None]]:
    """Long pages: headings first, then what stands between two headings that belong together."""
    heads, others = ([block for block in listed if block.kind == "heading"] for listed in (first, second))
    if not heads or not others or len(heads) + len(others) > 400:
        return [
            *zip(first, second, strict=False),
            *((block, None) for block in first[len(second) :]),
            *((None, block) for block in second[len(first) :]),
        ]
    result: list[tuple[Block | None, Block | None]] = []
    at = to = 0
    for left, right in [*paired(heads, others), (None, None)]:
        if left is None and right is None:
            stop, end = len(first), len(second)
        elif left is None or right is None:
            continue
        else:
            stop, end = first.index(left), second.index(right)
        if 0 < stop - at + end - to <= 400:
            result += paired(first[at:stop], second[to:end])
        else:
            result += zip(first[at:stop], second[to:end], strict=False)
        if left is not None and right is not None:
            result.append((left, right))
            at, to = stop + 1, end + 1
    return result


# --- comparing ----------------------------------------------------------------------------------------------------


class _Spare:
    """Numbers that another block of the other text states and its own partner does not: a sentence that has moved."""

    def __init__(self, pairs: Sequence[tuple[Block | None, Block | None]], across: bool) -> None:
        self.left: list[tuple[Quantity, Piece]] = []
        self.right: list[tuple[Quantity, Piece]] = []
        for one, other in pairs:
            mine, theirs = one.piece if one else None, other.piece if other else None
            self.left += (
                [(each, mine) for each in mine.quantities if not theirs or not _there(each, mine, theirs, across)]
                if mine
                else []
            )
            self.right += (
                [(each, theirs) for each in theirs.quantities if not mine or not _there(each, theirs, mine, across)]
                if theirs
                else []
            )
        self.across = across
        turned = any(right and is_chinese(right.piece.text) for _, right in pairs)
        latin = [left if turned else right for left, right in pairs]
        self.latin = frozenset(word.lower for block in latin if block for word in words(block.piece.text))
        """All Latin words of the text that is not Chinese."""

    def moved(self, one: Quantity, piece: Piece, among: list[tuple[Quantity, Piece]]) -> bool:
        return any(agrees(one, other, piece, place, self.across) for other, place in among)


def _there(one: Quantity, piece: Piece, other: Piece, across: bool) -> bool:
    return any(
        agrees(one, each, piece, other, across) or agrees(each, one, other, piece, across) for each in other.quantities
    )


def _differences(left: Piece, right: Piece, across: bool, spare: _Spare) -> Iterator[Finding]:
    yield from _numbers(left, right, across, spare, spare.right, "the second text does not state it")
    yield from _numbers(right, left, across, spare, spare.left, "the first text does not state it")
    yield from _sides(left, right, across)
    yield from _polarity(left, right, across)
    if not across and (opposite := wording.opposed(left.text, right.text)):
        yield _finding("drift.opposite", f"one says {opposite[0]!r}, the other {opposite[1]!r}", left, right)
    yield from _names(left, right, across, spare)


def _numbers(
    here: Piece, there: Piece, across: bool, spare: _Spare, others: list[tuple[Quantity, Piece]], problem: str
) -> Iterator[Finding]:
    for one in here.quantities:
        if one.weak or one.kind == "url" or _there(one, here, there, across) or spare.moved(one, here, others):
            continue
        if _idle(one, across) or _spoken(one, there):
            continue
        rule = "drift.code" if one.kind == "code" else "drift.number"
        yield _finding(rule, f"{one.text!r}: {problem}", here, there)


def _idle(one: Quantity, across: bool) -> bool:
    """Small numbers in words, which translators add and leave out: "the two tables" is 这些表."""
    in_words = not any(map(str.isdigit, one.text))
    small = one.value <= 10 and not one.measured
    idle = across and in_words and (small or one.unit == "×")
    return one.kind == "vague" or (one.kind == "ordinal" and one.value < 4) or idle


_SPOKEN: Final = {
    "2": "both pair double dual twice couple 双 两 倍",
    "1": "single one 单 一 首",
    "0": "no none zero without 零 无 没有 不",
}


_PERIODS: Final = {
    "second": "s",
    "minute": "s",
    "hour": "s",
    "day": "s",
    "week": "s",
    "month": "month",
    "year": "month",
}


def _spoken(one: Quantity, there: Piece) -> bool:
    if one.measured and one.text[:1] in "一aAoO1" and one.unit in map(_PERIODS.get, wording.frequencies(there.text)):
        return True  # once a year: 每年
    said = _SPOKEN.get(
        str(one.value.normalize()) if one.kind == "number" and not one.measured and not one.text[:1].isdigit() else "",
        "",
    )
    lower = there.text.lower()
    return any(word in lower for word in said.split())


def _sides(left: Piece, right: Piece, across: bool) -> Iterator[Finding]:
    for one in left.quantities:
        partners = [each for each in right.quantities if agrees(one, each, left, right, across)]
        if one.kind != "number" or len(partners) != 1:
            continue
        ours, theirs = wording.side(left.text, one), wording.side(right.text, partners[0])
        if {ours[0], theirs[0]} == {"upper", "lower"}:
            yield _finding("drift.bound", f"one says {ours[1]!r} of {one.text!r}, the other {theirs[1]!r}", left, right)


_CLAUSES: Final = re.compile(r"[,;，；。！？!?]|\.\s|: ")


def _polarity(left: Piece, right: Piece, across: bool) -> Iterator[Finding]:
    """Sentence by sentence if both have as many; else the blocks as they are."""
    pairs = [sentences(left.text), sentences(right.text)]
    if len(pairs[0]) == len(pairs[1]) > 1:
        for one, other in zip(*pairs, strict=True):
            yield from _turned(Piece(one, left.line), Piece(other, right.line), across)
    else:
        yield from _turned(left, right, across)


def _turned(left: Piece, right: Piece, across: bool) -> Iterator[Finding]:
    """Long sentences are turned too often on the way from one language to another: only short ones can be compared."""
    ours, theirs = wording.negations(left.text), wording.negations(right.text)
    if bool(ours.cues) == bool(theirs.cues):
        return
    if across and any(len(_CLAUSES.findall(piece.text.rstrip(".。!！"))) > 1 for piece in (left, right)):
        return
    negated, plain = (ours, theirs) if ours.cues else (theirs, ours)
    if across and plain.in_a_word:
        return  # `undefined` may be what the other language says with a negation
    if not plain.softened(negated):
        yield _finding(
            "drift.polarity", f"one says {negated.cues[0][0]!r}, the other says it without a negation", left, right
        )


def _names(left: Piece, right: Piece, across: bool, spare: _Spare) -> Iterator[Finding]:
    """Names in Latin letters that a Chinese text keeps must stand in the other text too."""
    if not across or len(right.text) > 240:
        return
    chinese, other = (left, right) if is_chinese(left.text) else (right, left)
    known = {word.lower for word in words(other.text)} | {word.stem for word in words(other.text)}
    squeezed = other.text.casefold().replace(" ", "").replace("-", "")
    for word in words(chinese.text):
        if (
            word.text[0].isascii()
            and word.text[0].isupper()
            and len(word.text) > 3
            and word.lower not in spare.latin
            and word.lower not in known
            and word.stem not in known
            and word.lower.replace("-", "") not in squeezed
        ):
            yield _finding("drift.name", f"{word.text!r} stands in one text only", chinese, other)
            return


def _missing(left: Block | None, right: Block | None, spare: _Spare) -> Iterator[Finding]:
    block = left or right
    if block is None or block.kind in ("code", "footnote"):
        return
    which = "second" if left else "first"
    problem = f"the {which} text has no counterpart of {block.piece.text[:80]!r}"
    if block.kind == "heading":
        yield _finding("drift.heading", problem, block.piece, block.piece)
    elif block.kind == "item":
        yield _finding("drift.item", problem, block.piece, block.piece)
    elif block.kind == "row":
        yield _finding("drift.row", problem, block.piece, block.piece)
    if block.kind in ("heading", "item", "row"):
        return
    others = spare.right if left else spare.left
    for one in block.piece.quantities:
        if not one.weak and one.kind != "url" and not spare.moved(one, block.piece, others):
            rule = "drift.code" if one.kind == "code" else "drift.number"
            yield _finding(rule, f"{one.text!r}: the {which} text does not state it", block.piece, block.piece)


def _finding(rule: str, problem: str, here: Piece, there: Piece) -> Finding:
    del there
    return Finding(
        rule=rule,
        problem=f"{problem} (line {here.line}: {here.text[:120]!r})",
        repair="make both texts say the same",
        line=here.line,
    )
