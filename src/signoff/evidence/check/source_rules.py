"""Statements against sources: what contradicts them, and what stands nowhere in them (SC601 to SC605)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.check.page_text import PageText
from signoff.evidence.check.rules import Violation
from signoff.evidence.check.source_index import Place, SourceIndex, _Nearby
from signoff.evidence.check.statements import Statement, place, statements
from signoff.evidence.documents import Piece
from signoff.evidence.matching.matches import key, quoted
from signoff.evidence.quantities.reading import quantities
from signoff.evidence.quotations import quotations
from signoff.evidence.shared_words import sentences
from signoff.evidence.support import candidates, unknown_names, unsupported_by

_LOOKED_UP: Final = frozenset(("number", "date", "code", "name"))
SAME: Final = 0.65
"""From this share of a statement's words on, a piece speaks of the same thing, and another number contradicts it."""
OWN: Final = 0.5
"""How much of the piece's own words the statement must have."""
SURELY: Final = 0.75
"""The same, for numbers without a unit."""
NEARLY: Final = 0.8
"""From this share on, a changed word of a sentence changes what it says."""
_NUMBERS: Final = ("number", "clock", "month", "weekday", "ordinal", "code", "vague")
_SPOKEN: Final = re.compile(r"(?=\w)(?:[^\s/=_{}<>]+[\s—-]+){4,}[^\s/=_{}<>]+|(?=.*[\u4e00-\u9fff]{8})[^/=_{}<>]+")
"""Words that somebody said or wrote: five or more, or eight Chinese characters, and no code."""
_SAID: Final = re.compile(r"'([^']{1,80})'")
_LINE: Final = re.compile(r"line (\d+): ")


def source_violations(page: PageText, index: SourceIndex, own: int = -1) -> Iterator[Violation]:
    """What the sources contradict, and what they do not know; `own` is the page's own number among them."""
    told: set[tuple[str, int, str]] = set()
    for each in _violations(page, index, own):
        if (each.code, each.line, each.about) not in told and not _only_in_code(page, each):
            told.add((each.code, each.line, each.about))
            yield each


def _only_in_code(page: PageText, violation: Violation) -> bool:
    """Whether the words stand in backticks: code is exempted."""
    line, bare = page.fenced_line(violation.line), page.prose_line(violation.line)
    return bool(violation.about) and violation.about in line and violation.about not in bare


def _violations(page: PageText, index: SourceIndex, own: int) -> Iterator[Violation]:
    lines = page.fenced.split("\n")
    for statement in statements(page.fenced, with_code=True).listed:
        if statement.exempt or statement.kind in ("heading", "code"):
            continue
        if any(part.kind in _LOOKED_UP for part in statement.parts):
            yield from _looked_up(statement, lines, index, own)
        if any(part.kind == "quotation" for part in statement.parts):
            yield from _quoted(statement, lines, index, own)


def _looked_up(statement: Statement, lines: list[str], index: SourceIndex, own: int) -> Iterator[Violation]:
    for sentence in sentences(statement.text) if statement.kind not in ("row",) else (statement.text,):
        claim = Piece(sentence)
        if len(claim.stems) < 2 or not _worth(claim):
            continue
        document, places = index.near(f"{statement.context} {sentence}" if statement.kind == "row" else sentence, own)
        if not document.pieces:
            yield from _nothing_alike(claim, statement, lines)
            continue
        if any(_bare(piece.text) == _bare(sentence) for piece in document.pieces):
            continue  # it stands there word for word
        told = unsupported_by(sentence, document)
        if told and any(not unsupported_by(sentence, whole) for whole in index.wholes(places, own)):
            continue  # among the pieces of many sources it is doubted, and one of them by itself states it
        for finding in told[:3]:
            yield from _violation(finding, claim, document, places, index, statement, lines)
        if not told:
            yield from _names(claim, document, statement, lines)


def _bare(text: str) -> str:
    return " ".join(text.replace("|", " ").split())


def _nothing_alike(claim: Piece, statement: Statement, lines: list[str]) -> Iterator[Violation]:
    """The first number of a statement of which no source says anything."""
    for one in claim.quantities:
        if not one.weak and one.kind not in ("url", "code") and not _small_word(one.text):
            said = one.text.strip()
            problem = f"no source states {said!r} of this: {claim.text[:120]!r}"
            yield Violation(code="SC603", line=place(lines, statement.line, said), problem=problem, about=said)
            return


def _worth(claim: Piece) -> bool:
    return any(not one.weak and one.kind != "url" for one in claim.quantities) or any(
        word[:1].isupper() for word in claim.text.split()[1:]
    )


def _violation(
    finding: Finding,
    claim: Piece,
    document: _Nearby,
    places: dict[int, Place],
    index: SourceIndex,
    statement: Statement,
    lines: list[str],
) -> Iterator[Violation]:
    kind = finding.rule.partition(".")[0]
    said = _SAID.search(finding.problem)
    words = said[1] if said else ""
    if kind in _NUMBERS and (_small_word(words) or (kind == "code" and index.has_words(words))):
        return
    matches = [match.piece for match in candidates(claim, document)]
    alike = [piece for piece in matches if _same_subject(claim, piece, index)]
    rival = next((piece for piece in alike if _rival(claim, piece, words)), None) if kind in _NUMBERS else None
    told = next((piece for piece in matches if quoted(piece) in finding.problem), matches[0] if matches else None)
    piece = rival or told
    where = places.get(id(piece)) if piece is not None else None
    near = f"{where.file}:{where.line}" if where else ""
    score = _share(claim, piece, index) if piece else 0.0
    if kind not in _NUMBERS and (piece is None or _share_of_source(claim, piece, index) < NEARLY):
        return
    code = _code(kind, score, rival is not None, _measured(words))
    if not code:
        return
    if code == "SC603":
        problem = f"no source states {words!r} of this: {claim.text[:120]!r}"
    elif rival is not None:
        problem = f"{words!r} is not stated by {_LINE.sub(lambda _: f'{near}: ', quoted(rival), count=1)}"
    else:
        problem = _LINE.sub(lambda _: f"{near}: ", finding.problem, count=1)
    line = place(lines, statement.line, words) if words else statement.line
    yield Violation(code=code, line=line, problem=problem, repair=finding.repair, about=words, near=near)


def _same_subject(claim: Piece, piece: Piece, index: SourceIndex) -> bool:
    """A long piece holds any words: much of what it says must be what the statement says, too."""
    return _share_of_source(claim, piece, index) >= OWN


def _share_of_source(claim: Piece, piece: Piece, index: SourceIndex) -> float:
    total = sum(index.weight(stem) for stem in piece.stems)
    return sum(index.weight(stem) for stem in piece.stems & claim.stems) / total if total else 0.0


def _share(claim: Piece, piece: Piece, index: SourceIndex) -> float:
    """How much of a statement's words, by their weight in all sources, a piece and what it stands under have."""
    total = sum(index.weight(stem) for stem in claim.stems)
    return sum(index.weight(stem) for stem in claim.stems & piece.around) / total if total else 0.0


def _small_word(words: str) -> bool:
    """`two` and `three` in letters count what stands around them, and are seldom worth a source."""
    listed = quantities(words)
    return bool(listed) and all(
        one.text[:1].isalpha() and one.kind != "code" and not one.measured and one.value < 11 for one in listed
    )


def _measured(words: str) -> bool:
    return any(one.measured or one.unit or one.noun for one in quantities(words))


def _rival(claim: Piece, piece: Piece, words: str) -> bool:
    """Whether the piece says another number of the same kind and unit, which the claim does not say."""
    own = {key(one) for one in claim.quantities}
    said = [one for one in claim.quantities if one.text.strip() == words]
    return any(
        one.kind == mine.kind
        and key(one) not in own
        and (
            one.kind == "code"
            or (one.measured and one.unit == mine.unit)
            or (not one.measured and not mine.measured and one.unit == mine.unit)
        )
        for mine in said
        for one in piece.quantities
    )


def _code(kind: str, score: float, rival: bool, measured: bool) -> str:
    if kind in _NUMBERS:
        return "SC601" if rival and score >= (SAME if measured else SURELY) else "SC603"
    if kind == "name":
        return ""  # names are looked up in all sources, by `_names`
    if kind in ("polarity", "bound") and score >= NEARLY:
        return "SC602"
    return ""


def _names(claim: Piece, document: _Nearby, statement: Statement, lines: list[str]) -> Iterator[Violation]:
    for name in unknown_names(claim.text, document)[:2]:
        line = place(lines, statement.line, name)
        yield Violation(code="SC604", line=line, problem=f"no source knows {name!r}", about=name)


def _quoted(statement: Statement, lines: list[str], index: SourceIndex, own: int) -> Iterator[Violation]:
    for quotation in quotations(statement.text):
        if not _SPOKEN.fullmatch(quotation.words):
            continue
        if index.place_of_words(quotation.words, own) is None:
            words = quotation.words
            line = place(lines, statement.line, words[:20])
            yield Violation(
                code="SC605", line=line, problem=f"no source holds the words {words[:160]!r}", about=words[:160]
            )
