"""The architecture steps: drafts, one review after the other, questions to the person, and a decision per review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from signoff.core.commands import Ask, Command, StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.events import Answered, Started
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import changelog_checks
from signoff.workflows.orchestration.checks.changelog_checks import Drafts
from signoff.workflows.orchestration.design.turns import after_turn, required, turn, written
from signoff.workflows.orchestration.documents import (
    architecture_decisions,
    parsers,
    review_questions,
    reviews,
    technology_stack,
    tsa_changelog,
)
from signoff.workflows.orchestration.documents.reviews import REVIEWERS, Review
from signoff.workflows.orchestration.documents.technology_stack import Choices, Stack
from signoff.workflows.orchestration.documents.tsa_changelog import Entry
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import ArchitectOutput, TsaOutput
from signoff.workflows.orchestration.state import Design, Shelf, noted, own_of, sources
from signoff.workflows.orchestration.work import session_archive

DRAFTS = (places.STACK, places.DECISIONS)
CONTINUE = "continue"


def enter_architecture(now: Now) -> Move:
    own = own_of(now.state)
    rejected = own.rejected.get("architecture")
    notes = {"task": own.task, "rejected": rejected, "required": required(own, "architecture")}
    task = "Choose the technologies, decide the architecture, and say in which order it is to be reviewed."
    before = DRAFTS if rejected else ()  # parts without objections can stay
    reads = (own.summary, places.answers(own.task), *sources(now.state), *before)
    start = turn("architecture", "solution-architect", "architecture", task, notes=notes, reads=reads)
    return Move(own, (*_cleared(now), start))


def _cleared(now: Now) -> tuple[Command, ...]:
    """Removes what another run left: that run keeps its files, and its sessions are archived. Research stays, and so do
    files that belong to no run."""
    if not isinstance(now.event, Started):
        return ()
    made = (f"{places.FEEDBACK}/", f"{places.RISK}/", places.AGENTS)
    old = [path for path in now.state.docs if path.startswith(f"{places.HOME}/") and not places.is_common(path)]
    gone = {path for path in old if parsers.is_document(path) or path.startswith(made)}
    gone = {path for path in gone if not session_archive.is_kept(path)}
    return (*written(session_archive.put_away(now).writes), *written(dict.fromkeys(sorted(gone))))


@after_turn
def on_architecture(now: Now) -> Move:
    own = own_of(now.state)
    output: ArchitectOutput = now.output
    own = replace(own.mended("architecture"), order=output.review.order, reviewed=0, decided=0)
    kept = (places.ORDER, places.QUESTIONS)  # a question may be asked again: the person's answers stay
    feedback = (path for path in Shelf(now.state, now.look).under(f"{places.FEEDBACK}/") if path not in kept)
    texts = {
        **dict.fromkeys(feedback),
        places.STACK: technology_stack.render(_stacked(own, output.stack)),
        places.DECISIONS: architecture_decisions.render(output.architecture, task_id=own.task_id, created=own.created),
        places.ORDER: reviews.render_order(output.review, epoch(now.event.at)),
    }
    return Move(own, written(texts), "done")


def _stacked(own: Design, given: Choices) -> Stack:
    return Stack(task_id=own.task_id, created=own.created, **dict(given))


def check_architecture(now: Now, output: ArchitectOutput) -> Iterable[Finding]:
    """The order is that of its pattern, or custom; the rendered document can be read again."""
    own = own_of(now.state)
    text = architecture_decisions.render(output.architecture, task_id=own.task_id, created=own.created)
    architecture_decisions.parse(text.encode(), places.DECISIONS)
    return reviews.order_findings(output.review)


def enter_review(now: Now) -> Move:
    own = own_of(now.state)
    return Move(own, (), "done") if own.reviewed == len(own.order) else Move(own, (_reviewer(own),))


def _reviewer(own: Design) -> StartTurn:
    """The next reviewer, who sees the drafts and all earlier reviews."""
    domain = own.order[own.reviewed]
    earlier = [places.review(one) for one in own.order[: own.reviewed]]
    notes = {"task": own.task, "domain": domain, "position": own.reviewed + 1, "earlier": earlier}
    task = f"Review the drafts of the architecture as far as {domain.replace('_', ' and ')} goes; change nothing."
    reads = (own.summary, *DRAFTS, *earlier)
    return turn(f"review-{domain}", REVIEWERS[domain], "review", task, notes=notes, reads=reads)


@after_turn
def on_review(now: Now) -> Move:
    own = own_of(now.state)
    output: Review = now.output
    domain = own.order[own.reviewed]
    write = Write(path=places.review(domain), text=reviews.render_review(domain, output))
    own = replace(own, reviewed=own.reviewed + 1)
    return Move(own, (write,), "done") if own.reviewed == len(own.order) else Move(own, (write, _reviewer(own)))


def enter_questions(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    asked = []
    for domain in own.order:
        if ref := now.state.ref(places.review(domain)):  # a person may have removed a review
            asked += [(domain, text) for text in now.look(ref, reviews.parse_review).questions]
    kept = shelf.text(places.QUESTIONS)
    if not asked:
        return Move(own, (Write(path=places.QUESTIONS, text=None),) if kept else (), "none")
    text = _asking(asked, kept)
    count = "a question" if len(asked) == 1 else f"{len(asked)} questions"
    done = "Your answers from before stand" if not review_questions.unanswered(text) else "Answer"
    question = f"The reviewers of {own.task} have {count} for you. {done} in {places.QUESTIONS}; then choose."
    about = {CONTINUE: "go on with the answers as they are; what is not answered stays open"}
    notes = {"about": about, "file": places.QUESTIONS, "questions": True}
    ask = Ask(key="questions", kind="choice", options=(CONTINUE,), question=question, notes=notes)
    return Move(own, (Write(path=places.QUESTIONS, text=text), ask))


def _asking(asked: Sequence[tuple[str, str]], kept: str) -> str:
    """The questions document. A file that asks the same stays unchanged; otherwise the new one gets its answers."""
    known = {(one.domain, one.question): one.answer for one in review_questions.answers(kept)}
    if list(known) == asked:
        return kept
    text = review_questions.render(asked)
    given = {one.key: known.get((one.domain, one.question), "") for one in review_questions.answers(text)}
    return review_questions.write(text.encode(), places.QUESTIONS, given)


def on_questions(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    own = own.unwarned("review.unanswered")
    if left := review_questions.unanswered(Shelf(now.state, now.look).text(places.QUESTIONS)):
        problem = f"{left} of the reviewers' questions went on without an answer"
        repair = "the architects decide without you"
        own = own.warned(noted("review.unanswered", problem, repair, file=places.QUESTIONS))
    return Move(own, (), "done")


def enter_tactical(now: Now) -> Move:
    own = own_of(now.state)
    return Move(own, (), "done") if own.decided == len(own.order) else Move(own, (_architect(own),))


def _architect(own: Design) -> StartTurn:
    domain = own.order[own.decided]
    notes = {"task": own.task, "domain": domain, "number": own.decided + 1, "review": places.review(domain)}
    task = f"Decide what of {places.review(domain)} is taken into the drafts, and log every change and every refusal."
    reads = (own.summary, *DRAFTS, places.review(domain), places.QUESTIONS, places.CHANGELOG)
    return turn(f"tactical-{domain}", "tactical-solution-architect", "tsa", task, notes=notes, reads=reads)


@after_turn
def on_tactical(now: Now) -> Move:
    own = own_of(now.state)
    output: TsaOutput = now.output
    domain, number = own.order[own.decided], own.decided + 1
    after = _changed(own, _drafts(now), output)
    entry = Entry(
        number=number, domain=domain, at=epoch(now.event.at), changes=output.changes, not_taken=output.not_taken
    )
    log = tsa_changelog.appended(Shelf(now.state, now.look).text(places.CHANGELOG), entry)
    own = replace(own, decided=number)
    writes = written({places.STACK: after.stack, places.DECISIONS: after.decisions, places.CHANGELOG: log})
    return Move(own, writes, "done") if number == len(own.order) else Move(own, (*writes, _architect(own)))


def _drafts(now: Now) -> Drafts:
    shelf = Shelf(now.state, now.look)
    return Drafts(stack=shelf.text(places.STACK), decisions=shelf.text(places.DECISIONS))


def _changed(own: Design, before: Drafts, output: TsaOutput) -> Drafts:
    given = output.technology_stack
    return Drafts(
        stack=technology_stack.render(_stacked(own, given)) if given else before.stack,
        decisions=before.decisions if output.architecture_decisions is None else output.architecture_decisions,
    )


def check_tactical(now: Now, output: TsaOutput) -> Iterable[Finding]:
    """Every change is in the log, every entry of the log is a change, and both drafts can still be read."""
    before = _drafts(now)
    after = _changed(own_of(now.state), before, output)
    architecture_decisions.parse(after.decisions.encode(), places.DECISIONS)
    return changelog_checks.findings(before, after, output.changes)
