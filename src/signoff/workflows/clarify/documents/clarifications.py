"""Clarifications: the canonical format, read and written without losing a byte of what a person wrote."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Final, Literal

from signoff.artifacts import text_decoding
from signoff.artifacts.lines import Edit, closed_fences, heading, line_end, spliced, unified
from signoff.core.errors import UsageError
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents.front_matter import with_front
from signoff.workflows.clarify.documents.item_parsing import Choice
from signoff.workflows.clarify.documents.line_marks import Place, escaped
from signoff.workflows.clarify.documents.parsing import NEEDS, Clarifications, Item, Kind, Section, parse, untagged

__all__ = [
    "NEEDS",
    "OTHER",
    "TITLE",
    "Choice",
    "Clarifications",
    "Draft",
    "Item",
    "Kind",
    "Section",
    "counts",
    "next_ids",
    "parse",
    "parse_doc",
    "with_answers",
    "with_entries",
    "with_front",
    "with_refinements",
]

TITLE: Final = "# Research Clarifications"
OTHER: Final = "Other (please specify)"
_LISTED: Final = re.compile(r"[#>|]|[-*+][ \t]|\d+[.)][ \t]")


def parse_doc(data: bytes, path: str) -> Clarifications:
    """What the bytes of a file say; a DocumentError when they are not text."""
    return parse(text_decoding.decode(data, path), path)


# --- answers -----------------------------------------------------------------------------------------------------


def _said(place: Place, text: str, newline: str) -> str:
    """A label and what it says, so that no line of it is read as anything else."""
    return f"**{place.capitalize()}:**{_behind(place, text, newline)}"


def _behind(place: Place, text: str, newline: str) -> str:
    """What stands behind a label: on the same line, or below it if Markdown needs the beginning of a line."""
    lines = unified(text).strip().split("\n")
    if lines == [""]:
        return ""
    if len(lines) > 1 and (closed_fences(lines)[0] or _LISTED.match(lines[0])):
        return newline + newline.join(escaped(lines, place))
    return " " + newline.join([lines[0], *escaped(["", *lines[1:]], place)[1:]])


def with_answers(doc: Clarifications, answers: Mapping[str, str]) -> str:
    """The text with exactly these answers replaced; an empty one empties, an answer that is there already stays."""
    edits: list[Edit] = []
    for key, answer in answers.items():
        item = _known(doc, key)
        if unified(answer).strip() == item.answer:
            continue
        _open(doc, item.own_end)
        if item.answer_span is not None:
            edits.append((*item.answer_span, _behind("answer", answer, doc.newline)))
        else:
            edits.append((item.own_end, item.own_end, doc.newline * 2 + _said("answer", answer, doc.newline)))
        edits += ((tick, tick + 1, " ") for tick in item.ticks)  # a tick is an answer too: the one that is replaced
    return spliced(doc.text, edits)


def _known(doc: Clarifications, key: str) -> Item:
    item = doc.item(key)
    if item is None:
        near = difflib.get_close_matches(key, doc.by_key, 3, 0.5)
        valid = ", ".join(near) or ", ".join(list(doc.by_key)[:5]) or "the file has no questions"
        raise UsageError(f"{doc.file} has no {key!r}", valid=valid, repair="give the id of a question in this file")
    return item


def _open(doc: Clarifications, place: int) -> None:
    """Refuses to write if the text would be read as code or as frontmatter, because one of them never ends."""
    for found in doc.problems:
        unended = found.rule == "clarifications.frontmatter" and doc.front_span is None
        if unended or (found.rule == "clarifications.fence" and doc.fence is not None and doc.fence < place):
            raise UsageError(
                f"{doc.file} cannot be written to: {found.problem}", repair=f"line {found.line}: {found.repair}"
            )


# --- new items ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item that is to be written."""

    title: str
    body: str = ""
    choices: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    recommendation: str = ""
    answer: str = ""
    must: bool = False


def counts(doc: Clarifications) -> dict[str, int]:
    """The counts of the frontmatter, as they are."""
    return {
        "question_count": len(doc.questions),
        "sections": len(doc.sections),
        "refinement_count": len(doc.refinements),
    }


def _head(marks: str, title: str, must: bool = False) -> str:
    """A heading line; a `#` at the end of a title is kept from being read as a closing mark."""
    tagged, bare = untagged(" ".join(title.split()))
    line = f"{marks} {bare}".rstrip()
    if must or tagged:
        return f"{line} [MUST ANSWER]"
    found = heading(line)
    return f"{line} #" if found and found[2] < len(line) else line


def _block(marks: str, name: str, draft: Draft, newline: str, other: bool) -> str:
    """An item in the canonical form, without a line end after it."""
    head = _head(marks, f"{name}: {draft.title}", draft.must)
    body = unified(draft.body).strip()
    origins = ", ".join(part for part in (" ".join(origin.split()) for origin in draft.origins) if part)
    parts = [
        newline.join([head, *(escaped(body.split("\n"), "body") if body else [])]),
        newline.join(_choices(draft.choices, other)),
        f"_Consolidated from: {origins}_" if origins else "",
        _said("recommendation", draft.recommendation, newline) if draft.recommendation.strip() else "",
        _said("answer", draft.answer, newline),
    ]
    return (newline * 2).join(part for part in parts if part)


def _choices(choices: Sequence[str], other: bool) -> list[str]:
    texts = [text for text in (" ".join(choice.split()) for choice in choices) if text]
    if other and texts and not any(Choice(letter="", text=text, line=0).other for text in texts):
        texts.append(OTHER)
    if len(texts) > len(ascii_uppercase):
        raise UsageError(f"{len(texts)} choices", valid="one letter for each, at most 26", repair="offer fewer choices")
    return [f"{letter}. {text}" for letter, text in zip(ascii_uppercase, texts, strict=False)]


def next_ids(doc: Clarifications, parent: str, count: int) -> list[str]:
    """Ids for new refinements of a parent: none that the file has or had before its highest one."""
    _known(doc, parent)
    taken = [child.key for child in doc.below(parent)]
    if parent.startswith("Q"):
        last = max((ids.order(key)[1] for key in taken), default=0)
        return [f"R{parent[1:]}.{last + step}" for step in range(1, count + 1)]
    if not ids.is_id(parent) or parent[-1].isalpha():
        repair = "refine a question, or a refinement such as R1.1"
        raise UsageError(f"{parent} takes no refinements", valid="Q1 -> R1.1 -> R1.1a", repair=repair)
    first = max((ascii_lowercase.index(key[-1]) + 1 for key in taken), default=0)
    letters = ascii_lowercase[first : first + count]
    if len(letters) < count:
        problem = f"{parent} has {len(taken)} refinements, and {count} more need letters beyond {parent}z"
        raise UsageError(problem, valid=f"{parent}a to {parent}z", repair=f"ask about {ids.root(parent)} instead")
    return [f"{parent}{letter}" for letter in letters]


def with_refinements(doc: Clarifications, new: Mapping[str, Sequence[tuple[str, Draft]]]) -> str:
    """The text with these (id, draft) pairs below their parents; nothing that is there is touched."""
    seen = set(doc.by_key)
    for parent, key in ((parent, key) for parent, pairs in new.items() for key, _ in pairs):
        if ids.parent(key) != parent or key in seen:
            why = "is taken" if key in seen else f"does not refine {parent}"
            raise UsageError(f"the id {key!r} {why}", repair=f"take ids from next_ids(doc, {parent!r}, …)")
        seen.add(key)
    place_of = {head.span[0]: place for place, head in enumerate(doc.headings)}
    edits: list[Edit] = []
    for parent in sorted(new, key=lambda key: key.startswith("Q")):  # what is below R1.1 goes before a new R1.2
        if new[parent]:
            item = _known(doc, parent)
            edits += _below(doc, item, place_of[item.span[0]], new[parent])
    return spliced(doc.text, edits)


def _below(doc: Clarifications, item: Item, place: int, pairs: Sequence[tuple[str, Draft]]) -> Iterator[Edit]:
    if item.kind == "question":
        after = range(place + 1, len(doc.headings))
        end = next((at for at in after if doc.headings[at].level < 4), len(doc.headings))
        heads = doc.headings[place:end]
        at = _last_line_end(doc.text, *heads[-1].span)
        if not any(head.role == "divider" for head in heads):
            yield divider(doc, item)
    else:
        at = max((item, *doc.below(item.key)), key=lambda one: one.span).own_end
    _open(doc, at)
    for key, draft in pairs:
        yield at, at, doc.newline * 2 + _block("#####", key, draft, doc.newline, other=True)


def divider(doc: Clarifications, question: Item) -> Edit:
    """What puts `#### Refinements` between a question and the refinements below it."""
    return question.own_end, question.own_end, f"{doc.newline * 2}#### Refinements"


def _last_line_end(text: str, start: int, stop: int) -> int:
    """Where the last line of a part ends that is not blank."""
    return line_end(text, start + len(text[start:stop].rstrip()))


def with_entries(doc: Clarifications, entries: Sequence[tuple[Literal["Contradiction", "Critical Gap"], Draft]]) -> str:
    """The text with these entries at the end of `## Needs Clarification`, which is made if it is missing."""
    if not entries:
        return doc.text
    blocks = [_block("###", name, draft, doc.newline, other=False) for name, draft in entries]
    sections = [head for head in doc.headings if head.role == "section"]
    found = [at for at, head in enumerate(sections) if head.title.casefold() == NEEDS.casefold()]
    start, stop = 0, len(doc.text)
    if found:
        start = sections[found[-1]].span[0]
        stop = sections[found[-1] + 1].span[0] if found[-1] + 1 < len(sections) else stop
    else:
        blocks.insert(0, f"## {NEEDS}")
    at = _last_line_end(doc.text, start, stop)
    _open(doc, at)
    lead = "" if doc.text[:at] in ("", "\ufeff") else doc.newline * 2
    return spliced(doc.text, [(at, at, lead + (doc.newline * 2).join(blocks))])
