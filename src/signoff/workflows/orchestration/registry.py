"""Who is known: agents that are built in, that a person has at home, that a project has; the nearest entry wins.

Whether an agent of the roster exists is computed here, from the registry and from what is on disk, and from nothing
that an agent says of itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from importlib import resources
from typing import Annotated, Final, Literal

from pydantic import Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc, places
from signoff.workflows.orchestration.ids import Epoch, Name, task_id
from signoff.workflows.orchestration.instructions import TEMPLATES
from signoff.workflows.orchestration.roster import Member, Pattern, Proposed, RegistryEntry, Roster

SLASH: Final = r"^/[a-z0-9]+(?:[-:][a-z0-9]+)*$"
WORDS: Final = 6
LONGEST: Final = 100
"""How many words of a role go into the id of its task, and how long it may get: files are named after it."""

Has = Callable[[str], bool]
"""Whether a file is there: a path of the project, or one that begins with `~/`."""


class AgentType(Form):
    """An agent that takes turns."""

    invocation_pattern: Literal["task_tool"] = "task_tool"
    template: Text
    capabilities: tuple[Text, ...] = ()
    description: Text


class Interactive(Form):
    """An agent that talks with a person, who calls it by a slash command."""

    invocation_pattern: Literal["slash_command"] = "slash_command"
    slash_command: Annotated[str, Field(pattern=SLASH, description="as it is typed: /persona-plan-developer")]
    command_file: Text
    description: Text


class Registry(Form):
    """Known agents by name; a name is either one that takes turns or one that talks."""

    version: Text = "1.0"
    last_updated: Epoch = 0
    agent_types: dict[Name, AgentType] = Field(default_factory=dict)
    interactive_agents: dict[Name, Interactive] = Field(default_factory=dict)

    def pattern(self, name: str) -> Pattern | None:
        """How an agent is called; None for one that nobody knows."""
        if name in self.agent_types:
            return "task_tool"
        return "slash_command" if name in self.interactive_agents else None


def parse(data: bytes, path: str) -> Registry:
    return jsondoc.parse(Registry, data, path, rule="registry")


render = jsondoc.render


def _built_in() -> Registry:
    file = resources.files(__package__ or "") / "registry.json"
    return parse(file.read_bytes(), "registry.json")


BUILT_IN: Final = _built_in()


# --- levels -----------------------------------------------------------------------------------------------------------


def merged(*levels: Registry) -> Registry:
    """All levels as one, entry by entry: the last that names an agent says what it is."""
    types: dict[str, AgentType] = {}
    talking: dict[str, Interactive] = {}
    for level in levels:
        talking = {name: entry for name, entry in talking.items() if name not in level.agent_types}
        types = {name: entry for name, entry in types.items() if name not in level.interactive_agents}
        types |= level.agent_types
        talking |= level.interactive_agents
    newest = max((level.last_updated for level in levels), default=0)
    return Registry(last_updated=newest, agent_types=types, interactive_agents=talking)


def with_entry(known: Registry | None, entry: RegistryEntry, at: int) -> Registry:
    """The registry with one more agent; of one that talks, the template is its command file."""
    before = known or Registry()
    if entry.invocation_pattern == "task_tool":
        one = AgentType(template=entry.template, capabilities=entry.capabilities, description=entry.description)
        added = Registry(agent_types={entry.agent_type: one})
    else:
        talks = Interactive(
            slash_command=slash_command(entry.template), command_file=entry.template, description=entry.description
        )
        added = Registry(interactive_agents={entry.agent_type: talks})
    return merged(before, added).model_copy(update={"version": before.version, "last_updated": at})


def slash_command(command_file: str) -> str:
    """What is typed to call what a command file says."""
    return f"/{command_file.rpartition('/')[2].removesuffix('.md')}"


# --- what is there ----------------------------------------------------------------------------------------------------


def template_place(template: str, has: Has) -> str | None:
    """Where the template is that a registry or a roster names, or None when it is nowhere.

    A bare name is looked for in the project, at home and among the shipped ones; a shipped one may also be named by its
    place at home, where the person's own file wins. The answer is a path, or the bare name of a shipped one.
    """
    name = template.removeprefix(places.PROTOCOLS)
    if "/" in name:
        return template if has(template) else None
    nearest = [f"{places.TEMPLATES}{name}"] if template == name else []
    own = [*nearest, f"{places.PROTOCOLS}{name}"]
    return next((path for path in own if has(path)), name if name in TEMPLATES else None)


def exists(agent_type: str, registry: Registry, has: Has) -> bool:
    """Whether an agent of this type could be called: it is known, and the file that makes it what it is is there."""
    if entry := registry.agent_types.get(agent_type):
        return template_place(entry.template, has) is not None
    talks = registry.interactive_agents.get(agent_type)
    return talks is not None and has(talks.command_file)


# --- the roster -------------------------------------------------------------------------------------------------------


def completed(proposed: Mapping[str, Proposed], registry: Registry, has: Has, *, task_id: str, created: int) -> Roster:
    """The roster whole: what an agent proposed, and what code knows of it. How an agent is called, and by which
    template, is what the registry says."""
    agents: dict[str, Member] = {}
    taken = {task_id}
    for name in sorted(proposed):
        agents[name] = _member(name, proposed[name], registry, has, agent_task_id(name, proposed[name], created, taken))
        taken.add(agents[name].task_id)
    missing = tuple(name for name, member in agents.items() if not member.exists)
    return Roster(
        task_id=task_id,
        created=created,
        agents={name: agents[name] for name in proposed},
        missing_agents=missing,
        requires_user_action=bool(missing),
    )


def _member(name: str, one: Proposed, registry: Registry, has: Has, own_id: str) -> Member:
    of_type = one.agent_type or name
    given = {field: getattr(one, field) for field in Proposed.model_fields}
    known = registry.agent_types.get(of_type)
    guidance = one.creation_guidance
    template = known.template if known else guidance.registry_entry.template if guidance else one.template
    pattern = registry.pattern(of_type) or one.invocation_pattern
    given |= {"template": template, "invocation_pattern": pattern}
    alone = one.kind == "poc" and one.agent_type is None  # it works as its spec says, on the template of a doer
    return Member(**given, task_id=own_id, exists=alone or exists(of_type, registry, has))


def agent_task_id(name: str, one: Proposed, created: int, taken: Collection[str]) -> str:
    """The id of one agent's task, made of its name and its role: `database_create_the_users_table_1727539200`.

    If another has it, a number is put to it: names are gone through in their order, so it is always the same one.
    """
    slug = _slug(name, one.role)
    ids = (task_id(slug if number == 1 else f"{slug}_{number}", created) for number in range(1, len(taken) + 2))
    return next(found for found in ids if found not in taken)


def _slug(name: str, role: str) -> str:
    """Name and role in letters that ids have; what has no such letters says nothing in an id."""
    slug = name.removesuffix("_agent")
    plain = unicodedata.normalize("NFKD", role).encode("ascii", "ignore").decode().lower()
    for word in re.findall(r"[a-z0-9]+", plain.replace("'", ""))[:WORDS]:
        slug = longer if len(longer := f"{slug}_{word}") <= LONGEST else slug
    return slug
