"""What is installed as a whole, for the workflows that were chosen: in a folder of Claude Code, or as plugins."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import signoff
from signoff import DefinitionError, DocumentError, Finding, Workflow
from signoff.service import catalog
from signoff.service.files.installation import PLUGINS, Kit, lint_head
from signoff.service.hosts import host_reads
from signoff.surfaces.claude_code import file_texts
from signoff.surfaces.claude_code.file_texts import SIGNOFF, Naming
from signoff.surfaces.mcp.prompts import LOOP

PREFIXED = Naming(tools=f"mcp__{SIGNOFF}__", skills=f"{SIGNOFF}-")
SHORT = Naming(tools=f"mcp__{SIGNOFF}__")
PLUGIN = Naming(tools=f"mcp__plugin_{SIGNOFF}_{SIGNOFF}__", plugin=True)

SETTINGS = "settings.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
_BASE = "Runs of Signoff workflows in Claude Code: agents propose, code decides, people sign off."
_README = """\
# {title}

{about}

{needs}

Signoff must be installed with its extra `mcp`, and `signoff` must be on the path.

Approving, rejecting and resuming stay with you: no command, agent or tool of a plugin does it. `/signoff:approve`,
`/signoff:reject` and `/signoff:resume` show what waits and the command that you type in a terminal of your own.

| command | what it does |
|---|---|
{rows}
"""
_NEEDED = """\
It has what runs of every workflow need: the MCP server that gives out briefs and takes outputs, and a hook that keeps a
session from ending while it holds an open turn. Each workflow is a plugin of its own.\
"""
_NEEDS = "It needs the plugin `signoff` of the same marketplace, which is installed with it."


# --- a folder of Claude Code ------------------------------------------------------------------------------------------


def folder(root: Path, command: str, servers: str, workflows: Iterable[str], *, short: bool = False) -> Kit:
    """For a project's `.claude`, or a person's own: files, and entries in their settings and their list of servers."""
    naming = SHORT if short else PREFIXED
    flows = [catalog.workflow(name) for name in workflows]
    own = {flow.name: {**_agents(root, flow, naming), **_commands(root, flow, naming)} for flow in flows}
    files = _together(_common(naming, command), *own.values())
    merged = {SETTINGS: _settings(flows, command), servers: {"mcpServers": {SIGNOFF: _server(command)}}}
    return Kit(files=checked(files), merged=merged, workflows=_paths(own), short_names=short)


def _settings(flows: Sequence[Workflow], command: str) -> dict[str, Any]:
    """What a session may do without asking, what it may never do, and the hooks."""
    own = dict.fromkeys(tool for flow in flows for tool in file_texts.allowed(flow))
    return {
        "permissions": {
            "allow": PREFIXED.named((*file_texts.ALLOWED, *own)),
            "deny": [f"Bash(signoff {act}:*)" for act in file_texts.ACTS],
        },
        **_hooks(command),
    }


def _hooks(command: str) -> dict[str, Any]:
    """A session does not end while it holds a turn; a shell command that acts for a person is not run."""
    return {
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [_hook(command, "bash")]}],
            "Stop": [{"hooks": [_hook(command, "stop")]}],
        }
    }


def _hook(command: str, name: str) -> dict[str, Any]:
    return {"type": "command", "command": f"{shlex.quote(command)} hook {name}", "timeout": 10}


def _server(command: str) -> dict[str, Any]:
    """How Claude Code starts the server: in the folder of the session, so that the entry can be shared."""
    return {"type": "stdio", "command": command, "args": ["mcp"]}


# --- plugins ----------------------------------------------------------------------------------------------------------


def marketplace(root: Path, command: str, workflows: Iterable[str]) -> Kit:
    """A folder that Claude Code takes as a marketplace: a plugin with what all need, and one for each workflow."""
    flows = [catalog.workflow(name) for name in workflows]
    base = {
        **_about("", _BASE, _common(PLUGIN, command)),
        ".mcp.json": _json({"mcpServers": {SIGNOFF: _server(command)}}),
        "hooks/hooks.json": _json(_hooks(command)),
    }
    own = {
        flow.name: _placed(
            flow.name,
            {**_agents(root, flow, PLUGIN), **_about(flow.name, flow.about, _commands(root, flow, PLUGIN))},
        )
        for flow in flows
    }
    listed = {
        "name": SIGNOFF,
        "description": _BASE,
        "owner": {"name": "Signoff"},
        "plugins": [_listed("", _BASE), *(_listed(flow.name, flow.about) for flow in flows)],
    }
    files = _together(_placed("", base), *own.values())
    return Kit(files=checked(files), merged={MARKETPLACE: listed}, workflows=_paths(own))


def _placed(workflow: str, files: Mapping[str, str]) -> dict[str, str]:
    return {f"{PLUGINS}/{file_texts.plugin(workflow)}/{path}": text for path, text in files.items()}


def _listed(workflow: str, about: str) -> dict[str, Any]:
    name = file_texts.plugin(workflow)
    return {"name": name, "source": f"./{PLUGINS}/{name}", "description": about}


def _about(workflow: str, about: str, skills: Mapping[str, str]) -> dict[str, str]:
    """The commands of a plugin, its manifest, and a page on it."""
    name = file_texts.plugin(workflow)
    manifest = {
        "name": name,
        "version": signoff.__version__,
        "description": about,
        "author": {"name": "Signoff"},
        "license": "Apache-2.0",
        "keywords": ["agents", "workflow", "human-in-the-loop"],
        **({"dependencies": [SIGNOFF]} if workflow else {}),
    }
    rows = []
    for path, text in skills.items():
        said = next(line for line in text.splitlines() if line.startswith("description: "))
        said = said.removeprefix("description: ").strip('"').replace("|", "\\|")
        rows.append(f"| `{PLUGIN.typed(path.split('/')[1], workflow)}` | {said} |")
    readme = _README.format(title=name, about=about, needs=_NEEDS if workflow else _NEEDED, rows="\n".join(rows))
    return {".claude-plugin/plugin.json": _json(manifest), "README.md": readme, **skills}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# --- agents and commands ----------------------------------------------------------------------------------------------


def _agents(root: Path, flow: Workflow, naming: Naming) -> dict[str, str]:
    roles = {name: host_reads.role(root, flow.name, name) for name in flow.agent_names}
    return {
        f"agents/{naming.agent(flow.name, name)}.md": file_texts.agent(
            flow.name, flow.agent(name), role.description, role.model, naming
        )
        for name, role in roles.items()
    }


def _commands(root: Path, flow: Workflow, naming: Naming) -> dict[str, str]:
    """The commands of a workflow: one that begins a run, and one for each persona."""
    personas = {
        f"persona-{name}": file_texts.persona(flow, persona, host_reads.guide(root, flow, name), naming)
        for name, persona in flow.people.personas.items()
    }
    return _skills({file_texts.slash(flow): file_texts.begin(flow, naming), **personas}, naming)


def _common(naming: Naming, command: str) -> dict[str, str]:
    """The commands that runs of any workflow need."""
    inbox = f"{shlex.quote(command)} inbox --runtime host"
    acts = {name: file_texts.act(name, naming, inbox) for name in file_texts.ACTS}
    return _skills({LOOP: file_texts.work(naming), **acts}, naming)


def _skills(texts: Mapping[str, str], naming: Naming) -> dict[str, str]:
    return {f"skills/{naming.skill(name)}/SKILL.md": text for name, text in texts.items()}


def _together(*parts: Mapping[str, str]) -> dict[str, str]:
    """All files; two of one name are a mistake in a declaration."""
    made: dict[str, str] = {}
    for part in parts:
        if twice := sorted(made.keys() & part.keys()):
            raise DefinitionError(
                f"two workflows declare {', '.join(twice)}", repair="give one of them another `slash` or persona name"
            )
        made |= part
    return made


def _paths(own: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(files) for name, files in own.items()}


# --- the heads of files -----------------------------------------------------------------------------------------------


def linted(home: Path) -> list[Finding]:
    """What is wrong with the heads of all agents, skills and commands in a folder, ours and others."""
    kinds = ("agents/**/*.md", "skills/*/SKILL.md", "commands/**/*.md")
    places = [file for below in ("", f"{PLUGINS}/*/") for kind in kinds for file in home.glob(f"{below}{kind}")]
    texts_of = {file.relative_to(home).as_posix(): file.read_text("utf-8", "replace") for file in sorted(places)}
    return [finding for path, text in texts_of.items() for finding in lint_head(path, text)]


def checked(files: Mapping[str, str]) -> Mapping[str, str]:
    """The files, if nothing is wrong with them: what would fail silently there is not installed."""
    if found := [finding for path, text in files.items() for finding in lint_head(path, text)]:
        raise DocumentError(found)
    return files
