"""Every number that a text states, in digits or in words, English or Chinese, with what it is a number of.

A quantity is a value in a base unit. Units that the table knows can be compared across spellings (1.5 km = 1,500 m =
1.5公里); with any other word the number is compared as it stands. So a number is never passed over because its unit is
unknown. What a quantity says besides its value, `side` (at most, at least) and `per` (a day), is kept beside it.

Kinds: `number`, `ordinal` (third, 第三), `month` (April, 4月), `weekday`, `clock` (minutes of the day), `vague`
(thousands of, 数千: any number from there to a thousand times as many), `code` (IP67, X100, 802.11g).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache, lru_cache
from typing import Final

from signoff.evidence.rules import table

_EXACT: Final = Context(prec=40)
Table = dict[str, tuple[str, Decimal]]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written at `start:end` of a visible text. `unit` is a base unit, a countable thing, or ""."""

    value: Decimal
    unit: str
    text: str
    start: int
    end: int
    kind: str = "number"
    side: str = ""
    per: str = ""
    noun: str = ""
    approximate: bool = False
    weak: bool = False
    variant: str = ""
    """Of a code with a variant behind it (`X100 Pro`): the code without it."""

    @property
    def measured(self) -> bool:
        return bool(self.unit) and not self.unit.startswith("#")


# --- tables -------------------------------------------------------------------------------------------------------


def _plural(word: str) -> str:
    irregular = {"foot": "feet", "square foot": "square feet", "cubic foot": "cubic feet", "axis": "axes", "inch": "inches"}
    if word in irregular:
        return irregular[word]
    if " per " in word or word in ("people", "hertz", "lux", "percent", "per cent", "times", "degrees c", "stokes", "thou"):
        return word
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "s", "x", "sh")) else f"{word}s"


class _Spellings:
    """The longest spelling at a place, by dictionary: nothing grows with the table."""

    def __init__(self) -> None:
        self.exact: Table = {}
        self.words: Table = {}
        for row in table("units"):
            meaning = row["unit"], Decimal(row.get("factor", "1"))
            self._add(row, meaning)
        for row in table("nouns"):
            self._add(row, (f"#{row['words'][0]}", Decimal(1)))
        self.lengths: dict[str, tuple[int, ...]] = {}
        sizes: dict[str, set[int]] = {}
        for spelling in (*self.exact, *self.words):
            sizes.setdefault(spelling[0].lower(), set()).add(len(spelling))
        self.lengths = {first: tuple(sorted(each, reverse=True)) for first, each in sizes.items()}

    def _add(self, row: dict[str, list[str]], meaning: tuple[str, Decimal]) -> None:
        for word in row.get("words", ()):
            self.words.setdefault(word, meaning)
            self.words.setdefault(_plural(word), meaning)
        for spelling in (*row.get("symbols", ()), *row.get("han", ())):
            self.exact.setdefault(spelling, meaning)

    def at(self, text: str, start: int) -> tuple[str, Decimal, int] | None:
        """Unit, factor and end of the spelling that begins here."""
        for length in self.lengths.get(text[start : start + 1].lower(), ()):
            piece = text[start : start + length]
            found = self.exact.get(piece) or self.words.get(piece.lower())
            if found and _ends_here(text, start + length, piece):
                return *found, start + length
        return None


_NOT_BEFORE: Final = {
    "天": "线然气空花", "日": "常志期本光程用语", "周": "围边期年到", "年": "代级龄轻", "升": "级高降至温压", "安": "全装卓防静心排检",
    "克": "服隆", "度": "假量", "元": "素件数器", "瓦": "楞片", "位": "置于", "人": "工机形体声物类像民才力性数", "口": "径袋味罩令号",
    "路": "由径线", "层": "级次面", "核": "验算对准", "页": "面眉脚", "站": "立", "米": "粒色", "成": "为功员本分立都果就型交长",
    "节": "点能约省", "码": "头", "焦": "点", "表": "示明面格达", "台": "湾北州阶", "帕": "金", "分": "之",
}  # fmt: skip


def _ends_here(text: str, end: int, piece: str) -> bool:
    last, following = piece[-1], text[end : end + 1]
    if last.isascii() and last.isalnum():
        if following and (following.isascii() and following.isalpha() or following == "_"):
            return False
        if following.isdigit():
            return piece in ("h", "min", "ft", "x", "X", "m")
        return not (following in "-'" and following and len(piece) < 3 and text[end + 1 : end + 2].isalpha() and piece not in ("h",))
    return not (following and following in _NOT_BEFORE.get(piece, ""))


@cache
def _spellings() -> _Spellings:
    return _Spellings()


_CURRENCY: Final = {
    "$": "USD", "US$": "USD", "USD": "USD", "¥": "CNY", "￥": "CNY", "RMB": "CNY", "CNY": "CNY", "人民币": "CNY", "€": "EUR",
    "EUR": "EUR", "£": "GBP", "GBP": "GBP", "HK$": "HKD", "A$": "AUD", "C$": "CAD", "₹": "INR", "₽": "RUB", "₩": "KRW",
}  # fmt: skip

# --- numbers in words ---------------------------------------------------------------------------------------------

_ONES: Final = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_DECADES: Final = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90}
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL: Final = {word: number for number, word in enumerate(_ONES.split(), 1)}
_SMALL |= _DECADES
_SMALL |= {word: number * 10 for number, word in enumerate(_TENS.split(), 2)}
_SCALE_WORDS: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12, "bn": 10**9, "mn": 10**6}
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth".split(), 1
    )
}  # fmt: skip
_ORDINALS |= {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100, "thousandth": 1000}
_MULTIPLES: Final = {
    "twice": 2, "double": 2, "doubles": 2, "doubled": 2, "doubling": 2, "twofold": 2, "thrice": 3, "triple": 3, "triples": 3, "tripled": 3,
    "threefold": 3, "fourfold": 4, "quadruple": 4, "quadrupled": 4, "fivefold": 5, "tenfold": 10, "hundredfold": 100,
}  # fmt: skip
_VAGUE: Final = {
    "dozens": 12, "hundreds": 100, "thousands": 1000, "millions": 10**6, "billions": 10**9,
    "tens of thousands": 10**4, "hundreds of thousands": 10**5, "tens of millions": 10**7, "hundreds of millions": 10**8,
    "数十": 20, "几十": 20, "数百": 100, "几百": 100, "上百": 100, "数千": 1000, "几千": 1000, "上千": 1000, "数万": 10**4, "几万": 10**4, "上万": 10**4,
    "数十万": 10**5, "几十万": 10**5, "数百万": 10**6, "几百万": 10**6, "上百万": 10**6, "数千万": 10**7, "数亿": 10**8, "几亿": 10**8, "成千上万": 1000,
}  # fmt: skip
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec".split("|"), 1
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        "monday mon 周一 星期一 礼拜一|tuesday tue tues 周二 星期二 礼拜二|wednesday wed 周三 星期三 礼拜三|thursday thu thur thurs 周四 星期四 礼拜四|friday fri 周五 星期五 礼拜五"
        "|saturday sat 周六 星期六 礼拜六|sunday sun 周日 星期日 周天 星期天 礼拜天".split("|"), 1
    )
    for name in names.split()
}  # fmt: skip

_word = "|".join(sorted((*_SMALL, *_SCALE_WORDS), key=len, reverse=True))
_HAN_DIGIT: Final = "零〇一二两三四五六七八九"
_DIGITS: Final = r"(?<![\d,.])\d{1,3},\d{1,2}(?![\d,.])(?= ?(?:million|billion|thousand|percent|%|km|kg|m\b|[a-z€$]))|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?: \d{3})+(?![\d.])|\d+(?:\.\d+)*"
_FIND: Final = re.compile(
    r"(?P<iso>(?<![\d-])(?:19|20)\d\d-\d{1,2}-\d{1,2}(?![\d-]))"
    r"|(?P<hanyear>(?<!\d)(?P<hy>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})年(?!代|级|龄)(?:(?P<hym>\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:份|(?P<hymd>\d{1,2}|[一二三]?十?[一二三四五六七八九十])[日号])?)?)"
    r"|(?P<handay>(?<![\d.个])(?P<hm>\d{1,2}|(?<![一-十])(?:十[一二]?|[一二三四五六七八九]))月(?:份|(?P<hd>\d{1,2}|[一二三]?十?[一二三四五六七八九十])(?:日|号|(?=[、和与至到])))?)"
    r"|(?P<weekday>(?:周|星期|礼拜)[一二三四五六日天](?![月年个])|(?<![A-Za-z])(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?![A-Za-z])|(?:(?<=\()|(?<=, ))(?:mon|tue|wed|thu|fri|sat|sun)(?=[),.])))"
    r"|(?P<quarter>(?<![A-Za-z\d])Q[1-4](?![A-Za-z\d]))|(?P<clock>(?<![\d:.])(?P<ch>[01]?\d|2[0-4]):(?P<cm>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?: ?(?P<cap>[ap])\.?m\b\.?)?|(?<![\d.])(?P<ch2>1[0-2]|0?[1-9]) ?(?:\.(?P<cm2>[0-5]\d) ?)?(?P<cap2>[ap])\.?m\b\.?|(?:(?P<zhalf>上午|早上|凌晨|中午|下午|晚上|傍晚)\s?)?(?<![\d.])(?P<zh>[01]?\d|2[0-4])[点时](?:(?P<zhm>[0-5]?\d)分(?:[0-5]?\d秒)?|(?P<zhh>半))?(?!间|的|候|\d))"
    r"|(?P<version>(?<![A-Za-z\d])[vV]\.? ?(?P<vn>\d+(?:\.\d+)*)(?![\d.]*[A-Za-z\d]))"
    rf"|(?P<ordinal>第\s?(?P<zo>\d+|[{_HAN_DIGIT}十百千]+)|首(?=次|个|家|款|届|位|批|例)|(?<![\d.,])\d{{1,3}}(?:,?\d{{3}})*(?:st|nd|rd|th)(?![A-Za-z])|(?<![A-Za-z])(?:(?:{_TENS.replace(' ', '|')})-)?(?:{'|'.join(_ORDINALS)})(?![A-Za-z]))"
    rf"|(?P<vague>(?<![A-Za-z])(?:(?:tens|hundreds) of (?:thousands|millions)|dozens|hundreds|thousands|millions|billions)(?![A-Za-z])|成千上万|[数几上](?:十|百|千|万|亿){{1,2}}(?![一二三四五六七八九\d]))"
    rf"|(?P<multiple>(?<![A-Za-z])(?:{'|'.join(_MULTIPLES)})(?![A-Za-z])|翻一?番|翻倍|加倍)"
    r"|(?P<ratio>(?<![A-Za-z\d])(?P<rn>one|two|three|four|five|seven|nine|\d{1,3})(?: [a-z]+)?(?: in| out of) (?P<rd>two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|\d{1,4})(?![\w.,]\d|[A-Za-z%])(?! ?(?:%|hours?|minutes?|seconds?|days?|weeks?|months?|years?)))|(?P<share>(?<![A-Za-z])(?<!first[ -])(?<!second[ -])(?<!other[ -])(?:half(?! (?:past|hearted))|halves|halved|halving|(?:a|one) quarter(?= of(?! an hour))|(?:one|a)[ -]third|two[ -]thirds|three[ -]quarters)(?![A-Za-z])"
    rf"|(?P<zp>[{_HAN_DIGIT}十百千万]+)分之(?P<zn>\d+(?:\.\d+)?|[{_HAN_DIGIT}十百点]+)|一半|半数|(?P<zc>[一二三四五六七八九])成(?=[以的，。、左多是]|$))"
    rf"|(?P<month>(?<![A-Za-z])(?:{'|'.join(name for name in _MONTHS if name not in ('may', 'mar', 'march', 'sep', 'jan', 'jun', 'jul', 'dec', 'oct', 'nov', 'apr', 'aug', 'feb', 'sept'))}|May|March|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?=\.? ?\d|\.))(?![A-Za-z]))"
    r"|(?P<article>(?<![A-Za-z])an?(?= (?:hour|day|week|month|year|minute|quarter of an hour)(?![A-Za-z])))"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<words>(?<![A-Za-z])(?:(?:a|an) (?={'|'.join(_SCALE_WORDS)}))?(?:{_word})(?:(?:-| and | )(?:{_word}))*(?![A-Za-z]))"
    rf"|(?P<han>[{_HAN_DIGIT}十百千万亿]+(?:点[{_HAN_DIGIT}]+)?|半(?=个?(?:小时|年|天|月|分钟|秒|小時)))",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(r"[ -]?(?:(hundred|thousand|million|billion|trillion|mn|bn|dozen)(?![A-Za-z])|(?<=\d)([kKMBT])(?![A-Za-z0-9/·²³]))|(?:多|余|几)?\s?(万亿|千万|百万|十万|亿|万|千|百)(?!分|兆|像素|用户端)")
_SUFFIXES: Final = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "万亿": 10**12, "千万": 10**7, "百万": 10**6, "十万": 10**5, "亿": 10**8, "万": 10**4, "千": 1000, "百": 100}
_MEMORY: Final = re.compile(r" ?(?:of )?(?:RAM|memory|storage|disk|flash|SSD|HDD|DRAM|heap|内存|存储|硬盘|闪存|显存|空间)", re.IGNORECASE)
_PER: Final = re.compile(
    r" ?(?:per|/|a|an|each|every|每)[ -]?(?P<unit>second|sec|s|minute|min|hour|h|day|week|month|quarter|year|user|device|node|unit|port|core|channel|server|seat|person"
    r"|秒|分钟|分|小时|天|日|周|月|年|台|人|个|次)(?![A-Za-z])", re.IGNORECASE,
)
_PER_BEFORE: Final = re.compile(r"(?:每|per )(秒|分钟|分|小时|天|日|周|月|年|second|minute|hour|day|week|month|year)[^\d。；;,，]{0,6}$")
_PER_NAMES: Final = {"秒": "second", "sec": "second", "s": "second", "分钟": "minute", "分": "minute", "min": "minute", "小时": "hour", "h": "hour", "天": "day", "日": "day", "周": "week", "月": "month", "年": "year", "台": "device", "人": "person"}
_NOUN: Final = re.compile(r"[ -]?((?:[A-Za-z][A-Za-z'-]*|[\u4e00-\u9fff]{1,6}))")
_CLASSIFIERS: Final = "个名位台家款项种条只件套路枚部颗座间次例篇门处起场支张份批所辆架组类对"
_VERSIONED: Final = re.compile(
    r"(?:USB|Wi-?Fi|Bluetooth|BLE|HDMI|ISO|IEC|IEEE|EN|Part|Version|Ver\.?|Release|Chapter|Section|Figure|Fig\.|Table|Step|Class|Type|Cat\.?|Category|No\.|Python|Android|iOS"
    r"|Windows|Ubuntu|TLS|SSL|DDR|PCIe|蓝牙|版本|步骤|图|表|型号)[ -]?$", re.IGNORECASE,
)
_LETTERED: Final = re.compile(r"[A-Za-z]")
_CODE_AROUND: Final = re.compile(r"[A-Za-z0-9]+(?:[-./][A-Za-z0-9]+)*")


def _han_value(written: str) -> Decimal | None:
    whole, _, fraction = written.partition("点")
    digits = {char: number for char, number in zip("零〇一二三四五六七八九两", (0, *range(10), 2), strict=True)}
    if len(whole) > 1 and all(char in digits for char in whole):
        value = Decimal("".join(str(digits[char]) for char in whole))
    else:
        total = group = digit = 0
        for char in whole:
            if char in digits:
                digit = digits[char]
            elif char in "十百千":
                group, digit = group + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
            else:
                total, group, digit = (total + group + digit or 1) * {"万": 10**4, "亿": 10**8}[char], 0, 0
        value = Decimal(total + group + digit)
    return value + Decimal("0." + "".join(str(digits[char]) for char in fraction)) if fraction else value


def _word_value(written: str) -> Decimal:
    total = group = 0
    for word in re.split(r"[ -]", written.lower()):
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred" or word == "dozen":
            group = (group or 1) * _SCALE_WORDS[word]
        elif word in _SCALE_WORDS:
            total, group = total + (group or 1) * _SCALE_WORDS[word], 0
    return Decimal(total + group)


def _digit_value(written: str) -> Decimal | None:
    if re.fullmatch(r"\d{1,3},\d{1,2}", written):
        return Decimal(written.replace(",", "."))
    plain = written.replace(",", "").replace(" ", "")
    return Decimal(plain) if plain.count(".") <= 1 else None


# --- reading ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every quantity of a visible text, in order."""
    return tuple(_shared_units(text, list(_read(text))))


_START: Final = re.compile(
    r"[\d零〇一二两三四五六七八九十百千万亿数几上下半首第周星礼翻加成早凌中晚傍]|(?<![A-Za-z])(?:[vV]\.? ?\d|(?:one|two|thr|fou|for|fiv|six|sev|eig|nin|ten|ele|twe|thi|fif|hun|tho|mil|bil|tri|doz"
    r"|bn|mn|fir|sec|hal|qua|dou|twi|q[1-4]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|fri|sat|sun|an? [a-z]))",
    re.IGNORECASE,
)
_KINDS: Final = (
    "ratio", "digits", "words", "han", "iso", "hanyear", "handay", "weekday", "quarter", "clock", "version", "ordinal", "vague", "multiple", "share", "month", "article",
)  # fmt: skip


def _read(text: str) -> Iterator[Quantity]:
    at = 0
    addresses = [found.span() for found in _ADDRESS.finditer(text)] if "://" in text or "@" in text else []
    for start, end in addresses:
        yield Quantity(Decimal(0), "", text[start:end], start, end, "url")
    while begin := _START.search(text, at):
        at = begin.start()
        inside = next((end for start, end in addresses if start <= at < end), 0)
        found = None if inside else _FIND.match(text, at)
        if found is None:
            at = max(inside, at + 1)
            continue
        at = found.end()
        kind = next(name for name in _KINDS if found[name] is not None)
        made = list(_READERS[kind](text, found))
        if made:
            at = max(at, max(one.end for one in made))
        yield from made


_ADDRESS: Final = re.compile(r"(?:https?|ftp)://[^\s\u3000-\u9fff]*|\b[\w.+-]{1,64}@[\w-]+\.[\w.]+")


def _quantity(found: re.Match[str], value: Decimal | int, unit: str = "", kind: str = "number", weak: bool = False) -> Quantity:
    return Quantity(Decimal(value), unit, found[0], found.start(), found.end(), kind, weak=weak)


def _iso(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    year, month, day = (int(part) for part in found[0].split("-"))
    yield from _date(found, year, month, day)


def _date(found: re.Match[str], year: int | None, month: int | None, day: int | None) -> Iterator[Quantity]:
    if year is not None:
        yield _quantity(found, year)
    if month is not None:
        yield _quantity(found, month, kind="month")
    if day is not None:
        yield _quantity(found, day)


def _han_int(written: str | None) -> int | None:
    if not written:
        return None
    value = Decimal(written) if written.isdigit() else _han_value(written)
    return None if value is None else int(value)


def _han_year(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield from _date(found, _han_int(found["hy"]), _han_int(found["hym"]), _han_int(found["hymd"]))


def _han_day(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield from _date(found, None, _han_int(found["hm"]), _han_int(found["hd"]))


def _weekday(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    name = found[0].lower()
    yield _quantity(found, _WEEKDAYS.get(name) or _WEEKDAYS[name.removesuffix("s")], kind="weekday")


def _clock(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    if found["zh"]:
        late = (found["zhalf"] or "") in ("下午", "晚上", "傍晚")
        hour = int(found["zh"]) + (12 if late and int(found["zh"]) < 12 else 0)
        yield _quantity(found, hour * 60 + (30 if found["zhh"] else int(found["zhm"] or 0)), kind="clock")
        return
    hour, minute = int(found["ch"] or found["ch2"]), int(found["cm"] or found["cm2"] or 0)
    half = (found["cap"] or found["cap2"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    yield _quantity(found, hour * 60 + minute, kind="clock")


def _quarter(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield _quantity(found, int(found[0][1]), kind="ordinal")


def _version(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield from _dotted(found, found["vn"], found.start(), found.end(), found[0])


def _dotted(found: re.Match[str], number: str, start: int, end: int, written: str) -> Iterator[Quantity]:
    if number.count(".") >= 2:
        form = re.sub(r"(?:\.0)+$", "", number)
        yield Quantity(Decimal(0), form, written, start, end, "code")
    else:
        yield Quantity(Decimal(number), "", written, start, end)


def _ordinal(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    written = found[0].lower()
    if written == "首":
        value = 1
    elif found["zo"]:
        value = _han_int(found["zo"]) or 0
    elif written[0].isdigit():
        value = int(re.sub(r"\D", "", written))
        if value > 31 or _MONTH_NEAR.search(text, max(0, found.start() - 12), found.end() + 12) is None:
            yield _quantity(found, value, kind="ordinal")
            return
        yield _quantity(found, value)
        return
    else:
        tens, _, rest = written.rpartition("-")
        value = _SMALL.get(tens, 0) + _ORDINALS[rest]
    if written == "second" and not _SECOND.search(text, max(0, found.start() - 14), found.start()):
        return  # a second of time, or "one second": read with its number
    yield _quantity(found, value, kind="ordinal", weak=value == 1)


_SECOND: Final = re.compile(r"(?:^|\b(?:the|its|his|her|their|our|every|and|first,?|in|on|for)\s)$", re.IGNORECASE)
_MONTH_NEAR: Final = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|\bof\b|\bthe\b|月|Mon|Tue|Wed|Thu|Fri|Sat|Sun)")


def _vague(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield _quantity(found, _VAGUE.get(found[0].lower(), 100), kind="vague")


def _multiple(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    yield _quantity(found, _MULTIPLES.get(found[0].lower(), 2), unit="×")


def _share(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    written = found[0].lower()
    if found["zp"]:
        below, above = _han_value(found["zp"]), Decimal(found["zn"]) if found["zn"][0].isdigit() else _han_value(found["zn"])
        if below and above is not None:
            yield _quantity(found, (above * 100 / below).quantize(Decimal("0.0001" if below > 100 else "0.01")).normalize(), unit="%")
        return
    if found["zc"]:
        yield _quantity(found, (_han_value(found["zc"]) or 0) * 10, unit="%")
        return
    if written.startswith("half") and (hour := re.compile(r"[ -](?:an?[ -])?").match(text, found.end())):
        unit = _spellings().at(text, hour.end())
        if unit and not unit[0].startswith("#"):
            yield Quantity(Decimal("0.5") * unit[1], unit[0], text[found.start() : unit[2]], found.start(), unit[2])
            return
    share = {"a quarter": "25", "one quarter": "25", "two": "66.67", "three": "75"}
    third = "33.33" if "third" in written and not written.startswith("two") else None
    key = "two" if written.startswith("two") else "three" if written.startswith("three") else written
    yield _quantity(found, Decimal(third or share.get(key, "50")), unit="%")


def _ratio(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    part, whole = (Decimal(each) if each.isdigit() else _word_value(each.lower()) for each in (found["rn"], found["rd"]))
    if part < whole:
        yield _quantity(found, (part * 100 / whole).quantize(Decimal("0.01")).normalize(), unit="%")
        return
    yield from _counted(text, found.start(), found.start() + len(found["rn"]), part, in_words=not found["rn"].isdigit())


def _month(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    if found[0] in ("may", "march", "MAY", "MARCH") or (found[0] == "May" and found.start() == 0):
        return
    yield _quantity(found, _MONTHS[found[0].lower()], kind="month")


def _digits(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    written, start, end = found["digits"], found.start(), found.end()
    before = text[start - 1 : start]
    if before and (before.isascii() and before.isalpha() or before == "_") and not _unit_before(text, start):
        yield from _code(text, start, end)
        return
    if before in ("-", ".", "/") and start > 1 and _CODE_BEFORE.search(text, max(0, start - 24), start):
        yield from _code(text, start, end)
        return
    if written.count(".") >= 2:
        yield from _dotted(found, written, start, end, written)
        return
    value = _digit_value(written)
    if value is None:
        return
    if re.match(r"\.[xX](?![A-Za-z])", text[end : end + 3]):
        yield Quantity(Decimal(0), f"{written}.x", f"{written}.x", start, end + 2, "code")
        return
    if decade := _DECADE_NAME.match(text, end):
        if value >= 100 or _DECADE.search(text, max(0, start - 14), end):
            yield Quantity(value, "", text[start : decade.end()], start, decade.end(), noun="decade")
            return
    if half := _HALF.match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    if power := _POWER.match(text, end):
        value, end = _powered(value, power), power.end()
    yield from _counted(text, start, end, value)


_DECADE_NAME: Final = re.compile(r"(?<=\d0)'?s(?![A-Za-z])")
_HALF: Final = re.compile(r" 1/2(?!\d)| and a half")
_CODE_BEFORE: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*-|[A-Z]\.|[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*/)$")
_POWER: Final = re.compile(r"\^([+-]?\d{1,3})|[eE]([+-]?\d{1,3})(?![A-Za-z\d])|\s?[×x*]\s?10\^([+-]?\d{1,3})")


def _powered(value: Decimal, power: re.Match[str]) -> Decimal:
    exponent = int(power[1] or power[2] or power[3])
    if abs(exponent) > 30:
        return value
    return _EXACT.power(value, exponent) if power[1] else value.scaleb(exponent)


def _unit_before(text: str, start: int) -> bool:
    """`6h30`, `30mmx20mm`: the letters before are the unit of the number before them."""
    before = re.search(r"\d(?:h|hr|min|x|X|mm|cm|m|V|k)$", text[max(0, start - 5) : start])
    return before is not None


def _code(text: str, start: int, end: int) -> Iterator[Quantity]:
    left = start
    while left > 0 and (text[left - 1].isascii() and (text[left - 1].isalnum() or text[left - 1] in "-./_")):
        left -= 1
    run = _CODE_AROUND.match(text, left if text[left].isalnum() else left + 1)
    if run is None:
        return
    written = run[0].rstrip(".")
    if _LETTERED.search(written):
        stop = run.start() + len(written)
        if behind := _VARIANT.match(text, stop):
            whole = text[run.start() : behind.end()]
            yield Quantity(Decimal(0), code_form(whole), whole, run.start(), behind.end(), "code", variant=code_form(written))
            return
        yield Quantity(Decimal(0), code_form(written), written, run.start(), stop, "code")
    else:
        yield Quantity(Decimal(0), "", written, run.start(), run.end(), "url")


_VARIANT: Final = re.compile(r"(?: (?!AC|DC|USB|LED|LAN|API|CPU|GPU|RAM|SSD|IP|AND|OR|THE|IS|OF|IN|TO|A\b|I\b)(?:[A-Z]{1,3}|Pro|Max|Mini|Plus|Lite|Ultra|Air|Nano)(?![A-Za-z0-9]))+")


def code_form(written: str) -> str:
    """AES-256, AES 256 and aes256 are one code; a last `.0` says nothing."""
    return re.sub(r"(?:\.0)+$", "", re.sub(r"[-_ ]", "", written.casefold()))


def _words(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    written = found["words"].lower()
    value = _word_value(re.sub(r"^an? ", "", written).replace(" and ", " "))
    weak = written == "one"
    if weak and (text[max(0, found.start() - 1) : found.start()] == "-" or text[max(0, found.start() - 3) : found.start()].lower() == "no "):
        return
    end = found.end()
    if half := _HALF.match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    for one in _counted(text, found.start(), end, value, in_words=True):
        idle = one.unit == "s" and not re.search(r"(?:in|within|per|for|of|every|than|least|most|about) $", text[max(0, one.start - 8) : one.start])
        yield one if not weak or (one.measured and not idle) else _weakly(one)


def _article(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    if not re.search(r"(?:[\d%]|[a-z]s|times|once|twice) $", text[max(0, found.start() - 8) : found.start()]):
        yield from map(_weakly, _counted(text, found.start(), found.end(), Decimal(1), in_words=True))


def _weakly(one: Quantity) -> Quantity:
    return Quantity(one.value, one.unit, one.text, one.start, one.end, one.kind, one.side, one.per, one.noun, one.approximate, True)


_HAN_NO_NUMBER: Final = re.compile(r"(?:万|千|百|亿|十)(?!分之)")
_HAN_FOLLOWS: Final = re.compile(rf"[{_CLASSIFIERS}倍岁人年月日号天周]|多|余|几|分之")
_HAN_STOPS: Final = frozenset(("一些", "一样", "一起", "一般", "一定", "一直", "一致", "一旦", "一切", "一方", "一下", "一边", "一面", "一体", "一同", "一路", "一流", "一向", "一律", "一经", "一样", "十分", "万一", "千万", "百姓", "万能", "万物", "四周", "四处", "三角", "八卦", "七夕", "五金", "六合", "两者", "两侧", "两端", "两边", "两岸", "一次性", "一键", "一站", "一带", "一代", "一生", "一身"))


def _han(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    written, start, end = found["han"], found.start(), found.end()
    if written == "零" and text[end : end + 1] == "下":
        return
    if written == "半":
        yield from _counted(text, start, end, Decimal("0.5"), in_words=True)
        return
    if text.startswith("进制", end):
        return
    if text[start : end + 1] in _HAN_STOPS or text[start : end + 2] in _HAN_STOPS or _HAN_NO_NUMBER.fullmatch(written):
        return
    before = text[start - 1 : start]
    if before and before in "统唯万同第周期拜专单每任某逐之" and len(written) == 1:
        if before != "每" or written == "一":
            return
    value = _han_value(written)
    if value is None:
        return
    weak = len(written) == 1 and (written == "一" or not (_HAN_FOLLOWS.match(text, end)))
    for one in _counted(text, start, end, value, in_words=True):
        strong = one.measured or (one.unit and written != "一")
        yield one if strong or not weak else _weakly(one)


def _counted(text: str, start: int, end: int, value: Decimal, *, in_words: bool = False) -> Iterator[Quantity]:
    """A number with what stands around it: sign, currency, scale, unit or noun, per."""
    spellings = _spellings()
    unit, noun, factor = "", "", Decimal(1)
    first, value = _sign(text, start, value)
    if half := re.compile(r"个半(?=小时|月|年|天|钟头|世纪)").match(text, end):
        value, end = value + Decimal("0.5"), half.end()
    currency = _money(text, first)
    if currency:
        first, unit = currency
    after = end
    direct = None if in_words and text[end : end + 1].isalpha() and text[end : end + 1].isascii() else _unit_at(text, end, spellings, in_words)
    memory = not in_words and text[end : end + 1].strip()[:1] in ("M", "G", "T", "K") and _memory(text, end)
    if memory:
        unit, factor, after = memory
    elif direct and not unit:
        unit, factor, after = direct
    else:
        scaled = _SUFFIX.match(text, end)
        if scaled:
            name = (scaled[1] or scaled[2] or scaled[3]).lower()
            if not (name == "k" and text[end : end + 1] == "K" and value in (4, 8)) and not (name in ("t", "b", "m") and scaled[2] and not unit and _not_scale(text, scaled.end())):
                value, after = value * Decimal(_SUFFIXES.get(name) or _SCALE_WORDS[name]), scaled.end()
                if scaled[3] and (more := re.compile(r"(\d+(?:\.\d+)?)(万|千)?").match(text, after)) and name in ("亿", "万"):
                    value, after = value + Decimal(more[1]) * _SUFFIXES.get(more[2] or "", 1), more.end()
        if not unit and (behind := _unit_at(text, after, spellings, in_words)):
            unit, factor, after = behind
        elif not unit and after == end and not in_words and (letter := text[after : after + 1]) and letter.isascii() and (letter.isalpha() or letter == "_"):
            yield from _code(text, start, end)
            return
    noun_at = after
    if unit and (half := re.compile(r"半(?!径|导|球|圆)| and a half(?! (?:million|billion))").match(text, after)):
        value, after = value + Decimal("0.5"), half.end()
    if not unit:
        unit, noun, after = _thing(text, after, spellings)
        noun_at = after
    if re.compile(r" ?(?:degrees? )?below (?:zero|freezing)").match(text, after):
        value = -abs(value)
    per = _PER.match(text, noun_at) or _PER.match(text, after)
    name = per["unit"].lower() if per else ""
    if not per and (ahead := _PER_BEFORE.search(text, max(0, first - 14), first)):
        name = ahead[1].lower()
    yield Quantity(
        _EXACT.multiply(value, factor), unit, text[first:after].strip(), first, after, "number", per=_PER_NAMES.get(name, name), noun=noun
    )


def _not_scale(text: str, end: int) -> bool:
    return text[end : end + 1] not in ("", " ", ",", ".", ";", ")", "+")


def _memory(text: str, end: int) -> tuple[str, Decimal, int] | None:
    found = re.compile(r" ?([KMGT])(?![A-Za-z])").match(text, end)
    if found and (_MEMORY.match(text, found.end()) or re.search(r"(?:RAM|memory|storage|flash|内存|存储|显存|硬盘)[^\d，。,;；]{0,8}$", text[max(0, end - 24) : end].rstrip("0123456789. "), re.IGNORECASE)):
        return "bit", Decimal(8) * {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}[found[1]], found.end()
    return None


def _sign(text: str, start: int, value: Decimal) -> tuple[int, Decimal]:
    before = text[start - 1 : start]
    if before == "-" and not re.search(r"[A-Za-z0-9\u4e00-\u9fff)\]%°℃ ]$|\d $", text[max(0, start - 3) : start - 1] or "("):
        return start - 1, -value
    if before == "-" and text[start - 2 : start - 1] == " " and not re.search(r"[\d%°℃CF] $", text[max(0, start - 4) : start - 1]):
        return start - 1, -value
    if re.search(r"(?:minus |负|零下) ?$", text[max(0, start - 6) : start]):
        return start, -value
    return start, value


def _money(text: str, start: int) -> tuple[int, str] | None:
    for length in (3, 2, 1):
        piece = text[max(0, start - length) : start]
        if piece in _CURRENCY:
            return start - length, _CURRENCY[piece]
        if text[start - 1 : start] == " " and (piece := text[max(0, start - 1 - length) : start - 1]) in _CURRENCY and length == 3:
            return start - 1 - length, _CURRENCY[piece]
    return None


_GAP: Final = re.compile(r"[ -]?")
_LETTER_UNITS: Final = frozenset("m s h g t l L N A V W T K F J H B c d S x X".split())


def _unit_at(text: str, end: int, spellings: _Spellings, in_words: bool) -> tuple[str, Decimal, int] | None:
    gap = 1 if text[end : end + 1] in (" ", "-") and text[end : end + 1] else 0
    at = end + gap
    if text[at : at + 1] == "个" and (found := spellings.at(text, at + 1)) and not found[0].startswith("#"):
        found = spellings.at(text, at) or found
        return found
    if between := _ADJECTIVE.match(text, at):
        at = between.end()
    found = spellings.at(text, at)
    if found is None or found[0].startswith("#"):
        return None
    piece = text[at : found[2]]
    if piece in ("in", "x", "X", "×") and not _meant(text, at, found[2], piece, gap):
        return None
    if piece in ("T", "var", "won", "mu", "mole", "mean", "thou", "节", "方", "码") and (in_words or piece in ("won", "mu")) and piece != "节":
        return None
    if in_words and len(piece) == 1 and piece.isascii():
        return None
    if piece == "B" and not gap:
        return None
    if len(piece) == 1 and text[found[2] : found[2] + 1] == "." and text[found[2] + 1 : found[2] + 2].isalpha():
        return None  # 400 A.D.
    if piece == "A" and text[found[2] : found[2] + 1] == "D":
        return None
    if piece == "s" and not gap and _DECADE.search(text, max(0, end - 14), end):
        return None
    return found


_ADJECTIVE: Final = re.compile(r"(?:business|working|calendar|full|whole|consecutive|straight|solid|US|metric) (?=hour|day|week|month|year|minute|dollar|ton)")
_DECADE: Final = re.compile(r"(?:\b(?:his|her|their|my|our|your|the|early|mid|late|in|to)[ -])\d0$|(?:19|20|18)\d0$|\d0s?\D{1,5}\d0$", re.IGNORECASE)


def _meant(text: str, at: int, end: int, piece: str, gap: int) -> bool:
    if piece == "in":
        following = text[end : end + 1]
        return not following or following in ".,;:)]/×\"" or text[at - 1] == "-"
    rest = text[end : end + 2].strip()
    return not gap and not rest[:1].isdigit() or bool(re.match(r" (?:faster|more|higher|better|as|slower|larger|the)", text[end : end + 8]))


_NO_NOUN: Final = frozenset(
    "and or of the a an in on at to for from by with as is are was were be been than that which who per more less out if when while but not it its this these those"
    " over under into onto after before during since until up down off via can will may has have had do does did their his her our your my all both each".split()
)


def _thing(text: str, at: int, spellings: _Spellings) -> tuple[str, str, int]:
    """What is counted: a thing of the table within the next words, else the next word."""
    position, noun = at, ""
    if text[position : position + 1] and text[position] in "+多余几":
        position += 1
    for step in range(4):
        if position < len(text) and text[position] in _CLASSIFIERS and step == 0:
            position += 1
        gap = 1 if text[position : position + 1] in (" ", "-") else 0
        if step and not gap and not ("\u4e00" <= text[position : position + 1] <= "\u9fff"):
            break
        position += gap
        if (found := spellings.at(text, position)) and found[0].startswith("#"):
            return found[0], noun, found[2] if step == 0 else at
        word = _NOUN.match(text, position)
        if word is None or word[1].lower() in _NO_NOUN:
            break
        noun = noun or word[1].lower()
        if "\u4e00" <= word[1][0] <= "\u9fff":
            for shift in range(1, len(word[1])):
                if (found := spellings.at(text, position + shift)) and found[0].startswith("#"):
                    return found[0], noun, at
            break
        position = word.end()
    return "", noun, at


_READERS: Final = {
    "iso": _iso, "hanyear": _han_year, "handay": _han_day, "weekday": _weekday, "quarter": _quarter, "clock": _clock, "version": _version, "ordinal": _ordinal,
    "vague": _vague, "multiple": _multiple, "ratio": _ratio, "share": _share, "month": _month, "article": _article, "digits": _digits, "words": _words, "han": _han,
}  # fmt: skip

_RANGE: Final = re.compile(r"\s?(?:-|~|to|through|至|到|and|or|和|或|/|×|x|±|\+/-)\s?", re.IGNORECASE)


def _shared_units(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """3-5 m: the first end of a range, an alternative or a product has the unit of the second."""
    for place in range(len(found) - 2, -1, -1):
        first, second = found[place], found[place + 1]
        if first.kind == second.kind == "number" and not first.unit and second.unit and not first.noun.strip("to-and"):
            if _RANGE.fullmatch(text[first.end : second.start] or "."):
                factor = _factor(second)
                found[place] = Quantity(first.value * factor, second.unit, first.text, first.start, first.end, "number", per=second.per, noun=second.noun)
    yield from _compounds(text, found)


_COMPOUND: Final = re.compile(r",? ?(?:and )?|零|又")


def _compounds(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """An hour and ten minutes is seventy minutes."""
    place = 0
    while place < len(found):
        one = found[place]
        while place + 1 < len(found) and one.unit in ("s", "month") and (following := found[place + 1]).unit == one.unit and _smaller_unit(one, following) and _COMPOUND.fullmatch(text[one.end : following.start] or " "):
            one = Quantity(one.value + following.value, one.unit, text[one.start : following.end], one.start, following.end, per=following.per)
            place += 1
        yield one
        place += 1


def _smaller_unit(first: Quantity, second: Quantity) -> bool:
    return _factor(first) > _factor(second) > abs(second.value) / 1000 and abs(second.value) < _factor(first)


def _factor(quantity: Quantity) -> Decimal:
    written = re.match(r"[^\d-]*(-?[\d.,]+)", quantity.text)
    if written is None:
        spelled = next((each for each in (_spellings().words.get(word) for word in re.findall(r"[a-z]+", quantity.text.lower())) if each), None)
        return spelled[1] if spelled else Decimal(1)
    number = _digit_value(written[1].strip(",.").lstrip("-"))
    return abs(quantity.value / number) if number else Decimal(1)
