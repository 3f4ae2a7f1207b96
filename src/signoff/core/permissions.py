"""What a turn may do besides giving its output: patterns of the paths it may write and of the commands it may run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase

READ_INPUT, WRITE_FILE, RUN_COMMAND = "read_input", "write_file", "run_command"
CONFINED = (READ_INPUT, WRITE_FILE, RUN_COMMAND)
"""The tools that every runtime has. The workflow never answers them: a call that reaches the kernel was refused."""

RUNS = "_workflow"
REST = "*"
_BETWEEN = re.compile(r"[/=:,]")


def may_write(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the path, as it stands: nothing is resolved, so nothing can be disguised."""
    parts = path.split("/")
    if {"", ".", ".."} & {*parts} or "\\" in path or not path.isprintable():
        return False
    return any(fnmatchcase(path, pattern) and _reaches(parts, pattern) for pattern in patterns)


def _reaches(parts: Sequence[str], pattern: str) -> bool:
    """A wildcard reaches neither what is hidden, at any depth, nor the runs themselves: who means them names them."""
    named = pattern.split("/")
    hidden = (part for part in parts if part.startswith("."))
    return all(part in named for part in hidden) and (parts[0] != RUNS or named[0] == RUNS)


def by_product(path: str, leaves: Sequence[str], writes: Sequence[str]) -> bool:
    """Whether a file is one that commands leave behind, and not one that the contract names itself, without wildcards.

    What is left behind is thrown away, so it may be hidden: a wildcard reaches it wherever it is.
    """
    return path not in writes and any(fnmatchcase(path, pattern) for pattern in leaves)


def may_run(argv: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the command, word by word; a last `*` stands for any words that follow."""
    return any(_covers(pattern.split(), argv) for pattern in patterns)


def may_run_line(command: str, patterns: Sequence[str]) -> bool:
    """The same for a command as it is written; one whose quotes do not close is none."""
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
    """Whether a word is one that the pattern says; where that names a folder, no `..` leads out of it."""
    climbs = pattern != REST and ".." in _BETWEEN.split(word) and ".." not in _BETWEEN.split(pattern)
    return fnmatchcase(word, pattern) and not climbs
