"""Reading clarifications: what a file says, what is a heading and what is not, and what makes a file ambiguous."""

from __future__ import annotations

import pytest
from clarify_text import FILE, anything, said_by, values
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.workflows.clarify.documents.clarifications import Choice, Clarifications, Item, counts, parse, parse_doc


def item(text: str, key: str = "Q1") -> Item:
    found = parse(text).item(key)
    assert found is not None
    return found


def rules(doc: Clarifications) -> list[str]:
    return [found.rule.removeprefix("clarifications.") for found in doc.problems]


# --- reading -----------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-1")
def test_a_question_is_read_with_all_its_parts() -> None:
    first = item(FILE)
    assert values(first) == {
        "kind": "question",
        "key": "Q1",
        "title": "MRR Definition by Service Type",
        "must": True,
        "section": "Core Concepts",
        "body": "How is MRR calculated across your three service categories?",
        "origins": ("Metrics Q1", "Segmentation Q2", "Business Rules Q5"),
        "recommendation": "A — Use the recurring fee.",
        "answer": "Managed services is already MRR,\n\nand projects below a year are spread.",
        "choices": [
            ("A", "Managed Services MRR = recurring monthly fee."),
            ("B", "MRR applies only to Managed Services. All other deals are tracked as TCV."),
            ("C", "Other (please specify)"),
        ],
    }
    assert (first.line, FILE[slice(*first.span)][:7], first.choices[2].other) == (11, "### Q1:", True)


@pytest.mark.req("CL-1")
def test_refinements_name_their_parents_and_are_found_below_them() -> None:
    doc = parse(FILE)
    assert [one.key for one in doc.items] == ["Q1", "R1.1", "R1.1a", "Q2"]
    assert [[one.key for one in doc.below(key)] for key in ("Q1", "R1.1", "Q2")] == [["R1.1"], ["R1.1a"], []]
    assert counts(doc) == {"question_count": 2, "sections": 1, "refinement_count": 2}
    assert (doc.front["status"], doc.problems) == ("pending", ())


@pytest.mark.req("CL-8")
def test_entries_that_need_clarification_are_items_with_an_answer() -> None:
    entries = "### Contradiction: Q1 and Q2\n**Answer:** Q1\n### Critical Gap: Win rate\n**Answer:**\n"
    doc = parse(f"## Needs Clarification\n{entries}")
    assert [(one.kind, one.key, one.answer) for one in doc.entries] == [
        ("contradiction", "Contradiction: Q1 and Q2", "Q1"),
        ("gap", "Critical Gap: Win rate", ""),
    ]
    assert doc.sections == ()


@given(anything())
def test_any_text_reads_and_renders_to_itself(text: str) -> None:
    doc = parse(text)
    assert doc.render() == text
    assert [one.span for one in doc.items] == sorted(one.span for one in doc.items)


@given(st.text(max_size=200))
def test_bytes_are_read_as_their_text(text: str) -> None:
    assume("\0" not in text)
    assert parse_doc(text.encode(), "c.md").text == text


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DocumentError, match=r"c\.md.*UTF-8"):
        parse_doc(b"### Q1: \xff", "c.md")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_change_what_is_read(end: str) -> None:
    assert said_by(FILE.replace("\n", end)) == said_by(FILE)
    assert said_by("\ufeff" + FILE.replace("\n", end)) == said_by(FILE)


@pytest.mark.parametrize(
    ("lines", "keys"),
    [
        ("```\n### Q1: code\n```\n### Q2: real", ["Q2"]),
        ("~~~~\n~~~\n### Q1: code\n~~~~~\n### Q2: real", ["Q2"]),
        ("    ### Q1: code by indent\n   ### Q2: real ###", ["Q2"]),
        ("---\na: 1\n--- x\n### Q1: front\n---\n### Q2: real", ["Q2"]),
        ("\n---\n### Q1: no frontmatter\n---", ["Q1"]),
        ("###Q1: no heading\n### Q2: real", ["Q2"]),
        ("a\u2028### Q1: one line\x0b### Q3: still\n### Q2: real", ["Q2"]),
    ],
)
def test_only_a_real_heading_begins_an_item(lines: str, keys: list[str]) -> None:
    assert [one.key for one in parse(lines).items] == keys


@pytest.mark.req("CL-3")
@pytest.mark.parametrize("heading", ["## Next", "### Q2: Next", "### Anything", "##### R1.1: Next", "#### Refinements"])
def test_a_recommendation_and_an_answer_never_carry_over_a_heading(heading: str) -> None:
    text = f"### Q1: T\n**Recommendation:** A\n{heading}\n**Recommendation:** late\n**Answer:** late\n"
    assert (item(text).recommendation, item(text).answer) == ("A", "")
    again = f"### Q1: T\n**Answer:** mine\n{heading}\nlate\n"
    assert item(again).answer == "mine"


@pytest.mark.parametrize(
    "line", ["# Big", "#### Small", "###### Tiny", "A. letter", "- a) bullet", "**bold** words", "---"]
)
def test_other_lines_in_an_answer_are_the_persons_words(line: str) -> None:
    text = f"### Q1: T\n**Answer:** first\n\n{line}\n\nlast\n"
    assert (item(text).answer, item(text).choices) == (f"first\n\n{line}\n\nlast", ())


@pytest.mark.parametrize("label", ["**Recommendation:** B", "_Consolidated from: X_", "**Answer:** again"])
def test_a_label_that_cannot_belong_to_an_answer_ends_it(label: str) -> None:
    assert item(f"### Q1: T\n**Answer:** mine\n{label}\n").answer == "mine"


LOOSE_ANSWERS = [
    *("**answer:**", "**ANSWER**:", "**aNSWER：**", "**Answer :**", "***Answer:***", "__Answer:__", "__answer__："),
    *("_Answer:_", "_ANSWER_:", "*Answer:*", "*Answer*：", "Answer:", "answer:", "ANSWER：", "Answer :", "   Answer:"),
    *("**答案：**", "**答案:**", "**回答**：", "__答案：__", "_回答:_", "答案：", "答案:", "回答：", "  答案："),
]
LOOSE_RECOMMENDATIONS = [
    *("**recommendation:**", "**RECOMMENDATION**:", "__Recommendation:__", "_Recommendation:_", "*Recommendation*："),
    *(
        "Recommendation:",
        "recommendation：",
        "**推荐：**",
        "**建议：**",
        "**建议**:",
        "推荐：",
        "建议:",
        "建議：",
        "推薦：",
    ),
]


@pytest.mark.req("CL-3")
@pytest.mark.parametrize("label", LOOSE_ANSWERS)
@pytest.mark.parametrize(
    "above", ["body", "A. x\nB. y", "**Recommendation:** A", "Recommendation: A", "_Consolidated from: x_"]
)
def test_an_answer_label_that_is_typed_in_another_way_is_one(label: str, above: str) -> None:
    found = item(f"### Q1: T\n{above}\n{label} B, as\n\never\n\n### Q2: U\n")
    assert found.answer == "B, as\n\never"
    without = item(f"### Q1: T\n{above}\n")
    assert values(found) == values(without) | {"answer": found.answer}
    assert rules(parse(f"### Q1: T\n{above}\n{label}B\n")) == []


@pytest.mark.req("CL-3")
@pytest.mark.parametrize("label", LOOSE_RECOMMENDATIONS)
@pytest.mark.parametrize("answer", ["**Answer:**", "Answer:", "**答案：**"])
def test_a_recommendation_label_that_is_typed_in_another_way_is_one(label: str, answer: str) -> None:
    found = item(f"### Q1: T\nbody\nA. x\nB. y\n{label} A\nbecause\n{answer} B\n")
    assert (found.body, found.recommendation, found.answer) == ("body", "A\nbecause", "B")
    assert [one.text for one in found.choices] == ["x", "y"]


@pytest.mark.parametrize("label", ["**Answer:**", "**Answer**:", "Answer:", "答案："])
@pytest.mark.parametrize("line", [f"{one} x" for one in (*LOOSE_ANSWERS, *LOOSE_RECOMMENDATIONS)])
def test_a_loose_label_below_the_answers_own_is_the_persons_words(label: str, line: str) -> None:
    assert item(f"### Q1: T\n{label} mine\n{line}\nmore").answer == f"mine\n{line}\nmore"


@pytest.mark.parametrize("line", [f"{one} x" for one in (*LOOSE_ANSWERS, *LOOSE_RECOMMENDATIONS)])
def test_a_loose_label_in_the_body_is_text_when_the_label_itself_stands_below(line: str) -> None:
    found = item(f"### Q1: T\nabove\n{line}\n\nA. x\nB. y\n\n**Recommendation:** A\n\n**Answer:** B\n")
    assert (found.body, found.recommendation, found.answer) == (f"above\n{line}", "A", "B")
    assert len(found.choices) == 2


@pytest.mark.parametrize(
    "line",
    [
        *("The Answer: x", "- Answer: x", "> Answer: x", "Answers: x", "Answer x", "Answer, x", "**Answer** x"),
        *("    Answer: x", "\tAnswer: x", "\\Answer: x", "**Answer:* x", "_Answer:* x", "答案是：x", "最佳答案：x"),
        *("```\nAnswer: x\n```", "Recommendations: x", "a. Answer: x", "Answer\n: x"),
    ],
)
def test_a_line_that_only_has_the_word_in_it_is_no_label(line: str) -> None:
    found = item(f"### Q1: T\nwhy?\n{line}\n")
    assert (found.answer_span, found.recommendation) == (None, "")
    assert found.body == f"why?\n{line}".replace("\\", "")


def test_a_loose_answer_below_the_recommendation_is_never_a_part_of_it() -> None:
    doc = parse("### Q1: T\n**Recommendation:** A\nAnswer: B\n\n**Answer:**\n")
    assert (doc.items[0].recommendation, doc.items[0].answer) == ("A", "B")
    assert [(one.rule, one.line) for one in doc.problems] == [("clarifications.answer", 5)]


def test_a_choice_goes_on_in_the_lines_below_it_and_the_run_ends_with_a_paragraph() -> None:
    text = "### Q1: T\nbody\n\nA. one\nstill one\n\nB. two\n\n  still two\n\nafter\nC. no choice\n"
    found = item(text)
    assert [(one.letter, one.text) for one in found.choices] == [("A", "one still one"), ("B", "two still two")]
    assert found.body == "body\n\n\nafter\nC. no choice"


@pytest.mark.parametrize(
    ("fence", "belongs"),
    [
        ("   ```\n   code\n   ```", True),
        ("   ```\n\n   code\n   ```\n   ~~~\n   ~~~", True),
        ("   ```\ncode\n   ```", False),
        ("   ```\n   code\n```", False),
        ("```\n   code\n   ```", False),
        ("   ```\n   never ends", False),
        ("   ```\n   ```\n   ~~~\n   never ends", True),
    ],
)
def test_a_fence_belongs_to_a_choice_when_all_of_it_is_indented(fence: str, belongs: bool) -> None:
    found = item(f"### Q1: T\nA. x\nB. y\n{fence}")
    assert ("```" in found.choices[1].text, found.choices[0].text) == (belongs, "x")
    assert ("```" in found.body) != belongs


@pytest.mark.req("CL-1")
def test_a_note_with_a_heading_of_its_own_does_not_part_a_question_from_its_refinements() -> None:
    doc = parse("### Q1: T\n**Answer:** x\n##### Notes\nAsk Bob.\n##### R1.1: U\n**Answer:** y\n")
    assert (doc.problems, [(one.key, one.answer) for one in doc.items]) == ((), [("Q1", "x"), ("R1.1", "y")])


@pytest.mark.parametrize(
    ("text", "other"),
    [
        *(
            (text, True)
            for text in ("Other", "other", "OTHER.", "Other (please specify)", "Other(which?)", "**Other**")
        ),
        *((text, True) for text in ("Other: ____", "Other: please specify", "Other…", "Other...", "Other ___")),
        *((text, True) for text in ("Other - please specify", "Other — which?", "Other –", "Other, please specify")),
        *(
            (text, True)
            for text in ("其他", "其它", "其他（请说明）", "其他：", "其它……", "Other (a (b))", "Other  ( x )")
        ),
        *(
            (text, False)
            for text in ("others", "A", "", "Others decide", "Another", "None of the above", "Something else")
        ),
        *((text, False) for text in ("Other currencies are converted at the rate of the day", "Other-worldly ones")),
        *((text, False) for text in ("其他币种按当日汇率换算", "Other (small) currencies", "Other.com", "Each other")),
    ],
)
def test_the_choice_for_everything_else_is_known(text: str, other: bool) -> None:
    assert Choice(letter="D", text=text, line=1).other is other


# --- what makes a file ambiguous ---------------------------------------------------------------------------------


@pytest.mark.req("CL-1")
@pytest.mark.parametrize(
    ("text", "rule", "line", "about"),
    [
        ("### Q1: a\n### Q1: b\n", "duplicate", 2, "Q1"),
        ("### Q1: a\n##### R1.1: x\n##### R1.1: y\n", "duplicate", 3, "R1.1"),
        ("### Q1: a\n##### R2.1: x\n", "parent", 2, "R2.1"),
        ("### Q1: a\n##### R1.1a: x\n", "parent", 2, "R1.1a"),
        ("### Q1: a\n### Q2: b\n##### R1.1: x\n", "parent", 3, "R1.1"),
        ("### Q1: a\n## S\n##### R1.1: x\n", "parent", 3, "R1.1"),
        ("### Q1: a\n```\ncode\n", "fence", 2, ""),
        ("---\na: 1\n### Q1: a\n", "frontmatter", 1, ""),
        ("---\na: [\n---\n### Q1: a\n", "frontmatter", None, ""),
        ("---\n- a\n---\n", "frontmatter", 2, ""),
        ("### Q0: a\n", "id", 1, "Q0"),
        ("### Q01: a\n", "id", 1, "Q01"),
        ("### q1: a\n", "id", 1, "q1"),
        ("### Q1 a\n", "id", 1, "Q1"),
        ("### Q1234567890: a\n", "id", 1, "Q1234567890"),
        ("### R1.1: a\n", "id", 1, "R1.1"),
        ("## Q1: a\n", "id", 1, "Q1"),
        ("##### R1: a\n", "id", 1, "R1"),
        ("##### R1.1ab: a\n", "id", 1, "R1.1ab"),
        ("##### R1.0: a\n", "id", 1, "R1.0"),
        ("### Q1: a\n**Answer:** x\n**Answer:** y\n", "answer", 3, "Q1"),
    ],
)
def test_what_makes_a_file_ambiguous_is_an_error_with_its_line(
    text: str, rule: str, line: int | None, about: str
) -> None:
    [found] = parse(text, "run/c.md").problems
    assert (found.rule, found.severity, found.about, found.file) == (
        f"clarifications.{rule}",
        "error",
        about,
        "run/c.md",
    )
    assert found.line == line if line else found.line


@pytest.mark.parametrize("title", ["R2D2 arrives", "Questions", "Q", "Quarter 4: results"])
def test_a_heading_that_only_begins_with_the_same_letter_is_no_broken_id(title: str) -> None:
    assert rules(parse(f"### {title}\n")) == []
