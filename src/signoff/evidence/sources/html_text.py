"""HTML as a reader sees it: without what is hidden, in lines that stay where they are, or in pieces with their context.

Hidden is what says so in the page itself: comments, `hidden`, inline styles and the page's own simple style rules. What
a style sheet of another file hides cannot be known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from typing import Final

from signoff.evidence.documents import Document, Piece, Table, read

# No pattern here looks far past the next bracket, so a hostile page takes no longer than its length.
_TAG: Final = re.compile(
    r"<(/?)([A-Za-z][A-Za-z0-9-]*)((?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}')*+)>"
    r"|<(/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>|<!--"
)
_ATTRIBUTE: Final = re.compile(r"([a-zA-Z-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))|([a-zA-Z-]+)")
_INVISIBLE: Final = frozenset(
    [
        "script",
        "style",
        "template",
        "title",
        "noscript",
        "del",
        "s",
        "strike",
        "noframes",
        "noembed",
        "textarea",
        "datalist",
        "object",
        "iframe",
    ]
)
_RAW: Final = frozenset(("script", "style", "title", "textarea", "noscript", "iframe", "noframes", "noembed"))
_VOID: Final = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_INLINE: Final = frozenset(
    ("a", "abbr", "b", "cite", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "u", "wbr")
)
_CELLS: Final = frozenset(("td", "th", "li", "dt", "dd"))
_CLOSES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(["p", "div", "ul", "ol", "dl", "table", "section", "article", "h1", "h2", "h3", "h4",
                     "h5", "h6", "pre", "blockquote"], frozenset({"p"})),
    "li": frozenset({"li", "p"}), "td": frozenset({"td", "th"}), "th": frozenset({"td", "th"}),
    "tr": frozenset({"tr", "td", "th"}), "dt": frozenset({"dt", "dd"}), "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option"}),
}  # fmt: skip
_UNSEEN: Final = re.compile(
    r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|font-size\s*:\s*(?:0|[01]?\.\d+p[xt]|0?\.[01]\d*\w*|1p[xt])(?:px|pt|em|rem|%)?\s*(?:[;!}]|$)"
    r"|opacity\s*:\s*0?\.?0*(?:%)?\s*(?:[;!}]|$)|(?:left|top|right|bottom|text-indent|margin-left|margin-top)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01]|clip-path\s*:\s*inset\(\s*(?:50|100)%|color\s*:\s*transparent"
    r"|transform\s*:\s*(?:scale\(\s*0\s*\)|translate[XY]?\(\s*-\d{4,})|content-visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_COLOUR: Final = re.compile(
    r"(?:^|[;{\s])(background(?:-color)?|color)\s*:\s*(#\w{3,8}|rgba?\([\d\s,.%/]+\)|[a-z]+)", re.IGNORECASE
)
_RULE: Final = re.compile(r"([^{}]{1,300})\{([^{}]{0,3000})\}")
_SELECTOR: Final = re.compile(r"\s*([.#]?)([\w-]+)\s*")
_NAMES: Final = {"white": (255, 255, 255), "snow": (255, 250, 250), "ivory": (255, 255, 240), "black": (0, 0, 0)}
_PAPER: Final = (255, 255, 255)
Rgb = tuple[int, int, int]


@dataclass(slots=True)
class _Open:
    name: str
    hidden: bool
    colour: Rgb | None
    background: tuple[int, ...]


def without_hidden(html: str) -> str:
    """The page without comments and hidden elements; lines stay where they are."""
    rules = _hiding_rules(html)
    parts: list[str] = []
    stack: list[_Open] = []
    at, lower = 0, html.lower()

    def hidden() -> bool:
        return bool(stack) and stack[-1].hidden

    def put(text: str) -> None:
        parts.append("\n" * text.count("\n") if hidden() else text)

    while found := _TAG.search(html, at):
        put(html[at : found.start()])
        at = found.end()
        name = (found[2] or found[5] or "").lower()
        if not name:
            end = html.find("-->", at)
            at = len(html) if end < 0 else end + 3
            parts.append("\n" * html.count("\n", found.start(), at))
        elif found[1] or found[4]:
            was = hidden()
            parts.append(_ends(_close(stack, name)))
            parts.append("\n" * found[0].count("\n") if was else found[0])
        elif name in _RAW:
            end = lower.find(f"</{name}", at)
            end = len(html) if end < 0 else end
            parts.append("\n" * html.count("\n", found.start(), end))
            at = end
        else:
            parts.append(_ends(_implied(stack, name)))
            opened = _opened(name, found[3] or found[6] or "", stack, rules)
            parts.append("\n" * found[0].count("\n") if opened.hidden else found[0])
            if name not in _VOID:
                stack.append(opened)
    put(html[at:])
    return "".join(parts)


def _close(stack: list[_Open], name: str) -> list[_Open]:
    """Takes the element off the stack, and gives the elements in it that had no end of their own."""
    for place in range(len(stack) - 1, max(-1, len(stack) - 200), -1):
        if stack[place].name == name:
            inner = stack[place + 1 :]
            del stack[place:]
            return inner
    return []


def _implied(stack: list[_Open], name: str) -> list[_Open]:
    """Takes off the stack what the beginning of this element ends."""
    ended = []
    while stack and stack[-1].name in _CLOSES.get(name, ()):
        ended.append(stack.pop())
    return ended


def _ends(left: list[_Open]) -> str:
    """The end tags that were left out, of cells and items: the reader of tables wants them."""
    return "".join(f"</{each.name}>" for each in left if each.name in _CELLS and not each.hidden)


def _opened(name: str, written: str, stack: list[_Open], rules: frozenset[str]) -> _Open:
    above = stack[-1] if stack else _Open("", hidden=False, colour=None, background=_PAPER)
    if not written.strip() and name not in rules:
        return _Open(name, above.hidden or name in _INVISIBLE, above.colour, above.background)
    given = {
        (found[1] or found[5]).lower(): unescape(found[2] or found[3] or found[4] or "")
        for found in _ATTRIBUTE.finditer(written)
    }
    style = re.sub(r"/\*.*?\*/", "", given.get("style", ""))
    named = {name, *(f".{each}" for each in given.get("class", "").split()), f"#{given.get('id', '')}"}
    colours = {kind.lower()[:5]: _rgb(value) for kind, value in _COLOUR.findall(style)}
    colour = colours.get("color", _rgb(given["color"]) if name == "font" and "color" in given else above.colour)
    painted = _rgb(given["bgcolor"]) if "bgcolor" in given else above.background
    back = colours.get("backg", painted) or ()
    same = colour is not None and _alike(colour, back)
    says_so = "hidden" in given or name in _INVISIBLE or bool(_UNSEEN.search(style)) or bool(named & rules)
    hidden = above.hidden or says_so
    return _Open(name, hidden or same, colour, back)


def _alike(one: Rgb, other: tuple[int, ...]) -> bool:
    return len(other) == 3 and all(abs(a - b) < 26 for a, b in zip(one, other, strict=True))


def _rgb(written: str) -> Rgb | None:
    written = written.strip().lower()
    if found := re.fullmatch(r"#([0-9a-f]{3}|[0-9a-f]{6})", written):
        digits = found[1] if len(found[1]) == 6 else "".join(each * 2 for each in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if found := re.fullmatch(r"rgba?\((\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3}).*", written):
        return int(found[1]), int(found[2]), int(found[3])
    return _NAMES.get(written)


def _hiding_rules(html: str) -> frozenset[str]:
    """The tags, classes and ids that the page's own style rules hide whatever stands around them."""
    found: set[str] = set()
    for block in re.finditer(r"<style\b[^<>]*>([^<]*)", html, re.IGNORECASE):
        css = re.sub(r"/\*[^*]*(?:\*(?!/)[^*]*)*\*/", "", block[1])
        if "@media" in css:
            css = re.sub(r"@media[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", css)
        for rule in _RULE.finditer(css):
            if _UNSEEN.search(rule[2]):
                for selector in rule[1].split(","):
                    if one := _SELECTOR.fullmatch(selector):
                        found.add(one[1] + (one[2] if one[1] else one[2].lower()))
    return frozenset(found)


# --- lines and headings ---------------------------------------------------------------------------------------------


def flat(seen: str) -> str:
    """The text of a page without hidden parts. Words stay whole across inline tags and end at all others."""

    def blank(found: re.Match[str]) -> str:
        name = (found[2] or found[5] or "").lower()
        return "\n" * found.group().count("\n") or ("" if name in _INLINE else " ")

    return unescape(_TAG.sub(blank, seen))


_ID: Final = re.compile(r"\bid\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)


def headings(seen: str) -> Iterator[tuple[int, str, int, str]]:
    """Level, text, line and anchor of each heading of a page without hidden parts."""
    opened: re.Match[str] | None = None
    line, counted = 1, 0
    for found in _TAG.finditer(seen):
        name = (found[2] or found[5] or "").lower()
        if not re.fullmatch(r"h[1-6]", name):
            continue
        if (found[1] or found[4]) and opened and (opened[2] or opened[5]).lower() == name:
            line, counted = line + seen.count("\n", counted, opened.start()), opened.start()
            anchor = _ID.search(opened[3] or opened[6] or "")
            text = " ".join(flat(seen[opened.end() : found.start()]).split())
            yield int(name[1]), text, line, anchor[1] if anchor else ""
        opened = None if found[1] or found[4] else found


# --- pieces ---------------------------------------------------------------------------------------------------------

_LISTED: Final = ("table", "ul", "ol", "dl")
_MARKDOWN: Final = re.compile(r"[\\`*_~|\[\]]|^\s*(?:[#>+=-]|\d+[.)])", re.MULTILINE)


def document(seen: str) -> Document:
    """The pieces of a page without hidden parts: headings over sentences, items and the rows of tables."""
    text, lines = _outline(seen)
    pieces: list[Piece] = []
    tables: dict[int, Table] = {}
    for piece in read(text).pieces:
        moved = replace(piece, line=lines[min(piece.line, len(lines)) - 1])
        if piece.table:
            moved.table = tables.setdefault(id(piece.table), Table())
            if moved.kind == "row":
                moved.table.rows.append(moved)
        pieces.append(moved)
    return Document(pieces)


def _outline(seen: str) -> tuple[str, list[int]]:
    """The page with Markdown headings and paragraphs between its tables and lists, and where each line was."""
    out: list[str] = []
    lines: list[int] = []
    line, at, depth, level = 1, 0, 0, 0
    paragraph: list[str] = []
    first = 1

    def put(text: str, start: int) -> None:
        for place, each in enumerate(text.split("\n")):
            out.append(each)
            lines.append(start + place)

    def flush() -> None:
        text = " ".join(unescape("".join(paragraph)).split())
        if text:
            put("#" * level + " " * bool(level) + _MARKDOWN.sub(lambda mark: f"\\{mark[0]}", text), first)
            put("", first)
        paragraph.clear()

    start = 0
    for found in _TAG.finditer(seen):
        name, closing = (found[2] or found[5] or "").lower(), bool(found[1] or found[4])
        if not depth:
            text = seen[at : found.start()]
            if text.strip() and not "".join(paragraph).strip():
                first = line + text[: len(text) - len(text.lstrip())].count("\n")
            paragraph.append(text)
        line += seen.count("\n", at, found.end())
        at = found.end()
        if name in _LISTED:
            if not closing and not depth:
                flush()
                start = found.start()
            depth = max(0, depth + (-1 if closing else 1))
            if closing and not depth and start >= 0:
                put(seen[start:at], line - seen.count("\n", start, at))
                put("", line)
                start = -1
        elif not depth and name not in _INLINE:
            flush()
            level = int(name[1]) if re.fullmatch(r"h[1-6]", name) and not closing else 0
    paragraph.append(seen[start:] if depth and start >= 0 else seen[at:])
    if depth:
        paragraph[:] = [flat("".join(paragraph))]
    flush()
    return "\n".join(out) or "", lines or [1]
