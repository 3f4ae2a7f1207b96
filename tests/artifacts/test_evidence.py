"""SP-9: the file is opened, the place found, the words found, the numbers found."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_sources import make_pdf

from signoff.evidence.sources.files import Source, parse_source
from signoff.evidence.sources.located_claims import Checked, binding, check, contains, snapshot_for, snapshot_name
from signoff.evidence.sources.locators import Internal, Locator, Pdf, Release, Url

pytestmark = pytest.mark.req("SP-9")

FILES = {
    "spec.yaml": b"battery:\n  value: 6\n  unit: h\nrange:\n  value: 30\n  unit: m\n",
    "spec.md": b"# Spec\n\n## Battery life\n\nLasts 6 hours.\n\nPlain words.\n\n## Range\n\nUp to 30 m.\n",
    "prd/v2.3.md": b"# PRD\n\n## Range\n\nUp to 30 m.\n",
    "notes.md": b"# Notes\n\n## Version 2.4.0\n\n### Range\n\nNow 40 m.\n\n## Version 2.3\n\n### Range\n\n30 m.\n",
    "r.pdf": make_pdf(["cover", "Battery test\nmeasured 6.2 hours", ""]),
    "broken.pdf": b"no pdf",
    "x100.md": b"# X100 data sheet\n\n## Body\n\nThe body is IP67.\n\nData is kept with AES-256.\n",
    "sheet.yaml": b"product: Acme X200\nbody: aluminium\n",
    "0-sources/web/x.md": (
        "---\nurl: https://X.org/a/\naccessed_date: 2026-01-05\n---\nIt runs “6 hours” and weighs 310 g.\n"
    ).encode(),
}
SNAPSHOTS = {path: parse_source(data, path) for path, data in FILES.items() if "/web/" in path}


def open_(path: str) -> Source | None:
    return parse_source(FILES[path], path) if path in FILES else None


def run(texts: str | Sequence[str], *locators: Locator) -> Checked:
    texts = [texts] if isinstance(texts, str) else texts
    return check("C-WSP-002", texts, locators, open_, "reg.yaml", 12, snapshots=SNAPSHOTS)


@pytest.mark.parametrize(
    ("texts", "locator"),
    [
        ("6-hour battery life", Internal("spec.yaml", line=2)),
        ("6-hour battery life", Internal("spec.yaml", section="battery")),
        (["6-hour battery life", "续航6小时"], Internal("spec.md", section="battery-life")),
        ("6-hour battery life", Internal("spec.md", line=5, excerpt="Lasts  6 hours")),
        ("30 m of range", Release("prd/v2.3.md", "2.3", "Range")),
        ("30 m of range", Release("prd/v2.3.md", "v2.3", "range")),
        ("40 m of range", Release("notes.md", "2.4.0", "Range")),
        ("30 m of range", Release("notes.md", "2.3", "Range")),
        ("6.2 hours", Pdf("r.pdf", 2, "measured 6.2 hours")),
        ("6 hours", Url("https://x.org/a", "2026-01-05", 'runs "6 hours"')),
        ("the words are plain", Internal("spec.md", line=7)),
    ],
)
def test_a_claim_with_sound_evidence_holds(texts: str | list[str], locator: Locator) -> None:
    result = run(texts, locator)
    assert result.findings == ()
    assert result.ok
    assert result.span
    assert len(result.used) == 1


@pytest.mark.parametrize(
    ("locator", "rule", "said"),
    [
        (Internal("gone.md", line=1), "evidence.file", "'gone.md' is not there"),
        (Release("prd/v2.3.md", "2.4", "Range"), "evidence.version", "does not say that it is of version 2.4"),
        (Release("notes.md", "2.4", "Range"), "evidence.version", "does not say that it is of version 2.4"),
        (Release("notes.md", "2.3", "Weight"), "evidence.section", "has no section 'Weight'"),
        (Pdf("broken.pdf", 1, "x"), "evidence.file", "cannot be read"),
        (Internal("spec.md", line=99), "evidence.line", "it has 11 lines"),
        (Internal("spec.md", line=4), "evidence.line", "empty"),
        (Internal("r.pdf", line=4), "evidence.line", "no line 4"),
        (Internal("spec.md", section="Batery"), "evidence.section", "'Battery life'"),
        (Internal("spec.yaml", section="weight"), "evidence.section", "'battery'"),
        (Pdf("r.pdf", 9, "x"), "evidence.page", "it has 3 pages"),
        (Pdf("r.pdf", 3, "x"), "evidence.file", "no text layer"),
        (Pdf("r.pdf", 2), "evidence.excerpt", "no excerpt"),
        (Pdf("r.pdf", 2, "…"), "evidence.excerpt", "no excerpt"),
        (Pdf("r.pdf", 1, "measured 6.2 hours"), "evidence.excerpt", "does not stand"),
        (Internal("spec.md", line=7, excerpt="Lasts 6 hours"), "evidence.excerpt", "does not stand"),
        (Internal("spec.md", line=5, excerpt="should be 6 hours"), "evidence.not-evidence", "'should be'"),
        (Url("https://x.org/a", "2026-01-06", "q"), "evidence.snapshot", "snapshots of 2026-01-05"),
        (Url("https://x.org/b", "2026-01-05", "q"), "evidence.snapshot", "no snapshot"),
        (Url("https://x.org/a", "2026-01-05", "url: https"), "evidence.excerpt", "does not stand"),
    ],
)
def test_an_unsound_locator_is_an_error_when_it_is_alone_and_a_warning_beside_a_sound_one(
    locator: Locator, rule: str, said: str
) -> None:
    alone = run("6-hour battery life", locator)
    (found,) = alone.findings
    assert not alone.ok
    assert (found.rule, found.severity, found.about) == (rule, "error", "C-WSP-002")
    assert (found.file, found.line) == ("reg.yaml", 12)
    assert said in found.problem
    assert found.repair
    beside = run("6-hour battery life", locator, Internal("spec.yaml", line=2))
    assert beside.ok
    assert [(found.rule, found.severity) for found in beside.findings] == [(rule, "warning")]


@pytest.mark.parametrize(
    ("texts", "locator"),
    [
        ("An IP67 body", Internal("x100.md", line=5)),
        (["AES-256 for data", "AES-256数据加密"], Internal("x100.md", section="Body")),
        ("The X100 has an IP67 body", Internal("x100.md", line=5)),  # what the document is of
        ("The X200 has a body", Internal("sheet.yaml", line=2)),
        ("30 m since version 2.3", Release("notes.md", "2.3", "Range")),
    ],
)
def test_a_code_occurs_in_the_place_or_in_what_its_document_is_of(texts: str | list[str], locator: Locator) -> None:
    assert run(texts, locator).findings == ()


@pytest.mark.parametrize(
    ("texts", "locator", "said"),
    [
        ("An IP68 body", Internal("x100.md", line=5), "IP68"),
        (["An IP67 body", "IP68外壳"], Internal("x100.md", line=5), "IP68"),
        ("Keys of AES-256", Internal("x100.md", line=5), "AES-256"),  # elsewhere in the file
        ("30 m since v2.4.1", Release("notes.md", "2.3", "Range"), "v2.4.1"),
    ],
)
def test_a_code_that_the_place_does_not_state_fails(texts: str | list[str], locator: Locator, said: str) -> None:
    result = run(texts, locator)
    (found,) = result.findings
    assert not result.ok
    assert (found.rule, found.severity, found.about) == ("evidence.code", "error", "C-WSP-002")
    assert f"'{said}' is not stated" in found.problem
    assert found.repair == "correct it, or point to the place that states it"


@pytest.mark.req("EV-4")
def test_what_a_claim_says_stands_together_in_one_place_and_not_scattered_over_a_section() -> None:
    assert not run("An IP67 body with AES-256", Internal("x100.md", section="Body")).ok


def test_a_claim_without_evidence_is_a_finding() -> None:
    result = run("6-hour battery life")
    assert [found.rule for found in result.findings] == ["evidence.missing"]
    assert not result.ok


@pytest.mark.parametrize(
    ("texts", "locator"),
    [
        ("30 m of range", Internal("spec.yaml", line=2)),  # elsewhere in the file
        ("30 m of range", Internal("spec.md", section="battery life")),
        ("7-hour battery life", Internal("spec.md", line=5)),
        (["6-hour battery life", "续航7小时"], Internal("spec.md", line=5)),
        ("6 hours and 310 g", Url("https://x.org/a", "2026-01-05", "6 hours")),  # on the page, not in the quote
    ],
)
def test_a_number_must_stand_in_the_located_span(texts: str | list[str], locator: Locator) -> None:
    result = run(texts, locator)
    assert [found.rule for found in result.findings] == ["evidence.number"]
    assert not result.ok


def test_each_number_may_have_its_own_locator() -> None:
    both = (Internal("spec.yaml", line=2), Internal("spec.md", section="range"))
    result = run("6 hours at 30 m", *both)
    assert result.ok
    assert result.used == ("spec.yaml", "spec.md")


def test_an_unsound_locator_covers_no_number() -> None:
    unsound = Internal("spec.md", section="range", excerpt="not there")
    result = run("6 hours at 30 m", Internal("spec.yaml", line=2), unsound)
    assert [found.rule for found in result.findings] == ["evidence.excerpt", "evidence.number"]
    assert not result.ok


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("measured\n  6.2   hours", "measured 6.2 hours"),
        ("eﬃcient ﬁltering", "efficient filtering"),
        ("the so\u00adcalled “best” – it’s", 'the socalled "best" - it\'s'),
        ("实 测 续 航 6.2 小时", "实测续航6.2小时"),
        ("meas-\nured in the lab", "measured in the lab"),
        ("１０ ｍ", "10 m"),
        ("a (b) [c] *d*", "(b) [c] *d*"),
    ],
)
def test_words_are_found_however_the_text_is_set(text: str, excerpt: str) -> None:
    assert contains(text, excerpt)


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("16 hours", "6 hours"), ("6.25", "6.2"), ("1.6 hours", "6 hours"), ("insecure", "secure"), ("6 2 h", "62 h"),
        ("62 h", "6 2 h"), ("measured 6.2 hours", "measured 6.3 hours"), ("10,000", "10"), ("mW", "MW"),
    ],
)  # fmt: skip
def test_part_of_a_word_or_number_is_not_found(text: str, excerpt: str) -> None:
    assert not contains(text, excerpt)


@given(st.lists(st.text("abc中文169.,-\"'ﬁ", min_size=1), min_size=1, max_size=6), st.data())
def test_a_run_of_whole_words_is_always_found_whatever_the_white_space(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    blank = data.draw(st.sampled_from([" ", "  ", "\n", "\u00a0", "\t \n"]))
    assert contains(blank.join(words), " ".join(words[first:last]))


def test_a_snapshot_is_matched_by_address_and_day() -> None:
    assert snapshot_for("https://x.org/a#part", "2026-01-05", SNAPSHOTS) == "0-sources/web/x.md"
    assert snapshot_for("https://x.org/a?b", "2026-01-05", SNAPSHOTS) is None
    assert snapshot_for("https://[bad", "2026-01-05", SNAPSHOTS) is None
    assert snapshot_name("https://x.org/A b?c", "2026-01-05") == "0-sources/web/x-org-a-b-c-2026-01-05.md"


def test_the_binding_changes_with_text_locator_and_source_and_with_nothing_else() -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    locators = [Internal("a.md", line=1)]
    base = binding(["t", "文"], locators, {"a.md": digest, "b.md": digest})
    assert base == binding(["t", "文"], locators, {"b.md": digest, "a.md": digest})
    others = {
        binding(["t", "字"], locators, {"a.md": digest, "b.md": digest}),
        binding(["t", "文"], [Internal("a.md", line=2)], {"a.md": digest, "b.md": digest}),
        binding(["t", "文"], locators, {"a.md": "0" * 64, "b.md": digest}),
        binding(["t", "文"], locators, {"a.md": digest}),
    }
    assert len(others) == 4
    assert base not in others
