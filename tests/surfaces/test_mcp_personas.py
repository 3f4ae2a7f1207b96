"""Personas in an MCP host: prompts made from their definitions, and what a host hands in for them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import warm
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_kit import Visit, visiting
from shell_out import NAMES, TOYS, environment, toy
from shell_out import signoff as call

import signoff.workflows
from signoff.service import catalog

pytestmark = pytest.mark.req("OR-1")

ORDER = "orders/bowl.md"
OUTPUT = json.dumps({"task": "bowl", "parts": ["a round bowl", "rim"]})
GIVEN = {"persona": "order-taker", "task": "bowl", "output": OUTPUT}
TEXT = "# bowl\n\n- a round bowl\n- rim\n"


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(TOYS)])


def prompt(root: Path, name: str, **arguments: str) -> str:
    async def reading(host: Visit) -> str:
        return (await host.client.get_prompt(f"persona-{name}", arguments)).messages[0].content.text

    return visiting(root, reading)


# --- prompts ----------------------------------------------------------------------------------------------------------


def test_there_is_a_prompt_for_every_persona_and_the_task_may_be_named(tmp_path: Path) -> None:
    async def listing(host: Visit) -> dict[str, Any]:
        found = (await host.client.list_prompts()).prompts
        return {one.name: one for one in found if one.name.startswith("persona-")}

    found = visiting(tmp_path, listing)
    assert set(found) == {f"persona-{name}" for name in catalog.personas()}
    one = found["persona-foreman"]
    assert one.description == "Sees to tools and signatures."
    assert [(argument.name, argument.required) for argument in one.arguments] == [("task", False)]


@pytest.mark.req("OR-5")
def test_a_prompt_says_the_guide_the_questions_the_contract_the_way_in_and_who_comes_next(tmp_path: Path) -> None:
    told = prompt(tmp_path, "order-taker", task="bowl")
    parts = (
        "The task, where they named it: bowl",
        "Ask one question at a time",
        "Takes down what somebody wants. Be brief.",
        "Nothing has to be there.",
        "- What is wanted?\n- What is it called?\n- A part of it?\n",
        "show them the whole draft",
        "submit_artifact with persona=order-taker",
        "`orders/TASK.md` is written from it",
        "only with their yes call it again with replace=true",
        "## Output contract: parts",
        "`signoff chat master-carver TASK`",
    )
    flat = " ".join(told.split())
    assert [at for at in (flat.find(" ".join(part.split())) for part in parts) if at < 0] == []


def test_a_prompt_of_a_persona_in_a_run_says_what_it_needs_what_turn_it_takes_and_what_is_the_persons(
    tmp_path: Path,
) -> None:
    carver, foreman = prompt(tmp_path, "master-carver"), prompt(tmp_path, "foreman")
    assert "- `orders/TASK.md`, made by order-taker" in carver
    assert "start_run, workflow=atelier" in carver
    assert "take the turn of the agent `carver`" in carver
    assert "start_run" not in foreman
    for told in (carver, foreman):
        assert re.search(r"to approve, to reject or to resume: that is theirs alone", told)
        assert "submit_artifact" not in told


def test_a_guide_of_the_projects_own_wins_and_a_mistake_in_it_is_said(tmp_path: Path) -> None:
    own = tmp_path / ".promptpack/personas/foreman.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: foreman\ndescription: ours\n---\nOur own words.\n")
    assert "Our own words." in prompt(tmp_path, "foreman")
    own.write_text("---\nname: foreman\ndescripton: ours\n---\nOur own words.\n")
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        prompt(tmp_path, "foreman")
    error: BaseException = caught.value
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    assert "unknown field 'descripton'" in str(error)


# --- what a host hands in ---------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
def test_what_a_persona_made_is_checked_and_written_where_code_says(tmp_path: Path) -> None:
    async def handing_in(host: Visit) -> list[dict[str, Any]]:
        return [await host.call("submit_artifact", **GIVEN) for _ in range(2)]

    first, again = visiting(tmp_path, handing_in)
    assert (tmp_path / ORDER).read_text() == TEXT
    assert (first["written"], first["changed"], first["next"]) == (ORDER, True, "master-carver")
    assert first["how_to_go_on"] == "signoff chat master-carver bowl"
    assert again["changed"] is False


@pytest.mark.req("OR-5")
def test_a_file_that_says_something_else_is_not_replaced_unless_the_person_was_asked(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / ORDER).write_text("# bowl\n\n- by hand\n")

    async def handing_in(host: Visit) -> tuple[str, bytes, dict[str, Any]]:
        said = await host.refused("submit_artifact", **GIVEN)
        return said, (tmp_path / ORDER).read_bytes(), await host.call("submit_artifact", **GIVEN, replace=True)

    said, meanwhile, done = visiting(tmp_path, handing_in)
    assert "-- by hand\n+- a round bowl\n" in said
    assert "ask the person" in said
    assert meanwhile == b"# bowl\n\n- by hand\n"
    assert (done["changed"], (tmp_path / ORDER).read_text()) == (True, TEXT)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"output": "{}"}, "it is no output"),
        ({"output": json.dumps({"task": "bowl", "parts": []})}, "it has no parts"),
        ({"output": json.dumps({"task": "lamp", "parts": ["x"]})}, "the output is about 'lamp', and was handed in for"),
        ({"task": "../bowl"}, "'../bowl' is no name for a piece"),
        ({"persona": "nobody"}, "there is no persona 'nobody'"),
        ({"persona": "foreman"}, "foreman cannot begin without pieces/bowl.md"),
        ({"persona": "master-carver"}, "master-carver cannot begin without orders/bowl.md"),
    ],
)
def test_what_does_not_do_is_refused_and_nothing_is_written(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    async def handing_in(host: Visit) -> str:
        return await host.refused("submit_artifact", **{**GIVEN, **changes})

    assert said in visiting(tmp_path, handing_in)
    assert not list(tmp_path.rglob("*.md"))


def test_a_persona_with_a_part_in_a_run_hands_nothing_in_before_it(tmp_path: Path) -> None:
    async def handing_in(host: Visit) -> str:
        await host.call("submit_artifact", **GIVEN)
        return await host.refused("submit_artifact", **{**GIVEN, "persona": "master-carver"})

    said = visiting(tmp_path, handing_in)
    assert "makes no file before a run" in said
    assert "start_run" in said


@pytest.mark.req("OR-11")
def test_what_goes_with_a_choice_is_told_to_the_host_and_checked(tmp_path: Path) -> None:
    async def choosing(host: Visit) -> dict[str, Any]:
        await host.call("submit_artifact", **GIVEN)
        await host.call("start_run", workflow="atelier", name="bowl")
        turn = {"run": "bowl", "turn": "0001-carver", "attempt": 1, "output": OUTPUT}
        after = await host.call("submit_turn", **turn)
        told = after["requests"][0]
        wrong = await host.refused("choose_option", run="bowl", option="create", payload={"iron": "x"})
        other = await host.refused("choose_option", run="bowl", option="drop", payload={"steel": "x"})
        chosen = await host.call("choose_option", run="bowl", option="create", payload={"steel": "x"}, note="as told")
        return {"told": told, "wrong": wrong, "other": other, "chosen": chosen}

    found = visiting(tmp_path, choosing)
    assert found["told"]["payloads"] == {"create": {"type": "object", "required": ["steel"]}}
    assert "it has no steel" in found["wrong"]
    assert "nothing goes with 'drop' but a note" in found["other"]
    assert found["chosen"]["chosen"]["option"] == "create"
    assert (tmp_path / "tools/chisel.md").read_text() == "x\n"
    lines = (tmp_path / "_workflow/atelier/bowl/journal.jsonl").read_text().splitlines()
    [answer] = [event for line in lines for event in json.loads(line)["events"] if event["type"] == "answered"]
    assert (answer["payload"], answer["by"]) == ({"steel": "x", "note": "as told"}, "host")


def test_a_real_server_serves_them_and_the_command_line_goes_on_from_there(tmp_path: Path) -> None:
    server = StdioServerParameters(command=warm.server(NAMES["toy"]), args=["mcp"], cwd=tmp_path, env=environment())

    async def handing_in(host: Visit) -> str:
        assert (await host.call("submit_artifact", **GIVEN))["written"] == ORDER
        return (await host.client.get_prompt("persona-master-carver", {"task": "bowl"})).messages[0].content.text

    assert "The task, where they named it: bowl" in visiting(tmp_path, handing_in, server)
    assert toy("chat", "master-carver", cwd=tmp_path, lines="a\nsubmit\n").code == 3


# --- slash commands ---------------------------------------------------------------------------------------------------


def test_slash_commands_are_installed_from_the_same_definition_and_allow_nothing_more(tmp_path: Path) -> None:
    installed = signoff_install(tmp_path)
    for name in ("order-taker", "master-carver", "foreman", "dispatcher"):
        text = installed[f"skills/signoff-persona-{name}/SKILL.md"]
        head, body = text.split("---\n", 2)[1:]
        assert f"name: signoff-persona-{name}\n" in head
        assert "disable-model-invocation: true\n" in head
        assert not any(tool in head for tool in ("submit_artifact", "choose_option", "answer_question", "Bash"))
        told = prompt(tmp_path, name, task="$ARGUMENTS")
        here = re.sub(r"begin the prompt `(persona-\S+)` of this server", r"call `/signoff-\1 TASK`", told)
        assert body.strip() == here.strip()
    settings = json.loads(installed["settings.json"])
    assert settings["permissions"]["deny"] == [f"Bash(signoff {act}:*)" for act in ("approve", "reject", "resume")]
    assert not any("submit_artifact" in rule for rule in settings["permissions"]["allow"])


def signoff_install(root: Path) -> dict[str, str]:
    ended = toy("install", "claude-code", cwd=root)
    assert ended.code == 0, ended.err
    home = root / ".claude"
    return {file.relative_to(home).as_posix(): file.read_text("utf-8") for file in home.rglob("*") if file.is_file()}


def test_the_personas_of_orchestration_are_told_as_their_guides_say(tmp_path: Path) -> None:
    ended = call("install", "claude-code", cwd=tmp_path)
    assert ended.code == 0, ended.err
    texts = {file.parent.name: file.read_text("utf-8") for file in tmp_path.glob(".claude/skills/*persona-*/SKILL.md")}
    assert len(texts) == 8
    plan = texts["signoff-persona-plan-developer"]
    assert "call `/signoff-persona-solution-architect TASK`" in plan
    assert "Somebody has something in mind." in plan
    assert "submit_artifact with persona=plan-developer" in plan
    assert "`orchestration/conversation_summary_TASK.md`" in plan
    assert "## Output contract: plan" in plan
    assert "- What do you want to accomplish, and for whom?" in plan
    assert "is called `new-lamp`" in texts["signoff-persona-solution-architect"]
