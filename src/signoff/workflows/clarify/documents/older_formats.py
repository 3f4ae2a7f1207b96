"""The older forms of clarifications: read as if they were canonical, never written, each with its automatic repair.

Reading notes a spot wherever it meets one; what a spot says to people and what replaces it is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from signoff.artifacts.lines import Edit, Line, blank
from signoff.core.findings import Finding

if TYPE_CHECKING:
    from signoff.workflows.clarify.documents.parsing import Heading

AUTOMATIC: Final = "; this is repaired automatically"
"""How a repair ends that code makes."""

WANTED: Final = {
    "answer": ("an older form of the answer label", "write `**Answer:**`, with the colon inside the bold"),
    "recommendation": (
        "an older form of the recommendation label",
        "write `**Recommendation:**`, with the colon inside the bold",
    ),
    "box": ("an older form of a choice, with a box", "write `A. text`; a ticked box becomes the answer"),
    "bullet": ("an older form of a choice, with a bullet", "write `A. text`"),
    "choice": ("an older form of a choice", "write `A. text`"),
    "bold": ("an older, bold form of a refinement's heading", "write `##### R1.1: Title`"),
    "choices": ("a label that choices no longer have", "leave the label out: `A. text` says what it is"),
    "question": ("a label that the question's text no longer has", "leave the label out and keep the text"),
    "group": (
        "a group instead of a tag in the heading",
        "write `### Q1: Title [MUST ANSWER]` and drop the group",
    ),
    "colon": ("written with a full-width colon", "write `:`"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place in an older form. No edits: it has to be repaired by hand, and `by_hand` says how."""

    form: str
    line: int
    found: str
    edits: tuple[Edit, ...] = ()
    by_hand: str = ""


def finding(spot: Spot, file: str) -> Finding:
    """What a spot says to people."""
    what, repair = WANTED[spot.form]
    shown = spot.found if len(spot.found) <= 60 else spot.found[:57] + "..."
    return Finding(
        rule=f"clarifications.older.{spot.form}",
        problem=f"`{shown}` is {what}",
        repair=spot.by_hand or repair + AUTOMATIC,
        file=file,
        line=spot.line,
        severity="warning" if spot.by_hand else "error",
    )


# --- groups in place of the tag ----------------------------------------------------------------------------------


def group_spots(heads: Sequence[Heading], lines: Sequence[Line]) -> Iterator[Spot]:
    """`### Required` and `### Optional`: the headings go, and the questions below them get the tag."""
    if any(head.role == "group" for head in heads):
        sections = [place for place, head in enumerate(heads) if place and head.role == "section"]
        for begin, end in pairwise([0, *sections, len(heads)]):
            yield from _in_section(heads, lines, begin, end)


def _in_section(heads: Sequence[Heading], lines: Sequence[Line], begin: int, end: int) -> Iterator[Spot]:
    """All groups of a section or none: were one left, it would take in the questions of the next."""
    groups = [place for place in range(begin, end) if heads[place].role == "group"]
    stuck = _stuck(heads, lines, begin, end)
    by_hand = f"move the text below `### {stuck.title}` (line {stuck.line}) elsewhere" if stuck else ""
    for place, stop in pairwise([*groups, end]):
        line = lines[heads[place].at]
        untagged = (head for head in heads[place:stop] if head.role == "question" and head.must and not head.tagged)
        tags = ((head.title_end, head.title_end, " [MUST ANSWER]") for head in untagged)
        edits = () if stuck else ((line.start, line.stop, ""), *tags)
        yield Spot(form="group", line=line.number, found=line.text.strip(), edits=edits, by_hand=by_hand)


def _stuck(heads: Sequence[Heading], lines: Sequence[Line], begin: int, end: int) -> Heading | None:
    """The first group with text of its own that would fall to an item, or to its refinements, were the heading gone."""
    before = "section"
    for place in range(begin, end):
        if heads[place].role != "group":
            before = heads[place].role
            continue
        stop = heads[place + 1].at if place + 1 < len(heads) else len(lines)
        own = any(not blank(line.text) for line in lines[heads[place].at + 1 : stop])
        if own and before not in ("section", "wrong", "other"):
            return heads[place]
    return None
