"""The turn protocol, requests, budgets and limits, as a host or a careless person would use them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from page_project import (
    CN,
    CONFIG,
    EN,
    PERSON,
    RONDO,
    TARN,
    Case,
    edit,
    files,
    journal,
    lay_out,
    opened,
    put,
    raws,
    text,
)

from signoff.artifacts import yamlio
from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import RefusedError, SignoffError, UsageError
from signoff.service import runs
from signoff.service.people import Actor, Via
from signoff.shell.run.live_run import LiveRun
from signoff.workflows.solution_page.assembler import ASSEMBLER

BOTH_GATES = "human_gates: {strategy_approval: true, final_approval: true}\n"
FINAL_GATE = "human_gates: {final_approval: true}\n"
REPORT = "_workflow/escalation-report.md"


PRICED = ("_workflow/turns/", "_workflow/journal.jsonl", "_workflow/status.json")
"""Where a turn by hand differs from one of a runtime: nobody knows what it cost."""


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay_out(tmp_path_factory.mktemp("complete") / "page")
    assert Case(root).run().stop == "complete"
    return root


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both drafts wait for a person."""
    root = lay_out(tmp_path_factory.mktemp("waiting") / "page", config=FINAL_GATE)
    assert list(Case(root).run().requests) == ["final-1"]
    return root


@pytest.fixture
def asked(waiting: Path, tmp_path: Path) -> Case:
    return Case(Path(shutil.copytree(waiting, tmp_path / "page")))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    case = Case(lay_out(tmp_path / "page"))
    case.begin()
    return case


def nothing_moves(case: Case) -> tuple[bytes, dict[str, str]]:
    return journal(case.root), files(case.root)


# --- turns ------------------------------------------------------------------------------------------------------------


def test_an_output_submitted_twice_counts_once(case: Case) -> None:
    start, raw = case.output()
    assert case.submit(start.turn, 1, raw) == ()
    before = nothing_moves(case)
    assert case.submit(start.turn, 1, raw) == ()
    assert nothing_moves(case) == before


def test_another_output_for_a_settled_turn_is_refused_and_written_nowhere(case: Case) -> None:
    start, raw = case.output()
    case.submit(start.turn, 1, raw)
    before = nothing_moves(case)
    (found,) = case.submit(start.turn, 1, raw + "# better\n")
    assert (found.rule, found.problem) == (
        "turn.closed",
        "turn 0001-strategist is not open at this attempt, and has another output",
    )
    assert nothing_moves(case) == before


def test_a_late_attempt_is_refused_once_the_next_one_is_out(case: Case) -> None:
    start, raw = case.output()
    case.submit(start.turn, 1, "nonsense")
    before = nothing_moves(case)
    assert case.submit(start.turn, 1, raw)[0].rule == "turn.closed"
    assert case.submit(start.turn, 3, raw)[0].rule == "turn.closed"
    assert nothing_moves(case) == before
    assert case.submit(start.turn, 2, raw) == ()


@pytest.mark.parametrize(
    "turn", ["0002-copywriter", "0001-editor", "1-strategist", "", "../..", "0001-../x", "a\0b", "x" * 5000, "\ud800"]
)  # fmt: skip
def test_an_output_for_a_turn_that_never_was_is_refused_by_name(case: Case, turn: str) -> None:
    before = nothing_moves(case)
    (found,) = case.submit(turn, 1, "anything")
    assert (found.rule, found.repair) == ("turn.unknown", "ask what is open now")
    assert nothing_moves(case) == before


def test_an_output_that_reached_the_disk_first_is_the_one_that_counts(case: Case) -> None:
    """A process died between keeping an output and looking at it; somebody submits another one."""
    start, raw = case.output()
    put(case.root, f"_workflow/turns/{start.turn}/raw-1.txt", raw)
    (found,) = case.submit(start.turn, 1, raw + "# other\n")
    assert "which came first" in found.problem
    assert case.drive().stop == "complete"
    assert text(case.root, f"_workflow/turns/{start.turn}/raw-1.txt") == raw


def test_turns_by_hand_give_the_same_documents_as_a_runtime(complete: Path, case: Case) -> None:
    assert case.play(5).stop == "complete"
    assert files(case.root, *PRICED) == files(complete, *PRICED)


@pytest.mark.req("SP-2")
def test_an_agent_that_crashes_every_time_ends_in_a_question_not_in_a_loop(case: Case) -> None:
    asked: list[int] = []

    def crashing(assignment: Assignment, _tools: Tools) -> str:
        asked.append(assignment.start.attempt)
        raise RuntimeError("out of memory")

    state = case.drive({"strategist": crashing})
    assert (state.stop, asked) == ("escalated", [1, 2, 3])
    assert "RuntimeError): out of memory" in state.own.blockers[0]


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "act", "payload", "said"),
    [
        ("final", "bless", {}, "'bless' is no answer to it. Repair: use one of approve, reject"),
        ("final", "resume", {}, "'resume' is no answer to it"),
        ("strategy", "approve", {}, "nothing waits under 'strategy'. Valid: final (approve or reject)"),
        ("", "approve", {}, "nothing waits under ''"),
        ("final-9", "approve", {}, "nothing waits under 'final-9'"),
        ("final", "reject", {"reason": "no", "lang": "fr"}, "there is no draft in 'fr'. Valid: en, cn"),
    ],
)  # fmt: skip
def test_an_answer_to_nothing_or_with_no_meaning_says_what_waits(
    asked: Case, key: str, act: str, payload: dict[str, str], said: str
) -> None:
    before = journal(asked.root)
    with pytest.raises((UsageError, RefusedError)) as caught:
        asked.answer(key, act, **payload)
    assert said in str(caught.value)
    assert journal(asked.root) == before


@pytest.mark.req("SP-4")
def test_a_second_answer_finds_nothing_to_answer(asked: Case) -> None:
    asked.answer("final-1", "approve")
    before = journal(asked.root)
    for act in ("approve", "reject"):
        with pytest.raises(UsageError, match=r"nothing waits under 'final-1'\. Valid: nothing waits for a person"):
            asked.answer("final-1", act, reason="second thoughts")
    assert journal(asked.root) == before


@pytest.mark.req("SP-4")
def test_of_two_people_who_answer_at_once_the_first_counts(asked: Case) -> None:
    async def both(live: LiveRun) -> list[object]:
        import asyncio

        other = await opened(asked.root).open(RONDO)
        acts = (
            runs.answer(live, "final", "approve", PERSON, {}),
            runs.answer(other, "final", "reject", Actor(Via.NAMED, "bob"), {"reason": "no"}),
        )
        return list(await asyncio.gather(*acts, return_exceptions=True))

    said = asked.go(both)
    assert sum(isinstance(one, SignoffError) for one in said) == 1
    assert sum('"answered"' in line for line in journal(asked.root).decode().splitlines()) == 1


@pytest.mark.req("SP-3")
def test_a_rejected_strategy_goes_back_with_the_reason_in_the_brief(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config=BOTH_GATES))
    case.run()
    state = case.answer("strategy", "reject", reason="Speak to integrators,\nnot to buyers")
    assert (state.own.step, state.own.strategy_approved) == ("strategy", "false")
    state = case.drive()
    assert '"rejected": "Speak to integrators,\\nnot to buyers"' in text(
        case.root, "_workflow/turns/0002-strategist/brief-1.md"
    )
    assert list(state.requests) == ["strategy-2"]
    case.answer("strategy", "approve")
    assert list(case.drive().requests) == ["final-3"]
    assert case.state.own.approvals[0].by == PERSON.by


def _obliging(assignment: Assignment, tools: Tools) -> str:
    """A copywriter that changes something when a person says no; one that does not is put to the person."""
    output = yamlio.load_mapping(ASSEMBLER["copywriter"](assignment, tools), "")
    output["documents"] = {path: text.replace("# ", "#  ", 1) for path, text in output["documents"].items()}
    return json.dumps(output)


@pytest.mark.req("SP-3")
@pytest.mark.parametrize(("given", "lang"), [({}, "en"), ({"lang": "cn"}, "cn"), ({"lang": "en"}, "en")])
def test_a_final_rejection_costs_an_iteration_of_its_language_and_asks_again(
    asked: Case, given: dict[str, str], lang: str
) -> None:
    state = asked.answer("final", "reject", reason="too long", **given)
    assert (state.own.step, state.own.final_approved) == (f"draft_{lang}", "false")
    assert state.own.counts == {"en": 0, "cn": 0, lang: 1}
    turns = len(raws(asked.root))
    state = asked.drive({"copywriter": _obliging})
    brief = next((asked.root / "_workflow/turns").glob(f"{turns + 1:04d}-*/brief-1.md"))
    assert "a person rejected this: too long" in brief.read_text("utf-8")
    assert list(state.requests) == ["final-2"]
    assert len(raws(asked.root)) == turns + (4 if lang == "en" else 2)


@pytest.mark.req("SP-3", "SP-5")
@pytest.mark.parametrize("lang", ["en", "cn"])
def test_a_final_rejection_at_the_limit_escalates(tmp_path: Path, lang: str) -> None:
    case = Case(lay_out(tmp_path / "page", config=f"{FINAL_GATE}iteration_limits: {{en: 0, cn: 0}}\n"))
    case.run()
    state = case.answer("final", "reject", reason="not yet", lang=lang)
    assert (state.stop, state.own.escalation_reason) == ("escalated", "iteration_limit")
    assert state.own.counts == {"en": 0, "cn": 0}
    assert f"rejected by {PERSON.by}: not yet" in text(case.root, REPORT)
    state = case.answer("escalation", "resume")
    assert state.own.step == f"review_{lang}"


@pytest.mark.req("SP-3")
def test_a_gate_that_nobody_asked_for_reads_skipped_and_a_flag_asks_for_it(tmp_path: Path, complete: Path) -> None:
    assert "strategy_approved: skipped\n  final_approved: skipped" in text(complete, "_workflow/state.yaml")
    case = Case(lay_out(tmp_path / "page"))
    assert list(case.run(require_strategy_approval=True).requests) == ["strategy-1"]


# --- escalation -------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2", "SP-5")
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_the_limit_of_the_config_is_the_limit_and_the_report_has_a_row_for_each_attempt(
    tmp_path: Path, limit: int
) -> None:
    case = Case(lay_out(tmp_path / "page", TARN, f"iteration_limits: {{en: {limit}}}\n"), TARN)
    state = case.run()
    assert (state.own.escalation_reason, state.own.counts["en"]) == ("iteration_limit", limit)
    report = text(case.root, REPORT)
    rows = [line for line in report.splitlines() if line.startswith("| ") and "editor-qa" in line]
    assert [int(row.split("|")[1]) for row in rows] == list(range(limit + 1))
    assert "C-TEG-" in report.split("## Remaining blockers")[1]
    assert f"signoff resume {TARN}" in report
    assert not (case.root / "4-release").exists()


@pytest.mark.req("SP-5")
def test_resume_gives_a_fresh_allowance_and_keeps_the_attempts(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", TARN, "iteration_limits: {en: 1}\n"), TARN)
    before = case.run().own.attempts
    state = case.answer("escalation", "resume")
    assert (state.own.step, state.own.counts["en"], state.own.blockers) == ("review_en", 0, ())
    assert state.own.attempts[: len(before)] == before
    assert not (case.root / REPORT).exists()
    state = case.drive()
    assert (state.stop, state.own.counts["en"]) == ("escalated", 1)
    assert state.own.attempts[: len(before)] == before
    assert len(state.own.attempts) > len(before) + 1


@pytest.mark.req("SP-2")
def test_no_revisions_for_chinese_escalates_at_the_first_failing_review(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config="iteration_limits: {en: 3, cn: 0}\n"))
    case.begin()
    case.play(3)

    def broken(assignment: Assignment, tools: Tools) -> str:
        output = yamlio.load_mapping(ASSEMBLER["copywriter"](assignment, tools), "")
        output["documents"][CN] = output["documents"][CN].replace("<!-- claim_id: C-RS-001 -->", "")
        return json.dumps(output)

    state = case.drive({"copywriter": broken})
    assert (state.stop, state.own.resume_to, state.own.counts) == ("escalated", "review_cn", {"en": 0, "cn": 0})


# --- budgets ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("SP-2")
def test_a_budget_stops_before_the_spend_and_goes_on_with_the_parked_turn_once_it_is_raised(
    complete: Path, tmp_path: Path
) -> None:
    case = Case(lay_out(tmp_path / "page", config="budget: {turns: 2}\n"))
    state = case.run()
    assert (state.stop, runs.exit_code(state), state.spend.turns) == ("budget", runs.BUDGET, 2)
    assert raws(case.root) == raws(complete)[:2]
    state = case.answer("budget", "resume")
    assert (state.stop, state.spend.turns, list(state.requests)) == ("budget", 2, ["budget-2"])
    assert "2 of 2 turns are used" in state.requests["budget-2"].question
    assert case.drive().stop == "budget"
    put(case.root, CONFIG, "budget: {turns: 60}\n")
    case.answer("budget", "resume")
    assert case.drive().stop == "complete"
    assert raws(case.root) == raws(complete), "no turn was lost, none was repeated"
    for path in (EN, CN, f"4-release/{RONDO}/content-cn.md"):
        assert text(case.root, path) == text(complete, path)


@pytest.mark.req("SP-2")
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_a_draft_edited_while_the_budget_is_used_up_is_reviewed_after_it_is_raised(tmp_path: Path, turns: int) -> None:
    """The parked turn was for the draft; the edit makes it needless, and what it says then is not taken."""
    case = Case(lay_out(tmp_path / "page", config=f"budget: {{turns: {turns}}}\n"))
    assert case.run().stop == "budget"
    mine = "# Mine\n" if turns == 1 else text(case.root, EN).replace("# ", "#  ", 1)
    put(case.root, EN, mine)
    case.refresh()
    put(case.root, CONFIG, "budget: {turns: 60}\n")
    case.answer("budget", "resume")
    state = case.drive()
    assert state.stop == "complete"
    assert turns == 1 or text(case.root, EN) == mine


@pytest.mark.req("SP-2")
def test_an_output_cannot_raise_a_limit_or_a_budget(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "page", config="budget: {turns: 1}\n"))
    case.begin()
    start, raw = case.output()
    output = yamlio.load_mapping(raw, "")
    output["documents"][CONFIG] = "budget: {turns: 1000}\n"
    assert case.submit(start.turn, 1, json.dumps(output))[0].rule == "output.contract"
    assert text(case.root, CONFIG) == "budget: {turns: 1}\n"
    assert case.state.stop == "budget", "the second attempt is a spend as well"


def test_exit_codes_say_how_a_run_stands(complete: Path, asked: Case) -> None:
    assert runs.exit_code(Case(complete).state) == runs.DONE
    assert runs.exit_code(asked.state) == runs.WAITING
    edit(asked.root, EN, "# ", "#  ")
    assert runs.exit_code(asked.refresh()) == runs.WAITING
