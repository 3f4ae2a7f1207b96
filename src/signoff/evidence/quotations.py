"""Quotations: do the words in quotation marks stand in the source, and does it give them to the same speaker?

`misquoted` is strict: every quotation in any marks has to stand word for word in the source, and whoever is named as
its speaker has to stand in the same piece or next to it. `altered` is what a plain claim is held to: a reworded
translation passes, but a quotation that is nearly the source's and not quite does not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from signoff.core.findings import Finding
from signoff.evidence.canonical import visible, without_markup
from signoff.evidence.documents import Document, read, unaccented
from signoff.evidence.words import HAN, is_chinese, stems

_PAIRS: Final = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    "＂": "＂",
    '"': '"',
    "〝": "〞",
    "‟": "”",
    "‘": "’",
}
MOST_IN_QUOTES: Final = 2000
"""A quotation longer than this many characters is taken for two marks that do not belong together."""
_TOKEN: Final = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:['.][^\W_\u3400-\u4dbf\u4e00-\u9fff]+)*"
)
_LEFT_OUT: Final = re.compile(r"\[[^\]]{0,80}\]|[(（](?:\.\.\.|…+)[)）]|\.\.\.+|…+")
_SAID: Final = (
    r"sa(?:id|ys)|wr(?:ote|ites)|told|tells|add(?:ed|s)|explain(?:ed|s)|recall(?:ed|s)|admit(?:ted|s)|note[ds]"
    r"|stat(?:ed|es)"
    r"|comment(?:ed|s)|call(?:ed|s)|remark(?:ed|s)|declare[ds]|according to|insist(?:ed|s)|warn(?:ed|s)"
    r"|ask(?:ed|s)|put it"
)
_SPEECH: Final = re.compile(rf"\b(?:{_SAID})\b", re.IGNORECASE)
_SPEECH_HAN: Final = re.compile(
    '(?:接受[^，。]{0,20}采访时)?(?:补充|解释|强调|坦言|介绍|回忆|感叹|告诉|写道|评价|总结)(?:道|说)?|表示|指出|认为|(?<![小据所])说(?:道)?|称(?=[:：，“"])'
)
_NAME: Final = re.compile(
    r"(?<![A-Za-zÀ-ɏ])(?<!\bat )(?<!\bof )(?<!\bfor )(?<!\bfrom )(?<!\bat the )(?<!\bof the "
    r")[A-ZÀ-Þ][A-Za-zÀ-ɏ'-]+(?: (?:de |von |van |der )?[A-ZÀ-Þ][A-Za-zÀ-ɏ'-]+)*"
)
_NO_PERSON: Final = frozenset(
    [
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "It",
        "This",
        "That",
        "He",
        "She",
        "They",
        "We",
        "Dr",
        "Mr",
        "Mrs",
        "Ms",
        "Prof",
        "Professor",
        "But",
        "And",
        "As",
        "Asked",
        "When",
        "After",
        "Before",
        "CEO",
        "Sir",
        "President",
        "Minister",
        "Director",
    ]
)


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words between two marks, and what stands before and behind them in the same sentence."""

    words: str
    before: str
    behind: str
    raw: str = ""

    @property
    def tokens(self) -> tuple[str, ...]:
        return tokens(self.words)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Words and Han characters without case, accents and punctuation: what makes two quotations the same."""
    folded = unaccented(_SHORTENED.sub(_spelled_out, text.replace("’", "'")).casefold())
    return tuple(found[0] for found in _TOKEN.finditer(folded))


_SHORTENED: Final = re.compile(r"(?<=[A-Za-z])(n't|'re|'ve|'ll|'m)(?![A-Za-z])|(?<=can)not(?![A-Za-z])", re.IGNORECASE)
_SPELLED_OUT: Final = {"n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'m": " am", "not": " not"}


def _spelled_out(found: re.Match[str]) -> str:
    return _SPELLED_OUT[found[0].lower()]


@lru_cache(maxsize=4096)
def quotations(text: str) -> tuple[Quotation, ...]:
    """The quotations of a text, the outermost if they are nested."""
    shown = without_markup(text)
    found: list[Quotation] = []
    at = 0
    while at < len(shown):
        opening = _OPENING.search(shown, at)
        if opening is None:
            break
        start = opening.end()
        end = _closing(shown, start, _PAIRS[opening[0]])
        if end < 0:
            at = start
            continue
        before = re.split(r"[。！？!?\n]|\.\s", shown[max(0, opening.start() - 120) : opening.start()])[-1]
        behind = re.split(r"[。！？!?\n]|\.(?:\s|$)", shown[end + 1 : end + 121])[0]
        found.append(Quotation(visible(shown[start:end]), visible(before), visible(behind), shown[start:end]))
        at = end + 1
    return tuple(found)


_OPENING: Final = re.compile('[“„«「『＂"〝‟]|(?<![A-Za-z0-9])‘(?=[^’\n]{12})')


def _closing(text: str, start: int, marks: str) -> int:
    ends = [place for mark in marks if (place := text.find(mark, start, start + MOST_IN_QUOTES)) >= 0]
    return min(ends) if ends else -1


# --- looking up ---------------------------------------------------------------------------------------------------


class _Transcript:
    """All words of a source in a row, with the piece that each stands in."""

    def __init__(self, source: str) -> None:
        document = read(source)
        self.spoken = [
            (f" {' '.join(each.tokens)} ", speaker) for each in quotations(source) if (speaker := speaker_of(each))
        ]
        self.pieces = [piece for piece in document.pieces if piece.kind != "column"]
        self.starts: list[int] = []
        parts: list[str] = []
        length = 1
        for piece in self.pieces:
            self.starts.append(length)
            part = "".join(f"{token} " for token in tokens(piece.text))
            parts.append(part)
            length += len(part)
        self.text = " " + "".join(parts)

    def place(self, said: tuple[str, ...]) -> int:
        """The number of the piece in which these words begin, or -1."""
        at = self.text.find(f" {' '.join(said)} ")
        return bisect_right(self.starts, at + 1) - 1 if at >= 0 else -1

    def speaker(self, quotation: Quotation) -> str:
        """Whom the source itself names as the speaker of these words."""
        said = f" {' '.join(quotation.tokens)} "
        return next((speaker for words, speaker in self.spoken if said in words), "")

    def around(self, place: int) -> str:
        """The words of a piece and of its neighbours."""
        return "".join(f" {piece.text}" for piece in self.pieces[max(0, place - 1) : place + 2])


@lru_cache(maxsize=64)
def _transcript(source: str) -> _Transcript:
    return _Transcript(source)


def _stands(quotation: Quotation, transcript: _Transcript) -> int:
    """Where the quotation begins; what is left out by an ellipsis or put in by brackets is no part of it."""
    parts = [said for part in _LEFT_OUT.split(quotation.words) if (said := tokens(part))]
    places = [transcript.place(part) for part in parts]
    return -1 if not places or min(places) < 0 else places[0]


def misquoted(text: str, source: str) -> list[Finding]:
    """What is quoted and does not stand in the source, or is given to a speaker whom the source does not name there."""
    transcript = _transcript(source)
    findings = []
    for quotation in quotations(text):
        speaker = speaker_of(quotation)
        size = len(quotation.tokens)
        if not size or (not speaker and size < (4 if is_chinese(quotation.words) else 2)):
            continue
        place = _stands(quotation, transcript)
        if place < 0:
            findings.append(_finding("quotation.altered", f"the source does not hold the words {quotation.words!r}"))
        elif speaker and not _speaks(speaker, quotation, place, transcript):
            findings.append(_not_speaking(quotation, speaker))
    return findings


def altered(claim: str, source: str) -> Iterator[Finding]:
    """A quotation of the claim that is the source's but for a few words, that is invented, or has another speaker."""
    for quotation in quotations(claim):
        least = 6 if is_chinese(quotation.words) else 4
        speaker = speaker_of(quotation)
        if len(quotation.tokens) < least and not (speaker and len(quotation.tokens) >= least // 2 + (least == 4)):
            continue
        transcript = _transcript(source)
        place = _stands(quotation, transcript)
        if place < 0 and _same_language(quotation, transcript):
            if was := _made_from(quotation, speaker, read(source)):
                yield _finding("quotation.altered", f"the claim quotes {quotation.words!r}; the source has {was}")
        elif place >= 0 and speaker and not _speaks(speaker, quotation, place, transcript):
            yield _not_speaking(quotation, speaker)


def without_verbatim(claim: str, source: str) -> str:
    """The claim without its quotations that stand in the source word for word: they need no further check."""
    if not _OPENING.search(claim):
        return claim
    text = without_markup(claim)
    for quotation in quotations(claim):
        if len(quotation.tokens) > 3 and _stands(quotation, _transcript(source)) >= 0:
            text = text.replace(quotation.raw, "…")
    return text


def _same_language(quotation: Quotation, transcript: _Transcript) -> bool:
    return (HAN.search(quotation.words) is None) == (HAN.search(transcript.text[:4000]) is None)


def _made_from(quotation: Quotation, speaker: str, document: Document) -> str:
    """The words of the source that were changed in one place; a free translation differs in several."""
    said = quotation.tokens[:200]
    for _, piece in document.likely(stems(quotation.words), 4):
        given = tokens(piece.text)[:400]
        if _changed_once(said, given):
            return repr(piece.text)
    if is_chinese(quotation.words) or (speaker and _unheard(quotation, document)):
        return "no such words"
    return ""


def _changed_once(said: tuple[str, ...], given: tuple[str, ...]) -> bool:
    blocks = [block for block in SequenceMatcher(None, said, given, autojunk=False).get_matching_blocks() if block.size]
    if not blocks or len(blocks) > 2 or sum(block.size for block in blocks) * 2 < len(said):
        return False
    first, last = blocks[0], blocks[-1]
    if len(blocks) == 2:
        ours, theirs = said[first.a + first.size : last.a], given[first.b + first.size : last.b]
        edges = first.a == 0 and last.a + last.size == len(said)
    else:
        start, end = first.a, len(said) - first.a - first.size
        ours = said[:start] if start else said[len(said) - end :]
        theirs = given[max(0, first.b - start) : first.b] if start else given[first.b + first.size :][: max(1, end)]
        edges = not (start and end)
    return edges and len(theirs) <= 3 and len(ours) <= 3 and any(map(_telling, ours)) and any(map(_telling, theirs))


def _telling(token: str) -> bool:
    return token not in _FUNCTION


_LITTLE_WORDS: Final = (
    "a an the of to for and or in on at by with is are was were be been am that this these those it its as from we they"
    " i you he she very also so too just quite really then there has have had do does did will would"
)
_FUNCTION: Final = frozenset(_LITTLE_WORDS.split())


def _unheard(quotation: Quotation, document: Document) -> bool:
    said = stems(quotation.words)
    return bool(said) and len(said & document.all_stems) * 5 < 2 * len(said)


# --- speakers -----------------------------------------------------------------------------------------------------


def speaker_of(quotation: Quotation) -> str:
    """Who is named as the speaker, before or behind the quotation; "" if it is nobody."""
    if is_chinese(quotation.before + quotation.behind):
        return _speaker_han(quotation)
    behind = _SPEECH.search(quotation.behind)
    if behind:
        names = [*_people(quotation.behind[behind.end() :]), *_people(quotation.behind[: behind.start()])]
        return names[0] if names else ""
    spoken = list(_SPEECH.finditer(quotation.before))
    if not spoken:
        return ""
    last = spoken[-1]
    names = _people(
        quotation.before[last.end() :] if last[0].lower() == "according to" else quotation.before[: last.start()]
    )
    return names[0] if names else ""


def _people(text: str) -> list[str]:
    text = _AFFILIATION.sub(" ", text)
    return [name for found in _NAME.finditer(text) if (name := _person(found[0]))]


_AFFILIATION: Final = re.compile(r"\b(?:at|of|for|from|in)(?: the)?(?: [A-ZÀ-Þ][A-Za-zÀ-ɏ&'-]*)+")


def _person(name: str) -> str:
    words = [word for word in name.removesuffix("'s").split() if word not in _NO_PERSON]
    return " ".join(words)


_PRONOUNS: Final = frozenset(["他", "她", "他们", "她们", "我", "我们", "其", "记者", "报告", "该"])
_ASIDE: Final = re.compile("(?:在|于|接受|对|向|当)[^，。]*$|(?:近日|日前|昨日|当时|随后|曾|也|还|则|都|又)+$")


def _speaker_han(quotation: Quotation) -> str:
    for text in (quotation.before, quotation.behind):
        said = _SPEECH_HAN.search(text)
        if said is None:
            continue
        subject = re.split('[，。；：！？、,;:!?"]', text[: said.start()])[-1]
        subject = _ASIDE.sub("", subject).strip()
        if HAN.search(subject) and subject not in _PRONOUNS:
            return subject
    return ""


def _speaks(speaker: str, quotation: Quotation, place: int, transcript: _Transcript) -> bool:
    near = transcript.speaker(quotation) or transcript.around(place)
    if HAN.search(speaker):
        return (
            HAN.search(near) is None
            or speaker in near
            or speaker[-3:] in near
            or (len(speaker) < 3 and speaker[-2:] in near)
        )
    known = frozenset(tokens(near))
    words = tokens(speaker)
    return not words or (
        (words[-1] in known or words[0] in known) and all(f" {word} " in transcript.text for word in words)
    )


def _not_speaking(quotation: Quotation, speaker: str) -> Finding:
    return _finding("quotation.speaker", f"the source does not give {quotation.words!r} to {speaker!r}")


def _finding(rule: str, problem: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair="quote the source word for word, with the speaker that it names")
