"""The word-count gate (SP-12): English in words, Chinese in characters, both limits included.

The value proposition is the first paragraph of the section that the template names; a page without one has none to
measure and fails. What counts as a word is said in `signoff.artifacts.words`.
"""

from __future__ import annotations

from collections.abc import Iterator

from signoff import Finding
from signoff.artifacts.markdown import Page
from signoff.artifacts.words import count_cn, count_en
from signoff.workflows.solution_page.documents.page_template import Bounds, Lang, Template
from signoff.workflows.solution_page.gates.sections import part

COUNT = {"en": count_en, "cn": count_cn}
NOUN = {"en": "words", "cn": "characters"}


def word_count(page: Page, template: Template, lang: Lang, file: str) -> list[Finding]:
    """What is too short or too long."""
    return [*_value_proposition(page, template, lang, file), *_page(page, template, lang, file)]


def _value_proposition(page: Page, template: Template, lang: Lang, file: str) -> Iterator[Finding]:
    rule, limits = "word-count.value-proposition", template.limits.value_proposition
    home = part(page, template, lang, template.value_proposition)
    first = page.first_paragraph(home) if home else None
    if first is None:
        section = template.section(template.value_proposition)
        title = section.title(lang) if section else template.value_proposition
        low, high = limits.of(lang)
        problem = f"'{title}' has no paragraph to measure" if home else f"there is no section '{title}' to measure"
        repair = f"begin '{title}' with a paragraph of {low} to {high} {NOUN[lang]}"
        yield Finding(rule=rule, file=file, line=home.heading.line if home else 1, problem=problem, repair=repair)
        return
    text, line = first
    yield from _judged(rule, "the value proposition", COUNT[lang](text), limits, lang, file, line)


def _page(page: Page, template: Template, lang: Lang, file: str) -> Iterator[Finding]:
    length = COUNT[lang](page.visible())
    yield from _judged("word-count.page", "the page", length, template.limits.page, lang, file, 1)


def _judged(rule: str, what: str, length: int, limits: Bounds, lang: Lang, file: str, line: int) -> Iterator[Finding]:
    low, high = limits.of(lang)
    if low <= length <= high:
        return
    problem = f"{what} has {length} {NOUN[lang]}, it must have {low} to {high}"
    repair = f"add at least {low - length}" if length < low else f"cut at least {length - high}"
    yield Finding(rule=rule, file=file, line=line, problem=problem, repair=repair)
