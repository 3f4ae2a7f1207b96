"""Every state that a page can reach, whatever agents and people do: proofs over the real kernel and the real gates."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import small_page as small

from signoff.artifacts import markdown
from signoff.core.commands import StartTurn
from signoff.core.decide import decide
from signoff.core.declarations import GateInput, Now
from signoff.core.events import Overruled
from signoff.core.findings import failing
from signoff.core.overrules import open_findings
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, State
from signoff.evidence.sources import located_claims as agreement
from signoff.evidence.sources.files import parse_source
from signoff.testing.explorer import AT, Alphabet, Explorer, Graph, Way, recording, stuck
from signoff.workflows.solution_page.config import config_of
from signoff.workflows.solution_page.documents import claims_registry as reg
from signoff.workflows.solution_page.gate_plan import checks_for
from signoff.workflows.solution_page.gates import parse_page
from signoff.workflows.solution_page.state import draft, own_of, release
from signoff.workflows.solution_page.steps import authority
from signoff.workflows.solution_page.workflow import TABLE, WORKFLOW

pytestmark = pytest.mark.xdist_group("explorer")  # one process, so that nothing is enumerated twice

Outputs = Callable[[State, StartTurn], Iterable[tuple[str, str]]]


def key(state: State) -> Any:
    """What decides: everything but revision, time, history, spend and the numbers of ids."""
    own = own_of(state)
    return (
        own.step, tuple(sorted(own.counts.items())), own.strategy_approved, own.final_approved, own.resume_to,
        own.stale, own.by_hand, own.review, own.fixes, tuple(f.rule for f in own.required), bool(own.rejected),
        tuple(sorted(own.verified.items())),
        tuple(sorted((k, tuple(f.rule for f in v)) for k, v in own.results.items())),
        tuple(sorted(state.docs.items())),
        tuple((t.start.key, t.invalid, t.crashed, stale(state, t)) for t in state.turns.values()),
        tuple((ask.key, tuple(sorted(ask.of.items()))) for ask in state.requests.values()),
        tuple(sorted((check.key, tuple(sorted(check.of.items()))) for check in state.checks.values())),
        state.stop, len(state.parked),
    )  # fmt: skip


def stale(state: State, turn: OpenTurn) -> bool:
    return any(state.docs.get(ref.path) != ref.sha256 for ref in turn.start.pinned)


def key_with_spend(state: State) -> Any:
    """Where the budget decides, what was spent does too."""
    return (*key(state), min(state.spend.turns, 10))


@dataclass
class World:
    """One exploration: its alphabet, what it found, and what must hold on every way."""

    config: str
    outputs: Outputs
    answers: Callable[..., Any] = small.answers
    edits: Callable[[State], Iterable[tuple[str, Mapping[str, str | None]]]] = lambda _: ()
    failures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    key: Callable[[State], Any] = key
    probes: Callable[..., Any] = small.network
    held: bool = False
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    seen: dict[Any, None] = field(default_factory=dict)
    found: tuple[Explorer, Graph] | None = None

    def explore(self) -> tuple[Explorer, Graph]:
        """What there is, enumerated once for all tests of this module."""
        self.found = self.found or self._explore()
        return self.found

    def _explore(self) -> tuple[Explorer, Graph]:
        workflow, self.taken = recording(WORKFLOW, TABLE)
        alphabet = Alphabet(
            outputs=self.outputs, answers=self.answers, edits=self.edits, failures=self.failures, probes=self.probes,
            holds=self.held,
        )  # fmt: skip
        self.explorer = Explorer(workflow, alphabet, self.key, visit=self.holds)
        graph = self.explorer.explore({"slug": small.SLUG}, small.documents(self.config), limit=60_000)
        assert graph.complete, f"more than {len(graph.states)} states: make the alphabet smaller"
        return self.explorer, graph

    def holds(self, way: Way) -> None:
        """What must be true after every single thing that can happen."""
        state, own, shelf = way.after, own_of(way.after), self.explorer.shelf
        config = config_of(state, shelf)
        for lang in ("en", "cn"):
            assert own.counts[lang] <= config.iteration_limits.of(lang), f"{way.label}: more revisions than the limit"
        self.verified_is_earned(state, way.label)
        if state.stop == "complete" and way.before.stop != "complete":
            self.completion_is_sound(state, way.label)
        if state.stop == "complete" and way.before.stop != "complete":
            assert "gone" not in way.label, f"{way.label}: complete with a link that does not answer"
        passed = {"review_en": ("draft_cn",), "review_cn": ("approve_final", "release", "complete")}
        if own.step in passed.get(own_of(way.before).step, ()):
            assert "S0" not in way.label, f"{way.label}: passed with an S0 open"
        assert state.turns or state.checks or state.requests or state.stop, (
            f"{way.label}: nothing is open and there is no stop reason"
        )
        lowered = self.lowered(way)
        assert not lowered, f"{way.label} lowered the risk of {lowered}"

    def verified_is_earned(self, state: State, label: str) -> None:
        documents = (state.docs.get(reg.PATH), state.docs.get(small.SPEC))
        if documents in self.seen:
            return
        self.seen[documents] = None
        registry = authority.registry_of(state, self.explorer.shelf)
        for claim in registry.claims.values():
            if claim.status == "verified":
                checked = agreement.check(claim.id, claim.texts, claim.evidence, self.open(state), reg.PATH, None)
                assert checked.ok, f"{label}: {claim.id} is verified and its evidence does not hold: {checked.findings}"

    def open(self, state: State) -> Callable[[str], Any]:
        def open_(path: str) -> Any:
            ref = state.ref(path)
            return self.explorer.shelf(ref, parse_source) if ref else None

        return open_

    def completion_is_sound(self, state: State, label: str) -> None:
        """All gates again, from the documents themselves, whatever the state remembers of them."""
        own, shelf = own_of(state), self.explorer.shelf
        now = Now(state=state, event=None, look=shelf)  # type: ignore[arg-type]
        for check in checks_for(now, "en", "cn"):
            of = {role: ref for role, path in check.reads.items() if (ref := state.ref(path))}
            params = {**check.params, "link_mode": "format"}
            found = failing(WORKFLOW.gate(check.gate).run(GateInput(of=of, params=params, look=shelf)))
            relevant = [finding for finding in found if check.gate != "evidence" or self.used(state, finding.about)]
            assert not relevant, f"{label}: complete with {relevant[0]}"
        for lang in ("en", "cn"):
            text = shelf.data(Ref(draft(own.slug, lang), state.docs[draft(own.slug, lang)])).decode()
            out = shelf.data(Ref("", state.docs[release(own.slug, lang)])).decode()
            assert out == markdown.strip_claims(text), f"{label}: what was released is not what was reviewed"
        registry = authority.registry_of(state, shelf)
        high = [c for c in registry.claims.values() if c.risk_level == "high" and self.used(state, c.id)]
        assert all(claim.status == "verified" for claim in high), (
            f"{label}: complete with an unverified high-risk claim"
        )
        if config_of(state, shelf).human_gates.final_approval:
            assert own.final_approved == "true", f"{label}: complete without the approval that was asked for"
            assert own.approvals[-1].digests[small.EN] == state.docs[small.EN], f"{label}: other bytes were approved"

    def used(self, state: State, claim_id: str) -> bool:
        refs = [ref for path in (small.EN, small.CN) if (ref := state.ref(path))]
        return any(m.claim_id == claim_id for ref in refs for m in self.explorer.shelf(ref, parse_page).markers)

    def lowered(self, way: Way) -> list[str]:
        before = authority.registry_of(way.before, self.explorer.shelf).claims
        after = authority.registry_of(way.after, self.explorer.shelf).claims
        rank = {"high": 2, "medium": 1, "low": 0, None: 0}
        return [
            i for i in before
            if i in after and after[i].text == before[i].text and rank[after[i].risk_level] < rank[before[i].risk_level]
        ]  # fmt: skip


def only(names: Mapping[str, set[str]]) -> Outputs:
    """A smaller alphabet: these outputs for these agents."""

    def outputs(state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        return [(label, raw) for label, raw in small.outputs(state, start) if label in names[start.agent]]

    return outputs


CALM = only(
    {
        "strategist": {"good", "blocked", "malformed"},
        "copywriter": {"good", "superlative", "blocked", "malformed"},
        "editor-qa": {"pass, verified", "revise, nothing said", "revise, fix", "pass, superlative removed", "blocked"},
    }
)
CAREFUL = only(
    {
        "strategist": {"good"},
        "copywriter": {"good", "two titles"},
        "editor-qa": {"pass, verified", "pass, nothing judged, all gates said green", "revise, nothing said"},
    }
)

PLAIN = only(
    {"strategist": {"good"}, "copywriter": {"good", "two titles"}, "editor-qa": {"pass, verified", "revise, fix"}}
)
BLOCKING = only(
    {"strategist": {"good", "blocked"}, "copywriter": {"good", "blocked"}, "editor-qa": {"pass, verified", "blocked"}}
)
HONEST = only({"strategist": {"good"}, "copywriter": {"good"}, "editor-qa": {"pass, verified"}})

WORLDS = {
    "every output of every agent": World(small.config(en=1, cn=0), small.outputs, answers=small.nobody),
    "every answer": World(small.config(strategy=True, final=True), CALM),
    "beginning again": World(small.config(en=1, cn=0), BLOCKING, answers=small.choosing, edits=small.one_edit),
    "crashes": World(small.config(), PLAIN, failures=(("crash", ()), ("crash", ("call-1",)))),
    "edits at any time": World(small.config(en=1, cn=0), HONEST, edits=small.edits),
    "edits and approvals": World(small.config(strategy=True, final=True), HONEST, edits=small.draft_edits),
    "links over http": World(small.config(en=0, cn=1, links="http"), small.linked_outputs, edits=small.draft_edits),
    "a small budget": World(small.config(turns=4), PLAIN, edits=small.more_money, key=key_with_spend),
    "turns that are held": World(small.config(en=1, cn=0), PLAIN, edits=small.draft_edits, held=True),
    "the real limits": World(small.config(en=3, cn=2), CALM),
}


LARGE = "the real limits"
"""What it shows, worlds with smaller limits show as well, but for the numbers themselves."""


def params() -> list[Any]:
    marks = {LARGE: [pytest.mark.slow]}
    return [pytest.param(name, id=name.replace(" ", "-"), marks=marks.get(name, [])) for name in WORLDS]


@pytest.fixture(scope="module", params=params())
def explored(request: pytest.FixtureRequest) -> tuple[World, Explorer, Graph]:
    world = WORLDS[request.param]
    explorer, graph = world.explore()
    return world, explorer, graph


@pytest.mark.req("SP-2", "SP-7", "SP-10", "SP-16", "SP-17")
def test_no_way_leads_to_complete_with_anything_open_or_unearned(explored: tuple[World, Explorer, Graph]) -> None:
    _, _, graph = explored
    assert any(state.stop == "complete" for state in graph.states.values()), "the page can be finished"
    assert len(graph.states) > 100


@pytest.mark.req("SP-2")
def test_from_every_state_an_end_can_be_reached(explored: tuple[World, Explorer, Graph]) -> None:
    world, _, graph = explored
    alone = world.answers is small.nobody
    assert not [graph.path(key) for key in stuck(graph, lambda s: s.stop == "complete" or (alone and bool(s.stop)))][:3]


@pytest.mark.req("SP-2", "SP-5")
def test_agents_alone_cannot_keep_a_run_going(explored: tuple[World, Explorer, Graph]) -> None:
    """Without a person, every path ends: the ways that agents and crashes cause have no circle."""
    _, _, graph = explored
    circle = find_circle(graph)
    assert circle is None, circle


@pytest.mark.req("SP-2")
def test_states_that_count_as_one_behave_alike(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:40]:
        assert explorer.disagreement(one, other) is None


def find_circle(graph: Graph) -> list[str] | None:
    person = ("edit", "strategy:", "final:", "escalation:", "stale:", "budget:")
    done: set[Any] = set()
    for start in graph.states:
        path: dict[Any, str] = {}
        todo: list[tuple[Any, Any]] = [(start, iter(graph.ways[start]))]
        while todo:
            at, ways = todo[-1]
            if at in done:
                todo.pop()
                continue
            path.setdefault(at, "")
            for label, target in ways:
                caused_by_person = label.startswith(person) and not graph.states[at].turns
                if label.startswith("edit") or caused_by_person:
                    continue
                if target in path:
                    return [*path.values(), label]
                if target not in done:
                    path[at] = label
                    todo.append((target, iter(graph.ways[target])))
                    break
            else:
                done.add(at)
                path.pop(at, None)
                todo.pop()
    return None


def rules_of(module: Any, function: str) -> set[str]:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function]
    return {
        arg.value for call in calls for arg in call.args[:2] if isinstance(arg, ast.Constant) and "." in str(arg.value)
    }


@pytest.mark.req("SP-1", "SP-2", "SP-7", "SP-17")
def test_every_edge_and_every_refusal_rule_is_reached() -> None:
    taken: set[tuple[str, str, str]] = set()
    refused: set[str] = set()
    for world in (world for name, world in WORLDS.items() if name != LARGE):
        _, graph = world.explore()
        taken |= world.taken
        refused |= graph.refusals.keys()
    missed = {(e.source, e.outcome, e.target) for e in TABLE.edges} - taken
    assert not missed, f"edges that nothing reaches: {sorted(missed)}"
    rules = rules_of(authority, "_wrong") | {"output.schema", "output.contract", "fix.before", "turn.failed"}
    assert not rules - refused, f"refusals that nothing causes: {sorted(rules - refused)}"


@pytest.mark.req("EV-9")
def test_whatever_agents_do_no_finding_is_overruled(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for key, state in graph.states.items():
        assert not state.overrules, graph.path(key)
        for one in open_findings(WORKFLOW, state, explorer.shelf)[:1]:
            for by in ("agent:copywriter", "code", "host", "script"):
                event = Overruled(id="o", at=AT, by=by, finding=one.finding, of=one.of, reason="it is fine")
                assert [why.rule for why in decide(WORKFLOW, state, event, explorer.shelf).refused] == [
                    "overrule.person"
                ]
