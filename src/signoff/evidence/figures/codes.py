"""The codes a text names: standards, ratings, versions, models. They are no amounts, yet a claim rests on them.

The law (SP-9, SP-15, SP-16):

1. A code is Latin letters and digits in one token, glued or hyphenated (IP67, AES-256, RS-485, H.264, MIL-STD-810H,
   4K, 10GbE, 802.11ax); a name that takes numbers, with its number (Bluetooth 5.3, 蓝牙5.3, Wi-Fi 6, ISO/IEC 27001,
   EN 300 328); or a version (version 2.3, v2.3, firmware 2.3, 版本2.3, 2.3版).
2. Forms are compared, not spellings: case, and hyphens, points and spaces between letters and digits, say nothing
   (AES-256 = AES 256 = aes256), nor does a last `.0` of a version. IP65/67 names two codes, 802.11a/b/g three.
3. A code occurs in another text when one of its forms does. A standard of several bodies (ISO/IEC 27001) has a form
   for each; one with a year or a mode (ISO 27001:2022, AES-256-GCM) also names what stands before it, not the reverse.
4. No codes: quantities (35ms, DC 12V, $5M), ordinals (第5代, 5th), claim ids, slugs, addresses, file names, and what
   languages write in words (3D, CO2, B2B, Q3, 24x7).

Known limits: letters alone (Class A, USB-C), the second number of `Windows 10 and 11`, codes translated into words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from signoff.evidence.figures import numbers
from signoff.evidence.figures.numerals import fold


@dataclass(frozen=True, slots=True)
class Code:
    """A code as written at `start:end` of the text given; `form` is what is compared, `also` are further forms."""

    form: str
    text: str
    start: int
    end: int
    also: tuple[str, ...] = ()

    @property
    def forms(self) -> frozenset[str]:
        return frozenset((self.form, *self.also))


_ALIASES = {"蓝牙": "bluetooth", "ble": "bluetooth", "cat.": "cat", "wlan": "wifi"}
_ANY_CASE = (
    "Bluetooth[®™]?(?: Low Energy| LE)?|BLE|USB|Wi-?Fi|HDMI|DisplayPort|PCIe|LPDDR|DDR|Zigbee|DTLS|TLS|HDCP|NVMe"
)
_CASED = (
    "AES|SHA|RSA|RS|IPX?|IK|EAL|SOC|SIL|TPM|CAT|Cat|SSL|WPA|RFC|FCC Part|FIPS|MIL-STD|Android|iOS|Windows|Ubuntu|"
    "macOS|Python|Thread|Matter|CUDA|OpenGL|Vulkan|ROS|蓝牙"
)
_BODIES = "ISO|IEC|EN|DIN|BS|IEEE|ANSI|UL|CSA|ETSI|ASTM|ITU-T|TIA|EIA|NIST|SAE|GB/T|GB(?= ?[0-9]{4})|YD/T|JIS"
_BODY = re.compile(_BODIES.replace("(?= ?[0-9]{4})", ""))
_DOTTED = r"[0-9]+(?:\.[0-9]+)*"
_SET_APART = r"[®™]?(?:[ -]|\ ?(?:[vV]|[vV]er(?:sion|\.)?|版本) ?|\ ?Gen ?)?"
_CANDIDATE = re.compile(
    r"(?P<skip>[^\s\u3000-\u9fff\uff00-\uffef<>()]{0,80}(?:://|@|www\.)[!-~]*"
    r"|(?<![A-Za-z0-9_])(?:C-[A-Z]{2,4}-[0-9]{3}|[a-z0-9]+(?:-[a-z0-9]+){2,20}"
    r"|[A-Za-z0-9_./-]{1,120}\.(?:md|yaml|yml|json|pdf|html?|txt|png|jpe?g|svg|csv))(?![A-Za-z0-9]))"
    r"|(?<![A-Za-z0-9_])(?:"
    rf"(?P<version>(?:[vV]er(?:sion|\.)? ?[vV]?|VERSION ?|[vV])(?P<v1>{_DOTTED})"
    rf"|(?:[Ff]irmware|[Rr]elease) (?:[vV]ersion |[vV])?(?P<v2>[0-9]+(?:\.[0-9]+)+))(?![A-Za-z0-9-])"
    rf"|(?P<standard>(?P<body>(?:{_BODIES})(?:[ /](?:{_BODIES}|TR|TS)){{0,3}})[ -]?"
    r"(?P<number>[0-9]{3} [0-9]{3}(?![0-9])(?:-[0-9]+)*|[0-9]{2,6}(?:\.[0-9]+)?[A-Za-z]{0,3}(?:-[0-9]{1,4}[A-Za-z]?)*)"
    r"(?P<year>:[0-9]{4})?(?P<letters>(?:/[a-z]{1,2})*))(?![A-Za-z0-9])"
    rf"|(?P<named>(?P<name>(?i:{_ANY_CASE})|{_CASED}){_SET_APART}(?P<at>{_DOTTED})(?P<rest>[A-Za-z]{{0,2}}"
    r"(?:-[A-Z]{2,})*)(?P<more>(?:/[0-9]+(?:\.[0-9]+)?[A-Za-z]?)*))(?![A-Za-z0-9])"
    r"|(?P<token>[A-Za-z]+(?:-[A-Za-z]+)*[-.]?[0-9][A-Za-z0-9]*(?:-[A-Za-z0-9]+|\.[0-9][A-Za-z0-9]*)*)"
    r"(?P<others>(?:/[0-9]+[A-Za-z]?(?![A-Za-z0-9-]))*)"
    r"|(?P<radio>802\.[0-9]+[a-z]{0,2}(?P<modes>(?:/[a-z]{1,2})*))(?![A-Za-z0-9])"
    r"|(?P<size>(?<![0-9][.,-])[0-9]+(?:\.[0-9]+)?(?:[A-Za-z]{1,5}(?:-[A-Z]+)?| GbE))(?![A-Za-z0-9])"
    r")"
    rf"|(?P<han>(?:版本|固件)(?:版本|版|号)?[ :]?[vV]?(?P<h1>{_DOTTED})(?![A-Za-z0-9-])"
    r"|(?<![A-Za-z0-9.第])[vV]?(?P<h2>[0-9]+(?:\.[0-9]+)+) ?版(?!权|式|面))"
)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"[:-](?:19|20)[0-9]{2}\Z")
_MODE = re.compile(r"(?<=[0-9])(?:-[A-Za-z]+)+\Z")
_WORD_BEHIND = re.compile(r"(?:-(?=[A-Za-z]*[a-z])[A-Za-z]{2,})+\Z")  # IP67-rated, AES-256-bit, WPA3-Enterprise
_LOOSE = re.compile(r"(?<=[a-z])[-. ]+(?=[a-z0-9])|(?<=[0-9])[-. ]+(?=[a-z])")
_ZEROS = re.compile(r"(?:\.0)+\Z")
_NO_TOKEN = re.compile(
    r"(?:x[0-9]+|q[1-4]|b2[bcg]|c?o2|n2|h2o|[ns]o2|h2|[ad]c[0-9.]+v?"
    r"|(?:top|mid|pre|post|under|over|sub|non|up|to|and|or|from|of|in|about|sars|covid)-?[0-9].*)\Z"
)
_LOW_ENERGY = re.compile(r"[®™]?(?: low energy| le)?\Z")
_SIZED = ("AES", "RSA", "SHA")
_NO_SIZE = re.compile(r"(?:[0-9]+(?:st|nd|rd|th|x|am|pm|v[ad]c)|[0-9]+x[0-9]+|[23]d|[0-9]{4}s)\Z")


@lru_cache(maxsize=1024)
def codes(text: str) -> tuple[Code, ...]:
    """Every code, in order of occurrence."""
    return tuple(_read(text)) if _DIGIT.search(text) else ()


def missing_codes(claim: str, evidence: str) -> tuple[Code, ...]:
    """The codes of `claim` that do not occur in `evidence`, each once."""
    stated = codes(claim)
    there = _named(evidence) if stated else frozenset[str]()
    lost = {code.form: code for code in reversed(stated) if there.isdisjoint(code.forms)}
    return tuple(sorted(lost.values(), key=lambda code: code.start))


@lru_cache(maxsize=256)
def _named(text: str) -> frozenset[str]:
    """All forms a text names: of a code with a year or a mode also what stands before that."""
    found = {form for code in codes(text) for form in code.forms}
    short = {_form(_MODE.sub("", code.text)) for code in codes(text) if _MODE.search(code.text)}
    return frozenset(found | short | {_YEAR.sub("", form) for form in found})


def _read(text: str) -> Iterator[Code]:
    for match in _CANDIDATE.finditer(fold(text)):
        kind = next((kind for kind in _READERS if match[kind]), None)
        if kind and not _is_amount(kind, match, text):
            yield from _READERS[kind](match, text)


def _is_amount(kind: str, match: re.Match[str], text: str) -> bool:
    """Whether a quantity begins inside (Wi-Fi 5 GHz); the bits of AES 256-bit belong to its name."""
    if kind in ("version", "han", "radio") or match["name"] in _SIZED or match[0].endswith(" GbE"):
        return False
    found, (start, end) = numbers.quantities(text), match.span()
    if kind == "size":  # also the 5M of $5M, which begins before it
        return any(start <= one.start < end or one.start < start < one.end == end for one in found)
    return any(one.unit and start <= one.start < end for one in found)


def _version(match: re.Match[str], text: str) -> Iterator[Code]:
    number = match["v1"] or match["v2"] or match["h1"] or match["h2"]
    yield _code(match, text, _ZEROS.sub("", f"v{number}"))


def _standard(match: re.Match[str], text: str) -> Iterator[Code]:
    number = match["number"].replace(" ", "") + (match["year"] or "")
    bodies = [_form(body) for body in _BODY.findall(match["body"])]
    modes = [number, *(_mode(number, letters) for letters in _list(match["letters"]))]
    for mode in modes:
        forms = [_form(f"{body}{mode}") for body in bodies] + [mode.casefold()] * mode.startswith("802.")
        yield _code(match, text, *forms)


def _radio(match: re.Match[str], text: str) -> Iterator[Code]:
    first = match["radio"].partition("/")[0]
    for mode in (first, *(_mode(first, letters) for letters in _list(match["modes"]))):
        yield _code(match, text, mode)


def _mode(first: str, letters: str) -> str:
    return first.rstrip("abcdefghijklmnopqrstuvwxyz") + letters


def _name(match: re.Match[str], text: str) -> Iterator[Code]:
    name = _LOW_ENERGY.sub("", match["name"].casefold())
    name = _ALIASES.get(name, name)
    first = _ZEROS.sub("", match["at"]) + match["rest"]
    for number in (first, *(_ZEROS.sub("", more) for more in _list(match["more"]))):
        yield _code(match, text, _form(f"{name}{number}"))


def _token(match: re.Match[str], text: str) -> Iterator[Code]:
    token = _WORD_BEHIND.sub("", match["token"])
    if _NO_TOKEN.match(token.casefold()) or (token.islower() and "-" in token) or not _DIGIT.search(token):
        return
    start = match.start()
    end = match.end() if match["others"] else start + len(token)
    yield Code(_form(token), text[start:end], start, end)
    letters = token.rstrip("0123456789")
    for other in _list(match["others"]):
        yield Code(_form(f"{letters}{other}"), text[start:end], start, end)


def _size(match: re.Match[str], text: str) -> Iterator[Code]:
    written = match["size"].replace(" ", "")
    if not _NO_SIZE.match(written.casefold()):
        yield _code(match, text, _form(written))


_READERS = {
    "version": _version,
    "han": _version,
    "standard": _standard,
    "radio": _radio,
    "named": _name,
    "token": _token,
    "size": _size,
}


def _code(match: re.Match[str], text: str, form: str, *also: str) -> Code:
    return Code(form, text[match.start() : match.end()], match.start(), match.end(), also)


def _form(written: str) -> str:
    return _LOOSE.sub("", written.casefold())


def _list(slashed: str | None) -> list[str]:
    return slashed.split("/")[1:] if slashed else []
