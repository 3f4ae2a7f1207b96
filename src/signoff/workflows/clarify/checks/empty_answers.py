"""Answers that say nothing: "not sure", "TBD", 待定, alone or strung together, however long the string gets.

A text says nothing when it is made of these phrases and of small words around them, and of nothing else. One word more
("not sure, probably by region") and it is an answer, to be judged by its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

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


def _listed(table: str) -> Iterator[tuple[str, ...]]:
    for phrase in re.split(r"[|\n]", table):
        if phrase.strip():
            yield tuple(_tokens(phrase))


def _indexed() -> Mapping[str, Mapping[tuple[str, ...], bool]]:
    """First token -> phrase -> whether it is a placeholder (True) or filler (False)."""
    index: dict[str, dict[tuple[str, ...], bool]] = {}
    for table, placeholder in ((_FILLERS, False), (_PHRASES, True)):
        for phrase in _listed(table):
            index.setdefault(phrase[0], {})[phrase] = placeholder
    return index


_KNOWN: Final = _indexed()
_MOST: Final = max(len(phrase) for phrases in _KNOWN.values() for phrase in phrases)
