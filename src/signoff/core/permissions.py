"""What a turn may do besides giving its output: patterns of the paths it may write and of the commands it may run."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

READ_INPUT, WRITE_FILE, RUN_COMMAND = "read_input", "write_file", "run_command"
CONFINED = (READ_INPUT, WRITE_FILE, RUN_COMMAND)
"""The tools that every runtime has. The workflow never answers them: a call that reaches the kernel was refused."""

RUNS = "_workflow"
REST = "*"


def may_write(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the path, as it stands: nothing is resolved, so nothing can be disguised."""
    parts = path.split("/")
    if {"", ".", ".."} & {*parts} or "\\" in path or not path.isprintable():
        return False
    return any(fnmatchcase(path, pattern) and _reaches(parts[0], pattern) for pattern in patterns)


def _reaches(first: str, pattern: str) -> bool:
    """A wildcard reaches neither what is hidden nor the runs themselves: who means them names them."""
    return not (first.startswith(".") or first == RUNS) or pattern.split("/")[0] == first


def by_product(path: str, leaves: Sequence[str], writes: Sequence[str]) -> bool:
    """Whether a file is one that commands leave behind, and not one that the contract names itself, without wildcards.

    What is left behind is thrown away, so it may be hidden: a wildcard reaches it wherever it is.
    """
    return path not in writes and any(fnmatchcase(path, pattern) for pattern in leaves)


def may_run(argv: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether one of the patterns covers the command, word by word; a last `*` stands for any words that follow."""
    return any(_covers(pattern.split(), argv) for pattern in patterns)


def _covers(words: Sequence[str], argv: Sequence[str]) -> bool:
    rest = bool(words) and words[-1] == REST
    fixed = words[:-1] if rest else words
    if not fixed or len(argv) < len(fixed) or (len(argv) > len(fixed) and not rest):
        return False
    return all(fnmatchcase(word, pattern) for word, pattern in zip(argv, fixed, strict=False))
