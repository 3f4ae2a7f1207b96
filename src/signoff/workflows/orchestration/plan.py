"""`conversation_summary_{task}.md`: what a person wants, as it was talked over; everything later leads back to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from signoff.artifacts.forms import Form
from signoff.artifacts.textio import decode
from signoff.workflows.orchestration import prose, sections
from signoff.workflows.orchestration.ids import TASK, Name
from signoff.workflows.orchestration.prose import Item, Labelled, Prose, Reader, Remark
from signoff.workflows.orchestration.sections import Section

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
    """Whether these words stand in the text, exactly but for white space."""
    words = " ".join(quote.split())
    return bool(words) and words in " ".join(text.split())


# --- writing ----------------------------------------------------------------------------------------------------------

_OWN, _BELOW, _DEEP = 5, 6, 4
"""Further lines of a decision and of what is below it are indented so far; labels below it at most by the last."""


def render(plan: Plan) -> str:
    """The summary as people read it."""
    return prose.document(
        sections.heading(1, f"{TITLE}: {plan.task}"),
        [
            (GOAL, prose.escaped(plan.goal, 2)),
            (DECISIONS, "\n".join(map(_made, plan.decisions)) or prose.NONE),
            (CONSTRAINTS, prose.bullets(plan.constraints)),
            (RESOLVED, "\n".join(map(_resolved, plan.resolved)) or prose.NONE),
            (OPEN, prose.bullets(plan.open_items)),
            (DEPENDENCIES, prose.bullets(plan.dependencies)),
        ],
    )


def _made(made: Made) -> str:
    lines = [prose.bullet(f"Decision: {made.decision}", hang=_OWN)]
    lines.append("  " + prose.bullet(f"Rationale: {made.rationale}", hang=_BELOW))
    if made.alternatives:
        lines.append("  " + prose.bullet(f"Alternatives considered: {made.alternatives}", hang=_BELOW))
    return "\n".join(lines)


def _resolved(resolved: Resolved) -> str:
    return "\n".join([prose.bullet(f"Q: {resolved.question}", hang=_OWN), prose.bullet(f"A: {resolved.answer}")])


# --- reading ----------------------------------------------------------------------------------------------------------

_FILE: Final = re.compile(r"(?:.*/)?conversation_summary_(.+)\.md")
_QUESTION: Final = prose.item_label(("Q", "Question"))
_ANSWER: Final = prose.item_label(("A", "Answer"))
_DECISION: Final = prose.item_label(("Decision",))
_ALTERNATIVES: Final = ("Alternatives considered", "Alternatives")


def parse(data: bytes, path: str) -> Plan:
    """The summary as a value; DocumentError names every section that is missing and every line that says too little."""
    found = sections.split(decode(data, path))
    by_title = sections.required(found, SECTIONS, path, rule="plan")
    reader = Reader(path, "plan")
    values: dict[str, Any] = {"task": _task(found, reader), "goal": prose.unescaped(by_title[GOAL].whole, 2)}
    lines: dict[tuple[str | int, ...], int] = {("task",): 1, ("goal",): by_title[GOAL].line}
    for name, pairs in (
        ("decisions", _decisions(by_title[DECISIONS], reader)),
        ("resolved", _questions(by_title[RESOLVED], reader)),
        ("constraints", _texts(by_title[CONSTRAINTS], reader)),
        ("open_items", _texts(by_title[OPEN], reader)),
        ("dependencies", _texts(by_title[DEPENDENCIES], reader)),
    ):
        read = list(pairs)
        values[name] = [value for _, value in read]
        lines |= {(name, at): line for at, (line, _) in enumerate(read)}
    return reader.built(Plan, values, lines)


def _task(found: tuple[Section, ...], reader: Reader) -> str:
    """The task, by the name of the file; the title may say it in other words, but not be another task's."""
    head = next((one for one in found if one.level == 1), None)
    words = head.title.partition(":")[2].strip() if head else ""
    named = _FILE.fullmatch(reader.file)
    if head and named and TASK.fullmatch(words) and words != named[1]:
        reader.wrong(
            "task",
            head.line,
            f"the title names the task `{words}`, the file `{named[1]}`",
            "give the file the name of its own task, or correct the title",
        )
    if named:
        return named[1]
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _texts(section: Section, reader: Reader) -> Iterator[tuple[int, str]]:
    return ((item.line, item.text) for item in reader.items(section.whole, section.line + 1))


def _decisions(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    for item in reader.items(section.whole, section.line + 1):
        below = prose.sub_items(item, ("Rationale", *_ALTERNATIVES), _DEEP)
        own = _behind(_DECISION, below[""], _OWN)
        value = {"decision": own if own is not None else prose.hung(item.first, below[""].rest, _OWN)}
        for name, labels in (("rationale", ("rationale",)), ("alternatives", _ALTERNATIVES)):
            said = [prose.hung(one.first, one.rest, _BELOW) for label in labels if (one := below.get(label.lower()))]
            if said:
                value[name] = "\n\n".join(said)
        yield item.line, value


def _behind(label: re.Pattern[str], text: Labelled | Item, hang: int) -> str | None:
    """What stands behind a label at the begin of an item."""
    found = label.match(text.first)
    return prose.hung(text.first[found.end() :], text.rest, hang) if found else None


def _questions(section: Section, reader: Reader) -> Iterator[tuple[int, dict[str, str]]]:
    asked: tuple[int, str] | None = None
    for item in reader.items(section.whole, section.line + 1):
        below = prose.sub_items(item, ("A", "Answer"), _DEEP)
        question, answer = _behind(_QUESTION, below[""], _OWN), _behind(_ANSWER, item, prose.HANG)
        nested = next((one for name, one in below.items() if name), None)
        if question is not None and nested is not None:
            _unanswered(asked, reader)
            asked = None
            yield item.line, {"question": question, "answer": prose.hung(nested.first, nested.rest, _BELOW)}
        elif question is not None:
            _unanswered(asked, reader)
            asked = item.line, question
        elif answer is not None and asked is not None:
            yield asked[0], {"question": asked[1], "answer": answer}
            asked = None
        else:
            reader.wrong(
                "question",
                item.line,
                "this item is neither a question nor the answer to the one before it",
                "write `- Q: …` and below it `- A: …`",
            )
    _unanswered(asked, reader)


def _unanswered(asked: tuple[int, str] | None, reader: Reader) -> None:
    if asked is not None:
        reader.wrong(
            "question",
            asked[0],
            "this question has no answer",
            f"write its answer below it as `- A: …`, or move it to “{OPEN}”",
        )
