"""Forks: everything before turn N is reused, everything from N on is asked anew, and the origin stays as it is."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from model_kit import GPT, lead, players, task
from model_kit import Paged as OnModels
from page_project import edit, lay_out, put
from recorded_runs import (
    EXAMPLES,
    LOCKERS,
    RONDO,
    TARN,
    Case,
    files,
    forked,
    gone_on,
    hardware,
    lockers,
    number,
    opened,
    tree,
)

from signoff.core.errors import CorruptError, DocumentError, RefusedError, UsageError
from signoff.core.events import Answered
from signoff.testing.stub import Stub

EN = f"3-drafts/{RONDO}/content-en.md"
TURNS = ["0001-strategist", "0002-copywriter", "0003-editor-qa", "0004-copywriter", "0005-editor-qa"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hardware(tmp_path_factory.mktemp("page") / "project")[0]


@pytest.fixture(scope="module")
def inquiry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lockers(tmp_path_factory.mktemp("inquiry") / "project")[0]


# --- at every turn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(1, 6))
def test_a_page_forked_at_any_turn_asks_from_there_on_and_ends_alike(page: Path, at: int, tmp_path: Path) -> None:
    before = files(page)
    made = forked(page, RONDO, at, tmp_path / "fork")
    assert (made.turn, made.asked, list(made.reused)) == (TURNS[at - 1], (TURNS[at - 1],), TURNS[: at - 1])
    assert files(page) == before
    state, asked = gone_on(made.root, RONDO)
    assert (state.stop, asked) == ("complete", TURNS[at - 1 :])
    assert tree(made.root) == before


def test_an_escalated_page_forked_at_any_turn_escalates_alike(tmp_path: Path) -> None:
    root, run = EXAMPLES["escalating"](tmp_path / "project")
    turns = sorted(turn.name for turn in (root / "_workflow/turns").iterdir())
    for at, turn in enumerate(turns, 1):
        made = forked(root, run, at)
        assert made.root == tmp_path / f"project-fork-{at}"
        state, asked = gone_on(made.root, run)
        assert (state.stop, asked) == ("escalated", turns[at - 1 :])
        assert made.turn == turn
        assert tree(made.root) == files(root)
    assert run == TARN


def test_turns_that_were_out_at_once_are_open_again_and_those_below_are_not_asked(
    inquiry: Path, tmp_path: Path
) -> None:
    """Three researchers work at the same time: at the second, the first has its output already."""
    made = forked(inquiry, LOCKERS, 2, tmp_path / "fork")
    assert [number(turn) for turn in made.asked] == [2, 3]
    assert [number(turn) for turn in made.reused] == [1]
    origin = json.loads((made.root / f"_workflow/clarify/{LOCKERS}/fork.json").read_text())
    assert [number(name) for name in origin["taken_over"]] == [1]
    assert (origin["rev"], origin["turn"]) == (made.rev, made.turn)
    state, asked = gone_on(made.root, LOCKERS)
    assert sorted(map(number, asked)) == [2, 3, 4]
    assert state.requests
    questions = f"{LOCKERS}/context/clarifications.md"
    first = forked(inquiry, LOCKERS, 5)
    assert (made.root / questions).read_bytes() != b""
    assert "Q7" in (first.root / questions).read_text("utf-8")


@pytest.mark.parametrize("at", [4, 5, 7])
def test_an_inquiry_forked_after_a_sitting_has_the_answers_of_that_time(inquiry: Path, at: int, tmp_path: Path) -> None:
    made = forked(inquiry, LOCKERS, at, tmp_path / "fork")
    turns = sorted(turn.name for turn in (inquiry / f"_workflow/clarify/{LOCKERS}/turns").iterdir())
    state, asked = gone_on(made.root, LOCKERS)
    assert min(map(number, asked)) == at
    assert {number(turn) for turn in turns if number(turn) < at}.isdisjoint(map(number, asked))
    assert state.requests or state.stop


def test_the_journal_of_a_fork_is_the_beginning_of_the_other(page: Path, tmp_path: Path) -> None:
    made = forked(page, RONDO, 4, tmp_path / "fork")
    whole, begun = ((root / "_workflow/journal.jsonl").read_bytes() for root in (page, made.root))
    assert whole.startswith(begun)
    assert 0 < len(begun) < len(whole)
    later = [path for path in files(made.root) if "0004" in path or "0005" in path or path.startswith("4-release/")]
    assert later == []


def test_a_fork_of_a_fork(page: Path, tmp_path: Path) -> None:
    one = forked(page, RONDO, 4, tmp_path / "one")
    gone_on(one.root, RONDO)
    two = forked(one.root, RONDO, 2, tmp_path / "two")
    state, asked = gone_on(two.root, RONDO)
    assert (state.stop, asked) == ("complete", TURNS[1:])
    assert tree(two.root) == files(page)
    assert json.loads((two.root / "_workflow/fork.json").read_text())["project"] == "../one"


def test_a_turn_that_is_still_out_can_be_forked(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()
    case.play(2)
    made = forked(case.root, RONDO, "0003-editor-qa")
    assert gone_on(made.root, RONDO)[1] == TURNS[2:]
    assert case.state.turns.keys() == {"0003-editor-qa"}


# --- other models and prompts -----------------------------------------------------------------------------------------


def test_another_model_is_asked_for_the_turns_from_n_on_only(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = forked(page, RONDO, 3, tmp_path / "fork")
    case = OnModels(made.root)
    with Stub(players(made.root)) as stub:
        lead(monkeypatch, stub)
        state = case.on_models(GPT)
    assert state.stop == "complete"
    assert [task(asked) for asked in stub.asked] == [(turn, 1) for turn in TURNS[2:]]
    noted = [case.usage(turn).get("model") for turn in TURNS]
    assert noted == [None, None, GPT, GPT, GPT]


PROMPT = "---\nname: copywriter\ndescription: writes\nmodel: sonnet\nskills: []\n---\nWrite drily.\n"


def test_another_prompt_is_in_the_briefs_of_the_fork(page: Path, tmp_path: Path) -> None:
    put(tmp_path, "drier.md", PROMPT)
    made = forked(page, RONDO, 4, tmp_path / "fork", copywriter=tmp_path / "drier.md")
    gone_on(made.root, RONDO)
    briefs = [(made.root / f"_workflow/turns/{TURNS[at]}/brief-1.md").read_text("utf-8") for at in (1, 3)]
    assert ["Write drily." in brief for brief in briefs] == [False, True]


@pytest.mark.parametrize(
    ("agent", "text", "kind", "said"),
    [
        ("copywriter", PROMPT.replace("skills: []", "skills: [juggling]"), DocumentError, "juggling"),
        ("strategist", PROMPT, DocumentError, "calls itself 'copywriter'"),
        ("juggler", PROMPT, UsageError, "has no agent 'juggler'"),
        ("copywriter", None, UsageError, "there is no file"),
    ],
)
def test_a_prompt_that_is_not_one_leaves_no_fork(
    page: Path, tmp_path: Path, agent: str, text: str | None, kind: type[Exception], said: str
) -> None:
    if text is not None:
        put(tmp_path, "given.md", text)
    with pytest.raises(kind, match=said):
        forked(page, RONDO, 3, tmp_path / "fork", **{agent: tmp_path / "given.md"})
    assert [path.name for path in tmp_path.iterdir()] == (["given.md"] if text else [])


def test_the_projects_own_prompts_and_its_config_of_that_time_go_along(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "project", config="iteration_limits: {en: 1}\n")
    put(root, ".promptpack/agents/copywriter.md", PROMPT)
    Case(root).run()
    put(root, "_workflow/config.yaml", "iteration_limits: {en: 2}\n")
    Case(root).refresh()
    made = forked(root, RONDO, 3)
    assert (made.root / ".promptpack/agents/copywriter.md").read_text() == PROMPT
    assert (made.root / "_workflow/config.yaml").read_text() == "iteration_limits: {en: 1}\n"


# --- people -----------------------------------------------------------------------------------------------------------


def test_an_approval_before_n_is_reused_and_one_after_it_is_not(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.run(require_strategy_approval=True, require_final_approval=True)
    case.answer("strategy", "approve")
    case.drive()
    case.answer("final", "approve")
    assert case.drive().stop == "complete"
    made = forked(case.root, RONDO, 5)
    state, asked = gone_on(made.root, RONDO)
    assert asked == TURNS[4:]
    assert [ask.key for ask in state.requests.values()] == ["final"]
    acts = [event.request for event in Case(made.root).go(_events) if isinstance(event, Answered)]
    assert acts == ["strategy-1"]
    again = Case(made.root)
    again.answer("final", "approve")
    assert again.drive().stop == "complete"
    assert tree(made.root) == files(case.root)
    assert [ask.key for ask in gone_on(forked(case.root, RONDO, 1).root, RONDO)[0].requests.values()] == ["strategy"]


async def _events(live: object) -> list[object]:
    return list(live.events)  # type: ignore[attr-defined]


def test_a_persons_edit_is_in_the_forks_after_it_and_not_in_those_before(tmp_path: Path) -> None:
    case = Case(lay_out(tmp_path / "project"))
    case.begin()
    case.play(3)
    edit(case.root, EN, "\n## ", "\nA line of mine.\n\n## ")
    case.refresh()
    mine = (case.root / EN).read_bytes()
    case.drive()
    turns = sorted(turn.name for turn in (case.root / "_workflow/turns").iterdir())
    after = next(turn for turn in turns if number(turn) > 4)
    made = forked(case.root, RONDO, after)
    assert (made.root / EN).read_bytes() == mine
    assert b"A line of mine." not in (forked(case.root, RONDO, 3).root / EN).read_bytes()
    gone_on(made.root, RONDO)
    assert tree(made.root) == files(case.root)


def test_a_source_that_is_not_as_it_was_is_named(page: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(page, tmp_path / "project"))
    put(root, "0-sources/brief.md", "another\n")
    with pytest.raises(RefusedError, match=r"at revision 9 the run had sources whose bytes are gone: 0-sources/brief"):
        forked(root, RONDO, 3)
    (root / "_workflow/turns/0001-strategist/raw-1.txt").unlink()
    with pytest.raises(CorruptError, match=r"0001-strategist/raw-1\.txt is missing"):
        forked(root, RONDO, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["project"]


# --- where to ---------------------------------------------------------------------------------------------------------


def test_a_fork_goes_beside_the_project_and_writes_over_nothing(page: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(page, tmp_path / "project"))
    names = [forked(root, RONDO, 3).root.name for _ in range(2)]
    assert names == ["project-fork-3", "project-fork-3-2"]
    with pytest.raises(UsageError, match="is there already"):
        forked(root, RONDO, 3, tmp_path / "project-fork-3")


@pytest.mark.parametrize("at", ["0", "6", "0003-copywriter", "three", "-1", "٣", ""])
def test_a_turn_that_there_is_not_lists_those_there_are(page: Path, at: str) -> None:
    with pytest.raises(UsageError, match="0001-strategist, 0002-copywriter, 0003-editor-qa"):
        forked(page, RONDO, at)


def test_a_fork_can_be_replayed_and_says_where_it_came_from(page: Path, tmp_path: Path) -> None:
    import asyncio

    from signoff.service.recordings import replays

    made = forked(page, RONDO, 3, tmp_path / "fork")

    async def replayed() -> replays.Replayed:
        recorded = await replays.load(opened(made.root), RONDO)
        await replays.into(recorded, tmp_path / "again")
        return replays.replay(recorded)

    found = asyncio.run(replayed())
    assert found.forked is not None
    assert found.forked["turn"] == TURNS[2]
    assert found.differences == {}
    assert files(tmp_path / "again") == files(made.root)
    edit(made.root, "_workflow/fork.json", '"rev": 9', '"rev": 2')
    again = asyncio.run(replays.load(opened(made.root), RONDO))
    assert replays.replay(again).differences == {
        "_workflow/fork.json": "does not describe the journal up to revision 2"
    }
    edit(made.root, "_workflow/fork.json", '"rev": 2', '"rev": 1e999')
    with pytest.raises(CorruptError, match="is not what `signoff fork` writes"):
        replays.replay(again)
    put(made.root, "_workflow/fork.json", "{}")
    with pytest.raises(CorruptError, match="not what `signoff fork` writes"):
        replays.replay(again)
