"""What a person's overrule does to a gate's findings: when it counts, when it is void, and who may not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from kernel_kit import AT, LATER, PAGE, SPEC, Kit, refusal

from signoff.core import overrules
from signoff.core.commands import Check
from signoff.core.decide import Decision
from signoff.core.declarations import Gate
from signoff.core.events import Checked, Overruled, from_plain, to_plain
from signoff.core.findings import Finding, failing
from signoff.core.refs import Look, Ref

WORDS = Finding(rule="words.bad", problem="too many words", repair="use fewer", file=PAGE, about="C-1")
TEXT = "one two three"


def first_word(_finding: Finding, of: Mapping[str, Ref], look: Look) -> Mapping[str, str]:
    """A gate whose findings are about the first word of the page alone."""
    return {f"{PAGE} first": look(of["page"], lambda data, _path: data.decode().split()[0])}


@dataclass
class Desk:
    """A kit whose gates have read a page and a spec."""

    kit: Kit

    @staticmethod
    def begin(*gates: Gate, text: str = TEXT) -> Desk:
        kit = Kit()
        kit.workflow = replace(kit.workflow, gates=gates or (Gate(name="words", about="", run=lambda _: ()),))
        kit.begin(docs={PAGE: text, SPEC: "spec"})
        return Desk(kit)

    def find(self, *findings: Finding, gate: str = "words", key: str = "") -> tuple[Finding, ...]:
        """The gate runs and says this; what the workflow is given of it."""
        kit = self.kit
        check = Check(key=key or gate, gate=gate, reads={"page": PAGE, "spec": SPEC})
        kit.play(kit.edited(other=f"{kit.state.rev}"), check)
        (name,) = kit.state.checks
        kit.play(kit.checked(name, *findings))
        event = kit.step.event
        assert isinstance(event, Checked)
        return event.findings

    def overrule(self, finding: Finding = WORDS, *, by: str = "person:ann", **more: Any) -> Decision:
        known = {one.finding.words: one.of for one in self.open}
        event = {"of": known.get(finding.words, {}), "reason": "it is a name", **more}
        decision = self.kit.play(Overruled(id="e", at=LATER, by=by, finding=finding, **event))
        assert not self.kit.seen, "an overrule is no matter of the workflow"
        assert not decision.commands
        return decision

    @property
    def open(self) -> list[overrules.OpenFinding]:
        return overrules.open_findings(self.kit.workflow, self.kit.state, self.kit.shelf)

    def edit(self, text: str) -> None:
        self.kit.play(self.kit.edited(page=text))


@pytest.mark.req("EV-9")
def test_an_overruled_finding_is_kept_and_fails_nothing() -> None:
    desk = Desk.begin()
    assert desk.find(WORDS) == (WORDS,)
    assert desk.overrule().applied
    (found,) = desk.find(WORDS)
    assert found == replace(WORDS, severity="overruled")
    assert not failing([found])
    (known,) = desk.kit.state.in_force
    assert (known.finding, known.by, known.at, known.reason) == (WORDS, "person:ann", LATER, "it is a name")
    assert known.of == {PAGE: desk.kit.state.docs[PAGE]}
    assert desk.open == []


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    "other",
    [
        replace(WORDS, rule="words.worse"),
        replace(WORDS, problem="far too many words"),
        replace(WORDS, about="C-2"),
        replace(WORDS, file=SPEC),
    ],
    ids=["rule", "words", "subject", "file"],
)
def test_an_overrule_speaks_of_one_finding_and_no_other(other: Finding) -> None:
    desk = Desk.begin()
    desk.find(WORDS, other)
    desk.overrule()
    assert [one.severity for one in desk.find(WORDS, other)] == ["overruled", "error"]
    assert WORDS.id != other.id


@pytest.mark.parametrize("changes", [{"line": 7}, {"repair": "use none"}], ids=["line", "repair"])
def test_a_finding_that_only_moved_or_is_repaired_in_other_words_is_the_same(changes: dict[str, Any]) -> None:
    moved = replace(WORDS, **changes)
    desk = Desk.begin()
    desk.find(WORDS)
    desk.overrule()
    assert desk.find(moved) == (replace(moved, severity="overruled"),)
    assert moved.id == WORDS.id


@pytest.mark.req("EV-9")
def test_an_overrule_is_void_after_an_edit_of_the_text_and_counts_again_on_the_same_bytes() -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    desk.overrule()
    desk.edit("four five six")
    assert desk.kit.state.in_force == (), "at once, before a gate has run"
    assert desk.find(WORDS) == (WORDS,)
    assert [one.finding for one in desk.open] == [WORDS]
    desk.edit(TEXT)
    assert failing(desk.find(WORDS)) == ()
    assert len(desk.kit.state.in_force) == 1


def test_a_new_overrule_takes_the_place_of_the_void_one_on_the_same_document() -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    desk.overrule(reason="first")
    desk.edit("four five six")
    desk.find(WORDS)
    desk.overrule(reason="second")
    assert [one.reason for one in desk.kit.state.overrules] == ["second"]
    assert desk.kit.state.in_force == desk.kit.state.overrules


@pytest.mark.parametrize(
    ("finding", "edited", "holds"),
    [
        (WORDS, PAGE, False),
        (WORDS, SPEC, True),
        (replace(WORDS, file=""), PAGE, False),
        (replace(WORDS, file=""), SPEC, False),
        (replace(WORDS, file="elsewhere.md"), SPEC, False),
    ],
)
def test_without_more_from_the_gate_a_finding_is_bound_to_its_file_or_else_to_all_that_was_read(
    finding: Finding, edited: str, holds: bool
) -> None:
    desk = Desk.begin()
    desk.find(finding)
    desk.overrule(finding)
    desk.kit.play(desk.kit.edited(**{edited.removesuffix(".md"): "another text"}))
    assert bool(desk.kit.state.in_force) is holds
    assert (failing(desk.find(finding)) == ()) is holds


@pytest.mark.parametrize(("text", "holds"), [("one and more", True), ("two and more", False)])
def test_a_gate_may_bind_a_finding_to_a_part_of_a_document(text: str, holds: bool) -> None:
    desk = Desk.begin(Gate(name="words", about="", run=lambda _: (), binds=first_word))
    desk.find(WORDS)
    desk.overrule()
    assert desk.kit.state.overrules[0].of == {f"{PAGE} first": "one"}
    desk.edit(text)
    assert (failing(desk.find(WORDS)) == ()) is holds


def test_one_overrule_counts_for_every_check_that_has_the_finding_on_the_same_text() -> None:
    desk = Desk.begin()
    desk.find(WORDS, key="early")
    desk.find(WORDS, key="late")
    assert len(desk.open) == 1
    desk.overrule()
    assert desk.open == []


@pytest.mark.req("EV-9")
def test_an_overrule_can_be_taken_back() -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    desk.overrule()
    assert desk.overrule(undo=True, reason="").applied
    assert desk.kit.state.overrules == ()
    assert [one.finding for one in desk.open] == [WORDS], "it fails at once"
    assert desk.find(WORDS) == (WORDS,)


@pytest.mark.req("EV-9")
@pytest.mark.parametrize("by", ["agent:writer", "code", "host", "script", "", "personal:ann", "agent:person:ann"])
@pytest.mark.parametrize("undo", [False, True])
def test_the_kernel_takes_an_overrule_from_nobody_but_a_person(by: str, undo: bool) -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    if undo:
        desk.overrule()
    before = desk.kit.state
    assert refusal(desk.overrule(by=by, undo=undo))[0] == "overrule.person"
    assert desk.kit.state == before


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"reason": " "}, "overrule.reason"),
        ({"of": {PAGE: "0" * 64}}, "overrule.changed"),
        ({"of": {}}, "overrule.changed"),
        ({"finding": replace(WORDS, problem="no gate said so")}, "overrule.unknown"),
        ({"undo": True}, "overrule.none"),
    ],
)
def test_what_cannot_be_overruled_changes_nothing_and_says_why(more: dict[str, Any], rule: str) -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    before = desk.kit.state
    decision = desk.overrule(**more)
    assert refusal(decision)[0] == rule
    assert (decision.applied, desk.kit.state) == (False, before)


def test_a_finding_is_not_open_while_its_text_is_not_the_one_that_the_gate_read() -> None:
    desk = Desk.begin()
    desk.find(WORDS)
    (seen,) = desk.open
    desk.edit("four five six")
    assert desk.open == []
    assert refusal(desk.overrule(of=seen.of))[0] == "overrule.unknown"


def test_a_finding_that_is_overruled_or_only_a_warning_is_not_open() -> None:
    desk = Desk.begin()
    warning = replace(WORDS, severity="warning")
    assert desk.find(warning) == (warning,)
    assert refusal(desk.overrule(warning))[0] == "overrule.unknown"
    desk.find(WORDS)
    seen = desk.open[0].of
    desk.overrule()
    assert refusal(desk.overrule(of=seen))[0] == "overrule.unknown"


def test_nothing_is_overruled_before_a_run_has_begun() -> None:
    kit = Kit()
    assert refusal(kit.play(Overruled(id="e", at=AT, by="person:ann", finding=WORDS)))[0] == "run.unknown"


def test_an_id_is_short_and_is_the_same_in_every_process() -> None:
    assert WORDS.id == "2f6f3349"


def test_an_overrule_written_as_json_is_read_as_the_same_event() -> None:
    event = Overruled(id="e", at=AT, by="person:ann", finding=WORDS, of={PAGE: "1"}, reason="it is a name")
    assert from_plain(json.loads(json.dumps(to_plain(event)))) == event
