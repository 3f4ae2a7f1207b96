"""`facts`: proposes the facts of a product sheet from documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from signoff.service.files import sheet_facts
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean, counted

KINDS = sheet_facts.KINDS


def facts(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="Documents, or folders of them: data sheets, reports.")
    ],
    into: Annotated[
        Path, typer.Option("--into", metavar="FILE", help="The product sheet to write or to add to.")
    ] = Path("0-sources/product.yaml"),
    page_type: Annotated[
        str, typer.Option("--page-type", metavar="|".join(KINDS), help="The kind of a new sheet.")
    ] = "hardware",
    force: Annotated[
        bool, typer.Option("--force", help="Replace a sheet that is there; else only new facts are added to it.")
    ] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="Show what would be proposed, and write nothing.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Propose the facts of a product sheet from data sheets, tables and prose, each with its place.

    It reads Markdown, HTML, text, PDF and YAML. A fact has the words of its source, and the evidence check has passed
    for its place. Nothing is translated or invented: the other language and the texts of the page stay empty, and you
    write them. In a sheet that is there the facts stay as they are, and new ones are added at the end.

    \b
    Example:
      signoff facts 0-sources/specs 0-sources/reports/test.pdf
      signoff facts datasheet.pdf --into product.yaml
    """
    asked = sheet_facts.Asked(
        sources=tuple(sources),
        home=project,
        into=into,
        kind=page_type,
        force=force,
        dry=dry,
    )
    result = sheet_facts.propose(asked)
    if as_json:
        o.print_json(result.to_json())
    else:
        print("\n".join(_lines(result, dry=dry)))
    return 1 if result.unreadable else 0


def _lines(result: sheet_facts.Result, *, dry: bool) -> Iterator[str]:
    for name, fact in result.proposal.added.items():
        yield f"{name}: {clean(fact.text, 300)}  ({clean(sheet_facts.described(fact), 200)})"
    yield from (f"two sources differ: {clean(one, 600)}" for one in result.proposal.differing)
    yield from (f"not read: {clean(one, 600)}" for one in result.unreadable)
    if result.unplaced:
        yield f"left out: {counted(result.unplaced, 'statement')} whose place no locator can name"
    read = counted(len(result.files), "document")
    if dry:
        yield f"{counted(len(result.proposal.added), 'new fact')} in {read}; nothing was written (--dry-run)"
    elif result.existed and not result.replaced:
        yield f"added {counted(len(result.proposal.added), 'new fact')} from {read} to {clean(result.sheet)}"
    else:
        yield f"wrote {clean(result.sheet)}: {counted(len(result.proposal.added), 'fact')} from {read}"
    if result.proposal.added:
        yield "Check each fact against its place, remove what the page should not say, and write the empty texts."
