"""`signoff status` and `signoff inbox` over many projects: each run's share, and the whole process.

The floor of a run is to open its status.json and read the JSON; the floor of a process is `python -c pass`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import signoff
from bench.figures import Figure, Part, timed
from signoff.service import status_overview

SOURCES = str(Path(signoff.__file__).parents[1])
COMMAND = "from signoff.surfaces.cli import main; main()"
FEW, MANY = 10, 200


def measure(home: Path, quick: bool) -> Part:
    sizes = (FEW, MANY) if quick else (FEW, 100, MANY, 1_000, 10_000)
    for size in sizes:
        _projects(home / str(size), size)
    floor = _reading(home / str(FEW), 50)
    shares = {size: _share(home / str(size), 3 if size > MANY else 15) for size in sizes}
    figures = [Figure("status", "reading one status.json", floor * 1e6, "µs", 1.0, "the same")]
    figures += [
        Figure("status", f"per run, of {size:,}", share * 1e6, "µs", share / floor, "reading one", "flat")
        for size, share in shares.items()
    ]
    return Part([*figures, *_processes(home, sizes, 3 if quick else 7)])


def _processes(home: Path, sizes: tuple[int, ...], times: int) -> list[Figure]:
    of = "python -c pass"
    empty = timed(lambda: _python("pass"), times)[times // 2]
    figures = [Figure("status", of, empty * 1e3, "ms", 1.0, "the same")]
    for size in sizes:
        for command in ("status", "inbox"):
            goes = times if size <= MANY else 3
            taken = timed(lambda: _python(COMMAND, command, str(home / str(size))), goes)[goes // 2]  # noqa: B023
            aim = f"at most {empty * 1e3 + 150:.0f} ms" if size == MANY else ""
            figures.append(
                Figure("status", f"signoff {command}, {size:,} runs", taken * 1e3, "ms", taken / empty, of, aim)
            )
    return figures


def _python(code: str, *args: str) -> None:
    env = {**os.environ, "PYTHONPATH": SOURCES}
    subprocess.run([sys.executable, "-c", code, *args], stdout=subprocess.DEVNULL, check=True, env=env)


def _share(root: Path, times: int) -> float:
    found = len(list(status_overview.statuses(root)))
    return timed(lambda: list(status_overview.statuses(root)), times)[0] / found


def _reading(root: Path, times: int) -> float:
    file = next(root.glob("*/_workflow/status.json"))
    return timed(lambda: json.loads(file.read_bytes()), times)[times // 2]


def _projects(root: Path, size: int) -> None:
    """Projects with one run each; one in ten waits for a person."""
    for number in range(size):
        folder = root / f"project-{number:05d}" / "_workflow"
        folder.mkdir(parents=True)
        (folder / "status.json").write_text(json.dumps(_status(number), indent=1), "utf-8")


def _status(number: int) -> dict[str, object]:
    ask = {
        "request": "0007",
        "key": "final",
        "kind": "approval",
        "options": ["approve"],
        "question": "Release the page?",
    }
    return {
        "rev": 12,
        "workflow": "solution-page",
        "run": f"page-{number:05d}",
        "at": "2026-01-01T00:00:12+00:00",
        "stop": None,
        "turns": [{"turn": "0004-copywriter", "agent": "copywriter", "attempt": 1, "task": "draft_cn"}],
        "requests": [] if number % 10 else [ask],
        "spend": {"turns": 3, "tokens": 0, "cost": "0", "seconds": 0},
        "phase": "draft_cn",
        "rounds": {"en": 1, "cn": 1},
    }
