"""The strategist: reads the sheet and the sources, finds the evidence of each fact, plans the page.

Facts become claims in the order of the sheet, numbered from 001; the reserved ids follow. A sheet that cannot fill the
template is not padded: the turn is blocked, with one blocker for each gap that says what to add where. So it is when a
fact names a source that does not hold, or a link is no address: that is a slip of the sheet, and every later turn would
be spent on it in vain. A fact without a source is no slip: it becomes a claim that nobody has verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from signoff import Finding
from signoff.artifacts import markdown
from signoff.artifacts.yaml_forms import nearest_line
from signoff.workflows.kit.turn_inputs import Payload
from signoff.workflows.solution_page.assembler.claim_book import SUGGESTION, rated
from signoff.workflows.solution_page.assembler.fact_search import Located, locate
from signoff.workflows.solution_page.assembler.inputs import Desk, blocked, claim_out, turns
from signoff.workflows.solution_page.assembler.page_layout import Cut, assemble, count, fitting, length
from signoff.workflows.solution_page.assembler.strategy_documents import Plan, content_brief, message_house
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.documents import product_sheet
from signoff.workflows.solution_page.documents.claims_registry import Claim
from signoff.workflows.solution_page.documents.page_template import LANGS, Lang
from signoff.workflows.solution_page.documents.product_sheet import PRODUCT_PATH, Fact
from signoff.workflows.solution_page.gates.links import links

MESSAGE_HOUSE = "1-planning/message-house.md"
CONTENT_BRIEF = "1-planning/content-brief.md"
UNITS: Mapping[Lang, str] = {"en": "English words", "cn": "Chinese characters"}


def _work(desk: Desk) -> Payload:
    code = str(desk.notes.get("code") or reg.code_of(str(desk.notes["slug"])))
    ids = {fact.id: f"C-{code}-{number:03}" for number, fact in enumerate(desk.sheet.facts, 1)}
    cut = fitting(desk.sheet, desk.template, ids)
    located = {fact.id: locate(fact.source, (fact.text.en, fact.text.cn), desk) for fact in desk.sheet.facts}
    gaps = (*_refused(desk, located), *_addresses(desk, ids), *_shortcomings(desk, ids, cut))
    if gaps:
        return blocked(desk.assignment, [str(gap) for gap in gaps])
    claims = [_claim(fact, ids[fact.id], located[fact.id]) for fact in desk.sheet.facts]
    problems = {ids[fact_id]: found.problem for fact_id, found in located.items() if found.problem}
    pool = int(desk.notes.get("pool", reg.POOL))
    first = len(claims) + 1
    reserved = [Claim(id=f"C-{code}-{number:03}", status="reserved") for number in range(first, first + pool)]
    rejected = str(desk.notes.get("rejected") or "")
    plan = Plan(
        str(desk.notes["slug"]),
        desk.sheet,
        desk.template,
        claims,
        ids,
        problems,
        cut,
        rejected,
    )
    return {
        "status": "complete",
        "artifacts": {"message_house": MESSAGE_HOUSE, "content_brief": CONTENT_BRIEF, "claims_registry": reg.PATH},
        "claims_summary": {
            "total": len(claims),
            "verified": 0,
            "needs_verification": len(claims),
            "reserved_pool": pool,
        },
        "documents": {MESSAGE_HOUSE: message_house(plan), CONTENT_BRIEF: content_brief(plan)},
        "claims": [claim_out(claim) for claim in (*claims, *reserved)],
    }


def _claim(fact: Fact, claim_id: str, located: Located) -> Claim:
    risk = rated(fact.text.en, fact.text.cn)
    suggested = f"{SUGGESTION.format(text=fact.text.en)} ({located.problem})" if located.problem else ""
    return Claim(
        id=claim_id,
        status="unverified",
        text=fact.text.en,
        text_cn=fact.text.cn,
        risk_level=risk.level,
        category=risk.category,
        evidence=located.evidence,
        evidence_suggested=suggested,
        added_by="strategist",
    )


def _refused(desk: Desk, located: Mapping[str, Located]) -> Iterator[Finding]:
    """The facts whose source does not hold, each with its line in the sheet."""
    for index, fact in enumerate(desk.sheet.facts):
        found = located[fact.id]
        if found.refused:
            problem = f"the source of the fact '{fact.id}' does not hold: {found.problem}"
            yield _gap("source", problem, found.repair, _line(desk, ("facts", index, "source")), fact.id)


def _addresses(desk: Desk, ids: Mapping[str, str]) -> Iterator[Finding]:
    """Links that are no addresses, each once; the call to action has to lead out of the page."""
    url = desk.sheet.cta.url
    if not url.startswith("#") and "://" not in url and not url.lower().startswith(("mailto:", "tel:")):
        repair = "write it as https://host.example/path"
        yield _gap("link", f"`cta.url` is '{url}', which is no web address", repair, _line(desk, ("cta", "url")))
    told = dict[str, Finding]()
    for lang in LANGS:
        page = markdown.parse(assemble(desk.sheet, desk.template, lang, ids))
        for found in links(page, PRODUCT_PATH, lambda _: True, None):
            if found.rule == "links.syntax":
                told.setdefault(found.problem, found)
    for found in told.values():
        yield _gap("link", found.problem, found.repair, _line_with(desk, found.problem))


def _line_with(desk: Desk, problem: str) -> int | None:
    """The line of the sheet that has the address which the problem quotes first."""
    address = problem.split("'")[1] if problem.startswith("'") else ""
    at = desk.sheet_text.find(address) if address else -1
    return desk.sheet_text.count("\n", 0, at) + 1 if at >= 0 else None


def _shortcomings(desk: Desk, ids: Mapping[str, str], cut: Cut) -> Iterator[Finding]:
    """What keeps the sheet from becoming a page of this template."""
    yield from product_sheet.misfits(desk.sheet, desk.template, desk.sheet_text, PRODUCT_PATH)
    for lang in LANGS:
        page = assemble(desk.sheet, desk.template, lang, ids, cut)
        yield from _page_length(desk, page, lang)
        yield from _value_length(desk, page, lang)


def _page_length(desk: Desk, page: str, lang: Lang) -> Iterator[Finding]:
    low, high = desk.template.limits.page.of(lang)
    found = length(page, lang)
    if found < low:
        prose = ", ".join(f"sections.{s.id}.{lang}" for s in desk.template.sections if s.kind == "prose")
        repair = (
            f"add at least {low - found} where there is something to say: {prose}, features or faq; nothing is padded"
        )
        yield _gap("words", f"the sheet gives {found} {UNITS[lang]}, the page needs {low} to {high}", repair)
    elif found > high:
        problem = f"the sheet gives {found} {UNITS[lang]} without its optional parts, the page takes {low} to {high}"
        yield _gap("words", problem, f"shorten the {lang} prose of the mandatory sections by {found - high}")


def _value_length(desk: Desk, page: str, lang: Lang) -> Iterator[Finding]:
    low, high = desk.template.limits.value_proposition.of(lang)
    parsed = markdown.parse(page)
    home = desk.template.section(desk.template.value_proposition)
    sections = (one for one in parsed.sections(home.level) if one.heading.text == home.title(lang)) if home else ()
    first = next((parsed.first_paragraph(one) for one in sections), None)
    found = count(first[0], lang) if first else 0
    if not low <= found <= high:
        problem = f"`value_proposition.{lang}` has {found} {UNITS[lang]}, valid: {low} to {high}"
        yield _gap("value-proposition", problem, f"rewrite its first paragraph in {low} to {high}")


def _line(desk: Desk, path: tuple[str | int, ...]) -> int | None:
    return nearest_line(desk.sheet_text, path)


def _gap(rule: str, problem: str, repair: str, line: int | None = None, about: str = "") -> Finding:
    return Finding(rule=f"product.{rule}", problem=problem, repair=repair, file=PRODUCT_PATH, line=line, about=about)


strategist = turns("strategist", _work)
