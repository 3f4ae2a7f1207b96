"""A host that conducts content: it knows nothing but what tools answer, and takes the turns of author and critics."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_kit import Visit

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows/content"))
from content_agents import AGENTS, NOBODY, SAYS, critique, draft
from content_project import lay_out as lay_out_content
from small_content import NAME as RUN

__all__ = [
    "AGENTS", "CONDUCTOR", "PIECE", "RUN", "TOOLS", "begun", "conduct", "small", "take", "take_all", "work",
]  # fmt: skip

PIECE = {"workflow": "content", "name": RUN, "params": {"type": "small"}}
TOOLS = [
    "generate_draft", "run_critiques", "editor_decision", "revise_draft", "summarize_round", "save_content",
    "load_foundation_docs",
]  # fmt: skip
ORDER = ("save_content", "revise_draft", "summarize_round", "editor_decision", "run_critiques", "generate_draft")
CONDUCTOR = "0002-orchestrator"
_GIVEN = re.compile(r"# Given by the orchestrator\n\n```json\n(.*?)\n```", re.DOTALL)


def small(root: Path, config: str = "") -> Path:
    """A fresh project of the small world: two critics, one revision."""
    lay_out_content(root)
    if config:
        (root / "_workflow/content/config.yaml").write_text(config)
    return root


def work(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The open turns that have an output to give: those without tools."""
    return [turn for turn in turns if "tools" not in turn]


def standing(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Where the piece stands, as the conducting turn shows it; after a refusal, what that said is legal."""
    last = turn.get("last_call", {})
    if "result" in last:
        return last["result"]["now"]
    if "legal" in last:
        return {"legal": last["legal"]}
    now: dict[str, Any] = given(turn["brief"])["now"]
    return now


def given(brief: str) -> dict[str, Any]:
    """The notes that stand in a brief."""
    found = _GIVEN.search(brief)
    assert found, brief[:300]
    notes: dict[str, Any] = json.loads(found[1])
    return notes


async def take(host: Visit, turn: Mapping[str, Any]) -> dict[str, Any]:
    """One turn without tools, by the scripted agent."""
    notes = given(await host.brief(RUN, turn))
    match turn["agent"]:
        case "author":
            raw = draft(notes)
        case "critic":
            raw = critique(notes, SAYS)
        case _:
            raw = NOBODY
    said = await host.call("submit_turn", run=RUN, turn=turn["turn"], attempt=turn["attempt"], output=raw)
    assert said["accepted"], said["findings"]
    return said


async def take_all(host: Visit) -> dict[str, Any]:
    """Every turn without tools, until only the conducting one is open; gives what the last submission said."""
    said: dict[str, Any] = {}
    while turns := work((await host.call("next_turn", run=RUN))["turns"]):
        said = await take(host, turns[0])
    return said


async def conduct(host: Visit) -> dict[str, Any]:
    """Takes every turn of the run until none is open."""
    while True:
        found = await host.call("next_turn", run=RUN)
        if not found["turns"]:
            return found
        if turns := work(found["turns"]):
            await take(host, turns[0])
            continue
        [turn] = found["turns"]
        now = standing(turn)
        tool = next((one for one in ORDER if one in now["legal"]), None)
        if tool is None:
            ends = {"run": RUN, "turn": turn["turn"], "attempt": turn["attempt"], "output": '{"status": "saved"}'}
            assert (await host.call("submit_turn", **ends))["accepted"]
        else:
            quality = {"quality": now["quality"]} if tool == "save_content" else {}
            await host.client.call_tool(tool, {"run": RUN, **quality})


async def begun(host: Visit) -> Visit:
    """A run whose critics are selected: the conducting turn is open."""
    await host.call("start_run", **PIECE)
    await take_all(host)
    return host
