"""Statements that can be false, what exempts them, and the claims behind them (EV-2, EV-3)."""

from __future__ import annotations

import pytest

from signoff.evidence.check.claim_rules import claim_violations
from signoff.evidence.check.directives import no_claims
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.settings import Settings
from signoff.evidence.check.statements import exemptions, statements

CLAIM = "<!-- claim_id: C-RS-001 -->"


def kinds(text: str, product: tuple[str, ...] = ()) -> set[str]:
    return {part.kind for each in statements(text, product).listed for part in each.parts}


def checked(text: str, **settings: object) -> tuple[list[tuple[str, int]], object]:
    page = PageText(text)
    violations, used = claim_violations(page, no_claims(page)[0], Settings(require_claims=True, **settings))  # type: ignore[arg-type]
    return [(each.code, each.line) for each in violations], used


@pytest.mark.req("EV-2")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It runs for 14 hours.", "number"),
        ("It has more than 260 built-in functions.", "number"),
        ("Trusted by thousands of customers.", "number"),
        ("It runs for fourteen hours.", "number"),
        ("It weighs 三百克。", "number"),
        ("Released in May 2024.", "date"),
        ("It meets IP67.", "code"),
        ("It costs $300.", "number"),
        ("It never fails.", "absolute"),
        ("切换时零丢失。", "absolute"),
        ("It is the fastest speaker.", "superlative"),
        ("业界领先的方案。", "superlative"),
        ("It is better than any other.", "comparison"),
        ("It cuts costs in half.", "comparison"),
        ("Deployed at Siemens since spring.", "name"),
        ("Contoso Ltd uses it.", "name"),
        ("It was “the best day of my life”, she said.", "quotation"),
        ("### Runs for 14 hours", "number"),
        ("- runs for 14 hours", "number"),
        ("| run time |\n|---|\n| 14 hours |", "number"),
    ],
)
def test_what_can_be_false_is_found(text: str, kind: str) -> None:
    assert kind in kinds(f"# Title\n\n{text}\n")


@pytest.mark.req("EV-3")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Go on with step 3.", "step"),
        ("Figure 2 shows the parts.", "step"),
        ("第3步：打开电源。", "step"),
        ("## 2. Install it", "order"),
        ("© 2019-2024 the makers", "copyright"),
        ("Set `timeout=30` first.", "code"),
        ("Does it run 14 hours?", "question"),
    ],
)
def test_the_published_list_exempts_and_is_counted(text: str, rule: str) -> None:
    found = statements(f"{text}\n")
    assert found.listed == []
    assert found.exempted[rule] == 1
    assert rule in exemptions()


def test_the_products_own_name_is_exempted() -> None:
    assert kinds("The Rondo X100 is small.", ("Rondo X100",)) == set()
    assert kinds("The Rondo X100 is small.") == {"code"}


@pytest.mark.req("EV-3")
def test_every_statement_needs_a_claim() -> None:
    text = f"# Title\n\nIt runs 14 hours. {CLAIM} It weighs 300 g.\nIt has\n2 speakers {CLAIM}.\n\nIt is blue.\n"
    assert checked(text)[0] == [("SC701", 3)]


@pytest.mark.req("EV-3")
@pytest.mark.parametrize(
    "text",
    [
        "It weighs 300 g. <!-- no-claim: on the label -->",
        "<!-- no-claim: on the label -->\nIt weighs 300 g.",
        "<!-- no-claim: on the label -->\n\n- weighs 300 g",
        "| a |\n|---|\n| 300 g <!-- no-claim: on the label --> |",
    ],
)
def test_an_inline_exemption_covers_its_text_and_is_counted(text: str) -> None:
    violations, used = checked(f"# Title\n\n{text}\n")
    assert violations == []
    assert used.inline == 1  # type: ignore[attr-defined]


@pytest.mark.req("EV-3")
def test_an_exemption_that_exempts_nothing_is_a_finding() -> None:
    assert checked("It is blue. <!-- no-claim: we like it -->\n")[0] == [("SC702", 1)]
    assert checked(f"It weighs 300 g. {CLAIM}\n\n<!-- no-claim: old -->\n\nIt is blue.\n")[0] == [("SC702", 3)]


@pytest.mark.req("EV-3")
def test_the_projects_list_exempts_by_text_and_pattern_and_is_counted() -> None:
    text = "It weighs 300 g.\n\nCall 0800 123.\n\nIt has 2 doors.\n"
    violations, used = checked(text, no_claims=("300 g", "Call *"))
    assert violations == [("SC701", 5)]
    assert dict(used.by_list) == {"300 g": 1, "Call *": 1}  # type: ignore[attr-defined]


def test_an_exemption_covers_no_other_sentence_of_its_paragraph() -> None:
    text = "It weighs 300 g.\nIt runs 14 hours. <!-- no-claim: on the label -->\n"
    assert checked(text)[0] == [("SC701", 1)]
