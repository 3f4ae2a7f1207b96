"""`init` and `demo`: the first minutes."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.service import catalog, driving, runs, scaffold
from signoff.service.project import MARKS, Project
from signoff.surfaces.cli import work
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import harmless


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


def show(folder: Path | None, example: str, *, as_json: bool, home: Path = Path()) -> int:
    """Copies an example and runs it before the person's eyes."""
    place = folder or scaffold.copy_of(example, home / "demo")
    place = scaffold.copy_of(example, place) if place.exists() else place
    made = scaffold.start(place, example)
    if not as_json:
        print(f"The example {example!r} was copied to {place}.")
    return work.waited(_show(made, as_json=as_json), f"signoff resume {made.slug} --project {place}")


async def _show(made: scaffold.Scaffolded, *, as_json: bool) -> int:
    project, workflow = Project(made.root), catalog.workflow(made.workflow)
    how = work.How(project=made.root, as_json=as_json)
    with work.reporter(project, workflow, made.slug, how) as reporter:
        live = await driving.begin_or_go_on(project, workflow, made.slug, {})
        await runs.drive(live, how.worker(workflow))
    steps = _steps(work.summary(live, how), made)
    code = work.end(live, reporter, how, summed_up=True, next=steps)
    if not as_json:
        print("\n".join(harmless(line) for line in ("try next:", *(f"  $ {step}" for step in steps))))
    return code


def _steps(summary: Mapping[str, Any], made: scaffold.Scaffolded) -> list[str]:
    go = f"cd {shlex.quote(str(made.root))}"
    return [go, *summary.get("next", ()), f"signoff replay {made.slug}", "signoff status"]
