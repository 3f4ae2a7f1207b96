"""The form of a draft: its length, its sections, plain markup, and links and products as declared.

What only a program sees (a tag, a comment, a tip behind a link, a character without a shape) is refused: readers would
get it unmeasured, with numbers that lead to no quote and links that are declared nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.artifacts import markdown
from signoff.core.findings import Finding
from signoff.workflows.article.checks.quotes import stands_in
from signoff.workflows.article.checks.text import CONCLUSION, INTRODUCTION, MATERIALS, Given, stripped

PLAIN_TAGS: Final = frozenset({"b", "i", "em", "strong", "sub", "sup"})
"""Tags that may be there, without anything beside their name."""
_TAG: Final = re.compile(r"<(?:/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|\Z)\s*([^<>]*)>?|[!?][^<>]*>?)")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_TIP: Final = re.compile(r"\]\([^()\s]*\s+[\"'(][^\n]*|^ {0,3}\[[^\]\n]+\]:\s*\S+\s+[\"'(][^\n]*", re.MULTILINE)
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\U000e0000-\U000e0fff]|(?<=[\\w%])\u200d|\u200d(?=[\\w%])"
)
PRODUCTS: Final = 2


def length(given: Given) -> Iterator[Finding]:
    """Both limits included."""
    found = given.article.length(given.config.language)
    if given.least <= found <= given.most:
        return
    problem = f"the article has {found} {given.unit}, it must have {given.least} to {given.most}"
    repair = f"add at least {given.least - found}" if found < given.least else f"cut at least {found - given.most}"
    yield given.wrong("length", problem, repair)


def structure(given: Given) -> Iterator[Finding]:
    """The sections are those of the outline, in its order."""
    if not given.article.title:
        yield given.wrong("title", "the article has no title", "begin it with `# ` and its title")
    planned = [part.title for part in given.plan.sections]
    found = [part.title for part in given.article.sections]
    if not found:
        yield given.wrong("structure", "the article has no sections", f"write those of {given.outline_file}")
        return
    for title in planned:
        if title not in found:
            yield given.wrong("structure", f"the section {title!r} of the outline is missing", f"write `## {title}`")
    for part in given.article.sections:
        if part.title not in planned:
            problem = f"the outline has no section {part.title!r}"
            yield given.wrong("structure", problem, f"use a title of {given.outline_file}, or leave it out", part)
    same = sorted(planned) == sorted(found)
    if same and planned != found:
        order = " · ".join(planned)
        yield given.wrong("structure", "the sections are in another order than in the outline", f"write: {order}")
    for part in given.article.sections:
        if not part.paragraphs:
            yield given.wrong("structure", f"the section {part.title!r} is empty", "write it, or leave it out", part)


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


def links(given: Given) -> Iterator[Finding]:
    """Every link is declared, what is declared is there, what is required is declared, and none ends the article."""
    made = given.config.writing.decisions
    found = made.internalLinks if made else None
    declared: list[tuple[str, str | None]] = []
    if found:
        declared += [(one.url, one.location) for one in found.requiredLinksUsed]
        declared += [(one.url, None) for one in found.recommendedLinksUsed]
    there = {(link.url, part.place) for part in given.article.parts for link in part.links}
    urls = {url for url, _ in declared}
    for part in given.article.parts:
        for link in part.links:
            if link.url not in urls and link.kind != "image":
                problem = f"{part.place} links to {link.url}, which internalLinks does not name"
                yield given.wrong("links", problem, "declare it, or take it out", part)
    for url, where in declared:
        if not any(url == one and where in (None, place) for one, place in there):
            named = f"{url} in {where}" if where else url
            problem = f"internalLinks names {named}, and no link to it is there"
            yield given.wrong("links", problem, "link it, or take it out of internalLinks")
    wanted = given.config.internalLinks.required if given.config.internalLinks else ()
    for need in wanted:
        if need.url not in urls:
            problem = f"the required link to {need.url} is not used"
            yield given.wrong("links", problem, f"link it, as in {need.anchor!r}")
    end = given.article.part(CONCLUSION)
    if end and end.links:
        yield given.wrong("links.conclusion", f"the conclusion links to {end.links[0].url}", "link it further up", end)


def _times(mention: str, text: str) -> int:
    """How often a text mentions something, in whatever case and spacing."""
    return " ".join(text.lower().split()).count(" ".join(mention.lower().split()))


def products(given: Given) -> Iterator[Finding]:
    """At most two, declared, neither in the introduction nor in the conclusion."""
    known = given.config.products
    mentions = [
        (part, product)
        for part in given.article.parts
        for product in known
        for _ in range(_times(product.mention, part.seen))
    ]
    if len(mentions) > PRODUCTS:
        problem = f"products are mentioned {len(mentions)} times, at most {PRODUCTS} are allowed"
        yield given.wrong("products", problem, f"take {len(mentions) - PRODUCTS} out")
    for part, product in mentions:
        if part.place in (INTRODUCTION, CONCLUSION):
            problem = f"the {part.place} mentions {product.mention!r}"
            yield given.wrong("products", problem, "mention it in a section, or not at all", part)
    made = given.config.writing.decisions
    declared = made.productMentions.used if made and made.productMentions else ()
    for part, product in mentions:
        if not any(one.category == product.category and one.location == part.place for one in declared):
            problem = f"{part.place} mentions {product.mention!r}, and productMentions does not say so"
            yield given.wrong("products", problem, "declare it in productMentions.used", part)
    for one in declared:
        where = given.article.part(one.location)
        if where is None or not stands_in(one.mentionText, where.text):
            problem = f"productMentions says {one.mentionText!r} of {one.location}, which does not stand there"
            yield given.wrong("products", problem, "quote the words of that section", where)
