"""A page as the players read it: of what kind it is, who speaks, and its paragraphs under their headings.

A page says itself what it is, in a line under its title (`Interview · Tunde Adeyemi, maintenance foreman`), or is known
by the words of its title and headings. What is none of the known kinds is a note, and can be quoted like the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from signoff.artifacts import frontmatter, yamlio
from signoff.artifacts.markdown_spans import sentence_ends
from signoff.core.errors import SignoffError
from signoff.workflows.article.players.lexicon import HAN, KINDS, MARKUP, Kind
from signoff.workflows.wording import folded, sentences

_BYLINE = re.compile(r"^(?P<what>[^·|.。]{2,40})\s[·|]\s(?P<who>[^·|。]{2,160})$")
_SPEAKER = re.compile(
    r"(?:[Ii]nterview(?: with)?:?\s+|访谈[：:]\s*)"
    r"((?:(?:Dr\.|Prof\.)\s)?[A-Z]\w+(?:\s[A-Z]\w+)+|[\u4e00-\u9fff]{2,4}(?=谈))"
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_STOPS = ".!?…:;,。！？：；，、"
_LONGEST_HEADING = 12
_LONGEST_HAN_HEADING = 24


@dataclass(frozen=True)
class Passage:
    """One paragraph, its place in the page, and the heading it stands under."""

    at: int
    heading: str
    text: str

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return tuple(sentences(self.text))


@dataclass(frozen=True)
class Reading:
    """A page that was read. `source` is who it comes from or who speaks, as the page says; empty where it does not."""

    url: str
    title: str
    kind: Kind
    source: str
    passages: tuple[Passage, ...]
    headings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The person or house, without what they do."""
        return re.split(r"[,，]", self.source)[0].strip()

    @property
    def office(self) -> str:
        """What the person does; empty for a house."""
        return folded("".join(re.split(r"[,，]\s*", self.source, maxsplit=1)[1:]))

    @cached_property
    def text(self) -> str:
        return " ".join((self.title, *self.headings, *(passage.text for passage in self.passages)))

    @cached_property
    def language(self) -> str:
        """What most of it is written in."""
        return "zh" if len(HAN.findall(self.text)) * 4 > len(self.text) else "en"

    @cached_property
    def sentences(self) -> tuple[tuple[Passage, str], ...]:
        """Every sentence that can be quoted as it stands."""
        return tuple((one, said) for one in self.passages for said in one.sentences if not MARKUP.search(said))


def beginning(text: str, count: int) -> str:
    """The first sentences of a paragraph, as they stand there."""
    return text[: sentence_ends(text)[count - 1]].strip() if count else ""


def read(text: str, url: str = "", title: str = "") -> Reading:
    """A page from its file: the head that the run gave it, then the text of the document."""
    head, body = _head(text)
    blocks = list(_blocks(body))
    named = title or str(head.get("title") or "") or next((said for kind, said in blocks if kind == "heading"), "")
    byline = next((found for _, said in blocks[:4] if (found := _BYLINE.match(said))), None)
    passages, headings = _placed(blocks, named, byline.group() if byline else "")
    kind = _kind(byline["what"] if byline else "", named, headings)
    source = byline["who"].strip() if byline else _named_in(named, kind)
    return Reading(url or str(head.get("url") or ""), named, kind, source, passages, headings)


def _head(text: str) -> tuple[dict[str, object], str]:
    """The fields that the file begins with, none where they cannot be read."""
    try:
        head, body = frontmatter.split(text, "")
        return dict(yamlio.load_mapping(head, "")), body
    except SignoffError:
        return {}, text


def _placed(blocks: Sequence[tuple[str, str]], title: str, byline: str) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    passages, headings, under = list[Passage](), list[str](), ""
    for kind, said in blocks:
        if kind == "heading":
            under = said if said != title else ""
            headings += [under] if under else []
        elif said != byline:
            passages.append(Passage(len(passages), under, said))
    return tuple(passages), tuple(headings)


# --- blocks -----------------------------------------------------------------------------------------------------------


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Headings and paragraphs in their order; tables and code are left out."""
    fenced = False
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line.rstrip() for line in block.split("\n") if line.strip() and not line.lstrip().startswith("<!")]
        fences = sum(line.lstrip().startswith("```") for line in lines)
        if not fenced and not fences and lines and not lines[0].lstrip().startswith("|"):
            yield from _of_lines(lines)
        fenced ^= fences % 2 == 1


def _of_lines(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    gathered: list[str] = []
    for at, line in enumerate(lines):
        heading = _heading(line, lines[at + 1] if at + 1 < len(lines) else "", gathered, alone=len(lines) == 1)
        byline = _BYLINE.match(line.strip())
        if heading or byline or _ITEM.match(line):
            yield from _paragraph(gathered)
            gathered = []
        if heading:
            yield "heading", heading
        elif byline:
            yield "paragraph", byline.group()
        else:
            gathered.append(_ITEM.sub("", line).strip())
    yield from _paragraph(gathered)


def _paragraph(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    if said := folded(" ".join(lines)):
        yield "paragraph", said


def _heading(line: str, following: str, before: Sequence[str], *, alone: bool) -> str:
    """The heading that a line is; empty where it is text. Documents that lost their markup have short bare lines."""
    if found := _HEADING.match(line):
        return folded(found[1])
    said = line.strip()
    if _ITEM.match(line) or _BYLINE.match(said) or not _short(said):
        return ""
    if alone:
        return said if said[-1] not in _STOPS or said[-1] in "?？" else ""
    rested = not before or before[-1][-1] in ".!?。！？"
    begins = rested and bool(following) and not following.strip()[0].islower()
    return said if begins and said[-1] not in _STOPS else ""


def _short(line: str) -> bool:
    return len(line) <= _LONGEST_HAN_HEADING if HAN.search(line) else len(line.split()) <= _LONGEST_HEADING


# --- kinds ------------------------------------------------------------------------------------------------------------


def _kind(what: str, title: str, headings: Sequence[str]) -> Kind:
    for text in (what, title, " ".join(headings)):
        found = next((kind for kind, words in KINDS.items() if text and words.search(text)), None)
        if found:
            return found
    return "note"


def _named_in(title: str, kind: Kind) -> str:
    """Who speaks in an interview, where only its title says so."""
    if kind != "interview":
        return ""
    found = _SPEAKER.search(title)
    return found[1] if found else ""
