"""Whether the checkpoints fit the roster: one for every doer, with criteria that somebody can look at."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.artifacts.forms import repeated
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checkpoints import Checkpoint, Checkpoints
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.roster import Roster

EMPTY = frozenset(("", "-", "?", "...", "…", "n/a", "na", "none", "nothing", "tbd", "todo", "unknown", "to be defined"))
"""What stands where evidence should, and is none."""


def findings(checkpoints: Checkpoints, roster: Roster) -> tuple[Finding, ...]:
    """Everything that is wrong with the checkpoints."""
    given = checkpoints.checkpoints
    found = [*_missing(checkpoints, roster)]
    for _, doer in repeated([one.doer for one in given]):
        found.append(_finding("twice", doer, f"{doer} has more than one checkpoint", "keep one, with all criteria"))
    for _, key in repeated([one.id for one in given]):
        found.append(_finding("id", key, f"two checkpoints have the id {key}", "give each an id of its own"))
    for one in given:
        found += [*_doer(one, roster), *_verifier(one, roster), *_criteria(one), *_failures(one)]
    return tuple(found)


def _finding(rule: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"checkpoints.{rule}", problem=problem, repair=repair, file=places.CHECKPOINTS, about=about)


def _missing(checkpoints: Checkpoints, roster: Roster) -> Iterator[Finding]:
    for doer in sorted({*roster.of_kind("doer")} - {one.doer for one in checkpoints.checkpoints}):
        yield _finding("missing", doer, f"{doer} has no checkpoint", "say what proves its work")


def _doer(one: Checkpoint, roster: Roster) -> Iterator[Finding]:
    if one.doer not in roster.agents:
        problem = f"{one.id} is for {one.doer}, who is not in the roster"
        yield _finding("doer", one.id, problem, f"name one of {', '.join(roster.of_kind('doer')) or 'its doers'}")
    elif (kind := roster.agents[one.doer].kind) != "doer":
        instead = "what passes and fails it stands in its spec" if kind == "poc" else "nobody verifies a verifier"
        yield _finding("doer", one.id, f"{one.id} is for {one.doer}, a {kind}; {instead}", "take it out")


def _verifier(one: Checkpoint, roster: Roster) -> Iterator[Finding]:
    """A verifier is one of the roster's, or some doer's own."""
    own = {default_verifier(doer) for doer in roster.of_kind("doer")}
    verifiers = {*roster.of_kind("verifier")}
    name = one.verifier
    if name is None or name in verifiers or (name in own and name not in roster.agents):
        return
    what = f"a {roster.agents[name].kind}" if name in roster.agents else "not in the roster"
    repair = f"leave it out, then {default_verifier(one.doer)} verifies"
    if verifiers:
        repair += f"; or name one of {', '.join(sorted(verifiers))}"
    yield _finding("verifier", one.id, f"{one.id} names {name} as verifier, who is {what}", repair)


def _criteria(one: Checkpoint) -> Iterator[Finding]:
    if not one.criteria:
        yield _finding("criteria", one.id, f"{one.id} has no criteria", "say what must be true, and what shows it")
    for _, key in repeated([criterion.id for criterion in one.criteria]):
        yield _finding("criteria", one.id, f"{one.id} has two criteria {key}", "give each an id of its own")
    for criterion in one.criteria:
        if " ".join(criterion.evidence.split()).rstrip(".").lower() in EMPTY:
            problem = f"criterion {criterion.id} of {one.id} cannot be measured: its evidence is {criterion.evidence!r}"
            yield _finding("criteria", one.id, problem, "name the file, the output or the number that shows it")


def _failures(one: Checkpoint) -> Iterator[Finding]:
    if not one.failure_modes:
        repair = "say what can go wrong, and what is done about it"
        yield _finding("failures", one.id, f"{one.id} has no failure modes", repair)
