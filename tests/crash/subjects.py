"""What is killed: runs of the shipped examples, each with the script that goes on with it from wherever it is."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from signoff.core.refs import digest
from signoff.testing import crash_harness
from signoff.testing.ptrace import Point

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"


@dataclass(frozen=True)
class Killed:
    """A run that is killed: the script that goes on with it, and where the run keeps its journal and turns.

    `share` is how much of the sample it gets, for a run of many turns and sittings is slower than a run of five. `but`
    are files that may differ: the brief of a conversation that was broken off says what was called in it before.
    """

    script: str
    example: str
    run: str
    folder: str
    share: Fraction = Fraction(1)
    but: str = "nothing"
    more: tuple[str, ...] = ()

    def amount(self, wanted: str) -> crash_harness.Amount:
        """How many points it gets of a sample of so many."""
        return "all" if wanted == "all" else int(int(wanted) * self.share)

    def chosen(self, survey: Sequence[Point], wanted: str) -> Sequence[Point]:
        """The points that it is killed at."""
        return crash_harness.sample(survey, self.amount(wanted), Random(0))

    def observe(self, folder: Path) -> crash_harness.Observation:
        """Every file of the project, byte for byte, but for locks; half-written files would show here."""
        found = {name: digest(path.read_bytes()) for name, path in files(folder / "project").items()}
        return {name: sha for name, sha in found.items() if not fnmatch(name, self.but)}

    def prepare(self, folder: Path) -> None:
        shutil.copytree(EXAMPLES / self.example, folder / "project", ignore=shutil.ignore_patterns("README.md"))

    def argv(self, folder: Path) -> Sequence[str]:
        call = (self.script, folder / "project", self.run, folder / "asked", *self.more)
        return [sys.executable, str(HERE / call[0]), *map(str, call[1:])]

    def check(self, at_crash: Path, at_end: Path) -> Sequence[str]:
        return [*self.asked_again(at_crash, at_end), *self.applied_twice(at_end)]

    def asked_again(self, at_crash: Path, at_end: Path) -> list[str]:
        """An output that had reached the disk is not asked for again."""
        then, now = (Counter(turn for turn, _ in asked(folder)) for folder in (at_crash, at_end))
        outputs = (at_crash / "project" / self.folder / "turns").glob("*/raw-*.txt")
        names = [f"{path.parent.name}.{path.stem.removeprefix('raw-')}" for path in outputs]
        return [f"{name} was on disk and was asked for again" for name in names if now[name] != then[name]]

    def applied_twice(self, folder: Path) -> list[str]:
        """Every revision has one event, and every output is applied once."""
        commits = self.commits(folder)
        ids = Counter(event["id"] for commit in commits for event in commit["events"])
        broken = [f"event {name} is applied {n} times" for name, n in ids.items() if n > 1]
        revisions = [(one["rev"], two["base"]) for one, two in pairwise(commits)]
        return broken + [f"revision {rev} is followed by {base}" for rev, base in revisions if rev != base]

    def commits(self, folder: Path) -> list[Any]:
        """The journal; what a kill left of a last line was never committed."""
        journal = folder / "project" / self.folder / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def subject(self) -> crash_harness.Subject:
        return crash_harness.Subject(
            prepare=self.prepare,
            argv=self.argv,
            observe=self.observe,
            check=self.check,
            root=lambda folder: folder / "project",
            env={**os.environ, "SIGNOFF_CLOCK": "revision", "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=600,
        )


def files(root: Path) -> dict[str, Path]:
    """Every file below, by its path, but for locks."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and path.name not in (".lock", ".stamps.json"))
    return {path.relative_to(root).as_posix(): path for path in found}


def asked(folder: Path) -> list[tuple[str, str]]:
    """Every attempt that somebody was asked for, in order, and what it was about."""
    log = folder / "asked"
    lines = log.read_text().splitlines() if log.exists() else []
    return [(turn, key) for turn, _, key in (line.partition(" ") for line in lines)]


PAGE = Killed("go_on.py", "hardware", "rondo-speakerphone", "_workflow")
INQUIRY = Killed(
    "play_on.py",
    "sales-pipeline",
    "sales-pipeline",
    "_workflow/clarify/sales-pipeline",
    share=Fraction(2, 3),
    more=("clarify",),
)
PIECE = Killed(
    "play_on.py",
    "harbour-tools",
    "autumn-launch",
    "_workflow/content/autumn-launch",
    share=Fraction(1, 2),
    but="*/turns/*-orchestrator/brief-1.md",
    more=("content",),
)
TASK = "user-management"
DESIGN = Killed(
    "play_on.py",
    TASK,
    TASK,
    f"_workflow/orchestration/{TASK}",
    share=Fraction(1, 4),
    more=("orchestration", "execute"),
)
"""What is killed ends where the work begins, for what commands print is never the same."""
ARTICLE = Killed(
    "play_on.py",
    "heat-treatment",
    "quench-oil-maintenance",
    "_workflow/article/quench-oil-maintenance",
    share=Fraction(1, 5),
    more=("article",),
)
