"""The claims gate and the evidence check (SP-9, SP-16): what the page says, against the registry and its sources."""

from __future__ import annotations

import pytest

from signoff.artifacts.markdown import parse
from signoff.core.declarations import Probe
from signoff.core.findings import Finding, failing
from signoff.evidence.sources import locators
from signoff.evidence.sources.files import Source, parse_source
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.documents.page_template import Lang, load_builtin
from signoff.workflows.solution_page.gates import Shelf, claims, evidence
from signoff.workflows.solution_page.gates.claims import in_use, level_of
from signoff.workflows.solution_page.gates.evidence import evidence_addresses

HARDWARE = load_builtin("hardware")
FILE, REGISTRY = "content-en.md", "_shared/claims-registry.yaml"
SPEC = parse_source(b"Battery life: 6 hours\nMicrophones: 8\nLatency: 35 ms\nPlain text\n", "spec.txt")
LINE = {"battery": 1, "mics": 2, "latency": 3, "plain": 4}
WEB = 'https://a.example/x, 2026-01-05, "runs for 6 hours"'


def claim(number: int, text: str, at: str = "plain", **changed: object) -> Claim:
    found = locators.parse(f"spec.txt#L{LINE[at]}")
    fields: dict[str, object] = {"status": "verified", "risk_level": "medium", "evidence": (found,), **changed}
    return Claim(id=f"C-AB-{number:03}", text=text, **fields)  # type: ignore[arg-type]


BATTERY = claim(1, "6-hour battery life", "battery", text_cn="续航6小时", risk_level="high")
MICS = claim(2, "8-microphone array", "mics")
PLAIN = claim(3, "Works on any table")


def registry(*entries: Claim) -> Registry:
    return Registry({entry.id: entry for entry in entries}, {entry.id: 10 * at for at, entry in enumerate(entries, 1)})


ALL = registry(BATTERY, MICS, PLAIN)


def mark(number: int) -> str:
    return f"<!-- claim_id: C-AB-{number:03} -->"


def shelf(**changed: object) -> Shelf:
    return Shelf({"spec.txt": SPEC}.get, **changed)  # type: ignore[arg-type]


def check(text: str, known: Registry = ALL, lang: Lang = "en") -> list[Finding]:
    return claims(parse(text), known, shelf(), HARDWARE, lang=lang, file=FILE, registry_file=REGISTRY)


def told(text: str, known: Registry = ALL, lang: Lang = "en") -> list[tuple[str, int | None, str]]:
    return [(finding.rule, finding.line, finding.about) for finding in check(text, known, lang)]


def rules(text: str, known: Registry = ALL, lang: Lang = "en") -> list[str]:
    return [finding.rule for finding in check(text, known, lang)]


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain prose without a promise.",
        f"It runs for 6 hours. {mark(1)}",
        f"Eight microphones {mark(2)} and 6 hours {mark(1)} of calls.",
        f"8 microphones and 6 hours. {mark(1)} {mark(2)}",
        f"#### 6-hour battery {mark(1)}",
        f"- **Battery life:** 6 hours {mark(1)}\n- 8 microphones {mark(2)}",
        f"6 h of battery life. {mark(1)}\n\nAgain 360 minutes. {mark(1)}",
    ],
)
def test_a_page_whose_promises_are_registered_passes(text: str) -> None:
    assert check(text) == []
    assert check("续航6小时。" + mark(1), lang="cn") == []


# --- ids ---


@pytest.mark.req("SP-16")
def test_an_id_that_is_not_in_the_registry_fails_once_at_its_first_marker() -> None:
    [finding] = check(f"Text.\n\nOne. {mark(9)}\n\nTwo. {mark(9)}")
    assert (finding.rule, finding.file, finding.line, finding.about) == ("claims.unknown", FILE, 3, "C-AB-009")
    assert finding.problem.startswith("C-AB-009 is not in the registry (C-AB-00")
    assert finding.repair == "correct the id, or register the claim"
    far = check("One. <!-- claim_id: C-ZZZZ-777 -->")
    assert far[0].problem == "C-ZZZZ-777 is not in the registry (none like it)"


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    ("status", "found"),
    [
        ("verified", []),
        ("unverified", []),
        ("downgraded", []),
        ("reserved", ["claims.reserved"]),
        ("removed", ["claims.removed"]),
        ("proposed", ["claims.proposed"]),
    ],
)
def test_a_claim_in_use_must_be_usable_and_settled(status: str, found: list[str]) -> None:
    known = registry(claim(1, "Works on any table", status=status))
    assert rules(f"On any table. {mark(1)}", known) == found


def test_ids_are_reported_in_the_order_of_the_page() -> None:
    known = registry(claim(1, "", status="reserved"), claim(2, "x", status="removed"))
    found = told(f"A. {mark(9)} B. {mark(2)} C. {mark(1)}", known)
    assert found == [
        ("claims.unknown", 1, "C-AB-009"),
        ("claims.removed", 1, "C-AB-002"),
        ("claims.reserved", 1, "C-AB-001"),
    ]


@pytest.mark.req("SP-16")
def test_a_proposed_claim_fails_even_when_the_page_does_not_use_it() -> None:
    known = registry(PLAIN, claim(4, "A new idea", status="proposed"))
    [finding] = check("Text.", known)
    assert (finding.rule, finding.file, finding.line, finding.about) == ("claims.proposed", REGISTRY, 20, "C-AB-004")
    assert finding.problem == "C-AB-004 is still proposed: 'A new idea'"
    assert finding.repair == "verify, downgrade or remove it"


@pytest.mark.req("SP-16")
@pytest.mark.parametrize("written", ["<!-- claim_id: C-A-1 -->", "<!-- claim_id C-AB-001 -->", "<!-- C-AB-001 -->"])
def test_a_comment_that_means_to_be_a_marker_fails(written: str) -> None:
    [finding] = check(f"Text.\n\nFine. {written}")
    assert (finding.rule, finding.line) == ("claims.malformed", 3)
    assert finding.problem.startswith(written)


# --- risk ---


@pytest.mark.req("SP-16")
@pytest.mark.parametrize("level", ["high", "medium", "low"])
@pytest.mark.parametrize("status", ["verified", "unverified", "downgraded", "proposed"])
def test_only_high_risk_claims_must_be_verified(level: str, status: str) -> None:
    known = registry(claim(1, "6 hours", "battery", status=status, risk_level=level))
    fails = level == "high" and status != "verified"
    assert ("claims.high-risk" in rules(f"6 hours. {mark(1)}", known)) == fails


def test_the_high_risk_finding_says_what_the_claim_is_instead() -> None:
    known = registry(claim(1, "6 hours", "battery", status="downgraded", risk_level="high"))
    [finding] = check(f"Text.\n\n6 hours. {mark(1)}", known)
    assert (finding.rule, finding.file, finding.line, finding.about) == ("claims.high-risk", FILE, 3, "C-AB-001")
    assert finding.problem == "C-AB-001 is a high-risk claim and downgraded, not verified"


@pytest.mark.req("SP-16")
def test_a_high_risk_claim_that_is_not_in_use_may_be_unverified() -> None:
    assert check("Text.", registry(claim(1, "6 hours", "battery", status="unverified", risk_level="high"))) == []


@pytest.mark.parametrize(
    ("text", "text_cn", "level"),
    [
        ("Works on any table", "", "medium"),
        ("The best sound", "", "high"),
        ("Easy to use", "", "low"),
        ("Easy to use", "业界领先", "high"),
        ("", "", "medium"),
    ],
)
def test_a_claim_without_a_level_has_the_highest_of_its_texts(text: str, text_cn: str, level: str) -> None:
    assert level_of(claim(1, text, text_cn=text_cn, risk_level=None)) == level
    assert level_of(claim(1, "The best", risk_level="low")) == "low"


# --- evidence ---


@pytest.mark.req("SP-16", "SP-9")
def test_a_claim_in_use_without_evidence_that_holds_fails_at_its_registry_entry() -> None:
    known = registry(PLAIN, claim(5, "7-hour battery life", "battery"), claim(6, "Unused", evidence=()))
    [finding] = check(f"7 hours. {mark(5)}", known)
    assert (finding.rule, finding.file, finding.line, finding.about) == ("claims.evidence", REGISTRY, 20, "C-AB-005")
    assert "7-hour" in finding.problem
    assert rules(f"Used. {mark(6)}", known) == ["claims.evidence"]
    assert rules(f"On any table. {mark(3)}", known) == []


@pytest.mark.req("SP-9")
def test_the_evidence_check_goes_over_every_usable_claim_and_names_it() -> None:
    known = registry(
        BATTERY,
        claim(2, "9 microphones", "mics", status="unverified"),
        claim(3, "x", status="proposed", evidence=()),
        claim(4, "x", status="removed", evidence=()),
        claim(5, "", status="reserved", evidence=()),
    )
    found = [
        (finding.rule, finding.about, finding.file, finding.line) for finding in evidence(known, shelf(), REGISTRY)
    ]
    assert found == [
        ("evidence.number", "C-AB-002", REGISTRY, 20),
        ("evidence.missing", "C-AB-003", REGISTRY, 30),
    ]
    only = evidence(known, shelf(), REGISTRY, only={"C-AB-003"})
    assert [finding.about for finding in only] == ["C-AB-003"]


def test_paths_of_evidence_are_normalised() -> None:
    odd = (locators.parse("./sub/../spec.txt#L1"),)
    assert evidence(registry(claim(1, "6 hours", evidence=odd)), shelf(), REGISTRY) == []


QUOTING = registry(claim(1, "6 hours", evidence=(locators.parse(WEB),)))
SAVED = Source(
    "0-sources/web/a.md",
    "markdown",
    "It runs for 6 hours.",
    {"url": "https://a.example/x", "accessed_date": "2026-01-05"},
)


@pytest.mark.req("SP-9")
def test_a_web_page_is_read_from_its_snapshot_and_only_asked_for_without_one() -> None:
    snapshots = {SAVED.path: SAVED}
    assert evidence(QUOTING, shelf(snapshots=snapshots), REGISTRY) == []
    assert evidence_addresses(QUOTING, snapshots) == []
    assert [finding.rule for finding in evidence(QUOTING, shelf(), REGISTRY)] == ["evidence.snapshot"]
    assert evidence_addresses(QUOTING, {}) == ["https://a.example/x"]
    assert evidence_addresses(QUOTING, {}, only=()) == []


@pytest.mark.req("SP-9")
@pytest.mark.parametrize(
    "text", ["It runs for 6 hours.", "<html><body><p>It runs for <b>6 hours</b>.</p></body></html>"]
)
def test_in_http_mode_the_answer_stands_in_for_the_snapshot(text: str) -> None:
    probes = {"https://a.example/x": Probe(url="https://a.example/x", status=200, text=text)}
    assert evidence(QUOTING, shelf(probes=probes), REGISTRY) == []
    other = {"https://a.example/x": Probe(url="https://a.example/x", status=200, text=text.replace("6", "5"))}
    assert [finding.rule for finding in evidence(QUOTING, shelf(probes=other), REGISTRY)] == ["evidence.excerpt"]


@pytest.mark.parametrize(
    ("probe", "says"),
    [
        (
            Probe(url="https://a.example/x", status=404, text="It runs for 6 hours."),
            "; https://a.example/x: the server answers 404",
        ),
        (Probe(url="https://a.example/x", problem="no answer"), "; https://a.example/x: no answer"),
    ],
)
def test_in_http_mode_another_answer_than_200_is_no_evidence_and_is_told(probe: Probe, says: str) -> None:
    [finding] = evidence(QUOTING, shelf(probes={probe.url: probe}), REGISTRY)
    assert finding.rule == "evidence.snapshot"
    assert finding.problem.endswith(says)


def test_a_removed_claim_asks_for_no_page() -> None:
    assert evidence_addresses(registry(claim(1, "x", status="removed", evidence=(locators.parse(WEB),))), {}) == []


def test_a_weak_locator_beside_a_sound_one_is_only_a_warning() -> None:
    both = (locators.parse("spec.txt#L1"), locators.parse("gone.txt#L1"))
    found = check(f"6 hours. {mark(1)}", registry(claim(1, "6 hours", evidence=both)))
    assert [(finding.rule, finding.severity) for finding in found] == [("claims.evidence", "warning")]
    assert failing(found) == ()


@pytest.mark.parametrize("status", ["reserved", "removed"])
def test_claims_in_use_are_those_that_may_be_used(status: str) -> None:
    page = parse(f"A. {mark(3)} B. {mark(1)} C. {mark(9)} D. {mark(4)}")
    assert in_use(page, registry(BATTERY, PLAIN, claim(4, "x", status=status))) == ["C-AB-003", "C-AB-001"]


# --- numbers at markers ---


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    ("text", "about"),
    [
        (f"It runs for 7 hours. {mark(1)}", "C-AB-001"),
        (f"It runs for 6 minutes. {mark(1)}", "C-AB-001"),
        (f"8 microphones {mark(1)} and 6 hours {mark(2)}.", "C-AB-001"),
        (f"8 microphones and 7 hours. {mark(2)}{mark(1)}", "C-AB-002"),
        (f"#### 7-hour battery {mark(1)}", "C-AB-001"),
        (f"| a | b |\n|---|---|\n| Battery life | 7 hours {mark(1)} |", "C-AB-001"),
        (f"续航7小时。{mark(1)}", "C-AB-001"),
    ],
)
def test_a_number_at_a_marker_that_is_not_in_the_claims_text_fails(text: str, about: str) -> None:
    assert (("claims.numbers", about)) in [(rule, about_) for rule, _, about_ in told(text)]


def test_the_number_finding_quotes_the_number_and_the_texts() -> None:
    [finding] = check(f"Text.\n\n7 hours. {mark(1)}")
    assert (finding.line, finding.file) == (3, FILE)
    assert finding.problem.startswith(
        "the words at C-AB-001 do not say what the claim says ('6-hour battery life'; '续航6小时'): "
        "'7 hours' is not stated"
    )
    both = check(f"7 hours. {mark(1)}{mark(2)}")
    assert both[0].problem.startswith("the words at C-AB-001, C-AB-002 do not say")
    assert "'7 hours'" in both[0].problem


@pytest.mark.req("SP-16")
def test_a_claims_other_language_counts_as_its_text() -> None:
    known = registry(claim(1, "Long battery life", "battery", text_cn="续航6小时"))
    assert rules(f"It lasts 6 hours. {mark(1)}", known) == []


def test_numbers_at_an_unknown_id_are_not_judged_beside_it() -> None:
    assert rules(f"It runs for 7 hours. {mark(9)}") == ["claims.unknown"]


# --- numbers without a claim ---


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "text",
    [
        "It weighs 420 g.",
        "桌面宽度2米。",
        "#### A 2 m cable",
        "- with 4 ports",
        f"It runs for 6 hours. {mark(1)} It weighs 420 g.",
        f"It runs for 6 hours {mark(1)} and weighs 420 g.",
        "| a | b |\n|---|---|\n| Weight | 420 g |",
        f"| a | b |\n|---|---|\n| Weight 420 g | fine {mark(3)} |",
        "| Weight (420 g) | b |\n|---|---|\n",
    ],
)
def test_a_number_with_a_unit_that_belongs_to_no_claim_fails(text: str) -> None:
    assert rules(text) == ["claims.unclaimed-number"]


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "text",
    [
        "Version 2.3 is out.",
        "In 2026 it is new.",
        "Room 12 is free.",
        "Wi-Fi 6",
        "100 million concurrent voice streams",
        "More than 260 built-in functions.",
        "It handles 500,000 tags.",
        "Used in 300 plants.",
        "It plays H.264.",
    ],
)
@pytest.mark.req("EV-2", "EV-3")
def test_numbers_dates_and_versions_need_a_claim_whatever_their_unit(text: str) -> None:
    assert rules(text) == ["claims.unclaimed-number"]


@pytest.mark.req("EV-3")
@pytest.mark.parametrize("text", ["Three reasons.", "The first step.", "第二步", "See https://a.example/v2/30."])
def test_ordinals_addresses_and_small_counts_in_words_are_exempt(text: str) -> None:
    assert rules(text) == []


def test_the_unclaimed_finding_quotes_each_number_once() -> None:
    [finding] = check("Text.\n\nIt weighs 420 g, yes 420 g, on 2 m.")
    assert (finding.file, finding.line, finding.about) == (FILE, 3, "")
    assert finding.problem == "'420 g', '2 m' in 'It weighs 420 g, yes 420 g, on 2 m.' belongs to no claim"
    long = check(f"It weighs 420 g {'and ' * 30}")[0]
    assert len(long.problem) == len("'420 g' in '' belongs to no claim") + 80
    assert long.problem.endswith("…' belongs to no claim")


def test_a_sentence_of_eighty_characters_is_quoted_whole() -> None:
    sentence = "It weighs 420 g " + "x" * 63 + "."
    assert len(sentence) == 80
    assert f"'{sentence}'" in check(sentence)[0].problem
    assert "x…' belongs" in check(sentence.replace("x.", "xx."))[0].problem


@pytest.mark.req("SP-16")
def test_a_number_in_another_cell_belongs_to_the_claim_of_its_row() -> None:
    assert rules(f"| a | b |\n|---|---|\n| With 8 microphones | yes {mark(2)} |") == []
    assert rules(f"| a | b |\n|---|---|\n| With 9 microphones | yes {mark(2)} |") == ["claims.unclaimed-number"]
    assert rules(f"| a | b |\n|---|---|\n| 8 microphones | yes |\n| x | yes {mark(2)} |") == ["claims.unclaimed-number"]


# --- risk without a marker ---


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "text",
    [
        "The best sound in any room.",
        "All audio is encrypted.",
        "业界领先的降噪。",
        "- Guaranteed to work",
        f"Works on any table. {mark(3)} The best sound in any room.",
        "Looking for the best speakerphone?",
        "> Certified quality.",
    ],
)
def test_a_risky_sentence_without_a_marker_fails(text: str) -> None:
    assert rules(text) == ["claims.unmarked-risk"]


@pytest.mark.req("SP-16")
def test_a_risky_sentence_with_a_marker_passes() -> None:
    known = registry(claim(1, "The best sound", risk_level="high"))
    assert rules(f"The best sound in any room. {mark(1)}", known) == []


def test_the_risk_finding_says_which_words_are_risky() -> None:
    [finding] = check("Text.\n\nThe best sound.")
    assert (finding.file, finding.line) == (FILE, 3)
    assert finding.problem == "'The best sound.' has no claim marker and is high risk (superlative-comparison: 'best')"
    assert finding.repair == "mark it with the claim that says so, or say it without 'best'"


TABLE = "| Item | Value |\n|---|---|\n"


@pytest.mark.req("SP-16")
def test_a_marker_in_a_row_covers_its_label() -> None:
    assert rules(f"{TABLE}| Battery life | 6 hours {mark(1)} |") == []
    assert (
        rules(
            f"{TABLE}| Battery life | 6 hours | {mark(1)} |".replace("Value |", "Value | |").replace(
                "---|\n", "---|---|\n"
            )
        )
        == []
    )
    assert rules(f"{TABLE}| Battery life | long |") == ["claims.unmarked-risk"]
    assert rules(f"{TABLE}| Battery life | long |\n| x | 6 hours {mark(1)} |") == ["claims.unmarked-risk"]


def test_a_row_without_marker_is_told_once_and_each_row_by_itself() -> None:
    text = f"{TABLE}| Battery life | low latency |\n| Accuracy | encrypted |"
    assert told(text) == [("claims.unmarked-risk", 3, ""), ("claims.unmarked-risk", 4, "")]


def test_two_risky_sentences_outside_tables_are_told_each() -> None:
    assert rules("The best sound. The best microphone.") == ["claims.unmarked-risk"] * 2


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "title", ["#### Low-latency audio", "#### Battery life", "| Accuracy | b |\n|:--|--:|\n| c | d |"]
)
def test_a_title_that_names_a_risky_topic_is_covered_by_a_marker_in_its_section(title: str) -> None:
    assert rules(f"## Part\n\n{title}\n\nOn any table. {mark(3)}") == []
    assert rules(f"{title}\n\nOn any table. {mark(3)}") == []
    assert rules(f"## Part\n\n{title}\n\nNothing.\n\n## Next\n\nOn any table. {mark(3)}") == ["claims.unmarked-risk"]
    assert rules(f"## Part\n\nOn any table. {mark(3)}\n\n## Next\n\n{title}\n\nNothing.") == ["claims.unmarked-risk"]


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    "title", ["#### The best audio", "| Industry-leading | b |\n|---|---|\n| c | d |", "# The only choice"]
)
def test_a_title_that_compares_needs_a_marker_of_its_own(title: str) -> None:
    assert rules(f"{title}\n\nOn any table. {mark(3)}") == ["claims.unmarked-risk"]


def test_a_marker_above_a_title_does_not_cover_it() -> None:
    text = f"## Part\n\nOn any table. {mark(3)}\n\n#### Low-latency audio\n\nNothing."
    assert told(text) == [("claims.unmarked-risk", 5, "")]


def test_a_body_row_is_no_title() -> None:
    assert rules(f"{TABLE}| Battery life | long |\n\nOn any table. {mark(3)}") == ["claims.unmarked-risk"]


def test_the_templates_own_titles_claim_nothing() -> None:
    own = HARDWARE.model_copy(
        update={"sections": (*HARDWARE.sections[:-1], HARDWARE.sections[-1].model_copy(update={"en": "Warranty"}))}
    )
    page = parse("## Warranty\n\nText.")
    found = claims(page, ALL, shelf(), own, lang="en", file=FILE, registry_file=REGISTRY)
    assert found == []
    assert rules("## Warranty\n\nText.") == ["claims.unmarked-risk"]


@pytest.mark.req("SP-16")
@pytest.mark.parametrize("lang", ["en", "cn"])
@pytest.mark.parametrize(
    "question",
    ["### What is the battery life?", "**Is it encrypted?**", "保修多久？", '"Is it the best?"', "Is it certified?)"],
)
def test_a_question_in_the_faq_claims_nothing(lang: Lang, question: str) -> None:
    title = {"en": "Frequently Asked Questions", "cn": "常见问题"}[lang]
    assert rules(f"## {title}\n\n{question}\n\nText.", lang=lang) == []
    assert rules(f"## {title}\n\n{question}\n\nThe best.", lang=lang) == ["claims.unmarked-risk"]
    assert rules(f"## Elsewhere\n\n{question}\n\nText.", lang=lang) == ["claims.unmarked-risk"]


def test_a_number_in_a_faq_question_still_needs_a_claim() -> None:
    assert rules("## Frequently Asked Questions\n\n### Does it fit a 4 m table?") == ["claims.unclaimed-number"]


def test_a_template_without_faq_has_no_free_questions() -> None:
    none = HARDWARE.model_copy(update={"sections": tuple(s for s in HARDWARE.sections if s.kind != "faq")})
    page = parse("## Frequently Asked Questions\n\nIs it encrypted?")
    found = claims(page, ALL, shelf(), none, lang="en", file=FILE, registry_file=REGISTRY)
    assert [finding.rule for finding in found] == ["claims.unmarked-risk"]


# --- codes, and counts in words ---


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    ("said", "found"),
    [
        (f"The body is IP67. {mark(4)}", []),
        (f"The body is IP-67 with AES 256. {mark(4)}", []),
        (f"The body is IP68. {mark(4)}", [("claims.codes", 1, "C-AB-004")]),
        (f"IP67 {mark(4)} and IP68 {mark(3)} bodies.", [("claims.codes", 1, "C-AB-003")]),
        (f"IP67 on any table. {mark(3)} {mark(4)}", []),
        ("It plays H.264.", [("claims.unclaimed-number", 1, "")]),
    ],
)
def test_the_codes_at_a_marker_occur_in_the_text_of_its_claim(said: str, found: list[object]) -> None:
    source = parse_source(b"IP67, AES-256\n", "codes.txt")
    at = (locators.parse("codes.txt#L1"),)
    known = registry(PLAIN, claim(4, "IP67 body with AES-256", evidence=at))
    place = Shelf({"spec.txt": SPEC, "codes.txt": source}.get)
    page = parse(said)
    findings = claims(page, known, place, HARDWARE, lang="en", file=FILE, registry_file=REGISTRY)
    assert [(one.rule, one.line, one.about) for one in findings] == found
    assert all("IP68" in one.problem or "H.264" in one.problem for one in findings)


@pytest.mark.req("SP-16")
@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        ("Put two devices on the table, and five loggers beside them.", "en", []),
        ("The two screens and three cameras stay.", "en", []),
        ("桌上放两台设备，旁边放五台记录仪，再来一台。", "cn", []),
        ("三个摄像头和两个屏幕都留着。", "cn", []),
        ("Put 2 devices on the table.", "en", ["claims.unclaimed-number"]),
        ("It has 8 microphones.", "en", ["claims.unclaimed-number"]),
        ("放5台设备。", "cn", ["claims.unclaimed-number"]),
        ("It runs for six hours.", "en", ["claims.unclaimed-number"]),
        ("它运行五小时。", "cn", ["claims.unclaimed-number"]),
        ("| Screens | two screens |\n| --- | --- |", "en", []),
    ],
)
def test_a_count_in_words_is_ordinary_prose_and_digits_and_measures_need_a_claim(
    text: str, lang: Lang, found: list[str]
) -> None:
    assert [rule for rule in rules(text, lang=lang) if rule != "claims.unmarked-risk"] == found


@pytest.mark.req("SP-16")
def test_a_count_in_words_at_a_marker_is_still_compared_with_its_claim() -> None:
    assert rules(f"Seven microphones. {mark(2)}") == ["claims.numbers"]
