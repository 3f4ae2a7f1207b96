"""The trace of an id: where it came from and what it led to, back to the words of a source and on to a decision."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from clarify_agents import DEPOT, LOCKERS
from clarify_project import BRIEF, MIXED, PERSON, Case, lay_out, says

pytestmark = pytest.mark.req("CL-12")

GAP, FIRST, SECOND = "Critical Gap: Record of addresses", "Contradiction: Label or scan", "Contradiction: Scan or door"
CLASHES = [
    {"sources": ["Q1", "Q4"], "title": "Label or scan", "note": "One begins with the label."},
    {"sources": ["Q1", "Q5"], "title": "Scan or door", "note": "One ends at the door."},
]


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An inquiry with refinements of two depths, two contradictions and a gap, all of them settled."""
    case = Case(lay_out(tmp_path_factory.mktemp("traced") / "project"))
    case.run()
    case.answer(MIXED)
    case.choose("research", {"detailed-research": says({"contradictions": CLASHES})})
    case.answer({"R2.1": "not sure"})
    case.choose("deepen")
    case.answer({"R2.1a": "A", "Q3": "B"})
    case.answer({FIRST: "A", SECOND: "B", GAP: "B"})
    assert case.choose("decide").stop == "complete"
    return case.root


@pytest.fixture(scope="module")
def case(decided: Path) -> Case:
    return Case(decided)


def traced(case: Case, what: str) -> Mapping[str, Any]:
    found = case.trace(what)
    assert found is not None
    return found


def ids(told: list[dict[str, Any]], way: str) -> list[Any]:
    """The ids of a trace, each with what it leads on to."""
    return [(one["id"], ids(one[way], way)) if one.get(way) else one["id"] for one in told]


def decision(case: Case, *sources: str) -> str:
    (found,) = [entry.id for entry in case.made.entries if entry.sources == sources]
    return found


def test_a_question_leads_back_to_every_place_in_the_sources_that_raised_it(case: Case) -> None:
    found = traced(case, "Q6")
    assert (found["text"], found["section"], found["verdict"]) == ("Old labels", "Stages", "clear")
    assert (found["answer"], found["means"]) == ("A", "After 90 days")
    quote = f'"{LOCKERS[5].said}"'
    assert found["came_from"] == [
        {"id": "Stages Q3", "text": "Old labels", "sources": [{"file": DEPOT, "span": quote}]},
        {"id": "Data Q1", "text": "Old labels", "sources": [{"file": BRIEF, "span": quote}]},
    ]
    for place in found["came_from"]:
        (source,) = place["sources"]
        assert source["span"].strip('"') in case.text(source["file"])


def test_a_question_leads_on_to_its_refinements_its_entries_and_its_decisions(case: Case) -> None:
    deep = decision(case, "R2.1", "R2.1a")
    assert ids(traced(case, "Q2")["led_to"], "led_to") == [("R2.1", [("R2.1a", [deep]), deep])]
    one, both, other = decision(case, "Q1"), decision(case, "Q1", "Q4"), decision(case, "Q1", "Q5")
    assert ids(traced(case, "Q1")["led_to"], "led_to") == [FIRST, SECOND, one, both, other]
    (last,) = [told for told in traced(case, "Q1")["led_to"] if told["id"] == one]
    assert (last["status"], last["decision"]) == ("resolved", case.made.entry(one).decision)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("what", "back"),
    [
        ("R2.1", [("Q2", ["Metrics Q2"])]),
        ("R2.1a", [("R2.1", [("Q2", ["Metrics Q2"])])]),
        (FIRST, ["Q1", "Q4"]),
        (GAP, ["Q7"]),
    ],
)
def test_a_refinement_or_an_entry_leads_back_to_what_it_is_about(case: Case, what: str, back: list[Any]) -> None:
    assert ids(traced(case, what)["came_from"], "came_from") == back


@pytest.mark.parametrize(("what", "sources"), [(FIRST, ("Q1", "Q4")), (SECOND, ("Q1", "Q5")), (GAP, ("Q7",))])
def test_an_entry_leads_on_to_the_decision_that_settles_it_and_to_no_other(
    case: Case, what: str, sources: tuple[str, ...]
) -> None:
    assert ids(traced(case, what)["led_to"], "led_to") == [decision(case, *sources)]


def test_a_decision_leads_back_to_its_answers_and_to_what_the_person_settled(case: Case) -> None:
    one = [("Q1", ["Metrics Q1"]), ("Q4", ["Stages Q1"]), (FIRST, ["Q1", "Q4"])]
    found = traced(case, decision(case, "Q1", "Q4"))
    assert ids(found["came_from"], "came_from") == one
    assert (found["status"], found["section"]) == ("conflict-resolved", "Cross-cutting")
    assert all(found[name] for name in ("decision", "reasoning", "implication", "contradiction"))
    assert ids(traced(case, decision(case, "Q7"))["came_from"], "came_from") == [("Q7", ["Data Q2"]), (GAP, ["Q7"])]
    assert ids(traced(case, decision(case, "Q3"))["came_from"], "came_from") == [("Q3", ["Metrics Q3"])]


@pytest.mark.parametrize("name", ["Data Q1", "data q1"])
def test_a_research_question_leads_to_the_question_it_became(case: Case, name: str) -> None:
    found = traced(case, name)
    assert (found["id"], found["sources"][0]["file"]) == ("Data Q1", BRIEF)
    assert ids(found["led_to"], "led_to") == [("Q6", [decision(case, "Q6")])]


@pytest.mark.parametrize(("typed", "meant"), [("q6", "Q6"), ("r2.1a", "R2.1a"), ("d1", "D1")])
def test_an_id_is_found_in_small_letters(case: Case, typed: str, meant: str) -> None:
    assert traced(case, typed)["id"] == meant


@pytest.mark.parametrize("what", ["Q99", "Q0", "R2.9", "D99", "R2.1z", "Metrics Q9", "Metrics", "", "Q1 ", "\0"])
def test_an_id_that_nothing_has_is_unknown(case: Case, what: str) -> None:
    assert case.trace(what) is None


def test_before_there_are_questions_nothing_is_known(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()
    assert case.trace("Q1") is None


def test_an_answer_is_told_edit_by_edit(case: Case) -> None:
    told = traced(case, "Q3")["answers_over_time"]
    assert [(one["by"], one["answer"]) for one in told] == [("person", "A"), ("person", "B")]
    assert [one["at"] for one in told] == sorted({one["at"] for one in told})
    assert [one["answer"] for one in traced(case, "R2.1")["answers_over_time"]] == ["not sure"]
    assert [one["answer"] for one in traced(case, GAP)["answers_over_time"]] == ["B"]
    assert not traced(case, "Q7").get("answers_over_time"), "it was settled elsewhere"


@pytest.mark.req("CL-3")
def test_an_answer_that_autofill_copied_is_told_as_the_choice_it_was(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.run()
    case.answer({"Q1": "B"})
    case.choose("autofill")
    chosen = {"at": case.own.choices[0].at, "by": PERSON.by, "how": "autofill"}
    (told,) = traced(case, "Q7")["answers_over_time"]
    assert told == {**chosen, "answer": case.doc.item("Q7").recommendation}  # type: ignore[union-attr]
    assert [one["by"] for one in traced(case, "Q1")["answers_over_time"]] == ["person"]
    case.answer({"Q1": "A", "Q3": "As late, from now on"})
    assert traced(case, "Q7")["answers_over_time"] == [told], "a later edit of another answer is not its author"
    assert [one["answer"] for one in traced(case, "Q1")["answers_over_time"]] == ["B", "A"]
    (mine,) = traced(case, "Q3")["answers_over_time"][-1:]
    assert (mine["by"], mine["answer"]) == ("person", "As late, from now on")


@pytest.mark.req("CL-13")
def test_what_a_changed_answer_undoes_is_marked_in_the_trace(decided: Path, tmp_path: Path) -> None:
    case = Case(Path(shutil.copytree(decided, tmp_path / "project")))
    name = decision(case, "Q3")
    assert not traced(case, name).get("stale")
    case.answer({"Q3": ""})
    case.answer({"Q3": "Late, and the driver is told"})
    why = "Q3 said “As delivered elsewhere” when this was decided and says “Late, and the driver is told” now"
    assert traced(case, name)["stale"] == why
    (led,) = traced(case, "Q3")["led_to"]
    assert (led["id"], led["stale"]) == (name, why)
    answers = [one["answer"] for one in traced(case, "Q3")["answers_over_time"]]
    assert answers == ["A", "B", "(emptied)", "Late, and the driver is told"]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)
    elif isinstance(value, str):
        yield value


def test_every_id_of_the_run_has_a_trace_that_is_plain_data_and_ends_at_a_source(case: Case) -> None:
    names = [item.key for item in case.doc.items] + [entry.id for entry in case.made.entries]
    for name, found in case.traces(*names).items():
        assert found is not None, name
        assert json.loads(json.dumps(found)) == found
        if name not in (FIRST, SECOND, GAP):
            assert any(said.startswith("0-sources/") for said in strings(found["came_from"])), name
    for name, found in case.traces(*case.own.origins).items():
        assert found is not None, name
        assert found["sources"], name
