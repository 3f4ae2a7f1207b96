"""Whom an article is for and how long it is; how a share is said where no source gives the figure (AR-2, AR-11)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.core.findings import Finding
from signoff.workflows.article.schema import RULE, ArticleConfig
from signoff.workflows.article.terms import ArticleLength, Depth, Framework, Language, Persona, ThesisDepth, UserType


@dataclass(frozen=True, slots=True)
class Audience:
    """A type of reader; framework, depth and the kind of author that suits follow from it."""

    user_type: UserType
    framework: Framework
    depth: Depth
    persona: Persona


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
    """The audience of this name."""
    found = next((one for one in AUDIENCES if one.user_type == user_type), None)
    if found is None:
        valid = ", ".join(f"{one.user_type} ({one.framework})" for one in AUDIENCES)
        raise UsageError(f"{user_type!r} is no audience", valid=valid, repair="choose one of them")
    return found


def user_types(framework: Framework) -> tuple[UserType, ...]:
    """The types of readers of a framework."""
    return tuple(one.user_type for one in AUDIENCES if one.framework == framework)


def depths(framework: Framework) -> tuple[Depth, ...]:
    """The depths of a framework."""
    return tuple(one.depth for one in AUDIENCES if one.framework == framework)


# --- do they fit? -----------------------------------------------------------------------------------------------------


def check(config: ArticleConfig, file: str) -> list[Finding]:
    """Where framework, audience and depths contradict each other."""
    return [*_audience(config, file), *_depths(config, file)]


def conflicts(told: Mapping[str, Any]) -> list[Finding]:
    """Where what a person says of framework, reader and depth contradicts itself, before anything is begun."""
    user = of(str(told["user"])) if told.get("user") else None
    framework = told.get("audience") or (user.framework if user else None)
    found = []
    if user and framework and user.framework != framework:
        problem = f"--user {user.user_type} is a reader of {user.framework}, and --audience is {framework}"
        found.append(_finding("user", problem, f"use one of {', '.join(user_types(framework))}", ""))
    elif user and told.get("depth") not in (None, user.depth):
        problem = f"--depth {told['depth']} does not suit --user {user.user_type}"
        found.append(_finding("depth", problem, f"use --depth {user.depth}, or leave it out", ""))
    elif told.get("depth") and framework and told["depth"] not in depths(framework):
        problem = f"--depth {told['depth']} is none of {framework}"
        found.append(_finding("depth", problem, f"use one of {', '.join(depths(framework))}", ""))
    return found


def _audience(config: ArticleConfig, file: str) -> Iterator[Finding]:
    audience, framework = of(config.audience), config.audienceFramework
    if audience.framework != framework:
        valid = ", ".join(user_types(framework))
        problem = f"`audience` is {config.audience}, which is of {audience.framework}; valid for {framework}: {valid}"
        repair = f"choose one of them, or set `audienceFramework` to {audience.framework}"
        yield _finding("audience", problem, repair, file)
    elif config.depth != audience.depth and config.depth in depths(framework):
        problem = f"`depth` is {config.depth}; valid for the audience {config.audience}: {audience.depth}"
        yield _finding("depth", problem, f"set `depth` to {audience.depth}, or choose another audience", file)


def _depths(config: ArticleConfig, file: str) -> Iterator[Finding]:
    valid = depths(config.audienceFramework)
    for path, depth in _stated(config):
        if depth is None or depth in valid or (depth == "all" and path.endswith("ecommendedDepth")):
            continue
        problem = f"`{path}` is {depth}; valid for {config.audienceFramework}: {', '.join(valid)}"
        yield _finding(path, problem, "choose one of them, or correct `audienceFramework`", file)


def _stated(config: ArticleConfig) -> Iterator[tuple[str, ThesisDepth | None]]:
    yield "depth", config.depth
    yield "writingAngle.recommendedDepth", config.writingAngle.recommendedDepth
    for index, thesis in enumerate(config.research.recommendedTheses):
        yield f"workflowState.research.recommendedTheses[{index}].recommendedDepth", thesis.recommendedDepth
    decisions = config.writing.decisions
    if decisions and (adaptation := decisions.depthAdaptation):
        head = "workflowState.writing.decisions.depthAdaptation"
        yield f"{head}.originalRecommendedDepth", adaptation.originalRecommendedDepth
        yield f"{head}.actualDepth", adaptation.actualDepth


def _finding(about: str, problem: str, repair: str, file: str) -> Finding:
    return Finding(rule=f"{RULE}.audience", problem=problem, repair=repair, file=file, about=about)


# --- how long ---------------------------------------------------------------------------------------------------------

WORDS: Final[dict[ArticleLength, tuple[int, int]]] = {
    "short": (900, 1100),
    "standard": (1200, 1500),
    "deep": (1800, 2300),
}
FACTOR: Final = 1.6
"""Han characters for one English word."""


def budget(length: ArticleLength, language: Language, factor: float = FACTOR) -> tuple[int, int]:
    """The fewest and the most words, both allowed; characters for Chinese. A part of a character is never asked for."""
    low, high = WORDS[length]
    if language == "en":
        return low, high
    exact = Fraction(str(factor))
    return math.floor(low * exact), math.ceil(high * exact)


# --- shares in words --------------------------------------------------------------------------------------------------

SHARES: Final = (
    (15, "a small share", "一小部分"),
    (35, "a significant part", "相当一部分"),
    (65, "about half", "约一半"),
    (85, "most", "大多数"),
    (100, "nearly all", "几乎全部"),
)
"""Each wording up to its bound, which belongs to the next one."""


def fuzzy(percent: int | Decimal | Fraction, language: Language) -> str:
    """A share in words; none and all are said exactly."""
    if not 0 <= percent <= 100:
        raise UsageError(f"{percent} is no share in percent", valid="0 to 100", repair="correct the figure")
    if percent in (0, 100):
        return f"{int(percent)}%"
    return next(en if language == "en" else zh for bound, en, zh in SHARES if percent < bound)
