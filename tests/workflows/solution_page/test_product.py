"""The product sheet: its form, its tags, its published schema, and the example that ships."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence.sources import files as sources
from signoff.evidence.sources import located_claims as agreement
from signoff.evidence.sources import locators
from signoff.workflows.solution_page.documents.page_template import load_builtin
from signoff.workflows.solution_page.documents.product_sheet import PRODUCT_PATH, json_schema, misfits, parse, tags

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "hardware"

SHEET = """\
schema: signoff/product@1
kind: hardware
name: {en: Lamp, cn: 灯}
value_proposition:
  en: Light for desks. {light}
  cn: 桌面照明。{light}
audience:
  - {who: {en: Readers, cn: 读者}, need: {en: Light, cn: 光}}
assets:
  - {id: hero, description: {en: A lamp, cn: 一盏灯}}
facts:
  - id: light
    text: {en: Light of 500 lm, cn: 光通量500流明}
    source: {path: 0-sources/specs/lamp.yaml, line: 3}
    spec: {label: {en: Light, cn: 光通量}, value: {en: 500 lm, cn: 500流明}}
  - id: dimmer
    text: {en: Stepless dimmer, cn: 无级调光}
sections:
  challenges:
    en: Desks are dark.
    cn: 桌面昏暗。
features:
  - title: {en: Dimmer, cn: 调光}
    text:
      en: It dims. {dimmer}
      cn: 可调光。{dimmer}
faq:
  - question: {en: Is it bright?, cn: 亮吗？}
    answer:
      en: It is. {light}
      cn: 亮。{light}
cta:
  text: {en: Try it., cn: 欢迎试用。}
  label: {en: Order, cn: 订购}
  url: https://www.example.com/lamp
"""


def findings_of(text: str) -> tuple[Finding, ...]:
    with pytest.raises(DocumentError) as caught:
        parse(text, PRODUCT_PATH)
    return caught.value.findings


def test_a_sheet_gives_its_facts_and_texts_in_both_languages() -> None:
    sheet = parse(SHEET, PRODUCT_PATH)
    light = sheet.fact("light")
    assert light
    assert light.source == {"path": "0-sources/specs/lamp.yaml", "line": 3}
    assert (light.text.of("en"), light.text.of("cn")) == ("Light of 500 lm", "光通量500流明")
    assert sheet.fact("absent") is None
    assert sheet.keywords.of("en") == sheet.keywords.of("cn") == ()


def test_a_sheet_cannot_be_changed_once_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        parse(SHEET, PRODUCT_PATH).kind = "algorithm"


@pytest.mark.parametrize(
    ("text", "found"),
    [("", ()), ("A. {a} B. {b-2}{c}", ("a", "b-2", "c")), ("多灯。{a}", ("a",)), ("{}", ("",)), ("{a\nb}", ())],
)
def test_tags_are_read_in_order(text: str, found: tuple[str, ...]) -> None:
    assert tags(text) == found


@pytest.mark.parametrize(
    ("before", "after", "line", "rule", "problem", "repair"),
    [
        ("id: dimmer", "id: light", 16, "repeated", "a second entry of facts has the id 'light'", "own id"),
        (
            "id: dimmer",
            "id: Dimmer One",
            16,
            "form",
            "`facts[1].id` is 'Dimmer One'; valid: lower-case",
            "`facts[1].id`",
        ),
        ("dims. {dimmer}", "dims. {dimer}", 25, "tag-unknown", "tagged {dimer}, which is no fact", "write {dimmer}"),
        ("dims. {dimmer}", "dims. {xyz}", 25, "tag-unknown", "valid: light, dimmer", "add the fact, or remove"),
        (
            "亮。{light}",
            "亮。",
            31,
            "tags-differ",
            "`faq[0].answer` has {light} 1 more in en than in cn",
            "add {light} in cn",
        ),
        ("桌面昏暗。", "桌面昏暗。{light}", 20, "tags-differ", "{light} 1 more in cn than in en", "add {light} in en"),
        ("en: Lamp,", "en: 'Lamp {light}',", 3, "tag-place", "`name.en` carries the tag {light}", "remove the tag"),
        (
            "en: Stepless dimmer",
            "en: 'Dimmer {light}'",
            17,
            "tag-place",
            "`facts[1].text.en` carries",
            "remove the tag",
        ),
        ("value: {en: 500 lm", "value: {en: '500 lm {light}'", 15, "tag-place", "`facts[0].spec.value.en`", "remove"),
        (
            "kind: hardware",
            "kind: gadget",
            2,
            "form",
            "`kind` is 'gadget'; valid: 'hardware', 'algorithm' or 'software'",
            "`kind`",
        ),
        (", cn: 无级调光", "", 17, "form", "`facts[1].text.cn` is missing", "add `cn`"),
        ("cn: 无级调光", "cn: ' '", 17, "form", "`facts[1].text.cn` is ' '; valid: text, not empty", "correct"),
        ("en: 500 lm", "en: 500", 15, "form", "`facts[0].spec.value.en` is 500; valid: text", "quotes: '500'"),
        ("line: 3", "version: 2.3", 14, "form", "`facts[0].source.version` is 2.3; valid: text or a whole", "version"),
        (
            "source:",
            "sources:",
            14,
            "form",
            "`facts[0].sources` is not a field here; valid: id, text, source",
            "`source`",
        ),
        (
            "com/lamp",
            "com/a lamp",
            35,
            "form",
            "`cta.url` is 'https://www.example.com/a lamp'; valid: an address",
            "`cta.url`",
        ),
        (
            "product@1",
            "product@2",
            1,
            "form",
            "`schema` is 'signoff/product@2'; valid: 'signoff/product@1'",
            "`schema`",
        ),
    ],
)
def test_a_wrong_sheet_is_refused_with_line_problem_and_repair(
    before: str, after: str, line: int, rule: str, problem: str, repair: str
) -> None:
    assert before in SHEET
    found = next(one for one in findings_of(SHEET.replace(before, after, 1)) if problem in one.problem)
    assert (found.file, found.line, found.rule) == (PRODUCT_PATH, line, f"product.{rule}")
    assert repair in found.repair


def test_every_fault_of_a_sheet_is_told_at_once_and_only_once() -> None:
    broken = SHEET.replace("dims. {dimmer}", "dims. {x}").replace("桌面照明。{light}", "桌面照明。")
    assert [finding.rule for finding in findings_of(broken)] == ["product.tags-differ", "product.tag-unknown"]


def test_a_text_where_a_list_is_wanted_is_told_in_the_words_of_yaml() -> None:
    problems = [finding.problem for finding in findings_of(SHEET.replace("assets:\n  -", "assets:\n  first:"))]
    assert problems == ["`assets` is a mapping; valid: a list"]


def test_tags_may_change_their_order_between_languages_but_not_their_number() -> None:
    both = SHEET.replace("It dims. {dimmer}", "A. {dimmer} B. {light}").replace(
        "可调光。{dimmer}", "乙。{light} 甲。{dimmer}"
    )
    assert parse(both, PRODUCT_PATH)
    twice = both.replace("B. {light}", "B. {light} C. {light}")
    assert [finding.rule for finding in findings_of(twice)] == ["product.tags-differ"]


@pytest.mark.parametrize(
    ("template", "rules"),
    [
        ("hardware", {"section-missing": 2, "features": 1}),
        ("algorithm", {"kind": 1, "section-missing": 2, "features": 1}),
    ],
)
def test_a_sheet_that_cannot_fill_the_template_says_what_is_missing(template: str, rules: dict[str, int]) -> None:
    found = [
        finding.rule for finding in misfits(parse(SHEET, PRODUCT_PATH), load_builtin(template), SHEET, PRODUCT_PATH)
    ]
    assert {rule: found.count(f"product.{rule}") for rule in rules} == rules
    assert len(found) == sum(rules.values())


def test_a_section_the_template_does_not_have_is_named_with_those_it_has() -> None:
    text = SHEET.replace("  challenges:", "  chalenges:")
    found = misfits(parse(text, PRODUCT_PATH), load_builtin("hardware"), text, PRODUCT_PATH)
    unknown = next(finding for finding in found if finding.rule == "product.section-unknown")
    assert unknown.line == 19
    assert "'chalenges'; valid: challenges, solution-overview" in unknown.problem


def test_a_template_with_specifications_wants_a_fact_with_a_spec() -> None:
    text = "\n".join(line for line in SHEET.splitlines() if not line.startswith("    spec:"))
    found = misfits(parse(text, PRODUCT_PATH), load_builtin("hardware"), text, PRODUCT_PATH)
    assert "give at least one fact a `spec`" in [finding.repair for finding in found]


def test_the_published_schema_is_the_generated_one() -> None:
    published = (ROOT / "schemas" / "product.schema.json").read_text(encoding="utf-8")
    assert published == json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


# --- the example --------------------------------------------------------------------------------------------------


def opened(path: str) -> sources.Source | None:
    file = EXAMPLE / path
    return sources.parse_source(file.read_bytes(), path) if file.is_file() else None


def test_the_example_fills_the_hardware_template() -> None:
    text = (EXAMPLE / PRODUCT_PATH).read_text(encoding="utf-8")
    assert misfits(parse(text, PRODUCT_PATH), load_builtin("hardware"), text, PRODUCT_PATH) == ()


def test_every_fact_of_the_example_holds_against_its_source() -> None:
    sheet = parse((EXAMPLE / PRODUCT_PATH).read_text(encoding="utf-8"), PRODUCT_PATH)
    web = [f"0-sources/web/{file.name}" for file in (EXAMPLE / "0-sources" / "web").iterdir()]
    snapshots = {path: source for path in web if (source := opened(path))}
    kinds = set()
    for fact in sheet.facts:
        locator = locators.parse(dict(fact.source or {}))
        texts = [fact.text.en, fact.text.cn]
        kinds.add(type(locator))
        checked = agreement.check(fact.id, texts, [locator], opened, PRODUCT_PATH, None, snapshots=snapshots)
        assert checked.findings == ()
    assert kinds == set(locators.KINDS.values())


def test_the_examples_pdf_is_made_from_its_text_byte_for_byte() -> None:
    make_pdf = runpy.run_path(str(ROOT / "examples" / "make_pdf.py"))["make_pdf"]
    text = (EXAMPLE / "pdf" / "rondo-test.txt").read_text(encoding="ascii")
    assert make_pdf(text) == (EXAMPLE / "0-sources" / "reports" / "rondo-test.pdf").read_bytes()
