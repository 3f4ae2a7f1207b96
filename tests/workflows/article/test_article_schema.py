"""The config of an article: each field has a type, closed words are closed, and errors are told with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from article_config import BEGUN, FULL, config, full, written
from pydantic import BaseModel

from signoff.core.errors import DocumentError
from signoff.workflows.article.documents import config_schema
from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc
from signoff.workflows.article.documents.terms import place

ROOT = Path(__file__).parents[3]


def fields(annotation: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every field below a form, through lists and mappings, with what it is."""
    forms = list(_forms(annotation))
    if not forms:
        yield at, annotation
    for form in forms:
        for name, field in form.model_fields.items():
            yield from fields(field.annotation, f"{at}.{name}".removeprefix("."))


def _forms(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _forms(inner)


def given(value: Any, annotation: Any, at: str = "") -> Iterator[str]:
    """The fields that a document sets, named as `fields` does."""
    forms = list(_forms(annotation))
    if not forms:
        yield at
    elif isinstance(value, list):
        for one in value:
            yield from given(one, forms[0], at)
    elif get_origin(annotation) in (dict, Mapping) or _is_free(annotation):
        for one in value.values():
            yield from given(one, forms[0], at)
    else:
        for name, one in value.items():
            yield from given(one, forms[0].model_fields[name].annotation, f"{at}.{name}".removeprefix("."))


def _is_free(annotation: Any) -> bool:
    return getattr(get_origin(annotation), "__name__", "") == "Mapping"


def choices(annotation: Any) -> tuple[str, ...]:
    """The words that a field may hold, when they are a closed list."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    inner = [one for one in get_args(annotation) if one is not NoneType]
    return choices(inner[0]) if len(inner) == 1 and NoneType in get_args(annotation) else ()


@pytest.mark.req("AR-1")
def test_the_document_of_the_tests_sets_every_field_of_the_schema() -> None:
    known = {name for name, _ in fields(ArticleConfig)}
    assert set(given(FULL, ArticleConfig)) == known
    assert len(known) > 230


@pytest.mark.req("AR-1")
def test_every_field_is_read_and_kept() -> None:
    assert config().model_dump(mode="json", exclude_unset=True) == FULL


@pytest.mark.req("AR-1")
@pytest.mark.parametrize(
    ("name", "annotation"), list(fields(ArticleConfig)), ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_closed_list_takes_each_of_its_words_and_no_other(name: str, annotation: Any) -> None:
    words = choices(annotation)
    for word in words:
        assert _set(name, word)
    if words:
        with pytest.raises(DocumentError) as caught:
            _set(name, "other")
        finding = caught.value.findings[0]
        assert "'other'" in finding.problem
        assert all(repr(word) in finding.problem for word in words)
        assert finding.repair.startswith("correct `")
        assert finding.line


def _set(name: str, word: str) -> ArticleConfig:
    plain = full()
    at: Any = plain
    *way, last = name.split(".")
    for step in way:
        at = at[step]
        at = at[0] if isinstance(at, list) else at
    at[last] = word
    return parse_doc(written(plain), "config/x.json")


UNKNOWN = [
    (("topics",), "topics", "rename it to `topic`"),
    (("workflowState", "research", "sumary"), "workflowState.research.sumary", "rename it to `summary`"),
    (("writingAngle", "colour"), "writingAngle.colour", "remove it"),
    (("workflowState", "research", "materials", "cases", 0, "quote"), "materials.cases[0].quote", ""),
    (("workflowState", "research", "competitorContent", "0-sources/en/quench.md", "x"), "quench.md.x", "remove it"),
]  # fmt: skip


@pytest.mark.req("AR-1")
@pytest.mark.parametrize(("way", "path", "repair"), UNKNOWN, ids=[path for _, path, _ in UNKNOWN])
def test_an_unknown_field_is_refused_with_its_path_and_line(way: Any, path: str, repair: str) -> None:
    plain = full()
    at: Any = plain
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = "marker of this test"
    data = written(plain)
    with pytest.raises(DocumentError) as caught:
        parse_doc(data, "config/x.json")
    (finding,) = caught.value.findings
    assert f"{path}` is not a field here; valid: " in finding.problem
    assert repair in finding.repair
    line = data.decode().splitlines()[(finding.line or 0) - 1]
    assert "marker of this test" in line


WRONG: list[tuple[str, Any, str]] = [
    ("workflowState.research.summary.sourceCount", "3", "a whole number"),
    ("workflowState.research.summary.sourceCount", -1, "a whole number"),
    ("workflowState.research.summary.sourceCount", True, "a whole number"),
    ("workflowState.research.materialMix.targetMix.cases", "40 %", "'40%'"),
    ("workflowState.research.materialMix.targetMix.cases", "101%", "'40%'"),
    ("workflowState.research.materialMix.targetMix.cases", 40, "put it in quotes"),
    ("workflowState.research.completedAt", "yesterday", "ISO 8601"),
    ("workflowState.research.innovationSpace.skipThesis", "no", "boolean"),
    ("workflowState.research.materials.cases.id", "CASE-1", "CASE-001"),
    ("workflowState.research.materials.cases.id", "EXP-001", "CASE-001"),
    ("workflowState.research.materials.differentiators", ["CASE-0001"], "D001"),
    ("workflowState.research.materials.byPlacement", {"introduction": ["D001"]}, "hook"),
    ("workflowState.research.materials.cases.suggestedPlacement", "H2-0", "introduction"),
    ("workflowState.writing.materialUsage.used.location", "intro", "introduction"),
    ("workflowState.writing.decisions.differentiationApplied.irreplicableInsightsUsed.location", "H3-1", "intro"),
    ("workflowState.writing.decisions.personaExecution.biasAppliedIn", ["a stable bath"], "H2-1: "),
    ("workflowState.writing.decisions.opinionsIncluded", ["H2-1: no brackets"], "[H2-1]: "),
    ("workflowState.research.authorityStrategy.quotePlan.targetCount", "some", "'2-3'"),
    ("topic", "Two Words", "lower-case"),
    ("authorPersona.role", " ", "not empty"),
    ("writingAngle.thesis", "", "not empty"),
]


@pytest.mark.req("AR-1", "AR-7")
@pytest.mark.parametrize(("name", "value", "valid"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
def test_a_wrong_value_is_quoted_with_what_is_valid(name: str, value: Any, valid: str) -> None:
    with pytest.raises(DocumentError) as caught:
        _set(name, value)
    assert valid in str(caught.value)
    assert "Repair: " in str(caught.value)
    assert name.rpartition(".")[2] in str(caught.value)


def test_a_field_that_is_there_twice_is_refused_with_its_line() -> None:
    text = json.dumps(BEGUN, indent=1).replace('"bias"', '"role"')
    with pytest.raises(DocumentError) as caught:
        parse_doc(text.encode(), "config/x.json")
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "a stable bath" in line)
    assert f"config/x.json:{line}: config.form: `authorPersona.role` is there twice" in str(caught.value)


def test_a_file_with_a_byte_order_mark_tabs_and_windows_lines_is_read() -> None:
    text = "\ufeff" + json.dumps(BEGUN, ensure_ascii=False, indent="\t").replace("\n", "\r\n")
    assert parse_doc(text.encode(), "config/x.json") == config(BEGUN)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe{}", b'{"topic": NaN}'])
def test_what_is_no_config_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError):
        parse_doc(data, "config/x.json")


def test_a_config_that_is_only_begun_has_an_empty_state() -> None:
    begun = config(BEGUN)
    assert begun.research == config_schema.Research()
    assert begun.writing == config_schema.Writing()
    assert begun.writingAngle.thesis is None


@pytest.mark.req("AR-2")
def test_the_length_is_standard_where_nothing_else_is_said() -> None:
    assert config({key: value for key, value in BEGUN.items() if key != "articleLength"}).articleLength == "standard"


@pytest.mark.req("AR-1")
def test_the_published_schema_is_that_of_the_models() -> None:
    published = json.loads((ROOT / "schemas/article/config.schema.json").read_text("utf-8"))
    assert published == config_schema.json_schema()
    assert published["additionalProperties"] is False
    assert all(form.get("additionalProperties") is False for form in published["$defs"].values())


@pytest.mark.parametrize(("name", "same"), [("hook", "introduction"), ("intro", "introduction"), ("H2-2", "H2-2")])
def test_a_place_has_one_name_everywhere(name: str, same: str) -> None:
    assert place(name) == same
