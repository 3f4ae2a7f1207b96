"""The real command line, as a process of its own that begins with the imports done."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warm

CALL = "import sys; from signoff.surfaces.cli import main; main()"
TOYS = Path(__file__).parent / "toy_workflows"
NAMES = {
    "signoff": CALL,
    "toy": f"import signoff.workflows; signoff.workflows.__path__.append({str(TOYS)!r}); {CALL}",
    "solution-page": "from signoff.surfaces.cli.gate_programs import solution_page; solution_page()",
    "qa-gate": "from signoff.surfaces.cli.gate_programs import qa_gate; qa_gate()",
}


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNOFF_", "COLUMNS"))}
    return {**kept, "SIGNOFF_CLOCK": "revision", "TERM": "xterm", **(more or {})}


def signoff(
    *args: object, cwd: Path, person: str | None = None, name: str = "signoff", lines: str = "", **env: str
) -> Ended:
    """One call without a terminal; `person` is named in the environment, `lines` come through a pipe."""
    return called(NAMES[name], args, cwd, _by(person) | env, lines)


def toy(*args: object, cwd: Path, person: str | None = None, lines: str = "", **env: str) -> Ended:
    """As `signoff`, with the toy workflows among the others."""
    return signoff(*args, cwd=cwd, person=person, name="toy", lines=lines, **env)


def called(code: str, args: Sequence[object], cwd: Path, env: Mapping[str, str], lines: str = "") -> Ended:
    """`python -c code args` without a terminal, with the imports done; see `process` for what this is not."""
    given, into = os.pipe()
    (out, said), (err, told) = os.pipe(), os.pipe()
    try:
        child = _warm(code, args, cwd, env, (given, said, told))
    finally:
        for fd in (given, said, told):
            os.close(fd)
    heard, noted = child.communicate(into, lines.encode(), out, err)
    return Ended(child.wait(), heard.decode(), noted.decode())


def process(
    *args: object, cwd: Path, person: str | None = None, name: str = "signoff", lines: str = "", **env: str
) -> Ended:
    """As `signoff`, from the very start of Python: for what is imported, and for what Python asks its environment."""
    done = subprocess.run(
        [sys.executable, "-c", NAMES[name], *map(str, args)],
        cwd=cwd, env=environment(_by(person) | env), input=lines, capture_output=True, text=True, timeout=warm.LONG,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


def at_terminal(
    args: Sequence[object], cwd: Path, types: str = "", name: str = "signoff", env: Mapping[str, str] | None = None
) -> Ended:
    """One call whose input and output are a terminal, at which somebody types."""
    ours, theirs = pty.openpty()
    child = _warm(NAMES[name], args, cwd, env or {}, (theirs, theirs, theirs))
    os.close(theirs)
    os.write(ours, types.encode())
    said = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return Ended(child.wait(), said.decode("utf-8", "replace"), "")


def talk(
    args: Sequence[object],
    cwd: Path,
    *steps: tuple[str, str | Callable[[warm.Child], str]],
    name: str = "signoff",
    env: Mapping[str, str] | None = None,
) -> Ended:
    """As `at_terminal`, but each line is typed when the words before it are there; a step may do something first."""
    ours, theirs = pty.openpty()
    child = _warm(NAMES[name], args, cwd, env or {}, (theirs, theirs, theirs))
    os.close(theirs)
    said, heard, left = b"", 0, list(steps)
    while data := _read_soon(ours, child):
        said += data
        while left and (at := said.find(left[0][0].encode(), heard)) >= 0:
            heard = at + len(left[0][0].encode())
            typed = left.pop(0)[1]
            os.write(ours, (typed if isinstance(typed, str) else typed(child)).encode())
    os.close(ours)
    ended = Ended(child.wait(), said.decode("utf-8", "replace"), "")
    assert not left, f"it never said {left[0][0]!r}: {ended.out}"
    return ended


def _warm(
    code: str, args: Sequence[object], cwd: Path, env: Mapping[str, str], streams: tuple[int, int, int]
) -> warm.Child:
    early = [name for name in env if name.startswith(warm.READ_AT_START)]
    assert not early, f"Python reads {early} when it starts: call `process`"
    words = [str(arg) for arg in args]
    kind = "models" if {"--model", "model", "doctor"} & set(words) else "plain"
    return warm.of(kind).start(code, words, cwd, environment(env), streams)


def _by(person: str | None) -> dict[str, str]:
    return {"SIGNOFF_PERSON": person} if person else {}


def _read_soon(fd: int, child: warm.Child) -> bytes:
    """What comes next; who says nothing for so long waits for something that nobody types."""
    if not select.select([fd], [], [], warm.SILENT)[0]:
        child.kill()
    return _read(fd)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError:  # the other end was closed
        return b""
