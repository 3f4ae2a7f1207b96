"""The typer application: the table of all commands. The module of a command is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from signoff.service import catalog

WIDTH: Any = {"max_content_width": 110}
COMMANDS = {
    "init": ("init", "Make a new project: the files to fill in, and the config."),
    "facts": ("facts", "Propose the facts of a product sheet from data sheets, tables and prose, each with its place."),
    "run": ("run", "Begin a run of a workflow, or go on with it."),
    "chat": ("chat", "Talk with a persona, one question at a time, and end with what it makes."),
    "resume": ("run", "Go on with a run, after an interruption or a decision."),
    "status": ("status", "Show where every run stands, in this project or in all below a folder."),
    "inbox": ("status", "Show everything that waits for a person, with the command that answers it."),
    "export": ("export", "Write released pages, or any Markdown file, as HTML, DOCX or PDF."),
    "cost": ("cost", "Show what runs have used: turns, tokens, cached tokens, money, and what their limits leave."),
    "approve": ("requests", "Approve what waits, to the byte, and let the run go on."),
    "reject": ("requests", "Send back what waits, with the reason, and let the run go on."),
    "choose": ("requests", "Choose how a run goes on, if it asks for that."),
    "answer": ("answer", "Answer the questions in a run's document."),
    "overrule": ("overrule", "Overrule a finding of a gate that is wrong or that you take on yourself."),
    "check": ("check", "Check any Markdown for what must not reach a reader; no project is needed."),
    "gate": ("files", "Run one gate on plain files; no project is needed."),
    "trace": ("trace", "Show where an id came from, what it rests on, and what it led to."),
    "replay": ("recordings", "Make all files of a run again from its recording, and compare them byte for byte."),
    "fork": ("recordings", "Go on from an earlier turn in a new folder, with another model, prompt or config."),
    "diff": ("comparison", "Compare two runs: gates, findings, rounds, turns, tokens, cost, documents."),
    "transcript": ("recordings", "Print the conversation of a turn with its model."),
    "record": ("recordings", "Keep the outputs and answers of a finished run, to be played again without a model."),
    "doctor": ("doctor", "Check machine, project and runtimes: which of them work here, and why not."),
    "demo": ("demo", "Play a whole run of a shipped example in a new folder: no key, no network, a few seconds."),
    "mcp": ("mcp", "Serve the project to an MCP host, such as Claude Code, which then takes the turns of its runs."),
    "install": ("install", "Install Signoff into Claude Code: agents, slash commands, the MCP server and hooks."),
    "new": ("init", "Make something of your own to start from: a workflow."),
    "hook": ("install", "Answer a hook of Claude Code: it sends JSON on standard input, and reads JSON."),
}  # fmt: skip
"""Every command in the order in which people meet it: its module, and the first line of its help."""


class LazyGroup(TyperGroup):
    """Lists commands without importing them; what workflows declare for plain files comes last."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        self.commands = {name: TyperCommand(name, help=about) for name, (_, about) in COMMANDS.items()}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        return [*COMMANDS, *catalog.with_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What a list shows of a command."""
        if cmd_name in self.commands or cmd_name not in self.list_commands(ctx):
            return self.commands.get(cmd_name)
        return TyperCommand(cmd_name, help=f"Files of {cmd_name}: what can be done without a run.")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, imported."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, _imported(args[0]) if listed else None, rest


def _imported(name: str) -> Any:
    if name not in COMMANDS:
        from signoff.surfaces.cli.commands import files

        return files.group(name)
    found = getattr(import_module(f"signoff.surfaces.cli.commands.{COMMANDS[name][0]}"), name)
    if isinstance(found, typer.Typer):
        own = found
    else:
        own = typer.Typer(add_completion=False, rich_markup_mode=None)
        own.command(name)(found)
    command = get_command(own)
    command.name = name
    return command


app = typer.Typer(
    cls=LazyGroup,
    name="signoff",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={**WIDTH, "help_option_names": ["--help", "-h"]},
)


def invoke(argv: Sequence[str]) -> int:
    """Runs one command line. The guard reports errors."""
    code = get_command(app).main(args=list(argv), prog_name="signoff", standalone_mode=False)
    return int(code or 0)


def _version(wanted: bool) -> None:
    if wanted:
        import signoff

        print(f"signoff {signoff.__version__}")
        raise typer.Exit


@app.callback()
def signoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Agents propose, code decides, people sign off.

    A run of a workflow lives in a project folder: sources in, documents out, and a journal of everything between.

    \b
    Exit codes:
      0 done                  3 waits for a person    70 a mistake in signoff
      1 a gate or check fails 4 escalated             74 the machine: disk, permissions, journal
      2 usage                 5 budget used up        130 interrupted (nothing is lost)

    \b
    Example:
      signoff demo solution-page
    """
