"""Markdown by its headings: the sections of a text, and the required sections that are missing.

A heading is a line that begins with one to six `#`, outside of code fences; a fence that never ends is text. Every
line of a text belongs to exactly one heading or stands before the first.
"""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from signoff.artifacts import lines
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what is under it. `text[start:end]` of the document is all of it, the headings below included."""

    level: int
    title: str
    line: int
    body: str
    """The text between this heading and the next one of any level; line ends are LF."""
    whole: str
    """The same up to the next heading of this level or above it."""
    start: int
    end: int


@lru_cache(maxsize=256)
def split(text: str) -> tuple[Section, ...]:
    """The sections in their order; text before the first heading is one of level 0, without a title, at line 0."""
    rows = lines.split(text)
    fenced = lines.closed_fences([row.text for row in rows])
    heads = [(at, found) for at, row in enumerate(rows) if not fenced[at] and (found := lines.heading(row.text))]
    first = heads[0][0] if heads else len(rows)
    before = _joined(rows[:first])
    sections = (
        [Section(0, "", 0, before, before, 0, rows[first].start if heads else len(text))] if before.strip() else []
    )
    nexts = [*(at for at, _ in heads), len(rows)][1:]
    ends = _ends([(at, level) for at, (level, _, _) in heads], len(rows))
    for (at, (level, begin, end)), following, below in zip(heads, nexts, ends, strict=True):
        sections.append(
            Section(
                level=level,
                title=rows[at].text[begin:end],
                line=rows[at].number,
                body=_joined(rows[at + 1 : following]),
                whole=_joined(rows[at + 1 : below]),
                start=rows[at].start,
                end=rows[below].start if below < len(rows) else len(text),
            )
        )
    return tuple(sections)


def _ends(heads: Sequence[tuple[int, int]], last: int) -> list[int]:
    """For each heading (line, level), the line of the next heading of the same or a higher level."""
    ends, following = [], [last] * 7
    for at, level in reversed(heads):
        ends.append(following[level])
        following[level:] = [at] * (7 - level)
    return ends[::-1]


def _joined(rows: Iterable[lines.Line]) -> str:
    return "\n".join(row.text for row in rows)


def under(sections: Sequence[Section], top: Section) -> Iterator[Section]:
    """The sections below one, at any depth."""
    first = bisect_right(sections, top.start, key=lambda one: one.start)
    return takewhile(lambda one: one.start < top.end, sections[first:])


def heading(level: int, title: str) -> str:
    """A heading line, written so that a `#` at the end of the title is not read as a closing mark."""
    line = f"{'#' * level} {' '.join(title.split())}"
    found = lines.heading(line)
    return f"{line} #" if found and found[2] < len(line) else line


def folded(title: str) -> str:
    """A title for comparison: without case, extra white space, bold, a last colon, curly apostrophes and `&`."""
    bare = title.replace("’", "'").replace("&", " and ").replace("**", "")
    return " ".join(bare.casefold().split()).rstrip(": ")


def named(sections: Sequence[Section], title: str, level: int = 2) -> Section | None:
    """The first section of this name."""
    wanted = folded(title)
    return next((one for one in sections if one.level == level and folded(one.title) == wanted), None)


def required(sections: Sequence[Section], titles: Sequence[str], file: str, *, rule: str) -> dict[str, Section]:
    """The sections of these titles, at level 2; DocumentError names each that is missing or there twice.

    Other sections may stand between them.
    """
    found = {title: one for title in titles if (one := named(sections, title))}
    missing = [_missing(sections, titles, title, file, rule) for title in titles if title not in found]
    if findings := [*missing, *_twice(sections, found, file, rule)]:
        raise DocumentError(findings)
    return found


def _missing(sections: Sequence[Section], titles: Sequence[str], title: str, file: str, rule: str) -> Finding:
    near = _near(sections, titles, title)
    problem, repair = f"the section “{title}” is missing", f"add a line `## {title}` and its text"
    if near:
        problem += f"; line {near.line} has `{'#' * near.level} {near.title}`"
        repair = f"write line {near.line} as `## {title}`"
    after = titles[titles.index(title) + 1 :]
    follower = next((one for other in after if (one := named(sections, other))), None)
    last = max((one.line + one.body.count("\n") for one in sections), default=1)
    line = near.line if near else follower.line if follower else max(1, last)
    return Finding(rule=f"{rule}.section", problem=problem, repair=repair, file=file, line=line, about=title)


def _near(sections: Sequence[Section], titles: Sequence[str], title: str) -> Section | None:
    """A heading that is probably meant for this title: at another level, or misspelt."""
    taken = {folded(other) for other in titles}
    for one in sections:
        if one.level and one.level != 2 and folded(one.title) == folded(title):
            return one
    others = {folded(one.title): one for one in sections if one.level == 2 and folded(one.title) not in taken}
    close = difflib.get_close_matches(folded(title), others, 1, 0.75)
    return others[close[0]] if close else None


def _twice(sections: Sequence[Section], found: dict[str, Section], file: str, rule: str) -> Iterator[Finding]:
    for title, first in found.items():
        for one in sections:
            if one.level == first.level and one is not first and folded(one.title) == folded(title):
                problem = f"the section “{title}” is there twice, in line {first.line} and in line {one.line}"
                repair = "put both into one"
                yield Finding(
                    rule=f"{rule}.section", problem=problem, repair=repair, file=file, line=one.line, about=title
                )
