"""The tools of a workflow, as a model calls them within one turn."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, GPT, lead

from signoff.core.commands import Reply, StartTurn
from signoff.core.declarations import Assignment, Tool
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.library import Library
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Port
from signoff.testing.stub import Call, Step, Stub, give
from signoff.workflows.solution_page.workflow import WORKFLOW as PAGE

NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
NONE = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = (
    Tool(name="add_note", about="Keep a note.", takes=NOTE),
    Tool(name="finish", about="Finish the notes.", takes=NONE),
)
WORKFLOW = replace(PAGE, tools=TOOLS)


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_a_call_reaches_the_kernel_and_its_reply_the_model(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, Mapping[str, Any]]] = []
    ids: list[str] = []

    async def calls(tool: str, args: Mapping[str, Any], call_id: str) -> Reply:
        called.append((tool, args))
        ids.append(call_id)
        if tool == "add_note":
            return Reply(turn="0001-x", call_id=call_id, result={"note": 7})
        return Reply(turn="0001-x", call_id=call_id, illegal=f"{tool} is too early", legal=("add_note",))

    start = StartTurn(
        key="x", agent="editor-qa", contract="editor-qa", task="Try.", turn="0001-x", tools=("add_note", "finish")
    )
    assignment = Assignment(start=start, brief="Be brief.\nTry.", standing="Be brief.\n", params={}, at="", called=4)
    port = Port(Library(FolderStore(tmp_path), "_workflow"), {}, calls)
    tries = Step(calls=(Call("add_note", {"text": "é"}), Call("finish")))
    with Stub([tries, give({"agent": "editor-qa"})]) as stub:
        lead(monkeypatch, stub)
        runtime = ModelRuntime(WORKFLOW, choice([model], WORKFLOW.agent_names, os.environ))
        returned = asyncio.run(runtime.perform(assignment, port))
    assert sorted(called, key=str) == [("add_note", {"text": "é"}), ("finish", {})]
    assert sorted(name.partition("-")[0] for name in ids) == ["5", "6"], "numbered after those of a broken-off talk"
    assert stub.asked[0].tools == ("read_input", "add_note", "finish", "final_result")
    assert '{"note": 7}' in stub.asked[1].text
    assert "Refused: finish is too early. Legal now: add_note." in stub.asked[1].text
    assert (json.loads(returned.raw), returned.model) == ({"agent": "editor-qa"}, model)
