"""A persona's part of a run: turns that are talked through, and requests that are put to the person, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.commands import Ask
from signoff.core.decide import APPROVE
from signoff.core.events import Usage
from signoff.core.personas import Interview, Persona, Said, Settling, Way
from signoff.core.state import OpenTurn
from signoff.core.workflow import Workflow
from signoff.service import answering, chatting, driving, runs
from signoff.service.chatting import CHAT, Talk
from signoff.service.driving import PERSONAL
from signoff.service.project import Project
from signoff.shell.live import LiveRun
from signoff.shell.runtimes import Host
from signoff.surfaces.cli import progress, work
from signoff.surfaces.cli import talk as talking
from signoff.surfaces.cli.answer import Terminal
from signoff.surfaces.cli.interview import Desk, Interviewer
from signoff.surfaces.cli.keyboard import Keyboard
from signoff.surfaces.cli.words import clean, paragraph

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
    how: work.How
    came: Came
    screen: Keyboard


def take(chat: Chat) -> None:
    """Goes on with the run, and stops for what is the persona's, until nothing of it is left."""
    if chat.how.runtime or chat.how.models:
        chat.how.worker(
            chat.workflow, chat.persona.run(chat.came.task)
        )  # a wrong choice is refused before a run begins
    live = asyncio.run(_opened(chat))
    how = chat.how.on(live)
    asyncio.run(how.limit(live))
    worker = cache(lambda: how.worker(chat.workflow, live.run))  # nobody needs a model to be asked
    again = f"signoff chat {chat.persona.name} {chat.came.task}"
    while True:
        work.waited(_go_on(chat, live, how, worker), again)
        if turn := _turn(chat, live):
            if _interview(chat).output:
                _talk_through(chat, live, turn)
                continue
            _ask(chat, live, turn)
            runtime = worker()
            work.waited(_hand_over(chat, live, how, runtime), again)
            if _turn(chat, live):
                break
        elif found := _request(chat, live):
            _put(chat, live, *found)
        else:
            break
    _end(chat, live)


async def _opened(chat: Chat) -> LiveRun:
    run = chat.persona.run(chat.came.task)
    if chat.persona.begins:
        return await driving.begin_or_go_on(chat.project, chat.workflow, run, {})
    return await chat.project.open(run)


async def _go_on(chat: Chat, live: LiveRun, how: work.How, worker: Callable[[], Any]) -> int:
    """Takes in what people edited, and has other agents' turns carried out, with progress where there are any."""
    await runs.drive(live, Host())
    if all(turn.start.agent == chat.persona.agent for turn in live.state.turns.values()):
        return runs.DONE
    with work.reporter(chat.project, chat.workflow, live.run, how, live.state):
        await runs.drive(live, worker(), apart=(chat.persona.agent,))
    return runs.DONE


async def _hand_over(chat: Chat, live: LiveRun, how: work.How, worker: Any) -> int:
    """Has the persona's own turn carried out, with the answers among its inputs."""
    talk = chatting.recall(chat.project, chat.persona, chat.came.task)
    chatting.end(chat.project, talk, chat.came.task)
    with work.reporter(chat.project, chat.workflow, live.run, how, live.state):
        await live.refresh()
        await runs.drive(live, worker)
    return runs.DONE


def _end(chat: Chat, live: LiveRun) -> None:
    """Says what came of the persona's part, where the run stands, and whose turn it is."""
    status = driving.described(live)
    talking.tell(chat.screen, paragraph(chat.persona.report(chatting.scene(chat.project, chat.came.task))))
    print("\n".join(progress.ending(status, work.elsewhere(chat.project))))
    chat.came.run, chat.came.exit = status, runs.exit_code(live.state)
    chat.came.next = _earlier(chat, live)


def _earlier(chat: Chat, live: LiveRun) -> str:
    """A persona before this one whose request waits: it comes first; else the one that follows in the order."""
    waiting = [chatting.owner(chat.project, chat.workflow, ask, chat.came.task) for ask in live.state.requests.values()]
    before = takewhile(lambda name: name != chat.persona.name, chat.workflow.personas)
    asked = {persona.name for persona in waiting if persona}
    return next((name for name in before if name in asked), chat.persona.next)


# --- a turn that is talked through ------------------------------------------------------------------------------------


def _turn(chat: Chat, live: LiveRun) -> OpenTurn | None:
    mine = (turn for turn in live.state.turns.values() if turn.start.agent == chat.persona.agent)
    return next(mine, None)


def _talk_through(chat: Chat, live: LiveRun, turn: OpenTurn) -> None:
    """Interviews for the output of a turn, and gives it back when the person agrees; what is refused is asked again."""
    interview, start = _interview(chat), turn.start
    scene = chatting.on_turn(live, chat.came.task, start)
    contract = live.workflow.contracts[start.contract]
    print(f"\n{clean(start.turn)}: {clean(start.task, 1000)}")
    talking.tell(chat.screen, paragraph("\n".join(str(finding) for finding in start.told)))

    def drafted(said: Said) -> str:
        assert interview.output is not None  # narrows the type: such a turn is handed over
        output = interview.output(said, scene)
        contract.parse(output.encode(), "output")
        return output

    talk = chatting.recall(chat.project, chat.persona, chat.came.task)
    asking = Interviewer(chat.project, talk, lambda said: interview.questions(said, scene), chat.screen, drafted)
    asking.recall()
    output = drafted(asking.agree(SUBMIT, f"give it back as the output of {start.agent}"))
    found = asyncio.run(runs.submit(live, start.turn, start.attempt, output, worker=CHAT, usage=Usage()))
    if found:
        talking.tell(chat.screen, paragraph("It was not taken:\n" + "\n".join(map(str, found))))
        return
    chatting.end(chat.project, asking.talk, chat.came.task)
    chat.came.turns.append(start.turn)


def _ask(chat: Chat, live: LiveRun, turn: OpenTurn) -> None:
    """Asks what a model should know that takes the turn, until the person wants it to begin."""
    interview, start = _interview(chat), turn.start
    scene = chatting.on_turn(live, chat.came.task, start)
    print(f"\n{clean(start.turn)}: {clean(start.task, 1000)}")
    talk = chatting.recall(chat.project, chat.persona, chat.came.task)
    asking = Interviewer(chat.project, talk, lambda said: interview.questions(said, scene), chat.screen, _by_a_model)
    asking.recall()
    asking.agree(SUBMIT, f"give your answers to the model that takes the turn of {start.agent}")


def _by_a_model(_said: Said) -> str:
    return "Your answers are kept. A language model makes the draft of them and the other inputs of the turn."


def _interview(chat: Chat) -> Interview:
    assert chat.persona.interview is not None  # narrows the type: the workflow was checked when it was built
    return chat.persona.interview


# --- requests ---------------------------------------------------------------------------------------------------------


def _request(chat: Chat, live: LiveRun) -> tuple[Ask, Settling] | None:
    """The first request that is the persona's, and how it is put."""
    scene = chatting.scene(chat.project, chat.came.task)
    found = ((ask, chat.persona.settle(ask, scene)) for ask in live.state.requests.values())
    return next(((ask, settling) for ask, settling in found if settling), None)


def _put(chat: Chat, live: LiveRun, ask: Ask, settling: Settling) -> None:
    """Shows a request, and settles it in the way that the person takes."""
    print(f"\n{clean(ask.kind)} {clean(ask.request)}: {clean(ask.question, 1000)}")
    talking.tell(chat.screen, paragraph(settling.shown))
    if ask.notes.get("questions") is True:  # they are in the run's document; others go with the way that is taken
        _answer(live)
    ways = {way.word: way for way in settling.ways}
    picked = Desk(chat.screen).pick({way.word: way.about for way in settling.ways})
    payload, talk = _payload(chat, ask, ways[picked])
    chat.came.settled.append(asyncio.run(_settle(live, ask, ways[picked], payload)))
    chatting.forget(chat.project, talk)


def _answer(live: LiveRun) -> None:
    """The questions of the run's document, one by one, as with `signoff answer`."""
    sheet = answering.read(live)
    talking.converse(sheet, talking.wanted(sheet, every=False), Terminal(live))


def _payload(chat: Chat, ask: Ask, way: Way) -> tuple[Mapping[str, Any], Talk]:
    """What goes with the act, made of what the person says; where it is more than a word, they see it first."""
    talk = chatting.recall(chat.project, chat.persona, chat.came.task, ask.key, way.word)

    def drafted(said: Said) -> str:
        payload = way.payload(said)
        chatting.refuse_payload(way, way.act, payload)
        return yamlio.dump(payload)

    asking = Interviewer(chat.project, talk, way.questions, chat.screen, drafted)
    asking.recall()
    said = asking.agree(way.word, way.about) if way.takes else asking.hold()
    return way.payload(said), asking.talk


async def _settle(live: LiveRun, ask: Ask, way: Way, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Records the act: what is a person's is confirmed as with its own command."""
    if way.act not in PERSONAL:
        by = work.chooser(ask, f"choose {live.run} {way.act}")
        await runs.answer(live, ask.request, way.act, by, payload)
        return {"request": ask.request, "act": way.act, "by": by, **payload}
    by = work.person(f"{way.act} {live.run}")
    await live.refresh()
    given = {"accept_changes": False, **payload} if way.act == APPROVE else payload
    signed = work.sign(live, driving.request(live, ask.key, way.act), way.act, given, by)
    await signed.enter(live)
    return signed.plain(live)
