"""Who may do what: the whole table, and the service that keeps to it whatever a surface forgets."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_project import PERSON, RONDO, TARN, Case, journal, lay_out, opened, put

import signoff
from signoff.core.commands import PERSONS, Ask
from signoff.core.declarations import Effects, Now
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Started
from signoff.core.workflow import Workflow
from signoff.service import conversations, people, run_control, runs
from signoff.service.conversations import Draft
from signoff.service.people import Act, Actor, Via
from signoff.shell.clock import from_revision
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.live_run import LiveRun

ACTORS = {
    Via.TERMINAL: Actor(Via.TERMINAL, "ada"),
    Via.NAMED: Actor(Via.NAMED, "ada"),
    Via.RECORDING: Actor(Via.RECORDING, "ada"),
    Via.HOST: Actor(Via.HOST),
    Via.AGENT: Actor(Via.AGENT, "CLAUDECODE"),
    Via.SCRIPT: Actor(Via.SCRIPT),
}
NAMING = "with SIGNOFF_PERSON in a script, with person=… in Python"
NO_PEOPLE = [ACTORS[via] for via in (Via.HOST, Via.AGENT, Via.SCRIPT)]

#                   terminal, named, recording, host,  agent, script
TABLE = {
    Act.SIGN_OFF: (True, True, True, False, False, False),
    Act.OVERRULE: (True, True, True, False, False, False),
    Act.DECIDE: (True, True, True, True, False, False),
    Act.CHANGE_ANSWER: (True, True, True, False, False, True),
    Act.REPLACE_FILE: (True, True, True, True, False, False),
    Act.CHOOSE: (True, True, True, True, True, True),
    Act.ANSWER: (True, True, True, True, True, True),
}  # fmt: skip


def named(actor: Actor) -> str:
    return actor.via.value


# --- the table --------------------------------------------------------------------------------------------------------


@pytest.mark.req("LB-6")
@pytest.mark.parametrize("via", Via)
@pytest.mark.parametrize("act", Act)
def test_the_table_says_for_every_act_and_every_actor_whether_it_may(act: Act, via: Via) -> None:
    may = dict(zip(ACTORS, TABLE[act], strict=True))[via]
    if may:
        people.check(ACTORS[via], act, "it", "signoff it")
    else:
        with pytest.raises(RefusedError, match=r"^it is a person's act, and "):
            people.check(ACTORS[via], act, "it", "signoff it")


@pytest.mark.parametrize(
    ("actor", "found", "repair"),
    [
        (
            Actor(Via.HOST),
            "an MCP host only passes on answers and choices",
            "tell the person to run `signoff approve lamp --gate final` in a terminal of their own",
        ),
        (
            Actor(Via.AGENT, "AI_AGENT"),
            "this shell was opened by an agent (AI_AGENT is set)",
            "run `signoff approve lamp --gate final` in a terminal of your own",
        ),
        (
            Actor(Via.SCRIPT),
            "no person is named",
            f"run `signoff approve lamp --gate final` in a terminal, or name the person: {NAMING}",
        ),
    ],
    ids=["host", "agent", "script"],
)
def test_a_refusal_says_what_was_found_what_is_valid_and_the_repair(actor: Actor, found: str, repair: str) -> None:
    with pytest.raises(RefusedError) as refused:
        people.check(actor, Act.SIGN_OFF, "'approve'", "signoff approve lamp --gate final")
    assert str(refused.value) == (
        f"'approve' is a person's act, and {found}. "
        "Valid: a person at a terminal, or a person whom a script or a Python program names. "
        f"Repair: {repair}; nothing was changed."
    )


@pytest.mark.parametrize(
    ("kind", "notes", "option", "act"),
    [
        ("approval", {}, "approve", Act.SIGN_OFF),
        ("approval", {}, "reject", Act.SIGN_OFF),
        ("approval", {}, "waive", Act.SIGN_OFF),
        ("escalation", {}, "resume", Act.SIGN_OFF),
        ("stale", {}, "resume", Act.SIGN_OFF),
        ("budget", {}, "resume", Act.SIGN_OFF),
        ("budget", {}, "more", Act.SIGN_OFF),
        ("choice", {}, "resume", Act.SIGN_OFF),
        ("choice", {PERSONS: True}, "approve", Act.SIGN_OFF),
        ("choice", {PERSONS: True}, "retry", Act.DECIDE),
        ("answers", {PERSONS: True}, "go", Act.DECIDE),
        ("choice", {PERSONS: False}, "retry", Act.CHOOSE),
        ("choice", {}, "retry", Act.CHOOSE),
        ("answers", {}, "go", Act.CHOOSE),
    ],
)
def test_the_kind_of_an_act_follows_from_request_and_option(
    kind: str, notes: dict[str, Any], option: str, act: Act
) -> None:
    assert people.act_of(Ask(key="k", kind=kind, options=(option,), question="?", notes=notes), option) is act


@pytest.mark.parametrize(
    ("option", "typed"),
    [
        ("approve", "signoff approve lamp --gate final"),
        ("reject", 'signoff reject lamp --gate final --reason "…"'),
        ("resume", "signoff resume lamp"),
        ("retry", "signoff choose lamp retry --request final"),
    ],
)
def test_the_command_of_an_act_is_the_one_that_a_person_types(option: str, typed: str) -> None:
    assert people.command(PERSON, "lamp", "final", option) == typed
    assert people.command(people.HOST, "lamp", "final", option) == f"{typed} --runtime host"


# --- who acts ---------------------------------------------------------------------------------------------------------


def test_the_journal_holds_people_by_name_and_others_by_kind() -> None:
    assert [actor.by for actor in ACTORS.values()] == [
        "person:ada", "person:ada", "recorded:ada", "host", "script", "script",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "given", "actor"),
    [
        ({}, {}, Actor(Via.SCRIPT)),
        ({}, {"user": "ada"}, Actor(Via.TERMINAL, "ada")),
        ({}, {"named": "Bob", "user": "ada"}, Actor(Via.NAMED, "Bob")),
        ({"CLAUDECODE": "1"}, {"named": "Bob", "user": "ada"}, Actor(Via.AGENT, "CLAUDECODE")),
        ({"AI_AGENT": "x"}, {"user": "ada"}, Actor(Via.AGENT, "AI_AGENT")),
        ({"AI_AGENT": ""}, {"user": "ada"}, Actor(Via.TERMINAL, "ada")),
    ],
)
def test_who_acts_in_a_process_is_the_named_person_and_in_the_shell_of_an_agent_nobody(
    environment: dict[str, str], given: dict[str, str], actor: Actor
) -> None:
    assert people.of_process(environment, **given) == actor


@pytest.mark.parametrize("name", ["", "  ", "Ada\nperson:eve", "Ada\x1b[2K", "Ada\u202e"])
def test_a_person_has_a_name_on_one_line(name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a person"):
        Actor(Via.NAMED, name)


# --- the service ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A page that waits for the approval of its strategy."""
    case = Case(lay_out(tmp_path_factory.mktemp("asked") / "page", config="human_gates: {strategy_approval: true}\n"))
    assert list(case.run().requests) == ["strategy-1"]
    return case


@pytest.fixture(scope="module")
def escalated(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A page that stopped at its limit."""
    root = lay_out(tmp_path_factory.mktemp("escalated") / "page", TARN, "iteration_limits: {en: 0}\n")
    case = Case(root, TARN)
    assert case.run().stop == "escalated"
    return case


def refused(case: Case, act: Callable[[LiveRun], Coroutine[Any, Any, Any]]) -> str:
    """What the service says to an act; the journal is as it was."""
    before = journal(case.root)
    with pytest.raises(RefusedError, match="is a person's act") as error:
        case.go(act)
    assert journal(case.root) == before
    return str(error.value)


@pytest.mark.req("LB-6", "SP-18")
@pytest.mark.parametrize("actor", NO_PEOPLE, ids=named)
@pytest.mark.parametrize(("act", "payload"), [("approve", {}), ("reject", {"reason": "no"})])
def test_the_service_takes_no_approval_and_no_rejection_but_from_a_person(
    asked: Case, actor: Actor, act: str, payload: dict[str, str]
) -> None:
    assert f"`signoff {act} {RONDO} --gate strategy" in refused(
        asked, lambda live: runs.answer(live, "strategy", act, actor, payload)
    )

    async def find(live: LiveRun) -> Ask:
        return run_control.request(live, "strategy", act, actor)

    assert f"'{act}' is a person's act" in refused(asked, find)


@pytest.mark.req("LB-6", "SP-18")
@pytest.mark.parametrize("actor", NO_PEOPLE, ids=named)
def test_the_service_resumes_a_stopped_run_for_nobody_but_a_person(escalated: Case, actor: Actor) -> None:
    refused(escalated, lambda live: runs.answer(live, "escalation", "resume", actor, {}))

    async def find(live: LiveRun) -> Ask | None:
        return run_control.resumption(live, actor)

    assert f"`signoff resume {TARN}" in refused(escalated, find)


@pytest.mark.parametrize("actor", NO_PEOPLE, ids=named)
def test_signing_off_is_not_a_choice_either(asked: Case, actor: Actor) -> None:
    async def find(live: LiveRun) -> Ask:
        return run_control.choice(live, "approve", actor)

    refused(asked, find)


def test_a_person_is_taken_at_every_one_of_these_places(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config="human_gates: {strategy_approval: true}\n"))
    case.run()

    async def act(live: LiveRun) -> str:
        ask = run_control.request(live, "strategy", "approve", PERSON)
        assert run_control.resumption(live, Actor(Via.SCRIPT)) is None, "nothing is stopped, so nothing is signed off"
        await runs.answer(live, ask.key, "approve", PERSON, {})
        return str(live.state.own.approvals[0].by)

    assert case.go(act) == "person:ada"


def test_a_choice_that_is_left_to_people_is_taken_from_them_and_their_host_alone(tmp_path: Path) -> None:
    ask = Ask(key="gate", kind="choice", options=("retry", "stop"), question="What now?", notes={PERSONS: True})
    again = replace(ask, key="again", notes={})

    def step(now: Now) -> Effects:
        return Effects(None, (ask, again) if isinstance(now.event, Started) else ())

    workflow = Workflow(name="toy", about="A toy.", steps=step)

    async def begun(run: str) -> LiveRun:
        live = LiveRun(workflow, FolderStore(tmp_path), run, from_revision)
        began = {"workflow": workflow.name, "version": workflow.version, "run": run, "params": {}, "docs": {}}
        await live.apply(lambda _, at: Started(id="start", at=at, by="person", **began))  # type: ignore[arg-type]
        return live

    async def settled(actor: Actor) -> list[str]:
        live = await begun(actor.via.value)
        for key in ("again", "gate"):
            try:
                ask = run_control.choice(live, "retry", actor, key)
            except RefusedError:
                with pytest.raises(RefusedError, match=f"choose {live.run} retry --request gate"):
                    await runs.answer(live, key, "retry", actor, {})
            else:
                await runs.answer(live, ask.request, "retry", actor, {})
        return [request.key for request in live.state.requests.values()]

    left = {actor.via: asyncio.run(settled(actor)) for actor in ACTORS.values()}
    assert {via for via, keys in left.items() if keys == []} == {*people.PEOPLE, Via.HOST}
    assert [left[via] for via in (Via.AGENT, Via.SCRIPT)] == [["gate"], ["gate"]]


@pytest.mark.parametrize("actor", ACTORS.values(), ids=named)
def test_a_file_of_a_persona_is_replaced_for_a_person_and_their_host_alone(tmp_path: Path, actor: Actor) -> None:
    put(tmp_path, "0-sources/order.md", "an oak bowl\n")
    draft = Draft("order-taker", "0-sources/order.md", "an ash bowl\n", b"an oak bowl\n")
    asking = conversations.put(opened(tmp_path), draft, actor, replace=True)
    if actor.via in (Via.AGENT, Via.SCRIPT):
        with pytest.raises(RefusedError, match=r"^replacing 0-sources/order.md is a person's act, and "):
            asyncio.run(asking)
        assert (tmp_path / draft.path).read_text("utf-8") == "an oak bowl\n"
    else:
        asyncio.run(asking)
        assert (tmp_path / draft.path).read_text("utf-8") == draft.text


def test_one_function_alone_settles_requests() -> None:
    """A second place that makes the event could leave the check out."""
    root = Path(signoff.__file__).parent
    makers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Answered")
    }
    assert makers == {"service/runs.py", "testing/explorer.py"}, "the explorer plays people in a kernel without a run"
