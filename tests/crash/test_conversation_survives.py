"""A conversation with a model that is killed goes on, and no finished turn of an author or a critic is asked again."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from content_kit import RUN, Case, agent, behind, harbour, judged, notes, now
from model_kit import CLAUDE, GPT, task
from shell_out import CALL, environment, signoff

from signoff.core.events import Event
from signoff.shell.run.live_run import LiveRun
from signoff.testing.stub import Asked, Step, Stub, refuse

ARGS = ("run", "content", "--type", "website", "--idea", RUN, "--runtime", "model", "--json")
Moment = Callable[[Asked], bool]


def _told(tool: str) -> Moment:
    """The orchestrator is about to call this tool."""
    return lambda asked: agent(asked) == "orchestrator" and tool in now(asked)["legal"]


def _judging(name: str) -> Moment:
    return lambda asked: agent(asked) == "critic" and notes(asked)["advisor"]["id"] == name


MOMENTS: dict[str, Moment] = {
    "before the draft": _told("generate_draft"),
    "in the author's turn": lambda asked: agent(asked) == "author",
    "after the draft": _told("run_critiques"),
    "in a critic's turn": _judging("joanna-wiebe"),
    "after the critiques": _told("editor_decision"),
    "before it is saved": _told("save_content"),
}


FIRST = ("in the author's turn",)
"""The others are more of the same."""


@pytest.mark.req("CP-11")
@pytest.mark.parametrize(
    "moment", [pytest.param(name, marks=[] if name in FIRST else [pytest.mark.slow]) for name in MOMENTS]
)
def test_a_kill_in_the_middle_of_a_conversation_costs_no_finished_turn(moment: str, tmp_path: Path) -> None:
    case, model = Case(harbour(tmp_path / "p")), (CLAUDE, GPT)[len(moment) % 2]
    reached, gate = threading.Event(), threading.Event()
    play = behind(case.root, critic=judged(9))

    def held(asked: Asked) -> Step:
        if not asked.body:  # the kill cut the request off
            return refuse(400)
        if MOMENTS[moment](asked) and not reached.is_set():
            reached.set()
            return replace(play(asked), gate=gate)
        return play(asked)

    with Stub(held) as stub:
        env = stub.environment()
        process = subprocess.Popen(
            [sys.executable, "-c", CALL, *ARGS, "--model", model], cwd=case.root, env=environment(env),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert reached.wait(120), "the run never came to this moment"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
        gate.set()
        kept, before = case.raws(), len(stub.asked)
        ended = signoff(*ARGS, "--model", model, cwd=case.root, **env)
    assert (ended.code, ended.json["stop"]) == (0, "complete"), ended.err
    assert case.piece.saved == "approved"
    whole = [one for one in stub.asked if one.body]
    asked = Counter(task(one)[0] for one in whole if one.number > before)
    assert not [path for path in kept if asked[path.partition("/")[0]]], "what was on disk was not asked for again"
    ids = [event.id for event in case.go(_events)]
    assert len(ids) == len(set(ids)), "no call has the id of an earlier one"
    assert len({task(one) for one in whole if agent(one) == "author"}) == 1, "the draft was written in one turn"


async def _events(live: LiveRun) -> list[Event]:
    return list(live.events)
