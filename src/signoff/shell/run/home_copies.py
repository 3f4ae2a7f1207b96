"""What a person keeps in their home across projects: runs work on copies of it, and lend it what they found out.

A copy is a document of the project like any other, so a run can be replayed without that home. Nothing in the home is
overwritten, and a problem with it is reported and stops nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from signoff.artifacts.text_decoding import MAX_BYTES
from signoff.core.errors import DefinitionError, OperatorError, UsageError
from signoff.core.refs import digest
from signoff.shell.files import inside, make_folders, remove, sync_folder, world, write_all
from signoff.shell.run.folder_store import FolderStore, shown_name

HERE = "~/"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the home: its name (`~/…`), the path of its copy in the project, and its digest."""

    path: str
    copy: str
    sha256: str


def chosen() -> Path | None:
    """The home folder that HOME names; without one there is nothing to borrow."""
    home = os.environ.get("HOME", "")
    return Path(home) if home.startswith("/") else None


def refuse_elsewhere(path: str, patterns: Mapping[str, str]) -> None:
    """Refuses to lend a file into a folder that the workflow does not borrow from."""
    folders = {_split(pattern)[0] for pattern in patterns}
    if _split(path)[0] not in folders:
        raise DefinitionError(
            f"a run would write {path!r} in the person's home",
            valid=", ".join(f"files in {HERE}{folder}" for folder in sorted(folders)) or "nothing: it borrows nothing",
            repair="name the folder under `borrows` of the workflow too",
        )


class Home:
    """A person's home, for one run. `run` names it with its project, so the name is unique on this machine.

    What is wrong with a file there is reported once, and the file is left out.
    """

    def __init__(self, folder: Path, run: str, notice: Callable[[str], None]) -> None:
        self._files = FolderStore(folder)
        self._mark = digest(run)[:12]
        self._notice = notice
        self._told: set[str] = set()

    def tell(self, text: str) -> None:
        """Tells the person, once."""
        if text not in self._told:
            self._told.add(text)
            self._notice(text)

    def _leave_out(self, path: str, error: OSError | OperatorError | UsageError) -> None:
        said = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
        shown = path if path.isprintable() else ascii(path)
        self.tell(f"{HERE}{shown} is left out: {said or type(error).__name__}")

    # --- borrowing ---

    def kept(self, patterns: Mapping[str, str]) -> Iterator[Kept]:
        """Every file that matches one of the patterns; `*` stands for any part of the last name."""
        for pattern, folder in patterns.items():
            for path in self._matching(*_split(pattern)):
                if sha := self._digest(path):
                    yield Kept(f"{HERE}{path}", f"{folder.rstrip('/')}/{_split(path)[1]}", sha)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file that was found; None if it is gone by now or can no longer be read."""
        bare = path.removeprefix(HERE)
        try:
            return self._files.read(bare)
        except (OperatorError, UsageError) as error:
            self._leave_out(bare, error)
            return None

    def _matching(self, folder: str, pattern: str) -> list[str]:
        try:
            names = os.listdir(inside(self._files.root, folder, "home"))  # noqa: PTH208 - names are matched, not paths
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, UsageError) as error:
            self._leave_out(folder, error)
            return []
        hidden = pattern.startswith(".")  # a star does not mean what is hidden
        return sorted(f"{folder}/{n}" for n in names if fnmatchcase(n, pattern) and (hidden or not n.startswith(".")))

    def _digest(self, path: str) -> str | None:
        try:
            size = inside(self._files.root, shown_name(path), "home").stat().st_size
            if size > MAX_BYTES:
                raise UsageError(f"it has {size:,} bytes", valid=f"at most {MAX_BYTES:,}", repair="shorten or split it")
            return self._files.digests([path]).get(path)
        except (OSError, OperatorError, UsageError) as error:
            self._leave_out(path, error)
            return None

    # --- lending ---

    def lend(self, path: str, data: bytes) -> None:
        """Writes a file there, whole and durable, unless the person has one of that name: then theirs stays."""
        bare = path.removeprefix(HERE)
        try:
            full = inside(self._files.root, bare, "home")
            with world(full, "write"):
                if not self._made(full, data) and self._files.digests([bare]).get(bare) != digest(data):
                    self.tell(f"{path} is there already and differs from what this run found out: yours stays as it is")
        except (OperatorError, UsageError) as error:
            self.tell(f"{path} was not written: {str(error).rstrip('.')}")

    def _made(self, path: Path, data: bytes) -> bool:
        """Links the new bytes to the name: unlike a rename, a link never replaces another file.

        The temporary name belongs to the run, so the same write, done again, uses up what a kill left. It is removed
        first, because it may be a second name of the file itself.
        """
        temporary = path.parent / f".{path.name}.{self._mark}.tmp"
        remove(temporary)
        if os.path.lexists(path):
            return False
        make_folders(path.parent)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
        finally:
            remove(temporary)
        sync_folder(path.parent)
        return True


def _split(path: str) -> tuple[str, str]:
    """The folder below the home, and the name in it."""
    folder, _, name = path.removeprefix(HERE).rpartition("/")
    return folder, name
