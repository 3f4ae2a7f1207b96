"""What no longer fits after an answer has changed, told from the two files alone (CL-13), and what is still open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.clarifications import Clarifications
from signoff.workflows.clarify.decisions import OPEN, Decision, Decisions
from signoff.workflows.clarify.evaluation import Evaluation
from signoff.workflows.clarify.expectation import Answers, Expected, expected


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
        undecided=tuple(key for one in wanted if one.was is None for key in one.sources if answers.is_answered(key)),
    )


def _why(answers: Answers, entry: Decision, now: Expected) -> Iterator[str]:
    for key in entry.sources:
        if key not in answers.items:
            yield f"{key} is not in the clarifications any more"
    for key, said in entry.answers.items():
        if key in answers.items and said != answers.said(key):
            yield f"{key} said {_cut(said)} when this was decided and says {_cut(answers.said(key))} now"
    for key in now.sources:
        if key not in entry.sources:
            yield f"{key} was answered since: {_cut(answers.said(key))}"
    if entry.settled != now.settled:
        yield _settled(entry.settled, now.settled)


def _settled(before: str, now: str) -> str:
    if not before:
        return f"a person has settled it since: {_cut(now)}"
    return f"it was settled as {_cut(before)}, and " + (f"is now settled as {_cut(now)}" if now else "is open again")


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
                f"it refines {above}, which said {_cut(recorded[above])} and says {_cut(answers.said(above))} now",
            )


def _cut(text: str, most: int = 60) -> str:
    return f"“{text if len(text) <= most else text[: most - 1] + '…'}”"


def unsettled(decisions: Decisions, doc: Clarifications, evaluation: Evaluation) -> tuple[str, ...]:
    """The ids that keep a file from being complete, by the answers and not only by what the Status lines claim.

    A must-answer question that has neither an answer nor an entry counts too, under the id that its entry would get.
    """
    claimed = {entry.id for entry in decisions.entries if entry.status in OPEN}
    wanted = expected(doc, evaluation, decisions)
    return tuple(one.id for one in wanted if one.id in claimed or set(one.allowed) <= set(OPEN))
