"""`signoff WORKFLOW COMMAND FILE…`: the commands on plain files that workflows declare, each made when it is wanted."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from signoff.core.declarations import FileCommand
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.surfaces.cli.options import AsJson, ProjectDir
from signoff.surfaces.cli.workflow_options import argument, option, shaped, told

Dry = Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and write nothing.")]


def workflows() -> list[str]:
    """The workflows that have commands on files."""
    return list(catalog.with_commands())


def group(name: str) -> Any:
    """The commands of one workflow, or None if it has none."""
    return _OfWorkflow(name) if name in catalog.with_commands() else None


class _OfWorkflow(TyperGroup):
    """The commands of one workflow. The workflow is imported if one of them is asked for, not for the list of all."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name=name, short_help=f"Files of {name}: what can be done without a run.", no_args_is_help=True
        )

    @cached_property
    def made(self) -> Any:
        """The group with its commands."""
        return _group(catalog.workflow(str(self.name)))

    def list_commands(self, ctx: Any) -> list[str]:
        names: list[str] = self.made.list_commands(ctx)
        return names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self.made.get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.made.format_help(ctx, formatter)


def _group(workflow: Workflow) -> Any:
    app = typer.Typer(
        name=workflow.name, help=_about(workflow), no_args_is_help=True, rich_markup_mode=None, add_completion=False
    )
    app.callback()(lambda: None)
    groups = {"": app}
    for command in workflow.people.commands:
        outer, _, name = command.name.rpartition(" ")
        if outer not in groups:
            groups[outer] = _inner(workflow, outer)
            app.add_typer(groups[outer], name=outer)
        groups[outer].command(name)(_command(command))
    return get_command(app)


def _inner(workflow: Workflow, word: str) -> typer.Typer:
    """The group that the first word of some commands makes."""
    those = [command for command in workflow.people.commands if command.name.startswith(f"{word} ")]
    text = f"""What can be done with the {word} of {workflow.name}, without a run.

\b
Example:
{_examples(*(command.example for command in those))}
"""
    app = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode=None, add_completion=False)
    app.callback()(lambda: None)
    return app


def _about(workflow: Workflow) -> str:
    return f"""Files of {workflow.name}: what can be done without a run.

{workflow.about}

\b
Example:
{_examples(*(command.example for command in workflow.people.commands))}
"""


def _examples(*lines: str) -> str:
    return "\n".join(f"  {line}" for line in lines)


def _command(command: FileCommand) -> Any:
    def call(**given: Any) -> int:
        from signoff.surfaces.cli.commands import inspect_commands

        files = given.get("files", [])
        params = told(command.parameters, given)
        places = [given["project"] / file for file in (files if isinstance(files, list) else [files])]
        dry = given.get("dry_run", False)
        return inspect_commands.files(
            command, places, params, project=given["project"], dry=dry, as_json=given["as_json"]
        )

    kind: Any = Path if command.most == 1 else list[Path]
    metavar = command.files.removesuffix("...")  # where a list is taken, typer writes the dots
    files = argument("files", Annotated[kind, typer.Argument(metavar=metavar, help="What to look at.")])
    arguments = [
        *([files] if command.most != 0 else []),
        *(option(parameter) for parameter in command.parameters),
        *([argument("dry_run", Dry, False)] if command.writes else []),
        argument("project", ProjectDir, Path()),
        argument("as_json", AsJson, False),
    ]
    return shaped(call, arguments, _help(command))


def _help(command: FileCommand) -> str:
    where = "No project is needed." if command.most != 0 else "It is about the project that this folder belongs to."
    return f"""{command.about.rstrip(".")}.

{where} The exit code is 1 when something that was found must be mended.

\b
Example:
{_examples(command.example)}
"""
