"""The form of a text: size, headings and images of any text; sections and limits of the shipped frameworks; limits of
the social-media strategy. The limits of a framework are those that its prompt tells the author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from signoff.artifacts.markdown import MAX_CHARS
from signoff.workflows.content.checks.draft import Check, Draft, Find, Found, count, quoted
from signoff.workflows.content.checks.project_documents import SEARCH, SOCIAL

_TAG: Final = re.compile(r"(?<![\w&/])#[^\W\d_]\w*")


def _outside(number: int, least: int, most: int) -> bool:
    return not least <= number <= most


# --- any text ---------------------------------------------------------------------------------------------------------


def size(draft: Draft) -> Iterator[Found]:
    if len(draft.body) > MAX_CHARS:
        problem = f"the text has {len(draft.body):,} characters, and only the first {MAX_CHARS:,} were checked"
        yield Found(1, problem, "split it")


def heading_order(draft: Draft) -> Iterator[Found]:
    firsts = [heading for heading in draft.headings if heading.level == 1]
    if len(firsts) > 1:
        yield Found(firsts[1].line, f"there are {len(firsts)} headings of level 1", "keep one", "warning")
    for one, other in pairwise(draft.headings):
        if other.level > one.level + 1:
            problem = f"the outline jumps from level {one.level} to level {other.level}: {quoted(other.text)}"
            yield Found(other.line, problem, "step down one level at a time", "warning")


def alt_texts(draft: Draft) -> Iterator[Found]:
    for link in draft.page.links:
        if link.kind == "image" and not link.text:
            yield Found(link.line, f"an image has no description: {quoted(link.url)}", "describe it", "warning")


ANY: Final = (Check("size", size), Check("heading-order", heading_order), Check("alt-texts", alt_texts))


# --- what the frameworks share ----------------------------------------------------------------------------------------


def _words(least: int, most: int) -> Find:
    def find(draft: Draft) -> Iterator[Found]:
        number = sum(count(block.visible) for block in draft.blocks)
        if _outside(number, least, most):
            yield Found(1, f"the text has {number} words, and not {least} to {most}", f"bring it to {least} to {most}")

    return find


def _headline(most: int, least_words: int = 0, most_words: int = 0) -> Find:
    def find(draft: Draft) -> Iterator[Found]:
        first = next((heading for heading in draft.headings if heading.level == 1), None)
        if first is None:
            yield Found(1, "there is no heading of level 1", "begin with one")
            return
        number = count(first.text)
        if most_words and _outside(number, least_words, most_words):
            problem = f"the headline has {number} words, and not {least_words} to {most_words}: {quoted(first.text)}"
            yield Found(first.line, problem, f"bring it to {least_words} to {most_words} words")
        if len(first.text) > most:
            problem = f"the headline has {len(first.text)} characters, more than {most}: {quoted(first.text)}"
            yield Found(first.line, problem, f"bring it to {most} characters")

    return find


TITLE, DESCRIPTION = (1, 60), (110, 155)


def meta(draft: Draft) -> Iterator[Found]:
    """Title and description for search engines; if the SEO strategy sets a tighter limit, that one holds."""
    for name, (least, shown) in (("title", TITLE), ("description", DESCRIPTION)):
        most = min(shown, draft.documents.limit(SEARCH, name) or shown)
        text, line = draft.meta.get(name, ("", draft.last_line))
        fewest = min(least, most)
        if not text and name in draft.titled:
            continue
        if not text:
            yield Found(line, f"there is no line `{name.title()}:`", f"add one of at most {most} characters")
        elif _outside(len(text), fewest, most):
            problem = f"the {name} has {len(text)} characters, and not {fewest} to {most}: {quoted(text)}"
            yield Found(line, problem, f"bring it to {fewest} to {most} characters")


# --- a landing page ---------------------------------------------------------------------------------------------------

SECTIONS: Final = (
    "hero", "problem", "features", "how-it-works", "audience", "objections", "final-cta", "faq", "meta",
)  # fmt: skip
POINTS: Final[Mapping[str, tuple[int, int]]] = {
    "features": (3, 6),
    "how-it-works": (3, 4),
    "objections": (2, 5),
    "faq": (3, 7),
}
"""How many points a section makes: headings of level 3 or, without any, list items."""
LENGTHS: Final[Mapping[str, tuple[int, int]]] = {"problem": (50, 120), "audience": (30, 90)}
"""How many words a section has, its heading left out."""


def sections(draft: Draft) -> Iterator[Found]:
    named = Counter(name for name, _ in draft.marks)
    for name, line in draft.marks:
        if name not in SECTIONS:
            yield Found(line, f"the framework has no section “{name}”", "take it out, or make it part of another")
        elif named[name] > 1:
            yield Found(line, f"the section “{name}” is there {named[name]} times", "keep one")
    if missing := [name for name in SECTIONS if name not in named]:
        problem = f"these sections have no comment `<!-- section: … -->`: {', '.join(missing)}"
        yield Found(1, problem, "write each of them, with its comment before it")
    known = [name for name in named if name in SECTIONS]
    wanted = [name for name in SECTIONS if name in known]
    if known != wanted:
        first = next(name for name, other in zip(known, wanted, strict=True) if name != other)
        problem = f"the sections run {', '.join(known)}"
        yield Found(dict(draft.marks)[first], problem, f"bring them into this order: {', '.join(wanted)}")


def section_limits(draft: Draft) -> Iterator[Found]:
    ends = (*(line for _, line in draft.marks), draft.last_line + 1)
    places = {name: (line, end) for (name, line), end in zip(draft.marks, ends[1:], strict=True)}  # where it is last
    for name, (line, end) in places.items():
        blocks = [block for block in draft.blocks if line < block.line < end]
        titles = sum(block.kind == "heading" for block in blocks) - 1
        points = max(titles, 0) or sum(block.kind == "item" for block in blocks)
        if name in POINTS and _outside(points, *POINTS[name]):
            least, most = POINTS[name]
            yield Found(line, f"the section “{name}” makes {points} points, and not {least} to {most}", "group or add")
        number = sum(count(block.visible) for block in blocks if block.kind != "heading")
        if name in LENGTHS and _outside(number, *LENGTHS[name]):
            least, most = LENGTHS[name]
            problem = f"the section “{name}” has {number} words, and not {least} to {most}"
            yield Found(line, problem, f"bring it to {least} to {most} words")


# --- an article -------------------------------------------------------------------------------------------------------

HEADINGS: Final = (2, 5)


def headings(draft: Draft) -> Iterator[Found]:
    seconds = [heading for heading in draft.headings if heading.level == 2]
    if _outside(len(seconds), *HEADINGS):
        least, most = HEADINGS
        line = seconds[most].line if len(seconds) > most else 1
        yield Found(line, f"there are {len(seconds)} headings of level 2, and not {least} to {most}", "join or split")
    first = next((block.line for block in draft.blocks if block.kind != "heading"), draft.last_line + 1)
    if seconds and seconds[0].line < first:
        yield Found(seconds[0].line, "a heading of level 2 stands before the first paragraph", "begin with the claim")


FRAMEWORKS: Final[Mapping[str, tuple[Check, ...]]] = {
    "landing-page-assembly": (
        Check("sections", sections),
        Check("section-limits", section_limits),
        Check("headline", _headline(70, 4, 12)),
        Check("length", _words(600, 1_200)),
        Check("meta", meta),
    ),
    "article-spine": (
        Check("headline", _headline(60)),
        Check("headings", headings),
        Check("length", _words(600, 1_200)),
        Check("meta", meta),
    ),
}
"""The checks of the shipped frameworks. A framework of the project's own is not known here."""


# --- a post -----------------------------------------------------------------------------------------------------------


def post_length(draft: Draft) -> Iterator[Found]:
    """A post within the limit of the social-media strategy, its links and tags counted."""
    number, most = len(draft.body.strip()), draft.documents.limit(SOCIAL, "post")
    if most is not None and number > most:
        problem = f"the post has {number} characters, more than {most}"
        yield Found(1, problem, f"bring it to {most}, links and tags counted")


def hashtags(draft: Draft) -> Iterator[Found]:
    tags, most = _TAG.findall(draft.body[:20_000]), draft.documents.limit(SOCIAL, "tag")
    if most is not None and len(tags) > most:
        yield Found(1, f"there are {len(tags)} hashtags, more than {most}", f"keep {most}")


def _states(name: str) -> Callable[[Draft], str]:
    lacks = f"a line `- {name}: …` under `Limits` of foundation/{SOCIAL}.md"
    return lambda draft: "" if draft.documents.limit(SOCIAL, name) else lacks


SOCIAL_POST: Final = (
    Check("post-length", post_length, _states("post")),
    Check("hashtags", hashtags, _states("tag")),
)
