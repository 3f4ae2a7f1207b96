"""Which heading of a page is which section of its template."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from signoff.artifacts.markdown import Heading, Page
from signoff.artifacts.markdown import Section as Part
from signoff.workflows.solution_page.documents.page_template import Lang, Section, Template


@lru_cache(maxsize=1024)
def folded(title: str) -> str:
    """A title as it is compared: any case, width and white space."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def placed(page: Page, template: Template, lang: Lang) -> list[tuple[Section, Heading]]:
    """The headings that are sections of the template, by title and level, in the order of the page."""
    known = {(section.level, folded(section.title(lang))): section for section in template.sections}
    named = ((known.get((heading.level, folded(heading.text))), heading) for heading in page.headings)
    return [(section, heading) for section, heading in named if section]


def part(page: Page, template: Template, lang: Lang, wanted: str) -> Part | None:
    """The first part of the page that is this section of the template."""
    found = (heading for section, heading in placed(page, template, lang) if section.id == wanted)
    heading = next(found, None)
    return page.section(heading) if heading else None


def features(page: Page, template: Template, lang: Lang) -> list[Heading] | None:
    """The feature headings, or None where the page has no section for them."""
    home = part(page, template, lang, template.features.section)
    if home is None:
        return None
    return [
        heading for heading in page.headings if heading.level == template.features.level and heading.line in home.body
    ]
