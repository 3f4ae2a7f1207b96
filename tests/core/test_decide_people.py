"""What gates, people and clocks report: only what was asked, about the documents as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from kernel_kit import LATER, PAGE, SPEC, Kit, refusal, sha, writer

from signoff.core.commands import Ask, Check, Finish, Wake, Write
from signoff.core.decide import approved_changes
from signoff.core.findings import Finding
from signoff.core.refs import Ref

FOUND = Finding(rule="r", problem="p", repair="q")
GATE = Check(key="links", gate="links", reads={"draft": SPEC, "other": "nowhere.md"}, params={"lang": "en"})
DOCS = {SPEC: "spec", PAGE: "page"}


def ask(*options: str, **more: Any) -> Ask:
    base: dict[str, Any] = {"key": "final", "kind": "approval", "question": "?", "of": {SPEC: sha("spec")}}
    return Ask(options=options or ("approve", "reject"), **{**base, **more})


# --- checks ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def checking() -> Kit:
    kit = Kit()
    kit.begin(GATE, docs=DOCS)
    return kit


def pinned(text: str = "spec", number: int = 1) -> Check:
    of = {"draft": Ref(SPEC, sha(text))}
    return Check(key="links", gate="links", reads=GATE.reads, params=GATE.params, of=of, check=f"links-{number}")


def test_a_check_is_pinned_to_the_documents_that_are_there(checking: Kit) -> None:
    assert checking.state.checks == {"links-1": pinned()}
    assert checking.state.checked == 1


def test_findings_reach_the_step_with_their_check_which_is_closed(checking: Kit) -> None:
    event = checking.checked("links-1", FOUND)
    decision = checking.play(event, own="checked")
    now = checking.step
    assert (now.check, now.event, now.state.checks, now.look) == (pinned(), event, {}, checking.shelf)
    assert decision.applied
    assert (checking.state.checks, checking.state.own, checking.state.rev) == ({}, "checked", 2)


def test_a_check_that_is_not_open_changes_nothing(checking: Kit) -> None:
    before = checking.state
    decision = checking.play(checking.checked("links-9", of={}))
    assert refusal(decision) == ("check.closed", "check links-9 is not open", "nothing to do")
    assert decision.state is before


def test_findings_about_other_documents_than_asked_change_nothing(checking: Kit) -> None:
    before = checking.state
    for of in ({}, {"draft": Ref(SPEC, sha("other"))}, {"page": Ref(SPEC, sha("spec"))}):
        decision = checking.play(checking.checked("links-1", of=of))
        assert refusal(decision) == ("check.other", "check links-1 asked about other documents", "run it again")
        assert decision.state is before


def test_findings_about_documents_that_changed_are_dropped_and_the_check_is_issued_anew(checking: Kit) -> None:
    checking.play(checking.edited(spec="other"))
    decision = checking.play(checking.checked("links-1", FOUND))
    assert not checking.seen
    assert decision.applied
    assert decision.commands == (pinned("other", 2),)
    assert checking.state.checks == {"links-2": pinned("other", 2)}
    assert (checking.state.checked, checking.state.rev, checking.state.at) == (2, 3, LATER)


def test_one_check_closes_while_the_other_stays_open(checking: Kit) -> None:
    checking.play(checking.edited(page="x"), replace(GATE, key="words"))
    checking.play(checking.checked("links-1"))
    assert list(checking.state.checks) == ["words-2"]


def test_a_check_takes_the_place_of_an_open_one_under_its_key(checking: Kit) -> None:
    checking.play(checking.edited(spec="other"), GATE)
    assert checking.state.checks == {"links-2": pinned("other", 2)}
    assert checking.state.checked == 2
    late = checking.checked("links-1", FOUND, of={"draft": Ref(SPEC, sha("spec"))})
    assert refusal(checking.play(late))[0] == "check.closed"


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def asking() -> Kit:
    kit = Kit()
    kit.begin(ask(), Finish(reason="waiting"), docs=DOCS)
    return kit


def test_an_answer_closes_the_request_clears_the_stop_and_reaches_the_step(asking: Kit) -> None:
    assert asking.state.stop == "waiting"
    event = asking.answered("final-1", "approve")
    decision = asking.play(event, own="yes")
    now = asking.step
    assert (now.request, now.event, now.look) == (ask(request="final-1"), event, asking.shelf)
    assert (now.state.requests, now.state.stop) == ({}, None)
    assert decision.applied
    assert (asking.state.own, asking.state.rev, asking.state.at) == ("yes", 2, LATER)


def test_a_request_that_is_not_open_changes_nothing_and_the_open_ones_are_named(asking: Kit) -> None:
    asking.play(asking.edited(page="x"), ask(key="more"))
    before = asking.state
    decision = asking.play(asking.answered("final-9", "approve"))
    problem = "request 'final-9' is not open"
    assert refusal(decision) == ("request.closed", problem, "open requests: final-1, more-2")
    assert decision.state is before


def test_the_same_answer_twice_is_applied_once(asking: Kit) -> None:
    event = asking.answered("final-1", "approve")
    asking.play(event)
    before = asking.state
    problem = "request 'final-1' is not open"
    assert refusal(asking.play(event)) == ("request.closed", problem, "open requests: none")
    assert asking.state is before


def test_an_act_that_is_no_option_changes_nothing_and_the_options_are_named(asking: Kit) -> None:
    before = asking.state
    decision = asking.play(asking.answered("final-1", "launch"))
    assert refusal(decision) == ("request.option", "'launch' is no answer to it", "use one of approve, reject")
    assert decision.state is before


@pytest.mark.req("SP-4")
@pytest.mark.parametrize(
    ("edit", "named"),
    [
        ({"spec": "other"}, SPEC),
        ({"spec": None}, SPEC),
        ({"spec": "other", "page": "other"}, f"{SPEC}, {PAGE}"),
    ],
)
def test_an_approval_of_changed_bytes_is_refused_and_the_change_is_named(edit: dict[str, Any], named: str) -> None:
    kit = Kit()
    kit.begin(ask(of={SPEC: sha("spec"), PAGE: sha("page")}), docs=DOCS)
    kit.play(kit.edited(**edit))
    before = kit.state
    decision = kit.play(kit.answered("final-1", "approve"))
    repair = "look at the change, then approve with --accept-changes"
    assert refusal(decision) == ("request.changed", f"{named} changed after the request was written", repair)
    assert decision.state is before
    assert kit.play(kit.answered("final-1", "approve", accept_changes=False)).refused


@pytest.mark.req("SP-4")
def test_changes_that_were_looked_at_may_be_accepted(asking: Kit) -> None:
    asking.play(asking.edited(spec="other"))
    seen = {SPEC: sha("other")}
    decision = asking.play(asking.answered("final-1", "approve", seen, accept_changes=True))
    assert (decision.applied, decision.refused) == (True, ())
    assert asking.step.request == ask(request="final-1")


@pytest.mark.req("SP-4")
@pytest.mark.parametrize(("seen", "taken"), [({SPEC: ""}, True), ({SPEC: sha("spec")}, False), ({}, False)])
def test_a_document_seen_to_be_gone_may_be_accepted_as_gone(asking: Kit, seen: dict[str, str], taken: bool) -> None:
    asking.play(asking.edited(spec=None))
    assert asking.play(asking.answered("final-1", "approve", seen, accept_changes=True)).applied is taken


@pytest.mark.req("SP-4")
def test_a_change_after_the_person_looked_is_refused_even_when_changes_are_accepted(asking: Kit) -> None:
    asking.play(asking.edited(spec="other"))
    asking.play(asking.edited(spec="third"))
    decision = asking.play(asking.answered("final-1", "approve", {SPEC: sha("other")}, accept_changes=True))
    assert refusal(decision)[:2] == ("request.changed", f"{SPEC} changed after the request was written")


def test_a_rejection_of_changed_bytes_is_taken(asking: Kit) -> None:
    asking.play(asking.edited(spec="other"))
    assert asking.play(asking.answered("final-1", "reject")).applied


def test_what_changed_since_a_request_is_told_in_its_order() -> None:
    kit = Kit()
    kit.begin(docs=DOCS)
    assert approved_changes(ask(of={PAGE: sha("page"), SPEC: sha("spec")}), kit.state) == ()
    assert approved_changes(ask(of={PAGE: "0", SPEC: "1"}), kit.state) == (PAGE, SPEC)
    assert approved_changes(ask(of={"gone.md": sha("x")}), kit.state) == ("gone.md",)


# --- documents and timers --------------------------------------------------------------------------------------------


def test_an_edit_is_known_and_reaches_the_step() -> None:
    kit = Kit()
    kit.begin(docs=DOCS)
    event = kit.edited(spec="other", page=None)
    decision = kit.play(event, own="edited")
    assert decision.applied
    assert kit.step.state.docs == {SPEC: sha("other")}
    assert (kit.step.event, kit.step.look) == (event, kit.shelf)
    assert (kit.state.docs, kit.state.rev, kit.state.own) == ({SPEC: sha("other")}, 2, "edited")


@pytest.mark.parametrize("edit", [{}, {"spec": "spec"}, {"nowhere": None}, {"spec": "spec", "nowhere": None}])
def test_an_edit_that_changes_nothing_is_none(edit: dict[str, Any]) -> None:
    kit = Kit()
    kit.begin(docs=DOCS)
    before = kit.state
    decision = kit.play(kit.edited(**edit))
    assert refusal(decision) == ("docs.same", "nothing differs from what the run knows", "nothing to do")
    assert decision.state is before


def test_a_timer_ticks_once() -> None:
    kit = Kit()
    kit.begin(Wake(timer="tea", at=LATER), Wake(timer="cake", at=LATER))
    assert kit.state.timers == {"tea": LATER, "cake": LATER}
    event = kit.ticked("tea")
    decision = kit.play(event, own="tea")
    assert decision.applied
    assert (kit.step.event, kit.step.state.timers, kit.step.look) == (event, {"cake": LATER}, kit.shelf)
    assert (kit.state.timers, kit.state.rev, kit.state.own) == ({"cake": LATER}, 2, "tea")
    before = kit.state
    assert refusal(kit.play(kit.ticked("tea"))) == ("timer.closed", "no timer 'tea' is set", "nothing to do")
    assert kit.state is before


def test_what_one_event_writes_is_what_the_next_command_of_it_reads() -> None:
    kit = Kit()
    kit.begin(docs=DOCS)
    decision = kit.play(kit.edited(page="x"), Write(path=SPEC, text="new"), GATE, writer())
    _, check, start = decision.commands
    assert check == pinned("new")
    assert start.pinned == (Ref(SPEC, sha("new")),)  # type: ignore[union-attr]
