"""Where a person types: a terminal, or lines in a pipe."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

EDITOR = "EDITOR"


def at_terminal() -> bool:
    """Whether a person can be asked."""
    with suppress(ValueError, AttributeError):
        return sys.stdin.isatty()
    return False


@dataclass(frozen=True, slots=True)
class Keyboard:
    """Reads lines and shows lines; what comes from a pipe is shown too, so that one can read what was said."""

    def read(self, prompt: str) -> str | None:
        with suppress(ImportError):
            import readline  # noqa: F401 - only for the arrow keys in `input`
        while True:
            try:
                line = input(prompt)
            except EOFError:
                print()
                return None
            except UnicodeDecodeError:
                print("  That was not UTF-8 text; type it again.")
                continue
            if not at_terminal():
                print(line)
            return line

    def say(self, line: str) -> None:
        print(line)

    def edit(self, text: str) -> str | None:
        command = shlex.split(os.environ.get(EDITOR, ""))
        if not command:
            print(f'  {EDITOR} is not set; set it, as in `export {EDITOR}=nano`, or begin a longer text with """')
            return None
        with tempfile.TemporaryDirectory(prefix="signoff-") as folder:
            file = Path(folder) / "answer.md"
            file.write_text(text, "utf-8")
            try:
                done = subprocess.run([*command, str(file)], check=False)
            except OSError as error:
                print(f"  {command[0]!r} cannot be started: {error.strerror}")
                return None
            return file.read_text("utf-8", "replace") if done.returncode == 0 else None
