"""Research notes as the consolidator reads them: `## Metrics Q1: Title`, a question, choices, a recommendation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from signoff.workflows.clarify.players.brief import lines, tidy_title
from signoff.workflows.clarify.players.marks import Marks
from signoff.workflows.clarify.players.openings import GENERIC, GENERIC_HAN, SETTLED, SETTLED_HAN, asks
from signoff.workflows.wording import content, plain, sentences

_HEAD: Final = re.compile(r"## (.+? Q[1-9]\d*): (.*)$")
_OTHER_HEAD: Final = re.compile(r"##? ")
_MUST: Final = re.compile(r"\s*\[MUST ANSWER\]\s*$")
_CHOICE: Final = re.compile(r"([A-Z])\. +(.*)$")
_ADVICE: Final = "**Recommendation:**"
_SOURCE: Final = "_Source:"
_LETTER: Final = re.compile(r"([A-Z])\b[.)]?\s*(?:[—–:：-]+\s*)?(.*)$", re.DOTALL)
_LOOKS_LIKE_STRUCTURE: Final = re.compile(r"[A-Za-z][.)]\s|\d+[.)]\s")


@dataclass(frozen=True)
class Note:
    """One research question with its name, such as `Metrics Q1`."""

    origin: str
    title: str
    must: bool
    question: str
    choices: tuple[str, ...]
    recommendation: str

    @property
    def dimension(self) -> str:
        return self.origin.rpartition(" ")[0]

    @property
    def is_generic(self) -> bool:
        """Whether the choices would fit any question, so that any other choices are better."""
        return self.choices in (GENERIC, GENERIC_HAN)

    @cached_property
    def asked(self) -> str:
        """The sentence that asks; the first one where none does, or where the asking one names nothing."""
        said = sentences(self.question) or [""]
        return next((one for one in said if asks(one) and one not in (SETTLED, SETTLED_HAN)), said[0])

    @cached_property
    def words(self) -> frozenset[str]:
        """What it is about."""
        return content(f"{self.title} {self.asked}")

    @cached_property
    def name_words(self) -> frozenset[str]:
        return content(self.title)

    @cached_property
    def marks(self) -> Marks:
        """The numbers, codes and names by which it can be told from a question in the same words."""
        asked = self.asked.replace(f"“{self.title}”", " ")
        return Marks.of(f"{self.title}. {asked}", f"{self.title}. {self.question}", self.choices)


def parse(text: str) -> list[Note]:
    """The research questions of a file, in order; whatever else stands there is passed by."""
    return [_note(origin, title, body) for origin, title, body in _blocks(text)]


def letter_of(recommendation: str) -> tuple[str, str]:
    """A recommendation as the letter of a choice and its reason; the letter is "" where it names none."""
    found = _LETTER.match(recommendation.strip())
    return (found[1], found[2].strip()) if found and len(found[1]) == 1 else ("", recommendation.strip())


def _blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    origin, title, body = "", "", list[str]()
    for line in lines(text):
        head = _HEAD.match(line)
        if head or _OTHER_HEAD.match(line):
            if origin:
                yield origin, title, body
            origin, title, body = (head[1], head[2], []) if head else ("", "", [])
        else:
            body.append(line)
    if origin:
        yield origin, title, body


def _note(origin: str, title: str, body: Sequence[str]) -> Note:
    at = max((at for at, line in enumerate(body) if line.startswith(_ADVICE)), default=None)
    end = next((at for at, line in enumerate(body) if line.startswith(_SOURCE)), len(body)) if at is None else at
    start, choices = _choices(body[:end])
    return Note(
        origin,
        tidy_title(_MUST.sub("", title)) or origin,
        _MUST.search(title) is not None,
        _one_line(body[:start]),
        tuple(choices),
        "" if at is None else plain(body[at].removeprefix(_ADVICE)),
    )


def _choices(body: Sequence[str]) -> tuple[int, list[str]]:
    """The last run of lettered lines, and where it begins: a question may have lettered lines of its own."""
    end = len(body)
    while end and not _CHOICE.match(body[end - 1]):
        end -= 1
    start = end
    while start and _CHOICE.match(body[start - 1]):
        start -= 1
    found = [plain(match[2]) for line in body[start:end] if (match := _CHOICE.match(line))]
    return (start, found) if found else (len(body), [])


def _one_line(body: Sequence[str]) -> str:
    """The question as one line that nobody can take for a heading, a choice or a label."""
    text = plain(" ".join(line.removeprefix("\\") for line in body)).lstrip("#>*_`~-+|=<\\ ")
    return f"({text})" if _LOOKS_LIKE_STRUCTURE.match(text) else text
