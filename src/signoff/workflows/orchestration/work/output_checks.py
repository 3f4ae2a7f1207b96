"""Checks on the outputs of the work: of doers, verifiers, PoC reviewers and the agents that settle questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.declarations import Now
from signoff.core.errors import DocumentError
from signoff.core.events import TurnReturned
from signoff.core.findings import Finding
from signoff.core.permissions import may_run_line
from signoff.workflows.orchestration import outputs, places
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.instructions import works_under
from signoff.workflows.orchestration.design.turns import strayed
from signoff.workflows.orchestration.documents.architecture_decisions import without_evolution
from signoff.workflows.orchestration.documents.contracts import Checkpoint, Criterion
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.sequence import path_patterns
from signoff.workflows.orchestration.state import Shelf, own_of
from signoff.workflows.orchestration.work import notes
from signoff.workflows.orchestration.work.escalations import RULED, TACTICAL
from signoff.workflows.orchestration.work.progress import Case, Worker

MIN_GROUND: Final = 6
"""The fewest characters of a ground: a shorter one is in every document."""


def _subject(now: Now) -> str:
    """The agent whose work the turn is about."""
    return now.turn.start.key.partition("-")[2] if now.turn else ""


def _worker(now: Now) -> Worker | None:
    work = own_of(now.state).work
    return work.workers.get(_subject(now)) if work else None


def _case(now: Now, agent: str) -> Case | None:
    work = own_of(now.state).work
    return work.case_of(agent) if work else None


def points(now: Now) -> tuple[Checkpoint, ...]:
    """The checkpoints of the work that the turn is about."""
    worker = _worker(now)
    if worker is not None and worker.serves:
        return (RULED,)
    return works_under(Shelf(now.state, now.look), _subject(now))[1]


# --- doers and tactical tasks -----------------------------------------------------------------------------------------


def check_work(now: Now, output: outputs.WorkOutput) -> Iterator[Finding]:
    """A doer may not write outside its contract, settle what is not its own, or claim what did not happen."""
    worker = _worker(now)
    if worker is None or not isinstance(now.event, TurnReturned) or now.turn is None:
        return
    yield from strayed(now)
    own = notes.decided_by(TACTICAL) if worker.serves else ()
    yield from notes.findings(worker.notes, output.notes, config_of(now.state, now.look).escalate, own)
    if output.status == "blocked" and all(one.status != "escalated" for one in output.notes):
        repair = "escalate the note that blocks it, with the reason, or go on"
        yield Finding(rule="work.blocked", problem="it is blocked, and no note says why", repair=repair)
    yield from _elsewhere(now, now.event, worker)
    yield from _unfounded(now, now.event, worker, output)


def _elsewhere(now: Now, event: TurnReturned, worker: Worker) -> Iterator[Finding]:
    """Files that no pattern of the contract matches; a `*` in a contract ends with the folder."""
    agent = _subject(now)
    known = () if worker.serves else works_under(Shelf(now.state, now.look), agent)[0].writes
    mine = [f"{places.output(agent)}**", *(one.path for one in known)]
    for path in event.files:
        if not any(path_patterns.overlap(path, pattern) for pattern in mine) or path == places.manifest(agent):
            problem = f"{path} is not in the contract of {agent}"
            yield Finding(rule="work.strayed", problem=problem, repair=f"write only {', '.join(mine)}", file=path)


def _unfounded(now: Now, event: TurnReturned, worker: Worker, output: outputs.WorkOutput) -> Iterator[Finding]:
    """Evidence that names a command that did not run on the work as it is, or a missing file."""
    earlier = worker.ran if not event.files else ()
    ran = {one.command for one in (*event.ran, *earlier) if one.code is not None}
    for one in output.evidence:
        if one.command and one.command not in ran:
            problem = f"the evidence for {one.criterion} names {one.command!r}, which was not run"
            repair = f"run it and give its result; these ran: {'; '.join(sorted(ran)) or 'none'}"
            yield Finding(rule="evidence.command", problem=problem, repair=repair, about=one.criterion)
        if one.path and one.path not in now.state.docs:
            problem = f"the evidence for {one.criterion} names {one.path}, which does not exist"
            repair = "name the file that holds it, by its path from the project's folder"
            yield Finding(rule="evidence.path", problem=problem, repair=repair, about=one.criterion)


def check_tactical(now: Now, output: outputs.TacticalOutput) -> Iterator[Finding]:
    """A tactical turn must rule on every question, on grounds that are in the approved documents."""
    yield from check_work(now, output)
    worker = _worker(now)
    case = _case(now, worker.serves) if worker else None
    if case is None:
        return
    asked = set(case.left(TACTICAL))
    ruled = [one.note_id for one in output.rulings]
    for note in sorted({note for note in ruled if note not in asked or ruled.count(note) > 1}):
        problem = f"{note} has a ruling, and is not one of the questions or comes twice"
        yield Finding(rule="ruling.note", problem=problem, repair=f"rule once on each of {', '.join(sorted(asked))}")
    missing = sorted(asked - set(ruled))
    if missing and output.status in ("completion_drive_review", "ready_for_verification"):
        problem = f"{', '.join(missing)} has no ruling"
        yield Finding(rule="ruling.missing", problem=problem, repair="rule on it, or escalate why you cannot")
    approved = ground_text(Shelf(now.state, now.look))
    for one in output.rulings:
        if not is_ground(one.ground, approved):
            problem = f"the ground of {one.note_id} is not in the approved documents: {one.ground[:80]!r}"
            repair = "quote a heading or a sentence of the decisions, the stack or the plan, word for word"
            yield Finding(rule="ruling.ground", problem=problem, repair=repair, about=one.note_id)


def ground_text(shelf: Shelf) -> str:
    """The text of the approved documents that can ground a ruling, prepared for comparison.

    The evolution notes are not among it, because they are agents' own words.
    """
    own = own_of(shelf.state)
    texts = (without_evolution(shelf.text(places.DECISIONS)), shelf.text(places.STACK), shelf.text(own.summary))
    return squeeze(" ".join(texts)).casefold()


def is_ground(said: str, approved: str) -> bool:
    """Whether a ground is in the approved text, apart from marks and spaces."""
    plain = squeeze(said).strip(" .\"'`“”#*").casefold()
    return len(plain) >= MIN_GROUND and plain in approved


# --- verifiers and PoCs -----------------------------------------------------------------------------------------------


def check_verdict(now: Now, output: outputs.VerdictOutput) -> Iterator[Finding]:
    """A verdict must judge every criterion, and pass only work that meets them all."""
    yield from strayed(now)
    wanted = {one.id: one for point in points(now) for one in point.criteria}
    said = [one.id for one in output.criteria]
    for name in sorted({*said} ^ {*wanted} | {name for name in said if said.count(name) > 1}):
        problem = f"{name} is judged, and is not a criterion" if name not in wanted else f"{name} is not judged once"
        yield Finding(rule="verdict.criteria", problem=problem, repair=f"judge each once: {', '.join(wanted)}")
    unmet = [one.id for one in output.criteria if not one.met and not one.left_out]
    if output.result == "pass" and (unmet or output.missing_evidence):
        problem = f"it passes although {', '.join(unmet) or 'evidence'} is missing"
        yield Finding(rule="verdict.result", problem=problem, repair="fail it, and say what is missing")
    if output.result == "fail" and not output.missing_evidence:
        repair = "list in missing_evidence what must be shown"
        yield Finding(rule="verdict.result", problem="it fails and does not say what is missing", repair=repair)
    for one in output.criteria:
        if one.left_out:
            yield from _not_theirs(now, one)
        if one.met and one.id in wanted:
            yield from _unseen(now, wanted[one.id])


def _not_theirs(now: Now, judged: outputs.Judged) -> Iterator[Finding]:
    """A criterion is left out only if a person was asked about it by its id, and then it is not met."""
    worker = _worker(now)
    told = [note.description for note in worker.notes if note.resolved_by == "user"] if worker else []
    named = re.compile(rf"(?<![\w.]){re.escape(judged.id)}(?![\w.]*\w)")
    if judged.met or not any(map(named.search, (*told, *(worker.told if worker else ())))):
        problem = f"{judged.id} is left out, and {'met' if judged.met else 'no person was asked about it'}"
        repair = "say what is missing; only a person who was asked about a criterion by its id leaves it out"
        yield Finding(rule="verdict.left_out", problem=problem, repair=repair, about=judged.id)


def _unseen(now: Now, criterion: Criterion) -> Iterator[Finding]:
    """A criterion with a command is met only if the command ran in this turn and succeeded."""
    command = criterion.command
    if not command or now.turn is None or not may_run_line(command, now.turn.start.runs):
        return
    assert isinstance(now.event, TurnReturned)  # narrows the type: only an output is checked
    codes = [one.code for one in now.event.ran if one.command == command]
    if not codes or codes[-1] != 0:
        found = f"ended with {codes[-1]}" if codes else "was not run"
        problem = f"{criterion.id} is judged as met, and {command!r} {found} in this turn"
        repair = "run it; if it fails, the criterion is not met"
        yield Finding(rule="verdict.command", problem=problem, repair=repair, about=criterion.id)


def check_assessment(now: Now, output: outputs.AssessmentOutput) -> Iterator[Finding]:
    """An assessment must judge every criterion of a PoC once, and agree with them."""
    yield from strayed(now)
    wanted = [one.id for point in points(now) for one in point.criteria]
    said = [one.id for one in output.criteria]
    if sorted(said) != sorted(wanted):
        problem, repair = f"judged: {', '.join(said) or 'none'}", f"judge each once: {', '.join(wanted)}"
        yield Finding(rule="assessment.criteria", problem=problem, repair=repair)
        return
    met = {one.id for one in output.criteria if one.met}
    passes = {name for name in wanted if "_pass_" in name}
    due = "fail" if met - passes else "pass" if passes <= met else "partial"
    if output.assessment != due:
        problem = f"it is assessed as {output.assessment}, but its criteria say {due}"
        yield Finding(rule="assessment.result", problem=problem, repair=f"say {due}, or judge the criteria otherwise")


def check_decision(now: Now, output: outputs.PocDecisionOutput) -> Iterator[Finding]:
    """Only a PoC that passed goes on without a person, and the edits must be possible."""
    yield from strayed(now)
    work = own_of(now.state).work
    assessed = work.assessed.get(_subject(now)) if work else None
    if output.decision == "proceed" and assessed != "pass":
        problem = f"it is to proceed, but was assessed as {assessed}"
        yield Finding(
            rule="poc.proceed", problem=problem, repair="adapt, or escalate: a person decides which risks are accepted"
        )
    if output.decision == "adapt" and not output.edits:
        yield Finding(rule="poc.edits", problem="it is to adapt without edits", repair="give edits, or escalate")
    if output.decision != "adapt" and output.edits:
        problem = f"there are edits, and the decision is {output.decision}"
        yield Finding(rule="poc.edits", problem=problem, repair="leave them out, or adapt")
    if output.edits:
        shelf, created = Shelf(now.state, now.look), epoch(now.event.at)
        try:
            plan_edits.apply(shelf.roster, shelf.contracts, output.edits, shelf.specs, created=created)
        except DocumentError as error:
            yield from error.findings


# --- those who settle questions ---------------------------------------------------------------------------------------


def check_resolution(now: Now, output: outputs.ResolutionOutput) -> Iterator[Finding]:
    """Each note must be settled or in conflict; a person's answer may not change."""
    case = _case(now, _subject(now))
    if case is None or now.turn is None:
        return
    clears = now.turn.start.key.startswith("clear-")
    wanted = set(case.left("person" if clears else "escalation_resolution"))
    yield from strayed(now)
    strange = sorted({*output.resolutions, *output.conflicts} - wanted)
    missing = sorted(wanted - {*output.resolutions, *output.conflicts})
    both = sorted({*output.resolutions} & {*output.conflicts})
    if strange or both:
        problem = f"{', '.join(strange or both)} is not one of the notes, or is both settled and in conflict"
        yield Finding(rule="resolution.note", problem=problem, repair=f"settle {', '.join(sorted(wanted))}")
    if missing:
        problem = f"{', '.join(missing)} is neither settled nor in conflict"
        yield Finding(rule="resolution.missing", problem=problem, repair="settle it, or say what it breaks")
    for note, text in output.resolutions.items():
        if clears and note in case.answers and squeeze(text) != squeeze(case.answers[note]):
            problem = f"the person's answer to {note} was changed"
            yield Finding(rule="resolution.answer", problem=problem, repair=f"give it as it is: {case.answers[note]}")


def check_loop(now: Now, output: outputs.LoopOutput) -> Iterator[Finding]:
    """The end of a loop needs edits or questions."""
    yield from strayed(now)
    if not output.edits and not output.questions and _case(now, _subject(now)) is not None:
        problem = f"the root cause is {output.root_cause}, and nothing follows from it"
        yield Finding(rule="loop.end", problem=problem, repair="give edits of the plan, or questions to the person")
