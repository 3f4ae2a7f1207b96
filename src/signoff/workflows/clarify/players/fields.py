"""Which dimension a passage belongs to, by its words.

A dimension has strong words (its name, its title, and the vocabulary of the trade that goes with them) and weak ones
(what it says it is about). A heading with a strong word settles it for everything below; elsewhere a passage must
carry one strong word or two weak ones. What nobody claims so goes to one dimension, and all agree to which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signoff.workflows.wording import content

_TRADES: Final = tuple(
    content(vocabulary)
    for vocabulary in (
        "metrics measures counts calculate calculation formula KPI rate ratio coverage value 指标 度量 计算 口径 统计",
        "segmentation segments groups grouped categories tiers classes regions industries 细分 分类 分组 分层 客户群",
        "stages steps phases funnel milestones entry exit 阶段 步骤 流程 环节",
        "rules policies approval approve approver allowed discount exceptions override 规则 审批 权限 例外 政策 折扣",
        "data sources systems CRM ERP fields records spreadsheet duplicates import 数据 来源 系统 字段 录入 表格",
    )
)
_VAGUE: Final = content("good come go work somebody")
"""Words of a description that tell nothing of its subject."""
_HINTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bhow (?:many|much|high)\b|\b(?:amounts?|percent|price|cost|fee|total)\b|%|多少|金额|比例|费用|数量",
        r"\b(?:which|what) (?:customer|product|good|item|order)s?\b|\b(?:kind|type|grade)s?\b|哪些客户|哪类|等级",
        r"\bwhen\b|\b(?:begin|start|end|finish|deadline|before|after|until)s?\b|何时|什么时候|开始|结束|时点|之前|之后",
        r"\bwho\b|\b(?:may|must|should|allowed|pays?|responsible|limit)\b|谁|是否|应|允许|负责|多久|承担",
        r"\bwhere\b|\b(?:stored?|keep|kept|file|export|database|photos?)\b|哪里|保存|存放|记录|导出",
    )
)
_CLAUSE: Final = re.compile(r"[.;,，。；、\n]|\bbut\b|但")
_WITHOUT: Final = re.compile(r"\b(?:not|without|except|exclud\w+|leave out|no|omit|skip)\b|不|除|排除", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Field:
    """A dimension as its words; `others` are the words of trades that belong to other dimensions."""

    strong: frozenset[str]
    weak: frozenset[str]
    others: frozenset[str]
    trades: tuple[int, ...] = ()

    def owns(self, heading: str) -> bool:
        """Whether a heading names this dimension."""
        return bool(content(heading) & self.strong)

    def yields(self, heading: str) -> bool:
        """Whether a heading names another dimension that everybody knows."""
        return bool(content(heading) & self.others) and not self.owns(heading)

    def claims(self, heads: Sequence[str], text: str) -> bool:
        """Whether a point is this dimension's by its words: those of the headings above it, else its own."""
        if any(map(self.yields, heads)):
            return False
        return any(map(self.owns, heads)) or self.score(text) >= 2

    def score(self, text: str) -> int:
        """How much a text speaks of this dimension."""
        words = content(text)
        return 2 * len(words & self.strong) + len(words & self.weak)


def takers(heads: Sequence[str], text: str, fields: Sequence[Field]) -> frozenset[int]:
    """Which of all dimensions take a point: those that claim it, and if none does, exactly one.

    Every researcher knows all dimensions and comes to the same conclusion by itself: the one with most of the point's
    words, then the one whose trade asks in this way, then the first.
    """
    claimed = frozenset(at for at, field in enumerate(fields) if field.claims(heads, text))
    if claimed or not fields:
        return claimed
    scores = [field.score(text) for field in fields]
    if max(scores) > 0:
        return frozenset({scores.index(max(scores))})
    asked = next((trade for trade, hint in enumerate(_HINTS) if hint.search(text)), None)
    return frozenset({next((at for at, field in enumerate(fields) if asked in field.trades), 0)})


def field_of(dimension: Mapping[str, Any]) -> Field:
    """The words of a dimension as the brief describes it."""
    name = content(f"{dimension.get('name', '')} {dimension.get('title', '')}")
    about = content(str(dimension.get("about", ""))) - _VAGUE
    own = [trade for trade in _TRADES if trade & name] or [trade for trade in _TRADES if trade & about]
    strong = name.union(*own)
    others = frozenset[str]().union(*(trade for trade in _TRADES if trade not in own)) - strong
    return Field(strong, about - strong, others, tuple(at for at, trade in enumerate(_TRADES) if trade in own))


def fields_of(dimension: Mapping[str, Any], everybody: object) -> tuple[int, tuple[Field, ...]]:
    """All dimensions of the work, and the place of this one among them; alone where nobody says which others are."""
    named = [one for one in everybody if isinstance(one, Mapping)] if isinstance(everybody, Sequence) else []
    at = next((at for at, one in enumerate(named) if one.get("name") == dimension.get("name")), len(named))
    return at, tuple(map(field_of, named if at < len(named) else [*named, dimension]))


@dataclass(frozen=True, slots=True)
class Scope:
    """What a person narrowed the work to: words that must be there, and words that must not."""

    wanted: frozenset[str]
    left_out: frozenset[str]

    def takes(self, text: str) -> bool:
        """Whether something is within the scope."""
        words = content(text)
        return not words & self.left_out and (not self.wanted or bool(words & self.wanted))


def scope_of(text: object) -> Scope:
    """The scope in the person's words: `managed services, not projects`. No text is no limit."""
    wanted, left_out = set[str](), set[str]()
    for clause in _CLAUSE.split(str(text or "")):
        (left_out if _WITHOUT.search(clause) else wanted).update(content(clause))
    return Scope(frozenset(wanted - left_out), frozenset(left_out))
