"""Rosters, file contracts and checkpoints in a few words, for the tests of orchestration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoints, FileContracts

AT = 1727539200
HEAD: dict[str, Any] = {"task_id": f"user_management_{AT}", "created": AT}


def roster(agents: Mapping[str, Any]) -> Roster:
    """Agents by name: those they depend on, or their fields."""
    return Roster.model_validate({**HEAD, "agents": {name: _member(name, given) for name, given in agents.items()}})


def _member(name: str, given: Any) -> dict[str, Any]:
    fields = dict(given) if isinstance(given, Mapping) else {"dependencies": _names(given)}
    fields["dependencies"] = _names(fields.get("dependencies", ()))
    return {"role": f"does what {name} does", "task_id": f"{name}_{AT}", "exists": True, **fields}


def _names(given: Iterable[str] | str) -> list[str]:
    return given.split() if isinstance(given, str) else list(given)


def contracts(agents: Mapping[str, Any]) -> FileContracts:
    """Contracts by agent: `reads`, a path or a path and who writes it, `writes` and `resources`."""
    return FileContracts.model_validate(
        {**HEAD, "agents": {name: _contract(**given) for name, given in agents.items()}},
    )


def _contract(reads: Iterable[Any] = (), writes: Iterable[str] = (), resources: Iterable[str] = ()) -> dict[str, Any]:
    pairs = [(one, None) if isinstance(one, str) else one for one in reads]
    return {
        "reads": [{"path": path, "from": source} for path, source in pairs],
        "writes": [{"path": path} for path in writes],
        "resources": list(resources),
    }


def checkpoints(doers: Iterable[str], **named: str) -> Checkpoints:
    """A checkpoint for each of the doers; `named` says who verifies some of them."""
    return Checkpoints.model_validate({**HEAD, "checkpoints": [checkpoint(doer, named.get(doer)) for doer in doers]})


def checkpoint(doer: str, verifier: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": f"check_{doer}",
        "doer": doer,
        "verifier": verifier,
        "criteria": [{"id": "c1", "text": "The tests pass", "evidence": "the output of the tests"}],
        "failure_modes": [{"mode": "A test fails", "remediation": "mend it and run all of them again"}],
        **more,
    }


def design(
    agents: Mapping[str, Any], files: Mapping[str, Any] | None = None, **named: str
) -> tuple[Roster, FileContracts, Checkpoints]:
    """A whole design: every doer has a checkpoint."""
    made = roster(agents)
    return made, contracts(files or {}), checkpoints(made.of_kind("doer"), **named)
