"""A page played move by move on the real kernel and the real gates, over the small documents of `small_page`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import small_page as small

from signoff.core.commands import Ask, Command, StartTurn
from signoff.core.decide import Decision
from signoff.core.events import Answered, DocsChanged, Event, TurnFailed, TurnReturned
from signoff.core.findings import Finding
from signoff.core.refs import Ref
from signoff.testing.explorer import AT, Alphabet, Explorer, Shelf
from signoff.workflows.solution_page.documents.claims_registry import Claim
from signoff.workflows.solution_page.state import PageState, own_of
from signoff.workflows.solution_page.steps import authority
from signoff.workflows.solution_page.workflow import WORKFLOW

ANN = "person:ann"
LATER = "2026-01-02T08:00:00+08:00"


class Play:
    """One page: `give` what the open turn's agent says, `answer` what a person is asked, `edit` files."""

    def __init__(self, config: str = "", params: Mapping[str, Any] | None = None, **docs: str) -> None:
        self._explorer = Explorer(WORKFLOW, Alphabet(outputs=small.outputs, answers=small.answers), key=id)
        self.events: list[Event] = []
        documents = small.documents(config or small.config()) | docs
        self.state, self.decisions = self._explorer.begin({"slug": small.SLUG, **(params or {})}, documents)

    # --- moves ---

    def give(self, *outputs: str) -> Play:
        """Outputs of the agents whose turns come, one after the other."""
        for raw in outputs:
            start = self.turn
            ref = Ref(f"raw/{start.agent}", self.shelf.put(raw))
            by = f"agent:{start.agent}"
            self._play(TurnReturned(id="e", at=AT, by=by, turn=start.turn, attempt=start.attempt, output=ref))
        return self

    def crash(self, *uncertain: str) -> Play:
        start = self.turn
        failed = TurnFailed(
            id="e", at=AT, by="code", turn=start.turn, attempt=start.attempt, kind="crash", uncertain_calls=uncertain
        )
        return self._play(failed)

    def answer(self, act: str, *, seen: Mapping[str, str] | None = None, **payload: Any) -> Play:
        (ask,) = self.state.requests.values()
        seen = {path: (seen or self.state.docs).get(path, "") for path in ask.of}
        return self._play(Answered(id="e", at=LATER, by=ANN, request=ask.request, act=act, payload=payload, seen=seen))

    def edit(self, path: str, text: str | None) -> Play:
        sha = None if text is None else self.shelf.put(text)
        return self._play(DocsChanged(id="e", at=AT, by=ANN, docs={path: sha}))

    def _play(self, event: Event) -> Play:
        self.events.append(event)
        self.state, self.decisions = self._explorer.happen(self.state, event)
        return self

    # --- what there is ---

    @property
    def shelf(self) -> Shelf:
        return self._explorer.shelf

    @property
    def own(self) -> PageState:
        return own_of(self.state)

    @property
    def turn(self) -> StartTurn:
        (turn,) = self.state.turns.values()
        return turn.start

    @property
    def ask(self) -> Ask:
        (ask,) = self.state.requests.values()
        return ask

    @property
    def commands(self) -> tuple[Command, ...]:
        """What the last move made happen."""
        return tuple(command for decision in self.decisions for command in decision.commands)

    @property
    def refused(self) -> tuple[Finding, ...]:
        first: Decision = self.decisions[0]
        return first.refused

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.refused]

    def claim(self, claim_id: str) -> Claim:
        return authority.registry_of(self.state, self.shelf).claims[claim_id]

    def text(self, path: str) -> str:
        return self.shelf.data(Ref(path, self.state.docs[path])).decode()


YES = small.verdict(small.C1, "verified")


def good(lang: str) -> str:
    return small.copywriter(lang, small.pages(lang)["good"])


def passed(**changes: Any) -> str:
    return small.editor("complete", **{"verdicts": [YES], **changes})


def revise(**changes: Any) -> str:
    return small.editor("needs_revision", **changes)


def at(step: str, config: str = "", **params: Any) -> Play:
    """A page that has come so far without trouble, with its turn or its request open."""
    page = Play(config, params)
    moves = {
        "strategy": small.strategist(),
        "draft_en": good("en"),
        "review_en": passed(),
        "draft_cn": good("cn"),
        "review_cn": passed(),
    }
    for name, raw in moves.items():
        if page.own.step == step:
            break
        assert page.own.step == name, f"{page.own.step}, not {name}"
        page.give(raw)
        if page.state.requests and page.own.step != step:
            page.answer("approve")
    assert page.own.step == step, f"{page.own.step}, not {step}"
    return page
