"""Open points in plain prose: sentences that ask, or that say themselves that something is not settled.

What it sees: a question mark; unclear, not decided, varies, depends, TBD, either … or …; 不明确, 待定, 取决于, 还是.
What it does not see: a point that nobody says is open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from signoff.workflows.clarify.players.brief import tidy_title
from signoff.workflows.clarify.players.enumerations import alternatives
from signoff.workflows.wording import HAN, clipped, content, is_chinese, joined, plain

GENERIC: Final = (
    "As it is done today, written down so that everybody does it so",
    "One rule for all cases, set by whoever answers for this topic",
    "Case by case, with a named person who decides and notes why",
)
GENERIC_HAN: Final = (
    "按目前的做法，并写成文字让所有人照此执行",
    "所有情况用同一条规则，由该主题的负责人确定",
    "逐案处理，由指定的人决定并记录理由",
)

SENTENCE: Final = 2000
"""What is longer is no sentence; its beginning says what it is about."""
SETTLED: Final = "How should this be settled?"
SETTLED_HAN: Final = "这一点应如何确定？"

_NOT: Final = r"(?:not|\w+n['’]t|never|nobody has|no one has)"
_OPEN: Final = re.compile(
    r"\b(?:is |are |it['’]?s )?(?:still |often |rather )?(?:unclear|undecided|unsettled|unresolved"
    rf"|{_NOT} (?:yet )?(?:been )?(?:decided?|settled?|agreed?|defined?|clear|known?|sure|clarified|written down))\b"
    r"|\b(?:varies|vary|differs?|disagrees?|depends|depending|tb[dca])\b"
    r"|\bto be (?:decided|defined|confirmed|agreed|clarified|determined)\b|\b(?:still|remains?|left) open\b"
    r"|\b(?:needs? to|must|has to|have to) be (?:decided|clarified|agreed)\b|\bneeds? to (?:decide|clarify|agree)\b"
    r"|\bno (?:agreed |common |written )?(?:rule|definition)\b|\b(?:nobody|no one) (?:knows|agrees|can say|decided)\b"
    r"|\bopen (?:question|point|issue)\b|\beither\b.{1,300}?\bor\b",
    re.IGNORECASE,
)
_OPEN_HAN: Final = re.compile(
    r"不明确|不清楚|不确定|不知道|待定|待确认|待明确|待讨论|待决|未定|没定|未决|未知|未明确|尚未|尚无|未确定|没有(?:统一|明确|规定|说明|约定)|没说"
    r"|说法不一|各不相同|不一致|有争议|取决于|视情况|需要?(?:确认|明确|讨论|决定|澄清)|.{2}还是.{2}"
)
_ASKS: Final = re.compile(r"？|\?(?!\S*[=&])")
_OPEN_NAME: Final = re.compile(
    r"\b(?:tb[dca]|undecided|unclear|not (?:yet )?(?:decided|agreed|defined|clear))\b|待定|未定|不明确|未决",
    re.IGNORECASE,
)
_ANNOUNCES: Final = re.compile(
    r"(?:(?:still |our |all |other |further )?(?:open|unresolved|undecided|unclear|outstanding|unanswered|pending)"
    r"(?: (?:points?|questions?|issues?|items?|topics?|matters?|decisions?|things))?|questions?|tb[dca]"
    r"|(?:things |points |what is )?(?:still )?(?:to be|to|not yet) "
    r"(?:decided?|clarif(?:y|ied)|settled?|discuss(?:ed)?|agreed?)"
    r"|(?:还?待(?:定|确认|明确|解决|讨论|决)|未决|未定|未解决|开放|遗留|不明确|需要?(?:确认|明确|讨论))的?(?:事项|问题|点|清单|内容)?|疑问|问题(?:清单)?)",
    re.IGNORECASE,
)

_LEAD: Final = re.compile(
    r"^(?:(?:and|but|so|then|also|honestly|today|for now|at the moment|one open (?:question|point)(?: is)?)[,:]?\s+)*"
    r"(?:it varies|it depends(?: on)?|tb[dca]\b:?"
    r"|(?:still )?to be (?:decided|defined|confirmed|agreed|clarified|determined)\b:?"
    r"|there (?:is|are) no (?:\w+ ){0,2}(?:rules?|definitions?|agreement) (?:for|of|about|on|that says)"
    r"|it(?:['’]s| is| has) (?:also )?(?:still )?"
    r"(?:unclear|open|undecided|not (?:yet )?(?:been )?(?:clear|decided|settled|agreed|defined|known))"
    r"|(?:we|they|nobody|no one)(?: here| also)? (?:(?:have|do) not|(?:have|do)n['’]t|has|have never|never)?\s?"
    r"(?:yet )?(?:decided|knows?|agreed|agrees?|settled|can say|said|wrote down))?\s*"
    r"(?:(?:on |about )?(?:whether|if|how|what|when|where|who|which|why)\b\s*)?"
    r"(?:(?:is|are|do|does|did|should|can|may|must|will|would|many|much|often|long)\b\s*)*(?:(?:we|you|they|i)\b\s*)?"
    r"(?:the|an?|our|their)?\b\s*",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(
    r"[;:()（）—–?!？！，；：。]|,(?!\d)|\.(?:\s|$)|\s-\s|\b(?:either|because|while|although|but|whereas|unless)\b"
)
_LEAD_HAN: Final = re.compile(r"^(?:但是?|而且|另外|目前|现在|我们|他们|还|也|关于|对于|至于)+")
_LEADING_ON: Final = (
    "a an the and or of to for in on at by from with as is are was be that which who when whether if than above below"
    " into their its our his her this these not no"
)
_LEADS_ON: Final = frozenset(_LEADING_ON.split())
_HAN_BREAK: Final = re.compile(r"[，。；？！：,.;?!]|是|还是|取决于|不明确|不清楚|待定|未定|尚未|如何|怎么")
_HAN_BEFORE: Final = re.compile(r"还是|是|按|由|用|以|从|算")


_NO_NAME: Final = re.compile(
    r"(?:how|what|who|why|when|where|which|interview|notes?|open|questions?|other|background)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Opening:
    """An open point: what to call it, what to ask, and the alternatives that its sentence names."""

    title: str
    question: str
    choices: tuple[str, ...]
    sentence: str


@lru_cache(maxsize=4096)  # a topic asks it of each sentence more than once
def is_open(sentence: str) -> bool:
    """Whether the sentence asks something, or names something and says that it is not settled."""
    if asks(sentence):
        return bool(content(sentence))
    said = sentence[:SENTENCE]
    marked = any(pattern.search(said) for pattern in (_OPEN, _OPEN_HAN))
    return marked and (bool(content(_OPEN_HAN.sub(" ", _OPEN.sub(" ", said)))) or bool(alternatives(said)))


def asks(sentence: str) -> bool:
    """Whether the sentence is a question."""
    return _ASKS.search(sentence) is not None


def ends_asking(text: str) -> bool:
    """Whether a text ends in a question mark, and does not only hold one."""
    return text.rstrip(" *_`\"'”’)）」").endswith(("?", "？"))


def is_open_name(heading: str) -> bool:
    """Whether a heading asks, or says beside a name that it is not settled."""
    if announces(heading) or not content(_OPEN_NAME.sub(" ", heading)):
        return False
    return asks(heading) or _OPEN_NAME.search(heading) is not None


def announces(heading: str) -> bool:
    """Whether a heading says that what stands below it is open: Open points, TBD, 待定事项."""
    return _ANNOUNCES.fullmatch(heading.strip(" :：.()（）[]*")) is not None


def opening(sentence: str) -> Opening:
    """An open sentence as a point to be settled."""
    said = plain(sentence[:SENTENCE])
    title = titled(said)
    question = (
        said if asks(said) else joined([_stopped(clipped(said, 400)), SETTLED_HAN if is_chinese(said) else SETTLED])
    )
    return Opening(title, question, alternatives(said), sentence)


def _stopped(text: str) -> str:
    """A line without a stop as a sentence."""
    bare = text.rstrip("\"'”’)） ")
    return (
        text
        if bare.endswith((".", "!", "…", "。", "！", "；", ";", ":", "："))
        else text + ("。" if is_chinese(text) else ".")
    )


def handled(title: str) -> str:
    """The plainest question about a subject."""
    if is_chinese(title):
        return f"“{title}”应如何处理？"
    return f"How should “{title}” be handled?"


def generic(*texts: str) -> tuple[str, ...]:
    """Three choices that are honest about any subject, in the language of the texts."""
    return GENERIC_HAN if is_chinese(*texts) else GENERIC


def titled(sentence: str) -> str:
    """A short name for what a sentence is about: what comes before it says that it is open, or what follows."""
    if HAN.search(sentence):
        return _titled_han(sentence)
    rest = _LEAD.sub("", sentence, count=1)
    mark = _OPEN.search(rest)
    if mark and len(content(rest[: mark.start()])) >= 1:
        rest = rest[: mark.start()]
    rest = _BREAK.split(rest.strip(), maxsplit=1)[0].strip()
    rest = _before(rest, alternatives(sentence))
    name = _first_words(rest if content(rest) else sentence)
    return _capital(tidy_title(name.strip(" ?!,;\"'“”-–"))) or "Open point"


def _before(text: str, choices: tuple[str, ...]) -> str:
    """What comes before the first alternative, where that says what it is about."""
    lead = re.split(rf"\b{re.escape(choices[0])}\b", text, maxsplit=1, flags=re.IGNORECASE)[0] if choices else ""
    return lead.strip() if content(lead) else text


def names_it(heading: str) -> bool:
    """Whether a heading is a name by itself: a few words that do not ask or announce."""
    words = len(heading.replace("-", " ").split())
    short = len(heading) <= 10 if HAN.search(heading) else words <= 3
    return bool(content(heading)) and short and not _NO_NAME.match(heading)


def _first_words(text: str) -> str:
    """At most eight words, not ending in one that leads on to the next."""
    words = re.split(r"\s+or\s+", text, maxsplit=1)[0].split()[:8]
    while len(words) > 1 and words[-1].casefold() in _LEADS_ON:
        words.pop()
    return " ".join(words)


def _titled_han(sentence: str) -> str:
    rest = _LEAD_HAN.sub("", sentence)
    if "还是" in rest and len(subject := _HAN_BEFORE.split(rest, maxsplit=1)[0]) >= 2:
        return tidy_title(clipped(subject.strip("“”\"' "), 24))
    first = _HAN_BREAK.split(rest, maxsplit=1)[0]
    name = first if len(first) >= 2 else re.sub(r"[，。；？！：]", "", rest)
    return tidy_title(clipped(name.strip("“”\"' "), 24)) or "待定事项"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
