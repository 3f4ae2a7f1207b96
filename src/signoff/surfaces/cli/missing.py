"""A short interview before a run begins: what was not said on the command line and would be worth knowing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.workflow import Parameter
from signoff.surfaces.cli.talk import Screen
from signoff.surfaces.cli.words import clean


def missing(parameters: Sequence[Parameter], given: Mapping[str, Any], screen: Screen) -> dict[str, Any]:
    """Asks for what has a question and was not said. An empty line leaves it open; the end of input ends the asking."""
    asked = [one for one in parameters if one.asked and one.name not in given]
    if asked:
        screen.say("A few questions first; an empty line leaves the answer to the agents.")
    said: dict[str, Any] = {}
    for one in asked:
        answer = _answer(one, screen)
        if answer is None:
            break
        if answer:
            said[one.name] = answer
    return said


def _answer(parameter: Parameter, screen: Screen) -> str | None:
    """What the person types; of choices, the number does as well as the word."""
    numbered = {str(number): choice for number, choice in enumerate(parameter.choices, 1)}
    screen.say(parameter.asked)
    for number, choice in numbered.items():
        screen.say(f"  {number}  {choice}")
    while (line := screen.read("> ")) is not None:
        words = line.strip()
        if not words or not numbered or words in parameter.choices:
            return words
        if words in numbered:
            return numbered[words]
        screen.say(f"  {clean(words)!r} is none of them: type a number, a word of the list, or nothing")
    return None
