"""The work on one page, one source or one pair: bytes in, plain data out, so that it can run anywhere and be cached."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from signoff.artifacts.text_decoding import decode
from signoff.core.errors import DocumentError
from signoff.evidence.check.anchors import heading_ids
from signoff.evidence.check.claim_rules import claim_violations
from signoff.evidence.check.directives import directives, no_claims
from signoff.evidence.check.drift_rules import drift_violations
from signoff.evidence.check.link_rules import local_links
from signoff.evidence.check.page_rules import page_violations
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.rules import Violation
from signoff.evidence.check.settings import Settings
from signoff.evidence.check.source_index import Entry, SourceIndex, entry
from signoff.evidence.check.source_rules import source_violations
from signoff.evidence.check.statements import claim_ids
from signoff.evidence.sources.files import parse_source

MOST_BYTES: Final = 64_000_000
Data = dict[str, Any]


def page_data(path: Path, data: bytes, settings: Settings, index: SourceIndex | None = None, own: int = -1) -> Data:
    """Everything that the page itself tells: violations, links, ids, exemptions."""
    try:
        text = decode(data, str(path), MOST_BYTES).removeprefix("\ufeff")
    except DocumentError as error:
        finding = error.findings[0]
        return _data([Violation(code="SC001", line=finding.line or 1, problem=finding.problem, repair=finding.repair)])
    page = PageText(text)
    listed, wrong = directives(page)
    violations = [*wrong, *page_violations(page, settings)]
    inline, wrong = no_claims(page)
    violations += wrong
    found = _data([])
    if settings.require_claims:
        unclaimed, used = claim_violations(page, inline, settings)
        violations += unclaimed
        found["exempted"] = {**used.by_rule, "inline": used.inline} if used.inline else dict(used.by_rule)
        found["listed"] = dict(used.by_list)
    if index is not None:
        violations += source_violations(page, index, own)
    found["violations"] = [_plain(each) for each in violations]
    found["links"] = [[each.url, each.line, each.path, each.fragment] for each in local_links(page)]
    found["ids"] = sorted(heading_ids([title for title, _ in page.headings], settings.site) | page.ids)
    found["directives"] = [[list(each.codes), each.reason, each.line, each.first, each.last] for each in listed]
    found["claims"] = [
        [claim, line]
        for line, text in enumerate(page.text.split("\n"), 1)
        if "claim" in text
        for claim in claim_ids(text)
    ]
    return found


def _data(violations: Iterable[Violation]) -> Data:
    listed = [_plain(each) for each in violations]
    return {"violations": listed, "links": [], "ids": [], "directives": [], "claims": [], "exempted": {}, "listed": {}}


def _plain(each: Violation) -> list[Any]:
    return [each.code, each.line, each.problem, each.repair, each.about, each.near]


def violation(row: list[Any]) -> Violation:
    code, line, problem, repair, about, near = row
    return Violation(code=code, line=line, problem=problem, repair=repair, about=about, near=near)


def source_text(path: str, data: bytes) -> str:
    """The text of a source: all pages of a PDF, the rows of a CSV file as a table; empty if it cannot be read."""
    try:
        if path.lower().endswith((".csv", ".tsv")):
            return _table(decode(data, path, MOST_BYTES), "\t" if path.lower().endswith(".tsv") else ",")
        source = parse_source(data, path)
        if source.kind == "pdf":
            return "\n\n".join(source.pages)
        return source.text if source.kind in ("markdown", "text", "yaml") else "\n".join(source.shown)
    except DocumentError:
        return ""


def _table(text: str, delimiter: str) -> str:
    rows = [
        [" ".join(cell.replace("|", "/").split()) for cell in row]
        for row in csv.reader(io.StringIO(text), delimiter=delimiter)
        if row
    ]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])


def entry_data(path: str, data: bytes) -> list[Any]:
    """What the index needs of a source."""
    return list(entry(source_text(path, data)).plain())


def entry_of(data: list[Any]) -> Entry:
    return Entry(*data)


def pair_data(first: str, one: bytes, second: str, two: bytes) -> list[Any]:
    """What drifted between two pages: for each violation whether it stands in the first, and the violation."""
    try:
        texts = decode(one, first, MOST_BYTES), decode(two, second, MOST_BYTES)
    except DocumentError:
        return []  # the page itself says that it cannot be read
    return [[side, _plain(each)] for side, each in drift_violations(*texts)]
