"""Research: an agent proposes what to look for, code looks for it, an agent reads what was found. Twice.

No agent searches or fetches anything itself. What was fetched is a document of the project like any other, so every
quote is checked against the very bytes that the agent read, and a page is fetched once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from signoff.artifacts.pages import same_page
from signoff.core.commands import Gather, StartTurn, Write
from signoff.core.events import Gathered, Hit, TurnReturned
from signoff.core.frozen import replace
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.article import document, following, gathering, materials, places, quotes
from signoff.workflows.article.article import ArticleState, Fetched, Skipped, noted, own_of
from signoff.workflows.article.config import config_of
from signoff.workflows.article.material_schema import Found
from signoff.workflows.article.materials import ROUNDS
from signoff.workflows.article.outputs import parse_materials
from signoff.workflows.article.schema import parse_doc
from signoff.workflows.article.turns import blocked, is_end_of_turn, said, turn

WANTED = {1: ("competitors",), 2: ROUNDS}
"""The rounds of each phase."""

_TASKS = {
    "queries": "Propose what to look for, so that {what} can be found: short queries, for each round its own.",
    "phase-1": "Read what others have written: what they agree on, what they leave out, what room is left.",
    "materials": "Take the materials of this round out of the pages, each with the exact words that carry it.",
    "phase-2": "Weigh the materials: does the thesis hold, what goes where, what does nobody else have?",
}
_WHAT = {1: "what is already written on the topic", 2: "materials for the thesis and against it"}


# --- what to look for, and looking for it -----------------------------------------------------------------------------


def enter_plan(phase: int) -> Callable[[Now], Move]:
    def enter(now: Now) -> Move:
        own = own_of(now.state)
        notes = {
            **document.notes(now),
            "phase": phase,
            "rounds": list(WANTED[phase]),
            "known": sorted(own.pages),
            "where": config_of(now.state, now.look).search.where,
        }
        task = _TASKS["queries"].format(what=_WHAT[phase])
        return Move(own, (turn(now, "web-researcher", "queries", task, notes, reads=(places.BRIEF,)),))

    return enter


def on_plan(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now):
        return stop
    own = said(now, own_of(now.state))
    queries = _by_text((one.query, one.round) for one in now.output.queries)
    urls = _by_text((same_page(one.url), one.round) for one in now.output.urls)
    return Move(replace(own, queries=queries, wanted=urls), (), "done")


def _by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The rounds of each thing that was asked for: asked for twice, it is looked for once."""
    found: dict[str, tuple[str, ...]] = {}
    for text, name in pairs:
        found[text] = tuple(dict.fromkeys((*found.get(text, ()), name)))
    return found


def enter_gather(now: Now) -> Move:
    own = own_of(now.state)
    if own.queries:
        return Move(own, (_gather(now, own, "search", queries=tuple(own.queries)),))
    return _fetch(now, own, ())


def on_gather(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Gathered) or now.gather is None:
        return Move(own)
    if now.gather.queries:
        return _found(now, own, now.event)
    return _read(own, now.event)


def _found(now: Now, own: ArticleState, event: Gathered) -> Move:
    """What a search found: of that, what is worth reading, each page once, however many queries led to it."""
    failed = (
        noted("search.failed", f"the search for {query!r} failed: {why}", "try again later, or name other documents")
        for query, why in event.problems.items()
    )
    own = own.warned(*failed)
    wanted = dict(own.wanted)
    for query, hits in event.hits.items():
        for hit in hits:
            url = same_page(hit.url)
            wanted[url] = _with(wanted.get(url, ()), own.queries.get(query, ()))
    return _fetch(now, replace(own, wanted=wanted), _by_turns(list(event.hits.values())))


def _by_turns(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The best of every query, then the second best of each: no query has all the pages."""
    most = max(map(len, found), default=0)
    return [hits[place] for place in range(most) for hits in found if place < len(hits)]


def _fetch(now: Now, own: ArticleState, hits: Sequence[Hit]) -> Move:
    """What is new is fetched; what was read before is read again where another round wants it, and not fetched."""
    asked = [Hit(url=url) for url in own.wanted]
    chosen = gathering.chosen((*hits, *asked), tuple(own.pages), config_of(now.state, now.look).search.pages)
    known = {url: replace(page, rounds=_with(page.rounds, own.wanted.get(url, ()))) for url, page in own.pages.items()}
    own = _skipping(replace(own, pages=known), {url: why for url, why in chosen.skipped.items() if url not in known})
    if not chosen.urls:
        return _enough(own)
    return Move(own, (_gather(now, own, "fetch", urls=chosen.urls),))


def _with(rounds: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*rounds, *more)))


def _read(own: ArticleState, event: Gathered) -> Move:
    read = {
        url: Fetched(url=url, path=page.path, title=page.title, rounds=own.wanted.get(url, ()))
        for url, page in event.pages.items()
        if not page.problem
    }
    failed = {url: page.problem for url, page in event.pages.items() if page.problem}
    return _enough(_skipping(replace(own, pages={**own.pages, **read}), failed))


def _skipping(own: ArticleState, why: Mapping[str, str]) -> ArticleState:
    """What was found and is not read, on record once."""
    known = {one.url for one in own.skipped}
    more = (Skipped(url=url, why=reason) for url, reason in why.items() if url not in known)
    return replace(own, skipped=(*own.skipped, *more))


def _enough(own: ArticleState) -> Move:
    """Whether there is anything to read; nobody can research in nothing."""
    phase = 1 if own.step == "gather_1" else 2
    if any(own.of_round(name) for name in WANTED[phase]):
        return Move(replace(own, queries={}, wanted={}), (), "done")
    why = "; ".join(f"{one.url}: {one.why}" for one in own.skipped[-3:])
    problem = f"nothing was found to read about {own.topic!r}" + (f" ({why})" if why else "")
    repair = f"put documents into {places.SOURCES}, or search the web (search.where in the settings), then resume"
    return Move(replace(own, blockers=(f"{problem}: {repair}",)), (), "blocked")


SEARCHES = ("config", "plan_1", "gather_1", "research_1", "thesis", "depth", "plan_2")
"""The steps after which something is still searched for; what is open in the last search speaks for itself."""


def looks_outside(state: State, look: Look) -> Mapping[str, Any] | None:
    """The params of the searches that are to come. Before the config is there, the language is what the person said."""
    own = own_of(state)
    if own.step not in SEARCHES:
        return None
    ref = state.ref(places.config(own.topic))
    language = look(ref, parse_doc).language if ref else str(state.params.get("language") or "en")
    return config_of(state, look).search.params(language)


def _gather(now: Now, own: ArticleState, key: str, queries: tuple[str, ...] = (), urls: tuple[str, ...] = ()) -> Gather:
    params = config_of(now.state, now.look).search.params(document.config_of(now).language)
    return Gather(key=key, queries=queries, urls=urls, into=places.pages(own.topic), params=params)


# --- phase 1: what is already written ---------------------------------------------------------------------------------


def enter_research(now: Now) -> Move:
    own = own_of(now.state)
    pages = own.of_round("competitors")
    wants = document.config_of(now).writingAngle.pending
    notes = {**document.notes(now), "pages": [page.plain() for page in pages], "wants_theses": wants}
    reads = [page.path for page in pages]
    return Move(own, (turn(now, "web-researcher", "phase-1", _TASKS["phase-1"], notes, reads),))


def on_research(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now):
        return stop
    own = said(now, own_of(now.state))
    urls = list(own.pages)
    write = document.with_patches(now, now.output.config, lambda config: following.after_phase_1(config, urls))
    return Move(own, (write,), "done")


# --- phase 2: materials, side by side ---------------------------------------------------------------------------------


def enter_rounds(now: Now) -> Move:
    own = own_of(now.state)
    wanted = [name for name in ROUNDS if own.of_round(name) and name not in own.returned]
    if not wanted:
        return _recorded(now, own)
    return Move(own, tuple(_round(now, own, name) for name in wanted))


def _round(now: Now, own: ArticleState, name: str) -> StartTurn:
    pages = own.of_round(name)
    about = {"round": name, "pages": [page.plain() for page in pages]}
    notes = {**document.notes(now), **document.thesis_notes(now, validated=False), **about}
    reads = [page.path for page in pages]
    return turn(now, "web-researcher", "materials", _TASKS["materials"], notes, reads, key=name)


def on_rounds(now: Now) -> Move:
    own = own_of(now.state)
    if not is_end_of_turn(now) or now.turn is None:
        return Move(own)
    if stop := blocked(now):
        return stop
    assert isinstance(now.event, TurnReturned)  # narrows the type: a turn without refusal has an output
    own = replace(said(now, own), returned={**own.returned, now.turn.start.key: now.event.output})
    if any(own.of_round(name) and name not in own.returned for name in ROUNDS):
        return Move(own)
    return _recorded(now, own)


def _recorded(now: Now, own: ArticleState) -> Move:
    """What every round found, with its quotes looked up; what does not stand in its page is not recorded."""
    rounds = {
        name: _each_once(now.look(own.returned[name], parse_materials).items) for name in ROUNDS if name in own.returned
    }
    file, pages = places.sources(own.topic), document.page_texts(now, own)
    refused = [one for found in rounds.values() for item in found for one in quotes.check(item, pages, file)]
    items = materials.numbered(
        {name: [item for item in found if not quotes.check(item, pages, file)] for name, found in rounds.items()}
    )
    own = replace(own.warned(*(replace(one, severity="warning") for one in refused)), returned={})
    if not items:
        problem = "no material with a quote that stands in its page was found: name other documents, then resume"
        return Move(replace(own, blockers=(problem,)), (), "blocked")
    write = document.with_patches(now, {}, lambda config: following.after_rounds(config, items, list(own.pages)))
    return Move(own, (Write(path=file, text=materials.render(own.topic, items)), write), "done")


def _each_once(items: Sequence[Found]) -> list[Found]:
    """The same words of the same page are one material, whatever is said of them."""
    return list({(item.url, quotes.normalised(item.quote)): item for item in reversed(items)}.values())[::-1]


# --- phase 2: what they are worth -------------------------------------------------------------------------------------


def enter_synthesis(now: Now) -> Move:
    own = own_of(now.state)
    items = document.items_of(now)
    notes = {**document.notes(now), **document.thesis_notes(now, validated=False), "ids": document.plain(items)}
    reads = (places.sources(own.topic), *(page.path for page in own.pages.values()))
    return Move(own, (turn(now, "web-researcher", "phase-2", _TASKS["phase-2"], notes, reads),))


def on_synthesis(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now):
        return stop
    own = said(now, own_of(now.state))
    items = document.items_of(now)
    done = {"workflowState": {"research": {"status": "completed", "completedAt": now.event.at}}}
    write = document.with_patches(
        now, now.output.config, lambda config: following.after_rounds(config, items, list(own.pages)), done
    )
    return Move(own, (write,), "done")
