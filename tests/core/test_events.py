"""Events survive the journal: what is written as JSON is read as the same event, to the last digit."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from signoff.core import events
from signoff.core.events import Event, Ticked, TurnFailed, TurnReturned, Usage, from_plain, to_plain
from signoff.core.findings import Finding
from signoff.core.refs import Ref

TEXT = st.text(max_size=12)
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
COUNT = st.integers(min_value=0, max_value=10**12)
COST = st.none() | st.decimals(min_value=0, max_value=10**6, allow_nan=False, allow_infinity=False, places=6)
REFS = st.builds(Ref, TEXT, TEXT)
USAGE = st.builds(
    Usage,
    input_tokens=COUNT,
    output_tokens=COUNT,
    cached_tokens=COUNT,
    cost=COST,
    seconds=st.floats(min_value=0, max_value=1e9),
)
FINDING = st.builds(
    Finding,
    rule=TEXT,
    problem=TEXT,
    repair=TEXT,
    file=TEXT,
    line=st.none() | st.integers(1, 10**6),
    about=TEXT,
    severity=st.sampled_from(("error", "warning", "overruled")),
)


def _event(kind: type, /, **fields: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, id=TEXT, at=TEXT, by=TEXT, **fields)


TEXTS = st.dictionaries(TEXT, TEXT, max_size=3)
HITS = st.dictionaries(
    TEXT, st.lists(st.builds(events.Hit, url=TEXT, title=TEXT, snippet=TEXT), max_size=3).map(tuple), max_size=3
)
PAGES = st.builds(events.Page, path=TEXT, sha256=TEXT, title=TEXT, problem=TEXT)
RAN = st.lists(st.builds(events.Ran, TEXT, st.none() | st.integers(-64, 255), TEXT), max_size=3).map(tuple)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    _event(
        events.Started,
        workflow=TEXT,
        version=COUNT,
        run=TEXT,
        params=st.dictionaries(TEXT, PLAIN, max_size=3),
        docs=TEXTS,
    ),
    _event(events.TurnReturned, turn=TEXT, attempt=COUNT, output=REFS, files=TEXTS, usage=USAGE, ran=RAN),
    _event(
        events.TurnFailed,
        turn=TEXT,
        attempt=COUNT,
        kind=TEXT,
        detail=TEXT,
        uncertain_calls=st.lists(TEXT, max_size=3).map(tuple),
        usage=USAGE,
    ),
    _event(events.TurnHeld, turn=TEXT, attempt=COUNT, why=TEXT),
    _event(events.Limited, tokens=st.none() | COUNT, cost=COST),
    _event(events.Called, turn=TEXT, call_id=TEXT, tool=TEXT, args=st.dictionaries(TEXT, PLAIN, max_size=3)),
    _event(events.Gathered, gather=TEXT, hits=HITS, pages=st.dictionaries(TEXT, PAGES, max_size=3), problems=TEXTS),
    _event(
        events.Checked,
        check=TEXT,
        findings=st.lists(FINDING, max_size=3).map(tuple),
        of=st.dictionaries(TEXT, REFS, max_size=3),
    ),
    _event(events.Answered, request=TEXT, act=TEXT, payload=st.dictionaries(TEXT, PLAIN, max_size=3), seen=TEXTS),
    _event(events.DocsChanged, docs=st.dictionaries(TEXT, st.none() | TEXT, max_size=3)),
    _event(events.Ticked, timer=TEXT),
    _event(events.Overruled, finding=FINDING, of=TEXTS, reason=TEXT, undo=st.booleans()),
)


@given(EVENTS)
def test_an_event_written_as_json_is_read_as_the_same_event(event: Event) -> None:
    again = from_plain(json.loads(json.dumps(to_plain(event))))
    assert again == event
    assert type(again) is type(event)


@given(EVENTS)
def test_writing_what_was_read_gives_the_same_bytes(event: Event) -> None:
    once = json.dumps(to_plain(event))
    assert json.dumps(to_plain(from_plain(json.loads(once)))) == once


def test_every_kind_of_event_is_in_the_property() -> None:
    assert set(Event.__args__) == {  # type: ignore[attr-defined]
        events.Started, events.TurnReturned, events.TurnFailed, events.TurnHeld, events.Limited, events.Called,
        events.Checked, events.Gathered, events.Answered, events.DocsChanged, events.Ticked, events.Overruled,
    }  # fmt: skip


def test_an_unknown_price_stays_unknown_and_a_known_one_exact() -> None:
    def back(cost: Decimal | None) -> Decimal | None:
        event = TurnReturned(id="", at="", by="", turn="t", attempt=1, output=Ref("p", "s"), usage=Usage(cost=cost))
        again = from_plain(json.loads(json.dumps(to_plain(event))))
        assert isinstance(again, TurnReturned)
        return again.usage.cost

    assert back(None) is None
    assert back(Decimal("0.10")) == Decimal("0.10")
    assert str(back(Decimal("0.10"))) == "0.10"


def test_a_journal_of_before_commands_were_told_loads() -> None:
    plain = to_plain(TurnReturned(id="e", at="t", by="a", turn="1", attempt=1, output=Ref("p", "s")))
    assert plain.pop("ran") == []
    known = from_plain(plain)
    assert isinstance(known, TurnReturned)
    assert known.ran == ()


@pytest.mark.parametrize("name", ["input_tokens", "output_tokens", "cached_tokens", "cost", "seconds"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), Decimal("sNaN"), Decimal("-Infinity"), 10**400, "x"])
def test_usage_that_cannot_be_is_refused_before_it_is_written(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} cannot be"):
        Usage(**{name: value})


@pytest.mark.parametrize("value", [1.5, True, None])
def test_tokens_are_whole_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="input_tokens cannot be"):
        Usage(input_tokens=value)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ({"cost": "NaN"}, Usage(input_tokens=7, cost=None, seconds=1.0)),
        ({"cost": "-5"}, Usage(input_tokens=7, cost=None, seconds=1.0)),
        ({"cost": 1e999}, Usage(input_tokens=7, cost=None, seconds=1.0)),
        ({"cost": [5]}, Usage(input_tokens=7, cost=None, seconds=1.0)),
        ({"cost": None}, Usage(input_tokens=7, cost=None, seconds=1.0)),
        ({"input_tokens": -7}, Usage(cost=None, seconds=1.0)),
        ({"input_tokens": "7"}, Usage(cost=None, seconds=1.0)),
        ({"seconds": float("inf")}, Usage(input_tokens=7, cost=None)),
        ({}, Usage(input_tokens=7, cost=Decimal("0.25"), seconds=1.0)),
    ],
)
def test_of_what_somebody_reports_the_impossible_is_unknown_and_the_rest_is_kept(
    said: dict[str, Any], known: Usage
) -> None:
    assert Usage.reported({"input_tokens": 7, "cost": "0.25", "seconds": 1.0, **said}) == known


def test_the_plain_form_is_json_data_that_names_its_type() -> None:
    assert to_plain(Ticked(id="e", at="t", by="code", timer="tea")) == {
        "id": "e", "at": "t", "by": "code", "type": "ticked", "timer": "tea",
    }  # fmt: skip
    failed = TurnFailed(id="e", at="t", by="code", turn="1", attempt=2, kind="crash", uncertain_calls=("a",))
    assert to_plain(failed)["uncertain_calls"] == ["a"]


@pytest.mark.parametrize("data", [{}, {"type": "launched"}, {"type": "ticked", "id": "e", "at": "t", "by": "c"}])
def test_what_is_no_event_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        from_plain(data)
