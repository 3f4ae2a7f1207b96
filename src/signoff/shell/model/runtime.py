"""The runtime `model`. Its library is imported when a turn or a check needs it, not before."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from signoff.core.errors import DefinitionError, UsageError
from signoff.core.policies import Allowance
from signoff.core.workflow import Assignment, Tool, Workflow
from signoff.shell.model.choosing import Choice
from signoff.shell.runtimes import Returned, ToolPort

if TYPE_CHECKING:
    from signoff.shell.model.patience import Patience
    from signoff.shell.model.talk import Mode

MODE = "SIGNOFF_MODEL_OUTPUT"


@dataclass(frozen=True, slots=True)
class ModelRuntime:
    """Carries out turns by asking a language model."""

    workflow: Workflow
    choice: Choice
    patience: Patience | None = None
    clock: Callable[[], float] = time.monotonic
    name: str = "model"

    def prepare(self, models: Mapping[str, str | None], left: Allowance) -> None:
        """Says before anything is spent that an agent has no model, its model no key, or a cost limit no price."""
        require()
        from signoff.shell.model import building

        self._mode()
        for agent, wanted in models.items():
            name = self.choice.model(agent, wanted)
            model = building.build(name, self.choice.environment)
            if left.cost is not None and not building.has_price(model):
                raise UsageError(
                    f"a cost limit is set, and nobody knows the price of {name} ({agent})",
                    repair="choose a model with a known price, or limit tokens instead (`budget: {tokens: …}`)",
                )

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        """One turn: the brief to the model, its raw output back."""
        require()
        from signoff.shell.model import building
        from signoff.shell.model.patience import Patience, Patient
        from signoff.shell.model.talk import Talk

        start = assignment.start
        name = self.choice.model(start.agent, assignment.model)
        model = Patient(building.build(name, self.choice.environment), self.patience or Patience())
        schema = self.workflow.contracts[start.contract].schema()
        declared = [self._declared(tool) for tool in start.tools]
        return await Talk(name, model, assignment, schema, declared, tools, self._mode(), self.clock).hold()

    def _declared(self, tool: str) -> Tool:
        if tool not in self.workflow.tools:
            raise DefinitionError(
                f"a turn of {self.workflow.name!r} has a tool {tool!r} that is not declared",
                valid=", ".join(self.workflow.tools) or "none is",
                repair="declare it under `tools` of the workflow",
            )
        return self.workflow.tools[tool]

    def _mode(self) -> Mode:
        from signoff.shell.model.talk import MODES

        named = self.choice.environment.get(MODE, "").strip() or MODES[0]
        for mode in MODES:
            if mode == named:
                return mode
        raise UsageError(f"{MODE} is {named!r}", valid=", ".join(MODES), repair="leave it unset for most models")


def require() -> None:
    """The extra must be installed."""
    if find_spec("pydantic_ai") is None:
        raise UsageError(
            "the runtime `model` needs Pydantic AI, which is not installed",
            repair="install it with `pip install 'signoff[model]'`",
        )
