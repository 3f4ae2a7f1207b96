"""`doctor`: whether the machine, the project and the runtimes are in order."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from signoff import UsageError
from signoff.service import doctor as service
from signoff.service import run_control, runs
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean

MARKS = {True: "ok  ", False: "FAIL", None: "-   "}


def doctor(
    runtime: Annotated[
        str | None,
        typer.Option("--runtime", metavar="NAME", help="Look at this one thoroughly; else at all of them briefly."),
    ] = None,
    model: o.Models = None,
    trying: Annotated[
        bool, typer.Option("--try", help="Really ask each model one small question; it spends a little.")
    ] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Check machine, project and runtimes: which of them work here, and why not.

    With --runtime it is really tried, and context isolation, agent calls agent and skill loading each get a result.
    If what you ask for does not work, the exit code is 1; a runtime that you have not set up is not a failure.

    \b
    Example:
      signoff doctor
      signoff doctor --runtime model --try
    """
    if runtime is None and (model or trying):
        raise UsageError("--model and --try are for one runtime", repair="add --runtime model")
    if runtime is not None and runtime not in run_control.LABELS:
        valid = ", ".join(run_control.LABELS)
        raise UsageError(f"there is no runtime {runtime!r}", valid=valid, repair="name one of them")
    wanted = service.Wanted(runtime, tuple(model or ()), trying) if runtime else None
    results = asyncio.run(service.examine(project, wanted))
    failed = service.failed(results)
    if as_json:
        o.print_json({"runtime": runtime, "ok": not failed, "results": [result.to_json() for result in results]})
        return runs.FAILED if failed else runs.DONE
    for result in results:
        print(f"{MARKS[result.ok]}  {clean(result.name)}: {clean(result.said, 600)}")
        if result.mending:
            print(f"      Repair: {clean(result.mending, 400)}")
    return runs.FAILED if failed else runs.DONE
