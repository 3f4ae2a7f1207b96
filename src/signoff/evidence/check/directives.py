"""The comments by which a page speaks to the linter: `signoff-ignore`, `signoff-ignore-file` and `no-claim`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.rules import Violation, rules

_IGNORE: Final = re.compile(r"\s*signoff-ignore(-file)?\b\s*([^:]{0,200})(?::(.*))?", re.DOTALL)
_NO_CLAIM: Final = re.compile(r"\s*no[-_ ]claim\b\s*(?::(.*))?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Directive:
    """An exemption of some codes on some lines; `last` is 0 for the whole file."""

    codes: tuple[str, ...]
    reason: str
    line: int
    first: int
    last: int

    def covers(self, code: str, line: int) -> bool:
        return code in self.codes and (not self.last or self.first <= line <= self.last)


@dataclass(frozen=True, slots=True)
class NoClaim:
    """A `no-claim` comment, for the text that it ends, or the block that follows if it stands alone."""

    reason: str
    line: int
    first: int
    last: int


def directives(page: PageText) -> tuple[list[Directive], list[Violation]]:
    """The exemptions of a page, and what is wrong with the comments that mean to be some."""
    found: list[Directive] = []
    wrong: list[Violation] = []
    for comment in page.comments:
        match = _IGNORE.match(comment.text) if "signoff-ignore" in comment.text else None
        if match is None:
            continue
        codes = tuple(match[2].replace(",", " ").split())
        reason = " ".join((match[3] or "").split())
        if problem := _wrong(codes, reason):
            wrong.append(Violation(code="SC002", line=comment.line, problem=problem))
            continue
        if match[1]:
            found.append(Directive(codes, reason, comment.line, 1, 0))
        else:
            lines = (
                page.block_lines(comment.last_line + 1) if comment.alone else range(comment.line, comment.last_line + 1)
            )
            found.append(Directive(codes, reason, comment.line, lines.start, lines.stop - 1))
    return found, wrong


def _wrong(codes: tuple[str, ...], reason: str) -> str:
    if not codes:
        return "the comment names no rule"
    unknown = [code for code in codes if code not in rules()]
    if unknown:
        return f"{unknown[0]!r} is not the code of a rule"
    return "" if reason else "the comment gives no reason"


def no_claims(page: PageText) -> tuple[list[NoClaim], list[Violation]]:
    """The `no-claim` comments of a page, and those without a reason."""
    found: list[NoClaim] = []
    wrong: list[Violation] = []
    for comment in page.comments:
        match = _NO_CLAIM.match(comment.text)
        if match is None:
            continue
        reason = " ".join((match[1] or "").split())
        if not reason:
            wrong.append(Violation(code="SC002", line=comment.line, problem="the no-claim comment gives no reason"))
            continue
        lines = page.block_lines(comment.last_line + 1) if comment.alone else range(comment.line, comment.line + 1)
        found.append(NoClaim(reason, comment.line, lines.start, lines.stop - 1))
    return found, wrong


def without_ignored(violations: Iterable[Violation], listed: Iterable[Directive]) -> Iterator[Violation]:
    """What no directive turns off; and, for each directive that turns off nothing, that it does so."""
    listed = list(listed)
    used: set[int] = set()
    for each in violations:
        covering = [number for number, directive in enumerate(listed) if directive.covers(each.code, each.line)]
        used.update(covering)
        if not covering:
            yield each
    for number, directive in enumerate(listed):
        if number not in used:
            yield Violation(
                code="SC003",
                line=directive.line,
                problem=f"signoff-ignore {', '.join(directive.codes)} turns off nothing here",
            )
