"""The changelog of the tactical architect: it names every change of the drafts, and only those that were made."""

from __future__ import annotations

import json
from typing import Any

import changelog_reader
import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestration_documents import ARCHITECTURE, ENTRIES, STACK
from pydantic import ValidationError

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration.checks import changelog_checks
from signoff.workflows.orchestration.checks.changelog_checks import Drafts
from signoff.workflows.orchestration.documents import architecture_decisions, technology_stack, tsa_changelog
from signoff.workflows.orchestration.documents.tsa_changelog import Change, Entry, NotTaken

TEXT = architecture_decisions.render(ARCHITECTURE, task_id="user_management_1727539200", created=1727539200)
DRAFTS = Drafts(technology_stack.render(STACK), TEXT)


def change(document: str, place: str, before: str | None, after: str | None) -> Change:
    given = {"document": document, "place": place, "from": before, "to": after, "reason": "the review"}
    return Change.model_validate(given)


def of_stack(place: str, before: str | None, after: str | None) -> Change:
    return change("technology_stack.json", place, before, after)


def of_text(place: str, before: str | None = "was", after: str | None = "is") -> Change:
    return change("architecture_decisions.md", place, before, after)


def with_stack(edit: Any) -> Drafts:
    """The drafts with an edited stack."""
    plain = json.loads(DRAFTS.stack)
    edit(plain)
    return Drafts(json.dumps(plain), TEXT)


def with_text(old: str, new: str) -> Drafts:
    """The drafts with edited decisions."""
    assert old in TEXT
    return Drafts(DRAFTS.stack, TEXT.replace(old, new, 1))


def found(after: Drafts) -> list[tuple[str, str | None, str | None]]:
    return [(one.place, one.before, one.after) for one in changelog_checks.differences(DRAFTS, after)]


def rules(after: Drafts, *changes: Change) -> list[str]:
    return [one.rule.removeprefix("changelog.") for one in changelog_checks.findings(DRAFTS, after, changes)]


# --- what changed -----------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            lambda plain: plain["technology_stack"]["backend"].update(framework="FastAPI"),
            [("technology_stack.backend.framework", "Flask", "FastAPI")],
        ),
        (
            lambda plain: plain["architecture_patterns"].append("Events"),
            [("architecture_patterns", '["Layers"]', '["Layers", "Events"]')],
        ),
        (lambda plain: plain["architecture_patterns"].clear(), [("architecture_patterns", '["Layers"]', None)]),
        (lambda plain: plain.pop("architecture_patterns"), [("architecture_patterns", '["Layers"]', None)]),
        (lambda plain: plain["performance_targets"].clear(), [("performance_targets.p95", "200 ms", None)]),
        (
            lambda plain: plain["technology_stack"].update(
                cache={"primary": "Redis", "rationale": "fast", "constraints": []}
            ),
            [("technology_stack.cache.primary", None, "Redis"), ("technology_stack.cache.rationale", None, "fast")],
        ),
        (
            lambda plain: plain["performance_targets"].update({"error.rate": "1 %"}),
            [('performance_targets["error.rate"]', None, "1 %")],
        ),
        (lambda plain: plain["performance_targets"].update(p95=""), [("performance_targets.p95", "200 ms", "")]),
        (lambda plain: plain["performance_targets"].update(p99=1), [("performance_targets.p99", None, "1")]),
        (lambda plain: plain.update(task_id="x_1727539200"), [("task_id", STACK.task_id, "x_1727539200")]),
        (lambda plain: plain.update(integration_requirements=[]), []),
    ],
)
def test_a_stack_is_compared_leaf_by_leaf(edit: Any, expected: list[Any]) -> None:
    assert found(with_stack(edit)) == expected


def test_how_json_is_spaced_and_ordered_is_no_change() -> None:
    plain = json.loads(DRAFTS.stack)
    assert found(Drafts(json.dumps(dict(reversed(plain.items()))), TEXT)) == []


def test_a_stack_that_is_no_json_is_said() -> None:
    with pytest.raises(DocumentError, match=r"stack\.json: it is invalid JSON"):
        changelog_checks.differences(DRAFTS, Drafts("{", TEXT))


NEW = "### Decision 3: Cache\n\n**Context:** Slow.\n\n#### More\n\nx\n\n"


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("\nTokens.\n", "\nSessions.\n", [("Security Architecture", "Tokens.", "Sessions.")]),
        ("\nTokens.\n", "\nTokens.\n\n### Keys\n\nRotated.\n", [("Keys", None, "Rotated.")]),
        ("## Architecture Principles", f"{NEW}## Architecture Principles",
         [("Decision 3: Cache", None, "**Context:** Slow.\n\n#### More\nx")]),
        ("Two wrote.", "Three wrote.", [("Decision 1: One writer", None, None)]),
        ("Decision 1: One writer", "Decision 1: A single writer",
         [("Decision 1: A single writer", "### Decision 1: One writer", "### Decision 1: A single writer")]),
        ("## Open Questions", "## Questions", [("Questions", "## Open Questions", "## Questions")]),
        ("## Deployment Architecture\n\nContainers.\n\n", "", [("Deployment Architecture", "Containers.", None)]),
        ("## Integration Architecture\n\nOver HTTP.\n\n## Security Architecture\n\nTokens.",
         "## Security Architecture\n\nTokens.\n\n## Integration Architecture\n\nOver HTTP.",
         [("Security Architecture", "its place among the others", "another place")]),
        ("# Architecture Dec", "intro\n# Architecture Dec", [("(before the first heading)", None, "intro")]),
        ("\nTokens.\n", "\nTokens.  \n\n\n", []),
        ("## Executive Summary\n\n", "## Executive Summary\n", []),
    ],
)  # fmt: skip
def test_decisions_are_compared_heading_by_heading(old: str, new: str, expected: list[Any]) -> None:
    differences = found(with_text(old, new))
    assert [place for place, _, _ in differences] == [place for place, _, _ in expected]
    for (_, before, after), (_, was, now) in zip(differences, expected, strict=True):
        if (was, now) != (None, None):
            assert (before, after) == (was, now)


def test_line_ends_are_no_change() -> None:
    assert found(Drafts(DRAFTS.stack, TEXT.replace("\n", "\r\n"))) == []


def test_a_heading_that_is_there_twice_is_named_by_the_way_to_it() -> None:
    twice = TEXT.replace("\nTokens.\n", "\nTokens.\n\n### Notes\n\na\n").replace(
        "\nContainers.\n", "\nContainers.\n\n### Notes\n\nb\n"
    )
    before, after = Drafts(DRAFTS.stack, twice), Drafts(DRAFTS.stack, twice.replace("\nb\n", "\nc\n"))
    (one,) = changelog_checks.differences(before, after)
    assert one.place == "Architecture Decisions: user_management > Deployment Architecture > Notes"
    assert tuple(changelog_checks.findings(before, after, [of_text("Deployment Architecture > Notes")])) == ()
    both = Drafts(DRAFTS.stack, twice.replace("\nb\n", "\nc\n").replace("\na\n", "\nd\n"))
    assert {one.rule for one in changelog_checks.findings(before, both, [of_text("Notes")])} == {
        "changelog.unnamed",
        "changelog.ambiguous",
    }


# --- what the log says of it ------------------------------------------------------------------------------------------

FASTAPI = with_stack(lambda plain: plain["technology_stack"]["backend"].update(framework="FastAPI"))
FRAMEWORK = "technology_stack.backend.framework"


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("after", "changes", "expected"),
    [
        (DRAFTS, (), []),
        (FASTAPI, (of_stack(FRAMEWORK, "Flask", "FastAPI"),), []),
        (FASTAPI, (of_stack(f"`{FRAMEWORK}`", "Flask", " FastAPI\n"),), []),
        (FASTAPI, (), ["unnamed"]),
        (FASTAPI, (of_stack(FRAMEWORK, "Flask", "Django"),), ["untrue"]),
        (FASTAPI, (of_stack(FRAMEWORK, "Bottle", "Django"),), ["untrue", "untrue"]),
        (FASTAPI, (of_stack(FRAMEWORK, None, "FastAPI"),), ["untrue"]),
        (FASTAPI, (of_stack("technology_stack.backend.language", "Python", "Go"),), ["unnamed", "unmade"]),
        (FASTAPI, (of_text("Security Architecture"), of_stack(FRAMEWORK, "Flask", "FastAPI")), ["unmade"]),
        (FASTAPI, (of_text(FRAMEWORK, "Flask", "FastAPI"),), ["unnamed", "unmade"]),
        (FASTAPI, (of_stack(FRAMEWORK, "Flask", "FastAPI"),) * 2, ["twice"]),
        (DRAFTS, (of_stack("a.b", "x", "y"),) * 2, ["unmade", "unmade", "twice"]),
    ],
)
def test_a_log_names_what_changed_in_the_stack_and_nothing_else(
    after: Drafts, changes: tuple[Change, ...], expected: list[str]
) -> None:
    assert rules(after, *changes) == expected


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("before", "after", "right"),
    [
        ('["Layers"]', '["Layers", "Events"]', True),
        ('["Layers"]', '[\n  "Layers","Events" ]', True),
        ('["Layers"]', "Layers, Events", False),
        ('["Layers"]', '["Events", "Layers"]', False),
    ],
)
def test_a_list_is_named_whole(before: str, after: str, right: bool) -> None:
    edited = with_stack(lambda plain: plain["architecture_patterns"].append("Events"))
    assert rules(edited, of_stack("architecture_patterns", before, after)) == ([] if right else ["untrue"])


def test_versions_are_texts_and_no_numbers() -> None:
    edited = with_stack(lambda plain: plain["performance_targets"].update(p95="3.10"))
    assert rules(edited, of_stack("performance_targets.p95", "200 ms", "3.1")) == ["untrue"]


@pytest.mark.parametrize("emptied", [None, "[]", ""])
def test_a_list_that_was_emptied_is_gone(emptied: str | None) -> None:
    edited = with_stack(lambda plain: plain["architecture_patterns"].clear())
    assert rules(edited, of_stack("architecture_patterns", '["Layers"]', emptied)) == []


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("old", "new", "changes", "expected"),
    [
        ("\nTokens.\n", "\nSessions.\n", (of_text("Security Architecture"),), []),
        ("\nTokens.\n", "\nSessions.\n", (of_text("## security architecture"),), []),
        ("\nTokens.\n", "\nSessions.\n", (of_text("Security Architecture", "any", "summary"),), []),
        ("\nTokens.\n", "\nSessions.\n", (of_text("Security Architecture", None),), ["untrue"]),
        ("\nTokens.\n", "\nSessions.\n", (of_text("Security"),), ["unnamed", "unmade"]),
        ("\nTokens.\n", "\n", (of_text("Security Architecture", "Tokens.", None),), []),
        ("Two wrote.", "Three wrote.", (of_text("Decision 1"),), []),
        ("Two wrote.", "Three wrote.", (of_text("Decision 1: One writer"),), []),
        ("Two wrote.", "Three wrote.", (of_text("Decision 2"),), ["unnamed", "unmade"]),
        ("One writer", "A single writer", (of_text("Decision 1: One writer"),), []),
        ("One writer", "A single writer", (of_text("Decision 1: A single writer"),), []),
        ("## Architecture Principles", f"{NEW}## Architecture Principles", (of_text("Decision 3: Cache", None),), []),
        ("## Architecture Principles", f"{NEW}## Architecture Principles", (of_text("Decision 3: Cache"),), ["untrue"]),
        (
            "## Architecture Principles",
            f"{NEW}## Architecture Principles",
            (of_text("More", None),),
            ["unnamed", "unmade"],
        ),
        ("## Open Questions", "## Questions", (of_text("Open Questions"),), []),
        ("## Open Questions", "## Questions", (of_text("Open Questions"), of_text("Questions")), ["twice"]),
        ("Initial Design", "Reviewed", (of_text("Document Control"),), []),
        ("Initial Design", "Reviewed", (), ["unnamed"]),
    ],
)
def test_a_log_names_what_changed_in_the_decisions_and_nothing_else(
    old: str, new: str, changes: tuple[Change, ...], expected: list[str]
) -> None:
    assert rules(with_text(old, new), *changes) == expected


@pytest.mark.req("OR-9")
@pytest.mark.parametrize(
    ("after", "entry"),
    [
        (with_stack(lambda plain: plain.update(created=1)), of_stack("created", "1727539200", "1")),
        (
            with_stack(lambda plain: plain.update(task_id="x_1727539200")),
            of_stack("task_id", STACK.task_id, "x_1727539200"),
        ),
        (with_text("2024-09-28", "2024-09-29"), of_text("Document Control")),
        (with_text("**Task ID:** user", "**Task ID:** other"), of_text("Document Control")),
        (with_text("- **Created:** 2024-09-28\n", ""), of_text("Document Control")),
        (with_text("## Evolution Notes\n\n_None._", "## Evolution Notes\n\nnote"), of_text("Evolution Notes")),
        (
            with_text("## Evolution Notes\n\n_None._", "## Evolution Notes\n\n_None._\n\n### Note\n\nx"),
            of_text("Note", None),
        ),
        (with_text("## Evolution Notes", "## Changes"), of_text("Evolution Notes")),
        (with_text("Decisions: user_management", "Decisions: other"), of_text("Architecture Decisions: other")),
    ],
)
def test_what_no_review_changes_stays_though_it_is_named(after: Drafts, entry: Change) -> None:
    assert rules(after, entry) == ["forbidden"]
    assert rules(after) == ["forbidden"]


@pytest.mark.req("OR-9")
def test_a_change_that_is_not_named_is_shown_from_and_to() -> None:
    (one,) = changelog_checks.findings(DRAFTS, FASTAPI, [])
    assert one.problem == f"`{FRAMEWORK}` changed from “Flask” to “FastAPI”, and the log does not say so"
    assert (one.file, one.about) == ("orchestration/technology_stack.json", FRAMEWORK)
    (one,) = changelog_checks.findings(DRAFTS, with_text("\nTokens.\n", f"\n{'word ' * 99}\n"), [])
    assert one.problem.startswith("`Security Architecture` changed from “Tokens.” to “word word")
    assert (one.file, len(one.problem) < 300) == ("orchestration/architecture_decisions.md", True)


@pytest.mark.req("OR-9")
def test_a_change_that_was_not_made_says_what_is_there() -> None:
    (one,) = changelog_checks.findings(DRAFTS, DRAFTS, [of_stack(FRAMEWORK, "Flask", "Go")])
    assert one.problem.endswith("that was not made; it is “Flask” before and after; what changed there: nothing")
    _, one = changelog_checks.findings(DRAFTS, FASTAPI, [of_stack("backend.framework", "Flask", "FastAPI")])
    assert one.repair == f"name it `{FRAMEWORK}`, if you mean that"


_VALUES = st.one_of(st.text(max_size=3), st.lists(st.text(max_size=2), max_size=2))
_STACKS = st.dictionaries(st.text(alphabet="ab.", min_size=1, max_size=2), st.one_of(_VALUES, st.dictionaries(
    st.sampled_from(["x", "y", "z z"]), _VALUES)), max_size=4)  # fmt: skip
_BLOCKS = st.lists(
    st.tuples(
        st.integers(2, 4), st.sampled_from(["A", "B", "Decision 1: C", "Decision 1: D", "E"]), st.sampled_from("pqr ")
    ),
    max_size=6,
).map(lambda blocks: "# T\n" + "".join(f"{'#' * level} {title}\n{text}\n" for level, title, text in blocks))
_DRAFTS = st.builds(lambda plain, text: Drafts(json.dumps(plain), text), _STACKS, _BLOCKS)


@pytest.mark.req("OR-9")
@given(_DRAFTS, _DRAFTS, st.data())
def test_the_log_that_says_what_changed_is_right_and_no_other_is(
    before: Drafts, after: Drafts, data: st.DataObject
) -> None:
    real = changelog_checks.differences(before, after)
    log = [change(one.document, one.place, one.before, one.after) for one in real]
    assert [*changelog_checks.findings(before, after, log)] == []
    if log:
        gone = data.draw(st.sampled_from(log))
        left = [one for one in log if one is not gone]
        assert "changelog.unnamed" in {one.rule for one in changelog_checks.findings(before, after, left)}
    assert changelog_checks.differences(before, before) == ()
    made_up = [*log, of_stack("never.there", "a", "b")]
    assert "changelog.unmade" in {one.rule for one in changelog_checks.findings(before, after, made_up)}


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-9")
@given(st.lists(ENTRIES, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_a_log_only_grows_and_whatever_is_said_in_an_entry_can_be_read_again(
    entries: list[Entry], newline: str
) -> None:
    log = tsa_changelog.appended("", entries[0]).replace("\n", newline)
    for entry in entries[1:]:
        longer = tsa_changelog.appended(log, entry)
        assert longer.startswith(log.rstrip())
        log = longer
    assert changelog_reader.parse(log.encode(), "f.md") == tuple(entries)


ENTRY = Entry(
    number=1,
    domain="database_storage",
    at=1727539200,
    changes=(
        of_stack("technology_stack.database.primary", "MySQL", "PostgreSQL"),
        of_stack("technology_stack.cache.primary", None, "Redis").model_copy(
            update={"evidence": "the plan\n\nsays so"}
        ),
        of_text("Open Questions", "two", None),
    ),
    not_taken=(NotTaken(suggestion="Shard", reason="too early", deferred="at 1 TB"),),
)


@pytest.mark.req("OR-9")
def test_a_log_looks_as_people_read_it() -> None:
    assert tsa_changelog.appended("", ENTRY) == (
        "# Tactical Solution Architect Change Log\n"
        "\n## TSA Instance #1: Database/Storage Review\n"
        "\n**Timestamp**: 1727539200\n**Reviewer Feedback**: database_storage_review.md\n"
        "\n### Changes Made:\n\n"
        '1. **technology_stack.json - technology_stack.database.primary**: Changed from "MySQL" to "PostgreSQL"\n'
        "   - **Reason**: the review\n"
        '2. **technology_stack.json - technology_stack.cache.primary**: Added "Redis"\n'
        "   - **Reason**: the review\n   - **Supporting evidence**: the plan\n\n        says so\n"
        '3. **architecture_decisions.md - Open Questions**: Removed "two"\n'
        "   - **Reason**: the review\n"
        "\n### Feedback Not Incorporated:\n\n"
        "1. **Suggestion**: Shard\n   - **Reason**: too early\n   - **Deferred**: at 1 TB\n"
    )


def test_a_change_from_nothing_to_nothing_is_none() -> None:
    with pytest.raises(ValidationError, match="`from` and `to` are both missing"):
        of_text("Security Architecture", None, None)
