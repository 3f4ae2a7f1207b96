"""Output contracts as text: made from the schema that the validator uses, so the two cannot drift."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BEGIN = "<!-- contract: generated from the schema, do not edit -->"
END = "<!-- end of contract -->"
_BLOCK = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)


def block(name: str, schema: Mapping[str, Any]) -> str:
    """The closing part of an agent file: what its output must look like, to the letter."""
    return (
        f"{BEGIN}\n## Output contract: {name}\n\n"
        "Give one YAML (or JSON) document and nothing else. It is checked against this JSON Schema; "
        "unknown fields are refused.\n\n"
        f"```json\n{json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True)}\n```\n{END}"
    )


def with_block(body: str, current: str) -> str:
    """The body with its contract brought up to date, or added where a project's own file has none."""
    if _BLOCK.search(body):
        return _BLOCK.sub(lambda _: current, body)
    return f"{body.rstrip()}\n\n{current}\n"
