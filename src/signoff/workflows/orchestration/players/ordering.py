"""In which order an architecture is reviewed: by what the plan is mostly about, always beginning with security."""

from __future__ import annotations

import re
from typing import Any, Final

from signoff.workflows.orchestration.players import domains
from signoff.workflows.orchestration.players.domains import API, DATA_MIGRATION, FRONTEND
from signoff.workflows.orchestration.players.statements import WORK, Reading
from signoff.workflows.orchestration.reviews import PATTERNS, Domain

_CRITICAL: Final = re.compile(
    r"\b(?:payments?|financial|banking|health\w*|patients?|compliance|GDPR|HIPAA|PCI|medical|classified)\b",
    re.IGNORECASE,
)
_TYPE: Final = {
    "A": "data-driven: what is stored and taken over comes first",
    "B": "API-first: other programs call it",
    "C": "user-facing: people work with its pages",
    "D": "security-critical: what it handles must not leak",
    "custom": "a small program of its own",
}
_BECAUSE: Final = {
    "A": "Data are taken over and nobody outside calls it, so what is stored is looked at before what moves.",
    "B": "Other programs call it and it has no pages, so its contracts are looked at before what is stored.",
    "C": "People work with its pages, so what they see is looked at before what serves it.",
    "D": "The summary speaks of data that must not leak, so protection is looked at before everything else.",
    "custom": "It has neither pages nor callers of its own, so only what it touches is looked at.",
}
_WHY: Final[dict[Domain, str]] = {
    "security": "Its limits hold for everybody who comes after.",
    "database_storage": "What is stored, and how it is changed, bears on everything that reads it.",
    "api_dataflow": "How data moves has to fit what is stored and what is protected.",
    "frontend": "Pages show what the other parts give them.",
}


def order(reading: Reading) -> dict[str, Any]:
    """Pattern, order and reasons."""
    pattern = _pattern(reading)
    seen = _domains(pattern, reading)
    about = ", ".join(f"{len(reading.of(one, *WORK))} of {one}" for one in reading.active)
    return {
        "project_type": _TYPE[pattern],
        "pattern": pattern,
        "order": list(seen),
        "rationale": f"{_BECAUSE[pattern]} The summary's statements on the work are {about}.",
        "why": {domain: _WHY[domain] for domain in seen},
    }


def _pattern(reading: Reading) -> str:
    active = set(reading.active)
    if _CRITICAL.search(reading.text):
        return "D"
    if FRONTEND.agent in active:
        return "C"
    if API.agent in active:
        return "B"
    return "A" if DATA_MIGRATION.agent in active else "custom"


def _domains(pattern: str, reading: Reading) -> tuple[Domain, ...]:
    """The domains of a pattern; without pages nobody looks at them where the pattern lets them be left out."""
    wanted = {"security", *(domains.BY_AGENT[agent].review for agent in reading.active)}
    if pattern == "custom":
        return tuple(domain for domain in PATTERNS["A"] if domain in wanted)
    pages = pattern != "B" or "frontend" in wanted
    return tuple(domain for domain in PATTERNS[pattern] if pages or domain != "frontend")
