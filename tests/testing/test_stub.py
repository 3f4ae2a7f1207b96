"""The stubbed provider, asked by the real clients."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from signoff.core.errors import UsageError
from signoff.testing.stub import Asked, Call, Step, Stub, call, give, read_play, refuse, say

TOOL = {"type": "object", "properties": {"answer": {"type": "integer"}}}
STREAMING = [False, True]


def anthropic(stub: Stub, *, stream: bool, key: str | None = None, system: Any = "Be brief.") -> Any:
    from anthropic import Anthropic

    asked = {
        "model": "claude-sonnet-5",
        "max_tokens": 100,
        "system": system,
        "messages": [{"role": "user", "content": "What is it?"}],
        "tools": [{"name": "final_result", "input_schema": TOOL}],
    }
    with Anthropic(api_key=key or stub.key, base_url=stub.url, max_retries=0) as client:
        if not stream:
            return client.messages.create(**asked)
        with client.messages.stream(**asked) as events:
            return events.get_final_message()


def openai(stub: Stub, *, stream: bool, key: str | None = None) -> Any:
    from openai import OpenAI

    asked: dict[str, Any] = {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is it?"}],
        "tools": [{"type": "function", "function": {"name": "final_result", "parameters": TOOL}}],
    }
    with OpenAI(api_key=key or stub.key, base_url=f"{stub.url}/v1", max_retries=0) as client:
        if not stream:
            return client.chat.completions.create(**asked)
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
            return events.get_final_completion()


@pytest.mark.parametrize("stream", STREAMING)
def test_the_anthropic_client_gets_words_calls_and_output(stream: bool) -> None:
    step = Step(text="It is 42.", calls=(Call("look", {"at": "é"}),), output={"answer": 42})
    with Stub([step]) as stub:
        said = anthropic(stub, stream=stream)
    assert [block.type for block in said.content] == ["text", "tool_use", "tool_use"]
    assert said.content[0].text == "It is 42."
    assert (said.content[1].name, said.content[1].input) == ("look", {"at": "é"})
    assert (said.content[2].name, said.content[2].input) == ("final_result", {"answer": 42})
    assert (said.stop_reason, said.usage.output_tokens > 0) == ("tool_use", True)


@pytest.mark.parametrize("stream", STREAMING)
def test_the_openai_client_gets_words_calls_and_output(stream: bool) -> None:
    step = Step(text="It is 42.", calls=(Call("look", {"at": "é"}),), output={"answer": 42})
    with Stub([step]) as stub:
        said = openai(stub, stream=stream)
    message = said.choices[0].message
    assert message.content == "It is 42."
    assert [(one.function.name, json.loads(one.function.arguments)) for one in message.tool_calls] == [
        ("look", {"at": "é"}),
        ("final_result", {"answer": 42}),
    ]
    assert (said.choices[0].finish_reason, said.usage.completion_tokens > 0) == ("tool_calls", True)


@pytest.mark.parametrize("stream", STREAMING)
@pytest.mark.parametrize("ask", [anthropic, openai])
def test_what_was_asked_is_kept(ask: Any, stream: bool) -> None:
    with Stub([say("Fine.")]) as stub:
        ask(stub, stream=stream)
    asked = stub.asked[0]
    assert (asked.system, asked.text, asked.tools) == ("Be brief.", "What is it?", ("final_result",))
    assert (asked.number, asked.stream, asked.key, asked.output_tool) == (1, stream, stub.key, "final_result")


@pytest.mark.parametrize("ask", [anthropic, openai])
@pytest.mark.parametrize(
    ("status", "name"), [(429, "RateLimitError"), (500, "InternalServerError"), (529, "OverloadedError")]
)
def test_a_refusal_reaches_the_client_with_its_status_and_when_to_come_back(ask: Any, status: int, name: str) -> None:
    with Stub([refuse(status, retry_after=7)]) as stub, pytest.raises(Exception, match=r".") as caught:
        ask(stub, stream=False)
    assert getattr(caught.value, "status_code", None) == status, name
    assert caught.value.response.headers["retry-after"] == "7"  # type: ignore[attr-defined]


@pytest.mark.parametrize("ask", [anthropic, openai])
def test_a_wrong_key_is_refused_and_takes_no_step_of_the_play(ask: Any) -> None:
    with Stub([say("Fine.")]) as stub:
        with pytest.raises(Exception, match="401"):
            ask(stub, stream=False, key="wrong")
        ask(stub, stream=False)
    assert (len(stub.asked), len(stub.refused), stub.refused[0].key) == (1, 1, "wrong")


@pytest.mark.parametrize("ask", [anthropic, openai])
def test_a_model_that_the_stub_does_not_know_is_not_found(ask: Any) -> None:
    with Stub([], models=("another",)) as stub, pytest.raises(Exception, match="404"):
        ask(stub, stream=False)


@pytest.mark.parametrize("ask", [anthropic, openai])
def test_a_cut_stream_ends_in_the_middle(ask: Any) -> None:
    with (
        Stub([Step(text="word " * 200, cut=100)]) as stub,
        pytest.raises(Exception, match=r"closed|Connection error"),
    ):
        ask(stub, stream=True)


def test_a_slow_answer_waits_for_its_gate() -> None:
    gate, arrived = threading.Event(), threading.Event()

    def slow(_asked: Asked) -> Step:
        arrived.set()
        return Step(text="At last.", gate=gate)

    said: list[Any] = []
    with Stub(slow) as stub:
        thread = threading.Thread(target=lambda: said.append(openai(stub, stream=False)))
        thread.start()
        assert arrived.wait(60)
        assert said == []
        gate.set()
        thread.join()
    assert said[0].choices[0].message.content == "At last."


def test_malformed_output_arrives_as_it_is() -> None:
    with Stub([give('{"answer": 4')]) as stub:
        said = openai(stub, stream=True)
    assert said.choices[0].message.tool_calls[0].function.arguments == '{"answer": 4'


def test_a_standing_part_that_came_before_is_cached() -> None:
    system = [{"type": "text", "text": "Be brief. " * 50, "cache_control": {"type": "ephemeral"}}]
    with Stub([say("One."), say("Two.")]) as stub:
        first, second = (anthropic(stub, stream=True, system=system).usage for _ in range(2))
    assert (first.cache_read_input_tokens, second.cache_creation_input_tokens) == (0, 0)
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens > 100


def test_a_step_may_stand_for_several_requests_and_a_play_that_is_over_says_so() -> None:
    with Stub([Step(text="Again.", times=2)]) as stub:
        assert [openai(stub, stream=False).choices[0].message.content for _ in range(2)] == ["Again.", "Again."]
        with pytest.raises(Exception, match="the play has no step for request 3"):
            openai(stub, stream=False)


def test_a_function_may_answer_each_request() -> None:
    with Stub(lambda asked: say(f"{asked.text} {asked.number}")) as stub:
        assert openai(stub, stream=False).choices[0].message.content == "What is it? 1"


def test_a_play_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "play.yaml"
    file.write_text(
        "- {status: 429, retry_after: 0}\n"
        "- calls: [{tool: read_input, args: {path: a.md}}]\n"
        "- {output: '{oops', cut: 3}\n"
    )
    assert read_play(file) == [
        refuse(429, retry_after=0),
        call("read_input", path="a.md"),
        Step(output="{oops", cut=3),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [("output: 1", "holds no list"), ("- {outptu: 1}", "step 1: outptu is unknown"), ("- 3", "step 1")],
)
def test_a_mistake_in_a_play_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "play.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_play(file)
