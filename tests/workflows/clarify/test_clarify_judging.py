"""Which answers are clear, vague or missing: rule by rule, in English and Chinese."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.workflows.clarify.checks.answer_quality import Judged, judge, meaning
from signoff.workflows.clarify.documents.clarifications import Choice

pytestmark = pytest.mark.req("CL-4")


def offered(*texts: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(letter=letter, text=text, line=number)
        for number, (letter, text) in enumerate(zip("ABCDE", texts, strict=False), 1)
    )


CHOICES = offered("Recurring fee only", "Spread over 12 months", "Proposal Sent", "Other (please specify)")
CHINESE = offered("仅经常性费用", "按月分摊", "其他（请说明）")
CLEAR, VAGUE, MISSING = "clear", "vague", "not_answered"

SPACE = st.text(st.sampled_from(" \t\n\r\u00a0\u3000"), max_size=4)
PIECES = st.sampled_from(
    [
        *("A", "b.", "C)", "(D)", "D: ", "A and C", "Other", "not sure", "TBD", "待定", "不确定", "yet", "目前"),
        *("the fee is spread", "按月收费", "Proposal Sent", "**", "_", "`", '"', "(", ")", ", ", "\n", "- ", "```"),
        *("(accepted recommendation)", "<!-- note -->", "https://example.com/a", "5", "…", "/", " or "),
    ]
)
ANSWERS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map("".join), st.lists(PIECES).map(" ".join))


@pytest.mark.parametrize(
    "answer",
    [
        *("", " ", "\n\n", "\t \r\n", "\u3000", "\u00a0", "\u200b", "\ufeff ", "\u200e\u200f"),
        *("\u3164", "\u3164 " * 5, "\u2800 " * 5, "\u1160\uffa0\u115f"),
        *(
            "(accepted recommendation)",
            "(Accepted Recommendation)",
            "(ACCEPTED  RECOMMENDATION)",
            "（accepted recommendation）",
        ),
        *("_(accepted recommendation)_", "*(accepted recommendation)*", "**(accepted recommendation)**"),
        *("(accepted recommendation).", "  (accepted recommendation)\n", "( accepted recommendation )"),
        *("<!-- write your answer here, in a sentence -->", "\n<!-- a -->\n<!-- b -->\n"),
    ],
)
def test_an_answer_without_text_or_with_the_mark_of_acceptance_is_not_answered(answer: str) -> None:
    assert judge(answer, CHOICES) == Judged(MISSING, "empty")


def test_the_mark_of_acceptance_with_more_beside_it_is_an_answer() -> None:
    assert judge("(accepted recommendation) but only for the large regions").verdict == CLEAR


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("A", "Recurring fee only"),
        ("a", "Recurring fee only"),
        ("Ａ", "Recurring fee only"),
        ("A.", "Recurring fee only"),
        ("A!", "Recurring fee only"),
        ("b.", "Spread over 12 months"),
        ("C)", "Proposal Sent"),
        ("(A)", "Recurring fee only"),
        ("（a）", "Recurring fee only"),
        ("A (specific stage)", "Recurring fee only (specific stage)"),
        ("A（具体阶段）", "Recurring fee only （具体阶段）"),
        ("A: from May", "Recurring fee only — from May"),
        ("A：五月起", "Recurring fee only — 五月起"),
        ("A、五月起", "Recurring fee only — 五月起"),
        ("A—from May", "Recurring fee only —from May"),
        ("A–from May", "Recurring fee only –from May"),
        ("A–x", "Recurring fee only –x"),
        ("A\u3000（五月起）", "Recurring fee only （五月起）"),
        ("A\u00a0: from May", "Recurring fee only — from May"),
        ("A...", "Recurring fee only"),
        ("A;C", "Recurring fee only; Proposal Sent"),
        ("A; C", "Recurring fee only; Proposal Sent"),
        ("A；C。", "Recurring fee only; Proposal Sent"),
        ("A; a fee", "Recurring fee only — a fee"),
        ("A, from May", "Recurring fee only — from May"),
        ("A，五月起", "Recurring fee only — 五月起"),
        ("A。", "Recurring fee only"),
        ("A; from May", "Recurring fee only — from May"),
        ("A - from May", "Recurring fee only - from May"),
        ("A – from May", "Recurring fee only – from May"),
        ("A — from May", "Recurring fee only — from May"),
        ("A -- from May", "Recurring fee only -- from May"),
        ("A\nfrom May", "Recurring fee only — from May"),
        ("A. Recurring fee only", "Recurring fee only"),
        ("A. recurring fee only, from May", "recurring fee only, from May"),
        ("A, I think", "Recurring fee only — I think"),
        ("A, a fee", "Recurring fee only — a fee"),
        ("Option B", "Spread over 12 months"),
        ("option b.", "Spread over 12 months"),
        ("OPTION (B)", "Spread over 12 months"),
        ("Option: B", "Spread over 12 months"),
        ("Option B: from May", "Spread over 12 months — from May"),
        ("Option B (from May)", "Spread over 12 months (from May)"),
        ("Choice C", "Proposal Sent"),
        ("choice c!", "Proposal Sent"),
        ("**Choice C**", "Proposal Sent"),
        ("Option **C** — from May", "Proposal Sent — from May"),
        ("Options A and C", "Recurring fee only; Proposal Sent"),
        ("Option A and option C", "Recurring fee only; Proposal Sent"),
        ("选B", "Spread over 12 months"),
        ("选 B。", "Spread over 12 months"),
        ("选Ｂ", "Spread over 12 months"),
        ("选项 B", "Spread over 12 months"),
        ("选项：B", "Spread over 12 months"),
        ("选择 B", "Spread over 12 months"),
        ("选择B，五月起", "Spread over 12 months — 五月起"),
        ("選擇 B", "Spread over 12 months"),
        ("选A和C", "Recurring fee only; Proposal Sent"),
        ("选A、选C", "Recurring fee only; Proposal Sent"),
        ("A、客服主管", "Recurring fee only — 客服主管"),
        ("A and C", "Recurring fee only; Proposal Sent"),
        ("a AND c", "Recurring fee only; Proposal Sent"),
        ("A, C", "Recurring fee only; Proposal Sent"),
        ("A+C", "Recurring fee only; Proposal Sent"),
        ("A/C", "Recurring fee only; Proposal Sent"),
        ("A & C", "Recurring fee only; Proposal Sent"),
        ("A、C", "Recurring fee only; Proposal Sent"),
        ("A 和 C", "Recurring fee only; Proposal Sent"),
        ("A和C", "Recurring fee only; Proposal Sent"),
        ("(A) and (C)", "Recurring fee only; Proposal Sent"),
        ("A, B, and C (all of them)", "Recurring fee only; Spread over 12 months; Proposal Sent (all of them)"),
        ("A and A", "Recurring fee only"),
        ("**A**", "Recurring fee only"),
        ("*A*", "Recurring fee only"),
        ("_a_", "Recurring fee only"),
        ("`A`", "Recurring fee only"),
        ('"A"', "Recurring fee only"),
        ("“A”", "Recurring fee only"),
        ("**A.** from May", "Recurring fee only — from May"),
        ("**A** — from *May*", "Recurring fee only — from *May*"),
        ("**A** and **C**", "Recurring fee only; Proposal Sent"),
        ("- A", "Recurring fee only"),
        ("> A", "Recurring fee only"),
        ("```\nA\n```", "Recurring fee only"),
        ("<!-- chosen by phone -->\nA", "Recurring fee only"),
    ],
)
def test_leading_letters_of_choices_are_clear_and_stand_for_their_texts(answer: str, says: str) -> None:
    assert judge(answer, CHOICES) == Judged(CLEAR, "choice")
    assert meaning(answer, CHOICES) == says


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("A managed service fee is spread over the months", CLEAR),
        ("a managed service fee is spread over the months", CLEAR),
        ("A or C, by the size of the deal", CLEAR),
        *(
            (short, VAGUE)
            for short in ("A fee", "A fee (monthly)", "A-team", "A+", "A?", "A？", "a.m. only", "B.2 hall")
        ),
        *((short, VAGUE) for short in ("C:\\data", "C://data", "A/B testing", "(A)nother one", "Another", "A因为")),
        *((short, VAGUE) for short in ("Z", "E.", "A, Z", "A and Z", "A;Z")),
        *((short, VAGUE) for short in ("A..C", "A...C", "A–C", "A—C.", "A-C", "A…C")),
        *(
            (short, VAGUE)
            for short in ("B is right", "Option B is", "Option Z", "选Z", "optionB", "An option B", "选B吗？")
        ),
        *((short, VAGUE) for short in ("Option A or C", "选A或B", "选A或选B")),
        ("option A or option C", CLEAR),
        ("A, option B or option C", CLEAR),
        *(
            (short, VAGUE)
            for short in ("Option A fee", "Option", "Choice", "选", "选择", "选项A因为", "Option\nB", "Choices")
        ),
        ("Option B is right for the large regions", CLEAR),
        ("B is right, as we all know", CLEAR),
        *((short, VAGUE) for short in ("A or C", "A 或 C", "A, B or C", "A, B 或者 C")),
    ],
)
def test_a_letter_that_is_an_article_a_part_of_a_name_or_undecided_is_ordinary_text(answer: str, verdict: str) -> None:
    judged = judge(answer, CHOICES)
    assert (judged.verdict, judged.why) == (verdict, "words" if verdict == CLEAR else "short")
    assert meaning(answer, CHOICES) == answer


@pytest.mark.parametrize("answer", ["A、仅经常性费用", "选A、仅经常性费用", "选项A：仅经常性费用"])
def test_a_letter_with_the_text_of_its_choice_says_that_text_once(answer: str) -> None:
    assert judge(answer, CHINESE) == Judged(CLEAR, "choice")
    assert meaning(answer, CHINESE) == "仅经常性费用"


@given(st.sampled_from(["Option ", "option: ", "Choice ", "选", "选项 ", "选择："]), ANSWERS)
def test_a_letter_says_the_same_whether_it_is_called_a_choice_or_not(called: str, answer: str) -> None:
    text = f"B{answer}"
    if judge(text, CHOICES).why == "choice":
        assert judge(called + text, CHOICES) == judge(text, CHOICES)
        assert meaning(called + text, CHOICES) == meaning(text, CHOICES)


def test_without_choices_a_letter_is_a_very_short_answer() -> None:
    assert judge("A") == Judged(VAGUE, "short")
    assert meaning("A", ()) == "A"


@pytest.mark.parametrize(
    ("answer", "judged"),
    [
        ("D", Judged(VAGUE, "other")),
        ("d.", Judged(VAGUE, "other")),
        ("D)", Judged(VAGUE, "other")),
        ("D —", Judged(VAGUE, "other")),
        ("Option D", Judged(VAGUE, "other")),
        ("选D", Judged(VAGUE, "other")),
        ("Option D: the fee of the first year", Judged(CLEAR, "words")),
        ("D. Other", Judged(VAGUE, "other")),
        ("D. Other (please specify)", Judged(VAGUE, "other")),
        ("Other", Judged(VAGUE, "other")),
        ("other.", Judged(VAGUE, "other")),
        ("**Other**", Judged(VAGUE, "other")),
        ("Other:", Judged(VAGUE, "other")),
        ("Other (please specify)", Judged(VAGUE, "other")),
        ("其他", Judged(VAGUE, "other")),
        ("其它。", Judged(VAGUE, "other")),
        ("其他（请说明）", Judged(VAGUE, "other")),
        ("A and D", Judged(VAGUE, "other")),
        ("D: TCV", Judged(VAGUE, "short")),
        ("Other: we do TCV here", Judged(VAGUE, "short")),
        ("D — not sure", Judged(VAGUE, "placeholder")),
        ("Other: to be decided", Judged(VAGUE, "placeholder")),
        ("D: the fee of the first year", Judged(CLEAR, "words")),
        ("D (the fee of the first year)", Judged(CLEAR, "words")),
        ("D. Other (please specify): the fee of the first year", Judged(CLEAR, "words")),
        ("D. Other (please specify) the fee of the first year", Judged(CLEAR, "words")),
        ("Other: the fee of the first year", Judged(CLEAR, "words")),
        ("其他：按第一年的费用计算", Judged(CLEAR, "words")),
        ("A and D: the fee of the first year", Judged(CLEAR, "words")),
        ("D: proposal sent", Judged(CLEAR, "choice")),
        ("D: ARR", Judged(CLEAR, "known")),
        ("Other teams decide on this every month", Judged(CLEAR, "words")),
        ("Other teams decide", Judged(VAGUE, "short")),
    ],
)
def test_the_choice_other_is_worth_what_is_said_beside_it(answer: str, judged: Judged) -> None:
    assert judge(answer, CHOICES, ["ARR"]) == judged


@pytest.mark.parametrize("text", ["Other currencies are converted", "其他币种按当日汇率", "Others decide"])
def test_a_choice_that_only_begins_with_the_word_other_is_clear_by_its_letter_and_by_its_text(text: str) -> None:
    choices = offered("Euros", text, "Other (please specify)")
    assert judge("B", choices) == judge(text, choices) == Judged(CLEAR, "choice")
    assert (meaning("B", choices), judge("C", choices).why) == (text, "other")


def test_a_plain_other_among_the_choices_does_not_swallow_a_sentence_that_begins_with_the_word() -> None:
    assert judge("Other teams decide on it", offered("Sales", "Other")) == Judged(CLEAR, "words")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("D", "Other (please specify)"),
        ("D: our own way", "our own way"),
        ("D. Other (please specify): our own way", "our own way"),
        ("D — our own way", "our own way"),
        ("A and D", "Recurring fee only; Other (please specify)"),
        ("A and D: our own way", "Recurring fee only — our own way"),
        ("  We follow the contract.\n", "  We follow the contract.\n"),
    ],
)
def test_the_meaning_of_other_is_what_was_said_and_that_of_a_free_answer_the_answer_itself(
    answer: str, says: str
) -> None:
    assert meaning(answer, CHOICES) == says


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "not sure",
            "Not sure.",
            "NOT  SURE",
            "*not sure*",
            '"not sure"',
            "unsure",
            "default is fine",
            "The default is fine",
        ),
        *(
            "TBD",
            "tbd.",
            "T.B.D.",
            "[TBD]",
            "N/A",
            "n/a",
            "n.a.",
            "NA",
            "not applicable",
            "to be decided",
            "To be determined",
        ),
        *("don't know", "don’t know", "dont know", "do not know", "no idea", "unknown", "whatever", "same as above"),
        *("up to you", "as you see fit", "skip", "none yet", "you decide", "it depends", "?", "-", "...", "…", "👍"),
        "I'm still not sure about this one for now",
        "We are not sure yet; to be decided at the moment",
        "Not sure, TBD, no idea, whatever, up to you",
        "TBD TBD TBD TBD TBD TBD",
        "Sorry, I really have no idea at the moment",
        "Whatever you think is best for us",
        "TBD\n\nTBD\n\n- TBD\n- not sure\n- N/A",
        *(
            "不确定",
            "待定",
            "默认即可",
            "不适用",
            "不知道",
            "都可以",
            "随便",
            "看情况",
            "以后再说",
            "同上",
            "默认即可。",
            "【待定】",
        ),
        "目前还不确定，以后再说吧",
        "我们目前还没有想好，暂时待定",
        "不知道，随便，都可以，看情况",
        "這個問題目前還不確定，以後再說",
        "TBD，待定，目前还不知道呢",
    ],
)
def test_placeholders_alone_are_vague_however_many_there_are(answer: str) -> None:
    assert judge(answer, CHOICES) == Judged(VAGUE, "placeholder")


@pytest.mark.parametrize(
    "answer",
    [
        "Not sure, but probably the recurring monthly fee",
        "N/A because all contracts are monthly",
        "We skip refunds in the first month",
        "We use the same for all",
        "We have none at the moment",
        "不确定，但大概率按月收费分摊",
        "默认按自然月计费并按季度结算",
    ],
)
def test_a_placeholder_with_something_to_say_beside_it_is_an_answer(answer: str) -> None:
    assert judge(answer, CHOICES) == Judged(CLEAR, "words")


@pytest.mark.parametrize(
    ("answer", "enough"),
    [
        ("We use the fee", False),
        ("We use the monthly fee", True),
        ("Managed-services fee isn't spread.", False),
        ("Managed-services fee isn't spread anywhere.", True),
        ("TCV / 10 = MRR", False),
        ("按月收费分摊到", False),
        ("按月收费分摊到年", True),
        ("按月收费，分摊到年。", True),
        ("按月收费 TCV 除以", False),
        ("按月收费 TCV 除以 10", True),
        ("by region 按地区", False),
        ("by region and size 按地", True),
        ("by region and size 按", False),
        ("see https://wiki.example.com/finance/mrr/how/it/works", False),
        ("[the wiki](https://wiki.example.com/finance/mrr/how/it/works)", False),
        ("[the wiki page about monthly fees](https://wiki.example.com/mrr)", True),
        ("```sql\nselect fee from deals\n```", False),
        ("```sql\nselect fee from deals limit\n```", True),
        ("~~~\nselect fee from deals\n~~~", False),
        ("Stage:\n- won\n- lost", False),
        ("Stage:\n- won\n- lost\n- open\n- on hold", True),
        ("**We use the monthly fee**", True),
        ("**We use it**", False),
        ("We use the <!-- old: and also the new --> fee", False),
    ],
)
def test_a_free_answer_is_clear_from_five_words_or_eight_han_characters_on(answer: str, enough: bool) -> None:
    assert judge(answer, CHOICES) == (Judged(CLEAR, "words") if enough else Judged(VAGUE, "short"))


@given(st.integers(0, 7), st.integers(0, 10))
def test_mixed_text_is_enough_when_its_words_and_its_han_characters_together_are(words: int, han: int) -> None:
    answer = " ".join(["fee"] * words + ["费"] * han)
    enough = Fraction(words, 5) + Fraction(han, 8) >= 1
    assert (judge(answer).verdict == CLEAR) == enough


@pytest.mark.parametrize(
    "answer",
    [
        "Proposal Sent",
        "proposal sent",
        "PROPOSAL  SENT.",
        "**Proposal Sent**",
        '"Proposal Sent"',
        "Proposal\nSent",
        "- Proposal Sent",
    ],
)
def test_a_short_answer_is_clear_when_it_is_the_text_of_a_choice(answer: str) -> None:
    assert judge(answer, CHOICES) == Judged(CLEAR, "choice")
    assert judge(answer) == Judged(VAGUE, "short")


@pytest.mark.parametrize("answer", ["按月分摊", "按月分摊。", "按月 分摊", "“按月分摊”"])
def test_a_short_chinese_answer_is_clear_when_it_is_the_text_of_a_choice(answer: str) -> None:
    assert judge(answer, CHINESE) == Judged(CLEAR, "choice")
    assert judge(answer) == Judged(VAGUE, "short")


@pytest.mark.parametrize("answer", ["ARR", "arr.", "_ARR_", "年度 经常性收入", "年度经常性收入。"])
def test_a_short_answer_is_clear_when_it_is_a_known_term(answer: str) -> None:
    assert judge(answer, CHOICES, ["ARR", "年度经常性收入"]) == Judged(CLEAR, "known")
    assert judge(answer, CHOICES) == Judged(VAGUE, "short")


@pytest.mark.parametrize("answer", ["ARR growth", "AR", "the ARR"])
def test_a_known_term_is_known_as_a_whole(answer: str) -> None:
    assert judge(answer, CHOICES, ["ARR"]) == Judged(VAGUE, "short")


def test_an_offered_choice_is_clear_by_its_letter_and_by_its_text_even_where_the_text_is_a_placeholder() -> None:
    choices = offered("Monthly", "Not applicable")
    assert judge("B", choices) == judge("not applicable.", choices) == Judged(CLEAR, "choice")


@given(ANSWERS, SPACE, SPACE)
def test_white_space_around_an_answer_changes_nothing(answer: str, before: str, after: str) -> None:
    assert judge(before + answer + after, CHOICES) == judge(answer, CHOICES)


@given(st.text())
def test_any_text_with_a_letter_or_digit_outside_comments_is_clear_or_vague(answer: str) -> None:
    judged = judge(answer, CHOICES)
    assert (judged.verdict == MISSING) == (judged.why == "empty")
    shown = answer.translate(dict.fromkeys((0x115F, 0x1160, 0x3164, 0xFFA0)))  # letters that show as nothing
    if "<!--" not in answer and any(character.isalnum() for character in shown):
        assert judged.verdict in (CLEAR, VAGUE)


@given(st.sampled_from(CHOICES[:3]), st.text(max_size=30))
def test_a_chosen_letter_with_a_remark_keeps_the_text_of_the_choice(choice: Choice, remark: str) -> None:
    answer = f"{choice.letter} ({remark})"
    assert judge(answer, CHOICES) == Judged(CLEAR, "choice")
    assert choice.text in meaning(answer, CHOICES)


@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize(
    "unit",
    [
        "*",
        "_",
        "A,",
        "A and ",
        "Option A, ",
        "option ",
        "选",
        "选 ",
        "(",
        "[](",
        "<!--",
        "```\n",
        "not sure ",
        "不",
        " ",
        "> ",
        '"',
        "https://",
        "A;",
        "Other ",
        "five words are in here \u0315\u0300",
    ],
)
def test_hostile_answers_are_judged_in_the_end(unit: str) -> None:
    assert judge(unit * 50_000 + "x", CHOICES).verdict in (CLEAR, VAGUE)


@pytest.mark.usefixtures("must_end")
@pytest.mark.parametrize("begin", ["A", "Other", "(accepted", "Option", "(", "A -", "A ("])
@pytest.mark.parametrize("unit", [" ", "\n", "\u3000", ".", "—", "\u0315\u0300"])
def test_a_long_gap_in_an_answer_is_judged_in_the_end(begin: str, unit: str) -> None:
    answer = begin + unit * 100_000 + "x"
    assert judge(answer, (*CHOICES, Choice(letter="E", text=answer, line=5))).verdict in (CLEAR, VAGUE)
    assert meaning(answer, CHOICES)


def test_an_answer_that_begins_clearly_is_clear_however_long_it_gets() -> None:
    assert judge("We use the monthly fee. " + "é" * 100_000, CHOICES) == Judged(CLEAR, "words")
    assert judge("word " * 100_000, CHOICES) == Judged(CLEAR, "words")
