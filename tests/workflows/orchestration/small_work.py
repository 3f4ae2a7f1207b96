"""Everything that agents and people may say while a small design is worked on: good, wrong and forged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import small_orchestration as small
from small_orchestration import ACTIONS, MALFORMED, ONE, TWO, Editor, Edits, Turn, raw

from signoff.core.commands import Ask
from signoff.core.events import Ran
from signoff.core.state import State
from signoff.testing.explorer import Given
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.contracts import Criterion
from signoff.workflows.orchestration.outputs import (
    Assessed,
    AssessmentOutput,
    CheckpointsOutput,
    ContractsOutput,
    Evidence,
    Judged,
    LoopOutput,
    PocDecisionOutput,
    ResolutionOutput,
    Ruling,
    TacticalOutput,
    VerdictOutput,
    WorkOutput,
)
from signoff.workflows.orchestration.state import Shelf, own_of
from signoff.workflows.orchestration.work.notes import Said as Note
from signoff.workflows.orchestration.work.progress import Work

Said = Iterable[tuple[str, str | Given]]
COMMAND = "python -m pytest tests"
GROUND = "One table"
"""A heading of the decisions, word for word."""
ASKED: Final = {
    "technology": "Which driver is to be used for it",
    "security": "Who is let in",
    "requirement": "How many rows are there at most",
    "conflict": "The plan says both yes and no",
    "implementation": "The order of the columns does not matter",
}
ANSWER = "A thousand."
RESCOPE = {
    "edit": "rescope", "agent": ONE, "role": "Do it another way", "plan_actions": list(ACTIONS[ONE]),
    "plan_action_sources": list(ACTIONS[ONE]), "reason": "It is simpler",
}  # fmt: skip
IMPOSSIBLE = {"edit": "remove_agent", "name": "nobody_agent", "reason": "So"}


def work_of(state: State) -> Work:
    work = own_of(state).work
    assert work is not None, "the work has begun"
    return work


# --- designs that are worked on ---------------------------------------------------------------------------------------


def borne(turn: Turn) -> str:
    """No PoC: the risk is borne."""
    return dict(small.pocs(turn))["borne"]


def shown_by_a_command(turn: Turn) -> str:
    """Checkpoints that a command shows."""
    proofs = (
        small.checkpoint(
            name, criteria=(Criterion(id=f"c_{name}", text="The tests pass", evidence="Its output", command=COMMAND),)
        )
        for name in turn.there
    )
    return raw(CheckpointsOutput(checkpoints=tuple(proofs)))


def sharing(turn: Turn) -> str:
    """Contracts under which two doers write the same file, one after the other."""
    good = ContractsOutput.model_validate_json(dict(small.contracts(turn))["good"])
    agents = {
        name: one.model_copy(update={"writes": (*one.writes, one.writes[0].model_copy(update={"path": "src/app.py"}))})
        for name, one in good.agents.items()
    }
    return raw(ContractsOutput(agents=agents))


# --- work -------------------------------------------------------------------------------------------------------------


def note(category: str | None, status: str = "open", text: str = "", **fields: Any) -> Note:
    description = text or ASKED[category or "implementation"]
    more: dict[str, Any] = {"escalated": {"escalation_reason": "It is not mine to settle"}}.get(status, {})
    return Note(description=description, context="At work", category=category, status=status, **{**more, **fields})


def escalates(*categories: str | None) -> tuple[Note, ...]:
    return tuple(note(category, "escalated") for category in categories)


def criteria(turn: Turn) -> list[dict[str, Any]]:
    return [one for point in turn.notes.get("criteria", ()) for one in point["criteria"]]


def made(turn: Turn) -> dict[str, str]:
    name = turn.notes["agent"]
    return {path.replace("*", "work.md"): f"The work of {name}.\n" for path in turn.start.writes}


def worked(turn: Turn, **fields: Any) -> WorkOutput:
    evidence = tuple(Evidence(criterion=one["id"], shows="It prints 1 passed") for one in criteria(turn))
    given: dict[str, Any] = {"status": "completion_drive_review", "summary": "It is done", "evidence": evidence}
    return WorkOutput(**{**given, **fields})


def do(turn: Turn) -> Said:
    """What a doer or a PoC gives back from its work."""
    name, files = turn.notes["agent"], made(turn)

    def gives(more_files: Mapping[str, str] = {}, **fields: Any) -> Given:
        return Given(raw=raw(worked(turn, **fields)), files={**files, **more_files})

    yield "good", gives()
    yield "another version", gives({path: text + "Better.\n" for path, text in files.items()})
    yield "unfinished", gives(status="working")
    red = (Ran(command=COMMAND, code=1, output="E  no such table: users\n1 failed"),)
    yield "unfinished, and its tests fail", replace(gives(status="working"), ran=red)
    named = f"This is not built: {', '.join(one['id'] for one in criteria(turn))}"
    unbuilt = note("requirement", "escalated", text=named, escalation_reason="Who wants it can do without it")
    yield "cannot build it", gives(status="blocked", notes=(unbuilt,))
    yield "ready at once", gives(status="ready_for_verification")
    yield "assumes", gives(notes=(note("implementation"),))
    yield "blocked by nothing", gives(status="blocked")
    yield "says verified", Given(raw=small.adding(worked(turn), status="verified"), files=files)
    yield "sets its own note", Given(raw=small.adding(worked(turn), resolved_by="user"), files=files)
    yield "writes elsewhere", gives({places.ROSTER: "{}"})
    yield "writes to another", gives({f"{places.output('other_agent')}work.md": "Mine"})
    yield "writes its manifest", gives({places.manifest(name): "{}"})
    unrun = Evidence(criterion="c", shows="It passes", command="python -m pytest nothing")
    yield "claims a command", gives(evidence=(unrun,))
    nowhere = Evidence(criterion="c", shows="It is there", path="docs/nowhere.md")
    yield "claims a file", gives(evidence=(nowhere,))
    ran = (Ran(command=COMMAND, code=0, output="1 passed"),)
    shown = Evidence(criterion="c", shows="It passes", command=COMMAND)
    yield "ran it", replace(gives(evidence=(shown,)), ran=ran)
    settles = note("security", "resolved", resolution="Everybody is")
    yield "settles security", gives(notes=(settles,))
    spoken = note("implementation", "resolved", text="The password is kept plain", resolution="So be it")
    yield "settles a keyword", gives(notes=(spoken,))
    yield "settles what has no category", gives(notes=(note(None, "resolved", resolution="So"),))
    yield "a note of others", gives(notes=(note("implementation", note_id="note_099"),))
    yield "no reason", gives(notes=(note("security", "escalated", escalation_reason=" "),))
    for category in ("technology", "requirement", "conflict", None):
        yield f"asks {category}", gives(status="blocked", notes=escalates(category))
    yield "asks two", gives(status="blocked", notes=escalates("technology", "requirement"))
    yield "asks all", gives(status="blocked", notes=escalates("technology", "requirement", "conflict"))
    yield "malformed", MALFORMED


def drive(turn: Turn) -> Said:
    """What it gives back from the review of it."""
    known = [Note(**_taken_up(one)) for one in turn.notes.get("notes", ()) if one["status"] != "resolved"]
    settled = tuple(one.model_copy(update={"status": "resolved", "resolution": "It holds"}) for one in known)
    ready: dict[str, Any] = {"status": "ready_for_verification"}
    yield "good", raw(worked(turn, notes=settled, **ready))
    yield "leaves it open", raw(worked(turn, notes=tuple(known), **ready))
    yield "back to work", raw(worked(turn, status="working"))
    yield "reviews again", raw(worked(turn, status="completion_drive_review"))
    yield "blocked by nothing", raw(worked(turn, status="blocked"))
    moved = tuple(
        one.model_copy(update={"category": "security", "status": "resolved", "resolution": "So"}) for one in known
    )
    yield "settles it as security", raw(worked(turn, notes=moved, **ready))
    done = [Note(**_taken_up(one)) for one in turn.notes.get("notes", ()) if one["status"] == "resolved"]
    again = tuple(one.model_copy(update={"status": "open"}) for one in done)
    yield "reopens what is settled", raw(worked(turn, notes=again, **ready))
    yield "asks requirement", raw(worked(turn, status="blocked", notes=escalates("requirement")))
    yield "writes elsewhere", Given(raw=raw(worked(turn, **ready)), files={"src/secret.py": "x = 1\n"})
    yield "malformed", MALFORMED


def _taken_up(known: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("note_id", "description", "context", "category", "status")
    more = {"escalation_reason": known["escalation_reason"]} if known["status"] == "escalated" else {}
    return {**{name: known[name] for name in fields if name in known}, **more}


# --- tactical work ----------------------------------------------------------------------------------------------------


def rulings(turn: Turn) -> tuple[Ruling, ...]:
    asked = [one["note_id"] for one in turn.notes.get("escalated", ())]
    return tuple(Ruling(note_id=name, decision="The plain one", ground=GROUND) for name in asked)


def tactical(turn: Turn) -> Said:
    found = rulings(turn)
    end = "ready_for_verification" if turn.notes["mode"] == "review" else "completion_drive_review"

    def gives(**fields: Any) -> str:
        given: dict[str, Any] = {"status": end, "summary": "It is ruled", "rulings": found}
        return raw(TacticalOutput(**{**given, **fields}))

    yield "good", gives()
    yield "unfinished", gives(status="working", rulings=())
    yield "no ground", gives(rulings=tuple(one.model_copy(update={"ground": "I think so"}) for one in found))
    yield "short ground", gives(rulings=tuple(one.model_copy(update={"ground": "One"}) for one in found))
    yield (
        "rules on another",
        gives(rulings=(*found, *(one.model_copy(update={"note_id": "note_099"}) for one in found))),
    )
    yield "leaves one out", gives(rulings=found[1:])
    yield "settles security", gives(notes=(note("security", "resolved", resolution="Nobody is"),))
    yield "settles requirement", gives(notes=(note("requirement", "resolved", resolution="Ten"),))
    for category in ("technology", "requirement", "conflict"):
        yield f"asks {category}", gives(status="blocked", notes=escalates(category))
    yield "malformed", MALFORMED


# --- what is found of it ----------------------------------------------------------------------------------------------


def verify(turn: Turn) -> Said:
    met = tuple(Judged(id=one["id"], met=True, evidence="It was seen") for one in criteria(turn))
    unmet = tuple(one.model_copy(update={"met": False}) for one in met)
    commands = [one["command"] for one in criteria(turn) if one.get("command")]
    ran = tuple(Ran(command=one, code=0, output="1 passed") for one in commands)
    broken = tuple(Ran(command=one, code=1, output="1 failed") for one in commands)
    good = raw(VerdictOutput(result="pass", criteria=met))
    failing = VerdictOutput(result="fail", criteria=unmet, missing_evidence=("A run of the tests",))
    yield "good", Given(raw=good, ran=ran)
    yield "fail", Given(raw=raw(failing), ran=broken)
    yield "fail, all met", Given(raw=raw(failing.model_copy(update={"criteria": met})), ran=ran)
    yield "passes what is not met", Given(raw=raw(VerdictOutput(result="pass", criteria=unmet)), ran=ran)
    yield "passes with something missing", raw(failing.model_copy(update={"result": "pass", "criteria": met}))
    aside = tuple(one.model_copy(update={"left_out": True}) for one in unmet)
    yield "leaves all out", Given(raw=raw(VerdictOutput(result="pass", criteria=aside)), ran=ran)
    yield "fails and does not say why", raw(VerdictOutput(result="fail", criteria=unmet))
    strange = (*met, Judged(id="c_nobody", met=True, evidence="It was seen"))
    yield "judges what nobody asked", Given(raw=raw(VerdictOutput(result="pass", criteria=strange)), ran=ran)
    yield "judges twice", Given(raw=raw(VerdictOutput(result="pass", criteria=(*met, *met))), ran=ran)
    if commands:
        yield "passes without running it", good
        yield "passes what the command fails", Given(raw=good, ran=broken)
    yield "writes", Given(raw=good, ran=ran, files={f"{places.output(turn.notes['agent'])}work.md": "Mended\n"})
    yield "malformed", MALFORMED


def assess(turn: Turn) -> Said:
    wanted = [one["id"] for one in criteria(turn)]
    outcomes = {
        "pass": {name: "_pass_" in name for name in wanted},
        "partial": dict.fromkeys(wanted, False),
        "fail": {name: "_pass_" not in name for name in wanted},
    }
    for result, found in outcomes.items():
        judged = tuple(Assessed(id=name, met=met, evidence="The log") for name, met in found.items())
        said = AssessmentOutput(assessment=result, criteria=judged, rationale="It was tried")
        yield "good" if result == "pass" else result, raw(said)
        if result == "fail":
            yield "calls it a pass", raw(said.model_copy(update={"assessment": "pass"}))
            yield "leaves one out", raw(said.model_copy(update={"criteria": judged[1:]}))
    yield "malformed", MALFORMED


def decide(turn: Turn) -> Said:
    passed = turn.notes["assessment"] == "pass"
    yield "good" if passed else "proceeds against it", decided("proceed")
    yield "escalate" if passed else "good", decided("escalate")
    yield "adapt", decided("adapt", RESCOPE)
    yield "adapt by nothing", decided("adapt")
    yield "adapt by what cannot be", decided("adapt", IMPOSSIBLE)
    yield "proceeds with edits", decided("proceed", RESCOPE)
    yield "malformed", MALFORMED


def decided(decision: str, *edits: Mapping[str, Any]) -> str:
    return raw(PocDecisionOutput(decision=decision, rationale="It was tried", edits=edits))


# --- what is settled --------------------------------------------------------------------------------------------------


def settle(turn: Turn) -> Said:
    """An answer that is cleared, or a conflict that is settled."""
    asked = [one["note_id"] for one in turn.notes.get("escalated", ())]
    given = turn.notes.get("answers") or dict.fromkeys(asked, "The plan means yes")
    good = ResolutionOutput(resolutions={name: given[name] for name in asked})
    conflicts = dict.fromkeys(asked, f"It breaks the task of {TWO}")
    yield "good", raw(good)
    yield "conflict", raw(ResolutionOutput(conflicts=conflicts))
    yield "changes the plan", raw(ResolutionOutput(resolutions=good.resolutions, edits=(RESCOPE,)))
    yield "other words", raw(ResolutionOutput(resolutions=dict.fromkeys(asked, "A million.")))
    yield "nothing", raw(ResolutionOutput())
    yield "both", raw(ResolutionOutput(resolutions=good.resolutions, conflicts=conflicts))
    yield "a strange note", raw(ResolutionOutput(resolutions={**good.resolutions, "note_099": "Yes"}))
    yield "malformed", MALFORMED


def loop(_turn: Turn) -> Said:
    good = LoopOutput(root_cause="unclear_requirements", explanation="Nobody said it", questions=("How many?",))
    yield "good", raw(good)
    yield "changes the plan", raw(LoopOutput(root_cause="planning_gap", explanation="It is missing", edits=(RESCOPE,)))
    yield "nothing", raw(good.model_copy(update={"questions": ()}))
    yield "malformed", MALFORMED


NOTING: Final = {
    "assumes", "asks two", "asks all", "settles security",
    *(f"asks {category}" for category in ("technology", "requirement", "conflict", None)),
}  # fmt: skip
"""What leaves a note behind that was not there before."""
WRONG: Final = {
    "blocked by nothing", "says verified", "sets its own note", "writes elsewhere", "writes to another",
    "writes its manifest", "claims a command", "claims a file", "settles security", "settles a keyword",
    "settles what has no category", "a note of others", "no reason", "malformed",
}  # fmt: skip
"""What a doer does not get away with."""

SPEAKERS: Final[Mapping[str, Callable[[Turn], Said]]] = {
    "do": do, "drive": drive, "verify": verify, "assess": assess, "decide": decide, "clear": settle, "resolve": settle,
    "loop": loop,
}  # fmt: skip


def said(turn: Turn) -> dict[str, str | Given]:
    """Everything that the agent of a turn of the work may say, by its label."""
    kind = turn.start.key.partition("-")[0]
    speaker = tactical if turn.start.contract == "tactical" else SPEAKERS[kind]
    return dict(speaker(turn))


# --- what people may answer -------------------------------------------------------------------------------------------

Answers = Iterable[tuple[str, str, Mapping[str, Any]]]


def answers(_state: State, ask: Ask) -> Answers:
    """Everything that can be said to a request of the work, and what was not asked for."""
    yield "something else", "launch", {}
    if ask.kind == "approval":
        yield "approve", "approve", {}
        yield "reject", "reject", {"reason": "It is too late"}
        return
    if ask.kind in ("stale", "budget", "escalation"):
        yield "resume", "resume", {}
        return
    for option in ask.options:
        if option == "answer":
            wanted = [*ask.notes["asked"]]
            yield "answer", "answer", {"answers": dict.fromkeys(wanted, ANSWER)}
            yield "answer by a line each", "answer", {"note": "\n".join(f"{name}: {ANSWER}" for name in wanted)}
            yield "answer one", "answer", {"answers": dict.fromkeys(wanted[:1], ANSWER)}
            yield "answer nothing", "answer", {}
        elif option == "adapt":
            yield "adapt", "adapt", {"edits": [RESCOPE], "note": "It is simpler"}
            yield "adapt by nothing", "adapt", {}
            yield "adapt by what is no edit", "adapt", {"edits": [{"edit": "launch"}]}
        else:
            yield option, option, {"note": "Do it like this"}


def answering(*labels: str) -> Callable[[State, Ask], Answers]:
    """A person who says nothing else."""
    return lambda state, ask: [one for one in answers(state, ask) if one[0] in labels]


# --- what people may edit ---------------------------------------------------------------------------------------------


def output_of(name: str) -> Editor:
    """What an agent has made, there and back."""
    return small.toggled(small.output(name), "The work of", "A person's work, not that of")


def planted(_shelf: Shelf) -> Edits:
    """Files that only code writes."""
    yield "a verdict planted", {places.results(ONE): json.dumps({"result": "fail"})}
    yield "a manifest planted", {places.manifest(ONE): "{}"}
    yield "a session planted", {places.session(ONE): "{}"}
    yield "the status forged", {places.STATUS: "{}"}
