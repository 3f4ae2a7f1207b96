"""`export`: released pages, or any Markdown file, as HTML, DOCX or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signoff.service import export as work
from signoff.service.project import find_root
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean


def export(
    what: Annotated[
        list[str], typer.Argument(metavar="RUN|FILE...", help="A run with released pages, or Markdown files.")
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(work.FORMATS),
            help="The format.",
            autocompletion=o.completed(lambda: work.FORMATS),
        ),
    ] = "html",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The folder for the files; else beside each file.")
    ] = None,
    font: Annotated[
        Path | None,
        typer.Option("--font", metavar="FILE", help="The font of a PDF, if this machine has none that fits."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Write released pages, or any Markdown file, as HTML, DOCX or PDF.

    The HTML is one file with its style and its pictures, for light and dark screens and for print; it runs and loads
    nothing. Comments and front matter are left out. DOCX and PDF need the extra `export`. A PDF in Chinese needs a font
    with Chinese characters on this machine, or one named with --font.

    \b
    Example:
      signoff export desk-lamp --format html --out site
      signoff export notes.md --format pdf
    """
    files: list[Path] = []
    for one in what:
        file = project / one
        files += [file] if file.is_file() or file.suffix else work.released(find_root(project), one)
    into = project / out if out else None
    asked = work.Asked(files=tuple(files), format=format_, into=into, font=font and project / font, force=force)
    done = work.export(asked)
    if as_json:
        o.print_json(done.to_json())
    else:
        print("\n".join(f"wrote {clean(target)}" for _, target in done.made))
    return 0
