"""Values of every kind that the documents of orchestration have to carry, and a sound one of each."""

from __future__ import annotations

from itertools import cycle

from hypothesis import strategies as st
from orchestration_texts import REMARKS, TEXTS, TITLES, tuples

from signoff.workflows.orchestration.documents.architecture_decisions import Architecture, Decided, Decision, Principle
from signoff.workflows.orchestration.documents.plan_summary import Made, Plan, Resolved
from signoff.workflows.orchestration.documents.reviews import NAMES, Order, Review
from signoff.workflows.orchestration.documents.technology_stack import Choices, Layer, Stack
from signoff.workflows.orchestration.documents.tsa_changelog import Change, Entry, NotTaken

TASKS = st.from_regex(r"[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,3}){0,2}", fullmatch=True)
DOMAINS = st.sampled_from(list(NAMES))


def several(of: st.SearchStrategy[object], least: int = 0) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(of, min_size=least, max_size=3).map(tuple)


PLANS = st.builds(
    Plan,
    task=TASKS,
    goal=TEXTS,
    decisions=several(st.builds(Made, decision=TEXTS, rationale=TEXTS, alternatives=REMARKS)),
    constraints=tuples(TEXTS),
    resolved=several(st.builds(Resolved, question=TEXTS, answer=TEXTS)),
    open_items=tuples(TEXTS),
    dependencies=tuples(TEXTS),
)


@st.composite
def decided(draw: st.DrawFn) -> Decided:
    """A document with many texts, which are taken in turns from a few: it is the places that count."""
    texts = cycle(draw(st.lists(TEXTS, min_size=1, max_size=7)))
    titles = cycle(draw(st.lists(TITLES, min_size=1, max_size=3)))

    def some(least: int = 0) -> tuple[str, ...]:
        return tuple(next(texts) for _ in range(draw(st.integers(least, 2))))

    def decision() -> Decision:
        return Decision(
            title=next(titles),
            context=next(texts),
            decision=next(texts),
            rationale=some(1),
            alternatives=some(),
            constraints=some(),
            implications=some(),
            risks=some(),
        )

    return Decided(
        executive_summary=next(texts),
        overview=next(texts),
        decisions=tuple(decision() for _ in range(draw(st.integers(1, 2)))),
        principles=tuple(Principle(name=next(titles), text=text) for text in some()),
        integration=next(texts),
        security=next(texts),
        deployment=next(texts),
        open_questions=some(),
        task_id=f"{draw(TASKS)}_1727539200",
        created=str(draw(st.dates())),
        architect=next(titles),
        status=next(titles),
        evolution=draw(REMARKS),
    )


DECIDED = decided()
ORDERS = st.builds(
    Order,
    project_type=TITLES,
    pattern=st.sampled_from(["A", "B", "C", "D", "custom"]),
    order=tuples(DOMAINS, 1),
    rationale=TEXTS,
    why=st.dictionaries(DOMAINS, TEXTS),
)
REVIEWS = st.builds(
    Review,
    context_awareness=TEXTS,
    strengths=tuples(TEXTS),
    concerns=tuples(TEXTS),
    recommendations=tuples(TEXTS),
    questions=tuples(TEXTS),
    risk_factors=tuples(TEXTS),
)
_ANY = st.one_of(st.just(""), TEXTS, st.text(max_size=6))


def _change(document: str, place: str, before: str | None, after: str | None, reason: str, evidence: str) -> Change:
    sides = {"from": before, "to": "x" if before is None and after is None else after}
    return Change.model_validate(
        {"document": document, "place": place, **sides, "reason": reason, "evidence": evidence}
    )


CHANGES = st.builds(
    _change,
    st.sampled_from(["technology_stack.json", "architecture_decisions.md"]),
    TITLES,
    st.none() | _ANY,
    st.none() | _ANY,
    TEXTS,
    REMARKS,
)
ENTRIES = st.builds(
    Entry,
    number=st.integers(1, 12),
    domain=DOMAINS,
    at=st.integers(0, 10**10),
    changes=several(CHANGES),
    not_taken=several(st.builds(NotTaken, suggestion=TEXTS, reason=TEXTS, deferred=REMARKS)),
)

PLAN = Plan(
    task="user_management",
    goal="People sign in once.\n\nTheir rights follow them.",
    decisions=(
        Made(decision="One service owns users", rationale="Two drifted apart", alternatives="A library: no audit"),
    ),
    constraints=("PostgreSQL stays",),
    resolved=(Resolved(question="Who deletes?", answer="Administrators"),),
    open_items=(),
    dependencies=("The mail service",),
)
ARCHITECTURE = Architecture(
    executive_summary="One service.",
    overview="Python and PostgreSQL.",
    decisions=(
        Decision(title="One writer", context="Two wrote.", decision="One writes.", rationale=("Less to lock",)),
        Decision(title="REST", context="Clients differ.", decision="REST.", rationale=("Known",), risks=("Chatty",)),
    ),
    principles=(Principle(name="Least privilege", text="Nobody has more than they need."),),
    integration="Over HTTP.",
    security="Tokens.",
    deployment="Containers.",
    open_questions=("How many regions?",),
)
CHOICES = Choices(
    technology_stack={
        "backend": Layer(rationale="Known", alternatives_considered=("Django",), language="Python", framework="Flask")
    },
    architecture_patterns=("Layers",),
    performance_targets={"p95": "200 ms"},
)
STACK = Stack(**CHOICES.model_dump(), task_id="user_management_1727539200", created=1727539200)
