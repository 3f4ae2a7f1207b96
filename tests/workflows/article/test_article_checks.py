"""The checks of a draft: what passes, and what each of them finds where one thing is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import small_article as small

from signoff.core.findings import failing
from signoff.workflows.article.checks import CHECKS, patterns, run, run_all, text
from signoff.workflows.article.checks.text import images, read, stripped


def rules(found: Any) -> set[str]:
    return {finding.rule.partition(".")[2] for finding in found}


def decisions(**made: Any) -> dict[str, Any]:
    return {"workflowState": {"writing": {"decisions": made}}}


def persona(**execution: Any) -> dict[str, Any]:
    return {"patch": decisions(personaExecution=execution)}


def execution(**said: Any) -> dict[str, Any]:
    return decisions(thesisExecution=said)


def usage(**said: Any) -> dict[str, Any]:
    return {"patch": {"workflowState": {"writing": {"materialUsage": said}}}}


def reason(*names: str) -> list[dict[str, str]]:
    return [{"id": name, "reason": "r"} for name in names]


def swapped(old: str, new: str) -> str:
    before = small.draft()
    assert before.count(old) >= 1, old
    return before.replace(old, new)


def test_a_draft_in_which_all_is_well_passes_every_check() -> None:
    assert run_all(small.given()) == []


TURNED = (
    small.OUTLINE.replace(small.TITLES[0], "x").replace(small.TITLES[1], small.TITLES[0]).replace("x", small.TITLES[1])
)
MORE = "## More\n\n- thesis: yes\n\n## What to do"
ALL_THESIS = small.OUTLINE.replace("- material: D001", "- thesis: yes").replace("## What to do", MORE)
ARGUED = (
    "Water in the oil boils first, and clean quench oil decides about cracked parts before the furnace program does."
)
HELPS = "A bypass filter helps."
FORGED = "“Nobody ever said a word of this to us,” she said."
MARK = " <!-- material: CASE-001 -->"
MOVED = swapped(MARK, "").replace(small.BIAS_1, f"{small.BIAS_1}{MARK}")
LINK = "[how racks are loaded](output/racks.md)"
LAST = "\n## Last\n"

CASES: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "too short": ("shape", "length", {"text": small.draft(9)}),
    "too long": ("shape", "length", {"text": small.draft(900)}),
    "no title": ("shape", "title", {"text": swapped("# Look into the bath\n", "")}),
    "a section is missing": ("shape", "structure", {"text": swapped(f"## {small.TITLES[1]}\n", "")}),
    "a section too many": (
        "shape",
        "structure",
        {"text": swapped("## What to do", "## Aside\n\nWords.\n\n## What to do")},
    ),
    "an empty section": ("shape", "structure", {"outline": small.OUTLINE + LAST, "text": small.draft() + LAST}),
    "another order": (
        "shape",
        "structure",
        {"outline": TURNED},
    ),
    "the thesis is nowhere in the opening": ("thesis", "thesis", {"text": swapped(small.INTRO, "Shafts crack.")}),
    "the statement is not quoted": (
        "thesis",
        "thesis",
        {"patch": execution(introStatement=None, conclusionReinforcement=small.END)},
    ),
    "the opening says something else": (
        "thesis",
        "thesis",
        {"text": swapped(small.INTRO, "Shafts are long."), "patch": execution(introStatement="Shafts are long.")},
    ),
    "the conclusion says something else": (
        "thesis",
        "thesis",
        {"text": swapped(small.END, "So be it."), "patch": execution(conclusionReinforcement="So be it.")},
    ),
    "no section for the thesis": (
        "thesis",
        "thesis.sections",
        {"outline": small.OUTLINE.replace("- thesis: yes\n", "")},
    ),
    "a thesis in every section": (
        "thesis",
        "thesis.sections",
        {"outline": ALL_THESIS},
    ),
    "the section of the thesis is about something else": (
        "thesis",
        "thesis.sections",
        {"text": swapped(ARGUED, "Paint dries.")},
    ),
    "an acknowledged depth that nobody adapted": (
        "thesis",
        "depth",
        {
            "patch": {
                "writingAngle": {"depthMismatchAcknowledged": True},
                **decisions(depthAdaptation={"applied": False}),
            }
        },
    ),
    "bias in one section only": (
        "persona",
        "bias",
        persona(biasAppliedIn=[f"H2-1: {small.BIAS_1}"]),
    ),
    "bias that nobody wrote": (
        "persona",
        "bias",
        persona(biasAppliedIn=["H2-1: Buy new furnaces.", f"H2-2: {small.BIAS_2}"]),
    ),
    "bias of another section": (
        "persona",
        "bias",
        persona(biasAppliedIn=[f"H2-1: {small.BIAS_2}", f"H2-2: {small.BIAS_2}"]),
    ),
    "two phrases only": (
        "persona",
        "phrases",
        persona(signaturePhrases=list(small.PHRASES[:2])),
    ),
    "the same phrase three times": (
        "persona",
        "phrases",
        persona(signaturePhrases=[small.PHRASES[0]] * 3),
    ),
    "a phrase that is not there": (
        "persona",
        "phrases",
        persona(signaturePhrases=[*small.PHRASES, "Never said."]),
    ),
    "a hook that was used before": ("persona", "hook.used", {"avoid": {"hooks": ["problem"]}}),
    "a conclusion that was used before": ("persona", "conclusion.used", {"avoid": {"conclusions": ["next-step"]}}),
    "an id that nobody recorded": (
        "materials",
        "material",
        {"text": swapped("material: EXP-001", "material: EXP-009")},
    ),
    "a marker that is none": ("materials", "material", {"text": swapped("material: EXP-001", "material EXP-1")}),
    "a material in another place than it says": (
        "materials",
        "usage",
        {"text": MOVED},
    ),
    "a material that nobody declared": (
        "materials",
        "usage",
        {"text": swapped("helps.", "helps. <!-- material: VOICE-001 -->")},
    ),
    "a material that is used and skipped": (
        "materials",
        "usage",
        usage(skipped=reason("DEB-001", "D001")),
    ),
    "a differentiator that was forgotten": (
        "materials",
        "differentiators",
        usage(skipped=[]),
    ),
    "a quote that its page no longer has": ("materials", "quote", {"pages": {small.URL: "Another text."}}),
    "a page that is gone": ("materials", "quote", {"pages": {"0-sources/other.md": small.BODY}}),
    "a number without a datum": ("statistics", "statistics", {"text": swapped(" <!-- material: D001 -->", "")}),
    "a number that the datum does not say": ("statistics", "statistics", {"text": swapped("lost 23%", "lost 32%")}),
    "a quotation that nobody said": ("materials", "quotation", {"text": swapped(HELPS, f"{FORGED} {HELPS}")}),
    "an expert without a name": ("materials", "speaker", {"text": swapped("Ask Rehn.", "Ask.")}),
    "a bare number that no page says": (
        "statistics",
        "statistics",
        {"text": swapped("helps.", "helps 610 of 480 shops.")},
    ),
    "a number behind a case that says it": (
        "statistics",
        "statistics",
        {"text": swapped("material: D001", "material: CASE-001"), "found": small.items(cases={"quote": small.DATUM})},
    ),
    "a link that nobody declared": (
        "mentions",
        "links",
        {"text": swapped("helps.", "helps, see [this](output/other.md).")},
    ),
    "a link that is declared and not there": ("mentions", "links", {"text": swapped(LINK, "the racks")}),
    "a required link that is not declared": (
        "mentions",
        "links",
        {"patch": decisions(internalLinks={"requiredLinksUsed": []})},
    ),
    "a link in the conclusion": (
        "mentions",
        "links.conclusion",
        {"text": swapped("Drain it", f"See {LINK}. Drain it")},
    ),
    "a product in the introduction": (
        "mentions",
        "products",
        {"text": swapped("Shafts crack,", "A bypass filter. Shafts crack,")},
    ),
    "a product in the conclusion": ("mentions", "products", {"text": swapped("Drain it", "A bypass filter. Drain it")}),
    "three products": (
        "mentions",
        "products",
        {"text": swapped("A bypass filter helps.", "A bypass filter helps. " * 3)},
    ),
    "a product that nobody declared": ("mentions", "products", {"patch": decisions(productMentions={"used": []})}),
    "words that were never meant for readers": (
        "patterns",
        "pattern.leftover",
        {"text": swapped("Shafts crack,", "Lorem ipsum. Shafts crack,")},
    ),
}


@pytest.mark.req("AR-9")
@pytest.mark.parametrize("name", CASES)
def test_one_thing_that_is_wrong_is_found_by_its_check(name: str) -> None:
    check, rule, wrong = CASES[name]
    found = failing(run(check, small.given(**wrong)))
    assert rule in rules(found)
    assert all(finding.repair and finding.file for finding in found)


@pytest.mark.req("AR-9")
def test_every_check_has_a_case_that_it_fails_for() -> None:
    assert {check for check, _, _ in CASES.values()} == set(CHECKS)


@pytest.mark.req("AR-11")
def test_a_share_without_a_source_is_offered_in_words() -> None:
    [found] = run("statistics", small.given(text=swapped(" <!-- material: D001 -->", "")))
    assert "'a significant part'" in found.repair


@pytest.mark.req("AR-9")
def test_a_number_that_its_datum_does_not_say_is_mended_by_what_it_says_and_never_by_vague_words() -> None:
    [found] = run("statistics", small.given(text=swapped("lost 23%", "lost 85%")))
    assert small.DATUM in found.repair
    assert "nearly all" not in found.repair


def test_words_of_a_page_and_its_bare_numbers_may_stand_in_the_article() -> None:
    pages = {small.URL: f"{small.BODY}\n\nWe counted 480 shafts."}
    text_ = swapped(
        HELPS, f"“Water in the oil boils first and tears the vapour blanket.” They had 480 of them. {HELPS}"
    )
    assert failing(run_all(small.given(text=text_, pages=pages))) == ()


def test_what_the_author_says_of_themselves_needs_no_source() -> None:
    assert run("statistics", small.given(text=swapped("Shafts crack,", "In 20 years I saw it. Shafts crack,"))) == []


@pytest.mark.req("AR-14")
def test_without_a_thesis_the_article_has_to_be_better_made() -> None:
    space = {**small.SPACE, "level": "low", "skipThesis": True, "strategy": "execution"}
    angle = {"thesis": None, "stance": None, "pending": False}
    research = {
        "innovationSpace": space,
        "thesisValidation": {"originalThesis": None, "validatedThesis": None, "adjustment": "keep"},
    }
    without = {"writingAngle": angle, "workflowState": {"research": research}}
    assert run("thesis", small.given(patch=without)) == []
    added = {**small.EXECUTION, "coverage": {"ourAdditions": ["insurance paperwork"]}}
    lacking = {"writingAngle": angle, "workflowState": {"research": {**research, "executionDifferentiation": added}}}
    assert rules(run("thesis", small.given(patch=lacking))) == {"execution"}
    mended = swapped("Shafts crack,", "The insurance wants paperwork. Shafts crack,")
    assert run("thesis", small.given(text=mended, patch=lacking)) == []


# --- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(("least", "most", "fits"), [(0, 0, True), (1, 9, False), (-9, -1, False)])
def test_both_limits_of_the_length_are_within_it(least: int, most: int, fits: bool) -> None:
    given = small.given()
    found = given.article.length("en")
    bounded = replace(given, least=found + least, most=found + most)
    assert (rules(run("shape", bounded)) == set()) is fits


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(("paragraph", "stated"), [(1, True), (3, True), (4, False), (6, False)])
def test_the_thesis_is_stated_in_the_first_three_paragraphs(paragraph: int, stated: bool) -> None:
    before = "".join(f"Shop {number} waits.\n\n" for number in range(1, paragraph))
    found = run("thesis", small.given(text=swapped(small.PHRASES[0], f"{before}{small.PHRASES[0]}")))
    assert [finding.about for finding in found] == ([] if stated else ["introduction"])


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(("own", "allowed"), [(0, False), (1, True), (2, True), (3, False)])
def test_a_thesis_has_one_or_two_sections_of_its_own(own: int, allowed: bool) -> None:
    planned = "".join(f"## Part {n}\n\n- {'thesis: yes' if n <= own else 'point: p'}\n\n" for n in range(1, 5))
    found = run("thesis", small.given(outline=f"# T\n\n{planned}## End\n"))
    assert [finding.rule for finding in found] == ([] if allowed else ["article.thesis.sections"])


@pytest.mark.req("AR-9")
@pytest.mark.parametrize(("number", "needs_a_page"), [(9, False), (10, True)])
def test_a_bare_number_from_ten_on_stands_in_a_page_of_its_section(number: int, needs_a_page: bool) -> None:
    found = run("statistics", small.given(text=swapped("helps.", f"helps {number} shops.")))
    assert bool(found) is needs_a_page


# --- patterns ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-10")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_phrase_of_every_list_is_found(language: str) -> None:
    found = []
    for name, one in patterns.lists(language).items():
        for phrase in one.phrases:
            said = phrase.replace("...", "fast moving")
            whole = small.draft().replace("Shafts crack,", f"Well {said} then. Shafts crack,")
            given = small.given(text=whole, patch={"language": language})
            hits = [hit for hit in patterns.hits(given) if hit.name == name]
            found.append((phrase, bool(hits), {hit.level for hit in hits} == {one.level}))
    assert [row for row in found if not all(row[1:])] == []


@pytest.mark.req("AR-10")
def test_phrases_are_whole_words_and_all_are_reported() -> None:
    text_ = swapped("Shafts crack,", "The unlock themes, moreover and furthermore. Moreover, shafts crack,")
    found = run("patterns", small.given(text=text_))
    assert len(found) == 3
    assert all(finding.severity == "warning" for finding in found)


# --- the text ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-9")
def test_readers_see_neither_materials_nor_wishes_for_pictures() -> None:
    out = stripped(small.draft())
    assert "<!--" not in out
    assert stripped(out) == out
    assert read(out).length("en") == read(small.draft()).length("en")


def test_pictures_are_listed_with_their_place() -> None:
    assert [(one.place, one.shows) for one in images(small.draft())] == [("H2-1", "a filter, before and after")]


@pytest.mark.parametrize(
    ("of", "said", "least", "most"),
    [
        ("Clean oil decides about cracks", "Clean oils decide about the cracked", 0.7, 1),
        ("清洁的淬火油决定开裂", "决定开裂的是清洁的淬火油", 0.7, 1),
        ("清洁的淬火油决定开裂", "炉子的程序才重要", 0, 0.2),
        ("Clean oil decides", "Paint dries slowly", 0, 0),
        ("", "anything", 1, 1),
    ],
)
def test_how_much_of_one_text_another_is_about(of: str, said: str, least: float, most: float) -> None:
    assert least <= text.share(of, said) <= most
