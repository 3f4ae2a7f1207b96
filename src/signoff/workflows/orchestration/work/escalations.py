"""Escalations: first come, first served; each note goes to who may settle it, and comes back into the agent's notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from signoff.core.commands import PERSONS, Ask
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.workflows.orchestration.config import Config
from signoff.workflows.orchestration.documents.contracts import Checkpoint, Criterion
from signoff.workflows.orchestration.ids import tactical_task, task_id
from signoff.workflows.orchestration.outputs import LoopOutput, ResolutionOutput
from signoff.workflows.orchestration.work import loops
from signoff.workflows.orchestration.work.notes import DECIDES, Decider, Note, Resolver
from signoff.workflows.orchestration.work.progress import Case, Proposal, Work, Worker
from signoff.workflows.orchestration.work.schedule import first_come

ANSWER: Final = "answer"
ADAPT: Final = "adapt"
TACTICAL: Final[Decider] = "tactical_solution_architect"

RULED: Final = Checkpoint(
    id="tactical",
    doer="tactical_solution_architect_agent",
    criteria=(
        Criterion(
            id="within", text="Every ruling keeps to the architecture that was approved.",
            evidence="the ground that it names, and what the decisions say there",
        ),
        Criterion(
            id="answers", text="Every question that was escalated is answered, whole, and can be followed at once.",
            evidence="the ruling beside the question",
        ),
    ),
)  # fmt: skip
"""What a tactical task is verified by."""


def opened(agent: str, worker: Worker, at: int) -> Case:
    """A new case for all that one agent has escalated; what is merely open is still its own."""
    escalated = (note for note in worker.notes if note.status == "escalated")
    routes = {note.note_id: _route(note, tactical=bool(worker.serves)) for note in escalated}
    return Case(agent=agent, since=worker.since or at, routes=routes)


def _route(note: Note, *, tactical: bool) -> Decider:
    """Who settles it. What an agent may settle itself and does not is for the workflow; what nobody named, or what is
    too much for a tactical task, for a person."""
    if note.category is None:
        return "person"
    wanted = DECIDES[note.category]
    if wanted == TACTICAL and tactical:
        return "person"
    return "escalation_resolution" if wanted == "agent_self" else wanted


def advanced(work: Work, config: Config, at: int) -> Work:
    """Every case at the stage that is due: a loop first, then tactical rulings, then the workflow, then the person.

    One tactical task is worked on at a time: the next one sees what was ruled before.
    """
    for case in sorted(work.cases, key=first_come):
        if case.stage == "queued":
            work = _next(work, case, config, at)
    return work


def _next(work: Work, case: Case, config: Config, at: int) -> Work:
    worker = work.workers[case.agent]
    if not case.loop and (question := loops.looping(worker.asked, config.similarity)):
        return work.with_case(replace(case, stage="looping", loop=question))
    if case.left(TACTICAL):
        busy = any(one.stage == "tactical" for one in work.cases)
        return work if busy else _charged(work, case, at)
    if case.left("escalation_resolution"):
        return work.with_case(replace(case, stage="resolving"))
    return work.with_case(replace(case, stage="asked"))


def _charged(work: Work, case: Case, at: int) -> Work:
    """A tactical task for what the architecture decides, with an id of its own."""
    name = next(name for number in count(1) if (name := tactical_task(case.agent, number)) not in work.workers)
    worker = Worker(task_id=task_id(name, at), serves=case.agent, session_start=at).moved("working", at)
    return work.with_worker(name, worker).with_case(replace(case, stage="tactical", tactical=name))


# --- what comes back --------------------------------------------------------------------------------------------------


def taken(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """A turn that settles something has come back."""
    case = work.case_of(agent)
    if case is None:
        return work
    if kind == "loop":
        return _unlooped(now.output, work, case)
    return _resolved(now.output, work, case, kind, at)


def ruled(work: Work, tactical: str, at: int) -> Work:
    """A tactical task was verified: its rulings go where they were asked for."""
    worker = work.workers[tactical]
    case = work.case_of(worker.serves)
    if case is None or case.tactical != tactical:
        return work
    by: Resolver = "escalation_resolution"
    return _settled(work, case, {one.note_id: (one.decision, by) for one in worker.rulings}, at)


def unruled(work: Work, tactical: str, at: int) -> Work:
    """A tactical task was given up: a person settles what it could not, and nobody needs to know what it asked."""
    worker = work.workers[tactical]
    notes = tuple(note.resolved("given up with its task", "user", at) for note in worker.notes)
    work = work.with_worker(tactical, replace(worker, notes=notes))
    case = work.case_of(worker.serves)
    if case is None:
        return work
    return work.with_case(replace(case.to_person(case.left(TACTICAL)), stage="queued", tactical=""))


def _resolved(output: ResolutionOutput, work: Work, case: Case, kind: str, at: int) -> Work:
    """What was found is taken; an answer that breaks another's task reopens the request."""
    by: Resolver = "user" if kind == "clear" else "escalation_resolution"
    wanted = case.left("person" if kind == "clear" else "escalation_resolution")
    conflicts = {note: why for note, why in output.conflicts.items() if note in wanted}
    good = {note: (text, by) for note, text in output.resolutions.items() if note in wanted and note not in conflicts}
    if output.edits:
        proposal = Proposal(by=case.agent, why=f"what {case.agent} asked changes the plan", edits=output.edits)
        work = work.proposing(proposal)
    case = replace(case, conflicts=conflicts, answers={n: a for n, a in case.answers.items() if n not in conflicts})
    if kind == "resolve":  # what the workflow cannot settle, a person can
        case = case.to_person(tuple(note for note in wanted if note not in good))
    return _settled(work, case, good, at)


def _settled(work: Work, case: Case, settled: Mapping[str, tuple[str, Resolver]], at: int) -> Work:
    """The resolutions go into the notes; when all are there, the agent works again and sees them."""
    case = replace(case, settled={**case.settled, **settled}, stage="queued")
    worker = work.workers[case.agent]
    notes = tuple(
        note.resolved(*settled[note.note_id], at) if note.note_id in settled else note for note in worker.notes
    )
    work = work.with_case(case).with_worker(case.agent, replace(worker, notes=notes))
    if any(note not in case.settled for note in case.routes):
        return work
    return work.with_worker(case.agent, work.workers[case.agent].moved("working", at)).without_case(case.agent)


def _unlooped(output: LoopOutput, work: Work, case: Case) -> Work:
    """The root cause leads to another plan, or to questions that a person answers; the ordinary path is over."""
    worker = work.workers[case.agent]
    work = work.with_worker(case.agent, replace(worker, asked=(), told=(*worker.told, output.explanation)))
    open_ones = tuple(note for note in case.routes if note not in case.settled)
    case = replace(case.to_person(open_ones), stage="queued", why=output.explanation, asks=output.questions)
    work = work.with_case(case)
    if output.edits:
        why = f"{case.agent} asks the same again and again ({output.root_cause}): {output.explanation}"
        work = work.proposing(Proposal(by=case.agent, why=why, edits=output.edits))
    return work


# --- what a person is asked -------------------------------------------------------------------------------------------


def requests(work: Work) -> Iterator[Ask]:
    """One request for each agent that waits for a person, in the order in which they came."""
    for case in sorted(work.cases, key=first_come):
        if case.stage == "asked":
            yield _ask(case, work.workers[case.agent])


def _ask(case: Case, worker: Worker) -> Ask:
    notes = [note for note in worker.notes if note.note_id in case.left("person")]
    questions = {note.note_id: _question(note, case) for note in notes}
    shown = "; ".join(f"{note.note_id}: {note.description.rstrip(' .')}" for note in notes)
    why = f" {case.why}" if case.why else ""
    about = {
        ANSWER: 'settle it: --note "note_001: …", a line for each, or `signoff chat escalation-resolution`',
        ADAPT: "change the plan instead: `signoff chat workflow-adaptation`",
    }
    return Ask(
        key=f"escalation-{case.agent}",
        kind="choice",
        options=tuple(about),
        question=f"{case.agent} needs to know: {shown}.{why}",
        notes={"about": about, PERSONS: True, "agent": case.agent, "asked": questions, "asks": list(case.asks)},
    )


def _question(note: Note, case: Case) -> dict[str, Any]:
    found = {
        "question": note.description,
        "context": note.context,
        "why": note.escalation_reason or "",
    }
    if note.note_id in case.conflicts:
        found["conflict"] = case.conflicts[note.note_id]
    return found


def answered(work: Work, agent: str, payload: Mapping[str, Any]) -> Work:
    """A person's answers stay proposed until they are cleared against other agents' tasks.

    What they left out is asked again.
    """
    case = work.case_of(agent)
    if case is None:
        return work
    given = payload.get("answers")
    said = given if isinstance(given, Mapping) else {}
    wanted = case.left("person")
    text = str(payload.get("note") or "")
    known = case.answers
    answers = {note: str(said.get(note) or _part(text, note, wanted) or known.get(note, "")).strip() for note in wanted}
    if not all(answers.values()):
        return work.with_case(replace(case, answers={note: words for note, words in answers.items() if words}))
    worker = replace(work.workers[agent], idle=0)
    return work.with_worker(agent, worker).with_case(replace(case, stage="clearing", answers=answers))


def _part(text: str, note: str, wanted: Sequence[str]) -> str:
    """The part of a note that answers one question: after its id, or all of it where only one was asked."""
    lines = [line.partition(":")[2].strip() for line in text.splitlines() if line.strip().startswith(f"{note}:")]
    named = any(_NAMED.match(line) for line in text.splitlines())
    return " ".join(lines) or (text.strip() if len(wanted) == 1 and not named else "")


_NAMED: Final = re.compile(r"\s*(note_[0-9]{3,6})\s*:")


def named_notes(text: str) -> tuple[str, ...]:
    """The notes that a text answers by their ids."""
    return tuple(found[1] for line in text.splitlines() if (found := _NAMED.match(line)))
