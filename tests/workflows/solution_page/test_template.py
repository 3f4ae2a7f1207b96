"""Page templates: the two that ship, and what makes a template contradict itself."""

from __future__ import annotations

import pytest

from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.workflows.solution_page.documents import page_template
from signoff.workflows.solution_page.documents.page_template import BUILTIN, LANGS, load_builtin, parse

SMALL = """\
schema: signoff/page-template@1
name: small
page_type: hardware
value_proposition: value
features: {section: features, level: 4, min: 1, max: 2}
limits:
  value_proposition: {en: [1, 40], cn: [1, 60]}
  page: {en: [1, 1500], cn: [1, 3000]}
sections:
  - {id: value, level: 2, mandatory: true, kind: value, en: Value, cn: 价值}
  - {id: features, level: 2, mandatory: true, kind: features, en: Features, cn: 特性}
  - {id: more, level: 2, mandatory: false, kind: prose, en: More, cn: 更多}
"""


def findings_of(text: str) -> tuple[Finding, ...]:
    with pytest.raises(DocumentError) as caught:
        parse(text, "mine.yaml")
    return caught.value.findings


@pytest.mark.req("SP-11")
@pytest.mark.parametrize(("name", "fewest", "most"), [("hardware", 4, 6), ("algorithm", 3, 4), ("software", 3, 6)])
def test_a_built_in_template_allows_the_features_of_its_page_type(name: str, fewest: int, most: int) -> None:
    built_in = load_builtin(name)
    assert (built_in.page_type, built_in.features.level) == (name, 4)
    assert (built_in.features.min, built_in.features.max) == (fewest, most)
    section = built_in.section(built_in.features.section)
    assert section
    assert section.en == "Technical Features"


@pytest.mark.req("SP-12")
@pytest.mark.parametrize("name", BUILTIN)
def test_a_built_in_template_has_the_limits_of_the_rules(name: str) -> None:
    limits = load_builtin(name).limits
    assert [limits.value_proposition.of(lang) for lang in LANGS] == [(20, 40), (40, 60)]
    assert [limits.page.of(lang) for lang in LANGS] == [(800, 1500), (1500, 3000)]


@pytest.mark.req("SP-11")
@pytest.mark.parametrize("name", BUILTIN)
def test_a_built_in_template_opens_with_the_value_proposition_and_ends_with_next_steps(name: str) -> None:
    mandatory = load_builtin(name).mandatory
    assert (mandatory[0].kind, mandatory[-1].kind) == ("value", "cta")
    assert all(section.mandatory for section in mandatory)


def test_an_unknown_built_in_template_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'brochure'.*algorithm, hardware"):
        load_builtin("brochure")


@pytest.mark.req("SP-11")
def test_a_project_may_bring_its_own_template() -> None:
    own = parse(SMALL, "mine.yaml")
    assert [section.title("cn") for section in own.sections] == ["价值", "特性", "更多"]
    assert [section.title("en") for section in own.mandatory] == ["Value", "Features"]
    assert own.section("absent") is None


@pytest.mark.req("SP-11")
@pytest.mark.parametrize(
    ("before", "after", "line", "problem"),
    [
        ("id: more", "id: value", 12, "a second section has the id 'value'"),
        ("en: More", "en: Value", 12, "a second section has the en 'Value'"),
        ("cn: 更多", "cn: 特性", 12, "a second section has the cn '特性'"),
        ("proposition: value\n", "proposition: more\n", 4, "'more', the sections of kind value are: value"),
        ("{section: features,", "{section: gone,", 5, "'gone', the sections of kind features are: features"),
        ("kind: prose", "kind: features", 5, "the sections of kind features are: features, more"),
        ("kind: value", "kind: prose", 4, "the sections of kind value are: none"),
        ("min: 1, max: 2", "min: 3, max: 2", 5, "`features` goes from 3 to 2"),
        ("cn: [1, 60]", "cn: [61, 60]", 7, "`limits.value_proposition.cn` goes from 61 to 60"),
        ("en: [1, 1500]", "en: [1501, 1500]", 8, "`limits.page.en` goes from 1501 to 1500"),
        (
            "{id: features, level: 2",
            "{id: features, level: 4",
            5,
            "features at level 4 stand under a section of level 4",
        ),
        ("kind: prose", "kind: poem", 12, "`sections[2].kind` is 'poem'; valid: 'value', 'prose'"),
        ("name: small", "name: My Page", 2, "`name` is 'My Page'; valid: lower-case letters"),
        ("template@1", "template@9", 1, "`schema` is 'signoff/page-template@9'; valid: 'signoff/page-template@1'"),
        ("mandatory: false", "mandatroy: false", 12, "`sections[2].mandatroy` is not a field here; valid: id, level"),
        ("[1, 1500]", "[1]", 8, "`limits.page.en[1]` is missing"),
        ("level: 2, mandatory: false", "level: 1, mandatory: false", 12, "valid: the heading level, 2 to 6"),
    ],
)
def test_a_template_that_contradicts_itself_is_refused_at_its_line(
    before: str, after: str, line: int, problem: str
) -> None:
    assert before in SMALL
    found = next(one for one in findings_of(SMALL.replace(before, after, 1)) if problem in one.problem)
    assert (found.file, found.line) == ("mine.yaml", line)
    assert found.repair


def test_an_empty_template_names_every_field_that_is_missing() -> None:
    problems = [finding.problem for finding in findings_of("")]
    assert problems[:2] == ["`schema` is missing", "`name` is missing"]
    assert len(problems) == 7


def test_a_misspelt_field_is_repaired_by_name() -> None:
    repairs = [finding.repair for finding in findings_of(SMALL.replace("page_type:", "pagetype:"))]
    assert "rename it to `page_type`" in repairs


def test_a_place_reads_as_people_write_it() -> None:
    assert page_template.place(("facts", 0, "text", "cn")) == "facts[0].text.cn"
