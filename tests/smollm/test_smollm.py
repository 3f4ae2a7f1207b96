"""One turn per role on a real small model, served on loopback: is the shape right? Quality is not asked of it.

SmolLM2-135M reads 8,192 tokens at most, and the shipped prompts alone are as long. So the project has agent files of
its own, as any project may: a line each. And a model of this size does not know when to end a list or a text. So it is
held to the contract and to shortness besides: what fits into that fits into the contract. Everything else is as always:
the brief is composed, the model is asked by the real client with a schema, and its output is taken as it comes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from weights import WEIGHTS

from signoff.core.commands import Reply, StartTurn
from signoff.core.declarations import Assignment, Contract
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Workflow
from signoff.service import catalog
from signoff.shell.run.briefs import compose, crew, standing
from signoff.shell.run.folder_store import FolderStore
from signoff.shell.run.library import Library
from signoff.shell.runtimes.model.model_choice import choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.shell.runtimes.runtime import Port, Returned

MODEL = "openai-compatible:smollm2-135m"
SOURCE = "0-sources/lamp.md"
WINDOW, ANSWER = 8192, 1000
LIST, TEXT = 1, 40
"""The most entries of a list and characters of a text that the model is let."""
ENTRY = "one"
"""The name of the entry in a mapping that must have one."""

ROLES = [
    *((name, one.name, one.contract.name) for name in catalog.names() for one in catalog.workflow(name).agents),
    ("orchestration", "tactical-solution-architect", "tactical"),
]
"""Who is asked, and under which contract; one agent has another for the questions that come up while others work."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The model on a free port of this machine; greedy, so that two runs say the same."""
    if not WEIGHTS.exists():
        pytest.fail(f"{WEIGHTS} is not there: run `make test-smollm`, which fetches it")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(WEIGHTS)
    params.n_ctx, params.n_parallel, params.n_predict, params.port = WINDOW, 1, ANSWER, 0
    params.sampling.temp = 0.0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    running = xllamacpp.Server(params)
    yield running.listening_address
    del running


@pytest.mark.parametrize(("name", "agent", "contract"), ROLES)
def test_a_small_model_gives_an_output_of_the_right_shape(
    name: str, agent: str, contract: str, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none is needed")
    monkeypatch.setenv("SIGNOFF_MODEL_OUTPUT", "native")
    workflow = catalog.workflow(name)
    returned = asyncio.run(turn(workflow, agent, contract, project(tmp_path, workflow)))
    schema = workflow.contract(contract).schema()
    jsonschema.validate(json.loads(returned.raw), unpatterned(schema))
    assert returned.model == MODEL
    assert returned.usage.input_tokens > 100
    assert returned.usage.output_tokens > 0
    assert returned.usage.cost is None, "nobody knows what a model at home costs"


def project(root: Path, workflow: Workflow) -> FolderStore:
    """A project with one small source, and agents of a line each."""
    store = FolderStore(root)
    store.write(SOURCE, b"# Desk lamp\n\nThe lamp gives 400 lm for 9 hours.\n", durable=False)
    for name in workflow.agent_names:
        front = f"---\nname: {name}\ndescription: {name}\nmodel: {MODEL}\nskills: []\n---\n"
        store.write(f".promptpack/agents/{name}.md", f"{front}You give short JSON.\n".encode(), durable=False)
    return store


async def turn(workflow: Workflow, agent: str, contract: str, store: FolderStore) -> Returned:
    """One turn of this agent under this contract, as the runner would have it carried out."""
    ref = Ref(SOURCE, digest(store.read(SOURCE) or b""))
    start = StartTurn(
        key="try",
        agent=agent,
        contract=contract,
        task="Give a short output.",
        pinned=(ref,),
        turn=f"0001-{agent}",
    )
    team, library = crew(workflow, store), Library(store, workflow.folder("try"))
    assignment = Assignment(
        start=start,
        brief=compose(workflow, team, start, library),
        params={},
        at="2026-01-01T00:00:00+00:00",
        standing=standing(workflow, team, start, library),
        model=team.agents[agent].model,
    )
    port = Port(library, {SOURCE: ref}, no_calls)
    held = replace(
        workflow,
        contracts=tuple(map(shortened, workflow.contracts)),
        agents=tuple(replace(one, contract=shortened(one.contract)) for one in workflow.agents),
    )
    return await ModelRuntime(held, choice([], workflow.agent_names, os.environ)).perform(assignment, port)


async def no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    return Reply(turn="try", call_id=call_id, illegal=f"{tool} is not a tool here")


def shortened(contract: Contract) -> Contract:
    """A contract with lists and texts that end; patterns would undo that, because the server gives up on them."""
    return replace(contract, schema=lambda: short(unpatterned(contract.schema())))


def short(schema: Any) -> Any:
    """A schema with an end to every list, text and mapping; a mapping that must not be empty has one entry."""
    if not isinstance(schema, dict):
        return [short(one) for one in schema] if isinstance(schema, list) else schema
    held = {key: short(value) for key, value in schema.items()}
    if schema.get("type") == "array":
        held["maxItems"] = max(LIST, schema.get("minItems", 0))
    if schema.get("type") == "string" and "enum" not in schema:
        held["maxLength"] = TEXT
    entry = mapped(held)
    if entry is not None:
        one = {ENTRY: entry} if schema.get("minProperties") else {}
        held = {key: value for key, value in held.items() if key not in ("patternProperties", "propertyNames")}
        held |= {"additionalProperties": False, "properties": {**held.get("properties", {}), **one}}
        held |= {"required": [*held.get("required", ()), *one]}
    return held


def mapped(schema: Mapping[str, Any]) -> Any:
    """What the entries of a mapping are like, whatever their names; None for what is no mapping."""
    named = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    return next((one for one in named if isinstance(one, dict)), None)


def unpatterned(schema: Any) -> Any:
    """The schema without its patterns: the server cannot hold a model to those, and says so."""
    if isinstance(schema, dict):
        return {key: unpatterned(value) for key, value in schema.items() if key != "pattern" or isinstance(value, dict)}
    return [unpatterned(one) for one in schema] if isinstance(schema, list) else schema
