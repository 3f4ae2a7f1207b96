"""Quiz: writes three questions, asks whether the answers are enough, and ends when somebody chooses so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signoff.core.commands import Ask, Command, Finish, Withdraw, Write
from signoff.core.declarations import (
    Effects,
    FileCall,
    FileCommand,
    FileOutcome,
    Now,
    Parameter,
    Question,
    Questionnaire,
)
from signoff.core.errors import UsageError
from signoff.core.events import Answered, DocsChanged, Started
from signoff.core.findings import Finding
from signoff.core.refs import Look
from signoff.core.state import State
from signoff.core.workflow import Documents, People, Setup, Views, Workflow

SHEET = """\
# Quiz

## Colours
Q1: Which red? [must]
  The one on the door.
  A. crimson
  B. scarlet
  recommended: B
  answer:

Q2: Why?
  Say it in two words at least.
  answer: hm

## Sizes
Q3: How long?
  answer: two metres
"""
ABOUT = {"more": "Asks once more.", "done": "Ends the quiz as it is."}
_HEAD = re.compile(r"(Q\d+): (.*?)( \[must\])?")


def path(run: str) -> str:
    return f"{run}/quiz.txt"


# --- the run ----------------------------------------------------------------------------------------------------------


def step(now: Now) -> Effects:
    commands: tuple[Command, ...] = ()
    match now.event:
        case Started():
            commands = (Write(path=path(now.event.run), text=SHEET), _asked("gate"))
            if now.event.params.get("twice"):
                commands += (_asked("second"), _signing())
        case DocsChanged() if (old := now.state.request_of("gate")) is not None:
            commands = (Withdraw(request=old.request), _asked("gate", "Is it enough now?"))
        case Answered(act="more"):
            commands = (_asked("gate"),)
        case Answered():
            commands = (Finish(reason="complete"),)
    return Effects(now.state.own, commands)


def _asked(key: str, question: str = "Is it enough?") -> Ask:
    notes = {"about": ABOUT, "questions": True}
    return Ask(key=key, kind="choice", options=("more", "done"), question=question, notes=notes)


def _signing() -> Ask:
    return Ask(key="final", kind="approval", options=("approve", "reject", "waive"), question="May it go out?")


# --- the document -----------------------------------------------------------------------------------------------------


def read(data: bytes, _path: str, settings: bytes | None) -> Sequence[Question]:
    return list(_questions(data.decode(), b"strict" in (settings or b"")))


def _questions(text: str, strict: bool) -> Iterator[Question]:
    section = ""
    for block in re.split(r"(?m)^(?=## |Q\d)", text):
        lines = block.splitlines() or [""]
        if lines[0].startswith("## "):
            section = lines[0][3:]
        if head := _HEAD.fullmatch(lines[0]):
            told = [line.strip() for line in lines[1:] if line.strip()]
            answer = next(line.removeprefix("answer:") for line in told if line.startswith("answer:")).strip()
            answer = answer.replace("\\n", "\n")
            yield Question(
                key=head[1],
                title=head[2],
                must=bool(head[3]),
                section=section,
                text="\n".join(line for line in told if not re.match(r"[A-Z]\. |recommended:|answer:", line)),
                choices=tuple((line[0], line[3:]) for line in told if re.match(r"[A-Z]\. ", line)),
                recommendation="".join(line[12:].strip() for line in told if line.startswith("recommended:")),
                answer=answer,
                verdict=_verdict(answer, strict),
            )


def _verdict(answer: str, strict: bool) -> str:
    if not answer:
        return "not_answered"
    letter = len(answer) == 1 and answer in "AB"
    return "clear" if letter or len(answer.split()) >= (5 if strict else 2) else "vague: fewer than 2 words"


def write(data: bytes, _path: str, answers: Mapping[str, str]) -> str:
    text = data.decode()
    for key, answer in answers.items():
        line = answer.replace("\n", "\\n")
        if "forbidden" in answer:
            raise UsageError("that word is not allowed", repair="use another")
        text = re.sub(
            rf"(?ms)^({key}: .*?^  answer:)[^\n]*", lambda found, line=line: f"{found[1]} {line}".rstrip(), text
        )
    return text


# --- commands on files ------------------------------------------------------------------------------------------------


def _lint(call: FileCall) -> FileOutcome:
    tabs = {name: data.decode() for name, data in call.files.items() if b"\t" in data}
    found = tuple(Finding(rule="quiz.tab", problem="a tab", repair="use spaces", file=name) for name in tabs)
    if not call.params["fix"]:
        return FileOutcome(findings=found, data={"tabs": len(tabs)})
    mended = {name: text.replace("\t", " ") for name, text in tabs.items()}
    return FileOutcome(said=tuple(f"repaired: {one}" for one in found), writes=mended, data={"tabs": len(tabs)})


def _count(call: FileCall) -> FileOutcome:
    [(name, data)] = call.files.items()
    words = [word for word in data.decode().split() if word not in call.params["without"]]
    number = len(words) if call.params["of"] == "words" else len("".join(words))
    config = call.read("_workflow/quiz.yaml")
    said = (f"{number} {call.params['of']}", *([f"config: {config.decode()}"] if config else []))
    beside = name[: name.rfind("/") + 1] + "count.txt"
    return FileOutcome(said=said, data={"number": number}, writes={beside: f"{number}\n"})


def _stray(_call: FileCall) -> FileOutcome:
    return FileOutcome(writes={"/elsewhere.txt": "x"})


def _draw(call: FileCall) -> FileOutcome:
    shown = "".join(f"{name}:\n  |\x1b {len(data)}\n" for name, data in call.files.items())
    return FileOutcome(shown=shown, data={"files": len(call.files)})


COMMANDS = (
    FileCommand(
        name="lint",
        about="Find tabs",
        run=_lint,
        writes=True,
        example="signoff quiz lint lamp/quiz.txt",
        most=None,
        parameters=(Parameter(name="fix", about="put spaces in their place", flag=True),),
    ),
    FileCommand(
        name="count",
        about="Count what is in a file",
        run=_count,
        writes=True,
        example="signoff quiz count lamp/quiz.txt",
        parameters=(
            Parameter(name="of", about="what to count", choices=("words", "letters"), default="words"),
            Parameter(name="without", about="a word that does not count; repeatable", repeat=True),
        ),
    ),
    FileCommand(name="stray", about="Do what it may not", run=_stray, example="signoff quiz stray x", most=2),
    FileCommand(
        name="sheet draw",
        about="Draw a sheet and what lies beside it",
        run=_draw,
        checks=False,
        example="signoff quiz sheet draw lamp/quiz.txt",
        most=3,
        beside=("y.txt", "more/*.txt"),
    ),
)


# --- the rest ---------------------------------------------------------------------------------------------------------


def trace(what: str, *_: object) -> Mapping[str, Any] | None:
    return {"id": what, "text": "a question", "led_to": [{"id": "R1.1", "text": "finer"}]} if what == "Q1" else None


def summary(state: State, _look: Look) -> Mapping[str, Any]:
    return {"lines": ["3 questions in {project}"], "next": [f"signoff answer {state.params['slug']} --list"]}


WORKFLOW = Workflow(
    name="quiz",
    about="A quiz in one document.",
    package="signoff.workflows.quiz",
    steps=step,
    parameters=(
        Parameter(name="twice", about="ask two things at once", flag=True),
        Parameter(name="level", about="how hard it is", choices=("easy", "hard")),
    ),
    documents=Documents(
        tracked=lambda params: [path(str(params["slug"]))],
    ),
    setup=Setup(
        starter={"0-sources/topic.md": "topic.md"},
        example="signoff run quiz lamp",
    ),
    views=Views(
        summary=summary,
        trace=trace,
    ),
    people=People(
        commands=COMMANDS,
        questionnaire=Questionnaire(
            path=lambda state: path(state.params["slug"]) if path(state.params["slug"]) in state.docs else None,
            read=read,
            write=write,
            settings="_workflow/quiz.yaml",
        ),
    ),
)
