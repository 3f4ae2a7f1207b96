"""A design as it lies in its files: every document as a value, beside the texts that people and agents see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import (
    checkpoints,
    file_contracts,
    places,
    plan,
    risks,
    roster,
    sequence,
    sequencing,
    stack,
    status,
)
from signoff.workflows.orchestration import crew as crews

T = TypeVar("T")
Ordered: TypeAlias = tuple[sequence.Sequence | None, tuple[Finding, ...]]


@dataclass(frozen=True, kw_only=True)
class DesignFiles:
    """Everything that a design is made of. `texts` has each file as it is, instructions included.

    `before` are the files that the project had before the work; nothing where nobody looked.
    """

    plan: plan.Plan
    stack: stack.Stack
    roster: roster.Roster
    contracts: file_contracts.FileContracts
    checkpoints: checkpoints.Checkpoints
    sequence: sequence.Sequence
    status: status.SharedStatus
    specs: risks.PocSpecs
    texts: Mapping[str, str]
    before: Collection[str] | None = None

    @cached_property
    def crew(self) -> crews.Crew:
        """Who takes part, and who verifies whom."""
        return crews.crew(self.roster, self.checkpoints)[0]

    @cached_property
    def working(self) -> frozenset[str]:
        """Everybody who takes part: doers, PoCs, and those who verify."""
        return frozenset({*self.crew.units, *self.crew.verified})

    @cached_property
    def computed(self) -> Ordered:
        """The sequence as it must be, or what stands against it."""
        return ordered(self.roster, self.contracts, self.checkpoints)


def ordered(who: roster.Roster, files: file_contracts.FileContracts, proofs: checkpoints.Checkpoints) -> Ordered:
    """The sequence of a design, and what stands against it: one of the two is there."""
    try:
        return sequencing.sequence(who, files, proofs), ()
    except DocumentError as error:
        return None, error.findings


def read(texts: Mapping[str, str], task: str, before: Collection[str] | None = None) -> DesignFiles:
    """The design that these texts hold; DocumentError says what is missing or cannot be read, of all of them."""
    findings = list[Finding]()

    def parsed(path: str, parse: Callable[[bytes, str], T]) -> Any:
        if path not in texts:
            findings.append(
                Finding(
                    rule="design.missing",
                    problem="the file is not there",
                    repair="let the run make it again, or restore it",
                    file=path,
                )
            )
            return None
        try:
            return parse(texts[path].encode(), path)
        except DocumentError as error:
            findings.extend(error.findings)
            return None

    found = {
        "plan": parsed(places.summary(task), plan.parse),
        "stack": parsed(places.STACK, stack.parse),
        "roster": parsed(places.ROSTER, roster.parse),
        "contracts": parsed(places.CONTRACTS, file_contracts.parse),
        "checkpoints": parsed(places.CHECKPOINTS, checkpoints.parse),
        "sequence": parsed(places.SEQUENCE, sequence.parse),
        "status": parsed(places.STATUS, status.parse),
        "specs": parsed(places.POC_SPECS, risks.parse_specs),
    }
    if findings:
        raise DocumentError(findings)
    return DesignFiles(**found, texts=texts, before=before)
