"""The rules that need nothing but the page: placeholders, addresses, characters, absolutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.evidence import wording
from signoff.evidence.canonical import disguises, visible
from signoff.evidence.check.addresses import SCHEME, SCHEMES, address_problem
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.placeholders import placeholders, stands_for_a_link
from signoff.evidence.check.rules import Violation
from signoff.evidence.check.settings import Settings

_KINDS: Final = {"marker": "SC101", "filler": "SC102", "template": "SC103", "name": "SC105"}
_CODES: Final = {"text.invisible": "SC301", "text.lookalike": "SC302", "text.bidirectional": "SC303"}
_TEMPLATED: Final = re.compile(r"[{}<>]|\$\(|\$[A-Z]|%[A-Za-z_]+%|\.\.\.|…")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_INFLECTED: Final = re.compile(r"^'(?:[A-Za-z]{2,}[ʼ’'][\u0370-\u04ff]+|\d+[,.]O)'")
_TURNING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")


def page_violations(page: PageText, settings: Settings) -> Iterator[Violation]:
    """What the rules of the page itself find, in no order."""
    yield from _placeholders(page)
    yield from _addresses(page, settings)
    yield from _references(page)
    yield from _characters(page)
    if settings.runs("SC501"):
        yield from _absolutes(page)


def _placeholders(page: PageText) -> Iterator[Violation]:
    for found in placeholders(page.prose):
        yield Violation(
            code=_KINDS[found.kind],
            line=page.line_at(found.start),
            problem=f"{found.text!r} is left in the text",
            about=found.text,
        )
    for comment in page.comments:
        if comment.text.lstrip().startswith(("signoff-ignore", "no-claim")):
            continue
        for found in placeholders(comment.text):
            if found.kind == "marker":
                line = page.line_at(comment.start + 4 + found.start)
                yield Violation(
                    code="SC101", line=line, problem=f"{found.text!r} is left in a comment", about=found.text
                )


def _addresses(page: PageText, settings: Settings) -> Iterator[Violation]:
    for place in page.addresses:
        url = place.url
        if stands_for_a_link(url) or (
            settings.placeholder_hosts and any(host in url for host in settings.placeholder_hosts)
        ):
            yield Violation(code="SC104", line=place.line, problem=f"{url!r} stands for another address", about=url)
        elif not _TEMPLATED.search(url) and not _of_an_app(url) and (wrong := address_problem(url)):
            yield Violation(
                code="SC201",
                line=place.line,
                problem=f"{url!r} is an invalid address: {wrong[0]}",
                repair=wrong[1],
                about=url,
            )


def _of_an_app(url: str) -> bool:
    """`vscode:…`, `slack://…`: a scheme that a program on the reader's machine may know."""
    scheme = SCHEME.match(url)
    return scheme is not None and scheme[1].lower() not in (*SCHEMES, "javascript", "file", "data")


def _references(page: PageText) -> Iterator[Violation]:
    for text, label, line in page.undefined_references:
        yield Violation(
            code="SC204",
            line=line,
            problem=f"'[{text}][{label}]' has no definition and is shown with its brackets",
            about=label,
        )


def _characters(page: PageText) -> Iterator[Violation]:
    if page.text.isascii() and "O" not in page.text:
        return
    if not any(True for _ in disguises(page.text)):
        return
    for number, line in enumerate(page.text.split("\n"), 1):
        if line.isascii() and not (number <= len(page.starts) and "O" in line):
            continue
        for found in disguises(line):
            code = _CODES.get(found.rule, "SC301")
            if not _allowed(code, line, found.problem):
                yield Violation(code=code, line=number, problem=found.problem, repair=found.repair)


def _allowed(code: str, line: str, problem: str) -> bool:
    """What deceives nobody: a Latin name with a Cyrillic ending behind an apostrophe, `42,O=…`, and the marks that
    scripts from right to left need."""
    if code == "SC302":
        return _INFLECTED.search(problem) is not None
    if code != "SC303":
        return False
    return bool(_RIGHT_TO_LEFT.search(line)) and not _TURNING.search(line)


def _absolutes(page: PageText) -> Iterator[Violation]:
    for number, line in enumerate(page.prose.split("\n"), 1):
        if line.strip():
            for word in dict.fromkeys(wording.absolutes(visible(line))):
                yield Violation(code="SC501", line=number, problem=f"{word!r} allows no exception", about=word)
