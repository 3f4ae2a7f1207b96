"""The structure gate (SP-11): a skeleton that passes, and the smallest change that fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.markdown import parse
from signoff.workflows.solution_page.documents.page_template import Lang, Template, load_builtin
from signoff.workflows.solution_page.gates import structure

HARDWARE, ALGORITHM, SOFTWARE = map(load_builtin, ("hardware", "algorithm", "software"))
FILE = "3-drafts/x/content-en.md"


def skeleton(template: Template, lang: Lang = "en", features: int | None = None, optional: bool = True) -> str:
    count = template.features.min if features is None else features
    parts = ["# Product"]
    for section in template.sections:
        if section.mandatory or optional:
            parts.append(f"{'#' * section.level} {section.title(lang)}\n\nText.")
        if section.kind == "features":
            parts += [f"#### Feature {number}" for number in range(count)]
    return "\n\n".join(parts) + "\n"


def rules(text: str, template: Template = HARDWARE, lang: Lang = "en") -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in structure(parse(text), template, lang, FILE)]


def line_of(text: str, what: str) -> int:
    return text[: text.index(what)].count("\n") + 1


@pytest.mark.req("SP-11")
@pytest.mark.parametrize("template", [HARDWARE, ALGORITHM, SOFTWARE], ids=["hardware", "algorithm", "software"])
@pytest.mark.parametrize("lang", ["en", "cn"])
@pytest.mark.parametrize("optional", [True, False])
def test_a_page_with_the_sections_of_its_template_passes(template: Template, lang: Lang, optional: bool) -> None:
    assert rules(skeleton(template, lang, optional=optional), template, lang) == []


@pytest.mark.req("SP-11")
def test_a_page_without_h1_fails_at_its_first_line() -> None:
    assert rules(skeleton(HARDWARE).replace("# Product\n", "", 1)) == [("structure.h1", 1)]


@pytest.mark.req("SP-11")
def test_a_second_h1_fails_where_it_stands_and_names_both() -> None:
    text = skeleton(HARDWARE) + "\n# Again\n"
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert (finding.rule, finding.line, finding.file) == ("structure.h1", line_of(text, "# Again"), FILE)
    assert (
        finding.problem == f"the page has 2 H1, it must have one: 'Product' in line 1, 'Again' in line {finding.line}"
    )
    assert finding.repair == "keep one title and give the others a lower level"


@pytest.mark.req("SP-11")
@pytest.mark.parametrize("hidden", ["```\n# Code\n```\n", "<!--\n# Comment\n-->\n", "    # Indented\n"])
def test_a_hash_that_is_no_heading_is_no_h1(hidden: str) -> None:
    assert rules(skeleton(HARDWARE) + "\n" + hidden) == []
    assert rules("---\n# front\n---\n" + skeleton(HARDWARE)) == []


@pytest.mark.req("SP-11")
@pytest.mark.parametrize("template", [HARDWARE, ALGORITHM, SOFTWARE], ids=["hardware", "algorithm", "software"])
@pytest.mark.parametrize("lang", ["en", "cn"])
def test_each_mandatory_section_is_missed_and_no_optional_one(template: Template, lang: Lang) -> None:
    for section in template.sections:
        text = skeleton(template, lang).replace(f"## {section.title(lang)}\n", "## Something else\n")
        found = structure(parse(text), template, lang, FILE)
        wanted = ["structure.section-missing"] if section.mandatory else []
        assert [finding.rule for finding in found] == wanted, section.id
        assert all(section.title(lang) in finding.problem for finding in found)


def test_a_missing_section_is_reported_at_the_section_before_it() -> None:
    text = skeleton(HARDWARE).replace("## Specifications\n", "## Numbers\n")
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert finding.line == line_of(text, "## Technical Features")
    assert finding.repair == "add '## Specifications' where the template has it"


def test_a_missing_first_section_is_reported_at_line_one() -> None:
    assert rules(skeleton(HARDWARE).replace("## Value Proposition\n", "## Value\n")) == [
        ("structure.section-missing", 1)
    ]


@pytest.mark.req("SP-11")
def test_a_section_at_another_level_is_missing_and_the_finding_says_where_it_is() -> None:
    text = skeleton(HARDWARE).replace("## Specifications\n", "### Specifications\n")
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert (finding.rule, finding.line) == ("structure.section-missing", line_of(text, "### Specifications"))
    assert finding.problem.endswith(f"'Specifications' in line {finding.line} has level 3, not 2")
    assert finding.repair == "write it as '## Specifications'"


@pytest.mark.req("SP-11")
@pytest.mark.parametrize(
    "written", ["## SPECIFICATIONS", "##   specifications   ##", "## Ｓpecifications", "Specifications\n---"]
)
def test_titles_match_in_any_case_width_and_spacing(written: str) -> None:
    assert rules(skeleton(HARDWARE).replace("## Specifications", written)) == []
    doubled = skeleton(HARDWARE).replace("## Technical Features", "## technical   FEATURES")
    assert rules(doubled) == []


@pytest.mark.req("SP-11")
def test_of_two_sections_that_changed_places_one_must_move() -> None:
    text = skeleton(HARDWARE, optional=False)
    swapped = text.replace("## Challenges", "## @").replace("## Solution Overview", "## Challenges")
    swapped = swapped.replace("## @", "## Solution Overview")
    [finding] = structure(parse(swapped), HARDWARE, "en", FILE)
    assert (finding.rule, finding.line) == ("structure.section-order", line_of(swapped, "## Challenges"))
    assert finding.problem == "the section 'Challenges' is out of order"
    assert finding.repair == "move it behind 'Value Proposition'"


@pytest.mark.req("SP-11")
def test_the_last_section_put_first_is_the_only_one_out_of_order() -> None:
    text = (
        skeleton(HARDWARE)
        .replace("\n\n## Next Steps\n\nText.", "")
        .replace("# Product", "# Product\n\n## Next Steps", 1)
    )
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert (finding.rule, finding.line) == ("structure.section-order", 3)
    assert finding.repair == "move it behind 'Frequently Asked Questions'"


def test_the_first_section_put_last_is_told_to_go_before_all_others() -> None:
    text = skeleton(HARDWARE).replace("## Value Proposition\n\nText.\n\n", "") + "\n## Value Proposition\n"
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert (finding.rule, finding.repair) == ("structure.section-order", "move it before all other sections")


def test_an_optional_section_keeps_its_place_too() -> None:
    text = skeleton(HARDWARE, optional=False) + "\n## Deployment and Integration\n"
    assert rules(text) == [("structure.section-order", line_of(text, "## Deployment"))]


def test_a_section_that_stands_twice_is_out_of_order_where_it_stands_again() -> None:
    text = skeleton(HARDWARE) + "\n## Next Steps\n"
    [finding] = structure(parse(text), HARDWARE, "en", FILE)
    assert (finding.rule, finding.line) == ("structure.section-order", text.count("\n"))
    assert f"(first in line {line_of(text, '## Next Steps')})" in finding.problem


def test_sections_that_the_template_does_not_name_may_stand_anywhere() -> None:
    assert rules(skeleton(HARDWARE).replace("## Challenges", "## Customers\n\n## Challenges")) == []


@pytest.mark.req("SP-11")
@pytest.mark.parametrize(
    ("template", "count", "passes"),
    [
        (HARDWARE, 3, False), (HARDWARE, 4, True), (HARDWARE, 6, True), (HARDWARE, 7, False), (HARDWARE, 0, False),
        (ALGORITHM, 2, False), (ALGORITHM, 3, True), (ALGORITHM, 4, True), (ALGORITHM, 5, False),
        (SOFTWARE, 2, False), (SOFTWARE, 3, True), (SOFTWARE, 6, True), (SOFTWARE, 7, False),
    ],
)  # fmt: skip
def test_each_page_type_has_its_number_of_features(template: Template, count: int, passes: bool) -> None:
    text = skeleton(template, features=count)
    wanted = [] if passes else [("structure.feature-count", line_of(text, "## Technical Features"))]
    assert rules(text, template) == wanted


def test_the_feature_finding_says_how_many_are_too_many_or_missing() -> None:
    few = structure(parse(skeleton(HARDWARE, features=2)), HARDWARE, "en", FILE)[0]
    many = structure(parse(skeleton(HARDWARE, features=8)), HARDWARE, "en", FILE)[0]
    none = structure(parse(skeleton(HARDWARE, features=0)), HARDWARE, "en", FILE)[0]
    assert few.problem == "'Technical Features' has 2 features (H4), it must have 4 to 6: 'Feature 0', 'Feature 1'"
    assert none.problem == "'Technical Features' has 0 features (H4), it must have 4 to 6: none"
    assert (few.repair, many.repair) == ("add 2", "join or drop 2")


@pytest.mark.req("SP-11")
def test_h4_elsewhere_and_other_levels_are_no_features() -> None:
    text = skeleton(HARDWARE, features=6).replace("## Specifications", "## Specifications\n\n#### Extra")
    assert rules(text.replace("#### Feature 0", "#### Feature 0\n\n##### Detail")) == []
    grouped = skeleton(HARDWARE, features=4).replace("#### Feature 0", "### Group\n\n#### Feature 0")
    assert rules(grouped) == []


@pytest.mark.req("SP-11")
@given(st.permutations(range(len(HARDWARE.sections))))
def test_only_the_order_of_the_template_passes(order: list[int]) -> None:
    parts = [f"## {HARDWARE.sections[place].en}\n" for place in order]
    at = next(i for i, place in enumerate(order) if HARDWARE.sections[place].kind == "features")
    parts[at] += "".join(f"#### {number}\n" for number in range(4))
    found = rules("# Title\n" + "".join(parts))
    assert bool(found) == (order != sorted(order))
    assert {rule for rule, _ in found} <= {"structure.section-order"}
    assert len(found) < len(order)
