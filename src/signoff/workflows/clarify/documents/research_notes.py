"""Research notes: what one dimension left open, as a file that people and the consolidator read."""

from __future__ import annotations

import re

from signoff.workflows.clarify.config import Dimension
from signoff.workflows.clarify.documents.decisions import folded
from signoff.workflows.clarify.outputs import ResearcherOutput, ResearchQuestion

LETTERS = "ABCDEFGHIJ"


def origin(dimension: Dimension, number: int) -> str:
    """The name under which a research question is known: `Metrics Q1`."""
    return f"{dimension.shown} Q{number}"


def origins(dimension: Dimension, output: ResearcherOutput, first: int = 1) -> dict[str, str]:
    """The research questions of one dimension by name, with their titles."""
    return {origin(dimension, number): one.title for number, one in enumerate(output.questions, first)}


def render(dimension: Dimension, output: ResearcherOutput, first: int = 1) -> str:
    """The notes of one dimension; a later pass goes on counting where the one before ended."""
    blocks = [_question(origin(dimension, number), one) for number, one in enumerate(output.questions, first)]
    head = f"# Research: {dimension.shown}\n\n{folded(dimension.about)}\n" if dimension.about else (
        f"# Research: {dimension.shown}\n"
    )  # fmt: skip
    said = f"\n## Notes\n\n{_demoted(output.notes)}\n" if output.notes.strip() else ""
    return head + "".join(f"\n{block}" for block in blocks) + said


def _question(name: str, one: ResearchQuestion) -> str:
    tag = " [MUST ANSWER]" if one.must_answer else ""
    choices = "".join(f"{letter}. {folded(text)}\n" for letter, text in zip(LETTERS, one.choices, strict=False))
    sources = "".join(f'_Source: {folded(source.path)}: "{folded(source.quote)}"_\n' for source in one.sources)
    return (
        f"## {name}: {folded(one.title)}{tag}\n\n{_demoted(one.question)}\n\n{choices}\n"
        f"**Recommendation:** {folded(one.recommendation)}\n\n{sources}"
    )


def _demoted(text: str) -> str:
    """Text of an agent cannot begin a heading of the notes, or name a source that nobody looked up."""
    marks = ("#", "_Source:")
    return "\n".join(f"\\{line}" if line.lstrip().startswith(marks) else line for line in text.strip().splitlines())


_HEADING = re.compile(r"^## (?P<name>.+? Q\d+): (?P<title>.*?)(?P<must> \[MUST ANSWER\])?$", re.MULTILINE)
_SOURCE = re.compile(r'^_Source: (?P<path>.+?): "(?P<quote>.*)"_$', re.MULTILINE)


def cited(text: str) -> dict[str, list[tuple[str, str]]]:
    """Which sources each research question of a notes file names: path and quote."""
    heads = list(_HEADING.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return {
        head["name"]: [(one["path"], one["quote"]) for one in _SOURCE.finditer(text, head.end(), end)]
        for head, end in zip(heads, ends, strict=False)
    }
