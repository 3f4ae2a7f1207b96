"""Question by question at a terminal: what a run's document asks, and what a new run would like to know."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from signoff import OperatorError, Parameter, UserError
from signoff.service import questionnaires
from signoff.service.project import Run
from signoff.service.questionnaires import Sheet, normalized, settled
from signoff.service.types import Question
from signoff.surfaces.cli.terminal.formatting import clean, paragraph
from signoff.surfaces.cli.terminal.keyboard import Keyboard
from signoff.surfaces.cli.terminal.signing import here

MANY = '"""'
HELP = (
    "  A letter takes that choice, any other line is your answer. It is written into the file at once.",
    "  (an empty line)  leave this question as it is and go on",
    "  =                take the recommendation",
    f"  {MANY}              begin a text of several lines; end it with the same mark on a line of its own",
    "  e                write the answer in your $EDITOR (a capital E is choice E, if there is one)",
    "  <                go back to the question before",
    "  q                end; what you answered is written",
    f"  An answer that looks like one of these goes between two lines {MANY}.",
)


class Screen(Protocol):
    """Where a person reads and types."""

    def read(self, prompt: str) -> str | None:
        """The next line that the person types; None at the end."""

    def say(self, line: str) -> None:
        """Shows one line."""

    def edit(self, text: str) -> str | None:
        """Lets the person change a text elsewhere; None when nothing came of it."""


class Port(Screen, Protocol):
    """The world of a conversation about the questions in a document."""

    def save(self, key: str, text: str, shown: str) -> Sheet:
        """Writes one answer in place of the one that was shown, and gives the questions as they are then."""

    def again(self) -> Sheet:
        """The questions as they are now."""


@dataclass(frozen=True, slots=True)
class Terminal(Keyboard):
    """A conversation with the person at this terminal about the questions of one run."""

    live: Run

    def save(self, key: str, text: str, shown: str) -> Sheet:
        return asyncio.run(questionnaires.write(self.live, {key: text}, here(), {key: shown}))

    def again(self) -> Sheet:
        return questionnaires.read(self.live)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a line means for a question; `text` is the answer, or what to tell the person."""

    what: Literal["leave", "back", "end", "help", "many", "edit", "answer", "wrong"]
    text: str = ""


_MARKS = {
    "": Heard("leave"),
    "<": Heard("back"),
    "q": Heard("end"),
    "?": Heard("help"),
    MANY: Heard("many"),
    "e": Heard("edit"),
    "/back": Heard("back"),
    "/exit": Heard("end"),
    "/help": Heard("help"),
}


def heard(question: Question, line: str | None) -> Heard:
    """A typed line as what is meant by it."""
    if line is None:
        return Heard("end")
    typed = line.strip()
    if typed in _MARKS:
        return _MARKS[typed]
    if typed == "=":
        taken = question.recommendation.strip()
        return Heard("answer", taken) if taken else Heard("wrong", f"{question.key} has no recommendation to take")
    letters = {letter.upper(): letter for letter, _ in question.choices}
    if letters and len(typed) == 1 and typed.isascii() and typed.isalpha():
        known = letters.get(typed.upper())
        return Heard("answer", known) if known else Heard("wrong", f"no choice {typed!r}. Valid: {', '.join(letters)}")
    if typed.startswith("/") and (close := difflib.get_close_matches(typed, _MARKS, n=1, cutoff=0.75)):
        return Heard("wrong", f"{typed!r} is not a command; did you mean {close[0]}?")
    return Heard("answer", typed)


def wanted(sheet: Sheet, *, every: bool) -> tuple[str, ...]:
    """The questions to go through: those without a clear answer, or all."""
    return tuple(question.key for question in sheet.questions if every or not settled(question))


def converse(sheet: Sheet, keys: Sequence[str], port: Port) -> Sheet:
    """Goes through these questions until they are through or the person ends it."""
    at = 0
    while at < len(keys):
        question = sheet.of(keys[at])
        if question is None:
            port.say(f"{clean(keys[at])} is not in {clean(sheet.path)} any more.")
            keys = [key for key in keys if key != keys[at]]
            continue
        tell(port, shown(question, at + 1, len(keys)))
        meant = ask(question, port)
        if meant.what == "end":
            break
        if meant.what == "answer":
            saved = _saved(question.key, meant.text, question.answer, port)
            if saved is not None:
                sheet, at = saved, at + 1
            else:
                with suppress(UserError, OperatorError):
                    sheet = port.again()  # perhaps another process has answered
        else:
            at = max(0, at + (1 if meant.what == "leave" else -1))
    return sheet


def ask(question: Question, port: Screen, helping: Sequence[str] = HELP) -> Heard:
    """Listens until the person has answered, moved on or ended."""
    while True:
        meant = heard(question, port.read("> "))
        if meant.what == "help":
            tell(port, helping)
        elif meant.what == "wrong":
            port.say(f"  {clean(meant.text)} (? for help)")
        elif meant.what in ("many", "edit"):
            text = _lines(port) if meant.what == "many" else _edited(question, port)
            if text is not None:
                return Heard("answer", text)
        else:
            return meant


def _lines(port: Screen) -> str | None:
    """A text of several lines; one that is not ended is not an answer."""
    lines: list[str] = []
    while (line := port.read("… ")) is not None:
        if line.strip() == MANY:
            return "\n".join(lines)
        lines.append(line.rstrip("\r\n"))
    port.say(f"  The text was not ended with {MANY}, so it was not written.")
    return None


def _edited(question: Question, port: Screen) -> str | None:
    text = port.edit(question.answer)
    if text is None or normalized(text) == normalized(question.answer):
        port.say("  Left as it was.")
        return None
    return text


def _saved(key: str, text: str, shown: str, port: Port) -> Sheet | None:
    """The sheet with the answer in it; if it cannot be written, the person is told why, and asked again."""
    try:
        sheet = port.save(key, text, shown)
    except (UserError, OperatorError) as error:
        tell(port, paragraph(f"Not written: {error}"))
        return None
    question = sheet.of(key)
    port.say(f"  {clean(key)}: {verdict(question) if question else 'written'}")
    return sheet


def tell(port: Screen, lines: Sequence[str] | Iterator[str]) -> None:
    """Shows these lines."""
    for line in lines:
        port.say(line)


# --- how a question looks ---------------------------------------------------------------------------------------------


def shown(question: Question, number: int, total: int) -> Iterator[str]:
    """One question with everything that helps to answer it."""
    yield ""
    yield f"{number} of {total}" + (f", {clean(question.section)}" if question.section else "")
    yield heading(question)
    yield from details(question)


def details(question: Question) -> Iterator[str]:
    """What else there is to a question: its text, its choices, what is recommended and what was answered."""
    yield from paragraph(question.text)
    yield from (f"  {clean(letter)}. {clean(text, 1000)}" for letter, text in question.choices)
    if question.recommendation.strip():
        yield from paragraph(f"recommendation: {question.recommendation}")
    if question.answer.strip():
        yield from paragraph(f"answer now ({verdict(question)}): {question.answer}")


def heading(question: Question) -> str:
    """Key, title and whether it must be answered; a key that has the title in it is not followed by it."""
    title = "" if question.key.endswith(question.title) else f": {clean(question.title)}"
    return f"{clean(question.key)}{title}{' [must answer]' if question.must else ''}"


def verdict(question: Question) -> str:
    """What the judgement of an answer says, in words."""
    said = clean(question.verdict.replace("_", " "))
    return said or ("answered" if question.answer.strip() else "not answered")


# --- before a run begins ----------------------------------------------------------------------------------------------


def missing(parameters: Sequence[Parameter], given: Mapping[str, Any], screen: Screen) -> dict[str, Any]:
    """Asks for what has a question and was not given; an empty line leaves it open, the end of input ends it."""
    asked = [one for one in parameters if one.asked and one.name not in given]
    if asked:
        screen.say("A few questions first; an empty line leaves the answer to the agents.")
    said: dict[str, Any] = {}
    for one in asked:
        answer = _parameter(one, {**given, **said}.get("language"), screen)
        if answer is None:
            break
        if answer:
            said[one.name] = answer
    return said


def _parameter(parameter: Parameter, language: str | None, screen: Screen) -> str | None:
    """What the person types; a number or a name in either language stands for its choice.

    Choices are shown in the language of the run, and in both while that is not known.
    """
    terms = parameter.terms
    screen.say(parameter.asked)
    for number, one in enumerate(terms.terms, 1):
        screen.say(f"  {number}  {one.name(language) if language else one.names}")
    while (line := screen.read("> ")) is not None:
        words = line.strip()
        if not words or not terms.terms:
            return words
        numbered = {str(number): value for number, value in enumerate(terms.values, 1)}
        if value := numbered.get(words) or terms.value(words):
            return value
        screen.say(f"  {clean(words)!r} is none of them: type a number, a word of the list, or nothing")
    return None
