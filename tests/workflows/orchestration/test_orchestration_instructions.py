"""Instructions: eight headings, every path and criterion, the rules on notes and authority, and no other shape."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from orchestration_texts import NASTY, TEXTS

from signoff.artifacts import markdown_headings
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding
from signoff.workflows.orchestration.documents import agent_instructions, agent_registry
from signoff.workflows.orchestration.documents.agent_instructions import BLOCKS, HEADINGS, INLINE, TEMPLATES
from signoff.workflows.orchestration.documents.agent_roster import CreationGuidance
from signoff.workflows.orchestration.documents.contracts import Checkpoint, FileContract
from signoff.workflows.orchestration.documents.risks import Poc
from signoff.workflows.orchestration.outputs import InstructionsOutput
from signoff.workflows.orchestration.work.notes import CATEGORIES, DECIDES

NAME = "database_agent"
PATH = f"orchestration/agents/{NAME}/agent_instructions.md"
DOER, VERIFIER, TACTICAL, ARCHIVAL = (
    f"orchestration_{kind}_agent_template.md"
    for kind in ("doer", "verifier", "tactical_solution_architect", "archival")
)
CONTRACT = FileContract.model_validate(
    {
        "reads": [
            {"path": "src/models.py", "format": "Python"},
            {"path": "orchestration/agents/plan_agent/task_output/**", "from": "plan_agent", "required": False},
        ],
        "writes": [{"path": "migrations/0007.sql", "format": "SQL", "description": "adds due dates"}],
        "resources": ["test database"],
    }
)
CHECK = Checkpoint.model_validate(
    {
        "id": "due_dates",
        "doer": NAME,
        "criteria": [
            {"id": "dd-1", "text": "Every open loan has a due date", "evidence": "a count", "command": "pytest -q a"},
            {"id": "dd-10", "text": "It can be undone", "evidence": "two dumps"},
        ],
        "failure_modes": [{"mode": "A loan has no first day.", "remediation": "list it and escalate"}],
    }
)
TASK = "Give loans a due date.\n\n1. Read `src/models.py`.\n2. Write the migration."


def output(**fields: Any) -> InstructionsOutput:
    base = {
        "agent": NAME,
        "task": TASK,
        "inputs": [
            {"path": "src/models.py", "purpose": "what there is."},
            {"path": "orchestration/agents/plan_agent/task_output/**", "purpose": "what was planned"},
        ],
        "outputs": [{"path": "migrations/0007.sql", "purpose": "step 2"}],
        "evidence": ["the output of `pytest -q a`", "both dumps"],
    }
    return InstructionsOutput.model_validate({**base, **fields})


def made(template: str = DOER, practices: tuple[str, ...] = (), check: Any = (CHECK,), **fields: Any) -> str:
    return agent_instructions.render(
        NAME, output(**fields), TEMPLATES.get(template, template), CONTRACT, check, practices
    )


def found(text: str, check: Any = (CHECK,)) -> tuple[Finding, ...]:
    return tuple(agent_instructions.findings(text, PATH, NAME, CONTRACT, check))


def rules(text: str) -> list[tuple[str, str]]:
    return [(one.rule, one.about) for one in found(text)]


def part(text: str, title: str) -> str:
    return agent_instructions.parse(text.encode(), PATH).parts[title]


# --- the shipped templates --------------------------------------------------------------------------------------------


@pytest.mark.req("OR-4")
def test_templates_ship_for_doer_verifier_tactical_architect_and_archival() -> None:
    assert set(TEMPLATES) == {DOER, VERIFIER, TACTICAL, ARCHIVAL}
    for name, text in TEMPLATES.items():
        assert not tuple(agent_instructions.template_findings(text, name))


NOTE_FIELDS = (
    "note_id", "timestamp", "description", "context", "category", "status", "resolution", "resolved_by",
    "resolution_timestamp", "escalation_reason",
)  # fmt: skip
STATUSES = (
    "pending", "working", "completion_drive_review", "ready_for_verification", "verified", "blocked", "failed",
    "session_complete",
)  # fmt: skip


@pytest.mark.req("OR-4")
@pytest.mark.parametrize("name", [DOER, VERIFIER, TACTICAL, ARCHIVAL])
def test_each_template_carries_lifecycle_reading_products_and_the_rules_on_notes(name: str) -> None:
    parts = agent_instructions.parse(TEMPLATES[name].encode(), name).parts
    assert "orchestration/shared_status.json" in parts["Inputs"]
    assert "one document" in parts["Outputs"]
    never = r"you\s+never write those files|You change nothing of the work|You do not edit|You move, rename, change"
    assert re.search(never, parts["Outputs"])
    for word in (*NOTE_FIELDS, *CATEGORIES, "open", "resolved", "escalated", "agent_self", "user"):
        assert f"`{word}`" in parts["Notes"], word
    for step in ("**Begin.**", "**End.**"):
        assert step in parts["Turn Lifecycle"]
    doubt = "In doubt, it is not shown." if name == VERIFIER else "In doubt, escalate."
    assert doubt in parts["Escalation"]


@pytest.mark.req("OR-4")
@pytest.mark.parametrize("name", [DOER, TACTICAL, ARCHIVAL])
def test_each_template_for_work_says_which_statuses_are_proposed_and_which_never(name: str) -> None:
    lifecycle = agent_instructions.parse(TEMPLATES[name].encode(), name).parts["Turn Lifecycle"]
    assert set(re.findall(r"`([a-z_]+)`", lifecycle)) >= set(STATUSES)
    assert re.search(r"code sets it if it is\s+allowed", lifecycle)


WHO = {
    "tactical_solution_architect": {DOER: "tactical solution architect", TACTICAL: "you"},
    "person": {TACTICAL: "a person", DOER: "a person"},
    "escalation_resolution": {DOER: "escalation-resolution", TACTICAL: "escalation-resolution"},
    "agent_self": {DOER: "you", TACTICAL: "you", VERIFIER: "itself"},
}


@pytest.mark.req("OR-4")
@pytest.mark.parametrize("name", [DOER, VERIFIER, TACTICAL, ARCHIVAL])
@pytest.mark.parametrize("category", CATEGORIES)
def test_each_template_says_who_decides_each_category(name: str, category: str) -> None:
    escalation = agent_instructions.parse(TEMPLATES[name].encode(), name).parts["Escalation"]
    [row] = [line for line in escalation.splitlines() if line.startswith("|") and f"`{category}`" in line]
    by = WHO[DECIDES[category]]  # type: ignore[index]
    assert by.get(name, by[DOER]) in row.rsplit("|", 2)[1]


# --- filling ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-4", "OR-12")
@pytest.mark.parametrize("name", [DOER, VERIFIER, TACTICAL, ARCHIVAL])
def test_instructions_have_the_eight_headings_and_need_no_other_file_to_be_understood(name: str) -> None:
    text = made(name)
    assert [one.title for one in markdown_headings.split(text) if one.level == 2] == list(HEADINGS)
    assert not found(text)
    assert "{{" not in text
    assert "_template" not in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@pytest.mark.req("OR-12")
def test_inputs_and_outputs_name_every_path_with_its_format_and_what_it_is_for() -> None:
    text = made()
    assert "- `src/models.py` (Python; there before the work begins; required): what there is.\n" in text
    assert (
        "- `orchestration/agents/plan_agent/task_output/**` (from `plan_agent`; read it if it is there): "
        "what was planned.\n"
    ) in text
    assert "Yours alone while you work: `test database`.\n" in text
    assert "- `migrations/0007.sql` (SQL): adds due dates. step 2.\n" in text


@pytest.mark.req("OR-12")
def test_criteria_come_from_the_checkpoint_with_id_text_evidence_and_command() -> None:
    criteria = part(made(), "Success Criteria")
    assert "Checkpoint `due_dates`:" in criteria
    assert "- `dd-1`: Every open loan has a due date\n  - Shown by: a count\n  - Command: `pytest -q a`\n" in criteria
    assert "- `dd-10`: It can be undone\n  - Shown by: two dumps\n\n" in criteria
    assert "- A loan has no first day. Then: list it and escalate" in criteria


def test_a_verifier_of_two_doers_has_the_criteria_of_both() -> None:
    other = CHECK.model_copy(update={"id": "pages", "doer": "web_agent"})
    criteria = part(made(VERIFIER, check=(CHECK, other)), "Success Criteria")
    assert "Checkpoint `due_dates`:" in criteria
    assert "Checkpoint `pages`:" in criteria


def test_an_agent_without_contract_and_checkpoint_is_told_so() -> None:
    text = agent_instructions.render(NAME, output(inputs=[], outputs=[]), TEMPLATES[TACTICAL], FileContract(), ())
    assert "Nothing besides." in part(text, "Inputs")
    assert "You write no files." in part(text, "Outputs")
    assert "No checkpoint names a criterion for this agent." in part(text, "Success Criteria")
    assert not tuple(agent_instructions.findings(text, PATH, NAME, FileContract(), ()))


@pytest.mark.req("OR-14")
def test_best_practices_stand_under_the_task_and_only_where_there_are_any() -> None:
    task = part(made(practices=("Keep migrations small", "Test the way back")), "Task")
    assert task.endswith("### Best Practices\n\n- Keep migrations small\n- Test the way back")
    assert task.startswith("Give loans a due date.")
    assert "Best Practices" not in made()


def test_a_poc_is_proved_by_its_criteria_for_passing_and_failing() -> None:
    poc = Poc.model_validate(
        {
            "poc_id": "poc_001", "agent": NAME, "assumption": "It is fast", "pass": ["under 1 s"],
            "fail": ["over 2 s", "x"], "evidence": ["a table", "a plot"], "gates": [NAME],
        }
    )  # fmt: skip
    check = agent_instructions.poc_checkpoint(poc)
    assert [(one.id, one.text) for one in check.criteria] == [
        ("poc_001_pass_1", "Pass: under 1 s"), ("poc_001_fail_1", "Fail: over 2 s"), ("poc_001_fail_2", "Fail: x"),
    ]  # fmt: skip
    assert not found(made(check=[check]), [check])
    assert "Shown by: a table; a plot" in made(check=[check])


# --- what writers say is text -----------------------------------------------------------------------------------------


def titles(text: str) -> list[str]:
    return [one.title for one in markdown_headings.split(text) if one.level]


def drawn(text: str) -> list[str]:
    """The headings as anybody who shows the page draws them."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open" and not token.level
    ]


WANTED = [f"Instructions for {NAME}", "Task", "Best Practices", *HEADINGS[1:]]


@pytest.mark.req("OR-4")
@pytest.mark.parametrize(
    "text", [*(text for text in NASTY if text.strip()), "{{inputs}}", "{{agent}} {{nobody}}", "Task\n---"]
)
@pytest.mark.parametrize("name", [DOER, ARCHIVAL])
def test_no_text_of_a_writer_gives_the_document_another_heading(text: str, name: str) -> None:
    filled = everywhere(text, name)
    assert titles(filled) == WANTED
    assert drawn(filled) == WANTED


def everywhere(text: str, name: str = DOER) -> str:
    """Instructions in which everybody says the same."""
    criterion = {"id": "c1", "text": text, "evidence": text, "command": text}
    check = {"id": "x", "doer": NAME, "criteria": [criterion], "failure_modes": [{"mode": text, "remediation": text}]}
    contract = {
        "reads": [{"path": "a", "format": text}], "writes": [{"path": "b", "format": text, "description": text}],
        "resources": [text],
    }  # fmt: skip
    reads, writes = [{"path": "a", "purpose": text}], [{"path": "b", "purpose": text}]
    return agent_instructions.render(
        NAME,
        output(task=text, inputs=reads, outputs=writes, evidence=[text]),
        TEMPLATES[name],
        FileContract.model_validate(contract),
        [Checkpoint.model_validate(check)],
        [text],
    )


@pytest.mark.req("OR-4")
@given(TEXTS, st.sampled_from([DOER, VERIFIER, TACTICAL, ARCHIVAL]))
def test_whatever_writers_say_the_headings_are_those_of_the_template(text: str, name: str) -> None:
    filled = everywhere(text, name)
    assert titles(filled) == WANTED
    assert drawn(filled) == WANTED


@pytest.mark.req("OR-4")
def test_a_placeholder_that_a_writer_says_stays_what_it_is() -> None:
    text = made(task="Fill {{inputs}} and {{task}} and ${{ secrets.KEY }} and {{user}}.")
    assert r"Fill {\{inputs}} and {\{task}} and ${{ secrets.KEY }} and {{user}}." in text
    assert not found(text)


def test_characters_that_no_file_should_hold_are_left_out() -> None:
    text = made(task="Ring\x07 the\x00 bell\x1b[2J.\r\nThen stop.", evidence=["a\x00b"])
    assert "Ring the bell[2J.\nThen stop." in text
    assert "- ab\n" in text


# --- templates of others ----------------------------------------------------------------------------------------------


def broken(old: str, new: str) -> list[tuple[str, str]]:
    assert old in TEMPLATES[DOER]
    text = TEMPLATES[DOER].replace(old, new)
    return [(one.rule, one.about) for one in agent_instructions.template_findings(text, "mine.md")]


@pytest.mark.req("OR-4")
@pytest.mark.parametrize("name", BLOCKS)
def test_a_template_without_a_placeholder_cannot_be_filled(name: str) -> None:
    assert broken(f"{{{{{name}}}}}", "") == [("template.placeholder", name)]
    with pytest.raises(DocumentError, match=rf"the placeholder \{{\{{{name}\}}\}} is missing"):
        made(TEMPLATES[DOER].replace(f"{{{{{name}}}}}", ""))


@pytest.mark.req("OR-4")
def test_a_placeholder_that_nobody_knows_or_that_stands_twice_is_a_finding() -> None:
    assert broken("{{evidence}}", "{{evidence}}\n\n{{proof}}") == [("template.placeholder", "proof")]
    assert broken("{{evidence}}", "{{evidence}}\n\n{{evidence}}") == [("template.placeholder", "evidence")]
    within = broken("{{evidence}}", "As follows: {{evidence}}")
    assert within == [("template.placeholder", "evidence")] * 2


def test_a_template_must_have_the_eight_headings_in_their_order_and_may_have_more() -> None:
    assert broken("## Notes", "## Remarks") == [("template.section", "Notes")]
    assert broken("## Evidence", "## Notes\n\nx\n\n## Evidence") == [("template.section", "Notes")]
    assert broken("## Task\n", "## Turn\n") == [("template.section", "Task")]
    assert not broken("## Notes", "## House Rules\n\nBe kind.\n\n## Notes")
    swapped = (
        TEMPLATES[DOER]
        .replace("## Notes", "## N")
        .replace("## Escalation", "## Notes")
        .replace("## N\n", "## Escalation\n")
    )
    [found] = tuple(agent_instructions.template_findings(swapped, "mine.md"))
    assert found.rule == "template.order"


def test_a_template_saved_by_another_editor_is_the_same_template() -> None:
    windows = "\ufeff" + TEMPLATES[DOER].replace("\n", "\r\n")
    assert made(windows) == made(DOER)


def test_the_name_and_the_folder_may_stand_anywhere_or_nowhere() -> None:
    bare = TEMPLATES[DOER]
    for name in INLINE:
        bare = bare.replace(f"{{{{{name}}}}}", "it")
    assert not tuple(agent_instructions.template_findings(bare, "mine.md"))
    assert "orchestration/agents/database_agent/completion_drive/session_current.json" in made()


@pytest.mark.req("OR-11")
def test_a_template_for_a_created_agent_says_what_is_expected_of_its_type() -> None:
    entry = {"agent_type": "mail_agent", "template": "t", "capabilities": ["smtp"], "description": "Sends mail."}
    guidance = CreationGuidance.model_validate(
        {"reason": "r", "base_template": DOER, "additional_capabilities": ["smtp", "limits"], "registry_entry": entry}
    )
    text = agent_instructions.specialised(TEMPLATES[DOER], guidance)
    assert not tuple(agent_instructions.template_findings(text, "mail_template.md"))
    task = part(made(text), "Task")
    assert task.startswith(
        "You are of the type `mail_agent`: Sends mail.\n\nWhat is expected of you besides: smtp, limits."
    )
    assert TASK in task
    assert agent_registry.template_place("mail_template.md", lambda _: False) is None, "so somebody has to write it"


def test_a_description_cannot_bring_a_placeholder_into_a_template() -> None:
    entry = {"agent_type": "mail_agent", "template": "t", "capabilities": ["x"], "description": "{{task}} # x"}
    guidance = CreationGuidance.model_validate({"reason": "r", "base_template": DOER, "registry_entry": entry})
    assert not tuple(
        agent_instructions.template_findings(
            agent_instructions.specialised(TEMPLATES[DOER], guidance), "mail_template.md"
        )
    )


# --- checking ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("OR-12")
@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        ("## Escalation", "## Escalations of all sorts", ("instructions.section", "Escalation")),
        ("`src/models.py` (", "`src/models.pyx` (", ("instructions.path", "src/models.py")),
        ("migrations/0007.sql", "migrations/0007.sql.bak", ("instructions.path", "migrations/0007.sql")),
        ("`dd-1`", "`dd-11`", ("instructions.criterion", "dd-1")),
        ("`dd-10`", "`dd`", ("instructions.criterion", "dd-10")),
        ("Give loans", "{{task}} loans", ("instructions.placeholder", "task")),
        ("Give loans", "See orchestration_doer_agent_template.md. Give", ("instructions.pointer", DOER)),
        (
            "Give loans",
            "As in orchestration/agents/api_agent/agent_instructions.md, give",
            ("instructions.pointer", "orchestration/agents/api_agent/agent_instructions.md"),
        ),
    ],
)  # fmt: skip
def test_instructions_that_lack_something_are_found_out(old: str, new: str, broken: tuple[str, str]) -> None:
    text = made()
    assert old in text
    assert rules(text.replace(old, new)) == [broken]


@pytest.mark.req("OR-12")
@pytest.mark.parametrize("title", ["Notes", "Escalation", "Turn Lifecycle", "Task"])
def test_a_heading_with_nothing_under_it_is_found_out(title: str) -> None:
    text = made()
    whole = next(one.whole for one in markdown_headings.split(text) if one.title == title)
    assert rules(text.replace(whole, "\n\n")) == [("instructions.empty", title)]


def test_headings_in_another_order_are_found_out() -> None:
    text = made().replace("## Notes", "## N").replace("## Escalation", "## Notes").replace("## N\n", "## Escalation\n")
    assert rules(text) == [("instructions.order", "Escalation")]


def test_an_agent_may_be_told_of_its_own_instructions_and_of_files_of_its_contract() -> None:
    contract = FileContract.model_validate({"writes": [{"path": "mail/welcome_template.md"}]})
    given = output(inputs=[], outputs=[], task=f"Write mail/welcome_template.md as {PATH} says.")
    text = agent_instructions.render(NAME, given, TEMPLATES[DOER], contract, ())
    assert not tuple(agent_instructions.findings(text, PATH, NAME, contract, ()))


@pytest.mark.req("OR-12")
@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({}, []),
        ({"agent": "api_agent"}, [("instructions.agent", "api_agent")]),
        ({"outputs": []}, [("instructions.purpose", "migrations/0007.sql")]),
        (
            {"outputs": [{"path": "migrations/0007.sql", "purpose": "a"}] * 2},
            [("instructions.purpose", "migrations/0007.sql")],
        ),
        (
            {"outputs": [{"path": "migrations/0007.sql", "purpose": "a"}, {"path": "etc/passwd", "purpose": "b"}]},
            [("instructions.stranger", "etc/passwd")],
        ),
    ],
)
def test_a_writer_gives_every_path_of_the_contract_one_purpose_and_no_other(
    fields: dict[str, Any], broken: list[tuple[str, str]]
) -> None:
    findings = tuple(agent_instructions.output_findings(output(**fields), NAME, CONTRACT))
    assert [(one.rule, one.about) for one in findings] == broken


def test_instructions_without_a_heading_cannot_be_read() -> None:
    with pytest.raises(DocumentError, match=r"agent_instructions.md:\d+: instructions.section: the section “Notes”"):
        agent_instructions.parse(made().replace("## Notes", "## Not").encode(), PATH)
