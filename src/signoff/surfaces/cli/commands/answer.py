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
from signoff.service import questionnaires, run_control
from signoff.service.project import Project, Run
from signoff.service.questionnaires import Sheet
from signoff.surfaces.cli import run_work
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal import question_prompts
from signoff.surfaces.cli.terminal.formatting import answered, clean, table
from signoff.surfaces.cli.terminal.keyboard import at_terminal


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
        return _list(live, questionnaires.read(live), asked)
    if asked.given or asked.file:
        return _write(project, live, asked)
    if asked.as_json or not at_terminal():
        raise _nobody_there(asked.slug)
    sheet = questionnaires.read(live)
    keys = question_prompts.wanted(sheet, every=asked.every)
    print(f"{clean(sheet.path)}: {len(keys)} of {len(sheet.questions)} to go through. ? for help, q to end.")
    _end(project, live, question_prompts.converse(sheet, keys, question_prompts.Terminal(live)))
    return 0


async def _opened(project: Project, asked: Asked) -> Run:
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


def _list(live: Run, sheet: Sheet, asked: Asked) -> int:
    if asked.as_json:
        print_json({"run": live.run, **sheet.plain()})
        return 0
    rows = [
        (one.key, question_prompts.verdict(one).partition(":")[0], "must" if one.must else "", one.section, one.title)
        for one in sheet.questions
    ]
    print("\n".join(table(("KEY", "ANSWER", "", "SECTION", "QUESTION"), rows)))
    print(answered(live.run, questionnaires.counts(sheet.questions)))
    return 0


def _write(project: Project, live: Run, asked: Asked) -> int:
    answers = _answers(questionnaires.read(live), asked)
    sheet = asyncio.run(questionnaires.write(live, answers, run_work.here()))
    if asked.as_json:
        print_json({"run": live.run, "written": list(answers), **sheet.plain()})
        return 0
    for question in sheet.questions:
        if question.key in answers:
            print(f"  {clean(question.key)}: {question_prompts.verdict(question)}")
    _end(project, live, sheet)
    return 0


def _answers(sheet: Sheet, asked: Asked) -> dict[str, str]:
    """Everything that was given, each question once."""
    keys = [question.key for question in sheet.questions]
    pairs = [questionnaires.split(one, keys) for one in asked.given]
    if asked.file is not None:
        pairs += questionnaires.from_file(asked.file).items()
    if twice := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise UsageError(f"{', '.join(twice)} is answered twice", repair="give one answer; nothing was written")
    return dict(pairs)


def _end(project: Project, live: Run, sheet: Sheet) -> None:
    """How far it has come, and how to go on."""
    where = f" --project {shlex.quote(place)}" if (place := run_work.elsewhere(project)) else ""
    print(answered(live.run, questionnaires.counts(sheet.questions)))
    asked = [ask for ask in run_control.offered(live.state) if ask.notes.get("questions") is True]
    ways = [f"choose {live.run} {option}" for ask in asked for option in run_control.choosable(ask)]
    ways = ways or [f"run {live.workflow.name} {live.run}"]
    print(f"  go on with: {' or '.join(f'signoff {way}{where}' for way in ways)}")
