"""Escalations: each goes to the role that may settle it, first come first, and returns to the agent's notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

from signoff.artifacts import escape, markdown_headings
from signoff.core.commands import PERSONS, Ask
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.workflows.orchestration.config import Config
from signoff.workflows.orchestration.documents import architecture_decisions
from signoff.workflows.orchestration.documents.contracts import Checkpoint, Criterion
from signoff.workflows.orchestration.ids import tactical_task, task_id
from signoff.workflows.orchestration.outputs import LoopOutput, ResolutionOutput, Ruling
from signoff.workflows.orchestration.work import loops
from signoff.workflows.orchestration.work.notes import DECIDES, Decider, Note, Resolver
from signoff.workflows.orchestration.work.progress import DONE, Case, Proposal, Work, Worker
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
"""The checkpoint of every tactical task."""


def opened(agent: str, worker: Worker, at: int) -> Case:
    """A new case for everything that an agent has escalated; its open notes stay its own."""
    escalated = (note for note in worker.notes if note.status == "escalated")
    routes = {note.note_id: _route(note, tactical=bool(worker.serves)) for note in escalated}
    return Case(agent=agent, since=worker.since or at, routes=routes)


def _route(note: Note, *, tactical: bool) -> Decider:
    """The role that settles a note. A note without a category goes to a person, and so does what a tactical task
    cannot decide; what the agent could have settled itself goes to the workflow."""
    if note.category is None:
        return "person"
    wanted = DECIDES[note.category]
    if wanted == TACTICAL and tactical:
        return "person"
    return "escalation_resolution" if wanted == "agent_self" else wanted


def advanced(work: Work, config: Config, at: int) -> Work:
    """Moves every queued case to its next stage: a loop, then tactical rulings, then the workflow, then the person.

    Only one tactical task runs at a time, so that the next one sees the earlier rulings.
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
    """Creates a tactical task for the questions that the architecture decides."""
    name = next(name for number in count(1) if (name := tactical_task(case.agent, number)) not in work.workers)
    worker = Worker(task_id=task_id(name, at), serves=case.agent, session_start=at).moved("working", at)
    return work.with_worker(name, worker).with_case(replace(case, stage="tactical", tactical=name))


# --- what comes back --------------------------------------------------------------------------------------------------


def taken(now: Now, work: Work, kind: str, agent: str, at: int) -> Work:
    """The work after a turn that settles a case."""
    case = work.case_of(agent)
    if case is None:
        return work
    if kind == "loop":
        return _unlooped(now.output, work, case)
    return _resolved(now.output, work, case, kind, at)


def ruled(work: Work, tactical: str, at: int) -> Work:
    """The work after the verification of a tactical task: its rulings settle the notes of the agent that asked."""
    worker = work.workers[tactical]
    case = work.case_of(worker.serves)
    if case is None or case.tactical != tactical:
        return work
    by: Resolver = "escalation_resolution"
    return _settled(work, case, {one.note_id: (one.decision, by) for one in worker.rulings}, at)


def unruled(work: Work, tactical: str, at: int) -> Work:
    """The work after a tactical task was given up: a person settles its questions, and its own are closed."""
    worker = work.workers[tactical]
    notes = tuple(note.resolved("given up with its task", "user", at) for note in worker.notes)
    work = work.with_worker(tactical, replace(worker, notes=notes))
    case = work.case_of(worker.serves)
    if case is None:
        return work
    return work.with_case(replace(case.to_person(case.left(TACTICAL)), stage="queued", tactical=""))


def _resolved(output: ResolutionOutput, work: Work, case: Case, kind: str, at: int) -> Work:
    """Takes in what was settled. An answer that breaks another agent's task reopens the request."""
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
    """Writes the resolutions into the notes. If none is missing, the agent goes back to work."""
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
    """The root cause leads to a change of the plan, or to questions to a person; no other role is asked any more."""
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
    """One request for each agent that waits for a person, oldest first."""
    for case in sorted(work.cases, key=first_come):
        if case.stage == "asked":
            yield _ask(case, work.workers[case.agent])


def _ask(case: Case, worker: Worker) -> Ask:
    notes = [note for note in worker.notes if note.note_id in case.left("person")]
    questions = {
        note.note_id: {
            "question": note.description,
            "context": note.context,
            "why": note.escalation_reason or "",
            **({"conflict": case.conflicts[note.note_id]} if note.note_id in case.conflicts else {}),
        }
        for note in notes
    }
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


def answered(work: Work, agent: str, payload: Mapping[str, Any]) -> Work:
    """Takes in a person's answers, which still have to be checked against other agents' tasks.

    Questions without an answer stay open.
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
    """The part of a text that answers one question: after its id, or all of it if only one was asked."""
    lines = [line.partition(":")[2].strip() for line in text.splitlines() if line.strip().startswith(f"{note}:")]
    named = any(_NAMED.match(line) for line in text.splitlines())
    return " ".join(lines) or (text.strip() if len(wanted) == 1 and not named else "")


_NAMED: Final = re.compile(r"\s*(note_[0-9]{3,6})\s*:")


def named_notes(text: str) -> tuple[str, ...]:
    """The ids of the notes that a text answers."""
    return tuple(found[1] for line in text.splitlines() if (found := _NAMED.match(line)))


# --- rulings ----------------------------------------------------------------------------------------------------------

GONE: Final = "a question of a task that is no longer in the plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A verified ruling, with the question that it answers."""

    at: int
    agent: str
    question: str
    ruling: Ruling


def ruled_tasks(work: Work) -> tuple[str, ...]:
    """The tactical tasks that are verified."""
    return tuple(name for name, one in sorted(work.workers.items()) if one.serves and one.status in DONE)


def unrecorded(work: Work) -> tuple[str, ...]:
    """The verified tactical tasks whose rulings are not yet in the architecture decisions."""
    return tuple(name for name in ruled_tasks(work) if name not in work.noted)


def rulings_of(work: Work, tasks: Iterable[str]) -> Iterator[Ruled]:
    """The rulings of these tactical tasks."""
    for name in tasks:
        worker = work.workers[name]
        asker = work.workers.get(worker.serves)  # it may have been removed from the plan, or have another task
        asked = {note.note_id: note.description for note in (asker.notes if asker else ())}
        for one in worker.rulings:
            question = asked.get(one.note_id, GONE)
            yield Ruled(at=worker.since or 0, agent=worker.serves, question=question, ruling=one)


def recorded(text: str, rulings: Iterable[Ruled]) -> str:
    """The architecture decisions with these rulings at the end of their evolution notes; every other byte stays.

    A ruling that is already there is not written again. DocumentError if the section is gone.
    """
    for one in rulings:
        said = item(one)
        section = markdown_headings.named(markdown_headings.split(text), architecture_decisions.EVOLUTION)
        if section is None or f"\n{said}\n" not in f"\n{section.whole}\n":
            text = architecture_decisions.evolved(text, said)
    return text


def item(one: Ruled) -> str:
    """A ruling as a list item. All items have the last line, so no ruling is the beginning of another one."""
    ruling, day = one.ruling, datetime.fromtimestamp(one.at, UTC).date().isoformat()
    asked = f"asked by {escape.code(one.agent)} in {escape.code(ruling.note_id)}: {escape.literal(one.question)}"
    others = escape.literal(ruling.alternatives) if ruling.alternatives.strip() else "none were named"
    lines = [
        f"- {day}, {asked}",
        f"    - Decision: {escape.literal(ruling.decision)}",
        f"    - Ground: {escape.literal(ruling.ground)}",
        *([f"    - Means: {escape.literal(ruling.means)}"] if ruling.means.strip() else []),
        f"    - Alternatives: {others}",
    ]
    return "\n".join(lines)
