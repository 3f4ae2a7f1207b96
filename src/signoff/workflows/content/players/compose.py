"""The first draft: what the documents and the idea say, in the order of the form, and not a fact more.

It is honest and plain. Sentences of the positioning stand as they are, the headline holds all that could be said in it,
figures stand without their sources, one objection is met, and the button says `Get started`: what critics are for. The
author's own words are headings, buttons and questions that state nothing about the product.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from signoff.artifacts.markdown_spans import squeeze
from signoff.workflows.content.players.desk import Idea
from signoff.workflows.content.players.edits import capitalised
from signoff.workflows.content.rules.foundation import Action, Foundation, parse, proof_of
from signoff.workflows.content.rules.load import POST_CHARS
from signoff.workflows.content.rules.piece import POST, WEBSITE
from signoff.workflows.wording import plain, sentences

BUTTON: Final = "Get started"
START: Final = "#start"
COST: Final = "What does it cost?"
HEADINGS: Final = {
    "problem": "The problem today",
    "features": "What you get",
    "how-it-works": "How it works",
    "audience": "Who it is for",
    "objections": "Before you decide",
    "final-cta": "Ready to start",
    "faq": "Questions and answers",
}
ARTICLE: Final = {
    "today": "What lies behind it",
    "figures": "What the figures say",
    "against": "What speaks against it",
    "help": "What helps",
    "next": "What you can do",
}
MOST_FEATURES: Final = 6

# A line that Markdown would take for something else than a paragraph.
_LAYOUT: Final = re.compile(
    r"(?=#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|```|~~~|=+\s*$|-{3}|_{3}|\*{3}|<|\|)|(\d{1,9})(?=[.)](?:\s|$))"
)
# A paragraph of raw material that speaks of the text to be written is a note to the author.
_NOTE: Final = re.compile(
    r"\b(?:title|headline|draft|flyer|website|slogan|wrote|please|oversell)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Subject:
    """What a text is made from."""

    kind: str
    idea: Idea
    base: Foundation

    @property
    def action(self) -> Action:
        return self.base.action or Action(BUTTON, START)

    def figures(self) -> list[str]:
        """What the positioning proves, without the sources."""
        return [sentence(proof_of(line).claim) for line in self.base.said("Proof")]


def draft(subject: Subject) -> str:
    """A first draft of any kind, never empty."""
    made = {WEBSITE: _page, POST: _post}.get(subject.kind, _article)(subject)
    blocks = [block for block in made if block.strip()]
    return "\n\n".join(blocks) + "\n"


def sentence(text: str) -> str:
    """The text with a stop at its end."""
    stripped = squeeze(text)
    return stripped if not stripped or stripped[-1] in '.!?…:。！？”"' else f"{stripped}."


def paragraph(*texts: str) -> str:
    """Sentences in a row, safe at the beginning of a line."""
    line = " ".join(said for text in texts if (said := sentence(text)))
    return (
        _LAYOUT.sub(lambda found: f"{found.group(1)}\\" if found.group(1) else "\\", line, count=1)
        if _LAYOUT.match(line)
        else line
    )


def heading(level: int, text: str) -> str:
    return f"{'#' * level} {squeeze(text) or '…'}"


def button(action: Action, label: str = "") -> str:
    said = squeeze(label or action.label).replace("[", "(").replace("]", ")").strip() or BUTTON
    return f"[{said}]({action.url or START})"


def mark(section: str) -> str:
    return f"<!-- section: {section} -->"


def question(asked: str, answer: str) -> Iterator[str]:
    yield heading(3, asked)
    yield paragraph(capitalised(squeeze(answer)))


def first_sentence(lines: Iterable[str]) -> str:
    return next((said for line in lines for said in sentences(line)), "")


def headline(subject: Subject) -> str:
    """All that could be said in it: the title and the first sentence of `Why us`."""
    parts = (subject.idea.title.rstrip(" ."), first_sentence(subject.base.said("Why us")).rstrip(" ."))
    return plain(": ".join(part for part in parts if part)) or subject.idea.title or "…"


# --- the landing page -------------------------------------------------------------------------------------------------


def _page(subject: Subject) -> Iterator[str]:
    base = subject.base
    yield from (mark("hero"), heading(1, headline(subject)), paragraph(*subject.figures()[:2]))
    yield button(subject.action, BUTTON)
    for name, blocks in rooms(subject).items():
        yield from _section(name, blocks)
    yield from (mark("meta"), *meta_lines(headline(subject), " ".join(base.said("Why us")) or subject.idea.title))


def rooms(subject: Subject) -> dict[str, list[str]]:
    """The sections below the hero, each with what the material has for it."""
    base = subject.base
    made: dict[str, Iterable[str]] = {
        "problem": (paragraph(*base.said("Problem")),),
        "features": _features(subject),
        "how-it-works": _steps(subject),
        "audience": (paragraph(*base.said("For whom")),),
        "objections": (part for pair in base.objections[:1] for part in question(pair.name, pair.text)),
        "final-cta": (paragraph(*subject.idea.facts[:1]), button(subject.action)),
        "faq": _questions(subject),
    }
    return {name: [block for block in blocks if block.strip()] for name, blocks in made.items()}


def _section(name: str, blocks: Iterable[str]) -> Iterator[str]:
    """A section with its comment and heading; one without material is left out."""
    there = [block for block in blocks if block.strip()]
    if there:
        yield from (mark(name), heading(2, HEADINGS[name]), *there)


def _features(subject: Subject) -> Iterator[str]:
    yield paragraph(*subject.figures()[2:3])
    for pair in subject.base.features[:MOST_FEATURES]:
        yield from question(pair.name, pair.text)


def _steps(subject: Subject) -> Iterator[str]:
    """The steps that the documents have, or else what makes it work."""
    steps = subject.base.said("How it works") or subject.base.said("Why us")
    yield from (paragraph(step) for step in steps)


def _questions(subject: Subject) -> Iterator[str]:
    """What the idea states, as far as the page does not say it yet."""
    rest = subject.idea.facts[1:4]
    if rest:
        yield from question("What else is there to know?", " ".join(map(sentence, rest)))
    for name in subject.base.positioning.pairs("Alternatives")[:2]:
        if name.text:
            yield from question(f"{name.name.rstrip('?')} instead?", name.text)


def meta_lines(title: str, description: str) -> Iterator[str]:
    yield f"Title: {plain(title) or '…'}"
    yield f"Description: {plain(description) or '…'}"


# --- the article ------------------------------------------------------------------------------------------------------


def _article(subject: Subject) -> Iterator[str]:
    base, idea = subject.base, subject.idea
    told = _raw_material(idea.body)
    yield heading(1, plain(idea.title) or headline(subject))
    yield paragraph(*(told[:1] or base.said("Problem")[:1]))
    yield from _chapter(
        "today", [paragraph(text) for text in told[1:2] or base.said("Problem")[1:] or base.said("Problem")]
    )
    yield from _chapter("figures", map(paragraph, (*idea.facts, *subject.figures()[:1])))
    yield from _chapter("help", [*(paragraph(text) for text in told[2:]), *_helps(subject)])
    yield from _chapter("next", (button(subject.action, BUTTON),))


def _chapter(name: str, blocks: Iterable[str]) -> Iterator[str]:
    there = [block for block in blocks if block.strip()]
    if there:
        yield from (heading(2, ARTICLE[name]), *there)


def _helps(subject: Subject) -> Iterator[str]:
    if subject.base.said("Why us"):
        yield paragraph(*subject.base.said("Why us"))


def _raw_material(body: str) -> list[str]:
    """The paragraphs of the idea's own text that speak to readers and not to the author."""
    blocks = (squeeze(block.text) for block in parse(body).blocks if block.kind == "paragraph")
    return [block for block in blocks if block and not _NOTE.search(block)]


# --- the post ---------------------------------------------------------------------------------------------------------


def _post(subject: Subject) -> Iterator[str]:
    """The title and as many facts as fit, then the button."""
    most = subject.base.limit("social-media-strategy", "post") or POST_CHARS
    closing = button(subject.action, BUTTON)
    room = most - len(closing) - 3
    lines = list[str]()
    for text in (subject.idea.title, *subject.idea.facts):
        said = paragraph(plain(text))
        if said and sum(len(line) + 2 for line in lines) + len(said) <= room:
            lines.append(said)
    yield from lines or [_fitted(subject.idea.title, room)]
    yield closing


def _fitted(text: str, room: int) -> str:
    return paragraph(plain(text)[: max(1, room - 1)])
