"""Who may write what in the config: one owner for each field, refusals that name it, writes that touch nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from article_config import BEGUN, FULL, config, full, written

from signoff.artifacts import jsonio
from signoff.workflows.article.documents import config_schema, field_owners
from signoff.workflows.article.documents.config_schema import leaf_paths, parse_doc
from signoff.workflows.article.documents.field_owners import (
    BELONGS,
    NEEDED,
    OWNERS,
    Owner,
    check_part,
    owner_of,
)

ALL: tuple[Owner, ...] = tuple(BELONGS)
FILE = "config/x.json"


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(path):
        value = {name: value}
    return dict(value)


def at(path: tuple[str, ...]) -> Any:
    value: Any = FULL
    for name in path:
        value = value[name]
    return value


def part_of(owner: Owner) -> dict[str, Any]:
    """All that one owner gives in the full config."""
    text = "{}"
    for path in leaf_paths():
        if owner_of(path) == owner:
            text = jsonio.put(text, FILE, {path: at(path)})
    return dict(json.loads(text))


@pytest.mark.req("AR-1")
def test_every_field_has_an_owner_and_every_line_of_the_table_a_field() -> None:
    paths = list(leaf_paths())
    assert not [path for path in paths if owner_of(path) is None]
    unused = [line for line in OWNERS if not any(".".join(path).startswith(line) for path in paths)]
    assert not unused
    assert set(OWNERS.values()) == set(ALL)


OWNED: list[tuple[str, Owner]] = [
    ("articleType", "config-creator"),
    ("authorPersona.bias", "config-creator"),
    ("buyerJourney.conversionPath.primaryCTA.action", "config-creator"),
    ("writingAngle.thesis", "person"),
    ("writingAngle.stance", "person"),
    ("writingAngle.recommendedDepth", "person"),
    ("writingAngle.depthMismatchAcknowledged", "person"),
    ("writingAngle.pending", "code"),
    ("workflowState.research.innovationSpace.level", "web-researcher 1"),
    ("workflowState.research.innovationSpace.skipThesis", "code"),
    ("workflowState.research.innovationSpace.strategy", "code"),
    ("workflowState.research.recommendedTheses", "web-researcher 1"),
    ("workflowState.research.urlCache", "code"),
    ("workflowState.research.summary.caseCount", "code"),
    ("workflowState.research.materialMix.targetMix.cases", "code"),
    ("workflowState.research.materials.cases", "rounds"),
    ("workflowState.research.materials.byPlacement", "web-researcher 2"),
    ("workflowState.research.thesisValidation.adjustment", "web-researcher 2"),
    ("workflowState.writing.outline.h2Count", "code"),
    ("workflowState.writing.outline.introFramework", "outline-writer"),
    ("workflowState.writing.execution.actualWordCount", "code"),
    ("workflowState.writing.materialUsage.differentiatorCoverage.used", "code"),
    ("workflowState.writing.decisions.hookUsed.type", "outline-writer"),
    ("workflowState.writing.decisions.internalLinks.totalCount", "code"),
    ("workflowState.writing.decisions.productMentions.count", "code"),
]


@pytest.mark.req("AR-1")
@pytest.mark.parametrize(("path", "owner"), OWNED, ids=[path for path, _ in OWNED])
def test_a_field_belongs_to_whom_the_reference_says(path: str, owner: Owner) -> None:
    assert owner_of(path.split(".")) == owner


@pytest.mark.req("AR-1", "AR-6")
@pytest.mark.parametrize("path", list(leaf_paths()), ids=".".join)
def test_only_the_owner_may_give_a_field(path: tuple[str, ...]) -> None:
    patch, name = nested(path, at(path)), ".".join(path)
    assert not field_owners.refusals(patch, owner_of(path) or "code", FILE)
    for owner in ALL:
        if owner != owner_of(path):
            (finding,) = field_owners.refusals(patch, owner, FILE)
            assert f"`{name}` {BELONGS[owner_of(path) or 'code']};" in finding.problem
            assert (finding.file, finding.about) == (FILE, name)
            assert finding.repair == f"leave `{name}` out"


@pytest.mark.req("AR-1")
@pytest.mark.parametrize("owner", ALL)
def test_what_an_owner_gives_in_a_sound_config_is_accepted(owner: Owner) -> None:
    assert not check_part(part_of(owner), owner, FILE)


@pytest.mark.parametrize(
    ("contract", "owner"),
    [
        ("config", "config-creator"),
        ("phase-1", "web-researcher 1"),
        ("phase-2", "web-researcher 2"),
        ("outline", "outline-writer"),
        ("draft", "outline-writer"),
    ],
)
def test_a_contract_asks_for_what_its_step_has_to_bring(contract: str, owner: Owner) -> None:
    assert not check_part(part_of(owner), owner, FILE, contract)
    missing = [finding.problem for finding in check_part({}, owner, FILE, contract)]
    assert missing
    assert all(problem.endswith(" is missing") for problem in missing)
    required = field_owners.part_form(owner, contract).model_json_schema()["required"]
    assert set(required) == {path[0] for path in NEEDED[contract]}


@pytest.mark.parametrize("contract", sorted(NEEDED))
def test_a_contract_asks_for_fields_that_are_there(contract: str) -> None:
    paths = {path[:end] for path in leaf_paths() for end in range(1, len(path) + 1)}
    assert NEEDED[contract] <= paths


@pytest.mark.req("AR-1")
def test_a_part_names_only_what_its_owner_may_give() -> None:
    schema = field_owners.part_form("web-researcher 1").model_json_schema()
    space = schema["$defs"]["InnovationSpace"]
    assert set(space["properties"]) == {"level", "reason", "signals"}
    assert space["additionalProperties"] is False
    assert set(schema["properties"]) == {"workflowState"}


@pytest.mark.req("AR-1")
def test_an_unknown_field_is_refused_with_its_path_and_what_is_valid_for_this_owner() -> None:
    patch = nested(("workflowState", "research", "innovationSpace", "levle"), "high")
    (finding,) = field_owners.refusals(patch, "web-researcher 1", FILE)
    path = "workflowState.research.innovationSpace.levle"
    assert finding.problem == f"`{path}` is not a field here; valid: level, reason, signals"
    assert finding.repair == "rename it to `level`"


@pytest.mark.req("AR-1")
def test_words_and_types_of_a_part_are_checked() -> None:
    patch = nested(("workflowState", "research", "thesisValidation"), {"adjustment": "drop", "evidenceFor": "much"})
    problems = "\n".join(map(str, check_part(patch, "web-researcher 2", FILE)))
    assert "`workflowState.research.thesisValidation.adjustment` is 'drop'; valid: 'keep', 'soften' or" in problems
    assert "`workflowState.research.thesisValidation.evidenceFor` is 'much'; valid: " in problems


def test_a_section_that_others_share_is_not_emptied() -> None:
    patch = nested(("workflowState", "research", "materials"), None)
    (finding,) = check_part(patch, "web-researcher 2", FILE)
    assert "`workflowState.research.materials` is empty, and it also holds what is recorded from" in finding.problem
    assert not check_part(nested(("workflowState", "research", "insights"), None), "web-researcher 2", FILE)


@pytest.mark.parametrize("value", ["text", 7, ["a"], {"a": {"b": 1}}, None])
@pytest.mark.parametrize("name", ["workflowState", "writingAngle", "products", "nothing"])
def test_a_patch_of_any_shape_gives_findings_and_no_error(name: str, value: Any) -> None:
    assert check_part({name: value}, "web-researcher 1", FILE)


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("AR-1")
@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("owner", ALL)
def test_a_write_of_one_owner_leaves_every_byte_of_the_others(owner: Owner, indent: Any) -> None:
    before = json.dumps(full(), ensure_ascii=False, indent=indent)
    patch = {"workflowState": {"research": {"coreThesis": "another", "gaps": {"data": ["x"]}}}}
    patch = patch if owner == "web-researcher 1" else part_of(owner)
    after = config_schema.put(before, patch)
    if owner != "web-researcher 1":
        assert after == before
        return
    start, end = _differing(before, after)
    assert '"gaps"' in before[max(0, start - 200) : end]
    wanted = full()
    wanted["workflowState"]["research"] |= {"coreThesis": "another"}
    wanted["workflowState"]["research"]["gaps"]["data"] = ["x"]
    assert json.loads(after) == wanted


def _differing(before: str, after: str) -> tuple[int, int]:
    start = next(at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    back = next(at for at, (a, b) in enumerate(zip(before[::-1], after[::-1], strict=False)) if a != b)
    return start, len(before) - back


def test_mappings_with_free_keys_are_set_as_a_whole() -> None:
    text = config_schema.put(
        written(FULL).decode(), nested(("workflowState", "research", "competitorContent"), {"b.md": {}})
    )
    assert list(json.loads(text)["workflowState"]["research"]["competitorContent"]) == ["b.md"]


def test_a_new_config_holds_what_was_given_and_is_read_again() -> None:
    text = config_schema.laid_out(BEGUN)
    assert json.loads(text) == BEGUN
    assert parse_doc(text.encode(), FILE) == config(BEGUN)
    assert text.endswith("}\n")


@pytest.mark.req("AR-1")
def test_a_file_grows_step_by_step_and_every_step_can_be_read() -> None:
    text = "\ufeff" + config_schema.laid_out(BEGUN)
    for owner in ALL:
        text = config_schema.put(text, part_of(owner))
        parse_doc(text.encode(), FILE)
    assert json.loads(text[1:]) == FULL
