"""How long a person waits for the first line of a command that needs no model; the floor is `python -c pass`.

`signoff --help` aims at a quarter of a second on a quiet machine, the others at 0.4 s to their first line. A machine
that is busy or slow makes the floor slower too, so the ratio is what to compare; the aims are in milliseconds above it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import signoff
from bench.figures import Figure, Part, timed

SOURCES = str(Path(signoff.__file__).parents[1])
MAIN = "from signoff.surfaces.cli import main; main()"
FLOOR = "python -c pass"
HELP_MS, LINE_MS, IMPORT_MS, FLOOR_MS = 250, 400, 60, 20
"""The aims of the requirements, and what the floor takes on the quiet machine that they are meant for."""
PAGE = "rondo-speakerphone"
DRAFT = f"3-drafts/{PAGE}/content-en.md"
COMMANDS = (
    (),
    ("status",),
    ("status", PAGE),
    ("inbox",),
    ("demo",),
    ("cost",),
    ("trace", "C-RS-003"),
    ("gate", "claims", DRAFT),
    ("replay", PAGE),
    ("run", "--help"),
    ("run", "solution-page", "--help"),
    ("run", "solution-page", PAGE),
    ("content", "advisors"),
    ("install", "claude-code", "--workflow", "clarify", "--dry-run"),
)


def measure(home: Path, quick: bool) -> Part:
    times = 3 if quick else 9
    project = _project(home)
    floor = _middle([_first_line(["-c", "pass"], project) for _ in range(times)])
    helped = timed(lambda: _run(["--help"], project), times)[times // 2]
    imported = _middle([_first_line(["-c", "import signoff; print()"], project) for _ in range(times)])
    figures = [
        Figure("start", FLOOR, floor * 1e3, "ms", 1.0, "the same"),
        _figure("import signoff", imported, floor, IMPORT_MS + FLOOR_MS),
        _figure("signoff --help, whole", helped, floor, HELP_MS),
    ]
    for command in COMMANDS[:6] if quick else COMMANDS:
        taken = _middle([_first_line(["-c", MAIN, *command], project) for _ in range(times)])
        figures.append(_figure(f"{' '.join(['signoff', *command])}, first line", taken, floor, LINE_MS))
    return Part(figures)


def _figure(name: str, taken: float, floor: float, aim: int) -> Figure:
    return Figure(
        "start", name, taken * 1e3, "ms", taken / floor, FLOOR, f"at most {floor * 1e3 + aim - FLOOR_MS:.0f} ms"
    )


def _project(home: Path) -> Path:
    """A project with a finished page, as a person has it."""
    _run(["init", "project", "--example", "hardware"], home)
    _run(["run", "solution-page", PAGE], home / "project")
    return home / "project"


def _run(args: Sequence[str], folder: Path) -> None:
    call = [sys.executable, "-c", MAIN, *args]
    subprocess.run(call, cwd=folder, env=_environment(), stdout=subprocess.DEVNULL, check=True)


def _first_line(args: Sequence[str], folder: Path) -> float:
    """Seconds until a line is there, or until the end if there is none."""
    begun = perf_counter()
    with subprocess.Popen([sys.executable, *args], cwd=folder, env=_environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None  # narrows the type: it is a pipe
        process.stdout.readline()
        taken = perf_counter() - begun
        process.stdout.read()
    return taken


def _environment() -> dict[str, str]:
    """As a person has it: what was imported once is compiled. Making the project has imported everything."""
    mine = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**mine, "PYTHONPATH": SOURCES}


def _middle(taken: list[float]) -> float:
    return sorted(taken)[len(taken) // 2]
