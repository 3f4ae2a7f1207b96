"""What is wrong with file contracts and checkpoints, each finding with its rule, whom it is about and a repair."""

from __future__ import annotations

from typing import Any

import pytest
from orchestration_team import HEAD, checkpoint, contracts, roster

from signoff.core.findings import failing
from signoff.workflows.orchestration import places
from signoff.workflows.orchestration.checks import contract_checks
from signoff.workflows.orchestration.checks.contract_checks import contract_findings
from signoff.workflows.orchestration.documents.contracts import Checkpoints

PEOPLE = roster(
    {
        "database_agent": "",
        "api_agent": "database_agent",
        "qa_verifier": {"kind": "verifier"},
        "poc_pool": {"kind": "poc", "gates": ["api_agent"]},
    }
)
SOUND: dict[str, Any] = {
    "database_agent": {"reads": ["README.md"], "writes": ["db/", "orchestration/agents/database_agent/task_output/"]},
    "api_agent": {"reads": [("db/schema.sql", "database_agent")], "writes": ["src/api/*.py"]},
    "api_verifier": {"reads": [("src/api/main.py", "api_agent")]},
    "poc_pool": {"writes": ["orchestration/agents/poc_pool/task_output/pool.md"]},
}


def about_files(**changed: dict[str, Any] | None) -> list[tuple[str, str, str]]:
    given = {name: one for name, one in {**SOUND, **changed}.items() if one is not None}
    found = contract_findings(contracts(given), PEOPLE)
    assert all(one.file == places.CONTRACTS and one.repair for one in found)
    return [(one.rule.removeprefix("contracts."), one.about, one.problem) for one in found]


# --- file contracts ---------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-12")
def test_nothing_is_wrong_with_sound_contracts() -> None:
    assert about_files() == []


@pytest.mark.req("OR-12")
@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"apy_agent": {"writes": ["x"]}}, ("agent", "apy_agent", "apy_agent has a contract and is not in the roster")),
        ({"api_agent": None, "api_verifier": None}, ("missing", "api_agent", "api_agent has no contract")),
        ({"poc_pool": None}, ("missing", "poc_pool", "poc_pool has no contract")),
        (
            {"api_agent": {"reads": ["x"]}, "api_verifier": None},
            ("idle", "api_agent", "api_agent writes nothing that a verifier could look at"),
        ),
        (
            {"api_verifier": {"reads": ["/etc/passwd"]}},
            (
                "path",
                "api_verifier",
                "api_verifier reads '/etc/passwd': it is absolute; paths count from the project's",
            ),
        ),
        (
            {"poc_pool": {"writes": ["../x"]}},
            ("path", "poc_pool", "poc_pool writes '../x': `..` leads out of its folder"),
        ),
        (
            {"poc_pool": {"writes": ["x/{a,b}.md"]}},
            ("path", "poc_pool", "poc_pool writes 'x/{a,b}.md': braces stand for themselves, not for a choice"),
        ),
        (
            {"api_verifier": {"reads": [("x", "mail_agent")]}},
            ("from", "api_verifier", "api_verifier reads x from mail_agent, which is not in the roster"),
        ),
        (
            {"api_verifier": {"reads": [("x", "api_agent")]}},
            ("from", "api_verifier", "api_verifier reads x from api_agent, which does not write it; no agent does"),
        ),
        (
            {"api_verifier": {"reads": [("db/x", "api_agent")]}},
            ("from", "api_verifier", "api_verifier reads db/x from api_agent, which does not write it"),
        ),
        (
            {"poc_pool": {"writes": ["orchestration/agents/api_agent/task_output/x"]}},
            (
                "foreign",
                "poc_pool",
                "poc_pool writes orchestration/agents/api_agent/task_output/x; that is the output of",
            ),
        ),
        (
            {"poc_pool": {"writes": ["orchestration/agents/poc_pool/verification_results.json"]}},
            ("foreign", "poc_pool", "that is what code writes below orchestration/"),
        ),
        ({"poc_pool": {"writes": [places.STATUS]}}, ("foreign", "poc_pool", "that is what code writes")),
        ({"poc_pool": {"writes": ["orchestration/"]}}, ("foreign", "poc_pool", "that is what code writes")),
        (
            {"poc_pool": {"writes": ["**/*.md"]}},
            ("foreign", "poc_pool", "a star crosses slashes, so it reaches what code writes below orchestration/"),
        ),
        (
            {"poc_pool": {"writes": ["_workflow/orchestration/user-management/journal.jsonl"]}},
            ("foreign", "poc_pool", "_workflow/ belongs to the runs"),
        ),
        (
            {"poc_pool": {"writes": ["src/api"]}},
            ("folder", "poc_pool", "src/api is a file to poc_pool, and api_agent has src/api/*.py"),
        ),
    ],
)
def test_a_contract_that_does_not_fit_is_told_of(changed: dict[str, Any], wanted: tuple[str, str, str]) -> None:
    (found,) = about_files(**changed)
    assert found[:2] == wanted[:2]
    assert wanted[2] in found[2]


@pytest.mark.parametrize(
    "path",
    [
        "_workflow/orchestration/config.yaml", "_Workflow/x", ".git/hooks/pre-commit", ".GIT/config",
        ".claude/settings.json", ".mcp.json", "Orchestration/agent_roster.json", "ORCHESTRATION/agents/**",
        "vendor/tool/.git/config", "src/.Claude/settings.json", "orchestration/agents/poc_pool/task_output/.git/config",
    ],
)  # fmt: skip
def test_no_contract_reaches_what_rules_over_agents(path: str) -> None:
    """Who could write a hook of git or a setting of Claude Code would need no contract any more."""
    assert [rule for rule, _, _ in about_files(poc_pool={"writes": [path]})] == ["foreign"]


def test_more_patterns_than_can_be_compared_are_refused_at_once() -> None:
    """A thousand of them took a run longer than anybody waits, and every start of it again."""
    many = {"reads": ["README.md"], "writes": [f"src/*{number}*z{number}*q" for number in range(1000)]}
    assert [(rule, about) for rule, about, _ in about_files(poc_pool=many)] == [("many", "")]


def test_who_writes_what_is_read_is_offered() -> None:
    given = contracts({**SOUND, "api_verifier": {"reads": [("db/x", "api_agent")]}})
    (found,) = contract_findings(given, PEOPLE)
    assert found.repair == "name database_agent"
    (found,) = contract_findings(contracts({**SOUND, "apy_agent": {}}), PEOPLE)
    assert found.repair == "rename it to api_agent"


@pytest.mark.parametrize(("required", "fails"), [(True, True), (False, False)])
def test_a_read_that_nobody_writes_fails_if_it_is_required(required: bool, fails: bool) -> None:
    given = contracts(SOUND).model_dump(mode="json", by_alias=True)
    given["agents"]["api_verifier"]["reads"] = [{"path": "x", "from": "api_agent", "required": required}]
    found = contract_findings(type(contracts({})).model_validate(given), PEOPLE)
    assert (len(found), bool(failing(found))) == (1, fails)


def test_a_read_that_names_nobody_was_there_before_and_one_may_read_what_one_writes() -> None:
    assert about_files(poc_pool={"reads": ["LICENSE", ("x.md", "poc_pool")], "writes": ["x.md"]}) == []


# --- checkpoints ------------------------------------------------------------------------------------------------------


def about_checks(*given: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = tuple(
        contract_checks.checkpoint_findings(Checkpoints.model_validate({**HEAD, "checkpoints": given}), PEOPLE)
    )
    assert all(one.file == places.CHECKPOINTS and one.repair for one in found)
    return [(one.rule.removeprefix("checkpoints."), one.about, one.problem) for one in found]


BOTH = (checkpoint("database_agent", "qa_verifier"), checkpoint("api_agent"))


@pytest.mark.req("OR-12")
@pytest.mark.parametrize("verifier", [None, "api_verifier", "qa_verifier", "database_verifier"])
def test_nothing_is_wrong_with_a_checkpoint_for_every_doer(verifier: str | None) -> None:
    assert about_checks(BOTH[0], checkpoint("api_agent", verifier)) == []


@pytest.mark.req("OR-12")
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (BOTH[:1], ("missing", "api_agent", "api_agent has no checkpoint")),
        ((*BOTH, checkpoint("api_agent", id="c9")), ("twice", "api_agent", "api_agent has more than one checkpoint")),
        (
            (BOTH[0], checkpoint("api_agent", id="check_database_agent")),
            ("id", "check_database_agent", "two checkpoints have the id check_database_agent"),
        ),
        (
            (*BOTH, checkpoint("mail_agent")),
            ("doer", "check_mail_agent", "check_mail_agent is for mail_agent, which is not in the roster"),
        ),
        (
            (*BOTH, checkpoint("poc_pool")),
            ("doer", "check_poc_pool", "a poc; its spec says when it passes and fails"),
        ),
        ((*BOTH, checkpoint("qa_verifier")), ("doer", "check_qa_verifier", "a verifier is not verified")),
        (
            (BOTH[0], checkpoint("api_agent", "ci_verifier")),
            ("verifier", "check_api_agent", "names ci_verifier as verifier, which is not in the roster"),
        ),
        (
            (BOTH[0], checkpoint("api_agent", "database_agent")),
            ("verifier", "check_api_agent", "names database_agent as verifier, which is a doer"),
        ),
        ((BOTH[0], checkpoint("api_agent", criteria=[])), ("criteria", "check_api_agent", "has no criteria")),
        (
            (BOTH[0], checkpoint("api_agent", criteria=[{"id": "c1", "text": "It is fast", "evidence": " TBD. "}])),
            ("criteria", "check_api_agent", "criterion c1 of check_api_agent cannot be measured"),
        ),
        (
            (BOTH[0], checkpoint("api_agent", criteria=2 * checkpoint("x")["criteria"])),
            ("criteria", "check_api_agent", "check_api_agent has two criteria c1"),
        ),
        (
            (BOTH[0], checkpoint("api_agent", failure_modes=[])),
            ("failures", "check_api_agent", "check_api_agent has no failure modes"),
        ),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_told_of(
    given: tuple[dict[str, Any], ...], wanted: tuple[str, str, str]
) -> None:
    (found,) = about_checks(*given)
    assert found[:2] == wanted[:2]
    assert wanted[2] in found[2]
