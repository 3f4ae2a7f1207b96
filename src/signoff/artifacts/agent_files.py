"""Agent files: Markdown with a frontmatter that names the agent, its model and its skills, and an output contract."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signoff.artifacts import frontmatter, yamlio
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

FIELDS = ("name", "description", "model", "skills")
RULE = "agent.frontmatter"
BEGIN = "<!-- contract: generated from the schema, do not edit -->"
END = "<!-- end of contract -->"
_BLOCK = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)
_KINDS = {"model": ((str, type(None)), "the name of a model"), "skills": ((str, list, type(None)), "names of skills")}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFile:
    """An agent as a file: its name, its model, the skills that go into its brief, and its prompt."""

    file: str
    name: str
    description: str
    skills: tuple[str, ...]
    body: str
    model: str | None = None


def parse_agent(text: str, file: str) -> AgentFile:
    """Reads an agent file; an unknown field is an error, because it is probably misspelt."""
    head, body = frontmatter.split(text, file, RULE)
    fields = yamlio.load_mapping(head, file)
    problems = frontmatter.unknown(fields, FIELDS, file, head, RULE)
    problems += [
        _finding(file, f"the field {name!r} is missing", f"add `{name}: …`")
        for name in ("name", "description")
        if not isinstance(fields.get(name), str)
    ]
    problems += [
        _finding(file, f"{name} is {fields[name]!r}", f"write {what}")
        for name, (kinds, what) in _KINDS.items()
        if not isinstance(fields.get(name), kinds)
    ]
    if problems:
        raise DocumentError(problems)
    return AgentFile(
        file=file,
        name=fields["name"],
        description=fields["description"],
        model=fields.get("model"),
        skills=_skills(fields.get("skills")),
        body=body,
    )


def _skills(value: Any) -> tuple[str, ...]:
    """Skills as a list, or as names separated by commas."""
    names = value if isinstance(value, list) else str(value or "").split(",")
    return tuple(name.strip() for name in map(str, names) if name.strip())


def _finding(file: str, problem: str, repair: str) -> Finding:
    return Finding(rule=RULE, problem=problem, repair=repair, file=file, line=1)


# --- the output contract at the end of an agent file: from the schema of the validator, so that the two agree ---------


def contract_block(name: str, schema: Mapping[str, Any]) -> str:
    """The last part of an agent file: the exact form of its output."""
    return (
        f"{BEGIN}\n## Output contract: {name}\n\n"
        "Give one YAML (or JSON) document and nothing else. It is checked against this JSON Schema; "
        "unknown fields are refused.\n\n"
        f"```json\n{json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True)}\n```\n{END}"
    )


def with_contract(body: str, current: str) -> str:
    """The body with its contract updated, or added if a project's own file has none."""
    if _BLOCK.search(body):
        return _BLOCK.sub(lambda _: current, body)
    return f"{body.rstrip()}\n\n{current}\n"
