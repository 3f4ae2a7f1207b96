"""`workflow_coordination_plan.md`: the design as people read it, computed from its parts.

Verification compares the file with this text byte for byte: another word here makes older plans stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from signoff.artifacts import escape, markdown_blocks, markdown_headings
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_roster import Roster
from signoff.workflows.orchestration.documents.contracts import Checkpoint, Checkpoints
from signoff.workflows.orchestration.documents.plan_summary import Plan
from signoff.workflows.orchestration.documents.risks import PocSpecs
from signoff.workflows.orchestration.ids import TSA
from signoff.workflows.orchestration.sequence.work_sequence import Placed, Sequence
from signoff.workflows.orchestration.work.notes import CATEGORIES, Decider, decided_by

HEADINGS: Final = ("Overview", "Phases", "Checkpoints", "Escalation", "User Intervention Points")
VERIFICATIONS, CRASHES, REVIEWS, REPEATED = 5, 3, 3, 3
"""How many failed verifications, crashed attempts and reviews with open notes bring in a person, and how many turns
with the same question bring in loop-resolution."""


def render(plan: Plan, roster: Roster, sequence: Sequence, checkpoints: Checkpoints, specs: PocSpecs) -> str:
    """The plan document; the same parts give the same bytes."""
    parts = (
        _overview(plan, roster, sequence),
        _phases(roster, sequence, specs),
        _checkpoints(checkpoints),
        _escalation(plan, roster, checkpoints),
        _interventions(roster, sequence, checkpoints, specs),
    )
    top = f"{markdown_headings.heading(1, f'Coordination plan: {plan.task}')}\n\nTask id: {escape.code(roster.task_id)}"
    return markdown_blocks.document(top, zip(HEADINGS, parts, strict=True))


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _overview(plan: Plan, roster: Roster, sequence: Sequence) -> str:
    rows = ["| agent | kind | role | depends on |", "|---|---|---|---|"]
    for name, one in sorted(roster.agents.items()):
        role, waits = escape.line(one.role).replace("|", "\\|"), escape.codes(one.dependencies) or "nobody"
        rows.append(f"| {escape.code(name)} | {one.kind} | {role} | {waits} |")
    limits = markdown_blocks.bullets(map(escape.line, plan.constraints))
    return _joined(
        escape.block(plan.goal),
        _count(sequence),
        f"The longest way through it: {' -> '.join(map(escape.code, sequence.critical_path))}.",
        "\n".join(rows),
        f"What binds everybody:\n\n{limits}" if plan.constraints else "",
    )


def _count(sequence: Sequence) -> str:
    kinds = {placed.agent_name: placed.agent_type for phase in sequence.execution_phases for placed in phase.agents}
    counted = [
        f"{count} {kind}{'s' if count > 1 else ''}"
        for kind, name in (("doer", "doer"), ("verifier", "verifier"), ("PoC", "poc"))
        if (count := sum(found == name for found in kinds.values()))
    ]
    most, phases = sequence.parallelization_summary.max_parallel_agents, sequence.total_phases
    at_once = f"at most {most} at once" if most > 1 else "one at a time"
    return f"{', '.join(counted)} in {phases} phase{'s' if phases > 1 else ''}, {at_once}."


def _phases(roster: Roster, sequence: Sequence, specs: PocSpecs) -> str:
    begins = (
        "A phase begins when the one before it has ended. It ends when its doers are ready for verification, the doers "
        "of its verifiers are verified, and its PoCs are decided. A doer that fails its verification works again in "
        "the phase of its verifier."
    )
    forced = f"Orders that were forced:\n\n{_list(map(escape.line, sequence.notes))}" if sequence.notes else ""
    phases = []
    for phase in sequence.execution_phases:
        phases.append(markdown_headings.heading(3, f"Phase {phase.phase_id}: {escape.line(phase.phase_name)}"))
        phases.append("Side by side:" if phase.parallel else "Alone:")
        phases.append(_list(_placed(one, roster, sequence, specs) for one in phase.agents))
    return _joined(begins, *phases, forced)


def _placed(one: Placed, roster: Roster, sequence: Sequence, specs: PocSpecs) -> str:
    member = roster.agents.get(one.agent_name)
    if one.verifies:
        does = f"looks at the work of {escape.codes(one.verifies)}"
    elif spec := specs.of((member.poc_id if member else "") or ""):
        does = f"tries {escape.code(spec.poc_id)}: {escape.line(spec.assumption)}"
    else:
        does = escape.line(member.role) if member else "has no entry in the roster"
    waits = () if one.verifies else sequence.dependency_graph.get(one.agent_name, ())
    after = f"; waits for {escape.codes(waits)}" if waits else ""
    return f"{escape.code(one.agent_name)} ({one.agent_type}): {does}{after}"


def _checkpoints(checkpoints: Checkpoints) -> str:
    rule = (
        "Who depends on a doer waits for its verifier. A criterion that is not shown is missing evidence, and the doer "
        "works again with the list of it."
    )
    return _joined(rule, *map(_checkpoint, checkpoints.checkpoints))


def _checkpoint(one: Checkpoint) -> str:
    modes = [f"{escape.sentence(mode.mode)}. Then: {escape.line(mode.remediation)}" for mode in one.failure_modes]
    criteria = []
    for each in one.criteria:
        text, evidence = escape.sentence(each.text), escape.sentence(each.evidence)
        command = f"; command: {escape.code(each.command)}" if each.command else ""
        criteria.append(f"{escape.code(each.id)}: {text}; shown by: {evidence}{command}")
    return _joined(
        markdown_headings.heading(3, f"{escape.line(one.id)}: {one.doer}"),
        f"Work of {escape.code(one.doer)}, looked at by {escape.code(one.verified_by)}:",
        _list(criteria),
        f"What can go wrong:\n\n{_list(modes)}" if modes else "",
    )


_NOTES: Final = "Every doubt of an agent is a note with a category, and the category says who decides:"
_DOUBT: Final = (
    "In doubt, an agent escalates. Code refuses a note that an agent settles by itself without a category, in a "
    "category that is not its own, or about words that the project keeps for others."
)
_BLOCKED: Final = (
    "An agent that escalates ends its turn and is blocked. Blocked agents are taken in the order in which they "
    "stopped; answers go into their notes, and they work again."
)


def _escalation(plan: Plan, roster: Roster, checkpoints: Checkpoints) -> str:
    rows: tuple[tuple[Decider, str], ...] = (
        ("tactical_solution_architect", f"{escape.code(TSA)}, within the approved architecture"),
        ("person", "a person"),
        ("escalation_resolution", "escalation-resolution"),
        ("agent_self", "the agent itself, with a ground that can be looked up"),
    )
    deciders = [f"| {escape.codes(decided_by(decider))} | {who} |" for decider, who in rows]
    waiting = {
        name: sorted(other for other, member in roster.agents.items() if name in member.dependencies)
        for name in roster.of_kind("doer")
    }
    said = [f"{escape.code(name)} holds up {escape.codes(others)}" for name, others in waiting.items() if others]
    return _joined(
        _NOTES,
        "\n".join(["| category | who decides |", "|---|---|", *deciders]),
        _DOUBT,
        _BLOCKED,
        f"In this design {'; '.join(said)}." if said else "In this design nobody waits for another.",
        _ways(roster),
        _to_a_person(plan, checkpoints),
    )


def _ways(roster: Roster) -> str:
    """What happens to a question, by its decider."""
    tactical = (
        f"{escape.codes(decided_by('tactical_solution_architect'))}: {escape.code(TSA)} gets a task of its own, with "
        f"notes and verification, and decides within {escape.code(places.STACK)} and {escape.code(places.DECISIONS)}; "
        "its decision is appended there."
    )
    person = (
        f"{escape.codes(decided_by('person'))}: a person answers. The answer stays a proposal until "
        f"escalation-resolution has held it against the tasks of {escape.codes(roster.of_kind('doer'))}."
    )
    conflict = (
        f"{escape.codes(decided_by('escalation_resolution'))}: escalation-resolution settles it, or asks a person."
    )
    again = (
        f"The same question in {REPEATED} turns of one task: loop-resolution looks for the cause, and gives no further "
        "answer."
    )
    return _list([tactical, person, conflict, again])


def _to_a_person(plan: Plan, checkpoints: Checkpoints) -> str:
    verified = escape.codes(one.doer for one in checkpoints.checkpoints)
    always = [
        "what is wanted: every note of the category `requirement`;",
        "what would reverse an approved decision, costs money or cannot be taken back;",
        "a change of agents, dependencies, contracts or order: it is shown as a difference before it is made;",
        f"a doer that failed {VERIFICATIONS} verifications, with all their lists: {verified};",
        f"an agent with notes that are still open after {REVIEWS} reviews of them;",
        f"an agent that crashed {CRASHES} times, or was stopped while a command ran whose end nobody knows.",
    ]
    likely = "The plan left nothing open."
    if plan.open_items:
        items = markdown_blocks.bullets(map(escape.line, plan.open_items))
        likely = f"The plan left this open, so questions about it are to be expected:\n\n{items}"
    return _joined(f"To a person goes:\n\n{_list(always)}", likely)


def _interventions(roster: Roster, sequence: Sequence, checkpoints: Checkpoints, specs: PocSpecs) -> str:
    before = [
        "approve the architecture (gate `architecture`), with the reviews and what came of them",
        "approve the roster (gate `roster`), and create or drop each agent that no registry knows",
        "approve the whole design (gate `design`); work begins on exactly these bytes",
    ]
    known = sorted([*_pocs(roster, sequence, specs), *_verifications(checkpoints, sequence)])
    during = [f"phase {phase}, {what}" if phase else what for phase, what in known]
    always = [
        "answer what agents have escalated, all that wait together",
        "decide on changes of the design that are proposed while the work goes on",
        "decide how to go on after a crash, a command of unknown outcome, a used-up budget or an archive that failed",
    ]
    return _joined(
        f"Before the work:\n\n{_list(before)}",
        f"At known points of it:\n\n{_list(during)}" if during else "",
        f"Whenever it comes up:\n\n{_list(always)}",
    )


def _pocs(roster: Roster, sequence: Sequence, specs: PocSpecs) -> Iterator[tuple[int, str]]:
    for name in roster.of_kind("poc"):
        member = roster.agents[name]
        spec = specs.of(member.poc_id or "")
        tried = f" tries “{escape.sentence(spec.assumption)}”" if spec else ""
        gated = escape.codes(member.gates) or "the work"
        outcome = f"when it does not pass, say how {gated} should go on; when it passes, nobody is asked"
        yield _where(name, "", sequence), f"{escape.code(name)}{tried}: {outcome}"


def _verifications(checkpoints: Checkpoints, sequence: Sequence) -> Iterator[tuple[int, str]]:
    for one in checkpoints.checkpoints:
        choice = f"after {VERIFICATIONS} failed verifications change the task, give guidance, or abandon it"
        yield _where(one.verified_by, one.doer, sequence), f"{escape.code(one.doer)}: {choice}"


def _where(name: str, verifies: str, sequence: Sequence) -> int:
    """The phase in which an agent works; for a verifier, the one in which it verifies this doer; 0 if there is none."""
    found = (
        phase.phase_id
        for phase in sequence.execution_phases
        for one in phase.agents
        if one.agent_name == name and (not verifies or verifies in (one.verifies or ()))
    )
    return next(found, 0)


def undecided(text: str, path: str) -> Iterator[Finding]:
    """Categories without a decider in the section "Escalation" of a complete plan document."""
    try:
        there = markdown_headings.required(markdown_headings.split(text), HEADINGS, path, rule="coordination")
    except DocumentError:  # it is incomplete, which another check finds
        return
    repair, line = "have the plan made again: it follows from the design", there["Escalation"].line
    for category in CATEGORIES:
        if f"`{category}`" not in there["Escalation"].whole:
            problem = f"“Escalation” does not say who decides {category}"
            yield Finding(rule="coordination.escalation", problem=problem, repair=repair, file=path, line=line)
