"""What is edited after the end: the run says so at once, and is not complete before it was looked at again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from signoff.core.commands import Ask, Command, Withdraw, Write
from signoff.core.decide import RESUME
from signoff.core.events import Answered
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import approving, boarding, outcome, places, status, working
from signoff.workflows.orchestration.approving import STALE
from signoff.workflows.orchestration.crew import together
from signoff.workflows.orchestration.design import STEPS, Design, Shelf, own_of
from signoff.workflows.orchestration.work import Work

LEADS = ("approve_architecture", "approve_roster", "sequence", "integration", "verify", "execute")
"""Where a run that was complete can begin again."""


def noticed(now: Now, own: Design, changed: Collection[str], leads: Callable[[str], str | None]) -> Move:
    """The run is stale while an output or the design is not what was verified; bytes that are put back settle it."""
    work = own.work
    assert work is not None  # narrows the type: the work came to its end
    outputs = {path for paths in edited(work, now.state.docs).values() for path in paths}
    design = _design(now, own, changed)
    steps = [*(leads(path) or "verify" for path in design), *(["execute"] if outputs else [])]
    stale = min(steps, key=STEPS.index, default="")
    since = tuple(sorted({*outputs, *design}))
    if (since, stale) == (own.edited_since, own.stale):
        return Move(own)
    own = replace(own, edited_since=since, stale=stale)
    old = tuple(Withdraw(request=name) for name, ask in now.state.requests.items() if ask.key == STALE)
    fresh: tuple[Command, ...] = (_request(own, work, now.state.docs),) if stale else ()
    return Move(own, (*_told(own, work, Shelf(now.state, now.look)), *old, *fresh))


def _told(own: Design, work: Work, shelf: Shelf) -> tuple[Command, ...]:
    """The board and the report say so too; what the report tells of the work is what was so at the end."""
    report = outcome.marked(shelf.text(places.REPORT), own.edited_since)
    stands = status.render(boarding.board(own, work, shelf))
    return Write(path=places.STATUS, text=stands), Write(path=places.REPORT, text=report)


def edited(work: Work, docs: Mapping[str, str]) -> dict[str, list[str]]:
    """The agents whose outputs are not what was verified, with the files. Of a tactical task its rulings count."""
    found = {name: working.differing(one, docs) for name, one in sorted(work.workers.items()) if not one.serves}
    return {name: paths for name, paths in found.items() if paths}


def builders(work: Work, edited_ones: Collection[str]) -> list[str]:
    """Who built on the work of these, or on that of one who did."""
    found = {*edited_ones}
    while more := {name for name, one in work.workers.items() if name not in found and not found.isdisjoint(one.read)}:
        found |= more
    return sorted(found - {*edited_ones})


def _design(now: Now, own: Design, changed: Collection[str]) -> set[str]:
    """The files of the approved design that were edited, while it is another one than was approved."""
    if own.digest == approving.design_digest(now):
        return set()
    return {*own.edited_since, *changed} & {*approving.approved_paths(now, "design")}


def _request(own: Design, work: Work, docs: Mapping[str, str]) -> Ask:
    files = ", ".join(own.edited_since)
    if own.stale != "execute":
        ask = approving.stale_request(own)
        return replace(ask, notes={"from": [own.stale], "default": own.stale})
    doers = list(edited(work, docs))
    others = builders(work, doers)
    built = f", and {together(others)} built on it" if others else ""
    question = f"{files} changed after the work of {together(doers)} was verified{built}. Resume to have it done again."
    return Ask(
        key=STALE, kind=STALE, options=(RESUME,), question=question, notes={"from": ["execute"], "default": "execute"}
    )


def on_done(now: Now) -> Move:
    """A person has it looked at again: the work goes on with what that undoes, and comes to an end anew."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    work, step = own.work, own.stale
    assert work is not None  # narrows the type: the work came to its end
    own = replace(own, choices=(*own.choices, f"{STALE}: {now.event.act}, {now.event.by}"))
    own, undone = approving.begun(own, step)
    own = replace(own, work=replace(work, ended=0, over=""), digest=own.digest if step == "execute" else "")
    return Move(own, undone, f"to_{step}")
