"""The report of a run, and what is added to the architecture decisions while it goes on."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from orchestration_documents import DECIDED
from orchestration_texts import REMARKS, TEXTS

from signoff.core.errors import DocumentError
from signoff.core.state import Spend
from signoff.workflows.orchestration.documents import architecture_decisions
from signoff.workflows.orchestration.documents.architecture_decisions import Decided
from signoff.workflows.orchestration.outputs import Judged, Ruling
from signoff.workflows.orchestration.views import work_report
from signoff.workflows.orchestration.views.work_report import Account, Adaptation, Agent, Command, Trial
from signoff.workflows.orchestration.work.escalations import Ruled, item, recorded
from signoff.workflows.orchestration.work.notes import Note
from signoff.workflows.orchestration.work.work_files import Entry

AT = 1727539800  # 2024-09-28 16:10 UTC
READER = MarkdownIt().enable("table")


def headings(text: str) -> list[str]:
    tokens = READER.parse(text)
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


def ruled(**fields: Any) -> Ruled:
    given = {
        "note_id": "note_001",
        "decision": "An hour, renewed by use.",
        "ground": "Security Architecture",
        "alternatives": "A day: too long for shared machines.",
    }
    asked = {"at": AT, "agent": "api_agent", "question": "How long does a session last?"}
    own = {name: fields.pop(name) for name in list(fields) if name in asked}
    return Ruled(**{**asked, **own}, ruling=Ruling(**{**given, **fields}))


# --- evolution notes --------------------------------------------------------------------------------------------------

EMPTY = "# Architecture\n\n## Evolution Notes\n\n_None._\n"


@pytest.mark.req("OR-23")
def test_a_ruling_takes_the_place_of_nothing_and_the_next_follows_it() -> None:
    first = recorded(EMPTY, [ruled()])
    assert first == (
        "# Architecture\n\n## Evolution Notes\n\n"
        "- 2024-09-28, asked by `api_agent` in `note_001`: How long does a session last?\n"
        "    - Decision: An hour, renewed by use.\n"
        "    - Ground: Security Architecture\n"
        "    - Alternatives: A day: too long for shared machines.\n"
    )
    other = ruled(note_id="note_002", question="Which hash?", alternatives=" ", means="The users table has a salt.")
    assert recorded(first, [other]).removeprefix(first) == (
        "\n- 2024-09-28, asked by `api_agent` in `note_002`: Which hash?\n"
        "    - Decision: An hour, renewed by use.\n"
        "    - Ground: Security Architecture\n"
        "    - Means: The users table has a salt.\n"
        "    - Alternatives: none were named\n"
    )


@pytest.mark.req("OR-23")
def test_a_document_without_the_section_says_so_and_is_not_guessed_at() -> None:
    with pytest.raises(DocumentError, match="“Evolution Notes” is missing"):
        recorded("# Architecture\n", [ruled()])


RULED = st.builds(
    lambda at, agent, question, ruling: Ruled(at=at, agent=agent, question=question, ruling=ruling),
    st.integers(0, 10**11 - 1),
    st.sampled_from(["api_agent", "a"]),
    TEXTS,
    st.builds(Ruling, note_id=st.just("note_001"), decision=TEXTS, ground=TEXTS, alternatives=REMARKS, means=REMARKS),
)


@pytest.mark.req("OR-15", "OR-23")
@given(DECIDED, st.lists(RULED, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_rulings_make_no_headings_change_nothing_else_and_are_written_once(
    given: Decided, rulings: list[Ruled], newline: str
) -> None:
    text = architecture_decisions.rendered(given).replace("\n", newline)
    made = recorded(text, rulings)
    assert architecture_decisions.without_evolution(made) == architecture_decisions.without_evolution(text)
    assert recorded(made, rulings) == made
    one_by_one = text
    for one in rulings:
        one_by_one = recorded(one_by_one, [one])
    assert one_by_one == made
    said = [part for part in (given.evolution, *dict.fromkeys(map(item, rulings))) if part]
    read = architecture_decisions.parse(made.encode(), "f.md")
    assert read.evolution == "\n\n".join(said)
    assert read.model_copy(update={"evolution": ""}) == given.model_copy(update={"evolution": ""})


@pytest.mark.req("OR-23")
@given(st.lists(RULED, min_size=1, max_size=3))
def test_what_agents_say_in_a_ruling_is_text(rulings: list[Ruled]) -> None:
    made = recorded(EMPTY, rulings)
    assert headings(made) == ["Architecture", "Evolution Notes"]
    kinds = {token.type for token in READER.parse(made)}
    assert not kinds & {"fence", "code_block", "html_block", "table_open", "blockquote_open", "hr"}


# --- the report -------------------------------------------------------------------------------------------------------


def note(number: int, **fields: Any) -> Note:
    given = {"note_id": f"note_{number:03d}", "timestamp": AT, "context": "the table", "category": "implementation"}
    settled = {"status": "resolved", "resolution_timestamp": AT + 60, "resolved_by": "agent_self"}
    return Note.model_validate({**given, **settled, **fields})


API = Agent(
    name="api_agent",
    role="Builds the API | and its tests",
    kind="doer",
    status="verified",
    turns=4,
    rounds=2,
    by_hand=frozenset({"tests/test_api.py"}),
    ruled={"note_002": "api_tactical"},
    files=(
        Entry(path="src/api.py", sha256="ab12" * 16, version=2, written_at=AT),
        Entry(path="tests/test_api.py", sha256="cd34" * 16, version=1, written_at=AT),
    ),
    verifier="api_verifier",
    criteria=(Judged(id="AC-1", met=True, evidence="12 tests passed"),),
    ran=(Command(command="python -m pytest tests/", code=0), Command(command="python -m pytest slow/", code=None)),
    failures=(("no test of the limit",),),
    notes=(
        note(1, description="Is the id a number?", resolution="It is, as in the users table."),
        note(
            2,
            description="How long does a session last?",
            category="security",
            resolution="An hour, renewed by use.",
            resolved_by="escalation_resolution",
            escalation_reason="it is a matter of security",
        ),
    ),
)
POOL = Agent(name="poc_pool", role="Tries the pool", kind="poc", status="verified", turns=2)
DONE = Account(
    task_id="user_management_1727539200",
    begun=AT,
    ended=AT + 3600,
    agents=(POOL, API),
    spend=Spend(turns=9, tokens=123456, cost=Decimal("1.5"), seconds=1234.5),
    rulings=(ruled(note_id="note_002"),),
    trials=(
        Trial(
            poc_id="poc_001",
            agent="poc_pool",
            assumption="The pool holds 100 connections.",
            assessment="partial",
            decision="escalate",
            rationale="It held 80.",
            answer="80 are enough",
        ),
    ),
    adaptations=(Adaptation(at=AT + 60, reason="80 are enough", edits=("rescope api_agent: at most 80 at once",)),),
    decided=("design: approve, person:ada", "failed-api_agent: retry, person:ada"),
    open=("It is assumed, and no PoC tries it: shelves have names",),
)

EXAMPLE = """\
# Report: user_management

The work is done: 2 of 2 agents are verified.

Task `user_management_1727539200`, from 2024-09-28 16:10 UTC to 2024-09-28 17:10 UTC.

| Agent | Kind | Status | Verifications | Turns | Files | Notes |
| --- | --- | --- | --- | --- | --- | --- |
| poc_pool | poc | verified | 0 | 2 | 0 | 0 |
| api_agent | doer | verified | 2 | 4 | 2 | 2 |

## What was built, and what shows that it holds

### poc_pool

Tries the pool

It has written no file.

Decided as a proof of concept.

No command was run.

### api_agent

Builds the API \\| and its tests

It has written:

- `src/api.py`, version 2, sha256 `ab12ab12ab12`
- `tests/test_api.py`, version 1, sha256 `cd34cd34cd34`, as a person changed it

Verified by `api_verifier`, in round 2.

Round 1 failed. Missing:

- no test of the limit

Criteria, as the verifier found them:

- AC-1: met. 12 tests passed

Commands that ran:

- `python -m pytest tests/`: exit code 0
- `python -m pytest slow/`: it did not end

## Notes

| Agent | Note | Category | What | Settled by | How |
| --- | --- | --- | --- | --- | --- |
| api_agent | note_001 | implementation | Is the id a number? | the agent itself | It is, as in the users table. |
| api_agent | note_002 | security | How long does a session last? | the tactical architect (`api_tactical`) | An hour, renewed by use. |

## Escalations

- `api_agent`, note_002: How long does a session last?
    - Why: it is a matter of security
    - Settled by the tactical architect (`api_tactical`). An hour, renewed by use.

## Decisions within the architecture

- 2024-09-28, asked by `api_agent` in `note_002`: How long does a session last?
    - Decision: An hour, renewed by use.
    - Ground: Security Architecture
    - Alternatives: A day: too long for shared machines.

## Proofs of concept

- `poc_001` by `poc_pool`: The pool holds 100 connections.
    - Found: partial; decided: escalate. It held 80.
    - A person said: 80 are enough

## Adaptations

- 2024-09-28 16:11 UTC: 80 are enough
    - rescope api_agent: at most 80 at once

## Failed or given up

Nobody, at the end.

## What people decided

- design: approve, person:ada
- failed-api_agent: retry, person:ada

## Known and left open

- It is assumed, and no PoC tries it: shelves have names

## Cost

- Turns: 9
- Tokens: 123,456
- Money: 1.50 USD
- Time of all turns together: 1,234 s
"""  # noqa: E501 - a row of a table is one line


@pytest.mark.req("OR-27")
def test_the_report_says_what_was_built_what_shows_it_who_settled_what_and_the_cost() -> None:
    assert work_report.render(DONE) == EXAMPLE


def top(account: Account) -> str:
    return work_report.render(account).split("\n\n")[1]


@pytest.mark.req("OR-27")
def test_a_run_that_ended_early_says_so_on_top() -> None:
    failed = replace(API, status="failed", given_up=True, why="5 verifications failed", criteria=())
    early = replace(DONE, agents=(POOL, failed), stopped="api_agent was given up.")
    assert top(early) == "> **This run ended early: api_agent was given up.** 1 of 2 agents are verified."
    made = work_report.render(early)
    assert "**Not verified.** Its status is failed." in made
    assert "- `api_agent`: given up. 5 verifications failed" in made


@pytest.mark.req("OR-27")
def test_the_report_has_an_agents_own_words_and_what_was_left_out_is_neither_met_nor_done() -> None:
    gone = Judged(id="AC-2", met=False, left_out=True, evidence="a person said: Leave it out")
    agent = replace(API, summary="Made offline by a role player", criteria=(*API.criteria, gone))
    made = work_report.render(replace(DONE, agents=(POOL, agent)))
    assert top(replace(DONE, agents=(POOL, agent))) == (
        "> **Not all of the plan was built.** 2 of 2 agents are verified; a person left out: AC-2."
    )
    assert "In its own words: Made offline by a role player" in made
    assert "- AC-2: **left out**. a person said: Leave it out" in made


@pytest.mark.req("OR-19", "OR-27")
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (replace(API, status="blocked"), "> **This run ended early.** 1 of 2 agents are verified."),
        (
            replace(API, notes=(note(1, description="?", status="open", resolved_by=None, resolution_timestamp=None),)),
            "> **This run ended early.** 2 of 2 agents are verified; 1 note is not settled.",
        ),
    ],
)
def test_nothing_unfinished_passes_as_done_whatever_was_said_of_it(agent: Agent, said: str) -> None:
    assert top(replace(DONE, agents=(POOL, agent))) == said


@pytest.mark.req("OR-27")
@pytest.mark.parametrize(
    ("spend", "said"),
    [
        (Spend(), "0.00 USD"),
        (Spend(cost=Decimal("0.0004")), "0.0004 USD"),
        (Spend(unpriced=2), "unknown; the price of 2 attempts is unknown"),
        (Spend(cost=Decimal("3"), unpriced=1), "at least 3.00 USD; the price of 1 attempt is unknown"),
    ],
)
def test_a_price_that_nobody_knows_is_said_to_be_unknown(spend: Spend, said: str) -> None:
    assert f"\n- Money: {said}\n" in work_report.render(replace(DONE, spend=spend))


def test_a_run_in_which_nothing_happened_says_that_of_every_part() -> None:
    made = work_report.render(
        Account(task_id="a_1727539200", begun=AT, ended=AT, agents=(), spend=Spend(), stopped="x")
    )
    assert headings(made) == ["Report: a", *work_report.HEADINGS]
    assert not re.search(r"## [^\n]+\n\n(?:##|$)", made)


HOSTILE = st.builds(
    lambda text, path, code: replace(
        DONE,
        stopped=text,
        agents=(
            POOL,
            replace(
                API,
                role=text,
                why=text,
                given_up=True,
                files=(Entry(path=path, sha256="0" * 64, version=1, written_at=AT),),
                criteria=(Judged(id=text, met=False, evidence=text),),
                ran=(Command(command=text, code=code),),
                failures=((text, text),),
                notes=(note(1, description=text, resolution=text, escalation_reason=text),),
            ),
        ),
        rulings=(ruled(question=text, decision=text, ground=text, alternatives=text, means=text),),
        trials=(replace(DONE.trials[0], assumption=text, rationale=text, answer=text),),
        adaptations=(Adaptation(at=AT, reason=text, edits=(text,)),),
        decided=(text,),
        open=(text,),
    ),
    TEXTS,
    TEXTS,
    st.none() | st.integers(-15, 255),
)


@pytest.mark.req("OR-27")
@given(HOSTILE)
def test_what_anybody_said_gives_the_report_no_shape(account: Account) -> None:
    made = work_report.render(account)
    assert headings(made) == headings(EXAMPLE)
    tokens = READER.parse(made)
    kinds = [token.type for token in tokens]
    assert not set(kinds) & {"fence", "code_block", "html_block", "hr"}
    assert kinds.count("table_open") == 2
    assert kinds.count("blockquote_open") == 1
    rows = [at for at, token in enumerate(tokens) if token.type == "tr_open"]
    assert len(rows) == 3 + 2
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not set(inline) & {"link_open", "image", "html_inline", "em_open"}
