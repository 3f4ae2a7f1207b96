"""The ids of questions, refinements and decisions: the parent of a refinement is part of its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import count
from typing import Final

HIGHEST: Final = 999_999_999
NUMBER: Final = "[1-9][0-9]{0,8}"
"""A number in an id. Longer ones are refused: nothing is counted that far, and reading them may take very long."""
ID: Final = re.compile(rf"Q({NUMBER})|R({NUMBER})\.({NUMBER})([a-z]?)|D({NUMBER})")
NAMED: Final = re.compile(rf"(?<![\w.])(?:[QD]{NUMBER}|R{NUMBER}\.{NUMBER}[a-z]?)(?![\w]|\.\d)")
"""An id within running text."""


def is_id(text: str) -> bool:
    """Whether the text is an id and nothing else."""
    return ID.fullmatch(text) is not None


def parent(name: str) -> str | None:
    """The id that a refinement refines: `R12.1a` refines `R12.1`, which refines `Q12`; a question refines nothing."""
    found = ID.fullmatch(name)
    if found is None or found[2] is None:
        return None
    return f"R{found[2]}.{found[3]}" if found[4] else f"Q{found[2]}"


def is_within(name: str, names: Collection[str]) -> bool:
    """Whether an id is one of these, or refines one of them."""
    above = parent(name)
    return name in names or (above is not None and is_within(above, names))


def root(name: str) -> str:
    """The question that an id goes back to."""
    above = parent(name)
    return name if above is None else root(above)


def order(name: str) -> tuple[int, int, str]:
    """Sorts ids as people count: Q2 before Q10, Q2 before R2.1 before R2.1a before Q3."""
    found = ID.fullmatch(name)
    if found is None:
        return (0, 0, name)
    if found[5]:
        return (int(found[5]), 0, "")
    return (int(found[1] or found[2]), int(found[3] or 0), found[4] or "")


def unused(taken: Collection[str]) -> Iterator[int]:
    """The numbers that the next decisions get: after the highest that was given, and when those run out, what is free.

    A number is given once, also when its decision is gone.
    """
    used = {int(found[5]) for name in taken if (found := ID.fullmatch(name)) and found[5]}
    yield from range(max(used, default=0) + 1, HIGHEST + 1)
    yield from (number for number in count(1) if number not in used)
