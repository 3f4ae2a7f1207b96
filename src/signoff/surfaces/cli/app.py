"""The typer application: every command with its options and a help text that teaches. The work is done elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from signoff.surfaces.cli import chat, check, cost, file_commands, install, mcp, recording_commands
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.run import WorkflowGroup

PLAIN: Any = {"max_content_width": 110}
ORDER = (
    "init", "run", "chat", "resume", "status", "inbox", "cost", "approve", "reject", "choose", "answer",
    "check", "gate", "trace", "replay", "fork", "diff", "transcript", "record", "doctor", "demo",
    "mcp", "install", "new", "hook",
)  # fmt: skip


class Ordered(TyperGroup):
    """Commands in the order in which people meet them; what workflows declare for plain files comes last."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*sorted(super().list_commands(ctx), key=ORDER.index), *file_commands.workflows()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, cmd_name) or file_commands.group(cmd_name)


app = typer.Typer(
    cls=Ordered,
    name="signoff",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={**PLAIN, "help_option_names": ["--help", "-h"]},
)
new = typer.Typer(no_args_is_help=True, rich_markup_mode=None, context_settings=PLAIN)
runner = typer.Typer(cls=WorkflowGroup, no_args_is_help=True, rich_markup_mode=None, context_settings=PLAIN)


def invoke(argv: Sequence[str]) -> int:
    """Runs one command line; errors are the guard's."""
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


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make the project in.")] = Path(),
    workflow: o.WorkflowName = None,
    example: o.Example = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Make a new project: the files to fill in, and the config.

    Files that are there are kept. The new ones are small, valid and full of comments that say what goes where.

    \b
    Example:
      signoff init desk-lamp
      signoff init try-it --example hardware
    """
    from signoff.surfaces.cli import init as work

    return work.init(project / folder, example, workflow, as_json=as_json)


@new.callback()
def made_new() -> None:
    """Make something of your own to start from: a workflow.

    \b
    Example:
      signoff new workflow release-notes
    """


@new.command("workflow")
def new_workflow(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the workflow is called, such as press-release.")],
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="A new folder; else ./NAME.")] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Make a Python package with a workflow of your own: one file, its tests, its entry point.

    It works as it is: two agents, a gate, a revision loop with a limit, an approval. Change it from there.

    \b
    Example:
      signoff new workflow release-notes
    """
    from signoff.surfaces.cli import init as work

    return work.new_workflow(name, project / (folder or name), as_json=as_json)


@runner.callback()
def run() -> None:
    """Begin a run of a workflow, or go on with it.

    Every workflow is a command of its own; `signoff run WORKFLOW --help` lists what it can be told.
    """


app.add_typer(runner, name="run")
app.add_typer(new, name="new")
app.command("chat")(chat.chat)
app.command("mcp")(mcp.mcp)
app.command("replay")(recording_commands.replay)
app.command("fork")(recording_commands.fork)
app.command("diff")(recording_commands.diff)
app.command("transcript")(recording_commands.transcript)
app.command("record")(recording_commands.record)
app.command("check")(check.check)
app.command("cost")(cost.cost)
app.command("install")(install.install)
app.command("hook")(install.hook)


@app.command()
def resume(
    slug: o.Slug,
    step: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STEP",
            help="Begin again at an earlier step, such as draft_en, sequence or verify.",
        ),
    ] = None,
    no_input: o.NoInput = False,
    runtime: o.RuntimeName = None,
    model: o.Models = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Go on with a run, after an interruption or a decision.

    After a kill or Ctrl-C it just goes on; nothing that was received is asked for again. Where the run is escalated,
    out of budget or edited after release, resuming is your decision: you must be at a terminal, or SIGNOFF_PERSON
    must name you.

    \b
    Example:
      signoff resume desk-lamp
      signoff resume desk-lamp --from strategy     # after an edit of the sources: build it again from them
      signoff resume desk-lamp --max-cost 5        # after the limit stopped it: a larger one
    """
    from signoff.surfaces.cli import run_commands, run_loop

    how = run_commands.How(
        project=project, runtime=runtime, models=tuple(model or ()), as_json=as_json, no_input=no_input,
        max_cost=max_cost, max_tokens=max_tokens,
    )  # fmt: skip
    return run_loop.resume(slug, how, step)


@app.command()
def status(
    where: Annotated[
        str | None, typer.Argument(metavar="DIR|SLUG", help="A folder of projects, or one run here.")
    ] = None,
    as_json: o.AsJson = False,
    project: Annotated[
        str | None, typer.Option("--project", metavar="DIR", help="The project folder, or one inside it.")
    ] = None,
) -> int:
    """Show where every run stands, in this project or in all below a folder.

    \b
    Example:
      signoff status
      signoff status ~/pages --json
    """
    from signoff.surfaces.cli import status_index

    return status_index.answer(status_index.Asked("status", where, project, as_json))


@app.command()
def inbox(
    where: Annotated[
        str | None, typer.Argument(metavar="DIR|SLUG", help="A folder of projects, or one run here.")
    ] = None,
    as_json: o.AsJson = False,
    project: Annotated[
        str | None, typer.Option("--project", metavar="DIR", help="The project folder, or one inside it.")
    ] = None,
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
    from signoff.surfaces.cli import status_index

    return status_index.answer(status_index.Asked("inbox", where, project, as_json, runtime))


@app.command()
def approve(
    slug: o.Slug,
    gate: o.ApprovalGate,
    accept_changes: Annotated[
        bool,
        typer.Option("--accept-changes", help="Approve although files changed since the request (you edited them)."),
    ] = False,
    no_run: o.NoRun = False,
    runtime: o.RuntimeName = None,
    model: o.Models = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Approve what waits, to the byte, and let the run go on.

    The files and their digests are shown and recorded with your name and the time. Only a person can do this: at a
    terminal, where it is asked once more, or in a script that a person wrote and that names them in SIGNOFF_PERSON.

    \b
    Example:
      signoff approve desk-lamp --gate strategy
    """
    from signoff.surfaces.cli import run_commands

    how = run_commands.How(
        project=project, runtime=runtime, models=tuple(model or ()), as_json=as_json, go_on=not no_run,
        max_cost=max_cost, max_tokens=max_tokens,
    )  # fmt: skip
    return run_commands.approve(slug, gate, accept_changes=accept_changes, how=how)


@app.command()
def reject(
    slug: o.Slug,
    gate: o.ApprovalGate,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="What must change; the agent is given these words.")
    ],
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="en|cn", help="Which draft goes back (final gate); en by default.")
    ] = None,
    no_run: o.NoRun = False,
    runtime: o.RuntimeName = None,
    model: o.Models = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Send back what waits, with the reason, and let the run go on.

    \b
    Example:
      signoff reject desk-lamp --gate final --lang cn --reason "The second feature reads like a translation."
    """
    from signoff.surfaces.cli import run_commands

    how = run_commands.How(
        project=project, runtime=runtime, models=tuple(model or ()), as_json=as_json, go_on=not no_run,
        max_cost=max_cost, max_tokens=max_tokens,
    )  # fmt: skip
    return run_commands.reject(slug, gate, reason, lang, how)


@app.command()
def choose(
    slug: o.Slug,
    option: o.Option = None,
    request: o.Request = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="A word on it; it is recorded with the choice.")
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(
            "--with", metavar="FILE", help="A JSON file with what the option takes, such as answers or edits."
        ),
    ] = None,
    no_run: o.NoRun = False,
    runtime: o.RuntimeName = None,
    model: o.Models = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Choose how a run goes on, where it asks for that.

    Without OPTION it shows what can be chosen and what each choice does. Who chose is recorded: the person at the
    terminal or in SIGNOFF_PERSON, else `script`. Approving, rejecting and resuming have commands of their own.

    \b
    Example:
      signoff choose desk-lamp
      signoff choose desk-lamp more --note "We have time."
      signoff choose user-management adapt --with edits.json
    """
    from signoff.surfaces.cli import choose as chosen
    from signoff.surfaces.cli import run_commands

    how = run_commands.How(
        project=project, runtime=runtime, models=tuple(model or ()), as_json=as_json, go_on=not no_run,
        max_cost=max_cost, max_tokens=max_tokens,
    )  # fmt: skip
    return chosen.choose(slug, option, request, note, given, how)


@app.command()
def answer(
    slug: o.Slug,
    given: o.Answers = None,
    file: o.AnswerFile = None,
    every: o.Every = False,
    listed: o.Listed = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Answer the questions in a run's document.

    At a terminal it asks one by one and writes each answer into the file at once. What else is in the file stays as it
    is, and editing the file by hand does the same. How the run goes on is said at the end.

    \b
    Example:
      signoff answer desk-lamp
      signoff answer desk-lamp Q1=A "Q2=Only paid orders count."
    """
    from signoff.surfaces.cli import answer as answers

    asked = answers.Asked(
        slug=slug, given=given or (), file=file, every=every, listed=listed, as_json=as_json, project=project
    )
    return answers.answer(asked)


@app.command()
def gate(
    name: o.GateName,
    files: o.Files,
    lang: o.Lang = None,
    page_type: o.PageType = None,
    template: o.Template = None,
    registry: o.Registry = None,
    mode: o.Mode = None,
    strip_claims: o.Strip = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Run one gate on plain files; no project is needed.

    The gates of pages are structure, word-count, links, markers, parity and claims. Gates of other workflows and
    packages are called by their names, with a file for each document that they read. Findings say file, line, rule
    and repair.

    \b
    Example:
      signoff gate structure page-en.md
      signoff gate parity page-en.md page-cn.md --json
    """
    from signoff.surfaces.cli import inspect_commands

    asked = {
        "gate": name, "files": tuple(project / file for file in files), "lang": lang, "page_type": page_type,
        "template": template, "registry": registry, "mode": mode, "strip": strip_claims,
    }  # fmt: skip
    return inspect_commands.gate(asked, as_json=as_json)


@app.command()
def trace(
    what: Annotated[str, typer.Argument(metavar="ID", help="An id in the documents of a run, as in C-RS-001 or Q3.")],
    run_name: Annotated[
        str | None, typer.Option("--run", metavar="SLUG", help="The run; else the one that knows the id.")
    ] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Show where an id came from, what it rests on, and what it led to.

    \b
    Example:
      signoff trace C-RS-001
      signoff trace Q3 --run orders
    """
    from signoff.surfaces.cli import inspect_commands

    return inspect_commands.trace(what, run_name, project, as_json=as_json)


@app.command()
def doctor(
    runtime: Annotated[
        str | None,
        typer.Option("--runtime", metavar="NAME", help="Look at this one thoroughly; else at all of them briefly."),
    ] = None,
    model: o.Models = None,
    trying: Annotated[
        bool, typer.Option("--try", help="Really ask each model one small question; it spends a little.")
    ] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Check machine, project and runtimes: which of them work here, and why not.

    With --runtime it is really tried, and context isolation, agent calls agent and skill loading each get a result.
    What is asked for and does not work ends with 1; a runtime that you have not set up is no failure.

    \b
    Example:
      signoff doctor
      signoff doctor --runtime model --try
    """
    from signoff.surfaces.cli import inspect_commands

    return inspect_commands.doctor(runtime, tuple(model or ()), trying, project, as_json=as_json)


@app.command()
def demo(
    workflow: Annotated[
        str | None, typer.Argument(metavar="WORKFLOW", help="What to show; left out, all demos are listed.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new folder; else ./demo/<run>, numbered if taken.")
    ] = None,
    example: o.Example = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take the recorded answers of people.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Play a whole run of a shipped example in a new folder: no key, no network, a few seconds.

    The agents' outputs are recorded, and the program says by whom; the kernel, gates, checks and commands really run.
    Where the run asks a person, you are asked: Enter takes the recorded answer, another one leaves the recording.

    \b
    Example:
      signoff demo
      signoff demo solution-page
      signoff demo clarify --yes
    """
    from signoff.surfaces.cli import demo as work

    if workflow is None:
        return work.demos(as_json=as_json)
    return work.show(workflow, project / folder if folder else None, example, yes=yes, as_json=as_json, home=project)
