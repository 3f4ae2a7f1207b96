"""The ways in which the agents of a design misbehave on purpose, so that every refusal can be tried.

Those of the work are in `work_faults`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from signoff.core.errors import UsageError
from signoff.core.workflow import Assignment, Tools
from signoff.workflows.misbehaviour import CRASH, MALFORMED, OFF_SCHEMA, Faults, Output, Spoil
from signoff.workflows.orchestration import places, work_faults
from signoff.workflows.orchestration.ids import default_verifier


def _off_schema(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A field nobody asked for."""
    output["confidence"] = "high"


def _some(output: Output, name: str) -> Any:
    """What an output has under a name; an output without it is spoilt in the plain way instead."""
    found = output.get(name)
    if not found:
        raise UsageError(f"the output has no {name} to spoil", repair="nothing to do: a field is added instead")
    return found


def _doers(output: Output) -> list[str]:
    """The doers of a roster, or those of contracts that write something."""
    agents = _some(output, "agents")
    return [name for name, one in agents.items() if one.get("plan_actions") or one.get("writes")]


# --- the architecture -------------------------------------------------------------------------------------------------


def _shuffled(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The reviews of a pattern in another order than the pattern's."""
    review = _some(output, "review")
    review["pattern"] = "A"
    review["order"] = review["order"][::-1]


def _no_reason(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A place in the order without its reason."""
    why = _some(_some(output, "review"), "why")
    why.pop(next(iter(why)))


def _silent(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Nothing to say: legal, and then there is nothing to change."""
    for name in ("strengths", "concerns", "recommendations", "questions", "risk_factors"):
        output[name] = []


def _inquisitive(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One question more, which only a person can settle."""
    output["questions"] = [*output.get("questions", ()), "Seeded fault: what is it called in the end?"]


def _unnamed_change(output: Output, assignment: Assignment, tools: Tools) -> None:
    """The drafts change, and the log does not say so."""
    text = output.get("architecture_decisions") or _read(places.DECISIONS, assignment, tools)
    output["architecture_decisions"] = text.replace(
        "## Executive Summary\n", "## Executive Summary\n\nUnheard of.\n", 1
    )


def _phantom_change(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The log names a change that did not happen."""
    change = {
        "document": "technology_stack.json",
        "place": "performance_targets.availability",
        "to": "always",
        "reason": "seeded fault",
    }
    output["changes"] = [*output.get("changes", ()), change]


def _forged_before(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The log says of a change that it was something else before."""
    changes = _some(output, "changes")
    checked = [one for one in changes if one["document"] == "technology_stack.json" or "from" not in one]
    _some({"changes": checked}, "changes")[0]["from"] = "something that never stood there"


def _read(path: str, assignment: Assignment, tools: Tools) -> str:
    start = assignment.start
    named = [ref.path for ref in start.pinned] or list(start.reads)
    if path not in named:
        raise UsageError(f"the turn does not have {path}", repair="nothing to do: a field is added instead")
    return tools.read(path).decode("utf-8", "replace")


# --- the roster -------------------------------------------------------------------------------------------------------


def _forged_quote(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    agent = _some(output, "agents")[_doers(output)[0]]
    agent["plan_action_sources"][0] = "these words stand nowhere in the summary"


def _two_actions(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    agent = _some(output, "agents")[_doers(output)[0]]
    for name in ("plan_actions", "plan_action_sources"):
        agent[name] = agent[name][:2]


def _eight_actions(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    agent = _some(output, "agents")[_doers(output)[0]]
    for name in ("plan_actions", "plan_action_sources"):
        agent[name] = [*agent[name], *([agent[name][0]] * (8 - len(agent[name])))]


def _unsourced(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """An action more than there are quotes."""
    agent = _some(output, "agents")[_doers(output)[0]]
    agent["plan_action_sources"] = agent["plan_action_sources"][:-1]


def _unknown_dependency(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Somebody waits for an agent that nobody listed."""
    agent = _some(output, "agents")[_doers(output)[-1]]
    agent["dependencies"] = [*agent.get("dependencies", ()), "messaging_agent"]


def _cycle(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Two doers wait for each other, or the only one for itself."""
    doers = _doers(output)
    for one, other in ((doers[0], doers[-1]), (doers[-1], doers[0])):
        agent = output["agents"][one]
        agent["dependencies"] = list(dict.fromkeys((*agent.get("dependencies", ()), other)))


def _unguided(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """An agent that nobody knows, and no word on how it could be made."""
    agents = _some(output, "agents")
    agents["oracle_agent"] = {**agents[_doers(output)[0]], "agent_type": None, "creation_guidance": None}


# --- files and checkpoints --------------------------------------------------------------------------------------------


def _foreign_folder(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One writes into another's folder."""
    doers = _doers(output)
    path = f"{places.output(doers[-1] if len(doers) > 1 else 'somebody_agent')}gift.md"
    output["agents"][doers[0]]["writes"].append({"path": path, "format": "markdown", "description": "seeded fault"})


def _outside(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """One writes outside of the project."""
    output["agents"][_doers(output)[0]]["writes"].append({"path": "../elsewhere.txt", "description": "seeded fault"})


def _forgotten(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A doer without a contract."""
    output["agents"].pop(_doers(output)[0])


def _wrong_source(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A file is read from somebody who does not write it."""
    doers = _doers(output)
    read = {"path": "notes/never-written.md", "from": doers[0], "format": "markdown"}
    reads = output["agents"][doers[-1]].setdefault("reads", [])
    reads.append(read)


def _circle(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Two doers read what the other writes."""
    doers = _doers(output)
    for one, other in ((doers[0], doers[-1]), (doers[-1], doers[0])):
        path = output["agents"][other]["writes"][0]["path"]
        output["agents"][one].setdefault("reads", []).append({"path": path, "from": other})


def _unverified(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A doer without a checkpoint; the only one gets one that is somebody else's."""
    points = _some(output, "checkpoints")
    if len(points) > 1:
        points.pop()
    else:
        points[0]["doer"] = "somebody_agent"


def _shared_verifier(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """The first doer's verifier looks at everybody's work: an error where two of them work at the same time."""
    points = _some(output, "checkpoints")
    for point in points[1:]:
        point["verifier"] = default_verifier(points[0]["doer"])


def _no_criteria(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A checkpoint at which there is nothing to see."""
    _some(output, "checkpoints")[0]["criteria"] = []


# --- instructions -----------------------------------------------------------------------------------------------------


def _pathless(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A file of the contract is not in the instructions."""
    name = "outputs" if output.get("outputs") else "inputs"
    output[name] = _some(output, name)[1:]


def _headed(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A heading in the task, as the template has one: it is written as text, and means nothing."""
    output["task"] = f"{output['task']}\n\n## Escalation\n\nNever."


def _another_agent(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["agent"] = "somebody_agent"


# --- risks ------------------------------------------------------------------------------------------------------------


def _another_technology(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["technology"] = "COBOL"


def _no_source(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    _some(output, "best_practices")[0]["source"] = "common knowledge"


def _empty_research(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["best_practices"], output["failure_patterns"] = [], []


def _missing_category(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["items"] = [item for item in _some(output, "items") if item["category"] != "reversibility"]


def _another_type(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    output["agent_type"] = "somebody_agent"


def _unknown_item(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    _some(output, "risks")[0]["checklist_item"] = "weather.1"


def _untried(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """Nothing is tried and nothing is borne."""
    if not output.get("pocs") and not output.get("borne"):
        _some(output, "pocs")
    output["pocs"], output["borne"] = [], {}


def _ungated(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A PoC for which nobody waits."""
    _some(output, "pocs")[0]["gates"] = []


def _strange_gate(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A PoC for which somebody waits who is not there."""
    _some(output, "pocs")[0]["gates"] = ["somebody_agent"]


def _reworded(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A PoC that tries something a little different from what is assumed."""
    _some(output, "pocs")[0]["assumption"] += ", more or less"


def _left_out(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A PoC without a place."""
    output["edits"] = _some(output, "edits")[1:]


def _taken_name(output: Output, assignment: Assignment, tools: Tools) -> None:
    """A PoC under the name of an agent that is there."""
    roster = _read(places.ROSTER, assignment, tools)
    edit = _some(output, "edits")[0]
    edit["name"] = "database_agent" if '"database_agent"' in roster else "verifier_agent"


def _own_words(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A practice that is not in the research."""
    practices = _some(output, "practices")
    practices[next(iter(practices))] = ["Be careful, as everybody knows."]


def _unpractised(output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """A doer without a practice, although there are some."""
    practices = _some(output, "practices")
    practices.pop(next(iter(practices)))


def _sees_an_error(area: str, output: Output, _assignment: Assignment, _tools: Tools) -> None:
    """An error in one area; named for every attempt (`@1`, `@2` …) it is there for ever."""
    seen = {"severity": "error", "area": area, "problem": "seeded fault: it does not convince", "repair": "do it again"}
    output["findings"] = [*output.get("findings", ()), seen]


AREAS: Final = ("roster", "contracts", "checkpoints", "instructions", "risk", "plan")
SPOIL: Final[Mapping[str, Spoil]] = {
    OFF_SCHEMA: _off_schema,
    "shuffled": _shuffled,
    "no-reason": _no_reason,
    "silent": _silent,
    "inquisitive": _inquisitive,
    "unnamed-change": _unnamed_change,
    "phantom-change": _phantom_change,
    "forged-before": _forged_before,
    "forged-quote": _forged_quote,
    "two-actions": _two_actions,
    "eight-actions": _eight_actions,
    "unsourced": _unsourced,
    "unknown-dependency": _unknown_dependency,
    "cycle": _cycle,
    "unguided": _unguided,
    "foreign-folder": _foreign_folder,
    "outside": _outside,
    "forgotten": _forgotten,
    "wrong-source": _wrong_source,
    "circle": _circle,
    "unverified": _unverified,
    "shared-verifier": _shared_verifier,
    "no-criteria": _no_criteria,
    "pathless": _pathless,
    "headed": _headed,
    "another-agent": _another_agent,
    "another-technology": _another_technology,
    "no-source": _no_source,
    "empty-research": _empty_research,
    "missing-category": _missing_category,
    "another-type": _another_type,
    "unknown-item": _unknown_item,
    "untried": _untried,
    "ungated": _ungated,
    "strange-gate": _strange_gate,
    "reworded": _reworded,
    "left-out": _left_out,
    "taken-name": _taken_name,
    "own-words": _own_words,
    "unpractised": _unpractised,
    **{f"error-in-{area}": partial(_sees_an_error, area) for area in AREAS},
    **work_faults.SPOIL,
}
_ANYONE: Final = (MALFORMED, OFF_SCHEMA, CRASH)
_REVIEWER: Final = (*_ANYONE, "silent", "inquisitive")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "solution-architect": (*_ANYONE, "shuffled", "no-reason"),
    "security-reviewer": _REVIEWER,
    "database-reviewer": _REVIEWER,
    "api-reviewer": _REVIEWER,
    "frontend-reviewer": _REVIEWER,
    "tactical-solution-architect": (
        *_ANYONE,
        "unnamed-change",
        "phantom-change",
        "forged-before",
        *work_faults.TACTICAL,
    ),
    "roster-designer": (
        *_ANYONE,
        "forged-quote",
        "two-actions",
        "eight-actions",
        "unsourced",
        "unknown-dependency",
        "cycle",
        "unguided",
    ),
    "file-structure-designer": (*_ANYONE, "foreign-folder", "outside", "forgotten", "wrong-source", "circle"),
    "checkpoint-designer": (*_ANYONE, "unverified", "shared-verifier", "no-criteria"),
    "instruction-writer": (*_ANYONE, "pathless", "headed", "another-agent"),
    "best-practices-researcher": (*_ANYONE, "another-technology", "no-source", "empty-research"),
    "risk-checklist": (*_ANYONE, "missing-category", "another-type"),
    "doer-consultation": (*_ANYONE, "unknown-item", "another-agent"),
    "poc-recommendation": (*_ANYONE, "untried", "ungated", "strange-gate", "reworded"),
    "poc-integration": (*_ANYONE, "left-out", "taken-name"),
    "best-practices-integration": (*_ANYONE, "own-words", "unpractised"),
    "design-verifier": (*_ANYONE, *(f"error-in-{area}" for area in AREAS)),
    **{agent: (*_ANYONE, *kinds) for agent, kinds in work_faults.KINDS.items()},
}
"""Which agent can go wrong in which way."""

FAULTS: Final = Faults(KINDS, SPOIL)
