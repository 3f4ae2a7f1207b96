"""What is installed as a whole: which files, which entries in files of the person, for a folder and as a plugin."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import signoff
from signoff.artifacts import frontmatter
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.service import catalog, hosting
from signoff.service.installing import Kit
from signoff.surfaces.claude_code import texts

SERVER = "signoff"
OWN, PLUGIN = f"mcp__{SERVER}__", f"mcp__plugin_{SERVER}_{SERVER}__"
"""How the tools of our server are called there: from a configuration, and from the plugin."""

SETTINGS = "settings.json"
_README = """\
# Signoff for Claude Code

Agents propose, code decides, people sign off. This plugin lets a session of Claude Code take the turns of Signoff runs.
It brings the agents of each workflow, a command that begins a run of each, a command for each persona that you can
talk with, the MCP server that hands out briefs and takes outputs in, and a hook that does not let a session end while
it holds an open turn. Approving, rejecting and resuming stay with you: those commands show what waits and what to type
in a terminal of your own.

It needs `signoff` on the path, installed with its extra `mcp`.

| command | what it does |
|---|---|
{rows}
"""


def folder(root: Path, command: str, servers: str, names: Mapping[str, str]) -> Kit:
    """For a project's `.claude`, or a person's own: files, and entries in their settings and their list of servers."""
    files = {**_agents(root, OWN), **_skills(root, OWN, "signoff-", command, names)}
    merged = {SETTINGS: settings(command), servers: {"mcpServers": {SERVER: server_entry(command)}}}
    return Kit(files=checked(files), merged=merged)


def server_entry(command: str) -> dict[str, Any]:
    """How Claude Code starts the server: in the folder of the session, so that the entry can be shared."""
    return {"type": "stdio", "command": command, "args": ["mcp"]}


def settings(command: str) -> dict[str, Any]:
    """What a session may do without asking, what it may never do, and the hooks."""
    return {
        "permissions": {
            "allow": [f"{OWN}{tool}" for tool in (*texts.ALLOWED, *catalog.tools())],
            "deny": [f"Bash(signoff {act}:*)" for act in texts.ACTS],
        },
        **hooks(command),
    }


def hooks(command: str) -> dict[str, Any]:
    """A session does not end while it holds a turn; a shell command that acts for a person is not run."""
    return {
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [_hook(command, "bash")]}],
            "Stop": [{"hooks": [_hook(command, "stop")]}],
        }
    }


def _hook(command: str, name: str) -> dict[str, Any]:
    return {"type": "command", "command": f"{shlex.quote(command)} hook {name}", "timeout": 10}


def plugin(root: Path, command: str) -> Kit:
    """The same as a plugin folder: there tools, agents and commands have the plugin's name before theirs."""
    manifest = {
        "name": SERVER,
        "version": signoff.__version__,
        "description": "Takes the turns of Signoff runs: agents propose, code decides, people sign off.",
        "author": {"name": "Signoff"},
        "license": "Apache-2.0",
        "keywords": ["agents", "workflow", "human-in-the-loop"],
    }
    skills = _skills(root, PLUGIN, f"{SERVER}:signoff-", command, {})
    files = {
        ".claude-plugin/plugin.json": _json(manifest),
        ".mcp.json": _json({"mcpServers": {SERVER: server_entry(command)}}),
        "hooks/hooks.json": _json(hooks(command)),
        "README.md": _README.format(rows="\n".join(_rows(skills))),
        **_agents(root, PLUGIN),
        **skills,
    }
    return Kit(files=checked(files))


def _rows(skills: Mapping[str, str]) -> Iterator[str]:
    for path, text in skills.items():
        about = next(line for line in text.splitlines() if line.startswith("description: "))
        said = about.removeprefix("description: ").strip('"').replace("|", "\\|")
        yield f"| `/{SERVER}:{path.split('/')[1]}` | {said} |"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _agents(root: Path, tools: str) -> dict[str, str]:
    made = {}
    for name in catalog.names():
        for agent in catalog.workflow(name).agents.values():
            role, persona = hosting.role(root, name, agent.name), hosting.persona(root, name, agent.name)
            text = texts.agent(name, agent, role.description, role.model, persona, tools)
            made[f"agents/{texts.agent_name(name, agent.name)}.md"] = text
    return made


def _skills(root: Path, tools: str, agents: str, command: str, names: Mapping[str, str]) -> dict[str, str]:
    made = {"work-on-run": texts.work(tools, agents, catalog.tools())}
    made |= {
        texts.slash(workflow): texts.begin(workflow, tools, agents)
        for workflow in map(catalog.workflow, catalog.names())
    }
    made |= {
        f"persona-{name}": texts.persona(workflow, persona, hosting.guide(root, workflow, name), tools)
        for name, (workflow, persona) in catalog.personas().items()
    }
    made |= {
        (called := names.get(name, name)): texts.act(name, called, f"{shlex.quote(command)} inbox --runtime host")
        for name in texts.ACTS
    }
    return {f"skills/{name}/SKILL.md": text for name, text in made.items()}


# --- the heads of files -----------------------------------------------------------------------------------------------


def lint(path: str, text: str) -> tuple[Finding, ...]:
    """What is wrong with the head of an agent, a skill or a command; other files have none."""
    kind, *rest = path.split("/")
    if kind == "agents" and path.endswith(".md"):
        return frontmatter.lint(text, path, frontmatter.AGENT, required=("name", "description"))
    if kind == "skills" and rest[1:] == ["SKILL.md"]:
        return frontmatter.lint(text, path, frontmatter.SKILL, name=rest[0], required=("description",))
    if kind == "commands" and path.endswith(".md") and text.startswith("---"):
        return frontmatter.lint(text, path, frontmatter.SKILL)
    return ()


def linted(home: Path) -> list[Finding]:
    """What is wrong with the heads of all agents, skills and commands in a folder, whoever wrote them."""
    places = [*home.glob("agents/**/*.md"), *home.glob("skills/*/SKILL.md"), *home.glob("commands/**/*.md")]
    texts_of = {file.relative_to(home).as_posix(): file.read_text("utf-8", "replace") for file in sorted(places)}
    return [finding for path, text in texts_of.items() for finding in lint(path, text)]


def checked(files: Mapping[str, str]) -> Mapping[str, str]:
    """The files, if nothing is wrong with them: what would fail silently there is not installed."""
    if found := [finding for path, text in files.items() for finding in lint(path, text)]:
        raise DocumentError(found)
    return files
