"""What the agents of an article may give in this state: their own fields, real ids, words that stand in the pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Now
from signoff.core.errors import DefinitionError
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.terms import language_of
from signoff.workflows.article import places
from signoff.workflows.article.checks import argument, quotes, text
from signoff.workflows.article.documents import audiences, computed_fields, values
from signoff.workflows.article.documents.config_schema import ArticleConfig, parse_doc
from signoff.workflows.article.documents.field_owners import Owner, check_part
from signoff.workflows.article.documents.materials import LISTED, RULE, Item, round_of
from signoff.workflows.article.documents.terms import ANY_DEPTH, ID, THESIS_DEPTHS
from signoff.workflows.article.outputs import (
    ConfigOutput,
    OneRound,
    ProofOutput,
    QueriesOutput,
    ResearchOutput,
    WriterOutput,
)
from signoff.workflows.article.state import own_of

SAID = {
    "type": ("articleType",),
    "length": ("articleLength",),
    "audience": ("audienceFramework",),
    "language": ("language",),
    "user": ("audience",),
    "depth": ("depth",),
    "role": ("authorPersona", "role"),
    "bias": ("authorPersona", "bias"),
    "topic": ("topic",),
}
"""What a person tells a run, and the field that has to hold it."""


def unless_blocked(check: Callable[[Now, Any], Iterable[Finding]]) -> Callable[[Now, Any], Sequence[Finding]]:
    """A check of outputs that are not blocked."""
    return lambda now, output: () if output.status == "blocked" else list(check(now, output))


def _wrong(rule: str, problem: str, repair: str, about: str = "") -> Finding:
    return Finding(rule=f"output.{rule}", problem=problem, repair=repair, about=about)


def _part(now: Now, output: Any, owner: Owner, contract: str) -> list[Finding]:
    path = places.config(own_of(now.state).topic)
    ref = now.state.ref(path)
    known = now.look(ref, parse_doc).language if ref else language_of(now.state.params)
    return check_part(output.config, owner, path, contract, str(output.config.get("language") or known))


def _turn_key(now: Now) -> str:
    if now.turn is None:
        raise DefinitionError("an output without a turn", repair="check outputs of turns only")
    return now.turn.start.key


def check_config(now: Now, output: ConfigOutput) -> Iterator[Finding]:
    """Its own fields, and nothing else than what the person told."""
    if found := _part(now, output, "config-creator", "config"):
        yield from found
        return
    made = values.parsed(values.with_patches(now, output.config, computed_fields.after_config))
    told = {**now.state.params, "topic": own_of(now.state).topic}
    for name, path in SAID.items():
        value: Any = output.config
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if told.get(name) and value != told[name]:
            field = ".".join(path)
            problem = f"`{field}` is {value!r}, and the person said {told[name]!r}"
            yield _wrong("told", problem, f"write {told[name]!r}", field)
    yield from audiences.check(made, places.config(made.topic))


# --- research ---------------------------------------------------------------------------------------------------------


def check_queries(now: Now, output: QueriesOutput) -> Iterator[Finding]:
    """Queries of the rounds that were asked for; only addresses that an input names."""
    wanted = tuple(now.turn.start.notes["rounds"]) if now.turn else ()
    given = {*(one.round for one in output.queries), *(one.round for one in output.urls)}
    for name in sorted(given - set(wanted)):
        yield _wrong("round", f"nobody asked for the round {name!r}", f"use {', '.join(wanted)}")
    for name in wanted:
        if name not in given:
            yield _wrong("round", f"there is no query for the round {name!r}", "propose one or more")
    read = "\n".join(now.look(ref, decode) for ref in now.turn.start.pinned) if now.turn else ""
    for one in output.urls:
        # the beginning of a longer address is another page, or another host
        named = re.search(rf"(?<![\w/.:@%-]){re.escape(one.url)}(?![\w/:@%&=?#+~-]|\.\w)", read)
        if one.url not in own_of(now.state).pages and not named:
            yield _wrong("url", f"no input names the address {one.url!r}", "take it out; search for the page instead")


def check_phase_1(now: Now, output: ResearchOutput) -> Iterator[Finding]:
    """Its own fields, competitors that were read, and as many theses as there is room for."""
    if found := _part(now, output, "web-researcher 1", "phase-1"):
        yield from found
        return
    config = values.parsed(values.with_patches(now, output.config))
    for url in config.research.competitorContent or {}:
        if url not in own_of(now.state).pages:
            yield _wrong("url", f"competitorContent has {url!r}, which was not read", "name pages that were read", url)
    theses, wanted = config.research.recommendedTheses, computed_fields.THESES
    wants = computed_fields.wants_theses(config)
    if wants and len({one.thesis for one in theses}) != wanted:
        problem = f"there are {len(theses)} recommended theses, {wanted} different ones were asked for"
        yield _wrong("theses", problem, f"recommend {wanted}")
    research = (output.config.get("workflowState") or {}).get("research") or {}
    if not wants and research.get("recommendedTheses"):
        problem = "the article gets no thesis, and there are recommended ones"
        yield _wrong("theses", problem, "leave recommendedTheses out")
    depths = (*audiences.depths(config.audienceFramework), ANY_DEPTH)
    for one in theses:
        if one.recommendedDepth not in depths:
            valid = ", ".join(THESIS_DEPTHS.name(depth, config.language) for depth in depths)
            depth = THESIS_DEPTHS.name(one.recommendedDepth, config.language)
            yield _wrong("depth", f"recommendedDepth {depth!r} is none of {config.audienceFramework}", f"use {valid}")


def check_materials(now: Now, output: OneRound) -> Sequence[Finding]:
    """Materials of this round and its pages. Items without a quote are left out; if all are, the round is refused."""
    own, key = own_of(now.state), _turn_key(now)
    if output.round != key:
        return [_wrong("round", f"this is the round {key!r}, not {output.round!r}", f"give items of {key}")]
    pages = {page.url for page in own.of_round(key)}
    strange = [item.url for item in output.items if item.url not in pages]
    if strange:
        return [_wrong("url", f"{strange[0]!r} is no page of this round", f"use {', '.join(sorted(pages))}")]
    pages_read, file = values.page_texts(now, own), places.sources(own.topic)
    refused = [quotes.check(item, pages_read, file) for item in output.items]
    return [one for found in refused for one in found] if all(refused) else []


def check_phase_2(now: Now, output: ResearchOutput) -> Iterator[Finding]:
    """Its own fields, ids that exist, the thesis that was chosen, and quotes that stand in their pages."""
    if found := _part(now, output, "web-researcher 2", "phase-2"):
        yield from found
        return
    items, urls = values.items_of(now), list(own_of(now.state).pages)
    follows = partial(computed_fields.after_rounds, items=items, urls=urls)
    config = values.parsed(values.with_patches(now, output.config, follows))
    # what a writer made of earlier materials does not count: the next draft says that again
    unwritten = config.workflowState.model_copy(update={"writing": None})
    yield from dangling(config.model_copy(update={"workflowState": unwritten}), items)
    thesis, weighed = config.writingAngle.thesis, config.research.thesisValidation
    if thesis and weighed is None:
        yield _wrong("thesis", "nothing says whether the materials carry the thesis", "fill in thesisValidation")
    if thesis and weighed is not None:
        if weighed.originalThesis != thesis:
            yield _wrong("thesis", f"originalThesis is not what was chosen: {thesis!r}", "copy it to the letter")
        if weighed.adjustment == "keep" and weighed.validatedThesis not in (None, thesis):
            yield _wrong("thesis", "adjustment is keep, and validatedThesis is another", "say soften or strengthen")
        if weighed.adjustment != "keep" and not weighed.validatedThesis:
            yield _wrong("thesis", f"adjustment is {weighed.adjustment}, and there is no validatedThesis", "word it")
    if not thesis and weighed is not None and (weighed.validatedThesis or weighed.adjustment not in (None, "keep")):
        problem = f"the article has no thesis, and validatedThesis is {weighed.validatedThesis!r}"
        yield _wrong("thesis", problem, "leave thesisValidation out: nobody chose a thesis")
    yield from _witnesses(now, config)


def _witnesses(now: Now, config: ArticleConfig) -> Iterator[Finding]:
    """The words of a witness stand in a page that was read."""
    pages = values.page_texts(now, own_of(now.state))
    strategy, voices = config.research.authorityStrategy, config.research.userVoices
    found, repair = strategy.sourcesFound if strategy else None, "quote words of a page that was read, or leave it out"
    for tier in type(found).model_fields if found else ():
        for one in getattr(found, tier):
            if not quotes.stands_in(one.quote, pages.get(one.url, "")):
                problem = f"sourcesFound.{tier} quotes {one.quote[:60]!r}, which {one.url} does not say"
                yield _wrong("quote", problem, repair, tier)
    for voice in voices.quotableVoices if voices else ():
        if not any(quotes.stands_in(voice.quote, page) for page in pages.values()):
            problem = f"userVoices.quotableVoices quotes {voice.quote[:60]!r}, which no page says"
            yield _wrong("quote", problem, repair, "quotableVoices")


# --- references to materials ------------------------------------------------------------------------------------------


def dangling(config: ArticleConfig, items: Iterable[Item], file: str = "") -> list[Finding]:
    """References to materials that are not recorded, and ids that stand twice in the config."""

    def finding(problem: str, repair: str, about: str) -> Finding:
        return Finding(rule=f"{RULE}.id", problem=problem, repair=repair, file=file, about=about)

    known, found = sorted({item.id for item in items}), []
    for path, material in _references(config):
        if material not in known:
            alike = [one for one in known if round_of(one) == round_of(material)] or known
            more = f" and {len(alike) - 12} more" if len(alike) > 12 else ""
            valid = ", ".join(alike[:12]) + more or "none, for nothing is recorded"
            problem = f"`{path}` names {material}, which is no material; valid: {valid}"
            found.append(finding(problem, "name one of them, or take it out", material))
    recorded = config.research.materials
    for name in LISTED.values() if recorded else ():
        times = Counter(one.id for one in getattr(recorded, name))
        for material in sorted(one for one, count in times.items() if count > 1):
            problem = f"`workflowState.research.materials.{name}` has {material} twice; valid: each id once"
            found.append(finding(problem, "take one of the two out", material))
    return found


def _references(config: ArticleConfig) -> Iterator[tuple[str, str]]:
    if recorded := config.research.materials:
        head = "workflowState.research.materials"
        for name in LISTED.values():
            yield from ((f"{head}.{name}", one.id) for one in getattr(recorded, name))
        if relevance := recorded.byThesisRelevance:
            for name in type(relevance).model_fields:
                yield from ((f"{head}.byThesisRelevance.{name}", one) for one in getattr(relevance, name))
        for slot, ids in recorded.byPlacement.items():
            yield from ((f"{head}.byPlacement.{slot}", one) for one in ids)
        yield from ((f"{head}.differentiators", one) for one in recorded.differentiators)
    if usage := config.writing.materialUsage:
        for name in ("used", "skipped", "borrowed"):
            yield from ((f"workflowState.writing.materialUsage.{name}", one.id) for one in getattr(usage, name))


# --- writing ----------------------------------------------------------------------------------------------------------


def check_outline(now: Now, output: WriterOutput) -> Iterator[Finding]:
    """The document, its own fields, and sections that can carry the article."""
    path = places.outline(own_of(now.state).topic)
    if found := _document(output, path) or _part(now, output, "outline-writer", "outline"):
        yield from found
        return
    outline = output.documents[path]
    plan, known = text.read(outline), sorted({item.id for item in values.items_of(now)})
    if len(plan.sections) < 3:
        yield _wrong("outline", f"the outline has {len(plan.sections)} sections", "write 3 or more; the last concludes")
    for one in dict.fromkeys(re.findall(ID, outline)):
        if one not in known:
            yield _wrong("outline", f"{one} is no material of this article", f"use {', '.join(known[:12])}", one)
    config = values.parsed(values.with_patches(now, output.config))
    given = replace(values.given(now, draft=""), config=config, outline=outline, file=path)
    if given.argues:
        yield from argument.own_sections(given)
    yield from argument.siblings(given)


def _document(output: WriterOutput, path: str) -> list[Finding]:
    if list(output.documents) == [path]:
        return []
    found = ", ".join(output.documents) or "nothing"
    return [_wrong("documents", f"documents has {found}", f"give exactly {path}")]


def check_draft(now: Now, output: WriterOutput) -> Sequence[Finding]:
    """The document and its own fields; the checks of the draft judge the text."""
    path = places.draft(own_of(now.state).topic)
    if found := _document(output, path) or _part(now, output, "outline-writer", "draft"):
        return found
    text.read(output.documents[path])  # raises if the text cannot be read
    return ()


def check_proof(now: Now, output: ProofOutput) -> Iterator[Finding]:
    """Issues of this lens, about places that are there, each with a name of its own."""
    key, names = _turn_key(now), [issue.id for issue in output.issues]
    there = {part.place for part in text.read(values.draft_of(now)).parts}
    if output.lens != key:
        yield _wrong("lens", f"this is the lens {key!r}, not {output.lens!r}", f"look for {key}")
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield _wrong("issue", f"two issues are called {name!r}", "name each for itself", name)
    for issue in output.issues:
        if issue.section not in there:
            valid = ", ".join(sorted(there))
            yield _wrong("issue", f"{issue.id} is about {issue.section}, which is not there", f"use {valid}")
