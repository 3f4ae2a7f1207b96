"""`workflow_coordination_plan.md`: the design as people read it, computed from its parts.

It says who decides what and where a person is needed, for this design and not in general.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration import inert, places, prose, sections
from signoff.workflows.orchestration.authority import CATEGORIES, decided_by
from signoff.workflows.orchestration.checkpoints import Checkpoint, Checkpoints, Criterion
from signoff.workflows.orchestration.ids import TSA
from signoff.workflows.orchestration.plan import Plan
from signoff.workflows.orchestration.risks import Poc, PocSpecs
from signoff.workflows.orchestration.roster import Roster
from signoff.workflows.orchestration.sequence import Phase, Placed, Sequence

HEADINGS: Final = ("Overview", "Phases", "Checkpoints", "Escalation", "User Intervention Points")
VERIFICATIONS, CRASHES, REVIEWS, REPEATED = 5, 3, 3, 3
"""After how many failed verifications, crashed attempts, reviews with open notes and turns with one question it is a
person's turn, or of a repeated question that of loop-resolution."""


def render(plan: Plan, roster: Roster, sequence: Sequence, checkpoints: Checkpoints, specs: PocSpecs) -> str:
    """The plan document; the same parts give the same bytes."""
    parts = (
        _overview(plan, roster, sequence),
        _phases(roster, sequence, specs),
        _checkpoints(checkpoints),
        _escalation(plan, roster, checkpoints),
        _interventions(roster, sequence, checkpoints, specs),
    )
    top = f"{sections.heading(1, f'Coordination plan: {plan.task}')}\n\nTask id: {inert.code(roster.task_id)}"
    return prose.document(top, zip(HEADINGS, parts, strict=True))


# --- small things -----------------------------------------------------------------------------------------------------


def _cell(text: str) -> str:
    return inert.line(text).replace("|", "\\|")


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


# --- overview ---------------------------------------------------------------------------------------------------------


def _overview(plan: Plan, roster: Roster, sequence: Sequence) -> str:
    return _joined(
        inert.block(plan.goal),
        _count(sequence),
        f"The longest way through it: {' -> '.join(map(inert.code, sequence.critical_path))}.",
        _table(roster),
        f"What binds everybody:\n\n{prose.bullets(map(inert.line, plan.constraints))}" if plan.constraints else "",
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


def _table(roster: Roster) -> str:
    rows = [
        f"| {inert.code(name)} | {one.kind} | {_cell(one.role)} | {inert.codes(one.dependencies) or 'nobody'} |"
        for name, one in sorted(roster.agents.items())
    ]
    return "\n".join(["| agent | kind | role | depends on |", "|---|---|---|---|", *rows])


# --- phases -----------------------------------------------------------------------------------------------------------


def _phases(roster: Roster, sequence: Sequence, specs: PocSpecs) -> str:
    begins = (
        "A phase begins when the one before it has ended. It ends when its doers are ready for verification, the doers "
        "of its verifiers are verified, and its PoCs are decided. A doer that fails its verification works again in "
        "the phase of its verifier."
    )
    forced = f"Orders that were forced:\n\n{_list(map(inert.line, sequence.notes))}" if sequence.notes else ""
    return _joined(begins, *(_phase(phase, roster, sequence, specs) for phase in sequence.execution_phases), forced)


def _phase(phase: Phase, roster: Roster, sequence: Sequence, specs: PocSpecs) -> str:
    side = "Side by side:" if phase.parallel else "Alone:"
    agents = _list(_placed(one, roster, sequence, specs) for one in phase.agents)
    return _joined(sections.heading(3, f"Phase {phase.phase_id}: {inert.line(phase.phase_name)}"), side, agents)


def _placed(one: Placed, roster: Roster, sequence: Sequence, specs: PocSpecs) -> str:
    member = roster.agents.get(one.agent_name)
    if one.verifies:
        does = f"looks at the work of {inert.codes(one.verifies)}"
    elif (spec := _spec(member.poc_id if member else None, specs)) is not None:
        does = f"tries {inert.code(spec.poc_id)}: {inert.line(spec.assumption)}"
    else:
        does = inert.line(member.role) if member else "has no entry in the roster"
    waits = () if one.verifies else sequence.dependency_graph.get(one.agent_name, ())
    return f"{inert.code(one.agent_name)} ({one.agent_type}): {does}" + (
        f"; waits for {inert.codes(waits)}" if waits else ""
    )


def _spec(poc_id: str | None, specs: PocSpecs) -> Poc | None:
    return next((poc for poc in specs.pocs if poc.poc_id == poc_id), None)


# --- checkpoints ------------------------------------------------------------------------------------------------------


def _checkpoints(checkpoints: Checkpoints) -> str:
    rule = (
        "Who depends on a doer waits for its verifier. A criterion that is not shown is missing evidence, and the doer "
        "works again with the list of it."
    )
    return _joined(rule, *map(_checkpoint, checkpoints.checkpoints))


def _checkpoint(one: Checkpoint) -> str:
    modes = [f"{inert.sentence(mode.mode)}. Then: {inert.line(mode.remediation)}" for mode in one.failure_modes]
    return _joined(
        sections.heading(3, f"{inert.line(one.id)}: {one.doer}"),
        f"Work of {inert.code(one.doer)}, looked at by {inert.code(one.verified_by)}:",
        _list(map(_criterion, one.criteria)),
        f"What can go wrong:\n\n{_list(modes)}" if modes else "",
    )


def _criterion(one: Criterion) -> str:
    command = f"; command: {inert.code(one.command)}" if one.command else ""
    return f"{inert.code(one.id)}: {inert.sentence(one.text)}; shown by: {inert.sentence(one.evidence)}{command}"


# --- escalation -------------------------------------------------------------------------------------------------------


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
    return _joined(
        _NOTES, _deciders(), _DOUBT, _BLOCKED, _held_up(roster), _ways(roster), _to_a_person(plan, checkpoints)
    )


def _ways(roster: Roster) -> str:
    """What becomes of a question, by whose it is."""
    tactical = (
        f"{inert.codes(decided_by('tactical_solution_architect'))}: {inert.code(TSA)} gets a task of its own, with "
        f"notes and verification, and decides within {inert.code(places.STACK)} and {inert.code(places.DECISIONS)}; "
        "its decision is appended there."
    )
    person = (
        f"{inert.codes(decided_by('person'))}: a person answers. The answer stays a proposal until "
        f"escalation-resolution has held it against the tasks of {inert.codes(roster.of_kind('doer'))}."
    )
    conflict = (
        f"{inert.codes(decided_by('escalation_resolution'))}: escalation-resolution settles it, or asks a person."
    )
    again = (
        f"The same question in {REPEATED} turns of one task: loop-resolution looks for the cause, and gives no further "
        "answer."
    )
    return _list([tactical, person, conflict, again])


def _deciders() -> str:
    rows = (
        (decided_by("tactical_solution_architect"), f"{inert.code(TSA)}, within the approved architecture"),
        (decided_by("person"), "a person"),
        (decided_by("escalation_resolution"), "escalation-resolution"),
        (decided_by("agent_self"), "the agent itself, with a ground that can be looked up"),
    )
    lines = [f"| {inert.codes(categories)} | {who} |" for categories, who in rows]
    return "\n".join(["| category | who decides |", "|---|---|", *lines])


def _held_up(roster: Roster) -> str:
    """Whom a stop of each doer would hold up, as the roster has it."""
    waiting = {
        name: sorted(other for other, member in roster.agents.items() if name in member.dependencies)
        for name in roster.of_kind("doer")
    }
    said = [f"{inert.code(name)} holds up {inert.codes(others)}" for name, others in waiting.items() if others]
    return f"In this design {'; '.join(said)}." if said else "In this design nobody waits for another."


def _to_a_person(plan: Plan, checkpoints: Checkpoints) -> str:
    verified = inert.codes(one.doer for one in checkpoints.checkpoints)
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
        items = prose.bullets(map(inert.line, plan.open_items))
        likely = f"The plan left this open, so questions about it are to be expected:\n\n{items}"
    return _joined(f"To a person goes:\n\n{_list(always)}", likely)


# --- where a person is needed -----------------------------------------------------------------------------------------


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
        spec = _spec(member.poc_id, specs)
        tried = f" tries “{inert.sentence(spec.assumption)}”" if spec else ""
        gated = inert.codes(member.gates) or "the work"
        outcome = f"when it does not pass, say how {gated} should go on; when it passes, nobody is asked"
        yield _where(name, "", sequence), f"{inert.code(name)}{tried}: {outcome}"


def _verifications(checkpoints: Checkpoints, sequence: Sequence) -> Iterator[tuple[int, str]]:
    for one in checkpoints.checkpoints:
        choice = f"after {VERIFICATIONS} failed verifications change the task, give guidance, or abandon it"
        yield _where(one.verified_by, one.doer, sequence), f"{inert.code(one.doer)}: {choice}"


def _where(name: str, verifies: str, sequence: Sequence) -> int:
    """The phase in which somebody works; of a verifier, the one in which it looks at this doer. 0 is none."""
    found = (
        phase.phase_id
        for phase in sequence.execution_phases
        for one in phase.agents
        if one.agent_name == name and (not verifies or verifies in (one.verifies or ()))
    )
    return next(found, 0)


# --- checking ---------------------------------------------------------------------------------------------------------


def findings(text: str, path: str) -> tuple[Finding, ...]:
    """What a plan document lacks: a section, words in it, or somebody who decides."""
    return tuple(_wrong(text, path))


def _wrong(text: str, path: str) -> Iterator[Finding]:
    try:
        there = sections.required(sections.split(text), HEADINGS, path, rule="coordination")
    except DocumentError as error:
        yield from error.findings
        return
    lines = [there[title].line for title in HEADINGS]
    if lines != sorted(lines):
        problem = f"the sections are in another order; valid: {', '.join(HEADINGS)}"
        yield _of("order", problem, path, min(lines))
    for title in HEADINGS:
        if not there[title].whole.strip():
            yield _of("empty", f"there is nothing under “{title}”", path, there[title].line)
    yield from _undecided(there["Escalation"].whole, path, there["Escalation"].line)


def _undecided(escalation: str, path: str, line: int) -> Iterator[Finding]:
    for category in CATEGORIES:
        if f"`{category}`" not in escalation:
            yield _of("escalation", f"“Escalation” does not say who decides {category}", path, line)


def _of(rule: str, problem: str, path: str, line: int) -> Finding:
    repair = "have the plan made again: it follows from the design"
    return Finding(rule=f"coordination.{rule}", problem=problem, repair=repair, file=path, line=line)
