"""`trace`, `replay`, `doctor`, `gate`: what only looks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signoff.core.errors import UsageError
from signoff.service import runs
from signoff.service.project import Project
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import clean, counted, tree

_MARK = {True: "ok  ", False: "FAIL", None: "-   "}


# --- trace and replay -------------------------------------------------------------------------------------------------


def trace(what: str, run: str | None, project: Path, *, as_json: bool) -> int:
    """Where an id came from and what depends on it."""
    name, found = asyncio.run(_trace(what, run, Project(project)))
    if as_json:
        print_json({"run": name, **found})
    else:
        print("\n".join(traced(found)))
    return 0


async def _trace(what: str, run: str | None, project: Project) -> tuple[str, Mapping[str, Any]]:
    names = (
        [run] if run else [started.run for folder in project.store.runs() if (started := await project.started(folder))]
    )
    problem: UsageError | None = None
    for name in names:
        live = await project.open(name)
        try:
            return name, runs.trace(live, what)
        except UsageError as error:
            problem = error
    raise problem or UsageError(f"no run has begun in {project.root}", repair="begin one with `signoff run`")


def traced(found: Mapping[str, Any]) -> list[str]:
    """The way of an id as a tree."""
    rest = {name: value for name, value in found.items() if name not in ("id", "text")}
    return tree(f"{found.get('id', '')}: {found.get('text', '')}", rest)


def replay(slug: str, project: Path, *, as_json: bool) -> int:
    """Whether the files are what the journal says."""
    from signoff.service import doctor

    live = asyncio.run(Project(project).open(slug))
    differing, edited = doctor.differences(live), doctor.edited(live)
    if as_json:
        print_json(
            {
                "run": slug,
                "revision": live.state.rev,
                "equal": not differing,
                "differences": differing,
                "edited": edited,
            }
        )
    else:
        print(f"{slug}: {counted(len(live.events), 'event')} replayed, revision {live.state.rev}")
        print(
            "\n".join(f"  {path} {what}" for path, what in differing.items())
            or "  every file that follows from the journal is equal, byte for byte"
        )
        for path, what in edited.items():
            print(f"  note: {clean(path)} {what} since; the next step of the run takes that in")
    return runs.FAILED if differing else runs.DONE


# --- doctor -----------------------------------------------------------------------------------------------------------


def doctor(runtime: str, project: Path, *, as_json: bool) -> int:
    """Whether everything that is needed is in place."""
    from signoff.service import doctor as service
    from signoff.service import driving

    if runtime not in driving.LABELS:
        raise UsageError(f"there is no runtime {runtime!r}", valid=", ".join(driving.LABELS))
    results = asyncio.run(service.examine(project, runtime))
    failed = service.failed(results)
    if as_json:
        print_json({"runtime": runtime, "ok": not failed, "results": [result.plain() for result in results]})
    else:
        print("\n".join(f"{_MARK[result.ok]}  {clean(result.name)}: {clean(result.said, 400)}" for result in results))
    return runs.FAILED if failed else runs.DONE


# --- gates ------------------------------------------------------------------------------------------------------------


def gate(asked: Mapping[str, Any], *, as_json: bool) -> int:
    """One gate over plain files."""
    from signoff.service import gates

    result = asyncio.run(gates.check(gates.Asked(**asked)))
    if as_json:
        print_json(result.plain())
    else:
        for finding in result.findings:
            print(clean(finding, 1000) + (" (warning)" if finding.severity == "warning" else ""))
        print(f"{result.gate}: {'pass' if result.passed else 'FAIL'}, {_amount(result)}")
    return runs.DONE if result.passed else runs.FAILED


def _amount(result: Any) -> str:
    return f"{counted(len(result.findings), 'finding')} in {counted(len(result.files), 'file')}"
