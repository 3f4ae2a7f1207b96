"""One exploration of an article, and what must be true after every single thing that can happen in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import small_article as small
from small_article import TOPIC, URL

from signoff.core.commands import Ask, Gather, StartTurn
from signoff.core.declarations import Now
from signoff.core.events import Hit
from signoff.core.findings import failing
from signoff.core.state import OpenTurn, State
from signoff.evidence.sources.fetched_pages import parse_page
from signoff.testing.explorer import Alphabet, Explorer, Found, Graph, Way, recording
from signoff.workflows.article import config as settings
from signoff.workflows.article import places
from signoff.workflows.article.checks import quotes, run_all, text
from signoff.workflows.article.documents import computed_fields, config_schema, field_owners, materials, values
from signoff.workflows.article.state import own_of
from signoff.workflows.article.workflow import TABLE, WORKFLOW

Named = Iterable[tuple[str, str]]
DRAFT, OUTLINE, CONFIG, SOURCES = (
    places.draft(TOPIC),
    places.outline(TOPIC),
    places.config(TOPIC),
    places.sources(TOPIC),
)
LONG = 930
"""So many words fill a short article."""

GOOD = small.draft(LONG)
WORSE = GOOD.replace("lost 23%", "lost 32%")
"""A draft with a number that no datum says."""

BROKEN = "Words that were never checked."
AGENT_OF = {
    "config": "config-creator", "queries": "web-researcher", "phase-1": "web-researcher", "materials": "web-researcher",
    "phase-2": "web-researcher", "outline": "outline-writer", "draft": "outline-writer", "proof": "proofreader",
}  # fmt: skip


# --- what agents may say ----------------------------------------------------------------------------------------------


def say(contract: str, **output: Any) -> str:
    return json.dumps({"agent": AGENT_OF[contract], **output}, ensure_ascii=False)


def research(**fields: Any) -> dict[str, Any]:
    return {"workflowState": {"research": fields}}


def of_phase_1(**fields: Any) -> dict[str, Any]:
    found = {**small.PHASE_1["workflowState"]["research"], **fields}
    return research(**{name: value for name, value in found.items() if value is not None})


def of_phase_2(**fields: Any) -> dict[str, Any]:
    return research(**{**small.PHASE_2["workflowState"]["research"], **fields})


def configs(start: StartTurn) -> Named:
    whole = small.merged(small.IDENTITY)
    yield "good", say("config", config=whole)
    yield "informational", say("config", config={**whole, "articleType": "informational"})
    yield "field of somebody else", say("config", config={**whole, "writingAngle": {"thesis": "Mine."}})
    yield "computed field", say("config", config={**whole, **research(summary={"sourceCount": 9})})
    yield "unknown field", say("config", config={**whole, "mood": "good"})
    yield "wrong depth", say("config", config={**whole, "depth": "极简"})
    yield "other topic", say("config", config={**whole, "topic": "another"})
    yield "blocked", say("config", status="blocked", blockers=["The brief says nothing."])
    assert start.notes["topic"] == TOPIC


def queries(start: StartTurn) -> Named:
    rounds = start.notes["rounds"]
    yield "good", say("queries", queries=[{"round": name, "query": f"oil {name}"} for name in rounds])
    yield "one query for all", say("queries", queries=[{"round": name, "query": "oil"} for name in rounds])
    yield "a round left out", say("queries", queries=[{"round": name, "query": "oil"} for name in rounds[:-1]])
    yield (
        "an address of its own",
        say("queries", queries=[], urls=[{"round": name, "url": "https://a.example/"} for name in rounds]),
    )


def phase_1(start: StartTurn) -> Named:
    low = {**small.SPACE, "level": "low"}
    if not start.notes["wants_theses"]:
        yield "good", say("phase-1", config=of_phase_1(recommendedTheses=None))
        return
    yield "good", say("phase-1", config=of_phase_1())
    yield "medium", say("phase-1", config=of_phase_1(innovationSpace={**small.SPACE, "level": "medium"}))
    yield "low", say("phase-1", config=of_phase_1(innovationSpace=low, recommendedTheses=None))
    yield "low with theses", say("phase-1", config=of_phase_1(innovationSpace=low))
    yield "no theses", say("phase-1", config=of_phase_1(recommendedTheses=None))
    yield "two theses", say("phase-1", config=of_phase_1(recommendedTheses=small.theses("all", "all")))
    yield "unread competitor", say("phase-1", config=of_phase_1(competitorContent={"https://b.example/": {}}))
    yield "its own strategy", say("phase-1", config=of_phase_1(innovationSpace={**small.SPACE, "skipThesis": True}))


def of_round(start: StartTurn) -> Named:
    name = start.notes["round"]
    item = dict(small.ROUNDS[name])
    yield "good", say("materials", round=name, items=[item])
    yield "nothing", say("materials", round=name, items=[])
    yield (
        "invented quote",
        say("materials", round=name, items=[{**item, "quote": "Nobody ever said a word like this."}]),
    )
    yield (
        "one of two invented",
        say("materials", round=name, items=[item, {**item, "quote": "Nobody said a word like this."}]),
    )
    yield "strange page", say("materials", round=name, items=[{**item, "url": "https://c.example/"}])
    yield "another round", say("materials", round="data" if name != "data" else "cases", items=[])


def phase_2(start: StartTurn) -> Named:
    thesis = start.notes["thesis"]
    kept = {"originalThesis": thesis, "validatedThesis": thesis, "adjustment": "keep"}
    softer = {"originalThesis": thesis, "validatedThesis": f"{thesis[:-1]}, mostly.", "adjustment": "soften"}
    yield "good", say("phase-2", config=of_phase_2(thesisValidation=kept))
    yield "softened", say("phase-2", config=of_phase_2(thesisValidation=softer))
    yield "quietly changed", say("phase-2", config=of_phase_2(thesisValidation={**softer, "adjustment": "keep"}))
    yield "another thesis", say("phase-2", config=of_phase_2(thesisValidation={**softer, "originalThesis": "Paint."}))
    yield (
        "id of nothing",
        say("phase-2", config=of_phase_2(materials={"byPlacement": {"hook": ["CASE-009"]}, "differentiators": []})),
    )
    yield "invented witness", say(
        "phase-2",
        config=of_phase_2(userVoices={"collected": True, "quotableVoices": [
            {"quote": "I never said that.", "sourceType": "expert", "suggestedUse": "hook"}]}),
    )  # fmt: skip


def without_thesis(_start: StartTurn) -> Named:
    plain = {
        name: value for name, value in of_phase_2()["workflowState"]["research"].items() if name != "thesisValidation"
    }
    yield "good", say("phase-2", config=research(**plain))


def outlines(_start: StartTurn) -> Named:
    shape = small.merged(small.SHAPE)
    yield "good", say("outline", documents={OUTLINE: small.OUTLINE}, config=shape)
    yield (
        "no section of the thesis",
        say("outline", documents={OUTLINE: small.OUTLINE.replace("- thesis: yes\n", "")}, config=shape),
    )
    yield "id of nothing", say("outline", documents={OUTLINE: small.OUTLINE.replace("D001", "D009")}, config=shape)
    yield "no document", say("outline", documents={}, config=shape)
    yield "another document", say("outline", documents={OUTLINE: small.OUTLINE, CONFIG: "{}"}, config=shape)
    yield (
        "its own count",
        say(
            "outline",
            documents={OUTLINE: small.OUTLINE},
            config={
                "workflowState": {
                    "writing": {"outline": {**shape["workflowState"]["writing"]["outline"], "h2Count": 9}}
                }
            },
        ),
    )


def drafts(_start: StartTurn) -> Named:
    made = small.merged(small.WRITING)
    yield "good", say("draft", documents={DRAFT: GOOD}, config=made)
    yield "a number of its own", say("draft", documents={DRAFT: WORSE}, config=made)
    yield "too short", say("draft", documents={DRAFT: small.draft(30)}, config=made)
    yield "the output itself", say("draft", documents={places.output(TOPIC): GOOD}, config=made)
    yield (
        "its own counts",
        say(
            "draft",
            documents={DRAFT: WORSE},
            config=small.merged(made, {"workflowState": {"writing": {"execution": {"actualWordCount": 1000}}}}),
        ),
    )


def proofs(start: StartTurn) -> Named:
    lens = start.notes["lens"]

    def issue(name: str, level: str, **more: str) -> dict[str, str]:
        return {"id": f"{lens}-{name}", "level": level, "section": "H2-1", "problem": "p", "reason": "r", **more}

    yield "good", say("proof", lens=lens, issues=[])
    yield "fix", say("proof", lens=lens, issues=[issue("fix", "P1", before="Drain it on Monday.", after="Drain it.")])
    yield "blocks", say("proof", lens=lens, issues=[issue("wrong", "P0")])
    yield "fix that breaks", say("proof", lens=lens, issues=[issue("worse", "P0", before="lost 23%", after="lost 90%")])
    yield "fix of nothing", say("proof", lens=lens, issues=[issue("none", "P2", before="Not there.", after="There.")])
    yield "another lens", say("proof", lens="facts" if lens != "facts" else "language", issues=[])


SAYS: Mapping[str, Callable[[StartTurn], Named]] = {
    "config": configs, "queries": queries, "phase-1": phase_1, "materials": of_round, "phase-2": phase_2,
    "outline": outlines, "draft": drafts, "proof": proofs,
}  # fmt: skip

BESIDE: Mapping[str, set[str]] = {
    "data": {"good", "one of two invented"},
    "language": {"good", "fix"},
    **{key: {"good"} for key in ("expert", "userVoice", "debates", "structure")},
}
"""Of turns side by side the first does everything, the second what can meet with that, the others nothing: what one
does wrong, they would all do wrong alike."""

Editor = Callable[[State], Iterator[tuple[str, Mapping[str, str | None]]]]


# --- the world --------------------------------------------------------------------------------------------------------


@dataclass
class World:
    """One exploration: what agents say under which contract, what people do, and what was found."""

    says: Mapping[str, set[str]] = field(default_factory=dict)
    chooses: frozenset[str] = frozenset({"thesis-1", "adopt", "acknowledge"})
    resumes: tuple[str, ...] = ("draft",)
    edits: Sequence[Editor] = ()
    config: str = "revisions: 1\nbudget: {turns: 100000}\n"
    rounds: tuple[str, ...] = ("cases", "data", "expert", "userVoice", "debates")
    finds: frozenset[str] = frozenset({"good"})
    failures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    held: bool = False
    documents: Mapping[str, str] = field(default_factory=dict)
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    found: tuple[Explorer, Graph] | None = None

    def explore(self) -> tuple[Explorer, Graph]:
        """What there is, enumerated once for all tests of this module."""
        self.found = self.found or self._explore()
        return self.found

    def _explore(self) -> tuple[Explorer, Graph]:
        workflow, self.taken = recording(WORKFLOW, TABLE)
        alphabet = Alphabet(
            outputs=self.outputs, answers=self.answers, failures=self.failures, gathers=self.gathers, holds=self.held,
            edits=lambda state: [edit for editor in self.edits for edit in editor(state)],
        )  # fmt: skip
        self.explorer = Explorer(workflow, alphabet, self.key, visit=self.holds)
        docs = {settings.PATH: self.config, places.BRIEF: "# Brief\n", **self.documents}
        graph = self.explorer.explore({"slug": TOPIC}, docs, limit=10_000)
        assert graph.complete, f"more than {len(graph.states)} states: make the alphabet smaller"
        return self.explorer, graph

    def outputs(self, _state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        wanted = self.says.get(start.contract, {"good"})
        wanted = wanted & BESIDE.get(start.key, wanted)
        says = SAYS[start.contract]
        if start.contract == "phase-2" and not start.notes["thesis"]:
            says = without_thesis
        return [(label, raw) for label, raw in says(start) if label in wanted]

    def answers(self, _state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        for option in ask.options:
            if option == "resume":
                yield "resume", option, {}
                yield from ((f"resume from {step}", option, {"from": step}) for step in self.resumes)
            elif option in self.chooses:
                words = {"note": small.THESIS} if option.startswith("own") else {}
                yield option, option, words

    def gathers(self, _state: State, gather: Gather) -> Iterable[tuple[str, Found]]:
        hit = (Hit(url=URL), Hit(url="https://shop.taobao.com/x"))
        if "good" in self.finds:
            yield "found", Found(hits=dict.fromkeys(gather.queries, hit), pages={URL: small.PAGE})
        if "nothing" in self.finds:
            yield "nothing", Found()
        if "trouble" in self.finds and gather.queries:
            yield "trouble", Found(problems=dict.fromkeys(gather.queries, "429"))

    def key(self, state: State) -> Any:
        """What decides: everything but revision, time and history."""
        own = own_of(state)
        return (
            own.step, state.stop, own.resume_to if own.step == "escalated" else "", own.stale, own.revisions,
            tuple(sorted(own.queries)), tuple(sorted(own.wanted)), tuple(sorted(own.pages.items())),
            own.chosen.get("thesis"),
            tuple(sorted((name, ref.sha256) for name, ref in own.returned.items())), own.required, own.by_hand,
            own.blockers, own.edited_since, tuple(sorted(state.docs.items())), json.dumps(own.left, sort_keys=True),
            tuple(self.turn_key(state, turn) for turn in (*state.turns.values(), *state.parked)), len(state.parked),
            tuple((gather.key, gather.urls) for gather in state.gathers.values()),
            tuple((ask.key, ask.options) for ask in state.requests.values()),
        )  # fmt: skip

    def turn_key(self, state: State, turn: OpenTurn) -> Any:
        stale = any(state.docs.get(ref.path) != ref.sha256 for ref in turn.start.pinned)
        return (
            turn.start.key,
            turn.start.contract,
            turn.invalid,
            turn.crashed,
            stale,
            len(turn.start.notes.get("findings", ())),
        )

    # --- what must be true after every single thing that can happen ---------------------------------------------------

    def holds(self, way: Way) -> None:
        state, own = way.after, own_of(way.after)
        open_ = state.turns or state.requests or state.gathers or state.stop
        assert open_, f"{self.path(way)}: nothing is open and nothing says why"
        assert own.revisions <= 1, f"{self.path(way)}: more revisions than allowed"
        self.nothing_is_fetched_twice(way)
        self.others_fields_stay(way)
        self.counts_are_counted(way)
        self.quotes_stand_in_their_pages(way)
        self.nobody_writes_too_early(way)
        if state.stop == "complete" and not own.stale:
            self.is_sound(way)

    def path(self, way: Way) -> str:
        assert self.explorer is not None
        return f"{way.label} (of {own_of(way.before).step})"

    def now(self, state: State) -> Now:
        return Now(state=state, event=None, look=self.explorer.shelf)  # type: ignore[arg-type]

    def nothing_is_fetched_twice(self, way: Way) -> None:
        for gather in way.after.gathers.values():
            assert not set(gather.urls) & set(own_of(way.after).pages), f"{self.path(way)}: {gather.urls} again"

    def others_fields_stay(self, way: Way) -> None:
        """What an agent gives changes nothing in the config that is not its own, or computed (AR-1)."""
        start = next(
            (turn.start for turn in way.before.turns.values() if way.label.startswith(f"{turn.start.key}:")), None
        )
        if start is None or CONFIG not in way.before.docs or CONFIG not in way.after.docs:
            return
        before, after = (self.plain(state) for state in (way.before, way.after))
        mine = {"phase-1": "web-researcher 1", "phase-2": "web-researcher 2", "config": "config-creator"}
        owner = mine.get(start.contract, "rounds" if start.contract == "materials" else start.agent)
        for leaf, value in before.items():
            if after.get(leaf) != value:
                # what follows from a level is computed, although the fields are a person's
                allowed = {owner, "code"} | ({"person"} if start.contract == "phase-1" else set())
                assert field_owners.owner_of(leaf) in allowed, f"{self.path(way)}: {'.'.join(leaf)}"

    def plain(self, state: State) -> Mapping[tuple[str, ...], Any]:
        ref = state.ref(CONFIG)
        assert ref is not None
        return self.explorer.shelf(ref, fields)

    def counts_are_counted(self, way: Way) -> None:
        """Whatever agents or people write, what can be computed is computed (AR-6)."""
        if CONFIG not in way.after.docs or way.after.turns or own_of(way.after).step in ("config", "escalated"):
            return
        now, own = self.now(way.after), own_of(way.after)
        again = computed_fields.again(
            values.config_of(now),
            list(own.pages),
            values.items_of(now),
            values.outline_of(now),
            values.draft_of(now),
        )
        there = self.plain(way.after)
        for leaf, value in config_schema.leaves(again):
            if leaf[-1] not in ("thesis", "stance", "depthMismatchAcknowledged"):
                assert there.get(leaf) == value, f"{self.path(way)}: {'.'.join(leaf)} is {there.get(leaf)}, not {value}"

    def quotes_stand_in_their_pages(self, way: Way) -> None:
        """Every material that an agent brought rests on words of the page that it names (AR-5)."""
        ref = way.after.ref(SOURCES)
        if ref is None or ref == way.before.ref(SOURCES) or way.label.startswith("edit:"):
            return
        page = parse_page(small.PAGE.encode(), URL).text
        items, problems = materials.parse(self.explorer.shelf.data(ref).decode(), SOURCES)
        assert not problems
        assert all(quotes.stands_in(item.quote, page) for item in items), f"{self.path(way)}: an invented quote"

    def nobody_writes_too_early(self, way: Way) -> None:
        """An outline or a draft is asked for only when research is done and the thesis is settled (AR-8)."""
        if any(turn.start.agent == "outline-writer" for turn in way.after.turns.values()):
            assert not values.not_ready(self.now(way.after)), f"{self.path(way)}: nobody can write yet"

    def is_sound(self, way: Way) -> None:
        """What is finished passes every check, is the draft without its markers, and no P0 is open (AR-9, AR-10)."""
        now, own = self.now(way.after), own_of(way.after)
        given = values.given(now)
        assert failing(run_all(given)) == (), f"{self.path(way)}: released with {failing(run_all(given))[0]}"
        ref = way.after.ref(places.output(TOPIC))
        assert ref is not None
        assert self.explorer.shelf.data(ref).decode() == text.stripped(values.draft_of(now)), self.path(way)
        assert not [one for one in own.left if one["level"] == "P0"], f"{self.path(way)}: a P0 is open"
        assert not values.config_of(now).writingAngle.pending, f"{self.path(way)}: the thesis is pending"


def fields(data: bytes, _path: str) -> Mapping[tuple[str, ...], Any]:
    """Every field of a config by its path."""
    return dict(config_schema.leaves(json.loads(data)))


def written(path: str, **texts: str | None) -> Editor:
    """A person replaces a document, wherever it is there already."""

    def edit(state: State) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        if path in state.docs:
            yield from ((f"{path.partition('/')[0]} {label}", {path: text}) for label, text in texts.items())

    return edit


def at(steps: str, editor: Editor) -> Editor:
    """Only there."""
    return lambda state: editor(state) if own_of(state).step in steps.split() else iter(())
