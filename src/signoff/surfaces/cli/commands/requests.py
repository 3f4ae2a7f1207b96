"""`approve`, `reject` and `choose`: they settle what a run asks a person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff import APPROVE, UsageError
from signoff.service import conversations, request_names, run_control, runs, status_overview
from signoff.service.people import PERSONAL, REJECT
from signoff.service.project import Run
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import work
from signoff.surfaces.cli.options import completed, print_json
from signoff.surfaces.cli.terminal.formatting import answers, clean
from signoff.surfaces.cli.terminal.signing import Settlement, here, present, sign
from signoff.surfaces.cli.work import How


def _keys(approvals: bool) -> Callable[[], Iterable[str]]:
    def found() -> list[str]:
        asked = status_overview.inbox(Path.cwd())
        return sorted(str(one["key"]) for one in asked if not approvals or APPROVE in one.get("options", ()))

    return found


def _options() -> list[str]:
    asked = [request for request in status_overview.inbox(Path.cwd()) if request.get("kind") != "approval"]
    return sorted({str(option) for request in asked for option in request.get("options", ())} - {*PERSONAL})


Gate = Annotated[
    str,
    typer.Option(
        "--gate",
        metavar="NAME",
        help="The approval that waits, as in strategy, final, roster or design.",
        autocompletion=completed(_keys(approvals=True)),
    ),
]


@work.run_options("no_run")
def approve(
    slug: o.Slug,
    gate: Gate,
    accept_changes: Annotated[
        bool,
        typer.Option("--accept-changes", help="Approve although files changed since the request (you edited them)."),
    ] = False,
    *,
    how: How,
) -> int:
    """Approve what waits, to the byte, and let the run go on.

    The files and their digests are shown and recorded with your name and the time. Only a person can do this: at a
    terminal, where it is asked once more, or in a script that a person wrote and that names them in SIGNOFF_PERSON.

    \b
    Example:
      signoff approve desk-lamp --gate strategy
    """
    return _settle(slug, how, lambda live: _signed(live, gate, APPROVE, {"accept_changes": accept_changes}, how))


@work.run_options("no_run")
def reject(
    slug: o.Slug,
    gate: Gate,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="What must change; the agent is given these words.")
    ],
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="en|cn", help="Which draft goes back (final gate); en by default.")
    ] = None,
    *,
    how: How,
) -> int:
    """Send back what waits, with the reason, and let the run go on.

    \b
    Example:
      signoff reject desk-lamp --gate final --lang cn --reason "The second feature reads like a translation."
    """
    if not reason.strip():
        raise UsageError("--reason is empty", repair="say what must change: the agent is given these words")
    if lang not in (None, "en", "cn"):
        raise UsageError(f"--lang is {lang!r}", valid="en, cn")
    payload = {"reason": reason.strip(), **({"lang": lang} if lang else {})}
    return _settle(slug, how, lambda live: _signed(live, gate, REJECT, payload, how))


@work.run_options("no_run")
def choose(
    slug: o.Slug,
    option: Annotated[
        str | None,
        typer.Argument(
            metavar="OPTION",
            help="What to choose; left out, all choices are shown.",
            autocompletion=completed(_options),
        ),
    ] = None,
    request: Annotated[
        str | None,
        typer.Option(
            "--request",
            metavar="KEY",
            help="Which request, if several wait.",
            autocompletion=completed(_keys(approvals=False)),
        ),
    ] = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="A word on it; it is recorded with the choice.")
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(
            "--with", metavar="FILE", help="A JSON file with what the option takes, such as answers or edits."
        ),
    ] = None,
    *,
    how: How,
) -> int:
    """Choose how a run goes on, if it asks for that.

    Without OPTION it shows what can be chosen and what each choice does. Who chose is recorded: the person at the
    terminal or in SIGNOFF_PERSON, else `script`. Approving, rejecting and resuming have commands of their own.

    \b
    Example:
      signoff choose desk-lamp
      signoff choose desk-lamp more --note "We have time."
      signoff choose user-management adapt --with edits.json
    """
    if option is None:
        return _show(slug, request, how)
    if note is not None and not note.strip():
        raise UsageError("--note is empty", repair="say something in it, or leave it out")
    payload = {**_object(given), **({"note": note.strip()} if note else {})}

    def chosen(live: Run) -> Settlement:
        act, actor = run_control.act(live, option), here()
        ask = run_control.choice(live, act, actor, request)
        conversations.refuse_payload(conversations.way(live, ask, act), act, payload)
        return Settlement(ask=ask, act=act, actor=actor, payload=payload)

    return _settle(slug, how, chosen)


def _object(file: Path | None) -> dict[str, Any]:
    """What goes with an option, from a file."""
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", repair="name a file that is there") from error
    except ValueError as error:
        raise UsageError(f"{file} is invalid JSON: {error}", repair='write an object, as in {"edits": []}') from error
    if not isinstance(found, dict):
        raise UsageError(f"{file} does not hold an object", repair='write an object, as in {"edits": []}')
    return found


def _show(slug: str, request: str | None, how: How) -> int:
    if how.limited:
        raise UsageError(
            "a limit is set when a run moves, and nothing was chosen",
            repair=f"name an OPTION, or set it with `signoff resume {slug}`",
        )
    live = asyncio.run(_opened(slug, how))
    offered = {ask.request for ask in run_control.offered(live.state) if request in (None, ask.key, ask.request)}
    status = run_control.described(live)
    if how.as_json:
        print_json({"run": slug, "requests": [ask for ask in status["requests"] if ask["request"] in offered]})
        return runs.DONE
    place, waiting = work.elsewhere(live.project), request_names.named(status, live.language)
    for ask in waiting:
        if ask["request"] in offered:
            print(f"{clean(ask['kind'])} {clean(ask['request'])}: {clean(ask['question'], 1000)}")
            print("".join(f"  $ {line}\n" for line in answers(slug, ask, place, waiting)), end="")
    if not offered:
        print(f"Nothing can be chosen in {slug} now; see what waits with `signoff inbox {slug}`.")
    return runs.DONE


async def _opened(slug: str, how: How) -> Run:
    """The run with what people edited taken in: what can be chosen may depend on that."""
    live = await work.project_with_notices(how.project).open(slug)
    await live.refresh()
    return live


def _signed(live: Run, gate: str, act: str, payload: dict[str, Any], how: How) -> Settlement:
    actor = here()
    ask = run_control.request(live, gate, act, actor)
    if not how.as_json:
        print(f"{actor.by}: {act} {ask.request}. {clean(live.named(ask.question))}")
    return sign(ask, act, payload, actor, present(live, ask, quiet=how.as_json))


def _settle(slug: str, how: How, settling: Callable[[Run], Settlement]) -> int:
    """Settles a request and goes on with the run, if that is wanted."""

    async def settled(how: How) -> int:
        live = await work.project_with_notices(how.project).open(slug)
        how = how.on(live)
        worker = how.worker(live.project, live.workflow, slug)
        await live.refresh()
        settlement = settling(live)
        with work.reporter(live.project, live.workflow, slug, how, worker, live.state) as told:
            await how.limit(live)
            await settlement.enter(live)
            if how.go_on:
                await runs.drive(live, worker)
        answered: dict[str, Any] = {"answered": settlement.to_json(live)}
        if how.go_on:
            return work.end(live, told, how, **answered)
        if how.as_json:
            print_json({**run_control.described(live), "exit": 0, **answered})
        else:
            print(f"Recorded. Go on with: signoff resume {live.run}")
        return 0

    return work.run_to_end(settled(how), f"signoff resume {slug}")
