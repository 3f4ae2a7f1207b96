"""`check`: the linter for any Markdown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from signoff import UsageError
from signoff.surfaces.cli import options as o

FORMATS = ("text", "json", "sarif", "junit", "github")


def _formats(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


def check(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE…", help="Markdown files, folders, or patterns in quotes.")
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", metavar="DIR", help="Look every number, date, name and quotation up in these files."),
    ] = None,
    registry: Annotated[
        Path | None, typer.Option("--registry", metavar="FILE", help="Check claim markers and their evidence.")
    ] = None,
    require_claims: Annotated[
        bool, typer.Option("--require-claims", help="Ask for a claim behind every statement that can be false.")
    ] = False,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--pair", metavar="A B", help="Two folders or files that must say the same: en=docs/en cn=docs/zh."
        ),
    ] = None,
    site_root: Annotated[
        str | None, typer.Option("--site-root", metavar="DIR", help="Where links that begin with / count from.")
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="NAME", help="The site tool: github, gitlab, vuepress, docusaurus, hugo, mkdocs, any."
        ),
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="CODE", help="Turn on a rule that is off by default.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Turn a rule off, or all that begin so (SC2).")
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", metavar="NAME", help="text, json, sarif, junit or github.", autocompletion=_formats),
    ] = "text",
    as_json: o.AsJson = False,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the report into a file.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="A TOML file; else the nearest with a table for it.")
    ] = None,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep results by digest in .signoff_cache.")] = True,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", help="How many processes; else one for each processor.")
    ] = 0,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="CODE", help="Say what a rule is about; `all` lists the rules.")
    ] = None,
    project: o.ProjectDir = Path(),
) -> int:
    """Check any Markdown for what must not reach a reader; no project is needed.

    Placeholders, broken links, invisible characters and look-alikes are found in any page. With --sources every
    number, date, name and quotation is looked up; with --pair two languages or versions are compared. A finding is
    turned off by `<!-- signoff-ignore CODE: reason -->` or in `[tool.signoff.check]` of pyproject.toml.

    \b
    Example:
      signoff check docs
      signoff check 'docs/**/*.md' --sources specs --format github
      signoff check --explain SC601
    """
    from signoff.service.check import cache as kept
    from signoff.service.check import checker, formats
    from signoff.service.check import config as configs

    if explain is not None:
        print(configs.explained(explain))
        return 0
    if form not in formats.FORMATS:
        raise UsageError(f"--format is {form!r}", valid=", ".join(formats.FORMATS), repair="name one of them")
    form = "json" if as_json else form
    found = configs.find(project, config)
    changes: dict[str, object] = {}
    if sources:
        changes["sources"] = tuple(sources)
    if pair:
        changes["pairs"] = (pair,)
    if registry is not None:
        changes["registry"] = str((project / registry).resolve())
    if site_root is not None:
        changes["site_root"] = str((project / site_root).resolve())
    if site is not None:
        changes["site"] = configs.known_site(site)
    if require_claims:
        changes["require_claims"] = True
    configs.refuse_unknown_codes((*(select or ()), *(ignore or ())), "the command line")
    changes["select"] = (*found.select, *(select or ()))
    changes["ignore"] = (*found.ignore, *(ignore or ()))
    asked = checker.Request(
        files=tuple(files or ()), config=replace(found, **changes), base=project,  # type: ignore[arg-type]
        cache=Path(kept.FOLDER) if cache else None, jobs=jobs,
    )  # fmt: skip
    report = checker.check(asked)
    written = formats.FORMATS[form](report)
    if output is not None:
        output.write_text(written + "\n", encoding="utf-8")
    elif written:
        print(written)
    return 1 if report.findings else 0
