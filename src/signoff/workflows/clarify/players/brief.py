"""A Markdown source as a researcher reads it: passages under their headings, with paragraphs and listed ways.

Code fences, comments, tables and frontmatter are passed by. Lines end at \\n, \\r\\n or \\r. Nothing here can fail: a
text without any heading is one passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from signoff.workflows.wording import HAN, clipped, folded, plain

TITLE: Final = 90

_LINES: Final = re.compile(r"\r\n|\r|\n")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM: Final = re.compile(
    r"([ \t]*)(?:(?:[-*+•●○▪–]|\d{1,3}[.)]|[A-Ha-h][.)])[ \t]+"
    r"|(?:\d{1,3}[、．]|[（(]\d{1,3}[)）]|[①-⑳]|[一二三四五六七八九十]{1,3}、)[ \t]*)"
    r"(?:\[[ xX]\][ \t]+)?(.*)$"
)
_PASSED: Final = re.compile(r"[ \t]*(?:\||<!--|[-*_]{3,}[ \t]*$|={3,}[ \t]*$)")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTED: Final = re.compile(r"\A[ \t]*(?:>[ \t]?)+")
_MARK: Final = r"[(（\[]\s*(?:{})\s*(?:[:：,，;—–-]\s*([^()（）\[\]]*))?\s*[)）\]]"
_MUST: Final = re.compile(_MARK.format("must[ -]settle|must[ -]answer|必须确定|必答|必须回答|必须定"), re.IGNORECASE)
_SETTLED: Final = re.compile(_MARK.format("settled|已定|已确定"), re.IGNORECASE)
_USUAL: Final = re.compile(_MARK.format("usual|通常|惯例|通行"), re.IGNORECASE)
_ADVISED: Final = re.compile(_MARK.format("recommended|推荐|建议"), re.IGNORECASE)
_WIDTH: Final = 72
_WIDTH_HAN: Final = 30
_LEADS_ON: Final = re.compile(
    r"[,;:，；：、—–-]$|\b(?:a|an|the|and|or|of|to|for|in|on|at|by|from|with|as|is|are|not|no)$", re.IGNORECASE
)
_TAG: Final = re.compile(r"\[\s*must answer\s*\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which something is done, and why it would be the one to take ("" where the source does not say)."""

    text: str
    raw: str
    marked: bool = False
    why: str = ""


@dataclass(slots=True)
class Passage:
    """What stands under one heading, up to the next one. `above` are the headings it stands under."""

    path: str
    title: str = ""
    level: int = 0
    above: tuple[str, ...] = ()
    must: bool = False
    settled: bool = False
    heading: str = ""
    paragraphs: list[str] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)

    @property
    def section(self) -> str:
        """The heading right above."""
        return self.above[-1] if self.above else ""


def lines(text: str) -> list[str]:
    """The lines of a text, as Markdown counts them."""
    return _LINES.split(text)


def passages(text: str, path: str) -> list[Passage]:
    """The passages of a source, in order."""
    found, above = list[Passage](), list[Passage]()
    for heading, body in _parts(_COMMENT.sub("", text)):
        level, title = heading
        above = [one for one in above if one.level < level]
        found.append(_opened(level, title, [one.title for one in above], path))
        if level:
            above.append(found[-1])
        _fill(found[-1], body)
    return found


def tidy_title(text: str) -> str:
    """A title as it may stand in a heading: no markup, no tags that code gives, one line, not too long."""
    return clipped(plain(_TAG.sub("", text)).replace("*", "").replace("\\", "").strip(" #_:：.。"), TITLE)


def _opened(level: int, text: str, above: list[str], path: str) -> Passage:
    bare = _SETTLED.sub("", _MUST.sub("", text))
    return Passage(
        path,
        title=tidy_title(bare),
        level=level,
        above=tuple(above),
        must=_MUST.search(text) is not None,
        settled=_SETTLED.search(text) is not None,
        heading=text,
    )


def _parts(text: str) -> Iterator[tuple[tuple[int, str], list[str]]]:
    """Each heading with the lines under it; level 0 for what stands before the first."""
    heading, body = (0, ""), list[str]()
    for line in _prose_lines(text):
        found = _HEADING.match(line)
        if found:
            yield heading, body
            heading, body = (len(found[1]), _title(line[found.end() :])), []
        else:
            body.append(line)
    yield heading, body


def _title(rest: str) -> str:
    """The text of a heading, without the marks that may close it."""
    text = rest.strip(" \t")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def _prose_lines(text: str) -> Iterator[str]:
    """The lines outside of frontmatter and fences; what is passed by leaves a blank line."""
    all_lines = lines(text)
    if all_lines[0].strip() == "---" and "---" in all_lines[1:]:
        all_lines = all_lines[all_lines.index("---", 1) + 1 :]
    fence = ""
    for line in all_lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
            yield ""
        elif mark:
            fence = mark[1]
            yield ""
        else:
            yield "" if _PASSED.match(line) else line


def _fill(passage: Passage, body: list[str]) -> None:
    """Sorts the lines under a heading into paragraphs and listed ways."""
    held, in_item = list[str](), False
    for line in [*body, ""]:
        item = _ITEM.match(line)
        nested = item is not None and in_item and len(item[1].expandtabs()) >= 2
        if (line.strip() and not item) or nested:
            held.append(item[2] if item and nested else _QUOTED.sub("", line, count=1))
            continue
        _close(passage, held, in_item)
        held, in_item = ([item[2]], True) if item else ([], False)


def _close(passage: Passage, held: list[str], in_item: bool) -> None:
    if in_item:
        raw = folded(" ".join(held))
        passage.ways += [_way(raw)] if raw else []
    else:
        blocks = [[line] for line in held] if _one_each(held) else [held]
        passage.paragraphs += [raw for block in blocks if (raw := folded(" ".join(block)))]


def _one_each(held: list[str]) -> bool:
    """Whether lines without marks are points of their own: none goes on from the one above, and none was wrapped."""
    texts = [line.strip() for line in held]
    if len(texts) < 2 or any(text[:1].islower() for text in texts) or any(map(_LEADS_ON.search, texts[:-1])):
        return False
    width = max(_WIDTH_HAN if HAN.search(texts[0]) else _WIDTH, *map(len, texts))
    room = (width - len(text) - 1 - len(_first(after)) for text, after in pairwise(texts))
    return all(left >= 0 or text[-1:] in ".?!。？！" for left, text in zip(room, texts, strict=False))


def _first(text: str) -> str:
    """What would have been put on the line above, had it been wrapped: a word, or one Han character."""
    return text[:1] if HAN.match(text) else text.split(" ")[0]


def _way(raw: str) -> Way:
    marks = [found for found in (_USUAL.search(raw), _ADVISED.search(raw)) if found]
    why = next((folded(found[1]) for found in marks if found[1]), "")
    text = plain(_USUAL.sub("", _ADVISED.sub("", raw))).strip(" ;；,，")
    return Way(text, raw, marked=bool(marks), why=why)
