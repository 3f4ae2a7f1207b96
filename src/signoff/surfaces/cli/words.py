"""Plain text for people: pure functions from values to lines. What files say is cleaned of control characters."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MOST = 200


def clean(value: object, most: int = MOST) -> str:
    """Text that cannot move the cursor, change colours or fill the screen."""
    text = " ".join(str(value).split())
    safe = "".join("�" if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in text)
    return safe if len(safe) <= most else safe[: most - 1] + "…"


def width(text: str) -> int:
    """How many columns a terminal gives this text."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Aligned columns; the last one is not filled up."""
    cells = [list(head), *([clean(cell) for cell in row] for row in rows)]
    wide = [max(width(row[at]) for row in cells) for at in range(len(head))]
    return [_line(row, wide) for row in cells]


def _line(row: Sequence[str], wide: Sequence[int]) -> str:
    filled = (cell + " " * (space - width(cell)) for cell, space in zip(row, wide, strict=True))
    return "  ".join(filled).rstrip()


def answers(run: str, request: Mapping[str, Any], project: str | None = None) -> list[str]:
    """The exact commands that settle a request."""
    where = f" --project {shlex.quote(project)}" if project else ""
    options, key = request.get("options", ()), request.get("key", "")
    known = {
        "approve": f"signoff approve {run} --gate {key}{where}",
        "reject": f'signoff reject {run} --gate {key} --reason "…"{where}',
        "resume": f"signoff resume {run}{where}",
    }
    return [clean(known[option]) for option in options if option in known]


def counted(number: int, one: str) -> str:
    """A number with its noun."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def tree(title: str, branches: Mapping[str, Any]) -> list[str]:
    """A value as a tree: what is empty is left out."""
    shown = {name: value for name, value in branches.items() if value not in (None, "", [], {}, ())}
    lines = [clean(title)]
    for number, (name, value) in enumerate(shown.items(), 1):
        last = number == len(shown)
        lines.append(f"{'└─' if last else '├─'} {_branch(name, value)}")
        if isinstance(value, list):
            stem = "   " if last else "│  "
            lines += [f"{stem}{'└─' if at == len(value) else '├─'} {entry(item)}" for at, item in enumerate(value, 1)]
    return lines


def _branch(name: str, value: object) -> str:
    label = name.replace("_", " ")
    return label if isinstance(value, list) else f"{label}: {clean(value)}"


def entry(item: object) -> str:
    """One line for one entry: its place or act first, then the rest."""
    if not isinstance(item, Mapping):
        return clean(item)
    if "described" in item:
        sha = item.get("sha256")
        return clean(item["described"]) + (f"  sha256 {sha[:12]}" if sha else "")
    if "file" in item:
        place = f"{item['file']}:{item['line']}" if item.get("line") else str(item["file"])
        return f"{clean(place)}  {clean(item.get('span') or '')}".rstrip()
    return ", ".join(
        f"{name.replace('_', ' ')} {clean(value)}" for name, value in item.items() if value not in (None, "")
    )
