"""What is refused of the two turns after a PoC: the evidence against its criteria, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.core.workflow import Now
from signoff.workflows.orchestration import adapting
from signoff.workflows.orchestration.design import Shelf, own_of
from signoff.workflows.orchestration.designing import works_under
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.turns import strayed
from signoff.workflows.orchestration.verdicts import AssessmentOutput, PocDecisionOutput
from signoff.workflows.orchestration.working import subject


def check_assessment(now: Now, output: AssessmentOutput) -> Sequence[Finding]:
    """Every criterion is judged once; the assessment is what the criteria say."""
    return tuple(_wrong(now, output))


def _wrong(now: Now, output: AssessmentOutput) -> Iterator[Finding]:
    yield from strayed(now)
    _, points = works_under(Shelf(now.state, now.look), subject(now))
    wanted = [one.id for point in points for one in point.criteria]
    said = [one.id for one in output.criteria]
    if sorted(said) != sorted(wanted):
        found = ", ".join(said) or "none"
        yield Finding(
            rule="assessment.criteria", problem=f"judged: {found}", repair=f"judge each once: {', '.join(wanted)}"
        )
        return
    met = {one.id for one in output.criteria if one.met}
    passes = {name for name in wanted if "_pass_" in name}
    failed = met - passes
    due = "fail" if failed else "pass" if passes <= met else "partial"
    if output.assessment != due:
        problem = f"it is assessed as {output.assessment}, and its criteria say {due}"
        yield Finding(rule="assessment.result", problem=problem, repair=f"say {due}, or judge the criteria otherwise")


def check_decision(now: Now, output: PocDecisionOutput) -> Sequence[Finding]:
    """Only what passed proceeds unattended, and edits must be such as can be made."""
    return tuple(_undecided(now, output))


def _undecided(now: Now, output: PocDecisionOutput) -> Iterator[Finding]:
    yield from strayed(now)
    work = own_of(now.state).work
    assessed = work.assessed.get(subject(now)) if work else None
    if output.decision == "proceed" and assessed != "pass":
        problem = f"it is to proceed, and was assessed as {assessed}"
        yield Finding(rule="poc.proceed", problem=problem, repair="adapt, or escalate: a person decides what is borne")
    if output.decision == "adapt" and not output.edits:
        yield Finding(rule="poc.edits", problem="it is to adapt without edits", repair="give them, or escalate")
    if output.decision != "adapt" and output.edits:
        problem = f"there are edits, and the decision is {output.decision}"
        yield Finding(rule="poc.edits", problem=problem, repair="leave them out, or adapt")
    if output.edits:
        shelf = Shelf(now.state, now.look)
        try:
            adapting.apply(
                shelf.roster, shelf.contracts, output.edits, shelf.specs, created=epoch(now.event.at),
            )  # fmt: skip
        except DocumentError as error:
            yield from error.findings
