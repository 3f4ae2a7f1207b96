"""What turns a sentence without changing its numbers: bounds, negation, quantifiers, plans, opposites.

Everything is read from tables (`rules/wording.yaml`, `rules/opposites.yaml`). Two sentences are compared by `turned`,
which names both phrases when they cannot both be true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from signoff.evidence.quantities.reading import Quantity
from signoff.evidence.rules import table
from signoff.evidence.words import CLAUSE_ENDS, Word, is_chinese, stems, words

Cue = tuple[str, str, int, int]
"""Group, phrase as written, start and end."""


class _Phrases:
    """Phrases by their first word, longest first; Chinese ones and signs by one pattern."""

    def __init__(self, groups: Mapping[str, Any]) -> None:
        self.first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self.others: dict[str, str] = {}
        for group, listed in groups.items():
            for phrase in map(str, listed):
                tokens = tuple(word.lower for word in words(phrase) if not word.mark) if phrase[0].isascii() else ()
                if tokens:
                    self.first.setdefault(tokens[0], []).append((tokens, group))
                else:
                    self.others[phrase] = group
        for known in self.first.values():
            known.sort(key=lambda each: -len(each[0]))
        self.pattern = re.compile("|".join(map(re.escape, sorted(self.others, key=len, reverse=True))) or r"(?!)")

    def find(self, text: str) -> Iterator[Cue]:
        listed = words(text)
        end = -1
        for place, word in enumerate(listed):
            if word.start < end or word.lower not in self.first:
                continue
            for tokens, group in self.first[word.lower]:
                following = listed[place : place + len(tokens)]
                if tuple(each.lower for each in following) == tokens:
                    end = following[-1].start + len(following[-1].text)
                    yield group, text[word.start : end], word.start, end
                    break
        if not text.isascii() or _SIGNS.search(text):
            for found in self.pattern.finditer(text):
                yield self.others[found[0]], found[0], found.start(), found.end()


_SIGNS: Final = re.compile("[<>~]")


@cache
def _bounds() -> _Phrases:
    return _Phrases(table("wording")["bounds"])


@cache
def _quantifiers() -> _Phrases:
    return _Phrases(table("wording")["quantifiers"])


@cache
def _modality() -> _Phrases:
    return _Phrases({"planned": table("wording")["modality"][0], "other": table("wording")["others"][0]})


@lru_cache(maxsize=8192)
def bounds(text: str) -> tuple[Cue, ...]:
    return tuple(_bounds().find(text))


@lru_cache(maxsize=8192)
def quantifiers(text: str) -> tuple[Cue, ...]:
    return tuple(
        cue
        for cue in _quantifiers().find(text)
        if not _NO_QUANTIFIER.match(text, cue[2]) and not _NOT_ONLY.search(text, max(0, cue[2] - 6), cue[2])
    )


_NO_QUANTIFIER: Final = re.compile(
    r"(?:some|any) (?:about )?\d|all (?:I|you|we|he|she|they|it)\b|all (?:in all|along|over|right|but)"
    r"|all (?:of )?(?:the |my |his |her )?(?:day|time|year|night|week)\b|每一?(?:\d|[年月日天周次小分秒])|一般[的来]",
    re.IGNORECASE,
)
_NOT_ONLY: Final = re.compile(r"\b(?:not|if) $|不$|非$", re.IGNORECASE)


@lru_cache(maxsize=8192)
def modality(text: str) -> frozenset[str]:
    return frozenset(
        cue[0] for cue in _modality().find(text) if not _AS_PLANNED.search(text, max(0, cue[2] - 6), cue[2])
    )


_AS_PLANNED: Final = re.compile(r"(?:than|as) $")


@cache
def _absolutes() -> _Phrases:
    return _Phrases({"absolute": table("wording")["absolutes"][0]})


@lru_cache(maxsize=8192)
def absolutes(text: str) -> tuple[str, ...]:
    """The words of a text that allow no exception."""
    return tuple(cue[1] for cue in _absolutes().find(text) if not text.startswith(" by ", cue[3]))


_BEHIND: Final = frozenset(
    (
        "or more",
        "or higher",
        "or above",
        "or later",
        "or newer",
        "and above",
        "以上",
        "之上",
        "起",
        "以下",
        "以内",
        "之内",
        "左右",
        "maximum",
        "minimum",
        "max",
        "max.",
        "min.",
        "average",
        "typical",
        "within",
    )
)


_FLIP: Final = {"upper": "lower", "lower": "upper"}
_FLIPPED: Final = re.compile(
    r"(?:(?<!在)(?:不[得能应可会宜要允许]{0,2}|未|没有|勿)|\b(?:not?|never|cannot|without)(?: be| ever)?) ?$"
)
_ADJACENT: Final = frozenset(("over", "under", "above", "below", "within", "exceed", "exceeds", "exceeded", "起"))
_ADJACENT_GAP: Final = re.compile(
    r"\W*(?:(?:an?|the|about|around|approximately|roughly|some|its|值|为|可达|达|约|是)\W*)*"
)


def side(text: str, quantity: Quantity) -> tuple[str, str]:
    """On which side of this number the truth lies, and the phrase that says so."""
    best: tuple[int, str, str] | None = None
    for group, phrase, start, end in bounds(text):
        if group == "about":
            continue
        if end <= quantity.start:
            gap = text[end : quantity.start]
            if phrase.lower() in _ADJACENT and (
                not _ADJACENT_GAP.fullmatch(gap) or (phrase.lower() == "under" and re.match(r" an? ", gap))
            ):
                continue
            if len(gap) > 34 or re.search(r"[.;:!?。；！？]|\d|, ", gap) or (gap.count(" ") > 5):
                continue
            distance = len(gap)
        elif start >= quantity.end and phrase.lower() in _BEHIND:
            gap = text[quantity.end : start]
            if len(gap) > (2 if phrase.lower().startswith(("max", "min")) else 14) or re.search(
                r"[.,;:!?，。；！？]|\d", gap
            ):
                continue
            distance = len(gap) + 1
        else:
            continue
        if _FLIPPED.search(text, max(0, start - 12), start) and group in _FLIP:
            group, phrase = _FLIP[group], f"not {phrase}" if phrase.isascii() else f"不{phrase}"
        if best is None or distance < best[0]:
            best = distance, group, phrase
    if (
        best is None
        and re.match(r"\s?(?:\+|多|余)(?![\d-])", text[quantity.end :])
        and not text[quantity.end :].startswith("+/")
    ):
        return "lower", text[quantity.end : quantity.end + 1]
    return (best[1], best[2]) if best else ("", "")


def approximate(text: str, quantity: Quantity) -> bool:
    return any(group == "about" and 0 <= quantity.start - end <= 3 for group, _, _, end in bounds(text))


# --- change and frequency ---


_CHANGE: Final = re.compile(
    r"\b(?:ris|rose|grow|grew|fall|fell|fallen|drop|increas|decreas|reduc|declin|climb|cut|lower|rais|shrank"
    r"|shrink|improv|slip|went|gone|go|came|come)"
    r"[a-z]*\b[^.;,]{0,40}?\b(to|by)\s(?:about |around |nearly |almost |some |a |an )?$",
    re.IGNORECASE,
)
_CHANGE_HAN: Final = re.compile(
    "(?:上升|下降|提高|提升|降低|减少|增加|增长|上涨|下跌|缩短|升|降|涨|减|增|缩小|压缩)(?:(至|到|为)|(了)|)(?:约|近|近乎)?$"
)


def change(text: str, quantity: Quantity) -> str:
    """`to` if the number is what something changed to, `by` if it is how much it changed, else ""."""
    before = text[max(0, quantity.start - 70) : quantity.start]
    if found := _CHANGE.search(before):
        return found[1].lower()
    if found := _CHANGE_HAN.search(before):
        return "to" if found[1] else "by"
    return ""


_FREQUENCY: Final = {
    "second": r"per second|(?:every|each) second|每秒",
    "minute": r"per minute|(?:every|each) minute|每分钟",
    "hour": r"hourly|per hour|(?:every|each) hour|(?:every|each) full hour|每小时|每个小时|按小时",
    "day": r"daily|per day|(?:every|each) day|nightly|每天|每日|日均|按日",
    "week": r"weekly|per week|(?:every|each) week|每周|每星期|按周",
    "month": r"monthly|per month|(?:every|each) month|每月|每个月|月均|按月",
    "year": r"yearly|annual(?:ly)?|per year|per annum|(?:every|each) year|每年|年均|按年",
}
_FREQUENCIES: Final = re.compile(
    "|".join(rf"(?P<{name}>{pattern})" for name, pattern in _FREQUENCY.items()).replace("(?P<", r"(?P<"), re.IGNORECASE
)


@lru_cache(maxsize=8192)
def frequencies(text: str) -> Mapping[str, str]:
    """How often, or per which time: the period, and the words that say so."""
    found: dict[str, str] = {}
    for match in _FREQUENCIES.finditer(text):
        before, after = text[: match.start()][-1:], text[match.end() : match.end() + 6]
        if (match[0].isascii() and (before.isalpha() or after[:1].isalpha())) or after.startswith(
            (" later", " earl", " ago", " befo")
        ):
            continue
        found.setdefault(match.lastgroup or "", match[0])
    return found


# --- negation -----------------------------------------------------------------------------------------------------


@cache
def _negations() -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    wording = table("wording")
    explicit = frozenset("no" if word is False else str(word) for word in wording["negation"][0])
    soft = frozenset(str(word) for word in wording["softly_negative"][0])
    return explicit, soft, tuple(wording["softly_negative"][1]["prefixes"])


@cache
def _han_negations() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    wording = table("wording")
    strong = re.compile(
        "|".join([*sorted(map(re.escape, wording["negation_zh_strong"]), key=len, reverse=True), "[不未无没勿]"])
    )
    none = re.compile("|".join(sorted(map(re.escape, wording["no_negation_zh"]), key=len, reverse=True)))
    return strong, none, re.compile(f"[{''.join(wording['negation_zh'])}]")


@dataclass(frozen=True, slots=True)
class Negations:
    """The words that negate, each with the stems of what it negates; softer words, and bases of words like `unable`."""

    cues: tuple[tuple[str, frozenset[str]], ...]
    soft: frozenset[str]
    bases: frozenset[str]
    words: frozenset[str]
    exceptions: tuple[tuple[str, frozenset[str]], ...] = ()
    stems: frozenset[str] = frozenset()

    @property
    def in_a_word(self) -> bool:
        """Whether a word has its negation inside: undefined, non-stop, invalid."""
        return any(_NEGATIVE_WORD.match(word) for word in self.words)

    def softened(self, other: Negations) -> bool:
        """Whether a softer word that the other text does not have may stand for a negation of the other text."""
        own = {word for word in self.soft - other.words if next(iter(stems(word)), word) not in other.stems}
        return bool(own) or bool(self.bases & other.words)


_BOUND_BEHIND: Final = re.compile(
    "(?:不[得能应可会宜要]?允?许?|未|没有|勿)(?=超过|大于|小于|低于|高于|少于|多于|超出|长于|短于|早于|晚于)"
)
_NO_CUE: Final = re.compile(
    r"(?<=, )not (?:after |before |in |on |at |by |from |until )?\d|\b(?:not only|not? (?:be )?(?:more|less"
    r"|fewer|[a-z]{2,10}er) than|not (?:be )?(?:above|below|over|under)|not to exceed|not exceed(?:ing)?"
    r"|no\. ?\d|whether or not|if not|why not|no doubt|no matter|not to mention|not just|not merely"
    r"|nothing but)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def negations(text: str) -> Negations:
    cues: list[tuple[str, frozenset[str]]] = []
    soft, bases = set[str](), set[str]()
    if is_chinese(text):
        strong, none, weak = _han_negations()
        bare = _BOUND_BEHIND.sub(lambda found: "\u3000" * len(found[0]), text)
        bare = none.sub(lambda found: "\u3000" * len(found[0]), bare)
        for found in strong.finditer(bare):
            scope = re.split("[，。；！？,;]", text[found.end() : found.end() + 14])[0]
            cues.append((found[0], stems(scope)))
        soft.update(found[0] for found in weak.finditer(bare))
    spared = [(found.start(), found.end()) for found in _NO_CUE.finditer(text)]
    explicit, softly, prefixes = _negations()
    listed = words(text)
    for place, word in enumerate(listed):
        if word.mark or not word.lower[0].isascii():
            continue
        if word.lower in explicit or word.lower.endswith("n't"):
            repeated = word.lower in ("nor", "neither") and cues
            if not repeated and not any(start <= word.start < end for start, end in spared):
                cues.append((_phrase(listed, place), _scope(listed, place)))
        elif word.lower in softly:
            soft.add(word.lower)
        elif len(word.lower) > 5 and (prefix := next((each for each in prefixes if word.lower.startswith(each)), "")):
            bases.add(word.lower[len(prefix) :])
    return Negations(
        tuple(cues),
        frozenset(soft),
        frozenset(bases),
        frozenset(word.lower for word in listed),
        tuple(_exceptions(text)),
        stems(text),
    )


_EXCEPT: Final = re.compile(
    r"\b(?:except(?: for| on| in)?|excluding|apart from|other than|all but|every \w+ but|but not"
    r"|(?<=,) not)\b([^,;.:()]{2,60})"
    r"|(?:除了?)([^，。；]{1,20}?)(?:之外|以外|外)|([^，。；、,;]{1,16})除外",
    re.IGNORECASE,
)


def _exceptions(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What a text takes out of what it says."""
    for found in _EXCEPT.finditer(text):
        yield found[0], stems(found[1] or found[2] or found[3])


def _phrase(listed: tuple[Word, ...], place: int) -> str:
    return " ".join(word.text for word in listed[max(0, place - 1) : place + 2] if not word.mark)


def _scope(listed: tuple[Word, ...], place: int) -> frozenset[str]:
    """The next words that say something, up to the end of the clause."""
    scope: list[str] = []
    for word in listed[place + 1 : place + 14]:
        if word.text in CLAUSE_ENDS or (
            word.lower in ("but", "although", "though", "while", "because", "and") and len(scope) > 1
        ):
            break
        if word.stem:
            scope.append(word.stem)
        if len(scope) == 5:
            break
    return frozenset(scope)


_NEGATIVE_WORD: Final = re.compile(
    r"un(?!der|it|ti|iq|io|iv|less|cl)[a-z]{4,}|non[a-z-]|dis(?!play|tan|tri|k|cus|patch|cov|c\b|solv|til)[a-z]{4,}"
    r"|in(?:complete|correct|valid|active|accessib|sufficient|consisten|visib|definite|finite|accura|compatib"
    r"|capab|dependen)"
    r"|im(?:possib|proper|mutab)|il(?:legal|legib)|ir(?:regular|relevant|reversib)|[a-z]+less\b"
)


# --- opposites ----------------------------------------------------------------------------------------------------


@cache
def _opposites() -> tuple[
    Mapping[str, tuple[tuple[frozenset[str], frozenset[str]], ...]], tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
]:
    """For each word the sides it stands on: the words that say the same, and those that say the opposite."""
    by_stem: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for row in table("opposites")["en"]:
        left, right = (frozenset(next(iter(stems(word)), word) for word in side.split()) for side in row.split("|"))
        for here, there in ((left, right), (right, left)):
            for word in here:
                by_stem.setdefault(word, []).append((here, there))
    pairs = []
    for row in table("opposites")["zh"]:
        first, second = (re.compile("|".join(map(re.escape, side.split()))) for side in row.split("|"))
        pairs.append((first, second))
    return {word: tuple(sides) for word, sides in by_stem.items()}, tuple(pairs)


def opposed(claim: str, source: str) -> tuple[str, str] | None:
    """A word of the claim and its opposite in the source, if neither text has a word of the other side."""
    by_stem, pairs = _opposites()
    ours = {word.stem or word.lower: word.text for word in words(claim) if not word.mark}
    theirs = {word.stem or word.lower: word.text for word in words(source) if not word.mark}
    for stem, written in ours.items():
        for same, opposite in by_stem.get(stem, ()) if stem not in theirs else ():
            other = next((each for each in opposite if each in theirs), None)
            if other and same.isdisjoint(theirs) and opposite.isdisjoint(ours):
                return written, theirs[other]
    if is_chinese(claim) and is_chinese(source):
        for first, second in pairs:
            for here, there in ((first, second), (second, first)):
                said, stated = here.search(claim), there.search(source)
                if said and stated and not here.search(source) and not there.search(claim):
                    return said[0], stated[0]
    return None
