"""Whole runs by a host: over every transport, by several hosts at once, and from the command line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp_kit import (
    INQUIRY,
    LOCKERS,
    MIXED,
    PAGE,
    QUENCH,
    RONDO,
    Visit,
    http,
    lay_out,
    lay_out_article,
    lay_out_inquiry,
    stdio,
    visit,
    visiting,
)
from shell_out import process, signoff

from signoff.core.events import DocsChanged, Event
from signoff.service.project import Project

SITTINGS = ((MIXED, "research"), ({"R2.1": "A", "R7.1": "B"}, "decide"))


def events(root: Path, run: str) -> list[Event]:
    return asyncio.run(Project(root).open(run)).events


async def page(host: Visit) -> dict[str, Any]:
    await host.call("start_run", **PAGE)
    return await host.play(RONDO)


async def inquiry(host: Visit) -> dict[str, Any]:
    """The small inquiry, with the answers of its two sittings passed on by the host."""
    await host.call("start_run", **INQUIRY)
    await host.play(LOCKERS)
    for answers, option in SITTINGS:
        for key, text in answers.items():
            await host.call("answer_question", run=LOCKERS, key=key, text=text)
        await host.call("choose_option", run=LOCKERS, option=option, note=f"after {len(answers)} answers")
        found = await host.play(LOCKERS)
    return found


def released(root: Path) -> bytes:
    return (root / f"4-release/{RONDO}/content-cn.md").read_bytes()


# --- whole runs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
def test_a_host_finishes_a_page_that_equals_the_one_of_the_offline_runtime(tmp_path: Path, transport: str) -> None:
    root, other = lay_out(tmp_path / "hosted"), lay_out(tmp_path / "offline")
    if transport == "http":
        with http(root) as url:
            ended = visiting(root, page, url)
    else:
        ended = visiting(root, page, stdio(root) if transport == "stdio" else None)
    assert (ended["stop"], ended["requests"]) == ("complete", [])
    assert signoff("run", "solution-page", RONDO, cwd=other).code == 0
    assert released(root) == released(other)


@pytest.fixture(scope="module")
def inquired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out_inquiry(tmp_path_factory.mktemp("inquired") / "inquiry")
    assert visiting(root, inquiry)["stop"] == "complete"
    return root


def decided(root: Path) -> str:
    return (root / LOCKERS / "context/decisions.md").read_text("utf-8")


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_host_finishes_an_inquiry_with_what_the_person_says(tmp_path: Path, transport: str, inquired: Path) -> None:
    root = lay_out_inquiry(tmp_path / "inquiry")
    if transport == "http":
        with http(root) as url:
            ended = visiting(root, inquiry, url)
    else:
        ended = visiting(root, inquiry, stdio(root))
    assert ended["stop"] == "complete"
    assert decided(root).startswith("---\nstatus: complete\n")
    assert decided(root) == decided(inquired)


def test_what_a_host_passes_on_is_recorded_as_the_hosts(inquired: Path) -> None:
    found = events(inquired, LOCKERS)
    assert {event.by for event in found if not event.by.startswith("agent:")} == {"host"}
    assert sum(isinstance(event, DocsChanged) for event in found) >= len(MIXED)
    way = visiting(inquired, lambda host: host.call("trace_id", id="Q1"))
    assert (way["run"], way["id"]) == (LOCKERS, "Q1")
    assert '"by": "host"' in json.dumps(way)


def test_what_a_turn_cost_is_unknown_and_its_brief_is_a_file(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")
    visiting(root, page)
    assert visiting(root, lambda host: host.call("get_status", run=RONDO))["spend"]["cost"] is None
    assert (root / "_workflow/turns/0001-strategist/brief-1.md").read_text("utf-8").startswith("# strategist\n")


async def article(host: Visit) -> tuple[dict[str, Any], dict[str, Any]]:
    """The small article: where it stops for its thesis, and how it ends after the first one."""
    params = {"type": "opinion", "language": "en"}
    await host.call("start_run", workflow="article", name=QUENCH, params=params)
    stopped = await host.play(QUENCH)
    return stopped, await host.call("get_status", run=QUENCH)


def test_a_host_researches_an_article_and_is_shown_the_theses_that_a_person_can_choose_from(tmp_path: Path) -> None:
    root = lay_out_article(tmp_path / "article")
    stopped, status = visiting(root, article)
    [request] = stopped["requests"]
    assert (status["phase"], [one["request"] for one in status["requests"]]) == ("3 thesis", [request["request"]])
    assert [*request["options"]][:3] == ["thesis-1", "thesis-2", "thesis-3"]
    assert all(request["options"].values()), "each says what it does"

    async def choosing(host: Visit) -> tuple[str, dict[str, Any]]:
        empty = await host.refused("choose_option", run=QUENCH, option="own-nuance")
        await host.call("choose_option", run=QUENCH, option="thesis-1")
        return empty, await host.play(QUENCH)

    empty, ended = visiting(root, choosing)
    assert "needs the words of your thesis" in empty
    assert ended["stop"] == "complete"
    assert (root / f"output/{QUENCH}-report.md").is_file()


# --- several hosts ----------------------------------------------------------------------------------------------------


def test_of_two_hosts_that_race_for_a_turn_the_first_output_counts_and_the_other_is_told(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")

    async def racing() -> tuple[list[dict[str, Any]], bytes]:
        async with visit(root) as one, visit(root, stdio(root)) as other:
            await one.call("start_run", **PAGE)
            turns = [(await host.call("next_turn", run=RONDO))["turns"][0] for host in (one, other)]
            assert turns[0] == turns[1]
            raw = await one.output(RONDO, turns[0])
            given = {"run": RONDO, "turn": turns[0]["turn"], "attempt": 1}
            first, second = {**given, "output": raw}, {**given, "output": f"{raw}# of the other host\n"}
            told = await asyncio.gather(one.call("submit_turn", **first), other.call("submit_turn", **second))
            kept = (root / "_workflow/turns/0001-strategist/raw-1.txt").read_bytes()
            await other.play(RONDO)
            return list(told), kept

    told, kept = asyncio.run(racing())
    won, lost = sorted(told, key=lambda said: not said["accepted"])
    assert (won["accepted"], lost["accepted"], [one["rule"] for one in lost["findings"]]) == (
        True,
        False,
        ["turn.closed"],
    )
    assert kept.endswith(b"# of the other host\n") == told[1]["accepted"]
    assert [event.id for event in events(root, RONDO)].count("0001-strategist.1") == 1
    assert released(root)


def test_hosts_that_submit_the_same_output_at_once_are_all_told_that_it_counts(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")

    async def racing() -> list[dict[str, Any]]:
        async with visit(root) as host, visit(root, stdio(root)) as other:
            await host.call("start_run", **PAGE)
            [turn] = (await host.call("next_turn", run=RONDO))["turns"]
            given = {"run": RONDO, "turn": turn["turn"], "attempt": 1, "output": await host.output(RONDO, turn)}
            hosts = (host, other, host, other)
            return list(await asyncio.gather(*(one.call("submit_turn", **given) for one in hosts)))

    assert [said["accepted"] for said in asyncio.run(racing())] == [True] * 4
    assert [event.id for event in events(root, RONDO)].count("0001-strategist.1") == 1


def test_an_output_that_a_killed_server_left_on_disk_is_taken_in_by_the_next_call(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")

    async def gone_on(host: Visit) -> dict[str, Any]:
        await host.call("start_run", **PAGE)
        [turn] = (await host.call("next_turn", run=RONDO))["turns"]
        kept = root / "_workflow/turns" / turn["turn"] / "raw-1.txt"
        kept.write_text(await host.output(RONDO, turn), "utf-8")
        return await host.call("next_turn", run=RONDO)

    assert [turn["turn"] for turn in visiting(root, gone_on)["turns"]] == ["0002-copywriter"]


def test_an_invalid_output_is_refused_with_findings_and_the_next_attempt_is_told_of_them(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")

    async def mending(host: Visit) -> dict[str, Any]:
        await host.call("start_run", **PAGE)
        given = {"run": RONDO, "turn": "0001-strategist", "attempt": 1, "output": "nonsense"}
        first = await host.call("submit_turn", **given)
        assert not first["accepted"]
        assert first["turns"][0]["attempt"] == 2
        assert await host.call("submit_turn", **given) == first
        assert "What was wrong with your last output" in await host.brief(
            RONDO, (await host.call("next_turn", run=RONDO))["turns"][0]
        )
        return await host.play(RONDO)

    assert visiting(root, mending)["stop"] == "complete"


# --- a person, the command line and a host on one run -----------------------------------------------------------------


def test_a_run_for_a_host_begins_does_no_turn_and_says_who_takes_it(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")
    begun = signoff("run", "solution-page", RONDO, "--runtime", "host", cwd=root)
    assert begun.code == 3, begun.err
    assert "open turn: 0001-strategist, attempt 1" in begun.out
    assert "next_turn" in begun.out
    assert "signoff mcp" in begun.out
    again = signoff("run", "solution-page", RONDO, "--runtime", "host", "--json", cwd=root)
    assert (again.code, again.json["exit"], again.json["runtime"]) == (3, 3, "an MCP host")
    assert [turn["turn"] for turn in again.json["turns"]] == ["0001-strategist"]
    assert not list(root.rglob("raw-*.txt"))


def test_a_person_approves_at_the_command_line_and_the_host_goes_on(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page", config="human_gates: {strategy_approval: true}\n")
    waiting = visiting(root, page)
    assert [request["key"] for request in waiting["requests"]] == ["strategy"]
    told = waiting["requests"][0]
    assert told["who"].startswith("Only a person can settle this")
    assert told["commands"][0] == f"signoff approve {RONDO} --gate strategy --runtime host"
    done = signoff("approve", RONDO, "--gate", "strategy", "--runtime", "host", cwd=root, person="ada")
    assert done.code == 3, done.err
    assert "open turn: 0002-copywriter" in done.out
    assert visiting(root, lambda host: host.play(RONDO))["stop"] == "complete"
    assert [event.by for event in events(root, RONDO) if event.id == "strategy-1.approve"] == ["person:ada"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("run", "solution-page", RONDO, "--runtime", "host", "--fault-seed", 1), "a host does not misbehave by plan"),
        (("mcp", "--http", "--host", "0.0.0.0"), "everybody who reaches the server can read the project"),
        (("mcp", "--http", "--port", "70000"), "port 70000 of 127.0.0.1 cannot be opened"),
        (("mcp", "--project", "nowhere"), "is not a folder"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_refused_with_what_is_valid(tmp_path: Path, args: tuple[object, ...], says: str) -> None:
    ended = signoff(*args, cwd=lay_out(tmp_path / "page"))
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert "Repair" in ended.err


def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "page")
    with http(root) as url:
        port = httpx.URL(url).port
        ended = signoff("mcp", "--http", "--port", port, cwd=root)
    assert ended.code == 2
    assert f"port {port} of 127.0.0.1 cannot be opened" in ended.err


@pytest.mark.parametrize(
    ("flags", "entry"),
    [
        ((), {"type": "stdio", "command": "signoff", "args": ["mcp", "--project", "{root}"]}),
        (("--http", "--port", "4000"), {"type": "http", "url": "http://127.0.0.1:4000/mcp"}),
    ],
)
def test_the_entry_for_a_hosts_configuration_can_be_printed(
    tmp_path: Path, flags: tuple[str, ...], entry: dict[str, Any]
) -> None:
    ended = signoff("mcp", *flags, "--json", cwd=lay_out(tmp_path / "page"))
    told = json.loads(ended.out.replace(str(tmp_path / "page"), "{root}"))
    assert (ended.code, told) == (0, {"mcpServers": {"signoff": entry}})


def test_without_its_package_the_server_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n")
    ended = process("mcp", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (ended.code, ended.out) == (2, "")
    assert "pip install 'signoff[mcp]'" in ended.err


def test_other_web_pages_cannot_speak_to_the_server(tmp_path: Path) -> None:
    """A page in a browser can be made to call a loopback address under another name."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepts = {"accept": "application/json, text/event-stream"}
    with http(lay_out(tmp_path / "page")) as url:
        foreign_host = httpx.post(url, json=body, headers={**accepts, "host": "evil.example"})
        foreign_page = httpx.post(url, json=body, headers={**accepts, "origin": "https://evil.example"})
    assert (foreign_host.status_code, foreign_page.status_code) == (421, 403)
