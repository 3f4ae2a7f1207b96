"""Spans of whole runs, as a collector on loopback gets them: the tree, the names, and what must not be in them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
from clarify_models import inquire
from collector import Collector
from model_kit import CLAUDE, GPT, RONDO, first, lay_out, page, players
from shell_out import CALL, environment, signoff

from signoff.core.commands import StartTurn
from signoff.core.events import Usage
from signoff.shell import telemetry
from signoff.shell.runtimes import GaveUpError
from signoff.testing.stub import Step, Stub, call, give, refuse

RUN = ("run", "solution-page", RONDO)
ON_MODELS = (*RUN, "--runtime", "model", "--model")
INTERNAL, CLIENT = 1, 3
AGENTS = ["strategist", "copywriter", "editor-qa", "copywriter", "editor-qa"]
CONTENT = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
SECRET = "sk-that-nobody-may-see"
READ = call("read_input", path="0-sources/reports/rondo-test.pdf")


def traced(root: Path, model: str, *steps: Step, **env: str) -> Collector:
    """A page on a model: the steps first, then what the role players do."""
    with Collector() as collector, Stub(first(steps, players(root)), key=SECRET) as stub:
        ended = signoff(*ON_MODELS, model, "--json", cwd=root, **{**stub.environment(), **collector.environment, **env})
    assert (ended.code, ended.err, ended.json["notices"]) == (0, "", [])
    return collector


def shape(collector: Collector) -> list[Any]:
    """The tree without its gates: those of a page are many, and stand below the run alone."""
    assert {span.parent for span in collector.named("signoff.gate")} == {collector.spans[0].id}
    return [[name, *below] for name, *below in collector.tree()[0][1:] if not name.startswith("signoff.gate")]


@pytest.mark.parametrize(
    ("model", "name", "provider"), [(CLAUDE, "claude-sonnet-5", "anthropic"), (GPT, "gpt-5", "openai")]
)
def test_a_page_on_models_is_one_tree_of_run_turns_requests_tools_and_gates(
    model: str, name: str, provider: str, tmp_path: Path
) -> None:
    collector = traced(lay_out(tmp_path), model, READ, call("juggle"))
    assert len(collector.tree()) == 1
    assert collector.tree()[0][0] == "invoke_workflow solution-page"
    chat = [f"chat {name}"]
    assert shape(collector) == [
        ["invoke_agent strategist", chat, ["execute_tool read_input"], chat, ["execute_tool juggle"], chat],
        *(["invoke_agent " + agent, chat] for agent in AGENTS[1:]),
    ]
    assert len({span.trace for span in collector.spans}) == 1
    assert {span.attributes["gen_ai.conversation.id"] for span in collector.spans} == {RONDO}
    assert {span.kind for span in collector.named("chat")} == {CLIENT}
    assert {span.kind for span in collector.spans if not span.name.startswith("chat")} == {INTERNAL}
    turn = collector.named("invoke_agent")[0]
    assert turn.attributes.items() >= {
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.agent.name", "strategist"),
        ("gen_ai.provider.name", provider),
        ("gen_ai.request.model", name),
        ("signoff.turn", "0001-strategist"),
        ("signoff.attempt", 1),
        ("signoff.runtime", "model"),
    }
    for child in collector.below(turn):
        assert turn.began <= child.began <= child.ended <= turn.ended


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_the_usage_of_a_turn_is_that_of_its_requests_and_of_the_journal(model: str, tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    collector = traced(root, model, READ)
    for turn in collector.named("invoke_agent"):
        noted = json.loads((root / f"_workflow/turns/{turn.attributes['signoff.turn']}/usage-1.json").read_text())
        for kind in ("input", "output"):
            asked = [
                span.attributes[f"gen_ai.usage.{kind}_tokens"] for span in collector.below(turn) if "chat" in span.name
            ]
            assert turn.attributes[f"gen_ai.usage.{kind}_tokens"] == noted[f"{kind}_tokens"] == sum(asked)
        assert turn.attributes["gen_ai.usage.cache_read.input_tokens"] == noted["cached_tokens"]
        assert turn.attributes["signoff.cost"] == pytest.approx(float(noted["cost"]))


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_what_was_said_is_in_no_span_unless_somebody_asks_for_it(model: str, tmp_path: Path) -> None:
    quiet = b"".join(traced(lay_out(tmp_path / "quiet"), model, READ).bodies)
    loud = b"".join(traced(lay_out(tmp_path / "loud"), model, READ, **CONTENT).bodies)
    brief = (tmp_path / "quiet/_workflow/turns/0001-strategist/brief-1.md").read_text("utf-8")
    output = (tmp_path / "quiet/_workflow/turns/0002-copywriter/raw-1.txt").read_text("utf-8")
    standing = next(line for line in brief.splitlines() if line.startswith("You are"))
    for said in (standing, "# Inputs", "--- page 1 ---", "0-sources/reports/rondo-test.pdf", output[200:260]):
        shown = json.dumps(said, ensure_ascii=False)[1:-1].encode()
        assert shown not in quiet
        assert said.encode() not in quiet
        assert shown in loud or said.encode() in loud or json.dumps(shown.decode())[1:-1].encode() in loud, said
    for body in (quiet, loud):
        assert SECRET.encode() not in body


@pytest.mark.parametrize("value", ["", "false", "no_content", "event_only", "perhaps"])
def test_only_a_clear_yes_lets_what_was_said_into_spans(value: str, tmp_path: Path) -> None:
    collector = traced(lay_out(tmp_path), GPT, READ, **dict.fromkeys(CONTENT, value))
    tool = collector.named("execute_tool")[0]
    assert not {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} & tool.attributes.keys()


def test_a_tool_call_holds_its_arguments_and_its_result_when_asked(tmp_path: Path) -> None:
    collector = traced(lay_out(tmp_path), CLAUDE, READ, call("juggle", balls=3), **CONTENT)
    read, juggled = collector.named("execute_tool")
    assert json.loads(read.attributes["gen_ai.tool.call.arguments"]) == {
        "path": "0-sources/reports/rondo-test.pdf",
        "offset": 0,
    }
    assert read.attributes["gen_ai.tool.call.result"].startswith("--- page 1 ---")
    assert json.loads(juggled.attributes["gen_ai.tool.call.arguments"]) == {"balls": 3}
    assert (juggled.failed, juggled.attributes["error.type"]) == (True, "refused")


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_what_went_wrong_is_a_word_and_no_message(model: str, tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    told = "the quick brown fox"
    steps = [refuse(529, retry_after=0, message=told), give("{"), refuse(404, message=told)]
    with Collector() as collector, Stub(first(steps, players(root))) as stub:
        signoff(*ON_MODELS, model, cwd=root, **stub.environment(), **collector.environment)
    assert [span.attributes.get("error.type") for span in collector.named("chat")] == ["529", None, "404"]
    assert [span.failed for span in collector.named("chat")] == [True, False, True]
    turns = collector.named("invoke_agent")
    assert [(span.attributes["signoff.attempt"], span.attributes.get("error.type")) for span in turns] == [
        (1, None),
        (2, "unknown-model"),
    ]
    assert [len(collector.below(turn)) for turn in turns] == [2, 1]
    assert collector.spans[0].attributes["signoff.stop"] == "escalated"
    assert told.encode() not in b"".join(collector.bodies)


def test_the_offline_role_players_have_spans_too(tmp_path: Path) -> None:
    with Collector() as collector:
        ended = signoff("demo", "page", "--json", cwd=tmp_path, **collector.environment, OTEL_SERVICE_NAME="pages")
    assert ended.code == 0
    assert shape(collector) == [[f"invoke_agent {agent}"] for agent in AGENTS]
    run = collector.spans[0]
    assert run.attributes.items() >= {
        ("gen_ai.operation.name", "invoke_workflow"),
        ("gen_ai.workflow.name", "solution-page"),
        ("signoff.runtime", "offline"),
        ("signoff.stop", "complete"),
    }
    gates = Counter(span.attributes["signoff.gate"] for span in collector.named("signoff.gate"))
    assert gates.keys() == {"structure", "word-count", "links", "markers", "claims", "parity", "evidence"}
    assert all(span.attributes["signoff.gate.passed"] for span in collector.named("signoff.gate"))
    assert {span.attributes["gen_ai.provider.name"] for span in collector.named("invoke_agent")} == {"signoff.offline"}
    assert run.resource["service.name"] == "pages"


def test_a_gate_that_fails_says_how_much_it_found_and_not_what(tmp_path: Path) -> None:
    with Collector() as collector:
        signoff("demo", "page", "--example", "escalating", cwd=tmp_path, **collector.environment)
    failed = [span for span in collector.named("signoff.gate") if not span.attributes["signoff.gate.passed"]]
    assert failed
    assert all(span.attributes["signoff.findings"] > 0 and not span.failed for span in failed)


def test_turns_that_are_out_at_once_are_told_apart(tmp_path: Path) -> None:
    """An inquiry researches its sides at the same time: each turn holds its own request and no other."""
    with Collector() as collector, inquire(tmp_path, CLAUDE) as asking:
        assert asking("run", **collector.environment).code == 3
    turns = collector.named("invoke_agent dimension-researcher")
    assert len(turns) > 1
    assert max(turn.began for turn in turns) < min(turn.ended for turn in turns)
    assert [[child.name for child in collector.below(turn)] for turn in turns] == [["chat claude-sonnet-5"]] * len(
        turns
    )


# --- trouble ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:9", "do not reach http://127.0.0.1:9"),
        ("http://ada:pass-word@127.0.0.1:9", "do not reach http://127.0.0.1:9"),
        ("not an address", "do not reach not an address"),
    ],
)
def test_a_collector_that_is_not_there_is_said_once_and_changes_nothing(
    address: str, said: str, tmp_path: Path
) -> None:
    still, told = lay_out(tmp_path / "still"), lay_out(tmp_path / "told")
    assert signoff(*RUN, cwd=still).code == 0
    ended = signoff(*RUN, "--json", cwd=told, OTEL_EXPORTER_OTLP_ENDPOINT=address)
    assert (ended.code, ended.err, ended.json["stop"]) == (0, "", "complete")
    (notice,) = ended.json["notices"]
    assert said in notice
    assert "Repair: " in notice
    assert "pass-word" not in notice
    journals = [(root / "_workflow/journal.jsonl").read_bytes() for root in (still, told)]
    assert journals[0] == journals[1]


def test_a_collector_that_turns_spans_away_is_said_once(tmp_path: Path) -> None:
    with Collector(status=403) as collector:
        ended = signoff(*RUN, cwd=lay_out(tmp_path), **collector.environment)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("note: ") == 1
    assert "403" in ended.out


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'. Repair: set it to http/protobuf",
        ),
        ({"OTEL_EXPORTER_OTLP_COMPRESSION": "squeezed"}, "correct the variables OTEL_"),
    ],
)
def test_a_wrong_setting_is_said_and_the_work_goes_on(env: dict[str, str], said: str, tmp_path: Path) -> None:
    with Collector() as collector:
        ended = signoff(*RUN, "--json", cwd=lay_out(tmp_path), **collector.environment, **env)
    assert ended.code == 0
    assert said in ended.json["notices"][0]
    assert collector.bodies == []


@pytest.mark.parametrize("env", [{"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}])
def test_what_turns_opentelemetry_off_turns_it_off_here(env: dict[str, str], tmp_path: Path) -> None:
    with Collector() as collector:
        ended = signoff(*RUN, "--json", cwd=lay_out(tmp_path), **collector.environment, **env)
    assert (ended.code, ended.json["notices"], collector.bodies) == (0, [], [])


def test_without_the_extra_the_command_that_installs_it_is_named(tmp_path: Path) -> None:
    blocked = f"import sys; sys.modules['opentelemetry.sdk'] = None; {CALL}"
    with Collector() as collector:
        done = subprocess.run(
            [sys.executable, "-c", blocked, *RUN],
            cwd=lay_out(tmp_path), env=environment(collector.environment), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr, collector.bodies) == (0, "", [])
    assert done.stdout.count("pip install 'signoff[otel]'") == 1


def test_nothing_of_opentelemetry_is_imported_for_a_run_that_nobody_watches(tmp_path: Path) -> None:
    code = (
        f"import atexit, sys; atexit.register(lambda: print([m for m in sys.modules if 'opentelemetry' in m])); {CALL}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *RUN],
        cwd=lay_out(tmp_path), env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


# --- inside another program -------------------------------------------------------------------------------------------


def test_a_program_around_it_gets_the_spans_below_its_own(tmp_path: Path) -> None:
    lay_out(tmp_path)
    code = f"""
import asyncio
from pathlib import Path
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from signoff.service import catalog, driving, runs
from signoff.service.project import Project

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)

async def work():
    workflow = catalog.workflow("solution-page")
    live = await driving.begin_or_go_on(Project(Path()), workflow, {RONDO!r}, {{}})
    with trace.get_tracer("theirs").start_as_current_span("theirs"):
        await runs.drive(live, driving.runtime("offline", workflow))

asyncio.run(work())
spans = {{span.name: span for span in kept.get_finished_spans()}}
theirs, run, turn = spans["theirs"], spans["invoke_workflow solution-page"], spans["invoke_agent strategist"]
print(run.parent.span_id == theirs.context.span_id, turn.parent.span_id == run.context.span_id)
"""
    with Collector() as collector:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path, env=environment(collector.environment), capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert (done.stdout, collector.bodies) == ("True True\n", [])


def test_what_a_host_submits_has_the_spans_of_the_gates_it_must_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signoff.service import hosting
    from signoff.service.project import Project

    case = page(tmp_path)
    case.play(1)
    start, raw = case.output()
    with Collector() as collector:
        for name, value in collector.environment.items():
            monkeypatch.setenv(name, value)
        asyncio.run(hosting.submit(Project(tmp_path), RONDO, start.turn, start.attempt, raw))
    assert collector.tree()[0][0] == "invoke_workflow solution-page"
    assert [name for name, *_ in collector.tree()[0][1:]][:2] == ["signoff.gate structure", "signoff.gate word-count"]
    assert collector.spans[0].attributes["signoff.runtime"] == "host"


@pytest.mark.parametrize(
    ("error", "kind", "tokens"),
    [
        (TimeoutError(), "timeout", None),
        (asyncio.CancelledError(), "cancelled", None),
        (GaveUpError("key", "wrong key", usage=Usage(input_tokens=7, cost=None)), "key", 7),
        (ZeroDivisionError("division of what was said"), "ZeroDivisionError", None),
    ],
)
def test_a_turn_without_an_output_says_why_in_a_word_and_what_it_cost(
    error: BaseException, kind: str, tokens: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = StartTurn(key="draft", agent="writer", contract="writer", task="Write.", turn="0002-writer")
    told: list[str] = []
    with Collector() as collector:
        for name, value in collector.environment.items():
            monkeypatch.setenv(name, value)
        with (
            pytest.raises(type(error)),
            telemetry.run("toy", "one", "model", told.append),
            telemetry.turn(start, "model"),
        ):
            raise error
    run, turn = collector.spans
    assert (turn.failed, turn.attributes["error.type"], run.attributes["error.type"]) == (True, kind, kind)
    assert turn.attributes.get("gen_ai.usage.input_tokens") == tokens
    assert "signoff.cost" not in turn.attributes
    assert (turn.events, told) == ((), [])
