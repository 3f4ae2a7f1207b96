"""Closed values of an article have a name in English and in Chinese: both are taken, one is stored, one is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
from article_agents import but
from article_config import BEGUN, FULL, written
from article_project import TOPIC, ArticleProject
from pydantic import BaseModel, TypeAdapter, ValidationError

from signoff.artifacts.yaml_forms import OneOf, closed_fields, with_values
from signoff.core.declarations import Parameter
from signoff.core.errors import DocumentError, UsageError
from signoff.core.terms import Terms
from signoff.service import request_names
from signoff.surfaces.cli.workflow_options import checked_values, option
from signoff.workflows.article import places
from signoff.workflows.article.config import Config
from signoff.workflows.article.config import parse_doc as settings
from signoff.workflows.article.documents import materials
from signoff.workflows.article.documents.config_schema import ArticleConfig, json_schema, parse_doc
from signoff.workflows.article.documents.materials import Found
from signoff.workflows.article.documents.terms import DEPTHS, USER_TYPES
from signoff.workflows.article.workflow import CONTRACTS, WORKFLOW

pytestmark = pytest.mark.req("LB-10")

FORMS: Mapping[str, type[BaseModel]] = {"config": ArticleConfig, "settings": Config, **materials.FORMS}
FIELDS = [(f"{name}: {path}", terms) for name, form in FORMS.items() for path, terms in closed_fields(form)]
PARAMETERS = [one for one in WORKFLOW.parameters if one.choices]
LANGUAGES = ("en", "zh")


def named(kind: Any, data: Any, language: str) -> Any:
    """A config in which every closed value is written by its name in a language."""
    known = dict(closed_fields(kind))

    def walked(value: Any, at: str) -> Any:
        if isinstance(value, dict):
            below = {name: walked(one, f"{at}.{name}" if at else name) for name, one in value.items()}
            return below if at != "workflowState.research.competitorContent" else value
        if isinstance(value, list):
            return [walked(one, at) for one in value]
        return known[at].name(value, language) if at in known and isinstance(value, str) else value

    return walked(data, "")


# --- the lists --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("field", "terms"), FIELDS, ids=[field for field, _ in FIELDS])
def test_a_field_takes_every_value_and_every_name_and_stores_the_value(field: str, terms: Terms) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(Annotated[str, OneOf(terms)])
    for one in terms.terms:
        for given in (one.value, one.name("en"), one.name("zh")):
            assert adapter.validate_python(given) == one.value, field


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("field", "terms"), FIELDS, ids=[field for field, _ in FIELDS])
def test_an_error_of_a_field_lists_what_is_valid_in_the_language(field: str, terms: Terms, language: str) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(Annotated[str, OneOf(terms)])
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python("nothing of the kind", context={"language": language})
    [error] = caught.value.errors()
    *most, last = (f"'{name}'" for name in terms.names(language))
    assert error["msg"] == f"{', '.join(most)} or {last}", field


@pytest.mark.parametrize(("field", "terms"), FIELDS, ids=[field for field, _ in FIELDS])
def test_english_names_are_latin_and_chinese_names_are_han(field: str, terms: Terms) -> None:
    assert all(name.isascii() for name in terms.names("en")), field
    assert all(any("\u4e00" <= char <= "\u9fff" for char in name) for name in terms.names("zh")), field


def test_no_closed_value_of_a_form_lacks_names() -> None:
    def enums(schema: Any) -> Iterator[tuple[str, ...]]:
        for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
            yield from enums(part)
        if isinstance(schema, dict) and ("enum" in schema or "const" in schema):
            yield tuple(schema.get("enum") or [schema["const"]])

    known = {terms.values for _, terms in FIELDS}
    found = {values for form in FORMS.values() for values in enums(form.model_json_schema())}
    assert found == known


# --- the config -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_config_in_names_is_the_config_in_values(language: str) -> None:
    translated = named(ArticleConfig, FULL, language)
    assert translated != FULL
    assert parse_doc(written(translated), "config/x.json") == parse_doc(written(FULL), "config/x.json")
    assert with_values(ArticleConfig, translated) == FULL


@pytest.mark.parametrize(
    ("written_language", "valid"),
    [
        ("en", "'basics', 'advanced-tips', 'technical-details', 'overview', 'expert-level'"),
        ("zh", "'入门基础', '进阶技巧', '技术细节', '概述', '专家级'"),
        ("中文", "'入门基础', '进阶技巧', '技术细节', '概述', '专家级'"),
    ],
)
def test_an_error_of_a_config_is_in_the_language_of_the_article(written_language: str, valid: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_doc(written({**BEGUN, "language": written_language, "depth": "shallow"}), "config/x.json")
    [finding] = caught.value.findings
    assert finding.problem.startswith(f"`depth` is 'shallow'; valid: {valid}")
    assert (finding.repair, finding.file) == ("correct `depth`", "config/x.json")


def test_the_published_schema_takes_names_and_that_of_agents_stays_as_it_was() -> None:
    depth = json_schema()["properties"]["depth"]["enum"]
    assert {*DEPTHS.values, *DEPTHS.names("en")} == set(depth)
    assert CONTRACTS["config"].schema()["properties"]["config"]["properties"]["depth"]["enum"] == list(DEPTHS.values)


def test_the_settings_take_either_name() -> None:
    assert settings("search: {where: 网络}\n".encode(), "config.yaml").search.where == "web"


@pytest.mark.parametrize(("claim", "valid"), [("Cracks", "'strong', 'moderate'"), ("未过滤的油槽损失", "'强', '中等'")])
def test_the_file_of_sources_takes_names_and_lists_them_in_its_own_language(claim: str, valid: str) -> None:
    block = f"### D001\n\n- value: 23%\n- claim: {claim}\n- thesisSupport: {{}}\n- suggestedPlacement: H2-1\n"
    text = block + f"- quote: {claim} {claim}\n- url: x\n"
    items, _ = materials.parse(text.format("强"), "f")
    found: Found = items[0].found
    assert found.thesisSupport == "strong"
    [problem] = materials.parse(text.format("sturdy"), "f")[1]
    assert f"valid: {valid}" in problem.problem


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameter", PARAMETERS, ids=[one.name for one in PARAMETERS])
def test_a_parameter_takes_every_name_and_its_help_lists_both_languages(parameter: Parameter) -> None:
    for one in parameter.terms.terms:
        for given in (one.value, one.name("en"), one.name("zh")):
            assert checked_values([parameter], {parameter.name: given}) == {parameter.name: one.value}
    shown = option(parameter).annotation.__metadata__[0]
    assert shown.metavar == "|".join(parameter.terms.names("en"))
    assert f"In Chinese: {', '.join(parameter.terms.names('zh'))}." in shown.help


@pytest.mark.parametrize(
    ("language", "valid"), [("en", "newcomer, non-specialist, practitioner"), ("zh", "入门新手, 非专业人士, 实操者")]
)
def test_a_wrong_parameter_is_answered_in_the_language_of_the_run(language: str, valid: str) -> None:
    given = dict.fromkeys((one.name for one in WORKFLOW.parameters), None)
    with pytest.raises(UsageError, match=rf"^--user is '牙医'\. Valid: {valid}"):
        checked_values(WORKFLOW.parameters, {**given, "language": language, "user": "牙医"})


@pytest.mark.parametrize(
    ("language", "problem", "repair"),
    [
        ("en", "--depth minimal does not suit --user expert", "use --depth expert-level, or leave it out"),
        ("zh", "--depth 极简 does not suit --user 专家", "use --depth 专家级, or leave it out"),
    ],
)
def test_parameters_that_contradict_each_other_are_named_in_the_language(
    language: str, problem: str, repair: str
) -> None:
    params = {"slug": TOPIC, "language": language, "user": "专家", "depth": "极简"}
    [finding] = WORKFLOW.setup.ready(params, lambda _path: None)
    assert (finding.problem, finding.repair) == (problem, repair)


# --- agents and requests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_agent_may_answer_in_names_and_the_file_holds_values(language: str, tmp_path: Path) -> None:
    def in_names(output: dict[str, Any]) -> None:
        output["config"] = named(ArticleConfig, output["config"], language)

    project = ArticleProject.laid_out(tmp_path)
    project.begin()
    project.drive(agents=but("config", in_names))
    made = json.loads(project.text(places.config(TOPIC)))
    assert (made["audience"], made["depth"], made["articleType"]) == ("实操者", "技术细节", "opinion")
    assert not project.asked_again("config-creator")


@pytest.fixture
def waiting(tmp_path: Path) -> ArticleProject:
    """An article that waits for a person who chooses its thesis; its theses recommend depths."""
    project = ArticleProject.laid_out(tmp_path)
    project.begin()
    project.drive()
    return project


def shown(project: ArticleProject, language: str) -> Mapping[str, Any]:
    """The request as the inbox prints it, if the run is in this language."""
    journal = project.root / f"_workflow/article/{TOPIC}/journal.jsonl"
    journal.write_text(journal.read_text("utf-8").replace('"language":"en"', f'"language":"{language}"', 1), "utf-8")
    status = json.loads(project.text(f"_workflow/article/{TOPIC}/status.json"))
    [request] = request_names.named({"project": str(project.root), **status})
    return request


def test_an_english_run_is_asked_in_english_names_and_keeps_its_values(waiting: ArticleProject) -> None:
    [ask] = waiting.state.requests.values()
    stored = json.dumps(ask.notes["about"], ensure_ascii=False)
    assert any(value in stored for value in DEPTHS.values), "the test is about a depth that a thesis recommends"
    request = shown(waiting, "en")
    assert request["options"] == list(ask.options)
    assert not any(value in json.dumps(request, ensure_ascii=False) for value in DEPTHS.values)
    assert "technical-details" in request["about"]["thesis-1"] or "expert-level" in request["about"]["thesis-1"]


def test_a_chinese_run_is_asked_in_chinese_names(waiting: ArticleProject) -> None:
    request = shown(waiting, "zh")
    assert request["options"][:2] == ["论点-1", "论点-2"]
    assert request["options"][3:6] == ["自拟-质疑", "自拟-认同", "自拟-辨析"]
    assert "(质疑, " in request["about"]["论点-1"]


def test_every_option_of_an_article_has_a_name_in_both_languages(waiting: ArticleProject) -> None:
    options = {"thesis-1", "thesis-2", "thesis-3", "own-challenge", "own-confirm", "own-nuance", "none"}
    options |= {"acknowledge", "back", "adopt", "keep", "own"}
    for value in options:
        assert WORKFLOW.views.terms.name(value, "en") == value
        chinese = WORKFLOW.views.terms.name(value, "zh")
        assert chinese != value
        assert WORKFLOW.views.terms.value(chinese) == value
    [ask] = waiting.state.requests.values()
    assert set(ask.options) <= options
    assert set(USER_TYPES.values).isdisjoint(WORKFLOW.views.terms.values), "a reader is named in no request"
