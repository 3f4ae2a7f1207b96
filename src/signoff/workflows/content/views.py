"""What people read of a piece: progress, rounds, the summary. All follows from the state."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from signoff.core.refs import Look
from signoff.core.state import State
from signoff.workflows.content import rubric
from signoff.workflows.content.state import (
    APPROVED,
    AT_LIMIT,
    Piece,
    Round,
    content_path,
    draft_path,
    home,
    latest,
    own_of,
)
from signoff.workflows.content.steps import author, conductor, critics

_MARKUP = re.compile(r"[\\`*_\[\]<>|!#&]")
_PHASE = {"draft": "draft", "revise": "revision", "critique": "critiques", "": "conducting"}
STATUS = {"complete": "complete", AT_LIMIT: AT_LIMIT, "error": "error", "escalated": "error", "budget": "waiting"}


def project(state: State) -> Mapping[str, str | None]:
    """The state documents and the record of the rounds; if a person edits one, code writes it again."""
    piece = own_of(state)
    made: dict[str, str | None] = {f"{home(piece.name)}/pipeline_progress.json": _json(progress(state))}
    for one in piece.rounds:
        if one.ran:
            made[f"{home(piece.name)}/critique_round/{one.number}.json"] = _json(_round(piece, one))
        if one.recorded:
            made[f"content/{piece.name}/rounds/{one.number:02d}.json"] = _json(_round(piece, one))
    if any(one.recorded for one in piece.rounds):
        made[f"content/{piece.name}/summary.md"] = summary_page(state)
    return made


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


# --- progress ---------------------------------------------------------------------------------------------------------


def progress(state: State) -> dict[str, Any]:
    """Where the piece is on its way: no list of steps, for the agent decides which there are."""
    piece = own_of(state)
    return {
        "status": status_word(state),
        "round": piece.round.number if piece.round else len(piece.rounds) + 1,
        "maxRounds": piece.most_rounds,
        "currentStep": current_step(state),
        "openIssues": {str(one.number): len(one.summary.open) for one in piece.rounds if one.summary},
    }


def status_word(state: State) -> str:
    """running, complete, error, max-rounds-reached or waiting."""
    if state.stop:
        return STATUS.get(state.stop, "error")
    return "waiting" if state.requests else "running"


def current_step(state: State) -> str:
    """What is going on now, in a few words."""
    piece = own_of(state)
    if state.stop:
        return f"Ended: {state.stop}"
    if state.requests:
        return "Waiting for a person"
    judging = [turn.start for turn in state.turns.values() if turn.start.key.startswith(critics.PREFIX)]
    names = {str(one.notes["advisor"]["id"]): str(one.notes["advisor"]["name"]) for one in judging}
    if asked := critics.flying(state):
        return f"Running critiques: {', '.join(names.get(one, one) for one in (*asked, *piece.queue))}"
    keys = {turn.start.key for turn in state.turns.values()}
    if author.KEY in keys:
        return "Revising the draft" if piece.doing == "revise" else "Writing the draft"
    if critics.SELECT in keys:
        return "Selecting critics"
    return "Deciding what to do next" if conductor.KEY in keys else "Between turns"


# --- rounds -----------------------------------------------------------------------------------------------------------


def _round(piece: Piece, one: Round) -> dict[str, Any]:
    """A round as a file has it: everything that was said in it, and what came of it.

    `carriedForward` names the critics who were not asked in it, with the round whose critique counts for them.
    """
    last = {
        critique.advisor: earlier.number
        for earlier in piece.rounds[piece.before : max(piece.before, one.number - 1)]
        for critique in earlier.ran
    }
    carried = {name: number for name, number in last.items() if one.by(name) is None}
    return {
        "round": one.number,
        "draft": one.of,
        "critiques": [critique.plain(piece.minimum) for critique in one.ran],
        "carriedForward": carried,
        **(one.decision.plain() if one.decision else {"decision": None}),
        **(one.summary.plain() if one.summary and one.recorded else {}),
    }


# --- the summary ------------------------------------------------------------------------------------------------------


def summary_page(state: State) -> str:
    """What came of all rounds, for a person: scores, open issues per round, the life of each issue, what must stay."""
    piece = own_of(state)
    recorded = [one.summary for one in piece.rounds if one.summary and one.recorded]
    keep = recorded[-1].keep if recorded else ()
    facts = (
        f"- type: {piece.kind}\n- critics: {', '.join(piece.critics) or 'none'}\n"
        f"- rounds: {len(piece.rounds)} of at most {piece.most_rounds}; revisions: {piece.revisions}"
    )
    issues = [
        f"- **{one.id}** [{one.severity}, {one.status}] {_cell(one.name)}: {_cell(one.description)} "
        f"(since round {one.since}, last seen in round {one.seen})"
        for one in piece.issues
    ]
    parts = [
        f"# {_cell(str(piece.idea['title']))}: {piece.saved or 'not saved yet'}",
        facts,
        "## Rounds\n\n" + "\n".join(_table(piece)),
        "## Issues\n\n" + ("\n".join(issues) or "None was found."),
        "## Do not regress\n\n" + ("\n".join(f"- {_cell(one)}" for one in keep) or "Nothing yet."),
    ]
    if piece.warnings:
        parts.append("## Warnings\n\n" + "\n".join(f"- {_cell(one)}" for one in piece.warnings))
    return "\n\n".join(parts) + "\n"


def _table(piece: Piece) -> list[str]:
    head = ["round", *piece.critics, "average", "decision", "open issues"]
    rows = [[str(cell) for cell in _row(piece, one)] for one in piece.rounds if one.recorded]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _row(piece: Piece, one: Round) -> list[Any]:
    said = {critique.advisor: "error" if critique.error else critique.score for critique in one.ran}
    average = one.decision.average if one.decision else None
    verdict = one.decision.verdict if one.decision else ""
    scores = [said.get(name, "–") for name in piece.critics]
    shown = "–" if average is None else f"{average:.1f}"
    return [one.number, *scores, shown, verdict, len(one.summary.open) if one.summary else 0]


def _cell(text: str) -> str:
    """What an agent said, on one line and as plain words: it is data, and never markup of ours."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


# --- status -----------------------------------------------------------------------------------------------------------


def status(state: State) -> Mapping[str, Any]:
    """The workflow's part of `status.json`."""
    piece = own_of(state)
    turns = [turn.start for turn in state.turns.values()]
    agents = [turn.agent for turn in sorted(turns, key=lambda turn: turn.key == conductor.KEY)]
    blockers = [piece.blocked] if piece.blocked else []
    if piece.saved == AT_LIMIT:
        still = f"not approved: {sum(issue.is_open for issue in piece.issues)} issues are open and no revision is left"
        blockers = [f"{still}; saved as {content_path(piece.name)}"]
    phase = _PHASE[piece.doing] if piece.chosen else "selection"
    return {
        "phase": state.stop or phase,
        "progress": progress(state),
        "rounds": {"round": f"{len(piece.rounds)} of {piece.most_rounds}"} if piece.rounds else {},
        "type": piece.kind,
        "critics": list(piece.critics),
        "quality": piece.saved or None,
        "findings": sum(issue.is_open for issue in piece.issues),
        "average": rubric.mean(tuple(latest(piece).values())),
        "next_agent": "human" if state.requests else next(iter(agents), "code"),
        "blockers": blockers,
        "escalation_reason": piece.stopped or None,
        "warnings": list(piece.warnings),
        "edited_since": list(piece.edited_since),
        "outputs": [content_path(piece.name), f"content/{piece.name}/summary.md"] if piece.saved == APPROVED else [],
    }


def summary(state: State, _look: Look) -> Mapping[str, Any]:
    """What came of it so far, in a few lines, and what to try next."""
    piece = own_of(state)
    lines = [f"quality: {piece.saved or 'not saved'}; critics: {', '.join(piece.critics) or 'none'}"]
    lines += [_line(one, piece.most_rounds) for one in piece.rounds if one.decision]
    if piece.saved:
        lines.append(f"file: {content_path(piece.name)}, with content/{piece.name}/summary.md beside it")
    elif state.ref(draft_path(piece.name)):
        lines.append(f"draft: {draft_path(piece.name)}")
    first = piece.issues[0].id if piece.issues else ""
    return {"lines": lines, "next": [f"signoff trace {first}"] if first else []}


def _line(one: Round, most: int) -> str:
    assert one.decision is not None  # narrows the type: the caller asks for decided rounds only
    average = "no average" if one.decision.average is None else f"average {one.decision.average:.1f}"
    opened = len(one.summary.open) if one.summary else 0
    issues = "1 issue" if opened == 1 else f"{opened} issues"
    return f"round {one.number} of {most}: {average}, {issues} open, {one.decision.verdict}"
