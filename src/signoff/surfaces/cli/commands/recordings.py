"""`replay`, `record`, `fork` and `transcript`: a run's folder as a recording."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from signoff import UsageError
from signoff.service import run_control, runs
from signoff.service.project import Project
from signoff.service.recordings import forks, recorder, replays, turn_transcripts
from signoff.service.recordings.forks import Forked
from signoff.service.recordings.replays import Replayed
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import work
from signoff.surfaces.cli.terminal.formatting import clean, counted, paragraph
from signoff.surfaces.cli.work import How


def replay(
    slug: o.Slug,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="DIR", help="Also write all files, made again, into a new folder."),
    ] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Make all files of a run again from its recording, and compare them byte for byte.

    The recording is the sources, the raw outputs below turns/ and the journal. Nothing else is read, and neither a
    model nor the network is asked. A missing or changed part of it is named; so is a document that you edited since.

    \b
    Example:
      signoff replay desk-lamp
      signoff replay desk-lamp --into ../desk-lamp-again
    """
    recorded = asyncio.run(replays.load(Project(project), slug))
    if into is not None:
        asyncio.run(replays.into(recorded, into))
    found = replays.replay(recorded)
    if as_json:
        o.print_json(
            {
                "run": slug,
                "revision": found.live.state.rev,
                "equal": not found.differences,
                "differences": found.differences,
                "edited": found.edited,
                "made": found.made,
                "forked": found.forked,
                "into": str(into.absolute()) if into else None,
            }
        )
    else:
        print("\n".join(_replay_lines(slug, found, into)))
    return runs.FAILED if found.differences else runs.DONE


def _replay_lines(slug: str, found: Replayed, into: Path | None) -> Iterator[str]:
    yield f"{slug}: {counted(len(found.live.events), 'event')} replayed, revision {found.live.state.rev}"
    if origin := found.forked:
        place = f"{origin['project']}, {origin['run']}, at {origin['turn']} (revision {origin['rev']})"
        yield clean(f"  forked from {place}")
    yield f"  {counted(len(found.made), 'file')} made again from sources, turns and journal alone"
    yield from (
        [f"  {clean(path)} {what}" for path, what in found.differences.items()]
        or ["  every file that follows from the journal is equal, byte for byte"]
    )
    for path, what in found.edited.items():
        yield f"  note: {clean(path)} {what} since; the next step of the run takes that in"
    if into is not None:
        yield f"  written to {clean(into, 1000)}"


def record(
    slug: o.Slug,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="A new or empty folder for the recording.")],
    by: Annotated[
        str,
        typer.Option("--by", metavar="TEXT", help="Whose turns these are; else as the receipts of the turns say it."),
    ] = "",
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Keep the outputs and answers of a finished run, to be played again without a model.

    The run is played once while it is recorded, so that it is known to play to the same end; commands that its agents
    ran are run again. Put the folder under recordings/RUN in a project with the same sources, and play it there with
    `--runtime recorded`.

    \b
    Example:
      signoff record desk-lamp --into ../desk-lamp-example/recordings/desk-lamp
      signoff record desk-lamp --into recorded --by "Claude Opus 5, as a host"
    """
    made = asyncio.run(recorder.keep(Project(project), slug, into, by.strip()))
    if as_json:
        o.print_json({"run": slug, "into": str(into.absolute()), "turns": len(made.takes), "turns_by": made.turns_by})
    else:
        people = counted(len(made.sittings), "answer")
        print(f"{slug}: {counted(len(made.takes), 'output')} and {people} recorded in {clean(into, 1000)}")
        print(f"  {clean(made.label, 400)}; played once to the same end")
    return 0


# --- fork -------------------------------------------------------------------------------------------------------------

NoRun = Annotated[bool, typer.Option("--no-run", help="Make the fork only; change its config or prompts, then resume.")]
Runtime = Annotated[
    str | None,
    typer.Option("--runtime", metavar="NAME", help="What carries out the turns; `model` if --model is given."),
]


@work.run_options("no_run", no_run=NoRun, runtime=Runtime)
def fork(
    slug: o.Slug,
    at: Annotated[
        str, typer.Option("--at", metavar="N", help="The turn to begin at, by its number: 3 for 0003-editor-qa.")
    ],
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="A new or empty folder; else one beside the project.")
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", metavar="AGENT=FILE", help="Another agent file for the fork; repeatable."),
    ] = None,
    *,
    how: How,
) -> int:
    """Go on from an earlier turn in a new folder, with another model, prompt or config.

    The run stands there as it stood when turn N went out. Everything before N is reused and not paid for again, your
    approvals included; everything from N on is asked again. The project you fork stays as it is. Only what the run
    knows is in the fork, with .promptpack as it is now.

    \b
    Example:
      signoff fork desk-lamp --at 3 --model anthropic:claude-sonnet-4-5
      signoff fork desk-lamp --at 2 --prompt copywriter=drier.md --into ../desk-lamp-drier
      signoff fork desk-lamp --at 3 --no-run     # then edit its config: limits, link checks, budget
    """
    prompts = {}
    for one in prompt or ():
        agent, equals, file = one.partition("=")
        if not (agent and equals and file):
            raise UsageError(f"--prompt {one!r} names no agent and file", valid="AGENT=FILE, as in copywriter=drier.md")
        prompts[agent] = Path(file)
    made, worker, how = asyncio.run(_forked(slug, at, into, prompts, how))
    again = clean(f"signoff resume {slug} --project {shlex.quote(str(made.root))}", 1000)
    if not how.as_json:
        print(f"{made.run} forked at {made.turn} (revision {made.rev}) into {clean(made.root, 1000)}")
        print(f"  reused, not paid for again: {clean(', '.join(made.reused)) or 'nothing came before'}")
        print(f"  asked again: {clean(', '.join(made.asked))}, and what follows")
    if how.go_on:
        return work.run_to_end(_go_on(made, worker, how), again)
    if how.as_json:
        o.print_json({**made.to_json(), "next": [again]})
    else:
        print(f"Go on with: {again}")
    return 0


async def _forked(
    slug: str, at: str, into: Path | None, prompts: Mapping[str, Path], how: How
) -> tuple[Forked, Any, How]:
    """The fork, the runtime that works in it, and how: a wrong choice is refused before anything is made.

    A fork goes on as the run did, unless a recording was played in that run: a fork leaves the recorded path.
    """
    project = Project(how.project)
    live = await project.open(slug)
    if not how.models and run_control.remembered(live)[0] != run_control.RECORDED:
        how = how.on(live)
    worker = how.worker(project, live.workflow, slug) if how.go_on else None
    return await forks.fork(project, slug, at, into, prompts), worker, how


async def _go_on(made: Forked, worker: Any, how: How) -> int:
    project = Project(made.root)
    live = await project.open(made.run)
    with work.reporter(project, live.workflow, made.run, how, worker, live.state) as told:
        await runs.drive(live, worker)
    return work.end(live, told, how, forked=made.to_json())


# --- transcript -------------------------------------------------------------------------------------------------------


def transcript(
    slug: o.Slug,
    turn: Annotated[
        str, typer.Argument(metavar="TURN", help="A turn by its number or name, as in 3 or 0003-editor-qa.")
    ],
    attempt: Annotated[int | None, typer.Option("--attempt", metavar="N", help="Which attempt; else the last.")] = None,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Print the conversation of a turn with its model.

    It has what the model was told, what it called and what it said. Long texts are kept once by their hash in the run's
    folder, however many turns have them; here they are put back.

    \b
    Example:
      signoff transcript desk-lamp 3
      signoff transcript desk-lamp 0003-editor-qa --attempt 1 --json
    """
    found = asyncio.run(turn_transcripts.transcript(Project(project), slug, turn, attempt))
    if as_json:
        o.print_json({"run": slug, "turn": found.turn, "attempt": found.attempt, "messages": found.messages})
    else:
        print(f"{slug}: {found.turn}, attempt {found.attempt}")
        print("\n".join(line for message in found.messages for line in message_lines(message)))
    return 0


def message_lines(message: Any) -> Iterator[str]:
    """One message: who says it, and its parts. A message of an unknown form is shown as it is."""
    parts = message.get("parts") if isinstance(message, Mapping) else None
    if isinstance(message, Mapping) and "role" in message and isinstance(message.get("content"), (str, list)):
        yield from _blocks(str(message["role"]), message["content"])
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


def _blocks(role: str, content: str | list[Any]) -> Iterator[str]:
    """One message as Claude Code has it: words, or blocks of words, calls and results."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        found = block if isinstance(block, Mapping) else {"text": block}
        named = " ".join(str(found[key]) for key in ("type", "name") if key in found)
        said = next((found[key] for key in ("text", "input", "content") if key in found), found)
        yield from ["", clean(f"{role} {named}"), *paragraph(_shown(said))]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
