"""A piece whose time is used up pauses between turns, and goes on with the same critics, rounds and draft."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from content_kit import CONFIG, RUN, Case, configure, harbour
from shell_out import signoff

from signoff.core.events import Usage
from signoff.core.workflow import Assignment
from signoff.shell.runtimes import Offline, Returned, ToolPort
from signoff.workflows.content.definition import WORKFLOW


@dataclass
class Slow:
    """The role players, each of whom says that a turn took so many seconds; conducting takes none."""

    seconds: float
    asked: list[str] = field(default_factory=list)
    name: str = "offline"

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        returned = await Offline(WORKFLOW).perform(assignment, tools)
        self.asked.append(assignment.start.turn)
        took = 0.0 if assignment.start.agent == "orchestrator" else self.seconds
        return Returned(returned.raw, Usage(seconds=took))


def finished(root: Path) -> Case:
    case = Case(harbour(root))
    assert case.drive(Offline(WORKFLOW)).stop == "complete"
    return case


@pytest.mark.req("CP-11")
@pytest.mark.parametrize("budget", [10, 20, 50])
def test_a_piece_pauses_when_its_seconds_are_used_and_goes_on_where_it_stood(tmp_path: Path, budget: int) -> None:
    wanted = finished(tmp_path / "at-once").piece
    case, runtime = Case(harbour(tmp_path / "paused", f"budget: {{seconds: {budget}}}\n")), Slow(10)
    state = case.drive(runtime)
    assert (state.stop, [ask.key for ask in state.requests.values()]) == ("budget", ["budget"])
    before, early = case.piece, list(runtime.asked)
    assert state.spend.seconds >= budget
    assert case.drive(runtime).stop == "budget"
    assert runtime.asked == early, "nothing is asked for while it is paused"
    pauses = 0
    while state.stop == "budget":
        pauses += 1
        configure(case.root, f"budget: {{seconds: {budget + pauses * 50}}}\n")
        case.settle("budget", "resume")
        state = case.drive(runtime)
        assert case.piece.critics[: len(before.critics)] == before.critics
    assert (state.stop, case.piece.saved) == ("complete", wanted.saved)
    assert len(runtime.asked) == len(set(runtime.asked)), "no turn was carried out twice"
    assert [one.decision for one in case.piece.rounds] == [one.decision for one in wanted.rounds]
    assert (case.piece.critics, case.piece.issues) == (wanted.critics, wanted.issues)


@pytest.mark.req("CP-11")
def test_at_the_command_line_a_paused_piece_says_so_and_resumes_once_there_is_more(tmp_path: Path) -> None:
    case = Case(harbour(tmp_path / "p", "budget: {seconds: 20}\n"))
    assert case.drive(Slow(10)).stop == "budget"
    shown = signoff("status", RUN, "--json", cwd=case.root)
    [told] = shown.json["runs"]
    assert (told["stop"], told["progress"]["status"]) == ("budget", "waiting")
    again = signoff("resume", RUN, cwd=case.root, person="ada")
    assert again.code == 5, again.err
    assert "seconds are used" in again.out + again.err
    configure(case.root, "budget: {seconds: 9000}\n")
    done = signoff("resume", RUN, cwd=case.root, person="ada")
    assert (done.code, case.piece.saved != "") == (0, True), done.err


@pytest.mark.req("CP-11")
def test_without_a_budget_of_seconds_time_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    case = Case(harbour(tmp_path / "p"))
    state = case.drive(Slow(1e6))
    assert (state.stop, state.spend.seconds >= 3e6) == ("complete", True)
    assert (case.root / CONFIG).exists()
