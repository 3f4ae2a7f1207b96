"""`trace`, `doctor`, `gate` and commands on files: what needs no run to be moved."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.core.declarations import FileCommand
from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.service import runs
from signoff.service.project import Project
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal.formatting import clean, counted, harmless, tree

_MARK = {True: "ok  ", False: "FAIL", None: "-   "}


# --- trace ------------------------------------------------------------------------------------------------------------


def trace(what: str, run: str | None, project: Path, *, as_json: bool) -> int:
    """Where an id came from and what depends on it."""
    name, found = asyncio.run(_trace(what, run, Project(project)))
    if as_json:
        print_json({"run": name, **found})
    else:
        print("\n".join(traced(found)))
    return 0


async def _trace(what: str, run: str | None, project: Project) -> tuple[str, Mapping[str, Any]]:
    lives = [await project.open(run)] if run else await project.open_all()
    if not lives:
        raise UsageError(f"no run has begun in {project.root}", repair="begin one with `signoff run`")
    knowing = [live for live in lives if len(lives) == 1 or runs.known(live, what) is not None]
    if len(knowing) != 1:
        raise _unclear(what, [live.run for live in knowing], [live.run for live in lives])
    return knowing[0].run, runs.trace(knowing[0], what)


def _unclear(what: str, knowing: Sequence[str], names: Sequence[str]) -> UsageError:
    if knowing:
        repair = f"say which run you mean with --run, as in `signoff trace {what} --run {knowing[0]}`"
        return UsageError(f"{len(knowing)} runs know {what!r}", valid=", ".join(knowing), repair=repair)
    repair = "name an id that stands in the documents of one of them"
    return UsageError(f"no run knows an id {what!r}; the runs here are {', '.join(names)}", repair=repair)


def traced(found: Mapping[str, Any]) -> list[str]:
    """The way of an id as a tree."""
    rest = {name: value for name, value in found.items() if name not in ("id", "text")}
    return tree(f"{found.get('id', '')}: {found.get('text', '')}", rest)


# --- doctor -----------------------------------------------------------------------------------------------------------


def doctor(runtime: str | None, models: tuple[str, ...], trying: bool, project: Path, *, as_json: bool) -> int:
    """Whether everything that is needed is in place."""
    from signoff.service import doctor as service
    from signoff.service import run_control

    if runtime is None and (models or trying):
        raise UsageError("--model and --try are for one runtime", repair="add --runtime model")
    if runtime is not None and runtime not in run_control.LABELS:
        raise UsageError(
            f"there is no runtime {runtime!r}", valid=", ".join(run_control.LABELS), repair="name one of them"
        )
    wanted = service.Wanted(runtime, models, trying) if runtime else None
    results = asyncio.run(service.examine(project, wanted))
    failed = service.failed(results)
    if as_json:
        print_json({"runtime": runtime, "ok": not failed, "results": [result.plain() for result in results]})
    else:
        print("\n".join(line for result in results for line in _shown(result)))
    return runs.FAILED if failed else runs.DONE


def _shown(result: Any) -> list[str]:
    """A result for a reader, and below it how to mend it."""
    repair = [f"      Repair: {clean(result.mending, 400)}"] if result.mending else []
    return [f"{_MARK[result.ok]}  {clean(result.name)}: {clean(result.said, 600)}", *repair]


# --- plain files ------------------------------------------------------------------------------------------------------


def gate(asked: Mapping[str, Any], *, as_json: bool) -> int:
    """One gate over plain files."""
    from signoff.service.files import gate_commands

    result = asyncio.run(gate_commands.check(gate_commands.Asked(**asked)))
    if as_json:
        print_json(result.plain())
    else:
        print("\n".join([*found(result.findings), _verdict(result.gate, result)]))
    return runs.DONE if result.passed else runs.FAILED


def files(
    command: FileCommand,
    given: Sequence[Path],
    params: Mapping[str, Any],
    *,
    project: Path,
    dry: bool = False,
    as_json: bool = False,
) -> int:
    """One command of a workflow over plain files."""
    from signoff.service.files import file_commands

    done = file_commands.call(command, given, params, home=project, dry=dry)
    if as_json:
        print_json(done.plain())
    else:
        ending = [_verdict(command.name, done)] if command.checks or done.findings else []
        print("\n".join([*found(done.findings), *_made(done, dry=dry), *ending]))
    return runs.DONE if done.passed else runs.FAILED


def found(findings: Sequence[Finding]) -> list[str]:
    """Findings for a reader, a line each."""
    return [clean(one, 1000) + (" (warning)" if one.severity == "warning" else "") for one in findings]


def _made(done: Any, *, dry: bool) -> list[str]:
    """What a command said and wrote, or would write."""
    said = [*(clean(line, 1000) for line in done.said), *(harmless(line) for line in done.shown.splitlines())]
    if dry:
        diff = [harmless(line) for line in done.changes.splitlines()]
        return [*said, *diff, "nothing was written (--dry-run)" if diff else "nothing would change (--dry-run)"]
    return [*said, *(f"wrote {clean(path)}" for path in done.written)]


def _verdict(name: str, result: Any) -> str:
    where = f" in {counted(len(result.files), 'file')}" if result.files else ""
    return f"{name}: {'pass' if result.passed else 'FAIL'}, {counted(len(result.findings), 'finding')}{where}"
