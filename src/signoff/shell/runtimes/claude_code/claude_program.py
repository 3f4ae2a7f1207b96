"""Where Claude Code is: the program that is named, the one on the PATH, or the one that its SDK brings along."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from signoff.core.errors import UsageError

VARIABLE = "SIGNOFF_CLAUDE"
PROGRAM = "claude"
SDK = "claude_agent_sdk"
INSTALL = f"install it with `pip install 'signoff[claude-code]'`, or name the program in {VARIABLE}"
SECONDS = 60.0


def find(environment: Mapping[str, str]) -> Path:
    """The program; what was named and is not there is an error, and not a reason to take another."""
    if named := environment.get(VARIABLE, "").strip():
        found = shutil.which(named, path=environment.get("PATH"))
        if found is None:
            raise UsageError(f"{VARIABLE} is {named!r}, and that is no program", repair="correct it, or leave it unset")
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
    """What the program says of itself; it must really start for that."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{program} does not start: {error}", repair=INSTALL) from error
    return said.stdout.strip()


def logged_in(program: Path, environment: Mapping[str, str]) -> bool:
    """Whether somebody is logged in, as far as the program says so; one that does not know is not doubted."""
    try:
        asked = [str(program), "auth", "status"]
        said = subprocess.run(
            asked, capture_output=True, text=True, timeout=SECONDS, check=False, env=dict(environment)
        )
        plain = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return True
    return not isinstance(plain, dict) or plain.get("loggedIn") is not False
