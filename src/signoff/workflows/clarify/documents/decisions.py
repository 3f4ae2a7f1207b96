"""decisions.md: what was decided, on which answers, and what is still open.

An entry is a heading `### D1: Title` with `- **Field:** value` lines below it; a value may go on in indented lines and
is read as one line. Everything else in the file belongs to the person who wrote it and survives every edit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.artifacts import lines, yamlio
from signoff.artifacts.lines import Edit
from signoff.artifacts.text_decoding import decode
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents.decision_layout import (
    FIELDS,
    Block,
    Field,
    cut,
    folded,
    heading,
    label,
    layout,
)
from signoff.workflows.clarify.documents.front_matter import with_front

__all__ = [
    "FIELDS",
    "OPEN",
    "STATUSES",
    "Decision",
    "Decisions",
    "block",
    "cut",
    "folded",
    "lint",
    "parse",
    "parse_doc",
    "render",
    "repaired",
    "spliced",
    "with_front",
]

STATUSES: Final = ("draft", "critical-gap", "contradiction", "resolved", "conflict-resolved", "needs-review")
OPEN: Final = ("critical-gap", "contradiction")
_PLAIN: Final = tuple(name for name in FIELDS if name not in ("Source", "Answer"))
"""Fields that are one text each, by the attribute of the same name."""
_UNSAFE: Final = re.compile(r"[()*]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision. `answers` are by source, `settled` is what the person said to a contradiction or critical gap."""

    id: str
    title: str
    sources: tuple[str, ...]
    section: str
    answers: Mapping[str, str]
    status: str
    settled: str = ""
    decision: str = ""
    reasoning: str = ""
    implication: str = ""
    contradiction: str = ""
    change: str = ""
    note: str = ""
    line: int = 0
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """A decisions file; `problems` are what makes it ambiguous."""

    text: str
    file: str
    front: Mapping[str, Any] = field(default_factory=dict)
    entries: tuple[Decision, ...] = ()
    problems: tuple[Finding, ...] = ()

    def entry(self, entry_id: str) -> Decision | None:
        """The entry with this id; the first, should there be two."""
        return next((one for one in self.entries if one.id == entry_id), None)

    def render(self) -> str:
        """The text as it was read."""
        return self.text


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_doc(data: bytes, path: str) -> Decisions:
    """The file as a value; DocumentError when it is not text."""
    return parse(decode(data, path), path)


def parse(text: str, file: str = "decisions.md") -> Decisions:
    """Reads any text; what is wrong with it is in `problems`."""
    found = layout(text, file)
    entries = tuple(map(_entry, found.blocks))
    problems = (*found.problems, *_problems(found.blocks, entries, file))
    ordered = tuple(sorted(problems, key=lambda one: one.line or 0))
    return Decisions(text=text, file=file, front=found.front, entries=entries, problems=ordered)


def _entry(found: Block) -> Decision:
    sources = _ids(found.value("Source"))
    return Decision(
        id=found.id,
        title=found.title,
        sources=sources,
        answers={_answers(one, sources): one.value for one in reversed(found.fields) if one.name == "Answer"},
        line=found.line,
        span=found.span,
        **{name.lower(): found.value(name) for name in _PLAIN},
    )


def _ids(value: str) -> tuple[str, ...]:
    parts = (part.strip() for part in value.replace("，", ",").replace("、", ",").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def _answers(found: Field, sources: Sequence[str]) -> str:
    """Which source an answer is of: the one it names, or the first."""
    return found.of or next(iter(sources), "")


def _problems(blocks: Sequence[Block], entries: Sequence[Decision], file: str) -> Iterator[Finding]:
    times = Counter(entry.id for entry in entries)
    seen = dict[str, int]()
    for found, entry in zip(blocks, entries, strict=True):
        if times[entry.id] > 1 and entry.id in seen:
            problem = f"{entry.id} is there {times[entry.id]} times; the first is in line {seen[entry.id]}"
            repair = f"keep one of them, or give this one the next free id: D{next(ids.unused(times))}"
            yield _wrong("duplicate", entry, problem, repair, file)
        seen.setdefault(entry.id, entry.line)
        yield from _entry_problems(found, entry, file)


def _entry_problems(found: Block, entry: Decision, file: str) -> Iterator[Finding]:
    if not entry.title:
        yield _wrong("title", entry, f"{entry.id} has no title", f"write `### {entry.id}: Title`", file)
    if not entry.sources:
        problem = f"{entry.id} does not say which answers it comes from"
        yield _wrong("source", entry, problem, "add `- **Source:** Q1`, with all ids it rests on", file)
    if not entry.status:
        problem = f"{entry.id} has no status"
        yield _wrong("status", entry, problem, f"add `- **Status:** …` with one of {', '.join(STATUSES)}", file)
    elif entry.status not in STATUSES:
        problem = f"{entry.id} has the status {entry.status!r}"
        yield _wrong("status", entry, problem, f"use one of {', '.join(STATUSES)}", file)
    seen = set[tuple[str, str]]()
    for one in found.fields:
        key = _key(one, entry.sources)
        if key in seen:
            problem = f"{entry.id} has {one.label} twice, and only the first is read"
            yield replace(_wrong("field", entry, problem, "make it one line", file), line=one.line)
        seen.add(key)


def _key(found: Field, sources: Sequence[str]) -> tuple[str, str]:
    """Two fields of an entry with one key contradict each other."""
    return (found.name, _answers(found, sources) if found.name == "Answer" else "")


def _wrong(rule: str, entry: Decision, problem: str, repair: str, file: str) -> Finding:
    return Finding(
        rule=f"decisions.{rule}", problem=problem, repair=repair, file=file, line=entry.line or None, about=entry.id
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def _fields(entry: Decision) -> dict[tuple[str, str], tuple[str, str]]:
    """The fields of an entry by key, in our order: what stands in `(…)` behind the name, and the value on one line."""
    values = {(name, ""): ("", folded(str(getattr(entry, name.lower())))) for name in _PLAIN}
    values["Source", ""] = ("", ", ".join(map(folded, entry.sources)))
    alone = len(entry.sources) < 2
    for source, answer in entry.answers.items():
        plain = alone and source == next(iter(entry.sources), "")
        values["Answer", source] = ("" if plain else folded(_UNSAFE.sub(" ", source)), folded(answer))
    ordered = sorted(values, key=lambda key: FIELDS.index(key[0]))
    return {key: values[key] for key in ordered if values[key][1]}


def _line(name: str, of: str, value: str, lead: str = "- ") -> str:
    return f"{lead}{label(name, of)} {value}"


def block(entry: Decision) -> str:
    """One entry in our form; a field without a value is left out."""
    fields = [_line(name, of, value) for (name, _), (of, value) in _fields(entry).items()]
    return "\n".join([heading(entry.id, entry.title), *fields]) + "\n"


def render(entries: Sequence[Decision], front: Mapping[str, Any]) -> str:
    """A whole new file."""
    head = f"---\n{yamlio.dump(dict(front))}---\n\n" if front else ""
    return head + "\n".join(["# Decisions\n", *map(block, entries)])


def spliced(doc: Decisions, entries: Sequence[Decision]) -> str:
    """The file with these entries put in place of theirs and new ones added at its end.

    Within an entry only the lines of the fields that differ are touched, so that what a person noted between and below
    them stays.
    """
    found = {one.id: one for one in reversed(layout(doc.text, doc.file).blocks)}
    newline = lines.newline(doc.text)
    given = {entry.id: entry for entry in entries}
    edits = [edit for name, entry in given.items() if name in found for edit in _edits(doc.text, found[name], entry)]
    text = lines.spliced(doc.text, [(start, end, new.replace("\n", newline)) for start, end, new in edits])
    added = "\n".join(block(entry) for name, entry in given.items() if name not in found)
    if not added:
        return text
    end = lines.unified(text).strip("\ufeff")[-2:]
    gap = "" if end in ("", "\n\n") else "\n" if end.endswith("\n") else "\n\n"
    return text + (gap + added).replace("\n", newline)


def _edits(text: str, found: Block, entry: Decision) -> list[Edit]:
    """The edits that touch least and are read as meant; none of them drops a line that is not a field."""
    if _same(_entry(found), entry):
        return []
    last = max([found.head[1], *(one.span[1] for one in found.fields)])
    ways = (
        _field_edits(text, found, entry),
        _field_edits(text, found, entry, new_at=last),
        _anew(text, found, entry, ""),
        _anew(text, found, entry, "\n\n#### Notes"),  # so that no line below is taken for more of the last field
    )
    return next((edits for edits in ways if _makes(text, found, edits, entry)), ways[-1])


def _makes(text: str, found: Block, edits: Sequence[Edit], entry: Decision) -> bool:
    start, end = found.span
    moved = [(at - start, to - start, new) for at, to, new in edits]
    made = layout(lines.spliced(text[start:end], moved), "").blocks
    return len(made) == 1 and _same(_entry(made[0]), entry)


def _same(one: Decision, other: Decision) -> bool:
    return one.id == other.id and folded(one.title) == folded(other.title) and _fields(one) == _fields(other)


def _there(found: Block) -> dict[tuple[str, str], Field]:
    """The fields that are read; of two with one key the first."""
    sources = _ids(found.value("Source"))
    return {_key(one, sources): one for one in reversed(found.fields)}


def _field_edits(text: str, found: Block, entry: Decision, new_at: int | None = None) -> list[Edit]:
    """Changed values in their places, new fields below the ones they follow, or at `new_at`, emptied ones taken out."""
    wanted, there = _fields(entry), _there(found)
    lead = found.fields[0].lead if found.fields else "- "
    edits: list[Edit] = []
    if folded(entry.title) != found.title:
        edits.append((*found.head, heading(entry.id, entry.title)))
    at = found.head[1]
    for key, (of, value) in wanted.items():
        old = there.get(key)
        if old is None:
            place = at if new_at is None else new_at
            edits.append((place, place, "\n" + _line(key[0], of, value, lead)))
            continue
        at = old.span[1]
        if (old.of, old.value) != (of, value):
            edits.append((*old.span, _line(key[0], of, value, old.lead)))
    return edits + [_without(text, one) for one in _emptied(found, entry)]


def _emptied(found: Block, entry: Decision) -> list[Field]:
    """The fields that the entry has no more, also when they were there twice."""
    wanted, sources = _fields(entry), _ids(found.value("Source"))
    return [one for one in found.fields if _key(one, sources) not in wanted]


def _anew(text: str, found: Block, entry: Decision, end: str) -> list[Edit]:
    """All fields in our form below the heading, and then whatever else stands there."""
    old = {one.span: one for one in (*_there(found).values(), *_emptied(found, entry))}
    return [(*found.head, block(entry).removesuffix("\n") + end), *(_without(text, one) for one in old.values())]


def _without(text: str, old: Field) -> Edit:
    start, end = old.span
    rest = text[end : end + 2]
    return (start, end + (2 if rest == "\r\n" else 1 if rest[:1] in ("\r", "\n") else 0), "")


# --- lint -------------------------------------------------------------------------------------------------------------


def lint(doc: Decisions) -> tuple[Finding, ...]:
    """Everything that is wrong with the file by itself; what `repaired` can repair is a warning."""
    found = [*doc.problems, *_older(doc), *_miscounted(doc)]
    still = [entry.id for entry in doc.entries if entry.status in (*OPEN, "draft")]
    if doc.front.get("status") == "complete" and still:
        problem = f"the frontmatter says `status: complete`, and {', '.join(still)} is not settled"
        repair = "answer what is open in the clarifications and confirm again, or write `status: open`"
        found.append(Finding(rule="decisions.complete", problem=problem, repair=repair, file=doc.file, line=1))
    return tuple(sorted(found, key=lambda one: one.line or 0))


def _older(doc: Decisions) -> Iterator[Finding]:
    for found in layout(doc.text, doc.file).blocks:
        for one in found.fields:
            if one.older:
                problem = f"{found.id} has the label {one.written!r} in an older form"
                yield _mended("form", problem, f"write {one.label!r}", doc.file, one.line, found.id)


def counts(entries: Sequence[Decision]) -> dict[str, int]:
    """The counts of the frontmatter, as they are."""
    solved = sum(entry.status == "conflict-resolved" for entry in entries)
    return {"decision_count": len(entries), "conflicts_resolved": solved}


def _wrong_counts(doc: Decisions) -> dict[str, int]:
    """The counts that the frontmatter has otherwise, or lacks; a draft need not say that no conflict was resolved."""
    if any(one.rule == "decisions.frontmatter" for one in doc.problems) or not (doc.entries or doc.front):
        return {}
    said = {"conflicts_resolved": 0, **doc.front}
    return {name: count for name, count in counts(doc.entries).items() if said.get(name) != count}


def _miscounted(doc: Decisions) -> Iterator[Finding]:
    for name, count in _wrong_counts(doc).items():
        said = f"is {doc.front[name]!r}" if name in doc.front else "is missing"
        problem = f"{name} {said} in the frontmatter, and the entries make it {count}"
        yield _mended("count", problem, f"write `{name}: {count}`", doc.file, 1)


def _mended(rule: str, problem: str, repair: str, file: str, line: int, about: str = "") -> Finding:
    return Finding(
        rule=f"decisions.{rule}", problem=problem, repair=repair, file=file, line=line, about=about, severity="warning"
    )


def repaired(text: str, file: str) -> tuple[str, tuple[Finding, ...]]:
    """The text with labels in our form and right counts, and what was repaired."""
    doc = parse(text, file)
    blocks = layout(text, file).blocks
    labels = [(*one.label_span, one.label) for found in blocks for one in found.fields if one.older]
    fixed = lines.spliced(text, labels)
    wrong = _wrong_counts(doc)
    return (with_front(fixed, wrong) if wrong else fixed), (*_older(doc), *_miscounted(doc))
