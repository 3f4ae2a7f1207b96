"""A quotation stands in its source word for word, and so does its speaker."""

from __future__ import annotations

import pytest

from signoff.evidence import unsupported
from signoff.evidence.quotations import misquoted, quotations, speaker_of

pytestmark = pytest.mark.req("EV-6")

ENGLISH = """The pilot ran for a year.

"We did not expect the old pumps to last another winter," said Marta Oyelaran, facilities lead at Kestrel Bay.

Daniel Brandt signed the contract in May.
"""
CHINESE = "“这套设备救了我们的旺季。”总经理赵蔓说。\n\n林野负责安装。"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ('"We did not expect the old pumps to last another winter," said Marta Oyelaran.', ENGLISH),
        ("Marta Oyelaran said: «We didn't expect the old pumps to last another winter».", ENGLISH),
        ('The lead said "the old pumps […] another winter".', ENGLISH),
        ("赵蔓说：“这套设备救了我们的旺季。”", CHINESE),
        ("总经理表示：「这套设备救了我们的旺季」。", CHINESE),
        ("Nothing is quoted here.", ENGLISH),
    ],
)
def test_the_words_of_a_source_may_be_quoted(text: str, source: str) -> None:
    assert misquoted(text, source) == []


@pytest.mark.parametrize(
    ("rule", "text", "source"),
    [
        (
            "quotation.altered",
            '"We did not expect the new pumps to last another winter," said Marta Oyelaran.',
            ENGLISH,
        ),
        ("quotation.altered", '"It is the best pump in the world," said Marta Oyelaran.', ENGLISH),
        ("quotation.altered", "赵蔓说：“这套设备救了我们的公司。”", CHINESE),
        ("quotation.altered", "林野说：“非常出色。”", CHINESE),
        ("quotation.speaker", '"We did not expect the old pumps to last another winter," said Daniel Brandt.', ENGLISH),
        ("quotation.speaker", '"We did not expect the old pumps to last another winter," said Ann Reyes.', ENGLISH),
        ("quotation.speaker", "林野说：“这套设备救了我们的旺季。”", CHINESE),
        ("quotation.speaker", "钱蔓说：“这套设备救了我们的旺季。”", CHINESE),
    ],
)
def test_a_changed_word_or_another_speaker_is_found(rule: str, text: str, source: str) -> None:
    assert [finding.rule for finding in misquoted(text, source)] == [rule]
    assert rule in [finding.rule for finding in unsupported(text, source)]


def test_a_translation_in_other_words_is_refused_where_words_count_and_passes_as_a_claim() -> None:
    text = '"Nobody of us thought that these ancient pumps could survive one more winter," said Marta Oyelaran.'
    assert [finding.rule for finding in misquoted(text, ENGLISH)] == ["quotation.altered"]
    assert "quotation.altered" not in [finding.rule for finding in unsupported(text, ENGLISH)]


@pytest.mark.parametrize(
    ("text", "words", "speaker"),
    [
        ('"It is done," said Ann Reyes.', ["It is done,"], "Ann Reyes"),
        ("According to Ann Reyes, “it is done”.", ["it is done"], "Ann Reyes"),
        ("「完成」，“好”", ["完成", "好"], ""),
        ("馆长顾清说：“完成。”", ["完成。"], "馆长顾清"),
        ("the 6” pipe", [], ""),
    ],
)
def test_marks_of_any_kind_are_read_with_their_speaker(text: str, words: list[str], speaker: str) -> None:
    found = quotations(text)
    assert [each.words for each in found] == words
    assert (speaker_of(found[0]) if found else "") == speaker
