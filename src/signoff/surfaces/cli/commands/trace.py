"""`trace`: where an id of a document came from, and what depends on it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from signoff.service import edited_files, run_control
from signoff.service.project import Project
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean, tree


def trace(
    what: Annotated[str, typer.Argument(metavar="ID", help="An id in the documents of a run, as in C-RS-001 or Q3.")],
    run_name: Annotated[
        str | None, typer.Option("--run", metavar="SLUG", help="The run; else the one that knows the id.")
    ] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Show where an id came from, what it rests on, and what it led to.

    \b
    Example:
      signoff trace C-RS-001
      signoff trace Q3 --run orders
    """
    name, found = asyncio.run(run_control.traced(Project(project), what, run_name))
    if as_json:
        o.print_json({"run": name, **found})
    else:
        if edited := found.get("edited"):
            print(f"stale: {clean(edited_files.told(edited), 400)}; `signoff resume {name}`")
        rest = {part: value for part, value in found.items() if part not in ("id", "text", "edited")}
        print("\n".join(tree(f"{found.get('id', '')}: {found.get('text', '')}", rest)))
    return 0
