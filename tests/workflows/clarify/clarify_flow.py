"""Inquiries for tests of decisions: files with answers, the drafts code makes of them, and an agent that behaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from clarify_text import canonical
from hypothesis import strategies as st

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.checks import expected_decisions
from signoff.workflows.clarify.checks.answer_quality import Evaluation, evaluate
from signoff.workflows.clarify.checks.expected_decisions import Expected
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Clarifications, Draft
from signoff.workflows.clarify.documents.decisions import OPEN, Decision, Decisions
from signoff.workflows.clarify.steps import confirmation, draft_decisions
from signoff.workflows.clarify.steps.draft_decisions import Conflict

CLEAR = "We count every signed contract once"
ALSO_CLEAR = "Only contracts signed this year\ncount for us at all"
VAGUE = "by region"
PUT_OFF = "it depends"
EMPTY = ""
CHOICES = ("Count them all", "Count none of them")


def inquiry(*items: tuple[str, str] | tuple[str, str, str]) -> Clarifications:
    """A file of `(id, answer)`; a third `must` makes it a must-answer. Questions of odd numbers are in section One."""
    sections: dict[str, list[tuple[str, Draft]]] = {"One": [], "Two": []}
    for key, answer, *must in items:
        section = "One" if int(ids.root(key)[1:]) % 2 else "Two"
        draft = Draft(title=f"Title of {key}", choices=CHOICES, answer=answer, must=bool(must))
        sections[section].append((key, draft))
    return cl.parse(canonical([(title, pairs) for title, pairs in sections.items() if pairs], {}))


def answered(doc: Clarifications, answers: Mapping[str, str]) -> Clarifications:
    return cl.parse(cl.with_answers(doc, answers), doc.file)


def asking(doc: Clarifications, conflicts: Sequence[Conflict] = ()) -> Clarifications:
    """The file with its gaps and these contradictions put to the person."""
    return cl.parse(cl.with_entries(doc, draft_decisions.entries_for(doc, evaluate(doc), conflicts)), doc.file)


def drafts(doc: Clarifications, conflicts: Sequence[Conflict] = ()) -> Decisions:
    made = draft_decisions.drafted(doc, evaluate(doc), conflicts)
    return de.parse(de.render(made, {"status": "draft", "decision_count": len(made)}))


def wanted(doc: Clarifications, before: Decisions | None) -> tuple[Expected, ...]:
    return expected_decisions.expected(doc, evaluate(doc), before)


def behaved(one: Expected, status: str | None = None) -> Decision:
    """An entry as an agent that behaves gives it back."""
    status = one.allowed[0] if status is None else status
    made = Decision(
        id=one.id, title=one.title, sources=one.sources, section=one.section, answers=one.answers, status=status
    )
    if status in OPEN:
        return replace(made, note="The person has to answer this first.")
    sides = f"{' and '.join(one.sources)} disagree." if status == "conflict-resolved" else ""
    words = "; ".join([*one.answers.values(), one.settled])
    return replace(
        made,
        decision=f"Decided on {words}.",
        reasoning=f"The answers support it: {words}.",
        implication="Whoever reports has to count so.",
        contradiction=sides,
    )


def returned(entries: Sequence[Decision]) -> Decisions:
    """What an agent gave back, as it is read."""
    return de.parse(de.render(entries, {}))


def confirmed(
    doc: Clarifications,
    before: Decisions | None,
    round: int = 1,  # noqa: A002 - the field is called so
    choose: Callable[[Expected], str] = lambda one: one.allowed[0],
) -> Decisions:
    """The final file that the flow makes, when the agent behaves and chooses these statuses."""
    asked = wanted(doc, before)
    entries, _ = confirmation.settled(returned([behaved(one, choose(one)) for one in asked]), asked)
    return de.parse(de.with_front(de.render(entries, {}), confirmation.final(entries, round)))


# --- generated --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A first file, the drafts made of it, and the file after people have answered more."""

    first: Clarifications
    before: Decisions | None
    doc: Clarifications

    @property
    def evaluation(self) -> Evaluation:
        return evaluate(self.doc)


ANSWERS = st.sampled_from([CLEAR, ALSO_CLEAR, VAGUE, EMPTY, EMPTY, "A", "B — for now", "TBD", "c"])


@st.composite
def _items(draw: st.DrawFn) -> list[tuple[str, str] | tuple[str, str, str]]:
    items: list[tuple[str, str] | tuple[str, str, str]] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        items.append((f"Q{number}", draw(ANSWERS), "must") if draw(st.booleans()) else (f"Q{number}", draw(ANSWERS)))
        for below in range(1, draw(st.integers(0, 2)) + 1):
            items.append((f"R{number}.{below}", draw(ANSWERS)))
            items += [(f"R{number}.{below}{letter}", draw(ANSWERS)) for letter in "ab"[: draw(st.integers(0, 2))]]
    return items


@st.composite
def cases(draw: st.DrawFn) -> Case:
    first = inquiry(*draw(_items()))
    conflicts = []
    clear = [key for key, verdict in evaluate(first).per_question if verdict == "clear"]
    if len(clear) > 1 and draw(st.booleans()):
        sides = draw(st.lists(st.sampled_from(clear), min_size=2, max_size=3, unique=True))
        conflicts.append(
            Conflict(sources=tuple(sides), title="They disagree", note="Both cannot be.", reconciliation="")
        )
    before = drafts(first, conflicts) if draw(st.booleans()) else None
    doc = asking(first, conflicts) if before else first
    changed = draw(st.dictionaries(st.sampled_from([item.key for item in doc.items]), ANSWERS, max_size=4))
    return Case(first, before, answered(doc, changed))
