"""The design-verifier: reads the design against the summary, for what code cannot count.

It looks for statements of the plan that are nobody's work, criteria that no command shows, and questions that are still
open or assumed; the first is an error, the second a warning, the third a gap. Checks that failed are code's to report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places, risks
from signoff.workflows.orchestration.players.consultation import assumption
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.statements import WORK
from signoff.workflows.orchestration.players.writer import SETTLED


def _work(desk: Desk) -> Payload:
    return {"findings": [*_nobodys(desk), *_unshown(desk)], "gaps": list(dict.fromkeys(_gaps(desk)))}


def _nobodys(desk: Desk) -> Iterator[dict[str, Any]]:
    """What the plan asks for by name and no agent is told to do."""
    told = _told(desk)
    quoted = {squeeze(text) for member in desk.roster.agents.values() for text in member.plan_action_sources}
    for one in desk.reading.of_kind(*WORK):
        asked = _present(desk.reading.owners(one), desk)
        parts = [text for text in quoted if text and text in one.text]
        if asked and not parts and one.text not in told:
            yield {
                "severity": "error",
                "area": "roster",
                "file": places.ROSTER,
                "problem": f"the plan says “{one.text}”, and no agent has an action for it",
                "repair": f"give it to {asked[0]}",
            }


def _unshown(desk: Desk) -> Iterator[dict[str, Any]]:
    for point in desk.checkpoints.checkpoints:
        if not any(one.command for one in point.criteria):
            yield {
                "severity": "warning",
                "area": "checkpoints",
                "file": places.CHECKPOINTS,
                "problem": f"no criterion of {point.id} has a command, so {point.doer} is judged by reading alone",
                "repair": "name a command for what can be run, or leave it if nothing can",
            }


def _gaps(desk: Desk) -> Iterator[str]:
    """What the summary leaves open and agents are told so, and what is only assumed and nobody tries."""
    told = _told(desk)
    for one in desk.reading.of_kind("open"):
        if one.text in told and SETTLED.format(item=one.text) not in told:
            yield f"The summary leaves open: {one.text}"
    for one in desk.reading.of_kind(*WORK):
        owners = desk.reading.owners(one)
        if owners and one.text not in told and not _present(owners, desk):
            yield f"No agent does this, for {' and '.join(owners)} is not in the roster: {one.text}"
    data = desk.data(places.POC_SPECS)
    specs = risks.parse_specs(data, places.POC_SPECS) if data else risks.PocSpecs()
    for one in desk.reading.of_kind("assumption"):
        if all(squeeze(poc.assumption) != assumption(one.text) for poc in specs.pocs):
            yield f"It is assumed, and no PoC tries it: {one.text}"


def _present(kinds: Iterable[str], desk: Desk) -> list[str]:
    """Those of these kinds of agents that are in the roster."""
    return [kind for kind in kinds if any(desk.roster.type_of(name) == kind for name in desk.roster.agents)]


def _told(desk: Desk) -> str:
    """Everything that agents are told, in one line."""
    return squeeze(" ".join(desk.text(path) for path in sorted(desk.files) if path.startswith(places.AGENTS)))


design_verifier = player(_work)
