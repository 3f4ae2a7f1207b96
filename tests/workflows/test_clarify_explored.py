"""Every state that an inquiry can reach, whatever agents and people do: proofs over the real kernel and its checks."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import small_inquiry as small
from small_inquiry import CLEAR, DECISIONS, EMPTY, QUESTIONS, VAGUE, Asked, answering

from signoff.core.commands import StartTurn
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, State
from signoff.core.table import Edge, Table
from signoff.core.workflow import Now, Workflow
from signoff.testing.explorer import Alphabet, Explorer, Graph, Way, stuck
from signoff.workflows.clarify import authority, merge, settle
from signoff.workflows.clarify import clarifications as cl
from signoff.workflows.clarify import config as settings
from signoff.workflows.clarify import decisions as de
from signoff.workflows.clarify.clarifications import Clarifications
from signoff.workflows.clarify.config import config_of
from signoff.workflows.clarify.decisions import Decisions
from signoff.workflows.clarify.definition import EDGES, TABLE, WORKFLOW
from signoff.workflows.clarify.evaluation import evaluate
from signoff.workflows.clarify.inquiry import clarifications_of, decisions_of, own_of

pytestmark = pytest.mark.xdist_group("explorer")  # one process, so that nothing is enumerated twice

AFTER_SCOPE = ("detailed-research", "section-refiner", "confirm-decisions")
GATE = {
    "sufficient": {"decide", "research"},
    "mixed": {"autofill", "research", "answer"},
    "insufficient": {"autofill", "answer"},
}
PEOPLE = ("edit:", "scope:", "answers:", "refinements:", "open:", "stale:", "escalation:", "budget:")


class Recording(Table):
    """The same table; it notes which edges were taken."""

    taken: set[tuple[str, str, str]]

    def _edge(self, source: str, outcome: str, now: Now) -> Edge:
        edge = super()._edge(source, outcome, now)
        self.taken.add((edge.source, edge.outcome, edge.target))
        return edge


def recording() -> tuple[Workflow, set[tuple[str, str, str]]]:
    table = Recording(stages=TABLE.stages, edges=TABLE.edges, first=TABLE.first, edited=TABLE.edited)
    taken: set[tuple[str, str, str]] = set()
    object.__setattr__(table, "taken", taken)
    return replace(WORKFLOW, step=table.step), taken


@dataclass
class World:
    """One exploration: its questions, its alphabet, and what it found."""

    asked: Sequence[Asked]
    says: Mapping[str, set[str]]
    edits: Sequence[small.Editor] = ()
    config: str = small.config()
    not_chosen: frozenset[str] = frozenset()
    failures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spends: bool = False
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    found: tuple[Explorer, Graph] | None = None

    def explore(self) -> tuple[Explorer, Graph]:
        """What there is, enumerated once for all tests of this module."""
        self.found = self.found or self._explore()
        return self.found

    def _explore(self) -> tuple[Explorer, Graph]:
        workflow, self.taken = recording()
        edits = small.all_of(self.edits)
        alphabet = Alphabet(
            outputs=self.outputs, answers=self.answers, failures=self.failures,
            edits=lambda state: edits(small.here(state, self.explorer.shelf)),
        )  # fmt: skip
        self.explorer = Explorer(workflow, alphabet, self.key, visit=self.holds)
        graph = self.explorer.explore({"slug": small.NAME}, small.documents(self.config), limit=LIMIT)
        assert graph.complete, f"more than {len(graph.states)} states: make the alphabet smaller"
        return self.explorer, graph

    def outputs(self, state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        wanted = self.says.get(start.agent, {"good"})
        return [(label, raw) for label, raw in small.outputs(self.asked)(state, start) if label in wanted]

    def answers(self, state: State, ask: Any) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        return [answer for answer in small.answers(state, ask) if answer[0] not in self.not_chosen]

    def key(self, state: State) -> Any:
        """What decides: everything but revision, time, history, the number of the round and those of ids."""
        own = own_of(state)
        return (
            own.step, bool(own.scope), own.scope_settled, own.deepened, bool(own.round), state.stop,
            own.resume_to if own.step == "escalated" else "",
            tuple(sorted((name, ref.sha256, own.basis.get(name, "")) for name, ref in own.returned.items())),
            tuple(sorted(own.skipped)), own.analysis, tuple(own.origins), tuple(sorted(own.shown.items())),
            own.evaluation, tuple(sorted(own.stale)), own.edited_since,
            tuple(sorted((path, self.unnumbered(state, path)) for path in state.docs)),
            tuple(self.turn_key(state, turn) for turn in (*state.turns.values(), *state.parked)), len(state.parked),
            tuple((ask.key, ask.options) for ask in state.requests.values()),
            min(state.spend.turns, 12) if self.spends else 0,
        )  # fmt: skip

    def unnumbered(self, state: State, path: str) -> str:
        if path != DECISIONS:
            return state.docs[path]
        return re.sub(r"(?m)^round: \d+$", "", self.explorer.shelf.data(Ref(path, state.docs[path])).decode())

    def turn_key(self, state: State, turn: OpenTurn) -> Any:
        stale = any(state.docs.get(ref.path) != ref.sha256 for ref in turn.start.pinned)
        notes = {name: value for name, value in turn.start.notes.items() if name != "round"}
        return turn.start.key, turn.start.agent, turn.invalid, turn.crashed, stale, json.dumps(notes)


    # --- what must be true after every single thing that can happen ---------------------------------------------------

    def holds(self, way: Way) -> None:
        state, own = way.after, own_of(way.after)
        assert state.turns or state.requests or state.stop, f"{way.label}: nothing is open and nothing says why"
        doc, made = small.here(state, self.explorer.shelf).questions, small.here(state, self.explorer.shelf).decisions
        if doc is not None:
            self.waits_rightly(state, doc)
            self.refines_rightly(way, doc)
        self.answers_stay(way)
        self.ids_stay(way)
        self.decisions_stay(way)
        self.notes_are_of_the_sources(way)
        if state.stop == "complete" and doc and made and not own.stale:
            self.is_settled(way, doc, made)

    def notes_are_of_the_sources(self, way: Way) -> None:
        """When research ends, every quote in its notes is in the sources as they are then."""
        if own_of(way.before).step == "research" and own_of(way.after).step == "consolidate":
            notes = [self.file(way.after, path) or "" for path in way.after.docs if "/research/" in path]
            brief = self.file(way.after, small.BRIEF) or ""
            assert small.SAID in brief or small.SAID not in "".join(notes), f"{way.label}: quoted, and not there"

    def waits_rightly(self, state: State, doc: Clarifications) -> None:
        """The evaluation is that of the file, the options are those of the verdict, the scope is guarded."""
        own, config = own_of(state), config_of(state, self.explorer.shelf)
        if not state.turns:
            assert own.evaluation == evaluate(doc, frozenset(config.known_terms), config.limits)
        gate = state.request_of("answers")
        if gate and own.evaluation:
            assert set(gate.options) == GATE[own.evaluation.verdict]
        asked = state.request_of("refinements")
        assert not (asked and own.deepened and "deepen" in asked.options)
        if doc.front.get("scope_recommendation") is True and not own.scope_settled:
            assert not [turn for turn in state.turns.values() if turn.start.agent in AFTER_SCOPE], "scope undecided"

    def refines_rightly(self, way: Way, doc: Clarifications) -> None:
        """Only what is not clear is refined, once; sub-refinements are asked for in one pass at most."""
        before, own = own_of(way.before), own_of(way.after)
        assert own.deepened or not before.deepened
        assert own.step != "deepen" or not own.deepened, f"{way.label}: a second pass"
        new = own.shown.keys() - before.shown.keys() if not way.label.startswith("edit:") else set()
        assert not [key for key in new if key[0] == "R" and before.step != ("deepen" if key[-1].isalpha() else "refine")]
        turns = [turn.start for turn in way.after.turns.values() if turn.start.agent == "section-refiner"]
        assert len({start.key for start in turns}) == len(turns), f"{way.label}: one section twice"
        for item in (item for start in turns for item in start.notes["items"]):
            assert own.evaluation, way.label
            assert own.evaluation.of(item["id"]) in ("vague", "not_answered"), f"{way.label}: {item} is clear"
            assert not doc.below(item["id"]), f"{way.label}: {item} has refinements"

    def answers_stay(self, way: Way) -> None:
        """Answers change by a person's edit or a chosen autofill; everything else only adds."""
        before, after = self.file(way.before, QUESTIONS), self.file(way.after, QUESTIONS)
        if before == after or before is None or way.label.startswith("edit:"):
            assert after is not None or before is None
            return
        old, new = cl.parse(before), cl.parse(after or "")
        filled = {item.key: item.recommendation for item in old.items if way.label.endswith("autofill")}
        kept = [item for item in old.items if new.item(item.key) or own_of(way.before).step != "consolidate"]
        for item in kept:
            said = new.by_key[item.key].answer
            assert said == item.answer or (not item.answer and said == filled.get(item.key)), f"{way.label}: {item.key}"
        if not filled and own_of(way.before).step != "consolidate":
            rest = iter(body(new))
            assert all(line in rest for line in body(old)), f"{way.label}: something was taken out"

    def ids_stay(self, way: Way) -> None:
        """What was shown under an id is not renamed, and nothing else gets the id."""
        before, own = own_of(way.before).shown, own_of(way.after)
        doc = clarifications_of(way.after, self.explorer.shelf)
        there = {item.key: item.title for item in (*doc.questions, *doc.refinements)} if doc else {}
        assert there.items() <= own.shown.items(), f"{way.label}: {there} is not what was shown"
        assert before.keys() <= own.shown.keys(), f"{way.label}: an id was forgotten"
        if not way.label.startswith("edit:"):
            assert before.items() <= own.shown.items(), f"{way.label}: an id means something else now"

    def decisions_stay(self, way: Way) -> None:
        """No entry is dropped or renamed; what was not asked for stays byte for byte."""
        old, new = decisions_of(way.before, self.explorer.shelf), decisions_of(way.after, self.explorer.shelf)
        if old is None or old == new or way.label.startswith("edit:"):
            assert new is not None or old is None
            return
        assert new is not None
        named = {one.id: one.title for one in new.entries}
        assert {one.id: one.title for one in old.entries}.items() <= named.items(), f"{way.label}: renamed or dropped"
        assert small.WORDS not in old.text or small.WORDS in new.text, f"{way.label}: what a person wrote is gone"
        turn = way.before.turn_of("confirm")
        if turn and own_of(way.before).round:
            asked = {entry["id"] for entry in turn.start.notes["entries"]}
            assert untouched(new, asked).startswith(untouched(old, asked)), f"{way.label}: more than {asked} changed"

    def is_settled(self, way: Way, doc: Clarifications, made: Decisions) -> None:
        """Complete is what it says, from the two files alone."""
        evaluation = own_of(way.after).evaluation
        assert evaluation is not None
        assert not [one.id for one in made.entries if one.status == "draft"], f"{way.label}: a draft is left"
        assert not merge.unsettled(made, doc, evaluation), f"{way.label}: complete with something open"
        assert not merge.stale(made, doc, evaluation), f"{way.label}: complete with something stale"
        sources = {key for one in made.entries if one.status != "needs-review" for key in one.sources}
        assert sources <= {item.key for item in doc.items}, f"{way.label}: a source does not exist"
        if way.before.stop != "complete":
            front = {"status": "complete", **de.counts(made.entries), "round": own_of(way.after).round}
            assert front.items() <= made.front.items(), f"{way.label}: {made.front}"

    def file(self, state: State, path: str) -> str | None:
        ref = state.ref(path)
        return self.explorer.shelf.data(ref).decode() if ref else None


def body(doc: Clarifications) -> list[str]:
    """The lines after the frontmatter."""
    return doc.text[doc.top :].split("\n")


def untouched(made: Decisions, asked: set[str]) -> str:
    """The file without frontmatter and without these entries."""
    text = made.text
    for entry in reversed(made.entries):
        if entry.id in asked:
            text = text[: entry.span[0]] + text[entry.span[1] :]
    return re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE).rstrip("\n")


LIMIT = 3_000
CRASH = (("crash", ()),)
BOTH = (("crash", ()), ("crash", ("call-1",)))
FLAWED_RESEARCH = {"good", "silent", "invented source", "invented quote", "off schema", "control character", "malformed"}
FLAWED_QUESTIONS = {"good", "scope", "older and miscounted", "one dropped", "lost", "answered", "renumbered", "renamed",
                    "twice", "strange origin", "early", "without sections", "empty", "malformed"}  # fmt: skip
FLAWED_REFINING = {"good", "two each", "the same for all", "none", "four", "stranger", "malformed"}
FLAWED_DECISIONS = {"good", "other status", "dropped", "renamed", "other title", "unknown", "twice", "source left out",
                    "still draft", "unearned", "passed through", "in conflict", "one-sided", "words of before",
                    "malformed"}  # fmt: skip
FLAWED_ANALYSIS = {"good", "contradiction", "unclear side", "one side", "malformed"}

ONE = (Asked("Price"),)
TWO = (Asked("Price", must=True), Asked("Term", "Time", origin="Metrics Q2", recommendation=""))
APART = (Asked("Price"), Asked("Stage", "Time", origin="Stages Q1"))
PAIR = (Asked("Price", must=True), Asked("Term", "Time", origin="Metrics Q2"))

QUIET = frozenset({"something else", "resume from nowhere", "answer"})
OPEN_GATE = small.config(mixed=0.0)

WORLDS = {
    "research": World(
        APART, {"dimension-researcher": FLAWED_RESEARCH}, config=small.config("metrics", "stages"), failures=BOTH,
        edits=[
            small.before("research", "consolidate", "escalated", edit=small.written(
                small.BRIEF, words_gone="# Brief\n", words_back=small.BRIEF_TEXT)),
            small.before("research", "consolidate", "escalated", edit=small.written(
                settings.PATH, one_dimension=small.config("metrics"), two=small.config("metrics", "stages"))),
        ],
    ),
    "scope": World(
        PAIR, {"consolidate-research": FLAWED_QUESTIONS}, not_chosen=frozenset({"research"}),
        edits=[small.scope(True, False), small.before("answers", "scope", edit=answering("Q1", CLEAR))],
    ),
    "gate": World(
        TWO, {}, not_chosen=frozenset({"research"}), edits=[
            small.before("answers", "confirm", edit=answering("Q1", CLEAR, VAGUE, EMPTY)),
            small.before("unsettled", edit=answering("Q1", CLEAR)),
            small.before("answers", edit=answering("Q2", CLEAR, VAGUE, EMPTY, "net")),
            small.before("answers", edit=small.written(settings.PATH, terms=small.config(terms=["net"]), none=small.config())),
            small.removed(QUESTIONS), small.removed(DECISIONS)],
    ),
    "detail": World(
        PAIR, {"detailed-research": FLAWED_ANALYSIS, "section-refiner": FLAWED_REFINING - {"two each"}}, config=OPEN_GATE,
        not_chosen=QUIET | {"autofill", "deepen"}, failures=CRASH, edits=[
            small.before("answers", edit=answering("Q1", CLEAR, EMPTY)),
            small.before("answers", "refine", edit=answering("Q2", CLEAR)),
            small.before("detail", edit=answering("Q2", VAGUE)),
            small.before("unsettled", edit=answering("Contradiction: Both cannot hold", CLEAR)),
            small.before("unsettled", edit=answering("Critical Gap: Price", CLEAR)),
            ],
    ),
    "refinements": World(
        ONE, {"section-refiner": {"good", "the same for all"}}, config=OPEN_GATE,
        not_chosen=QUIET | {"resume from answers"}, edits=[
            small.before("refinements", "deepen", "complete", edit=answering("R1.1", CLEAR, VAGUE)),
            small.before("refinements", edit=answering("R1.1a", CLEAR)),
            small.before("refinements", edit=answering("Q1", CLEAR)),
        ],
    ),
    "asked again": World(
        ONE, {"section-refiner": {"good", "the same for all"}}, config=OPEN_GATE, not_chosen=QUIET, edits=[
            small.before("refinements", "complete", edit=small.without("R1.1")),
        ],
    ),
    "scope later": World(
        ONE, {}, config=OPEN_GATE, not_chosen=QUIET, edits=[
            small.scope(True, False), small.before("answers", edit=answering("Q1", CLEAR)),
        ],
    ),
    "confirm": World(
        PAIR, {"confirm-decisions": FLAWED_DECISIONS, "detailed-research": {"contradiction"}}, config=OPEN_GATE,
        not_chosen=QUIET | {"deepen"}, edits=[
            small.before("answers", edit=answering("Q1", CLEAR)),
            small.before("answers", edit=answering("Q2", CLEAR)),
            small.before("refinements", "unsettled", "confirm", edit=answering("Contradiction: Both cannot hold", CLEAR, VAGUE)),
            small.before("refinements", "unsettled", edit=answering("Critical Gap: Price", CLEAR, EMPTY)),
            ],
    ),
    "entries": World(
        PAIR, {"detailed-research": {"contradiction"}}, config=OPEN_GATE,
        not_chosen=QUIET | {"deepen", "autofill"}, edits=[
            small.before("answers", edit=answering("Q1", CLEAR)),
            small.before("answers", edit=answering("Q2", CLEAR)),
            small.before("refinements", "unsettled", edit=answering("Contradiction: Both cannot hold", CLEAR)),
            small.before("refinements", "unsettled", edit=answering("Critical Gap: Price", CLEAR)),
            small.before("refinements", "unsettled", edit=small.scope(True)),
            small.before("refinements", "unsettled", "complete", edit=small.without("Q2")),
            small.before("refinements", "unsettled", "complete", edit=small.without("Contradiction: Both cannot hold")),
            ],
    ),
    "after": World(
        PAIR, {}, not_chosen=frozenset({"research"}), edits=[
            small.before("complete", "confirm", "unsettled", edit=answering("Q1", CLEAR)),
            small.before("complete", edit=answering("Q1", EMPTY)),
            small.before("complete", edit=answering("Q2", VAGUE, "net")),
            small.before("complete", "confirm", edit=small.written(settings.PATH, terms=small.config(terms=["net"]), none=small.config())),
            small.before("complete", edit=small.replaced(DECISIONS, "It is so", "It is so, by hand", "D1 by hand")),
            small.removed(QUESTIONS), small.removed(DECISIONS)],
    ),
    "by hand": World(
        PAIR, {}, not_chosen=frozenset({"research"}), edits=[
            small.before("complete", edit=answering("Q1", CLEAR)),
            small.before("complete", edit=small.without("Q2")),
            small.before("complete", "confirm", edit=small.replaced(DECISIONS, "** resolved", "** draft", "D1 made a draft")),
            small.before("complete", edit=small.replaced(DECISIONS, "decision_count: 2", "decision_count: 7", "miscounted")),
            small.before("answers", "complete", edit=small.written(small.BRIEF, more=small.BRIEF_TEXT + "More.\n")),
            ],
    ),
    "drafts by hand": World(
        PAIR, {"detailed-research": {"good", "contradiction"}}, not_chosen=QUIET | {"deepen"}, edits=[
            small.before("answers", edit=answering("Q1", CLEAR)),
            small.before("answers", "complete", edit=answering("Q2", CLEAR)),
            small.before("unsettled", edit=answering("Q1", CLEAR)),
            answering("Contradiction: Both cannot hold", CLEAR),
            small.replaced(DECISIONS, "D1: Price", "D1: Price of all", "D1 renamed"),
            small.replaced(DECISIONS, "### D2", f"{small.WORDS}\n\n### D2", "words between"),
            small.removed(DECISIONS), small.removed(QUESTIONS),
            ],
    ),
    "budget": World(
        PAIR, {}, config=small.config(mixed=0.0, turns=4), not_chosen=QUIET, spends=True, edits=[
            small.before("answers", "refine", edit=answering("Q1", CLEAR, EMPTY)),
            small.before("unsettled", edit=answering("Q1", CLEAR)),
            small.written(settings.PATH, raised=OPEN_GATE),
            ],
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=WORLDS, ids=lambda name: name.replace(" ", "-"))
def explored(request: pytest.FixtureRequest) -> tuple[World, Explorer, Graph]:
    world = WORLDS[request.param]
    explorer, graph = world.explore()
    return world, explorer, graph


@pytest.mark.req("CL-1", "CL-6", "CL-7", "CL-8", "CL-9", "CL-10", "CL-11", "CL-13")
def test_no_way_leads_to_complete_with_anything_open_stale_or_unearned(
    explored: tuple[World, Explorer, Graph],
) -> None:
    """What `holds` says was asked of every single way; here it is seen that there were ways, and an end."""
    _, _, graph = explored
    assert any(state.stop == "complete" for state in graph.states.values()), "the inquiry can be finished"
    assert len(graph.states) > 100


@pytest.mark.req("CL-10", "CL-11")
def test_from_every_state_complete_can_be_reached(explored: tuple[World, Explorer, Graph]) -> None:
    _, _, graph = explored
    assert not [graph.path(key) for key in stuck(graph, lambda state: state.stop == "complete")][:3]


@pytest.mark.req("CL-7", "CL-8")
def test_agents_alone_cannot_keep_an_inquiry_going(explored: tuple[World, Explorer, Graph]) -> None:
    """Every circle has an act or an edit of a person in it: the ways that agents and crashes cause have none."""
    _, _, graph = explored
    assert circle_of(graph) is None


@pytest.mark.req("CL-1")
def test_states_that_count_as_one_behave_alike(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:40]:
        assert explorer.disagreement(one, other) is None


def circle_of(graph: Graph) -> list[str] | None:
    """The way to a circle without a person, found by taking away what leads nowhere until nothing more can be taken."""
    ways = {
        key: {target for label, target in graph.ways[key] if not label.startswith(PEOPLE)} for key in graph.states
    }  # fmt: skip
    back: dict[Any, set[Any]] = {}
    for source, targets in ways.items():
        for target in targets:
            back.setdefault(target, set()).add(source)
    left = {source: len(targets) for source, targets in ways.items()}
    todo = [source for source, number in left.items() if not number]
    while todo:
        for source in back.get(todo.pop(), ()):
            left[source] -= 1
            todo += [source] if not left[source] else []
    return next((graph.path(source) for source, number in left.items() if number), None)


def rules_of(module: Any, family: str, function: str) -> set[str]:
    """The rules that a module names when it refuses something."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if function in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))]
    return {f"{family}.{call.args[0].value}" for call in named if isinstance(call.args[0], ast.Constant)}


@pytest.mark.req("CL-1", "CL-7", "CL-9", "CL-11")
def test_every_edge_and_every_refusal_rule_is_reached() -> None:
    taken: set[tuple[str, str, str]] = set()
    refused: set[str] = set()
    for world in WORLDS.values():
        _, graph = world.explore()
        taken |= world.taken
        refused |= graph.refusals.keys()
    missed = {(e.source, e.outcome, e.target) for e in EDGES} - taken
    assert not missed, f"edges that nothing reaches: {sorted(missed)}"
    rules = rules_of(authority, "clarify", "_wrong") | rules_of(settle, "decisions", "wrong")
    rules |= {"output.schema", "decisions.duplicate", "turn.failed", "turn.uncertain", "turn.stale"}
    assert not rules - refused, f"refusals that nothing causes: {sorted(rules - refused)}"
