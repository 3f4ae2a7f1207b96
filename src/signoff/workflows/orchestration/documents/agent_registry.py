"""The known agents: built in, in a person's home, and in the project; the project's entry wins over the person's.

Whether an agent of the roster exists is computed here, from the registry and the files, never from an agent's claim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from importlib import resources
from typing import Annotated, Final, Literal

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents.agent_instructions import TEMPLATES
from signoff.workflows.orchestration.documents.agent_roster import Member, Pattern, Proposed, RegistryEntry, Roster
from signoff.workflows.orchestration.ids import Epoch, Name, task_id

SLASH: Final = r"^/[a-z0-9]+(?:[-:][a-z0-9]+)*$"
WORDS: Final = 6
LONGEST: Final = 100
"""How many words of a role go into the id of its task, and how long it may become: files are named after it."""

CLAUDE: Final = ".claude/"
PREFIX: Final = "signoff-"

Has = Callable[[str], bool]
"""Whether a file exists: a path of the project, or one that begins with `~/`."""


class AgentType(Form):
    """An agent that takes turns."""

    invocation_pattern: Literal["task_tool"] = "task_tool"
    template: Text
    capabilities: tuple[Text, ...] = ()
    description: Text


class Interactive(Form):
    """An agent that talks with a person and is called by a slash command."""

    invocation_pattern: Literal["slash_command"] = "slash_command"
    slash_command: Annotated[str, Field(pattern=SLASH, description="as it is typed: /signoff-persona-plan-developer")]
    command_file: Text
    description: Text


class Registry(Form):
    """Known agents by name; each either takes turns or talks with people."""

    version: Text = "1.0"
    last_updated: Epoch = 0
    agent_types: dict[Name, AgentType] = Field(default_factory=dict)
    interactive_agents: dict[Name, Interactive] = Field(default_factory=dict)

    def pattern(self, name: str) -> Pattern | None:
        """How an agent is called; None if it is unknown."""
        if name in self.agent_types:
            return "task_tool"
        return "slash_command" if name in self.interactive_agents else None


parse = jsonio.parser(Registry, "registry")
render = jsonio.render
BUILT_IN: Final = parse(
    (resources.files("signoff.workflows.orchestration") / "registry.json").read_bytes(), "registry.json"
)


def merged(*levels: Registry) -> Registry:
    """All levels as one: the last level that names an agent defines it."""
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
    """The registry with one more agent; for an agent that talks, the template is its command file."""
    before, name, about = known or Registry(), entry.agent_type, entry.description
    if entry.invocation_pattern == "task_tool":
        one = AgentType(template=entry.template, capabilities=entry.capabilities, description=about)
        added = Registry(agent_types={name: one})
    else:
        command = slash_command(entry.template)
        talks = Interactive(slash_command=command, command_file=entry.template, description=about)
        added = Registry(interactive_agents={name: talks})
    return merged(before, added).model_copy(update={"version": before.version, "last_updated": at})


def slash_command(command_file: str) -> str:
    """The slash command of a command file; that of a skill is the name of its folder."""
    return f"/{command_file.removesuffix('/SKILL.md').rpartition('/')[2].removesuffix('.md')}"


def template_place(template: str, has: Has) -> str | None:
    """The path of a template that a registry or a roster names, the bare name of a shipped one, or None.

    A bare name is looked up in the project, in the person's home and among the shipped templates. A shipped template
    may also be named by its path in the home; if the person has a file there, it wins.
    """
    name = template.removeprefix(places.PROTOCOLS)
    if "/" in name:
        return template if has(template) else None
    own = [*([f"{places.TEMPLATES}{name}"] if template == name else []), f"{places.PROTOCOLS}{name}"]
    return next((path for path in own if has(path)), name if name in TEMPLATES else None)


def own_template(agent_type: str) -> str:
    """The path of the project's own template for a type of agents."""
    return f"{places.TEMPLATES}{agent_type}_template.md"


def command_places(command_file: str) -> tuple[str, ...]:
    """Where a command file may be. A path below `.claude/` may be in the project or in the home, as in Claude Code;
    files of `signoff install` have a prefix, or none with `--short-names`."""
    if not command_file.startswith(CLAUDE):
        return (command_file,)
    names = dict.fromkeys((command_file, command_file.replace(PREFIX, "", 1)))
    return tuple(f"{home}{name}" for home in ("", "~/") for name in names)


def exists(agent_type: str, registry: Registry, has: Has) -> bool:
    """Whether an agent of this type can be called: it is known, and its template or command file exists."""
    if entry := registry.agent_types.get(agent_type):
        return template_place(entry.template, has) is not None
    talks = registry.interactive_agents.get(agent_type)
    return talks is not None and any(map(has, command_places(talks.command_file)))


def completed(proposed: Mapping[str, Proposed], registry: Registry, has: Has, *, task_id: str, created: int) -> Roster:
    """The roster with its computed fields: existence and task ids, and from the registry how each agent is called."""
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
    alone = one.kind == "poc" and one.agent_type is None  # it follows its spec, on the template of a doer
    return Member(**given, task_id=own_id, exists=alone or exists(of_type, registry, has))


def agent_task_id(name: str, one: Proposed, created: int, taken: Collection[str]) -> str:
    """The id of one agent's task, made of its name and its role: `database_create_the_users_table_1727539200`.

    If another agent has the id already, a number is added.
    """
    slug = name.removesuffix("_agent")
    role = unicodedata.normalize("NFKD", one.role).encode("ascii", "ignore").decode().lower()
    for word in re.findall(r"[a-z0-9]+", role.replace("'", ""))[:WORDS]:
        slug = longer if len(longer := f"{slug}_{word}") <= LONGEST else slug
    ids = (task_id(slug if number == 1 else f"{slug}_{number}", created) for number in range(1, len(taken) + 2))
    return next(found for found in ids if found not in taken)
