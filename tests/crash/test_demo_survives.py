"""Killed at any system call that writes, a run continues to the same end, and pays for nothing twice."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from signoff.core.refs import digest
from signoff.testing import crash
from signoff.testing.ptrace import Unsupported

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"


def subject(example: str, slug: str) -> crash.Subject:
    def prepare(folder: Path) -> None:
        shutil.copytree(EXAMPLES / example, folder / "project")

    def argv(folder: Path) -> Sequence[str]:
        return [sys.executable, str(HERE / "go_on.py"), str(folder / "project"), slug, str(folder / "asked")]

    return crash.Subject(
        prepare=prepare,
        argv=argv,
        observe=observe,
        check=check,
        root=lambda folder: folder / "project",
        env={"SIGNOFF_CLOCK": "revision", "PYTHONDONTWRITEBYTECODE": "1"},
    )


def observe(folder: Path) -> crash.Observation:
    """Every file of the project, byte for byte, but for locks; half-written files would show here."""
    root = folder / "project"
    files = (path for path in root.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in sorted(files)}


def check(at_crash: Path, at_end: Path) -> Sequence[str]:
    return [*asked_again(at_crash, at_end), *applied_twice(at_end)]


def asked_again(at_crash: Path, at_end: Path) -> list[str]:
    """An output that had reached the disk is not asked for again."""
    then, now = asked(at_crash), asked(at_end)
    outputs = (at_crash / "project" / "_workflow" / "turns").glob("*/raw-*.txt")
    names = [f"{path.parent.name}.{path.stem.removeprefix('raw-')}" for path in outputs]
    return [f"{name} was on disk and was asked for again" for name in names if now[name] != then[name]]


def asked(folder: Path) -> Counter[str]:
    log = folder / "asked"
    return Counter(log.read_text().split()) if log.exists() else Counter()


def applied_twice(folder: Path) -> list[str]:
    """Every revision has one event, and every output is applied once."""
    lines = (folder / "project" / "_workflow" / "journal.jsonl").read_text("utf-8").splitlines()
    commits = [json.loads(line) for line in lines]
    ids = Counter(event["id"] for commit in commits for event in commit["events"])
    broken = [f"event {name} is applied {n} times" for name, n in ids.items() if n > 1]
    revisions = [(one["rev"], two["base"]) for one, two in pairwise(commits)]
    return broken + [f"revision {rev} is followed by {base}" for rev, base in revisions if rev != base]


@pytest.mark.req("SP-20")
@pytest.mark.parametrize(("example", "slug"), [("hardware", "rondo-speakerphone")])
def test_a_kill_at_any_write_loses_nothing(
    example: str, slug: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    wanted = request.config.getoption("--crash-points")
    points: crash.Amount = "all" if wanted == "all" else int(wanted)
    try:
        report = crash.explore(subject(example, slug), tmp_path, points=points, recovery=1, jobs=2, progress=_tell)
    except Unsupported as reason:
        pytest.skip(f"not tested: {reason}")
    print(report)
    assert not report.failures, report
    assert len(report.points) > 100
    assert any(len(kills) > 1 for kills in report.tried), "recovery was killed too"


def _tell(done: int, total: int, failures: int) -> None:
    if done % 25 == 0:
        print(f"{done} of {total} points, {failures} failures", flush=True)
