"""The best-practices-researcher: what the house notes say of a technology, else the little that is common ground."""

from __future__ import annotations

from signoff.workflows.orchestration.players import house
from signoff.workflows.orchestration.players.common_ground import KNOWN, any_technology
from signoff.workflows.orchestration.players.desk import Desk, Payload, player


def _work(desk: Desk) -> Payload:
    technology = desk.note("technology")
    notes = house.about(technology, house.notes(desk.sources)) or house.about(technology, KNOWN)
    told = [note for note in notes if note.practices or note.failures] or [any_technology(technology)]
    practices = {point.text: point for note in told for point in note.practices}
    failures = {point.text: point for note in told for point in note.failures}
    return {
        "technology": technology,
        "version": desk.note("version"),
        "best_practices": [
            {"practice": one.text, "why": one.because, "source": one.source} for one in practices.values()
        ],
        "failure_patterns": [
            {"pattern": one.text, "consequence": one.because, "category": one.category, "source": one.source}
            for one in failures.values()
        ],
    }


best_practices_researcher = player(_work)
