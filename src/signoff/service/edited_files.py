"""What changed in the documents of a run since the run looked at them: a cheap look that opens no run.

A run that is complete, or that waits for an approval, lists in its `status.json` the documents that it rests on, with
their digests. Sizes and times are in a file beside it: a document is read only if they differ. Only the standard
library is imported here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from stat import S_ISREG
from typing import Any

STAMPS = ".stamps.json"
"""The file with sizes and times, in the folder of the run. It may be missing: then documents are read."""

DOCUMENTS = "documents"
CHANGED, GONE, NEW = "changed", "gone", "new"
_BLOCK = 1 << 20
_SHOWN = 3


def edited(project: str, folder: str, documents: Any) -> dict[str, str]:
    """What was edited, by path: `changed`, `gone` or `new`. `documents` is what the status lists."""
    if not _well_formed(documents):
        return {}
    files: Mapping[str, str] = documents["files"]
    stamps = _stamps(folder)
    found = {path: what for path, sha in files.items() if (what := _look(project, path, sha, stamps.get(path)))}
    for place in documents["places"]:
        found |= {path: NEW for path in _there(project, place) if path not in files}
    return found


def told(found: Mapping[str, str]) -> str:
    """What was edited, in a few words."""
    words = [f"{path} {'is ' * (what != CHANGED)}{what}" for path, what in sorted(found.items())]
    more = [f"and {len(words) - _SHOWN} more"] if len(words) > _SHOWN else []
    return ", ".join([*words[:_SHOWN], *more])


def _well_formed(documents: Any) -> bool:
    """Whether it is what the code writes: a project may come from a stranger, and only its own files are looked at."""
    if not isinstance(documents, dict):
        return False
    files, places = documents.get("files"), documents.get("places")
    if not isinstance(files, dict) or not isinstance(places, list):
        return False
    return all(isinstance(path, str) and _inner(path) for path in (*files, *places))


def _inner(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def _stamps(folder: str) -> Mapping[str, Any]:
    try:
        with open(f"{folder}/{STAMPS}", "rb") as handle:  # noqa: PTH123 - pathlib costs more than the look itself
            found = json.load(handle)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _look(project: str, path: str, sha: str, known: Any) -> str:
    """What became of a document; empty if nothing did."""
    full = f"{project}/{path}"
    try:
        stat = os.stat(full)  # noqa: PTH116
        stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
        if isinstance(known, list) and len(known) == 4:
            if known[1:] == stamp:
                return "" if known[0] == sha else CHANGED
            if known[0] == sha and known[1] != stamp[0]:
                return CHANGED
        if not S_ISREG(stat.st_mode) or _leads_out(project, full):
            return CHANGED
        return "" if _digest(full) == sha else CHANGED
    except (FileNotFoundError, NotADirectoryError):
        return GONE
    except (OSError, ValueError):  # a loop of links, or a file that may not be read: the next step says what it is
        return CHANGED


def _leads_out(project: str, full: str) -> bool:
    home = os.path.realpath(project)
    return not os.path.realpath(full).startswith(home + os.sep)


def _digest(full: str) -> str:
    import hashlib

    found = hashlib.sha256()
    fd = os.open(full, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _there(project: str, place: str) -> Iterator[str]:
    """The files at a place: a file that may be there, or a folder."""
    if place.endswith("/"):
        yield from _below(f"{project}/{place.rstrip('/')}", place)
    elif os.path.lexists(f"{project}/{place}"):
        yield place


def _below(full: str, path: str) -> Iterator[str]:
    """The files in a folder of sources, as the run finds them: hidden ones are left out, links are not followed."""
    try:
        with os.scandir(full) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{path}{entry.name}/")
        elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
            yield f"{path}{entry.name}"
