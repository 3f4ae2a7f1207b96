"""What changed between two states of the drafts: JSON leaf by leaf, Markdown heading by heading.

A leaf of the stack is a text, or a list as a whole: one word more in a list is one change, not as many as there are
items behind it. What is not there and what is empty are the same. Of the decisions, what stands between a heading and
the next belongs to that heading; a heading that came or went stands for all that is below it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, Literal

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places, sections

Document = Literal["technology_stack.json", "architecture_decisions.md"]
STACK: Final[Document] = "technology_stack.json"
DECISIONS: Final[Document] = "architecture_decisions.md"
PATHS: Final[Mapping[Document, str]] = {STACK: places.STACK, DECISIONS: places.DECISIONS}


@dataclass(frozen=True, slots=True)
class Drafts:
    """The two documents of an architecture, as texts."""

    stack: str
    decisions: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changed. `names` are all the ways to name its place, as they are compared."""

    document: Document
    place: str
    before: str | None
    after: str | None
    names: frozenset[str] = field(default=frozenset(), compare=False)


def differences(before: Drafts, after: Drafts) -> tuple[Difference, ...]:
    """Everything that changed, in the order of the documents."""
    return (*_of_stack(before.stack, after.stack), *_of_decisions(before.decisions, after.decisions))


# --- the stack --------------------------------------------------------------------------------------------------------

_PLAIN: Final = re.compile(r"[^\W\d][\w-]*")


def said(value: Any) -> str:
    """A leaf as a changelog quotes it: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _of_stack(before: str, after: str) -> Iterator[Difference]:
    old, new = leaves(before), leaves(after)
    for place in dict.fromkeys([*old, *new]):
        was, now = old.get(place), new.get(place)
        if was != now or type(was) is not type(now):
            yield Difference(
                STACK,
                place,
                said(was) if place in old else None,
                said(now) if place in new else None,
                frozenset([place]),
            )


def leaves(text: str) -> dict[str, Any]:
    """The leaves of a stack by their places."""
    return dict(_leaves(_loaded(text)))


def _loaded(text: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        problem = f"it is no JSON: {error}"
        raise DocumentError(
            [Finding(rule="stack.json", problem=problem, repair="restore the file", file=places.STACK)]
        ) from None


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, _key_below(place, key))
    elif value != [] and place:
        yield place, value


def _key_below(place: str, key: str) -> str:
    if not _PLAIN.fullmatch(key):
        return f"{place}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{place}.{key}" if place else key


# --- the decisions ----------------------------------------------------------------------------------------------------

BEFORE: Final = "(before the first heading)"
_NUMBERED: Final = re.compile(r"decision [0-9]+\b")


@dataclass(slots=True, eq=False)
class _Node:
    """A heading with its own text and the headings below it; `path` is how one comes to it."""

    level: int
    title: str
    text: str
    path: tuple[str, ...] = ()
    below: list[_Node] = field(default_factory=list)
    place: str = BEFORE

    @property
    def key(self) -> str:
        """What makes it the same heading in another state: its title, or its number where it is a decision's.

        There is one title of the document, whatever it says.
        """
        if self.level == 1:
            return ""
        folded = sections.folded(self.title)
        number = _NUMBERED.match(folded)
        return number[0] if number else folded

    @property
    def head(self) -> str:
        return f"{'#' * self.level} {self.title}"

    @property
    def whole(self) -> str:
        """All that is under it."""
        return "\n\n".join(part for part in (self.text, *(f"{one.head}\n{one.whole}" for one in self.below)) if part)

    @property
    def names(self) -> frozenset[str]:
        """How a changelog may name it: by its title, by its number, or by the way to it."""
        ways = (" > ".join(self.path[at:]) for at in range(len(self.path)))
        return frozenset([*map(sections.folded, ways), self.key]) - {""}

    def every(self) -> Iterator[_Node]:
        for one in self.below:
            yield one
            yield from one.every()


def _tree(text: str) -> _Node:
    """The headings of a document below a root, whose own text is what stands before the first.

    The second heading of the same title under another has its number behind it on the way to it.
    """
    root = _Node(0, "", "")
    way = [root]
    times: Counter[tuple[tuple[str, ...], str]] = Counter()
    for one in sections.split(text):
        own = "\n".join(line.rstrip() for line in one.body.split("\n")).strip("\n")
        if one.level == 0:
            root.text = own
            continue
        while way[-1].level >= one.level:
            way.pop()
        again = (way[-1].path, sections.folded(one.title))
        times[again] += 1
        name = one.title if times[again] == 1 else f"{one.title} ({times[again]})"
        node = _Node(one.level, one.title, own, (*way[-1].path, name))
        way[-1].below.append(node)
        way.append(node)
    return root


def _placed(*roots: _Node) -> None:
    """Gives every heading the shortest place that is its own in all states: its title, or the whole way to it."""
    ways: dict[str, set[tuple[str, ...]]] = {}
    for root in roots:
        for node in root.every():
            ways.setdefault(sections.folded(node.title), set()).add(node.path)
    for root in roots:
        for node in root.every():
            single = len(ways[sections.folded(node.title)]) == 1 and node.title
            node.place = node.title if single else " > ".join(node.path)


def _of_decisions(before: str, after: str) -> Iterator[Difference]:
    old, new = _tree(before), _tree(after)
    _placed(old, new)
    if old.text != new.text:
        names = frozenset([sections.folded(BEFORE)])
        yield Difference(DECISIONS, BEFORE, old.text or None, new.text or None, names)
    yield from _below(old, new)


def _below(old: _Node, new: _Node) -> Iterator[Difference]:
    """What changed below a heading that is in both states."""
    was_of = _pairs(old.below, new.below)
    kept = set(was_of.values())
    moved = _moved([one for one in old.below if one in kept], [*was_of.values()])
    for one in old.below:
        if one not in kept:
            yield Difference(DECISIONS, one.place, one.whole, None, one.names)
    for one in new.below:
        if one in was_of:
            yield from _changed(was_of[one], one, moved)
            yield from _below(was_of[one], one)
        else:
            yield Difference(DECISIONS, one.place, None, one.whole, one.names)


def _pairs(old: Sequence[_Node], new: Sequence[_Node]) -> dict[_Node, _Node]:
    """Which new heading is which old one, in the order of the new: by its title, its key, or all that is under it."""
    found: dict[_Node, _Node] = {}
    for by in map(attrgetter, ("title", "key", "whole")):
        taken = set(found.values())
        left = _grouped([one for one in old if one not in taken], by)
        found |= {one: same.pop(0) for one in new if one not in found and (same := left.get(by(one)))}
    return {one: found[one] for one in new if one in found}


def _grouped(nodes: Sequence[_Node], by: Callable[[_Node], str]) -> dict[str, list[_Node]]:
    groups: dict[str, list[_Node]] = {}
    for node in nodes:
        groups.setdefault(by(node), []).append(node)
    return groups


def _moved(old: Sequence[_Node], new: Sequence[_Node]) -> set[_Node]:
    """Those that stand elsewhere: as few as can be, so that all others follow each other as before."""
    place_of = {node: at for at, node in enumerate(old)}
    ends: list[int] = []
    last: list[_Node] = []
    before: dict[_Node, _Node | None] = {}
    for node in new:  # the longest run of rising places; `ends` and `last` are the best end of a run of each length
        length = bisect_left(ends, place_of[node])
        before[node] = last[length - 1] if length else None
        ends[length : length + 1], last[length : length + 1] = [place_of[node]], [node]
    kept, one = set(), last[-1] if last else None
    while one is not None:
        kept.add(one)
        one = before[one]
    return set(old) - kept


def _changed(was: _Node, now: _Node, moved: set[_Node]) -> Iterator[Difference]:
    names = was.names | now.names
    if was.head != now.head:
        yield Difference(DECISIONS, now.place, was.head, now.head, names)
    elif was.text != now.text:
        yield Difference(DECISIONS, now.place, was.text, now.text, names)
    elif was in moved:
        yield Difference(DECISIONS, now.place, "its place among the others", "another place", names)
