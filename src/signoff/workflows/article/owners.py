"""Who may write which field of the config. Every field has one owner; what anybody else gives for it is refused.

A path names a field and all below it; the longest path that fits decides.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo

from signoff.artifacts.forms import Form, said
from signoff.core.findings import Finding
from signoff.workflows.article.schema import RULE, ArticleConfig

Owner: TypeAlias = Literal[
    "config-creator", "web-researcher 1", "web-researcher 2", "rounds", "person", "outline-writer", "code"
]
Path: TypeAlias = tuple[str, ...]

_RESEARCH: Final = "workflowState.research"
_WRITING: Final = "workflowState.writing"
_CONFIG: Final = (
    "topic", "language", "audienceFramework", "articleType", "articleLength", "audience", "depth", "authorPersona",
    "buyerJourney", "internalLinks", "products",
)  # fmt: skip
_PHASE_1: Final = (
    "competitorContent", "competitorAnalysis", "innovationSpace.level", "innovationSpace.reason",
    "innovationSpace.signals", "executionDifferentiation", "gaps", "controversies", "coreThesis", "recommendedTheses",
)  # fmt: skip
_PHASE_2: Final = (
    "insights", "differentiation", "thesisValidation", "writingAdvice", "userVoices", "authorityStrategy",
    "materials.byThesisRelevance", "materials.byPlacement", "materials.differentiators",
)  # fmt: skip
_ROUNDS: Final = ("materials.cases", "materials.expertExplanations", "materials.debates")
_RESEARCH_CODE: Final = (
    "status", "completedAt", "urlCache", "summary", "materialMix", "innovationSpace.strategy",
    "innovationSpace.skipThesis",
)  # fmt: skip
_WRITER: Final = (
    "outline.introFramework", "outline.conclusionType", "buyerJourney", "materialUsage.used", "materialUsage.skipped",
    "materialUsage.borrowed", "decisions",
)  # fmt: skip
_WRITING_CODE: Final = (
    "status", "completedAt", "outline.h2Count", "outline.structure", "outline.funnelStage", "execution",
    "materialUsage.differentiatorCoverage", "decisions.internalLinks.totalCount", "decisions.productMentions.count",
)  # fmt: skip
_ANGLE: Final = ("thesis", "stance", "proofPoints", "recommendedDepth", "depthMismatchAcknowledged")


def _below(head: str, fields: Iterable[str], owner: Owner) -> dict[str, Owner]:
    return {f"{head}.{name}" if head else name: owner for name in fields}


OWNERS: Final[Mapping[str, Owner]] = {
    **_below("", _CONFIG, "config-creator"),
    **_below("writingAngle", _ANGLE, "person"),
    "writingAngle.pending": "code",
    **_below(_RESEARCH, _PHASE_1, "web-researcher 1"),
    **_below(_RESEARCH, _PHASE_2, "web-researcher 2"),
    **_below(_RESEARCH, _ROUNDS, "rounds"),
    **_below(_RESEARCH, _RESEARCH_CODE, "code"),
    **_below(_WRITING, _WRITER, "outline-writer"),
    **_below(_WRITING, _WRITING_CODE, "code"),
}

BELONGS: Final[Mapping[Owner, str]] = {
    "config-creator": "belongs to config-creator (step 1)",
    "web-researcher 1": "belongs to web-researcher, phase 1 (step 2)",
    "person": "belongs to the person (step 3)",
    "web-researcher 2": "belongs to web-researcher, phase 2 (step 4)",
    "rounds": "is recorded from the items of the rounds whose quotes were found (step 4)",
    "outline-writer": "belongs to outline-writer (step 5)",
    "code": "is computed by code",
}

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "config": (
        "topic", "language", "audienceFramework", "articleType", "audience", "depth", "authorPersona",
        "authorPersona.role", "authorPersona.bias",
    ),
    "phase-1": (
        "workflowState", _RESEARCH, *(f"{_RESEARCH}.{name}" for name in ("competitorAnalysis", "innovationSpace")),
        *(f"{_RESEARCH}.innovationSpace.{name}" for name in ("level", "reason", "signals")),
        f"{_RESEARCH}.executionDifferentiation",
    ),
    "phase-2": (
        "workflowState", _RESEARCH, *(f"{_RESEARCH}.{name}" for name in ("insights", "differentiation", "materials")),
        f"{_RESEARCH}.writingAdvice", f"{_RESEARCH}.materials.byPlacement",
    ),
    "outline": (
        "workflowState", _WRITING, f"{_WRITING}.outline", f"{_WRITING}.outline.introFramework",
        f"{_WRITING}.outline.conclusionType",
    ),
    "draft": (
        "workflowState", _WRITING, f"{_WRITING}.materialUsage", f"{_WRITING}.materialUsage.used",
        f"{_WRITING}.decisions", f"{_WRITING}.decisions.personaExecution", f"{_WRITING}.decisions.hookUsed",
    ),
}  # fmt: skip
"""By output contract: the fields that the file may lack until then, and that this output has to bring."""


# --- the tree of fields -----------------------------------------------------------------------------------------------


def form_of(annotation: Any) -> type[BaseModel] | None:
    """The form of a field that holds one, as it is or optional; lists and free mappings are no forms."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, UnionType):
        inner = [one for one in get_args(annotation) if one is not NoneType]
        return form_of(inner[0]) if len(inner) == 1 else None
    return None


def leaf_paths(form: type[BaseModel] = ArticleConfig, at: Path = ()) -> Iterator[Path]:
    """Every field that is set as a whole: values, lists, and mappings whose keys are free."""
    for name, field in form.model_fields.items():
        if inner := form_of(field.annotation):
            yield from leaf_paths(inner, (*at, name))
        else:
            yield (*at, name)


def owner_of(path: Iterable[str]) -> Owner | None:
    """The owner of a field; None for a section that several share."""
    steps = tuple(path)
    heads = (".".join(steps[:end]) for end in range(len(steps), 0, -1))
    return next((OWNERS[head] for head in heads if head in OWNERS), None)


def leaves(
    patch: Mapping[str, Any], form: type[BaseModel] = ArticleConfig, at: Path = ()
) -> Iterator[tuple[Path, Any]]:
    """What a patch sets: sections are gone through, everything else is one value, unknown fields included."""
    for name, value in patch.items():
        field = form.model_fields.get(name)
        inner = form_of(field.annotation) if field else None
        if inner and isinstance(value, Mapping):
            yield from leaves(value, inner, (*at, name))
        else:
            yield (*at, name), value


# --- what is refused --------------------------------------------------------------------------------------------------


def refusals(patch: Mapping[str, Any], owner: Owner, file: str) -> list[Finding]:
    """What this owner may not give: fields that nobody knows, and fields of somebody else."""
    return [found for path, value in leaves(patch) if (found := _refusal(path, value, owner, file))]


def _refusal(path: Path, value: Any, owner: Owner, file: str) -> Finding | None:
    name, form = ".".join(path), _form_at(path[:-1])
    if path[-1] not in form.model_fields:
        return _unknown(path, form, owner, file)
    theirs = sorted({found for leaf in _under(path) if (found := owner_of(leaf)) and found != owner})
    if not theirs:
        return None
    if value is None and owner in (owner_of(leaf) for leaf in _under(path)):
        problem = f"`{name}` is empty, and it also holds what {BELONGS[theirs[0]]}"
        return _found("owner", problem, f"leave `{name}` out, or give the fields of it that are yours", file, name)
    problem = (
        f"`{name}` {BELONGS[theirs[0]]}; {_shown(value)} was given by {_named(owner)}, who may give: {_yours(owner)}"
    )
    return _found("owner", problem, f"leave `{name}` out", file, name)


def _unknown(path: Path, form: type[BaseModel], owner: Owner, file: str) -> Finding:
    name, fields = ".".join(path), list(form.model_fields)
    mine = [one for one in fields if any(owner_of(leaf) == owner for leaf in _under((*path[:-1], one)))]
    near = difflib.get_close_matches(path[-1], mine, 1)
    valid = ", ".join(mine) if mine else f"nothing of {_named(owner)}"
    problem = f"`{name}` is not a field here; valid: {valid}"
    return _found("form", problem, f"rename it to `{near[0]}`" if near else "remove it", file, name)


def _found(rule: str, problem: str, repair: str, file: str, about: str) -> Finding:
    return Finding(rule=f"{RULE}.{rule}", problem=problem, repair=repair, file=file, about=about)


def _form_at(path: Path) -> type[BaseModel]:
    form: type[BaseModel] = ArticleConfig
    for name in path:
        inner = form_of(form.model_fields[name].annotation)
        assert inner is not None  # narrows the type: `leaves` goes through forms only
        form = inner
    return form


def _under(path: Path) -> list[Path]:
    return [leaf for leaf in _all_leaves() if leaf[: len(path)] == path]


@cache
def _all_leaves() -> tuple[Path, ...]:
    return tuple(leaf_paths())


def _named(owner: Owner) -> str:
    return "the person" if owner == "person" else owner


def _yours(owner: Owner) -> str:
    return ", ".join(path.removeprefix("workflowState.") for path, known in OWNERS.items() if known == owner)


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, Mapping | list) else f"{type(value).__name__} of {len(value)}"
    return text if len(text) <= 60 else text[:59] + "…"


# --- the part of one owner --------------------------------------------------------------------------------------------


def check_part(patch: Mapping[str, Any], owner: Owner, file: str, contract: str = "") -> list[Finding]:
    """Everything that is wrong with what an owner gives: fields that are not theirs, then types and words."""
    if refused := refusals(patch, owner, file):
        return refused
    form = part_form(owner, contract)
    try:
        form.model_validate(patch)
    except ValidationError as error:
        return said(form, error, file, rule=RULE, line_of=lambda _: None)
    return []


def part(owner: Owner, contract: str = "") -> dict[str, Any]:
    """JSON Schema of what this owner may give, and has to give under this contract (a name of `NEEDED`)."""
    return part_form(owner, contract).model_json_schema()


@cache
def part_form(owner: Owner, contract: str = "") -> type[BaseModel]:
    """The form of the whole file, cut down to what belongs to one owner."""
    return _cut(ArticleConfig, owner, frozenset(NEEDED.get(contract, ())), ())


def _cut(form: type[BaseModel], owner: Owner, needed: frozenset[str], at: Path) -> type[BaseModel]:
    mine: dict[str, Any] = {
        name: _field(field, owner, needed, (*at, name))
        for name, field in form.model_fields.items()
        if any(owner_of(leaf) == owner for leaf in _under((*at, name)))
    }
    return create_model(form.__name__, __base__=Form, __doc__=form.__doc__, **mine)


def _field(field: FieldInfo, owner: Owner, needed: frozenset[str], path: Path) -> tuple[Any, Any]:
    """A field as the file has it; what the file may lack has to be given where it is needed.

    What the file has from the start is asked for under a contract alone, so that one field can be given by itself.
    """
    inner = form_of(field.annotation)
    kind: Any = _cut(inner, owner, needed, path) if inner else field.rebuild_annotation()
    if ".".join(path) in needed or (len(path) > 1 and field.is_required()):
        return _without_none(kind), ...
    return (kind | None, None) if inner else (kind, None if field.is_required() else field.default)


def _without_none(kind: Any) -> Any:
    """The kind of a field that has to be given: `None` is no value for it."""
    return reduce(or_, (one for one in get_args(kind) if one is not NoneType)) if NoneType in get_args(kind) else kind
