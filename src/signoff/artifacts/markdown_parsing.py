"""The parts of `markdown`: claim comments in the source, the parsers, and sentences with the words that are marked.

Before parsing, each claim comment is replaced by its number, so that a token says which comment of the source it is.

A block arrives as atoms (visible words, inline code, claim markers) and leaves as runs: one per sentence of a
paragraph or list item, one per heading or table cell. In a run's text each marker is one NUL character, which no
parsed Markdown can contain.

A semicolon ends no sentence, in English or in Chinese, so that both languages cut at the same places.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, islice
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType


@dataclass(frozen=True, slots=True)
class Marks:
    """What the markers of a text are: a comment that names something by its id.

    `leading` is a line that begins with a marker and goes on with text, which CommonMark would read as an HTML block;
    `like` finds comments that look like a marker and are not valid.
    """

    id: re.Pattern[str]
    comment: re.Pattern[str]
    leading: re.Pattern[str]
    like: re.Pattern[str]


def marks(name: str, id_: str, like: str) -> Marks:
    """The markers `<!-- name: id -->`, on one line, in any case and spacing."""
    comment = rf"<!--[ \t]*{name}[ \t]*:[ \t]*(?:{id_})[ \t]*-->"
    leading = rf"^(?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t])*+({comment})(?:[ \t]*{comment})*+[ \t]*+(?=\S)"
    return Marks(
        id=re.compile(id_, re.ASCII),
        comment=re.compile(comment, re.IGNORECASE | re.ASCII),
        leading=re.compile(leading, re.IGNORECASE | re.ASCII | re.MULTILINE),
        like=re.compile(like, re.IGNORECASE),
    )


CLAIMS = marks("claim_id", r"C-[A-Z]{2,4}-\d{3}", r"claim[\s_-]*id|\bC-[A-Z]{2,4}-\d{3}\b")
CLAIM_ID, CLAIM_COMMENT = CLAIMS.id, CLAIMS.comment
_NEWLINE = re.compile(r"\r\n?|\n")
_FRONTMATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n)*?---[ \t]*(?:\n|\Z)")
# In the copy that is parsed, claim comment number 7 is the comment "<!--￼7￼-->", or bare "￼7￼" where it leads text.
# CommonMark reads the character as a symbol, as it reads "<", so emphasis around it works the same.
SEAL = "\ufffc"
SEALED = re.compile(f"<!--{SEAL}(\\d+){SEAL}-->")
BARE = re.compile(f"{SEAL}(\\d+){SEAL}")

# Inline content without these is plain text.
MARKUP = re.compile(r"[\n\\`*_~\[\]<&]")

AtomKind = Literal["text", "literal", "code", "break", "claim"]
MARK = "\0"

_CLOSERS = r"""["'”’»)\]）】」』》〉]*"""
_HAN = r"\u3400-\u9fff\uf900-\ufaff"
# One set of characters first, so that the engine can skip to it.
_STOP = re.compile(
    rf"[.!?…。！？｡．\n](?:(?<=[.!?…])(?<![.!?…].)[.!?…]*{_CLOSERS}(?=[\s{MARK}]|$|[{_HAN}])"
    rf"|(?<=[。！？｡．])[。！？｡．]*{_CLOSERS}|(?<=\n))",
    re.DOTALL,
)
_GAP = re.compile(rf"[\s{MARK}]*")
_NEXT = re.compile(rf"""\s*+({MARK})?[\s"'“‘«(\[（【]*+([^\s{MARK}]{{0,40}})""")
_BEFORE = re.compile(rf"""[^\s{MARK}"'“‘(\[（]+$""")
_MARKS = re.compile(rf"{MARK}(?:\s*{MARK})*")
_LEADING = re.compile(rf"((?:\s*{MARK})+)([^{MARK}]*\w[^{MARK}]*)")
# Not \b before it: in Chinese, no space separates an address from the text.
_BARE_URL = re.compile(r"(?<![A-Za-z0-9_])https?://[!-~]*[A-Za-z0-9/#=&_-]")
_SPACED_MARK = re.compile(rf"\s?{MARK}")
_WORD = re.compile(r"[^\W_]")
_CAMEL = re.compile(r"[a-z]+[A-Z]")
_INITIALS = re.compile(r"(?:[a-z]\.)*[a-z]")
_IS_HAN = re.compile(rf"[{_HAN}]")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Abbreviations that never end a sentence, that do not end it before a number, and that end it only before a word
# that often begins a sentence.
_NEVER = _words("e.g i.e vs cf mr mrs ms dr prof approx ca incl excl")
_BEFORE_NUMBER = _words("no nos fig figs sec ch eq vol p pp ver v")
_SOFT = _words("inc ltd co corp jr sr al st dept est")
_STARTERS = _words("a an the this that these those it its we our you your they each every in on at for with no")


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of a block's inline content. `claim` is the index of the claim comment, for markers."""

    kind: AtomKind
    text: str
    line: int
    claim: int = -1


@dataclass(slots=True)
class Run:
    """The text of one sentence, cell or heading, a NUL for each of its markers, and the markers' claim indexes."""

    text: str
    line: int
    claims: list[int] = field(default_factory=list)

    @property
    def plain(self) -> str:
        return squeeze(_SPACED_MARK.sub("", self.text) if self.claims else self.text)

    @property
    def has_words(self) -> bool:
        return has_words(self.text)


@dataclass(frozen=True, slots=True)
class Span:
    """The words a group of markers marks, and the claim indexes of that group."""

    text: str
    claims: tuple[int, ...]


def anchor_of(heading: str) -> str:
    """The id GitHub gives to a heading, before duplicates are numbered."""
    kept = (
        char
        for char in heading.strip().lower()
        if char in " -_" or char.isalnum() or unicodedata.category(char)[0] == "M"
    )
    return "".join(kept).replace(" ", "-")


def closed_html(content: str) -> str:
    """The content without a comment that is never closed, which a browser does not show."""
    opened = content.find("<!--", content.rfind("-->") + 1)
    return content if opened < 0 else content[:opened]


def squeeze(text: str) -> str:
    """White space runs become one space; none is left at the ends."""
    return " ".join(text.split())


def without_urls(text: str) -> str:
    return _BARE_URL.sub("", text) if "://" in text else text


def has_words(text: str) -> bool:
    return _WORD.search(text) is not None


def prose(atoms: Iterable[Atom]) -> str:
    """What counts as words: no code, no markers."""
    return squeeze("".join(_without_mark(atom) for atom in atoms if atom.kind != "code"))


def shown(atoms: Iterable[Atom]) -> str:
    """What a reader sees: as `prose`, with inline code."""
    return squeeze("".join(_without_mark(atom) for atom in atoms))


def has_text(atoms: Iterable[Atom]) -> bool:
    """Whether anything is shown."""
    return any(atom.kind != "claim" and atom.text and not atom.text.isspace() for atom in atoms)


def masked(atoms: Iterable[Atom]) -> str:
    """As shown, character for character, with `x` for code and escaped characters; markers are NULs."""
    return "".join(["x" * len(atom.text) if atom.kind in ("code", "literal") else atom.text for atom in atoms])


def runs(atoms: Sequence[Atom], whole: bool) -> list[Run]:
    """The sentences of a block; a heading or table cell is one `whole` run."""
    text = "".join([atom.text for atom in atoms])
    edges = [len(text)] if whole else sentence_ends(masked(atoms))
    claims = iter([atom.claim for atom in atoms if atom.kind == "claim"])
    where = _Lines(atoms)
    found = []
    for start, end in zip([0, *edges], edges, strict=False):
        piece = text[start:end]
        first = _GAP.match(text, start, end)
        line = where.at(first.end() if first and first.end() < end else start)
        found.append(Run(piece, line, list(islice(claims, piece.count(MARK)))))
    return found


def spans(run: Run) -> Iterator[Span]:
    """The marker groups of a run, each with the words between the group before it and itself.

    Markers with no word between them are one group. A run that begins with markers is read as if they stood after
    its first words: "<marker> Six hours." marks "Six hours.".
    """
    if not run.claims:
        return
    leading = _LEADING.match(run.text)
    text = leading.expand(r"\2\1") + run.text[leading.end() :] if leading else run.text
    left = iter(run.claims)
    words, claims, begin = "", list[int](), 0
    for marks in _MARKS.finditer(text):
        between = squeeze(text[begin : marks.start()])
        begin = marks.end()
        if claims and has_words(between):
            yield Span(words, tuple(claims))
            words, claims = between.lstrip(" ,;:，、；："), []
        elif not claims:
            words = between
        claims += [next(left) for _ in range(marks.group().count(MARK))]
    if claims:
        yield Span(words, tuple(claims))


def sentence_ends(text: str) -> list[int]:
    """The end of each sentence, with the white space and markers that follow its stop."""
    ends = []
    for stop in _STOP.finditer(text):
        if _is_end(text, stop):
            gap = _GAP.match(text, stop.end())
            ends.append(gap.end() if gap else stop.end())
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return ends


def _is_end(text: str, stop: re.Match[str]) -> bool:
    mark = stop.group()
    if mark[0] not in ".!?…":
        return True
    follows = _NEXT.match(text, stop.end())
    word = follows.group(2) if follows else ""
    if not word or (follows and follows.group(1)):
        return True
    if not text[stop.end()].isspace():
        return _ends_before_han(text, stop)
    if word[0].islower() and not _CAMEL.match(word):
        return False
    return mark[0] != "." or not _is_abbreviation(text, stop.start(), word)


def _ends_before_han(text: str, stop: re.Match[str]) -> bool:
    mark = stop.group()
    return mark[0] in "!?" or (mark[0] == "." and bool(_IS_HAN.match(text, max(0, stop.start() - 1))))


def _is_abbreviation(text: str, stop: int, following: str) -> bool:
    before = _BEFORE.search(text[max(0, stop - 20) : stop])
    word = before.group().lower() if before else ""
    if word in _NEVER:
        return True
    if word in _BEFORE_NUMBER and following[0].isdigit():
        return True
    return (word in _SOFT or bool(_INITIALS.fullmatch(word))) and following.lower().rstrip(",") not in _STARTERS


def _without_mark(atom: Atom) -> str:
    return "" if atom.kind == "claim" else atom.text


class _Lines:
    """The source line of each character of a block."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        # Most blocks are one line, and lines only rise.
        several = bool(atoms) and atoms[0].line != atoms[-1].line
        self._lines = [atom.line for atom in (atoms if several else atoms[:1])]
        self._starts = [0, *accumulate(len(atom.text) for atom in atoms)] if several else [0]

    def at(self, offset: int) -> int:
        if not self._lines:
            return 0
        return self._lines[min(len(self._lines), max(1, bisect_right(self._starts, offset))) - 1]


@dataclass(frozen=True, slots=True)
class Claim:
    claim_id: str
    line: int
    start: int
    end: int


class Source:
    """The text, where its lines begin, its claim comments, and the copy of it that is parsed."""

    def __init__(self, text: str, marks: Marks = CLAIMS) -> None:
        self.text, self.marks = text, marks
        self.starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
        body = text.removeprefix("\ufeff").replace(SEAL, "\ufffd")
        if "\r" in body:
            body = _NEWLINE.sub("\n", body)
        front = _FRONTMATTER.match(body)
        skipped = front.group().count("\n") if front else 0
        self.body = "\n" * skipped + body[front.end() :] if front else body
        self.claims = [self._claim(found) for found in marks.comment.finditer(text, self.starts[skipped])]

    def _claim(self, found: re.Match[str]) -> Claim:
        claim_id = self.marks.id.search(found.group().upper())
        line = bisect_right(self.starts, found.start())
        return Claim(claim_id.group() if claim_id else "", line, found.start(), found.end())

    def leading_claims(self) -> frozenset[int]:
        leads = {found.start(1) for found in self.marks.leading.finditer(self.body)} if self.claims else set()
        if not leads:
            return frozenset()
        return frozenset(n for n, found in enumerate(self.marks.comment.finditer(self.body)) if found.start() in leads)

    def sealed(self, bare: frozenset[int]) -> str:
        """The copy to parse: same lines, each claim comment replaced by its number."""
        if not self.claims:
            return self.body
        numbers = iter(range(len(self.claims)))

        def seal(_: re.Match[str]) -> str:
            number = next(numbers)
            return f"{SEAL}{number}{SEAL}" if number in bare else f"<!--{SEAL}{number}{SEAL}-->"

        return self.marks.comment.sub(seal, self.body)

    def unsealed(self, text: str) -> str:
        """Source text again, for what was cut out of the parsed copy."""
        if SEAL not in text:
            return text
        return BARE.sub(self._comment, SEALED.sub(self._comment, text))

    def claim_body(self, number: int) -> str:
        """The text that an escaped claim comment shows between its brackets."""
        claim = self.claims[number]
        return self.text[claim.start + len("<!--") : claim.end - len("-->")]

    def _comment(self, found: re.Match[str]) -> str:
        claim = self.claims[int(found.group(1))]
        return self.text[claim.start : claim.end]


class _PositionedState(StateInline):
    """Records the position of each token in the block's content, from which its line is counted."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        token.meta["pos"] = self.pos
        return token

    def pushPending(self) -> Token:  # noqa: N802 (markdown-it's name)
        token = super().pushPending()
        token.meta["pos"] = self.pos
        return token


class _PositionedInline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _PositionedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _Markdown(MarkdownIt):
    """Keeps URLs as they were written, and links of any scheme: the link gate judges them."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 (markdown-it's name)
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 (markdown-it's name)
        return True


def _positioned(preset: Literal["commonmark", "zero"], rules: list[str]) -> MarkdownIt:
    parser = _Markdown(preset)
    parser.inline = _PositionedInline()
    return parser.configure(preset, {"html": True}).enable(rules)


@cache
def page_parser() -> MarkdownIt:
    """For the blocks of a page; the reader parses the inline content of those that have any markup.

    Without text_join an escaped character stays apart from the text around it.
    """
    return _positioned("commonmark", ["table", "strikethrough"]).disable(["inline", "text_join"])


@cache
def html_parser() -> MarkdownIt:
    """For the text inside an HTML block: tags, comments and entities, and no other markup."""
    return _positioned("zero", ["html_inline", "entity", "newline"])
