"""What two texts have in common: content words, in English and in Chinese, and sentences to take them from.

English words are folded to a stem by cutting common endings; Chinese has no spaces, so every two neighbouring
characters count as a word. Both are rough. They are good enough to see that two questions are about one thing, and the
same text always gives the same words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import Final

from signoff.artifacts.markdown_parsing import sentence_ends

HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:['’-][^\W_]+)*")
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What no output may hold: control characters, odd line ends, and marks that turn text around."""
_MARKUP: Final = re.compile(
    r"\*\*|__|`|~~|<!--[^>]{0,500}-->|<[/a-zA-Z][^<>]{0,200}>|!?\[(?=[^\]\n]{1,300}\]\()|\]\([^)\s]{0,500}\)"
)
_SAYS_LITTLE: Final = (
    "a about after all also am an and any are as at be because been before being both but by can could did do does done"
    " each either every for from get gets give given had handled has have he her his how i if in into is it its"
    " just like made make makes many may me might more most much must my no nor not of off often on once one only or"
    " other our out over own same she should since so some sometimes still such than that the their them then there"
    " these they thing this those to today too two under until up us use used usual usually very was way we well were"
    " what when where whether which while who whom whose why will with within without would yes yet you your never"
    " always none nothing nobody everybody somebody everything anything something unclear decided undecided currently"
    " now new"
)
_STOP: Final = frozenset(_SAYS_LITTLE.split())
_SAYS_LITTLE_HAN: Final = (
    "的 了 是 在 和 与 或 及 也 都 就 还是 如何 怎么 怎样 什么 哪些 哪个 是否 应该 应当 应 我们 他们 它们 不 没有 一个"
    " 可以 需要 以及 目前 现在 待定 不明确 取决于 处理 时 吗 呢 由 按 为"
)
_HAN_GAP: Final = re.compile("|".join(sorted(_SAYS_LITTLE_HAN.split(), key=len, reverse=True)))
_ENDINGS: Final = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ies",
    "ied",
    "ments",
    "ment",
    "ers",
    "ed",
    "es",
    "er",
    "ly",
    "s",
    "e",
)


def folded(text: str) -> str:
    """The text on one line: white space folded, control characters gone."""
    return " ".join(CONTROL.sub(" ", text).split())


def plain(text: str) -> str:
    """The text without the Markdown that only shapes it, on one line."""
    return folded(_MARKUP.sub("", text))


def is_chinese(*texts: str) -> bool:
    """Whether a reader would call it Chinese: Han characters in at least one of the texts."""
    return any(HAN.search(text) for text in texts)


def clipped(text: str, most: int) -> str:
    """At most so many characters, cut at a space where there is one, with an ellipsis when something is missing."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    at = cut.rfind(" ")
    return cut[: at if at > most // 2 else None].rstrip(" ,;:，；：、") + "…"


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, each with its stop."""
    found, start = list[str](), 0
    for end in sentence_ends(text):
        found.append(text[start:end].strip())
        start = end
    return [sentence for sentence in found if sentence]


def joined(parts: Iterable[str]) -> str:
    """Sentences in a row: with a space between them, except behind a Chinese stop."""
    text = ""
    for part in parts:
        text += part if not text or not part or text[-1] in "。？！；：” " else f" {part}"
    return text


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The word without a common ending: rough, and the same for `stage`, `stages` and `staging`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            return base + "y" if ending in ("ies", "ied") else _undoubled(base, ending)
    return word


def _undoubled(base: str, ending: str) -> str:
    doubled = ending in ("ing", "ed", "ings") and base[-1] == base[-2] and base[-1] not in "lse"
    return base[:-1] if doubled else base


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The content words of a text: stems, and pairs of Han characters."""
    found = set[str]()
    for word in _WORD.findall(text.casefold()):
        if HAN.match(word):
            found |= _pairs(word)
        elif word not in _STOP and (len(word) > 1 or word.isdigit()):
            found |= {stem(part) for part in word.split("-") if part and part not in _STOP}
    return frozenset(found)


def _pairs(run: str) -> set[str]:
    parts = [part for part in _HAN_GAP.split(run) if part]
    return {part[at : at + 2] for part in parts for at in range(max(1, len(part) - 1))}


def weights(documents: Sequence[Collection[str]]) -> Mapping[str, float]:
    """How telling each word is: what stands in every document says little."""
    counts = dict[str, int]()
    for document in documents:
        for word in document:
            counts[word] = counts.get(word, 0) + 1
    return {word: log(1 + len(documents) / count) for word, count in counts.items()}


def overlap(a: Collection[str], b: Collection[str], weight: Mapping[str, float]) -> float:
    """How much of the smaller text is in the other, by weight; 0 where one of them is empty."""
    sizes = [sum(weight.get(word, 1.0) for word in words) for words in (a, b)]
    shared = sum(weight.get(word, 1.0) for word in sorted(set(a) & set(b)))
    return shared / min(sizes) if min(sizes) > 0 else 0.0


def covered(a: str, b: str) -> float:
    """How much of the first text is in the second, from 0 to 1."""
    words = content(a)
    return len(words & content(b)) / len(words) if words else 0.0


def alike(a: str, b: str) -> float:
    """How much two short texts share, from 0 to 1; equal texts are 1 even when they have no content words."""
    if folded(a).casefold() == folded(b).casefold():
        return 1.0
    left, right = content(a), content(b)
    return len(left & right) / len(left | right) if left | right else 0.0
