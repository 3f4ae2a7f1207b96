"""`install`: Signoff in a host, with a plan that can be looked at first."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff import Finding, UsageError
from signoff.service import catalog, people
from signoff.service.files import installation
from signoff.service.files.installation import Manifest, Plan
from signoff.surfaces.claude_code import hook as hooks
from signoff.surfaces.claude_code import installed_files
from signoff.surfaces.claude_code.places import Target
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.commands.files import lines_of
from signoff.surfaces.cli.terminal.formatting import clean, harmless, table
from signoff.surfaces.cli.terminal.keyboard import Keyboard, at_terminal

HOSTS = ("claude-code",)


def install(
    host: Annotated[
        str,
        typer.Argument(
            metavar="HOST", help="What to install into: claude-code.", autocompletion=o.completed(lambda: HOSTS)
        ),
    ],
    workflow: o.Workflows = None,
    user: Annotated[bool, typer.Option("--user", help="For yourself, in every project; else in the project.")] = False,
    plugin: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="DIR", help="As plugins in a marketplace folder that can be shared."),
    ] = None,
    short_names: Annotated[
        bool | None,
        typer.Option(
            "--short-names/--prefixed-names",
            help="/approve instead of /signoff-approve; else as it is installed.",
            show_default=False,
        ),
    ] = None,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Take out what was installed, or what --workflow names; keep what you edited."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is missing, old or wrong in what is installed.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write over files of your own; each is kept beside the new one.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, as a diff; write nothing.")
    ] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Install Signoff into Claude Code: agents, slash commands, the MCP server and hooks.

    Each workflow gets its agents and a command that begins a run, such as /signoff-create-solution-page. Without
    --workflow you are asked at a terminal which ones you want; a pipe gets those that are installed, or all.
    /signoff-approve, /signoff-reject and /signoff-resume show you what waits and what to type in a terminal: the model
    cannot invoke them. What is in your settings stays as it is. A file of your own is never written over unless you say
    --force, and one of ours that you edited is yours: installing again leaves it, and so does --remove.

    \b
    Example:
      signoff install claude-code --workflow clarify --dry-run
      signoff install claude-code --workflow clarify --workflow article
      signoff install claude-code --user
      signoff install claude-code --plugin ./signoff-plugins
      signoff install claude-code --remove --workflow article
    """
    _refuse(host, plugin, user=user, short_names=short_names, remove=remove, check=check or force)
    target = Target(project, plugin, user)
    place = target.place()
    known = installation.installed(place)
    asked = _named(workflow or (), known)
    if remove:
        return _remove(target, known, asked, dry=dry_run, as_json=as_json)
    chosen = _chosen(known, asked, ask=not (check or as_json))
    short = known.short_names if short_names is None and known else bool(short_names)
    plan = installation.install(place, target.kit(chosen, short=short), force=force)
    if check:
        return _check(plan, as_json=as_json)
    if not dry_run:
        installation.carry_out(plan)
    hints = _hints(plugin, chosen, short=short)
    return _tell(plan, f"installed {_listed(chosen)} in", hints, dry=dry_run, as_json=as_json)


def _remove(target: Target, known: Manifest | None, asked: Sequence[str], *, dry: bool, as_json: bool) -> int:
    """Takes out everything, or what the named workflows alone need."""
    place, has = target.place(), list(known.workflows) if known else []
    if known and (wrong := [name for name in asked if name not in has]):
        raise UsageError(
            f"{wrong[0]} is not among what is installed in {place.home}",
            valid=", ".join(has) or "an installation of Signoff 0.1.0 does not say what belongs to a workflow",
            repair="name one that is" if has else "call `signoff install claude-code` first",
        )
    stay = [name for name in has if asked and name not in asked]
    if known and stay:
        plan = installation.without(place, asked, target.kit(_known(stay), short=known.short_names).merged)
    else:
        plan = installation.uninstall(place)
    if not dry:
        installation.carry_out(plan)
    return _tell(plan, f"removed {_listed(asked) if stay else 'everything'} from", [], dry=dry, as_json=as_json)


def hook(
    name: Annotated[str, typer.Argument(metavar="stop|bash", help="What the host is about to do.")],
    as_json: o.AsJson = False,  # noqa: ARG001 - a hook always answers in JSON
    project: o.ProjectDir = Path(),  # noqa: ARG001 - the host says in which folder its session is
) -> int:
    """Answer a hook of Claude Code: it sends JSON on standard input, and reads JSON.

    `stop` does not let a session end while it holds a turn that it took and did not give back, once a turn; `bash`
    refuses shell commands that would approve, reject or resume. `signoff install` puts both in their places.

    \b
    Example:
      signoff hook stop < asked.json
    """
    return hooks.answer(name)


def _refuse(host: str, plugin: Path | None, *, user: bool, short_names: bool | None, remove: bool, check: bool) -> None:
    """Refuses calls that mean two things."""
    if host not in HOSTS:
        raise UsageError(f"there is no host {host!r}", valid=", ".join(HOSTS), repair="name one of them")
    if plugin is not None and user:
        raise UsageError("--user and --plugin are two places", repair="give one of them")
    if plugin is not None and short_names is not None:
        raise UsageError(
            "Claude Code itself puts the plugin's name before each command of a plugin",
            repair="leave --short-names out",
        )
    if remove and (check or short_names is not None):
        raise UsageError("--remove only takes away", repair="leave --check, --force and --short-names out")


# --- which workflows --------------------------------------------------------------------------------------------------


def _named(asked: Sequence[str], known: Manifest | None) -> list[str]:
    """The workflows that were named; one whose package is gone may still be installed, and can be removed."""
    valid = list(dict.fromkeys([*catalog.names(), *(known.workflows if known else ())]))
    if wrong := [name for name in asked if name not in valid]:
        raise UsageError(
            f"there is no workflow {wrong[0]!r}", valid=", ".join(valid), repair="name one of them with --workflow"
        )
    return [name for name in valid if name in asked]


def _chosen(known: Manifest | None, asked: Sequence[str], *, ask: bool) -> list[str]:
    """What the place is to have: what is installed, and what was named or is chosen now."""
    has = list(known.workflows) if known else []
    if not asked:
        in_agent = any(os.environ.get(name) for name in people.AGENTS)
        person = at_terminal() and sys.stdout.isatty() and not in_agent  # one who sees a question and can answer it
        asked = _asked(has) if ask and person else has or catalog.names()
    return _known([name for name in dict.fromkeys([*catalog.names(), *has]) if name in (*asked, *has)])


def _known(workflows: Sequence[str]) -> list[str]:
    """The workflows, if all are still there."""
    if gone := [name for name in workflows if name not in catalog.names()]:
        raise UsageError(
            f"the workflow {gone[0]!r} is installed in the host, and its package is not there any more",
            valid=", ".join(catalog.names()),
            repair=f"install its package again, or say: signoff install claude-code --remove --workflow {gone[0]}",
        )
    return list(workflows)


def _asked(has: Sequence[str]) -> list[str]:
    """Asks which workflows to install; an empty line takes what is installed, or all."""
    names = catalog.names()
    numbered = {str(number): name for number, name in enumerate(names, 1)}
    rows = [
        (number, name, "installed" if name in has else "", catalog.workflow(name).about)
        for number, name in numbered.items()
    ]
    screen = Keyboard()
    screen.say("Which workflows? Type numbers or names with commas between them.")
    screen.say("\n".join(table(("", "workflow", "", "what it is for"), rows)))
    screen.say(f"An empty line takes {'those that are installed' if has else 'all'}.")
    while (line := screen.read("> ")) is not None:
        words = [word.strip() for word in line.split(",") if word.strip()]
        if wrong := [word for word in words if word not in (*names, *numbered)]:
            screen.say(f"  {clean(wrong[0])!r} is none of them: type numbers, names, or nothing")
            continue
        return [numbered.get(word, word) for word in words] or list(has or names)
    raise UsageError("no workflow was chosen", valid=", ".join(names), repair="name one with --workflow")


def _listed(workflows: Sequence[str]) -> str:
    return ", ".join(map(clean, workflows))


# --- what is said -----------------------------------------------------------------------------------------------------


def _hints(plugin: Path | None, chosen: Sequence[str], *, short: bool) -> list[str]:
    missing = {
        "signoff is not on your path: put it there, or the host cannot start it": shutil.which("signoff") is None,
        "the server needs the package mcp: pip install 'signoff[mcp]'": importlib.util.find_spec("mcp") is None,
    }
    found = [hint for hint, needed in missing.items() if needed]
    if plugin is not None:
        plugins = f"claude plugin marketplace add {plugin} && claude plugin install signoff-{chosen[0]}@signoff"
        return [*found, f"use it with: {plugins}"]
    acts = [f"/{'' if short else 'signoff-'}{act}" for act in ("approve", "reject", "resume")]
    return [*found, f"start claude in the project; {acts[0]}, {acts[1]} and {acts[2]} are yours alone"]


def _tell(plan: Plan, done: str, hints: list[str], *, dry: bool, as_json: bool) -> int:
    if as_json:
        o.print_json({**_plain(plan), "dry_run": dry, "hints": hints})
        return 0
    print("\n".join([*_lines(plan, dry=dry), *(f"note: {hint}" for hint in hints)]))
    if dry:
        print("nothing was written (--dry-run)")
        return 0
    print(f"{done} {plan.place.home}")
    return 0


def _lines(plan: Plan, *, dry: bool) -> Iterator[str]:
    for step in plan.steps:
        why = f" ({clean(step.why)})" if step.why else ""
        yield f"{step.what:8}{clean(step.path)}{why}"
        if dry and step.writes:
            yield from (harmless(line) for line in step.diff())


def _plain(plan: Plan) -> dict[str, Any]:
    steps = [{"path": step.path, "what": step.what, "why": step.why} for step in plan.steps]
    workflows = list(plan.manifest.workflows) if plan.manifest else []
    return {"place": str(plan.place.home), "workflows": workflows, "steps": steps}


def _check(plan: Plan, *, as_json: bool) -> int:
    """Whether what is installed is what would be installed now, and whether the heads of all files there are right."""
    findings = [
        Finding(rule=f"install.{step.what}", problem=_NOT[step.what], repair="signoff install", file=step.path)
        for step in plan.steps
        if step.what in _NOT
    ]
    findings += installed_files.linted(plan.place.home)
    if as_json:
        o.print_json({**_plain(plan), "ok": not findings, "findings": [str(one) for one in findings]})
    else:
        print("\n".join(lines_of(findings)) or f"{plan.place.home}: everything is in place")
    return 1 if findings else 0


_NOT = {
    "create": "it is not there",
    "update": "it is not what would be installed now",
    "keep": "it was edited",
    "refuse": "a file of yours is in its place",
    "remove": "it is not needed any more",
}
