"""`overrule`: a person overrules a finding of a gate. Without a finding it lists those that are open."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff import UsageError
from signoff.service import overrules, run_control
from signoff.service.project import Project, Run
from signoff.service.types import OpenFinding
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean
from signoff.surfaces.cli.terminal.signing import confirm, here


def overrule(
    slug: o.Slug,
    finding: Annotated[
        str | None,
        typer.Argument(
            metavar="FINDING", help="The id of a finding, or of a claim for all about it; else they are listed."
        ),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", metavar="TEXT", help="Why the finding does not count; readers of the run see it."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the overrule back: the finding counts again.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Overrule a finding of a gate that is wrong or that you take on yourself.

    Only a person can do this: at a terminal, or in a script that names them in SIGNOFF_PERSON. It is recorded with your
    name, the time and the reason, and shown with every approval request. It holds for these words of the gate on this
    text: after an edit of the text the finding counts again. Then go on with `signoff resume`.

    \b
    Example:
      signoff overrule desk-lamp
      signoff overrule desk-lamp 3f9a01c2 --reason "IEC 61850 is the name of a standard."
      signoff overrule desk-lamp 3f9a01c2 --undo
    """
    if finding is None and (undo or reason is not None):
        raise UsageError("no finding is named", repair=f"see their ids with `signoff overrule {slug}`")
    if undo and reason is not None:
        raise UsageError("--undo takes no --reason", repair="leave one of them out")
    if finding is not None and not undo and not (reason or "").strip():
        raise UsageError("the reason is empty", repair='say why the finding does not count, with --reason "…"')
    if finding is None:
        return asyncio.run(_list(slug, project, as_json=as_json))
    return asyncio.run(_act(slug, finding, None if undo else reason, project, as_json=as_json))


async def _opened(slug: str, project: Path) -> Run:
    home = Project(project)
    home.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    return await home.open(slug)


async def _list(slug: str, project: Path, *, as_json: bool) -> int:
    known = await overrules.listed(await _opened(slug, project))
    if as_json:
        o.print_json({"run": slug, **known.plain()})
    else:
        print("\n".join(_lines(slug, known.plain())))
    return 0


def _lines(slug: str, known: dict[str, Any]) -> Iterator[str]:
    if not known["findings"]:
        yield f"No finding of {slug} is open."
    for one in known["findings"]:
        place = f"{one['file']}:{one['line']}" if one["line"] else one["file"]
        yield clean(f"{one['id']}  {one['gate']}  {place}  {one['rule']}: {one['problem']}", 1000)
    if known["findings"]:
        yield f'  $ signoff overrule {slug} FINDING --reason "…"'
    for one in known["overruled"]:
        state = "overruled" if one["holds"] else "overruled, void: the text changed or no gate finds it now"
        yield clean(f"{one['id']}  {state}  {one['rule']}: {one['problem']}", 1000)
        yield f"  {clean(one['by'])}, {clean(one['at'])}: {clean(one['reason'], 1000)}"


async def _act(slug: str, finding: str, reason: str | None, project: Path, *, as_json: bool) -> int:
    actor, act = here(), "undo" if reason is None else "overrule"
    overrules.check(actor, slug, finding, undo=reason is None)
    live = await _opened(slug, project)
    if reason is None:
        confirm(act, actor)
        done = await overrules.undo(live, finding, actor)
    else:
        seen = overrules.named(await overrules.listed(live), slug, finding)
        if not as_json:
            print("\n".join(line for one in seen for line in _shown(one)))
        confirm(act, actor)
        done = await overrules.overrule(live, finding, reason, actor, seen)
    settled = {"findings": [one.id for one in done], "act": act, "by": actor.by}
    if as_json:
        o.print_json({**run_control.described(live), "exit": 0, "settled": settled})
    else:
        print(f"Recorded. Go on with: signoff resume {slug}")
    return 0


def _shown(one: OpenFinding) -> Iterator[str]:
    """A finding and the digests of the texts that it is about: what the person puts their name to."""
    yield clean(f"{one.finding.id} ({one.gate}): {one.finding}", 1000)
    yield from (f"  {clean(name)}  sha256 {sha}" for name, sha in one.of.items())
