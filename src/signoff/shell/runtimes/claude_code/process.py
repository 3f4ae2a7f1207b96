"""Claude Code as a process: which program it is, how it is called, its environment, and its end."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.shell.run.processes import kill_group
from signoff.shell.runtimes.claude_code import permissions

TURNS = 60
LONGEST_LINE = 2**27
LONGEST_WAIT = str(24 * 3600 * 1000)
SAID = 2_000

PASSED = ("PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CLOUD_ML_REGION")
FAMILIES = ("ANTHROPIC_", "AWS_", "GOOGLE_", "VERTEX_", "AZURE_", "LC_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", TOKEN)
CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
CONFIG = "CLAUDE_CONFIG_DIR"
OURS = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "ENABLE_TOOL_SEARCH": "false",  # our tools are few, and listed
    "MAX_STRUCTURED_OUTPUT_RETRIES": "1",  # the kernel judges outputs and asks for the one retry
    "MCP_TOOL_TIMEOUT": LONGEST_WAIT,  # a tool of a workflow may wait for other turns
}


def environment(outer: Mapping[str, str], home: Path) -> dict[str, str]:
    """Its environment: programs, certificates, proxies, and who pays. Its settings are made for this turn.

    If there is no key, it keeps the person's home, because the login is there.
    """
    passed = {
        name: value
        for name, value in outer.items()
        if name in (*PASSED, TOKEN) or name.startswith(FAMILIES) or name.upper() in PROXIES
    }
    beside = ",".join(filter(None, (outer.get("NO_PROXY") or outer.get("no_proxy"), "127.0.0.1", "localhost")))
    whose = {name: outer[name] for name in ("HOME", CONFIG) if name in outer}
    if paid(outer):
        whose[CONFIG] = str(home / ".claude")
    if any(outer.get(name) for name in KEYS):
        whose["HOME"] = str(home)
    return {**passed, **whose, **OURS, "NO_PROXY": beside, "no_proxy": beside}


def paid(outer: Mapping[str, str]) -> bool:
    """Whether the environment says who pays; else the person who is logged in pays."""
    return any(outer.get(name) for name in (*KEYS, *CLOUDS))


def arguments(
    start: StartTurn, model: str, schema: Mapping[str, Any], files: Mapping[str, Path], cost: object | None
) -> list[str]:
    """Its arguments: only our settings and servers, only the tools of the contract; for all else it must ask.

    `files` hold the standing part of the brief and the address of our server, out of sight of other processes.
    """
    tools = ",".join(map(permissions.called, permissions.ours(start)))
    return [
        *("--print", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
        *("--model", model, "--max-turns", str(TURNS)),
        *("--system-prompt-file", str(files["system"]), "--json-schema", json.dumps(schema)),
        *("--tools", ",".join(permissions.theirs(start)), *(("--allowedTools", tools) if tools else ())),
        *("--permission-mode", "default", "--permission-prompt-tool", permissions.called(permissions.PERMISSION)),
        *("--mcp-config", str(files["servers"]), "--strict-mcp-config"),
        *("--setting-sources", "", "--disable-slash-commands", "--no-session-persistence"),
        *(("--max-budget-usd", str(cost)) if cost is not None else ()),
    ]


@dataclass(frozen=True, slots=True)
class Exit:
    """How it ended, and the last it said on standard error."""

    code: int
    said: str


async def converse(
    command: list[str], folder: Path, known: Mapping[str, str], task: str, hear: Callable[[bytes], Any]
) -> Exit:
    """Gives it the task, passes each line to `hear` until it ends or `hear` returns True, and kills what is left."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(known),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(f"{command[0]} does not start: {error.strerror}", repair="is it the right program?") from error
    try:
        said = asyncio.create_task(_last(process.stderr))
        _, enough = await asyncio.gather(_give(process.stdin, task), _listen(process.stdout, hear))
        if enough:
            kill_group(process.pid)
        code = await process.wait()
        kill_group(process.pid)  # whatever it started
        return Exit(code, await said)
    finally:
        kill_group(process.pid)
        await process.wait()


async def _give(pipe: asyncio.StreamWriter | None, task: str) -> None:
    assert pipe is not None  # it was opened with pipes
    try:
        pipe.write(task.encode("utf-8", "replace"))
        await pipe.drain()
    except ConnectionError:
        return  # it ended before it had read all: how it ended says why
    finally:
        pipe.close()


async def _listen(pipe: asyncio.StreamReader | None, hear: Callable[[bytes], Any]) -> bool:
    assert pipe is not None
    async for line in pipe:
        if await hear(line):
            return True
    return False


async def _last(pipe: asyncio.StreamReader | None) -> str:
    assert pipe is not None
    kept = b""
    while data := await pipe.read(65_536):
        kept = (kept + data)[-SAID:]
    return kept.decode("utf-8", "replace").strip()


# --- which program it is ---------------------------------------------------------------------------------------------

VARIABLE = "SIGNOFF_CLAUDE"
PROGRAM = "claude"
SDK = "claude_agent_sdk"
INSTALL = f"install it with `pip install 'signoff[claude-code]'`, or name the program in {VARIABLE}"
SECONDS = 60.0


def find_program(environment: Mapping[str, str]) -> Path:
    """The program. If the environment names one that does not exist, that is an error."""
    if named := environment.get(VARIABLE, "").strip():
        found = shutil.which(named, path=environment.get("PATH"))
        if found is None:
            raise UsageError(f"{VARIABLE} is {named!r}, which is not a program", repair="correct it, or leave it unset")
        return Path(found)
    if found := shutil.which(PROGRAM, path=environment.get("PATH", "")):
        return Path(found)
    if (bundled := _bundled()) is not None:
        return bundled
    raise UsageError(f"Claude Code is not here: no program `{PROGRAM}` on the PATH, and no {SDK}", repair=INSTALL)


def _bundled() -> Path | None:
    spec = find_spec(SDK)
    places = spec.submodule_search_locations if spec else None
    found = [Path(place) / "_bundled" / PROGRAM for place in places or ()]
    return next((program for program in found if program.is_file()), None)


def version(program: Path) -> str:
    """Its version; it is really started for that."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{program} does not start: {error}", repair=INSTALL) from error
    return said.stdout.strip()


def logged_in(program: Path, environment: Mapping[str, str]) -> bool:
    """Whether a person is logged in; True if the program cannot tell."""
    try:
        asked = [str(program), "auth", "status"]
        said = subprocess.run(
            asked, capture_output=True, text=True, timeout=SECONDS, check=False, env=dict(environment)
        )
        plain = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return True
    return not isinstance(plain, dict) or plain.get("loggedIn") is not False
