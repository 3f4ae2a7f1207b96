"""One exploration of the work on a design, and what must be true after every single thing that can happen to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import small_orchestration as small
import small_work as alphabet
from orchestration_world import World, _plain, started
from small_orchestration import Turn
from small_work import work_of

from signoff.core.commands import PERSONS, Ask, Place, StartTurn, Write
from signoff.core.events import Answered, TurnReturned
from signoff.core.state import OpenTurn, State
from signoff.testing.explorer import AT, Given, Way
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design import approvals
from signoff.workflows.orchestration.documents import architecture_decisions, parsers, shared_status
from signoff.workflows.orchestration.state import own_of
from signoff.workflows.orchestration.work import escalations, work_files
from signoff.workflows.orchestration.work import notes as completion_notes
from signoff.workflows.orchestration.work.notes import DECIDES
from signoff.workflows.orchestration.work.progress import DONE, FAILURES, IDLE, Case, Work, Worker
from signoff.workflows.orchestration.workflow import WORKFLOW

OF_WORK = ("do", "drive", "verify", "assess", "decide", "clear", "resolve", "loop")
DESIGN = ("sequence", "instructions", "verify", "approve_design")

PLAN = (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)

MOVES: Mapping[str, Mapping[str, str]] = {
    "do": {"working": "working completion_drive_review blocked failed"},
    "drive": {"completion_drive_review": "completion_drive_review working ready_for_verification blocked failed"},
    "verify": {"ready_for_verification": "verified working blocked ready_for_verification"},
    "assess": {"ready_for_verification": "ready_for_verification"},
    "decide": {"ready_for_verification": "ready_for_verification verified"},
    "clear": {"blocked": "blocked working"},
    "resolve": {"blocked": "blocked working"},
    "loop": {"blocked": "blocked"},
    "escalation": {"blocked": "blocked"},
    "verification": {"blocked": "blocked working failed"},
    "failed": {
        "failed": "failed working completion_drive_review",
        "ready_for_verification": "ready_for_verification failed",
        "blocked": "blocked failed",
        "working": "working failed",
    },
    "poc": {"ready_for_verification": "ready_for_verification verified working failed"},
    "abandoned": {"failed": "failed working"},
}
"""What one event may make of the status of the agent that it is about, whoever says what."""


@dataclass
class WorkWorld(World):
    """A world of work: `say` names kinds of turns (`do`) or single turns (`do-api_agent`), and what may be said there.

    `well` says how the design came about, where an agent did something else than usual. Nobody says anything new who
    has said so many `notes`, and no verification `fails` more often than this.
    """

    begin: str = "execute"
    well: Mapping[str, Callable[[Turn], str]] = field(default_factory=dict)
    answers: Callable[[State, Ask], Iterable[tuple[str, str, Mapping[str, Any]]]] = alphabet.answers
    calls: bool = False
    notes: int = 1
    fails: int = FAILURES

    # --- what may happen ----------------------------------------------------------------------------------------------

    def _well(self, state: State) -> TurnReturned | Answered:
        for turn in state.turns.values():
            seen = self.turn(state, turn.start)
            made = self.well.get(turn.start.agent)
            return self.explorer.returned(turn.start, made(seen) if made else small.said(seen)["good"])
        ask = next(iter(state.requests.values()))
        return Answered(id="well", at=AT, by="person", request=ask.request, act=ask.options[0])

    def _over(self, state: State) -> bool:
        return own_of(state).step in self.ends

    def ended(self, state: State) -> bool:
        return self._over(state) or state.stop in ("complete", "ended", "replaced")

    def _outputs(self, state: State, start: StartTurn) -> Iterable[tuple[str, str | Given]]:
        if self._over(state):
            return ()
        turn, kind = self.turn(state, start), start.key.partition("-")[0]
        if own_of(state).step != "execute":
            return [("good", small.said(turn)["good"])]
        wanted = self.say.get(start.key, self.say.get(kind, ("good",)))
        full = len(start.notes.get("notes", ())) >= self.notes
        said = {label: given for label, given in alphabet.said(turn).items() if wanted is None or label in wanted}
        over = {*(alphabet.NOTING if full else ()), *(["fail"] if start.notes.get("round", 0) > self.fails else [])}
        return [(label, given) for label, given in said.items() if label not in over]

    def _calls(self, state: State, start: StartTurn) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
        """A file that the turn may not write: it is refused, and counts against the turn."""
        if self.calls and not state.turns[start.turn].calls and own_of(state).step == "execute":
            yield "writes the roster", "write_file", {"path": places.ROSTER}

    # --- which states are one -----------------------------------------------------------------------------------------

    def key(self, state: State) -> Any:
        """What decides: where everybody stands, without times, versions and history."""
        own = own_of(state)
        agreed = next((yes.digests for yes in reversed(own.approvals) if yes.gate == "adaptation"), {})
        return (
            own.step, own.stale, own.digest, own.adapting, state.stop, own.members, _plain(own.required), own.by_hand,
            _plain(own.returned), _plain(own.written), _plain(agreed), own.resume_to if own.step == "escalated" else "",
            tuple(sorted((path, sha) for path, sha in state.docs.items() if not self._is_made(path))),
            _work_key(work_of(state)) if own.work else None,
            tuple(self._turn_key(state, turn) for turn in (*state.turns.values(), *state.parked)), len(state.parked),
            tuple(sorted(ask.key for ask in state.requests.values())),
            min(state.spend.turns, 40) if self.spends else 0,
        )  # fmt: skip

    def _is_made(self, path: str) -> bool:
        """Whether a file follows from the work, and so decides nothing besides it."""
        return path == places.STATUS or parsers.is_of_work(path)

    def _turn_key(self, state: State, turn: OpenTurn) -> Any:
        stale = any(state.docs.get(ref.path) != ref.sha256 for ref in turn.start.pinned)
        illegal = any(reply is not None for _, reply in turn.calls.values())
        return turn.start.key, turn.invalid, turn.crashed, stale, illegal

    # --- what must be true after every single thing that can happen ---------------------------------------------------

    def holds(self, way: Way) -> None:
        self._remember(way)
        state = way.after
        if own_of(state).step == "replaced":
            self.nothing_is_left_to_do(way)
            return
        assert state.turns or state.requests or state.stop, f"{self.path(way)}: nothing is open and nothing says why"
        self.people_can_see_it(way)
        self.turns_are_of_code(way)
        self.code_writes_only_what_it_may(way)
        self.agents_write_only_what_they_may(way)
        self.a_refused_write_is_named(way)
        self.a_crash_is_tried_three_times(way)
        if own_of(way.before).step == "execute" == own_of(state).step:
            self.statuses_move_only_as_they_may(way)
            self.a_verdict_is_on_what_is_there(way)
            self.results_are_there_while_the_last_verification_failed(way)
            self.verified_work_is_kept(way)
            self.what_was_proposed_is_refused_on_record(way)
        if own_of(state).step == "execute" and not own_of(state).stale:
            self.nobody_starts_too_early(way)
            self.is_sound(way)

    # --- of an event ---

    def people_can_see_it(self, way: Way) -> None:
        WORKFLOW.views.status(way.after)
        WORKFLOW.documents.made(way.after)
        WORKFLOW.views.summary(way.after, self.explorer.shelf)

    def a_refused_write_is_named(self, way: Way) -> None:
        """Who reads of it, the agent that tries again or a person, is told the file and what the contract allows."""
        if not self.calls:
            return
        contracts = [turn.start.writes for turn in way.before.turns.values() if turn.calls]
        repairs = [f"write only {', '.join(one)}" if one else "write no file" for one in contracts]
        found = [one for decision in way.decisions for one in decision.refused if one.rule == "work.strayed"]
        for one in found:
            assert repr(places.ROSTER) in one.problem, f"{self.path(way)}: {one}"
            assert any(one.repair.startswith(repair) for repair in repairs), f"{self.path(way)}: {one}"
        told = [str(one) for start in started(way) for one in start.told]
        told += [ask.question for ask in way.after.requests.values()]
        assert not found or any(repr(places.ROSTER) in text for text in told), f"{self.path(way)}: nobody is told"

    def turns_are_of_code(self, way: Way) -> None:
        """Agents have no tool but those for files and commands; nobody has two turns out."""
        for start in started(way):
            assert {*start.tools} <= {"write_file", "run_command"}, f"{self.path(way)}: {start.tools}"
            if start.key.partition("-")[0] not in ("do", "drive"):
                assert not start.writes, f"{self.path(way)}: {start.key} may write {start.writes}"
        turns = [turn.start for turn in (*way.after.turns.values(), *way.after.parked)]
        if own_of(way.after).step == "execute":
            about = [start.key.partition("-")[2] for start in turns]
            assert len(about) == len(set(about)), f"{self.path(way)}: {[start.key for start in turns]}"

    def code_writes_only_what_it_may(self, way: Way) -> None:
        """The board, what follows from the work, instructions of tactical tasks, and evolution notes."""
        if own_of(way.before).step != "execute" or own_of(way.after).step != "execute" or "edit:" in way.label:
            return
        helping = {places.instructions(name) for name, one in work_of(way.after).workers.items() if one.serves}
        for done in way.decisions:
            for one in done.commands:
                if isinstance(one, Write):
                    mine = self._is_made(one.path) or one.path in {*helping, places.DECISIONS}
                    assert mine, f"{self.path(way)}: code writes {one.path}"
        was, now = (self.text(state, places.DECISIONS) for state in (way.before, way.after))
        assert architecture_decisions.without_evolution(was) == architecture_decisions.without_evolution(now), (
            f"{self.path(way)}: decisions"
        )
        kept = was.rstrip("\n").removesuffix("_None._")  # what stands there as long as there is no note
        assert now.startswith(kept), f"{self.path(way)}: an evolution note is gone"

    def agents_write_only_what_they_may(self, way: Way) -> None:
        placed = [one.path for done in way.decisions for one in done.commands if isinstance(one, Place)]
        if not placed:
            return
        kind, _, agent = way.label.partition(":")[0].partition("-")
        assert kind in ("do", "drive"), f"{self.path(way)}: {kind} writes {placed}"
        contract = self.shelf(way.after).contracts.agents.get(agent)
        mine = {written.path.replace("**", "work.md") for written in contract.writes} if contract else set()
        wrong = [path for path in placed if path not in mine and not path.startswith(places.output(agent))]
        assert not wrong, f"{self.path(way)}: {agent} writes {wrong}"
        assert places.manifest(agent) not in placed, f"{self.path(way)}: {agent} writes its manifest"

    def a_crash_is_tried_three_times(self, way: Way) -> None:
        for turn in way.after.turns.values():
            assert turn.crashed < 3, f"{self.path(way)}: {turn.start.key} is tried a fourth time"
        key = way.label.partition(":")[0]
        if way.label.endswith("(uncertain)"):
            assert way.after.turn_of(key) is None, f"{self.path(way)}: what may have had its effect is repeated"
            if own_of(way.before).step == "execute":
                assert key.partition("-")[2] in work_of(way.after).broken, f"{self.path(way)}: nobody is told"
        for ask in fresh_requests(way):
            if own_of(way.after).step == "execute" and ask.kind == "choice":
                assert ask.notes[PERSONS] is True, f"{self.path(way)}: anybody may settle {ask.key}"
            if ask.key.startswith(("failed-", "abandoned-")):
                assert not way.after.wanted, f"{self.path(way)}: {ask.key} before {way.after.wanted} have finished"

    def statuses_move_only_as_they_may(self, way: Way) -> None:
        """The agent of the event moves as the table says; of the others, some begin, and those who waited go on."""
        before, after = work_of(way.before), work_of(way.after)
        kind, _, agent = way.label.partition(":")[0].partition("-")
        for name, worker in after.workers.items():
            was = before.workers.get(name)
            if was is None:
                assert worker.serves, f"{self.path(way)}: {name} is new"
                continue
            if was.status == worker.status or (was.status, worker.status) == ("pending", "working"):
                continue
            pair = f"{self.path(way)}: {name} goes from {was.status} to {worker.status}"
            if kind == "edit":
                void = {"verified": ("pending", "working"), "ready_for_verification": ("working",)}
                assert worker.status in void.get(was.status, ()), pair
            elif name == agent:
                assert worker.status in MOVES[kind].get(was.status, "").split(), pair
            else:  # whom a tactical task serves, once that is verified
                assert (was.status, worker.status) == ("blocked", "working"), pair
                assert (kind, before.workers[agent].serves) == ("verify", name), pair

    def a_verdict_is_on_what_is_there(self, way: Way) -> None:
        """Who becomes verified was looked at as it is: every file of it, and with every criterion met."""
        before, after = work_of(way.before), work_of(way.after)
        shelf = self.shelf(way.after)
        for name, worker in after.workers.items():
            if worker.status != "verified" or before.workers[name].status == "verified":
                continue
            kind, _, agent = way.label.partition(":")[0].partition("-")
            poc = not worker.serves and shelf.roster.agents[name].kind == "poc"
            assert agent == name, self.path(way)
            if poc:
                assert kind in ("decide", "poc"), self.path(way)
                assert after.decided[name].decision == "proceed" or kind == "poc", self.path(way)
                continue
            assert kind == "verify", self.path(way)
            turn = way.before.turn_of(f"verify-{name}")
            assert turn is not None, self.path(way)
            seen = {ref.path: ref.sha256 for ref in turn.start.pinned}
            assert worker.files.items() <= seen.items(), f"{self.path(way)}: {worker.files} was not all seen"
            assert worker.files.items() <= way.after.docs.items(), f"{self.path(way)}: other files are there"
            assert worker.judged, f"{self.path(way)}: nothing was judged"
            assert all(one.met for one in worker.judged), f"{self.path(way)}: {worker.judged}"

    def results_are_there_while_the_last_verification_failed(self, way: Way) -> None:
        before, after = work_of(way.before), work_of(way.after)
        for name, worker in after.workers.items():
            was = before.workers.get(name)
            there = places.results(name) in way.after.docs
            if was is None:
                assert not there, f"{self.path(way)}: {name} has just begun, and is said to have failed"
            elif len(worker.failures) > len(was.failures):
                assert there, f"{self.path(way)}: {name} failed, and nobody reads why"
            elif worker.status == "verified":
                assert not there, f"{self.path(way)}: {name} is verified, and is said to have failed"
            else:
                same = there == (places.results(name) in way.before.docs)
                assert same, f"{self.path(way)}: the results of {name} come or go"

    def verified_work_is_kept(self, way: Way) -> None:
        """Only an edit voids what was verified, of the work itself or of what it was built on."""
        before, after = work_of(way.before), work_of(way.after)
        for name, worker in before.workers.items():
            if worker.status in DONE and after.workers[name].status not in DONE:
                assert way.label.startswith("edit:"), f"{self.path(way)}: the work of {name} is done again"

    def what_was_proposed_is_refused_on_record(self, way: Way) -> None:
        before, after = work_of(way.before), work_of(way.after)
        kind, _, agent = way.label.partition(":")[0].partition("-")
        taken = agent in after.workers and after.workers[agent].turns > before.workers[agent].turns
        if kind == "do" and way.label.endswith(": ready at once") and taken:
            last = after.refused[len(before.refused) :]
            found = [(one.agent, one.source, one.to) for one in last]
            assert found == [(agent, "working", "ready_for_verification")], f"{self.path(way)}: {found}"
        else:
            assert after.refused == before.refused, f"{self.path(way)}: {after.refused}"

    def nobody_starts_too_early(self, way: Way) -> None:
        """A turn goes out when everything that its agent waits for is verified, and every phase before has ended."""
        work, shelf = work_of(way.after), self.shelf(way.after)
        board = shared_status.initial(shelf.roster, shelf.sequence, 0)
        phase_of = {one.agent_name: phase.phase_id for phase in shelf.sequence.execution_phases for one in phase.agents}
        for start in started(way):
            kind, _, agent = start.key.partition("-")
            if kind not in ("do", "drive", "verify", "assess", "decide") or work.workers[agent].serves:
                continue
            waits = board.agents[agent].dependencies
            early = [name for name in waits if work.workers[name].status not in DONE]
            assert not early, f"{self.path(way)}: {start.key} starts before {early} is verified"
            if start.attempt == 1:
                who = str(start.notes.get("verifier", agent))
                for phase in shelf.sequence.execution_phases:
                    if phase.phase_id < phase_of[who]:
                        late = [one.agent_name for one in phase.agents if not _has_ended(one, work)]
                        assert late in ([], [agent]), f"{self.path(way)}: {start.key} starts before {late} has ended"

    # --- of a state ---

    def is_sound(self, way: Way) -> None:
        state, work = way.after, work_of(way.after)
        for name, worker in work.workers.items():
            if worker.status in ("ready_for_verification", *DONE):
                assert not worker.unresolved, f"{self.path(way)}: {name} is {worker.status} with open notes"
            since = len(worker.failures) - worker.forgiven
            assert since <= FAILURES, f"{self.path(way)}: {name} failed {since} times"
            assert since < FAILURES or worker.status in ("blocked", "failed"), f"{self.path(way)}: {name} goes on"
            assert worker.idle <= IDLE, f"{self.path(way)}: {name} was idle for {worker.idle} turns"
            self.notes_are_settled_by_who_may(way, name, worker)
        self.people_agreed_to_the_plan(way)
        self.what_is_verified_is_built_on_what_is_there(way)
        self.the_board_is_the_state(way)
        self.whoever_waits_is_asked_about(way)
        for name in work.decided:
            assert places.poc_review(self.shelf(state).roster.agents[name].poc_id or "") in state.docs, self.path(way)

    def notes_are_settled_by_who_may(self, way: Way, name: str, worker: Worker) -> None:
        ids = [one.note_id for one in worker.notes]
        assert len(ids) == len(set(ids)), f"{self.path(way)}: {ids}"
        for note in worker.notes:
            by_itself = note.category is not None and (
                DECIDES[note.category] == "agent_self"
                or (worker.serves and DECIDES[note.category] == "tactical_solution_architect")
            )
            assert note.resolved_by != "agent_self" or by_itself, f"{self.path(way)}: {name} settles {note}"
            if note.resolved_by == "user":
                assert note.resolution in (alphabet.ANSWER, "given up with its task"), f"{self.path(way)}: {note}"

    def people_agreed_to_the_plan(self, way: Way) -> None:
        """What is worked on is what a person approved last, as a design or as another plan, to the byte."""
        state, own = way.after, own_of(way.after)
        assert own.digest == approvals.design_digest(self.now(state)), f"{self.path(way)}: another design"
        yes = next(one for one in reversed(own.approvals) if one.gate in ("design", "adaptation"))
        plan = {path: sha for path, sha in yes.digests.items() if path in PLAN}
        assert plan.keys() == {*PLAN}, f"{self.path(way)}: {plan.keys()} is approved"
        assert plan.items() <= state.docs.items(), f"{self.path(way)}: nobody agreed to this plan"

    def what_is_verified_is_built_on_what_is_there(self, way: Way) -> None:
        state, work = way.after, work_of(way.after)
        for name, worker in work.workers.items():
            if worker.status == "verified" and not worker.serves:
                assert worker.files.items() <= state.docs.items(), f"{self.path(way)}: {name} made something else"
                old = {other: seen for other, seen in worker.read.items() if work.workers[other].version != seen}
                assert not old, f"{self.path(way)}: {name} has read {old}"

    def the_board_is_the_state(self, way: Way) -> None:
        state, own, work = way.after, own_of(way.after), work_of(way.after)
        shelf = self.shelf(state)
        board = self.explorer.shelf(_ref(state, places.STATUS), shared_status.parse)
        assert board == work_files.board(own, work, shelf), f"{self.path(way)}: the board is another"
        found = {name: (one.status, one.unresolved_notes) for name, one in board.agents.items()}
        wanted = {name: (one.status, len(one.unresolved)) for name, one in work.workers.items()}
        assert found == wanted, f"{self.path(way)}: {found}"
        unresolved = any(one.unresolved for one in work.workers.values())
        assert board.overall_completion_drive_gate == ("blocked" if unresolved else "clear"), self.path(way)
        for name, worker in work.workers.items():
            if worker.session_start is not None and worker.status != "session_complete":  # that one is put away
                session = self.explorer.shelf(_ref(state, places.session(name)), completion_notes.parse_session)
                assert session.notes == worker.notes, f"{self.path(way)}: the session of {name} is another"

    def whoever_waits_is_asked_about(self, way: Way) -> None:
        """When nothing is out, everybody who cannot go on is asked about."""
        state, work = way.after, work_of(way.after)
        if state.wanted:
            return
        asked = {ask.key.partition("-")[2] for ask in state.requests.values()}
        stuck = {name for name, one in work.workers.items() if one.status == "failed" and not one.serves}
        stuck |= {case.agent for case in work.cases if case.stage == "asked"} | work.broken.keys()
        assert stuck <= asked, f"{self.path(way)}: nobody is asked about {stuck - asked}"


def fresh_requests(way: Way) -> Iterator[Ask]:
    return (one for done in way.decisions for one in done.commands if isinstance(one, Ask))


def _has_ended(placed: Any, work: Work) -> bool:
    """Whether a phase need not wait for this one: doers were ready, doers of verifiers are verified, PoCs decided."""
    if placed.agent_type == "verifier":
        return all(work.workers[doer].status in DONE for doer in placed.verifies)
    worker = work.workers[placed.agent_name]
    if placed.agent_type == "poc":
        return worker.status in DONE
    return worker.status in ("ready_for_verification", *DONE) or bool(worker.failures)


def _ref(state: State, path: str) -> Any:
    ref = state.ref(path)
    assert ref is not None, f"there is no {path}"
    return ref


# --- keys -------------------------------------------------------------------------------------------------------------


def _work_key(work: Work) -> Any:
    return (
        tuple((name, _worker_key(worker, work)) for name, worker in sorted(work.workers.items())),
        tuple(sorted(work.verifiers.items())),
        tuple((name, one.decision) for name, one in sorted(work.decided.items())),
        tuple(sorted(work.assessed.items())),
        tuple(map(_case_key, work.cases)),
        tuple((name, one.kind) for name, one in sorted(work.broken.items())),
        str(work.proposal and work.proposal.edits),
        tuple(str(one.edits) for one in work.later),
        work.given_up, work.over, bool(work.ended), escalations.unrecorded(work),
    )  # fmt: skip


def _worker_key(worker: Worker, work: Work) -> Any:
    numbers = sorted({one.turn for one in worker.asked})
    return (
        worker.status, worker.task_id, bool(worker.turns), worker.idle, worker.reviews, worker.failing,
        len(worker.failures) - worker.forgiven,
        tuple((note.note_id, note.category, note.status, note.description) for note in worker.notes),
        tuple((numbers.index(one.turn), one.text) for one in worker.asked),
        tuple(sorted(worker.files.items())), bool(worker.version), bool(worker.ran),
        tuple((name, work.workers[name].version == v) for name, v in worker.read.items() if name in work.workers),
        tuple(one.note_id for one in worker.rulings), bool(worker.judged),
    )  # fmt: skip


def _case_key(case: Case) -> Any:
    return (
        case.agent, case.stage, tuple(case.routes.items()), tuple(sorted(case.settled)),
        tuple(sorted(case.answers.items())), tuple(sorted(case.conflicts)), case.tactical, bool(case.loop),
    )  # fmt: skip
