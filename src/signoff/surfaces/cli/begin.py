"""`init` and `demo`: the first minutes."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.service import catalog, driving, recorder, runs, scaffold
from signoff.service.project import MARKS, Project
from signoff.shell.files import refuse_taken
from signoff.shell.live import LiveRun
from signoff.shell.recorded import waits_for
from signoff.shell.recordings import Recording, Sitting, told
from signoff.surfaces.cli import work
from signoff.surfaces.cli.keyboard import Keyboard, at_terminal
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import clean, harmless, table


def init(folder: Path, example: str | None, workflow: str | None, *, as_json: bool) -> int:
    """Makes the files of a new project."""
    made = scaffold.start(folder, example, workflow)
    if outer := _around(folder):
        print(f"note: {folder} lies inside the project {outer}, which knows nothing of it", file=sys.stderr)
    go = made.opening or f"signoff run {made.workflow} {made.slug}"
    steps = [*([] if _is_here(folder) else [f"cd {shlex.quote(str(folder))}"]), go]
    if as_json:
        print_json({"project": str(made.root.resolve()), "created": made.created, "kept": made.kept, "next": steps})
        return runs.DONE
    print(
        "\n".join(
            [*(f"created {path}" for path in made.created), *(f"kept    {path} (it was there)" for path in made.kept)]
        )
    )
    print(f"Fill in {' and '.join(made.starter)}, then:" if made.starter else "Next:")
    print("\n".join(f"  $ {step}" for step in steps))
    return runs.DONE


def _around(folder: Path) -> Path | None:
    """The project that a folder lies in, where it is not one by itself."""
    return next((one for one in folder.resolve().parents if any((one / mark).is_dir() for mark in MARKS)), None)


def _is_here(folder: Path) -> bool:
    return folder.resolve() == Path.cwd()


def demos(*, as_json: bool) -> int:
    """Lists what can be shown."""
    found = scaffold.demos()
    if as_json:
        print_json({"demos": [{"workflow": one.workflow, "example": one.example, "by": one.by} for one in found]})
        return runs.DONE
    rows = [(f"signoff demo {one.workflow}{one.option}", clean(one.by, 200)) for one in found]
    print("\n".join(table(("COMMAND", "WHOSE TURNS IT PLAYS"), rows)))
    print("Each is copied to a new folder below ./demo and runs there in seconds, without a key or a network.")
    return runs.DONE


def show(workflow: str, folder: Path | None, example: str | None, *, yes: bool, as_json: bool, home: Path) -> int:
    """Copies an example and runs it before the person's eyes."""
    demo = scaffold.demo(workflow, example)
    if folder is not None:
        refuse_taken(folder.absolute())
    place = folder or scaffold.copy_of(demo.example, home / "demo")
    made = scaffold.start(place, demo.example)
    if not as_json:
        print(f"The example {demo.example!r} was copied to {place}.")
        print(f"Agents: {demo.by}. Kernel, gates, checks and commands run now.")
    how = work.How(project=made.root, as_json=as_json, runtime=driving.RECORDED if demo.recording else None)
    again = f"signoff resume {made.slug} --project {shlex.quote(str(place))}"
    return work.waited(_show(made, demo.recording, how, yes=yes), again)


async def _show(made: scaffold.Scaffolded, recording: Recording | None, how: work.How, *, yes: bool) -> int:
    project, workflow = Project(made.root), catalog.workflow(made.workflow)
    worker = how.worker(workflow, made.slug)
    params = {name: value for name, value in recording.params.items() if name != "slug"} if recording else {}
    live = await driving.begin_or_go_on(project, workflow, made.slug, params, worker)
    while True:
        with work.reporter(project, workflow, made.slug, how, live.state) as reporter:
            await runs.drive(live, worker)
        sitting = recorder.upcoming(recording, live) if recording else None
        if sitting is None or not await _sat(live, sitting, how, yes=yes):
            break
    steps = _steps(work.summary(live, how), made)
    code = work.end(live, reporter, how, summed_up=True, next=steps)
    if not how.as_json:
        print("\n".join(harmless(line) for line in ("try next:", *(f"  $ {step}" for step in steps))))
    return code


async def _sat(live: LiveRun, sitting: Sitting, how: work.How, *, yes: bool) -> bool:
    """Whether the run can go on: the recorded answer is taken, or the person at the terminal gave one."""
    ask = waits_for(sitting, live)
    if ask is None:
        return False
    if not how.as_json:
        print(f"The run asks: {clean(ask.question, 1000)}")
        print(f"  recorded answer of {clean(sitting.by.removeprefix('person:'))}: {clean(told(sitting), 1000)}")
    if not yes:
        if how.as_json or not at_terminal():
            print("--yes takes the recorded answers; without it this demo asks at a terminal.", file=sys.stderr)
            return False
        options = driving.choosable(ask)
        typed = Keyboard().read(f"Enter takes it{''.join(f', {one}' for one in options)}, q stops here: ")
        if typed is None or typed.strip() == "q":
            return False
        if typed.strip():
            act = driving.choice(live, typed.strip(), ask.request)
            await runs.answer(live, act.request, typed.strip(), work.person("demo"), {})
            return True
    await recorder.sit(live, sitting)
    return True


def _steps(summary: Mapping[str, Any], made: scaffold.Scaffolded) -> list[str]:
    go = f"cd {shlex.quote(str(made.root))}"
    return [go, *summary.get("next", ()), f"signoff replay {made.slug}", "signoff status"]
