"""`init`: the files of a new project; `new workflow`: a package with a workflow of the person's own."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from signoff.service import runs
from signoff.service.files import new_project
from signoff.service.files import new_workflow as package
from signoff.service.status_overview import around
from signoff.surfaces.cli.options import print_json


def init(folder: Path, example: str | None, workflow: str | None, *, as_json: bool) -> int:
    """Makes the files of a new project."""
    made = new_project.start(folder, example, workflow)
    if outer := around(folder.resolve().parent):
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
    todo = f"Fill in {' and '.join(made.starter)}" if made.starter else ""
    todo = todo or (f"Put your documents into {' and '.join(made.sources)}" if made.sources else "")
    print(f"{todo}, then:" if todo else "Next:")
    print("\n".join(f"  $ {step}" for step in steps))
    return runs.DONE


def new_workflow(name: str, folder: Path, *, as_json: bool) -> int:
    """Makes a package with a workflow of the person's own."""
    made = package.create(name, folder)
    steps = [f"cd {shlex.quote(str(folder))}", "pip install -e .", "python -m pytest", f"signoff run {name} --help"]
    if as_json:
        print_json({"folder": str(folder.resolve()), "created": made, "next": steps})
        return runs.DONE
    print("\n".join(f"created {folder / path}" for path in made))
    print("Next:\n" + "\n".join(f"  $ {step}" for step in steps))
    return runs.DONE


def _is_here(folder: Path) -> bool:
    return folder.resolve() == Path.cwd()
