"""Puts a page together from the sheet, in the order of the template, with a claim marker for every fact tag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from signoff.artifacts import markdown, words
from signoff.workflows.solution_page.assembler.draft_text import marker
from signoff.workflows.solution_page.documents.page_template import LANGS, Lang, Section, Template
from signoff.workflows.solution_page.documents.product_sheet import TAG, ProductSheet, tags

_TAGS = re.compile(rf"[ \t]*((?:[ \t]*{TAG.pattern})+)(?:(?<=\}})[ \t]+(?=[\u3400-\u9fff])|([ \t]+))?")
"""Tags in a row with the white space around them: a marker brings its own, and Chinese sentences have none between."""
_TABLE_HEAD = {"en": ("Parameter", "Value"), "cn": ("参数", "数值")}


@dataclass(frozen=True, slots=True)
class Cut:
    """What is left out because the page would be too long: questions from the end, optional sections."""

    questions: int = 0
    sections: frozenset[str] = frozenset()


WHOLE = Cut()


def assemble(sheet: ProductSheet, template: Template, lang: Lang, ids: Mapping[str, str], cut: Cut = WHOLE) -> str:
    """The page as the sheet has it; `ids` gives the claim id of each fact."""
    filled = _Filling(sheet, template, lang, ids, cut)
    parts = [f"# {sheet.name.of(lang)}"]
    for section in template.sections:
        body = [] if section.id in cut.sections else list(filled.body(section))
        if body:
            parts += [f"{'#' * section.level} {section.title(lang)}", *body]
    return "\n\n".join(parts) + "\n"


def fitting(sheet: ProductSheet, template: Template, ids: Mapping[str, str]) -> Cut:
    """The smallest cut with which both languages keep within the page's upper limit, the same for both."""
    cuts = list(_cuts(sheet, template))
    return next((cut for cut in cuts if all(_fits(sheet, template, lang, ids, cut) for lang in LANGS)), cuts[-1])


def length(page: str, lang: Lang) -> int:
    """As the word-count gate counts."""
    return count(markdown.parse(page).visible(), lang)


def count(text: str, lang: Lang) -> int:
    return words.count_en(text) if lang == "en" else words.count_cn(text)


def untagged(text: str) -> str:
    """Prose without its fact tags."""
    return _TAGS.sub(_space_behind, text).strip()


def _space_behind(found: re.Match[str], lang: Lang = "en") -> str:
    """The space behind tags; none behind a Chinese character or stop, whatever comes next."""
    before = found.string[max(0, found.start() - 1) : found.start()]
    chinese = "\u3000" <= before <= "\u9fff" or "\uff00" <= before <= "\uffef" or (lang == "cn" and before in "”’…—")
    return "" if chinese else found[3] or ""


def _fits(sheet: ProductSheet, template: Template, lang: Lang, ids: Mapping[str, str], cut: Cut) -> bool:
    return length(assemble(sheet, template, lang, ids, cut), lang) <= template.limits.page.of(lang)[1]


def _cuts(sheet: ProductSheet, template: Template) -> Iterator[Cut]:
    questions = [section for section in template.sections if section.kind == "faq"]
    optional = [section.id for section in template.sections if not section.mandatory and section.kind == "prose"]
    least = 1 if any(section.mandatory for section in questions) else 0
    most = max(0, len(sheet.faq) - least)
    for left_out in range(most + 1):
        yield Cut(left_out)
    for place in range(len(optional) - 1, -1, -1):
        yield Cut(most, frozenset(optional[place:]))


@dataclass(frozen=True, slots=True)
class _Filling:
    sheet: ProductSheet
    template: Template
    lang: Lang
    ids: Mapping[str, str]
    cut: Cut

    def body(self, section: Section) -> Iterator[str]:
        match section.kind:
            case "value":
                yield self.text(self.sheet.value_proposition.of(self.lang))
            case "prose":
                prose = self.sheet.sections.get(section.id)
                if prose is not None:
                    yield self.text(prose.of(self.lang))
            case "features":
                yield from self.features()
            case "specs":
                yield from self.specs()
            case "faq":
                yield from self.questions(section)
            case "cta":
                yield self.text(self.sheet.cta.text.of(self.lang))
                yield f"[{self.sheet.cta.label.of(self.lang)}]({self.sheet.cta.url})"

    def text(self, prose: str) -> str:
        """A tag becomes a marker; that of a fact without a claim becomes nothing, and the words stand unmarked."""

        def mark(found: re.Match[str]) -> str:
            known = (self.ids.get(fact) for fact in tags(found[1]))
            return "".join(f" {marker(claim_id)}" for claim_id in known if claim_id) + _space_behind(found, self.lang)

        return _TAGS.sub(mark, prose.strip())

    def features(self) -> Iterator[str]:
        for feature in self.sheet.features:
            yield f"{'#' * self.template.features.level} {self.text(feature.title.of(self.lang))}"
            yield self.text(feature.text.of(self.lang))

    def specs(self) -> Iterator[str]:
        rows = [self.row(fact.spec.label.of(self.lang), f"{fact.spec.value.of(self.lang)}{{{fact.id}}}")
                for fact in self.sheet.facts if fact.spec]  # fmt: skip
        if rows:
            yield "\n".join([self.row(*_TABLE_HEAD[self.lang]), "| --- | --- |", *rows])

    def row(self, *cells: str) -> str:
        shown = [self.text(cell.replace("|", "\\|").replace("\n", " ")) for cell in cells]
        return f"| {' | '.join(shown)} |"

    def questions(self, section: Section) -> Iterator[str]:
        for entry in self.sheet.faq[: len(self.sheet.faq) - self.cut.questions]:
            yield f"{'#' * (section.level + 1)} {self.text(entry.question.of(self.lang))}"
            yield self.text(entry.answer.of(self.lang))
