"""The author's own words, in both languages: openings, turns and verdicts that carry no fact.

Whatever is stated as a fact in a draft comes from a page or from the config; these sentences hold it together and say
what the author thinks of it. Where there are several of a kind, the topic picks one, so that two articles of a project
do not sound alike and one article always sounds the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from zlib import crc32

_EN: Final[Mapping[str, tuple[str, ...]]] = {
    "usual": ("The usual answer is short: {said}", "Ask around, and the answer comes quickly: {said}"),
    "usual_turn": ("I would not start there.", "It is a comfortable answer, and I have stopped trusting it."),
    "thesis_challenge": ("Speaking as {role}, I put it the other way round: {thesis}.",),
    "thesis_confirm": ("Speaking as {role}, I would go further: {thesis}.",),
    "thesis_nuance": ("Speaking as {role}, I would put it with more care: {thesis}.",),
    "no_thesis": ("Speaking as {role}, I keep what can be looked up apart from what is merely repeated.",),
    "signature": (
        "What nobody writes down, nobody can mend.",
        "Measure first, argue later.",
        "A dull record beats a bright guess.",
        "If it has no owner, it has no limit.",
    ),
    "case_back": ("Back to {source}.", "Which leads back to {source}."),
    "case_next": ("{Source} has a story of its own.", "Then there is {source}."),
    "case_bare": ("Another one: {title}.",),
    "cases_close": ("I do not read such cases as bad luck. Somebody could have known.",),
    "data_open": ("Stories persuade, but they do not measure. {Source} did.",),
    "data_bare": ("Stories persuade, but they do not measure.",),
    "data_more": ("A second set of numbers comes from {source}.",),
    "data_close": ("Numbers like these do not end every argument. They do say where to look first.",),
    "expert_open": ("{Name}, {office}, explains it in plain words: {quote}", "Listen to {name}, {office}: {quote}"),
    "expert_bare": ("{Name} explains it in plain words: {quote}",),
    "expert_more": (
        "{Last} goes on: {quote}",
        "On the next point {last} is just as plain: {quote}",
        "{Last} does not stop there: {quote}",
        "And one step further, again from {last}: {quote}",
    ),
    "expert_again": ("{Last} again: {quote}", "To quote {last} once more: {quote}"),
    "note_open": ("The document “{title}” states it as a rule: {quote}", "In “{title}” it reads like this: {quote}"),
    "note_more": ("It goes on: {quote}", "And further down: {quote}"),
    "why_close": ("With that picture in mind, a good deal of advice sorts itself.",),
    "debates_open": ("There is an honest argument on the other side, and it deserves its full weight.",),
    "debates_close": (
        "I take the objection seriously. It tells me what to rule out first, and it does not tell me to stop looking.",
    ),
    "practice_open": ("None of this helps until somebody does it on an ordinary day.",),
    "practice_close": ("Small and regular is enough. Heroic and late is not.",),
    "voice": (
        "{name}{office} writes{platform}: {quote}",
        "{name}{office} says it without ceremony: {quote}",
        "Or, in the words of {name}{office}: {quote}",
        "{name}{office} puts it like this: {quote}",
    ),
    "platform": (" on {platform}",),
    "bias": (
        "My bias is on the table: {bias}.",
        "I hold to the same rule here: {bias}.",
        "Faced with that choice, one rule decides it for me: {bias}.",
    ),
    "own": ("That is why I say it without hedging: {thesis}.", "I see no way around it: {thesis}."),
    "link": ("For the groundwork, read {link}.", "{link} belongs beside this.", "More on that in {link}."),
    "product": (
        "Where a tool helps, {mention} is one to look at.",
        "Of the tools for this, I would look at {mention}.",
    ),
    "verdict": ("My verdict stands: {thesis}.",),
    "synthesis": ("Put the pieces together, and one sentence is left: {thesis}.",),
    "next-step": ("If you take one thing to work tomorrow, take this: {thesis}.",),
    "prevention": ("The cheapest repair is the one nobody needs. {Thesis}.",),
    "verdict_bare": ("My verdict is a modest one: begin with what can be checked.",),
    "synthesis_bare": ("Put the pieces together, and the checkable ones carry the rest.",),
    "next-step_bare": ("If you take one thing to work tomorrow, take the first check and do it.",),
    "prevention_bare": ("The cheapest repair is the one nobody needs.",),
    "advice": ("One piece of advice from {name} I would not try to improve: {quote}",),
    "recap": ("{Recap}.",),
    "last_word": ("{name}{office} gets the last word but one: {quote}",),
    "cta": ("{action}",),
    "next_topics": ("The next question is {topics}.",),
    "prerequisites": ("It helps to know {topics} first.",),
    "depth": ("For readers who want it simpler than the argument is: the picture matters more than the terms.",),
}
_ZH: Final[Mapping[str, tuple[str, ...]]] = {
    "usual": ("通常的回答很短：{said}", "随便问一个人，回答来得很快：{said}"),
    "usual_turn": ("我不会从那里查起。", "这个回答听着省心，我已经不信了。"),
    "thesis_challenge": ("作为{role}，我要把话反过来说：{thesis}。",),
    "thesis_confirm": ("作为{role}，我还要多说一步：{thesis}。",),
    "thesis_nuance": ("作为{role}，我说得更谨慎一点：{thesis}。",),
    "no_thesis": ("作为{role}，我把查得到出处的和只是传来传去的分开写。",),
    "signature": ("没写下来的事，谁也修不了。", "先测，后争。", "记录枯燥，但不骗人。", "没有主人的东西，就没有底线。"),
    "case_back": ("回到{source}。", "再说{source}。"),
    "case_next": ("{source}有另一段经历。", "还有{source}。"),
    "case_bare": ("再看一件：{title}。",),
    "cases_close": ("这些事我不归到运气头上，本来是有人可以知道的。",),
    "data_open": ("故事能打动人，但故事不是测量。{source}测了。",),
    "data_bare": ("故事能打动人，但故事不是测量。",),
    "data_more": ("第二组数字来自{source}。",),
    "data_close": ("这样的数字结束不了所有争论，但足够告诉人先看哪里。",),
    "expert_open": ("{office}{name}讲得很直白：{quote}", "听听{office}{name}怎么说：{quote}"),
    "expert_bare": ("{name}讲得很直白：{quote}",),
    "expert_more": (
        "{last}接着说：{quote}",
        "下一点，{last}同样说得直接：{quote}",
        "{last}没有停在这里：{quote}",
        "再往前一步，还是{last}：{quote}",
    ),
    "expert_again": ("再引{last}一句：{quote}", "还是{last}的话：{quote}"),
    "note_open": ("《{title}》把它写成了规矩：{quote}", "《{title}》里是这样写的：{quote}"),
    "note_more": ("往下还有一条：{quote}", "再往下：{quote}"),
    "why_close": ("有了这幅图，很多建议自己就排好了先后。",),
    "debates_open": ("反过来的理由是正经的，值得完整听完。",),
    "debates_close": ("这个反对意见我当真。它告诉我先排除什么，但没有叫我停止查下去。",),
    "practice_open": ("道理说完，平常日子里没人做，就等于没有。",),
    "practice_close": ("小而勤就够了，等出了事再拼命是不够的。",),
    "voice": (
        "{name}{office}{platform}写道：{quote}",
        "{name}{office}说得一点不客气：{quote}",
        "换成{name}{office}的话：{quote}",
        "{name}{office}是这样说的：{quote}",
    ),
    "platform": ("在{platform}上",),
    "bias": ("我的偏向摆在明面上：{bias}。", "这里我守的还是那条规矩：{bias}。", "要在两头里选，我只认一条：{bias}。"),
    "own": ("所以这句话我不打折扣：{thesis}。", "绕不开的还是这一句：{thesis}。"),
    "link": ("基础部分可以先读{link}。", "{link}可以放在一起看。", "这一点在{link}里写得更细。"),
    "product": ("要借助工具的话，可以看看{mention}。", "这类工具里，我会先看{mention}。"),
    "verdict": ("我的结论不变：{thesis}。",),
    "synthesis": ("把前面的拼到一起，剩下一句话：{thesis}。",),
    "next-step": ("明天上班只带一句话的话，就带这句：{thesis}。",),
    "prevention": ("最省钱的修理，是根本用不着的那一次。{thesis}。",),
    "verdict_bare": ("我的结论很朴素：从查得到的地方开始。",),
    "synthesis_bare": ("把前面的拼到一起，查得到的那些撑起了其余的。",),
    "next-step_bare": ("明天上班只做一件事的话，就做第一项检查。",),
    "prevention_bare": ("最省钱的修理，是根本用不着的那一次。",),
    "advice": ("{name}有一句建议，我改不出更好的：{quote}",),
    "recap": ("{recap}。",),
    "last_word": ("倒数第二句话留给{name}{office}：{quote}",),
    "cta": ("{action}",),
    "next_topics": ("接下来的问题是{topics}。",),
    "prerequisites": ("先了解{topics}会更顺。",),
    "depth": ("想看得简单一点的读者，记住那幅图就够了，术语在其次。",),
}
IN_ORDER: Final = frozenset({"bias", "voice", "expert_more", "note_more"})
"""Sentences that build on one another: the first one is said first."""

RECAP: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "cases": "the cases show it",
        "data": "the numbers weigh it",
        "why": "the mechanism explains it",
        "debates": "the other side has been heard",
        "practice": "the work it takes is small",
        "and": ", and ",
        "comma": ", ",
    },
    "zh": {
        "cases": "案例摆出来了",
        "data": "数字称过了",
        "why": "机理讲通了",
        "debates": "反方的话也听完了",
        "practice": "要做的事并不大",
        "and": "，",
        "comma": "，",
    },
}
"""What each kind of section has done for the argument."""

LINES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {"en": _EN, "zh": _ZH}

TITLES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "cases": "What happened, case by case",
        "data": "What the measurements show",
        "why": "Why it happens",
        "debates": "The argument on the other side",
        "practice": "What to do on an ordinary day",
        "verdict": "The verdict",
        "synthesis": "What it comes down to",
        "next-step": "Where to begin",
        "prevention": "How to keep it from happening",
        "bare": "{Subject}: what is known and what is only repeated",
        "diagram": "diagram: {title}",
        "chart": "chart: {title}",
    },
    "zh": {
        "cases": "一件一件看发生了什么",
        "data": "数据怎么说",
        "why": "为什么会这样",
        "debates": "反过来的理由",
        "practice": "平常日子该怎么做",
        "verdict": "我的结论",
        "synthesis": "归根到底",
        "next-step": "从哪里开始",
        "prevention": "怎样不再发生",
        "bare": "{subject}：哪些有据可查，哪些只是传言",
        "diagram": "示意图：{title}",
        "chart": "图表：{title}",
    },
}


def pick(options: tuple[str, ...], key: str, turn: int = 0) -> str:
    """One of the options: the same for the same key, the next one for each turn."""
    return options[(crc32(key.encode()) + turn) % len(options)]


def say(language: str, line: str, key: str, turn: int = 0, /, **words: str) -> str:
    """A sentence of the author's, filled in; a name in capitals begins with one."""
    capitals = {f"{name[:1].upper()}{name[1:]}": f"{word[:1].upper()}{word[1:]}" for name, word in words.items()}
    start = "" if line in IN_ORDER else f"{key}/{line}"
    return pick(LINES[language][line], start, turn).format(**words, **capitals)


def quoted(text: str) -> str:
    """Somebody else's words in quotation marks; marks within them become single ones."""
    return f"“{text.replace('“', '‘').replace('”', '’')}”"


def with_article(role: str) -> str:
    """`an engineer`, `a foreman`; a role that brings its own article keeps it."""
    if role.lower().startswith(("a ", "an ", "the ")):
        return role
    return f"{'an' if role[:1].lower() in 'aeiou' else 'a'} {role}"
