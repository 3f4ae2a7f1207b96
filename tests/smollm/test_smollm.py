"""One turn per role on a real small model, served on loopback: is the shape right? Quality is not asked of it.

SmolLM2-135M reads 8,192 tokens at most, and the shipped prompts alone are as long. So the project has agent files of
its own, as any project may: a line each. And a model of this size does not know when to end a list. So the one source
of the project, with which the brief ends, is a small output under the contract, and the task is to repeat it.
Everything else is as always: the brief is composed, the model is asked by the real client with the contract as a
schema, and its output is taken as it comes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from weights import WEIGHTS

from signoff.core.commands import Reply, StartTurn
from signoff.core.refs import Ref, digest
from signoff.core.workflow import Assignment, Workflow
from signoff.service import catalog
from signoff.shell.briefs import compose, crew, standing
from signoff.shell.folder import FolderStore
from signoff.shell.library import Library
from signoff.shell.model.choosing import choice
from signoff.shell.model.runtime import ModelRuntime
from signoff.shell.runtimes import Port, Returned

MODEL = "openai-compatible:smollm2-135m"
SOURCE = "0-sources/wanted.md"
WINDOW, ANSWER = 8192, 1000
ROLES = [(name, agent) for name in catalog.names() for agent in catalog.workflow(name).agents]


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


@pytest.mark.parametrize(("name", "agent"), ROLES)
def test_a_small_model_gives_an_output_of_the_right_shape(
    name: str, agent: str, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none is needed")
    monkeypatch.setenv("SIGNOFF_MODEL_OUTPUT", "native")
    workflow = catalog.workflow(name)
    returned = asyncio.run(turn(workflow, agent, project(tmp_path, workflow, agent)))
    schema = workflow.contracts[workflow.agents[agent].contract].schema()
    jsonschema.validate(json.loads(returned.raw), unpatterned(schema))
    assert returned.model == MODEL
    assert returned.usage.input_tokens > 100
    assert returned.usage.output_tokens > 0
    assert returned.usage.cost is None, "nobody knows what a model at home costs"


def project(root: Path, workflow: Workflow, agent: str) -> FolderStore:
    """A project whose one source says what is wanted, and whose agents are a line each."""
    store = FolderStore(root)
    schema = workflow.contracts[workflow.agents[agent].contract].schema()
    wanted = f"Repeat this JSON, exactly, and nothing more:\n\n{json.dumps(small(schema, schema))}\n"
    store.write(SOURCE, wanted.encode(), durable=False)
    for name in workflow.agents:
        front = f"---\nname: {name}\ndescription: {name}\nmodel: {MODEL}\nskills: []\n---\n"
        store.write(f".promptpack/agents/{name}.md", f"{front}You give JSON.\n".encode(), durable=False)
    return store


async def turn(workflow: Workflow, agent: str, store: FolderStore) -> Returned:
    """One turn of this agent, as the runner would have it carried out."""
    ref = Ref(SOURCE, digest(store.read(SOURCE) or b""))
    start = StartTurn(
        key="try",
        agent=agent,
        contract=workflow.agents[agent].contract,
        task="Repeat the JSON of your input.",
        pinned=(ref,),
        turn=f"0001-{agent}",
    )
    team, library = crew(workflow, store), Library(store, workflow.folder("try"))
    assignment = Assignment(
        start=start,
        brief=compose(workflow, team, start, library),
        params={},
        at="2026-01-01T00:00:00+00:00",
        standing=standing(workflow, team, start),
        model=team.agents[agent].model,
    )
    port = Port(library, {SOURCE: ref}, no_calls)
    return await ModelRuntime(workflow, choice([], workflow.agents, os.environ)).perform(assignment, port)


async def no_calls(tool: str, _args: Mapping[str, object], call_id: str) -> Reply:
    return Reply(turn="try", call_id=call_id, illegal=f"{tool} is not a tool here")


def small(schema: Any, whole: Any) -> Any:
    """A small value of a schema: every property, and of each the least, so that nothing is left to be thought of."""
    if "$ref" in schema:
        return small(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return small(choices[-1], whole)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object":
            return {name: small(value, whole) for name, value in schema.get("properties", {}).items()}
        case "array":
            return [small(schema["items"], whole)] * schema.get("minItems", 0)
        case "string":
            return "none"
        case "null":
            return None
        case kind:
            return {"integer": 0, "number": 0, "boolean": False}.get(kind or "", {})


def unpatterned(schema: Any) -> Any:
    """The schema without its patterns: the server cannot hold a model to those, and says so."""
    if isinstance(schema, dict):
        return {key: unpatterned(value) for key, value in schema.items() if key != "pattern" or isinstance(value, dict)}
    return [unpatterned(one) for one in schema] if isinstance(schema, list) else schema
