"""Findings that a person overruled: what that does to a gate's result, what it is bound to, and when it is void.

An overrule speaks of one finding: its rule, its words, and the texts that it is about (`Gate.binds`), to the byte. It
is kept in the state. Each time a gate has run, the kernel compares: a finding with the same words on the same texts is
handed to the workflow as `overruled`, which fails nothing; on any other text it is an error again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signoff.core.commands import Check
from signoff.core.events import Checked, Overruled
from signoff.core.findings import Finding, Weight, failing
from signoff.core.refs import Look, Ref
from signoff.core.state import Judged, Overrule, State, replace
from signoff.core.workflow import Workflow

PEOPLE = ("person", "recorded")
"""What stands before the colon in the name of an actor who is a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFinding:
    """A finding that fails a gate and that a person may overrule, with the texts that it is about as they are now."""

    finding: Finding
    gate: str
    of: Mapping[str, str]


# --- what a gate said -------------------------------------------------------------------------------------------------


def judged(workflow: Workflow, state: State, check: Check, event: Checked, look: Look) -> tuple[State, Checked]:
    """The state with what a gate said, and the event as the workflow sees it: with what people overruled."""
    findings = event.findings
    if state.overrules:
        findings = tuple(_weighed(workflow, state, check, finding, look) for finding in findings)
    others = {key: known for key, known in state.judged.items() if key != check.key}
    if any(finding.severity != "warning" for finding in findings):
        others[check.key] = Judged(check=check, findings=findings)
    return replace(state, judged=others), replace(event, findings=findings)


def _weighed(workflow: Workflow, state: State, check: Check, finding: Finding, look: Look) -> Finding:
    """The finding as it counts: overruled if a person overruled these words on these texts, else as the gate said."""
    known = [one for one in state.overrules if one.finding.words == finding.words]
    if not known or finding.severity == "warning":
        return finding
    bound = _bound(workflow, check, finding, check.of, look)
    severity: Weight = "overruled" if any(one.of == bound for one in known) else "error"
    return replace(finding, severity=severity)


def _bound(workflow: Workflow, check: Check, finding: Finding, of: Mapping[str, Ref], look: Look) -> dict[str, str]:
    return dict(workflow.gate(check.gate).binds(finding, of, look))


def failed(event: Checked, known: Judged | None) -> tuple[Finding, ...]:
    """The findings that failed a gate when it ran, by what is `known` of the check after the event."""
    overruled = {finding.words for finding in known.findings if finding.severity == "overruled"} if known else set()
    return tuple(finding for finding in failing(event.findings) if finding.words not in overruled)


# --- a person's word --------------------------------------------------------------------------------------------------


def overruled(workflow: Workflow, state: State, event: Overruled, look: Look) -> State | Finding:
    """The state after a person overruled a finding or took that back, or why they may not."""
    if state.rev == 1:
        return _refusal("run.unknown", "the run has not begun", "begin it first")
    if event.by.partition(":")[0] not in PEOPLE:
        return _refusal("overrule.person", f"{event.by} is not a person", "leave it to a person")
    same = [one for one in state.overrules if one.finding.words == event.finding.words]
    if event.undo:
        if not same:
            return _refusal("overrule.none", f"finding {event.finding.id} is not overruled", "nothing to do")
        kept = tuple(one for one in state.overrules if one not in same)
        return _again(workflow, replace(state, overrules=kept), look)
    if not event.reason.strip():
        return _refusal("overrule.reason", "an overrule needs a reason", "say why the finding does not count")
    found = [one for one in open_findings(workflow, state, look) if one.finding.words == event.finding.words]
    if not found:
        problem = f"no gate has the finding {event.finding.id} on the texts as they are now"
        return _refusal("overrule.unknown", problem, "let the gates run again, and overrule what they find then")
    if all(one.of != event.of for one in found):
        problem = f"the text changed that finding {event.finding.id} is about"
        return _refusal("overrule.changed", problem, "look at the finding again")
    before = tuple(one for one in state.overrules if one not in same or one.of.keys() != event.of.keys())
    made = Overrule(finding=found[0].finding, of=dict(event.of), by=event.by, at=event.at, reason=event.reason)
    return _again(workflow, replace(state, overrules=(*before, made)), look)


def _again(workflow: Workflow, state: State, look: Look) -> State:
    """The state with what the gates said last weighed again."""
    weighed = {
        key: replace(known, findings=tuple(_restored(workflow, state, known, one, look) for one in known.findings))
        for key, known in state.judged.items()
    }
    return replace(state, judged=weighed)


def _restored(workflow: Workflow, state: State, known: Judged, finding: Finding, look: Look) -> Finding:
    plain = replace(finding, severity="error") if finding.severity == "overruled" else finding
    return _weighed(workflow, state, known.check, plain, look)


def _refusal(rule: str, problem: str, repair: str) -> Finding:
    return Finding(rule=rule, problem=problem, repair=repair)


# --- what people see --------------------------------------------------------------------------------------------------


def open_findings(workflow: Workflow, state: State, look: Look) -> list[OpenFinding]:
    """What fails now and may be overruled: each finding once, if its texts are still those that the gate read."""
    found: dict[tuple[str, ...], OpenFinding] = {}
    for known in state.judged.values():
        now = {role: ref for role, path in known.check.reads.items() if (ref := state.ref(path))}
        for finding in failing(known.findings):
            bound = _bound(workflow, known.check, finding, known.check.of, look)
            if bound == _bound(workflow, known.check, finding, now, look):
                key = (*finding.words, *sorted(bound.values()))
                found.setdefault(key, OpenFinding(finding=finding, gate=known.check.gate, of=bound))
    return list(found.values())


def about(what: str, state: State) -> list[dict[str, Any]]:
    """The overrules of findings that concern this id, or that have it."""
    return [one for one in to_json(state) if what and what in (one["about"], one["id"])]


def to_json(state: State) -> list[dict[str, Any]]:
    """All overrules of a run, each with whether it holds."""
    return [{**one.to_json(), "holds": one in state.in_force} for one in state.overrules]
