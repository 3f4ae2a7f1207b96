"""What code works out for the config: the angle, counts and mixes, the shape of outline and draft, coverage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from article_config import BEGUN, FULL, RESEARCH, WRITING, config, researched
from hypothesis import given
from hypothesis import strategies as st
from test_article_materials import found

from signoff.workflows.article.checks import text
from signoff.workflows.article.documents import computed_fields, config_schema
from signoff.workflows.article.documents.config_schema import parse_doc
from signoff.workflows.article.documents.field_owners import check_part
from signoff.workflows.article.documents.materials import ROUNDS, Item, numbered

FILE = "config/x.json"
TYPES = ("opinion", "tutorial", "informational", "comparison")


# --- the angle --------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-3")
@pytest.mark.parametrize(("kind", "pending"), [(kind, kind != "informational") for kind in TYPES])
def test_a_thesis_is_open_at_first_except_for_informational_articles(kind: Any, pending: bool) -> None:
    angle = computed_fields.angle_patch(kind)["writingAngle"]
    assert angle == {"thesis": None, "stance": None, "pending": pending, "depthMismatchAcknowledged": False}


@pytest.mark.req("AR-3")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("level", "strategy"), [("low", "execution"), ("medium", "both"), ("high", "angle")])
def test_the_level_and_the_type_settle_strategy_and_thesis(kind: Any, level: Any, strategy: str) -> None:
    patch = computed_fields.level_patch(kind, level)
    space = patch["workflowState"]["research"]["innovationSpace"]
    if level == "low" or kind == "informational":
        assert space == {"strategy": "execution", "skipThesis": True}
        assert patch["writingAngle"] == {"thesis": None, "stance": None, "pending": False}
    else:
        assert space == {"strategy": strategy, "skipThesis": False}
        assert "writingAngle" not in patch


@pytest.mark.req("AR-3")
@pytest.mark.parametrize("level", ["low", "medium", "high"])
@pytest.mark.parametrize("kind", TYPES)
def test_theses_are_wanted_while_one_is_to_be_chosen_and_never_else(kind: Any, level: Any) -> None:
    text = json.dumps(
        {**BEGUN, "articleType": kind, "workflowState": {"research": {"innovationSpace": {"level": level}}}}
    )
    opened = config_schema.put(text, computed_fields.angle_patch(kind))
    assert computed_fields.wants_theses(parse_doc(opened.encode(), FILE)) is (
        kind != "informational" and level != "low"
    )
    chosen = config_schema.put(opened, {"writingAngle": {"pending": False}})
    assert not computed_fields.wants_theses(parse_doc(chosen.encode(), FILE))


# --- mixes ------------------------------------------------------------------------------------------------------------


def items_of(*counts: int) -> tuple[Item, ...]:
    return numbered({name: [found(name)] * count for name, count in zip(ROUNDS, counts, strict=True)})


@pytest.mark.req("AR-6")
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8))
def test_shares_add_up_to_a_hundred_and_are_nowhere_off_by_one(counts: list[int]) -> None:
    shares, total = computed_fields.shares(counts), sum(counts)
    assert sum(shares) == (100 if total else 0)
    assert all(
        abs(share * total - count * 100) < total or not total for share, count in zip(shares, counts, strict=True)
    )


SHARES = [
    ((1, 1, 1), (34, 33, 33)),
    ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0)),
    ((7, 3, 5, 2, 2), (37, 16, 26, 11, 10)),
    ((1, 1, 1, 1, 2), (17, 17, 17, 16, 33)),
]


@pytest.mark.req("AR-6")
@pytest.mark.parametrize(("counts", "shares"), SHARES)
def test_the_largest_remainders_are_rounded_up_the_first_of_equals_first(counts: Any, shares: Any) -> None:
    assert computed_fields.shares(counts) == shares


MIXES: list[tuple[Any, tuple[str, ...]]] = [
    ("opinion", ("40%", "15%", "25%", "10%", "10%")),
    ("tutorial", ("20%", "25%", "20%", "30%", "5%")),
    ("informational", ("15%", "35%", "35%", "10%", "5%")),
    ("comparison", ("25%", "30%", "20%", "10%", "15%")),
]


@pytest.mark.req("AR-6")
@pytest.mark.parametrize(("kind", "shares"), MIXES, ids=[kind for kind, _ in MIXES])
def test_every_type_has_its_target(kind: Any, shares: tuple[str, ...]) -> None:
    assert tuple(computed_fields.material_mix(kind, ())["targetMix"].values()) == shares
    assert list(computed_fields.material_mix(kind, ())["targetMix"]) == [
        "cases",
        "data",
        "expert",
        "userVoice",
        "debates",
    ]


@pytest.mark.req("AR-6")
def test_gaps_name_the_kind_the_share_and_the_target() -> None:
    mix = computed_fields.material_mix("opinion", items_of(7, 4, 5, 2, 2))
    assert mix["actualMix"] == {"cases": "35%", "data": "20%", "expert": "25%", "userVoice": "10%", "debates": "10%"}
    assert mix["gaps"] == ["cases: 35% of the materials, target 40% (opinion)"]
    assert not computed_fields.material_mix("opinion", items_of(8, 3, 5, 2, 2))["gaps"]


@pytest.mark.req("AR-6")
def test_counts_and_mix_are_those_of_the_materials_whatever_the_file_said() -> None:
    wrong = researched(summary={**RESEARCH["summary"], "caseCount": 99})
    items = items_of(1, 2, 3, 4, 5)
    after = parse_doc(
        config_schema.put(
            wrong.model_dump_json(exclude_unset=True), computed_fields.research_patch(wrong, items)
        ).encode(),
        FILE,
    )
    assert after.research.summary
    assert after.research.summary.model_dump() == {
        "sourceCount": 1, "dataPointCount": 2, "competitorCount": 1, "caseCount": 1, "expertExplanationCount": 3,
        "debateCount": 5, "userVoiceCount": 4,
    }  # fmt: skip
    assert after.research.materialMix
    assert after.research.materialMix.actualMix.debates == "33%"


def test_a_config_without_a_type_has_counts_and_no_mix() -> None:
    patch = computed_fields.research_patch(config(articleType=None), items_of(1, 0, 0, 0, 0))
    assert list(patch["workflowState"]["research"]) == ["summary"]


# --- outline and draft ------------------------------------------------------------------------------------------------

DRAFT = """# Why the bath cracks parts

Care beats speed. <!-- material: CASE-001 -->

## Look at the filter

See the [care of the bath](/bath-care) and [elsewhere](https://example.org). <!-- material: D001 -->
It happened twice. <!-- material: D001 --> <!--material:EXP-001-->

```
## no heading <!-- note -->
```

## What to do on Monday

Start small.
"""


@pytest.mark.req("AR-9")
def test_the_shape_is_that_of_the_outline() -> None:
    outline = computed_fields.outline_patch(config(), DRAFT)["workflowState"]["writing"]["outline"]
    assert outline == {
        "h2Count": 2, "structure": ["Look at the filter", "What to do on Monday"], "funnelStage": "consideration"
    }  # fmt: skip
    without = {key: value for key, value in BEGUN.items() if key != "buyerJourney"}
    assert (
        "funnelStage"
        not in computed_fields.outline_patch(config(without), DRAFT)["workflowState"]["writing"]["outline"]
    )


@pytest.mark.req("AR-9")
def test_what_a_draft_holds_is_counted_in_the_draft() -> None:
    counts = computed_fields.execution(config(), DRAFT)
    assert counts == {
        "actualWordCount": text.read(DRAFT).length("en"),
        "internalLinksUsed": 1, "dataPointsUsed": 1, "casesUsed": 1,
        "expertExplanationsUsed": 1, "debatesUsed": 0, "userVoicesUsed": 0,
    }  # fmt: skip
    assert text.read("# Title\n\nThree more words. <!-- material: D001 -->\n").length("en") == 4
    assert text.read("# 标题\n\n先看滤网。<!-- material: D001 -->\n").length("zh") == 6


@pytest.mark.req("AR-9")
def test_every_differentiator_is_used_skipped_or_missing() -> None:
    assert computed_fields.coverage(config(), ["CASE-001", "D001"]) == {
        "total": 3, "used": 1, "list": ["CASE-001 ✅", "EXP-001 ❌ missing", "DEB-001 ❌ skipped"]
    }  # fmt: skip
    assert computed_fields.coverage(config(BEGUN), []) == {"total": 0, "used": 0, "list": []}


@pytest.mark.req("AR-1", "AR-6")
@pytest.mark.parametrize(
    "patch",
    [
        computed_fields.level_patch("opinion", "high"),
        computed_fields.research_patch(config(), items_of(1, 1, 1, 1, 1)),
        computed_fields.outline_patch(config(), DRAFT),
        computed_fields.draft_patch(config(), DRAFT),
    ],
    ids=["level", "research", "outline", "draft"],
)
def test_code_gives_only_what_is_codes(patch: dict[str, Any]) -> None:
    assert not check_part(patch, "code", FILE)
    assert parse_doc(config_schema.put(json.dumps(FULL), patch).encode(), FILE)


def test_products_are_counted_where_the_writer_spoke_of_them() -> None:
    decisions = computed_fields.draft_patch(config(), DRAFT)["workflowState"]["writing"]["decisions"]
    assert decisions == {"internalLinks": {"totalCount": 1}, "productMentions": {"count": 1}}
    silent = config(workflowState={"research": RESEARCH, "writing": {**WRITING, "decisions": None}})
    assert "productMentions" not in computed_fields.draft_patch(silent, DRAFT)["workflowState"]["writing"]["decisions"]
