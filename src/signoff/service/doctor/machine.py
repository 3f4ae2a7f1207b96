"""The machine and the journals of a project: can it be worked on, and does what is on disk add up?"""

from __future__ import annotations

import fcntl
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path

from signoff.core.errors import SignoffError
from signoff.service.doctor.results import Result
from signoff.service.project import Project
from signoff.service.recordings.differences import differences
from signoff.shell.outside import brave_search
from signoff.shell.outside.folder_search import Index

OLDEST = (3, 11)
RESTORE = "restore the run's folder from git or a backup"


def python(version: tuple[int, ...]) -> Result:
    """The Python that runs this."""
    shown, oldest = ".".join(map(str, version)), ".".join(map(str, OLDEST))
    return Result(
        "python", version >= OLDEST, f"{shown}, at least {oldest} is needed", f"install Python {oldest} or newer"
    )


def writable(root: Path) -> Result:
    """Whether the project can be written, and whether a lock taken there holds."""
    try:
        with tempfile.NamedTemporaryFile(dir=root, prefix=".signoff-doctor-") as file, open(file.name, "rb") as other:  # noqa: PTH123
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            try:
                fcntl.flock(other.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                held = False
            except BlockingIOError:
                held = True
    except OSError as error:
        said = f"{root} cannot be written or locked: {error.strerror}"
        return Result("project folder", False, said, "correct the permissions, or move the project to another disk")
    said = f"{root} can be written and locked" if held else f"locks do not hold in {root}"
    return Result("project folder", held, said, "" if held else "move the project to a disk of this machine")


def looking(environment: Mapping[str, str]) -> list[Result]:
    """Whether documents can be looked for: in a folder, and on the web, which is not needed."""
    try:
        Index()
        folder = Result("search in a folder", True, f"works here: SQLite {sqlite3.sqlite_version} with FTS5")
    except SignoffError as error:
        folder = Result.of(error, "search in a folder", None)
    try:
        brave_search.key(environment)
        web = Result("search on the web", True, f"{brave_search.KEY} is set; it was not tried")
    except SignoffError as error:
        web = Result.of(error, "search on the web", None)
    return [folder, web]


# --- journals ---------------------------------------------------------------------------------------------------------


async def journal(project: Project, folder: str) -> Result:
    """Whether one run's journal adds up, and whether the files that follow from it are what it says."""
    try:
        live = await project.open_folder(folder)
        if live is None:
            return Result(f"journal {folder}", False, "it does not begin with a start", RESTORE)
    except SignoffError as error:
        return Result.of(error, f"journal {folder}", False)
    differing = differences(live)
    said = f"{live.run}: revision {live.state.rev} adds up" + (
        f"; not as it says: {', '.join(differing)}" if differing else ""
    )
    return Result(f"journal {folder}", not differing, said, f"put them right with `signoff resume {live.run}`")
