"""Articles on the command line: begun, asked about, settled, finished, measured and traced."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from shell_out import Ended, at_terminal, signoff

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
sys.path.insert(0, str(Path(__file__).parents[1] / "workflows" / "article"))
import small_article as small
from article_agents import AGENTS
from article_project import TOPIC, ArticleProject, own
from model_kit import CLAUDE, players

from signoff.service.project import Project
from signoff.testing.stub import Stub

BEGIN = ("run", "article", TOPIC, "--type", "opinion", "--language", "en")
ON_A_MODEL, BY_A_HOST = ("--runtime", "model", "--model", CLAUDE), ("--runtime", "host")
DRAFT = f"drafts/{TOPIC}.md"
OUTPUTS = [f"output/{TOPIC}{kind}.md" for kind in ("", "-sources", "-images", "-report")]

pytestmark = pytest.mark.xdist_group("articles on the command line")  # one process, so that the article is written once


def laid_out(folder: Path) -> Path:
    """A project with the document of the small article."""
    return ArticleProject.laid_out(folder).root


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """An article that waits for its thesis, and what was said until then; the scripted agents answer as a model."""
    folder = laid_out(tmp_path_factory.mktemp("thesis") / "project")
    with Stub(players(folder, TOPIC, AGENTS)) as stub:
        return folder, signoff(*BEGIN, *ON_A_MODEL, cwd=folder, **stub.environment())


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The article at its end, worked on by a host, and what is said when it is asked for then."""
    project = ArticleProject.laid_out(tmp_path_factory.mktemp("finished") / "project")
    project.begin()
    assert project.to_the_end().stop == "complete"
    return project.root, signoff("run", "article", TOPIC, *BY_A_HOST, cwd=project.root)


def config(folder: Path) -> dict[str, object]:
    return json.loads((folder / f"config/{TOPIC}.json").read_text("utf-8"))


# --- begun ------------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-4")
def test_a_run_stops_for_the_thesis_and_shows_what_can_be_chosen(waiting: tuple[Path, Ended]) -> None:
    folder, ended = waiting
    assert ended.code == 3, ended.err
    assert f"  $ signoff choose {TOPIC} thesis-1  # {small.THESIS} (challenge," in ended.out
    assert f"  $ signoff choose {TOPIC} own-nuance  # your own words" in ended.out
    assert "target" not in ended.out, "there is no mix to show before there are materials"
    [row] = signoff("status", "--json", cwd=folder).json["runs"]
    assert (row["phase"], row["next_agent"], row["stop"]) == ("3 thesis", "human", None)
    assert "3 thesis" in signoff("status", cwd=folder).out
    [request] = signoff("inbox", "--json", cwd=folder).json["requests"]
    assert request["options"] == ["thesis-1", "thesis-2", "thesis-3", "own-challenge", "own-confirm", "own-nuance"]
    assert small.THESIS in request["about"]["thesis-1"]


@pytest.mark.req("AR-4")
def test_words_of_ones_own_are_the_thesis_and_their_lack_is_refused(
    waiting: tuple[Path, Ended], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(waiting[0], tmp_path / "project"))
    empty = signoff("choose", TOPIC, "own-nuance", cwd=folder, person="Ada")
    assert empty.code == 2
    assert 'choose own-nuance with --note "The one claim"' in empty.err
    assert config(folder)["writingAngle"]["pending"] is True  # type: ignore[index]
    words = "Most scrap begins in a bath that nobody looks at"
    assert signoff("choose", TOPIC, "own-nuance", "--note", words, "--no-run", cwd=folder, person="Ada").code == 0
    angle = config(folder)["writingAngle"]
    assert (angle["thesis"], angle["stance"], angle["pending"]) == (words, "nuance", False)  # type: ignore[index]


@pytest.mark.req("LB-10")
def test_an_english_run_is_shown_english_names_and_takes_chinese_ones(
    waiting: tuple[Path, Ended], tmp_path: Path
) -> None:
    folder, ended = Path(shutil.copytree(waiting[0], tmp_path / "project")), waiting[1]
    inbox, offers = signoff("inbox", cwd=folder), signoff("choose", TOPIC, cwd=folder)
    for said in (ended.out, inbox.out, offers.out):
        assert "depth technical-details" in said
        assert not re.search("[\u4e00-\u9fff]", said)
    wrong = signoff("choose", TOPIC, "自拟", cwd=folder)
    assert "thesis-1 or thesis-2 or thesis-3 or own-challenge" in wrong.err
    words = "Most scrap begins in a bath that nobody looks at"
    assert signoff("choose", TOPIC, "自拟-辨析", "--note", words, "--no-run", cwd=folder, person="Ada").code == 0
    assert config(folder)["writingAngle"]["stance"] == "nuance"  # type: ignore[index]


@pytest.mark.req("AR-5")
def test_a_search_of_the_web_without_a_key_is_refused_before_the_first_turn(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "project")
    settings = folder / "_workflow/article/config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("search: {where: web}\n")
    with Stub([]) as stub:
        ended = signoff(*BEGIN, *ON_A_MODEL, cwd=folder, **stub.environment())
    assert (ended.code, stub.asked) == (2, [])
    assert "BRAVE_API_KEY" in ended.err
    assert not list(folder.rglob("turns/*/raw-*"))


# --- the short interview ----------------------------------------------------------------------------------------------

ANSWERED = "\n1\ndeep\nb2x\nb2b\n\nlook into the bath first\n"


def test_at_a_terminal_what_was_not_said_is_asked_for_before_the_run_begins(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "project")
    ended = at_terminal(("run", "article", TOPIC, "--role", "shop foreman", *BY_A_HOST), folder, types=ANSWERED)
    assert ended.code == 3
    assert "'b2x' is none of them" in ended.out
    assert "Who writes it?" not in ended.out
    assert ended.out.index("What does the author insist on?") < ended.out.index("config-creator")
    assert asyncio.run(Project(folder).open(TOPIC)).state.params == {
        "slug": TOPIC, "type": "opinion", "length": "deep", "audience": "b2b", "role": "shop foreman",
        "bias": "look into the bath first",
    }  # fmt: skip
    again = at_terminal(("run", "article", TOPIC, *BY_A_HOST), folder)
    assert (again.code, "A few questions" in again.out) == (3, False), "a run that has begun is not asked"


@pytest.mark.parametrize(
    ("flags", "env"), [(("--json",), {}), ((), {"CLAUDECODE": "1"})], ids=["json", "the shell of an agent"]
)
def test_nobody_is_asked_where_no_person_would_read_it(
    flags: tuple[str, ...], env: dict[str, str], tmp_path: Path
) -> None:
    ended = at_terminal((*BEGIN, *BY_A_HOST, *flags), laid_out(tmp_path / "project"), env=env)
    assert (ended.code, "A few questions" in ended.out) == (3, False)


def test_a_pipe_is_not_asked(tmp_path: Path) -> None:
    ended = signoff(*BEGIN, *BY_A_HOST, cwd=laid_out(tmp_path / "project"), lines=ANSWERED)
    assert (ended.code, "A few questions" in ended.out) == (3, False)


# --- finished ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-6", "AR-9")
def test_the_end_shows_the_budget_the_mix_as_bars_the_coverage_and_where_the_report_is(
    finished: tuple[Path, Ended],
) -> None:
    folder, ended = finished
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert [f"  released: {path}" for path in OUTPUTS] == [line for line in lines if line.startswith("  released")]
    [budget] = [line for line in lines if line.startswith(f"article: output/{TOPIC}.md, ")]
    assert budget.endswith(" words (budget 1200 to 1500)")
    assert "cases                target  40%  ████████············" in lines
    assert sum("  actual " in line for line in lines) == 5
    assert "differentiators: 1 of 2 used." in lines
    assert lines[-1] == f"report: output/{TOPIC}-report.md"
    assert all((folder / path).is_file() for path in OUTPUTS)


def test_a_finished_run_says_with_json_what_came_of_it(finished: tuple[Path, Ended]) -> None:
    folder, said = finished
    told = signoff("run", "article", TOPIC, *BY_A_HOST, "--json", cwd=folder).json
    assert (told["exit"], told["outputs"]) == (0, OUTPUTS)
    assert told["summary"]["lines"] == said.out.splitlines()[-len(told["summary"]["lines"]) :]


@pytest.mark.req("AR-9")
def test_every_statistic_of_the_report_leads_to_its_quote(finished: tuple[Path, Ended]) -> None:
    report = (finished[0] / OUTPUTS[-1]).read_text("utf-8")
    told = report.partition("## Statistics\n")[2].partition("\n## ")[0].strip().splitlines()
    sources = (finished[0] / f"knowledge/{TOPIC}-sources.md").read_text("utf-8")
    assert told == [f"- H2-1: 23% — D001, {small.URL}: “{small.DATUM}”"]
    assert small.DATUM in sources


# --- measured and traced ----------------------------------------------------------------------------------------------


@pytest.mark.req("AR-9")
def test_a_draft_that_passed_passes_its_checks_on_its_own(finished: tuple[Path, Ended]) -> None:
    folder, _ = finished
    ended = signoff("article", "check", DRAFT, cwd=folder)
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "check: pass, 0 findings in 1 file"
    assert "cases                target  40%  ████████············" in ended.out
    told = signoff("article", "check", DRAFT, "--json", cwd=folder).json
    assert (told["pass"], set(told["data"]["checks"].values())) == (True, {True})
    length = told["data"]["length"]
    assert length["least"] <= length["found"] <= length["most"]


@pytest.mark.req("AR-9")
def test_a_draft_with_a_number_out_of_nowhere_fails_with_its_line_and_the_repair(
    finished: tuple[Path, Ended], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(finished[0], tmp_path / "project"))
    draft = folder / DRAFT
    head, _, rest = draft.read_text("utf-8").partition("\n## ")
    draft.write_text(f"{head}\nIn our experience 83 % of all loads are affected.\n\n## {rest}", "utf-8")
    ended = signoff("article", "check", DRAFT, cwd=folder)
    assert ended.code == 1
    line = f"{head}\n".count("\n") + 1
    assert f"{DRAFT}:{line}: article.statistics: introduction says '83 %'" in ended.out
    assert "such as 'most'" in ended.out
    assert "statistics: fail" in ended.out.splitlines()
    told = signoff("article", "check", DRAFT, "--json", cwd=folder).json
    checks = told["data"]["checks"]
    assert (told["pass"], checks["statistics"], checks["thesis"]) == (False, False, True)


def test_a_draft_without_a_config_to_measure_it_by_is_refused_with_the_repair(tmp_path: Path) -> None:
    (tmp_path / "lonely.md").write_text("# Lonely\n")
    ended = signoff("article", "check", "lonely.md", cwd=tmp_path)
    assert ended.code == 2
    assert "there is no config/lonely.json, which the checks of lonely.md need" in ended.err


@pytest.mark.req("AR-7")
def test_a_material_leads_from_its_page_to_the_sentences_that_rest_on_it(finished: tuple[Path, Ended]) -> None:
    folder, _ = finished
    ended = signoff("trace", "D001", cwd=folder)
    found = signoff("trace", "D001", "--json", cwd=folder).json
    assert ended.out.startswith(f"D001: {found['text']}")
    assert found["text"] in (folder / found["came_from"]["page"]).read_text("utf-8")
    assert found["came_from"]["url"].startswith("0-sources/")
    assert [turn.partition("-")[2] for turn in found["found_by"]] == ["web-researcher"]
    assert any("lost 23% of their parts" in sentence for sentence in found["used_in"])


def test_init_makes_a_project_for_an_article_that_says_what_to_put_where(tmp_path: Path) -> None:
    ended = signoff("init", "oven-calibration", "--workflow", "article", cwd=tmp_path)
    assert ended.code == 0
    assert "Fill in 0-sources/brief.md, then:" in ended.out
    assert "  $ signoff run article oven-calibration" in ended.out.splitlines()
    bare = ArticleProject(tmp_path / "oven-calibration", "oven-calibration")
    bare.begin()
    assert "put documents into 0-sources/" in own(bare.drive()).blockers[0]
