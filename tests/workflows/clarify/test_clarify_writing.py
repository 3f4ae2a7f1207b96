"""Writing clarifications: an edit changes what it is for, an answer stays an answer, and nothing else moves."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from clarify_text import FILE, anything, asking, canonical, drafts, files, loosely, normal, said, said_by, torn, values
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from signoff.core.errors import DocumentError, UsageError
from signoff.workflows.clarify.checks import lint
from signoff.workflows.clarify.documents.clarifications import (
    Clarifications,
    Draft,
    Item,
    counts,
    next_ids,
    parse,
    with_answers,
    with_entries,
    with_front,
    with_refinements,
)


def worded() -> st.SearchStrategy[Draft]:
    """Items whose texts have lines that look like labels."""
    words = loosely(said(3))
    made = {"body": words, "recommendation": words.filter(lambda text: text.strip() != ""), "answer": words}
    return st.builds(dataclasses.replace, drafts(), **made)


def item(text: str, key: str = "Q1") -> Item:
    found = parse(text).item(key)
    assert found is not None
    return found


def rules(doc: Clarifications) -> list[str]:
    return [found.rule.removeprefix("clarifications.") for found in doc.problems]


# --- answers -----------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-3")
@given(loosely(asking()), loosely(said()), st.integers(0, 50))
def test_writing_an_answer_changes_that_answer_and_nothing_else(text: str, answer: str, which: int) -> None:
    doc = parse(text)
    assume(doc.items)  # a fence before it may hide the one that is always there
    target = doc.by_key[list(doc.by_key)[which % len(doc.by_key)]]
    try:
        made = with_answers(doc, {target.key: answer})
    except UsageError:
        assert {"fence", "frontmatter"} & set(rules(doc))
        return
    new = parse(made)
    before, after = said_by(doc), said_by(new)
    before[doc.items.index(target)]["answer"] = normal(answer)
    assert after == before
    assert rules(new) == rules(doc)
    if target.answer_span and not target.ticks:
        start, end = target.answer_span
        assert made[:start] == text[:start]
        assert made.endswith(text[end:])


@settings(max_examples=30)
@given(files(), st.data())
def test_many_answers_are_written_at_once(text: str, data: st.DataObject) -> None:
    doc = parse(text)
    answers = {one.key: data.draw(loosely(said(3))) for one in doc.items}
    made = parse(with_answers(doc, answers))
    assert {one.key: one.answer for one in made.items} == {key: normal(answer) for key, answer in answers.items()}
    assert [one.body for one in made.items] == [one.body for one in doc.items]


@given(loosely(torn()))
def test_an_answer_that_is_there_already_stays_as_it_was_typed(text: str) -> None:
    doc = parse(text)
    assert with_answers(doc, {key: one.answer for key, one in doc.by_key.items()}) == text


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("plain words", " plain words"),
        ("  one\r\ntwo  \n", " one\ntwo"),
        ("## a heading", " ## a heading"),
        ("first\n## second", " first\n\\## second"),
        ("first\n\\## second", " first\n\\\\## second"),
        ("first\n  **Answer:** x", " first\n  \\**Answer:** x"),
        ("first\n```\n## code\n```", " first\n```\n## code\n```"),
        ("first\n```\n## no end", " first\n\\```\n\\## no end"),
        ("```\n## code\n```", "\n```\n## code\n```"),
        ("- a\n- b", "\n- a\n- b"),
        ("first\nAnswer: x\n答案：y", " first\nAnswer: x\n答案：y"),
        ("first\n\\Answer: x", " first\n\\Answer: x"),
        ("- a\n**answer:** x\nRecommendation: y", "\n- a\n**answer:** x\nRecommendation: y"),
        ("**R1.1:** x\n**R1.1:** y", " **R1.1:** x\n\\**R1.1:** y"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_an_answer_is_written_so_that_it_stays_an_answer(answer: str, written: str) -> None:
    made = with_answers(parse("### Q1: T\n**Answer:** old\nand more\n\n### Q2: U\n"), {"Q1": answer})
    assert made == f"### Q1: T\n**Answer:**{written}\n\n### Q2: U\n"


@pytest.mark.parametrize("label", ["**ANSWER**:", "_Answer:_", "Answer:", "**答案：**", "答案："])
@pytest.mark.parametrize("answer", ["", "B", "one\nAnswer: two", "- one\n- **Answer:** two\n**Answer:** three"])
def test_an_answer_behind_a_loose_label_is_written_there(label: str, answer: str) -> None:
    text = f"### Q1: T\n**Recommendation:** A\n{label} old\n\nAnswer: older\n\n### Q2: U\n"
    made = with_answers(parse(text), {"Q1": answer})
    assert made.startswith(f"### Q1: T\n**Recommendation:** A\n{label}")
    assert (item(made).answer, rules(parse(made))) == (answer, [])


@pytest.mark.parametrize("line", ["Answer: x", "**answer:** x", "答案：x", "\\Answer: x"])
def test_a_line_like_an_answer_in_what_code_writes_is_kept_from_being_one(line: str) -> None:
    text = canonical([("S", [("Q1", Draft(title="T", body=line, recommendation=f"A\n{line}"))])], {})
    assert (item(text).body, item(text).recommendation, item(text).answer) == (line, f"A\n{line}", "")
    assert text.count(f"\n\\{line}\n") == 2


@pytest.mark.parametrize(
    ("line", "written"),
    [("A) x", "A\\) x"), ("(A) x", "(A\\) x"), ("A、x", "A\\、x"), ("（A）x", "（A\\）x"), ("A\\、x", "A\\\\、x")],
)
def test_a_line_like_a_choice_in_a_body_that_code_writes_is_kept_from_being_one(line: str, written: str) -> None:
    body = f"{line}\nB) y"
    text = canonical([("S", [("Q1", Draft(title="T", body=body, choices=("yes", "no")))])], {})
    assert (item(text).body, [one.text for one in item(text).choices][:2]) == (body, ["yes", "no"])
    assert f"\n{written}\n" in text


@pytest.mark.parametrize("must", [True, False])
def test_a_title_that_is_only_the_tag_stays_one(must: bool) -> None:
    found = item(canonical([("S", [("Q1", Draft(title="[MUST ANSWER]", must=must))])], {}))
    assert (found.title, found.must) == ("[MUST ANSWER]", True)


def test_an_item_without_a_label_gets_one_at_the_end_of_its_own_part() -> None:
    made = with_answers(parse("### Q1: T\r\nbody\r\n\r\n#### Refinements\r\n"), {"Q1": "one\ntwo"})
    assert made == "### Q1: T\r\nbody\r\n\r\n**Answer:** one\r\ntwo\r\n\r\n#### Refinements\r\n"


def test_an_unknown_key_is_refused_with_what_is_close_to_it() -> None:
    with pytest.raises(UsageError, match=r"no 'R1\.2'.*R1\.1"):
        with_answers(parse(FILE), {"R1.2": "x"})


def test_nothing_is_written_behind_a_fence_that_never_ends() -> None:
    with pytest.raises(UsageError, match="line 3: close it"):
        with_answers(parse("### Q1: T\n**Answer:** a\n```\n### Q2: hidden\n"), {"Q1": "x"})


# --- new items ---------------------------------------------------------------------------------------------------


def is_insertion(old: str, new: str) -> bool:
    rest = iter(new)
    return all(char in rest for char in old)


def says(found: Item | None, draft: Draft) -> bool:
    assert found is not None
    choices = [" ".join(choice.split()) for choice in draft.choices]
    return (
        (found.title, found.must, found.origins) == (" ".join(draft.title.split()), draft.must, draft.origins)
        and (found.body, found.answer) == (normal(draft.body), normal(draft.answer))
        and found.recommendation == normal(draft.recommendation)
        and [one.text for one in found.choices][: len(choices)] == choices
    )


@pytest.mark.req("CL-1", "CL-7")
@given(loosely(asking()), st.lists(worded(), min_size=1, max_size=2), st.integers(0, 50))
def test_new_refinements_are_only_added_and_read_back(text: str, new: list[Draft], which: int) -> None:
    doc = parse(text)
    parents = [key for key, one in doc.by_key.items() if one.kind in ("question", "refinement") and key[-1].isdigit()]
    assume(parents)
    parent = parents[which % len(parents)]
    pairs = list(zip(next_ids(doc, parent, len(new)), new, strict=True))
    try:
        made = with_refinements(doc, {parent: pairs})
    except UsageError:
        assert {"fence", "frontmatter"} & set(rules(doc))
        return
    read = parse(made)
    assert is_insertion(text, made)
    assert all(says(read.item(key), draft) for key, draft in pairs)
    assert set(rules(read)) <= set(rules(doc))
    assert [values(one) for one in read.items if one.key not in dict(pairs)] == said_by(doc)


def test_refinements_go_below_their_parent_in_the_order_of_their_ids() -> None:
    draft = Draft(title="New", choices=("yes", "no"))
    new = {"Q1": [("R1.2", draft)], "R1.1": [("R1.1b", draft)], "Q2": [("R2.1", draft)]}
    read = parse(with_refinements(parse(FILE), new))
    assert [one.key for one in read.items] == ["Q1", "R1.1", "R1.1a", "R1.1b", "R1.2", "Q2", "R2.1"]
    assert read.text.count("#### Refinements") == 2
    assert (read.problems, read.items[-1].choices[-1].text) == ((), "Other (please specify)")


@pytest.mark.parametrize("note", ["##### Notes of Ada", "### Notes", "#### Notes", "###### Notes", "## Notes"])
def test_refinements_are_read_as_those_of_their_question_whatever_notes_stand_below_it(note: str) -> None:
    text = f"{FILE}\n{note}\n\nAsk Bob.\n"
    read = parse(with_refinements(parse(text), {"Q2": [("R2.1", Draft(title="New")), ("R2.2", Draft(title="More"))]}))
    assert (read.problems, [one.key for one in read.below("Q2")]) == ((), ["R2.1", "R2.2"])
    assert "Ask Bob." in read.text


@pytest.mark.parametrize(
    ("parent", "key", "why"),
    [("Q1", "R2.1", "does not refine Q1"), ("Q1", "R1.1", "is taken"), ("Q1", "R1.2a", "does not refine Q1")],
)
def test_an_id_that_is_taken_or_of_another_parent_is_refused(parent: str, key: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        with_refinements(parse(FILE), {parent: [(key, Draft(title="x"))]})


@pytest.mark.req("CL-1")
def test_ids_go_on_after_the_highest_and_letters_end_at_z() -> None:
    doc = parse("### Q1: a\n##### R1.4: x\n##### R1.4x: y\n")
    assert next_ids(doc, "Q1", 2) == ["R1.5", "R1.6"]
    assert next_ids(doc, "R1.4", 2) == ["R1.4y", "R1.4z"]
    with pytest.raises(UsageError, match=r"beyond R1\.4z"):
        next_ids(doc, "R1.4", 3)
    with pytest.raises(UsageError, match="takes no refinements"):
        next_ids(doc, "R1.4x", 1)
    with pytest.raises(UsageError, match="no 'Q9'"):
        next_ids(doc, "Q9", 1)


@pytest.mark.req("CL-7")
@given(loosely(anything()), st.lists(worded(), min_size=1, max_size=2))
def test_new_entries_are_only_added_and_read_back(text: str, new: list[Draft]) -> None:
    doc = parse(text)
    try:
        made = with_entries(doc, [("Critical Gap", draft) for draft in new])
    except UsageError:
        assert {"fence", "frontmatter"} & set(rules(doc))
        return
    added = said_by(made)
    for old in said_by(doc):
        added.remove(old)
    assert is_insertion(text, made)
    assert [one["kind"] for one in added] == ["gap"] * len(new)
    assert [(one["body"], one["answer"]) for one in added] == [(normal(one.body), normal(one.answer)) for one in new]


def test_entries_stand_in_a_section_of_their_own_which_is_made_once() -> None:
    draft = Draft(title="Who is right", origins=("Q2", "Q12"))
    once = with_entries(parse(FILE), [("Contradiction", draft)])
    twice = with_entries(parse(once), [("Critical Gap", draft)])
    assert twice.startswith(FILE.rstrip("\n"))
    assert twice.count("## Needs Clarification\n\n### Contradiction: Who is right\n\n_Consolidated from: Q2, Q12_") == 1
    assert [one.key for one in parse(twice).entries] == ["Contradiction: Who is right", "Critical Gap: Who is right"]
    assert with_entries(parse(FILE), []) == FILE


# --- whole files -------------------------------------------------------------------------------------------------


@given(anything(), st.integers(0, 10**6))
def test_setting_a_field_leaves_every_item_as_it_was(text: str, value: int) -> None:
    if "frontmatter" in rules(parse(text)):
        with pytest.raises(DocumentError, match="frontmatter"):
            with_front(text, {"question_count": value})
        return
    made = with_front(text, {"question_count": value})
    assert parse(made).front["question_count"] == value
    assert said_by(made) == said_by(text)
    body = parse(text).top
    assert made.endswith(text[body:])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_field_is_set_in_the_files_own_line_end(end: str) -> None:
    made = with_front(FILE.replace("\n", end), {"question_count": 26, "scope_recommendation": True})
    lines = FILE.replace("question_count: 2", "question_count: 26").replace(
        "remark\n", "remark\nscope_recommendation: true\n"
    )
    assert made == lines.replace("\n", end)
    assert with_front(f"\ufeff# T{end}", {"sections": 1}) == f"\ufeff---{end}sections: 1{end}---{end}{end}# T{end}"
    assert with_front(FILE, {}) == FILE


@pytest.mark.req("CL-2")
@settings(max_examples=40)
@given(files())
def test_a_canonical_file_has_nothing_to_find(text: str) -> None:
    assert lint.findings(parse(text)) == ()
    assert lint.repaired(text, "c.md").text == text


@pytest.mark.req("CL-2")
@given(st.lists(worded(), min_size=1, max_size=4))
def test_a_canonical_file_says_what_it_was_made_of(new: list[Draft]) -> None:
    pairs = [(f"Q{number}", draft) for number, draft in enumerate(new, 1)]
    doc = parse(canonical([("One", pairs[:2]), ("Two", pairs[2:])], {"duplicates_removed": 4}))
    assert all(says(doc.item(key), draft) for key, draft in pairs)
    assert doc.front == {**counts(doc), "duplicates_removed": 4}


def test_more_choices_than_letters_are_refused() -> None:
    with pytest.raises(UsageError, match="27 choices"):
        canonical([("S", [("Q1", Draft(title="T", choices=("x",) * 26))])], {})


@pytest.mark.parametrize(
    "piece",
    [
        "`" * 3 + "\n",
        "~~~\n### Q1: x\n",
        "## " + " " * 50 + "#" * 50,
        "**R1.1: ",
        "_Consolidated from: _ _ ",
        "A. ",
        "### Q1.1",
        "Answer: ",
        "### Q1: x\nAnswer: x\n\nRecommendation: y\n",
        "Recommendation: x\n" * 3,
        "### Q1: x\n" + "[MUST ANSWER]" * 3,
        "A) x\n",
        "A、x\n\n",
        "A. x\n   ```\n",
        "A. x\n   ```\n   ```\n",
        "A. Other" + " " * 50 + "(",
    ],
)
@pytest.mark.usefixtures("must_end")
def test_hostile_text_is_read_and_written_in_its_length(piece: str) -> None:
    text = piece * 20_000
    assert parse(text).render() == text
    fences = "\n".join("`" * (3 + number) for number in range(1500, 0, -1))
    made = with_answers(parse("### Q1: T\n**Answer:**\n"), {"Q1": f"{text}\n{fences}"})
    assert item(made).answer == f"{text}\n{fences}".strip()


@pytest.mark.usefixtures("must_end")
def test_any_number_of_tags_is_read_and_repaired() -> None:
    text = "## S\n### Q1: x" + " [MUST ANSWER]" * 200_000 + "\n**Answer:** x\n"
    assert (item(text).title, item(lint.repaired(text, "c.md").text).must) == ("x", True)


@pytest.mark.usefixtures("must_end")
def test_thousands_of_questions_are_read_and_answered_together() -> None:
    numbers = itertools.count(1)
    text = "".join(FILE[FILE.index("### Q2") :].replace("Q2", f"Q{next(numbers)}") for _ in range(5000))
    made = parse(with_answers(parse(text), {f"Q{number}": f"answer {number}" for number in range(1, 5001)}))
    assert [one.answer for one in made.questions] == [f"answer {number}" for number in range(1, 5001)]
