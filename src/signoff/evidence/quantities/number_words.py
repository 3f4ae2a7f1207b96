"""Numbers in words, English and Chinese, and their values."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_ONES: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_DECADES: Final = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL: Final = {
    **{word: number for number, word in enumerate(_ONES.split(), 1)},
    **_DECADES,
    **{word: number * 10 for number, word in enumerate(TENS.split(), 2)},
}
SCALE_WORDS: Final = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
    "bn": 10**9,
    "mn": 10**6,
}
_FIRST_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
        "twentieth"], 1
    )
}  # fmt: skip
ORDINALS: Final = _FIRST_ORDINALS | {
    "thirtieth": 30,
    "fortieth": 40,
    "fiftieth": 50,
    "hundredth": 100,
    "thousandth": 1000,
}
MULTIPLES: Final = {
    "twice": 2, "double": 2, "doubles": 2, "doubled": 2, "doubling": 2, "twofold": 2, "thrice": 3, "triple": 3,
    "triples": 3, "tripled": 3,
    "threefold": 3, "fourfold": 4, "quadruple": 4, "quadrupled": 4, "fivefold": 5, "tenfold": 10, "hundredfold": 100,
}  # fmt: skip
VAGUE: Final = {
    "dozens": 12, "hundreds": 100, "thousands": 1000, "millions": 10**6, "billions": 10**9,
    "tens of thousands": 10**4, "hundreds of thousands": 10**5, "tens of millions": 10**7,
    "hundreds of millions": 10**8,
    "数十": 20, "几十": 20, "数百": 100, "几百": 100, "上百": 100,
    "数千": 1000, "几千": 1000, "上千": 1000, "数万": 10**4,
    "几万": 10**4, "上万": 10**4,
    "数十万": 10**5, "几十万": 10**5,
    "数百万": 10**6, "几百万": 10**6, "上百万": 10**6, "数千万": 10**7, "数亿": 10**8, "几亿": 10**8,
    "成千上万": 1000,
}  # fmt: skip
MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ["january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
        "september sept sep", "october oct", "november nov", "december dec"], 1
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        ["monday mon 周一 星期一 礼拜一", "tuesday tue tues 周二 星期二 礼拜二", "wednesday wed 周三 星期三 礼拜三",
        "thursday thu thur thurs 周四 星期四 礼拜四",
        "friday fri 周五 星期五 礼拜五", "saturday sat 周六 星期六 礼拜六",
        "sunday sun 周日 星期日 周天 星期天 礼拜天"], 1
    )
    for name in names.split()
}  # fmt: skip

HAN_DIGIT: Final = "零〇一二两三四五六七八九"
SUFFIXES: Final = {
    "k": 10**3,
    "m": 10**6,
    "b": 10**9,
    "t": 10**12,
    "万亿": 10**12,
    "千万": 10**7,
    "百万": 10**6,
    "十万": 10**5,
    "亿": 10**8,
    "万": 10**4,
    "千": 1000,
    "百": 100,
}
HAN_NO_NUMBER: Final = re.compile(r"(?:万|千|百|亿|十)(?!分之)")
HAN_STOPS: Final = frozenset(
    (
        "一些",
        "一样",
        "一起",
        "一般",
        "一定",
        "一直",
        "一致",
        "一旦",
        "一切",
        "一方",
        "一下",
        "一边",
        "一面",
        "一体",
        "一同",
        "一路",
        "一流",
        "一向",
        "一律",
        "一经",
        "一样",
        "十分",
        "万一",
        "千万",
        "百姓",
        "万能",
        "万物",
        "四周",
        "四处",
        "三角",
        "八卦",
        "七夕",
        "五金",
        "六合",
        "两者",
        "两侧",
        "两端",
        "两边",
        "两岸",
        "一次性",
        "一键",
        "一站",
        "一带",
        "一代",
        "一生",
        "一身",
    )
)


def han_value(written: str) -> Decimal | None:
    whole, _, fraction = written.partition("点")
    digits = dict(zip("零〇一二三四五六七八九两", (0, *range(10), 2), strict=True))
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


def word_value(written: str) -> Decimal:
    total = group = 0
    for word in re.split(r"[ -]", written.lower()):
        if word in SMALL:
            group += SMALL[word]
        elif word == "hundred" or word == "dozen":
            group = (group or 1) * SCALE_WORDS[word]
        elif word in SCALE_WORDS:
            total, group = total + (group or 1) * SCALE_WORDS[word], 0
    return Decimal(total + group)


def digit_value(written: str) -> Decimal | None:
    if re.fullmatch(r"\d{1,3},\d{1,2}", written):
        return Decimal(written.replace(",", "."))
    plain = written.replace(",", "").replace(" ", "")
    return Decimal(plain) if plain.count(".") <= 1 else None
