"""A draft that was sent back: exactly what the findings name is mended, sentence by sentence; the rest stays.

Only sections that are not those of the outline are written anew, because there is nothing to keep of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from signoff.workflows.article import audiences
from signoff.workflows.article.players import voice
from signoff.workflows.article.players.judging import figures
from signoff.workflows.article.players.lexicon import HAN
from signoff.workflows.article.players.manuscript import (
    CONCLUSION,
    IMAGE,
    INTRODUCTION,
    LINK,
    MARKER,
    Manuscript,
    Part,
    bare,
    parse,
)
from signoff.workflows.article.players.synthesis import kind_of
from signoff.workflows.wording import sentences

if TYPE_CHECKING:
    from signoff.workflows.article.players.writer import Draft

Finding = Mapping[str, Any]
_QUOTED = re.compile(
    r"“([^”]{3,})”|'((?:[^'\\]|\\.|(?<=\w)'(?=\w)){3,}?)'(?!\w)|\"([^\"]{3,})\"|`([^`]{3,})`|「([^」]{3,})」"
)
_PERCENT = re.compile(
    r"(?P<near>\b(?:about|around|nearly|roughly|some|over|up to)\s+|大约|约|近|超过)?"
    r"(?P<share>\d+(?:\.\d+)?)\s?(?:%|percent\b)(?P<of>\s+of(?:\s+all)?\b|的)?",
    re.IGNORECASE,
)
_SEAL = "\0"


def mended(text: str, findings: Sequence[Finding], making: Draft) -> Manuscript:
    """The draft without what was found wrong with it."""
    draft = parse(text)
    if any(re.search(r"structure|title|outline", str(one.get("rule"))) for one in findings):
        return replace_sections(draft, making)
    for pattern, mend in _MENDS:
        named = [one for one in findings if pattern.search(str(one.get("rule")))]
        if named:
            draft = mend(draft, named, making)
    return fitting(draft, making)


def replace_sections(draft: Manuscript, making: Draft) -> Manuscript:
    """The article by its outline; a section that has kept its title keeps its text."""
    new = making.written()
    kept = {part.title: part for part in draft.parts if part.paragraphs}
    same = [replace(part, paragraphs=kept[part.title].paragraphs) if part.title in kept else part for part in new.parts]
    whole = Manuscript(new.title, tuple(same))
    least, most = making.budget
    return whole if least <= whole.length(making.desk.language) <= most else new


# --- sentences with their markers -------------------------------------------------------------------------------------


def units(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each with the markers that stand behind it."""
    marks = MARKER.findall(paragraph)
    sealed = MARKER.sub(_SEAL, paragraph)
    found, number = list[str](), 0
    for said in _cut(sealed):
        count = said.count(_SEAL)
        ids = marks[number : number + count]
        number += count
        found.append("".join([said.replace(_SEAL, "").strip(), *(f" <!-- material: {one} -->" for one in ids)]))
    return found


def _cut(sealed: str) -> Iterator[str]:
    """Sentences; markers that stand at the beginning of one belong to the one before."""
    held = ""
    for said in sentences(sealed):
        lead = re.match(rf"[\s{_SEAL}]*", said)
        marks = lead.group().count(_SEAL) if lead else 0
        if held:
            yield held + _SEAL * marks
        held = said[lead.end() :] if lead else said
    if held:
        yield held


def _edited(draft: Manuscript, place: str, edit: Callable[[str], str | None]) -> Manuscript:
    """Every sentence of a place as the edit gives it; None takes it out. No place means all of them."""
    for part in draft.parts:
        if place in ("", part.place):
            paragraphs = (
                p if IMAGE.match(p) else _rejoined(p, [edit(unit) for unit in units(p)]) for p in part.paragraphs
            )
            draft = draft.with_part(replace(part, paragraphs=tuple(one for one in paragraphs if one)))
    return draft


def _rejoined(paragraph: str, parts: Sequence[str | None]) -> str:
    kept = [part for part in parts if part]
    chinese = bool(HAN.search(paragraph))
    text = ("" if chinese else " ").join(kept)
    return text.replace(" <!--", "<!--") if chinese else text


def named(finding: Finding) -> list[str]:
    """The words that a finding quotes."""
    found = _QUOTED.findall(str(finding.get("problem", "")))
    return [next(filter(None, groups)).replace("\\'", "'").rstrip("…") for groups in found]


# --- one kind of finding each -----------------------------------------------------------------------------------------


def _statistics(draft: Manuscript, findings: Sequence[Finding], making: Draft) -> Manuscript:
    """A figure gets its datum behind it, or is said in words, or its sentence goes."""
    for finding in findings:
        draft = _edited(draft, str(finding.get("section") or ""), lambda unit: traced(unit, making))
    return draft


def traced(unit: str, making: Draft) -> str | None:
    """A sentence whose figures all lead to data; None where that cannot be had.

    Where a datum is named, what it says is said: a wrong figure is never put into words.
    """
    said = bare(unit)
    if not figures(said):
        return unit
    others = [one for one in MARKER.findall(unit) if kind_of(one) != "D"]
    ids = making.stock.figures(said)
    if ids is not None:
        return making.stock.marked(said, (*ids, *others))
    if known := [one for one in MARKER.findall(unit) if kind_of(one) == "D" and one in making.stock.items]:
        return making.stock.marked(str(making.stock.items[known[0]]["quote"]), (known[0], *others))
    language = making.desk.language
    worded = _PERCENT.sub(lambda found: in_words(found, language), said)
    return making.stock.marked(worded, others) if not figures(worded) else None


def in_words(found: re.Match[str], language: str) -> str:
    """A share without its figure: `About 83 % of all loads` are most loads."""
    share = float(found["share"])
    if not 0 < share < 100:
        return found.group()
    said = audiences.fuzzy(round(share), "zh" if language == "zh" else "en")
    begins = found.start() == 0
    of = " of" if (found["of"] or "").strip().startswith("of") and not said.endswith(("most", "all")) else ""
    return f"{said[:1].upper()}{said[1:]}{of}" if begins else f"{said}{of}"


def _drop_sentences(draft: Manuscript, findings: Sequence[Finding], making: Draft) -> Manuscript:
    """The sentence that a finding quotes goes, or only the words, where the thesis stands in it."""
    for finding in findings:
        for words in named(finding):
            drop = partial(_without, words=words, thesis=making.thesis)
            draft = _edited(draft, str(finding.get("section") or ""), drop)
    return draft


def _without(unit: str, *, words: str, thesis: str) -> str | None:
    if words.lower() not in unit.lower():
        return unit
    holds = bool(thesis) and thesis.lower() in unit.lower()
    if holds and words.lower() not in thesis.lower():
        return re.sub(rf"\s*{re.escape(words)}\s*,?", " ", unit, flags=re.IGNORECASE).strip()
    return unit if holds else None


def _thesis(draft: Manuscript, findings: Sequence[Finding], making: Draft) -> Manuscript:
    """The thesis is said in the introduction, in the conclusion, and in the sections that are its own."""
    places = {str(one.get("section") or "") for one in findings}
    for part in draft.parts:
        asked = part.place in places or (places == {""} and part.place in (INTRODUCTION, CONCLUSION))
        if asked and making.thesis and making.thesis.lower() not in part.bare.lower():
            line = "own" if part.place not in (INTRODUCTION, CONCLUSION) else "verdict"
            said = voice.say(making.desk.language, line, making.desk.topic, thesis=making.inline(making.thesis))
            first, rest = part.paragraphs[:1], part.paragraphs[1:]
            ahead = (*first, said, *rest) if part.place == INTRODUCTION else (*part.paragraphs, said)
            draft = draft.with_part(replace(part, paragraphs=ahead))
    return draft


def _bias(draft: Manuscript, _findings: Sequence[Finding], making: Draft) -> Manuscript:
    """The bias is said in two sections."""
    bias = str(making.desk.told("authorPersona", "bias")).rstrip(".。")
    have = [part for part in draft.body if bias in part.bare]
    for turn, part in enumerate([part for part in draft.body if part not in have][: max(0, 2 - len(have))]):
        said = voice.say(making.desk.language, "bias", making.desk.topic, turn, bias=bias)
        draft = draft.with_part(replace(part, paragraphs=(*part.paragraphs, said)))
    return draft


def _phrases(draft: Manuscript, _findings: Sequence[Finding], making: Draft) -> Manuscript:
    """Three phrases of the author's own stand in the article."""
    lines = voice.LINES[making.desk.language]["signature"]
    whole = " ".join(part.bare for part in draft.parts)
    missing = [line for line in lines if line not in whole][: max(0, 3 - sum(line in whole for line in lines))]
    for part, line in zip(draft.body[::-1], missing, strict=False):
        draft = draft.with_part(replace(part, paragraphs=(*part.paragraphs, line)))
    return draft


def _links(draft: Manuscript, _findings: Sequence[Finding], making: Draft) -> Manuscript:
    """Links as the config declares them: none besides, none in the conclusion, and what is missing comes in."""
    declared = making.desk.told("internalLinks", default={}) or {}
    known = [*declared.get("required", ()), *declared.get("recommended", ())]
    urls = {str(one["url"]) for one in known}
    for part in draft.parts:
        texts = tuple(_linked(text, urls if part.place != CONCLUSION else set()) for text in part.paragraphs)
        draft = draft.with_part(replace(part, paragraphs=texts))
    there = {found[2] for part in draft.parts for found in LINK.finditer(part.text)}
    for part, one in zip(
        draft.body, [one for one in declared.get("required", ()) if one["url"] not in there], strict=False
    ):
        said = voice.say(making.desk.language, "link", making.desk.topic, link=f"[{one['anchor']}]({one['url']})")
        draft = draft.with_part(replace(part, paragraphs=(*part.paragraphs, said)))
    return draft


def _linked(text: str, urls: set[str]) -> str:
    return LINK.sub(lambda found: found.group() if found[2] in urls else found[1], text)


def _products(draft: Manuscript, _findings: Sequence[Finding], making: Draft) -> Manuscript:
    """Two mentions at most, none where readers come in or go."""
    mentions = [str(one["mention"]).lower() for one in making.desk.told("products", default=()) or ()]
    left = 2
    for part in draft.parts:
        paragraphs = list[str]()
        for paragraph in part.paragraphs:
            kept = list[str | None]()
            for unit in units(paragraph):
                count = sum(bare(unit).lower().count(mention) for mention in mentions)
                fits = not count or (part.place.startswith("H2-") and count <= left)
                left -= count if fits else 0
                kept.append(unit if fits else None)
            paragraphs.append(paragraph if IMAGE.match(paragraph) else _rejoined(paragraph, kept))
        draft = draft.with_part(replace(part, paragraphs=tuple(one for one in paragraphs if one)))
    return draft


def _materials(draft: Manuscript, _findings: Sequence[Finding], making: Draft) -> Manuscript:
    """Markers that lead to no material go."""
    known = making.stock.items

    def cleaned(text: str) -> str:
        return MARKER.sub(lambda found: found.group() if found[1] in known else "", text)

    for part in draft.parts:
        draft = draft.with_part(replace(part, paragraphs=tuple(map(cleaned, part.paragraphs))))
    return draft


_MENDS: Final = (
    (re.compile(r"pattern|proof"), _drop_sentences),
    (re.compile(r"statistic"), _statistics),
    (re.compile(r"quotation"), _drop_sentences),
    (re.compile(r"material|usage"), _materials),
    (re.compile(r"link"), _links),
    (re.compile(r"product"), _products),
    (re.compile(r"thesis"), _thesis),
    (re.compile(r"bias|persona"), _bias),
    (re.compile(r"phrase|persona"), _phrases),
)


# --- length -----------------------------------------------------------------------------------------------------------


def fitting(draft: Manuscript, making: Draft) -> Manuscript:
    """The draft within its budget: paragraphs that carry least go, or what the pages still hold comes in."""
    least, most = making.budget
    language = making.desk.language
    if not most:
        return draft
    while draft.length(language) > most and (shorter := _shorter(draft, making)):
        draft = shorter
    if draft.length(language) < least:
        draft = _longer(draft, making, least, most)
    return draft


def _shorter(draft: Manuscript, making: Draft) -> Manuscript | None:
    """Without one paragraph: first what rests on no material, then the last of the longest section."""
    loose = [
        (bool(MARKER.search(text)), -len(part.bare), -at, part, at)
        for part in draft.parts
        for at, text in enumerate(part.paragraphs)
        if at and not _needed(text, making)
    ]
    if not loose:
        return None
    *_, part, at = min(loose, key=lambda one: one[:3])
    return draft.with_part(replace(part, paragraphs=(*part.paragraphs[:at], *part.paragraphs[at + 1 :])))


def _needed(paragraph: str, making: Draft) -> bool:
    """Whether a paragraph carries what nothing else does: thesis, bias, a phrase of the author's, a link."""
    said = bare(paragraph)
    bias = str(making.desk.told("authorPersona", "bias")).rstrip(".。")
    own = voice.LINES[making.desk.language]["signature"]
    carries = (
        (making.thesis and making.thesis.lower() in said.lower())
        or (bias and bias in said)
        or any(line in said for line in own)
    )
    return bool(carries or LINK.search(paragraph) or IMAGE.match(paragraph))


def _longer(draft: Manuscript, making: Draft, least: int, most: int) -> Manuscript:
    """With paragraphs that a fresh composition has and the draft has not, one section after the other in turn."""
    there = {said for part in draft.parts for paragraph in part.paragraphs for said in sentences(bare(paragraph))}
    fresh = [[(part.place, paragraph) for paragraph in part.paragraphs] for part in making.written().body]
    for place, paragraph in (one for turn in zip_longest(*fresh) for one in turn if one):
        mine, said = draft.part(place), sentences(bare(paragraph))
        if mine is None or IMAGE.match(paragraph) or any(one in there for one in said):
            continue
        grown = draft.with_part(_with(mine, paragraph))
        if draft.length(making.desk.language) < least and grown.length(making.desk.language) <= most:
            draft = grown
            there |= set(said)
    return draft


def _with(part: Part, paragraph: str) -> Part:
    return replace(part, paragraphs=(*part.paragraphs[:-1], paragraph, *part.paragraphs[-1:]))
