"""The whole shipped example of orchestration that is killed, design and work: doers build, and run what they built."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from subjects import TASK, Killed, asked, files

from signoff.core.refs import digest
from signoff.service.project import Project
from signoff.service.recordings import replays
from signoff.shell.run import recordings
from signoff.testing import crash_harness
from signoff.testing.ptrace import Point
from signoff.workflows.orchestration import places

TURNS = "tmp"
"""Where turns have their folders: in the project's, so that a command can be killed in the middle of what it does."""

COMMANDS = (f"{TURNS}/*", f"*/{TURNS}/*", "*/calls-*.jsonl*", "*/.calls-*")
"""What is written while a command runs, and before and after it."""

MOST = 300
"""So many points are all: each costs a run of the example and a half, and there are many thousands of them."""

PYTHON = """\
#!/bin/sh
PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1 exec {python} "$@"
"""
"""What doers call python: that of the tests, without the plugins it has for other tests than theirs."""

MASKS = (
    (re.compile(r"(?<!\d)17672\d{5}(?!\d)"), "(time)"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "(time)"),
    (re.compile(r"session_\d{8}_\d{4}_"), "session_(time)_"),
    (re.compile(r"(?m)^- Turns: \d+$"), "- Turns: (so many)"),
    (re.compile(r"(?m)^- failed-\w+: retry, person:ada\n"), ""),
)
"""What may differ from a run that nobody disturbed, and why.

A command that was cut off costs two revisions more, for its failure and the person's word, and one turn; agents side by
side return in another order. So every time is another, which this clock takes from the revision: in fields, in tactical
tasks' ids, in the report and in names of sessions. The report has one turn more, and that word. What commands print is
in the journal and in no document.
"""


@dataclass(frozen=True)
class Worked(Killed):
    """A task that is killed until its report is written. It goes on from `start`, where somebody has brought it.

    Its journal cannot be the same twice. So what is compared is every document, and that every file of the run is the
    one that its journal leads to; what must not happen in between is checked.
    """

    start: Path | None = None

    def amount(self, wanted: str) -> int:
        return MOST if wanted == "all" else int(int(wanted) * self.share)

    def chosen(self, survey: Sequence[Point], wanted: str) -> Sequence[Point]:
        """Wherever the run itself writes, between commands: one that is cut off leads a run off its recording."""
        between = [point for point in survey if not any(fnmatch(point.path, one) for one in COMMANDS)]
        return crash_harness.sample(between, self.amount(wanted), Random(0))

    def prepare(self, folder: Path) -> None:
        if self.start:
            shutil.copytree(self.start, folder, symlinks=True, dirs_exist_ok=True)
            return
        Killed.prepare(self, folder)
        (folder / "project" / TURNS).mkdir()
        (folder / "bin").mkdir()
        (folder / "bin/python").write_text(PYTHON.format(python=sys.executable))
        (folder / "bin/python").chmod(0o755)

    def argv(self, folder: Path) -> Sequence[str]:
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return ["/usr/bin/env", f"TMPDIR={folder / 'project' / TURNS}", f"PATH={path}", *super().argv(folder)]

    def brought(self, folder: Path, until: str) -> Worked:
        """The same, begun and undisturbed until this step."""
        self.prepare(folder)
        ready = replace(self, more=(*self.more, until))
        subprocess.run(ready.argv(folder), cwd=folder, env=ready.subject().env, check=True)
        return replace(self, start=folder)

    # --- what is the same at the end ---

    def observe(self, folder: Path) -> crash_harness.Observation:
        """Every document of the project, with its times masked."""
        documents = {name: path for name, path in standing(folder).items() if not name.startswith(f"{self.folder}/")}
        return {
            **{masked(name): masked(path.read_text("utf-8")) for name, path in documents.items() if name != CLEANUP},
            CLEANUP: sorted(put_away(folder / "project")),
        }

    # --- what holds between a crash and the end ---

    def check(self, at_crash: Path, at_end: Path) -> Sequence[str]:
        return [
            *super().check(at_crash, at_end),
            *self.verified_again(at_crash, at_end),
            *self.cut_off(at_crash, at_end),
            *self.from_nowhere(at_crash),
            *self.unlike(at_end),
            *unfinished(at_end),
        ]

    def verified_again(self, at_crash: Path, at_end: Path) -> Iterator[str]:
        """Nobody works on what was verified."""
        verified = [name for name, one in agents(at_crash).items() if one["status"] in ("verified", COMPLETE)]
        for turn, key in asked(at_end)[len(asked(at_crash)) :]:
            if key.partition("-")[2] in verified:
                yield f"{turn} ({key}) was asked for, and its work was verified"

    def cut_off(self, at_crash: Path, at_end: Path) -> Iterator[str]:
        """A command that began and did not end is put to the person: it begins again by their word alone."""
        events = [event for commit in self.commits(at_end) for event in commit["events"]]
        keys = dict(asked(at_end))
        for log in (at_crash / "project" / self.folder / "turns").glob("*/calls-*.jsonl"):
            attempt = f"{log.parent.name}.{log.stem.removeprefix('calls-')}"
            if not (begun := cut_off(log)):
                continue
            if (at_end / log.relative_to(at_crash)).read_bytes() != log.read_bytes():
                yield f"{attempt}: there is more in its log of commands, after {begun} was cut off"
            yield from self._unasked(attempt, begun, events, keys)

    def _unasked(self, attempt: str, begun: list[str], events: list[Any], keys: dict[str, str]) -> Iterator[str]:
        place = next((n for n, one in enumerate(events) if one["id"] == attempt), len(events))
        said = events[place].get("uncertain_calls", ()) if place < len(events) else ()
        if list(said) != begun:
            yield f"{attempt}: {begun} was cut off, and {list(said)} was put to the person"
        agent = keys[attempt].partition("-")[2]
        for event in events[place + 1 :]:
            if str(event.get("request", "")).startswith(f"failed-{agent}-"):
                return
            if keys.get(event["id"]) == keys[attempt]:
                yield f"{event['id']} began {keys[attempt]} again, and nobody had said so"
        yield f"{attempt}: nobody was asked about {begun}"

    def from_nowhere(self, at_crash: Path) -> Iterator[str]:
        """What an attempt made is in the project when its output was taken, and else nothing of it."""
        events = [event for commit in self.commits(at_crash) for event in commit["events"]]
        taken = {sha for event in events for sha in event.get("files", {}).values()}
        for name, path in standing(at_crash).items():
            output = "/task_output/" in name and not name.endswith(("manifest.json", recordings.SUFFIX))
            made = name.startswith(PRODUCT) or output
            if made and not path.name.startswith(".") and digest(path.read_bytes()) not in taken:
                yield f"{name} was in the project, and no output that was taken has it"

    def unlike(self, at_end: Path) -> Iterator[str]:
        """Every file of the run is the one that its recording makes."""
        replayed = asyncio.run(self._replayed(at_end / "project"))
        return (f"{path} is not as the journal has it: {how}" for path, how in replayed.differences.items())

    async def _replayed(self, root: Path) -> replays.Replayed:
        return replays.replay(await replays.load(Project(root), self.run))


PRODUCT = ("app/", "migrations/", "tests/")
ARCHIVE = f"{places.AGENTS}archival_agent/"
CLEANUP = f"{ARCHIVE}cleanup_log.json"
INDEX = f"{ARCHIVE}archive_index.json"
COMPLETE = "session_complete"
UNFINISHED = ("session_current.json", "verification_results.json")


def standing(folder: Path) -> dict[str, Path]:
    """The files of the project, without those that turns have to themselves."""
    return {name: path for name, path in files(folder / "project").items() if not name.startswith(f"{TURNS}/")}


def masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text


def unfinished(folder: Path) -> Iterator[str]:
    """What is missing from an end at which everybody's work is verified, put away and told, and what is too much."""
    root = folder / "project"
    yield from (f"{name} is {one['status']}" for name, one in agents(folder).items() if one["status"] != COMPLETE)
    status = json.loads((root / places.STATUS).read_bytes())
    if (status["status"], status["overall_completion_drive_gate"]) != ("complete", "clear"):
        yield f"{places.STATUS} says {status['status']}, with the gate {status['overall_completion_drive_gate']}"
    index = json.loads((root / INDEX).read_bytes())
    if {row["agent"] for row in index if (root / row["path"]).is_file()} != agents(folder).keys():
        yield f"{INDEX} does not have the session of every agent"
    yield from (f"{name} was left" for name in standing(folder) if is_left_over(name))


def is_left_over(name: str) -> bool:
    """Whether a file is half of a write, an editor's, or of work that has come to its end."""
    last = name.rpartition("/")[2]
    hidden = last.startswith(".") and last != ".gitkeep"
    return hidden or last.endswith((".tmp", ".swp", ".part", "~", *UNFINISHED))


def agents(folder: Path) -> dict[str, Any]:
    """Where every agent stands."""
    status = folder / "project" / places.STATUS
    return dict(json.loads(status.read_bytes())["agents"]) if status.exists() else {}


def put_away(root: Path) -> Iterator[str]:
    """What the log of the archive says of each session, and whether the file has the digest that is noted."""
    log = root / CLEANUP
    for row in json.loads(log.read_bytes()) if log.exists() else ():
        there = root / row["to"]
        whole = there.is_file() and digest(there.read_bytes()) == row["sha256"]
        yield masked(f"{row['agent']}: {row['result']}, {row['to']}, {'whole' if whole else 'not as it was'}")


def cut_off(log: Path) -> list[str]:
    """The commands that began, and of which it is not noted that they ended."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    ended = {line["call"] for line in lines if "ended" in line}
    return [line["began"] for line in lines if "began" in line and line["call"] not in ended]


WORK = Worked(
    "play_on.py",
    TASK,
    TASK,
    f"_workflow/orchestration/{TASK}",
    share=Fraction(1, 8),
    more=("orchestration",),
)
