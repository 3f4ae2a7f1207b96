"""The conversation of a turn with its model, with every text in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from signoff.core.errors import UsageError
from signoff.service.project import Project
from signoff.service.recordings.replays import turn_named
from signoff.shell.run import transcripts

_ATTEMPT = re.compile(r"messages-([0-9]+)\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The conversation of one attempt, with every text in its place."""

    run: str
    turn: str
    attempt: int
    messages: list[Any]


async def transcript(project: Project, run: str, named: str, attempt: int | None = None) -> Transcript:
    """The conversation of a turn, of its last attempt that had one, or of the one that is asked for."""
    home = (await project.kind(run)).folder(run)
    files = [path.split("/")[-2:] for path in project.store.digests([f"{home}/turns/"])]
    turn = turn_named(named, sorted({folder for folder, _ in files}), run)
    found = (_ATTEMPT.fullmatch(name) for folder, name in files if folder == turn)
    held = sorted(int(match[1]) for match in found if match)
    if not held or attempt not in (None, *held):
        raise UsageError(
            f"there is no conversation of {turn}" + (f", attempt {attempt}" if attempt is not None else ""),
            valid=f"attempts {', '.join(map(str, held))}" if held else "turns that a language model worked on",
            repair=f"read its brief and its output in {home}/turns/{turn}",
        )
    last = held[-1] if attempt is None else attempt
    said = transcripts.read(project.store, home, turn, last)
    return Transcript(run=run, turn=turn, attempt=last, messages=said or [])
