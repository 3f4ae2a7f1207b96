"""What the researchers make of a brief in any form: every open point is asked, with its own alternatives, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from clarify_sitting import Sitting, brief
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.workflows import clarify
from signoff.workflows.clarify.config import Dimension
from signoff.workflows.clarify.players import openings
from signoff.workflows.clarify.players.consolidator import grouped
from signoff.workflows.clarify.players.enumerations import alternatives
from signoff.workflows.clarify.players.research_notes import Note

STARTER = Path(clarify.__file__).parent / "starter" / "brief.md"
POINTS = [
    "Should B goods be sold as refurbished or scrapped?",
    "Which customers are VIP?",
    "When does a return begin: when the label is printed, when the parcel arrives or when it is inspected?",
    "How long do we keep photos of damaged goods?",
    "It is unclear who pays for return shipping of oversize items.",
    "Is the storage fee charged per month, per order or per item?",
    "Which system is the record of stock, WMS or ERP?",
    "Who approves refunds above 500 euros?",
    "Who approves refunds above 1,000 euros?",
    "The refund period for marketplace orders is TBD.",
]
POINTS_HAN = [
    "B品作为翻新品出售还是报废？",
    "哪些客户算VIP？",
    "退货从何时开始：打印标签时、包裹到达时还是检验时？",
    "破损照片保存多久？",
    "超大件的退货运费由谁承担，目前不明确。",
    "仓储费按月、按单还是按件？",
    "库存以WMS还是ERP为准？",
    "超过500元的退款由谁审批？",
]


def asked(sitting: Sitting) -> list[str]:
    """What the person is asked, after research and consolidation."""
    sitting.research()
    sitting.consolidate()
    return [item.body for item in sitting.doc.questions]


# --- every open point is asked ----------------------------------------------------------------------------------------


@pytest.mark.req("CL-2")
@pytest.mark.parametrize("points", [POINTS, POINTS_HAN], ids=["English", "Chinese"])
@pytest.mark.parametrize(
    "form",
    [
        lambda points: "\n".join(points),
        lambda points: "# Notes\n\n" + "\n\n".join(points),
        lambda points: "# Notes\n\n" + "\n".join(f"- {one}" for one in points),
        lambda points: "# Notes\n\n### Open points\n\n" + "\n".join(f"{n}. {one}" for n, one in enumerate(points, 1)),
        lambda points: "## 待定事项\n\n" + "\n".join(f"{n}、{one}" for n, one in enumerate(points, 1)),
        lambda points: "# Notes\n\n" + " ".join(points),
        lambda points: "# Notes\n\n### Returns\n\n" + " ".join(points),
        lambda points: "# Notes\n\n" + "\n\n".join(f"### {one}" for one in points),
    ],
    ids=["lines", "paragraphs", "list", "numbered", "numbered in Chinese", "prose", "one topic", "headings"],
)
def test_every_open_point_is_asked_once_in_whatever_form_it_is_written(form: object, points: list[str]) -> None:
    assert callable(form)
    bodies = asked(brief(form(points)))
    assert len(bodies) == len(points)
    for point in points:
        assert sum(point.rstrip(".。") in body for body in bodies) == 1


SUBJECTS = st.sampled_from(["stages", "data", "photos", "VIP", "gold tier", "费用", "approval", "zebra crossing"])
QUESTIONS = st.lists(SUBJECTS.map("What about {}?".format) | SUBJECTS.map("{} is undecided.".format), min_size=1)
OTHERS = st.lists(
    st.sampled_from(["metrics", "legal", "stages", "people", "data", "safety"]).map(lambda name: Dimension(name=name)),
    min_size=1,
    unique_by=lambda one: one.name,
)


@given(QUESTIONS, OTHERS, st.sampled_from(["", "## Legal\n\n", "## Stages\n\n", "### Data\n\n", "# Anything\n\n"]))
@settings(max_examples=60, deadline=None)
def test_whatever_the_dimensions_are_no_point_is_left_to_nobody(
    points: list[str], dimensions: list[Dimension], heading: str
) -> None:
    sitting = brief(heading + "\n\n".join(points))
    sitting.dimensions = tuple(dimensions)
    questions = [one.question for output in sitting.research().values() for one in output.questions]
    assert all(any(point in question for question in questions) for point in points)


def test_a_point_that_no_words_attribute_is_taken_by_one_dimension_and_by_the_only_one_a_researcher_knows() -> None:
    sitting = brief("# Notes\n\nIs the zebra blue?\n")
    found = sitting.research()
    assert sum(bool(output.questions) for output in found.values()) == 1
    alone = {"dimension": sitting.dimensions[-1].plain(), "scope": None}
    assert "Is the zebra blue?" in sitting.raw("dimension-researcher", alone)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("## Open points\n\n- Photo retention\n- VIP definition", ["Photo retention", "VIP definition"]),
        ("## Open questions\n\nPhoto retention\nVIP definition", ["Photo retention", "VIP definition"]),
        ("## Notes\n\n- Parcels leave at five.\n- Carrier: TBD\n- All is scanned.", ["Carrier"]),
        ("### Shipping\n\n- Parcels leave at five.\n- The carrier is TBD.", ["Shipping"]),
        ("### Photo retention (TBD)\n", ["Photo retention (TBD)"]),
        ("We haven't decided who signs contracts.", ["Signs contracts"]),
        ("Refunds: the limit still needs to be agreed.", ["Refunds"]),
        ("See https://example.org/?page=2 for the list.", []),
        ("Both sides must agree before a parcel leaves.", []),
        ("## Notes <!-- who? -->\n\nAll is settled.\n<!--\nWho pays?\n-->\n", []),
    ],
)
def test_what_says_that_it_is_open_is_found_and_what_does_not_is_left_alone(text: str, titles: list[str]) -> None:
    found = [one.title for output in brief(text).research().values() for one in output.questions]
    assert sorted(found) == titles


def test_lines_that_an_editor_wrapped_stay_one_sentence() -> None:
    text = (
        "It is not decided whether the parcels that come back from the shops in\n"
        "Hamburg are counted as returns. The others are counted on the day on which\n"
        "Berlin gets them.\n"
    )
    (question,) = asked(brief(text))
    assert "shops in Hamburg are counted as returns." in question


def test_a_topic_keeps_its_ways_for_the_question_above_them_and_asks_the_other_one_apart() -> None:
    text = "## Metrics\n\n### Returns\n\nWho scans them? By what are returns counted?\n\n- By parcel\n- By item\n"
    found = brief(text).research()["metrics"].questions
    assert [(one.title, one.choices[0]) for one in found] == [
        ("Returns", "By parcel"),
        ("Scans them", openings.GENERIC[0]),
    ]


def test_a_question_above_a_list_in_a_plain_section_takes_its_ways() -> None:
    (found,) = brief("## Metrics\n\nBy what are returns counted?\n\n- By parcel\n- By item\n").research()[
        "metrics"
    ].questions  # fmt: skip
    assert found.choices == ["By parcel", "By item"]


def test_what_one_dimension_cannot_ask_is_named_in_its_notes() -> None:
    points = [f"How is figure {n} counted?" for n in range(70)]
    found = brief("## Metrics\n\n" + "\n\n".join(points)).research()["metrics"]
    left = [n for n in range(70) if points[n] not in [one.question for one in found.questions]]
    assert len(left) == 10
    assert all(f"Figure {n} counted" in found.notes for n in left)


def test_a_comment_that_is_never_closed_is_named_in_the_notes() -> None:
    found = brief("Who pays?\n\n<!-- draft\n\nWho signs?\n").research()
    assert all("0-sources/brief.md" in output.notes.partition("not closed")[2] for output in found.values())


def test_the_starter_brief_asks_nothing_until_it_is_filled_in() -> None:
    text = STARTER.read_text(encoding="utf-8")
    assert all(output.questions == [] for output in brief(text).research().values())
    filled = text.replace("## Stages\n", "## Stages\n\nWhen does a case begin?\n")
    assert asked(brief(filled)) == ["When does a case begin?"]


# --- alternatives -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Is the fee charged per month, per order or per item?", ("Per month", "Per order", "Per item")),
        ("Which system is the record, WMS or ERP?", ("WMS", "ERP")),
        ("Is WMS or ERP the record of stock?", ("WMS", "ERP")),
        ("Do we run on Python 3.10 or 3.12?", ("Python 3.10", "3.12")),
        ("Should B goods be sold as refurbished or scrapped?", ("Refurbished", "Scrapped")),
        ("Who pays, the customer, the carrier, or we?", ("The customer", "The carrier", "We")),
        ("When is it sent, when the parcel leaves or when it arrives?", ("When the parcel leaves", "When it arrives")),
        ("Which system holds the date, the CRM or the ledger?", ("The CRM", "The ledger")),
        ("If a parcel is lost, do we refund it or send it again?", ("Refund it", "Send it again")),
        ("Do we keep the box or throw it away?", ("Keep the box", "Throw it away")),
        ("Which unit do we bill (order, item or parcel)?", ("Order", "Item", "Parcel")),
        ("It is not agreed how it counts: either as value or not at all.", ("As value", "Not at all")),
        ("Does it start at A, B, C, D or E?", ("A", "B", "C", "D")),
        ("How long do we keep photos or videos of damaged goods?", ()),
        ("The discount of gold or silver customers is not decided.", ()),
        ("Should we accept it or not?", ()),
        ("仓储费按月、按单还是按件？", ("按月", "按单", "按件")),
        ("费用按月，按单，还是按件？", ("按月", "按单", "按件")),
        ("退货何时开始：打印标签时、包裹到达时，还是检验时？", ("打印标签时", "包裹到达时", "检验时")),
        ("运费谁付，客户、承运商还是我们？", ("客户", "承运商", "我们")),
        ("客户投诉时，退款还是换货？", ("退款", "换货")),
        ("退到银行卡、余额或代金券？", ("退到银行卡", "余额", "代金券")),
        ("还是", ()),
    ],
)
def test_an_enumeration_is_read_whole(sentence: str, found: tuple[str, ...]) -> None:
    assert alternatives(sentence) == found


PIECES = [
    "a",
    "B",
    " ",
    ", ",
    ": ",
    ";",
    "?",
    ". ",
    "—",
    "(",
    " or ",
    "either ",
    "by ",
    "which ",
    "do we ",
    "还是",
    "、",
    "按",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_whatever_a_sentence_says_it_names_none_or_two_to_four_different_alternatives(sentence: str) -> None:
    found = alternatives(sentence)
    assert len(found) in (0, 2, 3, 4)
    assert len(set(found)) == len(found)
    assert all(found)


# --- what is not one question -----------------------------------------------------------------------------------------


def note(origin: str, question: str, title: str = "") -> Note:
    return Note(origin, title or question.rstrip("?？"), False, question, ("yes", "no"), "A — why")


@pytest.mark.req("CL-2")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Who approves refunds above 500 euros?", "Who approves refunds above 500 euros in the end?", True),
        ("Who approves refunds above 500 euros?", "Who approves refunds above 1,000 euros?", False),
        ("Who approves refunds above 500 euros?", "Who approves refunds?", False),
        ("Which packages need Python 3.10?", "Which packages need Python 3.12?", False),
        ("Who approves refunds in Berlin?", "Who approves refunds in Hamburg?", False),
        ("Is stock kept in the WMS?", "Is stock kept in the ERP?", False),
        ("Is a parcel kept for 5 days?", "Is a parcel kept for 5 weeks?", False),
        ("Is a parcel kept for two days?", "Is a parcel kept for three days?", False),
        ("超过500元的退款由谁审批？", "超过1000元的退款由谁审批？", False),
        ("商机在“线索”阶段进入管道吗？", "商机在“报价”阶段进入管道吗？", False),
    ],
)
@pytest.mark.parametrize("title", ["", "Refunds"], ids=["own titles", "one title"])
def test_questions_with_other_numbers_codes_or_names_are_never_merged(
    one: str, other: str, same: bool, title: str
) -> None:
    assert (len(grouped([note("Metrics Q1", one, title), note("Data Q1", other, title)])) == 1) is same


def test_a_name_counts_at_the_beginning_of_a_sentence_where_another_question_shows_that_it_is_one() -> None:
    pair = [note("Metrics Q1", "Berlin refunds: who approves?"), note("Data Q1", "Hamburg refunds: who approves?")]
    assert len(grouped([*pair, note("Data Q2", "Is stock moved from Berlin to Hamburg?")])) == 3


def test_two_questions_that_share_only_a_title_stay_two_and_their_titles_differ() -> None:
    text = "## Metrics\n\n### Dates\n\nWhich system holds the close date?\n\n- a way\n- no way\n"
    sitting = brief(text, other_md=text.replace("Which system holds the close date?", "How long are they printed?"))
    assert len(asked(sitting)) == 2
    assert [item.title for item in sitting.doc.questions] == ["Dates", "Dates (2)"]
    assert len(asked(sitting)) == 2
    assert [item.key for item in sitting.doc.questions] == ["Q1", "Q2"]


# --- letters ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("CL-7")
def test_a_refinement_offers_the_ways_of_its_question_under_the_letters_they_have_there() -> None:
    ways = "- by deals\n- by value (recommended: money counts)\n- by customers\n"
    sitting = brief(f"## Metrics\n\n### Win rate (must settle)\n\nHow is the win rate calculated?\n\n{ways}")
    asked(sitting)
    sitting.answer({"Q1": "\n"})
    (found,) = sitting.refine()
    assert [choice.rpartition(": ")[2] for choice in found.choices[:3]] == ["by deals", "by value", "by customers"]
    assert found.choices[3].startswith("Somebody else")
    assert found.recommendation == "B — Money counts."
