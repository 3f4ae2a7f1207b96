"""What all commands that move a run share, and `approve` and `reject`. Settling a request is a person's act."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from signoff.core.commands import Ask
from signoff.core.decide import APPROVE
from signoff.core.errors import RefusedError, UsageError
from signoff.core.state import State
from signoff.core.terms import language_of
from signoff.core.workflow import Workflow
from signoff.service import people, run_control, run_limits, runs
from signoff.service.people import REJECT, Actor, Via
from signoff.service.project import Project, Run
from signoff.surfaces.cli import exits
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal import progress, progress_view
from signoff.surfaces.cli.terminal.formatting import clean, harmless
from signoff.surfaces.cli.terminal.keyboard import at_terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a run is worked on and shown."""

    project: Path
    runtime: str | None = None
    models: tuple[str, ...] = ()
    as_json: bool = False
    faults: str | None = None
    seed: int | None = None
    go_on: bool = True
    no_input: bool = False
    max_cost: str | None = None
    max_tokens: str | None = None

    def __post_init__(self) -> None:
        run_limits.read(self.max_cost, self.max_tokens)  # a limit that means nothing is said before anything is done

    @property
    def limited(self) -> bool:
        """Whether a limit was given."""
        return (self.max_cost, self.max_tokens) != (None, None)

    @property
    def asks(self) -> bool:
        """Whether a person is there who sees a question and can answer it: no pipe on either side, no agent's shell."""
        quiet = self.as_json or self.no_input
        return not quiet and at_terminal() and sys.stdout.isatty() and here().via is not Via.AGENT

    async def limit(self, live: Run) -> None:
        """Enters the limits that were given; they are in force from now on."""
        await run_limits.enter(live, run_limits.read(self.max_cost, self.max_tokens), here().by)

    def on(self, live: Run | None) -> How:
        """How this run is worked on: as it was called, else as it was worked on last."""
        if self.runtime or live is None:
            return self
        name, models = run_control.remembered(live)
        return replace(self, runtime=name or None, models=self.models or models)

    def worker(self, project: Project, workflow: Workflow, slug: str) -> Any:
        """The runtime that was chosen; a wrong choice is told before anything is done."""
        return run_control.worker(
            project, workflow, slug, self.runtime, models=self.models, faults=self.faults, seed=self.seed
        )


@contextmanager
def waiting(again: str) -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """One event loop for a whole command, which also asks in between; Ctrl-C says how to go on."""
    with asyncio.Runner() as loop:
        try:
            yield loop.run
        except KeyboardInterrupt:
            raise exits.InterruptedRunError(again) from None


def waited(coroutine: Coroutine[Any, Any, int], again: str) -> int:
    """Waits for the end of the work; Ctrl-C says how to go on."""
    with waiting(again) as wait:
        return int(wait(coroutine))


# --- what is shown of the work ----------------------------------------------------------------------------------------


def reporter(
    project: Project,
    workflow: Workflow,
    slug: str,
    how: How,
    worker: Any,
    before: State | None = None,
    *,
    opened: bool = False,
) -> progress_view.Reporter:
    """A reporter that the project's watcher tells everything; one that was `opened` before says no more who works."""
    board = progress.Board(
        run=slug,
        workflow=workflow.name,
        runtime=run_control.label(worker),
        project=elsewhere(project),
        asked=frozenset(before.requests if before else ()),
        stop=before.stop if before else None,
    )
    told = progress_view.Reporter(
        board,
        progress_view.screen(as_json=how.as_json),
        workflow.status,
        run_limits.of_state(project, workflow, slug),
        workflow.views.terms,
        opened=opened,
    )
    watcher = project.watcher
    watcher.applied, watcher.working, watcher.notice = told.applied, told.working, told.notice
    watcher.heard = told.heard
    return told


def elsewhere(project: Project) -> str | None:
    """The project folder, unless a command typed here finds it by itself."""
    here = Path.cwd().resolve()
    return None if here == project.root or project.root in here.parents else str(project.root)


def end(live: Run, told: progress_view.Reporter, how: How, *, summed_up: bool = False, **more: Any) -> int:
    """Says how the run stands now and, if it is done or somebody wants to know, what came of it; the exit code."""
    status, code = run_control.described(live), runs.exit_code(live.state)
    found = summary(live) if summed_up or code == runs.DONE else {}
    if how.as_json:
        came = {"summary": found} if found else {}
        print_json({**status, "exit": code, "runtime": told.board.runtime, "notices": told.notices, **came, **more})
    else:
        lines = progress.ending(status, told.board.project, language_of(live.state.params))
        lines += [harmless(line) for line in found.get("lines", ())]
        print("\n".join(lines))
    return code


def summary(live: Run) -> dict[str, Any]:
    """What came of a run, with the project's folder where its lines speak of it."""
    found, root = live.workflow.views.summary(live.state, live.library), live.project.root
    place = min(os.path.relpath(root), str(root), key=len)
    return {**found, "lines": [str(line).replace("{project}", place) for line in found.get("lines", ())]}


# --- approve and reject -----------------------------------------------------------------------------------------------


def approve(slug: str, gate: str, *, accept_changes: bool, how: How) -> int:
    """A person's yes to exactly these bytes."""
    return waited(_settle(slug, gate, APPROVE, {"accept_changes": accept_changes}, how), f"signoff resume {slug}")


def reject(slug: str, gate: str, reason: str, lang: str | None, how: How) -> int:
    """A person's no, with the reason that the agents will be given."""
    if not reason.strip():
        raise UsageError("--reason is empty", repair="say what must change: the agent is given these words")
    if lang not in (None, "en", "cn"):
        raise UsageError(f"--lang is {lang!r}", valid="en, cn")
    payload = {"reason": reason.strip(), **({"lang": lang} if lang else {})}
    return waited(_settle(slug, gate, REJECT, payload, how), f"signoff resume {slug}")


async def _settle(slug: str, gate: str, act: str, payload: Mapping[str, Any], how: How) -> int:
    actor = here()
    project = Project(how.project)
    live = await project.open(slug)
    how = how.on(live)
    worker = how.worker(project, live.workflow, slug)
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    await live.refresh()
    ask = run_control.request(live, gate, act, actor)
    if not how.as_json:
        print(f"{actor.by}: {act} {ask.request}. {clean(question(live, ask))}")
    signed = sign(ask, act, payload, actor, present(live, ask, quiet=how.as_json))
    with reporter(project, live.workflow, slug, how, worker, live.state) as told:
        await how.limit(live)
        await signed.enter(live)
        if how.go_on:
            await runs.drive(live, worker)
    settled: dict[str, Any] = {"answered": signed.plain(live)}
    return end(live, told, how, **settled) if how.go_on else recorded(live, how, settled)


@dataclass(frozen=True, slots=True)
class Presented:
    """What a person was shown of a request: the digests of its files, and as a diff what changed since it was asked."""

    seen: Mapping[str, str] = field(default_factory=dict)
    changed: str = ""

    def outdated(self, ask: Ask, docs: Mapping[str, str]) -> bool:
        """Whether a file is no longer what they saw."""
        return any(docs.get(path, "") != self.seen.get(path, "") for path in ask.of)


def question(live: Run, ask: Ask) -> str:
    """What a request asks, in the language of the run."""
    return live.workflow.views.terms.shown(ask.question, language_of(live.state.params))


def present(live: Run, ask: Ask, *, quiet: bool = False) -> Presented:
    """Shows a person what they would settle, to the byte, and what changed since they approved it or were asked."""
    docs = live.state.docs
    seen, changed = {path: docs.get(path, "") for path in ask.of}, runs.changes(live, ask)
    before = {one.path: one for one in runs.approved_before(live, ask)}
    if quiet:
        return Presented(seen, changed)
    for path, sha in seen.items():
        since = "" if sha == ask.of[path] else "  CHANGED since the request"
        if path in before:
            since += f"  {'changed since' if before[path].difference else 'as'} approved by {clean(before[path].by)}"
        print(f"  {clean(path)}  sha256 {sha or 'gone'}{since}")
    for text in (*(one.difference for one in before.values()), runs.changes(live, ask, before)):
        if text:
            print("\n".join(clean_line(line) for line in text.splitlines()))
    return Presented(seen, changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A person's act: they saw these digests, and said so in a word of their own."""

    ask: Ask
    act: str
    actor: Actor
    payload: Mapping[str, Any]
    shown: Presented

    async def enter(self, live: Run) -> None:
        """Puts the act into the journal, if what the person saw is still what is there."""
        await runs.answer(live, self.ask.request, self.act, self.actor, self.payload, self.shown.seen)

    def plain(self, live: Run) -> dict[str, Any]:
        """The act as JSON data."""
        of = {path: live.state.docs.get(path, "") for path in self.ask.of}
        changes = self.shown.changed
        return {"request": self.ask.request, "act": self.act, "by": self.actor.by, "of": of, "changes": changes}


def sign(ask: Ask, act: str, payload: Mapping[str, Any], actor: Actor, shown: Presented) -> Signed:
    """Has a person confirm an act on what they were shown; nothing is recorded yet."""
    if act == APPROVE and shown.changed and not payload["accept_changes"]:
        raise _changed(ask, shown)
    confirm(act, actor)
    return Signed(ask=ask, act=act, actor=actor, payload=payload, shown=shown)


def recorded(live: Run, how: How, settled: Mapping[str, Any]) -> int:
    """The answer is in the journal, and the run waits for somebody to go on with it."""
    if how.as_json:
        print_json({**run_control.described(live), "exit": 0, **settled})
    else:
        print(f"Recorded. Go on with: signoff resume {live.run}")
    return 0


def clean_line(line: str) -> str:
    """A line of a diff with its indentation, and without anything that moves the cursor."""
    return "".join(char if char.isprintable() or char == "\t" else "�" for char in line)


def _changed(ask: Ask, shown: Presented) -> RefusedError:
    paths = [path for path, sha in ask.of.items() if shown.seen[path] != sha]
    error = RefusedError(
        f"{', '.join(paths)} changed after the request was written",
        repair="look at the change, then approve with --accept-changes",
    )
    error.add_note(shown.changed)
    return error


# --- who is there -----------------------------------------------------------------------------------------------------


def confirm(act: str, actor: Actor) -> None:
    """At a terminal a person says yes in a word of their own; a script has said so by naming them."""
    if actor.via is not Via.TERMINAL:
        return
    print(f"You act as {clean(actor.by)}. Type {act} to confirm: ", end="", file=sys.stderr, flush=True)
    typed = sys.stdin.readline().strip()
    if typed != act:
        raise RefusedError(f"{typed!r} was typed, so nothing was done", repair=f"call it again and type {act}")


def here() -> Actor:
    """Who acts at this command line; the service decides what they may do."""
    named = clean(os.environ.get(people.PERSON, "")).strip()
    return people.of_process(os.environ, named=named, user=getpass.getuser() if at_terminal() else "")
