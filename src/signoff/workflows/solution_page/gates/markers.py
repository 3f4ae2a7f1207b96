"""The release-markers gate (SP-14): nothing that says "not finished" and no claim comment may be in what is released.

Decisions: release text is release text, so code, comments and frontmatter are looked at too. A marker is found in any
case, with any spacing, hyphens or emphasis in it, in full width, in square or lenticular brackets, escaped or as HTML
entities, and with a note behind a colon or dash (`[TODO: ask Li]`). Words that merely begin a longer bracket are
no marker: `[Placeholder images](…)`. A comment that means to be a claim comment counts even if it is malformed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from signoff import Finding

FORBIDDEN = ("TODO", "TBD", "PLACEHOLDER", "ASSUMED", "UNVERIFIED", "SOURCE PENDING", "NEEDS EVIDENCE")

_GAP = r"[\s\\*_`~\u2010-\u2015\u200b-\u200d\u2060\ufeff-]{0,20}"
# One character class first: the search then skips through the text at the speed of C.
_OPEN = r"[\[【〔〖&](?:(?<!&)|(?<=&)(?:#0{0,4}91|#x0{0,4}5b|lbrack|lsqb);)"
_CLOSE = r"(?:[\]】〕〗]|&(?:#0{0,4}93|#x0{0,4}5d|rbrack|rsqb);)"
_NOTE = r"(?:[:,;，、；：\u2010-\u2015-][^\[\]【】〔〕〖〗]{0,300})?"
_SQUEEZE = re.compile(r"[\W_]+")


def _spaced(word: str) -> str:
    return _GAP.join(map(re.escape, word.replace(" ", "")))


_MARKER = re.compile(rf"{_OPEN}{_GAP}({'|'.join(map(_spaced, FORBIDDEN))}){_GAP}{_NOTE}{_CLOSE}", re.IGNORECASE)
_NAMES = {_SQUEEZE.sub("", name): name for name in FORBIDDEN}
_WIDE = re.compile("[\uff01-\uff5e]")
_CLAIM = re.compile(r"claim[\s_-]*id|\bC-[A-Z]{2,4}-\d{3}\b", re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n?|\n")


def markers(text: str, file: str) -> list[Finding]:
    """Every marker that blocks a release, in order of occurrence."""
    plain = _WIDE.sub(lambda wide: chr(ord(wide[0]) - 0xFEE0), text)
    starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
    found = [*_unfinished(plain), *_claim_comments(plain)]
    return [
        Finding(rule=rule, file=file, line=bisect_right(starts, at), problem=problem, repair=repair)
        for at, rule, problem, repair in sorted(found)
    ]


_Found = tuple[int, str, str, str]


def _unfinished(plain: str) -> Iterator[_Found]:
    for match in _MARKER.finditer(plain):
        name = _NAMES[_SQUEEZE.sub("", match[1]).upper()]
        yield (
            match.start(),
            "markers.forbidden",
            f"the marker [{name}] is left in the text",
            "settle what it stands for and remove it",
        )


def _claim_comments(plain: str) -> Iterator[_Found]:
    at = plain.find("<!--")
    while at >= 0:
        end = plain.find("-->", at + 4)
        comment = plain[at : end + 3 if end >= 0 else len(plain)]
        if _CLAIM.search(comment):
            problem = f"the claim comment {_short(comment)} is left in the text"
            yield (
                at,
                "markers.claim-comment",
                problem,
                "strip the claim comments; correct or remove a malformed one by hand",
            )
        at = plain.find("<!--", at + len(comment))


def _short(comment: str) -> str:
    line = " ".join(comment.split())
    return line if len(line) <= 60 else line[:59] + "…"
