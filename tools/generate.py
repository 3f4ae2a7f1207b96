"""Remakes what is generated: the command reference, schemas, output contracts in agent files, pictures in READMEs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from signoff.artifacts import contracts
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.surfaces.cli import reference
from signoff.workflows.orchestration import schemas
from signoff.workflows.solution_page import product

ROOT = Path(__file__).parent.parent
PICTURE = re.compile(r"(<!-- picture: generated, do not edit -->\n).*?(\n<!-- end of picture -->)", re.DOTALL)


def generated() -> Mapping[Path, str]:
    """Every generated file with the text it should have now."""
    made = {
        ROOT / "docs/cli.md": reference.render(),
        ROOT / "schemas/product.schema.json": _json(product.json_schema()),
    }
    for name in schemas.SCHEMAS:
        made[ROOT / f"schemas/orchestration/{name}.schema.json"] = _json(schemas.schema(name))
    for name in catalog.names():
        made |= of_workflow(catalog.workflow(name))
    return made


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
