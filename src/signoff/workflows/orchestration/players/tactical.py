"""The tactical-solution-architect: follows what a review recommends in words that can be followed, and logs it all.

It takes what is said in one of the forms of `advice`, unless the summary decided against it. What it is only asked to
consider, and what it does not understand, is not taken, and the log says why. An answer of a person to a question of
the review becomes a decision. The log has exactly the differences that code will find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import changelog, decisions, places, questions, reviews
from signoff.workflows.orchestration import stack as stacks
from signoff.workflows.orchestration.changelog import Difference, Drafts
from signoff.workflows.orchestration.decisions import Decided, Decision
from signoff.workflows.orchestration.players import technologies
from signoff.workflows.orchestration.players.advice import Part, Wanted, understood
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.reviewer import item_of
from signoff.workflows.orchestration.players.rulings import rulings
from signoff.workflows.orchestration.players.statements import Reading
from signoff.workflows.orchestration.reviews import Review
from signoff.workflows.orchestration.stack import Stack
from signoff.workflows.wording import clipped, covered, folded

_PACKAGES: Final = re.compile(r"\bpackages?\b", re.IGNORECASE)
_NO_PACKAGES: Final = re.compile(r"\bstandard library\b|\bonly package\b|\bno (?:new )?packages?\b", re.IGNORECASE)
_TITLE: Final = 70
_SHORT: Final = 240


@dataclass
class Draft:
    """The two drafts while they are changed, and the reasons by what was changed for them."""

    stack: Stack
    decided: Decided
    not_taken: list[dict[str, str]] = field(default_factory=list)

    def choose(self, **fields: Any) -> None:
        self.stack = self.stack.model_copy(update=fields)

    def decide(self, **fields: Any) -> None:
        self.decided = self.decided.model_copy(update=fields)

    def texts(self) -> Drafts:
        return Drafts(stacks.render(self.stack), decisions.rendered(self.decided))


def _work(desk: Desk) -> Payload:
    """What its turn is for: a review that is worked in, or questions that a doer may not settle."""
    return rulings(desk) if desk.assignment.start.contract == "tactical" else _worked_in(desk)


def _worked_in(desk: Desk) -> Payload:
    path = desk.note("review")
    review = reviews.parse_review(desk.files[path], path)
    before = Draft(desk.stack, desk.decided)
    draft = Draft(before.stack, before.decided)
    reasons = dict[tuple[str, str], list[str]]()
    for change, reason in chain(_recommended(review.recommendations, draft, desk.reading), _answered(review, desk)):
        was = draft.texts()
        change(draft)
        for one in changelog.differences(was, draft.texts()):
            reasons.setdefault((one.document, one.place), []).append(reason)
    return _output(before, draft, reasons, path)


def _output(before: Draft, after: Draft, reasons: Mapping[tuple[str, str], list[str]], path: str) -> Payload:
    found = changelog.differences(before.texts(), after.texts())
    changed = {one.document for one in found}
    made: Payload = {}
    if "technology_stack.json" in changed:
        made["technology_stack"] = after.stack.model_dump(mode="json", by_alias=True, exclude={"task_id", "created"})
    if "architecture_decisions.md" in changed:
        made["architecture_decisions"] = after.texts().decisions
    made["changes"] = [_change(one, reasons.get((one.document, one.place), []), path) for one in found]
    made["not_taken"] = after.not_taken
    return made


def _change(one: Difference, reasons: Sequence[str], path: str) -> dict[str, str]:
    """A difference as the log has it: of the stack both values, of the decisions a few words."""
    was, now = one.before, one.after
    if one.document == "architecture_decisions.md":
        was, now = _in_short(was, ""), _in_short(now, was or "")
    sides = {name: text for name, text in (("from", was), ("to", now)) if text is not None}
    reason = " ".join(dict.fromkeys(reasons)) or "It follows from the other changes."
    return {"document": one.document, "place": one.place, **sides, "reason": reason, "evidence": path}


def _in_short(text: str | None, before: str) -> str | None:
    if text is None:
        return None
    if before and text.startswith(before):
        return f"the same, and: {clipped(squeeze(text.removeprefix(before)), _SHORT)}"
    return clipped(squeeze(text), _SHORT) or "nothing"


# --- what the review recommends ---------------------------------------------------------------------------------------

Change = Callable[[Draft], None]


def _recommended(given: Iterable[str], draft: Draft, reading: Reading) -> Iterator[tuple[Change, str]]:
    for recommendation in map(squeeze, given):
        wanted = understood(recommendation)
        against = _against(wanted, recommendation, draft, reading)
        if wanted is None or against:
            reason, *deferred = against or _UNCLEAR
            said = {"suggestion": recommendation, "reason": reason}
            draft.not_taken.append({**said, "deferred": deferred[0]} if deferred else said)
        else:
            yield partial(_EDITS[wanted.part], wanted), f"The review recommends it: {recommendation}"


_UNCLEAR: Final = (
    "It is not said in a form that can be followed without judgement, and this architect works offline",
    "when somebody weighs it: a person, or a model in this role",
)


def _against(wanted: Wanted | None, said: str, draft: Draft, reading: Reading) -> tuple[str, ...]:
    """Why a recommendation is not taken, and what would bring it back; nothing where it is."""
    plan = reading.plan
    options = [squeeze(option) for made in plan.decisions for option in made.alternatives.split(";")]
    for tech in technologies.named(said):
        declined = next(
            (option for option in options if tech.name in {one.name for one in technologies.named(option)}), ""
        )
        if declined:
            return f"The summary decided against it: “{declined}”", "when the summary decides otherwise"
    limit = next((squeeze(text) for text in plan.constraints if _NO_PACKAGES.search(text)), "")
    if limit and _PACKAGES.search(said):
        return f"The summary does not allow it: “{limit}”", "when a package may be added"
    if wanted is None:
        return ()
    if wanted.part == "consider":
        return "No statement of the summary asks for it", "when one does"
    if wanted.part == "constraint" and wanted.name not in draft.stack.technology_stack:
        return (f"The stack has no layer {wanted.name}",)
    return ("The drafts say it already",) if _is_there(wanted, draft) else ()


def _is_there(wanted: Wanted, draft: Draft) -> bool:
    texts = draft.texts()
    return squeeze(wanted.text) in squeeze(f"{texts.stack} {texts.decisions}")


def _security(wanted: Wanted, draft: Draft) -> None:
    draft.choose(security_requirements=(*draft.stack.security_requirements, wanted.text))
    draft.decide(security=f"{draft.decided.security.rstrip()} {wanted.text}")


def _integration(wanted: Wanted, draft: Draft) -> None:
    draft.choose(integration_requirements=(*draft.stack.integration_requirements, wanted.text))
    draft.decide(integration=f"{draft.decided.integration.rstrip()} {wanted.text}")


def _pattern(wanted: Wanted, draft: Draft) -> None:
    draft.choose(architecture_patterns=(*draft.stack.architecture_patterns, wanted.text))


def _target(wanted: Wanted, draft: Draft) -> None:
    draft.choose(performance_targets={**draft.stack.performance_targets, wanted.name: wanted.text})


def _constraint(wanted: Wanted, draft: Draft) -> None:
    layers = draft.stack.technology_stack
    layer = layers[wanted.name]
    bound = layer.model_copy(update={"constraints": (*layer.constraints, wanted.text)})
    draft.choose(technology_stack={**layers, wanted.name: bound})


def _decision(wanted: Wanted, draft: Draft) -> None:
    made = Decision(
        title=wanted.name,
        context="A review found that the drafts leave this open.",
        decision=wanted.text,
        rationale=("The reviewer recommends it, and the summary leaves room for it.",),
    )
    draft.decide(decisions=(*draft.decided.decisions, made))


_EDITS: Final[Mapping[Part, Callable[[Wanted, Draft], None]]] = {
    "security": _security,
    "integration": _integration,
    "pattern": _pattern,
    "target": _target,
    "constraint": _constraint,
    "decision": _decision,
}


# --- what a person answered -------------------------------------------------------------------------------------------


def _answered(review: Review, desk: Desk) -> Iterator[tuple[Change, str]]:
    asked = {squeeze(question) for question in review.questions}
    for one in questions.answers(desk.text(places.QUESTIONS)):
        answer = "\n".join(map(folded, one.answer.splitlines())).strip()
        if squeeze(one.question) in asked and answer:
            yield partial(_settle, squeeze(one.question), answer), f"A person was asked and answered: {folded(answer)}"


def _settle(question: str, answer: str, draft: Draft) -> None:
    made = Decision(
        title=clipped(item_of(question), _TITLE),
        context=question,
        decision=answer,
        rationale=("A person was asked, and this is the answer.",),
    )
    left = tuple(text for text in draft.decided.open_questions if covered(text, question) < 1)
    draft.decide(decisions=(*draft.decided.decisions, made), open_questions=left)


tactical_solution_architect = player(_work)
