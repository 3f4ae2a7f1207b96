"""Patterns of the paths that a run follows: what they mean, and where nothing of it can be, so that nobody looks there.

They mean what the same patterns would let a turn write (`core/permissions.py`): `*` and `**` stand for anything,
slashes too, `?` for one character, `[a-z]` and `[!a-z]` for one of some. A pattern that ends in `/` is everything
below that folder, and a folder `**/` may also be none.

A wildcard reaches nothing hidden and nothing that tools make for themselves: who means them names them. What is in the
folder of the runs has to be named whole, because it changes with every step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final

from signoff.core.permissions import RUNS

MADE: Final = frozenset({"node_modules", "__pycache__"})
"""Folders that tools fill for themselves; those that begin with a dot, such as `.venv`, are hidden anyway."""

_WILD: Final = re.compile(r"[*?\[]")
_FOLDERS: Final = re.compile(r"(?:(?<=/)|^)(?:\*\*/)+")
_BODY: Final = re.compile(r"\(\?s:(.*)\)\\[Zz]", re.DOTALL)


def wild(pattern: str) -> bool:
    """Whether it can mean more than one file."""
    return pattern.endswith("/") or _WILD.search(pattern) is not None


def followed(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns means the path."""
    if path in patterns and not wild(path):
        return True
    *folders, _ = path.split("/")
    left = tuple(pattern for pattern in patterns if wild(pattern))
    for depth in range(len(folders)):
        left = below("/".join(folders[: depth + 1]), left)
    return found(path, left)


def below(folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the patterns with a wildcard that may mean something below a folder, of those that may above it."""
    if folder == RUNS:
        return ()
    return tuple(one for one in _naming(folder, patterns) if _leads(one, f"{folder}/"))


def found(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns means a file; they must be those that may mean something in its folder."""
    left = _naming(path, patterns)
    return bool(left) and _shape(left).match(path) is not None


@lru_cache(maxsize=4096)
def _beginning(pattern: str) -> str:
    return _WILD.split(pattern, maxsplit=1)[0]


def _leads(pattern: str, folder: str) -> bool:
    begins = _beginning(pattern)
    return begins.startswith(folder) or folder.startswith(begins)


def _naming(path: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns that reach the last name of a path: all of them, or those in which it stands."""
    name = path.rpartition("/")[2]
    if not name.startswith(".") and name not in MADE:
        return patterns
    return tuple(one for one in patterns if name in one.split("/"))


@lru_cache(maxsize=256)
def _shape(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"(?s:{'|'.join(map(_expression, patterns))})\\Z")


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> str:
    """The pattern as a regular expression. What is before folders that may be many ends as early as it can, for good:
    so that no pattern is tried in more ways than it has places."""
    first, *others = _FOLDERS.split(f"{pattern}*" if pattern.endswith("/") else pattern)
    if not others:
        return _body(first)
    *between, last = others
    early = (f"(?>(?:.*?/)??{_early(piece)})" for piece in between)
    return f"(?>{_early(first)}){''.join(early)}(?:.*/)?{_body(last)}"


def _early(piece: str) -> str:
    return _body(f"{piece}*").removesuffix(".*")


def _body(pattern: str) -> str:
    return _BODY.sub(r"\1", translate(pattern))
