"""Status and inbox over any number of projects. Only small JSON files are read, and nothing heavy is imported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOME, SOURCES, CONFIG = "_workflow", "0-sources", "signoff.toml"
MARKS = (HOME, SOURCES, ".promptpack", "foundation", CONFIG)
"""The folders and the file by which a project is known, before and after its first run."""

STATUS = "status.json"
DEPTH = 3
_SKIPPED = frozenset({"node_modules", "__pycache__", "turns", "objects", "messages"})


def statuses(root: Path, *, depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """The status of every run in the projects at and below a folder, each with its project."""
    for project in projects(str(root), depth):
        for file in status_files(project):
            yield read(project, file)


def inbox(root: Path) -> list[dict[str, Any]]:
    """Everything that waits for a person, over all runs."""
    return [
        {"project": status["project"], "run": status["run"], "workflow": status.get("workflow", "?"), **request}
        for status in statuses(root)
        for request in status.get("requests", ())
    ]


def around(folder: Path) -> Path | None:
    """The project that a folder is or lies in: the nearest one that looks like a project."""
    above = folder.resolve()
    return next((one for one in (above, *above.parents) if any((one / mark).exists() for mark in MARKS)), None)


def projects(folder: str, depth: int = DEPTH) -> Iterator[str]:
    """The project folders at and below a folder."""
    try:
        with os.scandir(folder) as entries:
            below = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    if HOME in below:
        yield folder
        return
    if depth:
        for name in sorted(below):
            if not name.startswith(".") and name not in _SKIPPED:
                yield from projects(f"{folder}/{name}", depth - 1)


def status_files(project: str) -> Iterator[str]:
    """The small files of a project, one a run."""
    home = f"{project}/{HOME}"
    if os.path.exists(f"{home}/{STATUS}"):  # noqa: PTH110 - pathlib costs more than the look itself, ten thousand times
        yield f"{home}/{STATUS}"
    for workflow in _folders(home):
        for run in _folders(f"{home}/{workflow}"):
            if os.path.exists(file := f"{home}/{workflow}/{run}/{STATUS}"):  # noqa: PTH110
                yield file


def _folders(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name not in _SKIPPED)


def read(project: str, file: str) -> dict[str, Any]:
    """What one of them says; one that cannot be read is a status that says so."""
    try:
        with open(file, "rb") as handle:  # noqa: PTH123
            status: dict[str, Any] = {"project": project, "requests": [], **json.load(handle)}
        if isinstance(status["run"], str) and all(isinstance(ask, dict) for ask in status["requests"]):
            return status
        found: object = "it is not what the code writes"
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        found = error
    problem = f"{file}: {found}; the next step of the run writes it again"
    return {"project": project, "run": "?", "workflow": "?", "problem": problem, "requests": []}
