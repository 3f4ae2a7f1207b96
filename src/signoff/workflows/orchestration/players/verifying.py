"""The verifier: it runs what shows that the criteria are met, and looks at the files that the evidence names.

What did not run in the doer's turn and does not end well here is not shown, whatever the doer says of it. It looks for
the ways to fail that the checkpoint names as well: where the doer has tests, one of them has to speak of each.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.core.permissions import may_run
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checkpoints import Checkpoint, Criterion, FailureMode
from signoff.workflows.orchestration.players.crafting import cases_in
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.doing import Ran
from signoff.workflows.orchestration.players.layout import QUIET
from signoff.workflows.orchestration.players.openings import UNTESTED
from signoff.workflows.wording import clipped, covered

ENOUGH: Final = 0.6
"""So much of a way to fail a test has to speak of."""
_TEST: Final = re.compile(r"`(test_\w+)`")
_NAME: Final = re.compile(r"`([A-Za-z_][\w.]*)`")
_SHORT: Final = 160


class Sight:
    """What a verifier has before it, and what it ran."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.points = tuple(Checkpoint.model_validate(one) for one in desk.notes.get("criteria") or ())
        self.evidence: Mapping[str, list[Mapping[str, Any]]] = _by_criterion(desk.notes.get("evidence") or ())

    @cached_property
    def claimed(self) -> frozenset[str]:
        """The commands that really ran in the doer's turn."""
        return frozenset(_command(one) for one in self.desk.notes.get("ran") or ())

    @cached_property
    def tests(self) -> Mapping[str, Mapping[str, str]]:
        """The tests of the work, by their file."""
        files = (path for path in sorted(self.desk.files) if re.search(r"(?:^|/)test_\w+\.py$", path))
        return {path: found for path in files if (found := cases_in(self.desk.text(path)))}

    @cached_property
    def ran(self) -> Mapping[str, Ran]:
        """What was run again: the commands of the criteria, else the tests that there are."""
        listed = [one.command for point in self.points for one in point.criteria if one.command]
        wanted = listed or [f"python -m pytest {path} -q {QUIET}" for path in self.tests]
        found = dict[str, Ran]()
        for command in dict.fromkeys(wanted):
            if may_run(shlex.split(command), self.desk.assignment.start.runs):
                found[command] = Ran.of(command, self.desk.tools.run(command))
        return found


def _work(desk: Desk) -> Payload:
    if desk.notes.get("escalated"):
        return _verdict(list(_ruled(desk)))
    sight = Sight(desk)
    judged = [(one, _wrong(one, point, sight)) for point in sight.points for one in point.criteria]
    return _verdict([(one.id, wrong, _seen(one, sight)) for one, wrong in judged])


def _verdict(judged: Sequence[tuple[str, str, str]]) -> Payload:
    """A verdict from what is wrong with each criterion; whoever has nothing to hold anything against passes nothing."""
    found = judged or [("none", "there is no criterion to hold the work against", "")]
    missing = [f"{name}: {wrong}" for name, wrong, _ in found if wrong]
    return {
        "result": "fail" if missing else "pass",
        "criteria": [
            {"id": name, "met": not wrong, "evidence": wrong or seen or "it was looked at"}
            for name, wrong, seen in found
        ],
        "missing_evidence": missing,
    }


def _by_criterion(given: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found = dict[str, list[Mapping[str, Any]]]()
    for one in given:
        found.setdefault(str(one.get("criterion")), []).append(one)
    return found


def _command(ran: Any) -> str:
    """The command of a record, whichever way it is told."""
    return str(ran.get("command")) if isinstance(ran, Mapping) else str(ran).partition(" -> exit code")[0]


# --- one criterion ----------------------------------------------------------------------------------------------------


def _wrong(criterion: Criterion, point: Checkpoint, sight: Sight) -> str:
    """What is not shown of a criterion; "" where it is met."""
    return next(_problems(criterion, point, sight), "")


def _problems(criterion: Criterion, point: Checkpoint, sight: Sight) -> Iterator[str]:
    shown = sight.evidence.get(criterion.id) or []
    ran = sight.ran.get(criterion.command or "")
    if ran is not None and ran.code != 0:
        yield f"`{ran.command}` ended with {ran.ended}: {_last(ran)}"
    if criterion.command and ran is None:
        yield f"`{criterion.command}` could not be run here"
    if not shown:
        yield f"there is no evidence; wanted: {criterion.evidence}"
    for one in shown:
        yield from _unproven(one, sight)
    yield from _not_as_in_files(criterion, sight)
    for mode in _modes(criterion, point):
        if sight.tests and not _is_tested(mode, sight) and not _is_settled(mode, sight):
            where = ", ".join(f"`{path}`" for path in sight.tests)
            yield f"{UNTESTED}{where} shows this way to fail: {mode.mode}. Then: {mode.remediation}"


def _unproven(one: Mapping[str, Any], sight: Sight) -> Iterator[str]:
    """What an item of evidence names and is not there: a command that did not run, a file, a test."""
    command, path = str(one.get("command") or ""), str(one.get("path") or "")
    if command and command not in sight.claimed:
        yield f"the evidence names `{command}`, and no such command ran in the turn"
    if path and not sight.desk.data(path):
        yield f"the evidence names `{path}`, which is not there or is empty"
    known = {name for tests in sight.tests.values() for name in tests}
    if unknown := [name for name in _TEST.findall(str(one.get("shows") or "")) if name not in known]:
        yield f"the evidence names the test `{unknown[0]}`, which is not there"


def _not_as_in_files(criterion: Criterion, sight: Sight) -> Iterator[str]:
    """A handover has to speak of what is in the files: every name in it stands in one of them."""
    found = re.match(r"`([^`]+\.md)` has ", criterion.text)
    if not found or not criterion.text.endswith("as they are in the files."):
        return
    path = found[1]
    if not sight.desk.data(path):
        yield f"`{path}` is not there or is empty"
        return
    others = " ".join(
        sight.desk.text(one) for one in sorted(sight.desk.files) if one != path and not one.endswith("instructions.md")
    )
    names = dict.fromkeys(_NAME.findall(sight.desk.text(path)))
    if strange := [name for name in names if name.rpartition(".")[2] not in others]:
        yield f"`{path}` speaks of `{strange[0]}`, which is in no file"


def _modes(criterion: Criterion, point: Checkpoint) -> list[FailureMode]:
    """The ways to fail that are nearest to a criterion; each belongs to one."""
    return [mode for mode in point.failure_modes if _nearest(mode, point) == criterion.id]


def _nearest(mode: FailureMode, point: Checkpoint) -> str:
    words = f"{mode.mode} {mode.remediation}"
    return max(point.criteria, key=lambda one: covered(words, one.text)).id


def _is_tested(mode: FailureMode, sight: Sight) -> bool:
    return any(covered(mode.mode, said) >= ENOUGH for tests in sight.tests.values() for said in tests.values())


def _is_settled(mode: FailureMode, sight: Sight) -> bool:
    """Whether a person was asked about a way to fail that nobody knows a test for, and has answered."""
    by_person = (one for one in sight.desk.notes.get("notes") or () if one.get("resolved_by") == "user")
    return any(mode.mode in str(one.get("description") or "") for one in by_person)


def _seen(criterion: Criterion, sight: Sight) -> str:
    ran = sight.ran.get(criterion.command or "")
    named = [str(one.get("path")) for one in sight.evidence.get(criterion.id) or () if one.get("path")]
    parts = [f"`{ran.command}` ended with {ran.ended}"] if ran else []
    return "; ".join([*parts, *(f"`{path}` was looked at" for path in dict.fromkeys(named))])


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
