"""`signoff run WORKFLOW`, a subcommand per workflow that is made from its declaration, and `signoff resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from signoff import RESUME, UsageError, Workflow
from signoff.service import catalog, run_control, runs
from signoff.service.project import Project, Run
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import work
from signoff.surfaces.cli.terminal.signing import confirm, here
from signoff.surfaces.cli.work import OPTIONS, How
from signoff.surfaces.cli.workflow_options import argument, checked_values, option, shaped

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
    typer.Option("--fault-seed", metavar="N", help="Spoil outputs at random, the same way for the same N."),
]


class WorkflowGroup(TyperGroup):
    """Finds its commands in the catalogue of workflows; a definition is imported when its command is used."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        return list(catalog.names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if ctx.resilient_parsing and cmd_name not in catalog.names():
            return None
        return _command(catalog.workflow(cmd_name))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """The examples are the workflows' own."""
        super().format_help_text(ctx, formatter)
        examples = "\n".join(f"  {catalog.workflow(name).example}" for name in catalog.names())
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"\b\nExample:\n{examples}")


run = typer.Typer(cls=WorkflowGroup, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


@run.callback()
def workflows() -> None:
    """Begin a run of a workflow, or go on with it.

    Every workflow is a command of its own; `signoff run WORKFLOW --help` lists what it can be told.
    """


def _command(workflow: Workflow) -> Any:
    """The subcommand of one workflow."""

    def call(**given: Any) -> int:
        params = {
            name: value
            for name, value in checked_values(workflow.parameters, given).items()
            if value not in (False, ())
        }
        slug = given["slug"] or (workflow.setup.called(params) if workflow.setup.called else "")
        if not slug:
            repair = f"name it, as in `{workflow.example}`"
            raise UsageError(f"the run of {workflow.name} has no name", repair=repair)
        how = work.how_of(given)
        with work.event_loop(f"signoff resume {slug}") as wait:
            project = Project(how.project)
            live, shown = work.begin_or_go_on(project, workflow, slug, given["source"], params, how, wait)
        return work.end(live, shown, how)

    arguments = [
        argument("slug", o.Slug) if workflow.setup.called is None else argument("slug", o.OptionalSlug, None),
        *(option(parameter) for parameter in workflow.parameters),
        argument("source", Source, []),
        argument("faults", Faults, None),
        argument("fault_seed", FaultSeed, None),
        *(argument(name, *OPTIONS[name]) for name in OPTIONS if name != "no_run"),
    ]
    text = f"""{workflow.about}

Begins the run SLUG, or goes on with it where it stands. What was finished is never done again.

\b
Example:
  {workflow.example}
"""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(workflow.name)(shaped(call, arguments, text))
    return get_command(app)


@work.run_options("no_input")
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
    *,
    how: How,
) -> int:
    """Go on with a run, after an interruption or a decision.

    After a kill or Ctrl-C it just goes on; nothing that was received is asked for again. If the run is escalated,
    out of budget or edited after release, resuming is your decision: you must be at a terminal, or SIGNOFF_PERSON
    must name you.

    \b
    Example:
      signoff resume desk-lamp
      signoff resume desk-lamp --from strategy     # after an edit of the sources: build it again from them
      signoff resume desk-lamp --max-cost 5        # after the limit stopped it: a larger one
    """
    project = Project(how.project)
    with work.event_loop(f"signoff resume {slug}") as wait:
        live: Run = wait(project.open(slug))
        how = how.on(live)
        worker = how.worker(project, live.workflow, slug)
        actor = here()
        if run_control.resumption(live, actor, step):
            confirm(RESUME, actor)
        with work.reporter(project, live.workflow, slug, how, worker, live.state) as shown:
            wait(live.refresh())
            wait(how.limit(live))
            if ask := runs.resumable(live.state):
                wait(runs.answer(live, ask.request, RESUME, actor, {"from": step} if step else {}))
            wait(runs.drive(live, worker))
        shown = work.attend(live, worker, how, shown, wait)
    return work.end(live, shown, how)
