"""`status`, `inbox` and `signoff` alone: over any number of projects, from small JSON files, in a blink.

Only the standard library is imported here. `parse` understands the plain forms of the commands; everything else
(`--help`, a wrong option) is left to the typer application, whose commands end here as well.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from signoff.service import edited_files, request_names, status_overview
from signoff.surfaces.cli.terminal.formatting import COMMAND, QUESTION, answers, clean, counted, table, used

COMMANDS = ("status", "inbox")
NEXT = "next"
"""What `signoff` alone asks for: what waits, and what to do."""
_COLOURS = {"complete": "32", "escalated": "31", "budget": "31", "waits": "33"}


class Asked(NamedTuple):
    """One of the two commands with its arguments; `where` is a folder or the name of a run."""

    command: str
    where: str | None = None
    project: str | None = None
    as_json: bool = False
    runtime: str | None = None


def parse(argv: Sequence[str]) -> Asked | None:
    """The command line, if it is one of the plain forms."""
    if not argv:
        return Asked(NEXT)
    if argv[0] not in COMMANDS:
        return None
    asked, rest = Asked(argv[0]), list(argv[1:])
    while rest:
        word = rest.pop(0)
        if word == "--json":
            asked = asked._replace(as_json=True)
        elif word == "--project" and rest and asked.project is None:
            asked = asked._replace(project=rest.pop(0))
        elif word == "--runtime" and asked.command == "inbox" and rest and asked.runtime is None:
            asked = asked._replace(runtime=rest.pop(0))
        elif not word.startswith("-") and asked.where is None:
            asked = asked._replace(where=word)
        else:
            return None
    return asked


def answer(asked: Asked) -> int:
    """Prints what was asked for."""
    if asked.command == NEXT:
        return _next(Path.cwd())
    folder, run = place(asked)
    found = [status for status in status_overview.statuses(folder) if run in (None, status["run"])]
    if asked.command == "inbox":
        return _inbox(found, folder, asked)
    return _status(found, folder, as_json=asked.as_json, whole=run is not None)


def place(asked: Asked) -> tuple[Path, str | None]:
    """The folder to look in, and the one run to show; without a folder, the project that we are in.

    A name may be that of a run here and of a folder: then it is the run, and `./NAME` is the folder.
    """
    where = asked.where
    if asked.project is not None and not Path(asked.project).is_dir():
        _no_folder(asked.project)
    here = Path(asked.project or ".")
    above = here.resolve()
    home = next((one for one in (above, *above.parents) if (one / status_overview.HOME).is_dir()), here)
    if where is None:
        return home, None
    plain, there = os.sep not in where, os.path.isdir(where)  # noqa: PTH112 - before anything else is loaded
    looked = plain and (not there or (home / status_overview.HOME).is_dir())
    if looked and any(status["run"] == where for status in status_overview.statuses(home)):
        return home, where
    if there:
        return Path(where), None
    if not plain:
        _no_folder(where)
    from signoff import UsageError

    known = ", ".join(sorted(str(status["run"]) for status in status_overview.statuses(home)))
    raise UsageError(
        f"{where!r} is neither a run in {home.resolve()} nor a folder",
        valid=known or "no run has begun here",
        repair="name one of them" if known else "begin a run with `signoff run`",
    )


def _no_folder(given: str) -> None:
    from signoff import UsageError

    raise UsageError(f"there is no folder {given!r}", repair="give a folder of projects, or the name of a run here")


# --- signoff alone ----------------------------------------------------------------------------------------------------

_WELCOME = """\
This folder is not in a Signoff project.
  $ signoff demo           # watch a recorded run from beginning to end: no key, no network
  $ signoff init my-page   # make a project, with files to fill in
  $ signoff --help         # see all commands"""
_BEGIN = """\
No run has begun in {folder}.
  $ signoff run            # see the workflows and what each is told
  $ signoff --help         # see all commands"""


def _next(here: Path) -> int:
    """Shows the runs of the project that we are in, or of the projects right below, and what to type.

    Runs that wait for a person come first, then those that can go on, then those that are done.
    """
    project = status_overview.around(here)
    folder = project or here
    found = sorted(
        status_overview.statuses(folder, depth=0 if project else 1),
        key=lambda status: 0 if status.get("requests") else 1 if not status.get("stop") else 2,
    )
    if not found:
        _print([_BEGIN.format(folder=clean(folder)) if project else _WELCOME])
        return 0
    for status in found:
        place = short(str(status["project"]), here)
        below = "" if place == os.curdir or place.startswith(os.pardir) else f", in {place}"
        named = clean(f"{status['run']} ({status['workflow']}{below})")
        _print([f"{named}: {where_it_stands(status)}"], ["", _mood(status)])
        _print([f"  {line}" for line in _to_do(status, here)])
    waiting = sum(bool(status.get("requests")) for status in found)
    wait = f"{waiting} of {counted(len(found), 'run')} {'waits' if waiting == 1 else 'wait'} for you."
    _print(["", wait if waiting else "Nothing waits for you. `signoff run` begins a run."])
    return 0


def _to_do(status: dict[str, Any], here: Path) -> Iterator[str]:
    """What is asked, and what to type: one command asks at a terminal, the others settle it at once."""
    where = "" if _found_from(str(status["project"]), here) else f" --project {shlex.quote(str(status['project']))}"
    if status.get("requests") and not status.get("stop"):
        yield clean(f"$ signoff resume {status['run']}{where}", COMMAND) + "  # asks you here, and goes on"
    for request in _waiting({**status, "requests": request_names.named(status)}):
        yield f"{clean(request['kind'])}: {clean(request['question'], QUESTION)}"
        yield from (f"$ {line}" for line in request["answers"])
    if not status.get("requests") and not status.get("stop") and "problem" not in status:
        yield clean(f"$ signoff resume {status['run']}{where}", COMMAND)


# --- status -----------------------------------------------------------------------------------------------------------


def _status(found: list[dict[str, Any]], folder: Path, *, as_json: bool, whole: bool) -> int:
    """A line for each run; of the one that was named, also the board of its agents, if it has one."""
    if as_json:
        return _json({"runs": found})
    if not found:
        print(f"No run has begun in {folder.resolve()}. Begin one with `signoff run`, or look at `signoff demo`.")
        return 0
    spent = any(map(_used, found))
    head = ("PROJECT", "RUN", "WORKFLOW", "PHASE", "ROUNDS", *(("USED",) if spent else ()), "STATE")
    rows = []
    for status in found:
        rounds = " ".join(f"{name} {count}" for name, count in dict(status.get("rounds") or {}).items())
        named = (short(status["project"], folder), status["run"], status["workflow"], status.get("phase", "-"))
        rows.append((*named, rounds or "-", *((_used(status) or "-",) if spent else ()), where_it_stands(status)))
    _print(table(head, rows), [_mood(status) for status in found])
    for status in found if whole else ():
        if label := status.get("recorded"):
            _print([f"It was begun from {clean(str(label), 400)}."])
        if isinstance(board := status.get("board"), dict):
            _print(["", *table(board["head"], board["rows"])])
    return 0


def _used(status: dict[str, Any]) -> str:
    return ", ".join(used(status.get("spend") or {"cost": "0"}, status.get("limits") or {}))


def where_it_stands(status: dict[str, Any]) -> str:
    """What a run is doing, in a few words."""
    if "problem" in status:
        return f"unreadable: {status['problem']}"
    waiting = ", ".join(str(request["key"]) for request in status.get("requests", ()))
    if status.get("stop"):
        stale = _stale(status) or ("; edited since" if status.get("stale") else "")
        played = " (recorded)" if status.get("recorded") else ""
        return f"{status['stop']}{played}{stale}" + (f", waits for a person: {waiting}" if waiting else "")
    if waiting:
        return f"waits for a person: {waiting}{_stale(status)}"
    agents = ", ".join(str(turn["agent"]) for turn in status.get("turns", ()))
    return f"open: {agents or status.get('next_agent') or 'the next step'}"


def _stale(status: dict[str, Any]) -> str:
    """What was edited since the run looked, and what to type."""
    found = status.get("edited")
    return f"; stale: {edited_files.told(found)}; `signoff resume {status['run']}`" if found else ""


def _mood(status: dict[str, Any]) -> str:
    return _COLOURS.get(str(status.get("stop") or ("waits" if status.get("requests") else "")), "")


# --- inbox ------------------------------------------------------------------------------------------------------------


def _inbox(found: list[dict[str, Any]], folder: Path, asked: Asked) -> int:
    named = found if asked.as_json else [{**status, "requests": request_names.named(status)} for status in found]
    requests = [request for status in named for request in _waiting(status, asked.runtime)]
    if asked.as_json:
        return _json({"requests": requests})
    if not requests:
        print(f"Nothing waits for a person in {folder.resolve()}.")
    for request in requests:
        project = short(request["project"], folder)
        print(f"{clean(request['run'])} ({clean(project)}): {clean(request['kind'])} {clean(request['request'])}")
        print(f"  {clean(request['question'], QUESTION)}")
        _print([f"  note: {clean(text, 400)}" for text in request.get("notes", ())])
        _print([f"  $ {line}" for line in request["answers"]])
    return 0


def _waiting(status: dict[str, Any], runtime: str | None = None) -> Iterator[dict[str, Any]]:
    """What waits in one run, each with the commands that settle it."""
    run, project, asked = str(status["run"]), str(status["project"]), status.get("requests", ())
    where = None if _found_from(project, Path.cwd()) else project
    for request in asked:
        told = answers(run, request, where, asked, runtime)
        said = (*status.get("warnings", ()), *_changed(request), *_overruled(status))
        notes = list(said) if request.get("kind") == "approval" else []
        more = {"notes": notes, "answers": told}
        yield {"project": project, "run": run, "workflow": status["workflow"], **request, **more}


def _changed(request: dict[str, Any]) -> Iterator[str]:
    """What an approval says of documents that changed since it was asked for."""
    if paths := request.get("changed"):
        yield (
            f"{', '.join(paths)} changed after the request was written: look at the change, then approve with "
            "--accept-changes, or reject"
        )


def _overruled(status: dict[str, Any]) -> Iterator[str]:
    """What people overruled, as far as it holds."""
    for one in status.get("overruled", ()):
        if one.get("holds"):
            yield f"overruled by {one['by']}, {one['at']}: {one['problem']} ({one['id']}): {one['reason']}"


# --- output -----------------------------------------------------------------------------------------------------------


def short(project: str, folder: Path) -> str:
    """A project folder as seen from another one."""
    return os.path.relpath(project, folder) if os.path.isabs(project) == folder.is_absolute() else project  # noqa: PTH117


def _found_from(project: str, here: Path) -> bool:
    """Whether a command that is typed here finds this project by itself."""
    return status_overview.around(here) == Path(project).resolve()


def _json(value: object) -> int:
    print(json.dumps(value, ensure_ascii=False, indent=1))
    return 0


def _print(lines: Sequence[str], moods: Sequence[str] = ()) -> None:
    coloured = bool(moods) and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    for at, line in enumerate(lines):
        mood = moods[at - 1] if coloured and at else ""
        print(f"\x1b[{mood}m{line}\x1b[0m" if mood else line)
