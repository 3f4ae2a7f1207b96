"""`approval-request.md` and `escalation-report.md`: what a person is asked to approve, and why a run stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.commands import Ask
from signoff.core.state import State
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.state import ADAPTATION, Design, own_of

_POINTS = {
    "architecture": (
        "Are these the technologies and decisions?",
        "Is what was not taken from the reviews rightly left?",
    ),
    "roster": ("Are these the right agents, each with the right part of the plan?", "May the missing ones be made?"),
    "design": ("May this design be carried out as it is?", "Are the risks that are borne yours to bear?"),
    ADAPTATION: ("May the plan be changed like this?", "Is what is verified still worth what it was?"),
}
_REASONS = {
    "roster": '; say what to modify, or "Add: …", "Remove: name"',
    "adaptation": "; the agent that wanted it is told",
    "design": "; begin the reason with `roster:`, `contracts:`, `checkpoints:`, `instructions:` or `risk:`",
}


def project(state: State) -> Mapping[str, str | None]:
    """The agents' folders until the work begins, the open request, and the report of an escalation."""
    own = own_of(state)
    members = () if own.work else own.members
    home = f"_workflow/orchestration/{own.run}"
    folders = (
        f"{places.agent(name)}/{part}/.gitkeep" for name in members for part in ("completion_drive", "task_output")
    )
    waiting = next((ask for ask in state.requests.values() if ask.kind == "approval"), None)
    return {
        **dict.fromkeys(folders, ""),
        f"{home}/approval-request.md": _approval_request(own, waiting, state) if waiting else None,
        f"{home}/escalation-report.md": _escalation_report(own) if own.step == "escalated" else None,
    }


def _approval_request(own: Design, ask: Ask, state: State) -> str:
    gate = ask.key
    lines = [
        f"# Approval request: {own.task}, {gate}", "",
        f"- Asked: {state.at}", f"- Phase: {own.phase}", f"- Request: {ask.request}", "",
        "## Key decision points", "", *_bullets(_POINTS.get(gate, ())), "",
        *_SHOWN.get(gate, lambda _: [])(ask.notes),
        "## To know before", "", *_bullets(map(str, own.warnings), none="Nothing was noticed."), "",
        "## Rejected before", "", *_bullets(own.rejections, none="Never."), "",
        "## Artifacts to review", "", *_bullets(f"`{path}` sha256 `{sha}`" for path, sha in ask.of.items()), "",
        "## What to do", "",
        f"- Approve: `signoff approve {own.run} --gate {gate}`",
        f'- Reject: `signoff reject {own.run} --gate {gate} --reason "…"`{_REASONS.get(gate, "")}',
        f"- Modify: edit the files above, then `signoff approve {own.run} --gate {gate} --accept-changes`", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _architecture(notes: Mapping[str, Any]) -> list[str]:
    return ["## Review order and changes", "", *_quoted(str(notes["order"])), "", *_quoted(str(notes["changelog"])), ""]


def _roster(notes: Mapping[str, Any]) -> list[str]:
    lines = ["## Agents", ""]
    for name, one in notes["agents"].items():
        after = f", after {', '.join(one['dependencies'])}" if one["dependencies"] else ""
        there = "exists" if one["exists"] else "**does not exist yet**"
        lines += [f"### {name} ({there}{after})", "", squeeze(one["role"]), "", *_bullets(one["plan_actions"]), ""]
    return lines


def _design(notes: Mapping[str, Any]) -> list[str]:
    pocs = [f"{poc}: {assumption}" for poc, assumption in notes["pocs"].items()]
    borne = [f"{risk}: {why}" for risk, why in notes["borne"].items()]
    return [
        "## Phases", "", *_phases(notes), "",
        "## Forced orders", "", *_bullets(notes["forced"], none="None."), "",
        "## Tried before", "", *_bullets(pocs, none="Nothing."), "",
        "## Risks that are borne", "", *_bullets(borne, none="None."), "",
        f"The whole design has the digest `{notes['digest']}`.", "",
    ]  # fmt: skip


def _adaptation(notes: Mapping[str, Any]) -> list[str]:
    return [
        "## Why", "", squeeze(notes["why"]), "", *_bullets(notes["edits"]), "",
        "## What changes", "", *(f"    {line}" for line in notes["difference"]), "",
        "## Phases then", "", *_phases(notes), "",
        "## Verified and kept", "", *_bullets(notes["kept"], none="Nothing is verified yet."), "",
    ]  # fmt: skip


_SHOWN = {"architecture": _architecture, "roster": _roster, "design": _design, ADAPTATION: _adaptation}


def _escalation_report(own: Design) -> str:
    return "\n".join(
        [
            f"# Escalation report: {own.task}", "",
            f"- Reason: {own.escalation_reason}", f"- Step: {own.resume_to}", "",
            "## In the way", "", *_bullets(own.blockers, none="Nothing was named."), "",
            "## To resume", "",
            "Edit what is wrong (the documents below `orchestration/` are yours), then run",
            f"`signoff resume {own.run}`. It goes on from `{own.resume_to}`; `--from STEP` begins earlier.", "",
        ]
    )  # fmt: skip


def _phases(notes: Mapping[str, Any]) -> list[str]:
    return [f"{number}. {', '.join(agents)}" for number, agents in enumerate(notes["phases"], 1)]


def _bullets(items: Iterable[str], none: str = "None.") -> list[str]:
    return [f"- {squeeze(item)}" for item in items] or [none]


def _quoted(text: str) -> list[str]:
    """A document as a quotation, so that its headings are not headings of the page."""
    return [f"> {line}".rstrip() for line in text.strip().splitlines()]
