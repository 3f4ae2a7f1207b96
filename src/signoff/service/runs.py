"""What can be done with a run: work on it, submit outputs, answer requests, trace ids. Every surface calls these."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.core import overrules
from signoff.core.commands import WORDS, Ask, StartTurn
from signoff.core.decide import APPROVE, RESUME, Decision, approved_changes
from signoff.core.errors import CorruptError, RefusedError, StoreError, UsageError
from signoff.core.events import Answered, Usage
from signoff.core.findings import Finding
from signoff.core.permissions import WRITE_FILE
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, State
from signoff.service import edited_files, people
from signoff.service.people import Actor
from signoff.shell import telemetry
from signoff.shell.outside.link_probes import probe
from signoff.shell.run.attempts import Attempt, called, raw_place, strayed
from signoff.shell.run.briefs import compose, crew
from signoff.shell.run.live_run import LiveRun, Watcher
from signoff.shell.run.runner import Runner
from signoff.shell.runtimes import host_workspace
from signoff.shell.runtimes.host_workspace import Given
from signoff.shell.runtimes.runtime import Host, Runtime, as_bytes

DONE, FAILED, USAGE, WAITING, ESCALATED, BUDGET = range(6)
UNKNOWN = Usage(cost=None)
_EXIT = {"complete": DONE, "escalated": ESCALATED, "budget": BUDGET}


@dataclass(frozen=True, slots=True)
class Open:
    """What is open: turns with their briefs, and requests that wait for a person."""

    turns: tuple[tuple[StartTurn, str], ...]
    requests: tuple[Ask, ...]
    stop: str | None


async def drive(live: LiveRun, runtime: Runtime, *, apart: Collection[str] = ()) -> State:
    """Works on the run until nothing is open here; the turns of the agents in `apart` are left open."""
    runner = Runner(live, runtime, crew(live.workflow, live.store), probe, apart=apart)
    if isinstance(runtime, Host):  # a host works elsewhere; what it submits has a span of its own
        return await runner.drive()
    with telemetry.run(live.workflow.name, live.run, runtime.name, live.watcher.notice) as span:
        state = await runner.drive()
        span.stands(state)
    return state


def for_agents(live: LiveRun, state: State | None = None) -> dict[str, OpenTurn]:
    """The open turns that an agent takes, now or in another state: all but those that code takes in this run."""
    code = live.workflow.by_code.always(live.state.params)
    return {name: turn for name, turn in (state or live.state).turns.items() if turn.start.agent not in code}


async def next_open(live: LiveRun) -> Open:
    """The turns that wait for an agent and the requests that wait for a person."""
    await live.refresh()
    team = crew(live.workflow, live.store)
    briefs = tuple(
        (turn.start, compose(live.workflow, team, turn.start, live.library, turn.calls, hosted=True))
        for turn in for_agents(live).values()
    )
    return Open(briefs, tuple(live.state.requests.values()), live.state.stop)


async def submit(
    live: LiveRun, turn: str, attempt: int, raw: str, *, worker: str = Host().name, usage: Usage = UNKNOWN
) -> tuple[Finding, ...]:
    """Takes a turn's raw output: on disk first, then looked at. Giving the same one twice changes nothing.

    `worker` is who carried it out, and `usage` what that cost: unknown for a host.
    """
    await live.sync()
    if not _issued(live, turn):
        return (Finding(rule="turn.unknown", problem=f"there is no turn {turn!r}", repair="ask what is open now"),)
    path = raw_place(live.folder, turn, attempt)
    open_turn = live.state.turns.get(turn)
    if open_turn is None or open_turn.start.attempt != attempt:
        return _late(live, path, turn, raw)
    own = Attempt(live, open_turn.start)
    async with host_workspace.closing(own) as given:
        if await _kept(own, as_bytes(raw), given, worker, usage) != as_bytes(raw):
            problem = f"turn {turn} has another output at this attempt, which came first"
            return (Finding(rule="turn.closed", problem=problem, repair="go on with the run: it takes that one in"),)
        decision = await live.apply(own.returned(as_bytes(raw)))
    if decision is not None and not decision.applied:  # another process submitted it meanwhile
        return _late(live, path, turn, raw)
    return decision.refused if decision else ()


async def _kept(own: Attempt, data: bytes, given: Given, worker: str, usage: Usage) -> bytes:
    """Puts an output on the disk with all that belongs to it, unless one is there; gives the one that counts."""
    if given.strays:
        await own.live.apply(lambda _, at: called(own.start, WRITE_FILE, *strayed(own.start, given.strays), at))
    async with own.live.store.locked(own.live.folder):
        first = own.output()
        if first is not None:
            return first
        own.receipt(worker, usage)
        if own.log.begun_by() != host_workspace.HOST:  # what another runtime ran is not evidence for this output
            own.log.begun_anew()
        own.keep(data, given.files)
        return data


def _issued(live: LiveRun, turn: str) -> bool:
    """Whether a turn of this name was ever issued; an invented name is not looked for among the files."""
    number, _, agent = turn.partition("-")
    known = f"{int(number):04d}" == number if number.isdecimal() and len(number) < 10 and number.isascii() else False
    return known and 1 <= int(number) <= live.state.issued and agent in live.workflow.agent_names


def _late(live: LiveRun, path: str, turn: str, raw: str) -> tuple[Finding, ...]:
    known = live.store.read(path)
    if known == as_bytes(raw):
        return ()
    problem = f"turn {turn} is not open at this attempt" + (", and has another output" if known is not None else "")
    return (Finding(rule="turn.closed", problem=problem, repair="ask what is open now, and submit that"),)


async def answer(
    live: LiveRun, key: str, act: str, actor: Actor, payload: Mapping[str, Any], seen: Mapping[str, str] | None = None
) -> Decision:
    """Settles a request, named by its key or its id; `seen` are the digests of what the actor was shown.

    An actor who may not settle it is refused.
    """
    await live.refresh()
    ask = waiting(live.state, key)
    people.check_settling(actor, live.run, ask, act)
    seen = dict(seen) if seen is not None else shown(live, ask)
    if act == APPROVE:
        _refuse_unseen(live, ask, payload, seen)
    if act == APPROVE and (gone := [path for path in ask.of if path not in live.state.docs]):
        raise RefusedError(
            f"{', '.join(gone)} was removed", repair="put it back, or reject: there is nothing to approve"
        )
    refuse_wordless(ask, act, payload)
    async with live.store.locked(live.folder):
        for path, sha in live.state.docs.items():
            if path in ask.of:
                live.library.keep(Ref(path, sha))
    name = f"{ask.request}.{act}"
    looked = live.state.docs

    def answered(state: State, at: str) -> Answered:
        if act == APPROVE and (late := live.moved_since(ask, looked, state)):
            raise _changed(late)
        return Answered(id=name, at=at, by=actor.by, request=ask.request, act=act, payload=dict(payload), seen=seen)

    decision = await live.apply(answered)
    assert decision is not None  # narrows the type: an event was made
    if not decision.applied:
        found = decision.refused[0]
        raise RefusedError(found.problem, repair=found.repair)
    return decision


def shown(live: LiveRun, ask: Ask) -> dict[str, str]:
    """The digests of what a person is shown of a request: its documents, and what was edited of those it rests on."""
    return {path: live.state.docs.get(path, "") for path in (*ask.of, *live.edited_since(ask))}


def _refuse_unseen(live: LiveRun, ask: Ask, payload: Mapping[str, Any], seen: Mapping[str, str]) -> None:
    """Refuses an approval that rests on documents which changed since it was asked for, until the person accepts that.

    The documents that a request is about are the kernel's to compare.
    """
    edited = live.edited_since(ask)
    if not payload.get("accept_changes") and edited:
        raise _changed(live.changed_since(ask))
    if unseen := tuple(path for path in edited if seen.get(path) != live.state.docs.get(path, "")):
        raise _changed(unseen)


def _changed(paths: Collection[str]) -> RefusedError:
    return RefusedError(
        f"{', '.join(paths)} changed after the request was written",
        repair="look at the change, then approve with --accept-changes",
    )


def refuse_wordless(ask: Ask, act: str, payload: Mapping[str, Any]) -> None:
    """Refuses an option that needs a text and has none."""
    if act in ask.notes.get(WORDS, ()) and not str(payload.get("note") or "").strip():
        raise UsageError(f"{act!r} needs a text", repair='say what is meant with --note "…"')


def waiting(state: State, key: str) -> Ask:
    """The request that waits under this key or id."""
    found = [ask for ask in state.requests.values() if key in (ask.key, ask.request)]
    if not found:
        known = ", ".join(f"{ask.key} ({' or '.join(ask.options)})" for ask in state.requests.values())
        raise UsageError(f"nothing waits under {key!r}", valid=known or "nothing waits for a person in this run")
    return found[0]


def resumable(state: State) -> Ask | None:
    """The request that `resume` would settle, if the run waits for that."""
    return next((ask for ask in state.requests.values() if RESUME in ask.options), None)


def changes(live: LiveRun, ask: Ask, but: Collection[str] = ()) -> str:
    """What changed since a request was written, as a diff of all its documents, or of all but these."""
    changed = (path for path in approved_changes(ask, live.state) if path not in but)
    about = "".join(_difference(live, path, ask.of[path], "as asked") for path in changed)
    return about + "".join(_edit(live, path, sha) for path, sha in live.edited_since(ask).items())


def _edit(live: LiveRun, path: str, sha: str) -> str:
    """What a person edited of what an approval rests on; without the lines, if the old bytes are not kept or no text.

    It is never empty: an edit that no line shows is still one.
    """
    try:
        shown = _difference(live, path, sha or None, "as asked")
    except (CorruptError, StoreError):
        shown = ""
    now = live.state.docs.get(path)
    return shown or f"--- {path} (as asked)\n+++ {path} (now)\n@@ sha256 {sha or 'none'}, now {now or 'gone'} @@\n"


@dataclass(frozen=True, slots=True)
class Approved:
    """A document of a request that a person approved before: who, when, and what has changed in it since, as a diff."""

    path: str
    by: str
    at: str
    difference: str


def approved_before(live: LiveRun, ask: Ask) -> list[Approved]:
    """What of a request was approved before, each document by its last approval."""
    approvals = [event for event in live.events if isinstance(event, Answered) and event.act == APPROVE]
    last = {path: event for event in approvals for path, sha in event.seen.items() if sha}
    return [
        Approved(path, event.by, event.at, _difference(live, path, event.seen[path], "approved"))
        for path in ask.of
        if (event := last.get(path))
    ]


def _difference(live: LiveRun, path: str, sha: str | None, then: str) -> str:
    """What changed in a document since it had this digest, as a diff."""
    before, after = _lines(live, path, sha), _lines(live, path, live.state.docs.get(path))
    return "".join(difflib.unified_diff(before, after, f"{path} ({then})", f"{path} (now)"))


def pages(live: LiveRun, ask: Ask) -> list[str]:
    """The pages that the run wrote about a request: those that name it."""
    made = live.projections().items()
    return [path for path, text in made if text and path.endswith(".md") and ask.request in text]


def text(live: LiveRun, path: str) -> str:
    """A document as the run knows it; "" if it is gone."""
    return "".join(_lines(live, path, live.state.docs.get(path)))


def _lines(live: LiveRun, path: str, sha: str | None) -> list[str]:
    if sha is None:
        return []
    return live.library.data(Ref(path, sha)).decode("utf-8", "replace").splitlines(keepends=True)


def edited(live: LiveRun) -> dict[str, str]:
    """What of the documents that a run rests on was edited since the run looked, as `signoff status` sees it."""
    folder = f"{live.store.name}/{live.folder}"
    found = edited_files.edited(live.store.name, folder, live.rests_on())
    since = (path for ask in live.state.requests.values() for path in live.changed_since(ask))
    return {**dict.fromkeys(since, edited_files.CHANGED), **found}


def known(live: LiveRun, what: str) -> Mapping[str, Any] | None:
    """Where an id came from and what depends on it, if the run knows it."""
    of_workflow = live.workflow.views.trace
    found = of_workflow(what, live.state, live.events, live.library) if of_workflow else None
    if not (told := overrules.about(what, live.state)):
        return found
    return {**(found or {"id": what, "text": told[-1]["problem"]}), "overruled": told}


async def replay(live: LiveRun) -> State:
    """The state once more, from the journal alone."""
    again = LiveRun(live.workflow, live.store, live.run, live.clock, Watcher())
    await again.sync()
    return again.state


def exit_code(state: State) -> int:
    """What a surface reports: done, waiting for a person or a host, escalated, out of budget."""
    if state.stop and not (state.stop == "complete" and state.requests):
        return _EXIT.get(state.stop, FAILED)
    return WAITING if state.requests or state.turns else FAILED
