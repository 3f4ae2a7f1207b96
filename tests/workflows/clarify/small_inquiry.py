"""An inquiry small enough to enumerate: a few questions, and everything that agents and people may do with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clarify_text import canonical

from signoff.core.commands import Ask, StartTurn
from signoff.core.state import State
from signoff.testing.explorer import Shelf
from signoff.workflows.clarify import config as settings
from signoff.workflows.clarify import state as inquiry
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import decisions as de
from signoff.workflows.clarify.documents.clarifications import Clarifications, Draft
from signoff.workflows.clarify.documents.decisions import Decision, Decisions

NAME = "sales"
QUESTIONS = inquiry.clarifications(NAME)
DECISIONS = inquiry.decisions(NAME)
BRIEF = "0-sources/brief.md"
SAID = "Deals are counted somehow."
BRIEF_TEXT = f"# Brief\n\n{SAID}\n"
WORDS = "Words that a person wrote between two entries."
MALFORMED = "- not\n- a mapping\n"

Named = Iterable[tuple[str, str]]
Edits = Iterable[tuple[str, Mapping[str, str | None]]]


def config(
    *dimensions: str, mixed: float = 0.5, sufficient: float = 0.85, terms: Sequence[str] = (), turns: int = 100_000
) -> str:
    named = [{"name": name} for name in dimensions or ("metrics",)]
    shares = {"sufficient": sufficient, "mixed": mixed}
    rest = {"known_terms": list(terms), "budget": {"turns": turns}}
    return json.dumps({"dimensions": named, "thresholds": shares, **rest})


def documents(config_text: str) -> dict[str, str]:
    return {settings.PATH: config_text, BRIEF: BRIEF_TEXT}


@dataclass(frozen=True)
class Asked:
    """A question of this small world; `origin` is the research question it comes from.

    `also` is another dimension that raises it, and `places` are the sources that leave it open, one per dimension.
    """

    title: str
    section: str = "Money"
    must: bool = False
    recommendation: str = "A — as it is done today"
    origin: str = "Metrics Q1"
    choices: tuple[str, ...] = ("This one", "That one")
    also: str = ""
    said: str = SAID
    places: tuple[str, ...] = (BRIEF,)

    @property
    def question(self) -> str:
        return f"What is {self.title}?" if self.said == SAID else self.said

    @property
    def raised(self) -> dict[str, str]:
        """The dimensions that raise it, each with the source in which it finds it."""
        names = [self.origin.rsplit(" ", 1)[0], *([self.also] if self.also else [])]
        return dict(zip(names, (*self.places, *self.places), strict=False))


# --- what agents may say ----------------------------------------------------------------------------------------------


def researcher(asked: Sequence[Asked], start: StartTurn) -> Named:
    mine = start.notes["dimension"]["title"]
    found = [
        {
            "title": one.title,
            "question": one.question,
            "choices": one.choices,
            "recommendation": one.recommendation or "A — as it is done today",
            "must_answer": one.must,
            "sources": [{"path": one.raised[mine], "quote": one.said}],
        }
        for one in asked
        if mine in one.raised
    ]
    yield "good", json.dumps({"questions": found})
    yield "off schema", json.dumps({"questions": found, "confidence": "high"})
    yield "silent", json.dumps({"questions": []})
    for label, path, quote in (("invented source", "0-sources/x.md", SAID), ("invented quote", BRIEF, "Never said")):
        yield label, json.dumps({"questions": [{**one, "sources": [{"path": path, "quote": quote}]} for one in found]})
    yield "control character", json.dumps({"questions": found, "notes": "\a"})
    yield "malformed", MALFORMED


def origins(asked: Sequence[Asked], start: StartTurn) -> dict[Asked, tuple[str, ...]]:
    """Under which names each question was researched; a later pass goes on counting, in the same order."""
    found = dict[Asked, tuple[str, ...]]()
    for dimension in dict.fromkeys(name for one in asked for name in one.raised):
        names = (name for name in start.notes["origins"] if name.rsplit(" ", 1)[0] == dimension)
        for one, name in zip((one for one in asked if dimension in one.raised), names, strict=False):
            found[one] = (*found.get(one, ()), name)
    return {one: found[one] for one in asked if one in found}


def questions(named: Mapping[Asked, tuple[str, ...]], start: StartTurn, **front: Any) -> str:
    """The file as a good consolidator writes it: what people know keeps its id, what is new gets the next one."""
    known = {title: key for key, title in start.notes["keep"].items()}
    number, sections = start.notes["next"], dict[str, list[tuple[str, Draft]]]()
    for one, names in named.items():
        key = known.get(one.title) or f"Q{number}"
        number += key == f"Q{number}"
        draft = Draft(
            title=one.title, body=one.question, choices=one.choices, must=one.must, origins=names,
            recommendation=one.recommendation,
        )  # fmt: skip
        sections.setdefault(one.section, []).append((key, draft))
    return canonical(list(sections.items()), front)


def consolidator(asked: Sequence[Asked], start: StartTurn) -> Named:
    def output(text: str, **more: Any) -> str:
        return json.dumps({"clarifications": text, **more})

    named = origins(asked, start)
    (_, (origin, *_)), *others = named.items()
    good, without_first = questions(named, start), questions(dict(others), start)
    known = next(iter(start.notes["keep"].values()), "")
    yield "good", output(good)
    yield "scope", output(questions(named, start, scope_recommendation=True), scope_reason="too wide")
    yield "older and miscounted", output(good.replace("**Answer:**", "**Answer**:").replace("_count: 1", "_count: 9"))
    if others:
        yield "one dropped", output(without_first, dropped=[{"origin": origin, "reason": "known"}])
    yield "lost", output(good.replace(f"_Consolidated from: {origin}_\n", ""))
    yield "answered", output(good.replace("**Answer:**", "**Answer:** As the recommendation says, of course", 1))
    yield "renumbered", output(good.replace("### Q", "### Q10"))
    if known:
        yield "renamed", output(good.replace(f": {known}", ": Something else", 1))
    yield "twice", output(good, dropped=[{"origin": origin, "reason": "known"}])
    yield "strange origin", output(good, dropped=[{"origin": "Nobody Q1", "reason": "known"}])
    yield "hedged scope", output(questions(named, start, scope_recommendation="yes"))
    if " [MUST ANSWER]" in good:
        yield "no must", output(good.replace(" [MUST ANSWER]", "", 1))
    yield "early", output(good + "\n## Needs Clarification\n\n### Critical Gap: Already\n\n**Answer:**\n")
    yield "without sections", output("\n".join(line for line in good.split("\n") if not line.startswith("## ")))
    yield "empty", output("# Research Clarifications\n")
    yield "malformed", MALFORMED


def analyst(start: StartTurn) -> Named:
    def against(*sources: str) -> str:
        found = {"sources": sources, "title": "Both cannot hold", "note": "One excludes the other"}
        return json.dumps({"contradictions": [found]})

    clear = [one["question_id"] for one in start.notes["evaluation"]["per_question"] if one["verdict"] == "clear"]
    yield "good", json.dumps({"contradictions": []})
    yield "contradiction", against(*clear[:2])
    yield "unclear side", against(clear[0], "Q99")
    yield "one side", against(clear[0], clear[0])
    yield "malformed", MALFORMED


def refiner(start: StartTurn) -> Named:
    def output(*pairs: tuple[str, str]) -> str:
        rest = {"why": "it is not clear", "choices": ["Yes", "No"], "recommendation": "A — as it is done today"}
        return json.dumps({"refinements": [{"parent": key, "title": title, **rest} for key, title in pairs]})

    given = [str(item["id"]) for item in start.notes["items"]]
    good = [(key, f"More on {key}") for key in given]
    yield "good", output(*good)
    yield "two each", output(*good, *((key, f"Still more on {key}") for key in given))
    yield "the same for all", output(*((key, "The same") for key in given))
    yield "none", output()
    yield "four", output(*((key, f"Point {n} of {key}") for key in given for n in range(4)))
    yield "stranger", output(*good, ("Q99", "Whatever"))
    yield "tagged", output(*((key, f"More on {key} [MUST ANSWER]") for key in given))
    yield "malformed", MALFORMED


def decided(entry: Mapping[str, Any], status: str) -> Decision:
    """One entry as a good agent writes it: its words follow from the answers that it was given."""
    sources, answers = tuple(entry["sources"]), dict(entry["answers"])
    said = "; ".join(f"{key}: {text}" for key, text in answers.items()) + entry["settled"]
    return Decision(
        id=entry["id"], title=entry["title"], sources=sources, section=entry["section"], answers=answers,
        status=status, decision="It is so", reasoning=f"because of {said}", implication="It can be built",
        contradiction=f"{' and '.join(sources)} disagree" if status == "conflict-resolved" else "",
        note="a person has to answer it", settled=entry["settled"],
    )  # fmt: skip


def confirmer(start: StartTurn) -> Named:
    def output(entries: Iterable[Decision]) -> str:
        return json.dumps({"decisions": de.render(list(entries), {"decision_count": 99})})

    asked = start.notes["entries"]
    good = [decided(one, one["allowed"][0]) for one in asked]
    first, rest = good[0], good[1:]
    yield "good", output(good)
    yield "other status", output(decided(one, one["allowed"][-1]) for one in asked)
    yield "dropped", output(rest) if rest else MALFORMED
    yield "renamed", output([replace(first, id="D990"), *rest])
    yield "other title", output([replace(first, title="Something else"), *rest])
    yield "unknown", output([*good, replace(first, id="D991", sources=("Q1", "Q2", "Q3"))])
    yield "twice", output([*good, first])
    yield "source left out", output([replace(first, sources=("Q99",)), *rest])
    yield "still draft", output(replace(one, status="draft") for one in good)
    yield "unearned", output(replace(one, status="resolved") for one in good)
    yield "passed through", output(replace(one, decision="", reasoning="", implication="", note="") for one in good)
    both = [
        decided({**one, "sources": sorted({*one["sources"], *asked[0]["sources"], *asked[-1]["sources"]})},
                "conflict-resolved")
        for one in asked
    ]  # fmt: skip
    yield "in conflict", output(both)
    yield "one-sided", output(replace(one, contradiction="Q1 and itself") for one in both)
    yield "words of before", output(replace(one, reasoning="because of Q1: This one") for one in good)
    yield "malformed", MALFORMED


def outputs(asked: Sequence[Asked], start: StartTurn) -> Named:
    """Everything that an agent may say for this turn, in a world of these questions."""
    match start.agent:
        case "dimension-researcher":
            return researcher(asked, start)
        case "consolidate-research":
            return consolidator(asked, start)
        case "detailed-research":
            return analyst(start)
        case "section-refiner":
            return refiner(start)
        case _:
            return confirmer(start)


# --- what people may do -----------------------------------------------------------------------------------------------


def answers(state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """Every option; where it is offered to begin again somewhere, each place, and one that is not offered.

    The scope is narrowed once: every pass has files of its own, so a world with any number of them has no end.
    """
    yield "something else", "launch", {}
    for option in ask.options:
        if option != "narrow" or inquiry.own_of(state).passes == 1:
            yield option, option, {"note": "deals only"} if option == "narrow" else {}
    yield from ((f"resume from {step}", "resume", {"from": step}) for step in (*ask.notes.get("from", ()), "nowhere"))


@dataclass(frozen=True, slots=True)
class Here:
    """What a person who edits has before them."""

    state: State
    questions: Clarifications | None
    decisions: Decisions | None


def before_them(state: State, shelf: Shelf) -> Here:
    return Here(state, inquiry.clarifications_of(state, shelf), inquiry.decisions_of(state, shelf))


Editor = Callable[[Here], Edits]

CLEAR, VAGUE, EMPTY = "B, and only that one", "not sure", ""


def answering(key: str, *said: str) -> Editor:
    """Each of these as the answer of a question, refinement or entry."""

    def edits(here: Here) -> Edits:
        for text in said:
            if here.questions and here.questions.item(key):
                yield f"{key} says {text!r}", {QUESTIONS: cl.with_answers(here.questions, {key: text})}

    return edits


def scope(*values: bool) -> Editor:
    """The scope recommendation, set by hand."""

    def edits(here: Here) -> Edits:
        for value in values:
            if here.questions:
                text = cl.with_front(here.questions.text, {"scope_recommendation": value})
                yield f"scope_recommendation: {value}", {QUESTIONS: text}

    return edits


def without(key: str) -> Editor:
    """A question or refinement removed by hand."""

    def edits(here: Here) -> Edits:
        item = here.questions.item(key) if here.questions else None
        if here.questions and item:
            start, end = item.span
            yield f"{key} removed", {QUESTIONS: here.questions.text[:start] + here.questions.text[end:]}

    return edits


def replaced(path: str, old: str, new: str, label: str) -> Editor:
    """Words of a file, changed by hand wherever they stand."""

    def edits(here: Here) -> Edits:
        doc = here.questions if path == QUESTIONS else here.decisions
        if doc and old in doc.text and new not in doc.text:
            yield label, {path: doc.text.replace(old, new, 1)}

    return edits


def removed(path: str) -> Editor:
    """A whole file, removed."""
    return lambda here: [(f"{path.rsplit('/', 1)[-1]} removed", {path: None})] if path in here.state.docs else []


def written(path: str, **texts: str) -> Editor:
    """Whole texts of a source or of the config."""
    return lambda _here: [(label.replace("_", " "), {path: text}) for label, text in texts.items()]


def at(steps: str, *editors: Editor) -> Editor:
    """Edits in these steps only: a world in which everything is edited everywhere is too large."""
    edits = all_of(editors)
    return lambda here: edits(here) if inquiry.own_of(here.state).step in steps.split() else ()


def all_of(editors: Sequence[Editor]) -> Editor:
    def edits(here: Here) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        for editor in editors:
            yield from editor(here)

    return edits
