"""Evidence is checked, not believed: open the file, find the place, find the words, and ask whether it says the same.

A locator is sound when its file is there, its line, section or page is in it, and its excerpt stands there. The claim
holds when at least one locator is sound and the pieces of the source at the sound places bear it out, in every language
of the claim (`support.unsupported_by`). An excerpt narrows the place to the sentence or row that holds it. The place of
a web page is the excerpt itself: a page has no lines to point to, and "somewhere on it" is not a place.

A data sheet of the X100 does not repeat "X100" in each line, nor release notes their version: a piece stands under the
document's own title and name and the version that the locator names.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.evidence.canonical import visible
from signoff.evidence.documents import Document, Piece, read
from signoff.evidence.places import unsupported_at_all
from signoff.evidence.sources.files import Source, Span
from signoff.evidence.sources.locators import (
    FORMS,
    Internal,
    Locator,
    Pdf,
    Release,
    Url,
    describe,
    not_evidence,
    render,
)

WEB: Final = "0-sources/web"

Open = Callable[[str], Source | None]


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one claim. `span` is the text of the sound places, `used` the paths that were opened."""

    claim_id: str
    ok: bool
    span: str
    findings: tuple[Finding, ...]
    used: tuple[str, ...]


class _UnsoundError(Exception):
    """Why a locator does not hold; turned into a finding by `check`."""

    def __init__(self, rule: str, problem: str, repair: str) -> None:
        super().__init__(problem)
        self.rule, self.problem, self.repair = rule, problem, repair


def check(
    claim_id: str,
    texts: Sequence[str],
    locators: Sequence[Locator],
    open_: Open,
    registry_file: str,
    line: int | None,
    *,
    snapshots: Mapping[str, Source] | None = None,
) -> Checked:
    """Check one claim. `snapshots` are the saved web pages by path, for the URL locators."""

    def finding(rule: str, problem: str, repair: str) -> Finding:
        full = f"evidence.{rule}"
        return Finding(rule=full, problem=problem, repair=repair, file=registry_file, line=line, about=claim_id)

    if not locators:
        missing = finding("missing", f"{claim_id} has no evidence", f"add a locator: {FORMS}")
        return Checked(claim_id, False, "", (missing,), ())
    visit = _Visit(open_, snapshots or {})
    spans: list[Span] = []
    places: list[Document] = []
    findings: list[Finding] = []
    for locator in locators:
        try:
            span = visit.located(locator)
            places.append(Document(visit.pieces(locator, span)))
            spans.append(span)
        except _UnsoundError as why:
            findings.append(finding(why.rule, f"{claim_id}: {why.problem}", why.repair))
    if spans:
        findings = [replace(found, severity="warning") for found in findings]
        named = "; ".join(map(describe, locators))
        for lacking in [each for text in texts for each in unsupported_at_all(text, places)]:
            kind = lacking.rule.partition(".")[0]
            rule = "number" if kind == "number" else "code" if kind == "code" else "wording"
            findings.append(finding(rule, f"{claim_id}: {lacking.problem}, at {named}", lacking.repair))
    ok = bool(spans) and all(found.severity == "warning" for found in findings)
    return Checked(claim_id, ok, "\n\n".join(span.text for span in spans), tuple(findings), tuple(visit.used))


# --- one locator -------------------------------------------------------------------------------------------------


class _Visit:
    """Opens each source once and remembers which were there."""

    def __init__(self, open_: Open, snapshots: Mapping[str, Source]) -> None:
        self.open_, self.snapshots = open_, snapshots
        self.opened: dict[str, Source] = {}

    @property
    def used(self) -> Iterable[str]:
        return self.opened

    def located(self, locator: Locator) -> Span:
        _refuse_hedges(locator)
        try:
            if isinstance(locator, Url):
                return self.quoted(locator)
            span = _place(locator, self.source(locator.path))
        except DocumentError as error:
            first = error.findings[0]
            problem = f"{describe(locator)} cannot be read: {first.problem}"
            raise _UnsoundError("file", problem, first.repair) from None
        _find_excerpt(locator, span.text)
        return span

    def source(self, path: str) -> Source:
        source = self.opened.get(path) or self.open_(path)
        if source is None:
            repair = "correct the path (it counts from the project folder), or add the file"
            raise _UnsoundError("file", f"the file {path!r} is not there", repair)
        self.opened[path] = source
        return source

    def title(self, locator: Locator) -> str:
        """What the located document says it is of."""
        if isinstance(locator, Url):
            path = snapshot_for(locator.url, locator.accessed_date, self.snapshots)
            return _title(self.snapshots[path]) if path else ""
        version = f"version {locator.version}" if isinstance(locator, Release) else ""
        name = re.sub(r"\.[A-Za-z]+\Z", "", locator.path.rpartition("/")[2]).replace("_", " ")
        return "\n".join((_title(self.opened[locator.path]), name, version))

    def pieces(self, locator: Locator, span: Span) -> list[Piece]:
        """The pieces of the source at a place; of these, the ones that the excerpt is in."""
        if isinstance(locator, Url):
            there = list(read(locator.excerpt).pieces)
        else:
            there = self.opened[locator.path].pieces(span)
            there = _narrowed(there, locator.excerpt)
        title = " / ".join(self.title(locator).split("\n"))
        return [replace(piece, context=f"{visible(title)} / {piece.context}") for piece in there]

    def quoted(self, locator: Url) -> Span:
        path = snapshot_for(locator.url, locator.accessed_date, self.snapshots)
        if path is None:
            raise _no_snapshot(locator, self.snapshots)
        source = self.opened[path] = self.snapshots[path]
        _find_excerpt(locator, source.body)
        return Span(locator.excerpt, 1)


def _narrowed(pieces: list[Piece], excerpt: str) -> list[Piece]:
    if not any(map(str.isalnum, excerpt)):
        return pieces
    quoted = visible(excerpt)
    holding = [piece for piece in pieces if contains(piece.text, quoted)]
    inside = [piece for piece in pieces if len(piece.text) > 8 and contains(quoted, piece.text)]
    return holding or inside or [*read(excerpt).pieces]


_TITLE = re.compile(r"(?:\A|\n)(?:# |(?:product|name|model|title):)([^\n]*)")


def _title(source: Source) -> str:
    """The title in the frontmatter, the first heading, or the name that a data sheet in YAML gives its product."""
    stated = str(source.meta.get("title", ""))
    found = _TITLE.search(source.text) if source.kind in ("markdown", "yaml") else None
    return f"{stated}\n{found[1]}" if found else stated


def _refuse_hedges(locator: Locator) -> None:
    phrase = not_evidence(locator.excerpt)
    if phrase:
        problem = f"the excerpt at {describe(locator)} says {phrase!r}, which is not evidence"
        raise _UnsoundError("not-evidence", problem, "quote a measurement, a specification or a published statement")


def _place(locator: Internal | Pdf | Release, source: Source) -> Span:
    if isinstance(locator, Pdf):
        return _page(locator, source)
    if isinstance(locator, Internal) and locator.line:
        return _line(locator.path, locator.line, source)
    if isinstance(locator, Release):
        return _released(locator, source)
    return _section(locator.path, locator.section, source)


def _released(locator: Release, source: Source) -> Span:
    """A section that holds for the version: release notes repeat section names under every version."""
    lines = source.version(locator.version)
    if lines is None:
        problem = f"{locator.path} does not say that it is of version {locator.version}"
        repair = "name the version that a heading, the first lines or the file name state"
        raise _UnsoundError("version", problem, repair)
    return _section(locator.path, locator.section, source, lines)


def _page(locator: Pdf, source: Source) -> Span:
    span = source.page(locator.page)
    if span is None:
        problem = f"{locator.path} has no page {locator.page}; it has {_count(source.page_count, 'page')}"
        raise _UnsoundError("page", problem, "correct the page (pages count from 1, whatever is printed on them)")
    return span


def _line(path: str, number: int, source: Source) -> Span:
    span = source.line(number)
    if span is None:
        problem = f"{path} has no line {number}; it has {_count(len(source.lines), 'line')}"
        raise _UnsoundError(
            "line", problem, "name a page of a PDF as #page3" if source.kind == "pdf" else "correct the line"
        )
    if not span.text.strip():
        raise _UnsoundError("line", f"line {number} of {path} is empty", "name the line that states it")
    return span


def _section(path: str, name: str, source: Source, within: range | None = None) -> Span:
    span = source.section(name, within)
    if span is None:
        there = _nearest(name, source.sections)
        says = f"it has: {', '.join(map(repr, there))}" if there else f"it has none ({source.kind})"
        raise _UnsoundError(
            "section", f"{path} has no section {name!r}; {says}", "name a section that is there, or a line"
        )
    return span


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nearest(name: str, sections: Sequence[str], most: int = 5) -> list[str]:
    by_fold = {section.casefold(): section for section in reversed(sections)}
    close = [by_fold[near] for near in difflib.get_close_matches(name.casefold(), list(by_fold), most)]
    return list(dict.fromkeys([*close, *sections]))[:most]


def _find_excerpt(locator: Locator, text: str) -> None:
    has_words = any(map(str.isalnum, locator.excerpt))
    if not has_words and isinstance(locator, Pdf | Url):
        problem = f"{describe(locator)} has no excerpt"
        raise _UnsoundError("excerpt", problem, "quote the words that state it, as they stand there")
    if has_words and not contains(text, locator.excerpt):
        problem = f"{locator.excerpt!r} does not stand at {describe(locator)}"
        raise _UnsoundError("excerpt", problem, "quote the words as they stand there, or correct the place")


# --- words in messy text -----------------------------------------------------------------------------------------

_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»＂〝〞「」『』", '"'),
        **dict.fromkeys("‘’‚‛′＇", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_HYPHENATED = re.compile(r"(?<=[a-z])-[ \t]*\r?\n[ \t]*(?=[a-z])")


def _plain(text: str) -> str:
    """One form for ligatures, widths, quotes and dashes (both before and after NFKC, which makes new ones)."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME).split())


def contains(text: str, excerpt: str) -> bool:
    """Whether the words stand in the text, whatever the white space; never a part of a longer word or number."""
    pattern = _pattern(_plain(excerpt))
    return any(pattern.search(_plain(form)) for form in (text, _HYPHENATED.sub("", text)))


_WORD: Final = "A-Za-z0-9À-ɏ"  # Han has no word ends to respect


def _pattern(excerpt: str) -> re.Pattern[str]:
    """A space may come or go between any two characters, except that it keeps digits apart or together."""
    parts: list[str] = []
    before = ""
    for word in excerpt.split():
        for at, char in enumerate(word):
            both_digits = before.isdigit() and char.isdigit()
            parts.append(("" if at else " ") if both_digits else " ?" if before else "")
            parts.append(re.escape(char))
            before = char
    return re.compile(_before(excerpt[:1]) + "".join(parts) + _after(excerpt[-1:]))


def _before(char: str) -> str:
    digit = r"(?<!\d[.,])" if char.isdigit() else ""
    return digit + (f"(?<![{_WORD}])" if re.match(f"[{_WORD}]", char) else "")


def _after(char: str) -> str:
    digit = r"(?![.,]\d)" if char.isdigit() else ""
    return digit + (f"(?![{_WORD}])" if re.match(f"[{_WORD}]", char) else "")


# --- web pages ---------------------------------------------------------------------------------------------------


def _address(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url.strip())
    return parts.netloc.lower(), parts.path.rstrip("/"), parts.query


def _snapshots_of(url: str, candidates: Mapping[str, Source]) -> dict[str, str]:
    """The saved pages of this address, by path, with their dates."""
    of_url = ((path, source.meta) for path, source in sorted(candidates.items()) if source.meta.get("url"))
    return {path: str(meta.get("accessed_date", "")) for path, meta in of_url if _is_at(str(meta["url"]), url)}


def _is_at(saved: str, url: str) -> bool:
    try:
        return _address(saved) == _address(url)
    except ValueError:  # urlsplit on a malformed host
        return saved == url


def snapshot_for(url: str, accessed_date: str, candidates: Mapping[str, Source]) -> str | None:
    """The path of the page saved from this address on this day.

    A snapshot is a text, Markdown or HTML file whose frontmatter has `url` and `accessed_date`.
    """
    dated = _snapshots_of(url, candidates)
    return next((path for path, day in dated.items() if day == accessed_date), None)


def snapshot_name(url: str, accessed_date: str) -> str:
    """Where to save a page: host, path and date in the name."""
    name = re.sub(r"[^a-z0-9]+", "-", url.split("://", 1)[-1].lower()).strip("-")[:80]
    return f"{WEB}/{name}-{accessed_date}.md"


def _no_snapshot(locator: Url, candidates: Mapping[str, Source]) -> _UnsoundError:
    days = sorted(set(_snapshots_of(locator.url, candidates).values()))
    others = f"; there are snapshots of {', '.join(days)}" if days else ""
    problem = f"no snapshot of {locator.url} from {locator.accessed_date}{others}"
    place = snapshot_name(locator.url, locator.accessed_date)
    repair = f"save the page to {place} with `url` and `accessed_date` in its frontmatter, or check in http mode"
    return _UnsoundError("snapshot", problem, repair)


# --- what was verified -------------------------------------------------------------------------------------------


def binding(texts: Sequence[str], locators: Sequence[Locator], digests: Mapping[str, str]) -> str:
    """A digest of everything a verification rests on: any change of text, place or source gives another one."""
    what = {"texts": list(texts), "locators": [render(locator) for locator in locators], "digests": dict(digests)}
    canonical = json.dumps(what, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
