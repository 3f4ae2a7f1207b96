"""`gate`, and `signoff WORKFLOW COMMAND FILE…`: commands on plain files that need no run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from signoff import FileCommand, Finding
from signoff.service import catalog, runs
from signoff.service.files import file_commands, gate_commands
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.options import completed
from signoff.surfaces.cli.terminal.formatting import clean, counted, harmless
from signoff.surfaces.cli.workflow_options import argument, checked_values, option, shaped

GateName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The gate to run.",
        autocompletion=completed(lambda: (*gate_commands.NAMES, *catalog.gates())),
    ),
]
Strip = Annotated[
    bool, typer.Option("--strip-claims", help="Look at the file as it would be released, without claim comments.")
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and write nothing.")]


def gate(
    name: GateName,
    files: o.Files,
    lang: o.Lang = None,
    page_type: o.PageType = None,
    template: o.Template = None,
    registry: o.Registry = None,
    mode: o.Mode = None,
    strip_claims: Strip = False,
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
    asked = gate_commands.Asked(
        gate=name,
        files=tuple(project / file for file in files),
        lang=lang,
        page_type=page_type,
        template=template,
        registry=registry,
        mode=mode,
        strip=strip_claims,
    )
    return check(asked, as_json=as_json)


def check(asked: gate_commands.Asked, *, as_json: bool) -> int:
    """Runs one gate over plain files."""
    result = asyncio.run(gate_commands.check(asked))
    if as_json:
        o.print_json(result.to_json())
    else:
        print("\n".join([*lines_of(result.findings), _verdict(result.gate, result)]))
    return runs.DONE if result.passed else runs.FAILED


def lines_of(findings: Sequence[Finding]) -> list[str]:
    """Findings for a reader, a line each."""
    return [clean(one, 1000) + (" (warning)" if one.severity == "warning" else "") for one in findings]


def _verdict(name: str, result: Any) -> str:
    where = f" in {counted(len(result.files), 'file')}" if result.files else ""
    return f"{name}: {'pass' if result.passed else 'FAIL'}, {counted(len(result.findings), 'finding')}{where}"


# --- the commands of workflows ----------------------------------------------------------------------------------------


def group(name: str) -> Any:
    """The commands of one workflow on files."""
    workflow = catalog.workflow(name)
    about = f"Files of {workflow.name}: what can be done without a run.\n\n{workflow.about}"
    groups = {"": _group(about, workflow.people.commands, name=workflow.name)}
    for command in workflow.people.commands:
        outer, _, own = command.name.rpartition(" ")
        if outer not in groups:
            inner = [one for one in workflow.people.commands if one.name.startswith(f"{outer} ")]
            about = f"What can be done with the {outer} of {workflow.name}, without a run."
            groups[outer] = _group(about, inner)
            groups[""].add_typer(groups[outer], name=outer)
        groups[outer].command(own)(_command(command))
    return get_command(groups[""])


def _group(about: str, commands: Sequence[FileCommand], name: str | None = None) -> typer.Typer:
    text = f"{about}\n\n{_examples(commands)}"
    app = typer.Typer(name=name, help=text, no_args_is_help=True, rich_markup_mode=None, add_completion=False)
    app.callback()(lambda: None)
    return app


def _examples(commands: Sequence[FileCommand]) -> str:
    return "\n".join(("\b", "Example:", *(f"  {command.example}" for command in commands)))


def _command(command: FileCommand) -> Any:
    def call(**given: Any) -> int:
        files = given.get("files", [])
        places = [given["project"] / file for file in (files if isinstance(files, list) else [files])]
        params, dry = checked_values(command.parameters, given), given.get("dry_run", False)
        done = file_commands.call(command, places, params, home=given["project"], dry=dry)
        if given["as_json"]:
            o.print_json(done.to_json())
        else:
            ending = [_verdict(command.name, done)] if command.checks or done.findings else []
            print("\n".join([*lines_of(done.findings), *_made(done, dry=dry), *ending]))
        return runs.DONE if done.passed else runs.FAILED

    kind: Any = Path if command.most == 1 else list[Path]
    metavar = command.files.removesuffix("...")  # if a list is taken, typer writes the dots
    files = argument("files", Annotated[kind, typer.Argument(metavar=metavar, help="What to look at.")])
    arguments = [
        *([files] if command.most != 0 else []),
        *(option(parameter) for parameter in command.parameters),
        *([argument("dry_run", Dry, False)] if command.writes else []),
        argument("project", o.ProjectDir, Path()),
        argument("as_json", o.AsJson, False),
    ]
    where = "No project is needed." if command.most != 0 else "It is about the project that this folder belongs to."
    text = f"""{command.about.rstrip(".")}.

{where} The exit code is 1 when a finding must be fixed.

{_examples([command])}
"""
    return shaped(call, arguments, text)


def _made(done: file_commands.Done, *, dry: bool) -> list[str]:
    """What a command said and wrote, or would write."""
    said = [*(clean(line, 1000) for line in done.said), *(harmless(line) for line in done.shown.splitlines())]
    if dry:
        diff = [harmless(line) for line in done.changes.splitlines()]
        return [*said, *diff, "nothing was written (--dry-run)" if diff else "nothing would change (--dry-run)"]
    return [*said, *(f"wrote {clean(path)}" for path in done.written)]
