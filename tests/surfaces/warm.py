"""Processes that begin with the imports done: one Python imports the command line once and forks for every call.

Each call is a process with its own memory, folder, environment and descriptors, so nothing that it does reaches the
next one, and several may go on at once. What it saves is the second or more that imports take. What Python reads from
its environment at its start (`PYTHON…`, the locale) is that of the first call: who tests that starts a process.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PLAIN = (
    "signoff.surfaces.cli.app",
    "signoff.surfaces.cli.status_index",
    "signoff.surfaces.cli.commands.requests",
    "signoff.surfaces.cli.commands.run",
    "signoff.service.runs",
)
MODELS = ("pydantic_ai", "pydantic_ai.models.anthropic", "pydantic_ai.models.openai")
MCP = ("mcp", "signoff.surfaces.cli.commands.mcp", "signoff.surfaces.mcp.server", "uvicorn")
KINDS = {"plain": PLAIN, "models": (*PLAIN, *MODELS), "mcp": (*PLAIN, *MCP)}
READ_AT_START = ("PYTHON", "LC_", "LANG")
LONG = 300.0
"""Seconds after which a call hangs, on any machine."""

SILENT = 120.0
"""Seconds after which one that says nothing waits for something that nobody types."""


class Child:
    """A process that was forked for one call."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._said = line.makefile("rb")
        self.pid = self._told()
        self.code: int | None = None

    def _told(self) -> int:
        told = self._said.readline()
        assert told, "the process that forks is gone"
        return int(told)

    def wait(self, timeout: float = LONG) -> int:
        """Its exit code; minus the number of the signal that ended it."""
        if self.code is None:
            self._line.settimeout(timeout)
            self.code = self._told()
            self._said.close()
            self._line.close()
        return self.code

    def communicate(self, into: int, given: bytes, *outputs: int, timeout: float = LONG) -> list[bytes]:
        """Writes into its input and reads its outputs to their ends, all at once; every descriptor is closed then."""
        said: dict[int, bytearray] = {fd: bytearray() for fd in outputs}
        rest, ends = memoryview(given), time.monotonic() + timeout
        with selectors.DefaultSelector() as waiting:
            waiting.register(into, selectors.EVENT_WRITE)
            for fd in outputs:
                waiting.register(fd, selectors.EVENT_READ)
            while waiting.get_map():
                ready = waiting.select(ends - time.monotonic())
                if not ready and time.monotonic() > ends:
                    self.kill()
                    raise TimeoutError(f"process {self.pid} did not end within {timeout:.0f} s")
                for key, _ in ready:
                    if key.fd == into:
                        rest = _written(into, rest)
                        ended = not rest
                    else:
                        told = os.read(key.fd, 65536)
                        said[key.fd] += told
                        ended = not told
                    if ended:
                        waiting.unregister(key.fd)
                        os.close(key.fd)
        return [bytes(said[fd]) for fd in outputs]

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _written(fd: int, rest: memoryview) -> memoryview:
    try:
        return rest[os.write(fd, rest[:4096]) :]
    except BrokenPipeError:  # it ended, or reads no further
        return rest[:0]


class Warm:
    """The process that forks, as seen by the tests: it listens at a socket and ends when they do."""

    def __init__(self, kind: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="warm-", ignore_cleanup_errors=True)
        self.address = f"{self._home.name}/calls"
        self._line, theirs = socket.socketpair()
        with theirs, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.address)
            listening.listen(64)
            code = f"import sys; sys.path.append({str(HERE)!r}); import warm; warm.serve({{}}, {{}}, {kind!r})"
            fds = [theirs.fileno(), listening.fileno()]
            self._process = subprocess.Popen(
                [sys.executable, "-c", code.format(*fds)], pass_fds=fds, stdin=subprocess.DEVNULL
            )

    def start(
        self, code: str, args: Sequence[str], cwd: Path, env: Mapping[str, str], streams: tuple[int, int, int]
    ) -> Child:
        """Runs `python -c code args` with these three descriptors as its streams."""
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(LONG)
        line.connect(self.address)
        socket.send_fds(line, [b"!"], streams)
        asked = {"code": code, "args": list(args), "cwd": str(cwd), "env": dict(env)}
        line.sendall(json.dumps(asked).encode() + b"\n")
        return Child(line)

    def close(self) -> None:
        self._line.close()
        self._process.wait(LONG)
        self._home.cleanup()


_warm: dict[tuple[int, str], Warm] = {}
_starting = threading.Lock()


def of(kind: str) -> Warm:
    """The process that forks for this one, with these imports done."""
    with _starting:
        mine = (os.getpid(), kind)  # a copy of this process needs one of its own
        if mine not in _warm:
            _warm[mine] = Warm(kind)
            atexit.register(_closed, mine)
        return _warm[mine]


def _closed(mine: tuple[int, str]) -> None:
    if mine[0] == os.getpid():
        _warm.pop(mine).close()


RELAY = """\
#!{python} -IS
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    socket.send_fds(line, [b"!"], [0, 1, 2])
    asked = {{"code": {code!r}, "args": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}}
    line.sendall(json.dumps(asked).encode() + b"\\n")
    for fd in (0, 1, 2):
        os.close(fd)
    pid, ended = (int(told) for told in line.makefile("rb"))
if ended < 0:
    signal.signal(-ended, signal.SIG_DFL)
    os.kill(os.getpid(), -ended)
os._exit(ended)
"""


def server(code: str) -> str:
    """The program of an MCP server that is `python -c code mcp …`, for a host that ends it by closing its input."""
    home = Path(of("mcp").address).parent
    file = home / f"server-{zlib.crc32(code.encode())}"
    return str(file if file.exists() else program(file, code, "mcp"))


def program(file: Path, code: str, kind: str = "plain") -> Path:
    """A program that is `python -c code`, forked; for shells and hosts, which start programs by name.

    It has the streams, the folder and the environment of whoever calls it; signals to it do not reach the fork.
    """
    file.write_text(RELAY.format(python=sys.executable, address=of(kind).address, code=code))
    file.chmod(0o755)
    return file


# --- in the process that forks ----------------------------------------------------------------------------------------


def serve(control: int, calls: int, kind: str) -> None:
    """Forks for every call that comes, and tells how each ended, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the tests closes the line
    for module in KINDS[kind]:
        importlib.import_module(module)
    catalog = importlib.import_module("signoff.service.catalog")
    for name in catalog.names():
        catalog.workflow(name)
    gc.collect()
    gc.freeze()
    heard, said = os.pipe()
    os.set_blocking(heard, False)
    os.set_blocking(said, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(said)
    lines: dict[int, socket.socket] = {}
    with socket.socket(fileno=calls) as listening, selectors.DefaultSelector() as waiting:
        for fd in (control, calls, heard):
            waiting.register(fd, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fd == control:
                    return
                if key.fd == heard:
                    os.read(heard, 4096)
                    _tell(lines)
                    continue
                line = listening.accept()[0]
                message, fds, *_ = socket.recv_fds(line, 1, 3)
                if not message:
                    line.close()
                    continue
                if not (pid := os.fork()):
                    _become(line, fds, [control, calls, heard, said, *(each.fileno() for each in lines.values())])
                for fd in fds:
                    os.close(fd)
                lines[pid] = line
                with contextlib.suppress(OSError):
                    line.sendall(b"%d\n" % pid)


def _tell(lines: dict[int, socket.socket]) -> None:
    """Says how each child ended that did."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with lines.pop(ended[0]) as line, contextlib.suppress(OSError):
                line.sendall(b"%d\n" % os.waitstatus_to_exitcode(ended[1]))


def _become(line: socket.socket, streams: Sequence[int], others: Sequence[int]) -> None:
    """Turns this fork into the process that was asked for; it ends here."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for fd in others:
        os.close(fd)
    with line, line.makefile("rb") as said:
        asked: dict[str, Any] = json.loads(said.readline())
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = ["-c", *asked["args"]]
    sys.path.remove(str(HERE))
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    os._exit(_ended(asked["code"]))


def _ended(code: str) -> int:
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        ended = 0
    except SystemExit as error:
        ended = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        ended = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            ended = ended or 120
    return ended & 0xFF
