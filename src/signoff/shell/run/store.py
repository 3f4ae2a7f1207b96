"""Where a project lives. A store is accepted when it passes `signoff.testing.conformance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from signoff.core.permissions import followed
from signoff.shell.run.journal import Commit


class Store(Protocol):
    """Documents by path, and a journal per run folder whose commits are compare-and-swap on the revision."""

    @property
    def name(self) -> str:
        """How a person names this store, for messages."""

    def locked(self, run: str) -> AbstractAsyncContextManager[None]:
        """Holds the run for one commit and its roll-forward. Waiting for a person never holds it."""

    def lease(self, run: str, turn: str) -> AbstractContextManager[bool]:
        """Holds one turn while it is worked on; False if another process holds it. A holder that dies lets go."""

    async def commits(self, run: str, after: int) -> Sequence[Commit]:
        """The commits after a revision."""

    async def commit(self, run: str, commit: Commit) -> None:
        """Appends durably if the run is still at `commit.base`; raises MovedError otherwise."""

    def read(self, path: str) -> bytes | None:
        """A document's bytes, or None."""

    def write(self, path: str, data: bytes | None, *, durable: bool) -> None:
        """Replaces or removes a document, whole."""

    def jot(self, path: str, data: bytes) -> None:
        """Writes a document that a kill may leave in part: only for what is written again before it is relied on."""

    def barred(self, path: str) -> str:
        """Why a file of an agent cannot be put at a path, in words; empty if it can."""

    def digests(self, places: Sequence[str]) -> Mapping[str, str]:
        """The digests of what is there at these paths; a path that ends in a slash means everything below it."""

    def stamp(self, path: str, documents: Sequence[str]) -> None:
        """Notes digests, sizes and times of documents in a file, so that a look from outside is cheap.

        A store that has no such file does nothing; nothing may depend on it.
        """

    def matching(self, patterns: Sequence[str]) -> Sequence[str]:
        """The paths that these patterns mean (`core/watched_paths.py`). Wildcards do not match links."""

    def runs(self) -> Sequence[str]:
        """The folders of the runs that this project holds."""


def covers(places: Sequence[str], path: str) -> bool:
    """Whether a path is one of these places, or below one that ends in a slash."""
    return any(path.startswith(place) if place.endswith("/") else path == place for place in places)


@dataclass(frozen=True, slots=True)
class Places:
    """What a run watches in a project: the documents it tracks, its sources, and what it follows by patterns."""

    tracked: tuple[str, ...]
    sources: tuple[str, ...]
    patterns: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether the run watches this path."""
        return covers(self.sources, path) or self.keeps(path)

    def keeps(self, path: str) -> bool:
        """Whether the run keeps a copy of its bytes, because they may change."""
        return covers(self.tracked, path) or followed(path, self.patterns)

    def digests(self, store: Store) -> dict[str, str]:
        """The digests of all that is there."""
        return dict(store.digests([*self.tracked, *self.sources, *store.matching(self.patterns)]))
