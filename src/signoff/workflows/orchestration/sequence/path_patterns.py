"""Path patterns of file contracts: whether two of them can mean the same file.

`*` and `**` stand for anything, slashes too, `?` for one character, `[a-z]` and `[!a-z]` for one of a class, exactly as
writes are confined (`core/permissions.py`). A pattern that ends in `/` means everything below that folder; `**/` may
also mean no folder.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

LONGEST: Final = 300
"""More characters than a path of a contract needs; the limit keeps comparisons short."""

PATIENCE: Final = 2000
"""How many states of two patterns are compared; only patterns that no person would write need more."""

_WILD: Final = re.compile(r"[*?\[]")
_LAST: Final = re.compile(r"^.*[*?\]]", re.DOTALL)
_ANY, _STAR, _FOLDERS, _MAYBE = "?", "*", "**/", ""
_SLASH, _DOT, _OTHER = "/", ".", "a"


@lru_cache(maxsize=65536)
def problem(path: str) -> str:
    """What is wrong with a path of a contract, or an empty text if it is inside the project."""
    parts = path.removesuffix("/").split("/")
    if len(path) > LONGEST:
        return f"it has {len(path)} characters; {LONGEST} are the most"
    if path.startswith(("/", "~")) or path[1:2] == ":":
        return "it is absolute; paths count from the project's folder"
    if "\\" in path or not path.isprintable():
        return "it has a backslash or an invisible character"
    if ".." in parts:
        return "`..` leads out of its folder"
    if "." in parts or "" in parts:
        return "a part of it is `.` or empty"
    return ""


def wild(pattern: str) -> bool:
    """Whether the pattern can mean more than one file."""
    return pattern.endswith("/") or _WILD.search(pattern) is not None


@lru_cache(maxsize=65536)
def beginning(pattern: str) -> str:
    """The text that every path of the pattern begins with; empty for an invalid pattern."""
    return "" if problem(pattern) else _WILD.split(pattern, 1)[0]


@lru_cache(maxsize=65536)
def _ending(pattern: str) -> str:
    """A text that every path of the pattern ends with; it may have more in common."""
    rest = _LAST.sub("", pattern)
    if pattern.endswith("/"):
        return ""
    return rest if rest == pattern else rest.removeprefix("/")  # `**/` may mean no folder


@lru_cache(maxsize=65536)
def overlap(a: str, b: str) -> bool:
    """Whether both patterns can mean the same path. If one is invalid, or too complex to tell, the answer is yes."""
    if a == b or problem(a) or problem(b):
        return True
    if not wild(a) and not wild(b):
        return False
    first, second = beginning(a), beginning(b)
    if not (first.startswith(second) or second.startswith(first)):
        return False
    last, other = _ending(a), _ending(b)
    if not (last.endswith(other) or other.endswith(last)):
        return False
    if (_everything(a) and second.startswith(first)) or (_everything(b) and first.startswith(second)):
        return True
    return _share(_tokens(a), _tokens(b))


def _everything(pattern: str) -> bool:
    """Whether the pattern means every path with its beginning, as `src/`, `src/**` and `test_*` do."""
    return wild(pattern) and not pattern[len(beginning(pattern)) :].strip("*")


def tangled(pattern: str) -> bool:
    """Whether only a comparison piece by piece shows what the pattern has in common with others."""
    return wild(pattern) and not problem(pattern) and not _everything(pattern)


@lru_cache(maxsize=4096)
def _tokens(pattern: str) -> tuple[str, ...]:
    """The pattern in pieces: characters, `?`, classes such as `[a-z]`, `*`, and a mark before an optional folder."""
    text = f"{pattern}*" if pattern.endswith("/") else pattern
    found: list[str] = []
    at = 0
    while at < len(text):
        piece = _piece(text, at)
        at += len(piece)
        if piece == _FOLDERS:
            found += [_MAYBE, _STAR, _SLASH]
        elif piece != _STAR or found[-1:] != [_STAR]:
            found.append(piece)
    return tuple(found)


def _piece(text: str, at: int) -> str:
    if text.startswith(_FOLDERS, at) and (at == 0 or text[at - 1] == "/"):
        return _FOLDERS
    if text[at] != "[":
        return text[at]
    end = text.find("]", at + (3 if text[at + 1 : at + 2] == "!" else 2))
    return text[at : end + 1] if end > 0 else text[at]  # a bracket without an end is a character


def _share(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Follows both patterns along every path that both allow, until both reach their end on one."""
    seen: set[tuple[int, int, str]] = set()
    left = [(0, 0, "")]
    while left and len(seen) < PATIENCE:
        state = left.pop()
        if state in seen:
            continue
        seen.add(state)
        i, j, part = state
        if i == len(a) and j == len(b) and part == _OTHER:
            return True
        left.extend((k, j, part) for k in _skipped(a, i))
        left.extend((i, k, part) for k in _skipped(b, j))
        if i < len(a) and j < len(b):  # one more character that both allow
            on = (i + (a[i] != _STAR), j + (b[j] != _STAR))
            after = (_after(part, char) for char in _common(*sorted((a[i], b[j]))))
            left.extend((*on, name) for name in after if name is not None)
    return bool(left)


def _skipped(tokens: tuple[str, ...], at: int) -> tuple[int, ...]:
    """The places that a pattern can reach without another character."""
    if at == len(tokens) or tokens[at] not in (_STAR, _MAYBE):
        return ()
    return (at + 1,) if tokens[at] == _STAR else (at + 1, at + 3)


@lru_cache(maxsize=65536)
def _common(a: str, b: str) -> tuple[str, ...]:
    """The kinds of character that both pieces allow: a slash, a dot, or any other."""
    known = {*a, *b, _SLASH, _DOT, _OTHER}
    near = {chr(ord(char) + step) for char in known for step in (-1, 1) if 0 < ord(char) + step < 0x110000}
    both = [char for char in known | near if _allows(a, char) and _allows(b, char)]
    return tuple(sorted({char if char in (_SLASH, _DOT) else _OTHER for char in both}))


def _allows(piece: str, char: str) -> bool:
    if piece in (_ANY, _STAR):
        return True
    return fnmatchcase(char, piece) if len(piece) > 1 else char == piece


def _after(part: str, char: str) -> str | None:
    """A name between slashes with one more character: empty, `.`, `..`, or a valid name; None if it is invalid."""
    if char == _SLASH:
        return "" if part == _OTHER else None
    return part + char if char == _DOT and part in ("", ".") else _OTHER


@dataclass(frozen=True, slots=True)
class Index:
    """Patterns by their beginnings: two can overlap only if one beginning starts with the other."""

    known: dict[str, list[str]]
    ordered: list[str]
    lengths: list[int]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> Index:
        """The index of these patterns, each once."""
        known: dict[str, list[str]] = {}
        for pattern in sorted(set(patterns)):
            known.setdefault(beginning(pattern), []).append(pattern)
        short = {len(start) for start, those in known.items() if any(wild(one) or problem(one) for one in those)}
        return cls(known, sorted(known), sorted(short))

    def overlapping(self, pattern: str) -> list[str]:
        """The patterns that overlap with this one, sorted."""
        return sorted(other for other in self._near(pattern) if overlap(pattern, other))

    def _near(self, pattern: str) -> Iterator[str]:
        start = beginning(pattern)
        for length in self.lengths:
            if length < len(start):
                yield from self.known.get(start[:length], ())
        if not wild(pattern) and not problem(pattern):
            yield from self.known.get(start, ())
            return
        for at in range(bisect_left(self.ordered, start), len(self.ordered)):
            if not self.ordered[at].startswith(start):
                return
            yield from self.known[self.ordered[at]]
