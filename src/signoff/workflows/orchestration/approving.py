"""What people settle at the end of each part: the architecture, the roster, the design; and how a run ends or stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from signoff.core.commands import Ask, Command, Finish, Write
from signoff.core.decide import APPROVE, RESUME
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.frozen import replace
from signoff.core.table import Move
from signoff.core.workflow import Now
from signoff.workflows.orchestration import places, verification
from signoff.workflows.orchestration.design import STEPS, Approval, Design, Shelf, noted, own_of
from signoff.workflows.orchestration.judging import MENDS, anew

REJECT = "reject"
STALE = "stale"
AGAIN = ("architecture", "roster", "contracts", "sequence", "instructions", "pocs", "verify")
"""Where a person may have a design begin again, earliest first."""


def offered(until: str) -> list[str]:
    """Where a run that stopped there may begin again: what comes later has not been made, or not approved."""
    return [step for step in AGAIN if STEPS.index(step) <= STEPS.index(until)]


def _earliest(*steps: str) -> str:
    return min(steps, key=STEPS.index)


def approved_paths(now: Now, gate: str) -> tuple[str, ...]:
    """What a person signs off at each gate."""
    shelf = Shelf(now.state, now.look)
    if gate == "architecture":
        found: tuple[str, ...] = (places.STACK, places.DECISIONS, *shelf.under(f"{places.FEEDBACK}/"))
    elif gate == "roster":
        found = (places.ROSTER,)
    else:
        plan = own_of(now.state).summary  # the actions of the roster and the goal of the work are its words
        found = (plan, places.DECISIONS, *verification.design_paths(shelf.roster, shelf.sequence))
    return tuple(path for path in found if path in now.state.docs)


def enter_approval(gate: str) -> Callable[[Now], Move]:
    def enter(now: Now) -> Move:
        own = own_of(now.state)
        of = {path: now.state.docs[path] for path in approved_paths(now, gate)}
        question = f"Approve the {gate} of {own.task}?"
        ask = Ask(
            key=gate, kind="approval", options=(APPROVE, REJECT), question=question, of=of, notes=_to_weigh(now, gate)
        )
        return Move(own, (ask,))

    return enter


def _to_weigh(now: Now, gate: str) -> dict[str, Any]:
    """What a person should know before they say yes, from the documents as they are."""
    shelf = Shelf(now.state, now.look)
    if gate == "architecture":
        return {"order": shelf.text(places.ORDER), "changelog": shelf.text(places.CHANGELOG)}
    if gate == "roster":
        known = shelf.roster
        agents = {
            name: {
                "role": one.role,
                "exists": one.exists,
                "dependencies": list(one.dependencies),
                "plan_actions": list(one.plan_actions),
            }
            for name, one in known.agents.items()
        }
        return {"agents": agents, "missing": list(known.missing_agents)}
    order = shelf.sequence
    return {
        "phases": [[one.agent_name for one in phase.agents] for phase in order.execution_phases],
        "forced": list(order.notes),
        "pocs": {one.poc_id: one.assumption for one in shelf.specs.pocs},
        "borne": dict(shelf.specs.borne),
        "digest": design_digest(now),
    }


def design_digest(now: Now) -> str:
    """One digest for the whole design; evolution notes, which grow while the work is done, aside."""
    shas = {path: now.state.docs[path] for path in approved_paths(now, "design") if path != places.DECISIONS}
    return verification.digest(shas, Shelf(now.state, now.look).text(places.DECISIONS))


def on_approval(gate: str) -> Callable[[Now], Move]:
    def on(now: Now) -> Move:
        own = own_of(now.state)
        if not isinstance(now.event, Answered):
            return Move(own)
        event = now.event
        if event.act == APPROVE:
            digests = {path: now.state.docs[path] for path in approved_paths(now, gate)}
            yes = Approval(gate=gate, by=event.by, at=event.at, digests=digests)
            own = replace(own, approvals=(*own.approvals, yes))
            return Move(replace(own, digest=design_digest(now)) if gate == "design" else own, (), "approved")
        reason = str(event.payload.get("reason", ""))
        own = replace(own, rejections=(*own.rejections, f"{gate}, {event.by}: {reason}"))
        return _rejected(own, gate, reason)

    return on


def _rejected(own: Design, gate: str, reason: str) -> Move:
    """Back to who made it. Of a design, a reason that begins with an area (`contracts: …`) goes back to that area."""
    area, _, rest = (part.strip() for part in reason.partition(":"))
    if gate == "design" and area in MENDS and area != "roster" and rest:
        said = Finding(rule="person.rejected", problem=rest, repair="mend it")
        return Move(anew(own, {area: (said,)}), (), f"mend_{MENDS[area]}")
    if gate == "design":
        own = replace(own, rejected={**own.rejected, "roster": rest if area == "roster" and rest else reason})
        return Move(own, (), "mend_roster")
    return Move(replace(own, rejected={**own.rejected, gate: reason}), (), "rejected")


# --- after the approval -----------------------------------------------------------------------------------------------


def stale_request(own: Design) -> Ask:
    """What a person is asked who edited a design after its approval."""
    files = ", ".join(own.edited_since)
    question = f"{files} changed after the design of {own.task} was approved. Resume to begin again at {own.stale}."
    notes = {"from": offered(own.stale), "default": own.stale}
    return Ask(key=STALE, kind=STALE, options=(RESUME,), question=question, notes=notes)


def resumed(now: Now) -> Move:
    """A person who edited an approved design asks for what that undoes to be done again."""
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
    """Resumed by a person: what they edited meanwhile counts, and there is a fresh allowance of rounds."""
    own = own_of(now.state)
    if not isinstance(now.event, Answered):
        return Move(own)
    due = _earliest(own.stale or own.resume_to, own.resume_to)
    step = _earliest(now.begins_at(due), due)
    own, undone = begun(own, step)
    return Move(replace(own, rounds={}, blockers=(), escalation_reason=None), undone, f"to_{step}")


def enter_replaced(now: Now) -> Move:
    """Another run designs in the folder now: this one writes nothing any more, and what it made stays with it."""
    own = own_of(now.state)
    problem = f"{places.HOME}/ holds the design of another run now; what this one made stays with it"
    told = noted("design.replaced", problem, f"take it up in a folder of its own: `signoff fork {own.run} --help`")
    own = replace(own, digest="", stale="", resume_to="", blockers=(), members=(), warnings=(told,))
    return Move(own, (Finish(reason="replaced"),))


def on_replaced(now: Now) -> Move:
    return Move(own_of(now.state))


def _kept_by_hand(own: Design) -> list[str]:
    """Whose instructions a person edited: those stay as long as nothing that they were written from changes."""
    return [name for name in own.written if places.instructions(name) in own.by_hand]


def begun(own: Design, step: str) -> tuple[Design, tuple[Command, ...]]:
    """The work goes on at the step where it stopped, or to which an edit led; at any other all that comes after is made
    anew."""
    goes_on, same = step in (own.resume_to, own.stale), step == own.resume_to
    own = replace(own, stale="", resume_to="", edited_since=(), warnings=(), returned=own.returned if same else {})
    if _earliest(step, "create_agents") == step:
        own = replace(own, integrated=False)
    if step == "architecture":
        own = replace(own, reviewed=0, decided=0)
    if goes_on:
        return own, ()
    if _earliest(step, "instructions") == step:
        own = replace(own, kept=frozenset(), written={name: own.written[name] for name in _kept_by_hand(own)})
    return own, (Write(path=places.POC_SPECS, text=None),) if step == "pocs" else ()
