"""Path patterns of file contracts: whether two of them can mean one file.

`*` and `**` stand for anything, slashes too, `?` for one character, `[a-z]` and `[!a-z]` for one of some, exactly as
writes are confined (`core/permissions.py`). A pattern that ends in `/` is everything below that folder, and a folder
`**/` may also be none.
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
"""More characters than any path of a contract needs: what is compared stays small."""

PATIENCE: Final = 2000
"""So far two patterns are walked along together; for patterns that are not meant to be read, no further."""

_WILD: Final = re.compile(r"[*?\[]")
_LAST: Final = re.compile(r"^.*[*?\]]", re.DOTALL)
_ANY, _STAR, _FOLDERS, _MAYBE = "?", "*", "**/", ""
_SLASH, _DOT, _OTHER = "/", ".", "a"


@lru_cache(maxsize=65536)
def problem(path: str) -> str:
    """What is wrong with a path of a contract; nothing when it names something inside of the project."""
    parts = path.removesuffix("/").split("/")
    if len(path) > LONGEST:
        return f"it has {len(path)} characters; {LONGEST} are the most"
    if path.startswith(("/", "~")) or path[1:2] == ":":
        return "it is absolute; paths count from the project's folder"
    if "\\" in path or not path.isprintable():
        return "it has a backslash or a character that cannot be seen"
    if ".." in parts:
        return "`..` leads out of where it stands"
    if "." in parts or "" in parts:
        return "a part of it is `.` or empty"
    return ""


def wild(pattern: str) -> bool:
    """Whether it can mean more than one file."""
    return pattern.endswith("/") or _WILD.search(pattern) is not None


@lru_cache(maxsize=65536)
def beginning(pattern: str) -> str:
    """What every path that is meant begins with; nothing can be said of a pattern that is not sound."""
    return "" if problem(pattern) else _WILD.split(pattern, 1)[0]


@lru_cache(maxsize=65536)
def _ending(pattern: str) -> str:
    """What every path that is meant ends with, as far as it can be seen at a glance."""
    rest = _LAST.sub("", pattern)
    return "" if pattern.endswith("/") else rest if rest == pattern else rest.removeprefix("/")  # `**/` may be nothing


@lru_cache(maxsize=65536)
def overlap(a: str, b: str) -> bool:
    """Whether both can mean one path. For an unsound pattern, or one that is too tangled to tell, the answer is yes."""
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
    """Whether it means everything that begins as it does, as `src/`, `src/**` and `test_*` do."""
    return wild(pattern) and not pattern[len(beginning(pattern)) :].strip("*")


def tangled(pattern: str) -> bool:
    """Whether it has to be walked along to know what it has in common with others."""
    return wild(pattern) and not problem(pattern) and not _everything(pattern)


@lru_cache(maxsize=4096)
def _tokens(pattern: str) -> tuple[str, ...]:
    """The pattern in pieces: characters, `?`, classes such as `[a-z]`, `*`; before folders that may be none, a mark."""
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
    return text[at : end + 1] if end > 0 else text[at]  # a bracket that nothing closes is itself


def _share(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Walks both patterns at once over every path that both allow, and sees whether both come to their end."""
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
    """Where a pattern can go on without a character."""
    if at == len(tokens) or tokens[at] not in (_STAR, _MAYBE):
        return ()
    return (at + 1,) if tokens[at] == _STAR else (at + 1, at + 3)


@lru_cache(maxsize=65536)
def _common(a: str, b: str) -> tuple[str, ...]:
    """Which characters both pieces allow: a slash, a dot, or any other one."""
    known = {*a, *b, _SLASH, _DOT, _OTHER}
    near = {chr(ord(char) + step) for char in known for step in (-1, 1) if 0 < ord(char) + step < 0x110000}
    both = [char for char in known | near if _allows(a, char) and _allows(b, char)]
    return tuple(sorted({char if char in (_SLASH, _DOT) else _OTHER for char in both}))


def _allows(piece: str, char: str) -> bool:
    if piece in (_ANY, _STAR):
        return True
    return fnmatchcase(char, piece) if len(piece) > 1 else char == piece


def _after(part: str, char: str) -> str | None:
    """A name between slashes with one more character: empty, `.`, `..`, or a valid name; None where it is invalid."""
    if char == _SLASH:
        return "" if part == _OTHER else None
    return part + char if char == _DOT and part in ("", ".") else _OTHER


@dataclass(frozen=True, slots=True)
class Index:
    """Patterns by what they begin with: two can overlap only if one beginning is the beginning of the other."""

    known: dict[str, list[str]]
    ordered: list[str]
    lengths: list[int]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> Index:
        """The index of these patterns, each counted once."""
        known: dict[str, list[str]] = {}
        for pattern in sorted(set(patterns)):
            known.setdefault(beginning(pattern), []).append(pattern)
        short = {len(start) for start, those in known.items() if any(wild(one) or problem(one) for one in those)}
        return cls(known, sorted(known), sorted(short))

    def overlapping(self, pattern: str) -> list[str]:
        """The patterns that can mean a path of this one, by name."""
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
