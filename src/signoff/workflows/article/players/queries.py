"""What to look for: a few short queries for each round, from the subject, the brief and the words such pages use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.workflows.article.players.desk import Desk, Payload
from signoff.workflows.article.players.lexicon import HAN
from signoff.workflows.wording import plain

_WORDS: Final = {
    "en": {
        "competitors": ("guide checklist", "common mistakes causes", "study interview debate"),
        "cases": ("case report what happened", "failure found changed", "workshop year trial"),
        "data": ("study measured results", "percent trial report", "case report before after"),
        "expert": ("interview explains why", "practice note what to do", "engineer foreman manager says"),
        "userVoice": ("forum thread question", "years experience where to start", "interview we our shop"),
        "debates": ("debate two schools", "disagree versus first", "both sides argument"),
    },
    "zh": {
        "competitors": ("指南 清单", "常见原因 排查", "研究 访谈 争论"),
        "cases": ("案例 发现 原因", "报废 返工 改了什么", "车间 试验 记录"),
        "data": ("研究 数据 对照", "实测 测试 结果", "案例 从 降到"),
        "expert": ("访谈 为什么", "实践 提示 建议", "工程师 班长 经理"),
        "userVoice": ("论坛 帖子 请教", "经验 从哪儿查起", "访谈 我们 车间"),
        "debates": ("争论 两派 理由", "分歧 先查", "双方 还是"),
    },
}
_MOST = 190


def queries(desk: Desk) -> Payload:
    """Each round asks with the subject, and with what the brief puts in brackets or after it."""
    wanted = [str(name) for name in desk.note("rounds", ("competitors",))]
    asked = [
        {"round": name, "query": f"{about} {words}"[:_MOST]}
        for name in wanted
        for about, words in zip(_about(desk), _WORDS[desk.language].get(name, ("", "", "")), strict=False)
    ]
    return {"queries": asked, "urls": []}


def _about(desk: Desk) -> Iterator[str]:
    terms = _terms(desk)
    yield desk.subject
    yield " ".join((desk.subject, *terms[:4]))
    yield " ".join((desk.subject, *terms[4:8]))


def _terms(desk: Desk) -> list[str]:
    """The words that the brief names in the article's language, in their order."""
    said = " ".join(plain(block) for block in desk.brief.split("\n\n") if not block.startswith(("#", "<!--")))
    if desk.language == "zh":
        found = [run for run in re.findall(r"[\u3400-\u9fff]{2,6}", said) if not re.match(r"一篇|读者|关于", run)]
    else:
        found = [word for word in re.findall(r"[A-Za-z][a-z]{4,}", HAN.sub(" ", said)) if not _COMMON.fullmatch(word)]
    return [word for word in dict.fromkeys(found) if word not in desk.subject]


_COMMON: Final = re.compile(
    r"about|article|their|themselves|every|readers?|because|which|there|these|those|would|should|what", re.IGNORECASE
)
