"""Materials: what the pages of a round hold that an article can stand on, each with the words that carry it.

A quote is a run of whole sentences of one paragraph, copied. What cannot be quoted exactly is no material.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from signoff.workflows.article.players.desk import Desk, Payload
from signoff.workflows.article.players.judging import figures, placement, shared, support
from signoff.workflows.article.players.lexicon import (
    ANALOGY,
    COUNTER,
    FIRST_PERSON,
    MARKUP,
    PRACTICE,
    QUESTION,
    TROUBLE,
)
from signoff.workflows.article.players.reading import Passage, Reading, beginning
from signoff.workflows.wording import clipped

_MOST: Final = {"cases": 8, "data": 18, "expert": 9, "userVoice": 6, "debates": 4}
_PER_PAGE: Final = {"cases": 1, "data": 5, "expert": 5, "userVoice": 6, "debates": 2}
_OPENING: Final = re.compile(r"^(?:[\w-]+[:：]\s*)")
_TRAINEE: Final = re.compile(r"trainee|newbie|beginner|student|new here|学徒|新手|实习", re.IGNORECASE)
Item = dict[str, Any]


def materials(desk: Desk) -> Payload:
    name = str(desk.note("round"))
    first = sorted(desk.pages, key=lambda page: page.kind != "study")  # what was measured to know comes before the rest
    found = [item for page in first for item in list(_MINES[name](desk, page))[: _PER_PAGE[name]]]
    order = {"strong": 0, "moderate": 1, "nuance": 2, "counter": 2, "weak": 3, "neutral": 4}
    studies = {page.url for page in first if page.kind == "study"}
    found.sort(key=lambda item: (name == "data" and item["url"] not in studies, order[item["thesisSupport"]]))
    kept = found[: _MOST[name]]
    notes = [] if kept else [f"no {name} in {len(desk.pages)} pages"]
    return {"round": name, "items": kept, "notes": notes}


def _item(desk: Desk, page: Reading, passage: Passage, quote: str, group: str) -> Item:
    thesis, counter = str(desk.note("thesis")), bool(COUNTER.search(passage.heading))
    return {
        "thesisSupport": support(quote, thesis, counter=counter),
        "suggestedPlacement": placement(group, desk.type),
        "quote": quote,
        "url": page.url,
    }


def run(passage: Passage, most: int) -> str:
    """The sentences of a paragraph that can be quoted in one piece, from its beginning."""
    plain = takewhile(lambda said: not MARKUP.search(said), passage.sentences[:most])
    return beginning(passage.text, len(list(plain)))


# --- one kind each ----------------------------------------------------------------------------------------------------


def _cases(desk: Desk, page: Reading) -> Iterator[Item]:
    """A case is a page: its quote is the paragraph in which it turns out what was wrong."""
    if page.kind != "case":
        return
    thesis = str(desk.note("thesis") or desk.subject)
    turns = [one for one in page.passages[1:] or page.passages if run(one, 4)]
    if not turns:
        return
    best = _turning(turns, thesis)
    yield {
        "title": page.title,
        "summary": clipped(run(best, 2), 300),
        "suggestedUse": "hook" if TROUBLE.search(page.passages[0].text) else "evidence",
        "persuasionType": "shock-value" if figures(page.text) and TROUBLE.search(page.title) else "pattern",
        "competitorHas": False,
        **_item(desk, page, best, run(best, 4), "cases"),
    }


def _turning(passages: Sequence[Passage], thesis: str) -> Passage:
    """The first paragraph under the heading that says most about the thesis and the trouble."""
    first = {one.heading: one for one in reversed(passages)}
    weight = dict.fromkeys(first, 0.0)
    for one in passages:
        weight[one.heading] += shared(thesis, one.text) + len(TROUBLE.findall(one.text)) / 8
    return first[max(weight, key=lambda heading: (weight[heading], -first[heading].at))]


def _data(desk: Desk, page: Reading) -> Iterator[Item]:
    """Every sentence with a measured value; those of a page that only advises are nobody's measurement."""
    if page.kind in ("guide", "forum"):
        return
    for passage, said in page.sentences:
        if figures(said) and "“" not in said:
            yield {"value": _value(said), "claim": said.rstrip(".。"), **_item(desk, page, passage, said, "data")}


def _value(said: str) -> str:
    """The figure that a sentence is about: one that was written in digits before one in words."""
    written = [one for one in figures(said) if one[0].isdigit()]
    return (written or list(figures(said)))[0]


def _expert(desk: Desk, page: Reading) -> Iterator[Item]:
    """Each section of an interview or a note explains one thing."""
    if page.kind not in ("interview", "note"):
        return
    for passage in _first_of_each(page):
        quote = run(passage, 4)
        if not quote or figures(quote) or FIRST_PERSON.search(quote):
            continue  # what somebody says of themselves is a voice
        analogy = bool(ANALOGY.search(quote))
        group = "practice" if PRACTICE.search(passage.heading) else "why"
        yield {
            "concept": passage.heading or clipped(passage.sentences[0].rstrip(".。"), 60),
            "expert": page.source or page.title,
            "analogyAvailable": analogy,
            "canBorrow": ["analogy", "phrasing"] if analogy else ["phrasing"],
            **_item(desk, page, passage, quote, group),
        }


def _first_of_each(page: Reading) -> list[Passage]:
    first: dict[str, Passage] = {}
    for passage in page.passages:
        if passage.heading or page.kind == "interview" or not page.headings:
            first.setdefault(passage.heading or str(passage.at), passage)
    return list(first.values())


def _voices(desk: Desk, page: Reading) -> Iterator[Item]:
    """Posts of a forum, and what people in interviews say of themselves."""
    for passage in page.passages:
        quote = _OPENING.sub("", run(passage, 3)) if page.kind == "forum" else ""
        if page.kind == "interview" and FIRST_PERSON.search(passage.text):
            quote = run(passage, 3)
        if not quote or figures(quote):
            continue
        yield {
            "sourceType": "beginner" if _TRAINEE.search(passage.heading) else "practitioner",
            "suggestedUse": "hook" if QUESTION.search(quote) else "evidence",
            **_item(desk, page, passage, quote, "practice"),
        }


def _debates(desk: Desk, page: Reading) -> Iterator[Item]:
    """The sides of a debate, the one that is nearer to the thesis first."""
    if page.kind != "debate":
        return
    sides = [one for one in page.passages if "“" in one.text] or list(page.passages)
    thesis = str(desk.note("thesis"))
    ordered = sorted(sides, key=lambda one: (-shared(thesis, one.text), one.at)) if thesis else sides
    for number, side in enumerate(ordered):
        if quote := run(side, 3):
            yield {
                "topic": re.split(r"(?<=[?？])", page.title)[0].strip(),
                "positions": min(9, max(2, len(sides))),
                "ourPosition": ordered[0].heading or clipped(quote, 80),
                **_item(desk, page, side, quote, "debates"),
                "thesisSupport": ("counter" if number else "nuance") if thesis else "neutral",
            }


_MINES: Final[Mapping[str, Callable[[Desk, Reading], Iterator[Item]]]] = {
    "cases": _cases,
    "data": _data,
    "expert": _expert,
    "userVoice": _voices,
    "debates": _debates,
}
