"""A run that waits for a host: what needs no agent still happens, and nothing waits that a host would wait for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from page_project import RONDO, Case, lay_out, opened, put

from signoff.artifacts.agent_files import AgentFile
from signoff.core.budget import Budget
from signoff.core.commands import StartTurn, Wake
from signoff.core.declarations import Effects, Now, Probe
from signoff.core.events import Started, Ticked
from signoff.core.state import State
from signoff.core.workflow import Documents, Limits, Views
from signoff.service.hosts import host_reads
from signoff.service.project import Project
from signoff.shell.clock import from_revision
from signoff.shell.run.briefs import Crew, crew
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes.runtime import Host
from signoff.workflows.solution_page.workflow import WORKFLOW

DUE, LATER = "2025-01-01T00:00:00+00:00", "2099-01-01T00:00:00+00:00"
TURN = StartTurn(key="one", agent="strategist", contract="strategist", task="Something.")


def test_checks_that_need_the_network_are_made_between_the_turns_of_a_host(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config="link_check_mode: http\n"))
    case.begin()
    case.play()
    (case.root / "0-sources/web/meeting-room-survey.md").unlink()  # so that the address itself must be asked
    case.play()
    assert case.state.checks, "a check waits for the network"
    asked: list[str] = []

    async def prober(urls: list[str], _params: object) -> dict[str, Probe]:
        asked.extend(urls)
        return {url: Probe(url=url, status=200) for url in urls}

    async def settle() -> State:
        live = await opened(case.root).open(RONDO)
        return await Runner(live, Host(), crew(WORKFLOW, live.store), prober).drive()

    state = asyncio.run(settle())
    assert asked
    assert not state.checks
    assert state.turns or state.requests


def test_a_timer_that_is_due_ticks_and_one_that_is_not_holds_nobody_up(tmp_path: Path) -> None:
    def step(now: Now) -> Effects:
        if isinstance(now.event, Ticked):
            return Effects(f"{now.event.timer} ticked")
        return Effects("begun", (Wake(timer="due", at=DUE), Wake(timer="later", at=LATER), TURN))

    workflow = replace(
        WORKFLOW,
        steps=step,
        documents=Documents(folder="_workflow/toy/{run}"),
        views=Views(),
        limits=Limits(budget=lambda _state, _look: Budget()),
    )
    team = Crew({"strategist": AgentFile(file="", name="strategist", description="", skills=(), body="")}, {})

    async def settle() -> State:
        live = LiveRun(workflow, FolderStore(tmp_path), "tea", from_revision)
        begun = {"workflow": workflow.name, "version": workflow.version, "run": "tea", "params": {}, "docs": {}}
        await live.apply(lambda _, at: Started(id="start", at=at, by="host", **begun))  # type: ignore[arg-type]
        return await Runner(live, Host(), team, _no_probes).drive()

    state = asyncio.run(settle())
    assert (state.own, list(state.timers), list(state.turns)) == ("due ticked", ["later"], ["0001-strategist"])


async def _no_probes(_urls: object, _params: object) -> dict[str, Probe]:
    return {}


def test_a_gate_for_a_host_tells_nothing_of_files_outside_the_project(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# there\n")
    root = lay_out(tmp_path / "page")
    put(root, "a.md", "[there](../secret.md) [not](../nothing.md) [brief](0-sources/brief.md)\n")
    put(root, "0-sources/brief.md", "# Brief\n")
    found = asyncio.run(host_reads.gate(Project(root), "links", ["a.md"]))
    told = [str(one) for one in found["findings"]]
    assert any("secret.md" in one for one in told)
    assert any("nothing.md" in one for one in told)
    assert not any("brief.md" in one for one in told)
