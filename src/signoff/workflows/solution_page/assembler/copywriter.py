"""The copywriter: composes a draft from the sheet, and revises one that a gate or an editor sent back.

A revision begins with the draft as it is: what the registry no longer allows goes, what needs a marker gets one. Where
that changes nothing, or the finding is about structure, length or links, or a person rejected the page, the draft is
composed anew from the sources as they are now; code cannot act on prose. A claim that only lacks evidence stays:
taking claims away is not the copywriter's right, so such a page goes to a person when the rounds are used up.

What the sheet says and the page does not is said in `notes`: nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from signoff import replace
from signoff.artifacts import markdown
from signoff.workflows.kit.turn_inputs import Payload
from signoff.workflows.solution_page.assembler.claim_book import Book, writers_book
from signoff.workflows.solution_page.assembler.claim_sentences import Edit, edited, edits
from signoff.workflows.solution_page.assembler.fact_search import search
from signoff.workflows.solution_page.assembler.inputs import Desk, blocked, claim_out, turns
from signoff.workflows.solution_page.assembler.page_layout import Cut, assemble, fitting
from signoff.workflows.solution_page.documents.page_template import Lang

OTHER: dict[Lang, Lang] = {"en": "cn", "cn": "en"}
Written = tuple[str, list[str]]
PATCHABLE = ("claims.", "parity.", "fix.")


def _work(desk: Desk) -> Payload:
    lang, file = desk.language, str(desk.notes["file"])
    book = writers_book(desk.registry, desk.sheet, lambda texts: search(texts, desk))
    text, notes = _revised(desk, lang, file, book) or _composed(desk, lang, book)
    if book.gaps:
        return blocked(desk.assignment, [f"_shared/claims-registry.yaml: {gap}" for gap in book.gaps.values()])
    used = {marker.claim_id for marker in markdown.parse(text).markers}
    proposed = [claim for claim in book.proposed.values() if claim.id in used]
    return {
        "status": "complete",
        "language": lang,
        "file": file,
        "claims_tagged": len(used),
        "new_claims_proposed": len(proposed),
        "notes": notes,
        "documents": {file: text},
        "claims": [claim_out(claim) for claim in proposed],
    }


def _composed(desk: Desk, lang: Lang, book: Book) -> Written:
    cut = _as_english(desk, lang, fitting(desk.sheet, desk.template, book.facts))
    page = assemble(desk.sheet, desk.template, lang, book.facts, cut)
    twin = assemble(desk.sheet, desk.template, OTHER[lang], book.facts, cut)
    made = edits(page, lang, book, twin)
    return edited(page, made), [*_cut_away(desk, lang, cut), *_told(made)]


def _cut_away(desk: Desk, lang: Lang, cut: Cut) -> Iterator[str]:
    """What the cut leaves out of this page."""
    reason = "left out, because the page would be longer than its limit"
    kept = len(desk.sheet.faq) - cut.questions
    yield from (f"{reason}: the question '{entry.question.of(lang)}'" for entry in desk.sheet.faq[kept:])
    for section in desk.template.sections:
        if section.id in cut.sections and section.id in desk.sheet.sections:
            yield f"{reason}: the section '{section.title(lang)}'"


def _told(made: Sequence[Edit]) -> Iterator[str]:
    return (note for edit in made for note in edit.notes)


def _as_english(desk: Desk, lang: Lang, cut: Cut) -> Cut:
    """The Chinese page leaves out the optional sections that the English page does not have."""
    english = desk.text(f"3-drafts/{desk.notes['slug']}/content-en.md") if lang == "cn" else None
    if english is None:
        return cut
    there = {heading.text for heading in markdown.parse(english).headings}
    optional = (section for section in desk.template.sections if not section.mandatory)
    return replace(cut, sections=cut.sections | {section.id for section in optional if section.en not in there})


def _revised(desk: Desk, lang: Lang, file: str, book: Book) -> Written | None:
    """The draft mended in place; None where it has to be composed anew."""
    rules = [str(finding.get("rule", "")) for finding in desk.notes.get("required") or ()]
    old = desk.text(file) if desk.notes.get("mode") == "revise" else None
    if old is None or not _patchable(rules):
        return None
    twin = assemble(desk.sheet, desk.template, OTHER[lang], book.facts)
    made = edits(old, lang, book, twin)
    new = edited(old, made)
    return (new, list(_told(made))) if new != old else None


def _patchable(rules: Sequence[str]) -> bool:
    return all(rule.startswith(PATCHABLE) for rule in rules)


copywriter = turns("copywriter", _work)
