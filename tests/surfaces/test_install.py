"""Installing into Claude Code: what is written, what is never written over, and that all of it can be taken out."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shell_out import CALL, Ended, at_terminal, called, signoff

from signoff.core.declarations import Agent, Contract
from signoff.core.errors import DocumentError, RefusedError, SignoffError, StoreError, UsageError
from signoff.service import catalog
from signoff.service.files import installation
from signoff.service.files.installation import Kit, Place
from signoff.surfaces.claude_code import installed_files

BIN = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
SETTINGS = '{"model":"opus",\n   "permissions" : { "deny":["WebFetch"], "ask": [ ] }, "zz": {"b": 1,"a": 2}}\n'
SERVERS = '{\n\t"mcpServers": {\n\t\t"mine": {"command": "x", "args": []}\n\t}\n}'
SMALL = Kit(
    files={"agents/a.md": "---\nname: a\ndescription: d\n---\nA.\n", "skills/s/SKILL.md": "S\n"},
    merged={
        "settings.json": {"permissions": {"deny": ["Bash(signoff approve:*)"]}},
        ".mcp.json": {"mcpServers": {"signoff": {"command": "signoff"}}},
    },
)


def tree(root: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder, every link with where it leads."""
    return {
        str(path.relative_to(root)): bytes(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in sorted(root.rglob("*"))
    }


def at(root: Path) -> Place:
    return Place(home=root / ".claude", root=root, elsewhere={".mcp.json": root / ".mcp.json"})


def put(root: Path, path: str, text: str) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")
    return root / path


def steps(plan: installation.Plan) -> dict[str, str]:
    return {step.path: step.what for step in plan.steps}


def done(root: Path, what: Kit = SMALL, *, force: bool = False) -> dict[str, str]:
    plan = installation.install(at(root), what, force=force)
    installation.carry_out(plan)
    return steps(plan)


def undone(root: Path) -> dict[str, str]:
    plan = installation.uninstall(at(root))
    installation.carry_out(plan)
    return steps(plan)


def call(*args: object, cwd: Path, **env: str) -> Ended:
    return signoff(*args, cwd=cwd, PATH=BIN, **env)


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-18", "LB-8")
def test_the_commands_of_every_workflow_and_the_acts_of_a_person_are_installed(tmp_path: Path) -> None:
    assert call("install", "claude-code", cwd=tmp_path).code == 0
    home = tmp_path / ".claude"
    skills = {file.parent.name: file.read_text("utf-8") for file in home.glob("skills/*/SKILL.md")}
    acts = ("approve", "reject", "resume")
    begin = {"create-solution-page", "clarify", "create-content", "write-article", "orchestrate"}
    assert skills.keys() == {
        f"signoff-{name}" for name in (*acts, *begin, "work-on-run", *(f"persona-{one}" for one in catalog.personas()))
    }
    for act in acts:
        assert "\ndisable-model-invocation: true\n" in skills[f"signoff-{act}"]
        assert f"!`signoff {act}" not in skills[f"signoff-{act}"]
    agents = {file.stem for file in home.glob("agents/*.md")}
    assert agents == {
        f"signoff-{name}-{agent}" for name in catalog.names() for agent in catalog.workflow(name).agent_names
    }
    settings = json.loads((home / "settings.json").read_text())
    assert settings["permissions"]["deny"] == [f"Bash(signoff {act}:*)" for act in acts]
    assert not any("choose_option" in rule or "answer_question" in rule for rule in settings["permissions"]["allow"])
    assert settings["hooks"]["Stop"][0]["hooks"][0]["command"] == "signoff hook stop"
    servers = json.loads((tmp_path / ".mcp.json").read_text())
    assert servers == {"mcpServers": {"signoff": {"type": "stdio", "command": "signoff", "args": ["mcp"]}}}
    checked = call("install", "claude-code", "--check", cwd=tmp_path)
    assert (checked.code, checked.out) == (0, f"{home}: everything is in place\n")


def test_a_sixth_workflow_gets_its_command_from_its_declaration(tmp_path: Path) -> None:
    ended = signoff("install", "claude-code", "--workflow", "quiz", cwd=tmp_path, name="toy", PATH=BIN)
    assert ended.code == 0, ended.err
    assert "workflow=quiz" in (tmp_path / ".claude/skills/signoff-run-quiz/SKILL.md").read_text("utf-8")


COMMON = {f"skills/signoff-{name}/SKILL.md" for name in ("work-on-run", "approve", "reject", "resume")}


def own(workflow: str) -> set[str]:
    """The files that a workflow alone needs, by its declaration."""
    flow = catalog.workflow(workflow)
    skills = {
        f"skills/signoff-{name}/SKILL.md"
        for name in (flow.setup.slash, *(f"persona-{one}" for one in flow.people.personas))
    }
    return skills | {f"agents/signoff-{workflow}-{agent}.md" for agent in flow.agent_names}


def ours(home: Path) -> set[str]:
    """The files that are there, without those that are joined or are the manifest."""
    found = {file.relative_to(home).as_posix() for file in home.rglob("*") if file.is_file()}
    return found - {"settings.json", "signoff.json"}


@pytest.mark.req("LB-8")
@pytest.mark.parametrize("name", catalog.names())
def test_a_workflow_gets_what_it_needs_and_no_more(tmp_path: Path, name: str) -> None:
    ended = call("install", "claude-code", "--workflow", name, "--json", cwd=tmp_path)
    assert ended.json["workflows"] == [name]
    home = tmp_path / ".claude"
    assert ours(home) == COMMON | own(name)
    flow = catalog.workflow(name)
    allowed = json.loads((home / "settings.json").read_text())["permissions"]["allow"]
    writes = {"write_file"} if any("write_file" in agent.tools for agent in flow.agents) else set()
    always = {
        "list_runs", "start_run", "get_status", "next_turn", "submit_turn", "read_document", "run_gate", "trace_id",
    }  # fmt: skip
    assert set(allowed) == {f"mcp__signoff__{tool}" for tool in always | writes | set(flow.tool_names)}
    sizes = {file: file.stat().st_size for file in home.rglob("*") if file.is_file()}
    assert sum(sizes.values()) < 3_000 * len(sizes)
    assert max(size for file, size in sizes.items() if file.parent.name == "agents") < 2_000, "it has no contract"


@pytest.mark.req("LB-8")
def test_workflows_are_added_and_removed_one_by_one_and_what_was_edited_is_named(tmp_path: Path) -> None:
    home, critic = tmp_path / ".claude", "agents/signoff-content-critic.md"
    assert call("install", "claude-code", "--workflow", "clarify", cwd=tmp_path).code == 0
    alone = tree(tmp_path)
    added = call("install", "claude-code", "--workflow", "content", "--json", cwd=tmp_path).json
    assert added["workflows"] == ["clarify", "content"]
    assert ours(home) == COMMON | own("clarify") | own("content")
    again = call("install", "claude-code", cwd=tmp_path)
    assert again.out.endswith(f"installed clarify, content in {home}\n")
    assert {line.split()[0] for line in again.out.splitlines()[:-2]} == {"same"}
    (home / critic).write_text("---\nname: mine\ndescription: mine\n---\nMine.\n")
    removed = call("install", "claude-code", "--remove", "--workflow", "content", cwd=tmp_path)
    assert removed.code == 0
    assert f"keep    {critic} (you edited it, so it is yours)" in removed.out
    assert "remove  agents/signoff-content-author.md" in removed.out
    assert removed.out.endswith(f"removed content from {home}\n")
    assert ours(home) == COMMON | own("clarify") | {critic}
    (home / critic).unlink()
    assert tree(tmp_path) == alone
    assert call("install", "claude-code", "--remove", "--workflow", "clarify", cwd=tmp_path).code == 0
    assert tree(tmp_path) == {}


@pytest.mark.req("LB-8")
def test_at_a_terminal_the_workflows_are_listed_and_asked_for(tmp_path: Path) -> None:
    args = ("install", "claude-code")
    first = at_terminal(args, tmp_path, "7\n2, content\n", env={"PATH": BIN})
    assert first.code == 0, first.out
    assert "Which workflows? Type numbers or names with commas between them." in first.out
    assert f"\n2  clarify          {catalog.workflow('clarify').about}\r\n" in first.out
    assert "An empty line takes all." in first.out
    assert "'7' is none of them: type numbers, names, or nothing" in first.out
    assert ours(tmp_path / ".claude") == COMMON | own("clarify") | own("content")
    second = at_terminal(args, tmp_path, "\n", env={"PATH": BIN})
    assert "\n2  clarify        installed  Numbered questions" in second.out
    assert "An empty line takes those that are installed." in second.out
    assert ours(tmp_path / ".claude") == COMMON | own("clarify") | own("content")
    before = tree(tmp_path)
    agents = at_terminal(args, tmp_path, env={"PATH": BIN, "CLAUDECODE": "1"})
    assert (agents.code, "Which workflows?" in agents.out) == (0, False)
    assert tree(tmp_path) == before


def test_a_workflow_whose_package_is_gone_is_named_and_can_be_removed(tmp_path: Path) -> None:
    args = ("install", "claude-code", "--workflow", "quiz", "--workflow", "clarify")
    assert signoff(*args, cwd=tmp_path, name="toy", PATH=BIN).code == 0
    ended = call("install", "claude-code", cwd=tmp_path)
    assert ended.code == 2
    assert "the workflow 'quiz' is installed in the host, and its package is not there any more" in ended.err
    assert "signoff install claude-code --remove --workflow quiz" in ended.err
    assert call("install", "claude-code", "--remove", "--workflow", "quiz", cwd=tmp_path).code == 0
    assert ours(tmp_path / ".claude") == COMMON | own("clarify")


OLD = ("approve", "reject", "resume", "clarify", "work-on-run")


def earlier(root: Path) -> None:
    """An installation of version 0.1.0: commands without a prefix, and a manifest that names no workflows."""
    skills = {f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: d\n---\nOld.\n" for name in OLD}
    agents = {"agents/signoff-clarify-section-refiner.md": "---\nname: a\ndescription: d\n---\nOld.\n"}
    installation.carry_out(installation.install(at(root), Kit(files={**skills, **agents})))
    file = root / ".claude/signoff.json"
    manifest = json.loads(file.read_text())
    del manifest["workflows"], manifest["short_names"]
    file.write_text(json.dumps(manifest))


@pytest.mark.req("LB-8")
def test_old_commands_without_a_prefix_go_with_the_next_install_unless_they_were_edited(tmp_path: Path) -> None:
    earlier(tmp_path)
    home = tmp_path / ".claude"
    (home / "skills/reject/SKILL.md").write_text("Mine.\n")
    ended = call("install", "claude-code", "--workflow", "clarify", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "update  agents/signoff-clarify-section-refiner.md" in ended.out
    assert "keep    skills/reject/SKILL.md (you edited it, so it is yours)" in ended.out
    assert ours(home) == COMMON | own("clarify") | {"skills/reject/SKILL.md"}
    assert not [name for name in OLD if name != "reject" and (home / "skills" / name).exists()]


def test_a_workflow_that_is_not_installed_is_not_removed(tmp_path: Path) -> None:
    earlier(tmp_path)
    before = tree(tmp_path)
    args = ("install", "claude-code", "--remove", "--workflow", "clarify")
    ended = call(*args, cwd=tmp_path)
    assert ended.code == 2
    assert "does not say what belongs to a workflow. Repair: call `signoff install claude-code` first." in ended.err
    assert tree(tmp_path) == before
    assert call("install", "claude-code", "--workflow", "article", cwd=tmp_path).code == 0
    ended = call(*args, cwd=tmp_path)
    assert f"clarify is not among what is installed in {tmp_path / '.claude'}. Valid: article." in ended.err


@pytest.mark.req("SP-18")
def test_short_names_are_had_for_the_asking_and_stay_until_told_otherwise(tmp_path: Path) -> None:
    home, args = tmp_path / ".claude", ("install", "claude-code")
    assert call(*args, "--workflow", "solution-page", "--short-names", cwd=tmp_path).code == 0
    skills = {file.parent.name for file in home.glob("skills/*/SKILL.md")}
    assert skills == {"approve", "reject", "resume", "work-on-run", "create-solution-page"}
    short = tree(tmp_path)
    assert "/approve, /reject and /resume are yours alone" in call(*args, cwd=tmp_path).out
    assert tree(tmp_path) == short
    assert call(*args, "--prefixed-names", cwd=tmp_path).code == 0
    assert ours(home) == COMMON | own("solution-page")


ROSTER = {
    "task_id": "loans_1727539200",
    "created": 1727539200,
    "agents": {
        name.replace("-", "_"): {"role": "Talks", "task_id": f"{name.replace('-', '_')}_1727539200", "exists": True}
        for name in catalog.workflow("orchestration").people.personas
    },
}


@pytest.mark.req("LB-8", "OR-10")
@pytest.mark.parametrize("how", [(), ("--short-names",), ("--user",), ("--user", "--short-names")])
def test_the_registry_of_orchestration_finds_the_personas_that_are_installed(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    project, home = tmp_path / "project", {"HOME": str(tmp_path / "home")}
    (tmp_path / "home").mkdir()
    (project / "_workflow").mkdir(parents=True)
    file = put(project, "orchestration/agent_roster.json", json.dumps(ROSTER))

    def existing() -> list[str]:
        told = call("orchestration", "roster", "check", file, "--json", cwd=project, **home).json
        return [name for name, agent in told["data"]["agents"].items() if agent["exists"]]

    assert existing() == []
    assert call("install", "claude-code", "--workflow", "orchestration", *how, cwd=project, **home).code == 0
    assert existing() == sorted(ROSTER["agents"])
    assert call("install", "claude-code", "--remove", *{*how} & {"--user"}, cwd=project, **home).code == 0
    assert existing() == []


def test_installing_and_removing_leave_every_byte_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, ".claude/settings.json", SETTINGS)
    put(tmp_path, ".claude/agents/mine.md", "---\nname: mine\ndescription: d\n---\nMine.\n")
    put(tmp_path, ".mcp.json", SERVERS)
    put(tmp_path, "0-sources/brief.md", "# Brief\n")
    before = tree(tmp_path)
    assert call("install", "claude-code", cwd=tmp_path / "0-sources").code == 0
    merged = json.loads((tmp_path / ".claude/settings.json").read_text())
    assert (merged["model"], merged["permissions"]["deny"][0], merged["zz"]) == ("opus", "WebFetch", {"b": 1, "a": 2})
    assert set(json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]) == {"mine", "signoff"}
    installed = tree(tmp_path)
    again = call("install", "claude-code", "--json", cwd=tmp_path).json
    assert {step["what"] for step in again["steps"]} == {"same"}
    assert tree(tmp_path) == installed
    assert call("install", "claude-code", "--remove", cwd=tmp_path).code == 0
    assert tree(tmp_path) == before
    gone = call("install", "claude-code", "--remove", cwd=tmp_path)
    assert (gone.code, "nothing of signoff is installed" in gone.err) == (2, True)


def test_a_dry_run_shows_the_difference_and_writes_nothing(tmp_path: Path) -> None:
    put(tmp_path, ".claude/settings.json", SETTINGS)
    before = tree(tmp_path)
    shown = call("install", "claude-code", "--dry-run", cwd=tmp_path)
    assert shown.code == 0
    assert "\n+++ skills/signoff-approve/SKILL.md\n" in shown.out
    assert "Bash(signoff approve:*)" in shown.out
    assert shown.out.endswith("nothing was written (--dry-run)\n")
    assert tree(tmp_path) == before
    assert call("install", "claude-code", cwd=tmp_path).code == 0
    installed = tree(tmp_path)
    assert (
        "remove  skills/signoff-approve/SKILL.md"
        in call("install", "claude-code", "--remove", "--dry-run", cwd=tmp_path).out
    )
    assert tree(tmp_path) == installed


def test_a_file_of_ones_own_is_refused_and_nothing_at_all_is_written(tmp_path: Path) -> None:
    put(tmp_path, ".claude/skills/signoff-approve/SKILL.md", "Mine.\n")
    put(tmp_path, ".mcp.json", '{"mcpServers": {"signoff": {"command": "other"}}}')
    before = tree(tmp_path)
    ended = call("install", "claude-code", cwd=tmp_path)
    assert ended.code == 2
    assert "skills/signoff-approve/SKILL.md: a file of your own is there" in ended.err
    assert ".mcp.json: it has a value of your own at mcpServers.signoff" in ended.err
    assert tree(tmp_path) == before
    assert call("install", "claude-code", "--force", cwd=tmp_path).code == 0
    kept = tmp_path / ".claude/skills/signoff-approve/SKILL.md.before-signoff"
    assert kept.read_text() == "Mine.\n"
    assert (tmp_path / ".mcp.json.before-signoff").exists()
    assert call("install", "claude-code", "--remove", cwd=tmp_path).code == 0
    assert (tmp_path / ".claude/skills/signoff-approve/SKILL.md").read_text() == "Mine.\n"


def test_for_a_person_it_goes_to_their_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home, ".claude.json", '{"numStartups": 4, "mcpServers": {}}')
    before = tree(home)
    assert call("install", "claude-code", "--user", cwd=tmp_path, HOME=str(home)).code == 0
    assert (home / ".claude/skills/signoff-resume/SKILL.md").exists()
    servers = json.loads((home / ".claude.json").read_text())
    assert (servers["numStartups"], list(servers["mcpServers"])) == (4, ["signoff"])
    assert not (tmp_path / ".mcp.json").exists()
    assert call("install", "claude-code", "--remove", "--user", cwd=tmp_path, HOME=str(home)).code == 0
    assert tree(home) == before
    elsewhere = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    assert call("install", "claude-code", "--user", cwd=tmp_path, **elsewhere).code == 0
    assert (tmp_path / "config/skills/signoff-approve/SKILL.md").exists()
    assert "signoff" in (tmp_path / "config/.claude.json").read_text()


def test_what_is_wrong_in_the_folder_is_found_whoever_wrote_it(tmp_path: Path) -> None:
    assert call("install", "claude-code", cwd=tmp_path).code == 0
    put(tmp_path, ".claude/agents/mine.md", "---\nname: mine\ndescription: d\ntool: Read\n---\nMine.\n")
    (tmp_path / ".claude/skills/signoff-reject/SKILL.md").write_text("Edited.\n")
    (tmp_path / ".claude/skills/signoff-clarify/SKILL.md").unlink()
    ended = call("install", "claude-code", "--check", cwd=tmp_path)
    assert ended.code == 1
    assert "agents/mine.md:4: frontmatter: unknown field 'tool'. Repair: write 'tools'" in ended.out
    assert "skills/signoff-reject/SKILL.md: install.keep: it was edited" in ended.out
    assert "skills/signoff-reject/SKILL.md:1: frontmatter: there is no frontmatter" in ended.out
    assert "skills/signoff-clarify/SKILL.md: install.create: it is not there" in ended.out
    assert not call("install", "claude-code", "--check", "--json", cwd=tmp_path).json["ok"]


def test_a_projects_own_agent_is_installed_and_a_typo_in_it_is_an_error(tmp_path: Path) -> None:
    own = put(
        tmp_path, ".promptpack/agents/strategist.md", "---\nname: strategist\ndescription: ours\n---\nOur words.\n"
    )
    assert call("install", "claude-code", cwd=tmp_path).code == 0
    agent = (tmp_path / ".claude/agents/signoff-solution-page-strategist.md").read_text("utf-8")
    assert 'description: "ours. Takes the turns of the strategist in runs of solution-page."' in agent
    own.write_text("---\nname: strategist\ndescription: ours\nmodle: x\n---\nOur words.\n")
    ended = call("install", "claude-code", cwd=tmp_path)
    assert ended.code == 2
    assert (
        ".promptpack/agents/strategist.md:4: agent.frontmatter: unknown field 'modle'. Repair: write 'model'"
        in ended.err
    )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("cursor",), "there is no host 'cursor'. Valid: claude-code"),
        (("claude-code", "--user", "--plugin", "x"), "--user and --plugin are two places"),
        (("claude-code", "--plugin", "x", "--short-names"), "the plugin's name before each command"),
        (("claude-code", "--remove", "--check"), "--remove only takes away"),
        (("claude-code", "--workflow", "poem"), "there is no workflow 'poem'. Valid: article, clarify, content"),
        (("claude-code", "--remove"), "nothing of signoff is installed in"),
        (("claude-code", "--project", "no-such-folder"), "is not a folder"),
    ],
)
def test_a_wrong_call_says_what_is_valid(tmp_path: Path, args: tuple[str, ...], says: str) -> None:
    ended = call("install", *args, cwd=tmp_path)
    assert (ended.code, says in ended.err) == (2, True)
    assert tree(tmp_path) == {}


# --- the plan ---------------------------------------------------------------------------------------------------------


def test_what_was_edited_since_stays_and_is_said(tmp_path: Path) -> None:
    done(tmp_path)
    put(tmp_path, ".claude/agents/a.md", "Edited.\n")
    newer = Kit(files={**SMALL.files, "agents/a.md": "Newer.\n", "skills/s/SKILL.md": "S2\n"}, merged=SMALL.merged)
    assert done(tmp_path, newer) == {
        "agents/a.md": "keep", "skills/s/SKILL.md": "update", "settings.json": "same", ".mcp.json": "same",
    }  # fmt: skip
    assert (tmp_path / ".claude/agents/a.md").read_text() == "Edited.\n"
    assert undone(tmp_path)["agents/a.md"] == "keep"
    assert tree(tmp_path).keys() == {".claude", ".claude/agents", ".claude/agents/a.md"}


def test_a_newer_kit_takes_out_what_it_does_not_have(tmp_path: Path) -> None:
    done(tmp_path)
    put(tmp_path, ".claude/settings.json", '{"permissions": {"deny": ["Bash(signoff approve:*)", "mine"]}, "a": 1}')
    newer = Kit(files={"agents/b.md": "B\n"}, merged={"settings.json": {"permissions": {"deny": ["other"]}}})
    found = done(tmp_path, newer)
    assert (found["agents/a.md"], found["skills/s/SKILL.md"], found["agents/b.md"]) == ("remove", "remove", "create")
    assert json.loads((tmp_path / ".claude/settings.json").read_text()) == {
        "permissions": {"deny": ["mine", "other"]},
        "a": 1,
    }


def test_a_kit_that_no_longer_joins_a_file_takes_its_part_out_of_it(tmp_path: Path) -> None:
    put(tmp_path, ".mcp.json", SERVERS)
    done(tmp_path)
    done(tmp_path, Kit(files=SMALL.files))
    assert (tmp_path / ".mcp.json").read_text() == SERVERS


def test_a_kill_between_two_files_leaves_nothing_that_the_next_call_does_not_know(tmp_path: Path) -> None:
    done(tmp_path)
    before = tree(tmp_path)
    newer = Kit(files={"agents/a.md": "Newer.\n", "agents/b.md": "B.\n", "agents/c.md": "C.\n"}, merged=SMALL.merged)
    plan = installation.install(at(tmp_path), newer)
    blocked = tmp_path / ".claude/agents/b.md"
    blocked.mkdir()
    with pytest.raises(SignoffError):
        installation.carry_out(plan)
    blocked.rmdir()
    assert done(tmp_path, newer) == {
        "agents/a.md": "same", "agents/b.md": "create", "agents/c.md": "create", "skills/s/SKILL.md": "remove",
        "settings.json": "same", ".mcp.json": "same",
    }  # fmt: skip
    done(tmp_path)
    assert tree(tmp_path) == before
    undone(tmp_path)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        (".claude/settings.json", '// mine\n{"a": 1}', "settings.json:1: json: invalid JSON"),
        (".claude/settings.json", "[]", "it is not a JSON object"),
        (".mcp.json", "{", ".mcp.json:1: json: invalid JSON"),
        (".mcp.json", "\udce9", "UTF-8"),
        (".claude/signoff.json", "{}", "it is not a manifest of Signoff"),
        (".claude/signoff.json", '{"files": [], "added": {}, "created": [], "folders": [], "kept": {}}', "a manifest"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_and_nothing_is_written(
    tmp_path: Path, path: str, text: str, says: str
) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    before = tree(tmp_path)
    with pytest.raises(DocumentError) as caught:
        done(tmp_path)
    assert says in str(caught.value)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "link", [".claude", ".claude/agents", ".claude/agents/a.md", ".claude/settings.json", ".mcp.json"]
)
def test_a_link_that_leads_out_of_the_project_is_not_written_through(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    (root / link).parent.mkdir(parents=True)
    outside.mkdir()
    put(outside, "file", "{}")
    (root / link).symlink_to(outside if "." not in Path(link).name[1:] else outside / "file")
    before = tree(tmp_path)
    with pytest.raises(UsageError, match="leads out of the project"):
        done(root)
    assert tree(tmp_path) == before


def test_a_link_within_stays_a_link(tmp_path: Path) -> None:
    put(tmp_path, "shared/settings.json", SETTINGS)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").symlink_to("../shared/settings.json")
    before = tree(tmp_path)
    done(tmp_path)
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert "signoff approve" in (tmp_path / "shared/settings.json").read_text()
    undone(tmp_path)
    assert tree(tmp_path) == before


def test_a_hostile_manifest_deletes_nothing_outside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    done(root)
    secret = put(tmp_path, "secret", "S")
    manifest = json.loads((root / ".claude/signoff.json").read_text())
    manifest["files"]["../../secret"] = [installation.digest(b"S")]
    (root / ".claude/signoff.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError):
        undone(root)
    assert secret.read_text() == "S"


@pytest.mark.parametrize("act", [done, undone])
@pytest.mark.parametrize(
    ("where", "named"),
    [
        ("files", {"../README.md": [installation.digest(b"mine")]}),
        ("files", {"skills/../../README.md": [installation.digest(b"mine")]}),
        ("kept", {"skills/old/SKILL.md": "../README.md"}),
        ("kept", {"skills/old/SKILL.md": "settings.local.json"}),
        ("added", {"../package.json": []}),
    ],
)
def test_a_hostile_manifest_moves_nothing_beside_the_home(
    tmp_path: Path, where: str, named: dict[str, Any], act: Callable[[Path], object]
) -> None:
    done(tmp_path)
    put(tmp_path, "README.md", "mine")
    put(tmp_path, "package.json", "{}")
    put(tmp_path, ".claude/settings.local.json", "{}")
    put(tmp_path, ".claude/skills/old/SKILL.md", "bait")
    manifest = json.loads((tmp_path / ".claude/signoff.json").read_text())
    manifest["files"]["skills/old/SKILL.md"] = [installation.digest(b"bait")]
    manifest[where].update(named)
    put(tmp_path, ".claude/signoff.json", json.dumps(manifest))
    before = tree(tmp_path)
    with pytest.raises((UsageError, DocumentError), match=r"leads out of|cannot be kept as"):
        act(tmp_path)
    assert tree(tmp_path) == before


def test_a_hostile_manifest_removes_no_folder_beside_the_home(tmp_path: Path) -> None:
    done(tmp_path)
    (tmp_path / "empty").mkdir()
    manifest = json.loads((tmp_path / ".claude/signoff.json").read_text())
    manifest["folders"].append("../empty")
    put(tmp_path, ".claude/signoff.json", json.dumps(manifest))
    before = tree(tmp_path)
    with pytest.raises(UsageError, match="leads out of"):
        undone(tmp_path)
    assert tree(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="NOT TESTED as root, whom no permission stops")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir(mode=0o500)
    with pytest.raises(StoreError, match="permission"):
        done(tmp_path)


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path) -> None:
    put(tmp_path, ".claude/agents", "a file\n")
    before = tree(tmp_path)
    with pytest.raises(StoreError, match="a folder belongs there"):
        done(tmp_path)
    shutil.rmtree(tmp_path / ".claude" / "skills", ignore_errors=True)
    assert tree(tmp_path)[".claude/agents"] == before[".claude/agents"]


def test_a_file_that_changes_between_plan_and_deed_is_not_written_over(tmp_path: Path) -> None:
    plan = installation.install(at(tmp_path), SMALL)
    put(tmp_path, ".claude/agents/a.md", "Mine, just now.\n")
    with pytest.raises(RefusedError, match="changed meanwhile"):
        installation.carry_out(plan)
    assert (tmp_path / ".claude/agents/a.md").read_text() == "Mine, just now.\n"


# --- the texts --------------------------------------------------------------------------------------------------------


def test_a_head_with_a_typo_cannot_be_installed() -> None:
    with pytest.raises(DocumentError, match="unknown field 'tool'"):
        installed_files.checked({"agents/a.md": "---\nname: a\ndescription: d\ntool: x\n---\nA.\n"})


def test_the_loop_is_said_once_for_both_kinds_of_hosts(tmp_path: Path) -> None:
    from signoff.surfaces.claude_code import file_texts
    from signoff.surfaces.mcp.prompts import work_on_run

    made = installed_files.folder(tmp_path, "signoff", ".mcp.json", ["solution-page"]).files
    assert work_on_run("$ARGUMENTS") in made["skills/signoff-work-on-run/SKILL.md"]
    assert work_on_run("NAME") in made["skills/signoff-create-solution-page/SKILL.md"]
    agent = file_texts.agent(
        "w",
        Agent(name="a", contract=Contract(name="c", parse=lambda data, _: data, schema=dict)),
        "About",
        "openai:gpt-5",
        installed_files.PREFIXED,
    )
    assert agent.split("\n")[4] == "model: inherit"


ECHO = """\
from dataclasses import replace
from signoff.workflows.clarify import workflow
WORKFLOW = replace(workflow.WORKFLOW, name="echo")
"""


def test_two_workflows_that_declare_one_command_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "more/echo/workflow.py", ECHO)
    put(tmp_path, "more/echo/__init__.py", "")
    (tmp_path / "project").mkdir()
    code = f"import signoff.workflows; signoff.workflows.__path__.append({str(tmp_path / 'more')!r}); {CALL}"
    ended = called(code, ("install", "claude-code"), tmp_path / "project", {"PATH": BIN})
    assert ended.code == 70
    assert "two workflows declare skills/signoff-clarify/SKILL.md" in ended.err
    assert tree(tmp_path / "project") == {}
