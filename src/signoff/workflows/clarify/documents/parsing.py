"""Reading clarifications: one pass over the lines for headings, one over each item's own lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast, get_args

from signoff.artifacts.lines import Line, fences, heading, newline, split
from signoff.core.findings import Finding
from signoff.workflows.clarify import ids
from signoff.workflows.clarify.documents.front_matter import read_front
from signoff.workflows.clarify.documents.item_parsing import Block, Choice
from signoff.workflows.clarify.documents.line_marks import bold
from signoff.workflows.clarify.documents.older_formats import Spot, group_spots

Kind = Literal["question", "refinement", "contradiction", "gap"]
Role = Literal["question", "refinement", "contradiction", "gap", "section", "group", "divider", "wrong", "other"]

NEEDS: Final = "Needs Clarification"
ENTRY_ROLE: Final[Mapping[str, Kind]] = {"Contradiction": "contradiction", "Critical Gap": "gap"}
_ENTRY: Final = re.compile(r"(Contradiction|Critical Gap)[ \t]*([:：])[ \t]*")
_LIKE_ID: Final = re.compile(r"([QqRr]-?[0-9]+(?:\.[0-9]+)*[A-Za-z]{0,3})(?!\w)[ \t]*([:：]?)[ \t]*")
_GOOD: Final = {
    3: re.compile(r"Q[1-9][0-9]{0,8}"),
    5: re.compile(r"R[1-9][0-9]{0,8}\.[1-9][0-9]{0,8}[a-z]?"),
}
"""What an id is at each level; longer numbers are not ids, so nothing has to count with them."""
TAG: Final = "[MUST ANSWER]"
KINDS: Final = frozenset(get_args(Kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A question, a refinement, or an entry of `## Needs Clarification`.

    `own_end` is where the last line of its block ends that is not blank, `ticks` are the places of ticked boxes,
    `labels` the labels in their order, with their lines, and `sealed` is whether a fence in it never ends.
    """

    kind: Kind
    key: str
    title: str
    must: bool
    section: str
    line: int
    body: str
    choices: tuple[Choice, ...]
    origins: tuple[str, ...]
    recommendation: str
    answer: str
    span: tuple[int, int]
    answer_span: tuple[int, int] | None
    own_end: int = 0
    ticks: tuple[int, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()
    sealed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A `## ` heading and everything up to the next one."""

    title: str
    line: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading at which a block begins.

    `title_end` is where its title ends in the text, `at` counts lines from 0, `tagged` is whether the heading says
    itself that an answer is needed.
    """

    role: Role
    level: int
    key: str
    title: str
    must: bool
    line: int
    span: tuple[int, int]
    title_end: int
    section: str
    at: int
    tagged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarifications:
    """A clarifications file as it was read. The text is kept, so nothing of it can get lost."""

    text: str
    file: str
    front: Mapping[str, Any]
    items: tuple[Item, ...]
    sections: tuple[Section, ...]
    problems: tuple[Finding, ...]
    headings: tuple[Heading, ...] = ()
    spots: tuple[Spot, ...] = ()
    newline: str = "\n"
    fence: int | None = None
    front_span: tuple[int, int] | None = None
    top: int = 0
    h1: tuple[str, ...] = ()
    by_key: Mapping[str, Item] = field(default_factory=dict, repr=False)
    children: Mapping[str, tuple[Item, ...]] = field(default_factory=dict, repr=False)

    @property
    def questions(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind == "question")

    @property
    def refinements(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind == "refinement")

    @property
    def entries(self) -> tuple[Item, ...]:
        """The contradictions and critical gaps."""
        return tuple(item for item in self.items if item.kind in ("contradiction", "gap"))

    def item(self, key: str) -> Item | None:
        """The item of that key; the first one if a file has two."""
        return self.by_key.get(key)

    def below(self, key: str) -> tuple[Item, ...]:
        """The refinements that name this one as their parent."""
        return self.children.get(key, ())

    def render(self) -> str:
        """The text, byte for byte as it was read."""
        return self.text


def parse(text: str, file: str = "clarifications.md") -> Clarifications:
    """What a file says. Never raises: what makes it ambiguous is in `problems`."""
    return _Reading(text, file).result()


class _Reading:
    """One walk over a file."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.lines, self.newline = split(text), newline(text)
        self.front = read_front(text, self.lines, file, "clarifications")
        self.first = self.front.end
        self.problems: list[Finding] = list(self.front.problems)
        self.spots: list[Spot] = []
        self.fenced, self.unclosed = fences([line.text for line in self.lines], self.first)
        self.h1: list[str] = []
        self.headings = list(self._headings())
        self.items: list[Item] = []

    def result(self) -> Clarifications:
        if self.unclosed is not None:
            line = self.lines[self.unclosed]
            problem = f"the code fence `{line.text.strip()}` has no end, so nothing below it is read"
            self._problem("fence", problem, "close it with a line of the same marks", line.number)
        for head, stop in zip(self.headings, [*(head.at for head in self.headings[1:]), len(self.lines)], strict=False):
            if head.role in KINDS:
                self.items.append(self._item(head, stop))
        self.spots += group_spots(self.headings, self.lines)
        by_key, children = self._related()
        return Clarifications(
            text=self.text,
            file=self.file,
            front=self.front.fields,
            items=tuple(self.items),
            sections=tuple(self._sections()),
            problems=tuple(sorted(self.problems, key=lambda finding: finding.line or 0)),
            headings=tuple(self.headings),
            spots=tuple(sorted(self.spots, key=lambda spot: spot.line)),
            newline=self.newline,
            fence=None if self.unclosed is None else self.lines[self.unclosed].start,
            front_span=self.front.span,
            top=self.lines[self.first].start if self.first < len(self.lines) else len(self.text),
            h1=tuple(self.h1),
            by_key=by_key,
            children=children,
        )

    def _problem(self, rule: str, problem: str, repair: str, line: int, about: str = "") -> None:
        rule = f"clarifications.{rule}"
        self.problems.append(Finding(rule=rule, problem=problem, repair=repair, file=self.file, line=line, about=about))

    # --- headings ------------------------------------------------------------------------------------------------

    def _headings(self) -> Iterator[Heading]:
        """Every heading at which a block begins, with the span of its block."""
        starts = list(self._starts())
        section, required = "", False
        for place, (at, level, title, begin, end) in enumerate(starts):
            stop = starts[place + 1][0] if place + 1 < len(starts) else len(self.lines)
            span = (self.lines[at].start, self.lines[stop].start if stop < len(self.lines) else len(self.text))
            role, key, name = self._role(level, title, self.lines[at], begin)
            tagged, bare = untagged(name) if role in KINDS else (False, name)
            if role == "section":
                section, required = bare, False
            elif role == "group":
                required = bare.casefold() == "required"
            must = tagged or (required and role == "question")
            if must and not bare:
                bare = TAG  # the title was forgotten, and an item has to be called something
            yield Heading(
                role=role,
                level=level,
                key=f"{key}: {bare}" if role in ENTRY_ROLE.values() else key,
                title=bare,
                must=must,
                line=at + 1,
                span=span,
                title_end=end,
                section=section,
                at=at,
                tagged=tagged,
            )

    def _starts(self) -> Iterator[tuple[int, int, str, int, int]]:
        """Index, level, title of every boundary, and where the title begins and ends; also notes what H1s there are."""
        before = True
        for at in range(self.first, len(self.lines)):
            line = self.lines[at]
            if line.text[:1] not in ("#", "*", " ") or self.fenced[at] or line.text.lstrip(" ")[:1] not in ("#", "*"):
                continue
            found = heading(line.text)
            if found is None:
                if old := bold(line.text):
                    before = False
                    yield self._bold(at, line, *old)
                continue
            level, begin, end = found
            title = line.text[begin:end]
            if level in (2, 3, 5) or (level == 4 and title.casefold() == "refinements"):
                before = False
                yield at, level, title, line.start + begin, line.start + end
            elif level == 1 and before:
                self.h1.append(title)

    def _bold(self, at: int, line: Line, key: str, title: str) -> tuple[int, int, str, int, int]:
        new = f"##### {key}: {title}".rstrip()
        edit = (line.start, line.end, new)
        self.spots.append(Spot(form="bold", line=line.number, found=line.text.strip(), edits=(edit,)))
        _, begin, end = heading(new) or (5, 0, len(new))
        return at, 5, new[begin:end], line.start, line.end

    def _role(self, level: int, title: str, line: Line, begin: int) -> tuple[Role, str, str]:
        """Role, key, and the title without the key."""
        if level == 4:
            return "divider", "", title
        found = _LIKE_ID.match(title)
        if found and (level != 2 or found[2]):
            if level in _GOOD and _GOOD[level].fullmatch(found[1]) and found[2]:
                self._colon(found, 2, line, begin)
                return ("question" if level == 3 else "refinement"), found[1], title[found.end() :]
            problem = f"`{line.text.strip()}` begins like an id, and {found[1]!r} is not one here"
            repair = "write `### Q1: Title` for a question or `##### R1.1: Title` (`R1.1a` below it) for a refinement"
            repair += "; numbers count from 1, without leading zeros"
            self._problem("id", problem, repair, line.number, found[1])
            return ("section" if level == 2 else "wrong"), "", title
        if level == 2:
            return "section", "", title
        entry = _ENTRY.match(title) if level == 3 else None
        if entry:
            self._colon(entry, 2, line, begin)
            return ENTRY_ROLE[entry[1]], entry[1], title[entry.end() :]
        if level == 3 and title.casefold() in ("required", "optional"):
            return "group", "", title
        return "other", "", title

    def _colon(self, found: re.Match[str], group: int, line: Line, offset: int) -> None:
        """Notes a full-width colon; what follows it is parted from it by one space."""
        if found[group] == "：":
            edit = (offset + found.start(group), offset + found.end(), ": " if found.end() < len(found.string) else ":")
            self.spots.append(Spot(form="colon", line=line.number, found=line.text.strip(), edits=(edit,)))

    def _sections(self) -> Iterator[Section]:
        found = [head for head in self.headings if head.role == "section"]
        for place, head in enumerate(found):
            stop = found[place + 1].span[0] if place + 1 < len(found) else len(self.text)
            if head.title.casefold() != NEEDS.casefold():
                yield Section(title=head.title, line=head.line, span=(head.span[0], stop))

    # --- items ---------------------------------------------------------------------------------------------------

    def _item(self, head: Heading, stop: int) -> Item:
        sealed = self.unclosed is not None and head.at < self.unclosed < stop
        block = Block(self.lines[head.at : stop], self.fenced[head.at : stop], sealed, self.newline)
        self.spots += block.spots
        answers = [line for label, line in block.labels if label == "Answer"]
        if len(answers) > 1:
            listed = ", ".join(map(str, answers))
            problem = f"{head.key} has {len(answers)} answers (lines {listed}); only the first is read"
            repair = "keep one `**Answer:**` with everything you want to say"
            self._problem("answer", problem, repair, answers[1], head.key)
        return Item(
            kind=cast(Kind, head.role),
            key=head.key,
            title=head.title,
            must=head.must,
            section=head.section,
            line=head.line,
            body="\n".join(block.body).strip(),
            choices=tuple(one.choice() for one in block.lettered),
            origins=tuple(block.origins),
            recommendation="\n".join(block.reasons).strip(),
            answer=block.answer,
            span=head.span,
            answer_span=block.answer_span,
            own_end=block.own_end,
            ticks=tuple(one.tick for one in block.lettered if one.tick is not None),
            labels=tuple(block.labels),
            sealed=sealed,
        )

    def _related(self) -> tuple[dict[str, Item], dict[str, tuple[Item, ...]]]:
        """Items by their key and by their parent; what is there twice or has no parent is a problem."""
        by_key: dict[str, Item] = {}
        children: dict[str, list[Item]] = {}
        for item in self.items:
            first = by_key.setdefault(item.key, item)
            if first is not item:
                problem = f"{item.key} is in line {first.line} and again in line {item.line}"
                self._problem("duplicate", problem, "give the second one a number of its own", item.line, item.key)
            children.setdefault(ids.parent(item.key) or "", []).append(item)
        question = ""
        for head in self.headings:
            if head.role == "refinement":
                self._parent(head, ids.parent(head.key) or "", question, by_key)
            elif head.level < 4 and head.role != "group":  # a note of its own, `##### Notes`, changes no place
                question = head.key if head.role == "question" else ""
        return by_key, {key: tuple(below) for key, below in children.items() if key}

    def _parent(self, head: Heading, parent: str, question: str, by_key: Mapping[str, Item]) -> None:
        """Notes a refinement without a parent, or one that does not stand below the question that its id names."""
        if parent not in by_key:
            problem, repair = f"{head.key} refines {parent}, which does not exist", f"add {parent} or change the id"
        elif ids.root(head.key) != question:
            place = f"below {question}" if question else "below no question"
            problem = f"{head.key} stands {place}"
            repair = f"move it below {ids.root(head.key)}, whose refinement it is"
        else:
            return
        self._problem("parent", problem, repair, head.line, head.key)


def untagged(title: str) -> tuple[bool, str]:
    """Whether a title ends with the tag, and the title without it."""
    whole = title.strip()
    end = len(whole)
    while whole[max(0, end - len(TAG)) : end].upper() == TAG:  # without a copy for each of many tags
        end -= len(TAG)
        while end and whole[end - 1].isspace():
            end -= 1
    return end < len(whole), whole[:end]
