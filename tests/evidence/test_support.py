"""Does a source state a claim? Tables of true claims and of claims with one fault."""

from __future__ import annotations

import pytest

from signoff.evidence import unsupported

TABLE = """## Ovens

| Model | Volume (l) | Power (kW) | Max. temperature (°C) |
|---|---|---|---|
| Ruby 20 | 20 | 2.4 | 250 |
| Ruby 40 | 40 | 3.6 | 280 |

The ovens need a supply of 230 V. Ruby 20 weighs 18 kg, Ruby 40 weighs 31 kg.
"""

TRUE = [
    ("The Ruby 40 has a volume of 40 l.", TABLE),
    ("Ruby 20 takes 2,400 W.", TABLE),
    ("The Ruby 40 reaches up to 280 °C.", TABLE),
    ("Ruby 20 takes 2.4 kW, and Ruby 40 takes 3.6 kW.", TABLE),
    ("The Ruby 20 weighs 18 kg.", TABLE),
    ("Ruby 40 重 31 公斤。", TABLE),
    ("The pump runs for ninety minutes.", "The pump runs for 1.5 hours."),
    ("The pump runs for about 300 s.", "The pump runs for 297 s."),
    ("A quarter of the sites are in Chile.", "One in four sites is in Chile."),
    ("It covers up to 20 kHz.", "It covers 38 Hz to 20 kHz."),
    ("Tickets are 14 pounds.", "Tickets cost £14."),
    ("No more than 12 people fit in.", "At most 12 people fit in."),
    ("不需要过滤器。", "无需过滤器。"),
    ("The lamp cannot be dimmed.", "这款灯不能调光。"),
    ("The plug-in works with OPC UA.", "The plug-in works with OPC UA; support for MQTT is planned."),
    ("MQTT is not supported yet.", "Support for MQTT is planned."),
]

FALSE = [
    ("number.misplaced", "The Ruby 20 has a volume of 40 l.", TABLE),
    ("number.unsupported", "The Ruby 40 reaches 250 °C.", TABLE),
    ("number.misplaced", "The Ruby 20 weighs 31 kg.", TABLE),
    ("number.unsupported", "The pump runs for 80 minutes.", "The pump runs for 1.5 hours."),
    ("number.unsupported", "The line is 30 kb/s.", "The line is 30 KB/s."),
    ("number.unsupported", "1 万台设备在线。", "1,000 台设备在线。"),
    ("bound.changed", "It weighs at least 5 kg.", "It weighs at most 5 kg."),
    ("bound.changed", "Costs fell to 30 %.", "Costs fell by 30 %."),
    ("bound.changed", "成本降低到20%。", "成本降低了20%。"),
    ("bound.changed", "An average of 19 ms.", "A maximum of 19 ms."),
    ("polarity.changed", "The gateway supports MQTT.", "The gateway does not support MQTT."),
    ("polarity.changed", "网关支持MQTT。", "网关不支持MQTT。"),
    ("polarity.changed", "The gateway supports MQTT.", "网关支持 OPC UA，不支持 MQTT。"),
    ("polarity.changed", "The coach runs on Sundays.", "The coach runs daily, except on Sundays."),
    ("wording.quantifier", "All guards are closed.", "Most guards are closed."),
    ("wording.quantifier", "All members are told.", "大多数成员会收到通知。"),
    ("wording.frequency", "It is backed up daily.", "It is backed up hourly."),
    ("wording.frequency", "It is inspected every month.", "该设备每年检查一次。"),
    ("absolute.unsupported", "The pump is guaranteed to start.", "The pump starts."),
    ("wording.condition", "The plug-in supports MQTT.", "Support for MQTT in the plug-in is planned."),
    ("name.unsupported", "The report comes from Nadia Voss.", "The report comes from Ilse Vandamme."),
    ("name.unsupported", "测试由北辰实验室完成。", "测试由安衡实验室完成。"),
    ("code.unsupported", "The case is IP67.", "The case is IP65."),
    ("number.unsupported", "It opened in May 2024.", "It opened in June 2024."),
    ("number.unsupported", "工厂一季度投产。", "工厂三季度投产。"),
]


@pytest.mark.req("EV-4", "EV-5", "EV-7")
@pytest.mark.parametrize(("claim", "source"), TRUE)
def test_a_true_claim_is_not_doubted(claim: str, source: str) -> None:
    assert unsupported(claim, source) == []


@pytest.mark.req("EV-4", "EV-5", "EV-7")
@pytest.mark.parametrize(("rule", "claim", "source"), FALSE)
def test_a_fault_is_found_by_its_rule(rule: str, claim: str, source: str) -> None:
    assert rule in [finding.rule for finding in unsupported(claim, source)]


@pytest.mark.req("EV-5")
def test_a_finding_about_a_bound_names_both_phrases() -> None:
    (finding,) = unsupported("It weighs at least 5 kg.", "It weighs at most 5 kg.")
    assert "at least 5 kg" in finding.problem
    assert "at most 5 kg" in finding.problem


@pytest.mark.req("EV-4")
def test_numbers_that_are_scattered_over_a_page_support_nothing() -> None:
    source = "The tank holds 40 litres.\n\nThe hose is 3 m long.\n\nThe pump runs for 5 hours."
    assert unsupported("The tank holds 3 litres.", source) != []
    assert unsupported("The hose runs for 40 hours.", source) != []


# --- what was released although it was wrong ----------------------------------------------------------------------

INVENTED = [
    "The engine carries 100 million concurrent voice streams.",
    "There are more than 260 built-in functions.",
    "It never fails.",
    "It cuts costs in half.",
    "It is trusted by thousands of customers.",
    "It reads 500,000 tags.",
    "It runs in 300 plants.",
    "No data is lost during the switch.",
]
ENGINE = """# Rondo

The engine reads tags over Modbus and stores them for 14 days. It switches to a second server within 5 s.
"""


@pytest.mark.req("EV-2")
@pytest.mark.parametrize("claim", INVENTED)
def test_an_invented_statement_is_found_without_a_marker(claim: str) -> None:
    assert unsupported(claim, ENGINE) != []


TESTED = """## Results

| Test | Average (ms) | Maximum (ms) |
|---|---|---|
| Read | 12 | 19 |
| Write | 31 | 47 |

Values are not copied automatically. 61 of 480 units failed.
"""


@pytest.mark.req("EV-4", "EV-5")
@pytest.mark.parametrize(
    "claim",
    [
        "On average a read takes 19 ms.",
        "A write takes 12 ms on average.",
        "Values are copied automatically.",
        "480 of 480 units failed.",
    ],
)
def test_a_value_of_another_row_or_column_is_found(claim: str) -> None:
    assert unsupported(claim, TESTED) != []


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It holds 2\u200b14 days.", "It holds 14 days."),
        ("It holds 40 days.", "It holds <!-- 40 days --> 14 days."),
        ("It holds 40 days.", "It holds ~~40 days~~ 14 days."),
        ("It holds &#52;0 days.", "It holds 14 days."),
        ("保存肆拾天。", "保存十四天。"),
        ("It holds 1４0 days.", "It holds 14 days."),
        ("It holds 40 days.", "It holds <span hidden>40 days</span> 14 days."),
    ],
)
def test_what_is_disguised_or_unseen_is_no_evidence(claim: str, source: str) -> None:
    assert unsupported(claim, source) != []


@pytest.mark.req("EV-7")
@pytest.mark.parametrize(
    "unit", ["QPS", "TPS", "IOPS", "ns", "PB", "requests", "instances", "widgets", "次请求", "扇区"]
)
def test_a_number_is_compared_whether_or_not_its_unit_is_known(unit: str) -> None:
    assert unsupported(f"It reaches 20,000 {unit}.", f"It reaches 20,000 {unit}.") == []
    assert unsupported(f"It reaches 55,000 {unit}.", f"It reaches 20,000 {unit}.") != []
