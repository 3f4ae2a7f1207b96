"""The smallest approved design there is, and a model behind a stub that works on it: it strays first, then it builds.

What the model does is said once, in words that every runtime has (`Writes`, `Runs`…), and put to each in its own tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import small_orchestration as small
import small_work
from design_project import RUN, Case, lay_out, scripted
from model_kit import task
from small_orchestration import Turn

from signoff.shell.runtimes.runtime import Runtime
from signoff.testing.stub import Asked, Call, Step, Stub, give
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.contracts import Criterion, FileContract, Written
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.outputs import CheckpointsOutput, ContractsOutput

AGENT = small.ONE
VERIFIER = default_verifier(AGENT)
MODULE, TESTS = "app/garden.py", "tests/test_garden.py"
USAGE, MANUAL = f"{places.output(AGENT)}usage.md", "README.md"
COMMAND: Final = f"python -m pytest {TESTS} -q -p no:cacheprovider"
FORBIDDEN: Final = "git push origin main"

BUILT = '''\
def is_watered(hour: int) -> bool:
    """Whether the beans are watered in this hour of the day."""
    return hour == 5
'''
TESTED = """\
from app.garden import is_watered


def test_beans_are_watered_at_dawn_and_never_else() -> None:
    print("watered at", [hour for hour in range(24) if is_watered(hour)])
    assert [hour for hour in range(24) if is_watered(hour)] == [5]
"""
OLD, NEW = "return hour == 5", "return hour == 5  # dawn"
LINE = "1 passed"


# --- what a model does, in words that every runtime has ---------------------------------------------------------------


@dataclass(frozen=True)
class Writes:
    """A file that is written whole."""

    path: str
    text: str = "x\n"


@dataclass(frozen=True)
class Reads:
    path: str


@dataclass(frozen=True)
class Changes:
    """A file that was read before, changed in one place."""

    path: str
    old: str
    new: str
    text: str


@dataclass(frozen=True)
class Runs:
    command: str


Act = Writes | Reads | Changes | Runs | Call
Speaks = Callable[[Act], Call]


def to_claude_code(act: Act) -> Call:
    """The tools of Claude Code, and ours as it calls them."""
    match act:
        case Writes():
            return Call("Write", {"file_path": act.path, "content": act.text})
        case Reads():
            return Call("Read", {"file_path": act.path})
        case Changes():
            return Call("Edit", {"file_path": act.path, "old_string": act.old, "new_string": act.new})
        case Runs():
            return Call("mcp__signoff__run_command", {"command": act.command})
    return act


def to_model(act: Act) -> Call:
    """The tools of the runtime `model`."""
    match act:
        case Writes() | Changes():
            return Call("write_file", {"path": act.path, "text": act.text})
        case Reads():
            return Call("read_input", {"path": act.path})
        case Runs():
            return Call("run_command", {"command": act.command})
    return act


# --- what it does in which turn ---------------------------------------------------------------------------------------

NOTE = {"description": "Dawn is taken for five o'clock.", "context": f"`{MODULE}`", "category": "implementation"}
WORK: Sequence[Act] = (
    Writes(MODULE, BUILT),
    Writes(TESTS, TESTED),
    Writes(USAGE, "# Usage\n\n`is_watered` says whether the beans are watered in an hour.\n"),
    Runs(COMMAND),
)
STRAYS: Sequence[Act] = (
    Writes(MODULE, BUILT),
    Writes(MANUAL),
    Writes(places.STATUS, "{}"),
    Runs(FORBIDDEN),
    Call("Bash", {"command": FORBIDDEN}),
)
REVIEW: Sequence[Act] = (
    Reads(MODULE),
    Changes(MODULE, OLD, NEW, BUILT.replace(OLD, NEW)),
    Runs(COMMAND),
)
TURNS: Final[Mapping[tuple[str, int], Sequence[Act]]] = {
    ("work", 1): STRAYS,
    ("work", 2): WORK,
    ("review", 1): REVIEW,
    ("verdict", 1): (Writes(MODULE, "def is_watered(hour: int) -> bool: return True\n"),),
    ("verdict", 2): (Runs(COMMAND),),
}
"""Both say in their first attempt what they say in the second, which is true then: that a command ran, and passed."""


@dataclass
class Worker:
    """The model: `speaks` puts an act in the tools that it has; `order` are the turns as they came."""

    criteria: Sequence[Mapping[str, Any]]
    speaks: Speaks
    order: list[str] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Step:
        turn, attempt = task(asked)
        if turn not in self.order:
            self.order.append(turn)
        kind = ("work", "review", "verdict")[self.order.index(turn)]
        acts = TURNS[kind, attempt]
        done = results(asked)
        if done < len(acts):
            return Step(calls=(self.speaks(acts[done]),))
        return give(self.output(kind))

    def output(self, kind: str) -> dict[str, Any]:
        ids = [one["id"] for one in self.criteria]
        if kind == "verdict":
            seen = [{"id": name, "met": True, "evidence": "It was run"} for name in ids]
            return {"result": "pass", "criteria": seen, "missing_evidence": []}
        shown = [{"criterion": name, "shows": "one test, passed", "command": COMMAND, "path": TESTS} for name in ids]
        review = kind == "review"
        settled = {"note_id": "note_001", "status": "resolved", "resolution": "The plan says dawn, and this is June."}
        return {
            "status": "ready_for_verification" if review else "completion_drive_review",
            "summary": f"{MODULE} says when the beans are watered.",
            "notes": [NOTE | (settled if review else {"status": "open"})],
            "evidence": shown,
        }


def results(asked: Asked) -> int:
    """How many calls have come back in this conversation, in either protocol."""
    said = asked.body["messages"]
    blocks = [block for one in said if isinstance(one.get("content"), list) for block in one["content"]]
    return sum(one["role"] == "tool" for one in said) + sum(block.get("type") == "tool_result" for block in blocks)


# --- the design -------------------------------------------------------------------------------------------------------


def contract(_turn: Turn) -> str:
    """One doer, which writes a module, its tests and a page on them."""
    written = tuple(Written(path=path) for path in (MODULE, TESTS, USAGE))
    return small.raw(ContractsOutput(agents={AGENT: FileContract(writes=written)}))


def criterion(_turn: Turn) -> str:
    """What a command shows."""
    shown = Criterion(id="c_watered", text="Beans are watered at dawn", evidence="Its output", command=COMMAND)
    return small.raw(CheckpointsOutput(checkpoints=(small.checkpoint(AGENT, criteria=(shown,)),)))


def approved(folder: Path) -> Case:
    """A design with one doer and its verifier that a person has signed; nothing of the work is done."""
    says = {
        "file-structure-designer": contract, "checkpoint-designer": criterion, "poc-recommendation": small_work.borne,
    }  # fmt: skip
    case = Case(lay_out(folder))
    case.agree(scripted(says, doers=(AGENT,)))
    assert {AGENT, VERIFIER} == {*case.json(places.SEQUENCE)["dependency_graph"]}
    return case


def worker(case: Case, speaks: Speaks) -> Worker:
    [point] = case.json(places.CHECKPOINTS)["checkpoints"]
    return Worker(point["criteria"], speaks)


def events(case: Case, kind: str) -> list[dict[str, Any]]:
    """What stands in the journal of this kind."""
    return [one for one in case.events if one["type"] == kind]


def brief(case: Case, turn: str, attempt: int) -> str:
    return case.text(f"_workflow/orchestration/{RUN}/turns/{turn}/brief-{attempt}.md")


def expect_worked(case: Case, stub: Stub, model: Worker, runtime: Runtime) -> None:
    """The whole of it: what is refused is recorded and fails the turn, and only what really ran counts."""
    state = case.drive(runtime)
    assert state.stop == "complete", case.waits_for
    tried = list(dict.fromkeys(task(one) for one in stub.asked if "# Task " in one.text))
    work, review, verdict = model.order
    first = model.criteria[0]["id"]
    assert tried == [(work, 1), (work, 2), (review, 1), (verdict, 1), (verdict, 2)]

    recorded = [(one["turn"], one["tool"], one["args"]) for one in events(case, "called")]
    assert recorded == [
        (work, "write_file", {"path": MANUAL}),
        (work, "write_file", {"path": places.STATUS}),
        (work, "run_command", {"command": FORBIDDEN}),
        (work, "Bash", {"command": FORBIDDEN}),
        (verdict, "write_file", {"path": MODULE}),
    ]
    assert not (case.root / MANUAL).exists()
    told = brief(case, work, 2)
    for path in (MANUAL, places.STATUS):
        assert f"work.strayed: write_file went beyond the contract of the turn: {path!r}" in told
    assert f"evidence.command: the evidence for {first} names '{COMMAND}', which was not run" in told
    told = brief(case, verdict, 2)
    assert f"work.strayed: write_file is not a tool here: {MODULE!r}. Repair: write no file" in told
    assert f"verdict.command: {first} is judged as met, and '{COMMAND}' was not run" in told

    returned = {(one["turn"], one["attempt"]): one for one in events(case, "turn_returned")}
    for one in ((work, 1), (verdict, 1)):
        assert returned[one]["ran"] == []
    for one in ((work, 2), (review, 1), (verdict, 2)):
        [ran] = returned[one]["ran"]
        assert (ran["command"], ran["code"], LINE in ran["output"]) == (COMMAND, 0, True)

    seen = brief(case, verdict, 1)
    assert (COMMAND in seen, LINE in seen, NOTE["description"] in seen, NEW in seen) == (True, True, True, True)
    assert case.text(MODULE) == BUILT.replace(OLD, NEW)
    assert case.json(places.STATUS)["agents"][AGENT]["status"] == "session_complete"
    assert all(path in case.text(places.manifest(AGENT)) for path in (MODULE, TESTS, USAGE))


def offered(stub: Stub, turn: str) -> set[str]:
    """The tools that a turn was offered in its first request."""
    return set(next(one.tools for one in stub.asked if "# Task " in one.text and task(one)[0] == turn))
