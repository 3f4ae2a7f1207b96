"""A draft as the checks see it: its introduction, its sections and its conclusion, each with what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from signoff.artifacts import markdown
from signoff.artifacts.markdown import Link, Page, Sentence
from signoff.artifacts.markdown_parsing import marks
from signoff.artifacts.words import count_cn, count_en
from signoff.core.findings import Finding, Severity
from signoff.workflows.article.documents.config_schema import ArticleConfig
from signoff.workflows.article.documents.materials import Item
from signoff.workflows.article.documents.terms import ID

INTRODUCTION, CONCLUSION = "introduction", "conclusion"
MATERIALS: Final = marks("material", ID, r"\bmaterial\b|\b(?:CASE|EXP|DEB|VOICE)-\d+\b")
"""What stands right after a sentence that uses a material, and is not in the finished article."""

_IMAGE = re.compile(r"^[ \t]*<!--[ \t]*image[ \t]*:[ \t]*(\S.*?)[ \t]*-->[ \t]*$\n?", re.IGNORECASE | re.MULTILINE)
_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]+|[^\W\d_]{{4,}}")
_ANY_WORD = re.compile(r"[^\W_]+")
_BARE = re.compile(r"(?<![\w/.@])(?:https?://|www\.)[^\s<>\"'()\[\]`，。；！？、）」』】]+", re.IGNORECASE)


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_COMMON = _words(
    "about after again also because been before being both could does doing down during each every from further have "
    "having here into itself just more most much must only other over same should some such than that their them then "
    "there these they this those through under until very what when where which while whom will with would your yours"
)
"""Words that say nothing of what a text is about."""
_SMALL = _words(
    "a all an and any are as at be but by can did do for had has he her him his how i if in is it its may me my no nor "
    "not of off on one or our out own she so the to too up us was we who why yes you"
)
"""Those of them that are short: only asked about where a text has no longer words."""


@dataclass(frozen=True, slots=True)
class Part:
    """The introduction, a section, or the conclusion, which is the last section.

    `paragraphs` are what counts as its text; `sentences` have its headings too, the introduction's that of the article,
    and `code` is what stands in blocks of code: readers see all of it.
    """

    place: str
    title: str
    line: int
    paragraphs: tuple[str, ...]
    sentences: tuple[Sentence, ...] = field(repr=False)
    ids: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    code: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)

    @property
    def seen(self) -> str:
        """All that readers see of it."""
        return "\n".join((*(one.text for one in self.sentences), *self.code))


@dataclass(frozen=True, slots=True)
class Article:
    """The whole draft, parsed once."""

    title: str
    parts: tuple[Part, ...]
    page: Page = field(repr=False)

    def part(self, place: str) -> Part | None:
        return next((part for part in self.parts if part.place == place), None)

    @property
    def sections(self) -> tuple[Part, ...]:
        """What has a heading: the sections, with the conclusion last."""
        return tuple(part for part in self.parts if part.place != INTRODUCTION)

    @property
    def body(self) -> tuple[Part, ...]:
        """The sections between introduction and conclusion."""
        return tuple(part for part in self.parts if part.place.startswith("H2-"))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one for part in self.parts for one in part.ids)

    def length(self, language: str) -> int:
        """Words; in Chinese, characters."""
        count = count_cn if language == "zh" else count_en
        return count(self.page.visible())


@lru_cache(maxsize=8)  # every check asks for the same draft
def read(draft: str) -> Article:
    """A draft, or an outline: its parts are found by its headings."""
    page = markdown.parse(draft, MATERIALS)
    heads = [head for head in page.headings if head.level == 2]
    first = next((head for head in page.headings if head.level == 1), None)
    bounds = [1, *(head.line for head in heads), page.line_count + 1]
    names = [INTRODUCTION, *(f"H2-{number}" for number in range(1, len(heads))), CONCLUSION][: len(heads) + 1]
    titles = ["", *(head.text for head in heads)]
    rows = zip(names, titles, bounds, bounds[1:], strict=False)
    parts = (_part(page, name, title, range(start, end)) for name, title, start, end in rows)
    return Article(title=first.text if first else "", parts=tuple(parts), page=page)


def _part(page: Page, place: str, title: str, lines: range) -> Part:
    heads = {head.line for head in page.headings}
    blocks = [block for block in page.blocks if block.line in lines and block.line not in heads and block.visible]
    return Part(
        place=place,
        title=title,
        line=lines.start,
        paragraphs=tuple(block.visible for block in blocks),
        sentences=tuple(one for one in page.all_sentences if one.line in lines),
        ids=tuple(dict.fromkeys(marker.claim_id for marker in page.markers if marker.line in lines)),
        links=(*(link for link in page.links if link.line in lines), *_bare_links(page, lines)),
        code=tuple(block.text for block in page.blocks if block.kind == "code" and block.line in lines),
    )


def _bare_links(page: Page, lines: range) -> Iterator[Link]:
    """Addresses that stand in the text as they are: many a page shows them as links."""
    known = {link.url for link in page.links}
    rows = page.text.splitlines()
    for line in lines:
        for found in _BARE.finditer(rows[line - 1] if line <= len(rows) else ""):
            url = found.group().rstrip(".,;:!?*_~")
            if url not in known:
                yield Link(url=url, line=line, kind="autolink", text=url)


def stripped(draft: str) -> str:
    """The text that readers get: no materials, no wishes for pictures; stripping twice changes nothing."""
    bare = _IMAGE.sub("", markdown.strip_claims(draft, MATERIALS))
    return re.sub(r"\n{3,}", "\n\n", bare).strip() + "\n"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that the article wants, and after which part of it."""

    place: str
    shows: str
    line: int


def images(draft: str) -> Iterator[Image]:
    """The pictures in their order."""
    article = read(draft)
    for found in _IMAGE.finditer(draft):
        line = draft.count("\n", 0, found.start()) + 1
        place = [part.place for part in article.parts if part.line <= line] or [INTRODUCTION]
        yield Image(place[-1], found.group(1), line)


# --- how much of one text another one says ----------------------------------------------------------------------------


def terms(text: str) -> frozenset[str]:
    """What a text is about: its longer words, and the pairs of its Han characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if re.match(rf"[{_HAN}]", word):
            found |= {word[at : at + 2] for at in range(max(1, len(word) - 1))}
        elif word not in _COMMON:
            found.add(_stem(word))
    return frozenset(found)


def _stem(word: str) -> str:
    """One form for a word and its plainest endings."""
    return re.sub(r"(?:ing|ed|es|s|e)$", "", word) or word


def share(of: str, text: str) -> float:
    """How much of what one text is about the other one is about too."""
    if wanted := terms(of):
        return len(wanted & terms(text)) / len(wanted)
    if wanted := _short_words(of):
        return len(wanted & _short_words(text)) / len(wanted)
    return float(" ".join(of.split()) in " ".join(text.split()))


def _short_words(text: str) -> frozenset[str]:
    """What a text is about that has no longer words."""
    return frozenset(_ANY_WORD.findall(text.lower())) - _COMMON - _SMALL


# --- what the checks are given ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A draft with everything that it is measured by. `least` and `most` are its length, in words or characters.

    `pages` are the texts of what was read, by address; without them nobody can look a quote up again. `avoid` has the
    hooks and conclusions that articles before this one have used up.
    """

    config: ArticleConfig
    outline: str
    draft: str
    items: Sequence[Item]
    file: str
    outline_file: str
    least: int
    most: int
    pages: Mapping[str, str] = field(default_factory=dict)
    avoid: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def article(self) -> Article:
        return read(self.draft)

    @cached_property
    def plan(self) -> Article:
        return read(self.outline)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        return {item.id: item for item in self.items}

    @property
    def unit(self) -> str:
        return "characters" if self.config.language == "zh" else "words"

    @property
    def thesis(self) -> str | None:
        """The one claim: as the evidence left it, else as it was chosen."""
        validation = self.config.research.thesisValidation
        return (validation.validatedThesis if validation else None) or self.config.writingAngle.thesis

    @property
    def argues(self) -> bool:
        """Whether the article has a thesis to prove."""
        space = self.config.research.innovationSpace
        return bool(self.thesis) and (space is None or space.strategy in (None, "angle", "both"))

    def wrong(
        self, rule: str, problem: str, repair: str, part: Part | None = None, severity: Severity = "error"
    ) -> Finding:
        """One finding, with the place that it is about."""
        return Finding(
            rule=f"article.{rule}",
            problem=problem,
            repair=repair,
            file=self.file,
            line=part.line if part else None,
            about=part.place if part else "",
            severity=severity,
        )
