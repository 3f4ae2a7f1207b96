"""The explorer: every state a workflow can reach when agents, people and the machine do their worst.

It drives the real `decide` and the real gates over a finite alphabet of small documents: every output for an open turn,
every answer to an open request, every edit, every crash. States that differ only in what never decides anything
(revision, time, history) count as one; `Graph.twins` is a sample of such pairs, so that a test can prove that they
behave alike. `visit` is called for each step, to check what must never happen.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from signoff.core.commands import Ask, Check, Gather, StartTurn, Write
from signoff.core.decide import Decision, decide
from signoff.core.declarations import GateInput, Now, Probe
from signoff.core.errors import CorruptError, DocumentError
from signoff.core.events import (
    Answered,
    Called,
    Checked,
    DocsChanged,
    Event,
    Gathered,
    Hit,
    Page,
    Ran,
    Started,
    TurnFailed,
    TurnHeld,
    TurnReturned,
)
from signoff.core.findings import Finding
from signoff.core.refs import Parse, Ref, digest
from signoff.core.state import State, replace
from signoff.core.table import Edge, Table
from signoff.core.workflow import Workflow
from signoff.evidence.sources.fetched_pages import place

T = TypeVar("T")
AT = "2026-01-01T00:00:00+00:00"
CALLS = " calls "


class Shelf:
    """A `look` over texts in memory."""

    def __init__(self, texts: Iterable[str | bytes] = ()) -> None:
        self._data: dict[str, bytes] = {}
        self._parsed: dict[tuple[Ref, Callable[..., Any]], Any] = {}
        for text in texts:
            self.put(text)

    def put(self, text: str | bytes) -> str:
        """Keeps the bytes and gives their digest."""
        data = text.encode() if isinstance(text, str) else text
        self._data[sha := digest(data)] = data
        return sha

    def __call__(self, ref: Ref, parse: Parse[T], /) -> T:
        key = (ref, parse)
        if key not in self._parsed:
            try:
                self._parsed[key] = parse(self.data(ref), ref.path)
            except DocumentError as error:
                self._parsed[key] = error
        value = self._parsed[key]
        if isinstance(value, DocumentError):
            raise value
        found: T = value
        return found

    def data(self, ref: Ref) -> bytes:
        """The bytes of a reference."""
        if ref.sha256 not in self._data:
            raise CorruptError(f"{ref} was never put on the shelf")
        return self._data[ref.sha256]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The output of a turn together with the files that it wrote and the commands that it ran."""

    raw: str
    files: Mapping[str, str] = field(default_factory=dict)
    ran: tuple[Ran, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a gather finds: hits by query, pages by url, and why a search failed. All else is not there.

    Each page is a whole text, as `evidence/sources/fetched_pages.py` renders it.
    """

    hits: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """Everything that may happen. Each field gives labelled choices for a state; reports name a choice by its label.

    A check that needs the network stays open while other things happen, and `probes` gives each possible answer of the
    network. All other checks are part of the event that caused them. `gathers` gives what a gather may find; by
    default, nothing. With `holds`, every turn may also be held before it begins, as if the project's budget were used
    up by other runs.
    """

    outputs: Callable[[State, StartTurn], Iterable[tuple[str, str | Given]]]
    answers: Callable[[State, Ask], Iterable[tuple[str, str, Mapping[str, Any]]]]
    edits: Callable[[State], Iterable[tuple[str, Mapping[str, str | None]]]] = lambda _: ()
    calls: Callable[[State, StartTurn], Iterable[tuple[str, str, Mapping[str, Any]]]] = lambda _state, _start: ()
    failures: tuple[tuple[str, tuple[str, ...]], ...] = (("crash", ()),)
    probes: Callable[[Sequence[str]], Iterable[tuple[str, Mapping[str, Probe]]]] = lambda _: (("", {}),)
    gathers: Callable[[State, Gather], Iterable[tuple[str, Found]]] = lambda _state, _gather: (("nothing", Found()),)
    holds: bool = False


@dataclass(slots=True)
class Way:
    """One step: from a state, by a labelled event, to a state."""

    source: Any
    label: str
    target: Any
    before: State
    after: State
    decisions: tuple[Decision, ...]


@dataclass(slots=True)
class Graph:
    """What was found. `first` is the way by which each state was reached first."""

    states: dict[Any, State] = field(default_factory=dict)
    ways: dict[Any, list[tuple[str, Any]]] = field(default_factory=dict)
    first: dict[Any, tuple[Any, str]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    twins: list[tuple[State, State]] = field(default_factory=list)
    complete: bool = True
    count: int = 0
    """How many ways were found so far."""

    def path(self, key: Any) -> list[str]:
        """The shortest way to a state, as labels, to read when a proof fails."""
        labels: list[str] = []
        while key in self.first:
            key, label = self.first[key]
            labels.append(label)
        return labels[::-1]


class Explorer:
    """Enumerates states. `key` says which are the same; `visit` is called for each way as it is found."""

    def __init__(
        self,
        workflow: Workflow,
        alphabet: Alphabet,
        key: Callable[[State], Any],
        *,
        visit: Callable[[Way], None] | None = None,
    ) -> None:
        self.workflow, self.alphabet, self.key = workflow, alphabet, key
        self.visit = visit or (lambda _way: None)
        self.shelf = Shelf()
        self._findings: dict[Any, tuple[Finding, ...]] = {}
        self._urls: dict[Any, Sequence[str]] = {}

    def explore(
        self, params: Mapping[str, Any], documents: Mapping[str, str | bytes], *, limit: int = 200_000
    ) -> Graph:
        """All states that can be reached, or as many as the limit allows (then `complete` is False)."""
        graph = Graph()
        state, decisions = self.begin(params, documents)
        self._count(graph, decisions)
        start = self.key(state)
        graph.states[start] = state
        todo = deque([start])
        while todo:
            key = todo.popleft()
            graph.ways[key] = []
            for label, after, done in self.successors(graph.states[key]):
                self._count(graph, done)
                target = self.key(after)
                self.visit(Way(key, label, target, graph.states[key], after, done))
                graph.ways[key].append((label, target))
                graph.count += 1
                if target in graph.states:
                    self._twin(graph, target, after)
                elif len(graph.states) >= limit:
                    graph.complete = False
                else:
                    graph.states[target], graph.first[target] = after, (key, label)
                    todo.append(target)
        return graph

    def begin(
        self, params: Mapping[str, Any], documents: Mapping[str, str | bytes]
    ) -> tuple[State, tuple[Decision, ...]]:
        """The first stable state of a run on these documents."""
        docs = {path: self.shelf.put(text) for path, text in documents.items()}
        started = Started(
            id="start", at=AT, by="person", workflow=self.workflow.name, version=self.workflow.version, run="explored",
            params=params, docs=docs,
        )  # fmt: skip
        return self.happen(State(), started)

    def successors(self, state: State) -> Iterator[tuple[str, State, tuple[Decision, ...]]]:
        """Each thing that may happen next, and where it leads."""
        for label, event in self.events(state):
            after, decisions = self.happen(state, event)
            yield label, after, decisions

    def happen(self, state: State, event: Event) -> tuple[State, tuple[Decision, ...]]:
        """One event, and the gates that follow from it."""
        decisions = []
        todo: Event | None = event
        while todo is not None:
            decision = decide(self.workflow, state, todo, self.shelf)
            for command in decision.commands:
                if isinstance(command, Write) and command.text is not None:
                    self.shelf.put(command.text)
            decisions.append(decision)
            state = decision.state
            todo = next((self._checked(check, {}) for check in state.checks.values() if not self.urls(check)), None)
        return state, tuple(decisions)

    def urls(self, check: Check) -> Sequence[str]:
        """What this check has to ask the network."""
        key = self._asked(check)
        if key not in self._urls:
            given = GateInput(of=check.of, params=check.params, look=self.shelf)
            self._urls[key] = self.workflow.gate(check.gate).urls(given)
        return self._urls[key]

    def _asked(self, check: Check) -> Any:
        """The input of a gate, as a key: the same input always has the same findings."""
        return (check.gate, tuple(sorted(check.of.items())), repr(check.params))

    def events(self, state: State) -> Iterator[tuple[str, Event]]:
        """The alphabet as events."""
        for turn in state.turns.values():
            yield from self._turn_events(state, turn.start)
        for check in state.checks.values():
            for label, probes in self.alphabet.probes(self.urls(check)):
                yield f"{check.key}: {label}", self._checked(check, probes)
        for gather in state.gathers.values():
            for label, found in self.alphabet.gathers(state, gather):
                yield f"{gather.key}: {label}", self.gathered(gather, found)
        for ask in state.requests.values():
            for label, act, payload in self.alphabet.answers(state, ask):
                seen = {path: state.docs.get(path, "") for path in ask.of}
                event: Event = Answered(
                    id=label, at=AT, by="person", request=ask.request, act=act, payload=payload, seen=seen
                )
                yield f"{ask.key}: {label}", event
        for label, edit in self.alphabet.edits(state):
            docs = {path: None if text is None else self.shelf.put(text) for path, text in edit.items()}
            if any(state.docs.get(path) != sha for path, sha in docs.items()):
                yield f"edit: {label}", DocsChanged(id=label, at=AT, by="person", docs=docs)

    def _turn_events(self, state: State, start: StartTurn) -> Iterator[tuple[str, Event]]:
        for label, said in self.alphabet.outputs(state, start):
            yield f"{start.key}: {label}", self.returned(start, said)
        for label, tool, args in self.alphabet.calls(state, start):
            number = str(len(state.turns[start.turn].calls) + 1)
            event: Event = Called(
                id=label, at=AT, by=f"agent:{start.agent}", turn=start.turn, call_id=number, tool=tool, args=args
            )
            yield f"{start.key}{CALLS}{label}", event
        for kind, uncertain in self.alphabet.failures:
            event = TurnFailed(
                id=kind, at=AT, by="code", turn=start.turn, attempt=start.attempt, kind=kind, uncertain_calls=uncertain
            )
            yield f"{start.key}: {kind}{' (uncertain)' if uncertain else ''}", event
        if self.alphabet.holds:
            event = TurnHeld(id="held", at=AT, by="code", turn=start.turn, attempt=start.attempt, why="nothing is left")
            yield f"{start.key}: held", event

    def returned(self, start: StartTurn, said: str | Given) -> TurnReturned:
        """The end of a turn that gives this back."""
        given = said if isinstance(said, Given) else Given(raw=said)
        return TurnReturned(
            id=start.key, at=AT, by=f"agent:{start.agent}", turn=start.turn, attempt=start.attempt,
            output=Ref(f"raw/{start.agent}", self.shelf.put(given.raw)),
            files={path: self.shelf.put(text) for path, text in given.files.items()}, ran=given.ran,
        )  # fmt: skip

    def gathered(self, gather: Gather, found: Found) -> Gathered:
        """The end of a gather that finds this."""
        pages = {
            url: Page(path=place(gather.into, url), sha256=self.shelf.put(found.pages[url]), title=url)
            if url in found.pages
            else Page(problem="it is not there")
            for url in gather.urls
        }
        hits = {query: found.hits.get(query, ()) for query in gather.queries if query not in found.problems}
        problems = {query: found.problems[query] for query in gather.queries if query in found.problems}
        return Gathered(
            id=gather.key, at=AT, by="code", gather=gather.gather, hits=hits, pages=pages, problems=problems
        )

    def _checked(self, check: Check, probes: Mapping[str, Probe]) -> Checked:
        gate = self.workflow.gate(check.gate)
        key = (self._asked(check), repr(probes))
        if key not in self._findings:
            try:
                found = gate.run(GateInput(of=check.of, params=check.params, look=self.shelf, probes=probes))
                self._findings[key] = tuple(found)
            except DocumentError as error:
                self._findings[key] = error.findings
        return Checked(id=check.check, at=AT, by="code", check=check.check, findings=self._findings[key], of=check.of)

    def _count(self, graph: Graph, decisions: Iterable[Decision]) -> None:
        for decision in decisions:
            graph.refusals.update(finding.rule for finding in decision.refused)
            graph.commands.update(type(command).__name__ for command in decision.commands)

    def _twin(self, graph: Graph, key: Any, other: State) -> None:
        """Keeps a thin sample of pairs that count as one state without being equal."""
        known = graph.states[key]
        if len(graph.twins) < 400 and graph.count % 7 == 0 and known != other:
            graph.twins.append((known, other))

    def disagreement(self, one: State, other: State) -> str | None:
        """An event by which two states that count as one lead to different states: then the key is too coarse."""
        ways = {label: self.key(after) for label, after, _ in self.successors(one)}
        others = {label: self.key(after) for label, after, _ in self.successors(other)}
        return next((label for label in ways.keys() | others.keys() if ways.get(label) != others.get(label)), None)


def stuck(graph: Graph, ended: Callable[[State], bool]) -> list[Any]:
    """States from which no end can be reached. In a finished exploration there must be none."""
    back: dict[Any, set[Any]] = {}
    for source, ways in graph.ways.items():
        for _, target in ways:
            back.setdefault(target, set()).add(source)
    alive = {key for key, state in graph.states.items() if ended(state)}
    todo = deque(alive)
    while todo:
        for source in back.get(todo.popleft(), ()):
            if source not in alive:
                alive.add(source)
                todo.append(source)
    return [key for key in graph.states if key not in alive]


def circle(graph: Graph, people: tuple[str, ...]) -> list[str] | None:
    """The way to a circle that agents alone can go round, or None; `people` are label prefixes of persons' acts.

    It removes states that lead nowhere until only circles are left. A refused call changes nothing and does not count
    as a way: the runtime limits those.
    """

    def leads(source: Any, label: str, target: Any) -> bool:
        return not label.startswith(people) and not (target == source and CALLS in label)

    ways = {key: {target for label, target in graph.ways[key] if leads(key, label, target)} for key in graph.states}
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


# --- which edges of a table were taken --------------------------------------------------------------------------------

Taken = set[tuple[str, str, str]]
"""Source, outcome and target of each edge."""


class _Recording(Table):
    """A table that notes which edges were taken."""

    taken: Taken

    def _edge(self, source: str, outcome: str, now: Now) -> Edge:
        edge = super()._edge(source, outcome, now)
        self.taken.add((edge.source, edge.outcome, edge.target))
        return edge


def recording(workflow: Workflow, table: Table) -> tuple[Workflow, Taken]:
    """The workflow with a table that notes its edges: one that is never taken is dead, or was not explored."""
    noting = _Recording(
        stages=table.stages, edges=table.edges, first=table.first, edited=table.edited, writes=table.writes
    )
    taken: Taken = set()
    object.__setattr__(noting, "taken", taken)  # the table is frozen, and this is not part of it
    return replace(workflow, steps=noting), taken
