"""What a host may look at: documents of a run, gates on files of the project, the way of an id. Nothing moves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from signoff.artifacts.agent_files import AgentFile
from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Workflow
from signoff.evidence.sources.files import parse_source
from signoff.service import catalog
from signoff.service.files import gate_commands
from signoff.service.project import Project
from signoff.shell.files import inside
from signoff.shell.run import briefs
from signoff.shell.run.attempts import Attempt
from signoff.shell.run.live_run import LiveRun
from signoff.shell.runtimes import host_workspace

REGISTRY = "_shared/claims-registry.yaml"
CHARS = 40_000
"""How much text one call gives; the rest is read from an offset."""
MOST_LISTED = 60


def brief_path(live: LiveRun, start: StartTurn) -> str:
    """Where the brief of an open turn is."""
    return f"{live.folder}/turns/{start.turn}/brief-{start.attempt}.md"


async def document(project: Project, run: str, path: str, offset: int = 0) -> dict[str, Any]:
    """A piece of a document of the run, of an input of an open turn, or of its brief."""
    live = await project.open(run)
    inside(project.root, path)
    text, sha = _text(live, path)
    if not 0 <= offset <= len(text):
        raise UsageError(f"{path} has {len(text)} characters, and offset is {offset}", valid=f"0 to {len(text)}")
    end = min(len(text), offset + CHARS)
    more = {"next_offset": end} if end < len(text) else {}
    return {"path": path, "sha256": sha, "text": text[offset:end], "offset": offset, "total": len(text), **more}


def _text(live: LiveRun, path: str) -> tuple[str, str]:
    """An open turn reads what was given for it and what it was pinned to; else it is what the run knows now."""
    starts = [turn.start for turn in live.state.turns.values()]
    if any(path == brief_path(live, start) for start in starts) and (data := live.store.read(path)) is not None:
        return data.decode("utf-8", "replace"), digest(data)
    given = {path: sha for start in starts for path, sha in host_workspace.so_far(Attempt(live, start)).files.items()}
    known = dict(live.state.docs) | {ref.path: ref.sha256 for start in starts for ref in start.pinned} | given
    if path not in known:
        names = sorted(known)
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        raise UsageError(
            f"{path!r} is neither a document of {live.run} nor an input of its open turns",
            valid=", ".join(names[:MOST_LISTED]) + more if names else "it has none yet",
            repair="name one of them",
        )
    data = live.library.data(Ref(path, known[path]))
    return _readable(data, path), known[path]


def _readable(data: bytes, path: str) -> str:
    """The text of a document; of a PDF that of its pages."""
    if data.startswith(b"%PDF-") or path.lower().endswith(".pdf"):
        pages = parse_source(data, path).pages
        return "\n\n".join(f"[page {number}]\n{text}" for number, text in enumerate(pages, 1))
    if b"\0" in data:
        raise UsageError(f"{path} is not text", repair="quote another document, or ask the person for its text")
    return data.decode("utf-8", "replace")


async def gate(project: Project, name: str, files: Iterable[str], lang: str | None = None) -> dict[str, Any]:
    """One gate over files of the project; nothing outside is looked at, and the network is not asked."""
    paths = {path: inside(project.root, path) for path in files}
    if not paths:
        raise UsageError("no files are given", repair="name one or more files of the project, relative to its folder")
    registry = _registry(project) if name == "claims" else None
    asked = gate_commands.Asked(
        gate=name, files=tuple(paths.values()), lang=lang, registry=registry, mode="format", home=project.root
    )
    result = (await gate_commands.check(asked)).to_json()
    shown = {str(full): path for path, full in paths.items()}
    found = [{**one, "file": shown.get(one.get("file", ""), one.get("file", ""))} for one in result["findings"]]
    return json_data({**result, "files": list(paths), "findings": found})


def _registry(project: Project) -> Path:
    path = inside(project.root, REGISTRY)
    if not path.is_file():
        raise UsageError(f"the project has no {REGISTRY}", repair="run this gate once the strategy has made it")
    return path


# --- roles ------------------------------------------------------------------------------------------------------------


def persona(root: Path, name: str, agent: str) -> str:
    """An agent as a brief begins: its file, the contract it answers under, its skills; a project's own files win."""
    workflow = catalog.workflow(name)
    team = briefs.crew(workflow, Project(root).store)
    parts = briefs.persona(workflow, team, agent, workflow.agent(agent).contract.name)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def guide(root: Path, workflow: Workflow, name: str) -> str:
    """How a persona leads its conversation, in the words of its file; a project's own wins."""
    return briefs.guide(workflow, Project(root).store, name).body


def role(root: Path, name: str, agent: str) -> AgentFile:
    """The agent file of a role; a project's own wins."""
    return briefs.crew(catalog.workflow(name), Project(root).store).agents[agent]


# --- plain data -------------------------------------------------------------------------------------------------------


def finding(found: Finding) -> dict[str, Any]:
    """A finding as JSON data, without what it does not say."""
    return {name: value for name, value in asdict(found).items() if value not in (None, "")}


def json_data(value: dict[str, Any]) -> dict[str, Any]:
    """The value as JSON data."""
    found: dict[str, Any] = json.loads(json.dumps(value, ensure_ascii=False, default=str))
    return found
