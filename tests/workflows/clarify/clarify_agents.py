"""The agents of clarify as scripts: they say what a table says, read nothing, and are never wrong by themselves.

The table is a small inquiry about parcel lockers: seven questions of three dimensions, one of them raised twice. What
each agent says is the good output that the explored worlds know (`small_inquiry`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from small_inquiry import BRIEF, Asked, Named, decided, origins, questions, refiner, researcher

from signoff.core.commands import StartTurn
from signoff.core.declarations import RolePlayer
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.steps import confirmation

DEPOT = "0-sources/interviews/depot.md"


def _point(title: str, origin: str, said: str, choices: str, recommendation: str = "B", **more: Any) -> Asked:
    section = more.pop("section", origin.rsplit(" ", 1)[0])
    offered = tuple(choices.split(" | "))
    why = f"{recommendation} — as most depots do"
    return Asked(title, section, recommendation=why, origin=origin, choices=offered, said=said, **more)


LOCKERS = (
    _point(
        "Delivery time", "Metrics Q1", "From when is the delivery time counted?",
        "From the label | From the first scan", must=True,
    ),
    _point("Return rate", "Metrics Q2", "What is the return rate computed from?", "Parcels | Orders"),
    _point("Full lockers", "Metrics Q3", "How is a turned-away parcel counted?", "As late | As delivered elsewhere"),
    _point("Parcel entry", "Stages Q1", "When does a parcel enter the system?", "At the label | At the first scan"),
    _point("Pickup end", "Stages Q2", "When does a pickup end?", "When the door closes | When the code is used", "A"),
    _point(
        "Old labels", "Stages Q3", "When are old labels removed?", "After 90 days | Never", "A",
        also="Data", places=(DEPOT, BRIEF),
    ),
    _point(
        "Record of addresses", "Data Q2", "Which system is the record for addresses?", "The shop | The depot",
        must=True,
    ),
)  # fmt: skip
SOURCES = {
    BRIEF: "# Brief: parcel lockers\n\n" + "\n\n".join(one.said for one in LOCKERS) + "\n",
    DEPOT: f"# Interview: the depot\n\n{LOCKERS[5].said}\n",
}
CONFIG = """\
dimensions:
  - {name: metrics, about: what is counted and how}
  - {name: stages, about: the steps something goes through}
  - {name: data, about: where the figures come from}
"""


def _research(start: StartTurn) -> str:
    """What the table has for this dimension; a scope is a list of the dimensions that are left."""
    scope = start.notes["scope"]
    outside = scope and start.notes["dimension"]["title"] not in scope
    return _good(researcher(() if outside else LOCKERS, start))


def _consolidate(start: StartTurn) -> str:
    named = origins(LOCKERS, start)
    merged = sum(len(names) - 1 for names in named.values())
    return json.dumps({"clarifications": questions(named, start, duplicates_removed=merged)})


def _confirm(start: StartTurn) -> str:
    entries = [decided(one, one["allowed"][0]) for one in start.notes["entries"]]
    return json.dumps({"decisions": de.render(entries, confirmation.final(entries, start.notes["round"]))})


def _good(said: Named) -> str:
    return dict(said)["good"]


def _scripted(say: Callable[[StartTurn], str]) -> RolePlayer:
    return lambda assignment, _tools: say(assignment.start)


AGENTS: Mapping[str, RolePlayer] = {
    "dimension-researcher": _scripted(_research),
    "consolidate-research": _scripted(_consolidate),
    "detailed-research": _scripted(lambda _start: json.dumps({"contradictions": []})),
    "section-refiner": _scripted(lambda start: _good(refiner(start))),
    "confirm-decisions": _scripted(_confirm),
}
