"""Whether a roster is sound: every action quotes the plan, and every name is that of an agent.

`guidance_findings` checks a roster that code has completed from the registry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from signoff.artifacts.markdown_parsing import squeeze
from signoff.core.findings import Finding
from signoff.evidence.shared_words import clipped
from signoff.workflows.kit.suggestions import nearest
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import plan_summary
from signoff.workflows.orchestration.documents.agent_registry import BUILT_IN, SLASH, slash_command
from signoff.workflows.orchestration.documents.agent_roster import Proposed, Roster
from signoff.workflows.orchestration.ids import LONGEST, TASK, VERIFIER_TYPE, default_verifier
from signoff.workflows.orchestration.sequence import waits

FEWEST: Final = 3
MOST: Final = 7
"""How few and how many actions of the plan a doer may have."""
SHOWN: Final = 160
"""How many characters of a quote a finding shows."""
NEVER: Final[Mapping[str, str]] = {
    **waits.NEVER,
    **dict.fromkeys(BUILT_IN.interactive_agents, "it is a persona for conversations with people"),
}
"""Agents that no roster may have, and why."""


def findings(proposed: Mapping[str, Proposed], summary: str, path: str) -> Iterator[Finding]:
    """Everything that is wrong with a proposed roster; `summary` is the text of the plan."""
    if not any(one.kind == "doer" for one in proposed.values()):
        yield _of("doers", "there is no agent of kind doer", "add one", path)
    yield from _names(proposed, path)
    for name, one in proposed.items():
        yield from _place(name, one, path)
        yield from _actions(name, one, summary, path)
        yield from _leads_to(name, one, proposed, path)
        yield from _pattern(name, one, path)


def _of(rule: str, problem: str, repair: str, path: str, about: str = "") -> Finding:
    return Finding(rule=f"roster.{rule}", problem=problem, repair=repair, file=path, about=about)


def _names(proposed: Mapping[str, Proposed], path: str) -> Iterator[Finding]:
    """Names are used as folders and ids, and every doer's verifier is named after it."""
    for name in proposed:
        if not TASK.fullmatch(name) or len(name) > LONGEST:
            problem = f"{name!r} is not a name for an agent; valid: snake_case, at most {LONGEST} letters"
            yield _of("name", problem, "rename it, as in api_agent", path, name)
    verifiers: dict[str, str] = {}
    for name in (name for name, one in proposed.items() if one.kind == "doer"):
        verifier = default_verifier(name)
        if verifier in verifiers:
            problem = f"{verifiers[verifier]} and {name} would share the verifier {verifier}"
            yield _of("name", problem, "rename one of them", path, name)
        verifiers[verifier] = name
        if verifier in proposed and proposed[verifier].kind != "verifier":
            problem = f"{verifier} has the name of the verifier of {name} and is a {proposed[verifier].kind}"
            yield _of("name", problem, "rename it, or give it the kind verifier", path, verifier)


def _place(name: str, one: Proposed, path: str) -> Iterator[Finding]:
    """Whether an agent of this type may be in a roster, and of which kind."""
    of_type = one.agent_type or name
    if never := next((known for known in (name, of_type) if known in NEVER), None):
        problem = f"{name} is in the roster, and no roster may have {never}: {NEVER[never]}"
        yield _of("place", problem, f"remove {name}", path, name)
    if of_type == VERIFIER_TYPE and one.kind != "verifier":
        problem = f"{name} is of the type {VERIFIER_TYPE} and of the kind {one.kind}"
        yield _of("kind", problem, "give it the kind verifier, or another type", path, name)


def _actions(name: str, one: Proposed, summary: str, path: str) -> Iterator[Finding]:
    count, sources = len(one.plan_actions), len(one.plan_action_sources)
    if one.kind == "doer" and not FEWEST <= count <= MOST:
        fewer = "give it to another agent, or find what else the plan asks of it"
        repair = fewer if count < FEWEST else "make it two agents"
        yield _of("actions", f"{name} has {count} actions; valid: {FEWEST} to {MOST}", repair, path, name)
    for action, times in Counter(squeeze(action).casefold() for action in one.plan_actions).items():
        if times > 1:
            yield _of("actions", f"{name} has the action “{action}” {times} times", "name each once", path, name)
    if sources != count:
        problem = f"{name} has {count} actions and {sources} sources; valid: one source for each action, in its order"
        repair = "give for each action the words of the summary that it comes from"
        yield _of("sources", problem, repair, path, name)
    for number, quote in enumerate(one.plan_action_sources, 1):
        if not plan_summary.quoted(summary, quote):
            problem = f"source {number} of {name} is not in the summary: “{clipped(squeeze(quote), SHOWN)}”"
            lines = [line.strip(" \t-*>") for line in summary.splitlines() if line.strip()]
            near = nearest(squeeze(quote), lines)
            rest = f"; the summary has “{clipped(squeeze(near), SHOWN)}”" if near else ", or drop the action"
            yield _of("quote", problem, f"copy the words exactly, without leaving any out{rest}", path, name)


def _leads_to(name: str, one: Proposed, proposed: Mapping[str, Proposed], path: str) -> Iterator[Finding]:
    yield from _unknown(name, "depends on", one.dependencies, proposed, path)
    for other, times in Counter(one.dependencies).items():
        if times > 1:
            yield _of("dependency", f"{name} depends on {other} {times} times", "name it once", path, name)
    if name in one.dependencies:
        yield _of("dependency", f"{name} depends on itself", "remove it from its dependencies", path, name)
    if one.kind == "poc":
        if not one.poc_id:
            yield _of("poc", f"{name} is a PoC without a `poc_id`", "name its spec, as in poc_001", path, name)
        if not one.gates:
            yield _of("poc", f"{name} is a PoC that gates no agent", "name under `gates` which agents wait", path, name)
        if name in one.gates:
            yield _of("poc", f"{name} gates itself", "remove it from its `gates`", path, name)
        yield from _unknown(name, "gates", one.gates, proposed, path)
    elif one.gates or one.poc_id:
        problem = f"{name} is a {one.kind} and has a PoC's `gates` or `poc_id`"
        yield _of("poc", problem, "remove them, or give it the kind poc", path, name)


def _unknown(
    name: str, does: str, others: Iterable[str], proposed: Mapping[str, Proposed], path: str
) -> Iterator[Finding]:
    doers = {default_verifier(doer): doer for doer, one in reversed([*proposed.items()]) if one.kind == "doer"}
    for other in dict.fromkeys(others):
        if other in proposed:
            continue
        near = nearest(other, proposed)
        repair = f"write {near}, or add {other}" if near else f"add {other}, or drop it"
        if other in doers:
            repair = f"name {doers[other]}: an agent that depends on a doer waits for its verifier"
        problem = f"{name} {does} {other}, which is not in the roster; valid: {', '.join(sorted(proposed))}"
        yield _of("dependency", problem, repair, path, name)


def _pattern(name: str, one: Proposed, path: str) -> Iterator[Finding]:
    """Only a doer can be called by a person, and a missing agent is created with the pattern that the roster gives."""
    if one.kind != "doer" and one.invocation_pattern != "task_tool":
        problem = f"{name} is a {one.kind} and would be called by {one.invocation_pattern}; valid: task_tool"
        yield _of("pattern", problem, "set `invocation_pattern` to task_tool", path, name)
    if (guidance := one.creation_guidance) is None:
        return
    entry = guidance.registry_entry
    command = slash_command(entry.template)
    if entry.invocation_pattern != one.invocation_pattern:
        problem = f"{name} is called by {one.invocation_pattern}; its registry entry says {entry.invocation_pattern}"
        yield _of("pattern", problem, "write the same in both", path, name)
    if entry.invocation_pattern == "task_tool":
        if guidance.slash_command_name:
            problem = f"{name} takes turns and has the slash command {guidance.slash_command_name}"
            yield _of("pattern", problem, "leave `slash_command_name` out", path, name)
    elif not re.fullmatch(SLASH, command):
        problem = f"{name} is called by a slash command, and {entry.template} makes it {command}"
        repair = "name a command file of small letters, digits and hyphens: ~/.claude/commands/persona-tester.md"
        yield _of("pattern", problem, repair, path, name)
    elif guidance.slash_command_name != command:
        said = guidance.slash_command_name or "(none)"
        problem = f"{name} is called by the slash command {said}; its command file {entry.template} makes it {command}"
        yield _of("pattern", problem, "give the command and the path of its file in `template`", path, name)


def guidance_findings(roster: Roster, path: str = places.ROSTER) -> Iterator[Finding]:
    """What the guidance for a missing agent lacks: it must be complete, and be about that agent."""
    for name in roster.missing_agents:
        member, of_type = roster.agents[name], roster.type_of(name)
        if member.creation_guidance is None:
            problem = f"no registry knows {of_type}, or its template is missing, and {name} has no creation_guidance"
            repair = "say how to create it, or take a type that the registry has"
            yield _of("guidance", problem, repair, path, name)
            continue
        entry = member.creation_guidance.registry_entry
        if entry.agent_type != of_type:
            problem = f"the registry entry of {name} is for {entry.agent_type}; valid: {of_type}"
            yield _of("guidance", problem, f"name {of_type} in it", path, name)
        if not entry.capabilities:
            problem = f"the registry entry of {name} has no capabilities"
            yield _of("guidance", problem, "say what an agent of this type can do", path, name)
        if lacking := [one for one in member.capabilities_required if one not in entry.capabilities]:
            problem = f"the registry entry of {name} lacks {', '.join(lacking)}, which the roster asks of it"
            yield _of("guidance", problem, "add it to `capabilities`, or ask for less", path, name)
