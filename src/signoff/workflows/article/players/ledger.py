"""What a draft says of itself, read off the draft: which materials stand where, where the thesis is said.

Nothing here is remembered from the writing: a draft that a person changed is accounted for as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.workflows.article.players import voice
from signoff.workflows.article.players.desk import Desk
from signoff.workflows.article.players.manuscript import CONCLUSION, INTRODUCTION, LINK, Manuscript, Part
from signoff.workflows.article.players.synthesis import hook_type, kind_of
from signoff.workflows.wording import clipped, sentences

_PURPOSE: Final = {
    "CASE": "evidence",
    "D": "evidence",
    "EXP": "technical-proof",
    "VOICE": "voice",
    "DEB": "counter-argument",
}
_WORDS: Final = {
    "en": {
        "no_room": "no room within the budget after stronger materials",
        "quoted": "quoted as it stands",
        "strategy": "the mechanism is told in cases and in an expert's picture before any term is used",
        "proof": "{id} in {place}",
        "title": "the title is the claim itself: {title}",
        "bare_title": "the title names the subject and promises what can be checked: {title}",
        "limit": "at most two products are mentioned",
        "angle": "no other angle is known",
    },
    "zh": {
        "no_room": "篇幅有限，让位给更有力的材料",
        "quoted": "原样引用",
        "strategy": "先用案例和专家的比方讲清机理，再用术语",
        "proof": "{id} 用在 {place}",
        "title": "标题就是论点本身：{title}",
        "bare_title": "标题点明主题，并承诺只写查得到的：{title}",
        "limit": "最多提两个产品",
        "angle": "角度不详",
    },
}


def written(desk: Desk, made: Manuscript) -> dict[str, Any]:
    """`workflowState.writing` as far as the writer owns it."""
    return {
        "buyerJourney": _journey(desk, made),
        "materialUsage": _usage(desk, made),
        "decisions": {
            "thesisExecution": _thesis(desk, made),
            "personaExecution": _persona(desk, made),
            "depthAdaptation": _depth(desk),
            "hookUsed": _hook(made),
            "differentiationApplied": _difference(desk, made),
            "opinionsIncluded": [f"[{place}]: {said}" for place, said in _biased(desk, made)],
            "sectionsToWatch": _watch(desk, made),
            "internalLinks": _links(desk, made),
            "crossArticleStrategy": _others(desk, made),
            "productMentions": _products(desk, made),
        },
    }


def said_in(part: Part | None, words: str) -> str:
    """The sentence of a part that has these words; empty where none does."""
    if part is None or not words:
        return ""
    return next((said for said in sentences(part.bare) if words.lower() in said.lower()), "")


# --- materials --------------------------------------------------------------------------------------------------------


def _usage(desk: Desk, made: Manuscript) -> dict[str, Any]:
    items = {str(item["id"]): item for item in desk.note("ids", ())}
    used = [
        {"id": one, "location": part.place, "purpose": "hook" if part.place == INTRODUCTION else _PURPOSE[kind_of(one)]}
        for part in made.parts
        for one in part.ids
        if one in items
    ]
    there = {one["id"] for one in used}
    reason = _WORDS[desk.language]["no_room"]
    return {
        "used": used,
        "skipped": [{"id": one, "reason": reason} for one in items if one not in there],
        "borrowed": [
            {"id": one, "element": "analogy", "adapted": _WORDS[desk.language]["quoted"]}
            for one, item in items.items()
            if one in there and item.get("analogyAvailable")
        ],
    }


def _difference(desk: Desk, made: Manuscript) -> dict[str, Any]:
    items = {str(item["id"]): item for item in desk.note("ids", ())}
    wanted = [str(one) for one in desk.research("materials", "differentiators", default=())]
    places = {one: part.place for part in reversed(made.parts) for one in part.ids}
    title = "title" if desk.note("thesis") else "bare_title"
    return {
        "primaryDifferentiatorUsed": str(desk.research("differentiation", "primaryDifferentiator") or made.title),
        "irreplicableInsightsUsed": [
            {
                "insight": clipped(str(items[one]["quote"]), 200),
                "location": "intro" if places[one] == INTRODUCTION else places[one],
            }
            for one in wanted
            if one in places and one in items
        ],
        "avoidedPatterns": [str(one) for one in desk.research("differentiation", "avoidList", default=())],
        "titleDifferentiation": _WORDS[desk.language][title].format(title=made.title),
    }


def _watch(desk: Desk, made: Manuscript) -> dict[str, list[str]]:
    wanted = {str(one) for one in desk.research("materials", "differentiators", default=())}
    body = made.body
    return {
        "strong": [part.place for part in body if any(kind_of(one) == "D" for one in part.ids)],
        "weak": [part.place for part in body if not any(kind_of(one) in ("D", "CASE") for one in part.ids)],
        "differentiated": [part.place for part in body if wanted & set(part.ids)],
    }


# --- thesis and voice -------------------------------------------------------------------------------------------------


def _thesis(desk: Desk, made: Manuscript) -> dict[str, Any]:
    thesis = str(desk.note("thesis")).rstrip(".。")
    if not thesis:
        return {}
    found = {
        "introStatement": said_in(made.part(INTRODUCTION), thesis),
        "conclusionReinforcement": said_in(made.part(CONCLUSION), thesis),
    }
    strong = {str(one) for one in desk.research("materials", "byThesisRelevance", "strongSupport", default=())}
    proof = [(one, part.place) for part in made.parts for one in part.ids if one in strong]
    return {
        "thesis": str(desk.note("thesis")),
        **({"stance": str(desk.note("stance"))} if desk.note("stance") else {}),
        "proofPointsUsed": [_WORDS[desk.language]["proof"].format(id=one, place=place) for one, place in proof[:6]],
        **{name: said for name, said in found.items() if said},
    }


def _persona(desk: Desk, made: Manuscript) -> dict[str, Any]:
    whole = " ".join(part.bare for part in made.parts)
    own = [line for name in ("signature", "usual_turn", "data_close", "practice_close") for line in _lines(desk, name)]
    return {
        "role": str(desk.told("authorPersona", "role")),
        "biasAppliedIn": [f"{place}: {said}" for place, said in _biased(desk, made)],
        "voiceTraitsUsed": [str(one) for one in desk.told("authorPersona", "voiceTraits", default=())],
        "signaturePhrases": [line for line in own if line in whole],
    }


def _lines(desk: Desk, name: str) -> tuple[str, ...]:
    return voice.LINES[desk.language][name]


def _biased(desk: Desk, made: Manuscript) -> Iterator[tuple[str, str]]:
    bias = str(desk.told("authorPersona", "bias")).rstrip(".。")
    for part in made.body:
        if said := said_in(part, bias):
            yield part.place, said


def _depth(desk: Desk) -> dict[str, Any]:
    adapted = bool(desk.told("writingAngle", "depthMismatchAcknowledged", default=False))
    wanted, actual = desk.told("writingAngle", "recommendedDepth"), desk.told("depth")
    return {
        "applied": adapted,
        **({"originalRecommendedDepth": wanted} if wanted else {}),
        **({"actualDepth": actual} if actual else {}),
        **({"strategy": _WORDS[desk.language]["strategy"]} if adapted else {}),
    }


def _hook(made: Manuscript) -> dict[str, str]:
    first = made.part(INTRODUCTION)
    ids, said = (first.ids, sentences(first.bare)) if first else ((), [])
    return {"type": hook_type(ids[0]) if ids else "direct", "content": said[0] if said else made.title}


# --- links, products, other articles ----------------------------------------------------------------------------------


def _places(made: Manuscript, url: str) -> list[tuple[str, str]]:
    return [(found[1], part.place) for part in made.parts for found in LINK.finditer(part.text) if found[2] == url]


def _links(desk: Desk, made: Manuscript) -> dict[str, Any]:
    declared = desk.told("internalLinks", default={}) or {}
    required = [
        {"target": str(one["target"]), "anchor": anchor, "url": str(one["url"]), "location": place}
        for one in declared.get("required", ())
        for anchor, place in _places(made, str(one["url"]))[:1]
    ]
    recommended = [
        {"target": str(one["target"]), "anchor": anchor, "url": str(one["url"]), "priority": str(one["priority"])}
        for one in declared.get("recommended", ())
        for anchor, _ in _places(made, str(one["url"]))[:1]
    ]
    return {
        "requiredLinksUsed": required,
        "recommendedLinksUsed": recommended,
        "clusterContext": str(declared.get("cluster") or "standalone"),
    }


def _products(desk: Desk, made: Manuscript) -> dict[str, Any]:
    known = list(desk.told("products", default=()) or ())
    used = [
        {"category": str(one["category"]), "mentionText": str(one["mention"]), "location": part.place}
        for part in made.parts
        for one in known
        if str(one["mention"]).lower() in part.bare.lower()
    ]
    there = {one["category"] for one in used}
    reason = _WORDS[desk.language]["limit"]
    return {
        "used": used,
        "skipped": [
            {"category": str(one["category"]), "reason": reason} for one in known if str(one["category"]) not in there
        ],
    }


def _others(desk: Desk, made: Manuscript) -> dict[str, Any]:
    others: list[Mapping[str, Any]] = [one for one in desk.note("articles", ()) if one.get("topic") != desk.topic]
    angle = str(desk.note("thesis") or made.title)
    return {
        "differentiatedFrom": [
            {
                "article": str(one["topic"]),
                "theirAngle": str(one.get("title") or _WORDS[desk.language]["angle"]),
                "ourAngle": angle,
            }
            for one in others
        ],
        "backlinkOpportunitiesCreated": [
            {"existingArticle": str(one["topic"]), "concept": part.title}
            for one, part in zip(others, made.body, strict=False)
        ],
        "linkableAnchorsCreated": [
            {"phrase": part.title, "concept": part.title, "location": part.place} for part in made.body[:3]
        ],
    }


def _journey(desk: Desk, made: Manuscript) -> dict[str, Any]:
    end = made.part(CONCLUSION)
    action = str(desk.told("buyerJourney", "conversionPath", "primaryCTA", "action"))
    topics = [str(one) for one in desk.told("buyerJourney", "nextTopics", default=())]
    return {
        "funnelStage": str(desk.told("buyerJourney", "funnelStage") or "awareness"),
        **({"primaryCTAUsed": action} if action and end and action.rstrip(".。") in end.bare else {}),
        "nextTopicsMentioned": [one for one in topics if end and one in end.bare],
    }
