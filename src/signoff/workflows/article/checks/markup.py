"""A draft is plain text: nothing stands before its title, and nothing in it hides from the checks or from readers.

What only a program sees (a tag, a comment, a tip behind a link, a character without a shape) would go to readers
unmeasured: a number behind it leads to no quote, and a link in it is declared nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.artifacts import markdown
from signoff.core.findings import Finding
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.checks.text import MATERIALS, stripped

PLAIN_TAGS: Final = frozenset({"b", "i", "em", "strong", "sub", "sup"})
"""Tags that may be there, without anything beside their name."""

_TAG: Final = re.compile(r"<(?:/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|\Z)\s*([^<>]*)>?|[!?][^<>]*>?)")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_TIP: Final = re.compile(r"\]\([^()\s]*\s+[\"'(][^\n]*|^ {0,3}\[[^\]\n]+\]:\s*\S+\s+[\"'(][^\n]*", re.MULTILINE)
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\U000e0000-\U000e0fff]|(?<=[\\w%])\u200d|\u200d(?=[\\w%])"
)


def plain(given: Given) -> Iterator[Finding]:
    """Nothing is hidden."""
    yield from _title(given)
    for found in _UNSEEN.finditer(given.draft):
        problem = f"there is a character that nobody sees, U+{ord(found.group()):04X}"
        yield _at(given, found.start(), problem, "take it out")
    for found in _TIP.finditer(given.draft):
        yield _at(given, found.start(), f"a link has words behind it: {found.group()[:60]!r}", "leave them out")
    yield from _tags(given)
    for link in given.article.page.links:
        if link.kind == "image":
            problem = f"there is a picture, {link.url!r}, that nobody asked for"
            yield _line(given, link.line, problem, "ask for it on a line of its own: <!-- image: what it shows -->")


def _title(given: Given) -> Iterator[Finding]:
    """The article begins with its title, and has one."""
    heads = [head for head in given.article.page.headings if head.level == 1]
    if heads and given.draft[: _start(given.draft, heads[0].line)].strip("\ufeff \t\r\n"):
        yield _line(given, 1, "something stands before the title", "begin with the title, write it further down")
    for head in heads[1:]:
        yield _line(given, head.line, f"{head.text!r} is one more title", "make it a heading with `###`")


def _start(text: str, line: int) -> int:
    """Where a line begins."""
    return sum(map(len, text.splitlines(keepends=True)[: line - 1]))


def _tags(given: Given) -> Iterator[Finding]:
    """In what readers get: markers and wishes for pictures are out of it."""
    text = stripped(given.draft)
    if found := MATERIALS.comment.search(text):
        problem = f"readers would see the marker {found.group()}"
        yield _at(given, given.draft.find(found.group()), problem, "take it out of the code")
    page, rows = markdown.parse(text, MATERIALS), text.splitlines()
    for block in page.blocks:
        fenced = block.kind == "code" and not rows[block.line - 1].lstrip(" >").startswith("<")
        for tag in _TAG.finditer("" if fenced else _CODE.sub("", block.text)):
            if (tag[1] or "").lower() not in PLAIN_TAGS or (tag[2] or "").strip(" /"):
                problem = f"{tag.group()[:60]!r} is no plain text"
                repair = f"write it without, or write &lt; for <; valid: {', '.join(sorted(PLAIN_TAGS))}"
                yield _at(given, given.draft.find(tag.group()), problem, repair)


def _at(given: Given, place: int, problem: str, repair: str) -> Finding:
    return _line(given, given.draft.count("\n", 0, max(0, place)) + 1, problem, repair)


def _line(given: Given, line: int, problem: str, repair: str) -> Finding:
    about = [part.place for part in given.article.parts if part.line <= line]
    return Finding(rule="article.markup", problem=problem, repair=repair, file=given.file, line=line, about=about[-1])
