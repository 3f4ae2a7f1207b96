"""`docs/reference/schemas.md`: the config files with their defaults, and the published JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.service import catalog

HEAD = """\
# Config files and schemas

<!-- Made by `make docs` from the source. Do not edit. -->

## Config files

A run writes the config of its workflow if the project has none. It is your file: agents never write it, and it is read
again at every step.

"""
BETWEEN = """\
What all runs of a project may use together is in `_workflow/budget.yaml`:
[models, keys and budgets](../guides/models.md#budgets).

## JSON Schemas

Point your editor to a schema and it checks a file while you type. The schemas below `outputs/` are what agents give
back; the same contract stands at the end of each agent file in `src/signoff/workflows/*/agents/`.

"""


def render(workflows: Sequence[str], schemas: Mapping[str, Mapping[str, Any]]) -> str:
    """The whole page, for these workflows, and the schemas by their paths below `schemas/`."""
    parts = [HEAD]
    for name in workflows:
        for path, text in catalog.workflow(name).setup.scaffold(lambda _path: None).items():
            parts.append(f"### {name}: `{path}`\n\n```yaml\n{text.strip()}\n```\n\n")
    parts += [BETWEEN, "| schema | what it describes |\n|---|---|\n"]
    parts += [
        f"| [`{path}`](#{_anchor(path)}) | {_cell(schema['description'])} |\n" for path, schema in schemas.items()
    ]
    parts += [_fields(path, schema) for path, schema in schemas.items()]
    return "".join(parts)


def _fields(path: str, schema: Mapping[str, Any]) -> str:
    """The fields of a document, with what is valid for each."""
    lines = [f"\n### `{path}`\n\n[The schema](../../schemas/{path}): {_sentence(schema['description'])}\n\n"]
    forms = [schema] if "properties" in schema else [_of(one, schema) for one in schema.get("oneOf", ())]
    lines.append("| field | type | required | description |\n|---|---|---|---|\n")
    for form in forms:
        for name, field in form.get("properties", {}).items():
            required = "yes" if name in form.get("required", ()) else ""
            lines.append(
                f"| `{name}` | {_type(field, schema)} | {required} | {_cell(field.get('description', ''))} |\n"
            )
    return "".join(lines)


def _of(form: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = form.get("$ref", "")
    return schema["$defs"][reference.rpartition("/")[2]] if reference else form


def _type(field: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if "$ref" in field:
        inner = _of(field, schema)
        return _type(inner, schema) if "enum" in inner else str(field["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in field:
            return " or ".join(dict.fromkeys(_type(one, schema) for one in field[several]))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}), schema)}"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"mapping to {_type(field['additionalProperties'], schema)}"
    return str(field.get("type", "any"))


def _anchor(path: str) -> str:
    """The anchor that a heading with this path gets."""
    return "".join(char for char in path.lower() if char.isalnum() or char in "-_")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].lower() + text[1:].replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
