"""A name for a task, from the first words of its goal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import Final

_MOST: Final = 4


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES: Final = _words("a an the our my your his her their its this that these those new one")
_WISHES: Final = _words(
    """i we want need please build make create add implement introduce set get write develop replace improve offer
    provide let lets"""
)
_LEADING: Final = _words("wants wanted needs would like should must have has had to be able can could will up us me so")
_OPENING: Final = _ARTICLES | _WISHES | _LEADING
_ENDING: Final = _words(
    """for with in on at of to from into by and or so that which who whose while when where because through without
    across between as is are has have can will"""
)


def inferred(goal: str) -> str:
    """The thing that the goal is about, in snake_case; empty where its words do not say."""
    parts = [re.findall(r"[a-z0-9]+", part) for part in re.split(r"[.!?:;,\n]", _plain(goal))]
    wished = [words for words in parts if words and words[0] in _WISHES]
    return next((name for words in (*wished, *parts) if (name := _thing(words))), "")


def _thing(words: Sequence[str]) -> str:
    """What a sentence is about: its first words, without those that only lead up to it."""
    rest = list(dropwhile(lambda word: word in _OPENING or word[0].isdigit(), words))
    thing = list(takewhile(lambda word: word not in _ENDING, rest))
    if len(thing) == 1:  # one word says too little: "reminders for loans"
        thing += takewhile(lambda word: word not in _ENDING, rest[2:])
    return "_".join([word for word in thing if word not in _ARTICLES][:_MOST])


def _plain(text: str) -> str:
    """Small letters without accents."""
    taken_apart = unicodedata.normalize("NFKD", text.lower().replace("’", "'").replace("'s", ""))
    return "".join(char for char in taken_apart if not unicodedata.combining(char))
