"""Many sources as one: an index over all their pieces that finds the few which a statement may rest on.

A source is read once into an `Entry` of plain lists, which can be kept in a cache. The index holds, for each word and
each number, the pieces that have it. `near` makes a small document of the pieces that share most with a statement, with
the weights of words in all sources, and the engine compares the statement with that.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import log
from typing import Final

from signoff.evidence.documents import Document, Piece, read, unaccented
from signoff.evidence.quotations import tokens
from signoff.evidence.words import is_chinese, stems

MOST_PIECES: Final = 28
"""How many pieces a statement is compared with at most, their neighbours aside."""
MOST_READ: Final = 400
"""How many sources are kept read at a time."""
MOST_WHOLE: Final = 64
"""How many sources are kept with an index of their own."""
_COMMON: Final = 4_000
"""A word that more pieces have than this finds no piece by itself; it only weighs those that rarer words found."""
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)*")
_WORD: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index needs of one source: for each piece its stems and numbers, and whether it is Chinese."""

    stems: list[list[str]]
    numbers: list[list[str]]
    han: list[bool]
    words: list[str]

    def plain(self) -> tuple[list[list[str]], list[list[str]], list[bool], list[str]]:
        return self.stems, self.numbers, self.han, self.words


def entry(text: str) -> Entry:
    """One source, read for the index."""
    pieces = read(text).pieces
    words: set[str] = set()
    for piece in pieces:
        words.update(_WORD.findall(unaccented(f"{piece.context} {piece.text}").casefold()))
    return Entry(
        [sorted(piece.around) for piece in pieces],
        [sorted({_plain(found) for found in _NUMBER.findall(piece.text)}) for piece in pieces],
        [is_chinese(piece.text) for piece in pieces],
        sorted(words),
    )


def _plain(number: str) -> str:
    return number.replace(",", "")


class _Nearby(Document):
    """A few pieces of many sources; words weigh what they weigh in all of them, and all names are known."""

    def __init__(self, pieces: Sequence[Piece], index: SourceIndex) -> None:
        self._whole = index
        super().__init__(pieces, {})

    def weight(self, stem: str) -> float:
        return self._whole.weight(stem)

    @cached_property
    def folded(self) -> frozenset[str]:
        return self._whole.words


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece stands."""

    file: str
    line: int


class SourceIndex:
    """All pieces of all sources; `text_of` gives the text of the source of a number when its pieces are needed."""

    def __init__(self, files: Sequence[str], entries: Iterable[Entry], text_of: Callable[[int], str]) -> None:
        self.files, self._text_of = list(files), text_of
        self._postings: dict[str, array[int]] = {}
        self._numbers: dict[str, array[int]] = {}
        self._han = bytearray()
        sizes, words = [], set[str]()
        total = 0
        for each in entries:
            for offset, listed in enumerate(each.stems):
                for stem in listed:
                    self._postings.setdefault(stem, array("I")).append(total + offset)
            for offset, listed in enumerate(each.numbers):
                for number in listed:
                    self._numbers.setdefault(number, array("I")).append(total + offset)
            self._han.extend(each.han)
            words.update(each.words)
            sizes.append(len(each.stems))
            total += len(each.stems)
        self.words = frozenset(words)
        self.size = total
        self._ends = list(accumulate(sizes))
        self._read: OrderedDict[int, Sequence[Piece]] = OrderedDict()
        self._documents: dict[int, Document] = {}

    @cached_property
    def languages(self) -> frozenset[bool]:
        return frozenset(bool(each) for each in self._han)

    def weight(self, stem: str) -> float:
        return log(1 + (self.size + 1) / (len(self._postings.get(stem, ())) + 0.5))

    def pieces(self, source: int) -> Sequence[Piece]:
        """The pieces of a source; those used last are kept."""
        if source in self._read:
            self._read.move_to_end(source)
            return self._read[source]
        listed = read.__wrapped__(self._text_of(source)).pieces
        self._read[source] = listed
        if len(self._read) > MOST_READ:
            self._read.popitem(last=False)
        return listed

    def wholes(self, places: Mapping[int, Place], without: int = -1, most: int = 3) -> Iterator[Document]:
        """The sources in which the nearest pieces stand, each read as the only one."""
        for file in list(dict.fromkeys(place.file for place in places.values()))[:most]:
            source = self._numbers_of[file]
            if source != without:
                if source not in self._documents:
                    if len(self._documents) >= MOST_WHOLE:
                        self._documents.clear()
                    self._documents[source] = Document(self.pieces(source))
                yield self._documents[source]

    @cached_property
    def _numbers_of(self) -> Mapping[str, int]:
        return {file: number for number, file in enumerate(self.files)}

    def near(self, text: str, without: int = -1) -> tuple[_Nearby, dict[int, Place]]:
        """The pieces that share most with a text, as a document, and the place of each by its identity."""
        ranked = self._ranked(text, without)
        wanted: OrderedDict[int, None] = OrderedDict()
        for number in ranked:
            wanted[number] = None
        pieces: list[Piece] = []
        places: dict[int, Place] = {}
        for number in wanted:
            source = bisect_right(self._ends, number)
            listed = self.pieces(source)
            offset = number - (self._ends[source - 1] if source else 0)
            if offset < len(listed):
                piece = listed[offset]
                pieces.append(piece)
                places[id(piece)] = Place(self.files[source], piece.line)
        return _Nearby(pieces, self), places

    def _ranked(self, text: str, without: int) -> list[int]:
        own = stems(text)
        across = is_chinese(text) not in self.languages
        weighed = sorted(((self.weight(stem), stem) for stem in own if stem in self._postings), reverse=True)
        scores: dict[int, float] = {}
        for weight, stem in weighed:
            postings = self._postings[stem]
            if len(postings) <= _COMMON or not scores:
                for number in postings[: _COMMON * 4]:
                    scores[number] = scores.get(number, 0.0) + weight
            else:
                having = set(postings) if len(postings) < 20 * len(scores) else frozenset(postings)
                for number in scores.keys() & having:
                    scores[number] += weight
        mean = sum(weight for weight, _ in weighed) / len(weighed) if weighed else 1.0
        for found in set(map(_plain, _NUMBER.findall(text))):
            for number in self._numbers.get(found, ())[:_COMMON]:
                if across or number in scores:
                    scores[number] = scores.get(number, 0.0) + mean * (2.0 if across else 0.5)
        first, last = (self._ends[without - 1] if without > 0 else 0, self._ends[without]) if without >= 0 else (0, 0)
        han = is_chinese(text)
        kept = (
            (score, number)
            for number, score in scores.items()
            if not first <= number < last and (across or bool(self._han[number]) == han)
        )
        return [number for _, number in sorted(kept, key=lambda each: (-each[0], each[1]))[:MOST_PIECES]]

    def has_words(self, written: str) -> bool:
        """Whether each word of a code or name stands somewhere in the sources."""
        return all(word in self.words for word in _WORD.findall(unaccented(written).casefold()))

    def place_of_words(self, quotation: str, without: int = -1) -> Place | None:
        """Where a quotation stands word for word."""
        wanted = f" {' '.join(tokens(quotation))} "
        document, places = self.near(quotation, without)
        for piece in document.pieces:
            if wanted in f" {' '.join(tokens(piece.text))} ":
                return places[id(piece)]
        sources = dict.fromkeys(places[id(piece)].file for piece in document.pieces)
        for file in list(sources)[:8]:
            source = self._numbers_of[file]
            told = " ".join(piece.text for piece in self.pieces(source) if piece.kind != "column")
            if source != without and wanted in f" {' '.join(tokens(told))} ":
                return Place(file, 1)
        return None
