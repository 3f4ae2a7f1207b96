"""Which claim stands for which fact, and what the registry lets a page say.

The strategist numbers the facts in the order of the sheet, so fact number n is claim number n. That is the fallback:
first a claim with exactly the fact's text (in either language) is taken, whatever its number; only a claim whose text
was changed since (downgraded, or corrected by a person) is found by its place. A fact that has no claim at all, because
the sheet has grown since the strategy, is proposed on a reserved id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from signoff.artifacts.markdown_parsing import squeeze
from signoff.evidence.places import unstated
from signoff.evidence.sources.locators import Locator
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.documents.claims_registry import CLAIM_ID, Claim, Registry
from signoff.workflows.solution_page.documents.page_template import Lang
from signoff.workflows.solution_page.documents.product_sheet import Fact, ProductSheet
from signoff.workflows.solution_page.risk import Risk

Search = Callable[[Sequence[str]], tuple[Locator, ...]]
SUGGESTION = "a test report, specification or published source that states: {text}"


def rated(*texts: str) -> Risk:
    """The highest of the risks that the rule gives these texts."""
    return max((risk.assess(text) for text in texts if text), key=lambda one: risk.rank(one.level))


def lacking(words: str, said: str) -> tuple[str, ...]:
    """The numbers and codes of the words, as written, that are not said."""
    return tuple(number.text for number in unstated(words, [said]))


@dataclass
class Book:
    """The registry as a writer uses it.

    `pool` is what is left of the reserved ids; None forbids proposing. `changed` are the claims whose text may differ
    from what the page was written from; `literal` puts their own words on it even where only the risk differs.
    """

    registry: Registry
    facts: dict[str, str] = field(default_factory=dict)
    pool: list[str] | None = None
    search: Search = lambda _: ()
    proposed: dict[str, Claim] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()
    literal: bool = True

    def claim(self, claim_id: str) -> Claim | None:
        return self.proposed.get(claim_id) or self.registry.claims.get(claim_id)

    def unusable(self, claim_id: str) -> bool:
        claim = self.claim(claim_id)
        return claim is not None and not claim.usable

    def texts(self, claim_ids: Sequence[str]) -> str:
        """All that these claims say, in both languages."""
        known = (self.claim(claim_id) for claim_id in claim_ids)
        return "\n".join(text for claim in known if claim for text in claim.texts)

    def overstated(self, claim_id: str, words: str, beside: Sequence[str]) -> bool:
        """Whether the words promise what the claim, and those beside it, no longer do."""
        claim = self.claim(claim_id)
        if claim is None or claim_id not in self.changed or _says(words, claim):
            return False
        if lacking(words, self.texts(beside)):
            return True
        if claim.status == "downgraded" and self.literal:
            return True
        riskier = risk.rank(risk.sentence_risk(words).level) > risk.rank(rated(*claim.texts).level)
        return riskier and (self.literal or claim.status == "downgraded")

    def written(self, claim_id: str, lang: Lang) -> str:
        """The claim's text in this language; a gap is noted where there is none."""
        claim = self.claim(claim_id)
        text = "" if claim is None else claim.text if lang == "en" else claim.text_cn
        if claim is not None and not text:
            name = "text" if lang == "en" else "text_cn"
            self.gaps[claim_id] = f"{claim_id} was changed and has no `{name}`; add it in the claims registry"
        return text

    def stated_as(self, *words: str) -> Claim | None:
        """The claim that has exactly these words as its text."""
        wanted = {squeeze(text) for text in words if text}
        every = (*self.registry.claims.values(), *self.proposed.values())
        return next((claim for claim in every if wanted & {squeeze(text) for text in claim.texts}), None)

    def covering(self, words: str, given: Sequence[str]) -> str | None:
        """The one claim that states what the given claims leave open; None when none or several do."""
        every = (*self.registry.claims.values(), *self.proposed.values())
        fits = [
            claim.id
            for claim in every
            if claim.usable and claim.id not in given and not lacking(words, self.texts([*given, claim.id]))
        ]
        return fits[0] if len(fits) == 1 else None

    def propose(self, text: str, text_cn: str, evidence: tuple[Locator, ...] = ()) -> str | None:
        """A new claim on the next reserved id; None when the pool is empty or proposing is not this role's right."""
        if not self.pool:
            return None
        claim_id, found = self.pool.pop(0), rated(text, text_cn)
        evidence = evidence or self.search([text, text_cn])
        self.proposed[claim_id] = Claim(
            id=claim_id,
            status="proposed",
            text=text,
            text_cn=text_cn,
            risk_level=found.level,
            category=found.category,
            evidence=evidence,
            evidence_suggested="" if evidence else SUGGESTION.format(text=text),
            added_by="copywriter",
        )
        return claim_id


def writers_book(registry: Registry, sheet: ProductSheet, search: Search) -> Book:
    """For the copywriter: facts lead to claims, and what no claim states may be proposed."""
    reserved = [claim.id for claim in registry.claims.values() if claim.status == "reserved"]
    book = Book(registry, pool=reserved, search=search)
    book.facts = dict(_facts(sheet.facts, book))
    texts = {fact.id: (fact.text.en, fact.text.cn) for fact in sheet.facts}
    pairs = ((book.claim(claim_id), texts[fact_id]) for fact_id, claim_id in book.facts.items())
    book.changed = frozenset(claim.id for claim, said in pairs if claim and not _is_said(claim, said))
    return book


def reviewers_book(registry: Registry) -> Book:
    """For the editor, who did not write the page: wording is free, numbers and removed claims are not."""
    return Book(registry, changed=frozenset(registry.claims), literal=False)


def _says(words: str, claim: Claim) -> bool:
    return any(text.strip(" .。").casefold() in words.casefold() for text in claim.texts)


def _is_said(claim: Claim, said: tuple[str, str]) -> bool:
    return claim.text == said[0] and claim.text_cn in ("", said[1])


def _facts(facts: Sequence[Fact], book: Book) -> Iterator[tuple[str, str]]:
    claims = book.registry.claims
    exact: dict[str, str] = {}
    for fact in facts:
        same = (c.id for c in claims.values() if c.texts and (c.text == fact.text.en or c.text_cn == fact.text.cn))
        if (found := next((one for one in same if one not in exact.values()), None)) is not None:
            exact[fact.id] = found
    numbered = {int(number[2]): one for one in claims if (number := CLAIM_ID.fullmatch(one))}
    for place, fact in enumerate(facts, 1):
        at_place = numbered.get(place)
        if fact.id in exact:
            yield fact.id, exact[fact.id]
        elif at_place and at_place not in exact.values() and _of_a_fact(claims[at_place]):
            yield fact.id, at_place
        elif new := book.propose(fact.text.en, fact.text.cn):
            yield fact.id, new


def _of_a_fact(claim: Claim) -> bool:
    return claim.status != "reserved" and claim.added_by != "copywriter"
