"""Whether a roster can be worked with: every action has its words in the plan, and every name leads somewhere.

What stands in the registry is another question: `guidance_findings` asks it of a roster that code has completed.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from signoff.core.findings import Finding
from signoff.workflows.orchestration import crew, places, plan
from signoff.workflows.orchestration.ids import TASK, VERIFIER_TYPE, default_verifier
from signoff.workflows.orchestration.nearest import nearest
from signoff.workflows.orchestration.registry import BUILT_IN, SLASH, slash_command
from signoff.workflows.orchestration.roster import CreationGuidance, Member, Proposed, Roster

FEWEST: Final = 3
MOST: Final = 7
"""How many actions of the plan a doer has."""
LONGEST_NAME: Final = 80
NEVER: Final[Mapping[str, str]] = {
    **crew.NEVER,
    **dict.fromkeys(BUILT_IN.interactive_agents, "it is a persona that people talk with"),
}
"""Who is in no roster, and why."""


def findings(proposed: Mapping[str, Proposed], summary: str, path: str) -> tuple[Finding, ...]:
    """Everything that is wrong with a roster as it was proposed; `summary` is the text of the plan."""
    return tuple(_wrong(proposed, summary, path))


def _wrong(proposed: Mapping[str, Proposed], summary: str, path: str) -> Iterator[Finding]:
    if not any(one.kind == "doer" for one in proposed.values()):
        yield _of("doers", "nobody does anything: there is no agent of kind doer", "add one", path)
    yield from _names(proposed, path)
    for name, one in proposed.items():
        yield from _place(name, one, path)
        yield from _actions(name, one, summary, path)
        yield from _leads_to(name, one, proposed, path)
        yield from _pattern(name, one, path)


def _of(rule: str, problem: str, repair: str, path: str, about: str = "") -> Finding:
    return Finding(rule=f"roster.{rule}", problem=problem, repair=repair, file=path, about=about)


# --- names and places -------------------------------------------------------------------------------------------------


def _names(proposed: Mapping[str, Proposed], path: str) -> Iterator[Finding]:
    """Names are folders and ids, and every doer's verifier is named after it."""
    for name in proposed:
        if not TASK.fullmatch(name) or len(name) > LONGEST_NAME:
            problem = f"{name!r} is no name for an agent; valid: snake_case, at most {LONGEST_NAME} letters"
            yield _of("name", problem, "rename it, as in api_agent", path, name)
    verifiers: dict[str, str] = {}
    for name, one in proposed.items():
        if one.kind != "doer":
            continue
        verifier = default_verifier(name)
        if verifier in verifiers:
            problem = f"{verifiers[verifier]} and {name} would share the verifier {verifier}"
            yield _of("name", problem, "rename one of them", path, name)
        verifiers[verifier] = name
        if verifier in proposed and proposed[verifier].kind != "verifier":
            problem = f"{verifier} has the name of the verifier of {name} and is a {proposed[verifier].kind}"
            yield _of("name", problem, "rename it, or give it the kind verifier", path, verifier)


def _place(name: str, one: Proposed, path: str) -> Iterator[Finding]:
    """Whether somebody of this type belongs in a roster at all, and as what."""
    of_type = one.agent_type or name
    if never := next((known for known in (name, of_type) if known in NEVER), None):
        problem = f"{name} is in the roster, and {never} is in none: {NEVER[never]}"
        yield _of("place", problem, f"take {name} out", path, name)
    if of_type == VERIFIER_TYPE and one.kind != "verifier":
        problem = f"{name} is of the type {VERIFIER_TYPE} and of the kind {one.kind}"
        yield _of("kind", problem, "give it the kind verifier, or another type", path, name)


# --- actions ----------------------------------------------------------------------------------------------------------


def _actions(name: str, one: Proposed, summary: str, path: str) -> Iterator[Finding]:
    count, sources = len(one.plan_actions), len(one.plan_action_sources)
    if one.kind == "doer" and not FEWEST <= count <= MOST:
        repair = (
            "give it to another agent, or find what else the plan asks of it"
            if count < FEWEST
            else "make it two agents"
        )
        yield _of("actions", f"{name} has {count} actions; valid: {FEWEST} to {MOST}", repair, path, name)
    for action, times in Counter(" ".join(action.split()).casefold() for action in one.plan_actions).items():
        if times > 1:
            yield _of("actions", f"{name} has the action “{action}” {times} times", "say each once", path, name)
    if sources != count:
        problem = f"{name} has {count} actions and {sources} sources; valid: one source for each action, in its order"
        repair = "give for each action the words of the summary that it comes from"
        yield _of("sources", problem, repair, path, name)
    for number, quote in enumerate(one.plan_action_sources, 1):
        if not plan.quoted(summary, quote):
            problem = f"source {number} of {name} is not in the summary: “{_short(quote)}”"
            yield _of("quote", problem, _nearest(quote, summary), path, name)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 160 else f"{plain[:157]}…"


def _nearest(quote: str, summary: str) -> str:
    """How to mend a quote: by the line of the summary that it may have been."""
    lines = [line.strip(" \t-*>") for line in summary.splitlines() if line.strip()]
    near = nearest(" ".join(quote.split()), lines)
    copy = "copy the words exactly, without leaving any out"
    return f"{copy}; the summary has “{_short(near)}”" if near else f"{copy}, or drop the action"


# --- whom it waits for ------------------------------------------------------------------------------------------------


def _leads_to(name: str, one: Proposed, proposed: Mapping[str, Proposed], path: str) -> Iterator[Finding]:
    yield from _unknown(name, "depends on", one.dependencies, proposed, path)
    for other, times in Counter(one.dependencies).items():
        if times > 1:
            yield _of("dependency", f"{name} depends on {other} {times} times", "name it once", path, name)
    if name in one.dependencies:
        yield _of("dependency", f"{name} depends on itself", "take it out of its dependencies", path, name)
    if one.kind == "poc":
        yield from _poc(name, one, proposed, path)
    elif one.gates or one.poc_id:
        problem = f"{name} is a {one.kind} and has a PoC's `gates` or `poc_id`"
        yield _of("poc", problem, "take them out, or give it the kind poc", path, name)


def _poc(name: str, one: Proposed, proposed: Mapping[str, Proposed], path: str) -> Iterator[Finding]:
    if not one.poc_id:
        yield _of("poc", f"{name} is a PoC without a `poc_id`", "name its spec, as in poc_001", path, name)
    if not one.gates:
        yield _of("poc", f"{name} is a PoC that nobody waits for", "name under `gates` who does", path, name)
    if name in one.gates:
        yield _of("poc", f"{name} gates itself", "take it out of its `gates`", path, name)
    yield from _unknown(name, "gates", one.gates, proposed, path)


def _unknown(
    name: str, does: str, others: Iterable[str], proposed: Mapping[str, Proposed], path: str
) -> Iterator[Finding]:
    for other in dict.fromkeys(others):
        if other not in proposed:
            problem = f"{name} {does} {other}, who is not in the roster; valid: {', '.join(sorted(proposed))}"
            yield _of("dependency", problem, _instead(other, proposed), path, name)


def _instead(other: str, proposed: Mapping[str, Proposed]) -> str:
    for name, one in proposed.items():
        if one.kind == "doer" and default_verifier(name) == other:
            return f"name {name}: who depends on a doer waits for its verifier"
    near = difflib.get_close_matches(other, list(proposed), 1)
    return f"write {near[0]}, or add {other}" if near else f"add {other}, or drop it"


# --- how it is called -------------------------------------------------------------------------------------------------


def _pattern(name: str, one: Proposed, path: str) -> Iterator[Finding]:
    """Only a doer can be somebody that a person calls; who is to be made is made as who is asked for."""
    if one.kind != "doer" and one.invocation_pattern != "task_tool":
        problem = f"{name} is a {one.kind} and would be called by {one.invocation_pattern}; valid: task_tool"
        yield _of("pattern", problem, "set `invocation_pattern` to task_tool", path, name)
    if one.creation_guidance:
        yield from _guided(name, one, one.creation_guidance, path)


def _guided(name: str, one: Proposed, guidance: CreationGuidance, path: str) -> Iterator[Finding]:
    entry = guidance.registry_entry
    if entry.invocation_pattern != one.invocation_pattern:
        problem = (
            f"{name} is called by {one.invocation_pattern}, and its registry entry says {entry.invocation_pattern}"
        )
        yield _of("pattern", problem, "write the same in both", path, name)
    if entry.invocation_pattern == "task_tool":
        if guidance.slash_command_name:
            problem = f"{name} takes turns and has the slash command {guidance.slash_command_name}"
            yield _of("pattern", problem, "leave `slash_command_name` out", path, name)
    elif not re.fullmatch(SLASH, slash_command(entry.template)):
        problem = f"{name} is called by a slash command, and {entry.template} makes it {slash_command(entry.template)}"
        repair = "name a command file of small letters, digits and hyphens: ~/.claude/commands/persona-tester.md"
        yield _of("pattern", problem, repair, path, name)
    elif guidance.slash_command_name != slash_command(entry.template):
        problem = (
            f"{name} is called by the slash command {guidance.slash_command_name or '(none)'}, and its command file "
            f"{entry.template} makes it {slash_command(entry.template)}"
        )
        yield _of("pattern", problem, "give the command and the path of its file in `template`", path, name)


# --- who is missing ---------------------------------------------------------------------------------------------------


def guidance_findings(roster: Roster, path: str = places.ROSTER) -> tuple[Finding, ...]:
    """What a person would lack to have a missing agent created: guidance that is whole, for that agent."""
    return tuple(
        finding for name in roster.missing_agents for finding in _guidance(name, roster.agents[name], roster, path)
    )


def _guidance(name: str, member: Member, roster: Roster, path: str) -> Iterator[Finding]:
    guidance, of_type = member.creation_guidance, roster.type_of(name)
    if guidance is None:
        problem = f"no registry knows {of_type}, or its template is not there, and {name} has no creation_guidance"
        repair = "say how to create it, or take a type that the registry has"
        yield _of("guidance", problem, repair, path, name)
        return
    entry = guidance.registry_entry
    if entry.agent_type != of_type:
        problem = f"the registry entry of {name} is for {entry.agent_type}; asked for is {of_type}"
        yield _of("guidance", problem, f"name {of_type} in it", path, name)
    if not entry.capabilities:
        problem = f"the registry entry of {name} has no capabilities"
        yield _of("guidance", problem, "say what an agent of this type can do", path, name)
    if lacking := [one for one in member.capabilities_required if one not in entry.capabilities]:
        problem = f"the registry entry of {name} lacks {', '.join(lacking)}, which the roster asks of it"
        yield _of("guidance", problem, "add it to `capabilities`, or ask for less", path, name)
