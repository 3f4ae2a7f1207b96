"""Fonts of a PDF: how wide their text is, and whether the characters they give are the glyphs they show.

A font can say of every code which character it stands for (`/ToUnicode`). If its encoding names another glyph for that
code, the page shows one text and gives another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.evidence.sources.pdf.work import FONT_ENTRY, Work

_NAMED: Final[Mapping[str, str]] = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9",
    "space": " ", "percent": "%", "period": ".", "comma": ",", "plus": "+", "minus": "-", "hyphen": "-",
    "less": "<", "greater": ">", "equal": "=", "slash": "/", "dollar": "$", "Euro": "€", "degree": "°",
    "plusminus": "±", "mu": "µ", "lessequal": "≤", "greaterequal": "≥", "fi": "fi", "fl": "fl", "ff": "ff",
}  # fmt: skip
_ENCODINGS: Final = {"/WinAnsiEncoding": "cp1252", "/MacRomanEncoding": "mac_roman", "/StandardEncoding": "ascii"}
_STANDARD_FONT: Final = re.compile(
    r"/(?:[A-Z]{6}\+)?(?:Helvetica|Arial|Times|Courier)(?:New)?(?:-?Roman)?(?:PS)?(?:MT)?"
    r"(?:[-,](?:Bold|Italic|Oblique|BoldItalic|BoldOblique|Roman))?(?:MT)?"
)
_PICTURES: Final = re.compile(r"symbol|dings|icon|awesome|emoji", re.IGNORECASE)
_UNICODE_CMAP: Final = re.compile(r"/Uni\w+-(?:UCS2|UTF16)-[HV]")


@dataclass(frozen=True, slots=True)
class PdfFont:
    """A font as its pages use it. `false` says how its characters differ from its glyphs; `unread` has no characters,
    and `entries` is what pypdf reads again for every page."""

    name: str
    resource: Any
    double: bool = False
    widths: Mapping[int, float] = field(default_factory=dict)
    false: str = ""
    unread: bool = False
    entries: int = 0

    def width(self, shown: bytes) -> float:
        """The width of a text at size 1; what is not known is taken for narrow."""
        if self.double:
            codes = zip(shown[::2], shown[1::2], strict=False)
            default = self.widths.get(-1, 0.45)
            return sum(self.widths.get(high * 256 + low, default) for high, low in codes)
        if not self.widths:
            return len(shown) * 0.45
        return sum(self.widths.get(code, 0.45) for code in shown)


def pdf_font(resource: Any, name: str, work: Work) -> PdfFont:
    """What the resource says of the font; parsing its map is charged."""
    kind = resource.get("/Subtype", "")
    base = str(resource.get("/BaseFont", ""))
    double = kind == "/Type0"
    mapped: Mapping[Any, Any] = {}
    unicode_map = _resolved(resource.get("/ToUnicode"))
    if unicode_map is not None and hasattr(unicode_map, "get_data"):
        from pypdf._cmap import get_encoding

        work.charge(len(unicode_map.get_data()) * 2, "fonts")
        mapped = get_encoding(resource)[1]
        work.charge(len(mapped) * FONT_ENTRY, "fonts")
    encoding = _resolved(resource.get("/Encoding"))
    if double:
        identity = isinstance(encoding, str) and encoding.startswith("/Identity")
        false = _differs(_unicode_pairs(mapped), base) if _is_unicode_cmap(encoding) else ""
        widths, entries = _wide_widths(resource, work)
        return PdfFont(name, resource, True, widths, false, identity and not mapped, len(mapped) + entries)
    false = _differs(_simple_pairs(mapped, _glyphs(resource, encoding, base)), base) if mapped else ""
    return PdfFont(name, resource, False, _widths(resource, kind), false, entries=len(mapped))


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _is_unicode_cmap(encoding: Any) -> bool:
    return isinstance(encoding, str) and _UNICODE_CMAP.fullmatch(encoding) is not None


def _unicode_pairs(mapped: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    return ((code, said) for code, said in mapped.items() if isinstance(code, str) and isinstance(said, str))


def _simple_pairs(mapped: Mapping[Any, Any], glyphs: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """For every code in the map whose glyph is known: the glyph, and the character it is said to be."""
    for code, said in mapped.items():
        if isinstance(code, str) and len(code) == 1 and isinstance(said, str) and ord(code) in glyphs:
            yield glyphs[ord(code)], said


def _glyphs(resource: Any, encoding: Any, base: str) -> Mapping[int, str]:
    """The characters of the glyphs whose codes the font's encoding names."""
    named = encoding if isinstance(encoding, str) else None
    differences: Any = ()
    if hasattr(encoding, "get") and not isinstance(encoding, str):
        named = encoding.get("/BaseEncoding")
        differences = _resolved(encoding.get("/Differences")) or ()
    if named is None and resource.get("/Subtype") != "/Type3" and not _embedded(resource):
        named = "/StandardEncoding" if _STANDARD_FONT.fullmatch(base) else None
    codec = _ENCODINGS.get(str(named))
    known = {}
    if codec:
        known = {code: bytes([code]).decode(codec, "ignore") for code in range(32, 256)}
    code = 0
    for each in differences:
        each = _resolved(each)
        if isinstance(each, str):
            known[code] = _named(each[1:])
            code += 1
        elif isinstance(each, int):
            code = each
    return {code: char for code, char in known.items() if char}


def _embedded(resource: Any) -> bool:
    descriptor = _resolved(resource.get("/FontDescriptor"))
    return hasattr(descriptor, "get") and any(f"/FontFile{kind}" in descriptor for kind in ("", "2", "3"))


def _named(glyph: str) -> str:
    if len(glyph) == 1:
        return glyph
    if found := re.fullmatch(r"uni([0-9A-F]{4})", glyph):
        return chr(int(found[1], 16))
    return _NAMED.get(glyph.split(".")[0], "")


def _differs(pairs: Iterator[tuple[str, str]], base: str) -> str:
    """The first glyph that is said to be another character, or nothing."""
    for shown, said in pairs:
        glyph, character = _folded(shown), _folded(said)
        if glyph == character or not (any(map(str.isalnum, glyph + character))):
            continue
        if _PICTURES.search(base) and not any(map(str.isalnum, character)):
            continue
        return f"it shows {shown!r} and says {said[:12]!r}"
    return ""


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if not char.isspace() and char not in "-\u2010\u2011\u2212\u00ad\u200b\0")


def _widths(resource: Any, kind: str) -> Mapping[int, float]:
    listed = _resolved(resource.get("/Widths"))
    first = _resolved(resource.get("/FirstChar"))
    if kind == "/Type3" or not isinstance(listed, list) or not isinstance(first, int) or not 0 <= first <= 255:
        return {}
    widths = ((first + place, _resolved(width)) for place, width in enumerate(listed[: 256 - first]))
    return {code: float(width) / 1000 for code, width in widths if isinstance(width, int | float) and width > 0}


def _wide_widths(resource: Any, work: Work) -> tuple[Mapping[int, float], int]:
    """The widths of a font of double bytes, `first last width` or `first [widths]`, and how many there are."""
    below = _resolved(resource.get("/DescendantFonts"))
    font = _resolved(below[0]) if isinstance(below, list) and below else {}
    listed = _resolved(font.get("/W"))
    widths: dict[int, float] = {}
    given = [_resolved(each) for each in listed] if isinstance(listed, list) else []
    at, entries = 0, len(given)
    while at + 1 < len(given):
        first, last = given[at : at + 2]
        wide = (
            last if isinstance(last, list) else given[at + 2 : at + 3] * max(0, min(int(last) - int(first) + 1, 65_536))
        )
        entries += len(wide)
        work.charge(len(wide), "fonts")
        widths.update((int(first) + place, float(_resolved(width)) / 1000) for place, width in enumerate(wide))
        at += 2 if isinstance(last, list) else 3
    default = _resolved(font.get("/DW", 1000))
    widths[-1] = float(default) / 1000 if isinstance(default, int | float) else 1.0
    return widths, entries
