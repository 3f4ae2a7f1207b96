"""What code works out for the config, and nobody else says: consequences of a level, counts, mixes, coverage.

The functions that end in a patch give what `edit.put` takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from signoff.artifacts import markdown
from signoff.artifacts.words import count_cn, count_en
from signoff.workflows.article.checks.text import read
from signoff.workflows.article.materials import ROUNDS, Item, Round, round_of
from signoff.workflows.article.schema import ArticleConfig, InternalLinks
from signoff.workflows.article.terms import ArticleType, Language, Level, Strategy

Patch = dict[str, Any]

# --- the angle (AR-3) -------------------------------------------------------------------------------------------------

STRATEGIES: Final[Mapping[Level, Strategy]] = {"low": "execution", "medium": "both", "high": "angle"}
THESES: Final = 3
"""How many theses are put to the person."""


def skips_thesis(kind: ArticleType | None, level: Level | None) -> bool:
    """Whether the article has no thesis at all."""
    return level == "low" or kind == "informational"


def strategy(kind: ArticleType | None, level: Level) -> Strategy:
    """By what the article sets itself apart."""
    return "execution" if skips_thesis(kind, level) else STRATEGIES[level]


def wants_theses(config: ArticleConfig) -> bool:
    """Whether phase 1 proposes theses; asked with the level that it found."""
    space = config.research.innovationSpace
    return bool(config.writingAngle.pending) and not skips_thesis(config.articleType, space.level if space else None)


def angle_patch(kind: ArticleType | None) -> Patch:
    """The angle of a new config: open, except where the type has none."""
    angle = {"thesis": None, "stance": None, "pending": kind != "informational", "depthMismatchAcknowledged": False}
    return {"writingAngle": angle}


def level_patch(kind: ArticleType | None, level: Level) -> Patch:
    """What follows from the level that phase 1 found."""
    skip = skips_thesis(kind, level)
    space = {"strategy": strategy(kind, level), "skipThesis": skip}
    patch: Patch = {"workflowState": {"research": {"innovationSpace": space}}}
    return patch | {"writingAngle": {"thesis": None, "stance": None, "pending": False}} if skip else patch


# --- materials (AR-6) -------------------------------------------------------------------------------------------------

TARGETS: Final[Mapping[ArticleType, tuple[int, ...]]] = {
    "opinion": (40, 15, 25, 10, 10),
    "tutorial": (20, 25, 20, 30, 5),
    "informational": (15, 35, 35, 10, 5),
    "comparison": (25, 30, 20, 10, 15),
}
"""Percent of each kind of material, in the order of the rounds."""


def shares(counts: Sequence[int]) -> tuple[int, ...]:
    """Whole percents that add up to 100: the largest remainders are rounded up, the first of equals first."""
    total = sum(counts)
    if not total:
        return (0,) * len(counts)
    whole = [count * 100 // total for count in counts]
    by_remainder = sorted(range(len(counts)), key=lambda place: -(counts[place] * 100 % total))
    for place in by_remainder[: 100 - sum(whole)]:
        whole[place] += 1
    return tuple(whole)


def research_patch(config: ArticleConfig, items: Sequence[Item]) -> Patch:
    """Counts and mixes of the materials that were recorded; a mix is one of a type."""
    found: Patch = {"summary": summary(config, items)}
    if config.articleType:
        found["materialMix"] = material_mix(config.articleType, items)
    return {"workflowState": {"research": found}}


def summary(config: ArticleConfig, items: Sequence[Item]) -> dict[str, int]:
    """How much there is of what; a source is a page that at least one material rests on."""
    counts = Counter(item.round for item in items)
    return {
        "sourceCount": len({item.url for item in items}),
        "dataPointCount": counts["data"],
        "competitorCount": len(config.research.competitorContent),
        "caseCount": counts["cases"],
        "expertExplanationCount": counts["expert"],
        "debateCount": counts["debates"],
        "userVoiceCount": counts["userVoice"],
    }


def material_mix(kind: ArticleType, items: Iterable[Item]) -> dict[str, Any]:
    """The mix that the type wants, the one that is there, and which kinds are short."""
    counts = Counter(item.round for item in items)
    target = dict(zip(ROUNDS, TARGETS[kind], strict=True))
    actual = dict(zip(ROUNDS, shares([counts[name] for name in ROUNDS]), strict=True))
    short = [name for name in ROUNDS if actual[name] < target[name]]
    return {
        "targetMix": {name: f"{share}%" for name, share in target.items()},
        "actualMix": {name: f"{share}%" for name, share in actual.items()},
        "gaps": [f"{name}: {actual[name]}% of the materials, target {target[name]}% ({kind})" for name in short],
    }


# --- outline and draft ------------------------------------------------------------------------------------------------

_COUNTED: Final[Mapping[Round, str]] = {
    "data": "dataPointsUsed",
    "cases": "casesUsed",
    "expert": "expertExplanationsUsed",
    "debates": "debatesUsed",
    "userVoice": "userVoicesUsed",
}


def titles(text: str) -> tuple[str, ...]:
    """The titles of the `##` sections of an outline or a draft, in order; the last is the conclusion."""
    return tuple(section.heading.text for section in markdown.parse(text).sections(2))


def marked(draft: str) -> tuple[str, ...]:
    """The materials that a draft marks, each once, in order."""
    return tuple(dict.fromkeys(read(draft).ids))


def length(text: str, language: Language) -> int:
    """How long a text is: words, or characters in Chinese."""
    visible = markdown.parse(text).visible()
    return count_en(visible) if language == "en" else count_cn(visible)


def outline_patch(config: ArticleConfig, outline: str) -> Patch:
    """The shape of the article as the outline has it."""
    structure = titles(outline)
    shape: Patch = {"h2Count": len(structure), "structure": list(structure)}
    if config.buyerJourney:
        shape["funnelStage"] = config.buyerJourney.funnelStage
    return {"workflowState": {"writing": {"outline": shape}}}


def draft_patch(config: ArticleConfig, draft: str) -> Patch:
    """What the draft holds, and how many of the differentiators it uses."""
    writing: Patch = {"execution": execution(config, draft)}
    writing["materialUsage"] = {"differentiatorCoverage": coverage(config, marked(draft))}
    decisions: Patch = {"internalLinks": {"totalCount": writing["execution"]["internalLinksUsed"]}}
    decided = config.writing.decisions
    if decided and decided.productMentions:
        decisions["productMentions"] = {"count": len(decided.productMentions.used)}
    return {"workflowState": {"writing": writing | {"decisions": decisions}}}


def execution(config: ArticleConfig, draft: str) -> dict[str, int]:
    """What the draft holds, counted: a material by its marker, a link where it is one that the config declares."""
    rounds = Counter(round_of(one) for one in marked(draft))
    links = config.internalLinks or InternalLinks()
    declared = {link.url for link in links.required} | {link.url for link in links.recommended}
    used = sum(link.url in declared for link in markdown.parse(draft).links)
    counts = {field: rounds[name] for name, field in _COUNTED.items()}
    return {"actualWordCount": length(draft, config.language), "internalLinksUsed": used, **counts}


def coverage(config: ArticleConfig, used: Collection[str]) -> dict[str, Any]:
    """What became of each differentiator: used in the draft, skipped with a reason, or forgotten."""
    materials, usage = config.research.materials, config.writing.materialUsage
    wanted = tuple(dict.fromkeys(materials.differentiators)) if materials else ()
    skipped = {one.id for one in usage.skipped} if usage else set()
    said = [f"{one} {'✅' if one in used else '❌ skipped' if one in skipped else '❌ missing'}" for one in wanted]
    return {"total": len(wanted), "used": sum(one in used for one in wanted), "list": said}
