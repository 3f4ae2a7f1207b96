"""`chat`: a conversation with a persona, which ends with what it makes. What is signed in it is signed as elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signoff.surfaces.cli import options as o


def _names(incomplete: str) -> list[str]:
    from signoff.service import catalog

    return [name for name in catalog.personas() if name.startswith(incomplete)]


def chat(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The persona; left out, all are shown.", autocompletion=_names),
    ] = None,
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="What it is about; else asked for, or the only one there is.")
    ] = None,
    runtime: o.RuntimeName = None,
    model: o.Models = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Talk with a persona, one question at a time, and end with what it makes.

    A persona says which files it needs and who makes them; without NAME all are shown, and which can begin now. You see
    the draft before it is written, and a file that is there is never replaced unless you say so. Every answer is kept
    at once: leave with /exit (or Ctrl-D) whenever you like, and go on later. /back takes the last answer back, /draft
    shows what would come of it, /help the rest. In a run the turns of other agents are carried out as with
    `signoff run`. What must be approved, you confirm as with `signoff approve`.

    \b
    Example:
      signoff chat
      signoff chat plan-developer
      signoff chat solution-architect user_management
    """
    from signoff.surfaces.cli import run_work
    from signoff.surfaces.cli.commands import chat_session

    how = run_work.How(
        project=project, runtime=runtime, models=tuple(model or ()), as_json=as_json,
        max_cost=max_cost, max_tokens=max_tokens,
    )  # fmt: skip
    return chat_session.chat(name, task, how)
