"""What stands between a command and the shell: every way to end has a message and an exit code.

0 done · 1 a gate or check failed · 2 usage: the person can fix it · 3 waits for a person · 4 escalated · 5 budget
70 our own mistake · 74 the machine: disk, permissions, locks, a broken journal · 130 interrupted · 141 no reader
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

USAGE, BUG, MACHINE, INTERRUPTED, UNREAD = 2, 70, 74, 130, 141


class InterruptedRunError(Exception):
    """Ctrl-C while a run was being worked on; says how to go on."""

    def __init__(self, command: str) -> None:
        super().__init__(f"Interrupted. Nothing is lost: go on with `{command}`.")


def guarded(call: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Runs a command and turns whatever happens into an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a character that cannot be shown becomes an escape, not a traceback
            stream.reconfigure(errors="backslashreplace")
    as_json = "--json" in argv
    try:
        code = call(argv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _ended("Interrupted. Nothing is lost: the same command goes on.", INTERRUPTED, as_json=as_json)
    except InterruptedRunError as interrupted:
        return _ended(str(interrupted), INTERRUPTED, as_json=as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except Exception as error:
        return _failed(error, as_json=as_json)
    return code


def _failed(error: Exception, *, as_json: bool) -> int:
    from signoff import OperatorError, UserError

    typer = sys.modules.get("typer")  # if it was not imported, it did not raise the error
    if typer is not None and isinstance(error, typer.TyperException):
        return _wrong_call(error, as_json=as_json)
    if isinstance(error, (UserError, OperatorError)):
        code = USAGE if isinstance(error, UserError) else MACHINE
        return _ended(str(error), code, as_json=as_json, error=error_json(error))
    kind = type(error).__name__
    message = f"This is a mistake in signoff, not yours: {kind}: {error}. Please report it with {_kept(error)}"
    return _ended(message, BUG, as_json=as_json, error={"kind": kind, "message": message, "findings": []})


def error_json(error: Exception) -> dict[str, Any]:
    """An error as JSON data, with its findings where it has some."""
    from dataclasses import asdict

    found = {name: value for name in ("found", "valid", "repair") if (value := getattr(error, name, ""))}
    findings = [asdict(finding) for finding in getattr(error, "findings", ())]
    notes = {"changes": "".join(error.__notes__)} if hasattr(error, "__notes__") else {}
    return {"kind": type(error).__name__, "message": str(error), **found, "findings": findings, **notes}


def _wrong_call(error: Any, *, as_json: bool) -> int:
    if as_json:
        told = {"kind": "UsageError", "message": error.format_message(), "findings": []}
        print(json.dumps({"error": told}, ensure_ascii=False, indent=1))
    else:
        error.show()
    return int(error.exit_code)


def _kept(error: Exception) -> str:
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile(
        "w", prefix="signoff-crash-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    return file.name


def _ended(message: str, code: int, *, as_json: bool, error: dict[str, Any] | None = None) -> int:
    if as_json:
        kind = error or {"kind": "Interrupted", "message": message, "findings": []}
        print(json.dumps({"error": kind}, ensure_ascii=False, indent=1))
    else:
        print(message, file=sys.stderr)
    return code
