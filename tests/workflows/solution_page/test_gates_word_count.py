"""The word-count gate (SP-12): every limit is included, and one word beyond it fails."""

from __future__ import annotations

import pytest

from signoff.artifacts.markdown import parse
from signoff.core.findings import Finding
from signoff.workflows.solution_page.documents.page_template import Lang, load_builtin
from signoff.workflows.solution_page.gates import word_count

HARDWARE = load_builtin("hardware")
FILE = "page.md"
WORD = {"en": "word ", "cn": "字"}
HEAD = {"en": "## Value Proposition", "cn": "## 价值主张"}
HEAD_LENGTH = {"en": 2, "cn": 4}


def page(lang: Lang, value: int, total: int) -> str:
    rest = total - value - HEAD_LENGTH[lang]
    return f"{HEAD[lang]}\n\n{WORD[lang] * value}\n\n{WORD[lang] * rest}\n"


def check(text: str, lang: Lang) -> list[Finding]:
    return word_count(parse(text), HARDWARE, lang, FILE)


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(
    ("lang", "value", "passes"),
    [
        ("en", 19, False), ("en", 20, True), ("en", 40, True), ("en", 41, False),
        ("cn", 39, False), ("cn", 40, True), ("cn", 60, True), ("cn", 61, False),
    ],
)  # fmt: skip
def test_the_value_proposition_has_20_to_40_words_or_40_to_60_characters(lang: Lang, value: int, passes: bool) -> None:
    found = [(finding.rule, finding.line) for finding in check(page(lang, value, 1500), lang)]
    assert found == ([] if passes else [("word-count.value-proposition", 3)])


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(
    ("lang", "total", "passes"),
    [
        ("en", 799, False), ("en", 800, True), ("en", 1500, True), ("en", 1501, False),
        ("cn", 1499, False), ("cn", 1500, True), ("cn", 3000, True), ("cn", 3001, False),
    ],
)  # fmt: skip
def test_the_page_has_800_to_1500_words_or_1500_to_3000_characters(lang: Lang, total: int, passes: bool) -> None:
    found = [(finding.rule, finding.line) for finding in check(page(lang, 40, total), lang)]
    assert found == ([] if passes else [("word-count.page", 1)])


def test_a_finding_says_the_length_the_limits_and_how_much_to_add_or_cut() -> None:
    short, long = check(page("en", 17, 1503), "en")
    assert (short.problem, short.repair) == (
        "the value proposition has 17 words, it must have 20 to 40", "add at least 3",
    )  # fmt: skip
    assert (long.problem, long.repair) == ("the page has 1503 words, it must have 800 to 1500", "cut at least 3")
    assert check(page("cn", 40, 1490), "cn")[0].problem == "the page has 1490 characters, it must have 1500 to 3000"
    assert short.file == long.file == FILE


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(
    "added", ["<!-- one two -->", "`code`", "![alt text](a.png)", "— … !", "<!-- claim_id: C-AB-001 -->"]
)
def test_comments_code_and_punctuation_do_not_count(added: str) -> None:
    text = page("en", 40, 1500).replace("word word", f"word {added} word", 1)
    assert check(text, "en") == []
    assert check(text + "\n```\nmore words\n```\n", "en") == []


@pytest.mark.req("SP-12")
@pytest.mark.parametrize("added", ["### Heading", "| Cell |\n|---|", "[link](https://example.com/a)", "- item"])
def test_headings_tables_links_and_lists_count(added: str) -> None:
    text = page("en", 40, 1500)
    assert [finding.rule for finding in check(f"{text}\n{added}\n", "en")] == ["word-count.page"]


@pytest.mark.req("SP-12")
def test_only_the_first_paragraph_of_the_value_proposition_is_measured() -> None:
    extra = page("en", 30, 1000).replace("## Value Proposition\n\n", "## Value Proposition\n\n- a list\n\n")
    assert check(extra, "en") == []


@pytest.mark.req("SP-12")
def test_a_page_without_value_proposition_fails_and_says_what_to_add() -> None:
    missing = check("word " * 900, "en")
    assert [(finding.rule, finding.line) for finding in missing] == [("word-count.value-proposition", 1)]
    assert missing[0].problem == "there is no section 'Value Proposition' to measure"
    assert missing[0].repair == "begin 'Value Proposition' with a paragraph of 20 to 40 words"
    empty = check(f"# T\n\n## 价值主张\n\n## 行业挑战\n\n{'字' * 1600}", "cn")
    assert [(finding.rule, finding.line) for finding in empty] == [("word-count.value-proposition", 3)]
    assert empty[0].problem == "'价值主张' has no paragraph to measure"
    assert empty[0].repair == "begin '价值主张' with a paragraph of 40 to 60 characters"


def test_the_section_is_looked_for_under_the_name_of_the_language() -> None:
    assert [finding.rule for finding in check(page("en", 30, 1000), "cn")][:1] == ["word-count.value-proposition"]
