"""What the doctor says about one thing: what was examined, how it is, and the repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signoff.core.errors import SignoffError


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that was examined. `ok` is None if something is not there and not needed."""

    name: str
    ok: bool | None
    said: str
    repair: str = ""

    @classmethod
    def of(cls, error: SignoffError, name: str, ok: bool | None) -> Result:
        """What an error says, its repair apart."""
        valid = f". Valid: {error.valid.rstrip('.')}" if error.valid else ""
        return cls(name, ok, f"{error.found.rstrip('.')}{valid}", error.repair)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON data; what is right needs no repair."""
        return {"name": self.name, "ok": self.ok, "said": self.said, "repair": self.mending}

    @property
    def mending(self) -> str:
        """The repair, if something is wrong."""
        return "" if self.ok else self.repair


def failed(results: list[Result]) -> bool:
    """Whether something that is needed is not there."""
    return any(result.ok is False for result in results)
