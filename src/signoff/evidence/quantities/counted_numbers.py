"""A number with what stands around it: sign, currency, scale, unit or counted thing, and `per`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Final

from signoff.evidence.quantities.grammar import (
    ADJECTIVE,
    CLASSIFIERS,
    CODE_AROUND,
    DECADE,
    LETTERED,
    MEMORY,
    NO_NOUN,
    NOUN,
    PER,
    PER_BEFORE,
    PER_NAMES,
    SUFFIX,
    VARIANT,
)
from signoff.evidence.quantities.number_words import SCALE_WORDS, SUFFIXES
from signoff.evidence.quantities.record import Quantity
from signoff.evidence.quantities.unit_spellings import CURRENCY, Spellings, spellings

EXACT: Final = Context(prec=40)


def counted(text: str, start: int, end: int, value: Decimal, *, in_words: bool = False) -> Iterator[Quantity]:
    """A number with what stands around it: sign, currency, scale, unit or noun, per."""
    first, value = _sign(text, start, value)
    if half := _HALF_BEFORE.match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    currency = _money(text, first)
    first, unit = currency or (first, "")
    measure = _measure(text, end, value, unit, in_words)
    if measure is None:
        yield from code(text, start)
        return
    value, unit, factor, after = measure
    noun, noun_at = "", after
    if unit and (half := _HALF_BEHIND.match(text, after)):
        value, after = value + Decimal("0.5"), half.end()
    if not unit:
        unit, noun, after = _thing(text, after, spellings())
        noun_at = after
    if _BELOW_ZERO.match(text, after):
        value = -abs(value)
    written = text[first:after].strip()
    period = _per(text, first, noun_at, after)
    yield Quantity(EXACT.multiply(value, factor), unit, written, first, after, "number", per=period, noun=noun)


_HALF_BEFORE: Final = re.compile(r"个半(?=小时|月|年|天|钟头|世纪)")
_HALF_BEHIND: Final = re.compile(r"半(?!径|导|球|圆)| and a half(?! (?:million|billion))")
_BELOW_ZERO: Final = re.compile(r" ?(?:degrees? )?below (?:zero|freezing)")


def _measure(
    text: str, end: int, value: Decimal, unit: str, in_words: bool
) -> tuple[Decimal, str, Decimal, int] | None:
    """Value, unit, factor of the unit and end; None if letters follow, so that it is a code."""
    known, one = spellings(), Decimal(1)
    following = text[end : end + 1]
    if not in_words and following.strip()[:1] in ("M", "G", "T", "K") and (memory := _memory(text, end)):
        return value, *memory
    joined = in_words and following.isalpha() and following.isascii()
    direct = None if joined else _unit_at(text, end, known, in_words)
    if direct and not unit:
        return value, *direct
    value, after = _scaled(text, end, value, unit)
    if not unit and (behind := _unit_at(text, after, known, in_words)):
        return value, *behind
    letter = text[after : after + 1]
    if not unit and after == end and not in_words and letter.isascii() and (letter.isalpha() or letter == "_"):
        return None
    return value, unit, one, after


def _scaled(text: str, end: int, value: Decimal, unit: str) -> tuple[Decimal, int]:
    """A scale behind the number: million, k, 万, 亿."""
    scaled = SUFFIX.match(text, end)
    if scaled is None:
        return value, end
    name = (scaled[1] or scaled[2] or scaled[3]).lower()
    resolution = name == "k" and text[end : end + 1] == "K" and value in (4, 8)  # 4K is a resolution
    letter = name in ("t", "b", "m") and scaled[2] and not unit and _not_scale(text, scaled.end())
    if resolution or letter:
        return value, end
    value, after = value * Decimal(SUFFIXES.get(name) or SCALE_WORDS[name]), scaled.end()
    if scaled[3] and name in ("亿", "万") and (more := _MORE.match(text, after)):
        value, after = value + Decimal(more[1]) * SUFFIXES.get(more[2] or "", 1), more.end()
    return value, after


_MORE: Final = re.compile(r"(\d+(?:\.\d+)?)(万|千)?")


def _per(text: str, first: int, noun_at: int, after: int) -> str:
    """The time or thing that the number is for: a day, per user, 每小时."""
    per = PER.match(text, noun_at) or PER.match(text, after)
    name = per["unit"].lower() if per else ""
    if not per and (ahead := PER_BEFORE.search(text, max(0, first - 14), first)):
        name = ahead[1].lower()
    return PER_NAMES.get(name, name)


def _not_scale(text: str, end: int) -> bool:
    return text[end : end + 1] not in ("", " ", ",", ".", ";", ")", "+")


def _memory(text: str, end: int) -> tuple[str, Decimal, int] | None:
    found = re.compile(r" ?([KMGT])(?![A-Za-z])").match(text, end)
    if found and (
        MEMORY.match(text, found.end())
        or re.search(
            r"(?:RAM|memory|storage|flash|内存|存储|显存|硬盘)[^\d，。,;；]{0,8}$",
            text[max(0, end - 24) : end].rstrip("0123456789. "),
            re.IGNORECASE,
        )
    ):
        return "bit", Decimal(8) * {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}[found[1]], found.end()
    return None


_TEMPERATURE: Final = re.compile(r"[\d.]+ ?(?:°|℃|摄氏|度)")


def _sign(text: str, start: int, value: Decimal) -> tuple[int, Decimal]:
    before = text[start - 1 : start]
    if before == "-" and not re.search(
        r"[A-Za-z0-9\u4e00-\u9fff)\]%°℃ ]$|\d $", text[max(0, start - 3) : start - 1] or "("
    ):
        return start - 1, -value
    if (
        before == "-"
        and text[start - 2 : start - 1] == " "
        and not re.search(r"[\d%°℃CF] $", text[max(0, start - 4) : start - 1])
    ):
        return start - 1, -value
    if before == "-" and _TEMPERATURE.match(text, start) and re.search(r"[\u4e00-\u9fff]$", text[: start - 1]):
        return start - 1, -value
    if re.search(r"(?:minus |负|零下) ?$", text[max(0, start - 6) : start]):
        return start, -value
    return start, value


def _money(text: str, start: int) -> tuple[int, str] | None:
    for length in (3, 2, 1):
        piece = text[max(0, start - length) : start]
        if piece in CURRENCY:
            return start - length, CURRENCY[piece]
        if (
            text[start - 1 : start] == " "
            and (piece := text[max(0, start - 1 - length) : start - 1]) in CURRENCY
            and length == 3
        ):
            return start - 1 - length, CURRENCY[piece]
    return None


def _unit_at(text: str, end: int, spellings: Spellings, in_words: bool) -> tuple[str, Decimal, int] | None:
    gap = 1 if text[end : end + 1] in (" ", "-") and text[end : end + 1] else 0
    at = end + gap
    if text[at : at + 1] == "个" and (found := spellings.at(text, at + 1)) and not found[0].startswith("#"):
        return spellings.at(text, at) or found
    if between := ADJECTIVE.match(text, at):
        at = between.end()
    found = spellings.at(text, at)
    if found is None or found[0].startswith("#"):
        return None
    piece = text[at : found[2]]
    if piece in ("in", "x", "X", "×") and not _meant(text, at, found[2], piece, gap):
        return None
    if (
        piece in ("T", "var", "won", "mu", "mole", "mean", "thou", "节", "方", "码")
        and (in_words or piece in ("won", "mu"))
        and piece != "节"
    ):
        return None
    if in_words and len(piece) == 1 and piece.isascii():
        return None
    if piece == "B" and not gap:
        return None
    if len(piece) == 1 and text[found[2] : found[2] + 1] == "." and text[found[2] + 1 : found[2] + 2].isalpha():
        return None  # 400 A.D.
    if piece == "A" and text[found[2] : found[2] + 1] == "D":
        return None
    if piece == "s" and not gap and DECADE.search(text, max(0, end - 14), end):
        return None
    return found


def _meant(text: str, at: int, end: int, piece: str, gap: int) -> bool:
    if piece == "in":
        following = text[end : end + 1]
        return not following or following in '.,;:)]/×"' or text[at - 1] == "-"
    rest = text[end : end + 2].strip()
    return (not gap and not rest[:1].isdigit()) or bool(
        re.match(r" (?:faster|more|higher|better|as|slower|larger|the)", text[end : end + 8])
    )


def _thing(text: str, at: int, spellings: Spellings) -> tuple[str, str, int]:
    """What is counted: a thing of the table within the next words, else the next word."""
    position, noun = at, ""
    if text[position : position + 1] and text[position] in "+多余几":
        position += 1
    for step in range(4):
        if position < len(text) and text[position] in CLASSIFIERS and step == 0:
            position += 1
        gap = 1 if text[position : position + 1] in (" ", "-") else 0
        if step and not gap and not ("\u4e00" <= text[position : position + 1] <= "\u9fff"):
            break
        position += gap
        if (found := spellings.at(text, position)) and found[0].startswith("#"):
            return found[0], noun, found[2] if step == 0 else at
        word = NOUN.match(text, position)
        if word is None or word[1].lower() in NO_NOUN:
            break
        noun = noun or word[1].lower()
        if "\u4e00" <= word[1][0] <= "\u9fff":
            for shift in range(1, len(word[1])):
                if (found := spellings.at(text, position + shift)) and found[0].startswith("#"):
                    return found[0], noun, at
            break
        position = word.end()
    return "", noun, at


def code(text: str, start: int) -> Iterator[Quantity]:
    """A name with digits: X100, IP67, 802.11g, AES-256."""
    left = start
    while left > 0 and (text[left - 1].isascii() and (text[left - 1].isalnum() or text[left - 1] in "-./_")):
        left -= 1
    run = CODE_AROUND.match(text, left if text[left].isalnum() else left + 1)
    if run is None:
        return
    written = run[0].rstrip(".")
    if LETTERED.search(written):
        stop = run.start() + len(written)
        if behind := VARIANT.match(text, stop):
            whole = text[run.start() : behind.end()]
            yield Quantity(
                Decimal(0), code_form(whole), whole, run.start(), behind.end(), "code", variant=code_form(written)
            )
            return
        yield Quantity(Decimal(0), code_form(written), written, run.start(), stop, "code")
    else:
        yield Quantity(Decimal(0), "", written, run.start(), run.end(), "url")


def code_form(written: str) -> str:
    """AES-256, AES 256 and aes256 are one code; a last `.0` says nothing."""
    return re.sub(r"(?:\.0)+$", "", re.sub(r"[-_ ]", "", written.casefold()))
