"""`agent_roster.json`: the agents that are needed, with their actions of the plan and their dependencies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signoff.artifacts import jsonio
from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.ids import Epoch, Name, TaskId

Kind = Literal["doer", "verifier", "poc"]
Pattern = Literal["task_tool", "slash_command"]


class RegistryEntry(Form):
    """The registry entry, with its name, that would make a missing agent known."""

    agent_type: Name
    invocation_pattern: Pattern = "task_tool"
    template: Text
    capabilities: tuple[Text, ...] = ()
    description: Text


class CreationGuidance(Form):
    """How a missing agent can be created."""

    reason: Text
    base_template: Text
    additional_capabilities: tuple[Text, ...] = ()
    slash_command_name: str | None = None
    registry_entry: RegistryEntry


class Proposed(Form):
    """One agent as the roster-designer proposes it."""

    role: Text
    kind: Kind = "doer"
    agent_type: Name | None = None
    invocation_pattern: Pattern = "task_tool"
    template: str = ""
    dependencies: tuple[Name, ...] = ()
    capabilities_required: tuple[Text, ...] = ()
    plan_actions: tuple[Text, ...] = ()
    plan_action_sources: tuple[Text, ...] = Field(
        (), description="for each action, the words of the summary it comes from, exactly"
    )
    creation_guidance: CreationGuidance | None = None
    poc_id: str | None = None
    gates: tuple[Name, ...] = Field((), description="of a PoC: the agents that wait for its outcome")


class Member(Proposed):
    """One agent of the roster, with the fields that code computes."""

    task_id: TaskId
    exists: bool


class Roster(Form):
    """The whole roster."""

    task_id: TaskId
    created: Epoch
    agents: dict[Name, Member]
    missing_agents: tuple[Name, ...] = ()
    requires_user_action: bool = False

    def type_of(self, name: str) -> str:
        """The type of an agent in the registry: its own name, unless several agents share a type."""
        return self.agents[name].agent_type or name

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        """The agents of one kind, by name."""
        return tuple(sorted(name for name, member in self.agents.items() if member.kind == kind))

    def without_pocs(self) -> Roster:
        """The roster as it was before the risk steps."""
        return self.model_copy(update={"agents": {name: one for name, one in self.agents.items() if one.kind != "poc"}})


parse = jsonio.parser(Roster, "roster")
render = jsonio.render
