"""The conversations of `signoff chat`: who can be talked with, and a persona that makes a file before a run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from typing import Any

from signoff.core.personas import NAMED, Said
from signoff.service import catalog, conversations, runs
from signoff.service.conversations import Draft
from signoff.service.project import Project
from signoff.surfaces.cli import exits, run_work
from signoff.surfaces.cli.commands import chat_in_run
from signoff.surfaces.cli.commands.chat_in_run import Came, Chat
from signoff.surfaces.cli.options import print_json
from signoff.surfaces.cli.terminal.formatting import clean, table
from signoff.surfaces.cli.terminal.interview import Desk, Interviewer, LeftError
from signoff.surfaces.cli.terminal.keyboard import Keyboard

WRITE, REPLACE, KEEP = "write", "replace", "keep"


def chat(name: str | None, typed: str | None, how: run_work.How) -> int:
    """Holds one conversation; what is said is for the screen, and with --json the result alone goes to the output."""
    project = Project(how.project)
    project.watcher.notice = lambda text: print(f"note: {clean(text, 400)}", file=sys.stderr)
    if name is None:
        return _list(project, as_json=how.as_json)
    workflow, persona = conversations.find(name)
    task = asyncio.run(conversations.about(project, workflow, persona, typed))
    conversations.refuse_lacking(project, persona, task)
    came, again = Came(persona.name, task), f"signoff chat {name}{f' {typed}' if typed else ''}"
    with redirect_stdout(sys.stderr) if how.as_json else nullcontext():
        print(f"{persona.name}: {persona.about} /help for help, /exit to leave.")
        try:
            _hold(Chat(project, workflow, persona, replace(how, as_json=False), came, Keyboard()))
        except LeftError:
            came.left, came.exit = True, runs.WAITING
            print(f"Left. What was said is kept: `{again}` goes on.")
        except KeyboardInterrupt:
            raise exits.InterruptedRunError(again) from None
    if how.as_json:
        print_json(came.plain())
    return came.exit


def _hold(chat: Chat) -> None:
    came = chat.came
    if chat.persona.artifact:
        _make(chat)
    else:
        chat_in_run.take(chat)
    came.next = came.next or chat.persona.next
    if came.next:
        about = catalog.personas()[came.next][1].about
        print(f"Next: signoff chat {came.next} {came.task}  # {clean(about, 400)}")


# --- who there is -----------------------------------------------------------------------------------------------------


def _list(project: Project, *, as_json: bool) -> int:
    listed = asyncio.run(conversations.listing(project))
    if as_json:
        print_json({"personas": listed})
        return runs.DONE
    rows = [(one["persona"], one["task"] or "-", "yes" if one["can_begin"] else "no", _lacks(one)) for one in listed]
    print("\n".join(table(("PERSONA", "TASK", "CAN BEGIN", ""), rows)) if rows else "No workflow has a persona.")
    return runs.DONE


def _lacks(one: Mapping[str, Any]) -> str:
    missing = [f"{need['path']}, made by {need['maker']}" for need in one["needs"] if not need["there"]]
    return f"needs {'; '.join(missing)}" if missing else one["about"]


# --- a file before a run ----------------------------------------------------------------------------------------------


def _make(chat: Chat) -> None:
    """Interviews until the person agrees with the draft, and writes it."""
    interview, task = chat.persona.interview, chat.came.task
    assert interview is not None  # narrows the type: the workflow was checked when it was built
    assert interview.output is not None
    scene, made = conversations.scene(chat.project, task), interview.output

    def drafted(said: Said) -> Draft:
        output = made(said, scene)
        return conversations.drafted(chat.project, chat.workflow, chat.persona, task or said.get(NAMED, ""), output)

    asking = Interviewer(
        chat.project,
        conversations.recall(chat.project, chat.persona, *([task] if task else [])),
        lambda said: interview.questions(said, scene),
        chat.screen,
        lambda said: drafted(said).text,
    )
    if not task:
        _mention(chat)
    asking.recall()
    while True:
        draft = drafted(asking.agree(WRITE, "write it into the project"))
        if draft.before is None or draft.same or _replaces(asking.desk, draft):
            break
    asyncio.run(conversations.put(chat.project, draft, run_work.here(), replace=draft.before is not None))
    chat.came.task = task or asking.said[NAMED]
    chat.came.written.append(draft.path)
    conversations.end(chat.project, asking.talk, chat.came.task)
    print(f"{'It is there already, just so' if draft.same else 'Written'}: {clean(draft.path)}")


def _mention(chat: Chat) -> None:
    """Who begins without a task may have another conversation in mind."""
    for task in conversations.under_way(chat.project, chat.persona):
        print(f"There is a conversation about {clean(task)}, too: `signoff chat {chat.persona.name} {clean(task)}`.")


def _replaces(desk: Desk, draft: Draft) -> bool:
    """Whether the person wants the file that is there replaced: nobody but a person can say so."""
    print(f"\n{clean(draft.path)} is there, and would change like this:")
    print("\n".join(run_work.clean_line(line) for line in draft.difference().splitlines()))
    conversations.check_replacing(draft, run_work.here())
    return desk.pick({REPLACE: "put the new one in its place", KEEP: "leave it as it is"}) == REPLACE
