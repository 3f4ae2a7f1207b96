"""The roster steps: which agents are needed, whether they exist, and how a missing agent is created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from signoff.core.commands import Ask, Command, Write
from signoff.core.declarations import Now
from signoff.core.errors import UsageError
from signoff.core.events import Answered
from signoff.core.findings import Finding
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import roster_checks
from signoff.workflows.orchestration.design.turns import after_turn, required, turn
from signoff.workflows.orchestration.documents import agent_instructions, agent_registry, agent_roster
from signoff.workflows.orchestration.documents.agent_roster import Member, Proposed, RegistryEntry, Roster
from signoff.workflows.orchestration.ids import epoch
from signoff.workflows.orchestration.outputs import RosterOutput
from signoff.workflows.orchestration.state import Design, Shelf, own_of

CREATE, DROP = "create", "drop"


def enter_roster(now: Now) -> Move:
    own = own_of(now.state)
    known = Shelf(now.state, now.look).registry.agent_types
    notes = {
        "task": own.task,
        "registry": {name: entry.model_dump(mode="json") for name, entry in known.items()},
        "rejected": own.rejected.get("roster"),
        "lacking": list(own.lacking),
        "required": required(own, "roster"),
    }
    task = (
        "Say which agents the plan needs, which of its actions each takes, after whom, and how a missing one is made."
    )
    reads = (own.summary, places.STACK, places.DECISIONS, places.ROSTER)
    return Move(own, (turn("roster", "roster-designer", "roster", task, notes=notes, reads=reads),))


@after_turn
def on_roster(now: Now) -> Move:
    output: RosterOutput = now.output
    own = own_of(now.state).mended("roster")
    found = _completed(now, own, output.agents)
    members = tuple(sorted(found.agents))
    own = replace(own, lacking=(), kept=frozenset(), integrated=False, members=members)
    return Move(own, (Write(path=places.ROSTER, text=agent_roster.render(found)),), "done")


def _completed(now: Now, own: Design, proposed: Mapping[str, Proposed]) -> Roster:
    """The roster with its computed fields: which agents exist, which are missing, and the task ids."""
    shelf = Shelf(now.state, now.look)
    return agent_registry.completed(proposed, shelf.registry, shelf.has, task_id=own.task_id, created=own.created)


def check_roster(now: Now, output: RosterOutput) -> Iterable[Finding]:
    """The actions quote the plan, dependencies are known, and a missing agent can be created."""
    own = own_of(now.state)
    found = [*roster_checks.findings(output.agents, Shelf(now.state, now.look).text(own.summary), own.summary)]
    return found or roster_checks.guidance_findings(_completed(now, own, output.agents))


def recompleted(now: Now, own: Design, known: Roster) -> Roster:
    """A roster with its computed fields computed again: a person may have edited it, or created agents."""
    return _completed(now, own, {name: bare(member) for name, member in known.agents.items()})


def bare(member: Member) -> Proposed:
    """A member without its computed fields."""
    return Proposed.model_validate(member.model_dump(by_alias=True, exclude={"task_id", "exists"}))


# --- missing agents, one at a time (OR-11) ----------------------------------------------------------------------------


def enter_creation(now: Now) -> Move:
    """Asks for the first missing agent; a person may have added agents to a registry by hand."""
    own = own_of(now.state)
    found = recompleted(now, own, Shelf(now.state, now.look).roster)
    write = Write(path=places.ROSTER, text=agent_roster.render(found))
    if not found.missing_agents:
        return Move(own, (write,), "done")
    return Move(own, (write, _ask(found, found.missing_agents[0])))


def _ask(known: Roster, name: str) -> Ask:
    member, left = known.agents[name], len(known.missing_agents)
    guidance = member.creation_guidance
    why = f": {guidance.reason}" if guidance else ""
    more = f" ({left - 1} more after it)" if left > 1 else ""
    about = {
        CREATE: "make it as the roster proposes, or as `signoff chat workflow-designer` lets you say it",
        DROP: "do without it: the roster-designer is asked again, and you see the new roster",
    }
    notes = {
        "about": about,
        "agent": name,
        "role": member.role,
        "proposal": guidance.model_dump(mode="json") if guidance else None,
        "plan_actions": list(member.plan_actions),
    }
    question = f"{name} does not exist yet{why}{more}. Create it?"
    return Ask(key=f"agent-{name}", kind="choice", options=(CREATE, DROP), question=question, notes=notes)


def on_creation(now: Now) -> Move:
    own = own_of(now.state)
    if not isinstance(now.event, Answered) or now.request is None:
        return Move(own)
    name = str(now.request.notes["agent"])
    own = replace(own, choices=(*own.choices, f"{name}: {now.event.act}, {now.event.by}"))
    if now.event.act == DROP:
        return Move(replace(own, rejected={**own.rejected, "roster": f"Remove: {name}"}), (), "dropped")
    return _created(now, own, name, now.event.payload)


def _created(now: Now, own: Design, name: str, payload: Mapping[str, Any]) -> Move:
    """Writes the registry entry and, if there is one, the template; then the roster is checked again."""
    shelf = Shelf(now.state, now.look)
    member, kind = shelf.roster.agents[name], shelf.roster.type_of(name)
    entry = _entry(kind, payload, member)
    writes: list[Command] = []
    path = agent_registry.own_template(kind)
    if text := str(payload.get("template") or shelf.text(path) or _specialised(shelf, entry, member)):
        for finding in agent_instructions.template_findings(text, path):
            raise UsageError(str(finding), repair="fix the template, or create the agent from a shipped one")
        if shelf.text(path) not in ("", text):
            raise UsageError(
                f"{path} exists with another text",
                repair="remove it, or choose create without a template to use it",
            )
        entry = entry.model_copy(update={"template": path})
        writes.append(Write(path=path, text=text))
    try:
        extended = agent_registry.with_entry(shelf.own_registry, entry, epoch(now.event.at))
    except ValidationError as error:
        raise UsageError(
            f"{entry.agent_type} cannot be called by {agent_registry.slash_command(entry.template)}",
            valid="the command file of a slash command, such as ~/.claude/commands/persona-tester.md",
            repair="name such a file as its template, or set its invocation_pattern to task_tool",
        ) from error
    if not writes and not agent_registry.exists(kind, extended, shelf.has):
        raise UsageError(
            f"{name} would be created from {entry.template}, which is missing",
            valid=", ".join(sorted(agent_instructions.TEMPLATES)),
            repair="give it a template, or an entry that names an existing one",
        )
    writes.append(Write(path=places.REGISTRY, text=agent_registry.render(extended)))
    return Move(own, tuple(writes), "created")


def _entry(kind: str, payload: Mapping[str, Any], member: Member) -> RegistryEntry:
    """The registry entry that the person gives, or else the one that the roster proposes."""
    given = payload.get("entry")
    if given is None and member.creation_guidance is not None:
        return member.creation_guidance.registry_entry
    try:
        return RegistryEntry.model_validate({**(given or {}), "agent_type": kind})
    except (ValidationError, TypeError) as error:
        proposed = "choose create without an entry to take the roster's"
        raise UsageError(
            f"the entry for {kind} cannot be used: {error}",
            valid="template, capabilities and description",
            repair=f"give it again, or {proposed if member.creation_guidance else 'drop the agent'}",
        ) from error


def _specialised(shelf: Shelf, entry: RegistryEntry, member: Member) -> str:
    """A shipped template with the additions for this kind of work, if the roster names additional capabilities or a
    template that does not exist yet."""
    guidance = member.creation_guidance
    if guidance is None:
        return ""
    there = agent_registry.template_place(entry.template, shelf.has)
    lacking = there is None and entry == guidance.registry_entry
    base = (guidance.base_template if lacking else entry.template).removeprefix(places.PROTOCOLS)
    if base not in agent_instructions.TEMPLATES or not (lacking or guidance.additional_capabilities):
        return ""
    own = guidance.model_copy(update={"registry_entry": entry})
    return agent_instructions.specialised(agent_instructions.TEMPLATES[base], own)
