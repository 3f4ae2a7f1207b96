"""The conversation of one turn: the brief goes out, tools may be called, one output comes back, as raw text.

The kernel judges outputs and asks for the one retry, so nothing is validated or retried here: the model's output is
handed on byte for byte, even if it is malformed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from pydantic_ai import Agent, AgentRun, NativeOutput, PromptedOutput, StructuredDict, ToolOutput
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelConnectionError,
    ModelHTTPError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from signoff.core.declarations import Assignment, Tool
from signoff.core.events import Usage
from signoff.shell.runtimes.model import tools
from signoff.shell.runtimes.model.provider_requests import EnoughError, gave_up
from signoff.shell.runtimes.runtime import GaveUpError, Returned, ToolPort

OUTPUT = "final_result"
UNLIMITED = UsageLimits(request_limit=None)
"""Switches off the library's own limit of fifty requests: `_may_ask` enforces the turn's limits."""
TOOL_TRIES = 3

Mode = Literal["tool", "native", "prompted"]
MODES: tuple[Mode, ...] = ("tool", "native", "prompted")


@dataclass(slots=True)
class Talk:
    """One turn with one model; `name` is the model as the user named it, `declared` are the tools of the turn.

    `silent` are the models that have answered without reporting tokens, in this turn or an earlier one.
    """

    name: str
    model: Model
    assignment: Assignment
    schema: Mapping[str, Any]
    declared: Sequence[Tool]
    port: ToolPort
    mode: Mode = "tool"
    clock: Callable[[], float] = lambda: 0.0
    characters: int = 0
    answering: bool = False
    seconds: float = 0.0
    silent: set[str] = field(default_factory=set)
    responses: list[ModelResponse] = field(default_factory=list)
    run: AgentRun[None, dict[str, Any]] | None = None
    ids: tools.CallIds = field(init=False)

    def __post_init__(self) -> None:
        self.ids = tools.CallIds(self.assignment.called)

    async def hold(self) -> Returned:
        """The raw output, and what it cost."""
        failure: AgentRunError | None = None
        try:
            async with self.model:
                await self._converse()
        except AgentRunError as error:  # the library may refuse an output, but the kernel judges it
            failure = error
        except UserError as error:
            raise GaveUpError(
                "setting",
                f"{self.name} cannot be asked like this: {error}",
                repair="choose another model",
                model=self.name,
            ) from error
        finally:
            self._hand_over()
        usage = self._usage(unknown=self.answering or _may_be_billed(failure))
        if (raw := self._output()) is not None:
            return Returned(raw, usage, self.name)
        if self.responses and self.responses[-1].finish_reason == "length":
            raise GaveUpError(
                "cut-off",
                f"{self.name} ended at its limit of output tokens",
                repair="ask for less",
                usage=usage,
                model=self.name,
            )
        raise gave_up(failure or AgentRunError("the conversation ended without an output"), self.name, usage)

    async def _converse(self) -> None:
        agent = self._agent()
        task = self.assignment.brief.removeprefix(self.assignment.standing)
        async with agent.iter(task, usage_limits=UNLIMITED) as run:
            self.run = run
            async for node in run:
                if Agent.is_model_request_node(node):
                    self._may_ask()
                    with self._counting():
                        async with node.stream(run.ctx) as events:
                            async for event in events:
                                self.answering = True
                                self._hear(event)
                    self.answering = False
                elif Agent.is_call_tools_node(node):
                    self.responses.append(node.model_response)
                    if not _tokens(_reported(node.model_response)):
                        self.silent.add(self.name)
                    await self._record_unknown(node.model_response)

    @contextmanager
    def _counting(self) -> Iterator[None]:
        """Counts the seconds of requests; those of turns that a tool waits for are counted for those turns."""
        began = self.clock()
        try:
            yield
        finally:
            self.seconds += self.clock() - began

    def _agent(self) -> Agent[None, dict[str, Any]]:
        start = self.assignment.start
        return Agent(
            self.model,
            name=start.agent,
            deps_type=type(None),
            output_type=self._output_type(),
            instructions=self.assignment.standing,
            tools=tools.offered(self.port, start, self.declared, self.ids)
            if self.mode == "tool" or self._goes_on()
            else (),
            retries={"tools": TOOL_TRIES, "output": 0},
            end_strategy="early",
            model_settings=ModelSettings(max_retries=0, cache={"messages": self._goes_on()}),
        )

    def _goes_on(self) -> bool:
        """Whether more than one request is likely: there are tools, or inputs that the brief only names."""
        start, brief = self.assignment.start, self.assignment.brief
        return bool(start.tools or start.runs) or any(
            f"\n## {ref.path}\n" not in brief for ref in start.pinned if ref.path not in start.guides
        )

    def _output_type(self) -> Any:
        contract = self.assignment.start.contract
        about = f"Gives your output, complete, under the contract {contract}. It ends the turn."
        kind = StructuredDict(dict(self.schema), name=OUTPUT)
        match self.mode:
            case "native":
                return NativeOutput(kind, name=OUTPUT)
            case "prompted":
                return PromptedOutput(kind, name=OUTPUT)
            case _:
                return ToolOutput(kind, name=OUTPUT, description=about, strict=False)

    def _may_ask(self) -> None:
        """Raises if the requests before used up the budget.

        The library's own limits would also break off an answer that is under way and paid for.
        """
        left = self.assignment.left
        if left.tokens is not None and self.name in self.silent:
            problem = f"{self.name} does not say how many tokens it uses, and {left.tokens} were left for it"
            raise EnoughError(f"{problem}; lift the limit of tokens, or choose another model")
        if not self.responses:
            return
        most = self.assignment.start.limits.requests
        if len(self.responses) >= most:
            raise UnexpectedModelBehavior(f"it asked for tools {most} times")
        used = self._usage()
        tokens = _tokens(used)
        if left.tokens is not None and tokens >= left.tokens:
            raise EnoughError(f"{tokens} tokens are used and {left.tokens} were left for it")
        if left.cost is not None and (used.cost is None or used.cost >= left.cost):
            raise EnoughError(f"{used.cost or 'an unknown sum of'} USD are used and {left.cost} were left for it")

    def _hear(self, event: object) -> None:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                self._heard(text)
            case PartStartEvent(part=ToolCallPart(args=args)):
                self._heard(args if isinstance(args, str) else "")
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                self._heard(text)
            case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=args)):
                self._heard(args if isinstance(args, str) else "")

    def _heard(self, text: str) -> None:
        if text:
            self.characters += len(text)
            self.port.heard(self.characters)

    async def _record_unknown(self, response: ModelResponse) -> None:
        known = {OUTPUT, *tools.names(self.assignment.start)}
        for call in response.tool_calls:
            if call.tool_name not in known:
                await tools.record(self.port, call, self.ids)

    def _hand_over(self) -> None:
        """Hands over the conversation, however it ended, without addresses, which may carry a password."""
        if self.run is None:
            return
        try:
            said = ModelMessagesTypeAdapter.dump_python(self.run.all_messages(), mode="json", exclude_none=True)
        except ValueError as error:  # a model may say invalid Unicode; its raw output is kept anyway
            said = [{"kind": "unreadable", "why": str(error)}]
        self.port.said([{name: value for name, value in one.items() if name != "provider_url"} for one in said])

    # --- what came of it ---

    def _output(self) -> str | None:
        """What the model gave last: the output tool's arguments as they came, or its words if it called nothing."""
        last = self.responses[-1] if self.responses else None
        if last is None or last.finish_reason == "length":
            return None
        given = [call for call in last.tool_calls if call.tool_name == OUTPUT]
        if given:
            args = given[0].args
            return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        words = "".join(part.content for part in last.parts if isinstance(part, TextPart))
        return words if words.strip() and not last.tool_calls else None

    def _usage(self, *, unknown: bool = False) -> Usage:
        """The sum of all answers. The cost is unknown if a price is, or if an answer broke off."""
        used = [_reported(response) for response in self.responses]
        costs = [one.cost for one in used]
        known = [cost for cost in costs if cost is not None]
        return Usage(
            input_tokens=sum(one.input_tokens for one in used),
            output_tokens=sum(one.output_tokens for one in used),
            cached_tokens=sum(one.cached_tokens for one in used),
            cost=None if unknown or len(known) < len(costs) else sum(known, Decimal(0)),
            seconds=round(self.seconds, 3),
        )


def _reported(response: ModelResponse) -> Usage:
    """What one answer cost; unknown if it reports no tokens."""
    used = response.usage
    said = {
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cached_tokens": used.cache_read_tokens,
        "cost": used.cost if used.input_tokens or used.output_tokens else None,
    }
    return Usage.reported(said)


def _tokens(used: Usage) -> int:
    return used.input_tokens + used.output_tokens


def _may_be_billed(failure: AgentRunError | None) -> bool:
    """Whether a request had reached the provider when its connection broke."""
    broke = isinstance(failure, ModelConnectionError) and not isinstance(failure, ModelHTTPError)
    return broke and getattr(failure, "phase", None) != "connect"
