"""Remakes what is generated: references, schemas, contracts of agents, pictures, plugins and the registry's entry."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import api_reference
import check_rules_page
import finding_page
import schema_page
import step_pictures
import terminal_picture

import signoff
from signoff.artifacts import agent_files
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.surfaces.claude_code import installed_files
from signoff.surfaces.cli import reference
from signoff.surfaces.mcp.tools import Desk
from signoff.workflows.article.documents import config_schema as article
from signoff.workflows.article.workflow import CONTRACTS
from signoff.workflows.orchestration import schemas
from signoff.workflows.solution_page.documents import product_sheet

ROOT = Path(__file__).parent.parent
MCP_NAME = "io.github.signoff/signoff"
"""What the server is called in MCP registries: the README must say `mcp-name:` and this, and who publishes it must
own the part before the slash."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TOOLS = re.compile(r"(<!-- tools: generated, do not edit -->\n).*?(<!-- end of tools -->)", re.DOTALL)


def shipped() -> list[str]:
    """The workflows of this repository; others may be installed beside them."""
    return [name for name in catalog.names() if catalog.workflow(name).package.startswith("signoff.workflows.")]


def generated() -> Mapping[Path, str]:
    """Every generated file that is made at once, with the text it should have now."""
    published = _schemas()
    made = {
        ROOT / "docs/reference/commands.md": reference.render(),
        ROOT / "docs/reference/schemas.md": schema_page.render(shipped(), published),
        ROOT / "docs/reference/api.md": api_reference.render(),
        ROOT / "docs/reference/check-rules.md": check_rules_page.render(),
        ROOT / "docs/guides/mcp.md": _tools(ROOT / "docs/guides/mcp.md"),
        ROOT / "server.json": _json(server()),
    }
    made |= {ROOT / "schemas" / path: _json(schema) for path, schema in published.items()}
    for name in shipped():
        made |= of_workflow(catalog.workflow(name))
    return made


def drawn() -> Mapping[Path, Callable[[], str]]:
    """What takes seconds to make, each with its maker: pictures of runs, and the findings of the whole source."""
    images = ROOT / "docs/images"
    steps = {images / f"{name}.svg": lambda name=name: step_pictures.picture(name) for name in shipped()}
    return {
        **steps,
        images / "run.svg": lambda: terminal_picture.picture(["signoff demo solution-page"], "run", until="try next"),
        ROOT / "docs/reference/findings.md": finding_page.render,
    }


def _schemas() -> dict[str, Mapping[str, Any]]:
    """The published schemas by their paths."""
    made: dict[str, Mapping[str, Any]] = {
        "product.schema.json": product_sheet.json_schema(),
        "article/config.schema.json": article.json_schema(),
    }
    for name, contract in CONTRACTS.items():
        made[f"article/outputs/{name}.schema.json"] = {
            "$schema": DIALECT, **contract.schema(), "title": f"signoff/article/outputs/{name}@1",
        }  # fmt: skip
    return made | {f"orchestration/{name}.schema.json": schemas.schema(name) for name in schemas.SCHEMAS}


def server() -> dict[str, object]:
    """The entry for MCP registries: `uvx --with 'signoff[mcp]==VERSION' signoff@VERSION mcp`, on standard input."""
    version = signoff.__version__
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "title": "Signoff",
        "description": "Take the turns of workflow runs: agents propose, code decides, people sign off.",
        "version": version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "signoff",
                "version": version,
                "runtimeHint": "uvx",
                "runtimeArguments": [{"type": "named", "name": "--with", "value": f"signoff[mcp]=={version}"}],
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "transport": {"type": "stdio"},
            }
        ],
    }


def plugins() -> Mapping[Path, str]:
    """The marketplace of plugins for Claude Code, for the workflows of this repository."""
    kit = installed_files.marketplace(ROOT, "signoff", shipped())
    return {ROOT / path: text for path, text in (*kit.files.items(), *((p, _json(v)) for p, v in kit.merged.items()))}


def needless() -> list[Path]:
    """The files of plugins that are there and are not made any more."""
    made = plugins()
    return [path for path in sorted((ROOT / installed_files.PLUGINS).rglob("*")) if path.is_file() and path not in made]


def _tools(page: Path) -> str:
    """The page on the server with the table of its own tools as they are."""
    rows = [
        f"| `{tool.__name__}` | {_taken(tool)} | {' '.join(str(tool.__doc__).split())} |" for tool in Desk(ROOT).tools()
    ]
    table = "\n".join(["| tool | takes | what it does |", "|---|---|---|", *rows])
    return TOOLS.sub(lambda found: f"{found[1]}{table}\n{found[2]}", page.read_text("utf-8"))


def _taken(tool: Callable[..., object]) -> str:
    return ", ".join(inspect.signature(tool).parameters)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def of_workflow(workflow: Workflow) -> dict[Path, str]:
    home = ROOT / "src" / Path(*workflow.package.split("."))
    made = {}
    for agent in workflow.agents:
        file, contract = home / "agents" / f"{agent.name}.md", agent.contract
        made[file] = agent_files.with_contract(
            file.read_text("utf-8"), agent_files.contract_block(contract.name, contract.schema())
        )
    return made


if __name__ == "__main__":
    for path in needless():
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")
    made = {**generated(), **plugins(), **{path: make() for path, make in drawn().items()}}
    for path, text in made.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"remade {path.relative_to(ROOT)}")
