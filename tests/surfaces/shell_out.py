"""The real command line, as a process of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CALL = "import sys; from signoff.surfaces.cli import main; main()"
TOYS = Path(__file__).parent / "toy_workflows"
NAMES = {
    "signoff": CALL,
    "toy": f"import signoff.workflows; signoff.workflows.__path__.append({str(TOYS)!r}); {CALL}",
    "solution-page": "from signoff.surfaces.cli.plain import solution_page; solution_page()",
    "qa-gate": "from signoff.surfaces.cli.plain import qa_gate; qa_gate()",
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
    who = {"SIGNOFF_PERSON": person} if person else {}
    done = subprocess.run(
        [sys.executable, "-c", NAMES[name], *map(str, args)],
        cwd=cwd, env=environment({**who, **env}), input=lines, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


def toy(*args: object, cwd: Path, person: str | None = None, lines: str = "", **env: str) -> Ended:
    """As `signoff`, with the toy workflows among the others."""
    return signoff(*args, cwd=cwd, person=person, name="toy", lines=lines, **env)


def at_terminal(
    args: Sequence[object], cwd: Path, types: str = "", name: str = "signoff", env: Mapping[str, str] | None = None
) -> Ended:
    """One call whose input and output are a terminal, at which somebody types."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", NAMES[name], *map(str, args)],
        cwd=cwd, env=environment(env), stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, types.encode())
    said = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return Ended(process.wait(timeout=60), said.decode("utf-8", "replace"), "")


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError:  # the other end was closed
        return b""
