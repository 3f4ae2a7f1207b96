"""How an offline critic judges: its own rules, and a score that follows from what they found.

The score is 10 minus the cost of the issues, a whole number, at least 1. An issue costs 4 (high), 1.5 (medium) or 0.5
(low), times the weight that the rule has for this critic; the sum is rounded up. So, as the advisors' guides have it,
one high issue gives 6 at best and with a medium one 4; two medium ones give 7; trifles give 9, and nothing found
gives 10. One more issue never raises a score.

A rule tells at most three of its faults, the worst first; only what is told costs. A critic whom the table does not
know judges by the rules that its expertise speaks of, and by plain reading where it speaks of none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, Final

from signoff.workflows.content.rules import RULES
from signoff.workflows.content.rules.piece import SEVERITIES, Found, Piece, Severity, piece_of
from signoff.workflows.wording import clipped, content

COST: Final[Mapping[Severity, float]] = {"high": 4.0, "medium": 1.5, "low": 0.5}
MOST_PER_RULE: Final = 3
LINE: Final = 560

ADVISORS: Final[Mapping[str, Mapping[str, float]]] = {
    "oli-gardner": {
        "one-action": 1.0,
        "action-placed": 1.0,
        "sections": 1.0,
        "feature-count": 1.0,
        "meta": 0.5,
        "proof-beside": 0.5,
    },
    "joanna-wiebe": {
        "headline-says": 1.0,
        "headline-length": 1.0,
        "action-clear": 1.0,
        "superlatives": 1.0,
        "jargon": 0.75,
        "reader-first": 1.0,
        "proof-beside": 0.75,
    },
    "shirin-oreizy": {"action-clear": 1.0, "price": 1.0, "objections": 0.75, "paragraphs": 1.0, "lists": 1.0},
    "copywriter": {
        "avoided-words": 1.0,
        "preferred-words": 1.0,
        "long-sentences": 0.5,
        "filler": 0.5,
        "jargon": 0.5,
        "passive": 0.5,
    },
    "accessibility-reviewer": {"heading-order": 1.0, "alt-texts": 1.0, "link-texts": 1.0, "action-clear": 0.5},
    "community-builder": {"reader-first": 1.0, "superlatives": 1.0, "jargon": 1.0, "hashtags": 1.0},
    "narrative-editor": {
        "headline-length": 1.0,
        "paragraphs": 1.0,
        "objections": 1.0,
        "proof-beside": 0.5,
        "action-clear": 0.5,
    },
    "objection-handler": {"objections": 1.0, "price": 0.5},
    "plain-language-editor": {
        "reading-ease": 1.0,
        "long-sentences": 1.0,
        "jargon": 1.0,
        "passive": 1.0,
        "filler": 0.5,
        "paragraphs": 1.0,
    },
    "positioning-strategist": {"headline-says": 1.0, "superlatives": 1.0, "reader-first": 0.5},
    "pricing-analyst": {"price": 1.5, "unknown-numbers": 1.0},
    "proof-auditor": {"unknown-numbers": 1.5, "proof-beside": 1.0, "superlatives": 1.0},
    "seo-specialist": {
        "keyword-headline": 1.0,
        "keyword-opening": 1.0,
        "keyword-density": 1.0,
        "meta": 1.0,
        "headline-length": 0.5,
        "heading-order": 0.5,
    },
    "social-editor": {"post-length": 1.0, "hashtags": 1.0, "action-clear": 1.0, "long-sentences": 1.0},
    "technical-accuracy-reviewer": {"unknown-numbers": 1.0, "superlatives": 1.0},
}
"""What each shipped critic looks at, and how much it weighs there."""

ALWAYS: Final[Mapping[str, float]] = {"size": 1.0}
PLAINLY: Final[Mapping[str, float]] = {
    "reading-ease": 1.0,
    "long-sentences": 1.0,
    "jargon": 1.0,
    "headline-length": 1.0,
}
"""The rules of a critic whose expertise speaks of none."""


def rules_of(advisor: str, expertise: str) -> Mapping[str, float]:
    """The rules of a critic with their weights: from the table, or those with two topics among its words."""
    if advisor in ADVISORS:
        return {**ALWAYS, **ADVISORS[advisor]}
    words = content(expertise)
    spoken = {rule.id: 1.0 for rule in RULES.values() if len(content(rule.topics) & words) >= 2}
    return {**ALWAYS, **(spoken or PLAINLY)}


def score(costs: Iterable[float]) -> int:
    """10 minus the costs, at least 1."""
    return max(1, 10 - ceil(sum(costs)))


def told(found: Sequence[Found]) -> list[Found]:
    """The faults of one rule that are told: the worst; of those that read the same, one."""
    worst = sorted(found, key=lambda each: SEVERITIES.index(each.severity))
    once = {each.description: each for each in reversed(worst)}
    return [each for each in worst if once.pop(each.description, None) is each][:MOST_PER_RULE]


def judge(advisor: str, expertise: str, draft: str, docs: Mapping[str, str], kind: str) -> dict[str, Any]:
    """The critique of a draft: score, issues with the worst first, and the aspects found clean.

    `docs` are the foundation documents by type, as far as they are there; under `idea` it may hold the idea, with its
    facts in a section `Facts`, and only then figures can be told from inventions.
    """
    return critique(rules_of(advisor, expertise), piece_of(draft, kind, tuple(sorted(docs.items()))))


def critique(weights: Mapping[str, float], piece: Piece) -> dict[str, Any]:
    found = {name: told(RULES[name](piece)) for name in weights}
    issues = [each for every in found.values() for each in every]
    clean = [RULES[name].aspect for name in weights if not found[name] and RULES[name].applies(piece)]
    return {
        "score": score(COST[each.severity] * weights[each.rule] for each in issues),
        "issues": [_plain(each) for each in sorted(issues, key=lambda each: SEVERITIES.index(each.severity))],
        "clean": clean,
    }


def _plain(found: Found) -> dict[str, str]:
    return {
        "severity": found.severity,
        "description": clipped(found.description, LINE),
        "suggestion": clipped(found.suggestion, LINE),
    }
