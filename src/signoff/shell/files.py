"""The file calls all else stands on: paths that stay inside, writes that are whole, errors that say who must act."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signoff.core.errors import StoreError, UsageError

_REPAIRS = {
    errno.ENOSPC: "free some space on this disk, then run `signoff resume`: nothing was lost",
    errno.EDQUOT: "free some space in your quota, then run `signoff resume`: nothing was lost",
    errno.EROFS: "make the file system writable, or work on a copy of the project",
    errno.EACCES: "give yourself permission to read and write the project folder",
    errno.EPERM: "give yourself permission to read and write the project folder",
    errno.EISDIR: "a file belongs there: remove the folder (or the link to one), or put the file back",
    errno.ENOTDIR: "a folder belongs there: move the file of that name away",
    errno.ELOOP: "remove the link: nothing is written through links",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EFBIG: "raise the file size limit of this shell (ulimit -f), then run `signoff resume`",
}


@contextmanager
def world(path: Path | str, what: str) -> Iterator[None]:
    """Turns the operating system's errors into ours, with the file and the repair."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        repair = _REPAIRS.get(error.errno or 0, "check the disk and the folder, then try again")
        raise StoreError(f"cannot {what} {path}: {reason}", repair=repair) from error


def inside(root: Path, path: str) -> Path:
    """The file that a project path names; a path that leaves the project, by dots or by a link, is refused."""
    if not _nameable(path):
        raise UsageError(f"{path!a} is no file name", repair="use a name in UTF-8 without NUL")
    full = root / path
    real = os.path.realpath(full)
    home = os.path.realpath(root)
    if Path(path).is_absolute() or ".." in Path(path).parts or not (real == home or real.startswith(home + os.sep)):
        raise UsageError(
            f"{path!r} leads out of the project" + (f" (to {real})" if full.is_symlink() else ""),
            valid=f"files below {home}",
            repair="copy the file into the project",
        )
    return full


def _nameable(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def write_whole(path: Path, data: bytes, *, durable: bool) -> None:
    """Replaces a file in one step: a reader sees the old bytes or the new, never a part.

    Durable means that the bytes and the name are on the disk when this returns. The temporary name is fixed, so what a
    killed process leaves behind is used up by the same write when it is done again.
    """
    with world(path, "write"):
        new_folders = _make_folders(path.parent)
        temporary = path.parent / f".{path.name}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
        if durable:
            for folder in (path.parent, *new_folders):
                sync_folder(folder)


def remove(path: Path) -> None:
    """Removes a file that may be gone already."""
    with world(path, "remove"):
        path.unlink(missing_ok=True)


def write_all(fd: int, data: bytes) -> None:
    """Writes all of it; the system may take a part at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _make_folders(folder: Path) -> list[Path]:
    """Makes missing folders and gives the parents whose entries are new."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
    return [one.parent for one in missing]


def read_if_there(path: Path) -> bytes | None:
    """The bytes of a file, or None when there is none."""
    with world(path, "read"):
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
