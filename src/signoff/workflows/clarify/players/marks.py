"""What tells two questions apart that use the same words: numbers, codes and names.

`above 500 euros` and `above 1,000 euros`, `Python 3.10` and `Python 3.12`, Berlin and Hamburg share every other word.
A name is a word with a capital inside a sentence, a code such as WMS or B2B, or what stands in Chinese quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.numbers import quantities

_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_TOKEN: Final = re.compile(r"[^\W\d_\u3400-\u9fff](?:[^\W\u3400-\u9fff]|[+#-](?=\w)|(?<=\w)[+#])*")
_STARTS: Final = re.compile(r"(?:^|[.?!:：。？！—–-]\s*)[\s\"'“‘(（*_]*$")
_QUOTED: Final = re.compile(r"[“「『]([^”」』]{1,24})[”」』]")
_FIRST: Final = re.compile(r"(?:^|[.?!:] )([^\W\d_]\w*)")
_CODE: Final = re.compile(r"(?=.*[A-Z].*[A-Z0-9]|.*\d).{2,}")


def numbers(text: str) -> frozenset[str]:
    """Every number of a text as it is written, without marks for thousands, and with its unit where it has one."""
    plain = _THOUSANDS.sub("", text)
    units = {f"{value.normalize()} {unit}" for value, unit in (one.key() for one in quantities(text) if one.unit)}
    return frozenset({*_DIGITS.findall(plain), *units})


def names(text: str) -> frozenset[str]:
    """The names and codes that a text shows by their writing, casefolded."""
    found = {match[1].casefold() for match in _QUOTED.finditer(text) if not match[1].isascii()}
    for token in _TOKEN.finditer(text):
        word = token.group()
        inside = (
            word[0].isupper() and word != "I" and not _STARTS.search(text[max(0, token.start() - 12) : token.start()])
        )
        if inside or _CODE.fullmatch(word):
            found.add(word.casefold())
    return frozenset(found)


def _words(text: str) -> frozenset[str]:
    """All words of a text, and what it quotes, so that a name can be looked up in it."""
    words = (token.group().casefold() for token in _TOKEN.finditer(text))
    return frozenset({*words, *(match[1].casefold() for match in _QUOTED.finditer(text))})


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a question, and everything that its text names."""

    numbers: frozenset[str]
    names: frozenset[str]
    first_words: frozenset[str]
    all_numbers: frozenset[str]
    all_words: frozenset[str]

    @classmethod
    def of(cls, asked: str, whole: str, choices: Sequence[str] = ()) -> Marks:
        firsts = frozenset(word.casefold() for word in _FIRST.findall(asked))
        return cls(numbers(asked), names(asked), firsts, numbers(whole), _words(" ".join([whole, *choices])))

    def agree(self, other: Marks, known: frozenset[str] = frozenset()) -> bool:
        """Whether each names every number and name of the other; `known` are names that a sentence may begin with."""
        return self._within(other, known) and other._within(self, known)

    def _within(self, other: Marks, known: frozenset[str]) -> bool:
        named = self.names | (self.first_words & known)
        return self.numbers <= other.all_numbers and named <= other.all_words
