"""The types of values in an article's config: closed lists, ids of materials, places in the article."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import Field, StrictBool, StrictInt

from signoff.artifacts.yaml_forms import OneOf, Text
from signoff.core.terms import Term, Terms

Texts: TypeAlias = tuple[Text, ...]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0, description="a whole number, 0 or more")]
YesNo: TypeAlias = StrictBool
Percent: TypeAlias = Annotated[
    str, Field(pattern=r"^(?:100|[1-9]?[0-9])%$", description="a share in whole percent, as in '40%'")
]
Moment: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$",
        description="a moment in ISO 8601 with its zone, as in 2026-11-04T09:30:00Z",
    ),
]

# --- closed lists -----------------------------------------------------------------------------------------------------


def _en(*rows: str) -> Terms:
    """Values in English, each with its Chinese name."""
    return Terms(*(Term(value, zh=name) for value, name in (row.rsplit(" ", 1) for row in rows)))


def _zh(*rows: str) -> Terms:
    """Values in Chinese, each with its English name."""
    return Terms(*(Term(value, en=name) for value, name in (row.split(" ") for row in rows)))


LANGUAGES: Final = _en("en 英文", "zh 中文")
FRAMEWORKS: Final = _en("b2b 企业", "b2c 消费者")
ARTICLE_TYPES: Final = _en("opinion 观点", "tutorial 教程", "informational 资讯", "comparison 对比")
ARTICLE_LENGTHS: Final = _en("short 短篇", "standard 标准", "deep 深度")
USER_TYPES: Final = _zh(
    "入门新手 newcomer", "非专业人士 non-specialist", "实操者 practitioner", "决策者 decision-maker", "专家 expert",
    "好奇新手 curious-newcomer", "问题解决者 problem-solver", "精明买家 smart-buyer",
)  # fmt: skip
DEPTHS: Final = _zh(
    "入门基础 basics", "进阶技巧 advanced-tips", "技术细节 technical-details", "概述 overview", "专家级 expert-level",
    "极简 minimal", "实用 practical", "对比 comparison",
)  # fmt: skip
PERSONAS: Final = _zh(
    "实践导师 hands-on-mentor", "技术专家 technical-expert", "行业观察者 industry-observer",
    "生活达人 everyday-enthusiast", "热心邻居 helpful-neighbour", "精明买家代言人 buyers-advocate",
)  # fmt: skip
ANY_DEPTH: Final = "all"
THESIS_DEPTHS: Final = Terms(*DEPTHS.terms, Term(ANY_DEPTH, zh="不限"))
STANCES: Final = _en("challenge 质疑", "confirm 认同", "nuance 辨析")
SCORES: Final = _en("strong 强", "moderate 中等", "weak 弱")

Language: TypeAlias = Annotated[str, OneOf(LANGUAGES)]
Framework: TypeAlias = Annotated[str, OneOf(FRAMEWORKS)]
ArticleType: TypeAlias = Annotated[str, OneOf(ARTICLE_TYPES)]
ArticleLength: TypeAlias = Annotated[str, OneOf(ARTICLE_LENGTHS)]
UserType: TypeAlias = Annotated[str, OneOf(USER_TYPES)]
Depth: TypeAlias = Annotated[str, OneOf(DEPTHS)]
ThesisDepth: TypeAlias = Annotated[str, OneOf(THESIS_DEPTHS)]
Stance: TypeAlias = Annotated[str, OneOf(STANCES)]
Score: TypeAlias = Annotated[str, OneOf(SCORES)]
FunnelStage: TypeAlias = Annotated[str, OneOf(_en("awareness 认知", "consideration 考虑", "decision 决策"))]
Priority: TypeAlias = Annotated[str, OneOf(_en("high 高", "medium 中"))]
Status: TypeAlias = Annotated[str, OneOf(_en("in-progress 进行中", "completed 已完成"))]
Level: TypeAlias = Annotated[str, OneOf(_en("high 高", "medium 中", "low 低"))]
Strategy: TypeAlias = Annotated[str, OneOf(_en("execution 执行", "angle 角度", "both 两者"))]
Hook: TypeAlias = Annotated[str, OneOf(_en("surprising-stat 惊人数据", "question 提问", "problem 难题", "direct 直入"))]
Adjustment: TypeAlias = Annotated[str, OneOf(_en("keep 保留", "soften 弱化", "strengthen 强化"))]
ThesisSupport: TypeAlias = Annotated[
    str, OneOf(Terms(*SCORES.terms, *_en("nuance 辨析", "counter 反方", "neutral 中立").terms))
]
IntroFramework: TypeAlias = Annotated[str, OneOf(_en("Direct Hook 直接切入", "PAS 痛点式", "AIDA 引导式"))]
ConclusionType: TypeAlias = Annotated[
    str, OneOf(_en("next-step 下一步", "synthesis 综合", "verdict 定论", "prevention 预防"))
]
AnswerUniqueness: TypeAlias = Annotated[str, OneOf(_en("single 唯一", "few 少数", "many 众多"))]
JudgmentRequired: TypeAlias = Annotated[str, OneOf(_en("none 无", "some 一些", "significant 大量"))]
CompetitorDepth: TypeAlias = Annotated[str, OneOf(_en("surface 浅", "moderate 中等", "deep 深"))]
TargetDepth: TypeAlias = Annotated[str, OneOf(_en("match 持平", "deeper 更深", "much-deeper 深得多"))]
InsightUse: TypeAlias = Annotated[str, OneOf(_en("hook 开头", "opener 开篇", "evidence 证据"))]
InsightQuality: TypeAlias = Annotated[str, OneOf(_en("high 高", "medium 中", "limited 有限"))]
InsightSource: TypeAlias = Annotated[
    str, OneOf(_en("practitioner 实操者", "data 数据", "counter-intuitive 反直觉", "case-study 案例"))
]
IntentAlignment: TypeAlias = Annotated[str, OneOf(_en("aligned 一致", "partial 部分"))]
BeginnerTone: TypeAlias = Annotated[str, OneOf(_en("uncertain 犹豫", "curious 好奇", "frustrated 沮丧"))]
PractitionerTone: TypeAlias = Annotated[str, OneOf(_en("frustrated 沮丧", "urgent 紧迫", "analytical 分析"))]
Speaker: TypeAlias = Annotated[str, OneOf(_en("beginner 新手", "practitioner 实操者", "expert 专家"))]
VoiceUse: TypeAlias = Annotated[str, OneOf(_en("hook 开头", "example 例子", "evidence 证据"))]

# --- ids and places ---------------------------------------------------------------------------------------------------

_NUMBER: Final = r"(?:[1-9][0-9]{3,}|[0-9]{3})"
ID: Final = rf"(?:CASE-|EXP-|DEB-|VOICE-|D){_NUMBER}"
"""Any id of a material, as a pattern."""

CaseId: TypeAlias = Annotated[str, Field(pattern=rf"^CASE-{_NUMBER}$", description="an id of a case, as in CASE-001")]
ExpertId: TypeAlias = Annotated[
    str, Field(pattern=rf"^EXP-{_NUMBER}$", description="an id of an expert explanation, as in EXP-001")
]
DebateId: TypeAlias = Annotated[str, Field(pattern=rf"^DEB-{_NUMBER}$", description="an id of a debate, as in DEB-001")]
MaterialId: TypeAlias = Annotated[
    str,
    Field(pattern=rf"^{ID}$", description="an id of a material: CASE-001, D001, EXP-001, VOICE-001 or DEB-001"),
]

_SECTION: Final = r"H2-[1-9][0-9]*"
Place: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^(?:introduction|{_SECTION}|conclusion)$",
        description="introduction, H2-1, H2-2, … or conclusion",
    ),
]
Slot: TypeAlias = Annotated[
    str, Field(pattern=rf"^(?:hook|{_SECTION}|conclusion)$", description="hook, H2-1, H2-2, … or conclusion")
]
ShortPlace: TypeAlias = Annotated[
    str, Field(pattern=rf"^(?:intro|{_SECTION}|conclusion)$", description="intro, H2-1, H2-2, … or conclusion")
]
Placed: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^(?:introduction|{_SECTION}|conclusion): *\S",
        description="the place, a colon and what stands there, as in `H2-1: words of that section`",
    ),
]
Bracketed: TypeAlias = Annotated[
    str,
    Field(
        pattern=rf"^\[(?:introduction|{_SECTION}|conclusion)\]: *\S",
        description="the place in brackets, a colon and the opinion, as in `[H2-1]: prefer the slower bath`",
    ),
]


def place(name: str) -> str:
    """The usual name of a place: `hook` and `intro` are the introduction."""
    return "introduction" if name in ("hook", "intro") else name
