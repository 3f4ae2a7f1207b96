"""plan-developer: talks about a plan with a person and writes its summary."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import Any, Final

from signoff.core.declarations import Question
from signoff.core.personas import NAMED, Artifact, Interview, Said, Scene, rounds
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import plan_summary
from signoff.workflows.orchestration.personas.questions import (
    asked,
    bare,
    filled,
    one_line,
    persona,
    unsure,
    wrong_name,
)

_GOAL: Final = "Every later document refers to the goal. Say it in your words, however roughly."
_WHY: Final = 'Without a reason you cannot tell later whether it still holds. If you do not know it, say "not sure".'
_MORE: Final = "An empty line: nothing (more)."
_UNSAID: Final = "Not said yet: see the open items."


# --- what is asked ----------------------------------------------------------------------------------------------------


def questions(said: Said, scene: Scene) -> Iterator[Question]:
    """All questions that follow from the answers so far."""
    goal = said.get("goal", "")
    vague = _GOAL if unsure(goal) else ""
    yield asked(said, "goal", "What do you want to accomplish, and for whom?", must=_GOAL, verdict=vague)
    if not scene.task:
        yield _name(said, scene)
    yield asked(
        said, "done", "How will you see that it is done?", "Numbers, if you have any. An empty line: not known yet."
    )
    if unsure(said.get("done", "")):
        yield _settling(said, "done")
    yield from _decisions(said)
    yield from _list(said, "constraint", "Constraints", "What limits it: time, money, systems, rules, people?")
    yield from _list(said, "assumption", "Assumptions", "What do you take for granted without knowing it?")
    yield from _answers(said)
    yield from _list(said, "open", "Open items", "What else is still open?", settle=False)
    yield from _list(said, "dependency", "Dependencies", "What does it depend on, or connect to?")


def _name(said: Said, scene: Scene) -> Question:
    name = said.get(NAMED, "").strip()
    proposed = inferred(said.get("goal", ""))
    there = [one for one in (name, proposed) if one and not wrong_name(one) and scene.read(places.summary(one))]
    text = "Its files and its run get this name: two to four words in snake_case."
    if there:
        text += f" There is already a summary of {there[0]}; you see the difference before it is replaced."
    what = f"A name has {wrong_name('')}, as in user_management."
    verdict = what if NAMED in said and wrong_name(name) else ""
    return asked(said, NAMED, "What is the task called?", text, recommendation=proposed, verdict=verdict, must=what)


def _decisions(said: Said) -> Iterator[Question]:
    for key in rounds(said, "decision"):
        title = "What is decided already?" if key.endswith("-1") else "What else is decided?"
        yield asked(said, key, title, _MORE, section="Decisions")
        decided = said.get(key, "").strip()
        if unsure(decided):
            yield _settling(said, key)
        elif decided:
            yield asked(said, f"{key}.why", "Why?", section="Decisions", must=_WHY)
            if unsure(said.get(f"{key}.why", "")):
                yield _settling(said, f"{key}.why")
            other = "What was the alternative, and why not that? An empty line: there was none."
            yield asked(said, f"{key}.instead", "What was turned down?", other, section="Decisions")


def _list(said: Said, name: str, section: str, title: str, *, settle: bool = True) -> Iterator[Question]:
    for key in rounds(said, name):
        again = title if key.endswith("-1") else "What else?"
        yield asked(said, key, again, _MORE, section=section)
        if settle and unsure(said.get(key, "")):
            yield _settling(said, key)


def _answers(said: Said) -> Iterator[Question]:
    for key in rounds(said, "question"):
        title = "Which question came up?" if key.endswith("-1") else "Which other question came up?"
        yield asked(said, key, title, f"One that has an answer, or needs one. {_MORE}", section="Questions")
        if said.get(key, "").strip():
            must = 'Say the answer. If there is none yet, say "not sure": it becomes an open item.'
            yield asked(said, f"{key}.answer", "What is the answer?", section="Questions", must=must)
            if unsure(said.get(f"{key}.answer", "")):
                yield _settling(said, f"{key}.answer")


def _settling(said: Said, key: str) -> Question:
    """The question that follows if the person is not sure: the topic becomes an open item."""
    text = "It goes to the open items. An empty line: you do not know."
    return asked(said, f"{key}.who", "Who or what could settle that?", text, section="Open items")


# --- the summary -------------------------------------------------------------------------------------------------


def output(said: Said, scene: Scene) -> str:
    """The summary under its contract."""
    done = said.get("done", "").strip()
    seen = "" if not done or unsure(done) else f"\n\nIt is done when this is so: {done}"
    given = {
        NAMED: scene.task or said.get(NAMED, "").strip(),
        "goal": said.get("goal", "").strip() + seen,
        "decisions": [_made(said, key) for key in filled(said, "decision") if not unsure(said[key])],
        "constraints": [
            *_sure(said, "constraint"),
            *(f"Assumption: {text}" for text in _sure(said, "assumption")),
        ],
        "resolved": [
            {"question": one_line(said[key]), "answer": one_line(answer)}
            for key in filled(said, "question")
            if (answer := said.get(f"{key}.answer", "")) and not unsure(answer)
        ],
        "open_items": [*_open(said)],
        "dependencies": _sure(said, "dependency"),
    }
    return json.dumps(given, ensure_ascii=False, indent=2)


def _made(said: Said, key: str) -> dict[str, Any]:
    why, instead = said.get(f"{key}.why", ""), said.get(f"{key}.instead", "")
    return {
        "decision": one_line(said[key]),
        "rationale": _UNSAID if unsure(why) else one_line(why),
        "alternatives": "" if unsure(instead) else one_line(instead),
    }


def _sure(said: Said, name: str) -> list[str]:
    return [one_line(said[key]) for key in filled(said, name) if not unsure(said[key])]


def _open(said: Said) -> Iterator[str]:
    """The items that the person called open, and everything that they were not sure of."""
    if unsure(said.get("done", "")):
        yield _item(said, "done", "How one would see that it is done")
    for key in filled(said, "decision"):
        if unsure(said[key]):
            yield _item(said, key, "What is to be decided")
        elif unsure(said.get(f"{key}.why", "")):
            yield _item(said, f"{key}.why", f"Why “{one_line(said[key])}”?")
    unclear = {"constraint": "What limits it", "assumption": "What is taken for granted"}
    for name, about in unclear.items():
        yield from (_item(said, key, about) for key in filled(said, name) if unsure(said[key]))
    for key in filled(said, "question"):
        if unsure(said.get(f"{key}.answer", "")):
            yield _item(said, f"{key}.answer", one_line(said[key]))
    yield from (one_line(said[key]) for key in filled(said, "open"))
    about = "What it depends on, or connects to"
    yield from (_item(said, key, about) for key in filled(said, "dependency") if unsure(said[key]))


def _item(said: Said, key: str, about: str) -> str:
    """An open item: its topic, what the person said about it, and who could settle it."""
    words = "" if bare(said[key]) else one_line(said[key])
    open_one = f"{about}: {words}" if words else about
    who = one_line(said.get(f"{key}.who", ""))
    settled = f" To be settled by: {who}" if who and not unsure(who) else ""
    return (open_one if open_one.endswith(("?", ".")) else f"{open_one}.") + settled


# --- a name for the task ----------------------------------------------------------------------------------------------

_MOST: Final = 4


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES: Final = _words("a an the our my your his her their its this that these those new one")
_WISHES: Final = _words(
    """i we want need please build make create add implement introduce set get write develop replace improve offer
    provide let lets"""
)
_LEADING: Final = _words("wants wanted needs would like should must have has had to be able can could will up us me so")
_OPENING: Final = _ARTICLES | _WISHES | _LEADING
_ENDING: Final = _words(
    """for with in on at of to from into by and or so that which who whose while when where because through without
    across between as is are has have can will"""
)


def inferred(goal: str) -> str:
    """A name for a task in snake_case, from the first words of its goal; empty if they give none."""
    apart = unicodedata.normalize("NFKD", goal.lower().replace("’", "'").replace("'s", ""))
    plain = "".join(char for char in apart if not unicodedata.combining(char))
    parts = [re.findall(r"[a-z0-9]+", part) for part in re.split(r"[.!?:;,\n]", plain)]
    wished = [words for words in parts if words and words[0] in _WISHES]
    return next((name for words in (*wished, *parts) if (name := _thing(words))), "")


def _thing(words: Sequence[str]) -> str:
    """The first words of a sentence that name a thing."""
    rest = list(dropwhile(lambda word: word in _OPENING or word[0].isdigit(), words))
    thing = list(takewhile(lambda word: word not in _ENDING, rest))
    if len(thing) == 1:  # one word says too little: "reminders for loans"
        thing += takewhile(lambda word: word not in _ENDING, rest[2:])
    return "_".join([word for word in thing if word not in _ARTICLES][:_MOST])


PLAN_DEVELOPER: Final = persona(
    name="plan-developer",
    about="Asks what you want, one question at a time, and writes the summary that every later step starts from.",
    interview=Interview(questions=questions, output=output),
    artifact=Artifact(
        contract="plan",
        path=places.summary("{task}"),
        render=plan_summary.render,
        task=lambda value: str(value.task),
    ),
    next="solution-architect",
)
