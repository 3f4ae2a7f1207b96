"""Step 1: one researcher for each dimension, then one file of numbered questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.core.commands import StartTurn, Write
from signoff.core.declarations import Now
from signoff.core.state import replace
from signoff.core.table import Move
from signoff.workflows.clarify.checks.authority import consolidated
from signoff.workflows.clarify.config import Dimension, config_of
from signoff.workflows.clarify.documents import clarifications as cl
from signoff.workflows.clarify.documents.decisions import folded
from signoff.workflows.clarify.outputs import ConsolidatorOutput, ResearcherOutput, ResearchQuestion, parse_researcher
from signoff.workflows.clarify.state import SOURCES, Inquiry, clarifications_of, own_of, research
from signoff.workflows.clarify.steps.turns import gathered, on_output, turn
from signoff.workflows.kit.table_steps import is_end_of_turn, noted


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
    asked = {
        origin(one, number): question
        for one, output in found.items()
        for number, question in enumerate(output.questions, first[one])
    }
    origins = {name: question.title for name, question in asked.items()}
    musts = frozenset(name for name, question in asked.items() if question.must_answer)
    own = replace(own, origins=origins, musts=musts, returned={})
    if not asked:
        if not found:
            return own.blocked("no researcher gave anything usable; the notes below say why")
        problem = f"the researchers found no open question about {own.topic!r} in {SOURCES}"
        return own.blocked(f"{problem}: say more in the brief, then resume")
    texts = {research(own.name, one.name, own.passes): render(one, found[one], first[one]) for one in found}
    return Move(own, tuple(Write(path=path, text=text) for path, text in texts.items()), "done")


def enter_consolidate(now: Now) -> Move:
    own = own_of(now.state)
    asked = [int(key[1:]) for key in own.shown if key.startswith("Q")]
    given = {
        "name": own.name,
        "topic": own.topic,
        "origins": list(own.origins),
        "keep": {key: title for key, title in own.shown.items() if key.startswith("Q")},
        "next": max(asked, default=0) + 1,
        "path": own.clarifications,
        "most": config_of(now.state, now.look).most_questions,
        "skipped": sorted(own.skipped),
    }
    task = "Merge the research notes into one file of numbered questions, each asked once, none lost."
    dimensions = config_of(now.state, now.look).dimensions
    reads = [research(own.name, one.name, own.passes) for one in dimensions]
    inputs = [*reads, own.clarifications]
    return Move(own, (turn(now, "consolidate", "consolidate-research", task, given, inputs),))


def _consolidated(now: Now, own: Inquiry, output: ConsolidatorOutput) -> Move:
    before = clarifications_of(now.state, now.look)
    made = consolidated(own, output, before)
    doc = cl.parse(made.text, own.clarifications)
    own = own.warned(*(replace(finding, severity="warning") for finding in (*made.fixed, *made.left)))
    gone = [item for item in before.questions if doc.item(item.key) is None] if before else []
    withdrawn = (
        noted("clarify.withdrawn", f"{item.key} ({item.title}) is asked no more", "its id stays its own", item.key)
        for item in gone
    )
    repair = "add it to the file yourself if it matters"
    dropped = (noted("clarify.dropped", f"{one.origin} is not asked: {one.reason}", repair) for one in output.dropped)
    own = own.warned(*withdrawn, *dropped).showing(doc)
    own = replace(own, scope_reason=output.scope_reason, scope_settled=False)
    return Move(own, (Write(path=own.clarifications, text=made.text),), "done")


on_consolidate = on_output(ConsolidatorOutput, _consolidated)


# --- the notes of a dimension -----------------------------------------------------------------------------------------

LETTERS = "ABCDEFGHIJ"


def origin(dimension: Dimension, number: int) -> str:
    """The name under which a research question is known: `Metrics Q1`."""
    return f"{dimension.shown} Q{number}"


def render(dimension: Dimension, output: ResearcherOutput, first: int = 1) -> str:
    """The notes of one dimension; a later pass continues the numbers of the one before."""
    blocks = [_question(origin(dimension, number), one) for number, one in enumerate(output.questions, first)]
    head = f"# Research: {dimension.shown}\n\n{folded(dimension.about)}\n" if dimension.about else (
        f"# Research: {dimension.shown}\n"
    )  # fmt: skip
    said = f"\n## Notes\n\n{_demoted(output.notes)}\n" if output.notes.strip() else ""
    return head + "".join(f"\n{block}" for block in blocks) + said


def _question(name: str, one: ResearchQuestion) -> str:
    tag = " [MUST ANSWER]" if one.must_answer else ""
    choices = "".join(f"{letter}. {folded(text)}\n" for letter, text in zip(LETTERS, one.choices, strict=False))
    sources = "".join(f'_Source: {folded(source.path)}: "{folded(source.quote)}"_\n' for source in one.sources)
    return (
        f"## {name}: {folded(one.title)}{tag}\n\n{_demoted(one.question)}\n\n{choices}\n"
        f"**Recommendation:** {folded(one.recommendation)}\n\n{sources}"
    )


def _demoted(text: str) -> str:
    """Escapes an agent's text, so that it cannot begin a heading or name a source that was not looked up."""
    marks = ("#", "_Source:")
    return "\n".join(f"\\{line}" if line.lstrip().startswith(marks) else line for line in text.strip().splitlines())


_HEADING = re.compile(r"^## (?P<name>.+? Q\d+): (?P<title>.*?)(?P<must> \[MUST ANSWER\])?$", re.MULTILINE)
_SOURCE = re.compile(r'^_Source: (?P<path>.+?): "(?P<quote>.*)"_$', re.MULTILINE)


def cited(text: str) -> dict[str, list[tuple[str, str]]]:
    """Which sources each research question of a notes file names: path and quote."""
    heads = list(_HEADING.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return {
        head["name"]: [(one["path"], one["quote"]) for one in _SOURCE.finditer(text, head.end(), end)]
        for head, end in zip(heads, ends, strict=False)
    }
