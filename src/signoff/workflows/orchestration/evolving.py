"""Rulings that were verified and belong into the evolution notes of the decisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from signoff.core.frozen import replace
from signoff.workflows.orchestration import evolution
from signoff.workflows.orchestration.evolution import Ruled
from signoff.workflows.orchestration.notes import Note
from signoff.workflows.orchestration.work import DONE, Work

GONE: Final = "a question of a task that is no longer in the plan"


def pending(work: Work) -> tuple[str, ...]:
    """The tactical tasks whose rulings are verified and not yet noted."""
    return tuple(name for name in _verified(work) if name not in work.noted)


def _verified(work: Work) -> tuple[str, ...]:
    return tuple(name for name, one in sorted(work.workers.items()) if one.serves and one.status in DONE)


def noted(work: Work) -> Work:
    """Everything that can be noted is."""
    return replace(work, noted=(*work.noted, *pending(work)))


def with_rulings(text: str, work: Work) -> str:
    """The decisions with what was ruled since, under their evolution notes."""
    return evolution.recorded(text, _ruled(work, pending(work)))


def all_ruled(work: Work) -> tuple[Ruled, ...]:
    """Every ruling that was verified."""
    return tuple(_ruled(work, _verified(work)))


def _ruled(work: Work, tasks: Iterable[str]) -> Iterable[Ruled]:
    for name in tasks:
        worker = work.workers[name]
        asked = {note.note_id: note.description for note in _notes(work, worker.serves)}
        for one in worker.rulings:
            question = asked.get(one.note_id, GONE)
            yield Ruled(at=worker.since or 0, agent=worker.serves, question=question, ruling=one)


def _notes(work: Work, agent: str) -> tuple[Note, ...]:
    """The notes of who asked; who was taken out of the plan, or has another task by now, has taken its own along."""
    return work.workers[agent].notes if agent in work.workers else ()
