"""When a question is the same as an earlier one, and when it has come too often."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from orchestration_texts import TEXTS

from signoff.workflows.orchestration.work.loops import looping, similar
from signoff.workflows.orchestration.work.progress import Question

DEFAULT = 0.85
SAME = [
    ("Is the email unique?", "is  the EMAIL unique"),
    ("Should the email column in the users table be unique?", "In the users table, should the email column be unique?"),
    ("Assuming emails are unique", "I assume that the email is unique"),
    ("Which database do we use for sessions?", "Which database should we use for the sessions?"),
    ("How long does a session last?", "How long do sessions last?"),
    ("How long is a session kept: 3 days?", "How long is a session kept: three days?"),
    ("At most 10,000 rows?", "At most 10000 rows?"),
    ("Guests can't read drafts", "Guests cannot read drafts"),
    ("should postgres be used for sessions?", "Should Postgres be used for sessions?"),
    ("SHOULD POSTGRES BE USED FOR SESSIONS", "Should Postgres be used for sessions?"),
    ("Ｉｓ `user_id` the key？", "Is user_id the key?"),
    ("邮箱必须唯一吗？", "邮箱是否必须唯一？"),
    ("用户表中的邮箱字段是否必须唯一？", "用户表里的邮箱字段是不是必须唯一？"),
    ("会话令牌应该保存多长时间？", "会话令牌要保存多长时间"),
    ("订单删除之后，发票要保留多少年？", "发票在订单删除之后要保留多少年？"),
    ("用户能不能删除订单？", "用户能删除订单吗？"),
    ("邮箱地址必须是全局唯一", "邮箱地址必须全局唯一的值"),
    ("会话存储使用Redis还是内存？", "会话存储使用 Redis 还是内存?"),
    ("セッションの有効期限はどのくらいですか", "セッションの有効期限はどれくらいですか？"),
    ("ログイン画面のセッションは何分で切れますか", "ログイン画面のセッションは何分で切れるのか"),
    ("Well, is the email column of the users table unique?", "Is the email column of the users table unique?"),
    ("이메일은 고유해야 합니까?", "이메일은 고유해야 합니까"),
]
OTHERS = [
    ("Should the email column in the users table be unique?", "Should the phone column in the users table be unique?"),
    ("Redis cluster for session storage in the api?", "Kafka cluster for session storage in the api?"),
    ("Which Python, 3.10?", "Which Python, 3.12?"),
    ("Keep the logs for thirty days, or 30?", "Keep the logs for thirty days, or 90?"),
    ("Are three retries enough for the gateway?", "Are five retries enough for the gateway?"),
    ("May guests read the drafts of a page?", "May guests not read the drafts of a page?"),
    ("What happens when the token is valid?", "What happens when the token isn't valid?"),
    ("Is the price shown with tax?", "Is the price shown without tax?"),
    ("When is the invoice sent to the customer?", "Where is the invoice sent to the customer?"),
    ("Is the mail sent before the payment?", "Is the mail sent after the payment?"),
    ("Is `user_id` the key of the orders table?", "Is `order_id` the key of the orders table?"),
    ("Are the sessions kept in the store of the service?", "Are the sessions kept in the Redis store of the service?"),
    ("Is the email unique?", "Is the email unique in each tenant, or in all of them together?"),
    ("用户表中的邮箱字段是否必须唯一？", "用户表中的电话字段是否必须唯一？"),
    ("会话令牌应该保存多长时间？", "会话日志应该保存多长时间？"),
    ("订单删除之后，发票要保留多少年？", "订单归档之后，发票要保留多少年？"),
    ("用户可以删除自己的订单", "用户不可以删除自己的订单"),
    ("访问日志要保留三天", "访问日志要保留七天"),
    ("セッションの有効期限はどのくらいですか", "クッキーの有効期限はどのくらいですか"),
    ("?", "Is the email unique?"),
]


def turns(*texts: str) -> list[Question]:
    """One question in each turn, from the first on; an empty one is a turn that asked nothing."""
    return [Question(turn=turn, text=text) for turn, text in enumerate(texts, 1) if text]


@pytest.mark.req("OR-24")
@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_question_is_the_same_in_another_order_form_case_or_width(one: str, other: str) -> None:
    assert similar(one, other, DEFAULT)


@pytest.mark.req("OR-24")
@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_another_number_name_word_or_negation_is_another_question(one: str, other: str) -> None:
    assert not similar(one, other, DEFAULT)


@pytest.mark.req("OR-24")
def test_the_threshold_says_how_much_more_one_of_them_may_say() -> None:
    pair = "Is the email unique?", "Is the email address unique?"
    assert [similar(*pair, threshold) for threshold in (0.7, 0.85, 1.0)] == [True, False, False]
    assert similar(*SAME[0], 1.0)


@pytest.mark.req("OR-24")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (turns(), ""),
        (turns("Is it unique?"), ""),
        (turns("Is it unique?", "Is it unique?"), ""),
        (turns("Is it unique?", "Is it unique?", "is it UNIQUE"), "is it UNIQUE"),
        (turns("Is it unique?", "", "", "Is it unique?", "", "Is it unique?"), "Is it unique?"),
        (turns("Is it unique?", "Is it null?", "Is it unique?"), ""),
        (turns("Is it unique?", "Is it null?", "Is it unique?", "Is it null?", "Is it unique?"), "Is it unique?"),
        (turns("Is it unique?", "Is it unique?", "Is it unique?", "Is it null?"), ""),
        ([Question(turn=turn, text="Is it unique?") for turn in (1, 1, 1, 2, 2)], ""),
        ([*turns("Is it unique?", "Is it unique?"), *turns("a", "b", "c", "Is it unique?")[2:]], "Is it unique?"),
    ],
)
def test_only_a_third_distinct_turn_makes_a_loop_and_only_the_newest_can(asked: list[Question], found: str) -> None:
    assert looping(asked, DEFAULT) == found


def test_a_question_is_looked_at_only_so_far() -> None:
    words = "column " * 100_000
    assert looping(turns(*(f"Is the {words} of table {number} unique?" for number in range(3))), DEFAULT)


# --- laws -------------------------------------------------------------------------------------------------------------

QUESTIONS = TEXTS | st.sampled_from([text for pair in (*SAME, *OTHERS) for text in pair])
THRESHOLDS = st.floats(0.01, 1)


@pytest.mark.req("OR-24")
@given(QUESTIONS, THRESHOLDS)
def test_every_question_is_the_same_as_itself(text: str, threshold: float) -> None:
    assert similar(text, text, threshold)
    assert similar(text, f"  {text}\n", threshold)


@pytest.mark.req("OR-24")
@given(QUESTIONS, QUESTIONS, THRESHOLDS)
def test_of_two_questions_neither_is_the_first(one: str, other: str, threshold: float) -> None:
    assert similar(one, other, threshold) == similar(other, one, threshold)


@pytest.mark.req("OR-24")
@given(st.lists(st.tuples(st.integers(1, 2), QUESTIONS), max_size=12), THRESHOLDS)
def test_two_turns_never_make_a_loop(asked: list[tuple[int, str]], threshold: float) -> None:
    assert looping([Question(turn=turn, text=text) for turn, text in asked], threshold) == ""


@pytest.mark.req("OR-24")
@given(st.lists(st.sampled_from(OTHERS), max_size=5), st.sampled_from(SAME), st.permutations([3, 8, 9]))
def test_three_turns_do_whatever_is_asked_between_them(
    between: list[tuple[str, str]], pair: tuple[str, str], at: list[int]
) -> None:
    assume(all(similar(one, other, DEFAULT) for one in pair for other in pair))
    others = [Question(turn=turn, text=text) for turn, (text, _) in enumerate(between, 1)]
    asked = [Question(turn=turn, text=pair[turn % 2]) for turn in at]
    assert looping([*others, *asked], DEFAULT) in pair


@pytest.mark.req("OR-24")
def test_a_history_of_a_thousand_questions_is_looked_through() -> None:
    asked = [Question(turn=turn, text=f"Is the column {turn} of the table unique?") for turn in range(1, 1001)]
    assert looping(asked, DEFAULT) == ""
    again = [Question(turn=turn, text="Is the column 7 of the table unique?") for turn in (1001, 1002)]
    assert looping([*asked, *again], DEFAULT) == again[0].text
