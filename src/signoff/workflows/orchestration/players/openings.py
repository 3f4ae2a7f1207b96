"""What a task leaves open and its doer may not settle: each is escalated once, with the answers that there are.

An opening is a question to the words of the task, as the reviewers' rules are: it is there where the task has words of
`when` and neither the task nor an earlier resolution has words of `unless`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signoff.workflows.orchestration.authority import Category
from signoff.workflows.orchestration.players.crafting import Made, Task
from signoff.workflows.wording import content

PREFERS: Final = "I would take"
"""How a doer says which answer it would give: whoever decides can see it, and need not follow it."""

UNTESTED: Final = "no test in "
"""How a verifier says that a test is missing."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A question that the words of a task raise; `{found}` is what raised it."""

    when: re.Pattern[str]
    unless: re.Pattern[str]
    category: Category
    asks: str
    why: str


def _opening(when: str, unless: str, category: Category, asks: str, why: str) -> Opening:
    return Opening(re.compile(when, re.IGNORECASE), re.compile(unless, re.IGNORECASE), category, asks, why)


OPENINGS: Final = (
    _opening(
        r"\b(?P<found>WSGI|ASGI) application\b",
        r"\b(?:wsgiref|gunicorn|uwsgi|mod_wsgi|waitress|uvicorn|gateway)\b",
        "technology",
        "Which server runs the {found} application? The stack names {found}, which is an interface and no server. "
        f"{PREFERS} wsgiref of the standard library; a server that has to be installed would be another package.",
        "A technology is not mine to choose, and the command that starts the service stands still until it is.",
    ),
    _opening(
        r"\bkept as (?P<found>digests?)\b",
        r"\b(?:SHA-?\d+|scrypt|bcrypt|argon2|PBKDF2|BLAKE2b?)\b",
        "security",
        f"Which function makes the {{found}} as which keys are kept? {PREFERS} SHA-256 of the standard library; a slow "
        "one such as scrypt is meant for short secrets that people think up, and would cost time in every request.",
        "Security is not mine to settle.",
    ),
    _opening(
        r"\b(?P<found>within \d+ ms(?: at the 95th percentile)? on (?!this machine)[^.;]+)",
        r"(?!)",
        "requirement",
        "What shows that a request is answered {found}? That machine is not here. "
        f"{PREFERS} a measurement on the machine that runs the tests, and a second one there before the release.",
        "What has to be shown is for whoever wants it; a figure from here says little about another machine.",
    ),
)
"""What offline doers know to ask."""


def openings(task: Task, made: Made) -> Iterator[dict[str, Any]]:
    """The notes of a turn that go to others, none of them a second time."""
    asked = {str(one.get("description")) for one in task.notes}
    found = (*_raised(task), *_undecided(task), *_unshown(task, made))
    return (note for note in found if note["description"] not in asked)


def _raised(task: Task) -> Iterator[dict[str, Any]]:
    known = " ".join((task.told, *task.guidance))
    for one in OPENINGS:
        texts = (*task.actions, *task.minded)
        found = next((hit for text in texts if (hit := one.when.search(text))), None)
        chosen = one.category != "technology" or (found and found["found"].casefold() in task.stack.casefold())
        if found and chosen and not one.unless.search(known):
            said = one.asks.format(found=found["found"].strip())
            yield _note(said, f"the task, where it says “{found[0]}”", one.category, one.why)


def _undecided(task: Task) -> Iterator[dict[str, Any]]:
    """What the plan leaves open and the task's own actions speak of."""
    actions = content(" ".join(task.actions))
    for item in task.undecided:
        words = content(item)
        if words and len(words & actions) * 2 >= len(words):
            said = f"The plan leaves this open, and the work depends on it: {item}"
            yield _note(said, "the task, under what is not decided", "requirement", "It is not decided.")


def _unshown(task: Task, made: Made) -> Iterator[dict[str, Any]]:
    """What a verifier misses and no test that the craft knows would show: more of the same helps nobody."""
    cases = [one for suite in made.suites for one in suite.cases]
    for text in task.missing:
        if UNTESTED in text and not any(one.shows.search(text) for one in cases):
            said = f"A verifier misses this, and I know no test for it: {text}"
            yield _note(said, "the last verification", "requirement", "What is enough is for whoever wants it.")


def edited(task: Task, failing: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What does not go together with what a person edited, asked once."""
    theirs = [path for path in dict.fromkeys(task.edited) if task.is_theirs(path)]
    known = {str(one.get("description")) for one in task.notes}
    if theirs and failing:
        said = (
            f"{', '.join(f'`{path}`' for path in theirs)} was edited by a person, and with it `{failing[0]}` fails. "
            f"{PREFERS} my own version again; an answer that begins with Keep leaves theirs."
        )
        if said not in known:
            yield _note(said, "the files that a person edited", "requirement", "A person's edit is not mine to undo.")


def _note(said: str, where: str, category: Category, why: str) -> dict[str, Any]:
    return {
        "description": said, "context": where, "category": category, "status": "escalated", "escalation_reason": why,
    }  # fmt: skip
