"""A command under ptrace: every call that changes a folder is counted, and at any of them it can be killed for real.

A small tracer process (this file alone, standard library only) starts the command with a seccomp filter, so
that only the calls in `_CALLS` stop and the command runs at nearly full speed. Threads and child processes are followed
and counted in the order in which they arrive; a kill takes them all, as when a container is stopped. When the command
itself ends, what it left running is killed.

Not seen: what is written through mmap or io_uring, files created by openat2, programs of another word size. Under the
filter a set-user-id program gains no rights.

    python -m signoff.testing.ptrace --root FOLDER [--kill 12:before] -- COMMAND...    calls as JSON lines on stderr
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

if TYPE_CHECKING:  # the tracer process starts for every crash, so that it loads only what it needs
    import subprocess
    from pathlib import Path

When = Literal["before", "torn", "after"]
"""before: the call never ran; torn: half of a write reached the file; after: it ran, but its result was not seen."""


class Unsupported(RuntimeError):  # noqa: N818 (not a fault: the reason of a visible skip)
    """This machine cannot trace processes; the message says why."""


@dataclass(frozen=True, slots=True)
class Point:
    """A moment to be killed at: the call's place in the run (from 0), its name, and its path relative to the root."""

    index: int
    call: str
    path: str
    when: When

    def __str__(self) -> str:
        return f"{self.when} call {self.index} ({self.call} {self.path})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run went.

    code     the exit code, or minus the number of the signal that ended it
    killed   where we killed it; None if it ended before that
    """

    points: tuple[Point, ...]
    code: int
    killed: Point | None
    stdout: str
    stderr: str
    timed_out: bool = False


Env = Mapping[str, str] | None

_START = "import sys; sys.path.append(sys.argv[1]); import ptrace; ptrace.trace(*sys.argv[2:])"


def survey(argv: Sequence[str], *, cwd: Path, root: Path, env: Env = None, timeout: float = 60) -> Outcome:
    """Run to the end and list every point at which the run could be killed."""
    return _run(argv, "", cwd, root, env, timeout)


def run_until(
    argv: Sequence[str], at: Point | tuple[int, When], *, cwd: Path, root: Path, env: Env = None, timeout: float = 60
) -> Outcome:
    """Run, and SIGKILL at the call with this index, whatever call it is this time: `Outcome.killed` says."""
    index, when = (at.index, at.when) if isinstance(at, Point) else at
    return _run(argv, f"{index}:{when}", cwd, root, env, timeout)


def _run(argv: Sequence[str], kill: str, cwd: Path, root: Path, env: Env, timeout: float) -> Outcome:
    import subprocess
    import tempfile

    _machine()
    with tempfile.TemporaryFile() as report:
        tracer = [sys.executable, "-I", "-S", "-c", _START, os.path.dirname(__file__)]  # noqa: PTH120
        process = subprocess.Popen(
            [*tracer, os.path.realpath(root), kill, str(report.fileno()), *argv],
            cwd=cwd,
            env=env,
            pass_fds=(report.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        stdout, stderr, timed_out = _wait(process, timeout)
        report.seek(0)
        return _outcome(report.read().splitlines(), stdout, stderr, timed_out)


def _wait(process: subprocess.Popen[bytes], timeout: float) -> tuple[str, str, bool]:
    import subprocess

    timed_out = False
    with process:
        try:
            said = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            process.kill()  # PTRACE_O_EXITKILL: what it traces dies with the tracer
            said = process.communicate()
    return said[0].decode(errors="replace"), said[1].decode(errors="replace"), timed_out


def _outcome(lines: Sequence[bytes], stdout: str, stderr: str, timed_out: bool) -> Outcome:
    said = [json.loads(line) for line in lines]
    end = next((line for line in said if "call" not in line), None)
    if end is None and not timed_out:
        raise RuntimeError(f"the tracer itself failed: {stderr}")
    if end is not None and "unsupported" in end:
        raise Unsupported(end["unsupported"])
    return Outcome(
        points=tuple(point for line in said if "call" in line for point in _points(line)),
        code=end["code"] if end else -signal.SIGKILL,
        killed=Point(*end["killed"]) if end and end["killed"] else None,
        stdout=stdout,
        stderr=stderr,
        timed_out=timed_out,
    )


def _points(line: Mapping[str, Any]) -> Iterator[Point]:
    for when in get_args(When):
        if when != "torn" or line["tears"]:
            yield Point(line["index"], line["call"], line["path"], when)


# From here on: the tracer process.

# name: number on x86_64, on aarch64 (None: no such call), where its paths are, which argument holds the open flags.
# f0: a descriptor in argument 0; p0: a path in argument 0; a0: a folder's descriptor in 0 and a path in argument 1.
_CALLS: dict[str, tuple[int | None, int | None, tuple[str, ...], int | None]] = {
    "write": (1, 64, ("f0",), None),
    "pwrite64": (18, 68, ("f0",), None),
    "writev": (20, 66, ("f0",), None),
    "pwritev": (296, 70, ("f0",), None),
    "pwritev2": (328, 287, ("f0",), None),
    "sendfile": (40, 71, ("f0",), None),
    "copy_file_range": (326, 285, ("f2",), None),
    "fallocate": (285, 47, ("f0",), None),
    "ftruncate": (77, 46, ("f0",), None),
    "truncate": (76, 45, ("p0",), None),
    "fsync": (74, 82, ("f0",), None),
    "fdatasync": (75, 83, ("f0",), None),
    "rename": (82, None, ("p1", "p0"), None),
    "renameat": (264, 38, ("a2", "a0"), None),
    "renameat2": (316, 276, ("a2", "a0"), None),
    "link": (86, None, ("p1", "p0"), None),
    "linkat": (265, 37, ("a2", "a0"), None),
    "symlink": (88, None, ("p1",), None),
    "symlinkat": (266, 36, ("a1",), None),
    "unlink": (87, None, ("p0",), None),
    "unlinkat": (263, 35, ("a0",), None),
    "rmdir": (84, None, ("p0",), None),
    "mkdir": (83, None, ("p0",), None),
    "mkdirat": (258, 34, ("a0",), None),
    "creat": (85, None, ("p0",), None),
    "open": (2, None, ("p0",), 1),
    "openat": (257, 56, ("a0",), 2),
}
_TEARS = ("write", "pwrite64")  # both hold the number of bytes in argument 2

_CHANGES = 0o100 | 0o1000  # O_CREAT | O_TRUNC
_AT_FDCWD = -100

_CONT, _SYSCALL, _GETREGSET, _SETREGSET, _SEIZE, _LISTEN, _GET_SYSCALL_INFO = (
    7,
    24,
    0x4204,
    0x4205,
    0x4206,
    0x4208,
    0x420E,
)
_EVENT_SECCOMP, _EVENT_STOP = 7, 128
_NT_PRSTATUS = 1
_WALL = 0x40000000
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x100000  # TRACE: SYSGOOD, FORK, VFORK, CLONE, SECCOMP; and EXITKILL

_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_TRACE, _ALLOW = 0x7FF00000, 0x7FFF0000


@dataclass(frozen=True, slots=True)
class _Machine:
    """What differs between processors; `third` is the place of a call's argument 2 among the registers."""

    column: Literal[0, 1]
    audit: int
    third: int

    def numbers(self) -> dict[int, str]:
        return {number: name for name, row in _CALLS.items() if (number := row[self.column]) is not None}


_MACHINES = {"x86_64": _Machine(0, 0xC000003E, 12), "aarch64": _Machine(1, 0xC00000B7, 2)}


def _machine() -> _Machine:
    name = platform.machine()
    if sys.platform != "linux" or name not in _MACHINES or struct.calcsize("P") != 8:
        raise Unsupported(
            f"ptrace is known here for 64-bit Linux on {', '.join(_MACHINES)}, not for {sys.platform} on {name}"
        )
    return _MACHINES[name]


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _libc(name: str, *args: int | ctypes.Array[ctypes.c_char]) -> None:
    if _library()[name](*(ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args)) == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _filter(machine: _Machine) -> bytes:
    """The seccomp program: stop at our calls (opens only if they may change something), let everything else run."""
    code = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 1, 0, machine.audit), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, 0)]
    for number, name in machine.numbers().items():
        flags = _CALLS[name][3]
        if flags is None:
            code += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _TRACE)]
        else:
            code += [(_IF_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16 + 8 * flags), (_IF_ANY_BIT, 0, 1, _CHANGES)]
            code += [(_RETURN, 0, 0, _TRACE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in [*code, (_RETURN, 0, 0, _ALLOW)])


def _install(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(code)), 16)
    _libc("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS: without it only root may filter
    _libc("prctl", 22, 2, header, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def _become(argv: Sequence[str], gate: int, faults: int, program: bytes) -> NoReturn:
    """The forked child: wait until it is traced, put the filter on, turn into the command."""
    try:
        if os.read(gate, 1):
            _install(program)
            os.execvp(argv[0], list(argv))
    except OSError as error:
        where = faults if "prctl" in str(error) else 2
        os.write(where, f"cannot run {argv[0]!r} under a seccomp filter: {error}\n".encode())
    os._exit(127)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as the process made it."""

    name: str
    args: tuple[int, ...]
    path: str

    @property
    def tears(self) -> bool:
        return self.name in _TEARS and self.args[2] > 1


class _Tracer:
    def __init__(self, root: str, target: tuple[int, When] | None, tell: Callable[[Mapping[str, Any]], None]) -> None:
        self.root, self.target, self.tell = root, target, tell
        self.machine = _machine()
        self.names = self.machine.numbers()
        self.count = 0
        self.alive: set[int] = set()
        self.doomed: Point | None = None  # what is killed as soon as the call under way has run
        self.killed: Point | None = None

    def run(self, argv: Sequence[str]) -> int:
        gate, go = os.pipe()
        faults, fault = os.pipe()
        main = os.fork()
        if main == 0:
            os.close(go)
            _become(argv, gate, fault, _filter(self.machine))
        os.close(fault)
        self._seize(main)
        os.write(go, b"g")
        code = self._follow(main)
        self._reap()
        if reason := os.read(faults, 4096):
            raise Unsupported(reason.decode())
        return code

    def _seize(self, main: int) -> None:
        try:
            _libc("ptrace", _SEIZE, main, 0, _OPTIONS)
        except OSError as error:
            raise Unsupported(
                f"ptrace is refused here ({error}); it needs CAP_SYS_PTRACE or a looser sandbox"
            ) from error
        self.alive.add(main)

    def _follow(self, main: int) -> int:
        while True:
            tid, status = os.waitpid(-1, _WALL)
            if os.WIFSTOPPED(status):
                self.alive.add(tid)
                self._stopped(tid, status)
                continue
            self.alive.discard(tid)
            if tid == main:
                return os.waitstatus_to_exitcode(status)

    def _reap(self) -> None:
        """Nothing may be left that could still write once we have reported."""
        self._kill(*self.alive)
        with contextlib.suppress(ChildProcessError):
            while True:
                tid, status = os.waitpid(-1, _WALL)
                if os.WIFSTOPPED(status):
                    self._kill(tid)

    def _stopped(self, tid: int, status: int) -> None:
        event, number = status >> 16, os.WSTOPSIG(status)
        if self.killed:
            self._kill(tid)
        elif event == _EVENT_SECCOMP:
            self._entered(tid)
        elif number == signal.SIGTRAP | 0x80 and self.doomed:
            self._execute(self.doomed, tid)
        elif event == _EVENT_STOP and number != signal.SIGTRAP:
            self._resume(_LISTEN, tid)  # stopped by SIGSTOP or the terminal: it stays so until SIGCONT
        else:
            self._resume(_CONT, tid, 0 if event else number)

    def _entered(self, tid: int) -> None:
        call = self._call(tid)
        if call is None:
            self._resume(_CONT, tid)
            return
        index = self.count
        self.count += 1
        self.tell({"index": index, "call": call.name, "path": call.path, "tears": call.tears})
        if self.target and self.target[0] == index:
            self._aim(tid, call, *self.target)
        else:
            self._resume(_CONT, tid)

    def _aim(self, tid: int, call: _Call, index: int, when: When) -> None:
        if when == "torn" and not call.tears:
            when = "after"  # another call than the survey's has this place
        point = Point(index, call.name, call.path, when)
        if when == "before":
            self._execute(point, tid)  # a fatal signal in this stop makes the kernel skip the call
            return
        if when == "torn":
            self._shorten(tid, call.args[2] // 2)
        self.doomed = point
        self._resume(_SYSCALL, tid)

    def _execute(self, point: Point, tid: int) -> None:
        self.killed = point
        self._kill(tid, *self.alive)

    @staticmethod
    def _kill(*tids: int) -> None:
        for tid in tids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(tid, signal.SIGKILL)

    @staticmethod
    def _resume(how: int, tid: int, number: int = 0) -> None:
        with contextlib.suppress(ProcessLookupError):  # killed meanwhile: waitpid will say so
            _libc("ptrace", how, tid, 0, number)

    def _shorten(self, tid: int, size: int) -> None:
        registers = ctypes.create_string_buffer(512)
        vector = ctypes.create_string_buffer(struct.pack("<QQ", ctypes.addressof(registers), len(registers)), 16)
        with contextlib.suppress(ProcessLookupError):
            _libc("ptrace", _GETREGSET, tid, _NT_PRSTATUS, vector)
            struct.pack_into("<Q", registers, 8 * self.machine.third, size)
            _libc("ptrace", _SETREGSET, tid, _NT_PRSTATUS, vector)

    def _call(self, tid: int) -> _Call | None:
        """The call this thread is about to make, None if it acts outside the root (or the thread is gone)."""
        info = ctypes.create_string_buffer(88)
        try:
            _libc("ptrace", _GET_SYSCALL_INFO, tid, len(info), info)
            number, *args = struct.unpack_from("<7Q", info, 24)
            name = self.names[number]
            paths = [_path(tid, where, args) for where in _CALLS[name][2]]
        except (ProcessLookupError, FileNotFoundError):
            return None
        except OSError as error:
            raise Unsupported(
                f"this kernel does not tell what a traced process calls ({error}); Linux 5.3 does"
            ) from error
        inside = [path for path in paths if path and self._within(path)]
        return _Call(name, tuple(args), os.path.relpath(inside[0], self.root)) if inside else None

    def _within(self, path: str) -> bool:
        return path == self.root or path.startswith(self.root.rstrip("/") + "/")


def _path(tid: int, where: str, args: Sequence[int]) -> str | None:
    kind, place = where[0], int(where[1])
    if kind == "f":
        return _opened(tid, args[place])
    if kind == "p":
        return _named(tid, _AT_FDCWD, args[place])
    return _named(tid, args[place], args[place + 1])


def _opened(tid: int, descriptor: int) -> str | None:
    """The file behind a descriptor, None for pipes, sockets and bad descriptors."""
    descriptor = ctypes.c_int(descriptor & 0xFFFFFFFF).value
    link = "cwd" if descriptor == _AT_FDCWD else f"fd/{descriptor}"
    try:
        path = os.readlink(f"/proc/{tid}/{link}")  # noqa: PTH115 (names like "pipe:[7]" are no paths)
    except FileNotFoundError:
        return None
    return path.removesuffix(" (deleted)") if path.startswith("/") else None


def _named(tid: int, folder: int, address: int) -> str | None:
    text = _text(tid, address)
    if text is None:
        return None
    base = "/" if text.startswith("/") else _opened(tid, folder)
    if base is None:
        return None
    parent, name = os.path.split(os.path.join(base, text).rstrip("/"))  # noqa: PTH118 (Path is slow, and this runs at every call)
    return os.path.join(os.path.realpath(parent), name)  # noqa: PTH118


def _text(tid: int, address: int) -> str | None:
    """The string at an address of the process; None if the call itself will fail with EFAULT."""
    with open(f"/proc/{tid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
        try:
            return os.fsdecode(os.pread(memory.fileno(), 4096, address).split(b"\0")[0])
        except (OSError, OverflowError):
            return None


def trace(root: str, kill: str, report: str, *argv: str) -> int:
    """Trace one command; its calls and its end go to the report descriptor as JSON lines."""
    descriptor = int(report)
    if descriptor > 2:
        os.set_inheritable(descriptor, False)

    def tell(line: Mapping[str, Any]) -> None:
        os.write(descriptor, json.dumps(line).encode() + b"\n")

    try:
        tracer = _Tracer(os.path.realpath(root), _target(kill) if kill else None, tell)
        code = tracer.run(argv)
    except Unsupported as error:
        tell({"unsupported": str(error)})
        return 2
    killed = tracer.killed
    tell({"code": code, "killed": killed and [killed.index, killed.call, killed.path, killed.when]})
    return code if code >= 0 else 128 - code


def _target(text: str) -> tuple[int, When]:
    index, _, wanted = text.partition(":")
    for when in get_args(When):
        if when == wanted:
            return int(index), when
    raise ValueError(f"{text!r} is not INDEX:WHEN with WHEN one of {', '.join(get_args(When))}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and list the calls that change a folder, or kill it at one of them."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m signoff.testing.ptrace", description=main.__doc__)
    parser.add_argument("--root", required=True, help="the folder whose changes count")
    parser.add_argument("--kill", default="", metavar="INDEX:WHEN", help="SIGKILL there, for example 12:before")
    parser.add_argument("argv", nargs="+", metavar="COMMAND")
    options = parser.parse_args(arguments)
    return trace(options.root, options.kill, "2", *options.argv)


if __name__ == "__main__":
    sys.exit(main())
