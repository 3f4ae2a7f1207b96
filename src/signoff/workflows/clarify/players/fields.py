"""Which dimension a passage belongs to, by its words.

A dimension has strong words (its name, its title, and the vocabulary of the trade that goes with them) and weak ones
(what it says it is about). A heading with a strong word settles it for everything below; elsewhere a passage must
carry one strong word or two weak ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from signoff.workflows.clarify.players.wording import content

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
_CLAUSE: Final = re.compile(r"[.;,，。；、\n]|\bbut\b|但")
_WITHOUT: Final = re.compile(r"\b(?:not|without|except|exclud\w+|leave out|no|omit|skip)\b|不|除|排除", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Field:
    """A dimension as its words; `others` are the words of trades that belong to other dimensions."""

    strong: frozenset[str]
    weak: frozenset[str]
    others: frozenset[str]

    def owns(self, heading: str) -> bool:
        """Whether a heading names this dimension."""
        return bool(content(heading) & self.strong)

    def yields(self, heading: str) -> bool:
        """Whether a heading names another dimension that everybody knows."""
        return bool(content(heading) & self.others) and not self.owns(heading)

    def fits(self, text: str) -> bool:
        """Whether a passage without such a heading speaks of this dimension."""
        words = content(text)
        return 2 * len(words & self.strong) + len(words & self.weak) >= 2


def field_of(dimension: Mapping[str, Any]) -> Field:
    """The words of a dimension as the brief describes it."""
    name = content(f"{dimension.get('name', '')} {dimension.get('title', '')}")
    about = content(str(dimension.get("about", "")))
    own = [trade for trade in _TRADES if trade & name] or [trade for trade in _TRADES if trade & about]
    strong = name.union(*own)
    others = frozenset[str]().union(*(trade for trade in _TRADES if trade not in own)) - strong
    return Field(strong, about - strong, others)


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
