"""`run`, `resume`, `approve`, `reject`: what moves a run. Settling a request is a person's act."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from signoff.core.commands import PERSONS, Ask
from signoff.core.decide import APPROVE, RESUME
from signoff.core.errors import RefusedError, UsageError
from signoff.core.policies import tightest
from signoff.core.state import State
from signoff.core.workflow import Workflow
from signoff.service import driving, limits, runs
from signoff.service.driving import REJECT
from signoff.service.project import Project
from signoff.shell import recordings
from signoff.shell.library import Library
from signoff.shell.live import LiveRun
from signoff.surfaces.cli import guard, progress, show
from signoff.surfaces.cli.keyboard import Keyboard, at_terminal
from signoff.surfaces.cli.missing import missing
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import clean, harmless

PERSON = "SIGNOFF_PERSON"
SCRIPT = "script"
AGENTS = ("CLAUDECODE", "AI_AGENT")
"""What agents set in the shells that they open: nothing that is done there is a person's act."""


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
    max_cost: str | None = None
    max_tokens: str | None = None

    def __post_init__(self) -> None:
        limits.read(self.max_cost, self.max_tokens)  # a limit that means nothing is said before anything is done

    @property
    def limited(self) -> bool:
        """Whether a limit was given."""
        return (self.max_cost, self.max_tokens) != (None, None)

    async def limit(self, live: LiveRun) -> None:
        """Enters the limits that were given; they are in force from now on."""
        await limits.enter(live, limits.read(self.max_cost, self.max_tokens), somebody() or SCRIPT)

    def on(self, live: LiveRun | None) -> How:
        """How this run is worked on: as it was called, else as it was worked on last."""
        if self.runtime or live is None:
            return self
        name, models = driving.remembered(live)
        return replace(self, runtime=name or None, models=self.models or models)

    def worker(self, workflow: Workflow, slug: str) -> Any:
        """The runtime that was chosen; a wrong choice is told before anything is done."""
        played = Project(self.project).root / recordings.place(slug)
        chosen = driving.runtime(self.runtime, workflow, models=self.models, played=played)
        return driving.misbehaving(chosen, workflow, self.faults, self.seed)


def waited(coroutine: Coroutine[Any, Any, int], again: str) -> int:
    """Waits for the end of the work; Ctrl-C says how to go on."""
    try:
        return asyncio.run(coroutine)
    except KeyboardInterrupt:
        raise guard.InterruptedRunError(again) from None


# --- run and resume ---------------------------------------------------------------------------------------------------


def run(workflow: Workflow, slug: str, sources: list[Path], params: Mapping[str, Any], how: How) -> int:
    """Begins a run, or goes on with one that has begun."""
    return waited(_run(workflow, slug, sources, params, how), f"signoff resume {slug}")


async def _run(workflow: Workflow, slug: str, sources: list[Path], params: Mapping[str, Any], how: How) -> int:
    project = Project(how.project)
    begun = await project.existing(workflow, slug)
    how = how.on(begun)
    worker = how.worker(workflow, slug)
    if begun is None and _may_ask(how):
        params = {**params, **missing(workflow.parameters, params, Keyboard())}
    with reporter(project, workflow, slug, how) as told:
        project.take_in(sources)
        live = await driving.begin_or_go_on(project, workflow, slug, params, worker)
        await how.limit(live)
        await runs.drive(live, worker)
    return end(live, told, how)


def _may_ask(how: How) -> bool:
    """Whether a person is there who sees a question and can answer it: no pipe on either side, and no agent's shell."""
    return not how.as_json and at_terminal() and sys.stdout.isatty() and opened_by() is None


def resume(slug: str, how: How, step: str | None = None) -> int:
    """Goes on; where the run waits for exactly that, it is the person's answer."""
    return waited(_resume(slug, how, step), f"signoff resume {slug}")


async def _resume(slug: str, how: How, step: str | None) -> int:
    project = Project(how.project)
    live = await project.open(slug)
    how = how.on(live)
    worker = how.worker(live.workflow, slug)
    by = _decides(live.state, slug, step)
    with reporter(project, live.workflow, slug, how, live.state) as told:
        await live.refresh()
        await how.limit(live)
        if ask := runs.resumable(live.state):
            await runs.answer(live, ask.request, RESUME, by or person(f"resume {slug}"), {"from": step} if step else {})
        await runs.drive(live, worker)
    return end(live, told, how)


def _decides(state: State, slug: str, step: str | None) -> str | None:
    """Who resumes, where resuming is a person's decision; where it may begin again is checked first."""
    ask = runs.resumable(state)
    offered = list(ask.notes.get("from", ())) if ask else []
    if step is not None and step not in offered:
        raise UsageError(
            f"{slug} cannot begin again at {step!r} now",
            valid=", ".join(offered) or "nothing: the run is not stopped, it just goes on",
            repair="leave --from out to go on where it stopped",
        )
    if ask is None:
        return None
    by = person(f"resume {slug}")
    confirm(RESUME, by)
    return by


def reporter(project: Project, workflow: Workflow, slug: str, how: How, before: State | None = None) -> show.Reporter:
    """A reporter that the project's watcher tells everything."""
    label = driving.label(driving.named(how.runtime, how.models), project, slug)
    board = progress.Board(
        run=slug,
        workflow=workflow.name,
        runtime=label,
        project=elsewhere(project),
        asked=frozenset(before.requests if before else ()),
        stop=before.stop if before else None,
    )
    look = Library(project.store, workflow.folder(slug))
    told = show.Reporter(
        board,
        show.screen(as_json=how.as_json),
        workflow.status,
        lambda state: tightest(workflow.budgets(state, look)),
    )
    watcher = project.watcher
    watcher.applied, watcher.working, watcher.notice = told.applied, told.working, told.notice
    watcher.heard = told.heard
    return told


def elsewhere(project: Project) -> str | None:
    """The project folder, unless a command typed here finds it by itself."""
    here = Path.cwd().resolve()
    return None if here == project.root or project.root in here.parents else str(project.root)


def end(live: LiveRun, told: show.Reporter, how: How, *, summed_up: bool = False, **more: Any) -> int:
    """Says how the run stands now and, where it is done or somebody wants to know, what came of it; the exit code."""
    status, code = driving.described(live), runs.exit_code(live.state)
    found = summary(live, how) if summed_up or code == runs.DONE else {}
    if how.as_json:
        came = {"summary": found} if found else {}
        print_json({**status, "exit": code, "runtime": told.board.runtime, "notices": told.notices, **came, **more})
    else:
        lines = [*progress.ending(status, told.board.project), *(harmless(line) for line in found.get("lines", ()))]
        print("\n".join(lines))
    return code


def summary(live: LiveRun, how: How) -> dict[str, Any]:
    """What came of a run, with the project's folder where its lines speak of it."""
    found = live.workflow.summary(live.state, live.library)
    root = Project(how.project).root
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
    by = person(f"{act} {slug}")
    project = Project(how.project)
    live = await project.open(slug)
    how = how.on(live)
    worker = how.worker(live.workflow, slug)
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    await live.refresh()
    signed = sign(live, driving.request(live, gate, act), act, payload, by, quiet=how.as_json)
    with reporter(project, live.workflow, slug, how, live.state) as told:
        await how.limit(live)
        await signed.enter(live)
        if how.go_on:
            await runs.drive(live, worker)
    settled: dict[str, Any] = {"answered": signed.plain(live)}
    return end(live, told, how, **settled) if how.go_on else recorded(live, how, settled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A person's act: they saw these digests, and said so in a word of their own."""

    ask: Ask
    act: str
    by: str
    payload: Mapping[str, Any]
    seen: Mapping[str, str]
    changed: str

    async def enter(self, live: LiveRun) -> None:
        """Puts the act into the journal, if what the person saw is still what is there."""
        await runs.answer(live, self.ask.request, self.act, self.by, self.payload, self.seen)

    def plain(self, live: LiveRun) -> dict[str, Any]:
        """The act as JSON data."""
        of = _digests(self.ask, live.state.docs)
        return {"request": self.ask.request, "act": self.act, "by": self.by, "of": of, "changes": self.changed}


def sign(live: LiveRun, ask: Ask, act: str, payload: Mapping[str, Any], by: str, *, quiet: bool = False) -> Signed:
    """Shows a person what they would settle, to the byte, and has them confirm it; nothing is recorded yet."""
    changed, seen = runs.changes(live, ask), _digests(ask, live.state.docs)
    if not quiet:
        _show(ask, act, by, live.state.docs, changed)
    if act == APPROVE and changed and not payload["accept_changes"]:
        raise _changed(ask, live.state.docs, changed)
    confirm(act, by)
    return Signed(ask=ask, act=act, by=by, payload=payload, seen=seen, changed=changed)


def recorded(live: Any, how: How, settled: Mapping[str, Any]) -> int:
    """The answer is in the journal, and the run waits for somebody to go on with it."""
    if how.as_json:
        print_json({**driving.described(live), "exit": 0, **settled})
    else:
        print(f"Recorded. Go on with: signoff resume {live.run}")
    return 0


def _digests(ask: Ask, docs: Mapping[str, str]) -> dict[str, str]:
    return {path: docs.get(path, "") for path in ask.of}


def _show(ask: Ask, act: str, by: str, docs: Mapping[str, str], changed: str) -> None:
    """What the person settles, to the byte."""
    print(f"{by}: {act} {ask.request}. {clean(ask.question)}")
    for path, sha in _digests(ask, docs).items():
        print(f"  {clean(path)}  sha256 {sha or 'gone'}{'' if sha == ask.of[path] else '  CHANGED since the request'}")
    if changed:
        print("\n".join(clean_line(line) for line in changed.splitlines()))


def clean_line(line: str) -> str:
    """A line of a diff with its indentation, and without anything that moves the cursor."""
    return "".join(char if char.isprintable() or char == "\t" else "�" for char in line)


def _changed(ask: Ask, docs: Mapping[str, str], diff: str) -> RefusedError:
    paths = [path for path, sha in ask.of.items() if docs.get(path) != sha]
    error = RefusedError(
        f"{', '.join(paths)} changed after the request was written",
        repair="look at the change, then approve with --accept-changes",
    )
    error.add_note(diff)
    return error


# --- who is there -----------------------------------------------------------------------------------------------------


def confirm(act: str, by: str) -> None:
    """At a terminal a person says yes in a word of their own; a script has said so by naming them."""
    if os.environ.get(PERSON, "").strip():
        return
    print(f"You act as {clean(by)}. Type {act} to confirm: ", end="", file=sys.stderr, flush=True)
    typed = sys.stdin.readline().strip()
    if typed != act:
        raise RefusedError(f"{typed!r} was typed, so nothing was done", repair=f"call it again and type {act}")


def person(act: str) -> str:
    """The person at this terminal, or the one that a script names; anything else may not act for a person."""
    if by := somebody():
        return by
    if agent := opened_by():
        raise UsageError(
            f"`signoff {act}` is a person's act, and this shell was opened by an agent ({agent} is set)",
            repair="run it in a terminal of your own",
        )
    raise UsageError(
        f"`signoff {act}` is a person's act, and there is no terminal on standard input",
        repair=f"run it in a terminal; a script that a person wrote names that person in {PERSON}",
    )


def chooser(ask: Ask, act: str) -> str:
    """Who chooses: anybody, and a script is recorded as one; what the workflow leaves to people alone, a person."""
    return person(act) if ask.notes.get(PERSONS) else somebody() or SCRIPT


def somebody() -> str | None:
    """Who acts, if it is a person that this terminal or a script names; in an agent's shell nobody does."""
    if opened_by():
        return None
    named = clean(os.environ.get(PERSON, "")).strip()
    if named:
        return f"person:{named}"
    with suppress(ValueError, AttributeError):
        if sys.stdin.isatty():
            return f"person:{getpass.getuser()}"
    return None


def opened_by() -> str | None:
    """The variable by which the shell we are in says that an agent opened it."""
    return next((name for name in AGENTS if os.environ.get(name)), None)
