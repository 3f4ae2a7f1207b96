"""Links and products in a draft: as declared, and not where a reader is being won or let go."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.core.findings import Finding
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.checks.text import CONCLUSION, INTRODUCTION
from signoff.workflows.article.quotes import stands_in

PRODUCTS = 2


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
