"""Questions that wait for a person in a document: what a surface needs to show them and to write answers back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from signoff.core.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as a person sees it. `key` names it when an answer is written; `verdict` judges the answer."""

    key: str
    title: str
    text: str
    section: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    recommendation: str = ""
    answer: str = ""
    verdict: str = ""
    must: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """Where a run keeps its questions, how they are read from the document, and how answers get into it.

    `write` gives the document with these answers in it and changes nothing else; `settings` is the document that the
    judgement of answers depends on, if there is one.
    """

    path: Callable[[State], str | None]
    read: Callable[[bytes, str, bytes | None], Sequence[Question]]
    write: Callable[[bytes, str, Mapping[str, str]], str]
    settings: str | None = None
