"""Facts from documents: in the words of the source, each with a place that the evidence check finds again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff import DocumentError
from signoff.artifacts import yamlio
from signoff.evidence.sources.files import Source, parse_source
from signoff.evidence.sources.locators import Internal, Pdf
from signoff.workflows.solution_page.documents import product_sheet
from signoff.workflows.solution_page.documents.proposed_sheet import new_sheet, with_facts
from signoff.workflows.solution_page.documents.source_facts import SourceFact, extract, holds

pytestmark = pytest.mark.req("EV-15")

EXAMPLES = Path(__file__).parents[3] / "examples"
SHEET = """# Tarn X2

The gateway weighs 460 g and runs for 6 hours on one charge.
Set the interval to 5 seconds before you start.

| Parameter | Value | Unit |
|---|---|---|
| Weight | 460 | g |
| Supply voltage | 9 to 36 | V |
| Colour | grey | - |

- Ingress protection: IP67
- If the link fails, traffic moves within 2 s.

## 中文

整机支持4个以太网口，续航时间6小时。
"""


def source(text: str, path: str = "0-sources/sheet.md") -> Source:
    return parse_source(text.encode(), path)


def said(text: str, path: str = "0-sources/sheet.md") -> list[str]:
    return [fact.text for fact in extract(source(text, path)).facts]


def test_a_data_sheet_gives_its_rows_items_and_sentences() -> None:
    facts = extract(source(SHEET)).facts
    assert [(fact.label, fact.value) for fact in facts[1:3]] == [("Weight", "460 g"), ("Supply voltage", "9 to 36 V")]
    assert facts[1].text in ("Weight: 460 g", "Weight (g): 460")  # the unit stands in a cell of its own
    assert [fact.text for fact in (facts[0], *facts[3:])] == [
        "The gateway weighs 460 g and runs for 6 hours on one charge.",
        "Ingress protection: IP67",
        "整机支持4个以太网口，续航时间6小时。",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Does it run for 6 hours?",
        "Wait 10 seconds, then press the button.",
        "It weighs 460 g and is grey.",
        "The next model will weigh 300 g at most.",
        "You get 6 hours of battery life with it.",
        "For example, a group of 4 devices sends 20 MB a day.",
        "The battery lasts TODO hours, about 6 hours.",
        "Marketing says that the battery lasts 6 hours.",
        "Default value: 30 s",
        "如果断电，设备会在2秒内切换。",
        "请等待10秒后再按下按钮。",
        "Ta metoda wymaga 6 godzin pracy urządzenia bez przerwy.",
        "Fixed a leak of 20 MB in the driver.",
        "~~The battery lasts for 6 hours.~~",
        "<!-- The battery lasts for 6 hours. -->",
    ],
)
def test_what_states_nothing_by_itself_is_no_fact(line: str) -> None:
    assert said(f"# Page\n\n{line}\n") == []
    assert said(f"# Page\n\n{line}\n\nThe battery lasts for 6 hours.\n") == ["The battery lasts for 6 hours."]


def test_a_table_of_several_products_names_the_column() -> None:
    table = "| | X100 | X200 |\n|---|---|---|\n| Weight | 460 g | 520 g |\n"
    facts = extract(source(f"# Models\n\n{table}")).facts
    assert [(fact.text, fact.label, fact.value) for fact in facts] == [
        ("Weight (X100): 460 g", "Weight (X100)", "460 g"),
        ("Weight (X200): 520 g", "Weight (X200)", "520 g"),
    ]
    assert {fact.locator for fact in facts} == {Internal("0-sources/sheet.md", line=5)}


def test_yaml_gives_value_and_unit_together() -> None:
    text = (
        "mechanics:\n  - name: weight\n    value: 460\n    unit: g\n  - name: colour\n    value: grey\nbattery: 6 h\n"
    )
    facts = extract(source(text, "0-sources/sheet.yaml")).facts
    assert [(fact.text, fact.locator.line) for fact in facts if isinstance(fact.locator, Internal)] == [
        ("weight: 460 g", 2),
        ("battery: 6 h", 7),
    ]


def test_html_rows_and_paragraphs_have_lines_or_sections() -> None:
    html = (
        "<html><body><h1>Sheet</h1>\n<p>The battery lasts for 6 hours.</p>\n<script>var x = '7 hours'</script>\n"
        "<h2>Body</h2>\n<table>\n<tr><th>Item</th><th>Value</th></tr>\n<tr>\n<td>Weight</td>\n<td>460 g</td>\n</tr>\n"
        "<tr><td>Height</td><td>12 mm</td></tr>\n</table></body></html>\n"
    )
    facts = {fact.text: fact.locator for fact in extract(source(html, "sheet.html")).facts}
    assert facts["The battery lasts for 6 hours."] == Internal(
        "sheet.html", line=2, excerpt="The battery lasts for 6 hours."
    )
    assert facts["Weight: 460 g"] == Internal("sheet.html", section="Body", excerpt="460 g")
    assert facts["Height: 12 mm"] == Internal("sheet.html", line=11)
    assert len(facts) == 3


def test_pages_of_a_pdf_are_quoted() -> None:
    data = (EXAMPLES / "hardware/0-sources/reports/rondo-test.pdf").read_bytes()
    found = extract(parse_source(data, "0-sources/reports/rondo-test.pdf"))
    held = [fact for fact in found.facts if fact.text == "Unit RN-00417: 28.6 dB"]
    assert [fact.locator for fact in held] == [
        Pdf("0-sources/reports/rondo-test.pdf", page=3, excerpt="Unit RN-00417: 28.6 dB")
    ]
    assert not found.unplaced


def test_a_statement_that_no_locator_leads_to_is_counted_and_left_out() -> None:
    wrapped = extract(source("The battery of the gateway lasts\nfor 6 hours on one charge.\n", "notes.txt"))
    assert wrapped.facts == ()
    assert wrapped.unplaced == ("The battery of the gateway lasts for 6 hours on one charge.",)


WORDS = st.sampled_from(
    ["The battery", "weighs", "460 g", "6 hours", "IP67", "电池", "续航6小时", "|", "- ", "# ", "\n", "\n\n", ". ",
     "。", ": ", "at most", "99.9%", "**", "`", "<b>", "</b>", "<!--", "-->", "~~", "&nbsp;", "1,000 users", "\u200b",
     "X100", "---|---", "4 ports", "of the device", "supports"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=40), st.sampled_from(["a.md", "a.txt", "a.html", "a.yaml"]))
def test_every_fact_passes_the_evidence_check_of_its_own_place(words: list[str], path: str) -> None:
    read = source(" ".join(words), path)
    found = extract(read)
    assert all(holds(fact, read) for fact in found.facts)
    assert len({fact.text for fact in found.facts}) == len(found.facts)


VALUES = st.tuples(
    st.sampled_from(["Weight", "Battery life", "Supply voltage", "续航时间", "重量"]),
    st.integers(1, 99_999),
    st.sampled_from(["g", "kg", "V", "ms", "%", "GB", "小时"]),
)


@given(st.lists(VALUES, min_size=1, max_size=8))
def test_a_changed_number_no_longer_holds_at_the_place(rows: list[tuple[str, int, str]]) -> None:
    table = "\n".join(f"| {label} | {value} {unit} |" for label, value, unit in rows)
    read = source(f"# Sheet\n\n| Item | Value |\n|---|---|\n{table}\n")
    facts = extract(read).facts
    assert facts
    for fact in facts:
        changed = SourceFact(re.sub(r"\d+", lambda number: str(int(number[0]) + 1), fact.text), fact.locator)
        assert not holds(changed, read)


# --- the proposed sheet ----------------------------------------------------------------------------------------------


def test_a_new_sheet_has_the_facts_and_nothing_else() -> None:
    facts = extract(source(SHEET)).facts
    text = new_sheet(facts, "hardware").text
    sheet = yamlio.load_mapping(text, "product.yaml")
    assert [fact["text"] for fact in sheet["facts"]] == [
        {"en": fact.text, "cn": ""} if fact.lang == "en" else {"en": "", "cn": fact.text} for fact in facts
    ]
    assert text.count("# not translated: write it") == sum(3 if fact.label else 1 for fact in facts)
    assert sheet["name"] == {"en": "", "cn": ""}
    with pytest.raises(DocumentError) as refused:
        product_sheet.parse(text, "product.yaml")
    assert any("text.cn" in found.problem for found in refused.value.findings)


def test_a_sheet_with_every_empty_text_written_is_valid() -> None:
    text = new_sheet(extract(source(SHEET)).facts, "hardware").text
    filled = text.replace('""', "'x'").replace(": ''", ": 'x'").replace("url: 'x'", "url: https://example.com/")
    assert product_sheet.parse(filled, "product.yaml").facts


def test_a_sheet_that_is_there_keeps_its_bytes_and_gets_new_facts_only() -> None:
    facts = extract(source(SHEET)).facts
    first = new_sheet(facts[:2], "hardware").text.replace("weighs 460 g", "has a weight of 460 g", 1)
    grown = with_facts(first, "product.yaml", facts)
    assert list(grown.added.values()) == list(facts[2:])
    start = first.index("# Markdown for the template's")
    assert grown.text.startswith(first[: start - 1].rstrip("\n"))
    assert grown.text.endswith(first[start:])
    assert with_facts(grown.text, "product.yaml", facts).text == grown.text


def test_two_sources_that_differ_are_told() -> None:
    facts = [
        fact
        for path, grams in (("a.md", 460), ("b.md", 470))
        for fact in extract(source(f"- Weight: {grams} g\n", path)).facts
    ]
    assert new_sheet(facts, "hardware").differing == (
        "weight is '460 g' in a.md#L1 and weight-2 is '470 g' in b.md#L1",
    )
