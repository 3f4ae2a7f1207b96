"""How an answer came about: by choices, by taking over what was recommended, or in the person's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signoff.workflows.clarify.clarifications import Choice, Item
from signoff.workflows.clarify.evaluation import meaning
from signoff.workflows.clarify.letters import Picked, bare, picked
from signoff.workflows.wording import folded


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says on one line, the choices it takes, and the reason that came with a recommendation."""

    said: str
    choices: tuple[Choice, ...]
    taken_over: bool = False
    reason: str = ""

    @property
    def letters(self) -> str:
        return ", ".join(choice.letter for choice in self.choices)

    @property
    def goes_further(self) -> bool:
        """Whether the person wrote more than the choices say."""
        return len(self.said) > len(_texts(self.choices)) + 2


def reply_of(item: Item) -> Reply:
    """An answer that is the recommendation, word for word, is not the person's wording: of it, the choice counts."""
    text = bare(item.answer)
    taken_over = bool(text) and folded(text) == folded(bare(item.recommendation))
    found = picked(text, item.choices)
    said = folded(meaning(item.answer, item.choices))
    if found is None or found.other:
        return Reply(said, _named(said, item.choices), taken_over)
    if taken_over:
        return Reply(_texts(found.choices), found.choices, True, _reason(found))
    return Reply(said, found.choices)


def _reason(found: Picked) -> str:
    """What a recommendation says beside its letters and, where it repeats them, the texts of the choices."""
    return folded(found.rest).removeprefix(_texts(found.choices)).lstrip("—–-:： ")


def _named(said: str, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The choice that an answer begins with in words."""
    named = (choice for choice in choices if choice.text.strip() and not choice.other)
    return tuple(choice for choice in named if said.startswith(folded(choice.text)))[:1]


def _texts(choices: Sequence[Choice]) -> str:
    return "; ".join(folded(choice.text) for choice in choices)
