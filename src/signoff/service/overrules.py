"""A person overrules a finding of a run, or takes that back. Who may is decided in `service/people.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signoff.core import overrules
from signoff.core.errors import RefusedError, UsageError
from signoff.core.events import Overruled
from signoff.core.findings import ID, Finding
from signoff.core.overrules import OpenFinding
from signoff.core.state import State
from signoff.service import people
from signoff.service.people import Act, Actor
from signoff.shell.run.live_run import LiveRun

failed = overrules.failed


@dataclass(frozen=True, slots=True)
class Listed:
    """The findings of a run that a person may overrule, and the state, which has those that were overruled."""

    open: Sequence[OpenFinding]
    state: State

    def plain(self) -> dict[str, Any]:
        """Both lists as JSON data."""
        return {
            "findings": [plain(one) for one in self.open],
            "overruled": overrules.to_json(self.state),
        }


def plain(one: OpenFinding) -> dict[str, Any]:
    """An open finding as JSON data."""
    found = one.finding
    return {
        "id": found.id, "gate": one.gate, "rule": found.rule, "about": found.about, "file": found.file,
        "line": found.line, "problem": found.problem, "repair": found.repair, "of": dict(one.of),
    }  # fmt: skip


async def listed(live: LiveRun) -> Listed:
    """The findings as they are now, with what people edited taken in."""
    await live.refresh()
    found = overrules.open_findings(live.workflow, live.state, live.library)
    return Listed(found, live.state)


def check(actor: Actor, run: str, finding: str, *, undo: bool = False) -> None:
    """Refuses an actor who is not a person."""
    ending = "--undo" if undo else '--reason "…"'
    what = "taking an overrule back" if undo else "overruling a finding"
    people.check(actor, Act.OVERRULE, what, f"signoff overrule {run} {finding} {ending}")


async def overrule(
    live: LiveRun, what: str, reason: str, actor: Actor, seen: Sequence[OpenFinding] = ()
) -> list[Finding]:
    """Overrules an open finding, or all open ones about a claim; `seen` are they as the actor was shown them."""
    check(actor, live.run, what)
    said = " ".join(reason.encode("utf-8", "replace").decode().split())
    if not said:
        raise UsageError("the reason is empty", repair='say why the finding does not count, with --reason "…"')
    found = seen or named(await listed(live), live.run, what)
    for one in found:
        await _enter(live, one.finding, actor, of=dict(one.of), reason=said)
    return [one.finding for one in found]


async def undo(live: LiveRun, what: str, actor: Actor) -> list[Finding]:
    """Takes an overrule back, or all about a claim: the findings count again."""
    check(actor, live.run, what, undo=True)
    known = [one.finding for one in (await listed(live)).state.overrules]
    found = _named(known, live.run, what, "was overruled")
    for one in found:
        await _enter(live, one, actor, undo=True)
    return found


async def _enter(live: LiveRun, finding: Finding, actor: Actor, **more: Any) -> None:
    decision = await live.apply(
        lambda state, at: Overruled(
            id=f"overrule-{finding.id}-{state.rev + 1}", at=at, by=actor.by, finding=finding, **more
        )
    )
    assert decision is not None  # narrows the type: an event was made
    if not decision.applied:
        raise RefusedError(decision.refused[0].problem, repair=decision.refused[0].repair)


def named(known: Listed, run: str, what: str) -> list[OpenFinding]:
    """The open findings that have this id, or that are about what has it."""
    wanted = {one.words for one in _named([one.finding for one in known.open], run, what, "is open")}
    return [one for one in known.open if one.finding.words in wanted]


def _named(findings: Sequence[Finding], run: str, what: str, which: str) -> list[Finding]:
    wanted = what.strip()
    found = {one.words: one for one in findings if wanted and wanted in (one.about, one.id)}
    if found:
        return list(found.values())
    known = ", ".join(dict.fromkeys(one.id for one in findings))
    raise UsageError(
        f"no finding {what!r} of {run} {which}",
        valid=known or f"no finding {which}",
        repair=f"see them with `signoff overrule {run}`: an id has {ID} letters and digits",
    )
