"""A world small enough to enumerate: two critics, one revision, and everything that agents and people may do in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from signoff.core.commands import Ask, StartTurn, Write
from signoff.core.state import State
from signoff.testing.explorer import Alphabet, Explorer, Graph, Way
from signoff.workflows.content import rubric
from signoff.workflows.content.state import APPROVED, Piece, draft_path, latest, own_of
from signoff.workflows.content.steps.toolbox import CRITIQUE, DECIDE, DRAFT, LOAD, REVISE, SAVE, SUMMARIZE
from signoff.workflows.content.workflow import WORKFLOW

ONE, TWO = "ada", "ben"
NAME = "small"
DRAFT_FILE = draft_path(NAME)
ADVISOR = """\
---
id: {id}
name: {id}
role: critic
evaluationExpertise: {expertise}
contextDocs: [brand-voice]
---
Look at it.
"""
RECIPE = """\
contentType: small
authorAdvisor: copywriter
authorContextDocs: [brand-voice]
namedCritics: [{named}]
evaluationNeeds: everything
minAggregateScore: 5
maxRevisionRounds: {rounds}
"""


def documents(*named: str, rounds: int = 1, at_once: int = 2) -> dict[str, str]:
    """A project with a recipe, its critics and the document that they need."""
    return {
        "recipes/small.yaml": RECIPE.format(named=", ".join(named), rounds=rounds),
        **{f"advisors/{name}.md": ADVISOR.format(id=name, expertise="words") for name in (ONE, TWO)},
        "foundation/brand-voice.md": "# Voice\n",
        "ideas/small.md": "---\nid: small\ntitle: Small\n---\n",
        "_workflow/content/config.yaml": f"critics_at_once: {at_once}\nmore_critics: 1\n",
    }


def said(score: int, *severities: str) -> str:
    """What a critic gives back."""
    issues = [{"severity": one, "description": f"the {one} thing", "suggestion": "mend it"} for one in severities]
    return json.dumps({"score": score, "issues": issues, "clean": ["layout"]})


SAID = {"good": said(8), "fair": said(4, "medium"), "poor": said(3, "medium"), "high": said(8, "high"), "broken": "{"}
ENDS = {"saved": json.dumps({"status": "saved"}), "waiting": json.dumps({"status": "waiting"}), "broken": "{"}
CALLS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("draft", DRAFT, {}),
    ("draft of another idea", DRAFT, {"ideaId": "stolen"}),
    ("all", CRITIQUE, {}),
    ("one", CRITIQUE, {"advisorIds": [ONE]}),
    ("two", CRITIQUE, {"advisorIds": [TWO]}),
    ("nobody", CRITIQUE, {"advisorIds": ["zoe"]}),
    ("decide", DECIDE, {}),
    ("decide on invented critiques", DECIDE, {"critiques": [{"advisorId": ONE, "score": 10}]}),
    ("summarize", SUMMARIZE, {}),
    ("summarize another round", SUMMARIZE, {"round": 7}),
    ("summarize another decision", SUMMARIZE, {"decision": "blocked"}),
    ("revise", REVISE, {"brief": "as you like"}),
    ("save approved", SAVE, {"quality": APPROVED}),
    ("save at limit", SAVE, {"quality": "max-rounds-reached"}),
    ("load", LOAD, {}),
    ("load what is not there", LOAD, {"docTypes": ["secrets"]}),
    ("approve", "approve", {}),
)


@dataclass
class World:
    """What may happen; `say` and `calls` narrow it, so that other sides can be looked at in full."""

    named: tuple[str, ...] = (ONE, TWO)
    rounds: int = 1
    at_once: int = 2
    say: tuple[str, ...] = ("good", "fair", "high", "broken")
    ends: tuple[str, ...] = ("saved",)
    author: tuple[str, ...] = ("good",)
    selector: tuple[str, ...] = ("none",)
    crashes: bool = False
    edits: Mapping[str, str | None] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def explore(self, limit: int = 60_000) -> tuple[Explorer, Graph]:
        alphabet = Alphabet(
            outputs=self._outputs,
            answers=_answers,
            edits=self._edits,
            calls=lambda _state, start: CALLS if start.agent == "orchestrator" else (),
            failures=(("crash", ()),) if self.crashes else (),
        )
        explorer = Explorer(WORKFLOW, alphabet, key, visit=self._visit)
        params = {"type": "small", "slug": NAME}
        graph = explorer.explore(params, documents(*self.named, rounds=self.rounds, at_once=self.at_once), limit=limit)
        return explorer, graph

    def _outputs(self, _state: State, start: StartTurn) -> Iterable[tuple[str, str]]:
        match start.agent:
            case "critic":
                return [(one, SAID[one]) for one in self.say]
            case "orchestrator":
                return [(one, ENDS[one]) for one in self.ends]
            case "author":
                texts = {"good": json.dumps({"content": "# Words"}), "broken": "{"}
                return [(one, texts[one]) for one in self.author]
        chosen = {"none": [], "ben": [TWO], "stranger": ["zoe"], "broken": None}
        return [(one, "{" if chosen[one] is None else json.dumps({"advisorIds": chosen[one]})) for one in self.selector]

    def _edits(self, state: State) -> Iterable[tuple[str, Mapping[str, str | None]]]:
        if own_of(state).chosen:
            yield from ((label, {DRAFT_FILE: text}) for label, text in self.edits.items())

    def _visit(self, way: Way) -> None:
        self.broken += [f"{way.label}: {problem}" for problem in broken(way)]


def _answers(_state: State, ask: Ask) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    return [(option, option, {}) for option in ask.options]


def key(state: State) -> Any:
    """States that differ only in what never decides anything are one: numbers of turns and calls, words, time."""
    piece = own_of(state)
    turns = {
        (one.start.key, one.invalid, one.crashed, _stale(state, one.start)): _waits(piece, one.start)
        for one in state.turns.values()
    }
    return repr(
        (
            piece.chosen, piece.critics, _rounds(piece), piece.revisions, _issues(piece), piece.doing, piece.queue,
            piece.retried, bool(piece.blocked), piece.saved, bool(piece.stopped), piece.edited_since,
            sorted(turns.items()), sorted(ask.key for ask in state.requests.values()), state.stop,
            state.docs.get(DRAFT_FILE),
        )
    )  # fmt: skip


def _rounds(piece: Piece) -> list[Any]:
    """The rounds of this go: what was said in earlier ones is history."""
    return [
        (one.of, [replace(critique, round=0) for critique in one.ran], one.decision, one.recorded)
        for one in piece.rounds[piece.before :]
    ]


def _issues(piece: Piece) -> list[Any]:
    return sorted({(one.advisor, one.severity, one.description, one.status) for one in piece.issues})


def _stale(state: State, start: StartTurn) -> bool:
    return any(state.docs.get(ref.path) != ref.sha256 for ref in start.pinned)


def _waits(piece: Piece, start: StartTurn) -> bool:
    return any(call.turn == start.turn and call.attempt == start.attempt for call in piece.calls)


def broken(way: Way) -> list[str]:
    """What must never be, asked of every single way."""
    piece, before = own_of(way.after), own_of(way.before)
    found: list[str] = []

    def never(wrong: bool, what: str) -> None:
        if wrong:
            found.append(what)

    counted = latest(piece)
    now = piece.round
    decided = now.decision if now else None
    never(piece.revisions > piece.most_rounds - piece.before - 1, "more revisions than allowed")
    never(len(piece.rounds) > piece.most_rounds, "more rounds than shown")
    if piece.saved and not before.saved:
        never(decided is None or now is None or not now.recorded, "saved without a decision and a summary")
        never(piece.saved == APPROVED and (decided is None or decided.verdict != "approve"), "approved by nobody")
        never(
            piece.saved != APPROVED and piece.revisions < piece.most_rounds - piece.before - 1,
            "at the limit before the limit",
        )
    if piece.saved == APPROVED:
        never(any(one.is_open and one.severity == "high" for one in piece.issues), "approved with an open high issue")
        never(any(one.high for one in counted.values()), "approved although a newest critique has a high issue")
        never(set(counted) != set(piece.critics), "approved without having asked everybody")
        never(not any(one.score is not None for one in (now.ran if now else ())), "approved where every critic failed")
        never(not piece.critics, "approved without critics")
    if decided and decided.reason == rubric.OSCILLATION and now is not None:
        scored = [one.score for round_ in (now, piece.last) for one in (round_.ran if round_ else ()) if one.score]
        never(len(scored) < 2 * len(piece.critics), "a subset, or a failure, tripped the guard")
    writes = [command for done in way.decisions for command in done.commands if isinstance(command, Write)]
    never(any(one.path.startswith("content/") for one in writes) and not piece.saved, "content without a save")
    never(way.after.stop == "complete" and piece.saved != APPROVED, "complete without an approval")
    return found
