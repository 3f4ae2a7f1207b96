"""Contracts from pydantic models: an agent's output is one YAML or JSON document, read strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel

from signoff.artifacts import agent_output
from signoff.core.declarations import Contract, Now
from signoff.core.findings import Finding


def contract(
    output: type[BaseModel],
    name: str = "",
    *,
    documents: Callable[[Any], Mapping[str, str]] = lambda _output: {},
    check: Callable[[Now, Any], Sequence[Finding]] = lambda _now, _output: (),
) -> Contract:
    """What an agent must give back: a document that the model accepts.

    `check` adds what only the state can tell; each finding sends the output back to the agent. `documents` gives the
    files that the output carries (path to text), for agents that write files themselves. The name is that of the
    model, unless you give one.
    """

    def parse(data: bytes, path: str) -> BaseModel:
        return agent_output.read(output, data, path)

    schema = cache(output.model_json_schema)
    return Contract(name=name or output.__name__, parse=parse, schema=schema, documents=documents, check=check)
