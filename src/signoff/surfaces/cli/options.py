"""The options that many commands share, and what the shell completes them with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff.service import status_overview

PERSONAL = {"approve", "reject", "resume"}


def _slugs(incomplete: str) -> list[str]:
    known = {str(status["run"]) for status in status_overview.statuses(Path.cwd())}
    return sorted(slug for slug in known if slug.startswith(incomplete))


def _requests(incomplete: str) -> list[str]:
    known = {
        str(request["key"]) for request in status_overview.inbox(Path.cwd()) if "approve" in request.get("options", ())
    }
    return sorted(key for key in known if key.startswith(incomplete))


def _options(incomplete: str) -> list[str]:
    asked = [request for request in status_overview.inbox(Path.cwd()) if request.get("kind") != "approval"]
    known = {str(option) for request in asked for option in request.get("options", ())}
    return sorted(option for option in known - PERSONAL if option.startswith(incomplete))


def _open(incomplete: str) -> list[str]:
    known = {str(request["key"]) for request in status_overview.inbox(Path.cwd())}
    return sorted(key for key in known if key.startswith(incomplete))


def _workflows(incomplete: str) -> list[str]:
    from signoff.service import catalog

    return [name for name in catalog.names() if name.startswith(incomplete)]


def _gates(incomplete: str) -> list[str]:
    from signoff.service import catalog
    from signoff.service.files import gate_commands

    return [name for name in (*gate_commands.NAMES, *catalog.gates()) if name.startswith(incomplete)]


def _examples(incomplete: str) -> list[str]:
    from signoff.service.files import new_project

    return [name for name in new_project.examples() if name.startswith(incomplete)]


def _runtimes(incomplete: str) -> list[str]:
    from signoff.service import run_control

    return [name for name in run_control.LABELS if name.startswith(incomplete)]


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
ProjectDir = Annotated[Path, typer.Option("--project", metavar="DIR", help="The project folder, or one inside it.")]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The name of the run.", autocompletion=_slugs)]
OptionalSlug = Annotated[
    str | None,
    typer.Argument(metavar="SLUG", help="The name of the run; else made from its options.", autocompletion=_slugs),
]
RuntimeName = Annotated[
    str | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="What carries out the turns; else what did so last in this run.",
        autocompletion=_runtimes,
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
ApprovalGate = Annotated[
    str,
    typer.Option(
        "--gate",
        metavar="NAME",
        help="The approval that waits, as in strategy, final, roster or design.",
        autocompletion=_requests,
    ),
]
NoRun = Annotated[bool, typer.Option("--no-run", help="Record the answer only; do not go on with the run.")]
NoInput = Annotated[
    bool, typer.Option("--no-input", help="Never ask here; end with exit code 3 if the run waits for a person.")
]
Option = Annotated[
    str | None,
    typer.Argument(metavar="OPTION", help="What to choose; left out, all choices are shown.", autocompletion=_options),
]
Request = Annotated[
    str | None,
    typer.Option("--request", metavar="KEY", help="Which request, where several wait.", autocompletion=_open),
]
Answers = Annotated[list[str] | None, typer.Argument(metavar="KEY=TEXT", help="Answers, by the keys of questions.")]
AnswerFile = Annotated[
    Path | None, typer.Option("--from", metavar="FILE", help="Take answers from a YAML file of `KEY: text` lines.")
]
Every = Annotated[bool, typer.Option("--all", help="Go through every question, those with a clear answer included.")]
Listed = Annotated[bool, typer.Option("--list", help="Only show the questions and how their answers stand.")]
WorkflowName = Annotated[
    str | None,
    typer.Option("--workflow", metavar="NAME", help="What the project is for.", autocompletion=_workflows),
]
Workflows = Annotated[
    list[str] | None,
    typer.Option(
        "--workflow",
        metavar="NAME",
        help="Only what this workflow needs, besides what is installed; repeatable.",
        autocompletion=_workflows,
    ),
]
GateName = Annotated[str, typer.Argument(metavar="NAME", help="The gate to run.", autocompletion=_gates)]
Example = Annotated[
    str | None, typer.Option("--example", metavar="NAME", help="Copy a shipped example.", autocompletion=_examples)
]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Markdown files; parity takes EN CN.")]
Lang = Annotated[
    str | None, typer.Option("--lang", metavar="en|cn", help="The language; else from the file's name or text.")
]
PageType = Annotated[
    str | None,
    typer.Option("--page-type", metavar="TYPE", help="hardware or algorithm; else the project's, else hardware."),
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
Strip = Annotated[
    bool, typer.Option("--strip-claims", help="Look at the file as it would be released, without claim comments.")
]


def print_json(value: Any) -> None:
    """The one document of a command."""
    print(json.dumps(value, ensure_ascii=False, indent=1, default=str))
