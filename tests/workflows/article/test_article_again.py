"""Articles that were stopped, edited or begun again: nothing is lost, nothing is fetched twice, people's bytes win."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from article_agents import Output, but
from article_moments import Watched, results
from article_project import TOPIC, ArticleProject, own

from signoff.core.errors import DocumentError
from signoff.workflows.article import places

CONFIG, OUTLINE, DRAFT = places.config(TOPIC), places.outline(TOPIC), places.draft(TOPIC)
SOURCES, OUTPUT = places.sources(TOPIC), places.output(TOPIC)
MINE = "Nobody had looked in there."
Edit = Callable[[str], str]


# --- stopped ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-12")
def test_an_article_that_stopped_at_any_step_goes_on_to_the_same_end(whole: Watched, tmp_path: Path) -> None:
    expected, pages = results(whole), whole.fetched()
    steps = list(dict.fromkeys(step for step, _ in whole.moments))
    assert len(steps) == 13
    for step in steps[:-1]:
        project = whole.at(step, tmp_path / step)
        assert project.to_the_end().stop == "complete", step
        assert results(project) == expected, step
        assert project.fetched() == pages, step


@pytest.mark.req("AR-12")
def test_phase_2_of_a_finished_article_is_done_again_and_no_page_is_fetched_again(
    whole: Watched, tmp_path: Path
) -> None:
    project = whole.copied(tmp_path)
    project.edit(DRAFT, lambda text: f"{text}\n")
    project.drive()
    asked = len(project.turns("web-researcher"))
    project.answer("resume", **{"from": "plan_2"})
    assert project.drive().stop == "complete"
    assert len(project.turns("web-researcher")) == asked + 7  # queries, five rounds, synthesis
    assert len(project.fetched()) == len(set(project.fetched()))
    assert project.text(SOURCES) == whole.text(SOURCES)


@pytest.mark.req("AR-12")
def test_phase_2_is_done_again_after_an_escalation_and_no_page_is_fetched_again(whole: Watched, tmp_path: Path) -> None:
    project = whole.at("synthesis", tmp_path)
    state = project.drive("web-researcher:silent@1+")
    assert own(state).step == "escalated"
    project.answer("resume", **{"from": "plan_2"})
    assert project.drive().stop == "complete"
    assert len(project.fetched()) == len(set(project.fetched()))


@pytest.mark.parametrize(
    ("step", "task"), [("draft", "Mend exactly what is named."), ("outline", "Write the article by its outline")]
)
def test_a_draft_that_is_never_mended_is_put_to_a_person_at_the_limit(
    step: str, task: str, whole: Watched, tmp_path: Path
) -> None:
    project = whole.at("draft", tmp_path)
    state = project.drive("outline-writer:link-at-the-end@1+")
    assert (own(state).step, own(state).escalation_reason, own(state).revisions) == ("escalated", "iteration_limit", 2)
    [ask] = state.requests.values()
    assert "the conclusion links to" in ask.question
    assert ask.notes["default"] == "draft"
    assert not (tmp_path / OUTPUT).exists()
    project.answer("resume", **{"from": step})
    assert project.drive().stop == "complete"
    assert task in (project.turns("outline-writer")[-1] / "brief-1.md").read_text("utf-8")


# --- edited on the way ------------------------------------------------------------------------------------------------


def their_words(text: str) -> str:
    """One more sentence at the end of the first section."""
    return text.replace("\n## ", f"\n{MINE}\n\n## ", 1)


def test_a_draft_that_a_person_edits_is_theirs_and_is_checked(whole: Watched, tmp_path: Path) -> None:
    project = whole.at("proofread", tmp_path)
    project.edit(DRAFT, their_words)
    state = project.drive()
    assert (state.stop, DRAFT in own(state).by_hand) == ("complete", True)
    assert MINE in project.text(OUTPUT)
    assert len(project.turns("outline-writer")) == 2, "nobody wrote over it"


def test_a_number_that_a_person_writes_into_a_draft_leads_to_a_quote_or_goes(whole: Watched, tmp_path: Path) -> None:
    project = whole.at("proofread", tmp_path)
    project.edit(DRAFT, lambda text: text.replace("\n## ", "\nIn our shop 83 % of loads crack.\n\n## ", 1))
    assert project.drive().stop == "complete"
    assert "article.statistics" in project.journal
    assert "83 %" not in project.text(OUTPUT)


def test_an_outline_that_a_person_edits_is_written_by(whole: Watched, tmp_path: Path) -> None:
    project = whole.at("draft", tmp_path)
    title = re.findall(r"^## (.+)$", project.text(OUTLINE), re.MULTILINE)[0]
    project.edit(OUTLINE, lambda text: text.replace(f"## {title}", f"## First of all: {title}"))
    mine = project.text(OUTLINE)
    assert project.drive().stop == "complete"
    assert project.text(OUTLINE) == mine
    assert f"## First of all: {title}" in project.text(OUTPUT)


COUNTS: list[tuple[str, Edit]] = [
    ("thesis", lambda text: text.replace('"strategy": "angle"', '"strategy": "execution"')),
    ("thesis", lambda text: text.replace('"skipThesis": false', '"skipThesis": true')),
    ("outline", lambda text: re.sub(r'"sourceCount": \d+', '"sourceCount": 99', text)),
    ("complete", lambda text: re.sub(r'"h2Count": \d+', '"h2Count": 99', text)),
]


@pytest.mark.req("AR-6")
@pytest.mark.parametrize(("step", "edit"), COUNTS, ids=["strategy", "skip", "sources", "sections"])
def test_what_is_computed_is_computed_again_when_a_person_edits_it(
    step: str, edit: Edit, whole: Watched, tmp_path: Path
) -> None:
    project = whole.at(step, tmp_path)
    before = project.text(CONFIG)
    project.edit(CONFIG, edit)
    project.go(lambda live: live.refresh())
    assert project.text(CONFIG) == before


REMOVED = {"thesis": CONFIG, "synthesis": SOURCES, "draft": OUTLINE, "rounds": f"knowledge/{TOPIC}-pages/"}


@pytest.mark.parametrize(("step", "path"), REMOVED.items(), ids=REMOVED)
def test_what_others_rest_on_is_put_back_when_it_is_removed(
    step: str, path: str, whole: Watched, tmp_path: Path
) -> None:
    project = whole.at(step, tmp_path)
    file = next((tmp_path / path).iterdir()) if path.endswith("/") else tmp_path / path
    before = file.read_bytes()
    file.unlink()
    project.go(lambda live: live.refresh())
    assert file.read_bytes() == before
    assert "was removed and has been put back" in project.text(f"_workflow/article/{TOPIC}/status.json")


@pytest.mark.req("AR-4")
def test_a_question_on_bytes_that_a_person_edited_is_put_once_and_anew(whole: Watched, tmp_path: Path) -> None:
    project = whole.at("thesis", tmp_path)
    project.edit(CONFIG, lambda text: text.replace('"bias": "', '"bias": "always '))
    state = project.drive()
    assert [ask.key for ask in state.requests.values()] == ["thesis"]
    project.edit(CONFIG, lambda text: text.replace('"articleType": "opinion"', '"articleType": "informational"'))
    state = project.drive()
    assert (state.stop, len(state.requests)) == ("complete", 0)


UNREADABLE: dict[str, tuple[Edit, str]] = {
    "no JSON": (lambda _: "{", "invalid JSON"),
    "an unknown word": (lambda text: text.replace('"opinion"', '"rant"'), "`articleType` is 'rant'"),
    "another topic": (lambda text: text.replace(f'"{TOPIC}"', '"other"', 1), "`topic` is 'other'"),
}


@pytest.mark.req("AR-1")
@pytest.mark.parametrize("case", UNREADABLE)
def test_a_config_that_a_person_spoilt_stops_everything_and_says_where(
    case: str, whole: Watched, tmp_path: Path
) -> None:
    project = whole.at("thesis", tmp_path)
    journal, (edit, said) = project.journal, UNREADABLE[case]
    project.edit(CONFIG, edit)
    with pytest.raises(DocumentError, match=re.escape(said)):
        project.drive()
    assert project.journal == journal


# --- edited after the end ---------------------------------------------------------------------------------------------

AFTER: dict[str, tuple[str, Edit | None, str]] = {
    "the draft": (DRAFT, their_words, "draft"),
    "no draft": (DRAFT, None, "draft"),
    "the outline": (OUTLINE, lambda text: text.replace("\n## ", "\n## Once more: ", 1), "draft"),
    "the config": (CONFIG, lambda text: text.replace('"bias": "', '"bias": "always '), "outline"),
    "the sources": (SOURCES, lambda text: text.replace("### CASE-002", "### CASE-902"), "synthesis"),
    "the output": (OUTPUT, lambda text: f"{text}\nMore.\n", "proofread"),
    "no output": (OUTPUT, None, "proofread"),
}


@pytest.mark.parametrize("case", AFTER)
def test_an_edit_after_the_end_says_what_it_undoes_and_is_worked_in_when_the_person_says_so(
    case: str, whole: Watched, tmp_path: Path
) -> None:
    project, (path, edit, step) = whole.copied(tmp_path), AFTER[case]
    project.edit(path, edit) if edit else (tmp_path / path).unlink()
    state = project.drive()
    [ask] = state.requests.values()
    assert (ask.key, ask.notes["default"]) == ("stale", step)
    assert path in ask.question
    turns = len(project.turns("*"))
    assert turns == len(whole.turns("*")), "nothing is done before the person says so"
    project.answer("resume")
    state = project.drive()
    assert (state.stop, len(state.requests), own(state).stale) == ("complete", 0, "")
    assert (MINE in project.text(OUTPUT)) == (case == "the draft")
    assert "More." not in project.text(OUTPUT)


@pytest.mark.req("AR-5")
def test_a_quote_that_no_longer_stands_in_its_page_carries_nothing(whole: Watched, tmp_path: Path) -> None:
    project = whole.copied(tmp_path)
    found = re.search(r"^- from: (.+)\n\n> (.+)$", project.text(places.released(TOPIC)[1]), re.MULTILINE)
    assert found
    url, quote = found.groups()
    [page] = [path for path in (tmp_path / places.pages(TOPIC)).iterdir() if url in path.read_text("utf-8")]
    project.edit(page.relative_to(tmp_path).as_posix(), lambda text: text.replace(quote[:20], "Somebody else said"))
    project.drive()
    project.answer("resume")
    state = project.drive()
    assert own(state).escalation_reason == "iteration_limit"
    assert any(one.rule == "article.quote" and url in one.problem for one in own(state).required)


# --- several articles (AR-13) -----------------------------------------------------------------------------------------


@pytest.mark.req("AR-13")
def test_an_article_on_the_topic_of_another_stops_with_the_reason(whole: Watched, tmp_path: Path) -> None:
    project = whole.copied(tmp_path)
    (tmp_path / "config/earlier.json").write_text(project.text(CONFIG).replace(f'"{TOPIC}"', '"bath-care"'))
    second = ArticleProject(tmp_path, "bath-care")
    second.begin()
    state = second.drive()
    assert own(state).step == "escalated"
    [ask] = state.requests.values()
    assert "config/earlier.json is about 'bath-care' already" in ask.question
    assert not (tmp_path / places.config("bath-care")).exists()
    (tmp_path / "config/earlier.json").unlink()
    second.answer("resume")
    assert own(second.drive()).step == "thesis"


@pytest.mark.req("AR-13")
def test_a_second_article_knows_the_first(whole: Watched, tmp_path: Path) -> None:
    second = ArticleProject(whole.copied(tmp_path).root, "water-in-quench-oil")
    second.begin()
    assert second.to_the_end(thesis="thesis-3").stop == "complete"
    one, two = (writing(second, name) for name in (TOPIC, second.name))
    assert one["decisions"]["hookUsed"]["type"] != two["decisions"]["hookUsed"]["type"]
    assert one["outline"]["conclusionType"] != two["outline"]["conclusionType"]
    brief = (second.turns("outline-writer")[0] / "brief-1.md").read_text("utf-8")
    assert f'"url": "{OUTPUT}"' in brief, "a link to it is offered"
    assert f"{OUTPUT} could link to this article" in second.text(places.released(second.name)[3])


def writing(project: ArticleProject, topic: str) -> dict[str, Any]:
    """What was decided in writing an article."""
    return dict(json.loads(project.text(places.config(topic)))["workflowState"]["writing"])


SAME = {"conclusion": ("outline", ("outline", "conclusionType")), "hook": ("draft", ("decisions", "hookUsed", "type"))}


@pytest.mark.req("AR-13")
@pytest.mark.parametrize("case", SAME)
def test_a_hook_or_conclusion_of_the_article_before_is_not_used_again(
    case: str, whole: Watched, tmp_path: Path
) -> None:
    contract, (*way, last) = SAME[case]
    used = reduce(getitem, (*way, last), writing(whole, TOPIC))
    second = ArticleProject(whole.copied(tmp_path).root, "water-in-quench-oil")
    second.begin()

    def same(output: Output) -> None:
        reduce(getitem, way, output["config"]["workflowState"]["writing"])[last] = used

    state = second.to_the_end(agents=but(contract, same))
    assert own(state).step == "escalated"
    [ask] = state.requests.values()
    assert f"the {case} is of the type {used!r}" in ask.question
