"""Where an issue came from and what became of it; what a critic said in each round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.events import Event
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.content.issues import same
from signoff.workflows.content.state import Issue, Piece, own_of


def trace(what: str, state: State, events: Sequence[Event], look: Look) -> Mapping[str, Any] | None:  # noqa: ARG001
    """The way of an issue (`I-003`) or of a critic (`oli-gardner`) through the rounds."""
    piece = own_of(state)
    issue = next((one for one in piece.issues if one.id.casefold() == what.casefold()), None)
    if issue is not None:
        return _issue(piece, issue)
    return _critic(piece, what) if what in piece.critics else None


def _issue(piece: Piece, issue: Issue) -> Mapping[str, Any]:
    return {
        "id": issue.id,
        "text": issue.description,
        "found by": f"{issue.name} ({issue.advisor}), in round {issue.since}",
        "severity": issue.severity,
        "status": issue.status,
        "suggestion": issue.suggestion,
        "rounds": [line for one in piece.rounds if (line := _in_round(one, issue))],
    }


def _in_round(one: Any, issue: Issue) -> str:
    critique = one.by(issue.advisor)
    if critique is None or one.number < issue.since:
        return ""
    if critique.error:
        return f"round {one.number}: the critic could not say anything ({critique.error})"
    said = next((said for said in critique.issues if same(said.description, issue.description)), None)
    return f"round {one.number}: {f'[{said.severity}] {said.description}' if said else 'no longer found'}"


def _critic(piece: Piece, name: str) -> Mapping[str, Any]:
    said = [(one.number, one.by(name)) for one in piece.rounds]
    return {
        "id": name,
        "text": next((critique.name for _, critique in said if critique), name),
        "rounds": [
            f"round {number}: {critique.error or f'score {critique.score}, {len(critique.issues)} issues'}"
            for number, critique in said
            if critique
        ],
        "issues": [
            f"{one.id} [{one.severity}, {one.status}] {one.description}" for one in piece.issues if one.advisor == name
        ],
    }
