"""A run in this process: its state, rolled up from the journal, and the one way to change it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from signoff.core import overrules
from signoff.core.budget import tightest
from signoff.core.commands import Ask, Check, Command, Place, Write
from signoff.core.decide import Decision, decide
from signoff.core.declarations import GateInput
from signoff.core.errors import CorruptError, DefinitionError, DocumentError, MovedError, RefusedError, StoreError
from signoff.core.events import Checked, DocsChanged, Event, Started
from signoff.core.findings import Finding
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.shell import telemetry
from signoff.shell.clock import Clock
from signoff.shell.run import recordings, rested_on
from signoff.shell.run.folder_store import FORK
from signoff.shell.run.home_copies import Home, refuse_elsewhere
from signoff.shell.run.journal import Commit
from signoff.shell.run.library import Library
from signoff.shell.run.store import Places, Store, covers

STATUS, STAMPS = "status.json", ".stamps.json"
LOOKS = 50

MakeEvent = Callable[[State, str], Event | None]
"""Makes the event for this state at this time; None if the state no longer needs one."""


@dataclass(slots=True)
class Watcher:
    """Callbacks for what happens in a run, while it happens."""

    applied: Callable[[Event, State], None] = lambda _event, _state: None
    working: Callable[[Command, State], None] = lambda _command, _state: None
    notice: Callable[[str], None] = lambda _text: None
    heard: Callable[[str, int], None] = lambda _turn, _characters: None


@dataclass(slots=True)
class _Batch:
    """Events decided together, not yet committed."""

    state: State
    events: list[Event] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    writes: list[Write | Place] = field(default_factory=list)
    last: Decision | None = None


class LiveRun:
    """One run of a workflow in a store. All changes go through `apply`.

    `home` holds what the person keeps for all projects; without it, the run looks at nothing outside of the store. A
    fork has none, and neither has a run that plays a recording: other projects do not learn from trials.
    """

    def __init__(
        self,
        workflow: Workflow,
        store: Store,
        run: str,
        clock: Clock,
        watcher: Watcher | None = None,
        home: Path | None = None,
    ) -> None:
        self.workflow, self.store, self.run, self.clock = workflow, store, run, clock
        self.watcher = watcher or Watcher()
        self.folder = workflow.folder(run)
        self.library = Library(store, self.folder)
        self.state = State()
        self.events: list[Event] = []
        self._unrolled: list[tuple[int, Write | Place]] = []
        self._placed: int | None = None
        self._projected: tuple[int, dict[str, str | None]] = (0, {})
        self._looked_at: Mapping[str, str] = {}
        self._home = Home(home, f"{store.name}/{self.folder}", lambda text: self.watcher.notice(text)) if home else None
        self._copies: dict[str, str] = {}
        self._since_asked = rested_on.SinceAsked()

    # --- catching up with the journal ---

    async def sync(self) -> None:
        """Takes in what the journal has beyond what this process knows."""
        for commit in await self.store.commits(self.folder, self.state.rev):
            self.take(commit)

    def take(self, commit: Commit) -> None:
        """Decides the events of a commit again; they must lead to the commit's revision."""
        for event in commit.events:
            self._replay(event)
        if self.state.rev != commit.rev:
            raise CorruptError(
                f"{self.folder}: a commit says revision {commit.rev}, its events lead to {self.state.rev}",
                repair="restore the run's folder from git or a backup",
            )

    def _replay(self, event: Event) -> None:
        if isinstance(event, Started) and event.version != self.workflow.version:
            raise RefusedError(
                f"{self.run} was begun with version {event.version} of {self.workflow.name}, "
                f"this is version {self.workflow.version}",
                repair="finish it with the version it was begun with, or start a new run",
            )
        decision = decide(self.workflow, self.state, event, self.library)
        if not decision.applied:
            raise CorruptError(
                f"{self.folder}: the journal's event {event.id} after revision {self.state.rev} is not legal: "
                f"{decision.refused[0].problem if decision.refused else 'already applied'}",
                repair="restore the run's folder from git or a backup",
            )
        self._unrolled += [(decision.state.rev, write) for write in self._note_writes(decision)]
        self._since_asked.follow(event, self.state, decision.state)
        self.state = decision.state
        self.events.append(event)

    def _note_writes(self, decision: Decision) -> list[Write | Place]:
        writes = [command for command in decision.commands if isinstance(command, Write | Place)]
        for write in writes:
            if isinstance(write, Write) and write.text is not None:
                self.library.wrote(write.text)
        return writes

    # --- moving on ---

    async def apply(self, make: MakeEvent) -> Decision | None:
        """Decides one event on the newest state and commits it; if the run moves meanwhile, decides again."""
        while True:
            async with self.store.locked(self.folder):
                await self.sync()
                self._roll_forward()
                try:
                    batch = self._decide_all(make)
                except CorruptError:
                    if self.places().digests(self.store) == self._looked_at:
                        raise
                    continue
                if not batch.events:
                    return batch.last
                try:
                    await self.store.commit(self.folder, Commit(base=self.state.rev, events=tuple(batch.events)))
                except MovedError:
                    continue
                for event, state in zip(batch.events, batch.states, strict=True):
                    self._since_asked.follow(event, self.state, state)
                    self.state = state
                self.events += batch.events
                self._unrolled += [(batch.state.rev, write) for write in batch.writes]
                self._roll_forward()
            for event, state in zip(batch.events, batch.states, strict=True):
                self.watcher.applied(event, state)
            return batch.last

    async def refresh(self) -> None:
        """Catches up, finishes a roll-forward that was cut off, and takes in what people edited."""
        await self.apply(lambda _state, _at: None)

    def _decide_all(self, make: MakeEvent) -> _Batch:
        batch = _Batch(self.state)
        if self.state.rev and (edited := self._edited()):
            self._decide(batch, edited)
        if (event := make(batch.state, self._time(batch))) is not None:
            batch.last = self._decide(batch, event)
        self._check(batch)
        return batch

    def _decide(self, batch: _Batch, event: Event) -> Decision:
        decision = decide(self.workflow, batch.state, event, self.library)
        if decision.applied:
            batch.events.append(event)
            batch.state = decision.state
            batch.states.append(decision.state)
            batch.writes += self._note_writes(decision)
        return decision

    def _check(self, batch: _Batch) -> None:
        """Gates that need no network run at once, in the same commit."""
        while check := next((one for one in batch.state.checks.values() if not self.urls(one, batch.state)), None):
            self._decide(batch, self.checked(check, batch.state, self._time(batch), {}))

    def urls(self, check: Check, state: State) -> list[str]:
        """What must be probed before this check can be run."""
        return [] if _outdated(check, state) else list(self.workflow.gate(check.gate).urls(self._input(check, {})))

    def checked(self, check: Check, state: State, at: str, probes: Mapping[str, Any]) -> Checked:
        """Runs a gate; a document that cannot be read is a finding like any other.

        A check of documents that have changed is not run (their bytes may be gone): the kernel asks for it again.
        """
        with telemetry.gate(check) as span:
            try:
                findings = (
                    ()
                    if _outdated(check, state)
                    else tuple(self.workflow.gate(check.gate).run(self._input(check, probes)))
                )
            except DocumentError as error:
                findings = error.findings
            span.found(findings)
        return Checked(id=check.check, at=at, by="code", check=check.check, findings=findings, of=check.of)

    def _input(self, check: Check, probes: Mapping[str, Any]) -> GateInput:
        return GateInput(of=check.of, params=check.params, look=self.library, probes=probes)

    def _time(self, batch: _Batch) -> str:
        return self.clock(batch.state.rev + 1)

    # --- what people keep at home ---

    def _at_home(self) -> tuple[Home, Mapping[str, str]] | None:
        """The home and what the run borrows from it; None if it borrows nothing."""
        patterns = self.workflow.documents.borrows(self.run) if self._home else {}
        trials = (f"{self.folder}/{FORK}", f"{recordings.place(self.run)}/{recordings.INDEX}")
        if self._home is None or not patterns or any(self.store.read(path) is not None for path in trials):
            return None
        return self._home, patterns

    def _borrow(self, tracked: Sequence[str]) -> None:
        """Copies what is new or differs at home, before edits are looked for; a file gone there keeps its copy."""
        if (found := self._at_home()) is None:
            return
        home, patterns = found
        kept = list(home.kept(patterns))
        there = self.store.digests([one.copy for one in kept])
        for one in kept:
            if not covers(tracked, one.copy):
                raise DefinitionError(f"{one.copy} is borrowed and not tracked", repair="name its folder in `tracked`")
            self._copies[one.copy] = one.path
            known = there.get(one.copy)
            lent = known is None and one.path in self._lends() and self.library.wrote_before(one.sha256)
            if known == one.sha256 or lent or (data := home.read(one.path)) is None:
                continue
            if known and self.state.docs.get(one.copy) not in (None, known):
                self._keep_edited(one.copy, f"it is a copy of {one.path}, which is yours to edit,")
            self.store.write(one.copy, data, durable=True)

    def _lends(self) -> Mapping[str, str]:
        return self.workflow.documents.lends(self.state, self.library) if self.state.rev else {}

    def _lend(self) -> None:
        """Lends the home what other projects can use; doing it again after a kill changes nothing."""
        if (found := self._at_home()) is None:
            return
        home, patterns = found
        for path, source in self._lends().items():
            refuse_elsewhere(path, patterns)
            if (ref := self.state.ref(source)) is not None:
                home.lend(path, self.library.data(ref))

    # --- what people edited ---

    def _edited(self) -> DocsChanged | None:
        places, known = self.places(), self.state.docs
        self._borrow(places.tracked)
        found = self._looked_at = self._settled(places, known)
        changed = {path: sha for path, sha in found.items() if known.get(path) != sha}
        gone = {path: None for path in known if path not in found and places.holds(path)}
        if not changed and not gone:
            return None
        at = self.clock(self.state.rev + 1)
        edited = gone or any(not self._only_found(path, places) for path in changed)
        by = "person" if edited else "code"
        return DocsChanged(id=f"docs-{self.state.rev + 1}", at=at, by=by, docs={**changed, **gone})

    def _only_found(self, path: str, places: Places) -> bool:
        """Whether a file was not edited for this run: it came from home, or is seen for the first time."""
        return path in self._copies or (path not in self.state.docs and not covers(places.tracked, path))

    def places(self) -> Places:
        """What the run watches in its present state. Its own folder changes with every step, which is never an edit."""
        own, params = f"{self.folder}/", self.state.params
        patterns = self.workflow.documents.follows(self.state, self.library)
        return self._declared(params, tuple(one for one in patterns if not one.startswith(own)))

    def _declared(self, params: Mapping[str, Any], patterns: tuple[str, ...] = ()) -> Places:
        return Places(tuple(self.workflow.tracked(params)), tuple(self.workflow.documents.sources), patterns)

    def _settled(self, places: Places, known: Mapping[str, str]) -> dict[str, str]:
        """The digests of what is there, accepted and kept; a file that is saved meanwhile is read again."""
        for _ in range(LOOKS):
            found = places.digests(self.store)
            moving = self._accept({path: sha for path, sha in found.items() if known.get(path) != sha}, places)
            if moving is None:
                return found
        raise StoreError(
            f"{moving} changes all the time", repair="end what writes to it, or move it out of the project"
        )

    def _accept(self, changed: Mapping[str, str], places: Places) -> str | None:
        """Keeps the bytes of edited files. An edit that cannot be read raises before it is taken in.

        Gives the path of a file that changed since its digest was taken, if one did.
        """
        problems: list[Finding] = []
        for path, sha in changed.items():
            data = self.store.read(path)
            if data is None or digest(data) != sha:
                return path
            problems += self.workflow.documents.accepts(path, data)
            if places.keeps(path):
                self.library.keep(Ref(path, sha), data)
        if problems:
            # what is wrong with a copy is fixed where it was copied from
            raise DocumentError([replace(one, file=self._copies.get(one.file, one.file)) for one in problems])
        return None

    def found(self, params: Mapping[str, Any]) -> dict[str, str]:
        """The documents that a new run begins with, read, checked and kept."""
        places = self._declared(params)
        self._borrow(places.tracked)
        return self._settled(places, {})

    def rests_on(self) -> dict[str, Any]:
        """What the run rests on, as `status.json` lists it."""
        return rested_on.listed(self.workflow, self.state, self.library, self.places())

    def edited_since(self, ask: Ask) -> dict[str, str]:
        """What an approval rests on and a person edited since it was asked for, with the digest from before."""
        return self._since_asked.edited(ask, self.workflow, self.state, self.library)

    def changed_since(self, ask: Ask) -> tuple[str, ...]:
        """All that changed since an approval was asked for; nothing of other requests, whose files are to be edited."""
        is_approval = ask.kind == rested_on.APPROVAL
        return self._since_asked.changed(ask, self.workflow, self.state, self.library) if is_approval else ()

    def moved_since(self, ask: Ask, before: Mapping[str, str], state: State) -> tuple[str, ...]:
        """What an approval rests on, beside the documents that it is about, and differs from before."""
        return rested_on.moved(ask, before, self.workflow, state, self.library)

    # --- rolling files forward from the journal ---

    def _roll_forward(self) -> None:
        """Puts every derived file in its place. `status.json` is last: its revision says how far this has come."""
        placed = self.state.rev if self._placed == self.state.rev else self._placed_on_disk()
        if not self.state.rev:
            self._require_new()
            return
        if placed < self.state.rev:
            self._place_documents(placed)
        if placed in (0, self.state.rev):  # at any revision between, what differs may be what the code wrote earlier
            self._restore_edited(removed=placed > 0)
        if placed != self.state.rev:
            self._lend()
            if rested_on.rests(self.state):
                self.store.stamp(f"{self.folder}/{STAMPS}", [*self.rests_on()["files"]])
            for path, text in self.projections().items():
                self._put(path, text)
        self._unrolled.clear()
        self._placed = self.state.rev

    def _placed_on_disk(self) -> int:
        data = self.store.read(f"{self.folder}/{STATUS}")
        try:
            placed = int(json.loads(data)["rev"]) if data else 0
        except (ValueError, KeyError, TypeError):
            return 0
        if placed > self.state.rev:
            raise CorruptError(
                f"{self.folder}: the journal ends at revision {self.state.rev}, but {STATUS} is of revision {placed}: "
                "lines are missing at the journal's end",
                repair=f"restore journal.jsonl from git or a backup; if only {STATUS} was edited, remove that file",
            )
        return placed

    def _require_new(self) -> None:
        """Refuses to begin a run again over what is left of one whose journal is gone."""
        if self.store.digests([f"{self.folder}/turns/"]):
            raise CorruptError(
                f"{self.folder}: there are turns of a run, but no journal",
                repair=f"restore journal.jsonl from git or a backup, or move {self.folder}/turns away to begin again",
            )

    def _place_documents(self, placed: int) -> None:
        """Writes documents unless a person got there first: then their bytes stay and are taken in as an edit."""
        expected: dict[str, set[str | None]] = {}
        for rev, write in self._unrolled:
            if rev > placed:
                expected.setdefault(write.path, set()).add(write.expect)
        for path, before in expected.items():
            data, target = self.store.read(path), self.state.docs.get(path)
            found = None if data is None else digest(data)
            if found != target and found in before:
                new = None if target is None else self.library.data(Ref(path, target))
                self.store.write(path, new, durable=True)

    def projections(self) -> dict[str, str | None]:
        """Every file that follows from the state, `status.json` last; made once a revision."""
        if self._projected[0] != self.state.rev:
            listed = {"documents": self.rests_on()} if rested_on.rests(self.state) else {}
            changed = {name: self.changed_since(ask) for name, ask in self.state.requests.items()}
            pages = self.workflow.documents.made(self.state).items()
            made = {
                **{path: text and rested_on.with_changes(text, changed) for path, text in pages},
                f"{self.folder}/{STATUS}": json.dumps({**self.status(), **listed}, ensure_ascii=False) + "\n",
            }
            self._projected = (self.state.rev, made)
        return self._projected[1]

    def _put(self, path: str, text: str | None) -> None:
        data = None if text is None else text.encode()
        if self.store.read(path) != data:
            self.store.write(path, data, durable=False)

    def _restore_edited(self, *, removed: bool) -> None:
        """Puts an edited projection back; what was written is kept, and the person is told."""
        for path, text in self.projections().items():
            data = self.store.read(path)
            if rested_on.follows(data, text):
                self._put(path, text)
                continue
            if data is not None:
                self._keep_edited(path, "it follows from the journal")
            elif removed:
                self.watcher.notice(f"{path} was removed; it follows from the journal and was put back")
            else:
                continue
            self._put(path, text)

    def _keep_edited(self, path: str, why: str) -> None:
        """Keeps what was written in a file that people do not edit, before it is put back."""
        data = self.store.read(path) or b""
        kept = f"{self.folder}/edited/{path.rsplit('/', 1)[-1]}.{digest(data)[:8]}"
        self.store.write(kept, data, durable=True)
        self.watcher.notice(f"{path} was edited by hand; {why} and was put back. Your copy: {kept}")

    def status(self) -> dict[str, Any]:
        """The small projection that `signoff status` and `signoff inbox` read."""
        state, limits = self.state, tightest(self.workflow.budgets(self.state, self.library))
        began = self.events[0].by if self.events else ""
        return {
            "rev": state.rev,
            "workflow": self.workflow.name,
            **({"package": self.workflow.distribution} if self.workflow.distribution else {}),
            "run": self.run,
            **({"recorded": began.removeprefix(recordings.MARK)} if began.startswith(recordings.MARK) else {}),
            "at": state.at,
            "stop": state.stop,
            "turns": [
                {
                    "turn": turn.start.turn,
                    "agent": turn.start.agent,
                    "attempt": turn.start.attempt,
                    "task": turn.start.key,
                }
                for turn in state.turns.values()
            ],
            "requests": [
                {
                    "request": ask.request,
                    "key": ask.key,
                    "kind": ask.kind,
                    "options": list(ask.options),
                    "question": ask.question,
                    **{name: ask.notes[name] for name in ("about", "questions") if name in ask.notes},
                    **({"changed": list(found)} if (found := self.changed_since(ask)) else {}),
                }
                for ask in state.requests.values()
            ],
            "spend": {
                "turns": state.spend.turns,
                "tokens": state.spend.tokens,
                "cost": None if state.spend.unpriced else str(state.spend.cost),
                "unpriced": state.spend.unpriced,
                "seconds": state.spend.seconds,
            },
            "limits": {"tokens": limits.tokens, "cost": None if limits.cost is None else str(limits.cost)},
            **({"overruled": overrules.to_json(state)} if state.overrules else {}),
            **self.workflow.status(state),
        }


def _outdated(check: Check, state: State) -> bool:
    return any(state.docs.get(ref.path) != ref.sha256 for ref in check.of.values())
