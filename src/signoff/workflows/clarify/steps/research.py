"""Step 1: one researcher for each dimension, then one file of numbered questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify.checks.authority import consolidated
from signoff.workflows.clarify.config import Dimension, config_of
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents import research_notes
from signoff.workflows.clarify.documents.clarifications import Clarifications
from signoff.workflows.clarify.outputs import (
    ConsolidatorOutput,
    ResearcherOutput,
    parse_researcher,
)
from signoff.workflows.clarify.state import SOURCES, Inquiry, clarifications, clarifications_of, noted, own_of, research
from signoff.workflows.clarify.steps.turns import blocked, gathered, is_end_of_turn, turn


def enter_research(now: Now) -> Move:
    own, config = own_of(now.state), config_of(now.state, now.look)
    sources = sorted(path for path in now.state.docs if path.startswith(SOURCES))
    waiting = [one for one in config.dimensions if one.name not in own.returned]
    own = replace(own, skipped={})
    if not waiting:  # a dimension was taken out of the config, and it was the last one that was out
        return _researched(now, own)
    return Move(own, tuple(_research_turn(now, own, dimension, sources) for dimension in waiting))


def _research_turn(now: Now, own: Inquiry, dimension: Dimension, sources: Sequence[str]) -> StartTurn:
    task = f"Find what the material leaves open about {own.topic}, as far as it is a matter of {dimension.shown}."
    given = {
        "name": own.name,
        "topic": own.topic,
        "dimension": dimension.plain(),
        "dimensions": [one.plain() for one in config_of(now.state, now.look).dimensions],
        "scope": own.scope or None,
    }
    return turn(now, dimension.name, "dimension-researcher", task, given, sources)


def on_research(now: Now) -> Move:
    if not is_end_of_turn(now) or now.turn is None:
        return Move(own_of(now.state))
    own = gathered(now, now.turn.start.key)
    dimensions = config_of(now.state, now.look).dimensions
    if any(one.name not in {**own.returned, **own.skipped} for one in dimensions):
        return Move(own)
    return _researched(now, own)


def _researched(now: Now, own: Inquiry) -> Move:
    """Every dimension is in: its notes are written, and its questions are known by name from now on."""
    dimensions = config_of(now.state, now.look).dimensions
    found = {one: now.look(own.returned[one.name], parse_researcher) for one in dimensions if one.name in own.returned}
    first = {one: 1 + sum(name.startswith(f"{one.shown} Q") for name in own.retired) for one in found}
    origins = {
        name: title for one in found for name, title in research_notes.origins(one, found[one], first[one]).items()
    }
    own = replace(own, origins=origins, musts=_musts(found, first), returned={})
    if not origins:
        return Move(replace(own, blockers=(_nothing(own, found),)), (), "blocked")
    texts = {
        research(own.name, one.name, own.passes): research_notes.render(one, found[one], first[one]) for one in found
    }
    return Move(own, tuple(Write(path=path, text=text) for path, text in texts.items()), "done")


def _musts(found: Mapping[Dimension, ResearcherOutput], first: Mapping[Dimension, int]) -> frozenset[str]:
    return frozenset(
        research_notes.origin(one, number)
        for one, output in found.items()
        for number, question in enumerate(output.questions, first[one])
        if question.must_answer
    )


def _nothing(own: Inquiry, found: Mapping[Dimension, Any]) -> str:
    if not found:
        return "no researcher gave anything usable; the notes below say why"
    return (
        f"the researchers found no open question about {own.topic!r} in {SOURCES}: say more in the brief, then resume"
    )


def enter_consolidate(now: Now) -> Move:
    own = own_of(now.state)
    asked = [int(key[1:]) for key in own.shown if key.startswith("Q")]
    given = {
        "name": own.name,
        "topic": own.topic,
        "origins": list(own.origins),
        "keep": {key: title for key, title in own.shown.items() if key.startswith("Q")},
        "next": max(asked, default=0) + 1,
        "path": clarifications(own.name),
        "most": config_of(now.state, now.look).most_questions,
        "skipped": sorted(own.skipped),
    }
    task = "Merge the research notes into one file of numbered questions, each asked once, none lost."
    dimensions = config_of(now.state, now.look).dimensions
    reads = [research(own.name, one.name, own.passes) for one in dimensions]
    inputs = [*reads, clarifications(own.name)]
    return Move(own, (turn(now, "consolidate", "consolidate-research", task, given, inputs),))


def on_consolidate(now: Now) -> Move:
    if not is_end_of_turn(now):
        return Move(own_of(now.state))
    if stop := blocked(now, "consolidate-research"):
        return stop
    own, output = own_of(now.state), now.output
    assert isinstance(output, ConsolidatorOutput)  # narrows the type: the contract read it
    before = clarifications_of(now.state, now.look)
    made = consolidated(own, output, before)
    doc = cl.parse(made.text, clarifications(own.name))
    own = own.warned(*(replace(finding, severity="warning") for finding in (*made.fixed, *made.left)))
    own = own.warned(*_withdrawn(before, doc), *_dropped(output)).showing(doc)
    own = replace(own, scope_reason=output.scope_reason, scope_settled=False)
    return Move(own, (Write(path=clarifications(own.name), text=made.text),), "done")


def _dropped(output: ConsolidatorOutput) -> list[Any]:
    return [
        noted(
            "clarify.dropped", f"{one.origin} is not asked: {one.reason}", "add it to the file yourself if it matters"
        )
        for one in output.dropped
    ]


def _withdrawn(before: Clarifications | None, doc: Clarifications) -> list[Any]:
    gone = [item for item in before.questions if doc.item(item.key) is None] if before else []
    return [
        noted("clarify.withdrawn", f"{item.key} ({item.title}) is asked no more", "its id stays its own", item.key)
        for item in gone
    ]
