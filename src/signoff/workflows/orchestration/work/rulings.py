"""Rulings of tactical tasks: once verified, they go into the "Evolution Notes" of the architecture decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from signoff.artifacts import escape, markdown_headings
from signoff.core.state import replace
from signoff.workflows.orchestration.documents import architecture_decisions
from signoff.workflows.orchestration.outputs import Ruling
from signoff.workflows.orchestration.work.progress import DONE, Work

GONE: Final = "a question of a task that is no longer in the plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A ruling that was verified, with the question of the agent that asked."""

    at: int
    agent: str
    question: str
    ruling: Ruling


def pending(work: Work) -> tuple[str, ...]:
    """The tactical tasks whose rulings are verified and not yet in the decisions."""
    return tuple(name for name in _verified(work) if name not in work.noted)


def _verified(work: Work) -> tuple[str, ...]:
    return tuple(name for name, one in sorted(work.workers.items()) if one.serves and one.status in DONE)


def noted(work: Work) -> Work:
    """The work with all pending rulings marked as being in the decisions."""
    return replace(work, noted=(*work.noted, *pending(work)))


def with_rulings(text: str, work: Work) -> str:
    """The decisions with the pending rulings under their evolution notes."""
    return recorded(text, _ruled(work, pending(work)))


def all_ruled(work: Work) -> tuple[Ruled, ...]:
    """Every ruling that was verified."""
    return tuple(_ruled(work, _verified(work)))


def _ruled(work: Work, tasks: Iterable[str]) -> Iterator[Ruled]:
    for name in tasks:
        worker = work.workers[name]
        asker = work.workers.get(worker.serves)  # it may have been taken out of the plan, or have another task
        asked = {note.note_id: note.description for note in (asker.notes if asker else ())}
        for one in worker.rulings:
            question = asked.get(one.note_id, GONE)
            yield Ruled(at=worker.since or 0, agent=worker.serves, question=question, ruling=one)


def recorded(text: str, rulings: Iterable[Ruled]) -> str:
    """The document with these rulings at the end of its evolution notes; every other byte stays.

    A ruling that is there is not written again. DocumentError if the section is gone.
    """
    for one in rulings:
        said = item(one)
        section = markdown_headings.named(markdown_headings.split(text), architecture_decisions.EVOLUTION)
        if section is None or f"\n{said}\n" not in f"\n{section.whole}\n":
            text = architecture_decisions.evolved(text, said)
    return text


def item(one: Ruled) -> str:
    """A ruling as a list item. All items have the last line, so no ruling is the beginning of another one."""
    ruling, day = one.ruling, datetime.fromtimestamp(one.at, UTC).date().isoformat()
    asked = f"asked by {escape.code(one.agent)} in {escape.code(ruling.note_id)}: {escape.literal(one.question)}"
    others = escape.literal(ruling.alternatives) if ruling.alternatives.strip() else "none were named"
    lines = [
        f"- {day}, {asked}",
        f"    - Decision: {escape.literal(ruling.decision)}",
        f"    - Ground: {escape.literal(ruling.ground)}",
        *([f"    - Means: {escape.literal(ruling.means)}"] if ruling.means.strip() else []),
        f"    - Alternatives: {others}",
    ]
    return "\n".join(lines)
