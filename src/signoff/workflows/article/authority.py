"""What the agents of an article may give in this state: their own fields, real ids, words that stand in the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from signoff.core.errors import DefinitionError
from signoff.core.findings import Finding
from signoff.core.workflow import Now
from signoff.workflows.article import audiences, computed, document, following, materials, places, quotes, siblings
from signoff.workflows.article.article import own_of
from signoff.workflows.article.checks import argument, parse_text, text
from signoff.workflows.article.checks.given import Given
from signoff.workflows.article.config import config_of
from signoff.workflows.article.outputs import (
    ConfigOutput,
    OneRound,
    ProofOutput,
    QueriesOutput,
    ResearchOutput,
    WriterOutput,
)
from signoff.workflows.article.owners import Owner, check_part
from signoff.workflows.article.schema import ArticleConfig
from signoff.workflows.article.terms import ID

SAID = {
    "type": ("articleType",),
    "length": ("articleLength",),
    "audience": ("audienceFramework",),
    "language": ("language",),
    "user": ("audience",),
    "depth": ("depth",),
    "role": ("authorPersona", "role"),
    "bias": ("authorPersona", "bias"),
}
"""What a person told when the run began, and the field that has to say so."""


def _wrong(rule: str, problem: str, repair: str, about: str = "") -> Finding:
    return Finding(rule=f"output.{rule}", problem=problem, repair=repair, about=about)


def _part(now: Now, output: Any, owner: Owner, contract: str) -> list[Finding]:
    return check_part(output.config, owner, places.config(own_of(now.state).topic), contract)


def _turn_key(now: Now) -> str:
    if now.turn is None:
        raise DefinitionError("an output without a turn", repair="check outputs of turns only")
    return now.turn.start.key


# --- config -----------------------------------------------------------------------------------------------------------


def check_config(now: Now, output: ConfigOutput) -> Sequence[Finding]:
    """Its own fields, and what the person said is not changed."""
    if output.status == "blocked":
        return ()
    if found := _part(now, output, "config-creator", "config"):
        return found
    made = document.parsed(document.with_patches(now, output.config, following.after_config))
    return [*_as_told(now, output), *audiences.check(made, places.config(made.topic))]


def _as_told(now: Now, output: ConfigOutput) -> Iterator[Finding]:
    told = {**now.state.params, "topic": own_of(now.state).topic}
    for name, path in {**SAID, "topic": ("topic",)}.items():
        value: Any = output.config
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if told.get(name) and value != told[name]:
            field = ".".join(path)
            problem = f"`{field}` is {value!r}, and the person said {told[name]!r}"
            yield _wrong("told", problem, f"write {told[name]!r}", field)


# --- research ---------------------------------------------------------------------------------------------------------


def check_queries(now: Now, output: QueriesOutput) -> Sequence[Finding]:
    """Queries of the rounds that were asked for; addresses only where an input names them."""
    if output.status == "blocked":
        return ()
    return list(_queries(now, output))


def _queries(now: Now, output: QueriesOutput) -> Iterator[Finding]:
    wanted = tuple(now.turn.start.notes["rounds"]) if now.turn else ()
    given = {*(one.round for one in output.queries), *(one.round for one in output.urls)}
    for name in sorted(given - set(wanted)):
        yield _wrong("round", f"nobody asked for the round {name!r}", f"use {', '.join(wanted)}")
    for name in wanted:
        if name not in given:
            yield _wrong("round", f"there is no query for the round {name!r}", "propose one or more")
    read = "\n".join(now.look(ref, parse_text) for ref in now.turn.start.pinned) if now.turn else ""
    for one in output.urls:
        if one.url not in own_of(now.state).pages and not _names(read, one.url):
            yield _wrong("url", f"no input names the address {one.url!r}", "take it out; search for the page instead")


def _names(text: str, url: str) -> bool:
    """Whether a text names this very address: the beginning of a longer one is another page, or another host."""
    return bool(re.search(rf"(?<![\w/.:@%-]){re.escape(url)}(?![\w/:@%&=?#+~-]|\.\w)", text))


def check_phase_1(now: Now, output: ResearchOutput) -> Sequence[Finding]:
    """Its own fields; as many theses as there is room for; competitors that were read."""
    if output.status == "blocked":
        return ()
    return _part(now, output, "web-researcher 1", "phase-1") or list(_phase_1(now, output))


def _phase_1(now: Now, output: ResearchOutput) -> Iterator[Finding]:
    own = own_of(now.state)
    config = document.parsed(document.with_patches(now, output.config))
    for url in config.research.competitorContent or {}:
        if url not in own.pages:
            yield _wrong("url", f"competitorContent has {url!r}, which was not read", "name pages that were read", url)
    theses = config.research.recommendedTheses
    wants = computed.wants_theses(config)
    if wants and len({one.thesis for one in theses}) != computed.THESES:
        problem = f"there are {len(theses)} recommended theses, {computed.THESES} different ones were asked for"
        yield _wrong("theses", problem, f"recommend {computed.THESES}")
    if not wants and _gives(output, "recommendedTheses"):
        problem = "the article gets no thesis, and there are recommended ones"
        yield _wrong("theses", problem, "leave recommendedTheses out")
    for one in theses:
        if one.recommendedDepth != "all" and one.recommendedDepth not in audiences.depths(config.audienceFramework):
            valid = ", ".join((*audiences.depths(config.audienceFramework), "all"))
            problem = f"recommendedDepth {one.recommendedDepth!r} is none of {config.audienceFramework}"
            yield _wrong("depth", problem, f"use {valid}")


def _gives(output: ResearchOutput, field: str) -> bool:
    """Whether this very output gives something for a field of research: earlier ones may stand in the config."""
    state = output.config.get("workflowState") or {}
    return bool((state.get("research") or {}).get(field))


def check_materials(now: Now, output: OneRound) -> Sequence[Finding]:
    """Materials of this round, from its pages; what has no quote there is not recorded, and a round of nothing else
    is asked for again."""
    if output.status == "blocked":
        return ()
    own, key = own_of(now.state), _turn_key(now)
    if output.round != key:
        return [_wrong("round", f"this is the round {key!r}, not {output.round!r}", f"give items of {key}")]
    pages = {page.url for page in own.of_round(key)}
    strange = [item.url for item in output.items if item.url not in pages]
    if strange:
        return [_wrong("url", f"{strange[0]!r} is no page of this round", f"use {', '.join(sorted(pages))}")]
    pages_read, file = document.page_texts(now, own), places.sources(own.topic)
    refused = [quotes.check(item, pages_read, file) for item in output.items]
    return [one for found in refused for one in found] if refused and all(refused) else ()


def check_phase_2(now: Now, output: ResearchOutput) -> Sequence[Finding]:
    """Its own fields, ids that exist, the thesis that was chosen, and quotes that stand in their pages."""
    if output.status == "blocked":
        return ()
    return _part(now, output, "web-researcher 2", "phase-2") or list(_phase_2(now, output))


def _phase_2(now: Now, output: ResearchOutput) -> Iterator[Finding]:
    items, urls = document.items_of(now), list(own_of(now.state).pages)
    follows = partial(following.after_rounds, items=items, urls=urls)
    config = document.parsed(document.with_patches(now, output.config, follows))
    yield from materials.dangling(_before_writing(config), items)
    thesis, found = config.writingAngle.thesis, config.research.thesisValidation
    if thesis and found is None:
        yield _wrong("thesis", "nothing says whether the materials carry the thesis", "fill in thesisValidation")
    if thesis and found is not None:
        if found.originalThesis != thesis:
            yield _wrong("thesis", f"originalThesis is not what was chosen: {thesis!r}", "copy it to the letter")
        if found.adjustment == "keep" and found.validatedThesis not in (None, thesis):
            yield _wrong("thesis", "adjustment is keep, and validatedThesis is another", "say soften or strengthen")
        if found.adjustment != "keep" and not found.validatedThesis:
            yield _wrong("thesis", f"adjustment is {found.adjustment}, and there is no validatedThesis", "word it")
    if not thesis and found is not None and (found.validatedThesis or found.adjustment not in (None, "keep")):
        problem = f"the article has no thesis, and validatedThesis is {found.validatedThesis!r}"
        yield _wrong("thesis", problem, "leave thesisValidation out: nobody chose a thesis")
    yield from _witnesses(now, config)


def _before_writing(config: ArticleConfig) -> ArticleConfig:
    """The config without what a writer made of earlier materials: the next draft says that anew."""
    return config.model_copy(update={"workflowState": config.workflowState.model_copy(update={"writing": None})})


def _witnesses(now: Now, config: ArticleConfig) -> Iterator[Finding]:
    """Whoever is called as a witness said it, in a page that was read."""
    pages = document.page_texts(now, own_of(now.state))
    strategy = config.research.authorityStrategy
    found = strategy.sourcesFound if strategy else None
    for tier in type(found).model_fields if found else ():
        for one in getattr(found, tier):
            if not quotes.stands_in(one.quote, pages.get(one.url, "")):
                problem = f"sourcesFound.{tier} quotes {one.quote[:60]!r}, which {one.url} does not say"
                yield _wrong("quote", problem, "quote words of a page that was read, or leave it out", tier)
    voices = config.research.userVoices
    for voice in voices.quotableVoices if voices else ():
        if not any(quotes.stands_in(voice.quote, page) for page in pages.values()):
            problem = f"userVoices.quotableVoices quotes {voice.quote[:60]!r}, which no page says"
            yield _wrong("quote", problem, "quote words of a page that was read, or leave it out", "quotableVoices")


# --- writing ----------------------------------------------------------------------------------------------------------


def check_outline(now: Now, output: WriterOutput) -> Sequence[Finding]:
    """The document, its own fields, sections that can carry the article."""
    path = places.outline(own_of(now.state).topic)
    if output.status == "blocked":
        return ()
    return _document(output, path) or _part(now, output, "outline-writer", "outline") or list(_outline(now, output))


def _outline(now: Now, output: WriterOutput) -> Iterator[Finding]:
    path = places.outline(own_of(now.state).topic)
    outline = output.documents[path]
    plan, known = text.read(outline), {item.id for item in document.items_of(now)}
    if len(plan.sections) < 3:
        yield _wrong("outline", f"the outline has {len(plan.sections)} sections", "write 3 or more; the last concludes")
    for one in _ids(outline):
        if one not in known:
            yield _wrong("outline", f"{one} is no material of this article", f"use {_few(known)}", one)
    config = document.parsed(document.with_patches(now, output.config))
    size = document.budget(now)
    given = Given(
        config=config, outline=outline, draft="", items=(), file=path, outline_file=path,
        least=size["least"], most=size["most"], avoid=siblings.avoid(now, config_of(now.state, now.look).blocked),
    )  # fmt: skip
    if given.argues:
        yield from argument.own_sections(given)
    yield from argument.siblings(given)


def _few(known: set[str]) -> str:
    return ", ".join(sorted(known)[:12])


def _ids(outline: str) -> list[str]:
    return list(dict.fromkeys(re.findall(ID, outline)))


def _document(output: WriterOutput, path: str) -> list[Finding]:
    if list(output.documents) == [path]:
        return []
    found = ", ".join(output.documents) or "nothing"
    return [_wrong("documents", f"documents has {found}", f"give exactly {path}")]


def check_draft(now: Now, output: WriterOutput) -> Sequence[Finding]:
    """The document and its own fields; what the text itself is worth, the checks of the draft say."""
    path = places.draft(own_of(now.state).topic)
    if output.status == "blocked":
        return ()
    if found := _document(output, path) or _part(now, output, "outline-writer", "draft"):
        return found
    text.read(output.documents[path])  # what nobody can read, nobody can measure
    return ()


def check_proof(now: Now, output: ProofOutput) -> Sequence[Finding]:
    """Issues of this lens, about places that are there, each with a name of its own."""
    if output.status == "blocked":
        return ()
    key, names = _turn_key(now), [issue.id for issue in output.issues]
    there = {part.place for part in text.read(document.draft_of(now)).parts}
    found = []
    if output.lens != key:
        found.append(_wrong("lens", f"this is the lens {key!r}, not {output.lens!r}", f"look for {key}"))
    twice = {name for name in names if names.count(name) > 1}
    found += [
        _wrong("issue", f"two issues are called {name!r}", "name each for itself", name) for name in sorted(twice)
    ]
    found += [
        _wrong("issue", f"{issue.id} is about {issue.section}, which is not there", f"use {', '.join(sorted(there))}")
        for issue in output.issues
        if issue.section not in there
    ]
    return found
