"""`solution-page validate` and `qa-gate`: thin names for the gates, for scripts that only know those."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.exits import guarded

VALIDATED = ("structure", "word-count", "parity")
CHECKED = ("links", "markers", "claims")

pages = typer.Typer(name="solution-page", no_args_is_help=True, rich_markup_mode=None, add_completion=False)
qa = typer.Typer(name="qa-gate", no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def solution_page() -> NoReturn:
    """The entry point of `solution-page`."""
    sys.exit(call(pages, "solution-page", sys.argv[1:]))


def qa_gate() -> NoReturn:
    """The entry point of `qa-gate`."""
    sys.exit(call(qa, "qa-gate", sys.argv[1:]))


def call(app: typer.Typer, name: str, argv: Sequence[str]) -> int:
    """One command line in, its exit code out."""
    command = get_command(app)
    return guarded(lambda args: int(command.main(args=list(args), prog_name=name, standalone_mode=False) or 0), argv)


@pages.callback()
def _pages() -> None:
    """Checks of solution pages on plain files; no project is needed."""


@pages.command()
def validate(
    kind: Annotated[str, typer.Option("--type", metavar="NAME", help="structure, word-count or parity.")],
    files: o.Files,
    lang: o.Lang = None,
    page_type: o.PageType = None,
    template: o.Template = None,
    registry: o.Registry = None,
    as_json: o.AsJson = False,
) -> int:
    """Check structure, word count or parity. Exit code 0 pass, 1 fail, 2 usage.

    \b
    Example:
      solution-page validate --type structure page-en.md
      solution-page validate --type parity page-en.md page-cn.md
    """
    of = {"lang": lang, "page_type": page_type, "template": template, "registry": registry}
    return _gate("--type", kind, VALIDATED, files, as_json, **of)


@qa.command()
def qa_check(
    kind: Annotated[str, typer.Option("--check", metavar="NAME", help="links, markers or claims.")],
    files: o.Files,
    mode: o.Mode = None,
    lang: o.Lang = None,
    page_type: o.PageType = None,
    template: o.Template = None,
    registry: o.Registry = None,
    as_json: o.AsJson = False,
) -> int:
    """Check links, release markers or claims. Exit code 0 pass, 1 fail, 2 usage.

    \b
    Example:
      qa-gate --check markers release.md
      qa-gate --check links --mode http release.md
    """
    of = {"lang": lang, "page_type": page_type, "template": template, "registry": registry, "mode": mode}
    return _gate("--check", kind, CHECKED, files, as_json, **of)


def _gate(option: str, name: str, valid: Sequence[str], files: list[Path], as_json: bool, **of: Any) -> int:
    from signoff import UsageError
    from signoff.service.files.gate_commands import Asked
    from signoff.surfaces.cli.commands.files import check

    if name not in valid:
        raise UsageError(f"{option} is {name!r}", valid=", ".join(valid))
    return check(Asked(gate=name, files=tuple(files), **of), as_json=as_json)
