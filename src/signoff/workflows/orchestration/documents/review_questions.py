"""`architecture_feedback/questions.md`: questions that only a person can settle, answered in the file.

An entry begins with `### Q1: …`, even in code. The answer is everything from its first `Answer:` to the next entry;
nothing in it is read as structure, so a person can write anything there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signoff.artifacts import lines, markdown_blocks, markdown_headings
from signoff.artifacts.lines import Edit, Line
from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Question
from signoff.core.errors import UsageError

_TOP: Final = "# Questions from the Architecture Review"
_HOW: Final = (
    "The reviewers leave these to you. Write behind `Answer:`, in as many lines as you need; "
    "the drafts are revised with what you say."
)
_ENTRY: Final = re.compile(r" {0,3}###[ \t]+(Q[1-9][0-9]{0,5})[ \t]*[:：]", re.IGNORECASE)
_ASKED: Final = re.compile(r" {0,3}(?:\*\*)?Asked by(?:\*\*[ \t]?[:：]|[:：]\*\*|[ \t]?[:：])[ \t]*", re.IGNORECASE)
_ANSWER: Final = re.compile(r" {0,3}(?:\*\*)?Answer(?:\*\*[ \t]?[:：]|[:：]\*\*|[ \t]?[:：])", re.IGNORECASE)
_EITHER: Final = re.compile(f"{_ENTRY.pattern}|{_ANSWER.pattern}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the domain of the reviewer who asked it, and the person's answer, which may be empty."""

    key: str
    domain: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """A question and its end in the text; `span` is the place of its answer, None if the label is missing."""

    said: Answer
    span: tuple[int, int] | None
    end: int


def render(asked: Sequence[tuple[str, str]]) -> str:
    """The document for these questions, given as domain and text; a question's first paragraph is its title."""
    parts = [_TOP, _HOW]
    for number, (domain, question) in enumerate(asked, 1):
        first, _, rest = markdown_blocks.tidy(question).partition("\n\n")
        parts += [markdown_headings.heading(3, f"Q{number}: {markdown_blocks.one_line(first)}"), f"Asked by: {domain}"]
        parts += [markdown_blocks.escaped(_shifted(rest.strip("\n"), _EITHER, 1), 3)] if rest.strip() else []
        parts.append("Answer:")
    return "\n\n".join(parts) + "\n"


def answers(text: str) -> tuple[Answer, ...]:
    """Every question of the document with its answer."""
    return tuple(entry.said for entry in _entries(text))


def unanswered(text: str) -> int:
    """How many questions have no answer."""
    return sum(not one.answer for one in answers(text))


def read(data: bytes, path: str, settings: bytes | None) -> list[Question]:  # noqa: ARG001 - there are no settings
    """The questions as a surface shows them."""
    found = []
    for one in answers(decode(data, path)):
        title, _, text = one.question.partition("\n\n")
        found.append(Question(key=one.key, title=title, text=text, section=one.domain, answer=one.answer))
    return found


def write(data: bytes, path: str, given: Mapping[str, str]) -> str:
    """The document with these answers and every other byte unchanged; an empty answer removes the old one."""
    text = decode(data, path)
    entries = {entry.said.key: entry for entry in _entries(text)}
    edits: list[Edit] = []
    for key, answer in given.items():
        if key not in entries:
            valid = ", ".join(entries) or "it has no questions"
            raise UsageError(f"{path} has no question {key!r}", valid=valid, repair="give the key of a question in it")
        if lines.unified(answer).strip() != entries[key].said.answer:
            edits.append(_edit(entries[key], lines.unified(answer).strip(), lines.newline(text)))
    return lines.spliced(text, edits)


def _edit(entry: _Entry, answer: str, newline: str) -> Edit:
    """Puts an answer behind its label: on the same line, or below if it has several lines."""
    written = _shifted(answer, _ENTRY, 1)
    behind = f"\n\n{written}" if "\n" in written else f" {written}" if written else ""
    if entry.span is None:
        return entry.end, entry.end, f"\n\nAnswer:{behind}".replace("\n", newline)
    return *entry.span, behind.replace("\n", newline)


def _shifted(text: str, mark: re.Pattern[str], change: int) -> str:
    """The text with one backslash more or less before each line that would be read as this mark, even in code."""
    return "\n".join(
        markdown_blocks.slashed(line, change, lambda bare: mark.match(bare) is not None) for line in text.split("\n")
    )


def _entries(text: str) -> Iterator[_Entry]:
    rows = lines.split(text)
    heads = [(at, head) for at, row in enumerate(rows) if (head := _ENTRY.match(row.text))]
    stops = [*(at for at, _ in heads), len(rows)][1:]
    for (at, head), stop in zip(heads, stops, strict=True):
        yield _entry(text, head, rows[at:stop])


def _entry(text: str, head: re.Match[str], rows: Sequence[Line]) -> _Entry:
    labels = ((at, label) for at, row in enumerate(rows) if at and (label := _ANSWER.match(row.text)))
    at, label = next(labels, (len(rows), None))
    end = max(row.start + len(row.text.rstrip()) for row in rows if row.text.strip())
    domain, more = _asked(rows[1:at])
    title = rows[0].text[head.end() : (lines.heading(rows[0].text) or (0, 0, 0))[2]].strip()
    question = "\n\n".join(part for part in (title, more) if part)
    if label is None:
        return _Entry(Answer(head[1].upper(), domain, question, ""), None, end)
    begin = rows[at].start + label.end()
    answer = _shifted(lines.unified(text[begin : max(begin, end)]).strip(), _ENTRY, -1)
    return _Entry(Answer(head[1].upper(), domain, question, answer), (begin, max(end, rows[at].end)), end)


def _asked(rows: Sequence[Line]) -> tuple[str, str]:
    """The domain that asked, if the first line names it, and the rest of the question."""
    texts = [row.text for row in rows]
    first = next((at for at, line in enumerate(texts) if line.strip()), len(texts))
    who = _ASKED.match(texts[first]) if first < len(texts) else None
    rest = "\n".join(texts[first + 1 if who else first :]).strip("\n")
    return (texts[first][who.end() :].strip() if who else ""), _shifted(markdown_blocks.unescaped(rest, 3), _EITHER, -1)
