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
from signoff.shell.outside import brave_search
from signoff.shell.outside.folder_search import Index
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.store import Store

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
            held = not _locks(other.fileno())
    except OSError as error:
        said = f"{root} cannot be written or locked: {error.strerror}"
        return Result("project folder", False, said, "mend the permissions, or move the project to another disk")
    said = f"{root} can be written and locked" if held else f"locks do not hold in {root}"
    return Result("project folder", held, said, "" if held else "move the project to a disk of this machine")


def _locks(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def looking(environment: Mapping[str, str]) -> list[Result]:
    """Whether documents can be looked for: in a folder, and on the web, which is not needed."""
    try:
        Index()
        folder = Result("search in a folder", True, f"works here: SQLite {sqlite3.sqlite_version} with FTS5")
    except SignoffError as error:
        folder = Result.of(error, "search in a folder", None)
    try:
        brave_search.key(environment)
        web = Result("search on the web", True, f"{brave_search.KEY} is set; nobody was asked whether it is valid")
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


def differences(live: LiveRun, store: Store | None = None) -> dict[str, str]:
    """The files that should follow from the journal byte for byte and do not, each with what is the matter."""
    found, home = {}, store or live.store
    for path, text in live.projections().items():
        data, should = home.read(path), None if text is None else text.encode()
        if data != should:
            found[path] = (
                "is missing" if data is None else "should not be there" if should is None else _first_line(data, should)
            )
    return found


def _first_line(data: bytes, should: bytes) -> str:
    pairs = zip([*data.splitlines(), b""], [*should.splitlines(), b""], strict=False)
    line = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)
    return f"differs from line {line}"


def edited(live: LiveRun) -> dict[str, str]:
    """The documents that a person changed since the journal's last word; the next step of the run takes them in."""
    places = live.places()
    known = {path: sha for path, sha in live.state.docs.items() if places.holds(path)}
    found = live.store.digests(sorted(known))
    return {
        path: "is gone" if path not in found else "was edited" for path, sha in known.items() if found.get(path) != sha
    }
