"""Whether file contracts and checkpoints fit the roster and each other.

Every agent has a contract, every file comes from somewhere, and every doer has a checkpoint with measurable criteria.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from signoff.artifacts.yaml_forms import repeated
from signoff.core.findings import Finding, Severity
from signoff.core.permissions import RUNS
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import (
    Checkpoint,
    Checkpoints,
    FileContract,
    FileContracts,
    Read,
)
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.sequence.path_patterns import Index, beginning, overlap, problem, tangled, wild

OWNERS: Final = {
    RUNS: "belongs to the runs",
    ".git": "belongs to git, which runs what it finds there",
    ".claude": "says what agents may do and belongs to the person",
    ".mcp.json": "says which tools there are and belongs to the person",
}
"""Files and folders that no agent writes, by name: at any depth (a repository may hold others) and in any case."""
PAIRS: Final = 20_000
"""How many pairs of a tangled pattern and another path are compared at most."""
EMPTY: Final = frozenset(
    ("", "-", "?", "...", "…", "n/a", "na", "none", "nothing", "tbd", "todo", "unknown", "to be defined")
)
"""Words that stand in the place of evidence and are none."""


def contract_findings(contracts: FileContracts, roster: Roster) -> tuple[Finding, ...]:
    """Everything that is wrong with the contracts, agent by agent."""
    known = {*roster.agents, *(default_verifier(doer) for doer in roster.of_kind("doer"))}
    writers: dict[str, set[str]] = {}
    for name, contract in contracts.agents.items():
        for one in contract.writes:
            writers.setdefault(one.path, set()).add(name)
    paths = contracts.paths
    knots = sum(map(tangled, paths))
    if knots * len(paths) > PAIRS:
        said = (
            f"{knots} of {len(paths)} paths have a wildcard before their end; valid: at most {PAIRS:,} pairs to compare"
        )
        return (_contract("many", "", said, "name folders, such as src/api/, or the files themselves"),)
    index = Index.of(writers)
    found = [*_owners(contracts, roster, known)]
    for name, contract in sorted(contracts.agents.items()):
        found += [*_paths(name, contract), *_writes(name, contract)]
        for read in contract.reads:
            if read.source not in (None, name) and not problem(read.path):
                meant = {writer for path in index.overlapping(read.path) for writer in writers[path]}
                found += _source(name, read, known, meant)
    return (*found, *_folders(contracts))


def _contract(rule: str, name: str, problem: str, repair: str, severity: Severity = "error") -> Finding:
    rule, file = f"contracts.{rule}", places.CONTRACTS
    return Finding(rule=rule, problem=problem, repair=repair, file=file, about=name, severity=severity)


def _owners(contracts: FileContracts, roster: Roster, known: set[str]) -> Iterator[Finding]:
    for name in sorted(contracts.agents.keys() - known):
        near = nearest(name, sorted(known))
        repair = f"rename it to {near}" if near else "remove the contract, or add the agent to the roster"
        yield _contract("agent", name, f"{name} has a contract and is not in the roster", repair)
    for name in sorted({*roster.of_kind("doer"), *roster.of_kind("poc")}):
        contract = contracts.agents.get(name)
        if contract is None:
            yield _contract("missing", name, f"{name} has no contract", "say what it reads and writes")
        elif not contract.writes and roster.agents[name].kind == "doer":
            repair = f"name what it writes, below {places.output(name)} or in the project"
            yield _contract("idle", name, f"{name} writes nothing that a verifier could look at", repair)


def _paths(name: str, contract: FileContract) -> Iterator[Finding]:
    for verb, given in (("reads", contract.reads), ("writes", contract.writes)):
        for path in (one.path for one in given):
            if wrong := problem(path):
                shown = path if len(path) < 80 else f"{path[:79]}…"
                repair = "write it as a path below the project's folder, such as src/api/ or docs/*.md"
                yield _contract("path", name, f"{name} {verb} {shown!r}: {wrong}", repair)
            elif "{" in path and "}" in path:
                said = f"{name} {verb} {path!r}: braces stand for themselves, not for a choice"
                yield _contract("path", name, said, "write one entry for each", "warning")


def _writes(name: str, contract: FileContract) -> Iterator[Finding]:
    """Writes to files that are not the agent's: below `orchestration/` only its own output is."""
    mine = places.output(name)
    for path in (one.path for one in contract.writes if not problem(one.path)):
        start, first = beginning(path), path.split("/")[0]
        away = f"begin it with a folder of the project, or with {mine}" if wild(path) else f"write below {mine}"
        if owned := next((part for part in path.casefold().split("/") if part in OWNERS), ""):
            repair = f"write below {mine} or in the project"
            yield _contract("foreign", name, f"{name} writes {path}; {owned}/ {OWNERS[owned]}", repair)
        elif start.startswith(mine):
            continue
        elif first != places.HOME and first.casefold() == places.HOME:
            said = f"{name} writes {path}; if capitals make no difference, that is what code writes below {first}/"
            yield _contract("foreign", name, said, away)
        elif overlap(path, f"{places.HOME}/"):
            yield _contract("foreign", name, f"{name} writes {path}; {_whose(path, start)}", away)


def _whose(path: str, start: str) -> str:
    if start.startswith(places.AGENTS):
        other = start.removeprefix(places.AGENTS).split("/")[0]
        if start.startswith(places.output(other)):
            return f"that is the output of {other}"
    reaches = "a star crosses slashes, so it reaches" if wild(path) and not start.startswith(places.HOME) else "that is"
    return f"{reaches} what code writes below {places.HOME}/"


def _source(name: str, read: Read, known: set[str], writers: set[str]) -> Iterator[Finding]:
    """The agent that a read names must write its path."""
    others = sorted(writers - {name})
    repair = (
        f"name {' or '.join(others)}" if others else "let an agent write it, or leave `from` out if it exists before"
    )
    said = f"{name} reads {read.path} from {read.source}, which"
    if read.source not in known:
        yield _contract("from", name, f"{said} is not in the roster", repair)
    elif read.source not in writers:
        severity: Severity = "error" if read.required else "warning"
        yield _contract(
            "from", name, f"{said} does not write it{'' if others else '; no agent does'}", repair, severity
        )


def _folders(contracts: FileContracts) -> Iterator[Finding]:
    """Names that are a file in one contract and a folder in another: without the slash they overlap with nothing."""
    named: dict[str, str] = {}
    for name, contract in sorted(contracts.agents.items()):
        for path in contract.paths:
            named.setdefault(path, name)
    starts = sorted(named)
    for path, name in sorted(named.items()):
        at = bisect_left(starts, f"{path}/")
        if not wild(path) and not problem(path) and at < len(starts) and starts[at].startswith(f"{path}/"):
            said = f"{path} is a file to {name}, and {named[starts[at]]} has {starts[at]}"
            yield _contract("folder", name, said, f"write {path}/ if you mean the folder")


# --- checkpoints ------------------------------------------------------------------------------------------------------


def checkpoint_findings(checkpoints: Checkpoints, roster: Roster) -> Iterator[Finding]:
    """Everything that is wrong with the checkpoints."""
    given = checkpoints.checkpoints
    for doer in sorted({*roster.of_kind("doer")} - {one.doer for one in given}):
        yield _checkpoint("missing", doer, f"{doer} has no checkpoint", "say what proves its work")
    for _, doer in repeated([one.doer for one in given]):
        yield _checkpoint("twice", doer, f"{doer} has more than one checkpoint", "keep one, with all criteria")
    for _, key in repeated([one.id for one in given]):
        yield _checkpoint("id", key, f"two checkpoints have the id {key}", "give each an id of its own")
    for one in given:
        yield from _agents(one, roster)
        yield from _criteria(one)


def _checkpoint(rule: str, about: str, problem: str, repair: str) -> Finding:
    return Finding(rule=f"checkpoints.{rule}", problem=problem, repair=repair, file=places.CHECKPOINTS, about=about)


def _agents(one: Checkpoint, roster: Roster) -> Iterator[Finding]:
    """The doer is in the roster; the verifier is in the roster, or is the own verifier of a doer."""
    doers, verifiers = roster.of_kind("doer"), roster.of_kind("verifier")
    if one.doer not in roster.agents:
        said = f"{one.id} is for {one.doer}, which is not in the roster"
        yield _checkpoint("doer", one.id, said, f"name one of {', '.join(doers) or 'its doers'}")
    elif (kind := roster.agents[one.doer].kind) != "doer":
        instead = "its spec says when it passes and fails" if kind == "poc" else "a verifier is not verified"
        yield _checkpoint("doer", one.id, f"{one.id} is for {one.doer}, a {kind}; {instead}", "remove it")
    name = one.verifier
    own = {default_verifier(doer) for doer in doers} - roster.agents.keys()
    if name is None or name in verifiers or name in own:
        return
    what = f"a {roster.agents[name].kind}" if name in roster.agents else "not in the roster"
    repair = f"leave it out: then {default_verifier(one.doer)} verifies"
    repair += f"; or name one of {', '.join(verifiers)}" if verifiers else ""
    yield _checkpoint("verifier", one.id, f"{one.id} names {name} as verifier, which is {what}", repair)


def _criteria(one: Checkpoint) -> Iterator[Finding]:
    if not one.criteria:
        yield _checkpoint("criteria", one.id, f"{one.id} has no criteria", "say what must be true, and what shows it")
    for _, key in repeated([criterion.id for criterion in one.criteria]):
        yield _checkpoint("criteria", one.id, f"{one.id} has two criteria {key}", "give each an id of its own")
    for criterion in one.criteria:
        if " ".join(criterion.evidence.split()).rstrip(".").lower() in EMPTY:
            said = f"criterion {criterion.id} of {one.id} cannot be measured: its evidence is {criterion.evidence!r}"
            yield _checkpoint("criteria", one.id, said, "name the file, the output or the number that shows it")
    if not one.failure_modes:
        repair = "say what can go wrong, and what is done about it"
        yield _checkpoint("failures", one.id, f"{one.id} has no failure modes", repair)
