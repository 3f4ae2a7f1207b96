"""Finds where a source states a fact: the line, section or page, and the words that say it.

A place counts when it has every number with a unit and every code of the fact, in both languages, and enough of its
words; for a fact without either the words alone must do, so more of them are asked for. What is found is put to the
same check that verification uses: a locator that would not hold is not given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signoff import DocumentError, Finding, replace
from signoff.artifacts.markdown_parsing import sentence_ends, squeeze
from signoff.evidence.sources import located_claims as agreement
from signoff.evidence.sources import locators
from signoff.evidence.sources.files import Source, Span
from signoff.evidence.sources.locators import Internal, Locator, Pdf, Url
from signoff.workflows.solution_page.assembler.claim_book import lacking
from signoff.workflows.solution_page.assembler.inputs import Desk
from signoff.workflows.solution_page.assembler.word_overlap import checkable, share

WITH_NUMBERS: Final = 0.3
WITHOUT_NUMBERS: Final = 0.6
MOST_CHARS: Final = 200
NAME: Final = "it"


@dataclass(frozen=True, slots=True)
class Located:
    """The evidence of a fact, or why there is none; `problem` may also speak against evidence that is given.

    `refused` says that the sheet names a source and that it does not hold.
    """

    evidence: tuple[Locator, ...] = ()
    problem: str = ""
    repair: str = ""
    refused: bool = False


def locate(source: Mapping[str, Any] | None, texts: Sequence[str], desk: Desk) -> Located:
    """The sheet's locator, completed where it names less than a place, and checked."""
    if not source:
        return Located(problem="the product sheet names no source")
    found = _complete(source, texts, desk)
    if found is None:
        return _nowhere(str(source.get("path") or source.get("url")), desk)
    try:
        locator = locators.parse(found)
    except DocumentError as error:
        return Located(problem=error.findings[0].problem, repair=error.findings[0].repair, refused=True)
    against = _against(locator, texts, desk)
    if not against or _fetched_later(against, desk):
        return Located((locator,), "; ".join(one.problem for one in against))
    problem = "; ".join(one.problem.removeprefix(f"{NAME}: ") for one in against)
    return Located((locator,), problem, against[0].repair, refused=True)


def _nowhere(where: str, desk: Desk) -> Located:
    if "://" not in where and desk.source(where) is None:
        repair = "correct the path (it counts from the project folder), or add the file"
        return Located(problem=f"the file '{where}' is not there, or cannot be read", repair=repair, refused=True)
    problem = f"no place in {where} states it with all its numbers and codes"
    return Located(problem=problem, repair="name the place that states it, or correct the fact", refused=True)


def _fetched_later(against: Sequence[Finding], desk: Desk) -> bool:
    """In http mode a page without a snapshot is read from the network when its evidence is checked."""
    online = desk.notes.get("link_check_mode") == "http"
    return online and all(found.rule == "evidence.snapshot" for found in against)


def search(texts: Sequence[str], desk: Desk) -> tuple[Locator, ...]:
    """A place in any of the sources that states this; nothing when there is none."""
    for path in desk.documents:
        found = _in_file({"path": path}, texts, desk)
        if found is not None and not _against(found, texts, desk):
            return (found,)
    return ()


def _against(locator: Locator, texts: Sequence[str], desk: Desk) -> tuple[Finding, ...]:
    checked = agreement.check(NAME, texts, (locator,), desk.source, "", None, snapshots=desk.snapshots)
    return () if checked.ok else checked.findings


def _complete(source: Mapping[str, Any], texts: Sequence[str], desk: Desk) -> dict[str, Any] | None:
    given = dict(source)
    if "url" in given:
        return given if given.get("excerpt") else _quoted(given, texts, desk)
    placed = any(name in given for name in ("line", "section", "page"))
    is_pdf = str(given.get("path", "")).lower().endswith(".pdf")
    if placed and (given.get("excerpt") or not is_pdf):
        return given
    found = _in_file(given, texts, desk)
    return None if found is None else locators.render(found)


def _quoted(given: dict[str, Any], texts: Sequence[str], desk: Desk) -> dict[str, Any] | None:
    """The sentence of the saved page that says it."""
    locator = Url(str(given["url"]), str(given.get("accessed_date", "")))
    path = agreement.snapshot_for(locator.url, locator.accessed_date, desk.snapshots)
    excerpt = _excerpt(desk.snapshots[path].body, texts) if path else ""
    return {**given, "excerpt": excerpt} if excerpt else None


def _in_file(given: Mapping[str, Any], texts: Sequence[str], desk: Desk) -> Locator | None:
    path = str(given["path"])
    source = desk.source(path)
    if source is None:
        return None
    if source.kind == "pdf":
        return _on_page(path, source, texts, given.get("page"))
    best = _best(((span.line, span) for span in _line_spans(source)), texts)
    if best is not None:
        return _with_excerpt(Internal(path, line=best[0]), best[1], texts)
    found = _best(((name, span) for name in source.sections if (span := source.section(name))), texts)
    return Internal(path, section=found[0]) if found else None


def _with_excerpt(locator: Internal, span: Span, texts: Sequence[str]) -> Internal:
    excerpt = _excerpt(span.text, texts)
    return replace(locator, excerpt=excerpt) if excerpt and agreement.contains(span.text, excerpt) else locator


def _on_page(path: str, source: Source, texts: Sequence[str], page: Any) -> Locator | None:
    wanted = [int(page)] if page else range(1, source.page_count + 1)
    best = _best(((number, span) for number in wanted if (span := _page(source, number))), texts)
    excerpt = _excerpt(best[1].text, texts) if best else ""
    return Pdf(path, best[0], excerpt) if best and excerpt else None


def _page(source: Source, number: int) -> Span | None:
    try:
        return source.page(number)
    except DocumentError:
        return None


def _line_spans(source: Source) -> Iterator[Span]:
    """The places that a line can name, each once."""
    seen: set[tuple[int, str]] = set()
    for number, line in enumerate(source.lines, 1):
        span = source.line(number) if line.strip() else None
        if span is not None and (span.line, span.text) not in seen:
            seen.add((span.line, span.text))
            yield span


def _best(places: Iterator[tuple[Any, Span]], texts: Sequence[str]) -> tuple[Any, Span] | None:
    """The first of the places that share most words with the fact, among those that state it."""
    rated = [(rating, place, span) for place, span in places if (rating := _rating(span.said, texts)) is not None]
    if not rated:
        return None
    top = max(rating for rating, _, _ in rated)
    return next((place, span) for rating, place, span in rated if rating == top)


def _rating(said: str, texts: Sequence[str]) -> float | None:
    if any(lacking(text, said) for text in texts) or locators.not_evidence(said):
        return None
    shared = share(texts, said).ratio
    enough = WITH_NUMBERS if any(map(checkable, texts)) else WITHOUT_NUMBERS
    return shared if shared >= enough else None


def _excerpt(text: str, texts: Sequence[str]) -> str:
    """The sentence that says most of it, with the numbers where one sentence has them all."""
    sentences = [found for found in _sentences(text) if not locators.not_evidence(found)]
    whole = [found for found in sentences if not any(lacking(text, found) for text in texts)]
    ranked = sorted(whole or sentences, key=lambda found: -share(texts, found).ratio)
    return _short(ranked[0]) if ranked and share(texts, ranked[0]).ratio > 0 else ""


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        flat = " ".join(line.strip() for line in paragraph.split("\n"))
        ends = sentence_ends(flat)
        for start, end in zip([0, *ends], ends, strict=False):
            if any(map(str.isalnum, flat[start:end])):
                yield squeeze(flat[start:end])


def _short(text: str) -> str:
    if len(text) <= MOST_CHARS:
        return text
    cut = text.rfind(" ", 0, MOST_CHARS)
    return text[: cut if cut > 0 else MOST_CHARS]
