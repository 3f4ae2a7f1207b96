"""Markdown by its headings: every line has one place, and a section that must be there and is not is named."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts import markdown_headings
from signoff.core.errors import DocumentError

LINES = st.lists(
    st.sampled_from(
        ["# One", "## Two", "   ### Three", "####", "", "text", "```", "~~~~", "    # code", "\\# no", "#no"]
    ),
    max_size=12,
)


def test_a_text_is_split_at_its_headings_and_nowhere_else() -> None:
    text = "before\n# A\n\na\n## B ##\n```\n# in code\n```\n### C\nc\n    # code\n## D\n"
    found = [(one.level, one.title, one.line, one.body) for one in markdown_headings.split(text)]
    assert found == [
        (0, "", 0, "before"),
        (1, "A", 2, "\na"),
        (2, "B", 5, "```\n# in code\n```"),
        (3, "C", 9, "c\n    # code"),
        (2, "D", 12, ""),
    ]


def test_a_section_knows_all_that_is_below_it() -> None:
    found = markdown_headings.split("# A\n## B\nb\n### C\nc\n## D\n")
    assert found[1].whole == "b\n### C\nc"
    assert [one.title for one in markdown_headings.under(found, found[1])] == ["C"]
    assert [one.title for one in markdown_headings.under(found, found[0])] == ["B", "C", "D"]


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    plain = "# A\n\na\n## B\nb\n"
    for text in (plain.replace("\n", "\r\n"), "\ufeff" + plain, plain.replace("\n", "\r")):
        assert [(one.title, one.line, one.body) for one in markdown_headings.split(text)] == [
            ("A", 1, "\na"),
            ("B", 4, "b"),
        ]


def test_a_fence_that_never_ends_hides_no_heading() -> None:
    assert [one.title for one in markdown_headings.split("# A\n```\n# B\n")] == ["A", "B"]


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\ufeff"]))
def test_every_line_has_one_place(texts: list[str], newline: str, mark: str) -> None:
    text = mark + newline.join(texts)
    found = markdown_headings.split(text)
    heads = [one for one in found if one.level]
    kept = [line for one in found for line in ([texts[one.line - 1]] if one.level else []) + one.body.split("\n")]
    assert [line for line in kept if line] == [line for line in texts if line]
    assert all(one.whole.startswith(one.body) for one in found)
    for one, following in pairwise(heads):
        assert (following.start < one.end) == (following.level > one.level)


@given(st.integers(1, 6), st.text(alphabet="ab#\\ \t`*", max_size=12).map(lambda text: " ".join(text.split())))
def test_a_heading_is_read_as_it_was_written(level: int, title: str) -> None:
    (found,) = markdown_headings.split(markdown_headings.heading(level, title))
    assert (found.level, found.title) == (level, title)


@pytest.mark.parametrize(
    "written",
    ["What We’re Trying to Accomplish:", "what we're  trying to ACCOMPLISH", "**What We're Trying to Accomplish**"],
)
def test_a_title_is_known_however_it_is_typed(written: str) -> None:
    assert markdown_headings.named(markdown_headings.split(f"## {written}\n"), "What We're Trying to Accomplish")


@pytest.mark.parametrize(
    ("text", "line", "problem", "repair"),
    [
        ("# T\n## A one\n## C three\n", 3, "“B two” is missing", "add a line `## B two`"),
        ("# T\n## A one\n## C three\n### B two\n", 4, "line 4 has `### B two`", "write line 4 as `## B two`"),
        ("# T\n## A one\n## B towo\n## C three\n", 3, "line 3 has `## B towo`", "write line 3 as `## B two`"),
        ("# T\n## A one\n## B two\n## C three\n## b TWO\n", 5, "twice, in line 3 and in line 5", "put both into one"),
    ],
)
def test_a_section_that_is_missing_or_there_twice_is_named(text: str, line: int, problem: str, repair: str) -> None:
    with pytest.raises(DocumentError) as caught:
        markdown_headings.required(markdown_headings.split(text), ("A one", "B two", "C three"), "f.md", rule="x")
    (finding,) = caught.value.findings
    assert (finding.file, finding.line, finding.rule, finding.about) == ("f.md", line, "x.section", "B two")
    assert problem in finding.problem
    assert repair in finding.repair


def test_sections_that_nobody_asked_for_may_stand_between() -> None:
    found = markdown_headings.required(markdown_headings.split("## A\n## Mine\n## B\n"), ("A", "B"), "f.md", rule="x")
    assert [one.line for one in found.values()] == [1, 3]
