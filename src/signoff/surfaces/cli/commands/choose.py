"""`choose`: settles what may be chosen, by anybody or by a person alone. Signing off is not among it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from signoff.core.errors import UsageError
from signoff.core.terms import language_of
from signoff.service import conversations, request_names, run_control, runs
from signoff.service.project import Project, Run
from signoff.surfaces.cli import run_work
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal.formatting import answers, clean


def choose(
    slug: str, option: str | None, request: str | None, note: str | None, given: Path | None, how: run_work.How
) -> int:
    """Settles a request with one of its options; without an option, shows what can be chosen."""
    if option is None and how.limited:
        raise UsageError(
            "a limit is set when a run moves, and nothing was chosen",
            repair=f"name an OPTION, or set it with `signoff resume {slug}`",
        )
    if option is None:
        return _show(slug, request, how)
    if note is not None and not note.strip():
        raise UsageError("--note is empty", repair="say something in it, or leave it out")
    payload = {**_given(given), **({"note": note.strip()} if note else {})}
    return run_work.waited(_choose(slug, option, request, payload, how), f"signoff resume {slug}")


def _given(file: Path | None) -> dict[str, Any]:
    """What goes with an option, from a file."""
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", repair="name a file that is there") from error
    except ValueError as error:
        raise UsageError(f"{file} is no JSON: {error}", repair='write an object, as in {"edits": []}') from error
    if not isinstance(found, dict):
        raise UsageError(f"{file} holds no object", repair='write an object, as in {"edits": []}')
    return found


async def _choose(slug: str, option: str, request: str | None, payload: dict[str, Any], how: run_work.How) -> int:
    project = Project(how.project)
    live = await _opened(project, slug)
    how = how.on(live)
    worker = how.worker(project, live.workflow, slug)
    option = run_control.act(live, option)
    actor = run_work.here()
    ask = run_control.choice(live, option, actor, request)
    conversations.refuse_payload(conversations.way(live, ask, option), option, payload)
    with run_work.reporter(project, live.workflow, slug, how, worker, live.state) as told:
        await how.limit(live)
        await runs.answer(live, ask.request, option, actor, payload)
        if how.go_on:
            await runs.drive(live, worker)
    settled: dict[str, Any] = {"answered": {"request": ask.request, "act": option, "by": actor.by, **payload}}
    return run_work.end(live, told, how, **settled) if how.go_on else run_work.recorded(live, how, settled)


async def _opened(project: Project, slug: str) -> Run:
    """The run with what people edited taken in: what can be chosen may depend on that."""
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    live = await project.open(slug)
    await live.refresh()
    return live


def _show(slug: str, request: str | None, how: run_work.How) -> int:
    project = Project(how.project)
    live = asyncio.run(_opened(project, slug))
    offered = {ask.request for ask in run_control.offered(live.state) if request in (None, ask.key, ask.request)}
    status = run_control.described(live)
    if how.as_json:
        print_json({"run": slug, "requests": [ask for ask in status["requests"] if ask["request"] in offered]})
    else:
        where = run_work.elsewhere(project)
        waiting = request_names.named(status, language_of(live.state.params))
        asks = [ask for ask in waiting if ask["request"] in offered]
        lines = [line for ask in asks for line in _lines(ask, answers(slug, ask, where, waiting))]
        print("\n".join(lines) or f"Nothing can be chosen in {slug} now; see what waits with `signoff inbox {slug}`.")
    return runs.DONE


def _lines(ask: Mapping[str, Any], commands: Iterable[str]) -> Iterator[str]:
    yield f"{clean(ask['kind'])} {clean(ask['request'])}: {clean(ask['question'], 1000)}"
    yield from (f"  $ {line}" for line in commands)
