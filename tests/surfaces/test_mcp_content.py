"""Content by a host: the workflow's tools under their names, turns within a call, and hosts that want too much."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from content_host import AGENTS, CONDUCTOR, PIECE, RUN, TOOLS, begun, conduct, small, take, take_all, work
from mcp_kit import PAGE, Visit, lay_out, stdio, visit, visiting

from signoff.core.errors import DefinitionError, RefusedError
from signoff.core.events import Called
from signoff.core.state import State
from signoff.service import catalog, runs
from signoff.service.hosts import host_calls
from signoff.service.project import Project
from signoff.shell.runtimes.runtime import Offline
from signoff.surfaces.mcp.server import Server
from signoff.workflows.clarify import workflow
from signoff.workflows.content.workflow import WORKFLOW


def state(root: Path) -> State:
    return asyncio.run(Project(root).open(RUN)).state


def calls(root: Path) -> list[Called]:
    events = asyncio.run(Project(root).open(RUN)).events
    return [event for event in events if isinstance(event, Called)]


def files(root: Path) -> dict[str, bytes]:
    home = root / "content" / RUN
    return {file.relative_to(home).as_posix(): file.read_bytes() for file in sorted(home.rglob("*")) if file.is_file()}


# --- whole runs -------------------------------------------------------------------------------------------------------


async def _whole(host: Visit) -> dict[str, Any]:
    await host.call("start_run", **PIECE)
    return await conduct(host)


@pytest.mark.req("CP-1")
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_host_conducts_a_piece_to_its_end(tmp_path: Path, transport: str) -> None:
    root = small(tmp_path / "hosted")
    ended = visiting(root, _whole, stdio(root) if transport == "stdio" else None)
    assert (ended["stop"], ended["requests"]) == ("complete", [])
    assert files(root)["content.md"]
    assert {"summary.md", "rounds/01.json"} < files(root).keys()
    assert {call.by for call in calls(root)} == {"agent:orchestrator"}
    assert (state(root).own.saved, len(state(root).own.rounds)) == ("approved", 2)


def test_the_tools_of_workflows_are_offered_as_they_are_declared(tmp_path: Path) -> None:
    async def listing(host: Visit) -> dict[str, Any]:
        return {tool.name: tool for tool in (await host.client.list_tools()).tools}

    found = visiting(small(tmp_path / "p"), listing)
    for name, declared in catalog.tools().items():
        assert found[name].description == declared.about
        given = found[name].input_schema
        assert given["properties"].keys() == {"run", "turn", "call_id", *declared.takes["properties"]}
        assert (given["required"], given["additionalProperties"]) == (["run"], False)
    assert set(TOOLS) <= found.keys()


@pytest.mark.parametrize("clash", ["run_critiques", "next_turn"])
def test_a_tool_that_is_declared_twice_is_a_mistake_of_a_developer(
    clash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = replace(next(tool for tool in WORKFLOW.tools if tool.name == "run_critiques"), name=clash)
    monkeypatch.setattr(workflow, "WORKFLOW", replace(workflow.WORKFLOW, tools=(twin,)))
    with pytest.raises(DefinitionError, match=clash):
        Server(tmp_path)


# --- a call that waits ------------------------------------------------------------------------------------------------


def test_half_a_character_in_the_arguments_of_a_host_is_written_down_as_one_that_can_be(tmp_path: Path) -> None:
    root = small(tmp_path / "p")
    visiting(root, begun)
    with pytest.raises(RefusedError, match="ideaId is not what is stored"):
        asyncio.run(host_calls.call(Project(root), RUN, "generate_draft", {"ideaId": "bad \ud800 end"}))
    assert [call.args for call in calls(root)] == [{"ideaId": "bad ? end"}]


@pytest.mark.req("CP-1")
def test_a_call_that_needs_an_author_waits_for_that_turn_and_the_output_brings_its_result(tmp_path: Path) -> None:
    root = small(tmp_path / "p")

    async def doing(host: Visit) -> None:
        await begun(host)
        first = await host.call("generate_draft", run=RUN)
        assert (first["status"], first["turn"]) == ("waiting", CONDUCTOR)
        assert [turn["agent"] for turn in work(first["turns"])] == ["author"]
        again = await host.call("generate_draft", run=RUN, ideaId=RUN)
        assert again == first, "the same call again, while it waits, is the same call"
        assert await host.call("generate_draft", run=RUN, call_id=first["call_id"]) == first
        [shown] = [turn for turn in (await host.call("next_turn", run=RUN))["turns"] if "tools" in turn]
        assert shown["waits_for"] == [{"call_id": first["call_id"], "tool": "generate_draft"}]
        said = await take_all(host)
        [result] = said["results"]
        assert (result["tool"], result["result"]["now"]["legal"][0]) == ("generate_draft", "run_critiques")
        done = await host.call("generate_draft", run=RUN, call_id=first["call_id"])
        assert (done["status"], done["result"]) == ("done", result["result"])
        [turn] = (await host.call("next_turn", run=RUN))["turns"]
        assert turn["last_call"] == result
        assert "# What you have called so far" in await host.brief(RUN, turn)

    visiting(root, doing)
    assert [call.tool for call in calls(root)] == ["generate_draft"]


def test_a_piece_that_a_host_began_is_finished_by_another_runtime(tmp_path: Path) -> None:
    root = small(tmp_path / "p")

    async def half(host: Visit) -> None:
        await begun(host)
        await host.call("generate_draft", run=RUN)
        await take_all(host)
        await host.call("run_critiques", run=RUN)

    visiting(root, half)
    live = asyncio.run(Project(root).open(RUN))
    assert asyncio.run(runs.drive(live, Offline(AGENTS))).stop == "complete"
    assert state(root).own.saved == "approved"


@pytest.mark.req("CP-11")
def test_a_call_whose_turn_the_budget_does_not_allow_waits_for_a_person(tmp_path: Path) -> None:
    root = small(tmp_path / "p", "budget: {turns: 2}\n")

    async def doing(host: Visit) -> dict[str, Any]:
        await begun(host)
        return await host.call("generate_draft", run=RUN)

    said = visiting(root, doing)
    assert (said["status"], [request["key"] for request in said["requests"]]) == ("waiting", ["budget"])
    assert said["how_to_go_on"].startswith("Only a person can settle this")


# --- hosts that want too much -----------------------------------------------------------------------------------------


@pytest.mark.req("CP-1")
@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("save_content", {"quality": "approved"}, "save_content is not legal now"),
        ("editor_decision", {}, "Valid: generate_draft, load_foundation_docs"),
        ("generate_draft", {"ideaId": "another"}, "ideaId is not what is stored"),
        ("load_foundation_docs", {"docTypes": 5}, "docTypes is 5, and not of type array"),
        ("load_foundation_docs", {"docTypes": ["secrets"]}, "secrets is not a foundation document"),
    ],
)
def test_an_illegal_call_is_an_error_that_says_what_is_legal_and_it_is_in_the_journal(
    tmp_path: Path, tool: str, given: dict[str, Any], says: str
) -> None:
    root = small(tmp_path / "p")

    async def doing(host: Visit) -> str:
        await begun(host)
        return await host.refused(tool, run=RUN, **given)

    said = visiting(root, doing)
    assert says in said
    assert "generate_draft" in said
    own = state(root).own
    assert (own.saved, own.rounds, own.doing) == ("", (), "")
    assert [(call.tool, dict(call.args)) for call in calls(root)] == [(tool, given)]


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("generate_draft", {"run": "page"}, "which has no tool 'generate_draft'. Valid: it has none"),
        ("generate_draft", {"run": RUN, "turn": "0001-critic-selector"}, "is not open. Valid: 0002-orchestrator"),
        ("generate_draft", {"run": RUN, "turn": "../.."}, "is not open"),
        ("generate_draft", {"run": RUN, "call_id": "host-9"}, "has made no call 'host-9'"),
        ("generate_draft", {"run": RUN, "tone": "warm"}, "generate_draft takes no 'tone'"),
        ("revise_draft", {"run": RUN, "brief": ["a"]}, "brief: Input should be a valid string"),
        ("generate_draft", {}, "run: Field required"),
        ("generate_draft", {"run": "nobody"}, "there is no run 'nobody'"),
        ("approve_content", {"run": RUN}, "'approve' is a person's act, and an MCP host"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused_and_written_nowhere(
    tmp_path: Path, tool: str, given: dict[str, Any], says: str
) -> None:
    root = small(tmp_path / "p")
    lay_out(root / "sources-of-a-page")
    (root / "sources-of-a-page/0-sources").rename(root / "0-sources")

    async def doing(host: Visit) -> str:
        await begun(host)
        await host.call("start_run", **{**PAGE, "name": "page"})
        return await host.refused(tool, **given)

    assert says in visiting(root, doing)
    assert calls(root) == []


def test_a_turn_without_tools_cannot_call_and_neither_can_one_that_has_ended(tmp_path: Path) -> None:
    root = small(tmp_path / "p")

    async def doing(host: Visit) -> None:
        await host.call("start_run", **PIECE)
        assert f"no open turn of {RUN} has the tool" in await host.refused("generate_draft", run=RUN)
        named = await host.refused("generate_draft", run=RUN, turn="0001-critic-selector")
        assert f"'0001-critic-selector' of {RUN} has no tool 'generate_draft'" in named
        await conduct(host)
        assert "The run has ended: complete" in await host.refused("run_critiques", run=RUN, turn=CONDUCTOR)

    visiting(root, doing)


def test_whoever_calls_something_else_while_a_call_waits_is_told_what_is_under_way(tmp_path: Path) -> None:
    root = small(tmp_path / "p")

    async def doing(host: Visit) -> None:
        await begun(host)
        await host.call("generate_draft", run=RUN)
        said = await host.refused("run_critiques", run=RUN)
        assert "run_critiques is not legal while draft is under way" in said
        given = {"run": RUN, "turn": CONDUCTOR, "attempt": 1, "output": '{"status": "saved"}'}
        early = await host.call("submit_turn", **given)
        assert (early["accepted"], early["findings"][0]["rule"]) == (False, "content.unsaved")
        await conduct(host)

    visiting(root, doing)
    assert state(root).stop == "complete"


def test_a_host_cannot_make_up_critiques_or_a_decision(tmp_path: Path) -> None:
    root = small(tmp_path / "p")
    praise = [{"advisorId": "ada", "score": 10, "pass": True, "issues": []}]

    async def doing(host: Visit) -> list[str]:
        await begun(host)
        await host.call("generate_draft", run=RUN)
        await take_all(host)
        await host.call("run_critiques", run=RUN)
        await take_all(host)
        said = [await host.refused("editor_decision", run=RUN, critiques=praise)]
        decided = await host.call("editor_decision", run=RUN)
        verdict = decided["result"]["decision"]
        other = {"approve": "revise", "revise": "approve"}[verdict]
        said.append(await host.refused("summarize_round", run=RUN, decision=other))
        said.append(await host.refused("summarize_round", run=RUN, round=7))
        said.append(await host.refused("save_content", run=RUN, quality="approved"))
        return said

    told = visiting(root, doing)
    assert [said.split(";")[0] for said in told[:3]] == [
        f"{name} is not what is stored" for name in ("critiques", "decision", "round")
    ]
    assert "save_content is not legal before the round is summarized" in told[3]
    assert state(root).own.saved == ""


# --- several hosts ----------------------------------------------------------------------------------------------------


def test_two_hosts_that_call_at_once_start_the_work_once_and_both_get_its_result(tmp_path: Path) -> None:
    root = small(tmp_path / "p")

    async def racing() -> None:
        async with visit(root) as one, visit(root, stdio(root)) as other:
            await begun(one)
            told = await asyncio.gather(*(host.call("generate_draft", run=RUN) for host in (one, other)))
            assert told[0]["call_id"] == told[1]["call_id"]
            [turn] = work((await other.call("next_turn", run=RUN))["turns"])
            await take(other, turn)
            given = {"run": RUN, "call_id": told[0]["call_id"]}
            results = await asyncio.gather(*(host.call("generate_draft", **given) for host in (one, other)))
            assert results[0]["result"] == results[1]["result"]

    asyncio.run(racing())
    assert [call.tool for call in calls(root)] == ["generate_draft"]
    assert len(list((root / "_workflow/content" / RUN / "turns").glob("*-author"))) == 1


def test_what_a_host_says_in_strange_letters_is_kept_as_it_is(tmp_path: Path) -> None:
    root = small(tmp_path / "p")
    strange = "\u202e\x1b[2J\0"

    async def doing(host: Visit) -> str:
        await begun(host)
        return await host.refused("generate_draft", run=RUN, ideaId=strange)

    assert "ideaId is not what is stored" in visiting(root, doing)
    assert calls(root)[0].args == {"ideaId": strange}
    assert "\0" not in (root / "_workflow/content" / RUN / "journal.jsonl").read_text("utf-8")
