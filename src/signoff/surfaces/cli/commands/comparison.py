"""`diff`: what came of two runs of one workflow, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff.service.project import Project
from signoff.service.recordings import comparison
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean, harmless, table

RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run here, a project folder, or FOLDER:RUN.")]
OtherRun = Annotated[str, typer.Argument(metavar="RUN2", help="The run to compare it with, named in the same ways.")]
Text = Annotated[bool, typer.Option("--text", help="Add a unified diff of the documents.")]


def diff(
    run: RunName, other: OtherRun, text: Text = False, as_json: o.AsJson = False, project: o.ProjectDir = Path()
) -> int:
    """Compare two runs: gates, findings, rounds, turns, tokens, cost, documents.

    Rows that differ are marked with *. What a fork has from where it came from is shown as reused and is not in its own
    cost. The exit code is 0 whenever the two could be compared.

    \b
    Example:
      signoff diff desk-lamp ../desk-lamp-fork-3
      signoff diff orders orders-again --text
    """

    async def compared() -> comparison.Compared:
        here = Project(project)
        return comparison.compare(await comparison.opened(run, here), await comparison.opened(other, here))

    found = asyncio.run(compared())
    lines = list(comparison.texts(found)) if text else []
    if as_json:
        o.print_json({**found.to_json(), **({"text": "\n".join(lines)} if text else {})})
    else:
        print("\n".join([*_table(found.to_json()), *(harmless(line.replace("\t", "    ")) for line in lines)]))
    return 0


def _table(found: Mapping[str, Any]) -> list[str]:
    one, other = found["runs"]
    rows = [("*" if left != right else "", what, left, right) for what, left, right in _rows(one, other)]
    names = [f"{Path(side['project']).name}: {side['run']}" for side in (one, other)]
    different = {path: said for path, said in found["documents"].items() if said != "same"}
    same = len(found["documents"]) - len(different)
    return [
        *table(("", str(found["workflow"]), *map(clean, names)), rows),
        f"documents: {same} the same, {len(different)} not",
        *(f"  {clean(path)}: {said}" for path, said in different.items()),
    ]


def _rows(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The facts of both runs in one order; a dash stands for what one of them does not have."""
    left, right = _facts(one), _facts(other)
    for what in sorted({**left, **right}, key=lambda what: what[0]):
        values = left.get(what, "-"), right.get(what, "-")
        if set(values) != {"-"}:
            yield what[1], *values


def _facts(side: Mapping[str, Any]) -> dict[tuple[int, str], str]:
    """The facts of one run, by place in the table and name."""
    own, reused, forked = side["own"], side["reused"], side["forked"]
    waits = ", ".join(side["waits"])
    failing = [name for name, verdict in side["gates"].items() if verdict != "pass"]
    said = (line.partition(": ") for line in side["lines"])
    return {
        (0, "forked at"): forked["turn"] if forked else "-",
        (0, "worked on by"): _listed(side["worked"]),
        (0, "ended"): side["stop"] or (f"waits for a person: {waits}" if waits else "open"),
        (0, "phase"): str(side["phase"] or "-"),
        (0, "rounds"): _listed(side["rounds"]),
        (0, "gates that fail"): ", ".join(failing) or f"none of {len(side['gates'])}",
        **{(1, f"found: {rule}"): str(count) for rule, count in side["findings"].items()},
        **{(2, f"refused: {rule}"): str(count) for rule, count in side["refused"].items()},
        **{(3, label): rest or "yes" for label, _, rest in said},
        (4, "turns"): _listed(own["turns"]),
        (4, "attempts"): f"{own['attempts']}" + (f", {own['failed']} failed" if own["failed"] else ""),
        **{(4, name): _amount(own[name]) for name in ("tokens", "cost", "seconds")},
        (5, "reused turns"): _listed(reused["turns"]),
        **{(5, f"reused {name}"): _amount(reused[name]) if forked else "-" for name in ("tokens", "cost")},
    }


def _listed(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "-"


def _amount(value: object) -> str:
    return "unknown" if value is None else str(value)
