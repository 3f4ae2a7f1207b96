"""The role players of articles: a real article in both languages, from quotes that stand in their pages."""

from __future__ import annotations

import re
from functools import cache

import pytest
from article_sitting import Sitting, corpus, example

from signoff.artifacts import yamlio
from signoff.core.findings import Finding
from signoff.workflows.article import outputs, quotes
from signoff.workflows.article.checks import text
from signoff.workflows.article.players import reading
from signoff.workflows.article.players.judging import figures
from signoff.workflows.article.players.manuscript import MARKER, bare, parse
from signoff.workflows.article.players.mending import units

LANGUAGES = ("en", "zh")
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_type = pytest.mark.parametrize("kind", ["opinion", "tutorial", "informational", "comparison"])


@cache
def _played(language: str, kind: str = "opinion", length: str = "standard") -> Sitting:
    return example(language, type=kind, length=length).up_to_draft()


def played(language: str, **params: str) -> Sitting:
    """An article of the example, played once for all tests that only look at it."""
    return _played(language, *params.values())


def afresh(language: str) -> Sitting:
    """The same, for a test that changes something."""
    done = _played(language)
    return Sitting(
        dict(done.files), language, dict(done.params), done.topic, done.players, dict(done.pages), done.items
    )


# --- the article ------------------------------------------------------------------------------------------------------


@each_language
@each_type
@pytest.mark.parametrize("length", ["short", "standard", "deep"])
def test_every_type_and_length_of_article_passes_all_checks(language: str, kind: str, length: str) -> None:
    assert played(language, kind=kind, length=length).failing() == []


@each_language
def test_no_check_has_anything_to_say_about_the_standard_article(language: str) -> None:
    assert [str(one) for one in played(language).found()] == []


@each_language
def test_the_same_documents_give_the_same_article_byte_for_byte(language: str) -> None:
    assert example(language).up_to_draft().outputs == example(language).up_to_draft().outputs


@each_language
def test_every_kind_of_material_is_found_and_used(language: str) -> None:
    done = played(language)
    kinds = {re.sub(r"-?\d+$", "", one) for one in text.read(done.text).ids}
    assert kinds == {"CASE", "D", "EXP", "VOICE", "DEB"}


@each_language
def test_every_sentence_that_is_not_the_authors_own_stands_in_a_page(language: str) -> None:
    """Take the quotations and the marked paragraphs apart: each piece is found in a page, to the letter."""
    done = played(language)
    pages = " ".join(page.text for page in done.pages.values())
    for part in parse(done.text).parts:
        for paragraph in part.paragraphs:
            for spoken in re.findall(r"“([^”]{12,})”", bare(paragraph)):
                assert quotes.stands_in(spoken, pages)


@each_language
def test_every_figure_stands_with_a_datum_that_states_it(language: str) -> None:
    done = played(language)
    data = {item.id: item.quote for item in done.items if item.round == "data"}
    stated = [
        unit for part in parse(done.text).parts for p in part.paragraphs for unit in units(p) if figures(bare(unit))
    ]
    assert stated
    for unit in stated:
        held = " ".join(data[one] for one in MARKER.findall(unit) if one in data)
        assert bare(unit) in held or all(figure in held for figure in figures(bare(unit)))


@each_language
def test_no_sentence_is_told_twice(language: str) -> None:
    said = [bare(u) for part in parse(played(language).text).parts for p in part.paragraphs for u in units(p)]
    twice = {one for one in said if said.count(one) > 1}
    assert twice == set()


@each_language
def test_a_case_that_opens_the_article_is_told_to_its_end(language: str) -> None:
    article = text.read(played(language).text)
    opening, first = article.part("introduction"), article.part("H2-1")
    assert opening is not None
    assert first is not None
    assert next(one for one in opening.ids if one.startswith("CASE")) in first.ids


@each_language
@each_type
def test_whoever_speaks_is_introduced_once_and_before_they_are_called_by_name_alone(language: str, kind: str) -> None:
    done = played(language, kind=kind, length="standard")
    said = " ".join(part.bare for part in parse(done.text).parts)
    people = {str(item.found.model_dump().get("expert", "")).replace("，", ",") for item in done.items}
    offices = dict(one.split(",", 1) for one in people if "," in one)
    spoken = [name for name in offices if name in said]
    assert spoken
    for name in spoken:
        last, office = name if language == "zh" else name.split()[-1], offices[name].strip()
        assert said.count(office) == 1
        assert abs(said.index(last) - said.index(office)) <= len(name) + len(office) + 2


# --- research ---------------------------------------------------------------------------------------------------------


@each_language
def test_competing_pages_that_agree_leave_room_where_the_evidence_disagrees(language: str) -> None:
    space = played(language).config.research.innovationSpace
    assert space is not None
    assert space.level == "medium"
    assert space.signals is not None
    assert space.signals.answerUniqueness == "few"


@each_language
def test_three_theses_of_different_stances_are_proposed(language: str) -> None:
    theses = played(language).config.research.recommendedTheses
    assert sorted(one.stance for one in theses) == ["challenge", "confirm", "nuance"]
    assert len({one.thesis for one in theses}) == 3


@each_language
def test_an_informational_article_is_offered_no_thesis(language: str) -> None:
    config = played(language, kind="informational", length="standard").config
    assert config.research.recommendedTheses == ()
    assert config.writingAngle.thesis is None


@each_language
def test_queries_are_asked_for_every_round_in_the_language_of_the_article(language: str) -> None:
    done = played(language)
    rounds = ["cases", "data", "expert", "userVoice", "debates"]
    asked = done.play("web-researcher", "queries", {"rounds": rounds, "phase": 2}, outputs.parse_queries)
    assert {one.round for one in asked.queries} == set(rounds)
    assert all(bool(re.search(r"[\u4e00-\u9fff]", one.query)) == (language == "zh") for one in asked.queries)


def test_what_the_evidence_says_against_the_thesis_is_recorded() -> None:
    found = played("en").config.research.thesisValidation
    assert found is not None
    assert found.evidenceAgainst
    assert found.adjustment == "keep"


@pytest.mark.parametrize(
    ("language", "thesis"),
    [("en", "Most scrap begins in a bath that nobody looks at"), ("zh", "大多数废品都从没人看的油槽开始")],
)
def test_a_thesis_in_a_persons_own_words_is_argued_as_they_said_it(language: str, thesis: str) -> None:
    done = example(language).up_to_draft(thesis, "nuance")
    assert done.failing() == []
    assert text.read(done.text).title == thesis


# --- what the person told ---------------------------------------------------------------------------------------------


def test_what_the_person_told_of_the_author_is_taken_to_the_letter() -> None:
    done = example("zh", role="热处理车间主任", bias="注重工艺稳定性，反对追求参数极限", user="决策者").up_to_draft()
    persona = done.config.authorPersona
    assert (persona.role, persona.bias) == ("热处理车间主任", "注重工艺稳定性，反对追求参数极限")
    assert (done.config.audience, done.config.depth) == ("决策者", "概述")
    assert done.failing() == []
    assert "作为热处理车间主任" in done.text


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"user": "好奇新手", "audience": "b2b"}, "no reader '好奇新手' in b2b"),
        ({"user": "实操者", "depth": "极简"}, "does not suit '实操者'"),
    ],
)
def test_readers_and_depths_that_do_not_fit_are_put_to_the_person(params: dict[str, str], said: str) -> None:
    sitting = example("en", **params)
    found = outputs.parse_config(sitting.raw("config-creator", "config", sitting.notes).encode(), "output.yaml")
    assert found.status == "blocked"
    assert said in found.blockers[0]


def test_no_years_of_experience_are_made_up() -> None:
    assert played("en").config.authorPersona.experience is None


def test_declared_links_and_products_stand_in_sections_and_never_in_the_conclusion() -> None:
    done = example("en")
    done.configure()
    link = {"target": "probes", "url": "/probes", "anchor": "how a quench probe works"}
    near = {"target": "filters", "url": "/filters", "anchor": "filter intervals", "priority": "medium"}
    products = [{"category": f"kit {name}", "mention": f"the Spoon {name} kit"} for name in ("A", "B", "C")]
    done.put({"internalLinks": {"required": [link], "recommended": [near]}, "products": products})
    done.gather()
    done.survey()
    done.choose()
    done.mine()
    done.weigh()
    done.plan()
    done.draft()
    assert done.failing() == []
    article = text.read(done.text)
    assert {one.url for part in article.body for one in part.links} == {"/probes", "/filters"}
    assert sum("Spoon" in part.text for part in article.parts) == 2


def test_hooks_and_conclusions_of_articles_before_are_not_used_again() -> None:
    done = example("en")
    done.avoid = {"hooks": ["problem"], "conclusions": ["verdict"]}
    done.up_to_draft()
    assert done.failing() == []
    writing = done.config.writing
    assert writing.decisions is not None
    assert writing.decisions.hookUsed is not None
    assert writing.decisions.hookUsed.type != "problem"
    assert writing.outline is not None
    assert writing.outline.conclusionType != "verdict"


# --- revisions --------------------------------------------------------------------------------------------------------

SPOILT = {
    "a bare number": ("\n## ", "\nIn our plant 83 % of all loads are affected by 12 mm.\n\n## "),
    "a share without a source": ("\n## ", "\nAbout 83 % of all loads are affected.\n\n## "),
    "a leftover": ("\n## ", "\nAs an AI I cannot smell the oil. 作为AI，我闻不到。\n\n## "),
    "a strange marker": ("material: CASE-", "material: CASE-9"),
    "an undeclared link": ("\n## ", "\nRead [this](https://elsewhere.example/x) first.\n\n## "),
}


@each_language
@pytest.mark.parametrize("name", SPOILT)
def test_a_revision_mends_what_was_found_and_keeps_every_other_section(language: str, name: str) -> None:
    sitting = afresh(language)
    before, after = SPOILT[name]
    sitting.text = sitting.text.replace(before, after, 1)
    found = [one for one in sitting.found() if one.severity == "error"]
    assert found
    whole = parse(sitting.text)
    sitting.draft(found)
    assert sitting.failing() == []
    kept = [part.text for part in parse(sitting.text).parts[1:]]
    assert kept == [part.text for part in whole.parts[1:]]


@each_language
def test_a_share_without_a_source_is_said_in_words(language: str) -> None:
    sitting = afresh(language)
    said = {"en": "About 83 % of all loads are affected.", "zh": "83%的炉次受到影响。"}[language]
    sitting.text = sitting.text.replace("\n## ", f"\n{said}\n\n## ", 1)
    sitting.draft([one for one in sitting.found() if one.severity == "error"])
    assert {"en": "\nMost loads are affected.", "zh": "\n大多数炉次受到影响。"}[language] in sitting.text


@each_language
@pytest.mark.parametrize("place", ["introduction", "conclusion"])
def test_a_thesis_that_went_missing_is_said_again(language: str, place: str) -> None:
    sitting = afresh(language)
    thesis = str(sitting.thesis["thesis"])
    head, title, rest = sitting.text.partition(f"# {thesis}\n")
    parts = re.split(r"(?m)^(?=## )", rest)
    at = 0 if place == "introduction" else -1
    parts[at] = re.sub(rf"[^.。\n]*{re.escape(thesis[1:])}[^.。\n]*[.。]", "", parts[at], flags=re.IGNORECASE)
    sitting.text = head + title + "".join(parts)
    found = [one for one in sitting.found() if one.severity == "error"]
    assert any(one.rule == "article.thesis" for one in found)
    sitting.draft(found)
    assert sitting.failing() == []


@each_language
@pytest.mark.parametrize("how", ["longer", "shorter"])
def test_a_draft_out_of_its_budget_is_brought_back_into_it(language: str, how: str) -> None:
    sitting = afresh(language)
    if how == "longer":
        more = {"en": "The plant went on as before, and nobody asked. ", "zh": "工厂照旧运转，没有人问。"}[
            language
        ] * 90
        sitting.text = sitting.text.replace("\n## ", f"\n{more}\n\n## ", 2)
    else:
        parts = re.split(r"(?m)^(?=## )", sitting.text)
        cut = ["\n\n".join(part.split("\n\n")[:2]).rstrip() + "\n\n" for part in parts[1:3]]
        sitting.text = "".join([parts[0], *cut, *parts[3:]])
    found = [one for one in sitting.found() if one.severity == "error"]
    assert any(one.rule == "article.length" for one in found)
    sitting.draft(found)
    assert sitting.failing() == []


@each_language
def test_a_section_that_is_not_in_the_outline_is_written_by_the_outline(language: str) -> None:
    sitting = afresh(language)
    lost = text.read(sitting.text).body[1].title
    sitting.text = sitting.text.replace(f"## {lost}", "## Something else entirely")
    sitting.draft([one for one in sitting.found() if one.severity == "error"])
    assert sitting.failing() == []


# --- proofreading -----------------------------------------------------------------------------------------------------


@each_language
@pytest.mark.parametrize("lens", ["facts", "language", "structure"])
def test_a_proofreader_has_nothing_to_say_about_a_clean_draft(language: str, lens: str) -> None:
    assert afresh(language).proof(lens).issues == []


def test_a_proofreader_offers_the_sentence_without_the_phrase_that_code_found() -> None:
    sitting = afresh("en")
    sitting.text = sitting.text.replace("The usual answer is", "It is worth noting that the usual answer is", 1)
    (issue,) = sitting.proof("language").issues
    assert issue.level == "P2"
    assert sitting.text.count(issue.before) == 1
    assert issue.after.startswith("The usual answer is")


def test_a_proofreader_finds_a_quotation_that_nobody_said() -> None:
    sitting = afresh("en")
    sitting.text = sitting.text.replace("\n## ", "\nSomebody said: “Oil is overrated and always was.”\n\n## ", 1)
    (issue,) = sitting.proof("facts").issues
    assert issue.level == "P0"
    assert "Oil is overrated" in issue.problem


# --- other people's documents -----------------------------------------------------------------------------------------

PLAIN = {
    "a.md": """\
# Kettle scale

Scale on the element slows a kettle down more than its wattage does. Hard water leaves it within weeks. Nobody notices,
because it comes slowly. A kettle with scale hums before it boils.
""",
    "b.txt": """\
How long kettles take

A clean kettle boiled a litre in 160 seconds. A scaled kettle took 225 seconds. The wattage on the label was the same.

Descaling restored the first value.
""",
    "c.md": "Vinegar dissolves scale better than any powder. The smell is gone after a rinse. Leave it, then rinse.\n",
}


def test_documents_that_say_nothing_of_their_kind_are_read_all_the_same() -> None:
    sitting = corpus(PLAIN, about="kettle scale")
    sitting.topic = "kettle-scale"
    sitting.configure()
    sitting.gather()
    sitting.survey()
    assert len(sitting.config.research.recommendedTheses) in (0, 3)
    if sitting.config.writingAngle.pending:
        sitting.choose()
    sitting.mine()
    assert {item.round for item in sitting.items} >= {"data", "expert"}
    sitting.weigh()
    sitting.plan()


def test_documents_that_do_not_carry_the_length_are_not_padded() -> None:
    sitting = corpus(PLAIN, about="kettle scale")
    sitting.topic = "kettle-scale"
    with pytest.raises(AssertionError, match="put more documents into 0-sources/"):
        sitting.up_to_draft()


@pytest.mark.parametrize(
    ("document", "kind", "source"),
    [
        ("# A\n\nInterview · Ada Moss, welder\n\nYes.\n", "interview", "Ada Moss, welder"),
        ("# Interview: Ada Moss on seams\n\nYes.\n", "interview", "Ada Moss"),
        ("# 访谈：沈若川谈焊缝\n\n是的。\n", "interview", "沈若川"),
        ("# The complete guide to seams\n\nYes.\n", "guide", ""),
        ("# 焊缝清单\n\n是的。\n", "guide", ""),
        ("# Seams\n\nForum thread · the Seam forum\n\nYes.\n", "forum", "the Seam forum"),
        ("# Seams and nothing else\n\nYes.\n", "note", ""),
    ],
)
def test_a_page_is_known_by_its_line_of_kind_or_by_its_words(document: str, kind: str, source: str) -> None:
    page = reading.read(document)
    assert (page.kind, page.source) == (kind, source)


def test_headings_are_found_in_documents_that_lost_their_markup() -> None:
    page = reading.read("Quench notes\nMethod\nA probe was heated. It was\nquenched at once.\nResult\nIt cooled.\n")
    assert page.headings == ("Method", "Result")
    assert [one.text for one in page.passages] == ["A probe was heated. It was quenched at once.", "It cooled."]


def test_tables_and_code_are_no_text_to_quote() -> None:
    page = reading.read("# T\n\nOne.\n\n| a | b |\n|---|---|\n\n```\ncode\n\nmore\n```\n\nTwo.\n")
    assert [one.text for one in page.passages] == ["One.", "Two."]


def test_every_output_is_one_yaml_document() -> None:
    assert all(yamlio.load_mapping(one, "output.yaml")["agent"] for one in played("en").outputs)


def test_a_finding_that_names_nothing_known_changes_nothing() -> None:
    sitting = afresh("en")
    before = sitting.text
    sitting.draft([Finding(rule="something.else", problem="odd", repair="look at it")])
    assert sitting.text == before
