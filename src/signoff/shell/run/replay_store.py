"""A run's folder as a recording: what happened, and the bytes that came from outside. Everything else follows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from signoff.core.errors import DefinitionError
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.journal import Commit
from signoff.shell.run.store import covers


class Tape(FolderStore):
    """A project of which only the recording is seen: the journal, raw outputs, kept copies and sources.

    What is made again on it cannot have been read from the files that it is compared with. Nothing is written.
    """

    def __init__(self, root: Path, run: str, sources: Sequence[str]) -> None:
        super().__init__(root)
        self.run, self.sources = run, tuple(sources)

    def read(self, path: str) -> bytes | None:
        return super().read(path) if self.holds(path) else None

    def holds(self, path: str) -> bool:
        """Whether this is a part of the recording."""
        parts = path.removeprefix(f"{self.run}/").split("/")
        if path.startswith(f"{self.run}/") and parts[0] in ("turns", "objects"):
            return parts[0] == "objects" or parts[-1].startswith("raw-")
        return self.is_source(path)

    def is_source(self, path: str) -> bool:
        """Whether people put it in, and no run ever writes it."""
        return covers(self.sources, path)

    def write(self, path: str, data: bytes | None, *, durable: bool) -> None:  # noqa: ARG002 - the store's
        raise DefinitionError(f"{path} is to be written on a tape", repair="write to the project's own store")

    def jot(self, path: str, data: bytes) -> None:
        self.write(path, data, durable=False)

    async def commit(self, run: str, commit: Commit) -> None:  # noqa: ARG002 - the store's
        raise DefinitionError(f"{run} is to be moved on a tape", repair="move it in the project's own store")
