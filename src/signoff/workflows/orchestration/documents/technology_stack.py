"""`technology_stack.json`: the technologies by layer, each with its reasons and its rejected alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from pydantic import ConfigDict, Field

from signoff.artifacts import jsonio
from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.ids import Epoch, TaskId


class Layer(Form):
    """One layer: free keys such as primary, language or framework name what was chosen."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)

    rationale: Text
    alternatives_considered: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    @property
    def chosen(self) -> dict[str, str]:
        """The chosen technologies by their keys."""
        return dict(self.__pydantic_extra__ or {})


class Choices(Form):
    """What an architect gives."""

    technology_stack: dict[str, Layer] = Field(min_length=1)
    architecture_patterns: tuple[str, ...] = ()
    integration_requirements: tuple[str, ...] = ()
    performance_targets: dict[str, str] = Field(default_factory=dict)
    security_requirements: tuple[str, ...] = ()


class Stack(Choices):
    """The file: the choices with task and date."""

    task_id: TaskId
    created: Epoch


parse = jsonio.parser(Stack, "stack")
render = jsonio.render


# --- the technologies that a stack names ------------------------------------------------------------------------------

_REMARKS: Final = frozenset({"purpose", "note", "notes", "description", "reason"})
"""Keys of a layer that name no technology."""
_NOTHING: Final = frozenset({"", "-", "none", "no", "n/a", "na", "tbd", "not applicable", "not needed", "undecided"})
_VERSION: Final = r"(?:v(?:ersion\s)?\s?)?([~^<>=]*\s?\d[\w.*+-]*(?:\sLTS\b)?)"
_VERSIONED: Final = re.compile(rf"(?P<name>\S.*?)\s{_VERSION}(?=\s|$)", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\s*\([^()]*\)")
_BETWEEN: Final = re.compile(r"\s*[,;]\s+|\s+(?:[+&/]|and|with)\s+")
_SIGNS: Final = {"++": "pp", "#": "sharp", ".net": "dotnet"}
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Technology:
    """One technology of the stack; `slug` names its file in the library of research."""

    slug: str
    name: str
    version: str
    layer: str


def technologies(stack: Choices) -> tuple[Technology, ...]:
    """The technologies of a stack in its order, each once."""
    found: dict[str, Technology] = {}
    for layer, chosen in stack.technology_stack.items():
        for name, version in _chosen(chosen.chosen):
            one = Technology(slug(name, version), name, version, layer)
            found.setdefault(one.slug, one)
    return tuple(found.values())


def _chosen(chosen: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names and versions in a layer's free keys. `version` belongs to the first name, `x_version` to `x`."""
    apart = {key: squeeze(text) for key, text in chosen.items() if key.split("_")[-1] == "version"}
    first = True
    for key, text in chosen.items():
        if key in apart or key.casefold() in _REMARKS:
            continue
        for name, version in _read(text):
            yield name, version or apart.get(f"{key}_version", apart.get("version", "") if first else "")
            first = False


def _read(text: str) -> Iterator[tuple[str, str]]:
    """`PostgreSQL 15, Redis 7 (cache)` names two; if a part has many words, the whole text names one."""
    whole = squeeze(_ASIDE.sub(" ", text)) or squeeze(text).strip("()")
    parts = _BETWEEN.split(whole)
    for part in parts if all(0 < len(part.split()) <= 4 for part in parts) else [whole]:
        if part.casefold() not in _NOTHING:
            found = _VERSIONED.match(part)
            yield (found["name"], found[2]) if found else (part, "")


def slug(name: str, version: str) -> str:
    """Lower-case ASCII letters and digits, joined by hyphens, with a digest if the name has other characters."""
    plain = f"{name} {version}".strip().casefold()
    for sign, said in _SIGNS.items():
        plain = plain.replace(sign, said)
    found = "-".join(re.findall(r"[a-z0-9]+", plain))
    if plain.isascii() and len(found) <= _LONGEST and found:
        return found
    return f"{found[:_LONGEST]}-{sha256(plain.encode()).hexdigest()[:8]}".strip("-")
