"""The fixed words of decisions, in English and in Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """What is said around the person's own words."""

    nothing: str
    side: str
    open_contradiction: str
    open_gap: str
    settled_why: str
    settled_gap: str
    against: str
    later: str
    later_why: str
    change: str
    tentative: str
    tentative_why: str
    tentative_so: str
    tentative_note: str
    recommended: str
    chosen: str
    chosen_otherwise: str
    chosen_several: str
    chosen_several_freely: str
    taken_over: str
    taken_over_whole: str
    reason: str
    changed: str
    agree: str
    agree_why: str
    agree_so: str
    together: str
    own_words: str
    adds: str
    refines: str
    refines_nothing: str
    more: str
    delegated: str
    names: str
    follows: str
    as_written: str
    vague: str
    alone: str
    overruled: str
    upheld: str
    so: str
    both_follow: str
    fallen: str
    numbers: str


ENGLISH: Final = Phrases(
    nothing="(not answered)",
    side="{key}: “{text}”",
    open_contradiction="Still open: {keys} contradict each other, and only who answered can say which holds.",
    open_gap="Still open: {keys} must be answered before anything is built on it.",
    settled_why="The person was shown both sides and settled it. The sides were: {sides}.",
    settled_gap="The question had no answer of its own; the person settled it when it was put to them as a gap.",
    against="{sides}. They could not both hold as they were written.",
    later="{sides}. Both cannot hold; {key} was asked later and about exactly this point, so it holds.",
    later_why="{later} speaks against {above} and was asked later, about exactly this point.",
    change="{old} ({above}) became {new} ({later}).",
    tentative="Not decided. What was said so far: {said}",
    tentative_why="None of {keys} has an answer that can be read in one way only.",
    tentative_so="Do not build on this yet; whoever needs it has to ask first.",
    tentative_note="An answer to {keys} in a full sentence, or by the letter of a choice, would settle it.",
    recommended="{key} was answered with choice {letter}, which the research recommended as well.",
    chosen="{key} was answered with choice {letter}.",
    chosen_otherwise="{key} was answered with choice {letter}; the research recommended {advised}.",
    chosen_several="{key} was answered with the choices {letter}, all of them; the research recommended {advised}.",
    chosen_several_freely="{key} was answered with the choices {letter}, all of them.",
    taken_over="{key} was answered by taking over the recommendation, {letter}.",
    taken_over_whole="{key} was answered by taking over the recommendation as it was written.",
    reason="The research gave this reason: {reason}",
    changed="An answer changed since the contradiction was found: {change}.",
    agree="There is no contradiction any more; the answers stand as they are now. {sides}.",
    agree_why="As they are written now, nothing in {keys} speaks against the rest.",
    agree_so="Nothing has to give way: every decision that rests on {keys} follows its own answer.",
    together="These apply together: {choices}.",
    own_words="{key} was answered in the person's own words; they stand as they are.",
    adds="{key} adds: “{text}”.",
    refines="It refines {key}, where the answer was “{text}”.",
    refines_nothing="It stands for {key}, which has no answer of its own.",
    more="What goes beyond the choice is in the person's own words.",
    delegated="Open until the person named above has answered; put the question to them.",
    names="These names have to exist as they are written here: {names}.",
    as_written="It stands as it was answered: “{text}”",
    follows="As settled in {id}: {ruling}",
    vague="{key} (“{text}”) is too vague to change anything.",
    alone="No other answer bears on it.",
    overruled="{id} settles the contradiction between {keys} against this answer; the decision follows it.",
    upheld="{id} settles the contradiction between {keys}; this answer stands.",
    so="It applies wherever “{title}” is used.",
    both_follow="Every decision that rests on {keys} follows it.",
    fallen="What was offered beside it does not apply: {choices}.",
    numbers="Keep {numbers} in one place where it can be changed.",
)
CHINESE: Final = Phrases(
    nothing="（未回答）",
    side="{key}：“{text}”",
    open_contradiction="仍未解决：{keys} 互相矛盾，只有回答的人能说明以哪一方为准。",
    open_gap="仍未解决：{keys} 必须先回答，后续工作都以它为基础。",
    settled_why="已将各方内容交由本人确认并作出决定。各方为：{sides}。",
    settled_gap="该问题本身没有回答；作为缺口提出后，由本人作出决定。",
    against="{sides}。按原文两者不能同时成立。",
    later="{sides}。两者不能同时成立；{key} 提问在后，且正是针对这一点，因此以它为准。",
    later_why="{later} 与 {above} 相反，且提问在后，正是针对这一点。",
    change="{old}（{above}）改为 {new}（{later}）。",
    tentative="尚未决定。目前的说法：{said}",
    tentative_why="{keys} 都没有只能作一种理解的回答。",
    tentative_so="暂不要以此为基础；需要用到的人应先询问。",
    tentative_note="用完整的句子或选项字母回答 {keys} 即可确定。",
    recommended="{key} 选择了 {letter}，与调研的建议一致。",
    chosen="{key} 选择了 {letter}。",
    chosen_otherwise="{key} 选择了 {letter}；调研建议的是 {advised}。",
    chosen_several="{key} 同时选择了 {letter}；调研建议的是 {advised}。",
    chosen_several_freely="{key} 同时选择了 {letter}。",
    taken_over="{key} 采用了调研的建议，即 {letter}。",
    taken_over_whole="{key} 按原文采用了调研的建议。",
    reason="调研给出的理由：{reason}",
    changed="发现矛盾之后，回答有变化：{change}。",
    agree="矛盾已不存在，各项回答以现在的内容为准。{sides}。",
    agree_why="按现在的内容，{keys} 之间没有互相抵触之处。",
    agree_so="没有哪一方需要让步：以 {keys} 为依据的决定各从其回答。",
    together="以下做法同时适用：{choices}。",
    own_words="{key} 由本人用自己的话回答，原文保留。",
    adds="{key} 补充：“{text}”。",
    refines="它细化了 {key}，原回答为“{text}”。",
    refines_nothing="它代替 {key}，该问题本身没有回答。",
    more="选项之外的内容是本人自己的话。",
    delegated="在上述人员回答之前仍未确定；请将问题交给此人。",
    names="以下名称须按此处的写法存在：{names}。",
    as_written="以原回答为准：“{text}”",
    follows="按 {id} 的决定：{ruling}",
    vague="{key}（“{text}”）过于笼统，不改变决定。",
    alone="没有其他回答与此有关。",
    overruled="{id} 已对 {keys} 之间的矛盾作出与此回答相反的决定；本项从其决定。",
    upheld="{id} 已解决 {keys} 之间的矛盾；此回答成立。",
    so="凡用到“{title}”的地方都以此为准。",
    both_follow="凡以 {keys} 为依据的决定都从此。",
    fallen="同时提出的其他做法不适用：{choices}。",
    numbers="{numbers} 应只写在一处，便于日后修改。",
)
