"""Answers that begin with the letter of a choice, and what they say once the letter is read as its choice.

A letter counts when it is one of the question's choices and stands apart from what follows: `A`, `b.`, `C)`, `(A)`,
`A: …`, `A — …`, `A (specific stage)`; so do several (`A and C`, `A、C`), and a letter that is called one (`Option B`,
`选B`). "A managed service" begins with an article.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signoff.workflows.clarify.documents.clarifications import Choice

_LETTER: Final = r"[A-Za-zＡ-Ｚａ-ｚ]"
_MARKS: Final = r"[*_`]{0,3}"
_CALLED: Final = (
    r"(?:(?:options?|choices?)(?:[^\S\n]{1,3}|[^\S\n]?[:：][^\S\n]{0,3})|[选選][项項择擇]?[^\S\n]?[:：]?[^\S\n]{0,3})?"
)
_ONE: Final = rf"{_CALLED}{_MARKS}(?:[(（]\s*{_LETTER}\s*[)）]|{_LETTER}){_MARKS}"
_JOINED: Final = r"(?:\s*(?:[,，、]\s*and\s|[,，、;；+＋/／&＆]|以及|和|与|與|及)\s*|\s+and\s+)"
# A point is no end in "a.m.", "B.2" or "A..C", a colon none in "C:\data".
_END: Final = (
    r"(?=\s*(?:[!！]\s*)?\Z|[^\S\n]*\n|[.．](?![.．]*(?:\d|[A-Za-z](?![A-Za-z])))|[)）]|[^\S\n]*(?:[:：](?![\\/\d])|[、,，。;；])"
    r"|\s*[(（]|\s*(?:-{1,3}|[–—]+)(?:\s|\Z)|\s*[–—])|(?<=[)）])(?![A-Za-z0-9])"
)
_HEAD: Final = re.compile(rf"(?P<letters>{_ONE}(?:{_JOINED}{_ONE})*)(?:{_END})", re.IGNORECASE)
_AND: Final = re.compile(r"\band\b|_", re.IGNORECASE)
_LETTERS: Final = re.compile(rf"(?<![A-Za-z]){_LETTER}(?![A-Za-z])")
# "A, B or C" has not been decided.
_UNDECIDED: Final = re.compile(rf"{_ONE}\s*(?:\bor\b|或者?)\s*{_ONE}(?![A-Za-z])", re.IGNORECASE)

_RANGE: Final = re.compile(rf"[–—]({_LETTER})[.。)）]?")
_BETWEEN: Final = re.compile(r"[\s.．:：、,，。;；)）!！]*")

_SPECIFY: Final = r"\s*[(（]\s*(?:(?:please\s+)?(?:specify|describe|explain|state)|[请請][^()（）]{0,8})\s*[)）]"
_APART: Final = r"(?=\s*\Z|\s*[:：,，.。;；]|\s*[—–-]+\s|\s*[–—]|\s*\n)"
_OTHER: Final = re.compile(rf"(?:others?|其[他它])(?:{_SPECIFY}|{_APART})", re.IGNORECASE)
_ENDED: Final = re.compile(rf"(?<=[)）])|{_APART}")

_FENCE: Final = re.compile(r"^ {0,3}(?:`{3,}[^`\n]*|~{3,}[^\n]*)$", re.MULTILINE)
_SPAN: Final = re.compile(r"(?P<mark>\*{1,3}|_{1,3}|`)(?=[^\s*_`])(?P<inside>[^\n]{1,500}?)(?P=mark)(?![*_`])")
_LISTED: Final = re.compile(r"(?:[-*+>]|>\s*[-*+])\s+")
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』"}
# What shows as nothing and is not white space to Python: soft hyphen, joiners, marks of direction, fillers.
_INVISIBLE: Final = dict.fromkeys(
    map(ord, "\u00ad\u061c\u115f\u1160\u200b\u200c\u200d\u200e\u200f\u2060\u2800\u3164\ufeff\uffa0")
)
# More layers of quotes, list marks and emphasis than this are no way of writing.
_LAYERS: Final = 4


@dataclass(frozen=True, slots=True)
class Picked:
    """The choices that an answer names by letter, and what it says beside them."""

    choices: tuple[Choice, ...]
    rest: str

    @property
    def other(self) -> bool:
        return any(choice.other for choice in self.choices)


def bare(answer: str) -> str:
    """An answer without what is around it: white space, comments, a code fence or list mark, emphasis, quotes."""
    text = answer if answer.isascii() else answer.translate(_INVISIBLE)
    if "<!--" in text and not _FENCE.search(text):
        text = _uncommented(text)
    text = text.strip()
    if _FENCE.match(text):
        text = unfenced(text).strip()
    for _ in range(_LAYERS):
        peeled = _peeled(text)
        if peeled == text:
            break
        text = peeled
    return text


def _uncommented(text: str) -> str:
    # Not a pattern: if an end is missing, a pattern searches the rest of the text again at every beginning.
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join([*kept, text[at:]])


def _peeled(text: str) -> str:
    listed = _LISTED.match(text)
    if listed:
        return text[listed.end() :].strip()
    span = _SPAN.match(text)
    if span:
        return (span["inside"] + text[span.end() :]).strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1].strip()
    return text


def unfenced(text: str) -> str:
    """A text without the lines that open and close code fences."""
    return _FENCE.sub("", text)


def picked(text: str, choices: Sequence[Choice]) -> Picked | None:
    """The choices whose letters a bare text begins with; None if it does not, or if one of them is not a choice."""
    head = _HEAD.match(text)
    if head is None:
        return None
    offered = {choice.letter.upper(): choice for choice in choices}
    named = [_upper(letter) for letter in _LETTERS.findall(_AND.sub(" ", head["letters"]))]
    between = _BETWEEN.match(text, head.end())
    rest = text[between.end() if between else head.end() :]
    span = _RANGE.fullmatch(rest)
    if span and _upper(span[1]) in offered:
        return None  # "A–C" is from A to C
    if _UNDECIDED.match(rest) or not all(letter in offered for letter in named):
        return None
    return Picked(tuple(offered[letter] for letter in dict.fromkeys(named)), rest)


def _upper(letter: str) -> str:
    return unicodedata.normalize("NFKC", letter).upper()


def beside_other(text: str, choices: Sequence[Choice]) -> str | None:
    """What a text says after naming the choice "Other" in words; None when it does not name it."""
    for choice in choices:
        end = len(choice.text)
        if choice.other and text[:end].casefold() == choice.text.casefold() and _ENDED.match(text, end):
            return _opened(text[end:])
    named = _OTHER.match(text)
    return _opened(text[named.end() :]) if named else None


def _opened(rest: str) -> str:
    return rest.lstrip(" \t\r\n.．:：、,，。;；—–-").rstrip()


def meaning(answer: str, choices: Sequence[Choice]) -> str:
    """What an answer says once its leading letters are read as their choices; any other answer is as it is."""
    found = picked(bare(answer), choices)
    if found is None:
        return answer
    texts = "; ".join(choice.text for choice in found.choices if not choice.other)
    said = _said(found, choices)
    if not said:
        return "; ".join(choice.text for choice in found.choices)
    if not texts or said.casefold().startswith(texts.casefold()):
        return said
    return f"{texts} {said}" if said[0] in "(（-–—" else f"{texts} — {said}"


def _said(found: Picked, choices: Sequence[Choice]) -> str:
    """What stands beside the letters, without the word "Other" where its letter was given."""
    if not found.other:
        return found.rest
    rest = _opened(found.rest)
    beside = beside_other(rest, choices)
    return rest if beside is None else beside
