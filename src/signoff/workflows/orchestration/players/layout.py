"""Where work lies: the paths of each agent, by its kind and by what the summary says of files.

Contracts, checkpoints and instructions are drawn up apart from each other; that they speak of the same files comes from
here. A path in the summary is read where it is said to be there, and written where something is to be done with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Final

from signoff.core.permissions import RUNS
from signoff.workflows.orchestration import patterns, places
from signoff.workflows.orchestration.file_contracts import Read, Written
from signoff.workflows.orchestration.ids import default_verifier
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.domains import Domain
from signoff.workflows.orchestration.players.statements import WORK, Reading, Statement
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.stack import Choices

PATH: Final = re.compile(r"`((?![/.~])[\w.-]+(?:/[\w.-]+)*\.\w{1,6})`")
_READS: Final = re.compile(
    r"\b(?:reads?|imports?|loads?|parses?|takes? over|taken from|comes? from|(?:was|were|is|are) written by"
    r"|stays? as|exported|lies? in|is in)\b",
    re.IGNORECASE,
)
_WRITES: Final = re.compile(
    r"\b(?:registers?|appends?|writes? (?:in)?to|adds?|creates?|records?|explains?|describes?)\b", re.IGNORECASE
)
_CODE: Final = (f"{places.HOME}/", f"{RUNS}/")
"""Where code writes, and agents only below their own folder."""
_FORMATS: Final = {"py": "python", "md": "markdown", "sql": "sql", "csv": "csv", "json": "json", "html": "html"}
ROOT: Final = "app"
QUIET: Final = "-p no:cacheprovider"
"""Tests leave nothing behind in the project but what they are for."""


@dataclass(frozen=True)
class Layout:
    """The files of a roster's agents."""

    reading: Reading
    roster: Roster

    @cached_property
    def root(self) -> str:
        """The folder of the program: the one that the summary names most, else `app`."""
        named = Counter(path.split("/")[0] for path, _ in self._paths() if path.endswith(".py") and "/" in path)
        named.pop("tests", None)
        return max(named, key=lambda name: (named[name], name)) if named else ROOT

    @cached_property
    def doers(self) -> tuple[str, ...]:
        return tuple(name for name, member in self.roster.agents.items() if member.kind == "doer")

    def domain(self, name: str) -> Domain:
        return domains.of_agent(name, self.roster.agents[name].agent_type)

    def stem(self, name: str) -> str:
        return name.removesuffix("_agent")

    def test(self, name: str) -> str:
        """The tests of an agent's own part: a folder for who tests the whole, "" for who writes text."""
        domain = self.domain(name)
        if domain is domains.TEST:
            return self._own(name)[0].path
        return f"tests/test_{self.stem(name)}.py" if domain.module or domain is domains.DEVOPS else ""

    def handover(self, name: str) -> Written:
        """What an agent leaves for the others to read."""
        file, about = self.domain(name).handover
        return Written(path=f"{places.output(name)}{file}", format="markdown", description=about)

    def writes(self, name: str) -> tuple[Written, ...]:
        """Everything that an agent writes."""
        domain, tests = self.domain(name), self.test(name)
        module = domain.module.format(root=self.root, stem=self.stem(name))
        own = [Written(path=module, format=form(module), description="its part of the program")] if module else []
        proof = [Written(path=tests, format="python", description="the tests of its part")] if tests else []
        found = (*own, *self._own(name), *proof, *self._mentioned(name), self.handover(name))
        return tuple({one.path: one for one in reversed(found)}.values())[::-1]

    def reads(self, name: str) -> tuple[Read, ...]:
        """What an agent needs: what its predecessors left and built, and what the summary says is there."""
        found = dict[str, Read]()
        for other in self.roster.agents[name].dependencies:
            for one in self._given(other) if other in self.doers else ():
                found.setdefault(one.path, _read(one, other))
        for path in self._needed(name):
            found.setdefault(
                path, Read.model_validate({"path": path, "format": form(path), **self._source(path, name)})
            )
        own = {one.path for one in self.writes(name)}
        return tuple(one for path, one in found.items() if path not in own)

    def handed(self, verifier: str) -> tuple[Read, ...]:
        """What a verifier looks at: everything that its doer writes."""
        doers = [name for name in self.doers if default_verifier(name) == verifier]
        return tuple(_read(one, name) for name in doers for one in self.writes(name))

    def _given(self, name: str) -> list[Written]:
        """What others build on: the handover and the part of the program, not its tests."""
        return [one for one in self.writes(name) if one.path != self.test(name) and not self._shared(one.path)]

    def _shared(self, path: str) -> bool:
        """Whether several agents write a path: then it is nobody's to hand over."""
        return sum(path in {one.path for one in self._mentioned(name)} for name in self.doers) > 1

    def _own(self, name: str) -> list[Written]:
        """What agents of this kind write besides; parts of one kind share it, one after the other."""
        return [
            Written(path=path.format(root=self.root, stem=self.stem(name)), format=kind, description=about)
            for path, kind, about in self.domain(name).extra
        ]

    def _mentioned(self, name: str) -> list[Written]:
        """What the summary has an agent write."""
        mine = {path: one for path, one in self._paths() if path in self._made and self._owns(name, one)}
        return [
            Written(path=path, format=form(path), description=one.text)
            for path, one in mine.items()
            if one.kind in WORK and (_WRITES.search(one.text) or not self._plainly(path))
        ]

    def _needed(self, name: str) -> list[str]:
        """What the summary has an agent read; what comes from somebody who works later is not there yet."""
        mine = dict.fromkeys(path for path, one in self._paths() if self._owns(name, one))
        return [path for path in mine if not any(self._later(writer, name) for writer in self._writers(path))]

    def _source(self, path: str, reader: str) -> dict[str, str]:
        writers = [name for name in self._writers(path) if name != reader]
        return {"from": writers[0]} if writers else {}

    def _writers(self, path: str) -> list[str]:
        return [name for name in self.doers if any(one.path == path for one in self._mentioned(name))]

    def _later(self, name: str, other: str) -> bool:
        return self._rank[name] > self._rank[other]

    @cached_property
    def _rank(self) -> dict[str, int]:
        """One order of all doers that keeps to their dependencies: whoever reads only from before can never wait in a
        circle."""
        known = self.roster.agents
        after = {name: [one for one in known[name].dependencies if one in self.doers] for name in self.doers}
        try:
            order = tuple(TopologicalSorter(after).static_order())
        except CycleError:  # the sequence says so, and to a person
            order = tuple(self.doers)
        return {name: place for place, name in enumerate(order)}

    @cached_property
    def _made(self) -> frozenset[str]:
        """The files that the work makes: something is to be done with them, or nobody says that they are there."""
        every = {path for path, _ in self._paths()}
        there = {path for path, one in self._paths() if one.kind not in WORK or _READS.search(one.text)}
        sound = {path for path in every if not path.startswith(_CODE) and not patterns.problem(path)}
        return frozenset(sound & ({path for path in every if self._plainly(path)} | (every - there)))

    def _plainly(self, path: str) -> bool:
        """Whether a statement says of a file that something is written to it."""
        return any(
            path == other and one.kind in WORK and _WRITES.search(one.text) is not None for other, one in self._paths()
        )

    def _owns(self, name: str, statement: Statement) -> bool:
        """Whether a statement is an agent's: one of its actions; where it is nobody's action, the first of its kind."""
        if any(statement.text in self.roster.agents[other].plan_action_sources for other in self.doers):
            return statement.text in self.roster.agents[name].plan_action_sources
        kind = self.domain(name).agent
        first = next(other for other in self.doers if self.domain(other).agent == kind)
        return name == first and kind in self.reading.owners(statement)

    @cached_property
    def _every(self) -> tuple[tuple[str, Statement], ...]:
        return tuple((path, one) for one in self.reading.statements for path in PATH.findall(one.text))

    def _paths(self) -> Iterator[tuple[str, Statement]]:
        return (pair for pair in self._every if not patterns.problem(pair[0]))


def _read(written: Written, source: str) -> Read:
    return Read.model_validate({"path": written.path, "format": written.format, "from": source})


def form(path: str) -> str:
    """The format that a path's ending stands for."""
    return _FORMATS.get(path.rpartition(".")[2], "")


def command(stack: Choices, tests: str) -> str | None:
    """What runs an agent's tests with the stack's own framework."""
    chosen = " ".join(text for layer in stack.technology_stack.values() for text in layer.chosen.values()).casefold()
    place = tests.removesuffix("/**")
    if not place:
        return None
    if "pytest" in chosen:
        return f"python -m pytest {place} -q {QUIET}"
    return f"python -m unittest discover -s {place.rpartition('/')[0]}" if "unittest" in chosen else None
