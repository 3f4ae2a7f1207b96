"""`signoff run WORKFLOW`: one subcommand per workflow, made from its declaration when it is wanted."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from signoff.core.workflow import Parameter, Workflow
from signoff.service import catalog
from signoff.surfaces.cli.options import AsJson, ProjectDir, RuntimeName, Slug

Source = Annotated[
    list[Path],
    typer.Option("--source", metavar="PATH", help="Copy a file or folder into 0-sources/ first; repeatable."),
]
Faults = Annotated[
    str | None,
    typer.Option(
        "--faults", metavar="PLAN", help="Make the offline role players misbehave as planned, to try the rules."
    ),
]
FaultSeed = Annotated[
    int | None,
    typer.Option(
        "--fault-seed",
        metavar="N",
        help="Make the offline role players misbehave at random, the same way for the same N.",
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


def command(workflow: Workflow) -> Any:
    """The subcommand of one workflow."""

    def call(**given: Any) -> int:
        from signoff.surfaces.cli import work

        params = {name: given[name] for name in names if given[name] not in (None, False)}
        how = work.How(
            project=given["project"],
            runtime=given["runtime"],
            as_json=given["as_json"],
            faults=given["faults"],
            seed=given["fault_seed"],
        )
        return work.run(workflow, given["slug"], given["source"], params, how)

    names = [parameter.name for parameter in workflow.parameters]
    signature = _signature(workflow)
    vars(call).update(__signature__=signature)
    call.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    call.__doc__ = _help(workflow)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(workflow.name)(call)
    return get_command(app)


def _help(workflow: Workflow) -> str:
    return f"""{workflow.about}

Begins the run SLUG, or goes on with it where it stands. What was finished is never done again.

\b
Example:
  signoff run {workflow.name} desk-lamp --source specs/ {_first_flag(workflow)}
"""


def _first_flag(workflow: Workflow) -> str:
    return next((_flag(parameter) for parameter in workflow.parameters if parameter.flag), "").strip()


def _flag(parameter: Parameter) -> str:
    return f"--{parameter.name.replace('_', '-')}"


def _signature(workflow: Workflow) -> inspect.Signature:
    shared = [
        _parameter("slug", Slug),
        *(_own(parameter) for parameter in workflow.parameters),
        _parameter("source", Source, []),
        _parameter("runtime", RuntimeName, "offline"),
        _parameter("faults", Faults, None),
        _parameter("fault_seed", FaultSeed, None),
        _parameter("project", ProjectDir, Path()),
        _parameter("as_json", AsJson, False),
    ]
    return inspect.Signature(shared, return_annotation=int)


def _own(parameter: Parameter) -> inspect.Parameter:
    about = parameter.about[:1].upper() + parameter.about[1:] + "."
    kind: Any = bool if parameter.flag else parameter.kind | None
    default = False if parameter.flag else parameter.default
    return _parameter(parameter.name, Annotated[kind, typer.Option(_flag(parameter), help=about)], default)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
