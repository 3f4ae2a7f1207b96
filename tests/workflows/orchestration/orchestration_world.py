"""One exploration of a design, and what must be true after every single thing that can happen to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import changelog_reader
import small_orchestration as small
from small_orchestration import ONE, Editor, Turn

from signoff.artifacts.text_decoding import decode
from signoff.core.commands import Ask, StartTurn
from signoff.core.decide import Decision
from signoff.core.declarations import Now
from signoff.core.events import Answered, TurnReturned
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, State
from signoff.testing.explorer import AT, Alphabet, Explorer, Graph, Way, recording
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import changelog_checks
from signoff.workflows.orchestration.checks.changelog_checks import Drafts
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design import approvals, file_edits, verification
from signoff.workflows.orchestration.design.roster import bare, recompleted
from signoff.workflows.orchestration.documents import (
    agent_registry,
    agent_roster,
    architecture_decisions,
    design_verification,
)
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.reviews import Domain
from signoff.workflows.orchestration.sequence import sequencer, work_sequence
from signoff.workflows.orchestration.state import STEPS, Approval, Shelf, own_of
from signoff.workflows.orchestration.workflow import TABLE, WORKFLOW

Say = Mapping[str, Iterable[str] | None]
"""What agents may say: everything for None; whoever is not named does well."""
DRAFTS = (places.STACK, places.DECISIONS)
REVIEWERS = ("security-reviewer", "database-reviewer", "api-reviewer", "frontend-reviewer")


class _From(Explorer):
    """An explorer that begins where everybody has done well so far."""

    prefix: Callable[[State], State]

    def begin(self, params: Mapping[str, Any], documents: Mapping[str, Any]) -> tuple[State, tuple[Decision, ...]]:
        state, decisions = super().begin(params, documents)
        return self.prefix(state), decisions


@dataclass
class World:
    """One exploration: its alphabet, where it begins and ends, and what it found.

    Nothing more happens once the run is in a step of `ends`: another world goes on from there. The work itself is such
    a step for every world that does not begin with it, and agents of the work say nothing here.
    """

    say: Say = field(default_factory=dict)
    begin: str = "architecture"
    ends: tuple[str, ...] = ()
    doers: tuple[str, ...] = (ONE,)
    order: tuple[Domain, ...] = ("security",)
    after: Mapping[str, str] = field(default_factory=dict)
    answers: Callable[[State, Ask], Iterable[tuple[str, str, Mapping[str, Any]]]] = small.answers
    edits: Sequence[Editor] = ()
    config: str = small.config()
    documents: Mapping[str, str] = field(default_factory=dict)
    failures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    held: bool = False
    spends: bool = False
    limit: int = 6_000
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    found: tuple[Explorer, Graph] | None = None
    came: dict[Any, tuple[Any, str] | None] = field(default_factory=dict)
    checked: set[Any] = field(default_factory=set)

    def explore(self) -> tuple[Explorer, Graph]:
        """What there is, enumerated once for all tests of this module."""
        self.found = self.found or self._explore()
        return self.found

    def _explore(self) -> tuple[Explorer, Graph]:
        self._prepared()
        graph = self.explorer.explore({"slug": small.RUN}, self._documents(), limit=self.limit)
        assert graph.complete, f"more than {len(graph.states)} states: make the alphabet smaller"
        return self.explorer, graph

    def _prepared(self) -> None:
        workflow, self.taken = recording(WORKFLOW, TABLE)
        alphabet = Alphabet(
            outputs=self._outputs, answers=self._answers, edits=self._edits, calls=self._calls, failures=self.failures,
            holds=self.held,
        )  # fmt: skip
        self.explorer = _From(workflow, alphabet, self.key, visit=self.holds)
        self.explorer.prefix = self._played

    def _documents(self) -> dict[str, str]:
        return {**small.documents(self.config), **self.documents}

    def played(self) -> tuple[State, Explorer]:
        """Where this world begins, and what it is told with: for who goes on by themselves."""
        self._prepared()
        state, _ = self.explorer.begin({"slug": small.RUN}, self._documents())
        return state, self.explorer

    # --- what may happen ----------------------------------------------------------------------------------------------

    def _played(self, state: State) -> State:
        """Everybody does well until the step in which this world begins."""
        while own_of(state).step != self.begin:
            state, _ = self.explorer.happen(state, self._well(state))
        return state

    def _well(self, state: State) -> TurnReturned | Answered:
        for turn in state.turns.values():
            raw = self.explorer.shelf.put(small.said(self.turn(state, turn.start))["good"])
            return TurnReturned(
                id="well", at=AT, by=turn.start.agent, turn=turn.start.turn, attempt=turn.start.attempt,
                output=Ref(f"raw/{turn.start.agent}", raw),
            )  # fmt: skip
        ask = next(iter(state.requests.values()))
        return Answered(id="well", at=AT, by="person", request=ask.request, act=ask.options[0])

    def turn(self, state: State, start: StartTurn) -> Turn:
        return Turn(state, start, self.explorer.shelf, self.doers, self.order, self.after)

    def _over(self, state: State) -> bool:
        return own_of(state).step in (*self.ends, *(("execute",) if self.begin != "execute" else ()))

    def ended(self, state: State) -> bool:
        """Whether the design is approved and stands, or gave way to another, or another world goes on."""
        own = own_of(state)
        return self._over(state) or state.stop == "replaced" or (own.step == "execute" and not own.stale)

    def _outputs(self, state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        if self._over(state) or start.agent not in small.SPEAKERS:
            return ()
        said, wanted = small.said(self.turn(state, start)), self.say.get(start.agent, ("good",))
        return [(label, raw) for label, raw in said.items() if wanted is None or label in wanted]

    def _answers(self, state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        return () if self._over(state) else self.answers(state, ask)

    def _calls(self, state: State, start: StartTurn) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """What agents may try to call: nothing, where they have no tools."""
        del state, start
        return ()

    def _edits(self, state: State) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        for editor in () if self._over(state) else self.edits:
            for label, docs in editor(Shelf(state, self.explorer.shelf)):
                for path, text in docs.items():
                    assert text is None or not WORKFLOW.documents.accepts(path, text.encode()), (
                        f"{label}: nobody takes this in"
                    )
                yield label, docs

    # --- which states are one -----------------------------------------------------------------------------------------

    def key(self, state: State) -> Any:
        """What decides: everything but revision, time, history, words for people and the numbers of ids."""
        own = own_of(state)
        newest = {yes.gate: yes.digests for yes in own.approvals}
        return (
            own.step, own.order, own.reviewed, own.decided, own.lacking, own.members, own.integrated, own.stale,
            own.digest, own.resume_to if own.step == "escalated" else "", state.stop, own.by_hand,
            *map(_plain, (own.returned, own.required, own.rejected, own.practices, own.rounds, own.written)),
            tuple(sorted(own.kept)),
            tuple((gate, _plain(digests)) for gate, digests in sorted(newest.items())), self.serialised(state),
            tuple(sorted((path, self._undated(state, path)) for path in state.docs)),
            tuple(self._turn_key(state, turn) for turn in (*state.turns.values(), *state.parked)), len(state.parked),
            tuple((o.key, o.options, _plain(o.of), str(o.notes.get("from"))) for o in state.requests.values()),
            min(state.spend.turns, 40) if self.spends else 0,
        )  # fmt: skip

    def serialised(self, state: State) -> bool:
        """Whether a person had doers put one after the other: then the roster is not as it was approved."""
        return any(choice.startswith("verifier") and "serialise" in choice for choice in own_of(state).choices)

    def _undated(self, state: State, path: str) -> Any:
        """A document; of the log, what is said in it, however often."""
        if path != places.CHANGELOG:
            return state.docs[path]
        return frozenset(map(repr, self.explorer.shelf(Ref(path, state.docs[path]), changelog_reader.parse)))

    def _turn_key(self, state: State, turn: OpenTurn) -> Any:
        stale = any(state.docs.get(ref.path) != ref.sha256 for ref in turn.start.pinned)
        return turn.start.key, turn.invalid, turn.crashed, stale, str(turn.start.notes)

    # --- what must be true after every single thing that can happen ---------------------------------------------------

    def nothing_is_left_to_do(self, way: Way) -> None:
        """A run that gave way to another touches nothing any more."""
        assert way.after.stop == "replaced", self.path(way)
        assert not [*way.after.wanted, *way.after.requests], f"{self.path(way)}: something is open"
        done = [type(one).__name__ for done in way.decisions for one in done.commands]
        assert "Write" not in done, f"{self.path(way)}: {done}"

    def holds(self, way: Way) -> None:
        self._remember(way)
        state = way.after
        if own_of(state).step == "replaced":
            self.nothing_is_left_to_do(way)
            return
        assert state.turns or state.requests or state.stop, f"{self.path(way)}: nothing is open and nothing says why"
        self.a_stop_is_whole(way)
        self.turns_are_of_code(way)
        self.reviewers_only_review(way)
        self.the_log_has_every_change(way)
        self.rounds_are_counted(way)
        self.who_is_created_exists(way)
        self.what_is_chosen_helps(way)
        self.code_keeps_what_is_its_own(way)
        if (known := (way.target, own_of(way.before).step)) not in self.checked:
            self.checked.add(known)
            self.is_sound(way)

    def a_stop_is_whole(self, way: Way) -> None:
        """Who stops for a person, or waits for what becomes of a design that was edited, has nothing out, and asks for
        one thing."""
        state, own = way.after, own_of(way.after)
        if own.step == "escalated":
            assert state.stop == "escalated", self.path(way)
        if own.step == "escalated" or own.stale:
            assert not state.wanted, f"{self.path(way)}: {state.wanted} is wanted"
            assert len(state.requests) == 1, f"{self.path(way)}: {[*state.requests]}"

    def is_sound(self, way: Way) -> None:
        """What the state alone has to answer for."""
        self.what_came_back_is_of_these_documents(way)
        self.what_is_to_be_approved_was_reviewed(way)
        self.people_said_yes(way)
        self.who_exists_is_computed(way)
        self.nobody_is_missing(way)
        self.the_sequence_is_computed(way)
        self.agents_are_told_their_task(way)
        self.what_is_to_be_approved_was_verified(way)
        self.what_was_approved_is_there(way)

    def turns_are_of_code(self, way: Way) -> None:
        """No turn of a design has a tool, so no agent can start anything; no work is asked for twice."""
        for start in started(way):
            if own_of(way.after).step == "execute":
                continue
            given = (start.tools, start.writes, start.runs)
            assert given == ((), (), ()), f"{self.path(way)}: {start.agent} is given {given}"
            assert start.agent in small.SPEAKERS, f"{self.path(way)}: {start.agent}"
        keys = [turn.start.key for turn in (*way.after.turns.values(), *way.after.parked)]
        assert len(keys) == len(set(keys)), f"{self.path(way)}: {keys}"

    def reviewers_only_review(self, way: Way) -> None:
        """Reviewers come one at a time, see exactly what was said before them, and leave the drafts as they are."""
        for start in started(way):
            if start.agent in REVIEWERS:
                own = own_of(way.after)
                earlier = [places.review(domain) for domain in own.order[: own.reviewed]]
                seen = [ref.path for ref in start.pinned if ref.path.endswith("_review.md")]
                told = [*start.notes.get("earlier", ())]
                assert seen == told == earlier, f"{self.path(way)}: {seen} and {told}, not {earlier}"
                assert start.notes["domain"] == own.order[own.reviewed], self.path(way)
                assert len(way.after.turns) == 1, f"{self.path(way)}: two reviewers at a time"
        if own_of(way.before).step == "review" and not way.label.startswith("edit:"):
            assert self.drafts(way.before) == self.drafts(way.after), f"{self.path(way)}: the drafts changed"

    def the_log_has_every_change(self, way: Way) -> None:
        """The tactical architect takes the reviews in their order; what changes is in the log, and nothing else is."""
        before, own = own_of(way.before), own_of(way.after)
        if before.step != "tactical" or way.label.startswith("edit:"):
            return
        was, now = self.drafts(way.before), self.drafts(way.after)
        if own.decided != before.decided + 1:
            assert was == now, f"{self.path(way)}: the drafts changed, and nothing was accepted"
            return
        old, log = self.text(way.before, places.CHANGELOG), self.text(way.after, places.CHANGELOG)
        entry = changelog_reader.parse(log.encode(), places.CHANGELOG)[-1]
        assert log.startswith(old.rstrip()), f"{self.path(way)}: the log lost something"
        assert (entry.number, entry.domain) == (own.decided, own.order[before.decided]), f"{self.path(way)}: {entry}"
        assert before.reviewed == len(before.order), f"{self.path(way)}: not all reviews are in"
        assert not tuple(changelog_checks.findings(was, now, entry.changes)), (
            f"{self.path(way)}: the log is not what happened"
        )

    def rounds_are_counted(self, way: Way) -> None:
        before, after = own_of(way.before).rounds.get("verify", 0), own_of(way.after).rounds.get("verify", 0)
        most = config_of(way.after, self.explorer.shelf).verification_rounds
        assert after <= max(before, most), f"{self.path(way)}: round {after} of {most}"

    def who_is_created_exists(self, way: Way) -> None:
        name, _, said = way.label.partition(": ")
        if name.startswith("agent-") and said.startswith("create"):
            missing = self.shelf(way.after).roster.missing_agents
            assert name.removeprefix("agent-") not in missing, f"{self.path(way)}: it does not exist"

    def what_is_chosen_helps(self, way: Way) -> None:
        """People are asked for what they can settle, and what they choose settles it."""
        for key, rule in (("cycle", "sequence.cycle"), ("verifier", "sequence.shared_verifier")):
            if ask := way.after.request_of(key):
                rules = {one["rule"] for one in ask.notes["findings"]}
                assert rules == {rule}, f"{self.path(way)}: asked for {rules}"
        if way.label in ("verifier: separate", "verifier: serialise"):
            assert own_of(way.after).step == "instructions", f"{self.path(way)}: {own_of(way.after).step}"

    def code_keeps_what_is_its_own(self, way: Way) -> None:
        """Nobody forges what code makes, and nothing of a design can be taken away."""
        if not way.label.startswith("edit:"):
            return
        for path in file_edits.BY_CODE:
            kept = self.text(way.after, path) in (self.text(way.before, path), "")
            assert kept or "resumed" in way.label or moved(way), f"{self.path(way)}: {path} is not what it was"
        gone = [path for path in way.before.docs if path.startswith(f"{places.HOME}/") and path not in way.after.docs]
        assert not gone or moved(way), f"{self.path(way)}: {gone} is gone"

    # --- of a state ---

    def what_came_back_is_of_these_documents(self, way: Way) -> None:
        """Work that waits for its neighbours was done on the documents as they are."""
        state = way.after
        for key, given in own_of(state).returned.items():
            old = [path for path, sha in given.read.items() if state.docs.get(path, "") != sha]
            assert not old, f"{self.path(way)}: {key} was made from another {old}"

    def what_is_to_be_approved_was_reviewed(self, way: Way) -> None:
        """A person is asked for both drafts, with every review that was ordered and what became of it."""
        state, own = way.after, own_of(way.after)
        ask = state.request_of("architecture")
        if ask is None:
            return
        wanted = {*DRAFTS, places.ORDER, places.CHANGELOG, *map(places.review, own.order)}
        assert wanted <= ask.of.keys(), f"{self.path(way)}: {wanted - ask.of.keys()} is not shown"
        assert own.order, f"{self.path(way)}: nobody reviewed it"
        log = changelog_reader.parse(self.text(state, places.CHANGELOG).encode(), places.CHANGELOG)
        assert tuple(entry.domain for entry in log[-len(own.order) :]) == own.order, f"{self.path(way)}: {log}"

    def people_said_yes(self, way: Way) -> None:
        """What comes after a gate is made of what a person approved there, to the byte or to the word."""
        state = way.after
        if self.beyond(state, "approve_architecture"):
            yes = approval(state, "architecture")
            assert yes, f"{self.path(way)}: nobody approved an architecture"
            then, there = ([self._lasting(path, docs[path]) for path in DRAFTS] for docs in (yes.digests, state.docs))
            assert then == there, f"{self.path(way)}: nobody approved this architecture"
        if self.beyond(state, "approve_roster"):
            yes = approval(state, "roster")
            assert yes, f"{self.path(way)}: nobody approved a roster"
            approved = self.explorer.shelf(Ref(places.ROSTER, yes.digests[places.ROSTER]), agent_roster.parse)
            proposed, found = members(approved), members(self.shelf(state).roster)
            if self.serialised(state):
                proposed, found = without_dependencies(proposed), without_dependencies(found)
            assert proposed == found, f"{self.path(way)}: nobody approved this roster"

    def _lasting(self, path: str, sha: str) -> str:
        """A draft as it was approved; the evolution notes grow, and nobody approves those."""
        text = self.explorer.shelf(Ref(path, sha), decode)
        return architecture_decisions.without_evolution(text) if path == places.DECISIONS else sha

    def who_exists_is_computed(self, way: Way) -> None:
        """People are shown what code knows of a roster, and not what an agent or an edit says of it."""
        state = way.after
        if state.request_of("roster"):
            known = self.shelf(state).roster
            computed = recompleted(self.now(state), own_of(state), known)
            assert computed == known, f"{self.path(way)}: {known.missing_agents}, not {computed.missing_agents}"

    def nobody_is_missing(self, way: Way) -> None:
        """Nothing is designed for an agent that does not exist, whatever the roster says of it."""
        state, shelf = way.after, self.shelf(way.after)
        if not self.beyond(state, "create_agents"):
            return
        known = shelf.roster
        assert not known.missing_agents, f"{self.path(way)}: {known.missing_agents}"
        doers = [name for name, member in known.agents.items() if member.kind != "poc"]
        lost = [name for name in doers if not agent_registry.exists(known.type_of(name), shelf.registry, shelf.has)]
        assert not lost, f"{self.path(way)}: {lost} does not exist"

    def the_sequence_is_computed(self, way: Way) -> None:
        state, shelf = way.after, self.shelf(way.after)
        if self.beyond(state, "sequence"):
            made = work_sequence.render(sequencer.sequence(shelf.roster, shelf.contracts, shelf.checkpoints))
            assert shelf.text(places.SEQUENCE) == made, f"{self.path(way)}: the sequence is of another design"

    def agents_are_told_their_task(self, way: Way) -> None:
        """Instructions are written from the roster as it is; agents that take no part have none."""
        state, shelf = way.after, self.shelf(way.after)
        if not self.beyond(state, "instructions"):
            return
        for name, member in shelf.roster.agents.items():
            told = shelf.text(places.instructions(name))
            assert member.kind == "poc" or member.role in told, f"{self.path(way)}: {name} is told another task"
        if self.beyond(state, "integration"):
            there = {path.split("/")[2] for path in shelf.under(places.AGENTS)}
            assert there == {*shelf.sequence.dependency_graph}, f"{self.path(way)}: {there} have instructions"

    def what_is_to_be_approved_was_verified(self, way: Way) -> None:
        """A person is asked for a design that was verified, and the verification is of exactly these files."""
        state = way.after
        if state.request_of("design") is None:
            return
        text = self.text(state, places.VERIFICATION)
        said = design_verification.parse(text.encode(), places.VERIFICATION)
        again = verification.verified(self.now(state), said.reading, said.created)
        assert said.result == "pass", f"{self.path(way)}: it does not pass"
        assert said.reading is not None, f"{self.path(way)}: nobody read it"
        assert design_verification.render(again) == text, f"{self.path(way)}: it was another design that passed"

    def what_was_approved_is_there(self, way: Way) -> None:
        state, own = way.after, own_of(way.after)
        if own.step == "execute" and not own.stale:
            assert own.digest == approvals.design_digest(self.now(state)), f"{self.path(way)}: other bytes"
            yes = approval(state, "design")
            assert yes, self.path(way)
            kept = {path: sha for path, sha in yes.digests.items() if path != places.DECISIONS}
            assert kept.items() <= state.docs.items(), f"{self.path(way)}: other files"
        assert not (own.step == "execute" and own.stale and own.digest), f"{self.path(way)}: a digest of nothing"

    # --- looking at it ------------------------------------------------------------------------------------------------

    def beyond(self, state: State, step: str) -> bool:
        """Whether the run has left a step behind, and nothing that was edited since leads back to it."""
        own = own_of(state)
        at = own.resume_to if own.step == "escalated" else own.step
        if own.stale:
            at = min(own.stale, at, key=STEPS.index)
        return STEPS.index(at) > STEPS.index(step)

    def shelf(self, state: State) -> Shelf:
        return Shelf(state, self.explorer.shelf)

    def now(self, state: State) -> Now:
        return Now(state=state, event=None, look=self.explorer.shelf)  # type: ignore[arg-type]

    def text(self, state: State, path: str) -> str:
        return self.shelf(state).text(path)

    def drafts(self, state: State) -> Drafts:
        return Drafts(stack=self.text(state, places.STACK), decisions=self.text(state, places.DECISIONS))

    def _remember(self, way: Way) -> None:
        if not self.came:
            self.came[way.source] = None
        self.came.setdefault(way.target, (way.source, way.label))

    def path(self, way: Way) -> str:
        """How it came to this, as labels: what to read when a proof fails."""
        labels, step = [way.label], self.came[way.source]
        while step:
            labels.append(step[1])
            step = self.came[step[0]]
        return " > ".join(reversed(labels))


def started(way: Way) -> Iterator[StartTurn]:
    """The turns that went out."""
    return (one for done in way.decisions for one in done.commands if isinstance(one, StartTurn))


def moved(way: Way) -> bool:
    """Whether an edit led to another step, which may write."""
    return own_of(way.before).step != own_of(way.after).step or bool([*started(way)])


def approval(state: State, gate: str) -> Approval | None:
    """The newest yes at a gate."""
    return next((yes for yes in reversed(own_of(state).approvals) if yes.gate == gate), None)


def members(known: Roster) -> dict[str, Any]:
    """What a person approves of a roster: what was proposed, without PoCs, which come later, and without what the
    registry says of an agent."""
    given = {name: bare(one) for name, one in sorted(known.agents.items()) if one.kind != "poc"}
    return {name: one.model_dump(exclude={"template", "invocation_pattern"}) for name, one in given.items()}


def without_dependencies(agents: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {**fields, "dependencies": ()} for name, fields in agents.items()}


def _plain(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in values.items()))
