"""Tactical decisions: what a doer may not settle, decided within the architecture and on words that stand in it.

The answer that the doer would take is taken where nothing in the documents speaks against it; else what the nearest
words of the documents say. Nobody's requirement is invented: a question without a ground goes on to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.escalating import is_ground
from signoff.workflows.orchestration.players import technologies
from signoff.workflows.orchestration.players.desk import Desk, Payload
from signoff.workflows.orchestration.players.openings import PREFERS
from signoff.workflows.wording import clipped, content, sentences

_PREFERRED: Final = re.compile(rf"{PREFERS} (?P<choice>[^;.]+)(?:; (?P<other>[^.]+))?")
_PAPERS: Final = (places.DECISIONS, places.STACK)
_SHORT: Final = 160


def rulings(desk: Desk) -> Payload:
    """A turn of a tactical task: decisions on all that was asked; in its review they are looked at again."""
    asked: Sequence[Mapping[str, Any]] = desk.notes.get("escalated") or ()
    approved = squeeze(" ".join(desk.text(path) for path in (*_PAPERS, places.summary(desk.task)))).casefold()
    grounds = tuple(text for text in dict.fromkeys(_grounds(desk)) if is_ground(text, approved))
    declined = _declined(desk)
    made = [_ruling(one, grounds, declined) for one in asked]
    review = desk.note("mode") == "review"
    points = [one for point in desk.notes.get("criteria") or () for one in point.get("criteria") or ()]
    shown = "; ".join(f"{one['note_id']} rests on “{clipped(one['ground'], _SHORT)}”" for one in made)
    return {
        "status": "ready_for_verification" if review else "completion_drive_review",
        "summary": f"{len(made)} of {len(asked)} questions of {desk.note('serves') or desk.note('agent')} are decided.",
        "evidence": [{"criterion": str(one["id"]), "shows": shown or "nothing was asked"} for one in points],
        "rulings": made,
    }


def _grounds(desk: Desk) -> Iterator[str]:
    """Every sentence that a decision may rest on, the most binding first."""
    stack, decided = desk.text(places.STACK), desk.text(places.DECISIONS)
    if stack:
        for layer in desk.stack.technology_stack.values():
            yield from layer.constraints
        yield from (*desk.stack.security_requirements, *desk.stack.integration_requirements)
        yield from desk.stack.architecture_patterns
    if decided:
        yield from (one.decision for one in desk.decided.decisions)
    paths = (path for path in sorted(desk.files) if path == places.summary(desk.task))
    for path in paths:
        yield from (text for line in desk.text(path).splitlines() for text in sentences(line.strip("- #")))


def _declined(desk: Desk) -> frozenset[str]:
    """The technologies that were considered and not taken."""
    if not desk.text(places.STACK):
        return frozenset()
    layers = desk.stack.technology_stack.values()
    options = (text for layer in layers for text in layer.alternatives_considered)
    return frozenset(tech.name for text in options for tech in technologies.named(text))


def _ruling(note: Mapping[str, Any], grounds: Sequence[str], declined: frozenset[str]) -> dict[str, str]:
    asked = squeeze(str(note.get("description") or ""))
    words = content(asked)
    ground = max(grounds, key=lambda text: len(words & content(text)), default="")
    found = _PREFERRED.search(asked)
    choice = found["choice"].strip() if found else ""
    if choice and not {one.name for one in technologies.named(choice)} & declined:
        decision = f"Take {choice}."
        other = f"{found['other'].strip()}." if found and found["other"] else ""
    else:
        decision, other = f"Keep to what is decided: {squeeze(ground)}", ""
    return {
        "note_id": str(note.get("note_id")),
        "decision": decision,
        "ground": ground,
        "alternatives": other,
        "means": "Whoever asked goes on with it; nothing else changes.",
    }
