"""One exploration of an inquiry, and what must be true after every single thing that can happen in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import small_inquiry as small
from small_inquiry import DECISIONS, QUESTIONS, Asked

from signoff.core.commands import Ask, StartTurn
from signoff.core.refs import Ref
from signoff.core.state import OpenTurn, State
from signoff.testing.explorer import Alphabet, Explorer, Graph, Way, recording
from signoff.workflows.clarify.checks import staleness
from signoff.workflows.clarify.checks.answer_quality import evaluate
from signoff.workflows.clarify.config import config_of
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Clarifications
from signoff.workflows.clarify.documents.decisions import Decisions
from signoff.workflows.clarify.state import clarifications_of, decisions_of, own_of
from signoff.workflows.clarify.workflow import TABLE, WORKFLOW

AFTER_SCOPE = ("detailed-research", "section-refiner", "confirm-decisions")
GATE = {
    "sufficient": {"decide", "research"},
    "mixed": {"autofill", "research", "answer"},
    "insufficient": {"autofill", "answer"},
}
"""What may be chosen at each verdict (CL-6), in words of its own and not in those of the workflow."""


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
    held: bool = False
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    found: tuple[Explorer, Graph] | None = None
    came: dict[Any, tuple[Any, str] | None] = field(default_factory=dict)
    said: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def explore(self) -> tuple[Explorer, Graph]:
        """What there is, enumerated once for all tests of this module."""
        self.found = self.found or self._explore()
        return self.found

    def _explore(self) -> tuple[Explorer, Graph]:
        workflow, self.taken = recording(WORKFLOW, TABLE)
        edits = small.all_of(self.edits)
        alphabet = Alphabet(
            outputs=self.outputs, answers=self.answers, failures=self.failures,
            edits=lambda state: edits(small.before_them(state, self.explorer.shelf)), holds=self.held,
        )  # fmt: skip
        self.explorer = Explorer(workflow, alphabet, self.key, visit=self.holds)
        graph = self.explorer.explore({"slug": small.NAME}, small.documents(self.config), limit=10_000)
        assert graph.complete, f"more than {len(graph.states)} states: make the alphabet smaller"
        return self.explorer, graph

    def outputs(self, _state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        wanted, given = self.says.get(start.agent, {"good"}), f"{start.agent} {start.notes}"
        if given not in self.said:
            said = small.outputs(self.asked, start)
            self.said[given] = [(label, raw) for label, raw in said if label in wanted]
        return self.said[given]

    def answers(self, state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        return [answer for answer in small.answers(state, ask) if answer[0] not in self.not_chosen]

    def key(self, state: State) -> Any:
        """What decides: everything but revision, time, history, the number of the round and those of ids."""
        own = own_of(state)
        return (
            own.step, bool(own.scope), own.scope_settled, own.deepened, bool(own.round), state.stop,
            own.resume_to if own.step == "escalated" else "",
            tuple(sorted((name, ref.sha256, own.basis.get(name, "")) for name, ref in own.returned.items())),
            tuple(sorted(own.skipped)), own.analysis, tuple(own.origins), tuple(sorted(own.shown.items())),
            own.passes, tuple(own.retired), tuple(sorted(own.by_hand)), own.review,
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
        return turn.start.key, turn.start.agent, turn.invalid, turn.crashed, stale, str(notes)

    # --- what must be true after every single thing that can happen ---------------------------------------------------

    def holds(self, way: Way) -> None:
        state, own = way.after, own_of(way.after)
        self.remember(way)
        assert state.turns or state.requests or state.stop, f"{self.path(way)}: nothing is open and nothing says why"
        doc, made = clarifications_of(state, self.explorer.shelf), decisions_of(state, self.explorer.shelf)
        if doc is not None:
            self.waits_rightly(way, doc)
            self.refines_rightly(way, doc)
            self.is_drafted(way, doc)
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
            assert small.SAID in brief or small.SAID not in "".join(notes), f"{self.path(way)}: quoted, and not there"

    def waits_rightly(self, way: Way, doc: Clarifications) -> None:
        """The evaluation is that of the file, the options are those of the verdict, the scope is guarded."""
        state, own, config = way.after, own_of(way.after), config_of(way.after, self.explorer.shelf)
        if not state.turns:
            now = evaluate(doc, frozenset(config.known_terms), config.limits)
            assert own.evaluation == now, f"{self.path(way)}: the evaluation is of another file"
        gate = state.request_of("answers")
        if gate and own.evaluation:
            assert set(gate.options) == GATE[own.evaluation.verdict], f"{self.path(way)}: {gate.options}"
        asked = state.request_of("refinements")
        assert not (asked and own.deepened and "deepen" in asked.options), f"{self.path(way)}: deepen once more"
        if doc.front.get("scope_recommendation") is True and not own.scope_settled:
            agents = {turn.start.agent for turn in state.turns.values()}
            assert not agents.intersection(AFTER_SCOPE), f"{self.path(way)}: the scope is not decided"

    def refines_rightly(self, way: Way, doc: Clarifications) -> None:
        """Only what is not clear is refined, once; sub-refinements are asked for in one pass at most."""
        before, own = own_of(way.before), own_of(way.after)
        assert own.deepened or not before.deepened, f"{self.path(way)}: a pass was forgotten"
        again = own.deepened or any(key[-1].isalpha() for key in before.shown)
        assert own.step != "deepen" or not again, f"{self.path(way)}: a second pass"
        new = own.shown.keys() - before.shown.keys() if not way.label.startswith("edit:") else set()
        early = [key for key in new if key[0] == "R" and before.step != ("deepen" if key[-1].isalpha() else "refine")]
        assert not early, f"{self.path(way)}: {early} is of another pass"
        turns = [turn.start for turn in way.after.turns.values() if turn.start.agent == "section-refiner"]
        assert len({start.key for start in turns}) == len(turns), f"{self.path(way)}: one section twice"
        for item in (item for start in turns for item in start.notes["items"]):
            assert own.evaluation, self.path(way)
            assert own.evaluation.of(item["id"]) in ("vague", "not_answered"), f"{self.path(way)}: {item} is clear"
            assert not doc.below(item["id"]), f"{self.path(way)}: {item} has refinements"

    def is_drafted(self, way: Way, doc: Clarifications) -> None:
        """After detailed research, every clear question and every gap has its entry, and every entry its place."""
        before, own, made = own_of(way.before), own_of(way.after), decisions_of(way.after, self.explorer.shelf)
        if before.step not in ("answers", "detail", "escalated") or own.step not in ("refine", "refinements"):
            return
        assert made, self.path(way)
        assert own.evaluation, self.path(way)
        decided = {key for one in made.entries for key in one.sources}
        clear = {item.key for item in doc.questions if own.evaluation.of(item.key) == "clear"}
        missing = {*clear, *own.evaluation.open_must} - decided
        below = {key for key in missing for item in doc.refinements if item.key.startswith(f"R{key[1:]}.")}
        assert missing <= below, f"{self.path(way)}: {missing} is in no draft"

    def answers_stay(self, way: Way) -> None:
        """Answers change by a person's edit or a chosen autofill; everything else only adds."""
        before, after = self.file(way.before, QUESTIONS), self.file(way.after, QUESTIONS)
        if before == after or before is None or way.label.startswith("edit:"):
            assert after is not None or before is None
            return
        old, new = cl.parse(before), cl.parse(after or "")
        filled = {item.key: item.recommendation for item in old.items if way.label.endswith("autofill")}
        anew = own_of(way.before).step == "consolidate"  # a person chose a narrower scope: questions may be withdrawn
        kept = [
            item
            for item in old.items
            if new.item(item.key) or not (anew and item.kind == "question" and not item.answer)
        ]
        for item in kept:
            assert new.item(item.key), f"{self.path(way)}: {item.key} is gone"
            said = new.by_key[item.key].answer
            taken_over = not item.answer and said == filled.get(item.key)
            assert said == item.answer or taken_over, f"{self.path(way)}: {item.key} has another answer"
        if not filled and not anew:
            rest = iter(body(new))
            assert all(line in rest for line in body(old)), f"{self.path(way)}: something was taken out"

    def ids_stay(self, way: Way) -> None:
        """What was shown under an id is not renamed, and nothing else gets the id."""
        before, own = own_of(way.before).shown, own_of(way.after)
        doc = clarifications_of(way.after, self.explorer.shelf)
        there = {item.key: item.title for item in (*doc.questions, *doc.refinements)} if doc else {}
        assert there.items() <= own.shown.items(), f"{self.path(way)}: {there} is not what was shown"
        assert before.keys() <= own.shown.keys(), f"{self.path(way)}: an id was forgotten"
        if not way.label.startswith("edit:"):
            assert before.items() <= own.shown.items(), f"{self.path(way)}: an id means something else now"

    def decisions_stay(self, way: Way) -> None:
        """No entry is dropped or renamed; what was not asked for stays byte for byte."""
        old, new = decisions_of(way.before, self.explorer.shelf), decisions_of(way.after, self.explorer.shelf)
        if old is None or old == new or way.label.startswith("edit:"):
            assert new is not None or old is None
            return
        assert new is not None
        named = {one.id: one.title for one in new.entries}
        known = {one.id: one.title for one in old.entries}
        assert known.items() <= named.items(), f"{self.path(way)}: renamed or dropped"
        assert small.WORDS not in old.text or small.WORDS in new.text, f"{self.path(way)}: what a person wrote is gone"
        turn = way.before.turn_of("confirm")
        if turn and own_of(way.before).round:
            asked = {entry["id"] for entry in turn.start.notes["entries"]}
            same = untouched(new, asked).startswith(untouched(old, asked))
            assert same, f"{self.path(way)}: more than {asked} changed"

    def is_settled(self, way: Way, doc: Clarifications, made: Decisions) -> None:
        """Complete is what it says, from the two files alone."""
        evaluation = own_of(way.after).evaluation
        assert evaluation is not None
        assert not [one.id for one in made.entries if one.status == "draft"], f"{self.path(way)}: a draft is left"
        assert not staleness.unsettled(made, doc, evaluation), f"{self.path(way)}: complete with something open"
        assert not staleness.stale(made, doc, evaluation), f"{self.path(way)}: complete with something stale"
        sources = {key for one in made.entries if one.status != "needs-review" for key in one.sources}
        assert sources <= {item.key for item in doc.items}, f"{self.path(way)}: a source does not exist"
        if not way.label.startswith("edit:"):
            front = {"status": "complete", **de.counts(made.entries), "round": own_of(way.after).round}
            assert front.items() <= made.front.items(), f"{self.path(way)}: {made.front}"

    def remember(self, way: Way) -> None:
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
