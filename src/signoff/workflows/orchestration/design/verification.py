"""The verification step: code's checklist, an agent's reading, and the way back to the step that can fix findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.findings import Finding
from signoff.core.permissions import may_run_line
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import config, places
from signoff.workflows.orchestration.checks import design_checklist, design_files
from signoff.workflows.orchestration.config import config_of
from signoff.workflows.orchestration.design.instructions import concerning
from signoff.workflows.orchestration.design.turns import after_turn, turn
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.documents.design_verification import Verification
from signoff.workflows.orchestration.documents.parsers import is_document
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import ReadingOutput
from signoff.workflows.orchestration.state import ADAPTATION, Design, Shelf, noted, own_of

FIXED_BY = {
    "roster": "roster", "contracts": "contracts", "checkpoints": "contracts", "instructions": "instructions",
    "risk": "pocs", "plan": "sequence",
}  # fmt: skip
"""The step that fixes the findings of an area, in the order of the steps."""
UNRUN = "design.unrun"


def verified(now: Now, reading: ReadingOutput | None, at: int) -> Verification:
    """The verification of the whole design from its files."""
    own, shelf = own_of(now.state), Shelf(now.state, now.look)
    texts = {path: shelf.text(path) for path in shelf.under(f"{places.HOME}/") if is_document(path)}
    return design_checklist.verified(design_files.read(texts, own.task), reading, at)


def _by_area(found: Verification) -> dict[str, tuple[Finding, ...]]:
    """The errors of the design, by the area that fixes them."""
    noticed = [
        (one.area, Finding(rule=one.rule, problem=one.problem, repair=one.repair, file=one.file, about=one.about))
        for check in found.checks
        for one in check.findings
        if one.severity == "error"
    ]
    noticed += [
        (one.area, Finding(rule="design.read", problem=one.problem, repair=one.repair, file=one.file))
        for one in (found.reading.findings if found.reading else ())
        if one.severity == "error"
    ]
    return {area: tuple(one for where, one in noticed if where == area) for area, _ in noticed}


def enter_verify(now: Now) -> Move:
    """Findings of code go back at once: no agent reads a design that is known to be wrong."""
    own, found = own_of(now.state), verified(now, None, epoch(now.event.at))
    if found.result == "fail":
        return _sent_back(now, own, found)
    if own.adapting and _is_as_agreed(now):  # a person has approved the change, and code has checked the whole
        own = replace(own, adapting=False, required={}, blockers=())
        return Move(own, (Write(path=places.VERIFICATION, text=design_verification.render(found)),), "adapted")
    return Move(replace(own, adapting=False), (_reader(now, own, found),))


def _is_as_agreed(now: Now) -> bool:
    """Whether a person agreed to exactly this plan; any other needs a new approval of the whole design."""
    yes = next((one for one in reversed(own_of(now.state).approvals) if one.gate == ADAPTATION), None)
    return yes is not None and yes.digests.items() <= now.state.docs.items()


def _reader(now: Now, own: Design, found: Verification) -> StartTurn:
    reads = (
        own.summary, places.COORDINATION, places.ROSTER, places.CONTRACTS, places.CHECKPOINTS, places.SEQUENCE,
        places.STATUS, *(places.instructions(name) for name in own.members), places.POC_SPECS, places.RISK_REPORT,
    )  # fmt: skip
    notes = {"task": own.task, "checks": {one.check: one.result for one in found.checks}}
    task = "Read the whole design as somebody who has to carry it out, and say what does not hold."
    there = tuple(path for path in reads if path in now.state.docs)
    return turn("verify", "design-verifier", "design-reading", task, notes=notes, reads=there)


@after_turn
def on_verify(now: Now) -> Move:
    reading: ReadingOutput = now.output
    own, found = own_of(now.state), verified(now, reading, epoch(now.event.at))
    if found.result == "fail":
        return _sent_back(now, own, found)
    shown = (noted("design.gap", gap, "settle it now, or know that it is open") for gap in reading.gaps)
    seen = (noted("design.seen", one.problem, one.repair, file=one.file) for one in reading.findings)
    noticed = (one for check in found.checks for one in check.findings if one.severity == "warning")
    known = (noted("design.seen", one.problem, one.repair, about=one.about, file=one.file) for one in noticed)
    own = own.unwarned("design.gap", "design.seen", UNRUN).warned(*known, *seen, *shown, *_unrun(now))
    own = replace(own, required={}, blockers=())
    return Move(own, (Write(path=places.VERIFICATION, text=design_verification.render(found)),), "done")


def _unrun(now: Now) -> Iterator[Finding]:
    """Commands of criteria that no verifier may run: people are told that these are not checked."""
    allowed = config_of(now.state, now.look).commands
    for point in Shelf(now.state, now.look).checkpoints.checkpoints:
        for one in point.criteria:
            if one.command and not may_run_line(one.command, allowed):
                problem = f"{one.id} is shown by `{one.command}`, which no verifier may run"
                yield noted(UNRUN, problem, f"allow it under `commands` in {config.PATH}", about=point.doer)


def _sent_back(now: Now, own: Design, found: Verification) -> Move:
    """To the earliest step that can fix something; after the last round to a person."""
    write = Write(path=places.VERIFICATION, text=design_verification.render(found))
    wrong = _by_area(found)
    blockers = tuple(str(one) for findings in wrong.values() for one in findings)
    own = replace(requiring(own, wrong), blockers=blockers)
    by_code = wrong.keys() == {"plan"}  # code makes the plan: no agent can fix it
    if by_code or own.rounds.get("verify", 0) >= config_of(now.state, now.look).verification_rounds:
        return Move(own, (write,), "at_limit")
    area = next(one for one in FIXED_BY if one in wrong)
    return Move(own.counting("verify"), (write,), f"mend_{FIXED_BY[area]}")


def requiring(own: Design, wrong: Mapping[str, tuple[Finding, ...]]) -> Design:
    """The design with these findings to fix; the parts that they are about are made again."""
    both = {"contracts", "checkpoints"}
    kept = frozenset(both - wrong.keys()) if both & wrong.keys() else frozenset()
    adapting = own.adapting and wrong.keys() <= {
        "instructions"
    }  # any other fix needs a new approval of the whole design
    touched = {name for name in own.members if concerning(name, own.members, wrong.get("instructions", ()))}
    written = {name: basis for name, basis in own.written.items() if name not in touched}
    return replace(own, required=dict(wrong), kept=kept, written=written, adapting=adapting)
