"""Named edits of a design: the only way to change a roster and its contracts after their approval."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from signoff.artifacts.yaml_forms import Form, Text
from signoff.workflows.orchestration.documents.agent_roster import Proposed
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract
from signoff.workflows.orchestration.ids import Name


class AddAgent(Form):
    """Adds an agent with its contract; a doer brings its checkpoint."""

    edit: Literal["add_agent"]
    name: Name
    agent: Proposed
    contract: FileContract
    checkpoint: Checkpoint | None = None
    reason: Text


class RemoveAgent(Form):
    """Removes an agent, its own verifier and what others read of its work; no agent may depend on it."""

    edit: Literal["remove_agent"]
    name: Name
    reason: Text


class ReplaceAgent(Form):
    """Replaces an agent: the new one takes over the dependents, and the checkpoint unless it brings its own."""

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
    """One agent no longer waits for another."""

    edit: Literal["drop_dependency"]
    agent: Name
    on: Name
    reason: Text


class Rescope(Form):
    """Gives an agent another task."""

    edit: Literal["rescope"]
    agent: Name
    role: Text
    plan_actions: tuple[Text, ...]
    plan_action_sources: tuple[Text, ...]
    reason: Text


class AddPoc(Form):
    """Places a PoC of `poc_specs.json` before what it gates."""

    edit: Literal["add_poc"]
    poc_id: Text
    name: Name
    reason: Text


Edit: TypeAlias = Annotated[
    AddAgent | RemoveAgent | ReplaceAgent | AddDependency | DropDependency | Rescope | AddPoc,
    Field(discriminator="edit"),
]
