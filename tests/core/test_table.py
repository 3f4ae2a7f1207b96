"""Workflows that are a table: the first edge that holds is taken, and a table that contradicts itself is not built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from kernel_kit import AT, sha

from signoff.core.commands import Finish, Wake, Write
from signoff.core.declarations import Effects, Now
from signoff.core.errors import DefinitionError
from signoff.core.events import DocsChanged, Event, Started, Ticked
from signoff.core.refs import Ref
from signoff.core.state import State
from signoff.core.table import Edge, Move, Stage, Table, stage_table
from signoff.testing.explorer import Shelf


@dataclass(frozen=True)
class Own:
    step: str
    count: int = 0
    seen: tuple[str, ...] = ()

    def saw(self, what: str) -> Own:
        return replace(self, seen=(*self.seen, what))


def waits(now: Now) -> Move:
    own: Own = now.state.own
    return Move(own.saw(f"enter {own.step}"), (Wake(timer=own.step, at=AT),))


def ends(outcome: str) -> Callable[[Now], Move]:
    def on(now: Now) -> Move:
        own: Own = now.state.own
        return Move(own.saw(f"{own.step} {outcome}"), (Wake(timer=outcome, at=AT),), outcome)

    return on


def stage(name: str, *outcomes: str, enter: Callable[[Now], Move] = waits, on: Any = None) -> Stage:
    return Stage(name=name, outcomes=outcomes, enter=enter, on=on or ends(outcomes[0] if outcomes else ""))


def edge(source: str, outcome: str, target: str, **more: Any) -> Edge:
    return Edge(source=source, outcome=outcome, target=target, **more)


def built(stages: list[Stage], edges: list[Edge], edited: Callable[[Now], Move] = waits) -> Table:
    return stage_table(stages, edges, first=lambda now: Own("a", count=now.state.rev), edited=edited)


STARTED = Started(id="s", at=AT, by="p", workflow="t", version=1, run="r", params={}, docs={})
TICKED = Ticked(id="t", at=AT, by="code", timer="x")
EDITED = DocsChanged(id="d", at=AT, by="p", docs={"a.md": None})


def play(one: Table, event: Event, own: Own | None = None, look: Any = None, **state: Any) -> Effects:
    return one(Now(state=State(own=own, **state), event=event, look=look or Shelf()))


# --- routing ---------------------------------------------------------------------------------------------------------


def test_a_start_enters_the_first_step() -> None:
    one = built([stage("a", "done"), stage("b")], [edge("a", "done", "b")])
    assert play(one, STARTED, rev=5) == Effects(Own("a", 5, ("enter a",)), (Wake(timer="a", at=AT),))


def test_an_outcome_leads_along_its_edge_and_commands_come_in_order() -> None:
    one = built([stage("a", "done"), stage("b")], [edge("a", "done", "b")])
    effects = play(one, TICKED, Own("a"))
    assert effects == Effects(Own("b", 0, ("a done", "enter b")), (Wake(timer="done", at=AT), Wake(timer="b", at=AT)))


def test_without_an_outcome_the_run_stays_where_it_is() -> None:
    one = built([stage("a", "done", on=lambda now: Move(now.state.own.saw("on")))], [edge("a", "done", "a")])
    assert play(one, TICKED, Own("a")) == Effects(Own("a", 0, ("on",)))


def test_an_edit_is_heard_by_the_edited_rule_and_not_by_the_stage() -> None:
    one = built([stage("a", "done"), stage("b")], [edge("a", "done", "b")], edited=lambda now: Move(now.state.own, ()))
    assert play(one, EDITED, Own("a")) == Effects(Own("a"))
    moving = built([stage("a", "done"), stage("b")], [edge("a", "done", "b")], edited=ends("done"))
    assert play(moving, EDITED, Own("a")).own.step == "b"


@pytest.mark.parametrize(("count", "target"), [(0, "low"), (1, "middle"), (2, "high")])
def test_the_first_edge_that_holds_is_taken(count: int, target: str) -> None:
    edges = [
        edge("a", "done", "low", when=lambda now: now.state.own.count < 1),
        edge("a", "other", "a"),
        edge("a", "done", "middle", when=lambda now: now.state.own.count < 2),
        edge("a", "done", "high"),
    ]
    stages = [stage("a", "done", "other"), *(stage(name) for name in ("low", "middle", "high"))]
    assert play(built(stages, edges), TICKED, Own("a", count)).own.step == target


def test_an_edge_sees_what_the_stage_made_and_may_change_it_in_passing() -> None:
    counts = edge("a", "done", "b", then=lambda now: replace(now.state.own, count=now.state.own.count + 1))
    one = built([stage("a", "done"), stage("b")], [counts])
    assert play(one, TICKED, Own("a", 1)).own == Own("b", 2, ("a done", "enter b"))


def test_steps_that_end_as_they_are_entered_are_passed_through() -> None:
    stages = [stage("a", "done"), stage("b", "skipped", enter=ends("skipped")), stage("c")]
    one = built(stages, [edge("a", "done", "b"), edge("b", "skipped", "c")])
    effects = play(one, TICKED, Own("a"))
    assert effects.own == Own("c", 0, ("a done", "b skipped", "enter c"))
    assert [wake.timer for wake in effects.commands] == ["done", "skipped", "c"]  # type: ignore[union-attr]


def test_ways_are_those_of_one_step_and_one_outcome_in_order() -> None:
    edges = [edge("a", "x", "a", when=lambda _: True), edge("a", "y", "b"), edge("a", "x", "b"), edge("b", "x", "a")]
    one = built([stage("a", "x", "y"), stage("b", "x")], edges)
    assert one.ways("a", "x") == (edges[0], edges[2])
    assert one.ways("b", "y") == ()


# --- what one step writes, the next sees -----------------------------------------------------------------------------


def text(data: bytes, path: str) -> str:
    return f"{path}={data.decode()}"


def test_the_next_step_sees_and_can_look_at_what_this_one_wrote() -> None:
    shelf = Shelf()
    docs = {"old.md": shelf.put("old"), "gone.md": shelf.put("gone"), "kept.md": shelf.put("kept")}
    writes = (Write(path="old.md", text="new"), Write(path="gone.md", text=None), Write(path="more.md", text="moré"))
    seen: dict[str, str] = {}

    def look_around(now: Now) -> Move:
        for path in now.state.docs:
            ref = now.state.ref(path)
            assert ref is not None
            seen[path] = now.look(ref, text)
        return Move(now.state.own)

    stages = [stage("a", "done", on=lambda now: Move(now.state.own, writes, "done")), stage("b", enter=look_around)]
    one = built(stages, [edge("a", "done", "b", when=lambda now: "more.md" in now.state.docs), edge("a", "done", "a")])
    effects = play(one, TICKED, Own("a"), look=shelf, docs=docs)
    assert effects == Effects(Own("b"), writes)
    assert seen == {"kept.md": "kept.md=kept", "old.md": "old.md=new", "more.md": "more.md=moré"}


def test_a_step_that_writes_nothing_leaves_the_view_as_it_is() -> None:
    shelf, shown = Shelf(), []

    def enter(now: Now) -> Move:
        shown.append((now.look, now.state.docs))
        return Move(now.state.own)

    one = built([stage("a", "done"), stage("b", enter=enter)], [edge("a", "done", "b")])
    play(one, TICKED, Own("a"), look=shelf, docs={"a.md": sha("a")})
    assert shown == [(shelf, {"a.md": sha("a")})]


def test_what_a_step_removed_can_still_be_looked_at_by_its_digest() -> None:
    shelf, seen = Shelf(), []
    ref = Ref("gone.md", shelf.put("gone"))

    def enter(now: Now) -> Move:
        seen.append(now.look(ref, text))
        return Move(now.state.own)

    gone = (Write(path="gone.md", text=None),)
    stages = [stage("a", "done", on=lambda now: Move(now.state.own, gone, "done")), stage("b", enter=enter)]
    play(built(stages, [edge("a", "done", "b")]), TICKED, Own("a"), look=shelf, docs={"gone.md": ref.sha256})
    assert seen == ["gone.md=gone"]


# --- a table checks itself -------------------------------------------------------------------------------------------

A, B = stage("a", "done"), stage("b")
WRONG = [
    ([A, B], [edge("a", "done", "x")], "edge from 'a' to 'x' names an unknown step"),
    ([A, B], [edge("a", "done", "b"), edge("x", "done", "b")], "edge from 'x' to 'b' names an unknown step"),
    ([A, B], [edge("a", "done", "b"), edge("a", "dune", "b")], "'a' has no outcome 'dune'"),
    ([A, B], [edge("a", "done", "b"), edge("b", "done", "a")], "'b' has no outcome 'done'"),
    ([A, B], [], "the outcome 'done' of 'a' has no unconditional way on"),
    (
        [A, B],
        [edge("a", "done", "b", when=lambda _: True)],
        "the outcome 'done' of 'a' has no unconditional way on",
    ),
    (
        [A, B],
        [edge("a", "done", "b"), edge("a", "done", "a")],
        "the outcome 'done' of 'a' has edges that are never tried",
    ),
    (
        [A, B],
        [edge("a", "done", "b"), edge("a", "done", "a", when=lambda _: True)],
        "the outcome 'done' of 'a' has no unconditional way on",
    ),
    (
        [stage("a", "y", "x"), B],
        [edge("a", "y", "b", when=lambda _: True)],
        "the outcome 'x' of 'a' has no unconditional way on",
    ),
]


@pytest.mark.parametrize(("stages", "edges", "problem"), WRONG)
def test_a_table_that_contradicts_itself_is_not_built(stages: list[Stage], edges: list[Edge], problem: str) -> None:
    with pytest.raises(DefinitionError) as error:
        built(stages, edges)
    assert str(error.value) == f"{problem}. Repair: correct the stages or the edges of the table."


def test_a_condition_before_an_unconditional_way_is_fine() -> None:
    edges = [edge("a", "done", "a", when=lambda _: False), edge("a", "done", "b")]
    one = built([A, B], edges)
    assert one.edges == tuple(edges)
    assert one.stages == {"a": A, "b": B}


def test_the_picture_names_every_edge_by_its_label_or_its_outcome() -> None:
    one = built([A, B], [edge("a", "done", "a", when=lambda _: False, label="not yet"), edge("a", "done", "b")])
    assert one.picture() == "stateDiagram-v2\n    a --> a: not yet\n    a --> b: done\n"


def test_a_finish_in_passing_is_kept_with_the_other_commands() -> None:
    done = stage("b", enter=lambda now: Move(now.state.own, (Finish(reason="complete"),)))
    effects = play(built([A, done], [edge("a", "done", "b")]), TICKED, Own("a"))
    assert effects.commands[-1] == Finish(reason="complete")
