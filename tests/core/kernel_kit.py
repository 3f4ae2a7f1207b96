"""A run of a workflow whose step does what the test says next, and shows what it was given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from signoff.core.budget import Budget
from signoff.core.commands import Command, StartTurn
from signoff.core.decide import Decision, decide
from signoff.core.declarations import Agent, Contract, Effects, Now
from signoff.core.errors import DocumentError
from signoff.core.events import (
    Answered,
    Called,
    Checked,
    DocsChanged,
    Event,
    Limited,
    Started,
    Ticked,
    TurnFailed,
    TurnHeld,
    TurnReturned,
    Usage,
)
from signoff.core.findings import Finding
from signoff.core.refs import Ref, digest
from signoff.core.state import State
from signoff.core.workflow import Documents, Limits, Workflow
from signoff.testing.explorer import Shelf

AT = "2026-01-01T00:00:00+00:00"
LATER = "2026-01-02T00:00:00+00:00"
SPEC, PAGE = "spec.md", "page.md"


def read_json(data: bytes, path: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise DocumentError([Finding(rule="json", problem="no JSON", repair="write JSON", file=path)]) from error


def writer(key: str = "write", **changes: Any) -> StartTurn:
    """The turn that most tests have out."""
    base = {"agent": "writer", "contract": "page", "task": "write", "reads": (SPEC,), "writes": (PAGE,)}
    return StartTurn(key=key, **{**base, **changes})


@dataclass
class Kit:
    """`play` decides one event and goes to the new state; `wants` is what the step asks for when it is reached."""

    budget: Budget = field(default_factory=Budget)
    check: Callable[[Now, Any], Sequence[Finding]] = lambda _now, _output: ()
    shelf: Shelf = field(default_factory=Shelf)
    state: State = field(default_factory=State)
    seen: list[Now] = field(default_factory=list)
    _wanted: Effects = field(default_factory=lambda: Effects(None))

    def __post_init__(self) -> None:
        contract = Contract(
            name="page",
            parse=read_json,
            schema=dict,
            documents=lambda value: value.get("documents", {}),
            check=lambda now, value: self.check(now, value),
        )
        self.workflow = Workflow(
            name="kit",
            about="",
            package="",
            steps=self._step,
            agents=(Agent(name="writer", contract=contract),),
            documents=Documents(
                folder="",
                tracked=lambda _: [],
            ),
            limits=Limits(
                budget=self._budget,
            ),
        )

    def _budget(self, _state: State, look: Any) -> Budget:
        assert look is self.shelf, "the budget is in a document: it needs the look of the decision"
        return self.budget

    def _step(self, now: Now) -> Effects:
        self.seen.append(now)
        return self._wanted

    def play(self, event: Event, *wants: Command, own: Any = None) -> Decision:
        self.seen.clear()
        self._wanted = Effects(own, wants)
        decision = decide(self.workflow, self.state, event, self.shelf)
        self.state = decision.state
        return decision

    @property
    def step(self) -> Now:
        """What the step saw; there must have been exactly one."""
        (now,) = self.seen
        return now

    # --- events ---

    def begin(self, *wants: Command, docs: Mapping[str, str] | None = None, own: Any = None) -> Decision:
        kept = {path: self.shelf.put(text) for path, text in (docs or {SPEC: "spec"}).items()}
        started = Started(id="s", at=AT, by="p", workflow="kit", version=1, run="r", params={"slug": "x"}, docs=kept)
        return self.play(started, *wants, own=own)

    def returned(self, output: Any = None, *, turn: str = "0001-writer", attempt: int = 1, **more: Any) -> TurnReturned:
        raw = output if isinstance(output, str) else json.dumps(output or {})
        ref = Ref("raw/output", self.shelf.put(raw))
        return TurnReturned(id="e", at=LATER, by="agent:writer", turn=turn, attempt=attempt, output=ref, **more)

    def failed(self, *uncertain: str, attempt: int = 1, turn: str = "0001-writer", **more: Any) -> TurnFailed:
        calls = {"uncertain_calls": uncertain, "kind": "crash", "detail": "killed", **more}
        return TurnFailed(id="e", at=LATER, by="code", turn=turn, attempt=attempt, **calls)

    def held(
        self, *, turn: str = "0001-writer", attempt: int = 1, why: str = "the project is out of money"
    ) -> TurnHeld:
        return TurnHeld(id="e", at=LATER, by="code", turn=turn, attempt=attempt, why=why)

    def limited(self, tokens: int | None = None, cost: Decimal | None = None) -> Limited:
        return Limited(id="e", at=LATER, by="ann", tokens=tokens, cost=cost)

    def called(self, call_id: str = "1", tool: str = "look", turn: str = "0001-writer", **args: Any) -> Called:
        return Called(id="e", at=LATER, by="agent:writer", turn=turn, call_id=call_id, tool=tool, args=args)

    def checked(self, check: str, *findings: Finding, of: Mapping[str, Ref] | None = None) -> Checked:
        known = self.state.checks[check].of if of is None else of
        return Checked(id="e", at=LATER, by="code", check=check, findings=findings, of=known)

    def answered(self, request: str, act: str, seen: Mapping[str, str] | None = None, **payload: Any) -> Answered:
        return Answered(id="e", at=LATER, by="ann", request=request, act=act, payload=payload, seen=seen or {})

    def edited(self, **docs: str | None) -> DocsChanged:
        kept = {f"{name}.md": None if text is None else self.shelf.put(text) for name, text in docs.items()}
        return DocsChanged(id="e", at=LATER, by="ann", docs=kept)

    def ticked(self, timer: str) -> Ticked:
        return Ticked(id="e", at=LATER, by="code", timer=timer)


def sha(text: str) -> str:
    return digest(text)


def usage(tokens: int = 0, **more: Any) -> Usage:
    return Usage(input_tokens=tokens, **more)


def refusal(decision: Decision) -> tuple[str, str, str]:
    """The one finding of a refused event; a refusal changes nothing and wants nothing."""
    assert decision.applied is False
    assert decision.commands == ()
    (finding,) = decision.refused
    return finding.rule, finding.problem, finding.repair
