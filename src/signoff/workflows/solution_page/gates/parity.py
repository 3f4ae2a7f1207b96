"""The bilingual-parity gate (SP-15): the same sections, features, claims, and numbers and codes at the claims.

Decisions: a section is told by the template; sections that it does not name may stand for each other, so only their
number counts. Where one marker group has several claims, its words belong to all of them: claims that share a group in
either language are compared together. A claim that stands several times is compared by all it says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from signoff import Finding
from signoff.artifacts.markdown import Heading, Marker, Page
from signoff.evidence.drift import drift
from signoff.evidence.places import unstated
from signoff.evidence.quantities.reading import Quantity
from signoff.workflows.solution_page.documents.page_template import Lang, Section, Template
from signoff.workflows.solution_page.gates.claims import needs_claim
from signoff.workflows.solution_page.gates.sections import features, placed


@dataclass(frozen=True)
class _Side:
    page: Page
    file: str
    lang: Lang
    template: Template

    @cached_property
    def known(self) -> dict[str, Section]:
        return {section.id: section for section, heading in self._placed if heading.level == 2}

    @cached_property
    def unknown(self) -> list[Heading]:
        """The H2 that are no section of the template, or one that stands again."""
        first = {section.id: heading.line for section, heading in reversed(self._placed)}
        lines = set(first.values())
        return [heading for heading in self.page.headings if heading.level == 2 and heading.line not in lines]

    @cached_property
    def _placed(self) -> list[tuple[Section, Heading]]:
        return placed(self.page, self.template, self.lang)

    @cached_property
    def markers(self) -> Mapping[str, Sequence[Marker]]:
        found = defaultdict[str, list[Marker]](list)
        for marker in self.page.markers:
            found[marker.claim_id].append(marker)
        return found


def parity(en_page: Page, cn_page: Page, en_file: str, cn_file: str, template: Template) -> list[Finding]:
    """Where the two pages do not say the same; a finding is about the file that lacks something."""
    en, cn = _Side(en_page, en_file, "en", template), _Side(cn_page, cn_file, "cn", template)
    said = _numbers(en, cn) if en.markers or cn.markers else _drifted(en, cn)
    return [*_sections(en, cn), *_features(en, cn), *_ids(en, cn), *_ids(cn, en), *said]


# --- sections and features ---------------------------------------------------------------------------------------


def _sections(en: _Side, cn: _Side) -> Iterator[Finding]:
    only_en = [section for id_, section in en.known.items() if id_ not in cn.known]
    only_cn = [section for id_, section in cn.known.items() if id_ not in en.known]
    more = len(only_en) + len(en.unknown) - len(only_cn) - len(cn.unknown)
    if more == 0 and len(only_en) <= len(cn.unknown):
        return
    yield from (_lacks(cn, en, section) for section in only_en)
    yield from (_lacks(en, cn, section) for section in only_cn)
    if not only_en and not only_cn:
        yield _differ(en, cn) if more > 0 else _differ(cn, en)


def _lacks(side: _Side, other: _Side, section: Section) -> Finding:
    unnamed = ", ".join(f"'{heading.text}'" for heading in side.unknown)
    perhaps = f" (not in the template: {unnamed})" if unnamed else ""
    title, theirs = section.title(side.lang), section.title(other.lang)
    problem = f"the section '{title}' is missing in {side.file}{perhaps}; {other.file} has '{theirs}'"
    repair = f"add it to {side.file}, or remove it from {other.file}"
    return Finding(rule="parity.sections", file=side.file, line=1, problem=problem, repair=repair)


def _differ(longer: _Side, shorter: _Side) -> Finding:
    lists = [
        f"{side.file} has {len(side.unknown)} ({', '.join(heading.text for heading in side.unknown) or 'none'})"
        for side in (longer, shorter)
    ]
    problem = f"of sections that the template does not name, {lists[0]} and {lists[1]}"
    repair = f"add what is missing in {shorter.file}"
    line = longer.unknown[0].line if not shorter.unknown else shorter.unknown[-1].line
    file = longer.file if not shorter.unknown else shorter.file
    return Finding(rule="parity.sections", file=file, line=line, problem=problem, repair=repair)


def _features(en: _Side, cn: _Side) -> Iterator[Finding]:
    counted = [(side, features(side.page, side.template, side.lang) or []) for side in (en, cn)]
    (fewer, few), (more, many) = sorted(counted, key=lambda pair: len(pair[1]))
    if len(few) == len(many):
        return
    lists = [f"{len(each)} ({', '.join(heading.text for heading in each) or 'none'})" for each in (many, few)]
    problem = f"{more.file} has {lists[0]} features, {fewer.file} has {lists[1]}"
    line = few[-1].line if few else 1
    repair = f"add {len(many) - len(few)} to {fewer.file}, or remove as many from {more.file}"
    yield Finding(rule="parity.features", file=fewer.file, line=line, problem=problem, repair=repair)


# --- claims and their numbers ------------------------------------------------------------------------------------


def _ids(side: _Side, other: _Side) -> Iterator[Finding]:
    for claim_id, markers in side.markers.items():
        if claim_id not in other.markers:
            problem = f"{claim_id} is missing in {other.file}; {side.file} has it in line {markers[0].line}"
            repair = f"say it in {other.file} too, with its marker, or take it out of {side.file}"
            yield Finding(
                rule="parity.claim-ids", file=other.file, line=1, problem=problem, repair=repair, about=claim_id
            )


def _numbers(en: _Side, cn: _Side) -> Iterator[Finding]:
    shared = [claim_id for claim_id in en.markers if claim_id in cn.markers]
    for ids in _together(shared, (en, cn)):
        texts = {side.lang: _said(side, ids) for side in (en, cn)}
        yield from (
            _unsaid(cn, en, ids, number) for number in unstated(texts["en"], [texts["cn"]]) if needs_claim(number)
        )
        yield from (
            _unsaid(en, cn, ids, number) for number in unstated(texts["cn"], [texts["en"]]) if needs_claim(number)
        )
        for found in drift(texts["en"], texts["cn"]):
            if found.rule == "drift.bound":
                yield _turned(en, cn, ids, found.problem)


_COMPARED = frozenset(("number", "code", "bound"))


def _drifted(en: _Side, cn: _Side) -> Iterator[Finding]:
    """Released pages carry no markers: then whatever numbers, list items and table rows they have are compared."""
    for found in drift(en.page.text, cn.page.text):
        if found.rule.partition(".")[2] in (*_COMPARED, "item", "row"):
            repair = f"make {en.file} and {cn.file} say the same"
            yield Finding(rule="parity.drift", file=en.file, line=found.line, problem=found.problem, repair=repair)


def _said(side: _Side, ids: Sequence[str]) -> str:
    spans = dict.fromkeys(marker.span for claim_id in ids for marker in side.markers[claim_id])
    return "\n\n".join(spans)


def _unsaid(side: _Side, other: _Side, ids: Sequence[str], said: Quantity) -> Finding:
    line, there = side.markers[ids[0]][0].line, other.markers[ids[0]][0].line
    what = "codes" if said.kind == "code" else "numbers"
    problem = (
        f"{', '.join(ids)}: {other.file} says '{said.text}' (line {there}), {side.file} does not say it at the marker"
    )
    repair = f"say the same {what} at the same markers in both languages"
    return Finding(rule=f"parity.{what}", file=side.file, line=line, problem=problem, repair=repair, about=ids[0])


def _turned(en: _Side, cn: _Side, ids: Sequence[str], problem: str) -> Finding:
    line = cn.markers[ids[0]][0].line
    full = f"{', '.join(ids)}: {en.file} and {cn.file} set different bounds: {problem}"
    repair = "say the same bound (at most, at least) in both languages"
    return Finding(rule="parity.bounds", file=cn.file, line=line, problem=full, repair=repair, about=ids[0])


def _together(ids: Sequence[str], sides: Sequence[_Side]) -> list[list[str]]:
    """The ids in sets that share a marker group in one of the languages, in order of occurrence."""
    joined = {claim_id: [claim_id] for claim_id in ids}
    for group in (group for side in sides for group in _groups(side)):
        members = [claim_id for claim_id in group if claim_id in joined]
        for other in members[1:]:
            _join(joined, members[0], other)
    return list({id(each): each for each in joined.values()}.values())


def _groups(side: _Side) -> list[list[str]]:
    groups = defaultdict[int, list[str]](list)
    for marker in side.page.markers:
        groups[marker.group].append(marker.claim_id)
    return list(groups.values())


def _join(joined: dict[str, list[str]], one: str, other: str) -> None:
    first, second = joined[one], joined[other]
    if first is not second:
        first += second
        joined.update(dict.fromkeys(second, first))
