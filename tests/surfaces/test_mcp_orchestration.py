"""A design by a host: every turn through the real client, choices passed on, and what only a person can sign."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_kit import REVIEWED, Visit, stdio, visiting
from shell_out import signoff

sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "orchestration"))
from design_project import MISSING as AGENT
from design_project import RUN, Case, lay_out, scripted
from small_orchestration import TWO

from signoff.service import catalog
from signoff.workflows.orchestration import places

DESIGN = {"workflow": "orchestration", "name": RUN}
ENTRY = {
    "agent_type": AGENT,
    "template": "orchestration_doer_agent_template.md",
    "capabilities": ["csv"],
    "description": "Moves lines from one place to another.",
}
"""The missing agent, as the person wants it."""
ANSWER = "Thirty days, then it is deleted."
MADE = (
    places.STACK, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE, places.POC_SPECS,
    places.RISK_REPORT, places.COORDINATION, places.STATUS, places.REGISTRY, places.instructions(AGENT),
)  # fmt: skip


def by_scripts(folder: Path) -> Case:
    """The same design without a host, with the same word on everything."""
    case, runtime = Case(lay_out(folder)), scripted(order=REVIEWED)
    case.drive(runtime)
    case.answer({"Q1": ANSWER})
    case.settle("questions", "continue", runtime)
    case.settle("architecture", "approve", runtime)
    case.settle("roster", "approve", runtime)
    case.settle(f"agent-{AGENT}", "create", runtime, entry=ENTRY)
    case.sign("design")
    return case


def approved(root: Path, gate: str) -> str:
    """The person's own word, at the command line."""
    done = signoff("approve", RUN, "--gate", gate, "--runtime", "host", cwd=root, person="ada")
    assert done.code in (0, 3), done.err
    return done.out


async def signed(host: Visit, gate: str) -> dict[str, Any]:
    """What a host meets at a gate: it can show the command, and nothing else leads on."""
    waiting = await host.play(RUN)
    [request] = waiting["requests"]
    assert (request["key"], request["kind"], waiting["stop"]) == (gate, "approval", None)
    assert request["who"].startswith("Only a person can settle this")
    assert request["commands"][0] == f"signoff approve {RUN} --gate {gate} --runtime host"
    assert "a person's act" in await host.refused("choose_option", run=RUN, option="approve", request=gate)
    assert "a person's act" in await host.refused("choose_option", run=RUN, option="reject", request=gate)
    approved(host.root, gate)
    return await host.call("next_turn", run=RUN)


async def designed(host: Visit) -> dict[str, Any]:
    await host.call("start_run", **DESIGN)
    waiting = await host.play(RUN)
    assert [request["key"] for request in waiting["requests"]] == ["questions"]
    await host.call("answer_question", run=RUN, key="Q1", text=ANSWER)
    await host.call("choose_option", run=RUN, option="continue")
    await signed(host, "architecture")
    missing = await signed(host, "roster")
    assert [list(request["options"]) for request in missing["requests"]] == [["create", "drop"]]
    wrong = await host.refused("choose_option", run=RUN, option="create", payload={"entry": {**ENTRY, "template": 5}})
    assert "entry.template" in wrong
    await host.call("choose_option", run=RUN, option="create", note="Yes, please.", payload={"entry": ENTRY})
    return await signed(host, "design")


WORKING = {
    "doer", "verifier", "escalation-resolution", "loop-resolution", "poc-evidence-reviewer", "poc-decision",
}  # fmt: skip
"""Who takes part once the design is approved."""


@pytest.mark.req("OR-2", "OR-11", "OR-15")
def test_a_host_carries_a_design_through_and_only_a_person_signs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lay_out(tmp_path / "hosted") / "project"
    monkeypatch.setenv("HOME", str(tmp_path / "hosted/home"))
    ended = visiting(root, designed, stdio(root))
    assert (ended["stop"], ended["requests"]) == (None, [])
    assert {turn["agent"] for turn in ended["turns"]} == {"doer"}, "the design is approved, and the work begins"
    other = by_scripts(tmp_path / "scripted")
    made = [path for path in MADE if path != places.STATUS]  # which tells how far the work has come since
    assert {path: (root / path).read_text("utf-8") for path in made} == {path: other.text(path) for path in made}
    asked = {one.name.partition("-")[2] for one in (root / f"_workflow/orchestration/{RUN}/turns").iterdir()}
    assert asked - WORKING == set(catalog.workflow("orchestration").agent_names) - WORKING
    assert ENTRY["description"] in other.text(places.REGISTRY)
    told = visiting(root, lambda host: host.call("get_status", run=RUN))
    assert [one["by"] for one in told["approvals"]] == ["person:ada"] * 3
    assert told["choices"] == [f"{AGENT}: create, host"]
    way = visiting(root, lambda host: host.call("trace_id", id="poc_001"))
    assert (way["run"], way["gates"]) == (RUN, [TWO])


def test_a_plan_that_is_not_there_is_said_to_the_host_with_who_makes_it(tmp_path: Path) -> None:
    (tmp_path / "0-sources").mkdir()

    async def starting(host: Visit) -> str:
        return await host.refused("start_run", **DESIGN)

    said = visiting(tmp_path, starting)
    assert "there is no plan for small" in said
    assert "signoff chat plan-developer" in said
