"""Older forms of clarifications are read as if they were canonical, and what code may repair is repaired once."""

from __future__ import annotations

import pytest
from clarify_text import LINES, anything, asking, loosely, said_by, values
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.findings import Finding
from signoff.workflows.clarify.checks.lint import findings, repaired
from signoff.workflows.clarify.documents.clarifications import OTHER, counts, parse, with_answers
from signoff.workflows.clarify.documents.older_formats import AUTOMATIC

FRONT = "---\nquestion_count: {}\nsections: 1\nduplicates_removed: 0\nrefinement_count: {}\n---\n"


def whole(body: str) -> str:
    """A file with a right title and right counts around these items."""
    text = f"# Research Clarifications\n\n## S\n{body}"
    doc = parse(text)
    return FRONT.format(counts(doc)["question_count"], counts(doc)["refinement_count"]) + text


def rules(found: tuple[Finding, ...], prefix: str = "") -> list[str]:
    names = [one.rule.removeprefix("clarifications.") for one in found]
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def question(*, head: str = "### Q1: T", body: str = "", choices: str = "A. x\nB. y\nC. Other", rest: str = "") -> str:
    rest = rest or "**Recommendation:** A\n\n**Answer:** yes"
    return "\n".join(part for part in (head, body, choices, "", rest, "") if part or part == "")


FORMS = {
    "answer": (question(rest="**Recommendation:** A\n\n**Answer**: yes"), question(), "answer"),
    "recommendation": (question(rest="**Recommendation**: A\n\n**Answer:** yes"), question(), "recommendation"),
    "box": (question(choices="- [ ] a) x\n- [ ] b) y\n- [ ] c) Other"), question(), "box"),
    "bullet": (question(choices="- a) x\n- b) y\n- c) Other"), question(), "bullet"),
    **{
        f"choice as {typed!r}": (question(choices=typed), question(), "choice")
        for typed in (
            *("A) x\nB) y\nC) Other", "(A) x\n(B) y\n(C) Other", "A、x\nB、y\nC、Other", "A、 x\n\nB、y\nC. Other"),
            *("A）x\nB）y\nC）Other", "（A）x\n（B）y\n（C） Other", "A. x\nB) y\nC、Other", "(A) x\nB. y\nC) Other"),
        )
    },
    "choices": (question(body="**Choices**:"), question(), "choices"),
    "choices with the colon inside": (question(body="**Choices:**"), question(), "choices"),
    "question": (question(body="**Question:** Why?"), question(body="Why?"), "question"),
    "question with the colon outside": (question(body="**Question**: Why?"), question(body="Why?"), "question"),
    "question above its text": (question(body="**Question:**\nWhy?"), question(body="\nWhy?"), "question"),
    "required": (
        "### Required\n" + question() + "### Optional\n" + question(head="### Q2: U"),
        question(head="### Q1: T [MUST ANSWER]") + question(head="### Q2: U"),
        "group",
    ),
    "colon in a heading": (question(head="### Q1：T"), question(), "colon"),
    "colon in a label": (question(rest="**Recommendation：** A\n\n**Answer：** yes"), question(), "colon"),
    "colon after a label": (question(rest="**Recommendation**：A\n\n**Answer**：yes"), question(), "colon"),
    "colon in the origins": (
        question(rest="_Consolidated from：a, b_\n\n**Recommendation:** A\n\n**Answer:** yes"),
        question(rest="_Consolidated from: a, b_\n\n**Recommendation:** A\n\n**Answer:** yes"),
        "colon",
    ),
    **{
        f"answer as {label}": (question(rest=f"**Recommendation:** A\n\n{label}yes"), question(), "answer")
        for label in (
            *(
                "**answer:** ",
                "**ANSWER**: ",
                "__Answer:__ ",
                "_Answer:_ ",
                "*Answer:* ",
                "Answer: ",
                "Answer：",
                " answer:",
            ),
            *("**答案：**", "**回答**：", "答案：", "回答: ", "_答案:_ "),
        )
    },
    **{
        f"recommendation as {label}": (question(rest=f"{label}A\n\n**Answer:** yes"), question(), "recommendation")
        for label in (
            *(
                "**recommendation:** ",
                "__Recommendation:__ ",
                "_RECOMMENDATION_: ",
                "Recommendation: ",
                "recommendation：",
            ),
            *("**推荐：**", "**建议：** ", "推荐:", "建议："),
        )
    },
    **{
        f"bold {head}": (
            question() + "\n#### Refinements\n\n" + question(head=head),
            question() + "\n#### Refinements\n\n" + question(head="##### R1.1: T"),
            "bold",
        )
        for head in ("**R1.1:** T", "**R1.1: T**", "**R1.1**: T", "**R1.1：** T", "**R1.1**：T")
    },
}


@pytest.mark.req("CL-1")
@pytest.mark.parametrize("name", FORMS)
def test_an_older_form_is_read_as_canonical_found_and_repaired(name: str) -> None:
    older, wanted, form = FORMS[name]
    text = whole(older)
    found = findings(parse(text, "c.md"))
    assert said_by(text) == said_by(whole(wanted))
    assert set(rules(found)) == {f"older.{form}"}
    assert all(AUTOMATIC in one.repair and one.line for one in found)
    made = repaired(text, "c.md")
    assert (made.fixed, made.left) == (found, ())
    assert made.text.replace("\n\n", "\n") == whole(wanted).replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("choices", "answer", "wanted"),
    [
        ("- [ ] a) x\n- [x] b) y", "**Answer:**", "B"),
        ("- [X] a) x\n- [x] b) y", "**Answer:**   ", "A, B"),
        ("- [ ] a) x\n- [x] b) y", "**Answer**：", "B"),
        ("- [ ] a) x\n- [x] b) y", "Answer:", "B"),
        ("- [ ] a) x\n- [x] b) y", "答案：  ", "B"),
        ("- [ ] a) x\n- [x] b) y", "", "B"),
        ("- [x] a) x\n- [ ] b) y", "**Answer:** A because of it", "A because of it"),
    ],
)
def test_a_ticked_box_is_an_answer_and_stays_one(choices: str, answer: str, wanted: str) -> None:
    text = whole(f"### Q1: T\n{choices}\n- c) Other\n\n**Recommendation:** A\n\n{answer}\n")
    made = repaired(text, "c.md")
    for doc in (parse(text), parse(made.text)):
        assert [one.answer for one in doc.items] == [wanted]
    assert (made.left, "[x]" in made.text) == ((), False)


def test_a_tick_that_the_answer_does_not_repeat_is_left_to_people() -> None:
    text = whole("### Q1: T\n- [ ] a) x\n- [x] b) y\n- [ ] c) Other\n\n**Recommendation:** A\n\n**Answer:** neither\n")
    made = repaired(text, "c.md")
    assert "- [x] b) y" in made.text
    assert [(one.rule, one.line) for one in made.left] == [("clarifications.older.box", 12)]
    assert "take the tick out" in made.left[0].repair


@pytest.mark.parametrize(("answer", "written"), [("", ""), ("B", " B")])
def test_an_answer_takes_the_place_of_a_tick(answer: str, written: str) -> None:
    made = with_answers(parse("### Q1: T\n- [x] a) x\n- [ ] b) y\n**Answer:**\n"), {"Q1": answer})
    assert made == f"### Q1: T\n- [ ] a) x\n- [ ] b) y\n**Answer:**{written}\n"


def test_a_group_is_left_where_its_text_would_fall_into_an_answer() -> None:
    text = whole(question() + "### Required\nPlease do these.\n" + question(head="### Q2: U"))
    made = repaired(text, "c.md")
    assert (made.text, [one.must for one in parse(text).items]) == (text, [False, True])
    assert ["move the text" in one.repair for one in made.left] == [True]


@pytest.mark.parametrize(
    "line",
    [
        *(line for line in LINES if line.startswith(("**Q", "**C", "- ", "* ", "A."))),
        *("Answer: x", "**answer:** x", "_Answer:_", "答案：x", "**回答：**x", "Recommendation: x", "**建议：**x"),
    ],
)
def test_older_forms_in_answers_and_fences_are_somebodys_words(line: str) -> None:
    answer = question(
        rest=f"**Recommendation:** A\n\n**Answer:** yes\n{line}\n```\n**Answer**: {line}\n### Required\n```"
    )
    text = whole(answer)
    assert findings(parse(text)) == ()
    assert repaired(text, "c.md").text == text


@pytest.mark.parametrize(
    ("below", "line", "shown"),
    [
        ("**Recommendation:** A\n\nB, since we do.", 2, "`B, since we do.`"),
        ("**Recommendation:** A\nwhich is usual\n\n\nOurs.\n\nMore.", 4, "`Ours.`"),
        ("**Recommendation:** A\nB, since we do.", 1, "`B, since we do.`"),
        ("**Recommendation:** A\nOption B", 1, "`Option B`"),
        ("**Recommendation:** A\n- Answer: ours", 1, "`- Answer: ours`"),
        ("**Recommendation:** A\n**Answer** ours", 1, "`**Answer** ours`"),
        ("**Recommendation:** A\n#### Answer\nours", 1, "`#### Answer`"),
        ("**Recommendation:** A\n我的答案是乙", 1, "`我的答案是乙`"),
        ("Recommendation: A\n\n选B", 2, "`选B`"),
        ("**Recommendation:** A\n_Consolidated from: x_\nours", 2, "`ours`"),
        ("_Consolidated from: x_\n\n**Recommendation:** A\n\n---\n\nours", 6, "`ours`"),
        ("**Recommendation:** A\n\n" + "long " * 20, 2, "`" + "long " * 11 + "lo...`"),
        ("We discussed this.\n\nB.", 2, "`B.`"),
        ("We discussed this.\nMy answer: ours", 1, "`My answer: ours`"),
    ],
)
def test_text_that_looks_like_an_answer_without_a_label_is_named_and_left_to_people(
    below: str, line: int, shown: str
) -> None:
    text = whole(question(rest=below))
    made = repaired(text, "c.md")
    [found] = [one for one in made.left if one.rule == "clarifications.answer_label"]
    first = text[: text.index(below)].count("\n") + 1
    assert (found.line, found.about, found.severity) == (first + line, "Q1", "error")
    assert f"no answer label, and {shown} looks like its answer" in found.problem
    assert "**Answer:**" not in made.text


@pytest.mark.parametrize(
    "below",
    [
        "**Recommendation:** A\nwhich is usual",
        "**Recommendation:** A\nanswer it soon",
        "**Recommendation:** A — it is\nB is not.",
        "**Recommendation:** A\n\n---\n\n<!-- your words here -->",
        "**Recommendation:** A\n_Consolidated from: x_",
        "We discussed this.\n\nAll of us.",
        "We discussed this.",
    ],
)
def test_an_answer_label_is_added_where_nothing_looks_like_an_answer(below: str) -> None:
    text = whole(question(rest=below))
    made = repaired(text, "c.md")
    assert made.text == text.replace(below, f"{below}\n\n**Answer:**")
    assert "answer_label" in rules(made.fixed)


@pytest.mark.parametrize(
    "rest", ["## x", "**Answer:** x", "Answer: x", "_建议：_", "A. x", "- a) x", "```", "_Consolidated from: x_", "---"]
)
def test_a_label_is_no_label_where_the_rest_would_be_read_as_something_else(rest: str) -> None:
    text = whole(question(body=f"**Question:** {rest}"))
    assert parse(text).items[0].body == f"**Question:** {rest}"
    assert findings(parse(text)) == ()


@pytest.mark.parametrize(
    "below",
    [
        "Please think of the audit.",
        "   ```\nselect 1\n   ```",
        "   ```\n   select 1\n```",
        "```\nA. no choice\n```",
        "\n   more on B\nPlease think of the audit.",
        "\n   more on B\n- x",
        "   ```\n   select 1\n   ```\n   more on B\n",
        "_Consolidated from: x_",
        "\nD. of no run",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_choice_other_is_added_once_and_takes_in_nothing_of_what_stands_below(below: str, end: str) -> None:
    text = whole(question(choices=f"A. x\nB. y\n{below}")).replace("\n", end)
    made = repaired(text, "c.md")
    assert without_other(made.text) == without_other(text)
    assert [one.text for one in parse(made.text).items[0].choices][-1] == (OTHER if "D." not in below else "of no run")
    assert repaired(made.text, "c.md").text == made.text


@pytest.mark.parametrize("below", ["**Choices**: A. x", "B", "\nD) z"])
def test_other_is_not_put_before_what_may_be_an_answer_or_a_choice(below: str) -> None:
    text = whole(question(choices=f"A. x\nB. y\n{below}", rest="More words."))
    made = repaired(text, "c.md")
    assert OTHER not in made.text
    assert "choices" in rules(made.left)


@pytest.mark.parametrize(
    "body",
    [
        *(
            "A、B两类客户如何计算？",
            "A) is one of many\nwords",
            "(A) first\n\nA paragraph.\n\n(B) second",
            "B) y\nC) z",
        ),
        *(
            "A) x\n```\nB) y\n```",
            "A)x\nB)y",
            "(A) x\n(B) y\n",
            "A、x\nB、y\n\nWhich?",
            "a) x\nb) y",
            "x\n   A) x\n   B) y",
        ),
    ],
)
def test_a_letter_in_the_body_is_no_choice_where_no_run_begins_with_it(body: str) -> None:
    text = whole(question(body=body))
    assert (parse(text).items[0].body, findings(parse(text))) == (body.strip(), ())
    assert [one.text for one in parse(text).items[0].choices] == ["x", "y", "Other"]


# --- what else is found ------------------------------------------------------------------------------------------

GOOD = question()


@pytest.mark.parametrize(
    ("text", "rule", "severity", "problem", "automatic"),
    [
        (whole(GOOD).replace("# Research Clarifications\n", ""), "title", "error", "missing", True),
        (whole(GOOD).replace("# Research Clarifications", "# Notes"), "title", "warning", "`# Notes`", False),
        (
            whole(GOOD).replace("question_count: 1", "question_count: 7"),
            "counts",
            "error",
            "7, and there are 1",
            True,
        ),
        (whole(GOOD).replace("sections: 1", "sections: true"), "counts", "error", "True", True),
        (whole(GOOD).replace("refinement_count: 0\n", ""), "counts", "error", "missing", True),
        (whole(GOOD).replace("duplicates_removed: 0\n", ""), "counts", "error", "missing", True),
        (whole(GOOD).replace("removed: 0", "removed: many"), "counts", "error", "'many'", False),
        (whole(GOOD).replace("removed: 0", "removed: -1"), "counts", "error", "-1", False),
        (whole(GOOD).replace("sections: 1", "sections: 1\nauthor: me"), "front", "warning", "'author'", False),
        (whole(GOOD).replace("sections: 1", "sections: 1\npriority_questions: [Q1]"), "front", "error", "none", True),
        (whole(GOOD.replace("Q1", "Q2")), "gap", "warning", "Q2 is there without Q1", False),
        (whole(GOOD.replace("A. x\n", "")), "choices", "error", "0 choices", False),
        (
            whole(GOOD.replace("B. y\n", "B. y\nC. z\nD. u\nE. v\n").replace("C. O", "F. O")),
            "choices",
            "error",
            "5",
            False,
        ),
        (whole(GOOD.replace("B. y", "D. y")), "choices", "error", "A, D, C", False),
        (whole(GOOD.replace("\nC. Other", "")), "choices", "error", "no choice Other", True),
        (whole(GOOD.replace("\n\n**Answer:** yes", "")), "answer_label", "error", "no answer label", True),
        (whole(GOOD.replace("**Recommendation:** A\n\n", "")), "recommendation", "warning", "no recommendation", False),
        (whole(GOOD + "**Recommendation:** B\n"), "recommendation", "warning", "several", False),
        (
            whole(question(rest="**Answer:** yes\n\n**Recommendation:** A")),
            "recommendation",
            "warning",
            "after its answer",
            False,
        ),
        (whole(GOOD + "### Notes\n"), "heading", "warning", "`### Notes`", False),
        (whole(GOOD.replace("Q1: T", "Q1:")), "heading", "warning", "no title", False),
        (whole(GOOD.replace("Q1: T", "Q1: [MUST ANSWER]")), "heading", "warning", "Q1 has no title", False),
        (whole(GOOD + "## Needs Clarification\n### Notes\n"), "entry", "error", "neither", False),
        (whole(GOOD + "### Critical Gap: G\n**Answer:**\n"), "entry", "warning", "stands in 'S'", False),
        (
            whole(GOOD).replace("## S\n", "").replace("sections: 1", "sections: 0"),
            "section",
            "warning",
            "no section",
            False,
        ),
        (whole(GOOD + "#### Refinements\n#### R1.1: U\n"), "refinements", "warning", "`#### R1.1: U` below", False),
        (whole(GOOD + question(head="##### R1.1: U")), "refinements", "error", "without `#### Refinements`", True),
        (
            whole(GOOD + "#### Refinements\n" + question(head="##### R1.2: U")),
            "gap",
            "warning",
            "R1.2 is there without R1.1",
            False,
        ),
    ],
)
def test_what_is_wrong_is_found_and_repaired_where_that_is_safe(
    text: str, rule: str, severity: str, problem: str, automatic: bool
) -> None:
    [found] = findings(parse(text, "c.md"))
    assert (found.rule, found.severity, found.file) == (f"clarifications.{rule}", severity, "c.md")
    assert problem in found.problem
    assert (AUTOMATIC in found.repair) is automatic
    made = repaired(text, "c.md")
    assert (made.fixed, made.left) == (((found,), ()) if automatic else ((), (found,)))
    assert (made.text != text) is automatic


def test_the_problems_of_a_file_are_among_its_findings() -> None:
    doc = parse(whole(GOOD + GOOD))
    assert doc.problems
    assert set(doc.problems) <= set(findings(doc))


def test_priority_questions_are_compared_whatever_their_order() -> None:
    body = "".join(question(head=f"### Q{number}: T [MUST ANSWER]") for number in (1, 2))
    text = whole(body).replace("sections: 1", "priority_questions: [Q2, Q1]\nsections: 1")
    assert findings(parse(text)) == ()
    wrong = text.replace("[Q2, Q1]", "[Q2]")
    assert parse(repaired(wrong, "c.md").text).front["priority_questions"] == ["Q1", "Q2"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_bare_file_is_repaired_in_its_own_line_end(end: str) -> None:
    made = repaired(f"## S{end}### Q1: T{end}- a) x{end}- b) y", "c.md")
    lines = made.text.split(end)
    assert lines[0] == "---"
    assert lines[-9:] == [
        "# Research Clarifications",
        "",
        "## S",
        "### Q1: T",
        "A. x",
        "B. y",
        f"C. {OTHER}",
        "",
        "**Answer:**",
    ]
    assert ("\n" in made.text, "\r" in made.text) == ("\n" in end, "\r" in end)


# --- laws --------------------------------------------------------------------------------------------------------


def without_other(text: str) -> list[dict[str, object]]:
    said = said_by(text)
    return [one | {"choices": [choice for choice in one["choices"] if choice[1] != OTHER]} for one in said]


@given(loosely(st.one_of(anything(), asking())))
def test_a_repair_is_made_once_and_changes_nothing_that_anybody_said(text: str) -> None:
    made = repaired(text, "c.md")
    assert repaired(made.text, "c.md").text == made.text
    assert [one for one in made.left if AUTOMATIC in one.repair] == []
    assert without_other(made.text) == without_other(text)
    assert all(AUTOMATIC in one.repair for one in made.fixed)
    assert bool(made.fixed) == (made.text != text)


@given(loosely(asking()))
def test_findings_never_depend_on_line_ends(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    one, two = findings(parse(plain)), findings(parse(plain.replace("\n", "\r\n")))
    assert [str(found) for found in one] == [str(found) for found in two]
    assert [values(item) for item in parse(plain).items] == said_by(text)
