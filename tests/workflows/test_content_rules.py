"""The rules of content, one table each: what they find, with what they measured, and where they are silent."""

from __future__ import annotations

import pytest
from content_docs import DOCS, POSITIONING

from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.foundation import Action, Foundation, Proof, foundation, idea_text, proof_of
from signoff.workflows.content.rules.piece import Found, Piece
from signoff.workflows.content.rules.reading import ease, syllables

WEBSITE, BLOG, POST = "website", "blog-post", "social-post"
BUTTON = "[Plan your next firing](#start)"


def found(rule: str, text: str, kind: str = WEBSITE, docs: dict[str, str] | None = None) -> list[Found]:
    return RULES[rule](Piece(text, kind, DOCS if docs is None else docs))


def severities(*args: object) -> list[str]:
    return [each.severity for each in found(*args)]  # type: ignore[arg-type]


def test_every_rule_is_in_one_of_the_tables_below_and_says_its_own_name() -> None:
    text = "#### x\n\n![](a.png) [here](b)\n\nLeverage the best very 77 percent.\n\n[Go](#a)\n\n[Submit](#b)\n"
    for name, rule in RULES.items():
        for kind in (WEBSITE, BLOG, POST):
            assert {each.rule for each in rule(Piece(text, kind, DOCS))} <= {name}
        assert rule.aspect
        assert name in TABLED


TABLED = {
    "headline-length", "headline-says", "one-action", "action-clear", "action-placed", "price", "reading-ease",
    "long-sentences", "filler", "passive", "jargon", "avoided-words", "preferred-words", "reader-first",
    "superlatives", "unknown-numbers", "proof-beside", "keyword-headline", "keyword-opening", "keyword-density", "meta",
    "sections", "feature-count", "objections", "size", "paragraphs", "lists", "post-length", "hashtags",
    "heading-order", "alt-texts", "link-texts",
}  # fmt: skip


# --- headline ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (f"# {'word ' * 12}", WEBSITE, []),
        (f"# {'word ' * 13}", WEBSITE, ["medium"]),
        (f"# {'word ' * 18}", BLOG, ["high"]),
        ("No heading at all.", WEBSITE, ["high"]),
        ("```\n# in code\n```\n", WEBSITE, ["high"]),
        (f"Just {'word ' * 40}", POST, []),
    ],
)
def test_a_headline_has_at_most_twelve_words(text: str, kind: str, expected: list[str]) -> None:
    assert severities("headline-length", text, kind) == expected


def test_the_finding_quotes_the_headline_and_counts_its_words() -> None:
    (issue,) = found("headline-length", "# Thirteen words are one too many for a headline that people take in")
    assert issue.description.startswith("The headline has 13 words; a reader takes in about 12: “Thirteen words are")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Kiln booking for pottery studios\n\nText.", []),
        ("# Shelf booking\n\nFor owners of a pottery.", []),
        ("# Welcome\n\nFor owners of a pottery.", ["high"]),
        ("# Shelf booking\n\nHello.", ["medium"]),
        ("# Welcome\n\nHello.", ["high", "medium"]),
    ],
)
def test_a_headline_says_what_it_is_and_the_line_under_it_may_say_for_whom(text: str, expected: list[str]) -> None:
    assert severities("headline-says", text) == expected
    assert found("headline-says", text, docs={"brand-voice": DOCS["brand-voice"]}) == []


# --- action -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BUTTON}\n\nText.\n\n{BUTTON}\n", []),
        (f"{BUTTON}\n\n[Book a call](#call)\n", ["medium"]),
        (f"{BUTTON}\n\n[Book a call](#call)\n\n**Read our blog**\n", ["high"]),
        (f"{BUTTON}\n\nSee [our blog](https://blog.example).\n", ["medium"]),
        (f"{BUTTON}\n\n```\n[Book a call](#call)\n```\n", []),
        (f"{BUTTON}\n\nTitle: x\n\n[Book](#b)\n", []),
    ],
)
def test_one_action_goes_by_one_name(text: str, expected: list[str]) -> None:
    assert severities("one-action", text) == expected


def test_an_article_may_have_links() -> None:
    assert found("one-action", "See [the logs](https://logs.example).", BLOG) == []


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Plan your next firing", []),
        ("Learn more", ["high"]),
        ("SUBMIT!", ["high"]),
        ("Get started →", ["high"]),
        ("Your next firing", ["medium"]),
        ("Plan the next firing of all your kilns in peace", ["low"]),
    ],
)
def test_a_label_begins_with_a_verb_and_names_the_outcome(label: str, expected: list[str]) -> None:
    assert severities("action-clear", f"# T\n\n[{label}](#start)\n") == expected


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (f"# T\n\n{BUTTON}\n\n## A\n\nx\n\n## B\n\n{BUTTON}\n", WEBSITE, []),
        (f"# T\n\n{BUTTON}\n\n## A\n\nx\n\n## B\n\n{BUTTON}\n\n## FAQ\n\ny\n", WEBSITE, []),
        (f"# T\n\nx\n\n## A\n\n{BUTTON}\n", WEBSITE, ["high"]),
        (f"# T\n\n{BUTTON}\n\n## A\n\nx\n\n## B\n\ny\n\n## C\n\nz\n", WEBSITE, ["medium"]),
        ("# T\n\nx\n", WEBSITE, ["high"]),
        (f"# T\n\nx\n\n## A\n\n{BUTTON}\n", BLOG, []),
        (f"Short.\n\n{BUTTON}\n", POST, []),
        ("Short.\n", POST, ["high"]),
    ],
)
def test_the_action_stands_where_readers_look_for_it(text: str, kind: str, expected: list[str]) -> None:
    assert severities("action-placed", text, kind) == expected


@pytest.mark.parametrize(
    ("price", "text", "expected"),
    [
        ("- €29 a month", "It is €29 a month.", []),
        ("- €29 a month", "It is 29 euros a month.", []),
        ("- €29 a month for 6 kilns", "It has 6 kilns.", ["medium"]),
        ("Free for schools and for clubs.", "For schools it is free, for clubs too.", []),
        ("Free for schools and for clubs.", "It is good.", ["medium"]),
        ("", "It is good.", []),
    ],
)
def test_a_known_price_is_said(price: str, text: str, expected: list[str]) -> None:
    assert severities("price", text, WEBSITE, {"positioning": f"## Price\n\n{price}\n"}) == expected


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "number"), [("kiln", 1), ("pottery", 2), ("readability", 4), ("automation", 4)])
def test_syllables_are_where_a_word_would_be_hyphenated(word: str, number: int) -> None:
    assert syllables(word) == number


def test_reading_ease_is_the_formula_of_flesch() -> None:
    words = ["pottery", "is", "fun"]
    assert ease(words, 1) == pytest.approx(206.835 - 1.015 * 3 - 84.6 * 4 / 3)


HARD = "Organisational interdependencies necessitate comprehensive administrative coordination responsibilities. " * 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You load the kiln and it cools. " * 10, []),
        (HARD, ["high"]),
        (HARD[:200], []),
        ("窑炉的排期很重要。" * 20, []),
    ],
)
def test_hard_text_is_found_by_its_reading_ease(text: str, expected: list[str]) -> None:
    assert severities("reading-ease", text) == expected


@pytest.mark.parametrize(("words", "expected"), [(28, []), (29, ["low"]), (40, ["medium"])])
def test_long_sentences_are_named(words: int, expected: list[str]) -> None:
    assert severities("long-sentences", f"{'word ' * (words - 1)}end.") == expected
    assert severities("long-sentences", f"{'字' * words * 3}。") == []


@pytest.mark.parametrize(
    ("text", "expected"), [("It is really good.", ["low"]), ("In order to fire, load.", ["low"]), ("It is good.", [])]
)
def test_padding_is_found(text: str, expected: list[str]) -> None:
    assert severities("filler", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The kiln is loaded by members.", ["low"]),
        ("It is shared by shelf.", []),
        ("The kiln is loaded.", []),
        ("By noon.", []),
    ],
)
def test_passive_voice_counts_where_the_doer_is_named_last(text: str, expected: list[str]) -> None:
    assert severities("passive", text) == expected


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We leverage kilns.", ["medium"]),
        ("# Leveraging kilns\n\nPlain.", ["medium"]),
        ("Plain words.", []),
        ("`leverage` in code.", []),
        ("```\nleverage\n```", []),
        ("Cleverage is no word.", []),
    ],
)
def test_jargon_is_found_in_what_a_reader_sees(text: str, expected: list[str]) -> None:
    assert severities("jargon", text) == expected


def test_a_word_that_the_brand_uses_is_no_jargon_and_one_that_it_avoids_is_told_once() -> None:
    voice = "## Words we use\n\n- robust: what a shelf is\n\n## Words we avoid\n\n- seamless: quiet\n"
    docs = {"brand-voice": voice}
    assert found("jargon", "A robust and seamless shelf.", WEBSITE, docs) == []
    (issue,) = found("avoided-words", "A robust and seamless shelf.", WEBSITE, docs)
    assert "“quiet” for “seamless”" in issue.suggestion


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# The platform\n\nText.", ["high"]),
        ("# Kilns\n\nA platform.", ["medium"]),
        ("# Kilns\n\n[Try the platform](#x)", ["high"]),
        ("# Kilns\n\nA program.\n\nTitle: The platform", ["medium"]),
        ("# Kilns\n\nPlatforms are other things.", []),
    ],
)
def test_avoided_words_weigh_most_in_the_headline_and_in_a_button(text: str, expected: list[str]) -> None:
    assert severities("avoided-words", text) == expected


@pytest.mark.parametrize(("text", "expected"), [("A shelf.", []), ("A box.", ["low"])])
def test_one_preferred_word_at_least_is_used(text: str, expected: list[str]) -> None:
    assert severities("preferred-words", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We fire. We cool. We sell our pots.", ["high"]),
        ("We fire. We cool. We sell our pots to you.", ["medium"]),
        ("We fire for you. We cool for you. We sell our pots to you and your friends.", []),
        ("We fire. We cool.", []),
    ],
)
def test_a_text_speaks_of_the_reader_at_least_as_often_as_of_us(text: str, expected: list[str]) -> None:
    assert severities("reader-first", text) == expected


# --- claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# The best kiln\n\nText.", ["high"]),
        ("# Kilns\n\nA world-class kiln.", ["medium"]),
        ("# Kilns\n\nThe fastest kiln: 31 percent fuller.", []),
        ("# Kilns\n\nA good kiln.", []),
    ],
)
def test_praise_needs_a_figure_in_its_sentence(text: str, expected: list[str]) -> None:
    assert severities("superlatives", text) == expected


@pytest.mark.parametrize(
    ("text", "idea", "expected"),
    [
        ("Kilns ran 31 percent fuller.", True, []),
        ("Kilns ran 57 percent fuller.", True, ["high"]),
        ("Kilns ran 57 percent fuller.", False, ["low"]),
        ("Kilns ran 57 percent fuller (kiln logs of 2024).", False, []),
        ("A kiln holds 40 kg.", True, []),
    ],
)
def test_figures_stand_in_the_material(text: str, idea: bool, expected: list[str]) -> None:
    docs = {**DOCS, **({"idea": idea_text("T", "A", ["A kiln holds 40 kg."], "")} if idea else {})}
    assert severities("unknown-numbers", text, WEBSITE, docs) == expected
    assert found("unknown-numbers", text, WEBSITE, {"brand-voice": "x"}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kilns ran 31 percent fuller.", ["medium"]),
        ("Kilns ran 31 percent fuller (kiln logs, January to June 2026).", []),
        ("Kilns ran 31 percent fuller. That is from kiln logs of January to June 2026.", []),
        ("A class has 31 chairs.", []),
    ],
)
def test_a_figure_has_its_source_beside_it(text: str, expected: list[str]) -> None:
    assert severities("proof-beside", text) == expected


# --- search -----------------------------------------------------------------------------------------------------------


def test_the_keyword_stands_in_headline_and_opening() -> None:
    assert found("keyword-headline", "# Kiln booking software\n\nx") == []
    assert severities("keyword-headline", "# Kilns\n\nx") == ["medium"]
    assert found("keyword-opening", "# x\n\nOur kiln booking software.") == []
    assert severities("keyword-opening", "# x\n\nText.") == ["medium"]
    assert found("keyword-opening", "# x\n\nText.", POST) == []


def test_an_article_may_use_any_of_the_keywords_and_a_page_the_first() -> None:
    text = "# Your shared kiln schedule\n\nx"
    assert found("keyword-headline", text, BLOG) == []
    assert severities("keyword-headline", text, WEBSITE) == ["medium"]


@pytest.mark.parametrize(("times", "expected"), [(4, []), (9, ["medium"])])
def test_a_keyword_is_not_stuffed(times: int, expected: list[str]) -> None:
    text = "Kiln booking software is here. " * times + "Other words come now and then. " * 3
    assert severities("keyword-density", text) == expected


FITTING = f"Title: {'t' * 40}\n\nDescription: {'d' * 120}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"# T\n\n<!-- section: meta -->\n\n{FITTING}", []),
        (f"# T\n\n## Meta\n\n{FITTING}", []),
        (f"---\ntitle: {'t' * 40}\ndescription: {'d' * 120}\n---\n\n# T\n", []),
        (f"# T\n\n---\n\n{FITTING}", []),
        ("# T\n", ["medium", "medium"]),
        (f"# T\n\n<!-- section: meta -->\n\n- Title: {'t' * 61}\n- Description: {'d' * 156}\n", ["medium", "medium"]),
    ],
)
def test_meta_lines_are_as_long_as_a_result_shows_them(text: str, expected: list[str]) -> None:
    assert severities("meta", text) == expected


# --- structure --------------------------------------------------------------------------------------------------------

NAMES = ("problem", "features", "how-it-works", "audience", "objections", "final-cta", "faq")


def titled(*titles: str) -> str:
    return "# T\n\n" + "\n\n".join(f"## {title}\n\nText." for title in titles)


def marked(*names: str) -> str:
    return "# T\n\n" + "\n\n".join(f"<!-- section: {name} -->\n\n## Heading\n\nText." for name in names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (marked(*NAMES), []),
        (marked(*NAMES[1:]), ["medium"]),
        (marked("problem"), ["high"]),
        (marked(*reversed(NAMES)), ["medium"]),
        (
            titled("The problem", "Features", "How it works", "Who it is for", "Doubts", "Start", "FAQ"),
            [],
        ),
    ],
)
def test_the_sections_of_a_page_are_there_and_in_order(text: str, expected: list[str]) -> None:
    assert severities("sections", text) == expected
    assert found("sections", text, BLOG) == []


@pytest.mark.parametrize(("number", "expected"), [(2, ["medium"]), (3, []), (6, []), (7, ["medium"])])
def test_a_page_has_three_to_six_features(number: int, expected: list[str]) -> None:
    titles = "".join(f"\n\n### F{n}\n\nText." for n in range(number))
    items = "\n" + "".join(f"\n- F{n}" for n in range(number))
    for text in (titles, items):
        assert severities("feature-count", f"# T\n\n## Features{text}\n\n## FAQ\n\n### Q\n\nA.\n") == expected


def test_every_objection_is_answered_on_a_page_and_the_first_one_in_an_article() -> None:
    assert len(found("objections", "# T\n\nText.")) == 3
    assert len(found("objections", "# T\n\nText.", BLOG)) == 1
    answered = "# T\n\nThey book by message too, and you see it in the same plan."
    assert [each.description for each in found("objections", answered)] == [
        "A doubt that readers have is left unanswered and stops them: “What if a kiln breaks?”",
        "A doubt that readers have is left unanswered and stops them: “Who types in our kilns?”",
    ]


# --- load, posts, access ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "text", "kind", "expected"),
    [
        ("paragraphs", "word " * 75, WEBSITE, []),
        ("paragraphs", "word " * 76, WEBSITE, ["medium"]),
        ("lists", "- a\n" * 7, WEBSITE, []),
        ("lists", "- a\n" * 8, WEBSITE, ["low"]),
        ("post-length", "x" * 300, POST, []),
        ("post-length", "x" * 301, POST, ["high"]),
        ("post-length", "x" * 301, BLOG, []),
        ("hashtags", "A #Kiln and a #Shelf", POST, []),
        ("hashtags", "A #Kiln, a #Shelf, a #Pot", POST, ["low"]),
        ("hashtags", "Number #1, #2 and #3", POST, []),
        ("heading-order", "# A\n\n## B\n\n### C\n\n## D\n", BLOG, []),
        ("heading-order", "# A\n\n### B\n", BLOG, ["low"]),
        ("heading-order", "# A\n\n# B\n", BLOG, ["medium"]),
        ("heading-order", "# A\n\n```\n# B\n```\n", BLOG, []),
        ("alt-texts", "![](a.png)", BLOG, ["medium"]),
        ("alt-texts", "![A kiln](a.png)", BLOG, []),
        ("link-texts", "See [here](a).", BLOG, ["medium"]),
        ("link-texts", "See [the kiln logs](a).", BLOG, []),
        ("size", "x" * 200_000, BLOG, []),
        ("size", "x" * 200_001, BLOG, ["high"]),
    ],
)
def test_load_and_access(rule: str, text: str, kind: str, expected: list[str]) -> None:
    assert severities(rule, text, kind) == expected


def test_a_post_without_a_strategy_has_280_characters() -> None:
    assert found("post-length", "x" * 280, POST, {}) == []
    assert len(found("post-length", "x" * 281, POST, {})) == 1


# --- what is read in the documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("31 percent fuller (kiln logs, 2026)", Proof("31 percent fuller", "kiln logs, 2026")),
        ("31 percent fuller — kiln logs", Proof("31 percent fuller", "kiln logs")),
        ("31 percent fuller. Source: kiln logs.", Proof("31 percent fuller", "kiln logs")),
        ("31 percent fuller", Proof("31 percent fuller", "")),
        ("(all of it)", Proof("(all of it)", "")),
    ],
)
def test_a_proof_is_a_claim_and_its_source(line: str, expected: Proof) -> None:
    assert proof_of(line) == expected


def test_the_sections_of_the_documents_are_read_as_far_as_they_go() -> None:
    base = foundation(DOCS)
    assert [pair.name for pair in base.features] == ["Shelf booking", "Firing plan", "Messages", "Kiln costs"]
    assert [pair.name for pair in base.objections][1] == "What if a kiln breaks?"
    assert base.action == Action("Plan your next firing with Kilnbook", "https://kilnbook.example/start")
    assert base.avoided["platform"] == "program"
    assert base.preferred == ("firing", "shelf", "studio")
    assert base.keywords[0] == "kiln booking software"
    assert base.limit("social-media-strategy", "post") == 300
    empty = Foundation({})
    assert (empty.features, empty.objections, empty.action, empty.keywords, empty.proof) == ((), (), None, (), ())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Plan your next firing", Action("Plan your next firing", "#start")),
        ("Plan it: https://k.example/a.", Action("Plan it", "https://k.example/a")),
        ("**Plan it** (https://k.example)", Action("Plan it", "https://k.example")),
    ],
)
def test_a_call_to_action_is_a_line_with_or_without_its_address(line: str, expected: Action) -> None:
    assert foundation({"positioning": f"## Call to action\n\n{line}\n"}).action == expected


def test_a_section_in_a_code_fence_is_no_section() -> None:
    fenced = POSITIONING.replace("## Price", "```\n## Price\n```")
    assert foundation({"positioning": fenced}).said("Price") == ()
