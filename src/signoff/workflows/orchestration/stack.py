"""`technology_stack.json`: the technologies by layer, each with its reasons and what was not chosen."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from signoff.artifacts.forms import Form, Text
from signoff.workflows.orchestration import jsondoc
from signoff.workflows.orchestration.ids import Epoch, TaskId


class Layer(Form):
    """One layer: free keys such as primary, language or framework say what was chosen."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)

    rationale: Text
    alternatives_considered: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen, by its key."""
        return dict(self.__pydantic_extra__ or {})


class Choices(Form):
    """The stack as an architect gives it."""

    technology_stack: dict[str, Layer] = Field(min_length=1)
    architecture_patterns: tuple[str, ...] = ()
    integration_requirements: tuple[str, ...] = ()
    performance_targets: dict[str, str] = Field(default_factory=dict)
    security_requirements: tuple[str, ...] = ()


class Stack(Choices):
    """The stack as the file has it."""

    task_id: TaskId
    created: Epoch


def parse(data: bytes, path: str) -> Stack:
    return jsondoc.parse(Stack, data, path, rule="stack")


render = jsondoc.render
