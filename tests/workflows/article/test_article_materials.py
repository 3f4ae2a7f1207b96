"""Materials: ids from code, quotes looked up in the page, a file of sources that loses nothing."""

from __future__ import annotations

from typing import Any

import pytest
from article_config import RESEARCH, WRITING, config, researched
from hypothesis import given
from hypothesis import strategies as st

from signoff.artifacts.yaml_forms import OneOf
from signoff.workflows.article.checks import authority, quotes
from signoff.workflows.article.documents import materials
from signoff.workflows.article.documents.materials import FORMS, PREFIXES, ROUNDS, Found, Item, Round, numbered

QUOTE = "23% of the cracked parts were traced to a clogged filter."
PAGE = f"# Quenching\n\nIn one shop, {QUOTE} Nobody had looked."
URL = "0-sources/en/quench.md"
SHARED = {"thesisSupport": "strong", "suggestedPlacement": "H2-1", "quote": QUOTE, "url": URL}
OWN: dict[Round, dict[str, Any]] = {
    "cases": {
        "title": "A cracked batch", "summary": "A filter", "suggestedUse": "hook", "persuasionType": "shock-value",
        "competitorHas": False,
    },
    "data": {"value": "23%", "claim": "cracks come from filters"},
    "expert": {"concept": "rate", "expert": "A. Person", "analogyAvailable": True, "canBorrow": ["analogy", "words"]},
    "userVoice": {"sourceType": "practitioner", "suggestedUse": "example"},
    "debates": {"topic": "water or oil", "positions": 2, "ourPosition": "it depends"},
}  # fmt: skip


def found(name: Round, **changed: Any) -> Found:
    return FORMS[name].model_validate({**SHARED, **OWN[name], **changed})


def one_each() -> tuple[Item, ...]:
    return numbered({name: [found(name)] for name in ROUNDS})


# --- ids --------------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-7")
def test_ids_are_given_by_kind_and_in_order() -> None:
    items = numbered({"data": [found("data")] * 2, "cases": [found("cases")]})
    assert [item.id for item in items] == ["CASE-001", "D001", "D002"]


IDS = [
    ("CASE-001", "cases"), ("D001", "data"), ("EXP-012", "expert"), ("VOICE-999", "userVoice"), ("DEB-1000", "debates"),
    ("D-001", None), ("CASE-1", None), ("CASE-0001", None), ("case-001", None), ("DEB001", None), ("D001 ", None),
    ("", None), ("D٠٠١", None),
]  # fmt: skip


@pytest.mark.req("AR-7")
@pytest.mark.parametrize(("material", "of"), IDS, ids=[one for one, _ in IDS])
def test_an_id_tells_its_kind(material: str, of: str | None) -> None:
    assert materials.round_of(material) == of


@pytest.mark.req("AR-7")
def test_cases_explanations_and_debates_stand_in_the_config_without_their_quotes() -> None:
    lists = materials.listed(one_each())
    assert set(lists) == {"cases", "expertExplanations", "debates"}
    assert lists["cases"][0] == {
        "id": "CASE-001", **OWN["cases"], "thesisSupport": "strong", "suggestedPlacement": "H2-1"
    }  # fmt: skip
    recorded = {**RESEARCH["materials"], **lists}
    assert researched(materials=recorded).research.materials


@pytest.mark.req("AR-7")
def test_references_to_recorded_materials_are_sound() -> None:
    assert not authority.dangling(config(), one_each())


DANGLING: list[tuple[str, Any, str]] = [
    ("byThesisRelevance", {"neutral": ["D002"]}, "materials.byThesisRelevance.neutral` names D002"),
    ("byPlacement", {"H2-1": ["VOICE-002"]}, "materials.byPlacement.H2-1` names VOICE-002"),
    ("differentiators", ["EXP-009"], "materials.differentiators` names EXP-009"),
    ("cases", [{**RESEARCH["materials"]["cases"][0], "id": "CASE-007"}], "materials.cases` names CASE-007"),
    ("debates", RESEARCH["materials"]["debates"] * 2, "materials.debates` has DEB-001 twice"),
]


@pytest.mark.req("AR-7")
@pytest.mark.parametrize(("field", "value", "problem"), DANGLING, ids=[field for field, _, _ in DANGLING])
def test_a_reference_to_nothing_and_an_id_twice_are_told(field: str, value: Any, problem: str) -> None:
    changed = researched(materials={**RESEARCH["materials"], field: value})
    (finding,) = authority.dangling(changed, one_each(), "config/x.json")
    assert problem in finding.problem
    assert "; valid: " in finding.problem
    assert finding.file == "config/x.json"


@pytest.mark.req("AR-7")
@pytest.mark.parametrize("field", ["used", "skipped", "borrowed"])
def test_what_the_writer_says_of_materials_refers_to_recorded_ones(field: str) -> None:
    usage = {**WRITING["materialUsage"], field: [{**WRITING["materialUsage"][field][0], "id": "D404"}]}
    changed = config(workflowState={"research": RESEARCH, "writing": {**WRITING, "materialUsage": usage}})
    (finding,) = authority.dangling(changed, one_each())
    assert f"writing.materialUsage.{field}` names D404, which is no material; valid: D001" in finding.problem


def test_with_nothing_recorded_no_reference_is_sound() -> None:
    findings = authority.dangling(config(), ())
    assert findings
    assert all("valid: none, for nothing is recorded" in finding.problem for finding in findings)


# --- quotes -----------------------------------------------------------------------------------------------------------

STANDS: list[tuple[str, str, bool]] = [
    (QUOTE, PAGE, True),
    ("cracked parts were\n  traced", "the cracked   parts were traced to", True),
    ("cracked parts were traced", "cracked parts were traced", True),
    ("Cracked parts were traced", "cracked parts were traced", False),
    ("the so-called “safe” rate", 'the so-called "safe" rate', False),
    ("5% of parts cracked", "15% of parts cracked", False),
    ("5% of parts cracked", "1.5% of parts cracked", False),
    ("500 parts cracked here", "1,500 parts cracked here", False),
    ("5% of parts cracked", "-5% of parts cracked", False),
    ("15% of parts cracked", "10–15% of parts cracked", False),
    ("5% of parts cracked", "a .5% of parts cracked", False),
    ("parts cracked in 15", "parts cracked in 15% of cases", False),
    ("parts cracked in 15", "parts cracked in 15.", True),
    ("parts cracked in 1", "parts cracked in 1.5 years", False),
    ("parts cracked in 15%", "parts cracked in 15% of cases", True),
    ("5% of parts cracked", "15% of parts cracked; 5% of parts cracked", True),
    ("ract was signed by all", "the contract was signed by all", False),
    ("淬火速度决定硬度", "淬火速度\n决定硬度", True),
    ("淬火速度决定硬度", "淬火速度 \r\n  决定硬度", True),
    ("淬火速度，决定硬度", "淬火速度，\n决定硬度", True),
    ("他说“先看滤网”再动手", "他说\n“先看滤网”\n再动手", True),
    ("淬火速度决定硬度", "淬火速度 决定硬度", False),
    ("淬火 speed 决定硬度", "淬火\nspeed\n决定硬度", True),
    ("5%的零件出现裂纹", "约15%的零件出现裂纹", False),
    ("15%的零件出现裂纹", "约15%的零件出现裂纹", True),
    ("he said— “no” to it", "he said—\n“no” to it", True),
    ("", PAGE, False),
    ("   ", PAGE, False),
]


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(("quote", "page", "stands"), STANDS, ids=range(len(STANDS)))
def test_a_quote_stands_in_a_page_to_the_letter_and_whole(quote: str, page: str, stands: bool) -> None:
    assert quotes.stands_in(quote, page) is stands


_WORDS = st.lists(st.text("abcdef", min_size=1, max_size=6), min_size=6, max_size=20)
_SPACES = st.sampled_from([" ", "  ", "\n", "\r\n\t", "\u00a0"])


@pytest.mark.req("AR-5")
@given(words=_WORDS, data=st.data())
def test_words_in_a_row_stand_in_their_page_however_it_is_broken(words: list[str], data: Any) -> None:
    page = "".join(word + data.draw(_SPACES) for word in words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    assert quotes.stands_in(" ".join(words[first:last]), page)
    assert not quotes.stands_in(" ".join([*words[first:last], "zzz"]), page)


SHORT = [
    ("twelve chars", False), ("eleven char", True), ("滤网堵塞裂纹", False), ("滤网堵塞裂", True), ("", True),
    ("   spaces     ", True), ("滤网 clogged", False), ("   滤网堵塞裂     ", True),
]  # fmt: skip


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(("quote", "short"), SHORT, ids=[quote for quote, _ in SHORT])
def test_a_quote_that_would_stand_anywhere_proves_nothing(quote: str, short: bool) -> None:
    assert quotes.too_short(quote) is short


STATED = [
    (QUOTE, "23%", True), (QUOTE, "23 percent", True), (QUOTE, "24%", False), (QUOTE, "23 parts", False),
    ("It lasts 6 hours in the bath.", "360 min", True), ("It lasts 6 hours in the bath.", "6 days", False),
    ("Of 1,200 pieces, all held.", "1200", True), ("Of 1,200 pieces, all held.", "1300", False),
    ("裂纹率为35％，与水温有关。", "35%", True), ("保温6小时后再入水淬火。", "6 h", True),
    ("rated IP67 by the maker", "IP67", True), ("rated IP67 by the maker", "IP68", False),
    ("between 3 and 5 m deep", "3–5 m", True), ("between 3 and 5 m deep", "3–6 m", False),
]  # fmt: skip


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(
    ("quote", "value", "stated"), STATED, ids=[f"{value} in {quote}" for quote, value, _ in STATED]
)
def test_a_value_has_to_occur_in_its_quote(quote: str, value: str, stated: bool) -> None:
    assert quotes.states(quote, value) is stated


REFUSED: list[tuple[Round, dict[str, Any], str]] = [
    ("cases", {"quote": "the"}, "the quote 'the' is too short; valid: 12 characters or more, 6 in Chinese"),
    ("cases", {"url": "0-sources/en/other.md"}, f"'0-sources/en/other.md' is no page that was fetched; valid: {URL}"),
    ("expert", {"quote": "Words that nobody wrote."}, f"does not stand in {URL}; valid: its words, to the letter"),
    ("data", {"value": "32%"}, "the value '32%' does not occur in the quote"),
]


@pytest.mark.req("AR-5")
@pytest.mark.parametrize(("name", "changed", "problem"), REFUSED, ids=[problem for _, _, problem in REFUSED])
def test_an_item_that_its_page_does_not_bear_out_is_refused(name: Round, changed: Any, problem: str) -> None:
    (finding,) = quotes.check(found(name, **changed), {URL: PAGE}, "turn", "item 1")
    assert problem in finding.problem
    assert finding.repair
    assert (finding.file, finding.about) == ("turn", "item 1")


@pytest.mark.req("AR-5")
@pytest.mark.parametrize("name", ROUNDS)
def test_an_item_whose_words_stand_in_its_page_is_recorded(name: Round) -> None:
    assert not quotes.check(found(name), {URL: PAGE}, "turn")


# --- the file of sources ----------------------------------------------------------------------------------------------

_TEXT = st.text(min_size=1, max_size=30).filter(lambda text: not text.isspace() and text.strip("\x1c\x1d\x1e\x1f\x85"))
_AWKWARD = st.sampled_from(
    ["### D002", '"quoted" then not', '"all"', "- quote: x", "a\nb", " a ", "true", "[1]", "\r", "7"]
)


def _item(draw: Any, name: Round) -> Found:
    form = FORMS[name]
    fields: dict[str, Any] = {}
    for field, kind in form.model_fields.items():
        closed = any(isinstance(one, OneOf) or "H2" in str(one) for one in kind.metadata)
        plain = kind.annotation is str and not closed
        fields[field] = draw(_TEXT | _AWKWARD.filter(str.strip)) if plain else {**SHARED, **OWN[name]}[field]
    return form.model_validate(fields)


@pytest.mark.req("AR-7")
@given(data=st.data())
def test_the_file_of_sources_loses_nothing(data: Any) -> None:
    rounds = data.draw(st.lists(st.sampled_from(ROUNDS), max_size=4))
    items = numbered({name: [_item(data.draw, name)] * rounds.count(name) for name in rounds})
    assert materials.parse(materials.render("topic", items), "f") == (items, [])


@pytest.mark.req("AR-7")
def test_a_datum_is_defined_by_value_quote_and_url_below_its_id() -> None:
    text = materials.render("quench", numbered({"data": [found("data")]}))
    assert text.startswith("# Sources: quench\n\n## Data\n\n### D001\n\n- value: 23%\n")
    assert f"- quote: {QUOTE}\n- url: {URL}\n" in text


def _sources() -> list[str]:
    return materials.render("quench", one_each()).splitlines()


BROKEN: list[tuple[str, str, str, str]] = [
    ("### D001", "### D1", "'D1' is not an id of a material; valid: CASE-001, D001,", "### D1"),
    ("### D001", "### CASE-001", "`value` is not a field here", "- value: 23%"),
    ("- value: 23%", "- note: 23%", "`value` is missing", "### D001"),
    ("- competitorHas: false", "- competitorHas: maybe", "`competitorHas` is 'maybe'; valid: ", "maybe"),
    ("- positions: 2", "- positions: two", "`positions` is 'two'; valid: a whole number", "two"),
]  # fmt: skip


@pytest.mark.req("AR-7")
@pytest.mark.parametrize(("old", "new", "problem", "line"), BROKEN, ids=[new for _, new, _, _ in BROKEN])
def test_what_is_wrong_in_the_file_is_told_with_its_line(old: str, new: str, problem: str, line: str) -> None:
    rows = [row.replace(old, new) for row in _sources()]
    items, findings = materials.parse("\n".join(rows), "knowledge/q-sources.md")
    assert len(items) == 4
    (finding,) = [one for one in findings if problem in one.problem]
    assert finding.repair
    assert line in rows[(finding.line or 0) - 1]


@pytest.mark.req("AR-7")
def test_an_id_that_stands_twice_in_the_file_is_told() -> None:
    rows = _sources()
    items, (finding,) = materials.parse("\n".join([*rows, *rows[2 : rows.index("## Data")]]), "f")
    assert [item.id for item in items] == ["CASE-001", "D001", "EXP-001", "VOICE-001", "DEB-001"]
    assert finding.problem.startswith("CASE-001 is there twice")
    assert finding.line == len(rows) + 3


def test_words_that_a_person_adds_around_the_fields_do_no_harm() -> None:
    rows = [part for row in _sources() for part in (row, "A note." if row.startswith("- url") else "")]
    assert materials.parse("\r\n".join(rows), "f") == (one_each(), [])


def test_every_round_has_a_prefix_of_its_own() -> None:
    assert len(set(PREFIXES.values())) == len(ROUNDS) == 5
