"""Phase 2: what the materials are worth. Does the thesis hold, what goes where, what does nobody else have?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from signoff.workflows.article.players.desk import Desk, Payload
from signoff.workflows.article.players.judging import GROUPS, figures
from signoff.workflows.article.players.lexicon import COUNTER, PRACTICE, QUESTION
from signoff.workflows.wording import clipped

Item = Mapping[str, Any]
_SENTENCE: Final = {
    "en": {
        "framing": "As {role}, in so many words: {thesis}",
        "soften": "In most cases, {thesis}",
        "voice": "Practitioners speak plainly here: {quote}",
        "match": "{count} voices, {practitioner} of them from people who do the work",
        "quality": "every number has its quote, its page and its place",
        "primary": "what happened in real workshops: {title}",
        "primary_bare": "evidence that can be looked up, sentence by sentence",
        "avoid_steps": "a fixed order of steps without evidence",
        "avoid_repeat": "repeating the consensus as a finding: {said}",
        "hook": "{id} opens",
        "body": "named experts carry the argument",
        "close": "a practitioner has the last word but one",
        "trust": "limits of the evidence are quoted: {quote}",
    },
    "zh": {
        "framing": "以{role}的口吻：{thesis}",
        "soften": "多数情况下，{thesis}",
        "voice": "一线的人说得很直白：{quote}",
        "match": "{count}条声音，其中{practitioner}条来自一线",
        "quality": "每个数字都有原句、页面和位置",
        "primary": "真实车间里发生的事：{title}",
        "primary_bare": "逐句可查的证据",
        "avoid_steps": "没有证据的固定步骤",
        "avoid_repeat": "把共识当成发现重说一遍：{said}",
        "hook": "{id} 开篇",
        "body": "论证由具名专家承担",
        "close": "结尾前引一句一线的话",
        "trust": "引用了证据的边界：{quote}",
    },
}
_SPECIAL: Final = {
    "CASE": "case-study",
    "D": "data",
    "EXP": "practitioner",
    "VOICE": "practitioner",
    "DEB": "counter-intuitive",
}


_LEADS: Final = {"cases": "CASE", "data": "D", "why": "EXP", "debates": "DEB", "practice": "EXP"}
"""The kind of material that a group begins with."""


def kind_of(one: str) -> str:
    """CASE, D, EXP, VOICE or DEB."""
    return one.rpartition("-")[0] or one[:1]


def group_of(item: Item) -> str:
    """The group that a material belongs to, as `judging.GROUPS` has them."""
    kind = kind_of(str(item["id"]))
    if kind == "EXP":
        concept = str(item.get("concept", ""))
        return "debates" if COUNTER.search(concept) else "practice" if PRACTICE.search(concept) else "why"
    return {"CASE": "cases", "D": "data", "DEB": "debates", "VOICE": "practice"}[kind]


@dataclass(frozen=True)
class Found:
    """The materials of an article, as they were recorded."""

    desk: Desk
    items: Sequence[Item]

    def of(self, kind: str) -> list[Item]:
        return [item for item in self.items if kind_of(str(item["id"])) == kind]

    def supporting(self, *wanted: str) -> list[str]:
        return [str(item["id"]) for item in self.items if item.get("thesisSupport") in wanted]

    @property
    def thesis(self) -> str:
        return str(self.desk.note("thesis"))

    @property
    def words(self) -> Mapping[str, str]:
        return _SENTENCE[self.desk.language]

    @cached_property
    def hook(self) -> str:
        """The material that opens: a case that begins with trouble, else a number, else whatever is strongest."""
        used = [str(one) for one in (self.desk.note("avoid", {}) or {}).get("hooks", ())]
        shock = sorted(self.of("CASE"), key=lambda item: item.get("persuasionType") != "shock-value")
        cases = [item for item in shock if item.get("suggestedUse") == "hook"] or shock
        order = {
            "problem": cases,
            "surprising-stat": self.of("D"),
            "question": self.questions,
            "direct": self.of("EXP"),
        }
        wanted = [items for kind, items in order.items() if items and kind not in used]
        found = wanted[0] if wanted else list(self.items)
        return str(found[0]["id"]) if found else ""

    @property
    def questions(self) -> list[Item]:
        return [item for item in self.of("VOICE") if QUESTION.search(str(item["quote"]))]

    @cached_property
    def last(self) -> str:
        """A voice for the conclusion, where there are enough of them."""
        plain = [item for item in self.of("VOICE") if not QUESTION.search(str(item["quote"]))]
        return str(plain[-1]["id"]) if len(plain) > 2 else ""


def hook_type(one: str) -> str:
    """What kind of opening a material makes."""
    return {"CASE": "problem", "D": "surprising-stat", "VOICE": "question"}.get(kind_of(one), "direct")


def by_placement(found: Found) -> dict[str, list[str]]:
    """What goes where: a section for each group that there is, in the order of the article's type."""
    home = {str(item["url"]): group_of(item) for kind in ("EXP", "CASE") for item in reversed(found.of(kind))}
    groups = [
        sorted(
            (str(item["id"]) for item in found.items if _group(item, home) == name),
            key=lambda one, name=name: kind_of(one) != _LEADS[name],  # type: ignore[misc]
        )
        for name in GROUPS[found.desk.type]
    ]
    kept = [[one for one in ids if one not in (found.hook, found.last)] for ids in groups]
    sections = _parted([ids for ids in kept if ids])
    placed = {"hook": [found.hook] if found.hook else []}
    placed |= {f"H2-{number}": ids for number, ids in enumerate(sections, 1)}
    return placed | {"conclusion": [found.last] if found.last else []}


def _group(item: Item, home: Mapping[str, str]) -> str:
    """A number goes where the rest of its page goes; the numbers of a study make a section of their own."""
    group = group_of(item)
    return home.get(str(item["url"]), group) if group == "data" else group


def _parted(sections: list[list[str]], least: int = 3) -> list[list[str]]:
    """At least so many sections, where there are so many materials: the fullest one is parted."""
    while len(sections) < least and any(len(ids) > 1 for ids in sections):
        at = max(range(len(sections)), key=lambda place: len(sections[place]))
        half = (len(sections[at]) + 1) // 2
        sections[at : at + 1] = [sections[at][:half], sections[at][half:]]
    return sections


def phase_2(desk: Desk) -> Payload:
    found = Found(desk, [dict(item) for item in desk.note("ids", ())])
    research: dict[str, Any] = {
        "insights": _insights(found),
        "differentiation": _differentiation(found),
        "writingAdvice": _advice(found),
        "userVoices": _voices(found),
        "authorityStrategy": _authority(found),
        "materials": {
            "byThesisRelevance": {
                "strongSupport": found.supporting("strong"),
                "counterPoints": found.supporting("counter", "nuance"),
                "neutral": found.supporting("moderate", "weak", "neutral"),
            },
            "byPlacement": by_placement(found),
            "differentiators": _differentiators(found),
        },
    }
    if found.thesis:
        research["thesisValidation"] = _validation(found)
    return {"config": {"workflowState": {"research": research}}}


def _insights(found: Found) -> dict[str, Any]:
    strong = [item for item in found.items if item.get("thesisSupport") in ("strong", "moderate")] or list(found.items)
    best = strong[:4]
    return {
        "goldenInsights": [
            {
                "insight": clipped(str(item["quote"]), 240),
                "source": str(item["url"]),
                "suggestedUse": "hook" if item["id"] == found.hook else "evidence",
            }
            for item in best
        ],
        "quality": "high" if len(strong) >= 8 else "medium" if len(strong) >= 4 else "limited",
        "suggestedHook": hook_type(found.hook),
    }


def _differentiators(found: Found) -> list[str]:
    """What the competing pages do not have: the hook, the firmest numbers, the explanation with a picture in it."""
    cases = [str(item["id"]) for item in found.of("CASE") if not item.get("competitorHas")]
    data = [str(item["id"]) for item in found.of("D") if item.get("thesisSupport") == "strong"]
    pictures = [str(item["id"]) for item in found.of("EXP") if item.get("analogyAvailable")]
    debates = [str(item["id"]) for item in found.of("DEB")]
    cases.sort(key=lambda one: one != found.hook)
    return list(dict.fromkeys([*cases[:2], *data[:1], *pictures[:1], *debates[:1]]))


def _differentiation(found: Found) -> dict[str, Any]:
    consensus = [str(one) for one in found.desk.research("competitorAnalysis", "stances", "consensus", default=())]
    cases, words = found.of("CASE"), found.words
    primary = words["primary"].format(title=cases[0]["title"]) if cases else words["primary_bare"]
    by_id = {str(item["id"]): item for item in found.items}
    return {
        "score": "strong" if len(found.items) >= 15 else "moderate" if len(found.items) >= 6 else "weak",
        "primaryDifferentiator": primary,
        "types": {
            "coverage": [str(one) for one in found.desk.research("gaps", "coverage", default=())][:3],
            "stance": [found.thesis] if found.thesis else [],
            "quality": [words["quality"]],
        },
        "irreplicableInsights": [
            {
                "insight": clipped(str(by_id[one]["quote"]), 240),
                "sourceType": _SPECIAL[kind_of(one)],
                "source": str(by_id[one]["url"]),
                "intentAlignment": "aligned" if by_id[one].get("thesisSupport") == "strong" else "partial",
            }
            for one in _differentiators(found)
        ],
        "avoidList": [words["avoid_steps"], *(words["avoid_repeat"].format(said=said) for said in consensus[:1])],
    }


def _validation(found: Found) -> dict[str, Any]:
    """The thesis holds where at least as much speaks for it as against it, and something was measured."""
    carrying = ("strong", "moderate")
    backed = sorted(
        (item for item in found.items if item.get("thesisSupport") in carrying),
        key=lambda item: (item["thesisSupport"] != "strong", not figures(str(item["quote"]))),
    )
    against = [item for item in found.items if item.get("thesisSupport") in ("counter", "nuance")]
    keeps = len(backed) >= max(2, sum(item["thesisSupport"] == "counter" for item in against))
    thesis = found.thesis if keeps else found.words["soften"].format(thesis=_lowered(found.thesis))
    role = str(found.desk.told("authorPersona", "role"))
    return {
        "originalThesis": found.thesis,
        "evidenceFor": [_cited(item) for item in backed[:5]],
        "evidenceAgainst": [_cited(item) for item in against[:4]],
        "validatedThesis": thesis,
        "personaFraming": found.words["framing"].format(role=role, thesis=thesis),
        "adjustment": "keep" if keeps else "soften",
    }


def _lowered(text: str) -> str:
    """A sentence as it goes on after another beginning: `The bath` becomes `the bath`, `ISO` stays."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _cited(item: Item) -> str:
    return f"{item['id']}: {clipped(str(item['quote']), 200)}"


def _advice(found: Found) -> dict[str, Any]:
    voices = found.of("VOICE")
    return {
        "emphasize": [_cited(item) for item in found.of("D") if item.get("thesisSupport") == "strong"][:3],
        "cautious": [_cited(item) for item in found.items if item.get("thesisSupport") in ("counter", "weak")][:3],
        "differentiateWith": _differentiators(found),
        "stanceToTake": [found.thesis] if found.thesis else [],
        "terminologyToUse": {},
        "personaVoiceNotes": [found.words["voice"].format(quote=clipped(str(one["quote"]), 120)) for one in voices[:2]],
    }


def _voices(found: Found) -> dict[str, Any]:
    voices = found.of("VOICE")
    practitioners = [item for item in voices if item.get("sourceType") != "beginner"]
    beginners = [item for item in voices if item.get("sourceType") == "beginner"]
    return {
        "collected": bool(voices),
        "audienceMatch": found.words["match"].format(count=len(voices), practitioner=len(practitioners)),
        "beginnerPhrasing": {
            "questions": _asked(beginners),
            "problemDescriptions": _stated(beginners),
            "emotionalTone": "uncertain",
        },
        "practitionerPhrasing": {
            "questions": _asked(practitioners),
            "problemDescriptions": _stated(practitioners),
            "emotionalTone": "frustrated",
        },
        "quotableVoices": [
            {
                "quote": str(item["quote"]),
                "sourceType": str(item.get("sourceType", "practitioner")),
                "suggestedUse": "hook" if QUESTION.search(str(item["quote"])) else "evidence",
            }
            for item in voices[:4]
        ],
    }


def _asked(items: Iterable[Item]) -> list[str]:
    return [str(item["quote"]) for item in items if QUESTION.search(str(item["quote"]))][:3]


def _stated(items: Iterable[Item]) -> list[str]:
    return [str(item["quote"]) for item in items if not QUESTION.search(str(item["quote"]))][:3]


def _authority(found: Found) -> dict[str, Any]:
    experts = [item for item in found.of("EXP") if _person(str(item["expert"]))]
    bounded = [item for item in found.items if item.get("thesisSupport") in ("counter", "nuance")]
    return {
        "sourcesFound": {
            "tier3_namedExperts": [
                {
                    "name": _person(str(item["expert"])),
                    "credential": _office(str(item["expert"])),
                    "quote": str(item["quote"]),
                    "url": str(item["url"]),
                    "usage": str(item["suggestedPlacement"]),
                }
                for item in _once(experts)
            ]
        },
        "eatSignals": {
            "experienceSignals": [str(item["title"]) for item in found.of("CASE")][:3],
            "expertiseSignals": [str(item["concept"]) for item in found.of("EXP")][:3],
            "trustSignals": [found.words["trust"].format(quote=clipped(str(one["quote"]), 120)) for one in bounded[:1]],
        },
        "quotePlan": {
            "targetCount": "2-3",
            "distribution": {
                "introduction": found.words["hook"].format(id=found.hook or "-"),
                "body": found.words["body"],
                "conclusion": found.words["close"],
            },
        },
    }


def _person(source: str) -> str:
    """The name in `Tunde Adeyemi, maintenance foreman`; empty where a source is no person with an office."""
    name, _, office = source.replace("，", ",").partition(",")
    return name.strip() if office.strip() else ""


def _office(source: str) -> str:
    return source.replace("，", ",").partition(",")[2].strip()


def _once(items: Iterable[Item]) -> list[Item]:
    """The first material of each expert."""
    return list({str(item["expert"]): item for item in reversed(list(items))}.values())[::-1]
