"""`install` and `uninstall`: Signoff in a host, with a plan that can be looked at first."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff.core.errors import UsageError
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.words import clean, harmless

HOSTS = ("claude-code",)
SERVERS = {"project": ".mcp.json", "user": ".claude.json"}
SHADOWED = {"resume": "resume-run"}
"""What a command is called for a person, where its short name would hide one of the host's own in every folder."""


def _hosts(incomplete: str) -> list[str]:
    return [name for name in HOSTS if name.startswith(incomplete)]


Host = Annotated[str, typer.Argument(metavar="HOST", help="What to install into: claude-code.", autocompletion=_hosts)]
User = Annotated[bool, typer.Option("--user", help="For yourself, in every project; else in the project.")]
Plugin = Annotated[
    Path | None, typer.Option("--plugin", metavar="DIR", help="As a plugin folder that can be shared; else in place.")
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show what would be written, as a diff; write nothing.")]


def install(
    host: Host,
    user: User = False,
    plugin: Plugin = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is missing, old or wrong in what is installed.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write over files of your own; each is kept beside the new one.")
    ] = False,
    dry_run: Dry = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Install Signoff into Claude Code: agents, slash commands, the MCP server and hooks.

    Each workflow gets its agents and a command that begins a run, such as /create-solution-page. /approve, /reject and
    /resume show you what waits and what to type in a terminal: the model cannot invoke them. What is in your settings
    stays as it is; a file of your own is never written over unless you say --force.

    \b
    Example:
      signoff install claude-code --dry-run
      signoff install claude-code
      signoff install claude-code --user
      signoff install claude-code --plugin ./signoff-plugin
    """
    from signoff.service import installing

    _known(host)
    place = _place(project, plugin, user=user)
    kit = _kit(project, plugin, user=user)
    plan = installing.install(place, kit, force=force)
    if check:
        return _checked(plan, as_json=as_json)
    if not dry_run:
        installing.carry_out(plan)
    return _told(plan, "installed", _hints(user=user, plugin=plugin), dry=dry_run, as_json=as_json)


def uninstall(
    host: Host,
    user: User = False,
    plugin: Plugin = None,
    dry_run: Dry = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Take out of Claude Code what `signoff install` put in, and nothing else.

    Files that you edited since are kept, and you are told which.

    \b
    Example:
      signoff uninstall claude-code
    """
    from signoff.service import installing

    _known(host)
    plan = installing.uninstall(_place(project, plugin, user=user))
    if not dry_run:
        installing.carry_out(plan)
    return _told(plan, "uninstalled", [], dry=dry_run, as_json=as_json)


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
    from signoff.surfaces.cli import hook as hooks

    return hooks.answer(name)


def _known(host: str) -> None:
    if host not in HOSTS:
        raise UsageError(f"there is no host {host!r}", valid=", ".join(HOSTS), repair="name one of them")


# --- where to ---------------------------------------------------------------------------------------------------------


def _place(project: Path, plugin: Path | None, *, user: bool) -> Any:
    from signoff.service.installing import Place
    from signoff.service.project import find_root

    if plugin is not None:
        if user:
            raise UsageError("--user and --plugin are two places", repair="give one of them")
        home = (project / plugin).absolute()
        return Place(home=home, root=home.parent)
    if not user:
        root = find_root(project)
        return Place(home=root / ".claude", root=root, elsewhere={SERVERS["project"]: root / ".mcp.json"})
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    home = Path(chosen) if chosen else Path.home() / ".claude"
    return Place(home=home, elsewhere={SERVERS["user"]: (home if chosen else Path.home()) / ".claude.json"})


def _kit(project: Path, plugin: Path | None, *, user: bool) -> Any:
    from signoff.service.project import find_root
    from signoff.surfaces.claude_code import kit

    root = Path.home() if user else find_root(project)
    if plugin is not None:
        return kit.plugin(root, "signoff")
    scope = "user" if user else "project"
    return kit.folder(root, command(), SERVERS[scope], SHADOWED if user else {})


def command() -> str:
    """How the host starts us: by name where that is on the path, else by the place of this installation."""
    if shutil.which("signoff"):
        return "signoff"
    here = Path(sys.executable).with_name("signoff")
    return str(here) if here.exists() else "signoff"


# --- what is said -----------------------------------------------------------------------------------------------------


def _hints(*, user: bool, plugin: Path | None) -> list[str]:
    missing = {
        "signoff is not on your path: put it there, or the host cannot start it": shutil.which("signoff") is None,
        "the server needs the package mcp: pip install 'signoff[mcp]'": importlib.util.find_spec("mcp") is None,
    }
    found = [hint for hint, needed in missing.items() if needed]
    if plugin is not None:
        return [*found, f"try it with: claude --plugin-dir {plugin}"]
    which = "/resume-run" if user else "/resume"
    return [*found, f"start claude in the project; /approve, /reject and {which} are yours alone"]


def _told(plan: Any, done: str, hints: list[str], *, dry: bool, as_json: bool) -> int:
    if as_json:
        o.print_json({**_plain(plan), "dry_run": dry, "hints": hints})
        return 0
    print("\n".join([*_lines(plan, dry=dry), *(f"note: {hint}" for hint in hints)]))
    if dry:
        print("nothing was written (--dry-run)")
        return 0
    print(f"{done} in {plan.place.home}")
    return 0


def _lines(plan: Any, *, dry: bool) -> Iterator[str]:
    for step in plan.steps:
        why = f" ({step.why})" if step.why else ""
        yield f"{step.what:8}{clean(step.path)}{clean(why)}"
        if dry and step.writes:
            yield from (harmless(line) for line in step.diff())


def _plain(plan: Any) -> dict[str, Any]:
    steps = [{"path": step.path, "what": step.what, "why": step.why} for step in plan.steps]
    return {"place": str(plan.place.home), "steps": steps}


def _checked(plan: Any, *, as_json: bool) -> int:
    """Whether what is installed is what would be installed now, and whether the heads of all files there are right."""
    from signoff.core.findings import Finding
    from signoff.surfaces.claude_code import kit
    from signoff.surfaces.cli.look import found

    findings = [
        Finding(rule=f"install.{step.what}", problem=_NOT[step.what], repair="signoff install", file=step.path)
        for step in plan.steps
        if step.what in _NOT
    ]
    findings += kit.linted(plan.place.home)
    if as_json:
        o.print_json({**_plain(plan), "ok": not findings, "findings": [str(one) for one in findings]})
    else:
        print("\n".join(found(findings)) or f"{plan.place.home}: everything is in place")
    return 1 if findings else 0


_NOT = {
    "create": "it is not there",
    "update": "it is not what would be installed now",
    "keep": "it was edited",
    "refuse": "a file of yours is in its place",
    "remove": "it is not needed any more",
}
