"""A design read from its files: every document as a value, and the texts that people and agents see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import (
    agent_roster,
    contracts,
    plan_summary,
    risks,
    shared_status,
    technology_stack,
)
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts
from signoff.workflows.orchestration.sequence import sequencer, waits, work_sequence

Ordered: TypeAlias = tuple[work_sequence.Sequence | None, tuple[Finding, ...]]


@dataclass(frozen=True, kw_only=True)
class DesignFiles:
    """All documents of a design. `texts` has the bytes of each file, the agents' instructions included."""

    plan: plan_summary.Plan
    stack: technology_stack.Stack
    roster: agent_roster.Roster
    contracts: FileContracts
    checkpoints: Checkpoints
    sequence: work_sequence.Sequence
    status: shared_status.SharedStatus
    specs: risks.PocSpecs
    texts: Mapping[str, str]

    @cached_property
    def crew(self) -> waits.Crew:
        """Which agents take part, and which verifies which."""
        return waits.crew(self.roster, self.checkpoints)[0]

    @cached_property
    def working(self) -> frozenset[str]:
        """All agents that take part: doers, PoCs and verifiers."""
        return frozenset({*self.crew.units, *self.crew.verified})

    @cached_property
    def computed(self) -> Ordered:
        """The sequence as it must be, or why there is none."""
        return ordered(self.roster, self.contracts, self.checkpoints)


def ordered(who: agent_roster.Roster, files: FileContracts, proofs: Checkpoints) -> Ordered:
    """The sequence of a design, or why there is none."""
    try:
        return sequencer.sequence(who, files, proofs), ()
    except DocumentError as error:
        return None, error.findings


def read(texts: Mapping[str, str], task: str) -> DesignFiles:
    """The design in these texts; DocumentError names all files that are missing or cannot be read."""
    findings = list[Finding]()
    found: dict[str, Any] = {}
    documents: dict[str, tuple[str, Callable[[bytes, str], Any]]] = {
        "plan": (places.summary(task), plan_summary.parse),
        "stack": (places.STACK, technology_stack.parse),
        "roster": (places.ROSTER, agent_roster.parse),
        "contracts": (places.CONTRACTS, contracts.parse_contracts),
        "checkpoints": (places.CHECKPOINTS, contracts.parse_checkpoints),
        "sequence": (places.SEQUENCE, work_sequence.parse),
        "status": (places.STATUS, shared_status.parse),
        "specs": (places.POC_SPECS, risks.parse_specs),
    }
    for name, (path, parse) in documents.items():
        if path not in texts:
            problem, repair = "the file is missing", "let the run make it again, or restore it"
            findings.append(Finding(rule="design.missing", problem=problem, repair=repair, file=path))
            continue
        try:
            found[name] = parse(texts[path].encode(), path)
        except DocumentError as error:
            findings.extend(error.findings)
    if findings:
        raise DocumentError(findings)
    return DesignFiles(**found, texts=texts)
