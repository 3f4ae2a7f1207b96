"""The words by which the players know what they read: kinds of pages, claims, advice, doubt, people who speak."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal["guide", "case", "study", "interview", "forum", "debate", "note"]

_KIND_WORDS: Final[Mapping[Kind, str]] = {
    "forum": r"forum|thread|subreddit|discussion board|论坛|帖子|贴吧|社区问答",
    "interview": r"interview|in conversation|q ?& ?a with|访谈|专访|采访|对话",
    "debate": r"debate|versus|\bvs\b|two schools|pros and cons|argument over|争论|辩论|两派|之争|还是.{1,12}？",
    "case": r"\bcase\b|incident|failure report|lessons from|what went wrong|案例|事故|失效报告",
    "study": r"\bstudy\b|survey of|measurements?|test report|laborator|benchmark|研究|测试报告|实测|数据对照|统计",
    "guide": r"\bguide\b|checklist|\bfaq\b|\bhow to\b|tips|basics|explained|指南|清单|大全|教程|问答|一文读懂|排查",
}
KINDS: Final = {kind: re.compile(words, re.IGNORECASE) for kind, words in _KIND_WORDS.items()}
"""What a page calls itself, in the order in which it is believed."""

FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|[Ww]e|[Oo]urs?|us|[Mm]y|me)\b|[我咱]|本厂|本公司")
SECOND_PERSON: Final = re.compile(r"\b(?:you|your|yours)\b|[你您]", re.IGNORECASE)
DANGLING: Final = re.compile(
    r"(?:It|This|That|These|Those|They|He|She|Its|Their|His|Her|Such|Both|Then|There|And|But|So|Or|Also|Only then|"
    r"The (?:first|second|other|latter|rest|growth|answer|rule|result|drop|note|disagreement|next)\b)\b"
    r"|这|那|它|他|她|其|此|因此|所以|但|而且|也|后来|接下来|最后|还有|同样|换上|等"
)
"""How a sentence begins that leans on the one before it."""

CLAIM: Final = re.compile(
    r"\b(?:more|less|fewer|better|worse|rather|sooner) (?:\w+ ){0,6}than\b|\bdecides?\b|\bdeserves?\b|\bmatters? more\b"
    r"|\bis (?:no|not)\b|\bnever\b|\bcannot\b|\bdepends? on\b|\bless often\b"
    r"|比[^，。]{1,16}更|决定|取决于|不等于|不是|不如|才是|胜过|优于"
)
NUANCE: Final = re.compile(
    r"\bonly (?:when|where|if)\b|\bbut only\b|\bunless\b|\bdepends?\b|\bexcept\b|的时候|取决于|除非|只有|视.{1,8}而定"
)
CHALLENGE: Final = re.compile(
    r"\bmore\b[^.]{1,60}\bthan\b|\bnot\b|\bno\b|\bcannot\b|\bnever\b|比[^，。]{1,16}更能|不是|不等于|不在|没有"
)
COUNTER: Final = re.compile(
    r"limits? of|does not settle|caveat|the case for|objection|边界|局限|没有解决|没有涉及|派的理由", re.IGNORECASE
)
"""Headings of what speaks against a thesis, or bounds it."""

ADVICE: Final = re.compile(
    r"^(?:Never|Do not|Don't|Always|Look|Draw|Check|Measure|Record|Stop|Put|Start|Write|Sample|Keep|Ask|Use)\b"
    r"|\bshould\b|\bmust\b|^(?:先|不要|别|应|每)|应当|必须|不准|要先"
)
PRACTICE: Final = re.compile(
    r"what to|when to|how (?:often|to)|when the|order in which|round|weekly|routine|before you|checklist|"
    r"测什么|什么时候|怎么|先看|多久|该记|每周|步骤",
    re.IGNORECASE,
)
"""Headings of what people do, as against why it is so."""

JUDGEMENT: Final = re.compile(
    r"\bdepends?\b|\bunless\b|\brather\b|\bonly (?:when|where|if)\b|\btrade-?off\b|\bagreed?\b|\bdisagree"
    r"|\bfirst\b[^.]*\?|取决于|除非|宁可|分歧|取舍|还是[^。]*？"
)
ANALOGY: Final = re.compile(r"\bthink of\b|\bimagine\b|\blike a\b|\bas if\b|想想|好比|就像|像.{1,8}一样", re.IGNORECASE)
QUESTION: Final = re.compile(r"[?？]")
TROUBLE: Final = re.compile(
    r"crack|scrap|fail|leak|broke|bent|out of|worse|wrong|lost|complain|裂|报废|漏|坏|不圆|超差|返工|失效",
    re.IGNORECASE,
)
MARKUP: Final = re.compile(r"[*_`<>|#\[\]{}\\]|https?://")
NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
HAN: Final = re.compile(r"[\u3400-\u9fff]")
