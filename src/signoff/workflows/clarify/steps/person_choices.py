"""What a person settles: the scope, what to do with the answers, what is still open. Every choice goes on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from signoff.core.commands import Ask, Command, Finish, Withdraw, Write
from signoff.core.decide import RESUME
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.core.terms import Term, Terms
from signoff.workflows.clarify.autofill import Part, autofill
from signoff.workflows.clarify.checks import expected_decisions, staleness
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents.decisions import Decisions
from signoff.workflows.clarify.state import Inquiry, clarifications_of, decisions_of, judged, own_of
from signoff.workflows.clarify.steps import draft_decisions
from signoff.workflows.clarify.steps.confirmation import reviewing
from signoff.workflows.clarify.steps.refinement import unclear
from signoff.workflows.clarify.steps.turns import stopped_by_scope
from signoff.workflows.kit.table_steps import noted, on_answer

NARROW, OVERRIDE = "narrow", "override"
AUTOFILL, RESEARCH, DECIDE, ANSWER, DEEPEN = "autofill", "research", "decide", "answer", "deepen"

OPTIONS = Terms(
    Term(NARROW, zh="收窄"),
    Term(OVERRIDE, zh="不收窄"),
    Term(AUTOFILL, zh="自动填写"),
    Term(RESEARCH, zh="细究"),
    Term(DECIDE, zh="决定"),
    Term(ANSWER, zh="回答"),
    Term(DEEPEN, zh="追问"),
)
"""The names of what a person can choose in an inquiry."""

GATE = {
    "sufficient": (DECIDE, RESEARCH),
    "mixed": (RESEARCH, AUTOFILL, ANSWER),
    "insufficient": (ANSWER, AUTOFILL),
}
"""What a person may choose once the answers have been judged (CL-6)."""

AGAIN = ("answers", "confirm")
"""Where a finished inquiry may begin again."""


def on_choice(work: Callable[[Now, Inquiry, Answered], Move]) -> Callable[[Now], Move]:
    """A step that waits for a person: their choice goes on record, and any other event changes nothing."""
    return on_answer(lambda now, answer: work(now, own_of(now.state).choosing(answer), answer))


def _ask(own: Inquiry, key: str, question: str, about: Mapping[str, str], **notes: Any) -> Ask:
    known = {"about": dict(about), "file": own.clarifications, **notes}
    return Ask(key=key, kind="choice", options=tuple(about), question=question, notes=known)


def _again(now: Now, key: str, ask: Ask) -> tuple[Command, ...]:
    """Asks, in place of what was asked under the same key before."""
    return (*_withdrawn(now, key), ask)


def _withdrawn(now: Now, key: str) -> tuple[Command, ...]:
    """Takes back what was asked under this key: as the run stands now, no answer to it could mean anything."""
    old = now.state.request_of(key)
    return (Withdraw(request=old.request),) if old else ()


# --- scope (CL-11) ----------------------------------------------------------------------------------------------------


def enter_scope(now: Now) -> Move:
    """Nothing after research goes on while a narrower scope is recommended and no person has decided."""
    own = judged(now.state, now.look)
    if not stopped_by_scope(now, own):
        return Move(own, _withdrawn(now, "scope"), "clear")
    doc = clarifications_of(now.state, now.look)
    assert doc is not None  # narrows the type: the guard just read it
    why = f": {own.scope_reason}" if own.scope_reason else ""
    question = f"A narrower scope is recommended for {own.name} ({len(doc.questions)} questions){why}"
    about = {
        NARROW: 'research again, with --note "what the scope is" or after you edited the brief',
        OVERRIDE: "go on with the questions as they are",
    }
    if doc.refinements or doc.entries:
        del about[NARROW]  # people have answered questions that a new consolidation would not know
    return Move(own, _again(now, "scope", _ask(own, "scope", question, about)))


@on_choice
def on_scope(_now: Now, own: Inquiry, answer: Answered) -> Move:
    if answer.act == NARROW:
        note = str(answer.payload.get("note") or own.scope)
        own = replace(own, retired={**own.retired, **own.origins}, origins={}, passes=own.passes + 1)
        return Move(replace(own, scope=note, returned={}), (), "narrowed")
    return Move(replace(own, scope_settled=True), (), "overridden")


# --- step 2: answers, and the gate (CL-6) -----------------------------------------------------------------------------


def enter_answers(now: Now) -> Move:
    own = judged(now.state, now.look)
    if stopped_by_scope(now, own):
        return Move(own, _withdrawn(now, "answers"), "scope")
    assert own.evaluation is not None  # narrows the type: there are questions
    about = {option: _ABOUT[option] for option in GATE[own.evaluation.verdict]}
    verdict = f"The answers are {own.evaluation.verdict}: {own.evaluation.reasoning}"
    question = f"{verdict} Answer in {own.clarifications}, then choose."
    ask = _ask(own, "answers", question, about, questions=True, verdict=own.evaluation.verdict)
    return Move(own, _again(now, "answers", ask))


_ABOUT = {
    DECIDE: "write the decisions from these answers, without looking for contradictions",
    RESEARCH: "detailed research: draft decisions, look for contradictions, ask refinements of what is not clear",
    AUTOFILL: "copy the recommendation into every empty answer, then decide, without looking for contradictions",
    ANSWER: "answer more first",
    DEEPEN: "ask once more about refinements that are not clear",
}


@on_choice
def on_answers(now: Now, own: Inquiry, answer: Answered) -> Move:
    if answer.act == AUTOFILL:
        return _filled(now, own, "all")
    return Move(own, (), {RESEARCH: "research", DECIDE: "decide"}.get(answer.act, "again"))


def _filled(now: Now, own: Inquiry, part: Part) -> Move:
    """Recommendations become answers; the count goes on record, and so does what had none."""
    doc = clarifications_of(now.state, now.look)
    assert doc is not None  # narrows the type: there are questions
    filled = autofill(doc, part)
    said = f"{len(filled.filled)} answers were filled from recommendations"
    said += f": {', '.join(filled.filled)}" if filled.filled else ", for none was empty that has one"
    if filled.without:
        said += f"; still empty, for there is nothing to fill in for sure: {', '.join(filled.without)}"
    own = own.warned(noted("clarify.autofill", said, "edit any answer, they are yours", file=doc.file))
    return Move(own, (Write(path=own.clarifications, text=filled.text),), "decide")


# --- step 4: refinements (CL-8) ---------------------------------------------------------------------------------------


def enter_refinements(now: Now) -> Move:
    """Refinements and what is contradictory or missing are put to the person; if there are none, step 5 begins."""
    own, doc = judged(now.state, now.look), clarifications_of(now.state, now.look)
    assert doc is not None and own.evaluation is not None  # noqa: PT018 - narrows: there are questions
    if stopped_by_scope(now, own):
        return Move(own, _withdrawn(now, "refinements"), "scope")
    if not doc.refinements and not doc.entries:
        return Move(own, _withdrawn(now, "refinements"), "decide")
    options = [DECIDE, AUTOFILL, ANSWER]
    if not own.deepened and unclear(doc, own, "refinement"):
        options.insert(1, DEEPEN)
    about = {option: _ABOUT[option] for option in options}
    about[DECIDE] = "write the decisions from these answers"
    about[AUTOFILL] = "copy the recommendation into every empty refinement, then write the decisions"
    waiting = list(staleness.open_entries(doc, decisions_of(now.state, now.look), own.evaluation))
    clear = sum(own.evaluation.of(item.key) == "clear" for item in doc.refinements)
    still = f" Still open: {'; '.join(waiting)}." if waiting else ""
    said = f"{clear} of {len(doc.refinements)} refinements are clear.{still}"
    question = f"{said} Answer in {doc.file}, then choose."
    ask = _ask(own, "refinements", question, about, questions=True, open=waiting)
    return Move(own, _again(now, "refinements", ask))


@on_choice
def on_refinements(now: Now, own: Inquiry, answer: Answered) -> Move:
    if answer.act == AUTOFILL:
        return _filled(now, own, "refinements")
    return Move(own, (), {DECIDE: "decide", DEEPEN: "deepen"}.get(answer.act, "again"))


# --- step 5: what is still open (CL-10) -------------------------------------------------------------------------------


def enter_unsettled(now: Now) -> Move:
    """A file with an open gap or contradiction is not complete: it waits for the person."""
    own = judged(now.state, now.look)
    doc, made = clarifications_of(now.state, now.look), decisions_of(now.state, now.look)
    assert doc is not None and made is not None and own.evaluation is not None  # noqa: PT018 - narrows three types
    evaluation = own.evaluation
    own, doc, writes = _asked_for(own, doc, made)
    waiting = staleness.unsettled(made, doc, evaluation, own.given)
    known = {one.id: f"{one.id} {one.title}" for one in expected_decisions.expected(doc, evaluation, made, own.given)}
    titles = [known.get(key, key) for key in waiting]
    question = f"{own.decisions} is not complete: {'; '.join(titles)}. Answer in {doc.file}, then choose."
    about = {DECIDE: "decide again what has been answered since", ANSWER: _ABOUT[ANSWER]}
    ask = _ask(own, "open", question, about, questions=True, open=list(waiting))
    return Move(own, (*writes, *_again(now, "open", ask)))


def _asked_for(
    own: Inquiry, doc: cl.Clarifications, made: Decisions
) -> tuple[Inquiry, cl.Clarifications, tuple[Write, ...]]:
    """What is open has a place where it can be answered: an entry that was taken out by hand is put back."""
    missing = draft_decisions.missing_entries(doc, made, own.evaluation) if own.evaluation else []
    if not missing:
        return own, doc, ()
    names = ", ".join(f"{kind}: {draft.title}" for kind, draft in missing)
    own = own.warned(
        noted("clarify.entry", f"{names} is still open and was put back", "answer it there", file=doc.file)
    )
    text = cl.with_entries(doc, missing)
    return own, cl.parse(text, doc.file), (Write(path=own.clarifications, text=text),)


@on_choice
def on_unsettled(_now: Now, own: Inquiry, answer: Answered) -> Move:
    return Move(own, (), "decide" if answer.act == DECIDE else "again")


# --- the end ----------------------------------------------------------------------------------------------------------


def enter_complete(now: Now) -> Move:
    own, made = judged(now.state, now.look), decisions_of(now.state, now.look)
    return Move(replace(own, review=reviewing(made) if made else ()), (Finish(reason="complete"),))


@on_choice
def on_complete(now: Now, own: Inquiry, _answer: Answered) -> Move:
    """A person changed an answer after the decisions were made, and asks for what became stale to be done again."""
    return Move(replace(own, stale={}, edited_since=(), warnings=()), (), f"again_{now.begins_at('confirm')}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    question = f"{own.name} needs a person at {own.resume_to}: {'; '.join(own.blockers)}"
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question)
    return Move(own, (ask, Finish(reason="escalated")))


@on_choice
def on_escalated(_now: Now, own: Inquiry, _answer: Answered) -> Move:
    own = replace(own, blockers=(), escalation_reason=None, edited_since=())
    return Move(own, (), f"to_{own.resume_to}")
