"""`hook`: what Claude Code asks while a session runs. Only the standard library is imported.

Whatever goes wrong here ends with exit code 1, which the host shows and passes over: 2 would hold the session.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.service import status_overview
from signoff.service.hosts import turn_leases

NAMES = ("stop", "bash")
_ACT = r"(?:approve|reject|resume)\b"
_HIDDEN = r"\b(?:CLAUDECODE|AI_AGENT)\b"
_PERSONAL = re.compile(
    rf"\bsignoff\b(?!:)[^|;&\n]*\W{_ACT}|\bSIGNOFF_PERSON\b|\bclaude\b[^|;&\n]*/(?:signoff[:-])?{_ACT}"
    rf"|\benv\b[^|;&\n]*\s(?:-u|--unset)[\s=]*{_HIDDEN}|(?:\bunset\b[^|;&\n]*|\s|^){_HIDDEN}.*\bsignoff\b",
    re.DOTALL,
)
REFUSED = (
    "To approve, to reject and to resume is a person's act. Show them the command, and let them run it in a terminal "
    "of their own; do not try it in another way."
)


def parse(argv: Sequence[str]) -> str | None:
    """The hook that a command line asks for, if it is the plain form."""
    return argv[1] if len(argv) == 2 and argv[0] == "hook" and argv[1] in NAMES else None


def answer(name: str) -> int:
    """Reads what the host says on standard input, and prints what it should do, if anything."""
    try:
        if name not in NAMES:
            raise ValueError(f"there is no hook {name!r}. Valid: {', '.join(NAMES)}.")
        said = json.load(sys.stdin)
        told = bash(said) if name == "bash" else stop(said, os.environ)
    except Exception as error:  # a hook that fails may not hold the session
        print(f"signoff hook {name}: {error}", file=sys.stderr)
        return 1
    if told:
        print(json.dumps(told, ensure_ascii=False))
    return 0


def bash(said: Mapping[str, Any]) -> dict[str, Any]:
    """Whether a shell command may run: none that acts for a person.

    A pattern finds the spellings of a model that is mistaken. A shell has more of them than any pattern; what protects
    is that a person confirms at a terminal, and that the journal says by whom.
    """
    command = str((said.get("tool_input") or {}).get("command", ""))
    unquoted = re.sub(r"""["'\\]""", "", command.replace("\\\n", ""))  # as a shell reads its words
    if not _PERSONAL.search(unquoted):
        return {}
    decision = {"permissionDecision": "deny", "permissionDecisionReason": REFUSED}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def stop(said: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Whether a session may end: once for each turn that it took and did not give back it is asked to go on.

    It may end when others work on the turn, when agents of its own still run, when only a person can go on, and when it
    was told of the turn before.
    """
    if said.get("background_tasks"):
        return {}
    process = environment.get("CLAUDE_PID", "")
    known = process.isascii() and process.isdecimal()
    taker = turn_leases.Taker(str(said.get("session_id", "")), int(process) if known else -1)
    folder = Path(str(said.get("cwd") or ".")).resolve()
    project = next((home for home in (folder, *folder.parents) if (home / status_overview.HOME).is_dir()), None)
    open_turns = [one for one in turn_leases.held(str(project), taker) if not one.told] if project else []
    noted = [one for one in open_turns if turn_leases.remind(one, taker) or not said.get("stop_hook_active")]
    told = "; ".join(f"turn {one.turn} (attempt {one.attempt}) of the run {one.run}, for {one.agent}" for one in noted)
    reason = (
        f"This session took and did not give back: {told}. Finish it: next_turn gives the brief again, submit_turn "
        "takes the output. If you cannot, tell the person what is in the way and stop; you are not asked again."
    )
    return {"decision": "block", "reason": reason} if noted else {}
