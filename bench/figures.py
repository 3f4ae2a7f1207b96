"""What a measurement gives: a value, the floor it stands on, and what we aim at."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; `ratio` is the value in units of the floor `of`."""

    part: str
    name: str
    value: float
    unit: str
    ratio: float
    of: str
    aim: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of one part and what there is to say about them.

    `lines`, if there are any, are printed in place of the table and the notes; `misses` only if they are asked for.
    """

    figures: list[Figure]
    notes: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        return {"figures": [asdict(figure) for figure in self.figures], "notes": self.notes}


def table(figures: list[Figure]) -> list[str]:
    head = ("", "value", "", "ratio", "against", "aim")
    rows = [(f.name, _number(f.value), f.unit, f"{f.ratio:.2f}", f.of, f.aim) for f in figures]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def timed(call: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """How long each of several calls took, in seconds, in rising order."""
    taken = []
    for _ in range(times):
        begun = clock()
        call()
        taken.append(clock() - begun)
    return sorted(taken)


def file_system(folder: Path) -> str:
    """The type of the file system that a folder is on, as the kernel names it."""
    try:
        lines = Path("/proc/mounts").read_text("utf-8").splitlines()
    except OSError:
        return "unknown"
    home = os.path.realpath(folder)
    mounts = [line.split()[1:3] for line in lines]
    over = [(point, kind) for point, kind in mounts if home == point or home.startswith(point.rstrip("/") + "/")]
    return max(over, key=lambda mount: len(mount[0]), default=("", "unknown"))[1]
