"""Killed at any system call that writes, a gather goes on, and what it has from a server is not asked for again."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from gathering_kit import FOLDER, RUN, TOYS, Desk, Site

from signoff.testing import crash_harness
from signoff.testing.ptrace import Unsupported

PAGES = ("one", "two")


def receipts(folder: Path) -> list[str]:
    """The addresses that had reached the disk."""
    found = [json.loads(file.read_bytes()) for file in (folder / FOLDER / "gathered").glob("*.json")]
    return [str(one["what"]).removeprefix("page ") for one in found if "sha256" in one]


@pytest.mark.req("AR-12")
def test_a_kill_at_any_moment_asks_for_no_page_that_is_on_the_disk(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    site = Site()
    marks = count()

    def prepare(folder: Path) -> None:
        desk = Desk(folder)
        mark = f"{next(marks):04}"  # every trial has addresses of its own, as long as any other's
        urls = [site.put(f"/{mark}/{name}", f"<title>{name}</title><p>Text of {name}.</p>") for name in PAGES]
        desk.put("0-sources/brief.md", "x")
        desk.put("0-sources/quench.md", "# Quench\n\nHot oil, 淬火.\n")
        desk.wants([], urls, source="web", allow_private=True)

    def argv(folder: Path) -> Sequence[str]:
        return [sys.executable, str(TOYS / "run_it.py"), str(folder), RUN]

    def observe(folder: Path) -> crash_harness.Observation:
        found = json.loads((folder / "found.json").read_bytes())
        return {
            "stop": json.loads((folder / FOLDER / "status.json").read_bytes())["stop"],
            "read": sorted(map(str, found["read"].values())),
            "pages": len(list((folder / "pages").iterdir())),
        }

    def check(at_crash: Path, at_end: Path) -> Sequence[str]:  # one kill each: what is asked for again came after it
        asked = Counter(f"{site.url}{path}" for path in site.asked)
        urls = json.loads((at_end / "wanted.json").read_bytes())["urls"]
        again = [
            f"{url} was on the disk and asked for {asked[url]} times" for url in receipts(at_crash) if asked[url] > 1
        ]
        return again + [f"{url} has no receipt at the end" for url in urls if url not in receipts(at_end)]

    subject = crash_harness.Subject(
        prepare=prepare,
        argv=argv,
        observe=observe,
        check=check,
        env={**os.environ, "SIGNOFF_CLOCK": "revision", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    wanted = request.config.getoption("--crash-points")
    points: crash_harness.Amount = "all" if wanted == "all" else int(wanted)
    try:
        report = crash_harness.explore(subject, tmp_path / "work", points=points, recovery=0, jobs=2)
    except Unsupported as reason:
        pytest.skip(f"not tested: {reason}")
    finally:
        site.close()
    assert not report.failures, "\n".join(map(str, report.failures))
    assert any("/gathered/" in point.path for point in report.points)
