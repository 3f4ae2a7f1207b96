"""The ways in which the agents of an inquiry misbehave on purpose, so that every refusal can be tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from signoff.core.declarations import Assignment, Tools
from signoff.workflows.kit.fault_plans import ANY_AGENT, OFF_SCHEMA, Faults, Output, Spoil, edits, sets

_ENTRY = re.compile(r"^### (D\d+): .*?(?=^### D|\Z)", re.MULTILINE | re.DOTALL)
_STATUS = re.compile(r"^- \*\*Status:\*\*.*$", re.MULTILINE)
_OWN = re.compile(r"^- \*\*(Decision|Reasoning|Implication):\*\*.*\n", re.MULTILINE)


def _first_source(**fields: str) -> Spoil:
    """Sets fields of the first source of the first question."""

    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        for question in output.get("questions", [])[:1]:
            question["sources"] = [{**question["sources"][0], **fields}]

    return spoil


def _more(name: str, *items: Any) -> Spoil:
    """Adds items to a list."""
    return lambda output, _assignment, _tools: output.update({name: [*output.get(name, []), *items]})


def _more_refinements(*changes: Mapping[str, str]) -> Spoil:
    """Adds the first refinement again with these changes."""

    def spoil(output: Output, _assignment: Assignment, _tools: Tools) -> None:
        given = output.get("refinements", [])
        output["refinements"] = [*given, *({**given[0], **change} for change in changes)] if given else given

    return spoil


def _renumbered(text: str) -> str:
    return re.sub(r"^### Q(\d+):", lambda found: f"### Q{int(found[1]) + 100}:", text, flags=re.MULTILINE)


def _miscounted(text: str) -> str:
    return re.sub(r"^(\w+_count): \d+$", r"\1: 99", text, flags=re.MULTILINE)


def _in_older_form(text: str) -> str:
    return text.replace("**Answer:**", "**Answer**:").replace("**Recommendation:**", "**Recommendation**:")


_ANSWER: Final = "**Answer:** Just as the recommendation says, it is fine"
SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: sets(confidence="high"),
    # research
    "invented-source": _first_source(path="0-sources/never-written.md", quote="as everybody knows"),
    "invented-quote": _first_source(quote="these words stand nowhere in the brief"),
    "silent": sets(questions=[]),  # legal, and if all researchers say so there is nothing to ask
    # consolidation
    "lost": edits("clarifications", by=lambda text: re.sub(r"(?m)^_Consolidated from: .*_\n", "", text, count=1)),
    "answered": edits("clarifications", by=lambda text: text.replace("**Answer:**", _ANSWER, 1)),
    "renumbered": edits("clarifications", by=_renumbered),
    "miscounted": edits("clarifications", "decisions", by=_miscounted),  # code corrects it, with a warning
    "older": edits("clarifications", by=_in_older_form),  # code repairs it, with a warning
    # detailed research
    "unclear-side": _more("contradictions", {"sources": ["Q998", "Q999"], "title": "Invented", "note": "seeded fault"}),
    "stranger": _more_refinements({"parent": "Q997"}),
    "too-many": _more_refinements(*({"title": f"Once more {number}"} for number in range(4))),
    # decisions
    "dropped": edits("decisions", by=lambda text: _ENTRY.sub("", text, count=1)),
    "renamed": edits("decisions", by=lambda text: re.sub(r"(?m)^### D\d+:", "### D990:", text, count=1)),
    "passed-through": edits("decisions", by=lambda text: _STATUS.sub("- **Status:** draft", _OWN.sub("", text))),
    "unearned": edits("decisions", by=lambda text: _STATUS.sub("- **Status:** resolved", text)),
}
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "dimension-researcher": (*ANY_AGENT, "invented-source", "invented-quote", "silent"),
    "consolidate-research": (*ANY_AGENT, "lost", "answered", "renumbered", "miscounted", "older"),
    "detailed-research": (*ANY_AGENT, "unclear-side"),
    "section-refiner": (*ANY_AGENT, "stranger", "too-many"),
    "confirm-decisions": (*ANY_AGENT, "dropped", "renamed", "passed-through", "unearned", "miscounted"),
}
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
