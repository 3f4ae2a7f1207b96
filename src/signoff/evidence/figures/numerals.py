"""Written numbers and what they are worth: digits, English words, Chinese numerals, and the scales behind them.

Works on folded text (`fold`). It reads numbers only; whether one is meant as an amount is for `number_reading`.
"""

from __future__ import annotations

import re
from decimal import Decimal

# A full-width comma is not folded: it parts clauses, not thousands.
_FOLD = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0C}
_FOLD |= (
    dict.fromkeys("\u00a0\u2009\u202f\u3000\t", " ") | dict.fromkeys("−–‐‑﹣", "-") | {"μ": "µ", "\u2126": "\u03a9"}
)
_FOLDED = re.compile(f"[{re.escape(''.join(_FOLD))}]")


def fold(text: str) -> str:
    """The same text, place for place, with one form of each digit, letter, dash and space."""
    if text.isascii():
        return text.replace("\t", " ")
    return _FOLDED.sub(lambda match: _FOLD[match[0]], text)


_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
COUNT_PREFIXES = {"dual": 2, "triple": 3, "quad": 4, "octa": 8, "双": 2}
_WORD_VALUES = {word: number for number, word in enumerate((*_SMALL, *_TEENS), start=1)} | COUNT_PREFIXES
_WORD_VALUES |= dict(zip(_TENS, range(20, 100, 10), strict=True))

_DIGITS = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?"
_HAN = "[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?|双"
NUMERAL = re.compile(
    rf"(?P<digits>{_DIGITS})|(?P<share>[百千]分之)(?P<part>{_DIGITS}|{_HAN})|(?P<han>{_HAN})"
    rf"|(?P<word>(?:(?:{'|'.join(_TENS)})-(?:{'|'.join(_SMALL[:9])})|{'|'.join(_WORD_VALUES)})(?![A-Za-z]))",
    re.IGNORECASE,
)
# Each begins with a set of characters, which the engine skips to: most of a text is never looked at.
_START = re.compile("[0-9零〇一二两三四五六七八九十百千万亿双]+")
_WORD_START = re.compile(
    r"[DEFNOQSTdefnoqst](?<![A-Za-z].)(?:ne|w[oe]|h[ir]|our|i[fvx]|ev|ig|in|en|le|or|ua|ri|ct)", re.DOTALL
)


def starts(plain: str) -> list[int]:
    """The places where a number may begin, in order."""
    # A run may hold several numerals (六24), hence every place of it that is not the middle of digits.
    runs = [place for run in _START.finditer(plain) for place in _run_starts(run)]
    return sorted([*runs, *(match.start() for match in _WORD_START.finditer(plain))])


def _run_starts(run: re.Match[str]) -> list[int]:
    first, written = run.start(), run[0]
    if written.isascii() or len(written) == 1:
        return [first]
    return [first + i for i, char in enumerate(written) if i == 0 or char.isascii() != written[i - 1].isascii()]


def number(written: str) -> Decimal | None:
    """What a match of `NUMERAL` is worth; nothing for Chinese characters that are no plain number (三五, 百)."""
    if written[0].isascii() and not written[0].isalpha():
        return Decimal(written.replace(",", ""))
    if written.isascii() or written in COUNT_PREFIXES:
        return Decimal(sum(_WORD_VALUES[word] for word in written.lower().split("-")))
    whole, _, fraction = written.partition("点")
    value = _han_number(whole)
    return value if value is None or not fraction else value + _han_fraction(fraction)


_HAN_DIGITS = dict(zip("零〇一二三四五六七八九两", (0, *range(10), 2), strict=True))
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
_HAN_GROUPS = {"万": 10**4, "亿": 10**8}
_NO_NUMBER = re.compile(
    "^[百千万亿]|[一二两三四五六七八九]{2}|[百千万亿][一二两三四五六七八九]$|[十百千]{2}|^[零〇].|[零〇]{2}|.[零〇]$"
)


def _han_number(written: str) -> Decimal | None:
    if _NO_NUMBER.search(written):
        return None
    total = group = digit = 0
    for char in written:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_TENS:
            group, digit = group + (digit or 1) * _HAN_TENS[char], 0
        else:
            total, group, digit = (total + group + digit) * _HAN_GROUPS[char], 0, 0
    return Decimal(total + group + digit)


def _han_fraction(written: str) -> Decimal:
    return Decimal("0." + "".join(str(_HAN_DIGITS[char]) for char in written))


_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9, "trillion": 10**12,
    "百": 100, "千": 1000, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "万亿": 10**12,
    "k": 1000, "m": 10**6, "b": 10**9,
}  # fmt: skip
_SCALE = re.compile(
    r"[ -]?(?i:hundred|thousand|million|billion|trillion|mn|bn)(?![A-Za-z])|[kKMB](?![A-Za-z0-9])"
    r"| ?(?:万亿|千万|百万|十万|亿|万(?!兆|向|能|用(?!户))|千(?!兆)|百(?!分|兆))"  # 2千兆端口: gigabit ports
)


def scale(plain: str, end: int, value: Decimal) -> tuple[int, int]:
    """The million of `1.5 million`, and where it ends; 4K, 8K, 12K and 16K are resolutions."""
    scaled = _SCALE.match(plain, end)
    if scaled is None or (scaled[0] == "K" and (value < 10 or value in (12, 16))):
        return 1, end
    return _SCALES[scaled[0].strip(" -").lower()], scaled.end()
