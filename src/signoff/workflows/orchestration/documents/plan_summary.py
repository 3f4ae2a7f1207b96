"""`conversation_summary_{task}.md`: the plan that came of a conversation; every later document refers to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.artifacts.markdown_blocks import Item, Labelled, Prose, Reader, Remark
from signoff.artifacts.markdown_headings import Section
from signoff.artifacts.markdown_parsing import squeeze
from signoff.artifacts.text_decoding import decode
from signoff.artifacts.yaml_forms import Form
from signoff.workflows.orchestration.ids import TASK, Name

GOAL: Final = "What We're Trying to Accomplish"
DECISIONS: Final = "Key Decisions Made"
CONSTRAINTS: Final = "Constraints & Assumptions"
RESOLVED: Final = "Questions Resolved"
OPEN: Final = "Open Items"
DEPENDENCIES: Final = "Dependencies & Integration Points"
SECTIONS: Final = (GOAL, DECISIONS, CONSTRAINTS, RESOLVED, OPEN, DEPENDENCIES)


class Made(Form):
    """A decision of the conversation."""

    decision: Prose
    rationale: Prose
    alternatives: Remark = ""


class Resolved(Form):
    """A question that came up, and its answer."""

    question: Prose
    answer: Prose


class Plan(Form):
    """The summary, in the order of its sections."""

    task: Name
    goal: Prose
    decisions: tuple[Made, ...] = ()
    constraints: tuple[Prose, ...] = ()
    resolved: tuple[Resolved, ...] = ()
    open_items: tuple[Prose, ...] = ()
    dependencies: tuple[Prose, ...] = Field((), description="what this connects to or depends on")


def quoted(text: str, quote: str) -> bool:
    """Whether a text has these words; white space makes no difference."""
    words = squeeze(quote)
    return bool(words) and words in squeeze(text)


# --- writing ----------------------------------------------------------------------------------------------------------

_OWN, _BELOW, _DEEP = 5, 6, 4
"""The indents of a decision's further lines and of the items below it, and the deepest indent of labels below it."""


def render(plan: Plan) -> str:
    """The summary as Markdown."""
    decisions, resolved = list[str](), list[str]()
    for made in plan.decisions:
        decisions.append(markdown_blocks.bullet(f"Decision: {made.decision}", hang=_OWN))
        decisions.append("  " + markdown_blocks.bullet(f"Rationale: {made.rationale}", hang=_BELOW))
        if made.alternatives:
            said = markdown_blocks.bullet(f"Alternatives considered: {made.alternatives}", hang=_BELOW)
            decisions.append(f"  {said}")
    for one in plan.resolved:
        resolved.append(markdown_blocks.bullet(f"Q: {one.question}", hang=_OWN))
        resolved.append(markdown_blocks.bullet(f"A: {one.answer}"))
    return markdown_blocks.document(
        markdown_headings.heading(1, f"Conversation Summary: {plan.task}"),
        [
            (GOAL, markdown_blocks.escaped(plan.goal, 2)),
            (DECISIONS, "\n".join(decisions) or markdown_blocks.NONE),
            (CONSTRAINTS, markdown_blocks.bullets(plan.constraints)),
            (RESOLVED, "\n".join(resolved) or markdown_blocks.NONE),
            (OPEN, markdown_blocks.bullets(plan.open_items)),
            (DEPENDENCIES, markdown_blocks.bullets(plan.dependencies)),
        ],
    )


# --- reading ----------------------------------------------------------------------------------------------------------

_FILE: Final = re.compile(r"(?:.*/)?conversation_summary_(.+)\.md")
_QUESTION: Final = markdown_blocks.item_label(("Q", "Question"))
_ANSWER: Final = markdown_blocks.item_label(("A", "Answer"))
_DECISION: Final = markdown_blocks.item_label(("Decision",))
_ALTERNATIVES: Final = ("Alternatives considered", "Alternatives")


def parse(data: bytes, path: str) -> Plan:
    """The summary as a value; DocumentError names every missing section and every incomplete item."""
    found = markdown_headings.split(decode(data, path))
    by_title = markdown_headings.required(found, SECTIONS, path, rule="plan")
    reader = Reader(path, "plan")
    values: dict[str, Any] = {"task": _task(found, reader), "goal": markdown_blocks.unescaped(by_title[GOAL].whole, 2)}
    lines: dict[tuple[str | int, ...], int] = {("task",): 1, ("goal",): by_title[GOAL].line}
    values |= reader.lists(
        lines,
        decisions=_decisions(by_title[DECISIONS], reader),
        resolved=_questions(by_title[RESOLVED], reader),
        constraints=reader.texts(by_title[CONSTRAINTS]),
        open_items=reader.texts(by_title[OPEN]),
        dependencies=reader.texts(by_title[DEPENDENCIES]),
    )
    return reader.built(Plan, values, lines)


def _task(found: tuple[Section, ...], reader: Reader) -> str:
    """The task in the name of the file; the title may word it differently, but must not name another task."""
    head = next((one for one in found if one.level == 1), None)
    words = head.title.partition(":")[2].strip() if head else ""
    named = _FILE.fullmatch(reader.file)
    if head and named and TASK.fullmatch(words) and words != named[1]:
        problem = f"the title names the task `{words}`, the file `{named[1]}`"
        reader.wrong("task", head.line, problem, "give the file the name of its own task, or correct the title")
    return named[1] if named else re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _decisions(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    for item in reader.section(section):
        below = markdown_blocks.sub_items(item, ("Rationale", *_ALTERNATIVES), _DEEP)
        own = _behind(_DECISION, below[""], _OWN)
        value = {"decision": own if own is not None else markdown_blocks.hung(item.first, below[""].rest, _OWN)}
        for name, labels in (("rationale", ("rationale",)), ("alternatives", _ALTERNATIVES)):
            said = [
                markdown_blocks.hung(one.first, one.rest, _BELOW)
                for label in labels
                if (one := below.get(label.lower()))
            ]
            if said:
                value[name] = "\n\n".join(said)
        yield item.line, value


def _behind(label: re.Pattern[str], text: Labelled | Item, hang: int) -> str | None:
    """The text behind a label at the beginning of an item."""
    found = label.match(text.first)
    return markdown_blocks.hung(text.first[found.end() :], text.rest, hang) if found else None


def _questions(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    """Each question with its answer, which stands below it or is the next item."""
    found: list[tuple[int, str, str | None]] = []
    for item in reader.section(section):
        below = markdown_blocks.sub_items(item, ("A", "Answer"), _DEEP)
        question, answer = _behind(_QUESTION, below[""], _OWN), _behind(_ANSWER, item, markdown_blocks.HANG)
        if question is not None:
            nested = next((one for name, one in below.items() if name), None)
            found.append(
                (item.line, question, markdown_blocks.hung(nested.first, nested.rest, _BELOW) if nested else None)
            )
        elif answer is not None and found and found[-1][2] is None:
            found[-1] = (*found[-1][:2], answer)
        else:
            problem = "this item is neither a question nor the answer to the one before it"
            reader.wrong("question", item.line, problem, "write `- Q: …` and below it `- A: …`")
    for line, question, answer in found:
        if answer is not None:
            yield line, {"question": question, "answer": answer}
        else:
            repair = f"write its answer below it as `- A: …`, or move it to “{OPEN}”"
            reader.wrong("question", line, "this question has no answer", repair)
