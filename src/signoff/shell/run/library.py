"""The run's library: every document that the run has known, by digest. What the journal cannot give again is kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, TypeVar

from signoff.core.errors import CorruptError
from signoff.core.refs import Parse, Ref, digest
from signoff.shell.run.store import Store

T = TypeVar("T")
LONGEST = 100
"""How many bytes the ending of a kept copy may have: its name must be one that a disk can have."""


class Library:
    """A `look` over a store: it remembers texts that code wrote, and keeps a person's bytes as objects."""

    def __init__(self, store: Store, run: str) -> None:
        self.store, self.run = store, run
        self._written: dict[str, bytes] = {}
        self._parsed: dict[tuple[Ref, Callable[..., Any]], Any] = {}

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T:
        key = (ref, parse)
        if key not in self._parsed:
            self._parsed[key] = _parsed(parse, self.data(ref), ref.path)
        value: T = self._parsed[key]
        return value

    def data(self, ref: Ref) -> bytes:
        """The exact bytes of a reference, from the file, the kept copy or memory."""
        if ref.sha256 in self._written:
            return self._written[ref.sha256]
        for place in (ref.path, self.place(ref)):
            data = self.store.read(place)
            if data is not None and digest(data) == ref.sha256:
                return data
        raise CorruptError(
            f"{ref.path} no longer has the bytes that the run knows ({ref.sha256[:12]}), and there is no copy of them",
            repair="put the file back as it was (git or a backup), or start a new run",
        )

    def wrote(self, text: str) -> None:
        """Remembers what code is about to write, so that it can be read before it is in its place."""
        self._written[digest(text)] = text.encode()

    def wrote_before(self, sha256: str) -> bool:
        """Whether these are bytes that the code of this run wrote, now or earlier."""
        return sha256 in self._written

    def received(self, data: bytes) -> str:
        """Remembers an output that is on disk, for the decision about it, and gives its digest."""
        self._written[sha := digest(data)] = data
        return sha

    def keep(self, ref: Ref, data: bytes | None = None) -> None:
        """Makes a durable copy of bytes that only exist in a file that people edit."""
        if self.store.read(self.place(ref)) is None:
            self.store.write(self.place(ref), self.data(ref) if data is None else data, durable=True)

    def place(self, ref: Ref) -> str:
        """Where the kept copy is. It has the file's own ending, if not too long, so that a person can open it."""
        ending = PurePosixPath(ref.path).suffix
        return f"{self.run}/objects/{ref.sha256}{ending if len(ending.encode()) <= LONGEST else ''}"


@lru_cache(maxsize=1024)
def _parsed(parse: Parse[T], data: bytes, path: str, /) -> T:
    """What these bytes say. A process opens a run many times, and what was parsed is never changed."""
    return parse(data, path)
