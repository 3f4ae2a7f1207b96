"""One command of an agent: no shell, an environment without keys, a time limit, a capped output.

What a command starts ends with it, as long as it stays in the command's process group. A child that leaves the group
survives: a plan that lists a command for a turn trusts it that far.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from signoff.core.errors import UsageError

KEPT = 10_000
"""How many bytes of a long output are kept at its beginning, and as many at its end."""

PASSED = ("LANG", "LC_ALL", "LC_CTYPE")
CHUNK = 65_536
POLL = 0.05


class CutOffError(Exception):
    """The turn ended while its command ran: it is unknown how far the command came."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. `code` is negative for a signal, as the system has it."""

    command: str
    code: int
    output: str
    cut: int = 0
    timed_out: float | None = None

    def told(self) -> str:
        """The result as an agent reads it."""
        late = f", stopped after {self.timed_out:g} s" if self.timed_out is not None else ""
        return f"exit code {self.code}{late}\n{self.output}"


def environment(outer: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment of a command: where programs are, and a home of its own.

    The programs beside our own Python come last, so that `python` is found where the system only has `python3`.
    """
    passed = {name: outer[name] for name in PASSED if name in outer}
    path = os.pathsep.join([outer.get("PATH", os.defpath), str(Path(sys.executable).parent)])
    return {"LANG": "C.UTF-8", **passed, "PATH": path, "HOME": str(home), "TMPDIR": str(home)}


@dataclass(slots=True)
class Commands:
    """The commands of one turn, in its folder. `stop` ends all that are running, and no further one begins."""

    folder: Path
    environment: Mapping[str, str]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _groups: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, argv: Sequence[str], shown: str) -> Ran:
        """Runs one command until it ends or its time is up; its process group ends with it."""
        output = _Capped()
        with self._started(argv) as process:
            ended = self._listen(process, output)
            kill_group(process.pid)
            code = process.wait()
        if self._stopped:
            raise CutOffError(shown)
        return Ran(shown, code, output.text(), output.cut, None if ended else self.seconds)

    def stop(self) -> None:
        """Kills what is running."""
        with self._lock:
            self._stopped = True
            for group in self._groups:
                kill_group(group)

    @contextmanager
    def _started(self, argv: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        program = (
            shutil.which(argv[0], path=self.environment.get("PATH", os.defpath)) if "/" not in argv[0] else argv[0]
        )
        with self._lock:
            if self._stopped:
                raise UsageError("the turn has ended", repair="nothing to do")
            process = self._popen(program or argv[0], argv)
            self._groups.add(process.pid)
        try:
            with process:
                yield process
        finally:
            with self._lock:
                self._groups.discard(process.pid)

    def _popen(self, program: str, argv: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [program, *argv[1:]],
                cwd=self.folder,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(
                f"{argv[0]!r} cannot be run: {reason}", repair="is it installed, and on the PATH?"
            ) from error

    def _listen(self, process: subprocess.Popen[bytes], output: _Capped) -> bool:
        """Takes the output in until the command has ended; False when its time was up first.

        A grandchild may keep the pipe open for ever, so the end of the command counts and not the end of the pipe.
        """
        assert process.stdout is not None  # it was opened with a pipe
        pipe, until = process.stdout.fileno(), self.clock() + self.seconds
        os.set_blocking(pipe, False)
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while (left := until - self.clock()) > 0:
                if selector.select(min(left, POLL)) and not output.take(pipe):
                    return _ends_within(process, until - self.clock())
                if process.poll() is not None:
                    output.drain(pipe)
                    return True
        return False


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(max(0.0, seconds))
    except subprocess.TimeoutExpired:
        return False
    return True


def kill_group(group: int) -> None:
    """Ends a process and what it started in its group; it may have ended already."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class _Capped:
    """The beginning and the end of an output, however long it is between."""

    def __init__(self) -> None:
        self.head, self.tail, self.cut = b"", b"", 0

    def take(self, pipe: int) -> bool:
        """Reads what is there; False at the end of the pipe."""
        try:
            data = os.read(pipe, CHUNK)
        except BlockingIOError:
            return True
        self._add(data)
        return bool(data)

    def drain(self, pipe: int) -> None:
        """Reads what a command that has ended left in the pipe: at most what fits in it, if others go on writing."""
        for _ in range(16):
            with suppress(BlockingIOError):
                data = os.read(pipe, CHUNK)
                self._add(data)
                if data:
                    continue
            return

    def _add(self, data: bytes) -> None:
        room = KEPT - len(self.head)
        self.head += data[:room]
        kept = self.tail + data[room:]
        self.cut += max(0, len(kept) - KEPT)
        self.tail = kept[-KEPT:]

    def text(self) -> str:
        """What was kept, and how much was not."""
        gap = f"\n[{self.cut} bytes left out]\n".encode() if self.cut else b""
        return (self.head + gap + self.tail).decode("utf-8", "replace")
