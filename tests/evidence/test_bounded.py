"""Hostile text takes linear time: twice the text, about twice the work."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from signoff.evidence import unsupported
from signoff.evidence.documents import read
from signoff.evidence.quotations import misquoted

pytestmark = pytest.mark.req("EV-1")

HOSTILE: dict[str, Callable[[int], str]] = {
    "no spaces": lambda size: "a" * size,
    "no spaces in Chinese": lambda size: "除不" * (size // 2),
    "digits": lambda size: "1," * (size // 2),
    "numerals": lambda size: "十" * size,
    "fractions": lambda size: "三分之" * (size // 3),
    "quotation marks": lambda size: '"“' * (size // 2),
    "brackets": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "links": lambda size: "[a](" * (size // 4),
    "comments": lambda size: "<!--" * (size // 4),
    "struck out": lambda size: "~~a" * (size // 3),
    "hidden elements": lambda size: "<del>" * (size // 5),
    "emphasis": lambda size: "_a*" * (size // 3),
    "table bars": lambda size: "|" * size,
    "rows": lambda size: "| a | 1 |\n|---|---|\n" * (size // 20),
    "invisible": lambda size: "1\u200b" * (size // 2),
    "turned": lambda size: "\u202e" * size,
    "accents": lambda size: "a" + "\u0301" * size,
    "conjunctions": lambda size: "one and " * (size // 8),
    "capitals": lambda size: "Ab " * (size // 3),
}
SMALL, FACTOR = 8_000, 4


def work(text: str) -> float:
    """Processor seconds for reading it as a source and as a claim, the least of two tries."""
    tries = []
    for number in range(2):
        fresh = f"{text}\n\n{number}"
        begun = time.process_time()
        read(fresh)
        unsupported('It weighs 5 kg. "It is heavy," said Ann Lee.', fresh)
        unsupported(fresh, "It weighs 5 kg.")
        misquoted(fresh, fresh)
        tries.append(time.process_time() - begun)
    return min(tries)


@pytest.mark.parametrize("name", HOSTILE)
def test_four_times_the_text_is_not_sixteen_times_the_work(name: str) -> None:
    short, long = work(HOSTILE[name](SMALL)), work(HOSTILE[name](SMALL * FACTOR))
    assert long <= 2.2 * FACTOR * max(short, 0.01)


@pytest.mark.slow
def test_ten_megabytes_without_a_space_are_read() -> None:
    assert read("a1" * 5_000_000).pieces
