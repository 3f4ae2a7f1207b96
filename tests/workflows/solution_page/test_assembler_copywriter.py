"""The copywriter: what the sheet says in the template's order, what the registry allows, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from stage import Stage, example

from signoff.artifacts import markdown
from signoff.core.findings import Finding
from signoff.workflows.solution_page.documents.page_template import LANGS, Lang
from signoff.workflows.solution_page.state import rejection

SUPERLATIVE = {"en": "most reliable", "cn": "最可靠"}


@pytest.fixture
def stage() -> Stage:
    stage = example("algorithm")
    stage.strategy()
    return stage


@pytest.fixture
def escalating() -> Stage:
    stage = example("escalating")
    stage.strategy()
    return stage


def adding(en: str, cn: str, section: str = "applications") -> Any:
    """A change of the sheet: one more paragraph."""

    def change(sheet: dict[str, Any]) -> None:
        for lang, text in (("en", en), ("cn", cn)):
            sheet["sections"][section][lang] += f"\n\n{text}\n"

    return change


def draft(stage: Stage, lang: Lang) -> str:
    return stage.text(stage.path(lang))


@pytest.mark.req("SP-11", "SP-12", "SP-13", "SP-14", "SP-15", "SP-16")
@pytest.mark.parametrize("name", ["hardware", "algorithm"])
def test_the_pages_of_the_examples_pass_every_gate_once_their_claims_are_verified(name: str) -> None:
    stage = example(name)
    stage.strategy()
    langs: tuple[Lang, ...] = ("en", "cn")
    for lang in langs:
        assert stage.write(lang).status == "complete"
        assert stage.review(lang).decision == "PASS"
        assert stage.findings(lang) == []


def test_sections_stand_in_template_order_with_the_titles_of_the_language(stage: Stage) -> None:
    stage.write("en")
    stage.write("cn")
    for lang in ("en", "cn"):
        titles = [heading.text for heading in markdown.parse(draft(stage, lang)).headings if heading.level == 2]
        assert titles == [section.title(lang) for section in stage.page.sections]


def test_every_tag_becomes_the_marker_of_its_claim_and_the_stripped_page_reads_as_the_sheet(stage: Stage) -> None:
    stage.write("cn")
    stripped = markdown.strip_claims(draft(stage, "cn"))
    assert "{" not in stripped
    assert "在85 dB的背景噪声下，苍鹭仍检出了93.5%的植入故障。它把背景声与设备声一并学习" in stripped


@pytest.mark.parametrize(
    ("prose", "released"),
    [
        ("它很安静。{packaging} Heron很小。", "它很安静。Heron很小。"),
        ("它很安静。{packaging}{memory} Heron很小。", "它很安静。Heron很小。"),
        ("它“很安静。”{packaging} Heron很小。", "它“很安静。”Heron很小。"),
        ("它很安静。 {packaging} 它很小。", "它很安静。它很小。"),
        ("支持USB{packaging} Heron很小。", "支持USB Heron很小。"),
    ],
)
def test_no_space_is_left_behind_a_marker_between_chinese_sentences(stage: Stage, prose: str, released: str) -> None:
    english = "It is calm. {packaging}" + " {memory}" * ("memory" in prose) + " Heron is small."
    stage.edit_sheet(adding(english, prose))
    stage.write("en")
    stage.write("cn")
    assert f"\n{released}\n" in markdown.strip_claims(draft(stage, "cn"))
    assert "\nIt is calm. Heron is small.\n" in markdown.strip_claims(draft(stage, "en"))


@pytest.mark.req("SP-7")
def test_sentences_that_a_removed_claim_takes_away_are_named_in_the_notes(stage: Stage) -> None:
    gone = stage.claim("Accepts 16 kHz").id
    assert stage.write("en").notes == []
    stage.set_claim(gone, status="removed")
    notes = stage.write("en").notes
    assert f"left out, because {gone} is removed: The input is 16 kHz mono audio from a MEMS microphone." in notes
    assert all(note.startswith(("left out, because", "left out with")) and len(note) < 180 for note in notes)


@pytest.mark.req("SP-12")
def test_what_is_cut_because_the_page_is_too_long_is_named_in_the_notes(stage: Stage) -> None:
    stage.edit_sheet(adding("It is calm and plain. " * 60, "它平静而朴素。" * 60))
    notes = stage.write("en").notes
    assert (
        "left out, because the page would be longer than its limit: the question 'Where does Heron not fit?'" in notes
    )


def test_a_sentence_that_promised_more_than_its_downgraded_claim_is_named_in_the_notes(stage: Stage) -> None:
    claim = stage.claim("Occupies 310 KB")
    stage.set_claim(claim.id, status="downgraded", text="Occupies little memory", text_cn="占用内存很少")
    assert any(note.startswith(f"said in the words of {claim.id}") for note in stage.write("en").notes)


def test_a_count_in_words_is_not_made_a_claim(stage: Stage) -> None:
    stage.edit_sheet(adding("We lend you two sensors.", "我们借给您两个传感器。"))
    assert stage.write("en").claims == []
    assert stage.settle("en", rounds=1)


@pytest.mark.req("SP-7")
def test_a_removed_claim_takes_its_sentence_row_and_item_out_of_both_languages(stage: Stage) -> None:
    gone = stage.claim("Accepts 16 kHz").id
    stage.set_claim(gone, status="removed")
    stage.write("en")
    stage.write("cn")
    for lang in ("en", "cn"):
        assert gone not in draft(stage, lang)
        assert "16 kHz" not in draft(stage, lang)
    assert "**Listen.**" not in draft(stage, "en")
    assert "**Learn.**" in draft(stage, "en")


def test_a_feature_whose_only_statement_is_removed_goes_with_its_heading(stage: Stage) -> None:
    def change(sheet: dict[str, Any]) -> None:
        sheet["features"][1]["text"] = {
            "en": "It hears 85 dB. {noise-robustness}",
            "cn": "85 dB可用。{noise-robustness}",
        }

    stage.edit_sheet(change)
    stage.set_claim(stage.claim("Detected 93.5%").id, status="removed")
    stage.write("en")
    assert "Holds up in a loud plant" not in draft(stage, "en")
    assert "Alarms worth the walk" in draft(stage, "en")


@pytest.mark.req("SP-7")
def test_a_downgraded_claim_is_said_in_its_new_words_in_both_languages(escalating: Stage) -> None:
    claim = escalating.claim("The industry's most")
    escalating.set_claim(
        claim.id,
        status="downgraded",
        text="a gateway without moving parts",
        text_cn="没有活动部件的网关",
        risk_level="medium",
    )
    escalating.write("en")
    escalating.write("cn")
    assert f"A gateway without moving parts. <!-- claim_id: {claim.id} -->" in draft(escalating, "en")
    assert f"没有活动部件的网关。 <!-- claim_id: {claim.id} -->" in draft(escalating, "cn")
    for lang in LANGS:
        assert SUPERLATIVE[lang] not in draft(escalating, lang)


def test_a_downgraded_claim_that_was_verified_since_does_not_bring_the_old_words_back(escalating: Stage) -> None:
    claim = escalating.claim("The industry's most")
    escalating.set_claim(
        claim.id, status="verified", text="Nothing in it moves", text_cn="没有活动部件", risk_level="medium"
    )
    escalating.write("en")
    assert SUPERLATIVE["en"] not in draft(escalating, "en")


def test_a_changed_claim_without_chinese_text_blocks_the_chinese_draft_and_names_the_field(escalating: Stage) -> None:
    claim = escalating.claim("The industry's most")
    escalating.set_claim(claim.id, status="downgraded", text="A gateway", text_cn="")
    assert escalating.write("en").status == "complete"
    output = escalating.write("cn")
    assert output.status == "blocked"
    assert claim.id in output.blockers[0]
    assert "text_cn" in output.blockers[0]


@pytest.mark.req("SP-2", "SP-7")
def test_a_claim_without_evidence_stays_round_after_round_because_only_others_may_remove_it(escalating: Stage) -> None:
    escalating.write("en")
    first = draft(escalating, "en")
    assert escalating.settle("en", rounds=4) is False
    assert draft(escalating, "en") == first
    assert SUPERLATIVE["en"] in first


@pytest.mark.req("SP-16")
def test_an_untagged_number_is_marked_with_the_one_claim_that_states_it(stage: Stage) -> None:
    stage.edit_sheet(adding("The kit comes with 90 days to try it.", "套件附带90天的试用期。"))
    for lang in ("en", "cn"):
        assert not stage.write(lang).claims
    claim = stage.claim("Evaluation licence").id
    assert f"90 days to try it. <!-- claim_id: {claim} -->" in draft(stage, "en")
    assert f"90天的试用期。 <!-- claim_id: {claim} -->" in draft(stage, "cn")


@pytest.mark.req("SP-6", "SP-7")
@pytest.mark.parametrize(
    ("en", "cn"),
    [
        ("The cable is 17 m long.", "线缆长17米。"),
        ("It is the best choice for pumps.", "它是水泵监测的最佳选择。"),
        ("The service is friendly.", "服务一流。"),
    ],
    ids=["number", "superlative", "risky-in-chinese-only"],
)
def test_a_statement_that_no_claim_makes_is_proposed_on_a_reserved_id_in_both_languages(
    stage: Stage, en: str, cn: str
) -> None:
    stage.edit_sheet(adding(en, cn))
    output = stage.write("en")
    (claim,) = output.claims
    assert (claim.id, claim.status, claim.added_by) == ("C-AP-014", "proposed", "copywriter")
    assert (claim.text, claim.text_cn) == (en, cn)
    assert claim.evidence_suggested
    assert not stage.write("cn").claims
    for lang in ("en", "cn"):
        assert claim.id in draft(stage, lang)


def test_a_proposed_claim_carries_evidence_when_a_source_states_it(stage: Stage) -> None:
    stage.put("0-sources/specs/cable.md", "# Cable\n\nThe sensor cable is 17 m long and shielded.\n")
    stage.edit_sheet(adding("The sensor cable is 17 m long.", "传感器线缆长17米。"))
    (claim,) = stage.write("en").claims
    assert claim.evidence


def test_a_fact_that_the_registry_does_not_know_yet_is_proposed_with_its_own_text(stage: Stage) -> None:
    def change(sheet: dict[str, Any]) -> None:
        sheet["facts"].append({"id": "cable", "text": {"en": "Cable of 17 m", "cn": "17米线缆"}})
        adding("It has a cable of 17 m. {cable}", "线缆长17米。{cable}")(sheet)

    stage.edit_sheet(change)
    (claim,) = stage.write("en").claims
    assert (claim.id, claim.text, claim.text_cn) == ("C-AP-014", "Cable of 17 m", "17米线缆")


def test_claims_keep_their_facts_when_the_sheet_is_reordered(stage: Stage) -> None:
    before = stage.write("en").documents
    stage.edit_sheet(lambda sheet: sheet["facts"].sort(key=lambda fact: "spec" not in fact))
    stage.edit_sheet(lambda sheet: sheet["facts"].insert(0, sheet["facts"].pop()))
    after = stage.write("en").documents
    features = [
        text.split("## Technical Features")[1].split("\n## ")[0] for text in (*before.values(), *after.values())
    ]
    assert features[0] == features[1]


@pytest.mark.req("SP-12", "SP-15")
def test_a_page_that_is_too_long_loses_questions_then_optional_sections_the_same_in_both_languages(
    stage: Stage,
) -> None:
    long = {"en": "A calm word. " * 160, "cn": "平静的话语。" * 160}

    def change(sheet: dict[str, Any]) -> None:
        for lang, text in long.items():
            sheet["sections"]["challenges"][lang] += f"\n\n{text}"

    stage.edit_sheet(change)
    stage.write("en")
    stage.write("cn")
    pages = [markdown.parse(draft(stage, lang)) for lang in ("en", "cn")]
    assert "Frequently Asked Questions" not in draft(stage, "en")
    assert len(pages[0].sections()) == len(pages[1].sections())
    assert not [found for found in stage.findings("en") if found.rule.startswith("word")]


def revising(stage: Stage, *rules: str) -> None:
    stage.write("en", required=[Finding(rule=rule, problem="p", repair="r") for rule in rules])


def test_a_revision_for_a_claim_keeps_what_a_person_wrote_into_the_draft(stage: Stage) -> None:
    stage.write("en")
    stage.put(
        stage.path("en"), draft(stage, "en").replace("Rotating machines tend", "As a rule, rotating machines tend")
    )
    stage.set_claim(stage.claim("Accepts 16 kHz").id, status="removed")
    revising(stage, "claims.removed")
    assert "As a rule, rotating machines" in draft(stage, "en")
    assert "16 kHz" not in draft(stage, "en")


@pytest.mark.parametrize("rule", ["structure.h1", "word-count.page", "links.scheme", "claims.high-risk"])
def test_a_finding_that_a_patch_cannot_settle_has_the_page_composed_anew_from_the_sources(
    stage: Stage, rule: str
) -> None:
    stage.write("en")
    stage.edit_sheet(adding("A new paragraph.", "新的段落。"))
    revising(stage, rule)
    assert "A new paragraph." in draft(stage, "en")


@pytest.mark.req("SP-3")
def test_a_persons_rejection_has_the_page_composed_anew_from_the_sources(stage: Stage) -> None:
    stage.write("en")
    stage.edit_sheet(adding("A new paragraph.", "新的段落。"))
    stage.write("en", required=[rejection("say more about places")])
    assert "A new paragraph." in draft(stage, "en")
