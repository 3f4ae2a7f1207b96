"""What is wrong with a clarifications file, and the file with everything repaired that code may repair.

A finding that is repaired automatically says so at its end, and is gone after `repaired`. Answers are never touched,
and neither is a letter or an id that a person may have used already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from signoff.artifacts.lines import Edit, blank, spliced, split, unified
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding, Severity
from signoff.workflows.clarify.checks.choice_letters import bare, picked
from signoff.workflows.clarify.documents import older_formats
from signoff.workflows.clarify.documents.clarifications import OTHER, TITLE, counts, divider, with_front
from signoff.workflows.clarify.documents.line_marks import LOOSE_CHOICE, ORIGINS
from signoff.workflows.clarify.documents.older_formats import AUTOMATIC
from signoff.workflows.clarify.documents.parsing import KINDS, NEEDS, TAG, Clarifications, Item, parse

FIELDS: Final = (
    "question_count",
    "sections",
    "duplicates_removed",
    "refinement_count",
    "status",
    "priority_questions",
    "scope_recommendation",
)
_ASKED: Final = ("question", "refinement")
_NAMED: Final = re.compile(
    r"[\s#>*_+-]*(?:(?:my|our|the)\s+)?(?:answer|我?的?(?:答案|回答))(?:[*_]|\s*(?:[:：=–—是为-]|is\b|$))",
    re.IGNORECASE,
)


class Repaired(NamedTuple):
    """A repaired file: its text, what was repaired, and what is left to people."""

    text: str
    fixed: tuple[Finding, ...]
    left: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """A finding with what repairs it: edits of the text, a field of the frontmatter, or nothing."""

    finding: Finding
    edits: tuple[Edit, ...] = ()
    field: tuple[str, Any] | None = None


def findings(doc: Clarifications) -> tuple[Finding, ...]:
    """Everything that is wrong, in the order of the lines."""
    found = [*doc.problems, *(fault.finding for fault in _faults(doc))]
    return tuple(sorted(found, key=lambda finding: finding.line or 0))


def repaired(text: str, file: str) -> Repaired:
    """The text with every automatic repair made; a second time changes nothing more."""
    doc = parse(text, file)
    faults = list(_faults(doc))
    made = spliced(text, [edit for fault in faults for edit in fault.edits])
    fields = dict(fault.field for fault in faults if fault.field)
    made = with_front(made, fields) if fields else made
    fixed = sorted((fault.finding for fault in faults if fault.edits or fault.field), key=lambda one: one.line or 0)
    return Repaired(text=made, fixed=tuple(fixed), left=findings(parse(made, file)))


def _faults(doc: Clarifications) -> Iterator[_Fault]:
    """Everything that is wrong. What is added at one place is added in this order: a choice before an answer."""
    yield from _title(doc)
    yield from _front(doc)
    yield from _gaps(doc)
    yield from _headings(doc)
    for item in doc.items:
        yield from _choices(doc, item)
    for spot in doc.spots:
        yield _Fault(finding=older_formats.finding(spot, doc.file), edits=spot.edits)
    for item in doc.items:
        yield from _labels(doc, item)
    yield from _dividers(doc)


def _fault(
    doc: Clarifications,
    rule: str,
    problem: str,
    repair: str,
    line: int,
    *,
    about: str = "",
    severity: Severity = "error",
    edits: Sequence[Edit] = (),
    field: tuple[str, Any] | None = None,
) -> _Fault:
    automatic = AUTOMATIC if edits or field else ""  # a file has no reason to keep what code can repair: it fails
    finding = Finding(
        rule=f"clarifications.{rule}",
        problem=problem,
        repair=repair + automatic,
        file=doc.file,
        line=line,
        about=about,
        severity="error" if automatic else severity,
    )
    return _Fault(finding=finding, edits=tuple(edits), field=field)


# --- the file ----------------------------------------------------------------------------------------------------


def _title(doc: Clarifications) -> Iterator[_Fault]:
    if doc.h1 and f"# {doc.h1[0]}" != TITLE:
        problem = f"the title is `# {doc.h1[0]}`"
        yield _fault(doc, "title", problem, f"write `{TITLE}`", 1, severity="warning")
    if doc.h1:
        return
    rest = doc.text[doc.top :]
    if rest.strip():  # before the first line that says something
        at = doc.top + len(rest) - len(rest.lstrip("\r\n"))
        edit = (at, at, f"{TITLE}{doc.newline * 2}")
    else:
        lead = doc.newline if doc.top and doc.text[doc.top - 1] not in "\r\n\ufeff" else ""
        edit = (doc.top, doc.top, f"{lead}{TITLE}{doc.newline}")
    yield _fault(doc, "title", "the title is missing", f"begin with `{TITLE}`", 1, edits=[edit])


def _front(doc: Clarifications) -> Iterator[_Fault]:
    if any(found.rule == "clarifications.frontmatter" for found in doc.problems):
        return  # nothing is known of its fields
    wanted: dict[str, tuple[Any, str]] = {name: (count, f"there are {count}") for name, count in counts(doc).items()}
    if "priority_questions" in doc.front:
        must = [item.key for item in doc.items if item.must and item.kind in _ASKED]
        wanted["priority_questions"] = (must, f"{', '.join(must) or 'none'} must be answered")
    if "duplicates_removed" not in doc.front:
        wanted["duplicates_removed"] = (0, "it is a count that every file has")
    wrong = {name: want for name, want in wanted.items() if not _same(doc.front.get(name), want[0])}
    try:
        with_front(doc.text, {name: value for name, (value, _) in wrong.items()})
        writable = True
    except DocumentError:  # the frontmatter cannot take these fields without disturbing what else it says
        writable = False
    for name, (value, why) in wrong.items():
        rule = "front" if name == "priority_questions" else "counts"
        found = repr(doc.front[name]) if name in doc.front else "missing"
        shown = f"[{', '.join(value)}]" if isinstance(value, list) else value
        yield _fault(
            doc, rule, f"{name} is {found}, and {why}", f"write `{name}: {shown}`", 1,
            about=name, severity="warning", field=(name, value) if writable else None,
        )  # fmt: skip
    removed = doc.front.get("duplicates_removed", 0)
    if type(removed) is not int or removed < 0:
        problem = f"duplicates_removed is {removed!r}"
        yield _fault(doc, "counts", problem, "write a whole number from 0 on", 1, about="duplicates_removed")
    for name in doc.front:
        if name not in FIELDS:
            problem, repair = f"the frontmatter has a field {name!r}", f"leave it out; valid are {', '.join(FIELDS)}"
            yield _fault(doc, "front", problem, repair, 1, about=name, severity="warning")


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(one in found for one in wanted)
    return type(found) is int and found == wanted


def _gaps(doc: Clarifications) -> Iterator[_Fault]:
    """Ids are never given again, so a gap may be right: a person should look, and nothing is renumbered."""
    for item in doc.items:
        before = _before(item.key)
        if before and before not in doc.by_key:
            problem, repair = f"{item.key} is there without {before}", "look for what got lost; never renumber ids"
            yield _fault(doc, "gap", problem, repair, item.line, about=item.key, severity="warning")


def _before(key: str) -> str | None:
    """The id that comes just before, None for the first of its kind."""
    found = re.fullmatch(r"(Q|R\d+\.)(\d+)|(R\d+\.\d+)([b-z])", key)
    if found is None:
        return None
    if found[3]:
        return found[3] + chr(ord(found[4]) - 1)
    return f"{found[1]}{int(found[2]) - 1}" if int(found[2]) > 1 else None


def _headings(doc: Clarifications) -> Iterator[_Fault]:
    for head in doc.headings:
        if head.role in KINDS and head.title in ("", TAG):
            problem, repair = f"{head.key} has no title", "give it one"
            yield _fault(doc, "heading", problem, repair, head.line, about=head.key, severity="warning")
        needs = head.section.casefold() == NEEDS.casefold()
        if needs and head.role in ("question", "wrong", "other") and head.level == 3:
            problem = f"`### {head.key or head.title}` in `## {NEEDS}` is neither a contradiction nor a critical gap"
            repair = "write `### Contradiction: Title` or `### Critical Gap: Title`, or move it to a section"
            yield _fault(doc, "entry", problem, repair, head.line, about=head.key)
        elif head.role == "other":
            problem = f"the heading `{'#' * head.level} {head.title}` begins nothing that is known"
            repair = "write `### Q1: Title` or `##### R1.1: Title`, or make it `#### ` if it belongs to the text"
            yield _fault(doc, "heading", problem, repair, head.line, severity="warning")
        elif head.role in ("contradiction", "gap") and not needs:
            problem, repair = f"`### {head.key}` stands in {head.section!r}", f"move it to `## {NEEDS}`"
            yield _fault(doc, "entry", problem, repair, head.line, about=head.key, severity="warning")
        elif head.role == "question" and not head.section:
            problem, repair = f"{head.key} stands in no section", "put a `## Section` above it"
            yield _fault(doc, "section", problem, repair, head.line, about=head.key, severity="warning")


def _dividers(doc: Clarifications) -> Iterator[_Fault]:
    """Refinements stand below `#### Refinements` of their question."""
    items = {item.span[0]: item for item in doc.items}
    question: Item | None = None
    divided = False
    for head in doc.headings:
        if head.level < 4 and head.role != "group":
            question, divided = items[head.span[0]] if head.role == "question" else None, False
        elif head.role == "divider":
            divided = True
            first, _, rest = unified(doc.text[slice(*head.span)]).partition("\n")
            if stray := rest.strip().partition("\n")[0][:60]:  # often a refinement with a wrong heading
                problem = f"`{stray}` below `{first.strip()}` belongs to no refinement"
                repair = "give it a heading, `##### R1.1: Title`, or move it into the question"
                yield _fault(doc, "refinements", problem, repair, head.line, severity="warning")
        elif head.role == "refinement" and question and not divided:
            divided = True
            problem = f"{head.key} stands below {question.key} without `#### Refinements`"
            edits = [divider(doc, question)]
            yield _fault(doc, "refinements", problem, "put it between them", head.line, about=question.key, edits=edits)


# --- one item ----------------------------------------------------------------------------------------------------


def _choices(doc: Clarifications, item: Item) -> Iterator[_Fault]:
    if item.kind not in _ASKED:
        return
    letters = "".join(choice.letter for choice in item.choices)
    number = sum(not choice.other for choice in item.choices)
    if not 2 <= number <= 4:
        problem = f"{item.key} has {number} choices besides Other"
        yield _fault(doc, "choices", problem, "offer 2 to 4 choices, `A. text`", item.line, about=item.key)
    ordered = ascii_uppercase.startswith(letters)
    if not ordered:
        problem = f"the letters of {item.key} are {', '.join(letters)}"
        repair = "letter the choices A, B, C, …, and look whether the answer names one of them"
        yield _fault(doc, "choices", problem, repair, item.choices[0].line, about=item.key)
    if item.choices and number == len(item.choices):
        edits = list(_other(doc, item)) if ordered and len(letters) < 26 else []
        problem, repair = f"{item.key} has no choice Other", f"add `{OTHER}` as its last choice"
        line = item.choices[-1].line
        yield _fault(doc, "choices", problem, repair, line, about=item.key, edits=edits)


def _other(doc: Clarifications, item: Item) -> Iterator[Edit]:
    """Adds the choice Other, unless it would take in the text below it, or come before a choice or an answer that is
    not read as one."""
    end, letter = item.choices[-1].end, ascii_uppercase[len(item.choices)]
    below = [line.text for line in split(doc.text[end : item.own_end])[1:]]
    first = next((text for text in below if not blank(text)), "")
    if not LOOSE_CHOICE.match(first) and not unlabelled(doc, item)[1]:
        apart = doc.newline if below and not blank(below[0]) else ""
        yield end, end, f"{doc.newline}{letter}. {OTHER}{apart}"


def _labels(doc: Clarifications, item: Item) -> Iterator[_Fault]:
    names = [name for name, _ in item.labels]
    if item.answer_span is None:
        yield _no_answer(doc, item)
    if item.kind in _ASKED and not item.recommendation:
        problem, repair = f"{item.key} has no recommendation", "add `**Recommendation:** …` before the answer"
        yield _fault(doc, "recommendation", problem, repair, item.line, about=item.key, severity="warning")
    if names.count("Recommendation") > 1:
        problem, repair = f"{item.key} has several recommendations; only the first is read", "keep one"
        yield _fault(doc, "recommendation", problem, repair, item.line, about=item.key, severity="warning")
    elif names[:1] == ["Answer"] and "Recommendation" in names:
        line = item.labels[names.index("Recommendation")][1]
        problem, repair = f"the recommendation of {item.key} stands after its answer", "move it before the answer"
        yield _fault(doc, "recommendation", problem, repair, line, about=item.key, severity="warning")


def _no_answer(doc: Clarifications, item: Item) -> _Fault:
    line, said = unlabelled(doc, item)
    if said:
        shown = said if len(said) <= 60 else said[:57] + "..."
        problem = f"{item.key} has no answer label, and `{shown}` looks like its answer, but is not read as one"
        repair = "write `**Answer:**` before it; if it is no answer, add `**Answer:**` at the end of the item"
        return _fault(doc, "answer_label", problem, repair, line, about=item.key)
    edits: list[Edit] = []
    if not item.sealed:
        text = f"{doc.newline * 2}**Answer:**"
        # a ticked box brings its own answer, label and all
        edits = [(item.own_end, item.own_end, "" if item.ticks else text)]
    problem, repair = f"{item.key} has no answer label", "add `**Answer:**` at its end"
    return _fault(doc, "answer_label", problem, repair, item.line, about=item.key, edits=edits)


def unlabelled(doc: Clarifications, item: Item) -> tuple[int, str]:
    """The number of the first line that looks like the answer of an item without a label, and the line.

    Below the recommendation that is a paragraph of its own; there and below the choices it is also any line that begins
    with the letter of a choice or with the word itself. No part of the program reads it as an answer.
    """
    if item.answer_span is not None or item.ticks or item.sealed:
        return 0, ""
    below = max([line for _, line in item.labels] + [choice.line for choice in item.choices], default=0)
    apart = False
    for line in split(doc.text[item.span[0] : item.own_end]) if below else ():
        number = item.line + line.number - 1
        if number <= below or ORIGINS.match(line.text):
            apart = number > below and bool(item.labels)
        elif not any(map(str.isalnum, said := bare(line.text))):
            apart = bool(item.labels)
        elif apart or _NAMED.match(line.text) or picked(said, item.choices):
            return number, line.text.strip()
    return 0, ""
