"""What a person asks for when they send something back, as far as a few plain forms of words can be understood.

`Add: NAME`, `Add: NAME: what it should do`, `Remove: NAME`, one on a line or with a semicolon between them; also in a
sentence, as in "please add a documentation agent". What is left over is not understood, and is said to the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown_spans import squeeze

_PART: Final = re.compile(r"[;\n]|(?<=[a-z)])\.(?=\s|$)")
_WISH: Final = re.compile(
    r"(?:please\s+|and\s+|then\s+)*(?P<verb>add|remove|drop)\b\s*:?\s*(?:(?:an?|the)\s+)?"
    r"(?P<names>[a-z][\w -]*(?:\s*,\s*[a-z][\w -]*)*)(?:\s*:\s*(?P<about>.+))?$",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+(?:(?:an?|the)\s+)?", re.IGNORECASE)
MOST_WORDS: Final = 4
MOST_LETTERS: Final = 50


@dataclass(frozen=True, slots=True)
class Wishes:
    """Who is to come, with what they should do, who is to go, and what was not understood."""

    add: tuple[tuple[str, str], ...] = ()
    remove: tuple[str, ...] = ()
    rest: str = ""


def wishes(reason: str) -> Wishes:
    """The wishes in a reason."""
    add, remove, rest = list[tuple[str, str]](), list[str](), list[str]()
    for part in filter(None, map(squeeze, _PART.split(reason))):
        found = _WISH.fullmatch(part)
        names = list(_names(found["names"])) if found else []
        if found is None or not names:
            rest.append(part)
        elif found["verb"].lower() == "add":
            add += ((name, found["about"] or "") for name in names)
        else:
            remove += names
    return Wishes(tuple(add), tuple(remove), "; ".join(rest))


def _names(text: str) -> Iterator[str]:
    """Names of agents: `docs`, `docs agent` and `docs_agent` are one; a longer phrase names nobody."""
    for said in _AND.split(text):
        words = re.findall(r"[a-z0-9]+", said.lower().removesuffix("agent").rstrip(" _-"))
        if words and words[0][0].isalpha() and len(words) <= MOST_WORDS and sum(map(len, words)) <= MOST_LETTERS:
            yield "_".join((*words, "agent"))
