"""“Evolution Notes” of the architecture decisions: what was ruled while the work was done, and on what ground."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from signoff.workflows.orchestration import decisions, inert, sections
from signoff.workflows.orchestration.reporting import plain
from signoff.workflows.orchestration.verdicts import Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A ruling that was verified, with the question of the agent that asked."""

    at: int
    agent: str
    question: str
    ruling: Ruling


def recorded(text: str, rulings: Iterable[Ruled]) -> str:
    """The document with these rulings at the end of its evolution notes; every other byte stays.

    One that is there is not written again, so doing it twice is harmless. DocumentError where the section is gone.
    """
    for one in rulings:
        said = item(one)
        section = sections.named(sections.split(text), decisions.EVOLUTION)
        if section is None or f"\n{said}\n" not in f"\n{section.whole}\n":
            text = decisions.evolved(text, said)
    return text


def item(one: Ruled) -> str:
    """A ruling as an item of a list. The last line is in all of them: no ruling is the begin of another one."""
    ruling, day = one.ruling, datetime.fromtimestamp(one.at, UTC).date().isoformat()
    lines = [
        f"- {day}, asked by {inert.code(one.agent)} in {inert.code(ruling.note_id)}: {plain(one.question)}",
        f"    - Decision: {plain(ruling.decision)}",
        f"    - Ground: {plain(ruling.ground)}",
        *([f"    - Means: {plain(ruling.means)}"] if ruling.means.strip() else []),
        f"    - Alternatives: {plain(ruling.alternatives) if ruling.alternatives.strip() else 'none were named'}",
    ]
    return "\n".join(lines)
