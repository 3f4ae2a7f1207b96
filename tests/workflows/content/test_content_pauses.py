"""A piece whose time is used up pauses between turns, and goes on with the same critics, rounds and draft."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "shell"))
sys.path.insert(0, str(Path(__file__).parents[2] / "surfaces"))
from content_kit import CONFIG, behind, configure, small
from content_project import GOOD, HIGH, Writing, lay_out
from model_kit import CLAUDE, lead
from shell_out import signoff
from small_content import NAME, ONE

from signoff.core.declarations import Assignment
from signoff.core.events import Usage
from signoff.shell.runtimes.runtime import Offline, Returned, ToolPort
from signoff.testing.stub import Stub


@dataclass
class Slow:
    """The scripted agents, each of whom says that a turn took so many seconds; conducting takes none."""

    case: Writing
    seconds: float
    asked: list[str] = field(default_factory=list)
    name: str = "offline"
    paid: bool = True

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        returned = await Offline(self.case.agents).perform(assignment, tools)
        self.asked.append(assignment.start.turn)
        took = 0.0 if assignment.start.agent == "orchestrator" else self.seconds
        return Returned(returned.raw, Usage(seconds=took))


def writing(root: Path, budget: str = "") -> Writing:
    case = Writing(lay_out(root), {ONE: [HIGH, GOOD]})
    configure(case.root, budget)
    return case


@pytest.mark.req("CP-11")
@pytest.mark.parametrize("budget", [10, 20, 40])
def test_a_piece_pauses_when_its_seconds_are_used_and_goes_on_where_it_stood(tmp_path: Path, budget: int) -> None:
    straight = writing(tmp_path / "at-once")
    straight.run()
    wanted = straight.piece
    case = writing(tmp_path / "paused", f"budget: {{seconds: {budget}}}\n")
    runtime = Slow(case, 10)
    state = case.run(runtime)
    assert (state.stop, [ask.key for ask in state.requests.values()]) == ("budget", ["budget"])
    before, early = case.piece, list(runtime.asked)
    assert state.spend.seconds >= budget
    assert case.run(runtime).stop == "budget"
    assert runtime.asked == early, "nothing is asked for while it is paused"
    pauses = 0
    while state.stop == "budget":
        pauses += 1
        configure(case.root, f"budget: {{seconds: {budget + pauses * 20}}}\n")
        case.answer("budget", "resume")
        state = case.run(runtime)
        assert case.piece.critics[: len(before.critics)] == before.critics
    assert (state.stop, case.piece.saved) == ("complete", wanted.saved)
    assert len(runtime.asked) == len(set(runtime.asked)), "no turn was carried out twice"
    assert [one.decision for one in case.piece.rounds] == [one.decision for one in wanted.rounds]
    assert (case.piece.critics, case.piece.issues) == (wanted.critics, wanted.issues)


@pytest.mark.req("CP-11", "CP-12")
def test_at_the_command_line_a_paused_piece_says_so_and_resumes_once_there_is_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "p", "budget: {turns: 3}\n", conductor="fixed")
    with Stub(behind(case.root, NAME)) as stub:
        lead(monkeypatch, stub)
        env = stub.environment()
        assert case.on_models(CLAUDE).stop == "budget"
        [told] = signoff("status", NAME, "--json", cwd=case.root).json["runs"]
        assert (told["stop"], told["progress"]["status"]) == ("budget", "waiting")
        again = signoff("resume", NAME, cwd=case.root, person="ada", **env)
        assert again.code == 5, again.err
        assert "turns are used" in again.out + again.err
        configure(case.root, "budget: {turns: 60}\n")
        done = signoff("resume", NAME, cwd=case.root, person="ada", **env)
    assert (done.code, (case.root / "content/small/content.md").exists()) == (0, True), done.err
    assert not [asked for asked in stub.asked if "orchestrator, attempt" in asked.text], "the policy conducts"


@pytest.mark.req("CP-11")
def test_without_a_budget_of_seconds_time_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    case = writing(tmp_path / "p")
    state = case.run(Slow(case, 1e6))
    assert (state.stop, state.spend.seconds >= 3e6) == ("complete", True)
    assert (case.root / CONFIG).exists()
