"""Which pieces of text a regular expression cannot match without, so that most texts are passed over unread.

`hint` turns a pattern into a much cheaper one that finds something in every (folded) text the pattern finds something
in. It reads the pattern with Python's own parser, which is not public: where that is missing or says something unknown,
there is no hint, and everything is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

try:
    from re import _constants as sre, _parser as parser  # type: ignore[attr-defined]  # isort: skip
except ImportError:  # another Python: slower, not wrong
    sre = parser = None

Strings = frozenset[str]

_MOST = 200
_DIGIT = "\\d"
_ODD = (("\u0130", "i"), ("\u0131", "i"), ("\u2010", " "), ("\u2011", " "))  # to re.IGNORECASE a Turkish i is an i
_EDGE = "\0"
_NO_WORD = str(parser.parse("[A-Za-z0-9]")) if parser else ""
_NOTHING: Strings = frozenset({""})
_SPACES = re.compile("  +")


def folded(text: str) -> str:
    """The text as hints are looked for in it: in lower case, with one space for each run of white space and hyphens."""
    if not text.isascii():
        for odd, plain in _ODD:
            text = text.replace(odd, plain)
    return f" {' '.join(text.replace('-', ' ').lower().split())} "


@dataclass(frozen=True, slots=True)
class Hint:
    """What to look for in folded text: strings at the beginning of a word, and strings anywhere."""

    begins: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None

    def fits(self, text: str) -> bool:
        return bool((self.begins and self.begins.search(text)) or (self.anywhere and self.anywhere.search(text)))


def hint(patterns: Iterable[str]) -> Hint | None:
    """Fits every folded text in which one of these patterns (any case) finds something; None when that is unknown."""
    needed: set[str] = set()
    for pattern in patterns:
        found = needles(pattern)
        if found is None:
            return None
        needed |= found
    begins = {needle.removeprefix(_EDGE) for needle in needed if needle.startswith(_EDGE)}
    anywhere = {needle for needle in needed if not needle.startswith(_EDGE)}
    # The engine skips from one character outside words to the next: most of a text is never looked at.
    return Hint(
        re.compile(f"[^a-z0-9](?:{_either(begins)})") if begins else None,
        re.compile(_either(anywhere)) if anywhere else None,
    )


def needles(pattern: str) -> Strings | None:
    """Strings of which every match contains at least one, folded; None when that cannot be said.

    One that can only stand at the beginning of a word has a NUL before it.
    """
    return _needed(parser.parse(pattern, re.IGNORECASE)) if parser else None


def _needed(nodes: Iterable[tuple[Any, Any]], *, edge: bool = False) -> Strings | None:
    """The rarest of what the nodes of a sequence ask for, one after the other."""
    choices: list[Strings] = []
    written = _NOTHING
    for node in nodes:
        edge = edge or (written == _NOTHING and _is_edge(node))
        exact = _exact(node)
        if exact is not None and len(exact) * len(written) <= _MOST:
            written = _joined(written, exact)
            continue
        choices.append(_marked(written, edge=edge))
        if exact is None and (inside := _inside(node, edge=edge and written == _NOTHING)) is not None:
            choices.append(inside)
        written, edge = _NOTHING if exact is None else exact, False
    usable = [choice for choice in (*choices, _marked(written, edge=edge)) if "" not in choice]
    return min(usable, key=lambda choice: sum(map(_frequency, choice)), default=None)


def _is_edge(node: tuple[Any, Any]) -> bool:
    """No letter or digit before: the guard under which whole words are looked for."""
    op, value = node
    return op is sre.ASSERT_NOT and value[0] < 0 and str(value[1]) == _NO_WORD


def _marked(strings: Strings, *, edge: bool) -> Strings:
    at_edge = edge and "" not in strings and all(string[0].isascii() and string[0].isalnum() for string in strings)
    return frozenset(_EDGE + string for string in strings) if at_edge else strings


def _exact(node: tuple[Any, Any]) -> Strings | None:
    """Every string that a node matches, if they are few; a place in the text (an edge, a guard) matches nothing."""
    op, value = node
    if op is sre.LITERAL:
        return frozenset({_character(value)})
    if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
        return _NOTHING
    if op is sre.IN:
        return _characters(value)
    if op is sre.SUBPATTERN:
        return _exact_row(value[3])
    if op is sre.BRANCH:
        rows = [_exact_row(row) for row in value[1]]
        return _union(rows) if len(rows) <= _MOST else None
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return _repeated(*value)
    return None


def _repeated(least: int, most: int, row: Iterable[tuple[Any, Any]]) -> Strings | None:
    """What is optional, and any number of spaces, which are one."""
    once = _exact_row(row)
    if once is None or least > 1 or (most > 1 and once != {" "}):
        return None
    return once if least else once | {""}


def _character(code: int) -> str:
    return folded(chr(code)).strip() or " "


def _characters(items: Iterable[tuple[Any, Any]]) -> Strings | None:
    found: set[str] = set()
    for kind, value in items:
        if kind is sre.LITERAL:
            found.add(_character(value))
        elif kind is sre.RANGE and value[1] - value[0] < _MOST:
            found |= {_character(code) for code in range(value[0], value[1] + 1)}
        elif kind is sre.CATEGORY and value is sre.CATEGORY_SPACE:
            found.add(" ")
        else:
            return None
    return frozenset(found) if len(found) <= _MOST else None


def _exact_row(nodes: Iterable[tuple[Any, Any]]) -> Strings | None:
    found = _NOTHING
    for node in nodes:
        exact = _exact(node)
        if exact is None or len(exact) * len(found) > _MOST:
            return None
        found = _joined(found, exact)
    return found


def _joined(first: Strings, second: Strings) -> Strings:
    return frozenset(_SPACES.sub(" ", before + after) for before, after in product(first, second))


def _inside(node: tuple[Any, Any], *, edge: bool) -> Strings | None:
    op, value = node
    if op is sre.IN and value == [(sre.CATEGORY, sre.CATEGORY_DIGIT)]:
        return frozenset({_DIGIT})
    if op is sre.SUBPATTERN:
        return _needed(value[3], edge=edge)
    if op is sre.BRANCH:
        return _union([_needed(row, edge=edge) for row in value[1]])
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT) and value[0] > 0:
        return _needed(value[2], edge=edge)
    return None


def _union(sets: Sequence[Strings | None]) -> Strings | None:
    known = [each for each in sets if each is not None]
    return frozenset[str]().union(*known) if len(known) == len(sets) else None


def _frequency(needle: str) -> float:
    """About how often it occurs, by its characters."""
    if needle == _DIGIT:
        return 0.0005
    return prod(0.3 if char in (" ", _EDGE) else 0.15 if "a" <= char <= "z" else 0.004 for char in needle)


def _either(strings: Iterable[str]) -> str:
    """One pattern for many strings, as a tree of their beginnings; a longer string behind a shorter adds nothing."""
    beginnings: dict[str, set[str]] = {}
    for string in strings:
        head, rest = (string, "") if string == _DIGIT else (re.escape(string[0]), string[1:])
        beginnings.setdefault(head, set()).add(rest)
    return "|".join(head + _rest(rests) for head, rests in sorted(beginnings.items()))


def _rest(rests: set[str]) -> str:
    if "" in rests:
        return ""
    return f"(?:{_either(rests)})"
