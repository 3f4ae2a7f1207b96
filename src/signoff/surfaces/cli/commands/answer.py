"""`answer`: the questions of a run, answered at a terminal, on the command line or from a file."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from signoff import UsageError
from signoff.service import questionnaires, run_control
from signoff.service.project import Run
from signoff.service.questionnaires import Sheet
from signoff.surfaces.cli import options as o
from signoff.surfaces.cli import work
from signoff.surfaces.cli.terminal import question_prompts
from signoff.surfaces.cli.terminal.formatting import answered, clean, table
from signoff.surfaces.cli.terminal.keyboard import at_terminal
from signoff.surfaces.cli.terminal.signing import here


def answer(
    slug: o.Slug,
    given: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=TEXT", help="Answers, by the keys of questions.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Take answers from a YAML file of `KEY: text` lines.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Go through every question, those with a clear answer included.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Only show the questions and their answers.")] = False,
    as_json: o.AsJson = False,
    project: o.ProjectDir = Path(),
) -> int:
    """Answer the questions in a run's document.

    At a terminal it asks one by one and writes each answer into the file at once. What else is in the file stays as it
    is, and editing the file by hand does the same. At the end it says how the run goes on.

    \b
    Example:
      signoff answer desk-lamp
      signoff answer desk-lamp Q1=A "Q2=Only paid orders count."
    """
    opened = work.project_with_notices(project)
    if listed and (given or file):
        raise UsageError("--list only shows the questions", repair="leave it out to write answers")
    live: Run = asyncio.run(opened.open(slug))
    if listed:
        return _list(live, as_json=as_json)
    asyncio.run(live.refresh())  # finishes what was cut off, and takes in what people edited
    if given or file:
        return _write(live, given or (), file, as_json=as_json)
    if as_json or not at_terminal():
        raise UsageError(
            f"`signoff answer {slug}` asks question by question, and there is no terminal to ask at",
            valid=f"answers as KEY=TEXT, as in `signoff answer {slug} Q1=A`, or --from FILE with `KEY: text` lines",
            repair=f"see the questions with `signoff answer {slug} --list`, or run it in a terminal",
        )
    sheet = questionnaires.read(live)
    keys = question_prompts.wanted(sheet, every=every)
    print(f"{clean(sheet.path)}: {len(keys)} of {len(sheet.questions)} to go through. ? for help, q to end.")
    _end(live, question_prompts.converse(sheet, keys, question_prompts.Terminal(live)))
    return 0


def _list(live: Run, *, as_json: bool) -> int:
    sheet = questionnaires.read(live)
    if as_json:
        o.print_json({"run": live.run, **sheet.to_json()})
        return 0
    rows = [
        (one.key, question_prompts.verdict(one).partition(":")[0], "must" if one.must else "", one.section, one.title)
        for one in sheet.questions
    ]
    print("\n".join(table(("KEY", "ANSWER", "", "SECTION", "QUESTION"), rows)))
    print(answered(live.run, questionnaires.counts(sheet.questions)))
    return 0


def _write(live: Run, given: Sequence[str], file: Path | None, *, as_json: bool) -> int:
    keys = [question.key for question in questionnaires.read(live).questions]
    pairs = [questionnaires.split(one, keys) for one in given]
    if file is not None:
        pairs += questionnaires.from_file(file).items()
    if twice := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise UsageError(f"{', '.join(twice)} is answered twice", repair="give one answer; nothing was written")
    answers = dict(pairs)
    sheet = asyncio.run(questionnaires.write(live, answers, here()))
    if as_json:
        o.print_json({"run": live.run, "written": list(answers), **sheet.to_json()})
        return 0
    for question in sheet.questions:
        if question.key in answers:
            print(f"  {clean(question.key)}: {question_prompts.verdict(question)}")
    _end(live, sheet)
    return 0


def _end(live: Run, sheet: Sheet) -> None:
    """Says how many questions are answered, and how to go on."""
    print(answered(live.run, questionnaires.counts(sheet.questions)))
    asked = [ask for ask in run_control.offered(live.state) if ask.notes.get("questions") is True]
    ways = [f"choose {live.run} {option}" for ask in asked for option in run_control.choosable(ask)]
    ways = ways or [f"run {live.workflow.name} {live.run}"]
    print(f"  go on with: {' or '.join(f'signoff {way}{work.where(live.project)}' for way in ways)}")
