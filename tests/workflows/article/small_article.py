"""An article small enough to look at: one page, one material of each kind, a draft that passes every check."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from signoff.evidence.sources.fetched_pages import PageText
from signoff.evidence.sources.fetched_pages import render as rendered
from signoff.workflows.article import places
from signoff.workflows.article.checks.text import Given
from signoff.workflows.article.documents import config_schema, materials
from signoff.workflows.article.documents.computed_fields import after_rounds, draft_patch, joined, outline_patch
from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc
from signoff.workflows.article.documents.materials import Item

TOPIC = "quench-oil"
URL = "0-sources/bath.md"
THESIS = "Clean quench oil decides more about cracked parts than the furnace program."
CASE = "The shop at Lindau cracked eleven shafts in a week before anybody looked into the bath."
DATUM = "Filtered baths lost 4% of their parts, unfiltered ones 23%."
EXPERT = "Water in the oil boils first and tears the vapour blanket, said the bath engineer Ada Rehn."
VOICE = "We changed the program nine times and the filter never."
DEBATE = "Some shops swear by slower oil, others by cleaner oil."
CASE_2 = "The shop at Wangen drained its bath in spring and has cracked nothing since."
DATUM_2 = "A year later the unfiltered baths lost 23% again."
BODY = "\n\n".join((CASE, DATUM, EXPERT, VOICE, DEBATE, CASE_2, DATUM_2))
DOCUMENT = f"# The bath\n\n{BODY}\n"
PAGE = rendered(PageText(url=URL, title="The bath", text=DOCUMENT))

_FIT = {"thesisSupport": "strong", "suggestedPlacement": "H2-1", "url": URL}
ROUNDS: Mapping[str, Mapping[str, Any]] = {
    "cases": {
        "title": "Eleven shafts", "summary": "Cracks until the bath was cleaned", "suggestedUse": "hook",
        "persuasionType": "shock", "competitorHas": False, "quote": CASE, **_FIT,
    },
    "data": {"value": "23%", "claim": "Losses of unfiltered baths", "quote": DATUM, **_FIT},
    "expert": {
        "concept": "Water in oil", "expert": "Ada Rehn", "analogyAvailable": False, "canBorrow": [], "quote": EXPERT,
        **_FIT,
    },
    "userVoice": {"sourceType": "practitioner", "suggestedUse": "example", "quote": VOICE, **_FIT},
    "debates": {"topic": "Slower or cleaner", "positions": 2, "ourPosition": "cleaner", "quote": DEBATE, **_FIT},
}  # fmt: skip
"""An honest item for each round."""
MORE: Mapping[str, Mapping[str, Any]] = {
    "cases": {**ROUNDS["cases"], "title": "A clean bath", "quote": CASE_2},
    "data": {**ROUNDS["data"], "claim": "Losses a year later", "quote": DATUM_2},
}
"""A second one, which carries the same sentence of the draft, for rounds of which a test spoils the first."""


def items(**changed: Mapping[str, Any]) -> tuple[Item, ...]:
    """One item of each round, of which a test may change fields."""
    made = {name: {**one, **changed.get(name, {})} for name, one in ROUNDS.items()}
    return materials.numbered({name: [materials.FORMS[name].model_validate(one)] for name, one in made.items()})


IDENTITY: Mapping[str, Any] = {
    "topic": TOPIC,
    "language": "en",
    "audienceFramework": "b2b",
    "articleType": "opinion",
    "articleLength": "short",
    "audience": "实操者",
    "depth": "技术细节",
    "authorPersona": {
        "role": "shop foreman", "experience": "20 years at the bath", "specialty": "shafts",
        "bias": "Look into the bath before you touch the program", "voiceTraits": ["plain"],
    },
    "products": [{"category": "filters", "mention": "bypass filter"}],
    "internalLinks": {"required": [{"target": "racks", "url": "output/racks.md", "anchor": "how racks are loaded"}]},
}  # fmt: skip

SPACE: Mapping[str, Any] = {
    "level": "high",
    "reason": "Shops differ.",
    "signals": {"contentVariance": "high", "answerUniqueness": "many", "judgmentRequired": "significant"},
}
EXECUTION: Mapping[str, Any] = {
    "depth": {"competitorLevel": "surface", "ourTarget": "deeper", "specificAreas": ["water in the oil"]},
    "coverage": {"competitorGaps": ["filters"], "ourAdditions": ["filter care"]},
    "practicalValue": {"competitorProvides": ["steps"], "ourAdditions": ["weekly look into the bath"]},
    "score": "strong",
}


def theses(*depths: str) -> list[dict[str, str]]:
    return [
        {
            "thesis": THESIS if number == 1 else f"{THESIS[:-1]}, reading {number}.",
            "stance": ("challenge", "nuance", "confirm")[number - 1],
            "recommendedDepth": depth,
            "evidenceSummary": f"what page {number} says",
            "differentiationScore": "strong",
        }
        for number, depth in enumerate(depths or ("技术细节", "专家级", "all"), 1)
    ]


PHASE_1: Mapping[str, Any] = {
    "workflowState": {
        "research": {
            "competitorContent": {URL: {"structure": ["The bath"]}},
            "competitorAnalysis": {"stances": {"consensus": ["The program decides."]}},
            "innovationSpace": SPACE,
            "executionDifferentiation": EXECUTION,
            "recommendedTheses": theses(),
        }
    }
}
PHASE_2: Mapping[str, Any] = {
    "workflowState": {
        "research": {
            "insights": {"quality": "high", "suggestedHook": "problem"},
            "differentiation": {"score": "strong", "primaryDifferentiator": "what shops saw in their baths"},
            "thesisValidation": {"originalThesis": THESIS, "validatedThesis": THESIS, "adjustment": "keep"},
            "writingAdvice": {"emphasize": ["the bath"]},
            "materials": {
                "byPlacement": {"hook": ["CASE-001"], "H2-1": ["D001"]},
                "differentiators": ["CASE-001", "DEB-001"],
            },
        }
    }
}
CHOSEN: Mapping[str, Any] = {
    "writingAngle": {
        "thesis": THESIS, "stance": "challenge", "recommendedDepth": "技术细节", "depthMismatchAcknowledged": False,
        "pending": False,
    }
}  # fmt: skip

TITLES = ("What the bath does", "Why oil decides", "What to do on Monday")
OUTLINE = f"""\
# Look into the bath

## {TITLES[0]}

- material: D001
- point: losses

## {TITLES[1]}

- thesis: yes
- material: EXP-001

## {TITLES[2]}

- point: a first step
"""
SHAPE: Mapping[str, Any] = {
    "workflowState": {"writing": {"outline": {"introFramework": "PAS", "conclusionType": "next-step"}}}
}

INTRO = "Clean quench oil decides more about cracked parts than any furnace program you can write."
END = "Clean quench oil decides about cracked parts; the furnace program comes second."
BIAS_1, BIAS_2 = "Look into the bath first, every week.", "Touch the program last, never first."
PHRASES = ("The bath never lies.", "Oil has a memory.", "Nobody filters a promise.")


def draft(padding: int = 300, titles: Sequence[str] = TITLES) -> str:
    """A draft that passes; `padding` words make it as long as it has to be, `titles` are those of its outline."""
    words = " ".join(["quietly"] * (padding // 3))
    return f"""\
# Look into the bath

{PHRASES[0]} {INTRO} <!-- material: CASE-001 -->

Shafts crack, and the shop writes another program. {words}

## {titles[0]}

{BIAS_1} Unfiltered baths lost 23% of their parts. <!-- material: D001 --> See [how racks are loaded](output/racks.md).

{PHRASES[1]} {words}

<!-- image: a filter, before and after -->

## {titles[1]}

{BIAS_2} Ask Rehn.
Water in the oil boils first, and clean quench oil decides about cracked parts before the furnace program does.
<!-- material: EXP-001 --> A bypass filter helps.

{PHRASES[2]} {words}

## {titles[2]}

{END} Drain it on Monday.
"""


WRITING: Mapping[str, Any] = {
    "workflowState": {
        "writing": {
            "materialUsage": {
                "used": [
                    {"id": "CASE-001", "location": "introduction", "purpose": "hook"},
                    {"id": "D001", "location": "H2-1", "purpose": "evidence"},
                    {"id": "EXP-001", "location": "H2-2", "purpose": "proof"},
                ],
                "skipped": [{"id": "DEB-001", "reason": "another article has it"}],
            },
            "decisions": {
                "thesisExecution": {"thesis": THESIS, "introStatement": INTRO, "conclusionReinforcement": END},
                "personaExecution": {
                    "role": "shop foreman",
                    "biasAppliedIn": [f"H2-1: {BIAS_1}", f"H2-2: {BIAS_2}"],
                    "signaturePhrases": list(PHRASES),
                },
                "hookUsed": {"type": "problem", "content": PHRASES[0]},
                "depthAdaptation": {"applied": True, "strategy": "what experts take for granted is shown"},
                "internalLinks": {
                    "requiredLinksUsed": [
                        {
                            "target": "racks", "anchor": "how racks are loaded", "url": "output/racks.md",
                            "location": "H2-1",
                        }
                    ]
                },
                "productMentions": {
                    "used": [{"category": "filters", "mentionText": "A bypass filter helps.", "location": "H2-2"}]
                },
            },
        }
    }
}  # fmt: skip


def merged(*patches: Mapping[str, Any]) -> dict[str, Any]:
    return joined(*(copy.deepcopy(dict(patch)) for patch in patches))


def config_text(*patches: Mapping[str, Any]) -> str:
    return config_schema.put("{}\n", merged(*patches))


WHOLE = (IDENTITY, CHOSEN, PHASE_1, PHASE_2, SHAPE, WRITING)


def config(patch: Mapping[str, Any] | None = None, text: str | None = None) -> ArticleConfig:
    """The config of the finished draft, with a patch of what a test is about; what code computes is computed."""
    plain = merged(
        *WHOLE, {"workflowState": {"research": {"innovationSpace": {"strategy": "angle", "skipThesis": False}}}}
    )
    made = _parsed(config_schema.put(json.dumps(plain, ensure_ascii=False), patch or {}))
    for follows in (
        after_rounds(made, items(), [URL]),
        outline_patch(made, OUTLINE),
        draft_patch(made, draft() if text is None else text),
    ):
        made = _parsed(config_schema.put(made.model_dump_json(exclude_unset=True), follows))
    return made


def _parsed(text: str) -> ArticleConfig:
    return parse_doc(text.encode(), places.config(TOPIC))


def given(
    text: str | None = None,
    patch: Mapping[str, Any] | None = None,
    outline: str = OUTLINE,
    found: Sequence[Item] | None = None,
    avoid: Mapping[str, Sequence[str]] | None = None,
    pages: Mapping[str, str] | None = None,
) -> Given:
    """What the checks are given; of what a test says nothing, all is well."""
    whole = draft() if text is None else text
    return Given(
        config=config(patch, whole),
        outline=outline,
        draft=whole,
        items=items() if found is None else found,
        file=places.draft(TOPIC),
        outline_file=places.outline(TOPIC),
        least=300,
        most=500,
        pages={URL: BODY} if pages is None else pages,
        avoid=avoid or {},
    )
