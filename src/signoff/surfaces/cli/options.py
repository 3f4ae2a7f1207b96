"""The options that several commands share, and what the shell completes them with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff.service import status_overview

PERSONAL = {"approve", "reject", "resume"}


def completed(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What the shell offers for the beginning of a word; the names are looked up when it asks."""
    return lambda incomplete: [name for name in dict.fromkeys(names()) if name.startswith(incomplete)]


def _runs() -> list[str]:
    return sorted(str(status["run"]) for status in status_overview.statuses(Path.cwd()))


def _workflows() -> Iterable[str]:
    from signoff.service import catalog

    return catalog.names()


def _examples() -> Iterable[str]:
    from signoff.service.files import new_project

    return new_project.examples()


def _runtimes() -> Iterable[str]:
    from signoff.service import run_control

    return run_control.LABELS


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
ProjectDir = Annotated[Path, typer.Option("--project", metavar="DIR", help="The project folder, or one inside it.")]
ProjectName = Annotated[
    str | None, typer.Option("--project", metavar="DIR", help="The project folder, or one inside it.")
]
Where = Annotated[str | None, typer.Argument(metavar="DIR|SLUG", help="A folder of projects, or one run here.")]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The name of the run.", autocompletion=completed(_runs))]
OptionalSlug = Annotated[
    str | None,
    typer.Argument(
        metavar="SLUG", help="The name of the run; else made from its options.", autocompletion=completed(_runs)
    ),
]
RuntimeName = Annotated[
    str | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="What carries out the turns; else what did so last in this run.",
        autocompletion=completed(_runtimes),
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[AGENT=]NAME",
        help="The model as PROVIDER:NAME, for one agent or for all; repeatable.",
    ),
]
MaxCost = Annotated[
    str | None,
    typer.Option("--max-cost", metavar="USD", help="What the run may cost in all, from now on; none lifts the limit."),
]
MaxTokens = Annotated[
    str | None,
    typer.Option(
        "--max-tokens", metavar="N", help="How many tokens the run may use in all, from now on; none lifts the limit."
    ),
]
NoRun = Annotated[bool, typer.Option("--no-run", help="Record the answer only; do not go on with the run.")]
NoInput = Annotated[
    bool, typer.Option("--no-input", help="Never ask here; end with exit code 3 if the run waits for a person.")
]
WorkflowName = Annotated[
    str | None,
    typer.Option("--workflow", metavar="NAME", help="What the project is for.", autocompletion=completed(_workflows)),
]
Workflows = Annotated[
    list[str] | None,
    typer.Option(
        "--workflow",
        metavar="NAME",
        help="Only what this workflow needs, besides what is installed; repeatable.",
        autocompletion=completed(_workflows),
    ),
]
Example = Annotated[
    str | None,
    typer.Option("--example", metavar="NAME", help="Copy a shipped example.", autocompletion=completed(_examples)),
]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Markdown files; parity takes EN CN.")]
Lang = Annotated[
    str | None, typer.Option("--lang", metavar="en|cn", help="The language; else from the file's name or text.")
]
PageType = Annotated[
    str | None,
    typer.Option(
        "--page-type", metavar="TYPE", help="hardware, algorithm or software; else the project's, else hardware."
    ),
]
Template = Annotated[
    str | None, typer.Option("--template", metavar="FILE", help="A template file, or a shipped template's name.")
]
Registry = Annotated[
    Path | None,
    typer.Option(
        "--registry", metavar="FILE", help="The claims registry; else the nearest _shared/claims-registry.yaml above."
    ),
]
Mode = Annotated[
    str | None, typer.Option("--mode", metavar="format|http", help="http: links must also answer with 200.")
]


def print_json(value: Any) -> None:
    """Prints the JSON document of a command."""
    print(json.dumps(value, ensure_ascii=False, indent=1, default=str))
