"""How far the answers of a clarifications file go: each is clear, vague or not answered; the whole is enough or not.

It is counting, not opinion (CL-4, CL-5): the same file gives the same verdicts, without a model and without cost. The
file is only read. `judge` goes from the strongest sign to the weakest:

1. Nothing there, or `(accepted recommendation)`: not answered.
2. The letters of choices, at the beginning: clear. "Other" is worth what is said beside it, and vague without.
3. The text of a choice, or a known term: clear, however short.
4. Placeholders alone ("not sure", 待定): vague, however long.
5. Five words or eight Han characters, in mixed text in proportion: clear. Less: vague.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from signoff.artifacts.words import count_cn
from signoff.workflows.clarify.checks.choice_letters import bare, beside_other, meaning, picked, unfenced
from signoff.workflows.clarify.documents.clarifications import Choice, Clarifications

__all__ = ["Evaluation", "Judged", "Thresholds", "Verdict", "accepted", "evaluate", "is_open", "judge", "meaning"]

Verdict: TypeAlias = Literal["clear", "vague", "not_answered"]
Why: TypeAlias = Literal["choice", "words", "known", "short", "placeholder", "other", "empty"]
Enough: TypeAlias = Literal["sufficient", "mixed", "insufficient"]

WORDS: Final = 5
HAN: Final = 8

MOST: Final = 20_000
"""How much of an answer is judged: enough to see whether it says anything."""
_STACK: Final = 30  # more marks than this on one letter are no writing, and slow to put in order

_ACCEPTED: Final = re.compile(r"[(（]\s*accepted\s+recommendation\s*[)）]\s*[.。]?", re.IGNORECASE)
_TARGET: Final = re.compile(r"\]\([^()\s]*\)")
_URL: Final = re.compile(r"https?://[!-~]+")
_UNSAID: Final = re.compile(r"[\s*_`\"'“”‘’「」『』]+")


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one answer and the sign that decided it."""

    verdict: Verdict
    why: Why


def judge(answer: str, choices: Sequence[Choice] = (), known_terms: Collection[str] = ()) -> Judged:
    """Judges one answer; choices are those of its question, known terms short answers that the project understands."""
    text = _measured(bare(answer))
    if not text or _ACCEPTED.fullmatch(text):
        return Judged("not_answered", "empty")
    found = picked(text, choices)
    if found and not found.other:
        return Judged("clear", "choice")
    said = found.rest if found else text
    beside = beside_other(said.lstrip("—–- "), choices)
    if beside is not None or found:
        said = said if beside is None else beside
        return _free(said, choices, known_terms) if count_cn(said) else Judged("vague", "other")
    return _free(said, choices, known_terms)


def _measured(text: str) -> str:
    """The beginning of a text, without marks that are piled on one letter."""
    if len(text) <= _STACK or text.isascii():
        return text[:MOST]
    kept, stack = [], 0
    for character in text[:MOST]:
        stack = stack + 1 if unicodedata.combining(character) else 0
        if stack <= _STACK:
            kept.append(character)
    return "".join(kept)


def is_open(answer: str) -> bool:
    """Whether there is no answer yet: nothing that shows, or the mark of an accepted recommendation."""
    return not bare(answer) or accepted(answer)


def accepted(answer: str) -> bool:
    """Whether an answer is the mark `(accepted recommendation)` and nothing else."""
    return _ACCEPTED.fullmatch(bare(answer)) is not None


def _free(answer: str, choices: Sequence[Choice], known_terms: Collection[str]) -> Judged:
    key = _key(answer)
    if key and any(key == _key(choice.text) for choice in choices if not choice.other):
        return Judged("clear", "choice")
    if key and any(key == _key(term) for term in known_terms):
        return Judged("clear", "known")
    text = _URL.sub(" link ", _TARGET.sub("] ", unfenced(answer)))  # a link counts by its text, an address is one word
    if says_nothing(text):
        return Judged("vague", "placeholder")
    han = sum(map(_is_han, text))
    words = count_cn(text) - han
    return Judged("clear", "words") if words * HAN + han * WORDS >= WORDS * HAN else Judged("vague", "short")


@functools.lru_cache(maxsize=8192)
def _is_han(character: str) -> bool:
    # A Han character counts each time; of any other letter or digit, two in a row are one word.
    return count_cn(character * 2) == 2


@functools.lru_cache(maxsize=8192)
def _key(text: str) -> str:
    """Equal for texts that differ in case, white space, emphasis, quotes and final punctuation at most."""
    return _UNSAID.sub("", unicodedata.normalize("NFKC", _measured(text)).casefold()).rstrip(".。!！;；,，、:：…")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Which share of clear answers is sufficient, and which is at least mixed."""

    sufficient: float = 0.85
    mixed: float = 0.5


DEFAULT: Final = Thresholds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The verdicts on all questions and refinements, in the order of the file, and on the whole."""

    verdict: Enough
    per_question: tuple[tuple[str, Verdict], ...]
    open_must: tuple[str, ...] = ()

    @property
    def answered_count(self) -> int:
        return self._count("clear")

    @property
    def empty_count(self) -> int:
        return self._count("not_answered")

    @property
    def vague_count(self) -> int:
        return self._count("vague")

    @property
    def total_count(self) -> int:
        return len(self.per_question)

    @property
    def reasoning(self) -> str:
        if not self.per_question:
            return "There are no questions to answer."
        counts = f"{self.answered_count} of {self.total_count} answers are clear"
        told = f"{counts}; {self.empty_count} empty, {self.vague_count} vague."
        return f"{told} Must be answered: {', '.join(self.open_must)}." if self.open_must else told

    def of(self, name: str) -> Verdict | None:
        """The verdict on one id, or None when the file has no such question or refinement."""
        return next((verdict for key, verdict in self.per_question if key == name), None)

    def _count(self, wanted: Verdict) -> int:
        return sum(verdict == wanted for _, verdict in self.per_question)

    def plain(self) -> dict[str, Any]:
        """The fields of answer-evaluation.json."""
        return {
            "verdict": self.verdict,
            "answered_count": self.answered_count,
            "empty_count": self.empty_count,
            "vague_count": self.vague_count,
            "total_count": self.total_count,
            "reasoning": self.reasoning,
            "per_question": [{"question_id": name, "verdict": verdict} for name, verdict in self.per_question],
        }

    def render(self) -> str:
        """The text of answer-evaluation.json."""
        return json.dumps(self.plain(), ensure_ascii=False, indent=1) + "\n"


def evaluate(doc: Clarifications, known_terms: Collection[str] = (), thresholds: Thresholds = DEFAULT) -> Evaluation:
    """Judges every question and refinement; contradictions and gaps are for decisions, not for counting."""
    asked = [item for item in doc.items if item.kind in ("question", "refinement")]
    verdicts = [judge(item.answer, item.choices, known_terms).verdict for item in asked]
    judged = tuple((item.key, verdict) for item, verdict in zip(asked, verdicts, strict=True))
    missing = tuple(
        item.key for item, verdict in zip(asked, verdicts, strict=True) if item.must and verdict == "not_answered"
    )
    whole = _whole(verdicts.count("clear"), len(verdicts), bool(missing), thresholds)
    return Evaluation(verdict=whole, per_question=judged, open_must=missing)


def _whole(clear: int, total: int, missing: bool, thresholds: Thresholds) -> Enough:
    if total and clear >= _share(thresholds.sufficient) * total and not missing:
        return "sufficient"
    return "mixed" if total and clear >= _share(thresholds.mixed) * total else "insufficient"


def _share(threshold: float) -> Fraction:
    # As people write it: 0.85 is 17/20, which no float is.
    return Fraction(str(threshold))


# --- answers that say nothing -----------------------------------------------------------------------------------------

_PHRASES: Final = """
    not sure | unsure | not certain | uncertain | not clear | unclear | not decided | not yet decided | undecided
    not known | not yet known | not yet | unknown | no idea | no clue | don't know | dont know | do not know | dunno
    idk | can't say | cannot say | can not say | hard to say | who knows | have to check | need to check | tbd | tba
    tbc | t b d | to be decided | to be determined | to be defined | to be confirmed | to be announced
    to be discussed | to be clarified | to be done | to be filled | todo | to do | fixme | placeholder | pending
    wip | n a | na | not applicable | does not apply | doesn't apply | not relevant | irrelevant | none yet
    nothing yet | no answer | no comment | no preference | no opinion | no input | whatever | whatever you think
    whatever you like | whatever you prefer | anything goes | anything is fine | any is fine | either is fine
    either way is fine | makes no difference | don't care | do not care | don't mind | do not mind | does not matter
    doesn't matter | same as above | same as before | ditto | see above | as above | idem | up to you | you decide
    you choose | you can decide | your call | your choice | as you see fit | as you like | as you prefer
    as you wish | as you think best | your decision | skip | skip it | skip this | skipped | pass on this
    maybe later | decide later | will decide later | ask later | ask me later | answer later | come back later
    come back to this later | default | defaults | default is fine | depends | maybe
    不确定 | 不太确定 | 不能确定 | 无法确定 | 不清楚 | 不太清楚 | 不明确 | 不知道 | 不太知道 | 不晓得 | 不了解
    不太了解 | 未知 | 未定 | 未确定 | 未决定 | 没定 | 没确定 | 没决定 | 没有决定 | 没想好 | 没有想好 | 没想法
    没有想法 | 没意见 | 没有意见 | 待定 | 待确认 | 待确定 | 待讨论 | 待补充 | 待商议 | 待商榷 | 待办 | 待填
    有待确认 | 有待讨论 | 有待确定 | 默认 | 默认值 | 默认即可 | 默认就好 | 默认就行 | 默认可以 | 默认没问题 | 用默认
    按默认 | 按默认来 | 使用默认 | 使用默认值 | 预设 | 预设即可 | 不适用 | 暂无 | 无所谓 | 都可以 | 都行 | 均可
    皆可 | 随便 | 随意 | 怎么都行 | 没关系 | 看情况 | 看情况而定 | 视情况而定 | 再看 | 再看看 | 再说 | 以后再说
    之后再说 | 回头再说 | 到时候再说 | 以后再定 | 以后再看 | 再定 | 再议 | 稍后 | 稍后再说 | 稍后决定 | 同上 | 见上
    见上文 | 如上 | 跳过 | 不好说 | 难说 | 说不好 | 说不准 | 你定 | 您定 | 你们定 | 你决定 | 您决定 | 你们决定
    由你决定 | 由您决定 | 由你们决定 | 你看着办 | 看着办 | 听你的 | 听您的 | 需要确认
"""
_FILLERS: Final = """
    i | i'm | im | i'd | i'll | am | we | we're | we'll | are | is | it | it's | its | this | that | the | one
    point | question | yet | still | for | now | at | moment | right | currently | today | so | far | honestly
    really | quite | just | all | probably | perhaps | about | and | then | well | hmm | um | sorry | please
    thanks | thank you | have | be | will | would | say | best | fine | ok | okay | good | works | us | me | my
    our | let's | let us | go | with | use | also
    目前 | 目前还 | 现在 | 暂时 | 暂 | 还 | 还是 | 尚 | 仍 | 仍然 | 依然 | 我 | 我们 | 这 | 这个 | 这个问题 | 问题
    对此 | 关于 | 也 | 都 | 就 | 先 | 吧 | 呢 | 的 | 了 | 啊 | 哦 | 嗯 | 好 | 行 | 可以 | 即可 | 是 | 其实 | 有点
    可能 | 大概 | 抱歉 | 不好意思 | 请 | 谢谢 | 这里 | 此处 | 再 | 需 | 需要
"""
# Of traditional writing only what the lists above need.
_SIMPLE: Final = str.maketrans(
    "確無沒決討論補認預設適隨況視後說見過難準著辦聽們這個問題對關於現暫時還實點請謝裡處須議曉候",
    "确无没决讨论补认预设适随况视后说见过难准着办听们这个问题对关于现暂时还实点请谢里处须议晓候",
)
_TOKEN: Final = re.compile(r"[\u3007\u3400-\u9fff]|[^\W_\u3007\u3400-\u9fff]+(?:'[^\W_]+)*")


def says_nothing(text: str) -> bool:
    """Whether a text is made of placeholders and small words alone, or of no words at all."""
    tokens = _tokens(text)
    at, found = 0, not tokens
    while at < len(tokens):
        length, phrase = _longest(tokens, at)
        if not length:
            return False
        at, found = at + length, found or phrase
    return found


def _longest(tokens: Sequence[str], at: int) -> tuple[int, bool]:
    """How many tokens from here on are one known phrase, and whether it is a placeholder."""
    known = _KNOWN.get(tokens[at], {})
    for length in range(min(_MOST, len(tokens) - at), 0, -1):
        phrase = known.get(tuple(tokens[at : at + length]))
        if phrase is not None:
            return length, phrase
    return 0, False


def _tokens(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().translate(_SIMPLE)
    return _TOKEN.findall(plain)


def _indexed() -> Mapping[str, Mapping[tuple[str, ...], bool]]:
    """First token -> phrase -> whether it is a placeholder (True) or filler (False)."""
    index: dict[str, dict[tuple[str, ...], bool]] = {}
    for table, placeholder in ((_FILLERS, False), (_PHRASES, True)):
        for phrase in (tuple(_tokens(text)) for text in re.split(r"[|\n]", table) if text.strip()):
            index.setdefault(phrase[0], {})[phrase] = placeholder
    return index


_KNOWN: Final = _indexed()
_MOST: Final = max(len(phrase) for phrases in _KNOWN.values() for phrase in phrases)
