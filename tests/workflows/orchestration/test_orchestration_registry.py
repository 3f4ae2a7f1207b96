"""The registry: three levels, the nearest entry wins, and whether an agent exists is looked up and never believed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.documents import agent_registry
from signoff.workflows.orchestration.documents.agent_instructions import TEMPLATES
from signoff.workflows.orchestration.documents.agent_registry import BUILT_IN, Registry
from signoff.workflows.orchestration.documents.agent_roster import Proposed, RegistryEntry, Roster
from signoff.workflows.orchestration.ids import TASK_ID
from signoff.workflows.orchestration.outputs import RosterOutput, reader

AT = 1727539200
DOER = "orchestration_doer_agent_template.md"
PERSONAS = (
    "plan_developer", "solution_architect", "workflow_designer", "risk_assessment", "design_verifier",
    "workflow_executor", "escalation_resolution", "workflow_adaptation",
)  # fmt: skip


def has(*paths: str) -> Callable[[str], bool]:
    return lambda path: path in paths


def known(**types: str) -> Registry:
    """A registry of agents that take turns, each with its template."""
    entries = {name: {"template": template, "description": name} for name, template in types.items()}
    return Registry.model_validate({"agent_types": entries})


def talking(name: str, file: str) -> Registry:
    entry = {"slash_command": "/steward", "command_file": file, "description": "talks"}
    return Registry.model_validate({"interactive_agents": {name: entry}})


def proposed(role: str = "Does it", **fields: Any) -> Proposed:
    return Proposed.model_validate({"role": role, **fields})


def completed(agents: dict[str, Proposed], levels: Registry = BUILT_IN, *paths: str) -> Roster:
    return agent_registry.completed(agents, levels, has(*paths), task_id=f"user_management_{AT}", created=AT)


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-4")
def test_the_built_in_registry_has_the_agents_of_the_protocol_and_the_eight_personas() -> None:
    assert set(BUILT_IN.agent_types) == {
        "database_agent", "api_agent", "frontend_agent", "test_agent", "documentation_agent", "verifier_agent",
        "tactical_solution_architect_agent", "archival_agent",
    }  # fmt: skip
    assert tuple(BUILT_IN.interactive_agents) == PERSONAS
    for name, entry in BUILT_IN.interactive_agents.items():
        called = name.replace("_", "-")
        assert entry.slash_command == f"/signoff-persona-{called}" == agent_registry.slash_command(entry.command_file)
        assert entry.command_file == f".claude/skills/signoff-persona-{called}/SKILL.md"
    assert {entry.template for entry in BUILT_IN.agent_types.values()} == set(TEMPLATES)
    assert all(entry.capabilities for entry in BUILT_IN.agent_types.values())


def test_a_registry_is_the_same_after_writing_and_reading() -> None:
    text = agent_registry.render(BUILT_IN)
    assert agent_registry.parse(text.encode(), "r.json") == BUILT_IN
    assert agent_registry.render(agent_registry.parse(text.encode(), "r.json")) == text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"agent_types": {"api_agent": {"description": "x"}}}, "`agent_types.api_agent.template` is missing"),
        ({"agent_types": {"Api": {"template": "t", "description": "x"}}}, "is 'Api'; valid"),
        ({"agent_type": {}}, "rename it to `agent_types`"),
        ({"interactive_agents": {"a": {"slash_command": "a b", "command_file": "f", "description": "d"}}}, "is typed"),
        ({"agent_types": {"a": {"invocation_pattern": "x", "template": "t", "description": "d"}}}, "task_tool"),
        ({"last_updated": "2025-01-01"}, "Unix seconds"),
    ],
)  # fmt: skip
def test_a_registry_that_cannot_be_read_says_where_and_how_to_mend_it(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        agent_registry.parse(json.dumps(change, indent=1).encode(), "home.json")
    assert said in str(caught.value)
    assert all(finding.file == "home.json" and finding.line for finding in caught.value.findings)


# --- levels -----------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-4")
def test_levels_are_merged_entry_by_entry_and_the_nearest_wins() -> None:
    user, project = known(api_agent="mine.md", mail_agent="mail.md"), known(api_agent="ours.md")
    whole = agent_registry.merged(BUILT_IN, user, project)
    assert whole.agent_types["api_agent"].template == "ours.md"
    assert whole.agent_types["mail_agent"].template == "mail.md"
    assert whole.agent_types["database_agent"] == BUILT_IN.agent_types["database_agent"]
    assert whole.interactive_agents == BUILT_IN.interactive_agents
    assert agent_registry.merged(BUILT_IN, project, user).agent_types["api_agent"].template == "mine.md"


@pytest.mark.req("OR-4")
def test_an_agent_is_what_the_nearest_level_says_also_when_that_is_another_kind() -> None:
    steward = talking("api_agent", "x.md")
    assert agent_registry.merged(BUILT_IN, steward).pattern("api_agent") == "slash_command"
    assert agent_registry.merged(steward, BUILT_IN).pattern("api_agent") == "task_tool"
    assert agent_registry.merged(BUILT_IN).pattern("nobody_agent") is None


def test_merging_one_level_changes_nothing_and_the_newest_time_counts() -> None:
    assert agent_registry.merged(BUILT_IN) == BUILT_IN
    later = known(a_agent=DOER).model_copy(update={"last_updated": AT})
    assert agent_registry.merged(later, BUILT_IN).last_updated == AT


def entry(**fields: Any) -> RegistryEntry:
    base = {"agent_type": "mail_agent", "template": DOER, "capabilities": ["smtp"], "description": "Sends mail"}
    return RegistryEntry.model_validate({**base, **fields})


@pytest.mark.req("OR-11")
def test_a_created_agent_has_its_entry_in_the_projects_registry() -> None:
    first = agent_registry.with_entry(None, entry(), AT)
    assert first.agent_types["mail_agent"].model_dump() == {
        "invocation_pattern": "task_tool", "template": DOER, "capabilities": ("smtp",), "description": "Sends mail",
    }  # fmt: skip
    assert (first.last_updated, list(first.agent_types)) == (AT, ["mail_agent"]), (
        "the built-in ones stay where they are"
    )
    second = agent_registry.with_entry(first, entry(agent_type="post_agent"), AT + 1)
    assert (second.last_updated, list(second.agent_types)) == (AT + 1, ["mail_agent", "post_agent"])
    assert agent_registry.parse(agent_registry.render(second).encode(), "r.json") == second


@pytest.mark.req("OR-11")
def test_a_created_agent_that_talks_is_called_after_its_command_file() -> None:
    file = "~/.claude/commands/persona-steward.md"
    made = agent_registry.with_entry(None, entry(invocation_pattern="slash_command", template=file), AT)
    talks = made.interactive_agents["mail_agent"]
    assert (talks.slash_command, talks.command_file, made.agent_types) == ("/persona-steward", file, {})


# --- what is there ----------------------------------------------------------------------------------------------------

HOME, OURS = f"~/.claude/protocols/{DOER}", f"orchestration/templates/{DOER}"


@pytest.mark.req("OR-4")
@pytest.mark.parametrize(
    ("template", "there", "place"),
    [
        (DOER, (), DOER),
        (HOME, (), DOER),
        (DOER, (HOME,), HOME),
        (HOME, (HOME,), HOME),
        (DOER, (HOME, OURS), OURS),
        (HOME, (OURS,), DOER),
        ("mail_template.md", (), None),
        ("mail_template.md", ("~/.claude/protocols/mail_template.md",), "~/.claude/protocols/mail_template.md"),
        ("orchestration/x/mail.md", ("orchestration/x/mail.md",), "orchestration/x/mail.md"),
        ("orchestration/x/mail.md", (), None),
        ("~/.claude/other/mail.md", (), None),
        (f"elsewhere/{DOER}", (), None),
        ("", (), None),
    ],
)
def test_a_template_is_where_the_nearest_one_of_its_name_is(
    template: str, there: tuple[str, ...], place: str | None
) -> None:
    assert agent_registry.template_place(template, has(*there)) == place


SKILL = ".claude/skills/signoff-persona-mail/SKILL.md"
"""What Claude Code has for the project or for the person, with its prefix or without."""


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    ("levels", "there", "exists"),
    [
        (known(mail_agent=DOER), (), True),
        (known(mail_agent="mail_template.md"), (), False),
        (known(mail_agent="mail_template.md"), ("orchestration/templates/mail_template.md",), True),
        (known(other_agent=DOER), (), False),
        (talking("mail_agent", "~/.claude/commands/persona-mail.md"), (), False),
        (
            talking("mail_agent", "~/.claude/commands/persona-mail.md"),
            ("~/.claude/commands/persona-mail.md",),
            True,
        ),
        (talking("mail_agent", SKILL), (SKILL,), True),
        (talking("mail_agent", SKILL), (f"~/{SKILL}",), True),
        (talking("mail_agent", SKILL), ("~/.claude/skills/persona-mail/SKILL.md",), True),
        (talking("mail_agent", SKILL), (".claude/skills/mail/SKILL.md",), False),
    ],
)
def test_an_agent_exists_when_it_is_known_and_its_file_is_there(
    levels: Registry, there: tuple[str, ...], exists: bool
) -> None:
    made = completed({"mail_agent": proposed()}, agent_registry.merged(BUILT_IN, levels), *there)
    assert made.agents["mail_agent"].exists is exists
    assert made.missing_agents == (() if exists else ("mail_agent",))
    assert made.requires_user_action is not exists


# --- the roster -------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10")
def test_missing_agents_are_listed_in_their_order_and_need_a_person() -> None:
    made = completed({"z_agent": proposed(), "api_agent": proposed(), "b_agent": proposed()})
    assert (made.missing_agents, made.requires_user_action) == (("b_agent", "z_agent"), True)
    assert list(made.agents) == ["z_agent", "api_agent", "b_agent"], "as it was proposed"
    assert not completed({"api_agent": proposed()}).requires_user_action


@pytest.mark.req("OR-10")
def test_one_of_several_exists_when_its_type_does() -> None:
    made = completed({"mail_verifier": proposed(kind="verifier", agent_type="verifier_agent")})
    assert made.agents["mail_verifier"].exists
    assert made.type_of("mail_verifier") == "verifier_agent"


@pytest.mark.req("OR-10")
def test_template_and_pattern_are_those_of_the_registry_whatever_was_proposed() -> None:
    wrong = proposed(template="some_other_template.md", invocation_pattern="slash_command")
    made = completed({"api_agent": wrong}).agents["api_agent"]
    assert (made.template, made.invocation_pattern, made.exists) == (DOER, "task_tool", True)


@pytest.mark.req("OR-10")
def test_a_missing_agent_has_the_template_that_it_would_be_created_with() -> None:
    guidance = {"reason": "r", "base_template": DOER, "registry_entry": entry(template="mail_template.md").model_dump()}
    made = completed({"mail_agent": proposed(creation_guidance=guidance, template=DOER)})
    assert made.agents["mail_agent"].template == "mail_template.md"


@pytest.mark.req("OR-3", "OR-10")
@pytest.mark.parametrize("field", ["exists", "task_id", "missing", "status"])
def test_an_agent_that_says_that_it_exists_is_refused(field: str) -> None:
    raw = json.dumps({"agents": {"mail_agent": {"role": "Sends mail", field: True}}})
    with pytest.raises(DocumentError, match=rf"agents.mail_agent.{field}: Extra inputs are not permitted"):
        reader(RosterOutput)(raw.encode(), "raw.txt")


def test_a_completed_roster_can_be_completed_again_once_somebody_was_created() -> None:
    first = completed({"mail_agent": proposed("Sends mail"), "api_agent": proposed("Builds it")})
    levels = agent_registry.merged(BUILT_IN, agent_registry.with_entry(None, entry(), AT))
    second = completed(dict(first.agents), levels)
    assert second.missing_agents == ()
    assert [one.task_id for one in second.agents.values()] == [one.task_id for one in first.agents.values()]


# --- task ids ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-10")
@pytest.mark.parametrize(
    ("name", "role", "slug"),
    [
        ("database_agent", "Create the users table", "database_create_the_users_table"),
        (
            "api_agent",
            "Build: POST /users, GET /users/:id and five more endpoints",
            "api_build_post_users_get_users_id",
        ),
        ("mail_verifier", "Look at mail_agent's proof", "mail_verifier_look_at_mail_agents_proof"),
        ("poc_mail", "Größe prüfen", "poc_mail_groe_prufen"),
        ("mail_agent", "发送邮件", "mail"),
        ("agent", "1st", "agent_1st"),
        ("a" * 80, "one two three four five six", "a" * 80 + "_one_two_three_four"),
    ],
)
def test_a_task_id_is_made_of_name_role_and_second(name: str, role: str, slug: str) -> None:
    assert agent_registry.agent_task_id(name, proposed(role), AT, ()) == f"{slug}_{AT}"


@pytest.mark.req("OR-10")
def test_ids_that_would_be_the_same_get_a_number_in_the_order_of_names() -> None:
    agents = {
        "mail_agent": proposed("send it"),
        "mail_send": proposed("it"),
        "mail": proposed("send it"),
        "mail_send_it": proposed("2"),
    }
    made = completed(agents)
    assert {name: one.task_id for name, one in made.agents.items()} == {
        "mail": f"mail_send_it_{AT}",
        "mail_agent": f"mail_send_it_2_{AT}",
        "mail_send": f"mail_send_it_3_{AT}",
        "mail_send_it": f"mail_send_it_2_2_{AT}",
    }
    again = completed(dict(reversed(agents.items())))
    assert {name: one.task_id for name, one in again.agents.items()} == {
        name: one.task_id for name, one in made.agents.items()
    }


def test_no_agent_has_the_id_of_the_whole_task() -> None:
    made = completed({"user_agent": proposed("management")})
    assert made.agents["user_agent"].task_id == f"user_management_2_{AT}"


NAMES = st.from_regex(r"[a-c](?:_[a-c1])?(?:_agent|_verifier)?", fullmatch=True)


@given(st.dictionaries(NAMES, st.text(max_size=12).filter(str.strip), min_size=1, max_size=8))
def test_task_ids_are_unique_and_well_formed_whatever_the_roles_say(roles: dict[str, str]) -> None:
    made = completed({name: proposed(role) for name, role in roles.items()})
    ids = [one.task_id for one in made.agents.values()]
    assert len(set(ids)) == len(ids)
    assert all(TASK_ID.fullmatch(one) for one in ids)


# --- at home ----------------------------------------------------------------------------------------------------------


def test_every_pattern_that_is_borrowed_has_its_copies_where_they_are_looked_for() -> None:
    for pattern, folder in places.borrows("user-management").items():
        example = pattern.replace("*", "x")
        assert places.copy_of("user-management", example) == folder + example.rpartition("/")[2]
        assert re.fullmatch(r"_workflow/orchestration/user-management/home/[a-z_/]+/", folder)
    assert places.USER_REGISTRY in places.borrows("user-management")
