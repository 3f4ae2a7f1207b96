"""What the guard lets through of what agents give back (SP-1): everything else changes nothing and says why."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from kernel_kit import AT, LATER, PAGE, SPEC, Kit, refusal, sha, usage, writer

from signoff.core.commands import Finish, StartTurn, TurnLimits, Write
from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, Spend, State

GOOD = {"documents": {PAGE: "page"}}
TURN = "0001-writer"


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.begin(writer())
    return kit


def test_a_start_keeps_parameters_documents_and_time_and_asks_the_step() -> None:
    kit = Kit()
    decision = kit.begin(own="mine")
    assert decision.applied
    assert decision.state == State(rev=1, at=AT, params={"slug": "x"}, docs={SPEC: sha("spec")}, own="mine")
    assert kit.step.event.id == "s"
    assert kit.step.look is kit.shelf


def test_a_run_begins_once(kit: Kit) -> None:
    before = kit.state
    decision = kit.begin()
    assert refusal(decision) == ("run.started", "the run has begun already", "resume it instead")
    assert decision.state == before
    assert not kit.seen


def test_a_turn_goes_out_numbered_pinned_and_counted(kit: Kit) -> None:
    start = writer(turn=TURN, pinned=(Ref(SPEC, sha("spec")),))
    assert kit.state.turns == {TURN: OpenTurn(start=start)}
    assert (kit.state.issued, kit.state.spend) == (1, Spend(turns=1))


def test_a_document_that_is_not_there_is_not_pinned() -> None:
    kit = Kit()
    (start,) = kit.begin(writer(reads=(SPEC, "nowhere.md"))).commands
    assert isinstance(start, StartTurn)
    assert start.pinned == (Ref(SPEC, sha("spec")),)


def test_a_good_output_closes_the_turn_and_reaches_the_step_parsed(kit: Kit) -> None:
    turn = kit.state.turns[TURN]
    event = kit.returned(GOOD, usage=usage(7, cost=Decimal("0.5"), seconds=2.0))
    decision = kit.play(event, Write(path=PAGE, text="page"), own="next")
    assert decision.refused == ()
    assert decision.applied
    now = kit.step
    assert (now.output, now.turn, now.refused, now.event) == (GOOD, turn, (), event)
    assert now.look is kit.shelf
    assert kit.state == State(
        rev=2, at=LATER, params={"slug": "x"}, docs={SPEC: sha("spec"), PAGE: sha("page")}, issued=1, own="next",
        spend=Spend(turns=1, tokens=7, cost=Decimal("0.5"), seconds=2.0),
    )  # fmt: skip


def test_files_that_an_agent_wrote_under_its_contract_are_known_to_the_run(kit: Kit) -> None:
    kit.play(kit.returned({}, files={PAGE: sha("by hand")}))
    assert kit.state.docs == {SPEC: sha("spec"), PAGE: sha("by hand")}
    assert kit.step.state.docs[PAGE] == sha("by hand")


# --- what is refused outright ----------------------------------------------------------------------------------------


def test_the_output_of_a_turn_that_is_not_open_changes_nothing(kit: Kit) -> None:
    before = kit.state
    for event in (kit.returned(GOOD, turn="0009-writer"), kit.failed(turn="0009-writer")):
        decision = kit.play(event)
        settled = "nothing to do: it was settled or cancelled"
        assert refusal(decision) == ("turn.closed", "turn 0009-writer is not open", settled)
        assert decision.state is before
    assert not kit.seen


def test_the_same_output_twice_is_applied_once(kit: Kit) -> None:
    event = kit.returned(GOOD)
    assert kit.play(event).applied
    before = kit.state
    assert refusal(kit.play(event))[0] == "turn.closed"
    assert kit.state is before


@pytest.mark.parametrize("attempt", [0, 2])
def test_another_attempt_than_the_one_that_is_out_changes_nothing(kit: Kit, attempt: int) -> None:
    before = kit.state
    for event in (kit.returned(GOOD, attempt=attempt), kit.failed(attempt=attempt)):
        problem = f"turn {TURN} is at attempt 1, this is attempt {attempt}"
        assert refusal(kit.play(event)) == ("turn.attempt", problem, "submit the attempt that is open")
        assert kit.state is before


# --- stale -----------------------------------------------------------------------------------------------------------


def test_work_on_documents_that_changed_is_asked_for_again_on_the_new_ones(kit: Kit) -> None:
    kit.play(kit.edited(spec="other"))
    decision = kit.play(kit.returned(GOOD, usage=usage(7)))
    told = Finding(
        rule="turn.stale",
        problem=f"{SPEC} changed while the turn was out",
        repair="do the work again on the documents as they are now",
    )
    again = writer(turn=TURN, attempt=2, pinned=(Ref(SPEC, sha("other")),), told=(told,))
    assert decision.commands == (again,)
    assert decision.refused == (told,)
    assert decision.applied
    assert not kit.seen, "the step never hears of an output that was made from other documents"
    assert kit.state.turns == {TURN: OpenTurn(start=again)}
    assert kit.state.spend == Spend(turns=2, tokens=7), "what it cost is counted all the same"
    assert (kit.state.issued, kit.state.rev, kit.state.at) == (1, 3, LATER)
    assert PAGE not in kit.state.docs


def test_a_document_that_appeared_beside_the_pinned_ones_makes_nothing_stale() -> None:
    kit = Kit()
    kit.begin(writer(reads=(SPEC, PAGE)))
    kit.play(kit.edited(page="new"))
    assert kit.play(kit.returned(GOOD)).refused == ()


def test_all_documents_that_changed_are_named() -> None:
    kit = Kit()
    kit.begin(writer(reads=(SPEC, PAGE)), docs={SPEC: "spec", PAGE: "page"})
    kit.play(kit.edited(spec="other", page=None))
    (told,) = kit.play(kit.returned(GOOD)).refused
    assert told.problem == f"{SPEC}, {PAGE} changed while the turn was out"


def test_staleness_costs_no_try(kit: Kit) -> None:
    for attempt, text in enumerate(("a", "b", "c", "d"), start=1):
        kit.play(kit.edited(spec=text))
        kit.play(kit.returned("not json", attempt=attempt))
    turn = kit.state.turns[TURN]
    assert (turn.invalid, turn.crashed, turn.start.attempt) == (0, 0, 5)


# --- off schema, off contract, off authority -------------------------------------------------------------------------


def outside(path: str, may: str = PAGE) -> Finding:
    return Finding(
        rule="output.contract", problem=f"writer may not write {path!r}", repair=f"write only {may}", file=path
    )


NO_JSON = Finding(rule="json", problem="no JSON", repair="write JSON", file="raw/output")
BAD = [
    ("off schema", "not json", {}, (NO_JSON,)),
    ("a document outside", {"documents": {"state.yaml": "x"}}, {}, (outside("state.yaml"),)),
    ("a file outside", {}, {"state.yaml": "0"}, (outside("state.yaml"),)),
    ("several outside", {"documents": {"a": "x", PAGE: "p"}}, {"b": "0"}, (outside("a"), outside("b"))),
    ("a way up", {"documents": {f"../{PAGE}": "x"}}, {}, (outside(f"../{PAGE}"),)),
]


@pytest.mark.req("SP-1")
@pytest.mark.parametrize(("output", "files", "findings"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_an_output_that_breaks_its_contract_is_told_why_and_asked_for_once_more(
    kit: Kit, output: Any, files: dict[str, str], findings: tuple[Finding, ...]
) -> None:
    decision = kit.play(kit.returned(output, files=files, usage=usage(7)))
    again = writer(turn=TURN, attempt=2, pinned=(Ref(SPEC, sha("spec")),), told=findings)
    assert decision.commands == (again,)
    assert decision.refused == findings
    assert decision.applied
    assert not kit.seen
    assert kit.state.docs == {SPEC: sha("spec")}
    assert kit.state.turns == {TURN: OpenTurn(start=again, invalid=1)}
    assert kit.state.spend == Spend(turns=2, tokens=7)


@pytest.mark.req("SP-1")
@pytest.mark.parametrize(("output", "findings"), [row[1::2] for row in BAD if not row[2]])
def test_a_second_bad_output_is_given_to_the_step_as_refused(
    kit: Kit, output: Any, findings: tuple[Finding, ...]
) -> None:
    kit.play(kit.returned("not json"))
    decision = kit.play(kit.returned(output, attempt=2), Finish(reason="failed"), own="ended")
    now = kit.step
    assert now.refused == findings
    assert now.output is None
    assert now.turn is not None
    assert now.turn.start.attempt == 2
    assert decision.refused == findings
    assert decision.applied
    assert (kit.state.turns, kit.state.stop, kit.state.own) == ({}, "failed", "ended")
    assert kit.state.docs == {SPEC: sha("spec")}


def test_how_many_bad_outputs_there_may_be_is_the_turns_own_limit() -> None:
    kit = Kit()
    kit.begin(writer(limits=TurnLimits(invalid=3)))
    for attempt in (1, 2):
        kit.play(kit.returned("no", attempt=attempt))
        assert not kit.seen
    kit.play(kit.returned("no", attempt=3))
    assert kit.step.refused
    once = Kit()
    once.begin(writer(limits=TurnLimits(invalid=1)))
    once.play(once.returned("no"))
    assert once.step.refused


WRITES = [
    ("page.md", ("page.md",), True),
    ("page.md", ("other.md", "page.md"), True),
    ("out/a.md", ("out/*.md",), True),
    ("out/deep/a.md", ("out/*",), True),
    ("PAGE.md", ("page.md",), False),
    ("page.md", (), False),
    ("out/a.txt", ("out/*.md",), False),
    ("out/a.txt", ("out/*.md", "page.md"), False),
    ("out/../state.yaml", ("out/*",), False),
    ("out/..", ("out/*",), False),
    ("../out/a.md", ("*",), False),
    ("out/..a.md", ("out/*",), False),  # no way upwards, but hidden: a wildcard reaches no such name
    ("out/a..b.md", ("out/*",), True),
]


@pytest.mark.parametrize(("path", "patterns", "allowed"), WRITES)
def test_an_agent_writes_where_its_contract_says_and_never_upwards(
    path: str, patterns: tuple[str, ...], allowed: bool
) -> None:
    kit = Kit()
    kit.begin(writer(writes=patterns))
    decision = kit.play(kit.returned({"documents": {path: "x"}}))
    expected = () if allowed else (outside(path, ", ".join(patterns) or "nothing"),)
    assert decision.refused == expected


def test_the_contracts_own_check_sees_the_closed_state_and_refuses_by_its_findings() -> None:
    wrong = Finding(rule="authority", problem="not yours", repair="leave it")
    shown: list[Any] = []

    def check(now: Any, output: Any) -> list[Finding]:
        shown.append((now.state.turns, now.state.docs, output, now.turn is not None))
        return [wrong]

    kit = Kit(check=check)
    kit.begin(writer())
    decision = kit.play(kit.returned(GOOD, files={PAGE: sha("p")}))
    assert shown == [({}, {SPEC: sha("spec"), PAGE: sha("p")}, GOOD, True)]
    assert decision.refused == (wrong,)
    assert not kit.seen
    assert kit.state.turns[TURN].start.told == (wrong,)


def test_a_check_is_not_asked_about_what_the_contract_refuses_already() -> None:
    kit = Kit(check=lambda _now, _output: pytest.fail("asked"))
    kit.begin(writer())
    kit.play(kit.returned("no"))
    assert kit.play(kit.returned({"documents": {"else": ""}}, attempt=2)).refused


# --- crashes ---------------------------------------------------------------------------------------------------------

CRASHED = Finding(rule="turn.failed", problem="the turn failed (crash): killed", repair="try it again")


def test_a_turn_that_crashed_is_tried_again_until_its_limit(kit: Kit) -> None:
    for attempt in (1, 2):
        decision = kit.play(kit.failed(attempt=attempt, usage=usage(7)))
        again = writer(turn=TURN, attempt=attempt + 1, pinned=(Ref(SPEC, sha("spec")),), told=(CRASHED,))
        assert decision.commands == (again,)
        assert decision.refused == (CRASHED,)
        assert not kit.seen
        assert kit.state.turns == {TURN: OpenTurn(start=again, crashed=attempt)}
    event = kit.failed(attempt=3, usage=usage(7))
    decision = kit.play(event, Finish(reason="failed"))
    now = kit.step
    assert now.turn is not None
    assert (now.refused, now.event, now.turn.crashed, now.state.turns) == ((CRASHED,), event, 3, {})
    assert now.look is kit.shelf
    assert decision.refused == (CRASHED,)
    assert (kit.state.turns, kit.state.stop) == ({}, "failed")
    assert kit.state.spend == Spend(turns=3, tokens=21)


def test_a_crash_with_calls_that_may_have_had_their_effect_is_never_repeated(kit: Kit) -> None:
    kit.play(kit.failed("mail-1", "mail-2"))
    uncertain = Finding(
        rule="turn.uncertain",
        problem="the turn ended (crash) with calls that may have had their effect: mail-1, mail-2",
        repair="find out what happened, then decide how to go on",
    )
    assert kit.step.refused == (uncertain,)
    assert kit.state.turns == {}


def test_a_crash_on_stale_documents_is_tried_again_on_the_current_ones(kit: Kit) -> None:
    kit.play(kit.edited(spec="other"))
    (start,) = kit.play(kit.failed()).commands
    assert isinstance(start, StartTurn)
    assert start.pinned == (Ref(SPEC, sha("other")),)
    assert kit.state.turns[TURN].crashed == 1


def test_bad_outputs_and_crashes_are_counted_apart(kit: Kit) -> None:
    kit.play(kit.failed())
    kit.play(kit.returned("no", attempt=2))
    kit.play(kit.failed(attempt=3))
    turn = kit.state.turns[TURN]
    assert (turn.invalid, turn.crashed, turn.start.attempt) == (1, 2, 4)


def test_another_turn_stays_out_while_one_is_tried_again(kit: Kit) -> None:
    kit.play(kit.edited(page="x"), writer("second", reads=()))
    other = kit.state.turns["0002-writer"]
    kit.play(kit.failed())
    assert list(kit.state.turns) == ["0002-writer", TURN]
    assert kit.state.turns["0002-writer"] == other
    assert kit.state.turns[TURN] == replace(
        kit.state.turns[TURN], start=replace(kit.state.turns[TURN].start, key="write", attempt=2)
    )
