"""What only a person can settle during the work: the requests, and what follows from each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from signoff.core.commands import PERSONS, WORDS, Ask, Command, Withdraw
from signoff.core.declarations import Now
from signoff.core.events import Answered
from signoff.core.state import replace
from signoff.workflows.orchestration.design import plan_edits
from signoff.workflows.orchestration.design.named_edits import DropDependency, Edit, RemoveAgent
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.state import Shelf
from signoff.workflows.orchestration.work import escalations
from signoff.workflows.orchestration.work.escalations import ADAPT
from signoff.workflows.orchestration.work.progress import Broken, Proposal, Work

RETRY, GUIDE, MODIFY, ABANDON, PROCEED, REMOVE, END = (
    "retry", "guide", "modify", "abandon", "proceed", "remove", "end",
)  # fmt: skip
_EDITS: Final = TypeAdapter(tuple[Edit, ...])

_ADAPTS: Final = "change the plan by named edits: `signoff chat workflow-adaptation`"
_GIVES_UP: Final = "give it up: the plan is changed, or the work ends"
OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "failed": {
        RETRY: "try it again, with as many attempts as at first",
        GUIDE: 'try it again with your advice: --note "…"',
        ADAPT: _ADAPTS,
        ABANDON: _GIVES_UP,
    },
    "verification": {
        MODIFY: 'make its task smaller or change it: --note "…"; the count starts again',
        GUIDE: 'give it advice: --note "…"; the count starts again',
        ADAPT: _ADAPTS,
        ABANDON: _GIVES_UP,
    },
    "poc": {
        PROCEED: "go on with the work all the same",
        RETRY: 'do the PoC again: --note "…" says how',
        ADAPT: _ADAPTS,
        ABANDON: _GIVES_UP,
    },
    "abandoned": {
        REMOVE: "go on without it; {waiting} waited for it",
        ADAPT: _ADAPTS,
        RETRY: "try it again after all",
        END: "end the work here; what is verified stays",
    },
}
"""What a person can answer to each kind of request, and what each answer does."""


def requests(now: Now, work: Work, *, quiet: bool) -> tuple[Command, ...]:
    """Asks the person what is open, each once, and withdraws what is settled.

    Questions about agents that failed wait until no other agent is at work (`quiet`).
    """
    asked = {ask.key: name for name, ask in now.state.requests.items() if ask.kind == "choice"}
    at_once = [*escalations.requests(work), *_about_work(work)]
    at_last = [_about_broken(name, one) for name, one in sorted(work.broken.items())]
    at_last += (_about_given_up(name, now) for name in work.given_up if name not in work.broken)
    known = {ask.key for ask in (*at_once, *at_last)}
    fresh = (ask for ask in (*at_once, *(at_last if quiet else ())) if ask.key not in asked)
    return (*(Withdraw(request=name) for key, name in asked.items() if key not in known), *fresh)


def _choice(kind: str, name: str, question: str, *, waiting: str = "", **notes: Any) -> Ask:
    about = {act: does.format(waiting=waiting) for act, does in OPTIONS[kind].items()}
    words = [one for one in (GUIDE, MODIFY) if one in about]
    told = {"about": about, PERSONS: True, WORDS: words, "agent": name, **notes}
    return Ask(key=f"{kind}-{name}", kind="choice", options=tuple(about), question=question, notes=told)


def _about_work(work: Work) -> Iterator[Ask]:
    """Questions about work that failed its verification too often, and about PoCs that did not pass."""
    for name, worker in sorted(work.workers.items()):
        if worker.status == "blocked" and worker.is_at_limit and work.case_of(name) is None:
            history = [{"at": one.at, "missing": list(one.missing)} for one in worker.failures]
            last = "; ".join(worker.failures[-1].missing)
            question = f"The work of {name} has failed verification {len(worker.failures)} times. Last: {last}"
            yield _choice("verification", name, question, history=history)
        if name in work.decided and worker.status == "ready_for_verification":
            review = work.decided[name]
            question = f"{name} came out as {review.assessment}, and asks to {review.decision}: {review.rationale}"
            yield _choice("poc", name, question, review=review.model_dump(mode="json"))


def _about_broken(name: str, broken: Broken) -> Ask:
    who = name if broken.who == name else f"{broken.who} for {name}"
    question = f"{who} has failed: {broken.why}"
    if broken.cut:
        cut = "was interrupted while this ran, and it is not known how far it came"
        question = f"{who} {cut}: {broken.why}. Nothing else is lost: retry, if it may run again."
    return _choice("failed", name, question)


def _about_given_up(name: str, now: Now) -> Ask:
    waiting = ", ".join(_dependents(name, now)) or "no agent"
    return _choice("abandoned", name, f"{name} is given up. How does the plan go on?", waiting=waiting)


def _dependents(name: str, now: Now) -> list[str]:
    known = Shelf(now.state, now.look).roster.agents
    return sorted(other for other, member in known.items() if name in member.dependencies)


def answered(now: Now, work: Work) -> Work:
    """The work after a person's answer to one request."""
    assert isinstance(now.event, Answered) and now.request is not None  # noqa: PT018 - narrows two types
    kind, _, agent = now.request.key.partition("-")
    act, payload = now.event.act, now.event.payload
    if agent not in work.workers:
        return work
    note, by, at = str(payload.get("note") or ""), now.event.by, epoch(now.event.at)
    if act == ADAPT:
        try:
            edits = _EDITS.validate_python(payload.get("edits") or ())
        except ValidationError:  # the proposal is empty then, and the person is told why
            edits = ()
        return work.proposing(Proposal(by=by, why=note or f"edits by {by}, about {agent}", edits=edits))
    if kind == "escalation":
        return escalations.answered(work, agent, payload)
    if act == ABANDON:
        return _given_up(work, agent, at)
    if kind == "abandoned" and act in (REMOVE, END):
        return replace(work, over=by) if act == END else work.proposing(_without(now, agent, by))
    return _again(work, kind, agent, act, note, at)


def _given_up(work: Work, agent: str, at: int) -> Work:
    worker = work.workers[agent]
    work = work.mended(agent)
    gone = worker if worker.status == "failed" else worker.moved("failed", at)
    work = work.with_worker(agent, gone).without_case(agent)
    return escalations.unruled(work, agent, at) if worker.serves else replace(work, given_up=(*work.given_up, agent))


def _without(now: Now, agent: str, by: str) -> Proposal:
    """Proposes the plan without an agent, and without the agents that exist only for it."""
    shelf, reason = Shelf(now.state, now.look), f"{agent} was given up"
    pocs = [name for name, one in shelf.roster.agents.items() if one.kind == "poc" and one.gates == (agent,)]
    gone = (agent, *plan_edits.along(agent, shelf.roster, shelf.contracts))
    drops = [
        DropDependency(edit="drop_dependency", agent=other, on=name, reason=reason)
        for name in gone
        for other in _dependents(name, now)
        if other not in gone
    ]
    removed = [RemoveAgent(edit="remove_agent", name=name, reason=reason) for name in (*pocs, agent)]
    return Proposal(by=by, why=reason, edits=(*drops, *removed))


def _again(work: Work, kind: str, agent: str, act: str, note: str, at: int) -> Work:
    """The agent goes on where it stopped, with what the person said."""
    broken = work.broken.get(agent)
    work = replace(work.mended(agent), given_up=tuple(name for name in work.given_up if name != agent))
    worker = work.workers[agent]
    worker = replace(worker, told=(*worker.told, note) if note else worker.told, idle=0)
    if kind != "failed":  # a crash is not a failed verification
        worker = replace(worker, forgiven=len(worker.failures))
    if kind == "poc":
        if act == PROCEED:
            return work.with_worker(agent, worker.moved("verified", at))
        return work.unjudged(agent).with_worker(agent, worker.moved("working", at))
    if worker.status in ("failed", "blocked") and work.case_of(agent) is None:
        worker = worker.moved("working", at)
        if broken and broken.kind == "drive":  # the work itself is done: only the review is due again
            worker = worker.moved("completion_drive_review", at)
    return work.with_worker(agent, worker)
