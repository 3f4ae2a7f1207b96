"""Whether file contracts fit the roster and each other: everybody has one, and every file comes from somewhere."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from signoff.core.findings import Finding, Severity
from signoff.core.permissions import RUNS
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.file_contracts import FileContract, FileContracts, Read
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.patterns import Index, beginning, overlap, problem, tangled, wild
from signoff.workflows.orchestration.roster import Roster

OWNERS: Final = {
    RUNS: "belongs to the runs",
    ".git": "is git's: what lies there is run by whoever uses the project",
    ".claude": "says what agents may do and is the person's",
    ".mcp.json": "says which tools there are and is the person's",
}
"""What no agent writes, by a name on the way to it, at any depth: a repository may hold others. Capitals make no
difference everywhere."""
PAIRS: Final = 20_000
"""So many pairs of a tangled pattern and another path are compared."""


def contract_findings(contracts: FileContracts, roster: Roster) -> tuple[Finding, ...]:
    """Everything that is wrong with the contracts, agent by agent."""
    known = {*roster.agents, *(default_verifier(doer) for doer in roster.of_kind("doer"))}
    writers: dict[str, set[str]] = {}
    for name, contract in contracts.agents.items():
        for one in contract.writes:
            writers.setdefault(one.path, set()).add(name)
    if many := [*_many(contracts)]:
        return (*many,)
    index = Index.of(writers)
    found = [*_strangers(contracts, known), *_without(contracts, roster)]
    for name, contract in sorted(contracts.agents.items()):
        found += [*_paths(name, contract), *_writes(name, contract)]
        for read in contract.reads:
            if read.source not in (None, name) and not problem(read.path):
                meant = {writer for path in index.overlapping(read.path) for writer in writers[path]}
                found += _source(name, read, known, meant)
    return (*found, *_folders(contracts))


def _finding(rule: str, name: str, problem: str, repair: str, severity: Severity = "error") -> Finding:
    return Finding(
        rule=f"contracts.{rule}",
        problem=problem,
        repair=repair,
        file=places.CONTRACTS,
        about=name,
        severity=severity,
    )


def _many(contracts: FileContracts) -> Iterator[Finding]:
    """So many patterns that nobody could say in a life which of them mean one file."""
    given = contracts.agents.values()
    paths = {*(one.path for contract in given for one in contract.reads)}
    paths |= {one.path for contract in given for one in contract.writes}
    knots = sum(map(tangled, paths))
    if knots * len(paths) > PAIRS:
        said = (
            f"{knots} of {len(paths)} paths have a wildcard before their end; {PAIRS:,} pairs to compare are the most"
        )
        yield _finding("many", "", said, "name folders, such as src/api/, or the files themselves")


# --- who has a contract -----------------------------------------------------------------------------------------------


def _strangers(contracts: FileContracts, known: set[str]) -> Iterator[Finding]:
    for name in sorted(contracts.agents.keys() - known):
        near = get_close_matches(name, sorted(known), 1)
        repair = f"rename it to {near[0]}" if near else "take the contract out, or add the agent to the roster"
        yield _finding("agent", name, f"{name} has a contract and is not in the roster", repair)


def _without(contracts: FileContracts, roster: Roster) -> Iterator[Finding]:
    for name in sorted({*roster.of_kind("doer"), *roster.of_kind("poc")}):
        contract = contracts.agents.get(name)
        if contract is None:
            yield _finding("missing", name, f"{name} has no contract", "say what it reads and writes")
        elif not contract.writes and roster.agents[name].kind == "doer":
            repair = f"name what it writes, below {places.output(name)} or in the project"
            yield _finding("idle", name, f"{name} writes nothing, so nobody could verify its work", repair)


# --- paths ------------------------------------------------------------------------------------------------------------


def _paths(name: str, contract: FileContract) -> Iterator[Finding]:
    reads, writes = [one.path for one in contract.reads], [one.path for one in contract.writes]
    for verb, paths in (("reads", reads), ("writes", writes)):
        for path in paths:
            if wrong := problem(path):
                shown = path if len(path) < 80 else f"{path[:79]}…"
                repair = "write it as a path from the project's folder on, such as src/api/ or docs/*.md"
                yield _finding("path", name, f"{name} {verb} {shown!r}: {wrong}", repair)
            elif "{" in path and "}" in path:
                said = f"{name} {verb} {path!r}: braces stand for themselves, not for a choice"
                yield _finding("path", name, said, "write one entry for each", "warning")


def _writes(name: str, contract: FileContract) -> Iterator[Finding]:
    """What code writes is code's: of `orchestration/` an agent has its own output, and nothing else."""
    mine = places.output(name)
    for path in (one.path for one in contract.writes):
        start = beginning(path)
        if problem(path):
            continue
        first = path.split("/")[0]
        if owned := next((part for part in path.casefold().split("/") if part in OWNERS), ""):
            repair = f"write below {mine} or in the project"
            yield _finding("foreign", name, f"{name} writes {path}; {owned}/ {OWNERS[owned]}", repair)
        elif start.startswith(mine):
            continue
        elif first != places.HOME and first.casefold() == places.HOME:
            said = f"{name} writes {path}; where capitals make no difference, that is what code writes below {first}/"
            yield _finding("foreign", name, said, _away(path, mine))
        elif overlap(path, f"{places.HOME}/"):
            yield _finding("foreign", name, f"{name} writes {path}; {_whose(path, start)}", _away(path, mine))


def _whose(path: str, start: str) -> str:
    if start.startswith(places.AGENTS):
        other = start.removeprefix(places.AGENTS).split("/")[0]
        if start.startswith(places.output(other)):
            return f"that is the output of {other}"
    reaches = "a star crosses slashes, so it reaches" if wild(path) and not start.startswith(places.HOME) else "that is"
    return f"{reaches} what code writes below {places.HOME}/"


def _away(path: str, mine: str) -> str:
    return f"begin it with a folder of the project, or with {mine}" if wild(path) else f"write below {mine}"


def _source(name: str, read: Read, known: set[str], writers: set[str]) -> Iterator[Finding]:
    """Who is named must write the path; where nobody is named, it was there before or is somebody's."""
    others = sorted(writers - {name})
    repair = f"name {' or '.join(others)}" if others else "have somebody write it, or name nobody if it is there before"
    said = f"{name} reads {read.path} from {read.source}, who"
    if read.source not in known:
        yield _finding("from", name, f"{said} is not in the roster", repair)
    elif read.source not in writers:
        severity: Severity = "error" if read.required else "warning"
        yield _finding("from", name, f"{said} does not write it{'' if others else '; nobody does'}", repair, severity)


def _folders(contracts: FileContracts) -> Iterator[Finding]:
    """A name that is a file here and a folder there: the one without its slash would overlap with nothing."""
    named: dict[str, str] = {}
    for name, contract in sorted(contracts.agents.items()):
        for path in (*(one.path for one in contract.reads), *(one.path for one in contract.writes)):
            named.setdefault(path, name)
    starts = sorted(named)
    for path, name in sorted(named.items()):
        at = bisect_left(starts, f"{path}/")
        if not wild(path) and not problem(path) and at < len(starts) and starts[at].startswith(f"{path}/"):
            said = f"{path} is a file to {name}, and {named[starts[at]]} has {starts[at]}"
            yield _finding("folder", name, said, f"write {path}/ if the folder is meant")
