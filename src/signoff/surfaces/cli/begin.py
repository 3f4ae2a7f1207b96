"""`init` and `demo`: the first minutes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from signoff.service import catalog, driving, runs, scaffold
from signoff.service.project import Project
from signoff.surfaces.cli import work
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import counted


def init(folder: Path, example: str | None, *, as_json: bool) -> int:
    """Makes the files of a new project."""
    made = scaffold.start(folder, example)
    go = f"signoff run {made.workflow} {made.slug}"
    steps = [*([] if _is_here(folder) else [f"cd {shlex.quote(str(folder))}"]), go]
    if as_json:
        print_json({"project": str(made.root.resolve()), "created": made.created, "kept": made.kept, "next": steps})
        return runs.DONE
    print(
        "\n".join(
            [*(f"created {path}" for path in made.created), *(f"kept    {path} (it was there)" for path in made.kept)]
        )
    )
    print("Fill in 0-sources/product.yaml and 0-sources/brief.md, then:" if example is None else "Next:")
    print("\n".join(f"  $ {step}" for step in steps))
    return runs.DONE


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
    summary = dict(live.workflow.summary(live.state, live.library))
    code = work.end(live, reporter, how, summary=summary, next=_next(summary, made))
    if not as_json:
        print("\n".join(summed(summary, made)))
    return code


def summed(summary: dict[str, Any], made: scaffold.Scaffolded) -> list[str]:
    """The demo in a few lines."""
    red = sorted(gate for gate, said in summary["gates"].items() if said != "pass")
    green = len(summary["gates"]) - len(red)
    claims = summary["claims"]
    return [
        f"gates: {green} green" + (f", {len(red)} red: {', '.join(red)}" if red else ""),
        f"claims in use: {claims['verified']}/{claims['used']} verified against their evidence",
        f"files: {counted(len(summary['drafts']), 'draft')} and the claims ({summary['registry']}) in {made.root}",
        "try next:",
        *(f"  $ {line}" for line in _next(summary, made)),
    ]


def _next(summary: dict[str, Any], made: scaffold.Scaffolded) -> list[str]:
    claim, drafts = summary["example_claim"], summary["drafts"]
    return [
        f"cd {shlex.quote(str(made.root))}",
        *([f"signoff trace {claim}"] if claim else []),
        *([f"signoff gate claims {drafts[0]}"] if drafts else []),
        f"signoff replay {made.slug}",
        "signoff status",
    ]
