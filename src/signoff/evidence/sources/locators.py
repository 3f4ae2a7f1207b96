"""Where evidence is: four kinds of locator, read from mappings and from the short string forms, written as mappings.

    specs/a.yaml#L42                                internal document, line
    specs/a.md#performance                          internal document, section
    reports/test.pdf#page3, "measured 6.2 hours"    PDF
    https://example.com/x, 2026-01-05, "quote"      web page
    prd/v2.3.md#performance                         PRD or release notes, version in the path

Any of the file forms may carry a quote; a PDF or a web page without one is read, and fails its check.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Final

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding

FORMS: Final = (
    'path#L42 | path#section | path.pdf#page3, "excerpt" | https://…, 2026-01-05, "excerpt" | '
    "{path, version, section} for a PRD or release notes"
)


@dataclass(frozen=True, slots=True)
class Internal:
    """A line or a section of a project document; one of the two is set."""

    path: str
    line: int | None = None
    section: str = ""
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Pdf:
    """A page of a PDF, counted from 1, and the words on it."""

    path: str
    page: int
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Url:
    """The words a web page had on a day (ISO date)."""

    url: str
    accessed_date: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """A section of a PRD or of release notes, which hold for one version."""

    path: str
    version: str
    section: str
    excerpt: str = ""


Locator = Internal | Pdf | Url | Release

KINDS: Final[Mapping[str, type[Locator]]] = {"internal": Internal, "pdf": Pdf, "url": Url, "release": Release}
_NAMES: Final = {kind: name for name, kind in KINDS.items()}
_REQUIRED: Final[Mapping[type[Locator], tuple[str, ...]]] = {
    Internal: ("path",),
    Pdf: ("path", "page"),
    Url: ("url", "accessed_date"),
    Release: ("path", "version", "section"),
}
_NUMBERS: Final = {
    "line": re.compile(r"[Ll]?(\d{1,9})"),
    "page": re.compile(r"(?:p|page)?[ =]?(\d{1,9})", re.IGNORECASE),
}


def render(locator: Locator) -> dict[str, Any]:
    """The structured form: kind first, then the fields in their fixed order, empty ones left out."""
    values = {field.name: getattr(locator, field.name) for field in fields(locator)}
    return {"kind": _NAMES[type(locator)]} | {name: value for name, value in values.items() if value not in (None, "")}


def describe(locator: Locator) -> str:
    """One line for a message."""
    match locator:
        case Internal(path, line, section):
            return f"{path}#L{line}" if line else f"{path}#{section}"
        case Pdf(path, page):
            return f"{path}#page{page}"
        case Url(url, day):
            return f"{url}, {day}"
        case Release(path, version, section):
            return f"{path}#{section} ({version})"


# --- parsing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the locator stands, for findings."""

    file: str
    line: int | None
    about: str

    def error(self, problem: str, repair: str, rule: str = "evidence.locator") -> DocumentError:
        found = Finding(rule=rule, problem=problem, repair=repair, file=self.file, line=self.line, about=self.about)
        return DocumentError([found])


def parse(value: str | Mapping[str, Any], *, file: str = "", line: int | None = None, about: str = "") -> Locator:
    """The locator a string or mapping stands for; a DocumentError says what was found and which forms are valid."""
    at = _Place(file, line, about)
    if isinstance(value, str):
        return _from_text(value.strip(), at)
    if isinstance(value, Mapping):
        return _from_mapping(value, at)
    raise at.error(f"{value!r} is not a locator", f"write one of: {FORMS}")


def parse_all(value: Any, *, file: str = "", line: int | None = None, about: str = "") -> tuple[Locator, ...]:
    """The `evidence` field of a registry entry: nothing, one locator, or a list; all problems are told at once."""
    if value is None or value == "":
        return ()
    values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    good: list[Locator] = []
    bad: list[Finding] = []
    for item in values:
        try:
            good.append(parse(item, file=file, line=line, about=about))
        except DocumentError as error:
            bad += error.findings
    if bad:
        raise DocumentError(bad)
    return tuple(good)


_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "＂": "＂"}
_OPENING: Final = "".join(_QUOTES)
_EXCERPT = re.compile(rf"[,，]\s*([{_OPENING}])(.*)", re.DOTALL)
_URL = re.compile(r"(https?://\S+?)\s*[,，]\s*(\d{4}-\d{1,2}-\d{1,2})", re.IGNORECASE)
_LINE = re.compile(r"[Ll](\d{1,9})")
_PAGE = re.compile(r"p(?:age)?[ =]?(\d{1,9})", re.IGNORECASE)
_LINES = re.compile(r"[Ll]\d+\s*[-–:]\s*[Ll]?\d+")
_RELEASE = re.compile(r"(?:^|[/_.-])(?:prds?|releases?|release[-_ ]?notes|changelogs?)(?=[/_.-]|$)", re.IGNORECASE)
_VERSION = re.compile(
    r"(?<![A-Za-z0-9])v?\d+(?:\.\d+)+(?![A-Za-z0-9])|(?<![A-Za-z0-9])v\d+(?![A-Za-z0-9])", re.IGNORECASE
)


def _from_text(text: str, at: _Place) -> Locator:
    if re.match(r"https?://", text, re.IGNORECASE):
        return _url_from_text(text, at)
    path, mark, rest = text.partition("#")
    if not mark or not path.strip() or "\n" in path:
        raise _not_a_locator(text, at)
    place, excerpt = _split_excerpt(rest, at)
    return _file_locator(path.strip(), place.strip(), excerpt, text, at)


def _not_a_locator(text: str, at: _Place) -> DocumentError:
    phrase = not_evidence(text)
    if phrase:
        repair = f"point to a source that says so: {FORMS}"
        return at.error(f"{text!r} is not evidence: it says {phrase!r}", repair, "evidence.not-evidence")
    return at.error(f"{text!r} is not a locator", f"write one of: {FORMS}")


def _url_from_text(text: str, at: _Place) -> Url:
    match = _URL.match(text)
    if not match:
        raise at.error(f"{text!r} has no accessed date", 'write it as https://…, 2026-01-05, "the words on the page"')
    rest, excerpt = _split_excerpt(text[match.end() :], at)
    if rest.strip():
        raise at.error(f"{rest.strip()!r} after the date of {match[1]}", "put the words on the page in quotes")
    return Url(match[1], _date(match[2], at), excerpt)


def _split_excerpt(text: str, at: _Place) -> tuple[str, str]:
    match = _EXCERPT.search(text)
    if not match:
        return text, ""
    closing = _QUOTES[match[1]]
    if not match[2].endswith(closing):
        raise at.error(f"the excerpt {match[0].strip(' ,，')!r} has no closing {closing}", "close the quote at the end")
    return text[: match.start()], match[2].removesuffix(closing).strip()


def _file_locator(path: str, place: str, excerpt: str, text: str, at: _Place) -> Locator:
    page, line = _PAGE.fullmatch(place), _LINE.fullmatch(place)
    if _is_pdf(path):
        if not page:
            raise at.error(f"{text!r} names no page of the PDF", 'write it as path.pdf#page3, "the words on the page"')
        return Pdf(path, _number(page[1], "page", at), excerpt)
    if not place or _LINES.fullmatch(place):
        raise at.error(f"{text!r} names no line or section", "name one line as #L42, or a section as #performance")
    if line:
        return Internal(path, line=_number(line[1], "line", at), excerpt=excerpt)
    version = _VERSION.search(path) if _RELEASE.search(path) else None
    return Release(path, version[0], place, excerpt) if version else Internal(path, section=place, excerpt=excerpt)


def _is_pdf(path: str) -> bool:
    return path.lower().endswith(".pdf")


def _from_mapping(value: Mapping[str, Any], at: _Place) -> Locator:
    given = {str(key): item for key, item in value.items() if item not in (None, "")}
    name = given.pop("kind", None) or _kind_of(given)
    if name not in KINDS:
        raise at.error(f"the kind {name!r}", f"use one of: {', '.join(KINDS)}")
    kind = KINDS[name]
    valid = [field.name for field in fields(kind)]
    unknown = sorted(set(given) - set(valid))
    if unknown:
        raise at.error(f"{name} evidence has no field {', '.join(map(repr, unknown))}", f"use: {', '.join(valid)}")
    locator = kind(**{key: _field(key, item, at) for key, item in {**_required(kind), **given}.items()})
    _refuse_gaps(locator, at)
    return locator


def _kind_of(given: Mapping[str, Any]) -> str:
    for field, name in (("url", "url"), ("version", "release"), ("page", "pdf")):
        if field in given:
            return name
    return "pdf" if _is_pdf(str(given.get("path", ""))) else "internal"


def _required(kind: type[Locator]) -> dict[str, Any]:
    return dict.fromkeys(_REQUIRED[kind])


def _field(name: str, value: Any, at: _Place) -> Any:
    if value is None:
        return "" if name not in ("line", "page") else None
    if name in _NUMBERS:
        return _number(value, name, at)
    if name == "accessed_date":
        return _date(value, at)
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise at.error(f"{name}: {value!r} is not text", f"write {name} as text")
    return str(value).strip()


def _number(value: Any, name: str, at: _Place) -> int:
    match = None if isinstance(value, bool) else _NUMBERS[name].fullmatch(str(value).strip())
    if not match or int(match[1]) < 1:
        raise at.error(f"{name}: {value!r}", f"write the {name} as a number from 1 up")
    return int(match[1])


def _date(value: Any, at: _Place) -> str:
    try:
        return value.isoformat() if type(value) is date else date.fromisoformat(str(value).strip()).isoformat()
    except ValueError:
        raise at.error(f"accessed_date: {value!r} is not a date", "write it as 2026-01-05") from None


def _refuse_gaps(locator: Locator, at: _Place) -> None:
    missing = [name for name in _required(type(locator)) if not getattr(locator, name)]
    if missing:
        kind = _NAMES[type(locator)]
        raise at.error(
            f"{kind} evidence without {', '.join(missing)}", f"add {', '.join(missing)}; valid forms: {FORMS}"
        )
    if isinstance(locator, Url) and not re.match(r"https?://[^\s/]", locator.url, re.IGNORECASE):
        raise at.error(f"the url {locator.url!r}", "write the whole address, with https://")
    if isinstance(locator, Pdf) and not _is_pdf(locator.path):
        raise at.error(
            f"page {locator.page} of {locator.path!r}, which is not a PDF", "name a line or a section instead"
        )
    if isinstance(locator, Internal) and bool(locator.line) == bool(locator.section):
        found = "both line and section" if locator.line else "neither line nor section"
        raise at.error(f"{locator.path!r} with {found}", "give one of the two")


# --- what is no evidence -----------------------------------------------------------------------------------------

_SAY: Final = r"(?:says?|said|told|wants?|claims?|thinks?|believes?|insists?|confirmed verbally)"
_CN_SAY: Final = r"(?:说|表示|认为|觉得|希望|想要|要求|口头)"

# A hedge or an appeal to somebody's word. An excerpt that hedges supports no claim even when it stands in a source.
NOT_EVIDENCE: Final[Mapping[str, tuple[str, ...]]] = {
    "en": (
        r"(?:i|we) (?:strongly |really |firmly |do )?(?:believe|think|assume|guess|suppose|suspect|feel|reckon)",
        r"(?:i am|i'm|we are|we're) (?:pretty |quite |fairly )?(?:sure|certain|confident)",
        r"in my (?:opinion|experience|view)",
        r"(?:should|ought to) be",
        r"(?:probably|presumably|supposedly|apparently|reportedly|allegedly)",
        rf"(?:marketing|sales|pmm|management|the boss|the team|someone|somebody|people|they) (?:\w+ )?{_SAY}",
        r"(?:as )?(?:everyone|everybody|we all) knows?",
        r"(?:it is|it's) (?:widely |generally |well |commonly )known",
        r"(?:common|general|public|industry) knowledge",
        r"(?:industry|general) consensus",
        r"trust me|take my word|word of mouth|hearsay|rumou?r has it",
        r"(?:as far as i know|to (?:the best of )?my knowledge|afaik|iirc|if i recall)",
        r"(?:my|the model's|model's|model|own|internal|prior|background) (?:own )?(?:knowledge|training|memory)",
        r"(?:training data|from memory|as an ai|as a language model|language model)",
        r"(?:needs?|pending|awaiting) (?:\w+ )?(?:confirmation|verification)|to be confirmed|tbc|tbd",
    ),
    "zh": (
        r"(?:我|我们|个人)(?:认为|觉得|相信|猜|想|估计|记得|推测|确信)",
        r"(?:应该|应当)(?:是|有|会|能|可以|为)",
        r"(?:大概|大约可能|可能是|或许|也许|估计是|想必|多半|差不多是)",
        rf"(?:市场|销售|产品|公关|老板|领导|同事|团队|有人|他们)(?:部|部门|团队|经理|人员)?(?:的人|都)?{_CN_SAY}",
        r"(?:据说|听说|传闻|据传|据称)",
        r"(?:众所周知|大家都知道|人人皆知|公认|业内共识|行业共识|常识)",
        r"(?:相信我|凭经验|凭记忆|凭印象|印象中|据我所知|就我所知)",
        r"(?:模型|自身|自己|本身|内部)的?(?:知识|训练|记忆)|训练数据|语言模型",
        r"(?:待|需要?|等待?)(?:进一步)?(?:确认|核实|验证)",
    ),
}
_NOT_EVIDENCE = {
    "en": re.compile(r"(?<![\w'])(?:" + "|".join(NOT_EVIDENCE["en"]) + r")(?![\w'])"),
    "zh": re.compile("|".join(NOT_EVIDENCE["zh"])),
}


def not_evidence(text: str) -> str | None:
    """The phrase that makes this no evidence, as it was written apart from case and spacing."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())
    for pattern in _NOT_EVIDENCE.values():
        match = pattern.search(plain)
        if match:
            return match.group()
    return None
