"""The work on a small design, told one event after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import small_work as alphabet
from small_orchestration import ONE
from small_work import borne, work_of
from work_world import WorkWorld

from signoff.core.events import Answered, DocsChanged, TurnFailed
from signoff.core.state import State
from signoff.testing.explorer import AT
from signoff.workflows.orchestration.state import own_of
from signoff.workflows.orchestration.work.progress import Work


class Walk:
    """The work on a small design, one event after the other."""

    def __init__(self, *doers: str, poc: bool = False, after: Mapping[str, str] | None = None) -> None:
        well = {} if poc else {"poc-recommendation": borne}
        self.world = WorkWorld(doers=doers or (ONE,), after=after or {}, well=well)
        self.state, self.explorer = self.world.played()

    @property
    def work(self) -> Work:
        return work_of(self.state)

    @property
    def out(self) -> list[str]:
        return sorted(turn.start.key for turn in self.state.turns.values())

    @property
    def asked(self) -> list[str]:
        return sorted(ask.key for ask in self.state.requests.values())

    def text(self, path: str) -> str:
        return self.world.text(self.state, path)

    def say(self, key: str, label: str = "good") -> State:
        """A turn comes back with one of the things that it may say."""
        turn = self.state.turn_of(key)
        assert turn is not None, f"{key} is not out: {self.out}"
        seen = self.world.turn(self.state, turn.start)
        given = alphabet.said(seen) if own_of(self.state).step == "execute" else alphabet.small.said(seen)
        self.state, _ = self.explorer.happen(self.state, self.explorer.returned(turn.start, given[label]))
        return self.state

    def well(self, *keys: str) -> None:
        for key in keys:
            self.say(key)

    def crash(self, key: str) -> None:
        """A turn dies, and nobody knows what it did."""
        turn = self.state.turn_of(key)
        assert turn is not None, f"{key} is not out: {self.out}"
        event = TurnFailed(
            id="x", at=AT, by="code", turn=turn.start.turn, attempt=turn.start.attempt, kind="crash",
            uncertain_calls=("call-1",),
        )  # fmt: skip
        self.state, _ = self.explorer.happen(self.state, event)

    def answer(self, key: str, act: str, **payload: Any) -> None:
        ask = self.state.request_of(key)
        assert ask is not None, f"{key} is not asked: {self.asked}"
        event = Answered(id="x", at=AT, by="person:ada", request=ask.request, act=act, payload=payload)
        self.state, [done, *_] = self.explorer.happen(self.state, event)
        assert done.applied, done.refused

    def edit(self, path: str, text: str | None) -> None:
        """A person's edit, or that a file is gone."""
        sha = None if text is None else self.explorer.shelf.put(text)
        self.state, _ = self.explorer.happen(self.state, DocsChanged(id="x", at=AT, by="person", docs={path: sha}))

    def finish(self) -> str | None:
        """Everybody does well from here on."""
        while self.state.turns:
            self.say(self.out[0])
        return self.state.stop
