"""The text as a reader sees it: what a check compares, for drafts and for sources alike.

`visible` takes Markdown or HTML inline text to one canonical form: no markup, no hidden parts, entities decoded, one
form of widths, dashes, quotes, spaces and numerals. What no reader sees (comments, struck-out text, `hidden` elements,
text turned around by bidirectional overrides) is gone, so it can neither state nor support anything. `disguises` names
what should not stand in a text at all: invisible characters inside words and numbers, letters of another alphabet that
look like Latin ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import Final

from signoff.core.findings import Finding

_HIDDEN: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|~~(?=\S)(.{1,2000}?)~~|<(del|s|strike|script|style|template)\b[^<>]{0,300}>.*?(?:</\2\s*>|\Z)"
    r"|<([a-z][a-z0-9]*)\b[^<>]{0,300}(?:\shidden\b|display:\s*none|visibility:\s*hidden|font-size:\s*0)[^<>]{0,300}>"
    r".*?(?:</\3\s*>|\Z)|[\u202d\u202e][^\u202c\n]*(?:\u202c|\Z|(?=\n))",
    re.DOTALL | re.IGNORECASE,
)
_TAG: Final = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]*)(?:\s[^<>]{0,2000})?/?>")
_INLINE_TAGS: Final = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_IMAGE: Final = re.compile(r"!\[([^\]\n]{0,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)")
_LINK: Final = re.compile(r"\[([^\[\]\n]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)")
_REFERENCE: Final = re.compile(r"\[([^\[\]\n^]{1,500})\]\[[^\[\]\n]{0,200}\]")
_FOOTNOTE: Final = re.compile(r"\[\^[^\]\n]{1,60}\]")
_EMPHASIS: Final = re.compile(
    r"\*\*\*|\*\*|(?<![A-Za-z0-9_])__|__(?![A-Za-z0-9_])"
    r"|(?<!\d)\*(?=[^\s*])(?=[^*\n]{1,1000}\*)|(?<=[^\s*])\*(?![\d*])|(?<=\d)\*(?=\w[^*\n]{0,1000}\*(?!\d))"
    r"|(?<![A-Za-z0-9_])_(?=\S)|(?<=\S)_(?![A-Za-z0-9_])"
)
_CODE: Final = re.compile(r"(`{1,4})([^`]{1,2000}?)\1")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKUP_START: Final = re.compile(r"[<*_`~\[\\&]")

_VULGAR: Final = {
    "½": ".5", "¼": ".25", "¾": ".75", "⅕": ".2", "⅖": ".4", "⅗": ".6", "⅘": ".8", "⅛": ".125", "⅜": ".375",
    "⅝": ".625", "⅞": ".875", "⅓": ".3333", "⅔": ".6667", "⅒": ".1",
}  # fmt: skip
_FRACTION: Final = re.compile(rf"(\d?)\s?([{''.join(_VULGAR)}])")
_POWER: Final = re.compile(r"(?<=\d)[⁰¹²³⁴-⁹⁻⁺]+")
_POWER_DIGITS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_AREA: Final = re.compile(r"(?<=[A-Za-zµ米])([²³])")

_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»＂〝〞「」『』", '"'),
        **dict.fromkeys("‘’‚‛′＇", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003\u2004\u2005\u2006\u2008\u200a\u3000\t", " "),
        **dict.fromkeys("～〜∼", "~"),
        "μ": "µ", "\u2126": "Ω", "，": "，", "≦": "≤", "≧": "≥",
    }
)  # fmt: skip
_TRADITIONAL: Final = str.maketrans(
    "時鐘萬億個兩圓歐階級際電伏數據庫點種類台臺間載應該無與從來達過後為會說項頁張員號碼環線網頻幀聲訊號傳輸壓溫濕長寬高厚輕",
    "时钟万亿个两圆欧阶级际电伏数据库点种类台台间载应该无与从来达过后为会说项页张员号码环线网频帧声讯号传输压温湿长宽高厚轻",
)
_FORMAL: Final = str.maketrans(
    "壹贰叁肆伍陆柒捌玖拾佰仟萬億貳參陸〇貮弍弐弎", "一二三四五六七八九十百千万亿二三六零二二二三"
)
_FORMAL_RUN: Final = re.compile(
    "[壹贰叁肆伍陆柒捌玖拾佰仟貳參陸貮弍弐弎](?=[壹贰叁肆伍陆柒捌玖拾佰仟萬億万亿貳參陸元圆角分时小分秒天个名台套年月米])"
)
_FORMAL_NEXT: Final = re.compile("(?<=[一二三四五六七八九十百千万亿])[壹贰叁肆伍陆柒捌玖拾佰仟萬億貳參陸]+")

_LOOKALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοΙᎪΒСԍɡɑ",
    "ABESIJKMHOPCTYXaeijopcyxshdqwABEZHIKMNOPTYXoIABCgga",
)
_LOOKALIKE: Final = re.compile("[АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοᎪɡɑ]")
_FALSE_DIGIT: Final = str.maketrans("ӠЗзƷOoОоΟοӨІіlІΙƖ", "33333000000011111"[:17])
_MIXED_NUMBER: Final = re.compile(
    r"(?<![A-Za-z\d.])(?:\d[\d.,]*[OОоΟοӨЗзӠƷ]+[\dOОоΟο]*|[ӠЗƷӨ]+\d+|[ОΟο]\d+)(?![A-Za-z\d])"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_CYRILLIC_OR_GREEK: Final = re.compile("[\u0370-\u03ff\u0400-\u04ff]")

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_IN_WORD: Final = re.compile(r"[0-9A-Za-z\u00c0-\u024f\u4e00-\u9fff%.,]")


@lru_cache(maxsize=4096)
def visible(text: str) -> str:
    """What a reader sees of a piece of Markdown or HTML, in one canonical form on one line."""
    if _MARKUP_START.search(text):
        text = without_markup(text)
    shown = " ".join(plain(text).split())
    return shown if shown.isascii() else _HAN_GAP.sub("", shown)


_HAN_GAP: Final = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[0-9A-Za-z\u4e00-\u9fff])|(?<=[0-9A-Za-z%]) (?=[\u4e00-\u9fff])")


def without_hidden(text: str) -> str:
    """The text without what no reader sees; line ends stay, so that places can still be named."""
    return _HIDDEN.sub(lambda found: "\n" * found[0].count("\n"), text)


def without_markup(text: str) -> str:
    """Inline Markdown and HTML as it is shown: link texts and alt texts stay, addresses and titles go."""
    text = without_hidden(text)
    if "`" in text:
        text = _CODE.sub(lambda found: found[2].replace("*", "\ue000").replace("_", "\ue001"), text)
    if "<" in text:
        text = _TAG.sub(lambda tag: "" if tag[1].lower() in _INLINE_TAGS else " ", text)
    if "[" in text:
        text = _FOOTNOTE.sub("", text)
        text = _IMAGE.sub(r"\1", text)
        text = _LINK.sub(r"\1", text)
        text = _REFERENCE.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "&" in text:
        text = unescape(text)
    return text.replace("\ue000", "*").replace("\ue001", "_")


def plain(text: str) -> str:
    """One form for widths, dashes, quotes, spaces, numerals and look-alikes; invisible characters are gone."""
    if text.isascii():
        text = text.replace("\t", " ")
        return _MIXED_NUMBER.sub(lambda found: found[0].translate(_FALSE_DIGIT), text) if "O" in text else text
    text = _INVISIBLE.sub("", _CONTROL.sub("", text))
    text = _FRACTION.sub(lambda found: f"{found[1] or '0'}{_VULGAR[found[2]]}", text)
    text = _POWER.sub(lambda found: f"^{found[0].translate(_POWER_DIGITS)}", text)
    text = _AREA.sub(lambda found: {"²": "\ue002", "³": "\ue003"}[found[1]], text)
    text = text.translate(_SAME).replace("，", "\ue004")
    text = unicodedata.normalize("NFKC", text).translate(_SAME)
    text = text.replace("\ue002", "²").replace("\ue003", "³").replace("\ue004", "，")
    text = _FORMAL_RUN.sub(lambda found: found[0].translate(_FORMAL), text)
    text = _FORMAL_NEXT.sub(lambda found: found[0].translate(_FORMAL), text).translate(_TRADITIONAL)
    if _CYRILLIC_OR_GREEK.search(text) or "O" in text or "Ʒ" in text:
        text = _MIXED_NUMBER.sub(lambda found: found[0].translate(_FALSE_DIGIT), text)
        text = _WORD.sub(_latin, text)
    return text


def _latin(word: re.Match[str]) -> str:
    """A word that mixes Latin letters with their look-alikes, in Latin letters."""
    written = word[0]
    has_latin = any("a" <= char.lower() <= "z" for char in written)
    return written.translate(_LOOKALIKES) if has_latin and _LOOKALIKE.search(written) else written


def disguises(text: str) -> Iterator[Finding]:
    """Characters that make a text say something else to a program than to a reader, each kind once."""
    if not text.isascii():
        yield from _invisible(text)
        yield from _mixed_words(text)
    elif "O" not in text:
        return
    if found := _MIXED_NUMBER.search(unescape(text)):
        problem = f"{found[0]!r} mixes digits with letters that look like digits"
        yield Finding(rule="text.lookalike", problem=problem, repair="write the number in digits")


def _invisible(text: str) -> Iterator[Finding]:
    bidi = _BIDI.search(text)
    if bidi:
        name = unicodedata.name(bidi[0], f"U+{ord(bidi[0]):04X}")
        problem = f"the text holds {name} (U+{ord(bidi[0]):04X}), which turns the order of what follows"
        yield Finding(rule="text.bidirectional", problem=problem, repair="remove the character")
    for found in _INVISIBLE.finditer(text):
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        if _IN_WORD.match(before) and _IN_WORD.match(after) and not _BIDI.match(found[0]):
            around = text[max(0, found.start() - 12) : found.start()], text[found.end() : found.end() + 12]
            code = " ".join(f"U+{ord(char):04X}" for char in found[0][:3])
            problem = f"an invisible character ({code}) stands between {around[0]!r} and {around[1]!r}"
            yield Finding(rule="text.invisible", problem=problem, repair="remove the character")
            return


def _mixed_words(text: str) -> Iterator[Finding]:
    if _CYRILLIC_OR_GREEK.search(text) is None:
        return
    for word in _WORD.finditer(text):
        if _latin(word) != word[0]:
            strange = next(char for char in word[0] if _LOOKALIKE.match(char))
            problem = f"{word[0]!r} holds {unicodedata.name(strange, '')} among Latin letters"
            yield Finding(rule="text.lookalike", problem=problem, repair="write the word in one alphabet")
            return
