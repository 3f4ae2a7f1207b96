"""What code reads in the foundation documents: the sections with a form, each as far as it is there.

positioning.md has `For whom`, `Problem`, `Why us`, `How it works`, `Alternatives` and `Price` (paragraphs or a list),
`Proof` (`- claim with a number (its source)`), `Features` (`- Name: benefit`), `Objections` (`- question: answer`) and
`Call to action` (one line, or one link). brand-voice.md has `Words we avoid` (`- word: what to say instead`) and
`Words we use`; seo-strategy.md `Keywords`, the primary one first, and `Limits` (`- title: 60 characters`);
social-media-strategy.md `Limits` (`- post: 280 characters`, `- tags: 2`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from signoff.artifacts import markdown
from signoff.artifacts.markdown import Block, Heading, Page
from signoff.artifacts.markdown_spans import squeeze

_QUOTES: Final = " \t\"'“”‘’*_`"
_SOURCES: Final = (". source:", "; source:", ", source:", " source:", " — ", " – ", "; measured", ", measured")
_NUMBER: Final = re.compile(r"\d{1,3}(?:,?\d{3}|\d{0,3})", re.ASCII)
_ANCHOR: Final = "#start"


@dataclass(frozen=True, slots=True)
class Part:
    """A section of level 2 with what stands in it; `blocks` are all under it, those of lower headings included."""

    heading: Heading | None
    blocks: tuple[Block, ...]

    @property
    def title(self) -> str:
        return self.heading.text if self.heading else ""

    @property
    def last_line(self) -> int:
        """Its last line with anything on it."""
        return max((block.last_line for block in self.blocks), default=self.heading.last_line if self.heading else 0)


def parts(page: Page) -> tuple[Part, ...]:
    """The page cut before each heading of level 2; the first part is what stands above all of them."""
    cut = list[tuple[Heading | None, list[Block]]]([(None, [])])
    for block in page.blocks:
        heading = page.headings[block.section] if block.kind == "heading" and block.section is not None else None
        if heading is not None and heading.level == 2:
            cut.append((heading, []))
        else:
            cut[-1][1].append(block)
    return tuple(Part(heading, tuple(blocks)) for heading, blocks in cut)


def parse(text: str) -> Page:
    """A page of the beginning of a text, as much of it as is read as Markdown."""
    return markdown.parse(text[: markdown.MAX_CHARS])


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim, and where its number comes from; `source` is empty where the line does not say."""

    claim: str
    source: str

    @property
    def full(self) -> str:
        return f"{self.claim} ({self.source})" if self.source else self.claim


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands before the first colon of a line, and what stands behind it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """What the reader is asked to do, and where that is done."""

    label: str
    url: str


def proof_of(line: str) -> Proof:
    """`claim (source)`, `claim — source`, `claim. Source: source`; without any of them a claim alone."""
    text = squeeze(line).rstrip(" .")
    if text.endswith(")") and "(" in text[1:]:
        claim, _, source = text[:-1].rpartition("(")
        return Proof(claim.rstrip(" ,;:"), source.strip())
    lowered = text.lower()
    for mark in _SOURCES:
        at = lowered.find(mark)
        if at > 0:
            return Proof(text[:at].rstrip(" ,;:."), text[at + len(mark) - (8 if "measured" in mark else 0) :].strip())
    return Proof(text, "")


@dataclass(frozen=True)
class Document:
    """A foundation document; a section that it lacks is empty."""

    text: str

    @cached_property
    def _page(self) -> Page:
        return parse(self.text)

    @cached_property
    def _parts(self) -> Mapping[str, Part]:
        return {part.title.casefold(): part for part in reversed(parts(self._page)) if part.heading}

    def lines(self, section: str) -> tuple[str, ...]:
        """The paragraphs and list items of a section, each on one line, with their inline markup."""
        part = self._parts.get(section.casefold())
        found = (block for block in part.blocks if block.kind in ("paragraph", "item")) if part else ()
        return tuple(line for block in found if (line := squeeze(block.text)))

    def pairs(self, section: str) -> tuple[Pair, ...]:
        return tuple(pair for line in self.lines(section) if (pair := _pair(line)).name)

    def link(self, section: str) -> Action | None:
        part = self._parts.get(section.casefold())
        lines = {block.line for block in part.blocks} if part else set[int]()
        found = (link for link in self._page.links if link.kind == "link" and link.line in lines and link.text)
        return next((Action(link.text, link.url) for link in found), None)


def _pair(line: str) -> Pair:
    """`Name: text`, or a question with its answer, with or without a colon between them."""
    at = line.find("?")
    if at > 0 and ":" not in line[:at]:
        return Pair(line[: at + 1].strip(_QUOTES), line[at + 1 :].lstrip(f":{_QUOTES}"))
    name, _, text = line.partition(":")
    return Pair(name.strip(_QUOTES), text.lstrip(_QUOTES))


@dataclass(frozen=True)
class Foundation:
    """The documents of a turn by their type, read when they are asked for."""

    docs: Mapping[str, str]

    def has(self, doc: str) -> bool:
        return bool(self.docs.get(doc, "").strip())

    @cached_property
    def positioning(self) -> Document:
        return Document(self.docs.get("positioning", ""))

    @cached_property
    def voice(self) -> Document:
        return Document(self.docs.get("brand-voice", ""))

    def said(self, section: str) -> tuple[str, ...]:
        """The lines of a section of the positioning."""
        return self.positioning.lines(section)

    @cached_property
    def proof(self) -> tuple[Proof, ...]:
        """What the positioning proves, and the facts of the idea."""
        return tuple(
            proof_of(line) for line in (*self.said("Proof"), *Document(self.docs.get("idea", "")).lines("Facts"))
        )

    @cached_property
    def evidence(self) -> str:
        """Everything that a number may come from."""
        return "\n".join(text for _, text in sorted(self.docs.items()))

    @cached_property
    def features(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.positioning.pairs("Features") if pair.text)

    @cached_property
    def objections(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.positioning.pairs("Objections") if pair.text)

    @cached_property
    def action(self) -> Action | None:
        """The one call to action: a link, or a line that may end with its address."""
        if link := self.positioning.link("Call to action"):
            return link
        lines = self.said("Call to action")
        return _action_of(lines[0]) if lines else None

    @cached_property
    def avoided(self) -> Mapping[str, str]:
        """Each avoided word in lower case, with what to say instead."""
        return {pair.name.casefold(): pair.text.strip(" .") for pair in self.voice.pairs("Words we avoid")}

    @cached_property
    def preferred(self) -> tuple[str, ...]:
        return tuple(pair.name for pair in self.voice.pairs("Words we use"))

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        lines = Document(self.docs.get("seo-strategy", "")).lines("Keywords")
        return tuple(word for line in lines if (word := _keyword(line)))

    def limit(self, doc: str, name: str) -> int | None:
        """The number of the line `- name: 280 characters` under `Limits` of a document."""
        for pair in Document(self.docs.get(doc, "")).pairs("Limits"):
            number = _NUMBER.search(pair.text)
            if pair.name.casefold() in (name, f"{name}s") and number:
                return int(number.group().replace(",", "")) or None
        return None


def _action_of(line: str) -> Action:
    label, _, url = line.partition("http")
    address = f"http{url.split()[0]}" if url.split() else ""
    return Action(label.strip(" .:→()<>[]*_-–—"), address.rstrip(".,)>") or _ANCHOR)


def _keyword(line: str) -> str:
    """`primary: berth planning software (450 searches)` is `berth planning software`."""
    name, colon, rest = line.partition(":")
    text = rest if colon and name.strip(_QUOTES).casefold().startswith(("primary", "secondary", "main")) else name
    return text.partition("(")[0].partition(" — ")[0].strip(f"{_QUOTES}.,;")


@lru_cache(maxsize=16)  # the same documents are asked for by each rule and each revision
def _foundation(docs: tuple[tuple[str, str], ...]) -> Foundation:
    return Foundation(dict(docs))


def foundation(docs: Mapping[str, str]) -> Foundation:
    return _foundation(tuple(sorted(docs.items())))


def idea_text(title: str, audience: str, facts: Sequence[str], body: str) -> str:
    """An idea as a document of its own, so that critics can look facts up in it."""
    return "\n".join(_idea_lines(squeeze(title), squeeze(audience), facts, body))


def _idea_lines(title: str, audience: str, facts: Sequence[str], body: str) -> Iterator[str]:
    yield from (f"# {title}", "", f"For {audience}.", "", "## Facts", "")
    yield from (f"- {squeeze(fact)}" for fact in facts)
    yield from ("", "## More", "", body)
