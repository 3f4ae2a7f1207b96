"""A small firm with its foundation documents and ideas, and a loop that does what the workflow does between the turns.

The documents are honest and written as firms write: a sentence too long, a word that their own voice avoids, praise
that nothing proves. So the first drafts have real faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.workflow import Assignment
from signoff.workflows.content.players import PLAYERS

AT = "2026-11-16T09:00:00+08:00"

POSITIONING = """\
# Positioning

## For whom

Owners of pottery studios with 2 to 6 kilns who share them with members. It is not for factories.

## Problem

The kiln list hangs on a door, members text at night, and nobody knows on Friday which kiln is free, who loaded it last,
what cone it is set to, or whether the glaze firing that was promised for Saturday can start before the bisque load of
the evening class has cooled, so the owner drives to the studio twice. Shelves stand empty while members wait. Members
who wait leave in spring. Owners told us that they plan firings on Sunday evening, on paper, at the kitchen table, with
messages of the whole week beside them, and every change on Monday starts it again from the beginning.

## Why us

Kilnbook is the best platform to leverage shared kilns: members book shelf space instead of kilns, and the program
fills each firing. Our solution was made with 4 studios and leaves out what factories need.

## Proof

- Kilns ran 31 percent fuller, mean of 12 studios (kiln logs, January to June 2026)
- Planning a week of firings took 20 minutes instead of 90 minutes (diaries of 9 owners, May 2026)
- 214 studios use Kilnbook (contract list, 1 October 2026)

## Alternatives

- List on the door: everybody can read it in the studio; nobody can read it at home.
- Spreadsheet: costs nothing; two members can still take the same shelf.

## Features

- Shelf booking: Members book a shelf for a cone, and a full kiln cannot be booked again.
- Firing plan: You see for each kiln what is loaded, what waits and when it has cooled.
- Messages: Members hear when their pots are out, without a word from you.
- Kiln costs: Each firing is shared out by shelf, and you check and send the bill.

## Objections

- Our members do not like apps: They book by message too, and you see it in the same plan.
- What if a kiln breaks?: You close the kiln, and its bookings move to the next firing at the same cone.
- Who types in our kilns?: You do, in about 15 minutes, and we look it over on the same day.

## Call to action

[Plan your next firing with Kilnbook](https://kilnbook.example/start)

## Price

- €29 a month for a studio, excluding VAT
- 30-day trial, no card
"""

VOICE = """\
# Brand voice

## Words we use

- firing: one go of a kiln
- shelf: what a member books
- studio: the firm that pays us

## Words we avoid

- platform: program
- solution: program
- users: members
- seamless: quiet
"""

SEO = """\
# SEO strategy

## Keywords

- kiln booking software
- pottery studio software
- shared kiln schedule

## Limits

- title: 60 characters
- description: 155 characters
"""

SOCIAL = """\
# Social-media strategy

## Limits

- post: 300 characters
- tags: 2
"""

DOCS = {
    "positioning": POSITIONING,
    "brand-voice": VOICE,
    "seo-strategy": SEO,
    "social-media-strategy": SOCIAL,
}

IDEAS: dict[str, dict[str, Any]] = {
    "website": {
        "id": "spring-page",
        "title": "Fuller kilns before the spring term",
        "audience": "Owners of pottery studios who share kilns",
        "facts": [
            "Spring term begins on 1 March 2027.",
            "A studio with 3 kilns is set up in 2 working days (set-up records, 2026).",
            "Kilnbook runs in the browser and by message.",
        ],
        "body": "# Notes\n\nThe flyer says we are revolutionary. Please do not.\n",
    },
    "blog-post": {
        "id": "empty-shelves",
        "title": "Why shelves stay empty in a shared kiln",
        "audience": "Owners of pottery studios",
        "facts": [
            "In 12 studios 4 of 10 shelves were empty in an average firing (kiln logs, autumn 2025).",
            "Half of the empty shelves were promised to a member who did not come (kiln logs, autumn 2025).",
            "Studios that let members book shelves filled 8 of 10 shelves (kiln logs, spring 2026).",
        ],
        "body": (
            "A kiln that is half empty costs as much as a full one. Everybody in a studio knows that. Yet we leverage"
            " the kiln list on the door, where a name stands for a whole kiln.\n\nIn order to fill a kiln, somebody has"
            " to know on Thursday who comes on Friday.\n"
        ),
    },
    "social-post": {
        "id": "four-of-ten",
        "title": "4 of 10 shelves go into the fire empty",
        "audience": "Owners of pottery studios",
        "facts": [
            "We leveraged kiln logs of 12 studios from autumn 2025.",
            "Half of the empty shelves were promised to somebody who did not come.",
        ],
        "body": "",
    },
}

AUTHOR_DOCS = {
    "website": ["positioning", "brand-voice", "seo-strategy"],
    "blog-post": ["positioning", "brand-voice", "seo-strategy"],
    "social-post": ["positioning", "brand-voice", "social-media-strategy"],
    "newsletter": ["positioning"],
}

CRITICS: dict[str, dict[str, list[str]]] = {
    "website": {
        "oli-gardner": ["positioning", "design-principles"],
        "joanna-wiebe": ["positioning", "brand-voice"],
        "shirin-oreizy": ["positioning", "design-principles"],
        "copywriter": ["brand-voice"],
        "seo-specialist": ["seo-strategy"],
        "proof-auditor": ["positioning", "strategy"],
    },
    "blog-post": {
        "narrative-editor": ["positioning", "brand-voice"],
        "proof-auditor": ["positioning", "strategy"],
        "seo-specialist": ["seo-strategy"],
        "plain-language-editor": ["brand-voice", "positioning"],
    },
    "social-post": {
        "social-editor": ["social-media-strategy", "brand-voice"],
        "community-builder": ["social-media-strategy", "strategy"],
        "proof-auditor": ["positioning", "strategy"],
    },
}


@dataclass
class Table:
    """A desk in memory: the documents, one draft, and turns played one by one."""

    kind: str
    docs: Mapping[str, str] = field(default_factory=lambda: DOCS)
    idea: Mapping[str, Any] | None = None
    draft: str = ""

    @property
    def files(self) -> dict[str, bytes]:
        documents = {f"foundation/{doc}.md": text.encode() for doc, text in self.docs.items()}
        return {**documents, "content/x/content.md": self.draft.encode()}

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise UsageError(f"{path!r} is no input of this turn")
        return self.files[path]

    def raw(self, agent: str, notes: Mapping[str, Any]) -> str:
        start = StartTurn(key=agent, agent=agent, contract=agent, task="", reads=tuple(self.files), notes=notes)
        return PLAYERS[agent](Assignment(start=start, brief="", params={}, at=AT), self)

    def play(self, agent: str, notes: Mapping[str, Any]) -> Any:
        return yamlio.load(self.raw(agent, notes), "output")

    def write(self, task: str = "draft", **more: Any) -> Any:
        """The author's turn; the draft becomes what it gives."""
        notes = {
            "task": task,
            "type": self.kind,
            "round": 1,
            "limit": 4,
            "idea": self.idea or IDEAS[self.kind],
            "advisor": {"id": "julian-shapiro", "name": "Julian Shapiro"},
            "framework": "landing-page-assembly" if self.kind == "website" else None,
            "docs": AUTHOR_DOCS[self.kind],
            **more,
        }
        output = self.play("author", notes)
        self.draft = output["content"]
        return output

    def revise(self, brief: Sequence[Mapping[str, Any]], **more: Any) -> Any:
        return self.write("revise", draft="content/x/content.md", brief=list(brief), doNotRegress=[], **more)

    def critique(self, advisor: str, docs: Sequence[str], expertise: str = "", **more: Any) -> Any:
        notes = {
            "round": 1,
            "limit": 4,
            "type": self.kind,
            "advisor": {"id": advisor, "name": advisor, "expertise": expertise, "doesNotEvaluate": ""},
            "emphasis": "",
            "minimum": 4,
            "doNotRegress": [],
            "draft": "content/x/content.md",
            "docs": list(docs),
            **more,
        }
        return self.play("critic", notes)

    def critiques(self, **more: Any) -> dict[str, Any]:
        return {name: self.critique(name, docs, **more) for name, docs in CRITICS[self.kind].items()}


def brief_of(critiques: Mapping[str, Any]) -> list[dict[str, str]]:
    """The items of a round, high then medium, as the rubric lists them."""
    items = [
        {"advisor": name, "name": name, **issue}
        for severity in ("high", "medium")
        for name, critique in critiques.items()
        for issue in critique["issues"]
        if issue["severity"] == severity
    ]
    return [{"id": f"I-{number:03}", **item} for number, item in enumerate(items, 1)]


def average(critiques: Mapping[str, Any]) -> float:
    return sum(critique["score"] for critique in critiques.values()) / len(critiques)
