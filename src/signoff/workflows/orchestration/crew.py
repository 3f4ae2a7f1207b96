"""Who takes part in the work: doers, each with a verifier of its own, and PoCs. Everything here is by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checkpoints import Checkpoints
from signoff.workflows.orchestration.ids import ARCHIVAL, LONGEST, TSA, default_verifier
from signoff.workflows.orchestration.roster import Kind, Roster

NEVER = {
    TSA: "it is called when somebody escalates, and has no place in a sequence",
    ARCHIVAL: "archiving is done by code after the last phase",
}


class Task(NamedTuple):
    """One piece of work: an agent, and of a verifier the doer that it looks at. One verifier may have several."""

    agent: str
    verifies: str = ""

    @property
    def unit(self) -> str:
        """The doer or PoC whose work it belongs to: a doer and its verification are one unit."""
        return self.verifies or self.agent


@dataclass(frozen=True, slots=True)
class Crew:
    """The doers, each with its verifier, the PoCs, and whom each verifier has. A unit is done when its last task is."""

    verifiers: dict[str, str]
    pocs: frozenset[str]
    verified: dict[str, list[str]]

    @property
    def units(self) -> list[str]:
        return sorted((*self.verifiers, *self.pocs))

    def end(self, unit: str) -> Task:
        """The last task of a unit: of a doer it is its verification."""
        return Task(self.verifiers[unit], unit) if unit in self.verifiers else Task(unit)

    def tasks(self, agent: str) -> tuple[Task, ...]:
        """The tasks of an agent: of a verifier, one for each doer; of somebody who takes no part, none."""
        if agent in self.verified:
            return tuple(Task(agent, doer) for doer in self.verified[agent])
        return (Task(agent),) if agent in self.verifiers or agent in self.pocs else ()

    def kind(self, task: Task) -> Kind:
        if task.verifies:
            return "verifier"
        return "doer" if task.agent in self.verifiers else "poc"


def crew(roster: Roster, checkpoints: Checkpoints) -> tuple[Crew, list[Finding]]:
    """The crew, and what is wrong with it. A doer that nobody verifies gets its own verifier, so that more is seen."""
    given = _by_doer(checkpoints)
    doers = [name for name in roster.of_kind("doer") if _takes_part(roster, name)]
    verifiers = {doer: given[doer][0] if doer in given else default_verifier(doer) for doer in doers}
    verified: dict[str, list[str]] = {}
    for doer, verifier in verifiers.items():
        verified.setdefault(verifier, []).append(doer)
    pocs = frozenset(name for name in roster.of_kind("poc") if _takes_part(roster, name))
    made = Crew(verifiers, pocs, verified)
    wrong = (_unverified(made, given), _torn(given), _not_verifiers(made, roster), _too_long(made))
    return made, [*_never(roster), *chain.from_iterable(wrong)]


def idle(roster: Roster, made: Crew) -> list[str]:
    """The verifiers of the roster that no checkpoint names."""
    return [name for name in roster.of_kind("verifier") if name not in made.verified and _takes_part(roster, name)]


def _takes_part(roster: Roster, name: str) -> bool:
    return name not in NEVER and roster.type_of(name) not in NEVER


def _by_doer(checkpoints: Checkpoints) -> dict[str, list[str]]:
    """Who verifies each doer; more than one name is a mistake."""
    found: dict[str, set[str]] = {}
    for one in checkpoints.checkpoints:
        found.setdefault(one.doer, set()).add(one.verified_by)
    return {doer: sorted(verifiers) for doer, verifiers in found.items()}


def _never(roster: Roster) -> Iterator[Finding]:
    for name in sorted(roster.agents):
        if not _takes_part(roster, name):
            kind = name if name in NEVER else roster.type_of(name)
            yield Finding(
                rule="sequence.never",
                problem=f"{name} is in the roster; {NEVER[kind]}",
                repair=f"take {name} out of the roster",
                file=places.ROSTER,
                about=name,
            )


def _unverified(made: Crew, given: dict[str, list[str]]) -> Iterator[Finding]:
    for doer in made.verifiers:
        if doer not in given:
            yield Finding(
                rule="sequence.unverified",
                problem=f"{doer} has no checkpoint, so nobody would verify its work",
                repair=f"add a checkpoint for {doer}; unless it names another, {default_verifier(doer)} verifies it",
                file=places.CHECKPOINTS,
                about=doer,
            )


def _torn(given: dict[str, list[str]]) -> Iterator[Finding]:
    for doer, verifiers in sorted(given.items()):
        if len(verifiers) > 1:
            yield Finding(
                rule="sequence.unverified",
                problem=f"{doer} has checkpoints with several verifiers: {', '.join(verifiers)}",
                repair="keep one checkpoint, with one verifier",
                file=places.CHECKPOINTS,
                about=doer,
            )


def _not_verifiers(made: Crew, roster: Roster) -> Iterator[Finding]:
    for verifier, doers in sorted(made.verified.items()):
        kind = roster.agents[verifier].kind if verifier in roster.agents else "verifier"
        if kind != "verifier" or verifier in NEVER:
            what = f"is a {kind} of the roster" if verifier not in NEVER else "verifies nothing"
            yield Finding(
                rule="sequence.unverified",
                problem=f"{verifier}, who would verify {together(doers)}, {what}",
                repair="name a verifier in the checkpoint",
                file=places.CHECKPOINTS,
                about=doers[0],
            )


def _too_long(made: Crew) -> Iterator[Finding]:
    for doer, verifier in made.verifiers.items():
        if len(verifier) > LONGEST:
            yield Finding(
                rule="sequence.unverified",
                problem=f"the verifier of {doer} would have a name of {len(verifier)} characters, {LONGEST} at most",
                repair="name a verifier in the checkpoint, or give the doer a shorter name",
                file=places.CHECKPOINTS,
                about=doer,
            )


def together(names: Sequence[str]) -> str:
    """Names as people list them: `a, b and c`."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
