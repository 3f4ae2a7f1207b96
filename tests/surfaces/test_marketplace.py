"""Plugins for Claude Code and the entry for MCP registries: generated, current, and as their readers want them."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from shell_out import Ended, signoff

import signoff as package
from signoff.service import catalog

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import generate  # noqa: E402

BIN = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def call(*args: object, cwd: Path) -> Ended:
    return signoff("install", "claude-code", *args, cwd=cwd, PATH=BIN)


@pytest.mark.req("LB-8")
def test_the_plugins_are_current_and_there_are_no_others() -> None:
    old = [str(path.relative_to(ROOT)) for path, text in generate.plugins().items() if text != there(path)]
    assert (old, generate.needless()) == ([], []), "run `make docs`"


def there(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


@pytest.mark.req("LB-8")
def test_every_workflow_is_a_plugin_that_brings_the_common_one_along() -> None:
    market = read(ROOT / ".claude-plugin/marketplace.json")
    assert market.keys() == {"name", "description", "owner", "plugins"}
    listed = {one["name"]: one for one in market["plugins"]}
    shipped = [name for name in catalog.names() if catalog.workflow(name).package.startswith("signoff.workflows.")]
    assert list(listed) == ["signoff", *(f"signoff-{name}" for name in shipped)]
    for name, one in listed.items():
        assert one.keys() == {"name", "source", "description"}
        assert one["source"] == f"./plugins/{name}"
        home = ROOT / one["source"]
        manifest = read(home / ".claude-plugin/plugin.json")
        assert NAME.fullmatch(name)
        assert (manifest["name"], manifest["version"]) == (name, package.__version__)
        assert manifest["description"] == one["description"]
        assert manifest.get("dependencies", []) == ([] if name == "signoff" else ["signoff"])
        assert len((home / "README.md").read_text("utf-8").split()) > 40, "a directory refuses less"
        assert (home / ".mcp.json").exists() is (home / "hooks/hooks.json").exists() is (name == "signoff")
        agents = {file.stem for file in home.glob("agents/*.md")}
        assert agents == (
            set() if name == "signoff" else set(catalog.workflow(name.removeprefix("signoff-")).agent_names)
        )


def test_agents_and_commands_of_a_plugin_name_each_other_as_claude_code_calls_them() -> None:
    home = ROOT / "plugins/signoff-orchestration"
    begin = (home / "skills/orchestrate/SKILL.md").read_text("utf-8")
    assert "`signoff-WORKFLOW:AGENT`" in begin
    assert '"mcp__plugin_signoff_signoff__next_turn"' in begin
    plan = (home / "skills/persona-plan-developer/SKILL.md").read_text("utf-8")
    assert "call `/signoff-orchestration:persona-solution-architect TASK`" in plan
    assert "\nname: doer\n" in (home / "agents/doer.md").read_text("utf-8")


@pytest.mark.req("LB-8")
def test_a_marketplace_of_chosen_workflows_is_made_added_to_and_removed(tmp_path: Path) -> None:
    home, args = tmp_path / "market", ("--plugin", "market")
    made = call("--workflow", "clarify", *args, cwd=tmp_path)
    assert made.code == 0, made.err
    assert "claude plugin marketplace add market && claude plugin install signoff-clarify@signoff" in made.out
    assert plugins(home) == ["signoff", "signoff-clarify"]
    assert (home / "plugins/signoff/hooks/hooks.json").read_bytes() == (
        ROOT / "plugins/signoff/hooks/hooks.json"
    ).read_bytes()
    assert call("--workflow", "content", *args, cwd=tmp_path).code == 0
    assert plugins(home) == ["signoff", "signoff-clarify", "signoff-content"]
    assert call("--check", *args, cwd=tmp_path).out == f"{home}: everything is in place\n"
    (home / "plugins/signoff-content/agents/author.md").write_text("---\nname: author\ndescription: d\ntool: x\n---\n")
    checked = call("--check", *args, cwd=tmp_path)
    assert "plugins/signoff-content/agents/author.md:4: frontmatter: unknown field 'tool'" in checked.out
    assert call("--force", *args, cwd=tmp_path).code == 0
    assert call("--remove", "--workflow", "clarify", *args, cwd=tmp_path).code == 0
    assert plugins(home) == ["signoff", "signoff-content"]
    assert not (home / "plugins/signoff-clarify").exists()
    assert call("--remove", *args, cwd=tmp_path).code == 0
    assert [file.name for file in home.rglob("*") if file.is_file()] == ["author.md"], "what was written over is back"


def plugins(home: Path) -> list[str]:
    listed = [one["name"] for one in read(home / ".claude-plugin/marketplace.json")["plugins"]]
    assert sorted(file.name for file in (home / "plugins").iterdir()) == sorted(listed)
    return listed


# --- MCP registries ---------------------------------------------------------------------------------------------------

FIELDS = {
    "": {"$schema", "name", "title", "description", "version", "websiteUrl", "repository", "packages", "remotes"},
    "package": {
        "registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "runtimeArguments",
        "packageArguments", "environmentVariables", "transport",
    },
    "argument": {"type", "name", "value", "valueHint", "description", "isRequired", "isRepeated", "format", "default"},
}  # fmt: skip
"""The fields of the published schema of 2025-12-11, as far as they concern a package."""


@pytest.mark.req("LB-8")
def test_the_entry_for_registries_has_the_fields_of_the_published_schema() -> None:
    entry = read(ROOT / "server.json")
    assert entry.keys() <= FIELDS[""]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 3 <= len(entry["name"]) <= 200
    assert 1 <= len(entry["description"]) <= 100
    assert 1 <= len(entry["title"]) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"]), "a range, or latest, is refused"
    [one] = entry["packages"]
    assert {"registryType", "identifier", "transport"} <= one.keys() <= FIELDS["package"]
    assert (one["registryType"], one["identifier"], one["transport"]) == ("pypi", "signoff", {"type": "stdio"})
    assert one["version"] == entry["version"] == package.__version__
    for argument in (*one["runtimeArguments"], *one["packageArguments"]):
        assert argument.keys() <= FIELDS["argument"]
        assert argument["type"] in ("named", "positional")
        assert ("name" in argument) is (argument["type"] == "named")


def test_the_readme_says_no_other_name_than_the_entry() -> None:
    said = re.findall(r"mcp-name: *(\S+)", (ROOT / "README.md").read_text("utf-8"))
    assert set(said) <= {read(ROOT / "server.json")["name"]}


def test_the_server_is_started_as_the_entry_says(tmp_path: Path) -> None:
    [one] = read(ROOT / "server.json")["packages"]
    ended = signoff(*(argument["value"] for argument in one["packageArguments"]), cwd=tmp_path, lines=INITIALIZE)
    assert json.loads(ended.out.splitlines()[0])["result"]["serverInfo"]["name"] == "signoff"


INITIALIZE = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
    )
    + "\n"
)
