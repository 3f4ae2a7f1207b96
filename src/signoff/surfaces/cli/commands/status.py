"""`status` and `inbox`, for calls that are not in the plain form that `status_index` answers by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import status_index


def status(where: o.Where = None, as_json: o.AsJson = False, project: o.ProjectName = None) -> int:
    """Show where every run stands, in this project or in all below a folder.

    \b
    Example:
      signoff status
      signoff status ~/pages --json
    """
    return status_index.answer(status_index.Asked("status", where, project, as_json))


def inbox(
    where: o.Where = None,
    as_json: o.AsJson = False,
    project: o.ProjectName = None,
    runtime: Annotated[
        str | None, typer.Option("--runtime", metavar="NAME", help="Show the commands for runs on this runtime.")
    ] = None,
) -> int:
    """Show everything that waits for a person, with the command that answers it.

    \b
    Example:
      signoff inbox
      signoff inbox ~/pages
    """
    return status_index.answer(status_index.Asked("inbox", where, project, as_json, runtime))
