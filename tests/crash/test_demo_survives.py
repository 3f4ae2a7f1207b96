"""Killed at any system call that writes, a run continues to the same end, and pays for nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from subjects import ARTICLE, DESIGN, INQUIRY, PAGE, PIECE, Killed
from worked import WORK

from signoff.testing import crash_harness
from signoff.testing.ptrace import Unsupported


@pytest.mark.req("SP-20")
def test_a_kill_at_any_write_loses_nothing(tmp_path: Path, wanted: str) -> None:
    survives(PAGE, tmp_path, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("killed", [INQUIRY, PIECE], ids=["inquiry", "piece"])
def test_a_kill_at_any_write_of_a_run_that_talks_with_people_loses_nothing(
    killed: Killed, tmp_path: Path, wanted: str
) -> None:
    survives(killed, tmp_path, wanted)


@pytest.mark.slow
@pytest.mark.req("AR-12")
def test_a_kill_at_any_write_of_an_article_loses_nothing(tmp_path: Path, wanted: str) -> None:
    survives(ARTICLE, tmp_path, wanted)


@pytest.mark.slow
def test_a_kill_at_any_write_of_a_design_loses_nothing(tmp_path: Path, wanted: str) -> None:
    survives(DESIGN, tmp_path, wanted)


@pytest.mark.slow
@pytest.mark.req("OR-21", "OR-28")
def test_a_kill_between_the_commands_of_the_work_repeats_nothing_that_is_verified(tmp_path: Path, wanted: str) -> None:
    """The sample begins where the design is approved, all of it with the plan. Two undisturbed runs cost too much.

    The recovery is not killed: a second kill may meet a command, which is put to the person, as nobody recorded it.
    """
    begun = WORK if wanted == "all" else WORK.brought(tmp_path / "approved", "execute")
    survives(begun, tmp_path / "killed", wanted, undisturbed=1, recovery=0)


def survives(killed: Killed, folder: Path, wanted: str, undisturbed: int = 2, recovery: int = 1) -> None:
    try:
        report = crash_harness.explore(
            killed.subject(), folder, points=lambda survey: killed.chosen(survey, wanted), recovery=recovery, jobs=2,
            undisturbed=undisturbed, progress=_tell,
        )  # fmt: skip
    except Unsupported as reason:
        pytest.skip(f"not tested: {reason}")
    print(report)
    assert not report.failures, report
    assert len(report.points) > 100
    assert any(len(kills) > 1 for kills in report.tried) is bool(recovery), "recovery was killed too"


@pytest.fixture
def wanted(request: pytest.FixtureRequest) -> str:
    """How many points: a number, or all."""
    return str(request.config.getoption("--crash-points"))


def _tell(done: int, total: int, failures: int) -> None:
    if done % 25 == 0:
        print(f"{done} of {total} points, {failures} failures", flush=True)
