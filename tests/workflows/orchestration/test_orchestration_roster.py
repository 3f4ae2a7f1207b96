"""A roster can be worked with: every action has its words in the plan, and every name leads somewhere."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.workflows.orchestration.checks import roster_checks
from signoff.workflows.orchestration.documents import agent_registry
from signoff.workflows.orchestration.documents.agent_registry import BUILT_IN
from signoff.workflows.orchestration.documents.agent_roster import Proposed, Roster

AT = 1727539200
SUMMARY = """\
# Conversation Summary: user_management

## What We're Trying to Accomplish

People can register with an e-mail address and a
password. Each address is used once.

## Constraints & Assumptions

- Passwords are stored hashed, never in clear.
- "Soft" deletes only: nothing is lost.
"""
QUOTES = (
    "People can register with an e-mail address and a password.",
    "Each address is used once",
    "Passwords are stored hashed, never in clear.",
)
DOER = "orchestration_doer_agent_template.md"


def doer(**fields: Any) -> dict[str, Any]:
    actions = ["Add a table", "Make the address unique", "Hash passwords"]
    return {"role": "Builds it", "plan_actions": actions, "plan_action_sources": list(QUOTES), **fields}


def verifier(**fields: Any) -> dict[str, Any]:
    return {"role": "Looks at it", "kind": "verifier", "agent_type": "verifier_agent", **fields}


def poc(**fields: Any) -> dict[str, Any]:
    return {"role": "Tries it", "kind": "poc", "poc_id": "poc_001", "gates": ["api_agent"], **fields}


def found(**agents: dict[str, Any]) -> list[tuple[str, str]]:
    """The rules that are broken, with whom they are about."""
    given = {name: Proposed.model_validate(fields) for name, fields in agents.items()}
    return [(one.rule, one.about) for one in roster_checks.findings(given, SUMMARY, "agent_roster.json")]


def said(**agents: dict[str, Any]) -> str:
    given = {name: Proposed.model_validate(fields) for name, fields in agents.items()}
    findings = tuple(roster_checks.findings(given, SUMMARY, "agent_roster.json"))
    assert all(one.file == "agent_roster.json" for one in findings)
    return "\n".join(map(str, findings))


def test_a_sound_roster_has_no_findings() -> None:
    assert not found(
        api_agent=doer(dependencies=["database_agent"]), database_agent=doer(), api_verifier=verifier(),
        database_verifier=verifier(), poc_mail=poc(),
    )  # fmt: skip


# --- actions ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10")
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 20])
def test_a_doer_has_three_to_seven_actions(count: int) -> None:
    agent = doer(plan_actions=[f"Do {n}" for n in range(count)], plan_action_sources=[QUOTES[0]] * count)
    assert found(api_agent=agent) == ([] if 3 <= count <= 7 else [("roster.actions", "api_agent")])


@pytest.mark.req("OR-10")
def test_verifiers_and_pocs_need_no_actions_but_those_they_have_need_their_words() -> None:
    assert not found(api_agent=doer(), api_verifier=verifier(), poc_mail=poc())
    one = {"plan_actions": ["Look"], "plan_action_sources": ["nowhere to be found"]}
    assert found(api_agent=doer(), api_verifier=verifier(**one)) == [("roster.quote", "api_verifier")]
    assert found(api_agent=doer(), poc_mail=poc(plan_actions=["Try"])) == [("roster.sources", "poc_mail")]


def test_the_same_action_three_times_is_one_action() -> None:
    agent = doer(plan_actions=["Add a table", "add  a table", "Add a\ntable"])
    assert found(api_agent=agent) == [("roster.actions", "api_agent")]


@pytest.mark.req("OR-10")
@pytest.mark.parametrize("sources", [(), QUOTES[:2], (*QUOTES, QUOTES[0])])
def test_every_action_has_one_source(sources: tuple[str, ...]) -> None:
    assert found(api_agent=doer(plan_action_sources=sources)) == [("roster.sources", "api_agent")]


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("People can register with an e-mail address and a password", True),
        ("people can register", False),
        ("  register\n with   an e-mail  ", True),
        ("People … password", False),
        ("Passwords are stored hashed", True),
        ("Passwords are hashed", False),
        ('"Soft" deletes only', True),
        ("“Soft” deletes only", False),
    ],
)
def test_a_source_stands_in_the_summary_word_for_word(quote: str, there: bool) -> None:
    assert found(api_agent=doer(plan_action_sources=[quote, *QUOTES[1:]])) == (
        [] if there else [("roster.quote", "api_agent")]
    )


def test_a_source_that_is_nearly_there_is_told_what_the_summary_has() -> None:
    told = said(api_agent=doer(plan_action_sources=["Passwords are hashed, never in clear.", *QUOTES[1:]]))
    assert "the summary has “Passwords are stored hashed, never in clear.”" in told


# --- names and places -------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    "name", ["Api", "api-agent", "api agent", "_api", "api_", "1api", "api__agent", "../api", "a" * 81, ""]
)
def test_a_name_is_a_folder_and_the_begin_of_an_id(name: str) -> None:
    given = {name: Proposed.model_validate(doer())}
    assert [one.rule for one in roster_checks.findings(given, SUMMARY, "r")] == ["roster.name"]


def test_two_doers_never_get_the_same_verifier_by_their_names() -> None:
    assert found(api=doer(), api_agent=doer()) == [("roster.name", "api_agent")]
    assert found(api_agent=doer(), api_verifier=doer()) == [("roster.name", "api_verifier")]


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    "never", ["tactical_solution_architect_agent", "archival_agent", "plan_developer", "workflow_executor"]
)
def test_who_is_called_when_needed_is_in_no_roster(never: str) -> None:
    assert found(api_agent=doer(), **{never: doer()}) == [("roster.place", never)]
    assert found(api_agent=doer(), other_agent=doer(agent_type=never)) == [("roster.place", "other_agent")]


def test_a_verifier_is_no_doer() -> None:
    assert ("roster.kind", "verifier_agent") in found(api_agent=doer(), verifier_agent=doer())


def test_somebody_does_something() -> None:
    assert found(api_verifier=verifier()) == [("roster.doers", "")]


# --- whom it waits for ------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10")
def test_dependencies_are_agents_of_the_roster() -> None:
    assert found(api_agent=doer(dependencies=["database_agent"])) == [("roster.dependency", "api_agent")]
    assert "write database_agent" in said(
        api_agent=doer(dependencies=["databse_agent"]), database_agent=doer(), web_agent=doer()
    )


def test_who_names_a_verifier_is_told_to_name_the_doer() -> None:
    told = said(api_agent=doer(dependencies=["database_verifier"]), database_agent=doer())
    assert "name database_agent: an agent that depends on a doer waits for its verifier" in told


@pytest.mark.req("OR-10")
def test_nobody_waits_for_itself_or_twice_for_another() -> None:
    assert found(api_agent=doer(dependencies=["api_agent"])) == [("roster.dependency", "api_agent")]
    twice = doer(dependencies=["web_agent", "web_agent"])
    assert found(api_agent=twice, web_agent=doer()) == [("roster.dependency", "api_agent")]


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"gates": []}, "roster.poc"),
        ({"poc_id": None}, "roster.poc"),
        ({"gates": ["nobody_agent"]}, "roster.dependency"),
        ({"gates": ["api_agent", "poc_mail"]}, "roster.poc"),
    ],
)
def test_a_poc_has_a_spec_and_somebody_who_waits_for_it(fields: dict[str, Any], rule: str) -> None:
    assert found(api_agent=doer(), poc_mail=poc(**fields)) == [(rule, "poc_mail")]


@pytest.mark.parametrize("fields", [{"gates": ["web_agent"]}, {"poc_id": "poc_001"}])
def test_only_a_poc_gates_others(fields: dict[str, Any]) -> None:
    assert found(api_agent=doer(**fields), web_agent=doer()) == [("roster.poc", "api_agent")]


# --- how it is called -------------------------------------------------------------------------------------------------


def guidance(**fields: Any) -> dict[str, Any]:
    entry = {"agent_type": "mail_agent", "template": DOER, "capabilities": ["smtp"], "description": "Sends mail"}
    entry |= fields.pop("registry_entry", {})
    return {"reason": "Nobody sends mail", "base_template": DOER, "registry_entry": entry, **fields}


STEWARD = {
    "registry_entry": {"invocation_pattern": "slash_command", "template": "~/.claude/commands/persona-steward.md"},
    "slash_command_name": "/persona-steward",
}


@pytest.mark.parametrize("made", [verifier, poc])
def test_only_a_doer_can_be_somebody_that_a_person_calls(made: Any) -> None:
    agents = {"api_agent": doer(), "other": made(invocation_pattern="slash_command")}
    assert found(**agents) == [("roster.pattern", "other")]


@pytest.mark.parametrize(
    ("fields", "given", "fits"),
    [
        ({}, {}, True),
        ({"invocation_pattern": "slash_command"}, {}, False),
        ({}, {"slash_command_name": "/mail"}, False),
        ({"invocation_pattern": "slash_command"}, STEWARD, True),
        ({}, STEWARD, False),
        ({"invocation_pattern": "slash_command"}, {**STEWARD, "slash_command_name": "/other"}, False),
        ({"invocation_pattern": "slash_command"}, {**STEWARD, "slash_command_name": None}, False),
    ],
)
def test_who_is_to_be_made_is_called_as_the_roster_calls_it(
    fields: dict[str, Any], given: dict[str, Any], fits: bool
) -> None:
    agent = doer(creation_guidance=guidance(**given), **fields)
    assert found(mail_agent=agent) == ([] if fits else [("roster.pattern", "mail_agent")])


# --- who is missing ---------------------------------------------------------------------------------------------------


def completed(**agents: dict[str, Any]) -> Roster:
    given = {name: Proposed.model_validate(fields) for name, fields in agents.items()}
    return agent_registry.completed(given, BUILT_IN, lambda _: False, task_id=f"mail_{AT}", created=AT)


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    ("agent", "rules"),
    [
        (doer(), ["roster.guidance"]),
        (doer(creation_guidance=guidance()), []),
        (doer(creation_guidance=guidance(registry_entry={"agent_type": "post_agent"})), ["roster.guidance"]),
        (doer(creation_guidance=guidance(registry_entry={"capabilities": []})), ["roster.guidance"]),
        (doer(creation_guidance=guidance(), capabilities_required=["smtp"]), []),
        (doer(creation_guidance=guidance(), capabilities_required=["smtp", "imap"]), ["roster.guidance"]),
        (doer(agent_type="post_agent", creation_guidance=guidance()), ["roster.guidance"]),
        (doer(agent_type="post_agent", creation_guidance=guidance(registry_entry={"agent_type": "post_agent"})), []),
    ],
)
def test_a_missing_agent_has_whole_guidance_for_itself(agent: dict[str, Any], rules: list[str]) -> None:
    findings = tuple(roster_checks.guidance_findings(completed(mail_agent=agent, api_agent=doer())))
    assert [one.rule for one in findings] == rules
    assert all(one.about == "mail_agent" for one in findings)


def test_an_agent_that_is_known_needs_no_guidance() -> None:
    assert not tuple(roster_checks.guidance_findings(completed(api_agent=doer(), api_verifier=verifier())))
