"""Laws of the rules and scores: no text crashes them, none takes for ever, one more issue never raises a score."""

from __future__ import annotations

import pytest
from content_docs import DOCS
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.workflows.content.players.judging import ADVISORS, COST, PLAINLY, critique, judge, rules_of, score, told
from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.piece import Found, Piece

KINDS = ("website", "blog-post", "social-post", "newsletter")
LINES = (
    "# Kilns for all",
    "## Features",
    "### Shelf booking",
    "<!-- section: faq -->",
    "<!-- section: meta -->",
    "[Get started](#start)",
    "**Plan it**",
    "We leverage the best platform in order to fire.",
    "Kilns ran 31 percent fuller.",
    "Kilns ran 77 percent fuller, and nobody knows why.",
    "- one",
    "1. two",
    "> quoted",
    "![](kiln.png)",
    "[here](https://x.example)",
    "```",
    "Title: x",
    "Description: y",
    "---",
    "| a | b |",
    "窑炉的排期。",
    "",
)
texts = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=20).map("\n".join),
    st.lists(st.sampled_from(LINES), max_size=20).map("\n\n".join),
    st.text(max_size=300),
)
documents = st.dictionaries(
    st.sampled_from([*DOCS, "idea"]), st.one_of(st.sampled_from(list(DOCS.values())), texts), max_size=4
)


@settings(max_examples=60)
@given(text=texts, docs=documents, kind=st.sampled_from(KINDS))
def test_no_text_and_no_document_crashes_a_rule(text: str, docs: dict[str, str], kind: str) -> None:
    for name, rule in RULES.items():
        for found in rule(Piece(text, kind, docs)):
            assert found.rule == name
            assert found.description.strip()
            assert found.suggestion.strip()


@settings(max_examples=40)
@given(text=texts, docs=documents, kind=st.sampled_from(KINDS), advisor=st.sampled_from([*ADVISORS, "own"]))
def test_a_critique_is_sound_and_the_same_each_time(text: str, docs: dict[str, str], kind: str, advisor: str) -> None:
    made = judge(advisor, "Evaluates headings.", text, docs, kind)
    assert 1 <= made["score"] <= 10
    assert len({issue["description"] for issue in made["issues"]}) == len(made["issues"]) <= 40
    assert all(len(issue["description"]) <= 600 and len(issue["suggestion"]) <= 600 for issue in made["issues"])
    assert made == judge(advisor, "Evaluates headings.", text, docs, kind)


costs = st.lists(st.sampled_from(sorted(COST.values())), max_size=12)


@given(costs=costs, more=st.sampled_from(sorted(COST.values())))
def test_one_more_issue_never_raises_a_score(costs: list[float], more: float) -> None:
    assert 1 <= score([*costs, more]) <= score(costs) <= 10


@given(
    st.lists(
        st.builds(
            Found, st.just("r"), st.sampled_from(["high", "medium", "low"]), st.text("ab", max_size=2), st.just("s")
        )
    )
)
def test_of_many_faults_the_worst_three_are_told(found: list[Found]) -> None:
    chosen = told(found)
    assert len(chosen) <= 3
    left = [each.severity for each in found if each.description not in {one.description for one in chosen}]
    assert not left or not chosen or ORDER[chosen[-1].severity] <= min(ORDER[one] for one in left)


ORDER = {"high": 0, "medium": 1, "low": 2}


@pytest.mark.parametrize(
    ("costs", "expected"), [([], 10), ([0.5], 9), ([1.5, 1.5], 7), ([4.0], 6), ([4.0, 1.5], 4), ([4.0] * 9, 1)]
)
def test_the_anchors_of_the_score(costs: list[float], expected: int) -> None:
    assert score(costs) == expected


def test_every_rule_is_somebodys_and_every_critic_has_rules_that_exist() -> None:
    used = {name for rules in ADVISORS.values() for name in rules} | {"size"}
    assert used == set(RULES)
    assert set(PLAINLY) <= set(RULES)


@pytest.mark.parametrize(
    ("expertise", "expected"),
    [
        ("Checks search: keyword, ranking and headline.", "keyword-headline"),
        ("Judges the price and what a plan costs.", "price"),
        ("Looks at accessibility: headings, images, alt texts, links.", "alt-texts"),
        ("Brand voice: avoided words, tone and vocabulary.", "avoided-words"),
        ("", "reading-ease"),
        ("Likes harbours.", "reading-ease"),
    ],
)
def test_a_critic_of_ones_own_judges_by_the_rules_its_expertise_speaks_of(expertise: str, expected: str) -> None:
    assert expected in rules_of("harbour-master", expertise)


def test_an_aspect_is_clean_only_where_its_rule_had_something_to_look_at() -> None:
    piece = Piece("# Kilns\n\nText.\n", "website", {})
    assert "price stated" not in critique({"price": 1.0}, piece)["clean"]
    assert critique({"alt-texts": 1.0}, piece)["clean"] == ["images described"]


HOSTILE = {
    "one line": "word " * 200_000,
    "one word": "a" * 1_000_000,
    "headings": "# x\n" * 100_000,
    "empty headings": "#\n" * 100_000,
    "second level": "## What\n" * 25_000,
    "nested lists": "\n".join(f"{' ' * 2 * depth}- x" for depth in range(400)),
    "nested quotes": ">" * 5_000 + " x",
    "brackets": "[" * 100_000,
    "buttons": "[Get started](#a)\n\n" * 9_000,
    "numbers": "It ran 31 percent of 12 studios in 20 minutes. " * 4_000,
    "jargon": "leverage the best " * 10_000,
    "tags": "#a " * 60_000,
    "comments": "<!-- section: hero -->\n\n" * 8_000,
    "unclosed comment": "<!-- section: " * 14_000,
    "spaces": " " * 199_000 + "x",
    "title lines": "Title:  \t" * 20_000,
    "dashes": "---\n" * 50_000,
    "quotation marks": '"' * 199_000,
    "commas": ", and " * 33_000,
}


@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_judged_in_time(name: str) -> None:
    for kind in ("website", "social-post"):
        made = critique(dict.fromkeys(RULES, 1.0), Piece(HOSTILE[name], kind, DOCS))
        assert made["score"] < 6


@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_document_is_read_in_time(name: str) -> None:
    docs = dict.fromkeys(DOCS, f"## Proof\n\n- {HOSTILE[name][:150000]}\n\n{HOSTILE[name]}")
    assert judge("proof-auditor", "", "# Kilns\n\nIt ran 31 percent fuller.\n", docs, "website")["score"] <= 10
