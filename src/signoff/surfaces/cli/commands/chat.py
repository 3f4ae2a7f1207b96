"""`chat`: a conversation with a persona, which makes a file before a run, or takes its part in one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import takewhile
from typing import Annotated, Any

import typer

from signoff import Ask, Workflow
from signoff.service import catalog, conversations, run_control, runs
from signoff.service.conversations import CHAT, Draft, Ways
from signoff.service.project import Project, Run
from signoff.service.types import NAMED, Interview, OpenTurn, Persona, Said, Settling, Usage
from signoff.surfaces.cli import exits, work
from signoff.surfaces.cli.options import completed, print_json
from signoff.surfaces.cli.terminal import progress
from signoff.surfaces.cli.terminal.formatting import clean, clean_line, paragraph, table
from signoff.surfaces.cli.terminal.interview import Desk, Interviewer, LeftError
from signoff.surfaces.cli.terminal.keyboard import Keyboard
from signoff.surfaces.cli.terminal.question_prompts import tell
from signoff.surfaces.cli.terminal.request_prompts import Requests
from signoff.surfaces.cli.terminal.signing import here
from signoff.surfaces.cli.work import How

SUBMIT, WRITE, REPLACE, KEEP = "submit", "write", "replace", "keep"


@dataclass(slots=True)
class Outcome:
    """What came of a conversation; with --json this is what is printed."""

    persona: str
    task: str
    written: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    settled: list[dict[str, Any]] = field(default_factory=list)
    left: bool = False
    run: dict[str, Any] | None = None
    next: str = ""
    exit: int = runs.DONE


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation: with whom, where, how runs are worked on meanwhile, and what has come of it."""

    project: Project
    workflow: Workflow
    persona: Persona
    how: How
    outcome: Outcome
    screen: Keyboard

    @property
    def interview(self) -> Interview:
        assert self.persona.interview is not None  # narrows the type: the workflow was checked when it was built
        return self.persona.interview


@work.run_options()
def chat(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The persona; left out, all are shown.", autocompletion=completed(catalog.personas)
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="What it is about; else asked for, or the only one there is.")
    ] = None,
    *,
    how: How,
) -> int:
    """Talk with a persona, one question at a time, and end with what it makes.

    A persona says which files it needs and who makes them; without NAME all are shown, and which can begin now. You see
    the draft before it is written, and a file that is there is never replaced unless you say so. Every answer is kept
    at once: leave with /exit (or Ctrl-D) whenever you like, and go on later. /back takes the last answer back, /draft
    shows what would come of it, /help the rest. In a run the turns of other agents are carried out as with
    `signoff run`. What must be approved, you confirm as with `signoff approve`.

    \b
    Example:
      signoff chat
      signoff chat plan-developer
      signoff chat solution-architect user_management
    """
    project = work.project_with_notices(how.project)
    if name is None:
        return _list(project, as_json=how.as_json)
    workflow, persona = conversations.find(name)
    about = asyncio.run(conversations.about(project, workflow, persona, task))
    conversations.refuse_lacking(project, persona, about)
    outcome, again = Outcome(persona.name, about), f"signoff chat {name}{f' {task}' if task else ''}"
    with redirect_stdout(sys.stderr) if how.as_json else nullcontext():
        print(f"{persona.name}: {persona.about} /help for help, /exit to leave.")
        held = Chat(project, workflow, persona, replace(how, as_json=False), outcome, Keyboard())
        try:
            if persona.artifact:
                _make_file(held)
            else:
                _take_part(held)
        except LeftError:
            outcome.left, outcome.exit = True, runs.WAITING
            print(f"Left. What was said is kept: `{again}` goes on.")
        except KeyboardInterrupt:
            raise exits.InterruptedRunError(again) from None
        else:
            outcome.next = outcome.next or persona.next
            if outcome.next:
                text = clean(catalog.personas()[outcome.next][1].about, 400)
                print(f"Next: signoff chat {outcome.next} {outcome.task}  # {text}")
    if how.as_json:
        print_json(asdict(outcome))
    return outcome.exit


def _list(project: Project, *, as_json: bool) -> int:
    listed = asyncio.run(conversations.listing(project))
    if as_json:
        print_json({"personas": listed})
        return runs.DONE
    rows = []
    for one in listed:
        missing = "; ".join(f"{need['path']}, made by {need['maker']}" for need in one["needs"] if not need["there"])
        about = f"needs {missing}" if missing else one["about"]
        rows.append((one["persona"], one["task"] or "-", "yes" if one["can_begin"] else "no", about))
    print("\n".join(table(("PERSONA", "TASK", "CAN BEGIN", ""), rows)) if rows else "No workflow has a persona.")
    return runs.DONE


# --- a file before a run ----------------------------------------------------------------------------------------------


def _make_file(chat: Chat) -> None:
    """Interviews until the person agrees with the draft, and writes it."""
    project, persona, interview, task = chat.project, chat.persona, chat.interview, chat.outcome.task
    scene = conversations.scene(project, task)

    def drafted(said: Said) -> Draft:
        assert interview.output is not None  # narrows the type: such a persona makes a file
        output = interview.output(said, scene)
        return conversations.drafted(project, chat.workflow, persona, task or said.get(NAMED, ""), output)

    talk = conversations.recall(project, persona, *([task] if task else []))
    questions = lambda said: interview.questions(said, scene)  # noqa: E731
    asking = Interviewer(project, talk, questions, chat.screen, lambda said: drafted(said).text)
    for other in () if task else conversations.under_way(project, persona):
        print(f"There is a conversation about {clean(other)}, too: `signoff chat {persona.name} {clean(other)}`.")
    asking.recall()
    while True:
        draft = drafted(asking.agree(WRITE, "write it into the project"))
        if draft.before is None or draft.same or _replaces(asking.desk, draft):
            break
    asyncio.run(conversations.put(project, draft, here(), replace=draft.before is not None))
    chat.outcome.task = task or asking.said[NAMED]
    chat.outcome.written.append(draft.path)
    conversations.end(project, asking.talk, chat.outcome.task)
    print(f"{'It is there already, just so' if draft.same else 'Written'}: {clean(draft.path)}")


def _replaces(desk: Desk, draft: Draft) -> bool:
    """Whether the person wants the file that is there replaced: only a person can say so."""
    print(f"\n{clean(draft.path)} is there, and would change like this:")
    print("\n".join(map(clean_line, draft.difference().splitlines())))
    conversations.check_replacing(draft, here())
    return desk.pick({REPLACE: "put the new one in its place", KEEP: "leave it as it is"}) == REPLACE


# --- a part in a run --------------------------------------------------------------------------------------------------


def _take_part(chat: Chat) -> None:
    """Goes on with the run, and stops for what is the persona's, until nothing of it is left."""
    run = chat.persona.run(chat.outcome.task)
    if chat.how.runtime or chat.how.models:
        chat.how.worker(chat.project, chat.workflow, run)  # a wrong choice is refused before a run begins
    if chat.persona.begins:
        live = asyncio.run(run_control.begin_or_go_on(chat.project, chat.workflow, run, {}))
    else:
        live = asyncio.run(chat.project.open(run))
    how = chat.how.on(live)
    asyncio.run(how.limit(live))
    worker = cache(lambda: how.worker(chat.project, chat.workflow, live.run))  # only a turn needs a model
    again = f"signoff chat {chat.persona.name} {chat.outcome.task}"
    while True:
        work.run_to_end(_go_on(chat, live, how, worker), again)
        if turn := _turn(chat, live):
            _talk_through(chat, live, turn)
            if not chat.interview.output:
                runtime = worker()
                work.run_to_end(_hand_over(chat, live, how, runtime), again)
                if _turn(chat, live):
                    break
        elif found := _request(chat, live):
            ask, settling = found
            ways = Ways(settling.shown, {way.word: (way, chat.persona) for way in settling.ways})
            if settled := Requests(live, chat.screen, asyncio.run, chat.outcome.task).put(ask, ways):
                chat.outcome.settled.append(settled)
        else:
            break
    status = run_control.described(live)
    tell(chat.screen, paragraph(chat.persona.report(conversations.scene(chat.project, chat.outcome.task))))
    print("\n".join(progress.ending(status, work.elsewhere(chat.project), live.language)))
    chat.outcome.run, chat.outcome.exit = status, runs.exit_code(live.state)
    chat.outcome.next = _earlier(chat, live)


async def _go_on(chat: Chat, live: Run, how: How, worker: Callable[[], Any]) -> int:
    """Takes in what people edited, and has other agents' turns carried out, with progress if there are any."""
    await runs.drive(live, run_control.runtime("host", chat.workflow))
    if any(turn.start.agent != chat.persona.agent for turn in live.state.turns.values()):
        with work.reporter(chat.project, chat.workflow, live.run, how, worker(), live.state):
            await runs.drive(live, worker(), apart=(chat.persona.agent,))
    return runs.DONE


async def _hand_over(chat: Chat, live: Run, how: How, worker: Any) -> int:
    """Has the persona's own turn carried out, with the answers among its inputs."""
    talk = conversations.recall(chat.project, chat.persona, chat.outcome.task)
    conversations.end(chat.project, talk, chat.outcome.task)
    with work.reporter(chat.project, chat.workflow, live.run, how, worker, live.state):
        await live.refresh()
        await runs.drive(live, worker)
    return runs.DONE


def _earlier(chat: Chat, live: Run) -> str:
    """A persona before this one whose request waits: it comes first; else the one that follows in the order."""
    waiting = [
        conversations.owner(chat.project, chat.workflow, ask, chat.outcome.task) for ask in live.state.requests.values()
    ]
    before = takewhile(lambda name: name != chat.persona.name, chat.workflow.people.personas)
    asked = {persona.name for persona in waiting if persona}
    return next((name for name in before if name in asked), chat.persona.next)


def _turn(chat: Chat, live: Run) -> OpenTurn | None:
    return next((turn for turn in live.state.turns.values() if turn.start.agent == chat.persona.agent), None)


def _request(chat: Chat, live: Run) -> tuple[Ask, Settling] | None:
    """The first request that is the persona's, and how it is put."""
    scene = conversations.scene(chat.project, chat.outcome.task)
    found = ((ask, chat.persona.settle(ask, scene)) for ask in live.state.requests.values())
    return next(((ask, settling) for ask, settling in found if settling), None)


def _talk_through(chat: Chat, live: Run, turn: OpenTurn) -> None:
    """Interviews for a turn until the person agrees.

    If the interview makes the output, it is given back; what is refused is asked again. Else a model takes the turn,
    and the answers are kept for it.
    """
    interview, start = chat.interview, turn.start
    scene = conversations.on_turn(live, chat.outcome.task, start)
    contract = live.workflow.contract(start.contract)
    print(f"\n{clean(start.turn)}: {clean(start.task, 1000)}")

    def drafted(said: Said) -> str:
        if interview.output is None:
            return "Your answers are kept. A language model makes the draft of them and the other inputs of the turn."
        output = interview.output(said, scene)
        contract.parse(output.encode(), "output")
        return output

    if interview.output:
        tell(chat.screen, paragraph("\n".join(str(finding) for finding in start.told)))
    talk = conversations.recall(chat.project, chat.persona, chat.outcome.task)
    asking = Interviewer(chat.project, talk, lambda said: interview.questions(said, scene), chat.screen, drafted)
    asking.recall()
    if interview.output is None:
        asking.agree(SUBMIT, f"give your answers to the model that takes the turn of {start.agent}")
        return
    output = drafted(asking.agree(SUBMIT, f"give it back as the output of {start.agent}"))
    found = asyncio.run(runs.submit(live, start.turn, start.attempt, output, worker=CHAT, usage=Usage()))
    if found:
        tell(chat.screen, paragraph("It was not taken:\n" + "\n".join(map(str, found))))
        return
    conversations.end(chat.project, asking.talk, chat.outcome.task)
    chat.outcome.turns.append(start.turn)
