"""`cost`: the ledger of a run, of a project, or of all projects below a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from signoff import UsageError
from signoff.service import cost_ledger
from signoff.service.cost_ledger import Book, Limit, Sum
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import status_index
from signoff.surfaces.cli.terminal.formatting import clean, counted, table, usd, used

NUMBERS = ("TURNS", "ATTEMPTS", "IN", "OUT", "CACHED", "USD")


def cost(
    where: o.Where = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="turn|agent|model|run",
            help="What to add up for; else turn for one run, run for several.",
            autocompletion=o.completed(lambda: cost_ledger.BY),
        ),
    ] = None,
    as_json: o.AsJson = False,
    project: o.ProjectName = None,
) -> int:
    """Show what runs have used: turns, tokens, cached tokens, money, and what their limits leave.

    It is added up from the journals; failed attempts count. An unknown price is counted as unknown, never as zero.
    A run is limited with --max-cost and --max-tokens or under `budget` in its config, a whole project in
    _workflow/budget.yaml (`tokens: 500000`, `cost: 20`). At a limit the next call is not made. Turns that are in flight
    when it is reached, here or in another process, still finish: they are known when they report. The same file says
    how many turns of one provider a run has out at once, if not 8: `providers: {anthropic: {at_once: 4}}`.

    \b
    Example:
      signoff cost
      signoff cost desk-lamp --by model
    """
    if by is not None and by not in cost_ledger.BY:
        raise UsageError(f"--by is {by!r}", valid=", ".join(cost_ledger.BY))
    folder, run = status_index.place(status_index.Asked("cost", where, project))
    folder = folder.resolve()
    found = asyncio.run(cost_ledger.book(folder, run))
    kind = by or ("turn" if run else "run")
    if as_json:
        o.print_json(found.to_json(kind))
    else:
        print("\n".join(_lines(found, kind, folder)))
    return 0


def _lines(found: Book, by: str, folder: Path) -> Iterator[str]:
    groups = cost_ledger.rows(found.entries, by)
    if groups:
        several = len({entry.project for entry in found.entries}) > 1
        runs = len({(entry.project, entry.run) for entry in found.entries}) > 1
        head = [
            name for name in groups[0].of if (name != "project" or several) and (name != "run" or runs or by == "run")
        ]
        models = ("MODEL",) if by != "model" else ()
        cells = []
        for row in groups:
            named = [status_index.short(row.of[key], folder) if key == "project" else row.of[key] for key in head]
            cells.append([*named, *((", ".join(row.workers),) if models else ()), *_numbers(row.sum)])
        yield from table([*(name.upper() for name in head), *models, *NUMBERS], cells, NUMBERS)
        yield total(cost_ledger.add_up(found.entries))
    else:
        yield f"No turn has reported yet in {folder}."
    yield from (_limit(limit) for limit in found.limits)
    yield from (f"note: {clean(problem, 400)}" for problem in found.problems)


def _numbers(one: Sum) -> list[object]:
    cached = f"{one.cached_tokens:,}" + (
        f" ({one.cached_tokens * 100 // one.input_tokens}%)" if one.cached_tokens else ""
    )
    money = usd(one.cost)
    if one.unpriced:
        money = f"{money} + {one.unpriced} unknown" if one.cost else "unknown"
    return [one.turns, one.attempts, f"{one.input_tokens:,}", f"{one.output_tokens:,}", cached, money]


def total(one: Sum) -> str:
    """The sum in a sentence."""
    unknown = f"{counted(one.unpriced, 'attempt')} of unknown price"
    money = f"{usd(one.cost)} USD" + (f" + {unknown}" if one.unpriced else "")
    failed = f", {one.failed} failed" if one.failed else ""
    turns = f"{counted(one.turns, 'turn')} ({counted(one.attempts, 'attempt')}{failed})"
    return f"total: {money if one.cost or not one.unpriced else unknown}, {one.tokens:,} tokens, {turns}"


def _limit(limit: Limit) -> str:
    """`limit of desk-lamp: 1.20 of 5.00 USD (3.80 left)`."""
    plain = limit.to_json()
    left = limit.left()
    said = used({"tokens": limit.sum.tokens, "cost": plain["cost"]}, plain["limits"])
    rest = [f"{left['tokens']} tokens"] if left["tokens"] is not None else []
    rest += [f"{usd(left['cost'])} USD"] if left["cost"] is not None else []
    whose = clean(limit.of["run"]) if "run" in limit.of else f"the project {clean(limit.of['project'])}"
    return f"limit of {whose}: {', '.join(said)}" + (f" ({' and '.join(rest)} left)" if rest else "")
