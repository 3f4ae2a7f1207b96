"""How long a text is: the counting law of SP-12, case by case and by property."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.words import count_cn, count_en

LATIN_WORDS = st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True)
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=20)
MARKS = st.text(st.sampled_from(" \n，。！？、；：“”（）,.!?;:()|*#—…《》"), min_size=1, max_size=5)


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" — … ** | ", 0),
        ("Hears every voice", 3),
        ("far-field pick-up", 2),
        ("don't won’t", 2),
        ("non‑breaking and soft‐hyphen", 3),
        ("6-hour battery", 2),
        ("3.5 metres, 1,500 words", 4),
        ("35ms", 1),
        ("Wi-Fi 6", 2),
        ("24/7 AT&T", 4),
        ("snake_case", 2),
        ("end. Start", 2),
        ("one,two", 2),
        ("1, 2", 2),
        ("trailing- -leading 'quoted'", 3),
        ("95% and −20 °C", 4),
        ("cafe\u0301 naïve", 2),
        ("| Port | 4 |", 2),
    ],
)
def test_english_words_are_runs_of_letters_or_digits_with_inner_hyphens_and_apostrophes(text: str, words: int) -> None:
    assert count_en(text) == words


@pytest.mark.req("SP-12")
@pytest.mark.parametrize(
    ("text", "chars"),
    [
        ("", 0),
        ("，。！？（）【】《》", 0),
        ("支持远场拾音", 6),
        ("支持Wi-Fi 6", 4),
        ("续航6小时。", 5),
        ("延迟低至35ms", 5),
        ("约1,500字", 3),
        ("3.5米", 2),
        ("３．５米", 2),
        ("准确率95%", 4),
        ("𠀀㐀豈〇", 4),
        ("don’t停", 2),
        ("A4纸A5纸", 4),
        ("Latin words only", 3),
    ],
)
def test_chinese_counts_han_characters_and_each_latin_word_or_number_as_one(text: str, chars: int) -> None:
    assert count_cn(text) == chars


@given(st.lists(LATIN_WORDS), st.sampled_from([" ", "\n", " — ", "; ", " (", "!"]))
def test_english_words_count_the_same_whatever_stands_between_them(words: list[str], between: str) -> None:
    assert count_en(between.join(words)) == len(words)


@given(st.lists(LATIN_WORDS, min_size=1), st.sampled_from(["-", "'", "’"]))
def test_words_joined_by_hyphens_or_apostrophes_are_one_word(words: list[str], joint: str) -> None:
    assert count_en(joint.join(words)) == count_cn(joint.join(words)) == 1


@given(st.lists(st.one_of(HAN, LATIN_WORDS)), MARKS)
def test_chinese_count_is_the_sum_over_pieces_and_punctuation_adds_nothing(pieces: list[str], mark: str) -> None:
    apart = f" {mark} ".join(pieces)
    assert count_cn(apart) == sum(count_cn(piece) for piece in pieces)


@given(HAN)
def test_each_han_character_counts_one(text: str) -> None:
    assert count_cn(text) == len(text)


@given(MARKS)
def test_punctuation_and_markup_signs_count_nothing(text: str) -> None:
    assert count_en(text) == count_cn(text) == 0


@given(st.text())
def test_counts_never_exceed_the_length_of_the_text(text: str) -> None:
    assert 0 <= count_en(text) <= len(text)
    assert 0 <= count_cn(text) <= len(text)
