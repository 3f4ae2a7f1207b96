"""Patterns of paths and commands: what a turn may write and run, and which documents a run follows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from typing import Final

READ_INPUT, WRITE_FILE, RUN_COMMAND = "read_input", "write_file", "run_command"
CONFINED = (READ_INPUT, WRITE_FILE, RUN_COMMAND)
"""The tools that every runtime has. The workflow never answers them: a call that reaches the kernel was refused."""

RUNS = "_workflow"
REST = "*"
_BETWEEN = re.compile(r"[/=:,]")


def may_write(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the path. A path with `..` or the like is refused, not resolved."""
    parts = path.split("/")
    if {"", ".", ".."} & {*parts} or "\\" in path or not path.isprintable():
        return False
    return any(fnmatchcase(path, pattern) and _reaches(parts, pattern) for pattern in patterns)


def _reaches(parts: Sequence[str], pattern: str) -> bool:
    """A wildcard covers no hidden file or folder, at any depth, and no folder of runs: a pattern must name these."""
    named = pattern.split("/")
    hidden = (part for part in parts if part.startswith("."))
    return all(part in named for part in hidden) and (parts[0] != RUNS or named[0] == RUNS)


def by_product(path: str, leaves: Sequence[str], writes: Sequence[str]) -> bool:
    """Whether commands leave the file behind, and the contract does not name it without wildcards.

    A by-product is thrown away, so a wildcard covers hidden ones as well.
    """
    return path not in writes and any(fnmatchcase(path, pattern) for pattern in leaves)


def may_run(argv: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the command, word by word; a last `*` stands for any words that follow."""
    return any(_covers(pattern.split(), argv) for pattern in patterns)


def may_run_line(command: str, patterns: Sequence[str]) -> bool:
    """The same for a command line; a line with an unclosed quote is refused."""
    try:
        return may_run(shlex.split(command), patterns)
    except ValueError:
        return False


def _covers(words: Sequence[str], argv: Sequence[str]) -> bool:
    rest = bool(words) and words[-1] == REST
    fixed = words[:-1] if rest else words
    if not fixed or len(argv) < len(fixed) or (len(argv) > len(fixed) and not rest):
        return False
    return all(_means(pattern, word) for word, pattern in zip(argv, fixed, strict=False))


def _means(pattern: str, word: str) -> bool:
    """Whether the pattern covers the word; no `..` leads out of a folder that the pattern names."""
    climbs = pattern != REST and ".." in _BETWEEN.split(word) and ".." not in _BETWEEN.split(pattern)
    return fnmatchcase(word, pattern) and not climbs


# --- the paths that a run follows -------------------------------------------------------------------------------------
#
# `*` and `**` stand for anything, slashes too, `?` for one character, `[a-z]` and `[!a-z]` for one of some. A pattern
# that ends in `/` is everything below that folder, and `**/` may also stand for no folder. A wildcard covers nothing
# hidden and nothing that tools make for themselves; a pattern must name these. What is in the folder of the runs must
# be named whole, because it changes with every step.

MADE: Final = frozenset({"node_modules", "__pycache__"})
"""Folders that tools fill for themselves; others, such as `.venv`, are hidden."""

_WILD: Final = re.compile(r"[*?\[]")
_FOLDERS: Final = re.compile(r"(?:(?<=/)|^)(?:\*\*/)+")
_BODY: Final = re.compile(r"\(\?s:(.*)\)\\[Zz]", re.DOTALL)


def wild(pattern: str) -> bool:
    """Whether a pattern can cover more than one file."""
    return pattern.endswith("/") or _WILD.search(pattern) is not None


def followed(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the path."""
    if path in patterns and not wild(path):
        return True
    *folders, _ = path.split("/")
    left = tuple(pattern for pattern in patterns if wild(pattern))
    for depth in range(len(folders)):
        left = below("/".join(folders[: depth + 1]), left)
    return found(path, left)


def below(folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Of the patterns with wildcards that may cover files above a folder, those that may cover files below it."""
    if folder == RUNS:
        return ()
    return tuple(one for one in _naming(folder, patterns) if _leads(one, f"{folder}/"))


def found(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns covers a file; pass those that may cover files of its folder."""
    left = _naming(path, patterns)
    return bool(left) and _shape(left).match(path) is not None


@lru_cache(maxsize=4096)
def _beginning(pattern: str) -> str:
    return _WILD.split(pattern, maxsplit=1)[0]


def _leads(pattern: str, folder: str) -> bool:
    begins = _beginning(pattern)
    return begins.startswith(folder) or folder.startswith(begins)


def _naming(path: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns that can cover the last name of a path: all, or only those that name it if it is hidden."""
    name = path.rpartition("/")[2]
    if not name.startswith(".") and name not in MADE:
        return patterns
    return tuple(one for one in patterns if name in one.split("/"))


@lru_cache(maxsize=256)
def _shape(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"(?s:{'|'.join(map(_expression, patterns))})\\Z")


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> str:
    """The pattern as a regular expression. What stands before a `**/` matches as little as it can and is not tried
    again, so that matching takes no more than linear time for each part."""
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
