"""Does a source say what a claim says? `unsupported` is the whole question in one function.

The claim is taken sentence by sentence. For each, the pieces of the source that speak of the same thing are found by
their words; then one of them must state every number, date, code and name of the sentence, on the same side of its
bounds and with the same polarity. Words choose the piece and numbers must then agree with it, never the other way
round: that is what tells another row's value from the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.canonical import disguises, visible
from signoff.evidence.documents import Document, Piece, read, unaccented
from signoff.evidence.quantities import Quantity, quantities
from signoff.evidence.shared_words import sentences
from signoff.evidence.words import LITTLE, is_chinese, stems, words
from signoff.evidence import wording

_ELIGIBLE: Final = 0.12
"""How much less of a claim's words a piece may hold than the best one, and still be taken for what is meant."""
_NEAR: Final = 0.72
"""From here on two sentences are nearly word for word the same, and each changed word counts."""


def unsupported(claim: str, source: str, lang: str | None = None) -> list[Finding]:
    """What of the claim the source does not state or contradicts; empty if the source bears it out."""
    del lang  # the languages are read off the texts
    findings = list(disguises(claim))
    document = read(source)
    for sentence in sentences(visible(claim)):
        findings += _check(Piece(sentence), document)
    return findings


def _check(claim: Piece, document: Document) -> list[Finding]:
    best: list[Finding] | None = None
    for match in candidates(claim, document):
        found = list(compare(claim, match, document))
        if not found:
            return []
        if best is None:
            best = found
    if best is not None:
        return best
    said = [one for one in claim.quantities if not one.weak and one.kind != "url"]
    if said:
        return [_finding("number.unsupported", f"the source does not state {said[0].text!r}", "")]
    return []


@dataclass(frozen=True, slots=True)
class Match:
    piece: Piece
    score: float
    across: bool


def candidates(claim: Piece, document: Document) -> list[Match]:
    """The pieces that may be meant, best first: the better the best one fits, the fewer others come into question."""
    across = is_chinese(claim.text) != _mostly_chinese(document)
    numbered = any(not one.weak and one.kind not in ("code", "url") for one in claim.quantities)
    ranked = [each for each in document.likely(claim.stems, 14) if not numbered or each[1].kind not in ("heading", "headers") or each[1].quantities]
    if across or not ranked or ranked[0][0] < 0.15:
        return _by_numbers(claim, document, ranked, across)
    top, best = ranked[0]
    margin = 0.08 if not numbered else 0.12 if top >= 0.85 else 0.25 if top >= 0.6 else 0.4
    return [Match(piece, score, False) for score, piece in ranked if score >= max(top - margin, 0.6 * top) and not _sibling(piece, best, claim)]


def _sibling(piece: Piece, best: Piece, claim: Piece) -> bool:
    """Another row or column of the best one's table that lacks what the claim and the best one share."""
    if piece is best or not (piece.cells and best.cells):
        return False
    return bool((claim.stems & best.around) - piece.around)


def _mostly_chinese(document: Document) -> bool:
    shares = [is_chinese(piece.text) for piece in document.pieces[:12]]
    return sum(shares) * 2 > len(shares)


def _by_numbers(claim: Piece, document: Document, ranked: list[tuple[float, Piece]], across: bool) -> list[Match]:
    """Across languages words say little: pieces are chosen by the numbers, codes and Latin names they share."""
    wanted = [(_keys(one), 1.0 if one.kind == "code" else 2.0) for one in claim.quantities if not one.weak]
    by_words = {id(piece): score for score, piece in ranked}

    def share(piece: Piece) -> float:
        own, near = ({key for one in listed for key in _keys(one, piece.scale)} for listed in (piece.quantities, piece.near))
        numbers = sum(weight if keys & own else weight / 3 if keys & near else 0.0 for keys, weight in wanted)
        return numbers + by_words.get(id(piece), 0.0)

    scored = sorted(((share(piece), number) for number, piece in enumerate(document.pieces)), key=lambda each: (-each[0], each[1]))[:5]
    if not scored or (scored[0][0] == 0 and len(document.pieces) > 1 and not wanted):
        return []  # another language, and nothing to hold on to
    return [Match(document.pieces[number], 0.5, across) for score, number in scored if score >= scored[0][0] - 0.5]


def _keys(one: Quantity, scale: Decimal = Decimal(1)) -> frozenset[tuple[str, object]]:
    """By what a number may be found again: its value in its unit, and the number as written."""
    if one.kind == "code":
        return frozenset({("code", one.unit)})
    keys: set[tuple[str, object]] = {(one.kind, (one.value, one.unit if one.measured else ""))}
    if one.kind == "number":
        if scale != 1 and not one.measured:
            keys.add(("scaled", one.value * scale))
        keys.add(("scaled", one.value))
        if written := re.search(r"\d[\d,]*(?:\.\d+)?", one.text):
            keys.add(("written", Decimal(written[0].replace(",", ""))))
    return frozenset(keys)


def _key(one: Quantity) -> tuple[str, Decimal, str]:
    return one.kind, one.value, one.unit if one.measured or one.kind == "code" else ""


def compare(claim: Piece, match: Match, document: Document) -> Iterator[Finding]:
    """What the claim says and this piece does not."""
    piece = match.piece
    yield from _numbers(claim, piece, match, document)
    yield from _polarity(claim, piece, match, document)
    if not match.across:
        yield from _wording(claim, piece)
        yield from names(claim, piece, document)


def _finding(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair or "correct it, or point to the place that states it")


# --- numbers ------------------------------------------------------------------------------------------------------


def _numbers(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    for said in claim.quantities:
        if said.kind == "url" or (said.weak and not _near(claim, piece)) or (match.across and _is_name(said)):
            continue
        stated = [one for one in piece.quantities if agrees(said, one, claim, piece, match.across)]
        if not stated:
            stated = [one for one in piece.near if not _other_year(said, claim, piece) and agrees(said, one, claim, piece, match.across)]
            if not stated and not _in_words(said, claim, piece) and not _is_subject(said, piece, document):
                if said.weak:
                    continue
                yield _finding(f"{said.kind}.unsupported", f"{said.text!r} is not stated by {_quoted(piece)}", "")
            continue
        if other := _belongs_elsewhere(said, stated, claim, piece):
            yield _finding("number.misplaced", f"{said.text!r} belongs to other words in {_quoted(piece)}; of these it says {other.text!r}", "")
        yield from _side(said, stated, claim, piece, match)


def _other_year(said: Quantity, claim: Piece, piece: Piece) -> bool:
    """A row or column of 2023 says nothing of 2024, whatever the title of the page says."""
    years = {one.value for one in piece.quantities if _is_year(one)}
    return _is_year(said) and bool(years) and said.value not in years


def _is_year(one: Quantity) -> bool:
    return one.kind == "number" and not one.unit and 1900 <= one.value <= 2100 and one.value == one.value.to_integral_value()


def _is_subject(said: Quantity, piece: Piece, document: Document) -> bool:
    """A product that the document names elsewhere, in a piece that names no other one of its kind."""
    if said.kind == "code" and said.variant and said.unit not in document.codes:
        return any(one.kind == "code" and one.unit == said.variant for one in (*piece.quantities, *piece.near))  # X100 Pro of a page on the X100
    if said.kind != "code" or said.unit not in document.codes:
        return False
    shape = _shape(said.unit)
    return not any(one.kind == "code" and _shape(one.unit) == shape for one in (*piece.quantities, *piece.near))


def _shape(code: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+(?:\.\d+)*", "9", code))


def _is_name(said: Quantity) -> bool:
    """Covid-19, Russia-1: a name with a number, which another language may call otherwise."""
    return said.kind == "code" and re.fullmatch(r"[A-Za-z]{4,}-?\d+", said.text) is not None


def agrees(said: Quantity, stated: Quantity, claim: Piece, piece: Piece, across: bool) -> bool:
    """Whether one number of the source is this number of the claim."""
    if said.kind != stated.kind:
        return _agrees_in_kind(said, stated)
    if said.kind == "code":
        return said.unit == stated.unit
    if said.kind == "vague":
        return said.value == stated.value
    same = said.value == stated.value
    if not same and said.unit == stated.unit and wording.approximate(claim.text, said):
        same = _rounded(said.value, stated.value)
    if said.measured and stated.measured:
        degrees = {said.unit, stated.unit} <= {"°", "°C", "°F"} and "°" in (said.unit, stated.unit)
        return same and (said.unit == stated.unit or degrees) and _same_rate(said, stated)
    if not said.measured and not stated.measured:
        return same and _same_thing(said, stated, across) and _same_rate(said, stated) and _same_zeros(said, stated)
    return _half_measured(said, stated, claim, piece, across)


def _agrees_in_kind(said: Quantity, stated: Quantity) -> bool:
    kinds = {said.kind, stated.kind}
    vague, number = (said, stated) if said.kind == "vague" else (stated, said)
    if kinds == {"vague", "number"}:
        return vague is said and not number.measured and vague.value <= number.value < vague.value * 1000
    if kinds == {"ordinal", "number"}:
        return said.value == stated.value and not (said.measured or stated.measured)
    if kinds == {"clock", "number"}:
        clock, number = (said, stated) if said.kind == "clock" else (stated, said)
        return clock.value % 60 == 0 and number.value in (clock.value / 60, clock.value / 60 - 12)
    if kinds == {"code", "number"}:
        code, number = (said, stated) if said.kind == "code" else (stated, said)
        return code.unit == number.text.lower() or code.unit.lstrip("v") == str(number.value)
    return False


def _rounded(said: Decimal, stated: Decimal) -> bool:
    """297 is about 300: rounding to as many places as were said, and not far off."""
    if not stated or not said or (said < 0) != (stated < 0):
        return False
    places = said.normalize().as_tuple().exponent
    step = Decimal(1).scaleb(places if isinstance(places, int) else 0)
    return abs(said - stated) <= min(step / 2, abs(stated) * Decimal("0.05"))


def _same_zeros(said: Quantity, stated: Quantity) -> bool:
    """065536 is an address and not 65536."""
    first, second = said.text.strip(), stated.text.strip()
    leading = [len(text) > 1 and text[0] == "0" and text.isdigit() for text in (first, second)]
    return leading[0] == leading[1] or first.lstrip("0") == "" or (said.value < 32 and stated.value < 32)


def _same_rate(said: Quantity, stated: Quantity) -> bool:
    time = ("second", "minute", "hour", "day", "week", "month", "year")
    return not (said.per in time and stated.per in time) or said.per == stated.per


def _same_thing(said: Quantity, stated: Quantity, across: bool) -> bool:
    """8 microphones are not 8 speakers; with things that no table has, the words around decide."""
    if said.unit and stated.unit and said.unit != stated.unit:
        return not across and said.noun == stated.noun
    return True


def _half_measured(said: Quantity, stated: Quantity, claim: Piece, piece: Piece, across: bool) -> bool:
    """A measure on one side, a bare number on the other: data sheets put the unit into a header or another column."""
    measure, bare = (said, stated) if said.measured else (stated, said)
    if bare.unit or (measure is stated and bare.noun and measure.unit not in ("×", "month", "CNY", "USD", "EUR", "GBP") and bare.noun not in stated.text.lower()):
        return False
    written = re.match(r"[^\d+-]*[-+]?([\d.,]+)", measure.text)
    factor = None
    if written:
        number = Decimal(written[1].strip(".,").replace(",", "")) if written[1].strip(".,").count(".") <= 1 else None
        factor = number
    values = {measure.value} | ({factor} if factor is not None else set())
    if bare is stated and piece.scale != 1 and bare.value * piece.scale == measure.value:
        return True
    if bare.value not in values and -bare.value not in values:
        return False
    if measure is stated or across:
        return True
    unit = measure.text[len(written[0]) :].strip(" -").lower() if written else ""
    text = (_cell(stated, piece) or f"{piece.context} {piece.text}").lower()
    return not unit or bool(re.search(rf"(?<![a-z]){re.escape(unit)}(?![a-z])", text)) or unit.rstrip("s") in text.split()


def _cell(one: Quantity, piece: Piece) -> str:
    return next((f"{header} {text}" for header, text, start in piece.cells if start <= one.start < start + max(1, len(text))), "")


_PLAIN_NUMBER: Final = {"0": r"\b(?:no|zero|none|nil)\b|零|无", "2": r"\b(?:both|pair|couple|dual|double|twin)\b|双|两", "1": r"\b(?:an?|one|single|once|first)\b|一|单|首", "100": r"\b(?:all|whole|full|entire)|全部|百"}


def _in_words(said: Quantity, claim: Piece, piece: Piece) -> bool:
    """Numbers that other words may stand for: both for two, none for zero."""
    pattern = _PLAIN_NUMBER.get(str(said.value.normalize()) if said.kind in ("number", "ordinal") and not said.measured else "")
    if said.kind in ("number", "ordinal") and pattern and re.search(pattern, piece.text, re.IGNORECASE) and said.text[:1].isalpha():
        return True
    if said.kind == "number" and not said.unit and any(one.kind == "code" and re.fullmatch(rf"[a-z]{{4,}}{said.text}", one.unit) for one in piece.quantities):
        return True  # channel 1 is Channel-1
    return said.kind == "code" and said.unit.replace("-", "") in re.sub(r"[-_ .]", "", f"{piece.context} {piece.text}".casefold())


def _side(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece, match: Match) -> Iterator[Finding]:
    if said.kind != "number":
        return
    ours, phrase = wording.side(claim.text, said)
    sides = [wording.side(piece.text, one) if one in piece.quantities else wording.side(piece.context, one) for one in stated]
    if any(ours == theirs for theirs, _ in sides):
        return
    theirs, other = sides[0]
    opposite = {ours, theirs} == {"upper", "lower"}
    able = theirs == "upper" and _ABLE.search(claim.text) is not None
    lost = not able and not ours and theirs in ("upper", "lower") and not match.across and _near(claim, piece)
    if ours == "upper" and piece.cells and _CAPACITY.search(piece.text + piece.context):
        return
    gained = ours in ("upper", "lower", "average") and not theirs and not _said_somewhere(ours, piece) and (not match.across or ours == "average")
    swapped = "average" in (ours, theirs) and ours and theirs and not match.across
    if opposite or lost or gained or swapped:
        one = f"{phrase} {said.text}".strip()
        two = f"{other} {stated[0].text}".strip()
        yield _finding("bound.changed", f"the claim says {one!r}, the source {two!r} ({_quoted(piece)})", "say the bound that the source states")


_ABLE: Final = re.compile(r"\b(?:can|may|allows?|holds?|covers?|accepts?|supports?|able to|takes?|handles?|provides?|offers?)\b|可|能|支持|允许|容纳", re.IGNORECASE)
_CAPACITY: Final = re.compile(r"capacity|limit|range|rated|rating|max|上限|容量|范围|额定", re.IGNORECASE)


def _said_somewhere(group: str, piece: Piece) -> bool:
    return any(cue[0] == group for cue in wording.bounds(f"{piece.context} {piece.text}"))


def _belongs_elsewhere(said: Quantity, stated: list[Quantity], claim: Piece, piece: Piece) -> Quantity | None:
    """In a sentence or row with several numbers of one kind: the one that other words belong to than those of the claim."""
    rivals = [one for one in piece.quantities if one.kind == said.kind and one.value != said.value and one.unit == stated[0].unit]
    own = [one for one in stated if one in piece.quantities]
    if not rivals or not own or (len(own) > 1 and not piece.cells):
        return None
    wanted = _window(said, claim) | (claim.stems | {_key(one) for one in claim.quantities if one is not said} if piece.cells else frozenset())
    best = max(own, key=lambda one: len(wanted & _window(one, piece)))
    mine = _window(best, piece)
    for rival in rivals:
        theirs = _window(rival, piece)
        distinct = (wanted & theirs) - mine
        if not mine or (rival.start < best.start and not piece.cells and not _has_label(best, piece, claim)):
            continue  # nothing of its own, or the subject of the first clause holds on
        strong = len(distinct) > 1 or len(wanted) < 4 or bool(piece.cells)
        if distinct and strong and not (wanted & mine) - theirs and not any(_key(rival) == _key(one) for one in claim.quantities):
            return rival
    return None


def _has_label(one: Quantity, piece: Piece, claim: Piece) -> bool:
    """Whether the clause of a number names a product or somebody of its own, which the claim does not."""
    left = max((found.end() for found in _CLAUSES.finditer(piece.text) if found.end() <= one.start), default=0)
    said = claim.text.casefold()
    return any(word.text[0].isupper() and word.lower not in said for word in words(piece.text[left : one.start]))


_CLAUSES: Final = re.compile(r"[,;:，；：、()（）](?!\d{3})|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|和|而")


def _window(one: Quantity, piece: Piece) -> frozenset[object]:
    """What a number belongs to: the words and other numbers of its cell with its header, or of its clause."""
    for header, text, start in piece.cells:
        if start <= one.start < start + max(1, len(text)):
            return stems(f"{header} {text}") | _others(one, piece, start, start + len(text)) | {_key(each) for each in quantities(header)}
    left = max((found.end() for found in _CLAUSES.finditer(piece.text) if found.end() <= one.start), default=0)
    right = min((found.start() for found in _CLAUSES.finditer(piece.text) if found.start() >= one.end), default=len(piece.text))
    return stems(piece.text[left:right]) | _others(one, piece, left, right)


def _others(one: Quantity, piece: Piece, left: int, right: int) -> frozenset[object]:
    return frozenset(_key(each) for each in piece.quantities if each is not one and left <= each.start < right)


# --- wording ------------------------------------------------------------------------------------------------------


def _near(claim: Piece, piece: Piece) -> bool:
    if not claim.stems:
        return False
    return len(claim.stems & piece.stems) >= _NEAR * max(len(claim.stems), 1)


def _polarity(claim: Piece, piece: Piece, match: Match, document: Document) -> Iterator[Finding]:
    ours, theirs = wording.negations(claim.text), wording.negations(piece.text)
    if not ours.cues and not theirs.cues:
        return
    if (theirs.cues and not ours.cues or match.across) and (part := _part(claim, piece, match)) is not piece.text:
        if match.across and not part and len(document.pieces) > 1:
            return
        if part or not match.across:
            theirs = wording.negations(part)
    if len(ours.cues) > len(theirs.cues) and not theirs.softened(ours):
        new = [phrase for phrase, scope in ours.cues if not any(scope & other for _, other in theirs.cues)] or [ours.cues[-1][0]]
        if not theirs.cues or _alike(claim, piece):
            yield _turned(f"the claim says {new[0]!r}; the source says it without a negation ({_quoted(piece)})")
    elif len(theirs.cues) > len(ours.cues) and not ours.softened(theirs):
        for phrase, scope in theirs.cues:
            least = 0.6 if _CLAUSES.search(piece.text.rstrip(".。")) else 0.3
            covered = bool(scope) and len(scope & claim.stems) >= least * len(scope)
            if (not ours.cues and (match.across or covered)) or (_alike(claim, piece) and covered):
                yield _turned(f"the source says {phrase!r} ({_quoted(piece)}); the claim does not")
                return
    elif ours.cues and len(ours.cues) == len(theirs.cues) and not match.across:
        said, stated = (frozenset().union(*(scope for _, scope in each.cues)) for each in (ours, theirs))
        for phrase, scope in ours.cues:
            if len(scope) > 1 and scope <= piece.stems and not scope & stated and not theirs.softened(ours):
                yield _turned(f"the claim says {phrase!r}; the source negates something else ({_quoted(piece)})")
                return


def _part(claim: Piece, piece: Piece, match: Match) -> str:
    """The cells or clauses of a piece that the claim speaks of, found by its numbers; else the whole piece."""
    keys = {_key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if _key(one) in keys]
    if piece.cells:
        return " | ".join(text for _, text, start in piece.cells if any(start <= one.start <= start + len(text) for one in held))
    if not match.across:
        return piece.text
    ends = [found.end() for found in re.finditer("[，,;；。:：]", piece.text) if found.end() < len(piece.text)]
    if not ends:
        return piece.text
    latin = {stem for stem in claim.stems if stem.isascii()}
    edges = [0, *ends, len(piece.text)]
    parts = [(piece.text[left:right], left, right) for left, right in zip(edges, edges[1:], strict=False)]
    return "".join(text for text, left, right in parts if any(left <= one.start < right for one in held) or latin & stems(text))


def _clause(claim: Piece, piece: Piece) -> str:
    """The clauses of a piece that hold a number of the claim; without one, all of it."""
    keys = {_key(one) for one in claim.quantities}
    held = [one for one in piece.quantities if _key(one) in keys]
    if piece.cells or not held:
        return "" if piece.cells else piece.text
    edges = [0, *(found.end() for found in re.finditer("[，,;；。()（）]", piece.text)), len(piece.text)]
    return " ".join(piece.text[left:right] for left, right in zip(edges, edges[1:], strict=False) if any(left <= one.start < right for one in held))


def _turned(problem: str) -> Finding:
    return _finding("polarity.changed", problem, "say it as the source does")


def _alike(claim: Piece, piece: Piece) -> bool:
    return len(claim.stems & piece.stems) >= 0.45 * max(len(claim.stems), 1)


def _wording(claim: Piece, piece: Piece) -> Iterator[Finding]:
    if opposite := wording.opposed(claim.text, f"{piece.context} {piece.text}"):
        yield _finding("wording.opposite", f"the claim says {opposite[0]!r}, the source {opposite[1]!r} ({_quoted(piece)})", "use the word of the source")
    planned = wording.modality(_clause(claim, piece)) - wording.modality(claim.text)
    if planned:
        problem = "the source speaks of a plan or target" if "planned" in planned else "the source speaks of another product"
        yield _finding("wording.condition", f"{problem} ({_quoted(piece)}); the claim does not say so", "say it as the source does")
    yield from _absolutes(claim, piece)
    if not _alike(claim, piece):
        return
    ours, theirs = ({cue[0]: cue[1] for cue in wording.quantifiers(each.text)} for each in (claim, piece))
    for group in sorted(ours.keys() - theirs.keys()):
        others = sorted(theirs.keys() - ours.keys())
        if others:
            yield _finding("wording.quantifier", f"the claim says {ours[group]!r}, the source {theirs[others[0]]!r} ({_quoted(piece)})", "use the word of the source")
            return
    if not _near(claim, piece):
        return
    for group in ("all", "only"):
        if group in ours and not theirs:
            yield _finding("wording.quantifier", f"the claim says {ours[group]!r}, the source does not ({_quoted(piece)})", "use the words of the source")
            return
    yield from _bounds(claim, piece)


def _absolutes(claim: Piece, piece: Piece) -> Iterator[Finding]:
    """A promise without exception needs a source that makes it."""
    said = wording.absolutes(claim.text)
    weak = ("all", "any", "所有", "任何", "全部", "zero", "impossible")
    new = [word for word in said if word.lower() not in weak]
    if new and not wording.absolutes(f"{piece.context} {piece.text}") and not wording.negations(piece.text).cues and not _hundred(piece):
        yield _finding("absolute.unsupported", f"the claim says {new[0]!r}, the source does not ({_quoted(piece)})", "say what the source says, with its conditions")


def _hundred(piece: Piece) -> bool:
    return any(one.unit == "%" and one.value == 100 for one in piece.quantities)


_STRONG: Final = frozenset(("at least", "at most", "up to", "maximum", "minimum", "max", "min", "no more than", "no less than", "average", "最大", "最小", "最多", "最少", "至少", "至多", "平均"))


def _bounds(claim: Piece, piece: Piece) -> Iterator[Finding]:
    ours, theirs = [cue for cue in wording.bounds(claim.text) if cue[1].lower() in _STRONG], wording.bounds(f"{piece.context} {piece.text}")
    counts = {group: (sum(cue[0] == group for cue in ours), sum(cue[0] == group for cue in theirs)) for group in ("upper", "lower", "average")}
    for group, (said, stated) in counts.items():
        if said > stated and (not stated or any(more > less for less, more in counts.values())):
            phrase = next(cue[1] for cue in ours if cue[0] == group)
            yield _finding("bound.changed", f"the claim says {phrase!r} where {_quoted(piece)} does not", "say the bound that the source states")
            return


# --- names --------------------------------------------------------------------------------------------------------

_NAME: Final = re.compile(r"(?<![A-Za-z0-9À-ɏ])(?:(?:[A-Z]\.){2,}|[A-ZÀ-Þ][A-Za-zÀ-ɏ0-9]*(?:[-'][A-Za-z0-9À-ɏ]+)*)")
_TITLES: Final = frozenset(
    "I Mr Mrs Ms Dr Prof St The A An In On At It This That These Those He She They We You His Her Its Our Their And But Or If When While As For From To By With Of"
    " Department Ministry Office Center Centre Institute University Association Professor President Prime Minister Secretary Director Chief Professor King Queen Prince Princess General Governor Senator Mayor Judge Justice Captain Colonel"
    " Commissioner Inspector Deputy Chairman Chairwoman CEO Police Internet English Yes No OK AD BC TV AM PM".split()
)
_JOINS: Final = re.compile(r"\s+(?:(?:of|the|and|for|de|von|van|der|di|da|al|bin|&)\s+){0,2}|-|'s\s+")


def names(claim: Piece, piece: Piece, document: Document) -> Iterator[Finding]:
    """A name of the claim that the source does not know, in a piece that names somebody or something else."""
    unknown = unknown_names(claim.text, document)
    if not unknown:
        local = Document([piece, *document.neighbours(piece)])
        taken = [(one.start, one.end) for one in claim.quantities]
        unknown = [" ".join(phrase) for phrase in _name_phrases(claim.text, taken) if not any(_known(name, local) for name in phrase) and not _abbreviated(phrase, local)]
    if unknown and _has_other_name(piece, claim):
        yield _finding("name.unsupported", f"{unknown[0]!r} is not named there ({_quoted(piece)})", "use the name that the source states")


def unknown_names(text: str, document: Document) -> list[str]:
    """The names that the source does not know: of a name of several words, most of them."""
    listed = [word for word in words(text) if not word.mark]
    capital = sum(word.text[:1].isupper() for word in listed)
    if not listed or (capital > 0.7 * len(listed) and len(listed) > 3):
        return []  # a title in capitals
    taken = [(one.start, one.end) for one in quantities(text)]
    found = []
    for phrase in _name_phrases(text, taken):
        unknown = [name for name in phrase if not _known(name, document)]
        if len(unknown) * 2 > len(phrase) and not _abbreviated(phrase, document):
            found.append(" ".join(phrase))
    return found


def _has_other_name(piece: Piece, claim: Piece) -> bool:
    own = Document([claim])
    return any(
        found[0] not in _TITLES and len(found[0]) > 1 and found[0].lower() not in LITTLE and not _known(found[0].removesuffix("'s").replace(".", ""), own)
        for found in _NAME.finditer(f"{piece.context} {piece.text}")
    )


def _name_phrases(text: str, taken: list[tuple[int, int]]) -> Iterator[list[str]]:
    phrase: list[str] = []
    end = -1
    for found in _NAME.finditer(text):
        name = found[0].removesuffix("'s").replace(".", "")
        joined = phrase and _JOINS.fullmatch(text[end : found.start()])
        if not joined:
            if phrase:
                yield phrase
            phrase = []
        inside = any(start <= found.start() < stop for start, stop in taken)
        if name in _TITLES or inside or len(name) < 2 or name.startswith("I'") or any(map(str.isdigit, name)) or (not phrase and _starts_sentence(text, found)):
            if phrase:
                yield phrase
            phrase = []
            end = -1
            continue
        phrase += [part for part in name.split("-") if len(part) > 1]
        end = found.end() - (2 if found[0].endswith("'s") else 0)
    if phrase:
        yield phrase


def _starts_sentence(text: str, found: re.Match[str]) -> bool:
    before = text[: found.start()].rstrip(" \"'(*")
    if before and before[-1] not in ".!?:。！？：":
        return False
    following = text[found.end() : found.end() + 2]
    return not (len(following) == 2 and following[0] == " " and following[1].isupper())


def _abbreviated(phrase: list[str], document: Document) -> bool:
    return len(phrase) > 1 and "".join(name[0] for name in phrase).casefold() in document.folded


def _known(name: str, document: Document) -> bool:
    folded = unaccented(name.casefold())
    if folded in document.folded:
        return True
    if name.isupper() and any(word.startswith(folded) or (len(word) > 1 and folded.startswith(word)) for word in document.folded):
        return True
    if name.isupper() and len(name) <= 6 and re.search(r"[a-z]*\W+(?:(?:of|the|and|for)\W+)?".join(map(re.escape, rf"{folded}")), document.folded_text):
        return True
    prefix = folded[: max(4, len(folded) - 3)]
    for word in document.folded:
        if word[0] != folded[0]:
            continue
        if len(folded) >= 5 and word.startswith(prefix) or len(word) >= 5 and folded.startswith(word[: max(4, len(word) - 3)]):
            return True
        if abs(len(word) - len(folded)) <= 3 and len(word) > 3 and SequenceMatcher(None, folded, word).ratio() >= 0.72:
            return True
    return False


def _quoted(piece: Piece) -> str:
    short = piece.text if len(piece.text) <= 160 else piece.text[:159] + "…"
    return f"line {piece.line}: {short!r}"
