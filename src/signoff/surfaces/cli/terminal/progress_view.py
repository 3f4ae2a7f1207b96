"""Where progress goes: a live view on a terminal, plain lines in a pipe, nowhere when JSON was asked for."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol

from signoff import Command, Event, StartTurn, State
from signoff.service.types import Ceiling, Terms, language_of
from signoff.surfaces.cli.terminal import progress
from signoff.surfaces.cli.terminal.progress import Board, Told


class Screen(Protocol):
    """Takes the board as it is now and the lines that are new."""

    def show(self, board: Board, lines: list[str]) -> None: ...
    def close(self) -> None: ...


class Lines:
    """One line per thing that happened."""

    def show(self, _board: Board, lines: list[str]) -> None:
        for line in lines:
            print(line, flush=True)

    def close(self) -> None:
        """Nothing is kept open."""


class Silence:
    """For JSON: the result is all that is printed."""

    def show(self, board: Board, lines: list[str]) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        """Nothing is kept open."""


class LiveView:
    """The board at the bottom of the terminal, and above it what happened."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console
        from rich.live import Live

        self.clock, self.began = clock, clock()
        self.board: Board | None = None
        self.live = Live(self, console=Console(highlight=False), refresh_per_second=8, transient=True)
        self.live.start()

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for label, value in progress.rows(self.board, self.clock() - self.began) if self.board else ():
            grid.add_row(Text(label, style="dim"), Text(value))  # as text, so that nothing is taken for markup
        return grid

    def show(self, board: Board, lines: list[str]) -> None:
        self.board = board
        for line in lines:
            self.live.console.print(line, markup=False)

    def close(self) -> None:
        self.live.stop()


def screen(*, as_json: bool) -> Screen:
    """The one that fits where the output goes."""
    if as_json:
        return Silence()
    live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return LiveView() if live else Lines()


@dataclass(slots=True)
class Reporter:
    """Follows a run for a screen. `facts` is the workflow's own part of the status, `limits` what the run may use.

    Once it is closed, it only passes on notices: what a person does then, they see themselves.
    """

    board: Board
    screen: Screen
    facts: Callable[[State], Mapping[str, Any]] = field(default=lambda _state: {})
    limits: Callable[[State], Ceiling | None] = field(default=lambda _state: None)
    terms: Terms = field(default_factory=Terms)
    notices: list[str] = field(default_factory=list)
    opened: bool = False
    closed: bool = False

    def __enter__(self) -> Reporter:
        self.screen.show(self.board, [] if self.opened else [progress.opening(self.board)])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = True
        self.screen.close()

    def working(self, command: Command, _state: State) -> None:
        if isinstance(command, StartTurn):
            self._tell(progress.working(self.board, command))

    def applied(self, event: Event, state: State) -> None:
        language = language_of(state.params)
        facts, limits = self.facts(state), self.limits(state)
        board, lines = progress.applied(
            self.board, event, state, facts, limits, lambda text: self.terms.shown(text, language)
        )
        self._tell((board, [] if self.closed else lines))

    def heard(self, turn: str, characters: int) -> None:
        """How much of an answer has arrived, for a screen that shows the board as it is."""
        self.board = progress.heard(self.board, turn, characters)
        self.screen.show(self.board, [])

    def notice(self, text: str) -> None:
        self.notices.append(text)
        self._tell(progress.noticed(self.board, text))

    def _tell(self, told: Told) -> None:
        self.board, lines = told
        self.screen.show(self.board, lines)
