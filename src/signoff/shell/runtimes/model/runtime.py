"""The runtime `model`. Its library is imported when a turn or a check needs it, not before."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from signoff.core.budget import Allowance
from signoff.core.declarations import Assignment
from signoff.core.errors import UsageError
from signoff.core.events import Usage
from signoff.core.workflow import Workflow
from signoff.shell.runtimes.model.model_choice import Choice
from signoff.shell.runtimes.runtime import Returned, ToolPort

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from signoff.shell.runtimes.model.conversation import Mode
    from signoff.shell.runtimes.model.provider_requests import Patience

MODE = "SIGNOFF_MODEL_OUTPUT"


@dataclass(frozen=True, slots=True)
class ModelRuntime:
    """Carries out turns by asking a language model."""

    workflow: Workflow
    choice: Choice
    patience: Patience | None = None
    clock: Callable[[], float] = time.monotonic
    name: str = "model"
    paid: bool = True
    built: dict[str, Model] = field(default_factory=dict, compare=False)
    silent: set[str] = field(default_factory=set, compare=False)

    def _built(self, name: str) -> Model:
        """The model, with one client whose connections all its turns share."""
        from signoff.shell.runtimes.model import clients

        if name not in self.built:
            self.built[name] = clients.build(name, self.choice.environment)
        return self.built[name]

    def prepare(self, models: Mapping[str, str | None], left: Allowance) -> None:
        """Raises before anything is spent if an agent has no model, a model no key, or a cost limit no known price."""
        require()
        from signoff.shell.runtimes.model import clients

        mode = self._mode()
        for agent, wanted in models.items():
            name = self.choice.model(agent, wanted)
            model = self._built(name)
            if mode == "native" and not clients.has_native_output(model):
                raise UsageError(
                    f"{MODE} is {mode!r}, and {name} ({agent}) cannot be held to a JSON schema",
                    valid="tool, prompted",
                    repair=f"leave {MODE} unset, or choose a newer model",
                )
            if left.cost is not None and not clients.has_price(model):
                raise UsageError(
                    f"a cost limit is set, and the price of {name} ({agent}) is unknown",
                    repair="choose a model with a known price, or limit tokens instead (`budget: {tokens: …}`)",
                )

    def ready(self) -> str:
        """What `prepare` has checked."""
        return "every agent has a model with a key; a turn can read only what its brief names"

    def chosen(self, models: Mapping[str, str | None]) -> dict[str, str]:
        """The model of each agent."""
        return {agent: self.choice.model(agent, wanted) for agent, wanted in models.items()}

    def provider(self, agent: str, wanted: str | None) -> str:
        """The provider of the agent's model."""
        return self.choice.model(agent, wanted).partition(":")[0]

    async def ask(self, model: str) -> Usage:
        """Asks one small question; gives the usage, or raises."""
        require()
        from signoff.shell.runtimes.model import clients

        return await clients.ask(model, clients.build(model, self.choice.environment))

    async def spy(self, assignment: Assignment, tools: ToolPort, paths: Sequence[str]) -> str:
        """A turn with a model of our own that reads what it can, without a request."""
        require()
        from signoff.shell.runtimes.model import clients

        schema = self.workflow.contract(assignment.start.contract).schema()
        return await clients.spy(assignment, schema, tools, paths)

    async def perform(self, assignment: Assignment, tools: ToolPort) -> Returned:
        """One turn: the brief to the model, its raw output back."""
        require()
        from signoff.shell.runtimes.model.conversation import Talk
        from signoff.shell.runtimes.model.provider_requests import Patience, Patient, traced

        start = assignment.start
        name = self.choice.model(start.agent, assignment.model)
        model = Patient(traced(self._built(name)), self.patience or Patience())
        schema = self.workflow.contract(start.contract).schema()
        declared = self.workflow.declared(start)
        talk = Talk(name, model, assignment, schema, declared, tools, self._mode(), self.clock, silent=self.silent)
        return await talk.hold()

    def _mode(self) -> Mode:
        from signoff.shell.runtimes.model.conversation import MODES

        named = self.choice.environment.get(MODE, "").strip() or MODES[0]
        for mode in MODES:
            if mode == named:
                return mode
        raise UsageError(f"{MODE} is {named!r}", valid=", ".join(MODES), repair="leave it unset for most models")


def require() -> None:
    """Raises unless the extra is installed."""
    if find_spec("pydantic_ai") is None:
        raise UsageError(
            "the runtime `model` needs Pydantic AI, which is not installed",
            repair="install it with `pip install 'signoff[model]'`",
        )
