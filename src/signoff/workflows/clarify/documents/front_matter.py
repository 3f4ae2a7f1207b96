"""The frontmatter of clarifications and decisions: read with its problems, and fields of it set in their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.artifacts import yamlio
from signoff.artifacts.lines import Line, newline, spliced, split
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The fields, the place of their text, and how many lines the frontmatter takes."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    span: tuple[int, int] | None = None
    end: int = 0
    problems: tuple[Finding, ...] = ()


def read_front(text: str, lines: Sequence[Line], file: str, rule: str) -> FrontMatter:
    """The frontmatter at the beginning of a text; what is wrong with it has the rule `RULE.frontmatter`."""
    rules = [line.number for line in lines if line.text.rstrip(" \t") == "---"][:2] if lines else []
    if rules[:1] != [1]:
        return FrontMatter()

    def wrong(problem: str, repair: str, line: int) -> Finding:
        return Finding(rule=f"{rule}.frontmatter", problem=problem, repair=repair, file=file, line=line)

    if len(rules) == 1:
        repair = "end the frontmatter with a line `---`, or leave the first line out"
        return FrontMatter(end=1, problems=(wrong("the frontmatter begins with `---` and never ends", repair, 1),))
    end = rules[1]
    span = (lines[0].stop, lines[end - 1].start)
    try:
        fields = yamlio.load_mapping(text[slice(*span)], file)
    except DocumentError as error:
        found = tuple(wrong(one.problem, one.repair, (one.line or 0) + 1) for one in error.findings)
        return FrontMatter(span=span, end=end, problems=found)
    return FrontMatter(fields=fields, span=span, end=end)


def with_front(text: str, values: Mapping[str, Any]) -> str:
    """The text with these fields of the frontmatter set (made if it is missing), all else as it is."""
    found = read_front(text, split(text), "", "clarifications")
    if found.problems:
        raise DocumentError(found.problems)
    if not values:
        return text
    changes: dict[yamlio.Path, Any] = {(name,): value for name, value in values.items()}
    end = newline(text)
    if found.span is None:
        at = 1 if text.startswith("\ufeff") else 0
        block = yamlio.edit("", changes).replace("\n", end)
        rule, gap = f"---{end}", "" if text[at : at + 1] in ("", "\r", "\n") else end
        return spliced(text, [(at, at, rule + block + rule + gap)])
    block = text[slice(*found.span)]
    if "\n" in block:
        made = yamlio.edit(block, changes)
    else:  # empty, or with line ends that YAML writers do not know
        made = yamlio.edit(block.replace("\r", "\n"), changes).replace("\n", end)
    return spliced(text, [(*found.span, made if not made or made.endswith(("\n", "\r")) else made + end)])
