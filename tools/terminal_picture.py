"""Runs commands of the shipped example as a person would, and draws what the terminal shows as an SVG."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PROGRAM = [sys.executable, "-c", "from signoff.surfaces.cli import main; main()"]
COLUMNS = 100
BACKGROUND, FOREGROUND = (13, 17, 23), (230, 237, 243)
BLACK, RED, GREEN, YELLOW = (72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34)
BLUE, MAGENTA, CYAN, WHITE = (88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)
THEME = TerminalTheme(BACKGROUND, FOREGROUND, [BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE])
FORMAT = """\
<svg class="rich-terminal" viewBox="0 {{top}} {width} {{{height}}}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>A run in the terminal</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width }}
{styles}
</style>
<defs>
{lines}
</defs>
<rect fill="#0d1117" stroke="#3d444d" x="0.5" y="{{top}}.5" width="99.9%" height="99.7%" rx="8"/>
<g transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own frame has a title bar and loads fonts from a server; this one uses what is there."""
TITLE_BAR = 26


def picture(commands: Sequence[str], name: str, until: str = "") -> str:
    """The SVG of a terminal in which these commands were typed, one after the other, in a new folder.

    A line that begins with `until` and all below it are left out, and three dots say so.
    """
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            console.print(Text("$ ", style="green") + Text(command, style="bold"))
            for line in typed(command, Path(folder)).splitlines():
                if until and line.startswith(until):
                    console.print("…")
                    break
                console.print(Text(line), no_wrap=True, overflow="ellipsis", crop=True)
    drawn = console.export_svg(title="", theme=THEME, code_format=FORMAT, unique_id=name)
    high = float(re.findall(r'viewBox="0 \{top\} [0-9.]+ \{(.*?)\}"', drawn)[0]) - TITLE_BAR
    return re.sub(r"\{[0-9.]+\}", f"{high:g}", drawn).replace("{top}", str(TITLE_BAR))


def typed(command: str, folder: Path) -> str:
    """What a command of Signoff prints; times follow from the run, so that it is the same every time."""
    env = {**os.environ, "SIGNOFF_CLOCK": "revision", "HOME": str(folder), "COLUMNS": str(COLUMNS)}
    words = command.split()
    assert words[0] == "signoff", command
    done = subprocess.run([*PROGRAM, *words[1:]], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout
