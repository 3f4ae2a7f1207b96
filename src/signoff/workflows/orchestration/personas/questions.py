"""What the conversations have in common: how a question is put, what "not sure" means, and ways to settle a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from signoff.artifacts.yaml_forms import place
from signoff.core.commands import Ask
from signoff.core.decide import APPROVE
from signoff.core.declarations import Question
from signoff.core.errors import DocumentError, UsageError
from signoff.core.findings import Finding
from signoff.core.personas import Persona, Said, Scene, Way
from signoff.workflows.orchestration import ids
from signoff.workflows.orchestration.ids import LONGEST

T = TypeVar("T")
REJECT: Final = "reject"
_UNSURE: Final = re.compile(
    r"(?:(?:i|we)(?:['’]?m|['’]re| am| are)? +)?"
    r"(?:not +(?:yet +|quite +|really +)?(?:sure|certain|clear|decided|settled|known)|unsure|uncertain|undecided"
    r"|unclear|(?:do +not|don['’]?t) +know|no +idea|tbd|tba|to +be +(?:decided|determined|clarified|settled)|\?+)"
    r"(?:\W|\Z)",
    re.IGNORECASE,
)
_NOTHING: Final = ("", "yet", "now", "so far", "at all")


def unsure(text: str) -> bool:
    """Whether the person says that they do not know."""
    return _UNSURE.match(text.strip()) is not None


def bare(text: str) -> bool:
    """Whether that is all they say."""
    found = _UNSURE.match(text.strip())
    return found is not None and text.strip()[found.end() :].strip(" .,!?").lower() in _NOTHING


def asked(
    said: Said,
    key: str,
    title: str,
    text: str = "",
    *,
    section: str = "",
    recommendation: str = "",
    choices: tuple[tuple[str, str], ...] = (),
    verdict: str = "",
    must: str = "",
) -> Question:
    """A question with its answer so far; `must` says why it cannot be left empty."""
    answer = said.get(key, "")
    return Question(
        key=key,
        title=title,
        text=text,
        section=section,
        recommendation=recommendation,
        choices=choices,
        answer=answer,
        verdict=must if must and key in said and not answer.strip() else verdict,
        must=bool(must),
    )


def one_line(text: str) -> str:
    """An answer as one entry of a list."""
    return " ".join(text.split())


def listed(text: str) -> list[str]:
    """An answer of several entries, with commas or line ends between."""
    return [one_line(one) for one in text.replace("\n", ",").split(",") if one.strip()]


def task_of(typed: str) -> str:
    """The task that a person names, as it is or by its run."""
    task = ids.task_of(typed.strip())
    if wrong := wrong_name(task):
        raise UsageError(f"{typed!r} is no name for a task", valid=wrong, repair="name it that way: user_management")
    return task


def wrong_name(task: str) -> str:
    """What a task's name must be, if this is none."""
    if ids.TASK.fullmatch(task) and len(task) <= LONGEST:
        return ""
    return "small letters and digits in words, single underscores between them, a letter first"


def text_of(scene: Scene, path: str) -> str:
    """The text of a file; nothing if there is none."""
    return (scene.read(path) or b"").decode("utf-8", "replace").strip()


def value_of(scene: Scene, path: str, parse: Callable[[bytes, str], T]) -> T | None:
    """A document as a value; None if it is not there or cannot be read."""
    data = scene.read(path)
    try:
        return parse(data, path) if data is not None else None
    except DocumentError:
        return None


persona: Final = partial(Persona, task=task_of, run=ids.run_of)
"""A persona of orchestration: tasks and runs are named as everywhere here."""


# --- ways that many requests have -------------------------------------------------------------------------------------


def yes(word: str, about: str) -> Way:
    """A person's approval."""
    return Way(word=word, about=about, act=APPROVE)


def no(word: str, about: str, question: str, before: str = "") -> Way:
    """A person's rejection, with the words that the agents are given."""

    def questions(said: Said) -> Iterator[Question]:
        why = "Say it: the agents are given these words, and have nothing else to go by."
        yield asked(said, "reason", question, must=why)

    def payload(said: Said) -> dict[str, str]:
        return {"reason": f"{before}{said['reason'].strip()}"}

    return Way(word=word, about=about, act=REJECT, questions=questions, payload=payload)


def option(act: str, about: str) -> Way:
    """One of the options of a choice, with a note for those who come later."""

    def questions(said: Said) -> Iterator[Question]:
        yield asked(said, "note", "Do you want to say why?", "It is recorded with the choice. An empty line: no.")

    def payload(said: Said) -> dict[str, str]:
        return {"note": said["note"].strip()} if said["note"].strip() else {}

    return Way(word=act, about=about, act=act, questions=questions, payload=payload)


def options(ask: Ask, otherwise: str = "") -> tuple[Way, ...]:
    """The options of a choice, each with what the request says about it."""
    about = dict(ask.notes.get("about") or {})
    return tuple(option(act, str(about.get(act, otherwise))) for act in ask.options)


# --- what is wrong with a payload that a host gives -------------------------------------------------------------------


def surplus(payload: Mapping[str, Any], *fields: str) -> str:
    """The first field that does not go with a way."""
    return next((f"`{key}` does not go with it" for key in payload if key not in fields), "")


def mistakes(rule: str, field: str, error: ValidationError) -> Sequence[Finding]:
    """What a form says of a field."""
    return [
        Finding(
            rule=rule,
            problem=f"`{place((field, *one['loc']))}`: {one['msg']}",
            repair="give what the schema says",
        )
        for one in error.errors(include_url=False)
    ]
