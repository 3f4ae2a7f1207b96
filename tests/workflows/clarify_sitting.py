"""A small stage for the role players of clarify.

`Sitting` does between the turns what the workflow does, with the real contracts and the real checks, and nothing more:
a player that gives something the contracts refuse fails the test at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from signoff.artifacts import yamlio
from signoff.core.commands import StartTurn
from signoff.core.errors import UsageError
from signoff.core.events import TurnReturned
from signoff.core.findings import Finding
from signoff.core.refs import Parse, Ref, digest
from signoff.core.state import OpenTurn, State
from signoff.core.workflow import Assignment, Now
from signoff.workflows.clarify import authority, inquiry, merge, notes, outputs
from signoff.workflows.clarify import clarifications as cl
from signoff.workflows.clarify import decisions as de
from signoff.workflows.clarify.clarifications import Clarifications, Draft
from signoff.workflows.clarify.config import DIMENSIONS, Dimension
from signoff.workflows.clarify.evaluation import Evaluation, evaluate
from signoff.workflows.clarify.inquiry import Inquiry
from signoff.workflows.clarify.players import PLAYERS

T = TypeVar("T")
NAME = "inquiry"
EXAMPLE = Path(__file__).parents[2] / "examples" / "sales-pipeline"


@dataclass
class Sitting:
    """A project in memory, and an inquiry played turn by turn."""

    files: dict[str, bytes]
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    own: Inquiry = field(default_factory=lambda: Inquiry(step="research", name=NAME, topic="the topic"))
    conflicts: tuple[merge.Conflict, ...] = ()
    corrected: tuple[Finding, ...] = ()

    # --- what the players see ---

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise UsageError(f"{path!r} is no input of this turn")
        return self.files[path]

    def look(self, ref: Ref, parse: Parse[T], /) -> T:
        return parse(self.files[ref.path], ref.path)

    def start(self, agent: str, given: Mapping[str, Any]) -> StartTurn:
        pinned = tuple(Ref(path, digest(data)) for path, data in sorted(self.files.items()))
        return StartTurn(key=agent, agent=agent, contract=agent, task="", notes=given, pinned=pinned)

    def raw(self, agent: str, given: Mapping[str, Any]) -> str:
        return PLAYERS[agent](Assignment(start=self.start(agent, given), brief="", params={}, at=""), self)

    def play(self, agent: str, given: Mapping[str, Any], parse: Any, check: Any) -> Any:
        """One turn: what the player gives is read and checked as the workflow would, and must stand."""
        output = parse(self.raw(agent, given).encode(), "output.yaml")
        state = State(docs={path: digest(data) for path, data in self.files.items()}, own=self.own)
        event = TurnReturned(id="1", at="", by="", turn="0001", attempt=1, output=Ref("output.yaml", ""))
        now = Now(state=state, event=event, look=self.look, turn=OpenTurn(start=self.start(agent, given)))
        assert list(check(now, output)) == []
        return output

    # --- the documents ---

    @property
    def path(self) -> str:
        return inquiry.clarifications(NAME)

    @property
    def doc(self) -> Clarifications:
        return cl.parse_doc(self.files[self.path], self.path)

    @property
    def decisions(self) -> de.Decisions | None:
        path = inquiry.decisions(NAME)
        return de.parse_doc(self.files[path], path) if path in self.files else None

    def put(self, text: str) -> None:
        self.files[self.path] = text.encode()
        assert self.doc.problems == ()
        self.own = replace(self.own, evaluation=self.evaluation).showing(self.doc)

    @property
    def evaluation(self) -> Evaluation:
        return evaluate(self.doc)

    def answer(self, answers: Mapping[str, str]) -> None:
        self.put(cl.with_answers(self.doc, {key: text for key, text in answers.items() if text}))

    # --- the steps ---

    def research(self, scope: str | None = None) -> dict[str, outputs.ResearcherOutput]:
        found = {one.name: self.research_one(one, scope) for one in self.dimensions}
        origins = dict[str, str]()
        for one in self.dimensions:
            self.files[inquiry.research(NAME, one.name)] = notes.render(one, found[one.name]).encode()
            origins |= notes.origins(one, found[one.name])
        self.own = replace(self.own, origins=origins)
        return found

    def research_one(self, one: Dimension, scope: str | None = None) -> outputs.ResearcherOutput:
        everybody = [each.plain() for each in self.dimensions]
        given = {"name": NAME, "topic": "the topic", "dimension": one.plain(), "dimensions": everybody, "scope": scope}
        found = self.play(
            "dimension-researcher", given, outputs.parse_researcher, authority.check_researcher
        )  # fmt: skip
        assert isinstance(found, outputs.ResearcherOutput)
        return found

    def consolidate(self, most: int = 40) -> outputs.ConsolidatorOutput:
        keep = {key: title for key, title in self.own.shown.items() if key.startswith("Q")}
        given = {
            "name": NAME,
            "topic": "the topic",
            "origins": list(self.own.origins),
            "keep": keep,
            "next": max((int(key[1:]) for key in keep), default=0) + 1,
            "path": self.path,
            "most": most,
        }
        made = self.play(
            "consolidate-research", given, outputs.parse_consolidator, authority.check_consolidator
        )  # fmt: skip
        before = self.doc if self.path in self.files else None
        repaired = authority.consolidated(self.own, made, before)
        assert repaired.fixed == ()
        self.put(repaired.text)
        assert isinstance(made, outputs.ConsolidatorOutput)
        return made

    def detail(self) -> tuple[outputs.Contradiction, ...]:
        given = {"evaluation": self.evaluation.plain(), "path": self.path}
        found = self.play("detailed-research", given, outputs.parse_analyst, authority.check_analyst)
        self.conflicts = tuple(
            merge.Conflict(
                sources=tuple(one.sources), title=one.title, note=one.note, reconciliation=one.reconciliation
            )
            for one in found.contradictions
        )
        drafts = merge.drafted(self.doc, self.evaluation, self.conflicts)
        front = {"status": "draft", "decision_count": len(drafts)}
        self.files[inquiry.decisions(NAME)] = de.render(drafts, front).encode()
        return tuple(found.contradictions)

    def refine(self, *, deeper: bool = False) -> list[outputs.Refinement]:
        doc, judged = self.doc, self.evaluation
        items = [item for item in (doc.refinements if deeper else doc.questions) if judged.of(item.key) != "clear"]
        made = list[outputs.Refinement]()
        for section in dict.fromkeys(item.section for item in items):
            here = [{"id": item.key, "verdict": judged.of(item.key)} for item in items if item.section == section]
            given = {"section": section, "items": here, "evaluation": judged.plain(), "path": self.path}
            found = self.play("section-refiner", given, outputs.parse_refiner, authority.check_refiner)
            made += found.refinements
        self.put(cl.with_refinements(doc, _numbered(doc, made)))
        if not deeper:
            self.put(cl.with_entries(self.doc, merge.entries_for(doc, judged, self.conflicts)))
        return made

    def confirm(self) -> de.Decisions:
        wanted = merge.expected(self.doc, self.evaluation, self.decisions)
        given = {
            "entries": [one.plain() for one in wanted],
            "round": 1,
            "path": self.path,
            "decisions": inquiry.decisions(NAME),
            "only": False,
        }
        made = self.play("confirm-decisions", given, outputs.parse_confirm, authority.check_confirm)
        found = de.parse(made.decisions)
        self.corrected = merge.settled(found, wanted)[1]
        assert merge.front_findings(found, found.entries, 1) == ()
        return found


def _numbered(doc: Clarifications, made: list[outputs.Refinement]) -> dict[str, list[tuple[str, Draft]]]:
    drafts = dict[str, list[Draft]]()
    for one in made:
        draft = Draft(
            title=one.title, body=one.why, choices=tuple(one.choices), recommendation=one.recommendation
        )  # fmt: skip
        drafts.setdefault(one.parent, []).append(draft)
    return {key: list(zip(cl.next_ids(doc, key, len(ones)), ones, strict=True)) for key, ones in drafts.items()}


def brief(text: str, **more: str) -> Sitting:
    """A project with this brief, and other sources by name."""
    others = {f"0-sources/{name.replace('_', '.')}": body.encode() for name, body in more.items()}
    return Sitting({"0-sources/brief.md": text.encode(), **others})


def example() -> Sitting:
    """The sources of examples/sales-pipeline."""
    found = (path for path in (EXAMPLE / "0-sources").rglob("*") if path.is_file())
    return Sitting({path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in found})


def example_answers(name: str) -> dict[str, str]:
    """One of the example's answer files."""
    return yamlio.load_mapping((EXAMPLE / "answers" / f"{name}.yaml").read_text("utf-8"), name)
