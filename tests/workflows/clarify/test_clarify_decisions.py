"""decisions.md: read without losing a byte, written so that nothing in a value can change its shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.core.findings import failing
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.decision_layout import layout
from signoff.workflows.clarify.documents.decisions import OPEN, STATUSES, Decision, Decisions

pytestmark = pytest.mark.req("CL-7", "CL-9", "CL-10")

SEED = """\
---
status: draft
decision_count: 3
---

### D1: MRR Calculation Formula
- **Source:** Q1
- **Section:** Core Concepts and Definitions
- **Answer:** Managed services is already MRR, PS < 12mo = TCV/10, PS > 12mo = Year 1 ACV / 12
- **Status:** draft

### D13: [Critical Gap] Win Rate Definition
- **Source:** Q17
- **Section:** Metrics and Calculations
- **Answer:** (not answered)
- **Status:** critical-gap
- **Note:** This is a [MUST ANSWER] question required for skill generation.

### D14: [Contradiction] Pipeline Entry vs. Committed Stage
- **Source:** Q2, Q12
- **Section:** Cross-cutting
- **Answer (Q2):** Stage beyond "Prospecting" enters pipeline
- **Answer (Q12):** "Proposal Sent" is the committed threshold
- **Status:** contradiction
- **Note:** Q2 implies early-stage entry; Q12 implies late-stage commitment.
"""


def read(text: str) -> Decisions:
    return de.parse(text, "d.md")


def plain(entry: Decision | None) -> Decision:
    assert entry is not None
    return replace(entry, line=0, span=(0, 0), answers=dict(entry.answers))


def entry(*lines: str, head: str = "### D1: Title") -> str:
    return "\n".join([head, *lines, ""])


WHOLE = ("- **Source:** Q1", "- **Status:** resolved")

# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_draft_of_the_seed_is_read_with_every_field() -> None:
    doc = read(SEED)
    assert doc.problems == ()
    assert doc.front == {"status": "draft", "decision_count": 3}
    assert [(one.id, one.line, one.sources, one.status) for one in doc.entries] == [
        ("D1", 6, ("Q1",), "draft"),
        ("D13", 12, ("Q17",), "critical-gap"),
        ("D14", 19, ("Q2", "Q12"), "contradiction"),
    ]
    assert plain(doc.entry("D14")) == Decision(
        id="D14",
        title="[Contradiction] Pipeline Entry vs. Committed Stage",
        sources=("Q2", "Q12"),
        section="Cross-cutting",
        answers={
            "Q2": 'Stage beyond "Prospecting" enters pipeline',
            "Q12": '"Proposal Sent" is the committed threshold',
        },
        status="contradiction",
        note="Q2 implies early-stage entry; Q12 implies late-stage commitment.",
    )
    assert doc.entry("D2") is None


def test_a_span_runs_from_the_heading_to_the_next_one() -> None:
    doc = read(SEED)
    assert [SEED[slice(*one.span)].split("\n")[0] for one in doc.entries] == [
        "### D1: MRR Calculation Formula",
        "### D13: [Critical Gap] Win Rate Definition",
        "### D14: [Contradiction] Pipeline Entry vs. Committed Stage",
    ]
    assert "".join(SEED[slice(*one.span)] for one in doc.entries) == SEED[SEED.index("### D1:") :]


FORMS = [
    ("the plain form", ("- **Decision:** We do it",), "We do it"),
    ("an older label", ("- **Decision**: We do it",), "We do it"),
    ("a full-width colon", ("- **Decision：** We do it",), "We do it"),
    ("another list mark", ("* **Decision:** We do it",), "We do it"),
    ("small letters", ("- **decision:** We do it",), "We do it"),
    ("no space behind the label", ("- **Decision:**We do it",), "We do it"),
    ("white space inside", ("- **Decision:**   We \t do  it  ",), "We do it"),
    ("a value that goes on", ("- **Decision:** We", "  do", "\tit"), "We do it"),
    ("a value that begins below its label", ("- **Decision:**", "  We do it"), "We do it"),
    ("a second paragraph", ("- **Decision:** We", "", "  do it"), "We do it"),
    ("a list inside", ("- **Decision:** We", "  - do", "  - **Status:** it"), "We - do - **Status:** it"),
    ("a paragraph that is not indented", ("- **Decision:** We do it", "or not"), "We do it"),
    ("a field that we do not know", ("- **Decision:** We do it", "- **Owner:** Ann", "  and Bob"), "We do it"),
    ("a heading of another level", ("- **Decision:** We do it", "#### Aside", "  x"), "We do it"),
    (
        "a fence inside",
        ("- **Decision:** We", "  ```", "- **Status:** draft", "  ```"),
        "We ``` - **Status:** draft ```",
    ),
    ("a fence below", ("- **Decision:** We do it", "```", "- **Decision:** no", "```"), "We do it"),
    ("a bold word in the value", ("- **Decision:** **Now:** we do it",), "**Now:** we do it"),
    ("no value", ("- **Decision:**",), ""),
    ("no field", (), ""),
]


@pytest.mark.parametrize(("lines", "value"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
def test_a_value_is_read_on_one_line_however_it_is_laid_out(
    lines: tuple[str, ...], value: str, newline: str, mark: str
) -> None:
    text = mark + entry("- **Source:** Q1", *lines, "- **Status:** resolved").replace("\n", newline)
    doc = read(text)
    assert doc.problems == ()
    assert [(one.decision, one.status) for one in doc.entries] == [(value, "resolved")]
    assert doc.render() == text


HEADINGS = [
    ("### D1: A title", "A title"),
    ("   ### D1: A title ###", "A title"),
    ("### D1:  C#", "C#"),
    ("### D1: a  b\tc", "a b c"),
    ("###\tD1: 标题", "标题"),
]


@pytest.mark.parametrize(("head", "title"), HEADINGS)
def test_a_heading_is_read_as_markdown_reads_it(head: str, title: str) -> None:
    assert [(one.id, one.title) for one in read(entry(*WHOLE, head=head)).entries] == [("D1", title)]


NO_ENTRIES = [
    "    ### D1: four spaces are code",
    "```\n### D1: in a fence\n```",
    "---\na: |\n  x\n### D1: in the frontmatter\n---",
    "###D1: no space",
    "### A person's own heading",
    "### D3.js, a library",
    "text ### D1: in a line",
    "",
]


@pytest.mark.parametrize("text", NO_ENTRIES)
def test_what_is_no_heading_of_a_decision_is_no_entry(text: str) -> None:
    assert read(text).entries == ()


SOURCES = [
    ("Q1", ("Q1",)),
    ("Q2, Q12", ("Q2", "Q12")),
    ("Q2,R2.1a ,  Q12,", ("Q2", "R2.1a", "Q12")),
    ("Q2，Q12、R1.1", ("Q2", "Q12", "R1.1")),
    ("Q1, Q1", ("Q1",)),
]


@pytest.mark.parametrize(("value", "sources"), SOURCES)
def test_sources_are_separated_by_commas(value: str, sources: tuple[str, ...]) -> None:
    assert read(entry(f"- **Source:** {value}")).entries[0].sources == sources


ANSWERS = [
    ("one source", "Q1", ("- **Answer:** a",), {"Q1": "a"}),
    ("several", "Q1, R1.1", ("- **Answer (Q1):** a", "- **Answer (R1.1):** b"), {"Q1": "a", "R1.1": "b"}),
    ("several, unnamed", "Q1, R1.1", ("- **Answer:** a",), {"Q1": "a"}),
    ("an older label", "Q1, Q2", ("- **Answer (Q2)**: b",), {"Q2": "b"}),
    ("no source", "", ("- **Answer:** a",), {"": "a"}),
]


@pytest.mark.parametrize(("source", "lines", "answers"), [c[1:] for c in ANSWERS], ids=[c[0] for c in ANSWERS])
def test_an_answer_belongs_to_the_source_it_names_or_to_the_first(
    source: str, lines: tuple[str, ...], answers: dict[str, str]
) -> None:
    assert read(entry(f"- **Source:** {source}", *lines)).entries[0].answers == answers


def test_bytes_are_read_or_refused() -> None:
    assert de.parse_doc(SEED.encode(), "d.md") == read(SEED)
    with pytest.raises(DocumentError, match="UTF-8"):
        de.parse_doc(b"\xff\xfe#", "d.md")


PROBLEMS = [
    ("twice", entry(*WHOLE) + entry(*WHOLE), "duplicate", 4, "the first is in line 1", "the next free id: D2"),
    ("no source", entry("- **Status:** draft"), "source", 1, "does not say which answers", "`- **Source:** Q1`"),
    ("no status", entry("- **Source:** Q1"), "status", 1, "D1 has no status", "needs-review"),
    ("an unknown status", entry("- **Source:** Q1", "- **Status:** done"), "status", 1, "'done'", "conflict-resolved"),
    ("no title", entry(*WHOLE, head="### D1:"), "title", 1, "D1 has no title", "### D1: Title"),
    ("a field twice", entry(*WHOLE, "- **Status:** draft"), "field", 4, "**Status:** twice", "make it one line"),
    (
        "an answer twice",
        entry(*WHOLE, "- **Answer:** a", "- **Answer (Q1):** b"),
        "field",
        5,
        "**Answer (Q1):** twice",
        "make it one line",
    ),
    ("frontmatter without end", "---\nstatus: draft\n", "frontmatter", 1, "never ends", "`---`"),
    ("unreadable frontmatter", "---\na: 1\na: 2\n---\n", "frontmatter", 3, "a", ""),
    ("a list in front", "---\n- a\n---\n", "frontmatter", 2, "a list", "key: value"),
    ("an open fence", entry(*WHOLE) + "\n```\nx\n", "fence", 5, "never closed", "close the fence"),
    ("a number too long", entry(*WHOLE, head="### D" + "9" * 5000 + ": x"), "id", 1, "9999…'", "nine digits at most"),
    ("no id", entry(*WHOLE, head="### D0: Title"), "id", 1, "'D0'", "### D1: Title"),
    ("a zero before", entry(*WHOLE, head="### D01: Title"), "id", 1, "'D01'", "### D1: Title"),
    ("a small letter", entry(*WHOLE, head="### d1: Title"), "id", 1, "'d1'", "### D1: Title"),
    ("no colon", entry(*WHOLE, head="### D1 Title"), "id", 1, "'D1'", "a colon"),
    ("a full-width colon", entry(*WHOLE, head="### D1：标题"), "id", 1, "'D1'", "a colon"),
    ("a whole word", entry(*WHOLE, head="### Decision 1: Title"), "id", 1, "'Decision 1'", "### D1: Title"),
    ("an id of refinements", entry(*WHOLE, head="### D1.2: Title"), "id", 1, "'D1.2'", "### D1: Title"),
    ("the wrong level", entry(*WHOLE, head="## D1: Title"), "id", 1, "level 2", "`### D1: Title`"),
    ("a level too deep", entry(*WHOLE, head="#### D1: Title"), "id", 1, "level 4", "`### D1: Title`"),
]


@pytest.mark.parametrize(
    ("text", "rule", "line", "problem", "repair"), [case[1:] for case in PROBLEMS], ids=[case[0] for case in PROBLEMS]
)
def test_what_makes_a_file_ambiguous_is_found_with_its_line_and_repair(
    text: str, rule: str, line: int, problem: str, repair: str
) -> None:
    (found,) = read(text).problems
    assert (found.rule, found.line, found.severity, found.file) == (f"decisions.{rule}", line, "error", "d.md")
    assert problem in found.problem
    assert repair in found.repair


def test_of_two_entries_or_fields_with_one_name_the_first_counts() -> None:
    doc = read(entry(*WHOLE, "- **Status:** draft") + entry("- **Source:** Q9", "- **Status:** draft"))
    assert [(one.id, one.sources, one.status) for one in doc.entries] == [
        ("D1", ("Q1",), "resolved"),
        ("D1", ("Q9",), "draft"),
    ]
    assert doc.entry("D1") is doc.entries[0]
    assert read(entry(*WHOLE, "- **Answer:** a", "- **Answer (Q1):** b")).entries[0].answers == {"Q1": "a"}


PIECES = st.sampled_from(
    [
        "### D1: One", "### D2: Two #", "## Notes", "# Decisions", "---", "- **Source:** Q1", "- **Source**: Q2",
        "- **Answer (Q1):** a", "- **Status:** draft", "  going on", "", "```", "~~~~", "text", "\ufeff", "a: 1",
        "### D01: x", "- **Owner:** Ann", "#### Aside",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(),
    st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", "\r", ""]))).map(
        lambda parts: "".join(piece + end for piece, end in parts)
    ),
)


@given(TEXTS)
def test_any_text_is_read_and_given_back_byte_for_byte(text: str) -> None:
    doc = read(text)
    assert doc.render() == text
    assert de.spliced(doc, [one for one in doc.entries if one is doc.entry(one.id)]) == text
    assert all(text[slice(*one.span)].lstrip().startswith("###") for one in doc.entries)


@pytest.mark.usefixtures("must_end")
def test_hostile_text_takes_no_longer_than_its_length() -> None:
    many = 20_000
    for text in (
        "### D1: x\n" + "- **Status:** a\n" * many,
        "### D1: x\n- **Note:** a\n" + "  b\n" * many,
        "### D1:" + " #" * many,
        "### D1: x\n- **" + " " * many,
        "### D1: x\n" * many,
        "###" + " " * many + "D" * many + " \n## D1: x",
    ):
        assert de.lint(read(text))


# --- writing ----------------------------------------------------------------------------------------------------------

IDS = st.from_regex(r"Q[1-9][0-9]?|R[1-9]\.[1-9][ab]?", fullmatch=True)
VALUES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "# no heading",
            "### D9: no entry",
            "- **Status:** draft",
            "**Status:** x",
            "```",
            "a\n\n  b",
            "a\r\nb",
            "---",
            "#",
        ]
    ),
)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    sources = tuple(draw(st.lists(IDS, min_size=1, max_size=3, unique=True)))
    texts: dict[str, Any] = {
        name: draw(VALUES)
        for name in (
            "section", "settled", "decision", "reasoning", "implication", "contradiction", "change", "note"
        )
    }  # fmt: skip
    return Decision(
        id=f"D{draw(st.integers(1, 99))}",
        title=draw(VALUES),
        sources=sources,
        answers={key: draw(VALUES) for key in sources},
        status=draw(st.sampled_from(STATUSES)),
        **texts,
    )


SEVERAL = st.lists(decisions(), max_size=4, unique_by=lambda one: one.id)


def one_line(one: Decision) -> Decision:
    """As it is read back: every text on one line, and no answer where there was none."""
    values: dict[str, Any] = {
        name: " ".join(getattr(one, name).split())
        for name in (
            "title", "section", "settled", "decision", "reasoning", "implication", "contradiction", "change", "note"
        )
    }  # fmt: skip
    answers = {key: " ".join(said.split()) for key, said in one.answers.items() if said.split()}
    return replace(one, answers=answers, line=0, span=(0, 0), **values)


@given(SEVERAL, st.sampled_from([{}, {"status": "open", "round": 2}]))
def test_whatever_the_values_say_the_entries_are_read_back_and_nothing_else(
    entries: list[Decision], front: dict[str, Any]
) -> None:
    doc = read(de.render(entries, front))
    assert [plain(one) for one in doc.entries] == [one_line(one) for one in entries]
    assert doc.front == front
    assert {one.rule for one in doc.problems} <= {"decisions.title"}  # an empty title is said, not invented


def test_an_entry_is_written_in_our_order_and_without_empty_fields() -> None:
    made = Decision(
        id="D3",
        title="Stage",
        sources=("Q2", "R2.1"),
        section="Pipeline",
        answers={"Q2": "early", "R2.1": "late"},
        status="conflict-resolved",
        settled="late it is",
        decision="Late.",
        reasoning="Because.",
        implication="Then.",
        contradiction="Q2 and R2.1 disagree.",
        change="The stage.",
        note="n",
    )
    assert de.block(made) == (
        "### D3: Stage\n- **Source:** Q2, R2.1\n- **Section:** Pipeline\n- **Answer (Q2):** early\n"
        "- **Answer (R2.1):** late\n- **Settled:** late it is\n- **Decision:** Late.\n- **Reasoning:** Because.\n"
        "- **Implication:** Then.\n- **Contradiction:** Q2 and R2.1 disagree.\n- **Change:** The stage.\n"
        "- **Status:** conflict-resolved\n- **Note:** n\n"
    )
    bare = Decision(id="D1", title="C #", sources=("Q1",), section="", answers={"Q1": "a\nb"}, status="draft")
    assert de.block(bare) == "### D1: C # ###\n- **Source:** Q1\n- **Answer:** a b\n- **Status:** draft\n"
    assert de.render([bare], {"status": "draft"}).startswith("---\nstatus: draft\n---\n\n# Decisions\n\n### D1: C")
    assert de.render([], {}) == "# Decisions\n"


def test_what_is_between_the_fields_of_an_entry_stays_when_the_entry_changes() -> None:
    text = (
        "\ufeff# Decisions\r\n\r\nOurs.\r\n\r\n### D1: Old ##\r\nWhy we ask.\r\n* **Source**: Q1\r\n"
        "- **Owner:** Ann\r\n- **Note:** gone\r\n  with this\r\n- **Status:** draft\r\n\r\nA person's remark.\r\n\r\n"
        "### D2: Two\r\n- **Source:** Q2\r\n- **Status:** draft\r\n## Ours\r\nEnd"
    )
    old = read(text).entries[0]
    new = replace(old, title="New", status="resolved", note="", decision="Yes", sources=("Q1", "R1.1"))
    added = Decision(id="D3", title="Three", sources=("Q3",), section="", answers={}, status="draft")
    assert de.spliced(read(text), [new, added]) == (
        "\ufeff# Decisions\r\n\r\nOurs.\r\n\r\n### D1: New\r\nWhy we ask.\r\n* **Source:** Q1, R1.1\r\n"
        "* **Decision:** Yes\r\n- **Owner:** Ann\r\n- **Status:** resolved\r\n\r\nA person's remark.\r\n\r\n"
        "### D2: Two\r\n- **Source:** Q2\r\n- **Status:** draft\r\n## Ours\r\nEnd\r\n\r\n"
        "### D3: Three\r\n- **Source:** Q3\r\n- **Status:** draft\r\n"
    )


def test_an_unnamed_answer_gets_its_name_when_a_second_source_is_added() -> None:
    doc = read(entry("- **Source:** Q1", "- **Answer:** a", "kept", "- **Status:** draft"))
    new = replace(doc.entries[0], sources=("R1.1", "Q1"), answers={"R1.1": "b", "Q1": "a"})
    made = read(de.spliced(doc, [new]))
    assert plain(made.entries[0]) == plain(new)
    assert made.problems == ()
    assert "\nkept\n" in made.text


def test_an_entry_that_says_the_same_is_left_as_it_is_written() -> None:
    doc = read(entry("- **Source:** Q1", "- **Answer (Q1):** a", "- **Status:**  draft"))
    assert de.spliced(doc, [replace(doc.entries[0], line=0, answers={"Q1": "a"})]) == doc.text


@pytest.mark.parametrize(("end", "gap"), [("", "\n\n"), ("\n", "\n"), ("\n\n", ""), ("\n\n\n", "")])
def test_a_new_entry_stands_below_an_empty_line(end: str, gap: str) -> None:
    new = Decision(id="D3", title="Three", sources=("Q3",), section="", answers={}, status="draft")
    assert de.spliced(read(f"# Decisions{end}"), [new]) == f"# Decisions{end}{gap}{de.block(new)}"


@pytest.mark.parametrize("rule", ["---", "--- ", "---\t "])
def test_frontmatter_is_the_same_for_reading_and_writing(rule: str) -> None:
    text = f"{rule}\nstatus: draft\n{rule}\n\n### D1: x\n- **Source:** Q1\n- **Status:** draft\n"
    made = read(de.with_front(text, {"decision_count": 1}))
    assert (read(text).front, made.front) == ({"status": "draft"}, {"status": "draft", "decision_count": 1})
    assert made.text == text.replace("draft\n", "draft\ndecision_count: 1\n", 1)


def test_a_new_field_comes_last_where_a_line_below_its_place_would_be_taken_for_more_of_it() -> None:
    doc = read("### D1: x\n  indented, below nothing\n- **Status:** draft\nkept\n")
    new = replace(doc.entries[0], sources=("Q1",))
    assert de.spliced(doc, [new]) == (
        "### D1: x\n  indented, below nothing\n- **Status:** draft\n- **Source:** Q1\nkept\n"
    )


@pytest.mark.parametrize("lead", ["  - ", "* ", "+   ", "\t- "])
def test_fields_keep_their_indent_and_bullet_and_new_ones_get_the_same(lead: str) -> None:
    doc = read(
        f"### D1: T\n{lead}**Source:** Q1\n{lead}**Answer:** x\n{lead}**Owner:** Ada, until May\n\n"
        f"  We talked about this on Monday.\n\nAnd on Tuesday.\n\n{lead}**Status:** resolved\n"
    )
    new = replace(doc.entries[0], sources=("Q1", "R1.1"), answers={"Q1": "x", "R1.1": "new"})
    assert de.spliced(doc, [new]) == (
        f"### D1: T\n{lead}**Source:** Q1, R1.1\n{lead}**Answer (Q1):** x\n{lead}**Answer (R1.1):** new\n"
        f"{lead}**Owner:** Ada, until May\n\n"
        f"  We talked about this on Monday.\n\nAnd on Tuesday.\n\n{lead}**Status:** resolved\n"
    )


ANEW = [
    ("", "words\n", "### D1: x\n- **Source:** Q1\n- **Status:** resolved\nwords\n  - **Owner:** Ann\n"),
    ("\r", "", "### D1: x\n- **Source:** Q1\n- **Status:** resolved\n\n#### Notes\n  - **Owner:** Ann\n"),
]


@pytest.mark.parametrize(("returns", "words", "made"), ANEW)
def test_an_entry_is_written_anew_above_all_other_lines_where_its_fields_cannot_stay(
    returns: str, words: str, made: str
) -> None:
    text = f"### D1: x\n  - **Note:** n\n{words}- **Source:** Q1\n  - **Owner:** Ann\n- **Status:** draft\n"
    doc = read(text.replace("\n", f"{returns}\n"))
    assert len(doc.entries[0].answers) == 0
    new = replace(doc.entries[0], note="", status="resolved")
    assert de.spliced(doc, [new]) == made.replace("\n", f"{returns}\n")
    assert plain(read(de.spliced(doc, [new])).entries[0]) == plain(new)


LINES = st.sampled_from(
    [
        *("- **Source:** Q1", "  - **Source:** Q1", "- **Status:** draft", "  - **Status:** draft", "* **Note**: n"),
        *("    - **Note:** deep", "  - **Owner:** Ann", "- **Owner:** Ann", "words", "  more words", "\tmore", ""),
        *("#### Aside", "```\n- **Status:** no\n```", "  ```\n  x\n  ```", "- **Answer (Q1):** a", "- **Answer:** b"),
    ]
)


@given(st.lists(LINES, max_size=8), st.data())
def test_no_line_of_a_person_is_lost_by_a_splice(body: list[str], data: st.DataObject) -> None:
    doc = read("\n".join(["### D1: x", *body, ""]))
    old = doc.entries[0]
    new = replace(
        old,
        sources=data.draw(st.sampled_from([("Q1",), ("Q1", "R1.1")])),
        answers=data.draw(st.sampled_from([{}, {"Q1": "said"}])),
        status="resolved",
        note=data.draw(st.sampled_from(["", "noted"])),
    )
    made = read(de.spliced(doc, [new]))
    assert plain(made.entries[0]) == plain(new)
    fields = {line for one in layout(doc.text, "").blocks[0].fields for line in doc.text[slice(*one.span)].split("\n")}
    for line in {line for part in body for line in part.split("\n")} - fields:
        assert made.text.split("\n").count(line) >= doc.text.split("\n").count(line), line


APART = st.sampled_from(
    ["", "Some text.\n", "- **Owner:** Ann\n", "```\n### D9: x\n```\n", "#### Aside\n", "\n\n", "> q\n"]
)


@given(SEVERAL, st.data())
def test_splicing_changes_the_given_entries_and_no_other_byte(entries: list[Decision], data: st.DataObject) -> None:
    blocks = [de.block(one_line(one)) + data.draw(APART) for one in entries]
    head = data.draw(st.sampled_from(["", "\ufeff", "# Decisions\n\n", "---\na: 1 # ours\n---\n"]))
    newline = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    doc = read((head + "".join(blocks)).replace("\n", newline))
    new = data.draw(st.lists(decisions(), max_size=3, unique_by=lambda one: one.id))
    made = read(de.spliced(doc, new))
    changed = {one.id: one_line(one) for one in new}
    there = [one.id for one in doc.entries]
    assert [one.id for one in made.entries] == [*there, *(name for name in changed if name not in there)]
    for one in made.entries:
        assert plain(one) == changed.get(one.id, plain(doc.entry(one.id) or one))
    for one in doc.entries:
        if one.id not in changed:
            now = made.entry(one.id)
            assert now is not None
            assert made.text[slice(*now.span)].startswith(doc.text[slice(*one.span)])
    first = min((one.span[0] for one in doc.entries), default=len(doc.text))
    assert made.text.startswith(doc.text[:first])
    assert all(line in made.text for line in ("Some text.", "> q", "#### Aside") if line in doc.text)
    if newline in doc.text:
        assert not {"\r", "\n"} & set(made.text.replace(newline, ""))


# --- lint and repair --------------------------------------------------------------------------------------------------

RESOLVED = entry("- **Source:** Q1, Q2", "- **Status:** conflict-resolved")
LINTED: list[tuple[str, str, list[tuple[str, str, int]]]] = [
    ("a right file", "---\ndecision_count: 1\nconflicts_resolved: 1\n---\n" + RESOLVED, []),
    ("a draft", "---\ndecision_count: 1\n---\n" + entry("- **Source:** Q1", "- **Status:** draft"), []),
    ("nothing", "", []),
    (
        "wrong counts",
        "---\ndecision_count: 2\nconflicts_resolved: 0\n---\n" + RESOLVED,
        [("count", "decision_count is 2 in the frontmatter, and the entries make it 1", 1), ("count", "make it 1", 1)],
    ),
    ("no counts", RESOLVED, [("count", "decision_count is missing", 1), ("count", "conflicts_resolved is missing", 1)]),
    (
        "an older label",
        "---\ndecision_count: 1\n---\n### D1: x\n- **Source**: Q1\n- **Status:** draft\n",
        [("form", "D1 has the label '**Source**:'", 5)],
    ),
    (
        "complete, and open",
        "---\nstatus: complete\ndecision_count: 1\n---\n" + entry("- **Source:** Q1", "- **Status:** critical-gap"),
        [("complete", "D1 is not settled", 1)],
    ),
    ("a problem of reading", "---\ndecision_count: 1\n---\n" + entry("- **Source:** Q1"), [("status", "no status", 4)]),
    ("unreadable frontmatter", "---\n- a\n---\n" + RESOLVED, [("frontmatter", "a list", 2)]),
]


@pytest.mark.parametrize(("text", "wanted"), [case[1:] for case in LINTED], ids=[case[0] for case in LINTED])
def test_lint_says_what_is_wrong_with_the_file_by_itself(text: str, wanted: list[tuple[str, str, int]]) -> None:
    found = de.lint(read(text))
    assert [(one.rule, one.line) for one in found] == [(f"decisions.{rule}", line) for rule, _, line in wanted]
    assert all(part in one.problem for one, (_, part, _) in zip(found, wanted, strict=True))


@pytest.mark.parametrize("status", [*OPEN, "draft"])
def test_a_file_with_something_open_is_not_complete(status: str) -> None:
    text = f"---\nstatus: complete\ndecision_count: 1\n---\n{entry('- **Source:** Q1', f'- **Status:** {status}')}"
    (found,) = failing(de.lint(read(text)))
    assert found.rule == "decisions.complete"
    assert "status: open" in found.repair


def test_repair_writes_labels_in_our_form_and_counts_that_are_right() -> None:
    text = (
        "---\r\n# ours\r\ndecision_count: 7\r\n---\r\n### D1: x\r\n*  **source** :  Q1,Q2\r\n"
        "- **Status:** conflict-resolved\r\n"
    )
    made, found = de.repaired(text, "d.md")
    assert made == (
        "---\r\n# ours\r\ndecision_count: 1\r\nconflicts_resolved: 1\r\n---\r\n### D1: x\r\n*  **Source:**  Q1,Q2\r\n"
        "- **Status:** conflict-resolved\r\n"
    )
    assert [one.rule for one in found] == ["decisions.form", "decisions.count", "decisions.count"]
    assert failing(found) == ()


@given(TEXTS)
def test_repair_is_done_once_changes_no_entry_and_leaves_what_it_cannot_mend(text: str) -> None:
    made, found = de.repaired(text, "d.md")
    assert de.repaired(made, "d.md") == (made, ())
    assert (made == text) == (found == ())
    assert [plain(one) for one in read(made).entries] == [plain(one) for one in read(text).entries]
    assert {one.rule for one in de.lint(read(made))} <= {one.rule for one in failing(de.lint(read(text)))}
