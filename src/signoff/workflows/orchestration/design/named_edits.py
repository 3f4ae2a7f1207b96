"""Named edits of a design: the only way in which a roster and its contracts are changed after they were approved."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.documents.agent_roster import Proposed
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract
from signoff.workflows.orchestration.ids import Name


class AddAgent(Form):
    """One more agent, with its contract; a doer with what proves its work."""

    edit: Literal["add_agent"]
    name: Name
    agent: Proposed
    contract: FileContract
    checkpoint: Checkpoint | None = None
    reason: Text


class RemoveAgent(Form):
    """An agent less, with its own verifier and what others read of its work; nobody may depend on it."""

    edit: Literal["remove_agent"]
    name: Name
    reason: Text


class ReplaceAgent(Form):
    """Another agent in the place of one: it takes over its dependents, and its checkpoint if it brings none."""

    edit: Literal["replace_agent"]
    name: Name
    by: Name
    agent: Proposed
    contract: FileContract
    checkpoint: Checkpoint | None = None
    reason: Text


class AddDependency(Form):
    """One agent waits for another."""

    edit: Literal["add_dependency"]
    agent: Name
    on: Name
    reason: Text


class DropDependency(Form):
    """One agent waits for another no more."""

    edit: Literal["drop_dependency"]
    agent: Name
    on: Name
    reason: Text


class Rescope(Form):
    """An agent's task is another one."""

    edit: Literal["rescope"]
    agent: Name
    role: Text
    plan_actions: tuple[Text, ...]
    plan_action_sources: tuple[Text, ...]
    reason: Text


class AddPoc(Form):
    """A PoC of `poc_specs.json` gets its place before what it gates."""

    edit: Literal["add_poc"]
    poc_id: Text
    name: Name
    reason: Text


Edit: TypeAlias = Annotated[
    AddAgent | RemoveAgent | ReplaceAgent | AddDependency | DropDependency | Rescope | AddPoc,
    Field(discriminator="edit"),
]
