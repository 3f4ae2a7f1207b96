"""The approvals of architecture, roster and design, and how a run goes on after an edit, an escalation or its
replacement by another run."""

from __future__ import annotations

from typing import Any

from signoff.core.commands import Ask, Command, Finish, Write
from signoff.core.decide import APPROVE, RESUME
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.design.turns import Handler
from signoff.workflows.orchestration.design.verification import FIXED_BY, requiring
from signoff.workflows.orchestration.documents import design_verification
from signoff.workflows.orchestration.state import STEPS, Approval, Design, Shelf, noted, own_of

REJECT = "reject"
STALE = "stale"
AGAIN = ("architecture", "roster", "contracts", "sequence", "instructions", "pocs", "verify")
"""The steps at which a person may let a design begin again, earliest first."""


def offered(until: str) -> list[str]:
    """The steps at which a run that stopped at one may begin again."""
    return [step for step in AGAIN if STEPS.index(step) <= STEPS.index(until)]


def _earliest(*steps: str) -> str:
    return min(steps, key=STEPS.index)


def approved_paths(now: Now, gate: str) -> tuple[str, ...]:
    """The documents that a person approves at each gate."""
    shelf = Shelf(now.state, now.look)
    if gate == "architecture":
        found: tuple[str, ...] = (places.STACK, places.DECISIONS, *shelf.under(f"{places.FEEDBACK}/"))
    elif gate == "roster":
        found = (places.ROSTER,)
    else:
        plan = own_of(now.state).summary  # the actions of the roster quote it
        found = (plan, places.DECISIONS, *design_verification.design_paths(shelf.roster, shelf.sequence))
    return tuple(path for path in found if path in now.state.docs)


def approval(gate: str) -> tuple[Handler, Handler]:
    """The step in which a person approves or rejects a part of the design."""

    def enter(now: Now) -> Move:
        own, options = own_of(now.state), (APPROVE, REJECT)
        of = {path: now.state.docs[path] for path in approved_paths(now, gate)}
        question = f"Approve the {gate} of {own.task}?"
        notes = _to_weigh(now, gate)
        return Move(own, (Ask(key=gate, kind="approval", options=options, question=question, of=of, notes=notes),))

    def on(now: Now) -> Move:
        own, event = own_of(now.state), now.event
        if not isinstance(event, Answered):
            return Move(own)
        if event.act == APPROVE:
            digests = {path: now.state.docs[path] for path in approved_paths(now, gate)}
            yes = Approval(gate=gate, by=event.by, at=event.at, digests=digests)
            own = replace(own, approvals=(*own.approvals, yes))
            return Move(replace(own, digest=design_digest(now)) if gate == "design" else own, (), "approved")
        reason = str(event.payload.get("reason", ""))
        own = replace(own, rejections=(*own.rejections, f"{gate}, {event.by}: {reason}"))
        return _rejected(own, gate, reason)

    return enter, on


def _to_weigh(now: Now, gate: str) -> dict[str, Any]:
    """What a person should know before they approve, taken from the documents."""
    shelf = Shelf(now.state, now.look)
    if gate == "architecture":
        return {"order": shelf.text(places.ORDER), "changelog": shelf.text(places.CHANGELOG)}
    if gate == "roster":
        fields = {"role", "exists", "dependencies", "plan_actions"}
        agents = {name: one.model_dump(mode="json", include=fields) for name, one in shelf.roster.agents.items()}
        return {"agents": agents, "missing": list(shelf.roster.missing_agents)}
    order = shelf.sequence
    return {
        "phases": [[one.agent_name for one in phase.agents] for phase in order.execution_phases],
        "forced": list(order.notes),
        "pocs": {one.poc_id: one.assumption for one in shelf.specs.pocs},
        "borne": dict(shelf.specs.borne),
        "digest": design_digest(now),
    }


def design_digest(now: Now) -> str:
    """One digest of the whole design, without the evolution notes, which grow during the work."""
    shas = {path: now.state.docs[path] for path in approved_paths(now, "design") if path != places.DECISIONS}
    return design_verification.digest(shas, Shelf(now.state, now.look).text(places.DECISIONS))


def _rejected(own: Design, gate: str, reason: str) -> Move:
    """Back to the step that made it. A design goes back to the area that the reason begins with (`contracts: …`)."""
    area, _, rest = (part.strip() for part in reason.partition(":"))
    if gate == "design" and area in FIXED_BY and area != "roster" and rest:
        said = Finding(rule="person.rejected", problem=rest, repair="mend it")
        return Move(requiring(own, {area: (said,)}), (), f"mend_{FIXED_BY[area]}")
    if gate == "design":
        own = replace(own, rejected={**own.rejected, "roster": rest if area == "roster" and rest else reason})
        return Move(own, (), "mend_roster")
    return Move(replace(own, rejected={**own.rejected, gate: reason}), (), "rejected")


def stale_request(own: Design) -> Ask:
    """The request to the person who edited a design after its approval."""
    files = ", ".join(own.edited_since)
    question = f"{files} changed after the design of {own.task} was approved. Resume to begin again at {own.stale}."
    notes = {"from": offered(own.stale), "default": own.stale}
    return Ask(key=STALE, kind=STALE, options=(RESUME,), question=question, notes=notes)


def resumed(now: Now) -> Move:
    """After a person edited an approved design, everything that the edit undoes is done again."""
    own = own_of(now.state)
    step = _earliest(now.begins_at(own.stale), own.stale)
    if isinstance(now.event, Answered):
        own = replace(own, choices=(*own.choices, f"{STALE}: {now.event.act}, {now.event.by}"))
    return Move(*begun(own, step), f"to_{step}")


def enter_escalated(now: Now) -> Move:
    own = own_of(now.state)
    question = f"{own.task} needs a person at {own.resume_to} ({own.escalation_reason}): {'; '.join(own.blockers[:3])}"
    notes = {"from": offered(own.resume_to), "default": own.resume_to}
    ask = Ask(key="escalation", kind="escalation", options=(RESUME,), question=question, notes=notes)
    return Move(own, (ask, Finish(reason="escalated")))


def on_escalated(now: Now) -> Move:
    """A person resumed the run: their edits count, and the rounds are counted from zero."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    due = _earliest(own.stale or own.resume_to, own.resume_to)
    step = _earliest(now.begins_at(due), due)
    own, undone = begun(own, step)
    return Move(replace(own, rounds={}, blockers=(), escalation_reason=None), undone, f"to_{step}")


def enter_replaced(now: Now) -> Move:
    """Another run now designs in the folder: this run writes nothing more."""
    own = own_of(now.state)
    problem = f"{places.HOME}/ holds the design of another run now; what this one made stays with it"
    told = noted("design.replaced", problem, f"take it up in a folder of its own: `signoff fork {own.run} --help`")
    own = replace(own, digest="", stale="", resume_to="", blockers=(), members=(), warnings=(told,))
    return Move(own, (Finish(reason="replaced"),))


def on_replaced(now: Now) -> Move:
    return Move(own_of(now.state))


def begun(own: Design, step: str) -> tuple[Design, tuple[Command, ...]]:
    """The run goes on at a step. Unless the run stopped there or an edit led there, everything after the step is made
    again, except instructions that a person edited."""
    goes_on, same = step in (own.resume_to, own.stale), step == own.resume_to
    own = replace(own, stale="", resume_to="", edited_since=(), warnings=(), returned=own.returned if same else {})
    if _earliest(step, "create_agents") == step:
        own = replace(own, integrated=False)
    if step == "architecture":
        own = replace(own, reviewed=0, decided=0)
    if goes_on:
        return own, ()
    if _earliest(step, "instructions") == step:
        by_hand = {name: basis for name, basis in own.written.items() if places.instructions(name) in own.by_hand}
        own = replace(own, kept=frozenset(), written=by_hand)
    return own, (Write(path=places.POC_SPECS, text=None),) if step == "pocs" else ()
