"""The risk-checklist: a question in every category for each type of agent, the known failures of its tools first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.domains import Domain
from signoff.workflows.orchestration.players.relevance import concerning
from signoff.workflows.orchestration.risks import CATEGORIES, Category

MOST: Final = 3
"""How many known failures are asked about in one category."""

_COULD: Final = "Could this happen in your task:"
COULD: Final = re.compile(rf"{_COULD} (.+)\?")
"""How a known failure is asked about."""

_ASKED: Final[Mapping[Category, tuple[str, str]]] = {
    "data_loss": (
        "What of the data that {work} touches could be lost or changed unseen?",
        "what is gone is not missed at once",
    ),
    "security": ("Who could see or do something through {work} that they may not?", "a leak is not taken back"),
    "performance": ("What does {work} do with ten times as much as it is tried with?", "trials are small"),
    "availability": ("What stands still while {work} is being done, or when it fails?", "others wait for it"),
    "reversibility": (
        "How is {work} undone after it has been in use for a day?",
        "a way back that nobody tried is none",
    ),
    "dependencies": (
        "Which version, file or service does {work} need to be as it is today?",
        "what belongs to others changes",
    ),
}


def _work(desk: Desk) -> Payload:
    agent_type = desk.note("agent_type")
    domain = domains.of_agent(agent_type)
    return {
        "agent_type": agent_type,
        "prompt": f"Answer for your own task ({domain.does[0].lower()}{domain.does[1:]}): does it concern you, "
        "what would have to be true for it not to happen, and where do you know that from?",
        "items": [item for category in CATEGORIES for item in _items(category, domain, desk)],
    }


def _items(category: Category, domain: Domain, desk: Desk) -> Iterator[dict[str, Any]]:
    known = [one for found in concerning(domain, desk.research) for one in found.failure_patterns]
    mine = [one for one in known if one.category == category][:MOST]
    for number, one in enumerate(mine, 1):
        yield {
            "id": f"{category}.{number}",
            "category": category,
            "question": f"{_COULD} {one.pattern.rstrip('.')}?",
            "why": f"{one.consequence.rstrip('.')} ({one.source})",
        }
    question, why = _ASKED[category]
    work = f"the work of {domain.agent}"
    yield {
        "id": f"{category}.{len(mine) + 1}",
        "category": category,
        "question": question.format(work=work),
        "why": why,
    }


risk_checklist = player(_work)
