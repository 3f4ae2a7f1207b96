"""Which model an agent gets, and what is said before anything is spent."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from model_kit import CLAUDE, Paged, lead, page

from signoff.core.budget import Allowance
from signoff.core.errors import UsageError
from signoff.service import run_control
from signoff.shell.runtimes.model.model_choice import EXAMPLE, Choice, canonical, choice
from signoff.shell.runtimes.model.runtime import ModelRuntime
from signoff.testing.stub import Stub
from signoff.workflows.solution_page.workflow import WORKFLOW

AGENTS = ("writer", "editor-qa")
EVERYONE, ONE = {"SIGNOFF_MODEL": "e:all"}, {"SIGNOFF_MODEL_EDITOR_QA": "e:one"}


@pytest.mark.parametrize(
    ("flags", "environment", "wanted", "model"),
    [
        ([], {}, "file:own", "file:own"),
        ([], EVERYONE, "file:own", "e:all"),
        ([], {**EVERYONE, **ONE}, "file:own", "e:one"),
        ([], {"SIGNOFF_MODEL": "  "}, "file:own", "file:own"),
        (["f:all"], {**EVERYONE, **ONE}, "file:own", "f:all"),
        (["f:all", "editor-qa=f:one"], {**EVERYONE, **ONE}, None, "f:one"),
        (["writer=f:one"], {}, "file:own", "file:own"),
        (["f:name=odd"], {}, None, "f:name=odd"),
    ],
)
def test_the_flag_wins_over_the_environment_and_that_over_the_project(
    flags: list[str], environment: dict[str, str], wanted: str | None, model: str
) -> None:
    assert choice(flags, AGENTS, environment).model("editor-qa", wanted) == model


def test_an_agent_without_a_model_is_told_where_to_name_one() -> None:
    with pytest.raises(UsageError, match=r"no model is named for the agent 'writer'.*--model writer="):
        Choice().model("writer", None)


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("gpt-5", "'gpt-5' does not say whose model it is"),
        ("writer=gpt-5", "'gpt-5' does not say whose model it is"),
        ("anthropic:", "'anthropic:' does not say whose model it is"),
        ("wirter=openai:gpt-5", "there is no agent 'wirter'. Valid: writer, editor-qa"),
    ],
)
def test_a_wrong_flag_is_said_with_what_is_valid(flag: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choice([flag], AGENTS, {})


@pytest.mark.parametrize(
    ("name", "address", "known"),
    [
        ("anthropic:claude-sonnet-5", None, "anthropic:claude-sonnet-5"),
        ("google-gla:gemini-2.5-pro", None, "google:gemini-2.5-pro"),
        ("openai:gpt-5", None, "openai:gpt-5"),
        ("openai:gpt-5", "https://api.openai.com/v1", "openai:gpt-5"),
        ("openai:qwen", "http://127.0.0.1:8000/v1", "openai-chat:qwen"),
        ("openai-compatible:qwen", "http://127.0.0.1:8000/v1", "openai-chat:qwen"),
        ("ollama:llama3:8b", None, "ollama:llama3:8b"),
    ],
)
def test_names_that_users_know_become_names_that_the_library_knows(name: str, address: str | None, known: str) -> None:
    assert canonical(name, {"OPENAI_BASE_URL": address} if address else {}) == known


def test_a_compatible_server_needs_an_address() -> None:
    with pytest.raises(UsageError, match="set OPENAI_BASE_URL"):
        canonical("openai-compatible:qwen", {})


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("anthropic:claude-sonnet-5", "has no key: ANTHROPIC_API_KEY is not set. Repair: set ANTHROPIC_API_KEY"),
        ("openai:gpt-5", "has no key: OPENAI_API_KEY is not set"),
        ("google-gla:gemini-2.5-pro", "has no key: GOOGLE_API_KEY is not set"),
        ("ollama:llama3", "has no address: OLLAMA_BASE_URL is not set"),
        ("antropic:claude-sonnet-5", "is not a model of a known provider.*did you mean anthropic:claude-sonnet-5"),
        ("nobody:nothing-of-the-kind", "is not a model of a known provider. Valid: anthropic:"),
    ],
)
def test_a_run_that_cannot_begin_says_so_before_a_turn_is_out(
    model: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for provider in ("ANTHROPIC", "OPENAI", "GOOGLE", "GEMINI", "OLLAMA"):
        monkeypatch.delenv(f"{provider}_API_KEY", raising=False)
        monkeypatch.delenv(f"{provider}_BASE_URL", raising=False)
    case = page(tmp_path)
    before = case.events()
    with pytest.raises(UsageError, match=said):
        case.on_models(model)
    assert case.events() == before
    assert not list((tmp_path / "_workflow/turns").glob("*/brief-*"))


def test_the_config_names_models_per_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = f"models:\n  strategist: {CLAUDE}\n  copywriter: {CLAUDE}\n  editor-qa: nobody:nothing\n"
    case = page(tmp_path, config)
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        with pytest.raises(UsageError, match="'nobody:nothing' is not a model"):
            drive(case)
    assert not stub.asked


def test_a_misspelt_agent_in_the_config_is_no_silent_default(tmp_path: Path) -> None:
    case = page(tmp_path, f"models: {{editor: {CLAUDE}}}\n")
    with pytest.raises(UsageError, match="the config names models for editor, and solution-page has no such agent"):
        drive(case)


def drive(case: Paged) -> None:
    """With no flag and no variable: what the project says."""
    from signoff.service import runs

    case.go(lambda live: runs.drive(live, run_control.runtime("model", WORKFLOW)))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("anthropic:claude-sonnet-4-0", "cannot be held to a JSON schema. Valid: tool, prompted"),
        ("anthropic:claude-sonnet-5", None),
        ("openai:gpt-5", None),
    ],
)
def test_a_model_that_cannot_give_native_output_is_said_before_anything_is_spent(
    model: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_MODEL_OUTPUT", "native")
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        runtime = run_control.runtime("model", WORKFLOW, models=[model])
        assert isinstance(runtime, ModelRuntime)
        with pytest.raises(UsageError, match=said) if said else nullcontext():
            runtime.prepare(dict.fromkeys(WORKFLOW.agent_names), Allowance())
    assert not stub.asked


def test_the_model_that_is_named_as_an_example_is_the_newest_with_a_known_price() -> None:
    from genai_prices.data import providers

    provider, _, name = EXAMPLE.partition(":")
    kind = name.rstrip("-0123456789")
    known = [model.id for one in providers if one.id == provider for model in one.models]
    alike = [model for model in known if re.fullmatch(rf"{kind}(-\d+)+", model)]
    assert name == max(alike, key=lambda model: [int(part) for part in re.findall(r"\d+", model)])
    assert EXAMPLE in (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_a_cost_limit_needs_a_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = page(tmp_path, "budget: {cost: 5}\n")
    with Stub([]) as stub:
        lead(monkeypatch, stub)
        with pytest.raises(UsageError, match=r"a cost limit is set, and the price of openai:home-made .* is unknown"):
            case.on_models("openai:home-made")
    assert not stub.asked


@pytest.mark.parametrize(
    ("runtime", "more", "said"),
    [
        (
            "offline",
            {"models": [CLAUDE]},
            "means nothing to code that assembles a page from its sheet. Repair: add --runtime model",
        ),
        ("modle", {}, "there is no runtime 'modle'. Valid: offline, recorded, model"),
    ],
)
def test_what_does_not_go_together_is_refused(runtime: str, more: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run_control.runtime(runtime, WORKFLOW, **more)  # type: ignore[arg-type]


def test_an_unknown_way_of_giving_output_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_MODEL_OUTPUT", "spoken")
    with pytest.raises(UsageError, match=r"SIGNOFF_MODEL_OUTPUT is 'spoken'. Valid: tool, native, prompted"):
        page(tmp_path).on_models(CLAUDE)


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    code = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "pydantic_ai" else found(name, *more)
from signoff.core.errors import UsageError
from signoff.core.budget import Allowance
from signoff.service import catalog, run_control
try:
    run_control.runtime("model", catalog.workflow("solution-page"))
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'signoff[model]'" in done.stdout


def test_choosing_a_runtime_imports_no_model_library() -> None:
    heavy = "('pydantic_ai', 'anthropic', 'openai')"
    code = f"import sys, signoff.service.run_control; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
