"""The checks of a text, one table each: what they find and where, where they are silent, and what they apply to."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.core.declarations import FileCall, FileOutcome
from signoff.core.errors import UsageError
from signoff.workflows.content.checks import Check, Documents, Draft, checks_of
from signoff.workflows.content.checks.layout import FRAMEWORKS, SECTIONS
from signoff.workflows.content.checks.wording import ease, syllables
from signoff.workflows.content.commands import COMMANDS, LABEL

VOICE = """\
# Brand voice

## Words we avoid

- platform: program
- pain point: problem
- seamless

## Sentences

- At most 12 words; most have fewer.
"""
POSITIONING = (
    "# Positioning\n\n<!-- as in 57 percent -->\n\n## Proof\n\n- Kilns ran 31 percent fuller (kiln logs, 2026)\n"
)
SEO = "# SEO strategy\n\n## Limits\n\n- title: 40 characters\n"
SOCIAL = "# Social-media strategy\n\n## Limits\n\n- post: 300 characters\n- tags: 2\n"
IDEA = "---\nid: x\ntitle: T\nfacts: [A kiln holds 40 kg.]\n---\n"
FOUNDATION = {"brand-voice": VOICE, "positioning": POSITIONING, "social-media-strategy": SOCIAL}
DOCUMENTS = Documents(FOUNDATION, (IDEA,))
PAGE, ARTICLE = "landing-page-assembly", "article-spine"
EVERY: Mapping[str, Check] = {
    check.name: check for name in (ARTICLE, PAGE) for check in checks_of(name, ["social-media-strategy"])
}


def lines(name: str, text: str, documents: Documents = DOCUMENTS, framework: str = PAGE) -> list[int]:
    """The lines on which a check finds something."""
    made = {check.name: check for check in checks_of(framework, ["social-media-strategy"])}
    return [found.line for found in made[name].find(Draft(text, documents))]


# --- words and figures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# The platform\n\nA PLATFORM and a platform.", [1, 3]),
        ("One line.\n\nEvery pain\npoint counts.", [3]),
        ("| a | b |\n|---|---|\n| seamless | x |", [3]),
        ("Text.\n\nTitle: The platform", [3]),
        ("Platforms, `platform`, a sub-platform.\n\n```\nplatform\n```\n<!-- platform -->", []),
    ],
)
def test_an_avoided_word_is_found_wherever_somebody_reads_it(text: str, expected: list[int]) -> None:
    assert lines("avoided-words", text) == expected


def test_a_finding_says_what_to_write_instead() -> None:
    found = list(EVERY["avoided-words"].find(Draft("A seamless platform.", DOCUMENTS)))
    assert [(one.problem.split("”")[0], one.repair) for one in found] == [
        ("the brand voice avoids “seamless", "leave it out"),
        ("the brand voice avoids “platform", "say “program”"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kilns ran 31 percent fuller. A kiln holds 40 kg.", []),
        ("# 57 percent fuller\n\nKilns ran 31 percent fuller.\n\n- It has 90,000 users.", [1, 5]),
        ("It is from 2024, and it is number 7.", []),
        ("Text.\n\nDescription: 99.99% uptime", [3]),
    ],
)
def test_a_figure_stands_in_a_document_or_in_an_idea(text: str, expected: list[int]) -> None:
    assert lines("figures", text) == expected


# --- reading ----------------------------------------------------------------------------------------------------------

HARD = "Organisational interdependencies necessitate comprehensive administrative coordination responsibilities. " * 10


@pytest.mark.parametrize(("word", "number"), [("kiln", 1), ("pottery", 2), ("readability", 4), ("automation", 4)])
def test_syllables_are_where_a_word_would_be_hyphenated(word: str, number: int) -> None:
    assert syllables(word) == number


def test_reading_ease_is_the_formula_of_flesch() -> None:
    assert ease(["pottery", "is", "fun"], 1) == pytest.approx(206.835 - 1.015 * 3 - 84.6 * 4 / 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("You load the kiln and it cools. " * 10, []), (f"# T\n\n{HARD}", [3]), (HARD[:200], []), (f"# {HARD}", [])],
)
def test_hard_prose_is_found_by_its_reading_ease(text: str, expected: list[int]) -> None:
    assert lines("reading-ease", text) == expected


@pytest.mark.parametrize(
    ("words", "voice", "found"), [(28, "", False), (29, "", True), (12, VOICE, False), (13, VOICE, True)]
)
def test_a_sentence_is_as_long_as_the_brand_voice_says_and_else_has_28_words(
    words: int, voice: str, found: bool
) -> None:
    text = f"# T\n\n{'word ' * (words - 1)}end."
    assert lines("long-sentences", text, Documents({"brand-voice": voice})) == [3] * found


def test_chinese_sentences_are_not_measured_as_english_ones() -> None:
    draft = Draft("窑炉的排期很重要。" * 20, DOCUMENTS)
    assert {name for name, check in EVERY.items() if check.lacks(draft)} == {"reading-ease", "long-sentences"}


# --- form -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("heading-order", "# A\n\n## B\n\n### C\n\n## D\n", []),
        ("heading-order", "# A\n\n### B\n", [3]),
        ("heading-order", "# A\n\n# B\n", [3]),
        ("heading-order", "# A\n\n```\n# B\n```\n", []),
        ("alt-texts", "![](a.png)", [1]),
        ("alt-texts", "![A kiln](a.png)", []),
        ("size", "x" * 200_000, []),
        ("size", "x" * 200_001, [1]),
        ("post-length", "x" * 300, []),
        ("post-length", f"---\ntitle: {'t' * 90}\n---\n{'x' * 300}", []),
        ("post-length", "x" * 301, [1]),
        ("hashtags", "A #Kiln and a #Shelf", []),
        ("hashtags", "A #Kiln, a #Shelf, a #Pot", [1]),
        ("hashtags", "Number #1, #2 and #3", []),
        ("headline", "# Plan every firing of your kilns", []),
        ("headline", "# Fewer words here", [1]),
        ("headline", f"# {'word ' * 13}", [1]),
        ("headline", f"# four {'x' * 60} long words", [1]),
        ("headline", "Text.", [1]),
        ("length", "word " * 600, []),
        ("length", "word " * 599, [1]),
        ("length", "word " * 1_201, [1]),
    ],
)
def test_limits_of_form(name: str, text: str, expected: list[int]) -> None:
    assert lines(name, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# T\n\nText.\n\n## A\n\nx\n\n## B\n\ny\n", []),
        ("# T\n\nText.\n\n## A\n\nx\n", [1]),
        ("# T\n\nText.\n\n" + "## A\n\n" * 6, [15]),
        ("# T\n\n## A\n\nx\n\n## B\n\ny\n", [3]),
    ],
)
def test_an_article_has_two_to_five_headings_and_none_before_its_first_paragraph(
    text: str, expected: list[int]
) -> None:
    assert lines("headings", text, framework=ARTICLE) == expected


def test_the_headline_of_an_article_may_have_60_characters_and_few_words() -> None:
    assert lines("headline", f"# {'x' * 60}", framework=ARTICLE) == []
    assert lines("headline", f"# {'x' * 61}", framework=ARTICLE) == [1]


def meta(title: int, description: int) -> str:
    return f"# T\n\nTitle: {'t' * title}\n\nDescription: {'d' * description}\n"


@pytest.mark.parametrize(
    ("text", "seo", "expected"),
    [
        (meta(60, 110), "", []),
        (meta(60, 155), "", []),
        (meta(61, 109), "", [3, 5]),
        (meta(60, 156), "", [5]),
        (meta(41, 120), SEO, [3]),
        ("# T\n\nText.\n", "", [3, 3]),
        (f"# T\n\n<!-- section: meta -->\n\n- Title: {'t' * 61}\n- Description: {'d' * 120}\n", "", [5]),
        ("---\ntitle: x\ndescription: y\n---\n# T\n", "", []),
    ],
)
def test_lines_for_search_engines_are_as_long_as_framework_and_strategy_say(
    text: str, seo: str, expected: list[int]
) -> None:
    assert lines("meta", text, Documents({"seo-strategy": seo})) == expected


def marked(*names: str) -> str:
    return "".join(f"<!-- section: {name} -->\n\n## Heading\n\n" for name in names)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (SECTIONS, []),
        (SECTIONS[1:], [1]),
        ((*SECTIONS, "partners"), [37]),
        ((*SECTIONS, "faq"), [29, 37]),
        ((SECTIONS[1], SECTIONS[0], *SECTIONS[2:]), [1]),
        ((), [1]),
    ],
)
def test_a_page_has_the_sections_of_its_framework_in_order_and_no_others(
    names: tuple[str, ...], expected: list[int]
) -> None:
    assert lines("sections", marked(*names)) == expected


@pytest.mark.parametrize(
    ("name", "least", "most"), [("features", 3, 6), ("how-it-works", 3, 4), ("objections", 2, 5), ("faq", 3, 7)]
)
def test_a_section_makes_as_many_points_as_its_framework_says(name: str, least: int, most: int) -> None:
    for number in (least - 1, least, most, most + 1):
        found = [] if least <= number <= most else [3]
        for points in ("### F\n\nText.\n\n" * number, "- F\n" * number + "\n"):
            assert lines("section-limits", f"# T\n\n{marked(name)}{points}{marked('meta')}- a\n- b\n") == found


@pytest.mark.parametrize(("name", "least", "most"), [("problem", 50, 120), ("audience", 30, 90)])
def test_a_section_is_as_long_as_its_framework_says(name: str, least: int, most: int) -> None:
    for number in (least - 1, least, most, most + 1):
        found = [] if least <= number <= most else [1]
        assert lines("section-limits", f"{marked(name)}{'word ' * number}\n\n{marked('meta')}x\n") == found


# --- the command ------------------------------------------------------------------------------------------------------

CRITIQUE = next(command for command in COMMANDS if command.name == "critique")
PLACES = {
    **{f"foundation/{name}.md": text.encode() for name, text in FOUNDATION.items()},
    "ideas/x.md": IDEA.encode(),
}
ANY = {"avoided-words", "figures", "reading-ease", "long-sentences", "size", "heading-order", "alt-texts"}
POST = """\
---
title: Our seamless platform
layout: post
weight: 57 percent
---

We fire 40 kg on Friday. Kilns ran 57 percent fuller.
"""


def critique(text: str, kind: str | None = None, places: Mapping[str, bytes] = PLACES) -> FileOutcome:
    call = FileCall(files={"post.md": text.encode()}, params={"type": kind}, read=places.get, places=places)
    return CRITIQUE.run(call)


def test_findings_have_rule_place_problem_and_repair_and_there_is_no_score() -> None:
    made = critique(POST)
    assert [(one.rule, one.file, one.line) for one in made.findings] == [("content.figures", "post.md", 7)]
    assert all(one.problem and one.repair for one in made.findings)
    assert set(made.data) == {"checked", "notChecked"}
    assert made.said[0] == LABEL
    assert "Nobody judged what the text means" in LABEL


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["---", "+++"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_front_matter_is_not_text_to_be_judged(ends: str, mark: str, bom: str) -> None:
    made = critique(bom + POST.replace("---", mark).replace("\n", ends))
    assert [(one.rule, one.line) for one in made.findings] == [("content.figures", 7)]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (None, set()),
        ("website", {check.name for check in FRAMEWORKS[PAGE]}),
        ("blog-post", set()),
        ("social-post", {"post-length", "hashtags"}),
    ],
)
def test_what_holds_for_one_type_is_not_asked_of_another(kind: str | None, more: set[str]) -> None:
    assert set(critique(POST, kind).data["checked"]) == ANY | more


def test_a_type_that_is_not_named_is_said_and_one_that_is_unknown_is_refused() -> None:
    assert any("--type" in said for said in critique(POST).said)
    assert not any("--type" in said for said in critique(POST, "website").said)
    with pytest.raises(UsageError, match="there is no recipe for 'poster'"):
        critique(POST, "poster")


def test_the_sections_of_a_framework_of_the_project_s_own_are_not_checked_and_that_is_said() -> None:
    made = critique(POST, "website", {**PLACES, f"frameworks/{PAGE}/prompt.md": b"Ours.\n"})
    assert "sections" not in made.data["checked"]
    assert any("the project's own" in said for said in made.said)


def test_a_check_that_needs_a_document_is_not_made_without_it_and_that_is_said() -> None:
    made = critique(POST, "social-post", {})
    assert set(made.data["notChecked"]) == {"avoided-words", "figures", "post-length", "hashtags"}
    assert not made.findings
    template = {"foundation/brand-voice.md": f"<!-- fill in -->\n{VOICE}".encode()}
    assert "avoided-words" in critique(POST, None, template).data["notChecked"], "a template is not a document"


# --- any text ---------------------------------------------------------------------------------------------------------

LINES = (
    "# Kilns for all", "## Features", "### Shelf", "<!-- section: faq -->", "<!-- section: meta -->", "**Plan it**",
    "A platform.", "Kilns ran 77 percent fuller.", "- one", "1. two", "> quoted", "![](kiln.png)", "```", "Title: x",
    "Description: y", "---", "+++", "| a | b |", "窑炉的排期。", "",
)  # fmt: skip
texts = st.one_of(st.lists(st.sampled_from(LINES), max_size=20).map("\n".join), st.text(max_size=300))


@settings(max_examples=60)
@given(text=texts, voice=texts)
def test_no_text_and_no_document_crashes_a_check_and_every_finding_has_a_place(text: str, voice: str) -> None:
    draft = Draft(text, Documents({"brand-voice": f"{VOICE}\n{voice}", "seo-strategy": voice}, (voice,)))
    last = text.count("\n") + text.count("\r") + 1
    for check in EVERY.values():
        for found in () if check.lacks(draft) else check.find(draft):
            assert 1 <= found.line <= last
            assert found.problem.strip()
            assert found.repair.strip()


HOSTILE = {
    "one line": "word " * 200_000,
    "empty headings": "#\n" * 20_000,
    "nested quotes": ">" * 5_000 + " x",
    "brackets": "[" * 50_000,
    "numbers": "It ran 31 percent of 12 studios in 20 minutes. " * 4_000,
    "avoided": "platform " * 20_000,
    "comments": "<!-- section: hero -->\n\n" * 8_000,
    "sections": "<!-- section: faq -->\n\nText.\n\n" * 7_000,
    "unclosed comment": "<!-- section: " * 14_000,
    "title lines": "Title:  \t" * 20_000,
    "dashes": "---\n" * 50_000,
}


@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_checked_in_time(name: str) -> None:
    draft = Draft(HOSTILE[name], DOCUMENTS)
    assert [found for check in EVERY.values() for found in check.find(draft)]
