"""Materials and statistics of a draft: every marker leads to a material, every number to a quote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from signoff.artifacts.markdown import Sentence
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.evidence.figures import numbers
from signoff.evidence.figures.numbers import Quantity
from signoff.workflows.article.checks import quotes
from signoff.workflows.article.checks.text import Given, Part
from signoff.workflows.article.documents import audiences
from signoff.workflows.article.documents.materials import ExpertFound, Item
from signoff.workflows.article.documents.terms import place

LEAST = 10
"""A bare number below is no statistic."""

_SPOKEN = re.compile(r"[“「『]([^“”「」『』]{20,}?)[”」』]")
_NAME = re.compile(r"[A-Z][^\W\d_]{2,}|[\u3400-\u9fff]{2,}")


def materials(given: Given) -> Iterator[Finding]:
    """What the writer says of its materials is so in the text."""
    for part in given.article.parts:
        for one in part.ids:
            if one not in given.by_id:
                yield given.wrong("material", f"{one} is no material of this article", "use an id of the sources", part)
    for bad in given.article.page.bad_markers:
        problem = f"{bad.text.strip()} is meant as the marker of a material and is none"
        repair = "write <!-- material: CASE-001 -->"
        yield Finding(rule="article.material", problem=problem, repair=repair, file=given.file, line=bad.line)
    yield from _used(given)
    yield from _differentiators(given)
    yield from _quotes(given)
    yield from _spoken(given)


def _used(given: Given) -> Iterator[Finding]:
    usage = given.config.writing.materialUsage
    used = [(one.id, place(one.location)) for one in usage.used] if usage else []
    for one, where in used:
        part = given.article.part(where)
        if part is None or one not in part.ids:
            problem = f"materialUsage says that {one} is used in {where}, and no marker of it is there"
            yield given.wrong("usage", problem, f"put <!-- material: {one} --> there, or name its place", part)
    declared = {one for one, _ in used}
    for part in given.article.parts:
        for one in part.ids:
            if one in given.by_id and (one, part.place) not in used:
                where = "in another place" if one in declared else "nowhere"
                problem = f"{one} is used in {part.place}, and materialUsage has it {where}"
                yield given.wrong("usage", problem, f"add {one} in {part.place} to materialUsage.used", part)
    for left in usage.skipped if usage else ():
        if left.id in given.article.ids:
            yield given.wrong("usage", f"{left.id} is said to be skipped and is used", "take it out of skipped")


def _differentiators(given: Given) -> Iterator[Finding]:
    usage, found = given.config.writing.materialUsage, given.config.research.materials
    skipped = {one.id for one in usage.skipped} if usage else set()
    for one in found.differentiators if found else ():
        if one not in given.article.ids and one not in skipped:
            problem = f"the differentiator {one} is neither used nor skipped with a reason"
            yield given.wrong("differentiators", problem, "use it, or say in materialUsage.skipped why not")


def _quotes(given: Given) -> Iterator[Finding]:
    """What the text rests on still stands in its page: people edit both."""
    for one in dict.fromkeys(given.article.ids) if given.pages else ():
        for found in quotes.check(given.by_id[one].found, given.pages, given.file, one) if one in given.by_id else ():
            repair = f"{found.repair}; else write without {one}"
            yield replace(found, rule="article.quote", problem=f"{one}: {found.problem}", repair=repair)


def _spoken(given: Given) -> Iterator[Finding]:
    """Words between quotation marks stand in a page that was read, and whoever explains is named."""
    for part in given.article.parts:
        for quote in _SPOKEN.findall(part.text) if given.pages else ():
            if not any(quotes.stands_in(quote.rstrip("，,。."), page) for page in given.pages.values()):
                problem = f"{part.place} quotes {quote[:80]!r}, which no page says that was read"
                yield given.wrong("quotation", problem, "quote what stands there, or say it in your own words", part)
        for one in part.ids:
            found = given.by_id[one].found if one in given.by_id else None
            if isinstance(found, ExpertFound) and not _named(found.expert, part.text):
                problem = f"{part.place} uses {one} and does not name {found.expert}, who says it"
                yield given.wrong("speaker", problem, f"name {found.expert}", part)


def _named(expert: str, text: str) -> bool:
    """Whether somebody is named: by a word of the name, which people give in part."""
    return any(word in text for word in _NAME.findall(expert))


# --- statistics -------------------------------------------------------------------------------------------------------


def statistics(given: Given) -> Iterator[Finding]:
    """A number with a unit leads to the quote of a datum; a bare one stands in a page that its section rests on."""
    known = _own_numbers(given)
    for part in given.article.parts:
        pages = _pages(given, part)
        for sentence in (*part.sentences, *_code(part)):
            text, data = _digits(sentence.text), _data(given.by_id, sentence)
            for found in numbers.quantities(text):
                if not found.unit:
                    if pages and not _is_plain(found) and found.value not in pages:
                        yield _unfounded(given, part, sentence, found)
                elif (found.value, found.unit) not in known and not any(_states(one.quote, found) for one in data):
                    yield _untraced(given, part, sentence, found)
            for share in shares(text):
                if not any(_states_share(one.quote, share) for one in data):
                    yield _untraced(given, part, sentence, share)


def _code(part: Part) -> Iterator[Sentence]:
    """Blocks of code have no markers: what they say leads to what their section uses."""
    for text in part.code:
        yield Sentence(text=text, line=part.line, kind="code", markers=part.ids)


def _digits(text: str) -> str:
    """The text with the digits and percent signs of other scripts as everybody reads them."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else _PERCENT.get(one, one) for one in text)


_PERCENT: Final = {"﹪": "%", "٪": "%", "％": "%"}


def _is_plain(found: Quantity) -> bool:
    """Whether a bare number is one that needs no source: a small one, as in three reasons."""
    return found.value < LEAST or found.value != found.value.to_integral_value()


def _pages(given: Given, part: Part) -> frozenset[Decimal]:
    """The numbers of the pages that the materials of a part come from; without pages nobody can tell."""
    urls = {given.by_id[one].url for one in part.ids if one in given.by_id}
    texts = [given.pages[url] for url in urls if url in given.pages]
    return frozenset(found.value for text in texts for found in numbers.quantities(text))


def _own_numbers(given: Given) -> set[tuple[Decimal, str | None]]:
    """What the author says of themselves needs no source; a share is of others, and always needs one."""
    said = given.config.authorPersona
    words = " ".join(filter(None, (said.role, said.experience, said.specialty, said.bias)))
    return {(one.value, one.unit) for one in numbers.with_units(words) if one.unit != "%"}


def _data(by_id: Mapping[str, Item], sentence: Sentence) -> list[Item]:
    """The data that a sentence names."""
    return [by_id[one] for one in sentence.markers if one in by_id and by_id[one].round == "data"]


def _states(quote: str, found: Quantity) -> bool:
    return not numbers.missing(found.text, quote)


def _states_share(quote: str, share: Share) -> bool:
    """Whether a quote states a share: in the same words, as another fraction, or in percent."""
    percents = [one.value for one in numbers.with_units(quote) if one.unit == "%"]
    return share.percent in (*(one.percent for one in shares(quote)), *percents)


def _unfounded(given: Given, part: Part, sentence: Sentence, found: Quantity) -> Finding:
    problem = f"{part.place} says {found.text!r}, which no page says that it rests on: {sentence.text[:80]!r}"
    repair = "write the number as the page has it, name the material that it comes from, or say it without a number"
    return replace(_untraced(given, part, sentence, found), problem=problem, repair=repair)


def _untraced(given: Given, part: Part, sentence: Sentence, found: Quantity | Share) -> Finding:
    """Where a datum is named, what it says is offered; vague words are only for a number that has none."""
    data = _data(given.by_id, sentence)
    if data:
        why = f"which {', '.join(one.id for one in data)} does not say"
        repair = f"write what it says: {'; '.join(one.quote for one in data)}"
    else:
        why = "and no datum is named behind its sentence"
        repair = "name its datum (<!-- material: D001 -->) right after the sentence, or say it without a number"
        repair += _fuzzy(given, found)
    problem = f"{part.place} says {found.text!r}, {why}: {sentence.text[:80]!r}"
    return Finding(
        rule="article.statistics", problem=problem, repair=repair, file=given.file, line=sentence.line, about=part.place
    )


def _fuzzy(given: Given, found: Quantity | Share) -> str:
    percent = found.percent if isinstance(found, Share) else found.value if found.unit == "%" else None
    if percent is None or not 0 <= percent <= 100:
        return ""
    return f", such as {audiences.fuzzy(percent, given.config.language)!r}"


# --- shares without a percent sign: three out of four, 2/3 of the shops, 四分之三, 九成的零件

_DIGITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WHOLES: Final = {"a hundred": 100, "hundred": 100, "a thousand": 1000, "thousand": 1000, "twenty": 20, "fifty": 50}
_PARTS: Final = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_VALUES: Final = {
    **{name: value for value, name in enumerate(_DIGITS, 1)},
    **{name: value for value, name in enumerate("零一二三四五六七八九十")},
    "两": 2,
    **_WHOLES,
    **_PARTS,
}
_DECIMAL: Final = r"\d{1,4}"
_COUNT: Final = rf"(?:{_DECIMAL}|{'|'.join(_DIGITS)})"
_WHOLE: Final = rf"(?:{_DECIMAL}|{'|'.join((*_WHOLES, *_DIGITS))})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b({_COUNT}) (?:out of|in|of every|in every) (?:every )?({_WHOLE})\b",
        rf"(?<![\d/.])({_DECIMAL}) ?[/⁄] ?({_DECIMAL})(?= of\b)",
        rf"\b({_COUNT})[ -]({'|'.join(_PARTS)})s?(?= of\b)",
    )
)
_FRACTION: Final = re.compile(r"([一二两三四五六七八九十]|\d{1,3})分之([一二两三四五六七八九十]|\d{1,3})")
_TENTHS: Final = re.compile(r"([一二两三四五六七八九]|\d)成(?=[的以多左上，。、；]|\Z)")
_SIGNS: Final = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, in percent, as it is written."""

    text: str
    percent: Decimal


def shares(text: str) -> Iterator[Share]:
    """Every one, in the order of the forms."""
    plain = re.sub("[½⅓⅔¼¾⅕⅛]", lambda found: _SIGNS[found.group()], text)
    measured = [(one.start, one.end) for one in numbers.with_units(plain)]
    for form in _FORMS:
        for found in form.finditer(plain):
            if not any(start < found.end() and found.start(2) < end for start, end in measured):
                yield from _share(found.group(), _value(found[1]), _value(found[2]))
    for found in _FRACTION.finditer(plain):
        yield from _share(found.group(), _value(found[2]), _value(found[1]))
    for found in _TENTHS.finditer(plain):
        yield from _share(found.group(), _value(found[1]), 10)


def _share(text: str, part: int, whole: int) -> Iterator[Share]:
    if 0 < part < whole:
        yield Share(text, (Decimal(part * 100) / whole).quantize(Decimal("0.1")))


def _value(written: str) -> int:
    plain = written.lower()
    return _VALUES[plain] if plain in _VALUES else int(plain)
