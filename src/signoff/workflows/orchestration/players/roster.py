"""The roster-designer: an agent for each kind of work that the summary calls for, with the words it comes from.

Each gets three to seven actions: one for each statement of its work, a long list in two or more parts, a short one made
longer by the clauses and steps of what there is. No action is without an exact quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signoff.workflows.orchestration import places
from signoff.workflows.orchestration import plan as planning
from signoff.workflows.orchestration import roster as rosters
from signoff.workflows.orchestration.ids import ARCHIVAL, TSA, VERIFIER_TYPE, default_verifier
from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.domains import Domain
from signoff.workflows.orchestration.players.statements import WORK, Kind, Reading, Statement, halves, in_parts
from signoff.workflows.orchestration.players.wishes import Wishes, wishes
from signoff.workflows.orchestration.roster import Member
from signoff.workflows.wording import clipped, content

LEAST, MOST = 3, 7
TEMPLATE: Final = "orchestration_doer_agent_template.md"
VERIFIER_TEMPLATE: Final = "orchestration_verifier_agent_template.md"
NOT_FOLLOWED: Final = "Asked for and not followed offline"
CYCLE: Final = " -> "
"""How a cycle is written that sequencing found."""
NEVER: Final = (VERIFIER_TYPE, TSA, ARCHIVAL)
"""Types that nobody adds as a doer."""
_LEAD: Final[Mapping[Kind, str]] = {
    "decision": "Follow the decision",
    "constraint": "Keep to",
    "dependency": "Fit in with",
    "assumption": "Mind that it is only assumed",
    "open": "Leave room for what is open",
}


@dataclass
class _Draft:
    """An agent that is being drawn up; `was` is how the last roster had it, where that stands."""

    domain: Domain
    given: Sequence[Statement]
    about: str = ""
    agent_type: str | None = None
    after: list[str] = field(default_factory=list)
    was: Mapping[str, Any] | None = None


def _work(desk: Desk) -> Payload:
    reading = desk.reading
    wanted = wishes(desk.note("rejected"))
    drafts = _last(desk) or _drafts(reading)
    lacking = tuple((str(name), "") for name in desk.notes.get("lacking") or ())
    for name, about in (*wanted.add, *lacking):
        if name not in NEVER:
            drafts.setdefault(name, _added(name, about, reading))
    gone = [name for name in wanted.remove if name in drafts and len(drafts) > 1 and drafts.pop(name)]
    _order(drafts)
    registry: Mapping[str, Any] = desk.notes.get("registry") or {}
    agents = {name: _proposed(name, draft, registry) for name, draft in drafts.items()}
    agents |= {default_verifier(name): _verifier(name, registry) for name in drafts}
    if said := _not_followed(wanted, gone):
        first = next(iter(agents.values()))
        first["role"] = f"{first['role'].partition(NOT_FOLLOWED)[0].rstrip(' .')}. {said}"
    return {"agents": agents}


def _last(desk: Desk) -> dict[str, _Draft]:
    """The doers of the last roster, where it was sent back: those whom nobody asked about stay as they are.

    Where something has to be mended, they are drawn up anew and nobody else comes in. There is no roster to go by where
    agents wait for each other, or where words of the summary have changed.
    """
    data = desk.data(places.ROSTER)
    asked = desk.notes.get("rejected") or desk.notes.get("lacking") or desk.notes.get("required")
    if data is None or not asked or CYCLE in desk.note("rejected"):
        return {}
    known = rosters.parse(data, places.ROSTER)
    doers = {name: member for name, member in known.agents.items() if member.kind == "doer"}
    if not all(planning.quoted(desk.reading.text, text) for one in doers.values() for text in one.plan_action_sources):
        return {}
    anew = _drafts(desk.reading) if desk.notes.get("required") else {}
    return {name: anew.get(name) or _standing(name, member) for name, member in doers.items()}


def _standing(name: str, member: Member) -> _Draft:
    plain = member.model_dump(mode="json", exclude_none=True, exclude={"task_id", "exists", "gates"})
    return _Draft(domains.of_agent(name, member.agent_type), (), agent_type=member.agent_type, was=plain)


def _drafts(reading: Reading) -> dict[str, _Draft]:
    drafts = dict[str, _Draft]()
    for agent in reading.active:
        core = reading.of(agent, *WORK)
        more = reading.of(agent, "dependency")[: max(0, MOST - len(core))]
        for number, part in enumerate(in_parts([*core, *more], MOST), 1):
            if part:
                domain = domains.BY_AGENT[agent]
                name = agent if number == 1 else f"{domain.stem}_part_{number}_agent"
                drafts[name] = _Draft(domain, part, agent_type=agent if number > 1 else None)
    return drafts or {domains.IMPLEMENTATION.agent: _Draft(domains.IMPLEMENTATION, reading.statements[:MOST])}


def _added(name: str, about: str, reading: Reading) -> _Draft:
    """An agent that somebody asks for: what the summary says of it, or else of the whole."""
    domain = domains.of_agent(name)
    words = content(f"{name.replace('_', ' ').removesuffix(' agent')} {about}")
    near = [one for one in reading.statements if words & content(one.text)]
    own = [one for one in reading.statements if domain.words.search(one.text) and domain is domains.BY_AGENT.get(name)]
    return _Draft(domain, (near or own or reading.statements[:1])[:MOST], about)


def _order(drafts: Mapping[str, _Draft]) -> None:
    """Who comes after whom: as the kinds of work do, and the parts of one kind one after the other."""
    for name, draft in drafts.items():
        if draft.was is not None:
            draft.after = [other for other in draft.was["dependencies"] if other in drafts]
            continue
        before = [other for other, one in drafts.items() if other != name and one.domain.agent in draft.domain.after]
        parts = [other for other, one in drafts.items() if one.domain is draft.domain]
        draft.after = [*before, *parts[: parts.index(name)][-1:]]


def _proposed(name: str, draft: _Draft, registry: Mapping[str, Any]) -> dict[str, Any]:
    if draft.was is not None:
        return {**draft.was, "dependencies": draft.after}
    domain, known = draft.domain, draft.agent_type or name
    actions = _actions(draft)
    entry = registry.get(known)
    template = str((entry or {}).get("template") or TEMPLATE)
    made: dict[str, Any] = {
        "role": _role(draft),
        "kind": "doer",
        "invocation_pattern": "task_tool",
        "template": template,
        "dependencies": draft.after,
        "capabilities_required": list(_capabilities(name, domain)),
        "plan_actions": [action for action, _ in actions],
        "plan_action_sources": [source for _, source in actions],
    }
    if draft.agent_type:
        made["agent_type"] = draft.agent_type
    if entry is None:
        made["creation_guidance"] = _guidance(known, draft, template)
    return made


def _verifier(doer: str, registry: Mapping[str, Any]) -> dict[str, Any]:
    known = registry.get(VERIFIER_TYPE) or {}
    return {
        "role": f"Looks at the work of {doer}, and says what is not shown",
        "kind": "verifier",
        "agent_type": VERIFIER_TYPE,
        "template": str(known.get("template") or VERIFIER_TEMPLATE),
        "capabilities_required": ["validation", "evidence_review"],
    }


def _role(draft: _Draft) -> str:
    return f"{draft.domain.does}: {clipped(draft.about or draft.given[0].text, 120)}"


def _capabilities(name: str, domain: Domain) -> tuple[str, ...]:
    """Those of the kind of work; an agent of another name brings its own word for it."""
    own = name.removesuffix("_agent")
    return domain.capabilities if domain.agent == name or "_part_" in name else (own, *domain.capabilities)


def _guidance(name: str, draft: _Draft, template: str) -> dict[str, Any]:
    domain = draft.domain
    capabilities = list(_capabilities(name, domain))
    description = domain.description if name == domain.agent else draft.about or f"{domain.description} ({name})"
    return {
        "reason": f"No agent of the registry does this: {clipped(draft.about or draft.given[0].text, 160)}",
        "base_template": TEMPLATE,
        "additional_capabilities": capabilities,
        "registry_entry": {
            "agent_type": name,
            "invocation_pattern": "task_tool",
            "template": template,
            "capabilities": capabilities,
            "description": description,
        },
    }


def _actions(draft: _Draft) -> list[tuple[str, str]]:
    """Three to seven actions, each with its quote; for want of statements, the steps in which such work is done."""
    found, steps = list(draft.given), draft.domain.steps
    if len(found) < LEAST:
        parts = [part for one in found for part in halves(one)]
        found = list({(part.kind, part.text.casefold()): part for part in parts}.values())[:MOST]
    if len(found) == 1:
        return [(f"{step}: {found[0].text}", found[0].text) for step in steps]
    actions = [(_action(one, draft.domain), one.text) for one in found]
    last = [(f"{steps[-1]}: {found[0].text}", found[0].text)]
    return [*actions, *(last if len(found) < LEAST else ())]


def _action(statement: Statement, domain: Domain) -> str:
    if statement.kind == "answer" and statement.asked:
        return f"Do as was answered to “{statement.asked}”: {statement.text}"
    return f"{_LEAD.get(statement.kind, domain.verb)}: {statement.text}"


def _not_followed(wanted: Wishes, gone: Iterable[str]) -> str:
    """What was asked for and could not be done, for the person to see."""
    stayed = [f"remove {name}" for name in wanted.remove if name not in gone]
    never = [f"add {name}" for name, _ in wanted.add if name in NEVER]
    rest = "" if CYCLE in wanted.rest else wanted.rest
    asked = "; ".join(filter(None, (rest, *stayed, *never)))
    return f"{NOT_FOLLOWED}: “{asked}”" if asked else ""


roster_designer = player(_work)
