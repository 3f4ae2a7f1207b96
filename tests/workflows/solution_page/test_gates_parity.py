"""The bilingual-parity gate (SP-15): what one page has and the other lacks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.markdown import parse
from signoff.core.findings import Finding
from signoff.workflows.solution_page.documents.page_template import load_builtin
from signoff.workflows.solution_page.gates import parity

HARDWARE = load_builtin("hardware")
ONE, TWO = "<!-- claim_id: C-AB-001 -->", "<!-- claim_id: C-AB-002 -->"


def check(en: str, cn: str) -> list[Finding]:
    return parity(parse(en), parse(cn), "en.md", "cn.md", HARDWARE)


def told(en: str, cn: str) -> list[tuple[str, str, int | None, str]]:
    return [(finding.rule, finding.file, finding.line, finding.about) for finding in check(en, cn)]


# --- sections ---


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(
    ("en", "cn"),
    [
        ("# A\n## Specifications\n## Applications", "# 甲\n## 技术规格\n## 应用场景"),
        ("## Customers", "## 客户"),
        ("## Specifications", "## 规格"),
        ("## Numbers", "## 技术规格"),
        ("## Specifications\n### More", "## 技术规格"),
        ("## Specifications\n## Extra", "## 参数\n## 技术规格"),
    ],
)
def test_pages_with_as_many_h2_that_can_match_pass(en: str, cn: str) -> None:
    assert check(en, cn) == []


@pytest.mark.req("SP-15")
def test_a_section_that_is_missing_is_named_with_the_file_that_lacks_it() -> None:
    [finding] = check("## Specifications\n## Applications", "## 技术规格")
    assert (finding.rule, finding.file, finding.line) == ("parity.sections", "cn.md", 1)
    assert finding.problem == "the section '应用场景' is missing in cn.md; en.md has 'Applications'"
    assert finding.repair == "add it to cn.md, or remove it from en.md"
    [finding] = check("## Specifications", "## 应用场景\n## 技术规格")
    assert finding.problem == "the section 'Applications' is missing in en.md; cn.md has '应用场景'"


@pytest.mark.req("SP-15")
def test_with_the_same_count_two_different_sections_of_the_template_are_both_missed() -> None:
    found = check("## Specifications", "## 应用场景")
    assert [(finding.rule, finding.file) for finding in found] == [
        ("parity.sections", "cn.md"),
        ("parity.sections", "en.md"),
    ]


def test_sections_outside_the_template_are_told_beside_a_missing_one() -> None:
    [finding] = check("## Specifications\n## Applications", "## 参数")[:1]
    assert "(not in the template: '参数')" in finding.problem


@pytest.mark.req("SP-15")
def test_of_sections_that_the_template_does_not_name_the_number_counts() -> None:
    [more] = check("## Customers\n## Awards", "## 客户")
    assert (more.rule, more.file, more.line) == ("parity.sections", "cn.md", 1)
    assert more.problem == (
        "of sections that the template does not name, en.md has 2 (Customers, Awards) and cn.md has 1 (客户)"
    )
    assert more.repair == "add what is missing in cn.md"
    [none] = check("# T\n", "# T\n\n## 客户")
    assert (none.file, none.line) == ("cn.md", 3)
    assert none.problem.endswith("cn.md has 1 (客户) and en.md has 0 (none)")
    assert none.repair == "add what is missing in en.md"


def test_a_section_that_stands_twice_in_one_language_is_counted_twice() -> None:
    assert [rule for rule, *_ in told("## Specifications\n## Specifications", "## 技术规格")] == ["parity.sections"]


# --- features ---


def featured(title: str, count: int) -> str:
    return f"## {title}\n" + "".join(f"#### F{number}\n" for number in range(count))


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(("en", "cn", "passes"), [(4, 4, True), (4, 5, False), (5, 4, False), (1, 0, False)])
def test_both_pages_have_the_same_number_of_features(en: int, cn: int, passes: bool) -> None:
    found = check(featured("Technical Features", en), featured("技术特性", cn))
    assert [finding.rule for finding in found] == ([] if passes else ["parity.features"])


def test_the_feature_finding_says_which_page_has_fewer_and_what_they_are() -> None:
    [finding] = check(featured("Technical Features", 3), featured("技术特性", 1))
    assert (finding.file, finding.line) == ("cn.md", 2)
    assert finding.problem == "en.md has 3 (F0, F1, F2) features, cn.md has 1 (F0)"
    assert finding.repair == "add 2 to cn.md, or remove as many from en.md"
    [none] = check(featured("Technical Features", 0), featured("技术特性", 1))
    assert (none.file, none.line, none.problem) == ("en.md", 1, "cn.md has 1 (F0) features, en.md has 0 (none)")


def test_h4_outside_the_features_do_not_count() -> None:
    assert check("## Specifications\n#### A", "## 技术规格") == []


# --- claim ids ---


@pytest.mark.req("SP-15")
def test_a_claim_that_one_page_lacks_is_named_with_that_page() -> None:
    [finding] = check(f"Text.\n\nA fact. {ONE}", "无。")
    assert (finding.rule, finding.file, finding.line, finding.about) == ("parity.claim-ids", "cn.md", 1, "C-AB-001")
    assert finding.problem == "C-AB-001 is missing in cn.md; en.md has it in line 3"
    assert told("None.", f"一。{TWO}") == [("parity.claim-ids", "en.md", 1, "C-AB-002")]


@pytest.mark.req("SP-15")
def test_the_same_claims_in_another_order_or_number_pass() -> None:
    assert check(f"A. {ONE} B. {TWO} C. {ONE}", f"乙。{TWO}甲。{ONE}") == []


# --- numbers ---


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(
    ("en", "cn"),
    [
        ("6-hour battery life", "续航6小时"),
        ("Runs for 6 hours", "续航六小时"),
        ("10,000 users", "1万名用户"),
        ("up to 35 ms at 95%", "准确率95%，时延不超过35毫秒"),
        ("8-microphone array", "8个麦克风"),
        ("no number", "没有数字"),
    ],
)
def test_the_same_quantity_in_both_spellings_passes(en: str, cn: str) -> None:
    assert check(f"{en}. {ONE}", f"{cn}。{ONE}") == []


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(
    ("en", "cn", "files"),
    [
        ("Runs for 6 hours", "续航7小时", ["cn.md", "en.md"]),
        ("Runs for 6 hours", "续航很久", ["cn.md"]),
        ("Runs long", "续航6小时", ["en.md"]),
        ("Runs for 6 hours", "续航6分钟", ["cn.md", "en.md"]),
    ],
)
def test_a_quantity_that_one_page_does_not_say_at_the_marker_fails(en: str, cn: str, files: list[str]) -> None:
    found = check(f"Text.\n\n{en}. {ONE}", f"{cn}。{ONE}")
    assert [(finding.rule, finding.file, finding.about) for finding in found] == [
        ("parity.numbers", file, "C-AB-001") for file in files
    ]


def test_the_number_finding_says_what_is_said_where() -> None:
    [finding] = check(f"Text.\n\nRuns for 6 hours. {ONE}", f"甲。\n\n乙。\n\n续航。{ONE}")
    assert (finding.file, finding.line) == ("cn.md", 5)
    assert finding.problem == "C-AB-001: en.md says '6 hours' (line 3), cn.md does not say it at the marker"
    assert finding.repair == "say the same numbers at the same markers in both languages"


@pytest.mark.req("SP-15")
def test_numbers_swapped_between_two_claims_fail_for_both() -> None:
    found = told(f"6 hours. {ONE} 8 ms. {TWO}", f"8毫秒。{ONE}6小时。{TWO}")
    assert sorted({about for _, _, _, about in found}) == ["C-AB-001", "C-AB-002"]


@pytest.mark.req("SP-15")
def test_claims_that_share_a_group_in_one_language_are_compared_together() -> None:
    assert check(f"8 microphones and 6 hours {ONE} {TWO}.", f"8个麦克风{ONE}，续航6小时{TWO}。") == []
    assert check(f"8 microphones {ONE} and 6 hours {TWO}.", f"8个麦克风，续航6小时{TWO}{ONE}。") == []
    three = "<!-- claim_id: C-AB-003 -->"
    assert check(f"6 hours, 8 ms {ONE}{TWO}. 5 m {three}.", f"6小时{ONE}。8毫秒，5米{TWO}{three}。") == []
    found = told(f"8 microphones and 6 hours {ONE} {TWO}.", f"8个麦克风{ONE}，续航7小时{TWO}。")
    assert [(file, about) for _, file, _, about in found] == [("cn.md", "C-AB-001"), ("en.md", "C-AB-001")]


def test_numbers_without_a_marker_are_not_compared() -> None:
    assert check(f"A. {ONE} Then 5 m.", f"甲。{ONE}然后6米。") == []


UNITS = [
    ("hours", "小时"),
    ("ms", "毫秒"),
    ("m", "米"),
    ("%", "%"),
    ("dB", "分贝"),
    ("kg", "公斤"),
    ("microphones", "个麦克风"),
]


@pytest.mark.req("SP-15")
@given(st.lists(st.tuples(st.integers(1, 99_999), st.sampled_from(UNITS)), min_size=1, max_size=6))
def test_the_same_quantities_in_both_spellings_never_differ(said: list[tuple[int, tuple[str, str]]]) -> None:
    en = "\n\n".join(f"It has {n:,} {en}. <!-- claim_id: C-AB-{i:03} -->" for i, (n, (en, _)) in enumerate(said))
    cn = "\n\n".join(f"达到{n}{cn}。<!-- claim_id: C-AB-{i:03} -->" for i, (n, (_, cn)) in enumerate(said))
    assert check(en, cn) == []


@given(st.integers(2, 9_999), st.integers(2, 9_999), st.sampled_from(UNITS[:6]))
def test_two_different_quantities_always_differ(one: int, other: int, unit: tuple[str, str]) -> None:
    rules = {rule for rule, *_ in told(f"It has {one} {unit[0]}. {ONE}", f"达到{other}{unit[1]}。{ONE}")}
    assert rules == (set() if one == other else {"parity.numbers"})


# --- codes ---


@pytest.mark.req("SP-15")
@pytest.mark.parametrize(
    ("en", "cn", "found"),
    [
        ("IP67 body.", "IP67外壳。", []),
        ("Bluetooth 5.3 since version 2.3.", "自版本2.3起支持蓝牙5.3。", []),
        ("IP67 body.", "IP68外壳。", [("cn.md", "IP67"), ("en.md", "IP68")]),
        ("Kept with AES-256.", "加密保存。", [("cn.md", "AES-256")]),
    ],
)
def test_the_same_codes_stand_at_a_marker_in_both_languages(en: str, cn: str, found: list[tuple[str, str]]) -> None:
    findings = check(f"{en} {ONE}", f"{cn} {ONE}")
    assert [(one.rule, one.file) for one in findings] == [("parity.codes", file) for file, _ in found]
    assert all(f"says '{said}'" in one.problem for one, (_, said) in zip(findings, found, strict=True))
    assert all(one.repair == "say the same codes at the same markers in both languages" for one in findings)
