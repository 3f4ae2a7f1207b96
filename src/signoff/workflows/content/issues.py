"""The life of an issue: open, fixed, regressed. A critic is compared with itself alone.

Two descriptions are of one issue when they read alike once numbers and quoted words are taken out, and what they quote
reads alike too: a headline that is still too long is the same issue with another count, another piece of jargon is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from signoff.core.state import replace
from signoff.workflows.content.state import Critique, Issue, Said, Summary

ALIKE, QUOTED_ALIKE = 80.0, 50.0
_QUOTED = re.compile(r"“([^”]{1,400})”|\"([^\"]{1,400})\"|`([^`]{1,400})`|「([^」]{1,400})」")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_REST = re.compile(r"[\W_]+")


def same(one: str, other: str) -> bool:
    """Whether two descriptions are of one issue."""
    (frame, quoted), (frame_b, quoted_b) = _read(one), _read(other)
    if _ratio(frame, frame_b) < ALIKE:
        return False
    return not (quoted and quoted_b) or _ratio(quoted, quoted_b) >= QUOTED_ALIKE


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[str, str]:
    """What is said, without numbers and quotations; and what is quoted."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    quoted = " ".join(next(filter(None, found), "") for found in _QUOTED.findall(plain))
    frame = _NUMBER.sub(" ", _QUOTED.sub(" ", plain))
    return _words(frame), _words(quoted)


def _words(text: str) -> str:
    return _REST.sub(" ", text).strip()


def _ratio(one: str, other: str) -> float:
    from rapidfuzz.fuzz import token_sort_ratio

    return 100.0 if one == other else float(token_sort_ratio(one, other))


def matched(known: Sequence[Issue], said: Sequence[Said]) -> list[Issue | None]:
    """For each thing that a critic says, the issue of that critic that it is, each issue at most once.

    The nearest pairs are matched first, so what is said word for word again is never taken for something else.
    """
    pairs = [
        (-_ratio(_plain(issue.description), _plain(one.description)), place, index)
        for index, issue in enumerate(known)
        for place, one in enumerate(said)
        if same(issue.description, one.description)
    ]
    found: list[Issue | None] = [None] * len(said)
    taken: set[int] = set()
    for _, place, index in sorted(pairs):
        if found[place] is None and index not in taken:
            found[place] = known[index]
            taken.add(index)
    return found


def _plain(text: str) -> str:
    """The words with their numbers and quotations: what tells two that are alike apart."""
    return _words(unicodedata.normalize("NFKC", text).casefold())


def after(issues: tuple[Issue, ...], ran: Iterable[Critique], number: int) -> tuple[Issue, ...]:
    """The issues once these critics have spoken in this round; a critic that could not speak changes nothing."""
    for critique in ran:
        if not critique.error:
            issues = _after(issues, critique, number)
    return issues


def _after(issues: tuple[Issue, ...], critique: Critique, number: int) -> tuple[Issue, ...]:
    own = [issue for issue in issues if issue.advisor == critique.advisor]
    named = matched(own, critique.issues)
    again = {
        old.id: replace(old, **said.plain(), status="open" if old.status == "open" else "regressed", seen=number)
        for old, said in zip(named, critique.issues, strict=True)
        if old
    }
    kept = tuple(
        again.get(issue.id, replace(issue, status="fixed") if issue.advisor == critique.advisor else issue)
        for issue in issues
    )
    new = [said for old, said in zip(named, critique.issues, strict=True) if old is None]
    return (*kept, *(_new(said, critique, number, len(issues) + index) for index, said in enumerate(new, 1)))


def _new(said: Said, critique: Critique, number: int, index: int) -> Issue:
    return Issue(
        id=f"I-{index:03d}",
        advisor=critique.advisor,
        name=critique.name,
        **said.plain(),
        status="open",
        since=number,
        seen=number,
    )


def opened(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues that are still to be fixed."""
    return tuple(issue for issue in issues if issue.is_open)


def kept(issues: Sequence[Issue], counted: Iterable[Critique]) -> tuple[str, ...]:
    """What a revision must not undo: what was fixed, and what a critic found clean and does not object to now."""
    fixed = [f"{one.id} (fixed): {one.description}" for one in issues if one.status == "fixed"]
    aspects = [
        f"{critique.name} found clean: {aspect}"
        for critique in counted
        for aspect in critique.clean
        if not any(one.is_open and one.advisor == critique.advisor and same(one.description, aspect) for one in issues)
    ]
    return tuple(dict.fromkeys((*fixed, *aspects)))


def summary(before: Sequence[Issue], now: Sequence[Issue], counted: Iterable[Critique]) -> Summary:
    """What a round changed."""
    was = {issue.id: issue.status for issue in before}
    return Summary(
        open=tuple(issue.id for issue in now if issue.is_open),
        fixed=tuple(issue.id for issue in now if issue.status == "fixed" and was.get(issue.id) not in (None, "fixed")),
        regressed=tuple(issue.id for issue in now if issue.status == "regressed" and was.get(issue.id) == "fixed"),
        keep=kept(now, counted),
    )
