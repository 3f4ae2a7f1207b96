"""Plain text for people: pure functions from values to lines. What files say is cleaned of control characters."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

MOST, COMMAND, QUESTION = 200, 1000, 1000
APPROVAL = "approval"


def clean(value: object, most: int = MOST) -> str:
    """Text that cannot move the cursor, change colours or fill the screen."""
    safe = harmless(" ".join(str(value).split()))
    return safe if len(safe) <= most else safe[: most - 1] + "…"


def width(text: str) -> int:
    """How many columns a terminal gives this text."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: Collection[str] = ()) -> list[str]:
    """Aligned columns, those of `numbers` to the right; the last one is not filled up."""
    cells = [list(head), *([clean(cell) for cell in row] for row in rows)]
    wide = [max(width(row[at]) for row in cells) for at in range(len(head))]
    lines = []
    for row in cells:
        space = [" " * (most - width(cell)) for cell, most in zip(row, wide, strict=True)]
        columns = zip(head, row, space, strict=True)
        lines.append("  ".join(gap + cell if name in numbers else cell + gap for name, cell, gap in columns).rstrip())
    return lines


def usd(cost: object) -> str:
    """Money with its cents, and with a few more places where it has them."""
    from decimal import Decimal

    value = Decimal(str(cost))
    if 0 < value < Decimal("0.0001"):
        return "<0.0001"
    whole, _, places = f"{value:.4f}".partition(".")
    return f"{whole}.{places[:2]}{places[2:].rstrip('0')}"


def used(spend: Mapping[str, Any], limits: Mapping[str, Any]) -> list[str]:
    """Tokens and money, each with its limit if there is one; an unknown price is said to be unknown."""
    tokens, cost, said = int(spend.get("tokens") or 0), spend.get("cost"), []
    if limits.get("tokens") is not None:
        said.append(f"{tokens} of {limits['tokens']} tokens")
    elif tokens:
        said.append(f"{tokens} tokens")
    limit = limits.get("cost")
    if cost is None:
        said.append("price unknown" + ("" if limit is None else f" (limit {usd(limit)} USD)"))
    elif limit is not None:
        said.append(f"{usd(cost)} of {usd(limit)} USD")
    elif str(cost).strip("0."):
        said.append(f"{usd(cost)} USD")
    return said


def answers(
    run: str,
    request: Mapping[str, Any],
    project: str | None = None,
    among: Iterable[Mapping[str, Any]] = (),
    runtime: str | None = None,
) -> list[str]:
    """The exact commands that settle a request, each choice with what it does; `among` are all that wait in the run.

    `runtime` is what goes on with the run afterwards.
    """
    here = f" --project {shlex.quote(project)}" if project else ""
    where = here + (f" --runtime {shlex.quote(runtime)}" if runtime else "")
    options, key = request.get("options", ()), request.get("key", "")
    known = {
        "approve": f"signoff approve {run} --gate {key}{where}",
        "reject": f'signoff reject {run} --gate {key} --reason "…"{where}',
        "resume": f"signoff resume {run}{where}",
    }
    if request.get("kind") != APPROVAL:
        others = [other for other in among if other.get("request") != request.get("request")]
        known |= {option: _choice(run, request, option, others) + where for option in options if option not in known}
    lines = {option: clean(known[option], COMMAND) for option in options if option in known}
    about = dict(request.get("about") or {})
    told = [f"{line}  # {clean(about[option])}" if about.get(option) else line for option, line in lines.items()]
    first = [clean(f"signoff answer {run}{here}", COMMAND) + "  # answer the questions one by one"]
    return (first if request.get("questions") else []) + told


def _choice(run: str, request: Mapping[str, Any], option: str, others: Sequence[Mapping[str, Any]]) -> str:
    """How an option is chosen; the request is named if another one has the same option."""
    rivals = [other for other in others if option in other.get("options", ()) and other.get("kind") != APPROVAL]
    taken = any(other.get("key") == request.get("key") for other in rivals)
    named = f" --request {request.get('request' if taken else 'key')}" if rivals else ""
    return f"signoff choose {run} {option}{named}"


def counted(number: int, one: str) -> str:
    """A number with its noun."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def paragraph(text: str, indent: str = "  ") -> list[str]:
    """Text of any number of lines as it is, but harmless; every line is indented."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n") if text.strip() else []
    return [f"{indent}{harmless(line.rstrip().expandtabs(4))}".rstrip() for line in lines]


def harmless(text: str) -> str:
    """Text without anything that moves the cursor or changes colours."""
    return "".join("�" if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in text)


def clean_line(line: str) -> str:
    """A line of a diff with its indentation, and without anything that moves the cursor."""
    return "".join(char if char.isprintable() or char == "\t" else "�" for char in line)


def answered(run: str, counts: Mapping[str, Any]) -> str:
    """How far the questions of a run are answered."""
    said = f"{run}: {counts['answered']} of {counted(counts['total'], 'question')} answered"
    said += "".join(f", {counts[name]} {name}" for name in ("vague", "open") if counts[name])
    return said + (f"; must be answered yet: {clean(', '.join(counts['must']))}" if counts["must"] else "")


def tree(title: str, branches: Mapping[str, Any]) -> list[str]:
    """A value as a tree, to any depth: what is empty is left out."""
    shown = {name: value for name, value in branches.items() if value not in (None, "", [], {}, ())}
    below = [_branch(name.replace("_", " "), value) for name, value in shown.items()]
    return [clean(title), *_below(below)]


def _below(branches: Sequence[Sequence[str]]) -> list[str]:
    """Branches under a stem, each with its own lines below it."""
    lines: list[str] = []
    for number, (head, *rest) in enumerate(branches, 1):
        last = number == len(branches)
        lines.append(f"{'└─' if last else '├─'} {head}")
        lines += [f"{'   ' if last else '│  '}{line}" for line in rest]
    return lines


def _branch(label: str, value: object) -> list[str]:
    if isinstance(value, Mapping):
        head, *rest = _node(value) if _is_node(value) else tree("", value)
        return [f"{label}: {head}" if head else label, *rest]
    if isinstance(value, (list, tuple)):
        return [label, *_below([_node(item) if _is_node(item) else [entry(item)] for item in value])]
    return [f"{label}: {clean(value)}"]


def _is_node(item: object) -> bool:
    """Whether an entry is something with an id or words of its own, and perhaps more below it."""
    if not isinstance(item, Mapping):
        return False
    return "id" in item or ("text" in item and not {"described", "file"} & item.keys())


def _node(item: Mapping[str, Any]) -> list[str]:
    title = ": ".join(str(item[name]) for name in ("id", "text") if item.get(name))
    return tree(title, {name: value for name, value in item.items() if name not in ("id", "text")})


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
