"""Pages from outside: what a reader sees of a document, and the Markdown file that a run keeps of it.

A page is a title and a text. Its file says where it came from in its first lines (`url`, `title`), then has the text as
it was read: that is where quotes are looked for.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from signoff.artifacts import frontmatter, yamlio
from signoff.artifacts.text_decoding import decode
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.refs import digest
from signoff.evidence.sources.files import Source, parse_source

SUFFIXES: Final = frozenset({".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xhtml", ".pdf"})
"""The files that can be read as pages."""

LONGEST: Final = 200
TOP: Final = 10_000
"""In so many characters a page says its title, or nowhere: what is above the title has to be parsed for it."""
_HTML: Final = frozenset({".html", ".htm", ".xhtml"})
_TITLE: Final = re.compile(r"<title(?:\s[^<>]*)?>([^<]*)", re.IGNORECASE)
_DECLARED: Final = re.compile(rb"<meta[^<>]*charset\s*=\s*[\"']?([A-Za-z0-9_:-]{2,40})", re.IGNORECASE)
_WIDER: Final = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin-1": "cp1252"}
"""What pages are really in that say these: the wider set has every character of the narrower one."""
_NO_CHARSETS: Final = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"})
_MARKED: Final = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
_BLANK: Final = re.compile(r"\n{3,}")
_SPACES: Final = re.compile(r"[ \t\r\f\v\xa0]+")
_NAME: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """What a reader sees of a page, and where it came from."""

    url: str
    title: str
    text: str


# --- reading --------------------------------------------------------------------------------------------------------


def readable(path: str) -> bool:
    """Whether a file of this name can be read as a page."""
    return _ending(path) in SUFFIXES


def _ending(path: str) -> str:
    name, dot, ending = path.rpartition("/")[2].rpartition(".")
    return f"{dot}{ending}".lower() if name else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(_ending(path))


def read(data: bytes, path: str, url: str = "", charset: str = "", *, lenient: bool = False) -> PageText:
    """The page in these bytes, by the ending of `path`; a DocumentError says why it cannot be read.

    `charset` is what came with it. A lenient reader puts a mark where a byte means nothing, as browsers do.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if _ending(path) != ".pdf" and not data.startswith(b"%PDF-"):
        data = _as_utf8(data, path, charset, lenient=lenient)
    source = parse_source(data, path)
    text = _tidy(_pdf_text(source) if source.kind == "pdf" else source.body, keep=source.kind == "markdown")
    if not text:
        raise _unreadable(path, "there is no text in it", "quote another source, or run text recognition on it")
    return PageText(url or path, _line(_title(source, text)) or url or _stem(path), text)


def _as_utf8(data: bytes, path: str, charset: str, *, lenient: bool) -> bytes:
    html = _ending(path) in _HTML
    declared = _DECLARED.search(data[:2048]) if html and not charset else None
    named = (charset or (declared[1].decode("ascii") if declared else "")).strip("\"' ").lower()
    if not named and not lenient:
        return decode(data, path).encode()
    try:
        text = data.decode(_charset(named), errors="replace")
    except (LookupError, UnicodeError):
        text = data.decode("utf-8", errors="replace")
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")


def _charset(named: str) -> str:
    """The charset to read by; what only programs write is none of a page. Raises LookupError."""
    found = codecs.lookup(_WIDER.get(named, named or "utf-8")).name
    return "utf-8" if found in _NO_CHARSETS else found


def _pdf_text(source: Source) -> str:
    return "\n\n".join(page.strip() for page in source.pages if page.strip())


def _tidy(text: str, *, keep: bool) -> str:
    """The text without what only the layout needed; the spaces of Markdown mean something and stay."""
    said = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    lines = said.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = (line.rstrip() if keep else _SPACES.sub(" ", line).strip() for line in lines)
    return _BLANK.sub("\n\n", "\n".join(shown)).strip("\n")


def _title(source: Source, text: str) -> str:
    if source.kind == "html" and (found := _TITLE.search(source.text)) and found[1].strip():
        from html import unescape

        return unescape(found[1])
    named = source.meta.get("title")
    if isinstance(named, str) and named.strip():
        return named
    if source.kind == "markdown":
        return _first_heading(text)
    return next(iter(source.sections), "") if source.kind == "html" else text.split("\n", 1)[0]


def _first_heading(text: str) -> str:
    """The first heading with a mark; no more is parsed for it than is above it."""
    from signoff.artifacts import markdown

    marked = _MARKED.search(text, 0, TOP)
    headings = markdown.parse(text[: marked.end()]).headings if marked else ()
    return headings[0].text if headings else ""


def _line(text: str) -> str:
    words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _unreadable(path: str, problem: str, repair: str) -> DocumentError:
    return DocumentError([Finding(rule="page.empty", problem=problem, repair=repair, file=path)])


# --- the file of a page ---------------------------------------------------------------------------------------------


def render(page: PageText) -> str:
    """The page as a run keeps it."""
    head = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in _head(page))
    return f"---\n{head}\n---\n\n{page.text}\n"


def _head(page: PageText) -> tuple[tuple[str, str], ...]:
    return ("url", page.url), ("title", page.title)


def parse_page(data: bytes, path: str) -> PageText:
    """The page that `render` made of it, or that a person edited since."""
    head, text = frontmatter.split(decode(data, path), path, "page")
    fields = yamlio.load_mapping(head, path)
    url, title = fields.get("url"), fields.get("title", "")
    if not isinstance(url, str) or not isinstance(title, str):
        problem, repair = f"url is {url!r} and title is {title!r}", "write both as text between the lines `---`"
        raise DocumentError([Finding(rule="page", problem=problem, repair=repair, file=path, line=1)])
    return PageText(url, title, text.removesuffix("\n"))


def same_page(url: str) -> str:
    """The address without its fragment, host in small letters: what two spellings of one page have in common."""
    try:
        parts = urlsplit(url)
    except ValueError:  # it is no address, and nobody fetches it
        return url
    plain = parts._replace(fragment="")
    return (plain._replace(netloc=plain.netloc.lower()) if plain.netloc else plain).geturl()


def place(into: str, url: str) -> str:
    """Where the page of an address goes: a name that a person can read, and that no other address has."""
    plain = same_page(url)
    name = _NAME.sub("-", plain.removeprefix("https://").removeprefix("http://")).strip("-_").lower()
    return f"{into}{name[:50].strip('-_') or 'page'}-{digest(plain)[:8]}.md"
