"""Suggests the closest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import Final

LONG: Final = 300
MANY: Final = 200
"""Of longer names, and of more of them, the likeness is not worth the time: it grows with the square of both."""


def nearest(given: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The name that is most like the given one, if one is like it at all."""
    if len(given) > LONG:
        return None
    short = islice((name for name in known if len(name) <= LONG), MANY)
    return next(iter(difflib.get_close_matches(given, list(short), 1, alike)), None)
