"""Whole pieces of content on models: an orchestrator in one conversation, and orchestrators that cheat."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from content_kit import agent, behind, conducting, configure, in_turn, judged, notes, now, small
from model_kit import CLAUDE, GPT, lead, task
from small_content import NAME, ONE, TWO

from signoff.core.events import TurnReturned
from signoff.testing.stub import Asked, Call, Step, Stub, call, give, refuse
from signoff.workflows.content.workflow import WORKFLOW

BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
NAMED = (ONE, TWO)
PRAISE = [{"advisorId": ONE, "name": ONE, "round": 1, "score": 10, "pass": True, "issues": []}]


def conducted(stub: Stub) -> list[Asked]:
    return [asked for asked in stub.asked if agent(asked) == "orchestrator"]


# --- whole pieces -----------------------------------------------------------------------------------------------------


@pytest.mark.req("CP-1")
@BOTH
def test_an_orchestrating_model_brings_a_piece_to_its_end(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "model")
    with Stub(behind(case.root, NAME)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop, state.turns, case.piece.saved) == ("complete", {}, "approved")
    assert (case.root / f"content/{NAME}/content.md").read_text("utf-8")
    assert all(not illegal for _, illegal in case.calls())
    per_turn = Counter(task(asked)[0] for asked in stub.asked)
    assert {n for turn, n in per_turn.items() if not turn.endswith("orchestrator")} == {1}
    used = [event.usage for event in case.events if isinstance(event, TurnReturned)]
    assert all(usage.input_tokens and usage.cost for usage in used)
    assert state.spend.tokens == sum(usage.input_tokens + usage.output_tokens for usage in used)


@pytest.mark.req("CP-1")
@BOTH
def test_a_model_is_offered_the_tools_as_the_workflow_declares_them(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME)) as stub:
        lead(monkeypatch, stub)
        case.on_models(model)
    first, *others = conducted(stub)
    assert all(other.body["tools"] == first.body["tools"] for other in others)
    found = {name: (about, takes) for name, about, takes in map(_tool, first.body["tools"])}
    for tool in WORKFLOW.tools:
        about, takes = found[tool.name]
        assert (about, takes["properties"].keys()) == (tool.about, tool.takes["properties"].keys())
    assert found["save_content"][1]["properties"]["quality"]["enum"] == ["approved", "max-rounds-reached"]


def _tool(plain: Any) -> tuple[str, str, Any]:
    inner = plain.get("function", plain)
    return inner["name"], inner["description"], inner.get("parameters") or inner.get("input_schema")


# --- orchestrators that cheat -----------------------------------------------------------------------------------------

CHEATS: dict[str, tuple[list[Step], list[tuple[str, str]]]] = {
    "saves first": (
        [call("save_content", quality="approved")],
        [("save_content", "save_content is not legal now")],
    ),
    "approves by itself": (
        [call("approve_content", quality="approved")],
        [("approve_content", "approve_content is not a tool here")],
    ),
    "invents critiques": (
        [call("generate_draft"), call("run_critiques"), call("editor_decision", critiques=PRAISE)],
        [("editor_decision", "critiques is not what is stored")],
    ),
    "invents critiques before there are any": (
        [call("generate_draft"), call("editor_decision", critiques=PRAISE)],
        [("editor_decision", "editor_decision is not legal before these critics have judged")],
    ),
    "asks critics who are not assigned": (
        [call("generate_draft"), call("run_critiques", advisorIds=["a-friend"])],
        [("run_critiques", "advisorIds names no assigned critic")],
    ),
    "skips the summary": (
        [call("generate_draft"), call("run_critiques"), call("editor_decision"), call("revise_draft", brief="shorter")],
        [("revise_draft", "revise_draft is not legal before the round is summarized")],
    ),
    "decides and saves in one breath": (
        [
            call("generate_draft"),
            call("run_critiques"),
            Step(calls=(Call("editor_decision"), Call("save_content", {"quality": "approved"}))),
        ],
        [("save_content", "save_content is not legal")],
    ),
    "records another decision": (
        [
            call("generate_draft"),
            call("run_critiques"),
            call("editor_decision"),
            call("summarize_round", round=1, decision="approve"),
        ],
        [("summarize_round", "decision is not what is stored")],
    ),
    "gives arguments of the wrong kind": (
        [call("load_foundation_docs", docTypes=7), call("generate_draft", ideaId={"$ne": ""})],
        [("load_foundation_docs", "docTypes is 7"), ("generate_draft", "ideaId is {")],
    ),
    "invents an argument": (
        [call("generate_draft", quality="approved")],
        [("generate_draft", "generate_draft takes no quality")],
    ),
}


@pytest.mark.req("CP-1")
@pytest.mark.parametrize("cheat", CHEATS)
def test_an_orchestrator_that_cheats_is_refused_and_gets_no_approval(
    cheat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, wanted = CHEATS[cheat]
    model = (CLAUDE, GPT)[len(cheat) % 2]
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, orchestrator=in_turn(steps, conducting), critic=judged(3, high=True))) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    refused = [(tool, illegal) for tool, illegal in case.calls() if illegal]
    assert len(refused) == len(wanted), refused
    for (tool, illegal), (wanted_tool, says) in zip(refused, wanted, strict=True):
        assert (tool, illegal.startswith(says)) == (wanted_tool, True), illegal
    assert (state.stop, case.piece.saved) == ("max-rounds-reached", "max-rounds-reached")
    assert all(one.decision and one.decision.verdict == "revise" and one.recorded for one in case.piece.rounds)
    assert len(case.piece.rounds) == case.piece.most_rounds
    told = [asked.text for asked in conducted(stub)]
    assert any("Refused: " in text or "Unknown tool name" in text for text in told)


@pytest.mark.req("CP-1")
@BOTH
def test_an_orchestrator_that_ends_its_turn_early_is_told_to_go_on_and_once_more_is_put_to_a_person(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = give({"status": "saved", "notes": "It is approved."})
    case = small(tmp_path / "once")
    with Stub(behind(case.root, NAME, orchestrator=in_turn([call("generate_draft"), ends], conducting))) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(model).stop == "complete"
    again = next(asked for asked in conducted(stub) if task(asked)[1] == 2)
    assert "the content is not saved" in again.text
    assert Counter(agent(asked) for asked in stub.asked)["author"] == 1 + case.piece.revisions
    worse = small(tmp_path / "twice")
    with Stub(behind(worse.root, NAME, orchestrator=in_turn([ends, ends], conducting))) as stub:
        lead(monkeypatch, stub)
        state = worse.on_models(model)
    assert (state.stop, worse.piece.saved, [ask.kind for ask in state.requests.values()]) == (
        "escalated", "", ["escalation"],
    )  # fmt: skip
    assert not (worse.root / f"content/{NAME}").exists()


@pytest.mark.req("CP-6")
def test_two_calls_at_once_are_two_calls_and_start_their_work_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Step(calls=(Call("generate_draft"), Call("generate_draft")))
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, orchestrator=in_turn([both], conducting), critic=judged(9))) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(CLAUDE).stop == "complete"
    drafts = [reply.result for called, reply in case.replied.values() if called.tool == "generate_draft"]
    assert len(drafts) == 2
    assert drafts[0] == drafts[1]
    assert Counter(agent(asked) for asked in stub.asked)["author"] == 1


# --- critics that cannot be chosen, or cannot speak -------------------------------------------------------------------


@pytest.mark.req("CP-3")
@BOTH
@pytest.mark.parametrize(
    "fails",
    [refuse(429, times=None), give("nobody, I think"), give({"advisorIds": ["a-stranger"]})],
    ids=["busy", "unparsable", "stranger"],
)
def test_where_the_selection_fails_the_named_critics_stand_alone(
    fails: Step, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, critic_selector=lambda _: fails, critic=judged(9))) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
    assert (state.stop, case.piece.critics) == ("complete", NAMED)
    assert any("no further critics were selected" in said for said in case.piece.warnings)
    assert sum(agent(asked) == "critic" for asked in stub.asked) == len(NAMED)


@pytest.mark.req("CP-4")
def test_one_critic_that_fails_is_left_out_and_the_round_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def critic(asked: Asked) -> Step:
        return refuse(429) if notes(asked)["advisor"]["id"] == ONE else judged(8)(asked)

    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, critic=critic)) as stub:
        lead(monkeypatch, stub)
        assert case.on_models(GPT).stop == "complete"
    [first, *_] = case.piece.rounds
    assert first.by(ONE).error
    assert (first.decision.verdict, first.decision.average) == ("approve", 8.0)


@pytest.mark.req("CP-4")
@BOTH
@pytest.mark.parametrize("fails", [refuse(429), give("{")], ids=["busy", "malformed"])
def test_when_all_critics_fail_a_person_is_asked_and_retry_goes_on(
    fails: Step, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "p")
    with Stub(behind(case.root, NAME, critic=lambda _: fails)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
        assert (state.stop, [ask.options for ask in state.requests.values()]) == (None, [("retry", "stop")])
        assert "every critic failed twice" in case.piece.blocked
        assert (case.piece.saved, case.piece.rounds[0].decision) == ("", None)
        assert state.turns == {}, "the orchestrator has ended its turn and waits with everybody else"
        asked = len(stub.asked)
        assert len(case.on_models(model).requests) == 1
        assert len(stub.asked) == asked, "nothing is asked of anybody before the person has spoken"
    with Stub(behind(case.root, NAME, critic=judged(9))) as stub:
        lead(monkeypatch, stub)
        case.settle("blocked", "retry")
        state = case.on_models(model)
    assert (state.stop, case.piece.saved) == ("complete", "approved")
    assert {agent(asked) for asked in stub.asked} == {"orchestrator", "critic"}


# --- pauses -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("CP-11")
@BOTH
def test_a_paused_conversation_ends_is_paid_for_and_a_later_one_goes_on(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small(tmp_path / "p", "budget: {turns: 3}\n")
    with Stub(behind(case.root, NAME, critic=judged(9))) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(model)
        assert (state.stop, state.turns, [ask.key for ask in state.requests.values()]) == ("budget", {}, ["budget"])
        assert "the run is paused: end your turn now" in conducted(stub)[-1].text
        [paid] = [e for e in case.events if isinstance(e, TurnReturned) and e.turn.endswith("orchestrator")]
        assert paid.usage.output_tokens > 0
        assert len(state.parked) == len(case.piece.critics)
        early = len(stub.asked)
        configure(case.root, "budget: {turns: 60}\n")
        case.settle("budget", "resume")
        state = case.on_models(model)
    assert (state.stop, case.piece.saved) == ("complete", "approved")
    later = Counter(agent(asked) for asked in stub.asked[early:])
    assert later == {"critic": len(case.piece.critics), "orchestrator": later["orchestrator"]}
    turns = {task(asked)[0] for asked in conducted(stub)}
    assert len(turns) == 2, "the first turn has ended, another goes on from where the piece stands"
    began = next(asked for asked in conducted(stub) if task(asked)[0] == max(turns))
    assert "editor_decision" in now(began)["legal"]


def test_the_limit_of_requests_grows_with_the_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = small(tmp_path / "p")
    recipe = case.root / "recipes/small.yaml"
    recipe.write_text(recipe.read_text().replace("maxRevisionRounds: 1", "maxRevisionRounds: 3"))
    reads = [call("load_foundation_docs", docTypes=["strategy"])] * 45
    with Stub(behind(case.root, NAME, orchestrator=in_turn(reads, conducting), critic=judged(9))) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(GPT)
    assert (state.stop, {task(asked)[1] for asked in conducted(stub)}) == ("complete", {1})
    assert len(conducted(stub)) > 45
