"""The folder store: a project is a folder, a journal is a file, and a dead process lets go of every lock it held."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import unicodedata
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from stat import S_ISREG

from signoff.core.errors import CorruptError, DefinitionError, LockedError, MovedError, StoreError, UsageError
from signoff.core.permissions import below, found, wild
from signoff.core.refs import digest
from signoff.shell.files import (
    barred,
    inside,
    make_folders,
    open_making_folders,
    open_to_read,
    read_if_there,
    remove,
    sync_folder,
    temporary_of,
    trouble,
    world,
    write_all,
    write_plain,
    write_whole,
)
from signoff.shell.run.journal import Commit, Tail, decode, encode
from signoff.shell.run.store import covers

JOURNAL = "journal.jsonl"
FORK = "fork.json"
"""The file that says that a run is a fork, and of which run."""

LOCK_SECONDS = 30.0
LOCK_STEP = 0.002


class FolderStore:
    """A project as plain files. All calls are short, so they run where they are called."""

    def __init__(self, root: Path, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.root = root
        self.lock_seconds = lock_seconds
        self._tails: dict[str, Tail] = {}
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}

    @property
    def name(self) -> str:
        return str(self.root)

    # --- holding ---

    @asynccontextmanager
    async def locked(self, run: str) -> AsyncIterator[None]:
        path = inside(self.root, f"{run}/.lock")
        with world(path, "lock"):
            fd = open_making_folders(path, os.O_RDWR | os.O_CREAT)
        try:
            await self._wait_for(fd, path)
            yield
        finally:
            os.close(fd)

    async def _wait_for(self, fd: int, path: Path) -> None:
        waited = 0.0
        while not _try_lock(fd):
            if waited >= self.lock_seconds:
                pid = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
                holder = f"another process (process {pid})" if pid else "another process"
                raise LockedError(
                    f"{path.parent} is held by {holder} for over {self.lock_seconds:.0f} s",
                    repair="wait for it or end it; a process that died holds nothing",
                )
            await asyncio.sleep(LOCK_STEP)
            waited += LOCK_STEP
        with suppress(OSError):  # the holder is only noted for the message; a full disk does not matter here
            os.pwrite(fd, f"{os.getpid():<10}\n".encode(), 0)

    @contextmanager
    def lease(self, run: str, turn: str) -> Iterator[bool]:
        folder = inside(self.root, f"{run}/turns/{turn}")
        with world(folder, "lease"):
            make_folders(folder)
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield _try_lock(fd)
        finally:
            os.close(fd)

    # --- the journal ---

    async def commits(self, run: str, after: int) -> Sequence[Commit]:
        tail = self._tails.get(run, Tail())
        if tail.rev > after:
            tail = Tail()
        commits, self._tails[run] = self._read_journal(run, tail)
        return [commit for commit in commits if commit.rev > after]

    async def commit(self, run: str, commit: Commit) -> None:
        path = inside(self.root, f"{run}/{JOURNAL}")
        with world(path, "write"):
            fd = open_making_folders(path, os.O_RDWR | os.O_CREAT)
        try:
            with world(path, "lock"):
                fcntl.flock(fd, fcntl.LOCK_EX)
            await self.commits(run, self._tails.get(run, Tail()).rev)
            tail = self._tails[run]
            if tail.rev != commit.base:
                raise MovedError(commit.base, tail.rev)
            self._append(run, path, fd, encode(commit, tail), tail)
        finally:
            os.close(fd)

    def _append(self, run: str, path: Path, fd: int, line: bytes, tail: Tail) -> None:
        """One write and one fsync. If a writer that died left a part of a line at the end, it is cut off first."""
        with world(path, "write"):
            if os.fstat(fd).st_size != tail.size:
                os.ftruncate(fd, tail.size)
            try:
                os.lseek(fd, tail.size, os.SEEK_SET)
                write_all(fd, line)
                os.fsync(fd)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(fd, tail.size)
                raise
            if not tail.size:
                sync_folder(path.parent)
        _, self._tails[run] = decode(line, tail, str(path))

    def _read_journal(self, run: str, tail: Tail) -> tuple[Sequence[Commit], Tail]:
        path = inside(self.root, f"{run}/{JOURNAL}")
        with world(path, "read"):
            try:
                found = path.stat()
                if S_ISREG(found.st_mode) and found.st_size == tail.size:
                    return (), tail
                with open_to_read(path) as file:
                    size = file.seek(0, os.SEEK_END)
                    file.seek(tail.size)
                    data = file.read()
            except FileNotFoundError:
                return (), Tail()
        if size < tail.size:
            raise CorruptError(f"{path} became shorter while it was in use", repair="restore it from git or a backup")
        return decode(data, tail, str(path))

    # --- documents ---

    def read(self, path: str) -> bytes | None:
        return read_if_there(inside(self.root, path))

    def write(self, path: str, data: bytes | None, *, durable: bool) -> None:
        full = inside(self.root, path)
        if data is None:
            remove(full)
            remove(temporary_of(full))  # what a kill left of writing it
        else:
            write_whole(full, data, durable=durable)

    def jot(self, path: str, data: bytes) -> None:
        write_plain(inside(self.root, path), data)

    def barred(self, path: str) -> str:
        return barred(self.root, path)

    def digests(self, places: Sequence[str]) -> Mapping[str, str]:
        seen = ((path, self._seen(path, entry)) for path, entry in self._files(places))
        return {path: sha for path, sha in seen if sha is not None}

    def _seen(self, path: str, entry: os.DirEntry[str] | None) -> str | None:
        """The digest of a file; None if it is gone. It is called for every document at every commit."""
        full = entry.path if entry else str(inside(self.root, path))
        try:
            return self._digest(path, full, entry.stat(follow_symlinks=False) if entry else os.stat(full))  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise trouble(full, "read", error) from error

    def _digest(self, path: str, full: str, stat: os.stat_result) -> str:
        if not S_ISREG(stat.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is not a regular file")
        stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = (stamp, digest(Path(full).read_bytes()))
        return known[1]

    def _files(self, places: Sequence[str]) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
        """Every named file, and every file in a named folder, with its directory entry if no link leads to it."""
        for place in places:
            if not place.endswith("/"):
                yield place, None
                continue
            folder = inside(self.root, place.rstrip("/"))
            with world(folder, "read"):
                if folder.exists() and not folder.is_dir():
                    raise NotADirectoryError(errno.ENOTDIR, "it is not a folder")
                entries = _documents(str(folder), place)
            for path, entry in entries:
                yield shown_name(path), None if entry.is_symlink() else entry

    def stamp(self, path: str, documents: Sequence[str]) -> None:
        with suppress(StoreError, UsageError):  # it only saves reading: without it, documents are read
            self.digests(documents)
            known = ((one, self._known.get(one)) for one in documents)
            stamps = {one: [found[1], *found[0][1:]] for one, found in known if found}
            self.jot(path, json.dumps(stamps, ensure_ascii=False).encode())

    def matching(self, patterns: Sequence[str]) -> Sequence[str]:
        plain = [path for path in patterns if not wild(path) and os.path.isfile(f"{self.root}/{path}")]  # noqa: PTH113
        far = tuple(sorted({pattern for pattern in patterns if wild(pattern)}))
        return sorted({*plain, *map(shown_name, self._below("", far))})

    def _below(self, folder: str, patterns: tuple[str, ...]) -> Iterator[str]:
        """The files below a folder that the patterns mean; folders that cannot hold any are skipped."""
        if not patterns:
            return
        full = self.root / folder
        with world(full, "read"):
            try:
                entries = list(os.scandir(full))
            except (FileNotFoundError, NotADirectoryError):  # it is gone since it was seen
                return
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from self._below(f"{path}/", below(path, patterns))
            elif entry.is_file(follow_symlinks=False) and found(path, patterns):
                yield path

    def runs(self) -> Sequence[str]:
        home = self.root / "_workflow"
        found = [*home.glob(JOURNAL), *home.glob(f"*/*/{JOURNAL}")]
        return sorted(path.parent.relative_to(self.root).as_posix() for path in found)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _documents(folder: str, path: str) -> list[tuple[str, os.DirEntry[str]]]:
    """The files and links below a folder (a link that leads out is refused later); hidden files are left out."""
    try:
        entries = sorted(os.scandir(folder), key=attrgetter("name"))
    except (FileNotFoundError, NotADirectoryError):  # it is not there, or gone since it was seen
        return []
    found = []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            found += _documents(entry.path, f"{path}{entry.name}/")
        elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
            found.append((f"{path}{entry.name}", entry))
    return found


def shown_name(path: str) -> str:
    """The path, if journals and briefs can carry it: a line break in a name would become a line of a brief."""
    if path.isprintable() or not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in path):
        return path
    raise UsageError(
        f"the file name {path!a} has characters that cannot be shown (line breaks, control characters, or bytes that "
        "are not UTF-8)",
        valid="names of printable characters in UTF-8",
        repair="rename the file",
    )


class ReplayStore(FolderStore):
    """A project of which only a run's recording can be read: the journal, raw outputs, kept copies and sources.

    So what a replay makes cannot have been read from the files that it is compared with. Nothing can be written.
    """

    def __init__(self, root: Path, run: str, sources: Sequence[str]) -> None:
        super().__init__(root)
        self.run, self.sources = run, tuple(sources)

    def read(self, path: str) -> bytes | None:
        return super().read(path) if self.holds(path) else None

    def holds(self, path: str) -> bool:
        """Whether this file belongs to the recording."""
        parts = path.removeprefix(f"{self.run}/").split("/")
        if path.startswith(f"{self.run}/") and parts[0] in ("turns", "objects"):
            return parts[0] == "objects" or parts[-1].startswith("raw-")
        return self.is_source(path)

    def is_source(self, path: str) -> bool:
        """Whether people put it in and no run writes it."""
        return covers(self.sources, path)

    def write(self, path: str, data: bytes | None, *, durable: bool) -> None:  # noqa: ARG002 - the store's
        raise DefinitionError(
            f"{path} is to be written while a recording is replayed", repair="write to the project's own store"
        )

    def jot(self, path: str, data: bytes) -> None:
        self.write(path, data, durable=False)

    async def commit(self, run: str, commit: Commit) -> None:  # noqa: ARG002 - the store's
        raise DefinitionError(
            f"{run} is to be moved while its recording is replayed", repair="move it in the project's own store"
        )
