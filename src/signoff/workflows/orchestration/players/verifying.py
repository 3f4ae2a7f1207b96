"""The verifier: it runs what shows that the criteria are met, and looks at the files that the evidence names.

What did not run in the doer's turn and does not end well here is not shown, whatever the doer says of it. A criterion
is met by tests that touch the program and are about it, or by a handover that says what the files say; what this
verifier cannot tell by that is not shown. It looks for the ways to fail that the checkpoint names as well: where the
doer has tests, one of them has to speak of each.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.permissions import may_run
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checkpoints import Checkpoint, Criterion, FailureMode
from signoff.workflows.orchestration.players import tables
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.doing import Ran
from signoff.workflows.orchestration.players.layout import QUIET
from signoff.workflows.orchestration.players.openings import UNTESTED
from signoff.workflows.orchestration.players.proving import Proof, alone, lacking, proofs
from signoff.workflows.orchestration.players.unbuilt import left_out
from signoff.workflows.wording import clipped, covered

ENOUGH: Final = 0.6
"""So much of a way to fail a test has to speak of."""
_TEST: Final = re.compile(r"`(test_\w+)`")
_NAME: Final = re.compile(r"`([A-Za-z_][\w.]*)`")
_HANDOVER: Final = re.compile(r"`([^`]+\.md)` has .*as they are in the files\.\Z", re.DOTALL)
_STATED: Final = re.compile(r"## |\| `|The (?:unique )?index `")
_SHORT: Final = 160
_FEW: Final = 6


class Sight:
    """What a verifier has before it, and what it ran."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.points = tuple(Checkpoint.model_validate(one) for one in desk.notes.get("criteria") or ())
        self.evidence: Mapping[str, list[Mapping[str, Any]]] = _by_criterion(desk.notes.get("evidence") or ())
        self.left_out = left_out(desk.notes.get("notes") or ())

    @cached_property
    def claimed(self) -> frozenset[str]:
        """The commands that really ran in the doer's turn."""
        return frozenset(_command(one) for one in self.desk.notes.get("ran") or ())

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The files, but for the instructions: what is told to agents shows nothing."""
        return {path: self.desk.text(path) for path in sorted(self.desk.files) if not path.endswith("instructions.md")}

    @cached_property
    def proofs(self) -> Sequence[Proof]:
        """The tests of the work."""
        return proofs(self.texts)

    @cached_property
    def ran(self) -> Mapping[str, Ran]:
        """What was run again: the commands of the criteria, else the tests that there are."""
        judged = [one for point in self.points for one in point.criteria if one.id not in self.left_out]
        listed = [one.command for one in judged if one.command]
        wanted = listed or [
            f"python -m pytest {path} -q {QUIET}" for path in dict.fromkeys(p.path for p in self.proofs)
        ]
        found = dict[str, Ran]()
        for command in dict.fromkeys(wanted):
            if may_run(shlex.split(command), self.desk.assignment.start.runs):
                found[command] = Ran.of(command, self.desk.tools.run(command))
        return found

    def run_of(self, criterion: Criterion) -> Ran | None:
        """What was run for a criterion; where it names no command, the first that did not end well, or any."""
        if criterion.command:
            return self.ran.get(criterion.command)
        return max(self.ran.values(), key=lambda one: one.code != 0, default=None)


def _work(desk: Desk) -> Payload:
    if desk.notes.get("escalated"):
        return _verdict([{"id": name, "wrong": wrong, "seen": seen} for name, wrong, seen in _ruled(desk)])
    sight = Sight(desk)
    return _verdict([_judged(one, point, sight) for point in sight.points for one in point.criteria])


def _judged(criterion: Criterion, point: Checkpoint, sight: Sight) -> dict[str, str]:
    if said := sight.left_out.get(criterion.id):
        return {"id": criterion.id, "left_out": f"nothing was built for it; a person said: “{clipped(said, _SHORT)}”"}
    wrong = next(_problems(criterion, point, sight), "")
    return {"id": criterion.id, "wrong": wrong, "seen": _seen(criterion, sight)}


def _verdict(judged: Sequence[Mapping[str, str]]) -> Payload:
    """A verdict from what is wrong with each criterion; whoever has nothing to hold anything against passes nothing."""
    found = judged or [{"id": "none", "wrong": "there is no criterion to hold the work against"}]
    missing = [f"{one['id']}: {one['wrong']}" for one in found if one.get("wrong")]
    return {
        "result": "fail" if missing else "pass",
        "criteria": [_said(one) for one in found],
        "missing_evidence": missing,
    }


def _said(one: Mapping[str, str]) -> dict[str, Any]:
    if one.get("left_out"):
        return {"id": one["id"], "met": False, "left_out": True, "evidence": one["left_out"]}
    wrong = one.get("wrong")
    return {"id": one["id"], "met": not wrong, "evidence": wrong or one.get("seen") or "it was looked at"}


def _by_criterion(given: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found = dict[str, list[Mapping[str, Any]]]()
    for one in given:
        found.setdefault(str(one.get("criterion")), []).append(one)
    return found


def _command(ran: Any) -> str:
    """The command of a record, whichever way it is told."""
    return str(ran.get("command")) if isinstance(ran, Mapping) else str(ran).partition(" -> exit code")[0]


# --- one criterion ----------------------------------------------------------------------------------------------------


def _problems(criterion: Criterion, point: Checkpoint, sight: Sight) -> Iterator[str]:
    """What is not shown of a criterion, the plainest first; nothing where it is met."""
    shown, ran = sight.evidence.get(criterion.id) or [], sight.run_of(criterion)
    if ran is not None and ran.code != 0:
        yield f"`{ran.command}` ended with {ran.ended}: {_last(ran)}"
    if criterion.command and ran is None:
        yield f"`{criterion.command}` could not be run here"
    for one in shown:
        yield from _unproven(one, sight)
    yield from _unshown(criterion, shown, ran, sight)
    for mode in _modes(criterion, point):
        if sight.proofs and not _is_tested(mode, sight) and not _is_settled(mode, sight):
            where = ", ".join(f"`{path}`" for path in dict.fromkeys(one.path for one in sight.proofs))
            yield f"{UNTESTED}{where} shows this way to fail: {mode.mode}. Then: {mode.remediation}"


def _unproven(one: Mapping[str, Any], sight: Sight) -> Iterator[str]:
    """What an item of evidence names and is not there: a command that did not run, a file, a test."""
    command, path = str(one.get("command") or ""), str(one.get("path") or "")
    if command and command not in sight.claimed:
        yield f"the evidence names `{command}`, and no such command ran in the turn"
    if path and not sight.desk.data(path):
        yield f"the evidence names `{path}`, which is not there or is empty"
    known = {proof.name for proof in sight.proofs}
    if unknown := [name for name in _TEST.findall(str(one.get("shows") or "")) if name not in known]:
        yield f"the evidence names the test `{unknown[0]}`, which is not there"


def _unshown(criterion: Criterion, shown: Sequence[Mapping[str, Any]], ran: Ran | None, sight: Sight) -> Iterator[str]:
    """A criterion is shown by a handover that is as the files are, or by tests of the program that are about it."""
    if found := _HANDOVER.match(criterion.text):
        if not shown:
            yield f"there is no evidence; wanted: {criterion.evidence}"
        yield from _not_as_in_files(found[1], sight)
        return
    usable = [one for one in sight.proofs if one.reaches and not (one.skips and ran and "skipped" in ran.output)]
    names = {name for one in shown for name in _TEST.findall(str(one.get("shows") or ""))}
    named = [one for one in usable if one.name in names]
    if alone(criterion.text, usable) and ran is not None:
        return
    if not named:
        yield f"there is no evidence; wanted: {criterion.evidence}; no test that touches the program is named for it"
    elif words := lacking(criterion.text, named):
        tests = ", ".join(f"`{one.name}`" for one in named)
        yield f"{tests} does not speak of this part of it: {', '.join(words[:_FEW])}"
    if ran is None:
        yield "no command that shows it could be run here"


def _not_as_in_files(path: str, sight: Sight) -> Iterator[str]:
    """A handover has to speak of what is in the files: every name in it stands in one, and of tables every line."""
    text = sight.texts.get(path, "")
    if not text.strip():
        yield f"`{path}` is not there or is empty"
        return
    others = " ".join(said for one, said in sight.texts.items() if one != path)
    names = dict.fromkeys(_NAME.findall(text))
    if strange := [name for name in names if name.rpartition(".")[2] not in others]:
        yield f"`{path}` speaks of `{strange[0]}`, which is in no file"
    if path.endswith("/schema.md"):
        yield from _another_schema(path, text, sight)


def _another_schema(path: str, text: str, sight: Sight) -> Iterator[str]:
    """What a description of tables says otherwise than the scripts, and what it leaves out."""
    scripts = {one: said for one, said in sight.texts.items() if one.endswith(".up.sql") and f"`{one}`" in text}
    made, said = [_lines(tables.facts([one])) for one in scripts.values()], _lines(text.splitlines())
    wanted = [line for lines in made for line in lines]
    if not wanted:
        yield f"`{path}` names no script that creates a table"
    for line in wanted:
        if line not in said:
            yield f"`{path}` does not say what {' and '.join(f'`{one}`' for one in scripts)} has: {line}"
    for line in said:
        if line not in wanted:
            yield f"`{path}` says what {' and '.join(f'`{one}`' for one in scripts)} does not have: {line}"


def _lines(text: Iterable[str]) -> list[str]:
    """What a description of tables states: its tables, their columns and indexes."""
    return [squeeze(line) for line in text if _STATED.match(line)]


def _modes(criterion: Criterion, point: Checkpoint) -> list[FailureMode]:
    """The ways to fail that are nearest to a criterion; each belongs to one."""
    return [mode for mode in point.failure_modes if _nearest(mode, point) == criterion.id]


def _nearest(mode: FailureMode, point: Checkpoint) -> str:
    words = f"{mode.mode} {mode.remediation}"
    return max(point.criteria, key=lambda one: covered(words, one.text)).id


def _is_tested(mode: FailureMode, sight: Sight) -> bool:
    return any(covered(mode.mode, one.said) >= ENOUGH for one in sight.proofs if one.reaches)


def _is_settled(mode: FailureMode, sight: Sight) -> bool:
    """Whether a person was asked about a way to fail that nobody knows a test for, and has answered."""
    by_person = (one for one in sight.desk.notes.get("notes") or () if one.get("resolved_by") == "user")
    return any(mode.mode in str(one.get("description") or "") for one in by_person)


def _seen(criterion: Criterion, sight: Sight) -> str:
    ran = None if _HANDOVER.match(criterion.text) else sight.run_of(criterion)
    named = [str(one.get("path")) for one in sight.evidence.get(criterion.id) or () if one.get("path")]
    parts = [f"`{ran.command}` ended with {ran.ended}"] if ran else []
    tests = dict.fromkeys(
        name for one in sight.evidence.get(criterion.id) or () for name in _TEST.findall(str(one.get("shows") or ""))
    )
    by = [f"by {', '.join(f'`{name}`' for name in tests)}"] if tests else []
    return "; ".join([*parts, *by, *(f"`{path}` was looked at" for path in dict.fromkeys(named))])


def _last(ran: Ran) -> str:
    """What a command said in the end, in short."""
    lines = [line for line in ran.output.splitlines() if line.startswith(("E  ", "FAILED", "ERROR"))]
    return clipped(squeeze(" ".join(lines[-2:]) or ran.output[-_SHORT:]), _SHORT) or "it printed nothing"


# --- a tactical decision ----------------------------------------------------------------------------------------------


def _ruled(desk: Desk) -> Iterator[tuple[str, str, str]]:
    """Whether every question has a decision, and each rests on words that stand where it says."""
    rulings = {str(one.get("note_id")): one for one in desk.notes.get("rulings") or ()}
    asked = [str(one.get("note_id")) for one in desk.notes.get("escalated") or ()]
    papers = squeeze(" ".join(desk.text(path) for path in sorted(desk.files) if path.startswith(places.HOME)))
    unruled = [note for note in asked if not str(rulings.get(note, {}).get("decision") or "").strip()]
    groundless = [note for note, one in rulings.items() if squeeze(str(one.get("ground") or "")) not in papers]
    empty = [note for note, one in rulings.items() if not str(one.get("ground") or "").strip()]
    wrong = [f"{note} has no decision" for note in unruled]
    wrong += [f"the ground of {note} stands in no document" for note in dict.fromkeys((*groundless, *empty))]
    given = [one for point in desk.notes.get("criteria") or () for one in point.get("criteria") or ()]
    for number, one in enumerate(given or [{"id": "rulings"}]):
        yield (
            str(one["id"]),
            "; ".join(wrong) if number == 0 else "",
            f"{len(asked)} questions, {len(rulings)} decisions",
        )


verifier = player(_work)
