"""`answer`: the questions of a run, answered at a terminal, on the command line or from a file."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signoff.core.errors import UsageError
from signoff.service import answering, driving
from signoff.service.answering import Sheet
from signoff.service.project import Project
from signoff.shell.files import read_if_there
from signoff.shell.live import LiveRun
from signoff.surfaces.cli import talk, work
from signoff.surfaces.cli.keyboard import Keyboard, at_terminal
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.words import answered, clean, table


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the person asked for."""

    slug: str
    given: Sequence[str] = ()
    file: Path | None = None
    every: bool = False
    listed: bool = False
    as_json: bool = False
    project: Path = Path()


def answer(asked: Asked) -> int:
    """Answers questions, or lists them."""
    project = Project(asked.project)
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    if asked.listed and (asked.given or asked.file):
        raise UsageError("--list only shows the questions", repair="leave it out to write answers")
    live = asyncio.run(_opened(project, asked))
    if asked.listed:
        return _list(live, answering.read(live), asked)
    if asked.given or asked.file:
        return _write(project, live, asked)
    if asked.as_json or not at_terminal():
        raise _nobody_there(asked.slug)
    sheet = answering.read(live)
    keys = talk.wanted(sheet, every=asked.every)
    print(f"{clean(sheet.path)}: {len(keys)} of {len(sheet.questions)} to go through. ? for help, q to end.")
    _end(project, live, talk.converse(sheet, keys, Terminal(live)))
    return 0


async def _opened(project: Project, asked: Asked) -> LiveRun:
    """The run; before something is written, what was cut off is finished and what people edited is taken in."""
    live = await project.open(asked.slug)
    if not asked.listed:
        await live.refresh()
    return live


def _nobody_there(slug: str) -> UsageError:
    return UsageError(
        f"`signoff answer {slug}` asks question by question, and there is no terminal to ask at",
        valid=f"answers as KEY=TEXT, as in `signoff answer {slug} Q1=A`, or --from FILE.yaml with `KEY: text` lines",
        repair=f"see the questions with `signoff answer {slug} --list`, or run it in a terminal",
    )


# --- without a terminal -----------------------------------------------------------------------------------------------


def _list(live: LiveRun, sheet: Sheet, asked: Asked) -> int:
    if asked.as_json:
        print_json({"run": live.run, **sheet.plain()})
        return 0
    rows = [
        (one.key, talk.verdict(one).partition(":")[0], "must" if one.must else "", one.section, one.title)
        for one in sheet.questions
    ]
    print("\n".join(table(("KEY", "ANSWER", "", "SECTION", "QUESTION"), rows)))
    print(answered(live.run, answering.counts(sheet.questions)))
    return 0


def _write(project: Project, live: LiveRun, asked: Asked) -> int:
    answers = _answers(answering.read(live), asked)
    sheet = asyncio.run(answering.write(live, answers))
    if asked.as_json:
        print_json({"run": live.run, "written": list(answers), **sheet.plain()})
        return 0
    for question in sheet.questions:
        if question.key in answers:
            print(f"  {clean(question.key)}: {talk.verdict(question)}")
    _end(project, live, sheet)
    return 0


def _answers(sheet: Sheet, asked: Asked) -> dict[str, str]:
    """Everything that was given, each question once."""
    keys = [question.key for question in sheet.questions]
    pairs = [answering.split(one, keys) for one in asked.given]
    if asked.file is not None:
        pairs += answering.from_file(_bytes(asked.file), str(asked.file)).items()
    if twice := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise UsageError(f"{', '.join(twice)} is answered twice", repair="give one answer; nothing was written")
    return dict(pairs)


def _bytes(file: Path) -> bytes:
    data = None if file.is_dir() else read_if_there(file)
    if data is None:
        raise UsageError(f"there is no file {str(file)!r}", repair="give a YAML file of `KEY: text` lines")
    return data


def _end(project: Project, live: LiveRun, sheet: Sheet) -> None:
    """How far it has come, and how to go on."""
    where = f" --project {shlex.quote(place)}" if (place := work.elsewhere(project)) else ""
    print(answered(live.run, answering.counts(sheet.questions)))
    asked = [ask for ask in driving.offered(live.state) if ask.notes.get("questions") is True]
    ways = [f"choose {live.run} {option}" for ask in asked for option in driving.choosable(ask)]
    ways = ways or [f"run {live.workflow.name} {live.run}"]
    print(f"  go on with: {' or '.join(f'signoff {way}{where}' for way in ways)}")


# --- at a terminal ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terminal(Keyboard):
    """A conversation with the person at this terminal about one run."""

    live: LiveRun

    def save(self, key: str, text: str, shown: str) -> Sheet:
        return asyncio.run(answering.write(self.live, {key: text}, {key: shown}))

    def again(self) -> Sheet:
        return answering.read(self.live)
