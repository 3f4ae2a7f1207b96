"""Commands on plain files: the order of a design computed and drawn, without a run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.workflow import FileCall, FileCommand, FileOutcome, Parameter
from signoff.workflows.orchestration import (
    checkpoints,
    drawing,
    file_contracts,
    places,
    roster,
    sequence,
    sequencing,
)

THREE = (places.ROSTER, places.CONTRACTS, places.CHECKPOINTS)
"""What an order is computed from, as it is named on a command line."""

DRAWINGS = {"text": drawing.terminal, "mermaid": drawing.mermaid}


def _base(path: str) -> str:
    return path.rpartition("/")[2]


BESIDE = (_base(places.CONTRACTS), _base(places.CHECKPOINTS))


# --- which file is which ----------------------------------------------------------------------------------------------


def _roles(call: FileCall) -> dict[str, str]:
    """Which of the given files is which of the three: by its name, else by its place in the call."""
    found = {place: name for place in THREE for name in call.files if _base(name) == _base(place)}
    others = [name for name in call.files if name not in found.values()]
    free = [place for place in THREE if place not in found]
    found |= dict(zip(free, others, strict=False))
    if lacking := [_base(place) for place in THREE if place not in found]:
        raise UsageError(
            f"there is no {' and no '.join(lacking)} beside {next(iter(call.files))}",
            valid="a roster with file contracts and checkpoints beside it, or ROSTER CONTRACTS CHECKPOINTS",
        )
    return found


def _computed(call: FileCall) -> tuple[sequence.Sequence, str]:
    """The order of the design that was named, and the file of its roster; findings name the files as they were given."""
    names = _roles(call)
    by_place = {place: call.files[name] for place, name in names.items()}
    who = roster.parse(by_place[places.ROSTER], names[places.ROSTER])
    files = file_contracts.parse(by_place[places.CONTRACTS], names[places.CONTRACTS])
    proofs = checkpoints.parse(by_place[places.CHECKPOINTS], names[places.CHECKPOINTS])
    try:
        return sequencing.sequence(who, files, proofs), names[places.ROSTER]
    except DocumentError as error:
        raise DocumentError(_renamed(error.findings, names)) from None


def _renamed(findings: Iterable[Finding], names: dict[str, str]) -> list[Finding]:
    return [replace(one, file=names.get(one.file, one.file)) for one in findings]


# --- sequence and graph -----------------------------------------------------------------------------------------------


def _sequence(call: FileCall) -> FileOutcome:
    made, beside = _computed(call)
    text = sequence.render(made)
    said = [
        f"{phase.phase_id}. {phase.phase_name}: {', '.join(one.agent_name for one in phase.agents)}"
        for phase in made.execution_phases
    ]
    said.append(f"critical path: {' -> '.join(made.critical_path) or 'none'}")
    said += [f"note: {note}" for note in made.notes]
    target = beside[: len(beside) - len(_base(beside))] + _base(places.SEQUENCE)
    writes = {target: text} if call.params["write"] else {}
    return FileOutcome(said=tuple(said), data=json.loads(text), writes=writes)


def _graph(call: FileCall) -> FileOutcome:
    name, data = next(iter(call.files.items()))
    made = sequence.parse(data, name) if _is_sequence(data) else _computed(call)[0]
    form = call.params["format"]
    drawn = DRAWINGS[form](made)
    return FileOutcome(shown=drawn, data={"format": form, "drawing": drawn})


def _is_sequence(data: bytes) -> bool:
    try:
        return "execution_phases" in json.loads(data)
    except (ValueError, TypeError, RecursionError):
        return False


COMMANDS = (
    FileCommand(
        name="sequence",
        about="Compute the order of the work from a roster, its file contracts and its checkpoints",
        run=_sequence,
        writes=True,
        example="signoff orchestration sequence orchestration/agent_roster.json --write",
        files="ROSTER [CONTRACTS CHECKPOINTS]",
        most=3,
        beside=BESIDE,
        parameters=(Parameter(name="write", about="write workflow_sequence.json beside the roster", flag=True),),
    ),
    FileCommand(
        name="graph",
        about="Draw the order of the work, from a sequence or from what it is computed from",
        run=_graph,
        checks=False,
        example="signoff orchestration graph orchestration/workflow_sequence.json --format mermaid",
        files="SEQUENCE | ROSTER [CONTRACTS CHECKPOINTS]",
        most=3,
        beside=BESIDE,
        parameters=(
            Parameter(
                name="format",
                about="a text for a terminal, or Mermaid for a page",
                choices=tuple(DRAWINGS),
                default="text",
            ),
        ),
    ),
)
