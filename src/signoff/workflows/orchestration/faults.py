"""Faults that agents can be made to commit, so that every check can be tried: `signoff run --faults`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from signoff.core.declarations import Assignment, Tools
from signoff.core.errors import UsageError
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.ids import default_verifier

AREAS: Final = ("roster", "contracts", "checkpoints", "instructions", "risk", "plan")
NEVER_RAN: Final = "python -m pytest tests/never_ran.py -q"
STRAY: Final = "elsewhere/stray.txt"
QUESTION: Final = "Seeded fault: who reads what comes of this work in the end?"


def _some(output: Output, name: str) -> Any:
    """A field of an output; an output without it gets an unknown field instead."""
    found = output.get(name)
    if not found:
        raise UsageError(
            f"the output has no {name} to spoil", repair="nothing to do: an unknown field is added instead"
        )
    return found


def _more(output: Output, name: str, *items: Any) -> None:
    """Adds items to a list."""
    output[name] = [*output.get(name, ()), *items]


def _less(output: Output, name: str) -> None:
    """Removes the first entry of a list or mapping."""
    found = _some(output, name)
    del found[next(iter(found)) if isinstance(found, dict) else 0]


def _doers(output: Output) -> list[str]:
    """The doers of a roster, or the agents of contracts that write something."""
    return [name for name, one in _some(output, "agents").items() if one.get("plan_actions") or one.get("writes")]


def _doer(output: Output, at: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = output["agents"][_doers(output)[at]]
    return found


def _read(path: str, assignment: Assignment, tools: Tools) -> str:
    start = assignment.start
    if path not in ([ref.path for ref in start.pinned] or start.reads):
        raise UsageError(f"the turn does not have {path}", repair="nothing to do: an unknown field is added instead")
    return tools.read(path).decode("utf-8", "replace")


# --- the design -------------------------------------------------------------------------------------------------------


def _shuffled(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The reviews come in another order than the pattern's."""
    review = _some(output, "review")
    review.update(pattern="A", order=review["order"][::-1])


def _unnamed_change(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A draft changes, and the log does not say so."""
    text = output.get("architecture_decisions") or _read(places.DECISIONS, assignment, tools)
    head = "## Executive Summary\n"
    output["architecture_decisions"] = text.replace(head, f"{head}\nUnheard of.\n", 1)


def _forged_before(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The log gives a wrong earlier value for a change."""
    changes = _some(output, "changes")
    checked = [one for one in changes if one["document"] == "technology_stack.json" or "from" not in one]
    _some({"changes": checked}, "changes")[0]["from"] = "something that never stood there"


def _forged_quote(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    _doer(output)["plan_action_sources"][0] = "these words stand nowhere in the summary"


def _actions(output: Output, number: int) -> None:
    """Gives a doer this number of actions: leaves some out, or repeats the first."""
    agent = _doer(output)
    for name in ("plan_actions", "plan_action_sources"):
        agent[name] = [*agent[name], *[agent[name][0]] * number][:number]


def _cycle(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Two doers wait for each other, or the only one for itself."""
    doers = _doers(output)
    for one, other in ((doers[0], doers[-1]), (doers[-1], doers[0])):
        agent = output["agents"][one]
        agent["dependencies"] = list(dict.fromkeys((*agent.get("dependencies", ()), other)))


def _foreign_folder(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One doer writes into another's folder."""
    doers = _doers(output)
    path = f"{places.output(doers[-1] if len(doers) > 1 else 'somebody_agent')}gift.md"
    _doer(output)["writes"].append({"path": path, "format": "markdown", "description": "seeded fault"})


def _circle(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Two doers read what the other writes."""
    doers = _doers(output)
    for one, other in ((doers[0], doers[-1]), (doers[-1], doers[0])):
        path = output["agents"][other]["writes"][0]["path"]
        output["agents"][one].setdefault("reads", []).append({"path": path, "from": other})


def _unverified(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A doer without a checkpoint; the only one gets the checkpoint of another agent."""
    points = _some(output, "checkpoints")
    if len(points) > 1:
        points.pop()
    else:
        points[0]["doer"] = "somebody_agent"


def _shared_verifier(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The first doer's verifier verifies all doers: an error if two of them work at the same time."""
    points = _some(output, "checkpoints")
    for point in points[1:]:
        point["verifier"] = default_verifier(points[0]["doer"])


def _untried(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """No risk is tried, and none is accepted."""
    if not output.get("borne"):
        _some(output, "pocs")
    output.update(pocs=[], borne={})


def _reworded(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A PoC tries something slightly different from the assumption."""
    _some(output, "pocs")[0]["assumption"] += ", more or less"


def _taken_name(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A PoC gets the name of an existing agent."""
    roster = _read(places.ROSTER, assignment, tools)
    name = "database_agent" if '"database_agent"' in roster else "verifier_agent"
    _some(output, "edits")[0]["name"] = name


def _own_words(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A practice that is not in the research."""
    practices = _some(output, "practices")
    practices[next(iter(practices))] = ["Be careful, as everybody knows."]


def _error_in(area: str) -> Spoil:
    """An error in one area; it stays if the fault is named for every attempt (`@1`, `@2` …)."""
    seen = {"severity": "error", "area": area, "problem": "seeded fault: it does not convince", "repair": "do it again"}
    return lambda output, *_: _more(output, "findings", seen)


_PHANTOM: Final = {
    "document": "technology_stack.json",
    "place": "performance_targets.availability",
    "to": "always",
    "reason": "seeded fault",
}
_OUTSIDE: Final = {"path": "../elsewhere.txt", "description": "seeded fault"}
_REVIEW: Final = ("strengths", "concerns", "recommendations", "questions", "risk_factors")
_REVIEWER: Final[Mapping[str, Spoil]] = {
    "silent": lambda output, *_: output.update({name: [] for name in _REVIEW}),
    "inquisitive": lambda output, *_: _more(output, "questions", "Seeded fault: what is it called in the end?"),
}
DESIGN: Final[Mapping[str, Mapping[str, Spoil]]] = {
    "solution-architect": {
        "shuffled": _shuffled,
        "no-reason": lambda output, *_: _less(_some(output, "review"), "why"),
    },
    "security-reviewer": _REVIEWER,
    "database-reviewer": _REVIEWER,
    "api-reviewer": _REVIEWER,
    "frontend-reviewer": _REVIEWER,
    "tactical-solution-architect": {
        "unnamed-change": _unnamed_change,
        "phantom-change": lambda output, *_: _more(output, "changes", _PHANTOM),
        "forged-before": _forged_before,
        "groundless": lambda output, *_: _some(output, "rulings")[0].update(ground="these words stand in no document"),
        "unruled": lambda output, *_: _less(output, "rulings"),
    },
    "roster-designer": {
        "forged-quote": _forged_quote,
        "two-actions": lambda output, *_: _actions(output, 2),
        "eight-actions": lambda output, *_: _actions(output, 8),
        "unsourced": lambda output, *_: _doer(output)["plan_action_sources"].pop(),
        "unknown-dependency": lambda output, *_: _more(_doer(output, -1), "dependencies", "messaging_agent"),
        "cycle": _cycle,
        "unguided": lambda output, *_: _some(output, "agents").update(
            oracle_agent={**_doer(output), "agent_type": None, "creation_guidance": None}
        ),
    },
    "file-structure-designer": {
        "foreign-folder": _foreign_folder,
        "outside": lambda output, *_: _doer(output)["writes"].append(_OUTSIDE),
        "forgotten": lambda output, *_: output["agents"].pop(_doers(output)[0]),
        "wrong-source": lambda output, *_: _more(
            _doer(output, -1),
            "reads",
            {"path": "notes/never-written.md", "from": _doers(output)[0], "format": "markdown"},
        ),
        "circle": _circle,
    },
    "checkpoint-designer": {
        "unverified": _unverified,
        "shared-verifier": _shared_verifier,
        "no-criteria": lambda output, *_: _some(output, "checkpoints")[0].update(criteria=[]),
    },
    "instruction-writer": {
        "pathless": lambda output, *_: _less(output, "outputs" if output.get("outputs") else "inputs"),
        "headed": lambda output, *_: output.update(task=f"{output['task']}\n\n## Escalation\n\nNever."),
        "another-agent": lambda output, *_: output.update(agent="somebody_agent"),
    },
    "best-practices-researcher": {
        "another-technology": lambda output, *_: output.update(technology="COBOL"),
        "no-source": lambda output, *_: _some(output, "best_practices")[0].update(source="common knowledge"),
        "empty-research": lambda output, *_: output.update(best_practices=[], failure_patterns=[]),
    },
    "risk-checklist": {
        "missing-category": lambda output, *_: output.update(
            items=[item for item in _some(output, "items") if item["category"] != "reversibility"]
        ),
        "another-type": lambda output, *_: output.update(agent_type="somebody_agent"),
    },
    "doer-consultation": {
        "unknown-item": lambda output, *_: _some(output, "risks")[0].update(checklist_item="weather.1"),
        "another-agent": lambda output, *_: output.update(agent="somebody_agent"),
    },
    "poc-recommendation": {
        "untried": _untried,
        "ungated": lambda output, *_: _some(output, "pocs")[0].update(gates=[]),
        "strange-gate": lambda output, *_: _some(output, "pocs")[0].update(gates=["somebody_agent"]),
        "reworded": _reworded,
    },
    "poc-integration": {"left-out": lambda output, *_: _less(output, "edits"), "taken-name": _taken_name},
    "best-practices-integration": {
        "own-words": _own_words,
        "unpractised": lambda output, *_: _less(output, "practices"),
    },
    "design-verifier": {f"error-in-{area}": _error_in(area) for area in AREAS},
}
"""The faults of each agent of the design, and what each does to its output."""


# --- the work ---------------------------------------------------------------------------------------------------------


def _noted(status: str, category: str | None, said: str, **more: str) -> Spoil:
    """Adds a note; an escalated one blocks its agent."""
    note = {"description": said, "context": "a seeded fault", "status": status, **more}
    note |= {"category": category} if category else {}

    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        _more(output, "notes", dict(note))
        if status == "escalated":
            output["status"] = "blocked"

    return spoil


def _strays(_output: Output, _assignment: Assignment, tools: Tools) -> None:
    """It writes outside of its contract; that is refused and recorded, whatever it says afterwards."""
    with suppress(UsageError):
        tools.write(STRAY, "a seeded fault\n")


def _runs_wild(_output: Output, _assignment: Assignment, tools: Tools) -> None:
    """It runs a command that is not allowed."""
    with suppress(UsageError):
        tools.run("git push origin main")


def _open_notes(output: Output, assignment: Assignment, tools: Tools) -> None:
    """It settles nothing, and says that it is ready."""
    kept = ("note_id", "description", "context", "category")
    notes = output.get("notes", ())
    output["notes"] = [{**{name: one[name] for name in kept if name in one}, "status": "open"} for one in notes]
    if not output["notes"]:
        _noted("open", "implementation", "Seeded fault: nobody settles this.")(output, assignment, tools)
    output["status"] = "ready_for_verification"


def _judged(output: Output, result: str, missing: tuple[str, ...] = (), **each: bool) -> None:
    """A verdict with the same finding for every criterion."""
    criteria = [{**one, **each} for one in output["criteria"]]
    output.update(result=result, missing_evidence=list(missing), criteria=criteria)


def _skips(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It leaves out the first criterion, and judges one that does not exist."""
    output["criteria"] = [*output["criteria"][1:], {"id": "cp_nobody.1", "met": True, "evidence": "seeded fault"}]


def _assessed(result: str) -> Spoil:
    """An assessment that the evidence does not support."""
    return lambda output, *_: output.update(
        assessment=result, criteria=[{**one, "met": result == "pass"} for one in output["criteria"]]
    )


def _edits_nobody(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """It wants to change an agent that does not exist."""
    output["edits"] = [{"edit": "remove_agent", "name": "somebody_agent", "reason": "a seeded fault"}]
    if "decision" in output:
        output["decision"] = "adapt"


def _overlooks(output: Output, assignment: Assignment, _tools: Tools) -> None:
    """It accepts every answer, whatever it says."""
    answers = assignment.start.notes.get("answers") or {}
    given = {note: str(said) for note, said in answers.items() if said}
    output.update(resolutions={**output.get("resolutions", {}), **given}, conflicts={})


def _quarrels(output: Output, assignment: Assignment, _tools: Tools) -> None:
    """It finds a conflict in every answer."""
    asked = [*(assignment.start.notes.get("answers") or {}), *output.get("resolutions", {})]
    conflicts = dict.fromkeys(asked, "seeded fault: it breaks the task of somebody_agent")
    output.update(resolutions={}, conflicts=conflicts)


_CONFLICT: Final = (
    "The users table is kept in SQLite, in one file beside the service, and another document says otherwise."
)
_MINE: Final = "Is this mine to settle?"
_KEYS: Final = "May callers be told which keys are known?"
_KEPT: Final = "The old password field is kept as it is."
WORK: Final[Mapping[str, Mapping[str, Spoil]]] = {
    "doer": {
        "slipshod": lambda output, *_: output.update(evidence=[]),
        "forged-evidence": lambda output, *_: output.update(
            evidence=[{**one, "command": NEVER_RAN} for one in output.get("evidence", ())]
        ),
        "settles-security": _noted("resolved", "security", _KEYS, resolution="Yes, it is simpler."),
        "settles-words": _noted("resolved", "implementation", _KEPT, resolution="Nobody said otherwise."),
        "uncertain": _noted("resolved", None, _MINE, resolution="Probably."),
        "strays": _strays,
        "runs-wild": _runs_wild,
        "endless": lambda output, *_: output.update(status="working"),
        "too-early": lambda output, *_: output.update(status="ready_for_verification"),
        "open-notes": _open_notes,
        "loop": _noted("escalated", "requirement", QUESTION, escalation_reason="It is not mine to settle."),
        "conflicted": _noted("escalated", "conflict", _CONFLICT, escalation_reason="Both cannot be followed."),
        "unreasoned": _noted("escalated", "technology", "Which version of it?"),
        "strange-note": _noted("open", "bug", "Somebody else's", note_id="note_999"),
    },
    "verifier": {
        "lenient": lambda output, *_: _judged(output, "pass", met=True),
        "strict": lambda output, *_: _judged(output, "fail", ("seeded fault: it does not convince",), met=False),
        "contradicts": lambda output, *_: _judged(output, "pass", met=False),
        "speechless": lambda output, *_: _judged(output, "fail", met=False),
        "leaves-out": lambda output, *_: _judged(output, "pass", met=False, left_out=True),
        "skips": _skips,
    },
    "poc-evidence-reviewer": {
        **{f"assessed-{result}": _assessed(result) for result in ("pass", "partial", "fail")},
        "skips": _skips,
    },
    "poc-decision": {
        "presses-on": lambda output, *_: output.update(decision="proceed", edits=[]),
        "escalates": lambda output, *_: output.update(decision="escalate", edits=[]),
        "edits-nobody": _edits_nobody,
    },
    "escalation-resolution": {
        "overlooks": _overlooks,
        "quarrels": _quarrels,
        "unasked": lambda output, *_: output.update(
            resolutions={**output.get("resolutions", {}), "note_999": "Seeded fault: it is settled."}
        ),
    },
    "loop-resolution": {
        "no-way-out": lambda output, *_: output.update(edits=[], questions=[]),
        "edits-nobody": _edits_nobody,
    },
}
"""The faults of the agents of the work."""

_BY_AGENT: Final = {**DESIGN, **WORK}
KINDS: Final = {agent: (MALFORMED, OFF_SCHEMA, CRASH, *kinds) for agent, kinds in _BY_AGENT.items()}
SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: lambda output, *_: output.update(confidence="high"),
    **{kind: spoil for kinds in _BY_AGENT.values() for kind, spoil in kinds.items()},
}
FAULTS: Final = Faults(KINDS, SPOIL)
