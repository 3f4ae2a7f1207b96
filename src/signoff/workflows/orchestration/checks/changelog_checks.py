"""Whether the tactical architect's changelog names every change of the drafts, and only changes that were made.

The stack is compared leaf by leaf. A leaf is a text or a whole list; a missing leaf equals an empty one. The decisions
are compared heading by heading: a heading owns the text up to the next one, and a heading that was added or removed
stands for everything below it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

from signoff.artifacts import markdown_blocks, markdown_headings
from signoff.artifacts.markdown_headings import folded
from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence.shared_words import clipped
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import architecture_decisions
from signoff.workflows.orchestration.documents.tsa_changelog import DECISIONS, PATHS, STACK, Change, Document


@dataclass(frozen=True, slots=True)
class Drafts:
    """The two documents of an architecture, as texts."""

    stack: str
    decisions: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changed. `names` are all the ways to name its place, in the form in which they are compared."""

    document: Document
    place: str
    before: str | None
    after: str | None
    names: frozenset[str] = field(default=frozenset(), compare=False)


_OFFERED: Final = 40
"""How many of the changes are searched for the one that a wrong name resembles."""


def findings(before: Drafts, after: Drafts, changes: Sequence[Change]) -> Iterator[Finding]:
    """Where the log and the drafts disagree: the log must name each change of the drafts once, and nothing else."""
    found = differences(before, after)
    forbidden = _forbidden(before, after, found)
    by_name: dict[tuple[str, str], list[Difference]] = {}
    for one in found:
        for name in one.names:
            by_name.setdefault((one.document, name), []).append(one)
    named = [by_name.get((change.document, _named(change)), []) for change in changes]
    told = {hits[0] for hits in named if len(hits) == 1}
    for one in found:
        if one in forbidden:
            fixed = f"title, task and date of the drafts and “{architecture_decisions.EVOLUTION}” stay as they are"
            yield _finding("forbidden", one, f"{_changed(one)}; {fixed}", "undo it")
    for one in found:
        if one not in told and one not in forbidden:
            problem = f"{_changed(one)}, and the log does not say so"
            yield _finding("unnamed", one, problem, "add it to `changes` with the reason, or undo it")
    unchanged = {place: _quoted(value) for place, value in _leaves(before.stack).items()}
    for change, hits in zip(changes, named, strict=True):
        if not hits:
            yield _unmade(change, unchanged, found)
        elif len(hits) > 1:
            meant = " or ".join(f"`{one.place}`" for one in hits)
            yield _finding("ambiguous", change, f"`{change.place}` names several places that changed", f"name {meant}")
        else:
            yield from _untrue(change, hits[0])
    seen: set[object] = set()
    for change, hits in zip(changes, named, strict=True):
        place = (change.document, hits[0].place if len(hits) == 1 else _named(change))
        if place in seen:
            yield _finding("twice", change, f"the log names `{change.place}` twice", "put both into one entry")
        seen.add(place)


def _finding(rule: str, of: Change | Difference, problem: str, repair: str) -> Finding:
    file = PATHS[of.document]
    return Finding(rule=f"changelog.{rule}", problem=problem, repair=repair, file=file, about=of.place)


def _named(change: Change) -> str:
    bare = change.place.strip("` ")
    return folded(bare.lstrip("# ")) if change.document == DECISIONS else bare.removeprefix("$.")


def _changed(one: Difference) -> str:
    return f"`{one.place}` changed from {_shown(one.before)} to {_shown(one.after)}"


def _shown(text: str | None) -> str:
    return "nothing" if text is None else f"“{clipped(squeeze(text), 120)}”"


def _unmade(change: Change, unchanged: dict[str, str], found: Sequence[Difference]) -> Finding:
    changed = [one.place for one in found if one.document == change.document]
    near = nearest(change.place, changed[:_OFFERED], 0.5)
    place = _named(change) if change.document == STACK else ""
    still = f"; it is {_shown(unchanged[place])} before and after" if place in unchanged else ""
    listed = ", ".join(f"`{place}`" for place in changed[:8]) or "nothing"
    problem = f"the log names a change of `{change.place}` that was not made{still}; what changed there: {listed}"
    repair = f"name it `{near}`, if you mean that" if near else "make the change, or leave it out of the log"
    return _finding("unmade", change, problem, repair)


def _untrue(change: Change, real: Difference) -> Iterator[Finding]:
    """The sides of a change that the log gives wrongly. For Markdown the log only summarises: compared is whether there
    was text, and a heading without text of its own agrees with either."""
    for side, given, text in (("from", change.before, real.before), ("to", change.after, real.after)):
        roughly = text == "" or (given is None) == (text is None)
        if not (_same(given, text) if change.document == STACK else roughly):
            problem = f"the log has `{change.place}` {side} {_shown(given)}, the draft {_shown(text)}"
            repair = f"write as `{side}` what the draft has" if text is not None else f"leave `{side}` out"
            yield _finding("untrue", change, problem, repair)


def _same(given: str | None, text: str | None) -> bool:
    if given is None or text is None:
        return text is None and (given is None or given.strip() in ("", "[]"))
    listed = _list(text)
    return given.split() == text.split() or (listed is not None and _list(given) == listed)


def _list(text: str) -> list[Any] | None:
    """A list that is written as JSON, whatever its spacing."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, list) else None


_CONTROL: Final = markdown_blocks.item_label(("Created", "Task ID"))


def _forbidden(before: Drafts, after: Drafts, found: Sequence[Difference]) -> set[Difference]:
    """The changes that the tactical architect may not make, whether the log names them or not."""

    def title(drafts: Drafts) -> str:
        return next((one.title for one in markdown_headings.split(drafts.decisions) if one.level == 1), "")

    def control(drafts: Drafts) -> list[str]:
        part = markdown_headings.named(markdown_headings.split(drafts.decisions), architecture_decisions.CONTROL)
        items = markdown_blocks.items(part.whole, 0)[0] if part else []
        return sorted(item.text for item in items if _CONTROL.match(item.first))

    def is_in(one: Difference, place: str) -> bool:
        return any(name == place or name.startswith(f"{place} > ") for name in one.names)

    fixed = [folded(architecture_decisions.EVOLUTION)]
    fixed += [folded(architecture_decisions.CONTROL)] if control(before) != control(after) else []
    retitled = {folded(title(after))} if title(before) != title(after) else set()
    return {
        one
        for one in found
        if (one.document == STACK and one.place in ("task_id", "created"))
        or (one.document == DECISIONS and (one.names & retitled or any(is_in(one, place) for place in fixed)))
    }


# --- what changed -----------------------------------------------------------------------------------------------------


def differences(before: Drafts, after: Drafts) -> tuple[Difference, ...]:
    """Everything that changed, in the order of the documents."""
    return (*_of_stack(before.stack, after.stack), *_of_decisions(before.decisions, after.decisions))


_PLAIN: Final = re.compile(r"[^\W\d][\w-]*")


def _quoted(value: Any) -> str:
    """A leaf as a changelog quotes it: a text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _of_stack(before: str, after: str) -> Iterator[Difference]:
    old, new = _leaves(before), _leaves(after)
    for place in dict.fromkeys([*old, *new]):
        was, now = old.get(place), new.get(place)
        if was != now or type(was) is not type(now):
            from_, to = _quoted(was) if place in old else None, _quoted(now) if place in new else None
            yield Difference(STACK, place, from_, to, frozenset([place]))


def _leaves(text: str) -> dict[str, Any]:
    """The leaves of a stack by their places."""

    def below(value: Any, place: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for key, inner in value.items():
                if not _PLAIN.fullmatch(key):
                    yield from below(inner, f"{place}[{json.dumps(key, ensure_ascii=False)}]")
                else:
                    yield from below(inner, f"{place}.{key}" if place else key)
        elif value != [] and place:
            yield place, value

    try:
        return dict(below(json.loads(text.removeprefix("\ufeff")), ""))
    except ValueError as error:
        problem = f"it is invalid JSON: {error}"
        wrong = Finding(rule="stack.json", problem=problem, repair="restore the file", file=places.STACK)
        raise DocumentError([wrong]) from None


BEFORE: Final = "(before the first heading)"
_NUMBERED: Final = re.compile(r"decision [0-9]+\b")


@dataclass(slots=True, eq=False)
class _Node:
    """A heading with its own text and the headings below it; `path` has the titles that lead to it."""

    level: int
    title: str
    text: str
    path: tuple[str, ...] = ()
    below: list[_Node] = field(default_factory=list)
    place: str = BEFORE

    @property
    def key(self) -> str:
        """What identifies the heading in both states: its title, or the number of a decision.

        The title of the document is one heading, however it is worded.
        """
        plain = folded(self.title) if self.level > 1 else ""
        number = _NUMBERED.match(plain)
        return number[0] if number else plain

    @property
    def head(self) -> str:
        return f"{'#' * self.level} {self.title}"

    @property
    def whole(self) -> str:
        """Everything under it."""
        return "\n\n".join(part for part in (self.text, *(f"{one.head}\n{one.whole}" for one in self.below)) if part)

    @property
    def names(self) -> frozenset[str]:
        """How a changelog may name it: by its title, its number, or its path."""
        ways = (" > ".join(self.path[at:]) for at in range(len(self.path)))
        return frozenset([*map(folded, ways), self.key]) - {""}

    def every(self) -> Iterator[_Node]:
        for one in self.below:
            yield one
            yield from one.every()


def _tree(text: str) -> _Node:
    """The headings of a document below a root, which owns the text before the first heading.

    If a heading repeats the title of an earlier one beside it, its path has a number behind the title.
    """
    root = _Node(0, "", "")
    way = [root]
    times: Counter[tuple[tuple[str, ...], str]] = Counter()
    for one in markdown_headings.split(text):
        own = "\n".join(line.rstrip() for line in one.body.split("\n")).strip("\n")
        if one.level == 0:
            root.text = own
            continue
        while way[-1].level >= one.level:
            way.pop()
        again = (way[-1].path, folded(one.title))
        times[again] += 1
        name = one.title if times[again] == 1 else f"{one.title} ({times[again]})"
        node = _Node(one.level, one.title, own, (*way[-1].path, name))
        way[-1].below.append(node)
        way.append(node)
    return root


def _of_decisions(before: str, after: str) -> Iterator[Difference]:
    old, new = _tree(before), _tree(after)
    nodes = [*old.every(), *new.every()]
    ways: dict[str, set[tuple[str, ...]]] = {}
    for node in nodes:
        ways.setdefault(folded(node.title), set()).add(node.path)
    for node in nodes:  # the shortest place that is unique in both states: its title, or its whole path
        single = len(ways[folded(node.title)]) == 1 and node.title
        node.place = node.title if single else " > ".join(node.path)
    if old.text != new.text:
        yield Difference(DECISIONS, BEFORE, old.text or None, new.text or None, frozenset([folded(BEFORE)]))
    yield from _below(old, new)


def _below(old: _Node, new: _Node) -> Iterator[Difference]:
    """What changed below a heading that both states have."""
    was_of = _pairs(old.below, new.below)
    kept = set(was_of.values())
    moved = _moved([one for one in old.below if one in kept], [*was_of.values()])
    for one in old.below:
        if one not in kept:
            yield Difference(DECISIONS, one.place, one.whole, None, one.names)
    for one in new.below:
        if one not in was_of:
            yield Difference(DECISIONS, one.place, None, one.whole, one.names)
            continue
        was = was_of[one]
        names = was.names | one.names
        if was.head != one.head:
            yield Difference(DECISIONS, one.place, was.head, one.head, names)
        elif was.text != one.text:
            yield Difference(DECISIONS, one.place, was.text, one.text, names)
        elif was in moved:
            yield Difference(DECISIONS, one.place, "its place among the others", "another place", names)
        yield from _below(was, one)


def _pairs(old: Sequence[_Node], new: Sequence[_Node]) -> dict[_Node, _Node]:
    """Which new heading is which old one, in the order of the new: by title, by key, or by everything under it."""
    found: dict[_Node, _Node] = {}
    for by in map(attrgetter, ("title", "key", "whole")):
        taken = set(found.values())
        left: dict[str, list[_Node]] = {}
        for node in old:
            if node not in taken:
                left.setdefault(by(node), []).append(node)
        found |= {one: same.pop(0) for one in new if one not in found and (same := left.get(by(one)))}
    return {one: found[one] for one in new if one in found}


def _moved(old: Sequence[_Node], new: Sequence[_Node]) -> set[_Node]:
    """The headings that changed their place: the fewest that leave all others in their order."""
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
