"""`conversation_summary_{task}.md`: the plan, as a person talked it over; everything later leads back to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.artifacts.markdown_blocks import Item, Labelled, Prose, Reader, Remark
from signoff.artifacts.markdown_headings import Section
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
TITLE: Final = "Conversation Summary"


class Made(Form):
    """A decision that was made in the conversation."""

    decision: Prose
    rationale: Prose
    alternatives: Remark = ""


class Resolved(Form):
    """A question that came up, and its answer."""

    question: Prose
    answer: Prose


class Plan(Form):
    """The summary as a value, in the order of its sections."""

    task: Name
    goal: Prose
    decisions: tuple[Made, ...] = ()
    constraints: tuple[Prose, ...] = ()
    resolved: tuple[Resolved, ...] = ()
    open_items: tuple[Prose, ...] = ()
    dependencies: tuple[Prose, ...] = Field((), description="what this connects to or depends on")


def quoted(text: str, quote: str) -> bool:
    """Whether a text has these words; white space makes no difference."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(text.split())


# --- writing ----------------------------------------------------------------------------------------------------------

_OWN, _BELOW, _DEEP = 5, 6, 4
"""The indent of further lines of a decision and of what is below it, and the deepest indent of labels below it."""


def render(plan: Plan) -> str:
    """The summary as people read it."""
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
        markdown_headings.heading(1, f"{TITLE}: {plan.task}"),
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
    """The summary as a value; DocumentError names every section that is missing and every line that says too little."""
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
    """The task, by the name of the file; the title may say it in other words, but not name another task."""
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
    asked: tuple[int, str] | None = None
    for item in reader.section(section):
        below = markdown_blocks.sub_items(item, ("A", "Answer"), _DEEP)
        question, answer = _behind(_QUESTION, below[""], _OWN), _behind(_ANSWER, item, markdown_blocks.HANG)
        nested = next((one for name, one in below.items() if name), None)
        if question is not None and nested is not None:
            _unanswered(asked, reader)
            asked = None
            yield item.line, {"question": question, "answer": markdown_blocks.hung(nested.first, nested.rest, _BELOW)}
        elif question is not None:
            _unanswered(asked, reader)
            asked = item.line, question
        elif answer is not None and asked is not None:
            yield asked[0], {"question": asked[1], "answer": answer}
            asked = None
        else:
            problem = "this item is neither a question nor the answer to the one before it"
            reader.wrong("question", item.line, problem, "write `- Q: …` and below it `- A: …`")
    _unanswered(asked, reader)


def _unanswered(asked: tuple[int, str] | None, reader: Reader) -> None:
    if asked is not None:
        repair = f"write its answer below it as `- A: …`, or move it to “{OPEN}”"
        reader.wrong("question", asked[0], "this question has no answer", repair)
