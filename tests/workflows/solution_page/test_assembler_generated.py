"""The assembler on products that nobody has seen before, with the real gates as judges."""

from __future__ import annotations

import random

import pytest
from generated import product
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stage import LANGS, Stage

from signoff.core.findings import Finding, failing

UNSEEN = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SEEDS = st.integers(min_value=0, max_value=2**32)
AMOUNT = ("word-count", "structure.feature-count", "structure.section-missing")


def but_for_length(stage: Stage, lang: str) -> list[Finding]:
    """What is left when a page that lost statements may be short."""
    return [found for found in stage.findings(lang) if not found.rule.startswith(AMOUNT)]  # type: ignore[arg-type]


@pytest.mark.req("SP-9", "SP-11", "SP-12", "SP-13", "SP-14", "SP-15", "SP-16")
@given(SEEDS)
@UNSEEN
def test_an_unseen_product_becomes_two_pages_that_pass_every_gate_in_the_first_round(seed: int) -> None:
    stage = product(seed)
    assert stage.strategy().status == "complete"
    assert not failing(stage.evidence())
    for lang in LANGS:
        assert not stage.write(lang).claims
        assert stage.review(lang).decision == "PASS"
        assert stage.findings(lang) == []


@pytest.mark.req("SP-7", "SP-15", "SP-16")
@given(SEEDS)
@UNSEEN
def test_whatever_is_removed_is_gone_from_both_pages_and_the_rest_still_holds(seed: int) -> None:
    stage = product(seed)
    ids = [claim.id for claim in stage.strategy().claims if claim.text]
    gone = random.Random(seed).sample(ids, 2)
    for claim_id in gone:
        stage.set_claim(claim_id, status="removed")
    for lang in LANGS:
        stage.write(lang)
        stage.review(lang)
        assert not [claim_id for claim_id in gone if claim_id in stage.text(stage.path(lang))]
        assert but_for_length(stage, lang) == []


@pytest.mark.req("SP-7", "SP-17")
@given(SEEDS)
@UNSEEN
def test_what_is_removed_after_drafting_is_taken_out_by_fixes_that_all_apply(seed: int) -> None:
    stage = product(seed)
    ids = [claim.id for claim in stage.strategy().claims if claim.text]
    stage.write("en")
    stage.review("en")
    gone = random.Random(seed).sample(ids, 3)
    for claim_id in gone:
        stage.set_claim(claim_id, status="removed")
    stage.mend("en", stage.review("en"))
    assert but_for_length(stage, "en") == []
    assert not stage.review("en").fixes


@pytest.mark.req("SP-16")
@given(SEEDS, st.integers(min_value=1000, max_value=9999))
@UNSEEN
def test_a_number_without_a_claim_never_reaches_a_page_that_passes(seed: int, metres: int) -> None:
    stage = product(seed)
    stage.strategy()

    def more(sheet: dict[str, dict[str, dict[str, str]]]) -> None:
        sheet["sections"]["challenges"]["en"] += f"\n\nThe rope is {metres} m long. It is red."
        sheet["sections"]["challenges"]["cn"] += f"\n\n绳子长{metres}米。它是红色的。"

    stage.edit_sheet(more)
    for lang in LANGS:
        stage.write(lang)
        assert stage.settle(lang)
        assert str(metres) not in stage.text(stage.path(lang))
