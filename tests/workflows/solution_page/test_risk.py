"""Risk by words alone (SP-8): every row of the tables is a promise about a sentence somebody will write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DefinitionError
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.risk import LEVELS, Risk, assess, rank, sentence_risk

SAFETY, METRIC = "safety-compliance", "performance-metric"
SUPERLATIVE, LEGAL = "superlative-comparison", "legal-commitment"
FEATURE, DESCRIPTIVE = "general-feature", "descriptive"

SEED_TABLE = [
    ("encryption", SAFETY),
    ("SOC2", SAFETY),
    ("ISO27001", SAFETY),
    ("GDPR", SAFETY),
    ("latency", METRIC),
    ("throughput", METRIC),
    ("accuracy", METRIC),
    ("battery life", METRIC),
    ("range of 10 m", METRIC),
    ("best", SUPERLATIVE),
    ("#1", SUPERLATIVE),
    ("industry-leading", SUPERLATIVE),
    ("the first to do so", SUPERLATIVE),
    ("the only one", SUPERLATIVE),
    ("vs competitor", SUPERLATIVE),
    ("guarantee", LEGAL),
    ("warranty", LEGAL),
    ("SLA", LEGAL),
    ("uptime", LEGAL),
    ("supports X", FEATURE),
    ("includes Y", FEATURE),
    ("compatible with Z", FEATURE),
    ("designed for", DESCRIPTIVE),
    ("optimized for", DESCRIPTIVE),
    ("easy to use", DESCRIPTIVE),
]

HIGH = [
    ("All wireless audio is encrypted", SAFETY),
    ("AES-256 on the radio link", SAFETY),
    ("Certified to ISO/IEC 27001:2022", SAFETY),
    ("SOC 2 Type II report available", SAFETY),
    ("CE marked", SAFETY),
    ("IP54 enclosure", SAFETY),
    ("GDPR-ready", SAFETY),
    ("secure boot", SAFETY),
    ("全链路加密", SAFETY),
    ("通过ISO 27001认证", SAFETY),
    ("符合RoHS指令", SAFETY),
    ("满足等保三级要求", SAFETY),
    ("6-hour battery life", METRIC),
    ("latency under 35 ms", METRIC),
    ("95% accuracy", METRIC),
    ("95 % of sentences recognised", METRIC),
    ("wireless range of 10 m", METRIC),
    ("picks up voices from 5 m away", METRIC),
    ("6 hours of talk on one charge", METRIC),
    ("up to 12 hours of calls", METRIC),
    ("suppresses steady noise by 30 dB", METRIC),
    ("pairs in 3 seconds", METRIC),
    ("processes 60 fps", METRIC),
    ("3x faster", METRIC),
    ("续航6小时", METRIC),
    ("连续通话 6 小时", METRIC),
    ("端到端时延低于35ms", METRIC),
    ("35ms的传输", METRIC),
    ("准确率达到95％", METRIC),
    ("拾音距离5米", METRIC),
    ("10米以内清晰拾音", METRIC),
    ("最远覆盖10米", METRIC),
    ("百分之九十五的语音", METRIC),
    ("通过USB-C充电，2.5小时充满", METRIC),
    ("2.5小时内充满", METRIC),
    ("The best speakerphone you can buy", SUPERLATIVE),
    ("best-in-class audio", SUPERLATIVE),
    ("No. 1 in Europe", SUPERLATIVE),
    ("an industry first", SUPERLATIVE),
    ("The world’s first modular speakerphone", SUPERLATIVE),
    ("the first speakerphone with a replaceable battery", SUPERLATIVE),
    ("the only speakerphone with two radios", SUPERLATIVE),
    ("a market-leading codec", SUPERLATIVE),
    ("the fastest pairing", SUPERLATIVE),
    ("our most advanced model", SUPERLATIVE),
    ("louder than other speakerphones", SUPERLATIVE),
    ("more reliable than before", SUPERLATIVE),
    ("Unlike conventional systems it learns", SUPERLATIVE),
    ("unrivalled clarity", SUPERLATIVE),
    ("行业领先的降噪", SUPERLATIVE),
    ("业内首款可换电池的全向麦", SUPERLATIVE),
    ("全球第一个支持级联的型号", SUPERLATIVE),
    ("市场份额第一", SUPERLATIVE),
    ("唯一一款双模产品", SUPERLATIVE),
    ("音质最佳", SUPERLATIVE),
    ("比传统会议电话更清晰", SUPERLATIVE),
    ("优于同类产品", SUPERLATIVE),
    ("We guarantee delivery", LEGAL),
    ("3-year warranty", LEGAL),
    ("a 99.9 uptime commitment", LEGAL),
    ("money-back offer", LEGAL),
    ("整机质保三年", LEGAL),
    ("我们承诺两天内上门", LEGAL),
    ("七天无理由退货", LEGAL),
]

NOT_HIGH = [
    "8-microphone array",
    "8麦克风阵列",
    "8 个麦克风",
    "4 ports",
    "4个USB接口",
    "Rooms with 12 people",
    "a 2 m cable in the box",
    "weighs 420 g",
    "整机重420克",
    "ships with a 2 m charging cable",
    "Ask your security team",
    "请与安全团队确认",
    "The compliance officer signs the form",
    "It works only when it is paired",
    "not only speech but also music",
    "a read-only status page",
    "only one cable to connect",
    "Firstly, unpack the box",
    "First, open the app",
    "The first person to speak is heard",
    "the first step",
    "At first glance it looks plain",
    "They bestow trust on the onlyone brand",
    "best practices for meeting rooms",
    "leading to shorter meetings",
    "a range of rooms",
    "a wide range of headsets",
    "other than that",
    "rather than a phone",
    "more than a loudspeaker",
    "at least one participant",
    "see https://www.example.com/best-first-only",
    "Most meetings start late",
    "Make the most of the room",
    "首先打开应用",
    "第一步，按下电源键",
    "第一时间通知管理员",
    "最后，放回充电座",
    "最近的会议室",
    "最新固件",
    "设备的唯一标识",
    "防火墙设置",
    "延迟开会",
    "比如小型会议室",
    "百分比更直观",
    "Good rooms need good sound.",
    "Place it in the middle of the table.",
    "把它放在桌子中间即可。",
    "<!-- claim_id: C-BEST-001 -->",
]

MEDIUM_OR_LOW = [
    ("8-microphone array", "medium", FEATURE),
    ("8麦克风阵列", "medium", FEATURE),
    ("4 ports", "medium", FEATURE),
    ("支持蓝牙与USB-C双模连接", "medium", FEATURE),
    ("designed for small rooms", "low", DESCRIPTIVE),
    ("专为小型会议室打造", "low", DESCRIPTIVE),
    ("简单易用", "low", DESCRIPTIVE),
    ("designed for small rooms and includes a case", "medium", FEATURE),
]


@pytest.mark.req("SP-8")
@pytest.mark.parametrize(("text", "category"), SEED_TABLE)
def test_every_example_of_the_rule_table_falls_in_its_category(text: str, category: str) -> None:
    assert assess(text).category == category


@pytest.mark.req("SP-8")
@pytest.mark.parametrize(("text", "category"), HIGH)
def test_a_risky_statement_is_high_and_names_what_makes_it_so(text: str, category: str) -> None:
    found = assess(text)
    assert (found.level, found.category) == ("high", category)
    assert found.matched


@pytest.mark.req("SP-8")
@pytest.mark.parametrize("text", NOT_HIGH)
def test_ordinary_prose_is_not_rated_high(text: str) -> None:
    assert sentence_risk(text).level != "high", sentence_risk(text)


@pytest.mark.req("SP-8")
@pytest.mark.parametrize(("text", "level", "category"), MEDIUM_OR_LOW)
def test_features_are_medium_and_descriptions_low(text: str, level: str, category: str) -> None:
    assert (assess(text).level, assess(text).category) == (level, category)


@pytest.mark.req("SP-8")
@pytest.mark.parametrize("text", ["", "   ", "Voices in the room", "会议室里的声音"])
def test_a_text_that_matches_nothing_is_a_medium_feature(text: str) -> None:
    assert assess(text) == Risk("medium", FEATURE, "")


@pytest.mark.req("SP-8")
@pytest.mark.parametrize(
    ("low", "high"),
    [("designed for rooms", "the best"), ("supports USB", "6-hour battery life"), ("简单易用", "行业领先")],
)
def test_of_several_matches_the_highest_counts_in_any_order(low: str, high: str) -> None:
    assert assess(f"{low}, {high}").level == assess(f"{high}, {low}").level == "high"


@pytest.mark.req("SP-8")
@given(st.sampled_from([text for text, _ in HIGH]), st.sampled_from([text for text in NOT_HIGH if "<!--" not in text]))
def test_a_risky_statement_stays_high_beside_an_ordinary_one(risky: str, ordinary: str) -> None:
    assert assess(f"{ordinary}. {risky}").level == "high"
    assert assess(f"{risky}. {ordinary}").level == "high"


def test_levels_are_ranked_from_low_to_high() -> None:
    assert sorted(LEVELS, key=rank) == ["low", "medium", "high"]


@pytest.mark.req("SP-8")
def test_a_table_with_an_unknown_level_is_refused_by_name() -> None:
    table = "default: {level: medium, category: x}\ncategories: [{id: x, level: severe, en: [y]}]\n"
    with pytest.raises(DefinitionError, match=r"'severe'.*low, medium, high"):
        risk.parse(table, "mine.yaml")


@pytest.mark.parametrize(
    "table", ["categories: []\n", "default: {level: low, category: x}\ncategories: [{id: x, level: low, en: ['(']}]\n"]
)
def test_a_broken_table_is_a_developers_error(table: str) -> None:
    with pytest.raises(DefinitionError, match=r"mine\.yaml"):
        risk.parse(table, "mine.yaml")


@pytest.mark.usefixtures("must_end")
def test_a_long_page_of_ordinary_words_is_rated() -> None:
    page = "Ordinary words about a quiet room 5 m by 7 m, with a table. 普通的会议室，没有什么特别。\n" * 400
    assert assess(page).level != "low"
