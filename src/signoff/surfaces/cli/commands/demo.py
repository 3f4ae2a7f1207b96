"""`demo`: plays a shipped example in a new folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from signoff.service import catalog, run_control, runs
from signoff.service.files import new_project
from signoff.service.project import Project
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import work
from signoff.surfaces.cli.terminal.formatting import clean, harmless, table


def demo(
    workflow: Annotated[
        str | None, typer.Argument(metavar="WORKFLOW", help="What to show; left out, all demos are listed.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new folder; else ./demo/<run>, numbered if taken.")
    ] = None,
    example: o.Example = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take the recorded answers of people.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Play a whole run of a shipped example in a new folder: no key, no network, a few seconds.

    The agents' outputs are recorded, and the program says by whom; the kernel, gates, checks and commands really run.
    If the run asks a person, you are asked: Enter takes the recorded answer, another one leaves the recording.

    \b
    Example:
      signoff demo
      signoff demo solution-page
      signoff demo clarify --yes
    """
    if workflow is None:
        return _list(as_json=as_json)
    shown = new_project.demo(workflow, example)
    made = new_project.lay_out(shown, project / folder if folder else None, project / "demo")
    if not as_json:
        print(f"The example {shown.example!r} was copied to {made.root}.")
        print(f"Agents: {shown.by}. Kernel, gates, checks and commands run now.")
    runtime = run_control.RECORDED if shown.recording else None
    how = work.How(project=made.root, as_json=as_json, runtime=runtime)
    opened, kind = Project(made.root), catalog.workflow(made.workflow)
    with work.event_loop(f"signoff resume {made.slug} --project {shlex.quote(str(made.root))}") as wait:
        live, told = work.begin_or_go_on(opened, kind, made.slug, [], shown.params, how, wait, recorded=yes)
    if live.state.requests and not (yes or how.asks):
        print("--yes takes the recorded answers; without it this demo asks at a terminal.", file=sys.stderr)
    go, more = f"cd {shlex.quote(str(made.root))}", work.summary(live).get("next", ())
    steps = [go, *more, f"signoff replay {made.slug}", "signoff status"]
    code = work.end(live, told, how, summed_up=True, next=steps)
    if not as_json:
        print("\n".join(harmless(line) for line in ("try next:", *(f"  $ {step}" for step in steps))))
    return code


def _list(*, as_json: bool) -> int:
    found = new_project.demos()
    if as_json:
        o.print_json({"demos": [{"workflow": one.workflow, "example": one.example, "by": one.by} for one in found]})
        return runs.DONE
    rows = [(f"signoff demo {one.workflow}{one.option}", clean(one.by, 200)) for one in found]
    print("\n".join(table(("COMMAND", "WHOSE TURNS IT PLAYS"), rows)))
    print("Each is copied to a new folder below ./demo and runs there in seconds, without a key or a network.")
    return runs.DONE
