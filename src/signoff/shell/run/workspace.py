"""A turn's own folder, outside of the project: copies of its inputs, and what the turn makes of them.

Nothing here reaches the project. What differs at the end, under the contract, is given to the kernel, which accepts or
refuses it. The folder is removed either way, so a turn that crashed leaves nothing behind.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from signoff.core import events
from signoff.core.commands import StartTurn
from signoff.core.errors import StoreError, UsageError
from signoff.core.permissions import by_product, may_run, may_write
from signoff.shell.files import inside, remove, world, write_scratch
from signoff.shell.run.journal import sayable
from signoff.shell.run.processes import Commands, Ran, environment
from signoff.shell.run.store import Store

PREFIX = "signoff-turn-"
MISNAMED = (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EEXIST)
"""Errors of the system for names that the agent chose badly; all others are for the operator."""

NOTED = 4_000
"""How many characters are noted of a command's output, from its end, which usually says the result."""

MOST = 20_000_000
"""How many bytes a file of a turn may have; a larger one is reported as a stray."""


@dataclass(slots=True)
class CallLog:
    """The commands of one attempt, on disk before they begin and again when they have ended.

    A command that began and did not end may have had its effect: a person must find out. An attempt that a kill broke
    off begins again in an empty folder, so the earlier commands do not belong to its output.
    """

    store: Store
    path: str
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begun_anew(self, by: str = "") -> None:
        """Notes that the attempt begins from nothing, if commands of an earlier try are noted, or who begins it."""
        with self._lock:
            if (lines := self._lines()) or by:
                self._note([*lines, {"anew": True, **({"by": by} if by else {})}])

    def begun_by(self) -> str:
        """Who began the try that is under way; empty if that was not noted."""
        return str(next((line.get("by", "") for line in reversed(self._lines()) if "anew" in line), ""))

    def began(self, command: str) -> int:
        """Notes a command that is about to begin, and gives its number."""
        with self._lock:
            lines = self._lines()
            number = sum("began" in line for line in lines) + 1
            self._note([*lines, {"call": number, "began": command}])
        return number

    def ended(self, number: int, ran: Ran) -> None:
        """Notes how it ended."""
        late = f"\n[stopped after {ran.timed_out:g} s]" if ran.timed_out is not None else ""
        with self._lock:
            self._note([*self._lines(), {"call": number, "ended": ran.code, "output": _end(ran.output + late)}])

    def refused(self, number: int, why: str) -> None:
        """Notes that it never began."""
        with self._lock:
            self._note([*self._lines(), {"call": number, "ended": None, "output": _end(why)}])

    def gave(self, output: str) -> None:
        """Notes which output came of these commands, by its digest."""
        with self._lock:
            if lines := self._lines():
                self._note([*lines, {"output": output}])

    def ran(self, output: str | None = None) -> tuple[events.Ran, ...]:
        """The commands that led to this output; none if it came by another way.

        Without an output, the commands of the try that is under way.
        """
        calls: dict[object, events.Ran] = {}
        known: tuple[events.Ran, ...] = ()
        for line in self._lines():
            match line:
                case {"anew": True}:
                    calls.clear()
                case {"call": number, "began": str(command)}:
                    calls[number] = events.Ran(command, None, "")
                case {"call": number, "ended": int() | None as code, "output": str(said)} if number in calls:
                    calls[number] = replace(calls[number], code=code, output=said)
                case {"output": given} if given == output:
                    known = tuple(calls.values())
        return tuple(calls.values()) if output is None else known

    def uncertain(self) -> tuple[str, ...]:
        """The commands that began and whose end is unknown."""
        lines = self._lines()
        ended = {line["call"] for line in lines if "ended" in line}
        return tuple(str(line["began"]) for line in lines if "began" in line and line["call"] not in ended)

    def _lines(self) -> list[dict[str, object]]:
        data = self.store.read(self.path) or b""
        return [json.loads(line) for line in data.splitlines()]

    def _note(self, lines: list[dict[str, object]]) -> None:
        text = "".join(json.dumps(sayable(line), ensure_ascii=False) + "\n" for line in lines)
        self.store.write(self.path, text.encode(), durable=True)


class Workspace:
    """The folder of one turn, made when it is first needed. `inputs` gives the bytes of a pinned path.

    `barred` says why the project cannot have a file at a path, so that it is refused now and not after it was accepted.
    """

    def __init__(
        self,
        start: StartTurn,
        inputs: Callable[[str], bytes],
        log: CallLog,
        barred: Callable[[str], str] = lambda _path: "",
    ) -> None:
        self.start, self.log = start, log
        self._inputs, self._barred = inputs, barred
        self._lock = threading.Lock()
        self._base: Path | None = None
        self._commands: Commands | None = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._commands is not None:
            self._commands.stop()
        if self._base is not None:
            _removed(self._base)

    @property
    def folder(self) -> Path:
        """Where the turn works: its inputs are there, at their paths."""
        with self._lock:
            if self._base is None:
                self._base = self._made()
        return self._base / "work"

    @property
    def beside(self) -> Path:
        """A folder next to it that neither the turn nor its commands are told about."""
        return self.folder.parent / "beside"

    def _made(self) -> Path:
        with world(tempfile.gettempdir(), "make a folder in"):
            base = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        for name in ("work", "home", "beside"):
            (base / name).mkdir()
        for path, data in self._given().items():
            write_scratch(inside(base / "work", path), data)
        return base

    def _given(self) -> dict[str, bytes]:
        return {ref.path: self._inputs(ref.path) for ref in self.start.pinned}

    # --- what a turn may do here ---

    def own(self, path: str) -> bytes | None:
        """What the turn made at a path of its contract, if it made something there."""
        if self._base is None or not self._may_write(path):
            return None
        file = self.target(path)
        return file.read_bytes() if file.is_file() and _own(file) else None

    def target(self, path: str) -> Path:
        """The file at a path of the contract; everything else is refused."""
        if not self._may_write(path):
            raise UsageError(
                f"{path!r} is not for this turn to write",
                valid=", ".join(self.start.writes) or "none",
                repair="write only what the brief says that you may write",
            )
        if why := self._barred(path):
            raise UsageError(f"{path!r} cannot be written: {why}", repair="use another name")
        return inside(self.folder, path)

    def _may_write(self, path: str) -> bool:
        return may_write(path, self.start.writes) and not self._by_product(path)

    def _by_product(self, path: str) -> bool:
        """Whether commands leave a file behind that no turn wants; an input never is such a file."""
        given = any(ref.path == path for ref in self.start.pinned)
        return not given and by_product(path, self.start.leaves, self.start.writes)

    def write(self, path: str, data: bytes) -> None:
        """Writes a file of the contract, whole. If the old file has another name, what that name leads to stays."""
        target = self.target(path)
        if len(data) > MOST:
            problem = f"{path!r} would have {len(data)} bytes"
            raise UsageError(problem, valid=f"at most {MOST}", repair="write less, or in several files")
        try:
            with world(target, "look at"):
                linked = target.is_symlink()
            if linked:
                raise UsageError(f"{path!r} cannot be written: it is a link", repair="use another name")
            remove(target)
            write_scratch(target, data)
        except StoreError as error:
            if getattr(error.__cause__, "errno", None) not in MISNAMED:
                raise
            reason = getattr(error.__cause__, "strerror", "")
            raise UsageError(f"{path!r} cannot be written: {reason}", repair="use another name") from error

    def run(self, command: str, keep: Callable[[], None] = lambda: None) -> Ran:
        """Runs a command that the contract lists; it is noted on disk before it begins and when it has ended.

        `keep` is called before the end is noted, so the result of a command that is noted as ended is never lost.
        """
        argv = self.allowed(command)
        number = self.log.began(command)
        try:
            ran = self._running().run(argv, command)
        except UsageError as error:
            self.log.refused(number, str(error))
            raise
        keep()
        self.log.ended(number, ran)
        return ran

    def allowed(self, command: str) -> list[str]:
        """The words of a command that the contract lists. There is no shell, so none of them is expanded."""
        try:
            argv = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"{command!r} is not a valid command: {error}", repair="close what you quote") from error
        if not may_run(argv, self.start.runs):
            raise UsageError(
                f"{command!r} is not for this turn to run",
                valid="; ".join(self.start.runs) or "none",
                repair="run only what the brief says that you may run, without a shell's signs",
            )
        return argv

    def _running(self) -> Commands:
        folder = self.folder
        with self._lock:
            if self._commands is None:
                known = environment(os.environ, folder.parent / "home")
                self._commands = Commands(folder, known, self.start.limits.command)
            return self._commands

    # --- what came of it ---

    def changes(self) -> dict[str, bytes]:
        """The files of the contract that are new or differ."""
        given = self._given()
        return {
            path: data
            for path, file in self._found().items()
            if self._mine(path, file) and (data := file.read_bytes()) != given.get(path)
        }

    def strays(self) -> tuple[str, ...]:
        """Paths outside of the contract that were changed, made or removed, without by-products. None is accepted."""
        found, given = self._found(), self._given()
        if self._base is None:
            return ()
        wrong = [
            path
            for path, file in found.items()
            if not self._mine(path, file) and not self._expected(path, file, given.get(path))
        ]
        return tuple(sorted([*wrong, *(path for path in given if path not in found)]))

    def _expected(self, path: str, file: Path, given: bytes | None) -> bool:
        """Whether a file is an unchanged input or a by-product."""
        if given is None:
            return self._by_product(path)
        return file.is_file() and not file.is_symlink() and _own(file) and file.read_bytes() == given

    def _mine(self, path: str, file: Path) -> bool:
        plain = file.is_file() and not file.is_symlink() and _own(file)
        return plain and self._may_write(path) and not self._barred(path)

    def _found(self) -> Mapping[str, Path]:
        """Every file in the folder by its path; a link counts as a file, wherever it leads."""
        if self._base is None:
            return {}
        root = self._base / "work"
        return {file.relative_to(root).as_posix(): file for file in sorted(_files(root))}


def _end(said: str) -> str:
    """The end of an output, and how much is missing before it."""
    cut = len(said) - NOTED
    return f"[{cut} characters left out]\n{said[cut:]}" if cut > 0 else said


def _files(folder: Path) -> Iterator[Path]:
    """Every file below, however deep: a command may have nested more folders than Python can nest calls."""
    left = [folder]
    while left:
        for entry in left.pop().iterdir():
            if entry.is_dir() and not entry.is_symlink():
                left.append(entry)
            else:
                yield entry


def _removed(base: Path) -> None:
    """Removes a folder as far as possible, however deep, with what commands have made read-only."""
    folders = [str(base)]
    for folder in folders:  # it grows during the loop
        with suppress(OSError):
            os.chmod(folder, 0o700)  # noqa: PTH101 - names that a command made may be too long for much else
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    os.unlink(entry.path)  # noqa: PTH108
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106


def _own(file: Path) -> bool:
    """Whether a file has one name and is small enough to read: a second name may be that of a file outside."""
    found = file.stat()
    return found.st_nlink == 1 and found.st_size <= MOST
