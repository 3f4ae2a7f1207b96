"""Findings, errors and references as people read them, and workflows that name what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kernel_kit import Kit

from signoff.core import errors
from signoff.core.declarations import GateInput
from signoff.core.errors import DefinitionError, DocumentError, MovedError, SignoffError
from signoff.core.findings import Finding, failing
from signoff.core.refs import Ref, digest
from signoff.testing.explorer import Shelf


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [
        ("a.md", 3, "a.md:3: rule: problem. Repair: repair"),
        ("a.md", None, "a.md: rule: problem. Repair: repair"),
        ("", None, "rule: problem. Repair: repair"),
    ],
)
def test_a_finding_says_where_what_and_how_to_repair_it(file: str, line: int | None, shown: str) -> None:
    assert str(Finding(rule="rule", problem="problem", repair="repair", file=file, line=line)) == shown


def test_a_warning_fails_nothing() -> None:
    error = Finding(rule="r", problem="p", repair="q")
    warning = replace(error, severity="warning")
    assert failing([warning, error, warning]) == (error,)
    assert failing([]) == ()


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ({"found": "found"}, "found."),
        ({"found": "found.", "valid": "a, b.", "repair": "do."}, "found. Valid: a, b. Repair: do."),
        ({"found": "found", "valid": "a"}, "found. Valid: a."),
        ({"found": "found", "repair": "do"}, "found. Repair: do."),
        ({"found": "../X.", "valid": ".a X.", "repair": ".do X..."}, "../X. Valid: .a X. Repair: .do X."),
    ],
)
def test_an_error_says_what_was_found_what_is_valid_and_the_repair(parts: dict[str, str], shown: str) -> None:
    assert str(SignoffError(**parts)) == shown


def test_a_commit_on_an_old_revision_names_both() -> None:
    assert str(MovedError(3, 5)) == "the run is at revision 5, the commit was decided on 3."


def test_an_errors_parts_are_kept_for_machines() -> None:
    error = SignoffError("found.", valid="a", repair="do")
    assert (error.found, error.valid, error.repair) == ("found.", "a", "do")
    moved = MovedError(3, 5)
    assert (moved.expected, moved.actual) == (3, 5)


def test_a_document_error_lists_its_findings_one_to_a_line() -> None:
    one = Finding(rule="a", problem="p", repair="q")
    two = Finding(rule="b", problem="p", repair="q", file="f", line=2)
    error = DocumentError([one, two])
    assert error.findings == (one, two)
    assert str(error) == f"{one}\n{two}."
    with pytest.raises(
        DefinitionError, match=r"^a DocumentError without findings. Repair: pass at least one finding.$"
    ):
        DocumentError([])


def test_the_class_of_an_error_says_who_must_act() -> None:
    tree = {
        errors.UserError: (errors.UsageError, errors.DocumentError, errors.RefusedError),
        errors.OperatorError: (errors.StoreError, errors.CorruptError, errors.LockedError),
        errors.SignoffError: (errors.UserError, errors.OperatorError, errors.MovedError, errors.DefinitionError),
    }
    for parent, children in tree.items():
        here = {child for child in parent.__subclasses__() if child.__module__ == errors.__name__}
        assert here == set(children)


def test_a_reference_is_shown_with_the_beginning_of_its_digest() -> None:
    assert str(Ref("a.md", "0123456789abcdef")) == "a.md@0123456789ab"


def test_a_text_has_the_digest_of_its_bytes() -> None:
    assert digest("é") == digest("é".encode())
    assert digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_turn_under_an_unknown_contract_is_a_mistake_of_the_workflow() -> None:
    workflow = Kit().workflow
    other = replace(workflow.contract("page"), name="other")
    with pytest.raises(DefinitionError) as error:
        replace(workflow, contracts=(other,)).contract("none")
    assert str(error.value) == "'kit' has no contract 'none'. Valid: other, page. Repair: declare it."


def test_a_check_that_lacks_a_document_names_those_it_has() -> None:
    given = GateInput(of={"draft": Ref("a", "0"), "registry": Ref("b", "1")}, params={}, look=Shelf())
    assert given.ref("draft") == Ref("a", "0")
    with pytest.raises(DefinitionError) as error:
        given.ref("template")
    assert str(error.value) == "the check has no document 'template'. Valid: draft, registry."
    with pytest.raises(DefinitionError, match=r"Valid: none\.$"):
        GateInput(of={}, params={}, look=Shelf()).ref("draft")


def test_a_workflow_that_declares_nothing_more_has_harmless_answers() -> None:
    workflow = Kit().workflow
    assert (workflow.documents.made(Kit().state), workflow.views.status(Kit().state)) == ({}, {})
    assert (workflow.documents.accepts("p", b""), workflow.setup.scaffold(lambda _: None)) == ((), {})
    assert (workflow.views.summary(Kit().state, Shelf()), workflow.picture()) == ({}, "")
