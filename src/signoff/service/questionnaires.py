"""Questions in a run's document: read, checked and answered there. The file is the only place where answers are."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signoff.artifacts import yamlio
from signoff.artifacts.text_decoding import decode
from signoff.core.declarations import Question, Questionnaire
from signoff.core.errors import DocumentError, RefusedError, UsageError
from signoff.core.findings import Finding
from signoff.service import people
from signoff.service.people import Act, Actor
from signoff.shell.files import read_if_there
from signoff.shell.run.live_run import LiveRun

CLEAR, VAGUE = "clear", "vague"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The questions of a run as its document has them now."""

    path: str
    questions: tuple[Question, ...]

    def of(self, key: str) -> Question | None:
        """The question under this key."""
        return next((question for question in self.questions if question.key == key), None)

    def to_json(self) -> dict[str, Any]:
        """The sheet as JSON data, with how far it has come."""
        return {
            "path": self.path,
            **counts(self.questions),
            "questions": [question_json(one) for one in self.questions],
        }


def read(live: LiveRun) -> Sheet:
    """The questions that are in the document now."""
    asked, path = _place(live)
    return _sheet(live, asked, path, _document(live, path))


async def write(
    live: LiveRun, answers: Mapping[str, str], actor: Actor, shown: Mapping[str, str] | None = None
) -> Sheet:
    """Puts these answers into the document as it is at this moment, has the run take them in, and gives what it says.

    An answer that is no longer the one that was `shown` is not written over. Everything is checked before anything is
    written.
    """
    async with live.store.locked(live.folder):
        sheet, _ = put(live, answers, actor, shown)
    await live.refresh()
    return sheet


def put(
    live: LiveRun, answers: Mapping[str, str], actor: Actor, shown: Mapping[str, str] | None = None
) -> tuple[Sheet, bytes]:
    """As `write`, for a caller who holds the run: gives the document's new bytes too, and tells the run nothing."""
    asked, path = _place(live)
    data = _document(live, path)
    check(found := _sheet(live, asked, path, data), answers)
    for key, text in answers.items():
        question = found.of(key)
        if question is not None and normalized(text) != question.answer:
            act = Act.CHANGE_ANSWER if settled(question) else Act.ANSWER
            what = f"changing {key}, which has the clear answer {question.answer!r},"
            people.check(actor, act, what, f"signoff answer {live.run}")
    for key, text in (shown or {}).items():
        question = found.of(key)
        if question is not None and question.answer != text:
            raise RefusedError(
                f"another answer to {key} was written meanwhile: {question.answer!r}",
                repair="look at it, then answer it again if yours is the better one; nothing was written",
            )
    new = asked.write(data, path, {key: normalized(text) for key, text in answers.items()}).encode()
    sheet = _sheet(live, asked, path, new)
    if new != data:
        live.store.write(path, new, durable=True)
    return sheet, new


def _place(live: LiveRun) -> tuple[Questionnaire, str]:
    asked = live.workflow.people.questionnaire
    if asked is None:
        raise UsageError(
            f"{live.run} is a run of {live.workflow.name}, which asks no questions in a document",
            repair=f"see what it waits for with `signoff inbox {live.run}`",
        )
    path = asked.path(live.state)
    if path is None:
        raise RefusedError(
            f"{live.run} has no questions yet", repair=f"go on with `signoff run {live.workflow.name} {live.run}`"
        )
    return asked, path


def _document(live: LiveRun, path: str) -> bytes:
    data = live.store.read(path)
    if data is None:
        again = f"`signoff run {live.workflow.name} {live.run}` puts it back as the run knew it"
        raise RefusedError(f"{path} is gone", repair=again)
    return data


def _sheet(live: LiveRun, asked: Questionnaire, path: str, data: bytes) -> Sheet:
    settings = live.store.read(asked.settings) if asked.settings else None
    return Sheet(path, tuple(asked.read(data, path, settings)))


# --- what may be written ----------------------------------------------------------------------------------------------


def normalized(text: str) -> str:
    """An answer as it goes into a document: lines end as everywhere, and nothing is around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def check(sheet: Sheet, answers: Mapping[str, str]) -> None:
    """Refuses keys that are not in the document once, and text that no document can hold."""
    known = [question.key for question in sheet.questions]
    if wrong := [key for key in answers if key not in known]:
        folded = {name.casefold(): name for name in known}
        close = {key: difflib.get_close_matches(key.casefold(), folded, n=3) for key in wrong}
        near = {key: ", ".join(folded[name] for name in names) for key, names in close.items()}
        said = (f"{key!r}" + (f" (close: {near[key]})" if near[key] else "") for key in wrong)
        raise UsageError(
            f"{sheet.path} has no question {', '.join(said)}",
            valid=", ".join(known) or "it has no questions",
            repair="name questions by these keys; nothing was written",
        )
    for key, text in answers.items():
        if known.count(key) > 1:
            raise UsageError(
                f"{sheet.path} has {key} {known.count(key)} times", repair="make each key stand there once"
            )
        if bad := next((char for char in normalized(text) if unreadable(char)), None):
            raise UsageError(
                f"the answer to {key} has the character U+{ord(bad):04X}, which no text file should hold",
                repair="leave it out; nothing was written",
            )


def unreadable(char: str) -> bool:
    """A control character or half of one: a file with it could not be read again."""
    return char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")


def split(argument: str, known: Iterable[str]) -> tuple[str, str]:
    """`KEY=TEXT` in two; a key may have an equals sign in it, so the known ones are tried first."""
    folded = {key.casefold(): key for key in known}
    ends = [at for at, char in enumerate(argument) if char == "="]
    fitting = [at for at in ends if argument[:at].strip().casefold() in folded]
    at = fitting[-1] if fitting else argument.find("=")
    key = argument[: max(at, 0)].strip()
    if at < 0 or not key:
        raise UsageError(f"{argument!r} is not an answer", valid="KEY=TEXT, as in Q1=A", repair="write it that way")
    return folded.get(key.casefold(), key), argument[at + 1 :]


def from_file(path: Path) -> dict[str, str]:
    """Answers by key from a YAML mapping; what is not text is refused, so that `1.50` stays what was meant."""
    data, file = None if path.is_dir() else read_if_there(path), str(path)
    if data is None:
        raise UsageError(f"there is no file {file!r}", repair="give a YAML file of `KEY: text` lines")
    text = decode(data, file)
    found = yamlio.load_mapping(text, file)
    findings = [
        Finding(
            rule="answers.text",
            problem=f"the answer to {key} is {value!r}, which is not text",
            repair='put it in quotes: "…"',
            file=file,
            line=yamlio.line_of(text, (key,)),
        )
        for key, value in found.items()
        if not isinstance(value, str)
    ]
    if findings:
        raise DocumentError(findings)
    return found


# --- how far it has come ----------------------------------------------------------------------------------------------


def settled(question: Question) -> bool:
    """Whether the question needs no further answer: by its verdict, or if it has none, by having an answer."""
    return _verdict(question) == CLEAR if question.verdict else bool(question.answer.strip())


def _verdict(question: Question) -> str:
    return question.verdict.partition(":")[0].strip()


def counts(questions: Sequence[Question]) -> dict[str, Any]:
    """How many are answered, how many of the others are vague, and which are empty that must be answered."""
    left = [question for question in questions if not settled(question)]
    vague = [question.key for question in left if _verdict(question) == VAGUE]
    return {
        "total": len(questions),
        "answered": len(questions) - len(left),
        "vague": len(vague),
        "open": len(left) - len(vague),
        "must": [question.key for question in left if question.must and question.key not in vague],
    }


def question_json(question: Question) -> dict[str, Any]:
    """A question as JSON data."""
    return {
        "key": question.key,
        "title": question.title,
        "section": question.section,
        "must": question.must,
        "text": question.text,
        "choices": [{"letter": letter, "text": text} for letter, text in question.choices],
        "recommendation": question.recommendation,
        "answer": question.answer,
        "verdict": _verdict(question),
        "why": question.verdict.partition(":")[2].strip(),
    }
