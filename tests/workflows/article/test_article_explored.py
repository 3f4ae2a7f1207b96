"""Every state that an article can reach, whatever agents and people do: proofs over the real kernel and its checks."""

from __future__ import annotations

import json
from typing import Any

import pytest
import small_article as small
from article_world import CONFIG, DRAFT, GOOD, OUTLINE, SOURCES, WORSE, World, at, written

from signoff.testing.explorer import Explorer, Graph, circle, stuck
from signoff.workflows.article import config as settings
from signoff.workflows.article import places
from signoff.workflows.article.documents import config_schema
from signoff.workflows.article.workflow import EDGES

pytestmark = pytest.mark.xdist_group("explorer")  # one process, so that nothing is enumerated twice

PEOPLE = ("edit:", "thesis:", "depth:", "adjustment:", "stale:", "escalation:", "budget:")


FLAWED = {
    "config": {
        "informational", "field of somebody else", "computed field", "unknown field", "wrong depth", "other topic",
        "blocked",
    },
    "queries": {"one query for all", "a round left out", "an address of its own"},
    "phase-1": {
        "medium", "low", "low with theses", "no theses", "two theses", "unread competitor", "its own strategy",
    },
    "materials": {"nothing", "invented quote", "one of two invented", "strange page", "another round"},
    "phase-2": {"softened", "quietly changed", "another thesis", "id of nothing", "invented witness"},
    "outline": {"no section of the thesis", "no document", "id of nothing", "another document", "its own count"},
    "draft": {"a number of its own", "too short", "the output itself", "its own counts"},
    "proof": {"fix", "blocks", "fix that breaks", "fix of nothing", "another lens"},
}  # fmt: skip


def flawed(*contracts: str) -> dict[str, set[str]]:
    """Everything that can be wrong with what is said under these contracts; the others are kept."""
    return {name: {"good", *FLAWED[name]} for name in contracts}


def _miscounted(state: Any) -> Any:
    if CONFIG in state.docs:
        whole = json.loads(small.config_text(*small.WHOLE))
        whole["workflowState"]["research"]["summary"] = dict.fromkeys(SUMMARY, 99)
        whole["workflowState"]["research"]["innovationSpace"]["skipThesis"] = True
        yield "config miscounted", {CONFIG: json.dumps(whole, ensure_ascii=False)}


def _retouched(state: Any) -> Any:
    """A person writes the config themselves, or adds a trait to the voice in it, once."""
    ref = state.ref(CONFIG)
    if ref is None:
        yield "config written", {CONFIG: small.config_text(small.IDENTITY)}
        return
    text = WORLDS["under way"].explorer.shelf.data(ref).decode()
    if '"dry"' not in text:
        yield (
            "config retouched",
            {CONFIG: config_schema.put(text, {"authorPersona": {"voiceTraits": ["plain", "dry"]}})},
        )


SUMMARY = (
    "sourceCount", "dataPointCount", "competitorCount", "caseCount", "expertExplanationCount", "debateCount",
    "userVoiceCount",
)  # fmt: skip

WORLDS = {
    "config": World(flawed("config", "queries"), resumes=("config", "plan_1")),
    "looking": World(finds=frozenset({"good", "nothing", "trouble"}), resumes=("plan_1", "plan_2")),
    "phase 1": World(
        flawed("phase-1"),
        chooses=frozenset({"thesis-1", "thesis-2", "thesis-3", "own-challenge", "back", "acknowledge"}),
    ),
    "materials": World({"materials": {"good", *FLAWED["materials"]} - {"nothing"}}),
    "synthesis": World(flawed("phase-2"), chooses=frozenset({"thesis-1", "adopt", "keep", "own"})),
    "outline": World(flawed("outline"), resumes=("outline", "thesis")),
    "draft": World(flawed("draft"), resumes=("draft", "outline"), held=True),
    "proof": World(flawed("proof") | {"draft": {"good", "a number of its own"}}),
    "edits": World(
        edits=[
            at("draft proofread complete escalated", written(DRAFT, good=GOOD, worse=WORSE)),
            at("draft proofread complete", written(OUTLINE, other=small.OUTLINE.replace("losses", "all losses"))),
            at("complete", written(SOURCES, gone=None)),
            at("complete proofread", written(places.output(small.TOPIC), mine="# Mine\n")),
        ],
        resumes=("draft",),
    ),
    "under way": World(
        {"phase-2": {"good", "softened"}},
        chooses=frozenset({"thesis-1", "thesis-2", "acknowledge", "adopt"}),
        edits=[_retouched, at("gather_1 gather_2", written(settings.PATH, other="revisions: 1\nsearch: {hits: 3}\n"))],
        resumes=("config", "plan_1", "thesis", "plan_2", "outline"),
    ),
    "config by hand": World(edits=[at("thesis outline draft complete", _miscounted)], resumes=("draft", "outline")),
}


def explored(name: str) -> tuple[World, Explorer, Graph]:
    explorer, graph = WORLDS[name].explore()
    return WORLDS[name], explorer, graph


@pytest.mark.req("AR-1", "AR-5", "AR-6", "AR-8", "AR-9", "AR-10")
@pytest.mark.parametrize("name", WORLDS)
def test_whatever_happens_every_state_is_sound(name: str) -> None:
    """What must be true is asked of each step as it is found (`World.holds`)."""
    _, _, graph = explored(name)
    assert graph.complete
    assert len(graph.states) > 20
    assert any(state.stop == "complete" for state in graph.states.values()), "an article can be finished"


@pytest.mark.parametrize("name", WORLDS)
def test_from_everywhere_an_end_can_be_reached(name: str) -> None:
    _, _, graph = explored(name)
    assert stuck(graph, lambda state: state.stop == "complete") == []


@pytest.mark.parametrize("name", WORLDS)
def test_agents_alone_never_go_round_in_circles(name: str) -> None:
    _, _, graph = explored(name)
    assert circle(graph, PEOPLE) is None


@pytest.mark.parametrize("name", WORLDS)
def test_states_that_count_as_one_behave_alike(name: str) -> None:
    _, explorer, graph = explored(name)
    assert [explorer.disagreement(one, other) for one, other in graph.twins if explorer.disagreement(one, other)] == []


@pytest.mark.req("AR-3", "AR-4", "AR-14")
def test_every_way_out_of_every_step_is_taken_somewhere() -> None:
    taken = {edge for name in WORLDS for edge in explored(name)[0].taken}
    dead = {(edge.source, edge.outcome, edge.target) for edge in EDGES} - taken
    assert dead == set()


def test_every_refusal_of_an_output_is_met() -> None:
    met = {rule for name in WORLDS for rule in explored(name)[2].refusals}
    wanted = {
        "output.told", "output.round", "output.url", "output.theses", "output.thesis", "output.quote", "output.outline",
        "output.documents", "output.lens", "config.owner", "config.form", "materials.id", "materials.quote",
    }  # fmt: skip
    assert wanted <= met
