"""Helpers of all conversations: questions with their answers, "not sure", and ways to settle a request."""

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
from signoff.core.personas import Need, Persona, Said, Scene, Way, rounds
from signoff.workflows.orchestration import ids, places
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
    """Whether the person says nothing more than that."""
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
    """A question with its answer so far; `must` says why it needs one."""
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


def filled(said: Said, name: str) -> list[str]:
    """The keys of the rounds of a question that have an answer."""
    return [key for key in rounds(said, name) if said.get(key, "").strip()]


def one_line(text: str) -> str:
    """An answer as one entry of a list."""
    return " ".join(text.split())


def listed(text: str) -> list[str]:
    """The entries of an answer, separated by commas or line ends."""
    return [one_line(one) for one in text.replace("\n", ",").split(",") if one.strip()]


def task_of(typed: str) -> str:
    """The task that a person names, by its own name or by that of its run."""
    task = ids.task_of(typed.strip())
    if wrong := wrong_name(task):
        raise UsageError(f"{typed!r} is not a name for a task", valid=wrong, repair="name it as in user_management")
    return task


def wrong_name(task: str) -> str:
    """The form of a valid name, if this is not one."""
    if ids.TASK.fullmatch(task) and len(task) <= LONGEST:
        return ""
    return "small letters and digits in words, single underscores between them, a letter first"


def text_of(scene: Scene, path: str) -> str:
    """The text of a file; empty if there is no file."""
    return (scene.read(path) or b"").decode("utf-8", "replace").strip()


def value_of(scene: Scene, path: str, parse: Callable[[bytes, str], T]) -> T | None:
    """A document as a value; None if it is missing or cannot be read."""
    data = scene.read(path)
    try:
        return parse(data, path) if data is not None else None
    except DocumentError:
        return None


persona: Final = partial(Persona, task=task_of, run=ids.run_of)
"""A persona of orchestration, with the names of its tasks and runs."""

SESSIONS: Final = f"{places.AGENTS}*/completion_drive/session_current.json"
"""The notes of working agents; there are none before a design is carried out."""
SUMMARY: Final = places.summary("{task}")
_MAKERS: Final[Mapping[str, str]] = {
    SUMMARY: "plan-developer",
    **dict.fromkeys((places.STACK, places.DECISIONS), "solution-architect"),
    **dict.fromkeys((places.ROSTER, places.SEQUENCE, places.STATUS, places.COORDINATION), "workflow-designer"),
    places.RISK_REPORT: "risk-assessment",
    places.VERIFICATION: "design-verifier",
    SESSIONS: "workflow-executor",
}
"""The persona that makes each file."""


def needs(*paths: str) -> Callable[[str], Sequence[Need]]:
    """The files that a persona needs before it begins; `{task}` in a path stands for the task."""
    return lambda task: tuple(Need(path.replace("{task}", task), _MAKERS[path]) for path in paths)


# --- ways to settle many requests -------------------------------------------------------------------------------------


def yes(word: str, about: str) -> Way:
    """A person's approval."""
    return Way(word=word, about=about, act=APPROVE)


def worded(
    act: str, about: str, field: str, title: str, text: str = "", *, must: str = "", word: str = "", before: str = ""
) -> Way:
    """A way with one answer in words, which `must` makes necessary; `word` is what the person types, if not the act."""

    def questions(said: Said) -> Iterator[Question]:
        yield asked(said, field, title, text, must=must)

    def payload(said: Said) -> dict[str, str]:
        words = said[field].strip()
        return {field: f"{before}{words}"} if words else {}

    return Way(word=word or act, about=about, act=act, questions=questions, payload=payload)


def no(word: str, about: str, question: str, before: str = "") -> Way:
    """A person's rejection, with a reason for the agents."""
    must = "Say it: the agents are given these words and nothing else."
    return worded(REJECT, about, "reason", question, must=must, word=word, before=before)


def option(act: str, about: str) -> Way:
    """One of the options of a choice, with a note for later readers."""
    text = "It is recorded with the choice. An empty line: no."
    return worded(act, about, "note", "Do you want to say why?", text)


def options(ask: Ask, otherwise: str = "") -> tuple[Way, ...]:
    """The options of a choice, each with its description in the request."""
    about = dict(ask.notes.get("about") or {})
    return tuple(option(act, str(about.get(act, otherwise))) for act in ask.options)


# --- payloads from hosts -------------------------------------------------------------------


def schema_of(*required: str, **properties: Any) -> dict[str, Any]:
    """The JSON Schema of a payload with these fields and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def surplus(payload: Mapping[str, Any], *fields: str) -> str:
    """What is wrong with the first field that a way does not take."""
    return next(
        (f"`{key}` is not a field here; valid: {', '.join(fields)}" for key in payload if key not in fields), ""
    )


def mistakes(rule: str, field: str, error: ValidationError) -> Sequence[Finding]:
    """The findings of a form about a field."""
    return [
        Finding(
            rule=rule,
            problem=f"`{place((field, *one['loc']))}`: {one['msg']}",
            repair="give what the schema says",
        )
        for one in error.errors(include_url=False)
    ]
