"""The architecture: drafts, reviewers one after the other, their questions to the person, and a decision per review."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.core.commands import Ask, Command, StartTurn, Write
from signoff.core.events import Answered, Started
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import archival, changelog, decisions, documents, places, questions, reviews, stack
from signoff.workflows.orchestration.changelog import Drafts
from signoff.workflows.orchestration.concluding import is_archived, put_away, writes
from signoff.workflows.orchestration.design import Design, Shelf, noted, own_of, sources
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import ArchitectOutput, TsaOutput
from signoff.workflows.orchestration.reviews import REVIEWERS, Review
from signoff.workflows.orchestration.stack import Choices, Stack
from signoff.workflows.orchestration.turns import blocked, ended, required, turn

DRAFTS = (places.STACK, places.DECISIONS)
CONTINUE = "continue"


# --- the drafts -------------------------------------------------------------------------------------------------------


def enter_architecture(now: Now) -> Move:
    own = own_of(now.state)
    notes = {
        "task": own.task,
        "rejected": own.rejected.get("architecture"),
        "required": required(own, "architecture"),
    }
    task = "Choose the technologies, decide the architecture, and say in which order it is to be reviewed."
    before = DRAFTS if own.rejected.get("architecture") else ()  # what was not objected to can stay
    reads = (own.summary, places.answers(own.task), *sources(now.state), *before)
    return Move(
        own,
        (
            *_cleared(now),
            turn("architecture", "solution-architect", "architecture", task, notes=notes, reads=reads),
        ),
    )


def _cleared(now: Now) -> tuple[Command, ...]:
    """A new run begins with a clear table: what another left is in that run, and its sessions are put away. Research
    stays, whoever did it, and so does what is of no run."""
    if not isinstance(now.event, Started):
        return ()
    archive = put_away(now)
    old = (path for path in now.state.docs if path.startswith(f"{places.HOME}/") and not places.is_common(path))
    made = (f"{places.FEEDBACK}/", f"{places.RISK}/", places.AGENTS)
    old = (path for path in old if documents.is_one(path) or path.startswith(made))
    kept = {path for path in now.state.docs if is_archived(path) or archival.agent_of(path) is not None}
    return (*writes(archive), *(Write(path=path, text=None) for path in sorted(set(old) - kept)))


def on_architecture(now: Now) -> Move:
    own = own_of(now.state)
    if not ended(now):
        return Move(own)
    if stop := blocked(now):
        return stop
    output: ArchitectOutput = now.output
    own = replace(own.mended("architecture"), order=output.review.order, reviewed=0, decided=0)
    texts = {
        places.STACK: stack.render(stacked(own, output.stack)),
        places.DECISIONS: decisions.render(output.architecture, task_id=own.task_id, created=own.created),
        places.ORDER: reviews.render_order(output.review, epoch(now.event.at)),
    }
    return Move(own, (*_without_feedback(now), *(Write(path=path, text=text) for path, text in texts.items())), "done")


def stacked(own: Design, given: Choices) -> Stack:
    """The stack as the file has it."""
    return Stack(task_id=own.task_id, created=own.created, **dict(given))


def _without_feedback(now: Now) -> tuple[Command, ...]:
    """What was said of other drafts is not said of these. What a person answered stays, for it may be asked again."""
    kept = (places.ORDER, places.QUESTIONS)
    old = (path for path in Shelf(now.state, now.look).under(f"{places.FEEDBACK}/") if path not in kept)
    return tuple(Write(path=path, text=None) for path in old)


def check_architecture(now: Now, output: ArchitectOutput) -> Sequence[Finding]:
    """The order is one of the patterns, or custom; what code renders can be read again."""
    own = own_of(now.state)
    text = decisions.render(output.architecture, task_id=own.task_id, created=own.created)
    decisions.parse(text.encode(), places.DECISIONS)
    return reviews.order_findings(output.review)


# --- stage 1: reviews, one after the other ----------------------------------------------------------------------------


def enter_review(now: Now) -> Move:
    own = own_of(now.state)
    return Move(own, (), "done") if own.reviewed == len(own.order) else Move(own, (_reviewer(own),))


def _reviewer(own: Design) -> StartTurn:
    """The next reviewer: it sees the drafts, and everything that was said before."""
    domain = own.order[own.reviewed]
    earlier = [places.review(one) for one in own.order[: own.reviewed]]
    notes = {"task": own.task, "domain": domain, "position": own.reviewed + 1, "earlier": earlier}
    task = f"Review the drafts of the architecture as far as {domain.replace('_', ' and ')} goes; change nothing."
    reads = (own.summary, *DRAFTS, *earlier)
    return turn(f"review-{domain}", REVIEWERS[domain], "review", task, notes=notes, reads=reads)


def on_review(now: Now) -> Move:
    own = own_of(now.state)
    if not ended(now):
        return Move(own)
    if stop := blocked(now):
        return stop
    output: Review = now.output
    domain = own.order[own.reviewed]
    write = Write(path=places.review(domain), text=reviews.render_review(domain, output))
    own = replace(own, reviewed=own.reviewed + 1)
    if own.reviewed == len(own.order):
        return Move(own, (write,), "done")
    return Move(own, (write, _reviewer(own)))


# --- what only a person can settle ------------------------------------------------------------------------------------


def enter_questions(now: Now) -> Move:
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    asked = [(domain, text) for domain in own.order for text in _review(now, domain).questions]
    kept = shelf.text(places.QUESTIONS)
    if not asked:
        return Move(own, (Write(path=places.QUESTIONS, text=None),) if kept else (), "none")
    text = _asking(asked, kept)
    count = "a question" if len(asked) == 1 else f"{len(asked)} questions"
    done = "Your answers from before stand" if not questions.unanswered(text) else "Answer"
    question = f"The reviewers of {own.task} have {count} for you. {done} in {places.QUESTIONS}; then choose."
    about = {CONTINUE: "go on with the answers as they are; what is not answered stays open"}
    notes = {"about": about, "file": places.QUESTIONS, "questions": True}
    ask = Ask(key="questions", kind="choice", options=(CONTINUE,), question=question, notes=notes)
    return Move(own, (Write(path=places.QUESTIONS, text=text), ask))


def _asking(asked: Sequence[tuple[str, str]], kept: str) -> str:
    """The questions of now. A person's file stays as it is if it asks the same; else their answers are taken over."""
    known = {(one.domain, one.question): one.answer for one in questions.answers(kept)}
    if list(known) == asked:
        return kept
    text = questions.render(asked)
    given = {one.key: known.get((one.domain, one.question), "") for one in questions.answers(text)}
    return questions.write(text.encode(), places.QUESTIONS, given)


def _review(now: Now, domain: str) -> Review:
    ref = now.state.ref(places.review(domain))
    return now.look(ref, reviews.parse_review) if ref else Review(context_awareness="It was removed.")


def on_questions(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    own = own.unwarned("review.unanswered")
    left = questions.unanswered(Shelf(now.state, now.look).text(places.QUESTIONS))
    if left:
        problem = f"{left} of the reviewers' questions went on without an answer"
        own = own.warned(
            noted("review.unanswered", problem, "the architects decide without you", file=places.QUESTIONS)
        )
    return Move(own, (), "done")


# --- stage 2: a decision per review -----------------------------------------------------------------------------------


def enter_tactical(now: Now) -> Move:
    own = own_of(now.state)
    return Move(own, (), "done") if own.decided == len(own.order) else Move(own, (_architect(own),))


def _architect(own: Design) -> StartTurn:
    domain = own.order[own.decided]
    notes = {"task": own.task, "domain": domain, "number": own.decided + 1, "review": places.review(domain)}
    task = f"Decide what of {places.review(domain)} is taken into the drafts, and log every change and every refusal."
    reads = (own.summary, *DRAFTS, places.review(domain), places.QUESTIONS, places.CHANGELOG)
    return turn(f"tactical-{domain}", "tactical-solution-architect", "tsa", task, notes=notes, reads=reads)


def on_tactical(now: Now) -> Move:
    own = own_of(now.state)
    if not ended(now):
        return Move(own)
    if stop := blocked(now):
        return stop
    output: TsaOutput = now.output
    domain, number = own.order[own.decided], own.decided + 1
    before = _drafts(now)
    after = _changed(own, before, output)
    log = changelog.appended(
        Shelf(now.state, now.look).text(places.CHANGELOG) or None,
        number=number,
        domain=domain,
        at=epoch(now.event.at),
        changes=output.changes,
        not_taken=output.not_taken,
    )
    own = replace(own, decided=number)
    texts = {places.STACK: after.stack, places.DECISIONS: after.decisions, places.CHANGELOG: log}
    writes = tuple(Write(path=path, text=text) for path, text in texts.items())
    if own.decided == len(own.order):
        return Move(own, writes, "done")
    return Move(own, (*writes, _architect(own)))


def _drafts(now: Now) -> Drafts:
    shelf = Shelf(now.state, now.look)
    return Drafts(stack=shelf.text(places.STACK), decisions=shelf.text(places.DECISIONS))


def _changed(own: Design, before: Drafts, output: TsaOutput) -> Drafts:
    given = output.technology_stack
    return Drafts(
        stack=stack.render(stacked(own, given)) if given else before.stack,
        decisions=before.decisions if output.architecture_decisions is None else output.architecture_decisions,
    )


def check_tactical(now: Now, output: TsaOutput) -> Sequence[Finding]:
    """Every change is in the log, everything in the log has changed, and both drafts can still be read."""
    before = _drafts(now)
    after = _changed(own_of(now.state), before, output)
    decisions.parse(after.decisions.encode(), places.DECISIONS)
    return changelog.findings(before, after, output.changes)
