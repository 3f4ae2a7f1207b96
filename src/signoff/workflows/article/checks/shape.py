"""Length and structure of a draft: its budget, and its sections as the outline has them."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.core.findings import Finding
from signoff.workflows.article.checks.given import Given


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
