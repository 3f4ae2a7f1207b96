"""What is known of risks: research per technology, checklists per agent type, consultations, PoC specs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, Name
from signoff.workflows.orchestration.stack import Choices

Category = Literal["data_loss", "security", "performance", "availability", "reversibility", "dependencies"]
CATEGORIES: Final[tuple[Category, ...]] = (
    "data_loss", "security", "performance", "availability", "reversibility", "dependencies",
)  # fmt: skip
Level = Literal["low", "medium", "high"]

_REMARKS: Final = frozenset(
    {"purpose", "note", "notes", "description", "reason"}
)  # keys of a layer that choose nothing
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
    """What the stack is made of, in its order; what two layers name is there once."""
    found: dict[str, Technology] = {}
    for layer, chosen in stack.technology_stack.items():
        for name, version in _chosen(chosen.chosen):
            one = Technology(_slug(f"{name} {version}".strip()), name, version, layer)
            found.setdefault(one.slug, one)
    return tuple(found.values())


def is_of(one: Technology, found: Findings) -> bool:
    """Whether research is about this technology and version, by whatever file name it goes."""
    return _slug(f"{found.technology} {found.version}".strip()) == one.slug


def _chosen(chosen: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names and versions that a layer's free keys give. A key `version` is of the first, `x_version` is of `x`."""
    apart = {key: squeeze(text) for key, text in chosen.items() if key.split("_")[-1] == "version"}
    first = True
    for key, text in chosen.items():
        if key in apart or key.casefold() in _REMARKS:
            continue
        for name, version in _read(text):
            yield name, version or apart.get(f"{key}_version", apart.get("version", "") if first else "")
            first = False


def _read(text: str) -> Iterator[tuple[str, str]]:
    """`PostgreSQL 15, Redis 7 (cache)` are two. A part with many words is a remark, so the text is one."""
    whole = squeeze(_ASIDE.sub(" ", text)) or squeeze(text).strip("()")
    parts = _BETWEEN.split(whole)
    for part in parts if all(0 < len(part.split()) <= 4 for part in parts) else [whole]:
        if part.casefold() not in _NOTHING:
            found = _VERSIONED.match(part)
            yield (found["name"], found[2]) if found else (part, "")


def _slug(text: str) -> str:
    """Lower-case ASCII letters and digits, joined by hyphens; where that loses something, a digest tells them apart."""
    plain = text.casefold()
    for sign, said in _SIGNS.items():
        plain = plain.replace(sign, said)
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))
    if plain.isascii() and len(slug) <= _LONGEST and slug:
        return slug
    return f"{slug[:_LONGEST]}-{sha256(plain.encode()).hexdigest()[:8]}".strip("-")


class Practice(Form):
    """One thing that people who know the technology do; `source` says where that is from."""

    practice: Text
    why: Text
    source: Text


class Failure(Form):
    """One way in which the technology is known to fail."""

    pattern: Text
    consequence: Text
    category: Category
    source: Text


class Findings(Form):
    """What research found of one technology in one version."""

    technology: Text
    version: str = ""
    best_practices: tuple[Practice, ...] = ()
    failure_patterns: tuple[Failure, ...] = ()


class Research(Findings):
    """The same as a file of the library has it."""

    researched: Epoch


class Item(Form):
    """One question that a doer is asked of its task."""

    id: Text
    category: Category
    question: Text
    why: Text


class Checklist(Form):
    """What is asked of agents of one type; every category has at least one item."""

    agent_type: Name
    prompt: Text
    items: tuple[Item, ...]


class Risk(Form):
    """One thing that may go wrong in one doer's task. `assumption` is what would have to be true for it not to."""

    id: Text
    category: Category
    description: Text
    assumption: Text
    likelihood: Level
    impact: Level
    evidence: Text
    checklist_item: str = ""


class Consultation(Form):
    """What one doer sees coming in its own task."""

    agent: Name
    risks: tuple[Risk, ...] = ()


class Poc(Form):
    """A trial of one assumption, before the work that rests on it."""

    poc_id: str = Field(pattern=r"^poc_[0-9]{3}$")
    agent: Name
    assumption: Text
    passes: tuple[Text, ...] = Field(alias="pass", min_length=1)
    fails: tuple[Text, ...] = Field(alias="fail", min_length=1)
    evidence: tuple[Text, ...] = Field(min_length=1)
    gates: tuple[Name, ...] = Field(min_length=1)


class PocSpecs(Form):
    """Every PoC of a design, and the risks that are borne without one: both are approved with it."""

    pocs: tuple[Poc, ...] = ()
    borne: dict[str, Text] = Field(default_factory=dict, description="a risk as `named` has it: why it needs no PoC")

    def of(self, poc_id: str) -> Poc | None:
        """The PoC with this id."""
        return next((poc for poc in self.pocs if poc.poc_id == poc_id), None)


def named(consultations: Iterable[Consultation]) -> dict[str, tuple[str, Risk]]:
    """Every risk with its agent, under the id that it was given; `agent:id` where two doers gave the same one."""
    every = [(one.agent, risk) for one in consultations for risk in one.risks]
    often = Counter(risk.id for _, risk in every)
    return {risk.id if often[risk.id] == 1 else f"{agent}:{risk.id}": (agent, risk) for agent, risk in every}


def is_grave(risk: Risk) -> bool:
    """Whether a risk may not stand as it is: its assumption is tried, or somebody says why it is borne."""
    return risk.impact == "high" and risk.likelihood != "low"


def poc_for(risk: Risk, pocs: Iterable[Poc]) -> Poc | None:
    """The PoC that tries what would have to be true for the risk not to come."""
    return next((poc for poc in pocs if squeeze(poc.assumption) == squeeze(risk.assumption)), None)


def parse_research(data: bytes, path: str) -> Research:
    return jsondoc.parse(Research, data, path, rule="research")


def parse_checklist(data: bytes, path: str) -> Checklist:
    return jsondoc.parse(Checklist, data, path, rule="checklist")


def parse_consultation(data: bytes, path: str) -> Consultation:
    return jsondoc.parse(Consultation, data, path, rule="consultation")


def parse_specs(data: bytes, path: str) -> PocSpecs:
    return jsondoc.parse(PocSpecs, data, path, rule="poc")


render = jsondoc.render
