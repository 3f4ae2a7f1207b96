"""The ways in which the agents of an inquiry misbehave on purpose, so that every refusal can be tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from signoff.core.declarations import Assignment, Tools
from signoff.workflows.kit.fault_plans import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil

_ENTRY = re.compile(r"^### (D\d+): .*?(?=^### D|\Z)", re.MULTILINE | re.DOTALL)


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for."""
    output["confidence"] = "high"


# --- research ---------------------------------------------------------------------------------------------------------


def _invented_source(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    for question in output.get("questions", [])[:1]:
        question["sources"] = [{"path": "0-sources/never-written.md", "quote": "as everybody knows"}]


def _invented_quote(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    for question in output.get("questions", [])[:1]:
        question["sources"][0]["quote"] = "these words stand nowhere in the brief"


def _silent(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Nothing found: legal, and if all say so there is nothing to ask."""
    output["questions"] = []


def _lost(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One research question is forgotten on the way."""
    text = str(output["clarifications"])
    output["clarifications"] = re.sub(r"^_Consolidated from: .*_\n", "", text, count=1, flags=re.MULTILINE)


def _answered(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """An answer that no person gave."""
    text = str(output["clarifications"])
    output["clarifications"] = text.replace("**Answer:**", "**Answer:** Just as the recommendation says, it is fine", 1)


def _renumbered(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    text = str(output["clarifications"])
    output["clarifications"] = re.sub(r"^### Q(\d+):", lambda found: f"### Q{int(found[1]) + 100}:", text, flags=re.M)


def _miscounted(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Counts that are wrong: corrected by code, and said."""
    for name in ("clarifications", "decisions"):
        if name in output:
            output[name] = re.sub(r"^(\w+_count): \d+$", r"\1: 99", str(output[name]), flags=re.MULTILINE)


def _older(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The forms of earlier times: repaired by code, and said."""
    text = str(output["clarifications"]).replace("**Answer:**", "**Answer**:")
    output["clarifications"] = text.replace("**Recommendation:**", "**Recommendation**:")


# --- detailed research ------------------------------------------------------------------------------------------------


def _unclear_side(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    found = {"sources": ["Q998", "Q999"], "title": "Invented", "note": "seeded fault"}
    output["contradictions"] = [*output.get("contradictions", []), found]


def _stranger(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A refinement of something that was not given."""
    given = output.get("refinements", [])
    output["refinements"] = [*given, {**given[0], "parent": "Q997"}] if given else given


def _too_many(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    given = output.get("refinements", [])
    output["refinements"] = [*given, *({**given[0], "title": f"Once more {n}"} for n in range(4))] if given else given


# --- decisions --------------------------------------------------------------------------------------------------------


def _dropped(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["decisions"] = _ENTRY.sub("", str(output["decisions"]), count=1)


def _renamed(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["decisions"] = re.sub(r"^### D\d+:", "### D990:", str(output["decisions"]), count=1, flags=re.MULTILINE)


def _passed_through(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The draft as it was: no reasoning, and still called a draft."""
    text = re.sub(r"^- \*\*(Decision|Reasoning|Implication):\*\*.*\n", "", str(output["decisions"]), flags=re.MULTILINE)
    output["decisions"] = re.sub(r"^- \*\*Status:\*\*.*$", "- **Status:** draft", text, flags=re.MULTILINE)


def _unearned(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Everything is resolved, also what nobody answered."""
    text = re.sub(r"^- \*\*Status:\*\*.*$", "- **Status:** resolved", str(output["decisions"]), flags=re.MULTILINE)
    output["decisions"] = text


SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _off_schema,
    "invented-source": _invented_source,
    "invented-quote": _invented_quote,
    "silent": _silent,
    "lost": _lost,
    "answered": _answered,
    "renumbered": _renumbered,
    "miscounted": _miscounted,
    "older": _older,
    "unclear-side": _unclear_side,
    "stranger": _stranger,
    "too-many": _too_many,
    "dropped": _dropped,
    "renamed": _renamed,
    "passed-through": _passed_through,
    "unearned": _unearned,
}
_ANYONE: Final = (MALFORMED, OFF_SCHEMA, CRASH)
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "dimension-researcher": (*_ANYONE, "invented-source", "invented-quote", "silent"),
    "consolidate-research": (*_ANYONE, "lost", "answered", "renumbered", "miscounted", "older"),
    "detailed-research": (*_ANYONE, "unclear-side"),
    "section-refiner": (*_ANYONE, "stranger", "too-many"),
    "confirm-decisions": (*_ANYONE, "dropped", "renamed", "passed-through", "unearned", "miscounted"),
}
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
