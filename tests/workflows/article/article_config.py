"""A config of an article in which every field of the schema is set, and a small one that is only begun."""

from __future__ import annotations

import copy
import json
from typing import Any

from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc

BEGUN: dict[str, Any] = {
    "topic": "quench-oil-or-water",
    "language": "en",
    "audienceFramework": "b2b",
    "articleType": "opinion",
    "articleLength": "standard",
    "audience": "实操者",
    "depth": "技术细节",
    "authorPersona": {
        "role": "heat-treatment foreman",
        "experience": "twelve years at the furnace",
        "specialty": "large castings",
        "bias": "a stable bath before a fast one",
        "voiceTraits": ["plain", "direct"],
    },
    "buyerJourney": {
        "funnelStage": "consideration",
        "conversionPath": {"primaryCTA": {"action": "book a bath analysis"}},
        "nextTopics": ["bath maintenance"],
        "prerequisites": ["what quenching is"],
    },
    "internalLinks": {
        "required": [{"target": "bath-care", "url": "/bath-care", "anchor": "care of the bath"}],
        "recommended": [{"target": "steel", "url": "/steel", "anchor": "steels", "priority": "high"}],
        "cluster": "heat treatment",
    },
    "products": [{"category": "filters", "mention": "a bypass filter", "url": "/filters"}],
}

_QUOTED = {"quote": "The filter was clogged for weeks.", "url": "0-sources/en/quench.md", "usage": "H2-1"}
_LIST = ["one", "two"]

RESEARCH: dict[str, Any] = {
    "status": "completed",
    "completedAt": "2026-11-04T09:30:00Z",
    "urlCache": ["0-sources/en/quench.md"],
    "competitorContent": {
        "0-sources/en/quench.md": {"structure": _LIST, "stances": _LIST, "dataPoints": _LIST, "gaps": _LIST}
    },
    "summary": {
        "sourceCount": 1, "dataPointCount": 1, "competitorCount": 1, "caseCount": 1,
        "expertExplanationCount": 1, "debateCount": 1, "userVoiceCount": 1,
    },
    "materialMix": {
        "targetMix": {"cases": "40%", "data": "15%", "expert": "25%", "userVoice": "10%", "debates": "10%"},
        "actualMix": {"cases": "20%", "data": "20%", "expert": "20%", "userVoice": "20%", "debates": "20%"},
        "gaps": ["cases: 20% of the materials, target 40% (opinion)"],
    },
    "competitorAnalysis": {
        "stances": {"consensus": _LIST, "disagreements": _LIST, "implicitAssumptions": _LIST},
        "dataSourcing": {"strongSources": _LIST, "weakClaims": _LIST, "opportunityAreas": _LIST},
        "terminology": {"standardTerms": {"bath": "quenchant"}, "readerExpectations": "plain words"},
        "stanceOpportunities": [{"theyAllSay": "faster is better", "ourStance": "challenge", "evidence": "D001"}],
    },
    "insights": {
        "goldenInsights": [{"insight": "filters first", "source": "0-sources/en/quench.md", "suggestedUse": "opener"}],
        "quality": "limited",
        "suggestedHook": "surprising-stat",
    },
    "differentiation": {
        "score": "moderate",
        "primaryDifferentiator": "figures of a real shop",
        "types": {"coverage": _LIST, "stance": _LIST, "quality": _LIST},
        "irreplicableInsights": [
            {"insight": "filters", "sourceType": "counter-intuitive", "source": "log", "intentAlignment": "partial"}
        ],
        "avoidList": _LIST,
    },
    "innovationSpace": {
        "level": "high",
        "reason": "shops differ",
        "signals": {"contentVariance": "high", "answerUniqueness": "few", "judgmentRequired": "significant"},
        "strategy": "angle",
        "skipThesis": False,
    },
    "executionDifferentiation": {
        "depth": {"competitorLevel": "surface", "ourTarget": "much-deeper", "specificAreas": _LIST},
        "coverage": {"competitorGaps": _LIST, "ourAdditions": _LIST},
        "practicalValue": {"competitorProvides": _LIST, "ourAdditions": _LIST},
        "score": "strong",
    },
    "gaps": {"data": _LIST, "coverage": _LIST},
    "controversies": _LIST,
    "coreThesis": "care beats speed",
    "recommendedTheses": [
        {
            "thesis": f"thesis {number}", "stance": "nuance", "recommendedDepth": "all",
            "evidenceSummary": "D001", "differentiationScore": "weak",
        }
        for number in (1, 2, 3)
    ],
    "thesisValidation": {
        "originalThesis": "care beats speed", "evidenceFor": _LIST, "evidenceAgainst": _LIST,
        "validatedThesis": "care mostly beats speed", "personaFraming": "as a foreman", "adjustment": "soften",
    },
    "writingAdvice": {
        "emphasize": _LIST, "cautious": _LIST, "differentiateWith": _LIST, "stanceToTake": _LIST,
        "terminologyToUse": {"bath": "bath"}, "personaVoiceNotes": _LIST,
    },
    "userVoices": {
        "collected": True,
        "audienceMatch": "close",
        "beginnerPhrasing": {"questions": _LIST, "problemDescriptions": _LIST, "emotionalTone": "curious"},
        "practitionerPhrasing": {"questions": _LIST, "problemDescriptions": _LIST, "emotionalTone": "urgent"},
        "expertPhrasing": {"discussions": _LIST, "assumedKnowledge": _LIST, "technicalLevel": "high"},
        "terminologyMap": [{"usersSay": "bath", "technicalTerm": "quenchant", "useInArticle": "bath"}],
        "quotableVoices": [{"quote": "nobody looks", "sourceType": "expert", "suggestedUse": "example"}],
    },
    "authorityStrategy": {
        "sourcesFound": {
            "tier1_academic": [{"source": "an institute", "credential": "its chair", **_QUOTED}],
            "tier2_industry": [{"source": "a norm", "document": "part 2", **_QUOTED}],
            "tier3_namedExperts": [{"name": "A. Person", "credential": "engineer", **_QUOTED}],
            "tier4_practitioners": [
                {"username": "furnace9", "platform": "a forum", "statedExperience": "9 years", **_QUOTED}
            ],
        },
        "eatSignals": {
            "experienceSignals": _LIST, "expertiseSignals": _LIST, "authoritySignals": _LIST, "trustSignals": _LIST,
        },
        "quotePlan": {"targetCount": "2-3", "distribution": {"introduction": "x", "body": "y", "conclusion": "z"}},
    },
    "materials": {
        "cases": [
            {
                "id": "CASE-001", "title": "A cracked batch", "summary": "traced to a filter", "suggestedUse": "hook",
                "persuasionType": "shock-value", "competitorHas": False, "thesisSupport": "strong",
                "suggestedPlacement": "introduction",
            }
        ],
        "expertExplanations": [
            {
                "id": "EXP-001", "concept": "why rate matters", "expert": "A. Person", "analogyAvailable": True,
                "canBorrow": ["analogy"], "thesisSupport": "counter", "suggestedPlacement": "H2-2",
            }
        ],
        "debates": [
            {
                "id": "DEB-001", "topic": "water or oil", "positions": 2, "ourPosition": "it depends",
                "thesisSupport": "nuance", "suggestedPlacement": "conclusion",
            }
        ],
        "byThesisRelevance": {"strongSupport": ["CASE-001"], "counterPoints": ["DEB-001"], "neutral": ["VOICE-001"]},
        "byPlacement": {"hook": ["CASE-001"], "H2-1": ["D001"], "conclusion": ["VOICE-001"]},
        "differentiators": ["CASE-001", "EXP-001", "DEB-001"],
    },
}  # fmt: skip

WRITING: dict[str, Any] = {
    "status": "completed",
    "completedAt": "2026-11-04T10:30:00+08:00",
    "outline": {
        "h2Count": 2, "structure": ["Look at the filter", "What to do on Monday"], "introFramework": "Direct Hook",
        "conclusionType": "next-step", "funnelStage": "consideration",
    },
    "buyerJourney": {
        "funnelStage": "consideration", "primaryCTAUsed": "book a bath analysis", "nextTopicsMentioned": _LIST,
        "prerequisitesMentioned": _LIST,
    },
    "execution": {
        "actualWordCount": 1300, "internalLinksUsed": 1, "dataPointsUsed": 1, "casesUsed": 1,
        "expertExplanationsUsed": 1, "debatesUsed": 0, "userVoicesUsed": 0,
    },
    "materialUsage": {
        "used": [{"id": "CASE-001", "location": "introduction", "purpose": "hook"}],
        "skipped": [{"id": "DEB-001", "reason": "off the topic"}],
        "borrowed": [{"id": "EXP-001", "element": "analogy", "adapted": "shortened"}],
        "differentiatorCoverage": {"total": 3, "used": 1, "list": ["CASE-001 ✅"]},
    },
    "decisions": {
        "thesisExecution": {
            "thesis": "care beats speed", "stance": "challenge", "proofPointsUsed": _LIST,
            "introStatement": "Care beats speed.", "conclusionReinforcement": "So care first.",
        },
        "personaExecution": {
            "role": "foreman", "biasAppliedIn": ["H2-1: a stable bath first"], "voiceTraitsUsed": _LIST,
            "signaturePhrases": _LIST,
        },
        "depthAdaptation": {
            "applied": True, "originalRecommendedDepth": "专家级", "actualDepth": "技术细节", "strategy": "examples",
        },
        "hookUsed": {"type": "question", "content": "Who looked at the filter?"},
        "differentiationApplied": {
            "primaryDifferentiatorUsed": "in the title", "avoidedPatterns": _LIST, "titleDifferentiation": "a figure",
            "irreplicableInsightsUsed": [{"insight": "filters first", "location": "intro"}],
        },
        "opinionsIncluded": ["[H2-1]: filters first"],
        "sectionsToWatch": {"strong": _LIST, "weak": _LIST, "differentiated": _LIST},
        "internalLinks": {
            "requiredLinksUsed": [
                {"target": "bath-care", "anchor": "care of the bath", "url": "/bath-care", "location": "H2-1"}
            ],
            "recommendedLinksUsed": [{"target": "steel", "anchor": "steels", "url": "/steel", "priority": "medium"}],
            "totalCount": 2,
            "clusterContext": "heat treatment",
        },
        "crossArticleStrategy": {
            "differentiatedFrom": [{"article": "oil", "theirAngle": "speed", "ourAngle": "care"}],
            "backlinkOpportunitiesCreated": [{"existingArticle": "oil", "concept": "filters"}],
            "linkableAnchorsCreated": [{"phrase": "bath care", "concept": "care", "location": "H2-1"}],
        },
        "productMentions": {
            "used": [{"category": "filters", "mentionText": "a bypass filter", "location": "H2-1"}],
            "skipped": [{"category": "baths", "reason": "no room"}],
            "count": 1,
        },
    },
}  # fmt: skip

FULL: dict[str, Any] = {
    **BEGUN,
    "writingAngle": {
        "thesis": "care beats speed", "stance": "challenge", "pending": False, "proofPoints": _LIST,
        "recommendedDepth": "专家级", "depthMismatchAcknowledged": True,
    },
    "workflowState": {"research": RESEARCH, "writing": WRITING},
}  # fmt: skip


def full() -> dict[str, Any]:
    """A copy to change."""
    return copy.deepcopy(FULL)


def written(plain: Any) -> bytes:
    return json.dumps(plain, ensure_ascii=False, indent=2).encode()


def config(plain: dict[str, Any] | None = None, /, **changed: Any) -> ArticleConfig:
    """A config with some fields of the root set otherwise."""
    return parse_doc(written({**(FULL if plain is None else plain), **changed}), "config/x.json")


def researched(**changed: Any) -> ArticleConfig:
    """The full config with sections of `research` set otherwise; None takes one out."""
    research = {name: value for name, value in {**RESEARCH, **changed}.items() if value is not None}
    return config(workflowState={"research": research, "writing": WRITING})
