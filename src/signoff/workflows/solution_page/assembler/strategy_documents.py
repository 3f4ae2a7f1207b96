"""The strategist's two documents, written from the sheet: what the page says to whom, and how it is to be built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from signoff.evidence.sources import locators
from signoff.workflows.solution_page.assembler.page_layout import Cut, assemble, count, length, untagged
from signoff.workflows.solution_page.documents.claims_registry import Claim
from signoff.workflows.solution_page.documents.page_template import LANGS, Bounds, Section, Template
from signoff.workflows.solution_page.documents.product_sheet import Bilingual, ProductSheet, tags

TONE = (
    "Plain and exact: say what it does, for whom, under which conditions; let numbers stand without adjectives.",
    "No superlative, comparison, compliance or legal word outside a claim with evidence.",
    "Chinese is written for Chinese readers, not word for word; numbers and claims are the same as in English.",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that planning knows. `ids` gives the claim of each fact, `gaps` what speaks against a claim's evidence."""

    slug: str
    sheet: ProductSheet
    template: Template
    claims: Sequence[Claim]
    ids: Mapping[str, str]
    gaps: Mapping[str, str]
    cut: Cut
    rejected: str = ""

    def proof(self, *texts: Bilingual) -> str:
        """The claims that these texts state."""
        found = dict.fromkeys(self.ids[tag] for text in texts for tag in tags(text.en))
        return ", ".join(found) or "none"


def message_house(plan: Plan) -> str:
    """Core message, audience, pillars with their proof, tone."""
    sheet = plan.sheet
    return _document(
        f"# Message house: {sheet.name.en} / {sheet.name.cn}",
        "## Core message",
        untagged(sheet.value_proposition.en),
        untagged(sheet.value_proposition.cn),
        f"Proof: {plan.proof(sheet.value_proposition)}",
        "## Audience",
        _table(("Reader", "Need"), ((_both(one.who), _both(one.need)) for one in sheet.audience)),
        "## Pillars",
        *_pillars(plan),
        "## Tone",
        _list(TONE),
        "## Claims",
        _table(("Id", "Risk", "Category", "Claim", "Evidence"), map(_claim_row, plan.claims)),
        "## Open evidence",
        _gaps(plan),
    )


def content_brief(plan: Plan) -> str:
    """How the page is to be built: sections, lengths, keywords, assets."""
    sheet, template = plan.sheet, plan.template
    limits = template.limits
    return _document(
        f"# Content brief: {sheet.name.en} / {sheet.name.cn}",
        *_rejected(plan),
        _list(
            (
                f"Page: {plan.slug}, type {template.page_type}, template {template.name}",
                f"Value proposition: {_bounds(limits.value_proposition)}",
                f"Page: {_bounds(limits.page)}",
                f"The sheet gives: {_lengths(plan)}",
            )
        ),
        "## Section plan",
        _table(
            ("Section", "Mandatory", "Filled from", "Claims", "Words EN", "Characters CN"),
            (_section_row(section, plan) for section in template.sections),
        ),
        "## Search words",
        _list(f"{name}: {', '.join(found) or 'none'}" for name, found in _keywords(sheet)),
        "## Assets",
        _list(f"{asset.id}: {_both(asset.description)}" for asset in sheet.assets) or "None are listed in the sheet.",
        "## Call to action",
        f"{_both(sheet.cta.label)}: {sheet.cta.url}",
        "## Open evidence",
        _gaps(plan),
    )


def _pillars(plan: Plan) -> Iterator[str]:
    for number, feature in enumerate(plan.sheet.features, 1):
        yield f"### {number}. {untagged(feature.title.en)} / {untagged(feature.title.cn)}"
        yield f"Proof: {plan.proof(feature.title, feature.text)}"


def _claim_row(claim: Claim) -> tuple[str, ...]:
    places = "; ".join(map(locators.describe, claim.evidence)) or "none yet"
    return claim.id, claim.risk_level or "", claim.category, claim.text, places


def _gaps(plan: Plan) -> str:
    found = _list(f"{claim_id}: {problem}" for claim_id, problem in plan.gaps.items())
    return found or "Every claim has a place in the sources that states it."


def _keywords(sheet: ProductSheet) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("English", sheet.keywords.en), ("Chinese", sheet.keywords.cn)


def _rejected(plan: Plan) -> tuple[str, ...]:
    if not plan.rejected:
        return ()
    return (
        "## Asked for by the person who rejected the last version",
        plan.rejected,
        "This version is built from the sources as they are now; what the reason asks for must be changed there.",
    )


def _lengths(plan: Plan) -> str:
    found = {lang: length(assemble(plan.sheet, plan.template, lang, plan.ids, plan.cut), lang) for lang in LANGS}
    return f"{found['en']} words, {found['cn']} Chinese characters"


def _section_row(section: Section, plan: Plan) -> tuple[str, ...]:
    texts, home = _material(section, plan.sheet)
    counts = (str(sum(count(untagged(text.of(lang)), lang) for text in texts)) for lang in LANGS)
    proof = plan.proof(*texts)
    if section.kind == "specs":
        proof = ", ".join(plan.ids[fact.id] for fact in plan.sheet.facts if fact.spec) or "none"
    left_out = " (left out: too long)" if section.id in plan.cut.sections else ""
    return f"{section.en} / {section.cn}{left_out}", "yes" if section.mandatory else "no", home, proof, *counts


def _material(section: Section, sheet: ProductSheet) -> tuple[tuple[Bilingual, ...], str]:
    match section.kind:
        case "value":
            return (sheet.value_proposition,), "value_proposition"
        case "prose":
            prose = sheet.sections.get(section.id)
            return ((prose,), f"sections.{section.id}") if prose else ((), "nothing yet")
        case "features":
            return tuple(text for one in sheet.features for text in (one.title, one.text)), "features"
        case "specs":
            rows = (fact.spec for fact in sheet.facts if fact.spec)
            return tuple(text for row in rows for text in (row.label, row.value)), "facts with spec"
        case "faq":
            return tuple(text for one in sheet.faq for text in (one.question, one.answer)), "faq"
        case "cta":
            return (sheet.cta.text, sheet.cta.label), "cta"


def _document(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _both(text: Bilingual) -> str:
    return f"{text.en} / {text.cn}"


def _bounds(bounds: Bounds) -> str:
    return f"{bounds.en[0]} to {bounds.en[1]} words, {bounds.cn[0]} to {bounds.cn[1]} Chinese characters"


def _list(items: Sequence[str] | Iterator[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
