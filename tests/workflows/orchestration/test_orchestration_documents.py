"""The documents of an architecture: what is written is read again as it was, and nothing said in them is structure."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from orchestration_documents import ARCHITECTURE, DECIDED, DOMAINS, ORDERS, PLAN, PLANS, REVIEWS, STACK
from orchestration_texts import TEXTS
from pydantic import ValidationError

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import places, schemas
from signoff.workflows.orchestration.documents import architecture_decisions, plan_summary, reviews, technology_stack
from signoff.workflows.orchestration.documents.architecture_decisions import Decided
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.reviews import PATTERNS, Order, Review

SUMMARY = places.summary("user_management")


def headings(text: str, deepest: int) -> list[str]:
    """The headings that a reader sees down to a level, by CommonMark and not by us."""
    tokens = MarkdownIt("commonmark").parse(text)
    heads = [
        (one.level, int(one.tag[1]), inner.content) for one, inner in pairwise(tokens) if one.type == "heading_open"
    ]
    return [title for nested, level, title in heads if not nested and level <= deepest]


def findings(read: object, text: str, path: str = "f.md") -> list[tuple[str, int | None, str]]:
    """What reading it says: rule, line and problem."""
    with pytest.raises(DocumentError) as caught:
        read(text.encode(), path)  # type: ignore[operator]
    assert all(one.file == path and one.repair for one in caught.value.findings)
    return [(one.rule, one.line, one.problem) for one in caught.value.findings]


# --- the plan ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-5")
@given(PLANS)
def test_a_plan_is_read_as_it_was_written(given: Plan) -> None:
    text = plan_summary.render(given)
    assert plan_summary.parse(text.encode(), places.summary(given.task)) == given
    assert headings(text, 2) == [f"Conversation Summary: {given.task}", *plan_summary.SECTIONS]


def test_a_plan_looks_as_people_write_it() -> None:
    assert plan_summary.render(PLAN) == (
        "# Conversation Summary: user_management\n"
        "\n## What We're Trying to Accomplish\n\nPeople sign in once.\n\nTheir rights follow them.\n"
        "\n## Key Decisions Made\n\n- Decision: One service owns users\n  - Rationale: Two drifted apart\n"
        "  - Alternatives considered: A library: no audit\n"
        "\n## Constraints & Assumptions\n\n- PostgreSQL stays\n"
        "\n## Questions Resolved\n\n- Q: Who deletes?\n- A: Administrators\n"
        "\n## Open Items\n\n_None._\n"
        "\n## Dependencies & Integration Points\n\n- The mail service\n"
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n\n## ", "\n\n\n\n## ").replace("\n\n- ", "\n\n\n- "),
        lambda text: text.replace("\n\n- ", "\n- "),
        lambda text: text.replace("\n- ", "\n* "),
        lambda text: text.replace("\n- ", "\n+   "),
        lambda text: text.replace("## Open Items", "## OPEN ITEMS:"),
        lambda text: text.replace("Constraints & Assumptions", "constraints and assumptions"),
        lambda text: text.replace("We're", "We’re"),
        lambda text: text.replace("  - Rationale:", "    - **Rationale:**").replace("  - Alt", "    - Alt"),
        lambda text: text.replace("  - Rationale:", "\t- Rationale:").replace(
            "Alternatives considered", "alternatives"
        ),
        lambda text: text.replace("- A:", "  - A:").replace("- Q:", "- **Q**:"),
        lambda text: text.replace("- Decision: ", "- "),
        lambda text: text.replace("Decision: One service owns", "Decision: One service\n  owns"),
        lambda text: text.replace("- PostgreSQL stays", "1. PostgreSQL stays"),
        lambda text: text.replace("_None._", "None"),
        lambda text: text.replace("_None._", ""),
        lambda text: text.replace("# Conversation Summary: user_management", "# Conversation Summary: The Users!"),
        lambda text: text + "\n## Background\n\nMore.\n",
        lambda text: text.rstrip("\n"),
    ],
)
def test_a_plan_that_people_typed_is_the_same_plan(change: object) -> None:
    text = change(plan_summary.render(PLAN))  # type: ignore[operator]
    assert text != plan_summary.render(PLAN)
    read = plan_summary.parse(text.encode(), SUMMARY)
    wrapped = PLAN.decisions[0].model_copy(update={"decision": "One service\nowns users"})
    assert read in (PLAN, PLAN.model_copy(update={"decisions": (wrapped,)}))


@pytest.mark.req("OR-5")
@pytest.mark.parametrize("title", plan_summary.SECTIONS)
def test_a_section_that_a_plan_lacks_is_named(title: str) -> None:
    whole = markdown_headings.split(plan_summary.render(PLAN))
    gone = markdown_headings.named(whole, title)
    assert gone is not None
    text = plan_summary.render(PLAN)[: gone.start] + plan_summary.render(PLAN)[gone.end :]
    ((rule, line, problem),) = findings(plan_summary.parse, text, SUMMARY)
    assert rule == "plan.section"
    assert problem == f"the section “{title}” is missing"
    assert line


@pytest.mark.parametrize(
    ("old", "new", "rule", "line", "said"),
    [
        (
            "People sign in once.\n\nTheir rights follow them.",
            "",
            "plan.form",
            3,
            "`goal` is ''; valid: text, not empty",
        ),
        ("  - Rationale: Two drifted apart\n", "", "plan.form", 11, "`decisions[0].rationale` is missing"),
        ("Rationale: Two drifted apart", "Rationale:", "plan.form", 11, "`decisions[0].rationale` is ''"),
        ("- PostgreSQL stays", "PostgreSQL stays", "plan.list", 17, "this line belongs to no item of the list"),
        ("- PostgreSQL stays", "-", "plan.form", 17, "`constraints[0]` is ''"),
        ("- A: Administrators\n", "", "plan.question", 21, "this question has no answer"),
        ("- Q: Who deletes?\n", "", "plan.question", 21, "neither a question nor the answer"),
        (
            "Summary: user_management",
            "Summary: other_task",
            "plan.task",
            1,
            "the task `other_task`, the file `user_man",
        ),
        ("## Open Items", "## Open Item", "plan.section", 24, "line 24 has `## Open Item`"),
        ("## Open Items\n\n_None._\n", "## Open Items\n\n## Open Items\n", "plan.section", 26, "there twice"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said_with_its_line(old: str, new: str, rule: str, line: int, said: str) -> None:
    text = plan_summary.render(PLAN)
    assert old in text
    ((found, at, problem),) = findings(plan_summary.parse, text.replace(old, new, 1), SUMMARY)
    assert (found, at) == (rule, line)
    assert said in problem


def test_everything_that_is_wrong_with_a_plan_is_said_at_once() -> None:
    text = plan_summary.render(PLAN).replace("- PostgreSQL", "PostgreSQL").replace("- A: Administrators\n", "")
    assert [rule for rule, _, _ in findings(plan_summary.parse, text, SUMMARY)] == ["plan.list", "plan.question"]


def test_a_file_that_is_no_summary_by_name_has_its_task_from_the_title() -> None:
    text = plan_summary.render(PLAN).replace("user_management", "User Management")
    assert plan_summary.parse(text.encode(), "notes.md").task == "user_management"


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("PostgreSQL stays", True),
        ("  PostgreSQL\n   stays ", True),
        ("people sign in once.", False),
        ("PostgreSQL", True),
        ("PostgreSQL leaves", False),
        ("", False),
        ("  \n", False),
    ],
)
def test_a_quote_is_there_word_for_word_or_not_at_all(quote: str, there: bool) -> None:
    assert plan_summary.quoted(plan_summary.render(PLAN), quote) is there


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["\x00", "\x07", "\x1b[31m", "\x85"])
def test_text_that_no_file_should_hold_is_refused(bad: str) -> None:
    with pytest.raises(ValidationError, match=f"U\\+{ord(bad[0]):04X}"):
        Plan(task="a", goal=f"x{bad}y")


def test_text_is_kept_as_files_have_it() -> None:
    given = Plan(task="a", goal="  one  \r\ntwo\t\r\rthree\n\n")
    assert given.goal == "one\ntwo\n\nthree"


@given(TEXTS, st.integers(1, 6))
def test_text_under_a_heading_holds_no_heading_of_that_level_and_hides_nothing(text: str, level: int) -> None:
    tidy = markdown_blocks.tidy(text)
    written = markdown_blocks.escaped(tidy, level)
    assert markdown_blocks.unescaped(written, level) == tidy
    assert headings(f"{written}\n\n# End\n", level) == ["End"]
    assert [one.title for one in markdown_headings.split(f"{written}\n\n# End\n") if 0 < one.level <= level] == ["End"]


@given(st.text(alphabet="ab*\\: ", min_size=1, max_size=10).filter(lambda text: bool(text.strip())), TEXTS)
def test_a_bold_head_is_read_as_it_was_written(name: str, text: str) -> None:
    name, text = markdown_blocks.one_line(name), markdown_blocks.tidy(text)
    assert markdown_blocks.headed(f"{markdown_blocks.bold(name)}: {text}") == (name, text)


# --- the architecture -------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-6")
@given(DECIDED)
def test_decisions_are_read_as_they_were_written(given: Decided) -> None:
    text = architecture_decisions.rendered(given)
    assert architecture_decisions.parse(text.encode(), "f.md") == given
    assert headings(text, 2)[1:] == list(architecture_decisions.SECTIONS)


@pytest.mark.req("OR-6")
def test_decisions_begin_with_their_task_and_an_iso_date() -> None:
    text = architecture_decisions.render(ARCHITECTURE, task_id="user_management_1727539200", created=1727539200)
    assert text.startswith(
        "# Architecture Decisions: user_management\n\n## Document Control\n\n- **Created:** 2024-09-28\n"
        "- **Task ID:** user_management_1727539200\n- **Architect:** solution-architect\n- **Status:** Initial Design\n"
    )
    read = architecture_decisions.parse(text.encode(), places.DECISIONS)
    assert (read.created, read.task_id, read.evolution) == ("2024-09-28", "user_management_1727539200", "")
    assert read.decisions == ARCHITECTURE.decisions


SEED = """# Architecture Decisions: Users

## Document Control
- **Created:** 2025-10-16
- **Task ID:** users_1727539200
- **Architect:** Solution Architect (interactive persona)
- **Status:** Initial Design

## Executive Summary
One.

### With a heading of its own
Two.

## Technology Stack Overview
Three.

## Architecture Decisions

### Decision 1: First
**Context:** Why

**Decision**: What

**Rationale:**
- **Key**: reason
- Second

**Alternatives:**
- **Other**: no

**Risks:** none

---

### Decision 2: Second
**Context:**
Why
**Decision:** What
**Rationale:** Because

---

## Architecture Principles
1. **One**: first
2. **Two:** second

## Integration Architecture
a

## Security Architecture
b

## Deployment Architecture
c

## Open Questions
- d

## Evolution Notes
[Section to append to]

---

**Note:** more
"""


@pytest.mark.req("OR-6")
def test_decisions_that_people_typed_are_read() -> None:
    read = architecture_decisions.parse(SEED.encode(), "f.md")
    assert read.executive_summary == "One.\n\n### With a heading of its own\nTwo."
    first, second = read.decisions
    assert (first.context, first.decision, first.rationale) == ("Why", "What", ("**Key**: reason", "Second"))
    assert (first.alternatives, first.risks) == (("**Other**: no",), ())
    assert (second.context, second.rationale) == ("Why", ("Because",))
    assert [(one.name, one.text) for one in read.principles] == [("One", "first"), ("Two", "second")]
    assert read.evolution.startswith("[Section")


@pytest.mark.parametrize(
    ("old", "new", "rule", "line", "said"),
    [
        ("## Deployment Architecture\nc\n\n", "", "decisions.section", 54, "“Deployment Architecture” is missing"),
        ("**Context:** Why", "", "decisions.form", 20, "`decisions[0].context` is missing"),
        ("**Context:** Why", "Why", "decisions.decision", 21, "before its first label"),
        ("- **Key**: reason\n- Second\n", "", "decisions.form", 20, "`decisions[0].rationale` is a list of 0"),
        ("1. **One**: first", "1. first", "decisions.principle", 45, "has no name"),
        ("2025-10-16", "October", "decisions.form", 3, "`created` is 'October'; valid: an ISO date"),
        ("2025-10-16", "2025-13-16", "decisions.form", 3, "`created`: month must be in 1..12"),
        ("users_1727539200", "users", "decisions.form", 3, "`task_id` is 'users'"),
        ("- **Status:** Initial Design\n", "", "decisions.form", 3, "`status` is missing"),
    ],
)
def test_what_is_wrong_with_decisions_is_said_with_its_line(
    old: str, new: str, rule: str, line: int, said: str
) -> None:
    assert old in SEED
    found = findings(architecture_decisions.parse, SEED.replace(old, new, 1))
    assert any((one, at) == (rule, line) and said in problem for one, at, problem in found), found


@pytest.mark.req("OR-15")
@given(
    DECIDED,
    st.lists(TEXTS.filter(lambda text: markdown_blocks.tidy(text) != markdown_blocks.NONE), max_size=3),
    st.sampled_from(["\n", "\r\n"]),
)
def test_evolution_notes_grow_and_nothing_else_does(given: Decided, notes: list[str], newline: str) -> None:
    text = architecture_decisions.rendered(given).replace("\n", newline)
    before = architecture_decisions.without_evolution(text)
    for note in notes:
        grown = architecture_decisions.evolved(text, note)
        assert architecture_decisions.without_evolution(grown) == before
        assert len(grown) > len(text) - len(markdown_blocks.NONE)
        text = grown
    said = [part for part in (given.evolution, *map(markdown_blocks.tidy, notes)) if part]
    assert architecture_decisions.parse(text.encode(), "f.md").evolution == "\n\n".join(said)


def test_a_note_goes_to_the_end_of_its_section_byte_by_byte() -> None:
    text = "# T\r\n## Evolution Notes\r\n\r\nold\n\n\n## After\r\nmore"
    assert architecture_decisions.evolved(text, "new\n## not a heading") == (
        "# T\r\n## Evolution Notes\r\n\r\nold\r\n\r\nnew\r\n\\## not a heading\n\n\n## After\r\nmore"
    )


def test_notes_that_cannot_grow_say_why() -> None:
    assert findings(lambda data, _: architecture_decisions.evolved(data.decode(), "x"), "# T\n", places.DECISIONS) == [
        ("decisions.section", None, "the section “Evolution Notes” is missing")
    ]
    text = "# T\n## Evolution Notes\n```\n## After\nmore\n"
    ((rule, _, problem),) = findings(
        lambda data, _: architecture_decisions.evolved(data.decode(), "~~~\n```\n## Forged\n~~~"),
        text,
        places.DECISIONS,
    )
    assert (rule, problem) == (
        "decisions.fence",
        "a code fence opens above the end of “Evolution Notes” and is never closed",
    )


@pytest.mark.req("OR-6")
@given(st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5)), st.text(min_size=1).filter(str.strip))
def test_a_stack_is_read_as_it_was_written(chosen: dict[str, str], rationale: str) -> None:
    layer = technology_stack.Layer.model_validate({**chosen, "rationale": rationale})
    given = STACK.model_copy(update={"technology_stack": {"backend": layer}})
    read = technology_stack.parse(technology_stack.render(given).encode(), places.STACK)
    assert read == given
    assert read.technology_stack["backend"].chosen == {key: text for key, text in chosen.items() if key != "rationale"}


# --- reviews ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-7")
@given(ORDERS)
def test_an_order_is_read_as_it_was_written(given: Order) -> None:
    text = reviews.render_order(given, 1727539200)
    assert reviews.parse_order(text.encode(), "f.md") == given
    assert len(headings(text, 2)) == 4


ORDER = Order(
    project_type="A service",
    pattern="B",
    order=PATTERNS["B"],
    rationale="Contracts first.",
    why={domain: f"for {domain}" for domain in PATTERNS["B"]},
)


@pytest.mark.req("OR-7")
def test_an_order_says_who_comes_where_and_why() -> None:
    assert reviews.render_order(ORDER, 1727539200) == (
        "# Architecture Review Sequence\n\n**Project Type**: A service\n**Ordering Pattern**: Pattern B\n"
        "**Created**: 1727539200\n\n## Rationale\n\nContracts first.\n\n**Why this order:**\n"
        "1. **Security first** - for security\n2. **API/Data Flow second** - for api_dataflow\n"
        "3. **Database/Storage third** - for database_storage\n4. **Frontend last** - for frontend\n"
        "\n## Review Sequence\n\n1. **Security Architecture Reviewer** → `security_review.md`\n"
        "2. **API/Data Flow Architecture Reviewer** → `api_dataflow_review.md`\n"
        "3. **Database/Storage Architecture Reviewer** → `database_storage_review.md`\n"
        "4. **Frontend Architecture Reviewer** → `frontend_review.md`\n"
        "\n## TSA Instance Sequence (Same Order)\n\n1. **TSA Instance #1** - Incorporates Security feedback\n"
        "2. **TSA Instance #2** - Incorporates API/Data Flow feedback\n"
        "3. **TSA Instance #3** - Incorporates Database/Storage feedback\n"
        "4. **TSA Instance #4** - Incorporates Frontend feedback\n"
    )


@pytest.mark.req("OR-7")
@pytest.mark.parametrize(
    ("pattern", "order", "rules"),
    [
        ("A", "security database_storage api_dataflow frontend", []),
        ("B", "security api_dataflow database_storage frontend", []),
        ("B", "security api_dataflow database_storage", []),
        ("C", "security frontend api_dataflow database_storage", []),
        ("D", "security database_storage api_dataflow frontend", []),
        ("custom", "frontend", []),
        ("custom", "frontend security", []),
        ("A", "security database_storage api_dataflow", ["order.pattern"]),
        ("B", "security api_dataflow frontend", ["order.pattern"]),
        ("C", "security database_storage api_dataflow frontend", ["order.pattern"]),
        ("D", "database_storage security api_dataflow frontend", ["order.pattern"]),
        ("custom", "frontend security frontend", ["order.twice"]),
    ],
)
def test_a_pattern_has_its_order(pattern: str, order: str, rules: list[str]) -> None:
    domains = tuple(order.split())
    given = Order.model_validate(
        {**ORDER.model_dump(), "pattern": pattern, "order": domains, "why": dict.fromkeys(domains, "so")}
    )
    assert [one.rule for one in reviews.order_findings(given)] == rules


@pytest.mark.req("OR-7")
def test_every_place_in_the_order_has_its_reason_and_nothing_else_has() -> None:
    given = Order.model_validate(
        {
            **ORDER.model_dump(),
            "pattern": "custom",
            "order": ("security", "frontend"),
            "why": {"security": "a", "api_dataflow": "b"},
        }
    )
    assert [(one.rule, one.about) for one in reviews.order_findings(given)] == [
        ("order.why", "frontend"),
        ("order.why", "api_dataflow"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "rule", "line", "said"),
    [
        ("Pattern B", "Pattern E", "order.form", 1, "`pattern` is 'Pattern E'; valid: 'A', 'B', 'C', 'D' or 'custom'"),
        ("**Project Type**: A service\n", "", "order.form", 1, "`project_type` is missing"),
        ("`security_review.md`", "`legal_review.md`", "order.review", 19, "this names no review"),
        (
            "**Security first**",
            "**Legal first**",
            "order.why",
            12,
            "names no domain; valid: Security, Database/Storage",
        ),
        ("**Frontend last**", "**Security last**", "order.why", 15, "security has a reason already"),
        (
            "Incorporates Frontend",
            "Incorporates Security",
            "order.instances",
            24,
            "api_dataflow, database_storage, security",
        ),
        ("## Review Sequence", "## Review Sequences", "order.section", 17, "line 17 has `## Review Sequences`"),
    ],
)
def test_what_is_wrong_with_an_order_is_said_with_its_line(old: str, new: str, rule: str, line: int, said: str) -> None:
    text = reviews.render_order(ORDER, 1727539200)
    assert old in text
    found = findings(reviews.parse_order, text.replace(old, new, 1))
    assert any((one, at) == (rule, line) and said in problem for one, at, problem in found), found


@pytest.mark.req("OR-8")
@given(DOMAINS, REVIEWS)
def test_a_review_is_read_as_it_was_written(domain: reviews.Domain, given: Review) -> None:
    text = reviews.render_review(domain, given)
    assert reviews.parse_review(text.encode(), "f.md") == given
    assert headings(text, 2) == [
        f"{reviews.NAMES[domain]} Architecture Review",
        "Context Awareness",
        "Strengths",
        "Concerns",
        "Recommendations",
        "Questions for User/Architect",
        "Risk Factors",
    ]


@pytest.mark.req("OR-8")
def test_a_section_that_a_review_lacks_is_named() -> None:
    text = reviews.render_review("security", Review(context_awareness="the first")).replace(
        "## Concerns\n\n_None._\n", ""
    )
    assert [(rule, problem) for rule, _, problem in findings(reviews.parse_review, text)] == [
        ("review.section", "the section “Concerns” is missing")
    ]


# --- schemas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(schemas.SCHEMAS))
def test_every_form_is_published(name: str) -> None:
    schema = schemas.schema(name)
    assert schema["title"] == f"signoff/orchestration/{name}@1"
    assert set(schema["properties"]) == {
        field.alias or key for key, field in schemas.SCHEMAS[name].model_fields.items()
    }
    assert json.loads(json.dumps(schema)) == schema
