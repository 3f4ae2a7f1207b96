"""What no longer fits after an answer has changed, told from the two files alone (CL-13), and what is still open."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks.answer_quality import Evaluation, evaluate
from signoff.workflows.clarify.checks.expected_decisions import Expected, change_of, entries_of, expected
from signoff.workflows.clarify.documents.answers import NOT_ANSWERED, Answers, is_loose, quoted, says_nothing
from signoff.workflows.clarify.documents.clarifications import Clarifications, Item
from signoff.workflows.clarify.documents.decisions import OPEN, Decision, Decisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """Decisions and refinements that rest on something else than the answers of now, each with the reason in words."""

    decisions: Mapping[str, str] = field(default_factory=dict)
    refinements: Mapping[str, str] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.decisions or self.refinements or self.undecided)


def stale(decisions: Decisions, doc: Clarifications, evaluation: Evaluation) -> Stale:
    """What became stale, and the ids with answers that no decision uses."""
    answers = Answers(doc, evaluation)
    wanted = expected(doc, evaluation, decisions)
    old = {one.id: "; ".join(_why(answers, entry, one)) for one in wanted if (entry := decisions.entry(one.id))}
    return Stale(
        decisions={name: why for name, why in old.items() if why},
        refinements=dict(_refinements(answers, decisions)),
        undecided=tuple(
            key
            for one in wanted
            if one.was is None
            for key in one.sources
            if answers.is_answered(key) and not answers.is_missing(key)
        ),
    )


def _why(answers: Answers, entry: Decision, now: Expected) -> Iterator[str]:
    for key in entry.sources:
        known = key in now.sources and entry.answers.get(key) == NOT_ANSWERED  # decided since it is gone
        if key not in answers.items and not known:
            yield f"{key} is not in the clarifications any more"
    for key, said in entry.answers.items():
        if key in answers.items and said != answers.said(key):
            yield f"{key} said {quoted(said)} when this was decided and says {quoted(answers.said(key))} now"
    for key in now.sources:
        if key not in entry.sources:
            yield f"{key} was answered since: {quoted(answers.said(key))}"
    if not entry.settled and now.settled:
        yield f"a person has settled it since: {quoted(now.settled)}"
    elif entry.settled != now.settled:
        since = f"is now settled as {quoted(now.settled)}" if now.settled else "is open again"
        yield f"it was settled as {quoted(entry.settled)}, and {since}"


def _refinements(answers: Answers, decisions: Decisions) -> Iterator[tuple[str, str]]:
    """A refinement was asked because of an answer; when a decision shows that this was another one, it may be idle."""
    recorded: dict[str, str] = {}
    for entry in decisions.entries:
        for key, said in entry.answers.items():
            if key in answers.items and said != answers.said(key):
                recorded.setdefault(key, said)
    for key in answers.items:
        above = ids.parent(key)
        if above is not None and above in recorded:
            yield (
                key,
                f"it refines {above}, which said {quoted(recorded[above])} and says {quoted(answers.said(above))} now",
            )


def unsettled(
    decisions: Decisions, doc: Clarifications, evaluation: Evaluation, taken: Collection[str] = ()
) -> tuple[str, ...]:
    """The ids that keep a file from being complete, by the answers and not only by what the Status lines claim.

    A must-answer question that has neither an answer nor an entry counts too, under the id that its entry would get. So
    does what a person put under `## Needs Clarification`; if it names no question, it has no id and counts by its key.
    """
    claimed = {entry.id for entry in decisions.entries if entry.status in OPEN}
    wanted = expected(doc, evaluation, decisions, taken)
    by_hand = (item.key for item in doc.entries if is_loose(item) and says_nothing(item))
    return (*(one.id for one in wanted if one.id in claimed or set(one.allowed) <= set(OPEN)), *by_hand)


def open_entries(
    doc: Clarifications, decisions: Decisions | None, evaluation: Evaluation | None = None
) -> tuple[str, ...]:
    """The entries of `## Needs Clarification` that wait for a person, by key.

    A gap no longer waits once its question or a refinement of it is answered, a contradiction once an answer of its
    changed: then it has to be judged again first. An entry about questions that are gone does not wait.
    """
    answers = Answers(doc, evaluation or evaluate(doc))
    entries = entries_of(decisions)
    put = answers.put(entries)
    moot = {put[one.id].key for one in entries if one.id in put and change_of(answers, one)}
    return tuple(item.key for item in doc.entries if item.key not in moot and _waits(answers, item))


def _waits(answers: Answers, item: Item) -> bool:
    if answers.settled_in(item):
        return False
    if is_loose(item):
        return True
    return any(map(answers.is_open, item.origins)) if item.kind == "gap" else answers.is_between(item)
