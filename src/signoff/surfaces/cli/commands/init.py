"""`init`: the files of a new project; `new workflow`: a package with a workflow of the person's own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from signoff.service import runs
from signoff.service.files import new_project
from signoff.service.files import new_workflow as package
from signoff.service.status_overview import around
from signoff.surfaces.cli import options as o

new = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make the project in.")] = Path(),
    workflow: o.WorkflowName = None,
    example: o.Example = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Make a new project: the files to fill in, and the config.

    Files that are there are kept. The new ones are small, valid and full of comments that say what goes where.

    \b
    Example:
      signoff init desk-lamp
      signoff init try-it --example hardware
    """
    root = project / folder
    made = new_project.start(root, example, workflow)
    if outer := around(root.resolve().parent):
        print(f"note: {root} lies inside the project {outer}, which knows nothing of it", file=sys.stderr)
    go = [] if root.resolve() == Path.cwd() else [f"cd {shlex.quote(str(root))}"]
    steps = [*go, made.opening or f"signoff run {made.workflow} {made.slug}"]
    if as_json:
        o.print_json({"project": str(made.root.resolve()), "created": made.created, "kept": made.kept, "next": steps})
        return runs.DONE
    lines = [*(f"created {path}" for path in made.created), *(f"kept    {path} (it was there)" for path in made.kept)]
    print("\n".join(lines))
    todo = f"Fill in {' and '.join(made.starter)}" if made.starter else ""
    todo = todo or (f"Put your documents into {' and '.join(made.sources)}" if made.sources else "")
    _next(f"{todo}, then:" if todo else "Next:", steps)
    return runs.DONE


@new.callback()
def made_new() -> None:
    """Make something of your own to start from: a workflow.

    \b
    Example:
      signoff new workflow release-notes
    """


@new.command("workflow")
def new_workflow(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the workflow is called, such as press-release.")],
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="A new folder; else ./NAME.")] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Make a Python package with a workflow of your own: one file, its tests, its entry point.

    It works as it is: two agents, a gate, a revision loop with a limit, an approval. Change it from there.

    \b
    Example:
      signoff new workflow release-notes
    """
    root = project / (folder or name)
    made = package.create(name, root)
    steps = [f"cd {shlex.quote(str(root))}", "pip install -e .", "python -m pytest", f"signoff run {name} --help"]
    if as_json:
        o.print_json({"folder": str(root.resolve()), "created": made, "next": steps})
        return runs.DONE
    print("\n".join(f"created {root / path}" for path in made))
    _next("Next:", steps)
    return runs.DONE


def _next(opening: str, steps: Sequence[str]) -> None:
    print("\n".join([opening, *(f"  $ {step}" for step in steps)]))
