"""What holds for every run of press-release, whatever agents give back and people do."""

from pathlib import Path

from press_release import WORKFLOW, Draft, Remark, Review

from signoff import Assignment
from signoff.testing import crash, explore, play

SOURCES = {"0-sources/facts.md": "The lamp uses 9 watts.\n"}
GOOD = Draft(headline="A lamp", body="It uses 9 watts.")
WRONG = Draft(headline="A lamp", body="It uses 5 watts.")
REMARK = Review(remarks=[Remark(problem="The headline says nothing.", repair="Name what is new.")])
OUTPUTS = {"writer": {"good": GOOD, "wrong": WRONG, "broken": "{"}, "editor": {"passes": Review(), "remark": REMARK}}


def reply(assignment: Assignment) -> str:
    """The first draft has a wrong number; told so, the writer repairs it."""
    if assignment.start.agent == "editor":
        return Review().model_dump_json()
    return (GOOD if "required" in assignment.start.notes else WRONG).model_dump_json()


def test_every_run_can_end_and_no_agent_goes_in_circles() -> None:
    graph = explore(WORKFLOW, OUTPUTS, SOURCES)
    ends = {state.stop for state in graph.states.values()}
    assert ends >= {"complete", "escalated"}


def test_nothing_is_complete_without_approval_or_with_a_wrong_number() -> None:
    for state in explore(WORKFLOW, OUTPUTS, SOURCES).states.values():
        if state.stop == "complete":
            assert state.own.approvals
            assert not state.own.findings


def test_a_run_from_the_sources_to_an_approved_release(tmp_path: Path) -> None:
    state = play(WORKFLOW, "autumn", reply, SOURCES, tmp_path)
    assert state.stop == "complete"
    assert (tmp_path / "releases/autumn.md").read_text() == "# A lamp\n\nIt uses 9 watts.\n"


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    report = crash(WORKFLOW, "autumn", reply, SOURCES, tmp_path, points=2)
    assert report.tried
    assert not report.failures, report
