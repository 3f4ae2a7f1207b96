"""File calls: paths that stay inside a folder, writes that are whole, errors that say who must act."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISLNK, S_ISREG
from typing import BinaryIO

from signoff.core.errors import LockedError, StoreError, UsageError
from signoff.core.permissions import RUNS

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
        raise trouble(path, what, error) from error


def trouble(path: Path | str, what: str, error: OSError) -> StoreError:
    """What the operating system could not do, with the file and the repair."""
    reason = error.strerror or type(error).__name__
    repair = _REPAIRS.get(error.errno or 0, "check the disk and the folder, then try again")
    return StoreError(f"cannot {what} {path}: {reason}", repair=repair)


def inside(root: Path, path: str, of: str = "project") -> Path:
    """The file that a path below a root names; one that leaves it, by dots or by a link, is refused."""
    if not _nameable(path):
        raise UsageError(f"{path!a} is not a file name", repair="use a name in UTF-8 without NUL")
    parts = path.split("/")
    full = root / path
    if ".." in parts or path.startswith("/") or _leaves(root, parts):
        raise UsageError(
            f"{path!r} leads out of the {of}" + (f" (to {os.path.realpath(full)})" if full.is_symlink() else ""),
            valid=f"files below {_real_root(root)}",
            repair=f"copy the file into the {of}",
        )
    return full


def _leaves(root: Path, parts: list[str]) -> bool:
    """Whether a link on the way leads out. Without a link there is nothing to resolve."""
    home = _real_root(root)
    known = _seen(home, tuple(parts[:-1])) if parts[0] == RUNS else 0
    at = "/".join((home, *parts[:known]))
    for part in parts[known:]:
        at = f"{at}/{part}"
        if os.path.islink(at):  # noqa: PTH114 - this is asked many times a turn, and pathlib costs more than the look
            real = os.path.realpath(f"{home}/{'/'.join(parts)}")
            return not (real == home or real.startswith(home + os.sep))
    return False


def _seen(home: str, folders: tuple[str, ...]) -> int:
    """How many parts of the path are known to hold no link: those of a run's own folder, checked once.

    Folders that people and agents write to are checked every time.
    """
    if (home, folders) not in _SEEN:
        ways = ["/".join((home, *folders[: end + 1])) for end in range(len(folders))]
        if not all(os.path.isdir(way) and not os.path.islink(way) for way in ways):  # noqa: PTH112, PTH114
            return 0
        _SEEN.add((home, folders))
    return len(folders)


_SEEN: set[tuple[str, tuple[str, ...]]] = set()


@cache
def _real_root(root: Path) -> str:
    return os.path.realpath(root)


LONGEST_NAME, LONGEST_PATH, DEEPEST = 255, 4_000, 64
"""The most bytes that file systems take in a name and in a path, and how many folders may lie above a file."""


def barred(root: Path, path: str) -> str:
    """Why a file cannot be put at a path below a root, in words; empty if it can. Nothing is written through links."""
    *folders, name = path.split("/")
    longest = max(len(os.fsencode(part)) for part in (*folders, _temporary(name)))
    if longest > LONGEST_NAME or len(os.fsencode(root / path)) > LONGEST_PATH:
        return "File name too long"
    if len(folders) > DEEPEST:
        return f"it lies in {len(folders)} folders, and {DEEPEST} are the most"
    at = root
    for folder in folders:
        at /= folder
        if (mode := _mode(at)) is None:
            return ""
        if not S_ISDIR(mode):
            return f"{at.relative_to(root)} is {_in_words(mode)} and no folder"
    mode = _mode(root / path)
    return "" if mode is None or S_ISREG(mode) else f"{_in_words(mode)} is there"


def _in_words(mode: int) -> str:
    kinds = {S_ISLNK: "a link, which nothing is put through,", S_ISDIR: "a folder", S_ISREG: "a file"}
    return next((words for is_one, words in kinds.items() if is_one(mode)), "a pipe or a device")


def _mode(path: Path) -> int | None:
    with world(path, "look at"):
        try:
            return os.lstat(path).st_mode
        except FileNotFoundError:
            return None


def _temporary(name: str) -> str:
    return f".{name}.tmp"


def _nameable(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def write_whole(path: Path, data: bytes, *, durable: bool) -> None:
    """Replaces a file in one step: a reader sees the old bytes or the new, never a part.

    Durable means that the bytes and the name are on the disk when this returns. The temporary name is fixed, so the
    same write, done again, uses up what a killed process left.
    """
    with world(path, "write"):
        temporary = temporary_of(path)
        fd = open_making_folders(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
        try:
            _keep_mode(fd, path)
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
        if durable:
            sync_folder(path.parent)


def temporary_of(path: Path) -> Path:
    """Where a file is while it is written whole."""
    return path.parent / _temporary(path.name)


def _keep_mode(fd: int, path: Path) -> None:
    """Gives the new bytes the permissions of the old file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if S_ISREG(mode) and S_IMODE(mode) != S_IMODE(os.fstat(fd).st_mode):
        os.fchmod(fd, S_IMODE(mode))


def write_plain(path: Path, data: bytes) -> None:
    """Writes a file that a kill may leave in part: only for what is made again before it is relied on."""
    with world(path, "write"):
        fd = open_making_folders(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
        try:
            write_all(fd, data)
        finally:
            os.close(fd)


def write_scratch(path: Path, data: bytes) -> None:
    """Writes a file in a folder that is thrown away, and makes its folders, without waiting for the disk."""
    with world(path, "write"):
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
    write_plain(path, data)


def open_making_folders(path: Path, flags: int) -> int:
    """Opens a file; missing folders above it are made, and their names made durable."""
    flags |= os.O_CLOEXEC | os.O_NONBLOCK  # a pipe in the place of a file is an error; do not wait for it
    try:
        return os.open(path, flags, 0o644)
    except FileNotFoundError:
        make_folders(path.parent)
        return os.open(path, flags, 0o644)


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


def make_folders(folder: Path) -> None:
    """Makes missing folders, and their names durable, so that durable files in them are found again."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        sync_folder(one.parent)


def read_if_there(path: Path) -> bytes | None:
    """The bytes of a file, or None if there is none."""
    with world(path, "read"):
        try:
            with open_to_read(path) as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None


def open_to_read(path: Path) -> BinaryIO:
    """Opens a regular file, without waiting if a pipe is in its place."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if S_ISREG(os.fstat(fd).st_mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    raise IsADirectoryError(errno.EISDIR, "it is not a regular file")


# --- whole folders ----------------------------------------------------------------------------------------------------


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name if the block ends well: a kill leaves it whole, or nothing of that name.

    It is filled beside its place, under a fixed name that begins with a dot. The next try uses up what a kill left.
    """
    refuse_taken(target)
    part = target.parent / f".{target.name}.part"
    with world(part, "make"):
        make_folders(target.parent)
        part.mkdir(exist_ok=True)
        fd = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _hold(fd, part)
        _empty(part)
        try:
            yield part
        except BaseException:
            _empty(part)
            part.rmdir()
            raise
        with world(target, "make"):
            _sync_below(part)
            part.rename(target)
            sync_folder(target.parent)
    finally:
        os.close(fd)


def refuse_taken(target: Path) -> None:
    """Refuses a target that is not new or empty."""
    with world(target, "read"):
        if (
            target.is_symlink()
            or (target.exists() and not target.is_dir())
            or (target.is_dir() and any(target.iterdir()))
        ):
            raise UsageError(f"{target} is there already", valid="a new folder or an empty one", repair="name another")


def _hold(fd: int, part: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_ino == os.stat(part).st_ino:  # noqa: PTH116 - compared with what the descriptor says
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    raise LockedError(f"another process is making {part.name}", repair="wait for it, or name another folder")


def _empty(folder: Path) -> None:
    with world(folder, "empty"):
        for entry in folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def _sync_below(folder: Path) -> None:
    """Puts every file and every name below on the disk."""
    for home, _, names in os.walk(folder):
        for name in names:
            fd = os.open(f"{home}/{name}", os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        sync_folder(Path(home))
