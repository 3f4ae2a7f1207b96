"""The alternatives that a sentence names itself: `per month, per order or per item`, 按月、按单还是按件.

The last alternative stands behind `or`, the others before it, with commas between them. The first one has the rest of
the sentence before it; where it begins is seen by a word that the alternatives share (per … per …), by either, whether
or a colon, or by how a question begins. Where none of this tells, nothing is named: wrong choices are worse than none.
"""

from __future__ import annotations

import re
from typing import Final

from signoff.workflows.wording import clipped

MOST: Final = 4
LINE: Final = 160

_STOP: Final = re.compile(r"[;?!)）]|\.(?=\s|$)")
_LISTS: Final = re.compile(r"[:：—–(（]\s*")
_OR: Final = re.compile(r",?\s+or\s+(?!not\b(?! at all)|else\b|so\b|more\b|less\b)(?:only\s+)?", re.IGNORECASE)
_COMMA: Final = re.compile(r",\s+")
_ONE_OF_TWO: Final = re.compile(r"\b(?:either|whether|between)\b\s+(?!or\b)", re.IGNORECASE)
_ASKING: Final = r"which|what|who|whose|whom|when|where|why|how"
_ASKS_FOR: Final = re.compile(
    rf"(?:and |but |so )?(?:(?:by|at|from|in|on|to|for|of|with) )?(?:{_ASKING})\b", re.IGNORECASE
)
_HELPS: Final = r"is|are|was|were|do|does|did|should|shall|can|could|may|must|will|would|has|have"
_HELPED: Final = re.compile(rf"(?:and |but |so )?(?:{_HELPS})\b\s*", re.IGNORECASE)
_SOMEBODY: Final = re.compile(r"(?:we|they|you|i|it|he|she|one|this|that|these|those)\b\s*", re.IGNORECASE)
_NAME: Final = r"(?:the )?[A-Z][\w.+#-]*(?: (?:[A-Z][\w.+#-]*|\d[\d.]*))*"
_NAMES: Final = re.compile(rf"(?<![\w.])({_NAME})((?:, (?:{_NAME}|\d[\d.]*))*),? or ({_NAME}|\d[\d.]*)")
_ASKING_WORD: Final = re.compile(
    rf"(?:{_ASKING}|{_HELPS}|either|whether|it|if|for|in|on|at|by|and|but)\b ?", re.IGNORECASE
)
_LEADING: Final = (
    "a an the at by from on per with in for to once when after before as if only during until under because via"
)
_BEGINS: Final = frozenset(_LEADING.split())
_ARTICLES: Final = frozenset({"a", "an", "the"})


def alternatives(sentence: str) -> tuple[str, ...]:
    """The alternatives that a sentence names itself, at most four; none when it names fewer than two."""
    han = _han(sentence)
    if han:
        return _choices(han)
    asks = re.search(r"[?？]", sentence) is not None
    for clause in _STOP.split(sentence):
        if _OR.search(clause):
            found = _choices(_listed(clause.strip(), asks=asks))
            if found:
                return found
    return ()


def _choices(parts: list[str]) -> tuple[str, ...]:
    tidied = [clipped(part.strip(" ,;:.?？\"'“”‘’"), LINE) for part in parts]
    different = list(dict.fromkeys(part[:1].upper() + part[1:] for part in tidied if part))
    return tuple(different[:MOST]) if len(different) > 1 else ()


# --- English ----------------------------------------------------------------------------------------------------------


def _listed(clause: str, *, asks: bool) -> list[str]:
    """The alternatives of a clause that has an `or`."""
    lead = next((found for found in _LISTS.finditer(clause) if _OR.search(clause, found.end())), None)
    clause = clause[lead.end() :] if lead else clause
    marks = list(_ONE_OF_TWO.finditer(clause, 0, _last_or(clause)))
    if marks:
        return _parallel(_split(clause[marks[-1].end() :]))
    parts = _split(clause)
    shared = _parallel(parts)
    if shared != parts or (lead and not _HELPED.match(clause)):
        return _without_question(shared)
    if not asks:
        return _named(clause)
    return _behind_question(parts) or _named(clause) or _answers(parts)


def _last_or(clause: str) -> int:
    return max((found.start() for found in _OR.finditer(clause)), default=0)


def _split(clause: str) -> list[str]:
    """The parts between commas and `or`; a comma behind the last `or` ends the list."""
    *first, last = _OR.split(clause)
    return [*(part for piece in first for part in _COMMA.split(piece)), _COMMA.split(last)[0]]


def _parallel(parts: list[str]) -> list[str]:
    """The parts from where the first one begins like the others: `the fee is due per month` beside `per order`."""
    if len(parts) < 2:
        return parts
    word = parts[-1].split(" ")[0].casefold()
    if word not in _BEGINS:
        return parts
    at = next((at for at in range(len(parts) - 1, -1, -1) if not _begins(parts[at], word)), None)
    if at is None:
        return parts
    found = list(re.finditer(rf"\b{word}\b\s+(?!(?:{_ASKING}|{_HELPS})\b)(?=\S)", parts[at], re.IGNORECASE))
    asks_for = word in _ARTICLES and _ASKS_FOR.match(parts[at])
    if found and not asks_for:
        return [parts[at][found[-1].start() :], *parts[at + 1 :]]
    return parts[at + 1 :] if len(parts) - at > 2 else parts


def _begins(part: str, word: str) -> bool:
    return part.split(" ")[0].casefold() == word


def _without_question(parts: list[str]) -> list[str]:
    """`When does it begin, when …`: what only asks is no alternative."""
    alike = len({part.split(" ")[0].casefold() for part in parts}) == 1
    return parts[1:] if len(parts) > 2 and not alike and _ASKS_FOR.match(parts[0]) else parts


def _behind_question(parts: list[str]) -> list[str]:
    """`Which system is right, WMS or ERP`; `If it is late, do we refund it or send it again`."""
    if len(parts) < 3:
        return []
    helped = next((at for at, part in enumerate(parts[1:], 1) if _HELPED.match(part)), 0)
    if helped:
        rest = parts[helped:]
        return _answers(rest) if len(rest) > 1 else []
    return parts[1:] if _ASKS_FOR.match(parts[0]) else []


def _named(clause: str) -> list[str]:
    """Names that stand side by side: `WMS or ERP`, `Python 3.10, 3.11 or PyPy`."""
    found = _NAMES.search(clause)
    if not found:
        return []
    first = found[1]
    while _ASKING_WORD.match(first):
        first = _ASKING_WORD.sub("", first, count=1)
    return [first, *_COMMA.split(found[2])[1:], found[3]] if first else []


def _answers(parts: list[str]) -> list[str]:
    """What a question that wants yes or no names: `Should B goods be sold as refurbished or scrapped`."""
    lead = _HELPED.match(parts[0])
    if not lead or len(parts) < 2:
        return []
    rest = parts[0][lead.end() :]
    somebody = _SOMEBODY.match(rest)
    if somebody:
        return [rest[somebody.end() :], *parts[1:]]
    words = rest.split()
    count = min(len(parts[1].split()), len(words) - 1)
    return [" ".join(words[-count:]), *parts[1:]] if count > 0 else []


# --- Chinese ----------------------------------------------------------------------------------------------------------

_HAN_STOP: Final = re.compile(r"[。；？！;?!（）()]|[：:]")
_HAN_OR: Final = re.compile(r"[，,、]?\s*还是")
_HAN_OR_WEAK: Final = re.compile(r"[，,、]?(?:或者?是?)(?!许|不)")
_HAN_ASKS_FOR: Final = re.compile(r"谁|何时|什么|哪|多久|多少|如何|怎么|怎样|几")
_HAN_FROM: Final = re.compile(r"^.*?(?=(?:按|由|用|以|从).{2,})|^.*(?:是|算作?)(?=.{2,})")
_HAN_END: Final = re.compile(r"[吗呢]$")


def _han(sentence: str) -> list[str]:
    for clause in _HAN_STOP.split(sentence):
        if _HAN_OR.search(clause):
            *first, last = _HAN_OR.split(clause)
        elif "、" in clause and re.search(r"[?？]", sentence) and _HAN_OR_WEAK.search(clause):
            *first, last = _HAN_OR_WEAK.split(clause)
        else:
            continue
        last = re.split("[，,]", last)[0]
        parts = _han_parts([one for one in (*first, last) if one.strip()])
        if len(parts) > 1:
            return [_HAN_END.sub("", part.strip()) for part in parts]
    return []


def _han_parts(pieces: list[str]) -> list[str]:
    """The alternatives: those with 、 between them, and those with ， where they begin alike."""
    if len(pieces) < 2:
        return []
    sign = pieces[-1].strip()[:1]
    lead = re.split("[，,]", pieces[0])
    at = len(lead) - 1
    while at and lead[at].startswith(sign) and sign in lead[at - 1]:
        at -= 1
    first = [part for piece in lead[at:] for part in piece.split("、")]
    if len(first) > 1 and _HAN_ASKS_FOR.search(first[0]):
        first = first[1:]
    more = [part for piece in pieces[1:] for part in piece.split("、")]
    return [_han_begin(first[0], sign), *first[1:], *more]


def _han_begin(part: str, sign: str) -> str:
    """Where the first alternative begins: at the character with which the last one does, else behind 按, 由, 是 …"""
    at = part.rfind(sign, 0, len(part) - 1)
    return part[at:] if at >= 0 else _HAN_FROM.sub("", part)
