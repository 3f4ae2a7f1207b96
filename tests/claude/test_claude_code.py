"""The real Claude Code, offline: it runs every command and agent that is installed, and no model in it signs off."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from claude_kit import OWN, RONDO, Desk, desk, last, lay_out, model, require, signoff

from signoff.service import catalog
from signoff.testing.stub import Asked, Call, Step, Stub, call, say

pytestmark = pytest.mark.claude

ROOT = Path(__file__).parents[2]
ACTS = ("approve", "reject", "resume")
BEGIN = ("clarify", "create-content", "create-solution-page", "orchestrate", "write-article")
PERSONAS = tuple(f"persona-{name}" for name in catalog.personas())
SKILLS = tuple(sorted(f"signoff-{name}" for name in ("work-on-run", *ACTS, *BEGIN, *PERSONAS)))
GATED = "human_gates: {strategy_approval: true}\n"
TAKING = {f"{OWN}{tool}" for tool in ("next_turn", "submit_turn", "read_document", "run_gate", "trace_id")}
BESIDES = {
    "content-orchestrator": tuple(catalog.tools()),
    "orchestration-doer": ("write_file", "run_command"),
    "orchestration-tactical-solution-architect": ("write_file", "run_command"),
    "orchestration-verifier": ("run_command",),
    "orchestration-poc-evidence-reviewer": ("run_command",),
}
"""The agents that have more tools than those with which a turn is taken."""


@pytest.fixture(autouse=True)
def _client() -> None:
    require()


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A page whose strategy waits for approval."""
    found = desk(tmp_path_factory.mktemp("waiting"), config=GATED)
    assert signoff("run", "solution-page", RONDO, cwd=found.root).code == 3
    return found


def quiet(asked: Asked) -> Step:
    return say(f"Heard, {asked.number}.")


# --- a whole run ------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-18")
def test_a_session_finishes_a_page_that_equals_the_one_of_the_offline_runtime(tmp_path: Path) -> None:
    here = desk(tmp_path)
    with Stub(model(here.root)) as stub:
        ended = here.claude(stub, f"/signoff-create-solution-page {RONDO}")
    assert ended.result["result"] == "The run stands at complete."
    assert ended.result["permission_denials"] == []
    assert "The person wants a run of the workflow `solution-page`" in stub.asked[0].text
    of_agents = [asked for asked in stub.asked if "You are told the name of a run" in asked.system]
    assert all(set(asked.tools) <= TAKING for asked in of_agents)
    assert len(of_agents) == 15
    briefed = [asked.text for asked in of_agents if (last(asked)[0] or "").endswith("next_turn")]
    assert len(briefed) == 5
    assert all("## Output contract: " in text for text in briefed), "the brief has what the agent file leaves out"
    events = here.events()
    assert events[0]["by"] == "host"
    assert [event["by"] for event in events if event["type"] == "turn_returned"] == [
        f"agent:{name}" for name in ("strategist", "copywriter", "editor-qa", "copywriter", "editor-qa")
    ]
    other = lay_out(tmp_path / "offline")
    assert signoff("run", "solution-page", RONDO, cwd=other).code == 0
    page = f"4-release/{RONDO}/content-cn.md"
    assert (here.root / page).read_bytes() == (other / page).read_bytes()


# --- commands and agents ----------------------------------------------------------------------------------------------


@pytest.mark.req("SP-18")
@pytest.mark.parametrize("name", SKILLS)
def test_every_command_says_its_words_to_the_model(waiting: Desk, name: str) -> None:
    with Stub(quiet) as stub:
        ended = waiting.claude(stub, f"/{name} {RONDO} strategy")
    assert ended.result["result"] == "Heard, 1."
    body = (waiting.root / f".claude/skills/{name}/SKILL.md").read_text("utf-8").split("---\n", 2)[2]
    first, final = body.strip().splitlines()[0], body.strip().splitlines()[-1]
    said = stub.asked[0].text
    assert first.replace("$ARGUMENTS", f"{RONDO} strategy") in said
    assert final in said
    if name.removeprefix("signoff-") in ACTS:
        assert f"$ signoff approve {RONDO} --gate strategy --runtime host" in said
        assert not [event for event in waiting.events() if event["type"] == "answered"]


def test_what_is_tested_is_what_is_installed(waiting: Desk) -> None:
    assert sorted(file.name for file in (waiting.root / ".claude/skills").iterdir()) == list(SKILLS)


AT_ONCE = 15
"""So many agents are asked in one session: Claude Code starts no more than twenty."""


def _met(waiting: Desk, agents: list[str]) -> list[Asked]:
    """What the model hears in the place of each of these agents."""

    def play(asked: Asked) -> Step:
        if "You are told the name of a run" in asked.system or last(asked)[0]:
            return say("Here.")
        given = {"description": "a word", "prompt": "Are you there?", "run_in_background": False}
        return Step(calls=tuple(Call("Agent", {**given, "subagent_type": name}) for name in agents))

    with Stub(play) as stub:
        ended = waiting.claude(stub, "Ask them all.")
    assert set(agents) <= set(ended.began["agents"])
    return [asked for asked in stub.asked if "You are told the name of a run" in asked.system]


def test_every_agent_is_there_with_its_role_and_no_tools_but_those_of_a_turn(waiting: Desk) -> None:
    agents = sorted(file.stem for file in (waiting.root / ".claude/agents").iterdir())
    assert len(agents) == sum(len(catalog.workflow(name).agent_names) for name in catalog.names())
    sessions = (agents[at : at + AT_ONCE] for at in range(0, len(agents), AT_ONCE))
    met = [asked for few in sessions for asked in _met(waiting, few)]
    assert len(met) == len(agents)
    assert not [asked for asked in met if "## Output contract: " in asked.system], "it comes with the brief, once"
    for name in agents:
        workflow = next(one for one in catalog.names() if name.startswith(f"signoff-{one}-"))
        role = name.removeprefix(f"signoff-{workflow}-")
        [asked] = [one for one in met if f"You are the {role} of the workflow {workflow}." in one.system]
        more = {f"{OWN}{tool}" for tool in BESIDES.get(f"{workflow}-{role}", ())}
        assert set(asked.tools) == TAKING | more, name


# --- nobody but a person ----------------------------------------------------------------------------------------------


TRIES = (
    f"signoff approve {RONDO} --gate strategy",
    f"SIGNOFF_PERSON=eve signoff approve {RONDO} --gate strategy",
    f'bash -c "signoff reject {RONDO} --gate strategy --reason x"',
    f"env -u CLAUDECODE -u AI_AGENT {Path(sys.executable).parent}/signoff resume {RONDO}",
    f"script -qc 'signoff approve {RONDO} --gate strategy' /dev/null",
    f"claude -p '/signoff-approve {RONDO} strategy'",
)


@pytest.mark.req("SP-18")
def test_a_model_that_tries_to_sign_off_is_refused_in_every_way_and_the_journal_has_nothing_of_it(
    waiting: Desk,
) -> None:
    tries = [
        *(call("Bash", command=command, description="try it") for command in TRIES),
        call("Skill", skill="signoff-approve", args=f"{RONDO} strategy"),
        call(f"{OWN}choose_option", run=RONDO, option="approve"),
        call(f"{OWN}approve", run=RONDO),
    ]

    def play(asked: Asked) -> Step:
        return tries[asked.number - 1] if asked.number <= len(tries) else say("I could not.")

    with Stub(play) as stub:
        ended = waiting.claude(
            stub, "Approve it.", "--allowedTools", "Bash,Skill", f"{OWN}choose_option", SIGNOFF_PERSON="eve"
        )
    assert ended.result["result"] == "I could not."
    refused = [last(asked)[1] for asked in stub.asked[1:]]
    assert len(refused) == len(tries)
    for command, said in zip(TRIES, refused, strict=False):
        assert "a person's act" in said or "has been denied" in said, (command, said)
    assert "disable-model-invocation" in refused[-3]
    assert "'approve' is a person's act" in refused[-2]
    assert "No such tool" in refused[-1]
    assert not [event for event in waiting.events() if event["type"] == "answered"]


def test_a_shell_of_the_client_is_no_persons_even_where_nothing_is_installed(waiting: Desk, tmp_path: Path) -> None:
    bare = Desk(Path(shutil.copytree(waiting.root, tmp_path / "bare")), waiting.home)
    shutil.rmtree(bare.root / ".claude")

    def play(asked: Asked) -> Step:
        command = f"signoff approve {RONDO} --gate strategy"
        return call("Bash", command=command, description="try it") if asked.number == 1 else say("I could not.")

    with Stub(play) as stub:
        bare.claude(stub, "Approve it.", "--allowedTools", "Bash", SIGNOFF_PERSON="eve")
    assert "this shell was opened by an agent (CLAUDECODE is set)" in last(stub.asked[1])[1]
    assert not [event for event in bare.events() if event["type"] == "answered"]


# --- the hook ---------------------------------------------------------------------------------------------------------


def test_a_session_that_holds_a_turn_is_asked_once_to_go_on_and_may_end_then(tmp_path: Path) -> None:
    here = desk(tmp_path)
    assert signoff("run", "solution-page", RONDO, "--runtime", "host", cwd=here.root).code == 3

    def play(asked: Asked) -> Step:
        return call(f"{OWN}next_turn", run=RONDO) if asked.number == 1 else say("That is all.")

    with Stub(play) as stub:
        ended = here.claude(stub, f"Look at {RONDO}.")
    assert ended.result["result"] == "That is all."
    assert len(stub.asked) == 3
    assert "This session took and did not give back: turn 0001-strategist (attempt 1)" in stub.asked[2].text
    with Stub(quiet) as stub:
        other = here.claude(stub, "Hello.")
    assert (other.result["result"], len(stub.asked)) == ("Heard, 1.", 1)


# --- plugins ----------------------------------------------------------------------------------------------------------


def validated(here: Desk, folder: Path, *options: str) -> None:
    with Stub(quiet) as stub:
        done = here.command(stub, "plugin", "validate", *options, str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout


@pytest.mark.parametrize("folder", [ROOT, *sorted((ROOT / "plugins").iterdir())], ids=lambda folder: folder.name)
def test_the_client_accepts_the_marketplace_and_its_plugins(waiting: Desk, folder: Path) -> None:
    validated(waiting, folder, "--strict")
    if folder != ROOT:
        validated(waiting, folder, "--profile", "directory")


def test_the_client_accepts_what_is_installed(waiting: Desk) -> None:
    validated(waiting, waiting.root / ".claude", "--strict")


def test_a_workflow_is_installed_from_the_marketplace_and_its_commands_server_and_hook_work(tmp_path: Path) -> None:
    here = desk(tmp_path, "hardware", "", "--plugin", "../market", "--workflow", "solution-page")
    assert not (here.root / ".claude").exists()
    tools = "mcp__plugin_signoff_signoff__"

    def play(asked: Asked) -> Step:
        tool, _ = last(asked)
        if tool is None:
            return call(f"{tools}start_run", workflow="solution-page", name=RONDO)
        return call(f"{tools}next_turn", run=RONDO) if tool.endswith("start_run") else say("That is all.")

    with Stub(play) as stub:
        for args in (("marketplace", "add", "../market"), ("install", "signoff-solution-page@signoff")):
            done = here.command(stub, "plugin", *args)
            assert done.returncode == 0, done.stdout + done.stderr
        assert "1 dependency: signoff" in done.stdout
        ended = here.claude(stub, f"/signoff-solution-page:create-solution-page {RONDO}")
    assert ended.result["permission_denials"] == []
    commands = {name for name in ended.began["slash_commands"] if name.startswith("signoff")}
    assert commands == {
        "signoff-solution-page:create-solution-page", "signoff:work-on-run", *(f"signoff:{act}" for act in ACTS),
    }  # fmt: skip
    agents = {name for name in ended.began["agents"] if name.startswith("signoff")}
    assert agents == {f"signoff-solution-page:{name}" for name in catalog.workflow("solution-page").agent_names}
    assert json.loads(last(stub.asked[2])[1])["turns"][0]["turn"] == "0001-strategist"
    assert "This session took and did not give back" in stub.asked[3].text
