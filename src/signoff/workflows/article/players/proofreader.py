"""The proofreader: one lens at a time, and for each thing that it shows, the exact words and what to write instead.

Facts: every figure leads to its datum, every quotation to a material. Language: the phrases that code found, and
sentences said twice. Structure: the thesis where readers look for it, paragraphs that can be read in one breath.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from signoff.workflows.article import materials
from signoff.workflows.article.players.desk import Desk, Payload, player
from signoff.workflows.article.players.judging import carries, figures, length
from signoff.workflows.article.players.manuscript import (
    CONCLUSION,
    IMAGE,
    INTRODUCTION,
    MARKER,
    Manuscript,
    Part,
    bare,
    parse,
)
from signoff.workflows.article.players.mending import named, units
from signoff.workflows.article.players.synthesis import kind_of
from signoff.workflows.article.quotes import stands_in
from signoff.workflows.wording import sentences

_LONGEST: Final = {"en": 150, "zh": 300}
_SPOKEN = re.compile(r"“([^”]{12,})”")
_LEVEL = re.compile(r"^(P0\.5|P1\.5|P[0-3])\b")
Issue = dict[str, str]


@dataclass(frozen=True)
class Proof:
    """A draft under a lens, with the materials that it has to rest on."""

    desk: Desk

    @cached_property
    def draft(self) -> Manuscript:
        return parse(self.desk.text(f"drafts/{self.desk.topic}.md"))

    @cached_property
    def quotes(self) -> Mapping[str, str]:
        path = f"knowledge/{self.desk.topic}-sources.md"
        listed = {str(item["id"]): str(item["quote"]) for item in self.desk.note("ids", ())}
        return listed or {item.id: item.quote for item in materials.parse(self.desk.text(path), path)[0]}

    @cached_property
    def pages(self) -> str:
        return " ".join(page.text for page in self.desk.pages)

    def units(self) -> Iterator[tuple[Part, str]]:
        for part in self.draft.parts:
            for paragraph in part.paragraphs:
                if not IMAGE.match(paragraph):
                    yield from ((part, unit) for unit in units(paragraph))


def _facts(proof: Proof) -> Iterator[Issue]:
    for part, unit in proof.units():
        data = [proof.quotes[one] for one in MARKER.findall(unit) if kind_of(one) == "D" and one in proof.quotes]
        for figure in figures(bare(unit)):
            if not any(carries(quote, figure) for quote in data):
                yield {
                    "level": "P0",
                    "section": part.place,
                    "problem": f"'{figure}' leads to no datum: '{bare(unit)}'",
                    "reason": "a figure stands only with the datum that states it",
                }
        yield from _misquoted(proof, part, unit)


def _misquoted(proof: Proof, part: Part, unit: str) -> Iterator[Issue]:
    """Quotations whose words stand in no material and in no page that this turn has."""
    held = " ".join(proof.quotes.values())
    for spoken in _SPOKEN.findall(bare(unit)):
        known = stands_in(spoken, held) or stands_in(spoken, proof.pages)
        if not known and proof.pages and "‘" not in spoken:
            yield {
                "level": "P0",
                "section": part.place,
                "problem": f"nobody said '{spoken}' in the pages that were read",
                "reason": "a quotation has the words of its page, to the letter",
            }


def _language(proof: Proof) -> Iterator[Issue]:
    """What code found in its lists, each with the sentence without it where that leaves a sentence."""
    for finding in proof.desk.note("findings", ()):
        words = named(finding)
        found = _LEVEL.match(str(finding.get("problem", "")))
        fix = _cut(proof, words[0]) if words else {}
        yield {
            "level": found[1] if found else "P2",
            "section": str(finding.get("section") or INTRODUCTION),
            "problem": str(finding.get("problem")),
            "reason": str(finding.get("repair") or "it reads better without"),
            **fix,
        }
    yield from _twice(proof)


def _cut(proof: Proof, words: str) -> Issue:
    """The sentence with the phrase, and the same without: as a fix, where it stands once and enough is left."""
    for _, unit in proof.units():
        at = unit.lower().find(words.lower())
        if at < 0:
            continue
        after = re.sub(r"^[\s,，、]+|\s{2,}", " ", unit[:at] + unit[at + len(words) :].lstrip(" ,，")).strip()
        return {"before": unit, "after": after[:1].upper() + after[1:]} if len(bare(after)) > 12 else {}
    return {}


def _twice(proof: Proof) -> Iterator[Issue]:
    seen: set[str] = set()
    for part, unit in proof.units():
        said = bare(unit)
        if said in seen and length(said, proof.desk.language) > 6:
            yield {
                "level": "P2",
                "section": part.place,
                "problem": f"said twice: '{said}'",
                "reason": "the second time tells nobody anything",
            }
        seen.add(said)


def _structure(proof: Proof) -> Iterator[Issue]:
    thesis = str(proof.desk.note("thesis")).rstrip(".。")
    for place in (INTRODUCTION, CONCLUSION) if thesis else ():
        part = proof.draft.part(place)
        if part is None or thesis.lower() not in part.bare.lower():
            yield {
                "level": "P1",
                "section": place,
                "problem": f"the {place} does not state the thesis in its own words: '{thesis}'",
                "reason": "readers look for the claim where an article begins and ends",
            }
    for part in proof.draft.parts:
        for paragraph in part.paragraphs:
            if length(bare(paragraph), proof.desk.language) > _LONGEST[proof.desk.language]:
                yield {
                    "level": "P3",
                    "section": part.place,
                    "problem": f"a long paragraph begins with '{sentences(bare(paragraph))[0]}'",
                    "reason": "it cannot be read in one breath",
                    **_parted(paragraph),
                }


def _parted(paragraph: str) -> Issue:
    """A long paragraph in two, between its sentences."""
    found = units(paragraph)
    half = len(found) // 2
    if half < 1 or found[half - 1] not in paragraph or found[half] not in paragraph:
        return {}
    end = paragraph.index(found[half])
    before = paragraph[max(0, end - 60) : end + min(40, len(found[half]))]
    cut = len(paragraph[max(0, end - 60) : end])
    return {"before": before, "after": f"{before[:cut].rstrip()}\n\n{before[cut:]}"}


_LENSES: Final[Mapping[str, tuple[str, Callable[[Proof], Iterator[Issue]]]]] = {
    "facts": ("FACT", _facts),
    "language": ("LANG", _language),
    "structure": ("STRUCT", _structure),
}


def _work(desk: Desk) -> Payload:
    lens = str(desk.note("lens"))
    name, look = _LENSES[lens]
    issues: list[dict[str, Any]] = [
        {"id": f"{name}-{number:03d}", **issue} for number, issue in enumerate(look(Proof(desk)), 1)
    ]
    return {"lens": lens, "issues": issues}


proofreader = player("proofreader", {"proof": _work})
