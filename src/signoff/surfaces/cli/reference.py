"""`docs/reference/commands.md`, made from the help texts by `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from signoff.surfaces.cli.app import app
from signoff.surfaces.cli.gate_programs import pages, qa

HEAD = """\
# Command line

<!-- Made by `make docs` from the help texts. Do not edit. -->

Every command of `signoff` takes `--json` (one JSON document on standard output and nothing else; an error is
`{"error": {"kind", "message", "findings", …}}`) and `--project DIR`. On a terminal progress is a live view, in a pipe it
is plain lines. `signoff --install-completion` installs completion for your shell.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a gate or check failed |
| 2 | usage: the call, a document or the moment is wrong, and the message says how to fix it |
| 3 | the run waits for a person |
| 4 | the run is escalated |
| 5 | the budget is used up |
| 70 | a mistake in signoff; the message names the file with the traceback |
| 74 | the machine: disk, permissions, a lock, a journal that does not add up |
| 130 | interrupted; nothing is lost |
| 141 | the reader of the output is gone |

| environment | meaning |
|---|---|
| `SIGNOFF_PERSON` | the name of the person a script acts for. Approving, rejecting and resuming a request are a person's acts: without it, standard input must be a terminal |
| `CLAUDECODE`, `AI_AGENT` | set by agents in the shells that they open: nothing can be approved, rejected or resumed there, whatever `SIGNOFF_PERSON` says |
| `SIGNOFF_CLOCK=revision` | times follow from the revision, so that two runs give the same bytes |
| `SIGNOFF_MODEL`, `SIGNOFF_MODEL_<AGENT>` | the model of all agents, or of one (`SIGNOFF_MODEL_EDITOR_QA`), for `--runtime model`; `--model` wins over it, and it wins over the config and the agent files |
| `SIGNOFF_MODEL_OUTPUT` | how a model gives its output: `tool` (default), `native` (JSON schema) or `prompted`, for models that call no tools |
| `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GOOGLE_API_KEY`, … | the key of a provider; `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL` and `OLLAMA_BASE_URL` say where it is, if not in its usual place |
| `OTEL_EXPORTER_OTLP_ENDPOINT` and the other variables of OpenTelemetry | where spans of runs go; unset, none are made ([telemetry](../guides/telemetry.md)) |
| `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true` | also put what was said into the spans |
| `EDITOR` | what opens when `e` is typed in `signoff answer` or `signoff chat` |
| `NO_COLOR` | no colours |
"""  # noqa: E501 - a table row is one line


def render() -> str:
    """The whole page."""
    parts = [HEAD, *(_entry(title, text) for title, text in entries())]
    return "\n".join(parts)


def entries() -> Iterator[tuple[str, str]]:
    """Every command with its help, subcommands included."""
    for application, name in ((app, "signoff"), (pages, "solution-page"), (qa, "qa-gate")):
        yield from _walk(get_command(application), name, None)


def _walk(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    with command.make_context(name, [], parent=parent, resilient_parsing=True, terminal_width=100) as context:
        yield context.command_path, command.get_help(context)
        names = command.list_commands(context) if hasattr(command, "list_commands") else ()
        for below in names:
            yield from _walk(command.resolve_command(context, [below])[1], below, context)


def _entry(title: str, text: str) -> str:
    return f"## `{title}`\n\n```text\n{text.strip()}\n```\n"
