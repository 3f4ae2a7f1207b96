"""A number that a text states: its value in a base unit, and what is said around it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written at `start:end` of a visible text. `unit` is a base unit, a countable thing, or ""."""

    value: Decimal
    unit: str
    text: str
    start: int
    end: int
    kind: str = "number"
    side: str = ""
    per: str = ""
    noun: str = ""
    approximate: bool = False
    weak: bool = False
    variant: str = ""
    """Of a code with a variant behind it (`X100 Pro`): the code without it."""

    @property
    def measured(self) -> bool:
        return bool(self.unit) and not self.unit.startswith("#")
