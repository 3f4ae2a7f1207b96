"""Heads of files that Claude Code reads: what would fail silently there is said here."""

from __future__ import annotations

import pytest

from signoff.artifacts import frontmatter
from signoff.artifacts.agent_files import parse_agent
from signoff.core.errors import DocumentError

HEAD = "name: a-b\ndescription: It does.\n"
AGENT, SKILL = frontmatter.AGENT, frontmatter.SKILL


def told(fields: str, known: object = AGENT, **more: object) -> list[str]:
    found = frontmatter.lint(f"---\n{fields}---\nWords.\n", "x.md", known, **more)  # type: ignore[arg-type]
    return [f"{one.line}: {one.problem} -> {one.repair}" for one in found]


@pytest.mark.parametrize(
    ("fields", "known", "said"),
    [
        ("tool: Read\n", AGENT, "4: unknown field 'tool' -> write 'tools'"),
        ("disallowed-tools: Bash\n", AGENT, "4: unknown field 'disallowed-tools' -> write 'disallowedTools'"),
        ("permision-mode: plan\n", AGENT, "4: unknown field 'permision-mode' -> write 'permissionMode'"),
        ("disable-model-invokation: true\n", SKILL, "4: unknown field 'disable-model-invokation' -> write 'disable-"),
        ("disableModelInvocation: true\n", SKILL, "4: unknown field 'disableModelInvocation' -> write 'disable-model-"),
        ("allowed_tools: Bash\n", SKILL, "4: unknown field 'allowed_tools' -> write 'allowed-tools'"),
        ("tools: Read\n", SKILL, "4: unknown field 'tools' -> write 'allowed-tools'"),
        ("zebra: 1\n", AGENT, "4: unknown field 'zebra' -> use name, description, tools"),
        ("disable-model-invocation: yes please\n", SKILL, "4: disable-model-invocation is 'yes please' -> write true"),
        ("maxTurns: many\n", AGENT, "4: maxTurns is 'many' -> write a whole number"),
        ("maxTurns: true\n", AGENT, "4: maxTurns is True -> write a whole number"),
        ("permissionMode: all\n", AGENT, "4: permissionMode is 'all' -> write default, acceptEdits"),
        ("context: side\n", SKILL, "4: context is 'side' -> write inline, fork"),
        ("tools: [1, 2]\n", AGENT, "4: tools is [1, 2] -> write a list of names"),
        ("tools: {a: b}\n", AGENT, "4: tools is {'a': 'b'} -> write text or a list"),
    ],
)
def test_a_wrong_field_is_named_with_the_right_one(fields: str, known: object, said: str) -> None:
    (found,) = told(HEAD + fields, known)
    assert found.startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: A b\ndescription: x\n", "2: name is 'A b' -> use small letters"),
        (f"name: a\ndescription: {'x' * 2000}\n", "3: description has 2000 characters"),
        ("name: a\n", "1: the field 'description' is missing"),
        ("name: a\ndescription:\n", "1: the field 'description' is missing"),
        ("name: b\ndescription: x\n", "2: it calls itself 'b' -> name it 'a'"),
        ("name: [a\n", "1: "),
        ("- a\n", "1: "),
    ],
)
def test_a_head_without_what_is_needed_is_refused(text: str, said: str) -> None:
    found = told(text, AGENT, name="a", required=("name", "description"))
    assert found
    assert found[0].startswith(said) or said == "1: "


def test_a_right_head_is_left_alone() -> None:
    assert told(f"{HEAD}tools: Read, Grep\nmodel: inherit\nmaxTurns: 3\nhooks: {{}}\n", AGENT) == []
    assert told(f"{HEAD}allowed-tools: [Read]\ndisable-model-invocation: true\nargument-hint:\n", SKILL) == []
    (found,) = frontmatter.lint("Words.\n", "x.md", SKILL)
    assert found.problem == "there is no frontmatter"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("skils: x", "unknown field 'skils'. Repair: write 'skills'"),
        ("Model: x", "unknown field 'Model'. Repair: write 'model'"),
        ("model: [a]", "model is ['a']. Repair: write the name of a model"),
        ("skills: {a: b}", "skills is {'a': 'b'}. Repair: write names of skills"),
    ],
)
def test_an_agent_file_of_a_project_is_read_as_strictly(field: str, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_agent(f"---\n{HEAD}{field}\n---\nWords.\n", ".promptpack/agents/a-b.md")
    assert said in str(caught.value)
