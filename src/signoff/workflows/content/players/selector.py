"""The critic selector: takes those candidates whose expertise has the most telling words in common with the needs.

A word tells the more, the fewer candidates use it, and half as much once somebody serves it. A candidate fits when the
words that it shares with the needs weigh at least `ENOUGH`; the one that weighs most comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from signoff.workflows.content.players.desk import Desk, Payload, player
from signoff.workflows.wording import content, weights

ENOUGH: Final = 3.5
"""About two words that few others use."""
TRADE: Final = content(
    "evaluates text content page critic needs reader people catches read know put say state name stand alone apart hold"
    " form stay true order where win piece pieces"
)
"""Words of every critic and every recipe, which tell nothing about what is judged."""


def _work(desk: Desk) -> Payload:
    notes = desk.notes
    named = {str(each) for each in notes.get("named") or ()}
    given = [each for each in notes.get("candidates") or () if isinstance(each, Mapping)]
    needs = content(str(notes.get("needs") or "")) - TRADE
    chosen = list(_chosen(_shared(given, needs), named, int(notes.get("most") or 0)))
    served = ", ".join(f"{name} ({', '.join(words[:4])})" for name, words in chosen)
    reason = f"By the words that needs and expertise share: {served}." if chosen else "No candidate's expertise fits."
    return {"advisorIds": [name for name, _ in chosen], "reason": reason}


def _shared(given: list[Mapping[str, Any]], needs: frozenset[str]) -> dict[str, dict[str, float]]:
    """For each candidate the words it shares with the needs, with their weights."""
    expertise = {str(each.get("id", "")): content(f"{each.get('name')} {each.get('expertise')}") for each in given}
    weight = weights(list(expertise.values()))
    return {name: {word: weight[word] for word in words & needs} for name, words in expertise.items() if name}


def _chosen(shared: Mapping[str, Mapping[str, float]], named: set[str], most: int) -> Iterator[tuple[str, list[str]]]:
    left = {name: dict(words) for name, words in shared.items() if name not in named}
    for _ in range(most):
        # Rounded: sums of the same weights in another order must not decide.
        best = max(left, key=lambda name: (round(sum(left[name].values()), 6), _first(name)), default=None)
        if best is None or sum(left[best].values()) < ENOUGH:
            return
        words = left.pop(best)
        yield best, sorted(words, key=lambda word: (-words[word], word))
        for others in left.values():
            others.update({word: others[word] / 2 for word in words if word in others})


def _first(name: str) -> tuple[int, ...]:
    """Of equals the first by name."""
    return tuple(-ord(letter) for letter in name)


critic_selector = player(_work)
