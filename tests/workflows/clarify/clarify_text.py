"""Clarifications that nobody has seen before: well-formed files, torn ones, and answers that try to break them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents.clarifications import Clarifications, Draft, Item, parse


def canonical(sections: Sequence[tuple[str, Sequence[tuple[str, Draft]]]], front: Mapping[str, Any]) -> str:
    """A whole new file: the counts are computed, other fields are as given; refinements follow their question."""
    blocks = [cl.TITLE]
    for title, pairs in sections:
        blocks.append(cl._head("##", title))
        under = ""
        for key, draft in pairs:
            if key.startswith("Q"):
                blocks.append(cl._block("###", key, draft, "\n", other=True))
                continue
            if under != ids.root(key):
                blocks.append("#### Refinements")
                under = ids.root(key)
            blocks.append(cl._block("#####", key, draft, "\n", other=True))
    text = "\n\n".join(blocks) + "\n"
    found = cl.counts(cl.parse(text))
    fields = {**found, "duplicates_removed": 0, **front}
    order = ("question_count", "sections", "duplicates_removed", "refinement_count")
    return cl.with_front(text, {name: fields[name] for name in (*order, *(key for key in fields if key not in order))})


FILE = """---
question_count: 2
sections: 1
duplicates_removed: 3
refinement_count: 2
status: pending   # a person's remark
---
# Research Clarifications

## Core Concepts
### Q1: MRR Definition by Service Type [MUST ANSWER]
How is MRR calculated across your three service categories?

A. Managed Services MRR = recurring monthly fee.
B. MRR applies only to Managed Services.
   All other deals are tracked as TCV.
C. Other (please specify)

_Consolidated from: Metrics Q1, Segmentation Q2, Business Rules Q5_

**Recommendation:** A — Use the recurring fee.

**Answer:** Managed services is already MRR,

and projects below a year are spread.

#### Refinements

##### R1.1: Why Ten Months
It matters for the formula.

A. Fixed
B. Varies
C. Other (please specify)

**Recommendation:** A — simple.

**Answer:** A

##### R1.1a: Which Fixed Number
**Answer:**

### Q2: Second
**Answer:**
"""

LINES = [
    "",
    "",
    "   ",
    "---",
    "question_count: 3",
    "# Research Clarifications",
    "# Something else",
    "## Metrics",
    "## Needs Clarification",
    "### Q1: First [MUST ANSWER]",
    "### Q2: Second ##",
    "### Q2：第二个问题",
    " ### Q3:",
    "### Q01: Wrong",
    "### Q4 results",
    "### Required",
    "### Optional",
    "### Contradiction: Two say different things",
    "### Critical Gap： Nobody said",
    "### Something of its own",
    "#### Refinements",
    "#### A heading of the text",
    "##### R1.1: Below the first",
    "##### R1.1a: Deeper",
    "##### R2.1: Below the second",
    "##### R1",
    "##### Notes",
    "**R1.2:** Bold",
    "**R1.3: Bold**",
    "**R2.2**： 粗体 #",
    "A. First choice",
    "B. Second choice",
    "   goes on",
    "C. Other (please specify)",
    "- [ ] a) Open box",
    "- [x] b) Ticked box",
    "- [X] a) Ticked first",
    "- a) Bullet",
    "* b) Bullet",
    "A) Bracketed",
    "B) Bracketed",
    "(A) In brackets",
    "（B）括号",
    "A、甲",
    "B、乙",
    "A、B两类",
    "A\\) escaped",
    "_Consolidated from: Metrics Q1, Rules Q2_",
    "_Consolidated from：甲, 乙_",
    "**Recommendation:** A — because",
    "**Recommendation**: B",
    "**Recommendation：**甲",
    "**Answer:**",
    "**Answer:** A person's words",
    "**Answer**: B",
    "**Answer：**",
    "**Answer**：乙方的话",
    "**Question:**",
    "**Question:** What is it?",
    "**Question**: **Question:** twice",
    "**Question:** ---",
    "**Question:** \\## x",
    "**Choices**:",
    "**Choices:** pick one",
    "```",
    "```python",
    "   ```",
    "~~~~",
    "\\## Escaped",
    "A\\. escaped",
    "Words of a person.",
    "另一段文字。",
    "trailing spaces   ",
    "a\u2028b",
]
ENDS = ["\n", "\r\n", "\r"]


@st.composite
def torn(draw: st.DrawFn) -> str:
    """Lines of a clarifications file in no order, with any line end, with or without a byte order mark."""
    lines = draw(st.lists(st.sampled_from(LINES), max_size=40))
    end = draw(st.sampled_from(ENDS))
    last = draw(st.sampled_from(["", end]))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + last


def anything() -> st.SearchStrategy[str]:
    """Any text at all, most of it with something of a clarifications file in it."""
    return st.one_of(
        torn(), st.text(max_size=60), st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12))).map("\n".join)
    )


@st.composite
def asking(draw: st.DrawFn) -> str:
    """As `anything`, with at least one line that asks something."""
    end = draw(st.sampled_from(ENDS))
    ask = draw(st.sampled_from(["### Q1: First [MUST ANSWER]", "### Q7：七", "### Contradiction: Two sides"]))
    return end.join([draw(torn()), ask, draw(anything())])


def said(most: int = 6) -> st.SearchStrategy[str]:
    """What a person may write: words, or lines that look like anything but words."""
    line = st.one_of(
        st.sampled_from(LINES),
        st.text(max_size=12),
        st.tuples(
            st.sampled_from(["", " ", "   ", "    ", "\t"]),
            st.sampled_from(["\\", "\\\\", "```", "~~~~~"]),
            st.sampled_from(LINES),
        ).map("".join),
    )
    return st.lists(line, max_size=most).flatmap(lambda lines: st.sampled_from(ENDS).map(lambda end: end.join(lines)))


LABELS = ["**Answer**:", "**answer:**", "_Answer:_", "Answer:", "答案：", "**回答：**", "Recommendation:", "**建议：**"]


@st.composite
def loosely(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """The same texts with labels as people type them, and with such labels in place of words."""
    text = draw(texts)
    for found in ("**Answer**:", "**Answer:**", "**Recommendation**:", "Words of a person.", "另一段文字。"):
        text = text.replace(found, draw(st.sampled_from([found, *LABELS])))
    return text


WORDS = st.text("abc xyz 甲乙[]#*_`", min_size=1, max_size=14).filter(lambda text: text.strip() != "")


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """An item with two to four choices and a recommendation."""
    return Draft(
        title=draw(WORDS),
        body=draw(said(3)),
        choices=tuple(draw(st.lists(WORDS, min_size=2, max_size=4))),
        origins=tuple(draw(st.lists(st.sampled_from(["Metrics Q1", "Rules Q2", "合规 Q3"]), max_size=3))),
        recommendation=draw(said(3).filter(lambda text: text.strip() != "")),
        answer=draw(said(3)),
        must=draw(st.booleans()),
    )


@st.composite
def files(draw: st.DrawFn) -> str:
    """A canonical file of some sections, with refinements, in any line end."""
    sections, number = [], 0
    for section in range(draw(st.integers(1, 2))):
        pairs = []
        for _ in range(draw(st.integers(1, 2))):
            number += 1
            pairs.append((f"Q{number}", draw(drafts())))
            below = draw(st.integers(0, 2))
            pairs += [(f"R{number}.{step}", draw(drafts())) for step in range(1, below + 1)]
            if below and draw(st.booleans()):
                pairs.append((f"R{number}.{below}a", draw(drafts())))
        sections.append((f"Section {section}", pairs))
    text = canonical(sections, draw(st.sampled_from([{}, {"status": "pending"}])))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    shorn = text.rstrip("\n") if draw(st.booleans()) else text
    return draw(st.sampled_from(["", "\ufeff"])) + shorn.replace("\n", end)


def values(item: Item) -> dict[str, Any]:
    """What an item says, wherever it stands."""
    names = ("kind", "key", "title", "must", "section", "body", "origins", "recommendation", "answer")
    return {name: getattr(item, name) for name in names} | {"choices": [(one.letter, one.text) for one in item.choices]}


def said_by(doc: Clarifications | str) -> list[dict[str, Any]]:
    """What all items of a file say."""
    doc = parse(doc) if isinstance(doc, str) else doc
    return [values(item) for item in doc.items]


def normal(text: str) -> str:
    """An answer as it reads back: LF at line ends, nothing around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
