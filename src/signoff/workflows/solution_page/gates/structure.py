"""The structure gate (SP-11): one H1, the sections of the template in its order, the right number of features.

Decisions: a section counts when title and level are the template's. Sections the template does not name may stand
anywhere. Optional sections need not be there, yet keep their place when they are. A section that stands twice is out of
order. Of the sections out of order, as few as possible are named: those that must move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from signoff import Finding
from signoff.artifacts.markdown import Heading, Page
from signoff.workflows.solution_page.documents.page_template import Lang, Section, Template
from signoff.workflows.solution_page.gates.sections import features, folded, placed

Placed = Sequence[tuple[Section, Heading]]


def structure(page: Page, template: Template, lang: Lang, file: str) -> list[Finding]:
    """What is wrong with the skeleton of the page."""
    found = placed(page, template, lang)
    return [
        *_h1(page, file),
        *_missing(page, found, template, lang, file),
        *_order(found, template, lang, file),
        *_features(page, template, lang, file),
    ]


def _h1(page: Page, file: str) -> Iterator[Finding]:
    titles = [heading for heading in page.headings if heading.level == 1]
    if not titles:
        repair = "begin the page with its title: # Title"
        yield Finding(
            rule="structure.h1", file=file, line=1, problem="the page has no H1, it must have one", repair=repair
        )
    elif len(titles) > 1:
        listed = ", ".join(f"'{title.text}' in line {title.line}" for title in titles)
        problem = f"the page has {len(titles)} H1, it must have one: {listed}"
        repair = "keep one title and give the others a lower level"
        yield Finding(rule="structure.h1", file=file, line=titles[1].line, problem=problem, repair=repair)


def _missing(page: Page, found: Placed, template: Template, lang: Lang, file: str) -> Iterator[Finding]:
    there = {section.id: heading for section, heading in found}
    line = 1
    for section in template.sections:
        if section.id in there:
            line = there[section.id].line
        elif section.mandatory:
            yield _missed(page, section, lang, file, line)


def _missed(page: Page, section: Section, lang: Lang, file: str, line: int) -> Finding:
    title = section.title(lang)
    written = f"{'#' * section.level} {title}"
    problem, repair = f"the section '{title}' is missing", f"add '{written}' where the template has it"
    other = next((heading for heading in page.headings if folded(heading.text) == folded(title)), None)
    if other:
        problem = f"{problem}: '{other.text}' in line {other.line} has level {other.level}, not {section.level}"
        line, repair = other.line, f"write it as '{written}'"
    return Finding(rule="structure.section-missing", file=file, line=line, problem=problem, repair=repair)


def _order(found: Placed, template: Template, lang: Lang, file: str) -> Iterator[Finding]:
    order = {section.id: place for place, section in enumerate(template.sections)}
    first = {section.id: heading for section, heading in reversed(found)}
    once = [(section, heading) for section, heading in found if first[section.id] is heading]
    stay = _longest_rise([order[section.id] for section, _ in once])
    for section, heading in found:
        title = section.title(lang)
        if first[section.id] is not heading:
            problem = f"the section '{title}' stands a second time (first in line {first[section.id].line})"
            repair = "join the two, or name one of them differently"
        elif order[section.id] not in stay:
            problem, repair = f"the section '{title}' is out of order", _place(section, once, order, lang)
        else:
            continue
        yield Finding(rule="structure.section-order", file=file, line=heading.line, problem=problem, repair=repair)


def _place(section: Section, once: Placed, order: dict[str, int], lang: Lang) -> str:
    before = [other for other, _ in once if order[other.id] < order[section.id]]
    if not before:
        return "move it before all other sections"
    return f"move it behind '{max(before, key=lambda other: order[other.id]).title(lang)}'"


def _longest_rise(places: Sequence[int]) -> set[int]:
    """The largest part of the places that already rises; the earliest one of several."""
    best: list[list[int]] = [[]]
    for place in places:
        shorter = [run for run in best if not run or run[-1] < place]
        best.append([*max(shorter, key=len), place])
    longest = max(best, key=len)
    return set(longest)


def _features(page: Page, template: Template, lang: Lang, file: str) -> Iterator[Finding]:
    found, wanted = features(page, template, lang), template.features
    if found is None or wanted.min <= len(found) <= wanted.max:
        return
    home = next(heading for section, heading in placed(page, template, lang) if section.id == wanted.section)
    listed = ", ".join(f"'{heading.text}'" for heading in found) or "none"
    limits = f"it must have {wanted.min} to {wanted.max}"
    problem = f"'{home.text}' has {len(found)} features (H{wanted.level}), {limits}: {listed}"
    few = len(found) < wanted.min
    repair = f"add {wanted.min - len(found)}" if few else f"join or drop {len(found) - wanted.max}"
    yield Finding(rule="structure.feature-count", file=file, line=home.line, problem=problem, repair=repair)
