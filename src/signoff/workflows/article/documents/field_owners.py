"""Who may write which field of the config. Every field has one owner; it is refused from others.

A path names a field and all below it; the longest path that fits decides.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo

from signoff.artifacts.yaml_forms import Form, said
from signoff.core.findings import Finding
from signoff.workflows.article.documents.config_schema import RULE, ArticleConfig, Path, form_of, leaf_paths, leaves

Owner: TypeAlias = Literal[
    "config-creator", "web-researcher 1", "web-researcher 2", "rounds", "person", "outline-writer", "code"
]

_OWNERS: Final = """
config-creator   | | topic language audienceFramework articleType articleLength audience depth authorPersona
config-creator   | | buyerJourney internalLinks products
person           | writingAngle. | thesis stance proofPoints recommendedDepth depthMismatchAcknowledged
code             | writingAngle. | pending
web-researcher 1 | workflowState.research. | competitorContent competitorAnalysis innovationSpace.level
web-researcher 1 | workflowState.research. | innovationSpace.reason innovationSpace.signals executionDifferentiation
web-researcher 1 | workflowState.research. | gaps controversies coreThesis recommendedTheses
web-researcher 2 | workflowState.research. | insights differentiation thesisValidation writingAdvice userVoices
web-researcher 2 | workflowState.research. | authorityStrategy materials.byThesisRelevance materials.byPlacement
web-researcher 2 | workflowState.research. | materials.differentiators
rounds           | workflowState.research. | materials.cases materials.expertExplanations materials.debates
code             | workflowState.research. | status completedAt urlCache summary materialMix
code             | workflowState.research. | innovationSpace.strategy innovationSpace.skipThesis
outline-writer   | workflowState.writing. | outline.introFramework outline.conclusionType buyerJourney
outline-writer   | workflowState.writing. | materialUsage.used materialUsage.skipped materialUsage.borrowed decisions
code             | workflowState.writing. | status completedAt outline.h2Count outline.structure outline.funnelStage
code             | workflowState.writing. | execution materialUsage.differentiatorCoverage
code             | workflowState.writing. | decisions.internalLinks.totalCount decisions.productMentions.count
"""
_NEEDED: Final = """
config  | | topic language audienceFramework articleType audience depth authorPersona.role authorPersona.bias
phase-1 | workflowState.research. | competitorAnalysis innovationSpace.level innovationSpace.reason
phase-1 | workflowState.research. | innovationSpace.signals executionDifferentiation
phase-2 | workflowState.research. | insights differentiation materials.byPlacement writingAdvice
outline | workflowState.writing. | outline.introFramework outline.conclusionType
draft   | workflowState.writing. | materialUsage.used decisions.personaExecution decisions.hookUsed
"""


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """The paths of a table, each with what its row begins with."""
    for row in table.strip().splitlines():
        of, head, names = (cell.strip() for cell in row.split("|"))
        yield from ((f"{head}{name}", of) for name in names.split())


OWNERS: Final[Mapping[str, Owner]] = {path: cast(Owner, owner) for path, owner in _rows(_OWNERS)}
BELONGS: Final[Mapping[Owner, str]] = {
    "config-creator": "belongs to config-creator (step 1)",
    "web-researcher 1": "belongs to web-researcher, phase 1 (step 2)",
    "person": "belongs to the person (step 3)",
    "web-researcher 2": "belongs to web-researcher, phase 2 (step 4)",
    "rounds": "is recorded from the items of the rounds whose quotes were found (step 4)",
    "outline-writer": "belongs to outline-writer (step 5)",
    "code": "is computed by code",
}
NEEDED: Final[Mapping[str, frozenset[Path]]] = {
    contract: frozenset(
        tuple(path.split(".")[:end])
        for path, of in _rows(_NEEDED)
        if of == contract
        for end in range(1, path.count(".") + 2)
    )
    for contract in dict.fromkeys(of for _, of in _rows(_NEEDED))
}
"""By output contract: the fields that its output must have, and the sections of these fields."""


def owner_of(path: Iterable[str]) -> Owner | None:
    """The owner of a field; None for a section that several share."""
    steps = tuple(path)
    heads = (".".join(steps[:end]) for end in range(len(steps), 0, -1))
    return next((OWNERS[head] for head in heads if head in OWNERS), None)


@cache
def _owners(path: Path) -> frozenset[Owner]:
    """The owners of a field and of everything below it."""
    return frozenset(owner for leaf in leaf_paths() if leaf[: len(path)] == path and (owner := owner_of(leaf)))


# --- what is refused --------------------------------------------------------------------------------------------------


def refusals(patch: Mapping[str, Any], owner: Owner, file: str) -> list[Finding]:
    """Findings for fields that this owner may not give: unknown fields, and fields of others."""
    return [found for path, value in leaves(patch) if (found := _refusal(path, value, owner, file))]


def _refusal(path: Path, value: Any, owner: Owner, file: str) -> Finding | None:
    def finding(rule: str, problem: str, repair: str) -> Finding:
        return Finding(rule=f"{RULE}.{rule}", problem=problem, repair=repair, file=file, about=name)

    name, form = ".".join(path), _form_at(path[:-1])
    called = "the person" if owner == "person" else owner
    if path[-1] not in form.model_fields:
        mine = [one for one in form.model_fields if owner in _owners((*path[:-1], one))]
        near = difflib.get_close_matches(path[-1], mine, 1)
        valid = ", ".join(mine) if mine else f"nothing of {called}"
        repair = f"rename it to `{near[0]}`" if near else "remove it"
        return finding("form", f"`{name}` is not a field here; valid: {valid}", repair)
    theirs = sorted(_owners(path) - {owner})
    if not theirs:
        return None
    if value is None and owner in _owners(path):
        problem = f"`{name}` is empty, and it also holds what {BELONGS[theirs[0]]}"
        return finding("owner", problem, f"leave `{name}` out, or give the fields of it that are yours")
    shown = repr(value) if not isinstance(value, Mapping | list) else f"{type(value).__name__} of {len(value)}"
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    yours = ", ".join(one.removeprefix("workflowState.") for one, known in OWNERS.items() if known == owner)
    problem = f"`{name}` {BELONGS[theirs[0]]}; {shown} was given by {called}, who may give: {yours}"
    return finding("owner", problem, f"leave `{name}` out")


def _form_at(path: Path) -> type[BaseModel]:
    form: type[BaseModel] = ArticleConfig
    for name in path:
        inner = form_of(form.model_fields[name].annotation)
        assert inner is not None  # narrows the type: `leaves` goes through forms only
        form = inner
    return form


# --- the part of one owner --------------------------------------------------------------------------------------------


def check_part(
    patch: Mapping[str, Any], owner: Owner, file: str, contract: str = "", language: str = "en"
) -> list[Finding]:
    """What is wrong with the fields that an owner gives: fields of others, or else types and values."""
    if refused := refusals(patch, owner, file):
        return refused
    form = part_form(owner, contract)
    try:
        form.model_validate(patch, context={"language": language})
    except ValidationError as error:
        return said(form, error, file, rule=RULE, line_of=lambda _: None)
    return []


@cache
def part_form(owner: Owner, contract: str = "") -> type[BaseModel]:
    """The form of the file with the fields of one owner only; `contract` says which are required."""
    return _cut(ArticleConfig, owner, NEEDED.get(contract, frozenset()), ())


def _cut(form: type[BaseModel], owner: Owner, needed: frozenset[Path], at: Path) -> type[BaseModel]:
    mine: dict[str, Any] = {
        name: _field(field, owner, needed, (*at, name))
        for name, field in form.model_fields.items()
        if owner in _owners((*at, name))
    }
    return create_model(form.__name__, __base__=Form, __doc__=form.__doc__, **mine)


def _field(field: FieldInfo, owner: Owner, needed: frozenset[Path], path: Path) -> tuple[Any, Any]:
    """A field of the file, required if the contract needs it.

    A field that the file always has is required under a contract only, so that a single field can be given.
    """
    inner = form_of(field.annotation)
    kind: Any = _cut(inner, owner, needed, path) if inner else field.rebuild_annotation()
    if path in needed or (len(path) > 1 and field.is_required()):
        some = [one for one in get_args(kind) if one is not NoneType]
        return (reduce(or_, some) if NoneType in get_args(kind) else kind), ...
    return (kind | None, None) if inner else (kind, None if field.is_required() else field.default)
