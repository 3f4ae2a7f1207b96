"""workflow-designer: shows a person the roster, and asks how each missing agent is created."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from signoff.artifacts import markdown_headings
from signoff.core.commands import Ask
from signoff.core.declarations import Question
from signoff.core.findings import Finding
from signoff.core.personas import Given, Said, Scene, Settling, Way
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import agent_roster
from signoff.workflows.orchestration.documents.agent_instructions import TEMPLATES, template_findings
from signoff.workflows.orchestration.documents.agent_registry import own_template
from signoff.workflows.orchestration.documents.agent_roster import Member, RegistryEntry
from signoff.workflows.orchestration.personas.questions import (
    SUMMARY,
    asked,
    listed,
    mistakes,
    needs,
    no,
    one_line,
    option,
    options,
    persona,
    schema_of,
    surplus,
    value_of,
    yes,
)

ROSTER, AGENT = "roster", "agent-"
KNOTS: Final = ("cycle", "verifier")
"""Requests about an order of the work that code cannot compute."""

VERIFIER: Final = "orchestration_verifier_agent_template.md"
RULES: Final = ("Notes", "Escalation", "Turn Lifecycle")
_TASK: Final = "{{task}}"
_PARTICULARS: Final = {
    "data": ("Data", "Which data does it work on, and what does it do with them?"),
    "limits": ("Limits", "What must it never do?"),
    "proof": ("Proof", "How does it show that its work is right?"),
    "back": ("Way back", "How is its work undone if it goes wrong?"),
}


def settle(ask: Ask, scene: Scene) -> Settling | None:
    """The approval of the roster, a choice for each missing agent, and knots in the order."""
    if ask.key == ROSTER:
        return Settling(_overview(scene), _WAYS)
    if ask.key.startswith(AGENT):
        return _creation(ask.key.removeprefix(AGENT), scene)
    return Settling("", options(ask)) if ask.key in KNOTS else None


_WAYS: Final = (
    yes("proceed", "This is the roster; missing agents come next, then the design."),
    no("modify", "The roster is designed again, with your words.", "What must be different?"),
    no("add", "The roster is designed again, with one more agent.", "Which agent is missing, and for what?", "Add: "),
    no("remove", "The roster is designed again, with one agent less.", "Which agent is not needed?", "Remove: "),
)


def _overview(scene: Scene) -> str:
    known = value_of(scene, places.ROSTER, agent_roster.parse)
    if known is None:
        return f"{places.ROSTER} cannot be read; look at it before you decide."
    parts = [_member(name, member) for name, member in known.agents.items()]
    missing = ", ".join(known.missing_agents)
    last = f"These agents do not exist yet: {missing}. After your approval you are asked about each." if missing else ""
    return "\n\n".join(filter(None, (*parts, last)))


def _member(name: str, member: Member) -> str:
    """One agent: its role, its dependencies, its actions and the words that they come from."""
    lines = [
        f"## {name}{'' if member.exists else ' (missing)'}: {one_line(member.role)}",
        f"waits for: {', '.join(member.dependencies) or 'no agent'}",
    ]
    sources = (*member.plan_action_sources, *("" for _ in member.plan_actions))
    for number, (action, source) in enumerate(zip(member.plan_actions, sources, strict=False), 1):
        lines.append(f"{number}. {one_line(action)}" + (f"  <- “{one_line(source)}”" if source else ""))
    if not member.exists and member.creation_guidance:
        lines.append(f"why it is needed: {one_line(member.creation_guidance.reason)}")
    return "\n".join(lines)


def _creation(name: str, scene: Scene) -> Settling:
    known = value_of(scene, places.ROSTER, agent_roster.parse)
    member = known.agents.get(name) if known else None
    kind = known.type_of(name) if known and member else name
    entry = _proposed(kind, member)
    create = Way(
        word="create",
        about="It goes into the project's registry, with its own template if it needs one.",
        act="create",
        questions=lambda said: _questions(said, entry),
        payload=lambda said: _payload(said, kind, entry),
        takes=Given(schema=_schema, check=lambda payload: _problems(payload, kind)),
    )
    drop = option("drop", "The roster is designed again without it, and put to you again.")
    return Settling(_member(name, member) if member else "", (create, drop))


def _proposed(kind: str, member: Member | None) -> RegistryEntry:
    """The entry that the roster proposes, or a plain one."""
    if member and member.creation_guidance:
        return member.creation_guidance.registry_entry
    role = one_line(member.role) if member else f"Does the work of {kind}"
    capabilities = member.capabilities_required if member else ()
    return RegistryEntry(
        agent_type=kind,
        template=f"{places.PROTOCOLS}{places.DOER_TEMPLATE}",
        capabilities=capabilities,
        description=role,
    )


def _questions(said: Said, entry: RegistryEntry) -> Iterator[Question]:
    title, must = "What is it for, in a sentence?", "Say what it is for."
    yield asked(said, "description", title, recommendation=entry.description, must=must)
    able = ", ".join(entry.capabilities)
    yield asked(said, "capabilities", "What must it be able to do?", "With commas between.", recommendation=able)
    for key, (section, title) in _PARTICULARS.items():
        yield asked(said, key, title, "An empty line: nothing beyond the template.", section=section)


def _payload(said: Said, kind: str, entry: RegistryEntry) -> dict[str, Any]:
    """The registry entry, and an own template if the person added something to the base template."""
    told = []
    for key, (section, _) in _PARTICULARS.items():
        if words := one_line(said.get(key, "")).replace("{{", "{ {").replace("}}", "} }"):  # not placeholders
            told.append(f"- {section}: {words}")
    given = entry.model_dump(mode="json") | {
        "agent_type": kind,
        "capabilities": listed(said.get("capabilities", "")),
        "description": one_line(said.get("description", "")),
        "template": own_template(kind) if told else entry.template,
    }
    base = TEMPLATES.get(entry.template.rpartition("/")[2], TEMPLATES[places.DOER_TEMPLATE])
    own = base.replace(_TASK, "\n".join([*told, "", _TASK]), 1)
    return {"entry": given, "template": own if told else None}


def _schema() -> Mapping[str, Any]:
    template = {"type": ["string", "null"], "description": "the whole template; null if the entry names a known one"}
    return schema_of("entry", entry=RegistryEntry.model_json_schema(), template=template)


def _problems(payload: Mapping[str, Any], kind: str) -> Sequence[Finding]:
    """What is wrong with a registry entry and a template from a host."""
    if extra := surplus(payload, "entry", "template"):
        return [_wrong(extra, "give entry and template only")]
    try:
        entry = RegistryEntry.model_validate(payload.get("entry"))
    except ValidationError as error:
        return mistakes("agent.entry", "entry", error)
    return [*_mistaken(entry, payload.get("template"), kind)]


def _mistaken(entry: RegistryEntry, template: object, kind: str) -> Iterator[Finding]:
    if entry.agent_type != kind:
        yield _wrong(f"the entry is for {entry.agent_type!r}, and {kind!r} is missing", f"call it {kind}")
    if template is None:
        return
    if not isinstance(template, str):
        yield _wrong("the template is not a text", "give the whole template, or null")
        return
    if entry.template != own_template(kind):
        yield _wrong(f"the entry names {entry.template}; valid: {own_template(kind)}", "name the place of the template")
    yield from template_findings(template, own_template(kind))
    if rules(template) not in [rules(TEMPLATES[one]) for one in (places.DOER_TEMPLATE, VERIFIER)]:
        said = f"its {', '.join(RULES)} differ from those of the shipped templates, which hold for every agent"
        yield _wrong(said, f"copy these parts word for word; write what is special to {kind} before {_TASK}")


def rules(template: str) -> list[str]:
    """The parts of a template that say how agents note, escalate and report; they hold for every agent (OR-22)."""
    found = markdown_headings.split(template)
    parts = (markdown_headings.named(found, title) for title in RULES)
    return [part.whole.strip() if part else "" for part in parts]


def _wrong(problem: str, repair: str) -> Finding:
    return Finding(rule="agent.entry", problem=problem, repair=repair)


WORKFLOW_DESIGNER: Final = persona(
    name="workflow-designer",
    about="Shows you the roster, and asks you about each missing agent before the design goes on.",
    needs=needs(SUMMARY, places.STACK, places.DECISIONS),
    settle=settle,
    next="risk-assessment",
)
