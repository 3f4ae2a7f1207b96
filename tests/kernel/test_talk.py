"""The kernel carries an agent that chooses among legal tool calls; one of them starts further turns."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from test_fanout import Scripted, begin, no_probes
from toys import TALK, TOOLS

from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import Reply
from signoff.core.declarations import Assignment
from signoff.core.events import Called
from signoff.shell.run.briefs import Crew
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import ToolPort

TEAM = Crew({n: AgentFile(file="", name=n, description="", skills=(), body=n) for n in ("author", "critic")}, {})


def converse(root: Path, script: object, at_once: int = 8) -> tuple[LiveRun, list[str]]:
    """Runs the talk workflow with an author that follows the script and critics that score."""
    asked: list[str] = []

    async def perform(assignment: Assignment, tools: ToolPort) -> str:
        asked.append(assignment.start.key)
        if assignment.start.agent == "critic":
            return json.dumps({"score": len(assignment.start.task)})
        await script(tools)  # type: ignore[operator]
        return json.dumps({"done": True})

    async def go() -> LiveRun:
        live = await begin(TALK, root, "talk")
        await Runner(live, Scripted(perform), TEAM, no_probes, at_once=at_once).drive()  # type: ignore[arg-type]
        return live

    return asyncio.run(go()), asked


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_a_conversation_drafts_asks_critics_and_saves(tmp_path: Path, at_once: int) -> None:
    replies: list[Reply] = []

    async def script(tools: ToolPort) -> None:
        replies.append(await tools.call("draft", {"text": "hello"}, "1"))
        replies.append(await tools.call("critique", {}, "2"))
        replies.append(await tools.call("save", {}, "3"))

    live, asked = converse(tmp_path, script, at_once)
    assert [reply.result for reply in replies] == [5, [6, 6], "saved"]
    assert asked == ["talk", "critic:reader", "critic:editor"]
    assert live.state.stop == "complete"
    assert (tmp_path / "text.md").read_text() == "hello"


def test_an_illegal_call_is_told_what_is_legal_and_changes_nothing(tmp_path: Path) -> None:
    replies: list[Reply] = []

    async def script(tools: ToolPort) -> None:
        replies.append(await tools.call("save", {}, "1"))
        replies.append(await tools.call("launch", {}, "2"))
        replies.append(await tools.call("draft", {"text": "x"}, "3"))
        replies.append(await tools.call("save", {}, "4"))

    live, _ = converse(tmp_path, script)
    assert [(reply.illegal, reply.legal) for reply in replies] == [
        ("save is not legal now", ("draft",)),
        ("launch is not a tool here", TOOLS),
        ("", ()),
        ("save is not legal now", ("draft", "critique")),
    ]
    assert live.state.stop == "failed", "an unjudged text is not complete, whatever the agent returns"


def test_the_same_call_twice_gives_the_same_reply_and_is_done_once(tmp_path: Path) -> None:
    async def script(tools: ToolPort) -> None:
        first = await tools.call("draft", {"text": "one"}, "1")
        again = await tools.call("draft", {"text": "two"}, "1")
        assert first == again
        await tools.call("critique", {}, "2")
        await tools.call("critique", {}, "2")

    live, asked = converse(tmp_path, script)
    assert (tmp_path / "text.md").read_text() == "one"
    assert asked.count("critic:reader") == 1
    assert sum(isinstance(event, Called) for event in live.events) == 2
    assert live.state.stop == "complete"


def test_a_failing_critic_does_not_hang_the_conversation(tmp_path: Path) -> None:
    async def perform(assignment: Assignment, tools: ToolPort) -> str:
        if assignment.start.agent == "critic":
            return "not json" if assignment.start.task == "reader" else json.dumps({"score": 7})
        await tools.call("draft", {"text": "x"}, "1")
        reply = await tools.call("critique", {}, "2")
        assert reply.result == [0, 7]
        return "{}"

    async def go() -> LiveRun:
        live = await begin(TALK, tmp_path, "talk")
        await Runner(live, Scripted(perform), TEAM, no_probes).drive()  # type: ignore[arg-type]
        return live

    assert asyncio.run(go()).state.stop == "complete"


def test_a_run_opened_again_from_its_journal_is_where_it_was(tmp_path: Path) -> None:
    async def script(tools: ToolPort) -> None:
        await tools.call("draft", {"text": "hello"}, "1")
        await tools.call("critique", {}, "2")

    live, _ = converse(tmp_path, script)
    again = LiveRun(TALK, live.store, "talk", live.clock)
    asyncio.run(again.sync())
    assert again.state == live.state
    assert again.events == live.events
