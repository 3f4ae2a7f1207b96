"""The doer-consultation: what the summary only assumes of this doer's work, and what of the checklist concerns it.

An assumption that nobody has looked at is likely to be wrong. A known failure concerns the doer where its own task has
words of it; it is then possible, and else not named. Impact follows from the category.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.workflows.orchestration import places, risks, sections
from signoff.workflows.orchestration.players import house
from signoff.workflows.orchestration.players.checklist import COULD
from signoff.workflows.orchestration.players.desk import Desk, Payload, player
from signoff.workflows.orchestration.players.domains import Domain, of_agent
from signoff.workflows.orchestration.players.statements import Statement
from signoff.workflows.orchestration.risks import Category, Checklist, Level
from signoff.workflows.wording import clipped, content

MOST: Final = 6
NEAR: Final = 2
"""So many words of a known failure have to be in the task before it concerns the doer."""

_NOBODY: Final = re.compile(
    r"\b(?:nobody (?:has )?\w+|untested|not (?:yet )?(?:tried|measured|checked))\b", re.IGNORECASE
)
_STEP: Final = re.compile(r"^\d+\. .*$", re.MULTILINE)
_LEAD: Final = re.compile(
    r"\A(?:(?:we|it is|they) +(?:assumed?|believed?|expect(?:ed)?|presumed?|take it)|assum\w+|presumably|probably)"
    r"[:,]? +(?:that +)?",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"[;,(]\s*(?:but\s+)?(?:nobody|untested|not (?:yet )?(?:tried|measured|checked)).*\Z", re.IGNORECASE
)
_DATA: Final = re.compile(r"\b(?:unique|twice|duplicates?|legacy|import\w*|lines?|rows?|records?)\b", re.IGNORECASE)
_IMPACT: Final[Mapping[Category, Level]] = {
    "data_loss": "high",
    "security": "high",
    "performance": "medium",
    "availability": "medium",
    "reversibility": "medium",
    "dependencies": "low",
}


def _work(desk: Desk) -> Payload:
    name = desk.note("agent")
    checklist = next(iter(desk.every(f"{places.RISK}/checklists/", risks.parse_checklist)), None)
    domain = of_agent(name, checklist.agent_type if checklist else None)
    found = [*_assumed(name, domain, desk, checklist), *_known(name, desk, checklist)]
    stem = name.removesuffix("_agent")
    return {"agent": name, "risks": [{"id": f"{stem}.{n}", **risk} for n, risk in enumerate(found[:MOST], 1)]}


# --- what is only assumed ---------------------------------------------------------------------------------------------


def _assumed(name: str, domain: Domain, desk: Desk, checklist: Checklist | None) -> Iterator[dict[str, Any]]:
    for one in desk.reading.of_kind("assumption"):
        owners = desk.reading.owners(one)
        if domain.agent in owners or (not owners and name == next(iter(desk.contracts.agents), "")):
            yield _risk(one, name, checklist)


def _risk(one: Statement, name: str, checklist: Checklist | None) -> dict[str, Any]:
    kind: Category = "data_loss" if _DATA.search(one.text) else house.category("", one.text)
    held = assumption(one.text)
    return {
        "category": kind,
        "description": f"The work of {name} rests on it, and if it is not so, it has to be done again: {held}",
        "assumption": held,
        "likelihood": "high" if _NOBODY.search(one.text) else "medium",
        "impact": _IMPACT[kind],
        "evidence": f"the summary, Constraints & Assumptions: “{one.text}”",
        "checklist_item": next((item.id for item in checklist.items if item.category == kind), "") if checklist else "",
    }


def assumption(text: str) -> str:
    """What is assumed, as a statement of its own: without "we assume that" and "nobody has counted"."""
    bare = _TAIL.sub("", _LEAD.sub("", text)).strip(" .;,")
    return f"{bare[0].upper()}{bare[1:]}" if bare else text


# --- what is known ----------------------------------------------------------------------------------------------------


def _known(name: str, desk: Desk, checklist: Checklist | None) -> Iterator[dict[str, Any]]:
    """The failures that the checklist asks about and the doer's task speaks of, one for each category."""
    task = content(_task(desk.text(places.instructions(name))))
    seen = set[Category]()
    for item in checklist.items if checklist else ():
        asked = COULD.fullmatch(item.question)
        if asked and item.category not in seen and len(content(asked[1]) & task) >= NEAR:
            seen.add(item.category)
            yield {
                "category": item.category,
                "description": f"{clipped(asked[1], 200)}. It has happened: {item.why}",
                "assumption": f"This does not happen here: {asked[1]}",
                "likelihood": "medium",
                "impact": _IMPACT[item.category],
                "evidence": f"{places.checklist(checklist.agent_type if checklist else name)}, {item.id}: {item.why}",
                "checklist_item": item.id,
            }


def _task(told: str) -> str:
    """What the doer itself does: the numbered steps of its task, or all of it where there are none."""
    found = sections.named(sections.split(told), "Task")
    whole = found.whole if found else ""
    return "\n".join(_STEP.findall(whole)) or whole


doer_consultation = player(_work)
