"""The claims gate (SP-16): what the page says is registered, settled, proved, and nothing else is promised.

Two halves. From the registry's side: every id in use exists, may be used, is verified where its risk is high, and has
evidence that holds; no claim anywhere is left proposed. From the page's side: the numbers and codes of a marker's words
occur in the texts of its group's claims; nothing without a marker states a number with a unit or rates as high risk.

Decisions on what is no prose:

- A table row is one statement: a marker in any of its cells covers the others for the risk rule, and a number in a
  cell without a marker belongs to a claim when it occurs in the texts of the row's claims.
- A title (heading or table head) names a topic: "Battery life" is covered by any marker in its section. A title that
  compares ("The best sound") claims by itself and needs a marker of its own. The template's own titles claim nothing.
- A question in the FAQ section asks and does not claim. Its numbers must belong to a claim all the same.
- A number behind the last marker of its sentence belongs to no marker.
- Every number, date and code belongs to a claim, whether its unit is known or not. Ordinals (the first step) and the
  product's own name in the title of the page state nothing.
- A claim without a risk level has the level that the rules give its text.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from signoff import Finding, replace
from signoff.artifacts.markdown import Marker, Page, Sentence
from signoff.evidence.canonical import visible
from signoff.evidence.documents import Document, Piece
from signoff.evidence.places import unstated, unsupported_at_all
from signoff.evidence.quantities.reading import Quantity, quantities
from signoff.evidence.words import is_chinese, stems
from signoff.workflows.solution_page import risk
from signoff.workflows.solution_page.documents.claims_registry import Claim, Registry
from signoff.workflows.solution_page.documents.page_template import Lang, Template
from signoff.workflows.solution_page.gates.evidence import Shelf, evidence
from signoff.workflows.solution_page.gates.sections import part, placed

_PASSED_OVER = frozenset(("absolute",))
"""What the words at a marker may say beyond their claim: words that the risk rule judges."""
COMPARING = "superlative-comparison"
_TABLE_RULE = re.compile(r"[\s>]*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_NEWLINE = re.compile(r"\r\n?|\n")


def claims(
    page: Page, registry: Registry, shelf: Shelf, template: Template, *, lang: Lang, file: str, registry_file: str
) -> list[Finding]:
    """Everything about the claims of one page."""
    used = _first_markers(page)
    said = _Said(page, registry, template, lang, file)
    return [
        *_malformed(page, file),
        *_ids(used, registry, file),
        *_proposed(registry, registry_file),
        *_high_risk(used, registry, file),
        *_evidence(used, registry, shelf, registry_file),
        *said.said(),
        *said.unclaimed(),
        *said.unmarked(),
    ]


def needs_claim(number: Quantity) -> bool:
    """Whether a number states something by itself: all but ordinals, addresses, and counts to ten in words."""
    in_words = not any(map(str.isdigit, number.text))
    few = in_words and number.value <= 10 and not number.measured
    return not (number.weak or few or number.kind in ("url", "ordinal"))


def _first_markers(page: Page) -> dict[str, Marker]:
    found: dict[str, Marker] = {}
    for marker in page.markers:
        found.setdefault(marker.claim_id, marker)
    return found


def in_use(page: Page, registry: Registry) -> list[str]:
    """The ids on the page that stand for a claim which may be used, in order of occurrence."""
    return [id_ for id_ in _first_markers(page) if id_ in registry.claims and registry.claims[id_].usable]


# --- the registry's side -----------------------------------------------------------------------------------------


def _malformed(page: Page, file: str) -> Iterator[Finding]:
    for bad in page.bad_markers:
        problem = f"{' '.join(bad.text.split())[:80]} is no claim marker, or marks nothing that a reader sees"
        repair = "write <!-- claim_id: C-XXX-001 --> right behind the words it marks"
        yield Finding(rule="claims.malformed", file=file, line=bad.line, problem=problem, repair=repair)


def _ids(used: Mapping[str, Marker], registry: Registry, file: str) -> Iterator[Finding]:
    for claim_id, marker in used.items():
        wrong = _wrong_id(claim_id, registry)
        if wrong:
            rule, problem, repair = wrong
            yield Finding(rule=rule, file=file, line=marker.line, problem=problem, repair=repair, about=claim_id)


def _wrong_id(claim_id: str, registry: Registry) -> tuple[str, str, str] | None:
    claim = registry.claims.get(claim_id)
    if claim is None:
        near = ", ".join(difflib.get_close_matches(claim_id, registry.claims, 3, 0.8)) or "none like it"
        return "claims.unknown", f"{claim_id} is not in the registry ({near})", "correct the id, or register the claim"
    if claim.status == "reserved":
        repair = "propose a claim under this id, or use a registered one"
        return "claims.reserved", f"{claim_id} is reserved and has no text yet", repair
    if claim.status == "removed":
        return "claims.removed", f"{claim_id} was removed from the registry", "take the statement out of the page"
    return None


def _proposed(registry: Registry, registry_file: str) -> Iterator[Finding]:
    for claim in registry.claims.values():
        if claim.status == "proposed":
            problem = f"{claim.id} is still proposed: '{claim.text}'"
            yield Finding(
                rule="claims.proposed",
                file=registry_file,
                line=registry.lines.get(claim.id),
                problem=problem,
                repair="verify, downgrade or remove it",
                about=claim.id,
            )


def _high_risk(used: Mapping[str, Marker], registry: Registry, file: str) -> Iterator[Finding]:
    for claim_id, marker in used.items():
        claim = registry.claims.get(claim_id)
        if claim and claim.usable and claim.status != "verified" and level_of(claim) == "high":
            problem = f"{claim_id} is a high-risk claim and {claim.status}, not verified"
            repair = "give it evidence that holds and have it verified, or downgrade its text, or remove it"
            yield Finding(
                rule="claims.high-risk", file=file, line=marker.line, problem=problem, repair=repair, about=claim_id
            )


def level_of(claim: Claim) -> risk.Level:
    """The claim's risk level; where the registry gives none, the highest that the rules give its texts."""
    if claim.risk_level:
        return claim.risk_level
    return max((risk.assess(text).level for text in claim.texts), key=risk.rank, default="medium")


def _evidence(used: Mapping[str, Marker], registry: Registry, shelf: Shelf, registry_file: str) -> Iterator[Finding]:
    for finding in evidence(registry, shelf, registry_file, only=used):
        yield replace(finding, rule="claims.evidence")


# --- the page's side ---------------------------------------------------------------------------------------------


class _Said:
    """What the page states, against the claims that mark it."""

    def __init__(self, page: Page, registry: Registry, template: Template, lang: Lang, file: str) -> None:
        self.page, self.registry, self.template, self.lang, self.file = page, registry, template, lang, file

    def finding(self, rule: str, line: int, problem: str, repair: str, about: str = "") -> Finding:
        return Finding(rule=f"claims.{rule}", file=self.file, line=line, problem=problem, repair=repair, about=about)

    # --- what is said at markers ---

    def said(self) -> Iterator[Finding]:
        """The words at a marker say what the claims of its group say: the same numbers, bounds and polarity."""
        for group, texts in self._groups:
            documents = [Document([Piece(visible(text))]) for text in texts]
            for found in unsupported_at_all(group[0].span, documents):
                kind = found.rule.partition(".")[0]
                if kind not in _PASSED_OVER and not (kind == "polarity" and self._adds_to(group[0].span, texts)):
                    yield self._beside("codes" if kind == "code" else "numbers", group, found, texts)

    def _adds_to(self, span: str, texts: Sequence[str]) -> bool:
        """Whether the words say more than the claim and do not turn what it says."""
        said = stems(visible(span))
        if not any(len(said & stems(visible(text))) >= 0.6 * len(stems(visible(text))) for text in texts):
            return True
        place = [Document([Piece(visible(span))])]
        turned = (unsupported_at_all(text, place) for text in texts if is_chinese(text) == is_chinese(span))
        return not any(each.rule.startswith("polarity") for found in turned for each in found)

    @cached_property
    def _groups(self) -> list[tuple[list[Marker], list[str]]]:
        """The markers of each group with the texts of their claims, where all of those are registered."""
        groups = defaultdict[int, list[Marker]](list)
        for marker in self.page.markers:
            groups[marker.group].append(marker)
        known = [(group, [self.registry.claims.get(marker.claim_id) for marker in group]) for group in groups.values()]
        return [(group, [text for one in found if one for text in one.texts]) for group, found in known if all(found)]

    def _beside(self, rule: str, group: Sequence[Marker], found: Finding, texts: Sequence[str]) -> Finding:
        ids = ", ".join(dict.fromkeys(marker.claim_id for marker in group))
        problem = f"the words at {ids} do not say what the claim says ({_quoted(texts)}): {found.problem}"
        repair = "say what the claim says, or mark the words with the claim that states this"
        return self.finding(rule, group[0].line, problem, repair, group[0].claim_id)

    # --- numbers without a claim ---

    def unclaimed(self) -> Iterator[Finding]:
        for sentence in self.page.sentences():
            if sentence.kind == "heading" and sentence.line in self._own_titles:
                continue
            free = [number for number in quantities(visible(sentence.text)) if needs_claim(number)]
            if free and sentence.markers:
                marked = [
                    span for claim_id in sentence.markers for span in self._spans[claim_id] if span in sentence.text
                ]
                free = [number for number in unstated(sentence.text, marked) if needs_claim(number)]
            elif free and sentence.kind == "cell":
                free = [
                    number
                    for number in unstated(sentence.text, self._texts(self._row_ids[sentence.line]))
                    if needs_claim(number)
                ]
            free = [number for number in free if not self._in_own_name(number, sentence.text)]
            if free:
                listed = ", ".join(dict.fromkeys(f"'{number.text}'" for number in free))
                problem = f"{listed} in '{_short(sentence.text)}' belongs to no claim"
                repair = "put the marker of the claim that states it behind it, or say it without the number"
                yield self.finding("unclaimed-number", sentence.line, problem, repair)

    @cached_property
    def _title(self) -> str:
        return visible(next((heading.text for heading in self.page.headings if heading.level == 1), ""))

    def _in_own_name(self, number: Quantity, text: str) -> bool:
        """The product's own name, if the page's title has one with a number (X100, Kestrel 5): it promises nothing."""
        if number.kind == "code":
            return any(one.kind == "code" and one.unit == number.unit for one in quantities(self._title))
        before = visible(text)[: number.start].split()
        return bool(before) and f"{before[-1]} {number.text}" in self._title

    def _texts(self, ids: Iterable[str]) -> list[str]:
        found = (self.registry.claims.get(claim_id) for claim_id in ids)
        return [text for claim in found if claim for text in claim.texts]

    @cached_property
    def _spans(self) -> Mapping[str, set[str]]:
        spans = defaultdict[str, set[str]](set)
        for marker in self.page.markers:
            spans[marker.claim_id].add(marker.span)
        return spans

    @cached_property
    def _row_ids(self) -> Mapping[int, set[str]]:
        """The claims of each table row, by line."""
        rows = defaultdict[int, set[str]](set)
        for sentence in self.page.sentences():
            if sentence.kind == "cell":
                rows[sentence.line].update(sentence.markers)
        return rows

    # --- risky words without a marker ---

    def unmarked(self) -> Iterator[Finding]:
        rows_told = set[int]()
        for sentence in self.page.sentences():
            if sentence.markers or self._claims_nothing(sentence):
                continue
            rated = _rated(sentence.text)
            row = sentence.line if sentence.kind == "cell" else 0
            if rated and row not in rows_told and not self._covered(sentence, rated):
                rows_told |= {row} - {0}
                yield self._unmarked(sentence, rated)

    def _unmarked(self, sentence: Sentence, rated: risk.Risk) -> Finding:
        problem = (
            f"'{_short(sentence.text)}' has no claim marker and is high risk ({rated.category}: '{rated.matched}')"
        )
        repair = f"mark it with the claim that says so, or say it without '{rated.matched}'"
        return self.finding("unmarked-risk", sentence.line, problem, repair)

    def _claims_nothing(self, sentence: Sentence) -> bool:
        if sentence.kind == "heading" and sentence.line in self._own_titles:
            return True
        return sentence.line in self._faq and sentence.text.rstrip(" \"'”’»)）」』*_").endswith(("?", "？"))

    def _covered(self, sentence: Sentence, rated: risk.Risk) -> bool:
        """Whether a marker elsewhere stands for this text: in its row, or below it where it is a title."""
        if sentence.kind == "cell" and self._row_ids[sentence.line]:
            return True
        is_title = sentence.kind == "heading" or (sentence.kind == "cell" and self._is_head(sentence.line))
        return is_title and rated.category != COMPARING and self._has_marker(self._section_of(sentence.line))

    def _section_of(self, line: int) -> range:
        above = [heading for heading in self.page.headings if heading.line <= line]
        return self.page.section(above[-1]).lines if above else range(1, self.page.line_count + 1)

    def _has_marker(self, lines: range) -> bool:
        return any(marker.line in lines for marker in self.page.markers)

    @cached_property
    def _own_titles(self) -> frozenset[int]:
        return frozenset(heading.line for _, heading in placed(self.page, self.template, self.lang))

    @cached_property
    def _faq(self) -> range:
        section = next((section for section in self.template.sections if section.kind == "faq"), None)
        found = part(self.page, self.template, self.lang, section.id) if section else None
        return found.lines if found else range(0)

    @cached_property
    def _lines(self) -> list[str]:
        return _NEWLINE.split(self.page.text)

    def _is_head(self, line: int) -> bool:
        """The head of a table is the row above its rule of dashes."""
        return line < len(self._lines) and bool(_TABLE_RULE.fullmatch(self._lines[line]))


@lru_cache(maxsize=8192)
def _rated(text: str) -> risk.Risk | None:
    """Drafts change by a few sentences between two runs of the gate, and rating is much of its work."""
    return risk.high_risk(text)


def _quoted(texts: Sequence[str]) -> str:
    return "; ".join(f"'{text}'" for text in texts) or "it has none"


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
