"""Phase 1: what is already written on the topic, what all of it agrees on, and which claims are left to be made.

Competing pages are those that guide and list. Everything else that was found is evidence: what measured, told or
disputed something. A thesis worth proposing is a claim out of the evidence on what the competing pages agree on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from signoff.workflows.article.players.desk import Desk, Payload
from signoff.workflows.article.players.judging import distinct, figures, is_claim, length, shared, stance, stands_alone
from signoff.workflows.article.players.lexicon import JUDGEMENT, PRACTICE, QUESTION
from signoff.workflows.article.players.reading import Reading
from signoff.workflows.wording import alike, content

_WEIGHT = {"study": 0.5, "interview": 0.4, "debate": 0.3, "note": 0.2, "case": 0.1, "forum": 0.0, "guide": -0.5}
_THESES = 3
_PLAIN = {
    "en": {
        "skip": "Conclusion Introduction Summary Background Overview Contents References",
        "reason": "variance of the competing pages: {variance}; answers: {answers}; judgement: {judgement}",
        "no_mention": "none of them speaks of “{heading}”",
        "assumed": "that nothing needs to be said about “{heading}”",
        "unsourced": "no source is named for: {claim}",
        "steps": "general steps in a fixed order",
        "missing": "no measured value on: {heading}",
        "backed": "Backed by {url}: {quote}",
        "unbacked": "No measurement speaks to it yet; argued in {url}",
        "expects": "short steps, in the order in which the work is done",
    },
    "zh": {
        "skip": "结语 结论 引言 前言 总结 背景 目录 概述",
        "reason": "竞品差异程度：{variance}；有人坚持的答案：{answers}；需要判断的程度：{judgement}",
        "no_mention": "没有一篇谈到“{heading}”",
        "assumed": "默认“{heading}”不用讲",
        "unsourced": "没有给出处：{claim}",
        "steps": "固定顺序的一般步骤",
        "missing": "缺少实测数据：{heading}",
        "backed": "依据 {url}：{quote}",
        "unbacked": "还没有数据直接支持；论述见 {url}",
        "expects": "按操作顺序写的简短步骤",
    },
}


@dataclass(frozen=True)
class Field:
    """The pages of phase 1, parted into those that compete and those that are evidence."""

    desk: Desk
    pages: tuple[Reading, ...]

    @cached_property
    def competitors(self) -> tuple[Reading, ...]:
        return tuple(page for page in self.pages if page.kind == "guide") or self.pages

    @cached_property
    def evidence(self) -> tuple[Reading, ...]:
        return tuple(page for page in self.pages if page.kind != "guide")

    @property
    def words(self) -> dict[str, str]:
        return _PLAIN[self.desk.language]

    @cached_property
    def consensus(self) -> list[str]:
        """Statements that at least half of the competing pages make, the most repeated first."""
        counted, about = list[tuple[int, float, int, str]](), f"{self.desk.subject} {self.desk.brief}"
        for page in self.competitors:
            for _, said in page.sentences:
                if not figures(said) and not QUESTION.search(said) and stands_alone(said):
                    others = sum(_says(other, said) for other in self.competitors if other is not page)
                    near = round(shared(said, about), 1)  # of two that say much the same, the shorter one
                    counted.append((-others, -near, length(said, self.desk.language), said))
        wanted = max(1, len(self.competitors) // 2)
        return distinct([said for others, *_, said in sorted(counted) if -others >= wanted], 3)

    @cached_property
    def left_out(self) -> list[str]:
        """Headings of the evidence that no competing page has anything on."""
        skipped = self.words["skip"].split()
        headings = [head for page in self.evidence if page.kind != "forum" for head in page.headings]
        wanted = [head for head in headings if head not in skipped and not figures(head)]
        return distinct([head for head in wanted if all(shared(head, page.text) < 0.5 for page in self.competitors)], 6)


def _says(page: Reading, said: str) -> bool:
    return any(
        shared(said, other) >= 0.7 or shared(other, said) >= 0.9 for _, other in page.sentences if content(other)
    )


def phase_1(desk: Desk) -> Payload:
    field = Field(desk, desk.pages)
    found: dict[str, Any] = {
        "competitorContent": {page.url: _competitor(field, page) for page in field.competitors},
        "competitorAnalysis": _analysis(field),
        "innovationSpace": _space(field),
        "executionDifferentiation": _execution(field),
        "gaps": {"data": _unmeasured(field), "coverage": field.left_out},
        "controversies": _controversies(field),
    }
    claims, space, notes = _claims(field), found["innovationSpace"], list[str]()
    if claims:
        found["coreThesis"] = claims[0][0]
    if len(claims) < _THESES and space["level"] != "low":
        notes = [
            f"the pages make {len(claims)} claims that an article could prove, and {_THESES} are wanted: no thesis"
        ]
        space |= {"level": "low", "reason": f"{space['reason']}; {notes[0]}"}
    if desk.note("wants_theses", True) and space["level"] != "low":
        found["recommendedTheses"] = [_thesis(field, at, *claim) for at, claim in enumerate(claims)]
    return {"config": {"workflowState": {"research": found}}, "notes": notes}


# --- the competing pages ----------------------------------------------------------------------------------------------


def _competitor(field: Field, page: Reading) -> dict[str, list[str]]:
    skipped = field.words["skip"].split()
    said = [text for _, text in page.sentences]
    return {
        "structure": [head for head in page.headings if head not in skipped],
        "stances": distinct([text for text in said if stands_alone(text) and not figures(text)], 3),
        "dataPoints": [text for text in said if figures(text)][:3],
        "gaps": [head for head in field.left_out if shared(head, page.text) < 0.5][:3],
    }


def _analysis(field: Field) -> dict[str, Any]:
    measured = [page.url for page in field.evidence if page.kind == "study"]
    weak = [text for page in field.competitors for _, text in page.sentences if figures(text)]
    return {
        "stances": {
            "consensus": field.consensus,
            "disagreements": [],
            "implicitAssumptions": [field.words["assumed"].format(heading=head) for head in field.left_out[:2]],
        },
        "dataSourcing": {
            "strongSources": measured,
            "weakClaims": [field.words["unsourced"].format(claim=text) for text in distinct(weak, 3)],
            "opportunityAreas": field.left_out[:3],
        },
        "terminology": {"standardTerms": {}, "readerExpectations": field.words["expects"]},
        "stanceOpportunities": list(_opportunities(field)),
    }


def _opportunities(field: Field) -> Iterator[dict[str, str]]:
    for said in field.consensus:
        answers = [(shared(said, text), text) for text, _, _ in _ranked(field)]
        near, answer = max(answers, default=(0.0, ""))
        if near > 0.2:
            yield {"theyAllSay": said, "ourStance": stance(answer), "evidence": answer}


# --- room for an angle ------------------------------------------------------------------------------------------------


def _space(field: Field) -> dict[str, Any]:
    signals = {
        "contentVariance": _variance(field.competitors),
        "answerUniqueness": _answers(field),
        "judgmentRequired": _judgement(field),
    }
    points = sum(
        ("low", "medium", "high").index(signals["contentVariance"])
        if name == "contentVariance"
        else ("single", "few", "many", "none", "some", "significant").index(value) % 3
        for name, value in signals.items()
    )
    level = "low" if points <= 1 else "medium" if points <= 4 else "high"
    reason = field.words["reason"].format(
        variance=signals["contentVariance"], answers=signals["answerUniqueness"], judgement=signals["judgmentRequired"]
    )
    return {"level": level, "reason": reason, "signals": signals}


def _variance(pages: Sequence[Reading]) -> str:
    """How much the competing pages differ, by the words of what they say."""
    pairs = [alike(one.text, other.text) for one, other in combinations(pages, 2)]
    near = sum(pairs) / len(pairs) if pairs else 0.0
    return "low" if near >= 0.3 else "medium" if near >= 0.15 else "high"


def _answers(field: Field) -> str:
    sides = sum(page.kind == "debate" for page in field.pages)
    return "single" if not sides else "few" if sides < 3 else "many"


def _judgement(field: Field) -> str:
    found = sum(len(JUDGEMENT.findall(page.text)) for page in field.evidence)
    return "none" if not found else "some" if found < 3 else "significant"


def _execution(field: Field) -> dict[str, Any]:
    numbers_each = sum(len(figures(page.text)) for page in field.competitors) / max(1, len(field.competitors))
    return {
        "depth": {
            "competitorLevel": "surface" if numbers_each < 6 else "moderate",
            "ourTarget": "deeper" if field.evidence else "match",
            "specificAreas": field.left_out[:3],
        },
        "coverage": {
            "competitorGaps": [field.words["no_mention"].format(heading=head) for head in field.left_out[:3]],
            "ourAdditions": field.left_out[:3],
        },
        "practicalValue": {"competitorProvides": [field.words["steps"]], "ourAdditions": _practical(field)},
        "score": "strong" if len(field.left_out) >= 3 else "moderate" if field.left_out else "weak",
    }


def _practical(field: Field) -> list[str]:
    """What the evidence has readers do, by its headings."""
    heads = [head for page in field.evidence if page.kind in ("interview", "note") for head in page.headings]
    return [head for head in heads if PRACTICE.search(head)][:3] or field.left_out[:3]


def _unmeasured(field: Field) -> list[str]:
    """What the evidence speaks of without a number."""
    bare = [
        head
        for page in field.evidence
        if page.kind in ("interview", "note")
        for head in page.headings
        if not any(figures(one.text) for one in page.passages if one.heading == head)
    ]
    return [field.words["missing"].format(heading=head) for head in bare[:3]]


def _controversies(field: Field) -> list[str]:
    return [page.title for page in field.evidence if page.kind == "debate"]


# --- theses -----------------------------------------------------------------------------------------------------------


def _ranked(field: Field) -> list[tuple[str, Reading, float]]:
    """Claims of the evidence, the one that says most about the subject and the consensus first."""
    about = f"{field.desk.subject} {field.desk.brief} {' '.join(field.consensus)}"
    found = [
        (said, page, shared(said, about) + _WEIGHT[page.kind])
        for page in field.evidence or field.pages
        for _, said in page.sentences
        if is_claim(said, field.desk.language)
    ]
    return sorted(found, key=lambda one: (-one[2], one[1].url, one[0]))


def _plainer(field: Field) -> list[tuple[str, Reading, float]]:
    """Sentences that could be disputed less easily; better than none."""
    language = field.desk.language
    least, most = (12, 60) if language == "zh" else (7, 34)
    return [
        (said, page, 0.0)
        for page in (*field.evidence, *field.competitors)
        for _, said in page.sentences
        if stands_alone(said) and not figures(said) and least <= length(said, language) <= most
    ]


def _claims(field: Field) -> list[tuple[str, Reading]]:
    """Three claims that differ: the best of each stance first, then what is left, then whatever else stands alone."""
    ranked = [*_ranked(field), *_plainer(field)]
    best = {stance(said): at for at, (said, _, near) in reversed(list(enumerate(ranked))) if near}
    order = [*sorted(best.values()), *range(len(ranked))]
    chosen: dict[str, Reading] = {}
    for at in order:
        said, page, _ = ranked[at]
        if all(alike(said, other) < 0.4 for other in chosen) and len(chosen) < _THESES:
            chosen[said] = page
    return list(chosen.items())


def _thesis(field: Field, at: int, said: str, page: Reading) -> dict[str, str]:
    near = max((alike(said, text) for other in field.competitors for _, text in other.sentences), default=0.0)
    depth = str(field.desk.told("depth"))
    return {
        "thesis": said.rstrip(".。"),
        "stance": stance(said),
        "recommendedDepth": "all" if at or not depth else depth,
        "evidenceSummary": _evidence(field, said, page),
        "differentiationScore": "strong" if near < 0.3 else "moderate" if near < 0.5 else "weak",
    }


def _evidence(field: Field, said: str, page: Reading) -> str:
    """The measured sentence that speaks most of the same."""
    measured = [
        (shared(said, text) + shared(text, said) + (other.kind == "study") / 2, other.url, text)
        for other in field.evidence
        for _, text in other.sentences
        if figures(text) and other.kind != "forum"
    ]
    near, url, quote = max(measured, default=(0.0, "", ""))
    named = "backed" if near > 0.6 else "unbacked"
    return field.words[named].format(url=url if near > 0.6 else page.url, quote=quote)
