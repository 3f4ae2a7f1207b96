"""Which files a check is about: the pages that were named, the sources, the pairs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from signoff.core.errors import UsageError

PAGES: Final = (".md", ".mdx", ".markdown")
SOURCES: Final = (
    *PAGES,
    ".txt",
    ".html",
    ".htm",
    ".xhtml",
    ".yaml",
    ".yml",
    ".json",
    ".csv",
    ".tsv",
    ".pdf",
    ".rst",
    ".adoc",
)
_SKIPPED: Final = frozenset(("node_modules", "__pycache__", "vendor", "dist", "build"))
_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,9}=")


def pages(named: Sequence[str], exclude: Sequence[str], base: Path) -> list[str]:
    """The pages that files, folders and patterns name, each once, in order; one that is not there is refused."""
    found: dict[str, None] = {}
    for name in named:
        listed = list(_named(name, base))
        if not listed:
            raise UsageError(
                f"{name!r} names no Markdown file", repair="name files, folders or patterns such as 'docs/**/*.md'"
            )
        for path in listed:
            if not any(_matches(path, pattern) for pattern in exclude):
                found[path] = None
    return list(found)


def _named(name: str, base: Path) -> Iterator[str]:
    at = base / name
    if at.is_dir():
        yield from (_joined(name, path) for path in below(at, PAGES))
    elif at.exists():
        yield name
    elif glob.has_magic(name):
        listed = sorted(glob.glob(name, root_dir=base, recursive=True))  # noqa: PTH207 - it may begin anywhere
        yield from (path for path in listed if (base / path).is_file() and path.endswith(PAGES))
    else:
        raise UsageError(f"there is no file {name!r}", repair="name files, folders or patterns such as 'docs/**/*.md'")


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - paths are shown as they were written


def below(folder: Path, endings: Sequence[str]) -> Iterator[str]:
    """The files below a folder with one of these endings, sorted; hidden and generated folders are passed over."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _SKIPPED)
        inner = os.path.relpath(where, folder)
        for name in sorted(names):
            if name.lower().endswith(tuple(endings)) and os.path.isfile(os.path.join(where, name)):  # noqa: PTH113, PTH118
                yield name if inner == "." else f"{Path(inner).as_posix()}/{name}"


def _matches(path: str, pattern: str) -> bool:
    posix = Path(path).as_posix()
    return (
        fnmatchcase(posix, pattern) or fnmatchcase(posix, f"*/{pattern}") or posix.startswith(pattern.rstrip("/") + "/")
    )


def ignored_for(path: str, patterns: Sequence[str]) -> list[str]:
    """The patterns of `per-file-ignores` that a path matches."""
    return [pattern for pattern in patterns if _matches(path, pattern)]


def sources(named: Sequence[str], base: Path) -> list[str]:
    """The files of source folders; a file counts as it is."""
    found: dict[str, None] = {}
    for name in named:
        at = base / name
        if at.is_dir():
            found.update(dict.fromkeys(_joined(name, path) for path in below(at, SOURCES)))
        elif at.is_file():
            found[name] = None
        else:
            raise UsageError(f"there are no sources at {name!r}", repair="name a folder or a file with --sources")
    return list(found)


def pairs(named: Sequence[tuple[str, str]], base: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """The files of each pair by the same path in both folders, and the files that have no counterpart."""
    found: list[tuple[str, str]] = []
    lone: list[str] = []
    for first, second in ((_LABEL.sub("", one, 1), _LABEL.sub("", two, 1)) for one, two in named):
        left, right = base / first, base / second
        for each, written in ((left, first), (right, second)):
            if not each.exists():
                raise UsageError(
                    f"the pair names {written!r}, which is not there", repair="name two folders or two files"
                )
        if left.is_file() and right.is_file():
            found.append((first, second))
            continue
        if left.is_file() or right.is_file():
            raise UsageError(
                f"the pair {first!r} and {second!r} is a file and a folder", repair="name two folders or two files"
            )
        ours, theirs = set(below(left, PAGES)), set(below(right, PAGES))
        found += [(_joined(first, path), _joined(second, path)) for path in sorted(ours & theirs)]
        lone += [_joined(first, path) for path in sorted(ours - theirs)] + [
            _joined(second, path) for path in sorted(theirs - ours)
        ]
    return found, lone
