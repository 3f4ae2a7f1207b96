"""A refused file, a pause for money, a fence: what went wrong once and must not again."""

from __future__ import annotations

from kernel_kit import AT, Kit, writer

from signoff.core.budget import Budget
from signoff.core.commands import Ask, Check, Wake


def test_files_of_an_output_that_was_refused_twice_do_not_enter_the_documents() -> None:
    kit = Kit()
    kit.begin(writer())
    kit.play(kit.returned({}, files={"state.yaml": "0"}))
    kit.play(kit.returned({}, files={"state.yaml": "0"}, attempt=2))
    assert "state.yaml" not in kit.state.docs


def test_a_pause_for_money_gives_up_neither_checks_nor_timers() -> None:
    kit = Kit(budget=Budget(turns=0))
    kit.begin(Check(key="links", gate="links", reads={}), Wake(timer="tea", at=AT), writer())
    assert kit.state.stop == "budget"
    assert list(kit.state.checks) == ["links-1"]
    assert list(kit.state.timers) == ["tea"]


def test_a_parked_retry_keeps_the_tries_it_had() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer())
    kit.play(kit.returned("no"))
    kit.budget = Budget()
    kit.play(kit.answered("budget-1", "resume"))
    assert kit.state.turns["0001-writer"].invalid == 1


def test_another_answer_does_not_end_a_pause_for_money() -> None:
    kit = Kit(budget=Budget(turns=1))
    kit.begin(writer(), Ask(key="f", kind="approval", options=("approve",), question="?"), writer("b"))
    kit.play(kit.answered("f-1", "approve"), writer("c"))
    assert list(kit.state.requests) == ["budget-2"]
    assert kit.state.stop == "budget"
