"""Every state that a piece can reach, whatever agents and people do: proofs over the real kernel and rubric."""

from __future__ import annotations

from functools import cache

import pytest
from small_content import ONE, World

from signoff.testing.explorer import Explorer, Graph, circle, stuck
from signoff.workflows.content import rubric
from signoff.workflows.content.state import AT_LIMIT, own_of

pytestmark = pytest.mark.xdist_group("content-explorer")

SELECTIONS = ("none", "ben", "stranger", "broken")
EDITS = {"words": "# Mine\n", "other": "# Two\n", "gone": None}
WORLDS = {
    "rounds": World(say=("good", "fair", "poor")),
    "high issues": World(say=("good", "high")),
    "one at a time": World(at_once=1, say=("good", "high"), ends=("saved", "waiting", "broken")),
    "somebody fails": World(rounds=0, say=("good", "broken")),
    "high and failing": World((ONE,), say=("high", "broken"), author=("good", "broken")),
    "one critic": World((ONE,), rounds=2, say=("good", "poor", "high")),
    "crashes": World((ONE,), rounds=0, say=("good", "broken"), crashes=True),
    "nobody judges": World(
        ("copywriter", "zoe"), rounds=0, selector=("none", "ben", "stranger", "broken"), say=("good",)
    ),
    "a person writes": World(
        (ONE,), say=("good", "high"), edits={"words": "# Mine\n", "other": "# Two\n", "gone": None}
    ),
}
ENDED = ("complete", AT_LIMIT, "error")
PEOPLE = ("edit:", "blocked:", "escalation:", "budget:")


@cache
def seen(name: str) -> tuple[Explorer, Graph]:
    """A world is looked at once, whoever asks."""
    return WORLDS[name].explore()


@pytest.fixture(scope="module", params=list(WORLDS), ids=[name.replace(" ", "-") for name in WORLDS])
def explored(request: pytest.FixtureRequest) -> tuple[World, Explorer, Graph]:
    explorer, graph = seen(request.param)
    assert graph.complete, "the world is small enough to be seen whole"
    return WORLDS[request.param], explorer, graph


@pytest.mark.req("CP-1", "CP-4", "CP-5", "CP-6", "CP-7")
def test_nothing_happens_that_must_never_happen(explored: tuple[World, Explorer, Graph]) -> None:
    world, _, graph = explored
    assert not world.broken[:3]
    assert len(graph.states) > 40
    assert any(own_of(state).saved for state in graph.states.values()), "content can be saved"


@pytest.mark.req("CP-7")
def test_from_every_state_an_end_can_be_reached(explored: tuple[World, Explorer, Graph]) -> None:
    _, _, graph = explored
    assert not [graph.path(key) for key in stuck(graph, lambda state: state.stop in ENDED)][:3]


@pytest.mark.req("CP-7")
def test_agents_alone_cannot_keep_a_run_going(explored: tuple[World, Explorer, Graph]) -> None:
    """Every circle has a person in it; a call that is refused leads nowhere, and the runtime counts those."""
    _, _, graph = explored
    assert circle(graph, PEOPLE) is None


@pytest.mark.req("CP-1")
def test_states_that_count_as_one_behave_alike(explored: tuple[World, Explorer, Graph]) -> None:
    _, explorer, graph = explored
    for one, other in graph.twins[:40]:
        assert explorer.disagreement(one, other) is None


@pytest.mark.req("CP-5")
def test_every_rule_of_the_rubric_decides_somewhere() -> None:
    reasons: set[str] = set()
    for name in ("rounds", "high issues"):
        _, graph = seen(name)
        decisions = [one.decision for state in graph.states.values() for one in own_of(state).rounds]
        reasons |= {one.reason for one in decisions if one}
    assert reasons == {rubric.HIGH, rubric.OSCILLATION, rubric.REACHED, rubric.BELOW}


@pytest.mark.req("CP-4")
def test_a_run_in_which_every_critic_fails_is_put_to_a_person_and_never_approved() -> None:
    world = World(say=("broken",))
    _, graph = world.explore()
    assert graph.complete
    assert not world.broken
    assert any(own_of(state).blocked for state in graph.states.values())
    assert not any(own_of(state).saved for state in graph.states.values())
