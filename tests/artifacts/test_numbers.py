"""What numbers a text states and whether two texts state the same: the law of `signoff.evidence.figures.numbers`."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.evidence.figures.numbers import missing, quantities, same_quantities, with_units
from signoff.evidence.figures.units import ADJECTIVES, COUNTED, MEASURES, Unit, is_han


def found(text: str) -> list[tuple[Decimal, str]]:
    return [each.key() for each in with_units(text)]


def amounts(*pairs: tuple[str, str]) -> list[tuple[Decimal, str]]:
    return [(Decimal(value), unit) for value, unit in pairs]


SAME = {
    ("21600", "s"): [
        "6-hour", "6 h", "6h", "6 hours", "6 Hours", "6 hrs", "six hours", "Six-hour", "6小时", "6 小时", "6个小时",
        "六小时", "六个小时", "６小时", "360 min", "360分钟", "6‑hour", "6\u00a0h",
        "6\nhours", "**6** hours", "6+ hours",
        "≥6 h", "≤ 6小时", "0.25 days", "2.16万秒",
    ],
    ("3600", "s"): [
        "one hour", "1 h", "一小时", "一个小时", "60 minutes",
    ],
    ("0.035", "s"): [
        "35 ms", "35ms", "35毫秒", "35-millisecond", "thirty-five milliseconds", "三十五毫秒", "35,000 µs", "35000 μs",
    ],
    ("36", "month"): [
        "3-year", "3 years", "3年", "三年", "36 months", "36个月", "3年质保", "三年质保",
    ],
    ("10000", "person"): [
        "10,000 users", "10000 users", "10k users", "10K users", "1万用户", "1万名用户", "10000人", "一万人",
        "ten thousand people",
    ],
    ("1500000", "person"): [
        "1.5 million users", "150万用户", "1.5M users", "1,500,000 people", "一百五十万用户",
    ],
    ("95", "%"): [
        "95%", "95 %", "95％", "95 percent", "95 per cent", "百分之九十五", "百分之95", "ninety-five percent",
    ],
    ("100", "%"): [
        "100%", "百分之百", "百分之一百",
    ],
    ("5", "percentage point"): [
        "5 percentage points", "5个百分点", "five percentage points",
    ],
    ("3", "×"): [
        "3x faster", "3X Faster", "3×", "3倍", "3 times faster", "three times", "三倍", "3-fold",
    ],
    ("10", "×"): [
        "10x optical zoom", "10倍光学变焦",
    ],
    ("120", "m"): [
        "120 m", "120米", "一百二十米", "0.12 km", "0.12公里", "120 metres", "120-meter",
    ],
    ("0.25654", "m"): [
        "10.1-inch", "10.1 inches", "10.1英寸", "10.1 in.", "(10.1 in)", "25.654 cm", "25.654厘米",
    ],
    ("-20", "°C"): [
        "-20 °C", "−20 °C", "–20°C", "－20℃", "零下20℃", "零下20摄氏度", "minus 20 degrees Celsius", "温度-20℃",
    ],
    ("30", "fps"): [
        "30 fps", "30fps", "30 frames per second", "30帧/秒", "每秒30帧", "每秒可达30帧",
    ],
    ("60", "km/h"): [
        "60 km/h", "每小时60公里", "60公里/小时", "60 kilometers per hour",
    ],
    ("3000", "rpm"): [
        "3000 rpm", "3,000 RPM", "每分钟3000转", "3000转/分", "3000转/分钟",
    ],
    ("8000000", "px"): [
        "8 MP", "8-megapixel", "800万像素", "8百万像素",
    ],
    ("24", "bit"): [
        "24-bit", "24 bit", "24位", "24比特",
    ],
    ("1.5", "USD"): [
        "$1.5", "US$1.5", "1.5 USD", "1.5美元", "USD 1.5",
    ],
    ("120000000", "CNY"): [
        "1.2亿元", "¥120,000,000", "RMB 120 million", "120 million yuan", "￥1.2亿",
    ],
    ("8", "microphone"): [
        "8-microphone array", "8 microphones", "8 microphone array", "eight-microphone", "8麦克风阵列", "8个麦克风",
        "八麦克风", "8颗高灵敏度麦克风", "8 far-field MEMS microphones", "8 mics",
        "8路麦克风", "8个MEMS麦克风", "8 MEMS 麦克风",
        "2x4 = 8 microphones",
    ],
    ("2", "microphone"): [
        "dual-microphone", "dual microphones", "双麦克风", "2x microphones", "two microphones", "两个麦克风",
    ],
    ("35", "language"): [
        "35 languages", "35种语言", "35 supported languages", "三十五种语言", "thirty-five languages", "35种以上语言",
        "35+ languages",
    ],
    ("4", "port"): [
        "4 ports", "4个端口", "4 USB ports", "4 USB 3.0 ports", "4个USB接口", "four HDMI ports", "4 × HDMI ports",
        "四个千兆网口",
    ],
    ("200", "person"): [
        "200 people", "200人", "200名与会者", "200-person meeting room", "200人会议室", "200+ participants",
        "200 or more users",
    ],
    ("8", "core"): [
        "8-core", "8 cores", "8核", "八核", "octa-core",
    ],
    ("7000000000", "parameter"): [
        "7B parameters", "7 billion parameters", "70亿参数", "70亿个参数",
    ],
}  # fmt: skip


@pytest.mark.req("SP-9", "SP-15")
@pytest.mark.parametrize(("value", "unit", "text"), [(*key, text) for key, texts in SAME.items() for text in texts])
def test_spellings_of_one_quantity_in_both_languages_have_one_key(value: str, unit: str, text: str) -> None:
    assert found(text)[-1:] == amounts((value, unit))
    assert len(found(text)) == 1


NO_AMOUNTS = [
    "IP67", "IP67-rated", "USB 3.0", "USB 3.0 ports", "USB-C 3.2", "Bluetooth 5.3", "Bluetooth® 5.3",
    "Wi-Fi 6", "Wi-Fi 6-ready", "Wi-Fi 6 devices", "ISO 27001", "ISO 9001:2015", "ISO/IEC 27001",
    "IEC 62368-1", "RS-485", "RS-485/232", "H.264", "H.264/H.265", "v2.3", "version 2.3", "2.3.1",
    "192.168.1.10", "C-WSP-010", "4K cameras", "4K摄像头", "8K", "1080p", "5G", "3D models", "802.11ax",
    "蓝牙5.3", "支持蓝牙 5.3", "GB/T 4943", "Cat 6", "UL 94 V-0", "A4", "GPT-4", "1st", "3rd", "2026-01-05",
    "2026/01/05", "2026年1月5日", "2026年", "2026 年", "1月5日", "2023-2025年", "2023年至2025年", "Jan 5, 2026",
    "5 January 2026", "10:30", "1990s", "24/7", "7×24小时", "第3年", "第三年", "第 3 天", "第3代", "3-in-1", "三合一",
    "四周", "统一年度", "一起", "一个", "一度", "唯一", "万一", "一流", "三元锂电池", "百米",
    "数十米", "几十米", "one of the users",
    "one device", "一台设备", "one room", "some of them", "no one", "three times a day", "3.0升级", "2安装",
    "8 in the room", "3 in-ear", "in 2026", "2026", "about 42", "two options", "两种方案", "6", "Step 3",
    "如图3", "Section 4", "二〇二六年", "3x3", "2 A-grade", "7B", "in May 2026",
]  # fmt: skip


@pytest.mark.req("SP-9", "SP-15", "SP-16")
@pytest.mark.parametrize(
    "text",
    NO_AMOUNTS,
)
def test_names_ids_dates_and_plain_words_are_no_quantities_with_units(text: str) -> None:
    assert found(text) == []


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3-5 m", [("3", "m"), ("5", "m")]),
        ("3–5 米", [("3", "m"), ("5", "m")]),
        ("3 to 5 m", [("3", "m"), ("5", "m")]),
        ("3至5米", [("3", "m"), ("5", "m")]),
        ("3～5米", [("3", "m"), ("5", "m")]),
        ("三到五米", [("3", "m"), ("5", "m")]),
        ("between 3 and 5 m", [("3", "m"), ("5", "m")]),
        ("two to three hours", [("7200", "s"), ("10800", "s")]),
        ("4 or 8 microphones", [("4", "microphone"), ("8", "microphone")]),
        ("−20 °C to 60 °C", [("-20", "°C"), ("60", "°C")]),
        ("-20~60℃", [("-20", "°C"), ("60", "°C")]),
        ("工作温度-20℃至60℃", [("-20", "°C"), ("60", "°C")]),
        ("-20 to -10 °C", [("-20", "°C"), ("-10", "°C")]),
        ("20米-60米", [("20", "m"), ("60", "m")]),
        ("20 Hz–20 kHz", [("20", "Hz"), ("20000", "Hz")]),
        ("20 ± 2 °C", [("20", "°C"), ("2", "°C")]),
        ("±3 dB", [("3", "dB")]),
        ("1-2万人", [("10000", "person"), ("20000", "person")]),
        ("500到1万人", [("500", "person"), ("10000", "person")]),
        ("30 × 20 × 10 mm", [("0.03", "m"), ("0.02", "m"), ("0.01", "m")]),
        ("30mmx20mm", [("0.03", "m"), ("0.02", "m")]),
        ("6h30min", [("21600", "s"), ("1800", "s")]),
        ("Wi-Fi 5 GHz and USB 5 V", [("5000000000", "Hz"), ("5", "V")]),
        ("battery: 6 hours; range: 10 m.", [("21600", "s"), ("10", "m")]),
        ("8个麦克风，35种语言", [("8", "microphone"), ("35", "language")]),
        ("4天线, 24位用户", [("4", "antenna"), ("24", "person")]),
        ("3千米, 3千瓦, 3千克", [("3000", "m"), ("3000", "W"), ("3000", "g")]),
        ("5 m/s, 5 m², 5 MW, 5 mW", [("5", "m/s"), ("5", "m²"), ("5000000", "W"), ("0.005", "W")]),
        ("45 dB(A), 45 dB", [("45", "dBA"), ("45", "dB")]),
        ("In June 200 people came", [("200", "person")]),
        ("型号6，200人", [("200", "person")]),
    ],
)
def test_ranges_signs_and_sentences_give_every_quantity_in_order(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == amounts(*expected)


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("6-hour battery life", "Battery life: 6 h (measured)"),
        ("续航6小时", "6-hour battery"),
        ("serves 10,000 users", "支持1万用户"),
        ("6 hours", "value: 6 unit: h"),
        ("6 hours", "value: 6\nunit: h\nsource: lab"),
        ("6 hours", '{"value": 6, "unit": "hours"}'),
        ("6 hours", "| Battery life (hours) | 6 |"),
        ("6 hours", "| Battery life | 6 | h |"),
        ("6 hours", "续航（小时）：6"),
        ("6 hours", "battery minutes: 360"),
        ("6 hours", "Hours: 6"),
        ("8 microphones", "Microphones: 8"),
        ("8 microphones", "麦克风数量：8"),
        ("8个麦克风", "8 capsules"),
        ("works at 6", "nothing of the kind"),
        ("IP67 and USB 3.0", "nothing of the kind"),
    ],
)
def test_a_quantity_the_evidence_states_is_not_missing(claim: str, evidence: str) -> None:
    assert missing(claim, evidence) == ()


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    ("claim", "evidence", "absent"),
    [
        ("6 hours", "6.2 hours", "6 hours"),
        ("6 hours", "16 hours", "6 hours"),
        ("6 hours", "60 hours, 6 minutes", "6 hours"),
        ("6 hours", "a box of 6", "6 hours"),
        ("6 hours", "6 of them last for hours on end when idle in h", "6 hours"),
        ("6 A", "A device with 6 of them", "6 A"),
        ("6 hours", "", "6 hours"),
        ("-20 °C", "20 °C", "-20 °C"),
        ("95%", "95 percentage points", "95%"),
        ("20 °C", "20 °F", "20 °C"),
        ("8 microphones", "8 cameras", "8 microphones"),
        ("8 microphones", "Cameras: 8", "8 microphones"),
        ("8 microphones", "6 microphones", "8 microphones"),
        ("10,000人", "1,000人", "10,000人"),
        ("up to 3–5 m", "up to 5 m", "3"),
    ],
)
def test_a_quantity_the_evidence_does_not_state_is_missing(claim: str, evidence: str, absent: str) -> None:
    assert absent in [each.text for each in missing(claim, evidence)]


@pytest.mark.req("SP-15")
def test_parity_names_what_only_one_side_states() -> None:
    only_en, only_cn = same_quantities("8 microphones, 6 hours, 10 m", "8个麦克风，续航7小时，10米")
    assert [each.text for each in only_en] == ["6 hours"]
    assert [each.text for each in only_cn] == ["7小时"]


@pytest.mark.req("SP-15")
def test_parity_compares_sets_and_reports_each_quantity_once() -> None:
    assert same_quantities("6 h, then 6 hours again", "6小时") == ((), ())
    assert len(same_quantities("6 h, then 6 hours again", "")[0]) == 1


def test_counts_are_told_from_measures() -> None:
    assert [each.counted for each in quantities("8 microphones for 6 hours, or 5")] == [True, False, False]


def test_a_bare_number_has_an_empty_unit_and_its_scaled_value() -> None:
    assert [each.key() for each in quantities("about 1.5 million of 42")] == amounts(("1500000", ""), ("42", ""))


def test_no_counted_thing_has_the_name_of_a_measure() -> None:
    assert {unit.name for unit in COUNTED}.isdisjoint(unit.name for unit in MEASURES)


def test_no_spelling_means_two_units() -> None:
    for table in (MEASURES, COUNTED):
        spellings = [spelling for unit in table for spelling in {*unit.spellings()}]
        assert sorted(spellings) == sorted(set(spellings))


VALUES = st.decimals(min_value=Decimal("0.01"), max_value=Decimal(1800), places=2) | st.integers(2, 1800).map(Decimal)
PLACES = st.sampled_from(
    ["{}", "It lasts {}, we measured.", "(up to {})", "最长{}。", "可达{}，已验证", "：{}；", "a\n{}\nb", "| {} |"]
)


def written(value: Decimal, spelling: str) -> str:
    return f"{value}{'' if is_han(spelling[0]) else ' '}{spelling}"


@pytest.mark.req("SP-9", "SP-15")
@pytest.mark.parametrize("unit", MEASURES + COUNTED, ids=lambda unit: f"{unit.name}-{unit.factor}")
@settings(max_examples=12, deadline=None)
@given(value=VALUES, place=PLACES)
def test_every_spelling_of_a_unit_gives_the_same_key_anywhere_in_either_language(
    unit: Unit, value: Decimal, place: str
) -> None:
    for spelling in unit.spellings():
        if spelling not in (*ADJECTIVES, "in"):  # these need a hyphen, or the end of the phrase
            assert found(place.format(written(value, spelling))) == [(value * unit.factor, unit.name)], spelling


PIECES = st.sampled_from([
    "6 ", " 8-", "hour", "s", "小时", "个", "麦克风", "microphones", "三十", "一百", "十",
    "点五", "万", "million", " k", "%",
    "百分之", "-", "–", "~", "至", " to ", " x", "×", "±", "$", "USD ", "Wi-Fi ", "第", "年", "月", "日", "2026",
    "1,000", ".5", "3.0", "\n", "，", ". ", "(", ")", "IP67", "每秒", "帧", "one ", "two", "双", "多", "余", "零下",
    "minus ", "米", "度", "６", "％", "．", "*", "/", "Jan ", "V", "A", "in", "times",
])  # fmt: skip
MESS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60)


@given(MESS, MESS)
@example("8个" + "层" * 3000, "1," * 3000)
def test_spans_are_within_the_text_in_order_and_apart_and_a_text_states_what_it_states(text: str, other: str) -> None:
    end = 0
    for each in quantities(text):
        assert end <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.text
        end = each.end
    assert same_quantities(text, text) == ((), ())
    assert {each.key() for each in missing(text, other)} <= {each.key() for each in with_units(text)}


@given(st.text(st.characters(categories=["Lu", "Ll", "Po", "Zs"], max_codepoint=0x24F), max_size=80))
def test_a_text_without_digits_or_number_words_states_nothing(text: str) -> None:
    quiet = "".join(char for char in text if char not in "oeiuOEIU")  # every number word has one of these
    assert quantities(quiet) == ()


@pytest.mark.usefixtures("must_end")
def test_a_long_text_takes_no_longer_than_its_length() -> None:
    page = "The array hears people within 10 m for 6 hours, and everyone else in the same room can keep on talking. "
    assert len(with_units(page * 15_000)) == 30_000  # a second; if it went with the square of the length, minutes
