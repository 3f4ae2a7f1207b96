"""Agents that work side by side: in whatever order they finish, the work comes out the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import small_orchestration as small
import small_work as alphabet
from small_orchestration import ONE, TWO
from small_work import borne, work_of
from work_world import WorkWorld

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import StartTurn
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.work import session_archive

TACTICAL = "database_tactical"
BEGUN = datetime(2026, 1, 1, 12, tzinfo=UTC)
Policy = Mapping[str, str]
"""What is said the first time that a turn is out under a key; afterwards everybody does well."""


class _Together:
    """Two doers side by side, of whom one asks the architect and one fails its verification once."""

    def __init__(self, policy: Policy, at_once: int) -> None:
        self.policy = policy
        config = small.config(at_once=at_once)
        self.world = WorkWorld(doers=(ONE, TWO), well={"poc-recommendation": borne}, config=config)
        self.begun, self.explorer = self.world.played()

    def ends(self) -> Iterator[tuple[tuple[str, ...], State]]:
        """Every end there is, with the order of turns that led to it."""
        yield from self._on(self.begun, (), 1)

    def _on(self, state: State, path: tuple[str, ...], number: int) -> Iterator[tuple[tuple[str, ...], State]]:
        if state.stop:
            yield path, state
            return
        assert state.turns, f"{path}: nothing is out, and it is not the end"
        for turn in state.turns.values():
            said = self._said(state, turn.start, path)
            at = (BEGUN + timedelta(seconds=number)).isoformat()
            event = replace(self.explorer.returned(turn.start, said), at=at)
            after, _ = self.explorer.happen(state, event)
            yield from self._on(after, (*path, turn.start.key), number + 1)

    def _said(self, state: State, start: StartTurn, path: tuple[str, ...]) -> Any:
        label = self.policy.get(start.key, "good") if start.key not in path else "good"
        return alphabet.said(self.world.turn(state, start))[label]

    def outcome(self, state: State) -> Any:
        """All that is there at the end, times, turn numbers and the order of queues aside."""
        work = work_of(state)
        plain = replace(
            work,
            closed=tuple(sorted(work.closed, key=lambda case: case.agent)),
            refused=tuple(sorted(work.refused, key=repr)),
            noted=tuple(sorted(work.noted)),
            workers=dict(sorted(work.workers.items())),
            verifiers=dict(sorted(work.verifiers.items())),
        )
        texts = {path: self.explorer.shelf(Ref(path, sha), decode) for path, sha in sorted(state.docs.items())}
        texts[places.DECISIONS] = "\n".join(sorted(texts[places.DECISIONS].splitlines()))  # notes come as they come
        texts[session_archive.LOG] = re.sub(r"[0-9a-f]{64}", "OF A SESSION WITH ITS TIMES", texts[session_archive.LOG])
        docs = {_timeless(path): _timeless(text) for path, text in texts.items()}
        return _timeless(repr(plain)), docs, state.stop


def _timeless(text: str) -> str:
    for time, instead in _TIMES.items():
        text = re.sub(time, instead, text)
    return text


_TIMES = {
    r"(?<![0-9a-f])17672\d{5}(?![0-9a-f])": "0",
    r"\b\d{4}-\d\d-\d\d\b": "DATE",
    r"\b\d\d:\d\d UTC": "TIME",
    r"session_\d{8}_\d{4}_": "session_TIME_",
}


@pytest.mark.req("OR-17", "OR-20", "OR-23")
@pytest.mark.parametrize(
    ("policy", "least"),
    [
        ({}, 10),
        ({f"do-{ONE}": "asks technology", f"verify-{TWO}": "fail"}, 100),
        ({f"do-{ONE}": "asks technology", f"do-{TWO}": "asks technology"}, 20),
        ({f"do-{ONE}": "asks conflict", f"drive-{TWO}": "back to work"}, 100),
    ],
    ids=["both do well", "one asks and one fails", "both ask", "one is in conflict and one goes back"],
)
def test_in_whatever_order_two_agents_finish_the_work_comes_out_the_same(policy: Policy, least: int) -> None:
    together = _Together(policy, at_once=5)
    found: dict[str, tuple[str, ...]] = {}
    paths = 0
    for path, state in together.ends():
        paths += 1
        found.setdefault(repr(together.outcome(state)), path)
    assert paths >= least, f"only {paths} orders were tried"
    assert len(found) == 1, f"these orders differ: {[*found.values()][:2]}"


@pytest.mark.req("OR-17")
def test_how_many_may_be_at_work_at_once_changes_the_order_and_not_the_outcome() -> None:
    policy = {f"do-{ONE}": "asks technology", f"verify-{TWO}": "fail"}
    outcomes = set()
    for at_once in (1, 2, 5):
        together = _Together(policy, at_once)
        path, state = next(together.ends())
        assert {f"verify-{ONE}", f"verify-{TWO}", f"verify-{TACTICAL}"} <= {*path}
        told, docs, stop = together.outcome(state)
        kept = {name: text for name, text in docs.items() if not name.startswith("_workflow/")}
        outcomes.add(repr((told, kept, stop)))
    assert len(outcomes) == 1
