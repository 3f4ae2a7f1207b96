"""`signoff run WORKFLOW`: one subcommand per workflow, made from its declaration when it is wanted."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from signoff.core.errors import UsageError
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.surfaces.cli.options import (
    AsJson,
    MaxCost,
    MaxTokens,
    Models,
    NoInput,
    OptionalSlug,
    ProjectDir,
    RuntimeName,
    Slug,
)
from signoff.surfaces.cli.workflow_options import argument, option, shaped, told

Source = Annotated[
    list[Path],
    typer.Option("--source", metavar="PATH", help="Copy a file or folder into 0-sources/ first; repeatable."),
]
Faults = Annotated[
    str | None,
    typer.Option(
        "--faults", metavar="PLAN", help="Spoil outputs as planned, as in editor-qa:malformed@1, to try the rules."
    ),
]
FaultSeed = Annotated[
    int | None,
    typer.Option(
        "--fault-seed",
        metavar="N",
        help="Spoil outputs at random, the same way for the same N.",
    ),
]


class WorkflowGroup(TyperGroup):
    """Finds its commands in the catalogue of workflows; a definition is imported when its command is used."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        return list(catalog.names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if ctx.resilient_parsing and cmd_name not in catalog.names():
            return None
        return command(catalog.workflow(cmd_name))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """The examples are the workflows' own."""
        super().format_help_text(ctx, formatter)
        examples = "\n".join(f"  {catalog.workflow(name).example}" for name in catalog.names())
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"\b\nExample:\n{examples}")


def command(workflow: Workflow) -> Any:
    """The subcommand of one workflow."""

    def call(**given: Any) -> int:
        from signoff.surfaces.cli import run_loop, run_work

        values = told(workflow.parameters, given)
        params = {name: value for name, value in values.items() if value not in (False, ())}
        how = run_work.How(
            project=given["project"],
            runtime=given["runtime"],
            models=tuple(given["model"] or ()),
            as_json=given["as_json"],
            no_input=given["no_input"],
            faults=given["faults"],
            seed=given["fault_seed"],
            max_cost=given["max_cost"],
            max_tokens=given["max_tokens"],
        )
        return run_loop.run(workflow, _name(workflow, given["slug"], params), given["source"], params, how)

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(workflow.name)(shaped(call, _arguments(workflow), _help(workflow)))
    return get_command(app)


def _name(workflow: Workflow, given: str | None, params: Mapping[str, Any]) -> str:
    """The run's name: as it was given, else as the workflow makes it from what it was told."""
    if name := given or (workflow.setup.called(params) if workflow.setup.called else ""):
        return name
    raise UsageError(f"the run of {workflow.name} has no name", repair=f"name it, as in `{workflow.example}`")


def _help(workflow: Workflow) -> str:
    return f"""{workflow.about}

Begins the run SLUG, or goes on with it where it stands. What was finished is never done again.

\b
Example:
  {workflow.example}
"""


def _arguments(workflow: Workflow) -> list[inspect.Parameter]:
    return [
        argument("slug", Slug) if workflow.setup.called is None else argument("slug", OptionalSlug, None),
        *(option(parameter) for parameter in workflow.parameters),
        argument("source", Source, []),
        argument("runtime", RuntimeName, None),
        argument("model", Models, None),
        argument("max_cost", MaxCost, None),
        argument("max_tokens", MaxTokens, None),
        argument("faults", Faults, None),
        argument("fault_seed", FaultSeed, None),
        argument("no_input", NoInput, False),
        argument("project", ProjectDir, Path()),
        argument("as_json", AsJson, False),
    ]
