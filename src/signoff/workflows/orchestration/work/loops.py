"""Finds loops: a question that an agent asks in a third turn. It is not answered again, but its cause is looked for.

Two questions are the same if they have the same words in any order and form, or if one has only a little more. Similar
letters are not enough: `the email column` and `the phone column` are two questions, and so are `when it is valid` and
`when it is not`. So numbers, names and negations must be equal, and no word may replace another. A question in other
words counts as another question: to see a loop late costs a turn, but a false alarm stops an agent's work.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final

from signoff.evidence.shared_words import stem
from signoff.workflows.orchestration.work.progress import Question

THIRD: Final = 3
LONGEST: Final = 4_000
"""How many characters of a question are compared."""

_SAYS_LITTLE: Final = (
    "a an the is are was were be been being am do does did has have had shall should will would can could may might"
    " must i we you it they he she me us them my our your its their this that these those there here of to for in on at"
    " by as if whether so then also just please again still now yet assume assumes assumed assuming assumption and s"
)
_FILLERS: Final = frozenset(_SAYS_LITTLE.split())
"""Words that do not say what a question asks for. Who, when, before and after do, and are not among them."""
_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMERALS: Final = {word: str(number) for number, word in enumerate(_COUNTED.split()) if word != "one"}
"""Numbers as words; `one` is more often a pronoun."""
_NUMBER: Final = re.compile(rf"\d+(?:[.,:]\d+)*|[二三四五六七八九十百千万两]+|\b(?:{'|'.join(_NUMERALS)})\b")
_NOT: Final = re.compile(
    r"\b(?:not|no|never|without|cannot|neither|nor|none|nothing|nobody|\w+n['’]t)\b"
    r"|[不没沒無无未非别勿]|ない|ません|않|못",
    re.IGNORECASE,
)
_OR_NOT: Final = re.compile(r"(\w)[不没沒]\1")
_FILLERS_HAN: Final = re.compile(
    "是否|是不是|应该|应当|需要|可以|能否|假设|请问|我们|以及|如果|或者|[的了吗呢么吧要会应能是在里中上与和及]"
)
_HAN: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD: Final = re.compile(rf"(?P<tick>`)|(?P<han>[{_HAN}])|(?P<word>[^\W\d{_HAN}]+)|(?P<end>[.?!:;\n])")
_HIRAGANA: Final = re.compile(r"[\u3040-\u309f]")
"""Mostly grammar: another ending is not another question."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A question, prepared for comparison."""

    exact: tuple[frozenset[str], int]
    """Its numbers, and the number of its negations."""
    words: frozenset[str]
    names: frozenset[str]
    text: str


def similar(one: str, other: str, threshold: float) -> bool:
    """Whether two questions are the same; `threshold` is the least similarity of their letters, from 0 to 1."""
    from rapidfuzz.distance import Indel  # most turns do not need it

    a, b = _read(one), _read(other)
    if a.exact != b.exact or not (a.names <= b.words and b.names <= a.words):
        return False
    if _own(a, b) and _own(b, a):
        return False
    return Indel.normalized_similarity(a.text, b.text, score_cutoff=threshold) >= threshold


def looping(asked: Sequence[Question], threshold: float) -> str:
    """The question of the newest turn that came in three different turns, or an empty text."""
    newest = max((one.turn for one in asked), default=0)
    for one in asked:
        if one.turn == newest:
            turns = {other.turn for other in asked if similar(one.text, other.text, threshold)}
            if len(turns) >= THIRD:
                return one.text
    return ""


@lru_cache(maxsize=4096)
def _read(text: str) -> _Read:
    plain = unicodedata.normalize("NFKC", text[:LONGEST])
    said = _OR_NOT.sub(r"\1", plain)
    bare = _FILLERS_HAN.sub("", _NOT.sub(" ", said))
    words, names = _words(bare)
    numbers = {_NUMERALS.get(found, found.replace(",", "")) for found in _NUMBER.findall(plain.casefold())}
    return _Read(
        exact=(frozenset(numbers), len(_NOT.findall(said))),
        words=frozenset(words),
        names=frozenset(names),
        text=_sorted(words) or " ".join(sorted(plain.casefold().split())),
    )


def _words(text: str) -> tuple[list[str], set[str]]:
    """The stems of the words that matter, and those that are names by their letters or backticks."""
    words, names, first, ticked = list[str](), set[str](), True, False
    for found in _WORD.finditer(text):
        if found["tick"]:
            ticked = not ticked
        elif found["end"]:
            first = True
        elif found["han"]:
            words.append(found["han"])
        else:
            word = found["word"].casefold()
            if word not in _FILLERS and word not in _NUMERALS:
                words.append(stem(word))
                named = "_" in found["word"] or any(char.isupper() for char in found["word"][first:])
                if ticked or named:  # `user_id`, `fooBar`, `API`; and `Redis`, unless it only begins a sentence
                    names.add(stem(word))
            first = False
    return words, names


def _sorted(words: Sequence[str]) -> str:
    """The words in a fixed order; Han characters stand close, as they are written."""
    ordered = sorted(words, key=lambda word: (_is_han(word), word))
    return " ".join(("" if han else " ").join(run) for han, run in groupby(ordered, key=_is_han))


def _is_han(word: str) -> bool:
    return len(word) == 1 and word >= "\u3040"


def _own(one: _Read, other: _Read) -> bool:
    return any(not _HIRAGANA.match(word) for word in one.words - other.words)
