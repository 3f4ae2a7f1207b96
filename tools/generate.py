"""Remakes what is generated: the references of commands and tools, schemas, contracts of agents, pictures."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from signoff.artifacts import contracts
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.surfaces.cli import reference
from signoff.surfaces.mcp.tools import Desk
from signoff.workflows.article import schema as article
from signoff.workflows.article.definition import CONTRACTS
from signoff.workflows.orchestration import schemas
from signoff.workflows.solution_page import product

ROOT = Path(__file__).parent.parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PICTURE = re.compile(r"(<!-- picture: generated, do not edit -->\n).*?(\n<!-- end of picture -->)", re.DOTALL)
TOOLS = re.compile(r"(<!-- tools: generated, do not edit -->\n).*?(<!-- end of tools -->)", re.DOTALL)


def generated() -> Mapping[Path, str]:
    """Every generated file with the text it should have now."""
    made = {
        ROOT / "docs/cli.md": reference.render(),
        ROOT / "docs/mcp.md": _tools(ROOT / "docs/mcp.md"),
        ROOT / "schemas/product.schema.json": _json(product.json_schema()),
        ROOT / "schemas/article/config.schema.json": _json(article.json_schema()),
    }
    for name, contract in CONTRACTS.items():
        made[ROOT / f"schemas/article/outputs/{name}.schema.json"] = _json(
            {"$schema": DIALECT, **contract.schema(), "title": f"signoff/article/outputs/{name}@1"}
        )
    for name in schemas.SCHEMAS:
        made[ROOT / f"schemas/orchestration/{name}.schema.json"] = _json(schemas.schema(name))
    for name in catalog.names():
        made |= of_workflow(catalog.workflow(name))
    return made


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
    for agent in workflow.agents.values():
        file, contract = home / "agents" / f"{agent.name}.md", workflow.contracts[agent.contract]
        made[file] = contracts.with_block(file.read_text("utf-8"), contracts.block(contract.name, contract.schema()))
    readme = home / "README.md"
    picture = f"```mermaid\n{workflow.picture().strip()}\n```"
    made[readme] = PICTURE.sub(lambda found: found[1] + picture + found[2], readme.read_text("utf-8"))
    return made


if __name__ == "__main__":
    for path, text in generated().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"remade {path.relative_to(ROOT)}")
