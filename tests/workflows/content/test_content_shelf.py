"""What ships with content, and how a project adds to it: recipes, advisors, frameworks, templates, the prompt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from content_project import Writing, advisor, lay_out
from small_content import documents

from signoff.core.errors import DocumentError
from signoff.service.files import file_commands, new_project
from signoff.workflows.content import shelf
from signoff.workflows.content.commands import COMMANDS
from signoff.workflows.content.steps.critics import named
from signoff.workflows.content.steps.toolbox import TOOLS
from signoff.workflows.content.workflow import WORKFLOW

SHIPPED = shelf.of_files({})
BANDS = ("1–2", "3–4", "5–6", "7–8", "9–10")
LISTINGS = {command.name: command for command in COMMANDS}


def test_the_shipped_recipes_are_those_of_the_spec() -> None:
    found = {kind: recipe.model_dump(by_alias=True) for kind, recipe in SHIPPED.recipes().items()}
    website, blog, social = found["website"], found["blog-post"], found["social-post"]
    assert (website["authorAdvisor"], website["authorFramework"]) == ("julian-shapiro", "landing-page-assembly")
    assert website["namedCritics"] == ("oli-gardner", "joanna-wiebe", "shirin-oreizy", "copywriter")
    assert website["authorContextDocs"] == blog["authorContextDocs"] == ("positioning", "brand-voice", "seo-strategy")
    assert social["authorContextDocs"] == ("positioning", "brand-voice", "social-media-strategy")
    assert (blog["authorAdvisor"], social["authorAdvisor"]) == ("copywriter", "copywriter")
    assert [one["maxRevisionRounds"] for one in (website, blog, social)] == [3, 3, 2]
    assert {one["minAggregateScore"] for one in found.values()} == {4}
    assert not social["evaluationEmphasis"]


@pytest.mark.req("CP-3")
@pytest.mark.parametrize("kind", list(SHIPPED.recipes()))
def test_everything_that_a_shipped_recipe_names_is_there(kind: str) -> None:
    recipe, advisors = SHIPPED.recipe(kind), SHIPPED.advisors()
    assert recipe.author_advisor in advisors
    assert recipe.author_framework is None or SHIPPED.framework(recipe.author_framework)
    assert named(recipe, advisors)[1] == ()


def test_there_are_at_least_twelve_advisors_and_two_frameworks() -> None:
    assert len(SHIPPED.advisors()) >= 12
    assert {"landing-page-assembly", "article-spine"} <= SHIPPED.frameworks().keys()


@pytest.mark.parametrize("path", list(shelf.shipped(shelf.ADVISORS)))
def test_an_advisor_says_how_it_works_what_it_looks_for_and_how_it_scores(path: str) -> None:
    data = shelf.shipped(shelf.ADVISORS)[path]
    found, text = shelf.parse_advisor(data, path), data.decode()
    assert not re.search(r"\byou are\b(?! (?:the|a|an)\b)", text.casefold()), "nobody is impersonated"
    if not found.judges:
        return
    for heading in ("## Method", "## What to look for", "## What not to judge", "## Scoring", "## Severity"):
        assert heading in text
    scoring = text.split("## Scoring")[1].split("\n## ")[0]
    assert [band for band in BANDS if band not in scoring.replace("-", "–")] == []
    assert found.blind_to


@pytest.mark.parametrize("kind", shelf.DOC_TYPES)
def test_every_foundation_document_has_a_template_that_counts_as_missing_until_it_is_filled_in(kind: str) -> None:
    home = Path(shelf.__file__).parent
    data = (home / WORKFLOW.setup.starter[shelf.document(kind)]).read_bytes()
    assert [one.rule for one in shelf.lacking([kind], lambda _path: data)] == ["foundation.missing"]
    filled = data.replace(shelf.UNFILLED.encode(), b"")
    assert not shelf.lacking([kind], lambda _path: filled)


def test_the_first_run_of_a_new_project_is_the_idea_that_it_comes_with(tmp_path: Path) -> None:
    made = new_project.start(tmp_path / "mine", workflow="content")
    idea = shelf.parse_idea((tmp_path / "mine/ideas/first-idea.md").read_bytes(), "ideas/first-idea.md")
    assert (made.slug, idea.id, idea.type) == ("first-idea", "first-idea", "website")


@pytest.mark.parametrize(
    ("path", "text", "rule", "said"),
    [
        ("recipes/small.yaml", "contentType: other\n", "recipe.form", "`authorAdvisor` is missing"),
        (
            "recipes/small.yaml",
            documents()["recipes/small.yaml"].replace("small", "big"),
            "recipe.name",
            "named 'small'",
        ),
        ("recipes/small.yaml", documents()["recipes/small.yaml"].replace("5", "50"), "recipe.form", "1 to 10"),
        ("recipes/small.yaml", documents()["recipes/small.yaml"] + "mood: x\n", "recipe.form", "`mood` is not a field"),
        ("advisors/ada.md", "# Ada\n", "advisor.frontmatter", "there is no frontmatter"),
        ("advisors/ada.md", advisor("ben"), "advisor.name", "named 'ada'"),
        ("advisors/ada.md", advisor("ada").replace("critic", "judge"), "advisor.form", "role"),
        ("advisors/ada.md", advisor("ada").replace("brand-voice", "diary"), "advisor.form", "contextDocs"),
        ("advisors/ada.md", advisor("ada").split("Look")[0], "advisor.empty", "no prompt"),
        ("ideas/x.md", "---\nid: y\ntitle: Y\n---\n", "idea.name", "named 'x'"),
        ("_workflow/content/config.yaml", "critics_at_once: 0\n", "config.form", "1 to 50"),
    ],
)
def test_a_file_that_a_person_wrote_wrong_is_said_before_anything_is_taken_in(
    path: str, text: str, rule: str, said: str, tmp_path: Path
) -> None:
    root = lay_out(tmp_path, more={path: text})
    with pytest.raises(DocumentError) as refused:
        Writing(root).run()
    found = refused.value.findings[0]
    assert (found.rule, found.file) == (rule, path)
    assert said in found.problem


def test_a_project_s_own_file_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    mine = advisor("copywriter", "our own voice")
    files = {"advisors/copywriter.md": mine.encode(), "frameworks/article-spine.md": b"Ours.\n"}
    known = shelf.of_files(files)
    assert known.advisor("copywriter").expertise == "our own voice"  # type: ignore[union-attr]
    assert known.framework("article-spine") == ("frameworks/article-spine.md",)
    case = Writing(lay_out(tmp_path, more={"advisors/copywriter.md": mine}))
    case.run()
    assert "# Guide: advisors/copywriter.md\n\nLook at it." in case.briefs["0003-author"]


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "mine"), [("advisors", "ada (yours, critic)"), ("recipes", "small (yours)")])
def test_the_shelf_is_listed_with_what_is_shipped_and_what_is_yours(name: str, mine: str, tmp_path: Path) -> None:
    done = file_commands.call(LISTINGS[name], [], {}, home=lay_out(tmp_path))
    assert done.passed
    assert any(line.startswith(mine) for line in done.said)
    assert any("(shipped" in line for line in done.said)


def test_a_recipe_that_names_what_is_not_there_is_a_finding(tmp_path: Path) -> None:
    root = lay_out(tmp_path, "zoe")
    recipe = root / "recipes/small.yaml"
    recipe.write_text(recipe.read_text().replace("copywriter", "nobody") + "authorFramework: gone\n")
    done = file_commands.call(LISTINGS["recipes"], [], {}, home=root)
    assert [(one.severity, one.rule) for one in done.findings] == [
        ("error", "shelf.missing"),
        *[("warning", "shelf.missing")] * 2,
    ]


# --- the prompt of the conducting agent -------------------------------------------------------------------------------

PROCEDURE = re.compile(
    r"(?im)^\s*(?:\d+[.)]\s|step\s+\d|phase\s+\d)|\bstep\s+(?:one|two|\d)\b|\bfirst\b.*\bthen\b|\bfinally\b"
)


@pytest.mark.req("CP-13")
def test_the_conducting_agent_is_given_a_goal_and_no_procedure(tmp_path: Path) -> None:
    case = Writing(lay_out(tmp_path))
    case.run()
    brief = case.briefs["0002-orchestrator"]
    words = brief.split("# Given by the orchestrator")[0]
    persona = words.split("<!-- contract")[0] + words.split("# Task")[1]
    assert not PROCEDURE.findall(persona)
    for wanted in ("## Goal", "## The editor's rubric", "## Limits", "## Critics", "passes the editor's rubric"):
        assert wanted in brief
    assert all(f"`{name}`" in brief for name in TOOLS)
    assert "at least 5" in brief
    assert "At most 1 round of revision, so 2 rounds in all" in brief
    assert "- `ada` (ada): words" in brief
    assert case.asked[:2] == ["select", "conduct"], "critics are settled before the prompt is made"
