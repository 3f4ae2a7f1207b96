"""Status and inbox over any number of projects. Only small JSON files are read, and nothing heavy is imported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from signoff.service import edited_files

HOME, SOURCES, CONFIG = "_workflow", "0-sources", "signoff.toml"
MARKS = (HOME, SOURCES, ".promptpack", "foundation", CONFIG)
"""The folders and the file by which a project is known, before and after its first run."""

STATUS = "status.json"
DEPTH = 3
_SKIPPED = frozenset({"node_modules", "__pycache__", "turns", "objects", "messages"})


def statuses(root: Path, *, depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """The status of every run in the projects at and below a folder, each with its project and what was edited."""
    for project in projects(str(root), depth):
        for file in status_files(project):
            yield _looked_over(read(project, file), file.removesuffix(f"/{STATUS}"))


def _looked_over(status: dict[str, Any], folder: str) -> dict[str, Any]:
    """A status that says what was edited since the run looked, in place of the list of all that it rests on.

    `edited` is there only if anything was. An approval says what `changed` since it was asked for. A run that is
    complete waits for a person to resume it, as it will when it looks itself.
    """
    listed = status.pop(edited_files.DOCUMENTS, None)
    asks = [dict(ask) for ask in status["requests"]]
    found = edited_files.edited(str(status["project"]), folder, listed)
    for ask in asks:
        if ask.get("kind") == "approval" and (changed := {*_names(ask.get("changed")), *found}):
            ask["changed"] = sorted(changed)
            found = {**dict.fromkeys(_names(ask["changed"]), edited_files.CHANGED), **found}
    if not found:
        return status
    if status.get("stop") == "complete" and not any("resume" in ask.get("options", ()) for ask in asks):
        asks.append(_stale(str(status["run"]), found))
    return {**status, "requests": asks, "edited": found}


def _names(paths: object) -> list[str]:
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def _stale(run: str, found: Mapping[str, str]) -> dict[str, Any]:
    question = f"{edited_files.told(found)} since {run} was complete. Resume to have that taken in."
    return {"request": "stale", "key": "stale", "kind": "stale", "options": ["resume"], "question": question}


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
