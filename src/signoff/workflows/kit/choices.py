"""Choices that people made, on record: who chose what, when, and with which words."""

from __future__ import annotations

from dataclasses import dataclass

from signoff.core.events import Answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A choice that a person made, on record."""

    request: str
    act: str
    by: str
    at: str
    note: str = ""

    def plain(self) -> dict[str, str]:
        """As a status has it."""
        return {"request": self.request, "act": self.act, "by": self.by, "at": self.at, "note": self.note}


def chosen(event: Answered) -> Chosen:
    """What somebody answered, as it is kept."""
    note = str(event.payload.get("note") or "")
    return Chosen(request=event.request, act=event.act, by=event.by, at=event.at, note=note)
