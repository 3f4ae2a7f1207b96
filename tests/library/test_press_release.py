"""A workflow of somebody's own package, installed as one is, on every surface."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from shell_out import environment

from signoff.service import catalog, status_overview
from signoff.service.files import new_workflow

EXAMPLE = Path(__file__).parents[2] / "examples" / "workflows" / "press_release"
CALL = "import sys; from signoff.surfaces.cli import main; main()"
GOOD = {"headline": "A lamp", "body": "It uses 9 watts."}
WRONG = {"headline": "A lamp", "body": "It uses 5 watts."}
RELEASE = "releases/autumn.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as pip installs it, in a folder of its own, so that other tests do not see it."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--no-index", "--target", target, EXAMPLE], check=True)
    return target


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "0-sources").mkdir()
    (tmp_path / "0-sources" / "facts.md").write_text("The lamp uses 9 watts.\n")
    return tmp_path


def path(*first: Path) -> dict[str, str]:
    """An environment whose Python finds these folders first."""
    return {"PYTHONPATH": os.pathsep.join([*map(str, first), os.environ.get("PYTHONPATH", "")])}


def signoff(installed: Path | None, *args: object, cwd: Path, person: str = "") -> subprocess.CompletedProcess[str]:
    more = path(installed) if installed else {}
    if person:
        more["SIGNOFF_PERSON"] = person
    call = [sys.executable, "-c", CALL, *map(str, args)]
    return subprocess.run(call, cwd=cwd, env=environment(more), capture_output=True, text=True, check=False)


# --- the package ------------------------------------------------------------------------------------------------------


@pytest.mark.req("LB-2", "LB-4")
def test_the_example_is_what_signoff_new_makes_and_has_60_lines() -> None:
    made = new_workflow.files("press-release")
    assert {path: (EXAMPLE / path).read_text() for path in made} == made
    assert len(made["press_release.py"].splitlines()) <= 60


@pytest.mark.req("LB-4")
def test_a_new_workflow_has_tests_that_pass(tmp_path: Path) -> None:
    made = signoff(None, "new", "workflow", "release-notes", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "python -m pytest" in made.stdout
    folder = tmp_path / "release-notes"
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not kill"]
    done = subprocess.run(call, cwd=folder, env=environment(path(folder)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    again = signoff(None, "new", "workflow", "release-notes", cwd=tmp_path)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


@pytest.mark.parametrize("name", ["Clarify", "a b", "clarify", "-x", "x_y"])
def test_a_name_that_is_none_or_is_taken_is_refused(name: str, tmp_path: Path) -> None:
    done = signoff(None, "new", "workflow", "--", name, cwd=tmp_path)
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())


FIXTURES = """
from press_release import WORKFLOW
from test_press_release import OUTPUTS, SOURCES, reply
from signoff.testing.stub import say

def test_explore(signoff_explore):
    assert len(signoff_explore(WORKFLOW, OUTPUTS, SOURCES).states) > 20

def test_play(signoff_play, tmp_path):
    assert signoff_play(WORKFLOW, "autumn", reply, SOURCES).stop == "complete"
    assert (tmp_path / "releases/autumn.md").is_file()

def test_crash(signoff_crash):
    report = signoff_crash(WORKFLOW, "autumn", reply, SOURCES, points=1)
    assert len(report.tried) == 1 and not report.failures

def test_stub(signoff_stub):
    assert signoff_stub([say("hello")]).url.startswith("http://127.0.0.1:")
"""


@pytest.mark.req("LB-5")
def test_an_author_has_the_proofs_as_fixtures_without_importing_anything(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(FIXTURES)
    env = environment(path(EXAMPLE, EXAMPLE / "tests"))
    call = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        tmp_path,
    ]
    done = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


NOT_THERE = """
import pytest
from press_release import WORKFLOW
from test_press_release import SOURCES, reply as good

if __name__ == "signoff_played":  # the name that it has in the process that is killed
    raise ImportError("no module of that name")

def reply(assignment):
    return good(assignment)

def test_crash(signoff_crash):
    with pytest.raises(AssertionError, match="no module of that name"):
        signoff_crash(WORKFLOW, "autumn", reply, SOURCES, points=1)
"""


@pytest.mark.req("LB-5")
def test_a_run_that_fails_without_a_kill_fails_the_proof(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(NOT_THERE)
    env = environment(path(EXAMPLE, EXAMPLE / "tests"))
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", tmp_path]
    done = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.req("LB-5")
def test_what_breaks_its_promises_is_found_by_exploring() -> None:
    """A loop without a limit, and a step that nothing leads out of."""
    from pydantic import BaseModel

    from signoff import Agent, Finding, Move, Workflow, contract, edge, step, table, turn
    from signoff.testing import explore

    class Said(BaseModel):
        good: bool

    agent = Agent(name="writer", contract=contract(Said), prompt="Write.")
    bad = [Finding(rule="x.bad", problem="bad", repair="repair it")]
    again = turn("write", agent, "Write.", finds=lambda said: () if said.good else bad)
    hangs = step("hang", enter=lambda now: Move(now.own), on=lambda now: Move(now.own), outcomes=("done",))
    outputs = {"writer": {"good": Said(good=True), "bad": Said(good=False)}}

    def workflow(*parts: object) -> Workflow:
        return Workflow(name="toy", about="A toy.", agents=(agent,), steps=table(*parts))

    endless = workflow(again, edge("write", "write", on="failed"))
    with pytest.raises(AssertionError, match="agents alone can go on for ever after: "):
        explore(endless, outputs, {})
    assert explore(workflow(again), outputs, {}).states
    with pytest.raises(AssertionError, match="no end can be reached after: "):
        explore(workflow(hangs), {}, {})


# --- on every surface -------------------------------------------------------------------------------------------------


@pytest.mark.req("LB-3", "LB-4")
def test_a_run_from_the_command_line_with_a_host_that_takes_its_turns(installed: Path, project: Path) -> None:
    begun = signoff(installed, "run", "press-release", "autumn", "--runtime", "host", "--json", cwd=project)
    assert begun.returncode in (0, 3), begun.stderr
    script = """
import asyncio, json, sys
from pathlib import Path
from signoff.surfaces.mcp.server import Server
from mcp import Client
async def main():
    outputs = json.loads(sys.argv[1])
    async with Client(Server(Path.cwd())) as client:
        for output in outputs:
            told = json.loads((await client.call_tool("next_turn", {"run": "autumn"})).content[0].text)
            turn = told["turns"][0]
            said = await client.call_tool("submit_turn", {
                "run": "autumn", "turn": turn["turn"], "attempt": turn["attempt"], "output": json.dumps(output)})
            print(said.content[0].text)
asyncio.run(main())
"""
    outputs = json.dumps([WRONG, GOOD, {"remarks": []}])
    env = environment(path(installed))
    hosted = subprocess.run(
        [sys.executable, "-c", script, outputs], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert hosted.returncode == 0, hosted.stderr
    assert (project / RELEASE).read_text() == "# A lamp\n\nIt uses 9 watts.\n"
    [waiting] = json.loads(signoff(installed, "status", "--json", cwd=project).stdout)["runs"]
    assert [one["kind"] for one in waiting["requests"]] == ["approval"]
    assert waiting["phase"] == "approve"
    (project / "0-sources/more.md").write_text("It uses 8 watts.\n")
    refused = signoff(installed, "approve", "autumn", "--gate", "approve", cwd=project, person="ada")
    assert refused.returncode == 2
    assert "0-sources/more.md changed after the request was written" in refused.stderr
    (project / "0-sources/more.md").unlink()
    approved = signoff(installed, "approve", "autumn", "--gate", "approve", cwd=project, person="ada")
    assert approved.returncode == 0, approved.stderr
    assert f"released: {RELEASE}" in approved.stdout
    [done] = json.loads(signoff(installed, "status", "--json", cwd=project).stdout)["runs"]
    assert done["stop"] == "complete"
    replayed = signoff(installed, "replay", "autumn", "--json", cwd=project)
    assert json.loads(replayed.stdout)["differences"] == {}
    (project / RELEASE).write_text("# A lamp\n\nIt uses 8 watts.\n")
    [stale] = json.loads(signoff(installed, "status", "--json", cwd=project).stdout)["runs"]
    assert stale["edited"] == {RELEASE: "changed"}


KEPT = """
from pathlib import Path
import pytest
from press_release import WORKFLOW
from signoff import SignoffError

KEPT = Path(__file__).parent / "kept"

def test_the_kept_run(signoff_recorded, tmp_path):
    assert signoff_recorded(WORKFLOW, KEPT, {"0-sources/facts.md": "The lamp uses 9 watts.\\n"}).stop == "complete"
    assert "9 watts" in (tmp_path / "releases/autumn.md").read_text()

def test_other_sources(signoff_recorded):
    with pytest.raises(SignoffError, match="leaves its recording"):
        signoff_recorded(WORKFLOW, KEPT, {"0-sources/facts.md": "The lamp uses 8 watts.\\n"})
"""


@pytest.mark.req("LB-5")
def test_a_run_is_kept_and_played_again_in_the_tests_of_its_author(tmp_path: Path) -> None:
    project = tmp_path / "project"
    code = (
        "from pathlib import Path; from press_release import WORKFLOW; from test_press_release import SOURCES, reply\n"
        f"from signoff.testing import play; play(WORKFLOW, 'autumn', reply, SOURCES, Path({str(project)!r}))"
    )
    env = environment(path(EXAMPLE, EXAMPLE / "tests"))
    subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, check=True)
    (project / "mine.py").write_text((EXAMPLE / "press_release.py").read_text())
    (project / status_overview.CONFIG).write_text('[workflows]\npress-release = "mine.py"\n')
    kept = signoff(None, "record", "autumn", "--into", tmp_path / "kept", cwd=project)
    assert kept.returncode == 0, kept.stderr
    (tmp_path / "test_mine.py").write_text(KEPT)
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_mine.py"]
    done = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.req("LB-3")
def test_its_gates_check_files_of_a_project(installed: Path, project: Path) -> None:
    (project / "draft.md").write_text("It uses 5 watts.\n")
    found = signoff(installed, "gate", "numbers", "draft.md", cwd=project)
    assert (found.returncode, found.stdout.splitlines()) == (
        1,
        ["numbers.unknown: 5 is in no source. Repair: leave it out", "numbers: FAIL, 1 finding in 1 file"],
    )
    (project / "draft.md").write_text("It uses 9 watts.\n")
    assert signoff(installed, "gate", "numbers", "draft.md", cwd=project).returncode == 0
    many = signoff(installed, "gate", "numbers", "draft.md", "draft.md", cwd=project)
    assert "numbers reads 1 file, 2 given. Repair: give a file for each of: release" in many.stderr
    gone = signoff(None, "gate", "numbers", "draft.md", cwd=project)
    assert (gone.returncode, "gate is 'numbers'. Valid: structure, " in gone.stderr) == (2, True)


@pytest.mark.req("LB-3")
def test_a_package_offers_a_gate_without_a_workflow(project: Path, tmp_path: Path) -> None:
    package = tmp_path / "package"
    info = package / "house_rules-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[signoff.gates]\nno-shouting = house_rules:no_shouting\n")
    (package / "house_rules.py").write_text(
        "from signoff import Finding, gate\n\n"
        "@gate('No capitals.', reads={'text': '{run}.md'})\n"
        "def no_shouting(given):\n"
        "    if given.text('text').isupper():\n"
        "        yield Finding(rule='house.capitals', problem='all capitals', repair='write small letters')\n"
    )
    (project / "note.md").write_text("READ THIS\n")
    found = signoff(package, "gate", "no-shouting", "note.md", cwd=project)
    assert (found.returncode, "house.capitals: all capitals" in found.stdout) == (1, True)


@pytest.mark.req("LB-4")
def test_a_new_project_for_it_has_a_place_for_documents_and_says_what_a_run_needs(
    installed: Path, tmp_path: Path
) -> None:
    made = signoff(installed, "init", "mine", "--workflow", "press-release", cwd=tmp_path)
    assert (made.returncode, (tmp_path / "mine/0-sources").is_dir()) == (0, True)
    assert "created 0-sources/\nPut your documents into 0-sources/, then:\n" in made.stdout
    (tmp_path / "mine/0-sources/facts.md").write_text("The lamp uses 9 watts.\n")
    asked = signoff(installed, "run", "press-release", "autumn", cwd=tmp_path / "mine")
    assert asked.returncode == 2
    assert "--runtime host (an MCP host). Repair: name one.\n" in asked.stderr


@pytest.mark.req("LB-4")
def test_it_has_its_command_and_its_files_for_claude_code(installed: Path, project: Path) -> None:
    helped = signoff(installed, "run", "press-release", "--help", cwd=project)
    assert "Press release: every number of it is in the sources." in helped.stdout
    done = signoff(installed, "install", "claude-code", cwd=project)
    assert done.returncode == 0, done.stderr
    files = {path.name for path in (project / ".claude").rglob("*.md")}
    assert {"signoff-press-release-writer.md", "signoff-press-release-editor.md"} <= files


@pytest.mark.req("LB-3")
def test_a_run_whose_plugin_is_gone_can_be_read_and_says_how_to_get_it_back(installed: Path, project: Path) -> None:
    signoff(installed, "run", "press-release", "autumn", "--runtime", "host", "--json", cwd=project)
    [run] = json.loads(signoff(None, "status", "--json", cwd=project).stdout)["runs"]
    assert (run["workflow"], run["run"]) == ("press-release", "autumn")
    lost = signoff(None, "resume", "autumn", cwd=project)
    assert lost.returncode == 2
    assert "autumn is a run of the workflow 'press-release', which is not installed here" in lost.stderr
    assert "Repair: `pip install press-release`, or name its file in signoff.toml" in lost.stderr
    assert "open: writer" in signoff(None, "status", "autumn", cwd=project).stdout


# --- a file that is not installed -------------------------------------------------------------------------------------


@pytest.fixture
def named(project: Path) -> Iterator[Path]:
    (project / "mine.py").write_text((EXAMPLE / "press_release.py").read_text())
    (project / status_overview.CONFIG).write_text('[workflows]\npress-release = "mine.py"\n')
    yield project
    catalog._named.clear()


@pytest.mark.req("LB-3")
def test_a_project_names_a_file_that_has_a_workflow(named: Path) -> None:
    helped = signoff(None, "run", "press-release", "--help", cwd=named / "0-sources")
    assert "Press release: every number of it is in the sources." in helped.stdout
    catalog.use_project(named)
    assert catalog.workflow("press-release").about == "Press release: every number of it is in the sources."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[workflows", "signoff.toml: config.workflows: "),
        ("workflows = 3", "`workflows` is no table of names and files"),
        ('[workflows]\nclarify = "mine.py"', "the name 'clarify' is taken by a shipped workflow"),
        ('[workflows]\nx = "../x.py"', "'../x.py' leads out of the project"),
    ],
)
def test_a_config_that_cannot_be_is_refused_with_its_repair(named: Path, text: str, problem: str) -> None:
    (named / status_overview.CONFIG).write_text(text)
    done = signoff(None, "run", "press-release", "--help", cwd=named)
    assert done.returncode == 2
    assert problem in done.stderr


def test_a_named_file_that_is_not_there_is_said(named: Path) -> None:
    (named / "mine.py").unlink()
    done = signoff(None, "run", "press-release", "--help", cwd=named)
    assert (done.returncode, "there is no such file" in done.stderr) == (2, True)


@pytest.mark.req("LB-2")
def test_an_agent_or_a_gate_that_a_step_uses_must_be_declared() -> None:
    from pydantic import BaseModel

    from signoff import Agent, DefinitionError, Workflow, contract, gate, table, turn

    class Said(BaseModel):
        text: str

    agent = Agent(name="writer", contract=contract(Said), prompt="Write.")
    check = gate("Nothing is wrong.", reads={}, name="calm")(lambda _given: ())
    steps = table(turn("write", agent, "Write.", gates=(check,)))
    with pytest.raises(DefinitionError, match=r"'toy' has no agent 'writer'\. Valid: none\. Repair: declare it"):
        Workflow(name="toy", about="A toy.", agents=(), gates=(check,), steps=steps)
    with pytest.raises(DefinitionError, match="'toy' has no gate 'calm'"):
        Workflow(name="toy", about="A toy.", agents=(agent,), steps=steps)
    assert Workflow(name="toy", about="A toy.", agents=(agent,), gates=(check,), steps=steps)
