"""Frontmatter of Markdown files. Claude Code ignores a misspelt field of its own files; here it is a finding."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.artifacts import yamlio
from signoff.core.errors import DocumentError
from signoff.core.findings import Finding


@dataclass(frozen=True, slots=True)
class Field:
    """What a field may hold: `kinds` are types, `choices` the only texts, `most` how long a text may be."""

    kinds: tuple[type, ...] = (str,)
    choices: tuple[str, ...] = ()
    most: int | None = None


_TEXT, _FLAG, _WHOLE, _MAP = Field(), Field((bool,)), Field((int,)), Field((dict,))
_NAMES = Field((str, list))
_EFFORT = Field((str, int))

AGENT: Mapping[str, Field] = {
    "name": Field(most=64), "description": Field(most=1024), "tools": _NAMES, "disallowedTools": _NAMES, "model": _TEXT,
    "permissionMode": Field(
        choices=("default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual")
    ),
    "maxTurns": _WHOLE, "skills": _NAMES, "mcpServers": Field((list, dict)), "hooks": _MAP,
    "memory": Field(choices=("user", "project", "local")), "background": _FLAG, "effort": _EFFORT,
    "isolation": Field(choices=("worktree",)), "color": _TEXT, "initialPrompt": _TEXT, "omitClaudeMd": _FLAG,
}  # fmt: skip
"""The fields of `agents/*.md` that Claude Code reads (2.1)."""

SKILL: Mapping[str, Field] = {
    "name": Field(most=64), "description": Field(most=1024), "when_to_use": _TEXT, "argument-hint": _TEXT,
    "arguments": _NAMES, "disable-model-invocation": _FLAG, "user-invocable": _FLAG, "allowed-tools": _NAMES,
    "disallowed-tools": _NAMES, "model": _TEXT, "effort": _EFFORT, "context": Field(choices=("inline", "fork")),
    "agent": _TEXT, "background": _FLAG, "hooks": _MAP, "paths": _NAMES,
    "shell": Field(choices=("bash", "powershell")), "license": _TEXT, "compatibility": _TEXT, "metadata": _MAP,
    "version": Field((str, int, float)),
}  # fmt: skip
"""The fields of `skills/*/SKILL.md` and `commands/*.md`."""

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", list: "a list", dict: "keys"}


def split(text: str, file: str, rule: str = "frontmatter") -> tuple[str, str]:
    """The text between the two lines `---`, and the text that follows."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---" or "---" not in lines[1:]:
        problem, repair = "there is no frontmatter", "begin the file with `---`, fields, `---`"
        raise DocumentError([Finding(rule=rule, problem=problem, repair=repair, file=file, line=1)])
    end = lines.index("---", 1)
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]).strip() + "\n"


def body(text: str) -> str:
    """The text without the fields that it may begin with."""
    try:
        return split(text, "")[1]
    except DocumentError:
        return text


def lint(
    text: str, file: str, known: Mapping[str, Field], name: str | None = None, required: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """What is wrong with the frontmatter of a file; `name` is the name that it must have, if it has one."""
    try:
        head, _ = split(text, file)
        fields = yamlio.load_mapping(head, file)
    except DocumentError as error:
        return error.findings
    found = [*unknown(fields, known, file, head), *_missing(fields, file, required)]
    for key, value in fields.items():
        if key in known and value is not None and (wrong := _wrong(key, value, known[key])):
            found.append(_finding(file, head, key, *wrong))
    if name is not None and isinstance(fields.get("name"), str) and fields["name"] != name:
        found.append(_finding(file, head, "name", f"it calls itself {fields['name']!r}", f"name it {name!r}"))
    return tuple(found)


def unknown(
    fields: Iterable[str], known: Iterable[str], file: str, head: str, rule: str = "frontmatter"
) -> list[Finding]:
    """Findings for unknown fields, each with the field that was probably meant."""
    valid = list(known)
    return [
        _finding(file, head, name, f"unknown field {name!r}", _instead(name, valid), rule)
        for name in map(str, fields)
        if name not in valid
    ]


def _instead(name: str, valid: list[str]) -> str:
    folded = {re.sub(r"[-_]", "", one).lower(): one for one in valid}
    near = difflib.get_close_matches(re.sub(r"[-_]", "", name).lower(), folded, n=1, cutoff=0.7)
    meant = [folded[one] for one in near] or [one for one in valid if one.endswith(f"-{name}")]
    return f"write {meant[0]!r}" if meant else f"use {', '.join(valid)}"


def _missing(fields: Mapping[str, Any], file: str, required: Sequence[str]) -> list[Finding]:
    return [
        _finding(file, "", name, f"the field {name!r} is missing", f"add `{name}: …`")
        for name in required
        if fields.get(name) in (None, "")
    ]


def _wrong(key: str, value: Any, wanted: Field) -> tuple[str, str] | None:
    """What is wrong with a value, and what to write instead."""
    if type(value) not in wanted.kinds:
        return f"{key} is {value!r}", f"write {' or '.join(_WORDS[kind] for kind in wanted.kinds)}"
    if isinstance(value, list) and not all(isinstance(item, str) for item in value) and key != "mcpServers":
        return f"{key} is {value!r}", "write a list of names"
    if wanted.choices and value not in wanted.choices:
        return f"{key} is {value!r}", f"write {', '.join(wanted.choices)}"
    if wanted.most is not None and len(value) > wanted.most:
        return f"{key} has {len(value)} characters", f"at most {wanted.most} are read"
    if key == "name" and not NAME.fullmatch(value):
        return f"name is {value!r}", "use small letters, digits and single hyphens"
    return None


def _finding(file: str, head: str, key: str, problem: str, repair: str, rule: str = "frontmatter") -> Finding:
    line = yamlio.line_of(head, (key,)) if head else None
    return Finding(rule=rule, problem=problem, repair=repair, file=file, line=1 + (line or 0))
