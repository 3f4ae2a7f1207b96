"""A persona's part of a run: turns that are talked through, and requests that are put to the person, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import Any

from signoff.core.commands import Ask
from signoff.core.events import Usage
from signoff.core.personas import Interview, Persona, Said, Settling
from signoff.core.state import OpenTurn
from signoff.core.terms import language_of
from signoff.core.workflow import Workflow
from signoff.service import conversations, run_control, runs
from signoff.service.conversations import CHAT, Ways
from signoff.service.project import Project, Run
from signoff.surfaces.cli import run_work
from signoff.surfaces.cli.terminal import progress
from signoff.surfaces.cli.terminal import question_prompts as talking
from signoff.surfaces.cli.terminal.formatting import clean, paragraph
from signoff.surfaces.cli.terminal.interview import Interviewer
from signoff.surfaces.cli.terminal.keyboard import Keyboard
from signoff.surfaces.cli.terminal.request_prompts import Requests

SUBMIT = "submit"


@dataclass(slots=True)
class Came:
    """What came of a conversation, for whoever reads it as data."""

    persona: str
    task: str
    written: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    settled: list[dict[str, Any]] = field(default_factory=list)
    left: bool = False
    run: dict[str, Any] | None = None
    next: str = ""
    exit: int = runs.DONE

    def plain(self) -> dict[str, Any]:
        """The result as JSON data."""
        names = ("persona", "task", "written", "turns", "settled", "left", "run", "next", "exit")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation: with whom, where, how runs are worked on meanwhile, and what has come of it."""

    project: Project
    workflow: Workflow
    persona: Persona
    how: run_work.How
    came: Came
    screen: Keyboard


def take(chat: Chat) -> None:
    """Goes on with the run, and stops for what is the persona's, until nothing of it is left."""
    if chat.how.runtime or chat.how.models:
        run = chat.persona.run(chat.came.task)
        chat.how.worker(chat.project, chat.workflow, run)  # a wrong choice is refused before a run begins
    live = asyncio.run(_opened(chat))
    how = chat.how.on(live)
    asyncio.run(how.limit(live))
    worker = cache(lambda: how.worker(chat.project, chat.workflow, live.run))  # nobody needs a model to be asked
    again = f"signoff chat {chat.persona.name} {chat.came.task}"
    while True:
        run_work.waited(_go_on(chat, live, how, worker), again)
        if turn := _turn(chat, live):
            if _interview(chat).output:
                _talk_through(chat, live, turn)
                continue
            _ask(chat, live, turn)
            runtime = worker()
            run_work.waited(_hand_over(chat, live, how, runtime), again)
            if _turn(chat, live):
                break
        elif found := _request(chat, live):
            _put(chat, live, *found)
        else:
            break
    _end(chat, live)


async def _opened(chat: Chat) -> Run:
    run = chat.persona.run(chat.came.task)
    if chat.persona.begins:
        return await run_control.begin_or_go_on(chat.project, chat.workflow, run, {})
    return await chat.project.open(run)


async def _go_on(chat: Chat, live: Run, how: run_work.How, worker: Callable[[], Any]) -> int:
    """Takes in what people edited, and has other agents' turns carried out, with progress where there are any."""
    await runs.drive(live, run_control.runtime("host", chat.workflow))
    if all(turn.start.agent == chat.persona.agent for turn in live.state.turns.values()):
        return runs.DONE
    with run_work.reporter(chat.project, chat.workflow, live.run, how, worker(), live.state):
        await runs.drive(live, worker(), apart=(chat.persona.agent,))
    return runs.DONE


async def _hand_over(chat: Chat, live: Run, how: run_work.How, worker: Any) -> int:
    """Has the persona's own turn carried out, with the answers among its inputs."""
    talk = conversations.recall(chat.project, chat.persona, chat.came.task)
    conversations.end(chat.project, talk, chat.came.task)
    with run_work.reporter(chat.project, chat.workflow, live.run, how, worker, live.state):
        await live.refresh()
        await runs.drive(live, worker)
    return runs.DONE


def _end(chat: Chat, live: Run) -> None:
    """Says what came of the persona's part, where the run stands, and whose turn it is."""
    status = run_control.described(live)
    talking.tell(chat.screen, paragraph(chat.persona.report(conversations.scene(chat.project, chat.came.task))))
    place, language = run_work.elsewhere(chat.project), language_of(live.state.params)
    print("\n".join(progress.ending(status, place, language)))
    chat.came.run, chat.came.exit = status, runs.exit_code(live.state)
    chat.came.next = _earlier(chat, live)


def _earlier(chat: Chat, live: Run) -> str:
    """A persona before this one whose request waits: it comes first; else the one that follows in the order."""
    waiting = [
        conversations.owner(chat.project, chat.workflow, ask, chat.came.task) for ask in live.state.requests.values()
    ]
    before = takewhile(lambda name: name != chat.persona.name, chat.workflow.people.personas)
    asked = {persona.name for persona in waiting if persona}
    return next((name for name in before if name in asked), chat.persona.next)


# --- a turn that is talked through ------------------------------------------------------------------------------------


def _turn(chat: Chat, live: Run) -> OpenTurn | None:
    mine = (turn for turn in live.state.turns.values() if turn.start.agent == chat.persona.agent)
    return next(mine, None)


def _talk_through(chat: Chat, live: Run, turn: OpenTurn) -> None:
    """Interviews for the output of a turn, and gives it back when the person agrees; what is refused is asked again."""
    interview, start = _interview(chat), turn.start
    scene = conversations.on_turn(live, chat.came.task, start)
    contract = live.workflow.contract(start.contract)
    print(f"\n{clean(start.turn)}: {clean(start.task, 1000)}")
    talking.tell(chat.screen, paragraph("\n".join(str(finding) for finding in start.told)))

    def drafted(said: Said) -> str:
        assert interview.output is not None  # narrows the type: such a turn is handed over
        output = interview.output(said, scene)
        contract.parse(output.encode(), "output")
        return output

    talk = conversations.recall(chat.project, chat.persona, chat.came.task)
    asking = Interviewer(chat.project, talk, lambda said: interview.questions(said, scene), chat.screen, drafted)
    asking.recall()
    output = drafted(asking.agree(SUBMIT, f"give it back as the output of {start.agent}"))
    found = asyncio.run(runs.submit(live, start.turn, start.attempt, output, worker=CHAT, usage=Usage()))
    if found:
        talking.tell(chat.screen, paragraph("It was not taken:\n" + "\n".join(map(str, found))))
        return
    conversations.end(chat.project, asking.talk, chat.came.task)
    chat.came.turns.append(start.turn)


def _ask(chat: Chat, live: Run, turn: OpenTurn) -> None:
    """Asks what a model should know that takes the turn, until the person wants it to begin."""
    interview, start = _interview(chat), turn.start
    scene = conversations.on_turn(live, chat.came.task, start)
    print(f"\n{clean(start.turn)}: {clean(start.task, 1000)}")
    talk = conversations.recall(chat.project, chat.persona, chat.came.task)
    asking = Interviewer(chat.project, talk, lambda said: interview.questions(said, scene), chat.screen, _by_a_model)
    asking.recall()
    asking.agree(SUBMIT, f"give your answers to the model that takes the turn of {start.agent}")


def _by_a_model(_said: Said) -> str:
    return "Your answers are kept. A language model makes the draft of them and the other inputs of the turn."


def _interview(chat: Chat) -> Interview:
    assert chat.persona.interview is not None  # narrows the type: the workflow was checked when it was built
    return chat.persona.interview


# --- requests ---------------------------------------------------------------------------------------------------------


def _request(chat: Chat, live: Run) -> tuple[Ask, Settling] | None:
    """The first request that is the persona's, and how it is put."""
    scene = conversations.scene(chat.project, chat.came.task)
    found = ((ask, chat.persona.settle(ask, scene)) for ask in live.state.requests.values())
    return next(((ask, settling) for ask, settling in found if settling), None)


def _put(chat: Chat, live: Run, ask: Ask, settling: Settling) -> None:
    """Shows a request, and settles it in the way that the person takes; one that changed meanwhile is put again."""
    ways = Ways(settling.shown, {way.word: (way, chat.persona) for way in settling.ways})
    if settled := Requests(live, chat.screen, asyncio.run, chat.came.task).put(ask, ways):
        chat.came.settled.append(settled)
