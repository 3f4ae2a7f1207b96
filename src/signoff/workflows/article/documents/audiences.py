"""The readers, depths and lengths of an article, and words for shares without a source (AR-2, AR-11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.core.terms import Terms, language_of
from signoff.workflows.article.documents.config_schema import RULE, ArticleConfig
from signoff.workflows.article.documents.terms import ANY_DEPTH, THESIS_DEPTHS, USER_TYPES


@dataclass(frozen=True, slots=True)
class Audience:
    """A type of reader, with the framework, the depth and the kind of author that follow from it."""

    user_type: str
    framework: str
    depth: str
    persona: str


AUDIENCES: Final = (
    Audience("入门新手", "b2b", "入门基础", "实践导师"),
    Audience("非专业人士", "b2b", "进阶技巧", "实践导师"),
    Audience("实操者", "b2b", "技术细节", "技术专家"),
    Audience("决策者", "b2b", "概述", "行业观察者"),
    Audience("专家", "b2b", "专家级", "技术专家"),
    Audience("好奇新手", "b2c", "极简", "生活达人"),
    Audience("问题解决者", "b2c", "实用", "热心邻居"),
    Audience("精明买家", "b2c", "对比", "精明买家代言人"),
)


def of(user_type: str) -> Audience:
    """The audience of a type of reader."""
    return next(one for one in AUDIENCES if one.user_type == user_type)


def user_types(framework: str) -> tuple[str, ...]:
    return tuple(one.user_type for one in AUDIENCES if one.framework == framework)


def depths(framework: str) -> tuple[str, ...]:
    return tuple(one.depth for one in AUDIENCES if one.framework == framework)


def conflicts(told: Mapping[str, Any]) -> list[Finding]:
    """Where the framework, reader and depth among the parameters of a run contradict each other."""
    user, depth, language = of(str(told["user"])) if told.get("user") else None, told.get("depth"), language_of(told)
    framework = told.get("audience") or (user.framework if user else None)
    reader = USER_TYPES.name(user.user_type, language) if user else ""
    named = THESIS_DEPTHS.name(depth, language) if depth else ""
    if user and framework and user.framework != framework:
        problem = f"--user {reader} is a reader of {user.framework}, and --audience is {framework}"
        valid = _listed(USER_TYPES, user_types(framework), language)
        return [_finding("user", problem, f"use one of {valid}", "")]
    if user and depth not in (None, user.depth):
        problem = f"--depth {named} does not suit --user {reader}"
        repair = f"use --depth {THESIS_DEPTHS.name(user.depth, language)}, or leave it out"
        return [_finding("depth", problem, repair, "")]
    if depth and framework and depth not in depths(framework):
        valid = _listed(THESIS_DEPTHS, depths(framework), language)
        return [_finding("depth", f"--depth {named} is none of {framework}", f"use one of {valid}", "")]
    return []


def check(config: ArticleConfig, file: str) -> Iterator[Finding]:
    """Where the framework, audience and depths of a config contradict each other."""
    audience, framework, language = of(config.audience), config.audienceFramework, config.language
    reader, suits = USER_TYPES.name(config.audience, language), THESIS_DEPTHS.name(audience.depth, language)
    if audience.framework != framework:
        valid = _listed(USER_TYPES, user_types(framework), language)
        problem = f"`audience` is {reader}, which is of {audience.framework}; valid for {framework}: {valid}"
        repair = f"choose one of them, or set `audienceFramework` to {audience.framework}"
        yield _finding("audience", problem, repair, file)
    elif config.depth != audience.depth and config.depth in depths(framework):
        problem = f"`depth` is {THESIS_DEPTHS.name(config.depth, language)}; valid for the audience {reader}: {suits}"
        yield _finding("depth", problem, f"set `depth` to {suits}, or choose another audience", file)
    valid = _listed(THESIS_DEPTHS, depths(framework), language)
    for path, depth in _stated(config):
        if depth in (None, *depths(framework)) or (depth == ANY_DEPTH and path.endswith("ecommendedDepth")):
            continue
        problem = f"`{path}` is {THESIS_DEPTHS.name(str(depth), language)}; valid for {framework}: {valid}"
        yield _finding(path, problem, "choose one of them, or correct `audienceFramework`", file)


def _stated(config: ArticleConfig) -> Iterator[tuple[str, str | None]]:
    yield "depth", config.depth
    yield "writingAngle.recommendedDepth", config.writingAngle.recommendedDepth
    for index, thesis in enumerate(config.research.recommendedTheses):
        yield f"workflowState.research.recommendedTheses[{index}].recommendedDepth", thesis.recommendedDepth
    decisions = config.writing.decisions
    if decisions and (adaptation := decisions.depthAdaptation):
        head = "workflowState.writing.decisions.depthAdaptation"
        yield f"{head}.originalRecommendedDepth", adaptation.originalRecommendedDepth
        yield f"{head}.actualDepth", adaptation.actualDepth


def _listed(terms: Terms, values: Iterable[str], language: str) -> str:
    return ", ".join(terms.name(value, language) for value in values)


def _finding(about: str, problem: str, repair: str, file: str) -> Finding:
    return Finding(rule=f"{RULE}.audience", problem=problem, repair=repair, file=file, about=about)


WORDS: Final = {"short": (900, 1100), "standard": (1200, 1500), "deep": (1800, 2300)}
FACTOR: Final = 1.6
"""Chinese characters for one English word."""


def budget(length: str, language: str, factor: float = FACTOR) -> tuple[int, int]:
    """The fewest and the most words, or characters in Chinese; both bounds are valid."""
    low, high = WORDS[length]
    if language == "en":
        return low, high
    exact = Fraction(str(factor))
    return math.floor(low * exact), math.ceil(high * exact)


SHARES: Final = (
    (15, "a small share", "一小部分"),
    (35, "a significant part", "相当一部分"),
    (65, "about half", "约一半"),
    (85, "most", "大多数"),
    (100, "nearly all", "几乎全部"),
)
"""Each wording applies below its bound."""


def fuzzy(percent: int | Decimal | Fraction, language: str) -> str:
    """A share in words; 0 % and 100 % stay figures."""
    if not 0 <= percent <= 100:
        raise UsageError(f"{percent} is not a share in percent", valid="0 to 100", repair="correct the figure")
    if percent in (0, 100):
        return f"{int(percent)}%"
    return next(en if language == "en" else zh for bound, en, zh in SHARES if percent < bound)
