"""Thesis and persona of a draft: what it claims, where, and in whose voice. Quotes are looked up, not believed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from signoff.core.findings import Finding
from signoff.workflows.article.checks.quotes import normalised, stands_in, too_short
from signoff.workflows.article.checks.text import CONCLUSION, INTRODUCTION, Given, Part, share
from signoff.workflows.article.documents.terms import THESIS_DEPTHS

OPENING = 3
"""The thesis is stated in so many paragraphs."""

ENOUGH = 0.5
"""A sentence says a thesis when it is about so much of what the thesis is about."""

QUOTED = 0.25
"""The words that are quoted for it are about so much of it, where those around them say the rest."""

LEAST = 10
"""Characters of words that are quoted; a Chinese one counts twice."""

PHRASES, BIASED, OWN = 3, 2, (1, 2)
_OWN = re.compile(r"^\s*[-*]\s*thesis\s*:\s*(?:yes|true|是)\s*$", re.IGNORECASE | re.MULTILINE)
_PLACED = re.compile(r"^(introduction|H2-\d+|conclusion)\s*[:：]\s*(.+)$", re.DOTALL)


# --- the thesis -------------------------------------------------------------------------------------------------------


def thesis(given: Given) -> Iterator[Finding]:
    """It is stated in the opening and taken up in the conclusion, and has one or two sections of its own."""
    if not given.argues:
        yield from _execution(given)
        return
    made = given.config.writing.decisions
    said = made.thesisExecution if made else None
    first, end = given.article.part(INTRODUCTION), given.article.part(CONCLUSION)
    opening = first.paragraphs[:OPENING] if first else ()
    yield from _stated(given, said.introStatement if said else None, opening, "introStatement", INTRODUCTION)
    again = said.conclusionReinforcement if said else None
    yield from _stated(given, again, end.paragraphs if end else (), "conclusionReinforcement", CONCLUSION)
    yield from own_sections(given)


def _stated(given: Given, quote: str | None, where: Sequence[str], field: str, place: str) -> Iterator[Finding]:
    part, claim = given.article.part(place), str(given.thesis)
    name = f"the first {OPENING} paragraphs" if place == INTRODUCTION else "the conclusion"
    if not quote:
        yield given.wrong("thesis", f"nothing says where {name} state the thesis", f"quote it in {field}", part)
    elif not _quoted(quote, where):
        problem = f"{field} is {_short(quote)}, which does not stand in one paragraph of {name}"
        yield given.wrong("thesis", problem, "quote words that stand there, to the letter", part)
    elif share(claim, quote) < QUOTED:
        problem = f"{field} is {_short(quote)}, which does not say the thesis {_short(claim)}"
        yield given.wrong("thesis", problem, "quote the sentence that says it", part)
    elif share(claim, quote) < ENOUGH and share(claim, "\n".join(where)) < ENOUGH:
        problem = f"{name} do not state the thesis {_short(claim)}"
        yield given.wrong("thesis", problem, "say it there in plain words", part)


def _quoted(quote: str, paragraphs: Sequence[str]) -> bool:
    """Whether these are words of one paragraph; a word or two would stand anywhere."""
    return not too_short(quote, LEAST) and any(stands_in(quote, paragraph) for paragraph in paragraphs)


def own_sections(given: Given) -> Iterator[Finding]:
    least, most = OWN
    own = [part for part in given.plan.body if _OWN.search(_source(given.outline, part, given.plan.sections))]
    if not least <= len(own) <= most:
        names = ", ".join(part.title for part in own) or "none"
        problem = f"the thesis has {len(own)} sections of its own ({names}), it must have {least} or {most}"
        yield given.wrong("thesis.sections", problem, "mark them in the outline with `- thesis: yes`")
    for planned in own:
        part = next((one for one in given.article.body if one.title == planned.title), None)
        if part and share(str(given.thesis), f"{part.title}\n{part.text}") < ENOUGH:
            problem = f"{part.title!r} is a section of the thesis and does not argue {_short(str(given.thesis))}"
            yield given.wrong("thesis.sections", problem, "prove the thesis there", part)


def _source(outline: str, part: Part, parts: Sequence[Part]) -> str:
    """The lines of a part as they are written."""
    later = [one.line for one in parts if one.line > part.line]
    lines = outline.splitlines()
    return "\n".join(lines[part.line - 1 : (min(later) - 1 if later else None)])


def _execution(given: Given) -> Iterator[Finding]:
    """Without a thesis the article is better made: what it was to add has to be in it (AR-14)."""
    space = given.config.research.innovationSpace
    if space is None or not space.skipThesis:
        return
    plan = given.config.research.executionDifferentiation
    if plan is None:
        problem = "the article has no thesis, and nothing says how it is better made"
        yield given.wrong("execution", problem, "fill in executionDifferentiation")
        return
    added = {
        "depth.specificAreas": plan.depth.specificAreas,
        "coverage.ourAdditions": plan.coverage.ourAdditions,
        "practicalValue.ourAdditions": plan.practicalValue.ourAdditions,
    }
    whole = [f"{part.title}\n{part.text}" for part in given.article.parts]
    if not any(added.values()):
        yield given.wrong("execution", "executionDifferentiation names nothing to add", "name at least one thing")
    for field, wanted in added.items():
        if wanted and not any(share(one, text) >= ENOUGH for one in wanted for text in whole):
            problem = f"nothing of executionDifferentiation.{field} is in the article: {_short('; '.join(wanted))}"
            yield given.wrong("execution", problem, "write at least one of them into the section where it belongs")


def depth(given: Given) -> Iterator[Finding]:
    """A thesis of another depth that a person acknowledged is adapted, and it is said how."""
    if not given.config.writingAngle.depthMismatchAcknowledged:
        return
    made = given.config.writing.decisions
    found = made.depthAdaptation if made else None
    if found is None or not found.applied or not found.strategy:
        problem = (
            f"the thesis suits {_depth(given, given.config.writingAngle.recommendedDepth)}, "
            f"the article is {_depth(given, given.config.depth)}, "
            "and nothing says how the argument was adapted"
        )
        yield given.wrong("depth", problem, "adapt it; set depthAdaptation.applied and its strategy")


def _depth(given: Given, depth: str | None) -> str:
    return THESIS_DEPTHS.name(str(depth), given.config.language)


# --- the persona ------------------------------------------------------------------------------------------------------


def persona(given: Given) -> Iterator[Finding]:
    """The bias shows in two sections, and the voice in three phrases: words that really stand there."""
    made = given.config.writing.decisions
    found = made.personaExecution if made else None
    if found is None:
        yield given.wrong("persona", "nothing says how the author's voice shows", "fill in personaExecution")
        return
    sections: set[str] = set()
    for entry in found.biasAppliedIn:
        place, quote = _placed(entry)
        part = given.article.part(place)
        if part is None or not _quoted(quote, part.paragraphs):
            where = part.title if part and part.title else place
            problem = (
                f"biasAppliedIn says {_short(quote)} of {place}, which does not stand in one paragraph of {where!r}"
            )
            yield given.wrong("bias", problem, "quote words of that section, to the letter", part)
        elif place.startswith("H2-"):
            sections.add(place)
    if len(sections) < BIASED:
        problem = f"the bias shows in {len(sections)} sections, it must show in {BIASED} or more"
        yield given.wrong("bias", problem, "let it speak as a recommendation or a warning in another section")
    yield from _phrases(given, dict.fromkeys(map(normalised, found.signaturePhrases)))


def _phrases(given: Given, said: Collection[str]) -> Iterator[Finding]:
    """Phrases that stand in the article; what is part of another one is no phrase of its own."""
    paragraphs = [paragraph for part in given.article.parts for paragraph in part.paragraphs]
    phrases = [phrase for phrase in said if _quoted(phrase, paragraphs)]
    for phrase in said:
        if phrase not in phrases:
            problem = f"the signature phrase {_short(phrase)} does not stand in the article, or is a mere word"
            yield given.wrong("phrases", problem, "quote it as it stands there, or write it")
    own = [phrase for phrase in phrases if not any(phrase != other and phrase in other for other in phrases)]
    if len(own) < PHRASES:
        problem = f"{len(own)} signature phrases stand in the article, it must have {PHRASES} or more"
        yield given.wrong("phrases", problem, "write more in the author's own voice")


def _placed(entry: str) -> tuple[str, str]:
    found = _PLACED.match(entry)
    return (found.group(1), found.group(2).strip()) if found else ("", entry)


def siblings(given: Given) -> Iterator[Finding]:
    """What articles before this one have used up is not used again."""
    made, planned = given.config.writing.decisions, given.config.writing.outline
    hook = made.hookUsed.type if made and made.hookUsed else None
    end = planned.conclusionType if planned else None
    for name, field in ((hook, "hook"), (end, "conclusion")):
        used = given.avoid.get(f"{field}s", ())
        if name and name in used:
            problem = f"the {field} is of the type {name!r}, as in the articles before this one ({', '.join(used)})"
            yield given.wrong(f"{field}.used", problem, "use another type")


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
