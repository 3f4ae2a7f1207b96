"""Articles from their beginning on: what is skipped, what a person chooses, and without what nobody writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from article_agents import AGENTS, Output, but
from article_config import BEGUN
from article_moments import Watched
from article_project import TOPIC, ArticleProject, own

from signoff.core.errors import DocumentError, UsageError
from signoff.core.state import State
from signoff.workflows.article import places
from signoff.workflows.article.checks.text import terms

CONFIG = places.config(TOPIC)


def begun(folder: Path, **params: str) -> ArticleProject:
    project = ArticleProject.laid_out(folder)
    project.begin(**params)
    return project


@pytest.fixture(scope="module")
def asked(whole: Watched, tmp_path_factory: pytest.TempPathFactory) -> ArticleProject:
    """An opinion for practitioners that waits for its thesis."""
    project = whole.at("thesis", tmp_path_factory.mktemp("asked"))
    assert own(project.drive()).step == "thesis"
    return project


def config(project: ArticleProject) -> dict[str, Any]:
    return dict(json.loads(project.text(CONFIG)))


def angle(project: ArticleProject) -> dict[str, Any]:
    return dict(config(project)["writingAngle"])


def brief(project: ArticleProject, agent: str, number: int = -1) -> str:
    return (project.turns(agent)[number] / "brief-1.md").read_text("utf-8")


# --- without a thesis (AR-3) ------------------------------------------------------------------------------------------


def low(output: Output) -> None:
    """There is no room for a thesis of one's own."""
    research = output["config"]["workflowState"]["research"]
    research["innovationSpace"]["level"] = "low"
    research.pop("recommendedTheses", None)


@pytest.mark.req("AR-3")
@pytest.mark.parametrize(
    ("kind", "spoil"), [("informational", None), ("opinion", low)], ids=["informational", "level low"]
)
def test_an_article_without_room_for_a_thesis_is_written_without_asking_for_one(
    kind: str, spoil: Callable[[Output], None] | None, tmp_path: Path
) -> None:
    project = begun(tmp_path, type=kind)
    state = project.drive(agents=but("phase-1", spoil) if spoil else AGENTS)
    assert (state.stop, own(state).choices) == ("complete", ())
    found = angle(project)
    assert (found["thesis"], found["stance"], found["pending"]) == (None, None, False)
    space = config(project)["workflowState"]["research"]["innovationSpace"]
    assert (space["strategy"], space["skipThesis"]) == ("execution", True)


@pytest.mark.req("AR-3")
def test_theses_where_there_is_no_room_for_one_are_refused(tmp_path: Path) -> None:
    def low_with_theses(output: Output) -> None:
        output["config"]["workflowState"]["research"]["innovationSpace"]["level"] = "low"

    state = begun(tmp_path).drive(agents=but("phase-1", low_with_theses))
    assert own(state).step == "escalated"
    assert any("the article gets no thesis, and there are recommended ones" in one for one in own(state).blockers)


# --- the choice (AR-4) ------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-4")
def test_the_theses_are_offered_with_stance_depth_evidence_and_differentiation(asked: ArticleProject) -> None:
    [ask] = asked.state.requests.values()
    theses = config(asked)["workflowState"]["research"]["recommendedTheses"]
    assert ask.options == ("thesis-1", "thesis-2", "thesis-3", "own-challenge", "own-confirm", "own-nuance")
    for number, one in enumerate(theses, 1):
        said = ask.notes["about"][f"thesis-{number}"]
        for field in ("thesis", "stance", "evidenceSummary", "differentiationScore"):
            assert one[field] in said
        assert "any depth" in said or one["recommendedDepth"] in said


def settled(project: ArticleProject) -> State:
    """The state after the choice, before anybody works on it."""

    async def now(live: Any) -> State:
        await live.refresh()
        return live.state  # type: ignore[no-any-return]

    return project.go(now)


@pytest.mark.req("AR-4")
@pytest.mark.parametrize("number", [1, 3])
def test_a_recommended_thesis_is_taken_as_it_was_offered(number: int, asked: ArticleProject, tmp_path: Path) -> None:
    project = asked.copied(tmp_path)
    project.answer(f"thesis-{number}")
    one = config(project)["workflowState"]["research"]["recommendedTheses"][number - 1]
    assert angle(project) == {
        "thesis": one["thesis"],
        "stance": one["stance"],
        "recommendedDepth": one["recommendedDepth"],
        "depthMismatchAcknowledged": False,
        "pending": False,
    }
    assert own(settled(project)).step == "plan_2"


@pytest.mark.req("AR-4")
@pytest.mark.parametrize("stance", ["challenge", "confirm", "nuance"])
def test_a_person_may_say_the_thesis_in_their_own_words(stance: str, asked: ArticleProject, tmp_path: Path) -> None:
    project = asked.copied(tmp_path)
    with pytest.raises(UsageError, match="needs the words of your thesis"):
        project.answer(f"own-{stance}")
    words = "Most scrap begins in a bath that nobody looks at"
    project.answer(f"own-{stance}", note=words)
    found = angle(project)
    assert (found["thesis"], found["stance"], found["pending"]) == (words, stance, False)
    assert own(settled(project)).choices[0].note == words


@pytest.mark.req("AR-4")
@pytest.mark.parametrize("kind", ["tutorial", "comparison"])
def test_a_tutorial_or_comparison_may_do_without_a_thesis(kind: str, tmp_path: Path) -> None:
    project = begun(tmp_path, type=kind)
    assert project.to_the_end(thesis="none").stop == "complete"
    found = angle(project)
    assert (found["thesis"], found["stance"], found["pending"]) == (None, None, False)


@pytest.fixture(scope="module")
def mismatched(asked: ArticleProject, tmp_path_factory: pytest.TempPathFactory) -> ArticleProject:
    """A person chose a thesis that suits experts, for an article that is written for practitioners."""
    project = asked.copied(tmp_path_factory.mktemp("mismatched"))
    project.answer("thesis-2")
    project.drive()
    return project


@pytest.mark.req("AR-4")
def test_a_thesis_of_another_depth_asks_to_be_acknowledged(mismatched: ArticleProject) -> None:
    [ask] = mismatched.state.requests.values()
    assert (ask.key, ask.options) == ("depth", ("acknowledge", "back"))
    assert "专家级" in ask.question
    assert angle(mismatched)["pending"]


@pytest.mark.req("AR-4", "AR-14")
def test_an_acknowledged_depth_is_set_and_the_argument_adapted(mismatched: ArticleProject, tmp_path: Path) -> None:
    project = mismatched.copied(tmp_path)
    project.answer("acknowledge")
    found = angle(project)
    assert (found["depthMismatchAcknowledged"], found["recommendedDepth"]) == (True, "专家级")
    assert project.drive().stop == "complete"
    made = config(project)["workflowState"]["writing"]["decisions"]["depthAdaptation"]
    assert made["applied"]
    assert made["strategy"]


@pytest.mark.req("AR-4")
def test_whoever_goes_back_from_a_depth_chooses_again(mismatched: ArticleProject, tmp_path: Path) -> None:
    project = mismatched.copied(tmp_path)
    project.answer("back")
    project.answer("thesis-3")
    found = angle(project)
    assert (found["pending"], found["depthMismatchAcknowledged"]) == (False, False)
    assert found["thesis"] == config(project)["workflowState"]["research"]["recommendedTheses"][2]["thesis"]


DEEPER: dict[str, tuple[tuple[str, str], tuple[str | None, bool]]] = {
    "the depth": (('"depth": "技术细节"', '"depth": "专家级"'), ("专家级", False)),
    "the type": (('"articleType": "opinion"', '"articleType": "informational"'), (None, False)),
}


@pytest.mark.req("AR-4")
@pytest.mark.parametrize("case", DEEPER)
def test_a_person_who_edits_the_config_may_settle_the_depth_in_it(
    case: str, mismatched: ArticleProject, tmp_path: Path
) -> None:
    project, ((old, new), (depth, acknowledged)) = mismatched.copied(tmp_path), DEEPER[case]
    project.edit(CONFIG, lambda text: text.replace(old, new))
    state = settled(project)
    assert (own(state).step, len(state.requests)) == ("plan_2", 0)
    found = angle(project)
    assert (found.get("recommendedDepth"), found["depthMismatchAcknowledged"]) == (depth, acknowledged)


# --- nobody writes without (AR-8) -------------------------------------------------------------------------------------


def gone(*path: str) -> Callable[[dict[str, Any]], None]:
    def take(whole: dict[str, Any]) -> None:
        for step in path[:-1]:
            whole = whole[step]
        whole.pop(path[-1])

    return take


def _thesis_gone(whole: dict[str, Any]) -> None:
    whole["writingAngle"] |= {"thesis": None, "stance": None}


RESEARCH = ("workflowState", "research")
MISSING: dict[str, Callable[[dict[str, Any]], None]] = {
    "articleType": gone("articleType"),
    "authorPersona.role": gone("authorPersona", "role"),
    "authorPersona.bias": gone("authorPersona", "bias"),
    "workflowState.research.innovationSpace.level": gone(*RESEARCH, "innovationSpace", "level"),
    "workflowState.research.status": gone(*RESEARCH, "status"),
    "writingAngle.thesis and writingAngle.stance": _thesis_gone,
}


@pytest.mark.req("AR-8")
@pytest.mark.parametrize("field", MISSING)
def test_nobody_writes_while_a_field_is_missing_and_it_is_named(field: str, whole: Watched, tmp_path: Path) -> None:
    project = whole.copied(tmp_path)
    whole = config(project)
    MISSING[field](whole)
    (tmp_path / CONFIG).write_text(json.dumps(whole, ensure_ascii=False, indent=2), "utf-8")
    state = settled(project)
    [ask] = state.requests.values()
    assert "outline" not in ask.notes["from"], "where something is missing, nobody can begin"
    assert "draft" not in ask.notes["from"]
    writers = len(project.turns("outline-writer"))
    project.answer("resume", **{"from": "proofread"})
    project.edit(places.draft(TOPIC), lambda text: f"{text}\n")
    state = project.drive()
    assert own(state).step == "escalated"
    assert any(
        f"{field} is not settled, and the article cannot be written without it" in one for one in own(state).blockers
    )
    assert len(project.turns("outline-writer")) == writers


@pytest.mark.req("AR-8")
def test_a_config_that_a_person_wrote_beforehand_is_taken_as_it_is(tmp_path: Path) -> None:
    project = ArticleProject.laid_out(tmp_path)
    mine = {**BEGUN, "topic": TOPIC, "internalLinks": {}, "products": []}
    (tmp_path / "config").mkdir()
    (tmp_path / CONFIG).write_text(json.dumps(mine, ensure_ascii=False, indent=4), "utf-8")
    project.begin()
    state = project.drive()
    assert own(state).step == "thesis"
    assert project.turns("config-creator") == []
    made = config(project)
    assert {name: made[name] for name in mine} == mine
    project.answer("thesis-1")
    project.edit(CONFIG, lambda text: re.sub(r'"role": ".+",', "", text))
    state = project.drive()
    assert own(state).step == "escalated"
    assert [one for one in own(state).blockers if "authorPersona.role is not settled" in one]
    assert not project.turns("outline-writer")


@pytest.mark.req("AR-8")
def test_a_config_of_another_topic_begins_nothing(tmp_path: Path) -> None:
    project = ArticleProject.laid_out(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / CONFIG).write_text(json.dumps(BEGUN, ensure_ascii=False), "utf-8")
    with pytest.raises(DocumentError, match="`topic` is 'quench-oil-or-water'"):
        project.begin()
    with pytest.raises(DocumentError, match="name the run quench-oil"):
        ArticleProject(tmp_path, "quench_oil").begin()


# --- what the evidence made of it (AR-14) -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def softened(asked: ArticleProject, tmp_path_factory: pytest.TempPathFactory) -> ArticleProject:
    """A thesis that the evidence does not carry as it is."""
    project = asked.copied(tmp_path_factory.mktemp("softened"))
    project.answer("thesis-1")
    project.drive("web-researcher:softened@7")
    assert own(project.state).step == "adjustment"
    return project


@pytest.mark.req("AR-14")
def test_an_adjustment_is_put_to_the_person_with_both_wordings(softened: ArticleProject) -> None:
    [ask] = softened.state.requests.values()
    found = config(softened)["workflowState"]["research"]["thesisValidation"]
    assert ask.options == ("adopt", "keep", "own")
    assert found["adjustment"] != "keep"
    assert found["validatedThesis"] in ask.notes["about"]["adopt"]
    assert found["originalThesis"] in ask.notes["about"]["keep"]
    assert not softened.turns("outline-writer"), "nobody writes before it is settled"


@pytest.mark.req("AR-14")
@pytest.mark.parametrize("act", ["adopt", "keep", "own"])
def test_the_writer_gets_the_thesis_as_the_person_settled_it(
    act: str, softened: ArticleProject, tmp_path: Path
) -> None:
    project = softened.copied(tmp_path)
    found = config(project)["workflowState"]["research"]["thesisValidation"]
    own_words = "The condition of the quench oil decides about distortion and cracking in most shops"
    wanted = {"adopt": found["validatedThesis"], "keep": found["originalThesis"], "own": own_words}[act]
    if act == "own":
        with pytest.raises(UsageError, match="needs the words of your thesis"):
            project.answer("own")
    project.answer(act, **({"note": own_words} if act == "own" else {}))
    assert config(project)["workflowState"]["research"]["thesisValidation"]["validatedThesis"] == wanted
    assert project.drive().stop == "complete"
    assert wanted in re.sub(r"\s+", " ", brief(project, "outline-writer"))
    stated = config(project)["workflowState"]["writing"]["decisions"]["thesisExecution"]["introStatement"]
    assert terms(wanted) & terms(stated)
