"""The fields of the config that code computes: what follows from a level, counts, mixes and coverage.

A patch is what `config_schema.put` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from signoff.workflows.article.checks.text import read
from signoff.workflows.article.documents import materials
from signoff.workflows.article.documents.config_schema import ArticleConfig, InternalLinks
from signoff.workflows.article.documents.materials import ROUNDS, Item, Round, round_of

Patch = dict[str, Any]

THESES: Final = 3
"""How many theses the person chooses from."""
STRATEGIES: Final = {"low": "execution", "medium": "both", "high": "angle"}
TARGETS: Final[Mapping[str, tuple[int, ...]]] = {
    "opinion": (40, 15, 25, 10, 10),
    "tutorial": (20, 25, 20, 30, 5),
    "informational": (15, 35, 35, 10, 5),
    "comparison": (25, 30, 20, 10, 15),
}
"""The percentage of each kind of material, in the order of the rounds."""
_COUNTED: Final[Mapping[Round, str]] = {
    "data": "dataPointsUsed",
    "cases": "casesUsed",
    "expert": "expertExplanationsUsed",
    "debates": "debatesUsed",
    "userVoice": "userVoicesUsed",
}


# --- after each step --------------------------------------------------------------------------------------------------


def joined(*patches: Patch) -> Patch:
    """Several patches of different fields as one."""
    whole: Patch = {}
    for patch in patches:
        for name, value in patch.items():
            both = isinstance(value, dict) and isinstance(whole.get(name), dict)
            whole[name] = joined(whole[name], value) if both else value
    return whole


def after_config(config: ArticleConfig) -> Patch:
    """Whether a thesis has to be chosen: a person may have written a thesis into the config."""
    if config.writingAngle.thesis and config.writingAngle.stance and config.articleType != "informational":
        return {"writingAngle": {"pending": False}}
    return angle_patch(config.articleType) if config.writingAngle.pending is None else {}


def after_phase_1(config: ArticleConfig, urls: Sequence[str]) -> Patch:
    """What follows from the level, and which pages were read."""
    read_so_far = {"workflowState": {"research": {"urlCache": list(urls), "status": "in-progress"}}}
    return joined(_level(config), read_so_far)


def after_rounds(config: ArticleConfig, items: Sequence[Item], urls: Sequence[str]) -> Patch:
    """The recorded materials, their counts and their mix."""
    recorded = {"materials": materials.listed(items), "urlCache": list(urls)}
    return joined(research_patch(config, items), {"workflowState": {"research": recorded}})


def again(config: ArticleConfig, urls: Sequence[str], items: Sequence[Item], outline: str, draft: str) -> Patch:
    """All computed fields of a config that a person edited, up to the step of the run."""
    research, writing = config.workflowState.research, config.workflowState.writing
    return joined(
        after_config(config),
        after_phase_1(config, urls) if research and not items else {},
        joined(after_rounds(config, items, urls), _level(config)) if items else {},
        outline_patch(config, outline) if writing and outline else {},
        draft_patch(config, draft) if writing and draft else {},
    )


# --- the angle (AR-3) -------------------------------------------------------------------------------------------------


def skips_thesis(kind: str | None, level: str | None) -> bool:
    """Whether the article has no thesis at all."""
    return level == "low" or kind == "informational"


def wants_theses(config: ArticleConfig) -> bool:
    """Whether phase 1 proposes theses, given the level that it found."""
    space = config.research.innovationSpace
    return bool(config.writingAngle.pending) and not skips_thesis(config.articleType, space.level if space else None)


def angle_patch(kind: str | None) -> Patch:
    """The angle of a new config: open, unless the type has no thesis."""
    angle = {"thesis": None, "stance": None, "pending": kind != "informational", "depthMismatchAcknowledged": False}
    return {"writingAngle": angle}


def level_patch(kind: str | None, level: str) -> Patch:
    """What follows from the level that phase 1 found."""
    skip = skips_thesis(kind, level)
    space = {"strategy": "execution" if skip else STRATEGIES[level], "skipThesis": skip}
    patch: Patch = {"workflowState": {"research": {"innovationSpace": space}}}
    return patch | {"writingAngle": {"thesis": None, "stance": None, "pending": False}} if skip else patch


def _level(config: ArticleConfig) -> Patch:
    space = config.research.innovationSpace
    return level_patch(config.articleType, space.level) if space and space.level else {}


# --- materials (AR-6) -------------------------------------------------------------------------------------------------


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
    """The counts of the materials, and their mix. A source is a page with a material."""
    counts = Counter(item.round for item in items)
    found: Patch = {
        "summary": {
            "sourceCount": len({item.url for item in items}),
            "dataPointCount": counts["data"],
            "competitorCount": len(config.research.competitorContent),
            "caseCount": counts["cases"],
            "expertExplanationCount": counts["expert"],
            "debateCount": counts["debates"],
            "userVoiceCount": counts["userVoice"],
        }
    }
    if config.articleType:
        found["materialMix"] = material_mix(config.articleType, items)
    return {"workflowState": {"research": found}}


def material_mix(kind: str, items: Iterable[Item]) -> dict[str, Any]:
    """The mix that the type needs, the actual mix, and the kinds of which there are too few."""
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


def marked(draft: str) -> tuple[str, ...]:
    """The materials that a draft marks, each once, in order."""
    return tuple(dict.fromkeys(read(draft).ids))


def outline_patch(config: ArticleConfig, outline: str) -> Patch:
    """The sections of the outline; the last one is the conclusion."""
    titles = [part.title for part in read(outline).sections]
    shape: Patch = {"h2Count": len(titles), "structure": titles}
    if config.buyerJourney:
        shape["funnelStage"] = config.buyerJourney.funnelStage
    return {"workflowState": {"writing": {"outline": shape}}}


def draft_patch(config: ArticleConfig, draft: str) -> Patch:
    """The counts of a draft, and how many of the differentiators it uses."""
    done = execution(config, draft)
    decisions: Patch = {"internalLinks": {"totalCount": done["internalLinksUsed"]}}
    decided = config.writing.decisions
    if decided and decided.productMentions:
        decisions["productMentions"] = {"count": len(decided.productMentions.used)}
    usage = {"differentiatorCoverage": coverage(config, marked(draft))}
    return {"workflowState": {"writing": {"execution": done, "materialUsage": usage, "decisions": decisions}}}


def execution(config: ArticleConfig, draft: str) -> dict[str, int]:
    """The length of a draft, its materials by their markers, and its links that the config declares."""
    article = read(draft)
    rounds = Counter(round_of(one) for one in marked(draft))
    links = config.internalLinks or InternalLinks()
    declared = {link.url for link in links.required} | {link.url for link in links.recommended}
    used = sum(link.url in declared for link in article.page.links)
    counts = {field: rounds[name] for name, field in _COUNTED.items()}
    return {"actualWordCount": article.length(config.language), "internalLinksUsed": used, **counts}


def coverage(config: ArticleConfig, used: Collection[str]) -> dict[str, Any]:
    """What became of each differentiator: used in the draft, skipped with a reason, or forgotten."""
    found, usage = config.research.materials, config.writing.materialUsage
    wanted = tuple(dict.fromkeys(found.differentiators)) if found else ()
    skipped = {one.id for one in usage.skipped} if usage else set()
    said = [f"{one} {'✅' if one in used else '❌ skipped' if one in skipped else '❌ missing'}" for one in wanted]
    return {"total": len(wanted), "used": sum(one in used for one in wanted), "list": said}
