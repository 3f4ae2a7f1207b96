"""The explorer looks outside as well: whatever may be found there happens."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shell"))
from gathering_kit import TOYS

import signoff.workflows
from signoff.core.commands import Gather
from signoff.core.events import Hit
from signoff.core.state import State
from signoff.evidence.sources.fetched_pages import PageText, render
from signoff.service import catalog
from signoff.testing.explorer import Alphabet, Explorer, Found, stuck

URL = "https://a.example/x"


@pytest.fixture(autouse=True)
def _with_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signoff.workflows, "__path__", [*signoff.workflows.__path__, str(TOYS)])


def finds(_state: State, gather: Gather) -> Iterator[tuple[str, Found]]:
    yield "nothing", Found()
    if gather.queries:
        yield "a hit", Found(hits={"q": (Hit(url=URL),)})
        yield "a refusal", Found(problems={"q": "busy"})
    else:
        yield "the page", Found(pages={URL: render(PageText(URL, "X", "text"))})


def outcomes(alphabet: Alphabet) -> tuple[set[str], dict[str, int]]:
    explorer = Explorer(catalog.workflow("gleaning"), alphabet, key=_key)
    wanted = json.dumps({"params": {}, "queries": ["q"], "urls": []})
    graph = explorer.explore({}, {"wanted.json": wanted})
    assert graph.complete
    assert not stuck(graph, lambda state: state.stop is not None)
    return {label for ways in graph.ways.values() for label, _ in ways}, dict(graph.commands)


def _key(state: State) -> object:
    open_ones = (*(turn.start.key for turn in state.turns.values()), *(gather.key for gather in state.gathers.values()))
    return json.dumps([state.own, sorted(open_ones), state.stop, sorted(state.docs.items())])


def outputs(_state: State, start: object) -> Iterator[tuple[str, str]]:
    yield "said", json.dumps({"queries": ["q"]} if getattr(start, "key", "") == "plan" else {})


def test_what_may_be_found_happens_and_pages_are_documents() -> None:
    labels, commands = outcomes(Alphabet(outputs=outputs, answers=lambda *_: (), failures=(), gathers=finds))
    assert labels >= {"search: nothing", "search: a hit", "search: a refusal", "fetch: nothing", "fetch: the page"}
    assert commands["Place"] == 1


def test_nothing_is_found_where_nothing_is_said() -> None:
    labels, commands = outcomes(Alphabet(outputs=outputs, answers=lambda *_: (), failures=()))
    assert labels == {"plan: said", "search: nothing", "fetch: nothing", "read: said"}
    assert "Place" not in commands
