"""Research, in two phases: an agent proposes searches, code searches and fetches, an agent reads the pages.

Agents do not search or fetch. A fetched page is a document of the project, so it is fetched once, and every quote is
checked against the bytes that the agent read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import zip_longest
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from signoff.artifacts import yamlio
from signoff.core.commands import Gather, StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.events import Gathered, Hit, TurnReturned
from signoff.core.refs import Look
from signoff.core.state import State, replace
from signoff.core.table import Move
from signoff.evidence.sources.fetched_pages import same_page
from signoff.workflows.article import places
from signoff.workflows.article.checks import quotes
from signoff.workflows.article.config import config_of
from signoff.workflows.article.documents import computed_fields, materials, values
from signoff.workflows.article.documents.config_schema import parse_doc
from signoff.workflows.article.documents.materials import ROUNDS
from signoff.workflows.article.outputs import parse_materials
from signoff.workflows.article.state import ArticleState, Fetched, Skipped, own_of
from signoff.workflows.article.steps.turns import on_end, turn
from signoff.workflows.kit.table_steps import noted

WANTED = {1: ("competitors",), 2: ROUNDS}
"""The rounds of each phase."""
SEARCHES = ("config", "plan_1", "gather_1", "research_1", "thesis", "depth", "plan_2")
"""The steps after which a search can still come."""

_TASKS = {
    "queries": "Propose what to look for, so that {what} can be found: short queries, for each round its own.",
    "phase-1": "Read what others have written: what they agree on, what they leave out, what room is left.",
    "materials": "Take the materials of this round out of the pages, each with the exact words that carry it.",
    "phase-2": "Weigh the materials: does the thesis hold, what goes where, what does nobody else have?",
}
_WHAT = {1: "what is already written on the topic", 2: "materials for the thesis and against it"}


# --- searching and fetching -------------------------------------------------------------------------------------------


def enter_plan(phase: int) -> Callable[[Now], Move]:
    def enter(now: Now) -> Move:
        own = own_of(now.state)
        notes = {
            **values.notes(now),
            "phase": phase,
            "rounds": list(WANTED[phase]),
            "known": sorted(own.pages),
            "where": config_of(now.state, now.look).search.where,
        }
        task = _TASKS["queries"].format(what=_WHAT[phase])
        return Move(own, (turn(now, "web-researcher", "queries", task, notes, reads=(places.BRIEF,)),))

    return enter


@on_end
def on_plan(now: Now, own: ArticleState) -> Move:
    queries = _rounds((one.query, one.round) for one in now.output.queries)
    urls = _rounds((same_page(one.url), one.round) for one in now.output.urls)
    return Move(replace(own, queries=queries, wanted=urls), (), "done")


def _rounds(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Each query or address once, with all of its rounds."""
    found: dict[str, tuple[str, ...]] = {}
    for text, name in pairs:
        found[text] = _with(found.get(text, ()), (name,))
    return found


def _with(rounds: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*rounds, *more)))


def enter_gather(now: Now) -> Move:
    own = own_of(now.state)
    if own.queries:
        return Move(own, (_gather(now, own, "search", queries=tuple(own.queries)),))
    return _fetch(now, own, ())


def on_gather(now: Now) -> Move:
    own, event = own_of(now.state), now.event
    if not isinstance(event, Gathered) or now.gather is None:
        return Move(own)
    if now.gather.queries:
        return _searched(now, own, event)
    read = {
        url: Fetched(url=url, path=page.path, title=page.title, rounds=own.wanted.get(url, ()))
        for url, page in event.pages.items()
        if not page.problem
    }
    failed = {url: page.problem for url, page in event.pages.items() if page.problem}
    return _enough(_skipping(replace(own, pages={**own.pages, **read}), failed))


def _searched(now: Now, own: ArticleState, event: Gathered) -> Move:
    """Fetches the hits: the best of every query first, then the second best of each."""
    failed = (
        noted("search.failed", f"the search for {query!r} failed: {why}", "try again later, or name other documents")
        for query, why in event.problems.items()
    )
    wanted = dict(own.wanted)
    for query, hits in event.hits.items():
        for hit in hits:
            url = same_page(hit.url)
            wanted[url] = _with(wanted.get(url, ()), own.queries.get(query, ()))
    ranked = [hit for rank in zip_longest(*event.hits.values()) for hit in rank if hit is not None]
    return _fetch(now, replace(own.warned(*failed), wanted=wanted), ranked)


def _fetch(now: Now, own: ArticleState, hits: Sequence[Hit]) -> Move:
    """Fetches new pages. A page that was fetched before only gets the new rounds."""
    asked = [Hit(url=url) for url in own.wanted]
    choice = chosen((*hits, *asked), tuple(own.pages), config_of(now.state, now.look).search.pages)
    known = {url: replace(page, rounds=_with(page.rounds, own.wanted.get(url, ()))) for url, page in own.pages.items()}
    own = _skipping(replace(own, pages=known), {url: why for url, why in choice.skipped.items() if url not in known})
    if not choice.urls:
        return _enough(own)
    return Move(own, (_gather(now, own, "fetch", urls=choice.urls),))


def _skipping(own: ArticleState, why: Mapping[str, str]) -> ArticleState:
    known = {one.url for one in own.skipped}
    more = (Skipped(url=url, why=reason) for url, reason in why.items() if url not in known)
    return replace(own, skipped=(*own.skipped, *more))


def _enough(own: ArticleState) -> Move:
    """Ends the step if there is a page to read, or else asks the person for documents."""
    phase = 1 if own.step == "gather_1" else 2
    if any(own.of_round(name) for name in WANTED[phase]):
        return Move(replace(own, queries={}, wanted={}), (), "done")
    why = "; ".join(f"{one.url}: {one.why}" for one in own.skipped[-3:])
    problem = f"nothing was found to read about {own.topic!r}" + (f" ({why})" if why else "")
    repair = f"put documents into {places.SOURCES}, or search the web (search.where in the settings), then resume"
    return own.blocked(f"{problem}: {repair}")


def looks_outside(state: State, look: Look) -> Mapping[str, Any] | None:
    """The parameters of the searches to come. Before there is a config, the language is the run's parameter."""
    own = own_of(state)
    if own.step not in SEARCHES:
        return None
    ref = state.ref(places.config(own.topic))
    language = look(ref, parse_doc).language if ref else str(state.params.get("language") or "en")
    return config_of(state, look).search.params(language)


def _gather(now: Now, own: ArticleState, key: str, queries: tuple[str, ...] = (), urls: tuple[str, ...] = ()) -> Gather:
    params = config_of(now.state, now.look).search.params(values.config_of(now).language)
    return Gather(key=key, queries=queries, urls=urls, into=places.pages(own.topic), params=params)


# --- phase 1: what is already written ---------------------------------------------------------------------------------


def enter_research(now: Now) -> Move:
    own = own_of(now.state)
    pages = own.of_round("competitors")
    wants = values.config_of(now).writingAngle.pending
    notes = {**values.notes(now), "pages": [page.plain() for page in pages], "wants_theses": wants}
    reads = [page.path for page in pages]
    return Move(own, (turn(now, "web-researcher", "phase-1", _TASKS["phase-1"], notes, reads),))


@on_end
def on_research(now: Now, own: ArticleState) -> Move:
    urls = list(own.pages)
    write = values.with_patches(now, now.output.config, lambda config: computed_fields.after_phase_1(config, urls))
    return Move(own, (write,), "done")


# --- phase 2: materials, and what they are worth ----------------------------------------------------------------------


def enter_rounds(now: Now) -> Move:
    own = own_of(now.state)
    wanted = [name for name in ROUNDS if own.of_round(name) and name not in own.returned]
    if not wanted:
        return _recorded(now, own)
    return Move(own, tuple(_round(now, own, name) for name in wanted))


def _round(now: Now, own: ArticleState, name: str) -> StartTurn:
    pages = own.of_round(name)
    about = {"round": name, "pages": [page.plain() for page in pages]}
    notes = {**values.notes(now), **values.thesis_notes(now, validated=False), **about}
    reads = [page.path for page in pages]
    return turn(now, "web-researcher", "materials", _TASKS["materials"], notes, reads, key=name)


@on_end
def on_rounds(now: Now, own: ArticleState) -> Move:
    assert now.turn is not None and isinstance(now.event, TurnReturned)  # noqa: PT018 - narrows: it has an output
    own = replace(own, returned={**own.returned, now.turn.start.key: now.event.output})
    if any(own.of_round(name) and name not in own.returned for name in ROUNDS):
        return Move(own)
    return _recorded(now, own)


def _recorded(now: Now, own: ArticleState) -> Move:
    """Records the materials whose quotes are in their pages. The same quote of a page is one material."""
    file, pages = places.sources(own.topic), values.page_texts(now, own)
    kept, refused = {}, []
    for name in (name for name in ROUNDS if name in own.returned):
        given = now.look(own.returned[name], parse_materials).items
        once = {(item.url, quotes.normalised(item.quote)): item for item in reversed(given)}
        checked = [(item, quotes.check(item, pages, file)) for item in reversed(once.values())]
        kept[name] = [item for item, problems in checked if not problems]
        refused += [replace(problem, severity="warning") for _, problems in checked for problem in problems]
    items = materials.numbered(kept)
    own = replace(own.warned(*refused), returned={})
    if not items:
        problem = "no material with a quote that stands in its page was found: name other documents, then resume"
        return own.blocked(problem)
    write = values.with_patches(now, {}, lambda config: computed_fields.after_rounds(config, items, list(own.pages)))
    return Move(own, (Write(path=file, text=materials.render(own.topic, items)), write), "done")


def enter_synthesis(now: Now) -> Move:
    own, items = own_of(now.state), values.plain(values.items_of(now))
    notes = {**values.notes(now), **values.thesis_notes(now, validated=False), "ids": items}
    reads = (places.sources(own.topic), *values.page_paths(own))
    return Move(own, (turn(now, "web-researcher", "phase-2", _TASKS["phase-2"], notes, reads),))


@on_end
def on_synthesis(now: Now, own: ArticleState) -> Move:
    items, urls = values.items_of(now), list(own.pages)
    done = {"workflowState": {"research": {"status": "completed", "completedAt": now.event.at}}}
    write = values.with_patches(
        now, now.output.config, lambda config: computed_fields.after_rounds(config, items, urls), done
    )
    return Move(own, (write,), "done")


# --- which of the pages that a search found are fetched, by the rules of `skips.yaml` ---------------------------------

_FILE: Final = "skips.yaml"


class Choice(NamedTuple):
    """The addresses to fetch, best first, and by address why others are not fetched."""

    urls: tuple[str, ...]
    skipped: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Skips:
    """The rules as data."""

    pages_per_domain: int
    social: frozenset[str]
    shop: frozenset[str]
    paths: frozenset[str]
    endings: frozenset[str]
    many: frozenset[str]


@cache
def skips() -> Skips:
    """The rules of the package."""
    text = resources.files("signoff.workflows.article").joinpath(_FILE).read_text(encoding="utf-8")
    data: Mapping[str, Any] = yamlio.load_mapping(text, _FILE)
    lists = {name: frozenset(map(str, data[name])) for name in ("social", "shop", "paths", "endings", "many")}
    return Skips(pages_per_domain=int(data["pages_per_domain"]), **lists)


def chosen(hits: Iterable[Hit], known: Iterable[str], limit: int) -> Choice:
    """The pages of these hits to fetch, in their order: at most `limit`, and no page that is `known` or skipped.

    A document of a folder is its own domain. Known pages count for their domains.
    """
    before = {same_page(url) for url in known}
    domains = Counter(filter(None, map(domain, before)))
    urls: list[str] = []
    skipped: dict[str, str] = {}
    for url in dict.fromkeys(same_page(hit.url) for hit in hits):
        home = domain(url)
        enough = f"{limit} pages are enough" if len(urls) >= limit else ""
        if reason := _reason(url, home, before, domains) or enough:
            skipped[url] = reason
            continue
        urls.append(url)
        domains.update([home] if home else [])
    return Choice(tuple(urls), skipped)


def _reason(url: str, home: str, known: set[str], domains: Mapping[str, int]) -> str:
    if url in known:
        return "it was fetched before"
    if (parts := _parts(url)) is None:
        return "it is not the address of a page"
    if not home:
        return ""
    rules = skips()
    steps = (unquote(step).casefold() for step in parts.path.split("/"))
    listing = next((step for step in steps if step in rules.paths), "")
    found = (
        (_named(home, rules.social), f"{home} is a social network"),
        (_named(home, rules.shop), f"{home} is a shop"),
        (listing, f"/{listing}/ leads to no article"),
        (domains.get(home, 0) >= rules.pages_per_domain, f"{rules.pages_per_domain} pages of {home} are enough"),
    )
    return next((reason for holds, reason in found if holds), "")


def _parts(url: str) -> SplitResult | None:
    """The parts of a web address or of a path in the project; None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme in ("http", "https"):
        return parts if parts.hostname else None
    return parts if not parts.scheme and not parts.netloc and parts.path else None


def _named(home: str, names: frozenset[str]) -> bool:
    return home in names or f"{home.partition('.')[0]}.*" in names


def domain(url: str) -> str:
    """The registered domain of a page; empty for a document of a folder and for an invalid address."""
    parts, rules = _parts(url), skips()
    host = (parts.hostname or "").rstrip(".") if parts else ""
    if not host or host.replace(".", "").isdigit() or ":" in host:
        return host
    labels = host.split(".")
    pairs = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in rules.endings  # as in example.co.uk
    return ".".join(labels[-3 if pairs or ".".join(labels[-2:]) in rules.many else -2 :])
