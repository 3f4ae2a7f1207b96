"""The offline author, critics and selector of content: they invent nothing, mend what they say, and choose by words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from content_docs import AUTHOR_DOCS, CRITICS, DOCS, IDEAS, Table, brief_of
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.artifacts import numbers, yamlio
from signoff.workflows.content.players import compose
from signoff.workflows.content.players.desk import Idea
from signoff.workflows.content.players.edits import in_prose, inserted, reworded
from signoff.workflows.content.players.judging import COST
from signoff.workflows.content.players.revising import MENDS
from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.foundation import foundation
from signoff.workflows.content.rules.lexicon import compiled, lexicon
from signoff.workflows.content.rules.piece import Piece
from signoff.workflows.wording import content

KINDS = list(CRITICS)
DIGITS = re.compile(r"\d+")

# --- the author invents nothing ---------------------------------------------------------------------------------------

OWN_WORDS = " ".join(
    [
        *compose.HEADINGS.values(),
        *compose.ARTICLE.values(),
        *(name.replace("-", " ") for name in compose.HEADINGS),
        f"section hero meta {compose.BUTTON} {compose.START} {compose.COST} What else is there to know? instead",
        "Title Description for a an",
    ]
)


def inputs(docs: dict[str, str], idea: dict[str, Any]) -> str:
    named = Idea(idea["title"], idea["audience"], tuple(idea["facts"]), idea["body"])
    return "\n".join([*docs.values(), named.text])


def invented(draft: str, material: str) -> set[str]:
    """Words and digits of a draft that stand neither in the material nor among the author's own or plainer words."""
    plainer = [instead for name in ("jargon", "filler", "superlative") for instead in lexicon(name).instead.values()]
    allowed = content(" ".join([material, OWN_WORDS, *plainer]))
    return {word for word in content(draft) if word not in allowed and not word.startswith("http")}


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_and_number_of_a_draft_and_its_revisions_stands_in_the_inputs(kind: str) -> None:
    material = inputs({doc: DOCS[doc] for doc in AUTHOR_DOCS[kind]}, IDEAS[kind])
    table = Table(kind)
    table.write()
    for _ in range(3):
        assert not invented(table.draft, material)
        assert numbers.missing(table.draft, material) == ()
        assert set(DIGITS.findall(table.draft)) <= set(DIGITS.findall(material))
        table.revise(brief_of(table.critiques()))


LINES = st.sampled_from(
    [
        "Kilns ran 31 percent fuller (kiln logs, 2026)",
        "We leverage the best platform, and members book 4 shelves in 20 minutes; nobody waits.",
        "# no heading",
        "1. step",
        "- item: text",
        "**bold** and [link](https://x.example)",
        "What if it breaks?: You wait 3 days.",
        "€29 a month",
        "`code` <b>x</b> | y",
        "窑炉 12 小时",
        "Name: a benefit that matters to owners",
    ]
)
sections = st.dictionaries(
    st.sampled_from(["For whom", "Problem", "Why us", "Proof", "Features", "Objections", "Call to action", "Price"]),
    st.lists(LINES, max_size=5),
)
ideas = st.fixed_dictionaries(
    {"id": st.just("x"), "title": LINES, "audience": LINES, "facts": st.lists(LINES, max_size=4), "body": LINES}
)


def document(made: dict[str, list[str]]) -> str:
    return "\n".join(f"## {name}\n\n" + "".join(f"- {line}\n" for line in lines) for name, lines in made.items())


@settings(max_examples=25)
@given(made=sections, idea=ideas, kind=st.sampled_from(KINDS))
def test_a_draft_from_any_documents_has_no_number_of_its_own(made: Any, idea: Any, kind: str) -> None:
    docs = {**DOCS, "positioning": document(made)}
    table = Table(kind, docs=docs, idea=idea)
    table.write()
    material = inputs({doc: docs[doc] for doc in AUTHOR_DOCS[kind]}, idea)
    assert table.draft.strip()
    assert set(DIGITS.findall(table.draft)) <= set(DIGITS.findall(material))
    table.revise(brief_of(table.critiques()))
    assert set(DIGITS.findall(table.draft)) <= set(DIGITS.findall(material))


@pytest.mark.parametrize("kind", [*KINDS, "newsletter"])
def test_an_author_without_documents_writes_what_the_idea_has(kind: str) -> None:
    table = Table(kind, docs={}, idea={"id": "x", "title": "Full kilns"})
    assert "Full kilns" in table.write()["content"]


def test_a_page_has_the_sections_of_the_framework_in_order() -> None:
    table = Table("website")
    table.write()
    names = re.findall(r"<!-- section: ([a-z-]+) -->", table.draft)
    assert names == [
        "hero", "problem", "features", "how-it-works", "audience", "objections", "final-cta", "faq", "meta",
    ]  # fmt: skip
    assert RULES["sections"](Piece(table.draft, "website", DOCS)) == []


def test_a_post_stays_within_the_limit_of_the_strategy_in_every_round() -> None:
    table = Table("social-post")
    table.write()
    for _ in range(3):
        assert len(table.draft.strip()) <= 300
        table.revise(brief_of(table.critiques()))


def test_notes_to_the_author_in_the_raw_material_are_not_published() -> None:
    body = "A kiln cools.\n\nTitle idea from the team: hot stuff.\n\nPlease do not oversell.\n"
    table = Table("blog-post", idea={**IDEAS["blog-post"], "body": body})
    draft = table.write()["content"]
    assert "A kiln cools." in draft
    assert "hot stuff" not in draft
    assert "oversell" not in draft


# --- revisions --------------------------------------------------------------------------------------------------------

LONG = (
    "The list hangs on a door, members text at night, and nobody knows on Friday which kiln is free; so owners"
    " drive to the studio twice, but the shelf stands empty, and members who wait leave in spring."
)
FAULTY = st.lists(
    st.sampled_from(
        [
            "# Kilns, and more about kilns than anybody wanted to know before breakfast on a Monday in March",
            "## Features",
            "### Shelf booking",
            "#### Deep",
            "We leverage the best platform in order to fire.",
            "Our solution is seamless. We offer a plan. We give all. We know that it works.",
            "Kilns ran 31 percent fuller.",
            "Kilns ran 77 percent fuller.",
            LONG,
            "[Learn more](#start)",
            "[Book a call](#call)",
            "See [the blog](https://blog.example).",
            "kiln booking software " * 6,
            "- one\n- two",
            "```\nleverage\n```",
            "窑炉。",
            "Title: x",
        ]
    ),
    min_size=1,
    max_size=9,
).map("\n\n".join)


@settings(max_examples=25)
@given(draft=FAULTY, kind=st.sampled_from(KINDS))
def test_what_the_author_says_it_addressed_is_gone_and_nothing_clean_is_lost(draft: str, kind: str) -> None:
    idea = Idea(*(IDEAS[kind][name] for name in ("title", "audience")), tuple(IDEAS[kind]["facts"]), "")
    docs = {**{doc: DOCS[doc] for doc in AUTHOR_DOCS[kind]}, "idea": idea.text}
    before = {name: rule(Piece(draft, kind, docs)) for name, rule in RULES.items()}
    found = [each for every in before.values() for each in every]
    brief = [{"id": f"I-{n}", "description": each.description, "suggestion": ""} for n, each in enumerate(found)]
    table = Table(kind, idea={**IDEAS[kind], "body": ""}, draft=draft)
    done = {item["issue"] for item in table.revise(brief)["addressed"]}
    after = {name: rule(Piece(table.draft, kind, docs)) for name, rule in RULES.items()}
    for item, each in zip(brief, found, strict=True):
        assert item["id"] not in done or each.description not in {one.description for one in after[each.rule]}
    for name in RULES:
        assert sum(COST[each.severity] for each in after[name]) <= sum(COST[each.severity] for each in before[name])


@settings(max_examples=25)
@given(draft=st.text("# -*`[]()<>!:.\n\r\tabW窑1", max_size=120), kind=st.sampled_from(KINDS))
def test_no_draft_crashes_a_revision(draft: str, kind: str) -> None:
    found = [each for rule in RULES.values() for each in rule(Piece(draft.replace("\r", "\n"), kind, DOCS))]
    table = Table(kind, draft=draft)
    brief = [{"id": f"I-{n}", "description": each.description} for n, each in enumerate(found)]
    assert table.revise(brief)["content"].strip() or not draft.strip()


def test_a_draft_with_the_line_ends_of_another_system_is_revised_all_the_same() -> None:
    table = Table("website", draft="# T\r\n\r\nWe leverage kilns.\r\n")
    table.revise([{"id": "I-1", "description": "Jargon that a reader has to translate: leverage."}])
    assert "We use kilns." in table.draft


MENDED: dict[str, tuple[str, str, str]] = {
    "headline-length": ("website", f"# {'word ' * 20}\n\nText.\n", "# "),
    "keyword-headline": ("website", "# Shelves\n\nFor owners of kilns.\n", "# Kiln booking software: shelves"),
    "keyword-opening": ("website", "# Kilns\n\nText.\n", "Kiln booking software for owners of pottery studios: text."),
    "one-action": ("website", "# T\n\nSee [the blog](https://blog.example).\n", "See the blog."),
    "action-clear": ("website", "# T\n\n[Submit](#go)\n", "[Plan your next firing with Kilnbook](#go)"),
    "action-placed": ("blog-post", "# T\n\nText.\n", "[Plan your next firing with Kilnbook](https://kilnbook"),
    "price": ("website", "# T\n\nText.\n", "€29 a month for a studio"),
    "objections": ("website", "# T\n\nText.\n", "You close the kiln, and its bookings move"),
    "proof-beside": ("website", "# T\n\nKilns ran 31 percent fuller.\n", "(kiln logs, January to June 2026)."),
    "unknown-numbers": ("website", "# T\n\nFor owners. Kilns ran 77 percent fuller.\n", "For owners.\n"),
    "superlatives": ("website", "# T\n\nIt is an award-winning kiln.\n", "It is a kiln."),
    "jargon": ("website", "# T\n\nWe leverage kilns.\n", "We use kilns."),
    "avoided-words": ("website", "# The platform\n\nText.\n", "# The program"),
    "filler": ("website", "# T\n\nReally, it is very good.\n", "It is good."),
    "reader-first": (
        "website",
        "# T\n\nWe offer a plan. Our kilns, our shelves, our way.\n",
        "You get a plan. The kilns",
    ),
    "paragraphs": ("website", f"# T\n\n{'Ten words stand here to make one sentence of ten. ' * 9}\n", "ten.\n\nTen"),
    "post-length": ("social-post", f"One.\n\n{'Two. ' * 80}\n\n[Plan it](#x)\n", "One.\n\n[Plan it](#x)"),
    "hashtags": ("social-post", "One. #A #B #C #D\n", "One. #A #B\n"),
    "heading-order": ("blog-post", "# A\n\n### B\n\n# C\n", "# A\n\n## B\n\n## C\n"),
    "feature-count": ("website", "# T\n\n## Features\n\n### Shelf booking\n\nx\n\n## FAQ\n\ny\n", "### Kiln costs"),
    "sections": ("website", "# T\n\n## FAQ\n\ny\n\n## The problem\n\nx\n", "## The problem\n\nx\n\n## What you get"),
    "meta": ("website", "# Fuller kilns for your studio\n\nText.\n", "Title: Kiln booking software: fuller kilns"),
}


@pytest.mark.parametrize("rule", list(MENDED))
def test_a_fault_is_mended_in_the_words_of_the_material(rule: str) -> None:
    kind, draft, expected = MENDED[rule]
    table = Table(kind, draft=draft)
    found = RULES[rule](Piece(draft, kind, {**DOCS, "idea": "# x\n"}))
    brief = [{"id": f"I-{n}", "description": each.description} for n, each in enumerate(found)]
    output = table.revise(brief)
    assert {item["issue"] for item in output["addressed"]} == {item["id"] for item in brief}, table.draft
    assert expected in table.draft
    assert RULES[rule](Piece(table.draft, kind, DOCS)) == []


def test_a_fault_that_needs_a_fact_is_left_alone_in_silence() -> None:
    draft = "# Kilns\n\n![](kiln.png)\n\nText.\n"
    table = Table("blog-post", draft=draft)
    brief = brief_of({"a": table.critique("accessibility-reviewer", [])})
    assert brief
    assert table.revise(brief) == {"content": draft, "addressed": []}
    assert "alt-texts" not in MENDS


def test_an_item_in_a_persons_own_words_goes_to_the_rule_it_speaks_of() -> None:
    table = Table("website")
    table.write()
    said = "The headline is far too long: nobody takes in so many words."
    output = table.revise([{"id": "I-001", "severity": "high", "description": said, "suggestion": "Shorten it."}])
    assert [item["issue"] for item in output["addressed"]] == ["I-001"]
    assert RULES["headline-length"](Piece(table.draft, "website", DOCS)) == []


def test_a_persons_note_is_heard_and_not_reported_as_an_issue() -> None:
    table = Table("website")
    table.write()
    output = table.revise([], note="The headline is far too long: nobody takes in so many words.")
    assert output["addressed"] == []
    assert RULES["headline-length"](Piece(table.draft, "website", DOCS)) == []


@pytest.mark.usefixtures("must_end")
def test_a_draft_that_is_too_long_to_check_is_given_back_as_it_is() -> None:
    table = Table("website", draft="word " * 200_000)
    brief = brief_of(table.critiques())
    assert brief
    assert table.revise(brief) == {"content": "word " * 200_000, "addressed": []}


# --- edits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We leverage it.", "We use it."),
        ("Leverage it.", "Use it."),
        ("It is an end-to-end plan.", "It is a complete plan."),
        ("A frictionless day.", "An easy day."),
        ("Prior to firing, load.", "Before firing, load."),
        ("Nothing here.", "Nothing here."),
    ],
)
def test_rewording_keeps_capitals_and_articles_right(text: str, expected: str) -> None:
    assert reworded(text, lexicon("jargon")) == expected


def test_words_in_code_addresses_and_comments_stay() -> None:
    text = "leverage `leverage` [leverage](https://leverage.example)\n\n```\nleverage\n```\n\n<!-- leverage -->\n"
    words = compiled({"leverage": "use"})
    changed = in_prose(Piece(text, "blog-post", {}), lambda line: reworded(line, words))
    assert changed == "use `leverage` [use](https://leverage.example)\n\n```\nleverage\n```\n\n<!-- leverage -->\n"


def test_a_block_is_set_in_with_an_empty_line_around_it() -> None:
    assert inserted("a\n\nb\n", 1, ["x", "y"]) == "a\n\nx\n\ny\n\nb\n"
    assert inserted("", 0, ["x"]) == "x\n"


# --- critics and their selection --------------------------------------------------------------------------------------


def test_a_critic_gives_one_yaml_document_with_score_issues_and_clean_aspects() -> None:
    table = Table("website")
    table.write()
    made = table.critique("joanna-wiebe", ["positioning", "brand-voice"])
    assert set(made) == {"score", "issues", "clean"}
    assert made["score"] == 1
    assert made["issues"][0]["severity"] == "high"
    assert "speaks to the reader" in made["clean"]


def test_each_critic_looks_at_its_own_side_of_the_same_draft() -> None:
    table = Table("website")
    table.write()
    said = [{issue["description"] for issue in made["issues"]} for made in table.critiques().values()]
    assert len({frozenset(each) for each in said}) == len(said)


def test_a_critic_whose_documents_are_missing_judges_what_it_can() -> None:
    table = Table("website", docs={})
    table.draft = "# Kilns\n\nWe leverage kilns.\n"
    made = table.critique("copywriter", ["brand-voice"])
    assert [issue["description"][:6] for issue in made["issues"]] == ["Jargon"]
    assert "avoided words absent" not in made["clean"]


def test_chinese_text_is_judged_without_a_word_about_its_words() -> None:
    table = Table("blog-post", draft="# 窑炉排期\n\n" + "共享窑炉的排期总是很难，因为没有人知道谁会来。" * 30)
    made = table.critique("plain-language-editor", ["brand-voice", "positioning"])
    assert [issue["description"] for issue in made["issues"]] == []


CANDIDATES = [
    {"id": "proof", "name": "Proof Auditor", "expertise": "Claims and their proof, figures, sources."},
    {"id": "price", "name": "Pricing Analyst", "expertise": "Price and value, plans, discounts."},
    {"id": "search", "name": "SEO", "expertise": "Search: keyword, intent, title, ranking."},
    {"id": "voice", "name": "Copywriter", "expertise": "Brand voice, tone, preferred words."},
]


def selected(needs: str, most: int = 4, named: list[str] | None = None) -> Any:
    notes = {"type": "website", "needs": needs, "emphasis": "", "named": named or [], "candidates": CANDIDATES}
    return Table("website").play("critic-selector", {**notes, "most": most})


@pytest.mark.parametrize(
    ("needs", "most", "named", "expected"),
    [
        ("Somebody for search: the keyword and its intent.", 4, [], ["search"]),
        ("Search keyword, intent, ranking; claims, proof and figures.", 4, [], ["search", "proof"]),
        ("Search keyword, intent, ranking; claims, proof and figures.", 1, [], ["search"]),
        ("Search keyword, intent, ranking; claims, proof and figures.", 4, ["search"], ["proof"]),
        ("Search keyword, intent, ranking.", 0, [], []),
        ("Nothing that anybody knows.", 4, [], []),
        ("", 4, [], []),
    ],
)
def test_critics_are_chosen_by_the_telling_words_they_share_with_the_needs(
    needs: str, most: int, named: list[str], expected: list[str]
) -> None:
    made = selected(needs, most, named)
    assert made["advisorIds"] == expected
    assert made["reason"]


def test_the_order_of_the_candidates_does_not_decide() -> None:
    needs = "Search keyword, intent, ranking; claims, proof and figures; price and value of plans."
    table = Table("website")
    notes = {"needs": needs, "named": [], "most": 4}
    made = [
        table.play("critic-selector", {**notes, "candidates": given})["advisorIds"]
        for given in (CANDIDATES, CANDIDATES[::-1])
    ]
    assert made[0] == made[1]
    assert set(made[0]) == {"search", "proof", "price"}


@pytest.mark.parametrize("agent", ["author", "critic", "critic-selector"])
def test_a_player_with_nothing_on_its_desk_still_gives_its_document(agent: str) -> None:
    assert isinstance(yamlio.load(Table("website", docs={}).raw(agent, {}), "output"), dict)


def test_the_foundation_that_is_read_is_the_one_of_the_brief() -> None:
    """A document that the notes do not name is not read, even where it lies in the folder."""
    table = Table("website")
    table.write(docs=["positioning"])
    assert "kiln booking software" not in table.draft.lower()
    assert foundation({}).keywords == ()
