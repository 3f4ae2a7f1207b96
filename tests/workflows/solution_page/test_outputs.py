"""What agents give back (SP-1): one envelope, strict fields, and every problem said field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
import small_page as small
from small_page import C1, EN

from signoff.core.errors import DocumentError
from signoff.workflows.solution_page.outputs import (
    PARSE,
    CopywriterOutput,
    EditorOutput,
    StrategistOutput,
)

parse_strategist, parse_copywriter, parse_editor = (PARSE[agent] for agent in ("strategist", "copywriter", "editor-qa"))

pytestmark = pytest.mark.req("SP-1")

AT = "2026-01-06T01:30:00+08:00"


def problems(parse: Any, raw: str) -> list[tuple[str, str]]:
    with pytest.raises(DocumentError) as error:
        parse(raw.encode(), "raw/output")
    assert {(f.rule, f.file) for f in error.value.findings} == {("output.schema", "raw/output")}
    return [(f.about, f.problem) for f in error.value.findings]


def strategist(**changes: Any) -> str:
    return json.dumps({**json.loads(small.strategist()), **changes})


def copywriter(**changes: Any) -> str:
    return json.dumps({**json.loads(small.copywriter("en", "# x")), **changes})


def editor(status: str = "complete", **changes: Any) -> str:
    return small.editor(status, **changes)


# --- what is read -----------------------------------------------------------------------------------------------------


def test_the_three_envelopes_are_read() -> None:
    one = parse_strategist(strategist(dispatch_intent="draft_en", claims_summary={"total": 99}).encode(), "p")
    assert isinstance(one, StrategistOutput)
    assert (one.agent, one.status, one.dispatch_intent, len(one.claims)) == ("strategist", "complete", "draft_en", 12)
    two = parse_copywriter(
        copywriter(claims_tagged=3, new_claims_proposed=0, structure_self_check="pass").encode(), "p"
    )
    assert isinstance(two, CopywriterOutput)
    assert (two.language, two.file, two.documents) == ("en", EN, {EN: "# x"})
    three = parse_editor(editor(verdicts=[small.verdict(C1, "verified")], s0_count=4).encode(), "p")
    assert isinstance(three, EditorOutput)
    assert (three.decision, three.verdicts[0].verdict, three.fixes, three.blockers) == ("PASS", "verified", [], [])


def test_counts_are_optional() -> None:
    assert parse_strategist(strategist().encode(), "p").claims_summary is None
    assert parse_copywriter(copywriter().encode(), "p").claims_tagged is None
    assert parse_editor(editor().encode(), "p").s0_count is None


YAML = f"agent: copywriter\ntimestamp: '{AT}'\nstatus: complete\nlanguage: en\nfile: {EN}\n"


@pytest.mark.parametrize(
    "raw",
    [
        YAML,
        f"```yaml\n{YAML}```",
        f"```yaml\n{YAML}\n```\n",
        f"\n\n```\n{YAML}```\n\n",
        f"```json\n{copywriter()}\n```",
    ],
)
def test_yaml_json_and_one_fence_around_them_are_read(raw: str) -> None:
    assert parse_copywriter(raw.encode(), "p").file == EN


@pytest.mark.parametrize("raw", [f"Here it is:\n```yaml\n{YAML}```", f"```yaml\n{YAML}```\nDone.", "```\n```", "[1]"])
def test_words_around_the_document_are_refused(raw: str) -> None:
    with pytest.raises(DocumentError):
        parse_copywriter(raw.encode(), "p")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DocumentError) as error:
        parse_editor(b"\xff\xfe", "raw/output")
    assert error.value.findings[0].rule == "text.encoding"


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [AT, "2026-01-06T01:30:00Z", "2026-01-06T01:30:00.5+00:00"])
def test_a_time_with_an_offset_is_taken(moment: str) -> None:
    assert parse_strategist(strategist(timestamp=moment).encode(), "p").timestamp == moment


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-01-06T01:30:00", "'2026-01-06T01:30:00' has no offset; write one such as +08:00"),
        ("2026-01-06", "'2026-01-06' has no offset; write one such as +08:00"),
        ("yesterday", "'yesterday' is not an ISO 8601 time such as 2026-01-06T01:30:00+08:00"),
    ],
)
def test_a_time_without_an_offset_is_refused_with_the_form_to_use(moment: str, said: str) -> None:
    assert problems(parse_strategist, strategist(timestamp=moment)) == [
        ("timestamp", f"timestamp: Value error, {said} (found {moment!r})")
    ]


@pytest.mark.parametrize(
    ("status", "decision", "fine"),
    [
        ("complete", "PASS", True),
        ("complete", "BLOCKED", False),
        ("complete", None, False),
        ("needs_revision", "BLOCKED", True),
        ("needs_revision", "PASS", False),
        ("needs_revision", None, False),
        ("blocked", None, True),
        ("blocked", "PASS", True),
        ("escalate", None, True),
        ("escalate", "BLOCKED", True),
    ],
)
def test_complete_needs_pass_and_needs_revision_needs_blocked(status: str, decision: str | None, fine: bool) -> None:
    raw = editor(status, decision=decision)
    if fine:
        assert parse_editor(raw.encode(), "p").status == status
        return
    wanted = "PASS" if status == "complete" else "BLOCKED"
    ((about, problem),) = problems(parse_editor, raw)
    assert about == "the document"
    assert f"status {status!r} requires decision {wanted}, found {decision or 'none'}" in problem


@pytest.mark.parametrize("parse_raw", [(parse_strategist, strategist), (parse_copywriter, copywriter)])
def test_needs_revision_is_off_schema_for_strategist_and_copywriter(parse_raw: tuple[Any, Any]) -> None:
    parse, raw = parse_raw
    ((about, problem),) = problems(parse, raw(status="needs_revision"))
    assert about == "status"
    assert "'complete', 'blocked' or 'escalate'" in problem


@pytest.mark.parametrize(
    ("parse", "raw", "about"),
    [
        (parse_strategist, strategist(phase="complete"), "phase"),
        (parse_strategist, strategist(artifacts={"state": "x"}), "artifacts.state"),
        (parse_strategist, strategist(claims_summary={"sum": 1}), "claims_summary.sum"),
        (parse_strategist, strategist(claims=[{"id": C1, "rank": 1}]), "claims.0.rank"),
        (parse_copywriter, copywriter(approved=True), "approved"),
        (parse_editor, editor(documents={EN: "x"}), "documents"),
        (parse_editor, editor(gates={"colour": {"status": "pass"}}), "gates.colour"),
        (parse_editor, editor(verdicts=[small.verdict(C1, "verified", risk_level="low")]), "verdicts.0.risk_level"),
        (parse_editor, editor(fixes=[small.fix("a", "b", file="c")]), "fixes.0.file"),
    ],
)
def test_unknown_fields_are_refused_by_name(parse: Any, raw: str, about: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(raw.encode(), "p")
    (finding,) = error.value.findings
    assert (finding.about, finding.repair) == (about, "remove the field")


@pytest.mark.parametrize(
    ("parse", "raw", "about"),
    [
        (parse_strategist, strategist(agent="copywriter"), "agent"),
        (parse_strategist, strategist(artifacts={"message_house": "elsewhere.md"}), "artifacts.message_house"),
        (parse_strategist, strategist(claims=[{"id": "C-A-1"}]), "claims.0.id"),
        (parse_strategist, strategist(claims=[{"id": f"{C1}\n"}]), "claims.0.id"),
        (parse_strategist, strategist(claims=[{"id": C1, "status": "downgraded"}]), "claims.0.status"),
        (parse_strategist, strategist(claims=[{"id": C1, "status": "removed"}]), "claims.0.status"),
        (parse_strategist, strategist(claims=[{"id": C1, "risk_level": "none"}]), "claims.0.risk_level"),
        (parse_copywriter, copywriter(language="fr"), "language"),
        (parse_copywriter, copywriter(file=None), "file"),
        (parse_copywriter, copywriter(documents={EN: 5}), f"documents.{EN}"),
        (parse_editor, editor(verdicts=[small.verdict(C1, "fine")]), "verdicts.0.verdict"),
        (parse_editor, editor(verdicts=[small.verdict(C1, "verified", reason="")]), "verdicts.0.reason"),
        (parse_editor, editor(verdicts=[small.verdict(C1, "downgraded")]), "verdicts.0"),
        (parse_editor, editor(gates={"links": {"status": "maybe"}}), "gates.links.status"),
    ],
)
def test_values_off_the_contract_are_refused_with_the_field(parse: Any, raw: str, about: str) -> None:
    ((found, _),) = problems(parse, raw)
    assert found == about


@pytest.mark.req("SP-17")
@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"severity": "S3"}, "fixes.0.severity"),
        ({"type": "taste"}, "fixes.0.type"),
        ({"before": ""}, "fixes.0.before"),
        ({"reason": ""}, "fixes.0.reason"),
        ({"id": ""}, "fixes.0.id"),
    ],
)
def test_a_fix_has_id_severity_type_before_and_reason(change: dict[str, Any], about: str) -> None:
    ((found, _),) = problems(parse_editor, editor(fixes=[{**small.fix("a", "b"), **change}]))
    assert found == about


@pytest.mark.req("SP-17")
@pytest.mark.parametrize("severity", ["S0", "S1", "S2"])
@pytest.mark.parametrize("kind", ["accuracy", "style", "parity", "claim"])
def test_every_severity_and_type_of_the_spec_is_taken_and_a_fix_may_delete(severity: str, kind: str) -> None:
    (fix,) = parse_editor(editor(fixes=[small.fix("a", "", severity, type=kind)]).encode(), "p").fixes
    assert (fix.severity, fix.type, fix.after) == (severity, kind, "")


def test_every_problem_is_told_at_once_and_what_was_found_is_shortened() -> None:
    found = problems(parse_copywriter, copywriter(language="x" * 500, status="done", timestamp="now"))
    assert [about for about, _ in found] == ["timestamp", "status", "language"]
    shown = found[2][1].partition("(found ")[2]
    assert shown == "'" + "x" * 116 + "...)"


@pytest.mark.parametrize(("length", "shown"), [(118, "'" + "x" * 118 + "'"), (119, "'" + "x" * 116 + "...")])
def test_what_was_found_is_shown_whole_up_to_120_characters(length: int, shown: str) -> None:
    ((_, problem),) = problems(parse_copywriter, copywriter(language="x" * length))
    assert problem.endswith(f"(found {shown})")


def test_missing_fields_are_named() -> None:
    found = problems(parse_editor, "agent: editor-qa\n")
    assert [about for about, _ in found] == ["timestamp", "status"]
