"""A draft or an outline as text that can be taken apart and put together again: title, introduction, sections."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from signoff.artifacts import markdown
from signoff.workflows.article.players.judging import length

INTRODUCTION, CONCLUSION = "introduction", "conclusion"
MARKER = re.compile(r"[ \t]*<!--\s*material:\s*([A-Z]+-?\d+)\s*-->", re.IGNORECASE)
IMAGE = re.compile(r"^<!--\s*image:.*-->$", re.IGNORECASE)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_BULLET = re.compile(r"^\s*[-*]\s*(material|point|thesis)\s*:\s*(.+?)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """The introduction, which has no title, or a section."""

    place: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    @cached_property
    def bare(self) -> str:
        """What a reader sees, on one line."""
        return " ".join(bare(paragraph) for paragraph in self.paragraphs if not IMAGE.match(paragraph))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(MARKER.findall(self.text)))


@dataclass(frozen=True)
class Manuscript:
    title: str
    parts: tuple[Part, ...]

    @property
    def body(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.place.startswith("H2-"))

    def part(self, place: str) -> Part | None:
        return next((part for part in self.parts if part.place == place), None)

    def with_part(self, new: Part) -> Manuscript:
        return replace(self, parts=tuple(new if part.place == new.place else part for part in self.parts))

    @property
    def text(self) -> str:
        blocks = [f"# {self.title}"]
        for part in self.parts:
            blocks += [f"## {part.title}"] if part.place != INTRODUCTION else []
            blocks += list(part.paragraphs)
        return "\n\n".join(blocks) + "\n"

    def length(self, language: str) -> int:
        return measured(self.text, language)


def measured(text: str, language: str) -> int:
    """As the budget is counted: what a reader sees, headings included."""
    return length(markdown.parse(text).visible(), language)


def bare(paragraph: str) -> str:
    """A paragraph without markers, links as their words."""
    return LINK.sub(r"\1", MARKER.sub("", paragraph)).strip()


def parse(text: str) -> Manuscript:
    """A draft or outline from its text; the last section is the conclusion."""
    blocks = [block.strip() for block in re.split(r"\n\s*\n|\n(?=#)", text.strip()) if block.strip()]
    title, grouped = "", [("", list[str]())]
    for block in blocks:
        head, _, rest = block.partition("\n")
        if head.startswith("## "):
            grouped.append((head[3:].strip(), [rest.strip()] if rest.strip() else []))
        elif head.startswith("# ") and not title:
            title = head[2:].strip()
            grouped[-1][1].extend([rest.strip()] if rest.strip() else [])
        else:
            grouped[-1][1].append(block)
    last = len(grouped) - 1
    places = [INTRODUCTION, *(CONCLUSION if at == last else f"H2-{at}" for at in range(1, last + 1))]
    parts = (Part(place, name, tuple(body)) for place, (name, body) in zip(places, grouped, strict=True))
    return Manuscript(title, tuple(parts))


@dataclass(frozen=True)
class Planned:
    """A section of an outline."""

    place: str
    title: str
    materials: tuple[str, ...]
    points: tuple[str, ...]
    own: bool


def planned(outline: str) -> tuple[str, tuple[Planned, ...]]:
    """The title and the sections of an outline, with what each of their bullets says."""
    parsed = parse(outline)
    return parsed.title, tuple(_planned(part) for part in parsed.parts)


def _planned(part: Part) -> Planned:
    said: Mapping[str, list[str]] = {"material": [], "point": [], "thesis": []}
    for line in part.text.split("\n"):
        if found := _BULLET.match(line):
            said[found[1].lower()].append(found[2])
    ids = tuple(one.strip() for line in said["material"] for one in line.split(","))
    return Planned(part.place, part.title, ids, tuple(said["point"]), said["thesis"][:1] == ["yes"])


def outline_text(title: str, sections: Sequence[Planned]) -> str:
    blocks = [f"# {title}"]
    for section in sections:
        bullets = [*(f"- material: {one}" for one in section.materials), *(f"- point: {one}" for one in section.points)]
        bullets += ["- thesis: yes"] if section.own else []
        head = [f"## {section.title}"] if section.place != INTRODUCTION else []
        blocks += [*head, *(["\n".join(bullets)] if bullets else [])]
    return "\n\n".join(blocks) + "\n"
