"""`demo`: a shipped example, run before the person's eyes."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.service import catalog, run_control, runs
from signoff.service.files import new_project
from signoff.service.project import Project
from signoff.surfaces.cli import run_loop, run_work
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal.formatting import clean, harmless, table


def demos(*, as_json: bool) -> int:
    """Lists what can be shown."""
    found = new_project.demos()
    if as_json:
        print_json({"demos": [{"workflow": one.workflow, "example": one.example, "by": one.by} for one in found]})
        return runs.DONE
    rows = [(f"signoff demo {one.workflow}{one.option}", clean(one.by, 200)) for one in found]
    print("\n".join(table(("COMMAND", "WHOSE TURNS IT PLAYS"), rows)))
    print("Each is copied to a new folder below ./demo and runs there in seconds, without a key or a network.")
    return runs.DONE


def show(workflow: str, folder: Path | None, example: str | None, *, yes: bool, as_json: bool, home: Path) -> int:
    """Copies an example into a new folder and runs it."""
    demo = new_project.demo(workflow, example)
    made = new_project.lay_out(demo, folder, home / "demo")
    if not as_json:
        print(f"The example {demo.example!r} was copied to {made.root}.")
        print(f"Agents: {demo.by}. Kernel, gates, checks and commands run now.")
    runtime = run_control.RECORDED if demo.recording else None
    how = run_work.How(project=made.root, as_json=as_json, runtime=runtime)
    project, kind = Project(made.root), catalog.workflow(made.workflow)
    with run_work.waiting(f"signoff resume {made.slug} --project {shlex.quote(str(made.root))}") as wait:
        live, told = run_loop.work(project, kind, made.slug, [], demo.params, how, wait, recorded=yes)
    if live.state.requests and not (yes or how.asks):
        print("--yes takes the recorded answers; without it this demo asks at a terminal.", file=sys.stderr)
    steps = _steps(run_work.summary(live), made)
    code = run_work.end(live, told, how, summed_up=True, next=steps)
    if not as_json:
        print("\n".join(harmless(line) for line in ("try next:", *(f"  $ {step}" for step in steps))))
    return code


def _steps(summary: Mapping[str, Any], made: new_project.Scaffolded) -> list[str]:
    go = f"cd {shlex.quote(str(made.root))}"
    return [go, *summary.get("next", ()), f"signoff replay {made.slug}", "signoff status"]
