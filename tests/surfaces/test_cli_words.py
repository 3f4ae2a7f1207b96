"""Pure text: tables, trees, progress lines. Values in, lines out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from signoff.core.commands import Ask, StartTurn
from signoff.core.events import (
    Answered,
    Called,
    Checked,
    DocsChanged,
    Event,
    Gathered,
    Hit,
    Page,
    Started,
    Ticked,
    TurnFailed,
    TurnReturned,
)
from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.core.state import Ceiling, OpenTurn, Spend, State
from signoff.surfaces.cli import status_index
from signoff.surfaces.cli.terminal import formatting, progress
from signoff.surfaces.cli.terminal.progress import Board

WHEN: dict[str, Any] = {"id": "e", "at": "2026-01-01T00:00:00+00:00", "by": "person:Ada"}
BOARD = Board(run="lamp", workflow="solution-page", runtime="headless Claude Code", phase="draft_en")
BAD = Finding(rule="r", problem="p", repair="q")
MILD = Finding(rule="r", problem="p", repair="q", severity="warning")
TURN = StartTurn(key="draft_en", agent="copywriter", contract="copywriter", task="t", turn="0002-copywriter")
OUT = Ref("raw", "0" * 64)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  spaces", "two lines and spaces"),
        ("\x1b[31mred\x07", "�[31mred�"),
        ("right\u202eto left", "right�to left"),
        ("x" * 300, "x" * 199 + "…"),
        (12, "12"),
    ],
)
def test_text_from_files_cannot_move_the_cursor_or_fill_the_screen(given: object, shown: str) -> None:
    assert formatting.clean(given) == shown


def test_a_table_is_aligned_by_the_columns_of_the_terminal_chinese_included() -> None:
    assert formatting.table(("A", "B"), [("页", "x"), ("abc", "y")]) == ["A    B", "页   x", "abc  y"]


@pytest.mark.parametrize(
    ("options", "commands"),
    [
        (("approve", "reject"), ["signoff approve lamp --gate final", 'signoff reject lamp --gate final --reason "…"']),
        (("resume",), ["signoff resume lamp"]),
        (("more", "done"), ["signoff choose lamp more", "signoff choose lamp done"]),
        (("more", "resume"), ["signoff choose lamp more", "signoff resume lamp"]),
    ],
)
def test_every_request_comes_with_the_exact_commands(options: tuple[str, ...], commands: list[str]) -> None:
    request = {"key": "final", "options": options}
    assert formatting.answers("lamp", request) == commands
    assert formatting.answers("lamp", request, "/a b") == [f"{line} --project '/a b'" for line in commands]


def test_each_choice_comes_with_what_it_does_and_questions_with_the_command_that_asks_them() -> None:
    request = {"key": "gate", "options": ["more", "done"], "about": {"more": "Asks\x1b once more."}, "questions": True}
    assert formatting.answers("lamp", request, "/p") == [
        "signoff answer lamp --project /p  # answer the questions one by one",
        "signoff choose lamp more --project /p  # Asks� once more.",
        "signoff choose lamp done --project /p",
    ]


def test_nothing_is_chosen_in_an_approval() -> None:
    request = {"key": "final", "kind": "approval", "options": ["approve", "waive"]}
    assert formatting.answers("lamp", request) == ["signoff approve lamp --gate final"]


def _asks(request: str, key: str, *options: str, kind: str = "choice") -> dict[str, Any]:
    return {"request": request, "key": key, "kind": kind, "options": list(options)}


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (_asks("b-2", "b", "stop"), ""),
        (_asks("b-2", "b", "more", kind="approval"), ""),
        (_asks("b-2", "b", "more"), " --request a"),
        (_asks("a-2", "a", "more"), " --request a-1"),
    ],
)
def test_a_choice_names_its_request_only_where_another_one_has_the_same_option(
    other: dict[str, Any], named: str
) -> None:
    request = _asks("a-1", "a", "more")
    assert formatting.answers("lamp", request, among=[request, other]) == [f"signoff choose lamp more{named}"]


@pytest.mark.req("CL-12")
def test_a_tree_shows_what_is_below_to_any_depth() -> None:
    found = {
        "from": {"id": "Metrics Q2", "text": "revenue?"},
        "empty": [],
        "led_to": [
            {
                "id": "R1.1",
                "text": "which month",
                "answer": "May",
                "led_to": [
                    {
                        "id": "R1.1a",
                        "text": "and before?",
                        "led_to": [{"id": "D4", "text": "May on", "status": "resolved"}],
                    }
                ],
            },
            {"id": "D1", "text": "gross"},
        ],
        "asked": {"by": "person:Ada", "at": "noon"},
    }
    assert formatting.tree("Q1: What is revenue?", found) == [
        "Q1: What is revenue?",
        "├─ from: Metrics Q2: revenue?",
        "├─ led to",
        "│  ├─ R1.1: which month",
        "│  │  ├─ answer: May",
        "│  │  └─ led to",
        "│  │     └─ R1.1a: and before?",
        "│  │        └─ led to",
        "│  │           └─ D4: May on",
        "│  │              └─ status: resolved",
        "│  └─ D1: gross",
        "└─ asked",
        "   ├─ by: person:Ada",
        "   └─ at: noon",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        (" \n", []),
        ("one", ["  one"]),
        ("one\r\n\n\ttwo\x1b  ", ["  one", "", "      two�"]),
    ],
)
def test_a_paragraph_keeps_its_lines_and_cannot_move_the_cursor(text: str, lines: list[str]) -> None:
    assert formatting.paragraph(text) == lines


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"total": 3, "answered": 3, "vague": 0, "open": 0, "must": []}, "lamp: 3 of 3 questions answered"),
        (
            {"total": 1, "answered": 0, "vague": 0, "open": 1, "must": ["Q1"]},
            "lamp: 0 of 1 question answered, 1 open; must be answered yet: Q1",
        ),
        (
            {"total": 4, "answered": 1, "vague": 2, "open": 1, "must": []},
            "lamp: 1 of 4 questions answered, 2 vague, 1 open",
        ),
    ],
)
def test_how_far_the_answers_are_is_one_line(counts: dict[str, Any], said: str) -> None:
    assert formatting.answered("lamp", counts) == said


def test_a_tree_leaves_out_what_is_empty() -> None:
    found = {"status": "verified", "none": None, "evidence": [{"described": "sheet.md, line 3", "sha256": "a" * 64}]}
    assert formatting.tree("C-L-001: a lamp", found) == [
        "C-L-001: a lamp",
        "├─ status: verified",
        "└─ evidence",
        f"   └─ sheet.md, line 3  sha256 {'a' * 12}",
    ]


HIT = Hit(url="0-sources/a.md")


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (Started(**WHEN, workflow="w", version=1, run="lamp", params={}, docs={"a": "1"}), ["begun with 1 document"]),
        (
            TurnReturned(**WHEN, turn="0002-copywriter", attempt=1, output=OUT),
            ["draft_en: copywriter returned 0002-copywriter"],
        ),
        (
            TurnFailed(**WHEN, turn="0002-copywriter", attempt=1, kind="timeout", detail="no output\x1b"),
            ["draft_en: copywriter failed in 0002-copywriter: timeout: no output�"],
        ),
        (
            Checked(**WHEN, check="structure-en-3", findings=(BAD, BAD, MILD), of={}),
            ["draft_en: gate structure-en failed with 2 findings (05ecc1d9)"],
        ),
        (Checked(**WHEN, check="structure-en-3", findings=(MILD,), of={}), []),
        (Gathered(**WHEN, gather="g-1"), ["draft_en: looked outside: nothing was wanted"]),
        (
            Gathered(**WHEN, gather="g-1", hits={"a": (HIT,), "b": (HIT,)}, problems={"c": "busy"}),
            ["draft_en: looked outside: 1 hit found, 1 problem"],
        ),
        (
            Gathered(**WHEN, gather="g-1", pages={"u": Page(path="p"), "v": Page(problem="404")}),
            ["draft_en: looked outside: 1 of 2 pages fetched, 1 problem"],
        ),
        (Answered(**WHEN, request="final-1", act="approve"), ["person:Ada: approve final-1"]),
        (DocsChanged(**WHEN, docs={"a.md": None, "b.md": "1"}), ["edited by a person: a.md, b.md"]),
        (Called(**WHEN, turn="t", call_id="1", tool="x", args={}), ["draft_en: t calls x"]),
        (Ticked(**WHEN, timer="t"), []),
    ],
)
def test_each_event_is_one_line_or_none(event: Event, lines: list[str]) -> None:
    assert progress.applied(BOARD, event, State(), {"phase": "draft_en"})[1] == lines


def test_a_refused_output_says_why_the_turn_is_out_again() -> None:
    again = OpenTurn(start=StartTurn(**{**_fields(TURN), "attempt": 2, "told": (BAD,)}))
    event = TurnReturned(**WHEN, turn=TURN.turn, attempt=1, output=OUT)
    _, lines = progress.applied(BOARD, event, State(turns={TURN.turn: again}), {})
    assert lines == ["draft_en: copywriter returned 0002-copywriter, refused with 1 finding: r: p. Repair: q"]


def _fields(start: StartTurn) -> dict[str, Any]:
    return {name: getattr(start, name) for name in start.__dataclass_fields__}


def test_a_request_and_the_end_are_said_once() -> None:
    ask = Ask(key="escalation", kind="escalation", options=("resume",), question="What now?", request="escalation-1")
    state = State(requests={"escalation-1": ask}, stop="escalated")
    event = Answered(**WHEN, request="x", act="y")
    board, lines = progress.applied(BOARD, event, state, {"phase": "escalated", "findings": 2})
    assert lines[1:] == ["waits for a person (escalation): What now?", "finished: escalated"]
    assert (board.phase, board.findings) == ("escalated", 2)
    assert progress.applied(board, event, state, {})[1] == lines[:1]


@pytest.mark.parametrize(
    ("notes", "attempt", "line"),
    [
        ({}, 1, "draft_en: copywriter starts 0002-copywriter"),
        ({"revision": 1}, 1, "draft_en: copywriter starts 0002-copywriter (round 2)"),
        ({"round": 2, "limit": 4}, 1, "draft_en: copywriter starts 0002-copywriter (round 2 of 4)"),
        ({"round": 2, "limit": 4}, 2, "draft_en: copywriter starts 0002-copywriter, attempt 2 (round 2 of 4)"),
    ],
)
def test_a_turn_says_its_round(notes: dict[str, Any], attempt: int, line: str) -> None:
    start = StartTurn(**{**_fields(TURN), "notes": notes, "attempt": attempt})
    assert progress.working(BOARD, start)[1] == [line]


def test_the_board_labels_the_work_of_the_offline_role_players() -> None:
    board, _ = progress.working(BOARD, StartTurn(**{**_fields(TURN), "notes": {"round": 2, "limit": 4}}))
    shown = dict(progress.rows(board, 12.4))
    assert shown["working"] == "copywriter (0002-copywriter), headless Claude Code"
    assert shown["round"] == "Round 2 of 4"
    assert shown["elapsed"] == "12 s"


@pytest.mark.parametrize(
    ("spend", "limits", "said"),
    [
        (Spend(), Ceiling(), "0 turns"),
        (Spend(turns=1, tokens=900, cost=Decimal("0.12")), Ceiling(), "1 turn, 900 tokens, 0.12 USD"),
        (Spend(turns=2, tokens=5, unpriced=1), Ceiling(), "2 turns, 5 tokens, price unknown"),
        (Spend(turns=1, cost=Decimal("1.2")), Ceiling(cost=Decimal(5)), "1 turn, 1.20 of 5.00 USD"),
        (Spend(turns=1, tokens=9), Ceiling(tokens=10), "1 turn, 9 of 10 tokens"),
        (Spend(turns=1, unpriced=1), Ceiling(cost=Decimal(5)), "1 turn, price unknown (limit 5.00 USD)"),
    ],
)
def test_spend_never_calls_an_unknown_price_nothing(spend: Spend, limits: Ceiling, said: str) -> None:
    assert progress.spent(spend, limits) == said


@pytest.mark.parametrize(
    ("cost", "said"),
    [("0", "0.00"), ("3.2", "3.20"), ("0.0041", "0.0041"), ("0.00001", "<0.0001"), ("12.34567", "12.3457")],
)
def test_money_has_its_cents_and_is_never_rounded_to_nothing(cost: str, said: str) -> None:
    assert formatting.usd(Decimal(cost)) == said


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"stop": "complete"}, "complete"),
        (
            {"stop": "complete", "stale": True, "requests": [{"key": "stale"}]},
            "complete; edited since, waits for a person: stale",
        ),
        ({"requests": [{"key": "final"}]}, "waits for a person: final"),
        ({"turns": [{"agent": "copywriter"}]}, "open: copywriter"),
        ({"next_agent": "editor-qa"}, "open: editor-qa"),
        ({"problem": "torn"}, "unreadable: torn"),
    ],
)
def test_where_a_run_stands_in_a_few_words(status: dict[str, Any], said: str) -> None:
    assert status_index.where_it_stands(status) == said


@pytest.mark.parametrize(
    ("argv", "asked"),
    [
        (["status"], status_index.Asked("status")),
        (["inbox", "pages", "--json"], status_index.Asked("inbox", "pages", None, True)),
        (["status", "--project", "p"], status_index.Asked("status", None, "p")),
        (["status", "--help"], None),
        (["status", "a", "b"], None),
        (["status", "--project"], None),
        (["run"], None),
        ([], status_index.Asked("next")),
    ],
)
def test_only_the_plain_forms_of_status_and_inbox_are_answered_without_typer(
    argv: list[str], asked: status_index.Asked | None
) -> None:
    assert status_index.parse(argv) == asked
