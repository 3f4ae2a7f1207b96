"""`replay`, `fork`, `diff`, `transcript` and `record`: a run's folder as a recording."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.core.errors import UsageError
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli.terminal.formatting import clean, counted, harmless, paragraph, table

if TYPE_CHECKING:
    from signoff.service.recordings.comparison import Compared
    from signoff.service.recordings.forks import Forked
    from signoff.service.recordings.replays import Replayed
    from signoff.surfaces.cli.run_work import How

At = Annotated[
    str, typer.Option("--at", metavar="N", help="The turn to begin at, by its number: 3 for 0003-editor-qa.")
]
Into = Annotated[
    Path | None, typer.Option("--into", metavar="DIR", help="A new or empty folder; else one beside the project.")
]
ReplayInto = Annotated[
    Path | None, typer.Option("--into", metavar="DIR", help="Also write all files, made again, into a new folder.")
]
RecordInto = Annotated[Path, typer.Option("--into", metavar="DIR", help="A new or empty folder for the recording.")]
TurnsBy = Annotated[
    str, typer.Option("--by", metavar="TEXT", help="Whose turns these are; else as the receipts of the turns say it.")
]
Prompts = Annotated[
    list[str] | None,
    typer.Option("--prompt", metavar="AGENT=FILE", help="Another agent file for the fork; repeatable."),
]
ForkRuntime = Annotated[
    str | None,
    typer.Option("--runtime", metavar="NAME", help="What carries out the turns; `model` where --model is given."),
]
NoRun = Annotated[bool, typer.Option("--no-run", help="Make the fork only; change its config or prompts, then resume.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A run here, a project folder, or FOLDER:RUN.")]
Run2 = Annotated[str, typer.Argument(metavar="RUN2", help="The run to compare it with, named in the same ways.")]
Text = Annotated[bool, typer.Option("--text", help="Add a unified diff of the documents.")]
Turn = Annotated[str, typer.Argument(metavar="TURN", help="A turn by its number or name, as in 3 or 0003-editor-qa.")]
Attempt = Annotated[int | None, typer.Option("--attempt", metavar="N", help="Which attempt; else the last.")]


# --- replay -----------------------------------------------------------------------------------------------------------


def replay(slug: o.Slug, into: ReplayInto = None, as_json: o.AsJson = False, project: o.ProjectDir = Path()) -> int:
    """Make all files of a run again from its recording, and compare them with what is there, byte for byte.

    The recording is the sources, the raw outputs below turns/ and the journal. Nothing else is read, and neither a
    model nor the network is asked. A missing or changed part of it is named; so is a document that you edited since.

    \b
    Example:
      signoff replay desk-lamp
      signoff replay desk-lamp --into ../desk-lamp-again
    """
    from signoff.service import runs

    found = asyncio.run(_replay(slug, project, into))
    if as_json:
        o.print_json(_replayed(slug, found, into))
    else:
        print("\n".join(_told(slug, found, into)))
    return runs.FAILED if found.differences else runs.DONE


async def _replay(slug: str, project: Path, into: Path | None) -> Replayed:
    from signoff.service.project import Project
    from signoff.service.recordings import replays

    recorded = await replays.load(Project(project), slug)
    if into is not None:
        await replays.into(recorded, into)
    return replays.replay(recorded)


def _replayed(slug: str, found: Replayed, into: Path | None) -> dict[str, Any]:
    return {
        "run": slug,
        "revision": found.live.state.rev,
        "equal": not found.differences,
        "differences": found.differences,
        "edited": found.edited,
        "made": found.made,
        "forked": found.forked,
        "into": str(into.absolute()) if into else None,
    }


def _told(slug: str, found: Replayed, into: Path | None) -> Iterator[str]:
    yield f"{slug}: {counted(len(found.live.events), 'event')} replayed, revision {found.live.state.rev}"
    if found.forked:
        yield f"  {_origin(found.forked)}"
    yield f"  {counted(len(found.made), 'file')} made again from sources, turns and journal alone"
    yield from (
        [f"  {clean(path)} {what}" for path, what in found.differences.items()]
        or ["  every file that follows from the journal is equal, byte for byte"]
    )
    for path, what in found.edited.items():
        yield f"  note: {clean(path)} {what} since; the next step of the run takes that in"
    if into is not None:
        yield f"  written to {clean(into, 1000)}"


def _origin(forked: Mapping[str, Any]) -> str:
    return clean(f"forked from {forked['project']}, {forked['run']}, at {forked['turn']} (revision {forked['rev']})")


# --- record -----------------------------------------------------------------------------------------------------------


def record(
    slug: o.Slug, into: RecordInto, by: TurnsBy = "", as_json: o.AsJson = False, project: o.ProjectDir = Path()
) -> int:
    """Keep the outputs and answers of a finished run in a folder, to be played again without a model.

    The run is played once while it is recorded, so that it is known to play to the same end; commands that its agents
    ran are run again. Put the folder under recordings/RUN in a project with the same sources, and play it there with
    `--runtime recorded`.

    \b
    Example:
      signoff record desk-lamp --into ../desk-lamp-example/recordings/desk-lamp
      signoff record desk-lamp --into recorded --by "Claude Opus 5, as a host"
    """
    from signoff.service.project import Project
    from signoff.service.recordings import recorder

    made = asyncio.run(recorder.keep(Project(project), slug, into, by.strip()))
    if as_json:
        o.print_json({"run": slug, "into": str(into.absolute()), "turns": len(made.takes), "turns_by": made.turns_by})
    else:
        people = counted(len(made.sittings), "answer")
        print(f"{slug}: {counted(len(made.takes), 'output')} and {people} recorded in {clean(into, 1000)}")
        print(f"  {clean(made.label, 400)}; played once to the same end")
    return 0


# --- fork -------------------------------------------------------------------------------------------------------------


def fork(
    slug: o.Slug,
    at: At,
    into: Into = None,
    prompt: Prompts = None,
    no_run: NoRun = False,
    runtime: ForkRuntime = None,
    model: o.Models = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Go on from an earlier turn in a new folder, with another model, prompt or config.

    The run stands there as it stood when turn N went out. Everything before N is reused and not paid for again, your
    approvals included; everything from N on is asked anew. The project you fork stays as it is. Only what the run knows
    is in the fork, with .promptpack as it is now.

    \b
    Example:
      signoff fork desk-lamp --at 3 --model anthropic:claude-sonnet-4-5
      signoff fork desk-lamp --at 2 --prompt copywriter=drier.md --into ../desk-lamp-drier
      signoff fork desk-lamp --at 3 --no-run     # then edit its config: limits, link checks, budget
    """
    from signoff.surfaces.cli import run_work

    how = run_work.How(
        project=project,
        runtime=runtime,
        models=tuple(model or ()),
        as_json=as_json,
        go_on=not no_run,
    )
    made, worker, how = asyncio.run(_fork(slug, at, into, _pairs(prompt or ()), how))
    if not as_json:
        print("\n".join(_made(made)))
    go = clean(f"signoff resume {slug} --project {shlex.quote(str(made.root))}", 1000)
    return run_work.waited(_go_on(made, worker, how), go) if how.go_on else _left(made, go, as_json=as_json)


def _pairs(given: Sequence[str]) -> dict[str, Path]:
    found = {}
    for one in given:
        agent, equals, file = one.partition("=")
        if not (agent and equals and file):
            raise UsageError(f"--prompt {one!r} names no agent and file", valid="AGENT=FILE, as in copywriter=drier.md")
        found[agent] = Path(file)
    return found


async def _fork(
    slug: str, at: str, into: Path | None, prompts: Mapping[str, Path], how: How
) -> tuple[Forked, Any, How]:
    """The fork, who will work in it and how: a wrong choice is told before anything is made.

    A fork goes on as the run did, but for one that a recording was played in: a fork leaves the recorded path.
    """
    from signoff.service import run_control
    from signoff.service.project import Project
    from signoff.service.recordings import forks

    project = Project(how.project)
    live = await project.open(slug)
    if not how.models and run_control.remembered(live)[0] != run_control.RECORDED:
        how = how.on(live)
    worker = how.worker(project, live.workflow, slug) if how.go_on else None
    return await forks.fork(project, slug, at, into, prompts), worker, how


async def _go_on(made: Forked, worker: Any, how: How) -> int:
    from signoff.service import runs
    from signoff.service.project import Project
    from signoff.surfaces.cli import run_work

    project = Project(made.root)
    live = await project.open(made.run)
    with run_work.reporter(project, live.workflow, made.run, how, worker, live.state) as told:
        await runs.drive(live, worker)
    return run_work.end(live, told, how, forked=made.plain())


def _made(made: Forked) -> Iterator[str]:
    yield f"{made.run} forked at {made.turn} (revision {made.rev}) into {clean(made.root, 1000)}"
    yield f"  reused, not paid for again: {clean(', '.join(made.reused)) or 'nothing came before'}"
    yield f"  asked anew: {clean(', '.join(made.asked))}, and what follows"


def _left(made: Forked, go: str, *, as_json: bool) -> int:
    if as_json:
        o.print_json({**made.plain(), "next": [go]})
    else:
        print(f"Go on with: {go}")
    return 0


# --- diff -------------------------------------------------------------------------------------------------------------


def diff(run: Run, other: Run2, text: Text = False, as_json: o.AsJson = False, project: o.ProjectDir = Path()) -> int:
    """Compare what came of two runs: gates, findings, rounds, turns, tokens, cost, documents.

    Rows that differ are marked with *. What a fork has from where it came from is shown as reused and is not in its own
    cost. The exit code is 0 whenever the two could be compared.

    \b
    Example:
      signoff diff desk-lamp ../desk-lamp-fork-3
      signoff diff orders orders-again --text
    """
    from signoff.service.project import Project
    from signoff.service.recordings import comparison

    async def compared() -> Compared:
        here = Project(project)
        return comparison.compare(await comparison.opened(run, here), await comparison.opened(other, here))

    found = asyncio.run(compared())
    lines = list(comparison.texts(found)) if text else []
    if as_json:
        o.print_json({**found.plain(), **({"text": "\n".join(lines)} if text else {})})
    else:
        print("\n".join([*_table(found.plain()), *(harmless(line.replace("\t", "    ")) for line in lines)]))
    return 0


def _table(found: Mapping[str, Any]) -> list[str]:
    one, other = found["runs"]
    rows = [("*" if left != right else "", what, left, right) for what, left, right in _rows(one, other)]
    names = [f"{Path(side['project']).name}: {side['run']}" for side in (one, other)]
    different = {path: said for path, said in found["documents"].items() if said != "same"}
    same = len(found["documents"]) - len(different)
    return [
        *table(("", str(found["workflow"]), *map(clean, names)), rows),
        f"documents: {same} the same, {len(different)} not",
        *(f"  {clean(path)}: {said}" for path, said in different.items()),
    ]


def _rows(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What can be said of either, in one order; what only one of them has stands against a dash."""
    left, right = _facts(one), _facts(other)
    for what in sorted({**left, **right}, key=lambda what: what[0]):
        values = left.get(what, "-"), right.get(what, "-")
        if set(values) != {"-"}:
            yield what[1], *values


def _facts(side: Mapping[str, Any]) -> dict[tuple[int, str], str]:
    """What can be said of one run, by place in the table and name."""
    own, reused, forked = side["own"], side["reused"], side["forked"]
    said = (line.partition(": ") for line in side["lines"])
    return {
        (0, "forked at"): forked["turn"] if forked else "-",
        (0, "worked on by"): _listed(side["worked"]),
        (0, "ended"): _ended(side),
        (0, "phase"): str(side["phase"] or "-"),
        (0, "rounds"): _listed(side["rounds"]),
        (0, "gates that fail"): ", ".join(_failing(side)) or f"none of {len(side['gates'])}",
        **{(1, f"found: {rule}"): str(count) for rule, count in side["findings"].items()},
        **{(2, f"refused: {rule}"): str(count) for rule, count in side["refused"].items()},
        **{(3, label): rest or "yes" for label, _, rest in said},
        (4, "turns"): _listed(own["turns"]),
        (4, "attempts"): f"{own['attempts']}" + (f", {own['failed']} failed" if own["failed"] else ""),
        **{(4, name): _amount(own[name]) for name in ("tokens", "cost", "seconds")},
        (5, "reused turns"): _listed(reused["turns"]),
        **{(5, f"reused {name}"): _amount(reused[name]) if forked else "-" for name in ("tokens", "cost")},
    }


def _listed(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "-"


def _ended(side: Mapping[str, Any]) -> str:
    waits = ", ".join(side["waits"])
    return side["stop"] or (f"waits for a person: {waits}" if waits else "open")


def _failing(side: Mapping[str, Any]) -> list[str]:
    return [name for name, said in side["gates"].items() if said != "pass"]


def _amount(value: object) -> str:
    return "unknown" if value is None else str(value)


# --- transcript -------------------------------------------------------------------------------------------------------


def transcript(
    slug: o.Slug, turn: Turn, attempt: Attempt = None, as_json: o.AsJson = False, project: o.ProjectDir = Path()
) -> int:
    """Print the conversation of a turn with its model: what it was told, what it called, what it said.

    Long texts are kept once by their hash in the run's folder, however many turns have them; here they are put back.

    \b
    Example:
      signoff transcript desk-lamp 3
      signoff transcript desk-lamp 0003-editor-qa --attempt 1 --json
    """
    from signoff.service.project import Project
    from signoff.service.recordings import replays

    found = asyncio.run(replays.transcript(Project(project), slug, turn, attempt))
    if as_json:
        o.print_json({"run": slug, "turn": found.turn, "attempt": found.attempt, "messages": found.messages})
    else:
        print(f"{slug}: {found.turn}, attempt {found.attempt}")
        print("\n".join(line for message in found.messages for line in _message(message)))
    return 0


def _message(message: Any) -> Iterator[str]:
    """One message: who, and its parts; one of a form that nobody knows is shown as it is."""
    parts = message.get("parts") if isinstance(message, Mapping) else None
    if isinstance(message, Mapping) and "role" in message and isinstance(message.get("content"), (str, list)):
        yield from _spoken(str(message["role"]), message["content"])
        return
    if not isinstance(parts, list):
        yield from ["", "message", *paragraph(_shown(message))]
        return
    if message.get("instructions"):
        yield from ["", "instructions", *paragraph(_shown(message["instructions"]))]
    for part in parts:
        kind, tool = part.get("part_kind", message.get("kind", "part")), part.get("tool_name")
        yield from ["", clean(f"{kind} {tool}" if tool else kind)]
        yield from paragraph(_shown(part.get("content", part.get("args", part))))


def _spoken(role: str, content: str | list[Any]) -> Iterator[str]:
    """One message as Claude Code has it: words, or blocks of words, calls and results."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        found = block if isinstance(block, Mapping) else {"text": block}
        named = " ".join(str(found[key]) for key in ("type", "name") if key in found)
        said = next((found[key] for key in ("text", "input", "content") if key in found), found)
        yield from ["", clean(f"{role} {named}"), *paragraph(_shown(said))]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
