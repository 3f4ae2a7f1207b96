"""Draws a sequence, as Mermaid for a page and as text for a terminal of 80 columns.

Both show the phases from top to bottom, the agents in each, what each agent waits for, and the critical path.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, zip_longest
from textwrap import wrap

from signoff.artifacts import escape
from signoff.workflows.orchestration.sequence import work_sequence as document
from signoff.workflows.orchestration.sequence.work_sequence import Placed

WIDTH = 80
_INSIDE = WIDTH - 2
_COLUMNS = 3
_MARGIN = 4
"""The space in a cell that is not text: a mark between two spaces, and one space at the end."""

_SHAPES = {"doer": '["{}"]', "verifier": '(["{}"])', "poc": '{{{{"{}"}}}}'}
_ESCAPES = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"})

_DIRECTIVE = re.compile(r"%%+(?=\{)")


@dataclass(frozen=True, slots=True)
class Node:
    """An agent in its phase; `before` are the numbers of those it waits for."""

    number: int
    placed: Placed
    critical: bool
    before: tuple[int, ...]


def _rows(given: document.Sequence) -> list[list[Node]]:
    """All agents, phase by phase, with consecutive numbers. An agent of the graph that is in no phase is left out."""
    numbers = count(1)
    rows = [{next(numbers): one for one in phase.agents} for phase in given.execution_phases]
    critical: set[int] = set()
    for row in rows:  # the critical path goes down from phase to phase
        due = given.critical_path[len(critical) : len(critical) + 1]
        critical |= {number for number, one in row.items() if due == (one.agent_name,)}
    last: dict[str, int] = {}
    verified: dict[str, tuple[int, str]] = {}
    for number, one in (pair for row in rows for pair in row.items()):
        verified |= dict.fromkeys(one.verifies or (), (number, one.agent_name))
    found = []
    for row in rows:
        found.append(
            [
                Node(number, one, number in critical, tuple(_before(one, given.dependency_graph, last, verified)))
                for number, one in row.items()
            ]
        )
        last |= {one.agent_name: number for number, one in row.items()}
    return found


def _before(
    one: Placed, graph: Mapping[str, Sequence[str]], last: Mapping[str, int], verified: Mapping[str, tuple[int, str]]
) -> Iterator[int]:
    """The agents that an agent waits for: instead of a doer its verifier, except for the verifier itself."""
    for other in graph.get(one.agent_name, ()):
        number, verifier = verified.get(other, (last.get(other), ""))
        if other in (one.verifies or ()):
            number, verifier = last.get(other), ""
        if number is not None and verifier != one.agent_name:
            yield number


def mermaid(given: document.Sequence) -> str:
    """The sequence as a flowchart with a frame for each phase; the critical path has thick lines."""
    rows = _rows(given)
    lines = ["flowchart TD"]
    for at, (phase, row) in enumerate(zip(given.execution_phases, rows, strict=True), 1):
        name = _remark(phase.phase_name).translate(_ESCAPES)
        lines.append(f'  subgraph p{at}["{phase.phase_id}: {name}"]')
        lines += [f"    n{one.number}{_SHAPES[one.placed.agent_type].format(one.placed.agent_name)}" for one in row]
        lines.append("  end")
    nodes = [one for row in rows for one in row]
    critical = [one.number for one in nodes if one.critical]
    thick = set(pairwise(critical))
    for one in nodes:
        lines += [
            f"  n{number} {'==>' if (number, one.number) in thick else '-->'} n{one.number}" for number in one.before
        ]
    if critical:
        lines.append("  classDef critical stroke-width:3px")
        lines.append(f"  class {','.join(f'n{number}' for number in critical)} critical")
    return "\n".join([*lines, *(f"  %% {_remark(note)}" for note in given.notes)]) + "\n"


def _remark(text: str) -> str:
    """Text in which Mermaid finds no directive (`%%{init: …}%%`)."""
    return _DIRECTIVE.sub("%", escape.line(text))


def terminal(given: document.Sequence) -> str:
    """The sequence in boxes, one for each phase, no line wider than 80 columns."""
    rows = _rows(given)
    names = {one.number: one.placed.agent_name for row in rows for one in row}
    lines = [*_wrapped(_summary(given), ""), ""]
    for at, (phase, row) in enumerate(zip(given.execution_phases, rows, strict=True)):
        lines += ["↓".rjust(WIDTH // 2)] if at else []
        lines += _box(phase, row, names)
    if given.notes:
        lines += ["", "Notes"]
        lines += [line for note in given.notes for line in _wrapped(escape.line(note), "- ")]
    return "\n".join(lines) + "\n"


def _summary(given: document.Sequence) -> str:
    if not given.execution_phases:
        return "No agent has anything to do."
    counted = given.parallelization_summary
    agents = f"{counted.total_agents} agent{'s' * (counted.total_agents != 1)}"
    phases = f"{given.total_phases} phase{'s' * (given.total_phases != 1)}"
    return f"{agents}, {phases}, at most {counted.max_parallel_agents} at once; ↑ waits for, * critical path"


def _box(phase: document.Phase, row: Sequence[Node], names: Mapping[int, str]) -> list[str]:
    many = f" ({len(row)} side by side)" if len(row) > 1 else ""
    title = _cut(f"{phase.phase_id} {escape.line(phase.phase_name)}", _INSIDE - 4 - len(many)) + many
    lines = [f"┌─ {title} {'─' * (_INSIDE - 3 - _wide(title))}┐"]
    columns = _columns(row, names)
    space = (_INSIDE - (columns - 1)) // columns
    for start in range(0, len(row), columns):
        cells = [_cell(one, names, space) for one in row[start : start + columns]]
        filled = ("│".join(part.ljust(space) for part in parts) for parts in zip_longest(*cells, fillvalue=""))
        lines += [f"│{line.ljust(_INSIDE)}│" for line in filled]
    return [*lines, f"└{'─' * _INSIDE}┘"]


def _columns(row: Sequence[Node], names: Mapping[int, str]) -> int:
    """As many columns as there are agents, and as the longest name leaves room for."""
    waits = (len(names[number]) + 3 for one in row for number in one.before)  # an arrow before, a comma behind
    longest = max([*(len(_head(one)) for one in row), *waits], default=0) + _MARGIN
    return max(1, min(len(row), _COLUMNS, (_INSIDE + 1) // (longest + 1)))


def _head(node: Node) -> str:
    return node.placed.agent_name + (" (PoC)" if node.placed.agent_type == "poc" else "")


def _cell(node: Node, names: Mapping[int, str], space: int) -> list[str]:
    """An agent's name, marked if it is on the critical path, and below it the agents that it waits for."""
    name = wrap(_head(node), space - _MARGIN)
    waits = wrap(", ".join(names[number] for number in node.before), space - _MARGIN - 2)
    marks = ["*" if node.critical else " ", *" " * (len(name) - 1)]
    lines = [f" {mark} {line}" for mark, line in zip(marks, name, strict=True)]
    return [*lines, *(f"   {' ' if at else '↑'} {line}" for at, line in enumerate(waits))]


def _wrapped(text: str, mark: str) -> list[str]:
    """The text in lines of at most 80 columns; a Chinese character takes two."""
    lines, line = [], mark
    for word in text.split(" "):
        if _wide(line) + _wide(word) > WIDTH and line.strip(" -"):
            lines.append(line.rstrip())
            line = " " * len(mark)
        line += f"{word} "
    return [_cut(one, WIDTH) for one in [*lines, line.rstrip()]]


def _wide(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _cut(text: str, space: int) -> str:
    """The beginning that fits, with an ellipsis if something is missing."""
    if _wide(text) <= space:
        return text
    while _wide(text) > space - 1:
        text = text[:-1]
    return f"{text}…"
