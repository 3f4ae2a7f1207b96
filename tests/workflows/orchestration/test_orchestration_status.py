"""`shared_status.json`: the form, and what stands in it before anybody has begun."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from orchestration_team import AT, HEAD, design

from signoff.core.errors import DocumentError
from signoff.workflows.orchestration.documents import shared_status
from signoff.workflows.orchestration.sequence.sequencer import sequence

EXAMPLE: dict[str, Any] = {
    "task_id": HEAD["task_id"],
    "status": "in_progress",
    "session_start": 1727539800,
    "agents": {
        "database_agent": {
            "status": "completion_drive_review",
            "completion_drive_notes_count": 3,
            "unresolved_notes": 1,
            "last_update": 1727540700,
        },
        "api_agent": {"status": "working", "completion_drive_notes_count": 0, "last_update": 1727539800},
        "frontend_agent": {
            "status": "pending",
            "completion_drive_notes_count": 0,
            "dependencies": ["database_agent", "api_agent"],
            "last_update": None,
        },
    },
    "verification": {"database_verifier": {"status": "pending", "assigned_agents": ["database_agent"]}},
    "overall_completion_drive_gate": "blocked",
}


def read(plain: Any) -> shared_status.SharedStatus:
    return shared_status.parse(json.dumps(plain).encode(), "orchestration/shared_status.json")


@pytest.mark.req("OR-12")
def test_the_example_is_read_and_what_it_leaves_out_is_none() -> None:
    known = read(EXAMPLE)
    assert known.agents["api_agent"].unresolved_notes == 0
    assert known.agents["api_agent"].dependencies == ()
    assert known.agents["frontend_agent"].last_update is None
    assert shared_status.parse(shared_status.render(known).encode(), "x") == known
    assert '"last_update": null' in shared_status.render(known)


def test_the_words_for_a_status_are_those_of_the_spec() -> None:
    assert get_args(shared_status.RunStatus) == ("pending", "in_progress", "blocked", "failed", "complete")
    assert get_args(shared_status.AgentStatus) == (
        "pending", "working", "completion_drive_review", "ready_for_verification", "verified", "blocked", "failed",
        "session_complete",
    )  # fmt: skip
    assert get_args(shared_status.VerifierStatus) == ("pending", "working", "verified", "failed")
    assert get_args(shared_status.Gate) == ("blocked", "clear")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["status"], "done"),
        (["agents", "api_agent", "status"], "finished"),
        (["agents", "api_agent", "last_update"], "2024-09-28T16:10:00Z"),
        (["agents", "api_agent", "completion_drive_notes_count"], -1),
        (["verification", "database_verifier", "status"], "blocked"),
        (["verification", "database_verifier", "assigned_agents"], []),
        (["overall_completion_drive_gate"], "open"),
        (["task_id"], "implement_user_management"),
    ],
)
def test_any_other_word_is_refused_with_its_place(path: list[str], value: Any) -> None:
    plain = json.loads(json.dumps(EXAMPLE))
    inner = plain
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(DocumentError) as caught:
        read(plain)
    assert ".".join(path) in caught.value.findings[0].problem


@pytest.mark.req("OR-3", "OR-12")
def test_before_anybody_has_begun_everybody_is_pending_and_nothing_is_open() -> None:
    agents = {
        "database_agent": "",
        "api_agent": "database_agent",
        "docs_agent": "",
        "poc_pool": {"kind": "poc", "gates": ["api_agent"]},
    }
    given = design(agents, {"docs_agent": {"reads": [("openapi.yaml", "api_agent")]}}, docs_agent="qa_verifier")
    made = shared_status.initial(given[0], sequence(*given), AT + 60)
    plain = json.loads(shared_status.render(made))
    assert plain == {
        "task_id": HEAD["task_id"],
        "status": "pending",
        "session_start": AT + 60,
        "agents": {
            name: {
                "status": "pending",
                "completion_drive_notes_count": 0,
                "unresolved_notes": 0,
                "dependencies": waits_for,
                "last_update": None,
            }
            for name, waits_for in {
                "api_agent": ["database_agent", "poc_pool"],
                "database_agent": [],
                "docs_agent": ["api_agent"],
                "poc_pool": [],
            }.items()
        },
        "verification": {
            "api_verifier": {"status": "pending", "assigned_agents": ["api_agent"]},
            "database_verifier": {"status": "pending", "assigned_agents": ["database_agent"]},
            "qa_verifier": {"status": "pending", "assigned_agents": ["docs_agent"]},
        },
        "overall_completion_drive_gate": "clear",
    }
    assert list(plain["agents"]) == sorted(plain["agents"])


@pytest.mark.req("OR-12")
def test_a_verifier_of_several_doers_has_them_all_and_they_wait_for_each_other_by_name() -> None:
    given = design({"a_agent": "", "b_agent": "a_agent"}, a_agent="qa_verifier", b_agent="qa_verifier")
    made = shared_status.initial(given[0], sequence(*given), AT)
    assert made.verification["qa_verifier"].assigned_agents == ("a_agent", "b_agent")
    assert made.agents["b_agent"].dependencies == ("a_agent",)
