"""What the conversations have in common: how a question is put, and how one hears that somebody is not sure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.decide import APPROVE
from signoff.core.errors import UsageError
from signoff.core.personas import Said, Way
from signoff.core.questions import Question
from signoff.workflows.orchestration import ids

REJECT: Final = "reject"
LONGEST: Final = 80
_UNSURE: Final = re.compile(
    r"(?:(?:i|we)(?:['’]?m|['’]re| am| are)? +)?"
    r"(?:not +(?:yet +|quite +|really +)?(?:sure|certain|clear|decided|settled|known)|unsure|uncertain|undecided"
    r"|unclear|(?:do +not|don['’]?t) +know|no +idea|tbd|tba|to +be +(?:decided|determined|clarified|settled)|\?+)"
    r"(?:\W|\Z)",
    re.IGNORECASE,
)
_NOTHING: Final = ("", "yet", "now", "so far", "at all")


def unsure(text: str) -> bool:
    """Whether somebody says that they do not know."""
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
    """A question with what was answered to it; `must` says why it cannot be left empty."""
    answer = said.get(key, "")
    wrong = must if must and key in said and not answer.strip() else ""
    return Question(
        key=key,
        title=title,
        text=text,
        section=section,
        recommendation=recommendation,
        choices=choices,
        answer=answer,
        verdict=wrong or verdict,
        must=bool(must),
    )


def one_line(text: str) -> str:
    """An answer as one entry of a list."""
    return " ".join(text.split())


def task_of(typed: str) -> str:
    """The task that somebody names, as it is or by its run."""
    task = ids.task_of(typed.strip())
    if wrong := wrong_name(task):
        raise UsageError(f"{typed!r} is no name for a task", valid=wrong, repair="name it that way: user_management")
    return task


def wrong_name(task: str) -> str:
    """What a task's name must be, where this is none."""
    if ids.TASK.fullmatch(task) and len(task) <= LONGEST:
        return ""
    return "small letters and digits in words, single underscores between them, a letter first"


# --- ways that many requests have -------------------------------------------------------------------------------------


def yes(word: str, about: str) -> Way:
    """A person's approval."""
    return Way(word=word, about=about, act=APPROVE)


def no(word: str, about: str, question: str, before: str = "") -> Way:
    """A person's rejection, with the words that the agents are given."""

    def questions(said: Said) -> Iterator[Question]:
        why = "Say it: the agents are given these words, and have nothing else to go by."
        yield asked(said, "reason", question, must=why)

    return Way(
        word=word,
        about=about,
        act=REJECT,
        questions=questions,
        payload=lambda said: {"reason": f"{before}{said['reason'].strip()}"},
    )


def option(act: str, about: str) -> Way:
    """One of the options of a choice, with a note for those who come later."""

    def questions(said: Said) -> Iterator[Question]:
        yield asked(said, "note", "Do you want to say why?", "It is recorded with the choice. An empty line: no.")

    def payload(said: Said) -> dict[str, str]:
        return {"note": said["note"].strip()} if said["note"].strip() else {}

    return Way(word=act, about=about, act=act, questions=questions, payload=payload)
