"""Statements looked up in many sources: contradicted, unknown, misquoted, and left alone if they hold."""

from __future__ import annotations

import pytest

from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.source_index import SourceIndex, entry
from signoff.evidence.check.source_rules import source_violations

SOURCES = {
    "spec.md": "# Rondo speaker\n\nThe Rondo speaker runs for 12 hours on one charge. It weighs 300 g.\n\n"
    "| model | weight | range |\n|---|---|---|\n| Rondo Mini | 180 g | 10 m |\n| Rondo Max | 950 g | 30 m |\n",
    "talk.md": "# Interview\n\nMaria Silva said: “We heard every word in the last row of the hall.”\n",
    "other.md": "\n".join(f"Sentence {number} speaks of garden tools and apples." for number in range(400)),
    "zh.md": "# 音箱\n\nRondo 音箱一次充电可使用12小时，重量300克。\n",
}


@pytest.fixture(scope="module")
def index() -> SourceIndex:
    texts = list(SOURCES.values())
    return SourceIndex(list(SOURCES), map(entry, texts), texts.__getitem__)


def found(text: str, index: SourceIndex) -> list[tuple[str, int, str]]:
    return [(each.code, each.line, each.near) for each in source_violations(PageText(text), index)]


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    "text",
    [
        "The Rondo speaker runs for 12 hours on one charge.",
        "The Rondo speaker weighs 300 g.",
        "Rondo Mini weighs 180 g.",
        "| model | weight |\n|---|---|\n| Rondo Max | 950 g |",
        "“We heard every word in the last row of the hall”, Maria Silva said.",
        "It is small and blue.",
        "`runs for 14 hours`",
        "```\nThe Rondo speaker runs for 14 hours on one charge.\n```",
        "Rondo 音箱一次充电可使用12小时。",
    ],
)
def test_what_a_source_states_is_left_alone(text: str, index: SourceIndex) -> None:
    assert found(f"# Page\n\n{text}\n", index) == []


@pytest.mark.req("EV-14")
@pytest.mark.parametrize(
    ("text", "code", "near"),
    [
        ("The Rondo speaker runs for 14 hours on one charge.", "SC601", "spec.md:3"),
        ("The Rondo Mini has a weight of 350 g.", "SC601", ""),
        ("Rondo Max weighs 180 g and has a range of 30 m.", "SC601", "spec.md:8"),
        ("The Rondo speaker does not run for 12 hours on one charge.", "SC602", "spec.md:3"),
        ("Rondo 音箱一次充电可使用15小时，重量300克。", "SC601", "zh.md:3"),
        ("The warehouse in Lisbon holds 4,500 crates.", "SC603", ""),
        ("“We could not hear a single word in the hall”, Maria Silva said.", "SC605", ""),
    ],
)
def test_what_no_source_states_is_told_with_the_nearest_place(
    text: str, code: str, near: str, index: SourceIndex
) -> None:
    told = found(f"# Page\n\n{text}\n", index)
    assert told, text
    assert told[0][:2] == (code, 3)
    assert not near or told[0][2] == near


def test_a_name_that_no_source_knows_is_told(index: SourceIndex) -> None:
    assert "SC604" in {
        code for code, _, _ in found("The Rondo speaker runs for 12 hours, according to Zbigniew Oyelaran.\n", index)
    }


def test_a_page_is_no_source_of_itself(index: SourceIndex) -> None:
    text = SOURCES["spec.md"]
    assert found(text, index) == []
    own = list(SOURCES).index("spec.md")
    assert {each.code for each in source_violations(PageText(text), index, own)} >= {"SC603"}


def test_the_line_is_that_of_the_number(index: SourceIndex) -> None:
    text = "# Page\n\nThe Rondo speaker\nruns for\n14 hours on one charge.\n"
    assert [(code, line) for code, line, _ in found(text, index)] == [("SC601", 4)] or [
        (code, line) for code, line, _ in found(text, index)
    ] == [("SC601", 5)]


@pytest.mark.req("EV-14")
def test_a_table_row_that_stands_word_for_word_in_a_source_is_not_doubted() -> None:
    page = (
        "# Settings\n\n| Name | Type | Range | Default | Description |\n|---|---|---|---|---|\n"
        "| Message expire interval | Duration | | Never Expire | How long it is kept; 0 means never expire. If the "
        "message expire interval is set in a packet, the message expire interval of the packet prevails. |\n"
        "| Rate | Integer | at least 0 | 1000 | The highest rate of delivery. |\n"
    )
    index = SourceIndex(["settings.md"], [entry(page)], lambda _: page)
    assert found(page, index) == []
    assert [code for code, *_ in found(page.replace("1000", "1500"), index)] == ["SC601"]
