"""The patterns by which numbers, dates, times, ordinals and codes are found in a visible text."""

from __future__ import annotations

import re
from typing import Final

from signoff.evidence.quantities.number_words import HAN_DIGIT, MONTHS, MULTIPLES, ORDINALS, SCALE_WORDS, SMALL, TENS

_LONG_MONTHS: Final = [name for name in MONTHS if len(name) > 3 and name not in ("march", "sept")]
NUMBER_WORD = "|".join(sorted((*SMALL, *SCALE_WORDS), key=len, reverse=True))
_DIGITS: Final = (
    r"(?<![\d,.])\d{1,3},\d{1,2}(?![\d,.])(?= ?(?:million|billion|thousand|percent|%|km|kg|m\b"
    r"|[a-z€$]))|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?: \d{3})+(?![\d.])|\d+(?:\.\d+)*"
)
FIND: Final = re.compile(
    r"(?P<iso>(?<![\d-])(?:19|20)\d\d-\d{1,2}-\d{1,2}(?![\d-]))"
    r"|(?P<hanyear>(?<!\d)(?P<hy>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})年(?!代|级|龄)(?:(?P<hym>\d{1,2}|十[一二]?"
    r"|[一二三四五六七八九])月(?:份|(?P<hymd>\d{1,2}|[一二三]?十?[一二三四五六七八九十])[日号])?)?)"
    r"|(?P<handay>(?<![\d.个])(?P<hm>\d{1,2}|(?<![一-十])(?:十[一二]?|[一二三四五六七八九]))月(?:份|(?P<hd>\d{1,2}"
    r"|[一二三]?十?[一二三四五六七八九十])(?:日|号|(?=[、和与至到])))?)"
    r"|(?P<weekday>(?:周|星期|礼拜)[一二三四五六日天](?![月年个次])|(?<![A-Za-z])(?:(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days?(?![A-Za-z])|(?:(?<=\()|(?<=, ))(?:mon|tue|wed|thu|fri|sat|sun)(?=[),.])))"
    r"|(?P<quarter>(?<![A-Za-z\d])(?:Q[1-4](?![A-Za-z\d])|H[12](?= ?(?:of )?(?:19|20)\d\d))|[上下]半年"
    r"|(?<!第)[一二三四1-4]季度)|(?P<clock>(?<![\d:.])(?P<ch>[01]?\d"
    r"|2[0-4]):(?P<cm>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?: ?(?P<cap>[ap])\.?m\b\.?)?|(?<![\d.])(?P<ch2>1[0-2]"
    r"|0?[1-9]) ?(?:\.(?P<cm2>[0-5]\d) ?)?(?P<cap2>[ap])\.?m\b\.?|(?:(?P<zhalf>上午|早上|凌晨|中午|下午|晚上"
    r"|傍晚)\s?)?(?<![\d.])(?P<zh>[01]?\d|2[0-4])[点时](?:(?P<zhm>[0-5]?\d)分(?:[0-5]?\d秒)?|(?P<zhh>半))?(?!间|的|候"
    r"|\d))"
    r"|(?P<version>(?<![A-Za-z\d])[vV]\.? ?(?P<vn>\d+(?:\.\d+)*)(?![\d.]*[A-Za-z\d]))"
    rf"|(?P<ordinal>第\s?(?P<zo>\d+|[{HAN_DIGIT}十百千]+)|首(?=次|个|家|款|届|位|批|例)"
    rf"|(?<![\d.,])\d{{1,3}}(?:,?\d{{3}})*(?:st|nd|rd|th)(?![A-Za-z])"
    rf"|(?<![A-Za-z])(?:(?:{TENS.replace(' ', '|')})-)?(?:{'|'.join(ORDINALS)})(?![A-Za-z]))"
    rf"|(?P<vague>(?<![A-Za-z])(?:(?:tens|hundreds) of (?:thousands|millions)|dozens|hundreds|thousands"
    rf"|millions|billions)(?![A-Za-z])|成千上万|[数几上](?:十|百|千|万|亿){{1,2}}(?![一二三四五六七八九\d]))"
    rf"|(?P<multiple>(?<![A-Za-z])(?:{'|'.join(MULTIPLES)})(?![A-Za-z])|翻一?番|翻倍|加倍)"
    r"|(?P<ratio>(?<![A-Za-z\d])(?P<rn>one|two|three|four|five|seven|nine|\d{1,3})(?:(?<=[a-z]) [a-z]+)?(?: in"
    r"| out of) (?!(?:19|20)\d\d(?!\d))(?P<rd>two|three|four|five|six|seven|eight|nine|ten|twenty|hundred"
    r"|\d{1,4})(?![\w.,]\d|[A-Za-z%])(?! ?(?:%|hours?|minutes?|seconds?|days?|weeks?|months?|years?)))"
    r"|(?P<share>(?<![A-Za-z])(?<!first[ -])(?<!second[ -])(?<!other[ -])(?:half(?! (?:past|hearted))|halves"
    r"|halved|halving|(?:a|one) quarter(?= of(?! an hour))|(?:one|a)[ -]third|two[ -]thirds"
    r"|three[ -]quarters)(?![A-Za-z])"
    rf"|(?P<zp>[{HAN_DIGIT}十百千万]+)分之(?P<zn>\d+(?:\.\d+)?|[{HAN_DIGIT}十百点]+)|一半|半数|(?P<zc>[一二三四五六七八九])成(?=[以的，。、左多是]|$))"
    rf"|(?P<month>(?<![A-Za-z])(?:"
    rf"{'|'.join(_LONG_MONTHS)}|May|March|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?=\.? ?\d|\.))(?![A-Za-z]))"
    r"|(?P<article>(?<![A-Za-z])an?(?= (?:hour|day|week|month|year|minute|fortnight|quarter of an hour)(?![A-Za-z])))"
    rf"|(?P<digits>{_DIGITS})"
    rf"|(?P<words>(?<![A-Za-z])(?:(?:a|an) (?={'|'.join(SCALE_WORDS)}))?(?:{NUMBER_WORD})(?:(?:-| and "
    rf"| )(?:{NUMBER_WORD}))*(?![A-Za-z]))"
    rf"|(?P<han>[{HAN_DIGIT}十百千万亿]+(?:点[{HAN_DIGIT}]+)?|半(?=个?(?:小时|年|天|月|分钟|秒|小時)))",
    re.IGNORECASE,
)
SUFFIX: Final = re.compile(
    r"[ -]?(?:(hundred|thousand|million|billion|trillion|mn|bn|dozen)(?![A-Za-z])"
    r"|(?<=\d)([kKMBT])(?![A-Za-z0-9/·²³]))|(?:多|余|几)?\s?(万亿|千万|百万|十万|亿|万|千|百)(?!分|兆|像素|用户端)"
)
MEMORY: Final = re.compile(
    r" ?(?:of )?(?:RAM|memory|storage|disk|flash|SSD|HDD|DRAM|heap|内存|存储|硬盘|闪存|显存|空间)", re.IGNORECASE
)
PER: Final = re.compile(
    r" ?(?:per|/|a|an|each|every|每)[ -]?(?P<unit>second|sec|s|minute|min|hour|h|day|week|month|quarter|year"
    r"|user|device|node|unit|port|core|channel|server|seat|person"
    r"|秒|分钟|分|小时|天|日|周|月|年|台|人|个|次)(?![A-Za-z])",
    re.IGNORECASE,
)
PER_BEFORE: Final = re.compile(
    r"(?:每|per )(秒|分钟|分|小时|天|日|周|月|年|second|minute|hour|day|week|month|year)[^\d。；;,，]{0,6}$"
)
PER_NAMES: Final = {
    "秒": "second",
    "sec": "second",
    "s": "second",
    "分钟": "minute",
    "分": "minute",
    "min": "minute",
    "小时": "hour",
    "h": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "月": "month",
    "年": "year",
    "台": "device",
    "人": "person",
}
NOUN: Final = re.compile(r"[ -]?((?:[A-Za-z][A-Za-z'-]*|[\u4e00-\u9fff]{1,6}))")
CLASSIFIERS: Final = "个名位台家款项种条只件套路枚部颗座间次例篇门处起场支张份批所辆架组类对"
_VERSIONED: Final = re.compile(
    r"(?:USB|Wi-?Fi|Bluetooth|BLE|HDMI|ISO|IEC|IEEE|EN|Part|Version|Ver\.?|Release|Chapter|Section|Figure|Fig\."
    r"|Table|Step|Class|Type|Cat\.?|Category|No\.|Python|Android|iOS"
    r"|Windows|Ubuntu|TLS|SSL|DDR|PCIe|蓝牙|版本|步骤|图|表|型号)[ -]?$",
    re.IGNORECASE,
)
LETTERED: Final = re.compile(r"[A-Za-z]")
CODE_AROUND: Final = re.compile(r"[A-Za-z0-9]+(?:[-./][A-Za-z0-9]+)*")
START: Final = re.compile(
    r"[\d零〇一二两三四五六七八九十百千万亿数几上下半首第周星礼翻加成早凌中晚傍]|(?<![A-Za-z])(?:[vV]\.? ?\d"
    r"|(?:one|two|thr|fou|for|fiv|six|sev"
    r"|eig|nin|ten|ele|twe|thi|fif|hun|tho|mil|bil|tri|doz"
    r"|bn|mn|fir|sec|hal|qua|dou|twi|q[1-4]|h[12]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|fri|sat"
    r"|sun|an? [a-z]))",
    re.IGNORECASE,
)
KINDS: Final = (
    "ratio", "digits", "words", "han", "iso", "hanyear", "handay", "weekday", "quarter", "clock", "version",
    "ordinal", "vague", "multiple", "share", "month", "article",
)  # fmt: skip

ADDRESS: Final = re.compile(r"(?:https?|ftp)://[^\s\u3000-\u9fff]*|\b[\w.+-]{1,64}@[\w-]+\.[\w.]+")
SECOND: Final = re.compile(r"(?:^|\b(?:the|its|his|her|their|our|every|and|first,?|in|on|for)\s)$", re.IGNORECASE)
MONTH_NEAR: Final = re.compile(
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|\bof\b|\bthe\b|月|Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
)
DECADE_NAME: Final = re.compile(r"(?<=\d0)'?s(?![A-Za-z])")
HALF: Final = re.compile(r" 1/2(?!\d)| and a half")
CODE_BEFORE: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*-|[A-Z]\.|[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*/)$")
POWER: Final = re.compile(r"\^([+-]?\d{1,3})|[eE]([+-]?\d{1,3})(?![A-Za-z\d])|\s?[×x*]\s?10\^([+-]?\d{1,3})")
VARIANT: Final = re.compile(
    r"(?: (?!AC|DC|USB|LED|LAN|API|CPU|GPU|RAM|SSD|IP|AND|OR|THE|IS|OF|IN|TO|A\b|I\b)(?:[A-Z]{1,3}|Pro|Max|Mini"
    r"|Plus|Lite|Ultra|Air|Nano)(?![A-Za-z0-9]))+"
)
HAN_FOLLOWS: Final = re.compile(rf"[{CLASSIFIERS}倍岁人年月日号天周]|多|余|几|分之")
_GAP: Final = re.compile(r"[ -]?")
_LETTER_UNITS: Final = frozenset(
    ["m", "s", "h", "g", "t", "l", "L", "N", "A", "V", "W", "T", "K", "F", "J", "H", "B", "c", "d", "S", "x", "X"]
)
ADJECTIVE: Final = re.compile(
    r"(?:business|working|calendar|full|whole|consecutive|straight|solid|US|metric) (?=hour|day|week|month|year"
    r"|minute|dollar|ton)"
)
DECADE: Final = re.compile(
    r"(?:\b(?:his|her|their|my|our|your|the|early|mid|late|in|to)[ -])\d0$|(?:19|20|18)\d0$|\d0s?\D{1,5}\d0$",
    re.IGNORECASE,
)

NO_NOUN: Final = frozenset(
    [
        "and",
        "or",
        "of",
        "the",
        "a",
        "an",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "than",
        "that",
        "which",
        "who",
        "per",
        "more",
        "less",
        "out",
        "if",
        "when",
        "while",
        "but",
        "not",
        "it",
        "its",
        "this",
        "these",
        "those",
        "over",
        "under",
        "into",
        "onto",
        "after",
        "before",
        "during",
        "since",
        "until",
        "up",
        "down",
        "off",
        "via",
        "can",
        "will",
        "may",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "their",
        "his",
        "her",
        "our",
        "your",
        "my",
        "all",
        "both",
        "each",
    ]
)
