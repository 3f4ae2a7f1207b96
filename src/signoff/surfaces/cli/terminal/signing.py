"""Who acts at this command line, what they are shown of a request, and how they confirm a person's act."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signoff import APPROVE, Ask, RefusedError
from signoff.service import people, runs
from signoff.service.people import Actor, Via
from signoff.service.project import Run
from signoff.surfaces.cli.terminal.formatting import clean, clean_line
from signoff.surfaces.cli.terminal.keyboard import at_terminal


def here() -> Actor:
    """Who acts at this command line; the service decides what they may do."""
    named = clean(os.environ.get(people.PERSON, "")).strip()
    return people.of_process(os.environ, named=named, user=getpass.getuser() if at_terminal() else "")


def confirm(act: str, actor: Actor) -> None:
    """A person at a terminal types the act to confirm it; a script has done so by naming the person."""
    if actor.via is not Via.TERMINAL:
        return
    print(f"You act as {clean(actor.by)}. Type {act} to confirm: ", end="", file=sys.stderr, flush=True)
    typed = sys.stdin.readline().strip()
    if typed != act:
        raise RefusedError(f"{typed!r} was typed, so nothing was done", repair=f"call it again and type {act}")


@dataclass(frozen=True, slots=True)
class Presented:
    """What a person was shown of a request: the digests of its files, and as a diff what changed since it was asked."""

    seen: Mapping[str, str] = field(default_factory=dict)
    changed: str = ""

    def outdated(self, ask: Ask, docs: Mapping[str, str]) -> bool:
        """Whether a file is no longer what they saw."""
        return any(docs.get(path, "") != self.seen.get(path, "") for path in {**ask.of, **self.seen})


def present(live: Run, ask: Ask, *, quiet: bool = False) -> Presented:
    """Shows a person what they would settle, to the byte, and what changed since they approved it or were asked."""
    shown = Presented(runs.shown(live, ask), runs.changes(live, ask))
    if quiet:
        return shown
    before = {one.path: one for one in runs.approved_before(live, ask)}
    for path, sha in shown.seen.items():
        since = "" if sha == ask.of.get(path) else "  CHANGED since the request"
        if path in before:
            since += f"  {'changed since' if before[path].difference else 'as'} approved by {clean(before[path].by)}"
        print(f"  {clean(path)}  sha256 {sha or 'gone'}{since}")
    for one in live.state.in_force:
        print(f"  overruled: {clean(one, 1000)}")
    for text in (*(one.difference for one in before.values()), runs.changes(live, ask, before)):
        if text:
            print("\n".join(map(clean_line, text.splitlines())))
    return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How an actor settles a request. For a person's act, `shown` is what they saw when they confirmed it."""

    ask: Ask
    act: str
    actor: Actor
    payload: Mapping[str, Any]
    shown: Presented | None = None

    async def enter(self, live: Run) -> None:
        """Puts the act into the journal, if what the person saw is still what is there."""
        seen = self.shown.seen if self.shown else None
        await runs.answer(live, self.ask.request, self.act, self.actor, self.payload, seen)

    def to_json(self, live: Run) -> dict[str, Any]:
        """The act as JSON data."""
        settled = {"request": self.ask.request, "act": self.act, "by": self.actor.by}
        if self.shown is None:
            return {**settled, **self.payload}
        of = {path: live.state.docs.get(path, "") for path in self.ask.of}
        return {**settled, "of": of, "changes": self.shown.changed}


def sign(ask: Ask, act: str, payload: Mapping[str, Any], actor: Actor, shown: Presented) -> Settlement:
    """Has a person confirm an act on what they were shown; nothing is recorded yet."""
    if act == APPROVE and shown.changed and not payload["accept_changes"]:
        paths = [path for path, sha in shown.seen.items() if ask.of.get(path) != sha]
        error = RefusedError(
            f"{', '.join(paths)} changed after the request was written",
            repair="look at the change, then approve with --accept-changes",
        )
        error.add_note(shown.changed)
        raise error
    confirm(act, actor)
    return Settlement(ask=ask, act=act, actor=actor, payload=payload, shown=shown)
