"""Commands on plain files: what they find, what they say, and exactly which bytes they write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from clarify_text import canonical

from signoff.core.errors import UsageError
from signoff.service.files import file_commands
from signoff.service.files.file_commands import Done
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.commands import COMMANDS
from signoff.workflows.clarify.config import PATH
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Draft

NAMED = {command.name: command for command in COMMANDS}
TITLES = {"Q1": "Rate", "R1.1": "Rate in spring", "Q2": "Late parcels", "Q3": "Labels"}


def questions(answers: Mapping[str, str], **recommended: str) -> str:
    """A file of three questions and a refinement with these answers."""

    def pair(key: str) -> tuple[str, Draft]:
        said = recommended.get(key.replace(".", "_"), "A — it is so today")
        draft = Draft(
            title=TITLES[key],
            body="What is it?",
            choices=("One way", "Another way"),
            origins=() if key.startswith("R") else (f"Metrics {key}",),
            recommendation=said,
            answer=answers.get(key, ""),
            must=key == "Q3",
        )
        return key, draft

    return canonical([("Metrics", [pair("Q1"), pair("R1.1"), pair("Q2")]), ("Data", [pair("Q3")])], {})


def entry(number: int, key: str, answer: str, *more: str) -> de.Decision:
    return de.Decision(
        id=f"D{number}",
        title=TITLES[key],
        sources=(key, *more),
        section="Metrics",
        answers={key: answer},
        status="resolved",
        decision="So it is",
        reasoning="It was said",
        implication="It will be so",
    )


CLEAR = {"Q1": "A", "Q2": "B", "Q3": "A"}
FITTING = [entry(1, "Q1", "One way"), entry(2, "Q2", "Another way"), entry(3, "Q3", "One way")]


def decisions(*entries: de.Decision) -> str:
    front = {"status": "complete", "decision_count": len(entries), "conflicts_resolved": 0, "round": 1}
    return de.render(entries, front)


@pytest.fixture
def put(tmp_path: Path) -> Any:
    def putting(name: str, text: str | bytes) -> Path:
        file = tmp_path / "inquiry" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return putting


def call(name: str, *files: Path, **params: Any) -> Done:
    return file_commands.call(NAMED[name], files, params)


def rules(done: Done) -> set[str]:
    return {finding.rule for finding in done.findings}


# --- lint -------------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-1", "CL-9")
def test_lint_says_nothing_about_good_files_of_either_kind(put: Any) -> None:
    files = put("clarifications.md", questions(CLEAR)), put("decisions.md", decisions(*FITTING))
    done = call("lint", *files)
    assert (done.passed, done.findings, done.written) == (True, (), ())


LINTED = [
    (questions(CLEAR).replace("### Q2:", "### Q1:"), "clarifications.duplicate", False),
    (questions(CLEAR).replace("##### R1.1:", "##### R9.1:"), "clarifications.parent", False),
    (questions(CLEAR).replace("**Answer:**", "**Answer**:", 1), "clarifications.older.answer", True),
    (questions(CLEAR).replace("question_count: 3", "question_count: 4"), "clarifications.counts", True),
    (decisions(*FITTING, entry(3, "Q2", "Another way")), "decisions.duplicate", False),
    (decisions(*FITTING).replace("decision_count: 3", "decision_count: 9"), "decisions.count", True),
    (decisions(*FITTING).replace("- **Status:** resolved", "- **Status:** fine", 1), "decisions.status", False),
]


@pytest.mark.req("CL-1", "CL-2", "CL-9")
@pytest.mark.parametrize(("text", "rule", "is_mended"), LINTED)
def test_lint_tells_the_kind_of_a_file_by_what_is_in_it_and_mends_what_it_may(
    put: Any, text: str, rule: str, is_mended: bool
) -> None:
    file = put("some.md", text)
    done = call("lint", file)
    assert rule in rules(done)
    assert (done.written, file.read_text("utf-8")) == ((), text)
    fixed = call("lint", file, fix=True)
    assert (rule in rules(fixed)) == (not is_mended)
    assert (fixed.written == (str(file),)) == is_mended
    assert any(rule in said for said in fixed.said) == is_mended
    assert fixed.data["repaired"] == list(fixed.said)
    again = call("lint", file, fix=True)
    assert (again.written, again.said) == ((), ()), "a second time there is nothing to mend"


@pytest.mark.req("CL-3")
def test_lint_never_touches_an_answer(put: Any) -> None:
    mine = "B, but\r\n\r\n  - with a list\n\n```\n**Answer**: in code\n```"
    text = questions({}).replace("**Answer:**", f"**Answer**: {mine}", 1)
    file = put("clarifications.md", text)
    call("lint", file, fix=True)
    after = file.read_bytes().decode()
    assert after == text.replace("**Answer**: B", "**Answer:** B", 1)
    assert mine in after


def test_lint_of_several_files_finds_in_each_and_writes_only_what_it_mended(put: Any) -> None:
    good = put("good.md", questions(CLEAR))
    bad = put("bad.md", questions(CLEAR).replace("question_count: 3", "question_count: 4"))
    made = put("made.md", decisions(*FITTING).replace("decision_count: 3", "decision_count: 9"))
    done = call("lint", good, bad, made)
    assert {finding.file for finding in done.findings} == {str(bad), str(made)}
    assert set(call("lint", good, bad, made, fix=True).written) == {str(bad), str(made)}


@pytest.mark.parametrize("text", ["", "Hello\n", "# Notes\n\nQ1 is open.\n", "---\ntitle: My page\n---\n\n# My page\n"])
def test_a_file_of_another_kind_is_said_to_be_one_and_never_mended(put: Any, text: str) -> None:
    file = put("notes.md", text)
    for params in ({}, {"fix": True}):
        done = call("lint", file, **params)
        (found,) = done.findings
        assert (found.rule, found.problem) == ("clarify.other", "there are no questions and no decisions in it")
        assert (done.written, file.read_text("utf-8")) == ((), text)


@pytest.mark.parametrize("title", ["# Research Clarifications\n", "# Decisions\n"])
def test_a_file_that_only_has_its_title_yet_is_one_of_ours(put: Any, title: str) -> None:
    name = "decisions.md" if "Decisions" in title else "clarifications.md"
    assert "clarify.other" not in rules(call("lint", put(name, title)))


@pytest.mark.parametrize("name", ["lint", "autofill", "evaluate"])
@pytest.mark.parametrize(("data", "rule"), [(b"\xff\xfe\0\0", "text.encoding"), (b"a\0b", "text.nul")])
def test_a_file_that_is_no_text_is_a_finding_and_stays_as_it_is(put: Any, name: str, data: bytes, rule: str) -> None:
    file = put("clarifications.md", data)
    done = call(name, file, fix=True, write=True)
    assert (rules(done), done.passed, done.written) == ({rule}, False, ())
    assert file.read_bytes() == data


# --- autofill ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-3")
@pytest.mark.parametrize(
    ("only", "filled", "said"),
    [
        (None, ["Q1", "R1.1"], ["filled 2 of 3 empty answers", "filled: Q1, R1.1"]),
        ("questions", ["Q1"], ["filled 1 of 2 empty answers", "filled: Q1"]),
        ("refinements", ["R1.1"], ["filled 1 of 1 empty answers", "filled: R1.1"]),
    ],
)
def test_autofill_fills_what_was_asked_for_and_says_how_many(
    put: Any, only: str | None, filled: list[str], said: list[str]
) -> None:
    text = questions({"Q2": "TBD"}, Q3="")
    file = put("clarifications.md", text)
    done = call("autofill", file, only=only)
    assert (list(done.said[:2]), done.data["filled"]) == (said, filled)
    assert done.data["without"] == ([] if only == "refinements" else ["Q3"])
    assert ("still empty, for there is nothing to fill in for sure: Q3" in done.said) == (only != "refinements")
    doc = cl.parse(text)
    wanted = cl.with_answers(doc, dict.fromkeys(filled, "A — it is so today"))
    assert (file.read_text("utf-8"), done.written) == (wanted, (str(file),))


@pytest.mark.req("CL-3")
def test_autofill_of_a_file_that_is_answered_writes_nothing(put: Any) -> None:
    done = call("autofill", put("clarifications.md", questions({**CLEAR, "R1.1": "B"})))
    assert (done.said, done.written, done.changes) == (("filled 0 of 0 empty answers",), (), "")


def test_a_dry_autofill_shows_the_change_and_writes_nothing(put: Any) -> None:
    file = put("clarifications.md", questions({}))
    done = file_commands.call(NAMED["autofill"], [file], {}, dry=True)
    assert "+**Answer:** A — it is so today" in done.changes
    assert (done.written, file.read_text("utf-8")) == ((), questions({}))


# --- evaluate ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-4", "CL-5")
def test_evaluate_says_every_verdict_and_writes_only_when_it_is_asked_to(put: Any) -> None:
    text = questions({"Q1": "A", "Q2": "Spring only"})
    file = put("context/clarifications.md", text)
    done = call("evaluate", file)
    right = evaluate(cl.parse(text))
    assert done.data == right.plain()
    assert done.said == (
        f"insufficient: {right.reasoning}", "Q1: clear", "R1.1: not_answered", "Q2: vague", "Q3: not_answered",
    )  # fmt: skip
    beside = file.parent / "answer-evaluation.json"
    assert (done.written, beside.exists()) == ((), False)
    done = call("evaluate", file, write=True)
    assert done.written == (str(beside),)
    assert json.loads(beside.read_text("utf-8")) == right.plain()
    assert file.read_text("utf-8") == text


@pytest.mark.req("CL-4", "CL-5")
def test_evaluate_knows_the_terms_it_is_given_and_the_config_of_the_project_around_the_file(put: Any) -> None:
    file = put("context/clarifications.md", questions({**CLEAR, "Q2": "Spring only", "R1.1": "A"}))
    assert call("evaluate", file).data["vague_count"] == 1
    assert call("evaluate", file, known_term=["spring only"]).data["vague_count"] == 0
    put(PATH, "known_terms: [Spring only]\nthresholds: {sufficient: 0.9, mixed: 0.8}\n")
    assert call("evaluate", file).data["vague_count"] == 0
    put(PATH, "thresholds: {sufficient: 0.9, mixed: 0.8}\n")
    assert call("evaluate", file).data["verdict"] == "insufficient"
    put(PATH, "thresholds: {sufficient: 0.5, mixed: 0.8}\n")
    done = call("evaluate", file)
    assert not done.passed
    assert "mixed (0.8) is above sufficient (0.5)" in str(done.findings[0])


@pytest.mark.req("CL-1")
def test_evaluate_says_what_makes_a_file_ambiguous(put: Any) -> None:
    done = call("evaluate", put("clarifications.md", questions(CLEAR).replace("### Q2:", "### Q1:")))
    assert (done.passed, rules(done)) == (False, {"clarifications.duplicate"})


# --- stale ------------------------------------------------------------------------------------------------------------

STALE: list[tuple[dict[str, str], list[de.Decision], dict[str, str]]] = [
    (CLEAR, FITTING, {}),
    (
        {**CLEAR, "Q2": "A"},
        FITTING,
        {"D2": "Q2 said “Another way” when this was decided and says “One way” now"},
    ),
    (
        {**CLEAR, "R1.1": "B"},
        FITTING,
        {"D1": "R1.1 was answered since: “Another way”"},
    ),
    (CLEAR, FITTING[:2], {"Q3": "answered, and in no decision yet"}),
    (
        {**CLEAR, "Q1": "B", "R1.1": "A"},
        [entry(1, "Q1", "One way", "R1.1"), *FITTING[1:]],
        {
            "D1": "Q1 said “One way” when this was decided and says “Another way” now",
            "R1.1": "it refines Q1, which said “One way” and says “Another way” now",
        },
    ),
]


@pytest.mark.req("CL-13")
@pytest.mark.parametrize(("answers", "entries", "why"), STALE)
@pytest.mark.parametrize("turned", [False, True])
def test_stale_tells_from_the_two_files_alone_what_no_longer_fits(
    put: Any, answers: dict[str, str], entries: list[de.Decision], why: dict[str, str], turned: bool
) -> None:
    files = [put("clarifications.md", questions(answers)), put("decisions.md", decisions(*entries))]
    done = call("stale", *(reversed(files) if turned else files))
    assert {finding.about: finding.problem.removeprefix(f"{finding.about}: ") for finding in done.findings} == why
    assert done.passed == (not why)
    assert done.said == (() if why else ("every decision fits the answers",))
    assert {*done.data["decisions"], *done.data["refinements"], *done.data["undecided"]} == set(why)
    assert all(finding.file == str(files[1]) for finding in done.findings)


def test_a_known_term_makes_a_short_answer_one_that_must_be_decided(put: Any) -> None:
    files = put("clarifications.md", questions({"Q1": "A", "Q3": "A", "Q2": "Spring"})), put(
        "decisions.md", decisions(FITTING[0], FITTING[2])
    )  # fmt: skip
    assert call("stale", *files, known_term=["Spring"]).data["undecided"] == ["Q2"]


@pytest.mark.parametrize(
    ("name", "texts", "said"),
    [
        ("stale", [questions({})], "1 files were given. Valid: two: clarifications.md and decisions.md, in any order"),
        ("stale", [questions({}), questions(CLEAR)], "are of one kind. Valid: one file of questions and"),
        ("stale", [decisions(*FITTING), decisions(FITTING[0])], "are of one kind"),
        ("stale", [questions({}), decisions(*FITTING), questions({})], "stale takes at most 2 files, 3 given"),
        ("evaluate", [decisions(*FITTING)], "holds decisions. Valid: a file of questions and answers"),
        ("autofill", [decisions(*FITTING)], "holds decisions"),
        ("evaluate", [questions({}), questions({})], "evaluate takes at most 1 files, 2 given"),
        ("autofill", [questions({}), questions({})], "autofill takes at most 1 files, 2 given"),
    ],
)  # fmt: skip
def test_the_wrong_kind_or_number_of_files_is_refused_with_what_is_valid(
    put: Any, name: str, texts: list[str], said: str
) -> None:
    files = [
        put(f"{number}-decisions.md" if "### D" in text else f"{number}.md", text) for number, text in enumerate(texts)
    ]
    before = [file.read_bytes() for file in files]
    with pytest.raises(UsageError) as caught:
        call(name, *files, write=True)
    assert said in str(caught.value)
    assert [file.read_bytes() for file in files] == before
